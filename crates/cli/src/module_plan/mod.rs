//! `objchange plan [DIR]`: plans a whole module.

mod arguments;
mod documents;
mod explain;
mod files;
pub(crate) mod graph;
mod inputs;
mod output;
#[cfg(feature = "provider")]
mod real;
#[cfg(not(feature = "provider"))]
#[path = "real_absent.rs"]
mod real;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use objchange_module::config::Config;
use objchange_module::plan::{ModulePlan, PlanInput, PlanOptions, plan};
use objchange_module::{
    AnsweringProviders, Module, ModuleTexts, ProviderAddress, Providers, Schemas, SimulatedProviders,
    Unanswered,
};
use objchange_plan::{Program, Version};

pub(crate) use self::arguments::{ModuleArgs, PlanInputs, PlanningArgs};
pub(crate) use self::documents::{is_module, planned_document};
use self::files::DiskFiles;
use self::real::RealProviders;
use crate::exit::{CommandError, FAILED, unusable};
use crate::input::Size;
use crate::lock_file;
use crate::schema_cache::Wanted;
use crate::schemas::{HOW_TO_GET_SCHEMAS, SchemaArgs};
use crate::show::{Gate, GroupArg, Places};

const AFTER_HELP: &str = "\
This form plans a module: the configuration in DIR with all modules that it calls, as `terraform plan` would. The other form \
plans one resource, and is chosen by --config or --type; see `objchange plan --config - --help`.

No provider is asked unless --real-providers or --real-provider says so: what only a provider knows is unknown. Nothing is \
fetched: modules come from DIR, from the repository around it, or from `.terraform/modules` as `terraform init` has left them.

Schemas of the providers come from --schemas, --provider-binary, or the cache that `objchange schemas add` fills. Of the \
cache the version counts that `.terraform.lock.hcl` of the directory names.

The state is `terraform.tfstate` of the directory, or --state FILE. Values of variables come from TF_VAR_… variables, \
`terraform.tfvars`, `*.auto.tfvars`, --var and --var-file.

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
  objchange plan --schemas schemas.json --json | objchange policy - --rego policies
  objchange plan --schemas schemas.json --explain 'aws_instance.web[0].ami'
  objchange plan --real-providers
  objchange plan --real-provider hashicorp/random --schemas schemas.json
One resource:
  objchange plan --schemas schemas.json --type aws_instance --prior prior.json --config config.json
  objchange plan --schemas schemas.json --prior terraform.tfstate --config 'main.tf:aws_instance.web'";

/// Predict the plan of a module, or the change of one resource
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The directory of the root module
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    #[command(flatten)]
    schemas: SchemaArgs,

    #[command(flatten)]
    real: real::RealArgs,

    /// Print the answers that the plan would need, to be filled in for `--answers`
    #[arg(long)]
    answers_template: bool,

    /// Say why this is unknown, created, replaced or deferred: an object, a part of it, a variable, a local value or an
    /// output
    #[arg(long, value_name = "ADDRESS[.PATH]", conflicts_with_all = ["answers_template", "out", "full", "summary"])]
    explain: Option<String>,

    /// The state before
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    #[command(flatten)]
    planning: PlanningArgs,

    /// Write the plan to this file, as `terraform show -json` does
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print the plan as `terraform show -json` does
    #[arg(long, conflicts_with_all = ["summary", "full"])]
    json: bool,

    /// Plan and print as this version does: `terraform`, or a version such as `terraform@1.11`
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
    gate: Gate,

    /// Maximum size of the state and of each file of schemas, e.g. `500M` or `4G`
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    max_input: Size,
}

impl Args {
    /// Whether exit codes are those of `--detailed-exitcode`.
    pub(crate) fn has_detailed_exitcode(&self) -> bool {
        self.gate.is_detailed()
    }

