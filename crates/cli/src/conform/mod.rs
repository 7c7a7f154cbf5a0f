//! `objchange conform`: tests a provider against its contract with Terraform.

mod interrupt;
mod progress;
mod scale;

use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use objchange::Value;
use objchange::change::Diagnostic;
use objchange_conform::{Baseline, Corpus, Hints, Options, Report, RunEnd, Subject, reported_rules};
use objchange_finding::{Exit, Gate};
use objchange_project::ProviderProgram;
use objchange_provider::client::{Children, Client, Limits};
use objchange_provider::record::{Recorder, Recording};
use objchange_provider::{Provider, ProviderExt};
use objchange_text::{visible, visible_json};

use crate::exit::{self, CommandError, unusable};
use crate::input::Source;
use crate::launch::{LaunchArgs, duration};
use crate::reports::{self, Outputs, ReportFiles, Reporter};
use crate::write_file::{Access, overwrite};
use objchange_project::pool;

const AFTER_HELP: &str = "\
`conform` generates configurations from the provider's schemas: minimal, complete, each part alone, unknown, empty, \
large and random. It calls the provider as Terraform would, judges each answer, and reports each violation with the \
smallest configuration that shows it. Nothing is applied without --apply.

Exit codes:
  0    no failing finding (see --fail-on)
  1    findings
  2    the provider or a file cannot be used, --only matches nothing, nothing could be checked, or the output cannot
       be written
  130  interrupted; the findings so far are printed

Examples:
  objchange conform ./terraform-provider-cloud
  objchange conform ./terraform-provider-cloud --only 'cloud_disk*' --cases 1000 --seed 7
  objchange conform ./terraform-provider-cloud --hints-template > hints.json
  objchange conform ./terraform-provider-cloud --hints hints.json --apply --corpus found.jsonl
  objchange conform ./terraform-provider-cloud --baseline known.json --junit report.xml
  objchange conform ./terraform-provider-cloud --scale --only cloud_firewall --fail-on warning
  objchange conform ./terraform-provider-cloud --cases-out cases.jsonl && objchange check cases.jsonl
  objchange conform ./terraform-provider-cloud --record session.jsonl; objchange check session.jsonl";

/// Test a provider against its contract with Terraform; show the smallest failing configuration
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The provider binary
    #[arg(value_name = "BINARY")]
    binary: PathBuf,

    /// Test only types and functions whose name matches this glob; can be repeated
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,

    /// Skip types and functions whose name matches this glob; can be repeated
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// Test only this kind; can be repeated
    #[arg(long, value_name = "KIND", value_parser = subject)]
    kind: Vec<Subject>,

    /// Provider configuration, values for attributes, types to skip (schema/hints.schema.json); `-` is standard input
    #[arg(long, value_name = "FILE")]
    hints: Option<PathBuf>,

    /// Print a hints file with everything that the provider's configuration requires, to fill in, and test nothing
    #[arg(long, conflicts_with_all = ["hints", "apply", "scale", "corpus", "baseline", "cases_out", "record", "json"])]
    hints_template: bool,

    /// Also create, update and destroy objects. With a real provider these are real
    #[arg(long)]
    apply: bool,

    /// Check against Terraform's or OpenTofu's rules
    #[arg(long, value_enum, value_name = "FLAVOR", default_value = "terraform")]
    flavor: Flavor,

    /// Seed for generated configurations
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Maximum number of configurations for each type
    #[arg(long, value_name = "N", default_value_t = 100)]
    cases: usize,

    /// Stop starting new work after this time, e.g. 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,

    /// Number of provider processes [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,

    /// Measure instead how time and memory of plans, and with --apply of creation, grow with up to 3,000
    /// elements in each collection. Quadratic growth is a warning
    #[arg(long, conflicts_with_all = ["cases", "corpus", "baseline", "cases_out", "jobs", "junit", "kind", "record", "sarif"])]
    scale: bool,

    /// Findings that set the exit code to 1
    #[arg(long, value_enum, value_name = "WHAT", default_value = "error")]
    fail_on: FailOn,

    /// Test the configurations in this file first, and add those that fail; the file is created if needed
    #[arg(long, value_name = "FILE")]
    corpus: Option<PathBuf>,

    /// Known findings; only new ones set the exit code to 1
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write all findings to the --baseline file; they no longer fail
    #[arg(long, requires = "baseline")]
    update_baseline: bool,

    /// Write cases that reproduce the findings without the provider, for `objchange check`; `-` is standard
    /// output
    #[arg(long, value_name = "FILE")]
    cases_out: Option<PathBuf>,

    /// Record requests and responses in this file, as cases for `objchange check`; secrets are replaced by placeholders
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Print JSON (schema/conform-report.schema.json)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reports: ReportFiles,

    #[command(flatten)]
    launch: LaunchArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Only errors: violations that Terraform reports as errors
    Error,
    /// Also warnings: violations that Terraform tolerates or does not notice
    Warning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Flavor {
    Terraform,
    Opentofu,
}

