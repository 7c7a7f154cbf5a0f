//! The document of `terraform providers schema -json`, read as far as it is asked.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use serde::Deserialize;
use smol_str::SmolStr;

use super::block::Block;
use super::function::FunctionSchema;
use super::read::{Entries, IdentityBlock};
use crate::value::ReadErrorKind;
use objchange_text::json::{self, JsonError, Part, Segment, place};

/// The schemas of all providers in one document of `terraform providers schema -json`.
///
/// Opening it finds where each schema stands; a schema itself is read when it is first asked for, so that one
/// resource type of a large document costs little, and kept. Threads may share the document.
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
    /// By provider address, by kind, by name.
    providers: BTreeMap<SmolStr, Provider>,
    /// Where the functions stand in the text, by provider address, by name.
    functions: BTreeMap<SmolStr, BTreeMap<SmolStr, Range<usize>>>,
}

type Provider = BTreeMap<SchemaKind, BTreeMap<SmolStr, Found>>;

/// A schema that was found in the document.
#[derive(Clone)]
struct Found {
    /// Where it stands in the text.
    range: Range<usize>,
    /// What stands there, once it was asked for.
    schema: OnceLock<Box<Schema>>,
}

const _: () = {
    const fn shareable<T: Send + Sync>() {}
    shareable::<ProviderSchemas>();
};

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
    /// An action type; its schemas have no version.
    Action,
}

/// One schema with its version.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Schema {
    /// The version of the schema, for state upgrades.
    pub version: i64,
    /// Its root block.
    pub block: Block,
}

/// Why a schema document could not be read: where it stands, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct SchemaDocumentError {
    /// What is wrong, for programs.
    pub kind: SchemaDocumentErrorKind,
    /// What was being read: the keys from the root of the document on, as
    /// `provider_schemas["registry.terraform.io/hashicorp/null"].resource_schemas.null_resource.block`.
    pub location: String,
    /// The byte in the document that is wrong, from 0; its length where that ends too early.
    pub offset: usize,
    /// The line in the document, from 1.
    pub line: usize,
    /// The column in that line, in bytes from 1.
    pub column: usize,
    /// What is wrong, for people.
    pub message: String,
}

/// What is wrong with a document of provider schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaDocumentErrorKind {
    /// The text is no JSON, or some part of it is not what belongs there.
    Json(ReadErrorKind),
    /// It holds no schemas: it is another document.
    NotSchemas,
    /// The version of its format is not supported.
    UnsupportedVersion,
}

impl SchemaDocumentErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Json(kind) => kind.kind(),
            Self::NotSchemas => "not_schemas",
            Self::UnsupportedVersion => "unsupported_version",
        }
    }
}

impl SchemaDocumentError {
    fn at(
        text: &str,
        offset: usize,
        kind: SchemaDocumentErrorKind,
        location: String,
        message: impl Into<String>,
    ) -> Self {
        let (line, column) = place(text, offset);
        Self { kind, location, offset, line, column, message: message.into() }
    }
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
#[serde(expecting = "the output of `terraform providers schema -json`")]
struct RawDocument<'a> {
    #[serde(borrow, default)]
    format_version: Option<Part<'a>>,
    #[serde(borrow, default)]
    provider_schemas: Option<Entries<RawProvider<'a>>>,
    /// Plans and states have one of these, and no schemas.
    #[serde(default)]
    resource_changes: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    planned_values: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    values: Option<serde::de::IgnoredAny>,
}

/// The part of the document that tells whether the rest can be read.
#[derive(Deserialize)]
struct RawVersion<'a> {
    #[serde(borrow, default)]
    format_version: Option<Part<'a>>,
}

#[derive(Deserialize)]
struct RawProvider<'a> {
    #[serde(borrow, default)]
    provider: Option<Part<'a>>,
    #[serde(borrow, default)]
    resource_schemas: Option<Entries<Part<'a>>>,
    #[serde(borrow, default)]
    data_source_schemas: Option<Entries<Part<'a>>>,
    #[serde(borrow, default)]
    ephemeral_resource_schemas: Option<Entries<Part<'a>>>,
    #[serde(borrow, default)]
    list_resource_schemas: Option<Entries<Part<'a>>>,
    #[serde(borrow, default)]
    resource_identity_schemas: Option<Entries<Part<'a>>>,
    #[serde(borrow, default)]
    action_schemas: Option<Entries<Part<'a>>>,
    #[serde(borrow, default)]
    functions: Option<Entries<Part<'a>>>,
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

