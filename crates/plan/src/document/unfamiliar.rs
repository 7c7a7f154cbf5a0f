//! Words of documents that are not known here: a newer program has written them.

use std::fmt;

use super::{ChangedResource, Document, Plan, ResourceActions};

/// Words of one kind that are not known here. What they stand for is shown as the document has it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfamiliar {
    /// What they are.
    pub kind: UnfamiliarKind,
    /// The words, each once, the first few of them.
    pub words: Vec<String>,
    /// The address of the first resource or action that has one of them.
    pub address: String,
    /// How many resources or actions have one of them.
    pub count: usize,
}

/// What words that are not known are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnfamiliarKind {
    /// What happens to a resource.
    Actions,
    /// That it is not said what happens to a resource; there are no words.
    NoActions,
    /// Why it happens.
    Reason,
    /// Why it is left to the next plan.
    Deferral,
    /// What kind of resource it is.
    Mode,
    /// The event that triggers an action.
    Event,
}

const KINDS: [UnfamiliarKind; 6] = [
    UnfamiliarKind::Actions,
    UnfamiliarKind::NoActions,
    UnfamiliarKind::Reason,
    UnfamiliarKind::Deferral,
    UnfamiliarKind::Mode,
    UnfamiliarKind::Event,
];

const REASONS: [&str; 16] = [
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
    "delete_because_enabled_false",
    "read_because_config_unknown",
    "read_because_dependency_pending",
    "read_because_check_nested",
    "forgot_because_lifecycle_destroy_in_state",
    "forgot_because_lifecycle_destroy_in_config",
];

const DEFERRALS: [&str; 7] = [
    "",
    "unknown",
    "instance_count_unknown",
    "resource_config_unknown",
    "provider_config_unknown",
    "deferred_prereq",
    "absent_prereq",
];

const MODES: [&str; 4] = ["", "managed", "data", "ephemeral"];

impl Document<'_> {
    /// What of it is not known here, one entry for each kind of words.
    ///
    /// ```
    /// use objchange_plan::Document;
    ///
    /// let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"a.b","change":{"actions":["archive"]}}]}"#;
    /// let unfamiliar = Document::parse(plan)?.unfamiliar();
    /// assert_eq!(unfamiliar[0].to_string(), "a.b: the actions \"archive\" are not known");
    /// # Ok::<(), objchange_plan::DocumentError>(())
    /// ```
    pub fn unfamiliar(&self) -> Vec<Unfamiliar> {
        let mut found = Found::default();
        match self {
            Self::Plan(plan) => found.plan(plan),
            Self::State(state) => {
                for resource in &state.resources {
                    found.word(UnfamiliarKind::Mode, &MODES, &resource.mode, &resource.address);
                }
            }
        }
        found.0.into_iter().flatten().collect()
    }
}

#[derive(Default)]
struct Found([Option<Unfamiliar>; KINDS.len()]);

impl Found {
    fn plan(&mut self, plan: &Plan<'_>) {
        let deferred = plan.deferred_changes.iter().map(|deferred| &deferred.resource);
        for resource in plan.resource_changes.iter().chain(&plan.resource_drift).chain(deferred) {
            self.resource(resource);
        }
        for deferred in &plan.deferred_changes {
            let address = &deferred.resource.address;
            self.word(UnfamiliarKind::Deferral, &DEFERRALS, &deferred.reason, address);
        }
        for output in &plan.output_changes {
            self.actions(output.change.actions, &output.name);
        }
        for invocation in &plan.action_invocations {
            if let Some(trigger) = invocation.trigger.as_ref().filter(|trigger| trigger.time().is_none()) {
                self.note(UnfamiliarKind::Event, &trigger.event, &invocation.address);
            }
        }
    }

    fn resource(&mut self, resource: &ChangedResource<'_>) {
        let address = &resource.address;
        self.actions(resource.change.actions, address);
        self.word(UnfamiliarKind::Mode, &MODES, &resource.mode, address);
        if let Some(reason) = &resource.action_reason {
            self.word(UnfamiliarKind::Reason, &REASONS, reason, address);
        }
    }

    fn actions(&mut self, actions: ResourceActions, address: &str) {
        if actions == ResourceActions::UNSAID {
            self.note(UnfamiliarKind::NoActions, "", address);
        } else if let ResourceActions::Unknown(words) = actions {
            self.note(UnfamiliarKind::Actions, &words.join(", "), address);
        }
    }

    fn word(&mut self, kind: UnfamiliarKind, known: &[&str], word: &str, address: &str) {
        if !known.contains(&word) {
            self.note(kind, word, address);
        }
    }

    fn note(&mut self, kind: UnfamiliarKind, word: &str, address: &str) {
        let Some(index) = KINDS.iter().position(|other| *other == kind) else { return };
        let found = self.0[index].get_or_insert_with(|| Unfamiliar {
            kind,
            words: Vec::new(),
            address: address.to_owned(),
            count: 0,
        });
        found.count += 1;
        if found.words.len() < 3 {
            let word: String = word.chars().take(64).collect();
            if !found.words.contains(&word) {
                found.words.push(word);
            }
        }
    }
}

impl fmt::Display for Unfamiliar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)?;
        if self.count > 1 {
            write!(f, " and {} more", self.count - 1)?;
        }
        if self.kind == UnfamiliarKind::NoActions {
            return f.write_str(": it is not said what happens");
        }
        let words: Vec<String> = self.words.iter().map(|word| format!("{word:?}")).collect();
        let (kind, verb) = match (self.kind, words.len()) {
            (UnfamiliarKind::Actions | UnfamiliarKind::NoActions, _) => ("actions", "are"),
            (UnfamiliarKind::Reason | UnfamiliarKind::Deferral, 1) => ("reason", "is"),
            (UnfamiliarKind::Reason | UnfamiliarKind::Deferral, _) => ("reasons", "are"),
            (UnfamiliarKind::Mode, 1) => ("mode", "is"),
            (UnfamiliarKind::Mode, _) => ("modes", "are"),
            (UnfamiliarKind::Event, 1) => ("trigger", "is"),
            (UnfamiliarKind::Event, _) => ("triggers", "are"),
        };
        write!(f, ": the {kind} {} {verb} not known", words.join(", "))
    }
}
