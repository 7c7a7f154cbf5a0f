//! Secrets do not leave.

use std::sync::Arc;

use objchange_document::PlanFile;
use objchange_sentinel::{Policy, Setup};
use proptest::prelude::*;
use serde_json::json;

use super::super::Document;
use super::{Imports, Judged, judge};

fn judged(policy: &str, plan: &serde_json::Value) -> Judged {
    let policy = Policy::parse("p.sentinel", policy).unwrap_or_else(|errors| panic!("{policy}\n{errors:?}"));
    let plan = Arc::new(Document::new(PlanFile::parse("plan.json", plan.to_string()).unwrap()).unwrap());
    judge(&policy, &Imports::new(&plan, None, None), Setup::default).unwrap()
}

/// A plan that says the secret wherever one may stand.
fn plan(secret: &str) -> serde_json::Value {
    let values = json!({"name": "n", "password": secret, "nested": [{"key": secret, "open": 1}], "map": {"k": secret}});
    let marks = json!({"password": true, "nested": [{"key": true}], "map": true});
    let resource = json!({
        "address": "x.a", "mode": "managed", "type": "x", "name": "a", "provider_name": "p",
        "values": values, "sensitive_values": marks,
    });
    let values_of_state = json!({
        "outputs": {"o": {"sensitive": true, "type": "string", "value": secret}},
        "root_module": {"resources": [resource]},
    });
    json!({
        "format_version": "1.2", "terraform_version": "1.9.0",
        "variables": {"token": {"value": secret}},
        "planned_values": values_of_state,
        "prior_state": {"format_version": "1.0", "terraform_version": "1.9.0", "values": values_of_state},
        "resource_changes": [{
            "address": "x.a", "mode": "managed", "type": "x", "name": "a", "provider_name": "p",
            "change": {
                "actions": ["update"], "before": values, "after": values,
                "after_unknown": {"id": true, "map": {secret: true}},
                "before_sensitive": marks, "after_sensitive": marks,
            },
        }],
        "output_changes": {"o": {
            "actions": ["create"], "before": null, "after": secret, "after_unknown": false,
            "before_sensitive": true, "after_sensitive": true,
        }},
        "configuration": {"root_module": {
            "variables": {"token": {"default": secret, "sensitive": true}},
            "outputs": {"o": {"sensitive": true, "expression": {"constant_value": secret}}},
            "resources": [{
                "address": "x.a", "mode": "managed", "type": "x", "name": "a", "provider_config_key": "x",
                "expressions": {"name": {"constant_value": "n"}, "password": {"constant_value": secret}},
            }],
            "module_calls": {"m": {
                "source": "./m", "expressions": {"token": {"constant_value": secret}},
                "module": {"variables": {"token": {"sensitive": true}}},
            }},
        }},
    })
}

/// Where a policy finds the secret, or what holds it.
const SOURCES: &[&str] = &[
    "rc.change.after.password",
    "rc.change.before.password",
    "rc.change.after.nested[0].key",
    "rc.change.after.map",
    "rc.change.after.map.k",
    "rc.change.after_unknown.map",
    "keys(rc.change.after_unknown.map)",
    "rc.change.after_unknown",
    "rc.change.after",
    "rc.change.after.nested",
    "rc.change",
    "rc",
    "t.resource_changes",
    "values(rc.change.after)",
    "t.variables",
    "t.variables.token.value",
    "t.planned_values.resources[\"x.a\"].values.password",
    "t.planned_values",
    "t.planned_values.outputs.o.value",
    "t.output_changes.o.change.after",
    "t.output_changes",
    "t.raw.resource_changes",
    "t.raw.variables.token.value",
    "t.raw.planned_values",
    "t.raw.output_changes.o.after",
    "t.raw.configuration",
    "t.raw",
    "s.resources[\"x.a\"].values.map",
    "s.resources",
    "s.outputs.o.value",
    "s.outputs",
    "c.variables.token.default",
    "c.variables",
    "c.outputs.o.value",
    "c.resources[\"x.a\"].config.password.constant_value",
    "c.resources",
    "c.module_calls.m.config",
];

