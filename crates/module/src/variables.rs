//! The values that are given for the variables of the root module, from all their sources.

use std::collections::BTreeMap;
use std::sync::Arc;

use objchange::{Type, Value};
use objchange_document::Version;
use objchange_hcl::{
    Attribute, Body, Diagnostic, Sources, VariableConfig, constant, parse_body, parse_body_json,
    parse_expression, value_source,
};
use smol_str::SmolStr;

use crate::config::Config;
use crate::plan::GivenVariable;
use crate::versions::since;
use crate::{Diagnostics, Severity};

/// The prefix of environment variables that give values to variables.
const ENVIRONMENT_PREFIX: &str = "TF_VAR_";

/// The sources of values for the variables of the root module, as texts.
#[derive(Debug, Clone, Default)]
pub struct VariableSources {
    /// Environment variables. Those whose names do not begin with `TF_VAR_` are nothing here.
    pub environment: Vec<(String, String)>,
    /// The files that are read without being named, with their texts: those of [`automatic_files`].
    pub automatic: Vec<(String, String)>,
    /// `--var` and `--var-file`, in the order of the command line.
    pub arguments: Vec<VariableArgument>,
}

/// A value from the command line.
#[derive(Debug, Clone)]
pub enum VariableArgument {
    /// From `--var`: `name=value`.
    Value(String),
    /// From `--var-file`: the name of the file, and its text.
    File(String, Result<String, UnreadFile>),
}

/// Why a file could not be read.
#[derive(Debug, Clone)]
pub enum UnreadFile {
    /// The file does not exist.
    Missing,
    /// Another reason, in words.
    Other(String),
}

/// Those of the files of a directory that give values to variables without being named, in the order in which they count.
///
/// ```
/// use objchange_module::variables::automatic_files;
///
/// let names = ["b.auto.tfvars", "a.auto.tfvars.json", "terraform.tfvars", "x.tfvars", "main.tf"];
/// assert_eq!(automatic_files(names), ["terraform.tfvars", "a.auto.tfvars.json", "b.auto.tfvars"]);
/// ```
pub fn automatic_files<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let rank = |name: &str| match name {
        // Later files override earlier ones, so the order is Terraform's precedence.
        "terraform.tfvars" => Some(0),
        "terraform.tfvars.json" => Some(1),
        name if name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json") => Some(2),
        _ => None,
    };
    let mut found: Vec<(u8, &str)> = names.into_iter().filter_map(|name| Some((rank(name)?, name))).collect();
    // Both kinds of `*.auto.tfvars` are one series: `b.auto.tfvars.json` overrides `a.auto.tfvars`.
    found.sort_unstable();
    found.into_iter().map(|(_, name)| name).collect()
}

/// Reads the values of the root module's variables. The last source wins: environment, then automatic files, then the
/// command line, as in Terraform.
///
/// Files of values become sources of the configuration, so that errors can point into them. Variables without a value and
/// without a default are errors; unless the version is older than 1.15, also where the sources cannot be read.
///
/// ```
/// use objchange::Value;
/// use objchange_hcl::{ModuleConfig, VariableConfig};
/// use objchange_module::config::{Config, LoadedModule};
/// use objchange_module::variables::{VariableArgument, VariableSources, given_variables};
/// use objchange_document::Version;
///
/// let mut config = Config { modules: vec![LoadedModule::default()], ..Config::default() };
/// let sources = VariableSources {
///     arguments: vec![VariableArgument::Value("nope=1".to_owned())],
///     ..VariableSources::default()
/// };
/// let (given, found) = given_variables(&mut config, &sources, Version::NEWEST);
/// assert!(given.is_empty());
/// assert_eq!(found.iter().next().unwrap().diagnostic.summary, "Value for undeclared variable");
/// ```
pub fn given_variables(
    config: &mut Config,
    sources: &VariableSources,
    version: Version,
) -> (BTreeMap<SmolStr, GivenVariable>, Diagnostics) {
    read_variables(config, sources, version, NeededVariables::All)
}

