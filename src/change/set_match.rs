//! Finds the prior element of a set that a configured element may come from, without comparing every pair.
//!
//! A walk over the prior element decides whether it fits a configured one. The parts that the walk visits
//! depend only on the prior element's *shape*: where it has nulls, how long its nested lists are, which
//! keys its nested maps have. The parts that must be equal also depend on which computed attributes are
//! null in the configuration. So for each shape, and each such choice that occurs, the prior elements are
//! indexed by a hash over the parts that must be equal. Elements of one set mostly have one shape and one
//! choice. Elements of a rare shape, such as those with map keys of their own, are found by their rarest
//! part.

mod rare;
mod signature;
mod walk;

use std::cmp::Reverse;
use std::hash::Hasher;

use hashbrown::HashMap;

use self::rare::RareShapes;
use self::signature::{Choice, Signature, shape};
use self::walk::could_have_come_from;
use super::groups::Groups;
use crate::schema::Members;
use crate::value::{Value, hasher};

// The limits are low in tests, so that few elements reach them.

/// Below this many prior elements, trying each is cheapest.
const FEW: usize = 8;
/// With more choices of null computed attributes than this, elements are indexed by fewer of them.
const MANY_CHOICES: usize = if cfg!(test) { 2 } else { 64 };
/// How many shapes have indexes of their own, those with the most elements first. Low in tests, so that the
/// rest is reached.
const MANY_SHAPES: usize = if cfg!(test) { 3 } else { 8 };

/// Hands out prior elements, each at most once.
pub(super) struct SetMatcher<'v> {
    members: Members<'v>,
    prior: &'v [Value],
    used: Vec<bool>,
    /// By shape; empty if there are few elements.
    shapes: Vec<Shape>,
    /// The elements of all other shapes.
    rare: RareShapes,
    /// The choice that the first element of config makes, and the signature of each prior element by it.
    likely: (Choice, Vec<u64>),
}

/// The prior elements of one shape.
struct Shape {
    /// The first of them, which shows the shape.
    example: usize,
    elements: Vec<u32>,
    /// By choice of null computed attributes.
    indexes: HashMap<Choice, Groups>,
}

impl<'v> SetMatcher<'v> {
    /// Prepares the prior elements of a set for the elements of config.
    pub(super) fn new(members: Members<'v>, prior: &'v [Value], config: &[Value]) -> Self {
        let used = vec![false; prior.len()];
        let (shapes, rare) = (Vec::new(), RareShapes::default());
        let mut this = Self { members, prior, used, shapes, rare, likely: Default::default() };
        if let (true, Some(config)) = (prior.len() > FEW, config.first()) {
            this.prepare(config);
        }
        this
    }

    /// Finds the shapes, and the likely signatures, in one pass.
    fn prepare(&mut self, config: &Value) {
        let mut first = Signature::of_config();
        first.object(self.members, &self.prior[0], config);
        let choice = first.choice;
        let mut signatures = Vec::with_capacity(self.prior.len());
        let mut by_hash: HashMap<u64, usize> = HashMap::new();
        for (i, element) in self.prior.iter().enumerate() {
            let mut hash = hasher();
            shape(self.members, element, &mut hash);
            let at = *by_hash.entry(hash.finish()).or_insert_with(|| {
                self.shapes.push(Shape { example: i, elements: Vec::new(), indexes: HashMap::new() });
                self.shapes.len() - 1
            });
            self.shapes[at].elements.push(i as u32);
            signatures.push(Signature::of_prior(self.members, element, choice));
        }
        self.likely = (choice, signatures);
        // Each index is asked about each element of config. With an index for every shape, 10,000 elements with map
        // keys of their own took 20 s, and by their rarest parts they take 0.13 s.
        if self.shapes.len() > MANY_SHAPES {
            self.shapes.sort_by_key(|shape| Reverse(shape.elements.len()));
            let rare = self.shapes.drain(MANY_SHAPES..).flat_map(|shape| shape.elements);
            let mut rare: Vec<u32> = rare.collect();
            rare.sort_unstable();
            self.rare = RareShapes::new(rare);
        }
    }

    /// The position of the first unused prior element that could have come from this element of config.
    pub(super) fn take(&mut self, config: &Value) -> Option<usize> {
        let found = if self.shapes.is_empty() {
            (0..self.prior.len())
                .find(|i| !self.used[*i] && could_have_come_from(self.members, &self.prior[*i], config))
        } else {
            let of_shapes = (0..self.shapes.len()).filter_map(|s| self.first_of_shape(s, config)).min();
            let rare = self.rare.first(self.members, self.prior, &self.used, config);
            of_shapes.into_iter().chain(rare).min()
        };
        if let Some(i) = found {
            self.used[i] = true;
        }
        found
    }

    fn first_of_shape(&mut self, shape: usize, config: &Value) -> Option<usize> {
        let Self { members, prior, used, shapes, likely, .. } = self;
        let shape = &mut shapes[shape];
        let example = &prior[shape.example];
        let mut found = Signature::of_config();
        if !found.object(*members, example, config) {
            return None;
        }
        let hash = found.hash.finish();
        let (choice, hash) = if shape.has_room_for(found.choice) {
            shape.index(found.choice, *members, prior, likely);
            (found.choice, hash)
        } else {
            // Look up by one configured attribute only: the one whose value is the rarest.
            let coarser = found.choice.single().chain([Choice::default()]).map(|choice| {
                let mut signature = Signature::new(choice, false);
                signature.object(*members, example, config);
                (choice, signature.hash.finish())
            });
            coarser
                .min_by_key(|(choice, hash)| shape.index(*choice, *members, prior, likely).get(*hash).len())?
        };
        let alike = shape.index(choice, *members, prior, likely).skip(hash, |i| used[i]);
        alike
            .iter()
            .map(|i| *i as usize)
            .find(|i| !used[*i] && could_have_come_from(*members, &prior[*i], config))
    }
}

impl Shape {
    fn has_room_for(&self, choice: Choice) -> bool {
        self.indexes.len() < MANY_CHOICES || self.indexes.contains_key(&choice)
    }

    /// The elements by their signatures under a choice.
    fn index(
        &mut self,
        choice: Choice,
        members: Members<'_>,
        prior: &[Value],
        likely: &(Choice, Vec<u64>),
    ) -> &mut Groups {
        let elements = &self.elements;
        self.indexes.entry(choice).or_insert_with(|| {
            let signature = |i: &u32| match likely.1.get(*i as usize) {
                Some(signature) if likely.0 == choice => *signature,
                _ => Signature::of_prior(members, &prior[*i as usize], choice),
            };
            let hashed: Vec<(u64, u32)> = elements.iter().map(|i| (signature(i), *i)).collect();
            Groups::new(&hashed)
        })
    }
}

#[cfg(test)]
mod tests;
