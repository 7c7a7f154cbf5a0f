//! The cache of schemas: a folder with one file for each provider and version.
//!
//! ```text
//! CACHE/schemas/registry.terraform.io/hashicorp/aws/5.1.0.schemas
//! ```
//!
//! A file appears under its name only when it is complete, and is checked by its hash when it is read. A damaged file
//! is ignored with a warning, and the next version or source of schemas is tried.

use std::cmp::Ordering;
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use objchange_document::schema_cache::{CachedSchemas, SchemaCacheError};
use objchange_model::ModelError;
use objchange_module::ProviderAddress;
use semver::Version;

use objchange_files::write_file::{Access, write_file};

/// Overrides the place of the cache. Empty turns the cache off.
const DIRECTORY_VARIABLE: &str = "OBJCHANGE_CACHE_DIR";

/// The maximum length of a cache file, in bytes. The AWS provider's has 2 MB.
const MAX_FILE: u64 = 1 << 30;

const SUFFIX: &str = ".schemas";

/// The file name for an unknown version.
const UNVERSIONED: &str = "unversioned";

/// The folder of the cache, which need not be there.
#[derive(Debug, Clone)]
pub struct SchemaCache {
    /// Where it is.
    pub directory: PathBuf,
}

/// A file of the cache, as its path names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFile {
    /// The provider of the schemas.
    pub provider: ProviderAddress,
    /// The version, where it is known.
    pub version: Option<String>,
    /// Where it is.
    pub path: PathBuf,
}

/// Why a file of the cache cannot be used, or not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheFileError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    /// Its content is damaged, or of another program.
    #[error(transparent)]
    Content(#[from] SchemaCacheError),
    /// It has the schemas of another provider or version.
    #[error("it has the schemas of {0}")]
    Other(String),
    /// The address in it is that of no provider.
    #[error("this is not the address of a provider")]
    Provider,
    /// It has the schemas of Terraform's own provider.
    #[error("it has the schemas of Terraform's own provider, which are built in")]
    BuiltIn,
    /// Its model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// It cannot be written.
    #[error("cannot be cached: {0}")]
    Write(io::Error),
}

impl CacheFileError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Read(_) => "unreadable",
            Self::Content(error) => error.kind(),
            Self::Other(_) => "other_provider",
            Self::Provider => "provider",
            Self::BuiltIn => "built_in",
            Self::Model(error) => error.kind(),
            Self::Write(_) => "unwritable",
        }
    }
}

impl SchemaCache {
    /// The cache of this user; `None` if the environment turns it off or gives it no place.
    pub fn of_user() -> Option<Self> {
        let base = match env::var_os(DIRECTORY_VARIABLE) {
            Some(directory) if directory.is_empty() => return None,
            Some(directory) => PathBuf::from(directory),
            None => user_caches()?.join("objchange"),
        };
        Some(Self { directory: base.join("schemas") })
    }

    /// The files for a provider, the newest version first and one without a version last.
    pub fn versions(&self, provider: &ProviderAddress) -> Vec<CacheFile> {
        let Some(folder) = self.folder(provider) else { return Vec::new() };
        let mut files: Vec<CacheFile> = names(&folder)
            .filter_map(|name| {
                let version = name.strip_suffix(SUFFIX)?;
                let version = (version != UNVERSIONED).then(|| version.to_owned());
                Some(CacheFile { provider: provider.clone(), version, path: folder.join(&name) })
            })
            .collect();
        files.sort_by(|one, other| compare_versions(other.version.as_deref(), one.version.as_deref()));
        files
    }

    /// The providers that have files, in the order of their addresses.
    pub fn providers(&self) -> Vec<ProviderAddress> {
        let mut providers = Vec::new();
        for host in names(&self.directory) {
            let host_folder = self.directory.join(&host);
            for namespace in names(&host_folder) {
                for name in names(&host_folder.join(&namespace)) {
                    let address = format!("{}/{namespace}/{name}", host.replace('+', ":"));
                    // Other names are not of this program.
                    providers.extend(ProviderAddress::parse(&address).filter(|address| {
                        self.folder(address)
                            .is_some_and(|folder| folder == host_folder.join(&namespace).join(&name))
                    }));
                }
            }
        }
        providers.sort();
        providers
    }

    /// All files, by provider, the newest version first.
    pub fn files(&self) -> Vec<CacheFile> {
        self.providers().iter().flat_map(|provider| self.versions(provider)).collect()
    }

