//! `objchange check`: runs case files.

mod bless;
mod json;
mod junit;
mod run;
mod text;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use wildmatch::WildMatch;

use objchange::case::{CaseFailure, FailureEntry, MalformedCase};

use self::run::{Event, Verdict};
use crate::documents::Progress;
use crate::exit::{self, CommandError, unusable};
use crate::input::Source;
use crate::reports::{Outputs, Reporter};

const AFTER_HELP: &str = "\
Each line of a case file is one case in JSON: a question to the engine and the expected answer. Blank lines are \
skipped. A line longer than 64 MiB is a failure. Files are UTF-8 or UTF-16.

Exit codes:
  0  all cases passed
  1  cases failed
  2  an input cannot be read or holds no case, or the output cannot be written

Examples:
  objchange check tests/cases/*.jsonl
  generate-cases | objchange check -
  objchange check --junit report.xml cases.jsonl
  objchange check --only 'disk-*' --only resize cases.jsonl
  objchange check --bless --only new-case cases.jsonl";

/// Run conformance cases and compare the engine's answers with the expected ones
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Case files, in JSON Lines; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Run only cases whose id matches this glob; invalid lines still fail. Can be repeated
    #[arg(long, value_name = "ID-GLOB")]
    only: Vec<String>,

    /// Show the differences, then replace expected answers (`want`) in the files with the actual ones. A new
    /// case has `"want": {}`
    #[arg(long, conflicts_with_all = ["json", "junit"])]
    bless: bool,

    /// Print a JSON report instead of text (schema/check-report.schema.json)
    #[arg(long)]
    json: bool,

    /// Write a JUnit XML report to this file; `-` prints it instead of text
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Whether both paths lead to one file that is there.
fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Which cases are run: those whose id is like one of these, or all if there are none.
struct Only(Vec<WildMatch>);

impl Only {
    fn new(globs: &[String]) -> Self {
        Self(globs.iter().map(|glob| WildMatch::new(glob)).collect())
    }

    fn has(&self, id: Option<&str>) -> bool {
        self.0.is_empty() || id.is_some_and(|id| self.0.iter().any(|glob| glob.matches(id)))
    }
}

/// How many cases did what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
}

/// An input that is not a case file, or cannot be read.
#[derive(Debug)]
struct Unusable {
    input: String,
    /// Line and column in bytes, both from 1, where it is known.
    place: Option<(u64, usize)>,
    message: String,
}

/// Everything that is reported, as it happens.
struct Checked<'a> {
    text: Option<text::Text>,
    json: Option<json::Json>,
    reporter: Reporter<'a>,
    counts: Counts,
    unusable: bool,
    input: Input,
    /// The lines of the cases that failed, for each input.
    failed: Vec<Vec<u64>>,
}

/// The input that is being read.
#[derive(Default)]
struct Input {
    name: String,
    /// Lines that are not JSON objects, held back until it is clear that this is a case file at all.
    held: Vec<Verdict>,
    is_case_file: bool,
    given_up: bool,
}

/// A file that begins with this many lines that are not JSON is not a case file.
const MAX_HELD: usize = 100;

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    if let Some(report) = &args.junit
        && args.files.iter().any(|file| is_same_file(file, report))
    {
        return Err(unusable(format_args!(
            "{}: the report would replace a case file; give it another name",
            report.display()
        )));
    }
    let outputs = Outputs { json: args.json, junit: args.junit.as_deref(), ..Outputs::default() };
    let reporter = Reporter::new("objchange check", "objchangeCheck/v1", outputs)?;
    let inputs: Vec<Source> = args.files.iter().map(|path| Source::new(path)).collect();
    if inputs.iter().filter(|input| **input == Source::Stdin).count() > 1 {
        return Err("standard input (-) can be read only once".into());
    }
    if args.bless && inputs.contains(&Source::Stdin) {
        return Err("--bless changes files and cannot be used with standard input (-)".into());
    }
    let mut report = Checked {
        text: reporter.has_text().then(text::Text::new),
        json: if args.json { Some(json::Json::start()?) } else { None },
        reporter,
        counts: Counts::default(),
        unusable: false,
        input: Input::default(),
        failed: Vec::new(),
    };
    let progress = Progress::of_sources(inputs.iter());
    run::run(&inputs, &Only::new(&args.only), &progress.bar, |event| progress.tell(|| report.handle(event)))?;
    progress.finish();
    report.finish(args)
}

impl Checked<'_> {
    fn handle(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Input(name) => {
                self.reporter.suite(&name, []);
                self.input = Input { name, ..Input::default() };
                self.failed.push(Vec::new());
                Ok(())
            }
            Event::Verdict(_) if self.input.given_up => Ok(()),
            Event::Verdict(verdict) => {
                let is_json = !matches!(
                    verdict.verdict.failure,
                    Some(CaseFailure::Malformed(MalformedCase { is_object: false, .. }))
                );
                if is_json || self.input.is_case_file {
                    self.input.is_case_file = true;
                    for held in std::mem::take(&mut self.input.held) {
                        self.verdict(&held)?;
                    }
                    return self.verdict(&verdict);
                }
                self.input.held.push(verdict);
                if self.input.held.len() == MAX_HELD { self.no_case_file() } else { Ok(()) }
            }
            Event::End if self.input.is_case_file || self.input.given_up => Ok(()),
            Event::End => self.no_case_file(),
            Event::Unreadable(error) => self.unusable(None, error.to_string()),
        }
    }

    fn no_case_file(&mut self) -> io::Result<()> {
        self.input.given_up = true;
        let first = self.input.held.first().map(|held| (held.line, &held.verdict.failure));
        let (place, why) = match first {
            Some((line, Some(CaseFailure::Malformed(m)))) => ((line, m.column), m.message.clone()),
            _ => ((1, 1), "it is empty".to_owned()),
        };
        self.unusable(
            Some(place),
            format!("this is not a case file, which has a JSON object on each line: {why}"),
        )
    }

    fn verdict(&mut self, verdict: &Verdict) -> io::Result<()> {
        if verdict.verdict.left_out {
            return Ok(());
        }
        match verdict.verdict.failure {
            None => self.counts.passed += 1,
            Some(_) => self.counts.failed += 1,
        }
        self.reporter.case(|| junit::verdict(&self.input.name, verdict));
        let Some(failure) = &verdict.verdict.failure else { return Ok(()) };
        if let Some(lines) = self.failed.last_mut() {
            lines.push(verdict.line);
        }
        if let Some(json) = &mut self.json {
            json.failure(&FailureEntry::new(&self.input.name, verdict.line, &verdict.verdict, failure))?;
        }
        match &mut self.text {
            Some(text) => text.failure(&self.input.name, verdict, failure),
            None => Ok(()),
        }
    }

    fn unusable(&mut self, place: Option<(u64, usize)>, message: String) -> io::Result<()> {
        self.unusable = true;
        let unusable = Unusable { input: self.input.name.clone(), place, message };
        exit::complain(&unusable.to_string())?;
        self.reporter.case(|| junit::unusable(&unusable));
        if let Some(json) = &mut self.json {
            json.unusable(&unusable);
        }
        Ok(())
    }

    fn finish(mut self, args: &Args) -> Result<ExitCode, CommandError> {
        if let Some(json) = self.json {
            json.finish(self.counts)?;
        }
        self.reporter.finish()?;
        if let Some(text) = self.text {
            text.finish(self.counts)?;
        }
        if !args.only.is_empty() && !self.unusable && self.counts == Counts::default() {
            return Err("--only: no case id matches".into());
        }
        if args.bless {
            let blessed = bless::files(&args.files, &self.failed)?;
            self.counts.failed = self.counts.failed.saturating_sub(blessed);
        }
        Ok(match (self.unusable, self.counts.failed) {
            (true, _) => ExitCode::from(exit::UNUSABLE),
            (false, 0) => ExitCode::SUCCESS,
            (false, _) => ExitCode::from(exit::FAILED),
        })
    }
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {}", self.input, self.message),
            None => write!(f, "{}: {}", self.input, self.message),
        }
    }
}
