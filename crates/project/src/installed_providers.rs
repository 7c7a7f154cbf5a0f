//! The providers' programs that `terraform init` has left in a directory.

use std::collections::BTreeMap;
use std::env::consts;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER};
use objchange_files::FileError;
use objchange_module::ProviderAddress;
use objchange_module::config::LockedProvider;
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use crate::data_directory::DataDirectory;
use crate::lock_file::read_lock_file;

/// Why an installed provider cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct InstalledError(#[from] Problem);

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error(transparent)]
    LockFile(FileError),
    #[error("{}: there are no providers for {} here: run `terraform init`", path.display(), platform())]
    Nothing { path: PathBuf },
    #[error(
        "{provider}: several versions are installed ({versions}), and .terraform.lock.hcl chooses none of them"
    )]
    Versions { provider: String, versions: String },
    #[error(
        "{provider}: .terraform.lock.hcl wants version {version}, which is not installed: run `terraform init`"
    )]
    Locked { provider: String, version: String },
    #[error("{}: there is no program terraform-provider-{name} in this directory", path.display())]
    NoProgram { path: PathBuf, name: String },
    #[error(
        "{}: its checksum is not in .terraform.lock.hcl: run `terraform init`", path.display()
    )]
    Checksum { path: PathBuf },
}

impl InstalledError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match &self.0 {
            Problem::Read { .. } => "unreadable",
            Problem::LockFile(error) => error.kind.kind(),
            Problem::Nothing { .. } | Problem::NoProgram { .. } => "not_installed",
            Problem::Versions { .. } => "several_versions",
            Problem::Locked { .. } => "locked_version",
            Problem::Checksum { .. } => "checksum",
        }
    }
}

/// The providers that are installed for the module in a directory.
#[derive(Debug)]
pub struct InstalledProviders {
    /// Where they are: `HOST/NAMESPACE/NAME/VERSION/OS_ARCH/terraform-provider-NAME…`.
    root: PathBuf,
    locked: BTreeMap<ProviderAddress, LockedProvider>,
}

/// A provider's program that is installed.
#[derive(Debug)]
pub struct InstalledProgram {
    /// The provider.
    pub provider: ProviderAddress,
    /// Its version, as the directory is called.
    pub version: String,
    /// The file to start.
    pub program: PathBuf,
}

impl InstalledProviders {
    /// Whether `terraform init` has installed providers in a directory.
    pub fn are_in(directory: &Path) -> bool {
        DataDirectory::of_environment().path_in(directory, "providers").is_dir()
    }

    /// The providers that are installed in a directory, and what its lock file says of them.
    ///
    /// # Errors
    ///
    /// The directory or its lock file cannot be read, or what is installed is not what is locked.
    pub fn open(directory: &Path) -> Result<Self, InstalledError> {
        let locked = read_lock_file(directory).map_err(Problem::LockFile)?;
        let root = DataDirectory::of_environment().path_in(directory, "providers");
        Ok(Self { root, locked })
    }

    /// Lists all programs for this platform. A provider in the lock file counts only at its locked version.
    ///
    /// # Errors
    ///
    /// The directory or its lock file cannot be read, or what is installed is not what is locked.
    pub fn all(&self) -> Result<Vec<InstalledProgram>, InstalledError> {
        let mut all = Vec::new();
        for hostname in names(&self.root)? {
            for namespace in names(&self.root.join(&hostname))? {
                for name in names(&self.root.join(&hostname).join(&namespace))? {
                    let Some(provider) = ProviderAddress::parse(&format!("{hostname}/{namespace}/{name}"))
                    else {
                        continue;
                    };
                    let is_locked = |version: &String| {
                        self.locked.get(&provider).is_none_or(|locked| locked.version == *version)
                    };
                    for version in self.versions(&provider)?.into_iter().filter(is_locked) {
                        let program = self.program(&provider, &version)?;
                        all.push(InstalledProgram { provider: provider.clone(), version, program });
                    }
                }
            }
        }
        if all.is_empty() {
            return Err(Problem::Nothing { path: self.root.clone() }.into());
        }
        Ok(all)
    }

    /// The program of a provider; `None` where none is installed.
    ///
    /// # Errors
    ///
    /// The directory or its lock file cannot be read, or what is installed is not what is locked.
    pub fn find(&self, provider: &ProviderAddress) -> Result<Option<PathBuf>, InstalledError> {
        let version = match (self.locked.get(provider), self.versions(provider)?.as_slice()) {
            (_, []) => return Ok(None),
            (Some(locked), all) if all.contains(&locked.version) => locked.version.clone(),
            (Some(locked), _) => {
                let (provider, version) = (provider.for_display(), locked.version.clone());
                return Err(Problem::Locked { provider, version }.into());
            }
            (None, [version]) => version.clone(),
            (None, all) => {
                let (provider, versions) = (provider.for_display(), all.join(", "));
                return Err(Problem::Versions { provider, versions }.into());
            }
        };
        self.program(provider, &version).map(Some)
    }

    fn directory(&self, provider: &ProviderAddress) -> PathBuf {
        self.root.join(&*provider.hostname).join(&*provider.namespace).join(&*provider.name)
    }

