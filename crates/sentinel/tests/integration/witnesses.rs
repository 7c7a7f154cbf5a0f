//! Explanations of a failing policy: the elements, and the rules, that made it fail.

use objchange_sentinel::{Evaluated, Policy, Reason, Run, Setup, Verdict, Witness, Witnesses};

fn witness(witness: &Witness) -> String {
    let path: Vec<String> = witness.elements.iter().map(|element| format!("{:?}", element.key)).collect();
    let reason = match &witness.reason {
        Reason::NoneFits { looked_at, first } => {
            let first: Vec<String> = first.iter().map(|element| format!("{:?}", element.key)).collect();
            format!("none of {looked_at} [{}]", first.join(" "))
        }
        other => format!("{other:?}").to_lowercase(),
    };
    format!("{} {reason} {}", path.join("."), witness.location.position).trim().to_owned()
}

fn all(witnesses: &Witnesses) -> String {
    let list: Vec<String> = witnesses.list.iter().map(witness).collect();
    let more = if witnesses.more > 0 { format!(" +{}", witnesses.more) } else { String::new() };
    list.join(", ") + &more
}

fn rule<'r>(rules: &'r [Evaluated], name: &str) -> &'r Evaluated {
    rules.iter().find(|rule| &*rule.name == name).unwrap_or_else(|| panic!("there is no rule {name}"))
}

/// The witnesses of `main`, with the rules that it used.
fn policy(source: &str) -> String {
    let policy = Policy::parse("p", source).unwrap_or_else(|errors| panic!("{source}: {}", errors[0]));
    let setup = Setup::default();
    let mut run = Run::new(&policy, &setup);
    let witnesses = run.witnesses().unwrap_or_else(|error| panic!("{source}: {error}"));
    all(&witnesses)
}

#[test]
fn a_run_that_is_asked_for_it_names_every_element() {
    let source = "
        rows = [[1, 5], [2], [7, 8, 9]]
        main = rule { all rows as _, row { all row as cell { cell < 5 } } and true }";
    let policy = Policy::parse("p", source).unwrap();
    for (every_witness, expected) in
        [(false, "0.1 fails 3:44"), (true, "0.1 fails 3:44, 2.0 fails 3:44, 2.1 fails 3:44, 2.2 fails 3:44")]
    {
        let mut setup = Setup::default();
        setup.every_witness = every_witness;
        let mut run = Run::new(&policy, &setup);
        assert_eq!(run.verdict(), Verdict::Fail);
        assert_eq!(all(&run.witnesses().unwrap()), expected);
    }
}

/// An undefined answer behind an element that makes the rule false changes nothing.
#[test]
fn a_run_that_goes_on_says_the_same() {
    for (source, verdict) in [
        ("main = rule { all [1, 7, undefined, 8] as n { n < 5 } }", Verdict::Fail),
        ("main = rule { not all [1, 7, 8] as n { n < 5 } }", Verdict::Pass),
        ("main = rule { any [[9], [1, 2]] as l { all l as n { n < 5 } } }", Verdict::Pass),
        ("f = func(l) { return all l as n { n < 5 } }\nmain = rule { f([6, 7]) or f([1]) }", Verdict::Pass),
    ] {
        let policy = Policy::parse("p", source).unwrap();
        let mut setup = Setup::default();
        setup.every_witness = true;
        assert_eq!(Run::new(&policy, &setup).verdict(), verdict, "{source}");
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(policy(source), *expected, "{source}");
    }
}

#[test]
fn of_quantifiers() {
    check(&[
        ("main = rule { all [1, 5, 2] as x { x < 3 } }", "1 fails 1:15"),
        ("main = rule { all {\"a\": 1, \"b\": 5} as k, v { v < 3 } }", "\"b\" fails 1:15"),
        ("main = rule { all {\"a\": 1, \"b\": 5} as k { k is \"a\" } }", "\"b\" fails 1:15"),
        (
            "main = rule { all {\"a\": [1], \"b\": [2, 9]} as _, xs { all xs as x { x < 3 } } }",
            "\"b\".1 fails 1:54",
        ),
        ("main = rule { all [[1]] as xs { all xs as x { x is 1 } and false } }", "0 fails 1:15"),
        ("main = rule { any [1, 2, 3, 4] as x { x > 5 } }", "none of 4 [0 1 2] 1:15"),
        ("main = rule { all [[1], [2]] as xs { any xs as x { x is 1 } } }", "1 none of 1 [0] 1:38"),
        ("main = rule { not any [1, 5] as x { x > 3 } }", "1 holds 1:19"),
        ("main = rule { not any [[1], [5]] as xs { any xs as x { x > 3 } } }", "1.0 holds 1:42"),
        ("main = rule { all [1, undefined] as x { x < 3 } }", "1 undefined 1:15"),
        ("main = rule { (all [1] as x { false }) is true }", "0 fails 1:16"),
        ("main = rule { (any [1] as x { true }) is false }", "0 holds 1:16"),
        ("main = rule { (any [1] as x { true }) is not true }", "0 holds 1:16"),
    ]);
}

