//! Looks up schemas in the cache for a plan or a command.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use objchange::schema::ProviderSchemas;
use objchange_document::schema_cache::CachedSchemas;
use objchange_document::{SchemaOrigin, SchemaSource};
use objchange_model::{ModelError, ModelInfo, ProviderModel};
use objchange_module::{ProviderAddress, Schemas};
use objchange_text::{Noted, Notice};

use crate::schema_cache::{CacheFile, CacheFileError, SchemaCache, provider_version};
use crate::shared_reads::{ChosenSchemas, SharedCache};

/// A provider whose schemas are wanted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaQuery {
    /// This one.
    Provider(ProviderAddress),
    /// The one that has this resource type.
    OfType(String),
    /// Every one.
    All,
}

impl SchemaQuery {
    /// A provider as a document names it; one from before Terraform 0.13 may be named by its type alone.
    pub fn named(name: &str) -> Option<Self> {
        let mut provider = ProviderAddress::parse(name)?;
        // Terraform 0.13 writes `registry.terraform.io/-/aws` for a provider of a state from an older version.
        if provider.namespace == "-" {
            provider.namespace = "hashicorp".into();
        }
        Some(Self::Provider(provider))
    }
}

/// Schemas that are found without options: those in the cache, and those of Terraform's own provider.
#[derive(Debug, Clone, Default)]
pub struct SchemaLookup {
    is_off: bool,
    /// Schemas of another version than the locked one are better than none.
    accepts_nearest: bool,
    /// Models of providers are not used.
    without_models: bool,
    cache: Option<SchemaCache>,
    /// Files and schemas that other plans have read already.
    shared: Option<SharedCache>,
}

/// There are no schemas of some providers.
///
/// ```
/// use objchange_project::MissingSchemas;
///
/// let error = MissingSchemas::of("hashicorp/aws");
/// assert_eq!((error.kind(), error.to_string().as_str()), ("no_schemas", "there are no schemas of hashicorp/aws"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are no schemas of {names}")]
#[non_exhaustive]
pub struct MissingSchemas {
    /// The providers, with the versions that are cached and not the locked one.
    pub names: String,
}

impl MissingSchemas {
    /// Those of these providers.
    pub fn of(names: impl Into<String>) -> Self {
        Self { names: names.into() }
    }

    /// The stable name of the kind of error: there is one.
    pub fn kind(&self) -> &'static str {
        "no_schemas"
    }
}

/// The chosen schemas.
#[derive(Debug, Default)]
pub struct CachedChoice {
    /// The schemas of all chosen providers.
    pub schemas: ProviderSchemas,
    /// Which versions they are of.
    pub origins: Vec<SchemaOrigin>,
    /// Which versions were chosen where others are there, and files that cannot be used.
    pub notices: Vec<Notice>,
}

impl SchemaLookup {
    /// Looks in the cache of this user.
    pub fn of_user() -> Self {
        Self { cache: SchemaCache::of_user(), ..Self::default() }
    }

    /// Looks in this cache.
    pub fn new(cache: SchemaCache) -> Self {
        Self { cache: Some(cache), ..Self::default() }
    }

    /// Finds nothing.
    pub fn none() -> Self {
        Self { is_off: true, ..Self::default() }
    }

    /// Where the locked version is not there, the nearest one is used, with a note.
    #[must_use]
    pub fn accepting_nearest(self) -> Self {
        Self { accepts_nearest: true, ..self }
    }

    /// Plans are made by schemas alone, without the models of providers.
    #[must_use]
    pub fn without_models(self) -> Self {
        Self { without_models: true, ..self }
    }

    /// Files that were read before are not read again.
    #[must_use]
    pub(crate) fn sharing(self, shared: &SharedCache) -> Self {
        Self { shared: Some(shared.clone()), ..self }
    }

    fn read(&self, file: &CacheFile) -> Result<CachedSchemas, CacheFileError> {
        self.shared.as_ref().map_or_else(|| file.read(), |shared| shared.read(file))
    }

