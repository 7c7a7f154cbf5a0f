//! Files of modules and schemas of providers that several plans read alike.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use objchange::schema::ProviderSchemas;
use objchange_document::schema_cache::CachedSchemas;
use objchange_hcl::KnownFiles;
use objchange_module::ProviderAddress;
use objchange_module::config::FilesError;
use objchange_text::Notice;

use crate::schema_cache::{CacheFile, CacheFileError};

/// The most bytes of configuration that are kept. Other files are read again.
const MOST_KEPT: usize = 256 << 20;

/// Modules and schemas that several plans share: each is read once, and taken not to change in the meantime.
///
/// A plan still looks for itself whether it may read a file: only then it gets what another one has read.
///
/// ```
/// use objchange_project::{PlanSettings, SharedReads, plan_directory};
///
/// let shared = SharedReads::default();
/// let settings = PlanSettings { shared: Some(&shared), ..PlanSettings::default() };
/// for directory in ["../../examples/monorepo/env/prod", "../../examples/monorepo/env/test"] {
///     assert!(plan_directory(directory.as_ref(), &settings).answer.is_ok());
/// }
/// ```
#[derive(Default)]
pub struct SharedReads {
    /// The schemas that are given by options.
    given: Mutex<Option<Arc<ProviderSchemas>>>,
    pub(crate) cache: SharedCache,
    pub(crate) texts: SharedTexts,
    /// The files that functions read.
    pub(crate) functions: KnownFiles,
}

impl fmt::Debug for SharedReads {
    /// Without texts, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedReads").finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedReads {
    /// The schemas that are given, read once. An error is found again for each plan.
    pub(crate) fn given<E>(
        &self,
        read: impl FnOnce() -> Result<Arc<ProviderSchemas>, E>,
    ) -> Result<Arc<ProviderSchemas>, E> {
        // Whoever comes meanwhile waits, because reading the same document twice would take longer.
        let mut given = lock(&self.given);
        if let Some(given) = &*given {
            return Ok(Arc::clone(given));
        }
        let read = read()?;
        *given = Some(Arc::clone(&read));
        Ok(read)
    }
}

/// Files of the schema cache that were read.
#[derive(Clone, Default)]
pub(crate) struct SharedCache(Arc<CacheContents>);

#[derive(Default)]
struct CacheContents {
    files: Mutex<HashMap<PathBuf, CachedSchemas>>,
    /// By provider and locked version.
    chosen: Mutex<HashMap<(ProviderAddress, Option<String>), ChosenSchemas>>,
}

/// The schemas of a provider, and what was noticed when they were chosen.
pub(crate) type ChosenSchemas = (Arc<ProviderSchemas>, Vec<Notice>);

impl fmt::Debug for SharedCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedCache").finish_non_exhaustive()
    }
}

impl SharedCache {
    /// The content of a file, read once.
    pub(crate) fn read(&self, file: &CacheFile) -> Result<CachedSchemas, CacheFileError> {
        let mut files = lock(&self.0.files);
        if let Some(known) = files.get(&file.path) {
            return Ok(known.clone());
        }
        let read = file.read()?;
        files.insert(file.path.clone(), read.clone());
        Ok(read)
    }

    /// The schemas of a provider, chosen once for each locked version.
    pub(crate) fn chosen(
        &self,
        provider: &ProviderAddress,
        locked: Option<&String>,
        choose: impl FnOnce() -> ChosenSchemas,
    ) -> ChosenSchemas {
        let key = (provider.clone(), locked.cloned());
        let known = lock(&self.0.chosen).get(&key).cloned();
        known.unwrap_or_else(|| lock(&self.0.chosen).entry(key).or_insert_with(choose).clone())
    }
}

/// Texts of configuration files and names in directories, by their paths without links.
#[derive(Clone, Default)]
pub(crate) struct SharedTexts(Arc<Texts>);

#[derive(Default)]
struct Texts {
    names: Mutex<HashMap<PathBuf, Arc<Vec<String>>>>,
    files: Mutex<(HashMap<PathBuf, Arc<str>>, usize)>,
}

impl fmt::Debug for SharedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedTexts").finish_non_exhaustive()
    }
}

impl SharedTexts {
    /// The names of the files in a directory.
    pub(crate) fn names(
        &self,
        directory: &Path,
        read: impl FnOnce() -> Result<Vec<String>, FilesError>,
    ) -> Result<Vec<String>, FilesError> {
        if let Some(known) = lock(&self.0.names).get(directory) {
            return Ok(known.to_vec());
        }
        let names = read()?;
        lock(&self.0.names).insert(directory.to_owned(), Arc::new(names.clone()));
        Ok(names)
    }

    /// The text of a file.
    pub(crate) fn text(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<String, FilesError>,
    ) -> Result<String, FilesError> {
        if let Some(known) = lock(&self.0.files).0.get(path) {
            return Ok(known.to_string());
        }
        let text = read()?;
        let mut files = lock(&self.0.files);
        if files.1 + text.len() <= MOST_KEPT
            && files.0.insert(path.to_owned(), text.as_str().into()).is_none()
        {
            files.1 += text.len();
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use super::{FilesError, SharedTexts};

    #[test]
    fn each_file_is_read_once() {
        let (texts, count) = (SharedTexts::default(), Cell::new(0));
        let read = || {
            count.set(count.get() + 1);
            Ok("text".to_owned())
        };
        for _ in 0..3 {
            assert_eq!(texts.text(Path::new("/a"), read).as_deref(), Ok("text"));
        }
        assert_eq!(count.get(), 1);
        // An error may be gone the next time.
        assert!(texts.text(Path::new("/b"), || Err(FilesError::NoDirectory)).is_err());
        assert!(texts.text(Path::new("/b"), read).is_ok());
    }
}
