//! Text as it may safely be shown: quoted as Go quotes it, names, and control characters.

use std::fmt::Write;

/// Writes a string in quotes, as Go's `%q` does.
pub(super) fn quote(out: &mut String, text: &str) {
    objchange_text::quote_into(text, out);
}

/// Writes text with its control characters escaped, tabs and line breaks excepted.
pub(super) fn lines(out: &mut String, text: &str) {
    let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n');
    let mut plain_from = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| is_control(*c)) {
        out.push_str(&text[plain_from..at]);
        plain_from = at + c.len_utf8();
        _ = write!(out, "\\x{:02x}", u32::from(c));
    }
    out.push_str(&text[plain_from..]);
}

/// Writes text that stands on one line, every control character escaped.
pub(super) fn line(out: &mut String, text: &str) {
    if text.contains(['\n', '\t']) {
        lines(out, &text.replace('\n', "\\n").replace('\t', "\\t"));
    } else {
        lines(out, text);
    }
}

/// Writes the name of an attribute: bare if it is an identifier of HCL, else in quotes.
pub(super) fn name(out: &mut String, name: &str) {
    if is_identifier(name) {
        out.push_str(name);
    } else {
        quote(out, name);
    }
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

/// The width that a name takes when it is written by [`name`], in bytes.
pub(super) fn name_width(name: &str) -> usize {
    if is_identifier(name) { name.len() } else { quoted_width(name) }
}

/// The width that a key takes when it is written by [`quote`], in bytes.
pub(super) fn quoted_width(key: &str) -> usize {
    if key.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\') {
        return key.len() + 2;
    }
    let mut quoted = String::new();
    quote(&mut quoted, key);
    quoted.len()
}