#[test]
fn only_of_what_decides() {
    check(&[
        ("main = rule { (any [] as x { x } or true) and all [1] as x { false } }", "0 fails 1:47"),
        (
            "main = rule { any [1] as x { false } or all [1] as x { false } }",
            "none of 1 [0] 1:15, 0 fails 1:41",
        ),
        ("main = rule { not (all [1] as x { true } and false) and false }", ""),
        ("main = rule { not (any [1] as x { true } and false) and all [2] as x { false } }", "0 fails 1:57"),
        ("main = rule { all [1, 2] as x { any [] as y { y } or x is 1 } }", "1 none of 0 [] 1:33"),
        ("main = rule when any [1] as x { x is 2 } or true { all [3] as x { false } }", "0 fails 1:52"),
        ("main = rule { (all [undefined] as x { x } else true) and all [3] as x { false } }", "0 fails 1:58"),
        (
            "main = rule { length(filter [1] as x { any [] as y { y } }) is 0 and all [3] as x { false } }",
            "0 fails 1:70",
        ),
        ("main = rule { all [1] as x { true } }", ""),
        ("a = rule { false }\nmain = rule { a or all [1] as x { false } }", "0 fails 2:20"),
    ]);
}

#[test]
fn of_what_should_be_empty() {
    let start = "v = filter {\"a\": 1, \"b\": 5, \"c\": 7} as _, x { x > 3 }\nmain = ";
    for test in [
        "rule { v is empty }",
        "rule { length(v) is 0 }",
        "rule { length(v) == 0 }",
        "rule { length(v) < 1 }",
        "rule { length(v) <= 0 }",
        "rule { v is {} }",
        "rule { not (v is not empty) }",
        "rule { not (length(v) > 0) }",
        "rule { not (length(v) >= 1) }",
        "rule { not (length(v) is not 0) }",
        "rule { not (v != {}) }",
        "rule { (v is empty) is true }",
        "rule { length(rule { v }) is 0 }",
        "v is empty",
        "length(v) is 0",
        "rule { v }",
        "v",
    ] {
        let found = policy(&format!("{start}{test}"));
        let keys: Vec<&str> = found.split(", ").map(|part| part.split(' ').next().unwrap()).collect();
        assert_eq!(keys, ["\"a\"", "\"b\"", "\"c\""][1..], "{test}: {found}");
        assert!(found.contains("kept"), "{test}: {found}");
    }
    check(&[
        ("m = {\"messages\": [\"x\"]}\nmain = rule { m[\"messages\"] is empty }", "0 kept 2:29"),
        ("main = rule { all {\"a\": [], \"b\": [7]} as _, xs { xs is empty } }", "\"b\".0 kept 1:53"),
        ("main = rule { length(\"abc\") is 0 }", ""),
        ("main = rule { [] is not empty }", ""),
        ("length = func(x) { return 7 }\nmain = rule { length([1]) is 0 }", "0 kept 2:27"),
        ("main = rule { \"abc\" }", ""),
    ]);
    let many = policy("main = rule { range(1000) is empty }");
    assert!(many.ends_with(" +900"), "{many}");
}

