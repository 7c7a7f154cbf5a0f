//! Making values.

use std::hash::Hasher;
use std::sync::Arc;
use std::vec::Drain;

use smol_str::SmolStr;
use triomphe::ThinArc;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_stream_safe_quick};

use super::entries::sort_by_key;
use super::equality::hasher;
use super::set::SetElements;
use super::{Flags, Head, Kind, ObjectType, Repr, Type, Value};

/// The elements given for a collection have different types.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the elements of a collection must have one type, but one is {expected} and another {found}")]
#[non_exhaustive]
pub struct ConstructError {
    /// The type that the elements should have.
    pub expected: Type,
    /// The type that one has.
    pub found: Type,
}

impl ConstructError {
    /// The stable name of the kind of error: there is one.
    pub fn kind(&self) -> &'static str {
        "mixed_types"
    }
}

/// Normal form C, as Go's text packages make it: long runs of combining marks are broken up.
pub(crate) fn normal_form(text: &str) -> SmolStr {
    // cty normalises each string and key (`cty.NormalizeString`). ASCII is in form C already.
    if text.is_ascii() || is_nfc_stream_safe_quick(text.chars()) == IsNormalized::Yes {
        return text.into();
    }
    text.chars().stream_safe().nfc().collect()
}

impl Value {
    /// A list of elements of this type.
    ///
    /// If the element type is dynamic, the elements' own type is used. Untyped null or unknown elements
    /// take the element type.
    ///
    /// # Errors
    ///
    /// An element has another type.
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let list = Value::list(Type::String, ["a", "b"])?;
    /// assert_eq!(list.ty(), &Type::list(Type::String));
    /// assert!(Value::list(Type::Number, ["a"]).is_err());
    /// # Ok::<(), objchange::value::ConstructError>(())
    /// ```
    pub fn list<V: Into<Value>>(
        element: Type,
        elements: impl IntoIterator<Item = V>,
    ) -> Result<Self, ConstructError> {
        Self::checked_list(&Type::list(element), elements.into_iter().map(Into::into).collect())
    }

    /// A set of elements of this type. Equal elements are merged, and marks of elements move to the set.
    ///
    /// # Errors
    ///
    /// As for [`list`](Self::list).
    pub fn set<V: Into<Value>>(
        element: Type,
        elements: impl IntoIterator<Item = V>,
    ) -> Result<Self, ConstructError> {
        Self::checked_set(&Type::set(element), elements.into_iter().map(Into::into).collect())
    }

