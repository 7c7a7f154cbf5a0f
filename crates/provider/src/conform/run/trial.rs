//! Trying one type: with many configurations, each judged; what is found is shown by the smallest.

use std::sync::Arc;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Descend, Marks, Path};
use smol_str::SmolStr;
use tokio::time::timeout_at;

use super::setup::of_one;
use super::watch::{Exchange, Watched};
use super::worker::{Worker, ending};
use super::{Outcome, function};
use crate::conform::case::{case, mask::Mask};
use crate::conform::corpus::{Kept, Replayed};
use crate::conform::flow::no_answer;
use crate::conform::report::{Found, Smallest, Subject, TypeReport, shape};
use crate::conform::secrets::Secrets;
use crate::conform::shrink::Shrink;
use crate::conform::{
    Accepted, Clause, Finding, Judgement, Sample, Trial, accepted, judge, judge_action, judge_data,
    judge_ephemeral, judge_function, judge_list, samples,
};
use crate::{Component, Function, Result, Schemas};

/// A type whose provider dies so often is given up.
const MAX_DEATHS: u32 = 3;

/// How many smaller configurations are tried, at most, of what kills the provider each time.
const MAX_DEADLY: usize = 30;

/// The same of what Terraform tolerates; and for all such findings of a type.
const MAX_TOLERATED: usize = 40;
const MAX_TOLERATED_OF_TYPE: usize = 200;

/// A configuration that is to be tried.
struct Candidate {
    sample: Sample,
    update: Option<Value>,
}

/// A configuration, and the same when all of it is known.
type Configured = (Value, Option<Value>);

/// What was tried before, to which an object may be changed.
#[derive(Default)]
struct Earlier {
    last: Option<Configured>,
    /// The one in which most is set.
    fullest: Option<(usize, Configured)>,
}

impl Earlier {
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
        self.last = Some(configured);
    }

    /// Of two in a row one is changed to what came before it, one to what changes most.
    fn update(&self, sample: u64) -> Option<Configured> {
        let fullest = self.fullest.as_ref().map(|(_, configured)| configured);
        fullest.filter(|_| sample.is_multiple_of(2)).or(self.last.as_ref()).cloned()
    }
}

/// What has more parts than these is not looked at more often than it must be.
const MAX_SIZE: usize = 500;

/// What tells a finding from others.
#[derive(Clone, PartialEq)]
struct Key {
    clause: Clause,
    kind: String,
    place: String,
}

impl Key {
    fn of(finding: &Finding) -> Self {
        Self { clause: finding.clause, kind: finding.kind.clone(), place: shape(&finding.path) }
    }
}

pub(super) struct Trials<'w> {
    worker: &'w mut Worker,
    schemas: Arc<Schemas>,
    subject: Subject,
    name: SmolStr,
    block: Block,
    report: TypeReport,
    kept: Vec<Kept>,
    deaths: u32,
    tolerated: usize,
}

impl<'w> Trials<'w> {
    /// Begins with a type, unless it is no use to try it.
    pub(super) fn new(worker: &'w mut Worker, subject: Subject, name: &str) -> Result<Self, Box<Outcome>> {
        let schemas = worker.context.schemas.clone();
        let block = match subject {
            Subject::Component(component) => schemas.block(component, name).cloned(),
            Subject::Function => schemas.functions.get(name).map(function::block),
        };
        let block = block.unwrap_or_else(|| Block::new::<&str>([], []));
        let mut report = TypeReport::new(subject, name, block.clone());
        if let Subject::Component(component) = subject {
            report.findings = of_one(&schemas, component, name);
        }
        let is_broken = report.findings.iter().any(|found| found.finding.weight.is_error());
        report.skipped = match subject {
            _ if is_broken => Some("no such schema can be loaded".into()),
            Subject::Component(Component::EphemeralResource) if !worker.context.options.apply => {
                Some("it is only opened where things may be applied".into())
            }
            _ => None,
        };
        if report.skipped.is_some() {
            return Err(Box::new(Outcome { report: report.sorted(), kept: Vec::new() }));
        }
        let (name, kept) = (name.into(), Vec::new());
        Ok(Self { worker, schemas, subject, name, block, report, kept, deaths: 0, tolerated: 0 })
    }

