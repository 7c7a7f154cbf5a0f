//! Finds the compatible elements of a planned and an actual set, without comparing every pair.
//!
//! All certain parts of a planned element must be found in its actual partner. So planned elements are
//! grouped by their *pattern*, which says which parts are certain, and for each pattern both sets are
//! indexed by a hash over those parts. Elements whose pattern is rare are found by the rarest of their
//! certain parts. Actual elements whose blocks are compatible with anything are found by their attributes
//! alone.
//!
//! The content of map blocks is never certain, because a planned key that the actual map lacks is skipped.
//! Elements that differ only in map blocks are tried one by one.

mod lookup;
mod pattern;

use self::lookup::Lookup;
use self::pattern::{Depth, Reading};
use crate::schema::Block;
use crate::value::Value;

/// The positions of the elements without a compatible partner.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unmatched {
    pub(super) planned: Vec<usize>,
    /// Only looked for if every planned element has a partner.
    pub(super) actual: Vec<usize>,
}

/// Below this many pairs, trying each is cheapest.
const FEW_PAIRS: usize = 64;

/// Finds the elements that have no compatible partner; pairs need not be one to one.
///
/// Matches the elements; `schema` is `None` for plain values.
pub(super) fn match_sets(
    planned: &[Value],
    actual: &[Value],
    schema: Option<&Block>,
    compatible: impl Fn(&Value, &Value) -> bool,
) -> Unmatched {
    if planned.len() * actual.len() <= FEW_PAIRS {
        return match_each(planned, actual, compatible);
    }
    let index = Index::new(planned, actual, schema);
    let mut matched = vec![false; actual.len()];
    let mut unmatched = Unmatched::default();
    for (i, element) in planned.iter().enumerate() {
        let partner = index.candidates_for_planned(i).find(|j| compatible(element, &actual[*j]));
        match partner {
            Some(j) => matched[j] = true,
            None => unmatched.planned.push(i),
        }
    }
    if unmatched.planned.is_empty() {
        let rest = (0..actual.len()).filter(|j| !matched[*j]);
        unmatched.actual =
            rest.filter(|j| !index.any_for_actual(*j, |i| compatible(&planned[i], &actual[*j]))).collect();
    }
    unmatched
}

fn match_each(planned: &[Value], actual: &[Value], compatible: impl Fn(&Value, &Value) -> bool) -> Unmatched {
    let mut unmatched = Unmatched::default();
    let without = |(i, p): (usize, &Value)| (!actual.iter().any(|a| compatible(p, a))).then_some(i);
    unmatched.planned = planned.iter().enumerate().filter_map(without).collect();
    if unmatched.planned.is_empty() {
        let without = |(j, a): (usize, &Value)| (!planned.iter().any(|p| compatible(p, a))).then_some(j);
        unmatched.actual = actual.iter().enumerate().filter_map(without).collect();
    }
    unmatched
}

/// Both sets, indexed.
struct Index<'v> {
    planned: &'v [Value],
    actual: &'v [Value],
    /// How each actual element can be looked up.
    readings: Vec<Reading>,
    /// By all that is certain; for actual elements that can be read to the bottom.
    deep: Lookup,
    /// By the attributes; for actual elements with blocks that pass for anything.
    shallow: Option<Lookup>,
    /// Actual elements that no hash can speak for. Ascending.
    opaque: Vec<u32>,
}

impl<'v> Index<'v> {
    fn new(planned: &'v [Value], actual: &'v [Value], schema: Option<&Block>) -> Self {
        let readings: Vec<Reading> = actual.iter().map(|element| Reading::new(schema, element)).collect();
        let read = |reading: Reading| {
            let those = (0..actual.len() as u32).filter(|j| readings[*j as usize] == reading);
            those.collect::<Vec<u32>>()
        };
        let deep = Lookup::new(planned, actual, schema, Depth::Whole, &read(Reading::Whole));
        let odd = read(Reading::Attributes);
        let shallow =
            (!odd.is_empty()).then(|| Lookup::new(planned, actual, schema, Depth::Attributes, &odd));
        let opaque = read(Reading::Opaque);
        Self { planned, actual, readings, deep, shallow, opaque }
    }

    /// Actual elements with all certain parts of this planned one.
    fn candidates_for_planned(&self, i: usize) -> impl Iterator<Item = usize> {
        let shallow = self.shallow.iter().flat_map(move |shallow| shallow.candidates_for_planned(i));
        let opaque = self.opaque.iter().map(|j| *j as usize);
        self.deep.candidates_for_planned(i).chain(shallow).chain(opaque)
    }

    /// Whether any planned element whose certain parts this actual one has is `compatible`.
    fn any_for_actual(&self, j: usize, mut compatible: impl FnMut(usize) -> bool) -> bool {
        match (self.readings[j], &self.shallow) {
            (Reading::Whole, _) => self.deep.any_for_actual(&self.actual[j], compatible),
            (Reading::Attributes, Some(shallow)) => shallow.any_for_actual(&self.actual[j], compatible),
            _ => (0..self.planned.len()).any(&mut compatible),
        }
    }
}

#[cfg(test)]
mod tests;
