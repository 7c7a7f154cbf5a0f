//! `objchange policy check`: what is wrong or suspicious in policies, without a plan.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use objchange_finding::{Case, Finding, Rule};
use objchange_policy::rego::{
    Lint, Options, Policies, PolicyError, PolicyFiles, check_rules, read_data, read_policies,
    refuse_rules_in_tests,
};
use objchange_text::style::{BAD, CHANGED};
use objchange_text::{Severity, counted, visible};

use super::ChosenRules;
use crate::clock::now_ns;
use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::reports::{FailOn, Outputs, Reporter};
use crate::terminal;

const AFTER_HELP: &str = "\
Reports what `objchange policy` would refuse: errors of the language, names that nothing defines, and fields that no plan \
has. Warns of imports that nothing uses, and of rules that are neither evaluated nor used by one that is.

Exit codes:
  0  no findings
  1  findings (see --fail-on)
  2  a file cannot be read, or the output cannot be written

Examples:
  objchange policy check policy/
  objchange policy check policy/ --namespace main --fail-on error
  objchange policy check policy/ --json
  objchange policy check policy/ --sarif found.sarif";

/// Check policies without a plan: errors, unused imports and rules, fields that no plan has
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Folders of policies, or files
    #[arg(value_name = "DIR|FILE", required = true)]
    policies: Vec<PathBuf>,

    #[command(flatten)]
    chosen: ChosenRules,

    /// Accept policies that use the network
    #[arg(long)]
    allow_net: bool,

    /// Findings that set the exit code to 1
    #[arg(long, value_enum, default_value = "warning", value_name = "WHAT")]
    fail_on: FailOn,

    /// Print JSON Lines (schema/policy-check.schema.json)
    #[arg(long)]
    json: bool,

    /// Write a SARIF 2.1.0 report to this file, for GitHub code scanning; `-` is standard output
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let outputs = Outputs { json: args.json, sarif: args.sarif.as_deref(), ..Outputs::default() };
    let mut reporter = Reporter::new("objchange policy check", "objchangePolicyCheck/v1", outputs)?;
    let PolicyFiles { policies: files, tests } = read_policies(&args.policies).map_err(unusable)?;
    let mut options = Options::new(now_ns);
    args.chosen.set(&mut options);
    options.network = super::network(args.allow_net);
    let data = read_data(&args.chosen.data, &args.policies).map_err(unusable)?;
    (options.data, options.data_left_out) = (data.value, data.left_out);
    let checked = refuse_rules_in_tests(&tests, &options)
        .and_then(|warnings| {
            warnings.iter().for_each(|warning| exit::warn(warning));
            Policies::compile(&files, options)
        })
        .and_then(|policies| policies.lints(&files));
    check_rules().for_each(|rule| reporter.report.rule(&rule));
    let findings: Vec<Finding> = match &checked {
        Ok(lints) => lints.iter().map(Lint::reported).collect(),
        Err(error) => {
            let kind = error.kind().kind();
            reporter.report.rule(&Rule::new(kind, Severity::Error, "Policies that are refused"));
            // An error of all policies together has no file.
            let folder = args.policies.first().map(|path| path.display().to_string()).unwrap_or_default();
            let details = hints::of_policy(error).map(str::to_owned);
            let with_advice = |finding| Finding { details: details.clone(), ..finding };
            error.reported(&folder).map(with_advice).collect()
        }
    };
    let gate = args.fail_on.gate();
    let findings: Vec<Finding> = findings.into_iter().map(|finding| gate.judge(finding)).collect();
    if reporter.has_text() {
        write_text(&checked, files.len())?;
    }
    reporter.json(&findings)?;
    reporter.report.suite("rego", None);
    for of_file in findings.chunk_by(|one, other| one.location.file == other.location.file) {
        let name = of_file.first().map(|finding| finding.location.file.clone()).unwrap_or_default();
        reporter.report.case(&Case { findings: of_file.to_vec(), ..Case::new(name) });
    }
    Ok(ExitCode::from(reporter.finish()?.code()))
}

fn write_text(checked: &Result<Vec<Lint>, PolicyError>, files: usize) -> io::Result<()> {
    let mut out = terminal::stdout();
    let found = match checked {
        Ok(lints) => {
            for lint in lints {
                let (place, message) = (lint.place.to_string(), visible(&lint.message));
                writeln!(out, "{CHANGED}warning{CHANGED:#}: {}: {message} ({})", visible(&place), lint.kind)?;
            }
            counted(lints.len(), "warning")
        }
        Err(error) => {
            let advice = hints::of_policy(error).map(|advice| format!("; {advice}")).unwrap_or_default();
            for (place, message) in error.problems() {
                let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
                writeln!(out, "{BAD}error{BAD:#}: {}{}{advice}", visible(&place), visible(message))?;
            }
            counted(error.problems().count(), "error")
        }
    };
    writeln!(out, "{}: {found}", counted(files, "policy file"))?;
    out.flush()
}
