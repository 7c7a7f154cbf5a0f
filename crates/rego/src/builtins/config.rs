//! Configuration files, as conftest reads them.

use std::sync::Arc;

use super::arguments::{some, text};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::config_files::{ConfigFileError, ConfigFiles};
use crate::value::{TEXT_OF_PART, Value};

const S: Types = Types::STRING;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("parse_config", &[S, S], |context, o| {
        context.charge(text(o, 1)?.len())?;
        let files = files(context)?;
        kept(context, files.parse(text(o, 0)?, text(o, 1)?))
    }),
    Builtin::reading_files("parse_config_file", &[S], |context, o| {
        let files = files(context)?;
        let read = files.read(context.policy(), text(o, 0)?);
        kept(context, read)
    }),
];

fn files(context: &Context<'_>) -> Result<Arc<dyn ConfigFiles>, BuiltinError> {
    let message = "policies may not read configuration files here";
    context.config_files().ok_or_else(|| BuiltinError::refused(message))
}

/// A file that cannot be read must not just make a condition undefined: the rule would pass.
fn kept(context: &mut Context<'_>, read: Result<Value, ConfigFileError>) -> Outcome {
    let value = read.map_err(|error| BuiltinError::refused(error.message))?;
    let size = value.parts().saturating_mul(TEXT_OF_PART);
    context.charge(usize::try_from(size).unwrap_or(usize::MAX))?;
    some(value)
}
