//! Plans that were made without asking their providers: nothing is decided that these could overturn.

use serde_json::{Value, json};

fn resource(name: &str, actions: &[&str], before: &Value, after: &Value) -> Value {
    json!({
        "address": format!("test_disk.{name}"), "mode": "managed", "type": "test_disk", "name": name,
        "provider_name": "example.com/test/test",
        "change": {"actions": actions, "before": before, "after": after, "after_unknown": {},
            "before_sensitive": false, "after_sensitive": false}
    })
}

/// A disk that is updated, a new one, one that is tainted, and some of which it is unknown how many there
/// are.
fn plan(version: &str) -> String {
    let old = json!({"id": "1", "name": "old"});
    let mut tainted = resource("tainted", &["delete", "create"], &old, &json!({"name": "old"}));
    tainted["action_reason"] = "replace_because_tainted".into();
    let many = resource("many", &["create"], &Value::Null, &json!({"name": "x"}));
    json!({
        "format_version": "1.2", "terraform_version": version,
        "planned_values": {"root_module": {"resources": [
            {"address": "test_disk.new", "mode": "managed", "type": "test_disk", "name": "new",
                "provider_name": "example.com/test/test", "values": {"name": "new"}, "sensitive_values": {}}
        ]}},
        "resource_changes": [
            resource("new", &["create"], &Value::Null, &json!({"name": "new"})),
            resource("old", &["update"], &old, &json!({"id": "1", "name": "changed"})),
            tainted,
        ],
        "deferred_changes": [{"reason": "instances_unknown", "resource_change": many}],
    })
    .to_string()
}

/// A data source whose arguments are known, which its provider may read while planning, and a new object.
fn reading(version: &str) -> String {
    let mut read = resource("l", &["read"], &Value::Null, &json!({"name": "k"}));
    read["address"] = "data.test_disk.l".into();
    read["mode"] = "data".into();
    read["action_reason"] = "read_because_simulated".into();
    let mut new = resource("a", &["create"], &Value::Null, &json!({"name": "x"}));
    new["provider_name"] = "terraform.io/builtin/terraform".into();
    let planned = |address: &str, mode: &str| json!({"address": address, "mode": mode, "type": "test_disk", "name": address.rsplit('.').next(), "values": {"name": "k"}});
    json!({
        "format_version": "1.2", "terraform_version": version,
        "planned_values": {"root_module": {"resources": [
            planned("test_disk.a", "managed"), planned("test_disk.l", "data")]}},
        "resource_changes": [read, new],
        "applyable": true, "complete": true, "errored": false
    })
    .to_string()
}

/// A plan that only refreshes, of one object.
fn refreshing(version: &str) -> String {
    let object = json!({"address": "test_disk.a", "mode": "managed", "type": "test_disk", "name": "a",
        "provider_name": "example.com/test/test", "schema_version": 0, "values": {"name": "x"}});
    json!({
        "format_version": "1.2", "terraform_version": version, "planned_values": {"root_module": {}},
        "prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": [object]}}},
        "resource_changes": [], "applyable": false, "complete": true, "errored": false
    })
    .to_string()
}

/// A plan without a module, that has an object in another one, and in its state objects that depend on each other.
fn lacking(version: &str) -> String {
    let object = |address: &str, depends_on: &[&str]| {
        let mut object = json!({"address": address, "mode": "managed", "type": "test_disk",
            "name": address.rsplit('.').next(), "provider_name": "example.com/test/test", "schema_version": 0,
            "values": {"name": "x"}, "sensitive_values": {}});
        if !depends_on.is_empty() {
            object["depends_on"] = json!(depends_on);
        }
        object
    };
    let modules = json!([{"address": "module.k", "resources": [object("module.k.test_disk.c", &[])]}]);
    json!({
        "format_version": "1.2", "terraform_version": version,
        "missing": [{"kind": "module", "address": "module.k.module.m"}],
        "planned_values": {"root_module": {"child_modules": modules}},
        "prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": [
            object("test_disk.a", &[]), object("test_disk.b", &["test_disk.a"])], "child_modules": modules}}},
        "resource_changes": [], "applyable": false, "complete": false, "errored": false
    })
    .to_string()
}

