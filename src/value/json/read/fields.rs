//! Collects the fields of a JSON object into a map, an object, or a value with its type.

use std::mem::replace;
use std::sync::Arc;

use serde::Deserialize;

use super::{Document, Failure, Form, ReadContext, failure, is_marker};
use crate::value::build::normal_form;
use crate::value::entries::UniqueEntries;
use crate::value::stack::Base;
use crate::value::{ObjectType, StepRef, Type, Value};
use objchange_text::json::Reader;

/// The fields of a JSON object that were read so far.
pub(super) enum Fields<'a, 't> {
    Map(&'a Type, UniqueEntries),
    /// The last part is the position of the attribute that is expected next.
    Object(&'a Arc<ObjectType>, Base, usize),
    Dynamic {
        ty: Option<Type>,
        value: Option<Value>,
        /// The reader before a value that was skipped because its type comes after it.
        before: Option<Reader<'t>>,
    },
}

impl<'a, 't> Fields<'a, 't> {
    /// The fields of an object that is read under this type.
    pub(super) fn new(document: &mut Document<'t>, ty: &'a Type) -> Self {
        match ty {
            Type::Map(element) => Self::Map(element, UniqueEntries::default()),
            Type::Object(object) => Self::Object(object, document.stack.open_object(object), 0),
            _ => Self::Dynamic { ty: None, value: None, before: None },
        }
    }

    pub(super) fn entry(
        &mut self,
        document: &mut Document<'t>,
        at: ReadContext<'_>,
        key: &str,
    ) -> Result<(), Failure> {
        match self {
            Self::Map(element, entries) => {
                let key = normal_form(key);
                let inside = at.inside(element, StepRef::Key(&key));
                if !entries.is_new(&key) {
                    return Err(document.wrong_key(inside, "this key is used twice; use each key once"));
                }
                document.reader.colon()?;
                let value = document.value(inside)?;
                entries.push(key, value);
            }
            Self::Object(object, base, likely) => {
                let Some(i) = object.position_of_key(*likely, key) else {
                    // The unknown name may be a map key in the wrong place, so errors treat it as one, and may hide it.
                    let inside = at.inside(at.ty, StepRef::Key(key));
                    let message = match is_marker(key) && document.form == Form::Plain {
                        true => {
                            "the type has no such attribute; it is a marker, which `Value::from_marker_json` reads"
                        }
                        false => "the type has no such attribute; leave it out or correct its name",
                    };
                    return Err(document.wrong_key(inside, message));
                };
                *likely = i + 1;
                let (name, ty) = &object.attributes()[i];
                let inside = at.inside(ty, StepRef::Attribute(name));
                if document.stack.is_given(*base, i) {
                    let message = "this attribute is used twice; use each attribute once";
                    return Err(document.wrong_key(inside, message));
                }
                document.reader.colon()?;
                let value = document.value(inside)?;
                document.stack.set(*base, i, value);
            }
            Self::Dynamic { ty, value, before } => match key {
                "type" if ty.is_none() => {
                    document.reader.colon()?;
                    *ty = Some(document.type_of_value(at)?.without_optional());
                }
                "value" if value.is_none() && before.is_none() => {
                    document.reader.colon()?;
                    match ty {
                        Some(ty) => *value = Some(document.value(typed(at, ty))?),
                        None => {
                            *before = Some(document.reader.clone());
                            document.reader.raw()?;
                        }
                    }
                }
                _ => {
                    let message =
                        r#"a value with its type has the keys "type" and "value", each once, and no other"#;
                    return Err(document.wrong_key(at, message));
                }
            },
        }
        Ok(())
    }

    pub(super) fn finish(self, document: &mut Document<'t>, at: ReadContext<'_>) -> Result<Value, Failure> {
        match self {
            Self::Map(_, entries) => {
                document.constructed(at, Value::checked_map(at.ty, entries.into_entries()))
            }
            Self::Object(object, base, _) => {
                if at.own_type {
                    document.spend(at, document.stack.missing(base))?;
                }
                Ok(document.stack.object(base, object))
            }
            Self::Dynamic { ty: Some(_), value: Some(value), .. } => Ok(value),
            Self::Dynamic { ty: Some(ty), before: Some(before), .. } => {
                let after = replace(&mut document.reader, before);
                let value = document.value(typed(at, &ty))?;
                document.reader = after;
                Ok(value)
            }
            Self::Dynamic { .. } => {
                Err(document.error(at, r#"a value with its type needs both of the keys "type" and "value""#))
            }
        }
    }
}

/// The context of the value inside of `{"type":…,"value":…}`.
fn typed<'b>(at: ReadContext<'b>, ty: &'b Type) -> ReadContext<'b> {
    ReadContext { ty, own_type: true, literal: false, ..at }
}

impl Document<'_> {
    /// Reads the type beside a value. Errors do not show the text, which may be a secret in the wrong
    /// place.
    fn type_of_value(&mut self, at: ReadContext<'_>) -> Result<Type, Failure> {
        Type::deserialize(&mut self.reader).map_err(|error| {
            failure(at, error.saying(r#""type" must be a type, such as "string" or ["list","string"]"#))
        })
    }

    /// An error about the key that was read last.
    #[cold]
    fn wrong_key(&self, at: ReadContext<'_>, message: &'static str) -> Failure {
        failure(at, self.reader.mismatch(message))
    }
}
