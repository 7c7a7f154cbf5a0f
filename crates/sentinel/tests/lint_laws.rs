//! What lints say is true.

use objchange_sentinel::{LintContext, LintKind, Policy, Run, Setup, Span, lint};
use proptest::prelude::*;

/// Expressions of all kinds; `x` is a variable of which nothing is known.
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

proptest! {
    /// What is said of two operands holds when they are evaluated.
    #[test]
    fn what_is_said_is_true(
        a in expression(),
        op in prop::sample::select(vec!["is", "is not", "<", ">=", "contains", "in", "not in", "matches", "+", "*"]),
        b in expression(),
        x in expression(),
    ) {
        let head = format!("x = 3\nx = {x}\nn = 7\nr = rule {{ x is 1 }}\nv = ");
        let (from, middle) = (head.len(), head.len() + a.len() + 2);
        let text = format!("{head}({a}) {op} ({b})");
        let to = text.len();
        let found = lint(&text, &LintContext::default()).unwrap();
        let is_at = |start: usize, end: usize| {
            move |span: Span| (span.start as usize, span.end as usize) == (start, end)
        };
        let said = |kind: LintKind, start: usize, end: usize| {
            found.iter().any(|lint| lint.kind == kind && is_at(start, end)(lint.span))
        };
        let policy = Policy::parse("p", &text).unwrap();
        let mut setup = Setup::default();
        setup.limits.steps = 50_000;
        let value = Run::new(&policy, &setup).value("v").map(|value| value.map_or_else(String::new, |value| format!("{value:?}")));
        if said(LintKind::UnlikeComparison, from, to) {
            let wrong = if op.contains("not") { "false" } else { "true" };
            prop_assert_ne!(value.as_deref().unwrap_or_default(), wrong, "{}", text);
        }
        if said(LintKind::UndefinedComparison, from, to) {
            let value = value.as_deref().unwrap_or_default();
            prop_assert!(value != "true" && value != "false", "{}: {}", text, value);
        }
        let is_refused = said(LintKind::WrongOperand, from, middle)
            || said(LintKind::WrongOperand, to - b.len() - 2, to)
            || said(LintKind::WrongOperand, from, to);
        if is_refused {
            prop_assert!(value.as_deref().unwrap_or("undefined") == "undefined", "{}: {:?}", text, value);
        }
    }
}
