//! Measures all types of a provider.

use std::sync::Arc;
use std::time::Instant;

use objchange::schema::Block;
use objchange_provider::client::Client;
use objchange_provider::{Component, ProviderExt, Result};
use objchange_text::joined_path;
use serde::Serialize;
use smol_str::SmolStr;

use super::{Curve, Growth, Scale, Scaling, Verdict, scale, svg};
use crate::{Acceptance, Options, Subject, accepted, samples};

/// The number of configurations that are tried to find one that the provider accepts.
const SAMPLES: usize = 20;

/// How the cost of a provider grows.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ScaleReport {
    /// The version of this form.
    pub format_version: &'static str,
    /// The provider's name.
    pub provider: String,
    /// The seed of the configurations.
    pub seed: u64,
    /// Whether plans were applied.
    pub applied: bool,
    /// Whether all types were measured.
    pub complete: bool,
    /// Collections whose cost grows with the square of their elements, as `type.path`.
    pub quadratic: Vec<String>,
    /// The measurements by type.
    pub types: Vec<MeasuredType>,
}

/// The measurements of a type.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct MeasuredType {
    /// The resource type.
    pub name: String,
    /// Why nothing was measured.
    pub skipped: Option<String>,
    /// Its collections.
    pub collections: Vec<DrawnCurve>,
}

/// A curve and its picture.
#[derive(Debug, Serialize)]
pub struct DrawnCurve {
    /// The curve.
    #[serde(flatten)]
    pub curve: Curve,
    /// The picture, as SVG.
    pub svg: String,
}

/// Measures all selected types. `start` starts the provider; `each` is called for each measured type.
///
/// # Errors
///
/// The provider cannot be started, or has no schemas, or one of the chosen names is not that of a type.
pub async fn scale_all(
    name: &str,
    options: &Options,
    start: impl AsyncFn() -> Result<Client>,
    mut each: impl FnMut(&Scaling),
) -> Result<ScaleReport> {
    let measuring = Measuring { options, start, deadline: options.time.map(|time| Instant::now() + time) };
    let mut client = measuring.provider().await?;
    let schemas = client.schemas().await?;
    let mut types = Vec::new();
    let all: Vec<SmolStr> = schemas.named(Component::Resource).map(|(name, _)| name.into()).collect();
    options.refuse_unmatched_only(&all)?;
    let is_wanted = |name: &&SmolStr| options.wants(Subject::Component(Component::Resource), name);
    let names: Vec<String> = all.iter().filter(is_wanted).map(ToString::to_string).collect();
    let mut complete = true;
    for name in names {
        if measuring.is_over() {
            complete = false;
            break;
        }
        let mut measured = MeasuredType { name, skipped: None, collections: Vec::new() };
        let skip = options.hints.skip(Component::Resource, &measured.name);
        let done = match skip {
            Some(reason) => Err(reason.to_owned()),
            None => measuring.one(&client, &measured.name).await,
        };
        match done {
            Ok(scaling) => {
                each(&scaling);
                let drawn = |curve: Curve| DrawnCurve { svg: svg(&curve), curve };
                measured.collections = scaling.collections.into_iter().map(drawn).collect();
            }
            Err(reason) => {
                measured.skipped = Some(reason);
                if skip.is_none() && !measuring.is_over() {
                    // The provider may have crashed, or may still be busy.
                    client = measuring.provider().await?;
                }
            }
        }
        types.push(measured);
    }
    let quadratic = types.iter().flat_map(|measured_type| {
        let all = measured_type.collections.iter().filter(|drawn| is_quadratic(&drawn.curve));
        all.map(move |drawn| joined_path(&measured_type.name, &drawn.curve.path))
    });
    Ok(ScaleReport {
        format_version: "1.0",
        provider: name.to_owned(),
        seed: options.seed,
        applied: options.apply,
        complete: complete && !measuring.is_over(),
        quadratic: quadratic.collect(),
        types,
    })
}

/// Measures one provider.
struct Measuring<'a, S> {
    options: &'a Options,
    start: S,
    deadline: Option<Instant>,
}

impl<S: AsyncFn() -> Result<Client>> Measuring<'_, S> {
    fn is_over(&self) -> bool {
        self.options.stop.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// A provider, configured with the hints if it accepts them.
    async fn provider(&self) -> Result<Client> {
        let client = (self.start)().await?;
        let schemas = client.schemas().await?;
        let nothing = Block::new::<&str>([], []);
        let block = schemas.block(Component::Provider, "").unwrap_or(&nothing);
        if let Ok(config) = self.options.hints.provider_config(block) {
            // Most providers can plan without it, too.
            let _ = client.configure(&config.unmark_deep().0).await;
        }
        Ok(client)
    }

    /// Measures one type. The error is the reason why it cannot be measured.
    async fn one(&self, client: &Client, name: &str) -> std::result::Result<Scaling, String> {
        let schemas = client.schemas().await.map_err(|error| error.to_string())?;
        let block = schemas.block(Component::Resource, name).ok_or("the provider has no such type")?;
        let (hints, seed) = (&self.options.hints, self.options.seed);
        let mut config = None;
        let mut refusal = None;
        for sample in samples(block, Component::Resource, name, hints, seed).take(SAMPLES) {
            match accepted(client, Component::Resource, name, block, sample, hints).await {
                Ok(Acceptance::Yes(sample)) => {
                    config = Some(sample.known.unwrap_or(sample.config));
                    break;
                }
                Ok(Acceptance::OnlyKnown(sample, _)) => {
                    config = sample.known;
                    break;
                }
                Ok(Acceptance::No(said)) => {
                    refusal = said.first().map(|said| said.summary.clone()).or(refusal);
                }
                Err(error) => return Err(error.kind().kind().to_owned()),
            }
        }
        let Some(config) = config else {
            let refusal = refusal.unwrap_or_else(|| "there is none".to_owned());
            return Err(format!("no configuration is accepted: {refusal}"));
        };
        let mut options = Scale::new(config.unmark_deep().0);
        options.apply = self.options.apply;
        options.memory = client.pid().map(|pid| Arc::new(move || memory(pid)) as Arc<_>);
        let (stop, deadline) = (self.options.stop.clone(), self.deadline);
        options.is_over = Arc::new(move || {
            stop.is_stopped() || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        });
        // Its message may hold a secret.
        scale(client, name, &options).await.map_err(|error| error.kind().kind().to_owned())
    }
}

/// The memory of a process in bytes, on systems that report it.
#[allow(clippy::disallowed_methods, reason = "the system writes it")]
fn memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    // The kB of Linux are 1,024 bytes (proc(5)).
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn is_quadratic(curve: &Curve) -> bool {
    let is = |growth: &Growth| growth.verdict == Verdict::Quadratic;
    is(&curve.plan) || curve.apply.as_ref().is_some_and(is)
}
