//! What is given for the variables of a configuration, by arguments and files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};
use objchange::Value;
use objchange_hcl::{
    BaseDirectory, Diagnostic, Functions, Input, ModuleConfig, Scope, Variables, evaluate, parse_body,
    parse_body_json,
};

use objchange_text::did_you_mean;

use super::{Configuration, ConfigurationError, report};
use crate::arguments::Assignment;
use crate::exit;
use crate::input::Source;

/// What is given for the variables of a configuration.
#[derive(Debug, clap::Args)]
pub(crate) struct Given {
    #[command(flatten)]
    settings: Settings,

    /// The directory that functions such as `file` may read; without it they fail
    #[arg(long, value_name = "DIR")]
    base_dir: Option<PathBuf>,
}

/// `--var` and `--var-file`, in the order in which they are given, which is the order in which they count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings(Vec<Setting>);

/// One of them.
#[derive(Debug, Clone)]
pub(crate) enum Setting {
    Text(String, String),
    File(PathBuf),
}

impl Settings {
    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.0.iter()
    }
}

impl clap::Args for Settings {
    fn augment_args(command: Command) -> Command {
        let var = Arg::new("var")
            .long("var")
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .value_parser(Assignment)
            .help(
                "The value of a variable; where no `variable` block says another type, a string. Can be repeated, also \
                 with --var-file: what comes later counts",
            );
        let file = Arg::new("var_file")
            .long("var-file")
            .visible_alias("vars")
            .value_name("FILE")
            .action(ArgAction::Append)
            .value_parser(value_parser!(PathBuf))
            .help(
                "Values of variables, as in `terraform.tfvars`, or as JSON where the name ends with `.json`; can be \
                 repeated",
            );
        command.arg(var).arg(file)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found: Vec<(usize, Setting)> = Vec::new();
        let at = |name| matches.indices_of(name).into_iter().flatten();
        let texts = matches.get_many::<(String, String)>("var").into_iter().flatten().cloned();
        found.extend(std::iter::zip(at("var"), texts.map(|(name, text)| Setting::Text(name, text))));
        let files = matches.get_many::<PathBuf>("var_file").into_iter().flatten().cloned();
        found.extend(std::iter::zip(at("var_file"), files.map(Setting::File)));
        found.sort_by_key(|(index, _)| *index);
        Ok(Self(found.into_iter().map(|(_, setting)| setting).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Given {
    /// Nothing is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.settings.0.is_empty() && self.base_dir.is_none()
    }

    /// The inputs that come from files.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Source> {
        self.settings.0.iter().filter_map(|setting| match setting {
            Setting::File(path) => Some(Source::new(path)),
            Setting::Text(..) => None,
        })
    }

    /// What is given by name: beside the configuration, then by arguments; what comes later counts.
    ///
    /// Terraform refuses a `--var` that no `variable` block declares, and warns of one in a file that was named. Without
    /// a configuration any name will do.
    pub(crate) fn inputs(
        &self,
        configuration: &Configuration,
        module: &ModuleConfig,
    ) -> Result<BTreeMap<String, Input>, ConfigurationError> {
        let is_declared =
            |name: &str| configuration.sources.is_empty() || module.variables.contains_key(name);
        let hint = |name: &str| did_you_mean(name, module.variables.keys().map(|name| &**name));
        let beside = configuration.values.iter().cloned().map(Setting::File);
        let mut inputs = BTreeMap::new();
        for setting in beside.chain(self.settings.0.iter().cloned()) {
            match setting {
                Setting::Text(name, _) if !is_declared(&name) => {
                    return Err(ConfigurationError::Undeclared { hint: hint(&name), name });
                }
                Setting::Text(name, text) => {
                    inputs.insert(name, Input::Text(text));
                }
                Setting::File(path) => {
                    let source = Source::new(&path);
                    let values = values(&source)?;
                    for (name, _) in values.iter().filter(|(name, _)| !is_declared(name)) {
                        let hint = hint(name);
                        exit::warn(&format!(
                            "{source}: the configuration declares no variable {name:?}{hint}"
                        ));
                    }
                    inputs.extend(values.into_iter().map(|(name, value)| (name, Input::Value(value))));
                }
            }
        }
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

/// The values of a file like `terraform.tfvars`. Its lines are not shown where something is wrong: what is secret in it is
/// not known yet.
fn values(input: &Source) -> Result<Vec<(String, Value)>, ConfigurationError> {
    let text = input.read()?;
    let wrong = |message| ConfigurationError::Variables { input: input.clone(), message };
    let problems = |found: Vec<Diagnostic>| wrong(report::first_place(&text, &found));
    let body = if input.to_string().ends_with(".json") {
        let (body, found) = parse_body_json(&text).map_err(problems)?.constants();
        if found.is_empty() { Ok(body) } else { Err(found) }
    } else {
        parse_body(&text)
    };
    let body = body.map_err(problems)?;
    if !body.blocks.is_empty() {
        return Err(wrong("a file that gives values to variables has no blocks".to_owned()));
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
