//! Types: what a value may hold, and their JSON form.

use std::fmt;
use std::sync::Arc;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use smol_str::SmolStr;

use super::build::normal_form;

/// The type of a [`Value`](crate::Value): Terraform's primitive, collection and structural types.
///
/// A clone is O(1). Types that share their structure compare in O(1).
///
/// ```
/// use objchange::Type;
///
/// let ty = Type::list(Type::object([("name", Type::String), ("port", Type::Number)]));
/// assert_eq!(ty.to_string(), r#"["list",["object",{"name":"string","port":"number"}]]"#);
/// assert_eq!(serde_json::from_str::<Type>(&ty.to_string())?, ty);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub enum Type {
    /// Not known yet: only null and unknown values have exactly this type.
    /// Inside a collection or an object it stands for any type.
    Dynamic,
    /// Unicode text in normal form C.
    String,
    /// An exact number.
    Number,
    /// `true` or `false`.
    Bool,
    /// A sequence of elements of one type.
    List(Arc<Type>),
    /// Distinct elements of one type, without an order of their own.
    Set(Arc<Type>),
    /// Elements of one type by a string key.
    Map(Arc<Type>),
    /// A sequence of fixed length with a type for each element.
    Tuple(Arc<TupleType>),
    /// Named attributes with a type for each.
    Object(Arc<ObjectType>),
}

/// The element types of a tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TupleType {
    elements: Box<[Type]>,
    has_dynamic: bool,
    has_optional: bool,
}

impl TupleType {
    /// The type of each element, in order.
    pub fn elements(&self) -> &[Type] {
        &self.elements
    }
}

/// The attributes of an object type, by name in byte order.
#[derive(Clone)]
pub struct ObjectType {
    /// Sorted by name; names are unique.
    attributes: Box<[(SmolStr, Type)]>,
    /// Sorted; each is the name of an attribute. Only conversion targets have any.
    optional: Box<[SmolStr]>,
    has_dynamic: bool,
    /// Here or anywhere inside.
    has_optional: bool,
}

impl ObjectType {
    /// Creates the type with these attributes; of two with one name the later counts.
    pub fn new<N: Into<SmolStr>>(attributes: impl IntoIterator<Item = (N, Type)>) -> Self {
        Self::with_optional(attributes, std::iter::empty::<SmolStr>())
    }

    /// Creates a conversion target in which the attributes named in `optional` may be missing.
    ///
    /// Names in `optional` that are no attribute are ignored.
    pub fn with_optional<N: Into<SmolStr>, O: Into<SmolStr>>(
        attributes: impl IntoIterator<Item = (N, Type)>,
        optional: impl IntoIterator<Item = O>,
    ) -> Self {
        let mut attributes: Vec<(SmolStr, Type)> =
            attributes.into_iter().map(|(name, ty)| (name.into(), ty)).collect();
        if !attributes.is_sorted_by(|a, b| a.0 < b.0) {
            // A stable sort keeps the later of two attributes with one name behind the earlier.
            attributes.sort_by(|a, b| a.0.cmp(&b.0));
            attributes.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    std::mem::swap(later, earlier);
                }
                same
            });
        }
        let mut optional: Vec<SmolStr> = optional
            .into_iter()
            .map(Into::into)
            .filter(|name| attributes.binary_search_by(|(n, _)| n.cmp(name)).is_ok())
            .collect();
        optional.sort();
        optional.dedup();
        let has_dynamic = attributes.iter().any(|(_, ty)| ty.has_dynamic());
        let has_optional = !optional.is_empty() || attributes.iter().any(|(_, ty)| ty.has_optional());
        Self { attributes: attributes.into(), optional: optional.into(), has_dynamic, has_optional }
    }

    /// The attributes with their types, by name in byte order.
    pub fn attributes(&self) -> &[(SmolStr, Type)] {
        &self.attributes
    }

    /// The names of the attributes that a conversion may find missing, in byte order.
    pub fn optional(&self) -> &[SmolStr] {
        &self.optional
    }

    /// The type of an attribute; `None` if the object has no such attribute.
    pub fn attribute(&self, name: &str) -> Option<&Type> {
        self.position(name).map(|i| &self.attributes[i].1)
    }

    /// Whether a conversion may find this attribute missing.
    pub fn is_optional(&self, name: &str) -> bool {
        self.optional.binary_search_by(|n| n.as_str().cmp(name)).is_ok()
    }

    /// Where an attribute stands among [`attributes`](Self::attributes).
    pub fn position(&self, name: &str) -> Option<usize> {
        self.attributes.binary_search_by(|(n, _)| n.as_str().cmp(name)).ok()
    }

    /// As [`position`](Self::position), of an attribute that is likely to stand at this one, and whose name
    /// may be in any normal form.
    pub(super) fn position_of_key(&self, likely: usize, key: &str) -> Option<usize> {
        match self.attributes.get(likely) {
            Some((name, _)) if name == key => Some(likely),
            _ => self.position(key).or_else(|| self.position(&normal_form(key))),
        }
    }
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes && self.optional == other.optional
    }
}

