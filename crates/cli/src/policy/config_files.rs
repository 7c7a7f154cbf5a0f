//! Configuration files that policies read: `parse_config` and `parse_config_file` of conftest.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use objchange_hcl::{LineIndex, as_json};
use objchange_policy::rego::{ConfigFileError, ConfigFiles, DataFile, Value};

use crate::input::Source;

/// The files in the folder of a policy, and below. Policies come from others, and what they say is shown: they read no
/// other files, and no plans and states, which hold secrets.
#[derive(Debug, Default)]
pub(super) struct FilesBesidePolicies {
    /// A policy may read a file once for each resource of a plan.
    known: Mutex<HashMap<PathBuf, Result<Value, ConfigFileError>>>,
}

impl ConfigFiles for FilesBesidePolicies {
    fn parse(&self, parser: &str, text: &str) -> Result<Value, ConfigFileError> {
        parsed("the text", parser, text.to_owned())
    }

    fn read(&self, policy: &str, path: &str) -> Result<Value, ConfigFileError> {
        let file = beside(Path::new(policy), path)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&file) {
            return known.clone();
        }
        let value = read(&file, path);
        known.insert(file, value.clone());
        value
    }
}

/// The file at a path from the folder of a policy, if it is in that folder or below.
fn beside(policy: &Path, path: &str) -> Result<PathBuf, ConfigFileError> {
    let folder = match policy.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let real = |file: &Path| file.canonicalize().map_err(|error| refused(path, error));
    let file = real(&folder.join(path))?;
    match file.starts_with(real(folder)?) {
        true => Ok(file),
        false => Err(refused(path, "policies read files in their own folder and below")),
    }
}

fn read(file: &Path, name: &str) -> Result<Value, ConfigFileError> {
    let parser = file.extension().unwrap_or_default().to_string_lossy();
    if !["hcl", "tf", "json", "yaml", "yml"].contains(&&*parser) {
        return Err(refused(name, "policies read files called *.tf, *.hcl, *.json, *.yaml and *.yml"));
    }
    let text = Source::File(file.to_owned()).read();
    parsed(name, &parser, text.map_err(|error| refused(name, error))?)
}

fn parsed(name: &str, parser: &str, text: String) -> Result<Value, ConfigFileError> {
    let is_yaml = match parser {
        "json" => false,
        "yaml" | "yml" => true,
        "hcl2" | "hcl" | "tf" => {
            let json = as_json(&text).map_err(|errors| match errors.first() {
                Some(error) => {
                    let place = error.subject.map(|subject| LineIndex::new(&text).position(subject.start));
                    let line = place.map_or(1, |place| place.line);
                    ConfigFileError::new(format!("{name}:{line}: {}", error.summary))
                }
                None => refused(name, "this is not HCL"),
            })?;
            return Value::from_json(&json).map_err(|error| refused(name, error));
        }
        other => {
            return Err(refused(name, format_args!("there is no parser {other}: name hcl2, json or yaml")));
        }
    };
    let file = DataFile { name: name.to_owned(), path: Vec::new(), text, is_yaml };
    file.document().map_err(|error| ConfigFileError::new(error.to_string()))
}

fn refused(name: &str, why: impl std::fmt::Display) -> ConfigFileError {
    ConfigFileError::new(format!("{name}: {why}"))
}
