//! Files that a configuration names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use objchange_sentinel::Position;

use objchange_files::Walk;

use super::Fault;

/// A file that is named in a configuration. It is read when it is needed.
#[derive(Debug, Clone)]
pub struct Reference {
    /// As it is written.
    source: String,
    folder: Arc<Path>,
    file: Arc<str>,
    at: Position,
    /// The folder to read instead of downloading, and the path of the file in it.
    located: Option<(PolicySource, String)>,
}

/// A folder with what an address leads to, such as `https://registry.terraform.io/v2/policies/hashicorp/x/1.0.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySource {
    /// The beginning of the addresses.
    pub address: String,
    /// The folder, or the file of this very address.
    pub folder: PathBuf,
}

impl PolicySource {
    /// The part of a source after the address, without its query.
    fn rest<'s>(&self, source: &'s str) -> Option<&'s str> {
        let rest = source.strip_prefix(self.address.trim_end_matches('/'))?;
        let is_whole = rest.is_empty() || rest.starts_with(['/', '?']);
        let path = rest.split('?').next().unwrap_or_default().trim_matches('/');
        // A source may not lead out of the folder that replaces its address.
        let stays_inside = path.split('/').all(|part| part != ".." && part != ".");
        (is_whole && stays_inside).then_some(path)
    }
}

/// Prefixes of sources that are not local files.
// They are those of go-getter, with which Sentinel's program downloads sources.
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
        Self { source, folder, file, at, located: None }
    }

    /// Looks for it in one of these folders, if it has the address of one; the longest address wins.
    pub(super) fn locate(&mut self, sources: &[PolicySource]) {
        let found = sources.iter().filter_map(|source| Some((source, source.rest(&self.source)?)));
        let found = found.max_by_key(|(source, _)| source.address.len());
        self.located = found.map(|(source, rest)| (source.clone(), rest.to_owned()));
    }

    /// The address whose folder is read instead of downloading, if there is one.
    pub(super) fn located_address(&self) -> Option<&str> {
        self.located.as_ref().map(|(source, _)| source.address.as_str())
    }

    /// The file below a folder: at this path, or else the only one with its name, as registries have other folders than
    /// repositories.
    fn below(&self, folder: &Path, path: &str) -> Result<PathBuf, Fault> {
        let direct = if path.is_empty() { folder.to_owned() } else { folder.join(path) };
        if direct.is_file() {
            return Ok(direct);
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let walk = Walk { folder, depth: usize::MAX, hidden: false };
        let found = walk.files(|file| file.file_name().is_some_and(|other| other == name)).paths;
        match &found[..] {
            [one] => Ok(one.clone()),
            [] => Err(self.fault(format!("there is no file {name} in {}", folder.display()))),
            [one, other, ..] => Err(self.fault(format!(
                "there are several files {name} in {}, such as {} and {}",
                folder.display(),
                one.display(),
                other.display()
            ))),
        }
    }

    /// Where it is: relative to the configuration.
    ///
    /// # Errors
    ///
    /// It is not on this machine.
    pub fn path(&self) -> Result<PathBuf, Fault> {
        if let Some((source, path)) = &self.located {
            return self.below(&source.folder, path);
        }
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
