//! Unknown words in documents, which a newer program has written; and members that are missing.

use std::fmt;

use objchange_text::{quote_into, visible};

use super::{Document, Plan, Sensitive};
use crate::changes::ResourceActions;
use crate::changes::{ChangedResource, Deferred, ValueChange, WrittenValues};
use crate::json::Raw;

/// Unknown words of one kind. They are shown as they are in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownKind {
    /// Their kind.
    pub kind: UnfamiliarKind,
    /// The words, each once, the first few of them.
    pub words: Vec<String>,
    /// The address of the first resource or action that has one of them.
    pub address: String,
    /// The number of resources or actions with one of them.
    pub count: usize,
}

/// The kind of thing that an unknown word describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnfamiliarKind {
    /// An action on a resource.
    Actions,
    /// Why it happens.
    Reason,
    /// Why it is left to the next plan.
    Deferral,
    /// The mode of a resource.
    Mode,
    /// The event that triggers an action.
    Event,
    /// A member that every known version writes is missing; the words name it.
    LeftOut,
}

const KINDS: [UnfamiliarKind; 6] = [
    UnfamiliarKind::Actions,
    UnfamiliarKind::Reason,
    UnfamiliarKind::Deferral,
    UnfamiliarKind::Mode,
    UnfamiliarKind::Event,
    UnfamiliarKind::LeftOut,
];

const REASONS: [&str; 17] = [
    "replace_because_cannot_update",
    "replace_because_tainted",
    "replace_by_request",
    "replace_by_triggers",
    "delete_because_no_resource_config",
    "delete_because_wrong_repetition",
    "delete_because_count_index",
    "delete_because_each_key",
    "delete_because_no_module",
    "delete_because_no_move_target",
    // Only OpenTofu writes this reason and the two that begin with `forgot`.
    "delete_because_enabled_false",
    "read_because_config_unknown",
    "read_because_dependency_pending",
    "read_because_check_nested",
    // Written by this program: the provider was not asked.
    "read_because_simulated",
    "forgot_because_lifecycle_destroy_in_state",
    "forgot_because_lifecycle_destroy_in_config",
];

const DEFERRALS: [&str; 13] = [
    "",
    "unknown",
    "instance_count_unknown",
    "resource_config_unknown",
    "provider_config_unknown",
    "deferred_prereq",
    "absent_prereq",
    // Written by this program, of providers that are not asked and workspaces that nothing names.
    Deferred::INSTANCES_UNKNOWN,
    Deferred::IMPORT_UNKNOWN,
    Deferred::WORKSPACE_UNKNOWN,
    Deferred::INPUT_MISSING,
    Deferred::ACTION_UNKNOWN,
    Deferred::REPLACEMENT_UNKNOWN,
];

// OpenTofu 1.11 lists ephemeral resources among the changes. Terraform never does.
const MODES: [&str; 4] = ["", "managed", "data", "ephemeral"];

/// The members without which an object cannot be judged. Without marks of what is sensitive it can, and more is shown.
const NEEDED: [&str; 7] =
    ["address", "mode", "type", "name", "change.before", "change.after", "change.after_unknown"];

impl Document<'_> {
    /// The unknown words in the document, one entry for each kind.
    ///
    /// ```
    /// use objchange_document::Document;
    ///
    /// let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"a.b","change":{"actions":["archive"]}}]}"#;
    /// let unfamiliar = Document::parse(plan)?.unfamiliar();
    /// assert_eq!(unfamiliar[0].to_string(), "a.b: unknown action \"archive\"");
    /// # Ok::<(), objchange_document::DocumentError>(())
    /// ```
    pub fn unfamiliar(&self) -> Vec<UnknownKind> {
        let mut found = UnknownKinds::default();
        match self {
            Self::Plan(plan) => found.plan(plan),
            Self::State(state) => {
                for resource in &state.resources {
                    found.word(UnfamiliarKind::Mode, &MODES, &resource.mode, &resource.address);
                    let lacks = match resource.sensitive {
                        Sensitive::Values(marks) => {
                            marks.text() == "null" && resource.values.text() != "null"
                        }
                        Sensitive::Paths(_) => false,
                    };
                    let lacks = if lacks { &["sensitive_values"][..] } else { &[] };
                    found.note(UnfamiliarKind::LeftOut, lacks, &resource.address);
                }
            }
        }
        found.0.into_iter().flatten().collect()
    }
}

