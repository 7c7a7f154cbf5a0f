//! The tree of modules.

mod files;
mod load;
mod manifest;
mod source;
mod version;

use std::collections::BTreeMap;
use std::sync::Arc;

use objchange_hcl::{ModuleConfig, Sources};
use smol_str::SmolStr;

pub use files::{Files, MemoryFiles};
pub use load::LoadOptions;

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

/// A module, called from one place.
#[derive(Debug, Default)]
pub struct LoadedModule {
    /// The names of the calls from the root module to this one.
    pub path: Vec<SmolStr>,
    /// The module that calls it; `None` of the root.
    pub parent: Option<ModuleId>,
    /// Its directory, as `path.module` has it: relative to the working directory, `.` for that itself.
    pub directory: String,
    /// What its files declare, shared by all calls of one directory.
    pub config: Arc<ModuleConfig>,
    /// The modules that it calls, by the name of the call.
    pub children: BTreeMap<SmolStr, ModuleId>,
}

impl Config {
    /// The provider configuration that a resource uses.
    pub fn provider_config_of(
        &self,
        module: ModuleId,
        name: &objchange_hcl::ResourceName,
    ) -> crate::ProviderConfigAddress {
        let local = name.resource_type.split('_').next().unwrap_or_default();
        let required = self.modules[module].config.required_providers.get(local);
        let mut provider = crate::ProviderAddress::implied(local);
        if let Some((namespace, name)) = required.and_then(|r| r.source.as_ref()?.0.split_once('/')) {
            provider.namespace = namespace.into();
            provider.name = name.into();
        }
        crate::ProviderConfigAddress { module: Vec::new(), provider, alias: None }
    }

    /// The block of a provider configuration, and the module that it is in.
    pub fn provider_block(
        &self,
        _address: &crate::ProviderConfigAddress,
    ) -> Option<(ModuleId, &objchange_hcl::ProviderConfig)> {
        None
    }
}
