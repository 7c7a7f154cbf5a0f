//! A written value reads back as an equal value.

use std::collections::BTreeMap;

use objchange::{Type, Value};
use proptest::prelude::*;
use serde_json::value::RawValue;

use crate::formats::generate::{MARKERS, MSGPACK, PLAIN, ty, typed_value};

proptest! {
    #[test]
    fn json((ty, value) in typed_value(PLAIN)) {
        let text = value.to_json(&ty).unwrap();
        prop_assert_eq!(Value::from_json(&text, &ty), Ok(value), "{}", text);
    }

    #[test]
    fn marker_json((ty, value) in typed_value(MARKERS)) {
        let text = value.to_marker_json(&ty).unwrap();
        prop_assert_eq!(Value::from_marker_json(&text, &ty), Ok(value), "{}", text);
    }

    #[test]
    fn plain_json_is_marker_json_but_for_keys_that_look_like_markers((ty, value) in typed_value(PLAIN)) {
        let markers = value.to_marker_json(&ty).unwrap();
        let plain = value.to_json(&ty).unwrap();
        prop_assert!(markers == plain || markers.contains("$literal"), "{} {}", markers, plain);
    }

    #[test]
    fn msgpack((ty, value) in typed_value(MSGPACK)) {
        let bytes = value.to_msgpack(&ty).unwrap();
        prop_assert_eq!(Value::from_msgpack(&bytes, &ty), Ok(value.clone()), "{:x?}", bytes);
        // Between any two formats.
        let read = Value::from_msgpack(&bytes, &ty).unwrap();
        prop_assert_eq!(read.to_msgpack(&ty).unwrap(), bytes);
    }

    #[test]
    fn types(ty in ty(true)) {
        prop_assert_eq!(serde_json::from_str::<Type>(&ty.to_string()).unwrap(), ty);
    }

    #[test]
    fn any_layout_of_the_text_is_the_same_value((ty, value) in typed_value(MARKERS)) {
        let text = value.to_marker_json(&ty).unwrap();
        let pretty = laid_out(&text);
        prop_assert_eq!(Value::from_marker_json(&pretty, &ty), Ok(value), "{}", pretty);
    }
}

/// JSON in which nothing is a value with its type.
fn untyped_json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value as Json, json};
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        Just(json!(1.5)),
        "[a-z\\$\u{e9}]{0,3}".prop_map(Json::from),
        Just(json!({"type": "none", "value": 1})),
        Just(json!({"type": "string"})),
        Just(json!({"$unknown": {}})),
        Just(json!({"type": "string", "value": "a", "more": null})),
    ];
    leaf.prop_recursive(4, 24, 4, |inside| {
        prop_oneof![
            proptest::collection::vec(inside.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map("[a-z]{1,2}", inside, 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_states_no_type_is_what_it_looks_like(json in untyped_json()) {
        let text = json.to_string();
        prop_assert_eq!(Value::from_json(&text, &Type::Dynamic), Ok(Value::try_from(&json).unwrap()), "{}", text);
        // So it is inside of what has a type.
        let inside = Value::from_json(&format!("[{text}]"), &Type::tuple([Type::Dynamic])).unwrap();
        prop_assert_eq!(inside, Value::tuple([Value::try_from(&json).unwrap()]));
        // Cases must say what they mean.
        if !json.is_null() {
            let refused = Value::from_marker_json(&text, &Type::Dynamic);
            prop_assert!(refused.is_err() || text.contains("$unknown"), "{}", text);
        }
    }
}

#[test]
fn the_value_may_stand_before_its_type() {
    let text = r#"{"value":{"a":1},"type":["map","number"]}"#;
    let map = Value::map(Type::Number, [("a", 1)]).unwrap();
    assert_eq!(Value::from_json(text, &Type::Dynamic), Ok(map));
}

#[test]
fn elements_of_a_dynamic_type_get_one_type() {
    let ty = Type::list(Type::Dynamic);
    let list = Value::list(Type::String, ["a", "b"]).unwrap();
    assert_eq!(Value::from_json(&list.to_json(&ty).unwrap(), &ty), Ok(list.clone()));
    assert_eq!(Value::from_msgpack(&list.to_msgpack(&ty).unwrap(), &ty), Ok(list));
}

/// Equal JSON with its keys sorted, so that "type" does not always come before "value", and white space.
fn laid_out(text: &str) -> String {
    match text.as_bytes()[0] {
        b'{' => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap();
            let members = members.iter().map(|(key, value)| {
                format!("\n {} : {}", serde_json::to_string(key).unwrap(), laid_out(value.get()))
            });
            format!("{{{}\n}}", members.collect::<Vec<_>>().join(" ,"))
        }
        b'[' => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap();
            let elements = elements.iter().map(|element| format!("\t{}", laid_out(element.get())));
            format!("[{}\r\n]", elements.collect::<Vec<_>>().join(" ,"))
        }
        _ => text.to_owned(),
    }
}
