//! Running one policy over one plan.

use std::sync::Arc;

use objchange_plan::DocumentError;
use objchange_policy::sentinel::{AccessLog, Imports, Replacement};
use objchange_sentinel::{Evaluated, Location, Run, Setup, Touched, Verdict, Witnesses};
use serde::Serialize;
use serde_json::Value as Json;

use super::set::{Applied, Compiled};
use super::witness::WitnessReports;
use crate::sentinel::fault::Fault;
use crate::sentinel::limits::RunLimits;
use crate::sentinel::rule::{Rule, to_json, undefined};

/// What a policy says of a plan.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) outcome: Outcome,
    /// Why it could not be evaluated.
    pub(super) error: Option<Fault>,
    pub(super) print: String,
    /// What `main` is; none if it was not evaluated.
    pub(super) main: Option<Json>,
    /// The rules that were evaluated, in the order of the text.
    pub(super) rules: Vec<Judgement>,
    /// The other rules, by name, line and column.
    pub(super) unused: Vec<(String, usize, usize)>,
    /// What made the policy false.
    pub(super) witnesses: WitnessReports,
    /// What was looked at that is unknown until apply.
    pub(super) unknown: Vec<Unknown>,
    /// Whether the verdict may be another one after apply.
    pub(super) is_undecided: bool,
}

/// A rule, and why it is as it is.
#[derive(Debug, Serialize)]
pub(super) struct Judgement {
    #[serde(flatten)]
    pub(super) rule: Rule,
    /// What made it false or undefined.
    pub(super) witnesses: WitnessReports,
    /// The rules that made it so, by their place in the list.
    pub(super) because: Vec<usize>,
    /// Whether it may be something else after apply.
    #[serde(rename = "undecided")]
    pub(super) is_undecided: bool,
    /// The rule that needed it first.
    pub(super) needed_by: Option<usize>,
}

/// Something unknown until apply, on which a rule or the verdict depends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Unknown {
    pub(super) what: String,
    file: String,
    pub(super) line: usize,
    col: usize,
    /// The rules that depend on it, by their place in the list.
    pub(super) rules: Vec<usize>,
}

impl Unknown {
    fn of(touched: &Touched) -> Self {
        Self {
            what: touched.what.clone(),
            file: touched.location.file.to_string(),
            line: touched.location.position.line,
            col: touched.location.position.column,
            rules: touched.rules.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Outcome {
    #[default]
    Pass,
    Fail,
    Undefined,
    Error,
}

impl Outcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undefined => "undefined",
            Self::Error => "error",
        }
    }
}

/// How policies are run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunOptions {
    /// What time it is, in nanoseconds since 1970.
    pub(super) now: i64,
    pub(super) limits: RunLimits,
}

/// What a policy says of a plan; an error is one of the plan.
pub(super) fn judge(
    applied: &Applied,
    imports: &Imports,
    manner: RunOptions,
) -> Result<Judged, DocumentError> {
    let compiled = match &applied.compiled {
        Ok(compiled) => compiled,
        Err(faults) => {
            let error = faults.first().cloned();
            return Ok(Judged { outcome: Outcome::Error, error, ..Judged::default() });
        }
    };
    let run = |hiding| {
        let noted = Arc::new(AccessLog::default());
        let judged = run(applied, compiled, imports, hiding, &noted, manner);
        match noted.error() {
            Some(error) => Err(error.clone()),
            None => Ok((judged, noted.has_seen_secrets())),
        }
    };
    let (mut judged, has_seen_secrets) = run(None)?;
    if has_seen_secrets {
        let others = Replacement::ALL.map(|replacement| run(Some(replacement)).map(|(other, _)| other));
        let [first, second] = others;
        judged.hide_secrets(&[first?, second?], imports);
    }
    Ok(judged)
}

fn run(
    applied: &Applied,
    compiled: &Compiled,
    imports: &Imports,
    hiding: Option<Replacement>,
    noted: &Arc<AccessLog>,
    manner: RunOptions,
) -> Judged {
    let mut setup = Setup::default();
    setup.params.clone_from(&applied.params);
    setup.globals.clone_from(&applied.globals);
    setup.now = manner.now;
    manner.limits.apply(&mut setup);
    setup.imports = imports.sources(hiding, noted).collect();
    // What a configuration says goes before what there is.
    setup.imports.extend(compiled.imports.iter().map(|(name, source)| (name.clone(), source.clone())));
    let mut run = Run::new(&compiled.policy, &setup);
    let (outcome, error, main) = match run.verdict() {
        Verdict::Pass => (Outcome::Pass, None, None),
        Verdict::Fail => (Outcome::Fail, None, None),
        Verdict::Undefined(location) => (Outcome::Undefined, None, Some(undefined(&location))),
        Verdict::Error(error) => (Outcome::Error, Some(Fault::from(manner.limits.explain(error))), None),
    };
    let main = main.or_else(|| match error {
        None => run.value("main").ok().flatten().map(|main| to_json(&run, &main)),
        Some(_) => None,
    });
    let (witnesses, explained) = match outcome {
        Outcome::Fail | Outcome::Undefined => every_witness(compiled, &mut run, &mut setup.clone()),
        Outcome::Pass | Outcome::Error => (Witnesses::default(), run.rules()),
    };
    let touched = run.touched();
    let evaluated = run.rules();
    let is_unused = |(name, at): &(Arc<str>, Location)| {
        !evaluated.iter().any(|rule| rule.name == *name && rule.location.position == at.position)
    };
    let unused = compiled.policy.rules().into_iter().filter(is_unused);
    let unused = unused.map(|(name, at)| (name.to_string(), at.position.line, at.position.column)).collect();
    let rules = evaluated.into_iter().zip(explained).map(|(rule, explained)| Judgement {
        rule: Rule::of(&run, &rule),
        witnesses: WitnessReports::of(&explained.witnesses, imports),
        because: explained.because,
        is_undecided: rule.is_undecided,
        needed_by: rule.needed_by,
    });
    Judged {
        outcome,
        error,
        print: run.printed(),
        main,
        rules: rules.collect(),
        unused,
        witnesses: WitnessReports::of(&witnesses, imports),
        unknown: touched.list.iter().map(Unknown::of).collect(),
        is_undecided: touched.is_undecided,
    }
}

/// What made a policy false, and its rules: all elements, where those behind the first one can be looked at, too.
fn every_witness(compiled: &Compiled, run: &mut Run<'_>, setup: &mut Setup) -> (Witnesses, Vec<Evaluated>) {
    let rules = run.rules();
    setup.every_witness = true;
    let mut longer = Run::new(&compiled.policy, setup);
    let found = longer.witnesses();
    let of_longer = longer.rules();
    let names = |rules: &[Evaluated]| rules.iter().map(|rule| rule.name.clone()).collect::<Vec<_>>();
    match found {
        Ok(found) if names(&rules) == names(&of_longer) => (found, of_longer),
        _ => (run.witnesses().unwrap_or_default(), rules),
    }
}
