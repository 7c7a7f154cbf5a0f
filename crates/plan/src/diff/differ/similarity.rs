//! Pairs the elements that a set loses and gains, to show them as changes.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashMap;

/// One attribute of an element, as hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fact {
    name: u64,
    /// `None` if it is not known yet.
    value: Option<u64>,
    /// The attribute usually tells elements apart.
    is_identifier: bool,
}

/// The attributes of an element by which it is compared with others.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts(Vec<Fact>);

/// Attributes that usually tell elements apart.
const IDENTIFIERS: [&str; 3] = ["id", "key", "name"];

/// A value that more elements share finds no candidates: it identifies none of them.
const MAX_SHARED: usize = 64;

/// The maximum number of candidates to compare an element with.
const MAX_COMPARED: usize = 128;

impl Facts {
    /// Facts about an element with these attributes; unknown ones have the value `None`. Callers leave out empty
    /// values, because these identify nothing.
    pub(super) fn new<'n, V: Hash>(
        state: &impl BuildHasher,
        parts: impl IntoIterator<Item = (&'n str, Option<V>)>,
    ) -> Self {
        let fact = |(name, value): (&str, Option<V>)| Fact {
            name: state.hash_one(name),
            value: value.map(|value| state.hash_one((name, value))),
            is_identifier: IDENTIFIERS.contains(&name),
        };
        let mut facts: Vec<Fact> = parts.into_iter().map(fact).collect();
        facts.sort_unstable_by_key(|fact| fact.name);
        Self(facts)
    }

    fn known(&self) -> impl Iterator<Item = u64> {
        self.0.iter().filter_map(|fact| fact.value)
    }
}

/// Pairs removed elements with added ones: those that agree in most of what identifies them, or that alone have the same `id`,
/// `key` or `name`. A value that many elements have, also unchanged ones, counts little.
///
/// The answer has for each removed element the position of the added one. Each element is compared with a limited number of
/// others, so that the cost does not grow with the square of their number.
pub(super) fn pairs<'f>(
    removed: &[Facts],
    added: &[Facts],
    others: impl IntoIterator<Item = &'f Facts>,
) -> Vec<Option<usize>> {
    let mut counts = Counts::default();
    others.into_iter().for_each(|facts| counts.add(facts, |count| &mut count[2]));
    removed.iter().for_each(|facts| counts.add(facts, |count| &mut count[0]));
    added.iter().for_each(|facts| counts.add(facts, |count| &mut count[1]));
    let mut added_with: HashMap<u64, Vec<u32>> = HashMap::new();
    for (j, facts) in added.iter().enumerate() {
        // A value in more than `MAX_SHARED` elements identifies none, and would make this quadratic.
        for value in facts.known().filter(|value| counts.count(*value)[1] as usize <= MAX_SHARED) {
            added_with.entry(value).or_default().push(j as u32);
        }
    }
    let mut candidates = Vec::new();
    let mut last_compared = vec![u32::MAX; added.len()];
    for (i, facts) in removed.iter().enumerate() {
        let mut shared: Vec<&[u32]> =
            facts.known().filter_map(|value| added_with.get(&value).map(Vec::as_slice)).collect();
        // Rare values first: they find the best partners before `MAX_COMPARED` ends the search.
        shared.sort_by_key(|elements| elements.len());
        let mut compared = 0;
        for j in shared.into_iter().flatten() {
            if std::mem::replace(&mut last_compared[*j as usize], i as u32) == i as u32 {
                continue;
            }
            if let Some(similarity) = counts.similarity(facts, &added[*j as usize]) {
                candidates.push((similarity, i, *j as usize));
            }
            compared += 1;
            if compared == MAX_COMPARED {
                break;
            }
        }
    }
    // Ties go to earlier elements, so that the result does not depend on hashes.
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut pairs, mut is_taken) = (vec![None; removed.len()], vec![false; added.len()]);
    for (_, i, j) in candidates {
        if pairs[i].is_none() && !is_taken[j] {
            pairs[i] = Some(j);
            is_taken[j] = true;
        }
    }
    pairs
}

/// How many elements have a value in an attribute: of the removed ones, the added ones, and all others.
#[derive(Default)]
struct Counts(HashMap<u64, [u32; 3]>);

impl Counts {
    fn add(&mut self, facts: &Facts, side: impl Fn(&mut [u32; 3]) -> &mut u32) {
        for value in facts.known() {
            *side(self.0.entry(value).or_default()) += 1;
        }
    }

    fn count(&self, value: u64) -> [u32; 3] {
        self.0.get(&value).copied().unwrap_or_default()
    }

    /// How much a value tells of an element that has it: the more elements have it, the less.
    fn weight(&self, value: u64) -> f64 {
        let [removed, added, others] = self.count(value);
        // A value of many elements weighs little: one that only the two have decides.
        1.0 / f64::from((removed.max(added) + others).max(1))
    }

