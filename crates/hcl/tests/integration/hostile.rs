//! Hostile source text gets an answer or an error, in little time and on a small stack.

use std::collections::BTreeMap;

use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};
use objchange_hcl::{
    Functions, ModuleConfig, Scope, Sources, VariableValues, Variables, decode, evaluate, parse_body,
    parse_body_json, parse_expression, parse_template, variables,
};

/// Runs on a stack of 2 MiB, the default of Rust's threads.
fn on_a_thread(f: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(f).unwrap().join().unwrap();
}

fn schema() -> Block {
    let rule = || Block::new([("a", Attribute::optional(Type::Dynamic))], []);
    let blocks = [
        ("b", NestedBlock::new(NestingMode::List, rule())),
        ("r", NestedBlock::new(NestingMode::Map, rule())),
    ];
    Block::new([("a", Attribute::optional(Type::Dynamic))], blocks)
}

/// Decodes a body, in either syntax, and reads it as a module.
fn survive_file(text: &str) {
    let none = Variables::default();
    if let Ok(body) = parse_body(text) {
        decode(&body, &schema(), &Scope::new(&none), Functions::pure());
    }
    if let Ok(json) = parse_body_json(text) {
        decode(&json.under(&schema()).0, &schema(), &Scope::new(&none), Functions::pure());
    }
    for name in ["a.tf", "a.tf.json"] {
        let mut sources = Sources::default();
        sources.add(name, text).unwrap();
        sources.add(format!("override.{}", &name[2..]), text).unwrap();
        let (module, _) = ModuleConfig::read(&sources);
        VariableValues::new(&module, &sources, &BTreeMap::new(), Functions::pure());
        module.resources.values().for_each(|resource| drop(resource.body.under(&schema())));
    }
}

/// Reads a text in every way, and evaluates it if it can be.
fn survive(text: &str) {
    for parsed in [parse_expression(text), parse_template(text)].into_iter().flatten() {
        variables(&parsed);
        evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
    }
    drop(parse_body(text));
    drop(parse_body(&format!("a = {text}\n")));
}

#[test]
fn nothing_nests_so_deep_that_the_stack_overflows() {
    const N: usize = 3_000;
    let around = |open: &str, inside: &str, close: &str, n: usize| {
        format!("{}{inside}{}", open.repeat(n), close.repeat(n))
    };
    on_a_thread(move || {
        // As deep as is allowed, and much deeper.
        for n in [50, 66, 99, 198, N] {
            for (open, inside, close) in [
                ("(", "1", ")"),
                ("[", "1", "]"),
                ("{a = ", "1", "}"),
                ("upper(", "1", ")"),
                ("try(", "1", ")"),
                ("!", "true", ""),
                ("-", "1", ""),
                ("[for x in [1] : ", "1", "]"),
                ("true ? 1 : ", "1", ""),
                ("true ? ", "1", " : 1"),
                ("1 + (", "1", ")"),
                ("\"${", "1", "}\""),
                ("%{ if true }", "a", "%{ endif }"),
                ("%{ for x in [1] }", "a", "%{ endfor }"),
                ("\"%{ if true }${", "1", "}%{ endif }\""),
                ("b {\n", "", "}\n"),
                ("a", "", "[0]"),
                ("a", "", "[a]"),
                ("[0]", "", "[*]"),
                ("a", "", ".b"),
                ("<<E\n${", "1", "}\nE\n"),
            ] {
                survive(&around(open, inside, close, n));
            }
        }
        // Each round may have as many indexes as it likes.
        survive(&format!("{}[1]{}", "(".repeat(150), ("[0+0]".repeat(190) + ")").repeat(150)));
        for repeated in [
            "[0+0]", "1 + ", "a.", "[0]", "[*]", ".*", "[a]", "true && ", "a::", "$", "%", "\"", "<<E\n",
            "/*", "#",
        ] {
            survive(&format!("a{}1", repeated.repeat(N)));
            survive(&repeated.repeat(N));
        }
    });
}

