//! YAML in block style; strings are in quotes, or as they are where they have several lines.

use objchange::Value;
use objchange::value::Kind;

use super::super::limits::check_text;
use crate::function::FunctionError;

/// The YAML of a value that is wholly known.
pub(super) fn encoded(value: &Value) -> Result<String, FunctionError> {
    let mut emitter = Emitter { out: String::new() };
    match collection(value) {
        Some(collection) => emitter.collection(&collection, 0)?,
        None => emitter.scalar(value, 0),
    }
    emitter.line_end();
    // A document that is one plain scalar ends with `...`: `yamlencode(true)` has two lines (Terraform 1.11.4).
    if matches!(value.kind(), Kind::Null | Kind::Bool(_) | Kind::Number(_)) {
        emitter.out.push_str("...\n");
    }
    Ok(emitter.out)
}

/// The indentation of a level, in spaces.
const INDENT: usize = 2;

/// The maximum length of a key on the line of its value. Longer keys get a line of their own.
const MAX_SIMPLE_KEY: usize = 128;

/// A longer line is broken at its next space, if the space is in quotes.
const MAX_WIDTH: usize = 80;

struct Emitter {
    out: String,
}

/// The elements of a value that is written as a list, or the entries of one that is written as a map.
enum Collection<'v> {
    List(&'v [Value]),
    Map(Vec<(&'v str, &'v Value)>),
}

fn collection(value: &Value) -> Option<Collection<'_>> {
    let collection = match value.kind() {
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => Collection::List(elements),
        Kind::Map(map) => Collection::Map(map.iter().map(|(key, value)| (key.as_str(), value)).collect()),
        Kind::Object(object) => {
            Collection::Map(object.iter().map(|(name, value)| (name.as_str(), value)).collect())
        }
        _ => return None,
    };
    Some(collection)
}

