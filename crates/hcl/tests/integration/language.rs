//! Laws of reading, evaluating and decoding.

use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{Functions, Scope, Variables, decode, evaluate, parse_body, parse_expression};
use proptest::prelude::*;

/// The value of a text, and how many errors it has.
fn value_of(text: &str, variables: &Variables) -> (Value, usize) {
    let parsed = parse_expression(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let (value, errors) = evaluate(&parsed, &Scope::new(variables), Functions::pure());
    (value, errors.len())
}

/// A quoted string that means this text.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for (i, c) in text.char_indices() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '"' | '\\' => quoted.extend(['\\', c]),
            '$' | '%' if text[i + 1..].starts_with('{') => quoted.extend([c, c]),
            _ if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A literal with its value.
fn literal() -> impl Strategy<Value = (String, Value)> {
    let text = "[a${}%\\\\\"\n\r\t\u{0}\u{301}é日~ ]{0,6}";
    let leaf = prop_oneof![
        Just(("null".to_owned(), Value::null(Type::Dynamic))),
        any::<bool>().prop_map(|b| (b.to_string(), Value::from(b))),
        any::<i64>().prop_map(|n| (n.to_string(), Value::from(n))),
        text.prop_map(|text| (quoted(&text), Value::from(text))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let members = prop::collection::btree_map("[a-c$é]{1,2}", inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|all| {
                let (texts, values): (Vec<_>, Vec<_>) = all.into_iter().unzip();
                (format!("[{}]", texts.join(", ")), Value::tuple(values))
            }),
            members.prop_map(|members| {
                let items: Vec<String> =
                    members.iter().map(|(key, (text, _))| format!("{} = {text}", quoted(key))).collect();
                let values = members.into_iter().map(|(key, (_, value))| (key, value));
                (format!("{{{}}}", items.join(", ")), Value::object(values))
            }),
        ]
    })
}

/// Expressions that have a value for most values of `a` and `b`, with spaces between all tokens.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["a", "b", "1", "\"x\"", "true", "l", "null"]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["==", "!=", "+", "&&"]), inner.clone())
                .prop_map(|(a, operator, b)| format!("( {a} {operator} {b} )")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("( {a} == {b} ? {b} : {c} )")),
            two.clone().prop_map(|(a, b)| format!("[ {a} , {b} ]")),
            two.clone().prop_map(|(a, b)| format!("[ for x in [ {a} ] : [ x , {b} ] if {b} == x ]")),
            two.clone().prop_map(|(a, b)| format!("{{ for x in l : x => [ {a} , {b} ] }}")),
            inner.clone().prop_map(|a| format!("\"a${{ {a} }}\"")),
            two.prop_map(|(a, b)| format!("l [ {a} == {b} ? 0 : 1 ]")),
            inner.clone().prop_map(|a| format!("length ( [ {a} ] [ * ] )")),
            inner.prop_map(|a| format!("join ( \",\" , [ {a} , \"z\" ] )")),
        ]
    })
}

fn variables(a: &str, b: i64, marks: Marks) -> Variables {
    let list = Value::list(Type::String, ["p", "q"]).unwrap();
    [("a", Value::from(a).with_marks(marks)), ("b", Value::from(b).with_marks(marks)), ("l", list)]
        .into_iter()
        .collect()
}

/// `rule` blocks with a number and a text, in one of the modes.
fn schema(mode: NestingMode) -> Block {
    let rule =
        Block::new([("n", Attribute::optional(Type::Number)), ("t", Attribute::optional(Type::String))], []);
    Block::new([("name", Attribute::optional(Type::String))], [("rule", NestedBlock::new(mode, rule))])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_printed_literal_has_its_value((text, value) in literal()) {
        prop_assert_eq!(value_of(&text, &Variables::default()), (value, 0), "{}", text);
    }

    #[test]
    fn white_space_means_nothing(text in expression(), space in prop::sample::select(vec!["  ", "\t", "/* ] */", "\n", "\r\n", "# }\n"])) {
        let variables = variables("p", 2, Marks::NONE);
        prop_assert_eq!(value_of(&text, &variables), value_of(&text.replace(' ', space), &variables));
    }

    /// No value that a secret made different from what another secret makes is without its mark.
    /// Texts behind one another are joined when they are read, but not where lines lose their indentation: strip markers
    /// take the same from both.
    #[test]
    fn joined_lines_are_those_by_themselves(pieces in prop::collection::vec(prop::sample::select(vec![
        "a", " ", "\n", "\n  ", "\t\n\n", "$${x}", "\u{a0}", "\r\n", "${n}", "${~ n}", "${n ~}", "${~ n ~}",
        "%{~ if true } b\n %{~ endif ~}", "%{ for i in [1, 2] ~}\n ${i}\n %{~ endfor }", "%{ if false }%{ else ~}\nc %{ endif }",
    ]), 0..12)) {
        let variables: Variables = [("n", Value::from(" v "))].into_iter().collect();
        let body = pieces.concat();
        // The first line is not indented, so that none loses anything.
        let [joined, by_line] = ["<<E", "<<-E"].map(|open| value_of(&format!("{open}\nx{body}\nE\n"), &variables));
        prop_assert_eq!(joined, by_line);
    }

    #[test]
    fn what_depends_on_a_secret_is_secret(text in expression(), other in prop::sample::select(vec!["q", "7"])) {
        let (first, errors) = value_of(&text, &variables("p", 1, Marks::SENSITIVE));
        let (second, others) = value_of(&text, &variables(other, 2, Marks::SENSITIVE));
        if errors == 0 && others == 0 && first != second {
            prop_assert!(first.contains_marked() || second.contains_marked(), "{text}: {first:?}, {second:?}");
        }
    }

    #[test]
    fn dynamic_blocks_are_those_written_by_hand(
        parts in prop::collection::vec(
            prop::collection::vec((literal(), any::<i8>()), 0..4), 0..4),
        written in any::<u8>(),
        mode in prop::sample::select(vec![NestingMode::List, NestingMode::Set, NestingMode::Map]),
    ) {
        let label = |i: usize, j: usize| format!("k{i}-{j}");
        let (mut by_hand, mut dynamic) = (String::new(), String::new());
        for (i, blocks) in parts.iter().enumerate() {
            let mut all = String::new();
            for (j, ((text, _), number)) in blocks.iter().enumerate() {
                let labels = if mode == NestingMode::Map { quoted(&label(i, j)) } else { String::new() };
                all += &format!("rule {labels} {{\n  n = {number}\n  t = {text}\n}}\n");
            }
            by_hand += &all;
            if written >> i & 1 == 1 {
                dynamic += &all;
                continue;
            }
            let items: Vec<String> =
                blocks.iter().map(|((text, _), number)| format!("{{n = {number}, t = {text}}}")).collect();
            let labels = if mode == NestingMode::Map {
                format!("  labels = [\"k{i}-${{it.key}}\"]\n")
            } else {
                String::new()
            };
            dynamic += &format!(
                "dynamic \"rule\" {{\n  for_each = [{}]\n  iterator = it\n{labels}  content {{\n    n = it.value.n\n    t = it.value.t\n  }}\n}}\n",
                items.join(", ")
            );
        }
        let of = |text: &str| {
            let body = parse_body(text).unwrap();
            let decoded = decode(&body, &schema(mode), &Scope::new(&Variables::default()), Functions::pure());
            let mut summaries: Vec<_> = decoded.errors.iter().map(|error| error.summary.to_string()).collect();
            summaries.sort();
            (decoded.value, summaries)
        };
        prop_assert_eq!(of(&by_hand), of(&dynamic), "{}", dynamic);
    }
}
