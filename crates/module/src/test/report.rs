//! Results of running tests, as data. `text`, `messages` and `junit` print them.

use std::time::Duration;

use objchange::change::ProviderSecrets;
use objchange_hcl::Span;

use crate::Diagnostics;
use crate::plan::{ModulePlan, PlanMode};
use crate::state::PriorState;

/// How a run or a file of runs has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum TestStatus {
    /// It was not run, because of an error before.
    Skip,
    /// All that was asserted holds.
    #[default]
    Pass,
    /// An assertion depends on unknown or made-up values. Everything else holds.
    Undecided,
    /// Something that was asserted does not hold.
    Fail,
    /// Something could not be done or decided.
    Error,
}

impl TestStatus {
    /// Its name in JSON: `pass`, `undecided`, `fail`, `error`, `skip`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Pass => "pass",
            Self::Undecided => "undecided",
            Self::Fail => "fail",
            Self::Error => "error",
        }
    }

    /// Its name in texts, which call errors failures.
    pub(super) fn shown(self) -> &'static str {
        if self == Self::Error { "fail" } else { self.name() }
    }
}

/// The results of all test files.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct TestReport {
    /// Each file, in the order in which they ran.
    pub files: Vec<FileReport>,
}

/// The result of a test file.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FileReport {
    /// The path of the file, relative to the module under test.
    pub path: String,
    /// How the file has ended: as the worst of its runs, or with an error of its own.
    pub status: TestStatus,
    /// The names of all its runs.
    pub names: Vec<String>,
    /// The runs that have a line; none where the file could not be run at all.
    pub runs: Vec<RunReport>,
    /// Errors in the file itself.
    pub diagnostics: Diagnostics,
    /// The objects that were destroyed at the end, in that order.
    pub cleanups: Vec<CleanUp>,
    /// Overrides of what is not there.
    pub unused: Diagnostics,
    /// Values that were made up for providers that are neither there nor mocked: the addresses and attributes.
    pub invented: Vec<String>,
    /// Provisioners that did not run: the addresses of their resources.
    pub provisioners: Vec<String>,
    /// Secrets of the test file, which plans and states may repeat.
    pub(super) secrets: ProviderSecrets,
}

impl FileReport {
    /// Hides secrets in everything that was said. Plans and states keep them, so that their documents have all values.
    pub(super) fn hide(&mut self, secrets: ProviderSecrets) {
        if secrets.is_empty() {
            return;
        }
        for run in &mut self.runs {
            run.diagnostics.hide(&secrets);
            for element in run.elements.iter_mut().flat_map(|failed| &mut failed.elements) {
                *element = secrets.hide(element).into_owned();
            }
        }
        self.diagnostics.hide(&secrets);
        self.secrets = secrets;
    }
}

/// The result of a run.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RunReport {
    /// The name.
    pub name: String,
    /// How it has ended.
    pub status: TestStatus,
    /// It was begun.
    pub started: bool,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// The plan or the state that it came to, where that was asked for.
    pub outcome: Option<RunOutcome>,
    /// How many assertions it has.
    pub assertions: usize,
    /// Elements of collections that have made assertions fail.
    pub elements: Vec<FailedElements>,
    /// Assertions and other conditions that are undecided: they depend on unknown values, where that is no error, or on
    /// values that were made up.
    pub undecided: usize,
    /// The time when it began, by the caller's clock.
    pub started_at: Duration,
    /// How long it took, by the same clock.
    pub elapsed: Duration,
}

/// Elements of collections that have made an assertion fail. Nothing in them is sensitive.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FailedElements {
    /// The condition.
    pub span: Span,
    /// Each element: the names that loops give it, and its value: `port is 8080`.
    pub elements: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

/// The plan or state of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// The plan, and which of the modules of the suite it is of.
    Plan(Box<ModulePlan>, PlanMode, usize),
    /// The state, and which of the modules of the suite it is of.
    State(Box<PriorState>, usize),
}

/// The end of a state that runs have made.
#[derive(Debug)]
#[non_exhaustive]
pub struct CleanUp {
    /// The run that changed the state last.
    pub run: String,
    /// The addresses of objects that could not be destroyed.
    pub left: Vec<String>,
    /// Why.
    pub diagnostics: Diagnostics,
}

impl TestReport {
    /// How all files have ended.
    pub fn status(&self) -> TestStatus {
        self.files.iter().map(|file| file.status).max().unwrap_or_default().max(TestStatus::Pass)
    }

    /// Whether all that was to be run has passed.
    pub fn passes(&self) -> bool {
        self.status() <= TestStatus::Pass
    }

    /// How many runs have ended so.
    pub fn count(&self, status: TestStatus) -> usize {
        self.files.iter().flat_map(|file| &file.runs).filter(|run| run.status == status).count()
    }
}