impl Emitter {
    fn line_end(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn spaces(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }

    /// Writes the value after a dash or a complex key's colon: a collection begins on the same line.
    fn compact(&mut self, value: &Value, column: usize) -> Result<(), FunctionError> {
        self.out.push(' ');
        match collection(value) {
            Some(collection) => self.collection(&collection, column),
            None => {
                self.scalar(value, column - INDENT);
                Ok(())
            }
        }
    }

    /// A collection whose lines begin in this column; the first where the text has come to.
    fn collection(&mut self, collection: &Collection<'_>, column: usize) -> Result<(), FunctionError> {
        check_text(Some(self.out.len()))?;
        match collection {
            Collection::List([]) => self.out.push_str("[]"),
            Collection::Map(entries) if entries.is_empty() => self.out.push_str("{}"),
            Collection::List(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    self.begin(i, column);
                    self.out.push('-');
                    self.compact(element, column + INDENT)?;
                }
            }
            Collection::Map(entries) => {
                for (i, (key, value)) in entries.iter().enumerate() {
                    self.begin(i, column);
                    self.entry(key, value, column)?;
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, position: usize, column: usize) {
        if position > 0 {
            self.line_end();
            self.spaces(column);
        }
    }

    fn entry(&mut self, key: &str, value: &Value, column: usize) -> Result<(), FunctionError> {
        if key.len() > MAX_SIMPLE_KEY || key.contains(is_break) {
            self.out.push_str("? ");
            self.text(key, column);
            self.line_end();
            self.spaces(column);
            self.out.push(':');
            return self.compact(value, column + INDENT);
        }
        self.quoted(key, None);
        self.out.push(':');
        match collection(value) {
            Some(Collection::List(elements)) if !elements.is_empty() => self.below(value, column),
            Some(Collection::Map(entries)) if !entries.is_empty() => self.below(value, column + INDENT),
            _ => {
                self.out.push(' ');
                match collection(value) {
                    Some(empty) => self.collection(&empty, column)?,
                    None => self.scalar(value, column),
                }
                Ok(())
            }
        }
    }

    fn below(&mut self, value: &Value, column: usize) -> Result<(), FunctionError> {
        self.line_end();
        self.spaces(column);
        match collection(value) {
            Some(collection) => self.collection(&collection, column),
            None => Ok(()),
        }
    }

    fn scalar(&mut self, value: &Value, column: usize) {
        match value.kind() {
            Kind::Bool(bool) => self.out.push_str(if bool { "true" } else { "false" }),
            Kind::Number(number) if number.is_finite() => self.out.push_str(&number.to_text()),
            Kind::Number(number) => self.out.push_str(if number.to_f64() > 0.0 { "+Inf" } else { "-Inf" }),
            Kind::String(text) => self.text(text, column),
            _ => self.out.push_str("null"),
        }
    }

    fn text(&mut self, text: &str, column: usize) {
        if text.contains('\n') && may_be_block(text) {
            self.block(text, column);
        } else {
            self.quoted(text, Some(column + INDENT));
        }
    }

    /// Writes a text line by line as a literal block, with the indicators for its indentation and its end.
    fn block(&mut self, text: &str, column: usize) {
        self.out.push('|');
        // A space or a line break at the start would be taken for indentation, so the block says how far it is indented.
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.out.push('2');
        }
        let mut from_end = text.chars().rev();
        match (from_end.next().is_some_and(is_break), from_end.next()) {
            (false, _) => self.out.push('-'),
            (true, before) if before.is_none_or(is_break) => self.out.push('+'),
            _ => {}
        }
        self.out.push('\n');
        let mut at_start = true;
        for c in text.chars() {
            if at_start && !is_break(c) {
                self.spaces(column + INDENT);
            }
            at_start = is_break(c);
            self.out.push(c);
        }
    }

    /// Writes a quoted scalar. With a `column`, long lines break at spaces and continue there.
    fn quoted(&mut self, text: &str, column: Option<usize>) {
        let line = self.out.rfind('\n').map_or(0, |at| at + 1);
        // The position up to which the line was measured, in bytes, and its width there, in characters.
        let (mut counted, mut width) = (line, 0);
        let mut after_space = false;
        self.out.push('"');
        for (at, c) in text.char_indices() {
            if let Some(column) = column
                && c == ' '
            {
                width += self.out[counted..].chars().count();
                counted = self.out.len();
                let is_inside = at > 0 && at + 1 < text.len();
                if !after_space && width > MAX_WIDTH && is_inside {
                    self.out.push('\n');
                    (counted, width) = (self.out.len(), 0);
                    self.spaces(column);
                    // A space at the start of a line would be folded away.
                    if text[at + 1..].starts_with(' ') {
                        self.out.push('\\');
                    }
                } else {
                    self.out.push(' ');
                }
                after_space = true;
                continue;
            }
            after_space = false;
            let short = match c {
                '\0' => '0',
                '\u{7}' => 'a',
                '\u{8}' => 'b',
                '\t' => 't',
                '\n' => 'n',
                '\u{b}' => 'v',
                '\u{c}' => 'f',
                '\r' => 'r',
                '\u{1b}' => 'e',
                '"' | '\\' => c,
                '\u{85}' => 'N',
                '\u{2028}' => 'L',
                '\u{2029}' => 'P',
                c if is_printable(c) => {
                    self.out.push(c);
                    continue;
                }
                c => {
                    let code = u32::from(c);
                    self.out.push_str(&match code {
                        ..=0xff => format!("\\x{code:02X}"),
                        0x100..=0xffff => format!("\\u{code:04X}"),
                        _ => format!("\\U{code:08X}"),
                    });
                    continue;
                }
            };
            self.out.push('\\');
            self.out.push(short);
        }
        self.out.push('"');
    }
}

/// A block cannot hold what would be escaped, nor spaces at the end of a line.
fn may_be_block(text: &str) -> bool {
    let is_plain = text.chars().all(|c| is_break(c) && c != '\r' && c != '\u{85}' || is_printable(c));
    let space_at_end =
        text.ends_with(' ') || text.match_indices(' ').any(|(at, _)| text[at + 1..].starts_with(is_break));
    is_plain && !space_at_end
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// As the writer of Terraform sees it: nothing beyond the basic plane is.
fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{fffd}') && c != '\u{feff}'
}
