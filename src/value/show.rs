//! Prints values for people. Marked values are never shown.

use std::fmt;

use super::{Kind, Marks, Type, Value};
use objchange_text::{quote_into, visible};

/// Stands for a sensitive value wherever values are shown.
pub(crate) use objchange_text::redact::SENSITIVE;
/// Stands for an ephemeral value that is not sensitive.
pub(crate) const EPHEMERAL: &str = "(ephemeral value)";

/// The type without the attributes of its objects. If a map is written as an object, its keys appear as
/// attribute names, and may be secret.
pub(crate) fn nameless(ty: &Type) -> Type {
    match ty {
        Type::List(element) => Type::list(nameless(element)),
        Type::Set(element) => Type::set(nameless(element)),
        Type::Map(element) => Type::map(nameless(element)),
        Type::Tuple(tuple) => Type::tuple(tuple.elements().iter().map(nameless)),
        Type::Object(_) => Type::object::<&str>([]),
        Type::Dynamic | Type::String | Type::Number | Type::Bool => ty.clone(),
    }
}

/// Writes the value as Terraform's configuration language would, on one line: `{name = "a", ports = [80]}`.
///
/// Marked parts are written as `(sensitive value)` or `(ephemeral value)`, unknown ones as `(known after apply)`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.marks().contains(Marks::SENSITIVE) {
            return f.write_str(SENSITIVE);
        }
        if self.marks().contains(Marks::EPHEMERAL) {
            return f.write_str(EPHEMERAL);
        }
        match self.kind() {
            Kind::Null => f.write_str("null"),
            Kind::Unknown(_) => f.write_str("(known after apply)"),
            Kind::Bool(b) => write!(f, "{b}"),
            Kind::Number(n) => write!(f, "{n}"),
            Kind::String(s) => write_quoted(f, s),
            Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
                f.write_str("[")?;
                for (i, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Kind::Map(map) => {
                f.write_str("{")?;
                for (i, (key, element)) in map.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { ", " })?;
                    write_quoted(f, key)?;
                    write!(f, " = {element}")?;
                }
                f.write_str("}")
            }
            Kind::Object(object) => {
                f.write_str("{")?;
                for (i, (name, value)) in object.iter().enumerate() {
                    write!(f, "{}{} = {value}", if i == 0 { "" } else { ", " }, visible(name))?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut quoted = String::with_capacity(text.len() + 2);
    quote_into(text, &mut quoted);
    f.write_str(&quoted)
}

/// Like [`Display`](fmt::Display), without marked values.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
