//! What is said where arguments ask for help or cannot be used.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use objchange::internal::visible;

use crate::exit::unusable_code;

/// Writes help or the version to standard output, and anything else to standard error.
pub(crate) fn answer(error: clap::Error) -> io::Result<ExitCode> {
    if error.use_stderr() {
        write!(anstream::stderr(), "{}", legible(error).render().ansi())?;
        return Ok(unusable_code());
    }
    let mut out = crate::terminal::stdout();
    write!(out, "{}", error.render().ansi())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The error with everything escaped in what it repeats of the arguments that is not to be seen.
fn legible(mut error: clap::Error) -> clap::Error {
    let repeated: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| {
            let value = match value {
                ContextValue::String(text) => ContextValue::String(visible(text).into()),
                ContextValue::Strings(texts) => {
                    ContextValue::Strings(texts.iter().map(|text| visible(text).into()).collect())
                }
                // Tips; nothing of the program's own in them needs a style.
                ContextValue::StyledStrs(tips) => {
                    let tip = |tip: &StyledStr| StyledStr::from(visible(&tip.to_string()).into_owned());
                    ContextValue::StyledStrs(tips.iter().map(tip).collect())
                }
                // Numbers, and the usage, which is the program's own.
                _ => return None,
            };
            Some((kind, value))
        })
        .collect();
    for (kind, value) in repeated {
        error.insert(kind, value);
    }
    error
}
