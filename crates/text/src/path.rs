//! Paths in the form of text.

/// Joins a path or an address with a path inside of it: with a dot, unless one of them is empty or `inner` begins with an
/// index.
///
/// ```
/// use objchange_text::joined_path;
///
/// assert_eq!(joined_path("disk", "size"), "disk.size");
/// assert_eq!(joined_path("disk", "[0].size"), "disk[0].size");
/// assert_eq!([joined_path("", "size"), joined_path("disk", "")], ["size", "disk"]);
/// ```
pub fn joined_path(outer: &str, inner: &str) -> String {
    let dot = if outer.is_empty() || inner.is_empty() || inner.starts_with('[') { "" } else { "." };
    format!("{outer}{dot}{inner}")
}
