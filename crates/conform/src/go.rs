//! Prints values like Terraform's messages about providers, in the syntax of Go, so that people can search for them.

use std::fmt::Write;

use objchange::value::{Bound, Kind, Number, Refinements};
use objchange::{Type, Value};
use objchange_text::quote_into as quote;
use objchange_text::redact::SENSITIVE;

/// The value in Go's syntax, without marked parts.
pub(super) fn go(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

fn write_value(value: &Value, out: &mut String) {
    if value.is_marked() {
        return out.push_str(SENSITIVE);
    }
    match value.kind() {
        Kind::Null => call("cty.NullVal", value.ty(), out),
        // go-cty has its own name for an unknown value of unknown type.
        Kind::Unknown(_) if *value.ty() == Type::Dynamic => out.push_str("cty.DynamicVal"),
        Kind::Unknown(refinements) => {
            call("cty.UnknownVal", value.ty(), out);
            write_refinements(refinements, out);
        }
        Kind::Bool(b) => out.push_str(if b { "cty.True" } else { "cty.False" }),
        Kind::Number(number) => write_number(number, out),
        Kind::String(text) => {
            out.push_str("cty.StringVal(");
            quote(text, out);
            out.push(')');
        }
        Kind::List(parts) => sequence(["cty.ListValEmpty", "cty.ListVal"], value.ty().element(), parts, out),
        Kind::Set(parts) => sequence(["cty.SetValEmpty", "cty.SetVal"], value.ty().element(), parts, out),
        Kind::Tuple(parts) => sequence(["cty.EmptyTupleVal", "cty.TupleVal"], None, parts, out),
        // Without elements, the call states their type.
        Kind::Map(map) if map.is_empty() => {
            call("cty.MapValEmpty", value.ty().element().unwrap_or(&Type::Dynamic), out);
        }
        Kind::Map(map) => entries("cty.MapVal", map.iter().map(|(k, v)| (k.as_str(), v)), out),
        Kind::Object(object) if object.is_empty() => out.push_str("cty.EmptyObjectVal"),
        Kind::Object(object) => entries("cty.ObjectVal", object.iter().map(|(k, v)| (k.as_str(), v)), out),
    }
}

/// The calls that add the promises about an unknown value.
fn write_refinements(refinements: &Refinements, out: &mut String) {
    let not_null = Refinements { not_null: true, ..Refinements::default() };
    if *refinements == Refinements::default() {
        return;
    }
    if *refinements == not_null {
        // go-cty prints this refinement in a short form if it is the only one.
        return out.push_str(".RefineNotNull()");
    }
    out.push_str(".Refine()");
    if refinements.not_null {
        out.push_str(".NotNull()");
    }
    if let Some(prefix) = &refinements.string_prefix {
        out.push_str(".StringPrefixFull(");
        quote(prefix, out);
        out.push(')');
    }
    for (side, bound) in [("Lower", &refinements.number_lower), ("Upper", &refinements.number_upper)] {
        if let Some(Bound { value, inclusive }) = bound {
            // Writing to a string cannot fail.
            let _ = write!(out, ".Number{side}Bound(");
            write_number(value, out);
            let _ = write!(out, ", {inclusive})");
        }
    }
    for (side, length) in [("Lower", refinements.length_lower), ("Upper", refinements.length_upper)] {
        if let Some(length) = length {
            let _ = write!(out, ".CollectionLength{side}Bound({length})");
        }
    }
    out.push_str(".NewValue()");
}

fn call(function: &str, ty: &Type, out: &mut String) {
    out.push_str(function);
    out.push('(');
    write_type(ty, out);
    out.push(')');
}

fn write_number(number: &Number, out: &mut String) {
    // Writing to a string cannot fail.
    // `GoString` of go-cty writes an integer, a double if the number is exactly one, and else its text.
    let _ = match number.as_f64() {
        Some(float) if float.is_infinite() => {
            write!(out, "cty.{}Infinity", if float > 0.0 { "Positive" } else { "Negative" })
        }
        _ if number.is_integer() => write!(out, "cty.NumberIntVal({})", short(&number.to_string())),
        Some(_) => write!(out, "cty.NumberFloatVal({})", short(&number.to_string())),
        None => write!(out, "cty.MustParseNumberVal(\"{number}\")"),
    };
}

/// A decimal as Go prints a floating-point number: from a million on, and below a ten-thousandth, with an exponent.
fn short(decimal: &str) -> String {
    let (sign, digits) = decimal.strip_prefix('-').map_or(("", decimal), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = [whole, fraction].concat();
    let leading = all.len() - all.trim_start_matches('0').len();
    // The power of ten of the first digit that counts.
    let exponent = whole.len() as i64 - 1 - leading as i64;
    let significant = all.trim_matches('0');
    // `%g` of Go uses an exponent that is below -4 or at least 6, where it writes the shortest digits.
    if significant.is_empty() || (-4..=5).contains(&exponent) {
        return decimal.to_owned();
    }
    let (first, rest) = significant.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{point}{rest}e{direction}{:02}", exponent.abs())
}

fn sequence([empty, full]: [&str; 2], element: Option<&Type>, parts: &[Value], out: &mut String) {
    if parts.is_empty() {
        return match element {
            Some(element) => call(empty, element, out),
            None => out.push_str(empty),
        };
    }
    out.push_str(full);
    out.push_str("([]cty.Value{");
    for (i, part) in parts.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        write_value(part, out);
    }
    out.push_str("})");
}

fn entries<'v>(function: &str, parts: impl Iterator<Item = (&'v str, &'v Value)>, out: &mut String) {
    out.push_str(function);
    out.push_str("(map[string]cty.Value{");
    for (i, (key, part)) in parts.enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        quote(key, out);
        out.push(':');
        write_value(part, out);
    }
    out.push_str("})");
}

