//! A provider that is asked, and a clock beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource,
};
use objchange_provider::{
    Answer, Client, Component, ErrorKind, Provider, ReadResource, Result, Schemas, UpgradeResource,
};

/// Counts plans, and how long it is waited for answers. It is asked for plans alone.
pub(crate) struct Timed {
    pub(crate) client: Client,
    pub(crate) plans: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Timed {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, plans: AtomicU64::new(0), nanoseconds: AtomicU64::new(0) }
    }

    pub(crate) fn waited(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    async fn time<T>(&self, answer: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let answer = answer.await;
        let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or_default();
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        answer
    }
}

#[async_trait]
impl Provider for Timed {
    async fn schemas(&self) -> Result<Arc<Schemas>> {
        self.client.schemas().await
    }

    async fn validate(&self, component: Component, name: &str, config: &Value) -> Result<Vec<Diagnostic>> {
        self.time(self.client.validate(component, name, config)).await
    }

    async fn configure(&self, config: &Value) -> Result<Vec<Diagnostic>> {
        self.client.configure(config).await
    }

    async fn plan(&self, type_name: &str, request: &PlanResourceChange) -> Result<PlannedResource> {
        self.plans.fetch_add(1, Ordering::Relaxed);
        self.time(self.client.plan(type_name, request)).await
    }

    async fn upgrade(&self, _: &UpgradeResource) -> Result<Answer> {
        Err(ErrorKind::Unimplemented.into())
    }

    async fn read(&self, _: &ReadResource) -> Result<Answer> {
        Err(ErrorKind::Unimplemented.into())
    }

    async fn apply(&self, _: &str, _: &ApplyResourceChange) -> Result<AppliedResource> {
        Err(ErrorKind::Unimplemented.into())
    }
}
