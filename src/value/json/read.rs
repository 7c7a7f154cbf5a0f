//! Reading a value from JSON, guided by its type.

mod fields;
mod implied;

use self::fields::Fields;
use super::{Form, ReadError, refinements};
use crate::value::build::ConstructError;
use crate::value::limits::Budget;
use crate::value::stack::Stack;
use crate::value::{Marks, Number, Path, PathStack, StepRef, Type, Value, nameless};
use objchange_text::json::{JsonError, Reader, Token, place};

pub(super) fn from_str(text: &str, ty: &Type, form: Form) -> Result<Value, ReadError> {
    let (reader, budget, stack) = (Reader::strict(text), Budget::new(), Stack::default());
    let mut document = Document { reader, form, budget, stack };
    let root = ReadContext { ty, path: PathStack::ROOT, own_type: false, literal: false };
    let value = document.value(root).and_then(|value| {
        document.reader.end()?;
        Ok(value)
    });
    value.map_err(|Failure(failure)| {
        let (path, error) = *failure;
        let (line, column) = place(text, error.offset());
        let (kind, offset) = (error.kind(), error.offset());
        ReadError { kind, offset, line, column, path, message: error.into_message().into_owned() }
    })
}

/// A problem with a part of the value, or with the text as a whole. One word wide.
struct Failure(Box<(Path, JsonError)>);

impl From<JsonError> for Failure {
    fn from(error: JsonError) -> Self {
        Self(Box::new((Path::root(), error)))
    }
}

/// A text while it is read.
struct Document<'t> {
    reader: Reader<'t>,
    form: Form,
    budget: Budget,
    stack: Stack,
}

/// A part of the value, where the reader is.
#[derive(Clone, Copy)]
struct ReadContext<'a> {
    ty: &'a Type,
    path: PathStack<'a>,
    /// Whether the text itself states the type, so that its size has no other bound.
    own_type: bool,
    /// Whether this is the inside of `{"$literal":{…}}`: an object, whose keys are not markers.
    literal: bool,
}

impl<'a> ReadContext<'a> {
    fn inside<'b>(&'b self, ty: &'b Type, step: StepRef<'b>) -> ReadContext<'b> {
        ReadContext { ty, path: self.path.then(step), literal: false, ..*self }
    }
}

impl<'t> Document<'t> {
    fn value(&mut self, at: ReadContext<'_>) -> Result<Value, Failure> {
        let token = self.reader.token()?;
        let at = match token {
            _ if !self.implies(at) => at,
            Token::Number(_) => ReadContext { ty: &Type::Number, ..at },
            Token::Bool(_) => ReadContext { ty: &Type::Bool, ..at },
            Token::String(_) => ReadContext { ty: &Type::String, ..at },
            Token::Null | Token::Array | Token::Object => at,
        };
        match token {
            Token::Object => self.object(at),
            Token::Null if at.literal => Err(self.mismatch(at, "null")),
            Token::Null => Ok(Value::null(at.ty.clone())),
            Token::Array => self.array(at),
            Token::Number(text) => match at.ty {
                Type::Number => Number::parse(text).map(Value::from).map_err(|e| self.error(at, e)),
                // As go-cty: a number where a string belongs is its text.
                Type::String => Ok(Value::from(text)),
                _ => Err(self.mismatch(at, "a number")),
            },
            Token::Bool(bool) => match at.ty {
                Type::Bool => Ok(Value::from(bool)),
                Type::String => Ok(Value::from(if bool { "true" } else { "false" })),
                _ => Err(self.mismatch(at, "a bool")),
            },
            Token::String(text) => match (at.ty, &*text) {
                (Type::String, text) => Ok(Value::from(text)),
                // A string that holds a number or a bool is converted, as in go-cty.
                (Type::Number, text) => match Number::parse(text) {
                    Ok(number) => Ok(Value::from(number)),
                    Err(_) => Err(self.mismatch(at, "a string")),
                },
                (Type::Bool, "true" | "1") => Ok(Value::from(true)),
                (Type::Bool, "false" | "0") => Ok(Value::from(false)),
                _ => Err(self.mismatch(at, "a string")),
            },
        }
    }

    /// Whether a value here has the type that it looks like, unless it states another.
    fn implies(&self, at: ReadContext<'_>) -> bool {
        *at.ty == Type::Dynamic && self.form == Form::Plain
    }

    fn array(&mut self, at: ReadContext<'_>) -> Result<Value, Failure> {
        let base = self.stack.open();
        let mut is_first = true;
        match at.ty {
            Type::List(element) | Type::Set(element) => {
                let mut position = 0;
                while self.reader.next_element(&mut is_first)? {
                    let value = self.value(at.inside(element, StepRef::Position(position)))?;
                    self.stack.push(value);
                    position += 1;
                }
                self.reader.leave();
                let collection = self.stack.collection(base, at.ty);
                self.constructed(at, collection)
            }
            Type::Tuple(tuple) => {
                let expected = tuple.elements().len();
                let mut types = tuple.elements().iter().enumerate();
                while self.reader.next_element(&mut is_first)? {
                    let Some((i, ty)) = types.next() else {
                        self.reader.raw()?;
                        return Err(
                            self.error(at, format_args!("{expected} elements are expected, not more"))
                        );
                    };
                    let value = self.value(at.inside(ty, StepRef::Position(i)))?;
                    self.stack.push(value);
                }
                if let Some((i, _)) = types.next() {
                    return Err(self.error(at, format_args!("{expected} elements are expected, not {i}")));
                }
                self.reader.leave();
                Ok(self.stack.tuple(base, at.ty))
            }
            _ if self.implies(at) => self.implied_tuple(at),
            _ => Err(self.mismatch(at, "an array")),
        }
    }