/// A plan that only refreshes, whose configuration has a data source.
fn refreshing_data(version: &str) -> String {
    let mut plan: Value = serde_json::from_str(&refreshing(version)).unwrap();
    plan["configuration"] = json!({"root_module": {"module_calls": {"m": {"module": {"resources": [
        {"address": "data.test_disk.l", "mode": "data", "type": "test_disk", "name": "l"}]}}}}});
    plan.to_string()
}

const SIMULATED: &str = "1.16.0+simulated";

#[cfg(feature = "query")]
mod query {
    use objchange_document::Document;
    use objchange_policy::query::{CollectionKind, Query, QueryErrorKind, Subject};

    use super::{SIMULATED, plan, reading};

    /// The keys for which an expression is true, and those for which that is not known.
    fn ask(of: CollectionKind, text: &str, expression: &str) -> [Vec<String>; 2] {
        let query = Query::parse(of, expression).unwrap();
        let subject = Subject::new(of, &Document::parse(text).unwrap()).unwrap();
        let mut matching = query.on(&subject);
        let mut found = [Vec::new(), Vec::new()];
        for (key, item) in subject.items() {
            match matching.matches(item) {
                Ok(true) => found[0].push(key.to_owned()),
                Err(error) if error.kind == QueryErrorKind::Unknown => found[1].push(key.to_owned()),
                _ => {}
            }
        }
        found
    }

