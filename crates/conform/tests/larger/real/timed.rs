//! A provider that is asked, and a clock beside it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use objchange_provider::{Call, Client, ErrorKind, Provider, Reply, Result};

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
    async fn call(&self, call: Call<'_>) -> Result<Reply> {
        match call {
            Call::Schemas | Call::Configure(_) => self.client.call(call).await,
            Call::Validate(..) => self.time(self.client.call(call)).await,
            Call::Plan(..) => {
                self.plans.fetch_add(1, Ordering::Relaxed);
                self.time(self.client.call(call)).await
            }
            _ => Err(ErrorKind::Unimplemented.into()),
        }
    }
}
