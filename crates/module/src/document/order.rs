//! The order of instances in documents.

use std::cmp::Ordering;

use objchange::address::{InstanceAddress, Mode, ModuleAddress};

use crate::plan::PlannedObject;

/// The order of `resource_changes` and `resource_drift`: modules nearer to the root first, data sources before resources,
/// deposed objects after the current one.
pub fn compare_changes(a: &PlannedObject, b: &PlannedObject) -> Ordering {
    compare_instances(&a.address, &b.address).then_with(|| a.deposed.cmp(&b.deposed))
}

/// Compares addresses in the order of [`compare_changes`].
pub fn compare_instances(a: &InstanceAddress, b: &InstanceAddress) -> Ordering {
    let depth = |module: &ModuleAddress| module.0.len();
    let (module_a, module_b) = (&a.resource.module, &b.resource.module);
    depth(module_a)
        .cmp(&depth(module_b))
        .then_with(|| module_a.cmp(module_b))
        .then_with(|| compare_in_module(a, b))
}

/// The order of instances of one module: data sources first, then by type, name and key.
pub(super) fn compare_in_module(a: &InstanceAddress, b: &InstanceAddress) -> Ordering {
    let is_data = |address: &InstanceAddress| address.resource.mode == Mode::Data;
    is_data(b)
        .cmp(&is_data(a))
        .then_with(|| a.resource.resource_type.cmp(&b.resource.resource_type))
        .then_with(|| a.resource.name.cmp(&b.resource.name))
        .then_with(|| a.key.cmp(&b.key))
}
