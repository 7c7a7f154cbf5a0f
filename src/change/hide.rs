//! Taking out of what is said about a change what must not be shown.
//!
//! A provider sees no marks, and so what is wrong with its answer is found among values without marks. Where the
//! prior object, the configuration or the answer was marked, the values in what is found are marked again.

use std::cell::OnceCell;

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::carried::Carried;
use crate::schema::Block;
use crate::value::{Path, PathStep, SENSITIVE, TypeMismatch, TypeMismatchKind, Value, nameless};

/// What must not be shown: what stands where values are marked, and what stood under a mark before.
pub(super) struct Hidden<'a> {
    pub(super) schema: &'a Block,
    pub(super) carried: &'a Carried,
    /// The objects of the change, with their marks.
    pub(super) marked: &'a [&'a Value],
    /// Other places that are marked.
    pub(super) marks: Vec<&'a Path>,
    /// Found when it is first asked for: most changes have nothing to be said about.
    pub(super) places: OnceCell<Places>,
}

/// Where marked values stand.
///
/// Elements count as the same whatever their keys: what stands at one index before may stand at another one
/// after, and the elements of a set have no place of their own. So there are no more places than the schema has.
pub(super) struct Places(HashSet<Vec<Option<SmolStr>>>);

impl Hidden<'_> {
    /// The path without the keys of what is marked.
    pub(super) fn path(&self, path: &Path) -> Path {
        if let Some(depth) = self.depth(path) {
            return self.schema.hide_keys_below(path, depth);
        }
        let steps = path.steps().iter().map(|step| match step {
            PathStep::Index(key) => PathStep::Index(self.carried.mark(key)),
            step @ PathStep::Attribute(_) => step.clone(),
        });
        steps.collect()
    }

    /// A value that stands at this path, marked where it must not be shown.
    pub(super) fn value(&self, path: &Path, value: Option<Value>) -> Option<Value> {
        let is_hidden = self.hides(path);
        value.map(|value| if is_hidden { value.sensitive() } else { self.carried.mark(&value) })
    }

    /// Whether what stands at this path must not be shown.
    pub(super) fn hides(&self, path: &Path) -> bool {
        self.depth(path).is_some()
    }

    /// The mismatch without names that are keys of what is marked.
    pub(super) fn mismatch(&self, mismatch: TypeMismatch) -> TypeMismatch {
        let TypeMismatch { path, kind } = mismatch;
        let kind = match kind {
            kind if !self.hides(&path) => kind,
            TypeMismatchKind::OtherType { wanted, given } => {
                TypeMismatchKind::OtherType { wanted, given: nameless(&given) }
            }
            TypeMismatchKind::UnexpectedAttribute { .. } => {
                TypeMismatchKind::UnexpectedAttribute { name: SENSITIVE.into() }
            }
            kind => kind,
        };
        TypeMismatch { path: self.path(&path), kind }
    }

    /// The number of steps to the highest mark that the path leads through, or that stands below it.
    fn depth(&self, path: &Path) -> Option<usize> {
        let at = place(path);
        // An element may be addressed by an attribute step too.
        let overlap = |mark: &&Vec<Option<SmolStr>>| {
            std::iter::zip(*mark, &at).all(|(a, b)| a.is_none() || b.is_none() || a == b)
        };
        self.places().0.iter().filter(overlap).map(Vec::len).min()
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| {
            let marks: Vec<_> =
                self.marked.iter().flat_map(|value| value.unmark_deep_with_paths().1).collect();
            Places(marks.iter().map(|(path, _)| path).chain(self.marks.iter().copied()).map(place).collect())
        })
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
