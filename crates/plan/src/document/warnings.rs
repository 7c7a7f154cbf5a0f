//! Why a document may not show everything that happens.

use objchange_text::Severity;

use super::{Document, Finding, FindingKind, UnfamiliarKind, UnknownKind};

/// Each reason why the document may not show everything that happens, once.
pub fn document_warnings(document: &Document<'_>) -> Vec<String> {
    incompleteness(document).into_iter().map(|finding| finding.message).collect()
}

/// The same as findings.
pub(super) fn incompleteness(document: &Document<'_>) -> Vec<Finding> {
    let (errored, complete) = match document {
        Document::Plan(plan) => (plan.changes.errored, plan.changes.complete),
        Document::State(_) => (false, None),
    };
    let mut findings = Vec::new();
    let mut report = |kind, severity, message: &str| {
        findings.push(Finding { kind, severity, address: None, message: message.to_owned() });
    };
    if !document.has_format_version() {
        report(
            FindingKind::NoFormatVersion,
            Severity::Error,
            "no `format_version`: this is only a part of a document, and the rest is not shown; pass the whole output \
             of `terraform show -json`",
        );
    }
    if errored {
        report(
            FindingKind::Errored,
            Severity::Error,
            "planning ended with an error: this is the plan up to the error, which cannot be applied",
        );
    }
    if matches!(document, Document::Plan(plan) if plan.lacks_changes()) {
        report(
            FindingKind::LacksChanges,
            Severity::Error,
            "changes of some resources or outputs are missing from the plan; pass the whole output of `terraform show \
             -json`",
        );
    }
    if complete == Some(false) && !errored {
        report(
            FindingKind::Incomplete,
            Severity::Warning,
            "the plan is incomplete: there may be more changes after it is applied",
        );
    }
    findings.extend(unknown(document));
    findings
}

/// Warnings about unknown or missing parts of the document.
pub fn unknown_warnings(document: &Document<'_>) -> Vec<String> {
    unknown(document).map(|finding| finding.message).collect()
}

fn unknown(document: &Document<'_>) -> impl Iterator<Item = Finding> {
    document.unfamiliar().into_iter().map(|unfamiliar| Finding {
        kind: match unfamiliar.kind {
            UnfamiliarKind::LeftOut => FindingKind::MissingMember,
            UnfamiliarKind::Actions => FindingKind::UnknownAction,
            UnfamiliarKind::Reason | UnfamiliarKind::Deferral => FindingKind::UnknownReason,
            UnfamiliarKind::Mode => FindingKind::UnknownMode,
            UnfamiliarKind::Event => FindingKind::UnknownTrigger,
        },
        severity: Severity::Warning,
        message: unknown_message(&unfamiliar),
        address: Some(unfamiliar.address).filter(|address| !address.is_empty()),
    })
}

fn unknown_message(unfamiliar: &UnknownKind) -> String {
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
}
