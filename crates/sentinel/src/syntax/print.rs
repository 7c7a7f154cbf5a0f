//! What a text says, written again in one form: so that tests can hold a text to what was read of it.

use std::fmt::{self, Write};

use super::ast::{
    Expr, ExprKind, Func, Link, Names, PartKind, Program, QuantifierKind, Stmt, StmtKind, Target, Test,
    UnaryOp,
};

pub(super) fn print(program: &Program) -> String {
    let mut out = String::new();
    write_program(&mut out, program).expect("a string takes everything");
    out
}

fn write_program(out: &mut String, program: &Program) -> fmt::Result {
    for import in &program.imports {
        write!(out, "import ")?;
        string(out, import.path.as_bytes())?;
        let last = import.path.rsplit('/').next();
        if last != Some(&import.name.text) {
            write!(out, " as {}", import.name.text)?;
        }
        writeln!(out)?;
    }
    for param in &program.params {
        write!(out, "param {}", param.name.text)?;
        if let Some(default) = &param.default {
            write!(out, " default ")?;
            expr(out, default)?;
        }
        writeln!(out)?;
    }
    statements(out, &program.body)
}

fn statements(out: &mut String, list: &[Stmt]) -> fmt::Result {
    for item in list {
        statement(out, &item.kind)?;
        writeln!(out)?;
    }
    Ok(())
}

fn block(out: &mut String, list: &[Stmt]) -> fmt::Result {
    writeln!(out, " {{")?;
    statements(out, list)?;
    write!(out, "}}")
}

fn statement(out: &mut String, kind: &StmtKind) -> fmt::Result {
    match kind {
        StmtKind::Expr(value) => expr(out, value),
        StmtKind::Assign { target, op, value } => {
            match target {
                Target::Name(name) => write!(out, "{}", name.text)?,
                Target::Index { base, index } => {
                    expr(out, base)?;
                    write!(out, "[")?;
                    expr(out, index)?;
                    write!(out, "]")?;
                }
            }
            write!(out, " {}= ", op.map_or("", |op| op.describe().1))?;
            expr(out, value)
        }
        StmtKind::If { arms, otherwise } => {
            for (index, (condition, body)) in arms.iter().enumerate() {
                write!(out, "{}", if index == 0 { "if " } else { " else if " })?;
                expr(out, condition)?;
                block(out, body)?;
            }
            let Some(body) = otherwise else { return Ok(()) };
            write!(out, " else")?;
            block(out, body)
        }
        StmtKind::For(of) => {
            write!(out, "for ")?;
            expr(out, &of.collection)?;
            names(out, &of.names)?;
            block(out, &of.body)
        }
        StmtKind::Case { subject, arms, otherwise } => {
            write!(out, "case ")?;
            subject.iter().try_for_each(|subject| expr(out, subject))?;
            writeln!(out, " {{")?;
            for (values, body) in arms {
                write!(out, "when ")?;
                list(out, values)?;
                writeln!(out, ":")?;
                statements(out, body)?;
            }
            if let Some(body) = otherwise {
                writeln!(out, "else:")?;
                statements(out, body)?;
            }
            write!(out, "}}")
        }
        StmtKind::Func(name, of) => {
            write!(out, "func {}", name.text)?;
            function(out, of)
        }
        StmtKind::Return(None) => write!(out, "return"),
        StmtKind::Return(Some(value)) => {
            write!(out, "return ")?;
            expr(out, value)
        }
        StmtKind::Break => write!(out, "break"),
        StmtKind::Continue => write!(out, "continue"),
    }
}

fn names(out: &mut String, names: &Names) -> fmt::Result {
    write!(out, " as {}", names.first.text)?;
    names.second.iter().try_for_each(|second| write!(out, ", {}", second.text))
}

fn function(out: &mut String, of: &Func) -> fmt::Result {
    let params: Vec<&str> = of.params.iter().map(|param| &*param.text).collect();
    write!(out, "({})", params.join(", "))?;
    block(out, &of.body)
}

fn list(out: &mut String, items: &[Expr]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            write!(out, ", ")?;
        }
        expr(out, item)?;
    }
    Ok(())
}

fn expr(out: &mut String, value: &Expr) -> fmt::Result {
    match &value.kind {
        ExprKind::Undefined => write!(out, "undefined"),
        ExprKind::Null => write!(out, "null"),
        ExprKind::Bool(bool) => write!(out, "{bool}"),
        ExprKind::Int(int) => write!(out, "{int}"),
        ExprKind::Float(float) => write!(out, "{float:e}"),
        ExprKind::String(bytes) => string(out, bytes),
        ExprKind::Name(name) => write!(out, "{}", name.text),
        ExprKind::Paren(inner) => {
            write!(out, "(")?;
            expr(out, inner)?;
            write!(out, ")")
        }
        ExprKind::List(items) => {
            write!(out, "[")?;
            list(out, items)?;
            write!(out, "]")
        }
        ExprKind::Map(entries) => {
            write!(out, "{{")?;
            for (key, value) in entries {
                expr(out, key)?;
                write!(out, ": ")?;
                expr(out, value)?;
                write!(out, ", ")?;
            }
            write!(out, "}}")
        }
        ExprKind::Func(of) => {
            write!(out, "func")?;
            function(out, of)
        }
        ExprKind::Rule(rule) => {
            write!(out, "rule ")?;
            if let Some(when) = &rule.when {
                write!(out, "when ")?;
                expr(out, when)?;
            }
            braced(out, &rule.body)
        }
        ExprKind::Quantifier(of) => {
            let word = match of.kind {
                QuantifierKind::Any => "any ",
                QuantifierKind::All => "all ",
                QuantifierKind::Filter => "filter ",
                QuantifierKind::Map => "map ",
            };
            write!(out, "{word}")?;
            expr(out, &of.collection)?;
            names(out, &of.names)?;
            braced(out, &of.body)
        }
        ExprKind::Unary(op, operand) => {
            let sign = match op {
                UnaryOp::Not => "not ",
                UnaryOp::Minus => "-",
                UnaryOp::Plus => "+",
            };
            write!(out, "{sign}")?;
            expr(out, operand)
        }
        ExprKind::Chain(chain) => {
            expr(out, &chain.first)?;
            chain.links.iter().try_for_each(|item| link(out, item))
        }
        ExprKind::Postfix(postfix) => {
            expr(out, &postfix.base)?;
            postfix.parts.iter().try_for_each(|item| part(out, &item.kind))
        }
    }
}

