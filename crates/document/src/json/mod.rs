//! JSON in plan documents: numbers as their text, strings borrowed from the document, nodes of a value in one vector.
//! The reader is the engine's: reading a value takes one pass, and [`Raw`] skips one without building it.

mod compare;
pub(crate) mod field;
mod make;
mod tree;
mod view;

use std::fmt;
use std::sync::Arc;

use serde::ser::{Error, Serialize, Serializer};
use serde_json::value::RawValue;

pub use make::{doubtful_marks, fitted_marks, union_marks};
pub(crate) use objchange_text::json::write_string;
pub use objchange_text::json::{JsonError, JsonErrorKind, MAX_DEPTH, Raw, Reader};
pub use tree::{Builder, Built, Open};
use tree::{Node, Tree};
pub use view::{Elements, Members, Shape, View};

/// A JSON value, borrowed from the text it was read from as far as that is possible.
///
/// Two values are equal if they have the same structure and the same text for each number. A clone shares what is
/// inside.
#[derive(Clone)]
pub struct Json<'t> {
    tree: Arc<Tree<'t>>,
    root: Node,
}

impl<'t> Json<'t> {
    /// Reads one value that is all of the text.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value, or nests deeper than [`MAX_DEPTH`].
    ///
    /// ```
    /// use objchange_document::json::{Json, Shape};
    ///
    /// let value = Json::parse(r#"{"b": 1.50, "a": null, "b": 2e3}"#)?;
    /// assert_eq!(value.view().get("b").map(|b| b.shape()), Some(Shape::Number("2e3")));
    /// assert!(Json::parse("{").is_err());
    /// # Ok::<(), objchange_document::json::JsonError>(())
    /// ```
    pub fn parse(text: &'t str) -> Result<Self, JsonError> {
        Self::parse_at_depth(text, 0)
    }

    /// Reads one value that is all of the text, around which are `depth` levels already.
    pub fn parse_at_depth(text: &'t str, depth: usize) -> Result<Self, JsonError> {
        let mut reader = Reader::new(text).at_depth(depth);
        let value = Self::next(&mut reader)?;
        reader.end()?;
        Ok(value)
    }

    /// Reads a value that was set aside.
    ///
    /// # Errors
    ///
    /// The text is not a JSON value. The offset of the error counts from the start of the document.
    pub fn read(raw: &Raw<'t>) -> Result<Self, JsonError> {
        let mut builder = Builder::for_values(&[raw]);
        let value = builder.read(raw)?;
        Ok(builder.finish()(value))
    }

    /// Reads the value that comes next.
    ///
    /// # Errors
    ///
    /// No JSON value comes next.
    pub fn next(reader: &mut Reader<'t>) -> Result<Self, JsonError> {
        let mut builder = Builder::new(reader.text(), reader.offset());
        let value = builder.whole(reader)?;
        Ok(builder.finish()(value))
    }

    /// `null`
    pub fn null() -> Self {
        Builder::new("", 0).finish()(Built::NULL)
    }

    /// The value, to look at.
    pub fn view(&self) -> View<'_, 't> {
        View { tree: &self.tree, node: &self.root }
    }
}

impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl Eq for Json<'_> {}

/// Shows the shape alone: a value may be secret.
impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

/// The marks of a value, or a mark on all of it where they do not fit it: a mistake in the marks hides the value, and
/// does not show it.
pub fn marks_or_all<'t>(marks: Json<'t>, value: &Json<'_>) -> Json<'t> {
    // Most marks mark nothing, and fit everything then.
    let fits = !marks.view().says_something() || marks.view().can_mark(value.view());
    if fits { marks } else { marks.view().bool(true).to_json() }
}

/// Hands over a number with all of its digits: as an integer of 64 bits or a double where JSON writes that the same way,
/// and else as its text, which only the serializers of `serde_json` take for a number.
pub fn serialize_number<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let bare = text.strip_prefix('-').unwrap_or(text);
    // As an integer, `-0` would lose its sign.
    if bare.bytes().all(|byte| byte.is_ascii_digit()) && text != "-0" {
        if let Ok(integer) = text.parse() {
            return serializer.serialize_u64(integer);
        }
        if let Ok(integer) = text.parse() {
            return serializer.serialize_i64(integer);
        }
    } else if let Ok(double) = text.parse::<f64>()
        && serde_json::to_string(&double).is_ok_and(|written| written == text)
    {
        return serializer.serialize_f64(double);
    }
    serde_json::from_str::<&RawValue>(text).map_err(Error::custom)?.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Around the size from which on a container has a list of its own.
        #[test]
        fn of_repeated_keys_the_last_counts_however_many_there_are(
            count in prop_oneof![0..20usize, 2040..2060usize, 4090..4100usize, 6000..6010usize],
            keys in 1..5000usize,
        ) {
            let key = |i: usize| format!("k{}\\n", i * 7919 % keys);
            let members: Vec<_> = (0..count).map(|i| format!("\"{}\":[{i},[]]", key(i))).collect();
            let text = format!("[0,{{{}}},\"\\u0031\"]", members.join(","));
            let wanted: BTreeMap<_, _> = (0..count).map(|i| (key(i).replace("\\n", "\n"), i.to_string())).collect();
            let read = Json::parse(&text).unwrap();
            let [first, object, last] = [0, 1, 2].map(|i| read.view().elements().at(i));
            prop_assert_eq!((first.shape(), last.as_str()), (Shape::Number("0"), Some("1")));
            let found = object.members().iter().map(|(key, value)| (key, value.elements().at(0).shape()));
            prop_assert!(found.eq(wanted.iter().map(|(key, value)| (key.as_str(), Shape::Number(value)))));
            for key in wanted.keys() {
                prop_assert!(object.get(key).is_some_and(|value| value.elements().at(1).elements().is_empty()));
            }
        }
    }

    #[test]
    fn texts_may_be_longer_than_a_node_says() {
        for len in [(1 << 24) - 2, (1 << 24) - 1, 1 << 24] {
            let (digits, letters) = ("1".repeat(len), "a".repeat(len - 1));
            let text = format!("[{digits},\"{letters}b\",\"{letters}\\n\",2]");
            let read = Json::parse(&text).unwrap();
            let elements = read.view().elements();
            assert!(elements.at(0).shape() == Shape::Number(&digits));
            assert!(elements.at(1).as_str().is_some_and(|s| s.len() == len && s.ends_with("ab")));
            assert!(elements.at(2).as_str().is_some_and(|s| s.len() == len && s.ends_with("a\n")));
            assert_eq!(elements.at(3).shape(), Shape::Number("2"));
        }
    }
}
