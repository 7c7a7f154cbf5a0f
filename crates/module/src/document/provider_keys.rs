//! The keys by which documents name provider configurations: `aws`, `aws.east`, `module.net:aws`.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::ProviderAddress;
use crate::config::{Config, LoadedModule, ModuleId};

/// A provider configuration in a module, by its local name and its alias.
type LocalKey = (SmolStr, Option<SmolStr>);

/// Where the provider configurations of all modules come from.
pub(super) struct ProviderKeys<'c> {
    config: &'c Config,
    /// The providers that each module needs, by their local names.
    needed: Vec<BTreeMap<SmolStr, ProviderAddress>>,
}

impl<'c> ProviderKeys<'c> {
    pub(super) fn new(config: &'c Config) -> Self {
        let needed = (0..config.modules.len()).map(|id| needed(config, id)).collect();
        Self { config, needed }
    }

    /// The providers that a module needs, by their local names.
    pub(super) fn needed(&self, module: ModuleId) -> &BTreeMap<SmolStr, ProviderAddress> {
        &self.needed[module]
    }

    /// Resolves a provider name in a module to the module and local name of its configuration: along the providers that
    /// calls pass. A default configuration is the caller's, if the caller itself requires the provider under this name;
    /// documents do not look further up.
    pub(super) fn source(&self, module: ModuleId, local: &LocalKey) -> (ModuleId, LocalKey) {
        let (mut module, mut local) = (module, local.clone());
        while let Some(next) = self.inherited(module, &local) {
            (module, local) = next;
        }
        (module, local)
    }

    fn inherited(&self, module: ModuleId, local: &LocalKey) -> Option<(ModuleId, LocalKey)> {
        let loaded = &self.config.modules[module];
        let (name, alias) = local;
        if loaded.config.providers.iter().any(|block| block.name == *name && block.alias == *alias) {
            return None;
        }
        let parent = loaded.parent?;
        let call = loaded.path.last().and_then(|name| self.config.modules[parent].config.calls.get(name))?;
        let passed = call.providers.iter().find(|(inside, _)| inside.name == *name && inside.alias == *alias);
        if let Some((_, outside)) = passed {
            return Some((parent, (outside.name.clone(), outside.alias.clone())));
        }
        let is_same = self.needed[parent].get(name)? == self.needed[module].get(name)?;
        (alias.is_none() && is_same).then(|| (parent, (name.clone(), None)))
    }

    /// The key of a configuration that is not inherited.
    pub(super) fn key(&self, module: ModuleId, (name, alias): &LocalKey) -> String {
        let mut key = module_path(&self.config.modules[module]);
        if !key.is_empty() {
            key.push(':');
        }
        key.push_str(name);
        if let Some(alias) = alias {
            key.push('.');
            key.push_str(alias);
        }
        key
    }
}

/// The calls that lead to a module: `module.a.module.b`.
pub(super) fn module_path(module: &LoadedModule) -> String {
    let names: Vec<String> = module.path.iter().map(|name| format!("module.{name}")).collect();
    names.join(".")
}

/// The providers that a module needs by its blocks, resources, actions and requirements. One that has another name there than its
/// own is also listed by that.
fn needed(config: &Config, id: ModuleId) -> BTreeMap<SmolStr, ProviderAddress> {
    let declared = &config.modules[id].config;
    let required = declared.required_providers.keys().cloned();
    let blocks = declared.providers.iter().map(|block| block.name.clone());
    let resources = declared.resources.keys().map(|name| config.local_ref(id, name).0);
    let actions = declared.actions.keys().map(|name| config.local_ref_of_action(id, name).0);
    let names = required.chain(blocks).chain(resources).chain(actions);
    let mut needed: BTreeMap<SmolStr, ProviderAddress> =
        names.map(|name| (name.clone(), config.provider_named(id, &name))).collect();
    for provider in needed.values().cloned().collect::<Vec<_>>() {
        needed.entry(provider.name.as_str().into()).or_insert(provider);
    }
    needed
}
