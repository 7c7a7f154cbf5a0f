//! Bounds on relayed text of others, such as a provider, which may write megabytes again and again.

use std::borrow::Cow;
use std::fmt::Display;

/// The most of one text that is shown, in bytes.
const MAX_TEXT: usize = 4 << 10;

/// The most texts of one kind that are shown.
pub const MAX_TEXTS: usize = 50;

/// The beginning of a text, and how much of it is left out.
///
/// Secrets must be hidden in the text before: a part of one that is cut off is not found any more.
pub fn bounded(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let left_out = text.len() - end;
    Cow::Owned(format!("{}… ({left_out} more bytes left out)", &text[..end]))
}

/// Says how many of several things are left out, if there are any.
pub fn left_out(count: usize, shown: usize, what: impl Display) -> Option<String> {
    let more = count.checked_sub(shown).filter(|more| *more > 0)?;
    Some(format!("{more} more {what} left out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(bounded("short"), "short");
        let text = format!("a{}", "é".repeat(MAX_TEXT));
        let shown = bounded(&text);
        assert!(shown.len() < MAX_TEXT + 50 && shown.ends_with("é… (4098 more bytes left out)"), "{shown}");
        assert_eq!(left_out(3, 3, "lines"), None);
        assert_eq!(left_out(5, 3, "lines").as_deref(), Some("2 more lines left out"));
    }
}
