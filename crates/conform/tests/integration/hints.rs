//! Hints: what is read, what is refused and where, and that no secret is shown.

use std::path::Path;

use objchange::change::Diagnostic;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_conform::{Hints, Sample, samples};
use objchange_provider::{Component, ProviderExt};
use proptest::prelude::*;

const EXAMPLE: &str = r#"{
    "$schema": "https://github.com/objchange/objchange/blob/main/schema/hints.schema.json",
    "provider": {"host": "localhost", "token": {"$sensitive": "s3cr3t"}},
    "values": {"name": "n", "*.kind": {"$one_of": ["ssd", "hdd"]}},
    "types": [
        {
            "type": "cloud_*",
            "values": {
                "name": "tf-{seed}-{seq}-{other}",
                "code": {"$regex": "^[a-z]{3}-[0-9]{2}$"},
                "note": {"$absent": true},
                "password": {"$sensitive": {"$regex": "[a-f]{40}"}},
                "tags": {"team": "core", "cost": 0.1}
            },
            "expect": [
                {"severity": "error", "summary": "No credentials"},
                {"summary_matches": "(?i)quota"}
            ],
            "import": "{region}/{size}",
            "update": {"size": 20, "disk.size": 2}
        },
        {"type": "cloud_mail", "of": "data_source", "skip": "costs money"}
    ]
}"#;

fn hints(text: &str) -> Hints {
    Hints::parse(text.as_bytes()).unwrap()
}

fn block() -> Block {
    let disk = Block::new(
        [("kind", Attribute::required(Type::String)), ("size", Attribute::optional(Type::Number))],
        [],
    );
    let attributes = [
        ("name", Attribute::required(Type::String)),
        ("code", Attribute::optional(Type::String)),
        ("note", Attribute::optional(Type::String)),
        ("password", Attribute::optional(Type::String)),
        ("tags", Attribute::optional(Type::map(Type::String))),
        ("size", Attribute::optional(Type::Number)),
    ];
    Block::new(attributes, [("disk", NestedBlock::new(NestingMode::List, disk))])
}

fn some_samples(hints: &Hints, seed: u64) -> Vec<Sample> {
    samples(&block(), Component::Resource, "cloud_vm", hints, seed).take(120).collect()
}

/// The error for a text.
#[track_caller]
fn refused(text: &str, error: &str) {
    assert_eq!(Hints::parse(text.as_bytes()).unwrap_err().to_string(), error, "{text}");
}

