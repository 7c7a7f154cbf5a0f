//! Why a document may not show everything that happens.

use super::{Document, UnfamiliarKind, UnknownKind};

/// Each reason why the document may not show everything that happens, once.
pub fn document_warnings(document: &Document<'_>) -> Vec<String> {
    let (errored, complete) = match document {
        Document::Plan(plan) => (plan.changes.errored, plan.changes.complete),
        Document::State(_) => (false, None),
    };
    let mut warnings = Vec::new();
    let mut warn = |warning: &str| warnings.push(warning.to_owned());
    if !document.has_format_version() {
        warn(
            "no `format_version`: this is only a part of a document, and the rest is not shown; pass the whole output \
             of `terraform show -json`",
        );
    }
    if errored {
        warn("planning ended with an error: this is the plan up to the error, which cannot be applied");
    }
    if matches!(document, Document::Plan(plan) if plan.lacks_changes()) {
        warn(
            "changes of some resources or outputs are missing from the plan; pass the whole output of `terraform show \
             -json`",
        );
    }
    if complete == Some(false) && !errored {
        warn("the plan is incomplete: there may be more changes after it is applied");
    }
    warnings.extend(unknown_warnings(document));
    warnings
}

/// Warnings about unknown or missing parts of the document.
pub fn unknown_warnings(document: &Document<'_>) -> Vec<String> {
    let warning = |unfamiliar: &UnknownKind| {
        let consequence = match unfamiliar.kind {
            UnfamiliarKind::LeftOut => {
                return format!(
                    "{unfamiliar}: changes or sensitivity marks may be missing; pass the whole output of `terraform show \
                     -json`"
                );
            }
            UnfamiliarKind::Actions => "shown as is, not counted",
            UnfamiliarKind::Event => "counted, but not shown",
            UnfamiliarKind::Mode => "such resources are shown as is",
            _ => "summaries and JSON show it as is",
        };
        format!("{unfamiliar}: {consequence}; a newer objchange may know it")
    };
    document.unfamiliar().iter().map(warning).collect()
}
