//! Policies that read fields that no plan has are refused, wherever they read them; all others are not.

use objchange_document::PlanFile;
use objchange_policy::rego::{InputMode, Options, Policies, PolicyError, PolicyErrorKind, PolicyFile, Value};

fn file(text: &str) -> PlanFile {
    PlanFile::parse("plan.json", text.to_owned()).unwrap()
}

fn compile_as(body: &str, input: InputMode, run: Option<&str>) -> Result<Policies, PolicyError> {
    let text = format!("package main\n\nimport rego.v1\n\n{body}\n");
    let mut options = Options::new(|| 0);
    options.input = input;
    options.run = run.map(|name| Value::object([(Value::from("name"), Value::from(name))]));
    Policies::compile(&[PolicyFile::new("p.rego", text)], options)
}

fn compile(body: &str) -> Result<Policies, PolicyError> {
    compile_as(body, InputMode::Auto, None)
}

#[track_caller]
fn refused(body: &str) -> PolicyError {
    match compile(body) {
        Err(error) => error,
        Ok(_) => panic!("accepted: {body}"),
    }
}

/// Each after `deny contains "x" if`.
const NOWHERE: &[&str] = &[
    "input.runn.workspace.name == \"a\"",
    "input.resource_change[_].type == \"a\"",
    "input[\"resource_chnages\"][_].type == \"a\"",
    "input.resource_changes[_].change.action == \"delete\"",
    "{ some rc in input.resource_changes; rc.change.action == \"delete\" }",
    "{ some rc in input.resource_changes; not rc.change.action }",
    "{ rc := input.resource_changes[_]; change := rc.change; change.action == \"delete\" }",
    "{ key := \"action\"; input.resource_changes[_].change[key] == \"delete\" }",
    "{ all := [r | some r in input.resource_changes; r.mode == \"managed\"]; some r in all; r.chnage }",
    "{ all := {r.address: r | some r in input.resource_changes}; some r in all; r.chnage }",
    "{ some i; input.resource_changes[i].type == \"a\"; input.resource_changes[i].acton == \"b\" }",
    "{ every rc in input.resource_changes { rc.chnage.actions == [\"create\"] } }",
    "count([1 | input.resource_changes[_].change.action == \"delete\"]) > 0",
    "{ some rc in input.resource_changes; print(rc.adress) }",
    "{ some rc in input.resource_changes; sprintf(\"%v\", [rc.adress]) == \"a\" }",
    "{ some rc in input.resource_changes; rc.type in {rc.kind} }",
    "{ some rc in array.concat(input.resource_changes, input.resource_drift); rc.chnage }",
    "{ holder := {\"rc\": input.resource_changes[0]}; holder.rc.acton }",
    "{ x := 1; x == 1; input.resource_changes[0].acton == 2 with data.a as x }",
    "input.resource_changes[\"t.a\"].type == \"a\"",
    "input.resource_changes[_].address.name == \"a\"",
    "input.resource_changes[_].change.actions.first == \"a\"",
    "input.resource_drift[_].change.action == \"a\"",
    "input.deferred_changes[_].change.actions == [\"create\"]",
    "input.output_changes.o.change.actions == [\"create\"]",
    "input.variables.region.default == \"a\"",
    "input.planned_values.resources[_].type == \"a\"",
    "input.planned_values.root_module.child_modules[_].child_modules[_].resource[_].type == \"a\"",
    "input.prior_state.values.root_module.resources[_].attributes.size == 1",
    "input.configuration.root_module.resource[_].type == \"a\"",
    "input.configuration.root_module.resources[_].expression.size == 1",
    "input.configuration.root_module.module_calls[_].module.module_calls[_].modul",
    "input.configuration.provider_config.aws.region == \"a\"",
    "input.checks[_].statuss == \"fail\"",
    "input.checks[_].instances[_].problems[_].text == \"a\"",
    "input.relevant_attributes[_].address == \"a\"",
    "input.resource_changes[_].change.importing.ids == \"a\"",
    "input.tfplan.resource_change[\"t.a\"].type == \"a\"",
    "input.tfplan.resource_changes[0].type == \"a\"",
    "input.tfplan.resource_changes[_].change.replace_paths[_] == [\"a\"]",
    "input.tfplan.planned_values.root_module.resources[_].type == \"a\"",
    "input.tfconfig.root_module.resources[_].type == \"a\"",
    "input.tfconfig.resources[_].expressions.size == 1",
    "input.tfconfig.resources[_].provisioners[_].kind == \"a\"",
    "input.tfstate.values.outputs.o == 1",
    "input.tfplan.raw.resource_change[_].type == \"a\"",
    "input.plan.configuration.root_modul.resources[_]",
    // Patterns.
    "{ some {\"chng\": c} in input.resource_changes; c == c }",
    "{ some _, {\"chng\": _} in input.resource_changes }",
    "{ {\"nope\": _} = input }",
    "{ some i; input.resource_changes[i] = {\"addr\": _} }",
    "{ {\"change\": {\"action\": a}} = input.resource_changes[_]; a == \"x\" }",
    "{ {\"resource_changes\": rs} := input; rs[_].chng }",
    "{ [{\"chng\": c}] := input.resource_changes; c == c }",
    "{ rc := input.resource_changes[_]; {\"chng\": _} = rc }",
    "{ every rc in input.resource_changes { {\"chng\": _} = rc } }",
    "{ [first, _] := input.resource_changes[0]; first == first }",
    // Comparisons with what is written.
    "input.resource_changes[_] == {\"chng\": 1}",
    "input.resource_changes[_] != {\"chng\": 1}",
    "{\"chng\": input.format_version} == input.resource_changes[_]",
    "input.resource_changes[_].change == {\"after\": {}, \"action\": [\"delete\"]}",
    "input.resource_changes == [{\"chng\": 1}]",
    "{\"chng\": 1} in input.resource_changes",
    // Objects that the policy extends.
    "object.union(input.resource_changes[_], {}).chng",
    "object.union(input.resource_changes[_], {\"extra\": 1}).chng",
    "object.union({\"extra\": 1}, input.resource_changes[_]).chng",
    "object.union_n([input.resource_changes[_], {\"extra\": 1}]).chng",
    "{ some rc in array.concat(input.resource_changes, [{\"type\": \"a\"}]); rc.chng }",
];

