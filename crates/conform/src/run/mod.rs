//! Tests a whole provider: all its types, each with many configurations, in several processes at once.

mod created_objects;
mod function;
mod options;
mod setup;
mod trial;
mod watch;
mod worker;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use objchange::Value;
use objchange_provider::{Error, ErrorKind, Provider, ProviderExt, Result, Schemas};
use smol_str::SmolStr;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

pub use self::created_objects::{CreatedObjects, LeftoverObject};
pub use self::options::{Options, Progress, Stop};
use self::setup::Setup;
use self::trial::TrialState;
pub(super) use self::watch::Exchange;
use self::watch::{Gate, Meter, SharedSecrets, Watched};
use self::worker::Worker;
use super::corpus::{Corpus, CorpusEntry};
use super::report::{Report, RunEnd, Subject, Time, TypeReport};
use super::schemas::named;

type Started = Pin<Box<dyn Future<Output = Result<Arc<dyn Provider>>> + Send>>;

/// Data that all workers share.
struct Context {
    start: Box<dyn Fn() -> Started + Send + Sync>,
    options: Options,
    schemas: Arc<Schemas>,
    /// The configuration that the provider is given, if any.
    config: Option<Value>,
    /// Secrets that a provider may repeat and reports must not show.
    secrets: SharedSecrets,
    meter: Arc<Meter>,
    gate: Gate,
    deadline: Option<Instant>,
    /// Types that still have turns.
    tasks: Mutex<VecDeque<Task>>,
    done: AtomicUsize,
    progress: Box<dyn Fn(Progress<'_>) + Send + Sync>,
}

/// How long after the end of a run to wait for an answer about a created object.
// Shorter than `GRACE`, which leaves time to destroy the object of a late answer.
const ANSWER: Duration = Duration::from_secs(8);

/// The time for destroying created objects after the end of a run.
// `objchange conform` itself waits for 25 s.
const GRACE: Duration = Duration::from_secs(20);

/// The interval at which workers check whether the run is over.
const LISTEN: Duration = Duration::from_millis(100);

/// A type to try.
struct Task {
    position: usize,
    subject: Subject,
    name: SmolStr,
    /// The state of its trial, if it has begun.
    begun: Option<Box<TrialState>>,
}

/// The result of one type, and the configurations to keep.
struct Outcome {
    report: TypeReport,
    kept: Vec<CorpusEntry>,
}

/// Tries a provider. `start` starts it for each of the jobs, and again after a crash. Returns the report, and the
/// corpus with the configurations that have shown a finding.
///
/// For a deterministic provider the report depends only on options and seed.
///
/// # Errors
///
/// The provider does not start, or does not return its schemas. All other faults are in the report.
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
    let deadline = options.time.map(|time| began + time);
    let gate =
        Gate { is_open: !options.apply, stop: options.stop.clone(), deadline, made: options.made.clone() };
    let secrets = SharedSecrets::default();
    let begun = async {
        let first = Arc::new(Watched::new(start().await?, meter.clone(), gate.clone(), secrets.clone(), 0));
        let schemas = first.schemas().await?;
        Ok::<_, Error>((first, schemas))
    };
    let too_late =
        || Error::new(ErrorKind::Timeout(options.time.unwrap_or_default())).during("GetProviderSchema");
    let (first, schemas) = until(deadline, begun).await.ok_or_else(too_late)??;
    options.refuse_unmatched(&schemas)?;
    let setup = until(deadline, Setup::new(&first, &schemas, &options, &secrets)).await;
    let Setup { config, not_configured, report: own } = setup.unwrap_or_else(Setup::late);
    let tasks = tasks(&schemas, &options);
    let types = tasks.len();
    let context = Arc::new(Context {
        start,
        schemas,
        config,
        secrets,
        meter: meter.clone(),
        gate,
        deadline,
        tasks: Mutex::new(tasks),
        done: AtomicUsize::new(0),
        progress: Box::new(progress),
        options,
    });
    (context.progress)(Progress::Begun { types });
    let mut first = (!first.is_gone()).then_some(first);
    let mut workers = JoinSet::new();
    for owner in 0..context.options.jobs.clamp(1, types.max(1)) {
        workers.spawn(Worker::new(context.clone(), first.take(), owner).work());
    }
    let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
    while let Some(done) = workers.join_next().await {
        match done {
            Ok(done) => outcomes.extend(done),
            // A defect of this program is not a finding.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => {}
        }
    }
    // Workers finish in any order, and the report must not depend on it.
    outcomes.sort_by_key(|(position, _)| *position);
    let mut corpus = context.options.corpus.clone();
    let mut types: Vec<TypeReport> = own.into_iter().collect();
    let mut secrets = context.secrets.lock();
    secrets.add_partly_hidden();
    for (_, outcome) in outcomes {
        // A provider may repeat a secret anywhere, so the whole report is searched for them.
        let kept = outcome.kept.into_iter().filter(|kept| !kept.holds(&secrets));
        kept.for_each(|kept| corpus.add(kept));
        types.push(outcome.report);
    }
    let mut report = Report {
        seed: context.options.seed,
        applied: context.options.apply,
        ended: context.ended().unwrap_or(RunEnd::Complete),
        not_configured,
        left: context.options.made.left(),
        types,
        time: Time {
            elapsed: began.elapsed(),
            in_provider: meter.time(),
            calls: meter.calls.load(Ordering::Relaxed),
        },
    };
    report.hide(&secrets);
    drop(secrets);
    Ok((report, corpus))
}

