//! Times as people write them for policies.

use objchange_sentinel::{Policy, Run, Setup, Value};

/// A text is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a time is written like 2026-01-31T12:00:00Z, or in seconds since 1970")]
#[non_exhaustive]
pub struct ParseTimeError;

impl ParseTimeError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        "time"
    }
}

/// A time that is written, as policies themselves would read it.
///
/// # Errors
///
/// The text is not a time.
pub fn parse_time(text: &str) -> Result<i64, ParseTimeError> {
    let policy = Policy::parse("time", "import \"time\"\nparam written\nnow = time.load(written).unix_nano")
        .map_err(|_| ParseTimeError)?;
    let mut setup = Setup::default();
    let written = text.parse::<i64>().map_or_else(|_| text.into(), serde_json::Value::from);
    setup.params.insert("written".to_owned(), written);
    match Run::new(&policy, &setup).value("now") {
        Ok(Some(Value::Int(nanoseconds))) => Ok(nanoseconds),
        _ => Err(ParseTimeError),
    }
}
