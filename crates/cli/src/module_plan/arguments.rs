//! How a module is planned: the options of every command that takes a directory where it takes a plan.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, ValueEnum};
use objchange_document::{Program, Version};
use objchange_module::PlanArguments;
#[cfg(feature = "provider")]
use objchange_project::RealChoice;
use objchange_project::{GivenSchemas, PlanFileReader, PlanSettings, RequiredInputs, StateChoice};

use super::{is_module, version_of};
use crate::arguments::address_and_directory;
use crate::configuration::Settings;
use crate::exit::{CommandError, unusable};
use crate::hints;
use crate::input::{MAX_DOCUMENT, Size};
#[cfg(feature = "provider")]
use crate::launch;
use crate::options::{MaskArgs, MaxInput};
use crate::schemas::SchemaArgs;

/// The options of planning that mean the same for every command.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PlanningArgs {
    #[command(flatten)]
    variables: Settings,

    /// Values of data sources, imports and computed attributes: JSON, or mocks in `*.tfmock.hcl`. Can be repeated
    #[arg(long, value_name = "FILE")]
    answers: Vec<PathBuf>,

    /// Plan to destroy everything
    #[arg(long)]
    destroy: bool,

    /// Plan to update the state only
    #[arg(long)]
    refresh_only: bool,

    /// Refresh existing objects before planning
    #[arg(long, value_name = "BOOL", default_value = "true", action = ArgAction::Set)]
    refresh: bool,

    /// Refresh only objects that would change otherwise, as Terraform 1.17 does
    #[arg(long)]
    minimal_refresh: bool,

    /// Plan only this resource or module, and what it depends on. Can be repeated
    #[arg(long, value_name = "ADDRESS")]
    target: Vec<String>,

    /// Replace this resource instance. Can be repeated
    #[arg(long, value_name = "ADDRESS")]
    replace: Vec<String>,

    /// Plan to invoke this action, and nothing else
    #[arg(long, value_name = "ADDRESS")]
    invoke: Vec<String>,

    /// Also allow modules and functions such as `file` to read below this directory; of a plan file, look for the files there.
    /// Can be repeated
    #[arg(long, value_name = "DIR")]
    allow_path: Vec<PathBuf>,

    /// The directory in which a module lies that is not installed, or a package of modules:
    /// `acme/net/aws=../net`. Can be repeated
    #[arg(long, value_name = "ADDRESS=DIR", value_parser = address_and_directory)]
    module_source: Vec<(String, PathBuf)>,

    /// Inputs that must not be missing: without one of them nothing is planned. By default what depends on them is
    /// unknown. Separated by commas
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_enum)]
    require: Vec<Require>,

    /// Do not use the models of learned providers (see `objchange schemas learn`)
    #[arg(long)]
    no_model: bool,

    /// Maximum number of resource instances
    #[arg(long, value_name = "COUNT", default_value = "1000000")]
    max_instances: usize,
}

impl PlanningArgs {
    /// Whether only some resources are planned, some are replaced, or an action is invoked.
    pub(super) fn selects_resources(&self) -> bool {
        !self.target.is_empty() || !self.replace.is_empty() || !self.invoke.is_empty()
    }

    /// Whether an option gives the places of modules.
    pub(super) fn has_module_source(&self) -> bool {
        !self.module_source.is_empty()
    }

    /// The inputs that must not be missing.
    fn required(&self) -> RequiredInputs {
        let is_required = |wanted| self.require.iter().any(|one| *one == wanted || *one == Require::All);
        RequiredInputs {
            variables: is_required(Require::Variables),
            modules: is_required(Require::Modules),
            schemas: is_required(Require::Schemas),
            state: is_required(Require::State),
            files: is_required(Require::Files),
        }
    }
}

/// An input that must not be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Require {
    /// Values of variables
    Variables,
    /// Modules, installed by `terraform init` or named with --module-source
    Modules,
    /// Schemas of providers, of the locked versions
    Schemas,
    /// The state
    State,
    /// Files that functions read, where a plan file is planned again: named with --allow-path
    Files,
    /// All of them
    All,
}

/// The state that directories are planned from.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct StateArgs {
    /// The prior state of a module, e.g. the output of `terraform state pull`; `-` is standard input. By default it is
    /// the state file of the directory. A module with a remote backend needs this or --no-state
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Plan a module without a prior state: nothing exists yet
    #[arg(long, conflicts_with = "state")]
    no_state: bool,
}

