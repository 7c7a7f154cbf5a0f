//! The JSON syntax means the same as the native one, and its parts have spans.

use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_hcl::{
    Decoded, Diagnostic, Functions, LineIndex, Scope, Variables, decode, parse_body, parse_body_json,
};
use proptest::prelude::*;

fn schema() -> Block {
    let rule = Block::new(
        [("port", Attribute::required(Type::Number)), ("to", Attribute::optional(Type::String))],
        [],
    );
    let disk = Block::new([("size", Attribute::optional(Type::Dynamic))], []);
    Block::new(
        [
            ("name", Attribute::optional(Type::Dynamic)),
            ("tags", Attribute::optional(Type::map(Type::String))),
        ],
        [
            ("rule", NestedBlock::new(NestingMode::List, rule)),
            ("disk", NestedBlock::new(NestingMode::Map, disk.clone())),
            ("boot", NestedBlock::new(NestingMode::Single, disk)),
        ],
    )
}

fn variables() -> Variables {
    [("n", Value::from(2)), ("s", Value::from("k").sensitive()), ("u", Value::unknown(Type::String))]
        .into_iter()
        .collect()
}

/// Decodes a text, and returns all errors.
fn from_json(text: &str) -> (Value, Vec<Diagnostic>) {
    let file = parse_body_json(text).unwrap();
    let (body, mut errors) = file.under(&schema());
    let Decoded { value, errors: found, .. } =
        decode(&body, &schema(), &Scope::new(&variables()), Functions::pure());
    errors.extend(found);
    (value, errors)
}

/// Each error with the source that it points to.
fn errors(text: &str) -> Vec<(String, String)> {
    let found = from_json(text).1.into_iter();
    found.map(|error| (error.summary.to_string(), text[error.subject.unwrap().range()].to_owned())).collect()
}

fn from_native(text: &str) -> Value {
    let body = parse_body(text).unwrap();
    let Decoded { value, errors, .. } =
        decode(&body, &schema(), &Scope::new(&variables()), Functions::pure());
    assert_eq!(errors, [], "{text}");
    value
}

