//! Values with their marks: parts that are unknown until apply, and sensitive parts.

use objchange::schema::{Block, CoerceError};
use objchange::value::{Number, ParseNumberError, Path, PathStep};
use objchange::{Type, Value};
use objchange_document::json::{Json, Shape, View};

use super::Answer;

/// A value of a document, or a part of one, with marks for parts that are unknown until apply and for sensitive ones.
///
/// It is a view and costs nothing to make: nothing is copied out of the document. `Debug` shows only the shape.
#[derive(Debug, Clone, Copy)]
pub struct Marked<'v, 't> {
    /// The value; `None` if only marks are present.
    value: Option<View<'v, 't>>,
    /// The unknown marks, in its shape.
    unknown: View<'v, 't>,
    /// The sensitive marks, in its shape; a part is sensitive if either has it.
    sensitive: [View<'v, 't>; 2],
}

/// A value of a document cannot become a value of the engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectValueError {
    /// A number is not one that Terraform could have written.
    #[error(transparent)]
    Number(#[from] ParseNumberError),
    /// It does not fit its schema.
    #[error(transparent)]
    Schema(#[from] CoerceError),
}

impl ObjectValueError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Number(error) => error.kind(),
            Self::Schema(error) => error.kind.kind(),
        }
    }
}

/// A [`Marked`] value to be written with `{"$unknown": {}}` wherever something is unknown.
#[derive(Debug, Clone, Copy)]
pub struct Full<'v, 't>(pub(super) Marked<'v, 't>);

impl<'v, 't> Marked<'v, 't> {
    /// A value without marks.
    pub fn plain(value: View<'v, 't>) -> Self {
        Self::known(value, [value.bool(false); 2])
    }

    /// A wholly known value.
    pub(crate) fn known(value: View<'v, 't>, sensitive: [View<'v, 't>; 2]) -> Self {
        Self { value: Some(value), unknown: value.bool(false), sensitive }
    }

    /// Removes the marks of null: the absence of an object is neither secret nor unknown.
    #[must_use]
    pub fn without_null_marks(self) -> Self {
        match self.value {
            Some(value) if value.is_null() => Self::plain(value),
            _ => self,
        }
    }

    /// A value that these marks say what is unknown of.
    pub(crate) fn partly_known(
        value: Option<View<'v, 't>>,
        unknown: View<'v, 't>,
        sensitive: [View<'v, 't>; 2],
    ) -> Self {
        Self { value, unknown, sensitive }
    }

    /// Replaces the unknown marks.
    #[must_use]
    pub fn with_unknown(self, unknown: View<'v, 't>) -> Self {
        Self { unknown, ..self }
    }

    /// The value as the document has it, secrets included: unknown members of objects are missing, and unknown elements
    /// are null. `None` if it is unknown and absent.
    pub fn exact(&self) -> Option<View<'v, 't>> {
        self.value
    }

    /// Whether all of it is unknown until apply.
    pub fn is_unknown(&self) -> bool {
        covers(self.unknown, self.value)
    }

    /// Whether it or any part of it is unknown until apply.
    pub fn has_unknown(&self) -> bool {
        self.unknown.has_true() || self.is_unknown()
    }

    /// Whether all of it is sensitive.
    pub fn is_sensitive(&self) -> bool {
        self.sensitive.iter().any(|marks| covers(*marks, self.value))
    }

    /// Whether it or any part of it is sensitive.
    pub fn has_sensitive(&self) -> bool {
        self.sensitive.iter().any(|marks| marks.has_true()) || self.is_sensitive()
    }

    /// The answer about it: its value, as far as it is known.
    pub fn answer(self) -> Answer<'v, 't> {
        match self.value {
            _ if self.is_unknown() => Answer::Unknown { sensitive: self.is_sensitive() },
            Some(_) => Answer::Known(self),
            None => Answer::Absent,
        }
    }

    /// The answer about the part at a path.
    ///
    /// Everything beneath an unknown part is unknown. A key of a map is found by either form of step; null, strings,
    /// numbers and bools have no parts.
    pub fn at(self, path: &Path) -> Answer<'v, 't> {
        path.steps().iter().fold(self.answer(), |answer, step| match answer {
            Answer::Known(marked) => marked.step(step),
            other => other,
        })
    }

