//! A handle of a directory that opens nothing outside of it, even if links are changed at the same time.

#[cfg(any(unix, windows))]
pub(super) use self::handle::Directory;
#[cfg(not(any(unix, windows)))]
pub(super) use self::nowhere::Directory;

#[cfg(any(unix, windows))]
mod handle {
    use std::io;
    use std::path::Path;

    use cap_fs_ext::OpenOptionsSyncExt;
    use cap_std::ambient_authority;
    use cap_std::fs::{Dir, File, OpenOptions};

    #[derive(Debug)]
    pub(in super::super) struct Directory(Dir);

    impl Directory {
        pub(in super::super) fn open_ambient(path: &Path) -> io::Result<Self> {
            Dir::open_ambient_dir(path, ambient_authority()).map(Self)
        }

        pub(in super::super) fn is_file(&self, path: &Path) -> io::Result<bool> {
            Ok(self.0.metadata(here(path))?.is_file())
        }

        pub(in super::super) fn is_folder(&self, path: &Path) -> bool {
            self.0.metadata(here(path)).is_ok_and(|found| found.is_dir())
        }

        /// Opens a regular file. Opening anything else does not block.
        pub(in super::super) fn open_file(&self, path: &Path) -> io::Result<Option<File>> {
            if !self.is_file(path)? {
                return Ok(None);
            }
            let file = self.0.open_with(here(path), OpenOptions::new().read(true).nonblock(true))?;
            // Checked again, because the file may have been replaced in the meantime.
            Ok(file.metadata()?.is_file().then_some(file))
        }

        /// The names in a folder that are text.
        pub(in super::super) fn names(&self, path: &Path) -> io::Result<Vec<String>> {
            let entries = self.0.read_dir(here(path))?;
            Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
        }
    }

    /// The directory itself has no name within it.
    fn here(path: &Path) -> &Path {
        if path.as_os_str().is_empty() { Path::new(".") } else { path }
    }
}

/// Where there are no files.
#[cfg(not(any(unix, windows)))]
mod nowhere {
    use std::io;
    use std::path::Path;

    #[derive(Debug)]
    pub(in super::super) enum Directory {}

    impl Directory {
        pub(in super::super) fn open_ambient(_: &Path) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(in super::super) fn is_file(&self, _: &Path) -> io::Result<bool> {
            match *self {}
        }

        pub(in super::super) fn is_folder(&self, _: &Path) -> bool {
            match *self {}
        }

        pub(in super::super) fn open_file(&self, _: &Path) -> io::Result<Option<io::Empty>> {
            match *self {}
        }

        pub(in super::super) fn names(&self, _: &Path) -> io::Result<Vec<String>> {
            match *self {}
        }
    }
}
