//! One document of a file: read, taken out of what is around it, and, for those who decide by it, a whole plan.

use std::path::Path;
use std::sync::OnceLock;

use objchange_plan::{CompareError, ComparedPlan, Document, Plan, Problem, ShowError, extract};
use thiserror::Error;

use crate::document_warnings;
use crate::exit::{self, CommandError, unusable};
use crate::input::Source;
use crate::module_plan::{PlanInputs, is_module, planned_document};

/// Why a text is no document.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    #[error("{name}{}", placed(error))]
    Document { name: String, error: Box<ShowError> },
    #[error("{name}:{line}: a second document starts here; split the file")]
    Another { name: String, line: usize },
}

/// Reads the document in a text, around which other text may be: that is said. `room` keeps the document then.
pub(crate) fn read_document<'t>(
    name: &str,
    text: &'t str,
    room: &'t OnceLock<String>,
) -> Result<Document<'t>, ReadError> {
    let at = |error: ShowError| ReadError::Document { name: name.to_owned(), error: Box::new(error) };
    match Document::parse_part(text) {
        Ok(document) => Ok(document),
        Err(error) => {
            let found = extract(text).ok_or_else(|| at(error.into()))?;
            if let Some(line) = found.another {
                return Err(ReadError::Another { name: name.to_owned(), line });
            }
            exit::warn(&format!("{name}: {found}"));
            Document::parse_part(room.get_or_init(|| found.text)).map_err(|error| at(error.into()))
        }
    }
}

/// The error after the name of its file: with the line and column first, as everywhere in this program.
pub(crate) fn placed(error: &ShowError) -> String {
    let (line, column, location, message) = match error {
        ShowError::Document(e) => (e.line, e.column, &e.location, advised(&e.problem)),
        ShowError::Schemas(e) => {
            let message = match &e.message {
                message if message.contains("terraform providers schema") => message.clone(),
                message => format!(
                    "{message}; pass the output of `terraform providers schema -json` as it was written"
                ),
            };
            (e.line, e.column, &e.location, message)
        }
        other => return format!(": {other}"),
    };
    let location = if location.is_empty() { String::new() } else { format!("{location}: ") };
    format!(":{line}:{column}: {location}{message}")
}

/// What is wrong, and what to do about it.
fn advised(problem: &Problem) -> String {
    match problem {
        Problem::Malformed(_) | Problem::Value(_) => {
            format!(
                "{problem}; pass the output of `terraform show -json`, or a state file, as it was written"
            )
        }
        // These say it themselves.
        _ => problem.to_string(),
    }
}

/// Why plans of these names cannot be compared or hashed.
pub(crate) fn complaint(error: CompareError, names: [&str; 2], schemas: &str) -> String {
    let name = match error.plan() {
        Some(ComparedPlan::A) => names[0],
        Some(ComparedPlan::B) => names[1],
        None => schemas,
    };
    match error {
        CompareError::Document { error, .. } => format!("{name}{}", placed(&error.into())),
        CompareError::Schemas(error) => format!("{name}{}", placed(&error.into())),
        error => format!("{name}: {error}"),
    }
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
            true => planned_document(path, modules)?,
            false => source.read_as_allowed(modules.max_input.0).map_err(unusable)?,
        };
        Ok(Self { name: source.to_string(), text, room: OnceLock::new() })
    }

    /// The plan, all of it. What may show less than what happens is said.
    pub(crate) fn plan(&self) -> Result<Plan<'_>, CommandError> {
        let Self { name, text, room } = self;
        let document = read_document(name, text, room).map_err(unusable)?;
        if !document.has_format_version() {
            return Err(unusable(format!(
                "{name}: this is a part of a document, without `format_version`; pass the whole output of `terraform show \
                 -json PLANFILE`"
            )));
        }
        document_warnings::unknown(&document)
            .iter()
            .for_each(|warning| exit::warn(&format!("{name}: {warning}")));
        let Document::Plan(plan) = document else {
            return Err(unusable(format!(
                "{name}: this is no plan but a state; pass the output of `terraform show -json PLANFILE`"
            )));
        };
        if plan.lacks_changes() {
            return Err(unusable(format!(
                "{name}: changes of some resources or outputs are missing from this plan; pass the whole output of \
                 `terraform show -json PLANFILE`"
            )));
        }
        if plan.is_simulated() {
            exit::warn(&format!(
                "{name}: planned without its providers: what only they know is unknown here, and may turn out otherwise"
            ));
        }
        Ok(plan)
    }
}