    /// Reads an object that is a marker, a map, an object, or a value with its type.
    fn object(&mut self, at: ReadContext<'_>) -> Result<Value, Failure> {
        if self.implies(at) && !self.is_typed() {
            return self.implied_object(at);
        }
        let opened = self.reader.clone();
        let mut is_first = true;
        let mut key = self.reader.next_name(&mut is_first)?;
        if let Some(marker) = key.as_deref().filter(|key| is_marker(key))
            && self.form == Form::Markers
            && !at.literal
        {
            let may_be_a_key = match at.ty {
                Type::Map(_) => true,
                Type::Object(object) => object.position(marker).is_some(),
                _ => false,
            };
            // With a second key it is an ordinary object that has such a key.
            if !may_be_a_key || self.reader.is_last_member()? {
                self.reader.colon()?;
                let value = self.marker(marker, at)?;
                return match self.reader.next_name(&mut is_first)? {
                    None => {
                        self.reader.leave();
                        Ok(value)
                    }
                    Some(_) => Err(self.error(at, format_args!("no other key may stand beside {marker:?}"))),
                };
            }
        }
        let mut fields = match at.ty {
            Type::Map(_) | Type::Object(_) | Type::Dynamic => Fields::new(self, at.ty),
            _ => {
                self.reader = opened;
                let found = match key.as_deref() {
                    Some(marker) if is_marker(marker) && !at.literal => {
                        format!("an object; {marker:?} is a marker, which `Value::from_marker_json` reads")
                    }
                    _ => "an object".to_owned(),
                };
                return Err(self.mismatch(at, &found));
            }
        };
        while let Some(name) = key {
            fields.entry(self, at, &name)?;
            key = self.reader.next_name(&mut is_first)?;
        }
        self.reader.leave();
        fields.finish(self, at)
    }

    /// Reads the content of a marker.
    fn marker(&mut self, marker: &str, at: ReadContext<'_>) -> Result<Value, Failure> {
        let hidden = ReadContext { path: at.path.hide(true), literal: false, ..at };
        match marker {
            "$sensitive" => Ok(self.value(hidden)?.with_marks(Marks::SENSITIVE)),
            "$ephemeral" => Ok(self.value(hidden)?.with_marks(Marks::EPHEMERAL)),
            "$literal" if !matches!(at.ty, Type::Map(_) | Type::Object(_) | Type::Dynamic) => {
                Err(self.mismatch(at, "an object"))
            }
            "$literal" => self.value(ReadContext { literal: true, ..at }),
            _ => self.unknown(at),
        }
    }

    fn unknown(&mut self, at: ReadContext<'_>) -> Result<Value, Failure> {
        let refinements = refinements::read(&mut self.reader).map_err(|error| failure(at, error))?;
        let Some(refinements) = refinements else { return Ok(Value::null(at.ty.clone())) };
        let value = Value::refined_unknown(at.ty.clone(), refinements).map_err(|e| self.error(at, e))?;
        self.spend(at, value.len().unwrap_or(0))?;
        Ok(value)
    }

    fn spend(&self, at: ReadContext<'_>, parts: usize) -> Result<(), Failure> {
        self.budget.spend(parts).map_err(|e| self.error(at, e))
    }

    fn constructed(
        &self,
        at: ReadContext<'_>,
        result: Result<Value, ConstructError>,
    ) -> Result<Value, Failure> {
        result.map_err(|error| {
            if at.path.is_hidden() {
                // Types name the attributes of objects.
                self.error(at, "the elements of a collection must have one type")
            } else {
                // If the text implies its type, attribute names are content.
                let ConstructError { expected, found } = error;
                self.error(at, ConstructError { expected: nameless(&expected), found: nameless(&found) })
            }
        })
    }

    /// An error about the token that was read last.
    #[cold]
    #[expect(clippy::needless_pass_by_value, reason = "messages are made for it alone")]
    fn error(&self, at: ReadContext<'_>, message: impl ToString) -> Failure {
        failure(at, self.reader.mismatch(message.to_string()))
    }

    #[cold]
    fn mismatch(&self, at: ReadContext<'_>, found: &str) -> Failure {
        let expected = match at.ty {
            _ if at.literal => "an object inside of `$literal`",
            Type::Dynamic => r#"a value with its type, {"type":…,"value":…},"#,
            Type::String => "a string",
            Type::Number => "a number",
            Type::Bool => "true or false",
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => "an array",
            Type::Map(_) | Type::Object(_) => "an object",
        };
        self.error(at, format_args!("{expected} is expected here, not {found}"))
    }
}

fn failure(at: ReadContext<'_>, error: JsonError) -> Failure {
    Failure(Box::new((at.path.to_path(), error)))
}

pub(super) fn is_marker(key: &str) -> bool {
    matches!(key, "$unknown" | "$sensitive" | "$ephemeral" | "$literal")
}
