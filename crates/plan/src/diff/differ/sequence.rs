//! Pairs the elements of before and after.

use std::hash::{BuildHasher, Hash};

use hashbrown::hash_table::Entry;
use hashbrown::{HashMap, HashTable};
use objchange::change::common_subsequence;

use super::opentofu_lists::{Alike, Never, Pairing};
use crate::walk::{Change, Dialect};
use objchange_document::json::View;

/// The positions of an element on both sides.
pub(super) type Place = (Option<usize>, Option<usize>);

/// Which elements belong together, in the order in which a diff shows them.
///
/// Most collections need no table of pairs.
#[derive(Clone)]
pub(super) enum Places {
    /// The elements of before, so many: there is no after.
    Before(usize),
    /// The elements of after, so many: there is no before.
    After(usize),
    /// Those at the same positions, so many.
    Positions(usize),
    /// These.
    // Eight bytes a pair. Two `Option<usize>` would take 32.
    Listed(Vec<[u32; 2]>),
}

/// No position on this side.
const NOWHERE: u32 = u32::MAX;

impl Places {
    pub(super) fn len(&self) -> usize {
        match self {
            Places::Before(len) | Places::After(len) | Places::Positions(len) => *len,
            Places::Listed(places) => places.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Place {
        match self {
            Places::Before(_) => (Some(index), None),
            Places::After(_) => (None, Some(index)),
            Places::Positions(_) => (Some(index), Some(index)),
            Places::Listed(places) => Self::position(places[index]),
        }
    }

    /// The positions that a listed place is made of.
    pub(super) fn position(place: [u32; 2]) -> Place {
        let [i, j] = place.map(|i| (i != NOWHERE).then_some(i as usize));
        (i, j)
    }

    /// The listed place of an element that is only after.
    pub(super) fn added(index: usize) -> [u32; 2] {
        [NOWHERE, index as u32]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Place> {
        (0..self.len()).map(|index| self.get(index))
    }
}

type State = foldhash::fast::RandomState;

/// Pairs the elements of the lists on both sides, in the order in which a diff shows them.
pub(super) fn places<'v, 't>(change: &Change<'v, 't>, is_object: impl Fn(View<'v, 't>) -> bool) -> Places {
    let (before, after) = (change.before.elements(), change.after.elements());
    // One value read once for both sides: nothing to compare.
    if before.are_same(after) {
        return Places::Positions(before.len());
    }
    let (old, new) = ((before.len(), |i| before.at(i)), (after.len(), |i| after.at(i)));
    match change.dialect.is_opentofu() {
        false => generic_places(&old, &new, is_object),
        true => by_pairs(&old, &new, Alike::new(before, after, is_object)),
    }
}

/// Pairs equal elements of lists, as many as there are in one order, and no others.
pub(super) fn list_places(change: &Change<'_, '_>) -> Places {
    let (before, after) = (change.before.elements(), change.after.elements());
    if before.are_same(after) {
        return Places::Positions(before.len());
    }
    let (old, new) = ((before.len(), |i| before.at(i)), (after.len(), |i| after.at(i)));
    if old.0 == 0 || new.0 == 0 {
        return if old.0 == 0 { Places::After(new.0) } else { Places::Before(old.0) };
    }
    let (xs, ys) = names(&old, &new);
    by_subsequence(&xs, &ys, |_| false, |_| false)
}

/// Like [`places`], for lines of text.
pub(super) fn line_places(before: &[Option<&str>], after: &[Option<&str>], dialect: Dialect) -> Places {
    let (old, new) = ((before.len(), |i: usize| before[i]), (after.len(), |i: usize| after[i]));
    match dialect.is_opentofu() {
        false => generic_places(&old, &new, |_| false),
        true => by_pairs(&old, &new, Never),
    }
}

/// Pairs as Terraform does. Each side is its length and the element at each position.
///
/// Lists of one length are paired position by position, unless the second is a reordering of the first; all
/// others by their longest common subsequence, where two objects that face each other are paired as well.
fn generic_places<T: Eq + Hash>(
    before: &(usize, impl Fn(usize) -> T),
    after: &(usize, impl Fn(usize) -> T),
    is_object: impl Fn(T) -> bool,
) -> Places {
    if before.0 == 0 {
        return Places::After(after.0);
    }
    if after.0 == 0 {
        return Places::Before(before.0);
    }
    // Terraform pairs equally long lists by position, unless after is a permutation: then elements move.
    let is_as_long = before.0 == after.0;
    if is_as_long && !may_be_reordered(before.0, &before.1, &after.1) {
        return Places::Positions(before.0);
    }
    let (xs, ys) = names(before, after);
    if is_as_long && xs.contains(&NOWHERE) {
        return Places::Positions(before.0);
    }
    by_subsequence(&xs, &ys, |i| is_object(before.1(i)), |j| is_object(after.1(j)))
}

/// A number for each element, the same for equal ones; [`NOWHERE`] for those of before that are not in after.
fn names<T: Eq + Hash>(
    before: &(usize, impl Fn(usize) -> T),
    after: &(usize, impl Fn(usize) -> T),
) -> (Vec<u32>, Vec<u32>) {
    // The search for the subsequence compares the same elements many times, and numbers are compared faster.
    let mut names: HashMap<T, u32, State> = HashMap::with_capacity_and_hasher(after.0, State::default());
    let name = |j| {
        let next = names.len() as u32;
        *names.entry(after.1(j)).or_insert(next)
    };
    let ys = (0..after.0).map(name).collect();
    let xs = (0..before.0).map(|i| names.get(&before.1(i)).copied().unwrap_or(NOWHERE)).collect();
    (xs, ys)
}

/// Whether not all elements are at their places, and the first that is not may have moved: most changed elements are nowhere
/// else, which is seen without a table.
fn may_be_reordered<T: Eq>(len: usize, before: &impl Fn(usize) -> T, after: &impl Fn(usize) -> T) -> bool {
    let Some(moved) = (0..len).find(|i| before(*i) != after(*i)) else { return false };
    let first = before(moved);
    (0..len).any(|j| after(j) == first)
}

fn by_subsequence(
    xs: &[u32],
    ys: &[u32],
    is_object_before: impl Fn(usize) -> bool,
    is_object_after: impl Fn(usize) -> bool,
) -> Places {
    let common: Vec<u32> = common_subsequence(xs, ys).into_iter().map(|(i, _)| xs[i]).collect();
    let mut places = Vec::with_capacity(xs.len().max(ys.len()));
    let (mut i, mut j) = (0, 0);
    // The walk stops at the first element that equals the next common one, which need not be the one that
    // the subsequence meant.
    for next in common.iter().map(Some).chain([None]) {
        while i < xs.len() && Some(&xs[i]) != next {
            // Two objects that face each other are shown as an update (Terraform 1.11).
            let faces_object =
                is_object_before(i) && j < ys.len() && is_object_after(j) && Some(&ys[j]) != next;
            if faces_object {
                places.push([i as u32, j as u32]);
                j += 1;
            } else {
                places.push([i as u32, NOWHERE]);
            }
            i += 1;
        }
        while j < ys.len() && Some(&ys[j]) != next {
            places.push([NOWHERE, j as u32]);
            j += 1;
        }
        if next.is_some() {
            places.push([i as u32, j as u32]);
            i += 1;
            j += 1;
        }
    }
    Places::Listed(places)
}

/// Pairs as OpenTofu does: by the longest common subsequence whatever the lengths are, and what is alike as well.
fn by_pairs<T: Eq + Hash>(
    before: &(usize, impl Fn(usize) -> T),
    after: &(usize, impl Fn(usize) -> T),
    mut pairing: impl Pairing,
) -> Places {
    if before.0 == 0 {
        return Places::After(after.0);
    }
    if after.0 == 0 {
        return Places::Before(before.0);
    }
    let (xs, ys) = names(before, after);
    let common: Vec<u32> = common_subsequence(&xs, &ys).into_iter().map(|(i, _)| xs[i]).collect();
    let mut places = Vec::with_capacity(xs.len().max(ys.len()));
    let (mut i, mut j) = (0, 0);
    for next in common.iter().map(Some).chain([None]) {
        while i < xs.len() && Some(&xs[i]) != next {
            let is_pair = j < ys.len() && Some(&ys[j]) != next && pairing.are_alike_by_after(i, j);
            places.push([i as u32, if is_pair { j as u32 } else { NOWHERE }]);
            i += 1;
            j += usize::from(is_pair);
        }
        while j < ys.len() && Some(&ys[j]) != next {
            // This may take what was to be the next common element: then another one faces its like.
            // OpenTofu pairs here even with the next common element of before.
            let is_pair = i < xs.len() && pairing.are_alike_by_before(i, j);
            places.push([if is_pair { i as u32 } else { NOWHERE }, j as u32]);
            i += usize::from(is_pair);
            j += 1;
        }
        if next.is_some() {
            // A pair above may have passed the end of a side; that side is then absent.
            let place = |at: usize, len: usize| if at < len { at as u32 } else { NOWHERE };
            places.push([place(i, xs.len()), place(j, ys.len())]);
            i += 1;
            j += 1;
        }
    }
    Places::Listed(places)
}

/// Pairs the elements of two sets: those of before in their order, then what is new in after.
///
/// Elements are equal if their JSON is, and both or neither is wholly sensitive. An unknown element is new. Among equal
/// elements before, the first is paired with all equal ones after and shows the last of them.
pub(super) fn set_places(change: &Change<'_, '_>) -> Places {
    let (before, after) = (change.before.elements(), change.after.elements());
    if before.is_empty() {
        return Places::After(after.len());
    }
    if after.is_empty() {
        return Places::Before(before.len());
    }
    let state = State::default();
    let hash = |element: View<'_, '_>, is_sensitive: bool| state.hash_one((element, is_sensitive));
    // The first elements of after among those that equal each other.
    let mut first: HashTable<u32> = HashTable::with_capacity(after.len());
    let sensitive_after = |j: usize| change.is_element_sensitive_after(j);
    let hash_after = |j: &u32| hash(after.at(*j as usize), sensitive_after(*j as usize));
    // For each element of after the next one that equals it; none of them does in a set as it should be.
    let mut next_like: Vec<u32> = Vec::new();
    for (j, element) in after.iter().enumerate().rev() {
        if change.is_element_unknown(j) {
            continue;
        }
        let is_sensitive = sensitive_after(j);
        let equals =
            |k: &u32| after.at(*k as usize) == element && sensitive_after(*k as usize) == is_sensitive;
        match first.entry(hash(element, is_sensitive), equals, hash_after) {
            Entry::Occupied(mut entry) => {
                next_like.resize(after.len(), NOWHERE);
                next_like[j] = std::mem::replace(entry.get_mut(), j as u32);
            }
            Entry::Vacant(entry) => {
                entry.insert(j as u32);
            }
        }
    }
    // Both sides in one order: the common case, which needs no list of places.
    let has_same_marks = change.before_sensitive.is_same(change.after_sensitive);
    if before.are_same(after) && has_same_marks && first.len() == after.len() {
        return Places::Positions(after.len());
    }
    let mut taken = vec![false; after.len()];
    let mut places = Vec::with_capacity(before.len().max(after.len()));
    for (i, element) in before.iter().enumerate() {
        let is_sensitive = change.is_element_sensitive_before(i);
        let equals =
            |j: &u32| after.at(*j as usize) == element && sensitive_after(*j as usize) == is_sensitive;
        let found = first.find_entry(hash(element, is_sensitive), equals).ok();
        let mut like = found.map_or(NOWHERE, |entry| entry.remove().0);
        let mut last = NOWHERE;
        while let Some(is_taken) = taken.get_mut(like as usize) {
            *is_taken = true;
            // Terraform 1.11 shows the last of several equal elements.
            last = like;
            like = next_like.get(like as usize).copied().unwrap_or(NOWHERE);
        }
        places.push([i as u32, last]);
    }
    places.extend((0..after.len()).filter(|j| !taken[*j]).map(|j| [NOWHERE, j as u32]));
    Places::Listed(places)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever is looked at first.
        #[test]
        fn lists_are_paired_as_the_rule_says(
            (before, after) in (0..7usize, any::<bool>()).prop_flat_map(|(len, is_as_long)| {
                let after = if is_as_long { len..=len } else { 0..=6 };
                (vec(0..5u8, len), vec(0..5u8, after))
            }),
        ) {
            let is_object = |element: u8| element.is_multiple_of(2);
            let old = (before.len(), |i: usize| before[i]);
            let new = (after.len(), |j: usize| after[j]);
            let found: Vec<Place> = generic_places(&old, &new, is_object).iter().collect();
            let is_reordered = before != after && before.iter().all(|element| after.contains(element));
            let expected: Vec<Place> = if before.is_empty() {
                (0..after.len()).map(|j| (None, Some(j))).collect()
            } else if after.is_empty() {
                (0..before.len()).map(|i| (Some(i), None)).collect()
            } else if before.len() == after.len() && !is_reordered {
                (0..before.len()).map(|i| (Some(i), Some(i))).collect()
            } else {
                let [xs, ys] = [&before, &after].map(|side| side.iter().copied().map(u32::from).collect::<Vec<_>>());
                let objects = |side: &[u8], at: usize| is_object(side[at]);
                by_subsequence(&xs, &ys, |i| objects(&before, i), |j| objects(&after, j)).iter().collect()
            };
            prop_assert_eq!(found, expected);
        }
    }
}
