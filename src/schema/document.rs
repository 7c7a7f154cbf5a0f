//! The document of `terraform providers schema -json`, parsed on demand.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use smol_str::SmolStr;

use super::block::Block;
use super::document_error::{MissingSchemaText, SchemaDocumentError, SchemaDocumentErrorKind, location};
use super::function::FunctionSchema;
use super::part::{SchemaKind, SchemaPart};
use super::read::{Entries, IdentityBlock};
use crate::address::ProviderAddress;
use objchange_text::json::{self, JsonError, RawPart};

/// The schemas of all providers in one document of `terraform providers schema -json`.
///
/// Parsing a document only locates its schemas. Each schema is read on first use and kept, so that one
/// resource type of a large document costs little. Threads may share the document.
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
///
/// The texts of schemas may also be elsewhere, such as in a cache: see [`from_texts`](Self::from_texts).
#[derive(Clone, Default)]
pub struct ProviderSchemas {
    format_version: Option<String>,
    /// By provider address.
    providers: BTreeMap<SmolStr, Provider>,
}

#[derive(Clone)]
struct Provider {
    texts: Texts,
    /// By kind, by name.
    kinds: BTreeMap<SchemaKind, BTreeMap<SmolStr, StoredSchema>>,
    /// The places of functions in the document, by name.
    functions: BTreeMap<SmolStr, Range<usize>>,
    /// Adjusts the schema of each resource type when it is first read.
    adjust: Option<AdjustFn>,
}

type AdjustFn = fn(&Block) -> Option<Block>;

/// The source of the schemas' texts.
#[derive(Clone)]
enum Texts {
    /// In this document.
    Document(Arc<String>),
    /// A function that returns them.
    Elsewhere(Arc<TextFn>),
}

type TextFn = dyn Fn(SchemaPart, &str) -> Result<String, MissingSchemaText> + Send + Sync;

/// A schema in the document.
#[derive(Clone, Default)]
struct StoredSchema {
    /// Its place in the document.
    range: Range<usize>,
    /// The schema, after first use.
    schema: OnceLock<Box<Schema>>,
}

const _: () = {
    const fn shareable<T: Send + Sync>() {}
    shareable::<ProviderSchemas>();
};

/// One schema with its version.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Schema {
    /// The version of the schema, for state upgrades.
    pub version: i64,
    /// Its root block.
    pub block: Block,
}

#[derive(Deserialize)]
#[serde(expecting = "the output of `terraform providers schema -json`")]
struct RawDocument<'a> {
    #[serde(borrow, default)]
    format_version: Option<RawPart<'a>>,
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
    format_version: Option<RawPart<'a>>,
}

#[derive(Deserialize)]
struct RawProvider<'a> {
    #[serde(borrow, default)]
    provider: Option<RawPart<'a>>,
    #[serde(borrow, default)]
    resource_schemas: Option<Entries<RawPart<'a>>>,
    #[serde(borrow, default)]
    data_source_schemas: Option<Entries<RawPart<'a>>>,
    // Terraform 1.8 added functions, 1.10 ephemeral resources, 1.12 identities, and 1.14 list resources and actions.
    #[serde(borrow, default)]
    ephemeral_resource_schemas: Option<Entries<RawPart<'a>>>,
    #[serde(borrow, default)]
    list_resource_schemas: Option<Entries<RawPart<'a>>>,
    #[serde(borrow, default)]
    resource_identity_schemas: Option<Entries<RawPart<'a>>>,
    #[serde(borrow, default)]
    action_schemas: Option<Entries<RawPart<'a>>>,
    #[serde(borrow, default)]
    functions: Option<Entries<RawPart<'a>>>,
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

