//! Access to the files of modules.

use std::collections::BTreeMap;

/// Reads directories and files by paths relative to the working directory: `.`, `modules/net`, `../shared`.
pub trait Files {
    /// The names of the files in a directory, those of directories aside.
    ///
    /// # Errors
    ///
    /// There is no such directory, or it cannot be read.
    fn list(&self, directory: &str) -> Result<Vec<String>, FilesError>;

    /// The text of a file; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    fn read(&self, path: &str) -> Result<Option<String>, FilesError>;

    /// Whether a path leads out of the directories that may be read.
    fn is_outside(&self, _path: &str) -> bool {
        false
    }

    /// Whether modules are read as OpenTofu reads them: files of its own too, such as `main.tofu`, each in place of the file
    /// `main.tf` beside it.
    fn has_opentofu_names(&self) -> bool {
        false
    }
}

/// Why a file or directory of a module cannot be read, without its path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilesError {
    /// There is no such directory.
    #[error("there is no such directory")]
    NoDirectory,
    /// It cannot be read, for this reason.
    #[error("{0}")]
    Unreadable(String),
}

impl FilesError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoDirectory => "no_directory",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

/// Reads modules as OpenTofu does: a `.tofu` file replaces the `.tf` file of its name.
///
/// ```
/// use objchange_module::config::{Config, LoadOptions, MemoryFiles, OpenTofuFiles};
///
/// let files: MemoryFiles =
///     [("main.tf", "locals {\n  a = 1\n}\n"), ("main.tofu", "locals {\n  b = 1\n}\n")].into_iter().collect();
/// let options = LoadOptions::new("1.11.4");
/// let (config, _) = Config::load(&OpenTofuFiles(&files), ".", &options);
/// assert!(config.modules[0].config.locals.keys().eq(["b"]));
/// ```
#[derive(Clone, Copy)]
pub struct OpenTofuFiles<'f>(pub &'f dyn Files);

impl std::fmt::Debug for OpenTofuFiles<'_> {
    /// Without the texts, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenTofuFiles").finish_non_exhaustive()
    }
}

impl Files for OpenTofuFiles<'_> {
    fn list(&self, directory: &str) -> Result<Vec<String>, FilesError> {
        self.0.list(directory)
    }

    fn read(&self, path: &str) -> Result<Option<String>, FilesError> {
        self.0.read(path)
    }

    fn is_outside(&self, path: &str) -> bool {
        self.0.is_outside(path)
    }

    fn has_opentofu_names(&self) -> bool {
        true
    }
}

/// Files that are in memory.
///
/// ```
/// use objchange_module::config::{Files, MemoryFiles};
///
/// let files: MemoryFiles = [("main.tf", ""), ("m/main.tf", ""), ("m/n/main.tf", "")].into_iter().collect();
/// assert_eq!(files.list("m").unwrap(), ["main.tf"]);
/// assert!(files.list("n").is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: BTreeMap<String, String>,
}

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for MemoryFiles {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(files: I) -> Self {
        Self { files: files.into_iter().map(|(path, text)| (path.into(), text.into())).collect() }
    }
}

impl Files for MemoryFiles {
    fn list(&self, directory: &str) -> Result<Vec<String>, FilesError> {
        let prefix = if directory == "." { String::new() } else { format!("{directory}/") };
        let paths = self.files.range(prefix.clone()..).map_while(|(path, _)| path.strip_prefix(&prefix));
        let below: Vec<&str> = paths.collect();
        if below.is_empty() && directory != "." {
            return Err(FilesError::NoDirectory);
        }
        Ok(below.into_iter().filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    fn read(&self, path: &str) -> Result<Option<String>, FilesError> {
        Ok(self.files.get(path).cloned())
    }
}
