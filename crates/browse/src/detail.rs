//! The details of the selected node: lines laid out in rows as wide as the screen, with unchanged parts
//! that can be unfolded.

use std::collections::HashSet;

use objchange_plan::render::{DiffLine, DiffLines, DiffRole};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How many columns a tab takes.
pub(crate) const TAB: &str = "    ";

/// The role of a piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Ordinary words.
    Words,
    /// Important words.
    Strong,
    /// A name or a text of the document.
    Name,
    /// Words about a problem.
    Bad,
    /// Less important words.
    Faint,
    /// A piece of a diff.
    Diff(DiffRole),
}

/// A line above the diff, or in place of one.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct HeadLine {
    pub(crate) text: String,
    pieces: Vec<(Role, usize)>,
}

impl HeadLine {
    pub(crate) fn new(role: Role, text: &str) -> Self {
        Self::default().with(role, text)
    }

    pub(crate) fn with(mut self, role: Role, text: &str) -> Self {
        self.text.push_str(text);
        self.pieces.push((role, self.text.len()));
        self
    }
}

/// A line of the details.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Line<'d> {
    Head(&'d HeadLine),
    Diff(DiffLine<'d>),
}

impl<'d> Line<'d> {
    pub(crate) fn text(&self) -> &'d str {
        match self {
            Self::Head(line) => &line.text,
            Self::Diff(line) => line.text,
        }
    }

    /// The pieces of the line, each with its role.
    pub(crate) fn pieces(&self) -> Vec<(Role, &'d str)> {
        match self {
            Self::Head(line) => {
                let mut start = 0;
                let piece = |(role, end): &(Role, usize)| {
                    (*role, &line.text[std::mem::replace(&mut start, *end)..*end])
                };
                line.pieces.iter().map(piece).collect()
            }
            Self::Diff(line) => line.pieces().map(|(role, text)| (Role::Diff(role), text)).collect(),
        }
    }
}

/// A row on the screen: a part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// The line: those above the diff come first.
    pub(crate) line: usize,
    /// The start and end of the row in the text of the line.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The indentation of a row that continues a line.
    pub(crate) indent: usize,
}

/// How lines are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) columns: usize,
    /// Long lines continue in the next row.
    pub(crate) wraps: bool,
    /// All unchanged parts are unfolded, except those that the user has folded.
    pub(crate) unfolds: bool,
}

/// The details of the selected node.
#[derive(Debug, Default)]
pub(crate) struct Detail {
    head: Vec<HeadLine>,
    diff: DiffLines,
    /// The lines whose unchanged parts are not as they are in general.
    toggled: HashSet<usize>,
    layout: Option<Layout>,
    pub(crate) rows: Vec<Row>,
    /// The row that keys move.
    pub(crate) cursor: usize,
    /// The first row on the screen.
    pub(crate) top: usize,
    /// The columns that are left of the screen.
    pub(crate) left: usize,
}

impl Detail {
    pub(crate) fn new(head: Vec<HeadLine>, diff: DiffLines) -> Self {
        Self { head, diff, ..Self::default() }
    }

    pub(crate) fn line(&self, index: usize) -> Option<Line<'_>> {
        match index.checked_sub(self.head.len()) {
            None => self.head.get(index).map(Line::Head),
            Some(index) => self.diff.get(index).map(Line::Diff),
        }
    }

    fn count(&self) -> usize {
        self.head.len() + self.diff.len()
    }

    /// The number of lines that are folded into this one.
    pub(crate) fn unfolds(&self, line: usize) -> usize {
        match self.line(line) {
            Some(Line::Diff(line)) => line.unfolds,
            _ => 0,
        }
    }

    /// Whether the unchanged parts behind the line are shown.
    pub(crate) fn is_unfolded(&self, line: usize) -> bool {
        self.layout.is_some_and(|layout| layout.unfolds) != self.toggled.contains(&line)
    }

    /// Folds or unfolds the unchanged parts behind the line, if there are any.
    pub(crate) fn toggle(&mut self, line: usize) {
        if self.unfolds(line) > 0 {
            if !self.toggled.remove(&line) {
                self.toggled.insert(line);
            }
            self.lay_out_again();
        }
    }

    /// Lays out the lines; the line with the cursor keeps it.
    pub(crate) fn lay_out(&mut self, layout: Layout) {
        // Every event asks for a layout, and to measure all lines of a large diff each time would make keys slow.
        if self.layout == Some(layout) {
            return;
        }
        if self.layout.is_some_and(|before| before.unfolds != layout.unfolds) {
            // They would now be folded where the user had unfolded them, and the other way round.
            self.toggled.clear();
        }
        self.layout = Some(layout);
        self.lay_out_again();
    }

    fn lay_out_again(&mut self) {
        let Some(layout) = self.layout else { return };
        let line_at = |row: usize| self.rows.get(row).map_or(0, |row| row.line);
        let (cursor_line, top_line) = (line_at(self.cursor), line_at(self.top));
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        let mut index = 0;
        while index < self.count() {
            if let Some(line) = self.line(index) {
                push_rows(&mut rows, index, line.text(), layout);
            }
            let folded = if self.is_unfolded(index) { 0 } else { self.unfolds(index) };
            index += 1 + folded;
        }
        self.rows = rows;
        (self.cursor, self.top) = (self.row_of(cursor_line), self.row_of(top_line));
    }

    /// The first row of the line, or of the fold that contains it.
    fn row_of(&self, line: usize) -> usize {
        let first = self.rows.partition_point(|row| row.line < line);
        match self.rows.get(first) {
            Some(row) if row.line == line => first,
            _ => first.saturating_sub(1),
        }
    }

    /// The line with the cursor.
    pub(crate) fn cursor_line(&self) -> usize {
        self.rows.get(self.cursor).map_or(0, |row| row.line)
    }

    /// Moves the cursor, and scrolls so that it stays visible.
    pub(crate) fn move_cursor(&mut self, rows: isize, height: usize) {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(rows).min(last);
        self.scroll_to_cursor(height);
    }

    pub(crate) fn scroll_to_cursor(&mut self, height: usize) {
        self.top = self.top.clamp((self.cursor + 1).saturating_sub(height.max(1)), self.cursor);
    }

    /// Scrolls, and moves the cursor so that it stays visible.
    pub(crate) fn scroll(&mut self, rows: isize, height: usize) {
        let height = height.max(1);
        let last = self.rows.len().saturating_sub(height);
        self.top = self.top.saturating_add_signed(rows).min(last);
        let end = (self.top + height - 1).min(self.rows.len().saturating_sub(1));
        self.cursor = self.cursor.clamp(self.top.min(end), end);
    }

    /// Moves the cursor to the next line, or the one before, that is wanted, also where that is folded, and says whether there
    /// is one. `from` is the first line to look at.
    pub(crate) fn find(&mut self, from: Option<usize>, forward: bool, wanted: impl Fn(&str) -> bool) -> bool {
        let is_wanted = |line: &usize| self.line(*line).is_some_and(|line| wanted(line.text()));
        let found = match (from, forward) {
            (None, _) => None,
            (Some(from), true) => (from..self.count()).find(is_wanted),
            (Some(from), false) => (0..=from.min(self.count())).rev().find(is_wanted),
        };
        let Some(line) = found else { return false };
        let folded: Vec<usize> = (0..line)
            .filter(|around| line <= around + self.unfolds(*around) && !self.is_unfolded(*around))
            .collect();
        folded.into_iter().for_each(|around| self.toggle(around));
        self.cursor = self.row_of(line);
        true
    }
}

