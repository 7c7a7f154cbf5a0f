//! The parts of a provider in a document of provider schemas.

/// The kind of object that a schema in the document describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SchemaKind {
    /// The provider's own configuration.
    Provider,
    /// A managed resource type.
    Resource,
    /// A data source.
    DataSource,
    /// An ephemeral resource type.
    EphemeralResource,
    /// A list resource type.
    ListResource,
    /// The identity of a managed resource type: a flat object.
    Identity,
    /// An action type; its schemas have no version.
    Action,
}

/// A part of a document of provider schemas that has a text of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SchemaPart {
    /// A schema of this kind.
    Schema(SchemaKind),
    /// The parameters and the result of a function.
    Function,
}

impl SchemaKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Provider,
        Self::Resource,
        Self::DataSource,
        Self::EphemeralResource,
        Self::ListResource,
        Self::Identity,
        Self::Action,
    ];

    /// The key under which the document holds the schemas of this kind: `resource_schemas`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Resource => "resource_schemas",
            Self::DataSource => "data_source_schemas",
            Self::EphemeralResource => "ephemeral_resource_schemas",
            Self::ListResource => "list_resource_schemas",
            Self::Identity => "resource_identity_schemas",
            Self::Action => "action_schemas",
        }
    }
}

impl SchemaPart {
    /// All parts.
    pub fn all() -> impl Iterator<Item = Self> {
        SchemaKind::ALL.into_iter().map(Self::Schema).chain([Self::Function])
    }

    /// The key under which the document holds these parts: `resource_schemas`, `functions`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Schema(kind) => kind.key(),
            Self::Function => "functions",
        }
    }
}
