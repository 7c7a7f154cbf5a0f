//! Conversion, unification and conformance of types.

use crate::common;

use common::{Content, any_type, any_value, assert_shows_no_secret, target, ty, with_secrets};
use objchange::value::{ConvertErrorKind, Kind, Marks, Refinements, unify};
use objchange::{Type, Value};
use proptest::prelude::*;

#[track_caller]
fn parsed(ty: &str) -> Type {
    serde_json::from_str(ty).expect("a type")
}

/// Reads `{"type":…,"value":…}`.
#[track_caller]
fn typed(text: &str) -> Value {
    Value::from_marker_json(text, &Type::Dynamic).expect("a value with its type")
}

#[track_caller]
fn check(value: &str, to: &str, want: &str) {
    assert_eq!(typed(value).convert(&parsed(to)), Ok(typed(want)));
}

/// Checks the path and kind of the error.
#[track_caller]
fn check_error(value: &str, to: &str, path: &str, kind: &str) {
    let error = typed(value).convert(&parsed(to)).expect_err("this does not convert");
    assert_eq!((error.path.to_string().as_str(), error.kind.kind()), (path, kind), "{error}");
}

#[track_caller]
fn check_common(types: &[&str], want: &str) {
    let types: Vec<Type> = types.iter().map(|ty| parsed(ty)).collect();
    assert_eq!(unify(&types), Some(parsed(want)));
}

