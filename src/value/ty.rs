//! Types of values, and their JSON form.

mod json;

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use super::build::normal_form;
use super::entries::sort_by_key;

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
    /// Not known yet: only null and unknown values have exactly this type. Inside a collection or an object
    /// type it means any type.
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
    /// Creates the type with these attributes. If a name is repeated the last one wins.
    pub fn new<N: Into<SmolStr>>(attributes: impl IntoIterator<Item = (N, Type)>) -> Self {
        Self::with_optional(attributes, std::iter::empty::<SmolStr>())
    }

    /// Creates a conversion target in which the attributes named in `optional` may be missing.
    ///
    /// Names in `optional` that are not attributes are ignored.
    pub fn with_optional<N: Into<SmolStr>, O: Into<SmolStr>>(
        attributes: impl IntoIterator<Item = (N, Type)>,
        optional: impl IntoIterator<Item = O>,
    ) -> Self {
        let mut attributes: Vec<(SmolStr, Type)> =
            attributes.into_iter().map(|(name, ty)| (name.into(), ty)).collect();
        sort_by_key(&mut attributes);
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

    /// The position of an attribute among [`attributes`](Self::attributes).
    pub fn position(&self, name: &str) -> Option<usize> {
        self.attributes.binary_search_by(|(n, _)| n.as_str().cmp(name)).ok()
    }

    /// Like [`position`](Self::position), but tries `likely` first, and accepts a name in any normal form.
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
    /// The dynamic type, as a constructor like the others.
    ///
    /// ```
    /// use objchange::Type;
    ///
    /// assert_eq!(Type::list(Type::dynamic()).to_string(), r#"["list","dynamic"]"#);
    /// ```
    pub const fn dynamic() -> Self {
        Self::Dynamic
    }

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

    /// Whether both share one allocation, which is cheap to test. Equal types need not.
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

    /// The type with no attribute optional, at any depth.
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