impl Eq for ObjectType {}

impl fmt::Debug for ObjectType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.attributes.iter().map(|(n, t)| (n, t))).finish()
    }
}

impl Type {
    /// The type of lists of `element`.
    pub fn list(element: Type) -> Self {
        Self::List(Arc::new(element))
    }

    /// The type of sets of `element`.
    pub fn set(element: Type) -> Self {
        Self::Set(Arc::new(element))
    }

    /// The type of maps of `element`.
    pub fn map(element: Type) -> Self {
        Self::Map(Arc::new(element))
    }

    /// The type of tuples of these elements.
    pub fn tuple(elements: impl IntoIterator<Item = Type>) -> Self {
        let elements: Box<[Type]> = elements.into_iter().collect();
        let has_dynamic = elements.iter().any(Type::has_dynamic);
        let has_optional = elements.iter().any(Type::has_optional);
        Self::Tuple(Arc::new(TupleType { elements, has_dynamic, has_optional }))
    }

    /// The type of objects with these attributes.
    pub fn object<N: Into<SmolStr>>(attributes: impl IntoIterator<Item = (N, Type)>) -> Self {
        Self::Object(Arc::new(ObjectType::new(attributes)))
    }

    /// Whether this is `string`, `number` or `bool`.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Self::String | Self::Number | Self::Bool)
    }

    /// Whether this is a list, set or map.
    pub fn is_collection(&self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_) | Self::Map(_))
    }

    /// The element type of a list, set or map.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Self::List(e) | Self::Set(e) | Self::Map(e) => Some(e),
            _ => None,
        }
    }

    /// The attributes of an object type.
    pub fn as_object(&self) -> Option<&ObjectType> {
        match self {
            Self::Object(o) => Some(o),
            _ => None,
        }
    }

    /// Whether the type is dynamic, or has a dynamic type anywhere inside.
    pub fn has_dynamic(&self) -> bool {
        match self {
            Self::Dynamic => true,
            Self::String | Self::Number | Self::Bool => false,
            Self::List(e) | Self::Set(e) | Self::Map(e) => e.has_dynamic(),
            Self::Tuple(t) => t.has_dynamic,
            Self::Object(o) => o.has_dynamic,
        }
    }

    /// Whether an attribute is optional, at any depth.
    pub(crate) fn has_optional(&self) -> bool {
        match self {
            Self::Dynamic | Self::String | Self::Number | Self::Bool => false,
            Self::List(e) | Self::Set(e) | Self::Map(e) => e.has_optional(),
            Self::Tuple(t) => t.has_optional,
            Self::Object(o) => o.has_optional,
        }
    }

    /// Whether both are one and the same type, which costs nothing to see; equal types need not be.
    pub(crate) fn is_shared_with(&self, other: &Type) -> bool {
        match (self, other) {
            (Self::List(a), Self::List(b)) | (Self::Set(a), Self::Set(b)) | (Self::Map(a), Self::Map(b)) => {
                Arc::ptr_eq(a, b)
            }
            (Self::Tuple(a), Self::Tuple(b)) => Arc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => Arc::ptr_eq(a, b),
            (Self::Dynamic, Self::Dynamic)
            | (Self::String, Self::String)
            | (Self::Number, Self::Number)
            | (Self::Bool, Self::Bool) => true,
            _ => false,
        }
    }

    /// The same type in which no attribute is optional, at any depth.
    #[must_use]
    pub fn without_optional(&self) -> Type {
        if !self.has_optional() {
            return self.clone();
        }
        match self {
            Self::Dynamic | Self::String | Self::Number | Self::Bool => self.clone(),
            Self::List(e) => Self::list(e.without_optional()),
            Self::Set(e) => Self::set(e.without_optional()),
            Self::Map(e) => Self::map(e.without_optional()),
            Self::Tuple(t) => Self::tuple(t.elements.iter().map(Self::without_optional)),
            Self::Object(o) => {
                Self::object(o.attributes.iter().map(|(n, t)| (n.clone(), t.without_optional())))
            }
        }
    }

    /// A short name for people: `string`, `list of number`, `object`.
    pub fn friendly_name(&self) -> String {
        match self {
            Self::Dynamic => "dynamic".into(),
            Self::String => "string".into(),
            Self::Number => "number".into(),
            Self::Bool => "bool".into(),
            Self::List(e) => format!("list of {}", e.friendly_name()),
            Self::Set(e) => format!("set of {}", e.friendly_name()),
            Self::Map(e) => format!("map of {}", e.friendly_name()),
            Self::Tuple(_) => "tuple".into(),
            Self::Object(_) => "object".into(),
        }
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dynamic, Self::Dynamic)
            | (Self::String, Self::String)
            | (Self::Number, Self::Number)
            | (Self::Bool, Self::Bool) => true,
            (Self::List(a), Self::List(b)) | (Self::Set(a), Self::Set(b)) | (Self::Map(a), Self::Map(b)) => {
                Arc::ptr_eq(a, b) || a == b
            }
            (Self::Tuple(a), Self::Tuple(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Object(a), Self::Object(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Type {}

/// Writes the type as JSON, the form of schemas and case files.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Type {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn wrapped<S: Serializer>(s: S, kind: &str, inner: &impl Serialize) -> Result<S::Ok, S::Error> {
            let mut seq = s.serialize_seq(Some(2))?;
            seq.serialize_element(kind)?;
            seq.serialize_element(inner)?;
            seq.end()
        }
        match self {
            Self::Dynamic => serializer.serialize_str("dynamic"),
            Self::String => serializer.serialize_str("string"),
            Self::Number => serializer.serialize_str("number"),
            Self::Bool => serializer.serialize_str("bool"),
            Self::List(e) => wrapped(serializer, "list", &**e),
            Self::Set(e) => wrapped(serializer, "set", &**e),
            Self::Map(e) => wrapped(serializer, "map", &**e),
            Self::Tuple(t) => wrapped(serializer, "tuple", &t.elements),
            Self::Object(o) if o.optional.is_empty() => wrapped(serializer, "object", &Attributes(o)),
            Self::Object(o) => {
                let mut seq = serializer.serialize_seq(Some(3))?;
                seq.serialize_element("object")?;
                seq.serialize_element(&Attributes(o))?;
                seq.serialize_element(&o.optional)?;
                seq.end()
            }
        }
    }
}

