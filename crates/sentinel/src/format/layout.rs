//! The layout between tokens: spaces, line ends, indentation, and comments.

use objchange_text::Span;

use super::align::{self, Entry};
use crate::syntax::token::{Kind, Token};

/// The space before a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    kind: GapKind,
    /// The indentation of the token, if it begins a line.
    indent: usize,
    /// The indentation of comments before it that are on lines of their own.
    comments: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GapKind {
    Nothing,
    Space,
    /// A line end, without blank lines.
    Wrap,
    /// A line end, with the blank line that was there.
    Line,
}

impl Gap {
    /// The token begins a line.
    pub(super) fn line(indent: usize) -> Self {
        Self { kind: GapKind::Line, indent, comments: indent }
    }

    /// A closing token on a line of its own, with the indentation of the opening line.
    pub(super) fn close(indent: usize) -> Self {
        Self { kind: GapKind::Line, indent, comments: indent + 1 }
    }

    /// The line that a comment makes begin here is indented like this.
    pub(super) fn at(self, indent: usize) -> Self {
        Self { indent, ..self }
    }

    /// Like [`Gap::at`], also for the comments before the token.
    pub(super) fn all_at(self, indent: usize) -> Self {
        Self { indent, comments: indent, ..self }
    }

    /// The indentation of the token's line.
    pub(super) fn base(self, layout: &Layout<'_>) -> usize {
        match self.kind {
            GapKind::Wrap | GapKind::Line => self.indent,
            GapKind::Nothing | GapKind::Space => layout.line_indent,
        }
    }

    pub(super) fn breaks(self) -> bool {
        matches!(self.kind, GapKind::Wrap | GapKind::Line)
    }
}

/// A text that is being formatted.
pub(super) struct Layout<'t> {
    text: &'t str,
    /// Without semicolons, which the form needs nowhere.
    tokens: Vec<Token>,
    at: usize,
    comments: &'t [Span],
    /// The positions of line ends in the text.
    newlines: Vec<u32>,
    /// The positions of line ends, and of words whose block is written on several lines.
    breaks: Vec<u32>,
    /// How much of the text is written.
    done: u32,
    /// Whether that is the start of a block.
    opened: bool,
    /// Whether blank lines are left out here.
    drops_blanks: bool,
    out: String,
    /// How many lines were ended.
    lines: usize,
    /// The indentation of the current line.
    line_indent: usize,
    /// The indentation of continuation lines.
    pub(super) wrapped: usize,
    /// Spaces to insert into the output.
    spaces: Vec<(usize, usize)>,
}