/// As [`given_variables`]; variables without a value are only errors if all of them are needed.
pub(crate) fn read_variables(
    config: &mut Config,
    sources: &VariableSources,
    version: Version,
    needed: NeededVariables,
) -> (BTreeMap<SmolStr, GivenVariable>, Diagnostics) {
    let reading = Reading::new(sources, &mut config.sources);
    let goes_on = Version::parse("1.15").is_some_and(|since| version >= since);
    // Since 1.15 Terraform also reports wrong values if an argument cannot be read.
    if reading.diagnostics.has_errors() && !goes_on {
        return (BTreeMap::new(), reading.diagnostics);
    }
    let root = config.modules.first().map(|root| Arc::clone(&root.config)).unwrap_or_default();
    let is_needed = needed != NeededVariables::Nothing;
    match needed {
        NeededVariables::Constants => {
            let constants = root.variables.iter().filter(|(_, variable)| variable.constant);
            let constants = constants.map(|(name, variable)| (name.clone(), variable.clone())).collect();
            reading.values(&constants, &mut config.sources, is_needed, version)
        }
        _ => reading.values(&root.variables, &mut config.sources, is_needed, version),
    }
}

/// The variables of the root module that must have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NeededVariables {
    /// All.
    All,
    /// The constant ones. Others are not read: runs of tests give them values.
    Constants,
    /// None.
    Nothing,
}

impl NeededVariables {
    /// The variables that a plan needs: none if it may be made without values.
    pub(crate) fn of_plan(accepts_missing: bool) -> Self {
        if accepts_missing { Self::Nothing } else { Self::All }
    }
}

/// A value as it was found.
#[derive(Debug, Clone)]
pub(crate) enum GivenValue {
    Environment(String),
    Argument(String),
    InFile { file: String, attribute: Box<Attribute> },
}

impl GivenValue {
    /// The value for an undeclared variable: its text as an expression.
    pub(crate) fn undeclared(
        &self,
        name: &SmolStr,
        sources: &mut Sources,
    ) -> Result<GivenVariable, Vec<Diagnostic>> {
        let (value, span) = match self {
            Self::InFile { attribute, .. } => (constant(&attribute.expr)?, Some(attribute.expr.span)),
            Self::Environment(text) | Self::Argument(text) => (parsed(name, text, sources)?, None),
        };
        Ok(GivenVariable { value, origin: String::new(), span })
    }
}

/// The values of all sources by name, and what is wrong with the sources themselves.
pub(crate) fn read_values(
    given: &VariableSources,
    sources: &mut Sources,
) -> (BTreeMap<SmolStr, GivenValue>, Diagnostics) {
    let Reading { found, diagnostics } = Reading::new(given, sources);
    (found, diagnostics)
}

/// The values read so far.
#[derive(Debug, Default)]
struct Reading {
    found: BTreeMap<SmolStr, GivenValue>,
    diagnostics: Diagnostics,
}

impl Reading {
    /// Reads all sources; later ones win.
    fn new(given: &VariableSources, sources: &mut Sources) -> Self {
        let mut reading = Self::default();
        for (name, text) in &given.environment {
            if let Some(name) = name.strip_prefix(ENVIRONMENT_PREFIX) {
                reading.found.insert(name.into(), GivenValue::Environment(text.clone()));
            }
        }
        for (name, text) in &given.automatic {
            reading.file(name, text, sources);
        }
        for argument in &given.arguments {
            match argument {
                VariableArgument::Value(text) => reading.argument(text),
                VariableArgument::File(name, Ok(text)) => reading.file(name, text, sources),
                VariableArgument::File(name, Err(error)) => reading.unread(name, error),
            }
        }
        reading
    }

    fn argument(&mut self, text: &str) {
        let Some((name, value)) = text.split_once('=') else {
            let detail = format!(
                "The given -var option {text:?} is not correctly specified. Must be a variable name and value separated by an \
                 equals sign, like -var=\"key=value\"."
            );
            return self.invalid_argument(detail);
        };
        // Terraform guesses that `-var "a = 1"` is meant as `a=1`.
        if name.ends_with(' ') {
            let meant = name.trim_end_matches(' ');
            let detail = format!(
                "Variable name {name:?} is invalid due to trailing space. Did you mean -var=\"{meant}={}\"?",
                value.trim_start_matches(' ')
            );
            return self.invalid_argument(detail);
        }
        self.found.insert(name.into(), GivenValue::Argument(value.to_owned()));
    }

