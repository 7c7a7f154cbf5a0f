//! Policies in Rego and Sentinel over plans.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use objchange_policy::rego::{self, DataFile, InputMode, Policies, PolicyError, PolicyFile, Severity};
use objchange_policy::sentinel::configuration::Level;
use objchange_policy::sentinel::files::{PolicyFilesError, read_policies};
use objchange_policy::sentinel::judge::{Judged, Outcome as Said};
use objchange_policy::sentinel::set::{AppliedPolicy, SetOptions, check_params};
use objchange_policy::sentinel::{Document, Fault, Imports, RunLimits};
use objchange_sentinel::Setup;
use objchange_text::{counted, visible};
use pyo3::prelude::*;

use crate::choice::Texts;
use crate::document::{Allowed, Plan};
use crate::error::Failure;
use crate::load::warn;
use crate::query::seconds;

/// The time now, in nanoseconds since 1970: the libraries have no clock.
fn now_ns() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

/// The outcome of a policy. Undecided is neither of the other two.
// The order matters: the verdict on a plan is the greatest of its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Pass,
    Undecided,
    Fail,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Undecided => "UNDECIDED",
            Self::Fail => "FAIL",
        }
    }
}

/// The result of one rule or policy for a plan.
#[pyclass(frozen, module = "objchange.policy")]
#[derive(Debug)]
pub struct RuleResult {
    name: String,
    verdict: Verdict,
    /// Whether it counts in the verdict on the plan.
    binds: bool,
    level: &'static str,
    findings: Vec<(Option<String>, String)>,
    waits_for: Vec<String>,
    error: Option<String>,
    excepted: bool,
    file: String,
    line: Option<u32>,
}

#[pymethods]
impl RuleResult {
    /// The package and name of the rule, or the name of the policy.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// ``"PASS"``, ``"FAIL"`` or ``"UNDECIDED"``.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.verdict.name()
    }

    /// In Rego ``"failure"`` or ``"warning"``; in Sentinel ``"advisory"``, ``"soft-mandatory"`` or ``"hard-mandatory"``.
    #[getter]
    fn level(&self) -> &'static str {
        self.level
    }

    /// Whether it counts in the verdict on the plan: ``warn`` rules of Rego and advisory policies of Sentinel do not.
    #[getter]
    fn binds(&self) -> bool {
        self.binds
    }

    /// The findings: the address or ``None``, and a message.
    #[getter]
    fn findings(&self) -> Vec<(Option<String>, String)> {
        self.findings.clone()
    }

    /// The values, unknown until apply, that decide.
    #[getter]
    fn waits_for(&self) -> Vec<String> {
        self.waits_for.clone()
    }

    /// The error if it could not be evaluated, and ``None`` otherwise. The verdict is ``"UNDECIDED"`` then.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// An exception names it: its findings do not count.
    #[getter]
    fn excepted(&self) -> bool {
        self.excepted
    }

    /// The name of its file.
    #[getter]
    fn file(&self) -> &str {
        &self.file
    }

    /// The line in that, from 1; ``None`` if it is the whole file.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.line
    }

    fn __repr__(&self) -> String {
        format!("<RuleResult {}: {}, {}>", visible(&self.name), self.verdict.name(), self.level)
    }
}

/// The results of policies for a plan.
#[pyclass(frozen, module = "objchange.policy")]
#[derive(Debug)]
pub struct PolicyResult {
    verdict: Verdict,
    rules: Vec<Py<RuleResult>>,
    prints: Vec<String>,
    warnings: Vec<String>,
}

impl PolicyResult {
    fn new(
        py: Python<'_>,
        rules: Vec<RuleResult>,
        prints: Vec<String>,
        warnings: Vec<String>,
    ) -> PyResult<Self> {
        let verdict =
            // A plan passes if no rule binds. Both languages refuse policies that have no rule at all.
            rules.iter().filter(|rule| rule.binds).map(|rule| rule.verdict).max().unwrap_or(Verdict::Pass);
        let rules = rules.into_iter().map(|rule| Py::new(py, rule)).collect::<PyResult<_>>()?;
        Ok(Self { verdict, rules, prints, warnings })
    }
}

