//! Finds the root modules below directories.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use objchange_hcl::{ModuleConfig, Sources};
use objchange_module::config::{LOCK_FILE, is_configuration, local_source};
use thiserror::Error;

use crate::files::MAX_FILE;
use crate::glob::PathGlob;
use crate::inputs::is_variable_file;
use crate::state::STATE_FILE;
use objchange_files::input::Source;

/// Why the root modules of a directory cannot be found.
#[derive(Debug, Error)]
#[error("{}: {problem}", .path.display())]
#[non_exhaustive]
pub struct RootsError {
    /// The directory.
    pub path: PathBuf,
    /// The problem with it.
    pub problem: RootsProblem,
}

/// The problem with a directory.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RootsProblem {
    /// There is no module in it or below.
    #[error("there is no module")]
    NoModule,
    /// No directory with a module matches the glob.
    #[error("no directory with a module matches this")]
    NoMatch,
    /// It is no glob.
    #[error("this is not a glob: {0}")]
    Glob(String),
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(io::Error),
}

impl RootsError {
    pub(super) fn unreadable(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), problem: RootsProblem::Unreadable(error) }
    }

    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        self.problem.kind()
    }
}

impl RootsProblem {
    /// The stable name of the problem.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoModule => "no_module",
            Self::NoMatch => "no_match",
            Self::Glob(_) => "wrong_glob",
            Self::Unreadable(_) => "unreadable_directory",
        }
    }
}

/// The directories that arguments name. A glob that is no path names the directories with modules that match it, in the order of
/// their paths; none that is hidden, or that only a link leads to.
///
/// # Errors
///
/// A glob is wrong or matches nothing, or a directory cannot be read.
///
/// ```
/// use objchange_project::named_directories;
///
/// let folder = std::env::temp_dir().join(format!("objchange-globs-{}", std::process::id()));
/// for name in ["envs/prod", "envs/test", "envs/notes"] {
///     std::fs::create_dir_all(folder.join(name))?;
/// }
/// std::fs::write(folder.join("envs/prod/main.tf"), "")?;
/// std::fs::write(folder.join("envs/test/main.tf"), "")?;
/// assert_eq!(named_directories(&[folder.join("envs/*")])?, [folder.join("envs/prod"), folder.join("envs/test")]);
/// assert!(named_directories(&[folder.join("none/*")]).is_err());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn named_directories(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, RootsError> {
    let mut named = Vec::new();
    for argument in arguments {
        match PathGlob::text_of(argument) {
            Some(text) => named.extend(matching_directories(argument, text)?),
            None => named.push(argument.clone()),
        }
    }
    Ok(named)
}

/// Whether an argument is a glob, and no path.
pub fn is_glob(argument: &Path) -> bool {
    PathGlob::text_of(argument).is_some()
}

fn matching_directories(argument: &Path, text: &str) -> Result<Vec<PathBuf>, RootsError> {
    let wrong = |problem| RootsError { path: argument.to_owned(), problem };
    let glob = PathGlob::parse(text).map_err(|error| wrong(RootsProblem::Glob(error.kind().to_string())))?;
    let mut found = Vec::new();
    let mut open = Vec::new();
    if glob.folder.is_dir() {
        open.push((glob.folder.clone(), glob.depth));
    }
    while let Some((directory, depth)) = open.pop() {
        let mut below = Vec::new();
        let names =
            names_in(&directory, &mut below).map_err(|error| RootsError::unreadable(&directory, error))?;
        if glob.is_match(&directory) && names.iter().any(|name| is_configuration(name)) {
            found.push(as_written(directory));
        }
        if depth > 0 {
            open.extend(below.into_iter().map(|directory| (directory, depth - 1)));
        }
    }
    found.sort_unstable();
    if found.is_empty() { Err(wrong(RootsProblem::NoMatch)) } else { Ok(found) }
}

