//! The sink for diffs in HTML: runs of lines with the same sign are one element, and unchanged parts can be unfolded.

use std::io;

use super::super::tokens::{Role, Tokens};
use super::output::Output;

/// A diff that is being written.
pub(super) struct DiffSink<'s, 'o> {
    out: &'s mut Output<'o>,
    /// What is to be written before the first text.
    start: Option<&'s str>,
    /// The element around the lines.
    run: Run,
    /// The next text begins a line.
    is_line_start: bool,
    /// The spaces before the sign of the line that begins.
    indent: String,
    /// How many folds this is in.
    folds: usize,
    /// This is the line that is to be seen of a fold.
    in_summary: bool,
}

/// What the sign of some lines says, and the element that they are in.
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
                    self.start_line(Run::new(text));
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
                Role::Marker | Role::Comment | Role::Heading => self.lines(text, "<i>", "</i>"),
                _ => self.lines(text, "", ""),
            }
        }
        Ok(())
    }

    /// Ends it, and says whether anything was written.
    pub(super) fn end(mut self) -> bool {
        self.set_run(Run::Plain);
        self.start.is_none()
    }

    /// Writes text, each line of it between these tags.
    fn lines(&mut self, text: &str, open: &str, close: &str) {
        for line in text.split_inclusive('\n') {
            let (line, is_whole) = line.strip_suffix('\n').map_or((line, false), |line| (line, true));
            if self.is_line_start {
                self.start_line(Run::Plain);
            }
            if !line.is_empty() {
                self.out.tag(open);
                self.out.text(line);
                self.out.tag(close);
            }
            if is_whole && !self.in_summary {
                self.out.tag("\n");
                self.out.lines += usize::from(self.folds == 0);
            }
            self.is_line_start |= is_whole;
        }
    }

    fn start_line(&mut self, run: Run) {
        if let Some(start) = self.start.take() {
            self.out.tag(start);
        }
        self.set_run(run);
        self.out.tag(&self.indent);
        self.indent.clear();
        self.is_line_start = false;
    }

    fn set_run(&mut self, run: Run) {
        if run != self.run {
            self.out.tag(self.run.tags().1);
            self.out.tag(run.tags().0);
            self.run = run;
        }
    }
}
