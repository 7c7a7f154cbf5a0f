//! `objchange test [DIR]`: runs the tests of a module.

mod output;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use objchange::schema::ProviderSchemas;
use objchange_document::Program;
use objchange_hcl::Coverage;
use objchange_model::ProviderModel;
#[cfg(feature = "provider")]
use objchange_module::ProviderRules;
use objchange_module::config::{Config, Files};
use objchange_module::plan::PlanOptions;
use objchange_module::test::{
    TestCoverage, TestOptions, TestReport, TestRunner, TestStatus, TestSuite, TestTexts,
};
use objchange_module::variables::automatic_files;
use objchange_module::{ProviderAddress, Schemas};
#[cfg(feature = "provider")]
use objchange_project::RunningRules;
use objchange_project::{DiskFiles, GivenSchemas, functions, locked_versions, pool, schema_texts, variables};

use self::output::{Printing, ReportFile};
use crate::configuration::Settings;
use crate::exit::{self, CommandError, FAILED, unusable};
use crate::hints;
use crate::hints::HOW_TO_GET_SCHEMAS;
#[cfg(feature = "provider")]
use crate::launch;
use crate::module_plan::version_of;
use crate::options::MaxInput;
use crate::schemas::SchemaArgs;

const AFTER_HELP: &str = "\
Runs the test files of the module in DIR, `*.tftest.hcl` and `*.tftest.json` there and in its directory `tests`, as \
`terraform test` does, but without its providers: schemas are enough. Nothing is made anywhere: runs with `command = apply` \
apply in memory.

Providers that no `mock_provider` block mocks are simulated. Of `terraform_data` and of the provider hashicorp/null it is \
known what they do. Apply makes values up for others, which are named at the end. They decide nothing: conditions that depend on \
them are undecided. With --strict both are errors. Provisioners never run.

Schemas of the providers come from --schemas, --provider-binary, or the cache that `objchange schemas add` fills. With \
--real-providers the providers themselves are asked to validate, as Terraform does even where they are mocked.

Exit codes:
  0  all runs pass; also where there are none, unless --strict is given
  1  a run fails or has an error; a file cannot be read
  2  the input cannot be used, or the output cannot be written
  3  nothing fails, but a condition is undecided: it depends on values that were made up for a provider that nothing mocks, or \
with --three-valued on unknown ones

Examples:
  objchange test
  objchange test modules/network --schemas schemas.json
  objchange test --filter tests/naming.tftest.hcl --verbose
  objchange test --json | jq 'select(.type == \"test_summary\")'
  objchange test --junit-xml report.xml --strict
  objchange test --coverage --lcov lcov.info
  objchange test --watch";

/// Run the tests of a module, as `terraform test` does, without its providers
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The directory of the module
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    #[command(flatten)]
    schemas: SchemaArgs,

    /// Run only this test file: its path as it is printed, e.g. `tests/a.tftest.hcl`. Can be repeated
    #[arg(long, value_name = "FILE")]
    filter: Vec<String>,

    /// The directory with test files beside those of the module
    #[arg(long, value_name = "DIR", default_value = "tests")]
    test_directory: String,

    #[command(flatten)]
    variables: Settings,

    /// Print the plan or the state of each run; with --json including sensitive values
    #[arg(long)]
    verbose: bool,

    /// Print the messages of `terraform test -json`, one JSON object a line
    #[arg(long)]
    json: bool,

    /// Write a JUnit XML report to this file
    #[arg(long, value_name = "FILE")]
    junit_xml: Option<PathBuf>,

    /// Print which resources, conditions and branches of conditional expressions no run has reached
    #[arg(long)]
    coverage: bool,

    /// Write what runs have reached to this file, as an LCOV tracefile
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,

    /// Count assertions that depend on unknown values as undecided, not as errors
    #[arg(long)]
    three_valued: bool,

    /// Do not use the models of learned providers (see `objchange schemas learn`)
    #[arg(long)]
    no_model: bool,

    /// Ask the providers to validate configurations, mocked or not, as `terraform test` does: start the programs that
    /// `terraform init` installed, or those of --provider-binary. They are not configured, and asked for nothing else
    #[cfg(feature = "provider")]
    #[arg(long)]
    real_providers: bool,

    /// Fail where values are made up for providers that are not mocked, and where no run is left to run
    #[arg(long)]
    strict: bool,

    /// Seed for generated values: the same seed gives the same values
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    seed: u64,

    /// Run at most this many files side by side. The default is the number of cores
    #[arg(long, value_name = "COUNT")]
    parallelism: Option<NonZero<usize>>,

    /// Run and print as this version does, e.g. `terraform@1.11`
    #[arg(long = "as", value_name = "PROGRAM")]
    program: Option<Program>,

    /// Run the tests again that a change of files affects, until Ctrl-C ends this
    #[arg(long, conflicts_with = "json")]
    watch: bool,

    /// Also read modules and files of functions below this directory. Can be repeated
    #[arg(long, value_name = "DIR")]
    allow_path: Vec<PathBuf>,

    /// Maximum number of resource instances in a run
    #[arg(long, value_name = "COUNT", default_value = "1000000")]
    max_instances: usize,

    #[command(flatten)]
    max_input: MaxInput,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    if args.watch { watch::watch(args) } else { Ok(run_once(args, None)?.code) }
}

