//! `objchange sentinel apply`: applies policies to plans.
//!
//! ```text
//! set ── policies, compiled once ──▶ AppliedPolicy::judge ── one policy over one plan ──▶ text, JSON, JUnit, SARIF
//! ```

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use objchange_document::{DocumentError, DocumentKind, PlanFile};
use objchange_finding::Case;
use objchange_policy::locate;
use objchange_policy::rego::Internet;
use objchange_policy::sentinel::configuration::{Level, PolicySource};
use objchange_policy::sentinel::files::{NamedPolicies, ReplacedImport, read_policies};
use objchange_policy::sentinel::judge::Judged;
use objchange_policy::sentinel::report::{
    OnUnknown, PolicyLine, TextReport, exit_code, policy_case, policy_rule,
};
use objchange_policy::sentinel::set::{AppliedPolicy, SetOptions, check_globals, check_params};
use objchange_policy::sentinel::{Document, Imports, RunLimits, parse_time};
use objchange_sentinel::Setup;
use serde_json::Value as Json;

use super::limits::{LimitArgs, explain};
use super::mock::read_run;
use crate::arguments::{Assignment, address_and_directory};
use crate::clock::now_ns;
use crate::documents::{self, BrokenPlans};
use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::input::{Size, Source};
use crate::module_plan::{ForModules, PlanInputs, PlanningArgs, is_module, state_choice};
use crate::options::{MaskArgs, MaxInput};
use crate::reports::{Reporter, Reports};
use crate::schemas::SchemaArgs;
use crate::terminal;
use objchange_project::pool;
use objchange_project::{InputDocument, PlanFileReader, WantedDocuments};

const AFTER_HELP: &str = "\
A plan is the output of `terraform show -json PLANFILE`: a file, a quoted glob, a folder, or `-` for standard input, \
which is read if no plan is named and a policy imports one. A file holds one plan, or one a line. With several plans \
each line names its file. A directory with configuration files and no policies is planned as a module, without its \
providers: a verdict that depends on what only the providers know is undefined.

A policy is a file, or a policy set: its configuration, or a folder with a sentinel.hcl. In any other folder all \
*.sentinel files are applied. A policy in a folder or below it that is not applied is an error. Policies import tfplan/v2, tfconfig/v2, tfstate/v2 (the prior state, or --state) and \
tfrun (--run).

Sensitive values can be compared. Output that depends on one is hidden.

Exit codes:
  0  all policies pass, or only advisory ones fail
  1  a soft-mandatory (see --override) or hard-mandatory policy fails
  2  such a policy is undefined, an input cannot be used, or the output cannot be written
  3  such a policy cannot be read or evaluated

Examples:
  terraform show -json tfplan | objchange sentinel apply policies/
  objchange sentinel apply limit-cost.sentinel plan.json --param limit=500 --trace
  objchange sentinel apply sentinel.hcl --plan 'plans/*.json' --json > verdicts.jsonl
  objchange sentinel apply policies/ --plan environments/prod --schemas schemas.json
  objchange sentinel apply sentinel.hcl --plan plan.json --run run.json --sarif policies.sarif --junit policies.xml";

