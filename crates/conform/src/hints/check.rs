//! Checks that hints refer to types and attributes that the provider has.

use objchange::schema::{Attribute, AttributeType, Block};
use objchange_provider::Schemas;
use objchange_text::did_you_mean;

use super::hinted_value::Numbering;
use super::{HintedValue, Hints, HintsError};
use crate::schemas::CHECKED_COMPONENTS;

impl Hints {
    /// Hints without effect: about types or attributes that the provider does not have, or with a value
    /// that the attribute cannot have.
    #[must_use = "returns the violations; empty means valid"]
    pub fn check(&self, schemas: &Schemas) -> Vec<HintsError> {
        let mut errors = Vec::new();
        for (i, entry) in self.types.iter().enumerate() {
            let at = format!("types[{i}]");
            let components = CHECKED_COMPONENTS
                .into_iter()
                .filter(|c| entry.component.is_none_or(|component| component == *c));
            let all: Vec<_> = components.flat_map(|c| schemas.named(c)).collect();
            let matching: Vec<&Block> = all
                .iter()
                .filter(|(name, _)| entry.name.matches(name))
                .map(|(_, schema)| &schema.block)
                .collect();
            if matching.is_empty() {
                let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
                let hint = did_you_mean(&entry.name.to_string(), names.iter().copied());
                errors.push(HintsError::new(at, format!("the provider has no such type{hint}")));
                continue;
            }
            for (glob, given) in &entry.values {
                let at = format!("{at}.values.{glob}");
                errors.extend(check_value(&at, &matching, &|path| glob.matches(path), given));
            }
            for (wanted, value) in &entry.update {
                let given = HintedValue::Value(value.clone());
                let at = format!("{at}.update.{wanted}");
                errors.extend(check_value(&at, &matching, &|path| path == wanted, &given));
            }
        }
        errors
    }
}

/// The error if no attribute has a matching path, or none of them can have the value.
fn check_value(
    at: &str,
    blocks: &[&Block],
    matches: &dyn Fn(&str) -> bool,
    given: &HintedValue,
) -> Option<HintsError> {
    // Any numbering will do: it changes the text, but not the type.
    let numbering = Numbering { seed: 0, sequence: 0 };
    let (mut found, mut fits) = (false, false);
    for block in blocks {
        each_attribute(block, &mut String::new(), &mut |path, attribute, _| {
            if matches(path) {
                found = true;
                fits |= given.value(attribute.implied_type(), numbering).is_some();
            }
        });
    }
    match (found, fits) {
        (false, _) => Some(HintsError::new(at, "no attribute has such a path")),
        (true, false) => Some(HintsError::new(at, "no attribute of such a path can have this value")),
        _ => None,
    }
}

/// Called with an attribute, its path, and whether the schema hides it or one that encloses it.
type VisitAttribute<'v> = dyn FnMut(&str, &Attribute, bool) + 'v;

/// Visits all attributes at any depth.
pub(super) fn each_attribute(block: &Block, path: &mut String, visit: &mut VisitAttribute<'_>) {
    attributes(block.attributes(), path, false, visit);
    for (name, nested) in block.block_types() {
        inside(path, name, &mut |path| each_attribute(&nested.block, path, visit));
    }
}

fn attributes(
    all: &[(smol_str::SmolStr, Attribute)],
    path: &mut String,
    is_hidden: bool,
    visit: &mut VisitAttribute<'_>,
) {
    for (name, attribute) in all {
        let is_hidden = is_hidden || attribute.sensitive || attribute.write_only;
        inside(path, name, &mut |path| {
            visit(path, attribute, is_hidden);
            if let AttributeType::Nested(nested) = &attribute.ty {
                attributes(nested.attributes(), path, is_hidden, visit);
            }
        });
    }
}

/// Calls `visit` with the path extended by `name`.
pub(in super::super) fn inside<T>(
    path: &mut String,
    name: &str,
    visit: &mut dyn FnMut(&mut String) -> T,
) -> T {
    let length = path.len();
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
    let result = visit(path);
    path.truncate(length);
    result
}