impl StateArgs {
    /// Whether `--state` names a file.
    pub(crate) fn has_file(&self) -> bool {
        self.state.is_some()
    }

    /// The state that the options choose.
    pub(crate) fn choice(&self) -> StateChoice<'_> {
        state_choice(self.state.as_deref(), self.no_state)
    }
}

/// The state in the named file; else none, or the directory's.
pub(crate) fn state_choice(file: Option<&Path>, has_none: bool) -> StateChoice<'_> {
    match file {
        Some(path) => StateChoice::File(path),
        None if has_none => StateChoice::Nothing,
        None => StateChoice::OfDirectory,
    }
}

/// The options of planning, and the state that a module is planned from.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DirectoryArgs {
    #[command(flatten)]
    state: StateArgs,

    #[command(flatten)]
    planning: PlanningArgs,
}

impl DirectoryArgs {
    /// The state that is given.
    pub(crate) fn state(&self) -> StateChoice<'_> {
        self.state.choice()
    }

    /// The inputs for planning a directory.
    pub(crate) fn inputs<'a>(&'a self, schemas: &'a SchemaArgs) -> PlanInputs<'a> {
        PlanInputs { state: self.state.choice(), ..PlanInputs::new(&self.planning, schemas) }
    }
}

/// Options that act only on directories of modules, in a command that also takes documents. Without such a directory
/// they are refused: a gate that ignored `--destroy` would judge another plan than the requested one.
#[derive(Debug, Clone)]
pub(crate) struct ForModules<T> {
    options: T,
    /// Those that are on the command line.
    given: Vec<String>,
}

impl<T> ForModules<T> {
    /// The options, for a command that has a use of its own for one of them.
    ///
    /// # Errors
    ///
    /// Another one is given.
    pub(crate) fn used_for_option(&self, own: &str) -> Result<&T, CommandError> {
        match self.given.iter().find(|option| *option != own) {
            Some(option) => Err(unusable(format!("--{option} has no effect here"))),
            None => Ok(&self.options),
        }
    }

    /// The options, if they act on any of the arguments of the command, or none is given.
    ///
    /// # Errors
    ///
    /// An option is given, and no argument is the directory of a module.
    pub(crate) fn used_for(&self, arguments: &[PathBuf]) -> Result<&T, CommandError> {
        // Before this check, 65 of 66 combinations of a command and such an option were ignored for a plan file.
        match self.given.first() {
            Some(option) if !arguments.iter().any(|argument| is_module(argument)) => Err(unusable(format!(
                "--{option} only applies to directories of modules (with *.tf files), and no argument is one"
            ))),
            _ => Ok(&self.options),
        }
    }
}

