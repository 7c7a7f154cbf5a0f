//! The files of modules on disk, for configuration that is not trusted.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use objchange_files::input::Source;
use objchange_files::{FileError, FileErrorKind};
use objchange_module::config::{Files, FilesError};

use crate::data_directory::DataDirectory;
use crate::shared_reads::SharedTexts;

/// The maximum length of a configuration file.
pub(crate) const MAX_FILE: u64 = 64 << 20;

/// The reason why a pipe, a device or a directory is not read.
pub(crate) const NOT_A_FILE: &str = "this is not a regular file";

/// The files below a directory, and below other allowed ones. A link or `..` that leads outside of them is not
/// followed.
#[derive(Debug)]
pub struct DiskFiles {
    directory: PathBuf,
    /// In the form without links.
    roots: Vec<PathBuf>,
    /// Those of them that functions may read from too.
    allowed: Vec<PathBuf>,
    /// The canonical paths of directories. In a tree of modules each directory is below its caller's, and
    /// canonicalizing a whole path takes a system call for each step, which itself resolves all steps: 400 nested
    /// modules took 1.7 s in the system.
    known: Mutex<HashMap<PathBuf, PathBuf>>,
    /// Files and schemas that other plans have read already.
    shared: Option<SharedTexts>,
}

/// The path without `.`, and without `..` behind a name.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for step in path.components() {
        match (step, clean.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => drop(clean.pop()),
            (step, _) => clean.push(step),
        }
    }
    clean
}

/// The top of the repository that a directory is in. The path has no links.
pub(crate) fn repository_around(directory: &Path) -> Option<&Path> {
    let is_repository = |around: &&Path| [".git", ".hg", ".jj"].iter().any(|name| around.join(name).exists());
    directory.ancestors().find(is_repository)
}

impl DiskFiles {
    /// The files for the module in a directory. Modules may also be elsewhere in the repository that it is in.
    pub fn new(directory: &Path, allowed: &[PathBuf]) -> io::Result<Self> {
        let real = fs::canonicalize(directory)?;
        if !real.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "this is not a directory"));
        }
        let root = repository_around(&real).unwrap_or(&real).to_owned();
        let allowed = allowed.iter().map(fs::canonicalize).collect::<io::Result<Vec<_>>>()?;
        let data = DataDirectory::named(directory).and_then(|path| fs::canonicalize(path).ok());
        let roots = [root].into_iter().chain(allowed.iter().cloned()).chain(data).collect();
        Ok(Self { directory: directory.to_owned(), roots, allowed, known: Mutex::default(), shared: None })
    }

    /// Reads a file that `terraform init` has left; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(crate) fn read_data(&self, data: &DataDirectory, name: &str) -> Result<Option<String>, FileError> {
        let Some(path) = self.find(data.path_of(name))? else { return Ok(None) };
        Source::File(path).read_at_most(MAX_FILE).map(Some).map_err(FileError::unreadable)
    }

    /// The manifest of installed modules, if `TF_DATA_DIR` names where it is: modules look for it in `.terraform` themselves.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn module_manifest(&self) -> Result<Option<String>, FileError> {
        let data = DataDirectory::of_environment();
        if !data.is_named {
            return Ok(None);
        }
        let name = "modules/modules.json";
        let text = self
            .read_data(&data, name)
            .map_err(|why| FileError::new(why.kind, format!("{}: {why}", data.path_of(name).display())))?;
        // Without one, no module is installed.
        Ok(Some(text.unwrap_or_else(|| "{}".to_owned())))
    }

    /// Modules may also be in these directories.
    pub(crate) fn with_modules<'d>(
        mut self,
        directories: impl IntoIterator<Item = &'d PathBuf>,
    ) -> io::Result<Self> {
        for directory in directories {
            self.roots.push(fs::canonicalize(directory)?);
        }
        Ok(self)
    }

    /// Files and directories that were read before are not read again.
    #[must_use]
    pub(crate) fn sharing(self, shared: &SharedTexts) -> Self {
        Self { shared: Some(shared.clone()), ..self }
    }

    /// Directories that were allowed by name.
    pub fn allowed(&self) -> &[PathBuf] {
        &self.allowed
    }

    /// The directory of the root module, for `path.cwd`.
    pub fn working_directory(&self) -> String {
        fs::canonicalize(&self.directory).map(|path| path.display().to_string()).unwrap_or_default()
    }

    /// The directory of the root module.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where a path of the configuration leads; `None` if there is nothing.
    pub fn find(&self, path: impl AsRef<Path>) -> Result<Option<PathBuf>, FileError> {
        let path = self.directory.join(path);
        let real = match self.without_links(&path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FileError::unreadable(error)),
        };
        self.check(&real)?;
        Ok(Some(real))
    }

    /// Like [`DiskFiles::find`], where a file that may be created later is found to be missing: then its place must be
    /// allowed, too, and no link may lead nowhere.
    pub(crate) fn find_or_missing(&self, path: &str) -> Result<Option<PathBuf>, FileError> {
        if let Some(real) = self.find(path)? {
            return Ok(Some(real));
        }
        let path = self.directory.join(path);
        for around in path.ancestors() {
            if around.is_symlink() && !around.exists() {
                let reason = format_args!("{} is a link that leads nowhere", around.display());
                return Err(FileError::unreadable(reason));
            }
            let Ok(real) = fs::canonicalize(around) else { continue };
            let mut place = real;
            for step in path.strip_prefix(around).unwrap_or(&path).components() {
                match step {
                    Component::ParentDir => {
                        return Err(FileError::unreadable(format_args!(
                            "{} does not exist, so that nothing beside it can be read",
                            place.display()
                        )));
                    }
                    step => place.push(step),
                }
            }
            self.check(&place)?;
            break;
        }
        Ok(None)
    }

    /// Refuses a path that leads out of the directories.
    fn check(&self, real: &Path) -> Result<(), FileError> {
        match self.roots.iter().any(|root| real.starts_with(root)) {
            true => Ok(()),
            false => Err(FileError::new(
                FileErrorKind::Outside,
                "it is outside of the directory, and in no directory that is allowed",
            )),
        }
    }

    /// Like [`fs::canonicalize`], with a cache for the enclosing directories.
    fn without_links(&self, path: &Path) -> io::Result<PathBuf> {
        // A path that ends in `..` has no name.
        let (Some(around), Some(name)) = (path.parent(), path.file_name()) else {
            return fs::canonicalize(path);
        };
        if around.as_os_str().is_empty() {
            return fs::canonicalize(path);
        }
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known_around = known().get(around).cloned();
        let around = match known_around {
            Some(real) => real,
            None => {
                let real = self.without_links(around)?;
                known().insert(around.to_owned(), real.clone());
                real
            }
        };
        let real = around.join(name);
        if fs::symlink_metadata(&real)?.is_symlink() { fs::canonicalize(real) } else { Ok(real) }
    }
}

