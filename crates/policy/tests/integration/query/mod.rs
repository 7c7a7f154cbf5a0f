//! Laws of queries.

use objchange_document::Document;
use objchange_policy::query::{
    CollectionKind, Form, Printed, Printer, Projection, Query, QueryError, QueryErrorKind, Search, Subject,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A plan with one resource change a pair of sides; the last has secrets.
fn plan(changes: &[Value]) -> String {
    let resources: Vec<Value> = changes
        .iter()
        .enumerate()
        .map(|(i, change)| {
            json!({"address": format!("module.m[{i}].disk.d"), "module_address": format!("module.m[{i}]"),
                "mode": "managed", "type": if i % 2 == 0 { "disk" } else { "net" }, "name": "d", "index": i,
                "provider_name": "p", "change": change})
        })
        .collect();
    json!({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": resources}).to_string()
}

/// Runs a function over the changes of a document.
fn ask<T>(text: &str, ask: impl FnOnce(&Subject<'_>) -> T) -> T {
    let document = Document::parse(text).unwrap();
    ask(&Subject::new(CollectionKind::ResourceChanges, &document).unwrap())
}

fn matches(text: &str, expression: &str) -> Result<Vec<Result<bool, QueryError>>, QueryError> {
    let query = Query::parse(CollectionKind::ResourceChanges, expression)?;
    Ok(ask(text, |subject| {
        let mut query = query.on(subject);
        subject.items().map(|(_, item)| query.matches(item)).collect()
    }))
}

fn values(text: &str, expression: &str) -> Result<Vec<Vec<Result<Value, QueryError>>>, QueryError> {
    let projection = Projection::parse(CollectionKind::ResourceChanges, expression)?;
    Ok(ask(text, |subject| {
        let mut projection = projection.on(subject);
        subject.items().map(|(_, item)| projection.values(item)).collect()
    }))
}

/// Values as they are in documents.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..3i64).prop_map(Value::from),
        prop_oneof![Just(1.5), Just(-0.0), Just(1e300)].prop_map(Value::from),
        Just(json!(18_446_744_073_709_551_615u64)),
        "[ab]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abx]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// An object with members `a`, `b`, `x`.
fn object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[abx]", value(), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn change(before: &Value, after: &Value, unknown: &Value, sensitive: &Value) -> Value {
    json!({"actions": ["update"], "before": before, "after": after, "after_unknown": unknown,
        "before_sensitive": sensitive, "after_sensitive": sensitive})
}

/// Expressions of all sorts, most of which have a value for some items.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(
        [
            "rc",
            "rc.change",
            "rc.change.after",
            "rc.change.before",
            "rc.change.after_unknown",
            "rc.change.after.a",
            "rc.change.before.a",
            "rc.change.after.s",
            "rc.change.before.s",
            "rc.change.after.s.a",
            "old(rc, 's')",
            "new(rc, 's')",
            "new(rc, 's.a')",
            "old(rc, 's[0]')",
            "unknown(rc, 's')",
            "unknown(rc, 's.a')",
            "sensitive(rc, 's')",
            "sensitive(rc, 's.a')",
            "replaced(rc)",
            "rc.type",
            "rc.index",
            "plan",
            "plan.terraform_version",
            "1",
            "-2",
            "1.5",
            "7u",
            "true",
            "null",
            "'s'",
            "'a'",
            "'(sensitive value)'",
            "[]",
            "rc.change.after.?s",
            "rc.change.after.?s.a",
            "has(rc.change.after.s)",
            "has(rc.change.after.s.a)",
            "b'ab'",
            "type(rc.change.after.s)",
        ]
        .as_slice(),
    );
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let operator = prop::sample::select(
            ["==", "!=", "<", ">=", "+", "-", "*", "/", "%", "&&", "||", "in"].as_slice(),
        );
        let call = prop::sample::select(
            ["size", "string", "int", "double", "bool", "bytes", "type", "dyn", "uint", "!", "-"].as_slice(),
        );
        let member = prop::sample::select(
            [
                "size()",
                "trim()",
                "lowerAscii()",
                "reverse()",
                "split('')",
                "split('a')",
                "join()",
                "join(',')",
                "contains('a')",
                "startsWith('s')",
                "matches('^a')",
                "charAt(0)",
                "substring(1)",
                "substring(0, 1)",
                "replace('a', 'bb')",
                "hasValue()",
                "value()",
                "orValue(1)",
                "a",
                "s",
                "?s",
                "map(v, v)",
                "map(v, [v, v])",
                "filter(v, v == 1)",
                "all(v, v != 2)",
                "exists(v, v == 's')",
                "exists_one(v, v == 1)",
                "map(v, rc.change.after[v])",
                "map(v, string(v))",
                "map(v, old(rc, v))",
            ]
            .as_slice(),
        );
        prop_oneof![
            (inner.clone(), operator, inner.clone())
                .prop_map(|(a, operator, b)| format!("({a} {operator} {b})")),
            (call, inner.clone()).prop_map(|(call, a)| format!("{call}({a})")),
            (inner.clone(), member).prop_map(|(a, member)| format!("({a}).{member}")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[?{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{{a}: {b}}}")),
            inner.prop_map(|a| format!("{{'k': {a}}}")),
        ]
    })
}

/// Words of the language in any order.
fn soup() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        [
            "rc", ".", "change", "after", "x", "(", ")", "[", "]", "{", "}", "?", ":", ",", "'a'", "\"", "'",
            "1", "1u", "0x", "1e9", "&&", "||", "!", "-", "+", "==", "<", "in", "has", "all", "map",
            "unknown", "semver", "matches", "plan", "\\", "`", "é", "\u{202e}", "\n", "//", "r'", "b'",
            "'''", "@", "as", "null", " ", "\0", "😀", "..",
        ]
        .as_slice(),
    );
    prop::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