    fn inputs(&self) -> PlanInputs<'_> {
        PlanInputs {
            real: Some(&self.real),
            state: self.state.as_deref(),
            version: version_of(self.program),
            max_input: self.max_input,
            ..PlanInputs::new(&self.planning, &self.schemas)
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
    if let Some(address) = &args.explain {
        return explain::run(args, address);
    }
    match plan_directory(&args.directory, &args.inputs())? {
        None => Ok(ExitCode::from(FAILED)),
        Some(planned) if args.answers_template => output::template(&planned.unanswered),
        Some(planned) => output::plan(args, &planned),
    }
}

/// A module that was planned, and what from.
pub(crate) struct PlannedModule {
    pub(crate) plan: ModulePlan,
    pub(crate) config: Config,
    pub(crate) schemas: Schemas,
    pub(crate) options: PlanOptions,
    /// The providers that were asked.
    asked: BTreeSet<ProviderAddress>,
    /// What nobody could answer.
    unanswered: Unanswered,
}

/// Plans the module in a directory. `None` where it cannot be planned because of errors, which are printed.
pub(crate) fn plan_directory(
    directory: &Path,
    inputs: &PlanInputs<'_>,
) -> Result<Option<PlannedModule>, CommandError> {
    let planned = plan_directory_by(directory, inputs, |input, providers| (plan(input, providers), ()))?;
    Ok(planned.map(|(planned, ())| planned))
}

/// The same in this way, which may say more of the plan.
pub(crate) fn plan_directory_by<R: Default>(
    directory: &Path,
    inputs: &PlanInputs<'_>,
    plan: impl FnOnce(&PlanInput<'_>, &mut dyn Providers) -> (ModulePlan, R),
) -> Result<Option<(PlannedModule, R)>, CommandError> {
    let planning = inputs.planning;
    let files = DiskFiles::new(directory, &planning.allow_path)
        .map_err(|error| unusable(format!("{}: {error}", directory.display())))?;
    let workspace = inputs::workspace(&files);
    let (options, wrong) = inputs.options(&files, &workspace);
    if wrong.has_errors() {
        output::diagnostics(&Config::default(), &Schemas::default(), &wrong)?;
        return Ok(None);
    }
    let version = format!("{}.0", options.version);
    let variables = inputs::variables(&files, &planning.variables)?;
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: &version };
    let mut module = Module::load(texts, &options);
    if module.diagnostics.has_errors() {
        // Schemas say what in the lines that are shown is secret.
        output::diagnostics(&module.config, &schemas(inputs, None)?, &module.diagnostics)?;
        return Ok(None);
    }
    let state = inputs::state_text(directory, inputs.state, &workspace, inputs.max_input)?;
    let mut real = start_providers(directory, inputs, &module, state.as_ref(), &version)?;
    let asked = real.as_ref().map(RealProviders::addresses).unwrap_or_default();
    let mut schemas = schemas(inputs, real.as_ref())?;
    let missing = module.without_schemas(&schemas);
    if !missing.is_empty() {
        let locked = lock_file::versions_of(directory);
        let cache = &inputs.schemas.cache;
        schemas.push(cache.choose(missing.into_iter().map(Wanted::Provider), &locked).schemas);
        let missing = module.without_schemas(&schemas);
        if !missing.is_empty() {
            let names = cache.describe_missing(&missing, &locked);
            return Err(unusable(format!("there are no schemas of {names}: {HOW_TO_GET_SCHEMAS}")));
        }
    }
    let functions = inputs::functions(&files)?;
    let answers = inputs::answers(&planning.answers, &schemas)?;
    let mut simulated = AnsweringProviders::new(&answers, SimulatedProviders { files: Some(&files) });
    #[cfg(feature = "provider")]
    let mut joined;
    let providers: &mut dyn Providers = match &mut real {
        #[cfg(feature = "provider")]
        Some(real) => {
            joined = real::JoinedProviders { real, others: &mut simulated };
            &mut joined
        }
        _ => &mut simulated,
    };
    let (state, found) = inputs::state(state.as_ref(), &schemas, providers)?;
    module.diagnostics.append(found);
    let (plan, more) = module.plan_by(&state, &schemas, &functions, &options, |input| plan(input, providers));
    #[cfg(feature = "provider")]
    if let Some(real) = real.take() {
        if real.was_interrupted() {
            return Err(CommandError::Interrupted);
        }
        real.end();
    }
    let unanswered = simulated.unanswered;
    Ok(Some((PlannedModule { plan, config: module.config, schemas, options, asked, unanswered }, more)))
}

/// Starts the providers that are to be asked.
#[cfg(feature = "provider")]
fn start_providers(
    directory: &Path,
    inputs: &PlanInputs<'_>,
    module: &Module,
    state: Option<&inputs::StateText>,
    version: &str,
) -> Result<Option<RealProviders>, CommandError> {
    let Some(real) = inputs.real else { return Ok(None) };
    let mut known: BTreeSet<ProviderAddress> = module.config.providers().into_iter().collect();
    known.extend(state.map(inputs::StateText::providers).unwrap_or_default());
    let surroundings = real::Surroundings { directory, version };
    RealProviders::start(real, &known, inputs.schemas.binaries(), &surroundings)
}

#[cfg(not(feature = "provider"))]
#[expect(clippy::unnecessary_wraps, reason = "there are providers in a full build")]
fn start_providers(
    _directory: &Path,
    _inputs: &PlanInputs<'_>,
    _module: &Module,
    _state: Option<&inputs::StateText>,
    _version: &str,
) -> Result<Option<RealProviders>, CommandError> {
    Ok(None)
}

/// The schemas of all providers; those that are asked know them themselves.
fn schemas(inputs: &PlanInputs<'_>, real: Option<&RealProviders>) -> Result<Schemas, CommandError> {
    let asked = real.map(RealProviders::addresses).unwrap_or_default();
    let asked: Vec<String> = asked.iter().map(ToString::to_string).collect();
    let own = real.map(RealProviders::schemas).transpose()?;
    inputs::schemas(own, inputs.schemas.documents(&asked, inputs.max_input))
}
