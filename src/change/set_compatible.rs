//! Which elements of a planned and an actual set are compatible, without trying each against each.
//!
//! What a planned element knows for certain must be found in its actual partner. So planned elements are
//! grouped by *shape*, which parts are certain, and for each shape both sets are indexed by a hash over
//! those parts. Elements that a hash cannot speak for are tried one by one.

use std::hash::Hasher;

use hashbrown::HashMap;

use super::groups::Groups;
use crate::schema::{Block, NestingMode};
use crate::value::{Kind, Value, hasher};

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
/// `schema` says what the elements are; without one they are plain values.
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
        unmatched.actual = rest
            .filter(|j| {
                let mut candidates = index.candidates_for_actual(*j, &actual[*j], schema);
                !candidates.any(|i| compatible(&planned[i], &actual[*j]))
            })
            .collect();
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

struct Index<'v> {
    planned: &'v [Value],
    shapes: Vec<Shape>,
    /// For each planned element its shape, and the hash of its certain parts.
    places: Vec<(usize, u64)>,
    /// Actual elements that a hash cannot speak for: parts of them would pass for anything. Ascending.
    odd: Vec<u32>,
}

struct Shape {
    /// A planned element that shows which parts are certain.
    example: usize,
    planned: Groups,
    actual: Groups,
}

impl<'v> Index<'v> {
    fn new(planned: &'v [Value], actual: &[Value], schema: Option<&Block>) -> Self {
        let mut by_hash: HashMap<u64, usize> = HashMap::new();
        let mut hashed: Vec<(usize, Vec<(u64, u32)>)> = Vec::new();
        let mut places = Vec::with_capacity(planned.len());
        for (i, element) in planned.iter().enumerate() {
            let mut shape = hasher();
            let mut certain = Certain { hash: hasher(), shape: Some(&mut shape) };
            certain.element(schema, element, element);
            let hash = certain.hash.finish();
            let at = *by_hash.entry(shape.finish()).or_insert_with(|| {
                hashed.push((i, Vec::new()));
                hashed.len() - 1
            });
            hashed[at].1.push((hash, i as u32));
            places.push((at, hash));
        }
        let is_odd = |j: &u32| schema.is_some_and(|block| is_odd(block, &actual[*j as usize]));
        let (odd, regular): (Vec<u32>, Vec<u32>) = (0..actual.len() as u32).partition(is_odd);
        let shape = |(example, planned_hashes): (usize, Vec<(u64, u32)>)| {
            let hash = |j: &u32| certain_hash(schema, &planned[example], &actual[*j as usize]);
            let actual_hashes: Vec<(u64, u32)> =
                regular.iter().filter_map(|j| Some((hash(j)?, *j))).collect();
            Shape { example, planned: Groups::new(&planned_hashes), actual: Groups::new(&actual_hashes) }
        };
        let shapes = hashed.into_iter().map(shape).collect();
        Self { planned, shapes, places, odd }
    }

    /// Actual elements with what this planned one knows for certain; those of the same rank first.
    fn candidates_for_planned(&self, i: usize) -> impl Iterator<Item = usize> {
        let (shape, hash) = self.places[i];
        let shape = &self.shapes[shape];
        let alike = shape.actual.get(hash);
        // Its rank among those that look like it: in sets that were planned well, partners have one rank.
        let rank = shape.planned.get(hash).binary_search(&(i as u32)).unwrap_or_default();
        let (before, from) = alike.split_at(rank.min(alike.len()));
        from.iter().chain(before).chain(&self.odd).map(|j| *j as usize)
    }

    /// Planned elements whose certain parts this actual one has.
    fn candidates_for_actual<'s>(
        &'s self,
        j: usize,
        element: &'s Value,
        schema: Option<&'s Block>,
    ) -> impl Iterator<Item = usize> + 's {
        let odd = self.odd.binary_search(&(j as u32)).is_ok();
        let all = if odd { 0..self.planned.len() } else { 0..0 };
        let shapes = if odd { &[] } else { self.shapes.as_slice() };
        let alike = shapes.iter().flat_map(move |shape| {
            certain_hash(schema, &self.planned[shape.example], element)
                .map_or(&[][..], |hash| shape.planned.get(hash))
        });
        all.chain(alike.map(|i| *i as usize))
    }
}

/// The hash of an element over the parts that are certain in `example`; `None` if it cannot be compatible
/// with an element of that shape.
fn certain_hash(schema: Option<&Block>, example: &Value, element: &Value) -> Option<u64> {
    let mut certain = Certain { hash: hasher(), shape: None };
    certain.element(schema, example, element).then(|| certain.hash.finish())
}

/// Collects the hash over the parts of a subject that a planned element knows for certain.
struct Certain<'h> {
    hash: foldhash::fast::FoldHasher<'static>,
    /// Takes down which parts are certain.
    shape: Option<&'h mut foldhash::fast::FoldHasher<'static>>,
}

