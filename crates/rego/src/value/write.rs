//! Values as text: JSON as OPA marshals it, and terms as it prints them.

use std::borrow::Cow;
use std::fmt;

use objchange_text::json::write_string;
use objchange_text::quote_into;

use super::bytes::{shown, with_each_byte};
use super::{Array, Hint, Number, Object, Set, Value};

/// Stands for an unknown value in text.
// Terraform prints an attribute that it does not know yet in these words, so people recognize them in
// messages.
const UNKNOWN: &str = "(known after apply)";

impl Value {
    /// The value as compact JSON: sets as arrays, keys that are not strings as strings of their own JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    /// Appends the value as compact JSON.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => out.push_str(&number.json_text()),
            Self::String(text) => write_text(text, out),
            Self::Array(array) => write_json_items(array.items(), out),
            Self::Set(set) => write_json_items(set.items(), out),
            Self::Object(object) => {
                out.push('{');
                for (i, (key, value)) in object.json_members().into_iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    write_text(&key, out);
                    out.push(':');
                    value.write_json(out);
                }
                out.push('}');
            }
            Self::Unknown(unknown) => match unknown.hint() {
                Some(Hint::Text(text)) => text.shown.write_json(out),
                _ => write_string(UNKNOWN, out),
            },
        }
    }

    /// A number in it that is written as JSON has none, such as `007` of `to_number("007")`: OPA refuses to write it.
    pub fn number_not_in_json(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => number.has_other_form().then_some(number),
            Self::Array(array) => array.iter().find_map(Self::number_not_in_json),
            Self::Set(set) => set.iter().find_map(Self::number_not_in_json),
            Self::Object(object) => object
                .iter()
                .find_map(|(key, value)| key.number_not_in_json().or_else(|| value.number_not_in_json())),
            _ => None,
        }
    }

    /// The text of a key in JSON, where it must be a string.
    pub(crate) fn to_json_key(&self) -> String {
        match self {
            Self::String(text) => text.to_string(),
            _ => self.to_json(),
        }
    }
}

impl Object {
    /// The members with their keys as JSON has them, sorted by those. Of two keys with one text the last counts, as in OPA 1.20:
    /// `{1: "a", "1": "b"}` is `{"1":"b"}`.
    pub(crate) fn json_members(&self) -> Vec<(String, &Value)> {
        let mut members: Vec<_> = self.iter().map(|(key, value)| (key.to_json_key(), value)).collect();
        // Equal ones stay in order, so that the last one is first after this.
        members.reverse();
        members.sort_by(|a, b| a.0.cmp(&b.0));
        members.dedup_by(|later, first| later.0 == first.0);
        members
    }
}

/// Bytes that are not UTF-8 are written as Go writes them.
fn write_text(text: &str, out: &mut String) {
    let from = out.len();
    write_string(text, out);
    if let Cow::Owned(written) = with_each_byte(&out[from..], "\\ufffd") {
        out.truncate(from);
        out.push_str(&written);
    }
}

fn write_json_items(items: &[Value], out: &mut String) {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        item.write_json(out);
    }
    out.push(']');
}

/// The value as a term of the language: sets in braces, strings quoted.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::String(text) => {
                let mut quoted = String::new();
                quote_into(&shown(text), &mut quoted);
                f.write_str(&quoted)
            }
            Self::Array(array) => write_terms(f, "[", array.items(), "]"),
            Self::Set(set) if set.is_empty() => f.write_str("set()"),
            Self::Set(set) => write_terms(f, "{", set.items(), "}"),
            Self::Object(object) => {
                f.write_str("{")?;
                for (i, (key, value)) in object.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{key}: {value}")?;
                }
                f.write_str("}")
            }
            Self::Unknown(unknown) => match unknown.hint() {
                Some(Hint::Text(text)) => write!(f, "{}", text.shown),
                _ => f.write_str(UNKNOWN),
            },
        }
    }
}

fn write_terms(f: &mut fmt::Formatter<'_>, open: &str, items: &[Value], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    f.write_str(close)
}

/// Shows the type and the size: a value may be secret.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => f.write_str(self.type_name()),
            Self::String(text) => write!(f, "string({} bytes)", text.len()),
            Self::Array(array) => array.fmt(f),
            Self::Object(object) => object.fmt(f),
            Self::Set(set) => set.fmt(f),
            Self::Unknown(_) => f.write_str(self.type_name()),
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "array({})", self.len())
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object({})", self.len())
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "set({})", self.len())
    }
}
