//! Configurations of policies: `sentinel.hcl`, and the test cases of policies; in HCL or JSON.
//!
//! ```text
//! text ── parse_data, or JSON ──▶ blocks ──▶ Configuration
//! ```
//!
//! Referenced files are not read here: a module that no policy imports may be missing.

mod blocks;
mod json;
mod reference;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use objchange_hcl::parse_data;
use serde_json::Value as Json;

use self::blocks::{Read, Reader};
pub use self::reference::{PolicySource, Reference};
use super::Fault;

/// The content of a configuration.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Configuration {
    /// In the order of the file.
    pub policies: Vec<PolicyEntry>,
    /// Modules and static data.
    pub imports: BTreeMap<String, ImportSource>,
    /// The mocks for imports. A mock goes before an import of the same name.
    pub mocks: BTreeMap<String, ImportSource>,
    /// Names that all policies and modules have.
    pub globals: BTreeMap<String, Json>,
    /// Parameters of all policies.
    pub params: BTreeMap<String, Json>,
    /// The expected results of rules, in the order of the file; none if `main` must pass.
    pub rules: Option<Vec<(String, Json)>>,
    /// Warnings about parts that have no effect.
    pub warnings: Vec<Fault>,
}

impl Configuration {
    /// Reads sources from these folders instead of downloading them. Returns the addresses that sources have.
    pub(super) fn locate(&mut self, sources: &[PolicySource]) -> Vec<String> {
        let imports = self.imports.values_mut().chain(self.mocks.values_mut());
        let imports = imports.filter_map(|import| match import {
            ImportSource::Module(reference) | ImportSource::Static(reference) => Some(reference),
            ImportSource::Data(_) => None,
        });
        let all = self.policies.iter_mut().map(|policy| &mut policy.source).chain(imports);
        let located = all.filter_map(|reference| {
            reference.locate(sources);
            reference.located_address().map(str::to_owned)
        });
        located.collect()
    }

    /// Reads the text of a configuration; the path is what its references are relative to.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Fault> {
        // No HCL begins with a brace, so a file that does is JSON under another name.
        let is_json = path.extension().is_some_and(|extension| extension == "json")
            || text.trim_start().starts_with('{');
        let mut reader = Reader::new(path, text);
        let read = if is_json { json::read(text, &mut reader) } else { hcl(text, &mut reader) };
        match read {
            Ok(()) => Ok(reader.configuration),
            Err(problem) => Err(reader.fault(problem)),
        }
    }

    /// The source of an import, if the configuration has one.
    pub fn source_of(&self, import: &str) -> Option<&ImportSource> {
        self.mocks.get(import).or_else(|| self.imports.get(import))
    }

    /// The parameters of a policy: its own go before those of the configuration.
    pub fn params_of(&self, policy: Option<&PolicyEntry>) -> BTreeMap<String, Json> {
        let mut params = self.params.clone();
        params.extend(policy.iter().flat_map(|policy| policy.params.clone()));
        params
    }
}

fn hcl<'t>(text: &'t str, reader: &mut Reader<'t>) -> Read<()> {
    let data = parse_data(text)?;
    for attribute in data.attributes {
        let message = format!("the attribute {} has no effect here", attribute.name);
        reader.warn(attribute.name_span.start, message);
    }
    data.blocks.into_iter().try_for_each(|block| reader.block(block))
}

/// A policy of a policy set.
#[derive(Debug)]
#[non_exhaustive]
pub struct PolicyEntry {
    /// Its name.
    pub name: String,
    /// Where its text is.
    pub source: Reference,
    /// The enforcement level.
    pub level: Level,
    /// Its own; see [`Configuration::params_of`].
    pub params: BTreeMap<String, Json>,
}

/// The enforcement level of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It is reported.
    Advisory,
    /// The run fails, unless it is overridden.
    SoftMandatory,
    /// The run fails.
    HardMandatory,
}

impl Level {
    /// The level as configurations write it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Advisory => "advisory",
            Level::SoftMandatory => "soft-mandatory",
            Level::HardMandatory => "hard-mandatory",
        }
    }
}

/// The source of an import.
#[derive(Debug, Clone)]
pub enum ImportSource {
    /// A text of the language.
    Module(Reference),
    /// A JSON document.
    Static(Reference),
    /// Data that the configuration itself holds.
    Data(Arc<Json>),
}

#[cfg(test)]
mod tests;