#[test]
fn fields_that_no_plan_has_are_refused_where_they_are_read() {
    for body in NOWHERE {
        let error = refused(&format!("deny contains \"x\" if {body}"));
        // Some of them are fields of the document.
        let kinds = [PolicyErrorKind::MissingField, PolicyErrorKind::NeedsWrapped];
        assert!(kinds.contains(&error.kind()), "{body}: {error}");
        assert_eq!(error.place().map(|place| place.line), Some(5), "{body}: {error}");
    }
}

/// Whole policies.
const THROUGH_RULES: &[&str] = &[
    "import input.tfplan as tfplan\n\ndeny contains \"x\" if tfplan.resource_chnages[_].type == \"a\"",
    "is_deleted(rc) if rc.change.action == \"delete\"\n\ndeny contains \"x\" if { some rc in input.resource_changes; is_deleted(rc) }",
    "id(x) := x\n\ndeny contains \"x\" if { some rc in input.resource_changes; id(rc).acton }",
    "change_of(rc) := rc.change\n\ndeny contains \"x\" if { some rc in input.resource_changes; change_of(rc).action }",
    "all contains rc if some rc in input.resource_changes\n\ndeny contains \"x\" if { some rc in all; rc.chnage }",
    "all contains rc if some rc in input.resource_changes\n\ndeny contains \"x\" if { all[rc]; rc.chnage }",
    "all[rc.address] := rc if some rc in input.resource_changes\n\ndeny contains \"x\" if all[_].chnage",
    "all[rc.type] contains rc if some rc in input.resource_changes\n\ndeny contains \"x\" if all[_][_].chnage",
    "name := input.resource_changes[0].name if input.resource_changes[0].type == \"q\"\n\
     else := input.runn.workspace.name\n\ndeny contains \"x\" if name == \"prod\"",
    "default is_prod := false\n\nis_prod if input.runn.workspace.name == \"prod\"\n\n\
     deny contains \"x\" if { is_prod; input.plan.errored }",
    "plan := input.tfplan if input.tfplan\nelse := input\n\ndeny contains \"x\" if plan.resource_chnages",
    "deny contains \"x\" if input.resource_changes[0].type == \"a\"\n\nwarn contains \"y\" if input.kind == \"Pod\"",
    "is_bad(rc) if rc.change.action == \"delete\"\n\nis_bad(rc) if rc.type == \"b\"\n\n\
     deny contains \"x\" if { some rc in input.resource_changes; is_bad(rc) }",
    "r := input.resource_changes[0] if { true } else := {}\n\ndeny contains \"x\" if r.chng",
    "r := input.resource_changes[0] if { true } else := {\"type\": \"none\"}\n\ndeny contains \"x\" if r.chng",
    "default r := {}\n\nr := input.resource_changes[0]\n\ndeny contains \"x\" if r.chng",
    "f({\"chng\": c}) := c\n\ndeny contains \"x\" if f(input.resource_changes[_])",
    "f(x) := x.change.action if x.mode == \"data\"\n\ndeny contains \"x\" if { some rc in input.resource_changes; f(rc) }",
];

