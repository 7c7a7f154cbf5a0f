//! Which prior element of a set a configured element could have become (spec section 3, "Set matching in
//! detail"), without trying each against each.
//!
//! Whether a prior element fits a configured one is decided by a walk over the prior element. What the walk
//! passes through depends only on the prior element's *shape*: where it has nulls, how long its nested lists
//! are, which keys its nested maps have. And the parts that must be equal depend on which computed
//! attributes configuration leaves null. So for each shape, and each such choice that occurs, the prior
//! elements are indexed by a hash over the parts that must be equal. Elements of one set mostly have one
//! shape and one choice; only sets made so that each element has its own pay for each pair.

use std::hash::Hasher;

use hashbrown::HashMap;

use super::groups::Groups;
use crate::schema::{AttributeType, Member, Members, NestingMode};
use crate::value::{Kind, Object, Type, Value, hasher};

/// What a member of an element is to the walk.
#[derive(Clone, Copy)]
enum Part<'s> {
    /// A value seen as a whole.
    Leaf { computed: bool },
    /// Objects held in this way.
    Objects(NestingMode, Members<'s>),
}

impl<'s> From<Member<'s>> for Part<'s> {
    fn from(member: Member<'s>) -> Self {
        match member {
            Member::Blocks(nested) => Self::Objects(nested.nesting, Members::Block(&nested.block)),
            Member::Attribute(attribute) => match &attribute.ty {
                AttributeType::Plain(_) => Self::Leaf { computed: attribute.computed },
                AttributeType::Nested(nested) => Self::Objects(nested.nesting(), Members::Nested(nested)),
            },
        }
    }
}

/// An element, or an object in it.
#[derive(Clone, Copy)]
struct Element<'v> {
    object: Object<'v>,
    /// Its attributes stand where the schema's type has them.
    aligned: bool,
}

impl<'v> Element<'v> {
    fn new(members: Members<'_>, value: &'v Value) -> Option<Self> {
        let object = value.as_object()?;
        Some(Self { object, aligned: object.follows(members.object_type()) })
    }

    fn get(self, position: usize, name: &str) -> Option<&'v Value> {
        if self.aligned { self.object.values().get(position) } else { self.object.get(name) }
    }

    /// Calls `visit` for each member that the object has, until it gives false.
    fn all_parts<'s>(
        self,
        members: Members<'s>,
        mut visit: impl FnMut(usize, &'s str, Part<'s>, &'v Value) -> bool,
    ) -> bool {
        members.iter().enumerate().all(|(position, (name, member))| match self.get(position, name) {
            Some(value) => visit(position, name, member.into(), value),
            None => true,
        })
    }
}

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

/// Which of an element's computed leaves configuration sets, in the order of the walk; those beyond the
/// 128th count as not set, which only makes groups larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Choice(u128);

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

/// The hash over the parts of an element that must be equal for a prior element of some shape to match.
struct Signature {
    hash: foldhash::fast::FoldHasher<'static>,
    choice: Choice,
    /// The element is one of config: `choice` is found out. Else it is given.
    finding: bool,
    /// The next computed leaf.
    leaf: u32,
}

impl Signature {
    fn new(choice: Choice, finding: bool) -> Self {
        Self { hash: hasher(), choice, finding, leaf: 0 }
    }

    fn of_config() -> Self {
        Self::new(Choice::default(), true)
    }

    /// The signature of a prior element by a choice of config.
    fn of_prior(members: Members<'_>, element: &Value, choice: Choice) -> u64 {
        let mut signature = Self::new(choice, false);
        signature.object(members, element, element);
        signature.hash.finish()
    }

    /// Adds the members of an object of the shape of `prior`; false if no such prior element can match.
    fn object(&mut self, members: Members<'_>, prior: &Value, subject: &Value) -> bool {
        let Some(shape) = Element::new(members, prior) else { return true };
        if members.are_plain() && shape.aligned {
            // All of the object must be equal.
            self.hash.write_u64(subject.content_hash());
            return true;
        }
        let found = match subject.kind() {
            Kind::Object(_) => Element::new(members, subject),
            Kind::Unknown(_) => None,
            _ => return shape.object.is_empty(),
        };
        shape.all_parts(members, |position, name, part, prior| {
            let subject = match found {
                Some(object) => match object.get(position, name) {
                    Some(value) => value,
                    None => return false,
                },
                None => &UNKNOWN,
            };
            match part {
                Part::Leaf { computed } => {
                    self.leaf(computed, subject);
                    true
                }
                Part::Objects(nesting, members) => self.objects(nesting, members, prior, subject),
            }
        })
    }

    fn leaf(&mut self, computed: bool, subject: &Value) {
        if computed {
            let bit = 1u128.checked_shl(self.leaf).unwrap_or(0);
            self.leaf += 1;
            if self.finding && !subject.is_null() {
                self.choice.0 |= bit;
            }
            if self.choice.0 & bit == 0 {
                return;
            }
        }
        self.hash.write_u64(subject.content_hash());
    }

