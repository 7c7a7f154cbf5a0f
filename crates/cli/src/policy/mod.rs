//! `objchange policy`: what Rego policies say of plans.

mod files;
mod json;
mod junit;
mod memory;
mod sarif;
mod test;
mod text;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use objchange_plan::policy::{
    InputMode, Options, Outcome, Policies, PolicyError, RuleVerdict, Severity, Verdicts,
};

use crate::documents::{self, Document, Inputs, Wanted};
use crate::exit;

const AFTER_HELP: &str = "\
A plan is the output of `terraform show -json PLANFILE`: a file, a glob in quotes, a folder, or `-`, which is read where \
no plan is named; one plan, or one a line. With more than one plan each line names its file.

Rules are called as conftest calls them: deny, deny_*, violation and violation_* are failures, warn and warn_* warnings; \
sets of texts, or of objects with `msg`. All packages with such rules are evaluated (conftest: `main` alone), or those \
of --namespace. `exception` rules work as with conftest. Files called *_test.rego are left out of folders.

Policies see the collections that Sentinel has as input.tfplan, input.tfstate and input.tfconfig, and the document as \
input.plan; with --input raw the document is `input` itself, as policies for conftest expect it. Beside the `after` of \
a change is `after_full`, with {\"$unknown\": {}} wherever a value is unknown until apply. A rule that looks at an \
unknown value is undecided until apply, and the report says what it waits for.

What is sensitive can be compared. A message that is made from it is not shown.

Exit codes:
  0  no rule fails that counts (see --fail-on)
  1  a rule fails
  2  a policy or a plan cannot be used, or the output cannot be written

Examples:
  terraform show -json tfplan | objchange policy --rego policy/
  objchange policy plan.json --rego policy/ --fail-on warn,undecided
  objchange policy plan.json --rego conftest-policies/ --input raw --namespace main
  objchange policy 'plans/*.json' --rego policy/ --json > verdicts.jsonl
  objchange policy plan.json --rego policy/ --sarif policy.sarif --junit policy.xml
  objchange policy test policy/";

/// Say what Rego policies find in plans
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// Plans; `-`, or nothing, is standard input
    #[arg(value_name = "PLAN", default_value = "-")]
    plans: Vec<PathBuf>,

    /// A policy, or a folder of them (all *.rego in and below it). May be repeated
    #[arg(long, value_name = "DIR|FILE", required = true, num_args = 1..)]
    rego: Vec<PathBuf>,

    /// What policies see as `input`
    #[arg(long, value_enum, default_value = "collections", value_name = "WHAT")]
    input: Input,

    /// Evaluate the rules of this package only. May be repeated
    #[arg(long, value_name = "PACKAGE")]
    namespace: Vec<String>,

    /// What makes the exit code 1
    #[arg(long, value_enum, default_value = "deny", value_delimiter = ',', value_name = "WHAT")]
    fail_on: Vec<FailOn>,

    /// How many seconds the policies may take for a plan
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// How many MiB of memory the program may hold while it evaluates policies (on Linux)
    #[arg(long, default_value = "4096", value_name = "MIB", value_parser = clap::value_parser!(u64).range(64..))]
    memory: u64,

    /// Write a line of JSON for each plan instead (its form: schema/policy-report.schema.json)
    #[arg(long)]
    json: bool,

    /// Write a report in JUnit's XML to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write a report in SARIF 2.1.0 to this file, as GitHub code scanning reads it; `-` is standard output
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Test(test::Args),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Input {
    /// The collections of plan, state and configuration
    Collections,
    /// The document itself
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A rule called deny or violation holds
    Deny,
    /// That, or one called warn does
    Warn,
    /// That, or it is not known until apply whether one called deny or violation does
    Undecided,
    /// Nothing
    Never,
}

/// A plan, and what the policies say of it.
struct Judged {
    /// The file of the plan.
    file: String,
    verdicts: Verdicts,
}

pub(crate) fn run(args: &Args) -> io::Result<ExitCode> {
    if let Some(Command::Test(args)) = &args.command {
        return test::run(args);
    }
    let to_stdout = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if [args.json, to_stdout(&args.junit), to_stdout(&args.sarif)].into_iter().filter(|is| *is).count() > 1 {
        return exit::unusable(
            &"only one of --json, --junit - and --sarif - can be written to standard output",
        );
    }
    if args.fail_on.contains(&FailOn::Never) && args.fail_on.len() > 1 {
        return exit::unusable(&"--fail-on never stands alone");
    }
    let files = match files::read(&args.rego, false) {
        Ok(files) => files,
        Err(error) => return exit::unusable(&error),
    };
    let inputs = match Inputs::find(&args.plans, Wanted::PLANS) {
        Ok(inputs) => inputs,
        Err(error) => return exit::unusable(&error),
    };
    let policies = match Policies::compile(&files, options(args)) {
        Ok(policies) => policies,
        Err(error) => return exit::unusable(&error),
    };
    policies.notes().iter().for_each(|note| exit::note(note));
    let mut text = (!args.json && !to_stdout(&args.junit) && !to_stdout(&args.sarif)).then(text::Text::new);
    let mut junit = args.junit.is_some().then(|| junit::Junit::new("objchange policy"));
    let mut sarif = args.sarif.is_some().then(sarif::Sarif::default);
    let mut is_failed = false;
    let answer = |document: &Document| match policies.evaluate(&document.text) {
        Ok(verdicts) => Ok(Judged { file: document.name.clone(), verdicts }),
        Err(error) => Err(complaint(document, &error)),
    };
    let print = |name: Option<&str>, judged: Judged| {
        is_failed |= judged.verdicts.rules.iter().any(|verdict| fails(verdict, &args.fail_on));
        for print in &judged.verdicts.prints {
            exit::note(&match name {
                Some(name) => format!("{name}: {print}"),
                None => print.clone(),
            });
        }
        if let Some(text) = &mut text {
            text.judged(name, &judged)?;
        }
        if let Some(junit) = &mut junit {
            junit.judged(&judged);
        }
        if let Some(sarif) = &mut sarif {
            sarif.judged(&judged);
        }
        if args.json { json::write(&judged) } else { Ok(()) }
    };
    let summary = memory::limited(args.memory, &policies, || {
        documents::for_each(&inputs, Wanted::PLANS, answer, print)
    })?;
    if let Some(text) = text {
        text.finish()?;
    }
    if let (Some(path), Some(junit)) = (&args.junit, junit) {
        write(path, &junit.finish())?;
    }
    if let (Some(path), Some(sarif)) = (&args.sarif, sarif) {
        write(path, &sarif.finish())?;
    }
    Ok(match summary.failed {
        0 if is_failed => ExitCode::from(exit::FAILED),
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::UNUSABLE),
    })
}

