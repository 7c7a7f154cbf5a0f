//! Promises about an unknown hold once it is known.

use objchange::value::{Kind, Refinements};
use objchange::{Type, Value};
use objchange_hcl::{Functions, Scope, Variables, evaluate, parse_expression};
use proptest::prelude::*;

/// The variables, some of them unknown, with promises that hold.
fn variables(hidden: u8) -> Variables {
    let prefix = Refinements { string_prefix: Some("a".into()), ..Refinements::not_null() };
    let length = Refinements { length_lower: Some(1), length_upper: Some(3), ..Refinements::not_null() };
    let known = [
        ("s", Value::from("ab"), prefix),
        ("n", Value::from(3), Refinements::not_null()),
        ("b", Value::from(true), Refinements::default()),
        ("l", Value::list(Type::String, ["a", "b"]).unwrap(), length),
        ("m", Value::map(Type::Number, [("k", 1)]).unwrap(), Refinements::not_null()),
        ("o", Value::object([("a", Value::from(1)), ("b", Value::from("x"))]), Refinements::not_null()),
        ("z", Value::null(Type::String), Refinements::default()),
    ];
    let hide = |i: usize, value: Value, promised| match hidden >> i & 1 {
        0 => value,
        _ => Value::refined_unknown(value.ty().clone(), promised).unwrap(),
    };
    known
        .into_iter()
        .enumerate()
        .map(|(i, (name, value, promised))| (name, hide(i, value, promised)))
        .collect()
}

/// No `try`: the type of an unknown condition is not checked, so an error may come up only when it is known.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "s", "n", "b", "l", "m", "o", "z", "o.a", "l[0]", "m.k", "1", "7", "true", "false", "null", "\"x\"",
        "\"ab\"", "[]",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let operator = prop::sample::select(vec!["+", "-", "==", "!=", "<", ">=", "&&", "||", "*"]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            two.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            two.clone().prop_map(|(a, b)| format!("[{a}, {b}]")),
            two.clone().prop_map(|(a, b)| format!("{{k = {a}, l = {b}}}")),
            two.clone().prop_map(|(a, b)| format!("[for k, x in {a} : {b} if x != null]")),
            two.clone().prop_map(|(a, b)| format!("[for x in {a} : [x, {b}]]")),
            two.prop_map(|(a, b)| format!("{{for k, x in {a} : k => {b}}}")),
            inner.clone().prop_map(|a| format!("\"a${{{a}}}%{{ if {a} }}y%{{ endif }}\"")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.prop_map(|a| format!("({a})[*]")),
        ]
    })
}

/// Whether what is partly unknown may turn out to be this.
fn covers(partly: &Value, known: &Value) -> bool {
    // The branches of a condition have one type only where the types of both are known.
    if partly.ty() != known.ty()
        && let Ok(converted) = partly.convert(known.ty())
        && converted.ty() == known.ty()
    {
        return covers(&converted, known);
    }
    let all = |a: &[Value], b: &[Value]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| covers(a, b));
    match (partly.kind(), known.kind()) {
        (Kind::Unknown(_), _) if *partly.ty() == Type::Dynamic => true,
        (Kind::Unknown(_), _) => partly.ty() == known.ty() && partly.may_become(known),
        (Kind::List(a), Kind::List(b)) | (Kind::Tuple(a), Kind::Tuple(b)) => all(a, b),
        (Kind::Object(a), Kind::Object(b)) => {
            a.iter().map(|(name, _)| name).eq(b.iter().map(|(name, _)| name)) && all(a.values(), b.values())
        }
        (Kind::Map(a), Kind::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((k, a), (l, b))| k == l && covers(a, b))
        }
        _ => partly == known,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").map_or(1_000, |n| n.parse().unwrap_or(1_000))))]

    #[test]
    fn a_result_is_one_of_those_that_were_possible(text in expression(), hidden in any::<u8>()) {
        let parsed = parse_expression(&text).unwrap();
        let of = |hidden| {
            let variables = variables(hidden);
            let (value, errors) = evaluate(&parsed, &Scope::new(&variables), Functions::pure());
            errors.is_empty().then_some(value)
        };
        if let (Some(partly), Some(known)) = (of(hidden), of(0)) {
            prop_assert!(covers(&partly, &known), "{text}: {partly:?} is {known:?}");
        }
    }
}
