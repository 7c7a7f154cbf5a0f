//! The names of sensitive arguments in a block of the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::says_sensitive;
use crate::json::{Shape, View};
use crate::mask::MaskedNames;
use objchange::schema::{Attribute, Block, NestedType, NestingMode};

/// Names of sensitive attributes, nested. Positions and keys in lists are skipped: a mark in one element or instance
/// applies to all.
#[derive(Debug, Clone, Default)]
pub struct HiddenNames {
    all: bool,
    below: BTreeMap<String, HiddenNames>,
}

impl HiddenNames {
    /// All of it.
    pub fn everything() -> Self {
        Self { all: true, below: BTreeMap::new() }
    }

    /// The attributes that a schema calls sensitive or write-only.
    pub fn of_block(block: &Block) -> Self {
        let mut names = Self::default();
        for (name, attribute) in block.attributes() {
            names.add_attribute(name, attribute);
        }
        for (name, nested) in block.block_types() {
            names.add_nested(name, nested.nesting, Self::of_block(&nested.block));
        }
        names
    }

    /// Below a map are its keys, which no schema knows: it is sensitive as a whole if anything in it is.
    fn add_nested(&mut self, name: &str, nesting: NestingMode, names: Self) {
        let names = match nesting {
            NestingMode::Map if names.has_any() => Self { all: true, below: BTreeMap::new() },
            _ => names,
        };
        self.below.insert(name.to_owned(), names);
    }

    fn has_any(&self) -> bool {
        self.all || self.below.values().any(Self::has_any)
    }

    fn add_attribute(&mut self, name: &str, attribute: &Attribute) {
        let mut names = Self { all: attribute.sensitive || attribute.write_only, ..Self::default() };
        for (name, attribute) in attribute.nested().into_iter().flat_map(NestedType::attributes) {
            names.add_attribute(name, attribute);
        }
        let nesting = attribute.nested().map_or(NestingMode::Single, NestedType::nesting);
        self.add_nested(name, nesting, names);
    }

    /// The names in these marks.
    pub fn of_marks<'v, 't: 'v>(marks: impl Iterator<Item = View<'v, 't>>) -> Self {
        let mut names = Self::default();
        marks.for_each(|marks| names.add(marks));
        names
    }

    /// The masked names in expressions: those of arguments and blocks, and those in constants.
    fn of_masked(expressions: View<'_, '_>, masked: &MaskedNames) -> Self {
        let mut names = Self::default();
        match expressions.shape() {
            Shape::String(text) => names.all = masked.is_in_text(text),
            Shape::Array(elements) => {
                elements.iter().for_each(|element| names.join(Self::of_masked(element, masked)));
            }
            Shape::Object(members) => {
                let text = |name: &str| expressions.get(name)?.as_str();
                for (name, member) in members.iter() {
                    match name {
                        // Values in a constant have the names of the argument.
                        "constant_value" => names.join(Self::of_masked(member, masked)),
                        "references" => {}
                        name if masked.hides_member(name, text) => {
                            names.below.insert(name.to_owned(), Self::everything());
                        }
                        name => names
                            .below
                            .entry(name.to_owned())
                            .or_default()
                            .join(Self::of_masked(member, masked)),
                    }
                }
                names.below.retain(|_, names| names.has_any());
            }
            _ => {}
        }
        names
    }

    /// Adds the masked names in expressions to those that are hidden anyway.
    pub fn with_masked(
        hidden: Option<Arc<Self>>,
        expressions: Option<View<'_, '_>>,
        masked: &MaskedNames,
    ) -> Option<Arc<Self>> {
        let Some(expressions) = expressions.filter(|_| !masked.is_empty()) else { return hidden };
        let mut names = Self::of_masked(expressions, masked);
        if !names.has_any() {
            return hidden;
        }
        if let Some(hidden) = hidden {
            names.join(Self::clone(&hidden));
        }
        Some(Arc::new(names))
    }

    /// The arguments of a call whose variables are sensitive.
    pub fn of_arguments(call: View<'_, '_>) -> Option<Arc<Self>> {
        // A call has no marks of its own: the module that it calls says which variables are secret.
        let variables = call.get("module")?.get("variables")?.members();
        let sensitive = variables.iter().filter(|(_, variable)| says_sensitive(*variable));
        let below: BTreeMap<_, _> =
            sensitive.map(|(name, _)| (name.to_owned(), Self { all: true, ..Self::default() })).collect();
        (!below.is_empty()).then(|| Arc::new(Self { all: false, below }))
    }

    /// Whether all of it is hidden.
    pub fn has_all(&self) -> bool {
        self.all
    }

    /// The sensitive names of a member.
    pub fn below(&self, name: &str) -> Option<&Self> {
        if self.all { Some(self) } else { self.below.get(name) }
    }

    /// Hides what the other names hide, too.
    pub fn join(&mut self, other: Self) {
        self.all |= other.all;
        for (name, names) in other.below {
            self.below.entry(name).or_default().join(names);
        }
    }

    /// Hides what these marks say.
    pub fn add(&mut self, marks: View<'_, '_>) {
        match marks.shape() {
            Shape::Null | Shape::Bool(false) => {}
            Shape::Bool(true) | Shape::String(_) | Shape::Number(_) => self.all = true,
            Shape::Array(elements) => elements.iter().for_each(|element| self.add(element)),
            Shape::Object(members) => {
                // Terraform writes `{}` and `[]` for collections without any mark. An entry for them would hide
                // nothing.
                for (name, marks) in members.iter().filter(|(_, marks)| !marks.is_empty()) {
                    self.below.entry(name.to_owned()).or_default().add(marks);
                }
            }
        }
    }
}
