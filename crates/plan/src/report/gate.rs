//! Gates: conditions under which a plan is refused.

use std::fmt;
use std::str::FromStr;

use super::selection::REPLACEMENTS;
use super::{Entries, Report, Section, Selection, Unmatched};
use objchange_document::changes::{Deferred, ResourceActions};
use objchange_document::{Missing, PlanMode};
use objchange_document::{ProviderDependent, UnknownKind};

/// The conditions under which a plan is refused.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// The plan is refused if one of these happens.
    pub conditions: Vec<GateCondition>,
    /// Parts of the selection that match nothing are accepted.
    pub allow_unmatched: bool,
}

/// Something for which a plan is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateCondition {
    /// Something is created.
    Create,
    /// Something is read.
    Read,
    /// Something is updated.
    Update,
    /// Something is destroyed and not created again.
    Delete,
    /// Something is destroyed or forgotten, and created again.
    Replace,
    /// Something is no longer managed and not destroyed, also where another one is created.
    Forget,
    /// Something is moved.
    Move,
    /// Something is imported.
    Import,
    /// Something is left to the next plan.
    Defer,
    /// An action is invoked.
    Invoke,
    /// An output changes.
    Output,
    /// Something has changed outside of Terraform.
    Drift,
    /// A check has not passed: it failed, could not be evaluated, or is not known until apply.
    Check,
}

impl FromStr for GateCondition {
    type Err = &'static str;

    /// Reads its name; `destroy` is the same as `delete`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let name = if name == "destroy" { "delete" } else { name };
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or("there is no such name")
    }
}

impl GateCondition {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Create,
        Self::Read,
        Self::Update,
        Self::Delete,
        Self::Replace,
        Self::Forget,
        Self::Move,
        Self::Import,
        Self::Defer,
        Self::Invoke,
        Self::Output,
        Self::Drift,
        Self::Check,
    ];

    /// Its name, and what it means where the name does not say that.
    const fn words(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Create => ("create", None),
            Self::Read => ("read", None),
            Self::Update => ("update", None),
            Self::Delete => ("delete", Some("Destroyed and not created again; `destroy` is the same")),
            Self::Replace => ("replace", Some("Destroyed or forgotten, and created again")),
            Self::Forget => {
                ("forget", Some("No longer managed and not destroyed, also where another one is created"))
            }
            Self::Move => ("move", None),
            Self::Import => ("import", None),
            Self::Defer => ("defer", Some("Deferred to the next plan")),
            Self::Invoke => ("invoke", Some("An action is invoked")),
            Self::Output => ("output", Some("An output changes")),
            Self::Drift => ("drift", Some("A change outside of Terraform, relevant to the plan or not")),
            Self::Check => (
                "check",
                Some(
                    "A check or another condition that did not pass, also one that is not known until apply",
                ),
            ),
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// Its meaning, if the name does not say it.
    pub const fn meaning(self) -> Option<&'static str> {
        self.words().1
    }

    /// Returns the part of a selection that leaves this condition out: it refuses nothing, or not all that it names.
    fn left_out_by(self, selection: &Selection) -> Option<LeftOutBy> {
        let actions: &[&[ResourceActions]] = match self {
            Self::Create => &[&[ResourceActions::Create]],
            Self::Read => &[&[ResourceActions::Read]],
            Self::Update => &[&[ResourceActions::Update]],
            Self::Delete => &[&[ResourceActions::Delete]],
            Self::Replace => &[&REPLACEMENTS],
            Self::Forget => &[&[ResourceActions::Forget], &REPLACEMENTS],
            Self::Output | Self::Check => {
                return (!selection.filter().is_all()).then_some(LeftOutBy::Resources);
            }
            // A resource of any action may be moved, imported, left to the next plan or changed outside, or have actions to
            // invoke.
            Self::Move | Self::Import | Self::Defer | Self::Invoke | Self::Drift => &[],
        };
        if selection.drift && self != Self::Drift {
            return Some(LeftOutBy::Drift);
        }
        if selection.no_drift && self == Self::Drift {
            return Some(LeftOutBy::NoDrift);
        }
        let is_shown = match actions {
            [] => selection.actions.is_empty(),
            actions => actions.iter().any(|actions| selection.shows_any(actions)),
        };
        (!is_shown).then_some(LeftOutBy::Actions)
    }

    /// How much of this a plan has, and the words for it.
    fn count(self, report: &Report<'_>) -> (usize, &'static str) {
        let counts = &report.counts;
        match self {
            Self::Create => (counts.create, "to create"),
            Self::Read => (counts.read, "to read"),
            Self::Update => (counts.update, "to update"),
            Self::Delete => (counts.delete, "to destroy"),
            Self::Replace => (counts.replace, "to replace"),
            Self::Forget => {
                (counts.forget + counts.create_then_forget + counts.forget_then_create, "to forget")
            }
            Self::Move => (counts.r#move + moved_alone(report), "to move"),
            Self::Import => (counts.import, "to import"),
            Self::Defer => (counts.defer, "left to the next plan"),
            Self::Invoke => (counts.invoke, "to invoke"),
            Self::Output => (counts.outputs, "of outputs to change"),
            Self::Drift => (counts.drift, "changed outside"),
            Self::Check => (report.checks.len(), "of checks that did not pass"),
        }
    }
}