impl<T: clap::Args> clap::Args for ForModules<T> {
    fn augment_args(command: Command) -> Command {
        T::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: clap::Args> FromArgMatches for ForModules<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // From the definition of the options, so that none is forgotten.
        let own = T::augment_args(Command::new("options"));
        let is_given =
            |option: &&Arg| matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine);
        let given = own.get_arguments().filter(is_given).filter_map(Arg::get_long).map(str::to_owned);
        Ok(Self { options: T::from_arg_matches(matches)?, given: given.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Options for planning directories, for commands without such options of their own.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options for directories of modules")]
pub(crate) struct ModuleArgs {
    #[command(flatten)]
    schemas: SchemaArgs,

    #[command(flatten)]
    mask: MaskArgs,

    #[command(flatten)]
    directory: ForModules<DirectoryArgs>,

    #[command(flatten)]
    max_input: MaxInput,
}

impl ModuleArgs {
    /// Loads the schemas that are given.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    #[cfg(feature = "sentinel")]
    pub(crate) fn load_schemas(&self) -> Result<GivenSchemas, CommandError> {
        self.schemas.load(self.max_input.size).map_err(|error| unusable(hints::schemas(&error)))
    }

    /// The schemas of providers.
    #[cfg(feature = "sentinel")]
    pub(crate) fn schemas(&self) -> &SchemaArgs {
        &self.schemas
    }

    /// The names whose values are hidden.
    #[cfg(any(feature = "policy", feature = "query"))]
    pub(crate) fn mask(&self) -> &MaskArgs {
        &self.mask
    }

    /// The inputs for planning those arguments that are directories of modules.
    ///
    /// # Errors
    ///
    /// An option is given that acts on none of the arguments.
    pub(crate) fn inputs(&self, arguments: &[PathBuf]) -> Result<PlanInputs<'_>, CommandError> {
        let directory = self.directory.used_for(arguments)?;
        // Verdicts must hold whatever the providers answer.
        let inputs = directory.inputs(&self.schemas);
        let max_input = self.max_input.size;
        Ok(PlanInputs { mask: &self.mask, is_strict: true, must_be_whole: true, max_input, ..inputs })
    }
}

/// The inputs for planning a directory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanInputs<'a> {
    pub(crate) planning: &'a PlanningArgs,
    pub(crate) schemas: &'a SchemaArgs,
    /// The names whose values are hidden.
    pub(crate) mask: &'a MaskArgs,
    /// Which providers are asked.
    #[cfg(feature = "provider")]
    pub(crate) real: RealChoice<'a>,
    /// The state that it starts from.
    pub(crate) state: StateChoice<'a>,
    /// Computed attributes of updated objects are unknown.
    pub(crate) is_strict: bool,
    /// A module is an error if something of it would be missing from its plan: files of OpenTofu.
    pub(crate) must_be_whole: bool,
    /// The plan is saved or printed as a document, and nothing decides by it yet.
    pub(crate) is_saved: bool,
    /// The providers of a plan file answer as they did when it was made.
    pub(crate) answers_as_saved: bool,
    /// The configuration alone is planned if the state is elsewhere.
    pub(crate) may_lack_state: bool,
    /// The version of Terraform whose rules apply.
    pub(crate) version: Version,
    /// The files are read as OpenTofu reads them.
    pub(crate) is_opentofu: bool,
    /// The user named the program.
    pub(crate) names_program: bool,
    /// The limit for the state and for each file of schemas.
    pub(crate) max_input: Size,
}

impl<'a> PlanInputs<'a> {
    /// Plans by the newest rules, from the state of the directory.
    pub(crate) fn new(planning: &'a PlanningArgs, schemas: &'a SchemaArgs) -> Self {
        Self {
            planning,
            schemas,
            mask: MaskArgs::none(),
            #[cfg(feature = "provider")]
            real: RealChoice::default(),
            state: StateChoice::OfDirectory,
            is_strict: false,
            must_be_whole: false,
            is_saved: false,
            answers_as_saved: false,
            may_lack_state: false,
            version: Version::NEWEST,
            is_opentofu: false,
            names_program: false,
            max_input: Size(MAX_DOCUMENT),
        }
    }

    /// A reader of plan files with the given schemas and the cached ones.
    pub(crate) fn plan_files(&self, given: &GivenSchemas) -> PlanFileReader {
        self.schemas.plan_files(given).masking(self.mask.names())
    }

    /// For a command that reads no state of the directory.
    pub(super) fn without_state_of_directory(self) -> Self {
        match self.state {
            StateChoice::OfDirectory => Self { state: StateChoice::Nothing, ..self },
            _ => self,
        }
    }

    /// By the rules of this program, if one is named: its version, and which files it reads.
    pub(crate) fn by(self, program: Option<Program>) -> Self {
        let is_opentofu = matches!(program, Some(Program::OpenTofu(_)));
        Self { version: version_of(program), is_opentofu, names_program: program.is_some(), ..self }
    }

    /// The settings as the library takes them.
    pub(super) fn settings(&self) -> PlanSettings<'a> {
        let planning = self.planning;
        PlanSettings {
            variables: planning.variables.as_slice(),
            answers: &planning.answers,
            arguments: PlanArguments {
                destroy: planning.destroy,
                refresh_only: planning.refresh_only,
                refresh: planning.refresh,
                minimal_refresh: planning.minimal_refresh,
                targets: planning.target.clone(),
                replace: planning.replace.clone(),
                invoke: planning.invoke.clone(),
            },
            max_instances: planning.max_instances,
            allow_path: &planning.allow_path,
            module_sources: &planning.module_source,
            state: self.state,
            is_strict: self.is_strict,
            must_be_whole: self.must_be_whole,
            is_saved: self.is_saved,
            require: planning.required(),
            answers_as_saved: self.answers_as_saved,
            may_lack_state: self.may_lack_state,
            version: self.version,
            is_opentofu: self.is_opentofu,
            names_program: self.names_program,
            max_input: self.max_input,
            schemas: &self.schemas.paths,
            #[cfg(feature = "provider")]
            programs: &self.schemas.programs,
            lookup: match planning.no_model {
                true => self.schemas.cache.lookup().without_models(),
                false => self.schemas.cache.lookup(),
            },
            #[cfg(feature = "provider")]
            real: self.real,
            shared: None,
            #[cfg(feature = "provider")]
            workplace: &launch::workplace,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, CommandFactory, Parser};

