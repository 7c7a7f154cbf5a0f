//! Finds the prefix of a text that is certain when an unknown text follows.

use std::ops::Range;

use objchange_text::clusters::clusters;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, compose, is_combining_mark};

/// The maximum length of a known prefix, in bytes.
const MAX_LENGTH: usize = 128;

/// Returns the longest prefix that no continuation can change. Later characters may combine with the last one under
/// NFC, or with the text before a line end.
pub(crate) fn safe(text: &str) -> Option<&str> {
    let mut text = text;
    if text.len() > MAX_LENGTH {
        let mut end = MAX_LENGTH;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // If the limit cuts a character, the one before it is complete.
        let is_complete = end < MAX_LENGTH;
        text = &text[..end];
        if is_complete {
            return Some(text);
        }
    }
    if let Some(start) = may_compose(text) {
        return Some(&text[..start]);
    }
    // Terraform 1.16 keeps nothing from the first lone line feed on: of `"api\n${unknown}"` it keeps `api`. CR LF does
    // not cut.
    if let Some(end) = line_end(text) {
        return Some(&text[..end]);
    }
    // The last cluster may grow, digits included, unless it is one of the ASCII delimiters (go-cty's `SafeKnownPrefix`).
    let (start, last) = clusters(text).last()?;
    Some(if is_delimiter(last) { text } else { &text[..start] })
}

/// The first line feed that is not part of a pair.
fn line_end(text: &str) -> Option<usize> {
    memchr::memchr_iter(b'\n', text.as_bytes()).find(|at| *at == 0 || text.as_bytes()[at - 1] != b'\r')
}

/// The start of the last character with everything that joins to it, if a following one could join, too.
fn may_compose(text: &str) -> Option<usize> {
    let mut joins = false;
    for (start, c) in text.char_indices().rev() {
        if joins_to_the_left(c) {
            joins = true;
            continue;
        }
        return (joins || composes(c)).then_some(start);
    }
    joins.then_some(0)
}

fn joins_to_the_left(c: char) -> bool {
    is_combining_mark(c) && canonical_combining_class(c) > 0
        || matches!(c, '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}')
}

/// Whether the character is the first of some composite, or itself one.
fn composes(c: char) -> bool {
    const HANGUL_LEADING: Range<char> = '\u{1100}'..'\u{1113}';
    const HANGUL: Range<char> = '\u{ac00}'..'\u{d7a4}';
    if HANGUL_LEADING.contains(&c) || HANGUL.contains(&c) || c.nfd().count() > 1 {
        return true;
    }
    // All marks that take part in a composite.
    MARKS.iter().any(|mark| compose(c, *mark).is_some())
}

/// The second characters of the canonical composites.
const MARKS: [char; 62] = [
    '\u{300}',
    '\u{301}',
    '\u{302}',
    '\u{303}',
    '\u{304}',
    '\u{306}',
    '\u{307}',
    '\u{308}',
    '\u{309}',
    '\u{30a}',
    '\u{30b}',
    '\u{30c}',
    '\u{30f}',
    '\u{311}',
    '\u{313}',
    '\u{314}',
    '\u{31b}',
    '\u{323}',
    '\u{324}',
    '\u{325}',
    '\u{326}',
    '\u{327}',
    '\u{328}',
    '\u{32d}',
    '\u{32e}',
    '\u{330}',
    '\u{331}',
    '\u{338}',
    '\u{342}',
    '\u{345}',
    '\u{653}',
    '\u{654}',
    '\u{655}',
    '\u{93c}',
    '\u{9be}',
    '\u{9d7}',
    '\u{b3e}',
    '\u{b56}',
    '\u{b57}',
    '\u{bbe}',
    '\u{bd7}',
    '\u{c56}',
    '\u{cc2}',
    '\u{cd5}',
    '\u{cd6}',
    '\u{d3e}',
    '\u{d57}',
    '\u{dca}',
    '\u{dcf}',
    '\u{ddf}',
    '\u{102e}',
    '\u{1b35}',
    '\u{3099}',
    '\u{309a}',
    '\u{110ba}',
    '\u{11127}',
    '\u{1133e}',
    '\u{11357}',
    '\u{114b0}',
    '\u{114ba}',
    '\u{114bd}',
    '\u{115af}',
];

fn is_delimiter(cluster: &str) -> bool {
    const KEPT: &str = "-_:;/\\,.(){}[]|?!~@#$%^&*+\"' \t";
    cluster.chars().all(|c| KEPT.contains(c))
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn only_what_nothing_can_combine_with_is_kept() {
        for (text, want) in [
            ("Hi ", "Hi "),
            ("ab", "a"),
            ("a", ""),
            ("日本", "日"),
            ("hello\n  world ", "hello"),
            (" \n\nbob", " \n\nbo"),
            ("ab\né", "ab\n"),
            ("x\u{1161}", ""),
            ("-\r\n-", "-\r\n-"),
            ("12", "1"),
        ] {
            assert_eq!(safe(text), Some(want), "{text:?}");
        }
        let long = "日".repeat(43);
        assert_eq!(safe(&long).map(|text| text.chars().count()), Some(42));
        assert_eq!(safe(""), None);
    }
}