fn write_type(ty: &Type, out: &mut String) {
    let mut of = |function: &str, element: &Type| call(function, element, out);
    match ty {
        Type::String => out.push_str("cty.String"),
        Type::Number => out.push_str("cty.Number"),
        Type::Bool => out.push_str("cty.Bool"),
        Type::Dynamic => out.push_str("cty.DynamicPseudoType"),
        Type::List(element) => of("cty.List", element),
        Type::Set(element) => of("cty.Set", element),
        Type::Map(element) => of("cty.Map", element),
        Type::Tuple(tuple) if tuple.elements().is_empty() => out.push_str("cty.EmptyTuple"),
        Type::Tuple(tuple) => {
            out.push_str("cty.Tuple([]cty.Type{");
            for (i, element) in tuple.elements().iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write_type(element, out);
            }
            out.push_str("})");
        }
        Type::Object(object) if object.attributes().is_empty() => out.push_str("cty.EmptyObject"),
        Type::Object(object) => {
            out.push_str("cty.Object(map[string]cty.Type{");
            for (i, (name, ty)) in object.attributes().iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                quote(name, out);
                out.push(':');
                write_type(ty, out);
            }
            out.push_str("})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_go_prints_them() {
        let number = |text: &str| Value::from_json(text, &Type::Number).unwrap();
        for (value, printed) in [
            (Value::from("a\"b"), r#"cty.StringVal("a\"b")"#),
            (Value::from(1), "cty.NumberIntVal(1)"),
            (number("0.5"), "cty.NumberFloatVal(0.5)"),
            (number("0.1"), r#"cty.MustParseNumberVal("0.1")"#),
            (number("100000"), "cty.NumberIntVal(100000)"),
            (number("-1000000"), "cty.NumberIntVal(-1e+06)"),
            (number("1234567"), "cty.NumberIntVal(1.234567e+06)"),
            (number("-9223372036854775809"), "cty.NumberIntVal(-9.223372036854775809e+18)"),
            (number("1234567.5"), "cty.NumberFloatVal(1.2345675e+06)"),
            (number("0.00006103515625"), "cty.NumberFloatVal(6.103515625e-05)"),
            (Value::from(true), "cty.True"),
            (Value::null(Type::list(Type::String)), "cty.NullVal(cty.List(cty.String))"),
            (Value::unknown(Type::Bool), "cty.UnknownVal(cty.Bool)"),
            (Value::unknown(Type::Dynamic), "cty.DynamicVal"),
            (Value::list::<Value>(Type::String, []).unwrap(), "cty.ListValEmpty(cty.String)"),
            (
                Value::object([("b", Value::tuple(["x", "y"])), ("a", Value::from("s").sensitive())]),
                r#"cty.ObjectVal(map[string]cty.Value{"a":(sensitive value), "b":cty.TupleVal([]cty.Value{cty.StringVal("x"), cty.StringVal("y")})})"#,
            ),
        ] {
            assert_eq!(go(&value), printed);
        }
    }
}
