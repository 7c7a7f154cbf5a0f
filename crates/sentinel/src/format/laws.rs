//! Laws for every source: formatting is idempotent, keeps the meaning, and keeps every comment.

use std::sync::LazyLock;

use proptest::prelude::*;
use regex::Regex;

use super::format;
use crate::syntax::parse;

/// Stands for space and comments, with line ends among them.
const ANY: char = '\u{1}';
/// Stands for space and comments within a line.
const INLINE: char = '\u{2}';
/// Stands for the end of a statement.
const END: char = '\u{3}';

/// A template in which `~` is any space, `_` is space within a line and `^` ends a statement.
fn template(text: &str) -> String {
    text.replace('~', "\u{1}").replace('_', "\u{2}").replace('^', "\u{3}")
}

fn expression() -> impl Strategy<Value = String> {
    let leaves = [
        "1",
        "-_9223372036854775808",
        "0x1F",
        "2.5e3",
        ".5",
        "1.",
        "\"a\\n//\"",
        "x",
        "map",
        "filter",
        "null",
        "undefined",
        "[~]",
        "{~}",
        "`r\\\r\n b`",
        "empty",
        "true",
        "f(~)",
        "x.default",
        "1 _._y",
        "日本",
    ];
    let leaf = prop::sample::select(leaves.to_vec()).prop_map(template);
    leaf.prop_recursive(5, 40, 3, |inner| {
        let operators = [
            "or", "xor", "and", "is", "is~ not", "==", "!=", "<", "<=", ">", ">=", "contains", "not~ contains",
            "in", "not~ in", "matches", "not~ matches", "else", "+", "-", "*", "/", "%",
        ];
        let operators = prop::sample::select(operators.to_vec());
        let with = |text: &'static str, parts: &[&String]| {
            parts.iter().enumerate().fold(template(text), |text, (index, part)| text.replace(&format!("${index}"), part))
        };
        let one = |text: &'static str| inner.clone().prop_map(move |a| with(text, &[&a]));
        let two = |text: &'static str| (inner.clone(), inner.clone()).prop_map(move |(a, b)| with(text, &[&a, &b]));
        let unary = prop::sample::select(vec!["not ", "!", "-", "+"]);
        prop_oneof![
            4 => (inner.clone(), operators, inner.clone())
                .prop_map(move |(a, op, b)| with("$0_ $2 ~ $1", &[&a, &b, &template(op)])),
            1 => (unary, inner.clone()).prop_map(move |(op, a)| with("$0~$1", &[&op.to_owned(), &a])),
            1 => one("$0 _is_ empty"),
            1 => one("$0 _is_ not_ defined"),
            1 => one("(~$0~)"),
            1 => one("(~$0~)"),
            1 => two("[~$0~,~$1~]"),
            1 => two("[~$0~,~$1~,~]"),
            1 => two("{~$0~:~$1~,~}"),
            1 => two("{~$0~:~$1~,~\"long key\"~:~x~,~y~:~\n$0~}"),
            1 => two("x_.~default_[~$0~]_._f_(~$1~,~)_[~:~$0~]"),
            1 => two("x[~$0~:~$1~]"),
            1 => two("f(~$0~,~$1~)"),
            1 => two("any~ $0_ as~ k_,~ v_ {~$1~}"),
            1 => two("all_ (~$0~)_ as~ k_ {~$1~}"),
            1 => two("filter_ $0_ as~ k_ {_ $1_ }"),
            1 => two("rule~ when~ $0_ {~$1~}"),
            1 => one("rule~ {~$0~;}"),
            1 => one("func~(~)_ {_ return_ $0_ }"),
            1 => two("func~(~a~,~b~)_ {~if~ $0_ {~return_ $1^ }~else~ {~y[~$0~]_ +=~ $1^ }^ }"),
            1 => two("func~(~)_ {~case_ (~$0)_ {~when~ $1_,~ 1_:~ b_ =~ 1^ when~ 2_:~ else_ :~ for~ $0_ as~ x_ {~continue^ }^ }^ }"),
            1 => two("func~(~)_ {~case~ {~else_:~ x_ =~ $0^ when~ $1_:~ }^ return^ }"),
        ]
    })
}

