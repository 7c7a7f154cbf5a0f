//! Prints values as expressions, in the layout of `terraform fmt`.

use objchange::Value;
use objchange::address::quote_key;
use objchange::value::Kind;
use objchange_text::padded;

use crate::syntax::is_name;

/// Writes a value as an expression. Lists and sets are written as tuples, and maps as objects. `None` if a part of the value is
/// unknown.
///
/// Marks are ignored: the text holds sensitive values too.
///
/// ```
/// use objchange::Value;
/// use objchange_hcl::expression_text;
///
/// let value = Value::object([("id", Value::from("i-1")), ("ports", Value::tuple([Value::from(80)]))]);
/// assert_eq!(expression_text(&value).unwrap(), "{\n  id    = \"i-1\"\n  ports = [80]\n}");
/// ```
pub fn expression_text(value: &Value) -> Option<String> {
    let mut out = String::new();
    write(value, 0, &mut out)?;
    Some(out)
}

/// The members of an object as the arguments of a file of values. `None` if some of it is unknown.
pub(crate) fn arguments_text<'v>(members: impl Iterator<Item = (&'v str, &'v Value)>) -> Option<String> {
    let mut out = String::new();
    entries(members, 0, &mut out)?;
    Some(out)
}

fn write(value: &Value, depth: usize, out: &mut String) -> Option<()> {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(bool) => out.push_str(if bool { "true" } else { "false" }),
        Kind::Number(number) => out.push_str(&number.to_string()),
        Kind::String(text) => quote_key(text, out),
        Kind::Tuple(elements) | Kind::List(elements) | Kind::Set(elements) => {
            out.push('[');
            for (i, element) in elements.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write(element, depth, out)?;
            }
            out.push(']');
        }
        Kind::Object(members) => {
            object(members.iter().map(|(name, value)| (name.as_str(), value)), depth, out)?;
        }
        Kind::Map(members) => object(members.iter().map(|(name, value)| (name.as_ref(), value)), depth, out)?,
        _ => return None,
    }
    Some(())
}

fn object<'v>(
    members: impl ExactSizeIterator<Item = (&'v str, &'v Value)>,
    depth: usize,
    out: &mut String,
) -> Option<()> {
    if members.len() == 0 {
        out.push_str("{}");
        return Some(());
    }
    out.push_str("{\n");
    entries(members, depth + 1, out)?;
    indent(depth, out);
    out.push('}');
    Some(())
}

/// Each on its own line; the equals signs of single lines that follow each other are below each other.
fn entries<'v>(
    members: impl Iterator<Item = (&'v str, &'v Value)>,
    depth: usize,
    out: &mut String,
) -> Option<()> {
    let mut single: Vec<(String, String)> = Vec::new();
    for (name, value) in members {
        let mut key = String::new();
        match is_name(name) {
            true => key.push_str(name),
            false => quote_key(name, &mut key),
        }
        let mut text = String::new();
        write(value, depth, &mut text)?;
        if text.contains('\n') {
            aligned(&mut single, depth, out);
            line(&key, 0, &text, depth, out);
        } else {
            single.push((key, text));
        }
    }
    aligned(&mut single, depth, out);
    Some(())
}

fn aligned(entries: &mut Vec<(String, String)>, depth: usize, out: &mut String) {
    let width = entries.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    for (key, text) in entries.drain(..) {
        line(&key, width, &text, depth, out);
    }
}

fn line(key: &str, width: usize, text: &str, depth: usize, out: &mut String) {
    indent(depth, out);
    out.push_str(&format!("{} = {text}\n", padded(key, width)));
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}
