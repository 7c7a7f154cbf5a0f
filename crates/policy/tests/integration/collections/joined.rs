//! A mark in one section of a plan hides the value in all.

use objchange_document::Plan;
use objchange_policy::tfconfig::TfConfig;
use objchange_policy::tfplan::TfPlan;
use objchange_policy::tfstate::TfState;
use objchange_policy::{Collected, Redacted};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::collections::random::{Node, SECRET, object};

/// The sections that say what is sensitive.
const SECTIONS: [&str; 8] =
    ["before", "after", "drift before", "drift after", "deferred", "planned", "prior", "moved"];

/// A plan with the value in all sections, and marks in one of them.
fn plan(node: &Node, section: &str) -> Value {
    let (value, marks) = (node.value(), node.sensitive());
    let of = |name: &str| if name == section { marks.clone() } else { json!({}) };
    let resource = |address: &str, part: Value| {
        let mut resource = json!({"address": address, "mode": "managed", "type": "t", "name": "a",
            "provider_name": "p"});
        resource.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        resource
    };
    let change = |before: &str, after: &str| {
        json!({"change": {"actions": ["delete", "create"], "before": value, "after": value, "after_unknown": {},
            "before_sensitive": of(before), "after_sensitive": of(after)}})
    };
    let state = |address: &str, name: &str| {
        let values = json!({"values": value, "sensitive_values": of(name), "schema_version": 0});
        json!({"root_module": {"child_modules": [
            {"address": "module.m", "resources": [resource(address, values)]}]}})
    };
    let mut changed = resource("module.m.t.a", change("before", "after"));
    changed["previous_address"] = json!("module.m.t.old");
    json!({
        "format_version": "1.2",
        "planned_values": state("module.m.t.a", "planned"),
        "resource_changes": [changed],
        "resource_drift": [resource("module.m.t.a", change("drift before", "drift after")),
            resource("module.m.t.old", change("moved", ""))],
        "deferred_changes": [{"reason": "absent_prereq", "resource_change":
            resource("module.m.t.a", change("deferred", ""))}],
        "prior_state": {"format_version": "1.0", "values": state("module.m.t.a", "prior")},
        "configuration": {"root_module": {"module_calls": {"m": {"source": "./m", "module": {"resources": [
            resource("t.a", json!({"expressions": value.as_ref().unwrap().as_object().unwrap().iter()
                .map(|(name, value)| (name.clone(), json!({"constant_value": value})))
                .collect::<serde_json::Map<_, _>>()}))]}}}}},
    })
}

fn assert_hidden(section: &str, of: &impl Collected) -> Result<(), TestCaseError> {
    let text = serde_json::to_string(&Redacted(of)).unwrap();
    prop_assert!(!text.contains(SECRET), "{section}: {text}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_one_section_calls_sensitive_is_hidden_in_all(node in object()) {
        let node = node.known().planted();
        for section in SECTIONS {
            let text = plan(&node, section).to_string();
            let plan = Plan::parse(&text).unwrap();
            let tfplan = TfPlan::new(&plan).unwrap();
            assert_hidden(section, &tfplan)?;
            assert_hidden(section, &tfplan.raw)?;
            assert_hidden(section, &TfConfig::new(&plan).unwrap())?;
            assert_hidden(section, &TfState::prior(&plan).unwrap())?;
        }
    }
}

#[test]
fn outputs_are_hidden_in_all_sections_that_repeat_them() {
    for section in ["planned", "prior", "change", "configuration"] {
        let of = |name: &str| name == section;
        let output = |name: &str| json!({"o": {"sensitive": of(name), "type": "string", "value": SECRET}});
        let text = json!({
            "format_version": "1.2",
            "planned_values": {"outputs": output("planned"), "root_module": {}},
            "output_changes": {"o": {"actions": ["update"], "before": SECRET, "after": SECRET,
                "after_unknown": false, "before_sensitive": of("change"), "after_sensitive": of("change")}},
            "prior_state": {"format_version": "1.0", "values": {"outputs": output("prior"), "root_module": {}}},
            "configuration": {"root_module": {"outputs": {"o": {"sensitive": of("configuration"),
                "expression": {"references": ["var.a"]}}}}},
        });
        let text = text.to_string();
        let plan = Plan::parse(&text).unwrap();
        let tfplan = TfPlan::new(&plan).unwrap();
        for text in [
            serde_json::to_string(&Redacted(&tfplan)).unwrap(),
            serde_json::to_string(&Redacted(&TfState::prior(&plan).unwrap())).unwrap(),
        ] {
            assert!(!text.contains(SECRET), "{section}: {text}");
        }
    }
}

/// Other instances of the resource show what only one of them hides.
#[test]
fn instances_are_told_apart() {
    let resource = |key: &str, marks: Value| {
        json!({"address": format!("t.a[\"{key}\"]"), "mode": "managed", "type": "t", "name": "a", "index": key,
            "provider_name": "p", "values": {"size": format!("value of {key}")}, "sensitive_values": {},
            "change": {"actions": ["create"], "before": null, "after": {"size": format!("value of {key}")},
                "after_unknown": {}, "before_sensitive": false, "after_sensitive": marks}})
    };
    let resources = [resource("one", json!({"size": true})), resource("two", json!({}))];
    let text = json!({"format_version": "1.2", "resource_changes": resources,
        "planned_values": {"root_module": {"resources": resources}}})
    .to_string();
    let plan = Plan::parse(&text).unwrap();
    let written = serde_json::to_string(&Redacted(&TfPlan::new(&plan).unwrap())).unwrap();
    assert!(!written.contains("value of one") && written.contains("value of two"), "{written}");
}
