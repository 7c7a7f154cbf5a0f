//! Verdicts, tests and findings as cases for reports.

use std::time::Duration;

use objchange_finding::{Case, Finding, Gate, Location, Outcome as Kind, Rule};
use objchange_sentinel::{Diagnostic, LineIndex, LintKind};
use objchange_text::{Severity, visible_lines};

use super::{OnUnknown, description};
use crate::sentinel::configuration::Level;
use crate::sentinel::judge::{Judged, Outcome, show};
use crate::sentinel::set::AppliedPolicy;
use crate::sentinel::shapes::SYNTAX_ERROR;
use crate::sentinel::testing;

/// A policy, as a rule of reports.
pub fn policy_rule(applied: &AppliedPolicy, judged: &Judged) -> Rule {
    let severity = if applied.level == Level::Advisory { Severity::Warning } else { Severity::Error };
    let doc = judged.main_rule().and_then(|main| main.doc.clone());
    Rule::new(&*applied.name, severity, doc.unwrap_or_else(|| format!("The policy {}", applied.name)))
}

/// The verdict of a policy on a plan. It is accepted if the policy is advisory, or soft-mandatory with `overrides`, and so is
/// an undecided one unless it is to fail.
pub fn policy_case(applied: &AppliedPolicy, judged: &Judged, unknown: OnUnknown, overrides: bool) -> Case {
    let main = judged.main_rule();
    let line = main.map_or(1, |rule| rule.line);
    let output = Some(visible_lines(&judged.print)).filter(|output| !output.is_empty());
    let case = Case::new(&*applied.name).at(applied.level.name(), Location::new(&*applied.file, line));
    let mut case = Case { output, ..case };
    if !unknown.breaks(judged) && !judged.is_undecided {
        return case;
    }
    let accepted = match applied.level {
        _ if !unknown.breaks(judged) => Some("a verdict that depends on unknown values is accepted"),
        Level::Advisory => Some("the policy is advisory"),
        Level::SoftMandatory if overrides => Some("the policy is overridden"),
        Level::SoftMandatory | Level::HardMandatory => None,
    };
    let (kind, outcome) = match judged.outcome {
        Outcome::Pass | Outcome::Undefined if judged.is_undecided => ("undecided", Kind::Undecided),
        Outcome::Error => ("error", Kind::Error),
        outcome => (outcome.name(), Kind::Failed),
    };
    let mut add = |line: u32, message: String, address: Option<&str>| {
        case.findings.push(Finding {
            rule: Some(applied.name.clone()),
            address: address.map(str::to_owned),
            accepted: accepted.map(str::to_owned),
            ..Finding::new(kind, outcome, message, Location::new(&*applied.file, line))
        });
    };
    let line = judged.error.as_ref().and_then(|error| error.line).unwrap_or(line);
    match (judged.outcome, &judged.error, &judged.witnesses.list[..]) {
        (_, Some(error), _) => add(line, error.to_string(), None),
        (Outcome::Pass, None, _) if judged.unknown.is_empty() => {
            add(line, "this is not known until apply".to_owned(), None);
        }
        (Outcome::Pass, None, _) => {
            for unknown in &judged.unknown {
                add(unknown.line, format!("not known until apply: {}", unknown.what), None);
            }
        }
        (Outcome::Undefined, None, []) => {
            add(line, "whether the policy is kept is undefined".to_owned(), None);
        }
        (_, None, []) => add(line, "the policy is broken".to_owned(), None),
        // One for each resource.
        (_, None, witnesses) => {
            for witness in witnesses {
                let message = format!("the policy {} is broken: {}", applied.name, witness.sentence());
                add(line, message, witness.address.as_deref());
            }
        }
    }
    let text = description(judged);
    case.summary = text.lines().next().map(str::to_owned);
    case.text = Some(text);
    case
}

/// The exit code that a verdict leads to, as with Sentinel's own program.
pub fn exit_code(judged: &Judged, case: &Case) -> u8 {
    match judged.outcome {
        _ if !case.verdict().fails() => 0,
        Outcome::Error => 3,
        Outcome::Undefined => 2,
        Outcome::Pass | Outcome::Fail => 1,
    }
}

/// The result of a test case of this name.
pub fn test_case(outcome: &testing::Outcome, name: &str, time: Duration) -> Case {
    let place = || Location::new(&*outcome.case, 1_u32);
    let errors = outcome.errors.iter().map(|error| (Kind::Error, error.to_string()));
    let differences = outcome.differences.iter().map(|difference| {
        let said = match &difference.got {
            None => format!("{}: the policy has no such rule", difference.rule),
            Some(got) => {
                format!("{}: expected {}, got {}", difference.rule, show(&difference.expected), show(got))
            }
        };
        (Kind::Failed, said)
    });
    let finding = |(kind, said)| Finding::new(outcome.result(), kind, said, place());
    Case {
        time: Some(time),
        output: Some(visible_lines(&outcome.print)).filter(|output| !output.is_empty()),
        findings: errors.chain(differences).map(finding).collect(),
        ..Case::new(name).at(&*outcome.policy, place())
    }
}

/// All kinds of findings that checks of policies have.
pub fn check_rules() -> impl Iterator<Item = Rule> {
    let lints = LintKind::ALL.iter().map(|kind| Rule::new(kind.name(), kind.severity(), kind.title()));
    [Rule::new(SYNTAX_ERROR, Severity::Error, "A text that cannot be read")].into_iter().chain(lints)
}

/// The findings in the text of a policy, as this gate judges them.
pub fn check_case(file: &str, text: &str, findings: &[Diagnostic], gate: Gate) -> Case {
    let lines = LineIndex::new(text);
    let finding = |finding: &Diagnostic| {
        let subject = finding.subject.unwrap_or_default();
        let (start, end) = (lines.char_position(subject.start), lines.char_position(subject.end));
        let location = Location {
            column: Some(start.column),
            end_line: Some(end.line.into()),
            end_column: Some(end.column),
            ..Location::new(file, start.line)
        };
        gate.judge(Finding {
            severity: finding.severity,
            details: finding.hints.first().map(ToString::to_string),
            ..Finding::new(&*finding.kind, Kind::Failed, &*finding.summary, location)
        })
    };
    Case { findings: findings.iter().map(finding).collect(), ..Case::new(file) }
}
