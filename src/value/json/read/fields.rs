//! The fields of a JSON object on their way into a map, an object, or a value with its type.

use std::sync::Arc;

use serde::de::{self, DeserializeSeed, MapAccess};
use serde_json::value::RawValue;

use super::{Document, Key, ValueSeed};
use crate::value::build::normal_form;
use crate::value::entries::UniqueEntries;
use crate::value::stack::Base;
use crate::value::{ObjectType, StepRef, Type, Value};

/// Where the value of an entry comes from.
pub(super) enum Source<'m, 'de, A> {
    Map(&'m mut A),
    Raw(&'de RawValue),
}

impl<'de, A: MapAccess<'de>> Source<'_, 'de, A> {
    pub(super) fn raw(self) -> Result<&'de RawValue, A::Error> {
        match self {
            Self::Map(map) => map.next_value(),
            Self::Raw(raw) => Ok(raw),
        }
    }

    pub(super) fn read<S: DeserializeSeed<'de>>(
        self,
        document: &Document<'_>,
        seed: S,
    ) -> Result<S::Value, A::Error> {
        match self {
            Self::Map(map) => map.next_value_seed(seed),
            Self::Raw(raw) => document.reread(raw, seed),
        }
    }
}

/// The fields of a JSON object on their way into a value.
pub(super) enum Fields<'t, 'de> {
    Map(&'t Type, UniqueEntries),
    /// With the position of the attribute that is likely to come next.
    Object(&'t Arc<ObjectType>, Base, usize),
    Dynamic {
        ty: Option<Type>,
        value: Option<Value>,
        raw: Option<&'de RawValue>,
    },
}

impl<'t, 'de> Fields<'t, 'de> {
    pub(super) fn new<E: de::Error>(seed: &ValueSeed<'t>) -> Result<Self, E> {
        match seed.ty {
            Type::Map(element) => Ok(Self::Map(element, UniqueEntries::default())),
            Type::Object(object) => {
                Ok(Self::Object(object, seed.document.stack.borrow_mut().open_object(object), 0))
            }
            Type::Dynamic => Ok(Self::Dynamic { ty: None, value: None, raw: None }),
            _ => Err(seed.mismatch("an object")),
        }
    }

    pub(super) fn entry<A: MapAccess<'de>>(
        &mut self,
        seed: &ValueSeed<'_>,
        key: &str,
        source: Source<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        let document = seed.document;
        match self {
            Self::Map(element, entries) => {
                let key = normal_form(key);
                let inside = seed.inside(element, StepRef::Key(&key));
                if !entries.is_new(&key) {
                    return Err(inside.error("this key stands twice; each may stand only once"));
                }
                let value = source.read(document, inside)?;
                entries.push(key, value);
            }
            Self::Object(object, base, likely) => {
                let Some(i) = object.position_of_key(*likely, key) else {
                    // The type does not know it, so it may be anything: a key, which may have to be hidden.
                    let inside = seed.inside(seed.ty, StepRef::Key(key));
                    return Err(
                        inside.error("the type has no such attribute; leave it out or correct its name")
                    );
                };
                *likely = i + 1;
                let (name, ty) = &object.attributes()[i];
                let inside = seed.inside(ty, StepRef::Attribute(name));
                if document.stack.borrow().is_given(*base, i) {
                    return Err(inside.error("this attribute stands twice; each may stand only once"));
                }
                let value = source.read(document, inside)?;
                document.stack.borrow_mut().set(*base, i, value);
            }
            Self::Dynamic { ty, value, raw } => match key {
                "type" if ty.is_none() => {
                    *ty = Some(seed.type_of_value::<A::Error>(source.raw()?)?.without_optional());
                }
                "value" if value.is_none() && raw.is_none() => match ty {
                    Some(ty) => *value = Some(source.read(document, seed.typed(ty))?),
                    None => *raw = Some(source.raw()?),
                },
                _ => {
                    return Err(seed.error(
                        r#"a value with its type has the keys "type" and "value", each once, and no other"#,
                    ));
                }
            },
        }
        Ok(())
    }

    pub(super) fn rest<A: MapAccess<'de>>(
        mut self,
        seed: &ValueSeed<'_>,
        mut map: A,
    ) -> Result<Value, A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            self.entry(seed, &key, Source::Map(&mut map))?;
        }
        self.finish(seed)
    }

    pub(super) fn finish<E: de::Error>(self, seed: &ValueSeed<'_>) -> Result<Value, E> {
        match self {
            Self::Map(_, entries) => seed.constructed(Value::checked_map(seed.ty, entries.into_entries())),
            Self::Object(object, base, _) => {
                let mut stack = seed.document.stack.borrow_mut();
                if seed.own_type {
                    seed.document.budget.spend(stack.missing(base)).map_err(|e| seed.error(e))?;
                }
                Ok(stack.object(base, object))
            }
            Self::Dynamic { ty: Some(_), value: Some(value), .. } => Ok(value),
            Self::Dynamic { ty: Some(ty), raw: Some(raw), .. } => seed.document.reread(raw, seed.typed(&ty)),
            Self::Dynamic { .. } => {
                Err(seed.error(r#"a value with its type needs both of the keys "type" and "value""#))
            }
        }
    }
}
