//! Plans that are made with facts.

use objchange::change::{
    Action, PlanRequest, PlanResourceChange, PlannedResource, ProviderError, plan_change, proposed_new,
};
use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use objchange::{Type, Value};
use objchange_model::{PlayOptions, TypeModel, empty_value};

fn schema() -> Block {
    Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("name", Attribute::optional(Type::String)),
            ("policy", Attribute::optional(Type::String)),
            ("ports", Attribute::optional(Type::set(Type::Number))),
            ("size", Attribute::optional(Type::Number)),
            ("force", Attribute::optional(Type::Bool)),
            ("tags", Attribute::optional(Type::map(Type::String))),
            ("tags_all", Attribute::computed(Type::map(Type::String))),
            ("version", Attribute::computed(Type::Number)),
        ],
        [],
    )
}

fn model() -> TypeModel {
    let text = r#"{"probes":9,"parts":{
        "name":{"replaces":{"value":{"yes":4,"no":4,"paths":["name"],"when":"force"},"unset":{"yes":1,"no":1,"paths":["name"]}}},
        "policy":{"planned":{"json":{"usual":{"is":["kept"],"n":2}},"reconfigured":{"usual":{"is":["normal_json"],"n":2}}},
            "replaces":{"value":{"no":2}}},
        "ports":{"planned":{"partly_unknown":{"usual":{"is":["unknown"],"n":1}}}},
        "size":{"planned":{"created":{"usual":{"is":[{"constant":"8"}],"n":2}},"updated":{"usual":{"is":[{"constant":"8"}],"n":2}}},
            "replaces":{"value":{"no":2}}},
        "tags":{"replaces":{"set":{"no":1},"unset":{"no":1},"value":{"no":1}}},
        "tags_all":{"planned":{
            "created":{"usual":{"is":["unknown"],"n":3},"when":{"set tags":{"is":[{"copy_of":"tags"}],"n":2}}},
            "updated":{"usual":{"is":["kept"],"n":3},"when":{"value tags":{"is":[{"copy_of":"tags"}],"n":2}}}}},
        "version":{"planned":{"updated":{"usual":{"is":["kept"],"n":3},"when":{"value size":{"is":["unknown"],"n":2}}}}}}}"#;
    TypeModel::parse(text, &schema()).unwrap()
}

fn object(members: &[(&str, Value)]) -> Value {
    schema().coerce_config(&Value::object(members.iter().cloned())).unwrap()
}

fn tags(value: &str) -> Value {
    Value::map(Type::String, [("env", value)]).unwrap()
}

fn prior(members: &[(&str, Value)]) -> Value {
    let usual = [
        ("id", Value::from("i-1")),
        ("name", Value::from("a")),
        ("size", Value::from(8)),
        ("tags", tags("x")),
        ("tags_all", tags("x")),
        ("version", Value::from(3)),
    ];
    let all = usual.iter().chain(members).cloned();
    object(&all.collect::<Vec<_>>())
}

fn config(members: &[(&str, Value)]) -> Value {
    let usual = [("name", Value::from("a")), ("tags", tags("x"))];
    object(&usual.iter().chain(members).cloned().collect::<Vec<_>>())
}

/// Plans with the model, by the rules of Terraform Core around it.
fn change(prior: &Value, config: &Value, options: PlayOptions) -> objchange::change::PlannedChange {
    let (schema, model) = (schema(), model());
    let mut provider = |request: &PlanResourceChange| -> Result<PlannedResource, ProviderError> {
        Ok(model.play(&request.schema, request, options).answer)
    };
    plan_change(&PlanRequest::new(&schema, prior, config), &mut provider).unwrap()
}

fn usual(prior: &Value, config: &Value) -> objchange::change::PlannedChange {
    change(prior, config, PlayOptions::default())
}

#[test]
fn nothing_changes_where_nothing_is_changed() {
    for options in [false, true].map(|is_strict| PlayOptions { is_strict, ..PlayOptions::default() }) {
        let change = change(&prior(&[]), &config(&[]), options);
        assert_eq!((change.action, change.after), (Action::NoOp, prior(&[])));
    }
}

