//! One document of a file: read, taken out of what is around it, and, for those who decide by it, a whole plan.

use std::path::Path;
use std::sync::OnceLock;

use objchange_plan::{Document, Plan, WholeDocumentError, read_whole_plan};

use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::input::Source;
use crate::module_plan::{PlanInputs, is_module, planned_document};

/// Reads the document in a text, around which other text may be: that is said. `room` keeps the document then.
pub(crate) fn read_document<'t>(
    name: &str,
    text: &'t str,
    room: &'t OnceLock<String>,
) -> Result<Document<'t>, WholeDocumentError> {
    objchange_plan::read_document(name, text, room, &mut |warning| exit::warn(&warning))
}

/// The text of a plan, and what it is called.
pub(crate) struct PlanFile {
    pub(crate) name: String,
    text: String,
    /// The document, if the text has more.
    room: OnceLock<String>,
}

impl PlanFile {
    /// Reads a file or standard input, or plans the module in a directory.
    pub(crate) fn read(path: &Path, modules: &PlanInputs<'_>) -> Result<Self, CommandError> {
        let source = Source::new(path);
        let text = match is_module(path) {
            true => planned_document(path, modules)?.text,
            false => {
                source.read_as_allowed(modules.max_input.0).map_err(|error| unusable(hints::input(&error)))?
            }
        };
        Ok(Self { name: source.to_string(), text, room: OnceLock::new() })
    }

    /// The plan, all of it. What may show less than what happens is said.
    pub(crate) fn plan(&self) -> Result<Plan<'_>, CommandError> {
        let plan = read_whole_plan(&self.name, &self.text, &self.room, &mut |warning| exit::warn(&warning));
        plan.map_err(unusable)
    }
}
