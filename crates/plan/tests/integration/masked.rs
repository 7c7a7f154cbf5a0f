//! Values of masked names are in nothing that is made of a plan or state.

use objchange_document::changes::Importing;
use objchange_document::{MaskedNames, PlanFile, Schemas};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::properties::{MARKER, outputs};

fn masked() -> MaskedNames {
    MaskedNames::new(["*password*".parse().unwrap()])
}

/// A value with secrets where names say so, and nowhere else.
fn any_value() -> impl Strategy<Value = Value> {
    let secret = "[a-c]{0,2}".prop_map(|rest| format!("{MARKER}{rest}"));
    let text = prop_oneof![
        Just("x".to_owned()),
        secret.clone().prop_map(|secret| format!("user: a\npassword: {secret}\n")),
        secret.clone().prop_map(|secret| format!("DB_PASSWORD={secret}")),
        secret.clone().prop_map(|secret| json!({"a": [{"Password": secret}]}).to_string()),
    ];
    let leaf = prop_oneof![Just(Value::Null), Just(json!(1)), text.prop_map(Value::from)];
    leaf.prop_recursive(3, 16, 3, move |inner| {
        let named = secret.clone().prop_map(|secret| json!({"name": "db-password", "value": secret}));
        let keyed =
            secret.clone().prop_map(|secret| json!({"key": "password", "value": [secret], "other": 1}));
        let hidden = prop_oneof![
            secret.clone().prop_map(Value::from),
            secret.clone().prop_map(|secret| json!({"a": [secret]})),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-d]|id|tags", inner, 0..4).prop_map(|members| json!(members)),
            prop::collection::btree_map("[a-d]|db_password|PASSWORD", hidden, 0..4)
                .prop_map(|members| members.into_iter().filter(|(name, _)| name.len() > 1).collect()),
            named,
            keyed,
        ]
    })
}

/// An object with such a value in it.
fn any_object() -> impl Strategy<Value = Value> {
    (any_value(), any_value())
        .prop_map(|(a, b)| json!({"id": "1", "a": a, "b": b, "password": format!("{MARKER}!")}))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_masked_value_is_in_no_output(
        before in any_object(), after in any_object(), output in any_value(),
        actions in prop::sample::select(vec![json!(["update"]), json!(["delete", "create"]), json!(["create"])]),
    ) {
        let resource = |name: &str, value: &Value| {
            let mut resource = json!({"address": "t.r", "mode": "managed", "type": "t", "name": "r", "provider_name": "p"});
            resource[name] = value.clone();
            resource
        };
        let change = json!({"actions": actions, "before": before, "after": after, "after_unknown": {},
            "before_sensitive": {}, "after_sensitive": {}});
        let outside = json!({"actions": ["update"], "before": after, "after": before, "after_unknown": {},
            "before_sensitive": {}, "after_sensitive": {}});
        let plan = json!({"format_version": "1.2", "resource_changes": [resource("change", &change)],
            "resource_drift": [resource("change", &outside)],
            "output_changes": {
                "password": {"actions": ["create"], "before": null, "after": MARKER, "after_sensitive": false},
                "o": {"actions": ["create"], "before": null, "after": output, "after_sensitive": false}},
            "planned_values": {"root_module": {"resources": [resource("values", &after)]}},
            "configuration": {"root_module": {"resources": [{"address": "t.c", "mode": "managed", "type": "t", "name": "c",
                    "expressions": {"a": {"constant_value": before}, "password": {"constant_value": MARKER}}}],
                "module_calls": {"m": {"expressions": {"password": {"constant_value": {"a": [MARKER]}}},
                    "module": {"resources": [{"address": "t.c", "mode": "managed", "type": "t", "name": "c",
                        "expressions": {"block": [{"db_password": {"constant_value": MARKER}}]}}]}}}}}});
        let values = json!({"outputs": {"o": {"value": output}, "db_password": {"value": MARKER}},
            "root_module": {"child_modules": [{"resources": [resource("values", &before)]}]}});
        let state = json!({"format_version": "1.0", "values": values});
        let file = json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x",
            "outputs": {"o": {"value": output, "type": "dynamic"}}, "resources": [{"mode": "managed", "type": "t",
                "name": "r", "provider": "provider[\"p\"]", "instances": [{"attributes": before}]}]});
        for document in [plan, state, file] {
            let read = PlanFile::parse("plan.json", document.to_string()).unwrap();
            let read = read.with_masked_names(&masked()).unwrap();
            for output in outputs(read.text(), &Schemas::none()) {
                prop_assert!(!output.contains(MARKER), "{document}\n{output}");
            }
            if read.is_plan() {
                prop_assert!(!read.redacted().unwrap().contains(MARKER), "{document}");
            }
            // Marks that are there already stay as they are. State files have lists of paths, which may repeat one.
            if document.get("version").is_none() {
                let text = read.text().to_owned();
                let again = read.with_masked_names(&masked()).unwrap();
                prop_assert_eq!(again.text(), text);
            }
        }
    }
}

