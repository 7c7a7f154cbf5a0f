//! How a module is planned: the options of every command that takes a directory where it takes a plan.

use std::path::{Path, PathBuf};

use clap::ArgAction;
use objchange_module::plan::PlanOptions;
use objchange_module::{Diagnostics, PlanArguments};
use objchange_plan::Version;

use super::files::DiskFiles;
use super::real::RealArgs;
use crate::configuration::Settings;
use crate::input::Size;
use crate::schemas::SchemaArgs;

/// The options of planning that mean the same for every command.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PlanningArgs {
    #[command(flatten)]
    pub(super) variables: Settings,

    /// Values of data sources, imports and computed attributes: JSON, or mocks in `*.tfmock.hcl`. Can be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) answers: Vec<PathBuf>,

    /// Plan to destroy everything
    #[arg(long)]
    destroy: bool,

    /// Plan to update the state only
    #[arg(long)]
    refresh_only: bool,

    /// Read existing objects before they are planned
    #[arg(long, value_name = "BOOL", default_value = "true", action = ArgAction::Set)]
    refresh: bool,

    /// Plan only this resource or module, and what it depends on. Can be repeated
    #[arg(long, value_name = "ADDRESS")]
    target: Vec<String>,

    /// Replace this resource instance. Can be repeated
    #[arg(long, value_name = "ADDRESS")]
    replace: Vec<String>,

    /// Also read modules and files of functions below this directory. Can be repeated
    #[arg(long, value_name = "DIR")]
    pub(super) allow_path: Vec<PathBuf>,

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

    /// The state before
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    #[command(flatten)]
    planning: PlanningArgs,
}

impl ModuleArgs {
    /// What a directory is planned from.
    pub(crate) fn inputs(&self) -> PlanInputs<'_> {
        PlanInputs { state: self.state.as_deref(), ..PlanInputs::new(&self.planning, &self.schemas) }
    }
}

/// What a directory is planned from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanInputs<'a> {
    pub(crate) planning: &'a PlanningArgs,
    pub(crate) schemas: &'a SchemaArgs,
    /// Which providers are asked: none, if this is absent.
    pub(crate) real: Option<&'a RealArgs>,
    /// The state file, if it is not that of the directory.
    pub(crate) state: Option<&'a Path>,
    /// By the rules of which version.
    pub(crate) version: Version,
    /// Of the state and of each file of schemas.
    pub(crate) max_input: Size,
}

impl<'a> PlanInputs<'a> {
    /// Plans by the newest rules, from the state of the directory.
    pub(crate) fn new(planning: &'a PlanningArgs, schemas: &'a SchemaArgs) -> Self {
        Self {
            planning,
            schemas,
            real: None,
            state: None,
            version: Version::NEWEST,
            max_input: Size(1 << 30),
        }
    }

    /// The options of the plan, and what is wrong with the arguments.
    pub(super) fn options(&self, files: &DiskFiles, workspace: &str) -> (PlanOptions, Diagnostics) {
        let planning = self.planning;
        let arguments = PlanArguments {
            destroy: planning.destroy,
            refresh_only: planning.refresh_only,
            refresh: planning.refresh,
            targets: planning.target.clone(),
            replace: planning.replace.clone(),
        };
        arguments.apply(PlanOptions {
            workspace: workspace.to_owned(),
            working_directory: files.working_directory(),
            version: self.version,
            max_instances: planning.max_instances,
            ..PlanOptions::default()
        })
    }
}
