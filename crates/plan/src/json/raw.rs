//! Values that have been found and not been read.

use super::read::{Unfinished, sorted_members};
use super::{Json, JsonError, Reader};
use crate::text::Text;

/// A value that has been found but not read: its text.
///
/// Of a raw value only the brackets and strings are known to be well-formed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'t> {
    pub(super) text: &'t str,
    pub(super) offset: usize,
}

/// Shows where the value stands, not what it is: it may be secret.
impl std::fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raw({} bytes at {})", self.text.len(), self.offset)
    }
}

impl<'t> Raw<'t> {
    /// The value `null` that stands nowhere.
    pub const NULL: Raw<'static> = Raw { text: "null", offset: 0 };

    /// The text of the value.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Where the value begins in the document, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// What stands there is no JSON value. The offset of the error counts from the start of the document.
    pub fn read(&self) -> Result<Json<'t>, JsonError> {
        let mut reader = self.reader();
        let value = reader.value()?;
        reader.end()?;
        Ok(value)
    }

    /// Reads the values of both sides of a change. Members whose text is the same on both are read once and shared.
    ///
    /// # Errors
    ///
    /// Of each side, as [`Raw::read`].
    pub(crate) fn read_sides(
        before: &Raw<'t>,
        after: &Raw<'t>,
    ) -> (Result<Json<'t>, JsonError>, Result<Json<'t>, JsonError>) {
        if !(before.text.starts_with('{') && after.text.starts_with('{')) {
            return (before.read(), after.read());
        }
        let mut seen = Vec::new();
        let first = before
            .read_members(|key, text, value| seen.push((key.clone(), text, value.clone())), |_, _| None);
        let mut seen = seen.iter().peekable();
        let again = |key: &Text<'t>, rest: &str| {
            while seen.next_if(|(earlier, ..)| earlier < key).is_some() {}
            let (_, text, value) = seen.next_if(|(same, ..)| same == key)?;
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
            let is_same = rest.starts_with(text) && rest.as_bytes().get(text.len()).is_some_and(ends);
            is_same.then(|| (text.len(), value.clone()))
        };
        (first, after.read_members(|_, _, _| {}, again))
    }

    /// Reads an object whose members may be `known` already, by their key and the text from the value on: then their
    /// length is too. Those that are not are shown to `read`, with their text.
    fn read_members(
        &self,
        mut read: impl FnMut(&Text<'t>, &'t str, &Json<'t>),
        mut known: impl FnMut(&Text<'t>, &str) -> Option<(usize, Json<'t>)>,
    ) -> Result<Json<'t>, JsonError> {
        let mut reader = self.reader();
        let mut unfinished = Unfinished::default();
        let mut members = Vec::new();
        reader.members(|key, reader| {
            reader.peek();
            let start = reader.at;
            let value = match known(&key, &reader.text[start..]) {
                Some((length, value)) => {
                    reader.at += length;
                    value
                }
                None => {
                    let value = reader.value_among(&mut unfinished)?;
                    read(&key, &reader.text[start..reader.at], &value);
                    value
                }
            };
            members.push((key, value));
            Ok::<(), JsonError>(())
        })?;
        reader.end()?;
        Ok(Json::Object(sorted_members(&mut members, 0)))
    }

    /// A reader over the value, for reading a part of it.
    pub fn reader(&self) -> Reader<'t> {
        Reader { base: self.offset, ..Reader::new(self.text) }
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
            let whole = |text| Raw { text, offset: 3 };
            let (before, after) = (whole(&before), whole(&after));
            prop_assert_eq!(Raw::read_sides(&before, &after), (before.read(), after.read()));
        }
    }
}
