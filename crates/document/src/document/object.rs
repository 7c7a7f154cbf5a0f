//! Objects as people and tools write them: JSON that states no types.
//!
//! Markers of case files (`{"$unknown":{}}`, `{"$sensitive":…}`) are understood where people write. Where the schema
//! says `dynamic`, `{"type":T,"value":V}` is a value of a stated type, as state files hold it; any other JSON has the
//! type that it looks like.

use std::borrow::Cow;

use hashbrown::HashSet;
use objchange::schema::{Block, CoerceErrorKind, NestingMode};
use objchange::value::{Kind, Marks, Number, Path, PathStep};
use objchange::{Type, Value};
use objchange_text::json::{from_str, place};

use super::error::{DocumentError, Problem};
use super::place::offset_of;
use crate::json::{Json, JsonError, Raw, Reader, Shape};

/// Why a text is not an object of a resource type, and where. Never shows a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ObjectError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The kind of the error, for programs.
    pub kind: ObjectErrorKind,
    /// The message, for people.
    pub message: String,
}

/// A problem with the text of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ObjectErrorKind {
    /// It is not JSON.
    Json,
    /// A key stands twice in an object.
    RepeatedKey,
    /// A part is not a value of the type that it states, or no marker.
    Value,
    /// The object is not one of the schema.
    Schema,
    /// It is a document of Terraform.
    Document,
}

impl ObjectErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::RepeatedKey => "repeated_key",
            Self::Value => "value",
            Self::Schema => "schema",
            Self::Document => "document",
        }
    }
}

/// Whether the markers of case files are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As people write it: with markers.
    Markers,
    /// As Terraform writes it: an object that looks like a marker is plain data.
    Plain,
}

/// Reads an object and brings it into the type of the schema.
///
/// # Errors
///
/// The text is not JSON, has a key twice in one object, or is not an object of the schema.
///
/// ```
/// use objchange::Type;
/// use objchange::schema::{Attribute, Block};
/// use objchange_document::{Form, read_object};
///
/// let schema = Block::new([("size", Attribute::optional(Type::Number))], []);
/// let object = read_object(r#"{"size": {"$sensitive": "10"}}"#, &schema, Form::Markers)?;
/// assert_eq!(object.to_string(), "{size = (sensitive value)}");
/// # Ok::<(), objchange_document::ObjectError>(())
/// ```
pub fn read_object(text: &str, schema: &Block, form: Form) -> Result<Value, ObjectError> {
    let mut reader = Reader::new(text);
    let read = reader.raw().and_then(|raw| reader.end().map(|()| raw));
    let raw = read.map_err(|error| Fault::from(error).in_text(text))?;
    object_of(raw, schema, form).map_err(|fault| fault.in_text(text))
}

/// Like [`read_object`], of a part of a text.
pub(super) fn object_of(raw: Raw<'_>, schema: &Block, form: Form) -> Result<Value, Fault> {
    let value = written(raw, schema, form)?;
    if value.attribute("format_version").is_some() && schema.attribute("format_version").is_none() {
        return Err(Fault {
            offset: raw.offset(),
            kind: ObjectErrorKind::Document,
            message: "this is a document of Terraform, not an object of a resource".to_owned(),
        });
    }
    coerced(raw, &value, schema, form)
}

/// The object of a state under a schema that may have changed since: attributes that it lacks are left out, and those
/// that the state lacks are null. Null becomes an empty object.
pub(super) fn upgraded_of(raw: Raw<'_>, schema: &Block) -> Result<Value, Fault> {
    let value = match raw.text() {
        "null" => Value::object::<&str, Value>([]),
        _ => written(raw, schema, Form::Plain)?,
    };
    let is_of_schema = coerced(raw, &value, schema, Form::Plain);
    is_of_schema.or_else(|_| coerced(raw, &fitted_block(&value, schema), schema, Form::Plain))
}

