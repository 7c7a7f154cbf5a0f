//! The sections of a plan.

use std::rc::Rc;

use objchange::schema::Block;
use serde::{Deserialize, Serialize};

use super::actions::{self, Actions, ReportAction};
use super::entries::Entries;
use super::header::{self, ChangeContext, ResourceHeader, previous_address};
use super::ignored::IgnoredChanges;
use super::sides::{Relevant, diff_resource};
use super::{
    Counts, Filter, Note, Outcome, OutputHeader, PlanMode, Report, ReportEntry, Schemas, Section, ShowError,
};
use crate::diff;
use crate::diff::{Diff, DiffAction, Folding, fold, fold_ignored, fold_recomputed};
use crate::ignore::IgnoredPaths;
use crate::ignored_update::IgnoredUpdates;
use crate::novelty::Novelty;
use crate::options::Options;
use crate::walk::{Dialect, Paths, Sides};
use objchange_document::ChangeSet;
use objchange_document::Program;
use objchange_document::changes::{ActionInvocation, ResourceActions, TriggerTime};
use objchange_document::changes::{ChangedResource, OutputChange};
use objchange_document::{DocumentError, StatedMarks};

/// The numbers of resources that a plan imports, adds, changes and destroys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Imported, whatever else happens to them.
    pub import: usize,
    /// Created, including replacements.
    pub add: usize,
    /// Updated in-place.
    pub change: usize,
    /// Destroyed, including replacements.
    pub destroy: usize,
    /// No longer managed, and not destroyed, including replacements. Only OpenTofu counts them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forget: usize,
    /// Actions that are invoked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub invoke: usize,
    /// Only resources that were chosen are counted.
    pub of_selection: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The actions that are explained above a plan in which they occur.
const LEGEND: [ResourceActions; 6] = [
    ResourceActions::Create,
    ResourceActions::Update,
    ResourceActions::Delete,
    ResourceActions::DeleteThenCreate,
    ResourceActions::CreateThenDelete,
    ResourceActions::Read,
];

/// The order of OpenTofu's legend.
const OPENTOFU_LEGEND: [ResourceActions; 8] = [
    ResourceActions::Create,
    ResourceActions::Update,
    ResourceActions::Delete,
    ResourceActions::DeleteThenCreate,
    ResourceActions::CreateThenDelete,
    ResourceActions::Read,
    ResourceActions::ForgetThenCreate,
    ResourceActions::Forget,
];