impl Files for DiskFiles {
    fn list(&self, directory: &str) -> Result<Vec<String>, FilesError> {
        let path = self.find(directory).map_err(unreadable)?.ok_or(FilesError::NoDirectory)?;
        match &self.shared {
            Some(shared) => shared.names(&path, || names_in(&path)),
            None => names_in(&path),
        }
    }

    fn is_outside(&self, path: &str) -> bool {
        self.find(path).is_err_and(|error| error.kind == FileErrorKind::Outside)
    }

    fn read(&self, path: &str) -> Result<Option<String>, FilesError> {
        let Some(path) = self.find(path).map_err(unreadable)? else { return Ok(None) };
        // A pipe or a device may have no end, or nobody who writes into it.
        let read = || match path.is_file() {
            true => Source::File(path.clone()).read_at_most(MAX_FILE).map_err(unreadable),
            false => Err(unreadable(NOT_A_FILE)),
        };
        match &self.shared {
            Some(shared) => shared.text(&path, read).map(Some),
            None => read().map(Some),
        }
    }
}

fn unreadable(reason: impl fmt::Display) -> FilesError {
    FilesError::Unreadable(reason.to_string())
}

/// The names of the files in a directory, in order.
fn names_in(path: &Path) -> Result<Vec<String>, FilesError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // Configuration files have names in UTF-8.
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Only links need another system call.
        let kind = entry.file_type().map_err(unreadable)?;
        let is_directory = if kind.is_symlink() { entry.path().is_dir() } else { kind.is_dir() };
        if !is_directory {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::DiskFiles;

    /// The way to a nested module is followed once, and not again for each module below: the kernel walks all of it.
    #[test]
    fn each_directory_is_followed_once() {
        let folder = tempfile::tempdir().unwrap();
        let files = DiskFiles::new(folder.path(), &[]).unwrap();
        let mut path = "m".to_owned();
        for depth in 0..50 {
            std::fs::create_dir_all(folder.path().join(&path)).unwrap();
            let before = files.known.lock().unwrap().len();
            assert!(files.find(format!("{path}/main.tf")).unwrap().is_none());
            assert!(files.find(&path).unwrap().is_some());
            let after = files.known.lock().unwrap().len();
            // The first has the directories around the temporary one, too.
            assert!(depth == 0 || after - before == 1, "{path}: {before} {after}");
            path += "/m";
        }
    }
}
