//! The prior object: by itself, or taken out of a state.

use std::collections::BTreeMap;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Kind, Marks, Number, Path, PathStep, json_message};
use objchange_plan::{DocumentError, Json, Shape, State, View};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::object::{self, Form, ObjectError};
use super::{place, state_file};

/// The object as it is.
#[derive(Debug)]
pub(super) struct Prior {
    pub(super) value: Value,
    pub(super) tainted: bool,
}

/// One instance of a managed resource in a state.
#[derive(Debug)]
pub(super) struct Instance<'t> {
    pub(super) address: String,
    pub(super) resource_type: String,
    /// Its values, as JSON.
    pub(super) values: &'t str,
    pub(super) sensitive: Sensitive<'t>,
    pub(super) tainted: bool,
    /// Its values stand in a form that is not read.
    pub(super) is_flat: bool,
}

/// What of an instance's values a state calls sensitive.
#[derive(Debug)]
pub(super) enum Sensitive<'t> {
    Paths(Vec<Path>),
    /// In the shape of the values, with `true` where they are sensitive.
    Shape(Json<'t>),
}

/// Why a state has no prior object to give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum StateError {
    #[error("{message}")]
    Json { line: usize, column: usize, message: String },
    #[error("{}", .0.problem)]
    Document(DocumentError),
    #[error("the state file has version {version}, and only version 4 is supported: {}", match version {
        0..4 => "write it again with Terraform 0.12 or later",
        _ => "use a newer objchange",
    })]
    Version { version: u64 },
    #[error(
        "{address} stands in the state file as Terraform before 0.12 wrote it: write the state again with \
         `terraform apply -refresh-only`"
    )]
    Flat { address: String },
    #[error("the state file is encrypted: pass the output of `tofu show -json` instead")]
    Encrypted,
    #[error("this is a plan, not a state: pass the output of `terraform show -json` without a plan file")]
    Plan,
    #[error(
        "--address takes an object out of a state, and this is none: leave it out if this is the object itself"
    )]
    NoState,
    #[error("this is a state: say with --address which object of it is meant{}", suggestions(.known))]
    NoAddress { known: Vec<String> },
    #[error("the state has no resource instance {address}{}", suggestions(.known))]
    Absent { address: String, known: Vec<String> },
    #[error("{address} is of type {found}, not of the type {wanted} that --type says")]
    OtherType { address: String, found: String, wanted: String },
    #[error("{}{error}", address.as_ref().map(|a| format!("{a}: ")).unwrap_or_default())]
    Object { address: Option<String>, line: usize, column: usize, error: ObjectError },
}

fn suggestions(known: &[String]) -> String {
    const MAX: usize = 8;
    let more = if known.len() > MAX { format!(" and {} more", known.len() - MAX) } else { String::new() };
    match known {
        [] => String::new(),
        known => format!("; it has {}{more}", known[..known.len().min(MAX)].join(", ")),
    }
}

impl StateError {
    pub(super) fn json(error: &serde_json::Error) -> Self {
        Self::Json { line: error.line().max(1), column: error.column().max(1), message: json_message(error) }
    }

    /// What is wrong with a part of the text that was read on its own.
    pub(super) fn in_part(text: &str, part: &str, error: &serde_json::Error) -> Self {
        let offset = place::offset_in(text, part) + place::offset(part, error.line(), error.column());
        let (line, column) = place::line_and_column(text, offset);
        Self::Json { line, column, message: json_message(error) }
    }

    fn object(text: &str, part: &str, address: Option<&str>, mut error: ObjectError) -> Self {
        error.offset += place::offset_in(text, part);
        let (line, column) = place::line_and_column(text, error.offset);
        Self::Object { address: address.map(str::to_owned), line, column, error }
    }

    /// The line and column, from 1, of what is wrong.
    pub(super) fn place(&self) -> Option<(usize, usize)> {
        match self {
            Self::Json { line, column, .. }
            | Self::Object { line, column, .. }
            | Self::Document(DocumentError { line, column, .. }) => Some((*line, *column)),
            _ => None,
        }
    }
}

