//! The requests to plan and to apply a change.

use std::fmt;

use crate::schema::Block;
use crate::value::{SENSITIVE, Value};

/// The request to plan a change. The values carry no marks, so [`Debug`] shows none of their content.
#[derive(Clone)]
#[non_exhaustive]
pub struct PlanResourceChange {
    /// The schema of the resource type.
    pub schema: Block,
    /// The current object, or null.
    pub prior: Value,
    /// The configuration, coerced to the schema's type.
    pub config: Value,
    /// Prior and configuration merged.
    pub proposed: Value,
    /// The private data of the prior object; for the second plan of a replacement, that of the first
    /// answer.
    pub private: PrivateData,
    /// The private data of the plan, when the provider plans again at apply.
    pub planned_private: PrivateData,
    /// The identity of the object, if the provider returned one.
    pub identity: Option<Value>,
    /// The provider may defer the plan.
    pub deferral_allowed: bool,
}

/// The request to apply a change. The values carry no marks, so [`Debug`] shows none of their content.
#[derive(Clone)]
#[non_exhaustive]
pub struct ApplyResourceChange {
    /// The schema of the resource type.
    pub schema: Block,
    /// The current object, or null if one is created.
    pub prior: Value,
    /// The planned object, or null if the prior one is destroyed.
    pub planned: Value,
    /// The configuration, now wholly known; null if the object is destroyed.
    pub config: Value,
    /// The provider's private data of the plan.
    pub private: PrivateData,
    /// The planned identity of the object at the provider.
    pub identity: Option<Value>,
}

/// Private data that a provider stores with an object. Its format is the provider's own, so [`Debug`] shows
/// only the length.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct PrivateData(pub Vec<u8>);

impl PlanResourceChange {
    /// A request with these objects, which must have the schema's implied type. Everything else is empty.
    pub fn new(schema: &Block, prior: &Value, proposed: &Value, config: &Value) -> Self {
        Self {
            schema: schema.clone(),
            prior: prior.clone(),
            config: config.clone(),
            proposed: proposed.clone(),
            private: PrivateData::default(),
            planned_private: PrivateData::default(),
            identity: None,
            deferral_allowed: false,
        }
    }
}

impl ApplyResourceChange {
    /// A request with these objects, which must have the schema's implied type. Everything else is empty.
    pub fn new(schema: &Block, prior: &Value, planned: &Value, config: &Value) -> Self {
        Self {
            schema: schema.clone(),
            prior: prior.clone(),
            planned: planned.clone(),
            config: config.clone(),
            private: PrivateData::default(),
            identity: None,
        }
    }
}

impl fmt::Debug for PrivateData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateData({} bytes)", self.0.len())
    }
}

impl fmt::Debug for PlanResourceChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, prior, config, proposed, private, planned_private, identity, deferral_allowed } =
            self;
        f.debug_struct("PlanResourceChange")
            .field("schema", schema)
            .field("prior", &Outline(prior))
            .field("config", &Outline(config))
            .field("proposed", &Outline(proposed))
            .field("private", private)
            .field("planned_private", planned_private)
            .field("identity", &identity.as_ref().map(Outline))
            .field("deferral_allowed", deferral_allowed)
            .finish()
    }
}

impl fmt::Debug for ApplyResourceChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, prior, planned, config, private, identity } = self;
        f.debug_struct("ApplyResourceChange")
            .field("schema", schema)
            .field("prior", &Outline(prior))
            .field("planned", &Outline(planned))
            .field("config", &Outline(config))
            .field("private", private)
            .field("identity", &identity.as_ref().map(Outline))
            .finish()
    }
}

/// Shows whether an object exists, without its content.
pub(in crate::change) struct Outline<'v>(pub(in crate::change) &'v Value);

impl fmt::Debug for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            value if value.is_null() => f.write_str("null"),
            value if !value.is_known() => f.write_str("(known after apply)"),
            _ => f.write_str(SENSITIVE),
        }
    }
}
