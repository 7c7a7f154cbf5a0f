//! Terminals: their width, and text that must be escaped for them.
//!
//! Commands write their text through [`stdout`] and [`stderr`], which escape that.

use std::io::{self, IsTerminal, Stdout};

use anstream::AutoStream;
use console::Term;
pub(crate) use objchange_text::Escaping;

/// The columns of the terminal, if standard output is one and has a size.
pub(crate) fn width(stdout: &Stdout) -> Option<usize> {
    let (_, columns) = stdout.is_terminal().then(|| Term::stdout().size_checked()).flatten()?;
    // A pseudo-terminal whose size nobody has set has 0 columns.
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}

/// Standard output for text: with colours if they are wanted, and with unprintable characters escaped.
pub(crate) fn stdout() -> Escaping<AutoStream<io::StdoutLock<'static>>> {
    Escaping::new(anstream::stdout().lock(), true)
}

/// Standard error for text, like [`stdout`].
pub(crate) fn stderr() -> Escaping<AutoStream<io::StderrLock<'static>>> {
    Escaping::new(anstream::stderr().lock(), true)
}
