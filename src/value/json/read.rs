//! Reading a value from JSON, guided by its type.

mod fields;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use self::fields::{Fields, Source};
use super::{Form, ReadError, json_message, place_in, refinements};
use crate::value::build::ConstructError;
use crate::value::limits::{Budget, MAX_DEPTH};
use crate::value::stack::Stack;
use crate::value::{Marks, Number, Path, PathStack, StepRef, Type, Value};

/// The key under which `serde_json` hands over the text of a number.
const NUMBER: &str = "$serde_json::private::Number";

pub(super) fn from_str(text: &str, ty: &Type, form: Form) -> Result<Value, ReadError> {
    let document = Document {
        text,
        form,
        budget: Budget::new(),
        stack: RefCell::default(),
        failed_at: Cell::default(),
        failed_in: RefCell::default(),
    };
    let root = ValueSeed {
        ty,
        document: &document,
        path: PathStack::ROOT,
        depth: 0,
        own_type: false,
        literal: false,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    root.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value)).map_err(
        |error| {
            let (line, column) = document.failed_at.get().unwrap_or_else(|| place_in(text, 0, Some(&error)));
            ReadError { line, column, path: document.failed_in.take(), message: json_message(&error) }
        },
    )
}

/// What all parts of one text share while it is read.
struct Document<'t> {
    text: &'t str,
    form: Form,
    budget: Budget,
    stack: RefCell<Stack>,
    /// The line and column of an error in a part that was set aside before it was read: where the error
    /// arrives, `serde_json` is already past that part.
    failed_at: Cell<Option<(usize, usize)>>,
    /// The part of the value that is wrong.
    failed_in: RefCell<Path>,
}

impl Document<'_> {
    /// Reads a part of the text that was set aside.
    fn reread<'de, S: DeserializeSeed<'de>, E: de::Error>(
        &self,
        raw: &'de RawValue,
        seed: S,
    ) -> Result<S::Value, E> {
        seed.deserialize(&mut serde_json::Deserializer::from_str(raw.get())).map_err(|error| {
            self.fail_in(raw.get(), Some(&error));
            E::custom(json_message(&error))
        })
    }

    /// Remembers where a part of the text has its error, unless an inner part did so before.
    fn fail_in(&self, part: &str, error: Option<&serde_json::Error>) {
        if self.failed_at.get().is_none() {
            let start = part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
            self.failed_at.set(Some(place_in(self.text, start, error)));
        }
    }
}

/// Reads one value of a type.
#[derive(Clone, Copy)]
pub(super) struct ValueSeed<'a> {
    ty: &'a Type,
    document: &'a Document<'a>,
    path: PathStack<'a>,
    /// In how many arrays and objects of the text it stands. `serde_json` counts too, but not across parts
    /// that are read in two steps.
    depth: u32,
    /// Whether the text itself names the type, so that nobody else has set a bound to its size.
    own_type: bool,
    /// Whether this is the inside of `{"$literal":{…}}`: an object, whose keys are no markers.
    literal: bool,
}