#[test]
fn fields_are_followed_through_rules_and_functions() {
    for text in THROUGH_RULES {
        let error = refused(text);
        assert_eq!(error.kind(), PolicyErrorKind::MissingField, "{text}: {error}");
    }
}

const VALID: &[&str] = &[
    // Optional fields are read with a default.
    "deny contains \"x\" if { some rc in input.resource_changes; object.get(rc.change, \"action\", \"q\") == \"delete\" }",
    "deny contains \"x\" if { some rc in input.resource_changes; object.get(rc, [\"change\", \"action\"], \"q\") == \"a\" }",
    // One function for several kinds of values.
    "tags(x) := x.change.after.tags\n\ntags(x) := x.values.tags\n\n\
     deny contains \"x\" if { some rc in input.resource_changes; tags(rc).a }",
    "resources(i) := r if { i.plan.resource_changes == i.plan.resource_changes; r := i.plan.resource_changes }\n\n\
     resources(i) := r if { i.resource_changes == i.resource_changes; r := i.resource_changes }\n\n\
     deny contains \"x\" if { some rc in resources(input); rc.type == \"a\" }",
    "address(x) := x.resource_address\nelse := x.address\n\n\
     deny contains \"x\" if { some rc in input.resource_changes; address(rc) == \"a\" }",
    // Free-form values.
    "deny contains \"x\" if { rc := input.resource_changes[_]; rc.change.after.a.b.c; rc.change.before.d }",
    "deny contains \"x\" if { rc := input.resource_changes[_]; rc.change.after_unknown.a; rc.change.after_sensitive.b }",
    "deny contains \"x\" if { rc := input.resource_changes[_]; rc.change.before_identity.a; rc.change.after_full.b }",
    "deny contains \"x\" if input.variables.anything.value.at.all == 3",
    "deny contains \"x\" if input.planned_values.outputs.o.value.a == 1",
    "deny contains \"x\" if input.configuration.provider_config.aws.expressions.region.constant_value == \"a\"",
    "deny contains \"x\" if input.configuration.root_module.module_calls.m.module.resources[_].expressions.a.b",
    "deny contains \"x\" if input.prior_state.values.root_module.child_modules[_].resources[_].values.a",
    "deny contains \"x\" if input.action_invocations[_].config_values.a.b",
    "deny contains \"x\" if input.resource_changes[_].change.replace_paths[0][1] == \"a\"",
    "deny contains \"x\" if { some name, change in input.output_changes; change.actions == [name] }",
    "deny contains \"x\" if input.tfplan.resource_changes[\"t.a\"].change.after_full.a == 2",
    "deny contains \"x\" if input.tfconfig.providers.aws.config.region.constant_value == \"a\"",
    "deny contains \"x\" if { input.tfplan.raw.resource_changes[_].change.importing.id == \"a\" }",
    // Objects of the policy have their own fields.
    "deny contains \"x\" if { r := object.union(input.resource_changes[0], {\"extra\": {\"foo\": 1}}); r.extra.foo == 2 }",
    "deny contains \"x\" if { r := json.patch(input.resource_changes[0], []); r.whatever }",
    "deny contains \"x\" if { some r in [{\"a\": rc.address} | some rc in input.resource_changes]; r.a == \"b\" }",
    "deny contains \"x\" if { walk(input, [path, value]); value.acl == \"public\"; path[0] == \"a\" }",
    "modules contains m if { walk(input.planned_values, [_, m]); m.resources }\n\n\
     deny contains \"x\" if { some m in modules; m.resources[_].values.a }",
    "deny contains \"x\" if { some m in [\"actions\", \"action\"]; input.resource_changes[0].change[m] == [\"create\"] }",
    "deny contains \"x\" if { some part, values in input; part == \"variables\"; values.a.value == 1 }",
    "r := input.resource_changes[0] if { true } else := {\"chng\": 1}\n\ndeny contains \"x\" if r.chng",
    "deny contains \"x\" if { k := input.format_version; r := object.union(input.resource_changes[0], {k: 1}); r.chng }",
    "deny contains \"x\" if { all := {rc.type: 1 | some rc in input.resource_changes}; r := object.union(input.resource_changes[0], all); r.chng }",
    "deny contains \"x\" if { r := object.union_n([input.resource_changes[0], {\"extra\": {\"foo\": 1}}]); r.extra.foo }",
    "deny contains \"x\" if { {\"chng\": c} := {\"chng\": input.format_version}; c == \"1.2\" }",
    "deny contains \"x\" if { walk(input, [[\"a\"], {\"chng\": _}]) }",
    "deny contains \"x\" if { some {\"chng\": c} in input.resource_changes[_].change.after.list; c == 1 }",
    "deny contains \"x\" if input.resource_changes[_].change.after == {\"chng\": [1]}",
    "deny contains \"x\" if input.resource_changes[_].change.actions == [\"delete\", \"create\"]",
    "deny contains \"x\" if { [\"delete\", second] = input.resource_changes[_].change.actions; second == \"create\" }",
    "deny contains \"x\" if input.resource_changes[_].change.actions in [[\"delete\"], [\"create\", \"delete\"]]",
    "deny contains \"x\" if input.resource_changes[_].change.importing == {\"id\": \"a\"}",
    "deny contains \"x\" if { [\"a\", 1] in input.resource_changes[_].change.replace_paths }",
    "f({\"values\": v}) := v\n\nf({\"change\": c}) := c.after\n\n\
     deny contains \"x\" if { some rc in input.resource_changes; f(rc).a }",
    // Another input.
    "deny contains \"x\" if { r := input.items[0] with input as {\"items\": [{\"z\": 1}]}; r.z == input.resource_changes }",
    "wrong contains r.zzz if some r in input.items\n\n\
     deny contains \"x\" if count(wrong) > 3 with input as {\"items\": input.resource_changes}",
    // Rules that are not evaluated.
    "unused if input.foo.bar\n\ndeny contains \"x\" if input.resource_changes[0].type == \"a\"",
    "test_deny if input.foo\n\ndeny contains \"x\" if input.resource_changes[0].type == \"a\"",
];

