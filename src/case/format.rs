//! Reading a case.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::schema::Block;
use crate::value::{ReadError, Type, Value, json_message, place};

/// One case, read as far as its fields.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    text: &'a str,
    id: Option<Cow<'a, str>>,
    op: Cow<'a, str>,
    /// Everything else, in the order of the text.
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

/// Why a case cannot be run: the field that is wrong, and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", field.as_ref().map(|f| format!("`{f}`: ")).unwrap_or_default())]
pub struct CaseError {
    /// The field of the case; `None` if the text as a whole is no case.
    pub field: Option<String>,
    /// What is wrong. Never shows a value.
    pub message: String,
    /// Where in the text of the case, in bytes from 1.
    pub column: usize,
}

impl<'a> Case<'a> {
    /// Reads a case from the text of one JSON object.
    ///
    /// # Errors
    ///
    /// The text is no JSON object with the field `op`, or has a field twice.
    ///
    /// ```
    /// use objchange::case::Case;
    ///
    /// let case = Case::parse(r#"{"id":"a","op":"implied_type","schema":{},"want":{"type":["object",{}]}}"#)?;
    /// assert_eq!((case.id(), case.op()), (Some("a"), "implied_type"));
    /// assert_eq!(
    ///     Case::parse(r#"{"id":"a"}"#).unwrap_err().to_string(),
    ///     "the case has no field `op`, which says what is asked"
    /// );
    /// # Ok::<(), objchange::case::CaseError>(())
    /// ```
    pub fn parse(text: &'a str) -> Result<Self, CaseError> {
        let whole = |error: &serde_json::Error| CaseError {
            field: None,
            message: json_message(error),
            column: position(text, error.line(), error.column()),
        };
        let Fields(fields) = serde_json::from_str(text).map_err(|e| whole(&e))?;
        let mut case = Self { text, id: None, op: Cow::Borrowed(""), fields };
        // An id may be a number as well.
        case.id = match case.optional_field("id") {
            Some(id) if id.starts_with('"') => Some(case.parsed::<String>("id")?.into()),
            other => other.map(Cow::Borrowed),
        };
        if case.optional_field("op").is_none() {
            return Err(case.missing("op", ", which says what is asked"));
        }
        case.op = case.parsed::<String>("op")?.into();
        Ok(case)
    }

    /// The name of the case, if it has one.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The operation that the case asks for.
    pub fn op(&self) -> &str {
        &self.op
    }

    /// A field as its JSON text.
    ///
    /// # Errors
    ///
    /// The case has no such field.
    pub fn field(&self, name: &str) -> Result<&'a str, CaseError> {
        self.optional_field(name).ok_or_else(|| self.missing(name, ""))
    }

    /// A field as its JSON text; `None` if the case has no such field.
    pub fn optional_field(&self, name: &str) -> Option<&'a str> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, raw)| raw.get())
    }

    /// A field read with serde.
    ///
    /// # Errors
    ///
    /// The case has no such field, or what stands there cannot be read as a `T`.
    pub fn parsed<T: DeserializeOwned>(&self, name: &str) -> Result<T, CaseError> {
        let text = self.field(name)?;
        serde_json::from_str(text).map_err(|e| self.wrong_json(name, text, &e))
    }

    /// Whether the case says of some value that it must not be shown.
    pub(super) fn has_marks(&self) -> bool {
        self.text.contains("\"$sensitive\"") || self.text.contains("\"$ephemeral\"")
    }

    /// The names of all fields, in the order of the text.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| &**name)
    }

    /// The schema of the case: a block, or an entry with its version and block, as
    /// `terraform providers schema -json` prints it.
    ///
    /// # Errors
    ///
    /// The case has no schema, or what stands there is none.
    pub fn schema(&self) -> Result<Block, CaseError> {
        #[derive(serde::Deserialize)]
        struct Entry<'a> {
            #[serde(borrow)]
            block: &'a RawValue,
        }
        let text = self.field("schema")?;
        // No block has a member of that name. What is no entry is read as a block, and if it is none, that says why.
        let text = serde_json::from_str::<Entry<'a>>(text).map_or(text, |entry| entry.block.get());
        serde_json::from_str(text).map_err(|e| self.wrong_json("schema", text, &e))
    }

    pub(super) fn value(&self, name: &str, ty: &Type) -> Result<Value, CaseError> {
        self.value_in(name, self.field(name)?, ty)
    }

    pub(super) fn values(&self, name: &str, element: &Type) -> Result<Vec<Value>, CaseError> {
        let text = self.field(name)?;
        let raw: Vec<&RawValue> = serde_json::from_str(text).map_err(|e| self.wrong_json(name, text, &e))?;
        raw.into_iter().map(|raw| self.value_in(name, raw.get(), element)).collect()
    }

    /// A value that stands somewhere inside of a field.
    pub(super) fn value_in(&self, field: &str, text: &'a str, ty: &Type) -> Result<Value, CaseError> {
        Value::from_marker_json(text, ty).map_err(|ReadError { line, column, path, message }| {
            let path = self.schema().map_or_else(|_| path.clone(), |schema| schema.hide_keys(&path));
            let message = format!("{}{message}", place(&path));
            self.wrong(field, message, text, position(text, line, column))
        })
    }

    pub(super) fn wrong_json(&self, field: &str, text: &'a str, error: &serde_json::Error) -> CaseError {
        self.wrong(field, json_message(error), text, position(text, error.line(), error.column()))
    }

    /// The error that something is wrong with a field as a whole.
    pub fn wrong_field(&self, field: &str, message: &str) -> CaseError {
        self.wrong(field, message.to_owned(), self.optional_field(field).unwrap_or(self.text), 1)
    }

    /// An error at a position (in bytes from 1) of a part of the case's text.
    fn wrong(&self, field: &str, message: String, part: &str, position: usize) -> CaseError {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        CaseError { field: Some(field.to_owned()), message, column: offset + position }
    }

    fn missing(&self, name: &str, why: &str) -> CaseError {
        CaseError {
            field: None,
            message: format!("the case has no field `{name}`{why}"),
            column: 1 + self.text.len() - self.text.trim_start().len(),
        }
    }
}

/// The position in a text, in bytes from 1, of a line and column.
fn position(text: &str, line: usize, column: usize) -> usize {
    let lines_before = text.split_inclusive('\n').take(line.saturating_sub(1));
    lines_before.map(str::len).sum::<usize>() + column.max(1)
}

/// The fields of a JSON object, none of them twice.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a case, which is a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
                let mut names = hashbrown::HashSet::new();
                while let Some(name) = map.next_key::<Cow<'de, str>>()? {
                    if !names.insert(name.clone()) {
                        return Err(de::Error::custom(format_args!("the field {name:?} stands twice")));
                    }
                    fields.push((name, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}
