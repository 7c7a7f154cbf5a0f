//! Checks whether a schema has a path.

use super::attribute::{AttributeType, NestingMode};
use super::block::Block;
use super::members::{Member, Members};
use crate::value::{Kind, Path, PathStep, Type, Value};

/// A path that leads nowhere in any value of the schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {kind}")]
#[non_exhaustive]
pub struct UnknownPath {
    /// The path, without secret keys.
    pub path: Path,
    /// The number of its steps that the schema has.
    pub known: usize,
    /// Why it does not know the next.
    pub kind: UnknownPathKind,
    /// The names that could be there, if it is one that is not known.
    pub names: Vec<String>,
}

/// Why a schema does not know a step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownPathKind {
    /// The object has no member of that name.
    #[error("the schema has no such attribute or block")]
    NoSuchMember,
    /// The parts of an object have names.
    #[error("the schema has an object there, whose parts are written like .name")]
    NotAName,
    /// The elements of a list or tuple have numbers.
    #[error("the schema has a list there, whose elements are written like [0]")]
    NotAnIndex,
    /// The elements of a map have keys.
    #[error("the schema has a map there, whose elements are written like [\"key\"]")]
    NotAKey,
    /// The elements of a set have no name or number: an element that changes is another element.
    #[error("the schema has a set there, whose elements have neither names nor numbers; name the whole set")]
    NotAnElement,
    /// A tuple has fewer elements.
    #[error("the schema has fewer elements there")]
    NoSuchIndex,
    /// The value there has no parts.
    #[error("the schema has no such attribute or block: the value there has no parts")]
    NoParts,
}

impl UnknownPathKind {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::NoSuchMember => "no_such_member",
            Self::NotAName => "not_a_name",
            Self::NotAnIndex => "not_an_index",
            Self::NotAKey => "not_a_key",
            Self::NotAnElement => "not_an_element",
            Self::NoSuchIndex => "no_such_index",
            Self::NoParts => "no_parts",
        }
    }
}

/// The schema of the place that a path has led to.
#[derive(Clone, Copy)]
enum PathTarget<'s> {
    Object(Members<'s>),
    /// Blocks or nested objects, held in this way.
    Objects(NestingMode, Members<'s>),
    Value(&'s Type),
}

impl Block {
    /// Checks that a path leads to an attribute, a block, or a part of one that values of this schema have.
    /// A part that only a certain value lacks, such as the key of a map, is no error. Paths into sets are
    /// errors, because an element that changes is another element.
    ///
    /// # Errors
    ///
    /// No value of this schema has such a part.
    ///
    /// ```
    /// use objchange::Type;
    /// use objchange::schema::{Attribute, Block, UnknownPathKind};
    ///
    /// let block = Block::new([("tags", Attribute::optional(Type::map(Type::String)))], []);
    /// assert!(block.check_path(&r#"tags["Name"]"#.parse()?).is_ok());
    ///
    /// let error = block.check_path(&"tag".parse()?).unwrap_err();
    /// assert_eq!((error.kind, &error.names[..]), (UnknownPathKind::NoSuchMember, &["tags".to_owned()][..]));
    /// # Ok::<(), objchange::value::ParsePathError>(())
    /// ```
    pub fn check_path(&self, path: &Path) -> Result<(), UnknownPath> {
        let mut place = PathTarget::Object(Members::Block(self));
        for (known, step) in path.steps().iter().enumerate() {
            place = match place.step(step) {
                Ok(next) => next,
                Err(kind) => {
                    let names =
                        if kind == UnknownPathKind::NoSuchMember { place.names() } else { Vec::new() };
                    return Err(UnknownPath { path: self.hide_keys(path), known, kind, names });
                }
            };
        }
        Ok(())
    }
}

impl<'s> PathTarget<'s> {
    fn held(nesting: NestingMode, members: Members<'s>) -> Self {
        match nesting {
            NestingMode::Single | NestingMode::Group => Self::Object(members),
            _ => Self::Objects(nesting, members),
        }
    }

    fn step(self, step: &PathStep) -> Result<Self, UnknownPathKind> {
        match (self, step) {
            (Self::Object(members), PathStep::Attribute(name)) => match members.get(name) {
                None => Err(UnknownPathKind::NoSuchMember),
                Some(Member::Blocks(nested)) => Ok(Self::held(nested.nesting, Members::Block(&nested.block))),
                Some(Member::Attribute(attribute)) => Ok(match &attribute.ty {
                    AttributeType::Plain(ty) => Self::Value(ty),
                    AttributeType::Nested(nested) => Self::held(nested.nesting(), Members::Nested(nested)),
                }),
            },
            (Self::Object(_), PathStep::Index(_)) => Err(UnknownPathKind::NotAName),
            // Blocks with labels may be held by an object, whose parts have names.
            (Self::Objects(NestingMode::Map, members @ Members::Block(_)), PathStep::Attribute(_)) => {
                Ok(Self::Object(members))
            }
            (Self::Objects(nesting, members), step) => {
                element(nesting, step)?;
                Ok(Self::Object(members))
            }
            (Self::Value(ty), step) => step_in_type(ty, step).map(Self::Value),
        }
    }

    /// The names of the members of an object.
    fn names(self) -> Vec<String> {
        match self {
            Self::Object(members) => members.iter().map(|(name, _)| name.to_string()).collect(),
            Self::Value(Type::Object(ty)) => {
                ty.attributes().iter().map(|(name, _)| name.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether the step is one to an element of such a collection.
fn element(nesting: NestingMode, step: &PathStep) -> Result<(), UnknownPathKind> {
    let key = match step {
        PathStep::Index(key) => Some(key),
        PathStep::Attribute(_) => None,
    };
    let (fits, kind) = match nesting {
        NestingMode::Map => (key.is_some_and(|key| key.as_str().is_some()), UnknownPathKind::NotAKey),
        NestingMode::Set => (false, UnknownPathKind::NotAnElement),
        _ => (key.and_then(position).is_some(), UnknownPathKind::NotAnIndex),
    };
    if fits { Ok(()) } else { Err(kind) }
}

fn position(key: &Value) -> Option<u64> {
    match key.kind() {
        Kind::Number(number) => number.as_u64(),
        _ => None,
    }
}

fn step_in_type<'s>(ty: &'s Type, step: &PathStep) -> Result<&'s Type, UnknownPathKind> {
    match (ty, step) {
        (Type::Dynamic, _) => Ok(ty),
        (Type::List(inner), step) => element(NestingMode::List, step).map(|()| &**inner),
        (Type::Set(inner), step) => element(NestingMode::Set, step).map(|()| &**inner),
        (Type::Map(inner), step) => element(NestingMode::Map, step).map(|()| &**inner),
        (Type::Object(object), PathStep::Attribute(name)) => {
            object.attribute(name).ok_or(UnknownPathKind::NoSuchMember)
        }
        (Type::Object(_), PathStep::Index(_)) => Err(UnknownPathKind::NotAName),
        (Type::Tuple(elements), PathStep::Index(key)) => {
            let position = position(key).ok_or(UnknownPathKind::NotAnIndex)?;
            let position = usize::try_from(position).map_err(|_| UnknownPathKind::NoSuchIndex)?;
            elements.elements().get(position).ok_or(UnknownPathKind::NoSuchIndex)
        }
        (Type::Tuple(_), PathStep::Attribute(_)) => Err(UnknownPathKind::NotAnIndex),
        _ => Err(UnknownPathKind::NoParts),
    }
}