fn importing(file: &PlanFile) -> Importing<'_> {
    file.plan().unwrap().changes.resources[0].change.importing.clone().unwrap()
}

#[test]
fn identities_of_masked_names_are_hidden_and_compared() {
    let plan = |secret: &str| {
        json!({"format_version": "1.2", "resource_changes": [{"address": "t.r", "mode": "managed", "type": "t", "name": "r",
            "provider_name": "p", "change": {"actions": ["no-op"], "before": {}, "after": {},
                "importing": {"identity": {"id": "a", "password": secret}}, "before_identity": {"password": secret},
                "after_identity": {"password": secret}}}]})
    };
    let read = |secret: &str| {
        let read = PlanFile::parse("plan.json", plan(secret).to_string()).unwrap();
        read.with_masked_names(&masked()).unwrap()
    };
    let (one, other) = (read(MARKER), read("other"));
    let shown = outputs(one.text(), &Schemas::none()).concat();
    assert!(!one.redacted().unwrap().contains(MARKER));
    assert!(shown.contains(MARKER), "without the names nothing is hidden");
    assert_eq!(importing(&one).identity.as_deref(), Some(r#"{"id":"a","password":"(sensitive value)"}"#));
    assert!(!format!("{:?}", importing(&one)).contains(MARKER));
    assert!(importing(&one).whole_identity().is_some_and(|identity| identity.contains(MARKER)));
    assert_ne!(importing(&one), importing(&other));
}

#[test]
fn constants_that_no_value_repeats_are_taken_out_of_redacted_plans() {
    let resource = |address: &str, expressions: Value| json!({"address": address, "mode": "managed", "type": "t", "name": "r", "expressions": expressions});
    let constant = json!({"constant_value": MARKER});
    let inner = json!({"variables": {"key": {"sensitive": true}, "password": {}}, "resources": [
        resource("t.r", json!({"block": [{"db_password": constant}], "pin": constant, "size": {"constant_value": "large"}}))]});
    let plan = json!({"format_version": "1.2", "resource_changes": [], "configuration": {"root_module": {
        "resources": [resource("t.r", json!({"password": constant, "tags": {"constant_value": {"a": "x", "PASSWORD": MARKER}}}))],
        "module_calls": {"m": {"module": inner, "expressions": {"key": constant, "password": constant,
            "name": {"constant_value": "web"}}}}}}});
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"p":{"resource_schemas":{"t":{"version":0,"block":{
        "attributes":{"pin":{"type":"string","optional":true,"sensitive":true}}}}}}}}"#;
    let schemas = std::sync::Arc::new(Schemas::parse(schemas).unwrap());
    let read = PlanFile::parse("plan.json", plan.to_string()).unwrap().with_schemas(&schemas).unwrap();
    let text = read.with_masked_names(&masked()).unwrap().redacted().unwrap();
    assert!(!text.contains(MARKER), "{text}");
    assert!(text.contains("large") && text.contains("web") && text.contains(r#""a":"x""#), "{text}");
}

#[test]
fn a_name_that_hides_nothing_is_told() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{"db_password":{"actions":["create"],
        "before":null,"after":"x"}}}"#;
    let names = MaskedNames::new(["nosuch*", "*password*", "db_*"].map(|name| name.parse().unwrap()));
    PlanFile::parse("plan.json", plan.into()).unwrap().with_masked_names(&names).unwrap();
    assert_eq!(names.unused().map(ToString::to_string).collect::<Vec<_>>(), ["nosuch*"]);
}

