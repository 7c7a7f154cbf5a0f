//! Warnings about a document, on standard error: standard output has the bytes that Terraform prints.

use objchange_plan::{Document, UnfamiliarKind};

use crate::exit;

/// Prints each reason why the document may not show everything that happens, once.
pub(crate) fn print(document: &Document<'_>) {
    let (errored, complete) = match document {
        Document::Plan(plan) => (plan.changes.errored, plan.changes.complete),
        Document::State(_) => (false, None),
    };
    if !document.has_format_version() {
        exit::warn(
            "no `format_version`: this is only a part of a document, and the rest is not shown; pass the whole output \
             of `terraform show -json`",
        );
    }
    if errored {
        exit::warn("planning ended with an error: this is the plan up to the error, which cannot be applied");
    }
    if matches!(document, Document::Plan(plan) if plan.lacks_changes()) {
        exit::warn(
            "changes of some resources or outputs are missing from the plan; pass the whole output of `terraform show \
             -json`",
        );
    }
    if complete == Some(false) && !errored {
        exit::warn("the plan is incomplete: there may be more changes after it is applied");
    }
    for unfamiliar in document.unfamiliar() {
        let consequence = match unfamiliar.kind {
            UnfamiliarKind::LeftOut => {
                exit::warn(&format!(
                    "{unfamiliar}: changes or sensitivity marks may be missing; pass the whole output of `terraform show \
                     -json`"
                ));
                continue;
            }
            UnfamiliarKind::Actions => "shown as is, not counted",
            UnfamiliarKind::Event => "counted, but not shown",
            UnfamiliarKind::Mode => "such resources are shown as is",
            _ => "--summary and --json show it as is",
        };
        exit::warn(&format!("{unfamiliar}: {consequence}; a newer objchange may know it"));
    }
}
