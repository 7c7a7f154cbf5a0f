//! Configuration as the lifecycle argument `ignore_changes` has it.

use smol_str::SmolStr;

use crate::schema::{Attribute, AttributeType, Block, NestedType, NestingMode, UnknownPath};
use crate::value::{Kind, Map, Path, PathStep, PathTrie, StepRef, Type, Value};

/// The parts of a resource's configuration that are ignored once the resource exists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IgnoreChanges {
    /// Nothing is ignored.
    #[default]
    None,
    /// Nothing is.
    All,
    /// The parts at these paths are ignored; each path must exist in the schema.
    Paths(Vec<Path>),
}

impl IgnoreChanges {
    /// Checks that all paths exist in the schema: a misspelt name would ignore nothing.
    pub(super) fn check(&self, schema: &Block) -> Result<(), UnknownPath> {
        match self {
            Self::None | Self::All => Ok(()),
            Self::Paths(paths) => paths.iter().try_for_each(|path| schema.check_path(path)),
        }
    }
}

/// The configuration with ignored parts replaced by the prior ones.
pub(super) fn ignore_changes(schema: &Block, prior: &Value, config: &Value, ignore: &IgnoreChanges) -> Value {
    // There is nothing to ignore when an object is created or destroyed.
    if prior.is_null() || config.is_null() {
        return config.clone();
    }
    match ignore {
        IgnoreChanges::None => config.clone(),
        // `ignore_changes = all` plans for the prior object as if it were configured. Attributes that only
        // the provider sets must be null in a configuration.
        IgnoreChanges::All => without_computed(schema, prior),
        IgnoreChanges::Paths(paths) => {
            let mut ignored = PathTrie::default();
            for path in paths {
                *ignored.insert(path) = true;
            }
            with_prior_at(config, prior, &ignored)
        }
    }
}

/// The prior object as a configuration: attributes that only the provider sets are null.
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

/// The value with the parts at the paths taken from prior, with their marks; a path that leads nowhere changes nothing,
/// but a map element that is on one side alone is added or dropped.
fn with_prior_at(config: &Value, prior: &Value, ignored: &PathTrie<bool>) -> Value {
    if *ignored.value() {
        return prior.clone();
    }
    if ignored.is_leaf() {
        return config.clone();
    }
    let is_map = matches!(config.ty(), Type::Map(_));
    // Terraform merges ignored keys only into maps. For other values with an ignored string key it takes
    // the whole prior value.
    if ignores_a_key(ignored) && !(is_map && may_be_merged(config, prior, ignored)) {
        return prior.clone();
    }
    match config.kind() {
        Kind::Map(entries) => with_map_elements(config, Some(entries), prior, ignored),
        Kind::Null if is_map => with_map_elements(config, None, prior, ignored),
        // An element that both sets have is the same in both.
        Kind::Set(_) => config.clone(),
        _ => config.map_steps(|step, child| {
            let below = ignored.child(step).zip(step_in(prior, step));
            below.map_or_else(
                || child.clone(),
                |(ignored, part)| with_prior_at(child, &inheriting(part, [prior, config]), ignored),
            )
        }),
    }
}

/// Whether an element is ignored as a whole by its key, such as `tags["name"]`. Only in a configured map is it kept for
/// itself; anything else is kept as a whole.
fn ignores_a_key(ignored: &PathTrie<bool>) -> bool {
    let mut children = ignored.children();
    children.any(|(step, child)| {
        *child.value() && matches!(step, PathStep::Index(key) if matches!(key.kind(), Kind::String(_)))
    })
}

/// Whether the ignored elements of prior can be elements of the configured map. Terraform crashes where they cannot.
fn may_be_merged(config: &Value, prior: &Value, ignored: &PathTrie<bool>) -> bool {
    let element = config.ty().element();
    let fits = |value: &Value| element.is_none_or(|ty| ty.has_dynamic() || value.ty() == ty);
    let is_ignored = |key: &str| ignored.child(StepRef::Key(key)).is_some_and(|child| *child.value());
    prior.is_null()
        || keyed(prior).is_some_and(|mut prior| prior.all(|(key, value)| !is_ignored(key) || fits(value)))
}

/// The elements of a map, or the attributes of an object, which a map is where its type is not known.
fn keyed(value: &Value) -> Option<Box<dyn Iterator<Item = (&SmolStr, &Value)> + '_>> {
    match value.kind() {
        Kind::Map(entries) => Some(Box::new(entries.iter())),
        Kind::Object(object) => Some(Box::new(object.iter())),
        _ => None,
    }
}

/// The part of an object, list or tuple that is at this step.
fn step_in<'v>(value: &'v Value, step: StepRef<'_>) -> Option<&'v Value> {
    match (value.kind(), step) {
        (Kind::Object(object), StepRef::Attribute(name)) => object.get(name),
        (Kind::List(elements) | Kind::Tuple(elements), StepRef::Position(i)) => elements.get(i),
        _ => None,
    }
}

/// A part of a sensitive prior value, which is sensitive, too, unless the configured value around it is (Terraform 1.11.4).
fn inheriting(part: &Value, [prior, config]: [&Value; 2]) -> Value {
    part.clone().with_marks(prior.marks().without(config.marks()))
}

/// A map with the ignored elements as they are in prior, or missing as they are there; a null one becomes a map
/// if it gains elements.
fn with_map_elements(
    config: &Value,
    entries: Option<Map<'_>>,
    prior: &Value,
    ignored: &PathTrie<bool>,
) -> Value {
    let of_prior = |key: &str| match prior.kind() {
        Kind::Map(entries) => entries.get(key),
        Kind::Object(object) => object.get(key),
        _ => None,
    };
    let kept = entries.iter().flat_map(|entries| entries.iter()).filter_map(|(key, value)| {
        let value = match (ignored.child(StepRef::Key(key)), of_prior(key)) {
            (Some(ignored), prior) if *ignored.value() => prior?.clone(),
            (Some(ignored), Some(part)) => with_prior_at(value, &inheriting(part, [prior, config]), ignored),
            _ => value.clone(),
        };
        Some((key.clone(), value))
    });
    let is_new = |key: &str| {
        ignored.child(StepRef::Key(key)).is_some_and(|ignored| *ignored.value())
            && entries.is_none_or(|entries| entries.get(key).is_none())
    };
    let gained = keyed(prior).into_iter().flatten().filter(|(key, _)| is_new(key));
    let merged: Vec<_> = kept.chain(gained.map(|(key, value)| (key.clone(), value.clone()))).collect();
    // A null map stays null unless an ignored key brings an element back.
    if entries.is_none() && merged.is_empty() {
        return config.clone();
    }
    Value::map_like(config.ty(), merged).with_marks(config.marks())
}

#[cfg(test)]
mod tests;
