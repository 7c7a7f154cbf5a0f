//! Finding the schema of a resource in a document of provider schemas.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use objchange::schema::{Block, ProviderSchemas, SchemaDocumentError, SchemaKind};
use serde::Serialize;

use super::StateResource;
use crate::changes::{ActionInvocation, ChangedResource};

/// The schemas that resources are shown by, each read once when it is first needed. Threads may share them.
pub struct Schemas {
    source: Source,
    /// The providers by the last part of their addresses; of several the first.
    by_name: HashMap<String, String>,
    /// The types that were asked for and are not there, and how many there were before each.
    missing: Mutex<HashMap<String, usize>>,
    /// The origins of those that were found automatically.
    origins: Vec<SchemaOrigin>,
}

/// The origin of a provider's schemas that were found automatically.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaOrigin {
    /// The address of the provider: `registry.terraform.io/hashicorp/aws`.
    pub provider: String,
    /// Its version, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where they are from.
    pub source: SchemaSource,
}

/// A place where schemas are found automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SchemaSource {
    /// A cache.
    Cache,
    /// This program has them, as Terraform has.
    BuiltIn,
}

#[derive(Debug)]
enum Source {
    None,
    Document(ProviderSchemas),
    /// One for every resource.
    Single(Box<Block>),
}

const _: () = {
    const fn shareable<T: Send + Sync>() {}
    shareable::<Schemas>();
};

impl Schemas {
    /// Reads the document of `terraform providers schema -json`.
    ///
    /// # Errors
    ///
    /// The text is no such document.
    pub fn parse(text: impl Into<String>) -> Result<Self, SchemaDocumentError> {
        Ok(Self::new(ProviderSchemas::parse(text)?))
    }

    /// The schemas of this document.
    pub fn new(document: ProviderSchemas) -> Self {
        Self::from_source(Source::Document(document))
    }

    /// Adds the origins of schemas that were found automatically.
    #[must_use]
    pub fn with_origins(self, origins: Vec<SchemaOrigin>) -> Self {
        Self { origins, ..self }
    }

    /// Where the schemas come from.
    pub fn origins(&self) -> &[SchemaOrigin] {
        &self.origins
    }

    /// No schemas: every resource is shown by the shape of its JSON.
    pub fn none() -> Self {
        Self::from_source(Source::None)
    }

    /// The schema of every resource: for changes of one type.
    pub fn single(schema: &Block) -> Self {
        Self::from_source(Source::Single(Box::new(schema.clone())))
    }

    fn from_source(source: Source) -> Self {
        let mut by_name = HashMap::new();
        if let Source::Document(document) = &source {
            for address in document.providers() {
                by_name.entry_ref(last_part(address)).or_insert_with(|| address.to_owned());
            }
        }
        Self { source, by_name, missing: Mutex::default(), origins: Vec::new() }
    }

    /// The document that they are from, if there is one.
    pub fn document(&self) -> Option<&ProviderSchemas> {
        match &self.source {
            Source::Document(document) => Some(document),
            Source::None | Source::Single(_) => None,
        }
    }

    /// Whether there are any schemas to look in.
    pub fn is_none(&self) -> bool {
        matches!(self.source, Source::None)
    }

    /// The resource types that were asked for and had no schema, in the order they were met.
    pub fn missing(&self) -> Vec<String> {
        let missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<_> = missing.iter().collect();
        names.sort_by_key(|(_, before)| **before);
        names.into_iter().map(|(name, _)| name.clone()).collect()
    }

    /// The schema of a changed resource: that of the planned change, if it has one. A missing schema gives `None`, and
    /// is remembered as [`missing`](Self::missing) if there are any schemas.
    ///
    /// # Errors
    ///
    /// The schema is invalid.
    pub fn of_change<'s>(
        &'s self,
        resource: &'s ChangedResource<'_>,
    ) -> Result<Option<&'s Block>, SchemaDocumentError> {
        if let Some(schema) = resource.change.values.schema() {
            return Ok(Some(schema));
        }
        self.get(&resource.provider_name, kind(&resource.mode), &resource.resource_type)
    }

    /// Whether the schema of a changed resource is at hand. Showing the resource says why one cannot be read.
    pub fn has_change(&self, resource: &ChangedResource<'_>) -> bool {
        !matches!(self.of_change(resource), Ok(None))
    }

    /// Whether the schema of an object in a state is at hand.
    pub fn has_object(&self, resource: &StateResource<'_>) -> bool {
        !matches!(self.of_state(resource), Ok(None))
    }

    /// The schema of an object in a state.
    ///
    /// # Errors
    ///
    /// The text of the schema is not one.
    pub fn of_state(&self, resource: &StateResource<'_>) -> Result<Option<&Block>, SchemaDocumentError> {
        self.of_type(&resource.provider_name, &resource.mode, &resource.resource_type)
    }

    /// The schema of a resource type, where `mode` is `managed`, `data` or `ephemeral`; or of an action, where it is
    /// `action`.
    ///
    /// # Errors
    ///
    /// The schema is invalid.
    pub fn of_type(
        &self,
        provider: &str,
        mode: &str,
        resource_type: &str,
    ) -> Result<Option<&Block>, SchemaDocumentError> {
        self.get(provider, kind(mode), resource_type)
    }

    /// The schema of the action that is invoked.
    ///
    /// # Errors
    ///
    /// The text of the schema is not one.
    pub fn of_action(
        &self,
        invocation: &ActionInvocation<'_>,
    ) -> Result<Option<&Block>, SchemaDocumentError> {
        self.get(&invocation.provider_name, SchemaKind::Action, &invocation.action_type)
    }

    fn get(
        &self,
        provider: &str,
        kind: SchemaKind,
        name: &str,
    ) -> Result<Option<&Block>, SchemaDocumentError> {
        let document = match &self.source {
            Source::None => return Ok(None),
            Source::Single(schema) => return Ok(Some(schema)),
            Source::Document(document) => document,
        };
        let mut schema = document.get(provider, kind, name)?;
        if schema.is_none()
            && let Some(full) = bare_name(provider).and_then(|name| self.by_name.get(name))
        {
            schema = document.get(full, kind, name)?;
        }
        if schema.is_none() {
            let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
            let before = missing.len();
            missing.entry_ref(name).or_insert(before);
        }
        Ok(schema.map(|schema| &schema.block))
    }
}

fn kind(mode: &str) -> SchemaKind {
    match mode {
        "data" => SchemaKind::DataSource,
        "ephemeral" => SchemaKind::EphemeralResource,
        "action" => SchemaKind::Action,
        _ => SchemaKind::Resource,
    }
}

fn last_part(address: &str) -> &str {
    address.rsplit('/').next().unwrap_or_default()
}

/// The name of a provider that is named by it alone: `aws`, or `registry.terraform.io/-/aws`, from before Terraform
/// 0.13.
fn bare_name(provider: &str) -> Option<&str> {
    match provider.rsplit_once('/') {
        None => Some(provider),
        Some((before, name)) => before.ends_with("/-").then_some(name),
    }
}

impl std::fmt::Debug for Schemas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schemas").field("source", &self.source).finish_non_exhaustive()
    }
}
