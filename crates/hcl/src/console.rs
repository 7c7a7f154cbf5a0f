//! Prints values like Terraform's console.

use std::collections::BTreeSet;

use objchange::value::{Kind, Marks, Number};
use objchange::{Type, Value};
use objchange_text::redact::SENSITIVE;
use objchange_text::{is_printable, quote_into, visible};

use crate::syntax::ast::{Expr, ExprKind};

/// Formats a value as an expression, laid out as `terraform console` does. Unknown and marked values appear as `(known
/// after apply)` or `(sensitive value)` and the like.
///
/// ```
/// use objchange::Value;
/// use objchange_hcl::console_text;
///
/// let value = Value::object([("id", Value::from("i-1")), ("key", Value::from("x").sensitive())]);
/// assert_eq!(console_text(&value), "{\n  \"id\" = \"i-1\"\n  \"key\" = (sensitive value)\n}");
/// ```
pub fn console_text(value: &Value) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    printer.value(value);
    printer.out
}

/// Returns the argument if the whole expression is a call of the console's `type` function.
pub fn asks_type(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Parens(inner) => asks_type(inner),
        ExprKind::Call(call) if call.name == "type" && !call.expands => match &call.arguments[..] {
            [argument] => Some(argument),
            _ => None,
        },
        _ => None,
    }
}

/// The type of a value as the console's `type` shows it. Names of attributes are hidden where they may be sensitive.
///
/// ```
/// use objchange::Value;
/// use objchange_hcl::console_type;
///
/// let value = Value::object([("id", Value::from("i-1").sensitive())]);
/// assert_eq!(console_type(&value), "object({\n    id: string,\n})");
/// assert_eq!(console_type(&value.sensitive()), "(sensitive value)");
/// ```
pub fn console_type(value: &Value) -> String {
    if hides_names(value) {
        return SENSITIVE.to_owned();
    }
    let mut out = String::new();
    write_type(value.ty(), 0, &mut out);
    out
}

/// Whether the marks of a value are on an object, whose names may then be secret.
fn hides_names(value: &Value) -> bool {
    if !value.marks().without(Marks::INVENTED).is_empty() {
        return has_names(value.ty());
    }
    match value.kind() {
        Kind::Tuple(elements) | Kind::List(elements) | Kind::Set(elements) => {
            elements.iter().any(hides_names)
        }
        Kind::Object(object) => object.iter().any(|(_, value)| hides_names(value)),
        Kind::Map(map) => map.iter().any(|(_, value)| hides_names(value)),
        _ => false,
    }
}

fn has_names(ty: &Type) -> bool {
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => has_names(element),
        Type::Tuple(tuple) => tuple.elements().iter().any(has_names),
        Type::Object(_) => true,
        _ => false,
    }
}

fn write_type(ty: &Type, depth: usize, out: &mut String) {
    let line = |depth: usize, out: &mut String| {
        out.push('\n');
        out.extend(std::iter::repeat_n("    ", depth));
    };
    match ty {
        Type::String => out.push_str("string"),
        Type::Number => out.push_str("number"),
        Type::Bool => out.push_str("bool"),
        Type::Dynamic => out.push_str("dynamic"),
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            out.push_str(match ty {
                Type::List(_) => "list(",
                Type::Set(_) => "set(",
                _ => "map(",
            });
            if matches!(**element, Type::Object(_) | Type::Tuple(_)) {
                line(depth + 1, out);
                write_type(element, depth + 1, out);
                out.push(',');
                line(depth, out);
            } else {
                write_type(element, depth, out);
            }
            out.push(')');
        }
        Type::Tuple(tuple) => {
            out.push_str("tuple([");
            for element in tuple.elements() {
                line(depth + 1, out);
                write_type(element, depth + 1, out);
                out.push(',');
            }
            if !tuple.elements().is_empty() {
                line(depth, out);
            }
            out.push_str("])");
        }
        Type::Object(object) => {
            out.push_str("object({");
            for (name, ty) in object.attributes() {
                line(depth + 1, out);
                out.push_str(&visible(name));
                out.push_str(": ");
                write_type(ty, depth + 1, out);
                out.push(',');
            }
            if !object.attributes().is_empty() {
                line(depth, out);
            }
            out.push_str("})");
        }
    }
}