/// Adds the rows of a line. A line is broken after a space, if there is one in the second half of the row.
fn push_rows(rows: &mut Vec<Row>, line: usize, text: &str, layout: Layout) {
    let row = |start, end, indent| Row { line, start, end, indent };
    let columns = layout.columns.max(1);
    // No character takes more columns than bytes, except for a tab.
    if !layout.wraps || text.len() <= columns && !text.contains('\t') {
        return rows.push(row(0, text.len(), 0));
    }
    let spaces = text.len() - text.trim_start_matches(' ').len();
    // Text that is indented deeply still gets half of the columns for its other rows.
    let rest_indent = if spaces + 2 <= columns / 2 { spaces + 2 } else { 0 };
    let (mut start, mut indent) = (0, 0);
    loop {
        let room = columns - indent;
        let fits = fitting(&text[start..], room);
        if start + fits >= text.len() {
            return rows.push(row(start, text.len(), indent));
        }
        let piece = &text[start..start + fits];
        let space = piece.rfind(' ').map(|space| space + 1).filter(|end| *end > piece.len() / 2);
        // A line is not broken within its leading spaces.
        let end = start + space.filter(|end| start + end > spaces).unwrap_or(fits);
        rows.push(row(start, end, indent));
        (start, indent) = (end, rest_indent);
    }
}

/// How much of a text fits into this many columns, in bytes: at least one character.
pub(crate) fn fitting(text: &str, columns: usize) -> usize {
    // Most texts have a column for each byte.
    let ascii = text.as_bytes().iter().take(columns + 1).all(|byte| matches!(byte, b' '..=b'~'));
    if ascii {
        return text.len().min(columns);
    }
    let (mut end, mut used) = (0, 0);
    for part in text.graphemes(true) {
        used += grapheme_width(part);
        // Callers go on after the end, and would never get anywhere without progress.
        if used > columns && end > 0 {
            break;
        }
        end += part.len();
    }
    end
}

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.graphemes(true).map(grapheme_width).sum()
}

fn grapheme_width(grapheme: &str) -> usize {
    match grapheme {
        "\t" => TAB.len(),
        text => text.width(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, columns: usize) -> Vec<String> {
        let mut rows = Vec::new();
        push_rows(&mut rows, 0, text, Layout { columns, wraps: true, unfolds: false });
        let row = |row: &Row| format!("{}{}", ".".repeat(row.indent), &text[row.start..row.end]);
        rows.iter().map(row).collect()
    }

    #[test]
    fn long_lines_go_on_in_the_next_row() {
        assert_eq!(rows("short", 8), ["short"]);
        assert_eq!(rows("abcdefghij", 4), ["abcd", "..ef", "..gh", "..ij"]);
        assert_eq!(rows("  key = value", 10), ["  key = ", "....value"]);
        assert_eq!(rows("世界世界", 5), ["世界", "..世", "..界"]);
        assert_eq!(rows("a\tb", 4), ["a", "..\t", "..b"]);
        // A character that is wider than the screen.
        assert_eq!(rows("世", 1), ["世"]);
        assert_eq!(rows("", 4), [""]);
    }
}
