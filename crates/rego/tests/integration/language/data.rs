//! References to `data` that a variable leads along.

use std::time::{Duration, Instant};

use objchange_rego::{CompileOptions, Program, Setup, SourceFile, Value};

const CHECKS: [&str; 3] = [
    "package checks.a\n\nviolation contains \"a is wrong\" if input.name == \"a\"\nlevel := 2\nf(x) := x\n",
    "package checks.b\n\nviolation contains \"b is wrong\" if input.name == \"a\"\nuses := data.checks.a.level\n\
     all := {k | some k; data.checks[k].level}\n",
    "package checks.deep.inner\n\nviolation contains \"deep\"\n",
];

/// The rule `r` of a package that has only it and `s`.
fn r(text: &str) -> Result<Option<Value>, String> {
    let main = format!("package main\n\n{text}\n");
    let files = CHECKS.into_iter().chain([main.as_str()]).enumerate();
    let files = files.map(|(at, text)| SourceFile { name: format!("{at}.rego"), text: text.to_owned() });
    let program = Program::compile(&files.collect::<Vec<_>>(), &CompileOptions::default());
    let program = program.map_err(|errors| errors.to_string())?;
    let rule = program.rules().find(|rule| rule.name == "r" && rule.package == ["main"]).unwrap().id;
    let data = r#"{"checks": {"doc": {"level": 5, "extra": [1]}, "a": {"extra": 2}}, "other": {"x": 1}}"#;
    let setup = Setup {
        input: Some(Value::from_json(r#"{"name": "a", "key": "main"}"#).unwrap()),
        data: Value::from_json(data).unwrap(),
        ..Setup::default()
    };
    program.run(setup, |session| session.rule(rule)).map(|(value, _)| value).map_err(|error| error.message)
}

/// With the answers of OPA 1.20.
#[test]
fn only_the_rules_that_a_reference_leads_to_are_needed() {
    for (text, expected) in [
        ("r contains m if { some n; some m in data.checks[n].violation }", r#"{"a is wrong", "b is wrong"}"#),
        ("r contains n if data.checks[n].violation", r#"{"a", "b"}"#),
        ("r contains [n, v] if v := data.checks[n].level", r#"{["a", 2], ["doc", 5]}"#),
        ("r contains [n, v] if v := data.checks[n].extra", r#"{["a", 2], ["doc", [1]]}"#),
        ("r contains k if data.checks.a[k]", r#"{"extra", "level", "violation"}"#),
        ("r contains [n, m] if data.checks[n][m].violation[_]", r#"{["deep", "inner"]}"#),
        ("r := data.checks[input.name].level", "2"),
        ("r := v if v := data.checks[\"a\"].level with data.checks.a as {\"level\": 9}", "9"),
        (
            "r contains [n, v] if v := data.checks[n].level with data.checks.z as {\"level\": 9}",
            r#"{["a", 2], ["doc", 5], ["z", 9]}"#,
        ),
        (
            "r contains [n, v] if v := data.checks[n].level with data.checks as {\"q\": {\"level\": 9}}",
            r#"{["q", 9]}"#,
        ),
        (
            "r contains [n, v] if v := data.checks[n].level with data.checks.a.level as 7",
            r#"{["a", 7], ["doc", 5]}"#,
        ),
        ("r if not data.checks[\"zz\"].level", "true"),
        // A rule of this package, through a reference that could lead to `r` itself but does not.
        ("r contains p if data[p].s\ns := 1", r#"{"main"}"#),
        ("r := data[input.key].s\ns := 4", "4"),
    ] {
        assert_eq!(r(text).map(|value| value.unwrap().to_string()), Ok(expected.to_owned()), "{text}");
    }
    for text in ["r := data.main.r", "r contains x if x := data.main[_]", "r if data[_].r"] {
        assert!(r(text).unwrap_err().contains("is recursive: "), "{text}");
    }
}

/// Evaluating all of it for each look at it would take minutes.
#[test]
fn an_object_of_several_rules_is_made_once() {
    let text = "p[k] := v if { some v in numbers.range(1, 2000); k := sprintf(\"k%d\", [v]) }\np.ok := 0\n\
        r := sum([v | some n in numbers.range(1, 2000); v := p[sprintf(\"k%d\", [n])]]) + p.ok";
    let begun = Instant::now();
    assert_eq!(r(text).map(|value| value.unwrap().to_string()), Ok("2001000".to_owned()));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// Groups by a member, in each way of writing them.
#[test]
fn members_with_an_equal_part_are_found_by_an_index() {
    let items: Vec<String> = (0..15_000).map(|i| format!("{{\"k\": \"k{}\", \"v\": {i}}}", i / 2)).collect();
    let input = Value::from_json(&format!("[{}]", items.join(","))).unwrap();
    let first = "[0, 1]";
    for (text, expected) in [
        ("r := {k: v | k := input[_].k; v := [x.v | some x in input; x.k == k]}", first),
        ("r := {k: v | some y in input; k := y.k; v := [x.v | x := input[_]; k == x.k]}", first),
        (
            "r := {k: v | some y in input; k := y.k; v := [x.v | some x in input; name := x.k; k = name]}",
            first,
        ),
        ("r := {k: v | some y in input; k := y.k; v := [input[i].v | input[i].k == k]}", first),
        ("r[k] contains x.v if { some y in input; k := y.k; some x in input; x.v >= 0; x.k == k }", "{0, 1}"),
    ] {
        let text = format!("package a\n\n{text}\n");
        let file = SourceFile { name: "a.rego".to_owned(), text: text.clone() };
        let program = Program::compile(&[file], &CompileOptions::default()).unwrap();
        let rule = program.rules().next().unwrap().id;
        let begin = Instant::now();
        let setup = Setup { input: Some(input.clone()), ..Setup::default() };
        let (groups, _) = program.run(setup, |session| session.rule(rule)).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(5), "{text}");
        let groups = groups.unwrap();
        let groups = groups.as_object().unwrap();
        assert_eq!(groups.len(), 7500, "{text}");
        assert_eq!(groups.get_str("k0").unwrap().to_string(), expected, "{text}");
    }
}
