//! Trying one type with many configurations. The smallest one that shows a finding is reported.

mod smallest;

use std::collections::VecDeque;
use std::sync::Arc;

use objchange::Value;
use objchange::change::{Diagnostic, Severity};
use objchange::schema::Block;
use objchange::value::{Descend, Path, PathStep};
use objchange_provider::{Component, Function, ProviderExt, Result, Schemas};
use smol_str::SmolStr;

use super::setup::of_one;
use super::watch::{Exchange, Watched};
use super::worker::{Worker, ending};
use super::{Context, Outcome, function};
use crate::corpus::CorpusEntry;
use crate::finding::{common_kind, shortened};
use crate::flow::no_answer;
use crate::report::{FindingReport, Subject, TypeReport, shape};
use crate::secrets::{Origin, Provenance, mark_given};
use crate::{
    Acceptance, AcceptanceTest, Clause, Finding, Judgement, Sample, Trial, accepted_when, data_and_functions,
    judge, judge_function, opened, samples_from, within,
};

/// How often the provider may die before the type is given up.
const MAX_DEATHS: u32 = 3;

/// How often the provider may hang. This is lower than [`MAX_DEATHS`], because each time costs a timeout.
const MAX_HUNG: u32 = 2;

/// A configuration to try.
struct Candidate {
    sample: Sample,
    update: Option<Configured>,
}

/// A configuration, and its wholly known form.
type Configured = (Value, Option<Value>);

/// Configurations that were tried before, as targets for updates.
#[derive(Default)]
struct ConfigHistory {
    last: Option<Configured>,
    /// Wholly known ones: the last, and the one with the most members set.
    known: Option<Value>,
    fullest_known: Option<(usize, Value)>,
    /// The one with the most members set.
    fullest: Option<(usize, Configured)>,
}

impl ConfigHistory {
    fn add(&mut self, configured: Configured) {
        let size = |value: &Value| {
            let mut size = 0;
            value.visit(|_, part| {
                size += usize::from(!part.is_null());
                if size < MAX_SIZE { Descend::Into } else { Descend::Over }
            });
            size
        };
        let size = size(&configured.0);
        if size < MAX_SIZE && self.fullest.as_ref().is_none_or(|(fullest, _)| *fullest < size) {
            self.fullest = Some((size, configured.clone()));
        }
        if configured.0.is_wholly_known() {
            if size < MAX_SIZE && self.fullest_known.as_ref().is_none_or(|(fullest, _)| *fullest < size) {
                self.fullest_known = Some((size, configured.0.clone()));
            }
            self.known = Some(configured.0.clone());
        }
        self.last = Some(configured);
    }

    /// The prior configuration for one whose part becomes unknown. It should differ at that part: if the
    /// part turns out unchanged there is no update.
    fn before_unknown(&self, config: &Value, known: &Value) -> Option<&Value> {
        let name = |step: &PathStep| match step {
            PathStep::Attribute(name) => Some(name.clone()),
            PathStep::Index(_) => None,
        };
        let names: Vec<SmolStr> = unknown_path(config).steps().iter().filter_map(name).collect();
        let becomes = within::first(known, &names);
        let rank = |before: &&Value| match within::first(before, &names) {
            was if was == becomes => 0,
            Some(was) if !was.is_null() => 2,
            _ => 1,
        };
        let fullest = self.fullest_known.as_ref().map(|(_, fullest)| fullest);
        // `max_by_key` returns the last of equals.
        [fullest, self.known.as_ref()].into_iter().flatten().max_by_key(rank)
    }

    /// Alternates between an update to the configuration before and one to the fullest.
    fn update(&self, sample: u64) -> Option<Configured> {
        let fullest = self.fullest.as_ref().map(|(_, configured)| configured);
        fullest.filter(|_| sample.is_multiple_of(2)).or(self.last.as_ref()).cloned()
    }
}

/// Configurations with more parts are checked no more often than necessary.
const MAX_SIZE: usize = 500;