#[test]
fn masks_leave_the_plan_as_it_is() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{}}"#;
    let read = PlanFile::parse("plan.json", plan.into()).unwrap();
    assert_eq!(read.clone().with_masked_names(&masked()).unwrap().text(), plan);
    assert_eq!(read.with_masked_names(&MaskedNames::default()).unwrap().text(), plan);
}

#[test]
fn a_masked_value_stays_hidden_where_it_becomes_unknown() {
    let plan = json!({"format_version": "1.2", "resource_changes": [{"address": "t.r", "mode": "managed", "type": "t",
        "name": "r", "provider_name": "p", "change": {"actions": ["update"],
            "before": {"password": MARKER, "env": [{"name": "DB_PASSWORD", "value": MARKER}, {"name": "A", "value": "a"}]},
            "after": {"env": [{"name": "DB_PASSWORD"}, {"name": "A", "value": "b"}]},
            "after_unknown": {"password": true, "env": [{"value": true}, {}]},
            "before_sensitive": {}, "after_sensitive": {}}}]});
    let read = PlanFile::parse("plan.json", plan.to_string()).unwrap().with_masked_names(&masked()).unwrap();
    let marks = r#"_sensitive":{"password":true,"env":[{"value":true},false]}"#;
    let sorted = r#"_sensitive":{"env":[{"value":true},false],"password":true}"#;
    let found = read.text().matches(marks).count() + read.text().matches(sorted).count();
    assert_eq!(found, 2, "{}", read.text());
    for output in outputs(read.text(), &Schemas::none()) {
        assert!(!output.contains("no longer be marked"), "{output}");
    }
}

/// Keys of a sensitive value are as sensitive as it is.
#[test]
fn a_value_that_one_section_marks_is_taken_out_of_all_in_redacted_plans() {
    // Too short to be looked for in other texts.
    let values = json!({"pin": "1234", "open": "5678"});
    let change = |marks: Value| {
        json!({"actions": ["create"], "before": null, "after": values, "after_unknown": {}, "before_sensitive": false,
            "after_sensitive": marks})
    };
    let resource = |more: (&str, Value)| {
        let mut entry =
            json!({"address": "t.a", "mode": "managed", "type": "t", "name": "a", "provider_name": "p"});
        entry[more.0] = more.1;
        entry
    };
    let planned = |marks: Value| {
        let mut planned = resource(("values", values.clone()));
        planned["sensitive_values"] = marks;
        json!({"root_module": {"resources": [planned]}, "outputs": {"pin": {"sensitive": false, "value": "1234"}}})
    };
    for (of_change, of_state) in [(json!({"pin": true}), json!({})), (json!({}), json!({"pin": true}))] {
        let document = json!({"format_version": "1.2", "planned_values": planned(of_state),
            "resource_changes": [resource(("change", change(of_change)))],
            "output_changes": {"pin": {"actions": ["create"], "before": null, "after": "1234", "after_unknown": false,
                "before_sensitive": true, "after_sensitive": true}}});
        let text = PlanFile::parse("plan.json", document.to_string()).unwrap().redacted().unwrap();
        assert!(!text.contains("1234") && text.matches("5678").count() == 2, "{text}");
    }
}

#[test]
fn paths_into_sensitive_values_are_cut_in_redacted_plans() {
    let change = |sensitive: Value| {
        json!({"format_version": "1.2", "resource_changes": [{"address": "t.r[0]", "mode": "managed", "type": "t", "name": "r",
            "provider_name": "p", "change": {"actions": ["delete", "create"], "before": {"m": {"KEYSECRET": "x"}, "n": ["a"]},
                "after": {"m": {"KEYSECRET": "y"}, "n": ["b"]}, "after_unknown": {}, "before_sensitive": sensitive,
                "after_sensitive": sensitive, "replace_paths": [["m", "KEYSECRET"], ["n", 0]]}}],
            "relevant_attributes": [{"resource": "t.r", "attribute": ["m", "KEYSECRET"]}]})
    };
    let redacted =
        |sensitive| PlanFile::parse("plan.json", change(sensitive).to_string()).unwrap().redacted().unwrap();
    let hidden = redacted(json!({"m": true}));
    assert!(!hidden.contains("KEYSECRET"), "{hidden}");
    assert!(hidden.contains(r#"["n",0]"#) && hidden.contains(r#"["m","(sensitive value)"]"#), "{hidden}");
    assert_eq!(redacted(json!({})).matches("KEYSECRET").count(), 4);
}
