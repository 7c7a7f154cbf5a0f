//! `objchange policy test`: the tests that policies have in Rego.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use objchange_policy::rego::{
    Options, PolicyFiles, read_data, read_policies, run_tests, write_coverage, write_tests,
};

use super::config_files::FilesBesidePolicies;
use crate::clock::now_ns;
use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::reports::{Outputs, Reporter};
use crate::terminal;

/// Run tests written in Rego: rules named `test_*` (`todo_test_*` are skipped); each key of `test_a[key]` is a test
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folders of policies and their tests, or files
    #[arg(value_name = "DIR|FILE", required = true)]
    policies: Vec<PathBuf>,

    /// Run only tests with these names, with `*` and `?`; one must match. Can be repeated
    #[arg(long, value_name = "GLOB")]
    run: Vec<String>,

    /// Say how long each test took, and print what it prints below it
    #[arg(short, long, conflicts_with = "json")]
    verbose: bool,

    /// Say which lines of the policies the tests have evaluated, and which not
    #[arg(long, conflicts_with = "json")]
    coverage: bool,

    /// Timeout in seconds for each test
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// A JSON or YAML document for `data`, or a folder of them. Can be repeated
    #[arg(long, value_name = "FILE|DIR")]
    data: Vec<PathBuf>,

    /// Treat errors of built-in functions as failures
    #[arg(long)]
    strict_builtin_errors: bool,

    /// Print JSON Lines (schema/policy-test.schema.json)
    #[arg(long)]
    json: bool,

    /// Write a JUnit XML report to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let outputs = Outputs { json: args.json, junit: args.junit.as_deref(), ..Outputs::default() };
    let mut reporter = Reporter::new("objchange policy test", "objchangePolicyTest/v1", outputs)?;
    if args.coverage && !reporter.has_text() {
        return Err("--coverage prints to standard output, where another report goes".into());
    }
    let PolicyFiles { policies, tests } = read_policies(&args.policies).map_err(unusable)?;
    // Tests and policies are one program, as `opa test` loads them.
    let files = [policies, tests].concat();
    let mut options = Options::new(now_ns);
    options.timeout = Duration::from_secs(args.timeout);
    options.rules.clone_from(&args.run);
    options.strict_builtin_errors = args.strict_builtin_errors;
    options.coverage = args.coverage;
    options.config_files = Some(Arc::new(FilesBesidePolicies::default()));
    let data = read_data(&args.data, &args.policies).map_err(unusable)?;
    (options.data, options.data_left_out) = (data.value, data.left_out);
    let (tests, coverage) = match run_tests(&files, &options) {
        // A misspelt folder or rule must not look like tests that pass.
        Ok(tested) if tested.verdicts.is_empty() => return Err("no rule is called test_*".into()),
        Ok(tested) => (tested.verdicts, tested.coverage),
        Err(error) => return Err(unusable(hints::policy(&error))),
    };
    let shows_prints = args.verbose && reporter.has_text();
    for print in tests.iter().flat_map(|test| &test.prints).filter(|_| !shows_prints) {
        exit::note(print);
    }
    if reporter.has_text() {
        write_tests(&mut terminal::stdout(), &tests, args.verbose)?;
        if let Some(coverage) = &coverage {
            write_coverage(&mut terminal::stdout(), coverage)?;
        }
    }
    reporter.json(&tests)?;
    reporter.report.suite("rego", None);
    tests.iter().for_each(|test| reporter.report.case(&test.case()));
    Ok(ExitCode::from(reporter.finish()?.code()))
}
