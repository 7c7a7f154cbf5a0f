//! Configurations of policies: `sentinel.hcl`, and the test cases of policies; in HCL or JSON.
//!
//! ```text
//! text ── syntax ──▶ blocks ── meaning ──▶ Configuration
//! ```
//!
//! What is named in one is not read here: a module that no policy imports need not be there.

mod cursor;
mod json;
mod meaning;
mod node;
mod reference;
mod syntax;
mod text;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use objchange_sentinel::Position;
use serde_json::Value as Json;

use super::fault::Fault;
use crate::input::Source;

pub(crate) use reference::Reference;

/// What a configuration says.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    /// In the order of the file.
    pub(crate) policies: Vec<PolicyEntry>,
    /// Modules and static data.
    pub(crate) imports: BTreeMap<String, Given>,
    /// What stands in for an import. A mock goes before an import of the same name.
    pub(crate) mocks: BTreeMap<String, Given>,
    pub(crate) globals: BTreeMap<String, Json>,
    pub(crate) params: BTreeMap<String, Json>,
    /// What rules are expected to be, in the order of the file; none if `main` is to pass.
    pub(crate) rules: Option<Vec<(String, Json)>>,
    /// What has no effect here.
    pub(crate) warnings: Vec<Problem>,
}

impl Configuration {
    /// What stands behind the name of an import, if the configuration says it.
    pub(crate) fn given(&self, import: &str) -> Option<&Given> {
        self.mocks.get(import).or_else(|| self.imports.get(import))
    }

    /// The parameters of a policy: its own go before those of the configuration.
    pub(crate) fn params_of(&self, policy: Option<&PolicyEntry>) -> BTreeMap<String, Json> {
        let mut params = self.params.clone();
        params.extend(policy.iter().flat_map(|policy| policy.params.clone()));
        params
    }
}

/// A policy of a policy set.
#[derive(Debug)]
pub(crate) struct PolicyEntry {
    pub(crate) name: String,
    pub(crate) source: Reference,
    pub(crate) level: Level,
    /// Its own; see [`Configuration::params_of`].
    pub(crate) params: BTreeMap<String, Json>,
}

/// What follows if a policy is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Advisory,
    SoftMandatory,
    HardMandatory,
}

impl Level {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Level::Advisory => "advisory",
            Level::SoftMandatory => "soft-mandatory",
            Level::HardMandatory => "hard-mandatory",
        }
    }
}

/// What stands behind the name of an import.
#[derive(Debug, Clone)]
pub(crate) enum Given {
    /// A text of the language.
    Module(Reference),
    /// A JSON document.
    Static(Reference),
    Data(Arc<Json>),
}

/// What is wrong with a configuration, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Its name, once that is known.
    file: Arc<str>,
    at: Position,
    message: String,
}

impl Problem {
    fn new(at: Position, message: impl Into<String>) -> Self {
        Self { file: Arc::from(""), at, message: message.into() }
    }

    fn of(self, file: &Arc<str>) -> Self {
        Self { file: Arc::clone(file), ..self }
    }

    /// What is wrong, without its place.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The configuration.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Where in it.
    pub(crate) fn position(&self) -> Position {
        self.at
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.at, self.message)
    }
}

/// No configuration that people write is as large, but a file may be.
const MAX_BYTES: u64 = 16 << 20;

/// Reads a configuration.
pub(crate) fn read(path: &Path) -> Result<Configuration, Fault> {
    let text = Source::File(path.to_owned()).read_at_most(MAX_BYTES);
    let text = text.map_err(|error| Fault::of_file(path, &error.to_string()))?;
    Ok(parse(path, &text)?)
}

/// Reads the text of a configuration; the path is what its references are relative to.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Configuration, Problem> {
    let file: Arc<str> = Arc::from(path.display().to_string());
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_json =
        path.extension().is_some_and(|extension| extension == "json") || text.trim_start().starts_with('{');
    let mut reader = meaning::Reader::new(&file, folder);
    let done = if is_json {
        syntax::json(text).and_then(|document| json::entries(document, &mut reader))
    } else {
        syntax::hcl(text).and_then(|(entries, attributes)| {
            for attribute in attributes {
                reader.warn(attribute.at, format!("the attribute {} has no effect here", attribute.name));
            }
            entries.into_iter().try_for_each(|entry| reader.entry(entry))
        })
    };
    done.map(|()| reader.configuration).map_err(|problem| problem.of(&file))
}

#[cfg(test)]
mod tests;
