//! Finds the files below a folder, for every command that takes one.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::{FileError, FileErrorKind};
use walkdir::{DirEntry, WalkDir};

/// A folder with more entries is refused, because it was probably named by mistake.
const MAX_ENTRIES: usize = 1_000_000;

/// The kinds of files to find.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'p> {
    /// The folder.
    pub folder: &'p Path,
    /// The number of levels of folders to search.
    pub depth: usize,
    /// Whether to include files and folders whose names begin with a dot.
    pub hidden: bool,
}

/// The files below a folder.
#[derive(Debug, Default)]
pub struct FoundFiles {
    /// The wanted files, sorted by name, each once even if several links lead to it.
    pub paths: Vec<PathBuf>,
    /// Wanted files that cannot be read, with the reason.
    pub unreadable: Vec<String>,
    /// Links to folders outside of this one. They are not followed: a link to `/` would take minutes.
    pub outside: Vec<PathBuf>,
    /// Files that are not wanted because of capital letters in their name, such as `a.REGO`, sorted by name.
    pub capitals: Vec<PathBuf>,
}

impl FoundFiles {
    /// The wanted files of this folder, if each of them can be read and no folder was skipped. Otherwise unread
    /// files would seem to pass.
    ///
    /// # Errors
    ///
    /// A file cannot be read, has capital letters in its name, or a folder is a link that leads outside.
    pub fn complete(self, folder: &Path) -> Result<Vec<PathBuf>, FileError> {
        if let Some(error) = self.unreadable.into_iter().next() {
            return Err(FileError::unreadable(error));
        }
        if let Some(path) = self.capitals.first() {
            return Err(FileError::new(FileErrorKind::Capitals, capitals(path)));
        }
        match self.outside.first() {
            Some(link) => Err(FileError::new(
                FileErrorKind::Outside,
                format!(
                    "{}: this link leaves the folder {}; name the files themselves",
                    link.display(),
                    folder.display()
                ),
            )),
            None => Ok(self.paths),
        }
    }
}

impl Walk<'_> {
    /// Finds the files that `is_wanted` accepts.
    pub fn files(self, is_wanted: impl Fn(&Path) -> bool) -> FoundFiles {
        let mut files = FoundFiles::default();
        let root = match fs::canonicalize(self.folder) {
            Ok(root) => root,
            Err(error) => {
                files.unreadable.push(unreadable(self.folder, &error));
                return files;
            }
        };
        let mut walk = WalkDir::new(self.folder)
            .follow_links(true)
            .sort_by_file_name()
            .max_depth(self.depth)
            .into_iter();
        let mut is_linked = false;
        let mut entries = 0;
        while let Some(entry) = walk.next() {
            entries += 1;
            if entries > MAX_ENTRIES {
                files.unreadable.push(format!(
                    "{}: more than {MAX_ENTRIES} files are in this folder; name a smaller one",
                    self.folder.display()
                ));
                break;
            }
            let entry = match entry {
                Ok(entry) => entry,
                // A link to a folder above: its files are found already.
                Err(error) if error.loop_ancestor().is_some() => continue,
                Err(error) => {
                    files.unreadable.push(error.to_string());
                    continue;
                }
            };
            let is_folder = entry.file_type().is_dir();
            if self.skips(&entry) {
                if is_folder {
                    walk.skip_current_dir();
                }
                continue;
            }
            let is_named = !is_folder && is_wanted(entry.path());
            if is_named && !entry.file_type().is_file() {
                // Reading a pipe may never end, or never begin.
                let error = io::Error::other("this is not a regular file; remove it, or name it itself");
                files.unreadable.push(unreadable(entry.path(), &error));
                continue;
            }
            // If it were skipped silently, a policy in `a.REGO` would leave a gate green.
            if !is_folder && !is_named && is_wanted(&in_lower_case(entry.path())) {
                files.capitals.push(entry.into_path());
                continue;
            }
            let is_file = is_named;
            if entry.depth() > 0 && entry.path_is_symlink() && (is_file || is_folder) {
                is_linked = true;
                if let Err(error) = inside(&root, entry.path()) {
                    match is_folder {
                        true => {
                            files.outside.push(entry.into_path());
                            walk.skip_current_dir();
                        }
                        false => files.unreadable.push(unreadable(entry.path(), &error)),
                    }
                    continue;
                }
            }
            if is_file {
                files.paths.push(entry.into_path());
            }
        }
        // Only links can lead to one file twice, so paths are resolved only if there are links.
        if is_linked {
            let mut seen = HashSet::new();
            files.paths.retain(|path| fs::canonicalize(path).map_or(true, |real| seen.insert(real)));
        }
        files
    }

    fn skips(self, entry: &DirEntry) -> bool {
        !self.hidden && entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.')
    }
}

/// Refuses a file in the repository if a link leads out of the repository: one to `/proc/self/environ` would show secrets. For
/// a file elsewhere, only its directory counts: links in the path to that are allowed, because no repository made them.
///
/// # Errors
///
/// The file cannot be found, or a link leads out.
pub fn refuse_link_out(path: &Path) -> io::Result<()> {
    let here = fs::canonicalize(".")?;
    let repository = here.ancestors().find(|around| around.join(".git").exists()).unwrap_or(&here);
    let named = here.join(path);
    let is_below =
        named.starts_with(repository) && !named.components().any(|part| part == Component::ParentDir);
    let root = match is_below {
        true => repository.to_owned(),
        false => fs::canonicalize(named.parent().unwrap_or(&named))?,
    };
    inside(&root, &named)
}

/// The path with its last name in lower case.
pub fn in_lower_case(path: &Path) -> PathBuf {
    path.with_file_name(path.file_name().unwrap_or_default().to_ascii_lowercase())
}

/// Why a file with this name is not read.
pub fn capitals(path: &Path) -> String {
    let name = in_lower_case(path);
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("{}: not read, because of the capital letters in its name; rename it to {name}", path.display())
}

/// Whether a link leads to a place in the folder.
fn inside(root: &Path, link: &Path) -> io::Result<()> {
    match fs::canonicalize(link)?.starts_with(root) {
        true => Ok(()),
        false => Err(io::Error::other("this link leaves the folder; name the file itself")),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
