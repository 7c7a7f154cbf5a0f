//! Where `terraform init` keeps what it installs and remembers for a directory.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable that names it.
const TF_DATA_DIR: &str = "TF_DATA_DIR";

/// The directory `.terraform`, or the one that `TF_DATA_DIR` names.
#[derive(Debug, Clone)]
pub(crate) struct DataDirectory {
    /// From the directory of the module on.
    path: PathBuf,
    pub(crate) is_named: bool,
}

impl DataDirectory {
    /// As the environment says.
    pub(crate) fn of_environment() -> Self {
        let named = env::var_os(TF_DATA_DIR).filter(|name| !name.is_empty());
        let is_named = named.is_some();
        Self { path: named.unwrap_or_else(|| OsString::from(".terraform")).into(), is_named }
    }

    /// The directory that the environment names, for the module in this directory: it may be anywhere.
    pub(crate) fn named(directory: &Path) -> Option<PathBuf> {
        let data = Self::of_environment();
        data.is_named.then(|| directory.join(data.path))
    }

    /// The path of something in it, for messages.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The path of something in it, for the module in this directory.
    pub(crate) fn path_in(&self, directory: &Path, name: &str) -> PathBuf {
        directory.join(&self.path).join(name)
    }
}
