//! Which elements that go and which that come are one element that changes.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashMap;

/// Something that an element says of itself: what is under one of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fact {
    name: u64,
    /// `None` where it is not known yet.
    value: Option<u64>,
    /// The name is one by which elements are called.
    is_title: bool,
}

/// What identifies an element, as far as its parts say that.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts(Vec<Fact>);

/// The names under which elements say what they are called.
const TITLES: [&str; 3] = ["id", "key", "name"];

/// What more elements than these have in common identifies none of them.
const MAX_SHARED: usize = 64;

/// With how many elements one is compared.
const MAX_COMPARED: usize = 128;

impl Facts {
    /// The facts of an element with these parts, whose values are `None` where they are not known yet. What is empty on either
    /// side of a change is to be left out: it identifies nothing.
    pub(super) fn new<'n, V: Hash>(
        state: &impl BuildHasher,
        parts: impl IntoIterator<Item = (&'n str, Option<V>)>,
    ) -> Self {
        let fact = |(name, value): (&str, Option<V>)| Fact {
            name: state.hash_one(name),
            value: value.map(|value| state.hash_one((name, value))),
            is_title: TITLES.contains(&name),
        };
        let mut facts: Vec<Fact> = parts.into_iter().map(fact).collect();
        facts.sort_unstable_by_key(|fact| fact.name);
        Self(facts)
    }

    fn known(&self) -> impl Iterator<Item = u64> {
        self.0.iter().filter_map(|fact| fact.value)
    }
}

/// Pairs elements that go with elements that come: those that agree in most of what identifies them, or that alone have the
/// same name. What many elements have in common, also among `others`, identifies none of them.
///
/// The answer has a place for each element that goes. The cost is linear in the number of elements.
pub(super) fn pairs<'f>(
    going: &[Facts],
    coming: &[Facts],
    others: impl IntoIterator<Item = &'f Facts>,
) -> Vec<Option<usize>> {
    let mut counts = Counts::default();
    others.into_iter().for_each(|facts| counts.add(facts, |count| &mut count[2]));
    going.iter().for_each(|facts| counts.add(facts, |count| &mut count[0]));
    coming.iter().for_each(|facts| counts.add(facts, |count| &mut count[1]));
    let mut coming_with: HashMap<u64, Vec<u32>> = HashMap::new();
    for (j, facts) in coming.iter().enumerate() {
        for value in facts.known().filter(|value| counts.of(*value)[1] as usize <= MAX_SHARED) {
            coming_with.entry(value).or_default().push(j as u32);
        }
    }
    let mut candidates = Vec::new();
    let mut last_compared = vec![u32::MAX; coming.len()];
    for (i, facts) in going.iter().enumerate() {
        let mut shared: Vec<&[u32]> =
            facts.known().filter_map(|value| coming_with.get(&value).map(Vec::as_slice)).collect();
        shared.sort_by_key(|elements| elements.len());
        let mut compared = 0;
        for j in shared.into_iter().flatten() {
            if std::mem::replace(&mut last_compared[*j as usize], i as u32) == i as u32 {
                continue;
            }
            if let Some(likeness) = counts.likeness(facts, &coming[*j as usize]) {
                candidates.push((likeness, i, *j as usize));
            }
            compared += 1;
            if compared == MAX_COMPARED {
                break;
            }
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut pairs, mut is_taken) = (vec![None; going.len()], vec![false; coming.len()]);
    for (_, i, j) in candidates {
        if pairs[i].is_none() && !is_taken[j] {
            pairs[i] = Some(j);
            is_taken[j] = true;
        }
    }
    pairs
}

/// How many elements have a value under a name: among those that go, those that come, and all others.
#[derive(Default)]
struct Counts(HashMap<u64, [u32; 3]>);

impl Counts {
    fn add(&mut self, facts: &Facts, side: impl Fn(&mut [u32; 3]) -> &mut u32) {
        for value in facts.known() {
            *side(self.0.entry(value).or_default()) += 1;
        }
    }

    fn of(&self, value: u64) -> [u32; 3] {
        self.0.get(&value).copied().unwrap_or_default()
    }

    /// How much a value identifies an element that has it.
    fn weight(&self, value: u64) -> f64 {
        let [going, coming, others] = self.of(value);
        1.0 / f64::from((going.max(coming) + others).max(1))
    }

    /// How alike two elements are, if that is enough to take them for one.
    fn likeness(&self, going: &Facts, coming: &Facts) -> Option<f64> {
        let (mut same, mut different, mut has_one_title) = (0.0, 0.0, false);
        let (mut xs, mut ys) = (going.0.iter().peekable(), coming.0.iter().peekable());
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
                // Nobody knows whether they agree.
                [Some(None), _] | [_, Some(None)] | [None, None] => {}
                [Some(Some(x_value)), Some(Some(y_value))] if x_value == y_value => {
                    same += self.weight(x_value);
                    has_one_title |= x.is_some_and(|fact| fact.is_title) && self.of(x_value) == [1, 1, 0];
                }
                values => {
                    let weights = values.into_iter().flatten().flatten().map(|value| self.weight(value));
                    different += weights.fold(0.0, f64::max);
                }
            }
        }
        let likeness = same / (same + different);
        (has_one_title || likeness > 0.5).then_some(likeness + f64::from(u8::from(has_one_title)))
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

    fn paired(going: &[&[(&'static str, &str)]], coming: &[&[(&'static str, &str)]]) -> Vec<Option<usize>> {
        let of = |elements: &[&[(&'static str, &str)]]| {
            elements.iter().map(|parts| facts(parts)).collect::<Vec<_>>()
        };
        pairs(&of(going), &of(coming), &[])
    }

    #[test]
    fn the_majority_of_what_identifies_decides() {
        let (old, new) =
            ([("port", "80"), ("from", "a"), ("text", "x")], [("port", "80"), ("from", "a"), ("text", "y")]);
        assert_eq!(paired(&[&old], &[&new]), [Some(0)]);
        assert_eq!(paired(&[&old], &[&[("port", "80"), ("from", "b"), ("text", "y")]]), [None]);
        // Half is no majority.
        assert_eq!(paired(&[&old[..2]], &[&[("port", "80"), ("from", "b")]]), [None]);
        assert_eq!(paired(&[&[]], &[&[]]), [None]);
    }

    #[test]
    fn what_all_have_in_common_identifies_none() {
        let rule = |port: &'static str, from: &'static str| {
            [("protocol", "tcp"), ("action", "allow"), ("way", "in"), ("port", port), ("from", from)]
        };
        let others: Vec<Facts> = ["1", "2", "3", "4", "5", "6"].map(|port| facts(&rule(port, port))).to_vec();
        let (going, coming) = ([facts(&rule("80", "a"))], [facts(&rule("90", "b"))]);
        assert_eq!(pairs(&going, &coming, &others), [None]);
        // Among many alike the port tells this one; without the others the rest of it would do.
        assert_eq!(pairs(&going, &[facts(&rule("80", "b"))], &others), [Some(0)]);
        assert_eq!(pairs(&going, &coming, &[]), [Some(0)]);
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
