//! Evaluates policies over a document.
//!
//! Rules run over an input with unknown values, so their certain results hold for every outcome of apply. A message is
//! shown only after it is known to hold no secret: see `secret`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use objchange_document::Plan;
use objchange_rego::{
    EvalError, Limit, Limits, Network, Pass, RuleId, RuleResults, Session, Setup, TEXT_OF_PART, Unknown,
    Value, Warning, value::shown,
};
use objchange_text::TimeLimit;

use super::Options;
use super::compile::Compiled;
use super::error::{PolicyError, PolicyErrorKind, PolicyLocation};
use super::finding::{Addresses, finding};
use super::input::{Input, Secrets, input};
use super::marked_paths::end_paths;
use super::network::Remembered;
use super::rules::title;
use super::secret::{Hidden, contains_secret, depends_on_secret, finds_by_secrets};
use super::trace::{TraceState, TracedCondition, TracedRule, add_passes, traced};
use super::unknown::{Marking, Places};
use super::verdict::{Finding, RuleVerdict, Verdicts};

/// The maximum length of all messages about a plan: nobody reads more, and writing them has no time limit.
const MOST_TEXT: u64 = 64 << 20;

/// A definition of a rule, by the numbers of both.
pub(super) type DefinitionId = (usize, usize);

/// The results of all rules.
#[derive(Debug, Default)]
pub(super) struct Results {
    pub(super) found: BTreeMap<DefinitionId, Result<RuleResults, EvalError>>,
    pub(super) warnings: Vec<Warning>,
    pub(super) prints: Vec<String>,
    /// How often evaluation came by the conditions of each definition, if that is asked for.
    passes: Passes,
    /// By package, the rules that an `exception` names, and what that depends on.
    pub(super) exceptions: BTreeMap<Vec<String>, Vec<(Value, Option<Unknown>)>>,
}

/// How often evaluation came by the conditions of definitions.
#[derive(Debug, Default)]
struct Passes {
    /// Those of the rules that are evaluated.
    evaluated: BTreeMap<DefinitionId, Vec<Pass>>,
    /// Those of all others, by the definition.
    used: BTreeMap<(RuleId, usize), Vec<Pass>>,
}

impl Passes {
    /// Adds those of the evaluation of this definition.
    fn add(&mut self, passes: Vec<Pass>, id: DefinitionId, policies: &Compiled) {
        let evaluated: HashSet<RuleId> = policies.rules.iter().map(|rule| rule.id).collect();
        let own = policies.rules[id.0].id;
        let mut used: BTreeMap<(RuleId, usize), Vec<Pass>> = BTreeMap::new();
        for pass in passes {
            if pass.rule == own && pass.definition == id.1 {
                self.evaluated.entry(id).or_default().push(pass);
            } else if !evaluated.contains(&pass.rule) {
                used.entry((pass.rule, pass.definition)).or_default().push(pass);
            }
        }
        for (definition, passes) in used {
            add_passes(self.used.entry(definition).or_default(), passes);
        }
    }

    fn extend(&mut self, more: Self) {
        self.evaluated.extend(more.evaluated);
        for (definition, passes) in more.used {
            add_passes(self.used.entry(definition).or_default(), passes);
        }
    }
}

/// A document with unknown values, and where they are.
pub(super) struct Marked {
    pub(super) document: Value,
    places: Places,
    hides_secrets: bool,
}

/// Evaluates policies over one document.
#[derive(Clone)]
pub(super) struct Evaluation<'p> {
    pub(super) policies: &'p Compiled,
    pub(super) options: &'p Options,
    plan: &'p Plan<'p>,
    time: TimeLimit,
    now_ns: i64,
    network: Option<Arc<Remembered>>,
    /// Keep the values of the terms in conditions, for a trace.
    keeps_values: bool,
}

