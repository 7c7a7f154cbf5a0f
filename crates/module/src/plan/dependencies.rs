//! The dependencies that the state stores with an object: all resources that its resource depends on, directly or not.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashSet;
use objchange::address::{InstanceAddress, Mode, ModuleAddress, ModuleStep, ResourceAddress};

use super::PlannedAction;
use super::graph::{Graph, NodeKind};
use super::walk::Walk;
use crate::config::Config;
use objchange_document::PlanMode;

impl Walk<'_, '_> {
    /// Updates the dependencies of stored objects to those of the configuration. Objects with pending changes keep
    /// their old ones, too; without refreshing they keep only these.
    pub(crate) fn update_dependencies(&mut self, order: &[usize]) {
        let mode = self.input.options.mode;
        let refresh = self.input.options.refresh;
        if self.state.resources.is_empty() || !refresh && mode == PlanMode::Destroy {
            return;
        }
        let (declared, before_destroy) = (&self.declared, &self.before_destroy);
        let imported = &self.imported;
        let is_changed = |address: &InstanceAddress| {
            let known = before_destroy.get(&address.resource).and_then(|known| known.get(&address.key));
            known.is_some_and(|change| change.action != PlannedAction::NoOp)
        };
        let above = resources_above(self.graph, order);
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let NodeKind::Resource(resource) = &node.kind else { continue };
            // Data sources inside a `check` have none.
            let is_managed = resource.name.mode == Mode::Managed;
            if resource.config.check.is_some() || !refresh && !is_managed {
                continue;
            }
            let is_refreshed = mode != PlanMode::Normal && is_managed;
            let mut all: Option<Vec<ResourceAddress>> = None;
            for at in &self.world.by_module[node.module] {
                let address =
                    super::resource::resource_address(&self.world.instances[*at].address, resource.name);
                let Some(known) = self.state.resources.get_mut(&address) else { continue };
                let changes = self.changes.get(&address);
                for (key, instance) in &mut known.instances {
                    let Some(object) = &mut instance.current else { continue };
                    let keeps_old = if is_refreshed {
                        let address = InstanceAddress { resource: address.clone(), key: key.clone() };
                        if !declared.contains(&address) || !self.targets.plans_instance(&address, mode) {
                            continue;
                        }
                        object.create_before_destroy = self.creates_first[index];
                        mode == PlanMode::RefreshOnly || is_changed(&address)
                    } else {
                        let change = changes.and_then(|changes| changes.get(key));
                        let change = change.map(|position| &self.plan.changes[*position]);
                        let is_planned = || {
                            let address = InstanceAddress { resource: address.clone(), key: key.clone() };
                            declared.contains(&address)
                                && self.targets.includes_instance(&address)
                                && !imported.contains(&address)
                        };
                        match change.map(|change| change.action) {
                            Some(PlannedAction::Delete | PlannedAction::Forget) => continue,
                            Some(PlannedAction::NoOp) => false,
                            _ if !refresh => continue,
                            // It was refreshed, and planning it failed afterwards.
                            None if is_managed && is_planned() => true,
                            None => continue,
                            // An imported object gets its first ones with the state.
                            Some(_) if change.is_some_and(|change| change.importing.is_some()) => continue,
                            Some(_) => true,
                        }
                    };
                    let names = all.get_or_insert_with(|| {
                        let names = above[index].iter();
                        names
                            .filter_map(|node| config_address(self.input.config, self.graph, *node))
                            .collect()
                    });
                    let mut dependencies: BTreeSet<ResourceAddress> = names.iter().cloned().collect();
                    if keeps_old {
                        dependencies.extend(object.dependencies.iter().cloned());
                    }
                    object.dependencies = dependencies.into_iter().collect();
                }
            }
        }
    }
}

impl Walk<'_, '_> {
    /// Gives the objects that were made or changed the dependencies that the configuration has.
    pub(crate) fn set_dependencies(&mut self, order: &[usize], changed: &HashSet<InstanceAddress>) {
        if changed.is_empty() {
            return;
        }
        let above = resources_above(self.graph, order);
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let NodeKind::Resource(resource) = &node.kind else { continue };
            for at in &self.world.by_module[node.module] {
                let address =
                    super::resource::resource_address(&self.world.instances[*at].address, resource.name);
                let Some(known) = self.state.resources.get_mut(&address) else { continue };
                for (key, instance) in &mut known.instances {
                    let address = InstanceAddress { resource: address.clone(), key: key.clone() };
                    let Some(object) = instance.current.as_mut().filter(|_| changed.contains(&address))
                    else {
                        continue;
                    };
                    let names = above[index].iter();
                    let names = names.filter_map(|node| config_address(self.input.config, self.graph, *node));
                    object.dependencies = names.collect::<BTreeSet<_>>().into_iter().collect();
                    object.create_before_destroy = self.creates_first[index];
                }
            }
        }
    }
}

/// A resource of the configuration: the address without the keys of its modules.
pub(crate) fn without_keys(address: &ResourceAddress) -> ResourceAddress {
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
        // Nodes in a chain of locals, variables and outputs need what the one before them needs. They share one list, so
        // that long chains do not take quadratic memory.
        let same = needs.iter().map(|need| &above[*need]).find(|other| ***other == *found);
        above[*index] = same.cloned().unwrap_or_else(|| found.into());
    }
    above
}

/// The address of a resource of the configuration, without keys.
pub(crate) fn config_address(config: &Config, graph: &Graph<'_>, node: usize) -> Option<ResourceAddress> {
    let NodeKind::Resource(resource) = &graph.nodes[node].kind else { return None };
    let path = &config.modules[graph.nodes[node].module].path;
    let steps = path.iter().map(|name| ModuleStep { name: name.to_string(), key: None });
    Some(super::resource::resource_address(&ModuleAddress(steps.collect()), resource.name))
}
