//! Reads a value from MessagePack, guided by its type.

use std::sync::Arc;

use rmp::Marker;
use smol_str::SmolStr;

use super::MsgpackProblem::{
    self, InvalidType, MessageTooLong, NoSuchAttribute, RepeatedKey, TooDeep, TrailingBytes, WrongCount,
};
use super::cursor::{Cursor, is_extension};
use super::{MAX_EXTENSION, MAX_MESSAGE, MsgpackError, REFINED, refinements};
use crate::value::build::normal_form;
use crate::value::entries::UniqueEntries;
use crate::value::limits::{Budget, MAX_DEPTH};
use crate::value::stack::Stack;
use crate::value::{ObjectType, PathStack, StepRef, TupleType, Type, Value};

/// Memory is reserved for at most this many elements in advance, because a length in a message cannot be trusted.
const MAX_RESERVED: usize = 1024;

/// The maximum number of kept types, and the maximum length of one. Resources state a few types of some hundred bytes.
const MAX_KEPT: usize = 32;
const MAX_KEPT_LENGTH: usize = 16 << 10;

/// A cache of the types that messages state beside dynamic values. All instances of a resource state equal types: without
/// the cache, parsing them took three quarters of the instructions of decoding a plan of 15,000 `terraform_data`.
#[derive(Debug, Default)]
pub struct StatedTypes(Vec<(Box<str>, Type)>);

impl StatedTypes {
    /// The type that a text states, in the form of Terraform's JSON; `None` if it states none.
    ///
    /// ```
    /// use objchange::Type;
    /// use objchange::value::StatedTypes;
    ///
    /// let mut types = StatedTypes::default();
    /// assert_eq!(types.read(r#"["list","string"]"#), Some(Type::list(Type::String)));
    /// assert_eq!(types.read("strings"), None);
    /// ```
    pub fn read(&mut self, text: &str) -> Option<Type> {
        if let Some((_, ty)) = self.0.iter().find(|(known, _)| **known == *text) {
            return Some(ty.clone());
        }
        let ty: Type = objchange_text::json::from_str(text).ok()?;
        let ty = ty.without_optional();
        if text.len() <= MAX_KEPT_LENGTH {
            // A message may state many types; the first ones are not better than the last ones.
            if self.0.len() == MAX_KEPT {
                self.0.clear();
            }
            self.0.push((text.into(), ty.clone()));
        }
        Some(ty)
    }
}

pub(super) fn from_slice(
    message: &[u8],
    ty: Option<&Type>,
    types: &mut StatedTypes,
) -> Result<Value, MsgpackError> {
    whole(message, types, |reader, at| match ty {
        Some(ty) => reader.value(ty, at),
        None => reader.untyped(at),
    })
}

fn whole(
    message: &[u8],
    types: &mut StatedTypes,
    read: impl FnOnce(&mut Reader<'_, '_>, MessagePlace<'_>) -> Result<Value, Box<MsgpackError>>,
) -> Result<Value, MsgpackError> {
    let root = MessagePlace { path: PathStack::ROOT, depth: 0 };
    if message.len() > MAX_MESSAGE {
        return Err(root.error(0, MessageTooLong { length: message.len() }));
    }
    let mut reader =
        Reader { cursor: Cursor::new(message), budget: Budget::new(), stack: Stack::default(), types };
    let value = read(&mut reader, root).map_err(|error| *error)?;
    match reader.cursor.left() {
        0 => Ok(value),
        count => Err(root.error(reader.cursor.offset(), TrailingBytes { count })),
    }
}

/// The place of a part: its path, and its nesting depth.
#[derive(Clone, Copy)]
struct MessagePlace<'a> {
    path: PathStack<'a>,
    depth: u32,
}

impl<'a> MessagePlace<'a> {
    fn inside(&'a self, step: StepRef<'a>) -> MessagePlace<'a> {
        MessagePlace { path: self.path.then(step), depth: self.depth + 1 }
    }

    fn error(&self, offset: usize, problem: MsgpackProblem) -> MsgpackError {
        MsgpackError { offset, path: self.path.to_path(), problem }
    }

    /// Fails if an array or map here would be nested too deeply.
    fn check_depth(&self) -> Result<(), MsgpackProblem> {
        if self.depth + 1 < MAX_DEPTH { Ok(()) } else { Err(TooDeep) }
    }
}

/// Why a part cannot be read.
enum Failure {
    /// The part itself is wrong. The caller adds its place.
    Here(MsgpackProblem),
    /// Something inside the part is wrong.
    Inside(Box<MsgpackError>),
}

