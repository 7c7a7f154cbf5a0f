//! The exit code and all forms of a report agree.

use objchange_finding::{Case, Exit, Finding, Forms, Gate, Location, Outcome, Report, Rule, Verdict};
use objchange_text::Severity;
use proptest::prelude::*;
use quick_junit::{NonSuccessKind, TestCaseStatus};
use serde_json::Value;

const FORMS: Forms = Forms { junit: true, sarif: true };

fn finding(outcome: Outcome, severity: Severity) -> Finding {
    let kind = if outcome == Outcome::Undecided { "undecided" } else { "kind" };
    Finding { severity, ..Finding::new(kind, outcome, "something is wrong", Location::new("a.rego", 3_u32)) }
}

/// The exit code, JUnit's XML as it is read by others, and the results in SARIF.
fn reported(cases: &[Case], failures: &[String]) -> (Exit, quick_junit::Report, Vec<Value>) {
    let mut report = Report::new("test", "test/v1", FORMS);
    report.rule(&Rule::new("kind", Severity::Error, "A rule"));
    report.suite("plan.json", Some("plan.json"));
    cases.iter().for_each(|case| report.case(case));
    report.not_judged(failures, None);
    let exit = report.exit();
    let junit = quick_junit::Report::deserialize_from_str(&report.junit()).unwrap();
    let sarif: Value = serde_json::from_str(&report.sarif()).unwrap();
    (exit, junit, sarif["runs"][0]["results"].as_array().unwrap().clone())
}

fn gates() -> impl Strategy<Value = Gate> {
    any::<[bool; 3]>().prop_map(|[never, warnings, undecided]| Gate { never, warnings, undecided })
}

