//! Two versions of a provider, and the resources of root modules that differences between them concern.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use objchange::Type;
use objchange::address::Mode;
use objchange::schema::{Block, ProviderSchemas, SchemaDocumentError, SchemaKind};
use objchange_document::Version;
use objchange_document::schema_cache::CachedSchemas;
use objchange_hcl::{Body, Severity};
use objchange_model::{
    ModelError, ModelInfo, ProviderModel, ProviderVersion, Upgrade, UpgradeChange, UpgradeKind,
    compare_versions,
};
use objchange_module::ProviderAddress;
use objchange_module::config::{Config, LoadOptions};
use serde::Serialize;
use smol_str::SmolStr;

use crate::files::DiskFiles;
use crate::schema_cache::CacheFileError;

/// A version of a provider to compare.
#[derive(Debug)]
pub struct UpgradeSide {
    /// The provider.
    pub provider: ProviderAddress,
    /// The version, where it is known.
    pub version: Option<String>,
    /// Its schemas.
    pub schemas: ProviderSchemas,
    /// Its model, if it was learned.
    pub model: Option<ProviderModel>,
}

/// Why versions cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpgradeError {
    /// A file of the cache, or an exported one, cannot be used.
    #[error(transparent)]
    File(#[from] CacheFileError),
    /// A document has no schemas, or one that cannot be read.
    #[error(transparent)]
    Schemas(#[from] SchemaDocumentError),
    /// A document has the schemas of several providers.
    #[error("it has the schemas of several providers: {}", .0.join(", "))]
    SeveralProviders(Vec<String>),
    /// A document has no provider.
    #[error("it has the schemas of no provider")]
    NoProvider,
    /// A configuration cannot be read.
    #[error("{}: {problem}", .directory.display())]
    Configuration {
        /// Its directory.
        directory: PathBuf,
        /// The problem.
        problem: String,
    },
}

impl UpgradeError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Schemas(error) => error.kind.kind(),
            Self::SeveralProviders(_) => "several_providers",
            Self::NoProvider => "no_provider",
            Self::Configuration { .. } => "configuration",
        }
    }
}

/// A resource, data source or ephemeral resource that a difference concerns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ConcernedResource {
    /// The root module.
    pub directory: String,
    /// The address without keys: `module.web.aws_instance.this`.
    pub address: String,
    /// Where it is written: `main.tf:3,1-30`.
    pub place: String,
}

/// The resources of a provider in root modules.
#[derive(Debug, Default)]
pub struct UsedResources {
    resources: Vec<UsedResource>,
    /// Modules that are called and not installed: their resources are not known.
    pub missing_modules: BTreeSet<String>,
}

#[derive(Debug)]
struct UsedResource {
    kind: SchemaKind,
    type_name: SmolStr,
    /// The arguments and blocks that are written in it: names with dots between them.
    parts: BTreeSet<String>,
    concerned: ConcernedResource,
}

impl UpgradeSide {
    /// A file of the cache, or an exported one.
    ///
    /// # Errors
    ///
    /// It has the address of no provider, or a model that cannot be used.
    pub fn from_cached(cached: CachedSchemas) -> Result<Self, UpgradeError> {
        let provider = ProviderAddress::parse(&cached.provider).ok_or(CacheFileError::Provider)?;
        let model = cached.model.map(|model| {
            let head = model.head().unwrap_or_default();
            let info = ModelInfo::parse(&head, &cached.provider, cached.version.as_deref());
            let text = move |name: &str| {
                model.of_type(name).map_err(|error| ModelError::Unreadable(error.to_string()))
            };
            info.map(|info| ProviderModel::new(info, text))
        });
        let model = model.transpose().map_err(CacheFileError::from)?;
        Ok(Self { provider, version: cached.version, schemas: cached.schemas, model })
    }

    /// A document of `terraform providers schema -json` with one provider. It has no version and no model.
    ///
    /// # Errors
    ///
    /// It has no provider, or several.
    pub fn from_document(schemas: ProviderSchemas) -> Result<Self, UpgradeError> {
        let providers: Vec<String> = schemas.providers().map(str::to_owned).collect();
        let [provider] = &providers[..] else {
            return Err(match providers.is_empty() {
                true => UpgradeError::NoProvider,
                false => UpgradeError::SeveralProviders(providers),
            });
        };
        let provider = ProviderAddress::parse(provider).ok_or(CacheFileError::Provider)?;
        Ok(Self { provider, version: None, schemas, model: None })
    }

    /// `hashicorp/aws 5.1.0`.
    pub fn display(&self) -> String {
        crate::schema_cache::provider_version(&self.provider, self.version.as_deref())
    }

    /// Compares it with a later version.
    ///
    /// # Errors
    ///
    /// A schema cannot be read.
    pub fn compare(&self, after: &Self) -> Result<Upgrade, UpgradeError> {
        let [one, other] = [self, after].map(|side| side.provider.to_string());
        let before = ProviderVersion { provider: &one, schemas: &self.schemas, model: self.model.as_ref() };
        let after =
            ProviderVersion { provider: &other, schemas: &after.schemas, model: after.model.as_ref() };
        Ok(compare_versions(before, after)?)
    }
}

impl UsedResources {
    /// The resources of a provider in root modules. Their schemas are those of the version that the modules have now.
    ///
    /// # Errors
    ///
    /// A configuration cannot be read.
    pub fn new(directories: &[PathBuf], side: &UpgradeSide) -> Result<Self, UpgradeError> {
        let mut used = Self::default();
        for directory in directories {
            used.add(directory, side)?;
        }
        Ok(used)
    }