/// Expressions made from it.
const MADE: &[&str] = &[
    "e",
    "[e]",
    "[1, {\"k\": [e]}]",
    "{(string(e) else \"k\"): 1}",
    "strings.to_upper(string(e) else \"\")",
    "strings.join([string(e) else \"\", \"x\"], \"-\")",
    "(string(e) else \"\") + \"!\"",
    "(string(e) else \"            \")[1:12]",
    "json.marshal([e])",
    "base64.encode(string(e) else \"\")",
    "strings.split(string(e) else \"\", \"a\")",
    "filter [e] as x { x is e }",
    "map [e, e] as x { [x] }",
    "length(string(e) else \"\")",
    "(string(e) else \"\") matches \"a\"",
    "e is \"x\"",
    "[e][e]",
    "{\"a\": 1}[(string(e) else \"b\")]",
    "func(x) { return x }(e)",
];

/// How it tries to leave.
const SINKS: &[&str] = &[
    "print(v)\nmain = true",
    "print(v)\nprint(\"after\")\nmain = rule { false }",
    "print(\"it is\", v, [v])\nmain = v",
    "error(v)\nmain = true",
    "r = rule { v }\nmain = rule { r is 0 }",
    "r = rule { v }\nmain = r",
    "main = v",
    "main = rule { all [v] as x { false } }",
    "main = rule { all {(string(v) else \"a\"): v} as k, x { k is 0 } }",
    "main = rule { not any {(json.marshal(v) else \"a\"): v} as k, x { true } }",
    "main = rule { length(filter {(json.marshal(v) else \"a\"): v} as k, x { true }) is 0 }",
    "ok = true\nfor {(json.marshal(v) else \"a\"): v} as k, x { ok = false }\nmain = rule { ok }",
    "main = rule { v + 1 }",
    "main = rule { v and true }",
    "x = {}\nx[v] = 1\nr = rule { x }\nmain = rule { r is {} }",
    "x = strings.has_prefix(v, \"a\")\nmain = x",
    "for [1, 2] as i { print(i, v) }\nmain = rule { x }",
];

/// All pieces of so many characters, as they are and as what is made of them may have them.
fn pieces(secret: &str) -> Vec<String> {
    let texts = [secret.to_owned(), secret.to_uppercase()];
    let windows = |text: &String| -> Vec<String> {
        (0..=text.len() - 8).map(|at| text[at..at + 8].to_owned()).collect()
    };
    let encoded = data_encoding_of(secret);
    texts.iter().chain([&encoded]).flat_map(windows).collect()
}

/// The result of `base64.encode`.
fn data_encoding_of(secret: &str) -> String {
    let policy = Policy::parse("e", "import \"base64\"\nparam s\nv = base64.encode(s)").unwrap();
    let mut setup = objchange_sentinel::Setup::default();
    setup.params.insert("s".to_owned(), secret.into());
    let value = objchange_sentinel::Run::new(&policy, &setup).value("v").unwrap().unwrap();
    value.as_str().unwrap().to_owned()
}

