//! Decisions where the documentation of the language is silent or contradicts itself: public policies
//! settle some, others are chosen here. Each is one line, so that a decision is changed in one place.

use objchange_sentinel::{Policy, Run, RunErrorKind, Setup, Value, Verdict};
use objchange_text::LineIndex;
use serde_json::json;

fn shown(source: &str) -> String {
    let policy = match Policy::parse("p", source) {
        Ok(policy) => policy,
        Err(errors) => {
            let at = LineIndex::new(source).position(errors[0].subject.expect("a place").start);
            return format!("syntax {at}: {}", errors[0]);
        }
    };
    let mut setup = Setup::default();
    setup.globals.insert("g".to_owned(), json!({ "x": 1 }));
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
fn text_and_grammar() {
    check(&[
        // Any word after a dot is a name.
        ("vars = {\"a\": {\"default\": 1}}\nn = \"a\"\nx = vars[n].default\nv = x", "1"),
        ("m = {\"rule\": 1, \"import\": 2, \"else\": 3}\nv = [m.rule, m.import, m.else]", "[1, 2, 3]"),
        // Newlines within brackets, and before the end of a rule or quantifier.
        (
            "r = rule {\n\ntrue\nand true\n\n}\nv = r",
            "syntax 4:1: expected an operator or } at the end of this rule, found the word and",
        ),
        ("r = rule {\n\ntrue and\ntrue\n\n}\nv = r", "true"),
        ("v = all\n[1] as x {\nx is 1\n}", "true"),
        ("v = length(\n[1\n]\n)", "1"),
        ("v = [1, 2][\n1\n]", "2"),
        ("v = [1, 2, 3][\n1\n:\n2\n]", "[2]"),
        ("func f(\n)\n{ return 1 }\nv = f()", "syntax 2:2: expected {, found the end of the line"),
        // An else may be on the next line.
        ("if false {\n}\nelse if true {\nv = 1\n}\nelse {\n}", "1"),
        // Functions are allowed wherever expressions are.
        ("f = func(g) { return g(2) }\nv = f(func(x) { return x * 2 })", "4"),
        ("m = {\"f\": func() { return func() { return 7 } }}\nv = m.f()()", "7"),
        ("v = [func() { return 1 }][0]()", "1"),
        // The words that open a quantifier are names everywhere else.
        ("filter = {\"map\": 1}\nmap = filter\nv = map.map + filter[\"map\"]", "2"),
        ("empty = [1]\nv = [empty is empty, empty is empty[:]]", "[false, true]"),
        ("x = {\"a\": []}\nv = x is not empty and x.a is empty", "true"),
        ("v = not 1 is 2", "error expected a bool, found int"),
    ]);
}

#[test]
fn values() {
    check(&[
        // Values of unlike types are not equal, rather than undefined.
        (
            "v = [1 is \"1\", [] is {}, null is 0, true is 1, \"\" is null, {} is null]",
            "[false, false, false, false, false, false]",
        ),
        ("v = [1 is not \"1\", null is not 0]", "[true, true]"),
        ("v = [null is undefined, undefined is undefined]", "[undefined, undefined]"),
        (
            "v = [[undefined, 1] is [2, 2], [undefined, 2] is [2, 2], {\"a\": undefined} is {\"b\": 1}]",
            "[false, undefined, false]",
        ),
        ("v = [length is length, rule { 1 } is rule { 1 }]", "[false, true]"),
        ("keys = func(m) { return [7] }\nv = [7 in keys({}), 8 in keys({})]", "[true, false]"),
        ("v = 1 in keys(5)", "error expected a map, found int"),
        // += makes a new list.
        ("a = [1]\nb = a\nb += [2]\nb += [3]\nv = [a, b]", "[[1], [1, 2, 3]]"),
        ("f = func(l) { l += [2]\nreturn l }\na = [1]\nf(a)\nv = a", "[1]"),
        // Keys in their order; a loop sees the collection as it was.
        (
            "v = []\nfor {\"b\": 1, 2: 2, true: 3, \"a\": 4, 1.5: 5} as k { append(v, k) }",
            "[true, 1.5, 2, \"a\", \"b\"]",
        ),
        ("m = {\"a\": 1}\nfor m as k, x { m[k + \"b\"] = x }\nv = m", "{\"a\": 1, \"ab\": 1}"),
        ("v = [null is empty, length(null)]", "[undefined, undefined]"),
        ("l = [7]\nv = [l[0.0], l[-1.0]]", "[7, 7]"),
        (
            "x = 5\ny = \"a\"\nv = [x.a, y.a, true.b, length.x]",
            "[undefined, undefined, undefined, undefined]",
        ),
    ]);
}

#[test]
fn statements_and_rules() {
    check(&[
        ("v = 1\nif undefined { v = 2 }", "1"),
        ("for null as x { }\nv = 1", "error expected a list or map to walk over, found null"),
        ("for 5 as x { }\nv = 1", "error expected a list or map to walk over, found int"),
        ("f = func() { x = 1 }\nv = f()", "undefined"),
        ("r = rule when undefined { true }\nv = r", "undefined"),
        ("r = rule { null }\nv = r", "null"),
        // Assigning the name of a function of the language, or of a global, makes a variable of the file.
        ("f = func() { length = 7 }\nf()\nv = length", "7"),
        ("f = func() { g = 7 }\nf()\nv = g", "7"),
        ("f = func() { g = 7\nreturn g }\nv = [g.x, f(), g]", "[1, 7, 7]"),
        ("f = func() { h = 7\nreturn h }\nf()\nv = h else 0", "error unknown identifier h"),
        ("f = func(g) { g = 7\nreturn g }\nv = [f(1), g.x]", "[7, 1]"),
        ("for [1] as i { g = i }\nv = g", "1"),
        ("g[\"x\"] = 2\nv = g", "{\"x\": 2}"),
    ]);
}

#[test]
fn imports() {
    check(&[
        ("import \"collection/lists\"\nv = lists.sum([1, 2])", "3"),
        (
            "import \"strings\"\nv = [strings.has_prefix(undefined, \"a\"), strings.split(\"a\", undefined)]",
            "[undefined, undefined]",
        ),
        (
            "import \"json\"\nimport \"types\"\nx = json.unmarshal(\"[1, 1.0, 1e2, 99999999999999999999]\")\nv = map x as n { types.type_of(n) }",
            "[\"int\", \"float\", \"float\", \"float\"]",
        ),
        ("import \"collection\"\nv = collection.reject([1, {}, 3], func(x) { return x < 2 })", "[{}, 3]"),
        (
            "import \"runtime\"\nimport \"version\"\nv = version.new(runtime.version).satisfies(\">= 0.40.0\")",
            "true",
        ),
        ("import \"http\"\nv = 1", "error there is no import http"),
    ]);
}

#[test]
fn errors_have_kinds() {
    let run = |source: &str| {
        let policy = Policy::parse("p", source).unwrap();
        match Run::new(&policy, &Setup::default()).verdict() {
            Verdict::Error(error) => error.kind,
            other => panic!("{source}: {other:?}"),
        }
    };
    let cases = [
        ("main = 1 + \"\"", RunErrorKind::Value, "value"),
        ("main = 1 / 0", RunErrorKind::DivisionByZero, "division_by_zero"),
        ("l = []\nl[0] = 1", RunErrorKind::Range, "range"),
        ("main = length()", RunErrorKind::Arguments, "arguments"),
        ("f = func() { }\nmain = f(1)", RunErrorKind::Arguments, "arguments"),
        ("main = nope", RunErrorKind::Name, "name"),
        ("import \"nope\"\nmain = 1", RunErrorKind::Import, "import"),
        ("param nope\nmain = 1", RunErrorKind::Parameter, "parameter"),
        ("main = rule { main }", RunErrorKind::Circle, "circle"),
        ("error(\"no\")", RunErrorKind::Raised, "raised"),
        ("main = range(9223372036854775807)", RunErrorKind::Limit, "limit"),
        ("x = 1", RunErrorKind::Main, "main"),
        ("main = null", RunErrorKind::Main, "main"),
    ];
    for (source, kind, name) in cases {
        assert_eq!((run(source), run(source).kind()), (kind, name), "{source}");
    }
    let read = |source: &str| Policy::parse("p", source).unwrap_err()[0].kind.clone();
    let cases = [
        ("a = )", "unexpected"),
        ("a = ~", "character"),
        ("a = \"b", "unterminated"),
        ("a = \"\\q\"", "escape"),
        ("a = 08", "number"),
        ("break", "misplaced"),
        ("a.b = 1", "target"),
        ("f = func(a, a) { }", "duplicate"),
    ];
    for (source, kind) in cases {
        assert_eq!(read(source), kind, "{source}");
    }
    assert_eq!(read(&"(".repeat(500)), "limit");
}

#[test]
fn a_policy_keeps_its_text() {
    let text = "main = true\n";
    assert_eq!(Policy::parse("p", text).unwrap().text(), text);
}

#[test]
fn a_literal_is_new_each_time() {
    check(&[
        (
            "f = func() { return {\"a\": [1, {\"b\": 2}], \"c\": {}} }\nx = f()\ny = f()\nx.a[1][\"b\"] = 3\nx.c[\"d\"] = 4\nappend(y.a, 5)\nv = [x, y, f()]",
            "[{\"a\": [1, {\"b\": 3}], \"c\": {\"d\": 4}}, {\"a\": [1, {\"b\": 2}, 5], \"c\": {}}, {\"a\": [1, {\"b\": 2}], \"c\": {}}]",
        ),
        (
            "l = []\nfor [[1], [2]] as x { append(x, 3)\nappend(l, x) }\nf = func() { for [[1]] as x { append(x, 2)\nreturn x } }\nf()\nv = [l, f()]",
            "[[[1, 3], [2, 3]], [1, 2]]",
        ),
        (
            "f = func(x) { return [x in [1, [2]], x is [1, {\"a\": 2}], [1, 2] contains x, x is not {\"a\": [1]}] }\nv = map [1, [2], [1, {\"a\": 2}], {\"a\": [1]}] as x { f(x) }",
            "[[true, false, true, true], [true, false, false, true], [false, true, false, true], [false, false, false, false]]",
        ),
        (
            "l = []\nf = func() { return map [1, \"a\"] as x { x } }\nx = f()\nappend(x, 2)\nv = [x, f(), filter [1, 2] as y { true }]",
            "[[1, \"a\", 2], [1, \"a\"], [1, 2]]",
        ),
        ("v = {\"a\": 1, \"b\": -2, \"a\": 3}", "{\"a\": 3, \"b\": -2}"),
        ("x = {\"a\": {\"b\": {}}}\ny = x.a\ny[\"c\"] = 1\nv = x", "{\"a\": {\"b\": {}, \"c\": 1}}"),
        ("x = {\"a\": {\"b\": 1}}\nfor x as k, y { y[\"b\"] = k }\nv = x", "{\"a\": {\"b\": \"a\"}}"),
        (
            "v = [{\"a\": 1} is {\"a\": 1.0}, {\"a\": [1]} is {\"a\": [2]}, length({\"a\": 1}), keys({\"b\": 1, \"a\": 2})]",
            "[true, false, 1, [\"a\", \"b\"]]",
        ),
        ("v = {\"\\xff\": 1}[\"\\xff\"]", "1"),
        ("x = {\"a\": undefined, 1: [2]}\nv = [x.a, x[1.0]]", "[undefined, [2]]"),
    ]);
    assert_eq!(Value::from_json(&json!({})).to_json(), Some(json!({})));
}