    fn invalid_argument(&mut self, detail: String) {
        self.diagnostics.without_place(Severity::Error, "Invalid -var option", detail);
    }

    fn unread(&mut self, name: &str, error: &UnreadFile) {
        let detail = match error {
            UnreadFile::Missing => format!("Given variables file {name} does not exist."),
            UnreadFile::Other(why) => format!("Error while reading {name}: {why}."),
        };
        self.diagnostics.without_place(Severity::Error, "Failed to read variables file", detail);
    }

    /// Reads a file of values. One that cannot be read gives none.
    fn file(&mut self, name: &str, text: &str, sources: &mut Sources) {
        let start = match sources.add(name, text) {
            Ok(()) => sources.end() - text.len() as u32,
            Err(error) => return self.diagnostics.push(Severity::Error, *error),
        };
        let body = if name.ends_with(".json") {
            parse_body_json(text).and_then(|json| {
                let (body, found) = json.constants();
                if found.is_empty() { Ok(body) } else { Err(found) }
            })
        } else {
            parse_body(text)
        };
        let body = match body {
            Ok(body) => body.moved(start),
            Err(found) => {
                return self.diagnostics.errors(found.into_iter().map(|error| error.moved(start)));
            }
        };
        if let Some(error) = misplaced_block(name, &body) {
            return self.diagnostics.push(Severity::Error, error);
        }
        for attribute in body.attributes {
            let found = GivenValue::InFile { file: name.to_owned(), attribute: Box::new(attribute.clone()) };
            self.found.insert(attribute.name, found);
        }
    }

    /// Converts the values to the declared variables, and reports errors.
    fn values(
        mut self,
        declared: &BTreeMap<SmolStr, VariableConfig>,
        sources: &mut Sources,
        is_needed: bool,
        version: Version,
    ) -> (BTreeMap<SmolStr, GivenVariable>, Diagnostics) {
        let mut given = BTreeMap::new();
        let mut undeclared = Vec::new();
        for (name, found) in self.found {
            let Some(variable) = declared.get(&name) else {
                undeclared.push((name, found));
                continue;
            };
            match value(&name, &found, variable, sources) {
                Ok(value) => {
                    given.insert(name, value);
                }
                Err(found) => self.diagnostics.errors(found),
            }
        }
        warn_of_undeclared(undeclared, &mut self.diagnostics);
        // Since 1.16 a fault in a source of values is reported alone.
        let is_alone = self.diagnostics.has_errors() && since(version, "1.16");
        for (name, variable) in declared {
            if is_needed && !is_alone && variable.default.is_none() && !given.contains_key(name) {
                let detail = format!(
                    "The root module input variable {name:?} is not set, and has no default value. Use a -var or -var-file \
                     command line argument to provide a value for this variable."
                );
                self.diagnostics.error("No value for required variable", variable.header, detail);
            }
        }
        (given, self.diagnostics)
    }
}

/// The error about a block in a file of values.
fn misplaced_block(file: &str, body: &Body) -> Option<Diagnostic> {
    let declaration = body.blocks.iter().find(|block| block.kind == "variable" && !block.labels.is_empty());
    if let Some(block) = declaration {
        let name = block.labels.first().map(|label| label.text.as_str()).unwrap_or_default();
        let detail = format!(
            "A .tfvars file is used to assign values to variables that have already been declared in .tf files, not to declare \
             new variables. To declare variable {name:?}, place this block in one of your .tf files, such as \
             variables.tf.\n\nTo set a value for this variable in {file}, use the definition syntax instead:\n    {name} = \
             <value>"
        );
        // As Terraform: the type alone.
        return Some(Diagnostic::new("Variable declaration in .tfvars file", block.kind_span, detail));
    }
    let block = body.blocks.first()?;
    let summary = format!("Unexpected {:?} block", block.kind);
    Some(Diagnostic::new(("unexpected_block", summary), block.kind_span, "Blocks are not allowed here."))
}