/// How many configurations of a type are tried in its first turn, before other types have theirs, and the
/// factor for each later turn.
const FIRST_TURN: usize = 3;
const MORE: usize = 4;

/// How many accepted configurations are remembered.
const MAX_VALID: usize = 8;

/// Identifies a finding.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    clause: Clause,
    kind: String,
    place: String,
}

impl Key {
    /// The key without the cause.
    fn at_its_place(finding: &Finding) -> Self {
        let kind = common_kind(&finding.kind).to_owned();
        Self { clause: finding.clause, kind, place: shape(&finding.path) }
    }

    fn new(finding: &Finding) -> Self {
        match finding.cause {
            Some(cause) => Self { clause: finding.clause, kind: cause.to_owned(), place: String::new() },
            None => Self::at_its_place(finding),
        }
    }
}

pub(super) struct Trials<'w> {
    worker: &'w mut Worker,
    state: TrialState,
}

/// How far the trial of one type has come.
pub(super) struct TrialState {
    schemas: Arc<Schemas>,
    subject: Subject,
    name: SmolStr,
    block: Block,
    report: TypeReport,
    kept: Vec<CorpusEntry>,
    /// The places of each finding that has a cause of its own.
    caused: Vec<(Key, Vec<Key>)>,
    deaths: u32,
    hung: u32,
    tolerated: usize,
    /// Recent configurations that the provider accepts.
    valid: VecDeque<Value>,
    earlier: ConfigHistory,
    /// How many candidates were tried in this turn, and how many may be.
    tried: usize,
    turn: usize,
}

/// The end of a turn.
pub(super) enum Turn {
    Done(Box<Outcome>),
    /// There are more candidates.
    More(Box<TrialState>),
}

impl TrialState {
    /// Starts with a type; an error is the outcome of one that cannot be tried.
    pub(super) fn new(context: &Context, subject: Subject, name: &str) -> Result<Self, Box<Outcome>> {
        let schemas = context.schemas.clone();
        let block = match subject {
            Subject::Component(component) => schemas.block(component, name).cloned(),
            Subject::Function => schemas.functions.get(name).map(function::block),
        };
        let block = block.unwrap_or_else(|| Block::new::<&str>([], []));
        let mut report = TypeReport::new(subject, name, block.clone());
        if let Subject::Component(component) = subject {
            report.findings = of_one(&schemas, component, name);
        }
        let is_broken = report.findings.iter().any(|found| found.finding.severity.is_error());
        report.skipped = match subject {
            _ if is_broken => Some("no such schema can be loaded".into()),
            Subject::Component(Component::EphemeralResource) if !context.options.apply => {
                Some("it is only opened where things may be applied".into())
            }
            _ => None,
        };
        if report.skipped.is_some() {
            return Err(Box::new(Outcome { report: report.sorted(), kept: Vec::new() }));
        }
        // Where the time may be over before the end, each type has its turn.
        let turn = if context.deadline.is_some() { FIRST_TURN } else { usize::MAX };
        Ok(Self {
            schemas,
            subject,
            name: name.into(),
            block,
            report,
            kept: Vec::new(),
            caused: Vec::new(),
            deaths: 0,
            hung: 0,
            tolerated: 0,
            valid: VecDeque::new(),
            earlier: ConfigHistory::default(),
            tried: 0,
            turn,
        })
    }
}

impl TrialState {
    /// Registers the place of a finding that has a cause.
    fn add_place(&mut self, finding: &Finding) {
        let (key, place) = (Key::new(finding), Key::at_its_place(finding));
        if finding.cause.is_none() {
            return;
        }
        match self.caused.iter_mut().find(|(cause, _)| *cause == key) {
            Some((_, places)) if places.contains(&place) => {}
            Some((_, places)) => places.push(place),
            None => self.caused.push((key, vec![place])),
        }
    }