    #[test]
    fn only_what_is_certain_is_found() {
        let all = CollectionKind::ResourceChanges;
        let drift = CollectionKind::ResourceDrift;
        let cases: [(_, _, &[&str], &[&str]); 9] = [
            (all, "replaced(rc)", &["tainted"], &["old", "many"]),
            (all, r#"rc.change.actions == ["create"]"#, &["new"], &["old", "many"]),
            (all, r#"rc.type == "other""#, &[], &[]),
            (all, r#"rc.type == "test_disk" && rc.name == "many""#, &[], &["many"]),
            (all, r#"rc.address == "test_disk.many[0]""#, &[], &["many"]),
            (all, r#"new(rc, "name") == "changed""#, &["old"], &["many"]),
            (all, r#"in_module(rc, "module.m")"#, &[], &["many"]),
            (drift, "true", &[], &["old", "tainted"]),
            (drift, r#"rc.address == "test_disk.old" && changed(rc, "name")"#, &[], &["old"]),
        ];
        for (of, expression, found, undecided) in cases {
            let names = |names: &[&str]| names.iter().map(|name| format!("test_disk.{name}")).collect();
            let expected: [Vec<String>; 2] = [names(found), names(undecided)];
            assert_eq!(ask(of, &plan(SIMULATED), expression), expected, "{expression}");
        }
        // A data source that may be read while planning may be in no list.
        let one = |address: &str| vec![address.to_owned()];
        let (read, new) = (one("data.test_disk.l"), one("test_disk.a"));
        let planned = CollectionKind::PlannedValues;
        for (of, expression, found, undecided) in [
            (all, r#"rc.change.actions == ["read"]"#, Vec::new(), read.clone()),
            (all, r#"rc.change.actions == ["create"]"#, new.clone(), Vec::new()),
            (all, "true", new, read),
            (planned, r#"rc.mode == "data""#, Vec::new(), one("test_disk.l")),
            (CollectionKind::State, "true", Vec::new(), one("test_disk.l")),
        ] {
            assert_eq!(ask(of, &reading(SIMULATED), expression), [found, undecided], "{expression}");
        }
        // A provider may make a value known while planning, and then Terraform has no mark of it.
        let marked = |version: &str| {
            let mut plan: serde_json::Value = serde_json::from_str(&plan(version)).unwrap();
            plan["resource_changes"][0]["change"]["after_unknown"] =
                serde_json::json!({"id": true, "tags": {"a": true}});
            plan["deferred_changes"] = serde_json::json!([]);
            plan.to_string()
        };
        for expression in [
            "rc.change.after_unknown != {}",
            "rc.change.after_unknown == {}",
            "size(rc.change.after_unknown) == 2",
            r#""id" in rc.change.after_unknown"#,
            "has(rc.change.after_unknown.tags.a)",
            "rc.change.after_unknown.exists(name, name == 'id')",
        ] {
            let expression = format!(r#"rc.name == "new" && {expression}"#);
            let [found, undecided] = ask(all, &marked(SIMULATED), &expression);
            assert_eq!((found, undecided), (Vec::new(), one("test_disk.new")), "{expression}");
        }
        let not_marked = r#"rc.name == "new" && !("size" in rc.change.after_unknown)"#;
        assert_eq!(ask(all, &marked(SIMULATED), not_marked), [one("test_disk.new"), Vec::new()]);
        let is_marked = "rc.change.after_unknown != {}";
        assert_eq!(ask(all, &marked("1.16.0"), is_marked), [one("test_disk.new"), Vec::new()]);
        // A plan of Terraform says what happens.
        assert_eq!(
            ask(all, &plan("1.16.0"), "replaced(rc)"),
            [vec!["test_disk.tainted".to_owned()], Vec::new()]
        );
        assert!(ask(drift, &plan("1.16.0"), "true").concat().is_empty());
    }
}

#[cfg(feature = "rego")]
mod rego {
    use objchange_document::PlanFile;
    use objchange_policy::rego::{Options, Outcome, Policies, PolicyFile};
    use serde_json::{Value, json};

    use super::{SIMULATED, lacking, plan, reading, refreshing, refreshing_data, resource};

    fn outcome(text: &str, policy: &str) -> Outcome {
        let files = [PolicyFile::new("p.rego", &*format!("package main\n\n{policy}\n"))];
        let policies =
            Policies::compile(&files, Options::new(|| 0)).unwrap_or_else(|error| panic!("{error}"));
        let verdicts = policies
            .evaluate(&PlanFile::parse("plan.json", text.to_owned()).unwrap())
            .unwrap_or_else(|error| panic!("{policy}: {error}"));
        verdicts.rules[0].outcome()
    }

    /// The outcome of a rule that denies where this holds.
    fn denied_if(text: &str, body: &str) -> Outcome {
        outcome(text, &format!("deny contains \"x\" if {{ {body} }}"))
    }

    #[test]
    fn rules_wait_for_what_may_be_read_while_planning() {
        for (body, expected) in [
            (r#"some rc in CHANGES; rc.change.actions == ["read"]"#, Outcome::Undecided),
            (r#"some rc in CHANGES; rc.change.actions == ["create"]"#, Outcome::Fail),
            (r#"some rc in CHANGES; rc.change.actions == ["delete"]"#, Outcome::Pass),
            (r#"not every_managed"#, Outcome::Undecided),
            ("count(CHANGES) > 1", Outcome::Undecided),
            ("count(CHANGES) > 0", Outcome::Fail),
            (r#"some r in PLANNED; r.mode == "data""#, Outcome::Undecided),
            (r#"some r in PLANNED; r.name == "other""#, Outcome::Pass),
        ] {
            for [changes, planned] in [
                ["input.resource_changes", "input.planned_values.root_module.resources"],
                ["input.tfplan.resource_changes", "input.tfplan.planned_values.resources"],
            ] {
                let every = format!("every_managed if every rc in {changes} {{ rc.mode == \"managed\" }}");
                let body = body.replace("CHANGES", changes).replace("PLANNED", planned);
                let policy = format!("deny contains \"x\" if {{ {body} }}\n\n{every}");
                assert_eq!(outcome(&reading(SIMULATED), &policy), expected, "{body}");
            }
        }
        for (body, expected) in [
            ("count(input.planned_values.root_module) == 0", Outcome::Pass),
            ("not input.prior_state.values.root_module.resources", Outcome::Undecided),
            ("not input.resource_drift", Outcome::Fail),
            // Attributes of data sources that Terraform reads while planning are relevant to its plan.
            ("not input.relevant_attributes", Outcome::Undecided),
            ("input.applyable", Outcome::Fail),
            ("input.complete", Outcome::Fail),
        ] {
            assert_eq!(denied_if(&reading(SIMULATED), body), expected, "{body}");
        }
        let mut relevant: Value = serde_json::from_str(&reading(SIMULATED)).unwrap();
        relevant["relevant_attributes"] = json!([{"resource": "test_disk.a", "attribute": ["name"]}]);
        assert_eq!(denied_if(&relevant.to_string(), "not input.relevant_attributes"), Outcome::Undecided);
        // With the providers, whatever a data source waits for may be known, and all of a value. Documents have no marks of the
        // parts of a value that is known.
        let mut waiting: Value = serde_json::from_str(&reading(SIMULATED)).unwrap();
        waiting["resource_changes"][0]["action_reason"] = "read_because_config_unknown".into();
        let change = &mut waiting["resource_changes"][1]["change"];
        change["after_unknown"] = json!({"id": true, "input": true, "rule": []});
        change["after_sensitive"] = json!({});
        let changes = "some rc in input.resource_changes; rc.mode == \"managed\"; ";
        for (body, expected) in [
            ("some rc in input.resource_changes; rc.mode == \"data\"".to_owned(), Outcome::Undecided),
            (format!("{changes} rc.change.after_unknown.rule"), Outcome::Undecided),
            (format!("{changes} rc.change.after_unknown.input"), Outcome::Undecided),
            (format!("{changes} rc.change.after_sensitive == {{}}"), Outcome::Undecided),
            (format!("{changes} rc.change.after_sensitive.other"), Outcome::Pass),
        ] {
            assert_eq!(denied_if(&waiting.to_string(), &body), expected, "{body}");
        }
        // Terraform makes this one by itself.
        waiting["resource_changes"][1]["change"]["after_unknown"] = json!({"id": true, "rule": []});
        let certain = format!("{changes} rc.change.after_unknown == {{\"id\": true, \"rule\": []}}");
        assert_eq!(denied_if(&waiting.to_string(), &certain), Outcome::Fail);
        // Whatever a plan that only refreshes is about may have drifted.
        for (version, expected) in [
            (SIMULATED, Outcome::Undecided),
            ("1.16.0+simulated.unrefreshed", Outcome::Pass),
            ("1.16.0", Outcome::Pass),
        ] {
            assert_eq!(
                denied_if(&refreshing(version), "some rc in input.resource_drift"),
                expected,
                "{version}"
            );
        }
        // Values that are unknown stay so beside such a data source, and one in a module may be missing, too.
        let mut nested: Value = serde_json::from_str(&reading(SIMULATED)).unwrap();
        nested["resource_changes"][1]["change"]["after_unknown"] = json!({"arn": true});
        nested["resource_changes"][0]["address"] = "module.m.data.test_disk.l".into();
        let mut read = nested["planned_values"]["root_module"]["resources"][1].take();
        read["address"] = "module.m.test_disk.l".into();
        nested["planned_values"]["root_module"] = json!({
            "resources": [nested["planned_values"]["root_module"]["resources"][0]],
            "child_modules": [{"address": "module.m", "resources": [read]}],
        });
        // A module whose data sources are read is in no list, and neither is the list itself.
        let mut alone = nested.clone();
        alone["planned_values"]["root_module"] =
            json!({"child_modules": nested["planned_values"]["root_module"]["child_modules"]});
        for body in [
            "count(input.planned_values.root_module) == 0",
            "not input.planned_values.root_module.child_modules",
            "not input.planned_values.root_module.child_modules[0].resources",
        ] {
            assert_eq!(denied_if(&alone.to_string(), body), Outcome::Undecided, "{body}");
        }
        for body in [
            "some r in input.planned_values.root_module.resources; not r.values.arn",
            "some m in input.planned_values.root_module.child_modules; some r in m.resources",
        ] {
            assert_eq!(denied_if(&nested.to_string(), body), Outcome::Undecided, "{body}");
        }
        // A drift may be there, or not; with an import whose ID only the provider knows the plan may be complete.
        for body in ["not input.resource_drift", "not input.deferred_changes"] {
            assert_eq!(denied_if(&plan(SIMULATED), body), Outcome::Undecided, "{body}");
        }
    }

    #[test]
    fn rules_wait_for_missing_modules() {
        let prior = "input.prior_state.values.root_module.resources[_]";
        let planned = "input.planned_values.root_module";
        for (body, expected) in [
            // It depends on the code what is sensitive in a state, and what depends on what.
            (format!(r#"{prior}.depends_on[_] == "test_disk.a""#), Outcome::Undecided),
            (format!("some r in [r | r := {prior}]; not r.depends_on"), Outcome::Undecided),
            (format!("{prior}.sensitive_values == {{}}"), Outcome::Undecided),
            (format!(r#"{prior}.values.name == "x""#), Outcome::Fail),
            ("input.tfstate.resources[_].depends_on == []".to_owned(), Outcome::Undecided),
            (r#"input.tfstate.resources[_].values.name == "x""#.to_owned(), Outcome::Fail),
            // Known modules stay where others may be besides, and a module may have lists that it lacks.
            (format!(r#"{planned}.child_modules[_].resources[_].name == "c""#), Outcome::Fail),
            (format!(r#"{planned}.child_modules[_].resources[_].name == "d""#), Outcome::Undecided),
            (format!("count({planned}.child_modules) == 1"), Outcome::Undecided),
            // The missing module is below `module.k`: its objects are in no list of other modules.
            (format!("not {planned}.resources"), Outcome::Fail),
            ("count(input.prior_state.values.root_module.resources) == 2".to_owned(), Outcome::Fail),
            (format!("some m in {planned}.child_modules; count(m.resources) == 1"), Outcome::Fail),
            (format!("some m in {planned}.child_modules; count(m.resources) == 2"), Outcome::Undecided),
            (format!("not {planned}.child_modules"), Outcome::Pass),
            (format!("not {planned}.child_modules[0].child_modules"), Outcome::Undecided),
        ] {
            assert_eq!(denied_if(&lacking(SIMULATED), &body), expected, "{body}");
        }
        // Nobody knows in which module something of a newer kind is, so it may be in each.
        let mut novel: Value = serde_json::from_str(&lacking(SIMULATED)).unwrap();
        novel["missing"] = json!([{"kind": "novelty", "address": "x"}]);
        for body in [
            format!("not {planned}.resources"),
            "count(input.prior_state.values.root_module.resources) == 2".to_owned(),
            format!(r#"some m in {planned}.child_modules; m.address == "module.k"; count(m.resources) == 1"#),
            format!("not {planned}.child_modules[0].child_modules"),
        ] {
            assert_eq!(denied_if(&novel.to_string(), &body), Outcome::Undecided, "{body}");
        }
        // Data sources that may be read while planning leave nothing of their module certain.
        let mut reads: Value = serde_json::from_str(&lacking(SIMULATED)).unwrap();
        let mut read = resource("l", &["read"], &Value::Null, &json!({"name": "k"}));
        read["address"] = "module.k.data.test_disk.l".into();
        read["mode"] = "data".into();
        read["action_reason"] = "read_because_simulated".into();
        reads["resource_changes"] = json!([read]);
        reads["planned_values"]["root_module"]["child_modules"][0]["resources"] = json!([{"address": "module.k.test_disk.l", "mode": "data", "type": "test_disk", "name": "l", "values": {}}]);
        for body in ["module.resources[_].name == \"d\"", "count(module.resources) == 1"] {
            let module = "some module in input.planned_values.root_module.child_modules";
            let whole = format!("{module}; module.address == \"module.k\"; {body}");
            assert_eq!(denied_if(&reads.to_string(), &whole), Outcome::Undecided, "{body}");
        }
        // Possible items move the others in a list. Outputs may be known and saved with the module.
        for (body, expected) in [
            (
                r#"input.prior_state.values.root_module.child_modules[0].resources[0].name == "c""#,
                Outcome::Undecided,
            ),
            ("count(input.prior_state.values) == 1", Outcome::Undecided),
        ] {
            assert_eq!(denied_if(&lacking(SIMULATED), body), expected, "{body}");
        }
        // A plan that only refreshes has no change for a data source that it reads.
        for (version, expected) in [(SIMULATED, Outcome::Undecided), ("1.16.0", Outcome::Pass)] {
            let body = "input.prior_state.values.root_module.child_modules";
            assert_eq!(denied_if(&refreshing_data(version), body), expected, "{version}");
        }
    }

    #[test]
    fn rules_wait_for_what_only_providers_know() {
        let old = r#"some rc in CHANGES; rc.name == "old"; "#;
        let cases = [
            (format!(r#"{old}rc.change.actions == ["update"]"#), Outcome::Undecided),
            (format!(r#"{old}rc.change.actions == ["delete", "create"]"#), Outcome::Undecided),
            (format!(r#"{old}not "create" in rc.change.actions"#), Outcome::Undecided),
            (format!(r#"{old}rc.change.after.name == "changed""#), Outcome::Fail),
            (format!(r#"{old}rc.change.after.name == "x""#), Outcome::Pass),
            (
                r#"some rc in CHANGES; rc.name == "tainted"; rc.change.actions[0] == "delete""#.to_owned(),
                Outcome::Fail,
            ),
            (r#"some rc in CHANGES; rc.name == "many""#.to_owned(), Outcome::Undecided),
            (r#"some rc in CHANGES; rc.type == "other""#.to_owned(), Outcome::Pass),
            (
                r#"some rc in CHANGES; rc.name == "new"; rc.change.actions == ["create"]"#.to_owned(),
                Outcome::Fail,
            ),
            ("count(CHANGES) > 3".to_owned(), Outcome::Undecided),
            ("count(CHANGES) > 2".to_owned(), Outcome::Fail),
            ("some rc in DRIFT".to_owned(), Outcome::Undecided),
            (r#"some rc in DRIFT; rc.type == "other""#.to_owned(), Outcome::Pass),
            (r#"some r in PLANNED; r.name == "many""#.to_owned(), Outcome::Undecided),
            (r#"some r in PLANNED; r.name == "new""#.to_owned(), Outcome::Fail),
        ];
        let documents =
            ["input.resource_changes", "input.resource_drift", "input.planned_values.root_module.resources"];
        let collections = [
            "input.tfplan.resource_changes",
            "input.tfplan.resource_drift",
            "input.tfplan.planned_values.resources",
        ];
        for [changes, drift, planned] in [documents, collections] {
            for (body, expected) in &cases {
                let body =
                    body.replace("CHANGES", changes).replace("DRIFT", drift).replace("PLANNED", planned);
                assert_eq!(denied_if(&plan(SIMULATED), &body), *expected, "{body}");
            }
        }
        let of_old = "some rc in input.resource_changes; rc.name == \"old\"";
        for (body, expected) in [
            ("rc.change.replace_paths", Outcome::Undecided),
            // An object that stays as it is has no reason.
            ("not rc.action_reason", Outcome::Undecided),
            ("count([r | r := rc.action_reason]) == 1", Outcome::Undecided),
            ("rc.change.before.id == \"1\"", Outcome::Fail),
            ("not rc.address", Outcome::Pass),
        ] {
            assert_eq!(denied_if(&plan(SIMULATED), &format!("{of_old}; {body}")), expected, "{body}");
        }
        let replaced = format!("{of_old}; rc.change.replace_paths");
        assert_eq!(denied_if(&plan("1.16.0"), &replaced), Outcome::Pass);
        let deferred = "some d in input.deferred_changes";
        assert_eq!(denied_if(&plan(SIMULATED), deferred), Outcome::Undecided);
        assert_eq!(denied_if(&plan("1.16.0"), deferred), Outcome::Fail);
    }
}

#[cfg(feature = "sentinel")]
mod sentinel {
    use std::sync::Arc;

    use objchange_document::PlanFile;
    use objchange_policy::sentinel::judge::{Outcome, judge};
    use objchange_policy::sentinel::{Document, Imports};
    use objchange_sentinel::{Policy, Setup};

    use super::{SIMULATED, lacking, plan, reading, refreshing_data};

    fn outcome(text: String, condition: &str) -> Outcome {
        let policy = format!(
            "import \"tfplan/v2\" as tfplan\nimport \"tfstate/v2\" as tfstate\nmain = rule {{ {condition} }}\n"
        );
        let policy =
            Policy::parse("p.sentinel", &policy).unwrap_or_else(|errors| panic!("{policy}: {errors:?}"));
        let plan = Arc::new(Document::new(PlanFile::parse("plan.json", text).unwrap()).unwrap());
        judge(&policy, &Imports::new(&plan, None, None), Setup::default).unwrap().outcome
    }

    #[test]
    fn verdicts_wait_for_what_may_be_read_while_planning() {
        for (condition, expected) in [
            (
                r#"all tfplan.resource_changes as _, rc { rc.change.actions is not ["delete"] }"#,
                Outcome::Pass,
            ),
            (r#"all tfplan.resource_changes as _, rc { rc.mode is "managed" }"#, Outcome::Undefined),
            (r#"any tfplan.resource_changes as _, rc { rc.mode is "data" }"#, Outcome::Undefined),
            (r#"any tfplan.resource_changes as _, rc { rc.mode is "managed" }"#, Outcome::Pass),
            (
                r#"length(filter tfplan.resource_changes as _, rc { rc.change.actions contains "read" }) is 0"#,
                Outcome::Undefined,
            ),
            (
                r#"length(filter tfplan.resource_changes as _, rc { rc.change.actions contains "delete" }) is 0"#,
                Outcome::Pass,
            ),
            ("length(tfplan.resource_changes) is 2", Outcome::Undefined),
            (r#""data.test_disk.l" in keys(tfplan.resource_changes)"#, Outcome::Undefined),
            (r#"tfplan.resource_changes["data.test_disk.l"].mode is "data""#, Outcome::Undefined),
            (r#"tfplan.resource_changes["test_disk.a"].mode is "managed""#, Outcome::Pass),
            (r#"any tfplan.planned_values.resources as _, r { r.mode is "data" }"#, Outcome::Undefined),
            ("tfplan.raw.prior_state is defined", Outcome::Undefined),
            ("tfplan.raw.applyable is true", Outcome::Pass),
        ] {
            assert_eq!(outcome(reading(SIMULATED), condition), expected, "{condition}");
        }
        // A document has no empty list: one with nothing but data sources that may be read while planning may be missing.
        let planned = "tfplan.raw.planned_values.root_module";
        let mut alone: serde_json::Value = serde_json::from_str(&reading(SIMULATED)).unwrap();
        let read = alone["planned_values"]["root_module"]["resources"][1].take();
        alone["planned_values"]["root_module"]["resources"] = serde_json::json!([read]);
        alone["resource_changes"] = serde_json::json!([alone["resource_changes"][0]]);
        for (is_alone, condition, expected) in [
            (false, format!("{planned}.resources is defined"), Outcome::Pass),
            (true, format!("{planned}.resources is defined"), Outcome::Undefined),
            (true, format!("{planned}.resources is not defined"), Outcome::Undefined),
            (true, format!("length(keys({planned})) is 1"), Outcome::Undefined),
            (true, "tfplan.raw.resource_changes is defined".to_owned(), Outcome::Undefined),
            (false, "tfplan.raw.resource_changes is defined".to_owned(), Outcome::Pass),
        ] {
            let text = if is_alone { alone.to_string() } else { reading(SIMULATED) };
            assert_eq!(outcome(text, &condition), expected, "{is_alone} {condition}");
        }
        let read = r#"any tfplan.resource_changes as _, rc { rc.mode is "data" }"#;
        assert_eq!(outcome(reading("1.16.0"), read), Outcome::Pass);
    }

    #[test]
    fn errors_about_items_that_may_not_be_there_decide_nothing() {
        let of_data = r#"all tfplan.resource_changes as _, rc { rc.mode is "managed" or error("boom") }"#;
        let of_managed = r#"all tfplan.resource_changes as _, rc { rc.mode is "data" or error("boom") }"#;
        let raw = r#"all tfplan.raw.resource_changes as rc { rc.mode is "managed" or error("boom") }"#;
        for (version, condition, expected) in [
            (SIMULATED, of_data, Outcome::Undefined),
            (SIMULATED, raw, Outcome::Undefined),
            (SIMULATED, of_managed, Outcome::Error),
            (SIMULATED, r#"error("boom")"#, Outcome::Error),
            ("1.16.0", of_data, Outcome::Error),
            ("1.16.0", raw, Outcome::Error),
        ] {
            assert_eq!(outcome(reading(version), condition), expected, "{version} {condition}");
        }
    }

    #[test]
    fn verdicts_wait_for_missing_modules() {
        let prior = "tfplan.raw.prior_state.values.root_module.resources";
        let planned = "tfplan.raw.planned_values.root_module";
        for (condition, expected) in [
            (format!(r#"{prior}[1].depends_on is ["test_disk.a"]"#), Outcome::Undefined),
            (format!("{prior}[0].depends_on is not defined"), Outcome::Undefined),
            (format!("{prior}[0].sensitive_values is {{}}"), Outcome::Undefined),
            // The missing module is below `module.k`: possible items move the others in the lists there, and in no other.
            (format!(r#"{prior}[0].values.name is "x""#), Outcome::Pass),
            (format!("length({prior}) is 2"), Outcome::Pass),
            (format!("{planned}.resources is not defined"), Outcome::Pass),
            (format!("length({planned}.child_modules) is 1"), Outcome::Undefined),
            (format!(r#"{planned}.child_modules[0].resources[0].name is "c""#), Outcome::Undefined),
            (
                format!(
                    r#"all {planned}.child_modules as m {{ m.resources is not defined or length(m.resources) is 1 }}"#
                ),
                Outcome::Undefined,
            ),
            ("tfplan.raw.prior_state.values.outputs is not defined".to_owned(), Outcome::Undefined),
            (r#"tfstate.resources["test_disk.a"].depends_on is []"#.to_owned(), Outcome::Undefined),
            (r#"tfstate.resources["test_disk.a"].values.name is "x""#.to_owned(), Outcome::Pass),
        ] {
            assert_eq!(outcome(lacking(SIMULATED), &condition), expected, "{condition}");
        }
        // Nobody knows in which module something of a newer kind is, so it may be in each.
        let mut novel: serde_json::Value = serde_json::from_str(&lacking(SIMULATED)).unwrap();
        novel["missing"] = serde_json::json!([{"kind": "novelty", "address": "x"}]);
        for condition in [
            format!(r#"{prior}[0].values.name is "x""#),
            format!("{planned}.resources is not defined"),
            format!("length({planned}.child_modules) is 1"),
        ] {
            assert_eq!(outcome(novel.to_string(), &condition), Outcome::Undefined, "{condition}");
        }
        let has_one = "length(tfstate.resources) is 1";
        assert_eq!(outcome(refreshing_data(SIMULATED), has_one), Outcome::Undefined);
        assert_eq!(outcome(refreshing_data("1.16.0"), has_one), Outcome::Pass);
    }

    #[test]
    fn verdicts_wait_for_what_only_providers_know() {
        let old = r#"tfplan.resource_changes["test_disk.old"].change"#;
        let cases = [
            (format!(r#"{old}.actions is ["update"]"#), Outcome::Undefined),
            (format!(r#"{old}.actions is ["delete", "create"]"#), Outcome::Undefined),
            (format!(r#"{old}.after.name is "changed""#), Outcome::Pass),
            (format!(r#"{old}.after.name is "x""#), Outcome::Fail),
            (
                r#"tfplan.resource_changes["test_disk.new"].change.actions is ["create"]"#.to_owned(),
                Outcome::Pass,
            ),
            (
                r#"all tfplan.resource_changes as _, rc { rc.type is not "other" }"#.to_owned(),
                Outcome::Undefined,
            ),
            (
                r#"all tfplan.raw.resource_changes as rc { rc.type is "test_disk" }"#.to_owned(),
                Outcome::Undefined,
            ),
            (r#"tfplan.raw.resource_changes[1].change.actions is ["update"]"#.to_owned(), Outcome::Undefined),
            ("length(tfplan.resource_drift) is 0".to_owned(), Outcome::Undefined),
        ];
        for (condition, expected) in cases {
            assert_eq!(outcome(plan(SIMULATED), &condition), expected, "{condition}");
        }
        let certain = r#"all tfplan.resource_changes as _, rc { rc.type is not "other" }"#;
        assert_eq!(outcome(plan("1.16.0"), certain), Outcome::Pass);
    }
}
