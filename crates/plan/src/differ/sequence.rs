//! Which elements of before and after belong together.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use objchange::change::common_subsequence;

use crate::change::Change;
use crate::json::Json;

/// The positions of an element on both sides.
pub(super) type Place = (Option<usize>, Option<usize>);

type Names<T> = HashMap<T, u32, foldhash::fast::RandomState>;

/// Pairs the elements of two lists, in the order in which a diff shows them.
///
/// Lists of one length are paired position by position, unless the second is a reordering of the first; all
/// others by their longest common subsequence, where two objects that face each other are paired as well.
pub(super) fn places<'v, 't>(
    before: &'v [Json<'t>],
    after: &'v [Json<'t>],
    is_object: impl Fn(&Json<'t>) -> bool,
) -> Vec<Place> {
    generic_places(before, after, is_object)
}

/// As [`places`], for lines of text.
pub(super) fn line_places(before: &[Option<&str>], after: &[Option<&str>]) -> Vec<Place> {
    generic_places(before, after, |_| false)
}

fn generic_places<T: Eq + std::hash::Hash>(
    before: &[T],
    after: &[T],
    is_object: impl Fn(&T) -> bool,
) -> Vec<Place> {
    if before.is_empty() {
        return (0..after.len()).map(|j| (None, Some(j))).collect();
    }
    if after.is_empty() {
        return (0..before.len()).map(|i| (Some(i), None)).collect();
    }
    if before.len() == after.len() && !is_reordering(before, after) {
        return by_position(before.len());
    }
    let mut names = Names::with_capacity_and_hasher(before.len(), foldhash::fast::RandomState::default());
    let mut name = |element| {
        let next = names.len() as u32;
        *names.entry(element).or_insert(next)
    };
    let xs: Vec<u32> = before.iter().map(&mut name).collect();
    let ys: Vec<u32> = after.iter().map(&mut name).collect();
    by_subsequence(&xs, &ys, |i| is_object(&before[i]), |j| is_object(&after[j]))
}

fn by_position(len: usize) -> Vec<Place> {
    (0..len).map(|i| (Some(i), Some(i))).collect()
}

/// Whether every element of before is somewhere in after, and not just all at their places.
fn is_reordering<T: Eq + std::hash::Hash>(before: &[T], after: &[T]) -> bool {
    let mut moved = std::iter::zip(before, after).filter(|(x, y)| x != y).map(|(x, _)| x).peekable();
    if moved.peek().is_none() {
        return false;
    }
    let in_after: hashbrown::HashSet<&T, foldhash::fast::RandomState> = after.iter().collect();
    moved.all(|element| in_after.contains(element))
}

fn by_subsequence(
    xs: &[u32],
    ys: &[u32],
    is_object_before: impl Fn(usize) -> bool,
    is_object_after: impl Fn(usize) -> bool,
) -> Vec<Place> {
    let common: Vec<u32> = common_subsequence(xs, ys).into_iter().map(|(i, _)| xs[i]).collect();
    let mut places = Vec::with_capacity(xs.len().max(ys.len()));
    let (mut i, mut j) = (0, 0);
    // The walk stops at the first element that equals the next common one, which need not be the one that
    // the subsequence meant.
    for next in common.iter().map(Some).chain([None]) {
        while i < xs.len() && Some(&xs[i]) != next {
            let faces_object =
                is_object_before(i) && j < ys.len() && is_object_after(j) && Some(&ys[j]) != next;
            if faces_object {
                places.push((Some(i), Some(j)));
                j += 1;
            } else {
                places.push((Some(i), None));
            }
            i += 1;
        }
        while j < ys.len() && Some(&ys[j]) != next {
            places.push((None, Some(j)));
            j += 1;
        }
        if next.is_some() {
            places.push((Some(i), Some(j)));
            i += 1;
            j += 1;
        }
    }
    places
}

/// Pairs the elements of two sets: those of before in their order, then what is new in after.
///
/// Elements are the same if their JSON is and both are, or neither is, sensitive as a whole. An unknown
/// element is new. Of equal elements before the first takes all of its like in after.
pub(super) fn set_places(change: &Change<'_, '_>) -> Vec<Place> {
    let (before, after) = (change.before.elements(), change.after.elements());
    let mut new: Names<(&Json<'_>, bool)> =
        Names::with_capacity_and_hasher(after.len(), foldhash::fast::RandomState::default());
    let mut taken = vec![false; after.len()];
    // For each element of after the next one that equals it.
    let mut next_like = vec![None; after.len()];
    for (j, element) in after.iter().enumerate().rev() {
        if change.is_element_unknown(j) {
            continue;
        }
        match new.entry((element, change.is_element_sensitive_after(j))) {
            Entry::Occupied(mut entry) => next_like[j] = Some(entry.insert(j as u32) as usize),
            Entry::Vacant(entry) => {
                entry.insert(j as u32);
            }
        }
    }
    let mut places = Vec::with_capacity(before.len().max(after.len()));
    for (i, element) in before.iter().enumerate() {
        let sensitive = change.is_element_sensitive_before(i);
        let first = new.remove(&(element, sensitive)).map(|j| j as usize);
        let mut like = first;
        while let Some(j) = like {
            taken[j] = true;
            like = next_like[j];
        }
        places.push((Some(i), first));
    }
    places.extend((0..after.len()).filter(|j| !taken[*j]).map(|j| (None, Some(j))));
    places
}
