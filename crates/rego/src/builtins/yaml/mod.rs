//! YAML, as the Kubernetes tools read and write it: by way of JSON, with the words of YAML 1.1.

mod read;
mod scalar;
mod tabs;
mod write;

use super::arguments::{some, text};
use super::encoding::check_numbers;
use super::{Builtin, Context, Types};
use crate::Limit;
use crate::value::Value;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("yaml.marshal", &[Types::ANY], |context, o| {
        check_numbers(&o[0])?;
        some(write::write(context, &o[0])?)
    }),
    Builtin::new("yaml.unmarshal", &[Types::STRING], |context, o| some(read::read(context, text(o, 0)?)?)),
    Builtin::new("yaml.is_valid", &[Types::ANY], |context, o| {
        let Some(text) = o[0].as_str() else { return some(false) };
        match read::read(context, text) {
            Err(error) if error.kind.ends() => Err(error),
            answer => some(answer.is_ok()),
        }
    }),
];

/// A text is not a document in YAML with the values of JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum YamlError {
    /// The document is too large.
    #[error("this document is too large")]
    TooLarge,
    /// The text is not YAML: the reason.
    #[error("this is no YAML: {0}")]
    Invalid(String),
}

impl YamlError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::TooLarge => "too_large",
            Self::Invalid(_) => "invalid",
        }
    }
}

/// Reads a document in YAML.
///
/// # Errors
///
/// The text is not YAML, or has values that JSON lacks.
pub fn from_yaml(text: &str) -> Result<Value, YamlError> {
    const MOST_WORK: usize = 1 << 30;
    let mut left = MOST_WORK;
    let mut context = Context::new(0, 0, move |work| match left.checked_sub(work) {
        Some(rest) => {
            left = rest;
            Ok(())
        }
        None => Err(Limit::Memory),
    });
    match read::read(&mut context, text) {
        Ok(value) => Ok(value),
        Err(error) if error.kind.ends() => Err(YamlError::TooLarge),
        Err(error) => Err(YamlError::Invalid(error.to_string())),
    }
}