/// The result of running the tests.
struct Ran {
    code: ExitCode,
    /// The test files could be read.
    is_whole: bool,
    /// The directories of the modules.
    directories: BTreeSet<String>,
}

/// Runs the tests, or those that changes of files affect.
fn run_once(args: &Args, changed: Option<&[String]>) -> Result<Ran, CommandError> {
    let directory = &args.directory;
    let files = DiskFiles::new(directory, &args.allow_path)
        .map_err(|error| unusable(format!("{}: {error}", directory.display())))?;
    let version = version_of(args.program);
    let terraform_version = format!("{version}.0");
    let variables = variables(&files, args.variables.iter()).map_err(unusable)?;
    let manifest = files.module_manifest().map_err(unusable)?;
    let suite = TestSuite::load(TestTexts {
        files: &files,
        manifest: manifest.as_deref(),
        test_directory: &args.test_directory,
        filter: &args.filter,
        variables: &variables,
        test_values: &values_of(&files, &args.test_directory)?,
        version,
        terraform_version: &terraform_version,
    });
    let directories = suite.directories().map(str::to_owned).collect();
    #[cfg(feature = "provider")]
    let rules = real_rules(args, &suite, &terraform_version)?;
    #[cfg(feature = "provider")]
    let own = rules
        .as_ref()
        .map(|rules| rules.schemas())
        .transpose()
        .map_err(|error| unusable(error.to_string()))?;
    #[cfg(not(feature = "provider"))]
    let own = None;
    let schemas = schemas(args, &suite, own)?;
    let models = Arc::new(models(args, &suite));
    let printing = Printing::new(args, &suite, &schemas);
    printing.begin(&terraform_version)?;
    if suite.diagnostics.has_errors() {
        return Ok(Ran { code: ExitCode::from(FAILED), is_whole: false, directories });
    }
    let unmatched: Vec<&String> = suite.unmatched(&args.filter).collect();
    // Beside files that do run nobody would see that one is missing.
    if let ([_, _, ..], [wanted, ..]) = (&args.filter[..], &unmatched[..]) {
        return Err(unusable(format!("--filter {wanted}: no test file has this path")));
    }
    // A single name of no test file is no error: `Success! 0 passed, 0 failed.` Terraform warns since 1.16.
    for wanted in unmatched.iter().filter(|_| version.parts() < (1, 16)) {
        exit::warn(&format!("--filter {wanted}: no test file has this path"));
    }
    let coverage = (args.coverage || args.lcov.is_some()).then(|| Arc::new(Coverage::default()));
    let now = DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true);
    let functions = functions(&files).map_err(unusable)?.with_plan_time(&now);
    let functions = match &coverage {
        Some(coverage) => functions.recording(Arc::clone(coverage)),
        None => functions,
    };
    let junit = args.junit_xml.as_deref().map(ReportFile::create).transpose()?;
    let lcov = args.lcov.as_deref().map(ReportFile::create).transpose()?;
    let options = TestOptions {
        plan: PlanOptions {
            workspace: Some("default".to_owned()),
            working_directory: files.working_directory(),
            version,
            max_instances: args.max_instances,
            ..PlanOptions::default()
        },
        verbose: args.verbose,
        three_valued: args.three_valued,
        strict: args.strict,
        models: Arc::clone(&models),
        #[cfg(feature = "provider")]
        rules: rules.clone().map(|rules| rules as Arc<dyn ProviderRules>),
        #[cfg(not(feature = "provider"))]
        rules: None,
        seed: args.seed,
        now: Some(now),
        clock,
    };
    // Runners keep what they have learned of the modules, so each is used again.
    let runners: Mutex<Vec<TestRunner<'_>>> = Mutex::default();
    let idle = || runners.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let run_file = |index: &usize| {
        let mut runner = idle().unwrap_or_else(|| TestRunner::new(&suite, &schemas, &functions, &options));
        let report = runner.run_file(*index);
        runners.lock().unwrap_or_else(PoisonError::into_inner).push(runner);
        report
    };
    let mut report = TestReport::default();
    let indices = match changed {
        Some(changed) => suite.affected_by(changed),
        None => (0..suite.paths().len()).collect(),
    };
    let threads = args.parallelism.map_or_else(pool::cores, NonZero::get);
    pool::each_on(threads, &indices, run_file, |file| {
        printing.file(&file)?;
        report.files.push(file);
        Ok::<(), CommandError>(())
    })?;
    printing.summary(&report)?;
    if let Some(file) = junit {
        file.finish(&printing.junit(&report))?;
    }
    if let Some(coverage) = coverage {
        let reached = TestCoverage::new(&suite, &coverage);
        if args.coverage {
            printing.coverage(&reached)?;
        }
        if let Some(file) = lcov {
            file.finish(&reached.lcov(&directory.to_string_lossy()))?;
        }
    }
    let ran = report.files.iter().map(|file| file.runs.len()).sum::<usize>();
    printing.elements(&report);
    say_what_was_simulated(&report);
    let validating = models.keys();
    #[cfg(feature = "provider")]
    let validating = validating.chain(rules.iter().flat_map(|rules| rules.providers()));
    note_missing_validation(&suite, &validating.cloned().collect());
    if ran == 0 && args.strict {
        exit::note("no run was left to run, which --strict does not accept");
        return Ok(Ran { code: ExitCode::from(FAILED), is_whole: true, directories });
    }
    let code = match report.status() {
        TestStatus::Skip | TestStatus::Pass => ExitCode::SUCCESS,
        TestStatus::Undecided => ExitCode::from(UNDECIDED),
        TestStatus::Fail | TestStatus::Error => ExitCode::from(FAILED),
    };
    Ok(Ran { code, is_whole: true, directories })
}

