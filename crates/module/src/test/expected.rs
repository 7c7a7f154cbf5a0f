//! `expect_failures`: the objects whose conditions must fail.

use objchange::address::{InstanceKey, Mode};
use objchange::value::Kind;
use objchange_hcl::{Diagnostic, Expr, Span, variables};

use super::scope::{TestSubject, subject};
use crate::diagnostics::ConditionOwner;
use crate::plan::CheckKind;
use crate::plan::graph::resource_text;
use crate::subject::{SubjectKind, key_text};
use crate::{Diagnostics, Severity};

/// An object whose conditions must fail.
#[derive(Debug)]
struct ExpectedFailure {
    kind: CheckKind,
    /// The object in the module under test, as owners of conditions have it.
    name: String,
    key: Option<InstanceKey>,
    /// As messages write it.
    text: String,
    span: Span,
    has_failed: bool,
    /// A condition of it is undecided, because of values that were made up.
    is_undecided: bool,
}

/// The objects whose conditions must fail.
#[derive(Debug, Default)]
pub(super) struct ExpectedFailures {
    all: Vec<ExpectedFailure>,
    /// Expected failures are shown, and missing ones are not reported, as by Terraform 1.15 with `-verbose`.
    pub(super) is_verbose: bool,
}

/// The stage that diagnostics come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The plan of a run that only plans.
    Plan,
    /// The plan of a run that applies.
    PlanBeforeApply,
    /// The apply of a run.
    Apply,
}

impl ExpectedFailures {
    /// Reads the `expect_failures` of a run, and reports invalid ones.
    pub(super) fn new(all: &[Expr]) -> (Self, Diagnostics) {
        let mut found = Diagnostics::default();
        let mut expected = Self::default();
        for expr in all {
            for reference in variables(expr) {
                let (parsed, error) = subject(&reference);
                found.errors(error);
                let Some(parsed) = parsed else { continue };
                match failure(&parsed) {
                    Ok(failure) => expected.all.push(failure),
                    Err((text, span)) => {
                        let detail = format!(
                            "You cannot expect failures from {text}. You can only expect failures from checkable objects such \
                             as input variables, output values, check blocks, managed resources and data sources."
                        );
                        found.error("Invalid `expect_failures` reference", span, detail);
                    }
                }
            }
        }
        (expected, found)
    }

    /// Removes expected failures and notes them. Returns the rest, and whether it stops the run. An unexpected failure
    /// of a `check` is an error.
    pub(super) fn judge(&mut self, found: &Diagnostics, stage: Stage) -> (Diagnostics, bool) {
        let mut judged = Diagnostics::default();
        let (mut is_stopped, mut expected_errors) = (false, 0);
        let mut checks = Vec::new();
        for diagnostic in found.iter() {
            let Some(owner) = &diagnostic.condition else {
                judged.add(diagnostic.clone());
                continue;
            };
            if diagnostic.is_undecided {
                let all = self.all.iter_mut().filter(|expected| expected.is(owner));
                all.for_each(|expected| expected.is_undecided = true);
                if stage != Stage::PlanBeforeApply {
                    judged.add(diagnostic.clone());
                }
                continue;
            }
            let is_check = owner.kind == CheckKind::Check;
            if stage == Stage::PlanBeforeApply && is_check {
                // Apply evaluates checks again. If planning fails there is no apply, and Terraform reports all failed checks,
                // expected or not (1.11.4 and 1.15.5).
                checks.push(diagnostic.clone());
                continue;
            }
            let expected: Vec<&mut ExpectedFailure> =
                self.all.iter_mut().filter(|expected| expected.is(owner)).collect();
            let is_expected = !expected.is_empty();
            if stage == Stage::PlanBeforeApply {
                if is_expected {
                    // As Terraform: only an output has the place of its entry.
                    let place = expected.into_iter().map(|expected| expected.span).next();
                    let place = place.filter(|_| owner.kind == CheckKind::OutputValue);
                    judged.push(Severity::Warning, failed_while_planning(&owner_text(owner), place));
                }
                judged.add(diagnostic.clone());
                continue;
            }
            // An unknown check warns while planning, and Terraform 1.11.4 counts this as the expected failure.
            expected.into_iter().for_each(|expected| expected.has_failed = true);
            if is_expected {
                if self.is_verbose {
                    expected_errors += usize::from(diagnostic.diagnostic.severity == Severity::Error);
                    judged.add(diagnostic.clone());
                }
                continue;
            }
            let mut diagnostic = diagnostic.clone();
            // Checks only warn in a plan, but an unexpected failure of one is an error of the run.
            if is_check {
                is_stopped = true;
                if !self.is_verbose {
                    diagnostic.diagnostic.severity = Severity::Error;
                }
            }
            judged.add(diagnostic);
        }
        is_stopped |= judged.error_count() > expected_errors;
        if stage == Stage::PlanBeforeApply && is_stopped {
            checks.into_iter().for_each(|check| judged.add(check));
        }
        (judged, is_stopped)
    }