    /// Drops a cause if all of its places have a finding without it as well.
    fn join_causes(&mut self) {
        for (cause, places) in std::mem::take(&mut self.caused) {
            let findings = &mut self.report.findings;
            let position = |findings: &[FindingReport], key: &Key| {
                findings.iter().position(|found| Key::new(&found.finding) == *key)
            };
            let is_elsewhere = places.iter().all(|place| position(findings, place).is_some());
            let Some(at) = position(findings, &cause).filter(|_| is_elsewhere) else { continue };
            let count = findings.remove(at).count;
            if let Some(at) = places.first().and_then(|place| position(findings, place)) {
                findings[at].count += count;
            }
        }
    }
}

impl<'w> Trials<'w> {
    pub(super) fn new(worker: &'w mut Worker, state: TrialState) -> Self {
        Self { worker, state }
    }

    /// Tries the configurations of one turn.
    pub(super) async fn turn(mut self) -> Turn {
        let context = self.worker.context.clone();
        let (options, block, name) = (&context.options, self.state.block.clone(), self.state.name.clone());
        let kept = options.corpus.about(self.state.subject, &name, &block);
        let made_before = self.state.tried.saturating_sub(kept.len());
        let kept = kept.into_iter().skip(self.state.tried).map(|kept| {
            let mut sample = Sample::new(kept.config, "kept");
            sample.known = kept.known;
            Some(Candidate { sample, update: kept.update.map(|update| (update, kept.update_known)) })
        });
        let first = u64::try_from(made_before).unwrap_or(u64::MAX);
        let made = samples_from(&block, self.component(), &name, &options.hints, options.seed, first)
            .take(options.cases.saturating_sub(made_before))
            .map(|sample| Some(Candidate { sample: sample?, update: None }));
        let mut candidates = kept.chain(made);
        let mut left = self.state.turn;
        loop {
            let Some(candidate) = candidates.next() else { break };
            let reason = match context.ended() {
                Some(ended) => Some(ending(ended).to_owned()),
                None if left == 0 => {
                    drop(candidates);
                    self.state.turn = self.state.turn.saturating_mul(MORE);
                    return Turn::More(Box::new(self.state));
                }
                None => match candidate {
                    Some(candidate) => self.one(candidate).await.err(),
                    // It would be too large.
                    None => None,
                },
            };
            self.worker.tidy().await;
            (self.state.tried, left) = (self.state.tried + 1, left - 1);
            if reason.is_some() {
                self.state.report.skipped = reason;
                break;
            }
        }
        drop(candidates);
        self.state.join_causes();
        let report = &mut self.state.report;
        if report.skipped.is_none() && report.accepted == 0 && report.findings.is_empty() {
            report.skipped = Some(match report.refusals.first() {
                Some(refusal) => {
                    let detail = refusal.detail.iter().filter(|detail| !detail.is_empty());
                    let detail: String = detail.map(|detail| format!(": {detail}")).collect();
                    format!("no configuration is accepted: {}{detail}", refusal.summary)
                }
                None => "no configuration can be made of its schema".into(),
            });
        }
        Turn::Done(Box::new(Outcome { report: self.state.report.sorted(), kept: self.state.kept }))
    }

    fn component(&self) -> Component {
        match self.state.subject {
            Subject::Component(component) => component,
            // Hints for attributes by name may apply to arguments.
            Subject::Function => Component::Provider,
        }
    }

    fn function(&self) -> Option<Function> {
        self.state.schemas.functions.get(&self.state.name).cloned()
    }

