//! Texts that are written for people.

use crate::error::Failure;

/// The written page as text.
pub(crate) fn text(page: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(page).map_err(|_| Failure::defect("a page is no text"))
}

/// A text for a notebook, as it is.
pub(crate) fn preformatted(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    html.push_str("<pre>");
    // The text stands between tags. Quotes would matter only in attributes.
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            other => html.push(other),
        }
    }
    html.push_str("</pre>");
    html
}