    /// An error for each object whose conditions hold, and whether there are any.
    pub(super) fn missing(&self) -> (Diagnostics, bool) {
        let mut found = Diagnostics::default();
        let is_missing = self.all.iter().any(ExpectedFailure::is_missing);
        if self.is_verbose {
            return (found, is_missing);
        }
        for expected in self.all.iter().filter(|expected| expected.is_missing()) {
            let detail = format!(
                "The checkable object, {}, was expected to report an error but did not.",
                expected.text
            );
            found.error("Missing expected failure", expected.span, detail);
        }
        (found, is_missing)
    }
}

impl ExpectedFailure {
    /// Whether its conditions hold. Undecided ones may not.
    fn is_missing(&self) -> bool {
        !self.has_failed && !self.is_undecided
    }

    /// Whether it is the object that has a condition, or all of its instances.
    fn is(&self, owner: &ConditionOwner) -> bool {
        // Only objects of the module under test can be expected to fail. An entry without a key covers all instances.
        owner.module.is_root()
            && owner.kind == self.kind
            && owner.name == self.name
            && (self.key.is_none() || owner.key == self.key)
    }
}

/// The object that has a condition, as messages write it.
fn owner_text(owner: &ConditionOwner) -> String {
    let name = &owner.name;
    match (owner.kind, &owner.key) {
        (CheckKind::InputVariable, _) => format!("var.{name}"),
        (CheckKind::OutputValue, _) => format!("output.{name}"),
        (CheckKind::Check, _) => format!("check.{name}"),
        (CheckKind::Resource, Some(key)) => format!("{name}{key}"),
        (CheckKind::Resource, None) => name.clone(),
    }
}

fn failed_while_planning(text: &str, place: Option<Span>) -> Diagnostic {
    let detail = format!(
        "A custom condition within {text} failed during the planning stage and prevented the requested apply operation. While \
         this was an expected failure, the apply operation could not be executed and so the overall test case will be marked \
         as a failure and the original diagnostic included in the test report."
    );
    Diagnostic::warning("Expected failure while planning", place, detail)
}

/// The object that a reference names; else the reference as messages write it, and its place.
fn failure(subject: &TestSubject) -> Result<ExpectedFailure, (String, Span)> {
    let expected = |kind, name: String, key, text: String, span| {
        Ok(ExpectedFailure { kind, name, key, text, span, has_failed: false, is_undecided: false })
    };
    match subject {
        TestSubject::Output(name, span) => {
            expected(CheckKind::OutputValue, name.to_string(), None, format!("output.{name}"), *span)
        }
        TestSubject::Check(name, span) => {
            expected(CheckKind::Check, name.to_string(), None, format!("check.{name}"), *span)
        }
        TestSubject::Run(name, span) => Err((format!("run.{name}"), *span)),
        TestSubject::Module(subject) => match &subject.kind {
            SubjectKind::Variable(name) => expected(
                CheckKind::InputVariable,
                name.to_string(),
                None,
                format!("var.{name}"),
                subject.span,
            ),
            SubjectKind::Resource { name, key } => {
                let own = resource_text(name);
                let text = match key {
                    Some(key) => format!("{own}{}", key_text(key)),
                    None => own.clone(),
                };
                debug_assert!(matches!(name.mode, Mode::Managed | Mode::Data | Mode::Ephemeral));
                expected(CheckKind::Resource, own, key.as_ref().and_then(instance_key), text, subject.span)
            }
            other => Err((reference_text(other), subject.span)),
        },
    }
}

fn instance_key(key: &objchange::Value) -> Option<InstanceKey> {
    match key.kind() {
        Kind::String(text) => Some(InstanceKey::String(text.to_string())),
        Kind::Number(number) => number.as_u64().map(InstanceKey::Number),
        _ => None,
    }
}

/// A reference that has no conditions.
fn reference_text(kind: &SubjectKind) -> String {
    match kind {
        SubjectKind::Local(name) => format!("local.{name}"),
        SubjectKind::Path(name) => format!("path.{name}"),
        SubjectKind::Terraform(name) => format!("terraform.{name}"),
        SubjectKind::Count(name) => format!("count.{name}"),
        SubjectKind::Each(name) => format!("each.{name}"),
        SubjectKind::Module { call, key, output } => {
            let key = key.as_ref().map(key_text).unwrap_or_default();
            let output = output.as_ref().map(|output| format!(".{output}")).unwrap_or_default();
            format!("module.{call}{key}{output}")
        }
        _ => "self".to_owned(),
    }
}
