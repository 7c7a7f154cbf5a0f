//! Findings of documents.

use objchange_document::{PlanFile, document_warnings, findings};
use serde_json::json;

/// The findings of a document: kind, severity, address and message.
fn check(document: &serde_json::Value) -> Vec<(&'static str, &'static str, Option<String>, String)> {
    let file = PlanFile::parse("plan.json", document.to_string()).unwrap();
    let findings = findings(&file).into_iter();
    let rows: Vec<_> = findings
        .map(|finding| (finding.kind.name(), finding.severity.name(), finding.address, finding.message))
        .collect();
    // Warnings of the program are findings with the same words.
    let warnings = document_warnings(file.facts());
    let messages: Vec<_> = rows.iter().map(|(_, _, _, message)| message).collect();
    assert!(messages.ends_with(&warnings.iter().collect::<Vec<_>>()), "{warnings:?}");
    rows
}

#[test]
fn checks_that_did_not_pass_are_findings() {
    let of = |kind: &str, name: &str, status: &str, problems: &[&str]| {
        let problems: Vec<_> = problems.iter().map(|message| json!({"message": message})).collect();
        json!({"address": {"kind": kind, "to_display": name}, "status": status, "instances": [{"problems": problems}]})
    };
    let plan = json!({"format_version": "1.2", "resource_changes": [], "checks": [
        of("check", "check.health", "fail", &["It is down.", "It is slow."]),
        of("resource", "disk.a", "fail", &["Too small."]),
        of("output_value", "output.o", "error", &[]),
        of("var", "var.v", "unknown", &[]),
        of("check", "check.good", "pass", &[]),
        json!({"status": "fail"}),
    ]});
    let row = |kind, severity, address: &str, message: &str| {
        (kind, severity, Some(address.to_owned()).filter(|address| !address.is_empty()), message.to_owned())
    };
    let expected = [
        row("check_failed", "warning", "check.health", "It is down."),
        row("check_failed", "warning", "check.health", "It is slow."),
        row("check_failed", "error", "disk.a", "Too small."),
        row("check_error", "error", "output.o", "a condition could not be evaluated"),
        row("check_unknown", "warning", "var.v", "the result is not known until apply"),
        row("check_failed", "error", "", "a condition does not hold"),
    ];
    assert_eq!(check(&plan), expected);
}

#[test]
fn what_a_plan_may_not_show_is_a_finding() {
    let change = |actions: &[&str]| {
        json!({"address": "disk.a", "mode": "managed", "type": "disk", "name": "a", "change": {"actions": actions,
            "before": null, "after": {}, "after_unknown": {}, "before_sensitive": false, "after_sensitive": {}}})
    };
    let kinds = |document: &serde_json::Value| -> Vec<_> {
        check(document).into_iter().map(|(kind, severity, address, _)| (kind, severity, address)).collect()
    };
    let disk = || Some("disk.a".to_owned());
    let mut plan =
        json!({"format_version": "1.2", "errored": true, "resource_changes": [change(&["archive"])]});
    assert_eq!(kinds(&plan), [("errored", "error", None), ("unknown_action", "warning", disk())]);
    plan["errored"] = false.into();
    plan["complete"] = false.into();
    plan["resource_changes"] = json!([change(&["create"])]);
    assert_eq!(kinds(&plan), [("incomplete", "warning", None)]);
    plan["resource_changes"][0]["change"]["after"] = json!(null);
    plan["resource_changes"][0]["mode"] = "ghost".into();
    plan["resource_changes"][0]["action_reason"] = "because".into();
    let expected = ["incomplete", "unknown_reason", "unknown_mode", "missing_member"];
    assert_eq!(kinds(&plan).into_iter().map(|(kind, ..)| kind).collect::<Vec<_>>(), expected);
    let partial = json!({"format_version": "1.2", "planned_values": {"root_module": {"resources": [
        {"address": "a.b", "mode": "managed", "type": "a", "name": "b", "values": {}}]}}});
    assert_eq!(kinds(&partial), [("lacks_changes", "error", None)]);
    assert_eq!(kinds(&json!({"format_version": "1.0", "values": {"root_module": {}}})), []);
}