impl From<MsgpackProblem> for Failure {
    fn from(problem: MsgpackProblem) -> Self {
        Self::Here(problem)
    }
}

impl From<Box<MsgpackError>> for Failure {
    fn from(error: Box<MsgpackError>) -> Self {
        Self::Inside(error)
    }
}

impl From<MsgpackError> for Failure {
    fn from(error: MsgpackError) -> Self {
        Self::Inside(Box::new(error))
    }
}

struct Reader<'m, 't> {
    cursor: Cursor<'m>,
    budget: Budget,
    stack: Stack,
    types: &'t mut StatedTypes,
}

impl<'m> Reader<'m, '_> {
    /// The error is boxed because results are moved often, and an unboxed error would make them large.
    fn value(&mut self, ty: &Type, at: MessagePlace<'_>) -> Result<Value, Box<MsgpackError>> {
        let start = self.cursor.offset();
        self.part(ty, at).map_err(|failure| match failure {
            Failure::Here(problem) => Box::new(at.error(start, problem)),
            Failure::Inside(error) => error,
        })
    }

    fn part(&mut self, ty: &Type, at: MessagePlace<'_>) -> Result<Value, Failure> {
        match self.cursor.peek()? {
            Marker::Null => {
                self.cursor.take(1)?;
                return Ok(Value::null(ty.clone()));
            }
            marker if is_extension(marker) => return Ok(self.unknown(ty)?),
            _ => {}
        }
        match ty {
            Type::Bool => Ok(self.cursor.bool()?.into()),
            Type::Number => Ok(self.cursor.number()?.into()),
            Type::String => Ok(self.cursor.text("a string")?.into()),
            Type::Dynamic => self.typed(at),
            Type::List(element) | Type::Set(element) => self.elements(ty, element, at),
            Type::Map(element) => {
                let entries = self.entries(element, at)?;
                Ok(Value::checked_map(ty, entries).map_err(MsgpackProblem::from)?)
            }
            Type::Tuple(tuple) => self.tuple(ty, tuple, at),
            Type::Object(object) => self.object(object, at),
        }
    }

    /// Reads a value without a given type, and infers it.
    fn untyped(&mut self, at: MessagePlace<'_>) -> Result<Value, Box<MsgpackError>> {
        let start = self.cursor.offset();
        self.untyped_part(at).map_err(|failure| match failure {
            Failure::Here(problem) => Box::new(at.error(start, problem)),
            Failure::Inside(error) => error,
        })
    }

    fn untyped_part(&mut self, at: MessagePlace<'_>) -> Result<Value, Failure> {
        match self.cursor.peek()? {
            Marker::FixArray(_) | Marker::Array16 | Marker::Array32 if self.cursor.states_type() => {
                self.typed(at)
            }
            Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => {
                at.check_depth()?;
                let count = self.cursor.array_len("an array")?;
                let base = self.stack.open();
                for i in 0..count {
                    let value = self.untyped(at.inside(StepRef::Position(i)))?;
                    self.stack.push(value);
                }
                Ok(self.stack.tuple(base, &Type::Dynamic))
            }
            Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => {
                at.check_depth()?;
                let count = self.cursor.map_len("a map")?;
                let mut entries = UniqueEntries::with_capacity(count.min(MAX_RESERVED));
                for _ in 0..count {
                    let start = self.cursor.offset();
                    let key = normal_form(self.key(at)?);
                    let inside = at.inside(StepRef::Key(&key));
                    if !entries.is_new(&key) {
                        return Err(inside.error(start, RepeatedKey).into());
                    }
                    let value = self.untyped(inside)?;
                    entries.push(key, value);
                }
                Ok(Value::object(entries.into_entries()))
            }
            Marker::True | Marker::False => Ok(self.part(&Type::Bool, at)?),
            Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
                Ok(self.part(&Type::String, at)?)
            }
            marker if marker == Marker::Null || is_extension(marker) => Ok(self.part(&Type::Dynamic, at)?),
            _ => Ok(self.part(&Type::Number, at)?),
        }
    }

    /// Any extension is an unknown value; one of them says more.
    fn unknown(&mut self, ty: &Type) -> Result<Value, MsgpackProblem> {
        let (code, payload) = self.cursor.extension(MAX_EXTENSION)?;
        if code != REFINED || payload.len() <= 1 || *ty == Type::Dynamic {
            return Ok(Value::unknown(ty.clone()));
        }
        let Some(refinements) = refinements::read(payload)? else { return Ok(Value::null(ty.clone())) };
        let value = Value::refined_unknown(ty.clone(), refinements)?;
        self.budget.spend(value.len().unwrap_or(0))?;
        Ok(value)
    }

    /// Reads a value with its type in front.
    fn typed(&mut self, at: MessagePlace<'_>) -> Result<Value, Failure> {
        at.check_depth()?;
        let found = self.cursor.array_len("an array of a type and a value")?;
        if found != 2 {
            return Err(WrongCount { expected: 2, found }.into());
        }
        let start = self.cursor.offset();
        let text = self.cursor.text("a type as JSON").map_err(|problem| at.error(start, problem))?;
        let ty = self.types.read(text).ok_or_else(|| at.error(start, InvalidType))?;
        Ok(self.value(&ty, MessagePlace { depth: at.depth + 1, ..at })?)
    }

    fn elements(&mut self, ty: &Type, element: &Type, at: MessagePlace<'_>) -> Result<Value, Failure> {
        at.check_depth()?;
        let count = self.cursor.array_len("an array")?;
        let base = self.stack.open();
        for i in 0..count {
            let value = self.value(element, at.inside(StepRef::Position(i)))?;
            self.stack.push(value);
        }
        Ok(self.stack.collection(base, ty).map_err(MsgpackProblem::from)?)
    }

    fn tuple(&mut self, ty: &Type, tuple: &TupleType, at: MessagePlace<'_>) -> Result<Value, Failure> {
        at.check_depth()?;
        let (expected, found) = (tuple.elements().len(), self.cursor.array_len("an array")?);
        if found != expected {
            return Err(WrongCount { expected, found }.into());
        }
        let base = self.stack.open();
        for (i, element) in tuple.elements().iter().enumerate() {
            let value = self.value(element, at.inside(StepRef::Position(i)))?;
            self.stack.push(value);
        }
        Ok(self.stack.tuple(base, ty))
    }

    fn entries(&mut self, ty: &Type, at: MessagePlace<'_>) -> Result<Vec<(SmolStr, Value)>, Failure> {
        at.check_depth()?;
        let count = self.cursor.map_len("a map")?;
        let mut entries = UniqueEntries::with_capacity(count.min(MAX_RESERVED));
        for _ in 0..count {
            let start = self.cursor.offset();
            let key = normal_form(self.key(at)?);
            let inside = at.inside(StepRef::Key(&key));
            if !entries.is_new(&key) {
                return Err(inside.error(start, RepeatedKey).into());
            }
            let value = self.value(ty, inside)?;
            entries.push(key, value);
        }
        Ok(entries.into_entries())
    }

    fn object(&mut self, object: &Arc<ObjectType>, at: MessagePlace<'_>) -> Result<Value, Failure> {
        at.check_depth()?;
        let (expected, found) = (object.attributes().len(), self.cursor.map_len("a map")?);
        if found == 0 {
            // The empty map is an object without attributes under any type, as in go-cty.
            return Ok(Value::object::<SmolStr, Value>([]));
        }
        if found != expected {
            return Err(WrongCount { expected, found }.into());
        }
        let base = self.stack.open_object(object);
        for likely in 0..found {
            let start = self.cursor.offset();
            let (name, position) = match object.attributes().get(likely) {
                // go-cty writes attributes sorted by name, so the next one is mostly the next of the type, and its
                // bytes are compared without being decoded.
                Some((name, _)) if self.cursor.take_text(name) => (name.as_str(), Some(likely)),
                _ => {
                    let name = self.key(at)?;
                    (name, object.position_of_key(likely, name))
                }
            };
            let inside = at.inside(StepRef::Attribute(name));
            let Some(i) = position else {
                return Err(inside.error(start, NoSuchAttribute).into());
            };
            if self.stack.is_given(base, i) {
                return Err(inside.error(start, RepeatedKey).into());
            }
            let value = self.value(&object.attributes()[i].1, inside)?;
            self.stack.set(base, i, value);
        }
        // As many names as attributes, and none twice: none is missing.
        Ok(self.stack.object(base, object))
    }

    fn key(&mut self, at: MessagePlace<'_>) -> Result<&'m str, Box<MsgpackError>> {
        let start = self.cursor.offset();
        self.cursor.text("a string as key").map_err(|problem| Box::new(at.error(start, problem)))
    }
}