/// How many cases a law holds in; more are run where the environment asks for them.
fn cases(cases: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(cases),
    }
}

#[test]
fn what_is_computed_from_a_secret_is_a_secret() {
    let after = json!({"s": "hunter2", "a": "x", "list": ["x", "hunter2"]});
    let before = json!({"s": "y", "a": "z", "list": ["y", "z"]});
    let text = plan(&[change(&before, &after, &json!({}), &json!({"s": true, "list": [false, true]}))]);
    let one = |expression: &str| values(&text, expression).unwrap().remove(0).remove(0);
    for expression in [
        "rc.change.after.s",
        "rc.change.after.s == 'hunter2'",
        "rc.change.after.s == '(sensitive value)'",
        "rc.change.after.s.size()",
        "rc.change.after.s.a",
        "rc.change.after.s + 1",
        "rc.change.after.a == 'x' && rc.change.after.s == 'b'",
        "rc.change.after.s == 'b' ? 1 : 2",
        "new(rc, 's') == 'hunter2'",
        "rc.change.after == rc.change.before || rc.change.after.list.exists(v, v == 'hunter2')",
        "'k' + rc.change.after.s",
    ] {
        assert_eq!(one(expression), Ok("(sensitive value)".into()), "{expression}");
    }
    // A value that is only selected shows its other parts, and an answer that needs no secret is shown.
    assert_eq!(
        one("{'k': rc.change.after}"),
        Ok(json!({"s": "(sensitive value)", "a": "x", "list": ["x", "(sensitive value)"]}))
    );
    assert_eq!(one("rc.change.after.a == 'y' && rc.change.after.s == 'b'"), Ok(false.into()));
    assert_eq!(one("sensitive(rc, 's') && changed(rc, 's')"), Ok(true.into()));
    assert_eq!(matches(&text, "rc.change.after.s == 'hunter2'").unwrap(), vec![Ok(true)]);
}