impl<'a> ValueSeed<'a> {
    fn inside<'b>(&'b self, ty: &'b Type, step: StepRef<'b>) -> ValueSeed<'b> {
        ValueSeed { ty, path: self.path.then(step), ..self.wrapped() }
    }

    /// The same place in the value, one level deeper in the text.
    fn wrapped(self) -> Self {
        Self { depth: self.depth + 1, literal: false, ..self }
    }

    /// The value inside of `{"type":…,"value":…}`.
    fn typed<'b>(&'b self, ty: &'b Type) -> ValueSeed<'b> {
        ValueSeed { ty, own_type: true, ..self.wrapped() }
    }

    fn error<E: de::Error>(&self, message: impl fmt::Display) -> E {
        self.document.failed_in.replace(self.path.to_path());
        E::custom(message)
    }

    fn mismatch<E: de::Error>(&self, found: &str) -> E {
        let expected = match self.ty {
            _ if self.literal => "an object inside of `$literal`",
            Type::Dynamic => r#"a value with its type, {"type":…,"value":…},"#,
            Type::String => "a string",
            Type::Number => "a number",
            Type::Bool => "true or false",
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => "an array",
            Type::Map(_) | Type::Object(_) => "an object",
        };
        self.error(format_args!("{expected} is expected here, not {found}"))
    }

    fn constructed<E: de::Error>(&self, result: Result<Value, ConstructError>) -> Result<Value, E> {
        result.map_err(|error| {
            if self.path.is_hidden() {
                // Types name the attributes of objects.
                self.error("the elements of a collection must have one type")
            } else {
                self.error(error)
            }
        })
    }

    fn number<E: de::Error>(&self, text: &str) -> Result<Value, E> {
        match self.ty {
            Type::Number => Number::parse(text).map(Value::from).map_err(|e| self.error(e)),
            // As go-cty: a number where a string belongs is its text.
            Type::String => Ok(Value::from(text)),
            _ => Err(self.mismatch("a number")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth >= MAX_DEPTH {
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
        if self.literal {
            return Err(self.mismatch("null"));
        }
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
        if *self.ty == Type::Number {
            Ok(Value::from(Number::of_text(n)))
        } else {
            self.number(&n.to_string())
        }
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Value, E> {
        if let (Type::Number, Ok(n)) = (self.ty, i64::try_from(n)) {
            Ok(Value::from(Number::of_text(n)))
        } else {
            self.number(&n.to_string())
        }
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
        let stack = &self.document.stack;
        let base = stack.borrow().open();
        match self.ty {
            Type::List(element) | Type::Set(element) => {
                let mut positions = 0..;
                while let Some(value) = seq.next_element_seed(
                    self.inside(element, StepRef::Position(positions.next().unwrap_or_default())),
                )? {
                    stack.borrow_mut().push(value);
                }
                self.constructed(stack.borrow_mut().collection(base, self.ty))
            }
            Type::Tuple(tuple) => {
                let expected = tuple.elements().len();
                for (i, ty) in tuple.elements().iter().enumerate() {
                    match seq.next_element_seed(self.inside(ty, StepRef::Position(i)))? {
                        Some(value) => stack.borrow_mut().push(value),
                        None => {
                            return Err(self.error(format_args!("{expected} elements are expected, not {i}")));
                        }
                    }
                }
                if seq.next_element::<de::IgnoredAny>()?.is_some() {
                    return Err(self.error(format_args!("{expected} elements are expected, not more")));
                }
                Ok(stack.borrow_mut().tuple(base, self.ty))
            }
            _ => Err(self.mismatch("an array")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let Some(Key(key)) = map.next_key()? else {
            return Fields::new(&self)?.finish(&self);
        };
        if key == NUMBER {
            return match map.next_value_seed(NumberSeed(&self))? {
                NumberOrRaw::Number(number) => Ok(number),
                NumberOrRaw::Raw(raw) => self.object(&key, Some(raw), map),
            };
        }
        if self.document.form != Form::Markers || self.literal || !is_marker(&key) {
            return self.object(&key, None, map);
        }
        let may_be_a_key = match self.ty {
            Type::Map(_) => true,
            Type::Object(object) => object.position(&key).is_some(),
            _ => false,
        };
        if !may_be_a_key {
            let value = self.marker(&key, Source::Map(&mut map))?;
            return match map.next_key::<de::IgnoredAny>()? {
                None => Ok(value),
                Some(_) => Err(self.error(format_args!("no other key may stand beside {key:?}"))),
            };
        }
        // With a second key it is an ordinary object that has such a key.
        let raw: &RawValue = map.next_value()?;
        match map.next_key()? {
            None => self.marker(&key, Source::<A>::Raw(raw)),
            Some(Key(second)) => {
                let mut fields = Fields::new(&self)?;
                fields.entry(&self, &key, Source::<A>::Raw(raw))?;
                fields.entry(&self, &second, Source::Map(&mut map))?;
                fields.rest(&self, map)
            }
        }
    }
}

pub(super) fn is_marker(key: &str) -> bool {
    matches!(key, "$unknown" | "$sensitive" | "$ephemeral" | "$literal")
}

impl ValueSeed<'_> {
    /// Reads what stands behind a marker.
    fn marker<'de, A: MapAccess<'de>>(
        self,
        key: &str,
        source: Source<'_, 'de, A>,
    ) -> Result<Value, A::Error> {
        let wrapped = self.wrapped();
        let hidden = Self { path: self.path.hide(true), ..wrapped };
        match key {
            "$sensitive" => Ok(source.read(self.document, hidden)?.with_marks(Marks::SENSITIVE)),
            "$ephemeral" => Ok(source.read(self.document, hidden)?.with_marks(Marks::EPHEMERAL)),
            "$literal" if !matches!(self.ty, Type::Map(_) | Type::Object(_) | Type::Dynamic) => {
                Err(self.mismatch("an object"))
            }
            "$literal" => source.read(self.document, Self { literal: true, ..wrapped }),
            _ => self.unknown(source.raw()?),
        }
    }

    fn unknown<E: de::Error>(&self, raw: &RawValue) -> Result<Value, E> {
        let refinements = refinements::parse(raw).map_err(|fault| {
            self.document.fail_in(fault.part, None);
            self.error(fault.message)
        })?;
        let Some(refinements) = refinements else { return Ok(Value::null(self.ty.clone())) };
        let value = Value::refined_unknown(self.ty.clone(), refinements).map_err(|e| self.error(e))?;
        self.document.budget.spend(value.len().unwrap_or(0)).map_err(|e| self.error(e))?;
        Ok(value)
    }

    /// Reads the type that stands beside a value. Errors do not show it: what stands there by mistake may
    /// be a secret.
    fn type_of_value<E: de::Error>(&self, raw: &RawValue) -> Result<Type, E> {
        serde_json::from_str(raw.get()).map_err(|error| {
            self.document.fail_in(raw.get(), Some(&error));
            self.error(r#""type" must be a type, such as "string" or ["list","string"]"#)
        })
    }

    /// Reads an ordinary object: a map, an object, or a value with its type. The first key was read, and
    /// its value perhaps set aside.
    fn object<'de, A: MapAccess<'de>>(
        self,
        key: &str,
        raw: Option<&'de RawValue>,
        mut map: A,
    ) -> Result<Value, A::Error> {
        let mut fields = Fields::new(&self)?;
        fields.entry(&self, key, raw.map_or(Source::Map(&mut map), Source::Raw))?;
        fields.rest(&self, map)
    }
}

/// A key, borrowed from the text where it can be.
#[derive(Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads what stands behind a first key that is the one of numbers: a number, if `serde_json` made the key
/// up, or what the text has there.
struct NumberSeed<'s, 'a>(&'s ValueSeed<'a>);

enum NumberOrRaw<'de> {
    Number(Value),
    Raw(&'de RawValue),
}

impl<'de> DeserializeSeed<'de> for NumberSeed<'_, '_> {
    type Value = NumberOrRaw<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        // Only what reads from text tells a string from a struct around one.
        deserializer.deserialize_newtype_struct("NumberOrRaw", self)
    }
}

impl<'de> Visitor<'de> for NumberSeed<'_, '_> {
    type Value = NumberOrRaw<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        self.0.number(text).map(NumberOrRaw::Number)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, text: D) -> Result<Self::Value, D::Error> {
        Deserialize::deserialize(text).map(NumberOrRaw::Raw)
    }
}
