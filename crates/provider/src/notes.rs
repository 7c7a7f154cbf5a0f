//! Descriptions and deprecations in a provider's schemas.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::Component;

/// Descriptions and deprecations in a provider's schemas, for people: no rule depends on them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Notes {
    schemas: BTreeMap<(Component, SmolStr), BTreeMap<Vec<SmolStr>, Note>>,
    /// Of the functions, by name.
    pub functions: BTreeMap<SmolStr, FunctionNote>,
    /// Of the attributes of identities, by resource type and name.
    pub identities: BTreeMap<SmolStr, BTreeMap<SmolStr, String>>,
}

/// A text, and how it is to be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    /// The text.
    pub text: String,
    /// It is Markdown, no plain text.
    pub is_markdown: bool,
}

/// The description and deprecation of a block or an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// What it is.
    pub description: Description,
    /// The use of this block is discouraged; of an attribute the schema itself says so.
    pub deprecated: bool,
    /// What to use instead.
    pub deprecation: String,
}

/// The description and deprecation of a function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionNote {
    /// What it does, in one line.
    pub summary: String,
    /// What it does.
    pub description: Description,
    /// What to use instead; empty where its use is not discouraged.
    pub deprecation: String,
    /// Of its parameters, the variadic one last.
    pub parameters: Vec<Description>,
}

impl Notes {
    /// What is said of a part of a schema, which is the path of names that lead to it: none of them is the block itself.
    pub fn get(&self, component: Component, name: &str, path: &[SmolStr]) -> Option<&Note> {
        self.schemas.get(&(component, name.into()))?.get(path)
    }

    /// Says something of a part of a schema. What says nothing is not kept.
    pub fn add(&mut self, component: Component, name: &str, path: &[SmolStr], note: Note) {
        if note != Note::default() {
            self.schemas.entry((component, name.into())).or_default().insert(path.to_vec(), note);
        }
    }
}
