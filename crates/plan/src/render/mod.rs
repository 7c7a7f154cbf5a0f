//! The printers of reports: the text of `terraform show` (from `page` down), JSON (`json`), the summary (`summary`).
//!
//! What is shown is the report's to decide; printers know how it looks, and never the documents it came from. What is
//! written is passed on as it grows; a value that is hidden costs nothing.

mod action;
mod block;
mod colour;
mod escape;
mod frame;
mod header;
mod json;
mod list;
mod object;
mod page;
mod state;
mod summary;
mod text;
mod value;
mod wrap;

pub use page::{
    render_entry, render_plan, render_planned_change, render_resource_change, render_state, render_value,
};
pub use summary::GroupBy;

use std::io::{self, Write};

use crate::diff::{Diff, DiffAction};
use crate::options::Colour;
use crate::program::Program;

/// How a value is written where it stands.
#[derive(Debug, Clone, Copy, Default)]
struct View {
    /// Nothing deleted is followed by `-> null`.
    no_null_suffix: bool,
    /// The value itself does not say that it forces the replacement; its parts still do.
    omit_replace: bool,
}

/// How much text may wait before it is passed on.
const ENOUGH: usize = 1 << 16;

/// Writes reports as text.
struct Writer<'w> {
    /// What has been written and not been passed on.
    out: String,
    /// Where text is passed on to.
    to: &'w mut dyn Write,
    /// What has been written may still be changed.
    is_held: bool,
    /// What stands after each line break of what is passed on.
    line_start: &'static str,
    /// Why text could not be passed on.
    error: Option<io::Error>,
    colour: Colour,
    program: Program,
    /// The columns that prose may use.
    width: usize,
    /// There are no symbols and no columns for them: a state.
    plain: bool,
}

impl<'w> Writer<'w> {
    fn new(to: &'w mut dyn Write, colour: Colour, program: Program) -> Self {
        Self {
            out: String::new(),
            to,
            is_held: false,
            line_start: "",
            error: None,
            colour,
            program,
            width: 77,
            plain: false,
        }
    }
}

impl Writer<'_> {
    /// Passes on what has been written.
    fn flush(&mut self) -> io::Result<()> {
        let written = match self.error.take() {
            Some(error) => Err(error),
            None if self.line_start.is_empty() => self.to.write_all(self.out.as_bytes()),
            None => {
                let line_break = format!("\n{}", self.line_start);
                self.to.write_all(self.out.replace('\n', &line_break).as_bytes())
            }
        };
        self.out.clear();
        written
    }

    /// Passes on what has been written if it is much, so that a large value does not stand in memory as text too.
    fn flush_much(&mut self) {
        if self.out.len() >= ENOUGH && !self.is_held {
            self.pass_on();
        }
    }

    /// Passes on what has been written; an error comes out of the next [`Writer::flush`].
    fn pass_on(&mut self) {
        if self.error.is_none() {
            self.error = self.flush().err();
        }
    }

    /// Has this stand after each line break that is written from here on.
    fn start_lines_with(&mut self, line_start: &'static str) {
        self.pass_on();
        self.line_start = line_start;
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn indent(&mut self, levels: usize) {
        const SPACES: &str = "                                                                ";
        let mut columns = levels * 4;
        while columns > 0 {
            let some = columns.min(SPACES.len());
            self.out.push_str(&SPACES[..some]);
            columns -= some;
        }
    }

    /// Writes the indent of a line and the symbol of what happens to the thing on it.
    fn start_line(&mut self, indent: usize, action: DiffAction) {
        self.indent(indent);
        self.symbol(action);
    }

    fn symbol(&mut self, action: DiffAction) {
        if !self.plain {
            self.push(self.colour.symbol(action));
        }
    }

    fn null_suffix(&mut self, action: DiffAction, view: View) {
        if action == DiffAction::Delete && !view.no_null_suffix {
            self.push(self.colour.null_suffix());
        }
    }

    fn forces_replacement(&mut self, diff: &Diff<'_>, view: View) {
        if diff.replace && !view.omit_replace {
            self.push(self.colour.forces_replacement());
        }
    }

    /// Writes how many unchanged things are not shown, if any are.
    fn hidden(&mut self, indent: usize, count: usize, thing: &str) {
        if count == 0 {
            return;
        }
        self.start_line(indent, DiffAction::NoOp);
        let (open, close) = self.colour.dark_gray();
        let plural = if count == 1 { "" } else { "s" };
        self.push(open);
        self.push(&format!("# ({count} unchanged {thing}{plural} hidden)"));
        self.push(close);
        self.push("\n");
    }
}