fn program() -> impl Strategy<Value = String> {
    let statement = || {
        (0..8_usize, expression()).prop_map(|(kind, a)| {
            let text = [
                "v_ =~ $0^",
                "$0^",
                "if~ $0_ {~}~ else~ if~ $0_ {~x_ =~ 1^ }~ else~ {~}^",
                "for~ $0_ as~ x_,~ y_ {~break^ }^",
                "func~ f_(~a~,~)_ {~}^",
                "main_ =~ rule~ {~$0~}^",
                "x[~$0~]_ %=~ $0^",
                "case_ (~$0)_ {~}^",
            ];
            template(text[kind]).replace("$0", &a)
        })
    };
    let head = prop::sample::select(vec![
        "",
        "~import~ \"a/b\"^",
        "~import~ \"a/b\"_ as~ c^ param~ p^ ^",
        "~param~ p_ default~ -_1^",
        "\u{feff}~",
    ]);
    (head, prop::collection::vec(statement(), 0..4)).prop_map(|(head, statements)| {
        format!("{}{}~", template(head), statements.concat()).replace('~', "\u{1}")
    })
}

/// The text of a template, with numbered comments.
fn filled(template: &str, choices: &[u8]) -> String {
    let mut choices = choices.iter().cycle();
    let (mut text, mut count) = (String::new(), 0);
    for c in template.chars() {
        if !matches!(c, ANY | INLINE | END) {
            text.push(c);
            continue;
        }
        let choice = choices.next().copied().unwrap_or_default();
        count += 1;
        let filling = match (c, choice % 32) {
            (ANY, 0) => format!(" // {count}\n"),
            (ANY, 1) => format!("# {count} \r\n\t"),
            (ANY, 2) => format!("\n\n\n  //{count}\n\n"),
            (ANY, 3) => format!("\n/* {count}\n   * a \r\n*/"),
            (ANY, 4) => format!("/*{count}\n b  */\n"),
            (ANY, 5..8) => "\n".to_owned(),
            (ANY, 8) => "\r\n\r\n \t".to_owned(),
            (ANY, 9) => format!("\n/*{count}*/"),
            (ANY, 10) => format!("/*{count}*/ /**/\n"),
            (ANY | INLINE, 11) => format!("/* {count} */"),
            (ANY | INLINE, 12..16) => "  \t".to_owned(),
            (END, 0..4) => format!(" // {count}\n"),
            (END, 4) => format!("\n# {count}\n\n"),
            (END, 5) => format!("/* {count}\n */"),
            (END, 6) => ";".to_owned(),
            (END, 7) => format!(" ; /* {count} */ ;"),
            (END, 8) => "\n\n\n".to_owned(),
            (END, 9) => format!("/*{count}*/\n\n/**/ "),
            (END, 10) => "\r\n".to_owned(),
            (END, _) => "\n".to_owned(),
            _ => String::new(),
        };
        text.push_str(&filling);
    }
    text
}

/// The meaning of a text: its syntax tree without places.
fn meaning(text: &str) -> String {
    static SPAN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"span: \d+\.\.\d+").unwrap());
    let (program, _) = parse(text).unwrap_or_else(|errors| panic!("{}: {text}", errors[0]));
    SPAN.replace_all(&format!("{program:?}"), "").into_owned()
}

fn comments(text: &str) -> Vec<String> {
    let (_, spans) = parse(text).unwrap();
    let line = |line: &str| line.trim().to_owned();
    let of = |span: &crate::Span| &text[span.start as usize..span.end as usize];
    spans.iter().map(|span| of(span).lines().map(line).collect::<Vec<_>>().join("\n")).collect()
}

proptest! {
    #[test]
    fn a_form_is_stable_and_means_the_same(
        template in program(),
        choices in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        // A `map` before an operator may be the word of a quantifier; then the template is not a program.
        if parse(&filled(&template, &[15])).is_err() {
            return Ok(());
        }
        let text = filled(&template, &choices);
        let form = format(&text).unwrap_or_else(|errors| panic!("{}: {text}", errors[0]));
        prop_assert_eq!(meaning(&form), meaning(&text), "{}", form);
        prop_assert_eq!(comments(&form), comments(&text), "{}", form);
        prop_assert_eq!(format(&form).unwrap(), &*form);
        prop_assert!(!form.contains('\r') && !form.contains(" \n") && !form.contains("\t\n"), "{}", form);
        prop_assert!(form.is_empty() || (form.ends_with('\n') && !form.ends_with("\n\n")), "{}", form);
        prop_assert!(!form.contains("\n\n\n") && !form.starts_with('\n'), "{}", form);
    }
}