    /// Tries all configurations.
    pub(super) async fn all(mut self) -> Outcome {
        let mut earlier = Earlier::default();
        let context = self.worker.context.clone();
        let (options, block, name) = (&context.options, self.block.clone(), self.name.clone());
        let kept = options.corpus.of(self.subject, &name, &block).into_iter().map(|kept| {
            let mut sample = Sample::new(kept.config, "kept");
            sample.known = kept.known;
            Candidate { sample, update: kept.update }
        });
        let made = samples(&block, self.component(), &name, &options.hints, options.seed)
            .take(options.cases)
            .map(|sample| Candidate { sample, update: None });
        for candidate in kept.chain(made) {
            let reason = match context.ended() {
                Some(ended) => Some(ending(ended).to_owned()),
                None => self.one(candidate, &mut earlier).await.err(),
            };
            if reason.is_some() {
                self.report.skipped = reason;
                break;
            }
        }
        if self.report.skipped.is_none() && self.report.accepted == 0 && self.report.findings.is_empty() {
            self.report.skipped = Some(match self.report.refusals.first() {
                Some(refusal) => format!("no configuration is accepted: {}", refusal.summary),
                None => "no configuration can be made of its schema".into(),
            });
        }
        Outcome { report: self.report.sorted(), kept: self.kept }
    }

    fn component(&self) -> Component {
        match self.subject {
            Subject::Component(component) => component,
            // What is said of attributes by name may hold for arguments.
            Subject::Function => Component::Provider,
        }
    }

    fn function(&self) -> Option<Function> {
        self.schemas.functions.get(&self.name).cloned()
    }

    /// Tries one configuration. The error is why it is the last.
    async fn one(&mut self, candidate: Candidate, earlier: &mut Earlier) -> Result<(), String> {
        let Candidate { sample, update } = candidate;
        let provider = self.worker.provider().await.map_err(|error| format!("no provider: {error}"))?;
        let Some(accepted) = self.accepted(&provider, sample).await? else { return Ok(()) };
        let mut trial = Trial::new(accepted.config);
        trial.known = accepted.known;
        let hints = &self.worker.context.options.hints;
        let update = update.or_else(|| hints.update(&self.name, &trial.config));
        trial.update = update.map(|update| (update, None)).or_else(|| earlier.update(self.report.samples));
        let options = &self.worker.context.options;
        (trial.apply, trial.flavor) = (options.apply, options.flavor);
        trial.import_id = hints.import_id(&self.name, trial.known.as_ref().unwrap_or(&trial.config));
        if self.subject != Subject::Component(Component::Resource) {
            trial.config = trial.known.take().unwrap_or(trial.config);
            (trial.known, trial.update) = (None, None);
            if !trial.config.is_wholly_known() {
                self.report.samples -= 1;
                return Ok(());
            }
        }
        earlier.add((trial.config.clone(), trial.known.clone()));
        let before = provider.plans();
        let Some((judgement, exchanges)) = self.judged(&trial).await? else {
            return Err(ending_of(self.worker));
        };
        self.report.plans += provider.plans() - before;
        if judgement.refused.is_empty() {
            self.report.accepted += 1;
        } else {
            self.report.refuse(&judgement.refused);
        }
        self.find(&trial, judgement.findings, exchanges).await;
        self.survived()
    }