/// The older SDK has null and empty values for the same. A default is another value than an empty one.
#[test]
fn what_is_empty_stays_unless_there_is_a_default() {
    let log = Block::new([("name", Attribute::optional(Type::String))], []);
    let schema = Block::new(
        [
            ("name", Attribute::optional(Type::String)),
            ("keys", Attribute::computed(Type::list(Type::String))),
            ("quiet", Attribute::optional(Type::Bool)),
            ("on", Attribute::optional(Type::Bool)),
        ],
        [("log", NestedBlock::new(NestingMode::List, log))],
    );
    let text = r#"{"probes":9,"legacy":true,"parts":{
        "keys":{"planned":{"gained":{"usual":{"is":[{"constant":"[]"}],"n":3}}}},
        "on":{"planned":{"updated":{"usual":{"is":[{"constant":"true"}],"n":3}}}}}}"#;
    let model = TypeModel::parse(text, &schema).unwrap();
    let object = |on: Option<bool>, is_read: bool| {
        let optional = |value: Option<bool>| value.map_or(Value::null(Type::Bool), Value::from);
        let log = schema.block_type("log").unwrap().implied_type();
        let log = if is_read { Value::null(log) } else { empty_value(&log).unwrap() };
        Value::object([
            ("name", Value::from("a")),
            ("keys", Value::null(Type::list(Type::String))),
            ("quiet", optional(is_read.then_some(false))),
            ("on", optional(on)),
            ("log", log),
        ])
    };
    for (on, action) in [(Some(true), Action::NoOp), (Some(false), Action::Update)] {
        let (prior, config) = (object(on, true), object(None, false));
        let mut provider = |request: &PlanResourceChange| -> Result<PlannedResource, ProviderError> {
            Ok(model.play(&request.schema, request, PlayOptions::default()).answer)
        };
        let change = plan_change(&PlanRequest::new(&schema, &prior, &config), &mut provider).unwrap();
        assert_eq!(change.action, action, "{on:?}: {}", change.after);
    }
}

#[test]
fn a_new_object_gets_constants_and_copies() {
    let after = usual(&Value::null(schema().implied_type().clone()), &config(&[])).after;
    assert_eq!(after.attribute("size"), Some(&Value::from(8)));
    assert_eq!(after.attribute("tags_all"), Some(&tags("x")));
    assert!(!after.attribute("id").unwrap().is_known());
    let bare = object(&[("name", Value::from("a"))]);
    let after = usual(&Value::null(schema().implied_type().clone()), &bare).after;
    assert!(!after.attribute("tags_all").unwrap().is_known());
}

#[test]
fn computed_values_change_with_their_causes_alone() {
    let change = usual(&prior(&[]), &config(&[("tags", tags("y"))]));
    assert_eq!(change.action, Action::Update);
    assert_eq!(change.after.attribute("tags_all"), Some(&tags("y")));
    assert_eq!(change.after.attribute("version"), Some(&Value::from(3)));
    let change = usual(&prior(&[]), &config(&[("size", Value::from(9))]));
    assert!(!change.after.attribute("version").unwrap().is_known());
    assert_eq!(change.after.attribute("id"), Some(&Value::from("i-1")));
}

#[test]
fn a_flag_decides_whether_a_change_replaces() {
    let renamed = |force: Value| usual(&prior(&[]), &config(&[("name", Value::from("b")), ("force", force)]));
    assert_eq!(renamed(Value::from(true)).action, Action::DeleteThenCreate);
    let kept = renamed(Value::from(false));
    assert_eq!((kept.action, kept.may_replace), (Action::Update, false));
    let unknown = renamed(Value::unknown(Type::Bool));
    assert_eq!((unknown.action, unknown.may_replace), (Action::Update, true));
    // Values that the provider chooses may be those of a new object.
    assert!(!unknown.after.attribute("id").unwrap().is_known());
}

#[test]
fn probes_that_disagree_leave_it_undecided() {
    let unnamed = object(&[("tags", tags("x"))]);
    let change = usual(&prior(&[]), &unnamed);
    assert_eq!((change.action, change.may_replace), (Action::Update, true));
}

