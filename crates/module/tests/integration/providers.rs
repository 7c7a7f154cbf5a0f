//! Answers in place of providers.

use std::collections::BTreeMap;

use objchange::change::{Action, PlanRequest, PlanResourceChange, Planning, begin_plan, proposed_new};
use objchange::schema::{ProviderSchemas, Schema, SchemaKind};
use objchange::{Type, Value};
use objchange_hcl::Functions;
use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use objchange_module::plan::{ActionReason, ImportedBy, PlanInput, PlanOptions, plan};
use objchange_module::state::PriorState;
use objchange_module::{
    AnsweringProviders, Answers, DataAnswer, ImportAnswer, MoveObject, ProviderAddress, ProviderCall,
    ProviderConfigAddress, ProviderObject, ProviderReply, Providers, ProvidersExt, Schemas,
    SimulatedProviders,
};

fn id(text: &str) -> ImportedBy {
    ImportedBy::Id(Value::from(text))
}

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/local/sim":{
    "resource_schemas":{"sim_thing":{"version":0,"block":{
        "attributes":{
            "id":{"type":"string","computed":true},
            "name":{"type":"string","optional":true,"computed":true},
            "secret":{"type":"string","computed":true,"sensitive":true},
            "size":{"type":"number","computed":true},
            "parts":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{
                "label":{"type":"string","optional":true},
                "made":{"type":"string","computed":true}}}}},
        "block_types":{"rule":{"nesting_mode":"list","block":{"attributes":{
            "port":{"type":"number","required":true},
            "made":{"type":"string","computed":true}}}}}}}},
    "data_source_schemas":{"sim_lookup":{"version":0,"block":{"attributes":{
        "key":{"type":"string","required":true},
        "out":{"type":"string","computed":true},
        "names":{"type":["list","string"],"computed":true}}}}}}}}"#;

fn schemas() -> Schemas {
    Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()])
}

fn provider(name: &str) -> ProviderConfigAddress {
    let provider = match name {
        "terraform" => ProviderAddress::builtin(),
        name => ProviderAddress { namespace: "local".into(), ..ProviderAddress::implied(name) },
    };
    ProviderConfigAddress { module: Vec::new(), provider, alias: None }
}

fn schema(kind: SchemaKind, name: &str) -> Schema {
    let address = provider(name.split('_').next().unwrap_or_default()).provider;
    schemas().get(&address, kind, name).unwrap().unwrap().clone()
}

/// The planned `sim_thing`, or the provider's diagnostic.
fn planned(answers: &Answers, address: &str, config: &Value) -> String {
    let schema = schema(SchemaKind::Resource, "sim_thing").block;
    let config = schema.coerce_config(config).unwrap();
    let prior = Value::null(schema.implied_type().clone());
    let proposed = proposed_new(&schema, &prior, &config).unwrap();
    let request = PlanResourceChange::new(&schema, &prior, &proposed, &config);
    let mut providers = AnsweringProviders::new(answers, SimulatedProviders::default());
    let planned = providers.plan(&provider("sim"), "sim_thing", address, &request).unwrap();
    match planned.diagnostics.first() {
        Some(diagnostic) => format!("{}: {}", diagnostic.summary, diagnostic.detail),
        None => planned.planned.to_string(),
    }
}

