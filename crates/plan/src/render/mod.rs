//! The printers of reports: the text of `terraform show` (from `page` down), JSON (`json`), the summary
//! (`summary`), Markdown pages (`markdown`), HTML pages (`html`) and parts of them (`notebook`), and screens (`screen`), which
//! ask for one entry at a time. The last four have the same content (`outline`, `overview`).
//!
//! The report decides what is shown. Printers decide how it looks, and never read the documents. Text is
//! written as tokens with roles (`tokens`), and a sink (`terminal`, `screen`, `fence` in `markdown`, `diff`
//! in `html`) turns them into output. Hidden values cost nothing.

mod action;
mod block;
mod escape;
mod frame;
mod header;
mod html;
mod json;
mod list;
mod markdown;
mod notebook;
mod object;
mod outline;
mod overview;
mod page;
mod review;
mod screen;
mod state;
mod summary;
mod terminal;
mod text;
mod tokens;
mod value;

pub use html::HtmlOptions;
pub use markdown::MarkdownOptions;
#[cfg(feature = "template")]
pub use markdown::MarkdownTemplate;
pub use outline::{
    Outline, OutlineFilter, OutlineItem, OutlineModule, OutlineNode, OutlinePiece, OutlineSection,
};
pub use page::{
    render_entry, render_plan, render_planned_change, render_resource_change, render_state, render_value,
};
pub use review::{PolicyOutcome, PolicyResult, Review, ReviewedPlan};
pub use screen::{DiffLine, DiffLines, DiffRole};
pub use summary::GroupBy;

/// Parts that the printers of comparisons and reports share.
pub(crate) mod shared {
    pub(crate) use super::escape::name as identifier_or_quoted;
    pub(crate) use super::json::write_lines as write_json_lines;
    pub(crate) use super::markdown::parts as markdown;
}

use std::io;

use self::tokens::{Role, Sink, Tokens, sign};
use crate::diff::{Diff, DiffAction};
use crate::options::Options;
use crate::report::ShowError;
use objchange_document::Program;

/// How a value is written where it is.
#[derive(Debug, Clone, Copy, Default)]
struct View {
    /// Nothing deleted is followed by `-> null`.
    no_null_suffix: bool,
    /// The value itself does not say that it forces the replacement; its parts still do.
    omit_replace: bool,
}

/// The number of bytes to collect before they are written, so that a large value is not in memory as text too.
const ENOUGH: usize = 1 << 16;

/// Writes reports as tokens.
struct Writer<'s> {
    /// Tokens that are not passed on yet.
    tokens: Tokens,
    sink: &'s mut Sink<'s>,
    /// Why tokens could not be passed on.
    error: Option<io::Error>,
    program: Program,
    /// How much deeper all lines are: those of the configuration of an action.
    depth: usize,
    /// Nobody has read the state, so objects that are configured may exist.
    may_exist: bool,
    /// There are no signs and no columns for them: a state.
    plain: bool,
    /// The sink can fold unchanged parts: they are written too.
    folds: bool,
}

/// Writes text for a terminal.
fn print(
    to: &mut dyn io::Write,
    options: &Options,
    program: Program,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), ShowError>,
) -> Result<(), ShowError> {
    let mut out = String::new();
    let mut sink = |tokens: &Tokens| terminal::write(tokens, options.colour, options.width, &mut out, to);
    let mut writer = Writer::new(&mut sink, program);
    write(&mut writer)?;
    Ok(writer.flush()?)
}

impl<'s> Writer<'s> {
    fn new(sink: &'s mut Sink<'s>, program: Program) -> Self {
        Self {
            tokens: Tokens::default(),
            sink,
            error: None,
            program,
            depth: 0,
            may_exist: false,
            plain: false,
            folds: false,
        }
    }

    /// Passes on what has been written.
    fn flush(&mut self) -> io::Result<()> {
        let written = match self.error.take() {
            Some(error) => Err(error),
            None => (self.sink)(&self.tokens),
        };
        self.tokens.clear();
        written
    }

    fn start_entry(&mut self, address: &str) {
        address.clone_into(&mut self.tokens.address);
        self.end(Role::EntryStart);
    }

    /// Ends the entry and passes it on.
    fn end_entry(&mut self) -> io::Result<()> {
        self.end(Role::EntryEnd);
        let written = self.flush();
        self.tokens.address.clear();
        written
    }

    fn push(&mut self, text: &str) {
        self.text(Role::Plain, text);
    }

    fn text(&mut self, role: Role, text: &str) {
        self.tokens.push(role, text);
    }

    /// Writes a token without text.
    fn end(&mut self, role: Role) {
        self.tokens.end(role);
    }

    /// Writes a string in quotes, as Go's `%q` does.
    fn quote(&mut self, role: Role, text: &str) {
        objchange_text::quote_into(text, &mut self.tokens.text);
        self.end(role);
    }

    /// Starts a line.
    fn indent(&mut self, levels: usize) {
        const SPACES: &str = "                                                                ";
        // The next `flush` returns the error.
        // Every line comes here, and no piece of text has begun yet, so this is where tokens can be passed on.
        if self.tokens.text.len() >= ENOUGH && self.error.is_none() {
            self.error = self.flush().err();
        }
        let mut columns = (self.depth + levels) * 4;
        while columns > 0 {
            let some = columns.min(SPACES.len());
            self.text(Role::Indent, &SPACES[..some]);
            columns -= some;
        }
    }

    /// Starts a line with the sign of what happens to the thing on it.
    fn start_line(&mut self, levels: usize, action: DiffAction) {
        // Where nothing happens the columns of the sign are as wide as a level.
        if self.plain || action == DiffAction::NoOp {
            return self.indent(levels + usize::from(!self.plain));
        }
        self.indent(levels);
        self.text(Role::Sign, sign(action));
    }

    fn blank_line(&mut self) {
        self.indent(0);
        self.push("\n");
    }

    fn null_suffix(&mut self, action: DiffAction, view: View) {
        if action == DiffAction::Delete && !view.no_null_suffix {
            self.push(" ");
            self.text(Role::Null, "-> null");
        }
    }

    fn forces_replacement(&mut self, diff: &Diff<'_>, view: View) {
        if diff.replace && !view.omit_replace {
            self.push(" ");
            self.text(Role::ForcesReplacement, "# forces replacement");
        }
    }

    /// Writes the first line of a value with lines.
    fn open(&mut self, bracket: &str, diff: &Diff<'_>, view: View) {
        self.push(bracket);
        self.forces_replacement(diff, view);
        self.push("\n");
    }

    fn arrow(&mut self) {
        self.push(" ");
        self.text(Role::Arrow, "->");
        self.push(" ");
    }

    /// Writes how many unchanged or ignored things are not shown, if any are, and for a sink that folds them the things
    /// themselves.
    fn hidden(&mut self, indent: usize, count: usize, thing: &str, write: impl FnOnce(&mut Self)) {
        if count == 0 {
            return;
        }
        let text = objchange_text::counted(count, thing);
        if !self.folds {
            self.start_line(indent, DiffAction::NoOp);
            self.text(Role::Hidden, &format!("# ({text} hidden)"));
            return self.push("\n");
        }
        self.end(Role::FoldStart);
        self.start_line(indent, DiffAction::NoOp);
        self.text(Role::Hidden, &text);
        self.push("\n");
        self.end(Role::FoldBody);
        write(self);
        self.end(Role::FoldEnd);
    }
}
