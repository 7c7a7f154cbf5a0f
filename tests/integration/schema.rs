//! Schemas: coercion, well-formedness, paths and the document of `terraform providers schema -json`.

use crate::common;

use common::{
    Content, assert_shows_no_secret, block, block_without_dynamic, loose_object_of, object_of, with,
    with_secrets,
};
use objchange::schema::{
    Attribute, Block, NestedBlock, NestedType, NestingMode, ProviderSchemas, SchemaKind,
};
use objchange::value::{Path, PathSet};
use objchange::{Type, Value};
use proptest::prelude::*;

#[track_caller]
fn schema(text: &str) -> Block {
    serde_json::from_str(text).expect("a block")
}

/// Reads `{"type":…,"value":…}`.
#[track_caller]
fn typed(text: &str) -> Value {
    Value::from_marker_json(text, &Type::Dynamic).expect("a value with its type")
}

mod coerce_value {
    use super::*;

    const DISKS: &str = r#"{"attributes":{"id":{"type":"string","computed":true},
            "port":{"type":"number","required":true}},
        "block_types":{"disk":{"nesting_mode":"list","block":{"attributes":{
            "size":{"type":"number","required":true}}}}}}"#;

    #[track_caller]
    fn check(block: &str, value: &str, want: &str) {
        let block = schema(block);
        let want = Value::from_marker_json(want, block.implied_type()).expect("a wanted value");
        assert_eq!(block.coerce_value(&typed(value)), Ok(want));
    }

    #[track_caller]
    fn check_error(block: &str, value: &str, path: &str, kind: &str) {
        let error = schema(block).coerce_value(&typed(value)).expect_err("this does not fit");
        assert_eq!((error.path.to_string().as_str(), error.kind.kind()), (path, kind), "{error}");
    }

    #[test]
    fn fills_in_what_is_absent_and_converts_the_rest() {
        check(
            DISKS,
            r#"{"type":["object",{"port":"string"}],"value":{"port":"80"}}"#,
            r#"{"id":null,"port":80,"disk":[]}"#,
        );
        check(
            DISKS,
            r#"{"type":["object",{"port":"number","disk":["tuple",[["object",{"size":"string"}]]]}],
                "value":{"port":null,"disk":[{"size":"1"}]}}"#,
            r#"{"id":null,"port":null,"disk":[{"size":1}]}"#,
        );
    }

    #[test]
    fn refuses_what_does_not_fit() {
        check_error(DISKS, r#"{"type":"string","value":"x"}"#, "", "not_an_object");
        check_error(DISKS, r#"{"type":["object",{}],"value":{}}"#, "", "missing");
        check_error(
            DISKS,
            r#"{"type":["object",{"port":"string","extra":"bool"}],"value":{"port":"x","extra":true}}"#,
            "",
            "unsupported",
        );
        check_error(
            DISKS,
            r#"{"type":["object",{"port":"string"}],"value":{"port":"x"}}"#,
            "port",
            "not_a_number",
        );
        check_error(
            DISKS,
            r#"{"type":["object",{"port":"number","disk":["tuple",[["object",{}]]]}],
                "value":{"port":1,"disk":[{}]}}"#,
            "disk[0]",
            "missing",
        );
        check_error(
            DISKS,
            r#"{"type":["object",{"port":"number","disk":"string"}],"value":{"port":1,"disk":"x"}}"#,
            "",
            "not_blocks",
        );
    }

    #[test]
    fn blocks_of_a_list_must_have_one_type() {
        check_error(
            r#"{"block_types":{"rule":{"nesting_mode":"list","block":{"attributes":{
                "any":{"type":"dynamic","optional":true}}}}}}"#,
            r#"{"type":["object",{"rule":["tuple",[["object",{"any":"string"}],["object",{"any":"bool"}]]]}],
                "value":{"rule":[{"any":"x"},{"any":true}]}}"#,
            "rule",
            "mixed_blocks",
        );
    }

    #[test]
    fn marks_of_an_object_move_to_what_is_in_it() {
        let coerced = schema(DISKS)
            .coerce_value(&Value::object([("port", 80)]).sensitive())
            .expect("an object that fits");
        assert!(!coerced.is_marked());
        assert_eq!(coerced.attribute("port"), Some(&Value::from(80).sensitive()));
        assert_eq!(coerced.attribute("id"), Some(&Value::null(Type::String)));
    }
}

