//! Files that a configuration names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use objchange_sentinel::Position;

use super::Fault;

/// A file that is named in a configuration. It is read when it is needed.
#[derive(Debug, Clone)]
pub struct Reference {
    /// As it is written.
    source: String,
    folder: Arc<Path>,
    file: Arc<str>,
    at: Position,
}

/// Prefixes of sources that are not local files.
const REMOTE: [&str; 10] = [
    "git::",
    "hg::",
    "s3::",
    "gcs::",
    "http::",
    "https::",
    "git@",
    "github.com/",
    "gitlab.com/",
    "bitbucket.org/",
];

impl Reference {
    pub(super) fn new(source: String, folder: Arc<Path>, file: Arc<str>, at: Position) -> Self {
        Self { source, folder, file, at }
    }

    /// Where it is: relative to the configuration.
    ///
    /// # Errors
    ///
    /// It is not on this machine.
    pub fn path(&self) -> Result<PathBuf, Fault> {
        let source = self.source.strip_prefix("file::").unwrap_or(&self.source);
        let source = source.strip_prefix("file://").unwrap_or(source);
        if source.contains("://") || REMOTE.iter().any(|prefix| source.starts_with(prefix)) {
            return Err(self.fault(
                "this source is not on this machine, and nothing is fetched: download it, and write its path here",
            ));
        }
        Ok(self.folder.join(source))
    }

    /// Says of the place where it is named what is wrong with it.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::at(message.into(), self.file.to_string(), self.at)
    }
}
