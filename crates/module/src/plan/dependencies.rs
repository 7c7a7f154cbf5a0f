//! Which resources each resource depends on, directly or through anything else: what the state keeps with an object.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashSet;
use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ModuleStep, ResourceAddress};

use super::PlannedAction;
use super::graph::{Graph, NodeKind};
use super::input::PlanMode;
use super::walk::Walk;
use crate::config::Config;

impl Walk<'_, '_> {
    /// Gives the objects of the state the dependencies that the configuration has now. What is still to be changed has its
    /// old ones, too.
    pub(crate) fn update_dependencies(&mut self, order: &[usize]) {
        // What is not read stays as it is.
        if self.state.resources.is_empty() || !self.input.options.refresh {
            return;
        }
        let is_destroyed = self.input.options.mode == PlanMode::Destroy;
        let is_only_refreshed = self.input.options.mode != PlanMode::Normal;
        let known_resources: HashSet<ResourceAddress> = match is_destroyed {
            true => self.state.resources.keys().map(without_keys).collect(),
            false => HashSet::new(),
        };
        let declared = &self.declared;
        let is_declared = |resource: &ResourceAddress, key: &Option<InstanceKey>| {
            declared.contains(&InstanceAddress { resource: resource.clone(), key: key.clone() })
        };
        let above = resources_above(self.graph, order);
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let NodeKind::Resource(resource) = &node.kind else { continue };
            let is_refreshed = is_only_refreshed && resource.name.mode == Mode::Managed;
            let mut all: Option<Vec<ResourceAddress>> = None;
            for at in &self.world.by_module[node.module] {
                let address =
                    super::resource::resource_address(&self.world.instances[*at].address, resource.name);
                let Some(known) = self.state.resources.get_mut(&address) else { continue };
                let changes = self.changes.get(&address);
                for (key, instance) in &mut known.instances {
                    // What is only refreshed gets the dependencies of the configuration, too.
                    let action = match changes.and_then(|changes| changes.get(key)) {
                        _ if is_refreshed && is_declared(&address, key) => PlannedAction::NoOp,
                        Some(position) => self.plan.changes[*position].action,
                        None => continue,
                    };
                    let Some(object) = &mut instance.current else { continue };
                    if is_refreshed {
                        object.create_before_destroy = self.creates_first[index];
                    }
                    let names = all.get_or_insert_with(|| {
                        let names = above[index].iter();
                        names
                            .filter_map(|node| config_address(self.input.config, self.graph, *node))
                            .collect()
                    });
                    let mut dependencies: BTreeSet<ResourceAddress> = names.iter().cloned().collect();
                    match action {
                        _ if is_refreshed => {
                            // What has moved away is not destroyed under its old name.
                            let old = object.dependencies.iter();
                            let old = old.filter(|old| !is_destroyed || known_resources.contains(*old));
                            dependencies.extend(old.cloned());
                        }
                        PlannedAction::NoOp => {}
                        PlannedAction::Delete | PlannedAction::Forget => continue,
                        _ => dependencies.extend(object.dependencies.iter().cloned()),
                    }
                    object.dependencies = dependencies.into_iter().collect();
                }
            }
        }
    }
}

/// A resource of the configuration: the address without the keys of its modules.
fn without_keys(address: &ResourceAddress) -> ResourceAddress {
    let steps = address.module.0.iter().map(|step| ModuleStep { key: None, ..step.clone() });
    ResourceAddress { module: ModuleAddress(steps.collect()), ..address.clone() }
}

/// For each node the resources that it needs, directly or through others. Most nodes share what they need.
fn resources_above(graph: &Graph<'_>, order: &[usize]) -> Vec<Arc<[usize]>> {
    let nothing: Arc<[usize]> = Arc::new([]);
    let mut above = vec![nothing; graph.nodes.len()];
    for index in order {
        let needs = &graph.nodes[*index].needs;
        let mut found: Vec<usize> = Vec::new();
        for need in needs {
            found.extend(above[*need].iter());
            if matches!(graph.nodes[*need].kind, NodeKind::Resource(_)) {
                found.push(*need);
            }
        }
        if found.is_empty() {
            continue;
        }
        found.sort_unstable();
        found.dedup();
        let same = needs.iter().map(|need| &above[*need]).find(|other| ***other == *found);
        above[*index] = same.cloned().unwrap_or_else(|| found.into());
    }
    above
}

/// The address of a resource of the configuration, without keys.
fn config_address(config: &Config, graph: &Graph<'_>, node: usize) -> Option<ResourceAddress> {
    let NodeKind::Resource(resource) = &graph.nodes[node].kind else { return None };
    let path = &config.modules[graph.nodes[node].module].path;
    let steps = path.iter().map(|name| ModuleStep { name: name.to_string(), key: None });
    Some(super::resource::resource_address(&ModuleAddress(steps.collect()), resource.name))
}