#[pymethods]
impl PolicyResult {
    /// The worst verdict of a rule that is more than advice: ``"PASS"``, ``"FAIL"`` or ``"UNDECIDED"``.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.verdict.name()
    }

    /// The result of each rule or policy.
    #[getter]
    fn rules(&self, py: Python<'_>) -> Vec<Py<RuleResult>> {
        self.rules.iter().map(|rule| rule.clone_ref(py)).collect()
    }

    /// The output of ``print`` in the policies.
    #[getter]
    fn prints(&self) -> Vec<String> {
        self.prints.clone()
    }

    /// Calls of functions that failed, with their places: the conditions with them were undefined. Only in Rego.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn __repr__(&self) -> String {
        format!("<PolicyResult: {}, {}>", self.verdict.name(), counted(self.rules.len(), "rule"))
    }
}

fn rego_failure(error: &PolicyError, file: Option<&str>) -> Failure {
    if let Some(error) = error.document() {
        return Failure::document(error, file);
    }
    let failure = Failure::new("PolicyError", error.kind().kind(), error.message());
    match error.place() {
        Some(place) => failure.at_line(place.line as usize).in_file(Some(&place.file)),
        None => failure,
    }
}

/// Policies in Rego, compiled once for any number of plans.
#[pyclass(frozen, module = "objchange.policy")]
#[derive(Debug)]
pub struct RegoPolicies(Policies);

#[pymethods]
impl RegoPolicies {
    /// Compiles files, each with its name and text. ``tests`` are files of tests, which are not evaluated;
    /// a rule there that would be evaluated is an error. ``data`` is the document ``data`` of policies, as
    /// JSON, and ``run`` the data of the run. ``input`` is ``auto``, ``collections``, ``raw`` or
    /// ``wrapped``.
    #[new]
    #[pyo3(signature = (files, *, tests=vec![], data=None, run=None, input="auto", packages=Texts::default(), rules=Texts::default(), timeout=60.0))]
    #[pyo3(
        text_signature = "(files, *, tests=(), data=None, run=None, input='auto', packages=(), rules=(), timeout=60.0)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are the keyword arguments of Python")]
    fn py_new(
        py: Python<'_>,
        files: Vec<(String, String)>,
        tests: Vec<(String, String)>,
        data: Option<String>,
        run: Option<String>,
        input: &str,
        packages: Texts,
        rules: Texts,
        timeout: f64,
    ) -> PyResult<Self> {
        let mut options = rego::Options::new(now_ns);
        (options.packages, options.rules, options.timeout) = (packages.0, rules.0, seconds(timeout)?);
        options.input = match input {
            "auto" => InputMode::Auto,
            "collections" => InputMode::Collections,
            "raw" => InputMode::Raw,
            "wrapped" => InputMode::Wrapped,
            _ => {
                let message = format!("input is auto, collections, raw or wrapped, not {input:?}");
                return Err(Failure::new("OptionError", "input", message).into());
            }
        };
        let policies = py.detach(|| {
            let to_files = |texts: Vec<(String, String)>| -> Vec<PolicyFile> {
                texts.into_iter().map(|(name, text)| PolicyFile::new(name, text)).collect()
            };
            let document = |name: &str, text: String| {
                let file = DataFile { name: name.to_owned(), path: Vec::new(), text, is_yaml: false };
                DataFile::merge(&[file])
            };
            // A file of tests that is not Rego has no rules, as the program says in a warning.
            let _ = rego::refuse_rules_in_tests(&to_files(tests), &options)?;
            if let Some(text) = data {
                options.data = document("data", text)?;
            }
            options.run = run.map(|text| document("run", text)).transpose()?;
            Policies::compile(&to_files(files), options)
        });
        Ok(Self(policies.map_err(|error| rego_failure(&error, None))?))
    }

    /// Judges a plan.
    ///
    /// Raises `PolicyError` where evaluating takes too much, `DocumentError` where the plan cannot be read, lacks changes or has
    /// unknown actions, or planning ended with an error (``allow_errored=True`` accepts such plans), or it was planned
    /// without providers and without ``strict`` (``allow_trusting=True``).
    #[pyo3(signature = (plan, /, *, allow_errored=false, allow_trusting=false))]
    fn judge(
        &self,
        plan: &Bound<'_, Plan>,
        allow_errored: bool,
        allow_trusting: bool,
    ) -> PyResult<PolicyResult> {
        let (py, held) = (plan.py(), &plan.get().0);
        // A rule about changes passes for a plan that lacks them, so such plans are refused before any rule is
        // evaluated.
        held.refuse_partial(py, Allowed { errored: allow_errored, trusting: allow_trusting })?;
        let file = py.detach(|| held.marked())?;
        let verdicts = py.detach(|| self.0.evaluate(file));
        let verdicts = verdicts.map_err(|error| rego_failure(&error, held.file.as_deref()))?;
        let rules = verdicts.rules.into_iter().map(|rule| {
            let outcome = rule.outcome();
            let finding = |finding: &rego::Finding| (finding.address.clone(), finding.text().to_owned());
            let undecided = rule.undecided.unwrap_or_default();
            let findings = rule.findings.iter().chain(&undecided.findings).map(finding).collect();
            RuleResult {
                name: rule.rule,
                verdict: match outcome {
                    rego::Outcome::Pass | rego::Outcome::Excepted => Verdict::Pass,
                    rego::Outcome::Fail => Verdict::Fail,
                    rego::Outcome::Undecided | rego::Outcome::Error => Verdict::Undecided,
                },
                binds: rule.severity == Severity::Failure || outcome == rego::Outcome::Error,
                level: if rule.severity == Severity::Failure { "failure" } else { "warning" },
                findings,
                waits_for: undecided
                    .waits_for
                    .iter()
                    .map(|unknown| match &*unknown.path {
                        // An empty path is the whole object.
                        "" => unknown.address.clone(),
                        path => format!("{}.{path}", unknown.address),
                    })
                    .collect(),
                error: rule.error,
                excepted: rule.excepted,
                file: rule.place.file,
                line: Some(rule.place.line),
            }
        });
        let warning = |warning: &rego::Warning| {
            format!("{}: {}; the condition was undefined", warning.place, warning.message)
        };
        let warnings = verdicts.warnings.iter().map(warning).collect();
        PolicyResult::new(py, rules.collect(), verdicts.prints, warnings)
    }
}