/// The object with the members of the schema alone. Absent blocks stay absent.
fn fitted_block(value: &Value, schema: &Block) -> Value {
    let Some(given) = value.as_object() else { return value.clone() };
    let attributes = schema.attributes().iter().map(|(name, attribute)| {
        let ty = attribute.implied_type();
        let value = given.get(name).map(|value| fitted(value, ty));
        (name.clone(), value.unwrap_or_else(|| Value::null(ty.without_optional())))
    });
    let blocks = schema.block_types().iter().filter_map(|(name, nested)| {
        let value = given.get(name).filter(|value| !value.is_null())?;
        let block = |value: &Value| fitted_block(value, &nested.block);
        let fitted = match (nested.nesting, value.kind()) {
            (NestingMode::Single | NestingMode::Group, _) => block(value),
            (NestingMode::Map, Kind::Object(object)) => {
                Value::object(object.iter().map(|(key, value)| (key.clone(), block(value))))
            }
            (_, Kind::Tuple(elements)) => Value::tuple(elements.iter().map(block)),
            _ => value.clone(),
        };
        Some((name.clone(), fitted))
    });
    Value::object(attributes.chain(blocks))
}

/// The value with the attributes of the type alone.
fn fitted(value: &Value, ty: &Type) -> Value {
    match (value.kind(), ty) {
        (Kind::Object(given), Type::Object(object)) => {
            Value::object(object.attributes().iter().map(|(name, ty)| {
                let value = given.get(name).map(|value| fitted(value, ty));
                (name.clone(), value.unwrap_or_else(|| Value::null(ty.without_optional())))
            }))
        }
        (Kind::Object(given), Type::Map(element)) => {
            Value::object(given.iter().map(|(key, value)| (key.clone(), fitted(value, element))))
        }
        (Kind::Tuple(elements), Type::List(element) | Type::Set(element)) => {
            Value::tuple(elements.iter().map(|value| fitted(value, element)))
        }
        (Kind::Tuple(elements), Type::Tuple(tuple)) if elements.len() == tuple.elements().len() => {
            Value::tuple(std::iter::zip(elements, tuple.elements()).map(|(value, ty)| fitted(value, ty)))
        }
        _ => value.clone(),
    }
}

/// The value in the type of the schema.
fn coerced(raw: Raw<'_>, value: &Value, schema: &Block, form: Form) -> Result<Value, Fault> {
    schema.coerce_config(value).map_err(|error| {
        let at = match &error.kind {
            CoerceErrorKind::Unsupported { name } => error.path.clone().attribute(name.clone()),
            _ => error.path.clone(),
        };
        let shown = match form {
            // The error without keys, because the state may list these as sensitive elsewhere.
            Form::Plain => schema.coerce_config(&value.clone().sensitive()).err().unwrap_or(error),
            Form::Markers => error,
        };
        Fault { offset: offset_of(raw, &at), kind: ObjectErrorKind::Schema, message: shown.to_string() }
    })
}

/// The value as it is written, its types those of the schema only where nothing else tells them.
pub(super) fn written(raw: Raw<'_>, schema: &Block, form: Form) -> Result<Value, Fault> {
    let mut writing = Writing { form, must_fit: true, path: Vec::new(), hidden_below: None };
    writing.value(&mut raw.reader(), schema.implied_type()).map_err(|misfit| {
        let path: Path = writing.path.iter().cloned().chain(misfit.below).collect();
        let shown = match (form, writing.hidden_below) {
            (Form::Plain, _) => schema.hide_keys_below(&path, 0),
            (Form::Markers, Some(depth)) => schema.hide_keys_below(&path, depth),
            (Form::Markers, None) => schema.hide_keys(&path),
        };
        // Invalid JSON has a place in the text alone, and no path.
        let is_part = misfit.fault.kind == ObjectErrorKind::Value && !shown.is_root();
        let place = if is_part { format!("{shown}: ") } else { String::new() };
        Fault { message: format!("{place}{}", misfit.fault.message), ..misfit.fault }
    })
}

/// The value of a state file, without a schema. An object with `type` and `value` that fit is read as a typed value.
pub(super) fn guessed(raw: Raw<'_>) -> Result<Value, Fault> {
    let mut writing = Writing { form: Form::Plain, must_fit: false, path: Vec::new(), hidden_below: None };
    let mut reader = raw.reader();
    match reader.peek() {
        // An object of a resource is never one, whatever its attributes are called.
        Some(b'{') => writing.entries(&mut reader, &Type::Dynamic),
        _ => writing.value(&mut reader, &Type::Dynamic),
    }
    .map_err(|misfit| misfit.fault)
}

