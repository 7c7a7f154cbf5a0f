//! Models as texts: what is read, and what is refused.

use objchange::change::PlanResourceChange;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};
use objchange_model::{ModelError, ModelInfo, PlayOptions, ProviderModel, TypeModel};
use proptest::prelude::*;

fn schema() -> Block {
    let disk = Block::new([("size", Attribute::optional(Type::Number))], []);
    Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("name", Attribute::optional(Type::String)),
            ("tags", Attribute::optional(Type::map(Type::String))),
            ("all", Attribute::computed(Type::map(Type::String))),
        ],
        [("disk", NestedBlock::new(NestingMode::List, disk))],
    )
}

const FACTS: &str = r#"{"probes":9,"legacy":true,"parts":{
    "all":{"planned":{"created":{"usual":{"is":["unknown"],"n":3},"when":{"set tags":{"is":[{"copy_of":"tags"}],"n":2}}}}},
    "disk.size":{"planned":{"created":{"usual":{"is":[{"constant":"8"}],"n":2}}}},
    "name":{"replaces":{"value":{"yes":4,"paths":["name"]},"unset":{"yes":1,"no":1}},"one_of":["a","b"]}}}"#;

#[test]
fn a_model_is_read_as_it_was_written() {
    let model = TypeModel::parse(FACTS, &schema()).unwrap();
    assert_eq!(model.probes, 9);
    assert_eq!(TypeModel::parse(&model.to_text(), &schema()).unwrap(), model);
    let mut info = ModelInfo::new("registry.terraform.io/hashicorp/aws", Some("5.100.0".to_owned()));
    info.settings.push("region".into());
    let read = ModelInfo::parse(&info.to_text(), "registry.terraform.io/hashicorp/aws", Some("5.100.0"));
    assert_eq!(read.unwrap(), info);
}