/// Reads the prior object of a resource type: the text itself, or what it has at an address.
pub(super) fn read(
    text: &str,
    schema: &Block,
    resource_type: &str,
    address: Option<&str>,
) -> Result<Prior, StateError> {
    let instances = instances(text)?;
    let (instances, address) = match (instances, address) {
        (None, None) => {
            let value = object::read(text, schema, Form::Markers)
                .map_err(|error| StateError::object(text, text, None, error))?;
            return Ok(Prior { value, tainted: false });
        }
        (None, Some(_)) => {
            serde_json::from_str::<IgnoredAny>(text).map_err(|error| StateError::json(&error))?;
            return Err(StateError::NoState);
        }
        (Some(instances), None) => {
            return Err(StateError::NoAddress { known: known(&instances, resource_type) });
        }
        (Some(instances), Some(address)) => (instances, address),
    };
    let Some(instance) = instances.iter().find(|instance| instance.address == address) else {
        return Err(StateError::Absent {
            address: address.to_owned(),
            known: known(&instances, resource_type),
        });
    };
    if instance.resource_type != resource_type {
        return Err(StateError::OtherType {
            address: address.to_owned(),
            found: instance.resource_type.clone(),
            wanted: resource_type.to_owned(),
        });
    }
    if instance.is_flat {
        return Err(StateError::Flat { address: address.to_owned() });
    }
    let value = object::read(instance.values, schema, Form::Plain)
        .map_err(|error| StateError::object(text, instance.values, Some(address), error))?;
    let paths = match &instance.sensitive {
        Sensitive::Paths(paths) => paths.iter().filter_map(|path| reached(&value, path)).collect(),
        Sensitive::Shape(shape) => sensitive_paths(shape.view(), &value),
    };
    let marks: Vec<(Path, Marks)> = paths.into_iter().map(|path| (path, Marks::SENSITIVE)).collect();
    Ok(Prior { value: value.mark_where_present(&marks), tainted: instance.tainted })
}

/// The part of the value that a path leads to, or the innermost one around it: a path that leads on to nothing must
/// not open what it was to hide. `None` if not even its first step leads anywhere.
fn reached(value: &Value, path: &Path) -> Option<Path> {
    let mut at = value;
    let mut steps = Vec::new();
    for step in path.steps() {
        // Blocks by label, and what is dynamic, may be held in an object where the state thinks of a map.
        let name = match step {
            PathStep::Attribute(name) => Some(name.as_str()),
            PathStep::Index(key) => key.as_str(),
        };
        let position = match step {
            PathStep::Index(key) => key.as_number().and_then(Number::as_u64),
            PathStep::Attribute(_) => None,
        };
        let (step, next) = match (at.kind(), name, position) {
            (Kind::Object(object), Some(name), _) => (PathStep::Attribute(name.into()), object.get(name)),
            (Kind::Map(map), Some(name), _) => (PathStep::Index(Value::from(name)), map.get(name)),
            (Kind::List(elements) | Kind::Tuple(elements), _, Some(position)) => {
                (step.clone(), elements.get(position as usize))
            }
            _ => break,
        };
        let Some(next) = next else { break };
        steps.push(step);
        at = next;
    }
    (!steps.is_empty()).then(|| steps.into_iter().collect())
}

/// The addresses of what might be meant.
fn known(instances: &[Instance<'_>], resource_type: &str) -> Vec<String> {
    let of_type = instances.iter().filter(|instance| instance.resource_type == resource_type);
    of_type.map(|instance| instance.address.clone()).collect()
}

/// The instances in a state; `None` if the text is no state.
fn instances(text: &str) -> Result<Option<Vec<Instance<'_>>>, StateError> {
    let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) else {
        // What is no object at all is for the reader of objects to say.
        return Ok(None);
    };
    let has = |name| members.contains_key(name);
    if has("encrypted_data") && has("lineage") {
        return Err(StateError::Encrypted);
    }
    if has("version") && has("lineage") {
        return state_file::instances(text).map(Some);
    }
    if has("format_version") && (has("resource_changes") || has("planned_values")) {
        return Err(StateError::Plan);
    }
    if has("format_version") && (has("values") || has("terraform_version")) {
        return shown_instances(text).map(Some);
    }
    Ok(None)
}

/// The instances in the document of `terraform show -json`.
fn shown_instances(text: &str) -> Result<Vec<Instance<'_>>, StateError> {
    let state = State::parse(text).map_err(StateError::Document)?;
    let managed = state.resources.iter().filter(|r| &*r.mode == "managed" && r.deposed.is_none());
    managed
        .map(|resource| {
            let shape = resource.sensitive_values.read().map_err(|error| {
                StateError::Document(DocumentError::from_json(&error, text, &resource.address))
            })?;
            Ok(Instance {
                address: resource.address.to_string(),
                resource_type: resource.resource_type.to_string(),
                values: resource.values.text(),
                sensitive: Sensitive::Shape(shape),
                tainted: resource.tainted,
                is_flat: false,
            })
        })
        .collect()
}

