//! Any bytes are a value or an error with its place: no panic, no unbounded memory, no unbounded nesting.

use objchange::value::{MsgpackProblem, Path, PathStep};
use objchange::{Type, Value};
use objchange_text::json::from_str;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::formats::generate::{MARKERS, MSGPACK, ty, typed_value};

/// Types under which nearly all that is said in a format is read.
fn types() -> Vec<Type> {
    vec![
        Type::Dynamic,
        Type::String,
        Type::Number,
        Type::Bool,
        Type::list(Type::Number),
        Type::set(Type::Dynamic),
        Type::map(Type::list(Type::String)),
        Type::tuple([Type::Bool, Type::Dynamic]),
        Type::object([("a", Type::map(Type::Dynamic)), ("$sensitive", Type::String)]),
    ]
}

fn read_in_every_format(bytes: &[u8], ty: &Type) {
    let _ = Value::from_msgpack(bytes, ty);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Value::from_json(text, ty);
        let _ = Value::from_marker_json(text, ty);
        let _ = serde_json::from_str::<Type>(text);
        let _ = serde_json::from_str::<Path>(text);
    }
}

/// Bytes with some replaced, put in or taken out.
fn damaged(mut bytes: Vec<u8>, damage: &[(Index, u8, u8)]) -> Vec<u8> {
    for (at, how, byte) in damage {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        match how % 4 {
            0 => bytes[at] = *byte,
            1 => bytes.insert(at, *byte),
            2 => drop(bytes.remove(at)),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

fn damage() -> impl Strategy<Value = Vec<(Index, u8, u8)>> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(br#"{}[]",:$0e-n"#.to_vec())];
    vec((any::<Index>(), any::<u8>(), byte), 1..4)
}

proptest! {
    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..64), ty in ty(true)) {
        for ty in types().iter().chain([&ty]) {
            read_in_every_format(&bytes, ty);
        }
    }

    #[test]
    fn random_json(text in r#"[\[\]{}:,"a$0-9e.\- \\un]{0,40}"#) {
        for ty in types() {
            read_in_every_format(text.as_bytes(), &ty);
        }
    }

    #[test]
    fn damaged_messages((ty, value) in typed_value(MSGPACK), damage in damage()) {
        let bytes = damaged(value.to_msgpack(&ty).unwrap(), &damage);
        read_in_every_format(&bytes, &ty);
        if let Err(error) = Value::from_msgpack(&bytes, &ty) {
            prop_assert!(error.offset <= bytes.len());
        }
    }

    #[test]
    fn damaged_marker_json((ty, value) in typed_value(MARKERS), damage in damage()) {
        let bytes = damaged(value.to_marker_json(&ty).unwrap().into_bytes(), &damage);
        read_in_every_format(&bytes, &ty);
        if let Ok(text) = std::str::from_utf8(&bytes)
            && let Err(error) = Value::from_marker_json(text, &ty)
        {
            let line = text.split('\n').nth(error.line - 1);
            prop_assert!(line.is_some_and(|line| (1..=line.len() + 1).contains(&error.column)), "{} in {:?}", error, text);
        }
    }
}

#[track_caller]
fn json_error(text: &str, ty: &Type) -> String {
    let plain = Value::from_json(text, ty).expect_err(text).to_string();
    let markers = Value::from_marker_json(text, ty).expect_err(text).to_string();
    assert_eq!(plain, markers);
    plain
}

#[track_caller]
fn msgpack_error(bytes: &[u8], ty: &Type) -> String {
    Value::from_msgpack(bytes, ty).unwrap_err().to_string()
}

#[test]
fn the_place_of_an_error_is_that_in_the_whole_text() {
    let cases = [
        ("[\"a\nb\"]", Type::list(Type::String), "line 1, column 4: a control character"),
        ("{\n  \"a\": 1,\n  \"b\": true\n}", Type::map(Type::Number), "line 3, column 11: [\"b\"]: a number"),
        // Values that are set aside until their type is known.
        (
            "{\n  \"value\": {\"a\": 1,\n    \"b\": true},\n  \"type\": [\"map\", \"number\"]\n}",
            Type::Dynamic,
            "line 3, column 13: [\"b\"]: a number",
        ),
        (
            "{\"value\": {\"value\": true, \"type\": \"number\"},\n  \"type\": \"dynamic\"}",
            Type::Dynamic,
            "line 1, column 24: a number",
        ),
    ];
    for (text, ty, start) in cases {
        let error = json_error(text, &ty);
        assert!(error.starts_with(start), "{error}");
    }
    // Names that may be a marker or the key of a map.
    let text = "{\n \"$sensitive\": {\"a\":\n  true}}";
    let error = Value::from_marker_json(text, &Type::map(Type::Number)).unwrap_err();
    assert_eq!((error.line, error.column), (3, 6));
    let text = "[1,\n {\"$unknown\":{\"number_lower\":\n {\"value\":\"x\"}}}]";
    let error = Value::from_marker_json(text, &Type::list(Type::Number)).unwrap_err();
    assert_eq!((error.line, error.column), (3, 11));
}

fn plain_error(text: &str, ty: &Type) -> String {
    Value::from_json(text, ty).unwrap_err().to_string()
}

#[test]
fn a_marker_in_plain_json_names_its_reader() {
    let marker = r#"{"$unknown":{}}"#;
    for ty in [Type::String, Type::list(Type::Bool), Type::object([("a", Type::Bool)])] {
        let error = plain_error(marker, &ty);
        assert!(error.contains("is a marker, which `Value::from_marker_json` reads"), "{error}");
        assert!(Value::from_marker_json(marker, &ty).is_ok());
    }
    // A key, where there may be any.
    assert!(Value::from_json(r#"{"$sensitive":"a"}"#, &Type::map(Type::String)).is_ok());
}

#[test]
fn what_a_type_was_implied_from_is_not_told() {
    let error = plain_error(r#"[{"hunter":1},{"x":1}]"#, &Type::list(Type::Dynamic));
    assert!(error.contains("must have one type") && !error.contains("hunter"), "{error}");
}

#[test]
fn keys_stand_once() {
    let object = Type::object([("a", Type::Bool)]);
    let map = Type::map(Type::Bool);
    for ty in [&object, &map] {
        let error = json_error(r#"{"a":true,"a":true}"#, ty);
        assert!(error.starts_with("line 1, column 13: ") && error.contains("used twice"), "{error}");
    }
    // Also in another normal form, and out of order.
    assert!(
        json_error("{\"b\":true,\"\u{e9}\":true,\"a\":true,\"e\u{301}\":true}", &map).contains("used twice")
    );
    assert_eq!(
        plain_error(r#"{"type":"bool","type":"bool","value":true}"#, &Type::Dynamic),
        "line 1, column 21: [\"type\"]: this key is used twice; use each key once"
    );
    assert_eq!(
        msgpack_error(b"\x82\xa1a\xc3\xa1a\xc3", &map),
        "byte 4: [\"a\"]: this key is used twice; use each key once"
    );
    let two = Type::object([("a", Type::Bool), ("b", Type::Bool)]);
    assert_eq!(
        msgpack_error(b"\x82\xa1a\xc3\xa1a\xc3", &two),
        "byte 4: a: this key is used twice; use each key once"
    );
    assert!(serde_json::from_str::<Type>(r#"["object",{"a":"bool","a":"string"}]"#).is_err());
}

#[test]
fn what_does_not_fit_the_type_is_named() {
    let object = Type::object([("a", Type::Bool), ("b", Type::Bool)]);
    assert_eq!(
        msgpack_error(b"\x82\xa1a\xc3\xa1c\xc3", &object),
        "byte 4: c: the type has no such attribute; leave it out or correct its name"
    );
    assert_eq!(msgpack_error(b"\x81\xa1a\xc3", &object), "byte 0: 2 parts are expected here, not 1");
    assert_eq!(msgpack_error(b"\x91\xc3", &Type::tuple([])), "byte 0: 0 parts are expected here, not 1");
    assert_eq!(
        msgpack_error(b"\xc3\x00\x00", &Type::Bool),
        "byte 1: 2 more bytes follow the value; a message holds one value"
    );
    assert_eq!(
        msgpack_error(b"\xc1", &Type::Bool),
        "byte 0: a bool is expected here, not a byte that no MessagePack has"
    );
    assert_eq!(msgpack_error(b"\xa2\xc3\x28", &Type::String), "byte 0: the text is not valid UTF-8");
    assert!(msgpack_error(b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", &Type::Number).contains("NaN"));
    assert!(
        msgpack_error(b"\x92\xc4\x03\"x\"\xc3", &Type::Dynamic).starts_with("byte 1: the first of the two")
    );
    // A set of several types.
    let error =
        msgpack_error(b"\x92\x92\xc4\x06\"bool\"\xc3\x92\xc4\x08\"number\"\x01", &Type::set(Type::Dynamic));
    assert!(error.starts_with("byte 0: the elements of a collection must have one type"), "{error}");
}

#[test]
fn promises_that_cannot_hold_are_refused() {
    // A string prefix of a number.
    assert!(msgpack_error(b"\xc7\x04\x0c\x81\x02\xa1a", &Type::Number).contains("string prefix"));
    // A length of a string.
    assert!(msgpack_error(b"\xc7\x03\x0c\x81\x05\x01", &Type::String).contains("length bound"));
    // At least 5, at most 2.
    assert!(msgpack_error(b"\xc7\x05\x0c\x82\x05\x05\x06\x02", &Type::list(Type::Bool)).contains("above"));
    assert!(msgpack_error(b"\xc7\x03\x0c\x81\x05\xff", &Type::list(Type::Bool)).contains("from 0"));
    assert!(msgpack_error(b"\xc7\x05\x0c\x82\x01\xc2\x01\xc2", &Type::Bool).contains("is repeated"));
    assert!(msgpack_error(b"\xc8\x04\x01\x0c", &Type::Bool).contains("1025 bytes"));
}

#[test]
fn lengths_are_only_claims() {
    for (bytes, ty) in [
        (b"\xdd\xff\xff\xff\xff".as_slice(), Type::list(Type::Bool)),
        (b"\xdf\x7f\xff\xff\xff\xa1a", Type::map(Type::Bool)),
        (b"\xdb\x40\x00\x00\x00abc", Type::String),
        (b"\xc6\x40\x00\x00\x00abc", Type::String),
        (b"\x92\xc6\x40\x00\x00\x00abc", Type::Dynamic),
        (b"\xdd\x40\x00\x00\x00", Type::Dynamic),
    ] {
        let error = Value::from_msgpack(bytes, &ty).unwrap_err();
        assert!(matches!(error.problem, MsgpackProblem::TooShort { missing } if missing > 1000), "{error}");
    }
}

#[test]
fn nesting_has_a_limit() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    for text in [deep(100_000), "[".repeat(100_000), r#"{"type":"dynamic","value":"#.repeat(100_000)] {
        for ty in [Type::Dynamic, Type::list(Type::Dynamic)] {
            plain_error(&text, &ty);
            Value::from_marker_json(&format!(r#"{{"value":{text},"type":"dynamic"}}"#), &ty).unwrap_err();
        }
        serde_json::from_str::<Type>(&text).unwrap_err();
    }
    // In two steps again and again.
    let (mut text, mut markers) = ("1".to_owned(), "1".to_owned());
    for _ in 0..2000 {
        text = format!(r#"{{"value":{text},"type":"dynamic"}}"#);
        markers = format!(r#"{{"$sensitive":{markers}}}"#);
    }
    plain_error(&text, &Type::Dynamic);
    Value::from_marker_json(&text, &Type::Dynamic).unwrap_err();
    for ty in [Type::Number, Type::map(Type::Number), Type::Dynamic] {
        Value::from_marker_json(&markers, &ty).unwrap_err();
    }
    let bytes = b"\x92\xc4\x09\"dynamic\"".repeat(100_000);
    assert!(msgpack_error(&bytes, &Type::Dynamic).contains("nested too deeply"));

    // As deep as the limit allows, in all formats.
    let (mut ty, mut value) = (Type::Bool, Value::from(true));
    for _ in 0..100 {
        ty = Type::list(ty);
        value = Value::list(value.ty().clone(), [value.clone()]).unwrap();
    }
    assert_eq!(Value::from_json(&value.to_json(&ty).unwrap(), &ty).as_ref(), Ok(&value));
    assert_eq!(Value::from_msgpack(&value.to_msgpack(&ty).unwrap(), &ty), Ok(value));
}

#[test]
fn few_bytes_cannot_ask_for_much() {
    // Not null, exactly 2^20 elements: once is allowed, not twice.
    let bytes = b"\xc7\x0f\x0c\x83\x01\xc2\x05\xce\x00\x10\x00\x00\x06\xce\x00\x10\x00\x00";
    let ty = Type::list(Type::Bool);
    assert_eq!(Value::from_msgpack(bytes, &ty).unwrap().len(), Some(1 << 20));
    let error = msgpack_error(&[b"\x92".as_slice(), bytes, bytes].concat(), &Type::list(ty.clone()));
    assert!(error.starts_with("byte 19: [1]: more than 1048576"), "{error}");

    let text = r#"{"$unknown":{"nullness":"not_null","length_lower":1048576,"length_upper":1048576}}"#;
    assert_eq!(Value::from_marker_json(text, &ty).unwrap().len(), Some(1 << 20));
    let error = Value::from_marker_json(&format!("[{text},{text}]"), &Type::list(ty)).unwrap_err();
    assert!(error.to_string().contains(": [1]: more than 1048576"), "{error}");

    // A type of a thousand attributes, and thousands of objects that have none of them.
    let attributes: Vec<String> = (0..1000).map(|i| format!(r#""a{i}":"bool""#)).collect();
    let objects = vec!["{}"; 2000].join(",");
    let text = format!(r#"{{"type":["list",["object",{{{}}}]],"value":[{objects}]}}"#, attributes.join(","));
    assert!(json_error(&text, &Type::Dynamic).contains("more than 1048576"));
}

#[test]
fn numbers_have_a_limit() {
    for text in ["1e999999999", "-1e999999999", "1e-999999999"] {
        assert!(json_error(text, &Type::Number).contains("exponent"));
        let bytes = [&[0xd9, text.len() as u8], text.as_bytes()].concat();
        assert!(msgpack_error(&bytes, &Type::Number).contains("exponent"));
    }
}

#[test]
fn the_key_that_the_json_library_uses_is_a_key_like_any_other() {
    let key = "$serde_json::private::Number";
    let text = format!(r#"{{"{key}":"12"}}"#);
    let map = Value::map(Type::String, [(key, "12")]).unwrap();
    assert_eq!(Value::from_json(&text, map.ty()), Ok(map.clone()));
    let text = format!(r#"{{"a":"x","{key}":"12"}}"#);
    assert_eq!(Value::from_json(&text, map.ty()).unwrap().element(key), Some(&Value::from("12")));
    for ty in [Type::String, Type::Number] {
        let text = format!(r#"{{"{key}":"12"}}"#);
        assert!(json_error(&text, &ty).contains("not an object"));
    }
}

#[test]
fn literals_are_objects_whose_values_may_hold_markers() {
    let map = |key, value| Value::map(Type::Dynamic, [(key, value)]).unwrap();
    let ty = Type::map(Type::String);
    let secret = Value::from("x").sensitive();
    let cases = [
        (r#"{"$literal":{"$literal":"x"}}"#, map("$literal", Value::from("x"))),
        (r#"{"$literal":{"$sensitive":{"$sensitive":"x"}}}"#, map("$sensitive", secret.clone())),
        (r#"{"$literal":{"a":{"$sensitive":"x"}}}"#, map("a", secret.clone())),
        (r#"{"$sensitive":{"$literal":{"$unknown":"x"}}}"#, map("$unknown", Value::from("x")).sensitive()),
        (r#"{"$sensitive":{"$sensitive":{"a":"x"}}}"#, map("a", Value::from("x")).sensitive()),
    ];
    for (text, value) in cases {
        assert_eq!(Value::from_marker_json(text, &ty), Ok(value), "{text}");
    }
    // With a second key there is nothing to mistake.
    let two = Value::from_marker_json(r#"{"$sensitive":"x","a":"y"}"#, &ty).unwrap();
    assert_eq!(two.element("$sensitive"), Some(&Value::from("x")));
    for text in [r#"{"$literal":null}"#, r#"{"$literal":"x"}"#, r#"{"$literal":[]}"#] {
        Value::from_marker_json(text, &ty).unwrap_err();
    }
    Value::from_marker_json(r#"{"$literal":"x"}"#, &Type::String).unwrap_err();
    let error = Value::from_marker_json(r#"{"$sensitive":"x","a":"y"}"#, &Type::String).unwrap_err();
    assert!(error.message.contains("no other key"), "{error}");
}

#[test]
fn paths_are_read_as_they_are_written() {
    let path = Path::root().attribute("a").index(-1).index("k").index(true).index(Value::from(2_u64.pow(63)));
    let json = serde_json::to_string(&path).unwrap();
    assert_eq!(
        json,
        r#"[{"attr":"a"},{"index":-1},{"index":"k"},{"index":true},{"index":9223372036854775808}]"#
    );
    assert_eq!(serde_json::from_str::<Path>(&json).unwrap(), path);
    for bad in [r#"[{"index":{}}]"#, r#"[{"index":null}]"#, r#"[{"attr":1}]"#, r#"[{}]"#, r#"["a"]"#, "{}"] {
        serde_json::from_str::<Path>(bad).unwrap_err();
    }
    let element = PathStep::Index(Value::object([("a", Value::unknown(Type::Bool))]));
    assert_eq!(serde_json::to_string(&element).unwrap(), r#"{"index":{"a":{"$unknown":{}}}}"#);
}

#[test]
fn messages_quote_no_text_however_long_it_is() {
    for text in ["hunter".to_owned(), "hunter, expected x".repeat(100), "hunter`\"".repeat(100)] {
        let json = serde_json::to_string(&text).unwrap();
        let error = from_str::<Vec<u64>>(&json).unwrap_err();
        assert_eq!(error.message(), "a sequence is expected here, not string");
    }
}

#[test]
fn messages_name_no_attribute_of_what_they_hold() {
    let parts = Value::tuple([Value::object([("hunter2", Value::from("x"))]), Value::from("y")]);
    let bytes = parts.to_msgpack(&Type::tuple([Type::Dynamic, Type::Dynamic])).unwrap();
    let error = Value::from_msgpack(&bytes, &Type::list(Type::Dynamic)).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    let marked = Value::tuple([Value::object([("hunter2", Value::from("x"))]), Value::from("y").sensitive()]);
    let error = marked.to_msgpack(&Type::list(Type::String)).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}