    /// The versions of a provider that are installed for this platform.
    fn versions(&self, provider: &ProviderAddress) -> Result<Vec<String>, InstalledError> {
        let all = self.directory(provider);
        let mut versions = names(&all)?;
        versions.retain(|version| all.join(version).join(platform()).is_dir());
        Ok(versions)
    }

    /// The program of this version, if it is what the lock file has checksums of.
    fn program(&self, provider: &ProviderAddress, version: &str) -> Result<PathBuf, InstalledError> {
        let package = self.directory(provider).join(version).join(platform());
        let hashes = self.locked.get(provider).map_or(&[][..], |locked| &locked.hashes);
        check(&package, hashes)?;
        program(&package, &provider.name)
    }
}

/// The names in a directory, in order; none if it is not there.
fn names(directory: &Path) -> Result<Vec<String>, InstalledError> {
    let failed = |error| Problem::Read { path: directory.to_owned(), error };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(failed(error).into()),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(failed)?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// The name of this platform: `linux_amd64`.
fn platform() -> String {
    let os = match consts::OS {
        "macos" => "darwin",
        os => os,
    };
    let arch = match consts::ARCH {
        "x86_64" => "amd64",
        "x86" => "386",
        "aarch64" => "arm64",
        arch => arch,
    };
    format!("{os}_{arch}")
}

fn program(package: &Path, name: &str) -> Result<PathBuf, InstalledError> {
    let start = format!("terraform-provider-{name}");
    let is_program = |file: &String| {
        // Behind the name comes `_v5.1.0_x5`, `.exe` or nothing. Anything else is the name of another provider.
        file.strip_prefix(&start).is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '.']))
            && package.join(file).is_file()
    };
    let program = names(package)?.into_iter().find(is_program);
    let none = || Problem::NoProgram { path: package.to_owned(), name: name.to_owned() }.into();
    program.map(|file| package.join(file)).ok_or_else(none)
}

/// Compares what is installed with the checksums of the lock file that are about unpacked packages. Those of archives say
/// nothing of it.
fn check(package: &Path, hashes: &[String]) -> Result<(), InstalledError> {
    // `h1:` hashes are of the unpacked files, `zh:` hashes of the archive, which is gone after `terraform init`.
    let mut of_packages = hashes.iter().filter(|hash| hash.starts_with("h1:")).peekable();
    if of_packages.peek().is_none() {
        return Ok(());
    }
    let failed = |error| Problem::Read { path: package.to_owned(), error };
    let own = package_hash(package).map_err(failed)?;
    let is_known = of_packages.any(|hash| *hash == own);
    if is_known { Ok(()) } else { Err(Problem::Checksum { path: package.to_owned() }.into()) }
}

/// The `h1:` checksum of an unpacked package: the hash of a list of its files and their hashes.
fn package_hash(package: &Path) -> io::Result<String> {
    // `terraform init` may have left a link to a cache.
    let package = fs::canonicalize(package)?;
    let mut files = Vec::new();
    for entry in WalkDir::new(&package) {
        let entry = entry?;
        if entry.path().is_file() {
            let name = entry.path().strip_prefix(&package).map_err(io::Error::other)?;
            let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            files.push((parts.join("/"), entry.path().to_owned()));
        }
    }
    files.sort();
    // As Go's `dirhash.Hash1`: the hash of a list of all files with their hashes, in order of their names.
    let mut list = Sha256::new();
    for (name, path) in files {
        let mut file = Sha256::new();
        io::copy(&mut fs::File::open(path)?, &mut Hashing(&mut file))?;
        list.update(format!("{}  {name}\n", HEXLOWER.encode(&file.finalize())));
    }
    Ok(format!("h1:{}", BASE64.encode(&list.finalize())))
}

/// Adds everything that is written to a checksum.
struct Hashing<'h>(&'h mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_version_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let package = |version: &str| {
            let providers = folder.path().join(".terraform/providers/example.com/test/kit");
            providers.join(version).join(platform())
        };
        let find = || {
            let kit = ProviderAddress::parse("example.com/test/kit").unwrap();
            InstalledProviders::open(folder.path()).and_then(|installed| installed.find(&kit))
        };
        assert!(find().unwrap().is_none());
        for version in ["1.0.0", "1.1.0"] {
            fs::create_dir_all(package(version)).unwrap();
            fs::write(package(version).join("terraform-provider-kit_v1"), version).unwrap();
            fs::write(package(version).join("terraform-provider-kitten"), "").unwrap();
        }
        let error = find().unwrap_err().to_string();
        assert!(error.contains("several versions are installed (1.0.0, 1.1.0)"), "{error}");
        let lock = |hash: &str| {
            let text = format!(
                "provider \"example.com/test/kit\" {{\n  version = \"1.1.0\"\n  hashes = [\"{hash}\"]\n}}\n"
            );
            fs::write(folder.path().join(".terraform.lock.hcl"), text).unwrap();
        };
        lock("zh:0");
        assert_eq!(find().unwrap().unwrap(), package("1.1.0").join("terraform-provider-kit_v1"));
        lock("h1:0");
        assert!(matches!(find(), Err(InstalledError(Problem::Checksum { .. }))));
        lock(&package_hash(&package("1.1.0")).unwrap());
        assert!(find().unwrap().is_some());
        fs::remove_dir_all(package("1.1.0")).unwrap();
        assert!(find().unwrap_err().to_string().contains("wants version 1.1.0"));
    }
}
