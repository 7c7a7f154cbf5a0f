//! Files of the cache as they are listed.

use std::collections::BTreeMap;
use std::fs;

use objchange::schema::ProviderSchemas;
use objchange::schema::SchemaKind;
use objchange_document::schema_cache::{CachedModel, CachedSchemas, ModelTexts};
use objchange_model::{ModelInfo, TypeModel};
use objchange_module::ProviderAddress;
use objchange_text::counted;
use serde::Serialize;
use smol_str::SmolStr;

use crate::schema_cache::{CacheFile, CacheFileError, SchemaCache};

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
    Schemas {
        resource_types: usize,
        data_sources: usize,
        origin: String,
        /// The resource types that were learned.
        #[serde(skip_serializing_if = "Option::is_none")]
        learned: Option<usize>,
    },
    Damaged {
        error: String,
    },
}

impl CacheEntry {
    /// Reads what is in a file.
    pub fn read(file: &CacheFile) -> Self {
        let content = match file.read() {
            Ok(cached) => {
                let count = |kind| cached.schemas.names(&cached.provider, kind).count();
                let (resource_types, data_sources) =
                    (count(SchemaKind::Resource), count(SchemaKind::DataSource));
                let learned = cached.model.map(|model| model.types().len());
                Content::Schemas { resource_types, data_sources, origin: cached.origin, learned }
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
            Content::Schemas { resource_types, data_sources, origin, learned } => {
                let learned = learned.map(|learned| format!(", {learned} learned")).unwrap_or_default();
                format!(
                    "{}{learned}, {}, {} kB, from {origin}",
                    counted(*resource_types, "resource type"),
                    counted(*data_sources, "data source"),
                    self.size.div_ceil(1000)
                )
            }
            Content::Damaged { error } => format!("cannot be used: {error}"),
        };
        format!("{}: {content}", self.display)
    }
}

impl SchemaCache {
    /// Adds the content of a file of a cache, such as one of another machine, with the model of its provider. If it has no
    /// model, the one that is known stays.
    ///
    /// # Errors
    ///
    /// It is no such file, is of Terraform's own provider, or cannot be written.
    pub fn add_file(&self, bytes: Vec<u8>) -> Result<CacheFile, CacheFileError> {
        let cached = CachedSchemas::parse(bytes.clone())?;
        let address = ProviderAddress::parse(&cached.provider);
        let address = address.filter(|address| address.to_string() == cached.provider);
        let address = address.ok_or(CacheFileError::Provider)?;
        if address.is_builtin() {
            return Err(CacheFileError::BuiltIn);
        }
        let version = cached.version.as_deref();
        if let Some(model) = &cached.model {
            let head = model.head().unwrap_or_default();
            ModelInfo::parse(&head, &cached.provider, version)?;
        }
        let known = if cached.model.is_none() { self.known_model(&address, version) } else { None };
        let bytes = match known {
            None => bytes,
            Some(model) => CachedSchemas::to_file_with_model(
                &cached.schemas,
                &cached.provider,
                version,
                &cached.origin,
                Some(&model),
            )?,
        };
        self.write(&address, version, &bytes).map_err(CacheFileError::Write)
    }

    /// The model in the file of a provider and version.
    fn known_model(&self, provider: &ProviderAddress, version: Option<&str>) -> Option<ModelTexts> {
        let known = self.versions(provider).into_iter().find(|file| file.version.as_deref() == version);
        known.and_then(|file| file.read().ok()?.model).map(|model| model.texts())
    }

    /// Adds models of resource types to the file of their provider. Types that were learned before stay.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written.
    pub fn add_model(
        &self,
        file: &CacheFile,
        mut info: ModelInfo,
        types: &BTreeMap<SmolStr, TypeModel>,
    ) -> Result<CacheFile, CacheFileError> {
        let cached = file.read()?;
        let mut texts = cached.model.as_ref().map(CachedModel::texts).unwrap_or_default();
        (info.provider, info.version) = (cached.provider.clone(), cached.version.clone());
        let before = ModelInfo::parse(&texts.head, &info.provider, info.version.as_deref());
        match before {
            Ok(before) => {
                for (name, reason) in before.not_learned {
                    info.not_learned.entry(name).or_insert(reason);
                }
                for (name, reason) in before.partly_learned {
                    if !types.contains_key(&name) {
                        info.partly_learned.insert(name, reason);
                    }
                }
                if info.settings.is_empty() {
                    info.settings = before.settings;
                }
            }
            // Models of another format are of no use.
            Err(_) => texts.types.clear(),
        }
        for (name, model) in types {
            texts.types.insert(name.clone(), model.to_text());
        }
        info.not_learned.retain(|name, _| !texts.types.contains_key(name));
        texts.head = info.to_text();
        let (version, origin) = (cached.version.as_deref(), cached.origin.as_str());
        let bytes = CachedSchemas::to_file_with_model(
            &cached.schemas,
            &cached.provider,
            version,
            origin,
            Some(&texts),
        );
        self.write(&file.provider, version, &bytes?).map_err(CacheFileError::Write)
    }

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
    ) -> Result<Option<CacheFile>, CacheFileError> {
        let address = ProviderAddress::parse(provider).filter(|address| address.to_string() == provider);
        let address = address.ok_or(CacheFileError::Provider)?;
        if address.is_builtin() {
            return Ok(None);
        }
        let version = version(&address);
        let version = version.as_deref();
        // The model stays if schemas are added once more.
        let model = self.known_model(&address, version);
        let bytes = CachedSchemas::to_file_with_model(schemas, provider, version, origin, model.as_ref())?;
        self.write(&address, version, &bytes).map(Some).map_err(CacheFileError::Write)
    }
}