/// Runs `work`, at most until `end` if there is one.
async fn until<T>(end: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match end {
        Some(end) => timeout_at(end, work).await.ok(),
        None => Some(work.await),
    }
}

impl Context {
    /// The next type to try.
    fn task(&self) -> Option<Task> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Puts a type at the end of the queue.
    fn later(&self, task: Task) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push_back(task);
    }

    /// The reason why no more work may begin, if there is one.
    fn ended(&self) -> Option<RunEnd> {
        if self.options.stop.is_stopped() {
            return Some(RunEnd::Stopped);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(RunEnd::Time)
    }

    /// The end of the run, in the past or future.
    fn end(&self) -> Option<Instant> {
        let stopped = self.options.stop.at().map(Instant::from_std);
        [self.deadline, stopped].into_iter().flatten().min()
    }

    /// Runs `work` until the run is over. Work that may create objects gets extra time to finish.
    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let over = async {
            loop {
                let now = Instant::now();
                let grace = if self.options.apply { ANSWER } else { Duration::ZERO };
                match self.end() {
                    Some(end) if end + grace <= now => break,
                    Some(end) => sleep_until((end + grace).min(now + LISTEN)).await,
                    None => sleep_until(now + LISTEN).await,
                }
            }
        };
        tokio::select! {
            // A finished answer counts, even if the time has just run out.
            biased;
            done = work => Some(done),
            () = over => None,
        }
    }

    /// Runs `work` until the time for destroying created objects is over, too.
    async fn before_the_end<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        match self.end() {
            Some(end) => timeout_at(end + GRACE, work).await.ok(),
            None => Some(work.await),
        }
    }
}

/// The names of all types or functions of a kind; the provider itself has none.
fn names(schemas: &Schemas, subject: Subject) -> Vec<SmolStr> {
    match subject {
        Subject::Component(objchange_provider::Component::Provider) => Vec::new(),
        Subject::Component(component) => named(schemas, component).into_iter().collect(),
        Subject::Function => schemas.functions.keys().cloned().collect(),
    }
}

/// The types to try, by kind and name.
fn tasks(schemas: &Schemas, options: &Options) -> VecDeque<Task> {
    let all = Subject::ALL
        .into_iter()
        .flat_map(|subject| names(schemas, subject).into_iter().map(move |name| (subject, name)));
    let wanted = all.filter(|(subject, name)| options.wants(*subject, name)).enumerate();
    wanted.map(|(position, (subject, name))| Task { position, subject, name, begun: None }).collect()
}
