//! Places in a source text: byte offsets, lines and columns.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use crate::clusters;

/// A line and a column in a source text, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// From 1; lines end with a line feed.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Finds positions in a text. Building it takes one pass; the first position in a long line takes another
/// one. Then a position in a long line costs no more than in a short one.
#[derive(Debug, Clone)]
pub struct LineIndex<'t> {
    text: Cow<'t, str>,
    /// The start of each line.
    starts: Vec<u32>,
    /// In lines longer than [`STRIDE`], one cluster in about as many bytes: where it starts, and how many are before
    /// it in its line.
    landmarks: OnceLock<Vec<(u32, u32)>>,
}

/// A shorter line is counted from its start.
const STRIDE: u32 = 512;

impl<'t> LineIndex<'t> {
    /// Prepares for questions about this text.
    pub fn new(text: impl Into<Cow<'t, str>>) -> Self {
        let text = text.into();
        // Terraform skips a byte order mark, so column 1 is behind it.
        let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let behind = memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i as u32 + 1);
        let starts = std::iter::once(first).chain(behind).collect();
        Self { text, starts, landmarks: OnceLock::new() }
    }

    /// The text that they are of.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The position of a byte, or of the end if the text is shorter. The column is in grapheme clusters, as
    /// in Terraform.
    pub fn position(&self, byte: u32) -> Position {
        let (line, start, byte) = self.line_of(byte);
        let (from, clusters) = self.landmark(start, byte);
        // A byte inside of a character counts the whole character.
        let end = (byte as usize..=self.text.len()).find(|at| self.text.is_char_boundary(*at));
        let before = self.text.get(from as usize..end.unwrap_or_default()).unwrap_or_default();
        let clusters = clusters + clusters::count(before) as u32;
        Position { line, column: clusters + 1 }
    }

    /// Like [`position`](Self::position), with the column in characters of Unicode, as in policies and
    /// SARIF.
    pub fn char_position(&self, byte: u32) -> Position {
        let (line, start, byte) = self.line_of(byte);
        let before = &self.text.as_bytes()[start as usize..byte as usize];
        // The bytes that continue a character are not counted.
        let characters = before.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        Position { line, column: characters as u32 + 1 }
    }

    /// The line number of a byte, the first byte of that line, and the byte itself, or the end of the text
    /// if it has no such byte.
    fn line_of(&self, byte: u32) -> (u32, u32, u32) {
        let byte = byte.min(self.text.len() as u32);
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        (line as u32, self.starts[line - 1].min(byte), byte)
    }

    /// A cluster not far before a byte of the line that starts there, and how many are before it.
    fn landmark(&self, start: u32, byte: u32) -> (u32, u32) {
        if byte - start <= STRIDE {
            return (start, 0);
        }
        let landmarks = self.landmarks.get_or_init(|| self.find_landmarks());
        let behind = landmarks.partition_point(|(at, _)| *at <= byte);
        let last = behind.checked_sub(1).map(|i| landmarks[i]);
        last.filter(|(at, _)| *at > start).unwrap_or((start, 0))
    }

    fn find_landmarks(&self) -> Vec<(u32, u32)> {
        let mut landmarks = Vec::new();
        let ends = self.starts[1..].iter().copied().chain([self.text.len() as u32]);
        for (start, end) in std::iter::zip(&self.starts, ends).filter(|(start, end)| end - *start > STRIDE) {
            let mut next = STRIDE;
            for (count, (at, _)) in clusters::clusters(&self.text[*start as usize..end as usize]).enumerate()
            {
                if at as u32 >= next {
                    landmarks.push((start + at as u32, count as u32));
                    next = at as u32 + STRIDE;
                }
            }
        }
        landmarks
    }

    /// The offset of a line, by its number from 1; the end of the text if it has fewer lines.
    pub fn start(&self, number: u32) -> u32 {
        let index = number.saturating_sub(1) as usize;
        self.starts.get(index).copied().unwrap_or(self.text.len() as u32)
    }

    /// The text of a line, by its number from 1, without its end.
    pub fn line(&self, number: u32) -> &str {
        let index = number.saturating_sub(1) as usize;
        let Some(start) = self.starts.get(index) else { return "" };
        let end = self.starts.get(index + 1).map_or(self.text.len(), |end| *end as usize);
        self.text[*start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::LineIndex;
    use crate::clusters;
    use proptest::prelude::*;

    #[test]
    fn columns_are_clusters_and_lines_end_with_a_line_feed() {
        let lines = LineIndex::new("a\r\ne\u{301}=\u{1f469}\u{200d}\u{1f4bb}x\n");
        let at = |byte| {
            let position = lines.position(byte);
            (position.line, position.column)
        };
        assert_eq!(
            [at(0), at(1), at(3), at(6), at(7), at(18)],
            [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4)]
        );
        assert_eq!(at(100), (3, 1));
        assert_eq!(LineIndex::new("\u{feff}a").position(3).column, 1);
        let lines = LineIndex::new("a\né = 日本\n");
        assert_eq!(lines.char_position(10).to_string(), "2:6");
        assert_eq!(lines.char_position(9999).to_string(), "3:1");
        // Letters that Unicode joins since 15.1 are two, because Terraform counts by 15.0.
        assert_eq!(LineIndex::new("\u{915}\u{94d}\u{937}").position(9).column, 3);
    }

    /// Short and long lines, with characters that belong together: pairs of flags, letters joined by marks.
    fn texts() -> impl Strategy<Value = String> {
        let piece = "[a\u{301}\u{915}\u{94d}\u{1f1e6}\u{1f1e7}\u{200d}\u{1f469}\r]{0,6}";
        let line = (piece, 0_usize..300).prop_map(|(piece, n)| piece.repeat(n));
        prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn landmarks_change_no_column(text in texts(), at in any::<prop::sample::Index>()) {
            let at = at.index(text.len() + 1);
            let byte = (0..=at).rev().find(|byte| text.is_char_boundary(*byte)).unwrap_or(0);
            let start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
            let column = clusters::count(&text[start..byte]) as u32 + 1;
            prop_assert_eq!(LineIndex::new(&*text).position(byte as u32).column, column);
        }
    }
}
