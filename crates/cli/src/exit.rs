//! How commands end: exit codes, why there is no answer, and what is said on standard error.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use objchange_project::InputsError;
use objchange_text::{Noted, Notice, visible};

use crate::style::BAD;

/// The command worked and the answer is no: cases failed, or a contract is broken.
pub(crate) const FAILED: u8 = 1;
/// An input cannot be used: arguments, files, documents.
pub(crate) const UNUSABLE: u8 = 2;
/// The program was interrupted: the code that a shell gives to a program ended by SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;
/// The reader of the output is gone: the code that a shell gives to a program ended by SIGPIPE.
const PIPE_CLOSED: u8 = 141;

/// Prints an error on standard error. Names in it may come from documents and files.
pub(crate) fn complain(message: &str) -> io::Result<()> {
    writeln!(anstream::stderr(), "{BAD}error:{BAD:#} {}", visible(message))
}

/// Whether notes and warnings are left out.
// A static, because everything may have a note.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Sets whether notes and warnings are left out.
pub(crate) fn be_quiet(is_quiet: bool) {
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Prints a warning on standard error.
pub(crate) fn warn(message: &str) {
    if IS_QUIET.load(Ordering::Relaxed) {
        return;
    }
    // The answer matters more than the warning, so ignore a broken standard error.
    let _ = writeln!(anstream::stderr(), "warning: {}", visible(message));
}

/// Prints a note on standard error.
pub(crate) fn note(message: &str) {
    if IS_QUIET.load(Ordering::Relaxed) {
        return;
    }
    let _ = writeln!(anstream::stderr(), "note: {}", visible(message));
}

/// Prints the notice of a library on standard error.
pub(crate) fn remark(notice: Notice) {
    match notice {
        // The work goes on even if standard error is broken.
        Notice::Error(message) => drop(complain(&message)),
        Notice::Note(message) => note(&message),
        Notice::Warning(message) => warn(&message),
    }
}

/// Prints the notices about an answer on standard error, and returns the answer.
pub(crate) fn noted<T>(noted: Noted<T>) -> T {
    notices(&noted.notices);
    noted.answer
}

/// Prints the notices of a library on standard error.
pub(crate) fn notices(notices: &[Notice]) {
    notices.iter().cloned().for_each(remark);
}

/// Why a command has no answer.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// Arguments, files or documents cannot be used: the problem, and the remedy.
    Unusable(String),
    /// The configuration in a directory has errors, which have been printed: which directory.
    NotPlanned(String),
    /// They cannot be used, and each problem has already been shown with its place.
    Shown,
    /// The output cannot be written.
    Output(io::Error),
    /// The program was interrupted, and no process that it started is left.
    Interrupted,
}

impl CommandError {
    /// The error of a command that has just printed the problem, or could not write it.
    pub(crate) fn shown(result: io::Result<()>) -> Self {
        result.map_or_else(Self::Output, |()| Self::Shown)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<InputsError> for CommandError {
    fn from(error: InputsError) -> Self {
        Self::Unusable(error.to_string())
    }
}

impl From<String> for CommandError {
    fn from(reason: String) -> Self {
        Self::Unusable(reason)
    }
}

impl From<&str> for CommandError {
    fn from(reason: &str) -> Self {
        Self::Unusable(reason.to_owned())
    }
}

/// Arguments, files or documents cannot be used for this reason.
pub(crate) fn unusable(reason: impl std::fmt::Display) -> CommandError {
    CommandError::Unusable(reason.to_string())
}

/// Whether the exit codes are those of `--detailed-exitcode` of `show` and `plan`, which gives the usual one for errors another meaning.
// A static, because the code of an error is made in places that have no arguments of `plan` and `show`, and `clap`
// refuses arguments before there are any.
static IS_DETAILED: AtomicBool = AtomicBool::new(false);

/// Sets whether the exit codes are those of `--detailed-exitcode`.
pub(crate) fn use_detailed_codes(is_detailed: bool) {
    IS_DETAILED.store(is_detailed, Ordering::Relaxed);
}

/// The exit code where something cannot be used.
pub(crate) fn unusable_code() -> ExitCode {
    ExitCode::from(if IS_DETAILED.load(Ordering::Relaxed) { FAILED } else { UNUSABLE })
}

/// The exit code of a command, after saying why it has no answer.
pub(crate) fn code(result: Result<ExitCode, CommandError>) -> ExitCode {
    let result = match result {
        Err(CommandError::Unusable(reason) | CommandError::NotPlanned(reason)) => {
            complain(&reason).map(|()| unusable_code())
        }
        Err(CommandError::Shown) => Ok(unusable_code()),
        Err(CommandError::Output(error)) => Err(error),
        Err(CommandError::Interrupted) => Ok(ExitCode::from(INTERRUPTED)),
        Ok(code) => Ok(code),
    };
    match result {
        Ok(code) => code,
        // Rust's runtime ignores SIGPIPE, so a reader that is gone, such as `head`, shows as an error of a write.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(PIPE_CLOSED),
        Err(error) => {
            // Standard error may be broken as well; then nothing can be reported.
            let _ = complain(&format!("the output cannot be written: {error}"));
            unusable_code()
        }
    }
}
