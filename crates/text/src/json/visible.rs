//! JSON for reports: unprintable characters such as control characters and bidirectional overrides are
//! escaped in every string, so that reports can be read on a terminal.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::{is_printable, visible_json};

/// Writes a value on a line of its own.
///
/// ```
/// let mut out = Vec::new();
/// objchange_text::json::write_line(&mut out, &["a\u{202e}b"])?;
/// assert_eq!(out, b"[\"a\\u202eb\"]\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Writing fails, or the value has no form in JSON.
pub fn write_line(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Visible(CompactFormatter)))?;
    out.write_all(b"\n")
}

/// Writes a value on many lines.
///
/// # Errors
///
/// Writing fails, or the value has no form in JSON.
pub fn write_pretty(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Visible(PrettyFormatter::new())))?;
    out.write_all(b"\n")
}

/// A value as text on many lines.
///
/// # Errors
///
/// The value has no form in JSON.
pub fn to_pretty(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    let mut out = Vec::new();
    write_pretty(&mut out, value)?;
    String::from_utf8(out).map_err(io::Error::other)
}

/// Another formatter, with everything escaped in strings that is not to be seen.
struct Visible<F>(F);

/// Passes these calls on.
macro_rules! same {
    ($($name:ident($($argument:ident: $ty:ty),*))*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $ty)*) -> io::Result<()> {
            self.0.$name(writer $(, $argument)*)
        })*
    };
}

impl<F: Formatter> Formatter for Visible<F> {
    same! {
        begin_array()
        end_array()
        begin_array_value(first: bool)
        end_array_value()
        begin_object()
        end_object()
        begin_object_key(first: bool)
        end_object_key()
        begin_object_value()
        end_object_value()
        write_char_escape(escape: CharEscape)
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Most text is printable ASCII, which needs no look at the classes of Unicode.
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return writer.write_all(fragment.as_bytes());
        }
        writer.write_all(visible_json(fragment).as_bytes())
    }

    /// JSON that was written elsewhere. Outside of strings it has line ends and tabs, which stay.
    fn write_raw_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let is_fine = |c: char| is_printable(c) || matches!(c, '\n' | '\r' | '\t');
        let mut rest = fragment;
        while let Some(at) = rest.find(|c| !is_fine(c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let end = rest[at..].find(is_fine).map_or(rest.len(), |length| at + length);
            writer.write_all(visible_json(&rest[at..end]).as_bytes())?;
            rest = &rest[end..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    proptest! {
        /// The JSON says the same, and nothing in it is hidden.
        #[test]
        fn everything_can_be_seen(key in any::<String>(), text in "(\u{202e}|\u{9b}|\u{7f}|\u{2066}|\\PC|\\p{Cc}){0,12}") {
            let raw = format!("{{\n\t\"raw\": {}}}", Value::from(text.as_str()));
            let value = serde_json::json!({"key": {&*key: [text.as_str()]}});
            let raw = RawValue::from_string(raw).unwrap();
            let mut line = Vec::new();
            write_line(&mut line, &value).unwrap();
            let mut of_raw = Vec::new();
            write_line(&mut of_raw, &raw).unwrap();
            for (written, value) in [
                (String::from_utf8(line).unwrap(), &value),
                (to_pretty(&value).unwrap(), &value),
                (String::from_utf8(of_raw).unwrap(), &serde_json::json!({"raw": text})),
            ] {
                prop_assert_eq!(&serde_json::from_str::<Value>(&written).unwrap(), value);
                let is_seen = |c: char| is_printable(c) || matches!(c, '\n' | '\t');
                prop_assert!(written.chars().all(is_seen), "{:?}", written);
            }
        }
    }
}