#[test]
fn everything_else_is_accepted() {
    for text in VALID {
        if let Err(error) = compile(text) {
            panic!("{text}: {error}");
        }
    }
}

/// Policies for two forms of the input are evaluated over the one that is chosen: the other is undefined.
#[test]
fn policies_for_two_forms_are_evaluated_over_the_chosen_one() {
    let text = "plan := input.tfplan\nelse := input\n\nchanges contains rc if some rc in plan.resource_changes\n\n\
                changes contains rc if some rc in input.plan.resource_changes\n\n\
                deny contains rc.address if { some rc in changes; rc.change.actions == [\"create\"] }\n\n\
                deny contains rc.address if { some rc in input.resource_changes; rc.type == \"t\" }";
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a","mode":"managed","type":"t","name":"a",
        "change":{"actions":["create"],"before":null,"after":{},"after_unknown":{}}}]}"#;
    for (input, found) in
        [(InputMode::Raw, [1, 1]), (InputMode::Wrapped, [1, 0]), (InputMode::Collections, [1, 0])]
    {
        let policies = compile_as(text, input, None).unwrap_or_else(|error| panic!("{input:?}: {error}"));
        let verdicts = policies.evaluate(&file(plan)).unwrap();
        let counts: usize = verdicts.rules.iter().map(|rule| rule.findings.len()).sum();
        assert_eq!(counts, found.iter().sum::<usize>(), "{input:?}: {:?}", verdicts.rules);
    }
    let misspelt = text.replace("plan.resource_changes", "plan.resource_chnages");
    for input in [InputMode::Raw, InputMode::Wrapped, InputMode::Collections] {
        assert!(compile_as(&misspelt, input, None).is_err(), "{input:?}");
    }
}

