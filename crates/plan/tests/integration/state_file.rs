//! State files, as they are shown: like the documents that say the same.

use std::thread;

use objchange_document::json::MAX_DEPTH;
use objchange_document::{Document, Schemas, State};
use objchange_plan::{Options, render_state};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

const SCHEMAS: &str = include_str!("state/schemas.json");

fn shown(text: &str, schemas: &Schemas) -> String {
    let Document::State(state) = Document::parse(text).unwrap() else { panic!("this is a state") };
    render_state(&state, schemas, &Options::default()).unwrap()
}

/// The state file, what `terraform show` (v1.11.4) prints for it, and what `terraform show -json` prints.
#[test]
fn a_state_file_is_shown_as_terraform_shows_it() {
    let file = include_str!("state/terraform.tfstate");
    let expected = include_str!("state/shown.txt");
    let schemas = Schemas::parse(SCHEMAS).unwrap();
    similar_asserts(&shown(include_str!("state/shown.json"), &schemas), expected);
    similar_asserts(&shown(file, &schemas), expected);
    // Without the schemas the kinds of values are told by how they look.
    let without = shown(file, &Schemas::none());
    assert!(!without.contains("hunter"), "{without}");
}

#[track_caller]
fn similar_asserts(got: &str, expected: &str) {
    for (line, (got, expected)) in std::iter::zip(got.lines(), expected.lines()).enumerate() {
        assert_eq!(got, expected, "line {}", line + 1);
    }
    assert_eq!(got, expected);
}

#[test]
fn a_small_file_does_not_fill_the_memory() {
    let module = "module.a.".repeat(10_000);
    let instances = "{},".repeat(100_000);
    let text = format!(
        r#"{{"version":4,"lineage":"x","resources":[{{"module":"{module}b","mode":"managed","type":"t","name":"n",
            "instances":[{instances}{{}}]}}]}}"#
    );
    let error = State::parse_file(&text).unwrap_err().to_string();
    assert!(error.ends_with("the addresses of the instances are too long"), "{error}");
}

/// On a small stack.
#[test]
fn values_may_be_as_deep_as_in_documents() {
    let work = || {
        let levels = MAX_DEPTH - 1;
        for deep in [
            format!("{}1{}", "[".repeat(levels), "]".repeat(levels)),
            format!("{}1{}", "{\"value\":".repeat(levels), "}".repeat(levels)),
            format!("{}1{}", r#"{"value":1,"type":"#.repeat(levels), "}".repeat(levels)),
        ] {
            let file = format!(
                r#"{{"version":4,"lineage":"x","resources":[{{"mode":"managed","type":"terraform_data","name":"n",
                    "provider":"provider[\"{PROVIDER}\"]","instances":[{{"attributes":{{"input":{deep}}}}}]}}]}}"#
            );
            for schemas in [Schemas::parse(SCHEMAS).unwrap(), Schemas::none()] {
                assert!(shown(&file, &schemas).contains(" 1\n") || shown(&file, &schemas).contains(" 1,\n"));
            }
            let deeper = file.replace(&deep, &format!("[{deep}]"));
            let Ok(Document::State(state)) = Document::parse(&deeper) else { panic!("this is a state") };
            let error = render_state(&state, &Schemas::none(), &Options::default()).unwrap_err().to_string();
            assert!(error.contains("nest too deeply"), "{error}");
        }
    };
    thread::Builder::new().stack_size(1 << 21).spawn(work).unwrap().join().unwrap();
}

/// A value in both forms: its type, as a document has it, as a state file has it under that type, and which of it is
/// sensitive, as a document says it and by paths from here.
#[derive(Debug, Clone)]
struct Both {
    ty: Json,
    plain: Json,
    marks: Json,
    paths: Vec<Vec<Json>>,
}

fn marked(value: Both) -> Both {
    Both { marks: true.into(), paths: vec![Vec::new()], ..value }
}

fn some(inside: impl Strategy<Value = Both> + Clone + 'static) -> BoxedStrategy<Both> {
    prop_oneof![4 => inside.clone(), 1 => inside.prop_map(marked)].boxed()
}

fn below(step: &Json, paths: Vec<Vec<Json>>) -> Vec<Vec<Json>> {
    paths.into_iter().map(|path| std::iter::once(step.clone()).chain(path).collect()).collect()
}

fn value() -> impl Strategy<Value = Both> {
    let leaf = prop_oneof![
        Just((json!("string"), json!("text"))),
        Just((json!("string"), json!(null))),
        Just((json!("string"), json!("[1,{\"a\":null}]"))),
        Just((json!("number"), json!(12.5))),
        Just((json!("bool"), json!(true))),
        Just((json!(["set", "string"]), json!(["a", "b"]))),
        Just((json!(["list", "number"]), json!([3, 1]))),
    ];
    let leaf =
        leaf.prop_map(|(ty, plain)| Both { ty, plain, marks: false.into(), paths: Vec::new() }).boxed();
    let inside = leaf.prop_recursive(3, 12, 3, |inside| {
        let names = prop::sample::select(vec!["type", "value", "a", "é.b"]);
        prop_oneof![
            prop::collection::vec(some(inside.clone()), 0..3).prop_map(tuple),
            prop::collection::btree_map(names, some(inside), 0..3).prop_map(|members| object(&members)),
        ]
    });
    some(inside)
}

