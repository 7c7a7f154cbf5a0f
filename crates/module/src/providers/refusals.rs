//! Errors that providers find in a configuration by its schema alone.
//!
//! Terraform Core lets null for a required argument pass, and values of attributes that only the provider sets. Both SDKs
//! refuse them when they validate. A provider that uses none of them does as it likes.

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::{Block, SchemaKind};
use objchange::value::{Descend, Kind, Path, PathStep};

use objchange_text::quote_into;

use super::legacy::is_legacy;
use crate::{ProviderAddress, Schemas};

/// The library that a provider is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sdk {
    Older,
    Newer,
}

/// The errors that the provider of a type finds in a configuration of it: null for a required argument, and values of attributes
/// that it sets itself.
pub(crate) fn refusals(
    schemas: &Schemas,
    provider: &ProviderAddress,
    schema: &Block,
    config: &Value,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let refused = refused_parts(schema, config);
    if refused.is_empty() {
        return found;
    }
    let Some(sdk) = sdk(schemas, provider, schema) else { return found };
    for (path, is_missing) in refused {
        let (summary, detail) = match (sdk, is_missing) {
            (Sdk::Older, true) => (
                "Missing required argument",
                format!("The argument {:?} is required, but no definition was found.", dotted(config, &path)),
            ),
            (Sdk::Older, false) if path == Path::root().attribute("id") => {
                ("Invalid or unknown key", String::new())
            }
            (Sdk::Older, false) => (
                "Value for unconfigurable attribute",
                format!(
                    "Can't configure a value for {:?}: its value will be decided automatically based on the result of applying \
                     this configuration.",
                    dotted(config, &path)
                ),
            ),
            (Sdk::Newer, true) => (
                "Missing Configuration for Required Attribute",
                format!(
                    "Must set a configuration value for the {} attribute as the provider has marked it as required.\n\nRefer to \
                     the provider documentation or contact the provider developers for additional information about \
                     configurable attributes that are required.",
                    indexed(&path)
                ),
            ),
            (Sdk::Newer, false) => (
                "Invalid Configuration for Read-Only Attribute",
                "Cannot set value for this attribute as the provider has marked it as read-only. Remove the configuration line \
                 setting the value.\n\nRefer to the provider documentation or contact the provider developers for additional \
                 information about configurable and read-only attributes that are supported."
                    .to_owned(),
            ),
        };
        let mut error = Diagnostic::error(summary);
        (error.detail, error.path) = (detail, Some(path));
        found.push(error);
    }
    found
}

/// The SDK that a type is made with, as far as that can be told. A provider may use both, each for some of its types. Those of
/// the publisher `hashicorp` use no other way.
fn sdk(schemas: &Schemas, provider: &ProviderAddress, schema: &Block) -> Option<Sdk> {
    if provider.is_builtin() {
        return None;
    }
    if is_legacy(schema) {
        return Some(Sdk::Older);
    }
    let has_older_types = || {
        schemas.names(provider, SchemaKind::Resource).into_iter().any(|name| {
            let other = schemas.get(provider, SchemaKind::Resource, name).ok().flatten();
            other.is_some_and(|other| is_legacy(&other.block))
        })
    };
    (provider.namespace == "hashicorp" || has_older_types()).then_some(Sdk::Newer)
}

/// The parts of a configuration that both SDKs refuse, and whether each is a required argument that is null.
fn refused_parts(schema: &Block, config: &Value) -> Vec<(Path, bool)> {
    let sets_its_id = is_legacy(schema);
    let mut found = Vec::new();
    config.visit(|path, part| {
        let path = path.to_path();
        let Some(attribute) = schema.attribute_by_path(&path) else { return Descend::Into };
        let is_only_computed = attribute.computed && !attribute.optional && !attribute.required;
        let is_own_id = || sets_its_id && path == Path::root().attribute("id");
        let is_refused = match part.is_null() {
            true => attribute.required,
            false => is_only_computed || is_own_id(),
        };
        match is_refused {
            true => found.push((path, part.is_null())),
            false if attribute.nested().is_some() => return Descend::Into,
            false => {}
        }
        Descend::Over
    });
    found
}

/// A path as the older SDK writes it, with the positions of elements of sets.
fn dotted(object: &Value, path: &Path) -> String {
    let word = |(depth, step): (usize, &PathStep)| match step {
        PathStep::Attribute(name) => name.to_string(),
        PathStep::Index(key) => {
            let parent: Path = path.steps()[..depth].iter().cloned().collect();
            let position = match object.at(&parent).map(Value::kind) {
                Some(Kind::Set(set)) => set.iter().position(|element| element.identical(key)),
                _ => None,
            };
            match (position, key.kind()) {
                (Some(position), _) => position.to_string(),
                (None, Kind::String(key)) => key.to_string(),
                (None, Kind::Number(number)) => number.to_string(),
                (None, _) => String::new(),
            }
        }
    };
    path.steps().iter().enumerate().map(word).collect::<Vec<_>>().join(".")
}

/// A path as the newer SDK writes it, with elements of sets as a whole.
fn indexed(path: &Path) -> String {
    let mut text = String::new();
    for step in path.steps() {
        match step {
            PathStep::Attribute(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            PathStep::Index(key) => {
                text.push('[');
                match key.kind() {
                    Kind::String(_) | Kind::Number(_) => element_text(key, &mut text),
                    _ => {
                        text.push_str("Value(");
                        element_text(key, &mut text);
                        text.push(')');
                    }
                }
                text.push(']');
            }
        }
    }
    text
}

/// A value as the newer SDK writes it.
fn element_text(value: &Value, text: &mut String) {
    match value.kind() {
        Kind::Null => text.push_str("<null>"),
        Kind::Unknown(_) => text.push_str("<unknown>"),
        Kind::Bool(is_true) => text.push_str(if is_true { "true" } else { "false" }),
        Kind::Number(number) => text.push_str(&number.to_string()),
        Kind::String(string) => quote_into(string, text),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            members(elements.iter().map(|element| (None::<&str>, element)), ['[', ']'], text);
        }
        Kind::Map(map) => members(map.iter().map(|(key, element)| (Some(key), element)), ['{', '}'], text),
        Kind::Object(object) => {
            members(object.iter().map(|(name, member)| (Some(name), member)), ['{', '}'], text);
        }
    }
}

fn members<'v, N: AsRef<str>>(
    all: impl Iterator<Item = (Option<N>, &'v Value)>,
    [open, close]: [char; 2],
    text: &mut String,
) {
    text.push(open);
    for (index, (name, member)) in all.enumerate() {
        if index > 0 {
            text.push(',');
        }
        if let Some(name) = name {
            quote_into(name.as_ref(), text);
            text.push(':');
        }
        element_text(member, text);
    }
    text.push(close);
}