    /// Writes the file for a provider and version.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or the address or version cannot be the name of one.
    pub fn write(
        &self,
        provider: &ProviderAddress,
        version: Option<&str>,
        bytes: &[u8],
    ) -> io::Result<CacheFile> {
        let unusable = || io::Error::new(io::ErrorKind::InvalidInput, "this cannot be a file name");
        let folder = self.folder(provider).ok_or_else(unusable)?;
        if version.is_some_and(|version| !is_file_name(version) || version == UNVERSIONED) {
            return Err(unusable());
        }
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}{SUFFIX}", version.unwrap_or(UNVERSIONED)));
        write_file(&path, bytes, Access::Usual)?;
        Ok(CacheFile { provider: provider.clone(), version: version.map(str::to_owned), path })
    }

    /// The folder for a provider; `None` where its address has what must not be in the name of a file.
    fn folder(&self, provider: &ProviderAddress) -> Option<PathBuf> {
        // A host may have a port, and Windows has no colons in names.
        let parts =
            [provider.hostname.replace(':', "+"), provider.namespace.to_string(), provider.name.to_string()];
        let is_usable = !provider.hostname.contains('+') && parts.iter().all(|part| is_file_name(part));
        is_usable.then(|| parts.iter().fold(self.directory.clone(), |path, part| path.join(part)))
    }
}

impl CacheFile {
    /// The version as people write it: `unversioned` where it is not known.
    pub fn version_name(&self) -> &str {
        self.version.as_deref().unwrap_or(UNVERSIONED)
    }

    /// Reads it: its index, and nothing of the schemas yet.
    ///
    /// # Errors
    ///
    /// It cannot be used.
    pub fn read(&self) -> Result<CachedSchemas, CacheFileError> {
        let cached = CachedSchemas::parse(read_file(&self.path)?)?;
        // The file may have been renamed.
        if cached.provider != self.provider.to_string() || cached.version != self.version {
            let version = cached.version.map(|version| format!(" {version}")).unwrap_or_default();
            return Err(CacheFileError::Other(format!("{}{version}", cached.provider)));
        }
        Ok(cached)
    }

    /// The bytes of the file, after it was checked.
    ///
    /// # Errors
    ///
    /// It cannot be used.
    pub fn bytes(&self) -> Result<Vec<u8>, CacheFileError> {
        self.read()?;
        Ok(read_file(&self.path)?)
    }

    /// `hashicorp/aws 5.1.0`.
    pub fn display(&self) -> String {
        provider_version(&self.provider, self.version.as_deref())
    }

    /// Removes it, and folders that are empty then.
    ///
    /// # Errors
    ///
    /// It cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.path)?;
        // Folders with other files stay.
        self.path
            .ancestors()
            .skip(1)
            // The folders of the provider, its namespace and its host. The cache itself stays.
            .take(3)
            .take_while(|folder| fs::remove_dir(folder).is_ok())
            .for_each(drop);
        Ok(())
    }
}

/// The bytes of a file, which must not be larger than any of a cache.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    // A pipe may have no end.
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    objchange_text::read_at_most(file, MAX_FILE)
}

/// `hashicorp/aws 5.1.0`, as messages name a provider of a version.
pub(crate) fn provider_version(provider: &ProviderAddress, version: Option<&str>) -> String {
    let version = version.map_or_else(|| " (version not known)".to_owned(), |version| format!(" {version}"));
    format!("{}{version}", provider.for_display())
}

/// Where this user's programs have their caches.
fn user_caches() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return absolute("LOCALAPPDATA");
    }
    let in_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(in_home)))
}

/// The names in a folder that are text; none if it is not there or cannot be read.
fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

/// Whether a part of an address or a version is the name of a file, on all systems, and no way out of the folder.
fn is_file_name(part: &str) -> bool {
    let is_usual = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    !part.is_empty()
        && part.len() < 200
        && !part.starts_with('.')
        && !part.ends_with('.')
        && part.chars().all(is_usual)
}

/// Compares versions as Terraform does. Invalid and unknown ones come first.
fn compare_versions(one: Option<&str>, other: Option<&str>) -> Ordering {
    let parsed = |version: Option<&str>| version.and_then(|version| Version::parse(version).ok());
    (parsed(one), one).cmp(&(parsed(other), other))
}
