//! A watched provider: measures its calls, and keeps its last exchanges.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, PlanResourceChange, PlannedResource, Severity,
};
use objchange_provider::{Answer, Call, Component, ErrorKind, Provider, ProviderExt, Reply, Result, Schemas};

use super::created_objects::{CreatedObjects, Object};
use super::options::Stop;
use crate::secrets::Secrets;

/// A question with its answer, if case files have an operation for it.
#[derive(Clone)]
pub(crate) enum Exchange {
    Plan(Box<PlanResourceChange>, Box<PlannedResource>),
    Apply(Box<ApplyResourceChange>, Box<AppliedResource>),
    Data(Value, Value),
}

/// The secrets of a run, shared by all workers.
#[derive(Clone, Default)]
pub(super) struct SharedSecrets(Arc<Mutex<Secrets>>);

impl SharedSecrets {
    pub(super) fn lock(&self) -> MutexGuard<'_, Secrets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the calls to a provider and their time.
#[derive(Debug, Default)]
pub(super) struct Meter {
    pub(super) calls: AtomicU64,
    nanos: AtomicU64,
}

impl Meter {
    /// The total time of all calls.
    pub(super) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }
}

/// Decides whether a call may begin. In runs that create objects, none begins after the end of the run.
#[derive(Clone)]
pub(super) struct Gate {
    /// The run creates nothing.
    pub(super) is_open: bool,
    pub(super) stop: Stop,
    pub(super) deadline: Option<tokio::time::Instant>,
    pub(super) made: CreatedObjects,
}

impl Gate {
    fn is_open(&self) -> bool {
        let is_over = || self.deadline.is_some_and(|deadline| tokio::time::Instant::now() >= deadline);
        self.is_open || !self.stop.is_stopped() && !is_over()
    }
}

pub(super) struct Watched {
    provider: Arc<dyn Provider>,
    /// The known secrets of this run.
    secrets: SharedSecrets,
    gate: Gate,
    /// The worker.
    owner: usize,
    meter: Arc<Meter>,
    exchanges: Mutex<Vec<Exchange>>,
    plans: AtomicU64,
    is_gone: AtomicBool,
}

impl Watched {
    pub(super) fn new(
        provider: Arc<dyn Provider>,
        meter: Arc<Meter>,
        gate: Gate,
        secrets: SharedSecrets,
        owner: usize,
    ) -> Self {
        Self {
            provider,
            secrets,
            gate,
            owner,
            meter,
            exchanges: Mutex::default(),
            plans: AtomicU64::new(0),
            is_gone: AtomicBool::new(false),
        }
    }

    /// Registers the secrets of an answer, because the provider may repeat them in a later one.
    fn learn(&self, schemas: &Schemas, call: Call<'_>, reply: &Reply) {
        let component = match call {
            Call::ReadData(..) => Component::DataSource,
            Call::Open(..) => Component::EphemeralResource,
            _ => Component::Resource,
        };
        let objects: Vec<(&str, Option<&Value>)> = match reply {
            Reply::Answer(answer) => vec![(call.type_name(), answer.object.as_ref())],
            Reply::Planned(answer) => vec![(call.type_name(), Some(&answer.planned))],
            Reply::Applied(answer) => vec![(call.type_name(), answer.new_state.as_ref())],
            Reply::Opened(answer) => vec![(call.type_name(), answer.object.as_ref())],
            Reply::Listed(all) => all.iter().map(|one| (call.type_name(), one.object.as_ref())).collect(),
            Reply::Imported(answer) => {
                answer.resources.iter().map(|one| (one.type_name.as_str(), one.object.as_ref())).collect()
            }
            _ => return,
        };
        let mut secrets = self.secrets.lock();
        for (name, object) in objects {
            if let (Some(block), Some(object)) = (schemas.block(component, name), object) {
                secrets.learn(block, object);
            }
        }
    }