/// Evaluates the policies over a plan.
pub(super) fn evaluate(
    policies: &Compiled,
    options: &Options,
    plan: &Plan<'_>,
) -> Result<Verdicts, PolicyError> {
    let evaluation = Evaluation::new(policies, options, plan);
    let runs = evaluation.runs()?;
    verdicts(&evaluation, &runs)
}

/// All definitions of all rules.
fn all_definitions(policies: &Compiled) -> Vec<DefinitionId> {
    policies
        .rules
        .iter()
        .enumerate()
        .flat_map(|(rule, evaluated)| {
            (0..evaluated.definitions.len()).map(move |definition| (rule, definition))
        })
        .collect()
}

/// A run of policies.
struct Run {
    places: Places,
    results: Results,
    /// The messages of undecided rules that OPA would report today.
    as_now: BTreeMap<DefinitionId, BTreeSet<Value>>,
    hidden: Hidden,
    addresses: Addresses,
    /// The passes over the document with its secrets unknown, whose values may be shown.
    known: Passes,
    known_places: Places,
}

/// The runs of policies over a document.
struct Runs {
    first: Run,
    /// A run over the document with its secrets, and the definitions in it, if their results depend on secrets.
    with_secrets: Option<(BTreeSet<DefinitionId>, Run)>,
}

impl Runs {
    /// The run that has the results of a definition.
    fn of(&self, id: DefinitionId) -> &Run {
        match &self.with_secrets {
            Some((definitions, run)) if definitions.contains(&id) => run,
            _ => &self.first,
        }
    }

    fn last(&self) -> &Run {
        self.with_secrets.as_ref().map_or(&self.first, |(_, run)| run)
    }
}

fn verdicts(evaluation: &Evaluation<'_>, runs: &Runs) -> Result<Verdicts, PolicyError> {
    let policies = evaluation.policies;
    let mut telling = FindingWriter { evaluation, addresses: &runs.first.addresses, told: 0 };
    // Where the run over secrets is not the first one, the first has neither prints nor warnings.
    let Run { results, hidden, .. } = runs.last();
    let mut verdicts = Verdicts {
        prints: hidden.prints(results),
        warnings: hidden.warnings(results),
        ..Verdicts::default()
    };
    for (rule, evaluated) in policies.rules.iter().enumerate() {
        let title = evaluated.title();
        let exception = evaluated.exception(&runs.first.results);
        let Some(place) = evaluated.definitions.first().cloned() else { continue };
        let mut verdict = RuleVerdict {
            rule: title.clone(),
            severity: evaluated.severity,
            place,
            findings: Vec::new(),
            undecided: None,
            excepted: false,
            error: None,
            trace: Vec::new(),
        };
        for (index, place) in evaluated.definitions.iter().enumerate() {
            let id = (rule, index);
            let run = runs.of(id);
            let Run { places, results, as_now, hidden, .. } = run;
            verdict.trace.extend(results.passes.evaluated.get(&id).map(|passes| {
                let known = run.known.evaluated.get(&id).map_or(&[][..], Vec::as_slice);
                traced(&policies.texts, passes, known, &run.known_places)
            }));
            match results.found.get(&id) {
                Some(Ok(found)) => {
                    let mut shown = |values: &mut dyn Iterator<Item = &Value>| {
                        telling.shown(values, hidden, id, (&title, place))
                    };
                    verdict.findings.extend(shown(&mut found.certain.iter())?);
                    if !found.possible.is_empty() || found.may_fail.is_some() {
                        let doubts = found.possible.iter().map(|(_, doubt)| doubt).chain(&found.may_fail);
                        let is_said_now =
                            |value: &&Value| as_now.get(&id).is_some_and(|now| now.contains(value));
                        let said_now = found.possible.iter().map(|(value, _)| value).filter(is_said_now);
                        let undecided = verdict.undecided.get_or_insert_default();
                        undecided.findings.extend(shown(&mut said_now.into_iter())?);
                        undecided.wait_for(waits(places, doubts));
                    }
                }
                Some(Err(error)) => match &error.doubt {
                    Some(doubt) => {
                        let undecided = verdict.undecided.get_or_insert_default();
                        undecided.wait_for(waits(places, std::iter::once(doubt)));
                    }
                    None => {
                        let error = hidden.error(id, error);
                        verdict.error = Some(match verdict.error.take() {
                            Some(first) => format!("{first}; {error}"),
                            None => error,
                        });
                    }
                },
                None => {}
            }
        }
        match &exception {
            Some(None) => verdict.excepted = true,
            Some(Some(doubt)) if !verdict.findings.is_empty() => {
                let undecided = verdict.undecided.get_or_insert_default();
                undecided.findings.splice(0..0, verdict.findings.drain(..));
                undecided.wait_for(runs.first.places.find(doubt).cloned());
            }
            _ => {}
        }
        verdicts.rules.push(verdict);
    }
    verdicts.used = used_rules(policies, runs.last());
    if verdicts.rules.iter().any(|rule| rule.undecided.is_some()) {
        end_paths(&mut verdicts, evaluation.plan)?;
    }
    Ok(verdicts)
}

