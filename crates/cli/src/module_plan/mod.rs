//! `objchange plan [DIR]`: plans a whole module.

mod files;
mod inputs;
mod output;
#[cfg(feature = "provider")]
mod real;
#[cfg(not(feature = "provider"))]
#[path = "real_absent.rs"]
mod real;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ArgAction;
use objchange_module::config::Config;
use objchange_module::plan::PlanOptions;
use objchange_module::{
    AnsweringProviders, Diagnostics, Module, ModuleTexts, PlanArguments, ProviderAddress, Providers, Schemas,
    SimulatedProviders,
};
use objchange_plan::{Program, Version};

use self::files::DiskFiles;
use self::real::RealProviders;
use crate::configuration::Settings;
use crate::exit::{CommandError, FAILED, unusable};
use crate::input::Size;
use crate::schema_cache::{SchemaCacheArgs, Wanted, read_lock};
use crate::schemas::{HOW_TO_GET_SCHEMAS, SchemaBinaries};
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
  objchange plan --schemas schemas.json --json | objchange policy - --policy policies
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

    /// Schemas of the providers: the output of `terraform providers schema -json`, or a directory of such files. Can be
    /// repeated. By default they come from the cache (see `objchange schemas`)
    #[arg(long = "schemas", visible_alias = "schema", value_name = "FILE|DIR")]
    schemas: Vec<PathBuf>,

    #[command(flatten)]
    binaries: SchemaBinaries,

    #[command(flatten)]
    real: real::RealArgs,

    #[command(flatten)]
    cache: SchemaCacheArgs,

    /// Values of data sources, imports and computed attributes: JSON, or mocks in `*.tfmock.hcl`. Can be repeated
    #[arg(long, value_name = "FILE")]
    answers: Vec<PathBuf>,

    /// Print the answers that the plan would need, to be filled in for `--answers`
    #[arg(long)]
    answers_template: bool,

    /// The state before
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    #[command(flatten)]
    variables: Settings,

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

    /// Also read modules and files of functions below this directory. Can be repeated
    #[arg(long, value_name = "DIR")]
    allow_path: Vec<PathBuf>,

    /// Maximum size of the state and of each file of schemas, e.g. `500M` or `4G`
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    max_input: Size,

    /// Maximum number of resource instances
    #[arg(long, value_name = "COUNT", default_value = "1000000")]
    max_instances: usize,
}

impl Args {
    /// Whether exit codes are those of `--detailed-exitcode`.
    pub(crate) fn has_detailed_exitcode(&self) -> bool {
        self.gate.is_detailed()
    }

    fn version(&self) -> Version {
        match self.program {
            Some(Program::Terraform(version)) => version,
            _ => Version::NEWEST,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let files = DiskFiles::new(&args.directory, &args.allow_path)
        .map_err(|error| unusable(format!("{}: {error}", args.directory.display())))?;
    let workspace = inputs::workspace(&files);
    let (options, wrong) = args.options(&files, &workspace);
    if wrong.has_errors() {
        output::diagnostics(&Config::default(), &Schemas::default(), &wrong)?;
        return Ok(ExitCode::from(FAILED));
    }
    let version = format!("{}.0", options.version);
    let variables = inputs::variables(&files, &args.variables)?;
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: &version };
    let mut module = Module::load(texts, &options);
    if module.diagnostics.has_errors() {
        // Schemas say what in the lines that are shown is secret.
        output::diagnostics(&module.config, &args.schemas(None)?, &module.diagnostics)?;
        return Ok(ExitCode::from(FAILED));
    }
    let state = inputs::state_text(&args.directory, args.state.as_deref(), &workspace, args.max_input)?;
    let mut real = args.start_providers(&module, state.as_ref(), &version)?;
    let asked = real.as_ref().map(RealProviders::addresses).unwrap_or_default();
    let mut schemas = args.schemas(real.as_ref())?;
    let missing = module.without_schemas(&schemas);
    if !missing.is_empty() {
        let locked = read_lock(&args.directory);
        schemas.push(args.cache.choose(missing.into_iter().map(Wanted::Provider), &locked).schemas);
        let missing = module.without_schemas(&schemas);
        if !missing.is_empty() {
            let names = args.cache.describe_missing(&missing, &locked);
            return Err(unusable(format!("there are no schemas of {names}: {HOW_TO_GET_SCHEMAS}")));
        }
    }
    let functions = inputs::functions(&files)?;
    let answers = inputs::answers(&args.answers, &schemas)?;
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
    let plan = module.plan(&state, &schemas, &functions, &options, providers);
    #[cfg(feature = "provider")]
    if let Some(real) = real.take() {
        if real.was_interrupted() {
            return Err(CommandError::Interrupted);
        }
        real.end();
    }
    if args.answers_template {
        return output::template(&simulated.unanswered);
    }
    output::plan(args, &plan, &asked, &module.config, &schemas, &options)
}

impl Args {
    /// Starts the providers that are to be asked.
    #[cfg(feature = "provider")]
    fn start_providers(
        &self,
        module: &Module,
        state: Option<&inputs::StateText>,
        version: &str,
    ) -> Result<Option<RealProviders>, CommandError> {
        let mut known: BTreeSet<ProviderAddress> = module.config.providers().into_iter().collect();
        known.extend(state.map(inputs::StateText::providers).unwrap_or_default());
        let surroundings = real::Surroundings { directory: &self.directory, version };
        RealProviders::start(&self.real, &known, &self.binaries, &surroundings)
    }

    #[cfg(not(feature = "provider"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "there are providers in a full build")]
    fn start_providers(
        &self,
        _module: &Module,
        _state: Option<&inputs::StateText>,
        _version: &str,
    ) -> Result<Option<RealProviders>, CommandError> {
        Ok(None)
    }

    /// The schemas of all providers; those that are asked know them themselves.
    #[cfg(feature = "provider")]
    fn schemas(&self, real: Option<&RealProviders>) -> Result<Schemas, CommandError> {
        let asked = real.map(RealProviders::addresses).unwrap_or_default();
        let asked: Vec<String> = asked.iter().map(ToString::to_string).collect();
        let own = real.map(RealProviders::schemas).transpose()?;
        inputs::schemas(own, &self.schemas, &self.binaries.without(&asked), self.max_input)
    }

    #[cfg(not(feature = "provider"))]
    fn schemas(&self, _real: Option<&RealProviders>) -> Result<Schemas, CommandError> {
        inputs::schemas(None, &self.schemas, &self.binaries, self.max_input)
    }
}

impl Args {
    /// The options of the plan, and what is wrong with the arguments.
    fn options(&self, files: &DiskFiles, workspace: &str) -> (PlanOptions, Diagnostics) {
        let arguments = PlanArguments {
            destroy: self.destroy,
            refresh_only: self.refresh_only,
            refresh: self.refresh,
            targets: self.target.clone(),
            replace: self.replace.clone(),
        };
        arguments.apply(PlanOptions {
            workspace: workspace.to_owned(),
            working_directory: files.working_directory(),
            version: self.version(),
            max_instances: self.max_instances,
            ..PlanOptions::default()
        })
    }
}