    fn add(&mut self, directory: &Path, side: &UpgradeSide) -> Result<(), UpgradeError> {
        let unreadable =
            |problem: String| UpgradeError::Configuration { directory: directory.to_owned(), problem };
        let files = DiskFiles::new(directory, &[]).map_err(|error| unreadable(error.to_string()))?;
        let manifest = files.module_manifest().map_err(|error| unreadable(error.to_string()))?;
        let terraform_version = format!("{}.0", Version::NEWEST);
        let options = LoadOptions {
            manifest: manifest.as_deref(),
            accepts_missing: true,
            ..LoadOptions::new(&terraform_version)
        };
        let (config, diagnostics) = Config::load(&files, ".", &options);
        let places = config.sources.places();
        let error = diagnostics.iter().find(|found| {
            found.diagnostic.severity == Severity::Error
                && found.diagnostic.kind != "unsupported_terraform_core_version"
        });
        if let Some(error) = error {
            let place = error.diagnostic.subject.map(|subject| format!("{}: ", places.describe(subject)));
            return Err(unreadable(format!("{}{}", place.unwrap_or_default(), error.diagnostic.summary)));
        }
        for (caller, name) in config.missing_modules.keys() {
            let path = config.modules[*caller].path.iter().chain([name]);
            let path: Vec<String> = path.map(|name| format!("module.{name}")).collect();
            self.missing_modules.insert(format!("{}: {}", directory.display(), path.join(".")));
        }
        let provider = side.provider.to_string();
        for (id, module) in config.modules.iter().enumerate() {
            for (name, resource) in &module.config.resources {
                if config.provider_of(id, name) != side.provider {
                    continue;
                }
                let (kind, prefix) = match name.mode {
                    Mode::Managed => (SchemaKind::Resource, ""),
                    Mode::Data => (SchemaKind::DataSource, "data."),
                    _ => (SchemaKind::EphemeralResource, "ephemeral."),
                };
                let path: String = module.path.iter().map(|name| format!("module.{name}.")).collect();
                let mut parts = BTreeSet::new();
                if let Some(schema) = side.schemas.get(&provider, kind, &name.resource_type)? {
                    add_parts(&resource.body.under(&schema.block).0, &schema.block, "", &mut parts);
                }
                self.resources.push(UsedResource {
                    kind,
                    type_name: name.resource_type.clone(),
                    parts,
                    concerned: ConcernedResource {
                        directory: directory.display().to_string(),
                        address: format!("{path}{prefix}{}.{}", name.resource_type, name.name),
                        place: places.describe(resource.header),
                    },
                });
            }
        }
        Ok(())
    }

    /// The resources that a difference concerns.
    pub fn concerned_by(&self, change: &UpgradeChange) -> Vec<ConcernedResource> {
        let of_type = self
            .resources
            .iter()
            .filter(|used| used.kind.key() == change.schema && used.type_name == change.type_name);
        let concerned = of_type.filter(|used| used.is_concerned(change));
        concerned.map(|used| used.concerned.clone()).collect()
    }

    /// Whether a resource is of this type.
    pub fn has_type(&self, type_name: &str) -> bool {
        self.resources.iter().any(|used| used.kind == SchemaKind::Resource && used.type_name == type_name)
    }

    /// Whether a resource of this type sets an argument.
    pub fn sets(&self, type_name: &str, part: &str) -> bool {
        let mut of_type = self
            .resources
            .iter()
            .filter(|used| used.kind == SchemaKind::Resource && used.type_name == type_name);
        of_type.any(|used| used.sets(part))
    }
}

impl UsedResource {
    /// Whether an argument is written, or an object around it.
    fn sets(&self, part: &str) -> bool {
        // An object in an attribute is written as a whole.
        self.parts.contains(part) || part.match_indices('.').any(|(at, _)| self.parts.contains(&part[..=at]))
    }

    fn is_concerned(&self, change: &UpgradeChange) -> bool {
        let Some(part) = &change.part else { return true };
        let is_around = part.rsplit_once('.').is_none_or(|(outer, _)| self.sets(outer));
        match change.kind {
            UpgradeKind::Required | UpgradeKind::Default => is_around && !self.sets(part),
            // Any expression may use the value.
            UpgradeKind::Sensitive | UpgradeKind::NotKept => is_around,
            _ => self.sets(part),
        }
    }
}

/// Whether values of a type are objects, or collections of them.
fn holds_objects(ty: &Type) -> bool {
    ty.as_object().is_some() || ty.element().is_some_and(holds_objects)
}

/// Adds the arguments and blocks that are written in a body. The name of an attribute that holds objects ends with a dot as
/// well.
fn add_parts(body: &Body, schema: &Block, outer: &str, parts: &mut BTreeSet<String>) {
    for attribute in &body.attributes {
        let part = format!("{outer}{}", attribute.name);
        if schema.attribute(&attribute.name).is_some_and(|attribute| holds_objects(attribute.implied_type()))
        {
            parts.insert(format!("{part}."));
        }
        parts.insert(part);
    }
    for block in &body.blocks {
        // `dynamic "name" { content { … } }`
        let is_dynamic = block.kind == "dynamic" && schema.block_type("dynamic").is_none();
        let name = match (is_dynamic, block.labels.first()) {
            (true, Some(label)) => label.text.as_str(),
            _ => block.kind.as_str(),
        };
        let Some(nested) = schema.block_type(name) else { continue };
        let part = format!("{outer}{name}");
        let content = block.body.blocks.iter().find(|inner| is_dynamic && inner.kind == "content");
        add_parts(
            content.map_or(&block.body, |content| &content.body),
            &nested.block,
            &format!("{part}."),
            parts,
        );
        parts.insert(part);
    }
}
