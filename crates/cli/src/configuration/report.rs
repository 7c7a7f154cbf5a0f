//! Errors in a configuration, with the source lines.

use std::io::{self, Write};

use objchange_hcl::{Diagnostic, HiddenSource, Sources, snippet};

use crate::hints;

/// The maximum number of errors to show. Others are only counted.
const MAX_SHOWN: usize = 20;

/// Prints the errors on standard error, each with its place, without the hidden parts of its lines.
pub(crate) fn show(sources: &Sources, hidden: &HiddenSource, found: &[Diagnostic]) -> io::Result<()> {
    let places = sources.places();
    let mut err = crate::terminal::stderr();
    for diagnostic in found.iter().take(MAX_SHOWN) {
        let hint = hints::of_diagnostic(diagnostic.kind()).map(str::to_owned);
        let hints = diagnostic.hints.iter().cloned().chain(hint).collect();
        let diagnostic = Diagnostic { hints, ..diagnostic.clone() };
        writeln!(err, "{}", snippet(&places, hidden, &diagnostic, false))?;
    }
    if found.len() > MAX_SHOWN {
        writeln!(err, "and {} more errors", found.len() - MAX_SHOWN)?;
    }
    Ok(())
}