    /// Tries one configuration. An error is the reason why it is the last one.
    async fn one(&mut self, candidate: Candidate) -> Result<(), String> {
        let Candidate { sample, update } = candidate;
        let provider = self.worker.provider_in_time().await?;
        let Some(accepted) = self.accepted(&provider, sample).await? else { return Ok(()) };
        let mut trial = Trial::new(accepted.config);
        trial.origin = Origin::Generated;
        trial.known = accepted.known;
        let context = self.worker.context.clone();
        let (options, hints) = (&context.options, &context.options.hints);
        let told = |update: Value| mark_given(&self.state.block, &update, &trial.config);
        let update = update
            .or_else(|| hints.update(&self.state.name, &trial.config).map(|update| (told(update), None)));
        trial.update = match update {
            Some(update) if self.is_valid(&Trial { update: Some(update.clone()), ..trial.clone() }).await => {
                Some(update)
            }
            _ => self.state.earlier.update(self.state.report.samples),
        };
        (trial.apply, trial.flavor) = (options.apply, options.flavor);
        trial.import_id = hints.import_id(&self.state.name, trial.known.as_ref().unwrap_or(&trial.config));
        if self.state.subject != Subject::Component(Component::Resource) {
            trial.config = trial.known.take().unwrap_or(trial.config);
            (trial.known, trial.update) = (None, None);
            if !trial.config.is_wholly_known() {
                // Terraform reads no data source while its configuration is unknown, so this was no trial.
                self.state.report.samples -= 1;
                return Ok(());
            }
        }
        let to_unknown = self.to_unknown(&trial);
        self.state.earlier.add((trial.config.clone(), trial.known.clone()));
        if self.is_out_of_reach() {
            self.state.report.accepted += 1;
            return Ok(());
        }
        let before = provider.plans();
        let Some((judgement, exchanges)) = self.judged(&trial).await? else {
            return Err(ending_of(self.worker));
        };
        self.state.report.plans += provider.plans() - before;
        if judgement.refused.is_empty() {
            self.state.report.accepted += 1;
        } else {
            self.state.report.refuse(&judgement.refused);
        }
        // Shared by both trials: counted in each, 118 of 100 configurations showed a finding.
        let mut seen = Vec::new();
        self.find(&trial, judgement.findings, exchanges, &mut seen).await;
        self.survived()?;
        let Some(trial) = to_unknown else { return Ok(()) };
        let provider = self.worker.provider_in_time().await?;
        let before = provider.plans();
        let Some((judgement, exchanges)) = self.judged(&trial).await? else {
            return Err(ending_of(self.worker));
        };
        self.state.report.plans += provider.plans() - before;
        self.find(&trial, judgement.findings, exchanges, &mut seen).await;
        self.survived()
    }

    /// Whether Terraform would only validate configurations of this type: it stops if the provider cannot be configured.
    /// Functions are called all the same.
    fn is_out_of_reach(&self) -> bool {
        self.worker.context.config.is_none() && self.state.subject != Subject::Function
    }

    /// For a configuration with an unknown part, an update that makes the part of an existing object unknown.
    fn to_unknown(&self, trial: &Trial) -> Option<Trial> {
        let known = trial.known.as_ref().filter(|_| trial.apply && !trial.config.is_wholly_known())?;
        let before = self.state.earlier.before_unknown(&trial.config, known)?;
        let update = Some((trial.config.clone(), Some(known.clone())));
        Some(Trial { config: before.clone(), known: None, update, ..trial.clone() })
    }