/// The report of a plan, its sections in the order of the page.
pub(super) fn report<'p, 't>(
    differ: Differ<'p, 't>,
    stated: Option<StatedMarks<'t>>,
    mode: PlanMode,
    filter: &Filter,
) -> Result<Report<'p>, ShowError> {
    // Terraform's own marks decide which entries there are, so that all formats have the same.
    let stated = Rc::new(stated);
    let Differ { changes: set, program, .. } = differ;
    let wanted = |r: &ChangedResource<'_>| filter.matches_change(r);
    let only_drift = filter.is_only_drift();
    let shows_all_drift = mode == PlanMode::RefreshOnly || only_drift;
    // A plan that only refreshes has nothing else to show.
    let hides_drift = filter.is_without_drift() && mode != PlanMode::RefreshOnly;
    let paths = Rc::new(IgnoredPaths::new(filter.ignored()));
    let updates = IgnoredUpdates::new(set, &paths);
    let part = |all: Vec<&'p ChangedResource<'t>>| differ.part_ignored(all, &updates);
    let all_drifted = set.drift.iter().filter(|r| wanted(r)).collect();
    let (drifted, ignored_drift) = part(all_drifted)?;
    let drift = differ.drift(shows_all_drift, drifted.clone(), &stated, &paths)?;
    let has_drift = !drift.is_empty();
    let (drift, drifted, ignored_drift) = match hides_drift {
        true => (Entries::default(), Vec::new(), Vec::new()),
        false => (drift, drifted, ignored_drift),
    };
    // OpenTofu defers no changes, and a report of drift alone has none.
    let all_deferred = if program.is_opentofu() || only_drift { &[][..] } else { &set.deferred };
    let deferred: Vec<_> = all_deferred.iter().filter(|d| wanted(&d.resource)).collect();
    let is_shown = |r: &&ChangedResource<'_>| !only_drift && header::is_shown(r) && wanted(r);
    let (changes, ignored_updates) = part(set.resources.iter().filter(is_shown).collect())?;
    let mut ignored_outputs = Vec::new();
    let (mut changed_outputs, mut unchanged_outputs) = (Vec::new(), Vec::new());
    // A filter selects resources, so outputs would be noise.
    for output in set.outputs.iter().filter(|_| filter.is_all()) {
        match differ.output(output, None)?.action {
            DiffAction::NoOp => unchanged_outputs.push(output.name.clone()),
            _ if updates.has_output(output)? => ignored_outputs.push(output.name.clone()),
            _ => changed_outputs.push(output),
        }
    }
    let mut actions = Actions::new(set, program, &changes, filter);
    let (invoked, invocations) = actions.take_lists();
    let is_idle = changes.is_empty() && invocations.is_empty();
    let has_changes = changes.iter().any(|r| r.change.actions != ResourceActions::NoOp);
    let has_outputs = !changed_outputs.is_empty();
    let is_any_ignored = !ignored_updates.is_empty() || !ignored_outputs.is_empty();
    let outcome = match (is_idle, filter.is_all()) {
        (true, _) if is_any_ignored && !has_outputs && !set.errored => Some(Outcome::OnlyIgnored),
        (true, false) if only_drift && has_drift => None,
        (true, false) => Some(Outcome::NoChangeMatches),
        (true, true) if !has_outputs => outcome(differ, mode, has_drift),
        _ => None,
    };
    let lacks_schemas = differ.dialect.is_own_format() && {
        let mut listed = changes.iter().chain(&drifted).copied().chain(deferred.iter().map(|d| &d.resource));
        listed.any(|resource| !resource.is_builtin() && !differ.schemas.has_change(resource))
    };
    let legend: &[_] = if program.is_opentofu() { &OPENTOFU_LEGEND } else { &LEGEND };
    let legend = legend
        .iter()
        .copied()
        .filter(|actions| changes.iter().any(|r| r.change.actions == *actions))
        .collect();
    // Refresh-only plans list pure moves as drift (Terraform 1.11.4).
    let really_drifted = |r: &&ChangedResource<'_>| r.change.actions != ResourceActions::NoOp;
    let drifted: Vec<_> = drifted.into_iter().filter(really_drifted).collect();
    // Terraform 1.15 does not print deferred actions. They are listed here, because gates count them.
    let has_actions = Novelty::ActionInvocations.is_in(program) && !only_drift;
    let deferred_actions = set.deferred_invocations.iter().filter(|deferred| {
        has_actions && filter.matches_action(&deferred.invocation.address, &deferred.invocation.action_type)
    });
    let counts = Counts {
        defer: deferred.len() + deferred_actions.count(),
        invoke: invocations.len(),
        outputs: changed_outputs.len(),
        drift: drifted.len(),
        ..Counts::from_changes(changes.iter().copied())
    };
    // Terraform prints the line of counts even if a plan only invokes actions (1.14 and later).
    let of_selection = !filter.is_all();
    let summary = (!is_idle).then(|| counts.summary(program, of_selection));

    // The order of `terraform show`: drift, outcome, deferred, legend, changes, counts, actions, outputs, notes.
    let mut sections = vec![Section::ResourceDrift(drift)];
    sections.extend(outcome.map(Section::Outcome));
    let (marks, folded) = (Rc::clone(&stated), Rc::clone(&paths));
    sections.push(Section::DeferredChanges(Entries::new(
        deferred,
        move |d| header::header(&d.resource, &ChangeContext::Deferral(d.reason.clone()), differ.dialect),
        move |d| Ok(Some(differ.folded(&d.resource, Option::as_ref(&marks), &folded)?)),
    )));
    sections.extend(has_changes.then_some(Section::Legend(legend)));
    let (marks, folded) = (Rc::clone(&stated), Rc::clone(&paths));
    sections.push(Section::ResourceChanges(Entries::new(
        changes,
        move |r| header::planned(r, set.predicted, differ.dialect),
        move |r| differ.change(r, &actions, Option::as_ref(&marks), &folded).map(Some),
    )));
    sections.extend(summary.map(Section::Summary));
    sections.push(Section::InvokedActions(Entries::new(
        invoked,
        move |invocation| actions::header(invocation, program),
        move |invocation| differ.action(invocation).map(Some),
    )));
    let (marks, folded) = (Rc::clone(&stated), Rc::clone(&paths));
    sections.push(Section::OutputChanges {
        changed: Entries::new(
            changed_outputs,
            |output| OutputHeader { name: output.name.clone(), actions: Some(output.change.actions) },
            move |output| {
                let mut diff = differ.output(output, Option::as_ref(&marks))?;
                let at = folded.start(&[]);
                let at = ["output", &*output.name].iter().try_fold(at, |at, name| at.member(name));
                at.iter().for_each(|at| _ = fold_ignored(&mut diff, at));
                Ok(Some(diff))
            },
        ),
        unchanged: unchanged_outputs,
    });
    // Terraform 1.11 prints it only if no resource has an action.
    sections.extend((has_outputs && !has_changes).then(|| Section::Notes(vec![Note::SavesOutputsOnly])));
    let (marks, drift_marks, folded) = (Rc::clone(&stated), Rc::clone(&stated), Rc::clone(&paths));
    let ignored = (!paths.is_empty()).then(|| IgnoredChanges {
        paths: filter.ignored().iter().map(ToString::to_string).collect(),
        // Their diffs show what is ignored, for those who want to look.
        updates: Entries::new(
            ignored_updates,
            move |r| header::planned(r, set.predicted, differ.dialect),
            move |r| differ.resource(r, Option::as_ref(&marks)).map(Some),
        ),
        drift: Entries::new(
            ignored_drift,
            move |r| header::header(r, &ChangeContext::Drift, differ.dialect),
            move |r| differ.resource(r, Option::as_ref(&drift_marks)).map(Some),
        ),
        outputs: ignored_outputs,
    });
    Ok(Report {
        program,
        mode,
        errored: set.errored,
        applyable: set.applyable,
        complete: set.complete,
        predicted: set.predicted,
        counts,
        no_state: None,
        // Changes do not say it.
        missing: Vec::new(),
        lacks_schemas,
        of_selection,
        drift: Entries::new(
            drifted,
            move |r| header::header(r, &ChangeContext::Drift, differ.dialect),
            move |r| differ.folded(r, Option::as_ref(&stated), &folded).map(Some),
        ),
        ignored,
        invocations,
        checks: if filter.is_all() { set.checks.clone() } else { Vec::new() },
        schemas: differ.schemas.origins(),
        sections,
    })
}

