//! `objchange review`: one report about plans, for the comment on a pull request.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use objchange_document::{PlanFile, Program, Schemas, document_warnings, incompleteness_warning};
use objchange_finding::{Case, Gate as FindingGate, Outcome};
use objchange_plan::compare::{HashKey, HashedPlan};
use objchange_plan::render::{
    HtmlOptions, MarkdownOptions, PolicyOutcome, PolicyResult, Review, ReviewedPlan,
};
use objchange_plan::report::{Gate, GateCondition, Selection, ShowError};
use objchange_plan::{Colour, Filter, Options, Report, compare_complaint};
use objchange_policy::rego::Policies;
use objchange_project::{InputDocument, WantedDocuments};

use crate::documents::{self, BrokenPlans};
use crate::exit::{self, CommandError, FAILED, unusable};
use crate::module_plan::ModuleArgs;
use crate::options::MaskArgs;
use crate::sentinel::PolicySet;
use crate::show::{IgnoreArgs, MarkdownArgs, condition, need_format, unmatched_ignores};
use crate::style::colour;
use crate::terminal;
use crate::write_file::{Access, write_file};

const AFTER_HELP: &str = "\
The report has the counts of each plan, its destroyed and replaced objects, the results of policies, the approval hash, \
checks, drift, and the changes themselves. If it would be too long it keeps what comes first here, and counts what is left \
out by action.

Exit codes:
  0  the report is written, and nothing refuses a plan
  1  --fail-on or a policy refuses a plan; policies that are undecided do, too
  2  an input, a policy or the key cannot be used, or the report cannot be written

Examples:
  objchange review tfplan --rego policy/ --marker plan > comment.md
  objchange review plans/ --key key.txt --fail-on delete --platform gitlab
  objchange review environments/prod --sentinel policies/ --ignore tags_all --format text
  objchange review tfplan --rego policy/ --format html --out review.html
  objchange review plans/ --json > review.json";

/// Write one report about plans, for the comment on a pull request
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Plans, folders of plans, and directories of modules to plan; `-`, or nothing, is standard input
    #[arg(value_name = "PLAN|DIR", default_value = "-")]
    plans: Vec<PathBuf>,

    /// A Rego policy, or a folder of policies. Can be repeated
    #[arg(long, value_name = "DIR|FILE")]
    rego: Vec<PathBuf>,

    /// A Sentinel policy, a folder of policies, or the configuration of a policy set; undecided ones fail. Can be repeated
    #[arg(long, value_name = "DIR|FILE")]
    sentinel: Vec<PathBuf>,

    /// The key of approval hashes, as for `hash`; without it sensitive values are left out of them
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    #[command(flatten)]
    ignore: IgnoreArgs,

    /// Leave out changes made outside of Terraform; a refresh-only plan shows them all the same
    #[arg(long)]
    no_drift: bool,

    /// Refuse a plan that does one of these, or that has an unknown action. Separated by commas
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = condition())]
    fail_on: Vec<GateCondition>,

    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "markdown")]
    format: Format,

    /// Print JSON (schema/review.schema.json)
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// The site of the comment: its maximum length, and whether it shows HTML
    #[arg(long, value_enum, value_name = "SITE", default_value = "github")]
    platform: Platform,

    /// The commit that is named in the report; by default the one that the CI names in its environment
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,

    /// Write the report to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    broken: BrokenPlans,

    #[command(flatten)]
    module: ModuleArgs,

    // Last, because its heading would apply to all options after it.
    #[command(flatten)]
    markdown: MarkdownArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A comment for a pull request
    Markdown,
    /// One file for a browser
    Html,
    /// Text for a terminal
    Text,
    /// JSON (schema/review.schema.json)
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Platform {
    /// GitHub: 65,536 characters
    Github,
    /// GitLab: 1,000,000 characters
    Gitlab,
    /// Azure DevOps: 150,000 characters
    Azure,
    /// Bitbucket: 32,768 characters, no HTML; the marker is a visible line
    Bitbucket,
}

impl Platform {
    /// The maximum length of a comment.
    fn max_length(self) -> usize {
        match self {
            Self::Github => 65_536,
            Self::Gitlab => 1_000_000,
            Self::Azure => 150_000,
            Self::Bitbucket => 32_768,
        }
    }
}

/// A plan with its answers, which outlive the work on its core.
struct Judged {
    file: PlanFile,
    schemas: Schemas,
    hash: Option<String>,
    policies: Vec<PolicyResult>,
    passed: usize,
    warnings: Vec<String>,
}

