//! Sources that mean harm, on threads with 2 MB of stack: each is refused within the limits.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use objchange_sentinel::{Policy, Run, Setup, Verdict};

/// Runs a source on a small stack, and returns the outcome.
fn outcome(source: String) -> String {
    outcome_within(source, 20_000_000, 200_000_000)
}

/// The outcome within as many steps and bytes.
fn outcome_within(source: String, steps: u64, memory: u64) -> String {
    let (sender, receiver) = mpsc::channel();
    let run = move || {
        let mut setup = Setup::default();
        setup.limits.steps = steps;
        setup.limits.memory = memory;
        let outcome = match Policy::parse("p", &source) {
            Err(errors) => format!("syntax {}", errors[0]),
            Ok(policy) => {
                let mut run = Run::new(&policy, &setup);
                let verdict = run.verdict();
                let _ = (run.rules(), run.witnesses());
                match verdict {
                    Verdict::Error(error) => error.message,
                    verdict => format!("{verdict:?}"),
                }
            }
        };
        let _ = sender.send(outcome);
    };
    thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap();
    receiver.recv_timeout(Duration::from_secs(120)).expect("it ends")
}

#[track_caller]
fn check(source: impl Into<String>, expected: &str) {
    let source = source.into();
    let start: String = source.chars().take(200).collect();
    let outcome = outcome(source);
    assert!(outcome.contains(expected), "{start}: {outcome}");
}

#[test]
fn deep_texts() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{1:", "}"),
        ("not ", ""),
        ("-", ""),
        ("f(", ")"),
        ("x[", "]"),
        ("rule {", "}"),
        ("any [] as x {", "}"),
        ("all ", ""),
        ("func() { return ", "}"),
        ("filter (", ")"),
        ("map [", "]"),
    ] {
        let text = format!("main = {}1{}", open.repeat(50_000), close.repeat(50_000));
        check(text, "nests deeper than 200 levels");
    }
    for open in ["if true {", "for [] as x {", "case 1 { when 1: ", "func f() {", "if ", "main = filter "] {
        check(open.repeat(50_000), "syntax");
    }
}

#[test]
fn as_deep_as_is_allowed() {
    for (open, close) in [
        ("(", ")"),
        ("[", "][0]"),
        ("not not ", ""),
        ("func() { return ", " }()"),
        ("{1:", "}[1]"),
        ("any [1] as x {", "}"),
        ("rule { ", " }"),
        ("map [1] as x { ", " }[0]"),
    ] {
        // Up to the limit, however many levels each of them is.
        let mut deepest = 0;
        for count in [40, 60, 90, 98, 130, 180, 195] {
            let text = format!("main = {}true{}", open.repeat(count), close.repeat(count));
            let outcome = outcome(text);
            assert!(outcome == "Pass" || outcome.contains("nests deeper than 200"), "{open}: {outcome}");
            deepest = deepest.max(if outcome == "Pass" { count } else { 0 });
        }
        assert!(deepest >= 60, "{open}: {deepest}");
    }
    let nested = format!("{}main = true\n{}", "if true {\n".repeat(150), "}\n".repeat(150));
    check(nested, "Pass");
}

#[test]
fn long_texts() {
    check(format!("main = 1{}", " + 1 - 1".repeat(100_000)), "Fail");
    check(format!("main = {}true", "true and ".repeat(100_000)), "Pass");
    check(format!("main = undefined{}", ".a".repeat(100_000)), "Undefined");
    check(format!("if false {{ }}{}\nmain = true", " else if false { }".repeat(50_000)), "Pass");
    check(format!("main = [{}] is empty", "1,".repeat(100_000)), "Fail");
    // A constant prefix is not made again on each level.
    let big = "{\"a\": [1, 2, 3]}, ".repeat(2_000);
    check(format!("x = 1\nv = {}x{}\nmain = true", format!("[{big}").repeat(90), "]".repeat(90)), "Pass");
    check("x = ) \n".repeat(50_000), "syntax");
    check("\"".repeat(50_001), "syntax");
    check("{".repeat(50_001), "syntax");
    check("/*".repeat(50_001), "syntax");
}