/// The value of a declared variable.
pub(crate) fn value(
    name: &SmolStr,
    found: &GivenValue,
    variable: &VariableConfig,
    sources: &mut Sources,
) -> Result<GivenVariable, Vec<Diagnostic>> {
    let (value, origin, span) = match found {
        GivenValue::InFile { attribute, .. } => {
            (constant(&attribute.expr)?, String::new(), Some(attribute.expr.span))
        }
        GivenValue::Environment(text) => {
            let origin = format!("set using the {ENVIRONMENT_PREFIX}{name} environment variable");
            (written(name, text, variable, sources)?, origin, None)
        }
        GivenValue::Argument(text) => {
            (written(name, text, variable, sources)?, format!("set using -var=\"{name}=...\""), None)
        }
    };
    Ok(GivenVariable { value, origin, span })
}

/// Reads a text for a variable: as a string if the type is primitive, else as an expression.
fn written(
    name: &SmolStr,
    text: &str,
    variable: &VariableConfig,
    sources: &mut Sources,
) -> Result<Value, Vec<Diagnostic>> {
    let is_text = match &variable.ty {
        // Terraform takes the text literally for primitive types and without a type; `any` is parsed.
        Some(ty) => matches!(ty.ty(), Type::String | Type::Number | Type::Bool),
        None => true,
    };
    if is_text {
        return Ok(Value::from(text));
    }
    parsed(name, text, sources)
}

/// Parses a text as a constant expression.
fn parsed(name: &SmolStr, text: &str, sources: &mut Sources) -> Result<Value, Vec<Diagnostic>> {
    parse_expression(text).and_then(|expr| constant(&expr)).map_err(|found| {
        // Only a text with errors becomes a source, so that these can point into it.
        let start = match sources.add(value_source(name), text) {
            Ok(()) => sources.end() - text.len() as u32,
            Err(error) => return vec![*error],
        };
        found.into_iter().map(|error| error.moved(start)).collect()
    })
}

/// Says which values are of no declared variable: of the command line that is an error, of files the first two are named,
/// and of the environment it is nothing.
fn warn_of_undeclared(undeclared: Vec<(SmolStr, GivenValue)>, diagnostics: &mut Diagnostics) {
    const SUMMARY: &str = "Value for undeclared variable";
    // As many as Terraform names; it counts the rest.
    const NAMED: usize = 2;
    let mut in_files = 0;
    for (name, found) in undeclared {
        match found {
            // Environment variables may be meant for other configurations, so Terraform ignores undeclared ones.
            GivenValue::Environment(_) => {}
            GivenValue::Argument(_) => {
                let detail = format!(
                    "A variable named {name:?} was assigned on the command line, but the root module does not declare a \
                     variable of that name. To use this value, add a \"variable\" block to the configuration."
                );
                diagnostics.without_place(Severity::Error, SUMMARY, detail);
            }
            GivenValue::InFile { file, .. } => {
                in_files += 1;
                if in_files > NAMED {
                    continue;
                }
                let detail = format!(
                    "The root module does not declare a variable named {name:?} but a value was found in file {file:?}. If \
                     you meant to use this value, add a \"variable\" block to the configuration.\n\nTo silence these \
                     warnings, use TF_VAR_... environment variables to provide certain \"global\" settings to all \
                     configurations in your organization. To reduce the verbosity of these warnings, use the \
                     -compact-warnings option."
                );
                diagnostics.without_place(Severity::Warning, SUMMARY, detail);
            }
        }
    }
    if in_files > NAMED {
        let detail = format!(
            "In addition to the other similar warnings shown, {} other variable(s) defined without being declared.",
            in_files - NAMED
        );
        // Terraform names two, in the order of a Go map, and counts the rest.
        diagnostics.without_place(Severity::Warning, "Values for undeclared variables", detail);
    }
}