/// Apply policies to plans
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Policies, configurations of policy sets, or folders of either; and plans (*.json)
    #[arg(value_name = "POLICY|sentinel.hcl|DIR|PLAN.json", required = true)]
    policies: Vec<PathBuf>,

    /// Plans, and directories of modules to plan; `-` is standard input. Can be repeated
    #[arg(long, value_name = "PLAN")]
    plan: Vec<PathBuf>,

    /// State for `tfstate/v2` (default: the plan's prior state); for a module, also its prior state
    #[arg(long, value_name = "STATE")]
    state: Option<PathBuf>,

    /// Data for the `tfrun` import, as a JSON object
    #[arg(long, value_name = "RUN.json")]
    run: Option<PathBuf>,

    /// Modules, static data and parameters for policies named directly
    #[arg(long, value_name = "sentinel.hcl")]
    config: Option<PathBuf>,

    /// Take policies and modules whose source begins with this address from a folder, such as a clone of their
    /// repository. Can be repeated
    #[arg(long, value_name = "ADDRESS=DIR", value_parser = policy_source)]
    policy_source: Vec<PolicySource>,

    /// Set a parameter, as JSON or text; overrides all other values. Can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = Assignment.map(param))]
    param: Vec<(String, Json)>,

    /// Set a global name for all policies and modules, as JSON or text. Can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = Assignment.map(param))]
    global: Vec<(String, Json)>,

    /// Enforcement level of policies named directly
    #[arg(long, value_enum, default_value = "hard-mandatory", value_name = "LEVEL")]
    level: Binding,

    /// Let soft-mandatory policies fail
    #[arg(long = "override")]
    overrides: bool,

    /// Show each rule that was evaluated with its value, also of policies that pass
    #[arg(long)]
    trace: bool,

    /// How to judge if the verdict depends on unknown values
    #[arg(long, value_enum, default_value = "undefined", value_name = "WHAT")]
    unknown: UnknownArg,

    /// The current time for policies, e.g. 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    now: Option<i64>,

    /// Let policies use the network by the import `http`. They can send everything they see, including sensitive
    /// values
    #[arg(long)]
    allow_net: bool,

    #[command(flatten)]
    broken: BrokenPlans,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    reports: Reports,

    #[command(flatten)]
    max_input: MaxInput,

    #[command(flatten)]
    schemas: SchemaArgs,

    #[command(flatten)]
    mask: MaskArgs,

    #[command(flatten)]
    module: ForModules<ModuleOptions>,
}

/// How directories of modules are planned. `--state` is not only for them.
#[derive(Debug, Clone, clap::Args)]
struct ModuleOptions {
    /// Plan a module without a prior state: nothing exists yet
    #[arg(long, conflicts_with = "state")]
    no_state: bool,

    #[command(flatten)]
    planning: PlanningArgs,
}

impl Args {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        &self.mask
    }

    /// The inputs for planning those plans that are directories of modules.
    fn inputs(&self, plans: &[PathBuf]) -> Result<PlanInputs<'_>, CommandError> {
        let ModuleOptions { no_state, planning } = self.module.used_for(plans)?;
        Ok(PlanInputs {
            state: state_choice(self.state.as_deref(), *no_state),
            mask: &self.mask,
            is_strict: true,
            must_be_whole: true,
            max_input: self.max_input.size,
            ..PlanInputs::new(planning, &self.schemas)
        })
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Binding {
    Advisory,
    SoftMandatory,
    HardMandatory,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnknownArg {
    /// Unknown values are undefined, as in Sentinel
    Undefined,
    /// The policy fails
    Fail,
    /// The report lists the unknown values and the rules that depend on them
    Report,
}

impl UnknownArg {
    fn on_unknown(self) -> OnUnknown {
        match self {
            Self::Undefined => OnUnknown::Undefined,
            Self::Fail => OnUnknown::Fail,
            Self::Report => OnUnknown::Report,
        }
    }
}

/// The folder has to exist: without it, policies would be refused one by one.
fn policy_source(text: &str) -> Result<PolicySource, &'static str> {
    match address_and_directory(text)? {
        (address, folder) if folder.exists() => Ok(PolicySource { address, folder }),
        _ => Err("there is no such folder"),
    }
}

/// A value is JSON, or else text.
fn param((name, value): (String, String)) -> (String, Json) {
    (name, serde_json::from_str(&value).unwrap_or_else(|_| Json::from(value)))
}

