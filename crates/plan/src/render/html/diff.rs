//! The sink for diffs in HTML: runs of lines with the same sign are one element, and unchanged parts can be unfolded.

use std::io;

use super::super::tokens::{Role, Tokens};
use super::output::Output;

/// A diff that is being written.
pub(super) struct DiffSink<'s, 'o> {
    out: &'s mut Output<'o>,
    /// Text before the first piece.
    start: Option<&'s str>,
    /// The element around the lines.
    run: Run,
    /// The lines that the next one may be inside of: the column of each, without its sign, and the element that it is in.
    around: Vec<(usize, Run)>,
    /// The next text begins a line.
    is_line_start: bool,
    /// The spaces before the sign of the line that begins.
    indent: String,
    /// How many folds this is in.
    folds: usize,
    /// The visible line of a fold is being written.
    in_summary: bool,
}

/// The first characters of lines that end what another line began.
const ENDS: [&str; 4] = ["}", "]", ")", "EOT"];

/// The sign that some lines share, and so the element around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Plain,
    Added,
    Removed,
    Changed,
    Replaced,
}

impl Run {
    fn new(sign: &str) -> Self {
        match sign.trim() {
            "+" => Self::Added,
            "-" => Self::Removed,
            "~" => Self::Changed,
            sign if sign.contains('/') => Self::Replaced,
            _ => Self::Plain,
        }
    }

    /// The element of parts without a sign.
    fn of_parts(self) -> Self {
        match self {
            Self::Added | Self::Removed => self,
            Self::Plain | Self::Changed | Self::Replaced => Self::Plain,
        }
    }

    fn tags(self) -> (&'static str, &'static str) {
        match self {
            Self::Plain => ("", ""),
            Self::Added => ("<ins>", "</ins>"),
            Self::Removed => ("<del>", "</del>"),
            Self::Changed => ("<span class=\"m\">", "</span>"),
            Self::Replaced => ("<span class=\"r\">", "</span>"),
        }
    }
}

impl<'s, 'o> DiffSink<'s, 'o> {
    /// A diff with this markup before it, if there is anything to see.
    pub(super) fn new(out: &'s mut Output<'o>, start: &'s str) -> Self {
        Self {
            out,
            start: Some(start),
            run: Run::Plain,
            around: Vec::new(),
            is_line_start: true,
            indent: String::new(),
            folds: 0,
            in_summary: false,
        }
    }

    /// Writes some of it.
    pub(super) fn write(&mut self, tokens: &Tokens) -> io::Result<()> {
        for (role, piece) in tokens.pieces() {
            let text = &tokens.text[piece];
            match role {
                Role::Indent => self.indent.push_str(text),
                Role::Sign => {
                    self.start_line(Run::new(text), text.len());
                    self.out.text(text);
                }
                Role::FoldStart => {
                    self.set_run(Run::Plain);
                    self.out.tag("<details class=\"u\"><summary>");
                    self.folds += 1;
                    self.in_summary = true;
                }
                Role::FoldBody => {
                    self.out.tag("</summary>");
                    self.in_summary = false;
                }
                Role::FoldEnd => {
                    self.set_run(Run::Plain);
                    self.out.tag("</details>");
                    self.folds -= 1;
                }
                Role::ForcesReplacement | Role::Caution | Role::CautionStart | Role::Danger => {
                    self.lines(text, "<b>", "</b>");
                }
                Role::Marker | Role::Comment | Role::Heading => {
                    // A comment begins behind its column.
                    let column = self.indent.len() + text.len() - text.trim_start_matches(' ').len();
                    self.start_part(column);
                    self.lines(text, "<i>", "</i>");
                }
                // An empty line belongs to the lines around it.
                Role::Plain if self.is_line_start && text == "\n" => {
                    self.indent.clear();
                    self.is_line_start = false;
                    self.lines(text, "", "");
                }
                Role::Plain if self.is_line_start && ENDS.iter().any(|end| text.starts_with(end)) => {
                    let run = self.run_of_end();
                    self.start_line(run, 0);
                    self.lines(text, "", "");
                }
                _ => self.lines(text, "", ""),
            }
        }
        Ok(())
    }

    /// Ends it, and says whether anything was written.
    pub(super) fn end(mut self) -> bool {
        let is_written = self.start.is_none();
        if is_written {
            self.set_run(Run::Plain);
        }
        is_written
    }

    /// Writes text, each line of it between these tags.
    fn lines(&mut self, text: &str, open: &str, close: &str) {
        for line in text.split_inclusive('\n') {
            let (line, is_whole) = line.strip_suffix('\n').map_or((line, false), |line| (line, true));
            self.start_part(self.indent.len());
            if !line.is_empty() {
                self.out.tag(open);
                self.out.text(line);
                self.out.tag(close);
            }
            if is_whole && !self.in_summary {
                self.out.tag("\n");
                // Lines in a fold take no height at first, and the count is what the height of a chunk is derived from.
                self.out.lines += usize::from(self.folds == 0);
            }
            self.is_line_start |= is_whole;
        }
    }

    /// Starts a line with a sign of so many columns, or none.
    fn start_line(&mut self, run: Run, sign: usize) {
        self.set_run(run);
        let column = self.indent.len() + sign;
        while self.around.last().is_some_and(|(start, _)| *start >= column) {
            self.around.pop();
        }
        self.around.push((column, run));
        self.out.tag(&self.indent);
        self.indent.clear();
        self.is_line_start = false;
    }

    /// Starts a line without a sign, if one starts here: a part of what is around this column. An added or removed value is
    /// one as a whole, such as a text of several lines.
    fn start_part(&mut self, column: usize) {
        if self.is_line_start {
            let around = self.around.iter().rev().find(|(start, _)| *start < column && !self.in_summary);
            self.start_line(around.map_or(Run::Plain, |(_, run)| run.of_parts()), 0);
        }
    }

    /// The element of a last line: that of the line that began the value.
    fn run_of_end(&self) -> Run {
        let column = self.indent.len();
        let start = self.around.iter().rev().find(|(start, _)| *start <= column);
        start.filter(|(start, _)| *start == column).map_or(Run::Plain, |(_, run)| run.of_parts())
    }

    fn set_run(&mut self, run: Run) {
        if let Some(start) = self.start.take() {
            self.out.tag(start);
        }
        if run != self.run {
            self.out.tag(self.run.tags().1);
            self.out.tag(run.tags().0);
            self.run = run;
        }
    }
}