/// A value of the schema's types, with its blocks as values of the schema have them.
pub(super) fn coerced_block(raw: Raw<'_>, value: &Value, schema: &Block) -> Result<Value, Fault> {
    coerced(raw, &fitted_block(value, schema), schema, Form::Plain)
}

/// A problem, at an offset from the start of the document.
pub(super) struct Fault {
    offset: usize,
    kind: ObjectErrorKind,
    message: String,
}

impl Fault {
    pub(super) fn in_text(self, text: &str) -> ObjectError {
        let (line, column) = place(text, self.offset);
        ObjectError { line, column, kind: self.kind, message: self.message }
    }

    /// A problem with a value in this part.
    pub(super) fn at(raw: Raw<'_>, message: String) -> Self {
        Self { offset: raw.offset(), kind: ObjectErrorKind::Value, message }
    }

    pub(super) fn in_document(self, text: &str, location: &str) -> DocumentError {
        DocumentError::at(text, self.offset, location, Problem::Value(self.message))
    }
}

impl From<JsonError> for Fault {
    fn from(error: JsonError) -> Self {
        Self { offset: error.offset(), kind: ObjectErrorKind::Json, message: error.message().to_owned() }
    }
}

/// A problem in the part that is being read, and the steps to it from there.
struct Misfit {
    fault: Fault,
    below: Vec<PathStep>,
}

impl From<JsonError> for Misfit {
    fn from(error: JsonError) -> Self {
        Self { fault: error.into(), below: Vec::new() }
    }
}

/// Makes values of JSON whose type is what it looks like, but for what only the expected one can tell.
struct Writing {
    form: Form,
    /// An object that looks like a typed value and does not fit its type is an error instead of a plain object.
    must_fit: bool,
    /// Where reading is, or was where it failed.
    path: Vec<PathStep>,
    /// How deep the highest marker stands that is open, or was where reading failed: below it keys are not shown.
    hidden_below: Option<usize>,
}

/// A member of an object that is looked at before it is read.
struct Ahead<'t> {
    key: Cow<'t, str>,
    /// Before its value.
    reader: Reader<'t>,
    raw: Raw<'t>,
}

impl Writing {
    fn value(&mut self, reader: &mut Reader<'_>, expected: &Type) -> Result<Value, Misfit> {
        match reader.peek() {
            Some(b'{') => self.object(reader, expected),
            Some(b'[') => {
                let mut elements = Vec::new();
                reader.elements(|reader| {
                    let i = elements.len();
                    let expected = match expected {
                        Type::Tuple(tuple) => tuple.elements().get(i).unwrap_or(&Type::Dynamic),
                        other => other.element().unwrap_or(&Type::Dynamic),
                    };
                    elements.push(self.inside(reader, expected, PathStep::Index(Value::from(i)))?);
                    Ok::<(), Misfit>(())
                })?;
                Ok(Value::tuple(elements))
            }
            _ => {
                let offset = reader.offset();
                match Json::next(reader)?.view().shape() {
                    Shape::Bool(b) => Ok(Value::from(b)),
                    Shape::String(s) => Ok(Value::from(s)),
                    Shape::Number(text) => Number::parse(text)
                        .map(Value::from)
                        .map_err(|error| misfit(offset, error.to_string(), Vec::new())),
                    Shape::Null | Shape::Array(_) | Shape::Object(_) => Ok(Value::null(Type::Dynamic)),
                }
            }
        }
    }

    fn object(&mut self, reader: &mut Reader<'_>, expected: &Type) -> Result<Value, Misfit> {
        match self.special(reader, expected)? {
            Some(value) => {
                reader.raw()?;
                Ok(value)
            }
            None => self.entries(reader, expected),
        }
    }

