//! Similar elements that a set or a list loses and gains, paired so that they show as updates. Terraform has no such pairs.

use super::sequence::Places;
use super::similarity::{self, Facts};
use crate::walk::{Change, Unknown};
use objchange_document::json::{Shape, View};

/// Pairs similar removed and added elements. A pair takes the place of the removed element.
pub(super) fn with_pairs(change: &Change<'_, '_>, places: Places) -> Places {
    paired(change, places, |_, _| true)
}

/// As [`with_pairs`] for a list: there, an element that only moves is shown as removed and added, because a pair would hide it.
pub(super) fn with_pairs_of_list(change: &Change<'_, '_>, places: Places) -> Places {
    paired(change, places, |i, j| change.before.elements().at(i) != change.after.elements().at(j))
}

fn paired(change: &Change<'_, '_>, places: Places, may_pair: impl Fn(usize, usize) -> bool) -> Places {
    let Places::Listed(mut places) = places else { return places };
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
    let mut has_partner = vec![false; places.len()];
    for (i, j) in similarity::pairs(&removed.facts, &added.facts, &others).into_iter().enumerate() {
        if let Some(j) = j {
            let (from, to) = (removed.places[i], added.places[j]);
            let may_pair = match (Places::position(places[from]).0, Places::position(places[to]).1) {
                (Some(i), Some(j)) => may_pair(i, j),
                _ => false,
            };
            if !may_pair {
                continue;
            }
            places[from][1] = places[to][1];
            has_partner[to] = true;
        }
    }
    let mut has_partner = has_partner.into_iter();
    // The added half of each pair goes, since the removed half shows both.
    places.retain(|_| !has_partner.next().unwrap_or_default());
    Places::Listed(places)
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
