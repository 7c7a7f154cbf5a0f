//! Values for the variables of a configuration, by name and from files.

use std::collections::BTreeMap;
use std::path::Path;

use objchange::Value;
use objchange_hcl::{
    BaseDirectory, Diagnostic, Functions, HiddenSource, Input, LineIndex, ModuleConfig, Position, Scope,
    Variables, evaluate, parse_body, parse_body_json,
};
use objchange_text::did_you_mean;
use objchange_text::{Noted, Notice};

use super::{Configuration, ConfigurationError};
use crate::inputs::VariableSetting;
use objchange_files::input::Source;

/// Values for the variables of a configuration.
#[derive(Debug, Clone, Copy, Default)]
pub struct VariableInputs<'a> {
    /// Values and files; what comes later counts.
    pub settings: &'a [VariableSetting],
    /// The directory that functions may read.
    pub base_dir: Option<&'a Path>,
}

impl VariableInputs<'_> {
    /// Nothing is given.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.base_dir.is_none()
    }

    /// The inputs that come from files.
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        self.settings.iter().filter_map(|setting| match setting {
            VariableSetting::File(path) => Some(Source::new(path)),
            VariableSetting::Text(..) | VariableSetting::FileText { .. } => None,
        })
    }

    /// The values of variables by name: from files beside the configuration, then from arguments; later ones win.
    ///
    /// Terraform refuses a `--var` that no `variable` block declares, and warns of one in a file that was named. Without
    /// a configuration any name will do.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or gives no values; or a name is not declared.
    pub fn inputs(
        &self,
        configuration: &Configuration,
        module: &ModuleConfig,
    ) -> Noted<Result<BTreeMap<String, Input>, ConfigurationError>> {
        Noted::by(|notices| self.read_inputs(configuration, module, notices))
    }

    fn read_inputs(
        &self,
        configuration: &Configuration,
        module: &ModuleConfig,
        notices: &mut Vec<Notice>,
    ) -> Result<BTreeMap<String, Input>, ConfigurationError> {
        let is_declared =
            |name: &str| configuration.sources.is_empty() || module.variables.contains_key(name);
        let hint = |name: &str| did_you_mean(name, module.variables.keys().map(|name| &**name));
        let beside = configuration.values.iter().cloned().map(VariableSetting::File);
        let mut inputs = BTreeMap::new();
        for setting in beside.chain(self.settings.iter().cloned()) {
            let (source, text) = match setting {
                VariableSetting::Text(name, _) if !is_declared(&name) => {
                    return Err(ConfigurationError::Undeclared { hint: hint(&name), name });
                }
                VariableSetting::Text(name, text) => {
                    inputs.insert(name, Input::Text(text));
                    continue;
                }
                VariableSetting::File(path) => {
                    let source = Source::new(&path);
                    let text = source.read()?;
                    (source, text)
                }
                VariableSetting::FileText { name, text } => (Source::File(name.into()), text),
            };
            let values = values(&source, &text)?;
            for (name, _) in values.iter().filter(|(name, _)| !is_declared(name)) {
                let hint = hint(name);
                notices.push(Notice::Warning(format!(
                    "{source}: the configuration declares no variable {name:?}{hint}"
                )));
            }
            inputs.extend(values.into_iter().map(|(name, value)| (name, Input::Value(value))));
        }
        Ok(inputs)
    }

    /// All functions; those for files where a directory is given.
    ///
    /// # Errors
    ///
    /// The directory cannot be opened.
    pub fn functions(&self) -> Result<Functions, ConfigurationError> {
        let functions = Functions::pure().clone();
        match self.base_dir {
            None => Ok(functions),
            Some(path) => match BaseDirectory::open(path) {
                Ok(base) => Ok(functions.with_files(&base)),
                Err(error) => Err(ConfigurationError::BaseDirectory { path: path.to_owned(), error }),
            },
        }
    }
}

/// Reads the text of a file like `terraform.tfvars`. Errors do not show its lines, because its secrets are not known yet.
fn values(input: &Source, text: &str) -> Result<Vec<(String, Value)>, ConfigurationError> {
    let wrong = |message| ConfigurationError::Variables { input: input.clone(), message };
    let problems = |found: Vec<Diagnostic>| wrong(first_place(text, &found));
    let body = if input.to_string().ends_with(".json") {
        let (body, found) = parse_body_json(text).map_err(problems)?.constants();
        if found.is_empty() { Ok(body) } else { Err(found) }
    } else {
        parse_body(text)
    };
    let body = body.map_err(problems)?;
    if !body.blocks.is_empty() {
        return Err(wrong("a file with values of variables cannot have blocks".to_owned()));
    }
    let none = Variables::default();
    let mut values = Vec::new();
    for attribute in &body.attributes {
        let (value, found) = evaluate(&attribute.expr, &Scope::new(&none), Functions::pure());
        if !found.is_empty() {
            return Err(problems(found));
        }
        values.push((attribute.name.to_string(), value));
    }
    Ok(values)
}

/// Where the first error is, and what it is called.
fn first_place(text: &str, found: &[Diagnostic]) -> String {
    let Some(first) = found.first() else { return String::new() };
    let start = first.subject.unwrap_or_default().start;
    let Position { line, column, .. } = LineIndex::new(text).position(start);
    let shown = HiddenSource::mask_all_of(text, first.clone());
    format!("line {line}, column {column}: {}", shown.summary)
}
