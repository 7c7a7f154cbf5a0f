//! Trying a whole provider: each of its types with many configurations, in several processes at once.

mod function;
mod options;
mod setup;
mod trial;
mod watch;
mod worker;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use objchange::Value;
use smol_str::SmolStr;
use tokio::task::JoinSet;
use tokio::time::Instant;

pub use self::options::{Options, Progress, Stop};
use self::setup::Setup;
pub(super) use self::watch::Exchange;
use self::watch::{Meter, Watched};
use self::worker::Worker;
use super::corpus::{Corpus, Kept};
use super::report::{Ended, Report, Subject, Time, TypeReport};
use super::schemas::named;
use crate::{Provider, Result, Schemas};

type Started = Pin<Box<dyn Future<Output = Result<Arc<dyn Provider>>> + Send>>;

/// What all workers share.
struct Context {
    start: Box<dyn Fn() -> Started + Send + Sync>,
    options: Options,
    schemas: Arc<Schemas>,
    /// The provider's own configuration, if it is given one.
    config: Option<Value>,
    meter: Arc<Meter>,
    deadline: Option<Instant>,
    tasks: Vec<(Subject, SmolStr)>,
    next: AtomicUsize,
    done: AtomicUsize,
    progress: Box<dyn Fn(Progress<'_>) + Send + Sync>,
}

/// What came of one type, and the configurations that are worth to be kept.
struct Outcome {
    report: TypeReport,
    kept: Vec<Kept>,
}

/// Tries a provider. It is started by `start`: for each of the jobs, and again wherever it crashes. The second of what comes of
/// it is the corpus with what was found.
///
/// What is reported depends on the provider, the options and their seed alone, as long as the provider does.
///
/// # Errors
///
/// The provider does not start, or says nothing of its schemas. All else that it does wrong is in the report.
pub async fn run<S, F>(
    start: S,
    options: Options,
    progress: impl Fn(Progress<'_>) + Send + Sync + 'static,
) -> Result<(Report, Corpus)>
where
    S: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Result<Arc<dyn Provider>>> + Send + 'static,
{
    let began = Instant::now();
    let meter = Arc::new(Meter::default());
    let start: Box<dyn Fn() -> Started + Send + Sync> = Box::new(move || Box::pin(start()));
    let first = Arc::new(Watched::new(start().await?, meter.clone()));
    let schemas = first.schemas().await?;
    let Setup { config, not_configured, report: own } = Setup::new(&first, &schemas, &options).await;
    let tasks = tasks(&schemas, &options);
    let deadline = options.time.map(|time| began + time);
    let context = Arc::new(Context {
        start,
        schemas,
        config,
        meter: meter.clone(),
        deadline,
        tasks,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        progress: Box::new(progress),
        options,
    });
    (context.progress)(Progress::Begun { types: context.tasks.len() });
    let mut first = (!first.is_gone()).then_some(first);
    let mut workers = JoinSet::new();
    for _ in 0..context.options.jobs.clamp(1, context.tasks.len().max(1)) {
        workers.spawn(Worker::new(context.clone(), first.take()).work());
    }
    let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
    while let Some(done) = workers.join_next().await {
        match done {
            Ok(done) => outcomes.extend(done),
            // A defect of this program is no finding.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => {}
        }
    }
    outcomes.sort_by_key(|(position, _)| *position);
    let mut corpus = context.options.corpus.clone();
    let mut types: Vec<TypeReport> = own.into_iter().collect();
    for (_, outcome) in outcomes {
        outcome.kept.into_iter().for_each(|kept| corpus.add(kept));
        types.push(outcome.report);
    }
    let report = Report {
        seed: context.options.seed,
        applied: context.options.apply,
        ended: context.ended().unwrap_or(Ended::Complete),
        not_configured,
        types,
        time: Time {
            elapsed: began.elapsed(),
            in_provider: meter.time(),
            calls: meter.calls.load(Ordering::Relaxed),
        },
    };
    Ok((report, corpus))
}

impl Context {
    /// Why nothing more is begun, if nothing is.
    fn ended(&self) -> Option<Ended> {
        if self.options.stop.is_stopped() {
            return Some(Ended::Stopped);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Ended::Time)
    }
}

/// What is tried, by kind and name.
fn tasks(schemas: &Schemas, options: &Options) -> Vec<(Subject, SmolStr)> {
    let names = |subject: Subject| -> Vec<SmolStr> {
        match subject {
            Subject::Component(crate::Component::Provider) => Vec::new(),
            Subject::Component(component) => named(schemas, component).into_iter().collect(),
            Subject::Function => schemas.functions.keys().cloned().collect(),
        }
    };
    let all = Subject::ALL
        .into_iter()
        .flat_map(|subject| names(subject).into_iter().map(move |name| (subject, name)));
    all.filter(|(subject, name)| options.wants(*subject, name)).collect()
}
