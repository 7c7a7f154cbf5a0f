//! The walk over a prior element that decides whether it could have come from a configured one.

use crate::schema::{AttributeType, Member, Members, NestingMode};
use crate::value::{Kind, Object, Type, Value};

/// How the walk treats a member of an element.
#[derive(Clone, Copy)]
pub(super) enum MemberRole<'s> {
    /// A value seen as a whole.
    Leaf { computed: bool },
    /// Objects held in this way.
    Objects(NestingMode, Members<'s>),
}

impl<'s> From<Member<'s>> for MemberRole<'s> {
    fn from(member: Member<'s>) -> Self {
        match member {
            Member::Blocks(nested) => Self::Objects(nested.nesting, Members::Block(&nested.block)),
            Member::Attribute(attribute) => match &attribute.ty {
                // A null set in the configuration equals only null, even if the set is computed.
                AttributeType::Plain(Type::Set(_)) => Self::Leaf { computed: false },
                AttributeType::Plain(_) => Self::Leaf { computed: attribute.computed },
                AttributeType::Nested(nested) => Self::Objects(nested.nesting(), Members::Nested(nested)),
            },
        }
    }
}

/// An element, or an object in it.
#[derive(Clone, Copy)]
pub(super) struct Element<'v> {
    pub(super) object: Object<'v>,
    /// The attributes have the positions of the schema's type.
    pub(super) aligned: bool,
}

impl<'v> Element<'v> {
    pub(super) fn new(members: Members<'_>, value: &'v Value) -> Option<Self> {
        let object = value.as_object()?;
        Some(Self { object, aligned: object.follows(members.object_type()) })
    }

    pub(super) fn get(self, position: usize, name: &str) -> Option<&'v Value> {
        if self.aligned { self.object.values().get(position) } else { self.object.get(name) }
    }

    /// Calls `visit` for each member that the object has, until it gives false.
    pub(super) fn all_parts<'s>(
        self,
        members: Members<'s>,
        mut visit: impl FnMut(usize, &'s str, MemberRole<'s>, &'v Value) -> bool,
    ) -> bool {
        members.iter().enumerate().all(|(position, (name, member))| match self.get(position, name) {
            Some(value) => visit(position, name, member.into(), value),
            None => true,
        })
    }
}

/// Whether this prior element could have come from this element of config: both are identical, refinements
/// aside, or each part of the prior element that differs is a computed leaf which config leaves null.
pub(super) fn could_have_come_from(members: Members<'_>, prior: &Value, config: &Value) -> bool {
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
            MemberRole::Leaf { computed } => {
                computed && other.is_null() && !matches!(value.ty(), Type::Set(_))
            }
            MemberRole::Objects(nesting, members) => objects_fit(nesting, members, value, other),
        }
    })
}

/// Whether all objects of a nested type or block fit, given that they are not equal as a whole.
fn objects_fit(nesting: NestingMode, members: Members<'_>, prior: &Value, config: &Value) -> bool {
    if nesting == NestingMode::Set || matches!(config.ty(), Type::Set(_)) {
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
