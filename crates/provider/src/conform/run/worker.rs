//! One of those that try types, with a provider of its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use objchange::change::Severity;
use objchange::schema::Block;

use super::trial::Trials;
use super::watch::Watched;
use super::{Context, Outcome};
use crate::conform::report::{Ended, Subject, TypeReport};
use crate::conform::run::Progress;
use crate::{Error, ErrorKind, Provider, Result};

pub(super) struct Worker {
    pub(super) context: Arc<Context>,
    live: Option<Arc<Watched>>,
}

impl Worker {
    pub(super) fn new(context: Arc<Context>, live: Option<Arc<Watched>>) -> Self {
        Self { context, live }
    }

    /// Takes one type after the other as long as there are some.
    pub(super) async fn work(mut self) -> Vec<(usize, Outcome)> {
        let context = self.context.clone();
        let mut outcomes = Vec::new();
        loop {
            let position = context.next.fetch_add(1, Ordering::Relaxed);
            let Some((subject, name)) = context.tasks.get(position) else { return outcomes };
            (context.progress)(Progress::Trying { name });
            let outcome = self.one(*subject, name).await;
            let done = context.done.fetch_add(1, Ordering::Relaxed) + 1;
            (context.progress)(Progress::Tried { report: &outcome.report, done });
            outcomes.push((position, outcome));
        }
    }

    async fn one(&mut self, subject: Subject, name: &str) -> Outcome {
        let skipped = |reason: &str| {
            let mut report = TypeReport::new(subject, name, Block::new::<&str>([], []));
            report.skipped = Some(reason.to_owned());
            Outcome { report, kept: Vec::new() }
        };
        if let Some(ended) = self.context.ended() {
            return skipped(ending(ended));
        }
        if let Subject::Component(component) = subject
            && let Some(reason) = self.context.options.hints.skip(component, name)
        {
            return skipped(reason);
        }
        match Trials::new(self, subject, name) {
            Ok(trials) => trials.all().await,
            Err(outcome) => *outcome,
        }
    }

    /// A provider that can be asked: the one that is there, or a new one.
    pub(super) async fn provider(&mut self) -> Result<Arc<Watched>> {
        if let Some(live) = self.live.as_ref().filter(|live| !live.is_gone()) {
            return Ok(live.clone());
        }
        // What is left of the old one ends first.
        self.live = None;
        let started = (self.context.start)().await?;
        let watched = Arc::new(Watched::new(started, self.context.meter.clone()));
        watched.schemas().await?;
        if let Some(config) = &self.context.config {
            let said = watched.configure(config).await?;
            if said.iter().any(|said| said.severity == Severity::Error) {
                // What it says may hold a secret.
                let again = "it refuses the configuration that it took before".to_owned();
                return Err(Error::new(ErrorKind::Refused(vec![again])).during("ConfigureProvider"));
            }
        }
        Ok(self.live.insert(watched).clone())
    }

    /// Whether the provider that was asked last is there no more.
    pub(super) fn is_gone(&self) -> bool {
        self.live.as_ref().is_none_or(|live| live.is_gone())
    }

    /// Gives up what a provider is doing.
    pub(super) fn let_go(&mut self) {
        self.live = None;
    }
}

/// Why a type was not tried.
pub(super) fn ending(ended: Ended) -> &'static str {
    match ended {
        Ended::Stopped => "it was stopped before",
        _ => "the time was over before",
    }
}
