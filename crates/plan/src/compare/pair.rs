//! Pairs the steps of two plans that are about the same object.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::steps::{Group, PlanStep};
use objchange_document::Text;

/// A step of the first plan, of the second, or one of each that are about the same.
pub(super) type Pair<'p, 'c, 't> = (Option<&'p PlanStep<'c, 't>>, Option<&'p PlanStep<'c, 't>>);

/// Pairs sorted steps: by address and key, then moved ones, then deferred ones. The pairs are sorted by address, that
/// of the second plan if it has the step.
pub(super) fn pair<'p, 'c, 't>(
    a: &'p [PlanStep<'c, 't>],
    b: &'p [PlanStep<'c, 't>],
) -> Vec<Pair<'p, 'c, 't>> {
    let mut pairs: Vec<Pair<'p, 'c, 't>> = Vec::with_capacity(a.len().max(b.len()));
    let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let order = match (a.get(i), b.get(j)) {
            (Some(a), Some(b)) => a.order().cmp(&b.order()),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        match order {
            Ordering::Equal => pairs.push((Some(&a[i]), Some(&b[j]))),
            Ordering::Less => only_a.push(&a[i]),
            Ordering::Greater => only_b.push(&b[j]),
        }
        (i, j) = (i + usize::from(order.is_le()), j + usize::from(order.is_ge()));
    }
    for found in [moved(&only_a, &only_b), in_place(&only_a, &only_b)] {
        for (i, j) in &found {
            pairs.push((Some(only_a[*i]), Some(only_b[*j])));
        }
        only_a = without(only_a, found.iter().map(|(i, _)| *i));
        only_b = without(only_b, found.iter().map(|(_, j)| *j));
    }
    pairs.extend(only_a.into_iter().map(|step| (Some(step), None)));
    pairs.extend(only_b.into_iter().map(|step| (None, Some(step))));
    pairs.sort_by_key(|(a, b)| b.or(*a).map(PlanStep::order));
    pairs
}

fn without<T>(all: Vec<T>, indexes: impl Iterator<Item = usize>) -> Vec<T> {
    let mut is_left = vec![true; all.len()];
    indexes.for_each(|index| is_left[index] = false);
    all.into_iter().zip(is_left).filter(|(_, is_left)| *is_left).map(|(one, _)| one).collect()
}

/// Where a step is, whether it is left to the next plan or not.
type Place<'p> = (Group, &'p str, Vec<&'p str>);

fn place<'p>(step: &'p PlanStep<'_, '_>) -> Place<'p> {
    (step.group, &step.address, step.key.iter().map(Text::as_str).collect())
}

fn places<'p>(steps: &[&'p PlanStep<'_, '_>]) -> HashMap<Place<'p>, Vec<usize>> {
    let mut places: HashMap<_, Vec<usize>> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        places.entry(place(step)).or_default().push(index);
    }
    places
}

/// Pairs steps one of which moves from the other's address. Ambiguous pairs are left out, so that the order of the
/// plans does not matter.
fn moved(a: &[&PlanStep<'_, '_>], b: &[&PlanStep<'_, '_>]) -> Vec<(usize, usize)> {
    let before = |step: &&PlanStep<'_, '_>, others: &HashMap<Place<'_>, Vec<usize>>| -> Vec<usize> {
        let Some(previous) = step.previous.as_deref() else { return Vec::new() };
        let (group, _, key) = place(step);
        others.get(&(group, previous, key)).cloned().unwrap_or_default()
    };
    let (places_a, places_b) = (places(a), places(b));
    let of_a =
        a.iter().enumerate().flat_map(|(i, one)| before(one, &places_b).into_iter().map(move |j| (i, j)));
    let of_b =
        b.iter().enumerate().flat_map(|(j, one)| before(one, &places_a).into_iter().map(move |i| (i, j)));
    let mut found: Vec<_> = of_a.chain(of_b).collect();
    found.sort_unstable();
    found.dedup();
    let (mut counts_a, mut counts_b) = (vec![0; a.len()], vec![0; b.len()]);
    for (i, j) in &found {
        counts_a[*i] += 1;
        counts_b[*j] += 1;
    }
    found.retain(|(i, j)| counts_a[*i] == 1 && counts_b[*j] == 1);
    found
}

/// Pairs steps one of which is deferred.
fn in_place(a: &[&PlanStep<'_, '_>], b: &[&PlanStep<'_, '_>]) -> Vec<(usize, usize)> {
    let places = places(b);
    let pairs = a.iter().enumerate();
    pairs.filter_map(|(i, step)| Some((i, *places.get(&place(step))?.first()?))).collect()
}