/// A plan, and the verdict of each policy on it.
struct Answer {
    /// `None` if no policy needs one.
    plan: Option<PlanFile>,
    judged: Vec<Judged>,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let outputs = args.reports.outputs();
    let mut reporter = Reporter::new("objchange sentinel apply", "objchangeSentinel/v1", outputs)?;
    if args.trace && !reporter.has_text() {
        return Err(
            "--trace is part of the text, which is not printed with --json, --junit - or --sarif -".into()
        );
    }
    let (named, mut plans) = plans_of(&args.policies, args.max_input.size).map_err(unusable)?;
    plans.extend_from_slice(&args.plan);
    if named.is_empty() {
        return Err("no policy is named; all files are plans".into());
    }
    let modules = args.inputs(&plans)?;
    let given = SharedInputs::read(args, &named);
    let (policies, replaced, state, run) = match given {
        Ok(SharedInputs { policies, replaced, state, run }) => (policies, replaced, state, run),
        Err(error) => return Err(unusable(error)),
    };
    // Facts about a run that the plan would give may be given by `--run`.
    let is_told = run.as_ref().is_some_and(|run| run.get("is_destroy").is_some());
    let without_plan = [state.as_ref().map(|_| "tfstate/v2"), is_told.then_some("tfrun")];
    let without_plan: Vec<&str> = without_plan.into_iter().flatten().collect();
    let needs_plan = !plans.is_empty() || policies.iter().any(|applied| applied.needs_plan(&without_plan));
    let is_provided = |one: &&ReplacedImport| match one.import {
        "tfstate/v2" => needs_plan || state.is_some(),
        "tfrun" => needs_plan || run.is_some(),
        _ => needs_plan,
    };
    if let Some(one) = replaced.iter().find(is_provided) {
        return Err(unusable(&one.fault));
    }
    if plans.is_empty() {
        plans.push(PathBuf::from("-"));
    }
    let given = args.schemas.load(modules.max_input).map_err(|error| unusable(hints::schemas(&error)))?;
    let state = match (state, given.for_documents()) {
        (Some(state), Some(schemas)) => Some(state.with_schemas(&schemas).map_err(unusable)?),
        (state, _) => state,
    };
    let state = state.as_ref().map(state_document).transpose().map_err(unusable)?;
    let inputs = documents::find(&plans, WantedDocuments::PLANS, &modules)?;
    let manner =
        RunOptions { now: args.now.unwrap_or_else(now_ns), limits: args.limits.of_each(policies.len()) };
    let unknown = args.unknown.on_unknown();
    let mut text = reporter.has_text().then(|| TextReport::new(args.trace, unknown));
    let mut worst = 0;
    let answer = |document: &InputDocument| {
        let file = &document.file;
        let complaint = |error: DocumentError| file.error(error).to_string();
        if file.plan().is_none() {
            return Err(format!("{}: this is a state; pass it with --state, and a plan", file.name()));
        }
        file.judged().map_err(|error| error.to_string())?;
        let plan = Arc::new(Document::new(file.clone()).map_err(complaint)?);
        let imports = || with_network(Imports::new(&plan, state.as_ref(), run.as_ref()), args.allow_net);
        let judged = judge_all(&policies, imports, manner, document.is_alone);
        Ok(Answer { plan: Some(file.clone()), judged: judged.map_err(complaint)? })
    };
    let nothing = PlanFile::parse("no plan", NO_PLAN.to_owned()).map_err(unusable)?;
    let nothing = Arc::new(Document::new(nothing).map_err(unusable)?);
    let mut handle = |name: Option<&str>, answer: Answer| {
        let all = || std::iter::zip(&policies, &answer.judged);
        if let Some(text) = &mut text {
            let mut out = terminal::stdout();
            text.answer(&mut out, name, all())?;
            out.flush()?;
        }
        let plan = answer.plan.as_ref().map_or("", PlanFile::name);
        reporter.report.suite(plan, Some(plan));
        for (applied, judged) in all() {
            let mut case = policy_case(applied, judged, unknown, args.overrides);
            answer.plan.iter().for_each(|plan| locate(&mut case, plan));
            worst = worst.max(exit_code(judged, &case));
            reporter.report.rule(&policy_rule(applied, judged));
            reporter.report.case(&case);
        }
        reporter.json(all().map(|(applied, judged)| PolicyLine::new(plan, applied, judged)))
    };
    let summary = if needs_plan {
        documents::for_each(&inputs, WantedDocuments::PLANS, args.broken, answer, handle)?
    } else {
        let imports =
            || with_network(Imports::without_plan(&nothing, state.as_ref(), run.as_ref()), args.allow_net);
        match judge_all(&policies, imports, manner, true) {
            Ok(judged) => handle(None, Answer { plan: None, judged })?,
            Err(error) => return Err(unusable(error)),
        }
        documents::Summary { answered: 1, ..documents::Summary::default() }
    };
    if summary.answered == 0 && summary.failures.is_empty() {
        return Err("there is no plan to apply policies to".into());
    }
    if let Some(text) = text.filter(|_| summary.answered > 0) {
        let mut out = terminal::stdout();
        text.finish(&mut out)?;
        out.flush()?;
    }
    reporter.not_judged(&summary);
    Ok(ExitCode::from(worst.max(reporter.finish()?.code())))
}

