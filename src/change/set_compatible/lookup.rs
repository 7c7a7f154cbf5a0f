//! Looks elements up by their certain parts.

use hashbrown::HashMap;

use super::pattern::{Depth, Pattern, ROOT, offered};
use crate::change::groups::Groups;
use crate::schema::Block;
use crate::value::Value;

/// How many patterns have indexes of their own, in order of occurrence. Low in tests, so that the rest is
/// reached.
const MANY_PATTERNS: usize = if cfg!(test) { 3 } else { 8 };
/// The hash of elements without any certain part.
const NO_FACTS: u64 = 0;

/// Planned and actual elements by their certain parts.
pub(super) struct Lookup {
    sides: Vec<Sides>,
    /// The sides and the hash of each planned element.
    places: Vec<(usize, u64)>,
}

/// Both sets under the hashes of one kind.
struct Sides {
    by: By,
    planned: Groups,
    actual: Groups,
}

enum By {
    /// All certain parts of the planned elements of a pattern.
    Pattern(Pattern),
    /// The certain part of each that the fewest actual elements have; for all other patterns.
    Rarest,
}

impl Lookup {
    /// `readable` are the actual elements to be found, ascending.
    pub(super) fn new(
        planned: &[Value],
        actual: &[Value],
        schema: Option<&Block>,
        depth: Depth,
        readable: &[u32],
    ) -> Self {
        let mut patterns: Vec<(Pattern, Vec<(u64, u32)>)> = Vec::new();
        let mut places = Vec::with_capacity(planned.len());
        let mut rare = Vec::new();
        for (i, element) in planned.iter().enumerate() {
            let pattern = Pattern::new(schema, element, depth);
            let at = patterns.iter().position(|(other, _)| *other == pattern).unwrap_or(patterns.len());
            if at == MANY_PATTERNS {
                rare.push((i as u32, pattern));
                places.push((at, NO_FACTS));
                continue;
            }
            let hash = pattern.hash(element).unwrap_or_default();
            if at == patterns.len() {
                patterns.push((pattern, Vec::new()));
            }
            patterns[at].1.push((hash, i as u32));
            places.push((at, hash));
        }
        let sides = |(pattern, hashes): (Pattern, Vec<(u64, u32)>)| {
            let hash = |j: &u32| Some((pattern.hash(&actual[*j as usize])?, *j));
            let actual_hashes: Vec<(u64, u32)> = readable.iter().filter_map(hash).collect();
            Sides {
                planned: Groups::new(&hashes),
                actual: Groups::new(&actual_hashes),
                by: By::Pattern(pattern),
            }
        };
        let mut sides: Vec<Sides> = patterns.into_iter().map(sides).collect();
        if !rare.is_empty() {
            let (rarest, facts) = by_rarest(planned, actual, &rare, readable);
            for (fact, i) in facts {
                places[i as usize].1 = fact;
            }
            sides.push(rarest);
        }
        Self { sides, places }
    }

    /// Actual elements that have the certain parts of this planned one; those of equal rank first.
    pub(super) fn candidates_for_planned(&self, i: usize) -> impl Iterator<Item = usize> {
        let (sides, hash) = self.places[i];
        let sides = &self.sides[sides];
        let alike = sides.actual.get(hash);
        // Its rank among elements with equal hashes: in a well planned set, partners have equal ranks.
        let rank = sides.planned.get(hash).binary_search(&(i as u32)).unwrap_or_default();
        let (before, from) = alike.split_at(rank.min(alike.len()));
        from.iter().chain(before).map(|j| *j as usize)
    }

    /// Whether any planned element whose certain parts this actual one has is `compatible`.
    pub(super) fn any_for_actual(&self, element: &Value, mut compatible: impl FnMut(usize) -> bool) -> bool {
        let mut any = |sides: &Sides, hash| sides.planned.get(hash).iter().any(|i| compatible(*i as usize));
        self.sides.iter().any(|sides| match &sides.by {
            By::Pattern(pattern) => pattern.hash(element).is_some_and(|hash| any(sides, hash)),
            By::Rarest => {
                let mut found = any(sides, NO_FACTS);
                offered(element, ROOT, &mut |fact| found = found || any(sides, fact));
                found
            }
        })
    }
}

/// Both sides by the rarest facts of the planned elements, and these.
fn by_rarest(
    planned: &[Value],
    actual: &[Value],
    rare: &[(u32, Pattern)],
    readable: &[u32],
) -> (Sides, Vec<(u64, u32)>) {
    let facts_of = |i: u32, pattern: &Pattern, add: &mut dyn FnMut(u64)| {
        pattern.facts(&planned[i as usize], ROOT, &mut |fact| add(fact));
    };
    // The number of actual elements that offer each required fact.
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for (i, pattern) in rare {
        facts_of(*i, pattern, &mut |fact| {
            counts.insert(fact, 0);
        });
    }
    for j in readable {
        offered(&actual[*j as usize], ROOT, &mut |fact| {
            if let Some(count) = counts.get_mut(&fact) {
                *count += 1;
            }
        });
    }
    let rarest: Vec<(u64, u32)> = rare
        .iter()
        .map(|(i, pattern)| {
            let mut rarest = (u32::MAX, NO_FACTS);
            facts_of(*i, pattern, &mut |fact| rarest = rarest.min((counts[&fact], fact)));
            (rarest.1, *i)
        })
        .collect();
    let wanted = Groups::new(&rarest);
    let mut offers = Vec::new();
    for j in readable {
        let mut offer = |fact| {
            if !wanted.get(fact).is_empty() {
                offers.push((fact, *j));
            }
        };
        offer(NO_FACTS);
        offered(&actual[*j as usize], ROOT, &mut offer);
    }
    (Sides { by: By::Rarest, planned: wanted, actual: Groups::new(&offers) }, rarest)
}
