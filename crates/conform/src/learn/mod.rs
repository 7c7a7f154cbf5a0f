//! Learns a provider: asks it for plans of objects made from its schemas, and merges the answers into a model.
//!
//! Plans need no service, no credentials that work and no network. Nothing is applied, read or imported: the calls are
//! those for schemas, configuring, validating and planning.

mod bases;
mod given_objects;
mod objects;
mod other_secrets;
mod probes;
mod session;
mod together;
mod variations;

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use objchange::Value;
use objchange::change::ProviderSecrets;
use objchange::schema::Block;
use objchange_model::{GivenObject, ModelInfo, TypeModel};
use objchange_provider::{Component, ErrorKind, Provider, ProviderExt, Result, Schemas};
use smol_str::SmolStr;
use tokio::task::JoinSet;
use tokio::time::Instant;
use wildmatch::WildMatch;

use self::other_secrets::{OtherSecrets, other_settings};
use self::probes::Prober;
use self::session::Session;
use crate::{Hints, Stop};

/// How a provider is learned.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LearnOptions {
    /// Only resource types whose name matches one of these globs; all if empty.
    pub only: Vec<String>,
    /// Resource types that are known already.
    pub except: Vec<SmolStr>,
    /// Hints about the provider.
    pub hints: Hints,
    /// Objects that the user gives. Probes change them as they change made-up ones, and models hold none of their values.
    pub given: Vec<GivenObject>,
    /// The maximum number of calls for each type.
    pub calls: u32,
    /// The maximum time for each type.
    pub time_per_type: Duration,
    /// The time limit; no new type is begun after it.
    pub time: Option<Duration>,
    /// How many providers run at the same time. If hints have secrets, each has a second one beside it, with other secrets.
    pub jobs: usize,
    /// The provider is one process, which cannot have a second one with other secrets beside it. If hints have secrets, the
    /// models hold no constants.
    pub is_one_process: bool,
    /// Stops learning before the next type.
    pub stop: Stop,
}

impl Default for LearnOptions {
    /// All types, with up to 1,500 calls and 30 seconds each, and one process.
    fn default() -> Self {
        Self {
            only: Vec::new(),
            except: Vec::new(),
            hints: Hints::default(),
            given: Vec::new(),
            calls: 1_500,
            time_per_type: Duration::from_secs(30),
            time: None,
            jobs: 1,
            is_one_process: false,
            stop: Stop::default(),
        }
    }
}

/// The models of a provider.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Learned {
    /// The settings of the provider, and the types that were not learned.
    pub info: ModelInfo,
    /// The models, by resource type.
    pub types: BTreeMap<SmolStr, TypeModel>,
    /// The number of calls.
    pub calls: u64,
    /// The number of types that were not begun, because the time was over or learning was stopped.
    pub left: usize,
}

/// How far learning has come.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct LearnProgress<'p> {
    /// The type that is done.
    pub name: &'p str,
    /// Its model, or why there is none.
    pub outcome: std::result::Result<&'p TypeModel, &'p str>,
    /// The settings of the provider, and the types that were not learned so far.
    pub info: &'p ModelInfo,
    /// The number of calls so far.
    pub calls: u64,
    /// How many types are done.
    pub done: usize,
    /// How many there are.
    pub types: usize,
}

impl<'p> LearnProgress<'p> {
    /// The progress after a type, before any call is counted.
    pub fn new(
        name: &'p str,
        outcome: std::result::Result<&'p TypeModel, &'p str>,
        info: &'p ModelInfo,
        done: usize,
        types: usize,
    ) -> Self {
        Self { name, outcome, info, calls: 0, done, types }
    }
}

type Start = dyn Fn() -> Pin<Box<dyn Future<Output = Result<Arc<dyn Provider>>> + Send>> + Send + Sync;

/// The settings of a provider.
#[derive(Clone, PartialEq)]
struct Prepared {
    config: Value,
    /// The secrets in it, where they are not those of the hints.
    others: OtherSecrets,
}

