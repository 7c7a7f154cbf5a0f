//! The operations that a case can ask for.

use std::ops::ControlFlow;

use super::{Answer, AnsweredError, Case, CaseError};
use crate::change::{self, ChangeError};
use crate::value::{Kind, StepRef, Type, Value};

/// The engine's answer; `None` if the operation is none of the engine's.
pub(super) fn answer(case: &Case<'_>) -> Result<Option<Answer>, CaseError> {
    let answer = match case.op() {
        "proposed_new" => {
            let schema = case.schema()?;
            let ty = schema.implied_type();
            let (prior, config) = (case.value("prior", ty)?, case.value("config", ty)?);
            value(change::proposed_new(&schema, &prior, &config), ty)
        }
        "planned_data_resource" => {
            let schema = case.schema()?;
            let ty = schema.implied_type();
            value(change::planned_data_resource(&schema, &case.value("config", ty)?), ty)
        }
        "prepare_computed_blocks" => {
            let schema = case.schema()?;
            let ty = schema.implied_type();
            value(change::prepare_computed_blocks(&schema, &case.value("value", ty)?), ty)
        }
        "normalize_legacy" => {
            let schema = case.schema()?;
            let ty = schema.implied_type();
            value(change::normalize_from_legacy_sdk(&case.value("value", ty)?, &schema), ty)
        }
        "all_attributes_null" | "empty_value" => {
            let schema = case.schema()?;
            Answer::Value(schema.empty_value().clone(), schema.implied_type().clone())
        }
        "assert_plan_valid" => {
            let schema = case.schema()?;
            let ty = schema.implied_type();
            let (prior, config) = (case.value("prior", ty)?, case.value("config", ty)?);
            let planned = case.value("planned", ty)?;
            let errors = change::assert_plan_valid(&schema, &prior, &config, &planned);
            Answer::Errors(errors.iter().map(|e| AnsweredError::new(&e.path, e.kind.slug(), e)).collect())
        }
        "assert_object_compatible" => {
            let schema = case.schema()?;
            let ty = schema.implied_type();
            let (planned, actual) = (case.value("planned", ty)?, case.value("actual", ty)?);
            let errors = change::assert_object_compatible(&schema, &planned, &actual);
            Answer::Errors(errors.iter().map(|e| AnsweredError::new(&e.path, e.kind.slug(), e)).collect())
        }
        "assert_value_compatible" => {
            let ty: Type = case.parsed("type")?;
            let (planned, actual) = (case.value("planned", &ty)?, case.value("actual", &ty)?);
            let errors = change::assert_value_compatible(&planned, &actual);
            Answer::Errors(errors.iter().map(|e| AnsweredError::new(&e.path, e.kind.slug(), e)).collect())
        }
        "action_for_change" => {
            let ty: Type = case.parsed("type")?;
            Answer::Action(
                change::action_for_change(&case.value("before", &ty)?, &case.value("after", &ty)?).slug(),
            )
        }
        "lcs" => {
            let ty: Type = case.parsed("type")?;
            let common =
                change::longest_common_subsequence(&case.values("xs", &ty)?, &case.values("ys", &ty)?);
            Answer::Values(common, ty)
        }
        "coerce_value" => {
            let schema = case.schema()?;
            let given = case.value("value", &case.parsed("type")?)?;
            match schema.coerce_value(&given) {
                Ok(value) => {
                    let ty = schema.implied_type();
                    Answer::Value(as_written(&value, &given, ty), ty.clone())
                }
                Err(error) => Answer::Errors(vec![AnsweredError::new(&error.path, "coerce", &error)]),
            }
        }
        "plan_change" => super::change::plan(case)?,
        "apply_change" => super::change::apply(case)?,
        "implied_type" => Answer::Type(case.schema()?.implied_type().clone()),
        _ => return Ok(None),
    };
    Ok(Some(answer))
}

/// A coerced value as a case file can write it: under the type that the schema implies, which holds blocks by label in
/// a map even where they were given as an object, and so stay one. What was given as a map is left as it is, so that an
/// object in its place is noticed.
fn as_written(coerced: &Value, given: &Value, ty: &Type) -> Value {
    let part = |coerced: &Value, given: Option<&Value>, ty: &Type| {
        given.map_or_else(|| coerced.clone(), |given| as_written(coerced, given, ty))
    };
    match (coerced.kind(), given.kind(), ty) {
        (Kind::Object(object), Kind::Object(given), Type::Map(element)) => {
            let entries = object.iter().map(|(name, v)| (name.clone(), part(v, given.get(name), element)));
            Value::map_like(ty, entries.collect()).with_marks(coerced.marks())
        }
        (Kind::Map(_), Kind::Map(given), Type::Map(element)) => coerced.map_steps(|step, child| match step {
            StepRef::Key(key) => part(child, given.get(key), element),
            _ => child.clone(),
        }),
        (Kind::Object(_), Kind::Object(given), Type::Object(object)) => {
            coerced.map_steps(|step, child| match step {
                StepRef::Attribute(name) => match object.attribute(name) {
                    Some(ty) => part(child, given.get(name), ty),
                    None => child.clone(),
                },
                _ => child.clone(),
            })
        }
        (Kind::List(_) | Kind::Set(_), given_kind, Type::List(element) | Type::Set(element)) => {
            let mut elements = Vec::new();
            let _: ControlFlow<()> = given.each_step(|_, element| {
                elements.push(element);
                ControlFlow::Continue(())
            });
            // The elements of a set have no place by which to find what they were. But they have one type, and so
            // one form.
            let is_list = !matches!((coerced.kind(), given_kind), (Kind::Set(_), _) | (_, Kind::Set(_)));
            let mut positions = 0..;
            coerced.map_children(|child| {
                let i = positions.next().filter(|_| is_list).unwrap_or(0);
                part(child, elements.get(i).copied(), element)
            })
        }
        _ => coerced.clone(),
    }
}

fn value(result: Result<Value, ChangeError>, ty: &Type) -> Answer {
    match result {
        Ok(value) => Answer::Value(value, ty.clone()),
        Err(error) => Answer::Refused(error.to_string()),
    }
}
