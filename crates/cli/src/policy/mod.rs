//! `objchange policy`: what Rego policies say of plans.

mod data;
mod files;
mod json;
mod junit;
mod memory;
mod sarif;
mod test;
mod text;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use objchange_plan::policy::{
    InputMode, Options, Outcome, Policies, PolicyError, RuleVerdict, Severity, Value, Verdicts, Warning,
};

use crate::documents::{self, Document, ErroredPlans, Inputs, Wanted};
use crate::exit;
use crate::reports::{self, Reports, junit::Junit, sarif::Sarif};

const AFTER_HELP: &str = "\
A plan is the output of `terraform show -json PLANFILE`: a file, a glob in quotes, a folder, or `-`, which is read where \
no plan is named; one plan, or one a line. With more than one plan each line names its file.

Rules are called as conftest calls them: deny, deny_*, violation and violation_* are failures, warn and warn_* warnings; \
sets of texts, or of objects with `msg`. All packages with such rules are evaluated (conftest: `main` alone), or those \
of --namespace. `exception` rules work as with conftest. Files called *_test.rego are left out of folders.

Policies see the collections that Sentinel has as input.tfplan, input.tfstate and input.tfconfig, and the document as \
input.plan; for policies that look at its parts, as those for conftest do, the document is `input` itself. Beside the `after` of \
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
  objchange policy plan.json --rego conftest-policies/ --namespace main --data settings.yaml
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
    #[arg(long, value_enum, default_value = "auto", value_name = "WHAT")]
    input: Input,

    /// Evaluate the rules of this package only. May be repeated
    #[arg(long, value_name = "PACKAGE")]
    namespace: Vec<String>,

    /// Evaluate the rules of these names instead, with `*` and `?`. May be repeated
    #[arg(long, value_name = "GLOB")]
    rules: Vec<String>,

    /// A document that policies see in `data` (JSON or YAML), or a folder of them. May be repeated
    #[arg(long, value_name = "FILE|DIR")]
    data: Vec<PathBuf>,

    /// Let policies use functions that need the network
    #[arg(long)]
    allow_net: bool,

    /// A rule fails where a built-in function fails
    #[arg(long)]
    strict_builtin_errors: bool,

    /// What makes the exit code 1
    #[arg(long, value_enum, default_value = "deny", value_delimiter = ',', value_name = "WHAT")]
    fail_on: Vec<FailOn>,

    /// How many seconds compiling the policies may take, and evaluating them for a plan
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// How many MiB of memory the program may hold while it evaluates policies (on Linux)
    #[arg(long, default_value = "4096", value_name = "MIB", value_parser = clap::value_parser!(u64).range(64..))]
    memory: u64,

    #[command(flatten)]
    errored: ErroredPlans,

    #[command(flatten)]
    reports: Reports,
}

#[derive(Debug, Subcommand)]
enum Command {
    Test(test::Args),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Input {
    /// What the policies look at
    Auto,
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
    if let Some(problem) = args.reports.problem() {
        return exit::unusable(&problem);
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
    let data = match data::read(&args.data, &args.rego) {
        Ok(data) => data,
        Err(error) => return exit::unusable(&error),
    };
    let policies = match Policies::compile(&files, options(args, data)) {
        Ok(policies) => policies,
        Err(error) => return exit::unusable(&error),
    };
    let reports = &args.reports;
    let mut text = reports.has_text().then(text::Text::new);
    let mut junit = Junit::new("objchange policy");
    let mut sarif = Sarif::new("objchangePolicy/v1");
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
        for Warning { place, message, .. } in &judged.verdicts.warnings {
            let warning = format!("{place}: {message}; the condition was undefined");
            exit::warn(&match name {
                Some(name) => format!("{name}: {warning}"),
                None => warning,
            });
        }
        if let Some(text) = &mut text {
            text.judged(name, &judged)?;
        }
        if reports.junit.is_some() {
            junit::judged(&mut junit, &judged);
        }
        if reports.sarif.is_some() {
            sarif::judged(&mut sarif, &judged);
        }
        if reports.json { json::write(&judged) } else { Ok(()) }
    };
    let summary = memory::limited(args.memory, &policies, || {
        documents::for_each(&inputs, Wanted::PLANS, args.errored, answer, print)
    })?;
    if let Some(text) = text {
        text.finish()?;
    }
    if let Some(path) = &reports.junit {
        reports::write(path, &junit.finish())?;
    }
    if let Some(path) = &reports.sarif {
        reports::write(path, &sarif.finish())?;
    }
    Ok(match summary.failed {
        0 if is_failed => ExitCode::from(exit::FAILED),
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::UNUSABLE),
    })
}

fn options(args: &Args, data: Value) -> Options {
    // Many plans are evaluated side by side, and the rules for one of them on one core.
    let is_one = matches!(&args.plans[..], [plan] if !plan.is_dir());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut options = Options::default();
    options.input = match args.input {
        Input::Auto => InputMode::Auto,
        Input::Collections => InputMode::Collections,
        Input::Raw => InputMode::Raw,
    };
    options.packages.clone_from(&args.namespace);
    options.rules.clone_from(&args.rules);
    options.allows_network = args.allow_net;
    options.strict_builtin_errors = args.strict_builtin_errors;
    // What the evaluator counts is what it ever made. Where the system tells what is held, that ends it earlier.
    options.memory = args.memory.saturating_mul(8 << 20);
    options.data = data;
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
        (Outcome::Fail, Severity::Failure) | (Outcome::Error, _) => true,
        (Outcome::Fail, Severity::Warning) => is(FailOn::Warn),
        (Outcome::Undecided, Severity::Failure) => is(FailOn::Undecided),
        _ => false,
    }
}
