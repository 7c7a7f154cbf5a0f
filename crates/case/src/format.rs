//! Reads a case.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

use objchange::schema::Block;
use objchange::value::{ReadError, Type, Value};
use objchange_text::json::{self, JsonError, RawPart, Reader, place as line_and_column};

/// A case, parsed into its fields.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    text: &'a str,
    id: Option<Cow<'a, str>>,
    op: Cow<'a, str>,
    /// The other fields, in the order of the text.
    fields: Vec<(Cow<'a, str>, &'a str)>,
    /// Replaces the field `schema`.
    schema: Option<&'a Block>,
}

/// The reason why a case cannot be run, with the wrong field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", field.as_ref().map(|f| format!("`{f}`: ")).unwrap_or_default())]
#[non_exhaustive]
pub struct CaseError {
    /// The kind of the error, for programs.
    pub kind: CaseErrorKind,
    /// The field of the case; `None` if the text as a whole is not a case.
    pub field: Option<String>,
    /// The message, for people. Never shows a value.
    pub message: String,
    /// The offset of the error in the text of the case, in bytes; that of the last byte if the text ends too early.
    pub offset: usize,
    /// The line in the text of the case, from 1.
    pub line: usize,
    /// The column in that line, in bytes from 1.
    pub column: usize,
}

/// A problem with a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CaseErrorKind {
    /// The text is not a JSON object, or has a field twice.
    NotACase,
    /// The case lacks a field.
    MissingField,
    /// A field has a value of the wrong form.
    WrongField,
}

impl CaseErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::NotACase => "not_a_case",
            Self::MissingField => "missing_field",
            Self::WrongField => "wrong_field",
        }
    }
}

impl CaseError {
    fn at(text: &str, offset: usize, kind: CaseErrorKind, field: Option<&str>, message: String) -> Self {
        let (line, column) = line_and_column(text, offset);
        Self { kind, field: field.map(str::to_owned), message, offset, line, column: column.max(1) }
    }
}

impl<'a> Case<'a> {
    /// Reads a case from the text of one JSON object.
    ///
    /// # Errors
    ///
    /// The text is not a JSON object with the field `op`, or has a field twice.
    ///
    /// ```
    /// use objchange_case::Case;
    ///
    /// let case = Case::parse(r#"{"id":"a","op":"implied_type","schema":{},"want":{"type":["object",{}]}}"#)?;
    /// assert_eq!((case.id(), case.op()), (Some("a"), "implied_type"));
    /// assert_eq!(
    ///     Case::parse(r#"{"id":"a"}"#).unwrap_err().to_string(),
    ///     "the case has no field `op`, which says what is asked"
    /// );
    /// # Ok::<(), objchange_case::CaseError>(())
    /// ```
    pub fn parse(text: &'a str) -> Result<Self, CaseError> {
        let mut case = Self::asking("", text)?;
        // An `id` may also be a number.
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

    /// A case for this operation; its text needs no field `op`.
    ///
    /// # Errors
    ///
    /// The text is not a JSON object, or has a field twice.
    ///
    /// ```
    /// use objchange_case::{Answer, Case};
    ///
    /// let case = Case::asking("action_for_change", r#"{"type":"number","before":1,"after":2}"#)?;
    /// assert_eq!(case.answer()?, Some(Answer::Action("update")));
    /// # Ok::<(), objchange_case::CaseError>(())
    /// ```
    pub fn asking(operation: &'a str, text: &'a str) -> Result<Self, CaseError> {
        let fields = fields(text).map_err(|error| {
            let at = within(text, error.offset());
            CaseError::at(text, at, CaseErrorKind::NotACase, None, error.into_message().into_owned())
        })?;
        Ok(Self { text, id: None, op: Cow::Borrowed(operation), fields, schema: None })
    }

    /// Uses this schema in place of the field `schema`.
    #[must_use]
    pub fn with_schema(self, schema: &'a Block) -> Self {
        Self { schema: Some(schema), ..self }
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
        self.fields.iter().find(|(n, _)| n == name).map(|(_, part)| *part)
    }

    /// A field read with serde.
    ///
    /// # Errors
    ///
    /// The case has no such field, or the field cannot be read as a `T`.
    pub fn parsed<T: DeserializeOwned>(&self, name: &str) -> Result<T, CaseError> {
        let text = self.field(name)?;
        json::from_str(text).map_err(|e| self.wrong_json(name, text, e))
    }

    /// Whether a value in the case is marked.
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
    /// The case has no schema, or its schema cannot be read.
    pub fn schema(&self) -> Result<Block, CaseError> {
        match self.schema {
            Some(schema) => Ok(schema.clone()),
            None => self.read_schema(self.field("schema")?),
        }
    }

    /// Reads a schema in the form of a case's field `schema`.
    ///
    /// # Errors
    ///
    /// The text is not a schema.
    ///
    /// ```
    /// use objchange_case::Case;
    ///
    /// let block = Case::parse_schema(r#"{"version":1,"block":{"attributes":{"a":{"type":"string","optional":true}}}}"#)?;
    /// assert_eq!(block.implied_type().to_string(), r#"["object",{"a":"string"}]"#);
    /// # Ok::<(), objchange_case::CaseError>(())
    /// ```
    pub fn parse_schema(text: &'a str) -> Result<Block, CaseError> {
        Self { text, id: None, op: Cow::Borrowed(""), fields: Vec::new(), schema: None }.read_schema(text)
    }

    fn read_schema(&self, text: &'a str) -> Result<Block, CaseError> {
        #[derive(serde::Deserialize)]
        struct Entry<'a> {
            #[serde(borrow)]
            block: RawPart<'a>,
        }
        // No block has a member called `block`, so only an entry parses as `Entry`. Everything else is read
        // as a block, and the error of that attempt is reported.
        let text = json::from_str::<Entry<'a>>(text).map_or(text, |entry| entry.block.0);
        json::from_str(text).map_err(|e| self.wrong_json("schema", text, e))
    }

