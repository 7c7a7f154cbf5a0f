//! The lock file of a directory, as `terraform init` has left it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use objchange_document::{BlockPlace, PlanOrigin};
use objchange_module::ProviderAddress;
use objchange_module::config::{Config, LOCK_FILE, LockedProvider, locked_providers};
use objchange_text::{Noted, Notice};

use objchange_files::FileError;
use objchange_files::input::Source;

/// The maximum length of a lock file.
const MAX_LENGTH: u64 = 16 << 20;

/// The providers that a directory's lock file names; none if there is no such file.
///
/// # Errors
///
/// The file cannot be read, or is not HCL.
pub fn read_lock_file(directory: &Path) -> Result<BTreeMap<ProviderAddress, LockedProvider>, FileError> {
    let path = directory.join(LOCK_FILE);
    if path.is_file() { read(&path) } else { Ok(BTreeMap::new()) }
}

/// The versions that a directory's lock file names. One that cannot be read is warned of.
pub fn locked_versions(directory: &Path) -> Noted<BTreeMap<ProviderAddress, String>> {
    match read_lock_file(directory) {
        Ok(providers) => Noted { answer: versions(providers), notices: Vec::new() },
        Err(error) => {
            let warning = Notice::Warning(format!("{error}; the versions in it are not used"));
            Noted { answer: BTreeMap::new(), notices: vec![warning] }
        }
    }
}

/// The sources of a module that was planned, and the versions in the lock file of its directory.
pub(crate) fn origin(directory: &Path, config: &Config) -> PlanOrigin {
    let versions = |locked: BTreeMap<ProviderAddress, String>| {
        locked.into_iter().map(|(provider, version)| (provider.to_string(), version)).collect()
    };
    // A lock file that cannot be read gave a warning before, where the plan depends on it.
    let locked = read_locked_versions(&directory.join(LOCK_FILE)).ok().map(versions);
    let blocks = config
        .blocks()
        .into_iter()
        .map(|(address, place)| (address, BlockPlace { file: below(directory, &place.file), ..place }));
    let blocks = blocks.collect();
    PlanOrigin::new(config.sources.iter().map(|(path, text, _)| (path, text)), locked).with_blocks(blocks)
}

/// The path of a file that is named from a directory, without detours.
pub(crate) fn below(directory: &Path, file: &str) -> String {
    let mut path = PathBuf::new();
    for part in directory.join(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(path.components().next_back(), Some(Component::Normal(_))) => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path.display().to_string()
}

/// The versions that the lock file at a path names.
///
/// # Errors
///
/// The file cannot be read, or is not HCL.
pub fn read_locked_versions(path: &Path) -> Result<BTreeMap<ProviderAddress, String>, FileError> {
    read(path).map(versions)
}

fn read(path: &Path) -> Result<BTreeMap<ProviderAddress, LockedProvider>, FileError> {
    let text = Source::File(path.to_owned()).read_at_most(MAX_LENGTH).map_err(FileError::unreadable)?;
    locked_providers(&text).map_err(|errors| {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        FileError::invalid(format_args!("{}: {first}", path.display()))
    })
}

fn versions(locked: BTreeMap<ProviderAddress, LockedProvider>) -> BTreeMap<ProviderAddress, String> {
    locked.into_iter().map(|(provider, locked)| (provider, locked.version)).collect()
}