/// The conditions of rules and functions that are not evaluated by themselves.
fn used_rules(policies: &Compiled, run: &Run) -> Vec<TracedRule> {
    let mut used: BTreeMap<RuleId, Vec<Vec<TracedCondition>>> = BTreeMap::new();
    for (id, passes) in &run.results.passes.used {
        let known = run.known.used.get(id).map_or(&[][..], Vec::as_slice);
        let conditions = traced(&policies.texts, passes, known, &run.known_places);
        used.entry(id.0).or_default().push(conditions);
    }
    let is_evaluated = |trace: &Vec<Vec<TracedCondition>>| {
        trace.iter().flatten().any(|condition| condition.state != TraceState::NotReached)
    };
    used.retain(|_, trace| is_evaluated(trace));
    let rules = policies.program.rules();
    rules
        .filter_map(|rule| Some(TracedRule { rule: title(rule.path), trace: used.remove(&rule.id)? }))
        .collect()
}

/// Makes findings, within the limits: messages may share what they are made of, and their texts do not.
struct FindingWriter<'e> {
    evaluation: &'e Evaluation<'e>,
    addresses: &'e Addresses,
    /// About how many bytes the findings take.
    told: u64,
}

impl FindingWriter<'_> {
    /// The findings for messages. Hidden messages give one finding per resource, because their number may reveal the
    /// secret.
    fn shown(
        &mut self,
        values: &mut dyn Iterator<Item = &Value>,
        hidden: &Hidden,
        id: DefinitionId,
        (title, place): (&str, &PolicyLocation),
    ) -> Result<Vec<Finding>, PolicyError> {
        let mut findings = Vec::new();
        let mut reported = BTreeSet::new();
        for value in values {
            if self.evaluation.time.is_over() {
                return Err(self.evaluation.limit(Limit::Time, Some(place.clone())));
            }
            // The text, and the value as JSON.
            self.told = self.told.saturating_add(value.parts().saturating_mul(2 * TEXT_OF_PART));
            if self.told > 2 * MOST_TEXT {
                let message = format!("the messages of the policies have more than {} MiB", MOST_TEXT >> 20);
                return Err(PolicyError::new(PolicyErrorKind::Size, Some(place.clone()), message));
            }
            if self.told > self.evaluation.options.memory {
                return Err(self.evaluation.limit(Limit::Memory, Some(place.clone())));
            }
            let is_shown = !contains_secret(value) && !hidden.contains(id, value);
            let finding = finding(value, is_shown, (title, place), self.addresses);
            if is_shown || reported.insert(finding.address.clone()) {
                findings.push(finding);
            }
        }
        Ok(findings)
    }
}

