//! Why a document may not show everything that happens.

use std::borrow::Cow;

use objchange_text::Severity;

use super::{Facts, Finding, FindingKind, Missing, UnfamiliarKind, UnknownKind};

/// The warning about a plan that says that it is not all.
const INCOMPLETE: &str = "the plan is incomplete: there may be more changes after it is applied";

/// The warning about an incomplete plan, with what it was made without. For plans without providers, other words say so.
pub fn incompleteness_warning(facts: &Facts) -> Option<Cow<'static, str>> {
    if !facts.missing.is_empty() {
        return Some(missing_input(&facts.missing).into());
    }
    (facts.incomplete && !facts.errored && !facts.simulated).then_some(INCOMPLETE.into())
}

/// Each reason why the document may not show everything that happens, once.
pub fn document_warnings(facts: &Facts) -> Vec<String> {
    incompleteness(facts).into_iter().map(|finding| finding.message).collect()
}

/// The reasons why a document may not show everything that happens, as findings.
pub(super) fn incompleteness(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut report = |kind, severity, message: &str| {
        findings.push(Finding { kind, severity, address: None, message: message.to_owned() });
    };
    if facts.is_part {
        report(
            FindingKind::NoFormatVersion,
            Severity::Error,
            "no `format_version`: this is only a part of a document, and the rest is not shown; pass the whole output \
             of `terraform show -json`",
        );
    }
    if facts.errored {
        report(
            FindingKind::Errored,
            Severity::Error,
            "planning ended with an error: this is the plan up to the error, which cannot be applied",
        );
    }
    if let Some(missing) = &facts.missing_change {
        let message = format!("{missing}; pass the whole output of `terraform show -json`");
        report(FindingKind::LacksChanges, Severity::Error, &message);
    }
    if !facts.missing.is_empty() {
        report(FindingKind::MissingInput, Severity::Warning, &missing_input(&facts.missing));
    } else if facts.incomplete && !facts.errored {
        report(FindingKind::Incomplete, Severity::Warning, INCOMPLETE);
    }
    findings.extend(facts.unknown_kinds.iter().map(|unfamiliar| Finding {
        kind: match unfamiliar.kind {
            UnfamiliarKind::LeftOut => FindingKind::MissingMember,
            UnfamiliarKind::Actions => FindingKind::UnknownAction,
            UnfamiliarKind::Reason | UnfamiliarKind::Deferral => FindingKind::UnknownReason,
            UnfamiliarKind::Mode => FindingKind::UnknownMode,
            UnfamiliarKind::Event => FindingKind::UnknownTrigger,
        },
        severity: Severity::Warning,
        message: unknown_message(unfamiliar),
        address: Some(unfamiliar.address.clone()).filter(|address| !address.is_empty()),
    }));
    findings
}

/// The sentence about a plan that was made without these.
fn missing_input(missing: &[Missing]) -> String {
    // A line that people read to its end. Documents have all of them.
    const NAMED: usize = 8;
    let named: Vec<String> = missing.iter().take(NAMED).map(Missing::to_string).collect();
    let named = objchange_text::listed(&named, missing.len());
    format!("planned without all of its input, so whatever depends on it is unknown: {named}")
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
