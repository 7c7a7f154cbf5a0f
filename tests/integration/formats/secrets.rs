//! Errors never show content.

use std::fmt::{Debug, Display};

use objchange::value::{Descend, Path};
use objchange::{Type, Value};
use proptest::prelude::*;

use crate::formats::generate::{MSGPACK, PLAIN, ty, typed_value};

const SECRET: &str = "hunter2";

/// Replaces every string in a value by the secret.
fn with_secrets(value: &Value) -> Value {
    let replaced: Result<Value, std::convert::Infallible> =
        value.transform(|_, part| Ok(if part.as_str().is_some() { Value::from(SECRET) } else { part }));
    replaced.unwrap()
}

fn shows_nothing<T>(result: Result<T, impl Debug + Display>) -> Result<(), TestCaseError> {
    if let Err(error) = result {
        prop_assert!(!error.to_string().contains(SECRET), "{}", error);
        prop_assert!(!format!("{error:?}").contains(SECRET), "{:?}", error);
    }
    Ok(())
}

proptest! {
    #[test]
    fn in_json((ty_of_value, value) in typed_value(PLAIN), other in ty(true), cut in 0_usize..200) {
        let text = with_secrets(&value).to_json(&ty_of_value).unwrap();
        shows_nothing(Value::from_json(&text, &other))?;
        shows_nothing(Value::from_marker_json(&text, &other))?;
        if let Some(start) = text.get(..cut) {
            shows_nothing(Value::from_json(start, &ty_of_value))?;
        }
    }

    #[test]
    fn in_msgpack((ty_of_value, value) in typed_value(MSGPACK), other in ty(true), cut in 0_usize..200) {
        let bytes = with_secrets(&value).to_msgpack(&ty_of_value).unwrap();
        shows_nothing(Value::from_msgpack(&bytes, &other))?;
        shows_nothing(Value::from_msgpack(&bytes[..cut.min(bytes.len())], &ty_of_value))?;
    }

    #[test]
    fn when_writing((_, value) in typed_value(PLAIN), other in ty(true)) {
        let value = with_secrets(&value).sensitive();
        shows_nothing(value.to_json(&other))?;
        shows_nothing(value.to_marker_json(&other))?;
        shows_nothing(value.to_msgpack(&other))?;
    }
}

#[test]
fn inside_of_a_sensitive_part_not_even_keys_and_mistaken_promises() {
    let cases: [(Type, &str); 9] = [
        (Type::map(Type::Number), r#"{"$sensitive":{"hunter2":"x"}}"#),
        (Type::map(Type::Number), r#"{"$sensitive":{"hunter2":1,"hunter2":2}}"#),
        (Type::object([("a", Type::String)]), r#"{"$sensitive":{"hunter2":"x"}}"#),
        (Type::Dynamic, r#"{"$sensitive":{"type":"hunter2","value":1}}"#),
        (Type::Dynamic, r#"{"$sensitive":{"hunter2":"x"}}"#),
        (Type::String, r#"{"$sensitive":{"$unknown":"hunter2"}}"#),
        (Type::String, r#"{"$sensitive":{"$unknown":{"hunter2":1}}}"#),
        (Type::Number, r#"{"$sensitive":{"$unknown":{"number_lower":{"value":"hunter2"}}}}"#),
        (
            Type::list(Type::Dynamic),
            r#"{"$sensitive":[{"type":["object",{"hunter2":"string"}],"value":{}},{"type":"bool","value":true}]}"#,
        ),
    ];
    for (ty, text) in cases {
        let error = Value::from_marker_json(text, &ty).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(SECRET), "{text}: {error}");
    }
}

#[test]
fn in_the_paths_of_sensitive_parts() {
    let value = Value::map(Type::Dynamic, [("hunter2", Value::from("hunter2"))]).unwrap().sensitive();
    let value = Value::object([("labels", value)]);
    let mut paths: Vec<Path> = Vec::new();
    value.visit(|path, _| {
        paths.push(path.to_path());
        Descend::Into
    });
    assert_eq!(
        serde_json::to_string(&paths).unwrap(),
        r#"[[],[{"attr":"labels"}],[{"attr":"labels"},{"index":"(sensitive value)"}]]"#
    );
}
