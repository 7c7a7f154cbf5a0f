//! The operations that a case can ask for.

use super::{Answer, AnsweredError, Case, CaseError, Operation};
use objchange::change::{self, ChangeError, InconsistentResultKind, InvalidPlanKind};
use objchange::value::{Kind, Type, Value};
use smol_str::SmolStr;

/// The operations of the engine.
pub const OPERATIONS: &[Operation] = &[
    Operation::new("proposed_new", &["schema", "prior", "config"], proposed_new),
    Operation::new("planned_data_resource", &["schema", "config"], planned_data_resource),
    Operation::new("prepare_computed_blocks", &["schema", "value"], prepare_computed_blocks),
    Operation::new("normalize_legacy", &["schema", "value"], normalize_legacy),
    Operation::new("all_attributes_null", &["schema"], empty_value),
    Operation::new("empty_value", &["schema"], empty_value),
    Operation::new("implied_type", &["schema"], implied_type),
    Operation::new("coerce_value", &["schema", "type", "value"], coerce_value).reporting(coerce_kinds),
    Operation::new("assert_plan_valid", &["schema", "prior", "config", "planned"], assert_plan_valid)
        .reporting(plan_kinds),
    Operation::new("assert_object_compatible", &["schema", "planned", "actual"], assert_object_compatible)
        .reporting(result_kinds),
    Operation::new("assert_value_compatible", &["type", "planned", "actual"], assert_value_compatible)
        .reporting(result_kinds),
    Operation::new("action_for_change", &["type", "before", "after"], action_for_change),
    Operation::new("lcs", &["type", "xs", "ys"], lcs),
    Operation::new(
        "plan_change",
        &["schema", "prior", "config", "lifecycle", "answers"],
        crate::change::plan,
    ),
    Operation::new(
        "apply_change",
        &["schema", "prior", "config", "final_config", "lifecycle", "answers", "applied"],
        crate::change::apply,
    ),
];

impl Operation {
    /// An operation that reads these fields, besides `op` and `want`, and reports no kinds of errors.
    pub const fn new(
        name: &'static str,
        fields: &'static [&'static str],
        answer: fn(&Case<'_>) -> Result<Answer, CaseError>,
    ) -> Self {
        Self { name, fields, kinds: Vec::new, answer }
    }

    /// Sets the kinds of errors that the operation reports.
    #[must_use]
    pub const fn reporting(self, kinds: fn() -> Vec<&'static str>) -> Self {
        Self { kinds, ..self }
    }
}

fn coerce_kinds() -> Vec<&'static str> {
    vec!["coerce"]
}

fn plan_kinds() -> Vec<&'static str> {
    InvalidPlanKind::ALL.iter().map(|kind| kind.kind()).collect()
}

fn result_kinds() -> Vec<&'static str> {
    InconsistentResultKind::ALL.iter().map(|kind| kind.kind()).collect()
}

fn proposed_new(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    let ty = schema.implied_type();
    let (prior, config) = (case.value("prior", ty)?, case.value("config", ty)?);
    Ok(value(change::proposed_new(&schema, &prior, &config), ty))
}

fn planned_data_resource(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    let ty = schema.implied_type();
    Ok(value(change::planned_data_resource(&schema, &case.value("config", ty)?), ty))
}

fn prepare_computed_blocks(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    let ty = schema.implied_type();
    Ok(value(change::prepare_computed_blocks(&schema, &case.value("value", ty)?), ty))
}

fn normalize_legacy(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    let ty = schema.implied_type();
    Ok(value(change::normalize_from_legacy_sdk(&case.value("value", ty)?, &schema), ty))
}

fn empty_value(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    Ok(Answer::Value(schema.empty_value().clone(), schema.implied_type().clone()))
}

fn assert_plan_valid(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    let ty = schema.implied_type();
    let (prior, config) = (case.value("prior", ty)?, case.value("config", ty)?);
    let planned = case.value("planned", ty)?;
    let errors = change::assert_plan_valid(&schema, &prior, &config, &planned);
    Ok(Answer::Errors(errors.iter().map(|e| AnsweredError::new(&e.path, e.kind.kind(), e)).collect()))
}

fn assert_object_compatible(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    let ty = schema.implied_type();
    let (planned, actual) = (case.value("planned", ty)?, case.value("actual", ty)?);
    let errors = change::assert_object_compatible(&schema, &planned, &actual);
    Ok(Answer::Errors(errors.iter().map(|e| AnsweredError::new(&e.path, e.kind.kind(), e)).collect()))
}

fn assert_value_compatible(case: &Case<'_>) -> Result<Answer, CaseError> {
    let ty: Type = case.parsed("type")?;
    let (planned, actual) = (case.value("planned", &ty)?, case.value("actual", &ty)?);
    let errors = change::assert_value_compatible(&planned, &actual);
    Ok(Answer::Errors(errors.iter().map(|e| AnsweredError::new(&e.path, e.kind.kind(), e)).collect()))
}