    fn objects(
        &mut self,
        nesting: NestingMode,
        members: Members<'_>,
        prior: &Value,
        subject: &Value,
    ) -> bool {
        match prior.kind() {
            Kind::Set(_) => {
                self.hash.write_u64(subject.content_hash());
                true
            }
            Kind::List(elements) | Kind::Tuple(elements) => {
                let found = match subject.kind() {
                    Kind::List(s) | Kind::Tuple(s) => Some(s),
                    Kind::Unknown(_) => None,
                    _ => return elements.is_empty(),
                };
                elements.iter().enumerate().all(|(i, prior)| match found {
                    Some(found) => found.get(i).is_some_and(|s| self.object(members, prior, s)),
                    None => self.object(members, prior, &UNKNOWN),
                })
            }
            Kind::Map(entries) => entries.iter().all(|(key, prior)| match subject.kind() {
                Kind::Map(m) => m.get(key).is_some_and(|s| self.object(members, prior, s)),
                Kind::Unknown(_) => self.object(members, prior, &UNKNOWN),
                _ => false,
            }),
            Kind::Object(entries) if nesting == NestingMode::Map => {
                entries.iter().all(|(key, prior)| match subject.kind() {
                    Kind::Object(o) => o.get(key).is_some_and(|s| self.object(members, prior, s)),
                    Kind::Unknown(_) => self.object(members, prior, &UNKNOWN),
                    _ => false,
                })
            }
            Kind::Object(_) => self.object(members, prior, subject),
            _ => true,
        }
    }
}

/// What any part of an unknown value is, as far as hashes go.
static UNKNOWN: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::unknown(Type::Dynamic));

/// Writes what the walk over an element depends on besides its leaves.
fn shape(members: Members<'_>, element: &Value, hash: &mut impl Hasher) {
    let Some(object) = Element::new(members, element) else {
        hash.write_u8(0);
        return;
    };
    hash.write_u8(1);
    object.all_parts(members, |_, _, part, value| {
        if let Part::Objects(nesting, members) = part {
            match value.kind() {
                Kind::List(elements) | Kind::Tuple(elements) => {
                    hash.write_usize(elements.len());
                    elements.iter().for_each(|e| shape(members, e, hash));
                }
                Kind::Map(entries) => {
                    hash.write_usize(entries.len());
                    for (key, e) in entries.iter() {
                        hash.write(key.as_bytes());
                        shape(members, e, hash);
                    }
                }
                Kind::Object(entries) if nesting == NestingMode::Map => {
                    hash.write_usize(entries.len());
                    for (key, e) in entries.iter() {
                        hash.write(key.as_bytes());
                        shape(members, e, hash);
                    }
                }
                Kind::Object(_) => shape(members, value, hash),
                Kind::Set(_) => hash.write_u8(2),
                _ => hash.write_u8(3),
            }
        }
        true
    });
}

/// Whether this prior element could have come from this element of config: both are identical, refinements
/// aside, or each part of the prior element that differs is a computed leaf which config leaves null.
fn could_have_come_from(members: Members<'_>, prior: &Value, config: &Value) -> bool {
    if prior.identical_ignoring_refinements(config) {
        return true;
    }
    let Some(element) = Element::new(members, prior) else { return true };
    let found = match config.kind() {
        Kind::Object(_) => Element::new(members, config),
        Kind::Unknown(_) => None,
        _ => return element.object.is_empty(),
    };
    element.all_parts(members, |position, name, part, value| {
        let unknown;
        let other = match found {
            Some(object) => match object.get(position, name) {
                Some(other) => other,
                None => return false,
            },
            None => {
                unknown = Value::unknown(value.ty().clone());
                &unknown
            }
        };
        if value.identical_ignoring_refinements(other) {
            return true;
        }
        match part {
            Part::Leaf { computed } => computed && other.is_null() && !matches!(value.ty(), Type::Set(_)),
            Part::Objects(nesting, members) => objects_fit(nesting, members, value, other),
        }
    })
}

/// The same for all objects of a nested type or block, which differ somewhere.
fn objects_fit(nesting: NestingMode, members: Members<'_>, prior: &Value, config: &Value) -> bool {
    if matches!(config.ty(), Type::Set(_)) {
        return false;
    }
    let unknown = |prior: &Value| Value::unknown(prior.ty().clone());
    match prior.kind() {
        Kind::List(elements) | Kind::Tuple(elements) => {
            elements.iter().enumerate().all(|(i, prior)| match config.kind() {
                Kind::List(s) | Kind::Tuple(s) => {
                    s.get(i).is_some_and(|c| could_have_come_from(members, prior, c))
                }
                Kind::Unknown(_) => could_have_come_from(members, prior, &unknown(prior)),
                _ => false,
            })
        }
        Kind::Map(entries) => entries.iter().all(|(key, prior)| match config.kind() {
            Kind::Map(m) => m.get(key).is_some_and(|c| could_have_come_from(members, prior, c)),
            Kind::Unknown(_) => could_have_come_from(members, prior, &unknown(prior)),
            _ => false,
        }),
        Kind::Object(entries) if nesting == NestingMode::Map => {
            entries.iter().all(|(key, prior)| match config.kind() {
                Kind::Object(o) => o.get(key).is_some_and(|c| could_have_come_from(members, prior, c)),
                Kind::Unknown(_) => could_have_come_from(members, prior, &unknown(prior)),
                _ => false,
            })
        }
        Kind::Object(_) => could_have_come_from(members, prior, config),
        // Nothing is below a null.
        _ => true,
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