    fn step(self, step: &PathStep) -> Answer<'v, 't> {
        match step {
            PathStep::Attribute(name) => self.member(name),
            PathStep::Index(key) => match (key.as_str(), key.as_number()) {
                (Some(key), _) => self.member(key),
                // Terraform converts such an index: `{"1" = "x"}[1]` is "x" in the console of 1.11.4, for objects and
                // maps.
                (None, Some(number)) if self.is_object() => self.member(&number.to_string()),
                (None, Some(number)) => match number.as_u64().map(usize::try_from) {
                    Some(Ok(index)) => self.element(index),
                    _ => Answer::Absent,
                },
                (None, None) => Answer::Absent,
            },
        }
    }

    /// The answer about a member of an object or a map.
    pub fn member(self, key: &str) -> Answer<'v, 't> {
        self.below(|view| view.get(key)).answer()
    }

    /// The part at a position as it is in the document, whatever is said of it: among the elements, or among
    /// the members in the order of their keys. None where only marks are.
    pub fn part(self, position: usize) -> Option<Self> {
        match self.value?.shape() {
            Shape::Array(elements) => {
                Some(self.beside(Some(elements.get(position)?), |view| view.elements().get(position)))
            }
            Shape::Object(members) => {
                let value = members.value_at(position)?;
                // Most marks need no key, whose text is elsewhere.
                Some(self.beside(Some(value), |view| view.get(members.at_position(position)?.0)))
            }
            _ => None,
        }
    }

    /// A member of an object or map as it is in the document, whatever is said of it.
    pub fn there(self, key: &str) -> Option<Self> {
        Some(self.below(|view| view.get(key))).filter(|member| member.value.is_some())
    }

    /// The member of an object or a map of this name, with its marks, even if only those are there.
    #[cfg(feature = "query")]
    pub(crate) fn part_of(self, key: &str) -> Self {
        self.below(|view| view.get(key))
    }

    /// The answer about an element of a list, set or tuple, by its position.
    pub fn element(self, index: usize) -> Answer<'v, 't> {
        self.below(|view| view.elements().get(index)).answer()
    }

    /// Members by key: present ones, then unknown ones. Empty for other values.
    pub fn members(self) -> impl Iterator<Item = (&'v str, Self)> {
        let there = self.value.map(|value| value.members().iter());
        // Terraform leaves unknown attributes out of `after`: only `after_unknown` has their names.
        let only_marked = self.is_object().then(|| self.unknown.members().iter()).into_iter().flatten();
        let only_marked = only_marked
            .filter(move |(key, marks)| marks.has_true() && self.value.is_some_and(|v| v.get(key).is_none()));
        let keys = there.into_iter().flatten().chain(only_marked).map(|(key, _)| key);
        keys.map(move |key| (key, self.below(|view| view.get(key))))
    }

    /// The elements of a list, set or tuple. None of any other value.
    pub fn elements(self) -> impl Iterator<Item = Self> {
        let there = self.value.map_or(0, |value| value.elements().len());
        let is_array = matches!(self.value.map(View::shape), Some(Shape::Array(_)));
        let marked = if is_array { self.unknown.elements().len() } else { 0 };
        (0..there.max(marked)).map(move |index| self.below(|view| view.elements().get(index)))
    }

    /// Writes the value with `{"$unknown": {}}` for each part that is unknown until apply.
    pub fn full(self) -> Full<'v, 't> {
        Full(self)
    }

