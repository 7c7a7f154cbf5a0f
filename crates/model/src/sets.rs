//! Finds the elements of a set that belong together: elements have no keys by which they could be found.

use hashbrown::HashMap;
use objchange::Value;
use objchange::value::Kind;

use crate::empty::{is_empty_value, zeroed};

/// The most elements that are compared with each other, which is quadratic.
pub(crate) const MAX_MATCHED: usize = 64;

/// The elements of a prior set, found by their values.
pub(crate) struct PriorElements<'v> {
    /// By the element with empty values in place of null; `None` if there are several.
    by_zeroed: HashMap<Value, Option<&'v Value>>,
    elements: hashbrown::HashSet<&'v Value>,
}

impl<'v> PriorElements<'v> {
    pub(crate) fn new(set: &'v Value) -> Self {
        let elements = set.as_elements().unwrap_or_default();
        let mut by_zeroed = HashMap::with_capacity(elements.len());
        for element in elements {
            by_zeroed.entry(zeroed(element)).and_modify(|known| *known = None).or_insert(Some(element));
        }
        Self { by_zeroed, elements: elements.iter().collect() }
    }

    /// The element that is identical to this one, or the only one that differs in nothing but empty values in place of null.
    pub(crate) fn find(&self, element: &Value) -> Option<&'v Value> {
        if let Some(same) = self.elements.get(element) {
            return Some(same);
        }
        if !element.is_wholly_known() {
            return None;
        }
        let similar = self.by_zeroed.get(&zeroed(element)).copied().flatten();
        similar.filter(|known| adds_nothing(element, known))
    }
}

/// Whether a value has only empty values where the other one has null.
fn adds_nothing(says: &Value, value: &Value) -> bool {
    match (says.kind(), value.kind()) {
        (Kind::Null, Kind::Null) => true,
        (Kind::Null, _) => is_empty_value(value),
        (Kind::Object(says), Kind::Object(values)) => {
            says.iter().all(|(name, says)| values.get(name).is_some_and(|value| adds_nothing(says, value)))
        }
        (Kind::List(says), Kind::List(values)) => {
            std::iter::zip(says, values).all(|(says, value)| adds_nothing(says, value))
        }
        _ => says.identical(value),
    }
}

/// The configured element that a proposed one was made of.
pub(crate) fn configured_element<'v>(set: &'v Value, proposed: &Value, i: usize) -> Option<&'v Value> {
    let elements = set.as_elements()?;
    let at_place = || elements.get(i).filter(|element| fits(element, proposed));
    if elements.len() > MAX_MATCHED {
        return at_place();
    }
    let mut fitting = elements.iter().filter(|element| fits(element, proposed));
    match (fitting.next(), fitting.next()) {
        (Some(element), None) => Some(element),
        _ => at_place(),
    }
}

/// The planned element of a set that was made of a proposed one, if there is only one that may be it.
pub(crate) fn planned_element<'v>(set: &'v Value, proposed: &Value) -> Option<&'v Value> {
    let elements = set.as_elements().filter(|elements| elements.len() <= MAX_MATCHED)?;
    if let [only] = elements {
        return Some(only);
    }
    let mut fitting = elements.iter().filter(|element| fits(proposed, element));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// Whether a value equals another one wherever that is known and not null. Sets only have to have as many elements.
fn fits(says: &Value, value: &Value) -> bool {
    match (says.kind(), value.kind()) {
        (Kind::Null, _) => true,
        (Kind::Unknown(_), _) | (_, Kind::Unknown(_)) => true,
        (Kind::Object(says), _) => {
            says.iter().all(|(name, says)| value.attribute(name).is_some_and(|value| fits(says, value)))
        }
        (Kind::List(says), Kind::List(values)) => {
            says.len() == values.len() && std::iter::zip(says, values).all(|(says, value)| fits(says, value))
        }
        (Kind::Set(says), Kind::Set(values)) => says.len() == values.len(),
        _ => says.identical(value),
    }
}