impl Certain<'_> {
    fn note(&mut self, tag: usize) {
        if let Some(shape) = &mut self.shape {
            shape.write_usize(tag);
        }
    }

    fn element(&mut self, schema: Option<&Block>, planned: &Value, subject: &Value) -> bool {
        match schema {
            Some(block) => self.block(block, planned, subject),
            None => self.value(planned, subject),
        }
    }

    /// A value: false if the subject cannot be compatible.
    fn value(&mut self, planned: &Value, subject: &Value) -> bool {
        if planned.is_wholly_known() && !planned.ty().has_dynamic() {
            self.note(0);
            self.hash.write_u64(subject.content_hash());
            return true;
        }
        match (planned.kind(), subject.kind()) {
            (Kind::Object(p), Kind::Object(s)) => {
                self.note(1);
                p.iter().enumerate().all(|(i, (name, planned))| {
                    s.get_at(i, name).is_some_and(|subject| self.value(planned, subject))
                })
            }
            (Kind::List(p), Kind::List(s)) | (Kind::Tuple(p), Kind::Tuple(s)) => {
                self.note(2 + p.len());
                p.len() == s.len()
                    && std::iter::zip(p, s).all(|(planned, subject)| self.value(planned, subject))
            }
            (Kind::Object(_) | Kind::List(_) | Kind::Tuple(_), _) => false,
            _ => {
                self.note(usize::MAX);
                true
            }
        }
    }

    /// A block: false if the subject cannot be compatible.
    fn block(&mut self, schema: &Block, planned: &Value, subject: &Value) -> bool {
        if planned.is_null() {
            self.note(0);
            self.hash.write_u8(u8::from(subject.is_null()));
            return true;
        }
        let Some(p) = planned.as_object() else {
            // Unknown: its attributes may become anything.
            self.note(usize::MAX);
            return true;
        };
        self.note(1);
        let Some(s) = subject.as_object() else { return false };
        schema.positioned_attributes().all(|(i, name, _)| {
            match (p.get_at(i, name), s.get_at(i, name)) {
                (Some(planned), Some(subject)) => self.value(planned, subject),
                // What does not fit the schema is found out by the comparison itself.
                _ => true,
            }
        }) && schema.positioned_blocks().all(|(i, name, nested)| {
            let (Some(planned), Some(subject)) = (p.get_at(i, name), s.get_at(i, name)) else { return true };
            if nested.computed {
                return true;
            }
            match nested.nesting {
                NestingMode::Single | NestingMode::Group => self.block(&nested.block, planned, subject),
                _ if is_exact(&nested.block, nested.nesting, planned) => {
                    self.note(0);
                    self.hash.write_u64(subject.content_hash());
                    true
                }
                NestingMode::List => match (planned.as_elements(), subject.as_elements()) {
                    (Some(p), Some(s)) => {
                        self.note(2 + p.len());
                        p.len() == s.len()
                            && std::iter::zip(p, s).all(|(planned, s)| self.block(&nested.block, planned, s))
                    }
                    _ => {
                        self.note(usize::MAX);
                        true
                    }
                },
                _ => {
                    self.note(usize::MAX);
                    true
                }
            }
        })
    }
}

/// Whether blocks are compatible with equal blocks only: all is known, nothing passes for anything.
fn is_exact(schema: &Block, nesting: NestingMode, planned: &Value) -> bool {
    planned.is_wholly_known()
        && !planned.ty().has_dynamic()
        && matches!(nesting, NestingMode::List | NestingMode::Set)
        && planned.as_elements().is_some_and(|elements| elements.iter().all(|e| is_exact_object(schema, e)))
}

fn is_exact_object(schema: &Block, planned: &Value) -> bool {
    planned.as_object().is_none_or(|object| {
        schema.positioned_blocks().all(|(i, name, nested)| {
            !nested.computed
                && object.get_at(i, name).is_some_and(|value| match nested.nesting {
                    NestingMode::Single | NestingMode::Group => is_exact_object(&nested.block, value),
                    nesting => is_exact(&nested.block, nesting, value),
                })
        })
    })
}