fn with_network(imports: Imports, is_allowed: bool) -> Imports {
    if is_allowed { imports.with_network(Arc::new(Internet)) } else { imports }
}

/// The plan for policies that import nothing of a plan.
const NO_PLAN: &str = r#"{"format_version":"1.2"}"#;

/// The policies and the plans among what is named.
fn plans_of(named: &[PathBuf], limit: Size) -> Result<(Vec<PathBuf>, Vec<PathBuf>), String> {
    let mut found = (Vec::new(), Vec::new());
    for path in named {
        let is_json = path.extension().is_some_and(|extension| extension == "json") && path.is_file();
        let is_plan = is_module_alone(path)
            || is_json
                && DocumentKind::detect(&text_of(path, limit)?).is_ok_and(|kind| kind == DocumentKind::Plan);
        if is_plan { found.1.push(path.clone()) } else { found.0.push(path.clone()) }
    }
    Ok(found)
}

/// Whether a directory holds a module, and no policies.
fn is_module_alone(path: &Path) -> bool {
    let is_policy = |name: &std::ffi::OsStr| {
        name == "sentinel.hcl" || Path::new(name).extension().is_some_and(|end| end == "sentinel")
    };
    let has_policies = || {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).any(|name| is_policy(&name))
    };
    is_module(path) && !has_policies()
}

/// The inputs that all plans share.
struct SharedInputs {
    policies: Vec<AppliedPolicy>,
    /// The imports of Terraform data that configurations replace.
    replaced: Vec<ReplacedImport>,
    state: Option<PlanFile>,
    run: Option<Json>,
}

impl SharedInputs {
    fn read(args: &Args, policies: &[PathBuf]) -> Result<Self, String> {
        let level = match args.level {
            Binding::Advisory => Level::Advisory,
            Binding::SoftMandatory => Level::SoftMandatory,
            Binding::HardMandatory => Level::HardMandatory,
        };
        let options = SetOptions { params: &args.param, level, folders: &args.policy_source };
        let named = read_policies(policies, args.config.as_deref(), options, &|warning| {
            exit::warn(&warning.to_string());
        });
        let named = named.map_err(|error| error.to_string())?;
        let NamedPolicies { mut policies, replaced, .. } = named;
        for applied in &mut policies {
            applied.globals.extend(args.global.iter().cloned());
        }
        let faults = policies.iter().filter_map(|applied| applied.compiled.as_ref().err());
        // Only the first of them is in reports.
        for fault in faults.flat_map(|faults| faults.iter().skip(1)) {
            exit::warn(&fault.to_string());
        }
        check_globals(&policies, &args.global).map_err(|error| error.to_string())?;
        check_params(&policies, &args.param)
            .map_err(|error| error.to_string())?
            .iter()
            .for_each(|warning| exit::warn(warning));
        let state = args.state.as_deref().map(|path| state(path, args)).transpose()?;
        let run = args.run.as_deref().map(|path| read_run(path, args.max_input.size)).transpose()?;
        Ok(Self { policies, replaced, state, run })
    }
}

fn text_of(path: &Path, limit: Size) -> Result<String, String> {
    Source::new(path).read_as_allowed(limit.0).map_err(|error| hints::input(&error))
}