    /// The models of these providers: of the locked version, or else, with a note, of the nearest one with the same major
    /// number. Without a locked version it is the newest one.
    pub fn models(
        &self,
        providers: impl IntoIterator<Item = ProviderAddress>,
        locked: &BTreeMap<ProviderAddress, String>,
    ) -> Noted<BTreeMap<ProviderAddress, ProviderModel>> {
        Noted::by(|notices| {
            let Some(cache) = self.cache.as_ref().filter(|_| !self.is_off && !self.without_models) else {
                return BTreeMap::new();
            };
            let mut models = BTreeMap::new();
            for provider in providers {
                let locked = locked.get(&provider).map(String::as_str);
                let mut files = cache.versions(&provider);
                if let Some(locked) = locked {
                    let major = |version: &str| version.split('.').next().map(str::to_owned);
                    files.retain(|file| {
                        file.version.as_deref().is_none_or(|version| major(version) == major(locked))
                    });
                    files.sort_by_cached_key(|file| distance(file.version.as_deref().unwrap_or("0"), locked));
                }
                if let Some(model) = files.iter().find_map(|file| self.model(file, locked, notices)) {
                    models.insert(provider, model);
                }
            }
            models
        })
    }

    /// Chooses the schemas of providers. A locked provider is used at its version; of others the newest is used, and a
    /// note says so if there are several. Terraform's own provider is always included.
    pub fn choose(
        &self,
        wanted: impl IntoIterator<Item = SchemaQuery>,
        locked: &BTreeMap<ProviderAddress, String>,
    ) -> CachedChoice {
        let mut choice = CachedChoice::default();
        if self.is_off {
            return choice;
        }
        let mut providers = BTreeSet::new();
        for wanted in wanted {
            let all = || self.cache.as_ref().map(SchemaCache::providers).unwrap_or_default();
            match wanted {
                SchemaQuery::Provider(provider) => {
                    providers.insert(provider);
                }
                SchemaQuery::All => providers.extend(all()),
                SchemaQuery::OfType(resource_type) => {
                    let local_name = ProviderAddress::local_name(&resource_type);
                    if local_name == "terraform" {
                        providers.insert(ProviderAddress::builtin());
                        continue;
                    }
                    let all = all();
                    // Most types begin with the name of their provider. The schemas of all others are read only if no
                    // cached one is called so.
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
            } else if let Some(cache) = &self.cache {
                let locked = locked.get(&provider).map(String::as_str);
                let files = cache.versions(&provider);
                if !choice.take(&files, locked)
                    && self.accepts_nearest
                    && let Some(locked) = locked
                {
                    choice.take_nearest(files, locked);
                }
            }
        }
        choice
    }

    /// Adds the schemas of those providers that `missing` finds none of.
    ///
    /// # Errors
    ///
    /// Some are missing still.
    pub fn complete(
        &self,
        schemas: &mut Schemas,
        locked: &BTreeMap<ProviderAddress, String>,
        missing: impl Fn(&Schemas) -> BTreeSet<ProviderAddress>,
    ) -> Noted<Result<(), MissingSchemas>> {
        let wanted = missing(schemas);
        if wanted.is_empty() {
            return Noted { answer: Ok(()), notices: Vec::new() };
        }
        let mut notices = Vec::new();
        for provider in wanted {
            let (chosen, found) = self.chosen(&provider, locked);
            schemas.push(chosen);
            notices.extend(found);
        }
        let answer = match missing(schemas) {
            missing if missing.is_empty() => Ok(()),
            missing => Err(MissingSchemas::of(self.describe_missing(&missing, locked))),
        };
        Noted { answer, notices }
    }

    /// The schemas of one provider.
    fn chosen(
        &self,
        provider: &ProviderAddress,
        locked: &BTreeMap<ProviderAddress, String>,
    ) -> ChosenSchemas {
        let choose = || {
            let choice = self.choose([SchemaQuery::Provider(provider.clone())], locked);
            (Arc::new(choice.schemas), choice.notices)
        };
        match &self.shared {
            Some(shared) => shared.chosen(provider, locked.get(provider), choose),
            None => choose(),
        }
    }

    /// The model of the provider of a file, if it was learned and can be used.
    fn model(
        &self,
        file: &CacheFile,
        locked: Option<&str>,
        notices: &mut Vec<Notice>,
    ) -> Option<ProviderModel> {
        // A file that cannot be read is named where its schemas are.
        let cached = self.read(file).ok()?.model?;
        let head = cached.head().unwrap_or_default();
        match ModelInfo::parse(&head, &file.provider.to_string(), file.version.as_deref()) {
            Ok(info) => {
                if let (Some(locked), Some(version)) = (locked, &file.version)
                    && locked != version
                {
                    notices.push(Notice::Note(format!(
                        "the lock file has version {locked} of {}, and what was learned of {version} is used",
                        file.provider.for_display()
                    )));
                }
                let text = move |name: &str| {
                    cached.of_type(name).map_err(|error| ModelError::Unreadable(error.to_string()))
                };
                Some(ProviderModel::new(info, text))
            }
            Err(error) => {
                notices.push(Notice::Warning(format!(
                    "{}: {error}; it is not used: learn {} again with `objchange schemas learn`",
                    file.path.display(),
                    file.display()
                )));
                None
            }
        }
    }

    /// The names of providers whose schemas are missing, with the versions that are cached and not the locked one.
    pub fn describe_missing(
        &self,
        missing: &BTreeSet<ProviderAddress>,
        locked: &BTreeMap<ProviderAddress, String>,
    ) -> String {
        let names = missing.iter().map(|provider| {
            let files = self.cache.as_ref().map(|cache| cache.versions(provider)).unwrap_or_default();
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
    /// Takes the file whose version is nearest to the locked one.
    fn take_nearest(&mut self, mut files: Vec<CacheFile>, locked: &str) {
        // Another major version may have other types, and others may be sensitive there.
        let major = |version: &str| version.split('.').next().map(str::to_owned);
        files.retain(|file| file.version.as_deref().and_then(major) == major(locked));
        files.sort_by_cached_key(|file| distance(file.version.as_deref().unwrap_or_default(), locked));
        for file in files {
            let before = self.notices.len();
            let is_taken = self.take(std::slice::from_ref(&file), None);
            // A nearer version whose file is broken is no concern: the next one is used.
            self.notices.truncate(before);
            if is_taken {
                self.notices.push(Notice::Note(format!(
                    "the lock file has version {locked} of {}, and the nearest cached schemas are used: those of {}",
                    file.provider.for_display(),
                    file.version.as_deref().unwrap_or("an unknown version")
                )));
                return;
            }
        }
    }

    /// Takes the first of these files of a provider that can be used; whether there is one.
    fn take(&mut self, files: &[CacheFile], locked: Option<&str>) -> bool {
        let fits = |file: &&CacheFile| match (locked, &file.version) {
            // Another version may call other attributes sensitive, so a locked provider takes only its own here.
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
                        (Some(locked), None) => self.notices.push(Notice::Note(format!(
                            "the lock file has version {locked} of {}, and the version of the cached \
                             schemas is not known",
                            file.provider.for_display()
                        ))),
                        (None, _) if others > 0 => self.notices.push(Notice::Note(format!(
                            "the cached schemas of {} are used; schemas of {others} other {} are cached",
                            provider_version(&file.provider, version),
                            if others == 1 { "version" } else { "versions" }
                        ))),
                        _ => {}
                    }
                    return true;
                }
                Err(error) => self.notices.push(Notice::Warning(format!(
                    "{}: {error}; the cached schemas of {} are not used: add them again with `objchange schemas add`",
                    file.path.display(),
                    file.display()
                ))),
            }
        }
        false
    }

    fn add(&mut self, provider: &ProviderAddress, version: Option<&str>, source: SchemaSource) {
        let (provider, version) = (provider.to_string(), version.map(str::to_owned));
        self.origins.push(SchemaOrigin { provider, version, source });
    }
}

/// How far two versions are from each other: first by their major numbers, then by the next ones.
fn distance(a: &str, b: &str) -> Vec<u64> {
    let numbers = |version: &str| -> Vec<u64> {
        let parts = version.split(['.', '-', '+']).take(3);
        parts.map(|part| part.parse().unwrap_or_default()).chain(std::iter::repeat(0)).take(3).collect()
    };
    std::iter::zip(numbers(a), numbers(b)).map(|(a, b)| a.abs_diff(b)).collect()
}