proptest! {
    #![proptest_config(cases(400))]

    /// Output does not depend on a secret's value, type or size.
    #[test]
    fn what_is_shown_does_not_depend_on_secrets(
        expression in expression(),
        sides in [object(), object()],
        secrets in [value(), value(), value()].prop_filter("null is not changed to", |secrets| {
            secrets.iter().all(|secret| !secret.is_null())
        }),
    ) {
        let [before, after] = sides;
        let with = |secret: &Value| {
            let (mut before, mut after) = (before.clone(), after.clone());
            // Whether it changes is not a secret: it does.
            before["s"] = json!([secret, 0]);
            after["s"] = secret.clone();
            let marks = json!({"s": true});
            plan(&[change(&before, &after, &json!({}), &marks), change(&Value::Null, &after, &json!({}), &marks)])
        };
        let shown: Vec<_> = secrets.iter().map(|secret| values(&with(secret), &expression)).collect();
        prop_assert_eq!(&shown[0], &shown[1]);
        prop_assert_eq!(&shown[0], &shown[2]);
    }

    /// Nor do errors of a filter hold one, which sees them.
    #[test]
    fn errors_hold_no_secret(expression in expression(), sides in [object(), object()]) {
        let secret = "hunter2-hunter2";
        let [mut before, mut after] = sides;
        before["s"] = secret.into();
        after["s"] = json!({"a": secret, secret: 1});
        let text = plan(&[change(&before, &after, &json!({}), &json!({"s": true}))]);
        if let Ok(found) = matches(&text, &expression) {
            for error in found.into_iter().filter_map(Result::err) {
                prop_assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
            }
        }
    }

    /// Whatever is given as an expression is read or refused at a place within it.
    #[test]
    fn any_text_is_an_expression_or_an_error_with_a_place(text in prop_oneof![soup(), expression(), ".{0,40}"]) {
        if let Err(error) = Query::parse(CollectionKind::ResourceChanges, &text) {
            prop_assert!(text.get(error.place.clone()).is_some(), "{error:?}");
            prop_assert!(!error.message.is_empty());
        }
    }

    /// Places of errors of evaluation, too.
    #[test]
    fn an_error_of_an_item_has_a_place(expression in expression(), after in object()) {
        let text = plan(&[change(&json!({}), &after, &json!({}), &json!({}))]);
        let found = matches(&text, &expression);
        prop_assert!(found.is_ok() || found.as_ref().is_err_and(|error| error.kind == QueryErrorKind::Limit
            || matches!(error.kind, QueryErrorKind::Name | QueryErrorKind::Argument | QueryErrorKind::Type)), "{found:?}");
        for error in found.into_iter().flatten().filter_map(Result::err) {
            prop_assert!(expression.get(error.place.clone()).is_some_and(|place| !place.is_empty()), "{error:?}");
        }
    }

    /// The connectives are those of sets, where both sides have a value.
    #[test]
    fn queries_compose(a in expression(), b in expression(), sides in [object(), object(), object()]) {
        let changes: Vec<Value> =
            sides.windows(2).map(|sides| change(&sides[0], &sides[1], &json!({"x": true}), &json!({}))).collect();
        let text = plan(&changes);
        let found = |expression: &str| matches(&text, expression);
        prop_assert_eq!(found("true").unwrap(), vec![Ok(true); changes.len()]);
        let (Ok(of_a), Ok(of_b)) = (found(&a), found(&b)) else { return Ok(()) };
        let (Ok(both), Ok(either), Ok(not)) =
            (found(&format!("({a}) && ({b})")), found(&format!("({a}) || ({b})")), found(&format!("!({a})")))
        else {
            return Ok(());
        };
        for i in 0..changes.len() {
            let (Ok(a), Ok(b)) = (&of_a[i], &of_b[i]) else { continue };
            prop_assert_eq!(both[i].as_ref(), Ok(&(*a && *b)));
            prop_assert_eq!(either[i].as_ref(), Ok(&(*a || *b)));
            prop_assert_eq!(not[i].as_ref(), Ok(&!*a));
        }
    }

    /// Equality is that of JSON, whichever side is written in the expression.
    #[test]
    fn equality_is_that_of_json(a in value(), b in value()) {
        let text = plan(&[change(&json!({"a": a}), &json!({"a": b}), &json!({}), &json!({}))]);
        let expected = same(&a, &b);
        let written = literal(&b);
        for expression in [
            "rc.change.before.a == rc.change.after.a".to_owned(),
            format!("rc.change.before.a == {written}"),
            format!("{written} == rc.change.before.a"),
            format!("!({written} != rc.change.before.a)"),
            format!("rc.change.before.a in [{written}]"),
            format!("{written} in [rc.change.before.a]"),
            format!("{{'a': {written}}} == rc.change.before"),
            "!changed(rc, 'a')".to_owned(),
        ] {
            // Whether a value changes is told by the text of numbers.
            if expression.contains("changed") && a != b && expected {
                continue;
            }
            prop_assert_eq!(matches(&text, &expression).unwrap(), vec![Ok(expected)], "{}", expression);
        }
    }

    /// A projection gives what the document has, and paths lead where `after_unknown` says.
    #[test]
    fn values_and_paths_are_those_of_the_document(before in object(), after in object(), unknown in object()) {
        let mut after = after;
        let unknown: serde_json::Map<String, Value> = unknown.as_object().unwrap().keys()
            .map(|key| (key.clone(), Value::Bool(true))).collect();
        for key in unknown.keys() {
            after.as_object_mut().unwrap().remove(key);
        }
        let text = plan(&[change(&before, &after, &Value::Object(unknown.clone()), &json!({}))]);
        let one = |expression: &str| values(&text, expression).unwrap().remove(0).remove(0);
        prop_assert_eq!(one("rc.change.before"), Ok(before.clone()));
        prop_assert_eq!(one("rc.change.after"), Ok(after.clone()));
        prop_assert_eq!(one("rc.change.after_unknown"), Ok(Value::Object(unknown.clone())));
        for key in ["a", "b", "x"] {
            prop_assert_eq!(one(&format!("unknown(rc, '{key}')")), Ok(unknown.contains_key(key).into()));
            prop_assert_eq!(one(&format!("old(rc, '{key}')")), Ok(before[key].clone()));
            prop_assert_eq!(one(&format!("new(rc, '{key}')")), Ok(after[key].clone()));
            let has = one(&format!("has(rc.change.after.{key})"));
            // A value that turns out to be null is there.
            prop_assert_eq!(has, Ok((unknown.contains_key(key) || after.get(key).is_some()).into()));
            let is_changed = unknown.contains_key(key) || before[key] != after[key];
            prop_assert_eq!(one(&format!("changed(rc, '{key}')")), Ok(is_changed.into()));
        }
    }
}

