//! Folds the changes of a diff that are at ignored paths.

use super::{CollectionPart, Diff, DiffAction, Kind, Parts};
use crate::ignore::Matching;

/// Folds what is ignored in the diff of an object, and says whether that is all that changes there. Nothing that forces a
/// replacement is folded.
pub(crate) fn fold_ignored(diff: &mut Diff<'_>, at: &Matching<'_>) -> bool {
    if at.is_empty() {
        return false;
    }
    let (is_any, is_all) = match &mut diff.kind {
        Kind::Object { attributes: parts, .. } | Kind::Map { elements: parts, .. } => named(parts, at),
        Kind::List { elements, .. } => elements_of(elements, at, false),
        Kind::Set { elements, .. } => elements_of(elements, at, true),
        Kind::Shown { value, .. } => return fold_ignored(value, at),
        Kind::Block(block) => {
            let (mut is_any, mut is_all) = named(&mut block.attributes, at);
            for ty in &mut block.blocks {
                let inside = at.member(&ty.name);
                let unknown = ty.unknown.iter_mut().filter(|unknown| unknown.action != DiffAction::NoOp);
                for unknown in unknown {
                    is_any = true;
                    // How many blocks there will be is unknown: only a path of all of them covers that.
                    is_all &= inside.is_none() && hide(unknown);
                }
                let (any, all) = match &inside {
                    Some(inside) if ty.blocks.names().next().is_some() => named(&mut ty.blocks, inside),
                    // The one block of a type without several is at the path of the type; so is each of a list or set, as
                    // far as a path names no position.
                    Some(inside) => elements_of(&mut ty.blocks, inside, false),
                    None => each(&mut ty.blocks, |_, _| None),
                };
                (is_any, is_all) = (is_any || any, is_all && all);
            }
            (is_any, is_all)
        }
        _ => return false,
    };
    is_any && is_all && diff.action == DiffAction::Update && !diff.replace
}

/// Whether anything changes in the parts, and whether all of that is ignored.
type Changes = (bool, bool);

fn named<'t, T: CollectionPart<'t>>(parts: &mut Parts<'t, T>, at: &Matching<'_>) -> Changes {
    let names: Vec<_> = parts.names().collect();
    each(parts, |index, _| at.member(&names[index]))
}

fn elements_of<'t, T: CollectionPart<'t>>(
    parts: &mut Parts<'t, T>,
    at: &Matching<'_>,
    is_set: bool,
) -> Changes {
    // Positions are those after the change, and of an element that goes the one before.
    let (mut before, mut after) = (0, 0);
    each(parts, |_, action| {
        let position = if action == DiffAction::Delete { before } else { after };
        before += usize::from(action != DiffAction::Create);
        after += usize::from(action != DiffAction::Delete);
        at.element(position, is_set)
    })
}

fn each<'t, 'm, T: CollectionPart<'t>>(
    parts: &mut Parts<'t, T>,
    mut at: impl FnMut(usize, DiffAction) -> Option<Matching<'m>>,
) -> Changes {
    let (mut is_any, mut is_all) = (false, true);
    for index in 0..parts.len() {
        let action = parts.action(index);
        let at = at(index, action);
        if action == DiffAction::NoOp || at.as_ref().is_some_and(Matching::is_empty) {
            is_any |= action != DiffAction::NoOp;
            is_all &= action == DiffAction::NoOp;
            continue;
        }
        is_any = true;
        let part = parts.get_mut(index).diff_mut();
        let is_ignored = at.is_none_or(|at| fold_ignored(part, &at));
        is_all &= is_ignored && hide(part);
    }
    (is_any, is_all)
}

/// Hides a part, unless it forces a replacement.
fn hide(part: &mut Diff<'_>) -> bool {
    if part.forces_replacement() {
        return false;
    }
    (part.hidden, part.ignored) = (true, true);
    true
}

impl Diff<'_> {
    /// Whether this or a part of it forces a replacement.
    fn forces_replacement(&self) -> bool {
        fn any<'t, T: CollectionPart<'t>>(parts: &Parts<'t, T>) -> bool {
            parts.iter().any(|part| part.diff().forces_replacement())
        }
        let is_inside = match &self.kind {
            Kind::Object { attributes: parts, .. } | Kind::Map { elements: parts, .. } => any(parts),
            Kind::List { elements, .. } | Kind::Set { elements, .. } => any(elements),
            Kind::Json { value, .. } | Kind::Yaml { value } | Kind::Shown { value, .. } => {
                value.forces_replacement()
            }
            Kind::Block(block) => {
                any(&block.attributes)
                    || block.blocks.iter().any(|ty| {
                        ty.unknown.as_ref().is_some_and(Self::forces_replacement) || any(&ty.blocks)
                    })
            }
            _ => false,
        };
        self.replace || is_inside
    }
}
