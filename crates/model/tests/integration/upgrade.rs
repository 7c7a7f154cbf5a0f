//! Two versions of a provider.

use objchange::schema::ProviderSchemas;
use objchange_model::{ModelInfo, ProviderModel, ProviderVersion, Upgrade, UpgradeKind, compare_versions};

const PROVIDER: &str = "example.com/test/p";

/// A provider with one resource type of this schema.
fn schemas(block: &str) -> ProviderSchemas {
    let document = format!(
        r#"{{"provider_schemas":{{"{PROVIDER}":{{"resource_schemas":{{"p_disk":{{"version":0,"block":{block}}}}}}}}}}}"#
    );
    ProviderSchemas::parse(document).unwrap()
}

fn model(facts: &str) -> ProviderModel {
    let text = format!(r#"{{"probes":9,"parts":{facts}}}"#);
    ProviderModel::new(ModelInfo::new(PROVIDER, None), move |_| Ok(Some(text.clone())))
}

fn compared(blocks: [&str; 2], facts: [Option<&str>; 2]) -> Upgrade {
    let schemas = blocks.map(schemas);
    let models = facts.map(|facts| facts.map(model));
    let version =
        |i: usize| ProviderVersion { provider: PROVIDER, schemas: &schemas[i], model: models[i].as_ref() };
    compare_versions(version(0), version(1)).unwrap()
}

/// `part kind: sentence` of each difference.
fn lines(upgrade: &Upgrade) -> Vec<String> {
    let changes = upgrade.changes.iter();
    changes
        .map(|change| {
            let part = change.part.as_deref().unwrap_or("-");
            format!("{part} {}: {}", change.kind.name(), change.sentence())
        })
        .collect()
}

#[test]
fn differences_of_schemas() {
    let before = r#"{"attributes":{
            "gone":{"type":"string","optional":true},
            "size":{"type":"number","optional":true},
            "kind":{"type":"string","optional":true},
            "note":{"type":"string","optional":true},
            "key":{"type":"string","optional":true},
            "same":{"type":"string","optional":true}},
        "block_types":{
            "rule":{"nesting_mode":"list","block":{"attributes":{"port":{"type":"number","optional":true}}}},
            "old":{"nesting_mode":"set","block":{"attributes":{}}}}}"#;
    let after = r#"{"attributes":{
            "size":{"type":"string","optional":true},
            "kind":{"type":"string","computed":true},
            "note":{"type":"string","optional":true,"deprecated":true},
            "key":{"type":"string","optional":true,"sensitive":true},
            "same":{"type":"string","optional":true},
            "zone":{"type":"string","required":true},
            "extra":{"type":"string","optional":true}},
        "block_types":{
            "rule":{"nesting_mode":"list","min_items":1,"max_items":2,
                "block":{"attributes":{"port":{"type":"number","required":true}}}},
            "old":{"nesting_mode":"set","block":{"deprecated":true,"attributes":{}}}}}"#;
    assert_eq!(
        lines(&compared([before, after], [None, None])),
        [
            "gone removed: is removed",
            "key sensitive: is sensitive, and was not sensitive",
            "kind read_only: can no longer be set",
            "note deprecated: is deprecated",
            "old deprecated: is deprecated",
            "rule required: must be set",
            "rule limited: may be there at most 2 times, not any number of",
            "rule.port required: must be set",
            "size type: is a string, and was a number",
            "zone required: must be set",
        ]
    );
    assert_eq!(lines(&compared([before, before], [None, None])), Vec::<String>::new());
}