/// Equality as CEL has it: numbers by their value.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// A value as it is written in an expression.
fn literal(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_u64() && !number.is_i64() => format!("{number}u"),
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("'{key}': {}", literal(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
        value => value.to_string(),
    }
}

#[test]
fn a_large_value_is_looked_at_where_it_is_used_alone() {
    let rules: Vec<Value> = (0..1000).map(|i| json!({"port": i, "text": "x".repeat(100)})).collect();
    let text = plan(&[change(
        &Value::Null,
        &json!({"rules": rules, "data": "y".repeat(5_000_000)}),
        &json!({}),
        &json!({}),
    )]);
    for expression in [
        "rc.change.after.rules.exists(rule, rule.port == 999)",
        "rc.change.after.data.contains('yy')",
        "rc.change.after.rules.all(rule, rule.text.size() == 100)",
    ] {
        assert_eq!(matches(&text, expression).unwrap(), [Ok(true)], "{expression}");
    }
    let squared = "rc.change.after.rules.all(a, rc.change.after.rules.all(b, a.port == b.port || a != b))";
    let refused = matches(&text, squared).unwrap().remove(0).unwrap_err();
    assert_eq!(refused.kind, QueryErrorKind::Limit);
}

/// Replaces the unknown parts of a value: in `known` they have a value, in `planned` they are missing or null, as in
/// documents, with their marks.
fn planned(known: &Value, marks: &[bool], next: &mut usize) -> (Option<Value>, Value) {
    *next += 1;
    if marks.get(*next).copied().unwrap_or(false) {
        return (None, json!(true));
    }
    match known {
        Value::Array(elements) => {
            let (values, marks): (Vec<_>, Vec<_>) =
                elements.iter().map(|element| planned(element, marks, next)).unzip();
            (Some(values.into_iter().map(Option::unwrap_or_default).collect()), marks.into())
        }
        Value::Object(members) => {
            let (mut values, mut all_marks) = (serde_json::Map::new(), serde_json::Map::new());
            for (key, member) in members {
                let (value, mark) = planned(member, marks, next);
                values.extend(value.map(|value| (key.clone(), value)));
                all_marks.insert(key.clone(), mark);
            }
            (Some(values.into()), all_marks.into())
        }
        leaf => (Some(leaf.clone()), json!(false)),
    }
}

/// Puts other values in the place of the unknown ones.
fn filled(known: &Value, marks: &Value, fillings: &[Value], next: &mut usize) -> Value {
    if *marks == json!(true) {
        *next += 1;
        return fillings.get(*next % fillings.len().max(1)).cloned().unwrap_or_default();
    }
    match known {
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .map(|(index, element)| filled(element, &marks[index], fillings, next))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| (key.clone(), filled(member, &marks[key], fillings, next)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        leaf => leaf.clone(),
    }
}

/// Expressions over what is planned that ask for values and not for what is known of them.
fn planned_expression() -> impl Strategy<Value = String> {
    let operand = prop::sample::select(
        [
            "rc.change.after.a",
            "rc.change.after.b",
            "rc.change.after.x",
            "rc.change.after.a.b",
            "rc.change.after.x[0]",
            "rc.change.after",
            "rc.change.before.a",
            "new(rc, \"a\")",
            "new(rc, \"a.b\")",
            "new(rc, \"x[0]\")",
            "rc.change.after.?a.orValue(0)",
            "rc.change.after.?x.?b.orValue(\"a\")",
            "size(rc.change.after.a)",
            "rc.change.after[\"b\"]",
            "[rc.change.after.a, 1]",
            "{\"k\": rc.change.after.a}",
            "type(rc.change.after.a)",
            "rc.change.after.x.map(e, e)",
            "rc.change.after.a.filter(k, k != \"a\")",
            "(has(rc.change.after.a) ? rc.change.after.b : rc.change.after.x)",
            "null",
            "0",
            "\"a\"",
            "[]",
            "true",
        ]
        .map(str::to_owned)
        .to_vec(),
    );
    let atom = prop_oneof![
        (operand.clone(), prop::sample::select(vec!["==", "!=", "<", "in"]), operand.clone())
            .prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
        prop::sample::select(vec!["a", "b", "x", "a.b", "x.a"])
            .prop_map(|path| format!("has(rc.change.after.{path})")),
        (operand, prop::sample::select(vec!["exists", "all", "exists_one"]))
            .prop_map(|(list, of)| format!("{list}.{of}(e, e == \"a\" || e == 1)")),
        prop::sample::select(vec!["true", "false", "rc.type == \"disk\"", "rc.change.after.a"])
            .prop_map(str::to_owned),
    ];
    atom.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["&&", "||", "==", "!="]), inner.clone())
                .prop_map(|(a, operator, b)| format!("({a}) {operator} ({b})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("({a}) ? ({b}) : ({c})")),
        ]
    })
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// An answer that is not called unknown is the same whatever the unknown values will be.
    #[test]
    fn an_answer_holds_for_all_values_that_the_unknown_ones_may_take(
        expression in planned_expression(),
        before in object(),
        after in object(),
        marks in prop::collection::vec(prop::bool::weighted(0.3), 0..12),
        fillings in prop::collection::vec(value(), 1..4),
    ) {
        let (value, unknown) = planned(&after, &marks, &mut 0);
        let Some(value) = value else { return Ok(()) };
        let of_plan = plan(&[change(&before, &value, &unknown, &json!({}))]);
        let Ok(answers) = matches(&of_plan, &expression) else { return Ok(()) };
        let answer = &answers[0];
        if answer.as_ref().is_err_and(|error| error.kind == QueryErrorKind::Unknown) {
            return Ok(());
        }
        let after = filled(&after, &unknown, &fillings, &mut 0);
        let of_result = plan(&[change(&before, &after, &json!({}), &json!({}))]);
        let known = &matches(&of_result, &expression).unwrap()[0];
        prop_assert_eq!(answer.as_ref().ok(), known.as_ref().ok(), "{}: {} became {}", expression, of_plan, of_result);
    }
}