#[test]
fn json_says_what_the_native_syntax_says() {
    for (json, native) in [
        ("{}", ""),
        ("[]", ""),
        (r#"{"//": "a comment", "name": "a\tb"}"#, r#"name = "a\tb""#),
        (
            r#"[{"name": 1.5e3}, {"tags": {"${s}": "${n}x", "a": null}}]"#,
            r#"name = 1500
            tags = { (s) = "${n}x", a = null }"#,
        ),
        (
            r#"{"name": ["$${n}", "%{ if true }y%{ endif }", "${[n]}", {"//": true, "${n}": "${u}"}]}"#,
            r#"name = ["$${n}", "y", [n], {"//" = true, (n) = u }]"#,
        ),
        (r#"{"name": {"${u}": 1}}"#, "name = { (u) = 1 }"),
        (r#"{"rule": {"port": "80"}}"#, "rule {\n port = 80\n}"),
        (
            r#"{"rule": [{"port": 80}, [{"port": 81}, {"to": "x"}]], "rule": {"port": 82}}"#,
            "rule {\n port = 80\n}\nrule {\n port = 81\n to = \"x\"\n}\nrule {\n port = 82\n}",
        ),
        (r#"{"rule": null, "boot": [null]}"#, "boot {}"),
        (r#"{"disk": {"a": {"size": 1}, "b": null, "c": [{}]}}"#, "disk a {\n size = 1\n}\ndisk c {}"),
        (r#"{"disk": [{"a": {}}, {"b": {}}]}"#, "disk a {}\ndisk b {}"),
        (
            r#"{"dynamic": {"rule": {"for_each": [1, "${n}"], "iterator": "it", "content": {"port": "${it.value + 1}"}}}}"#,
            "rule {\n port = 2\n}\nrule {\n port = 3\n}",
        ),
        (
            r#"{"rule": {"port": 0}, "dynamic": [{"rule": [{"for_each": {"a": 1}, "content": {"to": "${rule.key}", "port": 1}}]}]}"#,
            "rule {\n port = 0\n}\nrule {\n port = 1\n to = \"a\"\n}",
        ),
        (
            r#"{"dynamic": {"disk": {"for_each": {"a": 1}, "labels": ["${disk.key}-x"], "content": {"size": "${disk.value}"}}}}"#,
            "disk a-x {\n size = 1\n}",
        ),
    ] {
        let (value, errors) = from_json(json);
        assert_eq!(errors, [], "{json}");
        assert_eq!(value, from_native(native), "{json}");
    }
}

#[test]
fn an_attribute_of_objects_may_be_blocks_in_an_old_schema() {
    let element = Type::object([("a", Type::String), ("b", Type::String)]);
    let schema = Block::new([("item", Attribute::optional(Type::list(element.clone())))], []);
    let value = |a: &str| Value::object([("a", Value::from(a)), ("b", Value::null(Type::String))]);
    let list = |values: Vec<Value>| Value::list(element.clone(), values).unwrap();
    for (json, want) in [
        (r#"{"item": [{"a": "x"}, {"a": "y"}]}"#, list(vec![value("x"), value("y")])),
        (r#"{"item": {"a": "x"}}"#, list(vec![value("x")])),
        (r#"{"item": []}"#, list(vec![])),
        (r#"{"item": "${[{a = \"x\", b = null}]}"}"#, list(vec![value("x")])),
        (
            r#"{"dynamic": {"item": {"for_each": ["x"], "content": {"a": "${item.value}"}}}}"#,
            list(vec![value("x")]),
        ),
    ] {
        let file = parse_body_json(json).unwrap();
        let (body, errors) = file.under(&schema);
        assert_eq!(errors, [], "{json}");
        let config = decode(&body, &schema, &Scope::new(&variables()), Functions::pure());
        assert_eq!(config.errors, [], "{json}");
        assert_eq!(config.value, Value::object([("item", want)]), "{json}");
    }
}

#[test]
fn each_error_has_the_summary_and_the_place_that_terraform_gives_it() {
    for (json, want) in [
        (r#"{"bogus": 2, "//": 5}"#, &[("Extraneous JSON object property", r#""bogus""#)][..]),
        (r#"{"name": 1, "name": 2}"#, &[("Duplicate argument", r#""name""#)]),
        (r#"[5]"#, &[("Incorrect JSON value type", "5")]),
        (r#"{"rule": 5}"#, &[("Incorrect JSON value type", "5")]),
        (r#"{"boot": [5]}"#, &[("Incorrect JSON value type", "5")]),
        (r#"{"boot": [[null]]}"#, &[("Incorrect JSON value type", "null")]),
        (r#"{"boot": [{}, {}]}"#, &[("Duplicate boot block", "[")]),
        (r#"{"rule": {}}"#, &[("Missing required argument", "}")]),
        (r#"{"rule": [[]]}"#, &[("Missing required argument", "[")]),
        (r#"{"rule": [null]}"#, &[("Missing required argument", "null")]),
        (r#"{"disk": {}}"#, &[("Missing block label", "{")]),
        (r#"{"disk": null}"#, &[("Missing block label", "null")]),
        (r#"{"disk": 5}"#, &[("Incorrect JSON value type", "5"), ("Missing block label", "5")]),
        (r#"{"disk": {"//": 5}}"#, &[("Incorrect JSON value type", "5")]),
        (r#"{"dynamic": {"x": {"for_each": []}}}"#, &[("Unsupported block type", r#""x""#)]),
        (
            r#"{"dynamic": {"rule": {"for_each": [], "labels": [], "content": {}}}}"#,
            &[("Extraneous JSON object property", r#""labels""#)],
        ),
        (
            r#"{"name": {"${null}": 3, "${[]}": 1, "a": 1, "a": 2}}"#,
            &[
                ("Invalid object key expression", r#""${null}""#),
                ("Invalid object key expression", r#""${[]}""#),
                ("Duplicate object attribute", r#""a""#),
            ],
        ),
        (r#"{"name": 1e999999999}"#, &[("Invalid JSON number", "1e999999999")]),
        (r#"{"tags": ["x"]}"#, &[("Incorrect attribute value type", r#"["x"]"#)]),
        (r#"{"name": "a${no}b"}"#, &[("Unknown variable", "no")]),
        (
            r#"{"name": "\u0041\n${no}\t${also}"}"#,
            &[("Unknown variable", "no"), ("Unknown variable", "also")],
        ),
        (r#"{"name": "\ud83d\ude00\\${no}é"}"#, &[("Unknown variable", "no")]),
        (r#"{"name": ["${1+}"]}"#, &[("Invalid expression", "}")]),
        (r#"{"name": "\"${\"x\" + 1}"}"#, &[("Invalid operand", r#"\"x\""#)]),
    ] {
        let want: Vec<(String, String)> =
            want.iter().map(|(summary, place)| ((*summary).to_owned(), (*place).to_owned())).collect();
        assert_eq!(errors(json), want, "{json}");
    }
    // The second name, not the first.
    let text = r#"{"name": 1, "name": 2}"#;
    assert_eq!(from_json(text).1[0].subject.unwrap().start, 12);
    let text = "{\"name\":\n  \"e\u{301}${no}\"}";
    let position = LineIndex::new(text).position(from_json(text).1[0].subject.unwrap().start);
    assert_eq!((position.line, position.column), (2, 7));
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    const ROOT: (&str, u32) = ("Root value must be object", 0);
    for (text, wanted) in [
        ("", vec![("Missing value", 0), ROOT]),
        ("5", vec![ROOT]),
        (r#"{"a": tru}"#, vec![("Invalid JSON keyword", 6)]),
        (r#"{"a": 1,}"#, vec![("Trailing comma in object", 7), ROOT]),
        (r#"{"a": 1} x"#, vec![("Extraneous data after value", 9)]),
        (r#"{"a":"#, vec![("Missing value", 5), ("Unclosed object", 0), ROOT]),
        (r#"{"a": "\é"}"#, vec![("Invalid JSON string", 10)]),
    ] {
        let errors = parse_body_json(text).map(|_| ()).unwrap_err();
        let found: Vec<(&str, u32)> =
            errors.iter().map(|error| (&*error.summary, error.subject.unwrap().start)).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn places_lead_back() {
    let text = r#"{"name": ["w"], "rule": [{"port": 1}]}"#;
    let (body, errors) = parse_body_json(text).unwrap().under(&schema());
    assert_eq!(errors, []);
    let config = decode(&body, &schema(), &Scope::new(&variables()), Functions::pure());
    let at = |path: &str| &text[config.place(&path.parse::<Path>().unwrap()).range()];
    assert_eq!(at(".name[0]"), r#""w""#);
    assert_eq!(at(".name"), r#""name": ["w"]"#);
    assert_eq!(at(".rule[0].port"), r#""port": 1"#);
}

#[test]
fn no_nesting_overflows_the_stack() {
    let survive = |open: &str, inside: &str, close: &str, n: usize| {
        let text = format!("{{\"name\": {}{inside}{}}}", open.repeat(n), close.repeat(n));
        if let Ok(file) = parse_body_json(&text) {
            let (body, _) = file.under(&schema());
            decode(&body, &schema(), &Scope::new(&variables()), Functions::pure());
        }
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || {
            let deep = format!("\"${{{}1{}}}\"", "(".repeat(300), ")".repeat(300));
            let allowed = format!("\"${{{}1{}}}\"", "(".repeat(90), ")".repeat(90));
            for n in [1, 100, 198, 20_000] {
                for inside in ["1", &deep, &allowed] {
                    survive("[", inside, "]", n);
                    survive("{\"a\":", inside, "}", n);
                }
            }
        })
        .unwrap()
        .join()
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// A string with any escapes means the same as the native template, and errors point to the same text.
    #[test]
    fn escapes_move_no_place(parts in prop::collection::vec("[a-cé😀\\n\"\\\\]{0,4}", 1..5)) {
        let template: String = parts.iter().map(|part| format!("{part}${{no}}")).collect();
        let text = format!("{{\"name\": {}}}", serde_json::to_string(&template).unwrap());
        let found = errors(&text);
        prop_assert_eq!(found.len(), parts.len());
        prop_assert!(found.iter().all(|(summary, place)| summary == "Unknown variable" && place == "no"));
    }

    /// Any text is read or refused, and what is read is decoded.
    #[test]
    fn any_text_has_an_answer(text in "(\\{\"(name|rule|disk|dynamic)\":)?[\\[\\]{}\":,a-e0-9$%\\\\ ]{0,40}\\}?") {
        if let Ok(file) = parse_body_json(&text) {
            let (body, _) = file.under(&schema());
            decode(&body, &schema(), &Scope::new(&variables()), Functions::pure());
        }
    }
}
