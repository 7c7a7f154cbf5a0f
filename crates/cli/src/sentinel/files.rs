//! Reports errors in the text of a policy.

use std::io;

use objchange_hcl::{Diagnostic, HiddenSource, Sources as SourceTexts};

use crate::configuration::report;

/// Says on standard error why a text is not a policy, each error with its place.
pub(super) fn show_errors(name: &str, text: &str, errors: &[Diagnostic]) -> io::Result<()> {
    let sources = SourceTexts::from_text(name, text).unwrap_or_default();
    report::show(&sources, &HiddenSource::default(), errors)
}
