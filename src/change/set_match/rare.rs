//! Finds prior elements of rare shapes by their rarest part.
//!
//! A prior element's requirements are a collection of *facts*, one for each object in it: where the object
//! is, and its own leaves. An element of the configuration can only be matched by prior elements all of
//! whose facts it has. So each prior element is stored under the fact that the fewest others share, and an
//! element of the configuration looks under each of its own facts. This takes time in proportion to the
//! element's size, however many shapes there are. Only where every fact of an element is shared by many, in
//! ever new combinations, are many tried in vain.

use std::hash::Hasher;

use hashbrown::HashMap;

use super::walk::{Element, MemberRole};
use super::{MANY_CHOICES, could_have_come_from};
use crate::change::groups::{Groups, mix, mix_key};
use crate::schema::{Members, NestingMode};
use crate::value::{Kind, Value, hasher};

/// The computed leaves that the configuration leaves to the provider in some object. Each leaf has a bit,
/// which it may share with others. These leaves are not part of facts.
type UnsetLeaves = u128;

/// The hash of prior elements without facts; every look-up includes them.
const NO_FACTS: u64 = 0;

#[derive(Default)]
pub(super) struct RareShapes {
    /// Ascending.
    elements: Vec<u32>,
    indexes: HashMap<UnsetLeaves, Groups>,
}

impl RareShapes {
    pub(super) fn new(elements: Vec<u32>) -> Self {
        Self { elements, indexes: HashMap::new() }
    }

    /// The first of these prior elements that is not used and could have come from this element of config.
    pub(super) fn first(
        &mut self,
        members: Members<'_>,
        prior: &[Value],
        used: &[bool],
        config: &Value,
    ) -> Option<usize> {
        if self.elements.is_empty() {
            return None;
        }
        let mut walk = Facts { finding: true, ..Facts::default() };
        walk.object(members, config, ROOT);
        let mut left = walk.left;
        if self.indexes.len() >= MANY_CHOICES && !self.indexes.contains_key(&left) {
            left = UnsetLeaves::MAX;
        }
        let elements = &self.elements;
        let index = self.indexes.entry(left).or_insert_with(|| index(members, prior, elements, left));
        let mut facts = Facts::collect(members, config, left);
        facts.push(NO_FACTS);
        let first_with = |fact: u64| {
            let waiting = index.skip(fact, |i| used[i]);
            waiting
                .iter()
                .map(|i| *i as usize)
                .find(|i| !used[*i] && could_have_come_from(members, &prior[*i], config))
        };
        facts.into_iter().filter_map(first_with).min()
    }
}

/// Each prior element under its rarest fact.
fn index(members: Members<'_>, prior: &[Value], elements: &[u32], left: UnsetLeaves) -> Groups {
    let facts: Vec<Vec<u64>> = elements
        .iter()
        .map(|i| match &prior[*i as usize] {
            // An unknown part needs less than a known one.
            element if !element.is_wholly_known() => Vec::new(),
            element => Facts::collect(members, element, left),
        })
        .collect();
    let mut counts: HashMap<u64, u32> = HashMap::with_capacity(facts.len());
    for fact in facts.iter().flatten() {
        *counts.entry(*fact).or_default() += 1;
    }
    let rarest = |facts: &Vec<u64>| facts.iter().copied().min_by_key(|fact| counts[fact]).unwrap_or(NO_FACTS);
    let hashed: Vec<(u64, u32)> =
        std::iter::zip(&facts, elements).map(|(facts, i)| (rarest(facts), *i)).collect();
    Groups::new(&hashed)
}

/// The place of an object.
#[derive(Clone, Copy)]
struct FactPlace {
    /// The position in the element.
    value: u64,
    /// The position in the schema.
    schema: u64,
}

const ROOT: FactPlace = FactPlace { value: 1, schema: 1 };

impl FactPlace {
    fn member(self, position: usize) -> Self {
        Self { value: mix(self.value, position as u64), schema: mix(self.schema, position as u64) }
    }

    fn index(self, i: usize) -> Self {
        Self { value: mix(self.value, i as u64), ..self }
    }

    fn key(self, key: &str) -> Self {
        Self { value: mix_key(self.value, key), ..self }
    }
}

/// Collects the facts of an element, innermost objects first.
#[derive(Default)]
struct Facts {
    left: UnsetLeaves,
    /// Whether `left` is still to be determined.
    finding: bool,
    facts: Vec<u64>,
}

impl Facts {
    /// The facts, each combined with the element's own leaves, which mostly distinguish elements.
    fn collect(members: Members<'_>, element: &Value, left: UnsetLeaves) -> Vec<u64> {
        let mut walk = Self { left, ..Self::default() };
        let own = walk.object(members, element, ROOT);
        walk.facts.iter_mut().for_each(|fact| *fact = mix(*fact, own));
        walk.facts
    }

    /// The facts of an object and of those in it; gives its own.
    fn object(&mut self, members: Members<'_>, value: &Value, place: FactPlace) -> u64 {
        let Some(object) = Element::new(members, value) else { return NO_FACTS };
        let mut hash = hasher();
        hash.write_u64(place.value);
        let mut has_leaves = false;
        object.all_parts(members, |position, _, part, value| {
            match part {
                MemberRole::Leaf { computed: true } => {
                    has_leaves = true;
                    let bit = 1 << (mix(place.schema, position as u64) % u64::from(UnsetLeaves::BITS));
                    if self.finding && value.is_null() {
                        self.left |= bit;
                    }
                    if self.left & bit == 0 {
                        hash.write_u64(value.content_hash());
                    }
                }
                MemberRole::Leaf { computed: false } | MemberRole::Objects(NestingMode::Set, _) => {
                    has_leaves = true;
                    hash.write_u64(value.content_hash());
                }
                MemberRole::Objects(nesting, members) => {
                    self.objects(nesting, members, value, place.member(position));
                }
            }
            true
        });
        if !has_leaves {
            return NO_FACTS;
        }
        let own = hash.finish();
        self.facts.push(own);
        own
    }

    fn objects(&mut self, nesting: NestingMode, members: Members<'_>, value: &Value, place: FactPlace) {
        match value.kind() {
            Kind::List(elements) | Kind::Tuple(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    self.object(members, element, place.index(i));
                }
            }
            Kind::Map(entries) => {
                for (key, element) in entries.iter() {
                    self.object(members, element, place.key(key));
                }
            }
            Kind::Object(entries) if nesting == NestingMode::Map => {
                for (key, element) in entries.iter() {
                    self.object(members, element, place.key(key));
                }
            }
            Kind::Object(_) => {
                self.object(members, value, place);
            }
            _ => {}
        }
    }
}
