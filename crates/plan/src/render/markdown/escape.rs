//! Text of a document that stays text in Markdown and HTML.

use std::borrow::Cow;

use objchange_text::visible;

/// A code span. Neither Markdown nor the sites that show it look for anything in one: no markup, links, mentions or
/// references to issues.
pub(crate) fn code(text: &str) -> String {
    let text = visible(text);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    // One space on each side belongs to the ticks, not to the text.
    let is_padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let space = if is_padded { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// Words that can only be words, as they are; all else as code.
pub(crate) fn words(text: &str) -> Cow<'_, str> {
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic()) && !is_like_commit(word);
    match !text.is_empty() && text.split(' ').all(is_word) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(code(text)),
    }
}

/// Sites take hexadecimal digits for a commit.
fn is_like_commit(word: &str) -> bool {
    word.len() > 4 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A line of prose. Words that can only be words have their punctuation escaped; all others are code. To escape `@user`,
/// `#1` or `:smile:` is not enough: sites look for them in the page that Markdown has become.
pub(in crate::render) fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    // A bar ends the cell of a table even in code.
    for piece in visible(text).split_inclusive([' ', '|']) {
        let (word, end) = match piece.strip_suffix('|') {
            Some(word) => (word, "\\|"),
            None => piece.strip_suffix(' ').map_or((piece, ""), |word| (word, " ")),
        };
        match is_plain(word) {
            true => escape(word, &mut out),
            false => out.push_str(&code(word)),
        }
        out.push_str(end);
    }
    out
}

/// Whether no site makes anything else of a word than a word, a number or marks between them.
fn is_plain(word: &str) -> bool {
    let word = word
        .trim_start_matches(['(', '"', '\''])
        .trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '"', '\'']);
    let is_name = word.chars().all(char::is_alphanumeric);
    // With digits it may be an issue: `GH-1`.
    let is_compound = word.split(['-', '\'', '’']).all(|part| part.chars().all(char::is_alphabetic));
    !word.chars().any(char::is_alphanumeric) && !word.contains('`')
        || (is_name || is_compound) && !is_like_commit(word)
}

/// Adds text whose punctuation is not markup.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
}

/// Code in HTML.
pub(in crate::render) fn html_code(text: &str) -> String {
    let text = visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<code>{text}</code>")
}

/// An address of a page as the target of a link, if it is one.
pub(in crate::render) fn target(url: &str) -> Option<String> {
    if !url.starts_with("https://") && !url.starts_with("http://") {
        return None;
    }
    let mut out = String::with_capacity(url.len());
    for byte in url.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'*+,;=%[]".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    Some(out)
}

/// The name of a page in a comment of HTML, which must not end early.
pub(super) fn marker(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/') { c } else { '_' })
        .collect()
}

/// A fenced block of a diff.
pub(crate) fn fenced(text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}diff\n{text}{end}{fence}")
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
