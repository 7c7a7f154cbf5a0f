//! `objchange policy`: evaluates Rego policies over plans.

mod check;
mod config_files;
mod memory;
mod test;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use objchange_finding::{Annotations, Case, Gate};
use objchange_policy::locate;
use objchange_policy::rego::{
    DataFile, InputMode, Internet, Network, Options, PlanLine, Policies, PolicyData, PolicyError,
    RuleVerdict, TextReport, Value, Verdicts, Warning, read_data, read_policies, refuse_rules_in_tests,
};

use self::config_files::FilesBesidePolicies;
use crate::clock::now_ns;
use crate::documents::{self, BrokenPlans};
use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::input::Source;
use crate::module_plan::ModuleArgs;
use crate::options::MaskArgs;
use crate::reports::{Reporter, Reports};
use crate::terminal;
use objchange_document::PlanFile;
use objchange_project::pool;
use objchange_project::{InputDocument, WantedDocuments};

const AFTER_HELP: &str = "\
A plan is the output of `terraform show -json PLANFILE`: a file, a quoted glob, a folder, or `-` for standard input \
(the default). A file holds one plan, or one a line. With several plans each line names its file. A directory with \
configuration files is planned as a module, without its providers: rules that depend on what only the providers know \
are undecided.

Rules have conftest's names: deny, deny_*, violation and violation_* are failures, warn and warn_* are warnings. \
They are sets of strings, or of objects with `msg`. All packages with such rules are evaluated (conftest: only \
`main`), or those of --namespace. `exception` rules work as in conftest. In folders, *_test.rego files are skipped; one \
with a rule that would be evaluated elsewhere is an error.

Policies see Sentinel's collections as input.tfplan, input.tfstate and input.tfconfig, the document as input.plan, \
and the data of --run as input.run. For policies that read the document's own fields, as conftest's do, `input` is the \
document. A rule that reads a field that no plan has is refused: it would pass every plan, or none. Beside `after`, each change has `after_full`, with {\"$unknown\": {}} for each unknown value. A rule that reads an unknown \
value is undecided, and the report lists what it waits for.

Sensitive values can be compared. A message made from one is not printed.

Exit codes:
  0  no deny or violation rule fails or is undecided (see --fail-on)
  1  one fails or is undecided
  2  a policy or a plan cannot be used, or the output cannot be written

Examples:
  terraform show -json tfplan | objchange policy --rego policy/
  objchange policy plan.json --rego policy/ --fail-on warn,undecided
  objchange policy plan.json --rego policy/ --fail-on deny
  objchange policy plan.json --rego conftest-policies/ --namespace main --data settings.yaml
  objchange policy 'plans/*.json' --rego policy/ --json > verdicts.jsonl
  objchange policy plan.json --rego policy/ --sarif policy.sarif --junit policy.xml
  objchange policy environments/prod --schemas schemas.json --var-file prod.tfvars --rego policy/
  objchange policy check policy/
  objchange policy test policy/";

/// Which rules are evaluated, and over which documents.
#[derive(Debug, clap::Args)]
struct ChosenRules {
    /// Form of `input` for policies
    #[arg(long, value_enum, default_value = "auto", value_name = "WHAT")]
    input: Input,

    /// Evaluate only rules of this package, with `*` and `?`; it must have one. Can be repeated
    #[arg(long, value_name = "PACKAGE")]
    namespace: Vec<String>,

    /// Evaluate rules with these names instead, with `*` and `?`; one must match. Can be repeated
    #[arg(long, value_name = "GLOB")]
    rules: Vec<String>,

    /// A JSON or YAML document for `data`, or a folder of them. Can be repeated
    #[arg(long, value_name = "FILE|DIR")]
    data: Vec<PathBuf>,
}

impl ChosenRules {
    /// Puts the choice into options, all but the data.
    fn set(&self, options: &mut Options) {
        options.input = self.input.mode();
        options.packages.clone_from(&self.namespace);
        options.rules.clone_from(&self.rules);
    }
}

