//! The tree of modules.

mod call_arguments;
mod computed_sources;
mod constants;
pub(crate) mod file_reads;
mod load;
mod lock;
mod manifest;
mod names;
mod provider_checks;
mod provider_configs;
mod source;

use std::collections::BTreeMap;
use std::sync::Arc;

use objchange::address::ModuleAddress;
use objchange_document::{BlockPlace, DirectoryProblem, Missing, MissingKind, Version};
use objchange_hcl::{ModuleConfig, Sources};
use smol_str::SmolStr;

use crate::document::resource_address;
pub use crate::files::{Files, FilesError, MemoryFiles, OpenTofuFiles};
pub use file_reads::{FileRead, template_reads};
pub(crate) use load::InstalledPlace;
pub use load::LoadOptions;
pub use lock::{LOCK_FILE, LockedProvider, locked_providers};
pub(crate) use names::clean;
pub use names::is_configuration;
pub(crate) use provider_configs::ProviderKey;
pub use provider_configs::provider_config_missing;
pub use source::{SourceDirectory, local_source};

/// The index of a module in a [`Config`]; 0 is the root.
pub type ModuleId = usize;

/// A module with all modules that it calls.
#[derive(Debug, Default)]
pub struct Config {
    /// The files of all modules.
    pub sources: Sources,
    /// The modules, each before those that it calls.
    pub modules: Vec<LoadedModule>,
    /// The paths of files that only OpenTofu reads, if the modules are not read as OpenTofu reads them. Those of
    /// installed modules are not here: they are written for both programs.
    pub opentofu_files: Vec<String>,
    /// The modules are read as OpenTofu reads them: providers are of its registry.
    pub is_opentofu: bool,
    /// Outputs of the root module may be ephemeral, as in a test since Terraform 1.14.
    pub allows_ephemeral_outputs: bool,
    /// The calls of modules that are not there, by the calling module and the name of the call. Where they may not be missing,
    /// each is an error, too.
    pub missing_modules: BTreeMap<(ModuleId, SmolStr), MissingModule>,
}

/// A module that is called and not there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingModule {
    /// Its source; empty if that is not known.
    pub source: String,
    /// Its versions that may be used.
    pub version: Option<String>,
    /// Why its directory cannot be read, if it is known which one that is.
    pub problem: Option<DirectoryProblem>,
}

impl Config {
    /// The call of a module that is not there which an address leads into: the calling module, and the name of the call.
    pub(crate) fn missing_module_of(&self, address: &ModuleAddress) -> Option<(ModuleId, SmolStr)> {
        let mut module = 0;
        for step in &address.0 {
            let key = (module, SmolStr::from(step.name.as_str()));
            if self.missing_modules.contains_key(&key) {
                return Some(key);
            }
            module = *self.modules.get(module)?.children.get(&key.1)?;
        }
        None
    }

    /// The calls of modules that are not there, as inputs that are missing.
    ///
    /// ```
    /// use objchange_module::config::{Config, LoadOptions, MemoryFiles};
    ///
    /// let text = "module \"net\" {\n  source  = \"acme/net/aws\"\n  version = \"~> 1.2\"\n}\n";
    /// let files: MemoryFiles = [("main.tf", text)].into_iter().collect();
    /// let (config, _) = Config::load(&files, ".", &LoadOptions::new("1.16.0"));
    /// let missing: Vec<String> = config.missing_inputs().map(|missing| missing.to_string()).collect();
    /// assert_eq!(missing, ["module.net is not installed (acme/net/aws ~> 1.2)"]);
    /// ```
    pub fn missing_inputs(&self) -> impl Iterator<Item = Missing> + '_ {
        self.missing_modules.iter().map(|((parent, call), module)| {
            let path = self.modules.get(*parent).map(|parent| parent.path.as_slice()).unwrap_or_default();
            let calls: Vec<String> = path.iter().chain([call]).map(|call| format!("module.{call}")).collect();
            module.as_input(calls.join("."))
        })
    }

    /// The version of Terraform whose form errors about cycles have. OpenTofu has that of Terraform 1.5, which it left, with all
    /// names on one line.
    pub(crate) fn cycle_version(&self, version: Version) -> Version {
        let left = Version::parse("1.5").filter(|_| self.is_opentofu);
        left.unwrap_or(version)
    }

    /// The blocks of all resources, by their addresses, with the paths of files as they were read.
    ///
    /// ```
    /// use objchange_module::config::{Config, LoadOptions, MemoryFiles};
    ///
    /// let text = "\ndata \"http\" \"a\" {\n}\n";
    /// let files: MemoryFiles = [("main.tf", text)].into_iter().collect();
    /// let (config, _) = Config::load(&files, ".", &LoadOptions::new("1.16.0"));
    /// let blocks = config.blocks();
    /// assert_eq!(blocks["data.http.a"].line, 2);
    /// ```
    pub fn blocks(&self) -> BTreeMap<String, BlockPlace> {
        let places = self.sources.places();
        let mut blocks = BTreeMap::new();
        for module in &self.modules {
            let prefix: String = module.path.iter().map(|call| format!("module.{call}.")).collect();
            for (name, resource) in &module.config.resources {
                if let Some(place) = places.find(resource.header) {
                    let block = BlockPlace { file: place.name.to_owned(), line: place.start().line };
                    blocks.insert(format!("{prefix}{}", resource_address(name)), block);
                }
            }
        }
        blocks
    }

    /// The module that an instance is of; `None` if the configuration does not call it.
    pub fn module_of(&self, address: &ModuleAddress) -> Option<ModuleId> {
        self.module_at(address.0.iter().map(|step| step.name.as_str()))
    }

    /// The module that these calls lead to, from the root module on.
    pub fn module_at<'n>(&self, calls: impl IntoIterator<Item = &'n str>) -> Option<ModuleId> {
        let root = (!self.modules.is_empty()).then_some(0)?;
        calls.into_iter().try_fold(root, |module, name| self.modules.get(module)?.children.get(name).copied())
    }
}

impl MissingModule {
    /// As an input that is missing, by the address of its call.
    pub(crate) fn as_input(&self, address: String) -> Missing {
        let mut missing = Missing::new(MissingKind::Module, address);
        missing.source = Some(self.source.clone()).filter(|source| !source.is_empty());
        missing.version.clone_from(&self.version);
        missing.problem = self.problem;
        missing
    }
}

/// A module, called from one place.
#[derive(Debug, Default)]
pub struct LoadedModule {
    /// The names of the calls from the root module to this one.
    pub path: Vec<SmolStr>,
    /// The module that calls it; `None` of the root.
    pub parent: Option<ModuleId>,
    /// Its directory, as `path.module` has it: relative to the working directory, `.` for that itself.
    pub directory: String,
    /// The source of its call, evaluated; empty of the root.
    pub source: String,
    /// The declarations in its files, shared by all calls of one directory.
    pub config: Arc<ModuleConfig>,
    /// The modules that it calls, by the name of the call.
    pub children: BTreeMap<SmolStr, ModuleId>,
}
