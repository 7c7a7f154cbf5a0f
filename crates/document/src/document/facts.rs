//! The limits of the answers that a document can give.

use std::collections::HashSet;

use super::missing_changes::MissingChange;
use serde::Serialize;

use super::{Document, Missing, Plan, UnknownKind};
use crate::changes::{ChangedResource, ResourceActions};

/// The limits of the answers that a document can give: errors, parts that are missing, words that are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// The document has no format version: it is only a part of one.
    pub is_part: bool,
    /// Planning ended with an error. Changes after it are not in the plan.
    pub errored: bool,
    /// The plan says that there may be more changes after it is applied, because of targets or deferred changes.
    pub incomplete: bool,
    /// The plan was made without asking its providers.
    pub simulated: bool,
    /// A member that the document has more than once: readers differ in which of them they take.
    pub repeated_member: Option<String>,
    /// One of the changes that were removed from the plan.
    pub missing_change: Option<MissingChange>,
    /// The inputs that the plan was made without: whatever depends on it is unknown.
    pub missing: Vec<Missing>,
    /// Unknown words and missing members, an entry for each kind.
    pub unknown_kinds: Vec<UnknownKind>,
    /// Changes that depend on providers that were not asked.
    pub unasked: ProviderDependent,
}

/// Counts of changes that depend on providers that did not run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProviderDependent {
    /// Updates.
    pub updates: usize,
    /// Imports.
    pub imports: usize,
    /// Objects that exist.
    pub objects: usize,
    /// Objects that exist, in a plan that is about nothing else: it only refreshes.
    pub refreshed: usize,
    /// The plan takes providers to leave values alone that they may change: a strict plan would differ.
    pub is_trusting: bool,
    /// The configuration may declare actions, which updates invoke.
    pub may_invoke: bool,
    /// Objects that exist, should have been read, and are to stay or to be replaced.
    pub unread: usize,
}

impl ProviderDependent {
    /// Those of a document, which says of itself whether its providers were asked.
    fn in_document(plan: &Plan<'_>) -> Self {
        let Some(prediction) = plan.prediction() else { return Self::default() };
        let simulated = || plan.changes.resources.iter().filter(|resource| !resource.is_builtin());
        let exists = |resource: &&ChangedResource<'_>| {
            resource.change.values.written().is_some_and(|values| values.before.text() != "null")
        };
        let stays =
            |actions: &ResourceActions| !matches!(actions, ResourceActions::Delete | ResourceActions::Forget);
        Self {
            refreshed: plan.refreshed_alone().iter().filter(|object| !object.is_builtin()).count(),
            updates: simulated()
                .filter(|resource| resource.change.actions == ResourceActions::Update)
                .count(),
            imports: simulated().filter(|resource| resource.change.importing.is_some()).count(),
            objects: simulated().filter(exists).count(),
            is_trusting: prediction.is_trusting,
            may_invoke: plan.configuration().is_none_or(|text| text.text().contains("\"actions\"")),
            unread: match prediction.is_refreshed {
                true => simulated().filter(exists).filter(|resource| stays(&resource.change.actions)).count(),
                false => 0,
            },
        }
    }
}

impl Facts {
    pub(super) fn new(document: &Document<'_>) -> Self {
        let facts = Self {
            is_part: !document.has_format_version(),
            unknown_kinds: document.unfamiliar(),
            ..Self::default()
        };
        match document {
            Document::State(_) => facts,
            Document::Plan(plan) => Self {
                errored: plan.changes.errored,
                incomplete: plan.changes.complete == Some(false),
                simulated: plan.is_simulated(),
                repeated_member: repeated_member(plan),
                missing_change: plan.missing_change(),
                missing: plan.missing().to_vec(),
                unasked: ProviderDependent::in_document(plan),
                ..facts
            },
        }
    }
}

fn repeated_member(plan: &Plan<'_>) -> Option<String> {
    let mut seen = HashSet::new();
    plan.members().map(|(name, _)| name).find(|name| !seen.insert(*name)).map(str::to_owned)
}

/// Why a plan was made from no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoState {
    /// The workspace has none.
    Missing,
    /// The caller planned without a state on purpose.
    LeftOut,
    /// It is elsewhere, and was not read: what is planned is the configuration alone, and objects may exist.
    Unread,
}

impl NoState {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "the workspace has no state",
            Self::LeftOut => "planned without a state",
            Self::Unread => "the state was not read",
        }
    }
}
