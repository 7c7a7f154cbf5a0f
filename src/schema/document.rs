//! The document of `terraform providers schema -json`, read as far as it is asked.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::block::Block;

/// The schemas of all providers in one document of `terraform providers schema -json`.
///
/// Opening it finds where each schema stands; a schema itself is parsed when it is asked for, so that one
/// resource type of a large document costs little.
///
/// ```
/// use objchange::schema::{ProviderSchemas, SchemaKind};
///
/// let text = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/null":{
///     "resource_schemas":{"null_resource":{"version":0,"block":{"attributes":{
///         "id":{"type":"string","computed":true}}}}}}}}"#;
/// let schemas = ProviderSchemas::parse(text)?;
/// let schema = schemas.find(SchemaKind::Resource, "null_resource")?.unwrap();
/// assert!(schema.block.attribute("id").unwrap().computed);
/// assert!(schemas.find(SchemaKind::Resource, "null_data")?.is_none());
/// # Ok::<(), objchange::schema::SchemaDocumentError>(())
/// ```
#[derive(Clone)]
pub struct ProviderSchemas {
    text: String,
    format_version: Option<String>,
    /// By provider address, by kind, by name: where the schema stands in `text`.
    providers: BTreeMap<String, Provider>,
}

type Provider = BTreeMap<SchemaKind, BTreeMap<String, Range<usize>>>;

/// What a schema in the document describes.
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
}

/// One schema with its version.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// The version of the schema, for state upgrades.
    pub version: i64,
    /// Its root block.
    pub block: Block,
}

/// Why a schema document could not be read: where it stands, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SchemaDocumentError {
    /// What was being read: the path of keys from the root of the document.
    pub location: String,
    /// The line in the document, from 1.
    pub line: usize,
    /// The column in that line, in bytes from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for SchemaDocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.location.is_empty() {
            write!(f, "{}: ", self.location)?;
        }
        f.write_str(&self.message)
    }
}

#[derive(Deserialize)]
struct RawDocument<'a> {
    #[serde(default)]
    format_version: Option<String>,
    #[serde(borrow, default)]
    provider_schemas: Option<BTreeMap<String, RawProvider<'a>>>,
}

#[derive(Deserialize)]
struct RawProvider<'a> {
    #[serde(borrow, default)]
    provider: Option<&'a RawValue>,
    #[serde(borrow, default)]
    resource_schemas: Option<BTreeMap<String, &'a RawValue>>,
    #[serde(borrow, default)]
    data_source_schemas: Option<BTreeMap<String, &'a RawValue>>,
    #[serde(borrow, default)]
    ephemeral_resource_schemas: Option<BTreeMap<String, &'a RawValue>>,
    #[serde(borrow, default)]
    list_resource_schemas: Option<BTreeMap<String, &'a RawValue>>,
    #[serde(borrow, default)]
    resource_identity_schemas: Option<BTreeMap<String, &'a RawValue>>,
}

#[derive(Deserialize)]
struct RawSchema {
    #[serde(default)]
    version: i64,
    #[serde(default)]
    block: Option<Block>,
    #[serde(default)]
    attributes: Option<serde::de::IgnoredAny>,
}

impl ProviderSchemas {
    /// Finds the schemas in the text of a document.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or not a document of provider schemas; the error names the line and column.
    pub fn parse(text: impl Into<String>) -> Result<Self, SchemaDocumentError> {
        let text = text.into();
        let raw: RawDocument<'_> =
            serde_json::from_str(&text).map_err(|e| SchemaDocumentError::from_json(&e, &text, 0, ""))?;
        // Without any provider Terraform writes nothing but the version.
        if raw.provider_schemas.is_none() && raw.format_version.is_none() {
            return Err(SchemaDocumentError {
                location: String::new(),
                line: 1,
                column: 1,
                message: "there is no `provider_schemas` here: is this the output of \
                          `terraform providers schema -json`?"
                    .into(),
            });
        }
        let start = text.as_ptr() as usize;
        let range = |value: &RawValue| {
            let from = value.get().as_ptr() as usize - start;
            from..from + value.get().len()
        };
        let ranges = |schemas: Option<BTreeMap<String, &RawValue>>| -> BTreeMap<String, Range<usize>> {
            schemas.into_iter().flatten().map(|(name, value)| (name, range(value))).collect()
        };
        let providers = raw
            .provider_schemas
            .unwrap_or_default()
            .into_iter()
            .map(|(address, p)| {
                let own = p.provider.into_iter().map(|v| (String::new(), range(v))).collect();
                let kinds = BTreeMap::from([
                    (SchemaKind::Provider, own),
                    (SchemaKind::Resource, ranges(p.resource_schemas)),
                    (SchemaKind::DataSource, ranges(p.data_source_schemas)),
                    (SchemaKind::EphemeralResource, ranges(p.ephemeral_resource_schemas)),
                    (SchemaKind::ListResource, ranges(p.list_resource_schemas)),
                    (SchemaKind::Identity, ranges(p.resource_identity_schemas)),
                ]);
                (address, kinds)
            })
            .collect();
        Ok(Self { format_version: raw.format_version, providers, text })
    }