fn waits<'u>(
    places: &Places,
    doubts: impl Iterator<Item = &'u Unknown>,
) -> BTreeSet<super::verdict::Unknown> {
    let ids: BTreeSet<u32> = doubts.flat_map(objchange_rego::Unknown::ids).copied().collect();
    places.find(&Unknown::from_ids(ids)).cloned().collect()
}

impl super::rules::Evaluated {
    /// Whether `exception`, as in conftest, names the rule without its prefix `deny_` in this package. An uncertain
    /// answer comes with the unknowns that it depends on.
    fn exception(&self, results: &Results) -> Option<Option<Unknown>> {
        let name = Value::from(self.name().split_once('_').map_or("", |(_, rest)| rest));
        let lists = results.exceptions.get(self.package())?;
        let mut excepted: Option<Option<Unknown>> = None;
        for (list, doubt) in lists {
            let doubt = match list {
                Value::Array(items) if items.items().contains(&name) => doubt.clone(),
                Value::Set(items) if items.items().contains(&name) => doubt.clone(),
                other => match (other.unknowns(), doubt) {
                    (None, _) => continue,
                    (Some(unknown), Some(doubt)) => Some(unknown.union(doubt)),
                    (unknown, None) => unknown,
                },
            };
            match (doubt, &excepted) {
                (None, _) => return Some(None),
                (Some(doubt), Some(Some(other))) => excepted = Some(Some(other.union(&doubt))),
                (doubt, _) => excepted = Some(doubt),
            }
        }
        excepted
    }
}

impl<'p> Evaluation<'p> {
    fn new(policies: &'p Compiled, options: &'p Options, plan: &'p Plan<'p>) -> Self {
        Self {
            policies,
            options,
            plan,
            time: TimeLimit::begin(options.timeout),
            now_ns: (options.now_ns)(),
            network: options.network.clone().map(Remembered::new).map(Arc::new),
            keeps_values: false,
        }
    }

    fn runs(&self) -> Result<Runs, PolicyError> {
        let all = all_definitions(self.policies);
        let Some((first, by_secrets)) = self.without_secrets(&all)? else {
            return Ok(Runs { first: self.with_secrets(&all)?, with_secrets: None });
        };
        if by_secrets.is_empty() {
            return Ok(Runs { first, with_secrets: None });
        }
        let wanted: Vec<DefinitionId> = by_secrets.iter().copied().collect();
        let run = self.with_secrets(&wanted)?;
        Ok(Runs { first, with_secrets: Some((by_secrets, run)) })
    }

    /// Runs definitions over the document with its secrets.
    fn with_secrets(&self, wanted: &[DefinitionId]) -> Result<Run, PolicyError> {
        let Marked { document, places, .. } = self.document(&Secrets::Shown)?;
        // Unknown values stay unknown here, so certain findings hold for every outcome of apply.
        let results = self.results(&document, wanted, self.options.parts())?;
        // The runs below must not send a request again, nor one that only their changed values cause.
        if let Some(network) = &self.network {
            network.close();
        }
        let as_now = self.as_now(&results, &Secrets::Shown)?;
        let hidden = Hidden::find(self, &document, &results)?;
        let (known, known_places) = if self.options.trace { self.known(wanted) } else { Default::default() };
        let addresses = Addresses::new(&document);
        Ok(Run { places, results, as_now, hidden, addresses, known, known_places })
    }

    /// The passes over the document with its secrets unknown. Without them a trace has no values, so that this may fail.
    fn known(&self, wanted: &[DefinitionId]) -> (Passes, Places) {
        let Ok(Marked { document, places, .. }) = self.document(&Secrets::Unknown) else {
            return Default::default();
        };
        let evaluation = Self { keeps_values: true, ..self.clone() };
        match evaluation.results(&document, wanted, self.options.parts()) {
            Ok(results) => (results.passes, places),
            Err(_) => Default::default(),
        }
    }

