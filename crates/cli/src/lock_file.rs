//! The lock file of a directory, as `terraform init` has left it.

use std::collections::BTreeMap;
use std::path::Path;

use objchange_module::ProviderAddress;

use crate::exit;

/// The versions that a directory's lock file names. One that cannot be read is warned of.
pub(crate) fn versions_of(directory: &Path) -> BTreeMap<ProviderAddress, String> {
    objchange_project::locked_versions(directory, &exit::remark)
}
