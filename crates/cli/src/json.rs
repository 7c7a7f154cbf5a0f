//! JSON as it may go to a terminal, too.

use std::borrow::Cow;
use std::io::{self, Write};

use objchange::value::visible;
use serde::Serialize;

/// Writes a value as compact JSON in which everything is escaped that is not to be seen, also what JSON allows.
pub(crate) fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    let mut buffer = [0; 4];
    let mut plain_from = 0;
    // Outside of strings there is only plain ASCII, and in them everything below the space is escaped.
    for (at, c) in text.char_indices().filter(|(_, c)| !matches!(c, ' '..='~')) {
        if matches!(visible(c.encode_utf8(&mut buffer)), Cow::Borrowed(_)) {
            continue;
        }
        out.write_all(&text.as_bytes()[plain_from..at])?;
        plain_from = at + c.len_utf8();
        for half in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{half:04x}")?;
        }
    }
    out.write_all(&text.as_bytes()[plain_from..])
}
