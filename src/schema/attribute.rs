//! Attributes, and the nested types that some of them have.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::value::{ObjectType, Type, normal_form, sort_by_key};

/// The nesting mode of a nested block or a nested type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NestingMode {
    /// One object, or null.
    Single,
    /// One object that is always there: an absent one has the values of an empty block. Blocks only.
    Group,
    /// A list of objects.
    List,
    /// A set of objects.
    Set,
    /// A map of objects by a string label.
    Map,
}

/// One attribute of a block or of a nested type.
#[derive(Clone, PartialEq)]
pub struct Attribute {
    /// The type of its value.
    pub ty: AttributeType,
    /// Configuration must set it.
    pub required: bool,
    /// Configuration may set it.
    pub optional: bool,
    /// The provider may choose its value where configuration does not.
    pub computed: bool,
    /// Its value is never shown.
    pub sensitive: bool,
    /// Configuration sets it for the provider alone: it is null in every plan and state.
    pub write_only: bool,
    /// Its use is discouraged.
    pub deprecated: bool,
}

/// The type of an attribute: a plain type, or nested attributes.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeType {
    /// A value of this type, seen as a whole.
    Plain(Type),
    /// Objects whose attributes have schemas of their own.
    Nested(NestedType),
}

/// The objects of an attribute with a nested type.
#[derive(Clone, PartialEq)]
pub struct NestedType {
    nesting: NestingMode,
    inner: Arc<Inner>,
}

/// Attributes by name, and the object type that they imply.
#[derive(PartialEq)]
struct Inner {
    /// Sorted by name; names are unique. The object type has its attributes in the same order.
    attributes: Box<[(SmolStr, Attribute)]>,
    object: Arc<ObjectType>,
    implied: Type,
    /// The implied type, with optional attributes where configuration may leave them out.
    accepted: Type,
    /// The traits of all attributes inside, at any depth.
    traits: Traits,
}

/// Features that occur in an object at any depth. A search for a feature skips objects without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Traits(u8);

impl Traits {
    pub(super) const SENSITIVE: Self = Self(1);
    pub(super) const WRITE_ONLY: Self = Self(2);
    /// Values that must not be shown: sensitive ones, and write-only ones, which only the provider sees.
    pub(super) const HIDDEN: Self = Self(1 | 2);
    /// A computed attribute.
    pub(super) const COMPUTED: Self = Self(4);
    /// Blocks, or an attribute with a nested type.
    pub(super) const OBJECTS: Self = Self(8);
    /// A set of blocks or of objects of a nested type.
    pub(super) const SETS: Self = Self(16);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn of_all<'a>(attributes: impl Iterator<Item = &'a Attribute>) -> Self {
        attributes.fold(Self::default(), |all, attribute| {
            let inside = attribute
                .nested()
                .map_or(Self::default(), |nested| nested.traits().and(Self::of_objects(nested.nesting())));
            all.and(attribute.own_traits()).and(inside)
        })
    }

    /// The traits of an attribute or block type that holds objects in this way.
    pub(super) fn of_objects(nesting: NestingMode) -> Self {
        if nesting == NestingMode::Set { Self::OBJECTS.and(Self::SETS) } else { Self::OBJECTS }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Shows the type and the flags that are set.
impl fmt::Debug for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [
            (self.required, "required"),
            (self.optional, "optional"),
            (self.computed, "computed"),
            (self.sensitive, "sensitive"),
            (self.write_only, "write_only"),
            (self.deprecated, "deprecated"),
        ];
        let mut out = f.debug_struct("Attribute");
        out.field("ty", &self.ty);
        for (_, name) in flags.iter().filter(|(set, _)| *set) {
            out.field(name, &true);
        }
        out.finish()
    }
}

impl fmt::Debug for NestedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ", self.nesting)?;
        f.debug_map()
            .entries(self.inner.attributes.iter().map(|(name, attribute)| (name, attribute)))
            .finish()
    }
}

impl Attribute {
    fn new(ty: AttributeType) -> Self {
        Self {
            ty,
            required: false,
            optional: false,
            computed: false,
            sensitive: false,
            write_only: false,
            deprecated: false,
        }
    }

    /// An attribute that configuration must set.
    pub fn required(ty: impl Into<AttributeType>) -> Self {
        Self { required: true, ..Self::new(ty.into()) }
    }

    /// An attribute that configuration may set.
    pub fn optional(ty: impl Into<AttributeType>) -> Self {
        Self { optional: true, ..Self::new(ty.into()) }
    }

    /// An attribute that only the provider sets.
    pub fn computed(ty: impl Into<AttributeType>) -> Self {
        Self { computed: true, ..Self::new(ty.into()) }
    }

    /// An attribute that configuration may set, and the provider where it does not.
    pub fn optional_computed(ty: impl Into<AttributeType>) -> Self {
        Self { optional: true, computed: true, ..Self::new(ty.into()) }
    }

