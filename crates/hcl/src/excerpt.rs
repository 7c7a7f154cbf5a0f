//! Lines of source texts as they may be shown.

use std::ops::{Range, RangeInclusive};

use objchange_text::Span;
use objchange_text::redact::SENSITIVE;

use crate::hidden_source::HiddenSource;
use crate::sources::FileSpan;

/// Some lines of a file, without their hidden parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, joined by line feeds. A long line is cut to the part around the subject.
    pub text: String,
    /// The part of the text that it is about.
    pub subject: Range<usize>,
}

/// The maximum number of characters to show of a line. Errors in a file of one line would each repeat the whole file.
const MAX_LINE: usize = 200;
/// The maximum number of these characters before the subject.
const BEFORE: usize = 80;
/// Marks the cut of a long line.
pub(crate) const LEFT_OUT: &str = "…";

impl Excerpt {
    /// Some lines around a place, by their numbers from 1. `span` is the place in all sources, for lookups in `hidden`.
    pub fn new(place: &FileSpan<'_>, span: Span, lines: RangeInclusive<u32>, hidden: &HiddenSource) -> Self {
        let FileSpan { lines: file, span: subject, .. } = place;
        let file_start = span.start.saturating_sub(subject.start);
        let (mut text, mut in_text) = (String::new(), Vec::new());
        let first = *lines.start();
        let (mut from, mut to) = (None, 0);
        for number in lines {
            if number > first {
                text.push('\n');
            }
            let (line, start) = (file.line(number), file.start(number));
            let end = start + line.len() as u32;
            let in_line = |byte: u32| floor(line, byte.saturating_sub(start));
            let (starts_at, ends_at) = (in_line(subject.start), in_line(subject.end));
            let window = window(line, if subject.start <= end { starts_at } else { 0 });
            let part = &line[window.clone()];
            if window.start > 0 {
                text.push_str(LEFT_OUT);
            }
            let at = text.len();
            text.push_str(part);
            let in_part = |byte: usize| at + byte.clamp(window.start, window.end) - window.start;
            // Only parts in the window are asked for: on a file of one line there may be thousands of hidden parts
            // elsewhere.
            let shown = file_start + start + window.start as u32;
            for part in hidden.within(shown, window.len() as u32) {
                let part = part.start.saturating_sub(file_start)..part.end.saturating_sub(file_start);
                let part = in_part(in_line(part.start))..in_part(ceil(line, part.end.saturating_sub(start)));
                if !part.is_empty() {
                    in_text.push(part);
                }
            }
            if from.is_none() && subject.start <= end {
                from = Some(in_part(starts_at));
            }
            if subject.end >= start {
                to = in_part(ends_at);
            }
            if window.end < line.len() {
                text.push_str(LEFT_OUT);
            }
        }
        let from = from.unwrap_or(text.len());
        let to = to.max(from);
        let from = masked_place(from, &in_text, false);
        let to = masked_place(to, &in_text, true).max(from);
        Self { text: masked(&text, &in_text), subject: from..to }
    }
}

/// The part of a long line that is shown around the subject, which starts at byte `at`.
fn window(line: &str, at: usize) -> Range<usize> {
    let start = line[..at].char_indices().nth_back(BEFORE - 1).map_or(0, |(byte, _)| byte);
    let end = line[start..].char_indices().nth(MAX_LINE).map_or(line.len(), |(byte, _)| start + byte);
    // Near the end of a line there is more before it.
    let behind = line[start..end].chars().count();
    let start = match end == line.len() && behind < MAX_LINE && start > 0 {
        true => line[..start].char_indices().nth_back(MAX_LINE - behind - 1).map_or(0, |(byte, _)| byte),
        false => start,
    };
    start..end
}

/// The offset, moved to the start of its character; at most the end of the text.
fn floor(line: &str, byte: u32) -> usize {
    let byte = line.len().min(byte as usize);
    (0..=byte).rev().find(|byte| line.is_char_boundary(*byte)).unwrap_or(0)
}