struct Attributes<'a>(&'a ObjectType);

impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.attributes.len()))?;
        for (name, ty) in &self.0.attributes {
            map.serialize_entry(name, ty)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TypeVisitor)
    }
}

struct TypeVisitor;

impl<'de> Visitor<'de> for TypeVisitor {
    type Value = Type;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a type: "string", "number", "bool", "dynamic", or an array such as ["list","string"]"#)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Type, E> {
        match name {
            "string" => Ok(Type::String),
            "number" => Ok(Type::Number),
            "bool" => Ok(Type::Bool),
            "dynamic" => Ok(Type::Dynamic),
            other => Err(E::custom(format_args!("unknown type {other:?}"))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Type, A::Error> {
        fn required<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(
            seq: &mut A,
            kind: &str,
        ) -> Result<T, A::Error> {
            seq.next_element()?
                .ok_or_else(|| de::Error::custom(format_args!("the type {kind:?} lacks its second element")))
        }
        let kind: SmolStr =
            seq.next_element()?.ok_or_else(|| de::Error::custom("an empty array is no type"))?;
        let ty = match kind.as_str() {
            "list" => Type::list(required(&mut seq, &kind)?),
            "set" => Type::set(required(&mut seq, &kind)?),
            "map" => Type::map(required(&mut seq, &kind)?),
            // An empty tuple arrives as null from writers that hold its elements in a nil slice.
            "tuple" => Type::tuple(required::<A, Option<Vec<Type>>>(&mut seq, &kind)?.unwrap_or_default()),
            "object" => {
                let attributes: AttributeList = required(&mut seq, &kind)?;
                let optional: Vec<SmolStr> = seq.next_element()?.unwrap_or_default();
                let optional: Vec<SmolStr> = optional.iter().map(|name| normal_form(name)).collect();
                let object = ObjectType::with_optional(attributes.0, optional.iter().cloned());
                if let Some(name) = optional.iter().find(|name| !object.is_optional(name)) {
                    return Err(de::Error::custom(format_args!(
                        "the optional attribute {name:?} has no type"
                    )));
                }
                Type::Object(Arc::new(object))
            }
            other => return Err(de::Error::custom(format_args!("unknown type {other:?}"))),
        };
        if seq.next_element::<de::IgnoredAny>()?.is_some() {
            return Err(de::Error::custom(format_args!("the type {kind:?} has too many elements")));
        }
        Ok(ty)
    }
}

/// The attributes of an object type as they stand in JSON.
struct AttributeList(Vec<(SmolStr, Type)>);

impl<'de> Deserialize<'de> for AttributeList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor;
        impl<'de> Visitor<'de> for ListVisitor {
            type Value = AttributeList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of attribute names and types")
            }

            fn visit_unit<E: de::Error>(self) -> Result<AttributeList, E> {
                Ok(AttributeList(Vec::new()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AttributeList, A::Error> {
                let mut attributes = Vec::new();
                let mut names = hashbrown::HashSet::new();
                while let Some(name) = map.next_key::<SmolStr>()? {
                    let name = normal_form(&name);
                    if !names.insert(name.clone()) {
                        return Err(de::Error::custom(format_args!("the attribute {name:?} stands twice")));
                    }
                    attributes.push((name, map.next_value::<Type>()?));
                }
                Ok(AttributeList(attributes))
            }
        }
        deserializer.deserialize_any(ListVisitor)
    }
}
