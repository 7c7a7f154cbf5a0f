//! The types, functions and abilities of a provider.

use std::collections::BTreeMap;

use objchange::Type;
use objchange::change::Diagnostic;
use objchange::schema::{Block, Schema};
use smol_str::SmolStr;

use crate::{Capabilities, Component, Metadata, Notes};

/// Everything that a provider declares about itself.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Schemas {
    /// The provider's own configuration; every provider must have one, even if it is empty.
    pub provider: Option<Schema>,
    /// The schema of `provider_meta`, data about itself that a module passes to the provider.
    pub meta: Option<Schema>,
    /// The managed resource types.
    pub resources: BTreeMap<SmolStr, Schema>,
    /// The identity schemas of resource types that have one, as flat objects.
    pub identities: BTreeMap<SmolStr, Schema>,
    /// The data sources.
    pub data_sources: BTreeMap<SmolStr, Schema>,
    /// The ephemeral resource types.
    pub ephemeral_resources: BTreeMap<SmolStr, Schema>,
    /// The list resource types.
    pub list_resources: BTreeMap<SmolStr, Schema>,
    /// The action types.
    pub actions: BTreeMap<SmolStr, Schema>,
    /// The state stores.
    pub state_stores: BTreeMap<SmolStr, Schema>,
    /// The functions.
    pub functions: BTreeMap<SmolStr, Function>,
    /// Descriptions and deprecations.
    pub notes: Notes,
    /// The provider's capabilities.
    pub capabilities: Capabilities,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Problems in its schemas. A part with a [fatal](SchemaFaultKind::is_fatal) problem is left out.
    /// [`Block::validate`] checks the parts that are kept.
    pub problems: Vec<SchemaFault>,
}

/// A part of a provider's schemas that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
#[non_exhaustive]
pub struct SchemaFault {
    /// The place, from the kind of component on: `resource type kit_disk: name`.
    pub place: String,
    /// The problem.
    pub problem: SchemaFaultKind,
}

impl SchemaFault {
    /// A problem at a place.
    pub fn new(place: impl Into<String>, problem: SchemaFaultKind) -> Self {
        Self { place: place.into(), problem }
    }
}

/// A part of a schema that cannot be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFaultKind {
    /// There is no root block.
    #[error("the schema has no block")]
    NoBlock,
    /// A type cannot be read.
    #[error(r#"the type is not written as JSON, such as "string" or ["list","string"]"#)]
    InvalidType,
    /// An attribute has both a type and a nested type.
    #[error("the attribute has both a type and a nested type, and must have one of them")]
    TypeAndNestedType,
    /// An attribute has neither a type nor a nested type.
    #[error("the attribute has neither a type nor a nested type")]
    NoType,
    /// The nesting mode does not exist.
    #[error("the nesting mode is not one of the protocol's")]
    InvalidNesting,
    /// There is a deprecation message without a deprecation.
    #[error("there is a deprecation message, but no deprecation")]
    DeprecationMessage,
    /// A name is repeated among the attributes or the blocks.
    #[error("the name is used twice there")]
    RepeatedName,
    /// A limit on the number of blocks is negative.
    #[error("a limit on the number of blocks cannot be negative")]
    NegativeLimit,
}

impl SchemaFaultKind {
    /// The stable name of the kind of fault.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NoBlock => "no_block",
            Self::InvalidType => "invalid_type",
            Self::TypeAndNestedType => "type_and_nested_type",
            Self::NoType => "no_type",
            Self::InvalidNesting => "invalid_nesting",
            Self::DeprecationMessage => "deprecation_message",
            Self::RepeatedName => "repeated_name",
            Self::NegativeLimit => "negative_limit",
        }
    }

    /// Whether the schema cannot be used at all. A repeated name is not fatal: the last part of that name
    /// is used.
    pub const fn is_fatal(self) -> bool {
        !matches!(self, Self::RepeatedName)
    }
}

/// A function of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// The parameters that each call must have.
    pub parameters: Vec<Parameter>,
    /// The parameter for all further arguments.
    pub variadic: Option<Parameter>,
    /// The type of its result.
    pub returns: Type,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: SmolStr,
    /// The type of its arguments.
    pub ty: Type,
    /// Null is allowed.
    pub allow_null: bool,
    /// Unknown values, or unknown parts, are allowed.
    pub allow_unknown: bool,
}

impl Parameter {
    /// A parameter that is neither null nor unknown.
    pub fn new(name: impl Into<SmolStr>, ty: Type) -> Self {
        Self { name: name.into(), ty, allow_null: false, allow_unknown: false }
    }
}

impl Function {
    /// The parameter of the argument at this position.
    pub fn parameter(&self, position: usize) -> Option<&Parameter> {
        self.parameters.get(position).or(self.variadic.as_ref())
    }
}

impl Schemas {
    /// The schemas of one kind by name; that of the provider itself has an empty name.
    pub fn named(&self, component: Component) -> impl Iterator<Item = (&str, &Schema)> {
        let (own, named) = match component {
            Component::Provider => (self.provider.as_ref(), None),
            Component::Resource => (None, Some(&self.resources)),
            Component::DataSource => (None, Some(&self.data_sources)),
            Component::EphemeralResource => (None, Some(&self.ephemeral_resources)),
            Component::ListResource => (None, Some(&self.list_resources)),
            Component::Action => (None, Some(&self.actions)),
            Component::StateStore => (None, Some(&self.state_stores)),
        };
        let named = named.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema));
        own.map(|schema| ("", schema)).into_iter().chain(named)
    }

    /// The names of all components and functions.
    pub fn metadata(&self) -> Metadata {
        let names = |component| {
            let names: Vec<SmolStr> = self.named(component).map(|(name, _)| name.into()).collect();
            (!names.is_empty()).then_some((component, names))
        };
        Metadata {
            names: Component::NAMED.into_iter().filter_map(names).collect(),
            functions: self.functions.keys().cloned().collect(),
            capabilities: self.capabilities,
            diagnostics: self.diagnostics.clone(),
        }
    }

    /// The block of this name.
    pub fn block(&self, component: Component, name: &str) -> Option<&Block> {
        let named = match component {
            Component::Provider => return self.provider.as_ref().map(|schema| &schema.block),
            Component::Resource => &self.resources,
            Component::DataSource => &self.data_sources,
            Component::EphemeralResource => &self.ephemeral_resources,
            Component::ListResource => &self.list_resources,
            Component::Action => &self.actions,
            Component::StateStore => &self.state_stores,
        };
        named.get(name).map(|schema| &schema.block)
    }

    /// The type of a resource type's identity, if it has one.
    pub fn identity(&self, name: &str) -> Option<&Type> {
        self.identities.get(name).map(|schema| schema.block.implied_type())
    }
}
