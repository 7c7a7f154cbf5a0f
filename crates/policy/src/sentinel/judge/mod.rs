//! Runs one policy over one plan: the outcome, the reasons, the unknown values that it depends on, and secrets to hide.

mod hide;
mod rule;
#[cfg(test)]
mod tests;
mod witness;

use std::collections::HashSet;
use std::sync::Arc;

use objchange_document::DocumentError;
#[cfg(feature = "network")]
use objchange_sentinel::Source;
use objchange_sentinel::{Evaluated, Location, Policy, Run, Setup, UnknownRead, Verdict, Witnesses};
use serde::Serialize;
use serde_json::Value as Json;

pub use self::rule::{Rule, show, to_json, undefined};
pub use self::witness::{WitnessReport, WitnessReports};
use super::hidden::Replacement;
#[cfg(feature = "network")]
use super::http::Http;
use super::place::AccessLog;
use super::{Fault, Imports};

/// The result of a policy on a plan.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Judged {
    /// The outcome.
    pub outcome: Outcome,
    /// Why it could not be evaluated.
    pub error: Option<Fault>,
    /// The printed text.
    pub print: String,
    /// The value of `main`; none if it was not evaluated.
    pub main: Option<Json>,
    /// The rules that were evaluated, in the order of the text.
    pub rules: Vec<Judgement>,
    /// The other rules, by name, line and column.
    pub unused: Vec<(String, u32, u32)>,
    /// The elements that made the policy false.
    pub witnesses: WitnessReports,
    /// The unknown values that were read.
    pub unknown: Vec<Unknown>,
    /// Whether the verdict may be another one after apply.
    pub is_undecided: bool,
}

/// A rule, and why it is as it is.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Judgement {
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
    /// The elements that made it false or undefined.
    pub witnesses: WitnessReports,
    /// The rules that made it so, by their place in the list.
    pub because: Vec<usize>,
    /// Whether it may be something else after apply.
    #[serde(rename = "undecided")]
    pub is_undecided: bool,
    /// The rule that needed it first.
    pub needed_by: Option<usize>,
}

/// Something unknown until apply, on which a rule or the verdict depends.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Unknown {
    /// The path of the value, and its resource or output.
    pub what: String,
    /// The file in which it was looked at.
    pub file: String,
    /// The line in that.
    pub line: u32,
    /// The column in that.
    pub column: u32,
    /// The rules that depend on it, by their place in the list.
    pub rules: Vec<usize>,
}

impl Unknown {
    fn new(read: &UnknownRead) -> Self {
        Self {
            what: read.what.clone(),
            file: read.location.file.to_string(),
            line: read.location.position.line,
            column: read.location.position.column,
            rules: read.rules.clone(),
        }
    }
}

/// The outcome of a policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It is kept.
    #[default]
    Pass,
    /// It is broken.
    Fail,
    /// It cannot be said.
    Undefined,
    /// It cannot be evaluated.
    Error,
}

impl Outcome {
    /// A name for programs, which does not change.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undefined => "undefined",
            Self::Error => "error",
        }
    }
}

/// Runs a policy on a plan; an error is an error of the plan.
///
/// A policy that read secrets runs again with other values in their place, and differing output is hidden. `setup`
/// makes the setup of each run; its imports replace those of the plan with the same name.
///
/// # Errors
///
/// A part of the plan that the policy looks at cannot be read.
pub fn judge(
    policy: &Arc<Policy>,
    imports: &Imports,
    setup: impl Fn() -> Setup,
) -> Result<Judged, DocumentError> {
    #[cfg(feature = "network")]
    let network = imports.remembered();
    let run = |hiding| {
        let noted = Arc::new(AccessLog::default());
        let mut setup = setup();
        let own = std::mem::take(&mut setup.imports);
        setup.imports = imports.sources(hiding, &noted).collect();
        #[cfg(feature = "network")]
        if let Some(network) = &network {
            let network = Arc::clone(network) as Arc<dyn objchange_rego::Network>;
            setup.imports.insert("http".to_owned(), Source::Host(Arc::new(Http { network })));
        }
        setup.imports.extend(own);
        let judged = run(policy, imports, &mut setup);
        match noted.error() {
            Some(error) => Err(error.clone()),
            None => Ok((judged, noted.has_seen_secrets())),
        }
    };
    let (mut judged, has_seen_secrets) = run(None)?;
    // The runs below have other values in place of secrets, which no server is to see.
    #[cfg(feature = "network")]
    network.iter().for_each(|network| network.close());
    if has_seen_secrets {
        let others = Replacement::ALL.map(|replacement| run(Some(replacement)).map(|(other, _)| other));
        let [first, second] = others;
        judged.hide_secrets(&[first?, second?], imports);
    }
    // Facts from the missing providers may change the verdict.
    if judged.is_undecided && judged.outcome != Outcome::Error && imports.is_simulated() {
        judged.outcome = Outcome::Undefined;
    }
    Ok(judged)
}