impl ProviderSchemas {
    /// Finds the schemas in the text of a document.
    ///
    /// # Errors
    ///
    /// The text is not JSON, not a document of provider schemas, or of a format version other than 0 and 1;
    /// the error names the line and column.
    pub fn parse(text: impl Into<String>) -> Result<Self, SchemaDocumentError> {
        let text: String = text.into();
        let raw: RawDocument<'_> = match read(&text, 0..text.len(), &[]) {
            Ok(raw) => raw,
            Err(error) => {
                // A document of another version may look different, so the version is the better error.
                if let Ok(RawVersion { format_version }) = json::from_str(&text) {
                    supported(format_version, &text)?;
                }
                return Err(error);
            }
        };
        let format_version = supported(raw.format_version, &text)?;
        // Without any provider, Terraform writes only the version.
        let is_plan_or_state = raw.resource_changes.or(raw.planned_values).or(raw.values).is_some();
        if raw.provider_schemas.is_none() && (is_plan_or_state || format_version.is_none()) {
            return Err(SchemaDocumentError::at(
                &text,
                0,
                SchemaDocumentErrorKind::NotSchemas,
                String::new(),
                "there is no `provider_schemas` here: is this the output of `terraform providers schema -json`?",
            ));
        }
        let stored =
            |part: RawPart<'_>| StoredSchema { range: range_of(part, &text), schema: OnceLock::new() };
        let all = |schemas: Option<Entries<RawPart<'_>>>| -> BTreeMap<SmolStr, StoredSchema> {
            let entries = schemas.map(|entries| entries.0).unwrap_or_default();
            entries.into_iter().map(|(name, part)| (name, stored(part))).collect()
        };
        let providers: Vec<_> = raw
            .provider_schemas
            .map(|entries| entries.0)
            .unwrap_or_default()
            .into_iter()
            .map(|(address, p)| {
                let own = p.provider.into_iter().map(|part| (SmolStr::default(), stored(part))).collect();
                let kinds = BTreeMap::from([
                    (SchemaKind::Provider, own),
                    (SchemaKind::Resource, all(p.resource_schemas)),
                    (SchemaKind::DataSource, all(p.data_source_schemas)),
                    (SchemaKind::EphemeralResource, all(p.ephemeral_resource_schemas)),
                    (SchemaKind::ListResource, all(p.list_resource_schemas)),
                    (SchemaKind::Identity, all(p.resource_identity_schemas)),
                    (SchemaKind::Action, all(p.action_schemas)),
                ]);
                let functions = p.functions.map(|entries| entries.0).unwrap_or_default().into_iter();
                let functions = functions.map(|(name, part)| (name, range_of(part, &text))).collect();
                (address, kinds, functions)
            })
            .collect();
        let text: Arc<String> = Arc::new(text);
        let texts = || Texts::Document(Arc::clone(&text));
        let providers = providers
            .into_iter()
            .map(|(address, kinds, functions)| {
                let address = SmolStr::from(ProviderAddress::normalized(&address));
                (address, Provider { texts: texts(), kinds, functions, adjust: None })
            })
            .collect();
        Ok(Self { format_version, providers })
    }

    /// The schemas of one provider whose texts are elsewhere, such as in a cache. `text` is called when a part
    /// is first needed, and returns the JSON object that a document would have under this name. Its error
    /// becomes the message of a [`SchemaDocumentError`].
    ///
    /// ```
    /// use objchange::schema::{ProviderSchemas, SchemaKind, SchemaPart};
    ///
    /// let names = [(SchemaPart::Schema(SchemaKind::Resource), "null_resource".into())];
    /// let schemas = ProviderSchemas::from_texts("registry.terraform.io/hashicorp/null", names, |_, _| {
    ///     Ok(r#"{"version":0,"block":{"attributes":{"id":{"type":"string","computed":true}}}}"#.to_owned())
    /// });
    /// assert!(schemas.find(SchemaKind::Resource, "null_resource")?.is_some());
    /// # Ok::<(), objchange::schema::SchemaDocumentError>(())
    /// ```
    pub fn from_texts(
        provider: impl Into<SmolStr>,
        names: impl IntoIterator<Item = (SchemaPart, SmolStr)>,
        text: impl Fn(SchemaPart, &str) -> Result<String, MissingSchemaText> + Send + Sync + 'static,
    ) -> Self {
        let mut kinds: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        let mut functions = BTreeMap::new();
        for (part, name) in names {
            match part {
                SchemaPart::Schema(kind) => {
                    kinds.entry(kind).or_default().insert(name, StoredSchema::default());
                }
                SchemaPart::Function => {
                    functions.insert(name, 0..0);
                }
            }
        }
        let texts = Texts::Elsewhere(Arc::new(text));
        let provider_schemas = Provider { texts, kinds, functions, adjust: None };
        let address = SmolStr::from(ProviderAddress::normalized(&provider.into()));
        Self { format_version: None, providers: BTreeMap::from([(address, provider_schemas)]) }
    }

    /// Completes schemas of resource types with facts that the document lacks. `adjust` is called with each schema when it is
    /// first read, and returns its replacement or `None`. The texts do not change.
    ///
    /// ```
    /// use objchange::schema::{Block, ProviderSchemas, SchemaKind};
    ///
    /// let text = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/null":{
    ///     "resource_schemas":{"null_resource":{"version":0,"block":{"attributes":{
    ///         "id":{"type":"string","computed":true}}}}}}}}"#;
    /// let schemas = ProviderSchemas::parse(text)?.adjusting_resources(|_| Some(Block::new::<&str>([], [])));
    /// let schema = schemas.find(SchemaKind::Resource, "null_resource")?.unwrap();
    /// assert!(schema.block.attribute("id").is_none());
    /// # Ok::<(), objchange::schema::SchemaDocumentError>(())
    /// ```
    #[must_use]
    pub fn adjusting_resources(mut self, adjust: fn(&Block) -> Option<Block>) -> Self {
        for provider in self.providers.values_mut() {
            provider.adjust = Some(adjust);
            // Schemas that were read before are read and adjusted again.
            let resources = provider.kinds.get_mut(&SchemaKind::Resource).into_iter().flatten();
            resources.for_each(|(_, stored)| stored.schema = OnceLock::new());
        }
        self
    }

    /// Adds the providers of other schemas that are not here yet.
    pub fn append(&mut self, other: Self) {
        for (address, provider) in other.providers {
            self.providers.entry(address).or_insert(provider);
        }
    }

    /// The version of the document's format, such as `1.0`.
    pub fn format_version(&self) -> Option<&str> {
        self.format_version.as_deref()
    }

    /// The addresses of the providers, such as `registry.terraform.io/hashicorp/aws`, in byte order.
    pub fn providers(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(SmolStr::as_str)
    }

    /// The schemas of a provider, whose address may have capital letters.
    fn entry(&self, provider: &str) -> Option<(&SmolStr, &Provider)> {
        self.providers.get_key_value(&*ProviderAddress::normalized(provider))
    }

    /// The names of a provider's schemas of one kind, in byte order.
    /// The one schema of [`SchemaKind::Provider`] has an empty name.
    pub fn names(&self, provider: &str, kind: SchemaKind) -> impl Iterator<Item = &str> {
        let provider = self.entry(provider);
        provider.and_then(|(_, p)| p.kinds.get(&kind)).into_iter().flatten().map(|(name, _)| name.as_str())
    }

    /// A provider's schema, read once; `None` if the document has none of this name. Reading a schema again
    /// allocates nothing.
    ///
    /// # Errors
    ///
    /// The text is not a schema; the error names the place.
    pub fn get(
        &self,
        provider: &str,
        kind: SchemaKind,
        name: &str,
    ) -> Result<Option<&Schema>, SchemaDocumentError> {
        let Some((address, found)) = self.entry(provider) else { return Ok(None) };
        found.get(address, kind, name)
    }

    /// The names of a provider's parts of one kind, in byte order.
    pub fn part_names(&self, provider: &str, part: SchemaPart) -> impl Iterator<Item = &str> {
        let (schemas, functions) = match part {
            SchemaPart::Schema(kind) => (Some(self.names(provider, kind)), None),
            SchemaPart::Function => (None, Some(self.function_names(provider))),
        };
        schemas.into_iter().flatten().chain(functions.into_iter().flatten())
    }

    /// The JSON text of a part of a provider; `None` if the document has none of this name.
    ///
    /// # Errors
    ///
    /// The function given to [`from_texts`](Self::from_texts) failed.
    pub fn text(
        &self,
        provider: &str,
        part: SchemaPart,
        name: &str,
    ) -> Result<Option<String>, SchemaDocumentError> {
        let Some((_, provider)) = self.entry(provider) else { return Ok(None) };
        let range = match part {
            SchemaPart::Schema(kind) => {
                provider.kinds.get(&kind).and_then(|names| names.get(name)).map(|found| &found.range)
            }
            SchemaPart::Function => provider.functions.get(name),
        };
        let Some(range) = range else { return Ok(None) };
        match &provider.texts {
            Texts::Document(text) => Ok(Some(text[range.clone()].to_owned())),
            Texts::Elsewhere(texts) => {
                texts(part, name).map(Some).map_err(|error| SchemaDocumentError::no_text(&error))
            }
        }
    }

    /// The names of a provider's functions, in byte order.
    pub fn function_names(&self, provider: &str) -> impl Iterator<Item = &str> {
        self.entry(provider).into_iter().flat_map(|(_, p)| p.functions.keys().map(SmolStr::as_str))
    }

    /// The parameters and the result of a provider's function; `None` if the document has none of this
    /// name.
    ///
    /// # Errors
    ///
    /// The text is not a function; the error names the place.
    pub fn function(
        &self,
        provider: &str,
        name: &str,
    ) -> Result<Option<FunctionSchema>, SchemaDocumentError> {
        let Some((provider, found)) = self.entry(provider) else { return Ok(None) };
        let Some(range) = found.functions.get(name) else { return Ok(None) };
        let keys = ["provider_schemas", provider, SchemaPart::Function.key(), name];
        match &found.texts {
            Texts::Document(text) => read(text, range.clone(), &keys).map(Some),
            Texts::Elsewhere(texts) => {
                let text = texts(SchemaPart::Function, name)
                    .map_err(|error| SchemaDocumentError::no_text(&error))?;
                read(&text, 0..text.len(), &keys).map(Some)
            }
        }
    }

    /// The first schema of this name, whichever provider has it.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn find(&self, kind: SchemaKind, name: &str) -> Result<Option<&Schema>, SchemaDocumentError> {
        for (address, provider) in &self.providers {
            if let Some(schema) = provider.get(address, kind, name)? {
                return Ok(Some(schema));
            }
        }
        Ok(None)
    }
}

