use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Redacted;
use crate::tfconfig::TfConfig;
use crate::tfplan::TfPlan;
use crate::tfstate::TfState;
use objchange::address::strip_keys;
use objchange::schema::ProviderSchemas;
use objchange_document::{ConfigMarks, Document, Plan};
use objchange_sentinel::{Policy, Run, Setup, Source, Value};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{File, mocks as of};

fn mocks(plan: &str) -> Vec<File> {
    of(&Document::parse(plan).unwrap(), None).unwrap()
}

/// The members that a policy reads from a mock.
fn read(files: &[File], import: &str, names: impl Iterator<Item = String>) -> BTreeMap<String, Json> {
    let file = files.iter().find(|file| file.import == import).unwrap();
    let text = std::str::from_utf8(&file.text).unwrap();
    let mock = Policy::parse(file.name, text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let setup = Setup::default();
    let mut run = Run::new(&mock, &setup);
    assert_eq!(run.error(), None, "{text}");
    let read = |name: String| Some((name.clone(), run.value(&name).unwrap()?.to_json()?));
    names.filter_map(read).collect()
}

/// The members of the import. Integers beyond Sentinel's range are floats.
fn given<T: Serialize>(collections: &T) -> BTreeMap<String, Json> {
    let Json::Object(members) = serde_json::to_value(collections).unwrap() else { panic!() };
    members.into_iter().map(|(name, value)| (name, Value::from_json(&value).to_json().unwrap())).collect()
}

#[track_caller]
fn check(plan: &str) -> Result<(), TestCaseError> {
    let files = mocks(plan);
    let parsed = Plan::parse(plan).unwrap();
    let marks = || ConfigMarks::new(&parsed).unwrap().hiding_providers(&ProviderSchemas::default());
    let mut tfplan = TfPlan::new(&parsed).unwrap();
    tfplan.raw = tfplan.raw.with_marks(marks());
    let collections = [
        ("tfplan/v2", given(&Redacted(&tfplan))),
        ("tfconfig/v2", given(&Redacted(&TfConfig::with_marks(&parsed, &marks()).unwrap()))),
        ("tfstate/v2", given(&Redacted(&TfState::prior(&parsed).unwrap()))),
    ];
    for (import, given) in collections {
        prop_assert_eq!(read(&files, import, given.keys().cloned()), given, "{}", import);
    }
    for file in &files {
        prop_assert!(!String::from_utf8_lossy(&file.text).contains(SECRET), "{}", file.name);
    }
    Ok(())
}

const SECRET: &str = "cr3d3nt14l";

/// A value, and which parts of it are sensitive; only those hold the secret.
fn marked() -> impl Strategy<Value = (Json, Json)> {
    let leaf = prop_oneof![
        Just((json!(null), json!(false))),
        any::<bool>().prop_map(|bool| (json!(bool), json!(false))),
        any::<i64>().prop_map(|int| (json!(int), json!(false))),
        any::<u64>().prop_map(|int| (json!(int), json!(false))),
        any::<f64>().prop_map(|float| (json!(float), json!(false))),
        "[a-z$%{}\"\\\\\\PC\0-\u{1f}]{0,6}".prop_map(|text| (json!(text), json!(false))),
        Just((json!(SECRET), json!(true))),
        Just((json!({"a": [SECRET]}), json!(true))),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let key = "[a-z\"\\\\\\PC\n]{0,4}";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| {
                let (values, marks): (Vec<Json>, Vec<Json>) = items.into_iter().unzip();
                (json!(values), json!(marks))
            }),
            prop::collection::btree_map(key, inner, 0..4).prop_map(|members| {
                let of = |side: fn(&(Json, Json)) -> &Json| -> Json {
                    members.iter().map(|(key, both)| (key.clone(), side(both).clone())).collect()
                };
                (of(|(value, _)| value), of(|(_, marks)| marks))
            }),
        ]
    })
}

