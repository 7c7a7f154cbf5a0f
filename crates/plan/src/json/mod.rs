//! JSON as plan documents have it: numbers as their text, strings borrowed from the document.
//!
//! This is a reader of its own because the answer depends on what a general one forgets: a number's exact
//! text, the rules of Go's decoder for repeated keys and lone surrogates, and where in the document a part
//! stands. Reading a value costs one pass; [`Raw`] passes over one without building it.

mod raw;
mod read;
mod skip;
mod string;

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::text::Text;
pub use raw::Raw;
pub use read::{JsonError, MAX_DEPTH, Reader};

/// A JSON value, borrowed from the text it was read from as far as that is possible.
///
/// Two values are equal if they have the same structure and the same text for each number. A clone shares what is
/// inside.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Json<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written.
    Number(&'t str),
    /// A string, its escapes resolved.
    String(Text<'t>),
    /// The elements in order.
    Array(Arc<[Json<'t>]>),
    /// The members, sorted by key; of a repeated key the last one counts.
    Object(Arc<[(Text<'t>, Json<'t>)]>),
}

/// Large documents are mostly values.
const _: () = assert!(size_of::<Json<'_>>() == 3 * size_of::<usize>());

impl<'t> Json<'t> {
    /// Reads one value that is all of the text.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value, or nests deeper than [`MAX_DEPTH`].
    ///
    /// ```
    /// use objchange_plan::Json;
    ///
    /// let value = Json::parse(r#"{"b": 1.50, "a": null, "b": 2e3}"#)?;
    /// assert_eq!(value.get("b"), Some(&Json::Number("2e3")));
    /// assert!(Json::parse("{").is_err());
    /// # Ok::<(), objchange_plan::JsonError>(())
    /// ```
    pub fn parse(text: &'t str) -> Result<Self, JsonError> {
        Self::parse_at_depth(text, 0)
    }

    /// Reads one value that is all of the text, around which are `depth` levels already.
    pub(crate) fn parse_at_depth(text: &'t str, depth: usize) -> Result<Self, JsonError> {
        let mut reader = Reader::at_depth(text, depth);
        let value = reader.value()?;
        reader.end()?;
        Ok(value)
    }

    /// The member of this name, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json<'t>> {
        let members = self.members();
        members.binary_search_by(|(k, _)| k.as_str().cmp(key)).ok().map(|i| &members[i].1)
    }

    /// As [`Json::get`], for names that are asked for in their order: `at` is where the next one is expected.
    #[inline]
    pub(crate) fn get_next(&self, key: &str, at: &mut usize) -> Option<&Json<'t>> {
        let members = self.members();
        if members.is_empty() {
            return None;
        }
        let expected = members.get(*at).map(|(k, _)| k.as_str().cmp(key));
        match expected {
            Some(Ordering::Equal) => {
                *at += 1;
                Some(&members[*at - 1].1)
            }
            Some(Ordering::Greater) | None
                if *at == 0 || members[..*at].last().is_some_and(|m| &*m.0 < key) =>
            {
                None
            }
            _ => {
                let found = members.binary_search_by(|(k, _)| k.as_str().cmp(key));
                *at = found.map_or_else(|at| at, |at| at + 1);
                found.ok().map(|i| &members[i].1)
            }
        }
    }

    /// The members of an object; none for every other value.
    pub fn members(&self) -> &[(Text<'t>, Json<'t>)] {
        match self {
            Json::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array; none for every other value.
    pub fn elements(&self) -> &[Json<'t>] {
        match self {
            Json::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// Whether this is `true`.
    pub fn is_true(&self) -> bool {
        matches!(self, Json::Bool(true))
    }

    /// Whether `true` stands anywhere inside.
    pub(crate) fn has_true(&self) -> bool {
        match self {
            Json::Bool(b) => *b,
            Json::Array(elements) => elements.iter().any(Json::has_true),
            Json::Object(members) => members.iter().any(|(_, v)| v.has_true()),
            _ => false,
        }
    }
}

/// The marks of a value; all of it is marked where they are none that could be of it, so that a mistake in them
/// hides and does not show.
pub(crate) fn closed<'t>(marks: Json<'t>, value: &Json<'_>) -> Json<'t> {
    if are_of_other(&marks, value) { Json::Bool(true) } else { marks }
}

fn are_of_other(marks: &Json<'_>, value: &Json<'_>) -> bool {
    match (marks, value) {
        (Json::Null | Json::Bool(_), _) => false,
        (Json::Number(_) | Json::String(_), _) => true,
        (Json::Object(marks), Json::Object(_) | Json::Null) => {
            marks.iter().any(|(key, marks)| are_of_other(marks, value.get(key).unwrap_or(&Json::Null)))
        }
        (Json::Array(marks), Json::Array(_) | Json::Null) => {
            let element = |i| value.elements().get(i).unwrap_or(&Json::Null);
            marks.iter().enumerate().any(|(i, marks)| are_of_other(marks, element(i)))
        }
        _ => marks.has_true(),
    }
}

/// Shows the shape alone: a value may be secret.
impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(_) => f.write_str("bool"),
            Json::Number(_) => f.write_str("number"),
            Json::String(_) => f.write_str("string"),
            Json::Array(elements) => write!(f, "array of {}", elements.len()),
            Json::Object(members) => write!(f, "object of {}", members.len()),
        }
    }
}

/// A number of this text for serde, which keeps the text.
pub(crate) fn number(text: &str) -> serde_json::Number {
    serde_json::Number::from_string_unchecked(text.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_in_any_order_are_found_where_they_are(
            names in proptest::collection::btree_set("[a-d]{1,2}", 0..6),
            asked in proptest::collection::vec("[a-d]{1,2}", 0..12),
        ) {
            let members = names.iter().map(|name| (Text::from(name.as_str()), Json::String(name.as_str().into())));
            let object = Json::Object(members.collect());
            let mut at = 0;
            for name in &asked {
                prop_assert_eq!(object.get_next(name, &mut at), object.get(name));
            }
        }
    }
}