/// Evaluate Rego policies over plans
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// Plans, and directories of modules to plan; `-`, or nothing, is standard input
    #[arg(value_name = "PLAN", default_value = "-")]
    plans: Vec<PathBuf>,

    /// A policy, or a folder of policies (`*.rego`, recursively). Can be repeated
    #[arg(long, value_name = "DIR|FILE", required = true, num_args = 1..)]
    rego: Vec<PathBuf>,

    /// Data of the run for `input.run` (with --input wrapped: `input.tfrun`), as a JSON object
    #[arg(long, value_name = "RUN.json")]
    run: Option<PathBuf>,

    #[command(flatten)]
    chosen: ChosenRules,

    /// Let policies use the network (`http.send`, `net.lookup_ip_addr`). They can send everything they see,
    /// including sensitive values
    #[arg(long)]
    allow_net: bool,

    /// Treat errors of built-in functions as failures
    #[arg(long)]
    strict_builtin_errors: bool,

    /// Results that set the exit code to 1
    #[arg(long, value_enum, default_value = "undecided", value_delimiter = ',', value_name = "WHAT")]
    fail_on: Vec<FailOn>,

    /// Timeout in seconds for compiling, and for each plan
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Memory limit in MiB for the process (Linux)
    #[arg(long, default_value = "4096", value_name = "MIB", value_parser = clap::value_parser!(u64).range(64..))]
    memory: u64,

    /// Show the conditions of each rule, also of rules that pass: which held, with which values, and where evaluation ended
    #[arg(long, conflicts_with = "json")]
    trace: bool,

    #[command(flatten)]
    broken: BrokenPlans,

    /// Form of what is printed: text for people, or annotations for GitHub Actions or Azure Pipelines
    #[arg(long, value_enum, default_value = "text", value_name = "FORM", conflicts_with = "json")]
    format: Format,

    #[command(flatten)]
    reports: Reports,

    #[command(flatten)]
    module: ModuleArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Test(test::Args),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Input {
    /// Detect from what the policies read
    Auto,
    /// The collections of plan, state and configuration
    Collections,
    /// The document itself
    Raw,
    /// The document as input.tfplan, as on some platforms
    Wrapped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each finding, and a summary
    Text,
    /// Workflow commands of GitHub Actions
    Github,
    /// Logging commands of Azure Pipelines
    Azure,
}

