//! JSON as plan documents have it: numbers as their text, strings borrowed from the document.
//!
//! This is a reader of its own because the answer depends on what a general one forgets: a number's exact
//! text, the rules of Go's decoder for repeated keys and lone surrogates, and where in the document a part
//! stands. Reading a value costs one pass; [`Raw`] passes over one without building it.

mod raw;
mod read;
mod skip;
mod string;
mod tree;
mod view;

use std::fmt;
use std::sync::Arc;

pub use raw::Raw;
pub use read::{JsonError, MAX_DEPTH, Reader};
pub(crate) use tree::{Builder, Built};
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
    /// use objchange_plan::{Json, Shape};
    ///
    /// let value = Json::parse(r#"{"b": 1.50, "a": null, "b": 2e3}"#)?;
    /// assert_eq!(value.view().get("b").map(|b| b.shape()), Some(Shape::Number("2e3")));
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

    /// `null`
    pub(crate) fn null() -> Self {
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

/// The marks of a value; all of it is marked where they are none that could be of it, so that a mistake in them
/// hides and does not show.
pub(crate) fn closed<'t>(marks: Json<'t>, value: &Json<'_>) -> Json<'t> {
    if marks.view().are_marks_of_other(value.view()) { marks.view().bool(true).to_json() } else { marks }
}

/// A number of this text for serde, which keeps the text.
pub(crate) fn number(text: &str) -> serde_json::Number {
    serde_json::Number::from_string_unchecked(text.to_owned())
}