    /// The configuration as the provider accepts it, if it does.
    async fn accepted(&mut self, provider: &Arc<Watched>, sample: Sample) -> Result<Option<Sample>, String> {
        self.state.report.samples += 1;
        let Subject::Component(component) = self.state.subject else { return Ok(Some(sample)) };
        let context = self.worker.context.clone();
        let mut trial = Trial::new(sample.config.clone());
        trial.known.clone_from(&sample.known);
        trial.origin = Origin::Generated;
        self.learn(&trial);
        let (block, hints) = (&self.state.block, &context.options.hints);
        let is_planned = component == Component::Resource && !self.is_out_of_reach();
        let test = if is_planned { AcceptanceTest::Created } else { AcceptanceTest::Validated };
        let asked = accepted_when(&**provider, (component, &self.state.name), block, sample, hints, test);
        match context.in_time(asked).await {
            Some(_) if context.ended().is_some() => Err(ending_of(self.worker)),
            None => {
                self.worker.let_go();
                Err(ending_of(self.worker))
            }
            Some(Ok(Acceptance::Yes(sample))) => Ok(Some(sample)),
            Some(Ok(Acceptance::OnlyKnown(sample, said))) => {
                let mut trial = Trial::new(sample.config);
                (trial.known, trial.origin) = (sample.known, Origin::Generated);
                self.learn(&trial);
                let said: Vec<_> = {
                    let secrets = context.secrets.lock();
                    said.iter().map(|said| secrets.hide_in(&self.state.block, said)).collect()
                };
                self.state.report.refuse(&said);
                let what = "the configuration is refused while a part of it is unknown, and accepted when it is known";
                let finding =
                    said.first().map(|said| Finding::from_error(Clause::V1, "unknown_refused", what, said));
                let path = unknown_path(&trial.config);
                let finding = finding.map(|finding| Finding { path, ..finding });
                self.find(&trial, finding.into_iter().collect(), Vec::new(), &mut Vec::new()).await;
                self.survived().map(|()| None)
            }
            Some(Ok(Acceptance::No(said))) => {
                let hidden: Vec<_> = {
                    let secrets = context.secrets.lock();
                    said.iter().map(|said| secrets.hide_in(&self.state.block, said)).collect()
                };
                self.state.report.refuse(&hidden);
                Ok(None)
            }
            Some(Err(error)) => {
                let finding = no_answer(&error, Clause::T1, &objchange::Type::Dynamic);
                let finding = finding.map_texts(|text| shortened(&context.secrets.lock().hide(&text)));
                self.find(&trial, vec![finding], Vec::new(), &mut Vec::new()).await;
                self.survived().map(|()| None)
            }
        }
    }

    /// Registers the secrets of the configurations, to hide them in messages of the provider.
    fn learn(&self, trial: &Trial) {
        let mut secrets = self.worker.context.secrets.lock();
        values(trial).for_each(|value| secrets.learn_config(&self.state.block, value, trial.origin));
    }

    /// Whether the type is still tried; the error is why it is given up.
    fn survived(&mut self) -> Result<(), String> {
        self.state.deaths += u32::from(self.worker.is_gone());
        if self.state.hung >= MAX_HUNG {
            return Err(format!("given up: the provider hung {} times", self.state.hung));
        }
        if self.state.deaths < MAX_DEATHS {
            return Ok(());
        }
        Err(format!("given up: the provider crashed or hung {} times", self.state.deaths))
    }

    /// Judges a trial, and returns the recorded exchanges; `None` if the run is over.
    async fn judged(&mut self, trial: &Trial) -> Result<Option<(Judgement, Vec<Exchange>)>, String> {
        let provider = self.worker.provider_in_time().await?;
        provider.take();
        self.learn(trial);
        let context = self.worker.context.clone();
        let asked = self.ask(&provider, trial);
        let judgement = context.in_time(asked).await;
        if judgement.is_some() && context.ended().is_some() {
            return Ok(None);
        }
        match judgement {
            None => {
                self.worker.let_go();
                Ok(None)
            }
            Some(Ok(mut judgement)) => {
                let secrets = context.secrets.lock();
                for said in &mut judgement.refused {
                    *said = secrets.hide_in(&self.state.block, said);
                }
                let findings = std::mem::take(&mut judgement.findings).into_iter();
                judgement.findings = findings.map(|finding| secrets.hide_in_finding(finding)).collect();
                Ok(Some((judgement, provider.take())))
            }
            Some(Err(error)) => Err(error.to_string()),
        }
    }

    /// Whether the provider accepts all configurations of a trial. Those that it has accepted before are not asked about.
    async fn is_valid(&mut self, trial: &Trial) -> bool {
        let Subject::Component(component) = self.state.subject else { return true };
        let Ok(provider) = self.worker.provider_in_time().await else { return false };
        let context = self.worker.context.clone();
        for config in values(trial) {
            let config = config.unmark_deep().0;
            if self.state.valid.contains(&config) {
                continue;
            }
            let asked = provider.validate(component, &self.state.name, &config);
            // The judge reports a call without an answer.
            let Some(Ok(said)) = context.in_time(asked).await else { return true };
            let is_expected =
                |d: &Diagnostic| context.options.hints.is_expected(component, &self.state.name, d);
            if said.iter().any(|d| d.severity == Severity::Error && !is_expected(d)) {
                return false;
            }
            if self.state.valid.len() >= MAX_VALID {
                self.state.valid.pop_front();
            }
            self.state.valid.push_back(config);
        }
        true
    }

