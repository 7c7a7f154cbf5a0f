//! Descriptions and deprecations in a provider's schemas.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::Component;

/// Descriptions and deprecations in a provider's schemas, for people: no rule depends on them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Notes {
    schemas: BTreeMap<(Component, SmolStr), BTreeMap<Vec<SmolStr>, Note>>,
    /// The notes on functions, by name.
    pub functions: BTreeMap<SmolStr, FunctionNote>,
    /// The descriptions of identity attributes, by resource type and name.
    pub identities: BTreeMap<SmolStr, BTreeMap<SmolStr, String>>,
}

/// A text and its format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    /// The text.
    pub text: String,
    /// The text is Markdown and not plain text.
    pub is_markdown: bool,
}

/// The description and deprecation of a block or an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// The description.
    pub description: Description,
    /// The use of this block is discouraged. For an attribute the schema itself says so.
    pub deprecated: bool,
    /// The deprecation message, which names an alternative.
    pub deprecation: String,
}

/// The description and deprecation of a function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionNote {
    /// A summary in one line.
    pub summary: String,
    /// The description.
    pub description: Description,
    /// The deprecation message; empty if the function is not deprecated.
    pub deprecation: String,
    /// The descriptions of its parameters, the variadic one last.
    pub parameters: Vec<Description>,
}

impl Notes {
    /// The note on a part of a schema. `path` has the names that lead to it; an empty path is the block
    /// itself.
    pub fn get(&self, component: Component, name: &str, path: &[SmolStr]) -> Option<&Note> {
        self.schemas.get(&(component, name.into()))?.get(path)
    }

    /// Adds a note on a part of a schema. Empty notes are not kept.
    pub fn add(&mut self, component: Component, name: &str, path: &[SmolStr], note: Note) {
        if note != Note::default() {
            self.schemas.entry((component, name.into())).or_default().insert(path.to_vec(), note);
        }
    }
}
