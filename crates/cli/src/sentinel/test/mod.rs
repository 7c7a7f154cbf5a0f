//! `objchange sentinel test`: the tests that policies have.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use objchange_text::re2::Pattern;

use super::limits::{LimitArgs, explain};
use crate::clock::now_ns;
use crate::documents::Progress;
use crate::exit::{self, CommandError, unusable};
use crate::reports::{Outputs, Reporter};
use crate::terminal;
use objchange_finding::Exit;
use objchange_policy::sentinel::parse_time;
use objchange_policy::sentinel::report::{TestLine, test_case, write_coverage, write_summary, write_test};
use objchange_policy::sentinel::sources::Sources;
use objchange_policy::sentinel::testing::{Case, Coverage, FoundTest, FoundTests, Outcome, ReportDetails};
use objchange_project::pool;
use objchange_sentinel::Setup;

const AFTER_HELP: &str = "\
The tests of a policy P.sentinel are the files test/P/*.hcl and test/P/*.json beside it. Each sets mocks, parameters and \
the expected values of rules:

  mock \"tfplan/v2\" {
    module { source = \"mock-tfplan-v2.sentinel\" }
  }
  param \"limit\" { value = 10 }
  test {
    rules = { main = true }
  }

Paths are relative to the configuration. Without `test` the policy must pass. `objchange sentinel mock` makes mocks.

Exit codes:
  0  all tests pass
  1  a test fails or cannot run
  2  there are no tests, or the output cannot be written

Examples:
  objchange sentinel test
  objchange sentinel test policies/ --run /fail- --verbose
  objchange sentinel test policies/limit-cost.sentinel --coverage
  objchange sentinel test policies/ --junit tests.xml";

/// Run the tests of policies
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Policies, folders (all policies with tests in and below them), or single tests
    #[arg(value_name = "DIR|POLICY|TEST", default_value = ".")]
    tests: Vec<PathBuf>,

    /// Run only the tests whose POLICY/NAME matches this regular expression; one must match. Can be repeated
    #[arg(long, value_name = "REGEX")]
    run: Vec<String>,

    /// Report rules that no test evaluates, or that are never true or never false in any test
    #[arg(long)]
    coverage: bool,

    /// Show rules and printed output also for passing tests
    #[arg(long, short, conflicts_with = "json")]
    verbose: bool,

    /// The current time for policies, e.g. 2026-01-31T12:00:00Z or seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    now: Option<i64>,

    #[command(flatten)]
    limits: LimitArgs,

    /// Print JSON Lines (schema/sentinel-test.schema.json)
    #[arg(long)]
    json: bool,

    /// Write a JUnit XML report to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let outputs = Outputs { json: args.json, junit: args.junit.as_deref(), ..Outputs::default() };
    let reporter = Reporter::new("objchange sentinel test", "objchangeSentinelTest/v1", outputs)?;
    let FoundTests { mut found, warnings } = match FoundTests::find(&args.tests) {
        Ok(tests) => tests,
        Err(error) => return Err(unusable(error)),
    };
    warnings.iter().for_each(|warning| exit::warn(warning));
    if !args.run.is_empty() {
        let patterns = args.run.iter().map(|text| {
            let pattern = Pattern::new(text, Pattern::MAX_SIZE);
            pattern.map_err(|error| format!("--run {text}: this is not a regular expression: {error}"))
        });
        let patterns: Vec<Pattern> = patterns.collect::<Result<_, _>>().map_err(unusable)?;
        let mut has_matched = vec![false; patterns.len()];
        found.retain(|test| {
            let name = Case::name(&test.policy, &test.case);
            let matching = patterns.iter().map(|pattern| pattern.is_match(name.as_bytes()));
            // Every pattern is tried, also after a match, so that each notes whether it has matched a test.
            has_matched.iter_mut().zip(matching).fold(false, |any, (has_matched, matches)| {
                *has_matched |= matches;
                any | matches
            })
        });
        if let Some((text, _)) = args.run.iter().zip(&has_matched).find(|(_, has_matched)| !**has_matched) {
            return Err(unusable(format_args!("--run {text}: no test matches this")));
        }
    }
    let sources = Sources::on_disk();
    let mut cases = Vec::with_capacity(found.len());
    // Cases are read and compiled on all cores, and stay in their order.
    let case = |test: &FoundTest| Case::new(test.policy.clone(), test.case.clone(), &sources);
    let Ok(()) = pool::each(&found, case, |case| {
        cases.push(case);
        Ok::<(), Infallible>(())
    });
    warn(&cases);
    let wanted = ReportDetails { rules: args.verbose || args.json || args.coverage, declared: args.coverage };
    let (now, limits) = (args.now.unwrap_or_else(now_ns), args.limits.of_each(found.len()));
    let mut report = Report::new(args, reporter);
    let progress = Progress::count(cases.len());
    let prepare = |setup: &mut Setup| {
        setup.now = now;
        limits.begin()(setup);
    };
    let run = |case: &Case| {
        let begun = Instant::now();
        // A panic is a defect of this program. It fails one test, and the others still run.
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| case.run(&sources, wanted, prepare)));
        let mut outcome = outcome.unwrap_or_else(|_| case.defect());
        outcome.errors.iter_mut().for_each(explain);
        (outcome, Case::name(&case.policy, &case.path), begun.elapsed())
    };
    pool::each(&cases, run, |(outcome, name, duration)| {
        progress.step();
        progress.tell(|| report.outcome(&outcome, &name, duration))
    })?;
    progress.finish();
    Ok(ExitCode::from(report.finish(cases.len())?.code()))
}

