//! The schemas of the providers of a module.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use objchange::Type;
use objchange::address::Mode;
use objchange::schema::{
    FunctionSchema, ProviderSchemas, Schema, SchemaDocumentError, SchemaKind, SchemaPart,
};
use objchange::value::ObjectType;
use objchange_document::Version;
use objchange_hcl::{ActionName, ResourceName};
use serde_json::json;
use smol_str::SmolStr;

use crate::ProviderAddress;
use crate::config::{Config, ModuleId};
use crate::inferred::{inferred_action_schema, inferred_schema};
use crate::test::Assumed;
use crate::versions::since;

const BUILTIN_DOCUMENT: &str = include_str!("builtin_schemas.json");

/// The schemas of the provider that is part of Terraform.
static BUILTIN: LazyLock<Option<ProviderSchemas>> =
    LazyLock::new(|| ProviderSchemas::parse(BUILTIN_DOCUMENT).ok());

/// Those of Terraform before 1.16: without `store` of `terraform_data`.
static OLDER_BUILTIN: LazyLock<Option<ProviderSchemas>> = LazyLock::new(|| {
    let mut document: serde_json::Value = serde_json::from_str(BUILTIN_DOCUMENT).ok()?;
    let path = "/provider_schemas/terraform.io~1builtin~1terraform/resource_schemas/terraform_data/block";
    document.pointer_mut(path)?.as_object_mut()?.remove("block_types");
    ProviderSchemas::parse(document.to_string()).ok()
});

const IDENTITIES: SchemaPart = SchemaPart::Schema(SchemaKind::Identity);

/// The schemas of providers, from any number of documents. Those of the provider that is part of Terraform are always there.
#[derive(Debug, Clone, Default)]
pub struct Schemas {
    documents: Vec<Arc<ProviderSchemas>>,
    /// The schemas of resources whose provider has none, by their module.
    inferred: BTreeMap<(ModuleId, ResourceName), Schema>,
    /// Those of actions.
    inferred_actions: BTreeMap<(ModuleId, ActionName), Schema>,
    /// The providers whose schemas are assumed, as far as tests need them.
    assumed: Assumed,
    /// The provider that is part of Terraform is that of a version before 1.16.
    has_older_builtin: bool,
}

