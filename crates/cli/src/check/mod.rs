//! `objchange check`: runs case files.

mod bless;
mod cases;
mod json;
mod text;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use wildmatch::WildMatch;

use objchange_case::FailureEntry;
use objchange_finding::Exit;
use objchange_project::{CaseEvent, CaseLine, UnusableCases, run_case_files};

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

    /// Run only cases whose id matches this glob; one must match. Invalid lines still fail. Can be repeated
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

/// Whether both paths lead to one existing file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Globs for the ids of the cases to run; empty for all. Each notes whether it matched.
struct Only(Vec<(WildMatch, AtomicBool)>);

impl Only {
    fn new(globs: &[String]) -> Self {
        Self(globs.iter().map(|glob| (WildMatch::new(glob), AtomicBool::new(false))).collect())
    }

    fn has(&self, id: Option<&str>) -> bool {
        let Some(id) = id else { return self.0.is_empty() };
        // `count` and not `any`, which stops at the first match: each glob must note whether it has matched.
        let matching = self.0.iter().filter(|(glob, _)| glob.matches(id));
        let matches = matching.inspect(|(_, has_matched)| has_matched.store(true, Ordering::Relaxed)).count();
        self.0.is_empty() || matches > 0
    }

    /// The first glob that has selected no case.
    fn unmatched<'g>(&self, globs: &'g [String]) -> Option<&'g String> {
        let all = globs.iter().zip(&self.0);
        all.into_iter()
            .find(|(_, (_, has_matched))| !has_matched.load(Ordering::Relaxed))
            .map(|(glob, _)| glob)
    }
}

/// How many cases passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
}

/// Reports the results as they come.
struct Checked<'a> {
    text: Option<text::Text>,
    json: Option<json::Json>,
    reporter: Reporter<'a>,
    counts: Counts,
    /// The sentences about inputs that cannot be used.
    unusable: Vec<String>,
    /// The name of the input that is being read.
    input: String,
    /// The lines of the cases that failed, for each input.
    failed: Vec<Vec<u64>>,
}

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
        unusable: Vec::new(),
        input: String::new(),
        failed: Vec::new(),
    };
    let progress = Progress::of_sources(inputs.iter());
    let (only, count) = (Only::new(&args.only), |bytes| progress.bar.inc(bytes));
    run_case_files(&inputs, |id| only.has(id), &count, |event| progress.tell(|| report.handle(event)))?;
    progress.finish();
    report.finish(args, only.unmatched(&args.only))
}

impl Checked<'_> {
    fn handle(&mut self, event: CaseEvent) -> io::Result<()> {
        match event {
            CaseEvent::Input(name) => {
                self.reporter.report.suite(&name, None);
                self.input = name;
                self.failed.push(Vec::new());
                Ok(())
            }
            CaseEvent::Case(line) => self.verdict(&line),
            CaseEvent::Unusable(unusable) => self.unusable(&unusable),
        }
    }

    fn verdict(&mut self, verdict: &CaseLine) -> io::Result<()> {
        if verdict.verdict.left_out {
            return Ok(());
        }
        match verdict.verdict.failure {
            None => self.counts.passed += 1,
            Some(_) => self.counts.failed += 1,
        }
        self.reporter.report.case(&cases::case(&self.input, verdict));
        let Some(failure) = &verdict.verdict.failure else { return Ok(()) };
        if let Some(lines) = self.failed.last_mut() {
            lines.push(verdict.line);
        }
        if let Some(json) = &mut self.json {
            json.failure(&FailureEntry::new(&self.input, verdict.line, &verdict.verdict, failure))?;
        }
        match &mut self.text {
            Some(text) => text.failure(&self.input, verdict, failure),
            None => Ok(()),
        }
    }

    fn unusable(&mut self, unusable: &UnusableCases) -> io::Result<()> {
        exit::complain(&unusable.to_string())?;
        self.unusable.push(unusable.to_string());
        if let Some(json) = &mut self.json {
            json.unusable(unusable);
        }
        Ok(())
    }

    fn finish(mut self, args: &Args, unmatched: Option<&String>) -> Result<ExitCode, CommandError> {
        if let Some(json) = self.json {
            json.finish(self.counts)?;
        }
        // The id may be in an input that could not be read.
        let unmatched = unmatched.filter(|_| self.unusable.is_empty());
        let unmatched = unmatched.map(|glob| format!("--only {glob}: no case id matches"));
        self.unusable.extend(unmatched.clone());
        self.reporter.report.not_judged(&self.unusable, None);
        let exit = self.reporter.finish()?;
        if let Some(text) = self.text {
            text.finish(self.counts)?;
        }
        if let Some(unmatched) = unmatched {
            return Err(unusable(unmatched));
        }
        if args.bless {
            let blessed = bless::files(&args.files, &self.failed)?;
            // Inputs that cannot be used still give 2, and cases that no answer can mend still give 1.
            if exit == Exit::Failed && self.counts.failed <= blessed {
                return Ok(ExitCode::SUCCESS);
            }
        }
        Ok(ExitCode::from(exit.code()))
    }
}
