//! Exit codes, and what is said on standard error.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use objchange_text::visible;

use crate::style::BAD;

/// What was asked for was done, and the answer is no: cases failed, or a contract is broken.
pub(crate) const FAILED: u8 = 1;
/// What was given cannot be used: arguments, files, documents.
pub(crate) const UNUSABLE: u8 = 2;
/// Somebody interrupted the program: the code that a shell gives to one ended by SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;
/// Nobody reads the output any more: the code that a shell gives to a program ended by SIGPIPE.
const PIPE_CLOSED: u8 = 141;

/// Says on standard error what is wrong. Names in it may come from a document, or be those of files.
pub(crate) fn complain(message: &str) -> io::Result<()> {
    writeln!(anstream::stderr(), "{BAD}error:{BAD:#} {}", visible(message))
}

/// Says on standard error what the answer does not show.
pub(crate) fn warn(message: &str) {
    // Where nobody can be told the answer is still the answer.
    let _ = writeln!(anstream::stderr(), "warning: {}", visible(message));
}

/// Says on standard error what else there is to know about the answer.
pub(crate) fn note(message: &str) {
    let _ = writeln!(anstream::stderr(), "note: {}", visible(message));
}

/// Says why what was given cannot be used.
pub(crate) fn unusable(reason: &dyn std::fmt::Display) -> io::Result<ExitCode> {
    complain(&reason.to_string())?;
    Ok(unusable_code())
}

/// The exit code where something cannot be used. `show --detailed-exitcode` gives the usual one another meaning, also
/// where arguments cannot be read.
pub(crate) fn unusable_code() -> ExitCode {
    let is_detailed = is_detailed_show(std::env::args_os().skip(1));
    ExitCode::from(if is_detailed { FAILED } else { UNUSABLE })
}

/// Whether these are arguments of `show` with `--detailed-exitcode`. They need not be valid.
fn is_detailed_show(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut arguments = arguments.take_while(|argument| argument != "--");
    // The only option that may stand before the name of a command, with its value.
    let command = loop {
        match arguments.next() {
            Some(argument) if argument == "--color" => drop(arguments.next()),
            Some(argument) if argument.to_string_lossy().starts_with("--color=") => {}
            argument => break argument,
        }
    };
    command.is_some_and(|command| command == "show")
        && arguments.any(|argument| argument == "--detailed-exitcode")
}

/// The exit code of a command, after saying why it could not write its output.
pub(crate) fn code(result: io::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(PIPE_CLOSED),
        Err(error) => {
            // Standard error may be gone as well; there is nobody left to tell.
            let _ = complain(&format!("the output cannot be written: {error}"));
            unusable_code()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_show_has_detailed_exit_codes() {
        let asked = |text: &str| is_detailed_show(text.split(' ').map(OsString::from));
        for text in [
            "show --detailed-exitcode",
            "--color never show p --detailed-exitcode",
            "--color=x show - --detailed-exitcode",
        ] {
            assert!(asked(text), "{text}");
        }
        for text in [
            "eval --detailed-exitcode",
            "query show --detailed-exitcode",
            "show -- --detailed-exitcode",
            "show",
            "",
        ] {
            assert!(!asked(text), "{text}");
        }
    }
}