    /// The version of the document's format, such as `1.0`.
    pub fn format_version(&self) -> Option<&str> {
        self.format_version.as_deref()
    }

    /// The addresses of the providers, such as `registry.terraform.io/hashicorp/aws`, in byte order.
    pub fn providers(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(String::as_str)
    }

    /// The names of a provider's schemas of one kind, in byte order.
    /// The one schema of [`SchemaKind::Provider`] has an empty name.
    pub fn names(&self, provider: &str, kind: SchemaKind) -> impl Iterator<Item = &str> {
        self.providers.get(provider).and_then(|p| p.get(&kind)).into_iter().flatten().map(|(n, _)| n.as_str())
    }

    /// Reads a provider's schema; `None` if the document has none of this name.
    ///
    /// # Errors
    ///
    /// What stands there is no schema; the error names the place.
    pub fn get(
        &self,
        provider: &str,
        kind: SchemaKind,
        name: &str,
    ) -> Result<Option<Schema>, SchemaDocumentError> {
        let range = self.providers.get(provider).and_then(|p| p.get(&kind)).and_then(|names| names.get(name));
        range.map(|range| self.read(range, kind, provider, name)).transpose()
    }

    /// Reads the first schema of this name, whichever provider has it.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn find(&self, kind: SchemaKind, name: &str) -> Result<Option<Schema>, SchemaDocumentError> {
        for (provider, kinds) in &self.providers {
            if let Some(range) = kinds.get(&kind).and_then(|names| names.get(name)) {
                return self.read(range, kind, provider, name).map(Some);
            }
        }
        Ok(None)
    }

    fn read(
        &self,
        range: &Range<usize>,
        kind: SchemaKind,
        provider: &str,
        name: &str,
    ) -> Result<Schema, SchemaDocumentError> {
        let fragment = &self.text[range.clone()];
        let location = || format!("schema of {provider} {name}");
        let raw: RawSchema = serde_json::from_str(fragment)
            .map_err(|e| SchemaDocumentError::from_json(&e, &self.text, range.start, &location()))?;
        let block = match (raw.block, raw.attributes) {
            (Some(block), _) => block,
            // An identity schema is a block without the word around it.
            (None, Some(_)) if kind == SchemaKind::Identity => {
                serde_json::from_str::<super::read::IdentityBlock>(fragment)
                    .map_err(|e| SchemaDocumentError::from_json(&e, &self.text, range.start, &location()))?
                    .0
            }
            // A provider without configuration has a schema without a block.
            (None, _) => Block::new::<&str>([], []),
        };
        Ok(Schema { version: raw.version, block })
    }
}

impl fmt::Debug for ProviderSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSchemas").field("providers", &self.providers.keys()).finish_non_exhaustive()
    }
}

impl SchemaDocumentError {
    /// Turns the place of an error inside of a fragment into the place in the whole text.
    fn from_json(error: &serde_json::Error, text: &str, fragment_start: usize, location: &str) -> Self {
        let before = &text[..fragment_start];
        let lines_before = before.bytes().filter(|b| *b == b'\n').count();
        let column_before =
            if error.line() <= 1 { before.len() - before.rfind('\n').map_or(0, |i| i + 1) } else { 0 };
        let mut message = error.to_string();
        // serde_json appends the place within the fragment.
        if let Some(at) = message.rfind(" at line ") {
            message.truncate(at);
        }
        Self {
            location: location.to_owned(),
            line: lines_before + error.line().max(1),
            column: column_before + error.column().max(1),
            message,
        }
    }
}