fn options(args: &Args) -> Options {
    // Many plans are evaluated side by side, and the rules for one of them on one core.
    let is_one = matches!(&args.plans[..], [plan] if !plan.is_dir());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut options = Options::default();
    options.input = match args.input {
        Input::Collections => InputMode::Collections,
        Input::Raw => InputMode::Raw,
    };
    options.packages.clone_from(&args.namespace);
    options.timeout = Duration::from_secs(args.timeout);
    options.threads = if is_one { cores } else { 1 };
    options
}

fn complaint(document: &Document, error: &PolicyError) -> String {
    match error.document() {
        Some(error) => document.complaint(error),
        None => format!("{}: {error}", document.name),
    }
}

fn fails(verdict: &RuleVerdict, on: &[FailOn]) -> bool {
    let is = |wanted| on.contains(&wanted);
    match (verdict.outcome(), verdict.severity) {
        _ if is(FailOn::Never) => false,
        (Outcome::Fail, Severity::Failure) => true,
        (Outcome::Fail, Severity::Warning) => is(FailOn::Warn),
        (Outcome::Undecided, Severity::Failure) => is(FailOn::Undecided),
        _ => false,
    }
}

fn write(path: &Path, report: &str) -> io::Result<()> {
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        out.write_all(report.as_bytes())?;
        return out.flush();
    }
    std::fs::write(path, report)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
