//! Refinements of unknown values: which ones a type can have, and which values they allow.

use crate::common;

use objchange::value::{Bound, Kind, Number, RefinementError, Refinements};
use objchange::{Type, Value};
use proptest::prelude::*;

use common::{Content, any_value};

fn bound(value: i64, inclusive: bool) -> Option<Bound> {
    Some(Bound { value: Number::from(value), inclusive })
}

fn prefix(text: &str) -> Refinements {
    Refinements { string_prefix: Some(text.into()), ..Refinements::default() }
}

fn numbers(number_lower: Option<Bound>, number_upper: Option<Bound>) -> Refinements {
    Refinements { number_lower, number_upper, ..Refinements::default() }
}

fn lengths(length_lower: Option<u64>, length_upper: Option<u64>) -> Refinements {
    Refinements { length_lower, length_upper, ..Refinements::default() }
}

fn unknown(ty: &Type, promised: Refinements) -> Value {
    Value::refined_unknown(ty.clone(), promised).unwrap()
}

fn types() -> [Type; 8] {
    [
        Type::String,
        Type::Number,
        Type::Bool,
        Type::list(Type::String),
        Type::set(Type::String),
        Type::map(Type::String),
        Type::tuple([Type::String]),
        Type::object([("a", Type::String)]),
    ]
}

#[test]
fn each_type_has_its_own_promises() {
    let is_collection = |ty: &Type| matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(_));
    for ty in types() {
        for (promised, is_fit) in [
            (Refinements::not_null(), true),
            (prefix("a"), ty == Type::String),
            (numbers(bound(1, true), None), ty == Type::Number),
            (numbers(None, bound(1, true)), ty == Type::Number),
            (lengths(Some(1), None), is_collection(&ty)),
            (lengths(None, Some(1)), is_collection(&ty)),
        ] {
            let value = Value::refined_unknown(ty.clone(), promised.clone());
            match value {
                Ok(value) => {
                    assert!(is_fit && value.ty() == &ty && !value.is_known(), "{promised:?} of {ty}");
                }
                Err(error) => {
                    assert!(!is_fit, "{promised:?} of {ty}");
                    assert_eq!(error.kind(), "not_applicable");
                }
            }
        }
    }
    // A value of unknown type cannot have refinements.
    let dynamic = Value::unknown(Type::Dynamic);
    assert_eq!(unknown(&Type::Dynamic, lengths(Some(1), None)), dynamic);
}

#[test]
fn bounds_do_not_cross() {
    let list = Type::list(Type::Bool);
    for (ty, promised, is_fit) in [
        (&Type::Number, numbers(bound(1, true), bound(2, true)), true),
        (&Type::Number, numbers(bound(1, false), bound(1, true)), true),
        (&Type::Number, numbers(bound(2, true), bound(1, true)), false),
        (&list, lengths(Some(1), Some(2)), true),
        (&list, lengths(Some(1), Some(1)), true),
        (&list, lengths(Some(2), Some(1)), false),
    ] {
        match Value::refined_unknown(ty.clone(), promised.clone()) {
            Ok(_) => assert!(is_fit, "{promised:?}"),
            Err(error) => {
                assert_eq!((is_fit, error), (false, RefinementError::Contradiction), "{promised:?}");
            }
        }
    }
}

/// Where a single value keeps the promise, it is that value; so a null must be ruled out.
#[test]
fn a_single_possibility_is_known() {
    let (list, set, map) = (Type::list(Type::Bool), Type::set(Type::Bool), Type::map(Type::Bool));
    let one = Value::unknown(Type::Bool);
    let none: [Value; 0] = [];
    let exactly = |n| lengths(Some(n), Some(n));
    let five = numbers(bound(5, true), bound(5, true));
    for (ty, promised, single) in [
        (&Type::Number, five, Some(Value::from(5))),
        (&Type::Number, numbers(bound(5, false), bound(5, true)), None),
        (&Type::Number, numbers(bound(5, true), bound(5, false)), None),
        (&Type::Number, numbers(bound(4, true), bound(5, true)), None),
        (&list, lengths(None, Some(0)), Some(Value::list(Type::Bool, none.clone()).unwrap())),
        (&list, exactly(2), Some(Value::list(Type::Bool, [one.clone(), one.clone()]).unwrap())),
        (&list, lengths(Some(1), Some(2)), None),
        (&set, lengths(None, Some(0)), Some(Value::set(Type::Bool, none).unwrap())),
        (&set, exactly(1), Some(Value::set(Type::Bool, [one.clone()]).unwrap())),
        // The two may turn out to be equal.
        (&set, exactly(2), None),
        (&map, lengths(None, Some(0)), Some(Value::map(Type::Bool, [] as [(&str, Value); 0]).unwrap())),
        // Which keys there are is not promised.
        (&map, exactly(1), None),
    ] {
        assert!(!unknown(ty, promised.clone()).is_known(), "{promised:?} of {ty}, or null");
        let value = unknown(ty, Refinements { not_null: true, ..promised.clone() });
        match single {
            Some(single) => assert_eq!(value, single, "{promised:?} of {ty}"),
            None => assert!(!value.is_known(), "{promised:?} of {ty}"),
        }
    }
    let long = Refinements { not_null: true, ..exactly(1 << 40) };
    assert_eq!(Value::refined_unknown(list, long.clone()).unwrap_err().kind(), "too_long");
    assert!(!unknown(&set, long).is_known());
}