fn tuple(elements: Vec<Both>) -> Both {
    let index = |i: usize| json!({"type": "index", "value": {"value": i, "type": "number"}});
    Both {
        ty: json!(["tuple", elements.iter().map(|e| e.ty.clone()).collect::<Vec<_>>()]),
        plain: elements.iter().map(|e| e.plain.clone()).collect(),
        marks: elements.iter().map(|e| e.marks.clone()).collect(),
        paths: elements.into_iter().enumerate().flat_map(|(i, e)| below(&index(i), e.paths)).collect(),
    }
}

fn object(members: &std::collections::BTreeMap<&str, Both>) -> Both {
    let all = |part: fn(&Both) -> Json| -> Json {
        members
            .iter()
            .map(|(name, member)| ((*name).to_owned(), part(member)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    Both {
        ty: json!(["object", all(|member| member.ty.clone())]),
        plain: all(|member| member.plain.clone()),
        marks: all(|member| member.marks.clone()),
        paths: members
            .iter()
            .flat_map(|(name, member)| {
                below(&json!({"type": "get_attr", "value": name}), member.paths.clone())
            })
            .collect(),
    }
}

/// One instance: its module and key, whether it is tainted, and what it holds.
type Instance = ((&'static str, Json), bool, Both);

fn state() -> impl Strategy<Value = (Vec<Instance>, Vec<usize>)> {
    // As documents have them in order.
    let places: Vec<(&str, Json)> = ["", "module.a", "module.a[\"k\"]", "module.b"]
        .into_iter()
        .flat_map(|module| {
            [json!(null), json!(2), json!(10), json!("a b"), json!("c")].map(|key| (module, key))
        })
        .collect();
    let places = prop::sample::subsequence(places, 0..6);
    let instances = places.prop_flat_map(|places| {
        let instances: Vec<_> =
            places.into_iter().map(|place| (Just(place), any::<bool>(), value())).collect();
        instances
    });
    instances.prop_flat_map(|instances| {
        let order: Vec<usize> = (0..instances.len()).collect();
        (Just(instances), Just(order).prop_shuffle())
    })
}

const PROVIDER: &str = "terraform.io/builtin/terraform";

fn file((instances, order): &(Vec<Instance>, Vec<usize>), output: &Both) -> String {
    let resources = order.iter().map(|&i| {
        let ((module, key), tainted, value) = &instances[i];
        let attribute = json!({"type": "get_attr", "value": "input"});
        let input = match value.plain {
            Json::Null => Json::Null,
            _ => json!({"type": value.ty, "value": value.plain}),
        };
        json!({
            "module": module, "mode": "managed", "type": "terraform_data", "name": "x",
            "provider": format!("provider[\"{PROVIDER}\"]"),
            "instances": [{
                "index_key": key, "status": if *tainted { json!("tainted") } else { json!(null) },
                "attributes": {"id": "i", "input": input},
                "sensitive_attributes": below(&attribute, value.paths.clone()),
            }],
        })
    });
    json!({
        "version": 4, "serial": 1, "lineage": "x", "resources": resources.collect::<Vec<_>>(),
        "outputs": {"o": {"value": output.plain, "type": output.ty, "sensitive": output.marks == json!(true)}},
    })
    .to_string()
}

fn document((instances, _): &(Vec<Instance>, Vec<usize>), output: &Both) -> String {
    let resources = |wanted: &str| -> Vec<Json> {
        let here = instances.iter().filter(|((module, _), ..)| *module == wanted);
        here.map(|((module, key), tainted, value)| {
            let dot = if module.is_empty() { "" } else { "." };
            let key = if key.is_null() { String::new() } else { format!("[{key}]") };
            json!({
                "address": format!("{module}{dot}terraform_data.x{key}"), "mode": "managed",
                "type": "terraform_data", "name": "x", "provider_name": PROVIDER, "tainted": tainted,
                "values": {"id": "i", "input": value.plain}, "sensitive_values": {"input": value.marks},
            })
        })
        .collect()
    };
    let modules = ["module.a", "module.a[\"k\"]", "module.b"].into_iter().map(resources);
    let modules = modules.filter(|resources| !resources.is_empty());
    json!({
        "format_version": "1.0", "terraform_version": "1.11.4",
        "values": {
            "root_module": {
                "resources": resources(""),
                "child_modules": modules.map(|r| json!({"resources": r})).collect::<Vec<_>>(),
            },
            "outputs": {"o": {"value": output.plain, "type": output.ty, "sensitive": output.marks == json!(true)}},
        },
    })
    .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_file_and_a_document_that_say_the_same_are_shown_the_same(state in state(), output in value()) {
        let (file, document) = (file(&state, &output), document(&state, &output));
        let schemas = Schemas::parse(SCHEMAS).unwrap();
        prop_assert_eq!(shown(&file, &schemas), shown(&document, &schemas));
        // Without a schema, an object with the form of a typed value is one, in both.
        prop_assert_eq!(shown(&file, &Schemas::none()), shown(&document, &Schemas::none()));
    }
}
