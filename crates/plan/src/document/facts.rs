//! The limits of the answers that a document can give.

use std::collections::HashSet;

use super::missing_changes::MissingChange;
use serde::Serialize;

use super::{Document, Missing, Plan, UnknownKind};

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
