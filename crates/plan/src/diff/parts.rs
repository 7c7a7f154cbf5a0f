//! The parts of a collection, made on demand.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use super::differ::LazyParts;
use super::fold::{Fold, Show};
use super::{Diff, DiffAction, Entry, NestedBlock};
use objchange_document::Text;

/// The elements, attributes or blocks of a collection.
///
/// Parts of a large collection are not kept, because a diff takes many times the bytes of a small value. Parts that stay as they
/// are are not kept where few others change, because most are never looked at. Only their actions are kept; each diff is made on
/// demand.
#[derive(Clone)]
pub struct Parts<'t, T>(Repr<'t, T>);

#[derive(Clone)]
enum Repr<'t, T> {
    Made(Vec<T>),
    // Behind a pointer, so that a diff takes no more room for it.
    Lazy(Box<OnDemand<'t, T>>),
}

#[derive(Clone)]
struct OnDemand<'t, T> {
    parts: LazyParts<'t>,
    /// Those that are kept all the same, by ascending positions.
    kept: Vec<(usize, T)>,
    fold: Option<Fold>,
}

/// A part of a collection: a diff, perhaps with the name it goes by.
pub trait CollectionPart<'t>: Clone {
    /// The part with this diff; the name is there where the parts of the collection have names.
    fn new(name: Option<Text<'t>>, diff: Diff<'t>) -> Self;

    /// The diff of the part.
    fn diff(&self) -> &Diff<'t>;

    /// The diff of the part, for changes.
    fn diff_mut(&mut self) -> &mut Diff<'t>;

    /// The name it goes by.
    fn name(&self) -> Option<&Text<'t>>;
}

impl<'t, T: CollectionPart<'t>> Parts<'t, T> {
    /// Parts of which only these are kept, by ascending positions.
    pub(super) fn lazy(parts: LazyParts<'t>, kept: Vec<(usize, T)>) -> Self {
        Self(Repr::Lazy(Box::new(OnDemand { parts, kept, fold: None })))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Made(parts) => parts.len(),
            Repr::Lazy(lazy) => lazy.parts.len(),
        }
    }

    /// Whether it has no parts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The parts, in their order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, T>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// All parts in their order. Parts that are already made are moved, not copied.
    pub(super) fn into_vec(self) -> Vec<T> {
        match self.0 {
            Repr::Made(parts) => parts,
            Repr::Lazy(_) => self.iter().map(Cow::into_owned).collect(),
        }
    }

    /// The part at a position.
    ///
    /// # Panics
    ///
    /// The position is out of range.
    pub fn get(&self, index: usize) -> Cow<'_, T> {
        match &self.0 {
            Repr::Made(parts) => Cow::Borrowed(&parts[index]),
            Repr::Lazy(lazy) => {
                let OnDemand { parts, kept, fold } = &**lazy;
                if let Ok(at) = kept.binary_search_by_key(&index, |(index, _)| *index) {
                    return Cow::Borrowed(&kept[at].1);
                }
                let mut diff = parts.diff(index);
                if let Some(fold) = fold {
                    self.decided(*fold, index).apply(&mut diff, fold.folding());
                }
                Cow::Owned(T::new(parts.name(index), diff))
            }
        }
    }

    /// The action on the part at a position.
    ///
    /// # Panics
    ///
    /// The position is out of range.
    pub fn action(&self, index: usize) -> DiffAction {
        match &self.0 {
            Repr::Made(parts) => parts[index].diff().action,
            Repr::Lazy(lazy) => lazy.parts.action(index),
        }
    }

    /// Whether the part at a position is counted and not shown.
    ///
    /// # Panics
    ///
    /// The position is out of range.
    pub fn is_hidden(&self, index: usize) -> bool {
        match &self.0 {
            Repr::Made(parts) => parts[index].diff().hidden,
            Repr::Lazy(lazy) => lazy.fold.is_some_and(|fold| self.decided(fold, index) == Show::Nothing),
        }
    }

    /// Whether the part at a position is hidden because it is ignored.
    ///
    /// # Panics
    ///
    /// The position is out of range.
    pub fn is_ignored(&self, index: usize) -> bool {
        match &self.0 {
            Repr::Made(parts) => parts[index].diff().ignored,
            // Ignored parts are always made.
            Repr::Lazy(_) => false,
        }
    }

    /// Whether the part at a position is hidden because its provider computes it again.
    ///
    /// # Panics
    ///
    /// The position is out of range.
    pub fn is_recomputed(&self, index: usize) -> bool {
        match &self.0 {
            Repr::Made(parts) => parts[index].diff().recomputed,
            // Such parts are always made.
            Repr::Lazy(_) => false,
        }
    }

    /// The part at a position, to be changed: all parts are made for it.
    pub(super) fn get_mut(&mut self, index: usize) -> &mut T {
        if let Repr::Lazy(_) = self.0 {
            self.0 = Repr::Made(self.iter().map(Cow::into_owned).collect());
        }
        match &mut self.0 {
            Repr::Made(parts) => &mut parts[index],
            Repr::Lazy(_) => unreachable!("the parts have just been made"),
        }
    }

    /// Decides which parts are shown, here and below.
    pub(crate) fn fold(&mut self, fold: Fold) {
        let count = match &mut self.0 {
            Repr::Made(parts) => parts.len(),
            Repr::Lazy(lazy) => {
                lazy.fold = Some(fold);
                lazy.kept.len()
            }
        };
        for at in 0..count {
            let index = match &self.0 {
                Repr::Made(_) => at,
                Repr::Lazy(lazy) => lazy.kept[at].0,
            };
            let show = self.decided(fold, index);
            let part = match &mut self.0 {
                Repr::Made(parts) => &mut parts[at],
                Repr::Lazy(lazy) => &mut lazy.kept[at].1,
            };
            show.apply(part.diff_mut(), fold.folding());
        }
    }

    fn decided(&self, fold: Fold, index: usize) -> Show {
        fold.decide(index, self.len(), self.name(index).as_deref(), |i| self.action(i))
    }

    /// The names of the parts, if they have names.
    pub fn names(&self) -> impl Iterator<Item = Text<'t>> {
        (0..self.len()).filter_map(|index| self.name(index))
    }

    fn name(&self, index: usize) -> Option<Text<'t>> {
        match &self.0 {
            Repr::Made(parts) => parts[index].name().cloned(),
            Repr::Lazy(lazy) => lazy.parts.name(index),
        }
    }
}