/// The outcome of a plan without changes.
fn outcome(differ: Differ<'_, '_>, mode: PlanMode, has_drift: bool) -> Option<Outcome> {
    let Differ { changes, program, .. } = differ;
    let is_opentofu = program.is_opentofu();
    Some(match mode {
        // Errors and deferrals come before the mode: their messages are the same in all modes.
        _ if changes.errored => Outcome::PlanningFailed,
        _ if !changes.deferred.is_empty() && !is_opentofu => Outcome::NeedsAnotherPlan,
        _ if changes.lacks_input => Outcome::NeedsAnotherPlan,
        PlanMode::Destroy => Outcome::NothingToDestroy,
        // Terraform ends after the explanation of the drift.
        PlanMode::RefreshOnly if has_drift => return None,
        PlanMode::RefreshOnly => Outcome::StillMatches,
        PlanMode::Normal if !has_drift => Outcome::Matches,
        // OpenTofu does not apply a plan without changes.
        PlanMode::Normal if changes.applyable.unwrap_or_default() && !is_opentofu => {
            Outcome::MatchesDriftSaved
        }
        PlanMode::Normal => Outcome::MatchesDriftUnsaved,
    })
}

/// The context in which the bodies of entries are made.
#[derive(Clone, Copy)]
pub(super) struct Differ<'p, 't> {
    pub(super) changes: &'p ChangeSet<'t>,
    pub(super) schemas: &'p Schemas,
    pub(super) program: Program,
    pub(super) dialect: Dialect,
    pub(super) full: bool,
}

