//! Answers to questions, as JSON.

use objchange::schema::{Block, ProviderSchemas};
use objchange_case::{Answer, Case, CaseError};
use objchange_project::{OPERATIONS, PlanFileReader, PlanInputError, SchemaLookup};
use objchange_text::did_you_mean;
use serde_json::json;

/// The answer to a question, or the error.
pub(crate) fn answer(operation: &str, question: &str, schema: Option<&Block>) -> String {
    if !OPERATIONS.iter().any(|known| known.name == operation) {
        let hint = did_you_mean(operation, OPERATIONS.iter().map(|known| known.name));
        return error("unknown_operation", &format!("there is no operation {operation:?}{hint}"));
    }
    let answered = Case::asking(operation, question).and_then(|case| {
        let case = match schema {
            Some(schema) => case.with_schema(schema),
            None => case,
        };
        let answer = case.answer_by(&OPERATIONS)?;
        // An operation without a schema has no field for one.
        Ok(match (answer, case.schema()) {
            (Some(answer), Ok(schema)) => Some(answer.mark_hidden(&schema)),
            (answer, _) => answer,
        })
    });
    match answered {
        Ok(Some(Answer::Refused(reason))) => error("refused", &reason),
        Ok(Some(Answer::Texts(texts))) => match texts.iter().find_map(|(_, text)| text.as_ref().err()) {
            Some(reason) => error("refused", reason),
            None => written(&Answer::Texts(texts)),
        },
        Ok(Some(answer)) => written(&answer),
        Ok(None) => error("unknown_operation", "there is no such operation"),
        Err(error) => unusable(&error),
    }
}

/// The document of a plan file, with these schemas if there are any; or the error.
pub(crate) fn plan_document(plan: &[u8], schemas: &str) -> String {
    let schemas = match schemas {
        "" => Ok(ProviderSchemas::default()),
        text => ProviderSchemas::parse(text),
    };
    let schemas = match schemas {
        Ok(schemas) => schemas,
        Err(problem) => return error(problem.kind.kind(), &problem.to_string()),
    };
    let reader = PlanFileReader::new(schemas, SchemaLookup::none());
    match reader.marked_plan_file("the plan file", plan) {
        Ok(file) => file.text().to_owned(),
        Err(problem) => {
            let kind = match &problem {
                PlanInputError::Saved { error, .. } => error.kind(),
                _ => "plan_file",
            };
            error(kind, &problem.to_string())
        }
    }
}

fn written(answer: &Answer) -> String {
    answer.to_json().unwrap_or_else(|| error("no_json", "the answer has no form in JSON"))
}

/// An error of the caller or of this library.
pub(crate) fn error(kind: &str, message: &str) -> String {
    json!({"error": {"kind": kind, "message": message}}).to_string()
}

/// The error that the input cannot be read.
pub(crate) fn unusable(error: &CaseError) -> String {
    let mut entry = json!({
        "kind": error.kind.kind(),
        "message": error.message,
        "line": error.line,
        "column": error.column,
    });
    if let Some(field) = &error.field {
        entry["field"] = json!(field);
    }
    json!({"error": entry}).to_string()
}