/// The offset, moved to the end of its character; at most the end of the text.
fn ceil(line: &str, byte: u32) -> usize {
    (byte as usize..line.len()).find(|byte| line.is_char_boundary(*byte)).unwrap_or(line.len())
}

/// The text without its hidden parts.
fn masked(text: &str, hidden: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut copied = 0;
    for part in hidden {
        out.push_str(&text[copied..part.start]);
        out.push_str(SENSITIVE);
        copied = part.end;
    }
    out.push_str(&text[copied..]);
    out
}

/// Where a byte of the text is in the masked one: of one that is hidden, the end of the mask or its start.
fn masked_place(place: usize, hidden: &[Range<usize>], is_end: bool) -> usize {
    let mut before = 0;
    let mut copied = 0;
    for part in hidden.iter().take_while(|part| part.start < place) {
        before += part.start - copied;
        if place < part.end {
            return if is_end { before + SENSITIVE.len() } else { before };
        }
        before += SENSITIVE.len();
        copied = part.end;
    }
    before + place - copied
}

#[cfg(test)]
mod tests {
    use super::{Excerpt, LEFT_OUT, MAX_LINE};
    use crate::{HiddenSource, Sources, Span};
    use proptest::prelude::*;

    /// The lines of a span, with nothing hidden: these texts are test inputs, which `HiddenSource` would hide as a
    /// whole.
    fn excerpt(text: &str, span: Span) -> Excerpt {
        hiding(text, span, |_| HiddenSource::default())
    }

    fn hiding(text: &str, span: Span, hidden: impl FnOnce(&Sources) -> HiddenSource) -> Excerpt {
        let sources = Sources::from_text("a.tf", text).unwrap();
        let places = sources.places();
        let place = places.find(span).unwrap();
        let lines = place.start().line..=place.end().line;
        Excerpt::new(&place, span, lines, &hidden(&sources))
    }

    #[test]
    fn a_long_line_is_shown_around_its_subject() {
        let text = format!("{}wrong{}\nb = 1\n", "é".repeat(5000), "x".repeat(5000));
        let Excerpt { text, subject } = excerpt(&text, Span::new(10_000, 10_005));
        assert_eq!(&text[subject], "wrong");
        assert_eq!(text.chars().count(), MAX_LINE + 2);
        assert!(text.starts_with(LEFT_OUT) && text.ends_with(LEFT_OUT));

        let last = excerpt(&"y".repeat(1000), Span::new(999, 1000));
        assert_eq!(last.text, format!("{LEFT_OUT}{}", "y".repeat(MAX_LINE)));
        assert_eq!(last.subject.end, last.text.len());
    }

    #[test]
    fn a_secret_that_is_cut_is_hidden() {
        let secret = "s3cret".repeat(100);
        let text =
            format!("variable \"a\" {{\n  sensitive = true\n  default = {{ a = \"{secret}\", b = c }}\n}}\n");
        let at = text.find("b = c").unwrap() as u32;
        let hidden = |sources: &Sources| HiddenSource::new(sources, |_, _| None, []);
        let shown = hiding(&text, Span::new(at, at + 5), hidden).text;
        assert!(!shown.contains("s3cret") && shown.contains("(sensitive value)"), "{shown}");
    }

    proptest! {
        #[test]
        fn the_subject_is_what_it_is_in_the_file(
            before in "[aé\n]{0,400}", subject in "[b\n]{1,300}", after in "[cé\n]{0,400}",
        ) {
            let text = format!("{before}{subject}{after}");
            let (start, end) = (before.len() as u32, (before.len() + subject.len()) as u32);
            let excerpt = excerpt(&text, Span::new(start, end));
            let shown = &excerpt.text[excerpt.subject];
            prop_assert!(shown.chars().all(|c| "b\n…".contains(c)), "{shown:?}");
            prop_assert!(shown.len() >= subject.len().min(MAX_LINE / 2));
        }
    }
}
