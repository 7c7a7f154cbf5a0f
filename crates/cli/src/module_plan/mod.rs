//! `objchange plan [DIR]`: plans a whole module.

mod arguments;
mod documents;
mod explain;
pub(crate) mod graph;
mod many;
mod missing;
mod output;
#[cfg(feature = "provider")]
mod real;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) use self::explain::explain;
use objchange_document::{Missing, Program, Version};
use objchange_module::Providers;
use objchange_module::plan::{ModulePlan, PlanInput};
use objchange_plan::report::Selection;
pub(crate) use objchange_project::is_module;
use objchange_project::{PlanError, PlannedDirectory, RefusedPlan, is_glob};

pub(crate) use self::arguments::{
    DirectoryArgs, ForModules, ModuleArgs, PlanInputs, PlanningArgs, StateArgs, state_choice,
};
pub(crate) use self::documents::{judged, planned_file, read_plan_file, warn_of_trust};
use crate::exit::{self, CommandError, FAILED};
use crate::hints;
use crate::options::{MaskArgs, MaxInput};
use crate::schemas::SchemaArgs;
use crate::show::{GateArgs, GroupArg, Places};

const AFTER_HELP: &str = "\
This form plans a module: the configuration in DIR with all modules that it calls, as `terraform plan` would. The other form \
plans one resource, and is chosen by --config or --type; see `objchange plan --config - --help`.

No provider is started without --real-providers or --real-provider: values that only a provider knows are unknown. \
Nothing is downloaded: modules come from DIR, from the repository around it, or from `.terraform/modules`, where \
`terraform init` installs them, or from --module-source.

Values of variables, modules and schemas may be missing: what depends on them is unknown, and gates refuse the plan. \
--missing lists them, and --require makes them errors.

Schemas of the providers come from --schemas, from --provider-binary, or from the cache that `objchange schemas add` \
fills. From the cache, the versions in `.terraform.lock.hcl` of the directory are used.

The state is that of the selected workspace, in `terraform.tfstate` or where `backend \"local\"` says, or --state FILE. A \
state in another backend is not fetched: `terraform state pull | objchange plan --state -` plans from it, and --no-state \
says that nothing exists yet. Without either, the configuration alone is shown. Values of variables come from TF_VAR_… variables, \
`terraform.tfvars`, `*.auto.tfvars`, --var and --var-file.

With several directories, or with --all, one line is printed for each: what its plan does, or why there is none. With --json \
these are JSON Lines (schema/plan-line.schema.json). The exit code is that of the worst.

Exit codes:
  0  the module is planned
  1  the plan has errors, or --fail-on refuses it
  2  the input cannot be used, or the output cannot be written
With --detailed-exitcode:
  0  nothing changes
  1  the plan has errors, --fail-on refuses it, or the input cannot be used
  2  something changes

Examples:
  objchange schemas add . && objchange plan
  terraform providers schema -json > schemas.json
  objchange plan --schemas schemas.json
  objchange plan environments/prod --schemas schemas.json --var-file prod.tfvars --out plan.json
  objchange plan --schemas schemas.json --fail-on delete,replace --only 'module.db'
  objchange plan --strict --schemas schemas.json --json | objchange policy - --rego policies
  objchange plan --schemas schemas.json --explain 'aws_instance.web[0].ami'
  objchange plan --all environments --fail-on delete,replace
  objchange plan --real-providers
  objchange plan --real-provider hashicorp/random --schemas schemas.json
One resource:
  objchange plan --schemas schemas.json --type aws_instance --prior prior.json --config config.json
  objchange plan --schemas schemas.json --prior terraform.tfstate --config 'main.tf:aws_instance.web'";

/// Predict the plan of a module, or the change of one resource
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The directory of the root module, or a plan file of `terraform plan -out` to plan once more. For several directories, or a
    /// glob such as 'envs/*', one line each is printed
    #[arg(value_name = "DIR", default_value = ".")]
    directories: Vec<PathBuf>,

    /// Plan every root module in the directories and below: those that no other module calls, or that have a backend, a
    /// state, a lock file or values of variables of their own
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    schemas: SchemaArgs,

    #[command(flatten)]
    mask: MaskArgs,

    #[cfg(feature = "provider")]
    #[command(flatten)]
    real: real::RealArgs,

    /// Print a template for `--answers`, with everything that the plan needs
    #[arg(long, conflicts_with_all = ["GateArgs", "Places", "ignore", "mask", "explain", "out", "json", "full", "summary"])]
    answers_template: bool,

    /// Print only what the plan is made without, the most useful first: how many resources each input would make known.
    /// With --json as JSON (schema/plan-missing.schema.json)
    #[arg(long, conflicts_with_all = ["GateArgs", "Places", "ignore", "mask", "answers_template", "explain", "out", "full", "summary"])]
    missing: bool,

    /// Explain why an object, a part of it, a variable, a local value or an output is unknown, created,
    /// replaced or deferred
    #[arg(long, value_name = "ADDRESS[.PATH]", conflicts_with_all = ["GateArgs", "Places", "ignore", "mask", "out", "full", "summary"])]
    explain: Option<String>,

    #[command(flatten)]
    state: StateArgs,

    #[command(flatten)]
    planning: PlanningArgs,

    /// Treat computed attributes of updated objects as unknown, because their provider may change them or replace
    /// the object. By default they keep their values, except with `--fail-on`
    #[arg(long)]
    strict: bool,

    /// Write the plan to this file, in the format of `terraform show -json`, including sensitive values
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print the plan in the format of `terraform show -json`, including sensitive values
    #[arg(long, conflicts_with_all = ["summary", "full"])]
    json: bool,

    /// Plan and print as this version does: `terraform`, a version such as `terraform@1.11`, or `opentofu`, which
    /// also reads files such as `main.tofu`
    #[arg(long = "as", value_name = "PROGRAM")]
    program: Option<Program>,

    /// Show unchanged attributes, elements and blocks too
    #[arg(long)]
    full: bool,

    /// Print only addresses in groups, reasons and totals
    #[arg(long, conflicts_with = "full")]
    summary: bool,

    /// How the summary groups resources; in each group, destroyed ones come first
    #[arg(long, value_name = "HOW", requires = "summary")]
    group_by: Option<GroupArg>,

    #[command(flatten)]
    places: Places,

    #[command(flatten)]
    gate: GateArgs,

    #[command(flatten)]
    max_input: MaxInput,
}

