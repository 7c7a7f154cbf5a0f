//! The files of a configuration: one, or those of a directory as Terraform finds them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use objchange_hcl::{HiddenSource, ModuleConfig, Sources};

use super::ConfigurationError;
use objchange_files::input::Source;

/// How the names of files of configuration end.
const ENDS: [&str; 4] = [".tf.json", ".tofu.json", ".tf", ".tofu"];

/// The texts of a configuration.
#[derive(Debug, Default)]
pub struct Configuration {
    /// Its files.
    pub sources: Sources,
    /// Files beside them with values for variables, in the order in which they count.
    pub values: Vec<PathBuf>,
}

/// How the text up to some byte ends like the name of a file of configuration: behind it comes nothing, or a colon.
pub(crate) fn ends_like_configuration(text: &str) -> Option<usize> {
    let ends = text.match_indices(':').map(|(colon, _)| colon).chain([text.len()]);
    ends.into_iter().find(|end| ENDS.iter().any(|name| text[..*end].ends_with(name)))
}

impl Configuration {
    /// Reads a file, or all that are of a module in a directory.
    ///
    /// # Errors
    ///
    /// The files cannot be read, or the directory has none.
    pub fn read(path: &Path) -> Result<Self, ConfigurationError> {
        if path.is_dir() {
            return Self::directory(path);
        }
        let source = Source::new(path);
        let mut configuration = Self::default();
        configuration.add(&source)?;
        Ok(configuration)
    }

    /// The declarations in the files.
    ///
    /// # Errors
    ///
    /// They are not configuration.
    pub fn module(&self) -> Result<ModuleConfig, ConfigurationError> {
        let (module, problems) = ModuleConfig::read(&self.sources);
        if problems.errors.is_empty() {
            return Ok(module);
        }
        let hidden = HiddenSource::new(&self.sources, |_, _| None, []);
        Err(ConfigurationError::Problems { found: problems.errors, hidden })
    }

    fn add(&mut self, source: &Source) -> Result<(), ConfigurationError> {
        let added = self.sources.add(source.to_string(), source.read()?);
        added.map_err(|error| ConfigurationError::Variables {
            input: source.clone(),
            message: error.detail.into_owned(),
        })
    }

    fn directory(path: &Path) -> Result<Self, ConfigurationError> {
        let unreadable = |error| ConfigurationError::Directory { path: path.to_owned(), error };
        let mut names = BTreeSet::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // Configuration files have names in UTF-8.
            let Ok(name) = entry.file_name().into_string() else { continue };
            if !is_left_alone(&name) && !entry.path().is_dir() {
                names.insert(name);
            }
        }
        let mut configuration = Self::default();
        for name in names.iter().filter(|name| ENDS.iter().any(|end| name.ends_with(end))) {
            if !is_hidden_by_another(name, &names) {
                configuration.add(&Source::File(path.join(name)))?;
            }
        }
        if configuration.sources.is_empty() {
            return Err(ConfigurationError::NoFiles(path.to_owned()));
        }
        let fixed = ["terraform.tfvars", "terraform.tfvars.json"].map(str::to_owned);
        let fixed = fixed.into_iter().filter(|name| names.contains(name));
        let is_automatic =
            |name: &&String| name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json");
        let automatic = names.iter().filter(is_automatic).cloned();
        configuration.values = fixed.chain(automatic).map(|name| path.join(name)).collect();
        Ok(configuration)
    }
}

/// Whether a file is hidden, or left behind by an editor.
fn is_left_alone(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'))
}

/// As in OpenTofu, `a.tofu` replaces `a.tf` where there are both.
fn is_hidden_by_another(name: &str, names: &BTreeSet<String>) -> bool {
    [(".tf", ".tofu"), (".tf.json", ".tofu.json")].into_iter().any(|(end, other)| {
        name.strip_suffix(end).is_some_and(|stem| names.contains(&format!("{stem}{other}")))
    })
}