#[test]
fn endless_programs() {
    // Without optimisation 20,000,000 steps take 10 s.
    let check = |source: &str, expected: &str| {
        let outcome = outcome_within(source.to_owned(), 2_000_000, 200_000_000);
        assert!(outcome.contains(expected), "{source}: {outcome}");
    };
    check("f = func(n) { return f(n + 1) }\nmain = f(0)", "calls nest deeper than");
    check("for range(1000000) as a { for range(1000000) as b { } }", "more");
    check("f = func(n) { return n is 0 or f(n - 1) and f(n - 1) }\nmain = f(60)", "more than 2000000 steps");
    check(
        "f = func(n) { if n is 0 { return 0 }\nf(n - 1)\nf(n - 1)\nreturn 0 }\nmain = f(60)",
        "more than 2000000 steps",
    );
    check(
        "import \"collection\"\nf = func(x) { return collection.filter([1], f) }\nmain = f(1)",
        "nest deeper than 40",
    );
    check("import \"collection/lists\"\nmain = lists.sort(range(1000000), func(a, b) { return 1 })", "more");
}

#[test]
fn large_values() {
    check("main = range(9223372036854775807)", "a value has more than");
    check("s = \"x\"\nfor range(60) as i { s += s }\nmain = s", "more than");
    check("l = [1]\nfor range(60) as i { l += l }\nmain = l", "more than");
    check(
        "l = []\ns = \"0123456789\"\nfor range(20) as i { s += s }\nfor range(1000) as i { append(l, s + \"x\") }",
        "MiB of memory",
    );
    for (a, b, expected) in
        [("[1]", "[1]", "Pass"), ("[1]", "[2]", "Fail"), ("[1]", "[undefined]", "Undefined")]
    {
        check(
            format!("a = {a}\nb = {b}\nfor range(60) as i {{ a = [a, a]\nb = [b, b] }}\nmain = a is b"),
            expected,
        );
        let grow = |name: &str| format!("{name} = {{\"x\": {name}, \"y\": {name}, \"z\": [{name}]}}");
        let (grow_a, grow_b) = (grow("a"), grow("b"));
        let text = format!("a = {a}\nb = {b}\nfor range(60) as i {{ {grow_a}\n{grow_b} }}\nmain = a in [b]");
        check(text, expected);
    }
    check("l = [1]\nfor range(60) as i { l = [l, l] }\nprint(l)", "more than");
    check("import \"json\"\nl = [1]\nfor range(60) as i { l = [l, l] }\nmain = json.marshal(l)", "more");
    check(
        "import \"strings\"\nl = [1]\nfor range(60) as i { l = [l, l] }\nmain = strings.join(l, \"\")",
        "more",
    );
    check(
        "import \"strings\"\ns = \"a\"\nfor range(20) as i { s += s }\nmain = strings.replace(s, \"a\", s)",
        "a value has more than",
    );
    check("l = range(100000)\nfor l as a { for l as b { append(l, a)\nbreak } }", "more");
    check(
        "l = range(100000)\nm = range(100000)\nm[-1] = 0\nfor l as a { if l is m { break }\nl[-2] = a }",
        "more than 20000000 steps",
    );
    check(
        "s = \"0123456789\"\nfor range(15) as i { s += s }\nfor range(10000) as i { s matches \"(a|b|[a-z0-9]{100}x)*y\" }",
        "more than 20000000 steps",
    );
    check("main = \"a\" matches \"(((((a{100}){100}){100}){100}){100})\"", "not a pattern");
    check("import \"json\"\ns = \"[\"\nfor range(15) as i { s += s }\nmain = json.unmarshal(s)", "not JSON");
}