    async fn ask(&self, provider: &Watched, trial: &Trial) -> Result<Judgement> {
        let secrets = self.worker.context.secrets.lock().clone();
        let made = Provenance { origin: trial.origin, secrets };
        match self.state.subject {
            Subject::Component(Component::Resource) => {
                let trial = Trial { secrets: made.secrets, ..trial.clone() };
                judge(provider, &self.state.name, &trial).await
            }
            Subject::Component(Component::EphemeralResource) => {
                opened::ephemeral(provider, &self.state.name, (&trial.config, made)).await
            }
            Subject::Component(Component::ListResource) => {
                opened::list(provider, &self.state.name, (&trial.config, made)).await
            }
            Subject::Component(Component::Action) => {
                opened::action(provider, &self.state.name, (&trial.config, made), trial.apply).await
            }
            Subject::Component(_) => {
                data_and_functions::data(provider, &self.state.name, (&trial.config, made)).await
            }
            Subject::Function => {
                let arguments = self.function().and_then(|f| function::arguments(&f, &trial.config));
                match arguments {
                    Some(arguments) => judge_function(provider, &self.state.name, &arguments).await,
                    None => Ok(Judgement::default()),
                }
            }
        }
    }

    /// Records findings, and searches the smallest configuration for each new one. A configuration counts
    /// once for each finding.
    async fn find(
        &mut self,
        trial: &Trial,
        findings: Vec<Finding>,
        exchanges: Vec<Exchange>,
        seen: &mut Vec<Key>,
    ) {
        // Schemas were judged before.
        let is_of_schema = |finding: &Finding| finding.clause.code().starts_with('S');
        for finding in findings.into_iter().filter(|finding| !is_of_schema(finding)) {
            self.state.hung += u32::from(finding.clause == Clause::T3);
            let key = Key::new(&finding);
            self.state.add_place(&finding);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key.clone());
            let known = self.state.report.findings.iter_mut().find(|found| Key::new(&found.finding) == key);
            match known {
                Some(found) => found.count += 1,
                None => {
                    let shown = (trial.clone(), finding, exchanges.clone());
                    let (smallest, finding, exchanges) = self.smallest(key, shown).await;
                    self.keep(&smallest, finding, &exchanges);
                }
            }
        }
    }
}

/// The first part of a configuration that is unknown.
fn unknown_path(config: &Value) -> Path {
    let mut unknown = None;
    config.visit(|path, part| {
        if !part.is_known() && unknown.is_none() {
            unknown = Some(path.to_path());
        }
        if part.is_wholly_known() || unknown.is_some() { Descend::Over } else { Descend::Into }
    });
    // A key may be secret.
    let names = |path: &Path| {
        path.steps().iter().filter(|step| matches!(step, PathStep::Attribute(_))).cloned().collect()
    };
    unknown.as_ref().map(names).unwrap_or_default()
}

fn values(trial: &Trial) -> impl Iterator<Item = &Value> {
    let update = trial.update.iter().flat_map(|(config, known)| [Some(config), known.as_ref()]);
    [Some(&trial.config), trial.known.as_ref()].into_iter().chain(update).flatten()
}

fn ending_of(worker: &Worker) -> String {
    worker.context.ended().map_or("the time was over before", ending).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_configuration_is_remembered() {
        let config = |names: &[&str]| Value::object(names.iter().map(|name| (*name, Value::from("x"))));
        let mut history = ConfigHistory::default();
        for names in [&["a"][..], &["a", "b"], &["c"]] {
            history.add((config(names), None));
        }
        assert_eq!(history.fullest, Some((3, (config(&["a", "b"]), None))));
        assert_eq!(history.fullest_known, Some((3, config(&["a", "b"]))));
        assert_eq!((history.known, history.last), (Some(config(&["c"])), Some((config(&["c"]), None))));
    }
}