fn plan() -> impl Strategy<Value = Json> {
    let address = prop_oneof![Just("disk.a"), Just("disk.b[0]"), Just("module.m[\"x.y\"].disk.c[\"k\"]")];
    let resources = prop::collection::btree_map(address, (marked(), marked()), 0..3);
    let outputs = prop::collection::btree_map("[a-c]", (any::<bool>(), marked()), 0..3);
    let object = |(value, marks): (Json, Json)| (json!({"x": value, "id": "i"}), json!({"x": marks}));
    (resources, outputs, marked(), any::<bool>()).prop_map(move |(resources, outputs, variable, has_state)| {
        let mut changes = Vec::new();
        let mut states = Vec::new();
        for (address, (before, after)) in resources {
            let ((before, before_marks), (after, after_marks)) = (object(before), object(after));
            changes.push(json!({"address": address, "mode": "managed", "type": "disk", "name": "a",
                "provider_name": "p", "change": {"actions": ["update"], "before": before, "after": after,
                "after_unknown": {"size": true}, "before_sensitive": before_marks, "after_sensitive": after_marks}}));
            states.push(json!({"address": address, "mode": "managed", "type": "disk", "name": "a",
                "provider_name": "p", "values": before, "sensitive_values": before_marks}));
        }
        let mut output_changes = serde_json::Map::new();
        let mut planned = serde_json::Map::new();
        for (name, (unknown, (value, marks))) in outputs {
            let is_sensitive = marks.to_string().contains("true");
            let mut change = json!({"actions": ["create"], "before": null, "after_unknown": unknown,
                "before_sensitive": is_sensitive, "after_sensitive": is_sensitive});
            let mut output = json!({"sensitive": is_sensitive});
            if !unknown {
                change["after"] = value.clone();
                output["value"] = value;
            }
            output_changes.insert(name.clone(), change);
            planned.insert(name, output);
        }
        let (variable, marks) = variable;
        let is_sensitive = marks.to_string().contains("true");
        let mut plan = json!({"format_version": "1.2", "terraform_version": "1.9.0",
            "variables": {"v": {"value": variable}},
            "planned_values": {"outputs": planned, "root_module": {"resources": states}},
            "resource_changes": changes, "output_changes": output_changes,
            "configuration": {"provider_config": {"disk": {"name": "disk", "expressions": {"a": {"constant_value": 1}}}},
                "root_module": {"variables": {"v": {"default": variable, "sensitive": is_sensitive}},
                "resources": [{"address": "disk.a", "mode": "managed", "type": "disk", "name": "a",
                    "provider_config_key": "disk", "expressions": {"x": {"references": ["var.v"]}},
                    "provisioners": [{"type": "local-exec", "expressions": {}}]}]}}});
        if has_state {
            plan["prior_state"] = json!({"format_version": "1.0", "terraform_version": "1.8.0",
                "values": {"outputs": planned, "root_module": {"resources": states}}});
        }
        plan
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/proptest-regressions/sentinel/mock.txt"))),
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn mocks_read_back_as_the_imports(plan in plan()) {
        check(&plan.to_string())?;
    }

    #[test]
    fn indexes_are_stripped_as_by_the_import(address in "([a-z.é\\[\\]\"\\\\]|\\[0\\]|\\[\"a.b\\]\"\\]){0,12}") {
        let files = mocks(r#"{"format_version": "1.2", "planned_values": {}}"#);
        let file = files.iter().find(|file| file.import == "tfconfig/v2").unwrap();
        let mock = Policy::parse(file.name, std::str::from_utf8(&file.text).unwrap()).unwrap();
        let text = "import \"tfconfig/v2\" as config\nparam address\nstripped = config.strip_index(address)";
        let policy = Policy::parse("p", text).unwrap();
        let mut setup = Setup::default();
        setup.imports.insert("tfconfig/v2".to_owned(), Source::Module(Arc::clone(&mock)));
        setup.params.insert("address".to_owned(), json!(address));
        let stripped = Run::new(&policy, &setup).value("stripped").unwrap().unwrap();
        prop_assert_eq!(stripped.as_str(), Some(&*strip_keys(&address)));
    }
}

#[test]
fn numbers_beyond_those_of_the_language_are_as_the_import_has_them() {
    let change = |number: &str| {
        format!(
            r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","mode":"managed","type":"a","name":"b",
            "provider_name":"p","change":{{"actions":["create"],"before":null,"after":{{"x":{number}}}}}}}]}}"#
        )
    };
    for number in ["123456789012345678901234567890", "-0", "1e5", "1E+5", "0.10", "-9223372036854775808"] {
        let files = mocks(&change(number));
        let read = read(&files, "tfplan/v2", ["resource_changes".to_owned()].into_iter());
        let expected: f64 = number.parse().unwrap();
        assert_eq!(
            read["resource_changes"]["a.b"]["change"]["after"]["x"].as_f64(),
            Some(expected),
            "{number}"
        );
    }
    // The import has infinity there.
    let text = String::from_utf8(mocks(&change("1e400")).remove(0).text).unwrap();
    assert!(text.contains("\"x\": 1e400,"), "{text}");
    Policy::parse("p", &text).unwrap();
}

#[test]
fn what_nests_deeply_is_read_back() {
    let deep = "[".repeat(120) + &"]".repeat(120);
    let plan =
        format!(r#"{{"format_version":"1.2","planned_values":{{}},"variables":{{"v":{{"value":{deep}}}}}}}"#);
    check(&plan).unwrap();
}

#[test]
fn what_is_unknown_is_undefined() {
    let plan = json!({"format_version": "1.2", "output_changes": {"o": {"actions": ["create"], "before": null,
        "after_unknown": true, "before_sensitive": true, "after_sensitive": true}},
        "planned_values": {"outputs": {"o": {"sensitive": true}}, "root_module": {}}});
    let files = mocks(&plan.to_string());
    let plan = String::from_utf8_lossy(&files[0].text).into_owned();
    let change = "\t\t\"change\": {\n\t\t\t\"actions\": [\n\t\t\t\t\"create\",\n\t\t\t],\n\t\t\t\"before\": null,\n\t\t\t\
                  \"after\": undefined,\n\t\t\t\"after_unknown\": true,\n\t\t},\n";
    assert!(plan.contains(change), "{plan}");
    assert!(plan.contains("\"value\": undefined,\n"), "{plan}");
    let state = String::from_utf8_lossy(&files[2].text).into_owned();
    assert_eq!(state, "terraform_version = undefined\n\noutputs = {}\n\nresources = {}\n");
}
