//! U+2028 and U+2029 in YAML: lines end there for Terraform's reader, and do not for the parser used here. That is the same
//! within quotes where nothing is folded. Everything else is refused.

use saphyr_parser::{Event, ScalarStyle, Span};

pub(super) struct LineSeparator;

/// Where U+2028 and U+2029 are in a text.
pub(super) struct Separators {
    /// In characters, and how many of them make no difference.
    positions: Vec<usize>,
    harmless: usize,
}

impl Separators {
    const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

    pub(super) fn new(text: &str) -> Self {
        let is_separator = |(_, c): &(usize, char)| Self::SEPARATORS.contains(c);
        let positions = match text.contains(Self::SEPARATORS) {
            true => text.chars().enumerate().filter(is_separator).map(|(at, _)| at).collect(),
            false => Vec::new(),
        };
        Self { positions, harmless: 0 }
    }

    pub(super) fn see(&mut self, event: &Event<'_>, span: Span) {
        if self.positions.is_empty() {
            return;
        }
        let Event::Scalar(text, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, ..) = event else {
            return;
        };
        let mut parts = text.split(Self::SEPARATORS);
        let is_folded = |before: &str, after: &str| {
            before.ends_with([' ', '\t', '\n']) || after.starts_with([' ', '\t', '\n'])
        };
        let mut before = parts.next().unwrap_or_default();
        for after in parts {
            if is_folded(before, after) || ["---", "..."].iter().any(|mark| after.starts_with(mark)) {
                return;
            }
            before = after;
        }
        let up_to = |end: usize| self.positions.partition_point(|at| *at < end);
        self.harmless += up_to(span.end.index()) - up_to(span.start.index());
    }

    pub(super) fn end(&self) -> Result<(), LineSeparator> {
        if self.harmless == self.positions.len() { Ok(()) } else { Err(LineSeparator) }
    }
}