    /// A field as a value of this type, in the form with markers.
    ///
    /// # Errors
    ///
    /// The case has no such field, or the field does not hold a value of this type.
    pub fn value(&self, name: &str, ty: &Type) -> Result<Value, CaseError> {
        self.value_in(name, self.field(name)?, ty)
    }

    pub(super) fn values(&self, name: &str, element: &Type) -> Result<Vec<Value>, CaseError> {
        let text = self.field(name)?;
        let parts: Vec<RawPart<'a>> = json::from_str(text).map_err(|e| self.wrong_json(name, text, e))?;
        parts.into_iter().map(|part| self.value_in(name, part.0, element)).collect()
    }

    /// A value inside of a field, given as its part of the field's text.
    ///
    /// # Errors
    ///
    /// The text is not a value of this type.
    pub fn value_in(&self, field: &str, text: &'a str, ty: &Type) -> Result<Value, CaseError> {
        Value::from_marker_json(text, ty).map_err(|ReadError { offset, path, message, .. }| {
            let path = self.schema().map_or_else(|_| path.clone(), |schema| schema.hide_keys(&path));
            let place = if path.is_root() { String::new() } else { format!("{path}: ") };
            let message = format!("{place}{message}");
            self.wrong(field, message, text, within(text, offset))
        })
    }

    /// The error for a part of a field, with this text, that cannot be read.
    pub fn wrong_json(&self, field: &str, text: &'a str, error: JsonError) -> CaseError {
        let at = within(text, error.offset());
        self.wrong(field, error.into_message().into_owned(), text, at)
    }

    /// The error for a field that is wrong as a whole.
    pub fn wrong_field(&self, field: &str, message: &str) -> CaseError {
        self.wrong(field, message.to_owned(), self.optional_field(field).unwrap_or(self.text), 0)
    }

    /// An error at a byte of a part of the case's text.
    fn wrong(&self, field: &str, message: String, part: &str, at: usize) -> CaseError {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        CaseError::at(self.text, start + at, CaseErrorKind::WrongField, Some(field), message)
    }

    fn missing(&self, name: &str, why: &str) -> CaseError {
        let start = self.text.len() - self.text.trim_start().len();
        let message = format!("the case has no field `{name}`{why}");
        CaseError::at(self.text, start, CaseErrorKind::MissingField, None, message)
    }
}

/// The offset, or that of the last byte if the text ends too early.
fn within(text: &str, offset: usize) -> usize {
    offset.min(text.len().saturating_sub(1))
}

/// The fields of a case with their texts, none of them twice.
fn fields(text: &str) -> Result<Vec<(Cow<'_, str>, &str)>, JsonError> {
    let mut reader = Reader::strict(text);
    let mut fields = Vec::new();
    let mut names = hashbrown::HashSet::new();
    let is_object = reader.peek().is_none_or(|first| first == b'{');
    if !is_object {
        let expected = "a case, which is a JSON object, is expected here";
        return Err(reader.clone().skip().err().unwrap_or_else(|| reader.error(expected)));
    }
    reader.deepen(b'{')?;
    let mut is_first = true;
    while let Some(name) = reader.next_name(&mut is_first)? {
        if !names.insert(name.clone()) {
            return Err(reader.mismatch(format!("the field {name:?} is used twice")));
        }
        reader.colon()?;
        reader.peek();
        let start = reader.offset();
        reader.skip()?;
        fields.push((name, &text[start..reader.offset()]));
    }
    reader.end()?;
    Ok(fields)
}
