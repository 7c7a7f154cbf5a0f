//! Text as it may safely be shown: names, and control characters.

use std::borrow::Cow;
use std::fmt::Write;

use objchange_text::is_hidden;

/// Text with its control characters escaped, tabs and line breaks excepted. Terraform prints all else of a value as it is.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c.is_control() && !matches!(c, '\t' | '\n'))
}

/// Text that is on one line: characters that turn text around are escaped, too. Logs of CI are read in places that obey
/// them.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\t']) {
        let text = text.replace('\n', "\\n").replace('\t', "\\t");
        return escaped(&text, is_hidden).into_owned().into();
    }
    escaped(text, is_hidden)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        // Writing to a string does not fail.
        _ = match u32::from(c) {
            _ if !is_escaped(c) => out.write_char(c),
            code @ ..0x100 => write!(out, "\\x{code:02x}"),
            code => write!(out, "\\u{code:04x}"),
        };
    }
    Cow::Owned(out)
}

/// The name of an attribute: bare if it is an identifier of HCL, else in quotes.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    if is_identifier(name) { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    objchange_text::quote_into(text, &mut quoted);
    quoted
}

fn is_identifier(name: &str) -> bool {
    // Most names; the rule for all of them asks tables.
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-');
    if name.bytes().all(plain) {
        return name.bytes().next().is_some_and(|first| first == b'_' || first.is_ascii_alphabetic());
    }
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c))
        && chars.all(|c| c == '-' || unicode_ident::is_xid_continue(c))
}

/// The width that a name takes when it is written as [`name`] gives it, in bytes.
pub(super) fn name_width(name: &str) -> usize {
    if is_identifier(name) { name.len() } else { quoted_width(name) }
}

/// The width that a key takes in quotes, in bytes.
pub(super) fn quoted_width(key: &str) -> usize {
    if key.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\') {
        return key.len() + 2;
    }
    // Terraform aligns by bytes, and escapes are longer than the characters that they replace.
    quoted(key).len()
}
