//! Files with settings: TOML with keys that have texts, lists of texts, `true` or `false`, as options do.

use std::borrow::Cow;

use objchange_text::{LineIndex, Position};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key of a file, with its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: Value,
    /// Where the key begins.
    pub(super) place: Position,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Flag(bool),
    /// One text, or those of a list.
    Texts(Vec<String>),
}

/// Why a file cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileError {
    pub(super) message: String,
    pub(super) place: Position,
}

/// Reads the entries of a file, in its order.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, FileError> {
    let lines = LineIndex::new(text);
    let position = |byte: usize| lines.char_position(u32::try_from(byte).unwrap_or(u32::MAX));
    let table = DeTable::parse(text).map_err(|error| FileError {
        message: error.message().to_owned(),
        place: position(error.span().map_or(0, |span| span.start)),
    })?;
    let mut keys: Vec<_> = table.get_ref().iter().collect();
    keys.sort_unstable_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        let wrong = |part: &Spanned<DeValue<'_>>, message: &str| FileError {
            message: message.to_owned(),
            place: position(part.span().start),
        };
        let value = match value.get_ref() {
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::String(text) => Value::Texts(vec![text.to_string()]),
            DeValue::Array(elements) => {
                let text = |element: &Spanned<DeValue<'_>>| match element.get_ref() {
                    DeValue::String(text) => Ok(text.to_string()),
                    _ => Err(wrong(element, "a text in quotes is expected here")),
                };
                Value::Texts(elements.iter().map(text).collect::<Result<_, _>>()?)
            }
            DeValue::Table(_) => {
                return Err(wrong(value, "there are no sections here; write `key = value` alone"));
            }
            _ => {
                return Err(wrong(
                    value,
                    "a text in quotes, a list of texts, `true` or `false` is expected here",
                ));
            }
        };
        Ok(Entry { key: key.get_ref().to_string(), value, place: position(key.span().start) })
    };
    keys.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Value {
        Value::Texts(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn entries_are_read() {
        let text = "# Ours.\nschemas = \"a \\u00e4 \\\" # b\" # why\n\r\nignore = [ # two\n  'C:\\x',\n  \"tags\", ]\nquiet=true\n  x-y_1 = []";
        let entries = parse(text).unwrap();
        let found: Vec<_> = entries
            .iter()
            .map(|e| (e.key.as_str(), e.value.clone(), (e.place.line, e.place.column)))
            .collect();
        assert_eq!(
            found,
            [
                ("schemas", texts(&["a ä \" # b"]), (2, 1)),
                ("ignore", texts(&["C:\\x", "tags"]), (4, 1)),
                ("quiet", Value::Flag(true), (7, 1)),
                ("x-y_1", texts(&[]), (8, 3)),
            ]
        );
        assert_eq!(parse(""), Ok(Vec::new()));
    }

    #[test]
    fn errors_have_their_place() {
        for (text, place, part) in [
            ("a = 1", (1, 5), "a text in quotes"),
            ("\n[show]", (2, 1), "no sections"),
            ("show.a = 'b'", (1, 1), "no sections"),
            ("a = [true]", (1, 6), "a text in quotes"),
            ("a = \"b\" c", (1, 9), "unexpected"),
            ("a = \"\\x\"", (1, 8), "unicode"),
            ("a = []\na = []", (2, 1), "duplicate key"),
            ("a = [\"b\"", (1, 9), "unclosed array"),
        ] {
            let error = parse(text).unwrap_err();
            let found = (error.place.line, error.place.column);
            assert!(found == place && error.message.contains(part), "{text}: {error:?}");
        }
    }
}