/// The policies of a review.
struct AllPolicies {
    rego: Option<Policies>,
    sentinel: Option<PolicySet>,
}

impl Args {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        self.module.mask()
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let format = if args.json { Format::Json } else { args.format };
    let (for_markdown, for_pages) = (args.markdown.given_for_markdown(), args.markdown.given_for_pages());
    if !for_markdown.is_empty() && format != Format::Markdown {
        return Err(need_format(&for_markdown, "markdown").into());
    }
    if !for_pages.is_empty() && !matches!(format, Format::Markdown | Format::Html) {
        return Err(need_format(&for_pages, "markdown or html").into());
    }
    let modules = args.module.inputs(&args.plans)?;
    let key = args.key.as_deref().map(crate::hash::read_key).transpose()?;
    let policies = AllPolicies {
        rego: (!args.rego.is_empty()).then(|| crate::policy::for_review(&args.rego)).transpose()?,
        sentinel: (!args.sentinel.is_empty()).then(|| PolicySet::read(&args.sentinel)).transpose()?,
    };
    let inputs = documents::find(&args.plans, WantedDocuments::PLANS, &modules)?;
    let given = args.module.load_schemas()?;
    let answer = |document: &InputDocument| {
        let file = document.file.clone();
        let providers = file.plan().into_iter().flat_map(|plan| plan.changes.providers());
        let schemas = args.module.schemas().with_cached(given.clone(), providers).0;
        judge(args, file.clone(), schemas, key.as_ref(), &policies)
    };
    // Without policies only `--fail-on` decides, and it refuses such a plan by itself.
    let broken = args.broken.or_trusting(policies.rego.is_none() && policies.sentinel.is_none());
    let mut judged = Vec::new();
    let summary = documents::for_each(&inputs, WantedDocuments::PLANS, broken, answer, |_, one| {
        judged.push(one);
        Ok(())
    })?;
    for one in &judged {
        one.warnings.iter().for_each(|warning| exit::warn(&format!("{}: {warning}", one.file.name())));
    }
    let plans = judged.iter().filter_map(|one| Some((one.file.changes()?, &one.schemas)));
    unmatched_ignores(&args.ignore.ignore, plans).iter().for_each(|note| exit::note(note));
    let mut review = Review {
        plans: Vec::with_capacity(judged.len()),
        problems: summary.failures,
        skipped: summary.skipped,
        commit: args.commit.clone().or_else(commit_of_ci),
    };
    for one in &judged {
        review.plans.push(reviewed(args, one)?);
    }
    let mut page = Vec::new();
    write(args, format, &review, &mut page).map_err(unusable)?;
    match args.out.as_deref().filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            write_file(path, &page, Access::Usual)
                .map_err(|error| unusable(format!("{}: cannot be written: {error}", path.display())))?;
        }
        None => {
            let mut out = terminal::stdout();
            out.write_all(&page)?;
            out.flush()?;
        }
    }
    Ok(match (review.problems.is_empty(), review.is_refused()) {
        (false, _) => exit::unusable_code(),
        (true, true) => {
            let refused = review.plans.iter().filter(|plan| plan.is_refused()).map(|plan| plan.name.as_str());
            exit::complain(&format!("refused: {}", refused.collect::<Vec<_>>().join(", ")))?;
            ExitCode::from(FAILED)
        }
        (true, false) => ExitCode::SUCCESS,
    })
}