/// Warns once about each setting without effect in configurations.
fn warn(cases: &[Case]) {
    let mut first: BTreeMap<&str, (String, usize)> = BTreeMap::new();
    for warning in cases.iter().flat_map(|case| &case.configuration).flat_map(|read| &read.warnings) {
        first.entry(&warning.message).or_insert_with(|| (warning.to_string(), 0)).1 += 1;
    }
    for (warning, count) in first.into_values() {
        match count {
            1 => exit::warn(&warning),
            count => exit::warn(&format!("{warning} (and {} times more)", count - 1)),
        }
    }
}

/// Reports the outcomes one by one.
struct Report<'a> {
    args: &'a Args,
    reporter: Reporter<'a>,
    passed: usize,
    policies: BTreeSet<String>,
    /// The policy of the last test case: those of one policy come one after the other.
    policy: String,
    coverage: Coverage,
}

impl<'a> Report<'a> {
    fn new(args: &'a Args, reporter: Reporter<'a>) -> Self {
        let (policies, policy, coverage) = Default::default();
        Self { args, reporter, passed: 0, policies, policy, coverage }
    }

    fn outcome(&mut self, outcome: &Outcome, name: &str, duration: Duration) -> io::Result<()> {
        self.passed += usize::from(outcome.is_pass());
        if !self.policies.contains(&outcome.policy) {
            self.policies.insert(outcome.policy.clone());
        }
        if self.args.coverage {
            self.coverage.add(outcome);
        }
        if self.policy != outcome.policy {
            self.policy.clone_from(&outcome.policy);
            self.reporter.report.suite(&outcome.policy, None);
        }
        let case = test_case(outcome, name, duration);
        self.reporter.report.case(&case);
        self.reporter.json([TestLine::new(outcome)])?;
        if !self.reporter.has_text() {
            return Ok(());
        }
        let mut out = terminal::stdout();
        write_test(&mut out, outcome, &case, self.args.verbose)?;
        out.flush()
    }

    fn finish(self, tests: usize) -> io::Result<Exit> {
        if self.args.coverage {
            self.reporter.json(self.coverage.policies())?;
        }
        if self.reporter.has_text() {
            let mut out = terminal::stdout();
            if self.args.coverage {
                write_coverage(&mut out, &self.coverage)?;
            }
            write_summary(&mut out, self.passed, tests, self.policies.len())?;
            out.flush()?;
        }
        self.reporter.finish()
    }
}