/// The paths at which a shape says `true`; inside of a set it counts for the set.
fn sensitive_paths(shape: View<'_, '_>, value: &Value) -> Vec<Path> {
    let mut paths = Vec::new();
    collect(shape, value, &Path::root(), &mut paths);
    paths
}

fn collect(shape: View<'_, '_>, value: &Value, path: &Path, paths: &mut Vec<Path>) {
    match (shape.shape(), value.kind()) {
        // What says neither yes nor no is no shape that Terraform writes; it must not open what it stands for.
        (Shape::Bool(true) | Shape::String(_) | Shape::Number(_), _) => paths.push(path.clone()),
        (Shape::Array(shapes), Kind::List(elements) | Kind::Tuple(elements)) => {
            for (i, (shape, element)) in shapes.iter().zip(elements).enumerate() {
                collect(shape, element, &path.clone().index(i), paths);
            }
        }
        // The elements may stand in another order here: one that is sensitive makes the set so.
        (Shape::Array(_), Kind::Set(_)) if has_true(shape) => paths.push(path.clone()),
        (Shape::Object(_), Kind::Map(map)) => {
            for (key, element) in map.iter() {
                if let Some(shape) = shape.get(key) {
                    collect(shape, element, &path.clone().index(key.as_str()), paths);
                }
            }
        }
        (Shape::Object(_), Kind::Object(object)) => {
            for (name, attribute) in object.iter() {
                if let Some(shape) = shape.get(name) {
                    collect(shape, attribute, &path.clone().attribute(name.clone()), paths);
                }
            }
        }
        _ if !value.is_null() && has_true(shape) => paths.push(path.clone()),
        _ => {}
    }
}

fn has_true(shape: View<'_, '_>) -> bool {
    matches!(shape.shape(), Shape::Bool(true) | Shape::String(_) | Shape::Number(_))
        || shape.elements().iter().any(has_true)
        || shape.members().iter().any(|(_, inside)| has_true(inside))
}

#[cfg(test)]
mod tests {
    use objchange::Type;
    use objchange::schema::Attribute;
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = r#"{"version":4,"lineage":"x","resources":[{"module":"module.m","mode":"managed",
        "type":"t","name":"a","instances":[{"index_key":"k","status":"tainted","attributes":{"name":"hunter",
        "tags":{"a":"hunter"}},"sensitive_attributes":[[{"type":"get_attr","value":"tags"},
        {"type":"index","value":{"value":"a","type":"string"}}],[{"type":"get_attr","value":"name"}]]}]}]}"#;
    const SHOWN: &str = r#"{"format_version":"1.0","terraform_version":"1.9.0","values":{"root_module":{
        "child_modules":[{"resources":[{"address":"module.m.t.a[\"k\"]","mode":"managed","type":"t","name":"a",
        "values":{"name":"hunter","tags":{"a":"hunter"}},"sensitive_values":{"name":true,"tags":{"a":true}}}]}]}}}"#;

    fn schema() -> Block {
        let tags = Attribute::optional(Type::map(Type::String));
        Block::new([("name", Attribute::optional(Type::String)), ("tags", tags)], [])
    }

    fn read_at(text: &str) -> Result<Prior, StateError> {
        read(text, &schema(), "t", Some(r#"module.m.t.a["k"]"#))
    }

    #[test]
    fn both_forms_of_a_state_give_one_object() {
        let [file, shown] = [FILE, SHOWN].map(|text| read_at(text).unwrap());
        assert_eq!(file.value, shown.value);
        assert_eq!((file.tainted, shown.tainted), (true, false));
        assert_eq!(file.value.to_string(), r#"{name = (sensitive value), tags = {"a" = (sensitive value)}}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_spoiled_state_shows_nothing(
            shown in any::<bool>(),
            at in any::<prop::sample::Index>(),
            len in 0..12_usize,
            instead in r#"[\[\]{}",:0-9a-z]{0,6}"#,
        ) {
            let mut text = if shown { SHOWN } else { FILE }.to_owned();
            let from = at.index(text.len());
            text.replace_range(from..(from + len).min(text.len()), &instead);
            if let Err(error) = read_at(&text) {
                prop_assert!(!format!("{error} {error:?}").contains("hunter"), "{error}");
            }
        }

        #[test]
        fn any_text_does_no_harm(text in r#"[\[\]{}",:0-9a-z ]{0,64}"#) {
            let _ = read(&text, &schema(), "t", None);
        }
    }
}
