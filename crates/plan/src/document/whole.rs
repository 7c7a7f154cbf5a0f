//! One document of a text: taken out of what is around it, and, for those who decide by it, a whole plan.

use std::sync::OnceLock;

use objchange::schema::SchemaDocumentErrorKind;
use objchange::value::ReadErrorKind;

use super::{Document, Plan, Problem, extract, unknown_warnings};
use crate::{CompareError, ComparedPlan, ShowError};

/// Why a text is not a document.
#[derive(Debug, thiserror::Error)]
pub enum WholeDocumentError {
    /// It cannot be read.
    #[error("{name}{}", placed(error))]
    Document {
        /// What the text is called.
        name: String,
        /// The problem with it.
        error: Box<ShowError>,
    },
    /// It has several documents.
    #[error("{name}:{line}: a second document starts here; split the file")]
    Another {
        /// What the text is called.
        name: String,
        /// Where the second begins.
        line: usize,
    },
}

impl WholeDocumentError {
    /// A stable name of this sort of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Document { error, .. } => error.kind(),
            Self::Another { .. } => "another_document",
        }
    }
}

/// Reads the document in a text, around which other text may be: that is said. `room` keeps the document then.
///
/// # Errors
///
/// There is none, or several.
pub fn read_document<'t>(
    name: &str,
    text: &'t str,
    room: &'t OnceLock<String>,
    warn: &mut dyn FnMut(String),
) -> Result<Document<'t>, WholeDocumentError> {
    let at =
        |error: ShowError| WholeDocumentError::Document { name: name.to_owned(), error: Box::new(error) };
    match Document::parse_part(text) {
        Ok(document) => Ok(document),
        Err(error) => {
            let found = extract(text).ok_or_else(|| at(error.into()))?;
            if let Some(line) = found.another {
                return Err(WholeDocumentError::Another { name: name.to_owned(), line });
            }
            warn(format!("{name}: {found}"));
            Document::parse_part(room.get_or_init(|| found.text)).map_err(|error| at(error.into()))
        }
    }
}

/// Reads a plan of which nothing is missing. What may show less than what happens is warned of.
///
/// # Errors
///
/// The text is no such plan.
pub fn read_whole_plan<'t>(
    name: &str,
    text: &'t str,
    room: &'t OnceLock<String>,
    warn: &mut dyn FnMut(String),
) -> Result<Plan<'t>, String> {
    let document = read_document(name, text, room, warn).map_err(|error| error.to_string())?;
    if !document.has_format_version() {
        return Err(format!(
            "{name}: this is a part of a document, without `format_version`; pass the whole output of `terraform show \
                 -json PLANFILE`"
        ));
    }
    for warning in unknown_warnings(&document) {
        warn(format!("{name}: {warning}"));
    }
    let Document::Plan(plan) = document else {
        return Err(format!(
            "{name}: this is no plan but a state; pass the output of `terraform show -json PLANFILE`"
        ));
    };
    if plan.lacks_changes() {
        return Err(format!(
            "{name}: changes of some resources or outputs are missing from this plan; pass the whole output of \
                 `terraform show -json PLANFILE`"
        ));
    }
    if plan.is_simulated() {
        warn(format!(
            "{name}: planned without its providers: what only they know is unknown here, and may turn out otherwise"
        ));
    }
    Ok(plan)
}

/// The error after the name of its file: with the line and column first, as everywhere in this program.
pub fn placed(error: &ShowError) -> String {
    let (line, column, location, message) = match error {
        ShowError::Document(e) => (e.line, e.column, &e.location, advised(&e.problem)),
        ShowError::Schemas(e) => {
            let is_of_root = e.location.is_empty();
            let message = match e.kind {
                // Another document, or none: the message names the command already.
                SchemaDocumentErrorKind::NotSchemas => e.message.clone(),
                SchemaDocumentErrorKind::Json(ReadErrorKind::Mismatch) if is_of_root => e.message.clone(),
                _ => format!(
                    "{}; pass the output of `terraform providers schema -json` as it was written",
                    e.message
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
pub fn compare_complaint(error: CompareError, names: [&str; 2], schemas: &str) -> String {
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