/// The part of a selection that leaves something out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOutBy {
    /// Only some actions are selected.
    Actions,
    /// Only changes outside of Terraform are selected.
    Drift,
    /// Changes outside of Terraform are left out.
    NoDrift,
    /// Only some resources are selected.
    Resources,
}

impl fmt::Display for LeftOutBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Actions => "the selection of actions",
            Self::Drift => "the selection of drift",
            Self::NoDrift => "the selection without drift",
            Self::Resources => "the selection of resources",
        })
    }
}

/// Why a gate cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// Parts of the selection match nothing.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Unmatched(Vec<Unmatched>),
    /// The selection leaves out changes that the condition names: the gate would miss them.
    #[error("the condition {what} misses what {by} leaves out")]
    Misses {
        /// The condition.
        what: &'static str,
        /// The part of the selection.
        by: LeftOutBy,
    },
}

impl GateError {
    /// A stable name of this sort of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unmatched(_) => "unmatched",
            Self::Misses { .. } => "misses",
        }
    }
}

/// How many objects a plan that only refreshes moves: it lists them as drift, and has no changes (Terraform 1.11.4).
fn moved_alone(report: &Report<'_>) -> usize {
    let sections = report.sections.iter().filter(|_| report.mode == PlanMode::RefreshOnly);
    let drift = sections.filter_map(|section| match section {
        Section::ResourceDrift(entries) => Some(entries),
        _ => None,
    });
    drift.flat_map(Entries::headers).filter(|header| header.previous_address.is_some()).count()
}

/// The verdict on a plan.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// The reasons why it is refused.
    pub refused: Vec<String>,
    /// Something is to be applied.
    pub changes: bool,
    /// Planning ended with an error.
    pub errored: bool,
}

impl Verdict {
    /// Refuses the plan for this reason, too.
    fn refuse(&mut self, reason: String) {
        self.refused.push(reason);
    }
}

impl Gate {
    /// Refuses a plan that was made without these inputs, and names them: with them it may do anything.
    pub fn refuse_missing(&self, verdict: &mut Verdict, missing: &[Missing]) {
        if missing.is_empty() {
            return;
        }
        let named: Vec<String> = missing.iter().map(Missing::to_string).collect();
        verdict.refuse(format!("input is missing: {}", named.join(", ")));
    }

    /// Refuses unknown actions and modes, also of outputs and of drift: they may do anything, and count as changes.
    pub fn refuse_unknown(&self, verdict: &mut Verdict, unknown: &[UnknownKind]) {
        for unknown in unknown.iter().filter(|unknown| unknown.may_do_anything()) {
            verdict.changes = true;
            if !self.conditions.is_empty() {
                verdict.refuse(unknown.to_string());
            }
        }
    }

    /// Refuses resources of which only the providers, or the workspace, could say what happens to them. Without conditions they
    /// count as changes: nobody can say that nothing changes.
    pub fn refuse_undecided(&self, verdict: &mut Verdict, deferred: &[Deferred<'_>]) {
        verdict.changes |= deferred.iter().any(Deferred::is_undecided);
        if self.conditions.is_empty() {
            return;
        }
        // Missing input is named by itself.
        let by_input = |deferred: &&Deferred<'_>| {
            [Deferred::INPUT_MISSING, Deferred::ACTION_UNKNOWN].contains(&deferred.reason.as_str())
        };
        let undecided = deferred.iter().filter(|deferred| deferred.is_undecided() && !by_input(deferred));
        let (by_workspace, by_providers): (Vec<_>, Vec<_>) =
            undecided.partition(|deferred| deferred.reason == *Deferred::WORKSPACE_UNKNOWN);
        if !by_providers.is_empty() {
            verdict.refuse(format!("{} that only the providers can decide about", by_providers.len()));
        }
        if !by_workspace.is_empty() {
            verdict.refuse(format!(
                "{} whose instances depend on the workspace, which nothing names: set TF_WORKSPACE",
                by_workspace.len()
            ));
        }
    }

