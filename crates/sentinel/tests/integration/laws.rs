//! Laws for every source.

use objchange_sentinel::{Policy, Run, Setup, Value};
use proptest::prelude::*;

/// The printed value of `v`, or the message of the error.
fn shown(source: &str) -> String {
    let policy = Policy::parse("p", source).unwrap_or_else(|errors| panic!("{source}: {}", errors[0]));
    let mut setup = Setup::default();
    setup.limits.steps = 50_000;
    setup.limits.memory = 5_000_000;
    match Run::new(&policy, &setup).value("v") {
        Ok(value) => format!("{value:?}"),
        Err(error) => error.message,
    }
}

/// Expressions without side effects; `x` is a variable.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "0",
        "1",
        "-2",
        "2.5",
        "\"\"",
        "\"ab\"",
        "true",
        "false",
        "null",
        "undefined",
        "[]",
        "{}",
        "x",
        "[1, x]",
        "{\"a\": x, 1: true}",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operators = [
            "or", "xor", "and", "is", "is not", "<", ">=", "contains", "not in", "matches", "else", "+", "-",
            "*", "/", "%",
        ];
        let quantifiers = vec!["any", "all", "filter", "map"];
        let functions = vec!["length", "keys", "string", "int", "bool", "float", "values"];
        prop_oneof![
            (inner.clone(), prop::sample::select(operators.to_vec()), inner.clone())
                .prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            (prop::sample::select(quantifiers), inner.clone(), inner.clone())
                .prop_map(|(word, a, b)| format!("({word} {a} as k, y {{ (y) is x or ({b}) }})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}:]")),
            inner.clone().prop_map(|a| format!("{{\"a\": {a}}}.a")),
            inner.clone().prop_map(|a| format!("(not ({a}))")),
            inner.clone().prop_map(|a| format!("(({a}) is not empty)")),
            (prop::sample::select(functions), inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
        ]
    })
}