#[test]
fn a_long_chain_of_operators_is_not_deep() {
    on_a_thread(|| {
        let parsed = parse_expression(&format!("{}1", "1 + ".repeat(50_000))).unwrap();
        let (value, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
        assert_eq!((value, errors.len()), (objchange::Value::from(50_001), 0));
    });
}

#[test]
fn evaluation_is_bounded() {
    let list = format!("[{}]", "1,".repeat(1_000));
    let nested = format!("[for a in {list} : [for b in {list} : [for c in {list} : [for d in {list} : d]]]]");
    let parsed = parse_expression(&nested).unwrap();
    let (_, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].summary, "Evaluation too large");
}

/// Each level holds the one before twice: small in memory, exponential for a walk.
#[test]
fn values_that_share_their_parts_are_counted_as_they_are_seen() {
    let doubled = |depth: usize, inside: &str, last: &str| {
        let loops: String = (0..depth).map(|i| format!("[for x{} in [[x{i}, x{i}]] : ", i + 1)).collect();
        format!(
            "[for x0 in [{inside}] : {loops}{}{}]",
            last.replace("LAST", &format!("x{depth}")),
            "]".repeat(depth)
        )
    };
    for depth in [22, 95] {
        for (inside, last) in [
            ("1", "LAST"),
            ("1", "LAST == LAST"),
            ("1", "jsonencode(LAST)"),
            ("1", "length(tolist(LAST))"),
            ("u ? [1] : [2, 3]", "LAST"),
            ("u ? {a = 1} : {a = \"b\"}", "u ? LAST : null"),
            ("{a = 1}", "LAST[0] == LAST[1]"),
        ] {
            {
                let text = doubled(depth, inside, last);
                let parsed = parse_expression(&text).unwrap();
                let variables: Variables =
                    [("u", objchange::Value::unknown(objchange::Type::Bool))].into_iter().collect();
                let (value, errors) = evaluate(&parsed, &Scope::new(&variables), Functions::pure());
                // Every answer can be printed.
                assert!(format!("{value:?}").len() < 1 << 20, "{text}");
                let is_told = errors.iter().any(|error| error.summary == "Evaluation too large");
                assert!(is_told || depth == 22, "{text}: {errors:?}");
            }
        }
    }
    // As many parts that are each seen once are nothing special.
    let parsed = parse_expression(&doubled(12, "1", "LAST")).unwrap();
    assert_eq!(evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure()).1, []);
}

/// Quadratic cost would take minutes here.
#[test]
fn long_texts_are_read() {
    on_a_thread(|| {
        for piece in [
            "\n",
            "a\n",
            "  ${1}\n",
            "$",
            "%",
            "%%{",
            "$${",
            "\\n",
            "\\",
            "é\u{301}",
            "\t",
            "\r",
            "# \n",
            "/* */",
            "\"\n",
        ] {
            let text = piece.repeat(40_000);
            for text in [
                &text,
                &format!("\"{text}\""),
                &format!("<<E\n{text}\nE\n"),
                &format!("<<-E\n  {text}\n  E\n"),
            ] {
                survive(text);
            }
        }
        for piece in [
            "${1}",
            "${~ 1 ~}",
            "%{ if true }%{ endif }",
            "%{ for x in [] }x%{ endfor }",
            "%{ else }",
            "${",
            "}",
        ] {
            let text = piece.repeat(10_000);
            survive(&text);
            survive(&format!("\"{text}\""));
        }
        for piece in [
            "1,",
            "a,",
            "\"a\",",
            "[],",
            "1...",
            "a = 1,",
            "(a) = 1\n",
            "a.",
            ".*.a",
            "[*]",
            "? 1 : ",
            "!",
            "=> ",
        ] {
            let text = piece.repeat(20_000);
            for (open, close) in [("[", "]"), ("{", "}"), ("f(", ")"), ("a", ""), ("", "1")] {
                survive(&format!("{open}{text}{close}"));
            }
        }
    });
}