fn check(secret: &str, source: &str, made: &str, sink: &str) {
    let policy = format!(
        "import \"tfplan/v2\" as t\nimport \"tfstate/v2\" as s\nimport \"tfconfig/v2\" as c\nimport \"strings\"\n\
         import \"json\"\nimport \"base64\"\nrc = t.resource_changes[\"x.a\"]\n\
         e = {source}\nv = {made}\n{sink}\n"
    );
    let shown = format!("{:?}", judged(&policy, &plan(secret)));
    let left = pieces(secret).into_iter().find(|piece| shown.contains(piece));
    assert!(left.is_none(), "{left:?} of {secret} is in\n{shown}\nof\n{policy}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// It held for 100,000 cases.
    #[test]
    fn a_secret_does_not_leave(
        secret in "[a-z0-9]{24}",
        source in proptest::sample::select(SOURCES),
        made in proptest::sample::select(MADE),
        sink in proptest::sample::select(SINKS),
    ) {
        check(&secret, source, made, sink);
    }
}

#[test]
fn no_secret_leaves_in_any_way() {
    for source in SOURCES {
        for made in MADE {
            for sink in SINKS.iter().step_by(3) {
                check("q7w8e9r1t2y3u4i5o6p7a8s9", source, made, sink);
            }
        }
    }
}

/// All or nothing: lines and values that are the same by chance could spell a secret.
#[test]
fn what_is_made_from_no_secret_is_shown() {
    let plan = plan("q7w8e9r1t2y3u4i5o6p7a8s9");
    let judged = |print: &str| {
        judged(
            &format!(
                "import \"tfplan/v2\" as t\nrc = t.resource_changes[\"x.a\"]\n\
                 print(\"name\", rc.change.after.name)\n{print}\n\
                 names = rule {{ [rc.change.after.name] }}\n\
                 short = rule {{ length(rc.change.after.password) < 30 }}\n\
                 main = rule {{ names is not [] and short and rc.change.after.password is not \"x\" }}\n"
            ),
            &plan,
        )
    };
    let values =
        |judged: &Judged| judged.rules.iter().map(|rule| rule.rule.value.clone()).collect::<Vec<_>>();
    let open = judged("");
    assert_eq!((open.print.as_str(), &open.main), ("name n\n", &Some(json!(true))));
    assert_eq!(values(&open), [json!(["n"]), json!(true), json!(true)]);
    let hidden = judged("print(rc.change.after.password)");
    assert_eq!((hidden.print.as_str(), &hidden.main), ("(sensitive value)\n", &Some(json!(true))));
    assert_eq!(values(&hidden), [json!("(sensitive value)"), json!(true), json!(true)]);
}

/// Undefined is written as an object with that key.
#[test]
fn an_object_that_looks_undefined_is_hidden_too() {
    let secret = "hunter2-correct-horse";
    let policy = "import \"tfplan/v2\" as t\n\
        r = rule { {\"undefined\": t.resource_changes[\"x.a\"].change.after.password} }\n\
        main = rule { r is {} }";
    let judged = judged(policy, &plan(secret));
    let value =
        judged.rules.iter().find(|judgement| judgement.rule.name == "r").unwrap().rule.value.to_string();
    assert!(value.contains("sensitive") && !value.contains(secret), "{value}");
}

/// Although another part of the same object is unknown.
#[test]
fn what_is_not_there_is_not_unknown() {
    let mut plan = plan("q7w8e9r1t2y3u4i5o6p7a8s9");
    plan["resource_changes"][0]["change"]["after_unknown"] = json!({"id": true});
    let of = |name: &str| {
        let main = format!("main = rule {{ (rc.change.after.{name} else \"none\") is \"none\" }}");
        judged(&format!("import \"tfplan/v2\" as t\nrc = t.resource_changes[\"x.a\"]\n{main}"), &plan)
    };
    let absent = of("nope");
    assert_eq!((absent.main, absent.is_undecided, absent.unknown.len()), (Some(json!(true)), false, 0));
    let unknown = of("id");
    assert_eq!((unknown.is_undecided, unknown.unknown.len()), (true, 1));
}

/// A section that somebody has left out is no empty one.
#[test]
fn a_section_of_the_plan_itself_that_is_not_there_is_an_error() {
    let whole = plan("q7w8e9r1t2y3u4i5o6p7a8s9");
    let error = |looks: &str, plan: &serde_json::Value| {
        let policy = format!("import \"tfplan/v2\" as t\nmain = rule {{ ({looks}) else true }}");
        let policy =
            Policy::parse("p.sentinel", &policy).unwrap_or_else(|errors| panic!("{looks}\n{errors:?}"));
        let plan = PlanFile::parse("plan.json", plan.to_string()).unwrap();
        let plan = Arc::new(Document::new(plan).unwrap());
        judge(&policy, &Imports::new(&plan, None, None), Setup::default).err().map(|error| error.to_string())
    };
    for (section, looks) in [
        ("planned_values", "t.raw.planned_values.outputs.x is 1"),
        ("prior_state", "t.raw[\"prior_state\"].values is 1"),
        ("configuration", "t.raw.configuration.root_module is 1"),
        ("terraform_version", "t.raw.terraform_version is \"1\""),
        ("terraform_version", "t.terraform_version is \"1\""),
    ] {
        assert_eq!(error(looks, &whole), None, "{looks}");
        let mut without = whole.clone();
        without.as_object_mut().unwrap().remove(section);
        let said = error(looks, &without).unwrap_or_default();
        assert!(said.contains(section), "{looks}: {said}");
        // An errored plan may lack any.
        without["errored"] = json!(true);
        assert_eq!(error(looks, &without), None, "{looks}");
        assert_eq!(error("t.raw.format_version is \"1\"", &without), None);
    }
}
