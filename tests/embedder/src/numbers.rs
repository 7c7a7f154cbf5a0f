//! An embedder reads these with `serde_json` beside this library: numbers inside of tagged, flattened and untagged
//! types, which a feature of `serde_json` that is not additive (`arbitrary_precision`) would break for everybody in the
//! same build. The tests are built with the features that all crates of the workspace turn on together.

use objchange::{Type, Value};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Count { n: u64 },
    Ratio { n: f64 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flattened {
    name: String,
    #[serde(flatten)]
    numbers: Numbers,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Numbers {
    whole: i64,
    real: f64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Natural(u64),
    Integer(i64),
    Real(f64),
    Text(String),
}

#[track_caller]
fn check<T>(json: &str, expected: &T)
where
    T: std::fmt::Debug + PartialEq + Serialize + for<'de> Deserialize<'de>,
{
    assert_eq!(&serde_json::from_str::<T>(json).expect(json), expected);
    assert_eq!(serde_json::to_string(expected).expect(json), json);
    let tree = serde_json::to_value(expected).expect(json);
    assert_eq!(&serde_json::from_value::<T>(tree).expect(json), expected);
}

#[test]
fn numbers_of_tagged_types_are_read() {
    check(r#"{"kind":"count","n":18446744073709551615}"#, &Tagged::Count { n: u64::MAX });
    check(r#"{"kind":"ratio","n":0.25}"#, &Tagged::Ratio { n: 0.25 });
}

#[test]
fn numbers_of_flattened_types_are_read() {
    let numbers = Numbers { whole: -3, real: 1.5 };
    check(r#"{"name":"a","whole":-3,"real":1.5}"#, &Flattened { name: "a".to_owned(), numbers });
}

#[test]
fn numbers_of_untagged_types_are_read() {
    check("7", &Untagged::Natural(7));
    check("-7", &Untagged::Integer(-7));
    check("7.5", &Untagged::Real(7.5));
    check(r#""7""#, &Untagged::Text("7".to_owned()));
}

/// The feature would change this for everybody: a number that no double holds would be one.
#[test]
fn numbers_are_those_of_the_plain_library() {
    serde_json::from_str::<serde_json::Value>("1e400").expect_err("no double is so large");
}

/// The library itself stays exact beside it.
#[test]
fn the_library_reads_and_writes_every_digit() {
    let digits = "12345678901234567890123456789.000000000000000000001";
    let text = format!(r#"{{"n":{digits}}}"#);
    let ty = Type::object([("n", Type::Number)]);
    let value = Value::from_json(&text, &ty).expect("an object");
    assert_eq!(value.to_json(&ty).expect("wholly known"), text);
    serde_json::Value::try_from(&value).expect_err("serde_json rounds this number");
    let small = Value::object([("n", Value::from(7))]);
    assert_eq!(serde_json::Value::try_from(&small).expect("exact"), json!({"n": 7}));
}