    /// Marks the attribute as sensitive: its value is never shown.
    #[must_use]
    pub fn sensitive(self) -> Self {
        Self { sensitive: true, ..self }
    }

    /// Makes the attribute write-only: only the provider sees its value.
    #[must_use]
    pub fn write_only(self) -> Self {
        Self { write_only: true, ..self }
    }

    /// The type of the attribute's values under this schema.
    pub fn implied_type(&self) -> &Type {
        match &self.ty {
            AttributeType::Plain(ty) => ty,
            AttributeType::Nested(nested) => nested.implied_type(),
        }
    }

    /// The type that configured values are converted to: the implied type, in which the attributes of
    /// nested types that configuration may leave out are optional.
    pub fn accepted_type(&self) -> &Type {
        match &self.ty {
            AttributeType::Plain(ty) => ty,
            AttributeType::Nested(nested) => &nested.inner.accepted,
        }
    }

    /// The traits of the attribute itself, without its parts.
    pub(super) fn own_traits(&self) -> Traits {
        let flags = [
            (self.sensitive, Traits::SENSITIVE),
            (self.write_only, Traits::WRITE_ONLY),
            (self.computed, Traits::COMPUTED),
        ];
        flags.iter().filter(|(set, _)| *set).fold(Traits::default(), |all, (_, own)| all.and(*own))
    }

    /// Whether its value must be hidden: it is sensitive or write-only.
    pub(crate) fn is_hidden(&self) -> bool {
        self.own_traits().has(Traits::HIDDEN)
    }

    /// The nested type, if the attribute has one.
    pub fn nested(&self) -> Option<&NestedType> {
        match &self.ty {
            AttributeType::Plain(_) => None,
            AttributeType::Nested(nested) => Some(nested),
        }
    }
}

impl From<Type> for AttributeType {
    fn from(ty: Type) -> Self {
        Self::Plain(ty)
    }
}

impl From<NestedType> for AttributeType {
    fn from(nested: NestedType) -> Self {
        Self::Nested(nested)
    }
}

impl NestedType {
    /// Creates a nested type. If a name is repeated the last attribute wins.
    pub fn new<N: Into<SmolStr>>(
        nesting: NestingMode,
        attributes: impl IntoIterator<Item = (N, Attribute)>,
    ) -> Self {
        let attributes = sorted_by_name(attributes);
        let object = Arc::new(ObjectType::new(
            attributes.iter().map(|(name, a)| (name.clone(), a.implied_type().without_optional())),
        ));
        let accepted = ObjectType::with_optional(
            attributes.iter().map(|(name, a)| (name.clone(), a.accepted_type().clone())),
            // Terraform lets configurations leave out just these (`specType` in its package `configschema`).
            attributes.iter().filter(|(_, a)| a.optional || a.computed).map(|(name, _)| name.clone()),
        );
        let held = |object: Type| match nesting {
            NestingMode::Single | NestingMode::Group => object,
            NestingMode::List => Type::list(object),
            NestingMode::Set => Type::set(object),
            NestingMode::Map => Type::map(object),
        };
        let implied = held(Type::Object(object.clone()));
        let accepted = held(Type::Object(Arc::new(accepted)));
        // Walks ask for the traits at each level, and would otherwise visit the schema below it each time.
        let traits = Traits::of_all(attributes.iter().map(|(_, a)| a));
        Self { nesting, inner: Arc::new(Inner { attributes, object, implied, accepted, traits }) }
    }

    /// The nesting mode.
    pub fn nesting(&self) -> NestingMode {
        self.nesting
    }

    /// The attributes of each object, by name in byte order.
    pub fn attributes(&self) -> &[(SmolStr, Attribute)] {
        &self.inner.attributes
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        find(&self.inner.attributes, name)
    }

    pub(super) fn traits(&self) -> Traits {
        self.inner.traits
    }

    /// The type of one object; its attributes are in the order of [`attributes`](Self::attributes).
    pub fn object_type(&self) -> &Arc<ObjectType> {
        &self.inner.object
    }

    /// The type of the attribute: an object, or a list, set or map of objects.
    pub fn implied_type(&self) -> &Type {
        &self.inner.implied
    }
}

pub(super) fn find<'a, T>(sorted: &'a [(SmolStr, T)], name: &str) -> Option<&'a T> {
    sorted.binary_search_by(|(n, _)| n.as_str().cmp(name)).ok().map(|i| &sorted[i].1)
}

pub(super) fn sorted_by_name<N: Into<SmolStr>, T>(
    entries: impl IntoIterator<Item = (N, T)>,
) -> Box<[(SmolStr, T)]> {
    let mut entries: Vec<(SmolStr, T)> =
        entries.into_iter().map(|(n, t)| (normal_form(&n.into()), t)).collect();
    sort_by_key(&mut entries);
    entries.into()
}
