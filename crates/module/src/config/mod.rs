//! The tree of modules.

mod call_arguments;
mod constants;
mod files;
mod load;
mod lock;
mod manifest;
mod provider_checks;
mod provider_configs;
mod source;

use std::collections::BTreeMap;
use std::sync::Arc;

use objchange::address::{ModuleAddress, ModuleStep};
use objchange_hcl::{ModuleConfig, Sources};
use smol_str::SmolStr;

pub use files::{Files, MemoryFiles, OpenTofuFiles};
pub use load::LoadOptions;
pub(crate) use load::{InstalledPlace, clean};
pub use lock::{LOCK_FILE, LockedProvider, locked_providers};
pub use provider_configs::provider_config_missing;

/// Which module of a [`Config`]; 0 is the root.
pub type ModuleId = usize;

/// A module with all modules that it calls.
#[derive(Debug, Default)]
pub struct Config {
    /// The files of all modules.
    pub sources: Sources,
    /// The modules, each before those that it calls.
    pub modules: Vec<LoadedModule>,
}

impl Config {
    /// The module that an instance is of; `None` where the configuration does not call it.
    pub fn module_of(&self, address: &ModuleAddress) -> Option<ModuleId> {
        let child = |module: ModuleId, step: &ModuleStep| {
            self.modules.get(module)?.children.get(step.name.as_str()).copied()
        };
        address.0.iter().try_fold(0, child)
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
    /// What its files declare, shared by all calls of one directory.
    pub config: Arc<ModuleConfig>,
    /// The modules that it calls, by the name of the call.
    pub children: BTreeMap<SmolStr, ModuleId>,
}