fn link(out: &mut String, link: &Link) -> fmt::Result {
    match link {
        Link::Binary { op, right, .. } => {
            write!(out, " {} ", op.describe().1)?;
            expr(out, right)
        }
        Link::Test { test, negated, .. } => {
            let word = if *test == Test::Empty { "empty" } else { "defined" };
            write!(out, " is {}{word}", if *negated { "not " } else { "" })
        }
    }
}

fn part(out: &mut String, kind: &PartKind) -> fmt::Result {
    match kind {
        PartKind::Selector(name) => write!(out, ".{name}"),
        PartKind::Index(index) => {
            write!(out, "[")?;
            expr(out, index)?;
            write!(out, "]")
        }
        PartKind::Slice(low, high) => {
            write!(out, "[")?;
            low.iter().try_for_each(|low| expr(out, low))?;
            write!(out, ":")?;
            high.iter().try_for_each(|high| expr(out, high))?;
            write!(out, "]")
        }
        PartKind::Call(arguments) => {
            write!(out, "(")?;
            list(out, arguments)?;
            write!(out, ")")
        }
    }
}

fn braced(out: &mut String, body: &Expr) -> fmt::Result {
    write!(out, " {{ ")?;
    expr(out, body)?;
    write!(out, " }}")
}

fn string(out: &mut String, bytes: &[u8]) -> fmt::Result {
    write!(out, "\"")?;
    for &byte in bytes {
        match byte {
            b' '..=b'~' if !b"\"\\".contains(&byte) => write!(out, "{}", char::from(byte))?,
            _ => write!(out, "\\x{byte:02x}")?,
        }
    }
    write!(out, "\"")
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::print;
    use crate::syntax::parse;

    fn expression() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("1"),
            Just("-9223372036854775808"),
            Just("2.5e3"),
            Just("\"a\\n\""),
            Just("x"),
            Just("map"),
            Just("filter"),
            Just("null"),
            Just("undefined"),
            Just("[]"),
            Just("{}"),
            Just("`r\\`"),
            Just("empty"),
        ]
        .prop_map(str::to_owned);
        leaf.prop_recursive(5, 40, 3, |inner| {
            let operators = [
                "or",
                "xor",
                "and",
                "is",
                "is not",
                "==",
                "!=",
                "<",
                "<=",
                ">",
                ">=",
                "contains",
                "not contains",
                "in",
                "not in",
                "matches",
                "not matches",
                "else",
                "+",
                "-",
                "*",
                "/",
                "%",
            ];
            let two = || (inner.clone(), inner.clone());
            prop_oneof![
                (inner.clone(), prop::sample::select(operators.to_vec()), inner.clone())
                    .prop_map(|(a, op, b)| format!("{a} {op} {b}")),
                (prop::sample::select(vec!["not ", "!", "-", "+"]), inner.clone())
                    .prop_map(|(op, a)| format!("{op}{a}")),
                (inner.clone(), prop::sample::select(vec!["is empty", "is not defined"]))
                    .prop_map(|(a, b)| format!("{a} {b}")),
                inner.clone().prop_map(|a| format!("({a})")),
                two().prop_map(|(a, b)| format!("[{a},\n{b}\n]")),
                two().prop_map(|(a, b)| format!("{{{a}: {b},}}")),
                two().prop_map(|(a, b)| format!("x.default[{a}].f({b})[:{a}]")),
                two().prop_map(|(a, b)| format!("any {a} as k, v {{\n{b}\n}}")),
                two().prop_map(|(a, b)| format!("filter {a} as _ {{ {b} }}")),
                two().prop_map(|(a, b)| format!("rule when {a} {{ {b} }}")),
                two().prop_map(|(a, b)| format!(
                    "func(a, b) {{ if {a} {{ return {b} }}\nelse {{ y[{a}] += {b} }} }}"
                )),
                two().prop_map(|(a, b)| format!(
                    "func() {{ case {a} {{ when {b}, 1: break_ = 1\nelse: for {b} as x {{ continue }} }} }}"
                )),
            ]
        })
    }

    proptest! {
        /// What is written of a text is read as the same, as far as it is a text at all.
        #[test]
        fn what_is_printed_reads_back_the_same(source in expression()) {
            let source = format!("import \"a/b\" as c\nparam p default -1\nv = {source}\n");
            if let Ok((program, _)) = parse(&source) {
                let printed = print(&program);
                let Ok((again, _)) = parse(&printed) else { panic!("{source} is printed as {printed}") };
                prop_assert_eq!(print(&again), printed, "{}", source);
                let tree = |program| format!("{program:?}");
                let bare = |tree: String| regex::Regex::new("Span \\{[^}]*\\}").unwrap().replace_all(&tree, "").into_owned();
                prop_assert_eq!(bare(tree(program)), bare(tree(again)));
            }
        }
    }
}