    /// The configuration as the provider accepts it, if it does.
    async fn accepted(&mut self, provider: &Arc<Watched>, sample: Sample) -> Result<Option<Sample>, String> {
        self.report.samples += 1;
        let Subject::Component(component) = self.subject else { return Ok(Some(sample)) };
        let context = self.worker.context.clone();
        let mut trial = Trial::new(sample.config.clone());
        trial.known.clone_from(&sample.known);
        let (block, hints) = (&self.block, &context.options.hints);
        let asked = accepted(&**provider, component, &self.name, block, sample, hints);
        let answer = match context.deadline {
            Some(deadline) => timeout_at(deadline, asked).await.ok(),
            None => Some(asked.await),
        };
        match answer {
            _ if context.options.stop.is_stopped() => Err(ending_of(self.worker)),
            None => {
                self.worker.let_go();
                Err(ending_of(self.worker))
            }
            Some(Ok(Accepted::Yes(sample))) => Ok(Some(sample)),
            Some(Ok(Accepted::No(said))) => {
                let secrets = self.secrets(&trial);
                let hidden: Vec<_> = said.iter().map(|said| secrets.hide_in(&self.block, said)).collect();
                self.report.refuse(&hidden);
                Ok(None)
            }
            Some(Err(error)) => {
                let secrets = self.secrets(&trial);
                let mut finding = no_answer(&error, Clause::T1, &objchange::Type::Dynamic);
                finding.message = secrets.hide(&finding.message);
                finding.terraform = finding.terraform.map(|said| secrets.hide(&said));
                self.find(&trial, vec![finding], Vec::new()).await;
                self.survived().map(|()| None)
            }
        }
    }

    /// What must not be told of what the provider says.
    fn secrets(&self, trial: &Trial) -> Secrets {
        let mut secrets = Secrets::default();
        values(trial).for_each(|value| secrets.learn(&self.block, value));
        secrets
    }

    /// Whether the provider is worth to be asked on.
    fn survived(&mut self) -> Result<(), String> {
        self.deaths += u32::from(self.worker.is_gone());
        if self.deaths < MAX_DEATHS {
            return Ok(());
        }
        Err(format!("given up: the provider crashed or hung {} times", self.deaths))
    }

    /// What is found with a trial, and what was asked; `None` where the run is over.
    async fn judged(&mut self, trial: &Trial) -> Result<Option<(Judgement, Vec<Exchange>)>, String> {
        let provider = self.worker.provider().await.map_err(|error| format!("no provider: {error}"))?;
        provider.take();
        let context = self.worker.context.clone();
        let asked = self.ask(&provider, trial);
        let judgement = match context.deadline {
            Some(deadline) => timeout_at(deadline, asked).await.ok(),
            None => Some(asked.await),
        };
        if context.options.stop.is_stopped() {
            return Ok(None);
        }
        match judgement {
            None => {
                self.worker.let_go();
                Ok(None)
            }
            Some(Ok(judgement)) => Ok(Some((judgement, provider.take()))),
            Some(Err(error)) => Err(error.to_string()),
        }
    }

    async fn ask(&self, provider: &Watched, trial: &Trial) -> Result<Judgement> {
        match self.subject {
            Subject::Component(Component::Resource) => judge(provider, &self.name, trial).await,
            Subject::Component(Component::EphemeralResource) => {
                judge_ephemeral(provider, &self.name, &trial.config).await
            }
            Subject::Component(Component::ListResource) => {
                judge_list(provider, &self.name, &trial.config).await
            }
            Subject::Component(Component::Action) => {
                judge_action(provider, &self.name, &trial.config, trial.apply).await
            }
            Subject::Component(_) => judge_data(provider, &self.name, &trial.config).await,
            Subject::Function => {
                let arguments = self.function().and_then(|f| function::arguments(&f, &trial.config));
                match arguments {
                    Some(arguments) => judge_function(provider, &self.name, &arguments).await,
                    None => Ok(Judgement::default()),
                }
            }
        }
    }