/// Any words of the language in any order.
fn words() -> impl Strategy<Value = String> {
    let words = vec![
        "all",
        "and",
        "any",
        "as",
        "break",
        "case",
        "contains",
        "continue",
        "default",
        "else",
        "for",
        "func",
        "if",
        "import",
        "in",
        "is",
        "matches",
        "not",
        "or",
        "param",
        "return",
        "rule",
        "when",
        "xor",
        "filter",
        "map",
        "empty",
        "defined",
        "true",
        "null",
        "undefined",
        "x",
        "main",
        "length",
        "append",
        "range",
        "\"strings\"",
        "1",
        ".5",
        "0x",
        "08",
        "`",
        "\"",
        "\"a\\q\"",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ";",
        "\n",
        ".",
        "=",
        "+=",
        "==",
        "<",
        "-",
        "*",
        "/",
        "%",
        "!",
        "# c\n",
        "/*",
        "*/",
        "é",
        "~",
    ];
    prop::collection::vec(prop::sample::select(words), 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    /// Any text is read, or refused with places in it, and a run always gives the same result.
    #[test]
    fn any_words_do_no_harm(source in words()) {
        match Policy::parse("p", &source) {
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    prop_assert!(source.get(error.subject.unwrap().range()).is_some(), "{}", error);
                }
            }
            Ok(policy) => {
                let setup = Setup::default();
                let run = || format!("{:?}", Run::new(&policy, &setup).verdict());
                prop_assert_eq!(run(), run());
            }
        }
    }

    /// Errors about texts in pieces, such as strings that do not end, are about a part of the text.
    #[test]
    fn errors_have_places_in_the_text(source in "(x = )?[\"`\\\\é日\u{1f600}\n ax0uU9{}()#/*.e+]{0,12}") {
        for error in Policy::parse("p", &source).err().into_iter().flatten() {
            prop_assert!(source.get(error.subject.unwrap().range()).is_some(), "{}: {:?}", error, error.subject);
        }
    }

    /// A rule is its expression, evaluated later and once.
    #[test]
    fn a_rule_is_its_expression(expression in expression(), x in expression()) {
        let plain = shown(&format!("x = 3\nx = {x}\nv = {expression}"));
        prop_assert_eq!(&shown(&format!("x = 3\nx = {x}\nr = rule {{ {expression} }}\nv = r")), &plain);
        prop_assert_eq!(&shown(&format!("x = 3\nx = {x}\nv = func() {{ return {expression} }}()")), &plain);
        // Without causes to explain.
        prop_assert_eq!(&shown(&format!("x = 3\nx = {x}\nv = [{expression}][0]")), &plain);
        if !x.contains('x') {
            prop_assert_eq!(shown(&format!("v = func(x) {{ return {expression} }}({x})")), plain);
        }
    }

    /// To ask for a key makes no list of keys, and says the same.
    #[test]
    fn a_key_is_one_of_the_keys(a in expression(), b in expression(), not in prop::sample::select(vec!["", "not "])) {
        let start = format!("x = 1\na = {a}\nb = {b}\n");
        for map in ["b", "{a else 0: b}", "{1: 2, true: 3, \"ab\": 4}"] {
            prop_assert_eq!(
                shown(&format!("{start}v = a {not}in keys({map})")),
                shown(&format!("{start}k = keys({map})\nv = a {not}in k")),
            );
        }
    }

    /// To add to a variable is to add and to assign, though a list is extended in place.
    #[test]
    fn augmenting_is_assigning(a in expression(), b in expression(), operator in prop::sample::select(vec!["+", "-", "*", "/", "%"])) {
        let before = format!("x = [7]\nv = {a}\nold = v\n");
        let after = "\nv = [v, old]";
        prop_assert_eq!(
            shown(&format!("{before}v {operator}= {b}{after}")),
            shown(&format!("{before}v = v {operator} ({b}){after}"))
        );
    }

    /// A quantifier equals the loop that it abbreviates.
    #[test]
    fn a_quantifier_is_a_loop(body in expression()) {
        let start = "x = 1\nxs = [1, \"ab\", [2], null, true]\n";
        let looped = format!("{start}v = []\nfor xs as y {{ x = y\nappend(v, {body}) }}");
        let mapped = format!("{start}v = map xs as x {{ {body} }}");
        prop_assert_eq!(shown(&mapped), shown(&looped));
    }

    /// JSON survives a round trip.
    #[test]
    fn json_comes_back(int in any::<i64>(), text in any::<String>(), float in -1e15..1e15_f64) {
        let json = serde_json::json!({ text.clone(): [int, text, float, null, { "a": true }] });
        prop_assert_eq!(Value::from_json(&json).to_json(), Some(json));
    }

    /// Operations on decimal numbers give decimal numbers, whose text reads back as the same number.
    #[test]
    fn decimals_are_closed(a in decimal(), b in decimal(), of_two in prop::sample::select(vec!["add", "sub", "mul", "div", "mod", "pow"]), of_one in prop::sample::select(vec!["exp", "ln", "log10", "sqrt", "ceil", "floor", "abs", "neg"])) {
        let source = format!(
            "import \"decimal\"\na = decimal.new({a})\nb = a.{of_two}({b}).{of_one}()\n\
             v = [decimal.new(b.string).is(b) or decimal.isnan(b), b.sign in [-1, 0, 1], b.float is b.float or true, b.int else 0 is defined]"
        );
        prop_assert_eq!(shown(&source), "Some([true, true, true, true])", "{}", source);
    }
}

/// Numbers of all sizes.
fn decimal() -> impl Strategy<Value = String> {
    prop_oneof![
        (-20_i64..20).prop_map(|int| int.to_string()),
        any::<i64>().prop_map(|int| format!("\"{int}\"")),
        (any::<i32>(), -120_i64..120).prop_map(|(digits, exponent)| format!("\"{digits}e{exponent}\"")),
        (any::<i64>(), -110_000_i64..110_000)
            .prop_map(|(digits, exponent)| format!("\"{digits}e{exponent}\"")),
        any::<f64>().prop_map(|float| format!("\"{float}\"")),
        Just("decimal.nan".to_owned()),
        Just("decimal.inf(-1)".to_owned()),
        Just("decimal.inf(1)".to_owned()),
    ]
}
