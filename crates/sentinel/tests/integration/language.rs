//! The language, section by section: sources, and the final value of `v`.

use objchange_sentinel::{Policy, Run, Setup, Verdict};
use objchange_text::LineIndex;

/// The printed value of `v`, or the error.
fn shown(source: &str) -> String {
    let policy = match Policy::parse("p", source) {
        Ok(policy) => policy,
        Err(errors) => {
            let at = LineIndex::new(source).position(errors[0].subject.expect("a place").start);
            return format!("syntax {at}: {}", errors[0]);
        }
    };
    let setup = Setup::default();
    match Run::new(&policy, &setup).value("v") {
        Ok(Some(value)) => format!("{value:?}"),
        Ok(None) => "absent".to_owned(),
        Err(error) => format!("error {}", error.message),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(shown(source), *expected, "{source}");
    }
}

#[test]
fn tokens() {
    check(&[
        ("\u{feff}v = 0x1F + 017 // c\r\n", "46"),
        ("v = \"\\x41\\u65e5\\101\" /* a */", "\"A日A\""),
        ("v = `a\\n\r\nb`", "\"a\\\\n\\nb\""),
        ("v = [\"a\\tb\\r\"]", r#"["a\tb\r"]"#),
        ("type = 1\nmap = 2\nfilter = 3\nempty = 4\nv = type + map + filter + empty", "10"),
        ("v = -9223372036854775808", "-9223372036854775808"),
        ("x = 1;; v = x;", "1"),
    ]);
}

#[test]
fn newlines() {
    check(&[
        ("v = [\n1,\n2\n]", "[1, 2]"),
        ("v = {\n\"a\":\n1\n}", "{\"a\": 1}"),
        ("f = func(\na,\nb\n) { return a +\nb }\nv = f(\n1,\n2,\n)", "3"),
        ("v = any [1] as x {\n\nx is 1\n\n}", "true"),
        ("if false { v = 1 }\nelse { v = 2 }", "2"),
        ("v = (\n1\n)", "1"),
        ("x = {\"default\": 2}.default\nv = x", "2"),
    ]);
}

#[test]
fn precedence() {
    check(&[
        ("v = undefined else 2 == 2", "true"),
        ("v = 1 + undefined else 2", "2"),
        ("v = undefined else [] is empty", "true"),
        ("v = not true is false", "true"),
        ("v = true or false and false", "true"),
        ("v = false and false or true", "true"),
        ("v = true xor true", "false"),
        ("v = 2 - 1 - 1", "0"),
        ("v = 2 * 3 % 4", "2"),
        ("v = -1 + - 1", "-2"),
        ("defined = {\"a\": 1}\nv = defined.a is defined.a", "true"),
        ("v = all filter [1, 2] as x { x > 1 } as y { y is 2 }", "true"),
        ("m = [5]\nfilter = m\nv = filter[0]", "5"),
        ("map = func(x) { return x }\nv = map(3)", "3"),
    ]);
}

#[test]
fn logic_is_short() {
    check(&[
        ("v = false and error(1)", "false"),
        ("v = true or error(1)", "true"),
        ("v = undefined and error(1)", "undefined"),
        ("v = undefined or error(1)", "error 1"),
        ("v = true and 1", "error expected a bool, found int"),
        ("v = 1 or true", "error expected a bool, found int"),
        ("v = true xor 1", "error expected a bool, found int"),
        ("v = 1 else error(1)", "1"),
        ("v = not 1", "error expected a bool, found int"),
    ]);
}

#[test]
fn equality_and_order() {
    check(&[
        ("v = 1 is 1.0", "true"),
        ("v = 9007199254740993 is 9007199254740992.0", "false"),
        ("v = null is null", "true"),
        ("v = null is not false", "true"),
        ("v = [1, undefined] is [1, 2]", "undefined"),
        ("v = [undefined, 1] is [1, 2]", "false"),
        ("v = {1: 2} is {1.0: 2}", "true"),
        ("f = func() { return 1 }\nv = f is f", "false"),
        ("v = 1 < 1.5", "true"),
        ("v = [1] < [2]", "undefined"),
        ("v = null < 1", "undefined"),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        ("v = 1 / 0", "error division by zero"),
        ("v = 1.0 / 0", "+Inf"),
        ("v = -9223372036854775808 / -1", "-9223372036854775808"),
        ("v = -7 % 3", "-1"),
        ("v = \"a\" + \"b\"", "\"ab\""),
        ("v = [1] + [2]", "[1, 2]"),
        ("v = \"a\" + 1", "error + is not defined for string and int"),
        ("v = null + undefined", "undefined"),
        ("v = -\"a\"", "error expected a number, found string"),
    ]);
}

#[test]
fn collections() {
    check(&[
        ("v = [1, 2, 3][-1]", "3"),
        ("v = [1, 2][1.0]", "2"),
        ("v = [1, 2][\"a\"]", "error an index must be an int, found string"),
        ("v = [1, 2][0.5]", "error an index must be a whole number"),
        ("v = {\"a\": 1}[[]]", "undefined"),
        ("v = [1, 2, 3][1:9]", "undefined"),
        ("v = [1, 2, 3][-1:]", "undefined"),
        ("v = [1, 2, 3][:]", "[1, 2, 3]"),
        ("v = 5[1:]", "error int cannot be sliced"),
        ("v = {}[\"a\"].b[1](2)", "undefined"),
        ("v = {\"b\": 1, \"a\": 2, 3: 3, true: 4}", "{true: 4, 3: 3, \"a\": 2, \"b\": 1}"),
        ("v = {null: 1}", "error null cannot be a key of a map"),
        ("v = 1 in [2, undefined]", "undefined"),
        ("v = [] in {}", "false"),
        ("v = 1 in \"1\"", "error a string cannot contain int"),
        ("v = 1 in null", "error expected a list, map or string after in, found null"),
        ("v = null is empty", "undefined"),
        ("v = 1 is empty", "error int is neither empty nor not"),
        ("v = null is defined", "true"),
        ("l = [1]\nl[1] = 2\nv = l", "error this index is out of the range of the list"),
        ("n = 1\nn[0] = 2\nv = n", "error nothing can be put into int"),
        ("m = {\"a\": [1]}\nm[\"a\"][0] *= 7\nv = m", "{\"a\": [7]}"),
        ("a = [1]\nb = a\nb += [2]\nv = a", "[1]"),
        ("a = [1]\na += a\na += a\nv = a", "[1, 1, 1, 1]"),
    ]);
}

#[test]
fn calls() {
    check(&[
        ("v = undefined(1)", "undefined"),
        ("v = 1(2)", "error int cannot be called"),
        ("v = func(a) { return a }(1, 2)", "error this function takes 1 argument, not 2"),
        ("v = length()", "error length takes 1 argument, not 0"),
        ("v = range(1, 2, 3, 4)", "error range takes 1 to 3 arguments, not 4"),
        ("v = func() { }()", "undefined"),
        ("f = func(n) { return n is 0 ? 1 : 2 }\nv = 1", "syntax 1:29: unexpected character '?'"),
        ("f = func(n) { if n is 0 { return 0 }\nreturn 1 + f(n - 1) }\nv = f(5000)", "5000"),
        ("f = func(n) { return f(n) }\nv = f(1)", "error calls nest deeper than 10000 levels"),
        (
            "c = func() { n = [0]\nreturn func() { n[0] += 1\nreturn n[0] } }\nf = c()\nf()\nv = f() + c()()",
            "3",
        ),
        ("o = {\"f\": func(x) { return x * 2 }}\nv = o.f(4)", "8"),
    ]);
}

#[test]
fn quantifiers() {
    check(&[
        ("v = any [false, undefined] as x { x }", "undefined"),
        ("v = any [] as x { x }", "false"),
        ("v = all [true, undefined, error] as x { x }", "undefined"),
        ("v = all null as x { true }", "error expected a list or map to walk over, found null"),
        ("v = filter {\"a\": 1, \"b\": 2} as k { k is \"b\" }", "{\"b\": 2}"),
        ("v = map {\"b\": 1, \"a\": 2} as k, n { [k, n] }", "[[\"a\", 2], [\"b\", 1]]"),
        ("v = map [1, undefined] as x { x }", "[1, undefined]"),
        ("v = filter [1] as x { 1 }", "error expected a bool, found int"),
        ("v = map [1, 2] as x { map [3, 4] as y { x * y } }", "[[3, 4], [6, 8]]"),
        ("fs = map [1, 2] as x { func() { return x } }\nv = map fs as f { f() }", "[1, 2]"),
        ("x = 7\ny = map [1] as x { x }\nv = x", "7"),
    ]);
}

#[test]
fn statements() {
    check(&[
        ("v = 0\nfor [1, 2, 3, 4] as x { if x is 2 { continue }\nif x is 4 { break }\nv += x }", "4"),
        ("v = []\nfor {\"a\": 1} as k, x { append(v, [k, x]) }", "[[\"a\", 1]]"),
        ("for undefined as x { }\nv = 1", "error expected a list or map to walk over, found undefined"),
        ("if undefined { v = 1 } else { v = 2 }", "2"),
        ("if 1 { v = 1 }", "error expected a bool, found int"),
        ("if false { v = 1 } else if true { v = 2 } else { v = 3 }", "2"),
        ("case { when false: v = 1\nwhen true: v = 2\n}", "2"),
        ("case 3 { when 1: v = 1\nelse: v = 9 }", "9"),
        ("v = 0\ncase 3 { when 1: if true { v = 1 }\nelse: v = 9 }", "9"),
        ("v = 0\ncase 1 { when 1: if false {} else if true { v = 1 }\n\nelse:\nv = 9 }", "1"),
        ("v = 0\ncase 1 { when 1: if false {} \nelse { v = 1 }\nelse: v = 9 }", "1"),
        ("v = 0\ncase 3 { when 1: case 1 { when 1: if true {}\nelse: v = 1 }\nelse: v = 9 }", "9"),
        ("case undefined { when undefined: v = 1\nelse: v = 9 }", "9"),
        ("f = func() { for [1, 2] as x { for [3] as y { return x + y } } }\nv = f()", "4"),
        ("l = [1, 2]\nv = 0\nfor l as x { append(l, x)\nv += 1 }", "2"),
        ("v = \"\"\nfor [1] as x { t = any [1] as y { x is y }\nv = t }", "true"),
    ]);
}

#[test]
fn scopes() {
    check(&[
        ("x = 1\nf = func() { x = 2 }\nf()\nv = x", "2"),
        ("f = func() { y = 1\nreturn y }\nf()\nv = y", "error unknown identifier y"),
        ("for [1] as x { z = x }\nv = z", "error unknown identifier z"),
        ("v = nope", "error unknown identifier nope"),
        ("f = func(x) { x = 2\nreturn x }\nx = 1\nv = f(5) + x", "3"),
        // A variable of a call stays local until the file declares the name.
        ("f = func(n) { r = [n]\nif n > 0 { f(n - 1) }\nreturn r }\nr = f(2)\nv = r", "[2]"),
        (
            "v = []\nfor [1, 2] as x { if x is 1 { t = 5 }\nappend(v, t else 0) }",
            "error unknown identifier t",
        ),
        ("length = func(x) { return 7 }\nv = length([])", "7"),
        ("f = func() { keys = 3 }\nf()\nv = keys", "3"),
        ("f = func() { return keys({\"a\": 1}) }\nv = f()\nkeys = 1", "[\"a\"]"),
        ("a = func() { return b() }\nfunc b() { return 4 }\nv = a()", "4"),
    ]);
}

#[test]
fn rules() {
    check(&[
        (
            "n = [0]\nr = rule { tick() }\nfunc tick() { n[0] += 1\nreturn true }\na = r and r\nb = r\nc = b and true\nv = n",
            "[1]",
        ),
        ("r = rule when false { error(1) }\nv = r", "true"),
        ("r = rule when 1 { true }\nv = r", "error expected a bool, found int"),
        ("r = rule { r }\nv = r", "error the evaluation of this rule needs the rule itself"),
        ("a = rule { b }\nb = rule { a }\nv = a", "error the evaluation of this rule needs the rule itself"),
        ("r = rule { length }\nv = r", "error a rule cannot be func"),
        ("a = rule { 1 }\nb = rule { a }\nv = b + 1", "2"),
        ("f = func(r) { return 1 }\nv = f(rule { error(1) })", "1"),
        ("l = [rule { error(1) }]\nv = length(l)", "1"),
        ("v = string(rule { 5 })", "\"5\""),
        ("v = {\"a\": 1}[rule { \"a\" }]", "1"),
        ("r = rule { any [1, 2] as x { x is 2 } }\nv = not r", "false"),
        ("r = rule { [1] }\nx = []\nfor r as e { append(x, e) }\nv = x", "[1]"),
        ("r = rule { 2 }\ncase r { when 2: v = \"two\" }", "\"two\""),
        ("r = rule { 2 }\nr += 3\nv = r", "5"),
        ("m = {\"k\": 1}\nr = rule { \"k\" }\nm[r] += rule { 1 }\nv = m", "{\"k\": 2}"),
    ]);
}

#[test]
fn built_in_functions() {
    check(&[
        ("v = range(5, 1, -2)", "[5, 3]"),
        ("v = range(1, 2, 0)", "error the step of a range cannot be 0"),
        (
            "v = range(-9223372036854775807, 9223372036854775807, 9223372036854775807)",
            "[-9223372036854775807, 0]",
        ),
        ("v = int(\"-0x1F\")", "-31"),
        ("v = int(-1.5)", "-2"),
        ("v = int(1e300)", "undefined"),
        ("v = float(\"nan\")", "undefined"),
        ("v = float(true)", "1"),
        ("v = bool(\"x\")", "undefined"),
        ("v = compare(1, 1.5)", "-1"),
        ("v = compare(1, \"a\")", "error int and string cannot be compared"),
        ("m = {\"a\": 1}\ndelete(m, \"a\")\ndelete(m, \"b\")\nv = m", "{}"),
        ("v = values({\"b\": 1, \"a\": 2})", "[2, 1]"),
        ("v = append(undefined, 1)", "error expected a list, found undefined"),
        ("v = error(\"a\", [\"b\"])", "error a [\"b\"]"),
        ("v = print()", "true"),
    ]);
}

#[test]
fn verdicts() {
    let verdict = |source: &str| {
        let setup = Setup::default();
        Run::new(&Policy::parse("p", source).unwrap(), &setup).verdict()
    };
    for source in ["main = true", "main = rule { \"\" }", "main = []", "main = {}", "main = 0", "main = 0.0"]
    {
        assert_eq!(verdict(source), Verdict::Pass, "{source}");
    }
    for source in ["main = false", "main = rule { \"a\" }", "main = [false]", "main = 1"] {
        assert_eq!(verdict(source), Verdict::Fail, "{source}");
    }
    for source in ["x = 1", "main = null", "main = func() { }", "main = true\nx = 1 / 0"] {
        assert!(matches!(verdict(source), Verdict::Error(_)), "{source}");
    }
    let Verdict::Undefined(location) = verdict("m = {}\n\nmain = rule {\n  m.a.b is 1 }") else { panic!() };
    assert_eq!(location.to_string(), "p:4:4");
}

#[test]
fn what_is_printed_and_reported() {
    let source = "# first\n\n# What it says.\n// More.\nok = rule { 1 is 1 }\nunused = rule { error(1) }\n\
                  /* Block\n * of text */\nmain = rule { ok and print(\"a\", [\"b\", undefined, 1.5], null) }\n";
    let setup = Setup::default();
    let mut run = Run::new(&Policy::parse("p", source).unwrap(), &setup);
    assert_eq!(run.verdict(), Verdict::Pass);
    assert_eq!(run.printed(), "a [\"b\", undefined, 1.5] null\n");
    let rules: Vec<String> = run
        .rules()
        .iter()
        .map(|rule| format!("{} {} {:?} {:?}", rule.name, rule.location, rule.value, rule.doc.as_deref()))
        .collect();
    assert_eq!(
        rules,
        ["ok p:5:6 true Some(\"What it says.\\nMore.\")", "main p:9:8 true Some(\"Block\\nof text\")"]
    );
}

#[test]
fn errors_have_a_place() {
    let setup = Setup::default();
    let policy =
        Policy::parse("p", "f = func(x) {\n  return x.a + \"é\"\n}\nmain = rule { f({\"a\": 1}) }").unwrap();
    let Verdict::Error(error) = Run::new(&policy, &setup).verdict() else { panic!() };
    assert_eq!(error.to_string(), "p:2:14: + is not defined for int and string");
}

#[test]
fn patterns_are_those_of_re2() {
    let refused = ["a**", "a{2}{3}", "a{1001}", "x*+", "[[:foo:]]", "(?x)", "(?s-u:.)", "\\u0041", "(?R)"];
    for pattern in refused {
        let source = format!("main = \"a\" matches `{pattern}`");
        let policy = Policy::parse("p", &source).unwrap();
        let error = Run::new(&policy, &Setup::default()).value("main").unwrap_err();
        assert!(error.message.starts_with("this is not a pattern: "), "{pattern}: {error}");
    }
    // An octal escape is a character, and a name may begin with a digit.
    for (text, pattern) in [("\\n", "^\\012$"), ("x", "^(?P<1a>x)$")] {
        let policy = Policy::parse("p", &format!("main = \"{text}\" matches `{pattern}`")).unwrap();
        let verdict = Run::new(&policy, &Setup::default()).verdict();
        assert_eq!(verdict, objchange_sentinel::Verdict::Pass, "{pattern}");
    }
}

#[test]
fn rules_in_lists_and_maps_are_evaluated_when_they_are_looked_at() {
    let source = "import \"json\"\nr = rule { [1] }\nm = {\"a\": r, \"b\": [r]}\n\
                  same = m is {\"a\": [1], \"b\": [[1]]}\ntext = json.marshal({\"a\": r})\nprint({\"a\": r})\n\
                  held = [1] in [r]\nnested = rule { {\"a\": rule { {\"b\": r} }} }\nmain = {\"a\": r}\n";
    let policy = Policy::parse("p", source).unwrap();
    let setup = Setup::default();
    let mut run = Run::new(&policy, &setup);
    let mut shown = |name: &str| format!("{:?}", run.value(name).unwrap().unwrap());
    assert_eq!(shown("same"), "true");
    assert_eq!(shown("text"), r#"{"a":[1]}"#.replace('"', "\\\"").replace("{\\", "\"{\\") + "\"");
    assert_eq!(shown("held"), "true");
    assert_eq!(shown("main"), r#"{"a": [1]}"#);
    assert_eq!(shown("nested"), r#"{"a": {"b": [1]}}"#);
    assert_eq!(run.printed(), "{\"a\": [1]}\n");
    // One that needs itself is not an endless one.
    let policy = Policy::parse("p", "r = rule { {\"a\": r} }\nmain = rule { r is {} }").unwrap();
    let error = Run::new(&policy, &setup).value("main").unwrap_err();
    assert_eq!(error.kind, objchange_sentinel::RunErrorKind::Circle);
}