    /// A map of elements of this type. If a key is repeated the last element wins.
    ///
    /// # Errors
    ///
    /// As for [`list`](Self::list).
    pub fn map<K: AsRef<str>, V: Into<Value>>(
        element: Type,
        elements: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, ConstructError> {
        let entries = elements.into_iter().map(|(k, v)| (normal_form(k.as_ref()), v.into())).collect();
        Self::checked_map(&Type::map(element), entries)
    }

    /// A tuple of these elements.
    pub fn tuple<V: Into<Value>>(elements: impl IntoIterator<Item = V>) -> Self {
        let mut elements: Vec<Value> = elements.into_iter().map(Into::into).collect();
        let ty = Type::tuple(elements.iter().map(|e| e.ty().clone()));
        Self(Repr::Tuple(sealed(ty, 'T', Flags::default(), elements.drain(..))))
    }

    /// An object with these attributes. If a name is repeated the last one wins.
    pub fn object<N: Into<SmolStr>, V: Into<Value>>(attributes: impl IntoIterator<Item = (N, V)>) -> Self {
        let attributes: Vec<(SmolStr, Value)> =
            attributes.into_iter().map(|(n, v)| (n.into(), v.into())).collect();
        let ty = Arc::new(ObjectType::new(attributes.iter().map(|(n, v)| (n.clone(), v.ty().clone()))));
        let mut values: Vec<Option<Value>> = vec![None; ty.attributes().len()];
        for (name, value) in attributes {
            if let Some(slot) = ty.position(&name).and_then(|i| values.get_mut(i)) {
                *slot = Some(value);
            }
        }
        let mut values: Vec<Value> = values.into_iter().flatten().collect();
        Self(Repr::Object(sealed(Type::Object(ty), 'O', Flags::default(), values.drain(..))))
    }

    /// An object with the attribute names of `template`, and its type where the values fit it.
    pub(crate) fn object_like(template: &Arc<ObjectType>, mut values: Vec<Value>) -> Self {
        Self::object_of(template, values.drain(..))
    }

    /// Like [`object_like`](Self::object_like).
    pub(super) fn object_of(template: &Arc<ObjectType>, values: Drain<'_, Value>) -> Self {
        debug_assert_eq!(template.attributes().len(), values.len());
        // In cty optional attributes belong to the targets of conversions. No value has a type with them.
        let fits = template.optional().is_empty()
            && std::iter::zip(template.attributes(), values.as_slice()).all(|((_, ty), v)| ty == v.ty());
        let ty = if fits {
            template.clone()
        } else {
            let names = template.attributes().iter().map(|(n, _)| n.clone());
            Arc::new(ObjectType::new(names.zip(values.as_slice().iter().map(|v| v.ty().clone()))))
        };
        Self(Repr::Object(sealed(Type::Object(ty), 'O', Flags::default(), values)))
    }

    /// A list with the type of `template` where the elements fit it, else with the type that they have;
    /// a tuple if they have several.
    pub(crate) fn list_like(template: &Type, mut elements: Vec<Value>) -> Self {
        let inferred = || element_type(&Type::list(Type::Dynamic), &elements);
        match element_type(template, &elements).or_else(|_| inferred()) {
            Ok(ty) => Self::sealed_list(list_type(template, ty), &mut elements, 0),
            Err(_) => Self::tuple(elements),
        }
    }

    /// Like [`list_like`](Self::list_like), but elements of several types are an error.
    pub(crate) fn checked_list(template: &Type, mut elements: Vec<Value>) -> Result<Self, ConstructError> {
        Self::list_of(template, &mut elements, 0)
    }

    /// Like [`checked_list`](Self::checked_list), with the elements from `from` on.
    pub(super) fn list_of(
        template: &Type,
        elements: &mut Vec<Value>,
        from: usize,
    ) -> Result<Self, ConstructError> {
        let ty = element_type(template, &elements[from..])?;
        Ok(Self::sealed_list(list_type(template, ty), elements, from))
    }

    fn sealed_list(ty: Type, elements: &mut Vec<Value>, from: usize) -> Self {
        give_type(&ty, &mut elements[from..]);
        Self(Repr::List(sealed(ty, 'L', Flags::default(), elements.drain(from..))))
    }

    /// A set with the type of `template` where the elements fit it, else with the type that they have;
    /// a tuple if they have several.
    pub(crate) fn set_like(template: &Type, elements: Vec<Value>) -> Self {
        let inferred = |(_, elements)| Self::checked_set_of(&Type::set(Type::Dynamic), elements);
        match Self::checked_set_of(template, elements).or_else(inferred) {
            Ok(set) => set,
            Err((_, elements)) => Self::tuple(elements),
        }
    }

    /// Like [`set_like`](Self::set_like), but elements of several types are an error.
    pub(crate) fn checked_set(template: &Type, elements: Vec<Value>) -> Result<Self, ConstructError> {
        Self::checked_set_of(template, elements).map_err(|(error, _)| error)
    }

    fn checked_set_of(
        template: &Type,
        mut elements: Vec<Value>,
    ) -> Result<Self, (ConstructError, Vec<Value>)> {
        let ty = match element_type(template, &elements) {
            Ok(Some(element)) => Type::set(element),
            Ok(None) => template.clone(),
            Err(error) => return Err((error, elements)),
        };
        give_type(&ty, &mut elements);
        let mut members = SetElements::new(elements);
        let flags = if members.tied { Flags::TIED } else { Flags::default() };
        Ok(Self(Repr::Set(sealed(ty, 'S', flags, members.elements.drain(..)))).with_marks(members.marks))
    }

    /// A set of elements that are distinct, in order, without ties, and fit the type.
    pub(crate) fn sorted_set(ty: &Type, mut elements: Vec<Value>) -> Self {
        Self(Repr::Set(sealed(ty.clone(), 'S', Flags::default(), elements.drain(..))))
    }

    /// Whether the order of some elements of this set is that of insertion.
    pub(crate) fn is_tied(&self) -> bool {
        self.unmarked().head().is_some_and(|head| head.flags.has(Flags::TIED))
    }

    /// A map with the type of `template` where the elements fit it, else with the type that they have;
    /// an object if they have several.
    pub(crate) fn map_like(template: &Type, entries: Vec<(SmolStr, Value)>) -> Self {
        let element_type_from = |template: &Type| element_type_of(template, entries.iter().map(|(_, v)| v));
        match element_type_from(template).or_else(|_| element_type_from(&Type::map(Type::Dynamic))) {
            Ok(element) => Self::sealed_map(element.map_or_else(|| template.clone(), Type::map), entries),
            Err(_) => Self::object(entries),
        }
    }

    /// Like [`map_like`](Self::map_like), but elements of several types are an error.
    pub(crate) fn checked_map(
        template: &Type,
        entries: Vec<(SmolStr, Value)>,
    ) -> Result<Self, ConstructError> {
        let element = element_type_of(template, entries.iter().map(|(_, v)| v))?;
        Ok(Self::sealed_map(element.map_or_else(|| template.clone(), Type::map), entries))
    }

    fn sealed_map(ty: Type, mut entries: Vec<(SmolStr, Value)>) -> Self {
        sort_by_key(&mut entries);
        if let Some(element) = ty.element() {
            for (_, value) in &mut entries {
                retype(value, element);
                share_type(value, element);
            }
        }
        let mut hasher = hasher();
        hasher.write_u8(b'M');
        let mut flags = Flags::default();
        for (key, value) in &entries {
            hasher.write(key.as_bytes());
            hasher.write_u64(value.content_hash());
            flags = flags.with(value.flags());
        }
        let head = Head { ty, hash: hasher.finish(), flags: Flags(flags.0 & Flags::INHERITED.0) };
        Self(Repr::Map(ThinArc::from_header_and_iter(head, entries.into_iter())))
    }
}

fn list_type(template: &Type, element: Option<Type>) -> Type {
    element.map_or_else(|| template.clone(), Type::list)
}

/// The element type that a collection of these elements has, if not the one that the template says.
fn element_type(template: &Type, elements: &[Value]) -> Result<Option<Type>, ConstructError> {
    element_type_of(template, elements.iter())
}

fn element_type_of<'a>(
    template: &Type,
    elements: impl Iterator<Item = &'a Value> + Clone,
) -> Result<Option<Type>, ConstructError> {
    let declared = template.element().unwrap_or(&Type::Dynamic);
    if elements.clone().all(|e| e.ty() == declared) {
        return Ok(None);
    }
    // An untyped null or unknown takes the type of the others.
    let mut typed = elements.map(Value::ty).filter(|ty| **ty != Type::Dynamic);
    let expected = if declared.has_dynamic() { typed.next().unwrap_or(declared) } else { declared };
    match typed.find(|ty| *ty != expected) {
        Some(found) => Err(ConstructError { expected: expected.clone(), found: found.clone() }),
        None if expected == declared => Ok(None),
        None => Ok(Some(expected.clone())),
    }
}