struct Printer {
    out: String,
    depth: usize,
}

impl Printer {
    fn value(&mut self, value: &Value) {
        let marks = value.marks();
        if marks.contains(Marks::EPHEMERAL) {
            return self.out.push_str("(ephemeral value)");
        }
        if !marks.is_empty() {
            return self.out.push_str(SENSITIVE);
        }
        match value.kind() {
            Kind::Null => self.out.push_str(&null(value.ty())),
            Kind::Unknown(_) => self.out.push_str("(known after apply)"),
            Kind::Bool(b) => self.out.push_str(if b { "true" } else { "false" }),
            Kind::Number(n) if n.is_finite() => self.out.push_str(&n.to_text()),
            Kind::Number(n) => self.out.push_str(if *n > Number::ZERO { "+Inf" } else { "-Inf" }),
            Kind::String(text) => self.text(text),
            Kind::Tuple(elements) => self.elements("", elements.iter(), ""),
            Kind::List(elements) => self.elements("tolist(", elements.iter(), ")"),
            Kind::Set(elements) => self.elements("toset(", elements.iter(), ")"),
            Kind::Object(object) => self.entries("", object.iter(), ""),
            Kind::Map(map) => self.entries("tomap(", map.iter(), ")"),
        }
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn elements<'v>(&mut self, open: &str, elements: impl ExactSizeIterator<Item = &'v Value>, close: &str) {
        self.out.push_str(open);
        self.out.push('[');
        if elements.len() > 0 {
            self.depth += 1;
            for element in elements {
                self.line();
                self.value(element);
                self.out.push(',');
            }
            self.depth -= 1;
            self.line();
        }
        self.out.push(']');
        self.out.push_str(close);
    }

    fn entries<'v>(
        &mut self,
        open: &str,
        entries: impl Iterator<Item = (&'v smol_str::SmolStr, &'v Value)>,
        close: &str,
    ) {
        self.out.push_str(open);
        self.out.push('{');
        self.depth += 1;
        let mut is_empty = true;
        for (key, value) in entries {
            is_empty = false;
            self.line();
            self.text(key);
            self.out.push_str(" = ");
            self.value(value);
        }
        self.depth -= 1;
        if !is_empty {
            self.line();
        }
        self.out.push('}');
        self.out.push_str(close);
    }

    /// Prints several lines as a heredoc, unless a terminal would interpret some of the characters.
    fn text(&mut self, text: &str) {
        let is_plain = |c| is_printable(c) || c == '\n' || c == '\t';
        // Terraform writes the letters into the heredoc as they are, even an escape that colours the terminal. Values
        // come from untrusted files, so such a text is quoted here.
        if !text.contains('\n') || !text.chars().all(is_plain) {
            return quote_into(text, &mut self.out);
        }
        let end = end_marker(text);
        // `<<-` takes the indentation of the lines below away when the output is read as HCL again; at the top there is
        // none.
        self.out.push_str(if self.depth > 0 { "<<-" } else { "<<" });
        self.out.push_str(&end);
        for line in text.split('\n') {
            self.line();
            self.out.push_str(line);
        }
        self.line();
        self.out.push_str(&end);
    }
}

/// The first of `EOT`, `EOT_`, `EOT__` … that is not a line of a text.
fn end_marker(text: &str) -> String {
    let underscores = |line: &str| {
        let rest = line.trim().strip_prefix("EOT")?;
        rest.bytes().all(|b| b == b'_').then_some(rest.len())
    };
    let taken: BTreeSet<usize> = text.split('\n').filter_map(underscores).collect();
    let free = std::iter::zip(0.., &taken).take_while(|(count, taken)| count == *taken).count();
    format!("EOT{}", "_".repeat(free))
}

