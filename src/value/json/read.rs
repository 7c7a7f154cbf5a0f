//! Reading a value from JSON, guided by its type.

use std::borrow::Cow;
use std::fmt;

use hashbrown::HashSet;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use smol_str::SmolStr;

use super::{Form, message_of};
use crate::value::build::normal_form;
use crate::value::{Bound, Marks, Number, PathStack, Refinements, StepRef, Type, Value};

/// The deepest nesting that is read; serde_json's own limit, which does not see what is read in two steps.
const MAX_DEPTH: u32 = 128;

/// The key under which serde_json hands over the text of a number.
const NUMBER: &str = "$serde_json::private::Number";

/// Reads one value of a type.
#[derive(Clone, Copy)]
pub(super) struct ValueSeed<'a> {
    ty: &'a Type,
    form: Form,
    path: PathStack<'a>,
    depth: u32,
}

impl<'a> ValueSeed<'a> {
    pub(super) fn root(ty: &'a Type, form: Form) -> Self {
        Self { ty, form, path: PathStack::ROOT, depth: 0 }
    }

    fn inside<'b>(&'b self, ty: &'b Type, step: StepRef<'b>) -> ValueSeed<'b> {
        ValueSeed { ty, form: self.form, path: self.path.then(step), depth: self.depth + 1 }
    }

    /// The same place, one level deeper in the text.
    fn wrapped(self, ty: &'a Type) -> Self {
        Self { ty, depth: self.depth + 1, ..self }
    }

    fn error<E: de::Error>(&self, message: impl fmt::Display) -> E {
        let path = self.path.to_path();
        if path.is_root() { E::custom(message) } else { E::custom(format_args!("{path}: {message}")) }
    }

    fn mismatch<E: de::Error>(&self, found: &str) -> E {
        let expected = match self.ty {
            Type::Dynamic => r#"a value with its type, {"type":…,"value":…},"#,
            Type::String => "a string",
            Type::Number => "a number",
            Type::Bool => "true or false",
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => "an array",
            Type::Map(_) | Type::Object(_) => "an object",
        };
        self.error(format_args!("{expected} is expected here, not {found}"))
    }

    fn number<E: de::Error>(&self, text: &str) -> Result<Value, E> {
        match self.ty {
            Type::Number => Number::parse(text).map(Value::from).map_err(|e| self.error(e)),
            // As go-cty: a number where a string belongs is its text.
            Type::String => Ok(Value::from(text)),
            _ => Err(self.mismatch("a number")),
        }
    }

    /// Reads what was set aside as text.
    fn reread<E: de::Error>(self, raw: &RawValue) -> Result<Value, E> {
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        self.deserialize(&mut deserializer).map_err(|e| E::custom(message_of(&e)))
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > MAX_DEPTH {
            return Err(self.error("the value is nested too deeply"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of type {}", self.ty.friendly_name())
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::null(self.ty.clone()))
    }

    fn visit_bool<E: de::Error>(self, b: bool) -> Result<Value, E> {
        match self.ty {
            Type::Bool => Ok(Value::from(b)),
            Type::String => Ok(Value::from(if b { "true" } else { "false" })),
            _ => Err(self.mismatch("a bool")),
        }
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Value, E> {
        self.number(&n.to_string())
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Value, E> {
        self.number(&n.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        match self.ty {
            Type::String => Ok(Value::from(text)),
            // As go-cty: a string that holds a number or a bool is taken for one.
            Type::Number => match Number::parse(text) {
                Ok(n) => Ok(Value::from(n)),
                Err(_) => Err(self.mismatch("a string")),
            },
            Type::Bool => match text {
                "true" | "1" => Ok(Value::from(true)),
                "false" | "0" => Ok(Value::from(false)),
                _ => Err(self.mismatch("a string")),
            },
            _ => Err(self.mismatch("a string")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let construct = |result: Result<Value, _>| result.map_err(|e| self.error::<A::Error>(e));
        match self.ty {
            Type::List(element) | Type::Set(element) => {
                let mut elements = Vec::new();
                while let Some(value) =
                    seq.next_element_seed(self.inside(element, StepRef::Position(elements.len())))?
                {
                    elements.push(value);
                }
                if matches!(self.ty, Type::List(_)) {
                    construct(Value::checked_list(self.ty, elements))
                } else {
                    construct(Value::checked_set(self.ty, elements))
                }
            }
            Type::Tuple(tuple) => {
                let expected = tuple.elements().len();
                let mut elements = Vec::with_capacity(expected);
                for (i, ty) in tuple.elements().iter().enumerate() {
                    match seq.next_element_seed(self.inside(ty, StepRef::Position(i)))? {
                        Some(value) => elements.push(value),
                        None => {
                            return Err(self.error(format_args!("{expected} elements are expected, not {i}")));
                        }
                    }
                }
                if seq.next_element::<de::IgnoredAny>()?.is_some() {
                    return Err(self.error(format_args!("{expected} elements are expected, not more")));
                }
                Ok(Value::tuple(elements))
            }
            _ => Err(self.mismatch("an array")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let Some(key) = map.next_key::<Cow<'_, str>>()? else {
            return self.entries(None, map);
        };
        if key == NUMBER {
            let text: String = map.next_value()?;
            return self.number(&text);
        }
        if self.form == Form::Markers && is_marker(&key) {
            let raw: &RawValue = map.next_value()?;
            return match map.next_key::<Cow<'_, str>>()? {
                None => self.marker(&key, raw),
                // With a second key it is an ordinary object that has such a key.
                Some(next) => self.entries(Some((key, First::Read(raw, next))), map),
            };
        }
        self.entries(Some((key, First::Unread)), map)
    }
}

/// What is known of the first entry of an object when reading it as an ordinary one begins.
enum First<'de> {
    /// Its value comes next.
    Unread,
    /// Its value was set aside, and the second key was read.
    Read(&'de RawValue, Cow<'de, str>),
}

pub(super) fn is_marker(key: &str) -> bool {
    matches!(key, "$unknown" | "$sensitive" | "$ephemeral" | "$literal")
}

impl ValueSeed<'_> {
    fn marker<E: de::Error>(self, key: &str, raw: &RawValue) -> Result<Value, E> {
        match key {
            "$sensitive" => Ok(self.wrapped(self.ty).reread::<E>(raw)?.with_marks(Marks::SENSITIVE)),
            "$ephemeral" => Ok(self.wrapped(self.ty).reread::<E>(raw)?.with_marks(Marks::EPHEMERAL)),
            "$unknown" => {
                let refinements: RawRefinements<'_> =
                    serde_json::from_str(raw.get()).map_err(|e| self.error::<E>(message_of(&e)))?;
                if refinements.nullness.as_deref() == Some("null") {
                    return Ok(Value::null(self.ty.clone()));
                }
                let refinements = refinements.parse().map_err(|e| self.error::<E>(e))?;
                Value::refined_unknown(self.ty.clone(), refinements).map_err(|e| self.error(e))
            }
            _ => {
                let mut deserializer = serde_json::Deserializer::from_str(raw.get());
                deserializer
                    .deserialize_map(Literal(self.wrapped(self.ty)))
                    .map_err(|e| E::custom(message_of(&e)))
            }
        }
    }

    /// Reads an ordinary object: a map, an object, or a value with its type.
    fn entries<'de, A: MapAccess<'de>>(
        self,
        first: Option<(Cow<'de, str>, First<'de>)>,
        mut map: A,
    ) -> Result<Value, A::Error> {
        let mut sink = match self.ty {
            Type::Map(element) => Sink::Map(element, Vec::new(), HashSet::new()),
            Type::Object(object) => Sink::Object(object, vec![None; object.attributes().len()]),
            Type::Dynamic => Sink::Dynamic { ty: None, value: None, raw: None },
            _ => return Err(self.mismatch("an object")),
        };
        let mut next = match first {
            None => None,
            Some((key, First::Unread)) => Some(key),
            Some((key, First::Read(raw, second))) => {
                sink.entry(&self, &key, Source::<A>::Raw(raw))?;
                Some(second)
            }
        };
        while let Some(key) = next {
            if key == NUMBER {
                return Err(self.error("a key of this name cannot be read"));
            }
            sink.entry(&self, &key, Source::Map(&mut map))?;
            next = map.next_key()?;
        }
        sink.finish(&self)
    }
}

/// The inside of `{"$literal":{…}}`: an ordinary map or object, whatever its keys are.
struct Literal<'a>(ValueSeed<'a>);

impl<'de> Visitor<'de> for Literal<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object inside of `$literal`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let first = map.next_key::<Cow<'_, str>>()?;
        self.0.entries(first.map(|key| (key, First::Unread)), map)
    }
}

/// Where the value of an entry comes from.
enum Source<'m, 'de, A> {
    Map(&'m mut A),
    Raw(&'de RawValue),
}

impl<'de, A: MapAccess<'de>> Source<'_, 'de, A> {
    fn read(self, seed: ValueSeed<'_>) -> Result<Value, A::Error> {
        match self {
            Self::Map(map) => map.next_value_seed(seed),
            Self::Raw(raw) => seed.reread(raw),
        }
    }

    fn raw(self) -> Result<&'de RawValue, A::Error> {
        match self {
            Self::Map(map) => map.next_value(),
            Self::Raw(raw) => Ok(raw),
        }
    }
}

/// The entries of a JSON object on their way into a value.
enum Sink<'t, 'de> {
    Map(&'t Type, Vec<(SmolStr, Value)>, HashSet<SmolStr>),
    Object(&'t std::sync::Arc<crate::value::ObjectType>, Vec<Option<Value>>),
    Dynamic { ty: Option<Type>, value: Option<Value>, raw: Option<&'de RawValue> },
}

impl<'de> Sink<'_, 'de> {
    fn entry<A: MapAccess<'de>>(
        &mut self,
        seed: &ValueSeed<'_>,
        key: &str,
        source: Source<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        let twice = || seed.error::<A::Error>(format_args!("the key {key:?} stands twice"));
        match self {
            Self::Map(element, entries, seen) => {
                let key = normal_form(key);
                if !seen.insert(key.clone()) {
                    return Err(twice());
                }
                let value = source.read(seed.inside(element, StepRef::Key(&key)))?;
                entries.push((key, value));
            }
            Self::Object(object, values) => {
                let Some(i) = object.position(key).or_else(|| object.position(&normal_form(key))) else {
                    return Err(seed.error(format_args!("there is no attribute {key:?}")));
                };
                let (name, ty) = &object.attributes()[i];
                if values[i].is_some() {
                    return Err(twice());
                }
                values[i] = Some(source.read(seed.inside(ty, StepRef::Attribute(name)))?);
            }
            Self::Dynamic { ty, value, raw } => match key {
                "type" if ty.is_none() => {
                    let read: Type = serde_json::from_str(source.raw()?.get())
                        .map_err(|e| seed.error::<A::Error>(message_of(&e)))?;
                    *ty = Some(read.without_optional());
                }
                "value" if value.is_none() && raw.is_none() => match ty {
                    Some(ty) => *value = Some(source.read(seed.wrapped(ty))?),
                    None => *raw = Some(source.raw()?),
                },
                _ => return Err(seed.error(r#"a value with its type has the keys "type" and "value" only"#)),
            },
        }
        Ok(())
    }

    fn finish<E: de::Error>(self, seed: &ValueSeed<'_>) -> Result<Value, E> {
        match self {
            Self::Map(_, entries, _) => Value::checked_map(seed.ty, entries).map_err(|e| seed.error(e)),
            Self::Object(object, values) => {
                let values = std::iter::zip(object.attributes(), values)
                    .map(|((_, ty), value)| value.unwrap_or_else(|| Value::null(ty.clone())))
                    .collect();
                Ok(Value::object_like(object, values))
            }
            Self::Dynamic { ty: Some(_), value: Some(value), .. } => Ok(value),
            Self::Dynamic { ty: Some(ty), raw: Some(raw), .. } => seed.wrapped(&ty).reread(raw),
            Self::Dynamic { .. } => {
                Err(seed.error(r#"a value with its type needs both of the keys "type" and "value""#))
            }
        }
    }
}

/// Refinements as they stand in a case file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRefinements<'a> {
    #[serde(default)]
    nullness: Option<String>,
    #[serde(default)]
    string_prefix: Option<SmolStr>,
    #[serde(borrow, default)]
    number_lower: Option<RawBound<'a>>,
    #[serde(borrow, default)]
    number_upper: Option<RawBound<'a>>,
    #[serde(default)]
    length_lower: Option<u64>,
    #[serde(default)]
    length_upper: Option<u64>,
}

#[derive(serde::Deserialize)]
struct RawBound<'a> {
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(default)]
    inclusive: bool,
}

impl RawRefinements<'_> {
    fn parse(self) -> Result<Refinements, String> {
        let not_null = match self.nullness.as_deref() {
            None => false,
            Some("not_null") => true,
            Some(other) => return Err(format!("nullness is \"not_null\" or \"null\", not {other:?}")),
        };
        let bound = |raw: Option<RawBound<'_>>| {
            raw.map(|b| Number::parse(b.value.get()).map(|value| Bound { value, inclusive: b.inclusive }))
                .transpose()
                .map_err(|e| e.to_string())
        };
        Ok(Refinements {
            not_null,
            string_prefix: self.string_prefix,
            number_lower: bound(self.number_lower)?,
            number_upper: bound(self.number_upper)?,
            length_lower: self.length_lower,
            length_upper: self.length_upper,
        })
    }
}