#[test]
fn data_of_the_run_is_read_where_it_is_given() {
    let plan = r#"{"format_version":"1.2","resource_changes":[]}"#;
    let text = "deny contains input.run.name if input.plan.format_version == \"1.2\"";
    assert_eq!(refused(text).kind(), PolicyErrorKind::NeedsRun);
    let verdicts = compile_as(text, InputMode::Auto, Some("prod")).unwrap().evaluate(&file(plan)).unwrap();
    assert_eq!(verdicts.rules[0].findings[0].text(), "prod");
    let text = "deny contains input.tfrun.name if input.tfplan.format_version == \"1.2\"";
    assert_eq!(refused(text).kind(), PolicyErrorKind::NeedsWrapped);
    let error = compile_as(text, InputMode::Wrapped, None).unwrap_err();
    assert_eq!(error.kind(), PolicyErrorKind::NeedsRun);
    let verdicts = compile_as(text, InputMode::Wrapped, Some("prod")).unwrap().evaluate(&file(plan)).unwrap();
    assert_eq!(verdicts.rules[0].findings[0].text(), "prod");
    // It has the fields that it has.
    for body in [
        "input.run.nme",
        "not input.run.nme",
        "input[\"run\"].nme",
        "object.union(input.run, {}).nme",
        "{ r := input.run; r.nme }",
        "{ {\"nme\": n} := input.run; n }",
    ] {
        let text = format!("deny contains \"x\" if {body}");
        let error = compile_as(&text, InputMode::Auto, Some("prod")).unwrap_err();
        assert_eq!(error.kind(), PolicyErrorKind::MissingField, "{body}");
        assert!(error.message().contains("no field nme; did you mean name?"), "{body}: {error}");
        let wrapped =
            format!("{}\n\nwarn contains \"y\" if input.tfplan.errored", text.replace("run", "tfrun"));
        let error = compile_as(&wrapped, InputMode::Wrapped, Some("prod")).unwrap_err();
        assert_eq!(error.kind(), PolicyErrorKind::MissingField, "{body}");
    }
    for body in
        ["object.get(input.run, \"nme\", 1) == 2", "input.run.name.a.b", "{ some k, v in input.run; v.a }"]
    {
        let text = format!("deny contains \"x\" if {body}");
        assert!(compile_as(&text, InputMode::Auto, Some("prod")).is_ok(), "{body}");
    }
    // The document has no data of a run.
    let text = "deny contains \"x\" if { input.run.name == \"a\"; input.resource_changes }";
    assert!(compile_as(text, InputMode::Auto, Some("prod")).is_err());
}

#[test]
fn a_wrapped_document_has_unknown_values_and_addresses() {
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a","mode":"managed","type":"t","name":"a",
        "change":{"actions":["create"],"before":null,"after":{},"after_unknown":{"acl":true}}}],
        "planned_values":{"root_module":{"resources":[{"address":"t.a","mode":"managed","type":"t","name":"a",
        "values":{}}]}}}"#;
    let text = "deny_a contains \"t.a is public\" if input.tfplan.resource_changes[_].change.after.acl == \"public\"\n\n\
                deny_b contains \"y\" if input.tfplan.planned_values.root_module.resources[_].values.acl == \"public\"\n\n\
                deny_c contains sprintf(\"%s\", [rc.address]) if some rc in input.tfplan.resource_changes";
    let verdicts = compile_as(text, InputMode::Wrapped, None).unwrap().evaluate(&file(plan)).unwrap();
    let undecided: Vec<bool> = verdicts.rules.iter().map(|rule| rule.undecided.is_some()).collect();
    assert_eq!(undecided, [true, true, false], "{:?}", verdicts.rules);
    assert_eq!(verdicts.rules[2].findings[0].address.as_deref(), Some("t.a"));
}

#[test]
fn the_document_instead_of_the_collections_is_suggested() {
    let error = refused(
        "deny contains \"x\" if input.tfplan.configuration.root_module.module_calls[_].source == \"a\"",
    );
    assert_eq!(error.kind(), PolicyErrorKind::NeedsWrapped);
    let error = refused("deny contains \"x\" if input.resource_changes[_].change.action == \"a\"");
    assert!(error.message().contains("did you mean actions?"), "{error}");
    let error = refused("deny contains \"x\" if input.resource_chnages[_].type == \"a\"");
    assert!(error.message().contains("did you mean resource_changes?"), "{error}");
}
