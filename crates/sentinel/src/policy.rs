//! A source text that was read and compiled, once for all runs.

use std::fmt;
use std::sync::Arc;

use objchange_text::{Diagnostic, LineIndex, Span};

use crate::compile::{Compiled, compile};
use crate::syntax::parse;
use crate::value::Location;

/// A compiled policy or module. Many threads can run it at once, with any data.
pub struct Policy {
    name: Arc<str>,
    lines: LineIndex<'static>,
    comments: Vec<Span>,
    params: Vec<Arc<str>>,
    pub(crate) compiled: Compiled,
}

impl Policy {
    /// Reads a source text; its name is for errors and reports.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, in the order of the text.
    ///
    /// # Examples
    ///
    /// ```
    /// use objchange_sentinel::{LineIndex, Policy};
    ///
    /// let text = "a = [1, 2\nb = )\nmain = rule { a }";
    /// let (errors, lines) = (Policy::parse("p.sentinel", text).unwrap_err(), LineIndex::new(text));
    /// assert_eq!(errors[0].kind, "unexpected");
    /// let errors: Vec<String> = errors.iter().map(|error| error.with_position(&lines)).collect();
    /// assert_eq!(errors, [
    ///     "2:1: expected , or ] in this list, found b",
    ///     "2:5: expected an expression, found )",
    /// ]);
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Arc<Policy>, Vec<Diagnostic>> {
        let (program, comments) = parse(text)?;
        let compiled = compile(&program);
        let params = program.params.iter().map(|param| Arc::clone(&param.name.text)).collect();
        let lines = LineIndex::new(text.to_owned());
        Ok(Arc::new(Policy { name: Arc::from(name), lines, comments, params, compiled }))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of its imports.
    #[must_use]
    pub fn imports(&self) -> &[String] {
        &self.compiled.imports
    }

    /// The names of its parameters, in the order of the text.
    #[must_use]
    pub fn params(&self) -> &[Arc<str>] {
        &self.params
    }

    /// The rules at its top that have a name, in the order of the text.
    #[must_use]
    pub fn rules(&self) -> Vec<(Arc<str>, Location)> {
        let units = self.compiled.unit.units.iter();
        units.filter_map(|unit| Some((Arc::clone(unit.name.as_ref()?), self.location(unit.place)))).collect()
    }

    /// Whether it has `main`, as policies have. Modules and mocks have none.
    #[must_use]
    pub fn has_main(&self) -> bool {
        self.compiled.names.contains_key("main")
    }

    /// The source text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.lines.text()
    }

    pub(crate) fn location(&self, offset: u32) -> Location {
        Location { file: Arc::clone(&self.name), position: self.lines.char_position(offset) }
    }

    /// The comments directly above the line of a place, without their comment signs.
    pub(crate) fn doc(&self, offset: u32) -> Option<String> {
        let text = self.text();
        let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let mut top = line_start(text.len().min(offset as usize));
        let mut lines = Vec::new();
        // Comments are in the order of the text, so that a file with thousands of rules is not searched for
        // each.
        let until = self.comments.partition_point(|comment| (comment.end as usize) <= top);
        for comment in self.comments[..until].iter().rev() {
            let (start, end) = (comment.start as usize, comment.end as usize);
            let between = &text[end..top];
            let stands_alone = text[line_start(start)..start].trim().is_empty();
            // A blank line, or code before the comment on its line, separates it from the rule.
            if between.trim() != "" || between.matches('\n').count() > 1 || !stands_alone {
                break;
            }
            lines.push(bare(&text[start..end]));
            top = line_start(start);
        }
        lines.reverse();
        let doc = lines.join("\n").trim().to_owned();
        (!doc.is_empty()).then_some(doc)
    }
}

/// A comment without its signs.
fn bare(comment: &str) -> String {
    if let Some(block) = comment.strip_prefix("/*") {
        let block = block.strip_suffix("*/").unwrap_or(block);
        let line = |line: &str| line.trim().trim_start_matches('*').trim().to_owned();
        return block.lines().map(line).collect::<Vec<_>>().join("\n").trim().to_owned();
    }
    let line = comment.strip_prefix("//").unwrap_or_else(|| comment.trim_start_matches('#'));
    line.trim().to_owned()
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").field("name", &self.name).finish_non_exhaustive()
    }
}
