//! Sensitive values are never printed.

use objchange_document::Plan;
use objchange_policy::tfconfig::TfConfig;
use objchange_policy::tfplan::TfPlan;
use objchange_policy::tfstate::TfState;
use objchange_policy::{Collected, Collection, Exact, Redacted};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::collections::random::{Kind, Node, SECRET, change, node, object};

/// Configuration that gives this value: constants, and references for unknown parts.
fn expressions(node: &Node) -> Value {
    let constant = |node: &Node| match node.value() {
        Some(value) => json!({"constant_value": value}),
        None => json!({"references": ["t.b"]}),
    };
    match &node.kind {
        Kind::Object(members) if !node.sensitive => {
            let members = members.iter().map(|(name, node)| {
                // A list of objects may be blocks.
                let is_block = |node: &Node| !node.sensitive && matches!(node.kind, Kind::Object(_));
                let expression = match &node.kind {
                    Kind::List(blocks) if !node.sensitive && blocks.iter().all(is_block) => {
                        blocks.iter().map(expressions).collect()
                    }
                    _ => constant(node),
                };
                (name.clone(), expression)
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
        _ => constant(node),
    }
}

fn output(node: &Node) -> Value {
    let node = Node { sensitive: true, ..node.clone() }.planted();
    json!({"sensitive": true, "type": "dynamic", "value": node.known().value()})
}

/// A plan with these values wherever one may stand.
pub(crate) fn plan(before: &Node, after: &Node, secret: &Node) -> Value {
    let kept = before.clone().known();
    let secret = Node { sensitive: true, ..secret.clone() }.planted();
    let plain = secret.clone().known().value();
    let resource = |node: &Node| {
        json!({"address": "t.a[0]", "mode": "managed", "type": "t", "name": "a", "index": 0, "provider_name": "p",
            "values": node.value(), "sensitive_values": node.sensitive()})
    };
    let mut changed = change(Some(&kept), Some(after));
    changed["replace_paths"] = paths(&kept);
    let changed = json!({"address": "t.a[0]", "mode": "managed", "type": "t", "name": "a", "index": 0,
        "provider_name": "p", "change": changed});
    json!({
        "format_version": "1.2",
        "variables": {"v": {"value": plain}, "shown": {"value": "visible"}},
        "planned_values": {"outputs": {"o": output(&secret)}, "root_module": {"resources": [resource(after)]}},
        "resource_changes": [changed],
        "resource_drift": [changed],
        "deferred_changes": [{"reason": "absent_prereq", "resource_change": changed}],
        "output_changes": {
            "o": change(None, Some(&secret)),
            "p": change(Some(&kept), Some(after)),
        },
        "prior_state": {"format_version": "1.0", "terraform_version": "1.9.0", "values": {
            "outputs": {"o": output(&secret)},
            "root_module": {"child_modules": [{"address": "module.m", "resources": [resource(&kept)]}]},
        }},
        "relevant_attributes": paths(&kept).as_array().unwrap().iter().map(|path|
            json!({"resource": "t.a", "attribute": path})).collect::<Vec<_>>(),
        "configuration": {"root_module": {
            "variables": {"v": {"sensitive": true, "default": plain}},
            "outputs": {"o": {"sensitive": true, "expression": {"constant_value": plain}}},
            "resources": [{"address": "t.a", "mode": "managed", "type": "t", "name": "a",
                "provider_config_key": "t", "expressions": expressions(after)}],
            "module_calls": {"m": {"source": "./m", "expressions": {"v": {"constant_value": plain}}, "module": {
                "variables": {"v": {"sensitive": true, "default": plain}},
                "outputs": {"o": {"sensitive": true, "expression": {"constant_value": plain}}},
            }}},
        }},
        "action_invocations": [{"config_values": after.value(), "config_sensitive": after.sensitive()}],
    })
}

/// The paths of all parts.
fn paths(node: &Node) -> Value {
    fn collect(value: &Value, at: &[Value], out: &mut Vec<Value>) {
        out.push(json!(at));
        let mut below = |step: Value, value: &Value| collect(value, &[at, &[step]].concat(), out);
        match value {
            Value::Object(members) => members.iter().for_each(|(name, value)| below(json!(name), value)),
            Value::Array(elements) => {
                elements.iter().enumerate().for_each(|(i, value)| below(json!(i), value));
            }
            _ => {}
        }
    }
    let mut paths = Vec::new();
    collect(&node.value().unwrap_or_default(), &[], &mut paths);
    json!(paths)
}

fn assert_hidden(what: &str, of: &(impl Collected + std::fmt::Debug)) -> Result<(), TestCaseError> {
    let texts = [
        serde_json::to_string(&Redacted(of)).unwrap(),
        json!(Redacted(of)).to_string(),
        format!("{of:?} {of:#?}"),
    ];
    for text in texts {
        prop_assert!(!text.contains(SECRET), "{}: {}", what, text);
    }
    Ok(())
}

fn assert_all_hidden<T: Collected + std::fmt::Debug>(
    what: &str,
    of: &Collection<'_, T>,
) -> Result<(), TestCaseError> {
    of.values().try_for_each(|item| assert_hidden(what, item))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn nothing_sensitive_is_printed(before in object(), after in object(), secret in node()) {
        let (before, after) = (before.planted(), after.planted());
        let document = plan(&before, &after, &secret);
        let text = document.to_string();
        let plan = Plan::parse(&text).unwrap();
        let (tfplan, tfconfig) = (TfPlan::new(&plan).unwrap(), TfConfig::new(&plan).unwrap());
        let tfstate = TfState::prior(&plan).unwrap();
        for is_read in [false, true] {
            assert_hidden("tfplan", &tfplan)?;
            assert_hidden("tfconfig", &tfconfig)?;
            assert_hidden("tfstate", &tfstate)?;
            assert_hidden("raw", &tfplan.raw)?;
            // Once more when all of it has been read.
            prop_assert!(is_read || serde_json::to_string(&Exact(&tfplan)).is_ok());
        }
        assert_all_hidden("variables", &tfplan.variables)?;
        assert_all_hidden("outputs", &tfplan.planned_values.outputs)?;
        for change in tfplan.resource_changes.values().chain(tfplan.resource_drift.values()) {
            assert_hidden("before", &change.change.before().unwrap())?;
            assert_hidden("after", &change.change.after().unwrap())?;
            assert_hidden("after_full", &change.change.after().unwrap().full())?;
        }
        // The exact form has all of it, and the other one what is not sensitive.
        prop_assert_eq!(&json!(Exact(&tfplan.raw)), &document);
        let redacted = json!(Redacted(&tfplan));
        prop_assert_eq!(&redacted["variables"]["shown"]["value"], "visible");
        prop_assert_eq!(&redacted["raw"]["variables"]["shown"]["value"], "visible");
        prop_assert_eq!(&redacted["raw"]["variables"]["v"]["value"] == "(sensitive value)",
            !document["variables"]["v"]["value"].is_null());
    }

    /// In the document itself the same is hidden as in the collections.
    #[test]
    fn the_document_hides_what_the_collections_hide(before in object(), after in object(), secret in node()) {
        let text = plan(&before, &after, &secret).to_string();
        let plan = Plan::parse(&text).unwrap();
        let redacted = json!(Redacted(&TfPlan::new(&plan).unwrap()));
        let raw = &redacted["raw"];
        let change = &redacted["resource_changes"]["t.a[0]"]["change"];
        for side in ["before", "after", "after_unknown"] {
            prop_assert_eq!(&raw["resource_changes"][0]["change"][side], &change[side]);
            prop_assert_eq!(&raw["resource_drift"][0]["change"][side], &change[side]);
            let output = &redacted["output_changes"]["p"]["change"][side];
            prop_assert_eq!(&raw["output_changes"]["p"][side], output);
        }
        let planned = &redacted["planned_values"]["resources"]["t.a[0]"]["values"];
        prop_assert_eq!(&raw["planned_values"]["root_module"]["resources"][0]["values"], planned);
        let tfconfig = json!(Redacted(&TfConfig::new(&plan).unwrap()));
        let config = &raw["configuration"]["root_module"];
        prop_assert_eq!(&config["resources"][0]["expressions"], &tfconfig["resources"]["t.a"]["config"]);
        prop_assert_eq!(&config["module_calls"]["m"]["expressions"], &tfconfig["module_calls"]["m"]["config"]);
        prop_assert_eq!(&config["variables"]["v"]["default"], &tfconfig["variables"]["v"]["default"]);
        prop_assert_eq!(&config["outputs"]["o"]["expression"], &tfconfig["outputs"]["o"]["value"]);
    }

    #[test]
    fn any_document_is_written_whole_or_refused(
        before in object(), after in object(), secret in node(),
        at in any::<prop::sample::Index>(), len in 0..12_usize, instead in r#"[\[\]{}",:0-9a-z]{0,6}"#,
    ) {
        let mut text = plan(&before, &after, &secret).to_string();
        let from = at.index(text.len());
        text.replace_range(from..(from + len).min(text.len()), &instead);
        let Ok(plan) = Plan::parse(&text) else { return Ok(()) };
        if let (Ok(tfplan), Ok(tfconfig)) = (TfPlan::new(&plan), TfConfig::new(&plan)) {
            let is_json = serde_json::from_str::<Value>(&text).is_ok();
            let written = serde_json::to_string(&Exact(&tfplan)).and(serde_json::to_string(&Exact(&tfconfig)));
            prop_assert!(written.is_ok() || !is_json || text.contains("depends_on"), "{:?}", written);
            _ = serde_json::to_string(&Redacted(&tfplan));
            _ = serde_json::to_string(&Redacted(&tfconfig));
        }
    }
}
