//! Values to YAML: blocks with two spaces of indentation, quotes only where they are needed.

use super::super::context::check_text;
use super::super::time::parse_time;
use super::super::{BuiltinError, Context};
use super::scalar;
use crate::value::{Number, Object, Value};

pub(super) fn write(context: &mut Context<'_>, value: &Value) -> Result<String, BuiltinError> {
    let mut writer = Writer { context, out: String::new() };
    writer.block(value, 0)?;
    Ok(writer.out)
}

struct Writer<'c, 'h> {
    context: &'c mut Context<'h>,
    out: String,
}

/// The members of an object that is not empty.
fn members_of(value: &Value) -> Option<&Object> {
    value.as_object().filter(|object| !object.is_empty())
}

/// The elements of an array or a set that is not empty.
fn items_of(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(array) if !array.is_empty() => Some(array.items()),
        Value::Set(set) if !set.is_empty() => Some(set.items()),
        _ => None,
    }
}

impl Writer<'_, '_> {
    fn indent(&mut self, depth: usize) -> Result<(), BuiltinError> {
        self.context.charge(2 * depth + 16)?;
        self.out.extend(std::iter::repeat_n("  ", depth));
        Ok(())
    }

    /// Writes a value whose first line is already indented.
    fn block(&mut self, value: &Value, depth: usize) -> Result<(), BuiltinError> {
        if let Some(items) = items_of(value) {
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    self.indent(depth)?;
                }
                self.out.push_str("- ");
                let is_block = items_of(item).is_some() || members_of(item).is_some();
                if is_block { self.block(item, depth + 1)? } else { self.scalar(item, depth)? }
            }
            return Ok(());
        }
        match members_of(value) {
            Some(object) => {
                let mut members = object.json_members();
                members.sort_by(|a, b| compare_keys(&a.0, &b.0));
                for (i, (key, value)) in members.into_iter().enumerate() {
                    if i > 0 {
                        self.indent(depth)?;
                    }
                    self.text(&key, depth, true)?;
                    self.out.push(':');
                    if items_of(value).is_some() {
                        self.out.push('\n');
                        self.indent(depth)?;
                        self.block(value, depth)?;
                    } else if members_of(value).is_some() {
                        self.out.push('\n');
                        self.indent(depth + 1)?;
                        self.block(value, depth + 1)?;
                    } else {
                        self.out.push(' ');
                        self.scalar(value, depth)?;
                    }
                }
                Ok(())
            }
            None => self.scalar(value, depth),
        }
    }

    fn scalar(&mut self, value: &Value, depth: usize) -> Result<(), BuiltinError> {
        match value {
            Value::String(text) => self.text(text, depth, false)?,
            Value::Number(number) => self.out.push_str(&number_text(number)),
            Value::Array(_) | Value::Set(_) => self.out.push_str("[]"),
            other => other.write_json(&mut self.out),
        }
        self.out.push('\n');
        check_text(self.out.len())
    }

    fn text(&mut self, text: &str, depth: usize, is_key: bool) -> Result<(), BuiltinError> {
        check_text(self.out.len() + text.len())?;
        self.context.charge(2 * text.len())?;
        let is_plain_text = text.chars().all(|c| c == '\n' || is_written(c));
        if !is_plain_text {
            self.double_quoted(text, depth, is_key);
        } else if text.contains('\n') {
            // OPA 1.20 writes no block whose lines end in spaces.
            if is_key || text.contains(" \n") {
                self.double_quoted(text, depth, is_key);
            } else {
                self.literal(text, depth)?;
            }
        } else if is_resolved(text) {
            self.double_quoted(text, depth, is_key);
        } else if needs_quotes(text) {
            self.out.push('\'');
            self.folded(&text.replace('\'', "''"), depth, is_key);
            self.out.push('\'');
        } else {
            self.folded(text, depth, is_key);
        }
        Ok(())
    }

    /// Writes text in lines of about 80 characters, which end at single spaces.
    fn folded(&mut self, text: &str, depth: usize, is_key: bool) {
        let mut fold = Fold::new(&self.out, depth, is_key);
        let mut before = None;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let is_single = before.is_some_and(|c| c != ' ') && chars.peek().is_some_and(|c| *c != ' ');
            if !(c == ' ' && is_single && fold.take_break(&mut self.out)) {
                self.out.push(c);
                fold.column += 1;
            }
            before = Some(c);
        }
    }

    fn double_quoted(&mut self, text: &str, depth: usize, is_key: bool) {
        self.out.push('"');
        let mut fold = Fold::new(&self.out, depth, is_key);
        let mut is_behind_space = true;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let start = self.out.len();
            let may_break = c == ' ' && !is_behind_space && chars.peek().is_some();
            is_behind_space = c == ' ';
            if may_break && fold.take_break(&mut self.out) {
                if chars.peek() == Some(&' ') {
                    self.out.push('\\');
                    fold.column += 1;
                }
                continue;
            }
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                '\0' => self.out.push_str("\\0"),
                '\u{7}' => self.out.push_str("\\a"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{b}' => self.out.push_str("\\v"),
                '\u{c}' => self.out.push_str("\\f"),
                '\u{1b}' => self.out.push_str("\\e"),
                '\u{85}' => self.out.push_str("\\N"),
                '\u{2028}' => self.out.push_str("\\L"),
                '\u{2029}' => self.out.push_str("\\P"),
                c if is_written(c) => self.out.push(c),
                c => match u32::from(c) {
                    code @ 0..=0xff => self.out.push_str(&format!("\\x{code:02X}")),
                    code @ 0x100..=0xffff => self.out.push_str(&format!("\\u{code:04X}")),
                    code => self.out.push_str(&format!("\\U{code:08X}")),
                },
            }
            fold.column += self.out[start..].chars().count();
        }
        self.out.push('"');
    }

    /// Lines behind a `|`.
    fn literal(&mut self, text: &str, depth: usize) -> Result<(), BuiltinError> {
        self.out.push('|');
        if text.starts_with([' ', '\n']) {
            // The indentation would be read from the first line, which begins with a space of the text
            // itself.
            self.out.push('2');
        }
        if !text.ends_with('\n') {
            self.out.push('-');
        } else if text.ends_with("\n\n") {
            self.out.push('+');
        }
        let lines = text.strip_suffix('\n').unwrap_or(text);
        for line in lines.split('\n') {
            self.out.push('\n');
            if !line.is_empty() {
                self.indent(depth + 1)?;
                self.out.push_str(line);
            }
        }
        Ok(())
    }
}