/// Attributes of the older SDK hold collections of objects with dozens of attributes.
#[test]
fn differences_inside_of_types() {
    let schema = |settable: &str, computed: &str| {
        format!(
            r#"{{"attributes":{{
                "disks":{{"type":["set",["object",{{{settable}}}]],"optional":true,"computed":true}},
                "hosts":{{"type":["list",["object",{{{computed}}}]],"computed":true}}}}}}"#
        )
    };
    let before = schema(r#""size":"number","kind":"string""#, r#""name":"string","ports":["set","string"]"#);
    let after = schema(
        r#""size":"number","iops":"number""#,
        r#""name":"string","ports":["list","string"],"zone":"string""#,
    );
    assert_eq!(
        lines(&compared([&before, &after], [None, None])),
        [
            "disks.iops required: must be set",
            "disks.kind removed: is removed",
            "hosts.ports type: is a list of string, and was a set of string",
        ]
    );
}

const BLOCK: &str = r#"{"attributes":{
    "name":{"type":"string","optional":true},"size":{"type":"number","optional":true},
    "secret":{"type":"string","optional":true,"sensitive":true},
    "ip":{"type":"string","computed":true},"mode":{"type":"string","optional":true}}}"#;

/// No change replaces the object, and there are defaults.
const BEFORE: &str = r#"{
    "name":{"replaces":{"value":{"no":4}}},
    "size":{"planned":{"created":{"usual":{"is":[{"constant":"8"}],"n":2}}},"replaces":{"value":{"no":4}}},
    "secret":{"planned":{"created":{"usual":{"is":[{"constant":"\"hush\""}],"n":2}}},"replaces":{"value":{"no":4}}},
    "ip":{"planned":{"updated":{"usual":{"is":["kept"],"n":2}}}},
    "mode":{"replaces":{"value":{"no":4}},"one_of":["a","b"]}}"#;

#[test]
fn differences_of_behavior() {
    let after = r#"{
        "name":{"replaces":{"value":{"yes":4,"paths":["name"]}}},
        "size":{"planned":{"created":{"usual":{"is":[{"constant":"16"}],"n":2}}},"replaces":{"value":{"yes":2,"no":4,"paths":["size"]}}},
        "secret":{"planned":{"created":{"usual":{"is":["null"],"n":2}}},"replaces":{"value":{"no":4}}},
        "ip":{"planned":{"updated":{"usual":{"is":["unknown"],"n":2}}}},
        "mode":{"replaces":{"value":{"no":4}},"one_of":["b","c"]}}"#;
    let upgrade = compared([BLOCK, BLOCK], [Some(BEFORE), Some(after)]);
    assert_eq!(
        lines(&upgrade),
        [
            "ip not_kept: is known after apply on updates, and kept its value before",
            "mode refused: refuses a",
            "name replaces: forces replacement; before it did not force replacement",
            "secret default: is null if it is left out, and was a fixed value",
            "size replaces: may force replacement; before it did not force replacement",
            "size default: is 16 if it is left out, and was 8",
        ]
    );
    assert!(upgrade.not_compared.is_empty());
    assert!(compared([BLOCK, BLOCK], [Some(BEFORE), Some(BEFORE)]).changes.is_empty());
}

#[test]
fn what_a_model_does_not_say_is_not_compared() {
    for facts in [[None, Some(BEFORE)], [Some(BEFORE), None], [None, None]] {
        let upgrade = compared([BLOCK, BLOCK], facts);
        assert_eq!(upgrade.not_compared[0].type_name, "p_disk");
        assert!(upgrade.not_compared[0].parts.is_empty());
    }
    // Only the second model lacks one argument, and the second replaces the object where the first has not looked.
    let after = r#"{"name":{"replaces":{"value":{"yes":4,"paths":["name"]}}},"mode":{"replaces":{"value":{"no":1}}}}"#;
    let before = r#"{"size":{"replaces":{"value":{"no":4}}},"mode":{"replaces":{"value":{"no":1}}}}"#;
    let upgrade = compared([BLOCK, BLOCK], [Some(before), Some(after)]);
    assert!(upgrade.changes.iter().all(|change| change.kind != UpgradeKind::Replaces));
    assert_eq!(upgrade.not_compared[0].parts, ["name", "secret", "size"]);
}