#[test]
fn long_bodies_are_read() {
    on_a_thread(|| {
        let each = |write: &dyn Fn(usize) -> String| (0..8_000).map(write).collect::<String>();
        for text in [
            each(&|i| format!("a{i} = {i}\n")),
            each(&|_| "a = 1\n".to_owned()),
            each(&|_| "b {\n}\n".to_owned()),
            each(&|i| format!("r \"{i}\" {{\n}}\n")),
            each(&|_| "r \"a\" {\n}\n".to_owned()),
            each(&|i| format!("dynamic \"b\" {{\n  for_each = [{i}]\n  content {{\n  }}\n}}\n")),
            each(&|i| format!("variable \"v{i}\" {{\n  default = {i}\n}}\n")),
            each(&|_| "variable \"v\" {\n}\n".to_owned()),
            each(&|i| format!("resource \"t\" \"r{i}\" {{\n}}\n")),
            each(&|_| "resource \"t\" \"r\" {\n}\n".to_owned()),
            format!("resource \"t\" \"r\" {{\n{}}}\n", each(&|i| format!("a{i} = 1\nb{i} {{\n}}\n"))),
            format!("locals {{\n{}}}\n", each(&|i| format!("l{i} = local.l{}\n", i + 1))),
            format!(
                "locals {{\n  l = 1\n}}\n{}",
                each(&|i| format!(
                    "variable \"v{i}\" {{\n  default = 1\n  validation {{\n    condition = var.v{i} == local.l\n    error_message = \
                     \"\"\n  }}\n}}\n"
                ))
            ),
            format!("b {}{{\n}}\n", "a ".repeat(20_000)),
            each(&|_| "lifecycle {\n}\n".to_owned()),
        ] {
            survive_file(&text);
        }
        let joined = |write: &dyn Fn(usize) -> String| (0..8_000).map(write).collect::<Vec<_>>().join(",");
        for text in [
            format!("{{{}}}", joined(&|i| format!("\"a{i}\": {i}"))),
            format!("{{{}}}", joined(&|_| "\"a\": 1".to_owned())),
            format!("{{\"a\": {{{}}}}}", joined(&|_| "\"a\": \"${1}\"".to_owned())),
            format!("{{\"a\": [{}]}}", joined(&|_| "\"\\u0041${x}\"".to_owned())),
            format!("{{\"a\": \"{}\"}}", "\\n${x}".repeat(20_000)),
            format!("{{\"b\": [{}]}}", joined(&|_| "{}".to_owned())),
            format!("{{\"r\": {{{}}}}}", joined(&|i| format!("\"{i}\": {{}}"))),
            format!(
                "{{\"dynamic\": {{{}}}}}",
                joined(&|_| "\"b\": {\"for_each\": [1], \"content\": {}}".to_owned())
            ),
            format!("{{\"variable\": {{{}}}}}", joined(&|i| format!("\"v{i}\": {{\"default\": 1}}"))),
            format!("{{\"variable\": [{}]}}", joined(&|_| "{\"v\": {}}".to_owned())),
            format!("{{\"resource\": [{}]}}", joined(&|_| "{\"t\": {\"r\": {}}}".to_owned())),
            format!("{{\"resource\": {{\"t\": {{{}}}}}}}", joined(&|i| format!("\"r{i}\": {{\"a\": 1}}"))),
            format!("{{\"locals\": {{{}}}}}", joined(&|i| format!("\"l{i}\": \"${{local.l{}}}\"", i + 1))),
            format!("[{}]", joined(&|_| "{\"b\": []}".to_owned())),
        ] {
            survive_file(&text);
        }
        for n in [150, 20_000] {
            for (open, close) in [
                ("[", "]"),
                ("{\"b\":", "}"),
                ("{\"resource\":", "}"),
                ("{\"dynamic\":{\"b\":{\"content\":", "}}}"),
            ] {
                survive_file(&format!("{}1{}", open.repeat(n), close.repeat(n)));
                survive_file(&format!("{{\"resource\": {}1{}}}", open.repeat(n), close.repeat(n)));
            }
        }
    });
}