/// The commit of the run that this is, by the variables of GitHub, GitLab, Azure DevOps and Bitbucket.
fn commit_of_ci() -> Option<String> {
    let names = ["GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION", "BITBUCKET_COMMIT"];
    let is_hash =
        |text: &String| (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    names.into_iter().filter_map(|name| std::env::var(name).ok()).find(is_hash)
}

/// A plan with everything that a review says of it beside its changes.
fn judge(
    args: &Args,
    file: PlanFile,
    schemas: Schemas,
    key: Option<&HashKey>,
    policies: &AllPolicies,
) -> Result<Judged, String> {
    let plan = file.judged().map_err(|error| error.to_string())?;
    // A plan that failed does nothing that could be approved.
    let hashed = (!file.facts().errored)
        .then(|| HashedPlan::new(&plan.changes, &schemas, key, &args.ignore.ignore))
        .transpose()
        .map_err(|error| compare_complaint(error, [file.name(), file.name()], "schemas"))?;
    let mut cases = match &policies.rego {
        Some(policies) => crate::policy::cases(policies, &file, FindingGate::UNDECIDED)?,
        None => Vec::new(),
    };
    if let Some(policies) = &policies.sentinel {
        cases.extend(policies.cases(&file)?);
    }
    // Reading the plans has said this one.
    let said = incompleteness_warning(file.facts());
    let mut warnings = document_warnings(file.facts());
    warnings.retain(|warning| said.as_deref() != Some(warning));
    if file.facts().simulated {
        warnings.push("planned without its providers: what only they know is unknown here".to_owned());
    }
    let passed = cases.iter().filter(|case| case.findings.is_empty() && case.skipped.is_none()).count();
    let policies = cases.iter().flat_map(results).collect();
    let hash = hashed.map(|hashed| hashed.hash.to_string());
    Ok(Judged { file, schemas, hash, policies, passed, warnings })
}

/// The findings of a policy.
fn results(case: &Case) -> impl Iterator<Item = PolicyResult> + '_ {
    case.findings.iter().filter(|finding| finding.outcome != Outcome::Note).map(|finding| PolicyResult {
        policy: finding.rule().to_owned(),
        place: finding.location.to_string(),
        block: finding.block.as_ref().map(ToString::to_string),
        outcome: match finding.outcome {
            Outcome::Undecided => PolicyOutcome::Undecided,
            Outcome::Failed | Outcome::Note => PolicyOutcome::Failed,
            Outcome::Error | Outcome::NotJudged => PolicyOutcome::Error,
        },
        refuses: finding.fails(),
        message: finding.message.clone(),
        address: finding.address.clone(),
    })
}

/// A plan with its report, judged by the conditions.
fn reviewed<'p>(args: &Args, one: &'p Judged) -> Result<ReviewedPlan<'p>, CommandError> {
    let (file, schemas) = (&one.file, &one.schemas);
    let selection =
        Selection { no_drift: args.no_drift, ignored: args.ignore.ignore.clone(), ..Selection::default() };
    let gate = Gate { conditions: args.fail_on.clone(), allow_unmatched: false };
    gate.check(&selection, &[]).map_err(|error| unusable(crate::hints::gate(&error)))?;
    let filter: Filter = selection.filter();
    let program = Program::of_file(file);
    let options = Options { program: Some(program), own_format: true, ..Options::default() };
    let failed = |error: ShowError| unusable(format!("{}: {error}", file.name()));
    let report = Report::of_file(file, schemas, &options, &filter).map_err(failed)?;
    let plan = file.judged().map_err(unusable)?;
    // Old programs show neither actions nor deferred changes, so the gate uses the newest one.
    let mut verdict = match program == Program::default() {
        true => gate.judge(&report),
        false => {
            let newest = Options { program: Some(Program::default()), ..options };
            gate.judge(&Report::of_file(file, schemas, &newest, &filter).map_err(failed)?)
        }
    };
    gate.refuse_undecided(&mut verdict, &plan.changes.deferred);
    gate.refuse_unasked(&mut verdict, &file.facts().unasked);
    if !args.fail_on.is_empty() {
        gate.refuse_missing(&mut verdict, &file.facts().missing);
    }
    let version = plan.terraform_version.as_ref().map(|version| format!("{} {version}", program.name()));
    let time = plan.member("timestamp").and_then(|time| serde_json::from_str(time.text()).ok());
    Ok(ReviewedPlan {
        name: file.name().to_owned(),
        report,
        made_by: version,
        made_at: time,
        workspace: file.workspace().map(str::to_owned),
        hash: one.hash.clone(),
        refused: verdict.refused,
        policies: one.policies.clone(),
        passed: one.passed,
    })
}

fn write(args: &Args, format: Format, review: &Review<'_>, page: &mut Vec<u8>) -> Result<(), ShowError> {
    match format {
        Format::Markdown => {
            let given = args.markdown.options();
            let max_length = args.markdown.max_length().unwrap_or(args.platform.max_length());
            let plain = args.platform == Platform::Bitbucket;
            review.write_markdown(page, &MarkdownOptions { max_length, plain, ..given })
        }
        Format::Html => {
            let given = args.markdown.options();
            let options = HtmlOptions { title: given.title, link: given.link, ..HtmlOptions::default() };
            review.write_html(page, &options)
        }
        Format::Text => {
            let is_terminal = args.out.is_none();
            let colour = if is_terminal { colour(&io::stdout()) } else { Colour::Never };
            review.write_text(page, colour)
        }
        Format::Json => review.write_json(page),
    }
}