    /// Runs definitions over the document with its secrets unknown. Returns also those whose results depend on secrets.
    /// `None` if all of them must run over the secrets.
    fn without_secrets(
        &self,
        wanted: &[DefinitionId],
    ) -> Result<Option<(Run, BTreeSet<DefinitionId>)>, PolicyError> {
        let is_open = self.plan.is_simulated() || !self.plan.missing().is_empty();
        // With unknown values policies come by places, and send requests, that they do not come by with known ones.
        if is_open || self.options.trace || self.network.is_some() {
            return Ok(None);
        }
        let Marked { document, places, hides_secrets } = self.document(&Secrets::Unknown)?;
        let mut evaluation = self.clone();
        if hides_secrets {
            // Joins over unknown values cannot use an index, so that policies over secrets may take much longer here.
            evaluation.time = TimeLimit::begin(self.options.timeout / 4);
        }
        let mut results = match evaluation.results(&document, wanted, self.options.parts()) {
            Err(_) if hides_secrets && !self.time.is_over() => return Ok(None),
            results => results?,
        };
        let says_more = !results.prints.is_empty() || !results.warnings.is_empty();
        let mut exceptions = results.exceptions.values().flatten();
        let excepts_by_secrets = exceptions
            .any(|(list, doubt)| contains_secret(list) || doubt.as_ref().is_some_and(depends_on_secret));
        if hides_secrets && (says_more || excepts_by_secrets) {
            return Ok(None);
        }
        let by_secrets = results.found.iter().filter(|(_, found)| hides_secrets && finds_by_secrets(found));
        let by_secrets: BTreeSet<DefinitionId> = by_secrets.map(|(id, _)| *id).collect();
        results.found.retain(|id, _| !by_secrets.contains(id));
        let as_now = self.as_now(&results, &Secrets::Unknown)?;
        let addresses = Addresses::new(&document);
        let (known, known_places) = Default::default();
        let run = Run { places, results, as_now, hidden: Hidden::default(), addresses, known, known_places };
        Ok(Some((run, by_secrets)))
    }

    /// The messages of undecided rules when unknown values are absent: those that OPA would report today.
    fn as_now(
        &self,
        results: &Results,
        secrets: &Secrets,
    ) -> Result<BTreeMap<DefinitionId, BTreeSet<Value>>, PolicyError> {
        let is_undecided = |found: &Result<RuleResults, EvalError>| {
            found
                .as_ref()
                // A message with an unknown part equals none of a run in which unknown values are absent.
                .is_ok_and(|found| found.possible.iter().any(|(value, _)| !value.contains_unknown()))
        };
        let wanted: Vec<DefinitionId> =
            results.found.iter().filter(|(_, found)| is_undecided(found)).map(|(id, _)| *id).collect();
        if wanted.is_empty() {
            return Ok(BTreeMap::new());
        }
        let input = self.input(secrets)?.value;
        let now = self.results(&input, &wanted, self.options.parts())?;
        let said = now
            .found
            .into_iter()
            .filter_map(|(id, found)| Some((id, found.ok()?.certain.into_iter().collect())));
        Ok(said.collect())
    }

    pub(super) fn limit(&self, limit: Limit, place: Option<PolicyLocation>) -> PolicyError {
        PolicyError::of_limit(limit, place, self.options.memory, &self.time)
    }

    /// The document as policies see it.
    pub(super) fn document(&self, secrets: &Secrets) -> Result<Marked, PolicyError> {
        if self.time.is_over() {
            return Err(self.limit(Limit::Time, None));
        }
        let Input { value, simulated, hides_secrets } = self.input(secrets)?;
        let mut marking = Marking::new(self.policies.members.full, simulated, self.plan.schemas());
        let document = marking.apply(&value, self.policies.mode);
        Ok(Marked { document, places: marking.places, hides_secrets })
    }

