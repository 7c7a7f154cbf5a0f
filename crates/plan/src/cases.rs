//! The operations of case files about what people see.

use objchange_case::{Answer, Case, CaseError, Operation};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::options::{Colour, Options};
use crate::render::{render_plan, render_resource_change, render_state};
use crate::report::ShowError;
use objchange_document::PlanMode;
use objchange_document::Schemas;
use objchange_document::{Plan, State};
use objchange_document::{Program, ProgramError};

/// The operations of case files that this crate answers.
///
/// ```
/// use objchange_case::{Case, Outcome};
///
/// let case = r#"{"op":"render_state","state":{"format_version":"1.0"},"schemas":{"format_version":"1.0"},
///     "want":{"text":"The state file is empty. No resources are represented.\n"}}"#;
/// assert_eq!(Case::parse(case)?.run_by(objchange_plan::OPERATIONS), Outcome::Passed);
/// # Ok::<(), objchange_case::CaseError>(())
/// ```
pub const OPERATIONS: &[Operation] = &[
    Operation::new("render_plan", &["plan", "schemas", "options"], |case| {
        let (plan, schemas) = (case.field("plan")?, case.field("schemas")?);
        texts(case, |options| render_plan(&Plan::parse(plan)?, &Schemas::parse(schemas)?, options))
    }),
    Operation::new("render_state", &["state", "schemas", "options"], |case| {
        let (state, schemas) = (case.field("state")?, case.field("schemas")?);
        texts(case, |options| render_state(&State::parse(state)?, &Schemas::parse(schemas)?, options))
    }),
    Operation::new("render_resource_change", &["schema", "change", "options"], |case| {
        let (change, schema) = (case.field("change")?, case.schema()?);
        texts(case, |options| render_resource_change(change, Some(&schema), options))
    }),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OptionsField {
    mode: Option<PlanMode>,
    flavor: String,
    version: Option<String>,
    width: Option<usize>,
}

impl Default for OptionsField {
    fn default() -> Self {
        Self { mode: None, flavor: "terraform".to_owned(), version: None, width: None }
    }
}

/// The parts of the expected answer that say which texts to render.
#[derive(Deserialize)]
struct Want {
    color: Option<IgnoredAny>,
}

/// The text without colour, and the one with it where the case wants that.
fn texts(
    case: &Case<'_>,
    render: impl Fn(&Options) -> Result<String, ShowError>,
) -> Result<Answer, CaseError> {
    let given = match case.optional_field("options") {
        Some(_) => case.parsed::<OptionsField>("options")?,
        None => OptionsField::default(),
    };
    // The case names the program, because the document may come from another one.
    let name = given.version.map_or(given.flavor.clone(), |version| format!("{}@{version}", given.flavor));
    let program: Program =
        name.parse().map_err(|error: ProgramError| case.wrong_field("options", &error.to_string()))?;
    let mut options = Options { mode: given.mode, program: Some(program), ..Options::default() };
    options.width = given.width.unwrap_or(options.width);
    let text = |colour| render(&Options { colour, ..options }).map_err(|error| error.to_string());
    let mut texts = vec![("text", text(Colour::Never))];
    if case.parsed::<Want>("want").is_ok_and(|want| want.color.is_some()) {
        texts.push(("color", text(Colour::Always)));
    }
    Ok(Answer::Texts(texts))
}
