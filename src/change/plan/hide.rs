//! Taking out of what is said about a plan what must not be shown.
//!
//! A provider sees no marks, and so what is wrong with its plan is found among values without marks. Where the
//! prior object, the configuration or the answer was marked, the values in what is found are marked again.

use std::cell::LazyCell;

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::carried::Carried;
use super::{PlanViolation, Sides};
use crate::change::InvalidPlan;
use crate::schema::Block;
use crate::value::{Marks, Path, PathStep, SENSITIVE, TypeMismatch, TypeMismatchKind, Value, nameless};

/// What must not be shown: what stands where values are marked, and what stood under a mark before.
pub(super) struct Hidden<'a, F: FnOnce() -> Places> {
    schema: &'a Block,
    carried: &'a Carried,
    places: LazyCell<Places, F>,
}

/// Where marked values stand.
///
/// Elements count as the same whatever their keys: what stands at one index before may stand at another one
/// after, and the elements of a set have no place of their own. So there are no more places than the schema has.
pub(super) struct Places(HashSet<Vec<Option<SmolStr>>>);

/// What must not be shown of what is said about a plan.
pub(super) fn hidden<'a>(
    sides: &'a Sides<'a>,
    answers_marks: &'a [(Path, Marks)],
    after: &'a Value,
) -> Hidden<'a, impl FnOnce() -> Places> {
    let places = LazyCell::new(move || {
        let marks = [&sides.before, after].map(|value| value.unmark_deep_with_paths().1);
        Places(
            marks
                .iter()
                .flatten()
                .chain(&sides.config_marks)
                .chain(answers_marks)
                .map(|(path, _)| place(path))
                .collect(),
        )
    });
    Hidden { schema: sides.schema, carried: &sides.carried, places }
}

impl<F: FnOnce() -> Places> Hidden<'_, F> {
    /// The violation without the content of what is marked.
    pub(super) fn hide(&self, violation: PlanViolation) -> PlanViolation {
        let Some(depth) = self.depth(violation.path()) else { return self.without_carried(violation) };
        let path = self.schema.hide_keys_below(violation.path(), depth);
        match violation {
            PlanViolation::WrongType(TypeMismatch { kind, .. }) => {
                let kind = match kind {
                    TypeMismatchKind::OtherType { wanted, given } => {
                        TypeMismatchKind::OtherType { wanted, given: nameless(&given) }
                    }
                    TypeMismatchKind::UnexpectedAttribute { .. } => {
                        TypeMismatchKind::UnexpectedAttribute { name: SENSITIVE.into() }
                    }
                    kind => kind,
                };
                PlanViolation::WrongType(TypeMismatch { path, kind })
            }
            PlanViolation::WriteOnly(_) => PlanViolation::WriteOnly(path),
            PlanViolation::Invalid(invalid) => PlanViolation::Invalid(InvalidPlan {
                path,
                prior: invalid.prior.map(Value::sensitive),
                config: invalid.config.map(Value::sensitive),
                planned: invalid.planned.map(Value::sensitive),
                // It has a path of its own, and tells no more than the kind.
                unfit: None,
                ..invalid
            }),
            PlanViolation::RequiresReplaceNowhere(_) => PlanViolation::RequiresReplaceNowhere(path),
        }
    }

    /// The path without the keys of what is marked.
    pub(super) fn hide_path(&self, path: &Path) -> Path {
        match self.depth(path) {
            Some(depth) => self.schema.hide_keys_below(path, depth),
            None => self.path_without_carried(path),
        }
    }

    /// A violation where nothing is marked, in which what stood under a mark elsewhere may come out again.
    fn without_carried(&self, violation: PlanViolation) -> PlanViolation {
        let path = self.path_without_carried(violation.path());
        match violation {
            PlanViolation::Invalid(invalid) => {
                let mark = |value: Option<Value>| value.map(|value| self.carried.mark(&value));
                let (prior, config, planned) =
                    (mark(invalid.prior), mark(invalid.config), mark(invalid.planned));
                PlanViolation::Invalid(InvalidPlan { path, prior, config, planned, ..invalid })
            }
            PlanViolation::WrongType(TypeMismatch { kind, .. }) => {
                PlanViolation::WrongType(TypeMismatch { path, kind })
            }
            PlanViolation::WriteOnly(_) => PlanViolation::WriteOnly(path),
            PlanViolation::RequiresReplaceNowhere(_) => PlanViolation::RequiresReplaceNowhere(path),
        }
    }

    fn path_without_carried(&self, path: &Path) -> Path {
        let steps = path.steps().iter().map(|step| match step {
            PathStep::Index(key) => PathStep::Index(self.carried.mark(key)),
            step @ PathStep::Attribute(_) => step.clone(),
        });
        steps.collect()
    }

    /// The number of steps to the highest mark that the path leads through, or that stands below it.
    fn depth(&self, path: &Path) -> Option<usize> {
        let at = place(path);
        // An element may be addressed by an attribute step too.
        let overlap = |mark: &&Vec<Option<SmolStr>>| {
            std::iter::zip(*mark, &at).all(|(a, b)| a.is_none() || b.is_none() || a == b)
        };
        self.places.0.iter().filter(overlap).map(Vec::len).min()
    }
}

/// The attributes on a path, and nothing for each element.
fn place(path: &Path) -> Vec<Option<SmolStr>> {
    let name = |step: &PathStep| match step {
        PathStep::Attribute(name) => Some(name.clone()),
        PathStep::Index(_) => None,
    };
    path.steps().iter().map(name).collect()
}