    fn exchanges(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exchanges since the last call of this function.
    pub(super) fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.exchanges())
    }

    /// The number of plans so far.
    pub(super) fn plans(&self) -> u64 {
        self.plans.load(Ordering::Relaxed)
    }

    /// Whether the provider is gone, or still busy with a call that was abandoned.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    /// Destroys a leftover object, even after the end of the run. The error is the reason why it may still exist.
    pub(super) async fn destroy(&self, object: &Object) -> std::result::Result<(), &'static str> {
        const NO_ANSWER: &str = "the provider did not answer when it was to be destroyed";
        let schemas = self.provider.schemas().await.map_err(|_| NO_ANSWER)?;
        let block = schemas.block(Component::Resource, &object.type_name).ok_or(NO_ANSWER)?;
        let nothing = Value::null(block.implied_type().clone());
        let mut end = ApplyResourceChange::new(block, &object.value, &nothing, &nothing);
        (end.private, end.identity) = (object.private.clone(), object.identity.clone());
        if schemas.capabilities.plan_destroy {
            let mut plan = PlanResourceChange::new(block, &object.value, &nothing, &nothing);
            (plan.private, plan.identity) = (object.private.clone(), object.identity.clone());
            // If planning fails, so does the call below, and its error is reported.
            if let Ok(planned) = self.provider.plan(&object.type_name, &plan).await {
                end.private = planned.private;
            }
        }
        // Like Terraform, it makes no second plan before it destroys.
        let answer = self.provider.apply(&object.type_name, &end).await.map_err(|_| NO_ANSWER)?;
        let is_refused = answer.diagnostics.iter().any(|said| said.severity == Severity::Error);
        match answer.new_state {
            Some(state) if !state.is_null() => Err("the provider says that it still exists"),
            _ if is_refused => Err("the provider refuses to destroy it"),
            _ => Ok(()),
        }
    }

    /// Makes a call, if calls are still allowed.
    async fn call_if_open<T>(&self, call: impl Future<Output = Result<T>> + Send) -> Result<T> {
        if self.gate.is_open() { self.timed(call).await } else { Err(ErrorKind::Disconnected.into()) }
    }

    /// Makes a call and measures it.
    async fn timed<T>(&self, call: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let start = Instant::now();
        let answer = call.await;
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.meter.nanos.fetch_add(nanos, Ordering::Relaxed);
        self.meter.calls.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = &answer
            && (error.is_gone() || matches!(error.kind(), ErrorKind::Timeout(_)))
        {
            self.is_gone.store(true, Ordering::Relaxed);
        }
        answer
    }
}

#[async_trait]
impl Provider for Watched {
    async fn call(&self, call: Call<'_>) -> Result<Reply> {
        let reply = match call {
            Call::Schemas | Call::Stop => return self.provider.call(call).await,
            // Allowed even after the end, because only a configured provider can destroy created objects.
            Call::Configure(_) | Call::Validate(Component::Provider, ..) => {
                self.timed(self.provider.call(call)).await?
            }
            Call::Apply(type_name, request) => {
                // Inside of the call, so that a call that the gate stops is not recorded.
                let asked = async {
                    self.gate.made.begun(self.owner, type_name, request);
                    self.provider.call(call).await
                };
                self.call_if_open(asked).await?
            }
            _ => self.call_if_open(self.provider.call(call)).await?,
        };
        let schemas = self.provider.schemas().await?;
        self.learn(&schemas, call, &reply);
        match (call, &reply) {
            (Call::Plan(_, request), Reply::Planned(answer)) => {
                self.plans.fetch_add(1, Ordering::Relaxed);
                self.exchanges().push(Exchange::Plan(Box::new(request.clone()), Box::new(answer.clone())));
            }
            (Call::Apply(type_name, request), Reply::Applied(answer)) => {
                let block = schemas.block(Component::Resource, type_name);
                self.gate.made.answered(self.owner, block, type_name, request, answer);
                self.exchanges().push(Exchange::Apply(Box::new(request.clone()), Box::new(answer.clone())));
            }
            (Call::ReadData(_, config), Reply::Answer(Answer { object: Some(object), .. })) => {
                self.exchanges().push(Exchange::Data(config.clone(), object.clone()));
            }
            _ => {}
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers each call that has no other answer here with its name.
    struct Named;

    #[async_trait]
    impl Provider for Named {
        async fn call(&self, call: Call<'_>) -> Result<Reply> {
            match call {
                Call::Schemas => Ok(Arc::new(Schemas::default()).into()),
                Call::Metadata => Ok(Schemas::default().metadata().into()),
                Call::States(_) => Ok(Reply::Stopped(call.name().to_owned())),
                _ => Err(ErrorKind::Unimplemented.into()),
            }
        }
    }

    fn watched(is_open: bool) -> Watched {
        let (stop, made) = (Stop::default(), CreatedObjects::default());
        stop.stop();
        let gate = Gate { is_open, stop, deadline: None, made };
        Watched::new(Arc::new(Named), Arc::default(), gate, SharedSecrets::default(), 0)
    }

    #[tokio::test]
    async fn every_call_is_forwarded_and_counted() {
        let watched = watched(true);
        assert_eq!(watched.metadata().await.unwrap(), Schemas::default().metadata());
        assert!(watched.read_state("kit_store", "a").await.unwrap_err().is_unimplemented());
        // The reply to another call is none.
        let wrong = watched.states("kit_store").await.unwrap_err();
        assert_eq!(wrong.kind().kind(), "malformed");
        assert!(!wrong.to_string().contains("GetStates"), "{wrong}");
        assert_eq!(watched.meter.calls.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn nothing_is_begun_when_the_run_is_over() {
        let watched = watched(false);
        let closed = watched.metadata().await.unwrap_err();
        assert_eq!(closed.kind().kind(), "disconnected");
        assert!(watched.schemas().await.is_ok());
        assert_eq!(watched.meter.calls.load(Ordering::Relaxed), 0);
    }
}