    use super::*;
    use crate::Cli;

    /// The other arguments that each command needs. `PLAN` is a plan, and `POLICIES` are policies.
    const LINES: [(&str, &[&str]); 9] = [
        ("browse", &["PLAN"]),
        ("diff", &["PLAN", "PLAN"]),
        ("hash", &["PLAN"]),
        ("policy", &["PLAN", "--rego", "POLICIES"]),
        ("query", &["PLAN", "true"]),
        ("review", &["PLAN"]),
        ("sentinel apply", &["POLICIES", "--plan", "PLAN"]),
        ("sentinel mock", &["PLAN"]),
        ("show", &["PLAN"]),
    ];

    /// The commands that have all options of planning, with their names.
    fn commands(command: &Command, name: &str, found: &mut Vec<(String, Command)>) {
        let has = |option: &str| command.get_arguments().any(|argument| argument.get_long() == Some(option));
        if options::<PlanningArgs>().iter().all(|(option, _)| has(option)) {
            found.push((name.to_owned(), command.clone()));
        }
        for inner in command.get_subcommands() {
            commands(inner, format!("{name} {}", inner.get_name()).trim(), found);
        }
    }

    /// The options, and a value for each that takes one.
    fn options<T: Args>() -> Vec<(String, Option<&'static str>)> {
        let option = |argument: &Arg| {
            let value = match argument.get_value_names().and_then(|names| names.first()).map(|name| &**name) {
                _ if !argument.get_action().takes_values() => None,
                Some("BOOL") => Some("false"),
                Some("COUNT") => Some("5"),
                Some("NAME=VALUE") => Some("a=b"),
                Some("WHAT") => Some("all"),
                Some("ADDRESS=DIR") => Some("a/b/c=d"),
                _ => Some("x"),
            };
            (argument.get_long().unwrap_or_default().to_owned(), value)
        };
        T::augment_args(Command::new("options")).get_arguments().map(option).collect()
    }

    #[test]
    fn options_of_planning_are_refused_where_nothing_is_planned() {
        let mut found = Vec::new();
        commands(&Cli::command(), "", &mut found);
        // These always plan.
        found.retain(|(name, _)| name != "plan" && name != "graph");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, LINES.map(|(name, _)| name), "add the command to the table");
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("PLAN"), r#"{"format_version":"1.2","resource_changes":[]}"#).unwrap();
        std::fs::create_dir(path("POLICIES")).unwrap();
        let mut count = 0;
        for (name, line) in LINES {
            for (option, value) in options::<DirectoryArgs>() {
                // It is also the state of `tfstate/v2`.
                if (name, option.as_str()) == ("sentinel apply", "state") {
                    continue;
                }
                let words = name.split(' ').map(str::to_owned);
                let line = line.iter().map(|word| match *word {
                    "PLAN" | "POLICIES" => path(word),
                    word => word.to_owned(),
                });
                let given = match value {
                    Some(value) => format!("--{option}={value}"),
                    None => format!("--{option}"),
                };
                let all = ["objchange".to_owned()].into_iter().chain(words).chain(line).chain([given]);
                let Cli { command, .. } = Cli::try_parse_from(all).unwrap();
                match crate::run(&command) {
                    Err(CommandError::Unusable(reason)) => {
                        let start = format!("--{option} only applies to directories of modules");
                        assert!(reason.starts_with(&start), "{name} --{option}: {reason}");
                    }
                    other => panic!("{name} --{option}: {other:?}"),
                }
                count += 1;
            }
        }
        // Eleven options, and nine commands.
        assert!(count >= 11 * 9 - 1, "{count}");
    }
}
