//! HCL as plain data: the forms that `sentinel.hcl` may have.

use objchange_hcl::{LineIndex, parse_body, parse_body_json, parse_data, parse_expression, parse_template};
use objchange_text::json::{Node, NodeKind, Property};
use proptest::prelude::*;

/// A value as JSON, so that it can be compared.
fn json(node: &Node<'_>) -> String {
    let all = |parts: Vec<String>| parts.join(", ");
    match &node.kind {
        NodeKind::Null => "null".to_owned(),
        NodeKind::Bool(bool) => bool.to_string(),
        NodeKind::Number(text) => (*text).to_owned(),
        NodeKind::String(text) => format!("{text:?}"),
        NodeKind::Array(items) => format!("[{}]", all(items.iter().map(json).collect())),
        NodeKind::Object(members) => format!("{{{}}}", all(members.iter().map(member).collect())),
    }
}

fn member(Property { name, value, .. }: &Property<'_>) -> String {
    format!("{name:?}: {}", json(value))
}

/// The attributes and blocks of a text.
#[track_caller]
fn read(text: &str) -> Vec<String> {
    let data = parse_data(text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let blocks = data.blocks.iter().map(|block| {
        let labels: String = block.labels.iter().map(|label| format!(" {label:?}")).collect();
        format!("{}{labels} {}", block.kind, json(&block.body))
    });
    data.attributes.iter().map(member).chain(blocks).collect()
}

#[test]
fn items_share_a_line() {
    assert_eq!(
        read(
            "mock \"a\" { module { source = \"b\" } } param \"c\" { value = 1, x = 2 y = 3 }\ntest\n{ z {} }"
        ),
        [
            r#"mock "a" {"module": {"source": "b"}}"#,
            r#"param "c" {"value": 1, "x": 2, "y": 3}"#,
            r#"test {"z": {}}"#,
        ]
    );
    // In the order of the text, whether an item is an attribute or a block.
    assert_eq!(read("a { b { c = 1 }\n \"d e\" = 2\n f { } }"), [r#"a {"b": {"c": 1}, "d e": 2, "f": {}}"#]);
}

#[test]
fn texts_have_no_sequences() {
    assert_eq!(read(r#"a = "${b} %{c} $${d} $e""#), [r#""a": "${b} %{c} ${d} $e""#]);
    assert_eq!(read("a = <<X\n ${b\n%{\nX\n"), [r#""a": " ${b\n%{\n""#]);
    assert_eq!(read("a = <<-X\n  b\n    c\n  X\n"), [r#""a": "b\n  c\n""#]);
    assert_eq!(read("a = <<X\nX\n"), [r#""a": """#]);
    assert_eq!(read(r#""${a}" "${b}" {}"#), [r#"${a} "${b}" {}"#]);
}

#[test]
fn values_are_written_out() {
    assert_eq!(
        read("a = { b: -1.5, \"c d\" = [true, null,], e.f = 1e3\n g = \"\\u00e9\\n\" }"),
        ["\"a\": {\"b\": -1.5, \"c d\": [true, null], \"e.f\": 1e3, \"g\": \"é\\n\"}"]
    );
    for (text, found, column) in [
        ("a = yes", "yes", 5),
        ("a = [1, b.c[d]]", "b.c", 9),
        ("a = b(c)", "b", 5),
        ("a = -b", "-b", 5),
        ("a = - 1", "-", 5),
        ("a = (1)", "(", 5),
        ("a = 1 + 2", "1", 5),
        ("a = [for b in c : b]", "[", 5),
        ("a = { (b) = 1 }", "(", 7),
        ("a { b = { c = d[0] } }", "d", 15),
    ] {
        let errors = parse_data(text).unwrap_err();
        let end = format!("found {found}.");
        assert!(errors[0].detail.ends_with(&end), "{text}: {errors:?}");
        assert_eq!(
            LineIndex::new(text).position(errors[0].subject.unwrap_or_default().start).column,
            column,
            "{text}"
        );
    }
}

#[test]
fn what_is_wrong_has_a_place() {
    for (text, summary) in [
        ("a {", "Unclosed configuration block"),
        ("a { b \"c\" {} }", "Unexpected block label"),
        ("a = 1\na = 2", "Attribute redefined"),
        ("a = [1 2]", "Missing item separator"),
        ("a = \"b\n\"", "Invalid multi-line string"),
        ("= 1", "Argument or block definition required"),
        ("a = \"\\q\"", "Invalid escape sequence"),
    ] {
        assert_eq!(parse_data(text).unwrap_err()[0].summary, summary, "{text}");
    }
}

#[test]
fn nesting_is_limited() {
    for text in ["a = [", "a { ", "a = { a = ", "a = [{ b = ["] {
        let deep = text.to_owned() + &text.trim_start_matches("a = ").repeat(100_000);
        let errors = parse_data(&deep).unwrap_err();
        assert!(errors.iter().any(|error| error.summary == "Nesting too deep"), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_text_makes_it_panic(text in "([a-z\"{}\\[\\]=,:#/*<>\\\\$% \n-]|policy|mock|test|<<E\n|\\PC){0,60}") {
        let _ = parse_data(&text);
    }

    /// Whatever is wrong with a text, errors about it are about a part of it.
    #[test]
    fn errors_have_places_in_the_text(text in "([a-c\"{}\\[\\]=,:#/*<>\\\\$%! \n\té日\u{1f600}\u{feff}0-9.-]|<<E\n|<<-é|/\\*|\\\\u|\\PC){0,30}") {
        let found = [
            parse_data(&text).err(),
            parse_body(&text).err(),
            parse_expression(&text).err(),
            parse_template(&text).err(),
            parse_body_json(&text).err(),
        ];
        for error in found.into_iter().flatten().flatten() {
            let subject = error.subject.unwrap_or_default();
            prop_assert!(text.get(subject.range()).is_some(), "{} {:?}", error, subject);
        }
    }
}