    /// The value of the next object, if it is a marker or a typed value.
    fn special(&mut self, reader: &Reader<'_>, expected: &Type) -> Result<Option<Value>, Misfit> {
        match few_members(reader).as_slice() {
            [Ahead { key, reader: inside, .. }] if self.form == Form::Markers => {
                let mut inside = inside.clone();
                let marks = match &**key {
                    "$unknown" => return self.stated(reader.clone().raw()?, expected).map(Some),
                    "$literal" if inside.peek() == Some(b'{') => {
                        return self.entries(&mut inside, expected).map(Some);
                    }
                    "$sensitive" => Marks::SENSITIVE,
                    "$ephemeral" => Marks::EPHEMERAL,
                    _ => return Ok(None),
                };
                let outside = self.hidden_below;
                self.hidden_below = outside.or(Some(self.path.len()));
                let value = self.value(&mut inside, expected)?;
                self.hidden_below = outside;
                Ok(Some(value.with_marks(marks)))
            }
            [a, b] if *expected == Type::Dynamic => {
                let (ty, value) = if &*a.key == "type" { (a, b) } else { (b, a) };
                if (&*ty.key, &*value.key) != ("type", "value") {
                    return Ok(None);
                }
                let Ok(ty) = from_str::<Type>(ty.raw.text()) else { return Ok(None) };
                match self.stated(value.raw, &ty.without_optional()) {
                    Err(_) if !self.must_fit => Ok(None),
                    stated => stated.map(Some),
                }
            }
            _ => Ok(None),
        }
    }

    fn entries(&mut self, reader: &mut Reader<'_>, expected: &Type) -> Result<Value, Misfit> {
        let step = |name: &str| match expected {
            Type::Map(_) => PathStep::Index(Value::from(name)),
            _ => PathStep::Attribute(name.into()),
        };
        let mut names = HashSet::new();
        let mut attributes = Vec::new();
        reader.members(|name, reader| {
            if !names.insert(name.clone()) {
                // Not named: it may be a key of a map that the schema calls sensitive.
                let message = "this key stands twice in one object".to_owned();
                reader.peek();
                let offset = reader.offset();
                let fault = Fault { offset, kind: ObjectErrorKind::RepeatedKey, message };
                return Err(Misfit { fault, below: Vec::new() });
            }
            let expected = match expected {
                Type::Object(object) => object.attribute(&name).unwrap_or(&Type::Dynamic),
                other => other.element().unwrap_or(&Type::Dynamic),
            };
            let value = self.inside(reader, expected, step(&name))?;
            attributes.push((name.to_string(), value));
            Ok(())
        })?;
        Ok(Value::object(attributes))
    }

    fn inside(&mut self, reader: &mut Reader<'_>, expected: &Type, step: PathStep) -> Result<Value, Misfit> {
        self.path.push(step);
        let value = self.value(reader, expected)?;
        self.path.pop();
        Ok(value)
    }

    /// A value of a type that is stated.
    fn stated(&self, raw: Raw<'_>, ty: &Type) -> Result<Value, Misfit> {
        let text = raw.text();
        let value = match self.form {
            Form::Markers => Value::from_marker_json(text, ty),
            Form::Plain => Value::from_json(text, ty),
        };
        value.map_err(|error| misfit(raw.offset() + error.offset, error.message, error.path.steps().to_vec()))
    }
}

fn misfit(offset: usize, message: String, below: Vec<PathStep>) -> Misfit {
    Misfit { fault: Fault { offset, kind: ObjectErrorKind::Value, message }, below }
}

/// The members of the object that comes next, if they are few and have the names of what is more than an object.
fn few_members<'t>(reader: &Reader<'t>) -> Vec<Ahead<'t>> {
    let mut members = Vec::new();
    let read = reader.clone().members(|key, reader| {
        let is_special =
            matches!(&*key, "$unknown" | "$sensitive" | "$ephemeral" | "$literal" | "type" | "value");
        if !is_special || members.len() == 2 {
            // Most objects end the search at their first member.
            return Err(reader.error("there are others"));
        }
        let before = reader.clone();
        members.push(Ahead { key, reader: before, raw: reader.raw()? });
        Ok(())
    });
    // Invalid JSON is reported by the next reader.
    if read.is_ok() { members } else { Vec::new() }
}

#[cfg(test)]
mod tests;
