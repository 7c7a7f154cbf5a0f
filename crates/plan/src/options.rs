//! Options for reports and their text.

use objchange_document::PlanMode;
use objchange_document::Program;

/// Whether text has colour sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// Plain text.
    #[default]
    Never,
    /// With the sequences for terminals.
    Always,
}

/// Options for showing a document.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether the text has colour sequences.
    pub colour: Colour,
    /// The mode of the plan; `None` to infer it.
    pub mode: Option<PlanMode>,
    /// The program as which the document is shown; `None` for the one that wrote it, as far as it can be detected.
    pub program: Option<Program>,
    /// The columns of the terminal; prose is wrapped one column earlier. 78 where the output is not a
    /// terminal.
    pub width: usize,
    /// Shows sensitive values, but not sensitive blocks, as an option of OpenTofu does. Reports hold it then,
    /// and so does whatever is made of them.
    pub show_sensitive: bool,
    /// Nothing is hidden: unchanged parts are shown too.
    pub full: bool,
    /// Similar elements that a set loses and gains are shown as updates. Terraform shows them as removed and added.
    pub match_sets: bool,
    /// Similar elements that a list loses and gains are shown as updates, wherever they are in it. Terraform compares most lists
    /// by position.
    pub match_lists: bool,
    /// The report is for a format of our own, and need not be the text of Terraform: a string that holds YAML before and after
    /// is compared as a document, and what one section of a plan calls sensitive is hidden in all.
    pub own_format: bool,
}

impl Options {
    /// Whether what one section of a plan calls sensitive is hidden in all. `terraform show` hides the values of each section
    /// by the marks of that section alone, and its text must stay the same.
    pub(crate) fn joins_marks(&self) -> bool {
        self.own_format && !self.show_sensitive
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            colour: Colour::Never,
            mode: None,
            program: None,
            width: 78,
            show_sensitive: false,
            full: false,
            match_sets: false,
            match_lists: false,
            own_format: false,
        }
    }
}
