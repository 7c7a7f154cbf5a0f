//! Which files of the cache a command takes.

use std::collections::{BTreeMap, BTreeSet};

use objchange::schema::ProviderSchemas;
use objchange_module::{ProviderAddress, Schemas};
use objchange_plan::{SchemaOrigin, SchemaSource};

use super::{CacheFile, SchemaCache, provider_version};
use crate::exit;

/// Whether a command takes schemas from the cache.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SchemaCacheArgs {
    /// Do not take schemas from the cache (see `objchange schemas`)
    #[arg(long)]
    no_schema_cache: bool,
}

/// A provider whose schemas a command wants.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wanted {
    /// This one.
    Provider(ProviderAddress),
    /// The one that has this resource type.
    OfType(String),
    /// Every one.
    All,
}

impl Wanted {
    /// A provider as a document names it; one from before Terraform 0.13 may be named by its type alone.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut provider = ProviderAddress::parse(name)?;
        if provider.namespace == "-" {
            provider.namespace = "hashicorp".into();
        }
        Some(Self::Provider(provider))
    }
}

/// What a command takes from the cache.
#[derive(Debug, Default)]
pub(crate) struct CachedChoice {
    pub(crate) schemas: ProviderSchemas,
    pub(crate) origins: Vec<SchemaOrigin>,
}

impl SchemaCacheArgs {
    /// The schemas of providers that are cached. Of a provider that is locked this version counts; of others the newest,
    /// and where there are several a note says so. The provider in Terraform is always there.
    pub(crate) fn choose(
        &self,
        wanted: impl IntoIterator<Item = Wanted>,
        locked: &BTreeMap<ProviderAddress, String>,
    ) -> CachedChoice {
        let mut choice = CachedChoice::default();
        if self.no_schema_cache {
            return choice;
        }
        let cache = SchemaCache::of_user();
        let mut providers = BTreeSet::new();
        for wanted in wanted {
            let all = || cache.as_ref().map(SchemaCache::providers).unwrap_or_default();
            match wanted {
                Wanted::Provider(provider) => {
                    providers.insert(provider);
                }
                Wanted::All => providers.extend(all()),
                Wanted::OfType(resource_type) => {
                    let local_name = ProviderAddress::local_name(&resource_type);
                    if local_name == "terraform" {
                        providers.insert(ProviderAddress::builtin());
                        continue;
                    }
                    let all = all();
                    let named: Vec<_> =
                        all.iter().filter(|provider| provider.name == local_name).cloned().collect();
                    providers.extend(if named.is_empty() { all } else { named });
                }
            }
        }
        for provider in providers {
            if provider.is_builtin() {
                choice.schemas.append(Schemas::builtin());
                choice.add(&provider, None, SchemaSource::BuiltIn);
            } else if let Some(cache) = &cache {
                choice.take(&cache.versions(&provider), locked.get(&provider).map(String::as_str));
            }
        }
        choice
    }

    /// The names of providers whose schemas are missing, with the versions that are cached and not the locked one.
    pub(crate) fn describe_missing(
        &self,
        missing: &BTreeSet<ProviderAddress>,
        locked: &BTreeMap<ProviderAddress, String>,
    ) -> String {
        let cache = SchemaCache::of_user().filter(|_| !self.no_schema_cache);
        let names = missing.iter().map(|provider| {
            let files = cache.as_ref().map(|cache| cache.versions(provider)).unwrap_or_default();
            let versions: Vec<String> = files.into_iter().filter_map(|file| file.version).collect();
            match locked.get(provider) {
                Some(locked) if !versions.is_empty() && !versions.contains(locked) => format!(
                    "{} ({locked} is locked; {} {} cached)",
                    provider.for_display(),
                    versions.join(", "),
                    if versions.len() == 1 { "is" } else { "are" }
                ),
                _ => provider.for_display(),
            }
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

impl CachedChoice {
    /// Takes the first of these files of a provider that can be used.
    fn take(&mut self, files: &[CacheFile], locked: Option<&str>) {
        let fits = |file: &&CacheFile| match (locked, &file.version) {
            (Some(locked), Some(version)) => locked == version,
            _ => true,
        };
        let others = files.len() - 1.min(files.len());
        for file in files.iter().filter(fits) {
            match file.read() {
                Ok(cached) => {
                    self.schemas.append(cached.schemas);
                    let version = file.version.as_deref();
                    self.add(&file.provider, version, SchemaSource::Cache);
                    match (locked, version) {
                        (Some(locked), None) => exit::note(&format!(
                            "the lock file has version {locked} of {}, and it is not known of which version the cached schemas are",
                            file.provider.for_display()
                        )),
                        (None, _) if others > 0 => exit::note(&format!(
                            "the cached schemas of {} are used; schemas of {others} other {} are cached",
                            provider_version(&file.provider, version),
                            if others == 1 { "version" } else { "versions" }
                        )),
                        _ => {}
                    }
                    return;
                }
                Err(error) => exit::warn(&format!(
                    "{}: {error}; the cached schemas of {} are not used: add them again with `objchange schemas add`",
                    file.path.display(),
                    file.display()
                )),
            }
        }
    }

    fn add(&mut self, provider: &ProviderAddress, version: Option<&str>, source: SchemaSource) {
        let (provider, version) = (provider.to_string(), version.map(str::to_owned));
        self.origins.push(SchemaOrigin { provider, version, source });
    }
}