fn run(policy: &Arc<Policy>, imports: &Imports, setup: &mut Setup) -> Judged {
    // `every_witness` changes the setup for another run while this run still borrows its own.
    let first = setup.clone();
    let mut run = Run::new(policy, &first);
    let mut uncertain = None;
    let (outcome, error, main) = match run.verdict() {
        Verdict::Pass => (Outcome::Pass, None, None),
        Verdict::Fail => (Outcome::Fail, None, None),
        Verdict::Undefined(location) => (Outcome::Undefined, None, Some(undefined(&location))),
        // Without the element there is no error, and nobody knows what the policy says then.
        Verdict::Error(error) if run.uncertain_error().is_some() => {
            uncertain = run.uncertain_error().map(Unknown::new);
            (Outcome::Undefined, None, Some(undefined(&error.location)))
        }
        Verdict::Error(error) => (Outcome::Error, Some(Fault::from(error)), None),
    };
    let main = main.or_else(|| match error {
        None => run.value("main").ok().flatten().map(|main| to_json(&run, &main)),
        Some(_) => None,
    });
    let (witnesses, explained) = match outcome {
        Outcome::Fail | Outcome::Undefined if uncertain.is_none() => every_witness(policy, &mut run, setup),
        _ => (Witnesses::default(), run.rules()),
    };
    let reads = run.unknown_reads();
    let evaluated = run.rules();
    let used: HashSet<_> = evaluated.iter().map(|rule| (rule.name.clone(), rule.location.position)).collect();
    let is_unused = |(name, at): &(Arc<str>, Location)| !used.contains(&(name.clone(), at.position));
    let unused = policy.rules().into_iter().filter(is_unused);
    let unused = unused.map(|(name, at)| (name.to_string(), at.position.line, at.position.column)).collect();
    let rules = evaluated.into_iter().zip(explained).map(|(rule, explained)| Judgement {
        rule: Rule::new(&run, &rule),
        witnesses: WitnessReports::new(&explained.witnesses, imports),
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
        witnesses: WitnessReports::new(&witnesses, imports),
        is_undecided: reads.is_undecided || uncertain.is_some(),
        unknown: reads.list.iter().map(Unknown::new).chain(uncertain).collect(),
    }
}

impl Judged {
    /// The result for a policy that cannot be read.
    pub(crate) fn unreadable(error: Option<Fault>) -> Self {
        Self { outcome: Outcome::Error, error, ..Self::default() }
    }

    /// The rule that the policy is at last, if it is one.
    pub fn main_rule(&self) -> Option<&Rule> {
        self.rules.iter().map(|judgement| &judgement.rule).find(|rule| rule.name == "main")
    }

    /// The rules, each below the one that needed it first, with how deep they nest; `main` is the first.
    pub fn tree(&self) -> Vec<(usize, &Judgement)> {
        let mut below = vec![Vec::new(); self.rules.len()];
        let (mut main, mut roots) = (Vec::new(), Vec::new());
        // The last one pushed is the first one popped below: going backwards gives the order of the text.
        for (index, judgement) in self.rules.iter().enumerate().rev() {
            match judgement.needed_by.and_then(|by| below.get_mut(by)) {
                Some(below) => below.push(index),
                None if judgement.rule.name == "main" => main.push(index),
                None => roots.push(index),
            }
        }
        roots.extend(main);
        let mut waiting: Vec<(usize, usize)> = roots.into_iter().map(|root| (0, root)).collect();
        let mut tree = Vec::with_capacity(self.rules.len());
        while let Some((depth, index)) = waiting.pop() {
            tree.push((depth, &self.rules[index]));
            waiting.extend(std::mem::take(&mut below[index]).into_iter().map(|index| (depth + 1, index)));
        }
        tree
    }
}

/// The witnesses of a failure, and the rules. A longer run also checks elements after the first failing one.
fn every_witness(policy: &Arc<Policy>, run: &mut Run<'_>, setup: &mut Setup) -> (Witnesses, Vec<Evaluated>) {
    let rules = run.rules();
    setup.every_witness = true;
    let mut longer = Run::new(policy, setup);
    let found = longer.witnesses();
    let of_longer = longer.rules();
    let names = |rules: &[Evaluated]| rules.iter().map(|rule| rule.name.clone()).collect::<Vec<_>>();
    match found {
        // Reports name rules by their place in the list, so both runs must have evaluated the same ones.
        Ok(found) if names(&rules) == names(&of_longer) => (found, of_longer),
        _ => (run.witnesses().unwrap_or_default(), rules),
    }
}