/// Short texts with huge values: each gets an answer, or an error that says what is too large.
#[test]
fn short_texts_make_nothing_large() {
    on_a_thread(|| {
        for text in [
            "1e999999999",
            "1e1000000 * 1e1000000",
            "\"${1e1000000}\"",
            "1e1000000 % 7",
            "1e1000000 == 1e-1000000",
            "1e1000000 - 1e-1000000",
            "pow(10, 1e9)",
            "pow(1e300, 1e300)",
            "range(1e9)",
            "range(0, 1, 1e-9)",
            "format(\"%1000000000d\", 1)",
            "format(\"%.1000000000f\", 1)",
            "format(\"%b\", 1e100000)",
            "parseint(\"1\", 62)",
            "indent(1e9, \"a\\nb\")",
            "substr(\"abc\", 1e9, 1e9)",
            "chunklist([1], 1e9)",
            "setproduct(range(1000), range(1000), range(1000), range(1000))",
            "cidrsubnets(\"10.0.0.0/8\", 1e9)",
            "cidrhost(\"::/0\", 1e40)",
            "join(range(1000), [for i in range(1000) : join(\"\", range(1000))])",
            "replace(join(\"\", range(1000)), \"\", join(\"\", range(1000)))",
            "element([1], 1e30)",
            "[1][1e30]",
            "timeadd(\"2020-01-01T00:00:00Z\", \"999999999999h\")",
            "jsondecode(\"[1e999999999]\")",
            "yamldecode(\"a: &a [1]\\nb: &b [*a, *a, *a, *a]\\nc: &c [*b, *b, *b, *b]\\nd: [*c, *c, *c, *c]\")",
            "sum([for i in range(1000) : 1e1000])",
            "log(1e1000, 2)",
        ] {
            survive(text);
        }
    });
}

