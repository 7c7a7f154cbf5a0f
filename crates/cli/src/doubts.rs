//! What whoever reads a document that is shown should know of it besides: said on standard error, as what is printed is
//! the text of the program that wrote it.

use objchange_plan::{Document, UnfamiliarKind};

use crate::exit;

/// Says of a document what makes it less than the whole and certain truth, each thing once.
pub(crate) fn tell(document: &Document<'_>) {
    let (errored, complete) = match document {
        Document::Plan(plan) => (plan.errored, plan.complete),
        Document::State(_) => (false, None),
    };
    if !document.has_format_version() {
        exit::warn(
            "there is no `format_version`, so this is only a part of a document: what was left out of it is not \
             shown; pass the whole output of `terraform show -json`",
        );
    }
    if errored {
        exit::warn(
            "planning ended with an error: this is what was planned until then, and cannot be applied",
        );
    }
    if matches!(document, Document::Plan(plan) if plan.lacks_changes()) {
        exit::warn(
            "the plan speaks of resources or outputs whose changes are not there: somebody has left them out; pass the \
             whole output of `terraform show -json`",
        );
    }
    if complete == Some(false) && !errored {
        exit::warn("the plan is incomplete: after it is applied there may be more to change");
    }
    for unfamiliar in document.unfamiliar() {
        let consequence = match unfamiliar.kind {
            UnfamiliarKind::LeftOut => {
                exit::warn(&format!(
                    "{unfamiliar}: what is shown of it may be less than happens, or a secret; pass the whole output of \
                     `terraform show -json`"
                ));
                continue;
            }
            UnfamiliarKind::Actions => "they are shown as they stand, and what they do is counted nowhere",
            UnfamiliarKind::Event => "what it invokes is counted, and not shown",
            UnfamiliarKind::Mode => "such resources are shown as they stand",
            _ => "--summary and --json show it as it stands",
        };
        exit::warn(&format!("{unfamiliar} here: {consequence}; a newer objchange may know more"));
    }
}