#[test]
fn what_promises_nothing_is_left_out() {
    let list = Type::list(Type::Bool);
    let refinements = |value: &Value| match value.kind() {
        Kind::Unknown(refinements) => refinements.clone(),
        _ => panic!("{value} is known"),
    };
    for (given, kept) in [
        (lengths(Some(0), Some(3)), lengths(None, Some(3))),
        (lengths(Some(2), Some(u64::MAX)), lengths(Some(2), None)),
        (lengths(Some(2), Some(i64::MAX as u64)), lengths(Some(2), None)),
        (lengths(Some(2), Some(i64::MAX as u64 - 1)), lengths(Some(2), Some(i64::MAX as u64 - 1))),
        // It still tells the value from one of which nothing was ever said.
        (lengths(Some(0), None), lengths(Some(0), None)),
        (lengths(None, Some(u64::MAX)), lengths(Some(0), None)),
    ] {
        assert_eq!(refinements(&unknown(&list, given.clone())), kept, "{given:?}");
    }
    let not_null = Refinements { not_null: true, ..prefix("") };
    assert_eq!(refinements(&unknown(&Type::String, not_null)), Refinements::not_null());
    assert_eq!(refinements(&unknown(&Type::String, prefix(""))), prefix(""));
}

#[test]
fn what_breaks_a_promise_is_refused() {
    let (list, set, map) = (Type::list(Type::Number), Type::set(Type::Number), Type::map(Type::Number));
    let of = |ty: &Type, n: i64| match ty {
        Type::List(_) => Value::list(Type::Number, (0..n).map(Value::from)).unwrap(),
        Type::Set(_) => Value::set(Type::Number, (0..n).map(Value::from)).unwrap(),
        Type::Map(_) => Value::map(Type::Number, (0..n).map(|i| (i.to_string(), Value::from(i)))).unwrap(),
        _ => Value::from(n),
    };
    for (ty, promised, fit) in [
        (&Type::Number, numbers(bound(2, true), None), [false, true, true, true]),
        (&Type::Number, numbers(bound(2, false), None), [false, false, true, true]),
        (&Type::Number, numbers(None, bound(3, true)), [true, true, true, false]),
        (&Type::Number, numbers(None, bound(3, false)), [true, true, false, false]),
        (&Type::Number, numbers(bound(2, true), bound(3, true)), [false, true, true, false]),
        (&list, lengths(Some(2), Some(3)), [false, true, true, false]),
        (&set, lengths(Some(2), Some(3)), [false, true, true, false]),
        (&map, lengths(Some(2), Some(3)), [false, true, true, false]),
    ] {
        let value = unknown(ty, promised.clone());
        let found = [1, 2, 3, 4].map(|n| value.may_become(&of(ty, n)));
        assert_eq!(found, fit, "{promised:?} of {ty}");
        let null = Value::null(ty.clone());
        assert!(value.may_become(&null));
        assert!(!unknown(ty, Refinements { not_null: true, ..promised }).may_become(&null));
    }
    let value = unknown(&Type::String, prefix("ab"));
    assert!(value.may_become(&Value::from("abc")) && !value.may_become(&Value::from("ba")));

    // A set of unknown elements may have fewer in the end, and never none.
    let two = Value::set(Type::Number, [Value::from(1), Value::unknown(Type::Number)]).unwrap();
    for (promised, is_fit) in [
        (lengths(Some(1), Some(1)), true),
        (lengths(Some(2), None), true),
        (lengths(Some(3), None), false),
        (lengths(None, Some(0)), false),
    ] {
        assert_eq!(unknown(&set, promised.clone()).may_become(&two), is_fit, "{promised:?}");
    }
}

/// One of two unknown values may become the other unless no value fulfils both.
#[test]
fn an_unknown_value_out_of_range_is_refused() {
    let list = Type::list(Type::Number);
    for (ty, one, other, is_fit) in [
        (&Type::Number, numbers(bound(3, true), None), numbers(None, bound(3, true)), true),
        (&Type::Number, numbers(bound(4, true), None), numbers(None, bound(3, true)), false),
        (&Type::Number, numbers(bound(4, true), None), numbers(bound(1, true), None), true),
        (&list, lengths(Some(3), None), lengths(None, Some(3)), true),
        (&list, lengths(Some(4), None), lengths(None, Some(3)), false),
        (&list, lengths(Some(4), None), Refinements::not_null(), true),
    ] {
        let [a, b] = [&one, &other].map(|promised| unknown(ty, promised.clone()));
        assert_eq!((a.may_become(&b), b.may_become(&a)), (is_fit, is_fit), "{one:?} and {other:?}");
    }
}

/// The promises of a value, each present or not.
fn true_promises(value: &Value, [is_not_null, lower, upper]: [bool; 3]) -> Refinements {
    let bound = || value.as_number().map(|n| Bound { value: n.clone(), inclusive: true });
    let start = || value.as_str().and_then(|text| text.chars().next()).map(|c| c.to_string().into());
    let len = || value.ty().is_collection().then(|| value.len()).flatten().map(|n| n as u64);
    Refinements {
        not_null: is_not_null && !value.is_null(),
        string_prefix: lower.then(start).flatten(),
        number_lower: lower.then(bound).flatten(),
        number_upper: upper.then(bound).flatten(),
        length_lower: lower.then(len).flatten(),
        length_upper: upper.then(len).flatten(),
    }
}

proptest! {
    #![proptest_config(common::cases(1000))]

    #[test]
    fn what_is_true_of_a_value_may_become_it(value in any_value(Content::KNOWN), which in any::<[bool; 3]>()) {
        let promised = Value::refined_unknown(value.ty().clone(), true_promises(&value, which)).unwrap();
        // Where elements are made of nothing but their number, they are unknown themselves.
        if promised.is_known() {
            prop_assert_eq!(promised.len(), value.len());
        } else {
            prop_assert!(promised.may_become(&value), "{:?} of {}", which, value);
        }
    }
}
