//! Takes snapshots of the files in folders, to find changed ones.

use std::collections::BTreeMap;
use std::path::{MAIN_SEPARATOR, Path};
use std::time::SystemTime;

use walkdir::WalkDir;

/// The maximum number of files of a folder.
const MAX_FILES: usize = 100_000;

/// Files by their paths, with the times of their last changes and their lengths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, (Option<SystemTime>, u64)>);

impl Snapshot {
    /// Adds the files in and below a folder, up to `depth` levels, under names that begin with `prefix`. Leaves out
    /// hidden files, and those for which `is_skipped` is true.
    pub fn add(&mut self, folder: &Path, prefix: &str, depth: usize, is_skipped: impl Fn(&Path) -> bool) {
        let walk = WalkDir::new(folder).max_depth(depth).into_iter().filter_entry(|entry| {
            let name = entry.file_name().to_str().unwrap_or_default();
            entry.depth() == 0 || !name.starts_with('.')
        });
        // A file that cannot be read is reported when it is needed.
        for entry in walk.flatten().filter(|entry| !entry.file_type().is_dir()).take(MAX_FILES) {
            let Ok(metadata) = entry.metadata() else { continue };
            let Some(path) = entry.path().strip_prefix(folder).ok().and_then(Path::to_str) else { continue };
            if !is_skipped(entry.path()) {
                let path = path.replace(MAIN_SEPARATOR, "/");
                self.insert(format!("{prefix}{path}"), metadata.modified().ok(), metadata.len());
            }
        }
    }

    /// Adds a file with the time of its last change and its length.
    pub fn insert(&mut self, path: String, modified: Option<SystemTime>, length: u64) {
        self.0.insert(path, (modified, length));
    }

    /// Adds the files of another one whose paths begin with `prefix`.
    pub fn add_from(&mut self, other: Self, prefix: &str) {
        self.0.extend(other.0.into_iter().filter(|(path, _)| path.starts_with(prefix)));
    }

    /// The paths of new, removed and changed files.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let is_other = |(path, file): &(&String, _)| self.0.get(*path) != Some(*file);
        let changed = now.0.iter().filter(is_other).map(|(path, _)| path);
        let gone = self.0.keys().filter(|path| !now.0.contains_key(*path));
        changed.chain(gone).cloned().collect()
    }

    /// The paths of the files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