#[test]
fn computed_attributes_are_answered_by_address_and_by_type() {
    let answers = Answers::parse(
        r#"{"resources":{
            "sim_thing":{"id":"any","name":"any","parts":{"made":"p"},"rule":[{"made":"r0"},{"made":"r1"}]},
            "sim_thing.a":{"id":"all","size":{"$unknown":{}}},
            "module.m[\"k\"].sim_thing.a[1]":{"id":"one","size":"7"}}}"#,
    )
    .unwrap();
    assert!(answers.check(&schemas()).is_empty());
    let config = Value::object([
        ("name", Value::from("n")),
        ("parts", Value::tuple([Value::object([("label", "l")])])),
        ("rule", Value::tuple([Value::object([("port", 1)]), Value::object([("port", 2)])])),
    ]);
    assert_eq!(
        planned(&answers, "sim_thing.x", &config),
        r#"{id = "any", name = "n", parts = [{label = "l", made = "p"}], rule = [{made = "r0", port = 1}, {made = "r1", port = 2}], secret = (known after apply), size = (known after apply)}"#
    );
    let empty = Value::object::<&str, Value>([]);
    let id = |address: &str| {
        let told = planned(&answers, address, &empty);
        told.split_once(", name")
            .map(|(start, rest)| (start.to_owned(), rest.ends_with("size = 7}")))
            .unwrap()
    };
    assert_eq!(id("sim_thing.a"), (r#"{id = "all""#.to_owned(), false));
    assert_eq!(id("sim_thing.a[0]"), (r#"{id = "all""#.to_owned(), false));
    assert_eq!(id(r#"module.m["k"].sim_thing.a[1]"#), (r#"{id = "one""#.to_owned(), true));
    assert_eq!(id(r#"module.m["k"].sim_thing.a[2]"#), (r#"{id = "any""#.to_owned(), false));
}

#[test]
fn what_is_configured_is_stronger_than_an_answer_even_where_it_is_unknown() {
    let answers = Answers::parse(r#"{"resources":{"sim_thing":{"name":"answer"}}}"#).unwrap();
    let config = Value::object([("name", Value::unknown(objchange::Type::String))]);
    assert!(planned(&answers, "sim_thing.a", &config).contains("name = (known after apply)"));
}

#[test]
fn data_sources_and_imports_are_answered() {
    let answers = Answers::parse(
        r#"{"data":{"data.sim_lookup.l":{"key":"other","out":"o"},"sim_lookup":{"names":["n"]}},
            "imports":{"sim_thing.a":{"id":"1","rule":[]}}}"#,
    )
    .unwrap();
    let data = schema(SchemaKind::DataSource, "sim_lookup");
    let config = data.block.coerce_config(&Value::object([("key", "k")])).unwrap();
    let mut providers = AnsweringProviders::new(&answers, SimulatedProviders::default());
    let mut read = |address: &str| match providers.read_data(&provider("sim"), address, &data, &config) {
        DataAnswer::Known(object, _) => object.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(read("data.sim_lookup.l[0]"), r#"{key = "k", names = (known after apply), out = "o"}"#);
    assert_eq!(read("data.sim_lookup.m"), r#"{key = "k", names = ["n"], out = (known after apply)}"#);
    let thing = schema(SchemaKind::Resource, "sim_thing");
    let ImportAnswer::Known(object, _) = providers.import(&provider("sim"), "sim_thing.a", &thing, &id("1"))
    else {
        panic!("there is an answer")
    };
    assert_eq!(
        object.value.to_string(),
        r#"{id = "1", name = null, parts = null, rule = [], secret = null, size = null}"#
    );
    let other = providers.import(&provider("sim"), "sim_thing.b", &thing, &id("2"));
    assert!(matches!(other, ImportAnswer::NotKnown));
    let open = Answers::parse(r#"{"imports":{"sim_thing.a":{"id":"1","name":{"$unknown":{}}}}}"#).unwrap();
    let mut providers = AnsweringProviders::new(&open, SimulatedProviders::default());
    let answer = providers.import(&provider("sim"), "sim_thing.a", &thing, &id("1"));
    assert!(matches!(answer, ImportAnswer::NotKnown));
}

#[test]
fn a_data_source_that_is_answered_in_part_is_not_read() {
    let main = "terraform {\n  required_providers {\n    sim = { source = \"local/sim\" }\n  }\n}\n\
                data \"sim_lookup\" \"l\" {\n  key = \"k\"\n}\n\
                resource \"sim_thing\" \"a\" {\n  count = length(data.sim_lookup.l.names)\n}\n\
                output \"o\" {\n  value = data.sim_lookup.l.out\n}\n";
    let files: MemoryFiles = [("main.tf", main)].into_iter().collect();
    let options = LoadOptions::new("1.15.5");
    let (config, found) = Config::load(&files, ".", &options);
    assert!(!found.has_errors());
    let planned = |answers: &str| {
        let answers = Answers::parse(answers).unwrap();
        let input = PlanInput {
            config: &config,
            schemas: &schemas(),
            state: &PriorState::default(),
            variables: &BTreeMap::new(),
            functions: Functions::pure(),
            options: &PlanOptions::default(),
        };
        plan(&input, &mut AnsweringProviders::new(&answers, SimulatedProviders::default()))
    };
    let partly = planned(r#"{"data":{"sim_lookup":{"out":"o"}}}"#);
    assert!(!partly.errored && !partly.complete, "{:?}", partly.diagnostics);
    assert_eq!(partly.undecided.len(), 1);
    assert_eq!(partly.undecided[0].because_of, ["data.sim_lookup.l"]);
    assert_eq!(partly.changes[0].reason, Some(ActionReason::ReadBecauseSimulated));
    assert_eq!(partly.outputs["o"].after, Value::from("o"));
    assert!(partly.prior_state.resources.is_empty());
    let wholly = planned(r#"{"data":{"sim_lookup":{"out":"o","names":["n"]}}}"#);
    assert_eq!((wholly.undecided.len(), wholly.changes.len()), (0, 1));
}

#[test]
fn mocks_are_answers() {
    let text = "mock_resource \"sim_thing\" {\n  defaults = {\n    id = upper(\"x\")\n  }\n  override_during = plan\n}\n\
                override_resource {\n  target = module.m.sim_thing.a\n  values = {\n    id = \"own\"\n  }\n}\n\
                mock_provider \"sim\" {\n  override_data {\n    target = data.sim_lookup.l\n    values = {\n      out = \"o\"\n    }\n  }\n}\n";
    let answers = Answers::parse_mock(text).unwrap();
    assert!(answers.check(&schemas()).is_empty());
    let empty = Value::object::<&str, Value>([]);
    assert!(planned(&answers, "sim_thing.b", &empty).starts_with(r#"{id = "X""#));
    assert!(planned(&answers, "module.m.sim_thing.a[0]", &empty).starts_with(r#"{id = "own""#));
}

#[test]
fn answers_that_cannot_be_used_are_told_with_their_place_and_without_their_values() {
    for (text, wanted) in [
        (r#"{"dat":{}}"#, "line 1, column 8: there are no answers called \"dat\""),
        (r#"{"data":{"sim_thing.a":{}}}"#, "line 1, column 24: \"sim_thing.a\" is not the address"),
        (r#"{"imports":{"sim_thing":{}}}"#, "is not the address"),
        (r#"{"resources":{"sim_thing":["hunter"]}}"#, "sim_thing: an object of attributes is expected"),
        (r#"{"requires_replace":{"sim_thing":["hunter["]}}"#, "this is not a path"),
        (r#"{"resources":{"sim_thing":{"id":"hunter}}}"#, "line 1, column"),
        (r#"{"resources":{"sim_thing":{"id":1,"id":2}}}"#, "line 1, column"),
    ] {
        let told = Answers::parse(text).unwrap_err().to_string();
        assert!(told.contains(wanted) && !told.contains("hunter"), "{text}: {told}");
    }
    for (text, wanted) in [
        ("mock_thing \"a\" {}\n", "line 1, column 1: there are no answers called \"mock_thing\""),
        ("mock_data {}\n", "has one label"),
        ("override_data {\n  values = {}\n}\n", "needs a target"),
        ("override_data {\n  target = sim_thing.a\n}\n", "is not what override_data is for"),
        ("mock_data \"sim_lookup\" {\n  defaults = {\n    out = var.x\n  }\n}\n", "line 3, column 11"),
        (
            "mock_data \"sim_lookup\" {\n  defaults = \"hunter\"\n}\n",
            "line 2, column 14: defaults is an object",
        ),
        ("override_module {\n  target = module.m\n}\n", "outputs of a module"),
        ("mock_data \"a\" {", "line 1"),
    ] {
        let told = Answers::parse_mock(text).unwrap_err().to_string();
        assert!(told.contains(wanted) && !told.contains("hunter"), "{text}: {told}");
    }
    let answers = Answers::parse(
        r#"{"resources":{"sim_thing.a":{"nope":1},
            "sim_thing":{"size":"hunter"},
            "sim_other":{}},
            "data":{"sim_lookup":{"names":{"a":"hunter"}}}}"#,
    )
    .unwrap();
    let told: Vec<String> = answers.check(&schemas()).iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(
        told.iter()
            .any(|told| told.contains("sim_thing.a: the schema has no attribute or block type \"nope\""))
    );
    assert!(told.iter().any(|told| told.contains("line 3, column 13: sim_other: no schema has")
        || told.contains("sim_other: no schema has the resource type sim_other")));
    assert!(told.iter().all(|told| !told.contains("hunter") && told.starts_with("line ")), "{told:?}");
    assert!(!format!("{answers:?}").contains("hunter"));
    let empty = Value::object::<&str, Value>([]);
    let wrong = planned(&answers, "sim_thing.b", &empty);
    assert!(wrong.starts_with("Unusable answer: The answer for sim_thing.b on line 2, column"), "{wrong}");
    assert!(!wrong.contains("hunter"));
}

#[test]
fn what_nobody_has_answered_makes_a_form_that_answers_nothing() {
    let answers = Answers::default();
    let mut providers = AnsweringProviders::new(&answers, SimulatedProviders::default());
    let data = schema(SchemaKind::DataSource, "sim_lookup");
    let config = data.block.coerce_config(&Value::object([("key", "k")])).unwrap();
    providers.read_data(&provider("sim"), "data.sim_lookup.l", &data, &config);
    let thing = schema(SchemaKind::Resource, "sim_thing");
    providers.import(&provider("sim"), "sim_thing.a", &thing, &id("1"));
    let prior = Value::null(thing.block.implied_type().clone());
    let config = thing.block.coerce_config(&Value::object([("name", "n")])).unwrap();
    let proposed = proposed_new(&thing.block, &prior, &config).unwrap();
    let request = PlanResourceChange::new(&thing.block, &prior, &proposed, &config);
    providers.plan(&provider("sim"), "sim_thing", "sim_thing.b", &request).unwrap();
    let template = providers.unanswered.template();
    let json: serde_json::Value = serde_json::from_str(&template).unwrap();
    let names = |part: &serde_json::Value| part.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&json["data"]["data.sim_lookup.l"]), ["names", "out"]);
    assert_eq!(names(&json["resources"]["sim_thing"]), ["id", "secret", "size"]);
    assert!(names(&json["imports"]["sim_thing.a"]).contains(&"id".to_owned()));
    let filled = Answers::parse(&template).unwrap();
    assert!(filled.check(&schemas()).is_empty());
    let empty = Value::object([("name", "n")]);
    assert_eq!(planned(&filled, "sim_thing.b", &empty), planned(&Answers::default(), "sim_thing.b", &empty));
}

#[test]
fn strict_providers_keep_no_computed_attribute_of_an_object_that_is_updated() {
    let schema = schema(SchemaKind::Resource, "sim_thing").block;
    let prior = Value::object([("id", Value::from("1")), ("name", "old".into()), ("size", Value::from(3))]);
    let prior = schema.coerce_config(&prior).unwrap();
    let update = |name: &str, is_strict: bool| {
        let config = schema.coerce_config(&Value::object([("name", name)])).unwrap();
        let proposed = proposed_new(&schema, &prior, &config).unwrap();
        let request = PlanResourceChange::new(&schema, &prior, &proposed, &config);
        let mut providers = SimulatedProviders { is_strict, ..SimulatedProviders::default() };
        let planned = providers.plan(&provider("sim"), "sim_thing", "sim_thing.a", &request).unwrap().planned;
        ["id", "name", "size"].map(|name| planned.attribute(name).unwrap().to_string())
    };
    assert_eq!(update("new", false), [r#""1""#, r#""new""#, "3"]);
    assert_eq!(update("new", true), ["(known after apply)", r#""new""#, "(known after apply)"]);
    assert_eq!(update("old", true), [r#""1""#, r#""old""#, "3"]);
}

/// Arguments that are also computed, wherever a schema may have them.
const OPEN: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/local/sim":{
    "resource_schemas":{"sim_open":{"version":0,"block":{
        "attributes":{
            "id":{"type":"string","computed":true},
            "name":{"type":"string","required":true},
            "special":{"type":"bool","optional":true,"computed":true},
            "zones":{"type":["list","string"],"optional":true,"computed":true},
            "one":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{
                "a":{"type":"string","optional":true},"b":{"type":"string","optional":true,"computed":true}}}},
            "many":{"optional":true,"computed":true,"nested_type":{"nesting_mode":"set","attributes":{
                "a":{"type":"string","optional":true},"b":{"type":"string","optional":true,"computed":true}}}},
            "keyed":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
                "a":{"type":"string","optional":true},"b":{"type":"string","optional":true,"computed":true}}}}},
        "block_types":{
            "rule":{"nesting_mode":"set","block":{"attributes":{
                "port":{"type":"number","required":true},
                "made":{"type":"string","computed":true},
                "kind":{"type":"string","optional":true,"computed":true}}}},
            "log":{"nesting_mode":"list","block":{"attributes":{},"block_types":{
                "to":{"nesting_mode":"single","block":{"attributes":{
                    "level":{"type":"string","optional":true,"computed":true}}}}}}},
            "disk":{"nesting_mode":"list","computed":true,"block":{"attributes":{
                "size":{"type":"number","optional":true,"computed":true}}}}}}}}}}}"#;

/// Whether a strict plan leaves an object as it is that has `more` beside its identifier and its name, where
/// configuration has `config` beside the name.
fn stays(more: (&str, Value), config: Option<(&str, Value)>) -> bool {
    let schemas = Schemas::new([ProviderSchemas::parse(OPEN).unwrap()]);
    let schema = schemas.get(&provider("sim").provider, SchemaKind::Resource, "sim_open").unwrap().unwrap();
    let schema = &schema.block;
    let name = || ("name", Value::from("n"));
    let prior = schema.coerce_config(&Value::object([("id", "1".into()), name(), more])).unwrap();
    let config = schema.coerce_config(&Value::object(config.into_iter().chain([name()]))).unwrap();
    let mut simulated = SimulatedProviders { is_strict: true, ..SimulatedProviders::default() };
    let provider = provider("sim");
    let mut asked =
        |request: &PlanResourceChange| simulated.plan(&provider, "sim_open", "sim_open.a", request);
    let mut planning = begin_plan(&PlanRequest::new(schema, &prior, &config)).unwrap();
    loop {
        planning = match planning {
            Planning::Ask(question) => {
                let answer = asked(question.request()).unwrap();
                question.answer(answer).unwrap()
            }
            Planning::Done(change) => {
                assert_eq!(change.violations, [], "{:?}", change.after);
                return change.action == Action::NoOp;
            }
        };
    }
}

#[test]
fn strict_providers_may_change_what_configuration_leaves_out() {
    let object = |members: &[(&str, &str)]| Value::object(members.iter().copied());
    let rule = |kind: Option<&str>, made: Option<&str>| {
        let members = [
            ("port", Some(Value::from(80))),
            ("kind", kind.map(Value::from)),
            ("made", made.map(Value::from)),
        ];
        let members = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
        Value::tuple([Value::object(members)])
    };
    let list = |object: Value| Value::tuple([object]);
    let keyed = |object: Value| Value::object([("k", object)]);
    let to = |members: &[(&str, &str)]| list(Value::object([("to", object(members))]));
    let (full, part) = ([("a", "x"), ("b", "y")], [("a", "x")]);
    for (name, prior, left_out, set) in [
        ("special", Value::from(false), None, Value::from(false)),
        ("zones", list("a".into()), None, list("a".into())),
        ("zones", Value::tuple([] as [Value; 0]), None, Value::tuple([] as [Value; 0])),
        ("one", object(&full), Some(object(&part)), object(&full)),
        ("many", list(object(&full)), Some(list(object(&part))), list(object(&full))),
        ("many", list(object(&[("b", "y")])), None, list(object(&[("b", "y")]))),
        ("keyed", keyed(object(&full)), Some(keyed(object(&part))), keyed(object(&full))),
        ("rule", rule(Some("k"), Some("m")), Some(rule(None, None)), rule(Some("k"), None)),
        ("log", to(&[("level", "info")]), Some(to(&[])), to(&[("level", "info")])),
        ("disk", list(Value::object([("size", 1)])), None, list(Value::object([("size", 1)]))),
        (
            "disk",
            list(Value::object([("size", 1)])),
            Some(list(object(&[]))),
            list(Value::object([("size", 1)])),
        ),
    ] {
        assert!(!stays((name, prior.clone()), left_out.map(|config| (name, config))), "{name} is left out");
        assert!(stays((name, prior), Some((name, set))), "{name} is set");
    }
    // Without a value in the state there is nothing that may go.
    assert!(stays(("special", Value::null(Type::Bool)), None));
    assert!(stays(("one", object(&part)), Some(("one", object(&part)))));
    assert!(stays(("rule", rule(None, Some("m"))), Some(("rule", rule(None, None)))));
}

/// A type of the older SDK: its `id` can be set, and is computed.
const LEGACY: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/local/sim":{
    "resource_schemas":{"sim_old":{"version":0,"block":{
        "attributes":{
            "id":{"type":"string","optional":true,"computed":true},
            "name":{"type":"string","required":true},
            "count":{"type":"number","optional":true},
            "on":{"type":"bool","optional":true},
            "note":{"type":"string","optional":true},
            "tags":{"type":["map","string"],"optional":true}},
        "block_types":{
            "log":{"nesting_mode":"list","block":{"attributes":{"level":{"type":"string","optional":true}}}},
            "rule":{"nesting_mode":"list","block":{"attributes":{
                "port":{"type":"number","required":true},
                "kind":{"type":"string","optional":true}}}}}}}}}}}"#;

/// How an object of that type is planned: as it is in the state, and with this name and a rule in the configuration.
fn planned_legacy(prior: &[(&str, Value)], name: &str, is_strict: bool) -> String {
    let schemas = Schemas::new([ProviderSchemas::parse(LEGACY).unwrap()]);
    let ProviderConfigAddress { provider: address, .. } = provider("sim");
    let schema = schemas.get(&address, SchemaKind::Resource, "sim_old").unwrap().unwrap();
    let schema = &schema.block;
    let rule = || Value::tuple([Value::object([("port", 1)])]);
    let prior = prior.iter().cloned().chain([("id", "1".into()), ("name", "n".into()), ("rule", rule())]);
    let prior = schema.coerce_config(&Value::object(prior)).unwrap();
    let config = [("name", Value::from(name)), ("rule", rule())];
    let config = schema.coerce_config(&Value::object(config)).unwrap();
    let proposed = proposed_new(schema, &prior, &config).unwrap();
    let request = PlanResourceChange::new(schema, &prior, &proposed, &config);
    let mut providers = SimulatedProviders { is_strict, ..SimulatedProviders::default() };
    let planned = providers.plan(&provider("sim"), "sim_old", "sim_old.a", &request).unwrap().planned;
    if planned.identical(&prior) { "unchanged".to_owned() } else { planned.to_string() }
}

#[test]
fn providers_of_the_older_sdk_may_keep_what_configuration_leaves_out() {
    let nothing = [("count", Value::from(0)), ("on", false.into()), ("note", "".into())];
    assert_eq!(planned_legacy(&nothing, "n", false), "unchanged");
    assert_eq!(planned_legacy(&[], "n", true), "unchanged");
    let tags = || Value::object([("a", "b")]);
    let default = [("count", Value::from(30)), ("on", true.into()), ("tags", tags())];
    assert_eq!(
        planned_legacy(&default, "n", false),
        r#"{count = (known after apply), id = "1", log = [], name = "n", note = null, on = (known after apply), rule = [{kind = null, port = 1}], tags = {}}"#
    );
    assert_eq!(
        planned_legacy(&[("on", false.into())], "n", true),
        r#"{count = null, id = (known after apply), log = (known after apply), name = "n", note = null, on = (known after apply), rule = [{kind = (known after apply), port = 1}], tags = null}"#
    );
    assert_eq!(
        planned_legacy(&[], "new", true),
        r#"{count = null, id = (known after apply), log = (known after apply), name = "new", note = null, on = null, rule = [{kind = (known after apply), port = 1}], tags = null}"#
    );
}

#[test]
fn triggers_of_a_null_resource_become_an_object() {
    let triggers = Value::map(objchange::Type::String, [("a", "1")]).unwrap();
    let object = Value::object([("id", Value::from("1")), ("triggers", triggers)]);
    let [old, new] = ["null_resource.a", "terraform_data.a"].map(|address| address.parse().unwrap());
    let request = MoveObject {
        from: &provider("sim"),
        from_address: &old,
        from_type: "null_resource",
        from_version: 0,
        from_identity_version: 0,
        to_address: &new,
        to_type: "terraform_data",
        schema: &schema(SchemaKind::Resource, "terraform_data"),
        object: ProviderObject::new(object),
    };
    let (moved, _) =
        SimulatedProviders::default().move_object(&provider("terraform"), &request).ok().unwrap();
    assert_eq!(moved.value.attribute("triggers_replace"), Some(&Value::object([("a", "1")])));
}

#[test]
fn remote_states_of_the_local_backend_are_read() {
    let state = r#"{"version":4,"outputs":{"v":{"value":"x","type":"string"},"s":{"value":["a"],"type":["list","string"]}}}"#;
    let files: MemoryFiles =
        [("sub/o.tfstate", state), ("terraform.tfstate.d/dev/terraform.tfstate", state), ("broken", "{")]
            .into_iter()
            .collect();
    let mut providers = SimulatedProviders { files: Some(&files), ..SimulatedProviders::default() };
    let data = schema(SchemaKind::DataSource, "terraform_remote_state");
    let mut read = |config: &[(&str, Value)]| {
        let config = config.iter().cloned().chain([("backend", Value::from("local"))]);
        let config = data.block.coerce_config(&Value::object(config)).unwrap();
        match providers.read_data(&provider("terraform"), "data.terraform_remote_state.r", &data, &config) {
            DataAnswer::Known(object, _) => object.attribute("outputs").unwrap().to_string(),
            DataAnswer::NotKnown => "not known".to_owned(),
            DataAnswer::Failed(errors) => errors[0].summary.clone(),
        }
    };
    let path = |path: &str| ("config", Value::object([("path", path)]));
    let defaults = ("defaults", Value::object([("v", Value::from(1)), ("q", Value::from(true))]));
    assert_eq!(read(&[path("sub/o.tfstate"), defaults]), r#"{q = true, s = ["a"], v = "x"}"#);
    assert_eq!(read(&[path("sub/o.tfstate"), ("workspace", "dev".into())]), r#"{s = ["a"], v = "x"}"#);
    assert_eq!(read(&[path("nope")]), "Unable to find remote state");
    assert_eq!(read(&[]), "Unable to find remote state");
    assert_eq!(read(&[path("broken")]), "Unsupported state file format");
    assert_eq!(read(&[("backend", "s3".into()), path("x")]), "Unable to find remote state");
    let config = data.block.coerce_config(&Value::object([("backend", "local")])).unwrap();
    let answer = SimulatedProviders::default().read_data(
        &provider("terraform"),
        "data.terraform_remote_state.r",
        &data,
        &config,
    );
    assert!(matches!(answer, DataAnswer::NotKnown));
}

#[test]
fn remote_states_are_validated_as_terraform_does() {
    let data = schema(SchemaKind::DataSource, "terraform_remote_state");
    let told = |config: &[(&str, Value)]| {
        let config = data.block.coerce_config(&Value::object(config.iter().cloned())).unwrap();
        let mut providers = SimulatedProviders::default();
        let found = providers.validate(
            &provider("terraform"),
            SchemaKind::DataSource,
            "terraform_remote_state",
            &config,
        );
        found
            .iter()
            .map(|d| format!("{}: {} ({})", d.summary, d.detail, d.path.as_ref().unwrap()))
            .collect::<Vec<_>>()
    };
    let local = ("backend", Value::from("local"));
    assert!(told(std::slice::from_ref(&local)).is_empty());
    assert_eq!(
        told(&[("backend", "nope".into())]),
        ["Invalid backend configuration: There is no backend type named \"nope\". (backend)"]
    );
    assert_eq!(
        told(&[local.clone(), ("config", Value::object([("path", "x"), ("what", "y")]))]),
        [
            "Invalid backend configuration: The given configuration is not valid for backend \"local\": unexpected attribute \"what\". (config)"
        ]
    );
    assert_eq!(
        told(&[local, ("defaults", "x".into())]),
        ["Invalid default values: Defaults must be given in an object value. (defaults)"]
    );
}

/// All objects are gone.
struct Gone(SimulatedProviders<'static>);

impl Providers for Gone {
    fn is_simulated(&self, _: &ProviderConfigAddress) -> bool {
        false
    }

    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply {
        match call {
            ProviderCall::Read(..) => {
                ProviderReply::Read(Ok((ProviderObject::new(Value::null(Type::Dynamic)), Vec::new())))
            }
            other => self.0.call(provider, other),
        }
    }
}

/// A deleted object is drift even if it is no longer declared, unless its provider is not needed: then its schema is
/// missing.
#[test]
fn what_is_gone_is_drift_or_a_warning() {
    let state = r#"{"version":4,"lineage":"x","outputs":{},"resources":[{"mode":"managed","type":"sim_thing","name":"a",
        "provider":"provider[\"registry.terraform.io/local/sim\"]",
        "instances":[{"schema_version":0,"attributes":{"id":"1"}}]}]}"#;
    let (state, _) = PriorState::read(state, &schemas()).unwrap();
    let needed = "terraform {\n  required_providers {\n    sim = { source = \"local/sim\" }\n  }\n}\n";
    let resource = "resource \"sim_thing\" \"a\" {\n  for_each = toset([\"k\"])\n}\n";
    for (main, drift, warnings) in [
        (format!("{needed}{resource}"), vec!["sim_thing.a"], vec![]),
        (needed.to_owned(), vec!["sim_thing.a"], vec![]),
        (String::new(), vec![], vec!["No resource schema found for sim_thing when decoding prior state"]),
    ] {
        let files: MemoryFiles = [("main.tf", &*main)].into_iter().collect();
        let (config, _) = Config::load(&files, ".", &LoadOptions::new("1.15.5"));
        let input = PlanInput {
            config: &config,
            schemas: &schemas(),
            state: &state,
            variables: &BTreeMap::new(),
            functions: Functions::pure(),
            options: &PlanOptions::default(),
        };
        let planned = plan(&input, &mut Gone(SimulatedProviders::default()));
        let found: Vec<String> = planned.drift.iter().map(|object| object.address.to_string()).collect();
        let said: Vec<String> =
            planned.diagnostics.iter().map(|found| found.diagnostic.detail.to_string()).collect();
        assert_eq!(
            (found, said),
            (
                drift.into_iter().map(str::to_owned).collect(),
                warnings.into_iter().map(str::to_owned).collect()
            ),
            "{main}"
        );
    }
}