fn state(path: &Path, args: &Args) -> Result<PlanFile, String> {
    let reader = PlanFileReader::default().masking(args.mask.names());
    let read = reader.read(&Source::new(path), args.max_input.size.0);
    let file = read.map_err(|error| hints::plan_input(&error))?;
    exit::notices(file.notices());
    match file.plan() {
        Some(_) => Err(format!("{}: this is a plan; pass it with --plan", path.display())),
        None => Ok(file),
    }
}

fn state_document(file: &PlanFile) -> Result<Arc<Document>, String> {
    let document = Document::new(file.clone()).map_err(|error| file.error(error).to_string())?;
    Ok(Arc::new(document))
}

/// The policies of `review`: as applied without options, where undecided ones fail.
pub(crate) struct PolicySet(Vec<AppliedPolicy>);

impl PolicySet {
    /// Reads policies, folders of them, and configurations of policy sets.
    pub(crate) fn read(named: &[PathBuf]) -> Result<Self, CommandError> {
        let options = SetOptions { params: &[], level: Level::HardMandatory, folders: &[] };
        let read = read_policies(named, None, options, &|warning| exit::warn(&warning.to_string()));
        let NamedPolicies { policies, replaced, .. } = read.map_err(unusable)?;
        if let Some(one) = replaced.first() {
            return Err(unusable(&one.fault));
        }
        check_globals(&policies, &[]).map_err(unusable)?;
        Ok(Self(policies))
    }

    /// The verdict of each policy on a plan.
    pub(crate) fn cases(&self, file: &PlanFile) -> Result<Vec<Case>, String> {
        let complaint = |error: DocumentError| file.error(error).to_string();
        let plan = Arc::new(Document::new(file.clone()).map_err(complaint)?);
        let imports = || Imports::new(&plan, None, None);
        let manner = RunOptions { now: now_ns(), limits: LimitArgs::STANDARD.of_each(self.0.len()) };
        let judged = judge_all(&self.0, imports, manner, false).map_err(complaint)?;
        let all = std::iter::zip(&self.0, &judged);
        let case = |(applied, judged)| {
            let mut case = policy_case(applied, judged, OnUnknown::Fail, false);
            locate(&mut case, file);
            case
        };
        Ok(all.map(case).collect())
    }
}

/// All policies over one plan. They run in parallel if no other plan keeps the cores busy.
fn judge_all(
    policies: &[AppliedPolicy],
    imports: impl Fn() -> Imports + Sync,
    manner: RunOptions,
    is_alone: bool,
) -> Result<Vec<Judged>, DocumentError> {
    if !is_alone {
        let imports = imports();
        return policies.iter().map(|applied| manner.judge(applied, &imports)).collect();
    }
    // Each is of one thread at a time.
    let idle: Mutex<Vec<Imports>> = Mutex::default();
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |applied: &AppliedPolicy| {
        let own = lock().pop();
        let own = own.unwrap_or_else(&imports);
        let judged = manner.judge(applied, &own);
        lock().push(own);
        judged
    };
    let mut all = Vec::with_capacity(policies.len());
    pool::each(policies, work, |judged| judged.map(|judged| all.push(judged)))?;
    Ok(all)
}

/// How policies are run.
#[derive(Debug, Clone, Copy)]
struct RunOptions {
    /// The current time, in nanoseconds since 1970.
    now: i64,
    limits: RunLimits,
}

impl RunOptions {
    /// Evaluates a policy for a plan; the error is one of the plan.
    fn judge(self, applied: &AppliedPolicy, imports: &Imports) -> Result<Judged, DocumentError> {
        let limit = self.limits.begin();
        let prepare = |setup: &mut Setup| {
            setup.now = self.now;
            limit(setup);
        };
        let mut judged = applied.judge(imports, prepare)?;
        judged.error.iter_mut().for_each(|fault| {
            explain(fault);
            // Tests have mocks alone.
            if fault.needs_network {
                fault.message += "; allow it with --allow-net";
            }
        });
        Ok(judged)
    }
}