/// The column of a text in its line, and the indentation of its next lines.
struct Fold {
    column: usize,
    indent: usize,
    is_allowed: bool,
}

impl Fold {
    fn new(out: &str, depth: usize, is_key: bool) -> Self {
        let line = &out[out.rfind('\n').map_or(0, |at| at + 1)..];
        Self { column: line.chars().count(), indent: 2 * (depth + 1), is_allowed: !is_key }
    }

    /// Begins another line, if this one is full.
    fn take_break(&mut self, out: &mut String) -> bool {
        if !self.is_allowed || self.column <= 80 {
            return false;
        }
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', self.indent));
        self.column = self.indent;
        true
    }
}

/// Whether a character is written as it is.
fn is_written(c: char) -> bool {
    c == '\u{a0}' || (u32::from(c) <= 0xffff && objchange_text::is_printable(c))
}

/// The timestamps of YAML 1.1, as layouts of Go.
const TIMESTAMPS: [&str; 4] = [
    "2006-1-2T15:4:5.999999999Z07:00",
    "2006-1-2t15:4:5.999999999Z07:00",
    "2006-1-2 15:4:5.999999999",
    "2006-1-2",
];

/// Whether a plain scalar with this text would be something else than text.
fn is_resolved(text: &str) -> bool {
    // Only dates that there are: `2021-02-30` is a plain text.
    let is_date = text.as_bytes().get(4) == Some(&b'-')
        && TIMESTAMPS.iter().any(|layout| parse_time(layout, text).is_ok());
    // Numbers of YAML 1.1 to the base of 60.
    let is_base_60 = text.contains(':') && text.bytes().all(|b| b.is_ascii_digit() || b":._+-".contains(&b));
    // OPA 1.20 quotes `2001-01-01` and `1:30`, although its reader takes both for texts.
    is_date || is_base_60 || !matches!(scalar::plain(text), Some(Value::String(_)))
}

/// Whether a text cannot be a plain scalar.
fn needs_quotes(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((first, last)) = bytes.first().zip(bytes.last()) else { return true };
    let is_indicator = match first {
        b'-' | b'?' | b':' => bytes.get(1).is_none_or(|b| *b == b' '),
        first => b",[]{}#&*!|>'\"%@`".contains(first),
    };
    is_indicator
        || *first == b' '
        || *last == b' '
        || *last == b':'
        || text.contains(": ")
        || text.contains(" #")
        || text.starts_with("---")
        || text.starts_with("...")
}

/// A number as Go prints one that was read from JSON.
fn number_text(number: &Number) -> String {
    // A number that is written with a point or an exponent is no integer, whatever its value.
    let is_float = number.to_string().contains(['.', 'e', 'E']);
    match number.as_i64().filter(|_| !is_float) {
        Some(whole) => whole.to_string(),
        None if !is_float && (number.to_string().parse::<u64>()).is_ok() => number.to_string(),
        None => {
            let float = number.to_f64();
            super::super::format::shortest(float)
        }
    }
}

/// Keys in the order of YAML's writer: digits as numbers, letters after other characters.
fn compare_keys(a: &str, b: &str) -> std::cmp::Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let common = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (Some(x), Some(y)) = (a.get(common), b.get(common)) else {
        return a.len().cmp(&b.len());
    };
    if x.is_alphabetic() && y.is_alphabetic() {
        return x.cmp(y);
    }
    if x.is_alphabetic() || y.is_alphabetic() {
        return x.is_alphabetic().cmp(&y.is_alphabetic());
    }
    let number = |chars: &[char]| -> (u64, usize) {
        let digits: String = chars.iter().take_while(|c| c.is_ascii_digit()).collect();
        (digits.parse().unwrap_or(0), digits.len())
    };
    let ((m, m_len), (n, n_len)) = (number(&a[common..]), number(&b[common..]));
    // OPA 1.20 writes the keys `A`, `a9`, `a10` and `b` in this order.
    m.cmp(&n).then(m_len.cmp(&n_len)).then_with(|| x.cmp(y))
}
