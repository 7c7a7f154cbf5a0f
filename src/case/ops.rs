//! The operations that a case can ask for.

use super::{Answer, Case, CaseError};
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
            Answer::Errors(errors.into_iter().map(|e| (e.path, e.kind.slug())).collect())
        }
        "assert_object_compatible" => {
            let schema = case.schema()?;
            let ty = schema.implied_type();
            let (planned, actual) = (case.value("planned", ty)?, case.value("actual", ty)?);
            let errors = change::assert_object_compatible(&schema, &planned, &actual);
            Answer::Errors(errors.into_iter().map(|e| (e.path, e.kind.slug())).collect())
        }
        "assert_value_compatible" => {
            let ty: Type = case.parsed("type")?;
            let (planned, actual) = (case.value("planned", &ty)?, case.value("actual", &ty)?);
            let errors = change::assert_value_compatible(&planned, &actual);
            Answer::Errors(errors.into_iter().map(|e| (e.path, e.kind.slug())).collect())
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
                    Answer::Value(held_in_maps(&value, ty), ty.clone())
                }
                Err(error) => Answer::Errors(vec![(error.path, "coerce")]),
            }
        }
        "implied_type" => Answer::Type(case.schema()?.implied_type().clone()),
        _ => return Ok(None),
    };
    Ok(Some(answer))
}

/// Case files write values under the type that the schema implies, and so hold blocks of a map in a map even
/// where coercion holds them in an object.
fn held_in_maps(value: &Value, ty: &Type) -> Value {
    match (value.kind(), ty) {
        (Kind::Object(object), Type::Map(element)) => {
            let entries = object.iter().map(|(name, v)| (name.clone(), held_in_maps(v, element))).collect();
            Value::map_like(ty, entries).with_marks(value.marks())
        }
        (_, Type::List(element) | Type::Set(element) | Type::Map(element)) => {
            value.map_children(|child| held_in_maps(child, element))
        }
        (_, Type::Object(object)) => value.map_steps(|step, child| match step {
            StepRef::Attribute(name) => {
                object.attribute(name).map_or_else(|| child.clone(), |ty| held_in_maps(child, ty))
            }
            _ => child.clone(),
        }),
        _ => value.clone(),
    }
}

fn value(result: Result<Value, ChangeError>, ty: &Type) -> Answer {
    match result {
        Ok(value) => Answer::Value(value, ty.clone()),
        Err(error) => Answer::Refused(error.to_string()),
    }
}