#[test]
fn of_functions_and_variables() {
    check(&[
        ("f = func(xs) { return all xs as x { x < 3 } }\nmain = rule { f([1, 5]) }", "1 fails 1:23"),
        ("f = func(xs) { return all xs as x { x < 3 } }\nv = f([1, 5])\nmain = rule { v }", "1 fails 1:23"),
        ("f = func(x) { return x < 3 }\nmain = rule { all [1, 5] as x { f(x) } }", "1 fails 2:15"),
        (
            "f = func(x) { return all x as y { y < 3 } }\nmain = rule { all [[1], [5]] as x { f(x) } }",
            "1.0 fails 1:22",
        ),
        (
            "f = func(x) { return all x as y { y < 3 } }\nmain = rule { not f([5]) and all [0] as x { false } }",
            "0 fails 2:30",
        ),
        (
            "f = func(xs) { ok = true\nfor xs as k, x { if x > 3 { ok = false } }\nreturn ok }\nmain = rule { f({\"a\": 1, \"b\": 5, \"c\": 9}) is true }",
            "\"b\" assigned 2:29, \"c\" assigned 2:29",
        ),
        (
            "f = func(xs) { for xs as x { if x > 3 { return false } }\nreturn true }\nv = f([1, 5])\nmain = rule { v }",
            "1 assigned 1:41",
        ),
        (
            "ok = true\nfor [[1], [2, 9]] as xs { for xs as x { if x > 3 { ok = false } } }\nmain = ok",
            "1.1 assigned 2:52",
        ),
        ("ok = true\nfor [1, 5] as x { ok = false\nif x > 3 { ok = true } }\nmain = ok", ""),
        (
            "ok = false\nfor [1, 5] as x { ok = true\nif x is 1 { ok = false } }\nok = false\nmain = rule { ok }",
            "",
        ),
        (
            "f = func(v) { if length(v) > 0 { print(1)\nx = 1\nreturn false }\nreturn true }\nmain = rule { f({\"a\": 1}) }",
            "\"a\" kept 1:28",
        ),
        (
            "f = func(v) { if v is empty { return true } else { return false } }\nmain = rule { f([7]) }",
            "0 kept 1:20",
        ),
        (
            "f = func(v) { ok = true\nif length(v) is not 0 { ok = false }\nreturn ok }\nmain = rule { f([7]) }",
            "0 kept 2:14",
        ),
        (
            "f = func(vs) { for vs as v { if any v as x { x > 3 } { return false } }\nreturn true }\nmain = rule { f([[1], [2, 9]]) }",
            "1.1 holds 1:33",
        ),
        ("f = func(v) { if v is empty { }\nreturn false }\nmain = rule { f([7]) }", ""),
        ("ok = true\nv = [7]\nif v is not empty { if true { ok = false } }\nmain = ok", "0 kept 3:6"),
        ("f = func() { return false }\nif f() { ok = true } else { ok = false }\nmain = ok", ""),
        ("ok = all [3] as x { false }\nmain = rule { ok or false }", "0 fails 1:6"),
        ("ok = true\nfor range(300) as x { ok = false }\nmain = ok", &{
            let list: Vec<String> = (0..100).map(|index| format!("{index} assigned 2:23")).collect();
            list.join(", ") + " +200"
        }),
    ]);
}

#[test]
fn of_other_rules() {
    let source = "a = rule { all [1, 5] as x { x < 3 } }\nb = rule { a and all [9] as x { false } }\n\
                  c = rule { any [1] as x { x is 1 } }\nmain = rule { c and not (not b or c is false) }";
    let setup = Setup::default();
    let parsed = Policy::parse("p", source).unwrap();
    let mut run = Run::new(&parsed, &setup);
    run.verdict();
    let rules = run.rules();
    let names = |list: &[usize]| list.iter().map(|&index| &*rules[index].name).collect::<Vec<_>>().join(" ");
    assert_eq!(all(&rule(&rules, "a").witnesses), "1 fails 1:12");
    assert_eq!(all(&rule(&rules, "b").witnesses), "");
    assert_eq!(names(&rule(&rules, "b").because), "a");
    let main = rule(&rules, "main");
    assert_eq!((names(&main.because), names(&main.uses)), ("b".to_owned(), "c b".to_owned()));
    let needed_by: Vec<_> =
        rules.iter().map(|rule| rule.needed_by.map(|index| &*rules[index].name)).collect();
    assert_eq!(needed_by, [Some("b"), Some("main"), Some("main"), None]);
    assert_eq!(all(&run.witnesses().unwrap()), "1 fails 1:12");
}

#[test]
fn a_value_is_what_it_was() {
    let setup = Setup::default();
    let parsed = Policy::parse("p", "main = rule { all [{\"n\": 1}, {\"n\": 5}] as x { x.n < 3 } }").unwrap();
    let mut run = Run::new(&parsed, &setup);
    let witnesses = run.witnesses().unwrap();
    assert_eq!(format!("{:?}", witnesses.list[0].elements[0].value), "{\"n\": 5}");
}
