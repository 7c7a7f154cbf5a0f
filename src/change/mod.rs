//! Plans, checks and applies changes, as Terraform Core does around a provider.
//!
//! ```text
//! prior state ─┐
//!              ├─ proposed_new ──▶ provider plans ──▶ assert_plan_valid ──▶ action
//! config ──────┘                                                             │
//!                                         provider applies ──▶ assert_object_compatible
//! ```
//!
//! Most programs want [`plan_change`] and [`apply_change`], which ask all of it in order; who cannot wait
//! inside of a call takes the same steps with [`begin_plan`] and [`begin_apply`]. They bring objects into the
//! schema's type themselves. The single functions are for who is in the place of Core or of a provider for
//! one of the steps: they take objects that [`Block::coerce_value`](crate::schema::Block::coerce_value) has
//! brought into it.
//!
//! An *error* ([`PlanChangeError`], [`ApplyChangeError`], [`ChangeError`]) is why there is no answer. A *violation*
//! ([`PlanViolation`], [`InvalidPlan`], [`ApplyViolation`], [`InconsistentResult`]) is an answer: that a provider breaks
//! its contract, where, and how. Each has a stable `kind()`, a path, and a sentence as its `Display`.
//!
//! Changes, violations and actions serialise with serde, without sensitive values, in the form of
//! `schema/change.schema.json`.

mod access;
mod action;
mod apply;
mod computed_blocks;
mod debug;
mod error;
mod groups;
mod ignore_changes;
mod inconsistent_result;
mod invalid_plan;
mod kinds;
mod legacy;
mod mark_propagation;
mod object_compatible;
mod plan;
mod plan_valid;
mod proposed_new;
mod provider;
mod sequence;
mod serialize;
mod set_compatible;
mod set_match;
mod subsequence;
mod value_compatible;

pub use action::{Action, action_for_change};
pub use apply::{
    AppliedChange, ApplyChangeError, ApplyQuestion, ApplyRequest, ApplyViolation, Applying, apply_change,
    begin_apply,
};
pub use computed_blocks::prepare_computed_blocks;
pub use error::ChangeError;
pub use ignore_changes::IgnoreChanges;
pub use inconsistent_result::{InconsistentResult, InconsistentResultKind};
pub use invalid_plan::{InvalidPlan, InvalidPlanKind};
pub use legacy::normalize_from_legacy_sdk;
pub use object_compatible::assert_object_compatible;
pub use plan::{
    Lifecycle, PlanChangeError, PlanQuestion, PlanRequest, PlanViolation, PlannedChange, Planning,
    ReplaceReason, begin_plan, plan_change,
};
pub use plan_valid::assert_plan_valid;
pub use proposed_new::{planned_data_resource, proposed_from_config, proposed_new};
pub use provider::{
    AppliedResource, ApplyResourceChange, DeferredReason, Diagnostic, PlanResourceChange, PlannedResource,
    PrivateData, Provider, ProviderError, ProviderSecrets, Severity, SimulatedProvider,
};
pub use sequence::longest_common_subsequence;
pub use subsequence::common_subsequence;
pub use value_compatible::assert_value_compatible;