    /// Refuses what only the providers could say, where they were not asked: which updates are replacements, what is done with
    /// imported objects, and drift.
    pub fn refuse_unasked(&self, verdict: &mut Verdict, unasked: &ProviderDependent) {
        let ProviderDependent { updates, imports, objects, refreshed, is_trusting, may_invoke, unread } =
            unasked;
        let has = |wanted: &GateCondition| self.conditions.contains(wanted);
        if *imports > 0 && (has(&GateCondition::Update) || has(&GateCondition::Replace)) {
            verdict.refuse(format!("{imports} to import, of which the providers may update or replace some"));
        }
        const ONLY_THEY: &str = "only they know the arguments that configuration leaves out";
        if *updates > 0 && has(&GateCondition::Update) {
            verdict.refuse(format!(
                "{updates} that the providers may replace or not change at all: {ONLY_THEY}"
            ));
        } else if *updates > 0 && has(&GateCondition::Replace) {
            verdict
                .refuse(format!("{updates} to update, of which the providers may replace some: {ONLY_THEY}"));
        }
        if *unread > 0
            && [GateCondition::Create, GateCondition::Update, GateCondition::Replace].iter().any(has)
        {
            verdict.refuse(format!(
                "{unread} that nobody has read, and that may be updated, replaced or created again if they have drifted; \
                 planning without refreshing takes them as they are in the state"
            ));
        }
        if *refreshed > 0 && (has(&GateCondition::Drift) || has(&GateCondition::Output)) {
            verdict.refuse(format!(
                "{refreshed} whose drift, and the outputs that follow from it, only the providers know"
            ));
        }
        if *objects > 0 && has(&GateCondition::Drift) {
            verdict.refuse(format!("{objects} whose drift only the providers know"));
        }
        // Each of these may follow from an update that only a strict plan shows.
        let follows = [
            GateCondition::Read,
            GateCondition::Update,
            GateCondition::Replace,
            GateCondition::Output,
            GateCondition::Check,
        ];
        let follows = |wanted: &GateCondition| {
            follows.contains(wanted) || *wanted == GateCondition::Invoke && *may_invoke
        };
        if *is_trusting && verdict.refused.is_empty() && self.conditions.iter().any(follows) {
            verdict.refuse(
                "values that only the providers know were taken as they are: plan with --strict, which says what may change"
                    .to_owned(),
            );
        }
    }

    /// Refuses conditions that miss changes, and parts of the selection that match nothing: the gate would accept plans that it
    /// has not checked.
    ///
    /// # Errors
    ///
    /// There are such conditions or options.
    pub fn check(&self, selection: &Selection, places: &[(&str, &str)]) -> Result<(), GateError> {
        for refused in &self.conditions {
            if let Some(by) = refused.left_out_by(selection) {
                return Err(GateError::Misses { what: refused.name(), by });
            }
        }
        let unmatched = if self.allow_unmatched { Vec::new() } else { selection.unmatched(places) };
        if unmatched.is_empty() { Ok(()) } else { Err(GateError::Unmatched(unmatched)) }
    }

    /// Judges a plan as it is shown.
    pub fn judge(&self, report: &Report<'_>) -> Verdict {
        let counts = &report.counts;
        let mut refused = Vec::new();
        if !self.conditions.is_empty() {
            let found = self.conditions.iter().map(|refused| refused.count(report));
            let unknown = [(counts.unknown, "with unknown actions")];
            let found = found.chain(unknown).filter(|(count, _)| *count > 0);
            refused.extend(found.map(|(count, what)| format!("{count} {what}")));
            if report.errored {
                refused.push("planning ended with an error".to_owned());
            }
        }
        let ignored = report.ignored.as_ref().filter(|ignored| !ignored.is_empty());
        // The program that wrote the plan knows what is to be applied, but not what is ignored.
        let is_applied = report.applyable.filter(|_| !report.of_selection && ignored.is_none());
        // Applying a plan may also save drift.
        let saves_drift =
            report.mode == PlanMode::RefreshOnly || ignored.is_some() && report.applyable == Some(true);
        // The providers may replace what is updated in a prediction, and a replacement is never ignored.
        let may_replace = report.predicted && ignored.is_some_and(|ignored| !ignored.updates.is_empty());
        let has_changes = counts.is_change() || saves_drift && counts.drift > 0 || may_replace;
        Verdict { refused, changes: is_applied.unwrap_or(has_changes), errored: report.errored }
    }
}
