//! Decides whether a value is hidden: by sensitive marks, or because it is unknown.

use crate::diff::{Diff, DiffAction, Kind, Sensitivity};
use crate::walk::{Change, Unknown};

/// The diff of a value that must not be shown, if this is one.
///
/// `value` diffs the value without the mark: only what happens to it is kept.
pub(super) fn sensitive<'v, 't>(
    change: &Change<'v, 't>,
    value: impl FnOnce(&Change<'v, 't>) -> Diff<'t>,
) -> Option<Diff<'t>> {
    let (action, marks, shown) = sensitivity(change, value)?;
    let kind = match change.dialect.shows_sensitive() {
        true => Kind::Shown { marks, value: Box::new(shown) },
        false => Kind::Sensitive(marks),
    };
    Some(Diff::new(action, kind).replacing(change.forces_replacement()))
}

/// The diff of a block that must not be shown, if this is one.
pub(super) fn sensitive_block<'v, 't>(
    change: &Change<'v, 't>,
    value: impl FnOnce(&Change<'v, 't>) -> Diff<'t>,
) -> Option<Diff<'t>> {
    let (action, marks, _) = sensitivity(change, value)?;
    Some(Diff::new(action, Kind::SensitiveBlock(marks)).replacing(change.forces_replacement()))
}

/// The marks of a whole block type; `None` if it has none.
pub(super) fn sensitivity_of(change: &Change<'_, '_>) -> Option<Sensitivity> {
    let (before, after) = (change.is_before_sensitive(), change.is_after_sensitive());
    (before || after).then_some(Sensitivity { before, after, unchanged: false, whole_type: false })
}

/// The marks of a type that apply to a block with this action: those of the sides that it has.
pub(super) fn marks_for(action: DiffAction, marks: Sensitivity) -> Option<Sensitivity> {
    let Sensitivity { before, after, unchanged, whole_type } = marks;
    // A created block has no mark of before, a deleted one none of after.
    let (before, after) = match action {
        DiffAction::Create => (false, after),
        DiffAction::Delete => (before, false),
        DiffAction::NoOp | DiffAction::Update => (before, after),
    };
    (before || after).then_some(Sensitivity { before, after, unchanged, whole_type })
}

/// A block whose type is marked: it must not be shown, but does the same to the block around it. Marks of its own say
/// no more then.
pub(super) fn block_of_marked_type<'t>(diff: Diff<'t>, marks: Option<Sensitivity>) -> Diff<'t> {
    let Some(mut sensitivity) = marks.and_then(|marks| marks_for(diff.action, marks)) else { return diff };
    sensitivity.unchanged = diff.action == DiffAction::NoOp;
    sensitivity.whole_type = true;
    let changes = sensitivity.unchanged && sensitivity.before != sensitivity.after;
    let action = if changes { DiffAction::Update } else { diff.action };
    Diff { action, kind: Kind::SensitiveBlock(sensitivity), ..diff }
}

/// The action and marks of a hidden value, and the diff behind them; `None` if it is not hidden.
fn sensitivity<'v, 't>(
    change: &Change<'v, 't>,
    value: impl FnOnce(&Change<'v, 't>) -> Diff<'t>,
) -> Option<(DiffAction, Sensitivity, Diff<'t>)> {
    let (before, after) = (change.is_before_sensitive(), change.is_after_sensitive());
    if !before && !after {
        return None;
    }
    let shown = value(&change.without_sensitivity());
    let inner = shown.action;
    let unchanged = inner == DiffAction::NoOp;
    // A mark that comes or goes is a change of its own, unless there is nothing to hide.
    let is_there = !change.is_null() || change.before_explicit || change.after_explicit;
    let action = if unchanged && before != after && is_there { DiffAction::Update } else { inner };
    Some((action, Sensitivity { before, after, unchanged, whole_type: false }, shown))
}

/// The diff of a value that is not known until the change has been applied, if this is one.
///
/// `old` diffs the old value as it goes; `parts` of it are not deleted but become unknown themselves.
pub(super) fn unknown<'v, 't>(
    change: &Change<'v, 't>,
    parts: Unknown<'v, 't>,
    old: impl FnOnce(&Change<'v, 't>) -> Diff<'t>,
) -> Option<Diff<'t>> {
    if !change.is_unknown() {
        return None;
    }
    // Unknown counts as present, so a value from nothing to unknown is a creation.
    let after = Change { after_explicit: true, ..change.clone() };
    let before = (!change.before.is_null()).then(|| Box::new(old(&change.becoming_unknown(parts))));
    let diff = Diff::new(after.leaf_action(), Kind::Unknown { before });
    Some(diff.replacing(change.forces_replacement()))
}