#[test]
fn deep_values() {
    check("l = []\nfor range(100000) as i { l = [l] }\nmain = true", "Pass");
    check("l = []\nfor range(100000) as i { l = {\"a\": l} }\nmain = true", "Pass");
    check(
        "g = func(p) { return func() { return p } }\nl = 1\nfor range(100000) as i { l = g(l) }\nmain = true",
        "Pass",
    );
    check(
        "g = func(p) { return rule { p } }\nl = 1\nfor range(100000) as i { l = g(l) }\nmain = true",
        "Pass",
    );
    check(
        "g = func(p) { return rule { p } }\nl = 1\nfor range(100000) as i { l = g(l) }\nmain = l",
        "nest deeper",
    );
    check(
        "l = []\nfor range(100000) as i { l = [l] }\nm = []\nfor range(100000) as i { m = [m] }\nmain = l is m",
        "nests deeper",
    );
    check("l = []\nfor range(100000) as i { l = [l] }\nprint(l)", "nests deeper");
    check("l = []\nappend(l, l)\nm = {}\nm[\"m\"] = m\nmain = true", "Pass");
    check("l = []\nappend(l, l)\nmain = l is l", "nests deeper");
    check("l = []\nappend(l, l)\nprint(l)", "nests deeper");
    check("import \"json\"\nl = []\nappend(l, l)\njson.marshal(l)", "nests deeper");
    check("import \"strings\"\nl = []\nappend(l, l)\nstrings.join(l, \"\")", "more");
    check(
        format!("import \"collection/maps\"\nmain = maps.get({{}}, \"{}\")", "a.".repeat(10_000)),
        "more than 200 keys",
    );
}

#[test]
fn deep_explanations() {
    check("f = func(n) { return n > 0 and all [n] as x { f(n - 1) } }\nmain = f(4000)", "Fail");
    check(
        "f = func(n) { return all [n] as x { n > 0 and f(n - 1) } }\nx = true\nmain = rule { f(4000) }",
        "Fail",
    );
    check("x = all [1] as y { false }\nfor range(20000) as i { x = x and true }\nmain = x", "Fail");
    check(
        "x = all [1] as y { false }\nfor range(20000) as i { x = not (not x or not x) and x }\nmain = x",
        "Fail",
    );
    check("x = all [1] as y { false }\nfor range(300) as i { x = x or x or x }\nmain = rule { x }", "Fail");
    check(
        "for range(20000) as i { f = func() { x = all [1] as y { false }\nreturn x }\nx = f() }\nmain = true",
        "Pass",
    );
}

#[test]
fn who_runs_a_policy_can_end_it() {
    let policy = Policy::parse("p", "main = rule { all range(10000000) as i { i >= 0 } }").unwrap();
    let mut setup = Setup::default();
    setup.interrupt = Some(objchange_sentinel::Interrupt::new(|| Some("it is late".to_owned())));
    let error = Run::new(&policy, &setup).value("main").unwrap_err();
    assert_eq!(error.kind, objchange_sentinel::RunErrorKind::Interrupted);
}

#[test]
fn memory_is_limited_with_its_number() {
    let policy =
        Policy::parse("p", "x = range(100000)\nfor range(100) as i { x = x + x }\nmain = true").unwrap();
    let mut setup = Setup::default();
    setup.limits.memory = 64 << 20;
    let error = Run::new(&policy, &setup).value("main").unwrap_err();
    assert_eq!(error.kind, objchange_sentinel::RunErrorKind::Memory);
    assert_eq!(error.message, "the evaluation needs more than 64 MiB of memory");
}

/// A nest of lists that share their elements takes little memory, and its text much.
#[test]
fn the_text_of_a_shared_nest_is_limited_as_it_grows() {
    for start in ["[]", "[\"a\"]", "{\"a\": 1}", "[undefined]"] {
        let nest = |step: &str| {
            format!(
                "import \"json\"\nx = {start}\nfor range(24) as _ {{ x = {step} }}\nmain = json.marshal(x)"
            )
        };
        for step in ["[x, x]", "{\"a\": x, \"b\": x}"] {
            let outcome = outcome_within(nest(step), 20_000_000, 20_000_000);
            assert!(outcome.contains("MiB of memory"), "{start} {step}: {outcome}");
        }
    }
}
