//! Finding the schema of a resource in a document of provider schemas.

use std::cell::RefCell;

use elsa::FrozenMap;
use objchange::schema::{Block, ProviderSchemas, SchemaDocumentError, SchemaKind};

use crate::document::{ChangedResource, StateResource};

/// The schemas that resources are shown by, each read once when it is first needed.
pub struct Schemas {
    document: Option<ProviderSchemas>,
    read: FrozenMap<Key, Box<Option<Block>>>,
    missing: RefCell<Vec<String>>,
}

/// The provider as the resource names it, the kind, and the name of the type.
type Key = (String, SchemaKind, String);

impl Schemas {
    /// Reads the document of `terraform providers schema -json`.
    ///
    /// # Errors
    ///
    /// The text is no such document.
    pub fn parse(text: impl Into<String>) -> Result<Self, SchemaDocumentError> {
        Ok(Self::of(Some(ProviderSchemas::parse(text)?)))
    }

    /// No schemas: every resource is shown by the shape of its JSON.
    pub fn none() -> Self {
        Self::of(None)
    }

    fn of(document: Option<ProviderSchemas>) -> Self {
        Self { document, read: FrozenMap::new(), missing: RefCell::default() }
    }

    /// Whether there are any schemas to look in.
    pub fn is_none(&self) -> bool {
        self.document.is_none()
    }

    /// The resource types that were asked for and had no schema, in the order they were met,
    /// with control characters escaped.
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().clone()
    }

    pub(crate) fn of_change(
        &self,
        resource: &ChangedResource<'_>,
    ) -> Result<Option<&Block>, SchemaDocumentError> {
        self.get(&resource.provider_name, kind(&resource.mode), &resource.resource_type)
    }

    pub(crate) fn of_state(
        &self,
        resource: &StateResource<'_>,
    ) -> Result<Option<&Block>, SchemaDocumentError> {
        self.get(&resource.provider_name, kind(&resource.mode), &resource.resource_type)
    }

    fn get(
        &self,
        provider: &str,
        kind: SchemaKind,
        name: &str,
    ) -> Result<Option<&Block>, SchemaDocumentError> {
        let Some(document) = &self.document else { return Ok(None) };
        let key = (provider.to_owned(), kind, name.to_owned());
        if let Some(block) = self.read.get(&key) {
            return Ok(block.as_ref());
        }
        let mut schema = document.get(provider, kind, name)?;
        if schema.is_none()
            && let Some(full) = by_name(document, provider)
        {
            schema = document.get(full, kind, name)?;
        }
        let block = schema.map(|schema| schema.block);
        if block.is_none() {
            self.missing.borrow_mut().push(name.escape_debug().to_string());
        }
        Ok(self.read.insert(key, Box::new(block)).as_ref())
    }
}

fn kind(mode: &str) -> SchemaKind {
    if mode == "data" { SchemaKind::DataSource } else { SchemaKind::Resource }
}

/// The provider that a bare name means: `aws`, or `registry.terraform.io/-/aws`, from before Terraform 0.13.
fn by_name<'s>(document: &'s ProviderSchemas, name: &str) -> Option<&'s str> {
    let name = match name.rsplit_once('/') {
        None => name,
        Some((before, name)) if before.ends_with("/-") => name,
        Some(_) => return None,
    };
    document.providers().find(|full| full.rsplit('/').next() == Some(name))
}

impl std::fmt::Debug for Schemas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schemas").field("document", &self.document).finish_non_exhaustive()
    }
}
