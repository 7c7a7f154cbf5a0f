//! Parts to hide of files in the JSON syntax.

use std::collections::BTreeSet;

use objchange::schema::Block as Schema;
use objchange_text::Span;
use objchange_text::json::{Node, NodeKind, Property};

use super::Declared;
use super::broken::is_in_vocabulary;
use super::search::{MEMBERS_OF_SECRETS, has_credentials, is_meta_argument};
use crate::decode::shape;

/// How schemas are found, by the kind of a block and its first label.
type SchemaOf<'f, 's> = &'f dyn Fn(&str, &str) -> Option<&'s Schema>;

/// The objects that a node is: itself, or those in an array.
fn objects<'n, 't>(node: &'n Node<'t>) -> Vec<&'n [Property<'t>]> {
    match &node.kind {
        NodeKind::Object(properties) => vec![properties],
        NodeKind::Array(elements) => elements.iter().flat_map(objects).collect(),
        _ => Vec::new(),
    }
}

fn property<'n, 't>(properties: &'n [Property<'t>], name: &str) -> Option<&'n Node<'t>> {
    properties.iter().find(|property| property.name == name).map(|property| &property.value)
}

/// Whether the variable or output of a block is sensitive.
fn is_secret(properties: &[Property<'_>]) -> bool {
    MEMBERS_OF_SECRETS.iter().any(|name| {
        // Anything but a plain `false` may turn out to be true, so it counts as a secret.
        property(properties, name).is_some_and(|value| !matches!(value.kind, NodeKind::Bool(false)))
    })
}

/// Adds the declarations of a file.
pub(super) fn declare(node: &Node<'_>, declared: &mut Declared) {
    for file in objects(node) {
        for of_name in property(file, "variable").into_iter().flat_map(objects) {
            for Property { name, value, .. } in of_name {
                declared.add_variable(name, objects(value).into_iter().any(is_secret));
            }
        }
        let kinds = ["resource", "data", "ephemeral"];
        let types = kinds.iter().filter_map(|kind| property(file, kind)).flat_map(objects);
        declared.types.extend(types.flatten().map(|property| property.name.to_string()));
    }
}

/// The parts of a node that stand where [objects] should.
fn constants<'n, 't>(node: &'n Node<'t>) -> Vec<&'n Node<'t>> {
    match &node.kind {
        NodeKind::Object(_) => Vec::new(),
        NodeKind::Array(elements) => elements.iter().flat_map(constants).collect(),
        _ => vec![node],
    }
}

/// Hides, in a values file, the values of sensitive and of undeclared variables.
pub(super) fn of_values(node: &Node<'_>, declared: &Declared) -> Vec<Span> {
    let mut found = Vec::new();
    match &node.kind {
        NodeKind::Object(properties) => {
            let secret = properties.iter().filter(|property| !declared.is_public(&property.name));
            found.extend(secret.map(|property| property.value.span));
        }
        _ => hide(node, &|_| false, &mut found),
    }
    found
}

/// Hides, in a module file, all strings and numbers except arguments that a schema calls public, and all keys inside
/// values.
pub(super) fn of_module_file<'s>(node: &Node<'_>, schema: SchemaOf<'_, 's>) -> Vec<Span> {
    let mut found = Vec::new();
    if objects(node).is_empty() {
        hide(node, &|_| false, &mut found);
    }
    for Property { name, value, .. } in objects(node).into_iter().flatten() {
        let labels = shape::FILE.labels(name).map_or(0, <[_]>::len);
        labelled(value, labels, (name, ""), schema, &mut found);
    }
    found
}

/// Blocks of a kind that have so many more labels.
fn labelled<'s>(
    node: &Node<'_>,
    labels: usize,
    (kind, label): (&str, &str),
    schema: SchemaOf<'_, 's>,
    found: &mut Vec<Span>,
) {
    if objects(node).is_empty() {
        return hide(node, &|_| false, found);
    }
    for properties in objects(node) {
        if labels == 0 {
            block(properties, (kind, label), schema, found);
            continue;
        }
        for Property { name, value, .. } in properties {
            let first = if label.is_empty() { name } else { label };
            labelled(value, labels - 1, (kind, first), schema, found);
        }
    }
}

fn block<'s>(
    properties: &[Property<'_>],
    (kind, label): (&str, &str),
    schema: SchemaOf<'_, 's>,
    found: &mut Vec<Span>,
) {
    let of_provider = !matches!(kind, "variable" | "output" | "locals" | "terraform");
    let known = if of_provider { schema(kind, label) } else { None };
    for &Property { ref name, ref value, name_span, .. } in properties {
        let is_meta = of_provider && is_meta_argument(kind, name, known.is_some());
        match known {
            _ if is_meta && !text_of(value).any(has_credentials) => {}
            Some(schema) => member(name, value, schema, found),
            // `required_version` and `required_providers` hold versions and addresses of providers, no secrets.
            None if kind == "terraform" && name.starts_with("required_") => {}
            None => {
                let is_of_variable = kind == "variable";
                let shows_keys = is_of_variable && !is_secret(properties);
                if is_of_variable && !shows_keys && !shape::VARIABLE.has(name) {
                    found.push(name_span);
                }
                hide(value, &|_| shows_keys, found);
            }
        }
    }
}

