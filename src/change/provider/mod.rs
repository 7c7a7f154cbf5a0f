//! The interface between the rules and a provider: questions, answers, and the trait for both.
//!
//! The rules never call a provider themselves: [`begin_plan`](super::begin_plan) and
//! [`begin_apply`](super::begin_apply) give questions and take answers. [`Provider`] is the simple way to drive them.

mod answer;
mod question;
mod secrets;
mod simulated;

pub use answer::{AppliedResource, DeferredReason, Diagnostic, PlannedResource, Severity};
pub(super) use answer::{have_errors, hide_in_diagnostics};
pub(super) use question::Outline;
pub use question::{ApplyResourceChange, PlanResourceChange, PrivateData};
pub use secrets::ProviderSecrets;
pub use simulated::SimulatedProvider;

/// The reason why a provider did not answer at all, such as a lost connection or a crash. Problems with a
/// change are [`Diagnostic`]s.
pub type ProviderError = Box<dyn std::error::Error + Send + Sync>;

/// Plans and applies a resource: a real provider, a simulated one, or a test.
///
/// Any function of the right shape is one.
pub trait Provider {
    /// Plans the change from the prior to the proposed object.
    ///
    /// # Errors
    ///
    /// The provider does not answer.
    fn plan(&mut self, request: &PlanResourceChange) -> Result<PlannedResource, ProviderError>;
}

impl<F: FnMut(&PlanResourceChange) -> Result<PlannedResource, ProviderError>> Provider for F {
    fn plan(&mut self, request: &PlanResourceChange) -> Result<PlannedResource, ProviderError> {
        self(request)
    }
}