/// The time since the program was started.
fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// The files of the test directory that give values to variables.
fn values_of(files: &DiskFiles, directory: &str) -> Result<Vec<(String, String)>, CommandError> {
    // The tests report an unreadable directory.
    let names = files.list(directory).unwrap_or_default();
    let mut all = Vec::new();
    for name in automatic_files(names.iter().map(String::as_str)) {
        let path = format!("{}/{name}", directory.trim_end_matches('/'));
        let text = files.read(&path).map_err(|why| unusable(format!("{path}: {why}")))?;
        let text = text.ok_or_else(|| unusable(format!("{path}: this is a link that leads nowhere")))?;
        all.push((path, text));
    }
    Ok(all)
}

/// Starts the providers of the modules, to validate.
#[cfg(feature = "provider")]
fn real_rules(
    args: &Args,
    suite: &TestSuite,
    version: &str,
) -> Result<Option<Arc<RunningRules>>, CommandError> {
    if !args.real_providers || suite.diagnostics.has_errors() {
        return Ok(None);
    }
    let programs = &args.schemas.programs;
    let started =
        RunningRules::start(providers(suite), programs, &args.directory, version, &launch::workplace);
    started.map(|rules| Some(Arc::new(rules))).map_err(|error| unusable(error.to_string()))
}