fn subject(text: &str) -> Result<Subject, String> {
    let kinds = || Subject::ALL.iter().map(|subject| subject.kind());
    let found = Subject::ALL.into_iter().find(|subject| subject.kind() == text);
    found.ok_or_else(|| format!("it is one of {}", kinds().collect::<Vec<_>>().join(", ")))
}

/// Writes calls and answers to a file.
type Record = Recorder<BufWriter<std::fs::File>>;

/// Why nothing can be tried.
type Unusable = Box<dyn std::error::Error>;

impl Args {
    fn outputs(&self) -> Outputs<'_> {
        let other = self.cases_out.as_deref().map(|path| ("--cases-out", path));
        self.reports.outputs(self.json, other)
    }

    /// Starts the provider, or attaches to the one that runs.
    async fn start(&self, children: &Children) -> Result<Client, objchange_provider::Error> {
        let call = if self.scale { scale::CALL } else { CALL };
        let limits = Limits { call, ..Limits::default() };
        let Ok(binary) = ProviderProgram::from_str(&self.binary.to_string_lossy());
        let client = self.launch.start_within(limits, &binary, children).await?;
        Ok(match self.flavor {
            Flavor::Terraform => client,
            Flavor::Opentofu => client.with_terraform_version(OPENTOFU),
        })
    }

    fn options(&self) -> Result<Options, Unusable> {
        let mut options = Options::default();
        (options.only, options.exclude) = (self.only.clone(), self.exclude.clone());
        options.subjects.clone_from(&self.kind);
        (options.apply, options.seed, options.cases, options.time) =
            (self.apply, self.seed, self.cases, self.time);
        options.flavor = match self.flavor {
            Flavor::Terraform => objchange_conform::Flavor::Terraform,
            Flavor::Opentofu => objchange_conform::Flavor::OpenTofu,
        };
        // With --reattach there is only the one process that runs already.
        options.jobs =
            if self.launch.attaches() { 1 } else { self.jobs.map_or_else(pool::cores, NonZero::get) };
        if let Some(path) = &self.hints {
            let source = Source::new(path);
            let hints = Hints::parse(source.read()?.as_bytes());
            options.hints = hints.map_err(|error| format!("{source}: {error}"))?;
        }
        if let Some(path) = self.corpus.as_ref().filter(|path| path.exists()) {
            let corpus = Corpus::parse(&Source::File(path.clone()).read()?);
            options.corpus = corpus.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(options)
    }

    fn recorder(&self, hints: &Hints) -> Result<Option<Record>, Unusable> {
        let Some(path) = &self.record else { return Ok(None) };
        // Not a `NewFile`, which is written at once: recordings may not fit into memory, and are of use after a crash,
        // too. Secrets are replaced, but only those that are known.
        let file = overwrite(path, Access::Owner).map_err(|error| format!("{}: {error}", path.display()))?;
        let recorder = Recorder::new(BufWriter::new(file));
        hints.secrets().iter().for_each(|secret| recorder.hide(secret));
        Ok(Some(recorder))
    }

    fn baseline(&self) -> Result<Baseline, Unusable> {
        match &self.baseline {
            // The first --update-baseline makes the file. Otherwise a missing file is an error: a misspelt name would
            // make all known findings new ones.
            Some(path) if path.exists() || !self.update_baseline => {
                let baseline = Baseline::parse(&Source::File(path.clone()).read()?);
                Ok(baseline.map_err(|error| format!("{}: {error}", path.display()))?)
            }
            _ => Ok(Baseline::default()),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let mut reporter = Reporter::new("objchange conform", "objchangeConform/v1", args.outputs())?;
    let (options, baseline) = (args.options().map_err(unusable)?, args.baseline().map_err(unusable)?);
    let children = Children::default();
    // A daemon loses its parent on purpose. As its subreaper (Linux) this process still finds and ends it.
    children.adopt_orphans();
    let made = options.apply.then(|| options.made.clone());
    interrupt::listen(children.clone(), options.stop.clone(), made)?;
    if args.hints_template {
        let template = hints_template(args, &children).map_err(|error| not_tried(&error, &[]))?;
        let mut out = crate::terminal::stdout();
        write!(out, "{}", visible_json(&template))?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.scale {
        let secrets = options.hints.secrets();
        let measured = scale::run(args, &options, &children);
        return measured.unwrap_or_else(|error| Err(not_tried(&error, &secrets)));
    }
    let recorder = args.recorder(&options.hints).map_err(unusable)?.map(Arc::new);
    let given = options.corpus.len();
    let secrets = options.hints.secrets();
    let (mut report, corpus) = match run_trials(args, options, &children, recorder.as_ref()) {
        Ok(tried) => tried,
        Err(error) => return Err(not_tried(&error, &secrets)),
    };
    if let Some(Err(error)) = recorder.map(|recorder| recorder.flush()) {
        return Err(unusable(format_args!("the recording: {error}")));
    }
    let gone = baseline.apply(&mut report);
    // The text for people also has the findings that are accepted into the baseline below.
    let news = report.clone();
    let is_updated = args.update_baseline && report.ended == RunEnd::Complete;
    if let Some(path) = args.baseline.as_ref().filter(|_| is_updated) {
        let accepted = baseline.updated(&report);
        reports::write(path, &accepted.to_json())?;
        accepted.apply(&mut report);
    } else if args.update_baseline {
        exit::note("the baseline was not written, because not everything was tested");
    }
    if let Some(path) = args.corpus.as_ref().filter(|_| corpus.len() > given) {
        // Configurations may have secrets of the hints file in them.
        reports::write_private(path, &corpus.to_json_lines())?;
    }
    if report.types.is_empty() && report.ended == RunEnd::Complete {
        return Err("nothing in the provider matches --only, --exclude and --kind".into());
    }
    let name = args.binary.display().to_string();
    let gate = match args.fail_on {
        FailOn::Error => Gate::ERRORS,
        FailOn::Warning => Gate::WARNINGS,
    };
    reported_rules().for_each(|rule| reporter.report.rule(&rule));
    reporter.report.suite(&name, None);
    report.cases(&name, gate).for_each(|case| reporter.report.case(&case));
    // Findings that fail are the answer, even if nothing else could be checked.
    let nothing = (!report.is_any_checked()).then(|| nothing_checked(&report));
    match (report.ended, &nothing) {
        (RunEnd::Stopped, _) => {
            reporter.report.not_judged(&[format!("{name}: the run was interrupted")], None);
        }
        (_, Some(nothing)) if reporter.report.exit() == Exit::Success => {
            reporter.report.not_judged(&[format!("{name}: {nothing}")], None);
        }
        _ => {}
    }
    let exit = write_reports(args, reporter, &report, (&news, gone))?;
    interrupt::left_behind(&report.left);
    Ok(match (report.ended, exit, nothing) {
        (RunEnd::Stopped, ..) => ExitCode::from(exit::INTERRUPTED),
        (_, Exit::NotJudged, Some(nothing)) => return Err(nothing.into()),
        _ => ExitCode::from(exit.code()),
    })
}

/// A hints file to fill in.
fn hints_template(args: &Args, children: &Children) -> Result<String, objchange_provider::Error> {
    runtime()?.block_on(async {
        let provider = args.start(children).await?;
        let schemas = provider.schemas().await?;
        Ok(Hints::template(&schemas))
    })
}

fn run_trials(
    args: &Args,
    options: Options,
    children: &Children,
    recorder: Option<&Arc<Record>>,
) -> Result<(Report, Corpus), objchange_provider::Error> {
    let runtime = runtime()?;
    let start = {
        let (args, children, recorder) = (args.clone(), children.clone(), recorder.cloned());
        let hints = options.hints.clone();
        move || {
            let (args, children, recorder) = (args.clone(), children.clone(), recorder.clone());
            let hints = hints.clone();
            async move {
                let client: Arc<dyn Provider> = Arc::new(args.start(&children).await?);
                Ok(match recorder {
                    Some(recorder) => {
                        // Schemas say which values in the hints are secrets, so the recorder learns them before it
                        // writes anything.
                        let schemas = client.schemas().await?;
                        hints.secrets_by(&schemas).iter().for_each(|secret| recorder.hide(secret));
                        Arc::new(Recording::new(client, Some(recorder)))
                    }
                    None => client,
                })
            }
        }
    };
    let bar = progress::Bar::new();
    let shown = bar.clone();
    let tried =
        runtime.block_on(objchange_conform::run(start, options, move |progress| shown.show(progress)));
    bar.finish();
    children.kill_all();
    tried
}

/// The runtime for calls to the provider.
fn runtime() -> Result<tokio::runtime::Runtime, objchange_provider::Error> {
    let no_runtime =
        |error: io::Error| objchange_provider::ErrorKind::NotStarted { reason: error.to_string() };
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_runtime)?)
}

/// The timeout of a call; a call that exceeds it is repeated once.
const CALL: Duration = Duration::from_secs(30);

/// The Terraform version that a provider receives under OpenTofu's rules.
const OPENTOFU: &str = "1.10.0";

/// The maximum number of bytes to show of a provider's line.
const MAX_LINE: usize = 1_000;

/// Says why the provider cannot be tried, with the end of what it wrote.
fn not_tried(error: &objchange_provider::Error, secrets: &[Value]) -> CommandError {
    let secrets = Value::tuple(secrets.to_vec());
    // A provider may repeat its configuration in what it writes.
    let hidden = |text: &str| {
        let hidden = objchange_conform::without_secrets(&Diagnostic::error(text), &secrets).summary;
        objchange_text::bounded_to(&hidden, MAX_LINE).into_owned()
    };
    if let Err(error) = exit::complain(&hidden(&error.to_string())) {
        return error.into();
    }
    let lines = error.log().lines();
    for line in &lines[lines.len().saturating_sub(5)..] {
        exit::note(&format!("the provider wrote: {}", hidden(&line.message)));
    }
    CommandError::Shown
}

/// Why a run in which nothing was checked is not a success.
fn nothing_checked(report: &Report) -> String {
    match &report.not_configured {
        Some(reason) => {
            format!("nothing was checked: the provider is not configured ({reason}); see --hints")
        }
        None => "nothing was checked: see above why the types were skipped, or their configurations refused"
            .to_owned(),
    }
}

/// Writes the requested reports. The text includes findings that this run adds to the baseline.
fn write_reports(
    args: &Args,
    reporter: Reporter<'_>,
    report: &Report,
    (news, gone): (&Report, usize),
) -> io::Result<Exit> {
    let name = args.binary.display().to_string();
    let has_text = reporter.has_text();
    reporter.json([report.document(&name)])?;
    let exit = reporter.finish()?;
    if let Some(path) = &args.cases_out {
        let cases = report.findings().filter_map(|(_, found)| found.case.as_ref().ok());
        let cases: String = cases.map(|case| format!("{}\n", visible_json(case))).collect();
        reports::write_private(path, &cases)?;
    }
    if !has_text {
        return Ok(exit);
    }
    let mut out = BufWriter::new(crate::terminal::stdout());
    news.write_text(&mut out, gone)?;
    if !news.applied {
        writeln!(
            out,
            "nothing was created: --apply also creates, reads, changes, imports and destroys objects"
        )?;
    }
    if let Some(path) = args.cases_out.as_ref().filter(|path| path.as_os_str() != "-") {
        writeln!(out, "cases: objchange check {}", visible(&path.display().to_string()))?;
    }
    out.flush()?;
    Ok(exit)
}
