//! Values from JSON.

use objchange_text::json::{self, JsonError, Reader, Token};

use super::{Number, Value};

/// The deepest nesting of arrays and objects that is read from JSON.
// The reader refuses deeper texts, so the recursion of `read_json` is bounded as well.
pub const MAX_DEPTH: usize = json::MAX_DEPTH;

impl Value {
    /// Reads a JSON text, with only white space behind it. Numbers keep their written form. If a key is
    /// repeated the last value wins.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or nests deeper than [`MAX_JSON_DEPTH`](super::MAX_JSON_DEPTH).
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        let mut reader = Reader::new(text);
        let value = Self::read_json(&mut reader)?;
        reader.end()?;
        Ok(value)
    }

    /// Reads the JSON value that comes next.
    ///
    /// # Errors
    ///
    /// No JSON value comes next, or it nests too deep.
    pub fn read_json(reader: &mut Reader<'_>) -> Result<Self, JsonError> {
        Ok(match reader.token()? {
            Token::Null => Self::Null,
            Token::Bool(value) => Self::Bool(value),
            Token::String(text) => Self::string(text),
            Token::Number(text) => match Number::parse(text) {
                Some(number) => Self::Number(number),
                None => return Err(reader.error("this number's exponent is too large")),
            },
            Token::Array => {
                let mut items = Vec::new();
                let mut is_first = true;
                while reader.next_element(&mut is_first)? {
                    items.push(Self::read_json(reader)?);
                }
                reader.leave();
                Self::array(items)
            }
            Token::Object => {
                let mut entries = Vec::new();
                let mut is_first = true;
                while let Some(key) = reader.next_member(&mut is_first)? {
                    entries.push((Self::string(key), Self::read_json(reader)?));
                }
                reader.leave();
                Self::object(entries)
            }
        })
    }
}
