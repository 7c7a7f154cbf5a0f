//! Files of the cache as they are listed.

use std::fs;

use objchange::schema::ProviderSchemas;
use objchange::schema::SchemaKind;
use objchange_module::ProviderAddress;
use objchange_plan::CachedSchemas;
use objchange_text::counted;
use serde::Serialize;

use crate::schema_cache::{CacheFile, SchemaCache};

/// A file of the cache, and what is in it (`schema/schemas.schema.json`).
#[derive(Debug, Serialize)]
pub struct CacheEntry {
    provider: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    file: String,
    size: u64,
    #[serde(flatten)]
    content: Content,
    #[serde(skip)]
    display: String,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Content {
    Schemas { resource_types: usize, data_sources: usize, origin: String },
    Damaged { error: String },
}

impl CacheEntry {
    /// Reads what is in a file.
    pub fn read(file: &CacheFile) -> Self {
        let content = match file.read() {
            Ok(cached) => {
                let count = |kind| cached.schemas.names(&cached.provider, kind).count();
                let (resource_types, data_sources) =
                    (count(SchemaKind::Resource), count(SchemaKind::DataSource));
                Content::Schemas { resource_types, data_sources, origin: cached.origin }
            }
            Err(error) => Content::Damaged { error: error.to_string() },
        };
        Self {
            provider: file.provider.to_string(),
            version: file.version.clone(),
            file: file.path.display().to_string(),
            size: fs::metadata(&file.path).map_or(0, |metadata| metadata.len()),
            content,
            display: file.display(),
        }
    }

    /// Describes its content in one line.
    pub fn line(&self) -> String {
        let content = match &self.content {
            Content::Schemas { resource_types, data_sources, origin } => format!(
                "{}, {}, {} kB, from {origin}",
                counted(*resource_types, "resource type"),
                counted(*data_sources, "data source"),
                self.size.div_ceil(1000)
            ),
            Content::Damaged { error } => format!("cannot be used: {error}"),
        };
        format!("{}: {content}", self.display)
    }
}

impl SchemaCache {
    /// Adds one provider of a document. Terraform's own provider is skipped, because it is always known.
    ///
    /// # Errors
    ///
    /// The address of the provider is invalid, or the file cannot be written.
    pub fn add(
        &self,
        schemas: &ProviderSchemas,
        provider: &str,
        origin: &str,
        version: impl Fn(&ProviderAddress) -> Option<String>,
    ) -> Result<Option<CacheFile>, String> {
        let address = ProviderAddress::parse(provider).filter(|address| address.to_string() == provider);
        let address = address.ok_or("this is not the address of a provider")?;
        if address.is_builtin() {
            return Ok(None);
        }
        let version = version(&address);
        let version = version.as_deref();
        let bytes =
            CachedSchemas::to_file(schemas, provider, version, origin).map_err(|error| error.to_string())?;
        let file = self.write(&address, version, &bytes);
        file.map(Some).map_err(|error| format!("cannot be cached: {error}"))
    }
}
