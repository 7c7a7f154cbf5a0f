//! Mocks: a plan as test data for policies.

#[cfg(test)]
mod tests;
mod text;

use std::io::{self, Write};

use crate::tfconfig::TfConfig;
use crate::tfplan::{Change, OutputChange, TfPlan};
use crate::tfstate::{Output, TfState};
use crate::{Collection, Redacted};
use objchange::schema::ProviderSchemas;
use objchange_document::{ConfigMarks, Document, DocumentError};
use objchange_sentinel::Policy;
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

use self::text::{Undefined, write};
use super::tfrun;

/// A file, and the import that it mocks.
#[derive(Debug)]
pub struct File {
    /// Its name, as Terraform's own mocks are called.
    pub name: &'static str,
    /// The import.
    pub import: &'static str,
    /// The source text of a module.
    pub text: Vec<u8>,
}

/// The source of `strip_index`, which is a function, not data.
const STRIP_INDEX: &str = r#"
# Removes the keys of instances from an address.
strip_index = func(address) {
	stripped = ""
	depth = 0
	quoted = false
	escaped = false
	for range(length(address)) as i {
		c = address[i]
		if escaped {
			escaped = false
		} else if quoted {
			escaped = c is "\\"
			quoted = c is not "\""
		} else if c is "\"" and depth > 0 {
			quoted = true
		} else if c is "[" {
			depth += 1
		} else if c is "]" and depth > 0 {
			depth -= 1
		} else if depth is 0 {
			stripped += c
		}
	}
	return stripped
}
"#;

/// The mocks of a document; `run` has the members of `tfrun`. Sensitive values are left out. Only schemas tell which
/// arguments of a provider are sensitive: if the plan was read without them, all these constants are hidden.
///
/// # Errors
///
/// A part of the document cannot be read.
pub fn mocks(document: &Document<'_>, run: Option<&Json>) -> Result<Vec<File>, MockError> {
    let mut files = Vec::new();
    let mut file = |import, name, text| files.push(File { name, import, text });
    match document {
        Document::Plan(plan) => {
            let mut collections = TfPlan::new(plan)?;
            if plan.schemas().is_none() {
                let marks = ConfigMarks::new(plan)?.hiding_providers(&ProviderSchemas::default());
                collections.raw = collections.raw.with_marks(marks);
            }
            file("tfplan/v2", "mock-tfplan-v2.sentinel", self::plan(&collections)?);
            file(
                "tfconfig/v2",
                "mock-tfconfig-v2.sentinel",
                config(&TfConfig::with_marks(plan, collections.raw.marks())?)?,
            );
            file(
                "tfstate/v2",
                "mock-tfstate-v2.sentinel",
                state(&TfState::prior_with(plan, collections.raw.stated())?)?,
            );
            file("tfrun", "mock-tfrun.sentinel", self::run(&tfrun::members_of(Some(&collections), run))?);
        }
        Document::State(document) => {
            file("tfstate/v2", "mock-tfstate-v2.sentinel", state(&TfState::new(document.clone())?)?);
            if run.is_some() {
                file("tfrun", "mock-tfrun.sentinel", self::run(&tfrun::members_of(None, run))?);
            }
        }
    }
    Ok(files)
}

/// Why there are no mocks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MockError {
    /// A part of the document is invalid.
    #[error("{0}")]
    Document(#[from] DocumentError),
    /// A part of the document that is read only when it is written is not JSON.
    #[error("{0}")]
    Write(#[from] io::Error),
}

impl MockError {
    /// A name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Document(error) => error.problem.kind(),
            Self::Write(_) => "unreadable_part",
        }
    }
}

fn plan(plan: &TfPlan<'_>) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    member(&mut out, "terraform_version", &plan.terraform_version)?;
    member(&mut out, "variables", &Redacted(&plan.variables))?;
    member(&mut out, "planned_values", &Planned(&plan.planned_values))?;
    member(&mut out, "resource_changes", &Redacted(&plan.resource_changes))?;
    member(&mut out, "resource_drift", &Redacted(&plan.resource_drift))?;
    member(&mut out, "output_changes", &OutputChanges(&plan.output_changes))?;
    member(&mut out, "raw", &Redacted(&plan.raw))?;
    Ok(out)
}

fn state(state: &TfState<'_>) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    match &state.terraform_version {
        Some(version) => member(&mut out, "terraform_version", version)?,
        None => member(&mut out, "terraform_version", &Undefined)?,
    }
    member(&mut out, "outputs", &Outputs(&state.outputs))?;
    member(&mut out, "resources", &Redacted(&state.resources))?;
    Ok(out)
}

