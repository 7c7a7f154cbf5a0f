//! The files below a folder.

use std::path::Path;

use walkdir::{DirEntry, WalkDir};

/// What is below a folder, sorted by name, at most so deep. Follows links that stay in the folder, and skips those that leave
/// it or lead back to a folder above them. Skips what `is_wanted` does not want, with all below it.
///
/// An error is a sentence with the path that it is about.
pub(crate) fn entries(
    folder: &Path,
    depth: usize,
    is_wanted: impl Fn(&DirEntry) -> bool,
) -> impl Iterator<Item = Result<DirEntry, String>> {
    let root = folder.canonicalize();
    let stays = move |entry: &DirEntry| {
        entry.depth() == 0 || !entry.path_is_symlink() || {
            let target = entry.path().canonicalize();
            // A link to nothing is an error of its own.
            let (Ok(root), Ok(target)) = (&root, target) else { return true };
            target.starts_with(root)
        }
    };
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name().max_depth(depth);
    entries.into_iter().filter_entry(move |entry| stays(entry) && is_wanted(entry)).filter_map(|entry| {
        match entry {
            Ok(entry) => Some(Ok(entry)),
            // A link to a folder above it leads to files that are found already.
            Err(error) if error.loop_ancestor().is_some() => None,
            Err(error) => Some(Err(sentence(error))),
        }
    })
}

/// Whether an entry is the folder itself, or not hidden.
pub(crate) fn is_visible(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
}

fn sentence(error: walkdir::Error) -> String {
    let path = error.path().map(|path| format!("{}: ", path.display())).unwrap_or_default();
    match error.io_error() {
        Some(error) => format!("{path}cannot be read: {error}"),
        None => format!("{path}cannot be read"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::{entries, is_visible};

    #[test]
    fn links_that_leave_the_folder_are_skipped() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        for folder in ["in/sub", "out"] {
            std::fs::create_dir_all(path(folder)).unwrap();
        }
        for file in ["in/sub/a", "in/.hidden", "out/b"] {
            std::fs::write(path(file), "").unwrap();
        }
        symlink(path("out"), path("in/away")).unwrap();
        symlink(path("out/b"), path("in/file")).unwrap();
        symlink("sub", path("in/twin")).unwrap();
        symlink("..", path("in/sub/up")).unwrap();
        symlink(path("in"), path("link")).unwrap();
        for root in ["in", "link"] {
            let root_path = path(root);
            let found = entries(&root_path, usize::MAX, is_visible);
            let found = found.map(|entry| entry.unwrap()).filter(|entry| entry.file_type().is_file());
            let names: Vec<_> = found
                .map(|entry| entry.path().strip_prefix(path(root)).unwrap().display().to_string())
                .collect();
            assert_eq!(names, ["sub/a", "twin/a"], "{root}");
        }
        let nowhere = path("nope");
        let error = entries(&nowhere, 1, is_visible).next().unwrap().unwrap_err();
        assert!(error.starts_with(&format!("{}: cannot be read: ", path("nope").display())), "{error}");
    }
}
