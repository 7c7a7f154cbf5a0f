//! The reader against that of `serde_json`.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,2})?([eE][+-]?[0-3])?",
        r#""([a-c \u{e9}]|\\["\\/bfnrt]|\\u00[0-7][0-9a-f]|\\ud83d\\ude00)*""#,
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("null".to_owned()),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        let key = "[ab]{0,2}";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|e| format!("[ {} ]", e.join(" ,"))),
            prop::collection::vec((key, inner), 0..4).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(k, v)| format!("\"{k}\" : {v}")).collect();
                format!("{{{}\n}}", members.join(","))
            }),
        ]
    })
}

fn check(text: &str) {
    match (from_str::<Value>(text), serde_json::from_str::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{text:?}"),
        (Err(error), Err(_)) => assert!(error.offset() <= text.len(), "{error:?} in {text:?}"),
        (ours, theirs) => panic!("{ours:?} and {theirs:?} of {text:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_serde_json_reads_is_read_the_same(text in json()) {
        check(&text);
    }

    #[test]
    fn what_serde_json_refuses_is_refused(
        mut text in json(),
        at in any::<prop::sample::Index>(),
        instead in r#"[\[\]{}",:0-9eE.+\\untf \t-]{0,2}"#,
    ) {
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = boundaries[at.index(boundaries.len())];
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        text.replace_range(at..end, &instead);
        check(&text);
    }
}

#[test]
fn both_refuse_the_same_depth() {
    for depth in [126, 127, 128, 129, 100_000] {
        check(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        check(&format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth)));
    }
}

#[test]
fn corners_are_as_they_are_there() {
    for text in [
        r#""\ud800""#,
        r#""\ude00x""#,
        r#""\ud800\u0041""#,
        "\u{feff}1",
        "-0",
        "1e999",
        "01",
        "1.",
        "\"\u{1}\"",
    ] {
        check(text);
    }
}

#[test]
fn an_error_says_where_and_never_what() {
    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "nothing is read")]
    struct Known {
        a: Vec<u64>,
    }
    let error = from_str::<Known>("{\n \"a\":[1, \"hunter2\"]}").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (JsonErrorKind::Mismatch, 19));
    assert_eq!(error.to_string(), "u64 is expected here, not string");
    assert!(error.segments().eq(&[Segment::Key("a".to_owned()), Segment::Position(1)]));
    let error = from_str::<Known>(r#"{"hunter2":1}"#).unwrap_err();
    assert_eq!(error.to_string(), "`a` is expected here");
    let error = from_str::<Known>(" [[1]]").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (JsonErrorKind::Mismatch, 1));
    assert_eq!(error.to_string(), "an object is expected here, not a sequence");
    let error = from_str::<Known>(r#"{"a":[1"#).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (JsonErrorKind::Truncated, 7));
}
