//! Values that have been found and not been read.

use super::tree::Builder;
use super::{Json, JsonError, Reader};

/// A value that has been found but not read: its text.
///
/// Of a raw value only the brackets and strings are known to be well-formed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'t> {
    /// The document up to the end of the value.
    pub(super) text: &'t str,
    pub(super) start: usize,
}

/// Shows where the value stands, not what it is: it may be secret.
impl std::fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raw({} bytes at {})", self.text().len(), self.start)
    }
}

impl<'t> Raw<'t> {
    /// The value `null` that stands nowhere.
    pub const NULL: Raw<'static> = Raw { text: "null", start: 0 };

    /// The value that is all of a text.
    pub(crate) fn of(text: &'t str) -> Self {
        Raw { text, start: 0 }
    }

    /// The text of the value.
    pub fn text(&self) -> &'t str {
        &self.text[self.start..]
    }

    /// Where the value begins in the document, in bytes.
    pub fn offset(&self) -> usize {
        self.start
    }

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// What stands there is no JSON value. The offset of the error counts from the start of the document.
    pub fn read(&self) -> Result<Json<'t>, JsonError> {
        let mut builder = Builder::of(&[self]);
        let value = builder.read(self)?;
        Ok(builder.finish()(value))
    }

    /// A reader over the value, for reading a part of it.
    pub fn reader(&self) -> Reader<'t> {
        Reader { at: self.start, ..Reader::new(self.text) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn object() -> impl Strategy<Value = String> {
        let value = prop::sample::select(vec![
            "1", "12", " 1 ", "1.5", "[1,2]", "[1, 2]", "\"a\"", "null", "{}", "x",
        ]);
        let key = prop::sample::select(vec!["a", "b", "c", "\\u0062"]);
        prop::collection::vec((key, value), 0..5).prop_map(|members| {
            let members: Vec<_> = members.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
            format!("{{{}}}", members.join(","))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn sides_read_together_are_what_they_are_alone(before in object(), after in object()) {
            let document = format!("[ {before},{after}]");
            let end = 2 + before.len();
            let before = Raw { text: &document[..end], start: 2 };
            let after = Raw { text: &document[..document.len() - 1], start: end + 1 };
            let mut builder = Builder::of(&[&before, &after]);
            let (first, second) = builder.read_sides(&before, &after);
            let built = builder.finish();
            prop_assert_eq!(first.map(&built), before.read());
            prop_assert_eq!(second.map(&built), after.read());
        }
    }
}
