//! The tests that policies have: running one test case, and which rules all of them evaluate.

mod compare;
mod coverage;
mod find;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use objchange_sentinel::{Policy, Run, RunErrorKind, Setup, Value, Verdict};
use serde_json::Value as Json;

use self::compare::is_same;
pub use self::coverage::{Counted, Coverage, Covered};
pub use self::find::{FoundTest, FoundTests};
use super::Fault;
use super::configuration::{Configuration, ImportSource};
use super::judge::{Rule, to_json, undefined};
use super::sources::{Sources, shown};

/// A test case that was not run yet.
#[derive(Debug)]
pub struct Case {
    /// The file of the policy.
    pub policy: PathBuf,
    /// The file of the test case.
    pub path: PathBuf,
    /// Its content.
    pub configuration: Result<Configuration, Fault>,
    /// The files that it may need.
    announced: Vec<PathBuf>,
}

/// The result of one.
#[derive(Debug)]
pub struct Outcome {
    /// The file of the policy.
    pub policy: String,
    /// The file of the test case.
    pub case: String,
    /// The rules whose results differ from the expected ones.
    pub differences: Vec<Difference>,
    /// Why it could not be run.
    pub errors: Vec<Fault>,
    /// The output of the policy.
    pub print: String,
    /// The evaluated rules, in the order of the text; empty unless requested.
    pub rules: Vec<Rule>,
    /// All rules of the policy, if requested.
    pub declared: Vec<(Arc<str>, u32, u32)>,
}

/// A rule that is not what was expected.
#[derive(Debug)]
pub struct Difference {
    /// Its name.
    pub rule: String,
    /// The expected value.
    pub expected: Json,
    /// The actual value; none if there is no such rule.
    pub got: Option<Json>,
}

/// The details that a run reports.
#[derive(Debug, Clone, Copy)]
pub struct ReportDetails {
    /// Report all evaluated rules, even if the case passes.
    pub rules: bool,
    /// Report rules that were not evaluated.
    pub declared: bool,
}

impl Outcome {
    /// Whether it is as expected.
    pub fn is_pass(&self) -> bool {
        self.differences.is_empty() && self.errors.is_empty()
    }

    /// A name for programs, which does not change.
    pub fn result(&self) -> &'static str {
        match (self.errors.is_empty(), self.differences.is_empty()) {
            (false, _) => "error",
            (true, false) => "fail",
            (true, true) => "pass",
        }
    }

    /// The rule of a name that was evaluated.
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().rev().find(|rule| rule.name == name)
    }
}

impl Case {
    /// A test case with what its file says.
    pub fn new(policy: PathBuf, path: PathBuf, sources: &Sources) -> Self {
        let configuration = sources.configuration(&path);
        let mut announced = vec![sources.announce(&policy)];
        if let Ok(configuration) = &configuration {
            for given in configuration.mocks.values().chain(configuration.imports.values()) {
                if let ImportSource::Module(reference) | ImportSource::Static(reference) = given
                    && let Ok(path) = reference.path()
                {
                    announced.push(sources.announce(&path));
                }
            }
        }
        Self { policy, path, configuration, announced }
    }

    /// The name of a case: the policy and the name of its file.
    pub fn name(policy: &Path, case: &Path) -> String {
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        format!("{}/{}", stem(policy), stem(case))
    }

    /// Runs it. `prepare` gives the run the time and the limits.
    pub fn run(&self, sources: &Sources, wanted: ReportDetails, prepare: impl FnOnce(&mut Setup)) -> Outcome {
        let mut outcome = self.outcome();
        match self.setup(sources, prepare) {
            Ok((policy, setup)) => {
                // Without a `test` block, `main` must hold.
                let rules = self.configuration.as_ref().ok().and_then(|read| read.rules.as_deref());
                evaluate(&policy, &setup, rules, wanted, &mut outcome);
            }
            Err(errors) => outcome.errors = errors,
        }
        self.announced.iter().for_each(|path| sources.release(path));
        outcome
    }

    /// The outcome before the run.
    fn outcome(&self) -> Outcome {
        Outcome {
            policy: shown(&self.policy),
            case: self.path.display().to_string(),
            differences: Vec::new(),
            errors: Vec::new(),
            print: String::new(),
            rules: Vec::new(),
            declared: Vec::new(),
        }
    }

    /// The outcome of a case that made the program panic.
    pub fn defect(&self) -> Outcome {
        let fault = Fault::of_file(&self.path, "this is a bug in objchange");
        Outcome { errors: vec![fault], ..self.outcome() }
    }

    fn setup(
        &self,
        sources: &Sources,
        prepare: impl FnOnce(&mut Setup),
    ) -> Result<(Arc<Policy>, Setup), Vec<Fault>> {
        let configuration = self.configuration.as_ref().map_err(|fault| vec![fault.clone()])?;
        let policy = sources.policy(&self.policy)?;
        let stem = self.policy.file_stem().unwrap_or_default();
        let name = |name: &str| stem == name.strip_suffix(".sentinel").unwrap_or(name);
        let own = configuration.policies.iter().find(|own| name(&own.name));
        let mut setup = Setup::default();
        setup.params = configuration.params_of(own);
        setup.globals = configuration.globals.clone();
        setup.imports = sources.imports(&policy, configuration)?;
        prepare(&mut setup);
        Ok((policy, setup))
    }
}

fn evaluate(
    policy: &Arc<Policy>,
    setup: &Setup,
    rules: Option<&[(String, Json)]>,
    wanted: ReportDetails,
    outcome: &mut Outcome,
) {
    let mut run = Run::new(policy, setup);
    let done = match rules {
        Some(rules) if !rules.is_empty() => compare(&mut run, rules, outcome),
        _ => passes(&mut run, outcome),
    };
    outcome.errors.extend(done.err().map(|fault| {
        let mut fault = run.error().map_or(fault, |error| Fault::from(error.clone()));
        if fault.kind == Some(RunErrorKind::Import) {
            // A test has no plan, so that even `tfplan/v2` needs a mock.
            fault.message += ": mock it in the test, or say there which module it is";
        }
        fault
    }));
    outcome.print = run.printed();
    if wanted.rules || !outcome.is_pass() {
        outcome.rules = run.rules().iter().map(|rule| Rule::new(&run, rule)).collect();
    }
    if wanted.declared {
        let position = |(name, location): (Arc<str>, objchange_sentinel::Location)| {
            (name, location.position.line, location.position.column)
        };
        outcome.declared = policy.rules().into_iter().map(position).collect();
    }
}

fn compare(run: &mut Run<'_>, rules: &[(String, Json)], outcome: &mut Outcome) -> Result<(), Fault> {
    if let Some(error) = run.error() {
        return Err(error.clone().into());
    }
    for (rule, expected) in rules {
        let value = run.value(rule)?;
        if !value.as_ref().is_some_and(|value| is_same(expected, value)) {
            let got = value.map(|value: Value| to_json(run, &value));
            let (rule, expected) = (rule.clone(), expected.clone());
            outcome.differences.push(Difference { rule, expected, got });
        }
    }
    Ok(())
}

/// Without expected rules, the policy must pass.
fn passes(run: &mut Run<'_>, outcome: &mut Outcome) -> Result<(), Fault> {
    let got = match run.verdict() {
        Verdict::Pass => return Ok(()),
        Verdict::Error(error) => return Err(error.into()),
        Verdict::Undefined(location) => Some(undefined(&location)),
        Verdict::Fail => run.value("main")?.map(|value| to_json(run, &value)),
    };
    outcome.differences.push(Difference { rule: "main".to_owned(), expected: Json::Bool(true), got });
    Ok(())
}
