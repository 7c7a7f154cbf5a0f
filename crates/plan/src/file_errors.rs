//! Errors of documents and schemas, after the names of their files.

use objchange::schema::SchemaDocumentErrorKind;
use objchange::value::ReadErrorKind;

use crate::compare::{CompareError, ComparedPlan};
use crate::report::ShowError;
use objchange_document::placed_document;

/// The error after the name of its file: with the line and column first, as everywhere in this program.
pub fn placed(error: &ShowError) -> String {
    let (line, column, location, message) = match error {
        ShowError::Document(error) => return placed_document(error),
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
