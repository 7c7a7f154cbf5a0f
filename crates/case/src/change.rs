//! The operations that plan and apply a change. The answers of the provider are part of the case.

use serde::Deserialize;

use super::answer::AnsweredError;
use super::compare::present;
use super::{Answer, Case, CaseError};
use objchange::change::{
    Action, AppliedResource, ApplyRequest, Diagnostic, IgnoreChanges, Lifecycle, PlanChangeError,
    PlanQuestion, PlanRequest, PlannedChange, PlannedResource, Planning, Provider, SimulatedProvider,
    apply_change, begin_plan,
};
use objchange::schema::Block;
use objchange::value::{Path, PathStep, Type, Value};
use objchange_text::json::{self, RawPart};

/// The field `lifecycle` of a case: settings, besides the objects, that a change depends on.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LifecycleField<'a> {
    #[serde(borrow)]
    ignore_changes: Option<RawPart<'a>>,
    create_before_destroy: bool,
    force_replace: bool,
    tainted: bool,
}

/// One answer of a provider. Without an object, the simulated provider answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AnswerField<'a> {
    #[serde(borrow, deserialize_with = "present")]
    planned: Option<RawPart<'a>>,
    #[serde(borrow, deserialize_with = "present")]
    new_state: Option<RawPart<'a>>,
    #[serde(borrow)]
    requires_replace: Vec<Vec<StepField<'a>>>,
    legacy_type_system: bool,
    errors: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepField<'a> {
    Attr(String),
    #[serde(borrow)]
    Index(RawPart<'a>),
}

/// Plans the change of a case, and returns its parts.
pub(super) fn plan(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    Ok(Answer::Change(match planned(case, &schema)? {
        (Err(error), _) => vec![("error", Answer::Action(error.kind()))],
        (Ok(change), asked) => {
            let ty = schema.implied_type();
            let errors = |violations: &[objchange::change::PlanViolation]| {
                Answer::Errors(violations.iter().map(|v| AnsweredError::new(v.path(), v.kind(), v)).collect())
            };
            let shown = change.no_longer_sensitive.iter().map(|path| {
                AnsweredError::new(path, "no_longer_sensitive", &format!("{path}: no longer sensitive"))
            });
            vec![
                ("action", Answer::Action(change.action.kind())),
                ("reason", Answer::Action(reason(&change))),
                ("before", Answer::Value(change.before.clone(), ty.clone())),
                ("after", Answer::Value(change.after.clone(), ty.clone())),
                ("proposed", Answer::Value(change.proposed.clone(), ty.clone())),
                ("violations", errors(&change.violations)),
                ("at_apply", errors(&change.at_apply)),
                ("no_longer_sensitive", Answer::Errors(shown.collect())),
                ("asked", Answer::Action(asked)),
            ]
        }
    }))
}

/// Plans the change of a case, applies it, and returns the parts of the result.
pub(super) fn apply(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    let ty = schema.implied_type();
    let error = |kind| Ok(Answer::Change(vec![("error", Answer::Action(kind))]));
    let change = match planned(case, &schema)? {
        (Ok(change), _) => change,
        (Err(failed), _) => return error(failed.kind()),
    };
    let config = match case.optional_field("final_config") {
        Some(_) => case.value("final_config", ty)?,
        None => case.value("config", ty)?,
    };
    let mut answers = Vec::new();
    for answer in fields(case, "applied")? {
        let new_state = answer.new_state.map(|raw| case.value_in("applied", raw.0, ty)).transpose()?;
        let mut applied = AppliedResource::new(Value::null(Type::Dynamic));
        applied.new_state = new_state;
        applied.legacy_type_system = answer.legacy_type_system;
        applied.diagnostics = answer.errors.into_iter().map(Diagnostic::error).collect();
        answers.push(applied);
    }
    let (mut answers, mut asked) = (answers.into_iter(), 0);
    let applied = apply_change(&ApplyRequest::new(&schema, &change, &config), &mut |_| {
        asked += 1;
        answers.next().ok_or_else(|| "the case has no more answers".into())
    });
    let applied = match applied {
        Ok(applied) => applied,
        Err(failed) => return error(failed.kind()),
    };
    let errors = applied.violations.iter().map(|v| AnsweredError::new(v.path(), v.kind(), v)).collect();
    let deposed = applied.deposed.unwrap_or_else(|| Value::null(ty.clone()));
    Ok(Answer::Change(vec![
        ("action", Answer::Action(change.action.kind())),
        ("saved", Answer::Value(applied.saved, ty.clone())),
        ("tainted", Answer::Action(if applied.tainted { "true" } else { "false" })),
        ("deposed", Answer::Value(deposed, ty.clone())),
        ("violations", Answer::Errors(errors)),
        ("asked", Answer::Action(count(asked))),
    ]))
}

