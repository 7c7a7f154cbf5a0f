//! Similar elements that a set or a list loses and gains, paired so that they show as updates. Terraform has no such pairs.

use objchange::change::common_subsequence;

use super::sequence::Places;
use super::similarity::{self, Facts};
use crate::walk::{Change, Unknown};
use objchange_document::json::{Shape, View};

/// Pairs similar removed and added elements. A pair takes the place of the removed element.
pub(super) fn with_pairs(change: &Change<'_, '_>, places: Places) -> Places {
    let Places::Listed(mut places) = places else { return places };
    let mut has_partner = vec![false; places.len()];
    for (from, to) in similar(change, &places) {
        places[from][1] = places[to][1];
        has_partner[to] = true;
    }
    let mut has_partner = has_partner.into_iter();
    // The added half of each pair goes, since the removed half shows both.
    places.retain(|_| !has_partner.next().unwrap_or_default());
    Places::Listed(places)
}

/// As [`with_pairs`] for a list, whose order is a part of its value: pairs keep the order of both sides. An element that changes
/// its place is shown as removed and added, because a pair would hide the move.
pub(super) fn with_pairs_of_list(change: &Change<'_, '_>, places: Places) -> Places {
    let Places::Listed(mut listed) = places else { return places };
    let sides = listed.iter().map(|place| Places::position(*place));
    let equal: Vec<usize> = sides
        .scan(0, |count, place| {
            *count += usize::from(place.0.is_some() && place.1.is_some());
            Some(*count)
        })
        .collect();
    // No equal elements lie between the halves, or one half would pass them.
    let mut pairs = similar(change, &listed);
    pairs.retain(|(from, to)| equal[*from] == equal[*to]);
    let added: Vec<u32> = pairs.iter().map(|(_, to)| listed[*to][1]).collect();
    let mut in_order = added.clone();
    in_order.sort_unstable();
    // The pairs of which none passes another one, as many as there are.
    for (kept, _) in common_subsequence(&added, &in_order) {
        let (from, to) = pairs[kept];
        listed[from][1] = listed[to][1];
    }
    Places::Listed(in_order_of_both(&listed, change.after.elements().len()))
}

/// The places with what is added between the same elements as in the list after. `places` has those of the list before, in order.
fn in_order_of_both(places: &[[u32; 2]], count: usize) -> Vec<[u32; 2]> {
    let mut all = Vec::with_capacity(places.len());
    let mut next = 0;
    for place in places {
        let (before, after) = Places::position(*place);
        if before.is_none() {
            continue;
        }
        if let Some(after) = after {
            all.extend((next..after).map(Places::added));
            next = after + 1;
        }
        all.push(*place);
    }
    all.extend((next..count).map(Places::added));
    all
}

/// The removed and added elements that are similar, by their places, in the order of those removed.
fn similar(change: &Change<'_, '_>, places: &[[u32; 2]]) -> Vec<(usize, usize)> {
    let state = foldhash::fast::FixedState::default();
    let (mut removed, mut added, mut others) = (Leftovers::default(), Leftovers::default(), Vec::new());
    for (at, place) in places.iter().enumerate() {
        match Places::position(*place) {
            (Some(i), None) => removed.add(at, before(change, i, &state)),
            (None, Some(j)) => added.add(at, after(change, j, &state)),
            (Some(i), Some(_)) => others.extend(before(change, i, &state)),
            (None, None) => {}
        }
    }
    let partners = similarity::pairs(&removed.facts, &added.facts, &others).into_iter().enumerate();
    partners.filter_map(|(i, j)| Some((removed.places[i], added.places[j?]))).collect()
}

/// The elements of one side that have no equal on the other, and where they are listed.
#[derive(Default)]
struct Leftovers {
    places: Vec<usize>,
    facts: Vec<Facts>,
}

impl Leftovers {
    fn add(&mut self, place: usize, facts: Option<Facts>) {
        if let Some(facts) = facts {
            self.places.push(place);
            self.facts.push(facts);
        }
    }
}

type State = foldhash::fast::FixedState;

/// The facts about an element before, if it is an object that is not wholly sensitive.
fn before(change: &Change<'_, '_>, index: usize, state: &State) -> Option<Facts> {
    let element = change.before.elements().at(index);
    let is_open = is_object(element) && !change.is_element_sensitive_before(index);
    is_open.then(|| Facts::new(state, known(element, change.before_sensitive_in_element(index))))
}

/// The facts about an element after, if it is an object that is neither wholly sensitive nor wholly unknown.
fn after(change: &Change<'_, '_>, index: usize, state: &State) -> Option<Facts> {
    let element = change.after.elements().at(index);
    if !is_object(element) || change.is_element_sensitive_after(index) {
        return None;
    }
    let sensitive = change.after_sensitive_in_element(index);
    let marks = match change.unknown_in_element(index) {
        Unknown::Nothing => return Some(Facts::new(state, known(element, sensitive))),
        Unknown::Marks(marks) if !marks.is_true() => marks,
        _ => return None,
    };
    let is_unknown = |name: &str| marks.get(name).is_some_and(View::has_true);
    let known = known(element, sensitive).filter(|(name, _)| !is_unknown(name));
    let unknown = marks.members().iter().filter(|(_, mark)| mark.has_true()).map(|(name, _)| (name, None));
    Some(Facts::new(state, known.chain(unknown)))
}

fn is_object(element: View<'_, '_>) -> bool {
    matches!(element.shape(), Shape::Object(_))
}

/// The members of an object that are not empty. Those with something sensitive in them decide nothing: which elements are
/// paired must not tell whether secrets are equal.
fn known<'v, 't>(
    object: View<'v, 't>,
    sensitive: View<'v, 't>,
) -> impl Iterator<Item = (&'v str, Option<View<'v, 't>>)> {
    let is_secret = move |name: &str| sensitive.get(name).is_some_and(View::has_true);
    let members = object.members().iter().filter(|(_, value)| !is_empty(*value));
    members.filter(move |(name, _)| !is_secret(name)).map(|(name, value)| (name, Some(value)))
}

fn is_empty(value: View<'_, '_>) -> bool {
    match value.shape() {
        // The older SDK fills attributes that nobody sets with false and "": these identify nothing.
        Shape::Null | Shape::Bool(false) | Shape::String("") => true,
        Shape::Array(elements) => elements.is_empty(),
        Shape::Object(members) => members.is_empty(),
        Shape::Bool(true) | Shape::Number(_) | Shape::String(_) => false,
    }
}
