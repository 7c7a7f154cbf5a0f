//! Finds the root modules that changed files touch.

mod changes;
mod inputs;
mod roots;

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use changes::{ChangedFiles, ChangedFilesError, ChangedFilesProblem};
pub use roots::{RootsError, RootsProblem, is_glob, named_directories, root_modules};

use inputs::RootInputs;

/// Why a root module is touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The kind of the reason.
    pub kind: ReasonKind,
    /// The changed file, as it was named; `None` where any change may touch the module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where in the configuration the file is read, or what cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// The kind of a [`Reason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReasonKind {
    /// A file of configuration of the module, or of one that it calls.
    Configuration,
    /// A file with values of variables.
    Variables,
    /// The lock file of providers.
    LockFile,
    /// The state, or a file that says where it is.
    State,
    /// A file that a function reads, or may read.
    ReadFile,
    /// A file below the place of a module that is not there.
    MissingModule,
    /// A function reads a file whose path only a plan knows, so that it may be any.
    UnknownPath,
    /// The place of a module is not known.
    UnknownModule,
    /// The configuration cannot be read.
    Unreadable,
}

/// Why changed files touch a root module: through its configuration, local modules, files that it reads, values of variables
/// or the lock file. Anything that only a plan would know counts as touched. Without a reason the module is as it was.
///
/// # Errors
///
/// The directory cannot be read.
///
/// ```
/// use objchange_project::{ChangedFiles, reasons_for, root_modules};
///
/// let folder = std::env::temp_dir().join(format!("objchange-affected-{}", std::process::id()));
/// std::fs::create_dir_all(folder.join("a"))?;
/// std::fs::create_dir_all(folder.join("b"))?;
/// std::fs::write(folder.join("a/main.tf"), "output \"o\" {\n  value = file(\"${path.module}/o.txt\")\n}\n")?;
/// std::fs::write(folder.join("b/main.tf"), "")?;
/// let changed = ChangedFiles::parse("a/o.txt\n", &folder)?;
/// let [a, b] = &root_modules(&[folder.clone()])?[..] else { panic!("there are two") };
/// assert_eq!(reasons_for(a, &changed)?[0].place.as_deref(), Some("main.tf:2,11-39"));
/// assert!(reasons_for(b, &changed)?.is_empty());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reasons_for(root: &Path, changed: &ChangedFiles) -> Result<Vec<Reason>, RootsError> {
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let inputs = RootInputs::new(root).map_err(|error| RootsError::unreadable(root, error))?;
    Ok(inputs.reasons(changed))
}

/// The top of the repository around a directory, to which names in `git diff --name-only` are relative; outside of one the
/// directory itself.
///
/// # Errors
///
/// The directory is not there.
///
/// ```
/// use objchange_project::repository_top;
///
/// let folder = std::env::temp_dir().join(format!("objchange-top-{}", std::process::id()));
/// std::fs::create_dir_all(folder.join("repository/.git"))?;
/// std::fs::create_dir_all(folder.join("repository/env/prod"))?;
/// assert!(repository_top(&folder.join("repository/env/prod"))?.ends_with("repository"));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn repository_top(directory: &Path) -> io::Result<PathBuf> {
    let real = std::fs::canonicalize(directory)?;
    Ok(crate::files::repository_around(&real).unwrap_or(&real).to_owned())
}
