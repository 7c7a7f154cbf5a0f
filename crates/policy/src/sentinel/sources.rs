//! Source texts of policies, modules, mocks and static data. Each is read and compiled once, and shared by all runs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use objchange_sentinel::{Diagnostic, LineIndex, Policy, Source};
use serde_json::Value as Json;

use super::Fault;
use super::configuration::{Configuration, ImportSource, PolicySource, Reference};

/// Reads the text of a file that has at most so many bytes.
pub type ReadText = fn(&Path, u64) -> Result<String, Fault>;

/// Source texts by where they are.
#[derive(Debug)]
pub struct Sources {
    read: ReadText,
    folders: Vec<PolicySource>,
    /// The addresses of those that a configuration has used.
    used: Mutex<HashSet<String>>,
    files: Mutex<HashMap<PathBuf, File>>,
}

#[derive(Debug, Default)]
struct File {
    /// How many will still ask for it, if that is known.
    uses: usize,
    policy: Once<Policy>,
    data: Once<Json>,
}

/// The result of reading a file on first use. Other threads wait for the one that reads it.
type Once<T> = Arc<OnceLock<Result<Arc<T>, Vec<Fault>>>>;

/// The maximum size of a source. People write no text as large, but any file may be given.
const MAX_BYTES: u64 = 256 << 20;
const MAX_CONFIGURATION_BYTES: u64 = 16 << 20;

impl Sources {
    /// The files on disk.
    pub fn on_disk() -> Self {
        Self::new(|path: &Path, limit: u64| {
            let source = objchange_files::input::Source::File(path.to_owned());
            let text = source.read_at_most(limit);
            text.map_err(|error| Fault::of_file(path, error.reason()))
        })
    }

    /// Source texts that are read with this.
    pub fn new(read: ReadText) -> Self {
        Self { read, folders: Vec::new(), used: Mutex::default(), files: Mutex::default() }
    }

    /// Takes what has one of these addresses from a folder.
    #[must_use]
    pub fn with_folders(self, folders: &[PolicySource]) -> Self {
        Self { folders: folders.to_vec(), ..self }
    }

    /// Reads a configuration.
    ///
    /// # Errors
    ///
    /// It cannot be read, or the first thing that is wrong with it.
    pub fn configuration(&self, path: &Path) -> Result<Configuration, Fault> {
        let mut configuration = Configuration::parse(path, &(self.read)(path, MAX_CONFIGURATION_BYTES)?)?;
        let used = configuration.locate(&self.folders);
        self.used.lock().unwrap_or_else(PoisonError::into_inner).extend(used);
        Ok(configuration)
    }

    /// A folder whose address no configuration has used so far.
    pub(super) fn unused_folder(&self) -> Option<&PolicySource> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        self.folders.iter().find(|source| !used.contains(&source.address))
    }

    /// Counts a user of the file; [`release`](Self::release) when done. Files without users leave memory.
    pub(crate) fn announce(&self, path: &Path) -> PathBuf {
        let path = identity(path);
        self.file(&path, |file| file.uses += 1);
        path
    }

    /// Removes a user of the file. The last one frees it.
    pub(crate) fn release(&self, path: &Path) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get_mut(path) {
            file.uses = file.uses.saturating_sub(1);
            if file.uses == 0 {
                files.remove(path);
            }
        }
    }

    /// A policy, a module or a mock.
    ///
    /// # Errors
    ///
    /// The errors in its text.
    pub fn policy(&self, path: &Path) -> Result<Arc<Policy>, Vec<Fault>> {
        let once = self.file(&identity(path), |file| Arc::clone(&file.policy));
        let compile = || {
            let text = (self.read)(path, MAX_BYTES).map_err(|fault| vec![fault])?;
            let name = shown(path);
            let faults = |errors: Vec<Diagnostic>| {
                let lines = LineIndex::new(&*text);
                errors.iter().map(|error| Fault::syntax(&name, &lines, error)).collect()
            };
            Policy::parse(&name, &text).map_err(faults)
        };
        once.get_or_init(compile).clone()
    }

    /// Static data.
    fn data(&self, path: &Path) -> Result<Arc<Json>, Vec<Fault>> {
        let once = self.file(&identity(path), |file| Arc::clone(&file.data));
        let parse = || {
            let text = (self.read)(path, MAX_BYTES).map_err(|fault| vec![fault])?;
            let fault =
                |error: serde_json::Error| vec![Fault::of_file(path, format!("this is not JSON: {error}"))];
            serde_json::from_str(&text).map(Arc::new).map_err(fault)
        };
        once.get_or_init(parse).clone()
    }

    /// Resolves all imports of a policy, directly or not, by a configuration. Other files of the configuration are not
    /// read.
    pub(crate) fn imports(
        &self,
        policy: &Policy,
        configuration: &Configuration,
    ) -> Result<BTreeMap<String, Source>, Vec<Fault>> {
        let mut imports = BTreeMap::new();
        let mut wanted = policy.imports().to_vec();
        while let Some(name) = wanted.pop() {
            // Modules may import each other.
            if imports.contains_key(&name) {
                continue;
            }
            // Sentinel's own imports and those of the plan have no source.
            let Some(given) = configuration.source_of(&name) else { continue };
            let source = match given {
                ImportSource::Module(reference) => {
                    let path = there(reference)?;
                    let module = self.policy(&path)?;
                    wanted.extend_from_slice(module.imports());
                    Source::Module(module)
                }
                ImportSource::Static(reference) => Source::Data(self.data(&there(reference)?)?),
                ImportSource::Data(data) => Source::Data(Arc::clone(data)),
            };
            imports.insert(name, source);
        }
        Ok(imports)
    }

    fn file<T>(&self, path: &Path, with: impl FnOnce(&mut File) -> T) -> T {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        // `entry` alone would copy the path each time.
        if let Some(file) = files.get_mut(path) {
            return with(file);
        }
        with(files.entry(path.to_owned()).or_default())
    }
}

/// The path of an existing file; the error names the reference.
fn there(reference: &Reference) -> Result<PathBuf, Vec<Fault>> {
    let path = reference.path().map_err(|fault| vec![fault])?;
    match path.metadata() {
        Ok(_) => Ok(path),
        Err(error) => {
            let message = format!("{} cannot be read: {error}", shown(&path));
            Err(vec![reference.fault(message)])
        }
    }
}

/// The canonical path of a file, equal for all paths to it.
pub(super) fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A path without the detours that references take.
pub fn shown(path: &Path) -> String {
    let is_plain = path.components().skip(1).all(|part| part != std::path::Component::ParentDir);
    if is_plain {
        return path.display().to_string();
    }
    let (whole, here) = (identity(path), std::env::current_dir().map(|here| identity(&here)));
    let short = here.as_ref().ok().and_then(|here| whole.strip_prefix(here).ok());
    short.unwrap_or(&whole).display().to_string()
}
