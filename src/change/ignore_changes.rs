//! Configuration as the lifecycle argument `ignore_changes` has it.

use crate::schema::{Attribute, AttributeType, Block, NestedType, NestingMode};
use crate::value::{Kind, Path, PathStep, StepRef, Value};

/// What of a resource's configuration is not looked at once the resource exists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IgnoreChanges {
    /// Everything is looked at.
    #[default]
    None,
    /// Nothing is.
    All,
    /// Everything but what is at these paths.
    Paths(Vec<Path>),
}

/// The configuration with what is ignored as it is in the prior state (spec section 6).
pub(super) fn ignore_changes(schema: &Block, prior: &Value, config: &Value, ignore: &IgnoreChanges) -> Value {
    if prior.is_null() || config.is_null() {
        return config.clone();
    }
    match ignore {
        IgnoreChanges::None => config.clone(),
        IgnoreChanges::All => without_computed(schema, prior),
        IgnoreChanges::Paths(paths) => paths
            .iter()
            .fold(config.clone(), |config, path| with_prior_at(&config, Some(prior), path.steps())),
    }
}

/// The prior object as somebody might have configured it: what only the provider sets is null.
fn without_computed(schema: &Block, value: &Value) -> Value {
    value.map_steps(|step, child| {
        let StepRef::Attribute(name) = step else { return child.clone() };
        if let Some(attribute) = schema.attribute(name) {
            return attribute_without_computed(attribute, child);
        }
        match schema.block_type(name) {
            Some(nested) if matches!(nested.nesting, NestingMode::Single | NestingMode::Group) => {
                without_computed(&nested.block, child)
            }
            Some(nested) => child.map_children(|block| without_computed(&nested.block, block)),
            None => child.clone(),
        }
    })
}

fn attribute_without_computed(attribute: &Attribute, value: &Value) -> Value {
    if attribute.computed && !attribute.optional {
        return Value::null(value.ty().clone());
    }
    match &attribute.ty {
        AttributeType::Plain(_) => value.clone(),
        AttributeType::Nested(nested) => match nested.nesting() {
            NestingMode::Single | NestingMode::Group => nested_without_computed(nested, value),
            _ => value.map_children(|object| nested_without_computed(nested, object)),
        },
    }
}

fn nested_without_computed(nested: &NestedType, value: &Value) -> Value {
    value.map_steps(|step, child| match step {
        StepRef::Attribute(name) => nested
            .attribute(name)
            .map_or_else(|| child.clone(), |attribute| attribute_without_computed(attribute, child)),
        _ => child.clone(),
    })
}

/// The value with the part at the path taken from prior; a path that leads nowhere changes nothing, but a
/// map element that stands on one side alone is added or dropped.
fn with_prior_at(config: &Value, prior: Option<&Value>, steps: &[PathStep]) -> Value {
    let Some((first, rest)) = steps.split_first() else {
        return prior.cloned().unwrap_or_else(|| config.clone());
    };
    let Some(prior) = prior else { return config.clone() };
    let prior_part = prior.step(first);
    if let (true, PathStep::Index(key)) = (rest.is_empty(), first)
        && let Some(key) = key.as_str()
        && let Some(value) = with_map_element(config, prior, key)
    {
        return value;
    }
    config.map_steps(|step, child| {
        let here = PathStep::from(step) == *first;
        if here && prior_part.is_some() { with_prior_at(child, prior_part, rest) } else { child.clone() }
    })
}

/// A map with one element as it is in prior, or missing as it is there.
fn with_map_element(config: &Value, prior: &Value, key: &str) -> Option<Value> {
    let entries = match config.kind() {
        Kind::Map(entries) => Some(entries),
        Kind::Null => None,
        _ => return None,
    };
    let of_prior = prior.as_map().and_then(|m| m.get(key));
    let others = entries.iter().flat_map(|m| m.iter()).filter(|(k, _)| *k != key);
    let merged: Vec<_> = others
        .map(|(k, v)| (k.clone(), v.clone()))
        .chain(of_prior.map(|value| (key.into(), value.clone())))
        .collect();
    if entries.is_none() && merged.is_empty() {
        return None;
    }
    Some(Value::map_like(config.ty(), merged).with_marks(config.marks()))
}