#[test]
fn what_is_no_hint_is_refused_with_its_place() {
    refused("{", "line 1, column 2: the text ends inside of an object or array");
    refused("[]", "the file: an object is expected here, not an array");
    refused(r#"{"valeus":{}}"#, "valeus: there is no such field; did you mean values?");
    refused(r#"{"types":[{},{"a b":1}]}"#, r#"types[1]."a b": there is no such field"#);
    refused(r#"{"types":[{"skip":1}]}"#, "types[0].skip: a string is expected here, not a number");
    refused(
        r#"{"types":[{"of":"datasource"}]}"#,
        "types[0].of: one of provider, resource, data_source, ephemeral_resource, list_resource, action is expected \
         here; did you mean data_source?",
    );
    refused(r#"{"types":[{"type":"a","type":"b"}]}"#, "types[0].type: this key is used twice");
    refused(r#"{"values":{"a":{"b":[{"c":1,"c":2}]}}}"#, "values.a.b[0].c: this key is used twice");
    refused(
        r#"{"values":{"a":{"$oneof":[1]}}}"#,
        r#"values.a."$oneof": there is no such field; did you mean $one_of?"#,
    );
    refused(r#"{"values":{"a":{"$one_of":[]}}}"#, r#"values.a."$one_of": at least one value is needed"#);
    refused(
        r#"{"values":{"a":{"$regex":"("}}}"#,
        r#"values.a."$regex": this is no regular expression that texts can be made from"#,
    );
    refused(
        r#"{"values":{"a":{"$regex":"((((a*)*)*)*)*"}}}"#,
        r#"values.a."$regex": this is no regular expression that texts can be made from"#,
    );
    refused(
        r#"{"types":[{"expect":[{"severity":"error"}]}]}"#,
        "types[0].expect[0]: summary or summary_matches is needed",
    );
    refused(r#"{"values":{"a":1e999999}}"#, "values.a: this number is too large");
}

#[test]
fn the_example_is_of_the_published_form() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/hints.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::draft202012::options().build(&schema).unwrap();
    let is_valid = |text: &str| validator.is_valid(&serde_json::from_str(text).unwrap());
    assert!(is_valid(EXAMPLE));
    // The JSON schema and the parser refuse and accept the same texts.
    for (text, is_hint) in [
        (r#"{"valeus":{}}"#, false),
        (r#"{"values":{"a":{"$oneof":[1]}}}"#, false),
        (r#"{"values":{"a":{"$one_of":[]}}}"#, false),
        (r#"{"values":{"a":{"$absent":false}}}"#, false),
        (r#"{"types":[{"of":"datasource"}]}"#, false),
        (r#"{"types":[{"expect":[{}]}]}"#, false),
        (r#"{"types":[{"expect":[{"summary":"a","summary_matches":"b"}]}]}"#, false),
        (r#"{"values":{"a":{"b":[null,{"$sensitive":{"c":1}}]}},"provider":{}}"#, true),
        (r#"{"types":[{"update":{"a":{"$sensitive":"b"}}},{}]}"#, true),
        (r#"{"values":{"a":{"$regex":"([a-c]-)*([0-9]{2})+"}}}"#, true),
    ] {
        assert_eq!(is_valid(text), is_hint, "{text}");
        assert_eq!(Hints::parse(text.as_bytes()).is_ok(), is_hint, "{text}");
    }
}

#[test]
fn what_is_said_of_types() {
    let hints = hints(EXAMPLE);
    assert_eq!(hints.skip(Component::DataSource, "cloud_mail"), Some("costs money"));
    assert_eq!(hints.skip(Component::Resource, "cloud_mail"), None);
    let is_expected =
        |diagnostic: Diagnostic| hints.is_expected(Component::Resource, "cloud_vm", &diagnostic);
    assert!(is_expected(Diagnostic::error("No credentials")));
    assert!(!is_expected(Diagnostic::warning("No credentials")));
    assert!(!is_expected(Diagnostic::error("No credentials at all")));
    assert!(is_expected(Diagnostic::warning("Over Quota")));
    assert!(!hints.is_expected(Component::Resource, "other", &Diagnostic::warning("Over Quota")));
}

#[test]
fn importing_and_updating() {
    let hints = hints(EXAMPLE);
    let object = Value::object([("region", Value::from("eu")), ("size", Value::from(10))]);
    assert_eq!(hints.import_id("cloud_vm", &object).as_deref(), Some("eu/10"));
    assert_eq!(hints.import_id("other", &object), None);
    let disk = |size: i64| {
        Value::list(
            block().block_types()[0].1.block.implied_type().clone(),
            [Value::object([("kind", Value::from("ssd")), ("size", Value::from(size))])],
        )
    };
    let config = Value::object([("size", Value::from(10)), ("disk", disk(1).unwrap())]);
    let updated = Value::object([("size", Value::from(20)), ("disk", disk(2).unwrap())]);
    assert_eq!(hints.update("cloud_vm", &config), Some(updated));
    assert_eq!(hints.update("other", &config), None);
}

#[test]
fn the_configuration_of_the_provider() {
    let token = Attribute::required(Type::String);
    let block = |host: &'static str| {
        Block::new([(host, Attribute::optional(Type::String)), ("token", token.clone())], [])
    };
    let config = hints(EXAMPLE).provider_config(&block("host")).unwrap();
    assert_eq!(config.to_string(), r#"{host = "localhost", token = (sensitive value)}"#);
    let error = hints(EXAMPLE).provider_config(&block("hosts")).unwrap_err();
    assert_eq!(error.to_string(), r#"provider: the schema has no attribute or block type "host""#);
    let error = Hints::default().provider_config(&block("host")).unwrap_err();
    assert_eq!(error.to_string(), r#"provider: the attribute "token" is required; set it in a hints file"#);
}

#[test]
fn all_required_settings_are_named_at_once() {
    let nested = Block::new([("id", Attribute::required(Type::String))], []);
    let block = Block::new(
        [
            ("host", Attribute::required(Type::String)),
            ("token", Attribute::required(Type::String).sensitive()),
            ("port", Attribute::optional(Type::Number)),
        ],
        [("account", NestedBlock { min_items: 1, ..NestedBlock::new(NestingMode::List, nested) })],
    );
    let error = Hints::default().provider_config(&block).unwrap_err();
    assert_eq!(
        error.to_string(),
        "provider.host: these settings are required: host, token; set them in a hints file"
    );
    let kit = Kit::default().configuration(block);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let template = Hints::template(&runtime.block_on(kit.schemas()).unwrap());
    let json: serde_json::Value = serde_json::from_str(&template).unwrap();
    let expected = serde_json::json!({"host": "", "token": {"$sensitive": ""}, "account": [{"id": ""}]});
    assert_eq!(json["provider"], expected);
    assert!(Hints::parse(template.as_bytes()).is_ok());
}

#[test]
fn values_are_given_wherever_the_attribute_is_set() {
    let all = some_samples(&hints(EXAMPLE), 7);
    for (sequence, sample) in all.iter().enumerate() {
        let known = sample.known.as_ref().unwrap_or(&sample.config);
        let text = |name: &str| known.attribute(name).unwrap().unmarked().as_str();
        assert_eq!(text("name"), Some(format!("tf-7-{sequence}-{{other}}").as_str()), "{}", sample.label);
        assert!(known.attribute("note").unwrap().is_null(), "{}", sample.label);
        if let Some(code) = text("code") {
            assert!(code.len() == 6 && code.as_bytes()[3] == b'-', "{code}");
        }
        let tags = known.attribute("tags").unwrap();
        assert!(
            tags.is_null() || tags.element("cost").is_some_and(|cost| cost.as_str() == Some("0.1")),
            "{tags}"
        );
        for disk in known.attribute("disk").unwrap().as_elements().unwrap() {
            assert!(matches!(disk.attribute("kind").unwrap().as_str(), Some("ssd" | "hdd")));
        }
    }
    assert!(all.iter().any(|sample| sample.label == "name: unknown"));
    assert!(!all.iter().any(|sample| sample.label.starts_with("name: text")));
}

#[tokio::test]
async fn hints_that_nothing_heeds_are_told() {
    let kit = Kit::default().resource("cloud_vm", ResourceType::new(block()));
    let schemas = kit.schemas().await.unwrap();
    let told =
        |text: &str| -> Vec<String> { hints(text).check(&schemas).iter().map(ToString::to_string).collect() };
    assert_eq!(
        told(r#"{"types":[{"type":"cloud_vm","values":{"disk.size":1,"na?e":"a"},"update":{"size":1}}]}"#),
        [""; 0]
    );
    assert_eq!(
        told(r#"{"types":[{"type":"cloud_vn"},{"values":{"nam":1,"disk.size":"x"},"update":{"sizes":1}}]}"#),
        [
            "types[0]: the provider has no such type; did you mean cloud_vm?",
            "types[1].values.nam: no attribute has such a path",
            "types[1].values.disk.size: no attribute of such a path can have this value",
            "types[1].update.sizes: no attribute has such a path",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_secret_is_shown(seed: u64, secret in "[A-Z]{12}") {
        let text = EXAMPLE.replace("s3cr3t", &secret).replace(r#"{"$regex": "[a-f]{40}"}"#, &format!("\"{secret}\""));
        let hints = hints(&text);
        let provider = Block::new(
            [("host", Attribute::optional(Type::String)), ("token", Attribute::required(Type::String))],
            [],
        );
        let all = some_samples(&hints, seed);
        let mut shown = format!("{hints:?} {:?} {all:?}", hints.provider_config(&provider));
        for sample in &all {
            shown += &format!("{} {:?} {:?}", sample.config, sample.config, sample.known);
        }
        prop_assert!(!shown.contains(&secret));
        // It is there all the same.
        let is_there = |sample: &Sample| {
            sample.config.attribute("password").is_some_and(|p| p.unmarked().as_str() == Some(&secret))
        };
        prop_assert!(all.iter().any(is_there));
    }

    #[test]
    fn any_file_is_read_or_refused(text in r#"[{}\[\]":,$a-c0-9 ]{0,60}"#) {
        let _ = Hints::parse(text.as_bytes());
    }
}
