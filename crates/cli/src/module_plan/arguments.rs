//! How a module is planned: the options of every command that takes a directory where it takes a plan.

use std::path::{Path, PathBuf};

use clap::ArgAction;
use objchange_module::PlanArguments;
use objchange_plan::{Program, Version};
use objchange_project::PlanSettings;
#[cfg(feature = "provider")]
use objchange_project::RealChoice;

use super::version_of;
use crate::configuration::Settings;
use crate::exit;
use crate::input::Size;
#[cfg(feature = "provider")]
use crate::provider::launch;
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

    /// Plan only this resource or module, and what it depends on. Can be repeated
    #[arg(long, value_name = "ADDRESS")]
    target: Vec<String>,

    /// Replace this resource instance. Can be repeated
    #[arg(long, value_name = "ADDRESS")]
    replace: Vec<String>,

    /// Also allow modules and functions such as `file` to read below this directory. Can be repeated
    #[arg(long, value_name = "DIR")]
    allow_path: Vec<PathBuf>,

    /// Maximum number of resource instances
    #[arg(long, value_name = "COUNT", default_value = "1000000")]
    max_instances: usize,
}

/// What directories are planned with: the options of a command that has none like them.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options for directories of modules")]
pub(crate) struct ModuleArgs {
    #[command(flatten)]
    schemas: SchemaArgs,

    /// The prior state
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    #[command(flatten)]
    planning: PlanningArgs,
}

impl ModuleArgs {
    /// What a directory is planned from.
    pub(crate) fn inputs(&self) -> PlanInputs<'_> {
        // Verdicts must hold whatever the providers answer.
        PlanInputs {
            state: self.state.as_deref(),
            is_strict: true,
            ..PlanInputs::new(&self.planning, &self.schemas)
        }
    }
}

/// What a directory is planned from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanInputs<'a> {
    pub(crate) planning: &'a PlanningArgs,
    pub(crate) schemas: &'a SchemaArgs,
    /// Which providers are asked.
    #[cfg(feature = "provider")]
    pub(crate) real: RealChoice<'a>,
    /// The state file, if it is not that of the directory.
    pub(crate) state: Option<&'a Path>,
    /// Computed attributes of updated objects are unknown.
    pub(crate) is_strict: bool,
    /// By the rules of which version.
    pub(crate) version: Version,
    /// The files are read as OpenTofu reads them.
    pub(crate) is_opentofu: bool,
    /// Of the state and of each file of schemas.
    pub(crate) max_input: Size,
}

impl<'a> PlanInputs<'a> {
    /// Plans by the newest rules, from the state of the directory.
    pub(crate) fn new(planning: &'a PlanningArgs, schemas: &'a SchemaArgs) -> Self {
        Self {
            planning,
            schemas,
            #[cfg(feature = "provider")]
            real: RealChoice::default(),
            state: None,
            is_strict: false,
            version: Version::NEWEST,
            is_opentofu: false,
            max_input: Size(1 << 30),
        }
    }

    /// By the rules of this program, if one is named: its version, and which files it reads.
    pub(crate) fn by(self, program: Option<Program>) -> Self {
        let is_opentofu = matches!(program, Some(Program::OpenTofu));
        Self { version: version_of(program), is_opentofu, ..self }
    }

    /// The same for the library.
    pub(super) fn settings(&self) -> PlanSettings<'a> {
        let planning = self.planning;
        PlanSettings {
            variables: planning.variables.as_slice(),
            answers: &planning.answers,
            arguments: PlanArguments {
                destroy: planning.destroy,
                refresh_only: planning.refresh_only,
                refresh: planning.refresh,
                targets: planning.target.clone(),
                replace: planning.replace.clone(),
            },
            max_instances: planning.max_instances,
            allow_path: &planning.allow_path,
            state: self.state,
            is_strict: self.is_strict,
            version: self.version,
            is_opentofu: self.is_opentofu,
            max_input: self.max_input,
            schemas: &self.schemas.paths,
            #[cfg(feature = "provider")]
            programs: &self.schemas.programs,
            lookup: self.schemas.cache.lookup(),
            #[cfg(feature = "provider")]
            real: self.real,
            #[cfg(feature = "provider")]
            workplace: &launch::workplace,
            remarks: &exit::remark,
        }
    }
}
