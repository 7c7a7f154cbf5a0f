//! A hints file as a tree, with numbers as they are written.

use objchange::Value;
use objchange::internal::json::{JsonError, Reader, Token, place};
use objchange::value::Number;

use super::HintsError;

/// JSON, its objects in the order of the text.
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn parse(text: &str) -> Result<Self, HintsError> {
        let mut reader = Reader::strict(text);
        let parsed = read(&mut reader).and_then(|json| reader.end().map(|()| json));
        parsed.map_err(|error| {
            let (line, column) = place(text, error.offset());
            HintsError::new(format!("line {line}, column {column}"), error.message())
        })
    }

    /// What it is, in a sentence.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a bool",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The value that it looks like: arrays are tuples, and `{"$sensitive": …}` is marked.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Null => Value::null(objchange::Type::Dynamic),
            Self::Bool(b) => Value::from(*b),
            Self::Number(n) => Value::from(n.clone()),
            Self::String(text) => Value::from(text),
            Self::Array(elements) => Value::tuple(elements.iter().map(Self::value)),
            Self::Object(members) => match members.as_slice() {
                [(key, inner)] if key == super::SENSITIVE => inner.value().sensitive(),
                members => Value::object(members.iter().map(|(key, member)| (key.as_str(), member.value()))),
            },
        }
    }
}

fn read(reader: &mut Reader<'_>) -> Result<Json, JsonError> {
    Ok(match reader.token()? {
        Token::Null => Json::Null,
        Token::Bool(b) => Json::Bool(b),
        Token::Number(text) => {
            Json::Number(Number::parse(text).map_err(|_| reader.mismatch("this number is too large"))?)
        }
        Token::String(text) => Json::String(text.into_owned()),
        Token::Array => {
            let (mut elements, mut is_first) = (Vec::new(), true);
            while reader.next_element(&mut is_first)? {
                elements.push(read(reader)?);
            }
            reader.leave();
            Json::Array(elements)
        }
        Token::Object => {
            let (mut members, mut is_first) = (Vec::new(), true);
            while let Some(key) = reader.next_member(&mut is_first)? {
                members.push((key.into_owned(), read(reader)?));
            }
            reader.leave();
            Json::Object(members)
        }
    })
}