fn fault_failure(fault: &Fault) -> Failure {
    let failure = Failure::new("PolicyError", "bad_policy", fault.message.clone()).in_file(Some(&fault.file));
    match (fault.line, fault.column) {
        (Some(line), Some(column)) => failure.at(line as usize, column as usize),
        _ => failure,
    }
}

/// Policies in Sentinel, compiled once for any number of plans.
#[pyclass(frozen, module = "objchange.policy")]
#[derive(Debug)]
pub struct SentinelPolicies {
    policies: Vec<AppliedPolicy>,
    timeout: Duration,
    memory: u64,
}

#[pymethods]
impl SentinelPolicies {
    /// Compiles policies, policy sets (``sentinel.hcl``), and folders of either. ``params`` is a JSON object.
    #[new]
    #[pyo3(signature = (files, *, params=None, timeout=60.0, memory=512))]
    fn py_new(
        py: Python<'_>,
        files: Vec<PathBuf>,
        params: Option<&str>,
        timeout: f64,
        memory: u64,
    ) -> PyResult<Self> {
        let timeout = seconds(timeout)?;
        let (policies, warnings) = py.detach(move || {
            let params: serde_json::Map<_, _> = match params {
                Some(text) => serde_json::from_str(text).map_err(|_| {
                    Failure::new("OptionError", "params", "the parameters are no JSON object")
                })?,
                None => serde_json::Map::new(),
            };
            let params: Vec<_> = params.into_iter().collect();
            let options = SetOptions { params: &params, level: Level::HardMandatory, folders: &[] };
            let warnings = RefCell::new(Vec::new());
            let note = |warning: &Fault| warnings.borrow_mut().push(warning.to_string());
            let read = read_policies(&files, None, options, &note).map_err(|error| match &error {
                PolicyFilesError::File(fault) => fault_failure(fault),
                other => Failure::new("PolicyError", other.kind(), other.to_string()),
            })?;
            // A replaced import would hide the plan that is to be judged. Only `tfrun` may be replaced, because this
            // interface has no other way to give the data of a run.
            if let Some(one) = read.replaced.iter().find(|one| one.import != "tfrun") {
                return Err(fault_failure(&one.fault));
            }
            let policies = read.policies;
            let mut warnings = warnings.into_inner();
            let unknown = check_params(&policies, options.params);
            warnings
                .extend(unknown.map_err(|error| Failure::new("OptionError", "params", error.to_string()))?);
            // A policy that cannot be compiled has no result for any plan.
            let fault = policies.iter().find_map(|policy| policy.compiled.as_ref().err()?.first());
            match fault {
                Some(fault) => Err(fault_failure(fault)),
                None if policies.is_empty() => {
                    Err(Failure::new("PolicyError", "no_rules", "there is no policy"))
                }
                None => Ok((policies, warnings)),
            }
        })?;
        warnings.iter().try_for_each(|warning| warn(py, None, warning))?;
        Ok(Self { policies, timeout, memory: memory.saturating_mul(1 << 20) })
    }

