//! Verdicts and tests as test cases in JUnit's form.

use objchange_text::reports::{JunitCase, JunitStatus};

use super::{Outcome, PolicyLocation, RuleVerdict, Severity, TestResult, TestVerdict};

impl RuleVerdict {
    /// The verdict as a test case. It fails exactly if the gate fails because of it: `fails` says so. Results that the
    /// gate accepts are skipped, with the reason.
    pub fn junit_case(&self, fails: bool) -> JunitCase {
        let said = self.findings.iter().map(|finding| match &finding.address {
            Some(address) => format!("{address}: {}", finding.text()),
            None => finding.text().to_owned(),
        });
        let said =
            said.map(|line| objchange_text::visible(&line).into_owned()).collect::<Vec<_>>().join("\n");
        let status = |failed: JunitStatus| if fails { failed } else { JunitStatus::SKIPPED };
        let status = match self.outcome() {
            Outcome::Pass | Outcome::Excepted => JunitStatus::PASSED,
            Outcome::Fail => {
                let sort = match self.severity {
                    Severity::Failure => "deny",
                    Severity::Warning => "warn",
                };
                status(JunitStatus::FAILURE).with_lines(sort, &said)
            }
            Outcome::Error => {
                let error = self.error.as_deref().unwrap_or_default();
                status(JunitStatus::ERROR).with("error", error)
            }
            Outcome::Undecided => {
                let waits = self.undecided.iter().flat_map(|undecided| &undecided.waits_for);
                let waits: Vec<String> = waits.map(ToString::to_string).collect();
                let message = format!("not known until apply: {}", waits.join(", "));
                status(JunitStatus::FAILURE).with("undecided", message)
            }
        };
        named(&self.rule, &self.place, status)
    }
}

impl TestVerdict {
    /// The result as a test case.
    pub fn junit_case(&self) -> JunitCase {
        let status = match &self.result {
            TestResult::Pass => JunitStatus::PASSED,
            TestResult::Skip => JunitStatus::SKIPPED,
            TestResult::Fail => JunitStatus::FAILURE.with_message("it is not true"),
            TestResult::Error(error) => JunitStatus::ERROR.with_message(error),
        };
        JunitCase { time: Some(self.duration), ..named(&self.test, &self.place, status) }
    }
}

/// A test case with where it is defined.
fn named(name: &str, place: &PolicyLocation, status: JunitStatus) -> JunitCase {
    let (package, rule) = name.rsplit_once('.').unwrap_or(("", name));
    JunitCase::new(rule, status).at(package, &*place.file, place.line)
}
