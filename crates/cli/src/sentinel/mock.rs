//! `objchange sentinel mock`: a plan as test data for policies.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;
use std::sync::Arc;

use objchange_document::{PlanFile, Schemas};
use objchange_policy::sentinel::mock::{File, configuration, mocks};
use objchange_text::visible;
use serde_json::Value as Json;

use crate::documents::DoubtfulPlans;
use crate::exit::{CommandError, unusable};
use crate::hints;
use crate::input::{Size, Source};
use crate::module_plan::{ModuleArgs, read_plan_file};
use crate::write_file::{Access, write_file};

const AFTER_HELP: &str = "\
Input is the output of `terraform show -json PLANFILE`, or a state: the output of `terraform show -json`, or a state \
file. From a state, only tfstate/v2 is made. The files have the names of Terraform's own mocks:

  mock-tfplan-v2.sentinel    mock-tfconfig-v2.sentinel    mock-tfstate-v2.sentinel    mock-tfrun.sentinel
  sentinel.hcl               a configuration that uses them, for policies or as a test case in test/POLICY

Sensitive values are written as (sensitive value). A plan does not say what is sensitive in the configuration of a \
provider: its schema does, and without --schemas, or a schema in the cache, all constants there are hidden. A plan has \
no data for tfrun; use --run.

Exit codes:
  0  the files are written
  2  the plan cannot be used, or a file cannot be written or exists already

Examples:
  terraform show -json tfplan | objchange sentinel mock --out test/limit-cost/mocks
  objchange sentinel mock plan.json --run run.json --force";

/// Make mock data from a plan
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// A plan, a state, or the directory of a module to plan; `-`, or nothing, is standard input
    #[arg(value_name = "PLAN", default_value = "-")]
    plan: PathBuf,

    /// The output folder; created if needed
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    /// Data for the `tfrun` import, as a JSON object
    #[arg(long, value_name = "RUN.json")]
    run: Option<PathBuf>,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    doubtful: DoubtfulPlans,

    #[command(flatten)]
    module: ModuleArgs,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let modules = args.module.inputs(slice::from_ref(&args.plan))?;
    let given = modules.schemas.load(modules.max_input).map_err(|error| unusable(hints::schemas(&error)))?;
    let file = read_plan_file(&args.plan, &modules, &modules.plan_files(&given))?;
    // A test over mocks of a plan that `sentinel apply` refuses would pass for nothing.
    if file.is_plan() {
        args.doubtful.check(&file).map_err(unusable)?;
        file.judged().map_err(unusable)?;
    }
    let (schemas, _) = args.module.schemas().given_or_cached(modules.max_input).map_err(unusable)?;
    let file = file.with_schemas(&Arc::new(Schemas::new(schemas))).map_err(unusable)?;
    match files(args, &file, modules.max_input).and_then(|files| write(args, &files)) {
        Ok(written) => {
            let mut out = crate::terminal::stdout();
            written.iter().try_for_each(|path| writeln!(out, "{}", visible(&path.display().to_string())))?;
            out.flush()?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Err(unusable(error)),
    }
}

/// The files to write.
fn files(args: &Args, file: &PlanFile, limit: Size) -> Result<Vec<File>, String> {
    let run = args.run.as_deref().map(|path| read_run(path, limit)).transpose()?;
    mocks(file.document(), run.as_ref()).map_err(|error| format!("{}: {error}", file.name()))
}

/// The data for the `tfrun` import in a file.
pub(super) fn read_run(path: &Path, limit: Size) -> Result<Json, String> {
    let source = Source::new(path);
    let text = source.read_as_allowed(limit.0).map_err(|error| hints::input(&error))?;
    match serde_json::from_str(&text) {
        Ok(run @ Json::Object(_)) => Ok(run),
        Ok(_) => Err(format!("{source}: the data for tfrun must be an object")),
        Err(error) => Err(format!("{source}: this is not JSON: {error}")),
    }
}

/// Writes all files, or none if one is there already.
fn write(args: &Args, files: &[File]) -> Result<Vec<PathBuf>, String> {
    let configuration = configuration(files);
    let texts = files.iter().map(|file| (file.name, &file.text[..]));
    let texts: Vec<_> = texts
        .chain([("sentinel.hcl", configuration.as_bytes())])
        .map(|(name, text)| (args.out.join(name), text))
        .collect();
    if let Some((path, _)) = texts.iter().find(|(path, _)| !args.force && path.exists()) {
        return Err(format!("{} already exists; overwrite it with --force", path.display()));
    }
    let failed = |path: &Path, error: io::Error| format!("{}: cannot be written: {error}", path.display());
    std::fs::create_dir_all(&args.out).map_err(|error| failed(&args.out, error))?;
    for (path, text) in &texts {
        // Mocks are committed beside the policies, so the file is readable for all: sensitive values are hidden in it.
        write_file(path, text, Access::Usual).map_err(|error| failed(path, error))?;
    }
    Ok(texts.into_iter().map(|(path, _)| path).collect())
}
