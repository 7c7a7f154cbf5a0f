//! Writes values as Sentinel source for mocks: one member per line, indented by tabs.
//!
//! Strings of JSON are strings of the language, and so are most numbers: this is the writer of JSON with other commas.

use std::io::{self, Write};

use objchange_text::visible;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

/// Undefined. JSON has no word for it, so it travels through serde as a 128-bit number, which nothing else here is.
pub(super) struct Undefined;

impl Serialize for Undefined {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i128(0)
    }
}

/// Writes a value.
pub(super) fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Indented::default());
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// The nesting depth, and whether the innermost collection has items.
#[derive(Default)]
struct Indented {
    depth: usize,
    has_items: bool,
}

impl Indented {
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_items = false;
        out.write_all(bracket)
    }

    fn item<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        if !self.has_items {
            out.write_all(b"\n")?;
        }
        (0..self.depth).try_for_each(|_| out.write_all(b"\t"))
    }

    fn end_item<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.has_items = true;
        out.write_all(b",\n")
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_items {
            (0..self.depth).try_for_each(|_| out.write_all(b"\t"))?;
        }
        // It stands itself in what is around it.
        self.has_items = true;
        out.write_all(bracket)
    }
}

impl Formatter for Indented {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, _: bool) -> io::Result<()> {
        self.item(out)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end_item(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, _: bool) -> io::Result<()> {
        self.item(out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end_item(out)
    }

    /// Escapes characters that must not reach a terminal, as Sentinel does; JSON leaves some of them.
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        out.write_all(visible(fragment).as_bytes())
    }

    fn write_i128<W: ?Sized + Write>(&mut self, out: &mut W, _: i128) -> io::Result<()> {
        out.write_all(b"undefined")
    }

    fn write_u64<W: ?Sized + Write>(&mut self, out: &mut W, value: u64) -> io::Result<()> {
        self.write_raw_fragment(out, &value.to_string())
    }

    /// Numbers that are not integers of 64 bits, and have more digits than a double. An integer that does not
    /// fit into those of the language is a float there, as it is for the import.
    fn write_raw_fragment<W: ?Sized + Write>(&mut self, out: &mut W, number: &str) -> io::Result<()> {
        let is_integer = number.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
        match number.parse::<f64>() {
            // Sentinel's integers have 64 bits; a literal beyond them is an error, a float is not.
            Ok(float) if is_integer && number.parse::<i64>().is_err() => write!(out, "{float:e}"),
            _ => out.write_all(number.as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(value: &impl Serialize) -> String {
        let mut out = Vec::new();
        write(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_a_member() {
        let value = json!({"a": [], "b": {}, "c": [1, [2.5]], "d": {"e": null, "f\"\u{1}\n": "é😀"}});
        let expected = "{\n\t\"a\": [],\n\t\"b\": {},\n\t\"c\": [\n\t\t1,\n\t\t[\n\t\t\t2.5,\n\t\t],\n\t],\n\t\"d\": {\n\t\t\
                        \"e\": null,\n\t\t\"f\\\"\\u0001\\n\": \"é😀\",\n\t},\n}";
        assert_eq!(text(&value), expected);
        let hidden = "a\u{7f}\u{9b}\u{202e}\u{2066}\u{2028}\u{feff}\u{e0001}";
        assert_eq!(text(&hidden), r#""a\x7f\u009b\u202e\u2066\u2028\ufeff\U000e0001""#);
        assert_eq!(text(&[Undefined]), "[\n\tundefined,\n]");
    }

    #[test]
    fn numbers() {
        let raw = |number: &str| serde_json::value::RawValue::from_string(number.to_owned()).unwrap();
        for (number, expected) in [
            ("1", "1"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("9223372036854775808", "9.223372036854776e18"),
            ("-1E+400", "-1E+400"),
            ("0.1000000000000000000001", "0.1000000000000000000001"),
        ] {
            assert_eq!(text(&raw(number)), expected, "{number}");
        }
        assert_eq!(text(&u64::MAX), "1.8446744073709552e19");
    }
}
