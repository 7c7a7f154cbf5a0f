//! Finds documents between other text, such as log lines.

use std::fmt;

use objchange_text::json::Reader;

use super::DocumentKind;

/// A document among other text. As text it is a sentence about what is around it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Extracted {
    /// The document, after blank text in place of what is before it: lines and columns are those of the
    /// input.
    pub text: String,
    /// The line where it begins, from 1, if there is text before it.
    pub begins: Option<usize>,
    /// The line where other text follows.
    pub followed: Option<usize>,
    /// The line where another document is, or a part of one.
    pub another: Option<usize>,
}

/// The first document of a text, if others or other text are around it.
///
/// A document begins at the start of a line, as commands write it, or after another value: one further to the right may
/// be part of a broken document. No part of the text is read more than twice.
///
/// ```
/// use objchange_document::extract;
///
/// let text = "Refreshing state...\n{\"format_version\":\"1.2\",\"resource_changes\":[]}";
/// let found = extract(text).unwrap();
/// assert_eq!(found.to_string(), "the document begins in line 2: the text before it is skipped");
/// ```
pub fn extract(text: &str) -> Option<Extracted> {
    let (start, end) = next(text, 0)?;
    let line = |at: usize| text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1;
    let rest = end + text[end..].len() - text[end..].trim_ascii_start().len();
    let has_before = !text[..start].trim_ascii().is_empty();
    if !has_before && rest == text.len() {
        return None;
    }
    let mut blank: String =
        text[..start].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    blank.push_str(&text[start..end]);
    Some(Extracted {
        text: blank,
        begins: has_before.then(|| line(start)),
        followed: (rest < text.len()).then(|| line(rest)),
        another: next(text, end)
            .map(|(start, _)| start)
            // A document that is cut off counts, too: showing one of two would say less than the input does.
            .or_else(|| part_of_document(&text[end..]).map(|at| end + at))
            .or_else(|| part_of_document(&text[..start]))
            .map(line),
    })
}

impl fmt::Display for Extracted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.begins, self.followed) {
            (Some(begins), None) => {
                write!(f, "the document begins in line {begins}: the text before it is skipped")
            }
            (Some(begins), Some(followed)) => write!(
                f,
                "the document begins in line {begins}: the text before it, and from line {followed} on, is skipped"
            ),
            (None, Some(followed)) => {
                write!(f, "the text after the document, from line {followed} on, is skipped")
            }
            (None, None) => Ok(()),
        }
    }
}

/// Where a text has names that only documents have: a document that is cut off, or in another form.
fn part_of_document(text: &str) -> Option<usize> {
    ["\"format_version\"", "\"resource_changes\"", "\"planned_values\""]
        .iter()
        .filter_map(|name| text.find(name))
        .min()
}

/// Where the next document begins and ends, from here.
fn next(text: &str, from: usize) -> Option<(usize, usize)> {
    let after_blank = |from: usize| text.len() - text[from..].trim_ascii_start().len();
    let mut at = after_blank(from);
    while at < text.len() {
        let start = at;
        let next_line = |from: usize| text[from..].find('\n').map_or(text.len(), |end| from + end + 1);
        if !text[start..].starts_with('{') {
            at = next_line(start);
            continue;
        }
        let mut reader = Reader::new(&text[start..]);
        at = match reader.skip() {
            Ok(()) => {
                let end = start + reader.offset();
                let kind = DocumentKind::detect(&text[start..end]);
                if kind.is_ok_and(|kind| !matches!(kind, DocumentKind::Other | DocumentKind::Messages)) {
                    return Some((start, end));
                }
                after_blank(end)
            }
            // A line that looks like JSON: go on behind it.
            Err(error) => {
                let failed = start + error.offset().min(text.len() - start);
                let line =
                    text.as_bytes()[..failed].iter().rposition(|byte| *byte == b'\n').map_or(0, |n| n + 1);
                if line > start { line } else { next_line(start) }
            }
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "{\"format_version\":\"1.2\",\n\"resource_changes\":[]}";

    #[test]
    fn a_document_is_found_where_it_stands() {
        for (before, after, begins, followed, another) in [
            ("Warning: x\n  { a\n", "", Some(3), None, None),
            ("{\"@level\":\"info\"}\n{}\n", "\n\n", Some(3), None, None),
            ("{\n", "\nbye {\n", Some(2), Some(4), None),
            ("é\n", " bye", Some(2), Some(3), None),
            ("", "{} ", None, Some(2), None),
            ("", "{\"format_version\":\"1.0\"}", None, Some(2), Some(2)),
            ("  ", " {}  {\"format_version\":\"1.0\"}", None, Some(2), Some(2)),
        ] {
            let text = format!("{before}{PLAN}{after}");
            let found = extract(&text).unwrap();
            assert_eq!((found.begins, found.followed, found.another), (begins, followed, another), "{text}");
            assert_eq!(found.text.trim_ascii_start(), PLAN);
            assert_eq!(found.text.len(), before.len() + PLAN.len());
        }
        let within = format!("{{\n  \"a\": oops,\n  {PLAN}\n}}");
        let none = [
            "",
            "{",
            "x\ny",
            "x\n{\"@level\":1}",
            PLAN,
            &format!("\n{PLAN}\n"),
            &format!("x {PLAN}"),
            &within,
        ];
        for text in none {
            assert!(extract(text).is_none(), "{text}");
        }
    }

    #[test]
    fn looking_takes_no_longer_than_the_text() {
        assert!(extract(&"{\n".repeat(200_000)).is_none());
        assert!(extract(&"{\"a\":{}}\n".repeat(200_000)).is_none());
    }
}
