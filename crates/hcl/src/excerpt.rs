//! Lines of source texts as they may be shown.

use std::ops::{Range, RangeInclusive};

use crate::hidden_source::HiddenSource;
use crate::sources::FileSpan;
use objchange_text::Span;

/// Some lines of a file, without what is hidden in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, with line feeds between them.
    pub text: String,
    /// The part of the text that it is about.
    pub subject: Range<usize>,
}

/// The text that is shown in place of a hidden part.
const HIDDEN: &str = "(sensitive value)";

impl Excerpt {
    /// Some lines around a place, by their numbers from 1, without these parts of the file.
    pub fn new(place: &FileSpan<'_>, lines: RangeInclusive<u32>, hidden: &[Span]) -> Self {
        let FileSpan { lines: file, span, .. } = place;
        let first = *lines.start();
        let (mut text, mut in_text) = (String::new(), Vec::new());
        for number in lines {
            if number > first {
                text.push('\n');
            }
            let (line, start) = (file.line(number), file.start(number) as usize);
            let at = text.len();
            text.push_str(line);
            // No part goes over the end of a line.
            let in_line = |byte: u32| (byte as usize).saturating_sub(start).min(line.len());
            let parts = hidden.iter().map(|part| in_line(part.start)..in_line(part.end));
            let parts = parts.filter(|part| !part.is_empty() && line.get(part.clone()).is_some());
            in_text.extend(parts.map(|part| at + part.start..at + part.end));
        }
        let first = file.start(first);
        let from = (span.start.saturating_sub(first) as usize).min(text.len());
        let to = (span.end.saturating_sub(first) as usize).clamp(from, text.len());
        // Not within a character, which a line end of two bytes that was left out could lead to.
        let to = (from..=to).rev().find(|to| text.is_char_boundary(*to)).unwrap_or(from);
        let from = masked_place(from, &in_text, false);
        let to = masked_place(to, &in_text, true).max(from);
        Self { text: masked(&text, &in_text), subject: from..to }
    }
}

impl HiddenSource {
    /// What is hidden in the file of a place, in the text of the file. `span` is what the place was found for.
    pub fn in_file(&self, place: &FileSpan<'_>, span: Span) -> Vec<Span> {
        let before = span.start.saturating_sub(place.span.start);
        let local = |part: &Span| Some(Span::new(part.start.checked_sub(before)?, part.end - before));
        self.spans().iter().filter_map(local).collect()
    }
}

/// The text without its hidden parts.
fn masked(text: &str, hidden: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut copied = 0;
    for part in hidden {
        out.push_str(&text[copied..part.start]);
        out.push_str(HIDDEN);
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
            return if is_end { before + HIDDEN.len() } else { before };
        }
        before += HIDDEN.len();
        copied = part.end;
    }
    before + place - copied
}
