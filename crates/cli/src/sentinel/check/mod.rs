//! `objchange sentinel check`: finds mistakes in policies without running them.

mod text;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use objchange_policy::sentinel::report::{check_case, check_rules};
use objchange_policy::sentinel::shapes::{self, Schemas};
use objchange_sentinel::Diagnostic;

use crate::exit::{self, CommandError, unusable};
use crate::input::Source;
use crate::options::MaxInput;
use crate::reports::{FailOn, Outputs, Reporter};
use crate::schemas::SchemaArgs;

const AFTER_HELP: &str = "\
A file is a policy if it has `main` or a configuration says so; otherwise it is a module. A configuration \
(sentinel.hcl) lists the policies and modules to check, the global names, and mocks for imports.

Exit codes:
  0  no findings
  1  findings (see --fail-on)
  2  an input cannot be used, or the output cannot be written

Examples:
  objchange sentinel check
  objchange sentinel check sentinel.hcl --schemas schemas.json
  objchange sentinel check --fail-on error --sarif found.sarif policies/";

/// Find mistakes in policies without running them
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Policies, folders of them (all *.sentinel in and below them), or configurations of policies (*.hcl, *.json);
    /// `-` is standard input
    #[arg(value_name = "FILE|DIR", default_value = ".")]
    files: Vec<PathBuf>,

    // With schemas the check finds attributes that no resource has.
    #[command(flatten)]
    schemas: SchemaArgs,

    #[command(flatten)]
    max_input: MaxInput,

    /// Findings that set the exit code to 1
    #[arg(long, value_enum, default_value = "warning", value_name = "WHAT")]
    fail_on: FailOn,

    /// Print JSON Lines (schema/sentinel-check.schema.json)
    #[arg(long)]
    json: bool,

    /// Write a SARIF 2.1.0 report to this file, for GitHub code scanning; `-` is standard output
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

/// A file, and its findings.
struct Checked<'c> {
    file: &'c str,
    text: &'c str,
    findings: &'c [Diagnostic],
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let outputs = Outputs { json: args.json, sarif: args.sarif.as_deref(), ..Outputs::default() };
    let mut reporter = Reporter::new("objchange sentinel check", "objchangeSentinelCheck/v1", outputs)?;
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    if args.schemas.sources().any(|source| source == Source::Stdin) && args.files.iter().any(is_stdin) {
        return Err("standard input (-) can be read only once".into());
    }
    let schemas = match schemas(args) {
        Ok(schemas) => Arc::new(schemas),
        Err(error) => return Err(unusable(error)),
    };
    let targets = shapes::find_targets(&args.files).map_err(unusable)?;
    if targets.is_empty() {
        return Err("there is no policy to check".into());
    }
    let mut text = reporter.has_text().then(text::Text::default);
    check_rules().for_each(|rule| reporter.report.rule(&rule));
    reporter.report.suite("sentinel", None);
    let gate = args.fail_on.gate();
    let mut unreadable = Vec::new();
    for target in &targets {
        let source = match target.source.read() {
            Ok(source) => source,
            // One file that cannot be read does not keep the findings of the others. The exit code is 2 in the end.
            Err(error) => {
                exit::complain(&error.to_string())?;
                unreadable.push(error.to_string());
                continue;
            }
        };
        let findings = shapes::findings(&source, target.is_policy, target.configuration.as_deref(), &schemas);
        let file = target.source.to_string();
        let checked = Checked { file: &file, text: &source, findings: &findings };
        if let Some(text) = &mut text {
            text.checked(&checked)?;
        }
        let case = check_case(&file, &source, &findings, gate);
        reporter.report.case(&case);
        reporter.json(&case.findings)?;
    }
    if let Some(problem) = schemas.problem() {
        exit::warn(&format!("a schema cannot be read, and what uses it is not checked: {problem}"));
    }
    if let Some(text) = text {
        text.finish()?;
    }
    reporter.report.not_judged(&unreadable, None);
    Ok(ExitCode::from(reporter.finish()?.code()))
}

fn schemas(args: &Args) -> Result<Schemas, String> {
    let (schemas, is_given) = args.schemas.given_or_cached(args.max_input.size)?;
    // The cache may lack a provider, so a type that it does not have is no finding.
    Ok(if is_given { Schemas::new(schemas) } else { Schemas::partial(schemas) })
}
