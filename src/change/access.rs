//! Looking into objects and collections the way the rules do: through null, unknown and marks.

use std::borrow::Cow;

use super::ChangeError;
use crate::schema::{Member, Members};
use crate::value::{Kind, PathStack, Type, Value};

/// Stands for a missing prior object or element. Its type does not matter, because nulls are compared as
/// nulls.
pub(super) static NOTHING: std::sync::LazyLock<Value> =
    std::sync::LazyLock::new(|| Value::null(Type::Dynamic));

/// A value's member by name: null in a null object, unknown in
/// an unknown one, and marked as the object is, unless that is null.
pub(super) fn member<'v>(
    object: &'v Value,
    position: usize,
    name: &str,
    declared: &Type,
    path: PathStack<'_>,
) -> Result<Cow<'v, Value>, ChangeError> {
    let missing = || ChangeError::MissingMember { path: path.to_path(), name: name.to_owned() };
    let marked = |value: Value| Cow::Owned(value.with_marks(object.marks()));
    match object.kind() {
        Kind::Object(o) => {
            let value = o.get_at(position, name).ok_or_else(missing)?;
            Ok(if object.is_marked() { marked(value.clone()) } else { Cow::Borrowed(value) })
        }
        kind @ (Kind::Null | Kind::Unknown(_)) => {
            let ty = match object.ty() {
                Type::Dynamic => declared.clone(),
                Type::Object(o) => o.attribute(name).ok_or_else(missing)?.clone(),
                _ => return Err(not_an_object(object, path)),
            };
            Ok(match kind {
                Kind::Null => Cow::Owned(Value::null(ty)),
                _ => marked(Value::unknown(ty)),
            })
        }
        _ => Err(not_an_object(object, path)),
    }
}

/// An object whose members are read in order.
#[derive(Clone, Copy)]
pub(super) struct ObjectView<'v> {
    value: &'v Value,
    /// The values by position, where the object has just the members that its schema says.
    aligned: Option<&'v [Value]>,
}

impl<'v> ObjectView<'v> {
    pub(super) fn new(value: &'v Value, members: Members<'_>) -> Self {
        Self { value, aligned: value.aligned(members.object_type()) }
    }

    pub(super) fn value(self) -> &'v Value {
        self.value
    }

    /// The members by position, if the object is known and has exactly the members of its schema.
    pub(super) fn aligned(self) -> Option<&'v [Value]> {
        self.aligned
    }

    /// The member at this position of the schema; see [`member`].
    #[inline]
    pub(super) fn get(
        &self,
        position: usize,
        name: &str,
        schema: Member<'_>,
        path: PathStack<'_>,
    ) -> Result<Cow<'v, Value>, ChangeError> {
        match self.aligned.and_then(|values| values.get(position)) {
            Some(value) => Ok(Cow::Borrowed(value)),
            None => self.look_up(position, name, schema, path),
        }
    }

    #[cold]
    fn look_up(
        &self,
        position: usize,
        name: &str,
        schema: Member<'_>,
        path: PathStack<'_>,
    ) -> Result<Cow<'v, Value>, ChangeError> {
        match schema {
            Member::Attribute(attribute) => {
                member(self.value, position, name, attribute.implied_type(), path)
            }
            Member::Blocks(nested) => member(self.value, position, name, &nested.implied_type(), path),
        }
    }
}

pub(super) fn not_an_object(value: &Value, path: PathStack<'_>) -> ChangeError {
    wrong_kind(value, "an object", path)
}

pub(super) fn wrong_kind(value: &Value, expected: &'static str, path: PathStack<'_>) -> ChangeError {
    ChangeError::WrongKind { path: path.to_path(), expected, found: path.ty(value.ty()) }
}

/// The elements of a known list or tuple.
pub(super) fn elements<'v>(value: &'v Value, path: PathStack<'_>) -> Result<&'v [Value], ChangeError> {
    match value.kind() {
        Kind::List(s) | Kind::Tuple(s) => Ok(s),
        _ => Err(wrong_kind(value, "a list", path)),
    }
}

/// The elements of a known set.
pub(super) fn set_elements<'v>(value: &'v Value, path: PathStack<'_>) -> Result<&'v [Value], ChangeError> {
    match value.kind() {
        Kind::Set(s) => Ok(s),
        _ => Err(wrong_kind(value, "a set", path)),
    }
}

/// The entries of a known map, or of an object in place of a map.
#[derive(Clone, Copy)]
pub(super) enum Keyed<'v> {
    Map(crate::value::Map<'v>),
    Object(crate::value::Object<'v>),
}

impl<'v> Keyed<'v> {
    pub(super) fn new(value: &'v Value, path: PathStack<'_>) -> Result<Self, ChangeError> {
        match value.kind() {
            Kind::Map(m) => Ok(Self::Map(m)),
            Kind::Object(o) => Ok(Self::Object(o)),
            _ => Err(wrong_kind(value, "a map", path)),
        }
    }

    pub(super) fn get(self, key: &str) -> Option<&'v Value> {
        match self {
            Self::Map(m) => m.get(key),
            Self::Object(o) => o.get(key),
        }
    }

    pub(super) fn len(self) -> usize {
        match self {
            Self::Map(m) => m.len(),
            Self::Object(o) => o.len(),
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = (&'v smol_str::SmolStr, &'v Value)> {
        let (map, object) = match self {
            Self::Map(m) => (Some(m.iter()), None),
            Self::Object(o) => (None, Some(o.iter())),
        };
        map.into_iter().flatten().chain(object.into_iter().flatten())
    }
}