fn config(config: &TfConfig<'_>) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    member(&mut out, "providers", &Redacted(&config.providers))?;
    member(&mut out, "resources", &Redacted(&config.resources))?;
    member(&mut out, "provisioners", &Redacted(&config.provisioners))?;
    member(&mut out, "variables", &Redacted(&config.variables))?;
    member(&mut out, "outputs", &Redacted(&config.outputs))?;
    member(&mut out, "module_calls", &Redacted(&config.module_calls))?;
    // A property test holds it to the function of the import, for random addresses.
    out.extend_from_slice(STRIP_INDEX.as_bytes());
    Ok(out)
}

/// Writes the members of a run whose names a policy can write.
fn run(run: &Json) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    for (name, value) in run.as_object().into_iter().flatten() {
        // Another name would make the whole mock invalid.
        if Policy::parse("name", &format!("{name} = 1")).is_ok() {
            member(&mut out, name, value)?;
        }
    }
    Ok(out)
}

fn member(out: &mut Vec<u8>, name: &str, value: &impl Serialize) -> io::Result<()> {
    if !out.is_empty() {
        out.push(b'\n');
    }
    write!(out, "{name} = ")?;
    write(out, value)?;
    out.push(b'\n');
    Ok(())
}

/// The planned state.
struct Planned<'a, 't>(&'a TfState<'t>);

impl Serialize for Planned<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(2))?;
        fields.serialize_entry("outputs", &Outputs(&self.0.outputs))?;
        fields.serialize_entry("resources", &Redacted(&self.0.resources))?;
        fields.end()
    }
}

/// The outputs of a state; unknown ones have no value.
struct Outputs<'a, 't>(&'a Collection<'t, Output<'t>>);

impl Serialize for Outputs<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut outputs = serializer.serialize_map(Some(self.0.len()))?;
        for (name, output) in self.0.iter() {
            if output.value().map_err(S::Error::custom)?.is_some() {
                outputs.serialize_entry(name, &Redacted(output))?;
            } else {
                outputs.serialize_entry(name, &UnknownOutput(output))?;
            }
        }
        outputs.end()
    }
}

struct UnknownOutput<'a, 't>(&'a Output<'t>);

impl Serialize for UnknownOutput<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(3))?;
        fields.serialize_entry("name", &self.0.name)?;
        fields.serialize_entry("sensitive", &self.0.sensitive)?;
        fields.serialize_entry("value", &Undefined)?;
        fields.end()
    }
}

/// The changes of outputs: unknown ones lack a value after.
struct OutputChanges<'a, 't>(&'a Collection<'t, OutputChange<'t>>);

impl Serialize for OutputChanges<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut changes = serializer.serialize_map(Some(self.0.len()))?;
        for (name, output) in self.0.iter() {
            if output.change.after().map_err(S::Error::custom)?.is_unknown() {
                changes.serialize_entry(name, &UnknownChange(Some(&output.name), &output.change))?;
            } else {
                changes.serialize_entry(name, &Redacted(output))?;
            }
        }
        changes.end()
    }
}

/// An output with its name, or its change.
struct UnknownChange<'a, 't>(Option<&'a str>, &'a Change<'t>);

impl Serialize for UnknownChange<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        if let Self(Some(name), change) = self {
            fields.serialize_entry("name", name)?;
            fields.serialize_entry("change", &UnknownChange(None, change))?;
            return fields.end();
        }
        let before = self.1.before().map_err(S::Error::custom)?;
        fields.serialize_entry("actions", &self.1.actions)?;
        // That there was nothing is no secret.
        match before.exact() {
            Some(value) if !value.is_null() => fields.serialize_entry("before", &Redacted(&before))?,
            _ => fields.serialize_entry("before", &Json::Null)?,
        }
        fields.serialize_entry("after", &Undefined)?;
        fields.serialize_entry("after_unknown", &true)?;
        fields.end()
    }
}

/// A test case, or a configuration, that uses the mocks.
pub fn configuration(files: &[File]) -> String {
    let mock = |File { name, import, .. }: &File| {
        format!("mock \"{import}\" {{\n  module {{\n    source = \"{name}\"\n  }}\n}}\n\n")
    };
    let mocks: String = files.iter().map(mock).collect();
    format!("{mocks}test {{\n  rules = {{\n    main = true\n  }}\n}}\n")
}