mod validate {
    use super::*;

    #[track_caller]
    fn check(block: &str, want: &[(&str, &str)]) {
        let problems = schema(block).validate();
        let got: Vec<(String, &str)> = problems.iter().map(|p| (p.path.to_string(), p.kind.kind())).collect();
        let want: Vec<(String, &str)> = want.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
        assert_eq!(got, want);
    }

    /// A block with this block type named `x`.
    #[track_caller]
    fn check_block(block_type: &str, want: &[(&str, &str)]) {
        check(&format!(r#"{{"block_types":{{"x":{block_type}}}}}"#), want);
    }

    #[test]
    fn flags_of_attributes() {
        check(
            r#"{"attributes":{
                "a":{"type":"string"},
                "b":{"type":"string","required":true,"optional":true},
                "c":{"type":"string","required":true,"computed":true},
                "d":{"type":"string","optional":true,"computed":true},
                "e":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{"f":{"type":"bool"}}}}}}"#,
            &[
                ("a", "neither_required_optional_nor_computed"),
                ("b", "required_and_optional"),
                ("c", "required_and_computed"),
                ("e.f", "neither_required_optional_nor_computed"),
            ],
        );
    }

    #[test]
    fn names() {
        check(
            r#"{"attributes":{"Upper":{"type":"string","optional":true},"x":{"type":"string","optional":true}},
                "block_types":{"x":{"nesting_mode":"list","block":{}},"Rule":{"nesting_mode":"list"}}}"#,
            &[("Rule", "block_name"), ("x", "attribute_and_block")],
        );
        check(r#"{"block_types":{"a_1":{"nesting_mode":"list"}}}"#, &[]);
        check(r#"{"block_types":{"a-1":{"nesting_mode":"list"}}}"#, &[("a-1", "block_name")]);
        check(r#"{"block_types":{"":{"nesting_mode":"list"}}}"#, &[("\"\"", "block_name")]);
    }

    #[test]
    fn limits() {
        check_block(r#"{"nesting_mode":"single","min_items":1,"max_items":1}"#, &[]);
        check_block(r#"{"nesting_mode":"single"}"#, &[]);
        check_block(r#"{"nesting_mode":"single","max_items":1}"#, &[("x", "single_limits")]);
        check_block(r#"{"nesting_mode":"single","min_items":1}"#, &[("x", "single_limits")]);
        check_block(r#"{"nesting_mode":"single","min_items":2,"max_items":2}"#, &[("x", "single_limits")]);
        check_block(r#"{"nesting_mode":"group"}"#, &[]);
        check_block(r#"{"nesting_mode":"group","max_items":1}"#, &[("x", "group_limits")]);
        check_block(r#"{"nesting_mode":"group","min_items":1}"#, &[("x", "group_limits")]);
        check_block(r#"{"nesting_mode":"map"}"#, &[]);
        check_block(r#"{"nesting_mode":"map","min_items":1}"#, &[("x", "map_limits")]);
        check_block(r#"{"nesting_mode":"map","max_items":1}"#, &[("x", "map_limits")]);
        check_block(r#"{"nesting_mode":"set","min_items":2}"#, &[]);
        check_block(r#"{"nesting_mode":"set","min_items":2,"max_items":2}"#, &[]);
        check_block(r#"{"nesting_mode":"set","min_items":2,"max_items":1}"#, &[("x", "min_above_max")]);
        check_block(r#"{"nesting_mode":"list","max_items":1}"#, &[]);
        check_block(r#"{"nesting_mode":"list","min_items":2,"max_items":1}"#, &[("x", "min_above_max")]);
    }

    #[test]
    fn sets() {
        check_block(
            r#"{"nesting_mode":"set","block":{"attributes":{"a":{"type":["list","dynamic"],"optional":true}},
                "block_types":{"y":{"nesting_mode":"list","block":{"attributes":{
                    "b":{"type":"string","optional":true,"write_only":true}}}}}}}"#,
            &[("x.a", "dynamic_in_set"), ("x.y.b", "write_only_in_set")],
        );
        check(
            r#"{"attributes":{"a":{"optional":true,"nested_type":{"nesting_mode":"set","attributes":{
                "b":{"type":"dynamic","optional":true}}}}}}"#,
            &[("a.b", "dynamic_in_set")],
        );
        // The set may be any way around; what is beside one is not in it, and outside all this may be.
        check_block(
            r#"{"nesting_mode":"set","block":{"block_types":{"y":{"nesting_mode":"map","block":{"attributes":{
                "a":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{
                    "b":{"type":"dynamic","optional":true}}}}}}}}}}"#,
            &[("x.y.a.b", "dynamic_in_set")],
        );
        check(
            r#"{"attributes":{"a":{"type":"dynamic","optional":true,"write_only":true}},
                "block_types":{
                    "s":{"nesting_mode":"set","block":{"attributes":{"a":{"type":"string","optional":true}}}},
                    "t":{"nesting_mode":"list","block":{"attributes":{
                        "a":{"type":["map","dynamic"],"optional":true,"write_only":true}}}}}}"#,
            &[],
        );
    }

    #[test]
    fn computed_blocks() {
        check_block(r#"{"nesting_mode":"group","computed":true}"#, &[("x", "computed_group")]);
        check_block(
            r#"{"nesting_mode":"list","computed":true,"min_items":1,"block":{
                "attributes":{"a":{"type":"string","optional":true}},
                "block_types":{"y":{"nesting_mode":"single","block":{}}}}}"#,
            &[
                ("x", "computed_min_items"),
                ("x.a", "not_computed_in_computed_block"),
                ("x.y", "not_computed_in_computed_block"),
            ],
        );
        // At any depth, and nowhere else.
        check_block(
            r#"{"nesting_mode":"list","computed":true,"block":{
                "attributes":{"a":{"type":"string","computed":true}},
                "block_types":{"y":{"nesting_mode":"list","computed":true,"block":{
                    "attributes":{"b":{"type":"string","required":true}}}}}}}"#,
            &[("x.y.b", "not_computed_in_computed_block")],
        );
        check_block(
            r#"{"nesting_mode":"list","block":{"block_types":{
                "y":{"nesting_mode":"list","computed":true},
                "z":{"nesting_mode":"list","block":{"attributes":{"a":{"type":"string","optional":true}}}}}}}"#,
            &[],
        );
    }

    #[test]
    fn a_nested_type_is_no_group() {
        let nested = NestedType::new::<&str>(NestingMode::Group, []);
        let block = Block::new([("a", Attribute::optional(nested))], []);
        let problems = block.validate();
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].kind.kind(), "nested_type_group");
    }
}