impl Format {
    fn annotations(self) -> Option<Annotations> {
        match self {
            Self::Text => None,
            Self::Github => Some(Annotations::Github),
            Self::Azure => Some(Annotations::Azure),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A deny or violation rule fails
    Deny,
    /// Also if a warn rule fails, or any rule is undecided until apply
    Warn,
    /// Also if a deny or violation rule is undecided until apply
    Undecided,
    /// Nothing
    Never,
}

/// A plan, and the verdicts of the policies on it.
struct Judged {
    plan: PlanFile,
    verdicts: Verdicts,
}

impl Args {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        self.module.mask()
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    match &args.command {
        Some(Command::Check(args)) => return check::run(args),
        Some(Command::Test(args)) => return test::run(args),
        None => {}
    }
    let mut reporter = Reporter::new("objchange policy", "objchangePolicy/v1", args.reports.outputs())?;
    if args.fail_on.contains(&FailOn::Never) && args.fail_on.len() > 1 {
        return Err("--fail-on never cannot be combined with others".into());
    }
    // --rego takes several values, so it also takes the plans that are named behind it.
    if let Some(plan) = args.rego.iter().find(|path| path.extension().is_some_and(|end| end == "json")) {
        return Err(unusable(format!("{}: this is not a policy; name plans before --rego", plan.display())));
    }
    let modules = args.module.inputs(&args.plans)?;
    let files = read_policies(&args.rego).map_err(unusable)?;
    let inputs = documents::find(&args.plans, WantedDocuments::PLANS, &modules)?;
    // OPA loads the JSON and YAML files beside policies as `data`, so the folders of policies are read, too.
    let PolicyData { value: data, left_out } = read_data(&args.chosen.data, &args.rego).map_err(unusable)?;
    let run = args.run.as_deref().map(read_run).transpose().map_err(unusable)?;
    if run.is_some() && args.chosen.input == Input::Raw {
        return Err("--run has no effect with --input raw: the document has no data of the run".into());
    }
    let mut options = options(args, data, run);
    options.data_left_out = left_out;
    let unusable_policy = |error| unusable(hints::policy(&error));
    // Files of tests are not evaluated: a deny rule in one was skipped, and the gate was green.
    let warnings = refuse_rules_in_tests(&files.tests, &options).map_err(unusable_policy)?;
    warnings.iter().for_each(|warning| exit::warn(warning));
    let policies = Policies::compile(&files.policies, options).map_err(unusable_policy)?;
    let annotations = args.format.annotations();
    if annotations.is_some() && !reporter.has_text() {
        return Err("--format github and azure print to standard output, where another report goes".into());
    }
    let mut text = (reporter.has_text() && annotations.is_none()).then(TextReport::default);
    if args.trace && text.is_none() {
        return Err("--trace prints to standard output, where another report goes".into());
    }
    let gate = gate(&args.fail_on);
    let answer = |document: &InputDocument| match policies.evaluate(&document.file) {
        Ok(verdicts) => Ok(Judged { plan: document.file.clone(), verdicts }),
        Err(error) => Err(complaint(&document.file, &error)),
    };
    let print = |name: Option<&str>, judged: Judged| {
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
            let mut out = terminal::stdout();
            text.verdicts(&mut out, name, &judged.verdicts)?;
            out.flush()?;
        }
        let plan = judged.plan.name();
        reporter.report.suite(plan, Some(plan));
        for verdict in &judged.verdicts.rules {
            let mut case = verdict.case(gate);
            locate(&mut case, &judged.plan);
            if let Some(annotations) = annotations {
                annotations.write(&mut terminal::stdout(), &case)?;
            }
            reporter.report.rule(&verdict.reported_rule());
            reporter.report.case(&case);
        }
        reporter.json([PlanLine::new(plan, &judged.verdicts)])
    };
    let summary = memory::limited(args.memory, &policies, || {
        documents::for_each(&inputs, WantedDocuments::PLANS, args.broken, answer, print)
    })?;
    if let Some(text) = text {
        let mut out = terminal::stdout();
        text.finish(&mut out)?;
        out.flush()?;
    }
    reporter.not_judged(&summary);
    Ok(ExitCode::from(reporter.finish()?.code()))
}

/// The policies of `review`: as evaluated without options.
pub(crate) fn for_review(rego: &[PathBuf]) -> Result<Policies, CommandError> {
    let files = read_policies(rego).map_err(unusable)?;
    let PolicyData { value: data, left_out } = read_data(&[], rego).map_err(unusable)?;
    let mut options = Options::new(now_ns);
    options.memory = 4096 << 20;
    options.timeout = Duration::from_secs(60);
    options.threads = 1;
    options.data = data;
    options.data_left_out = left_out;
    let unusable_policy = |error| unusable(hints::policy(&error));
    let warnings = refuse_rules_in_tests(&files.tests, &options).map_err(unusable_policy)?;
    warnings.iter().for_each(|warning| exit::warn(warning));
    Policies::compile(&files.policies, options).map_err(unusable_policy)
}

/// The verdict of each rule on a plan, as this gate judges it.
pub(crate) fn cases(policies: &Policies, file: &PlanFile, gate: Gate) -> Result<Vec<Case>, String> {
    let verdicts = policies.evaluate(file).map_err(|error| complaint(file, &error))?;
    let located = |verdict: &RuleVerdict| {
        let mut case = verdict.case(gate);
        locate(&mut case, file);
        case
    };
    Ok(verdicts.rules.iter().map(located).collect())
}

impl Input {
    fn mode(self) -> InputMode {
        match self {
            Self::Auto => InputMode::Auto,
            Self::Collections => InputMode::Collections,
            Self::Raw => InputMode::Raw,
            Self::Wrapped => InputMode::Wrapped,
        }
    }
}

/// The network for policies, if they may use it.
fn network(is_allowed: bool) -> Option<Arc<dyn Network>> {
    is_allowed.then(|| Arc::new(Internet) as Arc<dyn Network>)
}

fn options(args: &Args, data: Value, run: Option<Value>) -> Options {
    // Many plans are evaluated side by side, and the rules for one of them on one core.
    let is_one = matches!(&args.plans[..], [plan] if !plan.is_dir());
    let mut options = Options::new(now_ns);
    args.chosen.set(&mut options);
    options.network = network(args.allow_net);
    options.config_files = Some(Arc::new(FilesBesidePolicies::default()));
    options.strict_builtin_errors = args.strict_builtin_errors;
    // The evaluator counts everything that it ever made. Where the system reports the memory in use, that limit applies
    // first.
    options.memory = args.memory.saturating_mul(8 << 20);
    options.trace = args.trace;
    options.data = data;
    options.run = run;
    options.timeout = Duration::from_secs(args.timeout);
    options.threads = if is_one { pool::cores() } else { 1 };
    options
}

/// The data of a run in a file.
fn read_run(path: &Path) -> Result<Value, String> {
    let source = Source::new(path);
    let text = source.read().map_err(|error| error.to_string())?;
    let file = DataFile { name: source.to_string(), path: Vec::new(), text, is_yaml: false };
    DataFile::merge(&[file]).map_err(|error| error.to_string())
}

fn complaint(file: &PlanFile, error: &PolicyError) -> String {
    match error.document() {
        Some(error) => file.error(error.clone()).to_string(),
        None => format!("{}: {}", file.name(), hints::policy(error)),
    }
}

fn gate(on: &[FailOn]) -> Gate {
    Gate {
        never: on.contains(&FailOn::Never),
        warnings: on.contains(&FailOn::Warn),
        undecided: on.contains(&FailOn::Undecided),
    }
}