/// Patterns that would be large, or slow where matching goes back.
#[test]
fn patterns_are_bounded() {
    let long = "a".repeat(20_000);
    for pattern in [
        "((((a{10}){10}){10}){10}){10}",
        "(((((a?){9}){9}){9})*)*b",
        "(((a*)*)*)*b",
        "(a?){500}a{500}",
        "((a|a|a)+)+b",
        "[\\\\pL\\\\pN]{1000}",
        "(?i)\\\\w{1000}",
        "(\\\\pL{30}){30}",
        "((\\\\w+\\\\s?)+)+x",
        "(.*)(.*)(.*)(.*)(.*)x",
        "(a*?)*?$",
    ] {
        for call in ["regex", "regexall"] {
            survive(&format!("{call}(\"{pattern}\", \"{long}\")"));
        }
        survive(&format!("replace(\"{long}\", \"/{pattern}/\", \"$0$0\")"));
    }
    let too_large = |pattern: &str, length: usize| {
        let text = format!("regexall(\"{pattern}\", \"{}\")", "a".repeat(length));
        let parsed = parse_expression(&text).unwrap();
        let (_, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
        errors.iter().any(|error| error.detail.contains("too large for one another"))
    };
    assert!(too_large("(a?){1000}a{1000}", 100_000));
    assert!(too_large("((a?){100}){10}a{1000}", 100_000));
    assert!(!too_large("(a?){100}a{100}b", 10_000));
    assert!(!too_large("^[a-z0-9]+(-[a-z0-9]+)*$", 1_000_000));
    let deep = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
    on_a_thread(move || survive(&format!("regex(\"{deep}\", \"a\")")));
}

fn too_large(text: &str, variables: &Variables) -> bool {
    let parsed = parse_expression(text).unwrap();
    let (_, errors) = evaluate(&parsed, &Scope::new(variables), Functions::pure());
    errors.iter().any(|error| error.summary == "Evaluation too large")
}

#[test]
fn templates_are_paid_for_by_whoever_renders_them() {
    let text = "%{ for i in x }%{ for j in x }a%{ endfor }%{ endfor }";
    let numbers: Vec<Value> = (0..500).map(Value::from).collect();
    let variables: Variables = [("t", Value::from(text)), ("x", Value::tuple(numbers))].into_iter().collect();
    let rendered = |times: usize| format!("[for i in range({times}) : length(templatestring(t, {{x = x}}))]");
    assert!(!too_large(&rendered(2), &variables));
    assert!(too_large(&rendered(200), &variables));
}

/// A call that answers little may have read much.
#[test]
fn arguments_are_paid_for_where_they_are_read() {
    let list: Value = Value::list(Type::Number, (0..50_000).map(Value::from)).unwrap();
    let map = Value::map(Type::Number, (0..50_000).map(|i| (i.to_string(), i))).unwrap();
    let text = Value::from("a".repeat(1 << 20));
    let other = Value::from("a".repeat((1 << 20) - 1) + "b");
    let variables: Variables = [("l", list), ("m", map), ("s", text), ("t", other)].into_iter().collect();
    for read in ["md5(s)", "contains(l, -1)", "s == t", "max(l...)"] {
        assert!(too_large(&format!("[for i in range(1000) : {read}]"), &variables), "{read}");
        assert!(!too_large(&format!("[for i in range(10) : {read}]"), &variables), "{read}");
    }
    // Not where a call looks at one part, or at none.
    for glance in
        ["length(l)", "element(l, i)", "lookup(m, i, 0)", "issensitive(l)", "l == null", "s == \"x\""]
    {
        assert!(!too_large(&format!("[for i in range(1000) : {glance}]"), &variables), "{glance}");
    }
}

/// Errors about an argument are dropped when the budget is spent, and the call still fails.
#[test]
fn a_call_without_all_of_its_arguments_is_none() {
    let failing = "[for i in range(1024) : [for j in range(1024) : can(substr(\"a\", 1, []))]]";
    assert!(too_large(failing, &Variables::default()));
}

/// With this pattern each search reads the text to its end.
#[test]
fn searches_that_read_a_text_again_and_again_are_an_error() {
    let errors = |call: &str, length: usize| {
        let variables: Variables = [("s", Value::from("a".repeat(length)))].into_iter().collect();
        let parsed = parse_expression(call).unwrap();
        evaluate(&parsed, &Scope::new(&variables), Functions::pure()).1
    };
    for call in ["length(regexall(\"(a*)*b|a\", s))", "length(replace(s, \"/(a*)*b|a/\", \"x\"))"] {
        assert_eq!(errors(call, 4_000), [], "{call}");
        let found = errors(call, 400_000);
        assert!(found[0].detail.contains("reads the same text again and again"), "{call}: {found:?}");
    }
    // A text that is read once may be long.
    assert_eq!(errors("length(regexall(\"a{1,9}\", s))", 1_000_000), []);
    // All calls of an evaluation pay together.
    let found = errors("[for i in range(1000) : length(regexall(\"(a*)*b|a\", s))]", 2_000);
    assert!(!found.is_empty());
}

#[test]
fn a_type_may_have_many_attributes() {
    let attributes: String = (0..50_000).map(|i| format!("a{i} = optional(number, {i})\n")).collect();
    let text = format!("variable \"v\" {{\n  type = object({{\n{attributes}}})\n  default = {{}}\n}}\n");
    let mut sources = Sources::default();
    sources.add("a.tf", text).unwrap();
    let (module, problems) = ModuleConfig::read(&sources);
    assert_eq!(problems.errors, []);
    let (_, errors) = VariableValues::new(&module, &sources, &BTreeMap::new(), Functions::pure());
    assert_eq!(errors, []);
}
