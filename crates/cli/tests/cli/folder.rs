//! Folders for tests.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder with files, which goes away at the end of a test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// An empty one.
    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, &[])
    }

    /// Each has a path of its own.
    pub(crate) fn with(name: &str, files: &[(&str, &str)]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("objchange-{process}-{count}-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        let folder = Self(folder);
        for (file, text) in files {
            folder.write(file, text);
        }
        folder
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.at(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes a file, and says where it is.
    pub(crate) fn file(&self, file: &str, text: &str) -> PathBuf {
        self.write(file, text);
        self.at(file)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.at(file)).unwrap()
    }

    pub(crate) fn at(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
