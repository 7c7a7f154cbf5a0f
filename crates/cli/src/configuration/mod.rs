//! Configuration as people write it: its files, what is given for its variables, what is wrong with it.

pub(crate) mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use objchange::Value;
use objchange_hcl::{
    BaseDirectory, Body, Diagnostic, Functions, Input, Scope, Variables, evaluate, parse_body,
};

use crate::input::{InputError, Source};
use report::Problems;

/// What is given for the variables of a configuration.
#[derive(Debug, clap::Args)]
pub(crate) struct Given {
    /// The value of a variable; where no `variable` block says another type, a string. Can be repeated
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = assignment)]
    variables: Vec<(String, String)>,

    /// Values of variables, as in `terraform.tfvars`, or as JSON where the name ends with `.json`; can be repeated
    #[arg(long = "var-file", visible_alias = "vars", value_name = "FILE")]
    variable_files: Vec<PathBuf>,

    /// The directory that functions such as `file` may read from; without it they fail
    #[arg(long, value_name = "DIR")]
    base_dir: Option<PathBuf>,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a name and a value are expected, with an equals sign between them".to_owned()),
    }
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigurationError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{}", .0.summary())]
    Problems(Box<Problems>),
    #[error("{input}: {message}")]
    Variables { input: Source, message: String },
    #[error("{}: this is no directory that can be read from: {error}", path.display())]
    BaseDirectory { path: PathBuf, error: io::Error },
}

/// A file of configuration.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) body: Body,
}

impl File {
    /// Reads a file and what it says.
    pub(crate) fn read(input: &Source) -> Result<Self, ConfigurationError> {
        let (name, text) = (input.to_string(), input.read()?);
        match parse_body(&text) {
            Ok(body) => Ok(Self { name, text, body }),
            Err(found) => Err(ConfigurationError::Problems(Box::new(Problems { name, text, found }))),
        }
    }

    /// A file with nothing in it.
    pub(crate) fn empty() -> Self {
        Self { name: String::new(), text: String::new(), body: Body::default() }
    }
}

impl Given {
    /// Nothing is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.variables.is_empty() && self.variable_files.is_empty() && self.base_dir.is_none()
    }

    /// The inputs that come from files.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Source> {
        self.variable_files.iter().map(|path| Source::new(path))
    }

    /// What is given by name. Arguments win over files, and what comes later over what comes earlier.
    pub(crate) fn inputs(&self) -> Result<BTreeMap<String, Input>, ConfigurationError> {
        let mut inputs = BTreeMap::new();
        for input in self.sources() {
            let values = if input.to_string().ends_with(".json") {
                json_values(&input)?
            } else {
                tfvars_values(&input)?
            };
            inputs.extend(values.into_iter().map(|(name, value)| (name, Input::Value(value))));
        }
        let texts = self.variables.iter().map(|(name, text)| (name.clone(), Input::Text(text.clone())));
        inputs.extend(texts);
        Ok(inputs)
    }

    /// All functions; those for files where a directory is given.
    pub(crate) fn functions(&self) -> Result<Functions, ConfigurationError> {
        let functions = Functions::pure().clone();
        match &self.base_dir {
            None => Ok(functions),
            Some(path) => match BaseDirectory::open(path) {
                Ok(base) => Ok(functions.with_files(&base)),
                Err(error) => Err(ConfigurationError::BaseDirectory { path: path.clone(), error }),
            },
        }
    }
}

fn json_values(input: &Source) -> Result<Vec<(String, Value)>, ConfigurationError> {
    let wrong =
        |message: &str| ConfigurationError::Variables { input: input.clone(), message: message.to_owned() };
    let text = input.read()?;
    let decode = Functions::pure().get("jsondecode");
    // What is wrong in a text that may be secret is told by its place only.
    let value = decode.and_then(|decode| decode.call(vec![Value::from(text)]).ok());
    let value = value.ok_or_else(|| wrong("this is no JSON"))?;
    let object =
        value.as_object().ok_or_else(|| wrong("a JSON object with a value for each variable is expected"))?;
    Ok(object.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
}

/// The values of a file like `terraform.tfvars`. Its lines are not shown where something is wrong: what is secret in it is
/// not known yet.
fn tfvars_values(input: &Source) -> Result<Vec<(String, Value)>, ConfigurationError> {
    let name = input.to_string();
    let text = input.read()?;
    let problems = |found: Vec<Diagnostic>| {
        let place = report::first_place(&text, &found);
        ConfigurationError::Variables { input: input.clone(), message: place }
    };
    let body = parse_body(&text).map_err(problems)?;
    if !body.blocks.is_empty() {
        let message = format!("{name} gives values to variables, and has no blocks");
        return Err(ConfigurationError::Variables { input: input.clone(), message });
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

/// Whether one of these names stands for a reference: itself, or what it leads to.
pub(crate) fn covers(declared: &BTreeSet<String>, reference: &str) -> bool {
    let leads = |name: &String| {
        reference
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    declared.iter().any(leads)
}
