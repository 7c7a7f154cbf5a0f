//! The request to plan a change.

use std::fmt;

use crate::change::provider::Outline;
use crate::change::{IgnoreChanges, PrivateData};
use crate::schema::Block;
use crate::value::Value;

/// A request to plan a change.
#[derive(Clone)]
#[non_exhaustive]
pub struct PlanRequest {
    /// The schema of the resource type.
    pub schema: Block,
    /// The current object; null if there is none.
    pub prior: Value,
    /// The configuration; null destroys the object. Any object that the schema can coerce is accepted.
    pub config: Value,
    /// Options for making the change.
    pub lifecycle: Lifecycle,
    /// The provider's private data of the prior object.
    pub private: PrivateData,
    /// The identity of the prior object, if the provider has given one.
    pub identity: Option<Value>,
    /// The provider may defer the plan.
    pub deferral_allowed: bool,
}

/// The options of `lifecycle` and of planning that affect a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lifecycle {
    /// The parts of the configuration that are ignored while the object exists.
    pub ignore_changes: IgnoreChanges,
    /// A replacement creates the new object before it destroys the old one.
    pub create_before_destroy: bool,
    /// The object is replaced in any case (`-replace`).
    pub force_replace: bool,
    /// The object is tainted, and has to be replaced.
    pub tainted: bool,
}

impl PlanRequest {
    /// A change of an object to its configuration, both of this schema.
    ///
    /// ```
    /// use objchange::change::{Lifecycle, PlanRequest};
    /// # use objchange::schema::Block;
    /// # use objchange::{Type, Value};
    /// # let schema = Block::new::<&str>([], []);
    /// # let (prior, config) = (Value::null(schema.implied_type().clone()), Value::object::<&str, Value>([]));
    /// let mut request = PlanRequest::new(&schema, &prior, &config);
    /// request.lifecycle = Lifecycle { create_before_destroy: true, ..Lifecycle::default() };
    /// ```
    pub fn new(schema: &Block, prior: &Value, config: &Value) -> Self {
        Self {
            schema: schema.clone(),
            prior: prior.clone(),
            config: config.clone(),
            lifecycle: Lifecycle::default(),
            private: PrivateData::default(),
            identity: None,
            deferral_allowed: false,
        }
    }
}

/// Hides values that the schema calls sensitive, marked or not.
impl fmt::Debug for PlanRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, prior, config, lifecycle, private, identity, deferral_allowed } = self;
        f.debug_struct("PlanRequest")
            .field("schema", schema)
            .field("prior", &schema.mark_hidden(prior))
            .field("config", &schema.mark_hidden(config))
            // Keys in the paths may be secret.
            .field("lifecycle", &Lifecycle { ignore_changes: IgnoreChanges::default(), ..lifecycle.clone() })
            .field("private", private)
            .field("identity", &identity.as_ref().map(Outline))
            .field("deferral_allowed", deferral_allowed)
            .finish_non_exhaustive()
    }
}