    /// Converts to a value of the engine, with unknown parts and sensitive marks. Types come from the JSON; a schema
    /// knows more ([`Block::coerce_config`](objchange::schema::Block::coerce_config)). `None` without a value.
    ///
    /// # Errors
    ///
    /// A number is not one that Terraform could have written.
    ///
    /// ```
    /// use objchange_document::json::Json;
    /// use objchange_policy::Marked;
    ///
    /// let (value, marks) = (Json::parse(r#"{"ports":[80,443]}"#)?, Json::parse(r#"{"id":true}"#)?);
    /// let marked = Marked::plain(value.view()).with_unknown(marks.view());
    /// assert_eq!(marked.to_value()?.unwrap().to_string(), "{id = (known after apply), ports = [80, 443]}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_value(self) -> Result<Option<Value>, ParseNumberError> {
        let value = match self.value {
            _ if self.is_unknown() => Value::unknown(Type::Dynamic),
            None => return Ok(None),
            Some(value) => match value.shape() {
                // How deep it nests was limited when it was read.
                Shape::Array(_) => {
                    let elements = self.elements().map(Self::to_part);
                    Value::tuple(elements.collect::<Result<Vec<_>, _>>()?)
                }
                Shape::Object(_) => {
                    let members = self.members().map(|(name, member)| Ok((name, member.to_part()?)));
                    Value::object(members.collect::<Result<Vec<_>, _>>()?)
                }
                Shape::Null => Value::null(Type::Dynamic),
                Shape::Bool(value) => Value::from(value),
                Shape::Number(text) => Value::from(Number::parse(text)?),
                Shape::String(text) => Value::from(text),
            },
        };
        Ok(Some(if self.is_sensitive() { value.sensitive() } else { value }))
    }

    /// The value as one of the engine, in the types of the schema of its resource if there is one, and with what that calls
    /// sensitive marked. Where nothing stands it is null; a null that is known is no secret.
    ///
    /// # Errors
    ///
    /// A number is none that Terraform could have written, or the value does not fit the schema.
    pub fn to_object(self, schema: Option<&Block>) -> Result<Value, ObjectValueError> {
        let marked = if self.is_unknown() { self } else { self.without_null_marks() };
        let value = marked.to_value()?.unwrap_or_else(|| Value::null(Type::Dynamic));
        match schema.filter(|_| !value.is_null()) {
            Some(schema) => Ok(schema.mark_hidden(&schema.coerce_config(&value)?)),
            None => Ok(value),
        }
    }

    fn to_part(self) -> Result<Value, ParseNumberError> {
        Ok(self.to_value()?.unwrap_or_else(|| Value::null(Type::Dynamic)))
    }

    fn is_object(&self) -> bool {
        matches!(self.value.map(View::shape), Some(Shape::Object(_)))
    }

    /// The part one step further.
    fn below(self, step: impl Fn(View<'v, 't>) -> Option<View<'v, 't>>) -> Self {
        self.beside(self.value.and_then(&step), step)
    }

    /// The part one step further, with its value; marks that are `true` or `false` hold for all below.
    fn beside(
        self,
        value: Option<View<'v, 't>>,
        step: impl Fn(View<'v, 't>) -> Option<View<'v, 't>>,
    ) -> Self {
        let marks = |marks: View<'v, 't>, all: bool| match marks.is_bool() || all {
            true => marks.bool(marks.is_true() || all),
            false => step(marks).unwrap_or(marks.bool(false)),
        };
        Self {
            value,
            unknown: marks(self.unknown, false),
            sensitive: self.sensitive.map(|sensitive| marks(sensitive, covers(sensitive, self.value))),
        }
    }
}

/// Whether the mark covers the whole value. Marks that do not fit its shape cover all of it, so that a mistake hides.
fn covers(marks: View<'_, '_>, value: Option<View<'_, '_>>) -> bool {
    if marks.is_bool() {
        return marks.is_true();
    }
    match (marks.shape(), value.map(View::shape)) {
        (Shape::Bool(all), _) => all,
        (Shape::Null, _) => false,
        (Shape::Object(_), Some(Shape::Object(_))) | (Shape::Array(_), Some(Shape::Array(_))) => false,
        (Shape::Object(_) | Shape::Array(_), _) => marks.has_true(),
        (Shape::Number(_) | Shape::String(_), _) => true,
    }
}

/// Replaces marks without a `true` by `false`, which is faster to read.
pub(crate) fn simplified(marks: Json<'_>) -> Json<'_> {
    fn marks_nothing(marks: View<'_, '_>) -> bool {
        match marks.shape() {
            Shape::Null | Shape::Bool(false) => true,
            Shape::Bool(true) | Shape::Number(_) | Shape::String(_) => false,
            Shape::Array(elements) => elements.iter().all(marks_nothing),
            Shape::Object(members) => members.iter().all(|(_, member)| marks_nothing(member)),
        }
    }
    if marks_nothing(marks.view()) { marks.view().bool(false).to_json() } else { marks }
}