impl Schemas {
    /// The schemas of these documents; where several have a provider, the first counts.
    pub fn new<D: Into<Arc<ProviderSchemas>>>(documents: impl IntoIterator<Item = D>) -> Self {
        Self { documents: documents.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// These schemas, with those of the provider that is part of this version of Terraform.
    #[must_use]
    pub fn of_version(self, version: Version) -> Self {
        Self { has_older_builtin: !since(version, "1.16"), ..self }
    }

    /// The schemas of the provider that is part of Terraform, whatever documents say of it, which another version may have
    /// written.
    fn own_builtin(&self) -> Option<&'static ProviderSchemas> {
        match self.has_older_builtin {
            true => OLDER_BUILTIN.as_ref(),
            false => BUILTIN.as_ref(),
        }
    }

    fn documents(&self) -> impl Iterator<Item = &ProviderSchemas> {
        self.documents.iter().map(Arc::as_ref)
    }

    /// The schemas of the provider that is part of Terraform.
    pub fn builtin() -> ProviderSchemas {
        BUILTIN.clone().unwrap_or_default()
    }

    /// Adds a document; what others have of a provider counts before it.
    pub fn push(&mut self, document: impl Into<Arc<ProviderSchemas>>) {
        self.documents.push(document.into());
    }

    /// Adds schemas that are assumed of mocked providers.
    pub(crate) fn push_assumed(&mut self, document: ProviderSchemas, assumed: Assumed) {
        self.push(document);
        self.assumed = assumed;
    }

    /// The providers whose schemas are assumed.
    pub(crate) fn assumed(&self) -> &Assumed {
        &self.assumed
    }

    /// Makes up schemas for the resources of a configuration whose providers have none: each has what is written in its
    /// block, and nobody knows what else.
    pub fn infer(&mut self, config: &Config) {
        for (id, module) in config.modules.iter().enumerate() {
            for (name, resource) in &module.config.resources {
                if !self.has_provider(&config.provider_config_of(id, name).provider) {
                    self.inferred.insert((id, name.clone()), inferred_schema(resource));
                }
            }
            for (name, action) in &module.config.actions {
                if !self.has_provider(&config.provider_config_of_action(id, name).provider) {
                    self.inferred_actions.insert((id, name.clone()), inferred_action_schema(action));
                }
            }
        }
    }

    /// The schema that was made up for a resource.
    pub(crate) fn inferred(&self, module: ModuleId, name: &ResourceName) -> Option<&Schema> {
        self.inferred.get(&(module, name.clone()))
    }

    /// The schema that was made up for an action.
    pub(crate) fn inferred_action(&self, module: ModuleId, name: &ActionName) -> Option<&Schema> {
        self.inferred_actions.get(&(module, name.clone()))
    }

    /// The deprecated parts of a type of a provider; `None` if there are none.
    pub(crate) fn deprecations(
        &self,
        provider: &ProviderAddress,
        kind: SchemaKind,
        name: &str,
    ) -> Option<Deprecations> {
        let provider = provider.to_string();
        let mut texts = self
            .documents()
            .filter_map(|document| document.text(&provider, SchemaPart::Schema(kind), name).ok().flatten());
        let text = texts.next().filter(|text| text.contains("deprecated"))?;
        let schema: serde_json::Value = serde_json::from_str(&text).ok()?;
        let found = Deprecations::of_block(schema.get("block")?);
        (!found.is_empty()).then_some(found)
    }

    /// All of them as one document.
    pub fn to_document(&self) -> ProviderSchemas {
        let mut all = ProviderSchemas::default();
        self.own_builtin()
            .into_iter()
            .chain(self.documents())
            .for_each(|document| all.append(document.clone()));
        all
    }

    /// Whether the provider's schemas are there.
    pub fn has_provider(&self, provider: &ProviderAddress) -> bool {
        let name = provider.to_string();
        provider.is_builtin()
            || self.documents().any(|document| document.providers().any(|other| other == name))
    }

    /// The schema of something of a provider; the name of a provider's own configuration is empty.
    ///
    /// # Errors
    ///
    /// The schema in the document cannot be read.
    pub fn get(
        &self,
        provider: &ProviderAddress,
        kind: SchemaKind,
        name: &str,
    ) -> Result<Option<&Schema>, SchemaDocumentError> {
        let builtin = if provider.is_builtin() { self.own_builtin() } else { None };
        let provider = provider.to_string();
        for document in builtin.into_iter().chain(self.documents()) {
            if let Some(schema) = document.get(&provider, kind, name)? {
                return Ok(Some(schema));
            }
        }
        Ok(None)
    }

    /// The names of what a provider has of a kind, as far as there are schemas.
    pub(crate) fn names(&self, provider: &ProviderAddress, kind: SchemaKind) -> Vec<&str> {
        let builtin = if provider.is_builtin() { self.own_builtin() } else { None };
        let provider = provider.to_string();
        let documents = builtin.into_iter().chain(self.documents());
        documents.flat_map(|document| document.names(&provider, kind)).collect()
    }

    /// The type that the identity of a resource type has, with its attributes that an import may leave out; `None` where no
    /// schema says that, as in documents that Terraform wrote before 1.12.
    ///
    /// # Errors
    ///
    /// The provider has identities, and none for this type.
    pub(crate) fn identity_type(
        &self,
        provider: &ProviderAddress,
        name: &str,
    ) -> Result<Option<Type>, NoIdentity> {
        let Some(schema) = self.get(provider, SchemaKind::Identity, name).ok().flatten() else {
            let provider = provider.to_string();
            let has_others =
                |document: &ProviderSchemas| document.part_names(&provider, IDENTITIES).next().is_some();
            return if self.documents().any(has_others) { Err(NoIdentity) } else { Ok(None) };
        };
        let attributes = schema.block.attributes();
        let types =
            attributes.iter().map(|(name, attribute)| (name.clone(), attribute.implied_type().clone()));
        let optional = attributes.iter().filter(|(_, attribute)| !attribute.required);
        let optional = optional.map(|(name, _)| name.clone());
        Ok(Some(Type::Object(Arc::new(ObjectType::with_optional(types, optional)))))
    }

    /// All schemas of a provider as `terraform providers schema -json` has them.
    pub(crate) fn document_of(&self, provider: &ProviderAddress, is_new: bool) -> Option<serde_json::Value> {
        let builtin = if provider.is_builtin() { self.own_builtin() } else { None };
        let name = provider.to_string();
        let mut documents = self.documents().chain(builtin);
        let document = documents.find(|document| document.providers().any(|other| other == name))?;
        let mut parts = serde_json::Map::new();
        let read = |document: &ProviderSchemas, part, own: &str| {
            let text = document.text(&name, part, own).ok().flatten()?;
            serde_json::from_str::<serde_json::Value>(&text).ok()
        };
        for part in SchemaPart::all() {
            let key = part.key().to_owned();
            if part == SchemaPart::Schema(SchemaKind::Provider) {
                parts.extend(read(document, part, "").map(|schema| (key, schema)));
                continue;
            }
            // Documents of Terraform before 1.15 have no identities of the built-in provider, and other versions other types.
            let is_own = part == IDENTITIES || part == SchemaPart::Schema(SchemaKind::Resource);
            let document = if is_own { builtin.unwrap_or(document) } else { document };
            let schemas: serde_json::Map<String, serde_json::Value> = document
                .part_names(&name, part)
                .filter_map(|own| Some((own.to_owned(), read(document, part, own)?)))
                .collect();
            if !schemas.is_empty() {
                parts.insert(key, serde_json::Value::Object(schemas));
            }
        }
        // Terraform 1.15 added two schemas to its built-in provider: that of its configuration, and that of an identity.
        if provider.is_builtin() && is_new {
            parts
                .insert("provider".to_owned(), json!({"version": 0, "block": {"description_kind": "plain"}}));
        } else if provider.is_builtin() {
            parts.remove(IDENTITIES.key());
        }
        Some(serde_json::Value::Object(parts))
    }

    /// The functions of a provider that can be read, by name.
    pub(crate) fn functions(&self, provider: &ProviderAddress) -> Vec<(SmolStr, FunctionSchema)> {
        let provider = provider.to_string();
        let document = self.documents().find(|document| document.function_names(&provider).next().is_some());
        let Some(document) = document else { return Vec::new() };
        let read = |name: &str| Some((name.into(), document.function(&provider, name).ok().flatten()?));
        document.function_names(&provider).filter_map(read).collect()
    }

    /// The schema of something of the first provider that has it, of all providers or of those whose type is this.
    pub(crate) fn of_any_provider(
        &self,
        kind: SchemaKind,
        name: &str,
        provider_type: Option<&str>,
    ) -> Option<&Schema> {
        let is_meant =
            |provider: &str| provider_type.is_none_or(|wanted| provider.rsplit('/').next() == Some(wanted));
        self.documents().chain(self.own_builtin()).find_map(|document| {
            let mut providers = document.providers().filter(|provider| is_meant(provider));
            providers.find_map(|provider| document.get(provider, kind, name).ok().flatten())
        })
    }
}

/// The deprecated parts of a block or an attribute, with the messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Deprecations {
    /// All of it.
    pub(crate) whole: Option<String>,
    /// Members of it.
    pub(crate) members: BTreeMap<String, Deprecations>,
}

