//! Access to the kind and content of a value.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Head, Number, ObjectType, Refinements, Repr, Seq, Type, Value};

/// The content of a value without its own marks, for matching.
///
/// ```
/// use objchange::Value;
/// use objchange::value::Kind;
///
/// match Value::from("x").kind() {
///     Kind::String(s) => assert_eq!(s, "x"),
///     other => panic!("not a string: {other:?}"),
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Kind<'a> {
    /// Null.
    Null,
    /// Unknown, with promises about the final value.
    Unknown(&'a Refinements),
    /// A known bool.
    Bool(bool),
    /// A known number.
    Number(&'a Number),
    /// A known string.
    String(&'a str),
    /// The elements of a list.
    List(&'a [Value]),
    /// The elements of a set, in set order.
    Set(&'a [Value]),
    /// The elements of a tuple.
    Tuple(&'a [Value]),
    /// The elements of a map by key.
    Map(Map<'a>),
    /// The attributes of an object.
    Object(Object<'a>),
}

/// The elements of a map, in byte order of their keys.
#[derive(Debug, Clone, Copy)]
pub struct Map<'a>(&'a [(SmolStr, Value)]);

/// The attributes of an object, in byte order of their names.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    ty: &'a ObjectType,
    values: &'a [Value],
}

impl<'a> Map<'a> {
    /// The number of elements.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there is no element.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The element of this key.
    pub fn get(self, key: &str) -> Option<&'a Value> {
        self.position(key).map(|i| &self.0[i].1)
    }

    /// The position of the element with this key.
    pub(crate) fn position(self, key: &str) -> Option<usize> {
        self.0.binary_search_by(|(k, _)| k.as_str().cmp(key)).ok()
    }

    /// The elements' values, each with its key, in byte order of the keys.
    pub(crate) fn entries(self) -> &'a [(SmolStr, Value)] {
        self.0
    }

    /// The elements with their keys, in byte order of the keys.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (&'a SmolStr, &'a Value)> {
        self.0.iter().map(|(k, v)| (k, v))
    }
}

impl<'a> Object<'a> {
    /// The number of attributes.
    pub fn len(self) -> usize {
        self.values.len()
    }

    /// Whether there is no attribute.
    pub fn is_empty(self) -> bool {
        self.values.is_empty()
    }

    /// The attribute of this name.
    pub fn get(self, name: &str) -> Option<&'a Value> {
        self.ty.position(name).map(|i| &self.values[i])
    }

    /// The attribute of this name, which is likely to be at this position.
    pub(crate) fn get_at(self, position: usize, name: &str) -> Option<&'a Value> {
        self.position_at(position, name).map(|i| &self.values[i])
    }

    /// The position of the attribute of this name, which is likely to be this one.
    pub(crate) fn position_at(self, likely: usize, name: &str) -> Option<usize> {
        match self.ty.attributes().get(likely) {
            Some((n, _)) if n == name => Some(likely),
            _ => self.ty.position(name),
        }
    }

    /// Whether the attributes are those of `layout`, at the same positions.
    pub(crate) fn follows(self, layout: &ObjectType) -> bool {
        std::ptr::eq(self.ty, layout)
            || self.ty.attributes().len() == layout.attributes().len()
                && std::iter::zip(self.ty.attributes(), layout.attributes()).all(|((a, _), (b, _))| a == b)
    }

    /// The attributes with their names, in byte order of the names.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (&'a SmolStr, &'a Value)> {
        std::iter::zip(self.ty.attributes(), self.values).map(|((n, _), v)| (n, v))
    }

    /// The attributes' values, in byte order of the names.
    pub fn values(self) -> &'a [Value] {
        self.values
    }

    /// The type of the object.
    pub fn object_type(self) -> &'a ObjectType {
        self.ty
    }
}

fn object(seq: &Seq) -> Object<'_> {
    match &seq.header.header.ty {
        Type::Object(ty) => Object { ty, values: &seq.slice },
        // `Repr::Object` is only ever built with an object type.
        _ => Object { ty: empty_object_type(), values: &[] },
    }
}

fn empty_object_type() -> &'static ObjectType {
    static EMPTY: std::sync::LazyLock<ObjectType> =
        std::sync::LazyLock::new(|| ObjectType::new::<SmolStr>([]));
    &EMPTY
}