impl Args {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        &self.mask
    }

    /// Whether exit codes are those of `--detailed-exitcode`.
    pub(crate) fn has_detailed_exitcode(&self) -> bool {
        self.gate.is_detailed()
    }

    /// Whether a line is printed for each of several directories.
    fn has_many(&self) -> bool {
        self.all || self.directories.len() > 1 || is_glob(self.directory())
    }

    /// The only directory; `run` handles several.
    fn directory(&self) -> &Path {
        self.directories.first().map_or(Path::new("."), PathBuf::as_path)
    }

    fn inputs(&self) -> PlanInputs<'_> {
        // With several directories --json prints lines about plans, and not the plans.
        let is_answer = self.missing || self.explain.is_some() || self.has_many();
        let is_saved = self.out.is_some() || self.json && !is_answer;
        let must_be_whole = self.gate.can_refuse() || is_saved;
        PlanInputs {
            #[cfg(feature = "provider")]
            real: self.real.choice(),
            state: self.state.choice(),
            // A gate that relied on stored values of updated objects was green where the provider replaces the object:
            // Terraform replaces a `random_string` that loses its `special = false`.
            is_strict: self.strict || self.gate.can_refuse(),
            must_be_whole,
            is_saved,
            // Exit codes need to know which objects exist, too.
            may_lack_state: !(must_be_whole || self.gate.is_asked() || self.answers_template),
            max_input: self.max_input.size,
            ..PlanInputs::new(&self.planning, &self.schemas).by(self.program)
        }
    }
}

/// The version of the rules that a program plans by.
pub(crate) fn version_of(program: Option<Program>) -> Version {
    match program {
        Some(Program::Terraform(version)) => version,
        _ => Version::NEWEST,
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    if args.has_many() {
        return many::run(args);
    }
    if let Some(address) = &args.explain {
        return explain::run(args, address);
    }
    if args.missing {
        return missing::run(args);
    }
    if args.json && !args.gate.is_asked() && args.places.selection() != Selection::default() {
        return Err("--json prints the whole plan; options that select resources need --fail-on or \
                    --detailed-exitcode with it"
            .into());
    }
    if args.out.as_deref().is_some_and(|path| path.as_os_str() == "-") {
        return Err("--out writes a file; --json prints the document on standard output".into());
    }
    match plan_directory(args.directory(), &args.inputs())? {
        None => Ok(ExitCode::from(FAILED)),
        Some(planned) if args.answers_template => output::template(&planned.unanswered),
        Some(planned) => output::plan(args, &planned),
    }
}

/// Plans the module in a directory; `None` after errors, which are printed.
pub(crate) fn plan_directory(
    directory: &Path,
    inputs: &PlanInputs<'_>,
) -> Result<Option<PlannedDirectory>, CommandError> {
    print_errors(exit::noted(objchange_project::plan_directory(directory, &inputs.settings())))
}

/// Plans with `plan`, and passes its second result through.
pub(crate) fn plan_directory_with<R: Default>(
    directory: &Path,
    inputs: &PlanInputs<'_>,
    plan: impl FnOnce(&PlanInput<'_>, &mut dyn Providers) -> (ModulePlan, R),
) -> Result<Option<(PlannedDirectory, R)>, CommandError> {
    print_errors(exit::noted(objchange_project::plan_directory_with(directory, &inputs.settings(), plan)))
}

/// Prints the errors of a module that cannot be planned: it is `None` then.
fn print_errors<T>(planned: Result<T, PlanError>) -> Result<Option<T>, CommandError> {
    match planned {
        Ok(planned) => Ok(Some(planned)),
        Err(PlanError::Refused(refused)) => {
            let RefusedPlan { config, schemas, diagnostics, .. } = *refused;
            output::diagnostics(&config, &schemas, &diagnostics)?;
            let missing: Vec<Missing> = config.missing_inputs().collect();
            hints::missing_modules(&missing).iter().for_each(|note| exit::note(note));
            Ok(None)
        }
        Err(PlanError::Interrupted) => Err(CommandError::Interrupted),
        Err(error) => Err(hints::plan(&error)),
    }
}
