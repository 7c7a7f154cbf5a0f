//! The `import` blocks of all modules, and the resources that get the objects.

use objchange::address::{InstanceAddress, ModuleAddress, ModuleStep};
use objchange_hcl::{ImportConfig, ResourceName};
use smol_str::SmolStr;

use super::super::orphans::resource_name;
use super::build::subjects;
use crate::config::{Config, ModuleId};
use crate::subject::Subject;

/// An `import` block, with the module that it is in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImportBlock<'c> {
    pub(crate) module: ModuleId,
    /// The calls to the module.
    path: &'c [SmolStr],
    pub(crate) config: &'c ImportConfig,
}

impl ImportBlock<'_> {
    /// Completes an address that is written in the module, without the keys of instances of the module.
    pub(crate) fn absolute(&self, address: &InstanceAddress) -> InstanceAddress {
        let around = self.path.iter().map(|name| ModuleStep { name: name.to_string(), key: None });
        within(address.clone(), &ModuleAddress(around.collect()))
    }

    /// The resource that gets the object.
    pub(crate) fn target(&self) -> (Vec<SmolStr>, ResourceName) {
        resource_of(&self.absolute(&self.config.to.address))
    }

    /// The references of the block.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let ImportConfig { id, identity, for_each, .. } = self.config;
        subjects([id, identity, for_each].into_iter().flatten())
    }
}

/// The `import` blocks of all modules, those of the root module first.
pub(crate) fn imports(config: &Config) -> impl Iterator<Item = ImportBlock<'_>> {
    config.modules.iter().enumerate().flat_map(|(module, loaded)| {
        loaded.config.imports.iter().map(move |config| ImportBlock { module, path: &loaded.path, config })
    })
}

/// Completes an address that is written in an instance of a module.
pub(crate) fn within(mut address: InstanceAddress, module: &ModuleAddress) -> InstanceAddress {
    address.resource.module.0.splice(0..0, module.0.iter().cloned());
    address
}

/// The resource that an address is of: the calls to its module, and its name there.
pub(crate) fn resource_of(address: &InstanceAddress) -> (Vec<SmolStr>, ResourceName) {
    let path = address.resource.module.0.iter().map(|step| SmolStr::from(step.name.as_str())).collect();
    (path, resource_name(&address.resource))
}