/// Gives untyped elements the element type of the collection.
fn give_type(ty: &Type, elements: &mut [Value]) {
    if let Some(element) = ty.element() {
        for value in elements {
            retype(value, element);
            share_type(value, element);
        }
    }
}

/// Makes a value and its parts share an equal type, so that later comparisons of the types are O(1). Only
/// for a value that is not shared yet.
fn share_type(value: &mut Value, ty: &Type) {
    if value.ty().is_shared_with(ty) || value.ty() != ty {
        return;
    }
    match &mut value.0 {
        Repr::List(seq) | Repr::Set(seq) | Repr::Tuple(seq) | Repr::Object(seq) => seq.with_arc_mut(|arc| {
            let Some(inner) = triomphe::Arc::get_mut(arc) else { return };
            inner.header_mut().ty = ty.clone();
            for (i, part) in inner.slice_mut().iter_mut().enumerate() {
                match ty {
                    Type::List(element) | Type::Set(element) => share_type(part, element),
                    Type::Object(object) => share_type(part, &object.attributes()[i].1),
                    Type::Tuple(tuple) => share_type(part, &tuple.elements()[i]),
                    _ => {}
                }
            }
        }),
        Repr::Map(entries) => entries.with_arc_mut(|arc| {
            let Some(inner) = triomphe::Arc::get_mut(arc) else { return };
            inner.header_mut().ty = ty.clone();
            for (_, part) in inner.slice_mut() {
                if let Type::Map(element) = ty {
                    share_type(part, element);
                }
            }
        }),
        _ => {}
    }
}

fn retype(value: &mut Value, ty: &Type) {
    if *value.ty() == Type::Dynamic && *ty != Type::Dynamic {
        let marks = value.marks();
        let plain = match value.kind() {
            Kind::Null => Value::null(ty.clone()),
            _ => Value::unknown(ty.clone()),
        };
        *value = plain.with_marks(marks);
    }
}

/// Stores the elements behind a header with facts about all of them.
pub(super) fn sealed(ty: Type, kind: char, own: Flags, elements: Drain<'_, Value>) -> super::Seq {
    let mut hasher = hasher();
    hasher.write_u8(kind as u8);
    let mut flags = Flags::default();
    // Equal sets may iterate differently where order keys tie, so their hash must not see the order.
    let mut members = 0u64;
    for element in elements.as_slice() {
        let hash = element.content_hash();
        if kind == 'S' {
            members = members.wrapping_add(hash);
        } else {
            hasher.write_u64(hash);
        }
        flags = flags.with(element.flags());
    }
    hasher.write_u64(members);
    let flags = Flags(flags.0 & Flags::INHERITED.0).with(own);
    let head = Head { ty, hash: hasher.finish(), flags };
    ThinArc::from_header_and_iter(head, elements)
}