#[test]
fn a_strict_plan_relies_on_probes_alone() {
    let strict = PlayOptions { is_strict: true, ..PlayOptions::default() };
    // No probe has set the ports.
    let ports = Value::set(Type::Number, [80]).unwrap();
    let change = change(&prior(&[]), &config(&[("ports", ports)]), strict);
    assert!(change.may_replace);
    assert!(!change.after.attribute("version").unwrap().is_known());
}

#[test]
fn other_settings_of_the_provider_may_add_to_copies() {
    let other = PlayOptions { has_other_settings: true, ..PlayOptions::default() };
    let after = change(&prior(&[]), &config(&[("tags", tags("y"))]), other).after;
    assert!(!after.attribute("tags_all").unwrap().is_known());
}

#[test]
fn documents_are_compared_as_json() {
    let before = prior(&[("policy", Value::from(r#"{"a":1,"b":[2]}"#))]);
    let written = |text: &str| usual(&before, &config(&[("policy", Value::from(text))]));
    assert_eq!(written("{ \"b\": [2],\n \"a\": 1 }\n").action, Action::NoOp);
    let change = written("{ \"b\": [3], \"a\": 1 }");
    assert_eq!(change.after.attribute("policy"), Some(&Value::from(r#"{"a":1,"b":[3]}"#)));
    // Numbers that a reader may round to one, and repeated keys, are not taken for the same.
    for text in [r#"{"a":1.0,"b":[2]}"#, r#"{"a":1,"a":1,"b":[2]}"#] {
        assert_ne!(written(text).action, Action::NoOp, "{text}");
    }
}

#[test]
fn a_set_with_an_unknown_element_is_unknown_as_a_whole() {
    let ports = Value::set(Type::Number, [Value::from(80), Value::unknown(Type::Number)]).unwrap();
    let after = usual(&prior(&[]), &config(&[("ports", ports)])).after;
    assert!(!after.attribute("ports").unwrap().is_known());
    let nothing = Value::null(schema().implied_type().clone());
    let proposed = proposed_new(&schema(), &nothing, &config(&[])).unwrap();
    assert!(proposed.attribute("ports").unwrap().is_null());
}

/// A fact that a change replaces the object is not lost where no path leads to the change, or where a flag becomes unknown.
#[test]
fn replacements_without_a_path_and_unknown_flags_are_open() {
    let nested = NestedType::new(NestingMode::Map, [("a", Attribute::optional(Type::String))]);
    let schema =
        Block::new([("force", Attribute::optional(Type::Bool)), ("rules", Attribute::optional(nested))], []);
    let text = r#"{"probes":4,"parts":{
        "force":{"replaces":{"true":{"yes":2,"paths":["force"]},"false":{"no":2}}},
        "rules.a":{"replaces":{"value":{"yes":2,"paths":["rules.a"]}}}}}"#;
    let model = TypeModel::parse(text, &schema).unwrap();
    let plan = |before: Value, after: Value| {
        let (before, after) = (schema.coerce_config(&before).unwrap(), schema.coerce_config(&after).unwrap());
        let request = PlanResourceChange::new(&schema, &before, &after, &after);
        model.play(&schema, &request, PlayOptions::default())
    };
    let rules = |a: &str| {
        let rule = Value::object([("a", a)]);
        Value::object([("rules", Value::object([("k", rule)]))])
    };
    let replaced = plan(rules("x"), rules("y"));
    assert!(replaced.may_replace || !replaced.answer.requires_replace.is_empty());
    let flag = |value: Value| Value::object([("force", value)]);
    let open = plan(flag(Value::from(false)), flag(Value::unknown(Type::Bool)));
    assert!(open.may_replace);
    assert!(!plan(flag(Value::from(true)), flag(Value::from(false))).may_replace);
}

/// New elements of a set are planned by the facts, however many there are, and the others stay.
#[test]
fn elements_of_large_sets_are_planned() {
    let rule = Block::new(
        [
            ("port", Attribute::required(Type::Number)),
            ("id", Attribute::computed(Type::String)),
            ("kind", Attribute::optional_computed(Type::String)),
            ("note", Attribute::optional(Type::String)),
        ],
        [],
    );
    let schema = Block::new::<&str>([], [("rule", NestedBlock::new(NestingMode::Set, rule))]);
    let text = r#"{"probes":4,"parts":{
        "rule.id":{"planned":{"added":{"usual":{"is":["unknown"],"n":2}}}},
        "rule.kind":{"planned":{"added":{"usual":{"is":[{"constant":"\"tcp\""}],"n":2}}}}}}"#;
    let model = TypeModel::parse(text, &schema).unwrap();
    let element = |port: i64, [id, kind, note]: [Option<&str>; 3]| {
        let text = |text: Option<&str>| text.map_or(Value::null(Type::String), Value::from);
        Value::object([
            ("port", Value::from(port)),
            ("id", text(id)),
            ("kind", text(kind)),
            ("note", text(note)),
        ])
    };
    for count in [3, 1_000] {
        let rules =
            |all: Vec<Value>| schema.coerce_config(&Value::object([("rule", Value::tuple(all))])).unwrap();
        // The older SDK keeps an empty text where nothing is set.
        let known = |port| element(port, [Some("r"), Some("udp"), Some("")]);
        let prior = rules((0..count).map(known).collect());
        let config = rules((1..=count).map(|port| element(port, [None; 3])).collect());
        let proposed = proposed_new(&schema, &prior, &config).unwrap();
        let request = PlanResourceChange::new(&schema, &prior, &config, &proposed);
        let planned = model.play(&schema, &request, PlayOptions::default()).answer.planned;
        let planned = planned.attribute("rule").unwrap().as_elements().unwrap();
        assert_eq!(planned.len() as i64, count);
        for rule in planned {
            let port = rule.attribute("port").unwrap();
            let (id, kind) = (rule.attribute("id").unwrap(), rule.attribute("kind").unwrap());
            if *port == Value::from(count) {
                assert!(!id.is_known() && *kind == Value::from("tcp"), "{rule}");
            }
        }
    }
}

/// Providers add defaults to documents. A document that is a part of the one before may change nothing.
#[test]
fn documents_with_defaults_of_the_provider() {
    let schema = Block::new([("text", Attribute::required(Type::String))], []);
    let text = r#"{"probes":4,"parts":{"text":{"planned":{
        "json":{"usual":{"is":["kept"],"n":2}},"json_empty":{"usual":{"is":["kept"],"n":2}},
        "reconfigured":{"usual":{"is":["normal_json"],"n":2}}},
        "replaces":{"value":{"yes":2,"paths":["text"]}}}}}"#;
    let model = TypeModel::parse(text, &schema).unwrap();
    let plan = |before: &str, after: &str| {
        let object = |text: &str| schema.coerce_config(&Value::object([("text", text)])).unwrap();
        let request = PlanResourceChange::new(&schema, &object(before), &object(after), &object(after));
        model.play(&schema, &request, PlayOptions::default())
    };
    let before = r#"{"a":"x","b":[],"c":"default"}"#;
    let same = plan(before, r#"{ "c": "default", "a": "x" }"#);
    assert_eq!(same.answer.planned.attribute("text"), Some(&Value::from(before)));
    assert!(same.answer.requires_replace.is_empty() && !same.may_replace);
    let part = plan(before, r#"{"a":"x"}"#);
    assert!(part.may_replace && part.answer.requires_replace.is_empty());
    assert!(!part.answer.planned.attribute("text").unwrap().is_known());
    let other = plan(before, r#"{ "a": "y" }"#);
    assert_eq!(other.answer.planned.attribute("text"), Some(&Value::from(r#"{"a":"y"}"#)));
    assert!(!other.may_replace && other.answer.requires_replace.len() == 1);
}

/// A value that becomes unknown beside other changes stays as it is set where nothing changes.
#[test]
fn an_unchanged_value_stays_where_nothing_changes() {
    let text = || Attribute::optional(Type::String);
    let schema = Block::new([("a", text()), ("b", text())], []);
    let facts = r#"{"probes":4,"legacy":true,"parts":{"a":{"planned":{"unchanged":{"usual":{"is":["unknown"],"n":2}}}},
        "b":{"replaces":{"value":{"no":2}}}}}"#;
    let model = TypeModel::parse(facts, &schema).unwrap();
    let object = |b: &str| schema.coerce_config(&Value::object([("a", "x"), ("b", b)])).unwrap();
    let plan = |b: &str| {
        let request = PlanResourceChange::new(&schema, &object("y"), &object(b), &object(b));
        model.play(&schema, &request, PlayOptions::default()).answer.planned
    };
    assert_eq!(plan("y"), object("y"));
    assert!(!plan("z").attribute("a").unwrap().is_known());
}

/// The value of an argument, and whether another one is set, may decide about a part.
#[test]
fn values_and_presence_of_arguments_decide() {
    let record = Type::object([("domain", Type::String), ("value", Type::String)]);
    let text = || Attribute::optional(Type::String);
    let schema = Block::new(
        [
            ("domain", text()),
            ("others", Attribute::optional_computed(Type::set(Type::String))),
            ("method", text()),
            ("records", Attribute::computed(Type::set(record))),
            ("policy", text()),
            ("scope", Attribute::optional_computed(Type::String)),
            ("protocol", Attribute::optional_computed(Type::String)),
        ],
        [],
    );
    let model = r#"{"probes":9,"parts":{
        "others":{"planned":{"created":{"usual":{"is":[{"collected":{"of":["domain","others"]}}],"n":3}}}},
        "records":{"planned":{"created":{"usual":{"is":["unknown"],"n":3},"with":{"method":{
            "DNS":{"is":[{"collected":{"of":["domain","others"],"as":"domain"}}],"n":2},"EMAIL":{"is":["unknown"],"n":2}}}},
            "updated":{"usual":{"is":["kept"],"n":3}}}},
        "scope":{"planned":{"updated":{"alone":{"is":["kept"],"n":3},
            "beside":{"policy":{"is":[{"constant":"\"all\""}],"n":3}}}}},
        "protocol":{"planned":{"updated":{"usual":{"is":["upper_case"],"n":3}}}}}}"#;
    let model = TypeModel::parse(model, &schema).unwrap();
    let object =
        |members: &[(&str, Value)]| schema.coerce_config(&Value::object(members.iter().cloned())).unwrap();
    let planned = |prior: Option<&Value>, config: &Value| {
        let nothing = Value::null(schema.implied_type().clone());
        let prior = prior.unwrap_or(&nothing);
        let proposed = proposed_new(&schema, prior, config).unwrap();
        let request = PlanResourceChange::new(&schema, prior, &proposed, config);
        model.play(&schema, &request, PlayOptions::default()).answer.planned
    };
    let of = |object: &Value, name: &str| object.attribute(name).unwrap().clone();
    let certificate = |method: &str| object(&[("domain", Value::from("a")), ("method", Value::from(method))]);
    let created = planned(None, &certificate("DNS"));
    assert_eq!(of(&created, "others").to_string(), r#"["a"]"#);
    assert_eq!(of(&of(&created, "records").as_elements().unwrap()[0], "domain"), Value::from("a"));
    // No probe has had the last one.
    for method in ["EMAIL", "SMOKE"] {
        assert!(!of(&planned(None, &certificate(method)), "records").is_known(), "{method}");
    }
    let before = |policy: Value| {
        object(&[("policy", policy), ("scope", Value::from("some")), ("protocol", Value::from("http"))])
    };
    let with = planned(Some(&before(Value::from("p"))), &object(&[("policy", Value::from("p"))]));
    assert_eq!([of(&with, "scope"), of(&with, "protocol")], [Value::from("all"), Value::from("HTTP")]);
    let without = planned(Some(&before(Value::null(Type::String))), &object(&[]));
    assert_eq!(of(&without, "scope"), Value::from("some"));
}
