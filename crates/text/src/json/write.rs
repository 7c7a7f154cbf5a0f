//! Writing JSON.

use std::fmt::Write;

/// Appends a JSON string like Go's encoder, with escapes for characters that HTML and JavaScript would
/// misread.
///
/// ```
/// let mut out = String::new();
/// objchange_text::json::write_string("a \"<b>\"\n", &mut out);
/// assert_eq!(out, r#""a \"\u003cb\u003e\"\n""#);
/// ```
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (i, c) in text.char_indices() {
        let escape = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => "",
            _ => continue,
        };
        out.push_str(&text[plain..i]);
        plain = i + c.len_utf8();
        if escape.is_empty() {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(&text[plain..]);
    out.push('"');
}
