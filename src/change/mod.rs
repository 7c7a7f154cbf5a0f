//! What happens to a value: the questions that Terraform Core asks around a provider.
//!
//! ```text
//! prior state ─┐
//!              ├─ proposed_new ──▶ provider plans ──▶ assert_plan_valid ──▶ action
//! config ──────┘                                                             │
//!                                         provider applies ──▶ assert_object_compatible
//! ```

mod access;
mod action;
mod apply;
mod carried;
mod computed_blocks;
mod error;
mod groups;
mod ignore_changes;
mod inconsistent_result;
mod invalid_plan;
mod kinds;
mod legacy;
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
pub use proposed_new::{planned_data_resource, proposed_new};
pub use provider::{
    AppliedResource, ApplyResourceChange, DeferredReason, Diagnostic, PlanResourceChange, PlannedResource,
    PrivateData, Provider, ProviderError, Severity, SimulatedProvider,
};
pub use sequence::longest_common_subsequence;
pub use subsequence::common_subsequence;
pub use value_compatible::assert_value_compatible;