/// Whether blocks inside of an actual element are null or unknown, which passes for any planned blocks.
fn is_odd(schema: &Block, actual: &Value) -> bool {
    if !actual.is_known() {
        return true;
    }
    actual.as_object().is_some_and(|object| {
        schema.positioned_blocks().any(|(i, name, nested)| {
            object.get_at(i, name).is_some_and(|value| match nested.nesting {
                NestingMode::Single | NestingMode::Group => is_odd(&nested.block, value),
                _ => match value.as_elements() {
                    Some(elements) => elements.iter().any(|e| is_odd(&nested.block, e)),
                    // Map blocks are never part of a hash.
                    None => nested.nesting != NestingMode::Map,
                },
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Index, Unmatched, match_each, match_sets};
    use crate::change::assert_object_compatible;
    use crate::schema::{Attribute, Block, NestedBlock, NestingMode};
    use crate::value::{Type, Value};

    fn schema() -> Block {
        let leaves =
            || [("key", Attribute::optional(Type::String)), ("uid", Attribute::computed(Type::String))];
        let held = |nesting| NestedBlock::new(nesting, Block::new(leaves(), []));
        Block::new(
            leaves(),
            [
                ("list", held(NestingMode::List)),
                ("one", held(NestingMode::Single)),
                ("set", held(NestingMode::Set)),
                ("spare", held(NestingMode::Set).computed()),
            ],
        )
    }

    fn leaf() -> impl Strategy<Value = Value> {
        prop_oneof![
            4 => (0u8..2).prop_map(|n| Value::from(n.to_string())),
            1 => Just(Value::null(Type::String)),
            2 => Just(Value::unknown(Type::String)),
        ]
    }

    fn inner() -> impl Strategy<Value = Value> {
        (leaf(), leaf()).prop_map(|(key, uid)| Value::object([("key", key), ("uid", uid)]))
    }

    fn element() -> impl Strategy<Value = Value> {
        let ty = || schema().block_type("one").map_or(Type::Dynamic, |b| b.block.implied_type().clone());
        let elements =
            || prop_oneof![9 => prop::collection::vec(inner(), 0..3).prop_map(Some), 1 => Just(None)];
        let maybe = prop_oneof![Just(None), inner().prop_map(Some)];
        (leaf(), leaf(), elements(), elements(), maybe).prop_map(move |(key, uid, list, set, one)| {
            let held = |set: Option<Vec<Value>>| {
                set.map_or_else(|| Value::null(Type::set(ty())), |set| Value::set(ty(), set).unwrap())
            };
            Value::object([
                ("key", key),
                ("uid", uid),
                (
                    "list",
                    list.map_or_else(|| Value::null(Type::list(ty())), |l| Value::list(ty(), l).unwrap()),
                ),
                ("one", one.unwrap_or_else(|| Value::null(ty()))),
                ("spare", held(set.clone())),
                ("set", held(set)),
            ])
        })
    }

    fn plain() -> impl Strategy<Value = Value> {
        prop::collection::vec((leaf(), leaf()), 2..3).prop_map(|pairs| {
            let objects = pairs.into_iter().map(|(a, b)| Value::object([("a", a), ("b", b)]));
            Value::object([("n", Value::tuple(objects))])
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn blocks_agree_with_trying_each(
            planned in prop::collection::vec(element(), 9..16),
            more in prop::collection::vec(element(), 0..8),
            kept in prop::collection::vec(0usize..9, 4..16),
        ) {
            let schema = schema();
            let mut actual = more;
            actual.extend(kept.iter().map(|i| planned[*i].clone()));
            prop_assume!(planned.len() * actual.len() > super::FEW_PAIRS);
            let compatible = |p: &Value, a: &Value| assert_object_compatible(&schema, p, a).is_empty();
            prop_assert_eq!(
                match_sets(&planned, &actual, Some(&schema), compatible),
                match_each(&planned, &actual, compatible)
            );
        }

        #[test]
        fn values_agree_with_trying_each(
            planned in prop::collection::vec(plain(), 9..16),
            more in prop::collection::vec(plain(), 0..8),
            kept in prop::collection::vec(0usize..9, 4..16),
        ) {
            let mut actual = more;
            actual.extend(kept.iter().map(|i| planned[*i].clone()));
            prop_assume!(planned.len() * actual.len() > super::FEW_PAIRS);
            let compatible =
                |p: &Value, a: &Value| crate::change::assert_value_compatible(p, a).is_empty();
            prop_assert_eq!(
                match_sets(&planned, &actual, None, compatible),
                match_each(&planned, &actual, compatible)
            );
        }
    }

    #[test]
    fn an_element_is_only_tried_with_those_that_share_what_is_certain() {
        let element = |key: usize, uid: Value| Value::object([("key", Value::from(key)), ("uid", uid)]);
        let planned: Vec<Value> = (0..20).map(|i| element(i, Value::unknown(Type::String))).collect();
        let actual: Vec<Value> = (0..20).map(|i| element(i, Value::from("x"))).collect();
        let index = Index::new(&planned, &actual, None);
        for i in 0..20 {
            assert_eq!(index.candidates_for_planned(i).collect::<Vec<_>>(), [i]);
        }
        let all_match = match_sets(&planned, &actual, None, |p, a| p.attribute("key") == a.attribute("key"));
        assert_eq!(all_match, Unmatched::default());
    }
}
