//! `.terraform/modules/modules.json`: which modules are installed where.

use std::collections::HashMap;

use serde::Deserialize;

/// Where it is.
pub(super) const PATH: &str = ".terraform/modules/modules.json";

/// The modules that are installed, by the names of the calls that lead to them, joined by dots.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    entries: HashMap<String, Entry>,
}

/// A module that is installed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Entry {
    key: String,
    /// The source of the call for which it was installed.
    #[serde(default)]
    pub(super) source: String,
    /// Its version, if it came from a registry.
    pub(super) version: Option<String>,
    /// Relative to the working directory.
    pub(super) dir: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Document {
    #[serde(default)]
    modules: Vec<Entry>,
}

impl Manifest {
    /// Reads its text.
    pub(super) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let document: Document = serde_json::from_str(text)?;
        Ok(Self { entries: document.modules.into_iter().map(|entry| (entry.key.clone(), entry)).collect() })
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }
}