/// The planned change of a case, and the number of calls of the provider.
fn planned(
    case: &Case<'_>,
    schema: &Block,
) -> Result<(Result<PlannedChange, PlanChangeError>, &'static str), CaseError> {
    let ty = schema.implied_type();
    let mut request = PlanRequest::new(schema, &case.value("prior", ty)?, &case.value("config", ty)?);
    request.lifecycle = lifecycle(case)?;
    let mut answers = fields(case, "answers")?.into_iter();
    let mut asked = 0;
    let mut planning = match begin_plan(&request) {
        Ok(planning) => planning,
        Err(error) => return Ok((Err(error), count(asked))),
    };
    loop {
        let question = match planning {
            Planning::Ask(question) => question,
            Planning::Done(change) => return Ok((Ok(*change), count(asked))),
        };
        asked += 1;
        let answer = answer(case, &question, answers.next().unwrap_or_default())?;
        planning = match question.answer(answer) {
            Ok(planning) => planning,
            Err(error) => return Ok((Err(error), count(asked))),
        };
    }
}

fn answer(
    case: &Case<'_>,
    question: &PlanQuestion,
    field: AnswerField<'_>,
) -> Result<PlannedResource, CaseError> {
    let request = question.request();
    let ty = request.schema.implied_type();
    let mut answer = match field.planned {
        Some(raw) => PlannedResource::new(case.value_in("answers", raw.0, ty)?),
        // It always answers.
        None => SimulatedProvider::default()
            .plan(request)
            .unwrap_or_else(|_| PlannedResource::new(request.proposed.clone())),
    };
    answer.requires_replace = field
        .requires_replace
        .into_iter()
        .map(|steps| path(case, "answers", steps))
        .collect::<Result<_, _>>()?;
    answer.legacy_type_system = field.legacy_type_system;
    answer.diagnostics = field.errors.into_iter().map(Diagnostic::error).collect();
    Ok(answer)
}

fn lifecycle(case: &Case<'_>) -> Result<Lifecycle, CaseError> {
    let Some(text) = case.optional_field("lifecycle") else { return Ok(Lifecycle::default()) };
    let wrong = |text, error| case.wrong_json("lifecycle", text, error);
    let field: LifecycleField<'_> = json::from_str(text).map_err(|e| wrong(text, e))?;
    let ignore_changes = match field.ignore_changes.map(|part| part.0) {
        None => IgnoreChanges::None,
        Some(r#""all""#) => IgnoreChanges::All,
        Some(paths) => {
            let paths: Vec<Vec<StepField<'_>>> = json::from_str(paths).map_err(|e| wrong(paths, e))?;
            let paths = paths.into_iter().map(|steps| path(case, "lifecycle", steps));
            IgnoreChanges::Paths(paths.collect::<Result<_, _>>()?)
        }
    };
    let LifecycleField { create_before_destroy, force_replace, tainted, .. } = field;
    Ok(Lifecycle { ignore_changes, create_before_destroy, force_replace, tainted })
}

fn fields<'a>(case: &Case<'a>, name: &str) -> Result<Vec<AnswerField<'a>>, CaseError> {
    match case.optional_field(name) {
        Some(text) => json::from_str(text).map_err(|e| case.wrong_json(name, text, e)),
        None => Ok(Vec::new()),
    }
}

fn path(case: &Case<'_>, field: &str, steps: Vec<StepField<'_>>) -> Result<Path, CaseError> {
    let step = |step| match step {
        StepField::Attr(name) => Ok(PathStep::Attribute(name.into())),
        StepField::Index(raw) => {
            let text = raw.0;
            let ty = if text.starts_with('"') { Type::String } else { Type::Number };
            Value::from_json(text, &ty)
                .map(PathStep::Index)
                .map_err(|_| case.wrong_field(field, "an index in a path is a number or a string"))
        }
    };
    steps.into_iter().map(step).collect()
}

fn reason(change: &PlannedChange) -> &'static str {
    match &change.replace_reason {
        Some(reason) => reason.kind(),
        None if change.action == Action::Update
            && change.before.unmark_deep().0 == change.after.unmark_deep().0 =>
        {
            "sensitivity"
        }
        None => "none",
    }
}

/// A provider is called twice at most.
fn count(asked: usize) -> &'static str {
    match asked {
        0 => "0",
        1 => "1",
        _ => "2",
    }
}