/// The root modules in directories and below them, in the order of their paths: directories with configuration that no other
/// one calls, or that have a backend, a state, a lock file or values of variables of their own. One whose files cannot all be
/// read counts as a root module, too. Hidden directories and links are skipped.
///
/// # Errors
///
/// A directory cannot be read, or has no module.
///
/// ```
/// use objchange_project::root_modules;
///
/// let folder = std::env::temp_dir().join(format!("objchange-roots-{}", std::process::id()));
/// std::fs::create_dir_all(folder.join("modules/net"))?;
/// std::fs::create_dir_all(folder.join("prod"))?;
/// std::fs::write(folder.join("modules/net/main.tf"), "")?;
/// std::fs::write(folder.join("prod/main.tf"), "module \"net\" {\n  source = \"../modules/net\"\n}\n")?;
/// assert_eq!(root_modules(&[folder.clone()])?, [folder.join("prod")]);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn root_modules(directories: &[PathBuf]) -> Result<Vec<PathBuf>, RootsError> {
    let mut found = Vec::new();
    for directory in directories {
        let before = found.len();
        let mut open = vec![directory.clone()];
        while let Some(directory) = open.pop() {
            let unreadable = |error| RootsError::unreadable(&directory, error);
            let names = names_in(&directory, &mut open).map_err(unreadable)?;
            if names.iter().any(|name| is_configuration(name)) {
                let real = fs::canonicalize(&directory).map_err(unreadable)?;
                found.push(ModuleDirectory::read(directory, real, &names));
            }
        }
        if found.len() == before {
            return Err(RootsError { path: directory.clone(), problem: RootsProblem::NoModule });
        }
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut seen = HashSet::new();
    found.retain(|directory| seen.insert(directory.real.clone()));
    let called: HashSet<&Path> = found.iter().flat_map(ModuleDirectory::others).collect();
    let by_place: HashMap<&Path, &ModuleDirectory> =
        found.iter().map(|directory| (directory.real.as_path(), directory)).collect();
    let mut reached = HashSet::new();
    let mut roots = Vec::new();
    // Modules that call each other in a circle have no root module above them. The first is listed, so that its error is shown.
    let certain = found.iter().filter(|one| one.is_root || !called.contains(one.real.as_path()));
    for (directory, is_certain) in certain.map(|one| (one, true)).chain(found.iter().map(|one| (one, false)))
    {
        if !is_certain && reached.contains(directory.real.as_path()) {
            continue;
        }
        roots.push(directory.path.clone());
        let mut open = vec![directory.real.as_path()];
        while let Some(place) = open.pop() {
            if reached.insert(place) {
                open.extend(by_place.get(place).into_iter().flat_map(|one| one.others()));
            }
        }
    }
    roots.sort_unstable();
    roots.dedup();
    Ok(roots)
}

/// A directory with configuration.
struct ModuleDirectory {
    /// As it is reached.
    path: PathBuf,
    real: PathBuf,
    /// It has a backend, a state, a lock file or values of variables of its own, or files that cannot be read.
    is_root: bool,
    /// The directories of local modules that it calls.
    calls: Vec<PathBuf>,
}

impl ModuleDirectory {
    fn read(path: PathBuf, real: PathBuf, names: &[String]) -> Self {
        let (config, is_whole) = declarations(&path, names);
        let sources = config.calls.values().filter_map(|call| call.source.as_ref());
        let local = sources.filter_map(|(source, _)| local_source(source));
        let calls = local.filter_map(|source| fs::canonicalize(path.join(&*source)).ok()).collect();
        let is_own = |name: &String| name == LOCK_FILE || name == STATE_FILE || is_variable_file(name);
        let is_root = !is_whole || config.state_storage.is_some() || names.iter().any(is_own);
        Self { path: as_written(path), real, is_root, calls }
    }

    /// The directories of the modules that it calls, without its own.
    fn others(&self) -> impl Iterator<Item = &Path> {
        self.calls.iter().map(PathBuf::as_path).filter(|called| *called != self.real)
    }
}

/// The names of the files in a directory; its folders are added to those that are open.
fn names_in(directory: &Path, open: &mut Vec<PathBuf>) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            // `.terraform` holds copies of called modules, which are no root modules.
            if !name.as_encoded_bytes().starts_with(b".") {
                open.push(entry.path());
            }
        // Terraform reads no file whose name is not UTF-8.
        } else if let Ok(name) = name.into_string() {
            names.push(name);
        }
    }
    Ok(names)
}

/// A path as people write it: without `./` in front.
fn as_written(path: PathBuf) -> PathBuf {
    match path.strip_prefix(".") {
        Ok(rest) if !rest.as_os_str().is_empty() => rest.to_owned(),
        _ => path,
    }
}

/// The declarations in the files of a directory, and whether all of them can be read.
fn declarations(directory: &Path, names: &[String]) -> (ModuleConfig, bool) {
    let mut sources = Sources::default();
    let mut is_whole = true;
    for name in names.iter().filter(|name| is_configuration(name)) {
        let path = directory.join(name);
        // A pipe or a device may have no end, or nobody who writes into it.
        let text = path.is_file().then(|| Source::File(path).read_at_most(MAX_FILE).ok()).flatten();
        let added = text.is_some_and(|text| sources.add(name.clone(), text).is_ok());
        is_whole &= added;
    }
    (ModuleConfig::read(&sources).0, is_whole)
}
