//! Reads the JSON of a hints file, and the values in it.

use objchange::Value;
use objchange::value::Number;
use objchange_text::json::{Node, NodeKind, Property, Reader, place};

use super::HintsError;

/// Reads a hints file as a tree.
pub(super) fn parse(text: &str) -> Result<Node<'_>, HintsError> {
    Node::read_all(Reader::strict(text)).map_err(|error| {
        let (line, column) = place(text, error.offset());
        HintsError::new(format!("line {line}, column {column}"), error.message())
    })
}

/// The value of a JSON part: arrays become tuples, objects become objects, and `{"$sensitive": …}` is marked.
pub(super) fn value(node: &Node<'_>, at: &str) -> Result<Value, HintsError> {
    Ok(match &node.kind {
        NodeKind::Null => Value::null(objchange::Type::Dynamic),
        NodeKind::Bool(b) => Value::from(*b),
        NodeKind::Number(text) => {
            Value::from(Number::parse(text).map_err(|_| HintsError::new(at, "this number is too large"))?)
        }
        NodeKind::String(text) => Value::from(&**text),
        NodeKind::Array(elements) => {
            Value::tuple(elements.iter().map(|element| value(element, at)).collect::<Result<Vec<_>, _>>()?)
        }
        NodeKind::Object(members) => match &members[..] {
            [Property { name, value: inner, .. }] if name == super::SENSITIVE => {
                value(inner, at)?.sensitive()
            }
            members => {
                let member = |member: &Property<'_>| Ok((member.name.to_string(), value(&member.value, at)?));
                Value::object(members.iter().map(member).collect::<Result<Vec<_>, HintsError>>()?)
            }
        },
    })
}
