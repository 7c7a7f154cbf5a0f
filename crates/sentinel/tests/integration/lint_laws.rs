//! Lints are true.

use objchange_sentinel::{LintContext, LintKind, Policy, Run, Setup, Span, lint};
use proptest::prelude::*;

/// Expressions of all kinds; `x` is a variable of unknown shape.
fn expression() -> impl Strategy<Value = String> {
    let leaves = [
        "1",
        "2.5",
        "\"\"",
        "\"ab\"",
        "true",
        "null",
        "undefined",
        "[]",
        "[1, x]",
        "{}",
        "{\"a\": x}",
        "x",
        "n",
        "r",
    ];
    prop::sample::select(leaves.to_vec()).prop_map(str::to_owned).prop_recursive(4, 16, 3, |inner| {
        let operators = ["or", "and", "is", "is not", "<", "contains", "in", "matches", "else", "+", "-"];
        let functions = ["length", "keys", "string", "int", "bool", "values", "range"];
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            (inner.clone(), prop::sample::select(operators.to_vec()), inner.clone())
                .prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            (prop::sample::select(vec!["any", "filter", "map"]), inner.clone(), inner.clone())
                .prop_map(|(word, a, b)| format!("({word} {a} as k, y {{ (y) is x or ({b}) }})")),
            two().prop_map(|(a, b)| format!("({a})[{b}]")),
            two().prop_map(|(a, b)| format!("({a}).a[{b}:]")),
            inner.clone().prop_map(|a| format!("(not ({a}))")),
            (prop::sample::select(functions.to_vec()), inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
        ]
    })
}

const OPERATORS: [&str; 10] = ["is", "is not", "<", ">=", "contains", "in", "not in", "matches", "+", "*"];

/// Compares the lints of two operands, and of the whole, with the result.
fn check(head: &str, a: &str, operator: &str, b: &str) -> Result<(), TestCaseError> {
    let text = format!("{head}({a}) {operator} ({b})");
    let (from, to) = (head.len(), text.len());
    let found = lint(&text, &LintContext::default()).unwrap();
    let said = |kind: LintKind, start: usize, end: usize| {
        let is_there = |span: Option<Span>| span.is_some_and(|span| span.range() == (start..end));
        found.iter().any(|lint| lint.kind == kind.name() && is_there(lint.subject))
    };
    let policy = Policy::parse("p", &text).unwrap();
    let mut setup = Setup::default();
    setup.limits.steps = 50_000;
    let value = Run::new(&policy, &setup).value("v");
    // An error is not one of the values that are denied.
    let value = value.ok().flatten().map_or_else(|| "undefined".to_owned(), |value| format!("{value:?}"));
    if said(LintKind::UnlikeComparison, from, to) {
        let denied = if operator.contains("not") { "false" } else { "true" };
        prop_assert_ne!(&*value, denied, "{}", text);
    }
    if said(LintKind::UndefinedComparison, from, to) {
        prop_assert!(value != "true" && value != "false", "{}: {}", text, value);
    }
    let operands = [(from, from + a.len() + 2), (to - b.len() - 2, to), (from, to)];
    if operands.into_iter().any(|(start, end)| said(LintKind::WrongOperand, start, end)) {
        prop_assert_eq!(value, "undefined", "{}", text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_said_is_true(a in expression(), b in expression(), x in expression()) {
        let head = format!("x = 3\nx = {x}\nn = 7\nr = rule {{ x is 1 }}\nv = ");
        for operator in OPERATORS {
            check(&head, &a, operator, &b)?;
        }
    }
}
