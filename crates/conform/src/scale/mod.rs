//! Measures how the cost of a provider grows with its data.
//!
//! It times a plan with more and more elements in each collection of a configuration. Collections whose time
//! grows faster than their size are reported: a plan of a few thousand elements should not take minutes.

mod all;
mod draw;
mod fit;
mod grow;
mod summary;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use objchange::Value;
use objchange::change::{
    ApplyResourceChange, Diagnostic, PlanResourceChange, Severity, prepare_computed_blocks, proposed_new,
};
use objchange::schema::Block;
use objchange_provider::{Component, Error, ErrorKind, Provider, ProviderExt, Result};
use serde::Serialize;

use super::secrets::Secrets;

pub use self::all::{DrawnCurve, MeasuredType, ScaleReport, scale_all};
pub use self::draw::{svg, table};
pub use self::fit::{Growth, Verdict, growth};
use self::grow::{Collection, collections};

/// How the growth is measured.
#[derive(Clone)]
#[non_exhaustive]
pub struct Scale {
    /// A configuration that the provider accepts, in which the collections are filled.
    pub config: Value,
    /// The numbers of elements, in ascending order.
    pub sizes: Vec<usize>,
    /// How often each number of elements is measured. The shortest time counts.
    pub repeats: usize,
    /// Whether plans are also applied. Created objects are destroyed.
    pub apply: bool,
    /// When one call takes longer, no larger number is tried.
    pub limit: Duration,
    /// The clock.
    pub clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    /// Whether no new measurement may begin.
    pub is_over: Arc<dyn Fn() -> bool + Send + Sync>,
    /// The provider's memory in bytes, if it can be measured.
    pub memory: Option<Arc<dyn Fn() -> Option<u64> + Send + Sync>>,
}

impl Scale {
    /// Plans with up to 3,000 elements, three times each.
    pub fn new(config: Value) -> Self {
        let start = Instant::now();
        Self {
            config,
            // Each is about three times the one before, because the curve is fitted over logarithms.
            sizes: vec![10, 30, 100, 300, 1000, 3000],
            repeats: 3,
            apply: false,
            limit: Duration::from_secs(20),
            clock: Arc::new(move || start.elapsed()),
            is_over: Arc::new(|| false),
            memory: None,
        }
    }
}

/// Leaves out the configuration, which may hold secrets.
impl fmt::Debug for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scale")
            .field("sizes", &self.sizes)
            .field("repeats", &self.repeats)
            .field("apply", &self.apply)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// How the cost of one resource type grows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scaling {
    /// The resource type.
    pub type_name: String,
    /// Its collections, in the order of the schema.
    pub collections: Vec<Curve>,
}

/// How the cost grows with one collection.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Curve {
    /// The path of the collection.
    pub path: String,
    /// The kind: `list`, `set`, `map`, `nested list` or `blocks (set)`, for example.
    pub what: String,
    /// The measurements, the empty collection first.
    pub points: Vec<Point>,
    /// How planning grows.
    pub plan: Growth,
    /// How applying grows, if plans were applied.
    pub apply: Option<Growth>,
    /// Why the measurement stopped: the provider's error about this many elements, or the time that it took.
    pub stopped: Option<String>,
}

/// The measurement with one number of elements.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Point {
    /// The number of elements.
    pub n: usize,
    /// How long planning took, in seconds.
    pub plan: f64,
    /// How long applying took, in seconds.
    pub apply: Option<f64>,
    /// How much memory the provider used then, in bytes.
    pub memory: Option<u64>,
}

/// Measures how the cost of a resource type grows with each of its collections.
///
/// # Errors
///
/// The configuration does not fit the schema, the provider has no such type, or it does not answer.
pub async fn scale(provider: &dyn Provider, type_name: &str, scale: &Scale) -> Result<Scaling> {
    let schemas = provider.schemas().await?;
    let what = Component::Resource;
    let unknown = || ErrorKind::UnknownName { what: what.noun(), name: type_name.to_owned() };
    let block = schemas.block(what, type_name).ok_or_else(unknown)?;
    let config = block.coerce_value(&scale.config).map_err(bad)?;
    let mut curves = Vec::new();
    for collection in collections(block) {
        let mut measuring = Measuring { provider, type_name, block, scale, stopped: None };
        let points = measuring.points(&collection, &config).await?;
        let plan: Vec<_> = points.iter().map(|point| (point.n, point.plan)).collect();
        let apply: Vec<_> = points.iter().filter_map(|point| Some((point.n, point.apply?))).collect();
        curves.push(Curve {
            path: collection.path.to_string(),
            what: collection.what(),
            plan: growth(&plan),
            apply: (!apply.is_empty()).then(|| growth(&apply)),
            points,
            stopped: measuring.stopped,
        });
    }
    Ok(Scaling { type_name: type_name.to_owned(), collections: curves })
}

