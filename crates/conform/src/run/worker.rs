//! A worker, which tests types with its own process of the provider.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use objchange::change::Severity;
use objchange::schema::Block;
use objchange_provider::{Error, ErrorKind, ProviderExt, Result};

use super::trial::{TrialState, Trials, Turn};
use super::watch::Watched;
use super::{Context, Outcome, Task};
use crate::report::{RunEnd, Subject, TypeReport};
use crate::run::Progress;

pub(super) struct Worker {
    pub(super) context: Arc<Context>,
    live: Option<Arc<Watched>>,
    /// The number of the worker.
    owner: usize,
}

impl Worker {
    pub(super) fn new(context: Arc<Context>, live: Option<Arc<Watched>>, owner: usize) -> Self {
        Self { context, live, owner }
    }

    /// Tries one type after the other until none is left.
    pub(super) async fn work(mut self) -> Vec<(usize, Outcome)> {
        let context = self.context.clone();
        let mut outcomes = Vec::new();
        while let Some(task) = context.task() {
            let (position, subject, name) = (task.position, task.subject, task.name.clone());
            (context.progress)(Progress::Trying { name: &name });
            let outcome = match self.one(subject, &name, task.begun).await {
                Turn::Done(outcome) => *outcome,
                Turn::More(begun) => {
                    context.later(Task { position, subject, name, begun: Some(begun) });
                    continue;
                }
            };
            let done = context.done.fetch_add(1, Ordering::Relaxed) + 1;
            (context.progress)(Progress::Tried { report: &outcome.report, done });
            outcomes.push((position, outcome));
        }
        outcomes
    }

    async fn one(&mut self, subject: Subject, name: &str, begun: Option<Box<TrialState>>) -> Turn {
        if let Some(begun) = begun {
            return Trials::new(self, *begun).turn().await;
        }
        let skipped = |reason: &str| {
            let mut report = TypeReport::new(subject, name, Block::new::<&str>([], []));
            report.skipped = Some(reason.to_owned());
            Turn::Done(Box::new(Outcome { report, kept: Vec::new() }))
        };
        if let Some(ended) = self.context.ended() {
            return skipped(ending(ended));
        }
        if let Subject::Component(component) = subject
            && let Some(reason) = self.context.options.hints.skip(component, name)
        {
            return skipped(reason);
        }
        match TrialState::new(&self.context, subject, name) {
            Ok(of) => Trials::new(self, of).turn().await,
            Err(outcome) => Turn::Done(outcome),
        }
    }

    /// A live provider: the current one, or a new one.
    pub(super) async fn provider(&mut self) -> Result<Arc<Watched>> {
        if let Some(live) = self.live.as_ref().filter(|live| !live.is_gone()) {
            return Ok(live.clone());
        }
        // The old provider ends first.
        self.live = None;
        let started = (self.context.start)().await?;
        let watched = Arc::new(Watched::new(
            started,
            self.context.meter.clone(),
            self.context.gate.clone(),
            self.context.secrets.clone(),
            self.owner,
        ));
        watched.schemas().await?;
        if let Some(config) = &self.context.config {
            let said = watched.configure(config).await?;
            if said.iter().any(|said| said.severity == Severity::Error) {
                // Its message may hold a secret.
                let again = "it refuses the configuration that it took before".to_owned();
                return Err(Error::new(ErrorKind::Refused(vec![again])).during("ConfigureProvider"));
            }
        }
        Ok(self.live.insert(watched).clone())
    }

    /// Like `provider`, but gives up when the run is over. The error is the reason why no provider can be called.
    pub(super) async fn provider_in_time(&mut self) -> std::result::Result<Arc<Watched>, String> {
        let context = self.context.clone();
        match context.in_time(self.provider()).await {
            Some(Ok(provider)) => Ok(provider),
            Some(Err(error)) => {
                Err(format!("no provider: {}", context.secrets.lock().hide(&error.to_string())))
            }
            None => {
                self.let_go();
                Err(context.ended().map_or("the time was over before", ending).to_owned())
            }
        }
    }

    /// Destroys leftover objects after a crash or at the end of the run. If the provider refused to destroy one, it is
    /// asked once more.
    pub(super) async fn tidy(&mut self) {
        let context = self.context.clone();
        while let Some(object) = context.options.made.next(self.owner) {
            let destroyed = async {
                match self.provider().await {
                    Ok(provider) => Some((provider.destroy(&object).await, provider)),
                    Err(_) => None,
                }
            };
            let how = match context.before_the_end(destroyed).await {
                Some(Some((how, _))) => how,
                Some(None) => Err("the provider could not be started again"),
                None => return self.let_go(),
            };
            context.options.made.ended(self.owner, &object, how);
        }
    }

    /// Whether the last provider is gone.
    pub(super) fn is_gone(&self) -> bool {
        self.live.as_ref().is_none_or(|live| live.is_gone())
    }

    /// Abandons the call that the provider works on.
    pub(super) fn let_go(&mut self) {
        self.live = None;
    }
}

/// Why a type was not tried.
pub(super) fn ending(ended: RunEnd) -> &'static str {
    match ended {
        RunEnd::Stopped => "it was stopped before",
        _ => "the time was over before",
    }
}