impl Provider {
    fn get(
        &self,
        address: &str,
        kind: SchemaKind,
        name: &str,
    ) -> Result<Option<&Schema>, SchemaDocumentError> {
        let Some(found) = self.kinds.get(&kind).and_then(|names| names.get(name)) else { return Ok(None) };
        if let Some(schema) = found.schema.get() {
            return Ok(Some(schema));
        }
        let mut schema = match &self.texts {
            Texts::Document(text) => schema(text, found.range.clone(), kind, address, name)?,
            Texts::Elsewhere(texts) => {
                let text = texts(SchemaPart::Schema(kind), name)
                    .map_err(|error| SchemaDocumentError::no_text(&error))?;
                schema(&text, 0..text.len(), kind, address, name)?
            }
        };
        if let Some(adjust) = self.adjust.filter(|_| kind == SchemaKind::Resource)
            && let Some(block) = adjust(&schema.block)
        {
            schema.block = block;
        }
        // Another thread may have read the schema meanwhile. The two are equal; the first one stays.
        Ok(Some(found.schema.get_or_init(|| Box::new(schema))))
    }
}

/// The schema at this place of a text.
fn schema(
    text: &str,
    range: Range<usize>,
    kind: SchemaKind,
    provider: &str,
    name: &str,
) -> Result<Schema, SchemaDocumentError> {
    let keys = ["provider_schemas", provider, kind.key(), name];
    // The one schema of the provider itself has no name.
    let keys = if kind == SchemaKind::Provider { &keys[..3] } else { &keys };
    let raw: RawSchema = read(text, range.clone(), keys)?;
    let block = match (raw.block, raw.attributes) {
        (Some(block), _) => block,
        // An identity schema has its attributes at the top, without a `block` around them.
        (None, Some(_)) if kind == SchemaKind::Identity => read::<IdentityBlock>(text, range, keys)?.0,
        // A provider without configuration has a schema without a block.
        (None, _) => Block::new::<&str>([], []),
    };
    Ok(Schema { version: raw.version, block })
}

impl fmt::Debug for ProviderSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSchemas").field("providers", &self.providers.keys()).finish_non_exhaustive()
    }
}

/// The range of a raw part in the text.
fn range_of(part: RawPart<'_>, text: &str) -> Range<usize> {
    let from = part.0.as_ptr() as usize - text.as_ptr() as usize;
    from..from + part.0.len()
}

/// Checks the version of the document's format. A document without a version is accepted.
fn supported(version: Option<RawPart<'_>>, text: &str) -> Result<Option<String>, SchemaDocumentError> {
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

/// Reads the part of the text at this range. `keys` lead to it, for the location of errors.
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