#[test]
fn an_answer_that_depends_on_an_unknown_value_says_so() {
    let after = json!({"a": [1, null], "m": {"k": 1}});
    let unknown = json!({"a": [false, true], "ami": true, "m": {"other": true}});
    let plan = plan(&[change(&json!({}), &after, &unknown, &json!({}))]);
    for (expression, expected) in [
        (r#"rc.change.after.ami == "x""#, None),
        (r#"!(rc.change.after.ami == "x")"#, None),
        (r#"new(rc, "ami") == null"#, None),
        ("rc.change.after.?ami.orValue(0) == 0", None),
        (r#"rc.change.after.m == {"k": 1, "other": 2}"#, None),
        ("rc.change.after.m.all(k, rc.change.after.m[k] == 1)", None),
        ("rc.change.after.a.exists(e, e == 2)", None),
        // The names of members are known, also where the members are not.
        (r#"has(rc.change.after.ami)"#, Some(true)),
        (r#"has(rc.change.after.m.other) && !has(rc.change.after.m.?none.x)"#, Some(true)),
        (r#""other" in rc.change.after.m && !("none" in rc.change.after.m)"#, Some(true)),
        ("size(rc.change.after.m) == 2", Some(true)),
        (r#"rc.change.after.m == {"k": 1}"#, Some(false)),
        (r#"rc.change.after.m == {"k": 2, "other": 2}"#, Some(false)),
        (r#"rc.change.after.m == {"k": 1, "another": 2}"#, Some(false)),
        (r#"rc.change.after.m.all(k, k == "k")"#, Some(false)),
        // A known operand decides.
        (r#"rc.type == "disk" || rc.change.after.ami == "x""#, Some(true)),
        (r#"rc.change.after.ami == "x" || rc.type == "disk""#, Some(true)),
        (r#"rc.change.after.ami == "x" && rc.type == "net""#, Some(false)),
        (r#"unknown(rc, "ami") || new(rc, "ami") == 1"#, Some(true)),
        ("rc.change.after.m.k == 1", Some(true)),
        ("rc.change.after_unknown.ami", Some(true)),
    ] {
        let answer = &matches(&plan, expression).unwrap()[0];
        match expected {
            Some(_) => assert_eq!(answer.as_ref().ok(), expected.as_ref(), "{expression}"),
            None => assert_eq!(answer.as_ref().unwrap_err().kind, QueryErrorKind::Unknown, "{expression}"),
        }
    }
    let shown = values(&plan, r#"[rc.change.after.a, rc.change.after.?ami.orValue("none")]"#).unwrap();
    assert_eq!(shown[0][0], Ok(json!([1, null])));
    assert!(shown[0][1].is_err(), "{shown:?}");
}

#[test]
fn planned_values_are_unknown_where_the_change_says_so() {
    let mut plan: Value =
        serde_json::from_str(&plan(&[change(&json!({}), &json!({"a": 1}), &json!({"b": true}), &json!({}))]))
            .unwrap();
    let mut resource = plan["resource_changes"][0].clone();
    resource["values"] = json!({"a": 1});
    plan["planned_values"] = json!({"root_module": {"child_modules": [
        {"address": "module.m[0]", "resources": [resource]}]}});
    let text = plan.to_string();
    let ask = |expression: &str| {
        let subject = Subject::new(CollectionKind::PlannedValues, &Document::parse(&text).unwrap()).unwrap();
        let query = Query::parse(CollectionKind::PlannedValues, expression).unwrap();
        let (_, item) = subject.items().next().unwrap();
        query.on(&subject).matches(item)
    };
    assert_eq!(ask("rc.values.a == 1"), Ok(true));
    assert_eq!(ask("rc.values.b == 1").unwrap_err().kind, QueryErrorKind::Unknown);
    assert_eq!(ask("has(rc.values.b)"), Ok(true));
}

#[test]
fn a_comparison_that_never_holds_is_an_error_with_its_place() {
    for (expression, place, message) in [
        (
            r#"type == "x""#,
            r#"type == "x""#,
            "the name of a type is never equal to a string; did you mean `rc.type`?",
        ),
        (
            r#"rc.change.actions == "update""#,
            r#"rc.change.actions == "update""#,
            "a list is never equal to a string; `x in list` tells whether a list has the element x",
        ),
        (
            r#"true && "a" != rc.change.actions"#,
            r#""a" != rc.change.actions"#,
            "a string is never equal to a list",
        ),
        ("rc.type == 5", "rc.type == 5", "a string is never equal to a number"),
        ("rc.deposed == null", "rc.deposed == null", "a string is never equal to null"),
        ("rc.change == 1", "rc.change == 1", "a map is never equal to a number"),
        ("size(rc.type) == \"1\"", "size(rc.type) == \"1\"", "a number is never equal to a string"),
        ("rc.change.actions == [1]", "rc.change.actions == [1", "they are never equal"),
        (
            "1 in rc.change.actions",
            "1 in rc.change.actions",
            "elements that are a string, and never a number",
        ),
        (
            "rc.type in \"aws\"",
            "rc.type in \"aws\"",
            "; `text.contains(part)` tells whether a text has a part",
        ),
        ("rc.change.actions in [\"create\"]", "rc.change.actions in [\"create\"", "and never a list"),
        ("rc.change.actions == [\"destroy\"]", "rc.change.actions == [\"destroy\"", "did you mean `delete`?"),
        ("\"updates\" in rc.change.actions", "\"updates\" in rc.change.actions", "did you mean `update`?"),
        ("rc.mode == \"manged\"", "rc.mode == \"manged\"", "did you mean `managed`?"),
    ] {
        let error = Query::parse(CollectionKind::ResourceChanges, expression).unwrap_err();
        assert_eq!((error.kind, &expression[error.place.clone()]), (QueryErrorKind::Type, place), "{error}");
        assert!(error.to_string().contains(message), "{expression}: {error}");
    }
    for expression in [
        "rc.index == 0",
        r#"rc.index == "a" || rc.index == null"#,
        r#"rc.change.actions == ["delete", "create"]"#,
        "rc.change.actions == []",
        r#""delete" in rc.change.actions && rc.type in ["a", "b"]"#,
        r#"rc.mode in ["data"] && rc.change.after.x == [1, "a"] && rc.change.before == null"#,
        "1 == 1.0 && type(rc.type) == string && {} == {}",
        r#"rc.change.after == {"a": 1}"#,
    ] {
        assert!(Query::parse(CollectionKind::ResourceChanges, expression).is_ok(), "{expression}");
    }
}

#[test]
fn a_comparison_of_values_that_never_are_equal_is_noted() {
    let plan = plan(&[
        change(&json!({}), &json!({"a": ["x"], "b": 1, "c": null}), &json!({}), &json!({})),
        change(&json!({}), &json!({"a": ["x"], "b": "1", "c": null}), &json!({}), &json!({})),
    ]);
    for (expression, expected) in [
        (r#"rc.change.after.a == "x""#, Some("this compares a list with a string, which never are equal")),
        (r#"1 in rc.change.after.a"#, Some("this compares a number with a string, which never are equal")),
        (r#"rc.change.after.b == "1""#, None),
        (r#"rc.change.after.c == "1""#, None),
        (r#"rc.type == "tape" && rc.change.after.a == "x""#, None),
    ] {
        let query = Query::parse(CollectionKind::ResourceChanges, expression).unwrap();
        let seen = ask(&plan, |subject| {
            let mut matching = query.on(subject);
            subject.items().for_each(|(_, item)| drop(matching.matches(item)));
            matching.comparisons()
        });
        let errors = query.impossible(&seen);
        assert_eq!(errors.first().map(|error| &*error.message), expected, "{expression}");
        assert!(errors.iter().all(|error| !expression[error.place.clone()].is_empty()), "{errors:?}");
    }
}

/// Also where a search has kept the items.
#[test]
fn a_count_is_printed_alone() {
    let change = change(&json!({}), &json!({"a": 1}), &json!({}), &json!({}));
    let query = Query::parse(CollectionKind::ResourceChanges, "true").unwrap();
    let search =
        Search { query: &query, projection: None, undecided: false, counts_only: false, with_fields: false };
    let answer = ask(&plan(&[change.clone(), change]), |subject| search.answer(subject, || false).unwrap());
    let mut out = Vec::new();
    let mut printer = Printer::new(Form::Lines, Printed::Count, None, &mut out);
    printer.print(None, answer.items).unwrap();
    printer.finish(answer.found).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "2\n");
}

/// A list or map around it is undecided, too: it would lack the value.
#[test]
fn an_unknown_output_has_no_value_yet() {
    let change = json!({"actions": ["create"], "before": null, "after_unknown": true});
    let text = json!({"format_version": "1.2", "output_changes": {"o": change}}).to_string();
    let of = CollectionKind::OutputChanges;
    let subject = Subject::new(of, &Document::parse(&text).unwrap()).unwrap();
    for expression in ["rc", "rc.change", "[rc.change]"] {
        let projection = Projection::parse(of, expression).unwrap();
        let mut projection = projection.on(&subject);
        let kinds: Vec<_> = subject
            .items()
            .flat_map(|(_, item)| projection.values(item))
            .map(|value| value.unwrap_err().kind)
            .collect();
        assert_eq!(kinds, [QueryErrorKind::Unknown], "{expression}");
    }
}

/// Without it a search would find nothing, and nobody would know why.
#[test]
fn queries_see_imports_moves_reasons_and_identities() {
    let change = json!({"actions": ["delete", "create"], "before": {"a": 1}, "after": {"a": 2}, "after_unknown": {},
        "replace_paths": [["a"]], "importing": {"id": "i-1"}, "before_identity": {"arn": "x"}, "after_identity": {"arn": "y"}});
    let mut document: Value = serde_json::from_str(&plan(&[change, json!({"actions": ["no-op"]})])).unwrap();
    document["resource_changes"][0]["previous_address"] = json!("disk.old");
    document["resource_changes"][0]["action_reason"] = json!("replace_because_cannot_update");
    let text = document.to_string();
    for holds_for_first in [
        "rc.previous_address == \"disk.old\"",
        "rc.action_reason == \"replace_because_cannot_update\"",
        "rc.change.importing.id == \"i-1\"",
        "rc.change.replace_paths == [[\"a\"]]",
        "rc.change.before_identity.arn == \"x\"",
        "rc.change.after_identity.arn == \"y\"",
    ] {
        let found = matches(&text, holds_for_first).unwrap();
        // There is nothing in null.
        assert!(matches!(found[..], [Ok(true), Ok(false) | Err(_)]), "{holds_for_first}: {found:?}");
    }
    let absent = "rc.previous_address == \"\" && rc.action_reason == \"\" && rc.change.importing == null";
    assert!(matches!(matches(&text, absent).unwrap()[..], [Ok(false), Ok(true)]));
}

#[test]
fn a_query_about_the_version_needs_a_plan_that_says_it() {
    let of = CollectionKind::ResourceChanges;
    let said = |text: &str, version: serde_json::Value| {
        let plan = json!({"format_version": "1.2", "terraform_version": version, "resource_changes": []})
            .to_string();
        let query = Query::parse(of, text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let search = Search {
            query: &query,
            projection: None,
            undecided: false,
            counts_only: false,
            with_fields: false,
        };
        search.require(&Document::parse(&plan).unwrap())
    };
    for text in [
        r#"semver(plan.terraform_version, ">= 1.5")"#,
        "has(plan.terraform_version)",
        r#"plan["terraform_version"] == "1.5.0""#,
        "[plan].exists(p, p.terraform_version == 'x')",
        "size(plan.variables) == 0 && plan.terraform_version != ''",
    ] {
        assert!(said(text, json!("1.9.0")).is_ok(), "{text}");
        for missing in [json!(null), json!("")] {
            let error = said(text, missing).expect_err(text).to_string();
            assert!(error.contains("terraform_version"), "{text}: {error}");
        }
    }
    for text in ["rc.type == 'x'", "plan.variables.a.value == 1"] {
        assert!(said(text, json!(null)).is_ok(), "{text}");
    }
    let (query, plan) =
        (Query::parse(of, "true").unwrap(), r#"{"format_version":"1.2","resource_changes":[]}"#);
    let projection = Projection::parse(of, "plan.terraform_version").unwrap();
    let search = Search {
        query: &query,
        projection: Some(&projection),
        undecided: false,
        counts_only: false,
        with_fields: false,
    };
    assert!(search.require(&Document::parse(plan).unwrap()).is_err());
}

/// As everywhere else here, and unlike in the crate `regex`.
#[test]
fn patterns_are_those_of_re2() {
    let text = plan(&[change(&json!({}), &json!({}), &json!({}), &json!({}))]);
    for (expression, expected) in [
        (r#""é".matches("^\\w$")"#, false),
        (r#""e".matches("^\\w$")"#, true),
        (r#""٣".matches("\\d")"#, false),
        (r#""a.b".matches("^\\Qa.b\\E$")"#, true),
        (r#""x{,2}".matches("^x{,2}$")"#, true),
    ] {
        assert_eq!(matches(&text, expression).unwrap(), [Ok(expected)], "{expression}");
    }
    let refused = matches(&text, r#""a".matches("a**")"#).unwrap_err();
    assert!(refused.to_string().contains("invalid nested repetition operator"), "{refused}");
}

#[test]
fn a_search_for_what_is_undecided_tells_other_errors() {
    let known = json!({"actions": ["create"], "before": null, "after": {"x": "text"}, "after_unknown": {}});
    let text = plan(&[known.clone(), known]);
    let answer = |expression: &str, undecided| {
        let query = Query::parse(CollectionKind::ResourceChanges, expression).unwrap();
        let search =
            Search { query: &query, projection: None, undecided, counts_only: false, with_fields: false };
        ask(&text, |subject| search.answer(subject, || false).unwrap())
    };
    for undecided in [false, true] {
        let wrong = answer("rc.change.after.x + 1 == 2", undecided);
        assert_eq!(wrong.tallies.filter.reason().map(|error| error.kind), Some(QueryErrorKind::Type));
        let endless = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]";
        let loops = (0..6).map(|i| format!("{endless}.all(v{i}, ")).collect::<String>();
        let endless = answer(&format!("{loops}rc.change.after.x != \"\"{}", ")".repeat(6)), undecided);
        assert_eq!(endless.tallies.filter.reason().map(|error| error.kind), Some(QueryErrorKind::Limit));
    }
}

#[test]
fn a_part_of_a_change_equals_itself() {
    let unknown =
        json!({"actions": ["create"], "before": null, "after": {"x": 1}, "after_unknown": {"y": true}});
    let text = plan(&[unknown]);
    let only = |expression: &str| matches(&text, expression).unwrap().into_iter().next().unwrap();
    assert_eq!(only("rc.change.after == rc.change.after"), Ok(true));
    assert_eq!(only("rc.change.after != rc.change.after"), Ok(false));
    assert_eq!(only("rc.change.after == rc.change.before"), Ok(false));
    assert!(only("rc.change.after == {\"x\": 1, \"y\": 2}").is_err());
}
