//! Columns of text.

/// A text with blanks behind it, up to a number of characters.
///
/// Rust's own `{text:width$}` panics where the width is more than 65,535, which a value of others may be.
///
/// ```
/// use objchange_text::padded;
///
/// assert_eq!(padded("aé", 4), "aé  ");
/// assert_eq!(padded("abc", 2), "abc");
/// assert_eq!(padded("", 100_000).len(), 100_000);
/// ```
pub fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    let mut padded = String::with_capacity(text.len() + missing);
    padded.push_str(text);
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}
