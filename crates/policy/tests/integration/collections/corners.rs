//! Documents by hand, for what few real ones have.

use objchange_document::{Document, Index, Plan, State};
use objchange_policy::tfconfig::TfConfig;
use objchange_policy::tfplan::TfPlan;
use objchange_policy::tfstate::TfState;
use objchange_policy::{Exact, Redacted};
use serde_json::{Value, json};

use crate::collections::fields::{assert_same, check_plan, written};

/// A plan with something of everything.
pub(crate) fn everything() -> Value {
    json!({
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "variables": {"zone": {"value": "b"}, "none": {}, "token": {"value": "t0p-s3cret"}},
        "planned_values": {
            "outputs": {
                "known": {"sensitive": false, "type": "string", "value": "x"},
                "null": {"sensitive": false, "value": null},
                "unknown": {"sensitive": true},
            },
            "root_module": {
                "resources": [
                    {"address": "data.t.a", "mode": "data", "type": "t", "name": "a", "provider_name": "p",
                        "values": {"of": "data"}},
                    {"address": "t.a", "mode": "managed", "type": "t", "name": "a", "provider_name": "p",
                        "values": {"of": "managed"}, "sensitive_values": {}},
                    {"address": "t.b", "mode": "managed", "type": "t", "name": "b", "provider_name": "p",
                        "values": {"of": "managed"}, "depends_on": ["t.a"], "tainted": true},
                    {"address": "data.t.b", "mode": "data", "type": "t", "name": "b", "provider_name": "p",
                        "values": {"of": "data"}},
                    {"address": "t.a", "mode": "managed", "type": "t", "name": "a", "provider_name": "p",
                        "values": {"of": "deposed"}, "deposed_key": "abc"},
                ],
                "child_modules": [{
                    "address": "module.m[\"x.y\"]",
                    "child_modules": [{
                        "address": "module.m[\"x.y\"].module.n[1]",
                        "resources": [{"address": "module.m[\"x.y\"].module.n[1].data.t.c[2]", "mode": "data",
                            "type": "t", "name": "c", "index": 2, "provider_name": "p"}],
                    }],
                }],
            },
        },
        "resource_changes": [
            change("t.z", json!({}), json!({"actions": ["no-op"], "before": {"a": 1}, "after": {"a": 1},
                "after_unknown": {}})),
            change("t.a", json!({"deposed": "abc"}), json!({"actions": ["delete"], "before": {"a": 1},
                "after": null, "after_unknown": {}})),
            change("t.a", json!({"deposed": ""}), json!({"actions": ["create", "delete"], "before": {"a": 1},
                "after": {"a": 2}, "after_unknown": {"id": true}})),
            change("module.m[\"x.y\"].t.n[0]", json!({"index": 0, "module_address": "module.m[\"x.y\"]"}),
                json!({"actions": ["forget"], "before": {}, "after": null})),
            change("t.k[\"a.b\"]", json!({"index": "a.b"}), json!({"actions": ["create", "forget"],
                "before": {}, "after": {}, "after_unknown": {"l": [{"id": true}, {}]}})),
            change("data.t.d", json!({"mode": "data"}), json!({"actions": ["read"], "before": null,
                "after": {}, "after_unknown": {"id": true}})),
        ],
        "resource_drift": [change("t.a", json!({}), json!({"actions": ["update"], "before": {"a": 0},
            "after": {"a": 1}, "after_unknown": {}}))],
        "output_changes": {
            "unknown": {"actions": ["create"], "before": null, "after_unknown": true},
            "partly": {"actions": ["update"], "before": null, "after": {"a": 1}, "after_unknown": {"b": true}},
            "gone": {"actions": ["delete"], "before": 1, "after": null, "after_unknown": false},
        },
        "prior_state": {
            "format_version": "1.0", "terraform_version": "1.9.0",
            "values": {"root_module": {"resources": [{"address": "t.a", "mode": "managed", "type": "t",
                "name": "a", "provider_name": "p", "values": {"a": 0}}]}},
        },
        "configuration": {
            "provider_config": {
                "aws": {"name": "aws", "full_name": "registry.terraform.io/hashicorp/aws",
                    "version_constraint": "~> 5.0", "expressions": {"region": {"constant_value": "eu"}}},
                "module.m:aws.west": {"name": "aws", "alias": "west", "module_address": "module.m"},
            },
            "root_module": {
                "variables": {
                    "token": {"sensitive": true, "default": "t0p-s3cret", "description": "secret"},
                    "zone": {"default": null},
                },
                "outputs": {"known": {"expression": {"references": ["t.a"]}, "depends_on": ["t.b"]}},
                "resources": [{"address": "t.a", "mode": "managed", "type": "t", "name": "a",
                    "provider_config_key": "aws",
                    "provisioners": [{"type": "local-exec", "expressions": {"command": {}}}, {"type": "file"}],
                    "expressions": {"a": {"constant_value": 1}}, "count_expression": {"constant_value": 2}}],
                "module_calls": {"m": {
                    "source": "./m", "version_constraint": "1.0", "for_each_expression": {"references": ["x"]},
                    "expressions": {"pass": {"constant_value": "t0p-s3cret"}, "name": {"constant_value": "n"}},
                    "depends_on": ["t.a"],
                    "module": {
                        "variables": {"pass": {"sensitive": true}, "name": {}},
                        "outputs": {"o": {"sensitive": true, "expression": {"constant_value": "t0p-s3cret"}}},
                        "module_calls": {"n": {"source": "./n", "module": {"resources": [
                            {"address": "data.t.c", "mode": "data", "type": "t", "name": "c",
                                "provider_config_key": "aws", "schema_version": 0},
                        ]}}},
                    },
                }},
            },
        },
    })
}

