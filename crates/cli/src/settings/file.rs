//! Files with settings: the part of TOML that options need, which is keys with texts, lists of texts, `true` and `false`.

use std::iter::Peekable;
use std::str::CharIndices;

use objchange_text::{LineIndex, Position};

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

/// Reads the entries of a file.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, FileError> {
    let lines = LineIndex::new(text);
    let position = |byte: usize| lines.char_position(u32::try_from(byte).unwrap_or(u32::MAX));
    let mut reader = Reader { text, chars: text.char_indices().peekable() };
    let mut entries: Vec<Entry> = Vec::new();
    loop {
        reader.skip_blanks(true);
        let start = reader.at();
        let place = position(start);
        let entry = match reader.entry() {
            Ok(Some((key, value))) => Entry { key, value, place },
            Ok(None) => return Ok(entries),
            Err(message) => return Err(FileError { message, place: position(reader.at()) }),
        };
        if entries.iter().any(|earlier| earlier.key == entry.key) {
            return Err(FileError { message: format!("`{}` is set twice", entry.key), place });
        }
        entries.push(entry);
    }
}

struct Reader<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
}

impl Reader<'_> {
    fn at(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    fn next(&mut self) -> Option<char> {
        self.chars.next().map(|(_, c)| c)
    }

    /// Skips blanks and comments; lines, too, if they may end here.
    fn skip_blanks(&mut self, lines: bool) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => drop(self.next()),
                Some('\n' | '\r') if lines => drop(self.next()),
                Some('#') => while self.chars.next_if(|(_, c)| *c != '\n').is_some() {},
                _ => return,
            }
        }
    }

    fn entry(&mut self) -> Result<Option<(String, Value)>, String> {
        if self.peek().is_none() {
            return Ok(None);
        }
        if self.peek() == Some('[') {
            return Err("there are no sections here; write `key = value` alone".to_owned());
        }
        let key = self.word();
        if key.is_empty() {
            return Err("the name of an option is expected here, such as `schemas`".to_owned());
        }
        self.skip_blanks(false);
        self.expect('=')?;
        self.skip_blanks(false);
        let value = self.value()?;
        self.skip_blanks(false);
        match self.peek() {
            None | Some('\n' | '\r') => Ok(Some((key, value))),
            Some(_) => Err("the line should end here".to_owned()),
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some((_, c)) =
            self.chars.next_if(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        {
            word.push(c);
        }
        word
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        match self.peek() {
            Some(c) if c == wanted => {
                self.next();
                Ok(())
            }
            _ => Err(format!("`{wanted}` is expected here")),
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        match self.peek() {
            Some('"' | '\'') => Ok(Value::Texts(vec![self.string()?])),
            Some('[') => self.list().map(Value::Texts),
            Some('t' | 'f') => match self.word().as_str() {
                "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => Err("a text has quotes around it".to_owned()),
            },
            _ => Err("a text in quotes, a list of texts, `true` or `false` is expected here".to_owned()),
        }
    }

    fn list(&mut self) -> Result<Vec<String>, String> {
        self.expect('[')?;
        let mut texts = Vec::new();
        loop {
            self.skip_blanks(true);
            if self.peek() == Some(']') {
                self.next();
                return Ok(texts);
            }
            texts.push(self.string()?);
            self.skip_blanks(true);
            if self.peek() != Some(']') {
                self.expect(',')?;
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            return Err("a text in quotes is expected here".to_owned());
        };
        self.next();
        let mut text = String::new();
        loop {
            match self.peek() {
                None | Some('\n' | '\r') => return Err("the text does not end in its line".to_owned()),
                Some('\\') if quote == '"' => {
                    self.next();
                    text.push(self.escape()?);
                }
                Some(c) => {
                    self.next();
                    if c == quote {
                        return Ok(text);
                    }
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let wrong =
            || "this is not an escape; a backslash is written `\\\\`, or between single quotes".to_owned();
        Ok(match self.next().ok_or_else(wrong)? {
            c @ ('"' | '\\') => c,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            c @ ('u' | 'U') => {
                let count = if c == 'u' { 4 } else { 8 };
                let mut code = 0;
                for _ in 0..count {
                    let digit = self.next().and_then(|c| c.to_digit(16)).ok_or_else(wrong)?;
                    code = code * 16 + digit;
                }
                char::from_u32(code).ok_or_else(wrong)?
            }
            _ => return Err(wrong()),
        })
    }
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
            ("a = \"b\nc\"", (1, 7), "does not end"),
            ("a = \"b\" c", (1, 9), "should end"),
            ("a = trues", (1, 10), "quotes around"),
            ("\n[show]", (2, 1), "no sections"),
            ("a \"b\"", (1, 3), "`=`"),
            ("a = [\"b\" \"c\"]", (1, 10), "`,`"),
            ("a = [true]", (1, 6), "a text in quotes"),
            ("a = \"\\x\"", (1, 8), "not an escape"),
            ("a = \"\\uD800\"", (1, 12), "not an escape"),
            ("a = []\na = []", (2, 1), "twice"),
            ("= 1", (1, 1), "the name of an option"),
            ("a = [\"b\"", (1, 9), "`,`"),
        ] {
            let error = parse(text).unwrap_err();
            let found = (error.place.line, error.place.column);
            assert!(found == place && error.message.contains(part), "{text}: {error:?}");
        }
    }
}
