//! `objchange show`: which resources are shown.

use serde_json::{Value, json};

use crate::program::{Output, objchange};

pub(crate) fn show(arguments: &[&str], plan: &Value) -> Output {
    objchange(["show"].iter().chain(arguments), plan.to_string())
}

/// A change with a secret in it.
pub(crate) fn change(address: &str, actions: &[&str]) -> Value {
    let (module, name) = address.rsplit_once("aws_").unwrap();
    let side = json!({"id": 1, "secret": "hunter2"});
    let other = json!({"id": 2, "secret": "hunter3"});
    let (before, after) = match actions {
        ["create"] => (Value::Null, other),
        ["delete" | "forget"] => (side, Value::Null),
        ["no-op"] => (side.clone(), side),
        _ => (side, other),
    };
    let mut change = json!({
        "address": address, "mode": "managed", "type": format!("aws_{}", name.split_once('.').unwrap().0),
        "name": "main", "provider_name": "registry.terraform.io/hashicorp/aws",
        "change": {"actions": actions, "before": before, "after": after,
            "before_sensitive": {"secret": true}, "after_sensitive": {"secret": true}},
    });
    if !module.is_empty() {
        change["module_address"] = json!(module.trim_end_matches('.'));
    }
    change
}

/// A plan in which things of all kinds happen.
pub(crate) fn plan() -> Value {
    let output = |actions: &[&str], after: &str| {
        json!({"actions": actions, "before": null, "after": after, "after_unknown": false,
            "before_sensitive": true, "after_sensitive": true})
    };
    let mut moved = change("aws_vpc.moved", &["no-op"]);
    moved["previous_address"] = json!("aws_vpc.before");
    let mut counted = change("module.net[\"a.b\"].aws_vpc.main[0]", &["update"]);
    counted["index"] = json!(0);
    json!({
        "format_version": "1.2", "terraform_version": "1.16.0", "applyable": true, "complete": true,
        "resource_changes": [
            change("aws_vpc.main", &["create"]),
            counted,
            change("module.net[\"a.b\"].module.sub.aws_db.main", &["delete"]),
            change("module.network.aws_vpc.main", &["delete", "create"]),
            moved,
        ],
        "resource_drift": [change("module.net[\"a.b\"].aws_eip.main", &["update"])],
        "output_changes": {"o": output(&["create"], "hunter2")},
    })
}

/// The names of the resources whose changes are shown.
fn shown(arguments: &[&str]) -> Vec<String> {
    let output = show(&[arguments, &["--json"]].concat(), &plan());
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(!output.stdout.contains("hunter"), "{}", output.stdout);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let address = |entry: &Value| entry["address"].as_str().unwrap().to_owned();
    report["resource_changes"].as_array().unwrap().iter().map(address).collect()
}

#[test]
fn an_address_chooses_instances_and_modules() {
    let (root, moved) = ("aws_vpc.main", "aws_vpc.moved");
    let counted = "module.net[\"a.b\"].aws_vpc.main[0]";
    let inside = "module.net[\"a.b\"].module.sub.aws_db.main";
    let other = "module.network.aws_vpc.main";
    for (arguments, expected) in [
        (&["--only", "module.net"][..], &[counted, inside][..]),
        (&["--only", "module.net[\"a.b\"]"], &[counted, inside]),
        (&["--only", "module.net[\"a\"]"], &[]),
        (&["--only", "module.net.aws_vpc.main"], &[counted]),
        (&["--only", counted], &[counted]),
        (&["--only", "aws_vpc.main"], &[root]),
        (&["--only", "*.main"], &[root, counted, inside, other]),
        (&["--exclude", "module.net", "--exclude", other], &[root, moved]),
        (&["--only", "module.net*", "--exclude", "module.net"], &[other]),
        (&["--type", "aws_d?"], &[inside]),
        (&["--type", "aws_db", "--type", "*vpc"], &[root, counted, inside, other, moved]),
        (&["--module", "module.net.module.sub", "--module", "module.network"], &[inside, other]),
        (&["--module", "module.net", "--type", "aws_vpc", "--action", "update"], &[counted]),
        (&["--module", "aws_vpc.main"], &[]),
        (&["--drift"], &[]),
    ] {
        assert_eq!(shown(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn drift_alone_is_all_of_it() {
    let output = show(&["--drift"], &plan());
    assert_eq!(output.code, 0);
    let text = output.stdout;
    assert!(text.contains("# module.net[\"a.b\"].aws_eip.main has changed"), "{text}");
    assert!(!text.contains("aws_vpc") && !text.contains("Outputs") && !text.contains("hunter"), "{text}");
    let none = show(&["--drift", "--only", "module.network"], &plan());
    assert!(none.stdout.contains("No resource with changes matches."), "{}", none.stdout);
    let state = json!({"format_version": "1.0", "values": {"root_module": {"resources": []}}});
    let refused = show(&["--drift"], &state);
    assert_eq!((refused.code, refused.stderr.contains("--drift")), (2, true), "{}", refused.stderr);
}

#[test]
fn what_names_nothing_is_told_with_what_may_be_meant() {
    for (arguments, hint) in [
        (["--only", "module.nett.*"], "--only module.nett.* matches nothing here: did you mean module.net?"),
        (["--only", "aws_vcp.main"], "--only aws_vcp.main matches nothing here: did you mean aws_vpc.main?"),
        (["--type", "aws_epi"], "--type aws_epi matches nothing here: did you mean aws_eip?"),
        (["--module", "module.nat"], "--module module.nat matches nothing here: did you mean module.net?"),
        (["--type", "zzz"], "--type zzz matches nothing here\n"),
    ] {
        let output = show(&arguments, &plan());
        assert_eq!(output.code, 0);
        assert!(output.stdout.contains("No resource with changes matches."), "{}", output.stdout);
        assert!(output.stderr.contains(&format!("note: {hint}")), "{}", output.stderr);
    }
    // It names something, which does not change.
    let output = show(&["--only", "aws_vpc.main", "--action", "delete"], &plan());
    assert!(!output.stderr.contains("note:"), "{}", output.stderr);
    let state = json!({"format_version": "1.0", "values": {"root_module": {"resources": [
        {"address": "a_b.c", "mode": "managed", "type": "a_b", "name": "c", "values": {"secret": "hunter2"}}]}}});
    let output = show(&["--only", "a_b.d"], &state);
    assert!(output.stderr.contains("did you mean a_b.c?"), "{}", output.stderr);
}
