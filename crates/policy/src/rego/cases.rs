//! Verdicts and tests as cases for reports.

use objchange_finding::{Case, Finding as Reported, Gate, Location, Outcome as Kind, Rule};
use objchange_text as text;

use super::check::{Lint, UNUSED_IMPORT, UNUSED_RULE};
use super::{
    Finding, Outcome, PolicyError, PolicyLocation, RuleVerdict, Severity, TestResult, TestVerdict, Undecided,
    Unknown,
};

impl Severity {
    fn reported(self) -> text::Severity {
        match self {
            Self::Failure => text::Severity::Error,
            Self::Warning => text::Severity::Warning,
        }
    }

    /// The kind of findings of this severity.
    const fn kind(self) -> &'static str {
        match self {
            Self::Failure => "deny",
            Self::Warning => "warn",
        }
    }
}

impl RuleVerdict {
    /// The rule, for reports.
    pub fn reported_rule(&self) -> Rule {
        Rule::new(&*self.rule, self.severity.reported(), format!("The rule {}", self.rule))
    }

    /// The verdict as a case, as this gate judges it.
    pub fn case(&self, gate: Gate) -> Case {
        let mut case = named(&self.rule, &self.place);
        if self.outcome() == Outcome::Excepted {
            return case;
        }
        let mut add =
            |kind: &str, outcome, message: &str, place: &PolicyLocation, address: Option<String>| {
                case.findings.push(gate.judge(Reported {
                    rule: Some(self.rule.clone()),
                    severity: self.severity.reported(),
                    address,
                    ..Reported::new(kind, outcome, message, place.into())
                }));
            };
        if let Some(error) = &self.error {
            add("error", Kind::Error, error, &self.place, None);
        }
        if self.excepted {
            return case;
        }
        for finding in &self.findings {
            add(
                self.severity.kind(),
                Kind::Failed,
                &finding.addressed(),
                &finding.place,
                finding.address.clone(),
            );
        }
        if let Some(Undecided { findings, waits_for }) = &self.undecided {
            for finding in findings {
                let waits = waits(finding.address.as_deref(), waits_for);
                let message = format!("{} ({waits})", finding.addressed());
                add("undecided", Kind::Undecided, &message, &finding.place, finding.address.clone());
            }
            if findings.is_empty() {
                let first = waits_for.first().map(|unknown| unknown.address.clone());
                add("undecided", Kind::Undecided, &waits(None, waits_for), &self.place, first);
            }
        }
        case
    }
}

/// The maximum number of unknown values that one message names.
const WAITS_NAMED: usize = 5;

/// Names what is not known. For a finding about an object that is what is unknown of the object, if anything is.
fn waits(address: Option<&str>, waits_for: &[Unknown]) -> String {
    let is_own = |unknown: &&Unknown| Some(&*unknown.address) == address && !unknown.path.is_empty();
    let own: Vec<String> = waits_for.iter().filter(is_own).map(|unknown| unknown.path.clone()).collect();
    let mut named = if own.is_empty() { waits_for.iter().map(ToString::to_string).collect() } else { own };
    named.truncate(WAITS_NAMED);
    format!("not known until apply: {}", named.join(", "))
}

impl Finding {
    /// The message, after the address where it is not named in it.
    pub(super) fn addressed(&self) -> String {
        match &self.address {
            Some(address) if !self.text().contains(address.as_str()) => format!("{address}: {}", self.text()),
            _ => self.text().to_owned(),
        }
    }
}

impl TestVerdict {
    /// The result as a case.
    pub fn case(&self) -> Case {
        let mut case = Case { time: Some(self.duration), ..named(&self.test, &self.place) };
        let mut add = |outcome, message: &str| {
            case.findings.push(Reported::new("test", outcome, message, (&self.place).into()));
        };
        match &self.result {
            TestResult::Pass => {}
            TestResult::Skip => case.skipped = Some("its name begins with todo_".to_owned()),
            TestResult::Fail => add(Kind::Failed, "it is not true"),
            TestResult::Error(error) => add(Kind::Error, error),
        }
        case
    }
}

/// The kinds of findings that checks of policies have, without those of errors.
pub fn check_rules() -> impl Iterator<Item = Rule> {
    let warning = |kind, title| Rule::new(kind, text::Severity::Warning, title);
    [
        warning(UNUSED_IMPORT, "An import that nothing uses"),
        warning(UNUSED_RULE, "A rule that is neither evaluated nor used by one that is"),
    ]
    .into_iter()
}

impl Lint {
    /// The lint as a finding.
    pub fn reported(&self) -> Reported {
        Reported {
            severity: text::Severity::Warning,
            ..Reported::new(self.kind, Kind::Failed, &*self.message, (&self.place).into())
        }
    }
}

impl PolicyError {
    /// The problems as findings. Those of no place are in `file`.
    pub fn reported(&self, file: &str) -> impl Iterator<Item = Reported> {
        self.problems().map(move |(place, message)| {
            let place = place.map_or_else(|| Location::new(file, 1_u32), Location::from);
            Reported::new(self.kind().kind(), Kind::Failed, message, place)
        })
    }
}

impl From<&PolicyLocation> for Location {
    fn from(place: &PolicyLocation) -> Self {
        Self::new(&*place.file, place.line)
    }
}

/// A case with where it is defined.
fn named(name: &str, place: &PolicyLocation) -> Case {
    let (package, rule) = name.rsplit_once('.').unwrap_or(("", name));
    Case::new(rule).at(package, place.into())
}
