//! The folder of a provider: it is removed with the process, or by a later run if this one is killed.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Once;

use tempfile::TempDir;

/// How the names of the folders begin. They are short, because the path of a socket has at most 104 bytes on some systems.
const PREFIX: &str = "objchange-p";

/// A file that is locked as long as the folder is in use: the system lets go of it however the process ends.
const LOCK: &str = ".lock";

/// A folder in the temporary folder, for one process of a provider.
#[derive(Debug)]
pub(super) struct Folder {
    // Dropped first: some systems cannot remove open files.
    _lock: File,
    directory: TempDir,
}

impl Folder {
    /// Makes a folder. The first call also removes the folders of killed runs.
    pub(super) fn new() -> io::Result<Self> {
        static SWEEP: Once = Once::new();
        let within = std::env::temp_dir();
        SWEEP.call_once(|| sweep(&within));
        Self::new_in(&within)
    }

    fn new_in(within: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        // Some systems ignore the permissions of a socket (unix(7)), and none those of its folder.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let directory = builder.prefix(PREFIX).tempdir_in(within)?;
        // The lock file gets its name only when it is locked, so that no other program mistakes the folder
        // for an abandoned one.
        let unnamed = directory.path().join(".new");
        let lock = File::create_new(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, directory.path().join(LOCK))?;
        Ok(Self { _lock: lock, directory })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes folders that are not in use any more, and kills the daemons whose environment names them. A
/// folder that cannot be removed stays; providers can start anyway.
fn sweep(within: &Path) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let folder = entry.path();
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_left(&folder) {
            #[cfg(unix)]
            super::descendants::kill_users(&folder);
            let _ = fs::remove_dir_all(folder);
        }
    }
}

fn is_left(folder: &Path) -> bool {
    let is_own = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir() && is_own(&found));
    is_own && File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

#[cfg(unix)]
fn is_own(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_found: &fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_removed_and_what_is_used_is_not() {
        let within = tempfile::tempdir().unwrap();
        let used = Folder::new_in(within.path()).unwrap();
        let left = within.path().join(format!("{PREFIX}left"));
        let begun = within.path().join(format!("{PREFIX}begun"));
        let other = within.path().join("other");
        for folder in [&left, &begun, &other] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(left.join(LOCK), "").unwrap();
        fs::write(left.join("socket"), "").unwrap();
        fs::write(other.join(LOCK), "").unwrap();
        sweep(within.path());
        assert!(used.path().join(LOCK).exists() && begun.exists() && other.exists());
        assert!(!left.exists());
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }
}