impl<'t> Layout<'t> {
    pub(super) fn new(text: &'t str, tokens: &[Token], comments: &'t [Span]) -> Self {
        let of = |token: &Token| &text[token.span.start as usize..token.span.end as usize];
        // `parse` has refused texts whose offsets do not fit.
        let newlines: Vec<u32> =
            text.match_indices('\n').map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)).collect();
        let forces = |token: &&Token| match token.kind {
            Kind::Semicolon => of(token) == ";",
            Kind::Keyword => matches!(of(token), "if" | "for" | "case"),
            _ => false,
        };
        let mut breaks: Vec<u32> = tokens.iter().filter(forces).map(|token| token.span.start).collect();
        breaks.extend(&newlines);
        breaks.sort_unstable();
        Self {
            text,
            tokens: tokens.iter().filter(|token| token.kind != Kind::Semicolon).copied().collect(),
            at: 0,
            comments,
            newlines,
            breaks,
            done: if text.starts_with('\u{feff}') { 3 } else { 0 },
            opened: true,
            drops_blanks: true,
            out: String::with_capacity(text.len()),
            lines: 0,
            line_indent: 0,
            wrapped: 0,
            spaces: Vec::new(),
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.before(Gap::line(0));
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.spaces.sort_unstable();
        // All spaces are inserted in one pass: to insert each into the output takes time that grows with the
        // square of its length.
        let mut text = String::with_capacity(self.out.len());
        let mut written = 0;
        for (at, count) in self.spaces {
            text.push_str(&self.out[written..at]);
            text.extend(std::iter::repeat_n(' ', count));
            written = at;
        }
        text.push_str(&self.out[written..]);
        text
    }

    fn text(&self, span: Span) -> &'t str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The token that comes next; the last one stays.
    fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn line_indent(&self) -> usize {
        self.line_indent
    }

    pub(super) fn next(&self) -> &'t str {
        self.text(self.token().span)
    }

    /// The start of the next token.
    pub(super) fn start(&self) -> u32 {
        self.token().span.start
    }

    fn has_between(offsets: &[u32], from: u32, to: u32) -> bool {
        offsets.partition_point(|offset| *offset < from) < offsets.partition_point(|offset| *offset < to)
    }

    /// Whether a line ended before the token that comes next.
    pub(super) fn is_next_on_new_line(&self) -> bool {
        Self::has_between(&self.newlines, self.done, self.start())
    }

    /// Whether the part from the next token to this place needs lines of its own.
    pub(super) fn breaks_until(&self, end: u32) -> bool {
        Self::has_between(&self.breaks, self.start(), end)
    }

    pub(super) fn has_comment(&self) -> bool {
        self.comments.first().is_some_and(|comment| comment.start < self.start())
    }

    pub(super) fn nothing(&self) -> Gap {
        Gap { kind: GapKind::Nothing, indent: self.wrapped, comments: self.wrapped }
    }

    pub(super) fn space(&self) -> Gap {
        Gap { kind: GapKind::Space, ..self.nothing() }
    }

    /// A line end if the text had one, or else a space.
    pub(super) fn wrap(&self) -> Gap {
        let kind = if self.is_next_on_new_line() { GapKind::Wrap } else { GapKind::Space };
        Gap { kind, ..self.nothing() }
    }

    /// Passes over a comma, which the form may have or not.
    pub(super) fn pass_comma(&mut self) {
        self.at += usize::from(self.next() == ",");
    }

    /// Writes a comma directly behind the output.
    pub(super) fn comma(&mut self) {
        self.out.push(',');
    }

    /// Begins a block: blank lines are dropped at its start.
    pub(super) fn open(&mut self) {
        (self.opened, self.drops_blanks) = (true, true);
    }

    /// Writes the token that comes next.
    pub(super) fn put(&mut self, gap: Gap) {
        self.before(gap);
        let token = self.token();
        let text = self.text(token.span);
        if token.kind == Kind::String && text.starts_with('`') {
            // A raw string drops carriage returns when it is read, so its value stays.
            self.out.extend(text.chars().filter(|c| *c != '\r'));
            self.lines += text.matches('\n').count();
        } else {
            self.out.push_str(text);
        }
        self.at += 1;
        self.done = token.span.end;
        self.opened = token.kind == Kind::Punct && matches!(text, "(" | "[" | "{");
        self.drops_blanks = self.opened && text != "{";
    }

    /// A dot after an integer would be its decimal point.
    pub(super) fn dot(&self) -> Gap {
        let is_int = self.at > 0 && self.tokens[self.at - 1].kind == Kind::Int;
        if is_int { self.space() } else { self.nothing() }
    }

    /// Writes the comments before the next token, and their separators.
    fn before(&mut self, gap: Gap) {
        let token = self.token();
        let text = self.text(token.span);
        let closes = token.kind == Kind::End || matches!(text, ")" | "]" | "}");
        let (mut has_ended, mut is_behind_comment) = (self.out.is_empty(), false);
        while let Some((comment, rest)) = self.comments.split_first()
            && comment.start < token.span.start
        {
            let newlines = self.newlines_before(comment.start);
            let is_line = !self.text(*comment).starts_with("/*");
            if newlines > 0 {
                self.end_line(newlines > 1 && gap.kind == GapKind::Line, gap.comments);
                has_ended = true;
            } else if is_behind_comment || is_line || !self.opened || gap.kind != GapKind::Nothing {
                self.separate();
            }
            self.comment(*comment);
            self.comments = rest;
            (self.done, is_behind_comment) = (comment.end, true);
            (self.opened, self.drops_blanks) = (false, false);
        }
        if token.kind == Kind::End {
            return;
        }
        let newlines = self.newlines_before(token.span.start);
        if (gap.breaks() && !has_ended) || (is_behind_comment && newlines > 0) {
            // Unlike other brackets, braces keep the blank lines at their beginning and end.
            let is_blank = newlines > 1 && gap.kind == GapKind::Line && (!closes || text == "}");
            self.end_line(is_blank, gap.indent);
        } else if gap.kind != GapKind::Nothing || (is_behind_comment && !closes && text != ":") {
            self.separate();
        }
    }

    fn newlines_before(&self, offset: u32) -> usize {
        let count = |to| self.newlines.partition_point(|newline| *newline < to);
        count(offset) - count(self.done)
    }

    fn separate(&mut self) {
        if !self.out.is_empty() {
            self.out.push(' ');
        }
    }

    fn end_line(&mut self, is_blank: bool, indent: usize) {
        if !self.out.is_empty() {
            let count = 1 + usize::from(is_blank && !self.drops_blanks);
            self.out.extend(std::iter::repeat_n('\n', count));
            self.lines += count;
        }
        self.indent(indent);
    }

    fn indent(&mut self, indent: usize) {
        self.line_indent = indent;
        self.out.extend(std::iter::repeat_n('\t', indent));
    }

    /// Its lines below the first are moved if they all begin with a star, else they stay.
    fn comment(&mut self, comment: Span) {
        let mut lines = self.text(comment).lines();
        self.out.push_str(lines.next().unwrap_or_default().trim_end());
        // Text in a comment without stars may be aligned on purpose, such as an example of code.
        let has_stars = lines.clone().all(|line| line.trim_start().starts_with('*'));
        for line in lines {
            self.out.push('\n');
            self.lines += 1;
            if has_stars {
                self.out.extend(std::iter::repeat_n('\t', self.line_indent));
                self.out.push(' ');
            }
            let line = if has_stars { line.trim() } else { line.trim_end() };
            self.out.push_str(line);
        }
    }

    /// The place for the value of an entry of a map, behind its colon.
    pub(super) fn place_of_value(&self) -> Entry {
        let line = self.out.rfind('\n').map_or(0, |newline| newline + 1);
        let width = self.out[line..].chars().count().saturating_sub(self.line_indent + 1);
        Entry { width, value: self.out.len(), line: Some(self.lines) }
    }

    /// The entry, with its line if it ends on it.
    pub(super) fn ended(&self, entry: Entry) -> Entry {
        Entry { line: entry.line.filter(|line| *line == self.lines), ..entry }
    }

    pub(super) fn align(&mut self, entries: &[Entry]) {
        self.spaces.append(&mut align::spaces(entries));
    }
}
