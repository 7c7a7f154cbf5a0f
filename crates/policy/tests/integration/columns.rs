//! Rows of changes.

use objchange_plan::{PlanFile, Schemas};
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