/// Data that all workers share.
struct Context {
    start: Box<Start>,
    options: LearnOptions,
    schemas: Arc<Schemas>,
    settings: Prepared,
    /// The settings with other secrets, the best first.
    other_settings: Vec<Prepared>,
    secrets: ProviderSecrets,
    tasks: Mutex<VecDeque<SmolStr>>,
    learned: Mutex<Learned>,
    types: usize,
    end: Option<Instant>,
    progress: Box<dyn Fn(LearnProgress<'_>) + Send + Sync>,
}

/// Learns the resource types of a provider. `start` starts it for each of the jobs, and again after a crash.
///
/// # Errors
///
/// The provider does not start, returns no schemas, or refuses its settings.
///
/// ```
/// use std::sync::Arc;
///
/// use objchange_conform::kit::faulty;
/// use objchange_conform::{LearnOptions, learn};
/// use objchange_provider::Provider;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> objchange_provider::Result<()> {
/// let start = || async { Ok(Arc::new(faulty(true)) as Arc<dyn Provider>) };
/// let mut options = LearnOptions::default();
/// options.only = vec!["kit_thing".to_owned()];
/// let learned = learn(start, options, |_| ()).await?;
/// assert!(learned.types["kit_thing"].probes > 10);
/// # Ok(())
/// # }
/// ```
pub async fn learn<S, F>(
    start: S,
    options: LearnOptions,
    progress: impl Fn(LearnProgress<'_>) + Send + Sync + 'static,
) -> Result<Learned>
where
    S: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Result<Arc<dyn Provider>>> + Send + 'static,
{
    // A time beyond the range of the clock means no limit.
    let end = options.time.and_then(|time| Instant::now().checked_add(time));
    let start: Box<Start> = Box::new(move || Box::pin(start()));
    let first = start().await?;
    let schemas = first.schemas().await?;
    let nothing = Block::new::<&str>([], []);
    let block = schemas.block(Component::Provider, "").unwrap_or(&nothing);
    let config =
        options.hints.provider_config(block).map_err(|error| ErrorKind::Refused(vec![error.to_string()]))?;
    let other_settings = other_settings(&options.hints, &schemas, &config);
    let config = config.unmark_deep().0;
    let mut secrets = ProviderSecrets::default();
    options.hints.secrets().iter().for_each(|secret| secrets.learn_marked(secret));
    secrets.learn(block, &config);
    let wanted: VecDeque<SmolStr> = wanted(&schemas, &options)?;
    let settings = config.as_object().into_iter().flat_map(objchange::value::Object::iter);
    let mut info = ModelInfo::new("", None);
    info.settings = settings
        .filter(|(_, value)| !value.is_null() && !value.is_empty())
        .map(|(name, _)| name.clone())
        .collect();
    let context = Arc::new(Context {
        start,
        schemas,
        settings: Prepared { config, others: OtherSecrets::default() },
        other_settings,
        secrets,
        types: wanted.len(),
        tasks: Mutex::new(wanted),
        learned: Mutex::new(Learned { info, ..Learned::default() }),
        end,
        progress: Box::new(progress),
        options,
    });
    let mut session = Session::new(context.clone(), Some(first));
    // Settings that are refused are an error for all types.
    session.provider().await?;
    let mut workers = JoinSet::new();
    let jobs = context.options.jobs.clamp(1, context.types.max(1));
    for session in std::iter::once(session).chain((1..jobs).map(|_| Session::new(context.clone(), None))) {
        let with_other_secrets = Session::with_other_secrets(context.clone());
        workers.spawn(work(session, with_other_secrets));
    }
    while let Some(done) = workers.join_next().await {
        if let Err(error) = done
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
    let mut learned = std::mem::take(&mut *context.learned());
    learned.left = context.tasks().len();
    Ok(learned)
}

/// The types to learn.
fn wanted(schemas: &Schemas, options: &LearnOptions) -> Result<VecDeque<SmolStr>> {
    let globs: Vec<WildMatch> = options.only.iter().map(|glob| WildMatch::new(glob)).collect();
    for (glob, text) in std::iter::zip(&globs, &options.only) {
        if !schemas.resources.keys().any(|name| glob.matches(name)) {
            let similar = objchange_text::similar(text, schemas.resources.keys().map(SmolStr::as_str));
            let similar = similar.into_iter().map(str::to_owned).collect();
            return Err(ErrorKind::NothingCalled { glob: text.clone(), similar }.into());
        }
    }
    let is_wanted = |name: &SmolStr| {
        (globs.is_empty() || globs.iter().any(|glob| glob.matches(name)))
            && !options.except.contains(name)
            && options.hints.skip(Component::Resource, name).is_none()
    };
    let (given, others): (Vec<SmolStr>, Vec<SmolStr>) = schemas
        .resources
        .keys()
        .filter(|name| is_wanted(name))
        .cloned()
        .partition(|name| options.given.iter().any(|given| given.type_name == *name));
    // Types of given objects come first: the time may be limited.
    Ok(given.into_iter().chain(others).collect())
}

/// Learns one type after the other.
async fn work(mut session: Session, mut with_other_secrets: Option<Session>) {
    let context = session.context.clone();
    while let Some(name) = context.next() {
        let Some(schema) = context.schemas.resources.get(&name) else { continue };
        let mut prober = Prober::new(&name, &schema.block, &context.options);
        let outcome = prober.learn(&mut session, with_other_secrets.as_mut()).await;
        let mut learned = context.learned();
        learned.calls += u64::from(prober.calls());
        match outcome {
            Ok((model, left_out)) => {
                if let Some(reason) = left_out {
                    learned.info.partly_learned.insert(name.clone(), context.without_secrets(&reason));
                }
                learned.types.insert(name.clone(), model);
            }
            Err(reason) => {
                learned.info.not_learned.insert(name.clone(), context.without_secrets(&reason));
            }
        }
        let Learned { info, types, calls, .. } = &*learned;
        let why = || info.not_learned.get(&name).map_or("", String::as_str);
        let outcome = types.get(&name).ok_or_else(why);
        let done = types.len() + info.not_learned.len();
        let progress = LearnProgress::new(&name, outcome, info, done, context.types);
        (context.progress)(LearnProgress { calls: *calls, ..progress });
    }
}

impl Context {
    /// The next type; `None` at the end, after the time limit or if learning was stopped.
    fn next(&self) -> Option<SmolStr> {
        let is_over = self.options.stop.is_stopped() || self.end.is_some_and(|end| Instant::now() >= end);
        if is_over { None } else { self.tasks().pop_front() }
    }

    /// The reason why something was not learned. If the hints have secrets, it has no message of the provider, which may be
    /// made of them.
    fn without_secrets(&self, reason: &str) -> String {
        match reason.split_once(": ") {
            Some((reason, _)) if !self.other_settings.is_empty() => reason.to_owned(),
            _ => reason.to_owned(),
        }
    }

    fn tasks(&self) -> std::sync::MutexGuard<'_, VecDeque<SmolStr>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learned(&self) -> std::sync::MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
