//! Reading a case.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::schema::Block;
use crate::value::{ReadError, Type, Value, message_of};

/// One case, read as far as its fields.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    id: Cow<'a, str>,
    op: Cow<'a, str>,
    fields: BTreeMap<Cow<'a, str>, &'a RawValue>,
}

/// Why a case cannot be run: the field that is wrong, and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", field.as_ref().map(|f| format!("`{f}`: ")).unwrap_or_default())]
pub struct CaseError {
    /// The field of the case; `None` if the line as a whole is no case.
    pub field: Option<String>,
    /// What is wrong.
    pub message: String,
    /// Where in the line, in bytes from 1.
    pub column: usize,
}

impl<'a> Case<'a> {
    /// Reads a case from the text of one JSON object.
    ///
    /// # Errors
    ///
    /// The text is no JSON object with the fields `op` and `want`.
    pub fn parse(text: &'a str) -> Result<Self, CaseError> {
        let mut fields: BTreeMap<Cow<'a, str>, &'a RawValue> =
            serde_json::from_str(text).map_err(|e| CaseError::from_json(None, &e))?;
        let mut text_field = |name: &str| -> Result<Option<Cow<'a, str>>, CaseError> {
            let Some(raw) = fields.remove(name) else { return Ok(None) };
            match serde_json::from_str::<Cow<'a, str>>(raw.get()) {
                Ok(text) => Ok(Some(text)),
                // An id may be a number as well.
                Err(_) if name == "id" => Ok(Some(Cow::Borrowed(raw.get()))),
                Err(e) => Err(CaseError::from_json(Some(name), &e)),
            }
        };
        let id = text_field("id")?.unwrap_or(Cow::Borrowed("(no id)"));
        let op = text_field("op")?.ok_or_else(|| CaseError::missing("op"))?;
        Ok(Self { id, op, fields })
    }

    /// The name of the case.
    pub fn id(&self) -> &str {
        &self.id
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
        self.optional_field(name).ok_or_else(|| CaseError::missing(name))
    }

    /// A field as its JSON text; `None` if the case has no such field.
    pub fn optional_field(&self, name: &str) -> Option<&'a str> {
        self.fields.get(name).map(|raw| raw.get())
    }

    pub(super) fn parsed<T: DeserializeOwned>(&self, name: &str) -> Result<T, CaseError> {
        serde_json::from_str(self.field(name)?).map_err(|e| CaseError::from_json(Some(name), &e))
    }

    pub(super) fn schema(&self) -> Result<Block, CaseError> {
        self.parsed("schema")
    }

    pub(super) fn value(&self, name: &str, ty: &Type) -> Result<Value, CaseError> {
        Value::from_marker_json(self.field(name)?, ty).map_err(|e| CaseError::from_value(name, &e))
    }

    pub(super) fn values(&self, name: &str, element: &Type) -> Result<Vec<Value>, CaseError> {
        let raw: Vec<&RawValue> =
            serde_json::from_str(self.field(name)?).map_err(|e| CaseError::from_json(Some(name), &e))?;
        raw.into_iter()
            .map(|raw| {
                Value::from_marker_json(raw.get(), element).map_err(|e| CaseError::from_value(name, &e))
            })
            .collect()
    }
}

impl CaseError {
    fn missing(name: &str) -> Self {
        Self { field: None, message: format!("the case has no field `{name}`"), column: 1 }
    }

    pub(super) fn from_json(field: Option<&str>, error: &serde_json::Error) -> Self {
        Self { field: field.map(str::to_owned), message: message_of(error), column: error.column() }
    }

    pub(super) fn from_value(field: &str, error: &ReadError) -> Self {
        Self { field: Some(field.to_owned()), message: error.message.clone(), column: error.column }
    }
}