impl Schema {
    /// A schema of this version, as a provider declares it.
    pub fn new(version: i64, block: Block) -> Self {
        Self { version, block }
    }
}

impl SchemaKind {
    /// The key under which the document holds the schemas of this kind.
    fn key(self) -> &'static str {
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

impl ProviderSchemas {
    /// Finds the schemas in the text of a document.
    ///
    /// # Errors
    ///
    /// The text is not JSON, not a document of provider schemas, or of a format version other than 0 and 1;
    /// the error names the line and column.
    pub fn parse(text: impl Into<String>) -> Result<Self, SchemaDocumentError> {
        let text = text.into();
        let raw: RawDocument<'_> = match read(&text, 0..text.len(), &[]) {
            Ok(raw) => raw,
            Err(error) => {
                // Another version of the format may well look different, and then that is what to say.
                if let Ok(RawVersion { format_version }) = json::from_str(&text) {
                    supported(format_version, &text)?;
                }
                return Err(error);
            }
        };
        let format_version = supported(raw.format_version, &text)?;
        // Without any provider Terraform writes nothing but the version.
        let other = raw.resource_changes.or(raw.planned_values).or(raw.values).is_some();
        if raw.provider_schemas.is_none() && (other || format_version.is_none()) {
            return Err(SchemaDocumentError::at(
                &text,
                0,
                SchemaDocumentErrorKind::NotSchemas,
                String::new(),
                "there is no `provider_schemas` here: is this the output of `terraform providers schema -json`?",
            ));
        }
        let found = |part: Part<'_>| Found { range: range_of(part, &text), schema: OnceLock::new() };
        let all = |schemas: Option<Entries<Part<'_>>>| -> BTreeMap<SmolStr, Found> {
            let entries = schemas.map(|entries| entries.0).unwrap_or_default();
            entries.into_iter().map(|(name, part)| (name, found(part))).collect()
        };
        let mut functions = BTreeMap::new();
        let providers = raw
            .provider_schemas
            .map(|entries| entries.0)
            .unwrap_or_default()
            .into_iter()
            .map(|(address, p)| {
                let own = p.provider.into_iter().map(|part| (SmolStr::default(), found(part))).collect();
                let kinds = BTreeMap::from([
                    (SchemaKind::Provider, own),
                    (SchemaKind::Resource, all(p.resource_schemas)),
                    (SchemaKind::DataSource, all(p.data_source_schemas)),
                    (SchemaKind::EphemeralResource, all(p.ephemeral_resource_schemas)),
                    (SchemaKind::ListResource, all(p.list_resource_schemas)),
                    (SchemaKind::Identity, all(p.resource_identity_schemas)),
                    (SchemaKind::Action, all(p.action_schemas)),
                ]);
                let found = p.functions.map(|entries| entries.0).unwrap_or_default();
                if !found.is_empty() {
                    let found = found.into_iter().map(|(name, part)| (name, range_of(part, &text)));
                    functions.insert(address.clone(), found.collect());
                }
                (address, kinds)
            })
            .collect();
        Ok(Self { text, format_version, providers, functions })
    }

    /// The version of the document's format, such as `1.0`.
    pub fn format_version(&self) -> Option<&str> {
        self.format_version.as_deref()
    }

    /// The addresses of the providers, such as `registry.terraform.io/hashicorp/aws`, in byte order.
    pub fn providers(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(SmolStr::as_str)
    }

    /// The names of a provider's schemas of one kind, in byte order.
    /// The one schema of [`SchemaKind::Provider`] has an empty name.
    pub fn names(&self, provider: &str, kind: SchemaKind) -> impl Iterator<Item = &str> {
        self.providers.get(provider).and_then(|p| p.get(&kind)).into_iter().flatten().map(|(n, _)| n.as_str())
    }

    /// A provider's schema, read once; `None` if the document has none of this name. Of a schema that was read
    /// before this allocates nothing.
    ///
    /// # Errors
    ///
    /// What stands there is no schema; the error names the place.
    pub fn get(
        &self,
        provider: &str,
        kind: SchemaKind,
        name: &str,
    ) -> Result<Option<&Schema>, SchemaDocumentError> {
        let found = self.providers.get(provider).and_then(|p| p.get(&kind)).and_then(|names| names.get(name));
        found.map(|found| self.schema(found, kind, provider, name)).transpose()
    }

    /// The names of a provider's functions, in byte order.
    pub fn function_names(&self, provider: &str) -> impl Iterator<Item = &str> {
        self.functions.get(provider).into_iter().flat_map(|names| names.keys().map(SmolStr::as_str))
    }

    /// What a function of a provider takes and returns; `None` if the document has none of this name.
    ///
    /// # Errors
    ///
    /// What stands there is no function; the error names the place.
    pub fn function(
        &self,
        provider: &str,
        name: &str,
    ) -> Result<Option<FunctionSchema>, SchemaDocumentError> {
        let found = self.functions.get(provider).and_then(|names| names.get(name));
        let keys = ["provider_schemas", provider, "functions", name];
        found.map(|range| read(&self.text, range.clone(), &keys)).transpose()
    }

    /// The first schema of this name, whichever provider has it.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn find(&self, kind: SchemaKind, name: &str) -> Result<Option<&Schema>, SchemaDocumentError> {
        for (provider, kinds) in &self.providers {
            if let Some(found) = kinds.get(&kind).and_then(|names| names.get(name)) {
                return self.schema(found, kind, provider, name).map(Some);
            }
        }
        Ok(None)
    }

    fn schema<'s>(
        &self,
        found: &'s Found,
        kind: SchemaKind,
        provider: &str,
        name: &str,
    ) -> Result<&'s Schema, SchemaDocumentError> {
        if let Some(schema) = found.schema.get() {
            return Ok(schema);
        }
        let schema = self.read(&found.range, kind, provider, name)?;
        // Another thread may have read it meanwhile, and then it is the same.
        Ok(found.schema.get_or_init(|| Box::new(schema)))
    }

    fn read(
        &self,
        range: &Range<usize>,
        kind: SchemaKind,
        provider: &str,
        name: &str,
    ) -> Result<Schema, SchemaDocumentError> {
        let keys = ["provider_schemas", provider, kind.key(), name];
        // The one schema of the provider itself has no name.
        let keys = if kind == SchemaKind::Provider { &keys[..3] } else { &keys };
        let raw: RawSchema = read(&self.text, range.clone(), keys)?;
        let block = match (raw.block, raw.attributes) {
            (Some(block), _) => block,
            // An identity schema is a block without the word around it.
            (None, Some(_)) if kind == SchemaKind::Identity => {
                read::<IdentityBlock>(&self.text, range.clone(), keys)?.0
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

/// Where a part that was set aside stands in the text.
fn range_of(part: Part<'_>, text: &str) -> Range<usize> {
    let from = part.0.as_ptr() as usize - text.as_ptr() as usize;
    from..from + part.0.len()
}

/// The version of the document's format, if it is one that can be read or none is given.
fn supported(version: Option<Part<'_>>, text: &str) -> Result<Option<String>, SchemaDocumentError> {
    let Some(raw) = version else { return Ok(None) };
    let range = range_of(raw, text);
    let version: String = read(text, range.clone(), &["format_version"])?;
    match version.split('.').next().map(str::parse) {
        Some(Ok(0_u32 | 1)) => Ok(Some(version)),
        _ => {
            let message = format!("the format version is {version:?}, but only versions 0 and 1 can be read");
            let kind = SchemaDocumentErrorKind::UnsupportedVersion;
            Err(SchemaDocumentError::at(text, range.start, kind, "format_version".into(), message))
        }
    }
}

/// Reads the part of the text that stands at these keys.
fn read<'t, T: Deserialize<'t>>(
    text: &'t str,
    range: Range<usize>,
    keys: &[&str],
) -> Result<T, SchemaDocumentError> {
    json::from_str(&text[range.clone()]).map_err(|error: JsonError| {
        let (kind, offset) = (SchemaDocumentErrorKind::Json(error.kind()), range.start + error.offset());
        let location = location(keys, error.segments());
        SchemaDocumentError::at(text, offset, kind, location, error.into_message())
    })
}

fn location<'s>(keys: &[&str], inside: impl Iterator<Item = &'s Segment>) -> String {
    let mut out = String::new();
    for key in keys {
        push_key(&mut out, key);
    }
    for segment in inside {
        match segment {
            Segment::Key(key) => push_key(&mut out, key),
            Segment::Position(position) => out.push_str(&format!("[{position}]")),
        }
    }
    out
}

fn push_key(out: &mut String, key: &str) {
    if !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
        out.push_str(if out.is_empty() { "" } else { "." });
        out.push_str(key);
    } else {
        out.push_str(&format!("[{key:?}]"));
    }
}