/// The error for a value in place of a schema names its kind, and does not show it.
#[test]
fn what_is_no_schema_is_named() {
    for (instead, name) in
        [("true", "boolean"), ("1", "number"), ("1.5", "number"), (r#""hunter2""#, "string")]
    {
        let text = format!(r#"{{"provider_schemas":{{"p":{instead}}}}}"#);
        let error = ProviderSchemas::parse(text).unwrap_err().message;
        assert!(error.ends_with(&format!(" is expected here, not {name}")), "{error}");
    }
    for (instead, name) in [(r#"{"a":1}"#, "map"), ("[1]", "sequence")] {
        let error = ProviderSchemas::parse(format!(r#"{{"format_version":{instead}}}"#)).unwrap_err().message;
        assert_eq!(error, format!("a string is expected here, not {name}"));
    }
}

mod paths {
    use super::*;

    #[test]
    fn one_for_each_element() {
        let block = schema(
            r#"{"attributes":{
                    "key":{"type":"string","optional":true,"sensitive":true},
                    "users":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
                        "password":{"type":"string","optional":true,"sensitive":true,"write_only":true}}}}},
                "block_types":{
                    "none":{"nesting_mode":"single","block":{"attributes":{
                        "s":{"type":"string","optional":true,"sensitive":true}}}},
                    "rule":{"nesting_mode":"set","block":{"attributes":{
                        "s":{"type":"string","optional":true,"sensitive":true}}}}}}"#,
        );
        let value = Value::from_json(
            r#"{"key":null,"users":{"ann":{"password":"x"},"bob":null},"none":null,"rule":[{"s":"a"}]}"#,
            block.implied_type(),
        )
        .unwrap();
        let element = Value::object([("s", "a")]);
        assert_eq!(
            block.sensitive_paths(&value),
            [
                Path::root().attribute("key"),
                Path::root().attribute("users").index("ann").attribute("password"),
                Path::root().attribute("rule").index(element).attribute("s"),
            ]
        );
        assert_eq!(
            block.write_only_paths(&value),
            [Path::root().attribute("users").index("ann").attribute("password")]
        );
        assert!(block.sensitive_paths(&Value::unknown(block.implied_type().clone())).is_empty());
    }

    #[test]
    fn lead_to_attributes_and_blocks() {
        let disk = Block::new([("size", Attribute::required(Type::Number))], []);
        let meta = NestedType::new(NestingMode::List, [("tag", Attribute::optional(Type::String))]);
        let block = Block::new(
            [("meta", Attribute::optional(meta))],
            [("disk", NestedBlock::new(NestingMode::List, disk.clone()))],
        );
        let (meta, disks) = (Path::root().attribute("meta"), Path::root().attribute("disk"));
        assert!(block.attribute_by_path(&meta).is_some());
        assert!(block.attribute_by_path(&meta.clone().index(0).attribute("tag")).is_some());
        assert!(block.attribute_by_path(&meta.clone().attribute("tag").attribute("x")).is_none());
        assert!(block.attribute_by_path(&disks.clone().index(0).attribute("size")).is_some());
        assert!(block.attribute_by_path(&disks).is_none());
        assert_eq!(block.block_by_path(&disks), Some(&disk));
        assert_eq!(block.block_by_path(&disks.clone().index(0)), Some(&disk));
        assert_eq!(block.block_by_path(&disks.attribute("size")), None);
        assert_eq!(block.block_by_path(&meta), None);
        assert_eq!(block.block_by_path(&Path::root()), None);
    }

    #[test]
    fn a_set_has_each_path_once() {
        let tags = Path::root().attribute("tags");
        let set: PathSet = [tags.clone(), tags.clone()].into_iter().collect();
        assert_eq!(set.len(), 1);
        assert!(set.contains(&tags) && !set.contains(&tags.index("a")));
    }
}

mod document {
    use super::*;

    const ADDRESS: &str = "registry.terraform.io/hashicorp/null";

    fn document(provider: &str) -> String {
        format!(r#"{{"format_version":"1.0","provider_schemas":{{"{ADDRESS}":{provider}}}}}"#)
    }

    #[track_caller]
    fn check_error(text: &str, want: &str) {
        let error = match ProviderSchemas::parse(text) {
            Err(error) => error,
            Ok(schemas) => {
                schemas.find(SchemaKind::Resource, "r").expect_err("something is wrong with this schema")
            }
        };
        assert_eq!(error.to_string(), want);
    }

    #[test]
    fn has_every_kind_of_schema() {
        let block = |name: &str| {
            format!(
                r#"{{"version":2,"block":{{"attributes":{{"{name}":{{"type":"string","optional":true}}}}}}}}"#
            )
        };
        let text = document(&format!(
            r#"{{"provider":{},"resource_schemas":{{"x":{}}},"data_source_schemas":{{"x":{}}},
                "ephemeral_resource_schemas":{{"x":{}}},"list_resource_schemas":{{"x":{}}},
                "resource_identity_schemas":{{"x":{{"version":2,"attributes":{{
                    "i":{{"type":"string","required_for_import":true}}}}}}}},"action_schemas":{{"x":{}}},
                "functions":{{"f":{{"return_type":"string"}}}},"something_new":[{{}}]}}"#,
            block("p"),
            block("r"),
            block("d"),
            block("e"),
            block("l"),
            block("n"),
        ));
        let schemas = ProviderSchemas::parse(text).unwrap();
        assert_eq!(schemas.providers().collect::<Vec<_>>(), [ADDRESS]);
        for (kind, name, attribute) in [
            (SchemaKind::Provider, "", "p"),
            (SchemaKind::Resource, "x", "r"),
            (SchemaKind::DataSource, "x", "d"),
            (SchemaKind::EphemeralResource, "x", "e"),
            (SchemaKind::ListResource, "x", "l"),
            (SchemaKind::Identity, "x", "i"),
            (SchemaKind::Action, "x", "n"),
        ] {
            assert_eq!(schemas.names(ADDRESS, kind).collect::<Vec<_>>(), [name]);
            let schema = schemas.get(ADDRESS, kind, name).unwrap().unwrap();
            assert_eq!(schema.version, 2);
            assert!(schema.block.attribute(attribute).is_some(), "{kind:?}");
        }
    }

    #[test]
    fn is_shared_by_threads_and_read_once() {
        let text = document(r#"{"resource_schemas":{"r":{"block":{"attributes":{"a":{"type":"string"}}}}}}"#);
        let schemas = ProviderSchemas::parse(text).unwrap();
        let get = || schemas.get(ADDRESS, SchemaKind::Resource, "r").unwrap().unwrap();
        let places = std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(|| std::ptr::from_ref(get()).addr()));
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(places.iter().all(|place| *place == std::ptr::from_ref(get()).addr()));
        assert_eq!(allocation_counter::measure(|| assert_eq!(get().version, 0)).count_total, 0);
    }

    #[test]
    fn may_have_no_providers_and_no_blocks() {
        assert_eq!(ProviderSchemas::parse(r#"{"format_version":"1.0"}"#).unwrap().providers().count(), 0);
        let schemas = ProviderSchemas::parse(document(r#"{"provider":{"version":0}}"#)).unwrap();
        let schema = schemas.get(ADDRESS, SchemaKind::Provider, "").unwrap().unwrap();
        assert!(schema.block.attributes().is_empty());
    }

    #[test]
    fn errors_name_the_place() {
        check_error("{", "line 1, column 2: the text ends too early: is it cut off?");
        check_error(
            "{}",
            "line 1, column 1: there is no `provider_schemas` here: is this the output of `terraform providers \
             schema -json`?",
        );
        check_error(
            r#"{"provider_schemas":{"a/b":{"resource_schemas":[]}}}"#,
            r#"line 1, column 48: provider_schemas["a/b"].resource_schemas: an object of names and schemas is expected here, not sequence"#,
        );
        check_error(
            "{\"provider_schemas\":{\"p\":{\"resource_schemas\":{\"r\":{\n  \"block\":{\"attributes\":{\"a\":\n{\"type\":\"txt\"}}}}}}}}",
            r#"line 3, column 13: provider_schemas.p.resource_schemas.r.block.attributes.a.type: unknown type "txt""#,
        );
        check_error(
            r#"{"provider_schemas":{"p":{"resource_schemas":{"r":{"block":{"block_types":{"d":{"nesting_mode":"heap"}}}}}}}}"#,
            "line 1, column 101: provider_schemas.p.resource_schemas.r.block.block_types.d.nesting_mode: one \
             of `single`, `group`, `list`, `set`, `map` is expected here",
        );
        check_error(
            r#"{"provider_schemas":{"p":{"resource_schemas":{"r":{"block":{"attributes":{"a":{"optional":true}}}}}}}}"#,
            "line 1, column 95: provider_schemas.p.resource_schemas.r.block.attributes.a: an attribute needs \
             `type` or `nested_type`",
        );
    }

    #[test]
    fn nothing_stands_twice() {
        check_error(
            r#"{"provider_schemas":{"p":{},"p":{}}}"#,
            r#"line 1, column 31: provider_schemas: the name "p" is used twice"#,
        );
        check_error(
            r#"{"provider_schemas":{"p":{"resource_schemas":{"r":{"block":{"attributes":{"a":{"type":["object",{"b":"bool","b":"bool"}]}}}}}}}}"#,
            r#"line 1, column 111: provider_schemas.p.resource_schemas.r.block.attributes.a.type[1]: the attribute "b" is used twice"#,
        );
    }

    #[test]
    fn another_format_version_is_refused() {
        check_error(
            r#"{"format_version":"2.1","provider_schemas":["another","form"]}"#,
            r#"line 1, column 19: format_version: the format version is "2.1", but only versions 0 and 1 can be read"#,
        );
    }

    #[test]
    fn nesting_is_limited() {
        let deep = |open: &str, close: &str| {
            format!(
                r#"{{"provider_schemas":{{"p":{{"resource_schemas":{{"r":{{"block":{{"attributes":{{"a":{{"type":{}"bool"{}}}}}}}}}}}}}}}}}"#,
                open.repeat(100_000),
                close.repeat(100_000)
            )
        };
        let schemas = ProviderSchemas::parse(deep(r#"["list","#, "]")).unwrap();
        let error = schemas.find(SchemaKind::Resource, "r").unwrap_err();
        assert!(error.message.contains("nested deeper than 128 levels"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn generated_schemas_are_well_formed(block in block()) {
        prop_assert_eq!(block.validate(), []);
    }

    #[test]
    fn what_fits_is_coerced_to_itself(
        (block, value) in with(block_without_dynamic(), |b| object_of(b, Content::KNOWN))
    ) {
        prop_assert_eq!(block.coerce_value(&value), Ok(value));
    }

    #[test]
    fn coercing_twice_is_coercing_once((block, value) in with(block_without_dynamic(), loose_object_of)) {
        if let Ok(coerced) = block.coerce_value(&value) {
            prop_assert_eq!(block.coerce_value(&coerced), Ok(coerced));
        }
    }

    /// With dynamic types, the empty value of an absent group has an empty tuple or object where coercion of
    /// it gives a list or map, as in Terraform; from then on nothing changes.
    #[test]
    fn coercion_comes_to_rest((block, value) in with(block(), loose_object_of)) {
        if let Ok(coerced) = block.coerce_value(&value) {
            let again = block.coerce_value(&coerced);
            prop_assert!(again.is_ok(), "{:?}", again);
            let again = again?;
            prop_assert_eq!(block.coerce_value(&again), Ok(again));
        }
    }

    #[test]
    fn sensitive_paths_lead_to_sensitive_attributes(
        (block, value) in with(block_without_dynamic(), |b| object_of(b, Content::ANY))
    ) {
        let sensitive = block.sensitive_paths(&value);
        let write_only = block.write_only_paths(&value);
        for path in sensitive.iter().chain(&write_only) {
            prop_assert!(value.at(path).is_some(), "{}", path);
        }
        let attribute = |path| block.attribute_by_path(path);
        prop_assert!(sensitive.iter().all(|path| attribute(path).is_some_and(|a| a.sensitive)));
        prop_assert!(write_only.iter().all(|path| attribute(path).is_some_and(|a| a.write_only)));
    }

    #[test]
    fn paths_lead_somewhere((block, value) in with(block(), |b| object_of(b, Content::ANY))) {
        for path in block.sensitive_paths(&value) {
            prop_assert!(value.at(&path).is_some(), "{}", path);
        }
    }

    #[test]
    fn errors_show_no_secret((block, value) in with(block(), loose_object_of)) {
        let value = with_secrets(&value);
        if let Err(error) = block.coerce_value(&value) {
            assert_shows_no_secret(&error.to_string());
            assert_shows_no_secret(&format!("{error:?}"));
        }
        for path in block.sensitive_paths(&value) {
            assert_shows_no_secret(&format!("{path} {path:?}"));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}|[{}\\[\\]:,\"a-z_0-9]{0,60}") {
        let _ = ProviderSchemas::parse(text.as_str());
        let _ = serde_json::from_str::<Block>(&text);
        let _ = serde_json::from_str::<Type>(&text);
    }
}
