//! The argument of `-target`.

use objchange::address::{InstanceAddress, ModuleAddress, ModuleStep};

/// The argument of `-target`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// All of a module, or of all instances of one whose last key is left out.
    Module(ModuleAddress),
    /// A resource, or an instance of it.
    Resource(InstanceAddress),
}

impl Target {
    /// Whether it names this instance of a resource. A key that is left out at its end means all; the modules around are
    /// named as they are: `module.m.test_disk.data` is nothing in a module with `count`.
    pub fn contains(&self, address: &InstanceAddress) -> bool {
        let module = &address.resource.module;
        match self {
            Self::Module(wanted) => match wanted.0.split_last() {
                Some((ModuleStep { name, key: None }, around)) => {
                    module.0.starts_with(around)
                        && module.0.get(around.len()).is_some_and(|step| step.name == *name)
                }
                _ => module.0.starts_with(&wanted.0),
            },
            Self::Resource(wanted) => {
                wanted.resource == address.resource && (wanted.key.is_none() || wanted.key == address.key)
            }
        }
    }
}
