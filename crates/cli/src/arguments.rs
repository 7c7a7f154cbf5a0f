//! What is said where arguments ask for help or cannot be used.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use objchange_text::visible;

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

/// What stands for an argument that may be a secret.
const HIDDEN: &str = "(hidden)";

/// Hides what an error repeats of the values of variables, which may be secrets: a `--var` that has no equals sign, and
/// what the shell has cut off from one, such as the second word of `--var name=two words`.
fn without_secrets(mut error: clap::Error) -> clap::Error {
    let is_var = |text: &str| text == "--var" || text.starts_with("--var=") || text.starts_with("--var ");
    let of_var =
        matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(text)) if is_var(text));
    if of_var {
        error.insert(ContextKind::InvalidValue, ContextValue::String(HIDDEN.to_owned()));
        return error;
    }
    let gives_variables = || std::env::args_os().any(|argument| argument.to_str().is_some_and(is_var));
    let is_stray = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(text)) if !text.starts_with('-') && !text.starts_with('<')
    );
    if error.kind() == ErrorKind::UnknownArgument && is_stray && gives_variables() {
        error.insert(ContextKind::InvalidArg, ContextValue::String(HIDDEN.to_owned()));
    }
    error
}

/// The error with everything escaped in what it repeats of the arguments that is not to be seen.
fn legible(error: clap::Error) -> clap::Error {
    let mut error = without_secrets(error);
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
