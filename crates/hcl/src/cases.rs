//! The operations of case files about configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use objchange::value::Path as ValuePath;
use objchange::{Type, Value};
use objchange_case::{Answer, AnsweredError, Case, CaseError, Operation};
use objchange_text::{Diagnostic, LineIndex, json::RawPart};
use serde::Deserialize;
use tempfile::TempDir;

use crate::decode::{Purpose, decode, references};
use crate::eval::{Scope, Variables, evaluate, evaluate_template};
use crate::function::Functions;
use crate::functions::BaseDirectory;
use crate::hidden_source::HiddenSource;
use crate::syntax::{parse_body, parse_expression, parse_template};

/// The operations of case files that this crate answers.
///
/// ```
/// use objchange_case::{Case, Outcome};
///
/// let case = r#"{"op":"expr","expr":"a * 2 + b","variables":{"a":{"type":"number","value":4}},
///     "want":{"errors":[{"range":[1,9,1,10],"summary":"Unknown variable"}]}}"#;
/// assert_eq!(Case::parse(case)?.run_by(objchange_hcl::OPERATIONS), Outcome::Passed);
/// # Ok::<(), objchange_case::CaseError>(())
/// ```
pub const OPERATIONS: &[Operation] = &[
    Operation::new("expr", &["expr", "variables", "files"], |case| {
        let text: String = case.parsed("expr")?;
        answer(case, &text, |inputs| {
            let (value, errors) = evaluate(&parse_expression(&text)?, &inputs.scope(), &inputs.functions);
            Ok((value, wanted_type(case), errors))
        })
    }),
    Operation::new("template", &["template", "variables", "files"], |case| {
        let text: String = case.parsed("template")?;
        answer(case, &text, |inputs| {
            let (value, errors) =
                evaluate_template(&parse_template(&text)?, &inputs.scope(), &inputs.functions);
            Ok((value, wanted_type(case), errors))
        })
    }),
    Operation::new("decode", &["body", "schema", "variables", "files"], |case| {
        let (text, schema) = (case.parsed::<String>("body")?, case.schema()?);
        answer(case, &text, |inputs| {
            let body = parse_body(&text)?;
            let decoded = decode(&body, &schema, &inputs.scope(), &inputs.functions);
            Ok((decoded.value, schema.implied_type().clone(), decoded.errors))
        })
    }),
    Operation::new("for_each_variables", &["body", "schema", "variables"], for_each_variables),
];

/// The current time, for functions that need it.
const PLAN_TIME: &str = "2026-01-02T03:04:05Z";

/// The variables and functions of a case's expressions.
struct CaseInputs {
    variables: Variables,
    functions: Functions,
    /// Removed when the case is done.
    _files: Option<TempDir>,
}

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(rename = "type")]
    ty: Type,
    #[serde(borrow)]
    value: RawPart<'a>,
}

impl CaseInputs {
    fn from_case(case: &Case<'_>) -> Result<Self, CaseError> {
        let mut variables = Variables::default();
        if let Some(text) = case.optional_field("variables") {
            let typed: BTreeMap<String, Typed<'_>> = objchange_text::json::from_str(text)
                .map_err(|error| case.wrong_json("variables", text, error))?;
            for (name, Typed { ty, value }) in typed {
                variables.insert(name, case.value_in("variables", value.0, &ty)?);
            }
        }
        let functions = Functions::pure().clone().with_plan_time(PLAN_TIME);
        if case.optional_field("files").is_none() {
            return Ok(Self { variables, functions, _files: None });
        }
        let files: BTreeMap<String, String> = case.parsed("files")?;
        let unusable = |error: std::io::Error| {
            case.wrong_field("files", &format!("they cannot be written to a directory: {error}"))
        };
        let directory = TempDir::new().map_err(unusable)?;
        for (path, text) in &files {
            let path = Path::new(path);
            if !path.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(case.wrong_field("files", "a path leads out of the directory of the case"));
            }
            let path = directory.path().join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all).map_err(unusable)?;
            fs::write(path, text).map_err(unusable)?;
        }
        let base = BaseDirectory::open(directory.path()).map_err(unusable)?;
        Ok(Self { variables, functions: functions.with_files(&base), _files: Some(directory) })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::new(&self.variables)
    }
}

/// The type of the wanted value; without one, the value states its type.
fn wanted_type(case: &Case<'_>) -> Type {
    #[derive(Deserialize)]
    struct Want {
        #[serde(rename = "type")]
        ty: Type,
    }
    case.parsed::<Want>("want").map_or(Type::Dynamic, |want| want.ty)
}

/// The value, or the errors.
fn answer(
    case: &Case<'_>,
    text: &str,
    evaluate: impl FnOnce(&CaseInputs) -> Result<(Value, Type, Vec<Diagnostic>), Vec<Diagnostic>>,
) -> Result<Answer, CaseError> {
    Ok(match evaluate(&CaseInputs::from_case(case)?) {
        Ok((value, ty, errors)) if errors.is_empty() => Answer::Value(value, ty),
        Ok((_, _, errors)) | Err(errors) => answered(case, text, &errors),
    })
}

fn answered(case: &Case<'_>, text: &str, errors: &[Diagnostic]) -> Answer {
    let lines = LineIndex::new(text);
    let has_secrets = case.schema().is_ok_and(|schema| schema.has_hidden_at(&ValuePath::root()));
    let sentence = |error: &Diagnostic| match has_secrets {
        true => HiddenSource::mask_all_of(text, error.clone()).to_string(),
        false => error.to_string(),
    };
    let error = |error: &Diagnostic| {
        let subject = error.subject.unwrap_or_default();
        let (start, end) = (lines.position(subject.start), lines.position(subject.end));
        let range = [start.line, start.column, end.line, end.column];
        AnsweredError::in_source(range, error.summary.clone(), sentence(error))
    };
    Answer::Errors(errors.iter().map(error).collect())
}

fn for_each_variables(case: &Case<'_>) -> Result<Answer, CaseError> {
    let (text, schema) = (case.parsed::<String>("body")?, case.schema()?);
    let body = match parse_body(&text) {
        Ok(body) => body,
        Err(errors) => return Ok(answered(case, &text, &errors)),
    };
    let needs = |purpose| {
        let found = references(&body, &schema, purpose);
        found.iter().map(ToString::to_string).collect::<BTreeSet<_>>().into_iter().collect()
    };
    Ok(Answer::Names(vec![
        ("for_each", needs(Purpose::Expansion)),
        ("all", needs(Purpose::Everything)),
        ("decode", needs(Purpose::Unexpanded)),
        ("block", needs(Purpose::Core)),
    ]))
}