fn change(address: &str, more: Value, change: Value) -> Value {
    let mut resource = json!({"address": address, "mode": "managed", "type": "t", "name": "n",
        "provider_name": "registry.terraform.io/hashicorp/t"});
    let (Value::Object(resource_members), Value::Object(more)) = (&mut resource, more) else { panic!() };
    resource_members.extend(more);
    resource["change"] = change;
    resource
}

/// The one of the test is read from text, so that lists stay in their order and members are as the crate has them.
fn with_plan(check: impl FnOnce(&Plan<'_>)) {
    let text = everything().to_string();
    check(&Plan::parse(&text).unwrap());
}

#[test]
fn a_plan_with_something_of_everything_has_every_field() {
    check_everything();
}

#[track_caller]
fn check_everything() {
    let text = everything().to_string();
    check_plan("everything", &text);
}

#[test]
fn keys_are_those_that_policies_use() {
    with_plan(|plan| {
        let tfplan = TfPlan::new(plan).unwrap();
        let keys: Vec<&str> = tfplan.resource_changes.keys().collect();
        let expected = ["t.z", "t.a:abc", "t.a", "module.m[\"x.y\"].t.n[0]", "t.k[\"a.b\"]", "data.t.d"];
        assert_eq!(keys, expected);
        let index = |key: &str| tfplan.resource_changes.get(key).unwrap().index.clone();
        assert_eq!(index("t.z"), None);
        assert_eq!(index("t.k[\"a.b\"]"), Some(Index::Key("a.b".into())));
        assert_eq!(index("module.m[\"x.y\"].t.n[0]"), Some(Index::Number("0".into())));

        let planned: Vec<&str> = tfplan.planned_values.resources.keys().collect();
        assert_eq!(planned, ["t.a", "t.b", "t.a:abc", "module.m[\"x.y\"].module.n[1].t.c[2]"]);
        for key in ["t.a", "t.b"] {
            let resource = tfplan.planned_values.resources.get(key).unwrap();
            assert_eq!((&*resource.mode, resource.tainted), ("managed", key == "t.b"));
        }

        let config = TfConfig::new(plan).unwrap();
        let keys = |keys: &mut dyn Iterator<Item = &str>| keys.map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(keys(&mut config.providers.keys()), ["aws", "module.m:aws.west"]);
        assert_eq!(keys(&mut config.resources.keys()), ["t.a", "module.m.module.n.data.t.c"]);
        assert_eq!(keys(&mut config.provisioners.keys()), ["t.a:0", "t.a:1"]);
        assert_eq!(keys(&mut config.variables.keys()), ["token", "zone", "module.m:name", "module.m:pass"]);
        assert_eq!(keys(&mut config.module_calls.keys()), ["m", "module.m:n"]);
        let data = config.resources.get("module.m.module.n.data.t.c").unwrap();
        assert_eq!(&*data.provider_config_key, "module.m.module.n:aws");
    });
}

#[test]
fn an_output_that_is_unknown_has_no_value() {
    with_plan(|plan| {
        let tfplan = TfPlan::new(plan).unwrap();
        let unknown = tfplan.output_changes.get("unknown").unwrap();
        assert_eq!(
            written(unknown),
            json!({"name": "unknown", "change": {"actions": ["create"], "before": null, "after_unknown": true}})
        );
        assert!(unknown.change.after().unwrap().answer().is_unknown());
        assert!(tfplan.planned_values.outputs.get("unknown").unwrap().value().unwrap().is_none());
        let null = tfplan.planned_values.outputs.get("null").unwrap();
        assert!(null.value().unwrap().unwrap().exact().unwrap().is_null());
    });
}

#[test]
fn what_the_configuration_calls_sensitive_is_hidden_wherever_it_stands() {
    with_plan(|plan| {
        let tfplan = serde_json::to_string(&Redacted(&TfPlan::new(plan).unwrap())).unwrap();
        let tfconfig = serde_json::to_string(&Redacted(&TfConfig::new(plan).unwrap())).unwrap();
        for text in [&tfplan, &tfconfig] {
            assert!(!text.contains("t0p-s3cret"), "{text}");
        }
        assert!(tfplan.contains(r#""token":{"name":"token","value":"(sensitive value)"}"#), "{tfplan}");
        assert!(tfconfig.contains(r#""name":{"constant_value":"n"}"#), "{tfconfig}");
        let debug = format!("{:?} {:#?}", TfPlan::new(plan).unwrap(), TfConfig::new(plan).unwrap());
        assert!(!debug.contains("t0p-s3cret"), "{debug}");
    });
}

#[test]
fn without_its_members_a_plan_has_empty_collections() {
    let text = r#"{"format_version":"1.2"}"#;
    let plan = Plan::parse(text).unwrap();
    let tfplan = TfPlan::new(&plan).unwrap();
    let expected = json!({"variables": {}, "planned_values": {"outputs": {}, "resources": {}},
        "resource_changes": {}, "resource_drift": {}, "output_changes": {}, "raw": {"format_version": "1.2"}});
    assert_same("empty", &expected, &written(&tfplan));
    assert_eq!(tfplan.raw.exact(), text);
    assert_eq!(written(&TfState::prior(&plan).unwrap()), json!({"outputs": {}, "resources": {}}));
}

#[test]
fn a_state_file_has_the_collections_of_what_is_shown_of_it() {
    let file = include_str!("../../../../plan/tests/integration/state/terraform.tfstate");
    let shown = include_str!("../../../../plan/tests/integration/state/shown.json");
    let tfstate = |text: &str| {
        let Document::State(state) = Document::parse(text).unwrap() else { panic!("this is a state") };
        let tfstate = TfState::new(state).unwrap();
        [json!(Exact(&tfstate)), json!(Redacted(&tfstate))]
    };
    let [file, shown] = [tfstate(file), tfstate(shown)];
    assert_same("exact", &shown[0], &file[0]);
    assert_same("redacted", &shown[1], &file[1]);
}

#[test]
fn numbers_keep_their_digits() {
    let numbers = "[0,-0,1,-1,1.0,1.50,1e3,0.1,18446744073709551615,-9223372036854775808,\
        123456789012345678901234567890,3.14159265358979323846264338327950288]";
    let text = format!(
        r#"{{"format_version":"1.2","variables":{{"n":{{"value":{numbers}}}}},"resource_changes":[{{"address":"t.a[00]",
        "index":123456789012345678901234567890,"change":{{"actions":["create"],"before":null,"after":{{"n":{numbers}}}}}}}]}}"#
    );
    let plan = Plan::parse(&text).unwrap();
    let tfplan = TfPlan::new(&plan).unwrap();
    for written in
        [serde_json::to_string(&Exact(&tfplan)).unwrap(), serde_json::to_string(&Redacted(&tfplan)).unwrap()]
    {
        // In the variable and the change, and in the document both of these again.
        assert_eq!(written.matches(numbers).count(), 4, "{written}");
        assert_eq!(written.matches(r#""index":123456789012345678901234567890"#).count(), 2);
    }
    let full = tfplan.resource_changes.get("t.a[00]").unwrap().change.after().unwrap().full();
    assert_eq!(serde_json::to_string(&Exact(&full)).unwrap(), format!(r#"{{"n":{numbers}}}"#));
}

#[test]
fn errors_say_where() {
    let error = |text: &str| TfPlan::new(&Plan::parse(text).unwrap()).unwrap_err().to_string();
    let index = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a","index":[1],"change":{"actions":["no-op"]}}]}"#;
    assert_eq!(error(index), "line 1, column 70: t.a: index: an index is a number or a string");
    let planned = r#"{"format_version":"1.2","planned_values":{"root_module":[]}}"#;
    assert!(error(planned).starts_with("line 1, column 57: planned_values: "), "{}", error(planned));

    let text = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a","change":{"actions":["create"],"after":{"a":tru}}}]}"#;
    let plan = Plan::parse(text).unwrap();
    let tfplan = TfPlan::new(&plan).unwrap();
    let change = &tfplan.resource_changes.get("t.a").unwrap().change;
    let error = change.after().unwrap_err().to_string();
    assert!(error.starts_with("line 1, column 106: t.a: change.after: "), "{error}");
    assert!(serde_json::to_string(&Exact(change)).unwrap_err().to_string().contains(&error));
}

/// How deep modules nest is not ours to choose: in states they may as they like, in a configuration an error says so.
#[test]
fn modules_that_nest_deeply_are_read_or_refused_on_a_small_stack() {
    let deep = |levels: usize| {
        let open = r#"{"resources":[{"type":"t","name":"a"}],"child_modules":["#.repeat(levels);
        let state = format!("{open}{{}}{}", "]}".repeat(levels));
        let open = r#"{"module_calls":{"m":{"module":"#.repeat(levels);
        let config = format!("{open}{{}}{}", "}}}".repeat(levels));
        (state, config)
    };
    let test = move || {
        let (state, config) = deep(20_000);
        let state = format!(r#"{{"format_version":"1.0","values":{{"root_module":{state}}}}}"#);
        assert_eq!(TfState::new(State::parse(&state).unwrap()).unwrap().resources.len(), 1);
        for (levels, is_read) in [(66, true), (20_000, false)] {
            let (_, config) = if levels == 66 { deep(66) } else { (String::new(), config.clone()) };
            let text = format!(r#"{{"format_version":"1.2","configuration":{{"root_module":{config}}}}}"#);
            let plan = Plan::parse(&text).unwrap();
            match TfConfig::new(&plan) {
                Ok(config) => assert!(is_read && config.module_calls.len() == levels),
                Err(error) => assert!(!is_read && error.to_string().contains("too deeply"), "{error}"),
            }
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap().join().unwrap();
}

#[test]
fn collections_are_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<TfPlan<'_>>();
    is_shared::<TfState<'_>>();
    is_shared::<TfConfig<'_>>();
}