impl<'p, 't> Differ<'p, 't> {
    fn body(
        self,
        resource: &'p ChangedResource<'_>,
        schema: Option<&'p Block>,
        relevant: Option<Paths<'_, 'p>>,
        stated: Option<&StatedMarks<'_>>,
    ) -> Result<Diff<'p>, DocumentError> {
        let diff = diff_resource(self.changes.document.0, resource, schema, relevant, stated, self.dialect)?;
        let mut diff = shown(resource, diff, self.folding());
        if self.dialect.is_own_format() && !self.full && resource.change.actions.is_replacement() {
            fold_recomputed(&mut diff, schema);
        }
        Ok(diff)
    }

    fn folding(self) -> Folding {
        Folding { full: self.full, own_format: self.dialect.is_own_format() }
    }

    fn resource(
        self,
        resource: &'p ChangedResource<'t>,
        stated: Option<&StatedMarks<'_>>,
    ) -> Result<Diff<'p>, ShowError> {
        let schema = self.schemas.of_change(resource)?;
        Ok(self.body(resource, schema, None, stated)?)
    }

    /// The difference in a resource, with what is ignored in it folded.
    fn folded(
        self,
        resource: &'p ChangedResource<'t>,
        stated: Option<&StatedMarks<'_>>,
        ignored: &IgnoredPaths,
    ) -> Result<Diff<'p>, ShowError> {
        let mut diff = self.resource(resource, stated)?;
        fold_ignored(&mut diff, &ignored.start(&[&resource.address]));
        Ok(diff)
    }

    /// The changes that are shown and counted, and those that update ignored paths alone.
    fn part_ignored(
        self,
        all: Vec<&'p ChangedResource<'t>>,
        updates: &IgnoredUpdates<'_>,
    ) -> Result<(Vec<&'p ChangedResource<'t>>, Vec<&'p ChangedResource<'t>>), ShowError> {
        if updates.is_none() {
            return Ok((all, Vec::new()));
        }
        let (mut shown, mut ignored) = (Vec::with_capacity(all.len()), Vec::new());
        for resource in all {
            let schema = self.schemas.of_change(resource)?;
            match updates.has_resource(resource, schema, &[&resource.address])? {
                true => ignored.push(resource),
                false => shown.push(resource),
            }
        }
        Ok((shown, ignored))
    }

    fn action(self, invocation: &'p ActionInvocation<'t>) -> Result<Diff<'p>, ShowError> {
        actions::configuration(self.changes.document.0, invocation, self.schemas, self.dialect)
    }

    /// A change, with the actions that it triggers.
    fn change(
        self,
        resource: &'p ChangedResource<'t>,
        actions: &Actions<'p, 't>,
        stated: Option<&StatedMarks<'_>>,
        ignored: &IgnoredPaths,
    ) -> Result<ReportEntry<'p, ()>, ShowError> {
        let action = |invocation: &'p ActionInvocation<'t>| -> Result<ReportAction<'p>, ShowError> {
            let configuration = self.action(invocation)?;
            Ok(ReportEntry::new(actions::header(invocation, self.program), configuration))
        };
        let invoked = |time| actions.of_change(&resource.address, time).map(action).collect::<Result<_, _>>();
        Ok(ReportEntry {
            actions_before: invoked(TriggerTime::Before)?,
            actions_after: invoked(TriggerTime::After)?,
            ..self.folded(resource, stated, ignored)?.into()
        })
    }

    fn output(
        self,
        output: &'p OutputChange<'t>,
        stated: Option<&StatedMarks<'_>>,
    ) -> Result<Diff<'p>, ShowError> {
        let name = &output.name;
        let mut sides =
            Sides::read(self.changes.document.0, &output.change.values, || format!("output_changes.{name}"))?;
        if let Some(stated) = stated {
            sides = sides.hiding(stated.output_view(name));
        }
        let mut diff = diff::output(sides.change(&sides.replaced(), self.dialect));
        fold(&mut diff, self.folding());
        Ok(diff)
    }

    /// The resources that have changed outside of Terraform, all or as far as that matters to this plan.
    fn drift(
        self,
        all: bool,
        mut drifted: Vec<&'p ChangedResource<'t>>,
        stated: &Rc<Option<StatedMarks<'t>>>,
        ignored: &Rc<IgnoredPaths>,
    ) -> Result<Entries<'p, ResourceHeader<'p>>, ShowError> {
        // Only drift that the plan's changes may come from is shown, unless the plan only refreshes.
        let outside = Self { dialect: self.dialect.of_drift(), ..self };
        let relevant = (!all).then(|| Relevant::new(self.changes));
        let (stated, ignored) = (Rc::clone(stated), Rc::clone(ignored));
        let relevant_body = move |resource: &'p ChangedResource<'t>| -> Result<Option<Diff<'p>>, ShowError> {
            let schema = self.schemas.of_change(resource)?;
            let body = |stated| {
                let relevant = relevant.as_ref().map(|relevant| relevant.of_resource(&resource.address));
                outside.body(resource, schema, relevant, stated)
            };
            let diff = body(None)?;
            if !all && diff.action == DiffAction::NoOp {
                return Ok(None);
            }
            let mut diff = if stated.is_some() { body(Option::as_ref(&stated))? } else { diff };
            fold_ignored(&mut diff, &ignored.start(&[&resource.address]));
            Ok(Some(diff))
        };
        if !all {
            // The first relevant entry is enough to know that the section exists; others are diffed when they are
            // printed.
            let mut first = None;
            for (index, resource) in drifted.iter().enumerate() {
                if relevant_body(resource)?.is_some() {
                    first = Some(index);
                    break;
                }
            }
            match first {
                Some(first) if outside.has_difference()? => drop(drifted.drain(..first)),
                // Terraform shows no drift at all if nothing but drift differs.
                _ => drifted.clear(),
            }
        }
        let header = move |r| header::header(r, &ChangeContext::Drift, self.dialect);
        Ok(Entries::new(drifted, header, relevant_body))
    }

    /// Whether anything moves, or differs by its values whatever its action says.
    fn has_difference(self) -> Result<bool, ShowError> {
        for resource in &self.changes.resources {
            if previous_address(resource).is_some() {
                return Ok(true);
            }
            // Most are the same text, which costs less than a diff.
            let is_same = resource.change.values.written().is_some_and(|values| {
                values.before.text() == values.after.text()
                    && values.before_sensitive.text() == values.after_sensitive.text()
                    && !values.after_unknown.text().contains("true")
            });
            if !is_same && self.resource(resource, None)?.action != DiffAction::NoOp {
                return Ok(true);
            }
        }
        for output in &self.changes.outputs {
            if self.output(output, None)?.action != DiffAction::NoOp {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The body of a resource, with what of it is shown.
pub(super) fn shown<'p>(resource: &ChangedResource<'_>, mut diff: Diff<'p>, folding: Folding) -> Diff<'p> {
    // An import shows all unchanged attributes, because the user has not seen the object yet.
    let full = folding.full || resource.change.importing.is_some();
    fold(&mut diff, Folding { full, ..folding });
    diff.hidden = header::is_unchanged(resource);
    diff
}

/// The entry of one element of `resource_changes`, in the schema of its type.
pub(crate) fn entry<'p>(
    document: &str,
    resource: &'p ChangedResource<'_>,
    schema: Option<&'p Block>,
    options: &Options,
) -> Result<ReportEntry<'p, ResourceHeader<'p>>, ShowError> {
    let dialect = super::dialect_of(options.program.unwrap_or_default(), options);
    let diff = diff_resource(document, resource, schema, None, None, dialect)?;
    let diff = shown(resource, diff, Folding { full: options.full, own_format: options.own_format });
    Ok(ReportEntry::new(header::header(resource, &ChangeContext::Change, dialect), diff))
}