impl UnknownKind {
    /// Whether it says what is done, or to what kind of object.
    pub fn may_do_anything(&self) -> bool {
        matches!(self.kind, UnfamiliarKind::Actions | UnfamiliarKind::Mode)
    }

    /// Whether a change lacks one of its sides: nobody can say what it does.
    pub(super) fn lacks_side(&self) -> bool {
        let is_side = |word: &String| ["change.before", "change.after"].contains(&word.as_str());
        self.kind == UnfamiliarKind::LeftOut && self.words.iter().any(is_side)
    }

    /// Whether a member is missing without which an object cannot be judged.
    pub(super) fn lacks_needed(&self) -> bool {
        self.kind == UnfamiliarKind::LeftOut && self.words.iter().any(|word| NEEDED.contains(&word.as_str()))
    }
}

#[derive(Default)]
struct UnknownKinds([Option<UnknownKind>; KINDS.len()]);

impl UnknownKinds {
    fn plan(&mut self, plan: &Plan<'_>) {
        for resource in plan.changes.resources.iter().chain(&plan.changes.drift) {
            self.resource(resource);
            let lacks = left_out(resource, plan.format_version);
            self.note(UnfamiliarKind::LeftOut, &lacks, &resource.address);
        }
        for deferred in &plan.changes.deferred {
            self.resource(&deferred.resource);
            // An object with an unknown action has no values that could be left out.
            if !deferred.is_undecided() {
                let lacks = left_out(&deferred.resource, plan.format_version);
                self.note(UnfamiliarKind::LeftOut, &lacks, &deferred.resource.address);
            }
            let address = &deferred.resource.address;
            self.word(UnfamiliarKind::Deferral, &DEFERRALS, &deferred.reason, address);
        }
        for output in &plan.changes.outputs {
            let address = format!("output.{}", output.name);
            self.actions(&output.change, &output.name);
            let lacks = marks(&output.change, plan.format_version)
                .into_iter()
                .filter_map(|(name, lacks)| lacks.then_some(name));
            self.note(UnfamiliarKind::LeftOut, &lacks.collect::<Vec<_>>(), &address);
        }
        for deferred in &plan.changes.deferred_invocations {
            let address = &deferred.invocation.address;
            self.word(UnfamiliarKind::Deferral, &DEFERRALS, &deferred.reason, address);
        }
        for invocation in plan.changes.all_invocations() {
            if let Some(trigger) = invocation.trigger.as_ref().filter(|trigger| trigger.time().is_none()) {
                self.note(UnfamiliarKind::Event, &[&*trigger.event], &invocation.address);
            }
        }
    }

    fn resource(&mut self, resource: &ChangedResource<'_>) {
        let address = &resource.address;
        self.actions(&resource.change, address);
        self.word(UnfamiliarKind::Mode, &MODES, &resource.mode, address);
        if let Some(reason) = &resource.action_reason {
            self.word(UnfamiliarKind::Reason, &REASONS, reason, address);
        }
    }

    fn actions(&mut self, change: &ValueChange<'_>, address: &str) {
        if change.actions == ResourceActions::Unknown {
            self.note(UnfamiliarKind::Actions, &[&change.action_words().join(", ")], address);
        }
    }

    fn word(&mut self, kind: UnfamiliarKind, known: &[&str], word: &str, address: &str) {
        if !known.contains(&word) {
            self.note(kind, &[word], address);
        }
    }

