//! The configuration in a plan file.

use std::collections::{BTreeMap, HashMap, HashSet};

use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::error::SavedPlanError;

/// Where the sources are: `tfconfig/m-KEY/NAME`.
const SOURCES: &str = "tfconfig/m-";

const MODULES: &str = "tfconfig/modules.json";

/// The most bytes of a source file, and of the list of modules.
const MAX_SOURCE: u64 = 64 << 20;

/// The sources of all modules, as they were when the plan was made.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// The modules by the names of the calls that lead to them, joined by dots.
    modules: Vec<ModuleEntry>,
    /// The files of each module.
    files: BTreeMap<String, Vec<(String, String)>>,
}

/// A module, as `modules.json` has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ModuleEntry {
    key: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    dir: String,
}

impl ModuleEntry {
    /// The path of a file of the module.
    fn place(&self, name: &str) -> String {
        match self.dir.as_str() {
            "." | "" => name.to_owned(),
            directory => format!("{directory}/{name}"),
        }
    }
}

impl Snapshot {
    /// The files by their paths, whether they make a configuration or not.
    pub(crate) fn sources(&self) -> Vec<(String, &str)> {
        // A hostile list may repeat a module millions of times.
        let modules: HashMap<&str, &ModuleEntry> =
            self.modules.iter().map(|module| (module.key.as_str(), module)).collect();
        let place = |key: &str, name: &str| match modules.get(key) {
            Some(module) => module.place(name),
            None => format!("{SOURCES}{key}/{name}"),
        };
        let mut sources = Vec::new();
        for (key, files) in &self.files {
            sources.extend(files.iter().map(|(name, text)| (place(key, name), text.as_str())));
        }
        sources
    }

    pub(crate) fn read(archive: &mut Archive<'_>) -> Result<Self, SavedPlanError> {
        let names: Vec<String> =
            archive.names().filter(|name| name.starts_with(SOURCES)).map(str::to_owned).collect();
        let mut files: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for entry in names {
            // A key has no slash, and a file has none either.
            let Some((key, name)) = entry[SOURCES.len()..].rsplit_once('/') else { continue };
            let Some(text) = archive.text(&entry, MAX_SOURCE)? else { continue };
            files.entry(key.to_owned()).or_default().push((name.to_owned(), text));
        }
        let modules = match archive.text(MODULES, MAX_SOURCE)? {
            // A list that cannot be read has no root module, which `config` reports.
            Some(text) => serde_json::from_str(&text).unwrap_or_default(),
            None => Vec::new(),
        };
        Ok(Self { modules, files })
    }

    /// The files in their directories, the list of modules as `terraform init` writes it, and the directory of the root module.
    ///
    /// # Errors
    ///
    /// Why two readers may take them for different modules, in words.
    pub(crate) fn files(&self) -> Result<(MemoryFiles, String, &str), String> {
        let mut keys = HashSet::new();
        let mut directories: HashMap<&str, &[(String, String)]> = HashMap::new();
        let mut files = Vec::new();
        for module in &self.modules {
            if !keys.insert(module.key.as_str()) {
                return Err(format!("the module {:?} is listed twice", module.key));
            }
            let sources = self.files.get(&module.key).map(Vec::as_slice).unwrap_or_default();
            match directories.insert(&module.dir, sources) {
                // One directory, called twice.
                Some(earlier) if earlier == sources => continue,
                Some(_) => return Err(format!("the directory {:?} has two contents", module.dir)),
                None => {}
            }
            files.extend(sources.iter().map(|(name, text)| (module.place(name), text.clone())));
        }
        if !keys.contains("") {
            return Err("the root module is not listed".to_owned());
        }
        if let Some(unlisted) = self.files.keys().find(|key| !keys.contains(key.as_str())) {
            return Err(format!("the module {unlisted:?} is not listed"));
        }
        // The list takes the place of the manifest that `terraform init` writes: it says where each source is installed.
        let manifest = serde_json::json!({ "Modules": self.modules }).to_string();
        let root = self.modules.iter().find(|module| module.key.is_empty());
        Ok((files.into_iter().collect(), manifest, root.map_or(".", |root| root.dir.as_str())))
    }

    /// The configuration, without evaluating anything of it.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, in words.
    pub(crate) fn config(&self, terraform_version: &str) -> Result<Config, String> {
        let (files, manifest, root) = self.files()?;
        let options = LoadOptions { manifest: Some(&manifest), ..LoadOptions::new(terraform_version) };
        let (config, diagnostics) = Config::load(&files, root, &options);
        match diagnostics.iter().find(|found| found.diagnostic.severity == objchange_module::Severity::Error)
        {
            Some(error) => Err(error.diagnostic.summary.to_string()),
            None => Ok(config),
        }
    }
}