fn action_for_change(case: &Case<'_>) -> Result<Answer, CaseError> {
    let ty: Type = case.parsed("type")?;
    let action = change::action_for_change(&case.value("before", &ty)?, &case.value("after", &ty)?);
    Ok(Answer::Action(action.kind()))
}

fn lcs(case: &Case<'_>) -> Result<Answer, CaseError> {
    let ty: Type = case.parsed("type")?;
    let common = change::longest_common_subsequence(&case.values("xs", &ty)?, &case.values("ys", &ty)?);
    Ok(Answer::Values(common, ty))
}

fn coerce_value(case: &Case<'_>) -> Result<Answer, CaseError> {
    let schema = case.schema()?;
    let given = case.value("value", &case.parsed("type")?)?;
    Ok(match schema.coerce_value(&given) {
        Ok(value) => {
            let ty = schema.implied_type();
            Answer::Value(as_written(&value, &given, ty), ty.clone())
        }
        Err(error) => Answer::Errors(vec![AnsweredError::new(&error.path, "coerce", &error)]),
    })
}

fn implied_type(case: &Case<'_>) -> Result<Answer, CaseError> {
    Ok(Answer::Type(case.schema()?.implied_type().clone()))
}

/// Converts a coerced value to the schema's implied type, so that a case file can express it.
///
/// That type has a map for labelled blocks, and coercion keeps them as an object if they were given as one.
/// Such an object becomes a map here. A given map is left alone, so that an object in its place shows up as
/// a difference.
fn as_written(coerced: &Value, given: &Value, ty: &Type) -> Value {
    let part = |coerced: &Value, given: Option<&Value>, ty: &Type| {
        given.map_or_else(|| coerced.clone(), |given| as_written(coerced, given, ty))
    };
    let written = match (coerced.kind(), given.kind(), ty) {
        (Kind::Object(object), Kind::Object(given), Type::Map(element)) => {
            map_of(ty, object.iter().map(|(name, v)| (name.clone(), part(v, given.get(name), element))))
        }
        (Kind::Map(map), Kind::Map(given), Type::Map(element)) => {
            map_of(coerced.ty(), map.iter().map(|(key, v)| (key.clone(), part(v, given.get(key), element))))
        }
        (Kind::Object(object), Kind::Object(given), Type::Object(of)) => {
            Value::object(object.iter().map(|(name, value)| {
                let value = match of.attribute(name) {
                    Some(ty) => part(value, given.get(name), ty),
                    None => value.clone(),
                };
                (name.clone(), value)
            }))
        }
        (Kind::List(elements), _, Type::List(element) | Type::Set(element)) => {
            // The elements of a set cannot be matched with the given ones. They have one type, so any given
            // element tells their form.
            let is_set = matches!(given.kind(), Kind::Set(_));
            let given = children(given);
            let at = |i: usize| given.get(if is_set { 0 } else { i }).copied();
            let elements: Vec<Value> =
                elements.iter().enumerate().map(|(i, child)| part(child, at(i), element)).collect();
            let element = coerced.ty().element().cloned().unwrap_or(Type::Dynamic);
            let list = Value::list(element, elements.clone());
            list.or_else(|_| Value::list(Type::Dynamic, elements.clone()))
                .unwrap_or_else(|_| Value::tuple(elements))
        }
        (Kind::Set(elements), _, Type::List(element) | Type::Set(element)) => {
            let first = children(given).first().copied();
            let elements: Vec<Value> = elements.iter().map(|child| part(child, first, element)).collect();
            let element = coerced.ty().element().cloned().unwrap_or(Type::Dynamic);
            let set = Value::set(element, elements.clone());
            set.or_else(|_| Value::set(Type::Dynamic, elements)).unwrap_or_else(|_| coerced.clone())
        }
        _ => coerced.clone(),
    };
    written.with_marks(coerced.marks())
}

/// A map with the type of `template` if the elements fit it, or else with their own type. An object if they have several
/// types.
fn map_of(template: &Type, entries: impl Iterator<Item = (SmolStr, Value)>) -> Value {
    let entries: Vec<(SmolStr, Value)> = entries.collect();
    let element = template.element().cloned().unwrap_or(Type::Dynamic);
    let map = Value::map(element, entries.clone());
    map.or_else(|_| Value::map(Type::Dynamic, entries.clone())).unwrap_or_else(|_| Value::object(entries))
}

/// The elements of a collection or tuple, or the values of an object.
fn children(value: &Value) -> Vec<&Value> {
    match value.kind() {
        Kind::List(elements) | Kind::Tuple(elements) => elements.iter().collect(),
        Kind::Set(elements) => elements.iter().collect(),
        Kind::Map(map) => map.iter().map(|(_, value)| value).collect(),
        Kind::Object(object) => object.values().iter().collect(),
        _ => Vec::new(),
    }
}

fn value(result: Result<Value, ChangeError>, ty: &Type) -> Answer {
    match result {
        Ok(value) => Answer::Value(value, ty.clone()),
        Err(error) => Answer::Refused(error.to_string()),
    }
}
