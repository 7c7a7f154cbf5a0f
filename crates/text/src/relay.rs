//! Limits for shown text and lists. A provider, for example, may write megabytes again and again.

use std::borrow::Cow;
use std::fmt::Display;

/// The maximum length of a shown text, in bytes.
const MAX_TEXT: usize = 4 << 10;

/// The maximum number of shown texts of one kind.
pub const MAX_TEXTS: usize = 50;

/// The maximum length of a word. A text without spaces is cut anywhere.
const MAX_WORD: usize = 512;

/// The beginning of a text, at most 4 KiB, with a note of how much is left out.
///
/// Hide secrets before: the rest of a secret that was cut is no longer found.
pub fn bounded(text: &str) -> Cow<'_, str> {
    bounded_to(text, MAX_TEXT)
}

/// Like [`bounded`], with at most `max` bytes of the text.
///
/// ```
/// assert_eq!(objchange_text::bounded_to("one two", 9), "one two");
/// assert_eq!(objchange_text::bounded_to("one two three", 9), "one two… (6 more bytes left out)");
/// ```
pub fn bounded_to(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let end = (0..=max).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    // Cut between words, so that a secret that becomes known only later is whole, and can still be found.
    let end = text[..end].rfind(char::is_whitespace).filter(|space| end - space < MAX_WORD).unwrap_or(end);
    let left_out = text.len() - end;
    Cow::Owned(format!("{}… ({left_out} more bytes left out)", &text[..end]))
}

/// A number of things, with a plural `s` unless there is exactly one.
///
/// ```
/// assert_eq!(objchange_text::counted(1, "file"), "1 file");
/// assert_eq!(objchange_text::counted(2, "file"), "2 files");
/// ```
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The first few of `count` things, and how many more there are.
///
/// ```
/// assert_eq!(objchange_text::listed(&["a", "b"], 5), "a, b and 3 more");
/// assert_eq!(objchange_text::listed(&["a", "b"], 2), "a, b");
/// ```
pub fn listed<S: AsRef<str>>(first: &[S], count: usize) -> String {
    let named = first.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match count.saturating_sub(first.len()) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// A sentence on how many things are left out, if any.
pub fn left_out(count: usize, shown: usize, what: impl Display) -> Option<String> {
    let more = count.checked_sub(shown).filter(|more| *more > 0)?;
    Some(format!("{more} more {what} left out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_counted_and_listed() {
        assert_eq!([counted(0, "file"), counted(1, "file")], ["0 files", "1 file"]);
        assert_eq!([listed(&["a", "b"], 2), listed(&["a", "b"], 5)], ["a, b", "a, b and 3 more"]);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(bounded("short"), "short");
        let text = format!("a{}", "é".repeat(MAX_TEXT));
        let shown = bounded(&text);
        assert!(shown.len() < MAX_TEXT + 50 && shown.ends_with("é… (4098 more bytes left out)"), "{shown}");
        assert_eq!(bounded_to("one two three", 9), "one two… (6 more bytes left out)");
        assert_eq!(left_out(3, 3, "lines"), None);
        assert_eq!(left_out(5, 3, "lines").as_deref(), Some("2 more lines left out"));
    }
}
