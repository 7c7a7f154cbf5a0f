//! What is sensitive reaches no error, whatever is done with it.

use objchange::{Type, Value};
use objchange_hcl::{Functions, Scope, Variables, evaluate, parse_expression};
use proptest::prelude::*;

const SECRET: &str = "xyzzy";

fn variables() -> Variables {
    let secret = || Value::from(SECRET).sensitive();
    let object = Value::object([("a", secret()), ("b", Value::from(1))]);
    [
        ("s", secret()),
        ("l", Value::list(Type::String, [SECRET, "b"]).unwrap().sensitive()),
        ("t", Value::tuple([secret(), Value::from(2)])),
        ("m", Value::map(Type::String, [(SECRET, SECRET)]).unwrap().sensitive()),
        ("o", object),
        ("n", Value::from(3)),
        ("u", Value::unknown(Type::String)),
    ]
    .into_iter()
    .collect()
}

/// Expressions, most of them wrong in one place or another.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "s", "l", "t", "m", "o", "n", "u", "o.a", "l[0]", "m.k", "1", "true", "null", "\"x\"", "l[*]",
        "t.*.a", "nope",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["+", "==", "<", "&&", "%"]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            two.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            two.clone().prop_map(|(a, b)| format!("[for k, x in {a} : {b} if x != null]")),
            two.clone().prop_map(|(a, b)| format!("{{for k, x in {a} : x => {b}}}")),
            two.clone().prop_map(|(a, b)| format!("{{({a}) = {b}}}")),
            two.clone().prop_map(|(a, b)| format!("upper({a}, {b}...)")),
            two.clone().prop_map(|(a, b)| format!("convert({a}, list({b}))")),
            two.prop_map(|(a, b)| format!("templatestring({a}, {{x = {b}}})")),
            inner.clone().prop_map(|a| format!("\"x${{{a}}}%{{ if {a} }}y%{{ endif }}\"")),
            inner.clone().prop_map(|a| format!("upper({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.prop_map(|a| format!("({a}).*.b")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn errors_do_not_tell_secrets(text in expression()) {
        let parsed = parse_expression(&text).unwrap();
        let (value, errors) = evaluate(&parsed, &Scope::new(&variables()), Functions::pure());
        for error in &errors {
            let told = format!("{error} {error:?}");
            prop_assert!(!told.to_lowercase().contains(SECRET), "{text}: {told}");
        }
        prop_assert!(!format!("{value:?}").contains(SECRET), "{text}");
    }
}
