//! Rows of changes.

use objchange_document::{PlanFile, Schemas};
use objchange_policy::columns::{RowError, RowKind, rows};
use serde_json::json;

/// A key is in the path of each value below it: a plan of one megabyte could have terabytes of paths.
#[test]
fn paths_that_are_too_long_together_are_an_error() {
    let rows = |count: usize| {
        let after = json!({"k".repeat(1 << 20): vec![0; count]});
        let change = json!({"actions": ["create"], "before": null, "after": after, "after_unknown": {}});
        let resource = json!({"address": "t.a", "mode": "managed", "type": "t", "name": "a",
            "provider_name": "p", "change": change});
        let plan = json!({"format_version": "1.2", "resource_changes": [resource]});
        rows(&PlanFile::parse("f", plan.to_string()).unwrap(), RowKind::Changes, &Schemas::none())
    };
    assert_eq!(rows(10).unwrap()[0].changed_paths.len(), 10);
    assert!(matches!(rows(70), Err(RowError::TooLarge(address)) if address == "t.a"));
}

/// A key in a sensitive map may be the secret.
#[test]
fn paths_that_force_a_replacement_end_at_the_first_sensitive_part() {
    let sides = json!({"size": 1, "tags": {"hunter2": "a"}, "ports": [1]});
    let change = json!({"actions": ["delete", "create"], "before": sides, "after": sides, "after_unknown": {},
        "before_sensitive": {"tags": true}, "after_sensitive": {},
        "replace_paths": [["size"], ["tags", "hunter2"], ["ports", 0], ["gone", "hunter2", 0], [], [null]]});
    let resource = json!({"address": "t.a", "mode": "managed", "type": "t", "name": "a", "deposed": "k1",
        "provider_name": "p", "change": change});
    let plan = json!({"format_version": "1.2", "terraform_version": "1.9.0", "timestamp": "2026-11-30T12:00:00Z",
        "resource_changes": [resource]});
    let file = PlanFile::parse("f", plan.to_string()).unwrap();
    let row = &rows(&file, RowKind::Changes, &Schemas::none()).unwrap()[0];
    assert_eq!(row.replace_paths, ["size", "tags", "ports[0]", "gone", "", ""]);
    assert_eq!((row.terraform_version.as_deref(), row.deposed.as_deref()), (Some("1.9.0"), Some("k1")));
    assert_eq!(row.time.as_deref(), Some("2026-11-30T12:00:00Z"));
}