fn findings() -> impl Strategy<Value = Finding> {
    use Outcome::{Error, Failed, NotJudged, Note, Undecided};
    let outcomes = prop::sample::select(vec![Note, Undecided, Failed, Error, NotJudged]);
    let severities = prop::sample::select(vec![Severity::Warning, Severity::Error]);
    (outcomes, severities, any::<bool>()).prop_map(|(outcome, severity, is_advisory)| {
        let finding = finding(outcome, severity);
        if is_advisory { finding.accepted("the policy is advisory") } else { finding }
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let skipped = prop::option::of(Just("no configuration was accepted".to_owned()));
    (prop::collection::vec(findings(), 0..4), skipped).prop_map(|(findings, skipped)| Case {
        findings,
        skipped,
        ..Case::new("case")
    })
}

proptest! {
    #[test]
    fn exit_code_junit_and_sarif_agree(
        gate in gates(),
        cases in prop::collection::vec(cases(), 0..6),
        failures in prop::collection::vec("[a-z]{1,5}\\.json: it is empty", 0..2),
    ) {
        let judge = |mut case: Case| {
            case.findings = case.findings.into_iter().map(|finding| gate.judge(finding)).collect();
            case
        };
        let cases: Vec<Case> = cases.into_iter().map(judge).collect();
        let (exit, junit, results) = reported(&cases, &failures);
        let has_error = results.iter().any(|result| result["level"] == "error");
        prop_assert_eq!(exit == Exit::Success, junit.failures + junit.errors == 0);
        prop_assert_eq!(exit == Exit::Success, !has_error);
        prop_assert_eq!(exit == Exit::Success, !cases.iter().any(|case| case.verdict().fails()) && failures.is_empty());
        // All findings are in SARIF, and those that a gate accepts are warnings with the reason.
        let all: Vec<&Finding> = cases.iter().flat_map(|case| &case.findings).collect();
        prop_assert_eq!(results.len(), all.len() + failures.len());
        for (finding, result) in std::iter::zip(&all, &results) {
            let level = match finding.outcome {
                _ if finding.fails() => "error",
                Outcome::Note => "note",
                _ => "warning",
            };
            prop_assert_eq!(&result["level"], level);
            let text = result["message"]["text"].as_str().unwrap();
            prop_assert!(finding.accepted.as_ref().is_none_or(|reason| text.contains(reason)));
        }
        let tests = junit.test_suites.iter().flat_map(|suite| &suite.test_cases);
        for (case, test) in std::iter::zip(&cases, tests) {
            match (case.verdict(), &test.status) {
                (Verdict::Passed, TestCaseStatus::Success { .. }) => {}
                (Verdict::Skipped, TestCaseStatus::Skipped { message, .. }) => {
                    let reasons = case.findings.iter().filter_map(|finding| finding.accepted.as_ref());
                    let mut reasons = reasons.chain(&case.skipped);
                    let message = message.as_ref().unwrap().as_str();
                    prop_assert!(reasons.any(|reason| message.starts_with(reason)), "{message}");
                }
                (Verdict::Undecided, TestCaseStatus::NonSuccess { kind, ty, .. }) => {
                    prop_assert_eq!(*kind, NonSuccessKind::Failure);
                    prop_assert_eq!(ty.as_ref().unwrap().as_str(), "undecided");
                }
                (Verdict::Failed, TestCaseStatus::NonSuccess { kind, .. }) => {
                    prop_assert_eq!(*kind, NonSuccessKind::Failure);
                }
                (Verdict::Error | Verdict::NotJudged, TestCaseStatus::NonSuccess { kind, .. }) => {
                    prop_assert_eq!(*kind, NonSuccessKind::Error);
                }
                (verdict, status) => prop_assert!(false, "{verdict:?} is reported as {status:?}"),
            }
        }
    }
}

proptest! {
    /// Whatever a name, a message or a printed line holds, it is there again for whoever reads the XML.
    #[test]
    fn junit_holds_any_text(name in any::<String>(), message in any::<String>(), output in any::<String>()) {
        let location = Location::new(name.as_str(), 7_u32);
        let case = Case {
            findings: vec![Finding::new("kind", Outcome::Failed, message.as_str(), location.clone())],
            location: Some(location),
            output: Some(output.clone()),
            ..Case::new(name.as_str())
        };
        let (_, junit, _) = reported(&[case], &[]);
        let test = &junit.test_suites[0].test_cases[0];
        prop_assert_eq!(test.name.as_str(), objchange_text::visible(&name));
        prop_assert_eq!(test.extra["file"].as_str(), objchange_text::visible(&name));
        let TestCaseStatus::NonSuccess { message: read, .. } = &test.status else { panic!("{test:?}") };
        prop_assert_eq!(read.as_ref().unwrap().as_str(), objchange_text::visible(&message));
        let lines = objchange_text::visible_lines(&output);
        // This reader takes away blanks at both ends.
        let read = test.system_out.as_ref().map(|text| text.as_str().trim().to_owned());
        prop_assert_eq!(read.unwrap_or_default(), lines.trim());
    }
}

/// Each gate names the reason for which it lets a finding pass.
#[test]
fn gates_accept_for_a_reason() {
    use Outcome::{Error, Failed, Undecided};
    use Severity::Warning;
    let all = [
        (Failed, Severity::Error),
        (Error, Warning),
        (Undecided, Severity::Error),
        (Undecided, Warning),
        (Failed, Warning),
    ];
    let accepted = |gate: Gate| {
        all.map(|(outcome, severity)| gate.judge(finding(outcome, severity)).accepted.unwrap_or_default())
    };
    let (warnings, undecided) = ("warnings do not fail", "undecided findings do not fail");
    assert_eq!(accepted(Gate::WARNINGS), [""; 5]);
    assert_eq!(accepted(Gate::UNDECIDED), ["", "", "", warnings, warnings]);
    assert_eq!(accepted(Gate::ERRORS), ["", "", undecided, warnings, warnings]);
    assert_eq!(accepted(Gate::NEVER), ["nothing fails"; 5]);
}

#[test]
fn a_sentence_names_its_file() {
    let failures = ["plans/a.json:1:5: this is not JSON".to_owned()];
    let (exit, junit, results) = reported(&[], &failures);
    assert_eq!((exit, exit.code(), junit.errors), (Exit::NotJudged, 2, 1));
    let place = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!((place, &results[0]["ruleId"]), (&"plans/a.json".into(), &"not-judged".into()));
}

/// A message is there once: readers show the text below it.
#[test]
fn junit_says_nothing_twice() {
    let found = |message: &str, details: Option<&str>| Finding {
        message: message.to_owned(),
        details: details.map(str::to_owned),
        ..finding(Outcome::Failed, Severity::Error)
    };
    let xml = |case: Case| {
        let mut report = Report::new("test", "test/v1", FORMS);
        report.suite("plan.json", None);
        report.case(&case);
        report.junit()
    };
    let one = xml(Case::new("a").with(found("disk.a: too small", None)));
    assert!(one.contains(r#"<failure message="disk.a: too small" type="kind"/>"#), "{one}");
    let two = Case::new("a")
        .with(found("disk.a: too small", Some("size = 1")))
        .with(found("disk.b: too large", None));
    let two = xml(two);
    assert!(
        two.contains(
            "<failure message=\"disk.a: too small\" type=\"kind\">size = 1\ndisk.b: too large</failure>"
        ),
        "{two}"
    );
    let accepted = xml(Case::new("a").with(found("disk.a: too small", None).accepted("nothing fails")));
    assert!(
        accepted.contains(r#"<skipped message="nothing fails: disk.a: too small" type="kind"/>"#),
        "{accepted}"
    );
    // A sentence about all findings repeats no message.
    let summary =
        Case { summary: Some("2 findings".to_owned()), ..Case::new("a").with(found("disk.a", None)) };
    let summary = xml(summary);
    assert!(summary.contains(r#"<failure message="2 findings" type="kind">disk.a</failure>"#), "{summary}");
}

#[test]
fn a_finding_is_one_object_in_json() {
    let location = Location { column: Some(5), ..Location::new("a.sentinel", 3_u32) };
    let finding = Finding::new("unused-rule", Outcome::Failed, "nobody uses it", location);
    assert_eq!(
        serde_json::to_string(&finding.accepted("nothing fails")).unwrap(),
        r#"{"file":"a.sentinel","line":3,"column":5,"kind":"unused-rule","outcome":"fail","severity":"error","message":"nobody uses it","accepted":"nothing fails"}"#
    );
}
