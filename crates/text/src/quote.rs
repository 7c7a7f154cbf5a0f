//! Quoting a string as Go's `%q` does: the form of order keys, and of strings in Terraform's output.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Appends the string as a double-quoted Go literal, with escapes for unprintable characters.
///
/// ```
/// let mut out = String::new();
/// objchange_text::quote_into("tab\t\u{ad}é\"", &mut out);
/// assert_eq!(out, r#""tab\t\u00adé\"""#);
/// ```
pub fn quote_into(text: &str, out: &mut String) {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    out.push('"');
    let mut rest = text;
    // Most texts need no escapes: to look at all bytes takes vector instructions, a search one step for each.
    if !text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
            out.push_str(&rest[..at]);
            let mut chars = rest[at..].chars();
            chars.next().into_iter().for_each(|c| quote_char(c, out));
            rest = chars.as_str();
        }
    }
    out.push_str(rest);
    out.push('"');
}

/// The text with escapes for unprintable characters, such as control characters and bidirectional
/// overrides: for texts of others on a terminal.
///
/// ```
/// assert_eq!(objchange_text::visible("a\u{1b}[31m\n"), r"a\x1b[31m\n");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_printable(c) { out.push(c) } else { quote_char(c, &mut out) }
    }
    Cow::Owned(out)
}

/// Several lines, each as [`visible`] shows it.
///
/// ```
/// assert_eq!(objchange_text::visible_lines("a\tb\nc"), "a\\tb\nc");
/// ```
pub fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// A JSON text with unprintable characters in strings escaped, even those that JSON allows there.
///
/// ```
/// assert_eq!(objchange_text::visible_json("[\"a\u{9b}é\"]"), r#"["a\u009bé"]"#);
/// ```
pub fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut plain_from = 0;
    // Outside of strings compact JSON is plain ASCII.
    for (at, c) in json.char_indices().filter(|(_, c)| !is_printable(*c)) {
        out.push_str(&json[plain_from..at]);
        plain_from = at + c.len_utf8();
        // Beyond the first plane two surrogates encode a character.
        for half in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{half:04x}");
        }
    }
    out.push_str(&json[plain_from..]);
    out
}

fn quote_char(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        c if is_printable(c) => out.push(c),
        c => {
            let code = u32::from(c);
            // Writing to a string does not fail.
            let _ = match code {
                0..0x20 | 0x7f => write!(out, "\\x{code:02x}"),
                0x80..0x1_0000 => write!(out, "\\u{code:04x}"),
                _ => write!(out, "\\U{code:08x}"),
            };
        }
    }
}

/// Whether Go calls the character printable: letters, marks, numbers, punctuation, symbols and the space.
pub fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\0'..='\x7f' => false,
        c => !matches!(
            c.general_category_group(),
            GeneralCategoryGroup::Separator | GeneralCategoryGroup::Other
        ),
    }
}
