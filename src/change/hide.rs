//! Taking out of what is said about a plan what must not be shown.
//!
//! A provider sees no marks, and so what is wrong with its plan is found among values without marks. Where the
//! prior object, the configuration or the answer was marked, the values in what is found are marked again.

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::invalid_plan::InvalidPlan;
use super::plan::PlanViolation;
use crate::schema::Block;
use crate::value::{Path, PathStep, SENSITIVE, TypeMismatch, TypeMismatchKind, Value, nameless};

/// Where marked values stand.
///
/// Elements count as the same whatever their keys: what stands at one index before may stand at another one
/// after, and the elements of a set have no place of their own. So there are no more places than the schema has.
pub(super) struct Hidden(HashSet<Vec<Option<SmolStr>>>);

impl Hidden {
    pub(super) fn new<'p>(marked: impl Iterator<Item = &'p Path>) -> Self {
        Self(marked.map(place).collect())
    }

    /// The violation without the content of what is marked.
    pub(super) fn hide(&self, schema: &Block, violation: PlanViolation) -> PlanViolation {
        let Some(depth) = self.depth(violation.path()) else { return violation };
        let path = schema.hide_keys_below(violation.path(), depth);
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
    pub(super) fn hide_path(&self, schema: &Block, path: Path) -> Path {
        match self.depth(&path) {
            Some(depth) => schema.hide_keys_below(&path, depth),
            None => path,
        }
    }

    /// The number of steps to the highest mark that the path leads through, or that stands below it.
    fn depth(&self, path: &Path) -> Option<usize> {
        let at = place(path);
        // An element may be addressed by an attribute step too.
        let overlap = |mark: &&Vec<Option<SmolStr>>| {
            std::iter::zip(*mark, &at).all(|(a, b)| a.is_none() || b.is_none() || a == b)
        };
        self.0.iter().filter(overlap).map(Vec::len).min()
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
