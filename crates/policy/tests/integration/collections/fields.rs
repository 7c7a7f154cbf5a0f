//! Every field of every collection, as another reading of the document has it.

use objchange_document::{Document, Plan};
use objchange_policy::tfconfig::TfConfig;
use objchange_policy::tfplan::TfPlan;
use objchange_policy::tfstate::TfState;
use objchange_policy::{Collected, Exact};
use serde_json::Value;

use crate::collections::{documents, reading};

#[track_caller]
pub(crate) fn written(of: &impl Collected) -> Value {
    let text = serde_json::to_string(&Exact(of)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Where two values differ first.
fn difference(path: &str, wanted: &Value, got: &Value) -> String {
    match (wanted, got) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys()).find(|key| a.get(*key) != b.get(*key));
            match keys {
                Some(key) if a.contains_key(key) && b.contains_key(key) => {
                    difference(&format!("{path}.{key}"), &a[key], &b[key])
                }
                key => format!("{path}: only one side has {key:?}"),
            }
        }
        _ => format!("{path}: {wanted} and not {got}"),
    }
}

#[track_caller]
pub(crate) fn assert_same(name: &str, wanted: &Value, got: &Value) {
    assert!(wanted == got, "{name}: {}", difference("", wanted, got));
}

#[track_caller]
pub(crate) fn check_plan(name: &str, text: &str) {
    let document: Value = serde_json::from_str(text).unwrap();
    let plan = Plan::parse(text).unwrap();
    let tfplan = TfPlan::new(&plan).unwrap();
    assert_same(&format!("{name}: tfplan"), &reading::tfplan(&document), &written(&tfplan));
    let prior = &document["prior_state"];
    let wanted = reading::tfstate(&prior["values"], &prior["terraform_version"]);
    assert_same(&format!("{name}: tfstate"), &wanted, &written(&TfState::prior(&plan).unwrap()));
    let wanted = reading::tfconfig(&document["configuration"]);
    assert_same(&format!("{name}: tfconfig"), &wanted, &written(&TfConfig::new(&plan).unwrap()));

    // The order of lists is that of the document.
    let listed: Vec<&str> = tfplan.resource_changes.values().map(|change| change.address.as_str()).collect();
    let changes = document["resource_changes"].as_array();
    let wanted = changes.into_iter().flatten().map(|change| change["address"].as_str().unwrap());
    assert!(wanted.eq(listed), "{name}");
    for (key, change) in tfplan.resource_changes.iter() {
        assert!(std::ptr::eq(tfplan.resource_changes.get(key).unwrap(), change));
        assert_eq!(*change.key(), *key);
    }
    let all = tfplan.resource_changes.values().filter(|_| true).count();
    assert_eq!((all, all), (tfplan.resource_changes.len(), tfplan.resource_changes.keys().len()));
}

#[track_caller]
fn check_state(name: &str, text: &str) {
    let document: Value = serde_json::from_str(text).unwrap();
    let Document::State(state) = Document::parse(text).unwrap() else { panic!("{name} is no state") };
    let wanted = reading::tfstate(&document["values"], &document["terraform_version"]);
    assert_same(name, &wanted, &written(&TfState::new(state).unwrap()));
}

#[test]
fn every_field_is_what_the_document_says() {
    let (mut plans, mut states) = (0, 0);
    for (name, text) in documents::all() {
        // Some documents are there to show how they fail.
        match Document::parse(&text) {
            Ok(Document::Plan(_)) => {
                check_plan(&name, &text);
                plans += 1;
            }
            _ => {
                let is_state = objchange_document::State::parse(&text).is_ok();
                assert!(is_state, "{name}");
                if matches!(Document::parse(&text), Ok(Document::State(_))) {
                    check_state(&name, &text);
                    states += 1;
                }
            }
        }
    }
    assert!(plans > 100 && states > 2, "{plans} {states}");
}
