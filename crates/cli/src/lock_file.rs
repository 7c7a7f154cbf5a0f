//! The lock file of a directory, as `terraform init` has left it.

use std::collections::BTreeMap;
use std::path::Path;

use objchange_module::ProviderAddress;
use objchange_module::config::{LOCK_FILE, LockedProvider, locked_providers};

use crate::exit;
use crate::input::Source;

/// A lock file is not longer.
const MAX_LENGTH: u64 = 16 << 20;

/// The providers that a directory's lock file names; none where there is no such file.
///
/// # Errors
///
/// The file cannot be read, or is no HCL.
pub(crate) fn read_of(directory: &Path) -> Result<BTreeMap<ProviderAddress, LockedProvider>, String> {
    let path = directory.join(LOCK_FILE);
    if path.is_file() { read(&path) } else { Ok(BTreeMap::new()) }
}

/// The versions that a directory's lock file names. One that cannot be read is warned of.
pub(crate) fn versions_of(directory: &Path) -> BTreeMap<ProviderAddress, String> {
    versions(read_of(directory)).unwrap_or_else(|error| {
        exit::warn(&format!("{error}; the versions in it are not used"));
        BTreeMap::new()
    })
}

/// The versions that a lock file names.
///
/// # Errors
///
/// The file cannot be read, or is no HCL.
pub(crate) fn read_versions(path: &Path) -> Result<BTreeMap<ProviderAddress, String>, String> {
    versions(read(path))
}

fn read(path: &Path) -> Result<BTreeMap<ProviderAddress, LockedProvider>, String> {
    let text = Source::File(path.to_owned()).read_at_most(MAX_LENGTH).map_err(|error| error.to_string())?;
    locked_providers(&text).map_err(|errors| {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        format!("{}: {first}", path.display())
    })
}

fn versions(
    locked: Result<BTreeMap<ProviderAddress, LockedProvider>, String>,
) -> Result<BTreeMap<ProviderAddress, String>, String> {
    Ok(locked?.into_iter().map(|(provider, locked)| (provider, locked.version)).collect())
}
