//! Numbers, the order of values, JSON and terms, unknown values.

use crate::term;

use objchange_rego::Value;
use objchange_rego::value::{Number, Unknown};

fn json(text: &str) -> Value {
    Value::from_json(text).unwrap()
}

#[test]
fn numbers_keep_how_they_are_written() {
    let text =
        r#"[1.0,1e3,1E5,-0,-0.0,123456789012345678901234567890,1.10,1e1000000000,-9223372036854775808]"#;
    assert_eq!(json(text).to_json(), text);
}

#[test]
fn numbers_are_compared_by_value() {
    let equal = [
        ("1.0", "1"),
        ("1e3", "1000"),
        ("-0.0", "0"),
        ("0.10", "1e-1"),
        ("1e30", "1000000000000000000000000000000"),
    ];
    for (a, b) in equal {
        assert_eq!(json(a).cmp(&json(b)), std::cmp::Ordering::Equal, "{a} {b}");
        let hash = |value: &Value| {
            std::hash::BuildHasher::hash_one(
                &std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default(),
                value,
            )
        };
        assert_eq!(hash(&json(a)), hash(&json(b)), "{a} {b}");
    }
    let ascending = [
        "-1e1000000000",
        "-1e30",
        "-2.5",
        "-2",
        "-1e-400",
        "0",
        "1e-400",
        "0.1000000000000000000001",
        "0.2",
        "9223372036854775807",
        "9223372036854775807.5",
        "9223372036854775808",
        "1e1000000000",
        "2e1000000000",
    ];
    for pair in ascending.windows(2) {
        assert!(json(pair[0]) < json(pair[1]), "{pair:?}");
    }
}

#[test]
fn huge_numbers_are_not_written_out() {
    let huge = Number::parse("1e1000000000").unwrap();
    assert!(huge.add(&Number::from(1_i64)).is_err());
    assert!(huge.round().is_err());
    assert!(Number::parse("1e99999999999999999999").is_none());
    let mut square = Number::parse("123456789012345678901234567890").unwrap();
    let too_large = (0..60).find_map(|_| match square.multiply(&square) {
        Ok(next) => {
            square = next;
            None
        }
        Err(error) => Some(error),
    });
    assert!(too_large.is_some());
}

#[test]
fn types_are_ordered_as_in_opa() {
    let terms = [
        "null",
        "false",
        "true",
        "-1",
        "2",
        "\"a\"",
        "\"b\"",
        "[1, 2]",
        "[1, 2, 3]",
        "[2]",
        "{}",
        "{\"a\": 1, \"c\": 1}",
        "{\"a\": 2, \"b\": 1}",
        "{\"a\": 3}",
        "{\"b\": 2}",
        "set()",
        "{1, 2}",
        "{1, 2, 3}",
        "{2}",
    ];
    for pair in terms.windows(2) {
        assert!(term::read(pair[0]).unwrap() < term::read(pair[1]).unwrap(), "{pair:?}");
    }
}

#[test]
fn sets_and_objects_keep_one_of_equal_members() {
    assert_eq!(term::read("{1.0, 1, 1e0}").unwrap().to_string(), "{1.0}");
    let object = Value::object([(json("1e2"), json("1")), (json("100"), json("2"))]);
    assert_eq!(object.to_json(), r#"{"1e2":2}"#);
    assert_eq!(json(r#"{"b":1,"a":2,"b":3}"#).to_json(), r#"{"a":2,"b":3}"#);
}

#[test]
fn members_are_found() {
    let object = term::read(r#"{null: 0, 1: "one", "a": 2, "b": 3, [1]: 4}"#).unwrap();
    let object = object.as_object().unwrap();
    assert_eq!(object.get_str("b").map(Value::to_json), Some("3".to_owned()));
    assert_eq!(object.get(&json("1.0")).and_then(Value::as_str), Some("one"));
    assert_eq!(object.get(&json("[1]")).map(Value::to_json), Some("4".to_owned()));
    assert!(object.get_str("c").is_none());
    let array = json("[5,6]");
    let get = |index: &str| array.as_array().unwrap().get(&json(index)).map(Value::to_json);
    assert_eq!(get("1.0").as_deref(), Some("6"));
    assert_eq!((get("1e0"), get("1.5"), get("-1"), get("\"0\"")), (None, None, None, None));
}

#[test]
fn json_is_written_as_opa_marshals_it() {
    let value =
        term::read(r#"{[1]: "<>&\u2028\u007f\u0001é\t", {2}: set(), null: [{3, 1}], true: {}}"#).unwrap();
    let want =
        "{\"[1]\":\"\\u003c\\u003e\\u0026\\u2028\u{7f}\\u0001é\\t\",\"[2]\":[],\"null\":[[1,3]],\"true\":{}}";
    assert_eq!(value.to_json(), want);
    assert_eq!(term::read(r#"{1, "a\u0007", set()}"#).unwrap().to_string(), r#"{1, "a\a", set()}"#);
}

#[test]
fn deep_json_is_refused() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(json(&deep(100)).depth(), 100);
    assert!(Value::from_json(&deep(100_000)).is_err());
}

#[test]
fn collections_know_what_is_unknown_inside_them() {
    let unknown = |id| Value::Unknown(Unknown::new(id));
    let inner = Value::array([Value::Null, unknown(7)]);
    let value = Value::object([
        (Value::from("a"), inner),
        (Value::from("b"), unknown(3)),
        (Value::from("c"), Value::set([])),
    ]);
    assert!(value.contains_unknown());
    assert_eq!(value.unknowns().unwrap().ids(), [3, 7]);
    assert!(!json("[1,{}]").contains_unknown());
    assert!(json("[1,{}]").unknowns().is_none());
    let union = Unknown::from_ids([5, 1, 5]).union(&Unknown::new(3));
    assert_eq!(union.ids(), [1, 3, 5]);
}

#[test]
fn debugging_shows_no_content() {
    let value = json(r#"["s3cret", 424242, {"s3cret": 4242.42}]"#);
    let shown =
        format!("{value:?} {:?} {:?}", value.as_array(), value.as_array().map(|array| &array.items()[..2]));
    assert!(!shown.contains("s3cret") && !shown.contains("4242"), "{shown}");
}
