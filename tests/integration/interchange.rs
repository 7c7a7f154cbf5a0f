//! Values from and to those of `serde_json`.

use objchange::Value;
use objchange::value::{Number, WriteError};
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::common;

use common::{Content, any_value};

proptest! {
    /// Types are lost on the way, content is not: what was written once is written the same again.
    #[test]
    fn what_is_written_comes_back(value in any_value(Content::KNOWN)) {
        if let Ok(json) = Json::try_from(&value) {
            let back = Value::try_from(&json).unwrap();
            prop_assert_eq!(Json::try_from(back), Ok(json));
        }
    }

    #[test]
    fn numbers_come_back_or_are_errors(number in common::number()) {
        match Json::try_from(Value::from(number.clone())) {
            Ok(json) => prop_assert_eq!(Value::try_from(json), Ok(Value::from(number))),
            Err(error) => {
                let expected = matches!(error, WriteError::Inexact { .. } | WriteError::Infinite { .. });
                prop_assert!(expected, "{}", error);
            }
        }
    }
}

#[test]
fn what_json_cannot_hold_is_an_error() {
    let json =
        |value: Value| Json::try_from(Value::object([("a", value)])).map_err(|error| error.to_string());
    let unknown = json(Value::unknown(objchange::Type::String));
    assert_eq!(unknown, Err("a: an unknown value cannot be written in this format".to_owned()));
    assert!(json(Value::from(Number::infinity())).is_err());
    let hidden = Value::map(objchange::Type::Dynamic, [("hunter2", Value::tuple([Value::from("hunter2")]))]);
    let message = json(hidden.unwrap().sensitive()).unwrap_err();
    assert!(!message.contains("hunter2"), "{message}");
}
