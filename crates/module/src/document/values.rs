//! Values in plan documents: the known parts, and beside them the unknown and the sensitive ones.

use objchange::value::{Kind, Marks};
use objchange::{Type, Value};
use smol_str::SmolStr;

use super::json::JsonWriter;

impl JsonWriter {
    /// Writes the known parts of a value. Unknown parts are left out of objects and maps, and null in lists.
    pub(crate) fn known(&mut self, value: &Value) {
        match value.kind() {
            Kind::Null | Kind::Unknown(_) => self.value().push_str("null"),
            Kind::Bool(value) => self.bool(value),
            Kind::Number(number) if number.is_finite() => self.plain(number),
            // JSON has no such number.
            Kind::Number(number) => self.string(&number.to_string()),
            Kind::String(text) => self.string(text),
            Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
                self.array(|json| elements.iter().for_each(|element| json.known(element)));
            }
            Kind::Map(map) => self.known_members(map.iter()),
            Kind::Object(object) => self.known_members(object.iter()),
        }
    }

    fn known_members<'v>(&mut self, members: impl Iterator<Item = (&'v SmolStr, &'v Value)>) {
        self.object(|json| {
            for (name, part) in members.filter(|(_, part)| part.is_known()) {
                json.member(name, |json| json.known(part));
            }
        });
    }

    /// Writes `true` for unknown parts. Objects and maps have only members with unknown parts; lists have all elements.
    pub(super) fn unknown_parts(&mut self, value: &Value) {
        self.marks(value, &|part| match part.is_known() {
            false => Marked::Wholly,
            true => Marked::by_parts(part, part.ty()),
        });
    }

    /// Writes `true` for sensitive parts, in the form of `unknown_parts`. An unknown value has the form of its type.
    pub(super) fn sensitive_parts(&mut self, value: &Value) {
        self.marks(value, &|part| match part.marks().contains(Marks::SENSITIVE) {
            true => Marked::Wholly,
            false => Marked::by_parts(part, part.ty()),
        });
    }

    fn marks(&mut self, value: &Value, mark: &impl Fn(&Value) -> Marked) {
        match mark(value) {
            Marked::Wholly => self.bool(true),
            Marked::Not => self.bool(false),
            Marked::ByElement => {
                let elements = value.as_elements().unwrap_or_default();
                self.array(|json| elements.iter().for_each(|element| json.marks(element, mark)));
            }
            Marked::ByMember => match value.kind() {
                Kind::Map(map) => self.marked_members(map.iter(), mark),
                Kind::Object(object) => self.marked_members(object.iter(), mark),
                _ => self.object(|_| {}),
            },
        }
    }

    fn marked_members<'v>(
        &mut self,
        members: impl Iterator<Item = (&'v SmolStr, &'v Value)>,
        mark: &impl Fn(&Value) -> Marked,
    ) {
        self.object(|json| {
            // Collections without any marked part stay as `{}` and `[]`, as in the documents of Terraform.
            for (name, part) in members.filter(|(_, part)| mark(part) != Marked::Not) {
                json.member(name, |json| json.marks(part, mark));
            }
        });
    }
}

/// How a value appears in `after_unknown` and `*_sensitive`.
#[derive(PartialEq)]
enum Marked {
    /// All of it is marked.
    Wholly,
    /// It is not marked, and has no parts.
    Not,
    /// An entry for each element.
    ByElement,
    /// An entry for each member that has one.
    ByMember,
}

impl Marked {
    /// The form of a value that is not marked itself.
    fn by_parts(value: &Value, ty: &Type) -> Self {
        match ty {
            _ if value.is_null() => Self::Not,
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => Self::ByElement,
            Type::Map(_) | Type::Object(_) => Self::ByMember,
            Type::Bool | Type::Number | Type::String | Type::Dynamic => Self::Not,
        }
    }
}

#[cfg(test)]
mod tests {
    use objchange::{Type, Value};

    use super::JsonWriter;

    #[test]
    fn what_is_unknown_or_sensitive_stands_beside_the_value() {
        let unknown = |ty| Value::unknown(ty);
        let value = Value::object([
            ("a", Value::from("<").sensitive()),
            ("b", unknown(Type::String)),
            ("c", Value::tuple([Value::from(1), unknown(Type::Number)])),
            ("d", Value::tuple([Value::from(1)])),
            ("e", Value::null(Type::list(Type::String))),
            ("f", unknown(Type::list(Type::String))),
            ("g", Value::object([("x", Value::from(true))])),
            ("h", unknown(Type::object([("x", Type::Bool)]))),
        ]);
        let written = |write: fn(&mut JsonWriter, &Value)| {
            let mut json = JsonWriter::default();
            write(&mut json, &value);
            json.into_string()
        };
        assert_eq!(
            written(JsonWriter::known),
            r#"{"a":"\u003c","c":[1,null],"d":[1],"e":null,"g":{"x":true}}"#
        );
        assert_eq!(
            written(JsonWriter::unknown_parts),
            r#"{"b":true,"c":[false,true],"d":[false],"f":true,"g":{},"h":true}"#
        );
        assert_eq!(
            written(JsonWriter::sensitive_parts),
            r#"{"a":true,"c":[false,false],"d":[false],"f":[],"g":{},"h":{}}"#
        );
    }
}