#[test]
fn primitives_convert_through_their_text() {
    check(r#"{"type":"number","value":12}"#, r#""string""#, r#"{"type":"string","value":"12"}"#);
    check(r#"{"type":"string","value":"1e3"}"#, r#""number""#, r#"{"type":"number","value":1000}"#);
    check(r#"{"type":"bool","value":true}"#, r#""string""#, r#"{"type":"string","value":"true"}"#);
    check(r#"{"type":"string","value":"0"}"#, r#""bool""#, r#"{"type":"bool","value":false}"#);
    check_error(r#"{"type":"string","value":"True"}"#, r#""bool""#, "", "not_a_bool");
    check_error(r#"{"type":"string","value":"0x1"}"#, r#""number""#, "", "not_a_number");
    check_error(r#"{"type":"bool","value":true}"#, r#""number""#, "", "wrong_type");
    check_error(r#"{"type":"bool","value":null}"#, r#""number""#, "", "wrong_type");
}

#[test]
fn sequences_convert_element_by_element() {
    check(
        r#"{"type":["tuple",["number","string"]],"value":[1,"a"]}"#,
        r#"["list","string"]"#,
        r#"{"type":["list","string"],"value":["1","a"]}"#,
    );
    check(
        r#"{"type":["list","string"],"value":["2","1","2"]}"#,
        r#"["set","number"]"#,
        r#"{"type":["set","number"],"value":[1,2]}"#,
    );
    check_error(
        r#"{"type":["tuple",["number","string"]],"value":[1,"a"]}"#,
        r#"["list","number"]"#,
        "[1]",
        "not_a_number",
    );
    check_error(r#"{"type":["list","string"],"value":["a"]}"#, r#"["tuple",["string"]]"#, "", "wrong_type");
}

#[test]
fn a_set_of_unknown_size_becomes_an_unknown_list() {
    check(
        r#"{"type":["set","number"],"value":[1,{"$unknown":{}}]}"#,
        r#"["list","string"]"#,
        r#"{"type":["list","string"],"value":{"$unknown":{}}}"#,
    );
    check(
        r#"{"type":["set","number"],"value":[{"$unknown":{}}]}"#,
        r#"["list","string"]"#,
        r#"{"type":["list","string"],"value":[{"$unknown":{}}]}"#,
    );
}

#[test]
fn objects_take_and_drop_attributes() {
    let target = r#"["object",{"a":"string","b":"number"},["b"]]"#;
    check(
        r#"{"type":["object",{"a":"number","z":"bool"}],"value":{"a":1,"z":true}}"#,
        target,
        r#"{"type":["object",{"a":"string","b":"number"}],"value":{"a":"1","b":null}}"#,
    );
    check(
        r#"{"type":["map","string"],"value":{"a":"x","b":"2","c":"y"}}"#,
        target,
        r#"{"type":["object",{"a":"string","b":"number"}],"value":{"a":"x","b":2}}"#,
    );
    check_error(r#"{"type":["object",{"b":"number"}],"value":{"b":1}}"#, target, "", "wrong_type");
    check_error(r#"{"type":["map","string"],"value":{"b":"1"}}"#, target, "", "missing_attributes");
    check_error(r#"{"type":["map","string"],"value":{"a":"","b":"x"}}"#, target, r#"["b"]"#, "not_a_number");
}

#[test]
fn dynamic_elements_get_the_type_that_they_share() {
    check(
        r#"{"type":["tuple",["number","string","dynamic"]],"value":[1,"a",null]}"#,
        r#"["set","dynamic"]"#,
        r#"{"type":["set","string"],"value":["1","a",null]}"#,
    );
    check(
        r#"{"type":["tuple",[["tuple",["number"]],["tuple",["number","string"]]]],"value":[[1],[2,"b"]]}"#,
        r#"["list",["list","dynamic"]]"#,
        r#"{"type":["list",["list","string"]],"value":[["1"],["2","b"]]}"#,
    );
    check(
        r#"{"type":["object",{"a":["object",{"x":"number"}],"b":["object",{"x":"dynamic"}]}],
            "value":{"a":{"x":1},"b":{"x":{"$unknown":{}}}}}"#,
        r#"["map","dynamic"]"#,
        r#"{"type":["map",["object",{"x":"number"}]],"value":{"a":{"x":1},"b":{"x":{"$unknown":{}}}}}"#,
    );
    check_error(
        r#"{"type":["tuple",["number","bool"]],"value":[1,true]}"#,
        r#"["list","dynamic"]"#,
        "",
        "wrong_type",
    );
}

#[test]
fn unknown_values_keep_the_promises_that_still_hold() {
    let exactly_two = Refinements { length_lower: Some(2), length_upper: Some(3), ..Refinements::not_null() };
    let list = Value::refined_unknown(Type::list(Type::Number), exactly_two).unwrap();
    let set = list.convert(&Type::set(Type::String)).unwrap();
    let want = Refinements { length_lower: Some(1), length_upper: Some(3), ..Refinements::not_null() };
    assert_eq!(set.refinements(), Some(&want));

    let pair =
        Value::refined_unknown(Type::tuple([Type::Number, Type::Bool]), Refinements::not_null()).unwrap();
    let known = pair.convert(&Type::list(Type::String)).unwrap();
    assert!(matches!(known.kind(), Kind::List([a, b]) if !a.is_known() && !b.is_known()));
}

#[test]
fn marks_stay() {
    let secret = Value::object([("port", Value::from(80).sensitive())]).with_marks(Marks::EPHEMERAL);
    let map = secret.convert(&Type::map(Type::String)).unwrap();
    assert_eq!(map.marks(), Marks::EPHEMERAL);
    assert_eq!(map.element("port"), Some(&Value::from("80").sensitive()));
}

#[test]
fn an_error_says_what_is_required_and_what_is_there() {
    let error = Value::tuple([Value::from("x")]).convert(&Type::list(Type::Number)).unwrap_err();
    assert_eq!(error.to_string(), "[0]: a number is required");
    let error = Value::from(true).convert(&Type::list(Type::Number)).unwrap_err();
    assert_eq!(error.to_string(), "list of number required, but have bool");
    assert!(matches!(error.kind, ConvertErrorKind::WrongType { .. }));

    let target = Type::list(Type::object([("port", Type::Number)]));
    let sentence = |object: Value| Value::tuple([object]).convert(&target).unwrap_err().to_string();
    assert_eq!(
        sentence(Value::object([("port", true)])),
        r#"element 0: attribute "port": number required, but have bool"#
    );
    assert_eq!(sentence(Value::object([("ports", true)])), r#"element 0: attribute "port" is required"#);
}

#[test]
fn an_error_of_types_leads_to_the_part_that_does_not_fit() {
    let cases = [
        (
            r#"["map","bool"]"#,
            r#"["object",{"a":"string","b":"number"}]"#,
            r#"attribute "b": number required, but have bool"#,
        ),
        (
            r#"["map","bool"]"#,
            r#"["map","number"]"#,
            "incorrect map element type: number required, but have bool",
        ),
        (
            r#"["set","bool"]"#,
            r#"["list","number"]"#,
            "incorrect list element type: number required, but have bool",
        ),
        (r#"["tuple",["string","bool"]]"#, r#"["tuple",["string","number"]]"#, "tuple required"),
        (r#"["tuple",["string"]]"#, r#"["tuple",[]]"#, "tuple required"),
        (
            r#"["tuple",["string","bool"]]"#,
            r#"["set","number"]"#,
            "element 1: number required, but have bool",
        ),
        (
            r#"["object",{"a":"bool","b":"bool"}]"#,
            r#"["object",{"a":"string","b":"number"}]"#,
            r#"attribute "b": number required, but have bool"#,
        ),
        (
            r#"["object",{"a":"bool"}]"#,
            r#"["object",{"a":"bool","b":"bool","c":"bool"}]"#,
            r#"attributes "b" and "c" are required"#,
        ),
        (
            r#"["object",{"a":"string","b":"bool"}]"#,
            r#"["map","number"]"#,
            r#"element "b": number required, but have bool"#,
        ),
        ("\"string\"", r#"["object",{}]"#, "object required, but have string"),
    ];
    for (from, to, message) in cases {
        let [from, to] = [from, to].map(|ty| serde_json::from_str::<Type>(ty).unwrap());
        let error = Value::unknown(from).convert(&to).unwrap_err();
        assert_eq!(error.kind.to_string(), message);
    }
}

#[test]
fn common_types() {
    check_common(&[], r#""dynamic""#);
    check_common(&[r#""number""#, r#""string""#, r#""bool""#], r#""string""#);
    check_common(&[r#""number""#, r#""dynamic""#], r#""number""#);
    check_common(&[r#"["tuple",["number"]]"#, r#"["tuple",["string"]]"#], r#"["tuple",["string"]]"#);
    check_common(&[r#"["tuple",[]]"#, r#"["tuple",["number"]]"#], r#"["list","number"]"#);
    check_common(&[r#"["tuple",["number"]]"#, r#"["list","string"]"#], r#"["list","string"]"#);
    check_common(&[r#"["set","string"]"#, r#"["list","string"]"#], r#"["list","string"]"#);
    check_common(&[r#"["tuple",["number"]]"#, r#"["set","string"]"#], r#"["set","string"]"#);
    check_common(&[r#"["object",{}]"#, r#"["object",{"a":"number"}]"#], r#"["map","number"]"#);
    check_common(&[r#"["object",{"a":"bool"}]"#, r#"["map","string"]"#], r#"["map","string"]"#);
    check_common(
        &[r#"["object",{"a":["object",{}]}]"#, r#"["object",{"a":["object",{"b":"number"}]}]"#],
        r#"["object",{"a":["map","number"]}]"#,
    );
    check_common(&[r#"["list","string"]"#, r#""dynamic""#], r#""dynamic""#);
    for none in [
        [r#""number""#, r#""bool""#],
        [r#""number""#, r#"["tuple",["number"]]"#],
        [r#"["object",{}]"#, r#"["tuple",[]]"#],
        [r#"["object",{"a":"bool"}]"#, r#"["object",{"a":"number"}]"#],
    ] {
        assert_eq!(unify(&none.map(parsed)), None);
    }
}

/// Which type the inner elements share is asked at each level anew.
fn nested(levels: usize) -> Value {
    let empty = || Value::tuple::<Value>([]);
    (0..levels).fold(empty(), |inner, _| {
        Value::tuple([Value::tuple([Value::null(Type::Dynamic)]), Value::tuple([inner, empty()])])
    })
}

#[test]
fn nesting_does_not_multiply_the_work() {
    let value = Value::tuple([nested(60), Value::tuple::<Value>([])]);
    let error = value.convert(&Type::list(Type::Dynamic)).unwrap_err();
    assert_eq!(error.kind.kind(), "no_common_type");
    assert!(!error.to_string().is_empty());

    let deep = Value::unknown(value.ty().clone());
    let want = Type::list(Type::list(Type::list(Type::Dynamic)));
    assert_eq!(deep.convert(&Type::list(Type::Dynamic)).unwrap().ty(), &want);
}

#[test]
fn what_would_take_too_long_is_an_error_of_its_own() {
    // Each level holds the one below twice: 2^60 types that take as little memory as 60.
    let doubled = |inner: Type| Type::tuple([inner.clone(), Type::tuple([inner])]);
    let ty = |leaf| (0..60).fold(Type::tuple([leaf]), |inner, _| doubled(inner));
    let error = Value::tuple([ty(Type::Number), ty(Type::String)].map(Value::unknown))
        .convert(&Type::list(Type::Dynamic))
        .unwrap_err();
    assert_eq!(error.kind.kind(), "too_complex");
}

fn without_marks_of_nulls(value: &Value) -> Value {
    let plain = |part: Value| if part.is_null() { part.unmark().0 } else { part };
    let changed: Result<Value, std::convert::Infallible> = value.transform(|_, part| Ok(plain(part)));
    changed.unwrap()
}

#[test]
fn a_mark_on_a_null_is_lost_where_a_list_is_converted() {
    let to = Type::list(Type::Dynamic);
    let once = Value::tuple([Value::null(Type::String).sensitive()]).convert(&to).unwrap();
    assert!(once.index(0).unwrap().is_marked());
    assert!(!once.convert(&to).unwrap().index(0).unwrap().is_marked());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn converting_twice_is_converting_once(value in any_value(Content::ANY), to in target()) {
        if let Ok(converted) = value.convert(&to) {
            prop_assert!(converted.ty().conforms_to(&to), "{:?}", converted.ty());
            // A null keeps its mark on the way from a tuple to a list, and loses it where a list is converted, as in
            // Terraform.
            let again = converted.convert(&to).map(|again| without_marks_of_nulls(&again));
            prop_assert_eq!(again, Ok(without_marks_of_nulls(&converted)));
        }
    }

    #[test]
    fn every_value_becomes_dynamic_as_it_is(value in any_value(Content::ANY)) {
        prop_assert_eq!(value.convert(&Type::Dynamic), Ok(value));
    }

    #[test]
    fn types_decide_whether_null_converts(from in any_type(), to in target()) {
        let converted = Value::null(from.clone()).convert(&to);
        prop_assert_eq!(converted.is_ok(), from.converts_to(&to) || from.conforms_to(&to));
        prop_assert!(converted.is_ok_and(|value| value.is_null()) || !from.converts_to(&to));
    }

    #[test]
    fn all_types_convert_to_the_common_one(types in prop::collection::vec(any_type(), 0..4)) {
        if let Some(common) = unify(&types) {
            for ty in &types {
                prop_assert!(ty.converts_to(&common), "{} to {}", ty, common);
            }
            prop_assert_eq!(unify([&common, &common]), Some(common));
        }
    }

    #[test]
    fn one_type_is_its_own_common_type(ty in ty()) {
        prop_assert_eq!(unify([&ty]), Some(ty));
    }

    #[test]
    fn mismatches_say_where_a_type_does_not_conform(given in any_type(), wanted in any_type()) {
        prop_assert_eq!(given.mismatches(&wanted).is_empty(), given.conforms_to(&wanted));
        prop_assert!(given.conforms_to(&Type::Dynamic) && given.mismatches(&given).is_empty());
    }

    #[test]
    fn errors_show_no_secret(value in any_value(Content::ANY), to in target()) {
        if let Err(error) = with_secrets(&value).convert(&to) {
            assert_shows_no_secret(&error.to_string());
            assert_shows_no_secret(&format!("{error:?}"));
        }
    }
}
