//! Detects the program that wrote a document.

use super::{Document, Plan, PlanFile, State};
use crate::changes::{ChangeSet, ChangedResource, ResourceActions};
use crate::program::Program;

/// The reasons that only OpenTofu gives.
const OPENTOFU_REASONS: [&str; 3] = [
    "delete_because_enabled_false",
    "forgot_because_lifecycle_destroy_in_state",
    "forgot_because_lifecycle_destroy_in_config",
];

/// Whether a provider is one of OpenTofu's registry, which Terraform does not look into.
fn is_of_opentofu(provider: &str) -> bool {
    provider.starts_with("registry.opentofu.org/")
}

impl Program {
    /// Detects the program that wrote a document.
    pub fn detect(document: &Document<'_>) -> Self {
        match document {
            Document::Plan(plan) => Self::of_plan(plan),
            Document::State(state) => Self::of_state(state),
        }
    }

    /// Detects the program that wrote a document or a plan file, or for which a plan was made.
    pub fn of_file(file: &PlanFile) -> Self {
        match file.changes() {
            Some(changes) => Self::of_changes(changes, file.terraform_version()),
            None => Self::detect(file.document()),
        }
    }

    /// Detects the program that wrote a plan.
    pub fn of_plan(plan: &Plan<'_>) -> Self {
        Self::of_changes(&plan.changes, plan.terraform_version.as_deref())
    }

    /// Members that only OpenTofu writes reveal it; without them the version is taken as Terraform's.
    pub fn of_changes(changes: &ChangeSet<'_>, version: Option<&str>) -> Self {
        // No member names the program, and `terraform_version` holds OpenTofu's own version. Only OpenTofu writes these
        // three.
        let is_opentofu = |resource: &ChangedResource<'_>| {
            is_of_opentofu(&resource.provider_name)
                || resource.change.actions == ResourceActions::ForgetThenCreate
                || resource.action_reason.as_deref().is_some_and(|reason| OPENTOFU_REASONS.contains(&reason))
        };
        match changes.all_resources().any(is_opentofu) {
            true => Self::OPENTOFU,
            false => Self::of_version(version),
        }
    }

    /// Detects the program that wrote a state.
    pub fn of_state(state: &State<'_>) -> Self {
        match state.resources.iter().any(|resource| is_of_opentofu(&resource.provider_name)) {
            true => Self::OPENTOFU,
            false => Self::of_version(state.terraform_version.as_deref()),
        }
    }
}
