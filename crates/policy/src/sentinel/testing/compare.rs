//! Compares the result of a rule with the expected one.

use objchange_sentinel::Value;
use serde_json::{Number, Value as Json};

/// Whether a value equals the expected one: same type, and numbers of the same size. Undefined never does.
pub(super) fn is_same(expected: &Json, value: &Value) -> bool {
    match (expected, value) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(expected), Value::Bool(value)) => expected == value,
        (Json::Number(expected), Value::Int(value)) => is_int(expected, *value),
        (Json::Number(expected), Value::Float(value)) => expected.as_f64() == Some(*value),
        (Json::String(expected), Value::String(value)) => expected.as_bytes() == value.as_bytes(),
        (Json::Array(expected), Value::List(list)) => {
            let items = list.items();
            expected.len() == items.len()
                && expected.iter().zip(items.iter()).all(|(expected, item)| is_same(expected, item))
        }
        (Json::Object(expected), Value::Map(map)) => {
            expected.len() == map.len()
                && expected
                    .iter()
                    .all(|(key, expected)| map.get(key).is_some_and(|value| is_same(expected, &value)))
        }
        _ => false,
    }
}

fn is_int(expected: &Number, value: i64) -> bool {
    match expected.as_i64() {
        // As doubles, 9223372036854775807 and 9223372036854775806 are equal.
        Some(expected) => expected == value,
        None => expected.as_f64() == Some(value as f64),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn types_differ() {
        for value in
            [Value::from(1), Value::from("true"), Value::Null, Value::undefined(), Value::from(vec![])]
        {
            assert!(!is_same(&json!(true), &value), "{value:?}");
            assert!(!is_same(&json!(false), &value), "{value:?}");
        }
        assert!(!is_same(&json!(null), &Value::undefined()));
        assert!(is_same(&json!(2.0), &Value::from(2)));
        assert!(is_same(&json!(2), &Value::from(2.0)));
        assert!(!is_same(&json!(i64::MAX), &Value::from(i64::MAX - 1)));
        assert!(!is_same(&json!([1]), &Value::from(vec![Value::from(1), Value::undefined()])));
    }

    fn value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(json!(null)),
            Just(json!(true)),
            Just(json!(1)),
            Just(json!("a")),
            Just(json!(0.5))
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(|items| json!(items)),
                prop::collection::btree_map("[ab]", inner, 0..3).prop_map(|members| json!(members)),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn it_is_as_json_is_compared(expected in value(), got in value()) {
            prop_assert_eq!(is_same(&expected, &Value::from_json(&got)), expected == got);
            prop_assert!(is_same(&got, &Value::from_json(&got)));
        }
    }
}
