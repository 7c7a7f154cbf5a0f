//! The order of instances in documents.

use std::cmp::Ordering;

use objchange::address::{InstanceAddress, Mode, ModuleAddress};

/// Compares addresses in the order of `resource_changes`: modules nearer to the root first, data sources before resources.
pub fn compare_instances(a: &InstanceAddress, b: &InstanceAddress) -> Ordering {
    let depth = |module: &ModuleAddress| module.0.len();
    let (module_a, module_b) = (&a.resource.module, &b.resource.module);
    depth(module_a)
        .cmp(&depth(module_b))
        .then_with(|| module_a.cmp(module_b))
        .then_with(|| compare_in_module(a, b))
}

/// The order of instances of one module: data sources first, then by type, name and key.
pub(crate) fn compare_in_module(a: &InstanceAddress, b: &InstanceAddress) -> Ordering {
    let is_data = |address: &InstanceAddress| address.resource.mode == Mode::Data;
    is_data(b)
        .cmp(&is_data(a))
        .then_with(|| a.resource.resource_type.cmp(&b.resource.resource_type))
        .then_with(|| a.resource.name.cmp(&b.resource.name))
        // The single instance without a key first, then numbers by value (2 before 10), then strings.
        .then_with(|| a.key.cmp(&b.key))
}