fn bad(error: impl fmt::Display) -> Error {
    ErrorKind::Malformed { field: "config", reason: error.to_string() }.into()
}

struct Measuring<'p> {
    provider: &'p dyn Provider,
    type_name: &'p str,
    block: &'p Block,
    scale: &'p Scale,
    stopped: Option<String>,
}

impl Measuring<'_> {
    async fn points(&mut self, collection: &Collection<'_>, config: &Value) -> Result<Vec<Point>> {
        let mut points = Vec::new();
        // The empty collection comes first: its time is the fixed cost of a call, which `growth` subtracts.
        for n in std::iter::once(0).chain(self.scale.sizes.iter().copied()) {
            if (self.scale.is_over)() {
                self.stopped = Some("the time was over".into());
                break;
            }
            let Some(config) =
                collection.filled(config, n).filter(|config| self.block.coerce_value(config).is_ok())
            else {
                self.stopped = Some(format!("{n} elements of this type cannot be told apart"));
                break;
            };
            let config = prepare_computed_blocks(self.block, &config).map_err(bad)?;
            let validated = self.provider.validate(Component::Resource, self.type_name, &config).await?;
            if self.is_refused(&config, &validated) {
                // A collection that must not be empty is measured from its first elements on.
                if n == 0 {
                    self.stopped = None;
                    continue;
                }
                break;
            }
            let Some(point) = self.point(n, &config).await? else { break };
            points.push(point);
            if Duration::from_secs_f64(point.plan.max(point.apply.unwrap_or_default())) > self.scale.limit {
                self.stopped = Some(format!("it took too long with {n} elements"));
                break;
            }
        }
        Ok(points)
    }

    async fn point(&mut self, n: usize, config: &Value) -> Result<Option<Point>> {
        let nothing = Value::null(self.block.implied_type().clone());
        let proposed = proposed_new(self.block, &nothing, config).map_err(bad)?;
        let request = PlanResourceChange::new(self.block, &nothing, &proposed, config);
        let mut point = Point { n, plan: f64::INFINITY, apply: None, memory: None };
        for _ in 0..self.scale.repeats.max(1) {
            let before = (self.scale.clock)();
            let planned = self.provider.plan(self.type_name, &request).await?;
            // The shortest time counts, because other programs can only make a call slower.
            point.plan = point.plan.min(self.since(before));
            if self.is_refused(config, &planned.diagnostics) {
                return Ok(None);
            }
            if self.scale.apply {
                let mut order = ApplyResourceChange::new(self.block, &nothing, &planned.planned, config);
                order.private.clone_from(&planned.private);
                order.identity.clone_from(&planned.identity);
                let before = (self.scale.clock)();
                let applied = self.provider.apply(self.type_name, &order).await?;
                let took = self.since(before);
                point.apply = Some(point.apply.map_or(took, |least| least.min(took)));
                let is_refused = self.is_refused(config, &applied.diagnostics);
                if let Some(object) = applied.new_state.filter(|object| !object.is_null()) {
                    let mut end = ApplyResourceChange::new(self.block, &object, &nothing, &nothing);
                    (end.private, end.identity) = (applied.private, applied.identity);
                    let ended = self.provider.apply(self.type_name, &end).await?;
                    self.is_refused(config, &ended.diagnostics);
                }
                if is_refused {
                    return Ok(None);
                }
            }
        }
        point.memory = self.scale.memory.as_ref().and_then(|memory| memory());
        Ok(Some(point))
    }

    fn since(&self, before: Duration) -> f64 {
        (self.scale.clock)().saturating_sub(before).as_secs_f64()
    }

    /// Whether the provider refuses. Its message is kept, without secrets.
    fn is_refused(&mut self, config: &Value, diagnostics: &[Diagnostic]) -> bool {
        let Some(error) = diagnostics.iter().find(|d| d.severity == Severity::Error) else { return false };
        let mut secrets = Secrets::default();
        secrets.learn_config(self.block, config, super::secrets::Origin::People);
        self.stopped = Some(secrets.hide_in(self.block, error).to_string());
        true
    }
}
