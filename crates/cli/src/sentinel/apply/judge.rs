//! Running one policy over one plan.

use std::sync::Arc;

use objchange_plan::DocumentError;
use objchange_sentinel::{Run, Setup, Verdict};
use serde_json::Value as Json;

use super::set::{Applied, Compiled};
use crate::sentinel::fault::Fault;
use crate::sentinel::imports::{Imports, Noted, Replacement};
use crate::sentinel::rule::{Rule, to_json, undefined};

/// What a policy says of a plan.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) outcome: Outcome,
    /// Why it could not be evaluated.
    pub(super) error: Option<Fault>,
    pub(super) print: String,
    /// What `main` is; none if it was not evaluated.
    pub(super) main: Option<Json>,
    /// The rules that were evaluated, in the order of the text.
    pub(super) rules: Vec<Rule>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
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
pub(super) struct Manner {
    /// What time it is, in nanoseconds since 1970.
    pub(super) now: i64,
}

/// What a policy says of a plan; an error is one of the plan.
pub(super) fn judge(applied: &Applied, imports: &Imports, manner: Manner) -> Result<Judged, DocumentError> {
    let compiled = match &applied.compiled {
        Ok(compiled) => compiled,
        Err(faults) => {
            let error = faults.first().cloned();
            return Ok(Judged {
                outcome: Outcome::Error,
                error,
                print: String::new(),
                main: None,
                rules: Vec::new(),
            });
        }
    };
    let run = |hiding| {
        let noted = Arc::new(Noted::default());
        let judged = run(applied, compiled, imports, hiding, &noted, manner);
        match noted.error() {
            Some(error) => Err(error.clone()),
            None => Ok((judged, noted.has_seen_secrets())),
        }
    };
    let (mut judged, has_seen_secrets) = run(None)?;
    if has_seen_secrets {
        for replacement in Replacement::ALL {
            let (other, _) = run(Some(replacement))?;
            judged.hide_what_differs(&other);
        }
    }
    Ok(judged)
}

fn run(
    applied: &Applied,
    compiled: &Compiled,
    imports: &Imports,
    hiding: Option<Replacement>,
    noted: &Arc<Noted>,
    manner: Manner,
) -> Judged {
    let mut setup = Setup::default();
    setup.params.clone_from(&applied.params);
    setup.globals.clone_from(&applied.globals);
    setup.now = manner.now;
    setup.imports = imports.sources(hiding, noted).collect();
    // What a configuration says goes before what there is.
    setup.imports.extend(compiled.imports.iter().map(|(name, source)| (name.clone(), source.clone())));
    let mut run = Run::new(&compiled.policy, &setup);
    let (outcome, error, main) = match run.verdict() {
        Verdict::Pass => (Outcome::Pass, None, None),
        Verdict::Fail => (Outcome::Fail, None, None),
        Verdict::Undefined(location) => (Outcome::Undefined, None, Some(undefined(&location))),
        Verdict::Error(error) => (Outcome::Error, Some(Fault::from(error)), None),
    };
    let main = main.or_else(|| match error {
        None => run.value("main").ok().flatten().map(|main| to_json(&run, &main)),
        Some(_) => None,
    });
    let rules = run.rules().iter().map(|rule| Rule::of(&run, rule)).collect();
    Judged { outcome, error, print: run.printed(), main, rules }
}