#[test]
fn models_that_do_not_fit_are_named_and_refused() {
    let model = |parts: &str| format!(r#"{{"probes":1,"parts":{parts}}}"#);
    for (text, kind) in [
        ("", "malformed"),
        ("[]", "malformed"),
        (r#"{"probes":-1,"parts":{}}"#, "malformed"),
        (&model(r#"{"gone":{}}"#), "not_in_schema"),
        (&model(r#"{"disk.gone":{}}"#), "not_in_schema"),
        (&model(r#"{"name":{"replaces":{"value":{"yes":1,"paths":["gone"]}}}}"#), "not_in_schema"),
        (&model(r#"{"name":{"planned":{"created":{"when":{"set gone":{"n":1}}}}}}"#), "not_in_schema"),
        (&model(r#"{"name":{"planned":{"created":{"when":{"gone":{"n":1}}}}}}"#), "malformed"),
        (
            &model(r#"{"name":{"planned":{"created":{"usual":{"is":[{"copy_of":"gone"}],"n":1}}}}}"#),
            "not_in_schema",
        ),
        (
            &model(r#"{"disk.size":{"planned":{"created":{"usual":{"is":[{"constant":"[]"}],"n":1}}}}}"#),
            "malformed",
        ),
        (&model(r#"{"name":{"planned":{"never":{}}}}"#), "malformed"),
        (&model(&"{\"name\":".repeat(10_000)), "malformed"),
    ] {
        let error = TypeModel::parse(text, &schema()).unwrap_err();
        assert_eq!(error.kind(), kind, "{text:.100}: {error}");
    }
    let info = ModelInfo::new("example.com/a/b", Some("1.0.0".to_owned())).to_text();
    for (provider, version) in
        [("example.com/a/c", Some("1.0.0")), ("example.com/a/b", Some("1.0.1")), ("example.com/a/b", None)]
    {
        assert_eq!(ModelInfo::parse(&info, provider, version).unwrap_err().kind(), "other_provider");
    }
    let other = info.replace("\"format\":1", "\"format\":2");
    assert_eq!(
        ModelInfo::parse(&other, "example.com/a/b", Some("1.0.0")).unwrap_err().kind(),
        "other_format"
    );
}

#[test]
fn a_type_whose_model_is_damaged_is_named_once_and_planned_without_it() {
    let text = |name: &str| match name {
        "good" => Ok(Some(FACTS.to_owned())),
        "bad" => Ok(Some(r#"{"probes":1,"parts":{"gone":{}}}"#.to_owned())),
        "cut" => Err(ModelError::Unreadable("the text is cut off".to_owned())),
        _ => Ok(None),
    };
    let model = ProviderModel::new(ModelInfo::new("p", None), text);
    assert!(model.of_type("good", &schema()).is_some());
    for name in ["bad", "cut", "other", "bad"] {
        assert!(model.of_type(name, &schema()).is_none());
    }
    let problems = model.problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("bad: the model has a fact about gone"), "{problems:?}");
}

/// Texts that are often models.
fn texts() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec!["id", "name", "tags", "all", "disk", "disk.size", "gone"]);
    let situation = prop::sample::select(vec![
        "created",
        "added",
        "updated",
        "emptied",
        "gained",
        "configured",
        "reconfigured",
        "unchanged",
        "blank",
        "partly_unknown",
        "json",
        "case",
        "space",
        "order",
    ]);
    let outcome = prop::sample::select(vec![
        r#""configured""#,
        r#""normal_json""#,
        r#""policy_json""#,
        r#""zeroed""#,
        r#""sha1""#,
        r#""kept""#,
        r#""null""#,
        r#""unknown""#,
        r#"{"copy_of":"tags"}"#,
        r#"{"copy_of":"name"}"#,
        r#"{"constant":"8"}"#,
        r#"{"constant":"\"a\""}"#,
    ]);
    let kind = prop::sample::select(vec!["set", "unset", "value", "true", "false"]);
    let fact = (part, situation, outcome, kind, 0..3_u32, 0..3_u32, any::<bool>());
    prop::collection::vec(fact, 0..12).prop_map(|facts| {
        let mut parts = std::collections::BTreeMap::<_, Vec<String>>::new();
        for (part, situation, outcome, kind, yes, no, depends) in facts {
            parts.entry(part).or_insert_with(|| {
                vec![format!(
                    r#""planned":{{"{situation}":{{"usual":{{"is":[{outcome}],"n":1,"depends":{depends}}}}}}},
                    "replaces":{{"{kind}":{{"yes":{yes},"no":{no},"paths":["{part}"]}}}}"#
                )]
            });
        }
        let parts: Vec<String> =
            parts.into_iter().map(|(part, facts)| format!(r#""{part}":{{{}}}"#, facts.join(","))).collect();
        format!(r#"{{"probes":1,"parts":{{{}}}}}"#, parts.join(","))
    })
}

proptest! {
    #[test]
    fn any_text_is_refused_or_plans_objects_of_the_schema(
        text in prop_oneof![texts(), ".*"],
        names in prop::collection::vec(prop::option::of("[ab]?"), 2),
        sizes in prop::collection::vec(prop::option::of(0..3_i64), 0..3),
        is_strict in any::<bool>(),
    ) {
        let schema = schema();
        let Ok(model) = TypeModel::parse(&text, &schema) else { return Ok(()) };
        let object = |name: &Option<String>, id: Option<&str>| {
            let disks = sizes.iter().map(|size| Value::object([("size", size.map_or(Value::null(Type::Number), Value::from))]));
            let object = Value::object([
                ("id", id.map_or(Value::null(Type::String), Value::from)),
                ("name", name.as_deref().map_or(Value::null(Type::String), Value::from)),
                ("disk", Value::tuple(disks)),
            ]);
            schema.coerce_config(&object).unwrap()
        };
        let nothing = Value::null(schema.implied_type().clone());
        let config = object(&names[0], None);
        for prior in [nothing, object(&names[1], Some("i"))] {
            let proposed = objchange::change::proposed_new(&schema, &prior, &config).unwrap();
            let request = PlanResourceChange::new(&schema, &prior, &proposed, &config);
            let options = PlayOptions { is_strict, ..PlayOptions::default() };
            let played = model.play(&schema, &request, options);
            prop_assert!(played.answer.planned.ty().conforms_to(schema.implied_type()), "{text}");
            prop_assert!(!played.may_replace || played.answer.requires_replace.is_empty());
        }
    }
}