/// A member of a block with a schema.
fn member(name: &str, value: &Node<'_>, schema: &Schema, found: &mut Vec<Span>) {
    if let Some(nested) = schema.block_type(name) {
        if !nested.block.has_hidden() && is_without_calls(value) {
            return;
        }
        // Labels come first, in a block that has some: names of members are known one object deeper.
        let is_member =
            |name: &str| nested.block.attribute(name).is_some() || nested.block.block_type(name).is_some();
        for constant in constants(value) {
            hide(constant, &|_| false, found);
        }
        for Property { name, value, .. } in objects(value).into_iter().flatten() {
            match is_member(name) {
                true => member(name, value, &nested.block, found),
                false => hide(value, &is_member, found),
            }
        }
        return;
    }
    match schema.attribute(name) {
        Some(attribute) if !attribute.has_hidden() && is_without_calls(value) => {}
        Some(attribute) if attribute.sensitive || attribute.write_only => found.push(value.span),
        _ => hide(value, &|_| false, found),
    }
}

/// Whether no string makes something sensitive.
fn is_without_calls(node: &Node<'_>) -> bool {
    !text_of(node).any(|text| text.contains("sensitive"))
}

/// The strings in a node.
fn text_of<'n>(node: &'n Node<'_>) -> Box<dyn Iterator<Item = &'n str> + 'n> {
    match &node.kind {
        NodeKind::String(text) => Box::new(std::iter::once(&**text)),
        NodeKind::Array(elements) => Box::new(elements.iter().flat_map(text_of)),
        NodeKind::Object(properties) => {
            Box::new(properties.iter().flat_map(|property| text_of(&property.value)))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// Hides strings, unless they are no more than a reference, numbers, and the keys that may not be shown.
fn hide(node: &Node<'_>, is_shown: &dyn Fn(&str) -> bool, found: &mut Vec<Span>) {
    match &node.kind {
        NodeKind::String(text) if !is_reference(text) => found.push(node.span),
        NodeKind::Number(_) => found.push(node.span),
        NodeKind::Array(elements) => elements.iter().for_each(|element| hide(element, is_shown, found)),
        NodeKind::Object(properties) => {
            for property in properties.iter() {
                if !is_shown(&property.name) {
                    found.push(property.name_span);
                }
                hide(&property.value, is_shown, found);
            }
        }
        _ => {}
    }
}

/// Whether a string is nothing but `${a.b}`. One name alone may be a secret without its quotes.
fn is_reference(text: &str) -> bool {
    let inside = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).map(str::trim);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
    inside.is_some_and(|inside| {
        inside.starts_with(|c: char| c.is_ascii_alphabetic())
            && inside.contains('.')
            && inside.chars().all(is_name)
    })
}

/// In a test file: all strings and numbers, if it may give a value to something sensitive: if the name of something
/// sensitive is a key in it.
pub(super) fn of_test_file<'s>(
    node: &Node<'_>,
    text: &str,
    schema: SchemaOf<'_, 's>,
    declared: &Declared,
) -> Vec<Span> {
    let (mut keys, mut words) = (BTreeSet::new(), BTreeSet::from([""]));
    words_of(node, &mut keys, &mut words);
    let kinds = ["variables", "outputs", "resource", "data", "provider"];
    let schemas = || kinds.iter().flat_map(|kind| words.iter().filter_map(|word| schema(kind, word)));
    let is_given = |schema: &Schema| {
        let attributes = schema.attributes().iter().filter(|(_, attribute)| attribute.has_hidden());
        let blocks = schema.block_types().iter().filter(|(_, nested)| nested.block.has_hidden());
        let mut names = attributes.map(|(name, _)| name).chain(blocks.map(|(name, _)| name));
        names.any(|name| keys.contains(name.as_str()))
    };
    let mut found = Vec::new();
    // `variable` blocks of test files declare secrets of their own.
    let variables = objects(node).into_iter().filter_map(|file| property(file, "variable"));
    for variable in variables.flat_map(objects).flatten() {
        if objects(&variable.value).into_iter().any(is_secret) {
            hide(&variable.value, &|name| shape::VARIABLE.has(name), &mut found);
        }
    }
    // Which key belongs to which schema is not worked out: one match hides the strings of the whole file.
    if text.contains("sensitive(") || schemas().any(is_given) {
        let mut members = BTreeSet::new();
        for schema in schemas() {
            members.extend(schema.attributes().iter().map(|(name, _)| name.as_str()));
            members.extend(schema.block_types().iter().map(|(name, _)| name.as_str()));
        }
        let is_known = |name: &str| {
            is_in_vocabulary(name) || declared.variables.contains_key(name) || members.contains(name)
        };
        hide(node, &is_known, &mut found);
    }
    found
}

/// The keys of objects, and the words of keys and strings that may name a type.
fn words_of<'n>(node: &'n Node<'_>, keys: &mut BTreeSet<&'n str>, words: &mut BTreeSet<&'n str>) {
    match &node.kind {
        NodeKind::Object(properties) => {
            for property in properties.iter() {
                keys.insert(&property.name);
                words.insert(&property.name);
                words_of(&property.value, keys, words);
            }
        }
        NodeKind::Array(elements) => elements.iter().for_each(|element| words_of(element, keys, words)),
        NodeKind::String(text) => words.extend(text.split(['.', '['])),
        _ => {}
    }
}
