//! Which prior element of a set a configured element could have become (spec section 3, "Set matching in
//! detail"), without trying each against each.
//!
//! Whether a prior element fits a configured one is decided by a walk over the prior element. What the walk
//! passes through depends only on the prior element's *shape*: where it has nulls, how long its nested lists
//! are, which keys its nested maps have. And the parts that must be equal depend on which computed
//! attributes configuration leaves null. So for each shape, and each such choice that occurs, the prior
//! elements are indexed by a hash over the parts that must be equal. Elements of one set mostly have one
//! shape and one choice; only sets made so that each element has its own pay for each pair.

mod signature;
mod walk;

use std::hash::Hasher;

use hashbrown::HashMap;

use self::signature::{Choice, Signature, shape};
use self::walk::could_have_come_from;
use super::groups::Groups;
use crate::schema::Members;
use crate::value::{Value, hasher};

/// Below this many prior elements, trying each is cheapest.
const FEW: usize = 8;
/// With more choices of null computed attributes than this, elements are indexed without them.
const MANY_CHOICES: usize = 64;

/// Hands out prior elements, each at most once.
pub(super) struct SetMatcher<'v> {
    members: Members<'v>,
    prior: &'v [Value],
    used: Vec<bool>,
    /// By shape; empty if there are few elements.
    shapes: Vec<Shape>,
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
        let mut this = Self { members, prior, used, shapes: Vec::new(), likely: Default::default() };
        if let (true, Some(config)) = (prior.len() > FEW, config.first()) {
            this.prepare(config);
        }
        this
    }

    /// Finds the shapes, and the signatures that are likely to be asked for, in one pass.
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
    }

    /// The position of the first unused prior element that could have come from this element of config.
    pub(super) fn take(&mut self, config: &Value) -> Option<usize> {
        let found = if self.shapes.is_empty() {
            (0..self.prior.len())
                .find(|i| !self.used[*i] && could_have_come_from(self.members, &self.prior[*i], config))
        } else {
            (0..self.shapes.len()).filter_map(|s| self.first_of_shape(s, config)).min()
        };
        if let Some(i) = found {
            self.used[i] = true;
        }
        found
    }

    fn first_of_shape(&mut self, shape: usize, config: &Value) -> Option<usize> {
        let Self { members, prior, used, shapes, likely } = self;
        let shape = &mut shapes[shape];
        let example = &prior[shape.example];
        let mut signature = Signature::of_config();
        if !signature.object(*members, example, config) {
            return None;
        }
        let mut choice = signature.choice;
        let mut hash = signature.hash.finish();
        if shape.indexes.len() >= MANY_CHOICES && !shape.indexes.contains_key(&choice) {
            choice = Choice::default();
            let mut without = Signature::new(choice, false);
            without.object(*members, example, config);
            hash = without.hash.finish();
        }
        let elements = &shape.elements;
        let index = shape.indexes.entry(choice).or_insert_with(|| {
            let signature = |i: &u32| match likely.1.get(*i as usize) {
                Some(signature) if likely.0 == choice => *signature,
                _ => Signature::of_prior(*members, &prior[*i as usize], choice),
            };
            let hashed: Vec<(u64, u32)> = elements.iter().map(|i| (signature(i), *i)).collect();
            Groups::new(&hashed)
        });
        let alike = index.skip(hash, |i| used[i]);
        alike
            .iter()
            .map(|i| *i as usize)
            .find(|i| !used[*i] && could_have_come_from(*members, &prior[*i], config))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Members, SetMatcher, could_have_come_from};
    use crate::schema::{Attribute, Block, NestedBlock, NestingMode};
    use crate::value::{Type, Value};

    /// A leaf of each kind, and each way of holding blocks inside.
    fn schema() -> Block {
        let leaves = || {
            [
                ("key", Attribute::optional(Type::String)),
                ("uid", Attribute::computed(Type::String)),
                ("zone", Attribute::optional_computed(Type::String)),
            ]
        };
        let inner = || Block::new(leaves(), []);
        let held = |nesting| NestedBlock::new(nesting, inner());
        Block::new(
            leaves(),
            [
                ("list", held(NestingMode::List)),
                ("map", held(NestingMode::Map)),
                ("one", held(NestingMode::Single)),
                ("set", held(NestingMode::Set)),
            ],
        )
    }

    fn leaf() -> impl Strategy<Value = Value> {
        prop_oneof![
            3 => (0u8..2).prop_map(|n| Value::from(n.to_string())),
            2 => Just(Value::null(Type::String)),
        ]
    }

    fn inner() -> impl Strategy<Value = Value> {
        (leaf(), leaf(), leaf())
            .prop_map(|(key, uid, zone)| Value::object([("key", key), ("uid", uid), ("zone", zone)]))
    }

    /// Elements from so few values that many look alike.
    fn element() -> impl Strategy<Value = Value> {
        let ty = || schema().block_type("one").map_or(Type::Dynamic, |b| b.block.implied_type().clone());
        let elements = || prop::collection::vec(inner(), 0..3);
        let maybe = prop_oneof![Just(None), inner().prop_map(Some)];
        (inner(), elements(), elements(), elements(), maybe).prop_map(move |(leaves, list, set, map, one)| {
            let members = leaves.as_object().into_iter().flat_map(crate::value::Object::iter);
            let mut members: Vec<(&str, Value)> = members.map(|(n, v)| (n.as_str(), v.clone())).collect();
            let keyed = map.into_iter().enumerate().map(|(i, v)| (i.to_string(), v));
            members.extend([
                ("list", Value::list(ty(), list).unwrap()),
                ("set", Value::set(ty(), set).unwrap()),
                ("map", Value::map(ty(), keyed).unwrap()),
                ("one", one.unwrap_or_else(|| Value::null(ty()))),
            ]);
            Value::object(members)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn agrees_with_trying_each(
            prior in prop::collection::vec(element(), 9..24),
            mut config in prop::collection::vec(element(), 0..12),
            echoed in prop::collection::vec(0usize..9, 0..12),
        ) {
            let schema = schema();
            let members = Members::Block(&schema);
            config.extend(echoed.iter().map(|i| prior[*i].clone()));
            let mut used = vec![false; prior.len()];
            let mut matcher = SetMatcher::new(members, &prior, &config);
            for element in &config {
                let model = (0..prior.len())
                    .find(|i| !used[*i] && could_have_come_from(members, &prior[*i], element));
                if let Some(i) = model {
                    used[i] = true;
                }
                prop_assert_eq!(matcher.take(element), model);
            }
        }
    }
}