impl Deprecations {
    fn is_empty(&self) -> bool {
        self.whole.is_none() && self.members.is_empty()
    }

    fn whole_of(value: &serde_json::Value) -> Option<String> {
        let is_deprecated = value.get("deprecated").and_then(serde_json::Value::as_bool) == Some(true);
        let message = value.get("deprecation_message").and_then(serde_json::Value::as_str);
        is_deprecated.then(|| message.unwrap_or("Deprecated").to_owned())
    }

    fn of_block(block: &serde_json::Value) -> Self {
        let mut members = Self::of_attributes(block.get("attributes"));
        let blocks = block.get("block_types").and_then(serde_json::Value::as_object);
        for (name, nested) in blocks.into_iter().flatten() {
            let found = nested.get("block").map(Self::of_block).unwrap_or_default();
            if !found.is_empty() {
                members.insert(name.clone(), found);
            }
        }
        Self { whole: Self::whole_of(block), members }
    }

    fn of_attributes(attributes: Option<&serde_json::Value>) -> BTreeMap<String, Self> {
        let attributes = attributes.and_then(serde_json::Value::as_object).into_iter().flatten();
        let found = attributes.map(|(name, attribute)| {
            let nested = attribute.get("nested_type").and_then(|nested| nested.get("attributes"));
            let found = Self { whole: Self::whole_of(attribute), members: Self::of_attributes(nested) };
            (name.clone(), found)
        });
        found.filter(|(_, found)| !found.is_empty()).collect()
    }
}

/// A type of which the provider has no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoIdentity;

/// The kind of schema that objects of this mode have.
pub(crate) fn schema_kind(mode: Mode) -> SchemaKind {
    match mode {
        Mode::Managed => SchemaKind::Resource,
        Mode::Data => SchemaKind::DataSource,
        Mode::Ephemeral => SchemaKind::EphemeralResource,
    }
}