impl<T> Default for Parts<'_, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for Parts<'_, T> {
    fn from(parts: Vec<T>) -> Self {
        Self(Repr::Made(parts))
    }
}

impl<T> FromIterator<T> for Parts<'_, T> {
    fn from_iter<I: IntoIterator<Item = T>>(parts: I) -> Self {
        Self(Repr::Made(parts.into_iter().collect()))
    }
}

impl<'t, T: CollectionPart<'t> + PartialEq> PartialEq for Parts<'t, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'t, T: CollectionPart<'t> + Eq> Eq for Parts<'t, T> {}

impl<'t, T: CollectionPart<'t> + fmt::Debug> fmt::Debug for Parts<'t, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'t, T: CollectionPart<'t> + Serialize> Serialize for Parts<'t, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'t> CollectionPart<'t> for Diff<'t> {
    fn new(_: Option<Text<'t>>, diff: Diff<'t>) -> Self {
        diff
    }

    fn diff(&self) -> &Diff<'t> {
        self
    }

    fn diff_mut(&mut self) -> &mut Diff<'t> {
        self
    }

    fn name(&self) -> Option<&Text<'t>> {
        None
    }
}

impl<'t> CollectionPart<'t> for Entry<'t> {
    fn new(name: Option<Text<'t>>, diff: Diff<'t>) -> Self {
        Entry { key: name.unwrap_or_default(), diff }
    }

    fn diff(&self) -> &Diff<'t> {
        &self.diff
    }

    fn diff_mut(&mut self) -> &mut Diff<'t> {
        &mut self.diff
    }

    fn name(&self) -> Option<&Text<'t>> {
        Some(&self.key)
    }
}

impl<'t> CollectionPart<'t> for NestedBlock<'t> {
    fn new(label: Option<Text<'t>>, diff: Diff<'t>) -> Self {
        NestedBlock { label, diff }
    }

    fn diff(&self) -> &Diff<'t> {
        &self.diff
    }

    fn diff_mut(&mut self) -> &mut Diff<'t> {
        &mut self.diff
    }

    fn name(&self) -> Option<&Text<'t>> {
        self.label.as_ref()
    }
}
