//! Writing a value as JSON under a type.

use std::fmt::Write;

use super::{Form, WriteError, refinements};
use crate::value::{EPHEMERAL, Kind, Marks, PathStack, SENSITIVE, StepRef, Type, Value, nameless};

pub(super) fn to_string(value: &Value, ty: &Type, form: Form) -> Result<String, WriteError> {
    let mut out = String::new();
    Writer { out: &mut out, form, has_marks: value.contains_marked() }.value(value, ty, PathStack::ROOT)?;
    Ok(out)
}

struct Writer<'o> {
    out: &'o mut String,
    form: Form,
    /// Something in the whole is marked. Its type may have become that of an empty collection or a null beside it, and
    /// names of attributes are content.
    has_marks: bool,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, ty: &Type, path: PathStack<'_>) -> Result<(), WriteError> {
        match value.marks().without(Marks::INVENTED) {
            marks if !marks.is_empty() => return self.marked(value, ty, path),
            _ if value.is_marked() => return self.value(value.unmarked(), ty, path),
            _ => {}
        }
        if *ty == Type::Dynamic && *value.ty() != Type::Dynamic {
            self.out.push_str(r#"{"type":"#);
            let is_hidden = self.form == Form::Redacted && self.has_marks;
            let ty = if is_hidden { shown_type(value) } else { value.ty().clone() };
            self.out.push_str(&ty.to_string());
            self.out.push_str(r#","value":"#);
            self.value(value, value.ty(), path)?;
            self.out.push('}');
            return Ok(());
        }
        let has_marks = self.has_marks;
        let wrong = || Err(WriteError::wrong_type(value, ty, path.hide(has_marks)));
        match (value.kind(), ty) {
            (Kind::Null, _) => self.out.push_str("null"),
            (Kind::Unknown(_), _) if self.form == Form::Plain => {
                return Err(WriteError::Unknown { path: path.to_path() });
            }
            (Kind::Unknown(refinements), _) => {
                self.out.push_str(r#"{"$unknown":"#);
                refinements::write(refinements, self.out);
                self.out.push('}');
            }
            (Kind::Bool(b), Type::Bool) => self.out.push_str(if b { "true" } else { "false" }),
            (Kind::Number(n), Type::Number) if n.is_finite() => {
                // Writing to a string does not fail.
                let _ = write!(self.out, "{n}");
            }
            (Kind::Number(_), Type::Number) => return Err(WriteError::Infinite { path: path.to_path() }),
            (Kind::String(s), Type::String) => write_string(s, self.out),
            (Kind::List(elements), Type::List(element)) | (Kind::Set(elements), Type::Set(element)) => {
                self.array(elements.iter().map(|e| (e, &**element)), path)?;
            }
            (Kind::Tuple(elements), Type::Tuple(tuple)) if elements.len() == tuple.elements().len() => {
                self.array(std::iter::zip(elements, tuple.elements()), path)?;
            }
            (Kind::Map(map), Type::Map(element)) => {
                let literal = self.open(map.len(), map.iter().map(|(k, _)| k.as_str()).next());
                for (i, (key, value)) in map.iter().enumerate() {
                    self.key(i, key);
                    self.value(value, element, path.then(StepRef::Key(key)))?;
                }
                self.out.push_str(if literal { "}}" } else { "}" });
            }
            // Blocks of a map may be held in an object.
            (Kind::Object(object), Type::Map(element)) => {
                let literal = self.open(object.len(), object.iter().map(|(n, _)| n.as_str()).next());
                for (i, (name, value)) in object.iter().enumerate() {
                    self.key(i, name);
                    self.value(value, element, path.attribute(name))?;
                }
                self.out.push_str(if literal { "}}" } else { "}" });
            }
            (Kind::Object(object), Type::Object(object_ty)) => {
                if object.len() != object_ty.attributes().len() {
                    return wrong();
                }
                let literal = self.open(object.len(), object.iter().map(|(n, _)| n.as_str()).next());
                for (i, (name, ty)) in object_ty.attributes().iter().enumerate() {
                    let Some(value) = object.get_at(i, name) else { return wrong() };
                    self.key(i, name);
                    self.value(value, ty, path.attribute(name))?;
                }
                self.out.push_str(if literal { "}}" } else { "}" });
            }
            _ => return wrong(),
        }
        Ok(())
    }

    fn marked(&mut self, value: &Value, ty: &Type, path: PathStack<'_>) -> Result<(), WriteError> {
        if self.form == Form::Plain {
            return Err(WriteError::Marked { path: path.to_path() });
        }
        if self.form == Form::Redacted {
            let (marker, shown) = if value.marks().contains(Marks::SENSITIVE) {
                ("$sensitive", SENSITIVE)
            } else {
                ("$ephemeral", EPHEMERAL)
            };
            let _ = write!(self.out, r#"{{"{marker}":"{shown}"}}"#);
            return Ok(());
        }
        let marks = [(Marks::SENSITIVE, r#"{"$sensitive":"#), (Marks::EPHEMERAL, r#"{"$ephemeral":"#)];
        for (_, open) in marks.iter().filter(|(mark, _)| value.marks().contains(*mark)) {
            self.out.push_str(open);
        }
        self.value(value.unmarked(), ty, path.hide(true))?;
        for _ in 0..value.marks().without(Marks::INVENTED).len() {
            self.out.push('}');
        }
        Ok(())
    }

    fn array<'v>(
        &mut self,
        elements: impl Iterator<Item = (&'v Value, &'v Type)>,
        path: PathStack<'_>,
    ) -> Result<(), WriteError> {
        self.out.push('[');
        for (i, (element, ty)) in elements.enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            self.value(element, ty, path.then(StepRef::Position(i)))?;
        }
        self.out.push(']');
        Ok(())
    }

    /// Opens an object, and says whether it needs to be wrapped because its only key looks like a marker.
    fn open(&mut self, len: usize, first: Option<&str>) -> bool {
        let literal = self.form != Form::Plain && len == 1 && first.is_some_and(super::read::is_marker);
        self.out.push_str(if literal { r#"{"$literal":{"# } else { "{" });
        literal
    }

    fn key(&mut self, i: usize, key: &str) {
        if i > 0 {
            self.out.push(',');
        }
        write_string(key, self.out);
        self.out.push(':');
    }
}

/// The type of a value, dynamic where a marked part would tell it.
fn shown_type(value: &Value) -> Type {
    if value.is_marked() {
        return Type::Dynamic;
    }
    let element = |elements: &mut dyn Iterator<Item = &Value>| {
        let mut types = elements.map(shown_type);
        let first = types.next().unwrap_or_else(|| value.ty().element().map_or(Type::Dynamic, nameless));
        if types.all(|ty| ty == first) { first } else { Type::Dynamic }
    };
    match value.kind() {
        Kind::List(elements) => Type::list(element(&mut elements.iter())),
        Kind::Set(elements) => Type::set(element(&mut elements.iter())),
        Kind::Map(map) => Type::map(element(&mut map.iter().map(|(_, value)| value))),
        Kind::Tuple(elements) => Type::tuple(elements.iter().map(shown_type)),
        Kind::Object(object) => {
            Type::object(object.iter().map(|(name, value)| (name.clone(), shown_type(value))))
        }
        _ => nameless(value.ty()),
    }
}

pub(super) fn write_string(text: &str, out: &mut String) {
    let is_plain = text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
    if is_plain {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        // A string always is JSON.
        out.push_str(&serde_json::to_string(text).unwrap_or_default());
    }
}
