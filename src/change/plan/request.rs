//! What is to be planned, what a provider is asked, and what it answers.

use std::fmt;

use crate::change::ignore_changes::IgnoreChanges;
use crate::schema::Block;
use crate::value::{Path, SENSITIVE, Value};

/// Who plans a resource: a real provider, a simulated one, or a test.
///
/// Any function of the right shape is one.
pub trait Provider {
    /// Plans the change from the prior to the proposed object.
    ///
    /// # Errors
    ///
    /// What the provider says where it cannot plan.
    fn plan(&mut self, request: &PlanResourceChange<'_>) -> Result<PlannedResource, String>;
}

impl<F: FnMut(&PlanResourceChange<'_>) -> Result<PlannedResource, String>> Provider for F {
    fn plan(&mut self, request: &PlanResourceChange<'_>) -> Result<PlannedResource, String> {
        self(request)
    }
}

/// What a provider is asked. The values carry no marks, so [`Debug`] shows none of their content.
#[derive(Clone, Copy)]
pub struct PlanResourceChange<'a> {
    /// The schema of the resource type.
    pub schema: &'a Block,
    /// The object as it is, or null.
    pub prior: &'a Value,
    /// The configuration, coerced to the schema's type.
    pub config: &'a Value,
    /// Prior and configuration merged.
    pub proposed: &'a Value,
}

/// What a provider answers. What of the planned object is sensitive is not known here, so [`Debug`] shows none of its
/// content.
#[derive(Clone, PartialEq, Eq)]
pub struct PlannedResource {
    /// The object that it plans.
    pub planned: Value,
    /// Where a difference needs a new object.
    pub requires_replace: Vec<Path>,
    /// It uses the legacy type system, so that an invalid plan is only worth a warning.
    pub legacy_type_system: bool,
}

/// What is to be planned.
#[derive(Clone)]
pub struct PlanRequest<'a> {
    /// The schema of the resource type.
    pub schema: &'a Block,
    /// The object as it is; null if there is none.
    pub prior: &'a Value,
    /// The configuration; null if the object is to go. Any object that can be coerced to the schema will do.
    pub config: &'a Value,
    /// How the change is to be made.
    pub lifecycle: Lifecycle,
}

/// What besides the configuration decides how a change is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lifecycle {
    /// What of the configuration is not looked at while the object exists.
    pub ignore_changes: IgnoreChanges,
    /// A replacement creates the new object before it destroys the old one.
    pub create_before_destroy: bool,
    /// The object is to be replaced whatever changes (`-replace`).
    pub force_replace: bool,
    /// The object is tainted, and has to be replaced.
    pub tainted: bool,
}

impl fmt::Debug for PlanResourceChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, prior, config, proposed } = self;
        f.debug_struct("PlanResourceChange")
            .field("schema", schema)
            .field("prior", &Outline(prior))
            .field("config", &Outline(config))
            .field("proposed", &Outline(proposed))
            .finish()
    }
}

impl fmt::Debug for PlannedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { planned, requires_replace, legacy_type_system } = self;
        f.debug_struct("PlannedResource")
            .field("planned", &Outline(planned))
            .field("requires_replace", requires_replace)
            .field("legacy_type_system", legacy_type_system)
            .finish()
    }
}

/// What the schema calls sensitive is not shown, whether it is marked or not.
impl fmt::Debug for PlanRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, prior, config, lifecycle } = self;
        f.debug_struct("PlanRequest")
            .field("schema", schema)
            .field("prior", &schema.mark_hidden(prior))
            .field("config", &schema.mark_hidden(config))
            .field("lifecycle", lifecycle)
            .finish()
    }
}

/// Whether an object is there, without its content.
struct Outline<'v>(&'v Value);

impl fmt::Debug for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            value if value.is_null() => f.write_str("null"),
            value if !value.is_known() => f.write_str("(known after apply)"),
            _ => f.write_str(SENSITIVE),
        }
    }
}