/// The schemas of all providers of the modules that are run: those of the running providers, and those that are given.
fn schemas(args: &Args, suite: &TestSuite, own: Option<ProviderSchemas>) -> Result<Schemas, CommandError> {
    // Running providers have been asked already.
    let documents = match &own {
        Some(_) => schema_texts(&args.schemas.paths, args.max_input.size),
        None => args.schemas.documents(args.max_input.size),
    };
    let documents = documents.map_err(|error| unusable(hints::schema_text(&error)))?;
    let given = GivenSchemas::parse(documents).map_err(unusable)?;
    let mut schemas =
        Schemas::new(own.into_iter().chain([given.schemas])).of_version(version_of(args.program));
    // Where no test runs, a missing schema is no error.
    let is_run = suite.paths().len() > 0 && !suite.diagnostics.has_errors();
    let providers = if is_run { providers(suite) } else { BTreeSet::new() };
    let missing = |schemas: &Schemas| -> BTreeSet<ProviderAddress> {
        providers.iter().filter(|provider| !schemas.has_provider(provider)).cloned().collect()
    };
    let locked = exit::noted(locked_versions(&args.directory));
    let lookup = args.schemas.cache.lookup();
    if exit::noted(lookup.complete(&mut schemas, &locked, missing)).is_err() {
        let (mocked, others): (BTreeSet<_>, BTreeSet<_>) =
            missing(&schemas).into_iter().partition(|provider| suite.mocks_all_of(provider));
        if !others.is_empty() {
            let names = lookup.describe_missing(&others, &locked);
            return Err(unusable(format!("there are no schemas of {names}: {HOW_TO_GET_SCHEMAS}")));
        }
        let names: Vec<String> = mocked.iter().map(ProviderAddress::for_display).collect();
        suite.assume_schemas(&mut schemas, mocked);
        exit::note(&format!(
            "there are no schemas of {}: the configuration and the mocks say what its objects have. Names that the schemas lack are \
             not found, and nothing is decided by other attributes",
            names.join(", ")
        ));
    }
    Ok(schemas)
}

/// The models of the providers of the modules that are run.
fn models(args: &Args, suite: &TestSuite) -> BTreeMap<ProviderAddress, ProviderModel> {
    let lookup = args.schemas.cache.lookup();
    let lookup = if args.no_model { lookup.without_models() } else { lookup };
    let locked = exit::noted(locked_versions(&args.directory));
    exit::noted(lookup.models(providers(suite), &locked))
}

/// The providers of all modules, without Terraform's own.
fn providers(suite: &TestSuite) -> BTreeSet<ProviderAddress> {
    suite.configs().flat_map(Config::providers).filter(|provider| !provider.is_builtin()).collect()
}

/// Notes which mocked providers Terraform would ask to validate.
fn note_missing_validation(suite: &TestSuite, validating: &BTreeSet<ProviderAddress>) {
    let unknown: Vec<String> =
        providers(suite).difference(validating).map(ProviderAddress::for_display).collect();
    if suite.has_mocks() && !unknown.is_empty() {
        exit::note(&format!(
            "Terraform asks {} to validate configurations even where mocked; here nothing was asked, so a test may fail there",
            unknown.join(", ")
        ));
    }
}

/// The exit code where nothing fails, and something is undecided.
const UNDECIDED: u8 = 3;

/// The maximum number of made-up attributes to name.
const NAMED: usize = 5;

/// Notes what differs from a run with Terraform.
fn say_what_was_simulated(report: &TestReport) {
    let mut provisioners: Vec<&str> =
        report.files.iter().flat_map(|file| &file.provisioners).map(String::as_str).collect();
    provisioners.sort_unstable();
    provisioners.dedup();
    if !provisioners.is_empty() {
        exit::warn(&format!(
            "provisioners never run here: those of {} were left out",
            provisioners.join(", ")
        ));
    }
    let mut invented: Vec<&str> =
        report.files.iter().flat_map(|file| &file.invented).map(String::as_str).collect();
    invented.sort_unstable();
    invented.dedup();
    if !invented.is_empty() {
        let named = objchange_text::listed(&invented[..invented.len().min(NAMED)], invented.len());
        exit::note(&format!(
            "made up without a provider: {named}; mock the provider to choose values, or use --strict to refuse this"
        ));
    }
}