impl Value {
    /// The content of the value without its own marks.
    pub fn kind(&self) -> Kind<'_> {
        match &self.0 {
            Repr::Null(_) => Kind::Null,
            Repr::Unknown(u) => Kind::Unknown(&u.refinements),
            Repr::Bool(b) => Kind::Bool(*b),
            Repr::Number(n) => Kind::Number(n),
            Repr::String(s) => Kind::String(s),
            Repr::List(s) => Kind::List(&s.slice),
            Repr::Set(s) => Kind::Set(&s.slice),
            Repr::Tuple(s) => Kind::Tuple(&s.slice),
            Repr::Map(m) => Kind::Map(Map(&m.slice)),
            Repr::Object(s) => Kind::Object(object(s)),
            Repr::Marked(m) => m.value.kind(),
        }
    }

    /// The bool, if this is a known one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The number, if this is a known one.
    pub fn as_number(&self) -> Option<&Number> {
        match self.kind() {
            Kind::Number(n) => Some(n),
            _ => None,
        }
    }

    /// The string, if this is a known one.
    pub fn as_str(&self) -> Option<&str> {
        match self.kind() {
            Kind::String(s) => Some(s),
            _ => None,
        }
    }

    /// The attributes' values, if this is a known, unmarked object with the attribute names of `layout`.
    pub(crate) fn aligned(&self, layout: &Arc<ObjectType>) -> Option<&[Value]> {
        let Repr::Object(seq) = &self.0 else { return None };
        object(seq).follows(layout).then_some(&seq.slice)
    }

    /// The elements, if this is a known list, set or tuple.
    pub fn as_elements(&self) -> Option<&[Value]> {
        match self.kind() {
            Kind::List(s) | Kind::Set(s) | Kind::Tuple(s) => Some(s),
            _ => None,
        }
    }

    /// The elements by key, if this is a known map.
    pub fn as_map(&self) -> Option<Map<'_>> {
        match self.kind() {
            Kind::Map(m) => Some(m),
            _ => None,
        }
    }

    /// The attributes, if this is a known object.
    pub fn as_object(&self) -> Option<Object<'_>> {
        match self.kind() {
            Kind::Object(o) => Some(o),
            _ => None,
        }
    }

    /// The refinements of this value, if it is unknown.
    pub fn refinements(&self) -> Option<&Refinements> {
        match self.kind() {
            Kind::Unknown(r) => Some(r),
            _ => None,
        }
    }

    /// The attribute of an object by name; `None` if it is missing, or the value is not a known object.
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let disk = Value::object([("size", 20)]);
    /// assert_eq!(disk.attribute("size"), Some(&Value::from(20)));
    /// assert_eq!(disk.attribute("name"), None);
    /// assert_eq!(Value::unknown(disk.ty().clone()).attribute("size"), None);
    /// ```
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// The element of a list or tuple by position, or of a set in set order.
    ///
    /// ```
    /// use objchange::Value;
    ///
    /// let ports = Value::tuple([80, 443]);
    /// assert_eq!(ports.index(1), Some(&Value::from(443)));
    /// assert_eq!(ports.index(2), None);
    /// ```
    pub fn index(&self, position: usize) -> Option<&Value> {
        self.as_elements()?.get(position)
    }

    /// The element of a map by key; `None` if it is missing, or the value is not a known map.
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let tags = Value::map(Type::String, [("env", "prod")])?;
    /// assert_eq!(tags.element("env"), Some(&Value::from("prod")));
    /// assert_eq!(tags.element("team"), None);
    /// # Ok::<(), objchange::value::ConstructError>(())
    /// ```
    pub fn element(&self, key: &str) -> Option<&Value> {
        self.as_map()?.get(key)
    }

    /// The number of elements or attributes of a known collection, tuple or object.
    ///
    /// A set with unknown parts may turn out smaller: its elements may turn out equal.
    pub fn len(&self) -> Option<usize> {
        match self.kind() {
            Kind::List(s) | Kind::Set(s) | Kind::Tuple(s) => Some(s.len()),
            Kind::Map(m) => Some(m.len()),
            Kind::Object(o) => Some(o.len()),
            _ => None,
        }
    }

    /// Whether this is a known collection, tuple or object without elements or attributes.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    pub(super) fn head(&self) -> Option<&Head> {
        match &self.0 {
            Repr::List(s) | Repr::Set(s) | Repr::Tuple(s) | Repr::Object(s) => Some(&s.header.header),
            Repr::Map(m) => Some(&m.header.header),
            _ => None,
        }
    }

    /// The elements, attributes or entries of a known container, without their keys.
    pub(crate) fn children(&self) -> impl Iterator<Item = &Value> {
        let (values, entries): (&[Value], &[(SmolStr, Value)]) = match self.kind() {
            Kind::List(s) | Kind::Set(s) | Kind::Tuple(s) => (s, &[]),
            Kind::Object(o) => (o.values, &[]),
            Kind::Map(m) => (&[], m.0),
            _ => (&[], &[]),
        };
        values.iter().chain(entries.iter().map(|(_, v)| v))
    }
}
