//! A report as JSON, for programs: see `schema/report.schema.json`.

use std::io::{self, Write};

use objchange_text::visible_json;
use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use crate::report::{Report, ShowError};

impl Report<'_> {
    /// Writes the report as JSON, one entry a line.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the text cannot be written. The text written until then
    /// is incomplete.
    pub fn write_json(&self, out: &mut dyn Write) -> Result<(), ShowError> {
        match write_lines(self, out) {
            Ok(()) => Ok(()),
            Err(error) if error.is_io() => Err(ShowError::Write(error.into())),
            // serde_json keeps the message of an error and drops its kind, so find the error again.
            Err(error) => Err(self.first_error().unwrap_or_else(|| ShowError::Write(error.into()))),
        }
    }
}

/// Writes a page of sections as JSON, one entry a line.
pub(crate) fn write_lines(page: &impl Serialize, out: &mut dyn Write) -> serde_json::Result<()> {
    page.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, Lines::default()))?;
    out.write_all(b"\n").map_err(serde_json::Error::io)
}

/// Compact JSON with a line for each entry of a section, in which everything is escaped that is not to be seen, also
/// what JSON allows.
#[derive(Default)]
struct Lines {
    depth: usize,
}

impl Lines {
    /// Starts an element or member.
    fn next<W: ?Sized + Write>(&self, writer: &mut W, first: bool, lines_at: usize) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.depth == lines_at && !(first && lines_at == 1) { writer.write_all(b"\n") } else { Ok(()) }
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first, 2)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first, 1)
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return writer.write_all(fragment.as_bytes());
        }
        writer.write_all(visible_json(fragment).as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        CompactFormatter.write_char_escape(writer, escape)
    }
}
