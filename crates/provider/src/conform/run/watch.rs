//! A provider that is watched: how long it takes, how often it is asked, and what it was asked and answered last.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
};

use crate::{
    ActionEvent, ActionPlan, Answer, Component, FunctionAnswer, ImportAnswer, ImportResource, ListQuestion,
    Listed, MoveResource, Opened, Provider, ReadResource, Result, Schemas, UpgradeResource,
};

/// A question with its answer, of those that a case file can hold.
#[derive(Clone)]
pub(in crate::conform) enum Exchange {
    Plan(Box<PlanResourceChange>, Box<PlannedResource>),
    Apply(Box<ApplyResourceChange>, Box<AppliedResource>),
    Data(Value, Value),
}

/// How much a provider was asked.
#[derive(Debug, Default)]
pub(super) struct Meter {
    pub(super) calls: AtomicU64,
    nanos: AtomicU64,
}

impl Meter {
    /// How long the answers took, all together.
    pub(super) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }
}

pub(super) struct Watched {
    provider: Arc<dyn Provider>,
    meter: Arc<Meter>,
    exchanges: Mutex<Vec<Exchange>>,
    plans: AtomicU64,
    is_gone: AtomicBool,
}

impl Watched {
    pub(super) fn new(provider: Arc<dyn Provider>, meter: Arc<Meter>) -> Self {
        Self {
            provider,
            meter,
            exchanges: Mutex::default(),
            plans: AtomicU64::new(0),
            is_gone: AtomicBool::new(false),
        }
    }

    fn exchanges(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was asked since this was called last.
    pub(super) fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.exchanges())
    }

    /// How many plans it has made.
    pub(super) fn plans(&self) -> u64 {
        self.plans.load(Ordering::Relaxed)
    }

    /// Whether a call has shown that nothing more can be asked, or that it goes on with a call that nobody waits for.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    async fn timed<T>(&self, call: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let start = Instant::now();
        let answer = call.await;
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.meter.nanos.fetch_add(nanos, Ordering::Relaxed);
        self.meter.calls.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = &answer
            && (error.is_gone() || matches!(error.kind(), crate::ErrorKind::Timeout(_)))
        {
            self.is_gone.store(true, Ordering::Relaxed);
        }
        answer
    }
}

#[async_trait]
impl Provider for Watched {
    async fn schemas(&self) -> Result<Arc<Schemas>> {
        self.provider.schemas().await
    }

    async fn validate(&self, component: Component, name: &str, config: &Value) -> Result<Vec<Diagnostic>> {
        self.timed(self.provider.validate(component, name, config)).await
    }

    async fn configure(&self, config: &Value) -> Result<Vec<Diagnostic>> {
        self.timed(self.provider.configure(config)).await
    }

    async fn upgrade(&self, request: &UpgradeResource) -> Result<Answer> {
        self.timed(self.provider.upgrade(request)).await
    }

    async fn upgrade_identity(&self, request: &UpgradeResource) -> Result<Answer> {
        self.timed(self.provider.upgrade_identity(request)).await
    }

    async fn read(&self, request: &ReadResource) -> Result<Answer> {
        self.timed(self.provider.read(request)).await
    }

    async fn plan(&self, type_name: &str, request: &PlanResourceChange) -> Result<PlannedResource> {
        let answer = self.timed(self.provider.plan(type_name, request)).await?;
        self.plans.fetch_add(1, Ordering::Relaxed);
        self.exchanges().push(Exchange::Plan(Box::new(request.clone()), Box::new(answer.clone())));
        Ok(answer)
    }

    async fn apply(&self, type_name: &str, request: &ApplyResourceChange) -> Result<AppliedResource> {
        let answer = self.timed(self.provider.apply(type_name, request)).await?;
        self.exchanges().push(Exchange::Apply(Box::new(request.clone()), Box::new(answer.clone())));
        Ok(answer)
    }

    async fn import(&self, request: &ImportResource) -> Result<ImportAnswer> {
        self.timed(self.provider.import(request)).await
    }

    async fn move_state(&self, request: &MoveResource) -> Result<Answer> {
        self.timed(self.provider.move_state(request)).await
    }

    async fn generate_config(&self, type_name: &str, state: &Value) -> Result<Answer> {
        self.timed(self.provider.generate_config(type_name, state)).await
    }

    async fn read_data(&self, type_name: &str, config: &Value) -> Result<Answer> {
        let answer = self.timed(self.provider.read_data(type_name, config)).await?;
        if let Some(object) = &answer.object {
            self.exchanges().push(Exchange::Data(config.clone(), object.clone()));
        }
        Ok(answer)
    }

    async fn open(&self, type_name: &str, config: &Value) -> Result<Opened> {
        self.timed(self.provider.open(type_name, config)).await
    }

    async fn renew(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Opened> {
        self.timed(self.provider.renew(type_name, private)).await
    }

    async fn close(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Vec<Diagnostic>> {
        self.timed(self.provider.close(type_name, private)).await
    }

    async fn list(&self, request: &ListQuestion) -> Result<Vec<Listed>> {
        self.timed(self.provider.list(request)).await
    }

    async fn call_function(&self, name: &str, arguments: &[Value]) -> Result<FunctionAnswer> {
        self.timed(self.provider.call_function(name, arguments)).await
    }

    async fn plan_action(&self, type_name: &str, config: &Value) -> Result<ActionPlan> {
        self.timed(self.provider.plan_action(type_name, config)).await
    }

    async fn invoke_action(&self, type_name: &str, config: &Value) -> Result<Vec<ActionEvent>> {
        self.timed(self.provider.invoke_action(type_name, config)).await
    }

    async fn stop(&self) -> Result<String> {
        self.provider.stop().await
    }
}