fn null(ty: &Type) -> String {
    match ty {
        Type::String => "tostring(null)".to_owned(),
        Type::Number => "tonumber(null)".to_owned(),
        Type::Bool => "tobool(null)".to_owned(),
        Type::Dynamic => "null".to_owned(),
        Type::List(element) => format!("tolist(null) /* of {} */", element.friendly_name()),
        Type::Set(element) => format!("toset(null) /* of {} */", element.friendly_name()),
        Type::Map(element) => format!("tomap(null) /* of {} */", element.friendly_name()),
        Type::Object(_) => "null /* object */".to_owned(),
        Type::Tuple(_) => "null /* tuple */".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{asks_type, console_text, console_type};
    use crate::eval::{Scope, Variables, evaluate};
    use crate::function::Functions;
    use crate::syntax::parse_expression;

    #[track_caller]
    fn check(expr: &str, wanted: &str) {
        let expr = parse_expression(expr).unwrap();
        let (value, errors) = evaluate(&expr, &Scope::new(&Variables::default()), Functions::pure());
        assert_eq!(errors, []);
        assert_eq!(console_text(&value), wanted);
    }

    #[track_caller]
    fn check_type(expr: &str, wanted: &str) {
        let expr = parse_expression(expr).unwrap();
        let asked = asks_type(&expr).unwrap();
        let (value, errors) = evaluate(asked, &Scope::new(&Variables::default()), Functions::pure());
        assert_eq!(errors, []);
        assert_eq!(console_type(&value), wanted);
    }

    #[test]
    fn types_are_printed_as_in_the_console() {
        check_type("type(1)", "number");
        check_type("(type((null)))", "dynamic");
        check_type("type(sensitive(timestamp()))", "string");
        check_type(
            r#"type({b={c=[]}, a=[1, "x"], "c d"={}})"#,
            "object({\n    a: tuple([\n        number,\n        string,\n    ]),\n    b: object({\n        c: tuple([]),\n    \
             }),\n    c d: object({}),\n})",
        );
        check_type("type(tolist([toset([])]))", "list(set(dynamic))");
        check_type("type(tomap({a=[]}))", "map(\n    tuple([]),\n)");
        check_type(
            "type(tomap({x=toset([[1,tolist([{b=[]}])]])}))",
            "map(set(\n    tuple([\n        number,\n        list(\n            object({\n                b: tuple([]),\n            \
             }),\n        ),\n    ]),\n))",
        );
        for other in ["type(1) + 1", "[type(1)]", "type(1, 2)", "type()", "type", "typ(1)"] {
            assert!(asks_type(&parse_expression(other).unwrap()).is_none(), "{other}");
        }
        // Names are hidden only where they may be sensitive.
        check_type("type(sensitive([1]))", "tuple([\n    number,\n])");
        check_type("type([sensitive(tolist([{a=1}]))])", "(sensitive value)");
        check_type("type([{a=sensitive(1)}])", "tuple([\n    object({\n        a: number,\n    }),\n])");
    }

    #[test]
    fn values_are_printed_as_in_the_console() {
        check(r#"{a={b="x\ny"}}"#, "{\n  \"a\" = {\n    \"b\" = <<-EOT\n    x\n    y\n    EOT\n  }\n}");
        check(r#""a\n  EOT\n""#, "<<EOT_\na\n  EOT\n\nEOT_");
        check(r#""EOT\nEOT__\nx\nEOT_x""#, "<<EOT_\nEOT\nEOT__\nx\nEOT_x\nEOT_");
        check(r#""EOT_\nx\nEOT""#, "<<EOT__\nEOT_\nx\nEOT\nEOT__");
        check("[1/0, -1/0]", "[\n  +Inf,\n  -Inf,\n]");
        check(r#"{"a\nb"="c"}"#, "{\n  <<-EOT\n  a\n  b\n  EOT = \"c\"\n}");
        check(r#""\u0007\u007f $${x}""#, r#""\a\x7f ${x}""#);
        check(
            "[{}, [], tolist([]), tomap({}), null]",
            "[\n  {},\n  [],\n  tolist([]),\n  tomap({}),\n  null,\n]",
        );
        check("true ? null : tomap({a=1})", "tomap(null) /* of number */");
        check("true ? null : {a=1}", "null /* object */");
        check("tolist(null)", "tolist(null) /* of dynamic */");
        check("toset([sensitive(\"a\"), \"b\"])", "(sensitive value)");
        check("[timestamp()]", "[\n  (known after apply),\n]");
        check(r#""a\r\nb""#, r#""a\r\nb""#);
    }
}