    fn input(&self, secrets: &Secrets) -> Result<Input<'p>, PolicyError> {
        let Compiled { mode, members, .. } = self.policies;
        input(self.plan, *mode, members, self.options.run.as_ref(), secrets)
    }

    /// Evaluates definitions of rules on this many threads.
    pub(super) fn results(
        &self,
        document: &Value,
        wanted: &[DefinitionId],
        threads: usize,
    ) -> Result<Results, PolicyError> {
        let parts: Vec<Vec<DefinitionId>> = (0..threads)
            .map(|part| wanted.iter().filter(|(rule, _)| rule % threads == part).copied().collect())
            .collect();
        let results: Vec<Result<Results, PolicyError>> = thread::scope(|scope| {
            let (first, rest) =
                parts.split_first().map_or((&[][..], &[][..]), |(first, rest)| (&first[..], rest));
            let others: Vec<_> = rest
                .iter()
                .filter(|part| !part.is_empty())
                .map(|part| scope.spawn(move || self.part(document, part, false)))
                .collect();
            let first = self.part(document, first, true);
            let joined = others.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            std::iter::once(first).chain(joined).collect()
        });
        let mut all = Results::default();
        for part in results {
            let part = part?;
            all.found.extend(part.found);
            all.exceptions.extend(part.exceptions);
            all.prints.extend(part.prints);
            all.passes.extend(part.passes);
            for warning in part.warnings {
                if !all.warnings.contains(&warning) {
                    all.warnings.push(warning);
                }
            }
        }
        Ok(all)
    }

    fn part(
        &self,
        document: &Value,
        wanted: &[DefinitionId],
        is_first: bool,
    ) -> Result<Results, PolicyError> {
        let limits = Limits { deadline: self.time.end(), memory: self.options.memory };
        let setup = Setup {
            input: Some(document.clone()),
            data: self.options.data.clone(),
            limits,
            strict_builtin_errors: self.options.strict_builtin_errors,
            now_ns: self.now_ns,
            network: self.network.clone().map(|network| network as Arc<dyn Network>),
            config_files: self.options.config_files.clone(),
            keeps_values: self.keeps_values,
        };
        let mut now = None;
        let results = self.policies.program.run(setup, |session| {
            let mut results = Results::default();
            for (rule, definition) in wanted {
                now = Some(*rule);
                self.policies.begun.store(*rule, Ordering::Relaxed);
                let found = self.definition(session, *rule, *definition);
                if let Err(error) = &found
                    && error.limit.is_some()
                {
                    return Err(error.clone());
                }
                results.found.insert((*rule, *definition), found);
                if self.options.trace {
                    results.passes.add(session.take_passes(), (*rule, *definition), self.policies);
                }
            }
            if is_first {
                for (package, exception) in &self.policies.exceptions {
                    let found = session.definition_values(*exception)?;
                    let may_fail = found.may_fail;
                    let certain = found.certain.into_iter().map(|value| (value, may_fail.clone()));
                    let possible = found.possible.into_iter().map(|(value, doubt)| (value, Some(doubt)));
                    results.exceptions.insert(package.clone(), certain.chain(possible).collect());
                }
            }
            results.warnings = session.take_warnings();
            let prints = session.take_prints().into_iter();
            results.prints = prints
                .map(|(location, text)| format!("{}: {}", PolicyLocation::from(location), shown(&text)))
                .collect();
            Ok(results)
        });
        results.map_err(|error| {
            let of_rule = now.and_then(|rule| self.policies.rules[rule].definitions.first()).cloned();
            match error.limit {
                Some(limit) => self.limit(limit, of_rule),
                None => PolicyError::new(
                    super::PolicyErrorKind::Evaluation,
                    error.location.map(PolicyLocation::from).or(of_rule),
                    // It may hold something sensitive.
                    "evaluating an exception fails",
                ),
            }
        })
    }

    fn definition(
        &self,
        session: &mut Session<'_>,
        rule: usize,
        index: usize,
    ) -> Result<RuleResults, EvalError> {
        session.definition(self.policies.rules[rule].id, index)
    }
}