    /// How alike two elements are, if they are alike enough to be one.
    fn similarity(&self, removed: &Facts, added: &Facts) -> Option<f64> {
        let (mut same, mut different, mut has_same_identifier) = (0.0, 0.0, false);
        let (mut xs, mut ys) = (removed.0.iter().peekable(), added.0.iter().peekable());
        loop {
            let (x, y) = match (xs.peek(), ys.peek()) {
                (Some(x), Some(y)) if x.name == y.name => (xs.next(), ys.next()),
                (Some(x), Some(y)) if x.name > y.name => (None, ys.next()),
                (Some(_), _) => (xs.next(), None),
                (None, Some(_)) => (None, ys.next()),
                (None, None) => break,
            };
            let values = [x, y].map(|fact| fact.map(|fact| fact.value));
            match values {
                // An unknown value neither agrees nor differs.
                [Some(None), _] | [_, Some(None)] | [None, None] => {}
                [Some(Some(x_value)), Some(Some(y_value))] if x_value == y_value => {
                    same += self.weight(x_value);
                    // Each side has one element with this identifier, so that they are most likely one thing.
                    has_same_identifier |=
                        x.is_some_and(|fact| fact.is_identifier) && self.count(x_value) == [1, 1, 0];
                }
                values => {
                    let weights = values.into_iter().flatten().flatten().map(|value| self.weight(value));
                    different += weights.fold(0.0, f64::max);
                }
            }
        }
        let similarity = same / (same + different);
        (has_same_identifier || similarity > 0.5)
            .then_some(similarity + f64::from(u8::from(has_same_identifier)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(parts: &[(&'static str, &str)]) -> Facts {
        let unknown = |value: &str| (value != "?").then(|| value.to_owned());
        let state = foldhash::fast::FixedState::default();
        Facts::new(&state, parts.iter().map(|(name, value)| (*name, unknown(value))))
    }

    fn paired(removed: &[&[(&'static str, &str)]], added: &[&[(&'static str, &str)]]) -> Vec<Option<usize>> {
        let of = |elements: &[&[(&'static str, &str)]]| {
            elements.iter().map(|parts| facts(parts)).collect::<Vec<_>>()
        };
        pairs(&of(removed), &of(added), &[])
    }

    #[test]
    fn the_majority_of_what_identifies_decides() {
        let (old, new) =
            ([("port", "80"), ("from", "a"), ("text", "x")], [("port", "80"), ("from", "a"), ("text", "y")]);
        assert_eq!(paired(&[&old], &[&new]), [Some(0)]);
        assert_eq!(paired(&[&old], &[&[("port", "80"), ("from", "b"), ("text", "y")]]), [None]);
        // Half is not a majority.
        assert_eq!(paired(&[&old[..2]], &[&[("port", "80"), ("from", "b")]]), [None]);
        assert_eq!(paired(&[&[]], &[&[]]), [None]);
    }

    #[test]
    fn what_all_have_in_common_identifies_none() {
        let rule = |port: &'static str, from: &'static str| {
            [("protocol", "tcp"), ("action", "allow"), ("way", "in"), ("port", port), ("from", from)]
        };
        let others: Vec<Facts> = ["1", "2", "3", "4", "5", "6"].map(|port| facts(&rule(port, port))).to_vec();
        let (removed, added) = ([facts(&rule("80", "a"))], [facts(&rule("90", "b"))]);
        assert_eq!(pairs(&removed, &added, &others), [None]);
        // Among many alike the port tells this one; without the others the rest of it would do.
        assert_eq!(pairs(&removed, &[facts(&rule("80", "b"))], &others), [Some(0)]);
        assert_eq!(pairs(&removed, &added, &[]), [Some(0)]);
    }

    #[test]
    fn a_name_that_one_element_has_on_each_side_is_enough() {
        let (old, new) =
            ([("name", "web"), ("a", "1"), ("b", "1")], [("name", "web"), ("a", "2"), ("b", "2")]);
        assert_eq!(paired(&[&old], &[&new]), [Some(0)]);
        assert_eq!(paired(&[&old], &[&new, &[("name", "web"), ("a", "3"), ("b", "3")]]), [None]);
    }

    #[test]
    fn what_is_unknown_neither_agrees_nor_differs() {
        let old = [("id", "1"), ("port", "80"), ("arn", "x")];
        assert_eq!(paired(&[&old], &[&[("id", "?"), ("port", "80"), ("arn", "?")]]), [Some(0)]);
        assert_eq!(paired(&[&old], &[&[("id", "?"), ("port", "?"), ("arn", "?")]]), [None]);
    }

    #[test]
    fn those_that_are_most_alike_go_first() {
        let old = [("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")];
        let near = [("a", "1"), ("b", "1"), ("c", "1"), ("d", "2")];
        let far = [("a", "1"), ("b", "1"), ("c", "2"), ("d", "3")];
        assert_eq!(paired(&[&far, &old], &[&near]), [None, Some(0)]);
    }
}