    /// Judges a plan.
    ///
    /// Raises `DocumentError` where the plan cannot be read, lacks changes or has unknown actions, planning ended with an
    /// error (``allow_errored=True`` accepts such plans), or it was planned without providers and without ``strict``
    /// (``allow_trusting=True``).
    #[pyo3(signature = (plan, /, *, allow_errored=false, allow_trusting=false))]
    fn judge(
        &self,
        plan: &Bound<'_, Plan>,
        allow_errored: bool,
        allow_trusting: bool,
    ) -> PyResult<PolicyResult> {
        let (py, held) = (plan.py(), &plan.get().0);
        held.refuse_partial(py, Allowed { errored: allow_errored, trusting: allow_trusting })?;
        let now = now_ns();
        let (rules, prints) = py.detach(|| {
            let unusable = |error| Failure::document(&error, held.file.as_deref());
            held.judged()?;
            let document = Arc::new(Document::new(held.marked()?.clone()).map_err(unusable)?);
            let (mut rules, mut prints) = (Vec::new(), Vec::new());
            for policy in &self.policies {
                // The time starts here, and covers all runs of this policy: one that reads a secret runs again with
                // other values.
                let limit = RunLimits { bytes: self.memory, timeout: self.timeout }.begin();
                let judged = policy.judge(&Imports::new(&document, None, None), |setup: &mut Setup| {
                    setup.now = now;
                    limit(setup);
                });
                let mut judged = judged.map_err(unusable)?;
                let print = std::mem::take(&mut judged.print);
                if !print.is_empty() {
                    prints.push(print);
                }
                rules.push(rule_of(policy, judged));
            }
            Ok::<_, Failure>((rules, prints))
        })?;
        PolicyResult::new(py, rules, prints, Vec::new())
    }
}

/// The result of one policy.
fn rule_of(policy: &AppliedPolicy, judged: Judged) -> RuleResult {
    let verdict = match judged.outcome {
        _ if judged.is_undecided => Verdict::Undecided,
        Said::Pass => Verdict::Pass,
        Said::Fail => Verdict::Fail,
        Said::Undefined | Said::Error => Verdict::Undecided,
    };
    let findings =
        judged.witnesses.list.iter().map(|witness| (witness.address.clone(), witness.reason.to_owned()));
    RuleResult {
        name: policy.name.clone(),
        verdict,
        binds: policy.level != Level::Advisory,
        level: policy.level.name(),
        findings: findings.collect(),
        waits_for: judged.unknown.iter().map(|unknown| unknown.what.clone()).collect(),
        error: judged.error.map(|fault| fault.to_string()),
        excepted: false,
        file: policy.file.clone(),
        line: None,
    }
}
