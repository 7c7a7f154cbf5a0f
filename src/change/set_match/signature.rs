//! The keys for looking up matching elements: an element's shape, and a hash over the parts that must be equal.

use std::hash::Hasher;

use super::walk::{Element, MemberRole};
use crate::schema::{Members, NestingMode};
use crate::value::{Kind, Type, Value, hasher};

/// The computed leaves of an element that the configuration sets: one bit each, in the order of the walk. Leaves
/// after the 128th are treated as not set, which only makes groups larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Choice(u128);

impl Choice {
    /// For each leaf that this choice sets, the choice that sets it alone.
    pub(super) fn single(self) -> impl Iterator<Item = Self> {
        (0..u128::BITS).map(|leaf| Self(1 << leaf)).filter(move |single| self.0 & single.0 != 0)
    }
}

/// A hash over the parts of an element that must be equal for a prior element of a given shape to match.
pub(super) struct Signature {
    pub(super) hash: foldhash::fast::FoldHasher<'static>,
    pub(super) choice: Choice,
    /// Whether `choice` is collected from an element of the configuration; otherwise it is given.
    collects_choice: bool,
    /// The position of the next computed leaf.
    leaf: u32,
}

impl Signature {
    pub(super) fn new(choice: Choice, collects_choice: bool) -> Self {
        Self { hash: hasher(), choice, collects_choice, leaf: 0 }
    }

    pub(super) fn of_config() -> Self {
        Self::new(Choice::default(), true)
    }

    /// The signature of a prior element under a choice that configuration makes.
    pub(super) fn of_prior(members: Members<'_>, element: &Value, choice: Choice) -> u64 {
        let mut signature = Self::new(choice, false);
        signature.object(members, element, element);
        signature.hash.finish()
    }

    /// Adds the members of `subject`, walking the shape of `prior`. False if no prior element of this shape can match.
    pub(super) fn object(&mut self, members: Members<'_>, prior: &Value, subject: &Value) -> bool {
        let Some(shape) = Element::new(members, prior) else { return true };
        if members.are_plain() && shape.aligned && !shape.object.is_empty() {
            // The whole object must be equal. An empty one is excluded, because an unknown object may become it.
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
                MemberRole::Leaf { computed } => {
                    self.leaf(computed, subject);
                    true
                }
                MemberRole::Objects(NestingMode::Set, _) => {
                    self.leaf(false, subject);
                    true
                }
                MemberRole::Objects(nesting, members) => self.objects(nesting, members, prior, subject),
            }
        })
    }

    fn leaf(&mut self, computed: bool, subject: &Value) {
        if computed {
            let bit = 1u128.checked_shl(self.leaf).unwrap_or(0);
            self.leaf += 1;
            if self.collects_choice && !subject.is_null() {
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

/// Stands for each part of an unknown value in hashes.
static UNKNOWN: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::unknown(Type::Dynamic));

/// Hashes the structure of an element that the walk depends on: everything but the leaves.
pub(super) fn shape(members: Members<'_>, element: &Value, hash: &mut impl Hasher) {
    let Some(object) = Element::new(members, element) else {
        hash.write_u8(0);
        return;
    };
    hash.write_u8(1);
    object.all_parts(members, |_, _, part, value| {
        if let MemberRole::Objects(nesting, members) = part {
            match value.kind() {
                _ if nesting == NestingMode::Set => {}
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
                _ => hash.write_u8(3),
            }
        }
        true
    });
}
