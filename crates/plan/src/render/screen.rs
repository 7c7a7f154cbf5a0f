//! The sink for screens: lines of pieces with roles, which a program draws as it likes.

use objchange_text::visible;

use super::tokens::{Role, Tokens};

/// The role of a piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DiffRole {
    /// Brackets, spaces and our words.
    Plain,
    /// The sign in front of a line of what happens to what is on it, in its columns.
    Sign,
    /// The name of an attribute, an output or a block; the key of an element; the label of a block.
    Key,
    /// A value of the document.
    Value,
    /// Text in place of a value: `(sensitive value)`, `(known after apply)`.
    Marker,
    /// The value `null`, also as what becomes of a value.
    Null,
    /// The arrow from one value to the next.
    Arrow,
    /// That a value forces a replacement.
    ForcesReplacement,
    /// How much can be unfolded.
    Hidden,
    /// A remark about a value.
    Comment,
    /// The heading of a group.
    Heading,
    /// Something unexpected.
    Caution,
}

/// The lines of a diff. Unchanged parts are in it, below a line that says how many they are: a reader can unfold them.
///
/// Everything in the text can be shown on a terminal: control characters, except tabs, and those that turn text around are
/// escaped.
#[derive(Debug, Clone, Default)]
pub struct DiffLines {
    text: String,
    /// The role of each piece of the text, and its end. A piece never spans two lines.
    pieces: Vec<(DiffRole, usize)>,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, Copy)]
struct Line {
    /// Where its pieces end, and where its text ends, before the line end.
    pieces: usize,
    text: usize,
    unfolds: usize,
}

/// A line of a diff.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DiffLine<'d> {
    /// The text, without the line end.
    pub text: &'d str,
    /// The number of lines after it that it can unfold: unchanged parts, perhaps with folds of their own.
    pub unfolds: usize,
    pieces: &'d [(DiffRole, usize)],
    start: usize,
}

impl DiffLines {
    /// How many lines there are, unchanged parts included.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The line at this place.
    pub fn get(&self, index: usize) -> Option<DiffLine<'_>> {
        let line = self.lines.get(index)?;
        let before = index.checked_sub(1).map(|before| self.lines[before]);
        let (pieces, start) = before.map_or((0, 0), |before| (before.pieces, before.text + 1));
        Some(DiffLine {
            text: &self.text[start..line.text],
            unfolds: line.unfolds,
            pieces: &self.pieces[pieces..line.pieces],
            start,
        })
    }

    /// All lines.
    pub fn iter(&self) -> impl Iterator<Item = DiffLine<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The text of all lines, each with a line end.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl<'d> DiffLine<'d> {
    /// The pieces of the line with their roles.
    pub fn pieces(self) -> impl Iterator<Item = (DiffRole, &'d str)> {
        let (text, first, mut start) = (self.text, self.start, 0);
        self.pieces.iter().map(move |(role, end)| {
            let end = end - first;
            (*role, &text[std::mem::replace(&mut start, end)..end])
        })
    }
}

/// Lines that are being written.
#[derive(Default)]
pub(super) struct LineSink {
    diff: DiffLines,
    /// The lines that can be folded over the unchanged parts that are being written, the outermost first.
    folds: Vec<usize>,
}

impl LineSink {
    pub(super) fn write(&mut self, tokens: &Tokens) {
        for (role, piece) in tokens.pieces() {
            let role = match role {
                Role::FoldStart => {
                    self.end_started_line();
                    self.folds.push(self.diff.lines.len());
                    continue;
                }
                Role::FoldEnd => {
                    self.end_started_line();
                    self.end_fold();
                    continue;
                }
                Role::Plain | Role::Indent => DiffRole::Plain,
                Role::Sign | Role::LegendSign => DiffRole::Sign,
                Role::Key => DiffRole::Key,
                Role::Value => DiffRole::Value,
                Role::Marker => DiffRole::Marker,
                Role::Null => DiffRole::Null,
                Role::Arrow => DiffRole::Arrow,
                Role::ForcesReplacement => DiffRole::ForcesReplacement,
                Role::Hidden => DiffRole::Hidden,
                Role::Comment | Role::CommentSign => DiffRole::Comment,
                Role::Heading | Role::Strong | Role::StrongRest | Role::Note | Role::Success => {
                    DiffRole::Heading
                }
                Role::Danger | Role::Caution | Role::CautionStart | Role::Failure => DiffRole::Caution,
                // They have no text.
                Role::FoldBody
                | Role::UnitEnd
                | Role::ParagraphStart
                | Role::ParagraphEnd
                | Role::Rule
                | Role::EntryStart
                | Role::EntryEnd => continue,
            };
            self.push(role, &tokens.text[piece]);
        }
    }

    pub(super) fn end(mut self) -> DiffLines {
        self.end_started_line();
        self.diff
    }

    fn push(&mut self, role: DiffRole, text: &str) {
        for line in text.split_inclusive('\n') {
            let (line, is_whole) = line.strip_suffix('\n').map_or((line, false), |line| (line, true));
            if !line.is_empty() {
                // `visible` would escape tabs, which a screen can show.
                for (index, part) in line.split('\t').enumerate() {
                    self.diff.text.push_str(if index > 0 { "\t" } else { "" });
                    self.diff.text.push_str(&visible(part));
                }
                let (end, (start, _)) = (self.diff.text.len(), self.line_start());
                match self.diff.pieces[start..].last_mut() {
                    Some((last, last_end)) if *last == role => *last_end = end,
                    _ => self.diff.pieces.push((role, end)),
                }
            }
            // The blank line above the first text would separate it from nothing.
            if is_whole && !self.diff.text.is_empty() {
                self.end_line();
            }
        }
    }

    /// Where the pieces and the text of the line start that is being written.
    fn line_start(&self) -> (usize, usize) {
        self.diff.lines.last().map_or((0, 0), |line| (line.pieces, line.text + 1))
    }

    fn end_line(&mut self) {
        let DiffLines { text, pieces, lines } = &mut self.diff;
        lines.push(Line { pieces: pieces.len(), text: text.len(), unfolds: 0 });
        text.push('\n');
    }

    fn end_started_line(&mut self) {
        if self.diff.text.len() > self.line_start().1 {
            self.end_line();
        }
    }

    fn end_fold(&mut self) {
        let lines = &mut self.diff.lines;
        let Some(start) = self.folds.pop() else { return };
        // The first line says how many parts are folded, and stays when they are.
        let below = lines.len().saturating_sub(start + 1);
        if let Some(line) = lines.get_mut(start) {
            line.unfolds = below;
        }
    }
}