    fn note(&mut self, kind: UnfamiliarKind, words: &[&str], address: &str) {
        let Some(index) = KINDS.iter().position(|other| *other == kind) else { return };
        if words.is_empty() {
            return;
        }
        let found = self.0[index].get_or_insert_with(|| UnknownKind {
            kind,
            words: Vec::new(),
            address: address.to_owned(),
            count: 0,
        });
        found.count += 1;
        for word in words {
            let word: String = word.chars().take(64).collect();
            let is_room = found.words.len() < 3 || kind == UnfamiliarKind::LeftOut;
            if is_room && !found.words.contains(&word) {
                found.words.push(word);
            }
        }
    }
}

/// The members that a change lacks, which every program of today writes: they are there, or what happens needs them.
fn left_out(resource: &ChangedResource<'_>, version: Option<(u64, u64)>) -> Vec<&'static str> {
    let change = &resource.change;
    let is_replaced = matches!(
        change.actions,
        ResourceActions::DeleteThenCreate
            | ResourceActions::CreateThenDelete
            | ResourceActions::CreateThenForget
            | ResourceActions::ForgetThenCreate
    );
    let has_before = is_replaced
        || matches!(
            change.actions,
            ResourceActions::Update | ResourceActions::Delete | ResourceActions::Forget
        );
    let has_after = is_replaced
        || matches!(
            change.actions,
            ResourceActions::Create | ResourceActions::Read | ResourceActions::Update
        );
    let members = [
        ("address", resource.address.is_empty()),
        ("mode", resource.mode.is_empty()),
        ("type", resource.resource_type.is_empty()),
        ("name", resource.name.is_empty()),
        ("change.before", has_before && is_null(change, |values| values.before)),
        ("change.after", has_after && is_null(change, |values| values.after)),
    ];
    members
        .into_iter()
        .chain(marks(change, version))
        .filter_map(|(name, lacks)| lacks.then_some(name))
        .collect()
}

/// Whether a document says null, or nothing, of a side.
fn is_null<'t>(change: &ValueChange<'t>, side: fn(&WrittenValues<'t>) -> Raw<'t>) -> bool {
    change.values.written().is_some_and(|values| side(values).text() == "null")
}

/// The members that say what is unknown or sensitive, and whether a change lacks them. Documents of version 0.1, before Terraform
/// 0.15, say nothing of what is sensitive.
fn marks(change: &ValueChange<'_>, version: Option<(u64, u64)>) -> [(&'static str, bool); 3] {
    let says_sensitive = version.is_none_or(|version| version > (0, 1));
    [
        ("change.after_unknown", is_null(change, |values| values.after_unknown)),
        ("change.before_sensitive", says_sensitive && is_null(change, |values| values.before_sensitive)),
        ("change.after_sensitive", says_sensitive && is_null(change, |values| values.after_sensitive)),
    ]
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(if self.address.is_empty() { "a resource" } else { &self.address }))?;
        if self.count > 1 {
            write!(f, " and {} more", self.count - 1)?;
        }
        let quoted = |word: &String| {
            let mut out = String::new();
            quote_into(word, &mut out);
            out
        };
        let words: Vec<String> = self.words.iter().map(quoted).collect();
        let kind = match self.kind {
            UnfamiliarKind::LeftOut => return write!(f, ": {} missing", words.join(", ")),
            UnfamiliarKind::Actions => "action",
            UnfamiliarKind::Reason | UnfamiliarKind::Deferral => "reason",
            UnfamiliarKind::Mode => "mode",
            UnfamiliarKind::Event => "trigger",
        };
        let plural = if words.len() == 1 { "" } else { "s" };
        write!(f, ": unknown {kind}{plural} {}", words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_without_what_is_hidden_in_them() {
        let unfamiliar = UnknownKind {
            kind: UnfamiliarKind::Actions,
            words: vec!["archive\u{9b}31m".into()],
            address: "a.\u{202e}b\u{1b}[2J".into(),
            count: 1,
        };
        let shown = r#"a.\u202eb\x1b[2J: unknown action "archive\u009b31m""#;
        assert_eq!(unfamiliar.to_string(), shown);
    }
}