    /// Keeps what was found; of what is new the smallest configuration is looked for.
    async fn find(&mut self, trial: &Trial, findings: Vec<Finding>, exchanges: Vec<Exchange>) {
        let mut seen: Vec<Key> = Vec::new();
        // Schemas were judged before.
        let is_of_schema = |finding: &Finding| finding.clause.code().starts_with('S');
        for finding in findings.into_iter().filter(|finding| !is_of_schema(finding)) {
            let key = Key::of(&finding);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key.clone());
            let known = self.report.findings.iter_mut().find(|found| Key::of(&found.finding) == key);
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

    async fn smallest(
        &mut self,
        key: Key,
        (trial, mut finding, mut exchanges): (Trial, Finding, Vec<Exchange>),
    ) -> (Trial, Finding, Vec<Exchange>) {
        let block = self.block.clone();
        let mut shrink = Shrink::new(&block, coerced(&block, trial));
        let mut left = self.worker.context.options.shrink;
        match key.clause {
            // Each candidate would take as long again.
            Clause::T3 => left = 0,
            Clause::T2 => left = left.min(MAX_DEADLY),
            _ if !finding.weight.is_error() => {
                left = left.min(MAX_TOLERATED).min(MAX_TOLERATED_OF_TYPE.saturating_sub(self.tolerated));
                self.tolerated += left;
            }
            _ => {}
        }
        while left > 0 && self.worker.context.ended().is_none() {
            let Some(candidate) = shrink.candidate().cloned() else { break };
            left -= 1;
            let Ok(Some((judgement, asked))) = self.judged(&candidate).await else {
                if self.worker.context.ended().is_some() || self.worker.provider().await.is_err() {
                    break;
                }
                continue;
            };
            if let Some(same) = judgement.findings.into_iter().find(|found| Key::of(found) == key) {
                shrink.shows();
                (finding, exchanges) = (same, asked);
            }
        }
        if !finding.weight.is_error() {
            self.tolerated = self.tolerated.saturating_sub(left);
        }
        (shrink.smallest().clone(), finding, exchanges)
    }

    fn keep(&mut self, trial: &Trial, finding: Finding, exchanges: &[Exchange]) {
        let mut mask = mask(&self.block, trial);
        let place = shape(&finding.path);
        let id = [&*self.name, finding.clause.code(), &finding.kind, &place].join(" ");
        let id = id.trim_end();
        let case = match self.subject {
            Subject::Function => Err("case files have no operation for functions"),
            _ => case(id, &self.block, &finding, exchanges, &marks(trial)),
        };
        let shown = |value: &Value| self.block.mark_hidden(value);
        let config = match self.function() {
            Some(function) if self.subject == Subject::Function => {
                Value::tuple(function::arguments(&function, &trial.config).unwrap_or_default())
            }
            _ => shown(&trial.config),
        };
        let update = trial.update.as_ref().map(|(config, known)| known.as_ref().unwrap_or(config));
        let smallest = Smallest { config, known: trial.known.as_ref().map(shown), update: update.map(shown) };
        let mut masked = |value: &Value| mask.object(&self.block, value);
        let replayed = masked(&trial.config).map(|config| Replayed {
            config,
            known: trial.known.as_ref().and_then(&mut masked),
            update: update.and_then(&mut masked),
        });
        let clause = finding.clause.code();
        let kept = replayed.and_then(|kept| Kept::new(self.subject, &self.name, &self.block, &kept, clause));
        self.kept.extend(kept);
        let case = case.map_err(str::to_owned);
        let smallest = Some(smallest);
        self.report.findings.push(Found { finding, place, count: 1, smallest, case, is_known: false });
    }
}

/// The trial with values of the type that the schema implies.
fn coerced(block: &Block, mut trial: Trial) -> Trial {
    let coerced = |value: &Value| block.coerce_config(value).unwrap_or_else(|_| value.clone());
    trial.config = coerced(&trial.config);
    trial.known = trial.known.as_ref().map(coerced);
    trial.update =
        trial.update.as_ref().map(|(config, known)| (coerced(config), known.as_ref().map(coerced)));
    trial
}

fn values(trial: &Trial) -> impl Iterator<Item = &Value> {
    let update = trial.update.iter().flat_map(|(config, known)| [Some(config), known.as_ref()]);
    [Some(&trial.config), trial.known.as_ref()].into_iter().chain(update).flatten()
}

fn mask(block: &Block, trial: &Trial) -> Mask {
    Mask::of(block, values(trial))
}

/// What is marked in the configurations.
fn marks(trial: &Trial) -> Vec<(Path, Marks)> {
    values(trial).flat_map(|value| value.unmark_deep_with_paths().1).collect()
}

fn ending_of(worker: &Worker) -> String {
    worker.context.ended().map_or("the time was over before", ending).to_owned()
}
