//! Plans that nobody can carry out, because steps of them wait for each other: an object is destroyed after the objects that
//! depended on it, and one that is created first is destroyed after all that need its successor.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use objchange::address::{InstanceAddress, ModuleAddress, ResourceAddress};

use super::dependencies::without_keys;
use super::graph::{NodeKey, NodeKind};
use super::orphans::resource_name;
use super::walk::Walk;
use super::{PlannedAction, PlannedObject};
use crate::Diagnostics;
use crate::components::components;

/// Steps of the plan that others wait for all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Group {
    /// Objects of the resource are created, updated or read.
    Made,
    /// Objects of the resource are destroyed, and their successors are created after that.
    DestroyedFirst,
    /// Objects that depended on the resource are created or updated.
    DependentsMade,
    /// Objects that depended on the resource are destroyed.
    DependentsDestroyed,
    /// As before, but only those whose successors are created after that.
    DependentsDestroyedFirst,
}

/// The steps of a plan, each with those that it waits for. Some have no name, and only join others.
#[derive(Default)]
struct Steps {
    names: Vec<Option<String>>,
    needs: Vec<Vec<usize>>,
    /// By resource without keys, and by the instance of the module that the steps are in; `None`: in whichever.
    groups: HashMap<(Group, ResourceAddress, Option<ModuleAddress>), usize>,
}

impl Steps {
    fn add(&mut self, name: Option<String>) -> usize {
        self.names.push(name);
        self.needs.push(Vec::new());
        self.names.len() - 1
    }

    fn group(&mut self, group: Group, resource: ResourceAddress, module: Option<ModuleAddress>) -> usize {
        let key = (group, resource, module);
        if let Some(known) = self.groups.get(&key) {
            return *known;
        }
        // A step of the group takes one edge for each member and each follower. Edges from every follower to every member
        // would be quadratic in the instances.
        let step = self.add(None);
        self.groups.insert(key, step);
        step
    }

    /// Says that a step is one of those that are about a resource.
    fn join(&mut self, step: usize, group: Group, resource: &ResourceAddress) {
        let plain = without_keys(resource);
        let module = Some(resource.module.clone());
        for group in [self.group(group, plain.clone(), module), self.group(group, plain, None)] {
            self.needs[group].push(step);
        }
    }

    /// Those of another resource. Instances of a module do not wait for other ones of the same module.
    fn others(&mut self, from: &ResourceAddress, group: Group, resource: &ResourceAddress) -> usize {
        let is_same_module = without_keys(from).module == resource.module;
        self.group(group, resource.clone(), is_same_module.then(|| from.module.clone()))
    }
}

/// The destruction of an object, or of a deposed one.
struct Destruction<'p> {
    change: &'p PlannedObject,
    step: usize,
    /// It happens after the successor is there.
    is_last: bool,
    dependencies: &'p [ResourceAddress],
}

impl Walk<'_, '_> {
    /// The cycles in the steps of the plan.
    pub(crate) fn step_cycles(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        let is_destroyed = |change: &PlannedObject| {
            matches!(change.action, PlannedAction::Delete) || change.action.is_replace()
        };
        // Without one, the steps are in the order of the configuration.
        if !self.plan.changes.iter().any(is_destroyed) {
            return found;
        }
        let mut steps = Steps::default();
        // The nodes of the configuration come first, so that their positions are the same. A resource as a whole is expanded.
        for node in &self.graph.nodes {
            let name = node.cycle_name(self.input.config);
            let is_resource = matches!(node.kind, NodeKind::Resource(_));
            steps.add(Some(if is_resource { format!("{name} (expand)") } else { name }));
        }
        let mut made: Vec<(&PlannedObject, usize)> = Vec::new();
        let mut destroyed: Vec<Destruction<'_>> = Vec::new();
        for change in &self.plan.changes {
            let is_made = change.deposed.is_none()
                && (change.action.is_replace()
                    || matches!(
                        change.action,
                        PlannedAction::Create | PlannedAction::Update | PlannedAction::Read
                    ));
            if is_made {
                let step = steps.add(Some(change.address.to_string()));
                names(change).iter().for_each(|name| steps.join(step, Group::Made, name));
                made.push((change, step));
            }
            if is_destroyed(change) {
                let is_replaced_last = change.action == PlannedAction::CreateThenDelete;
                let current = self.current(&change.address);
                let is_last = match change.action {
                    _ if change.deposed.is_some() || is_replaced_last => true,
                    PlannedAction::Delete => current.is_some_and(|object| object.create_before_destroy),
                    _ => false,
                };
                let name = match &change.deposed {
                    Some(key) => format!("{} (destroy deposed {key})", change.address),
                    None if is_replaced_last => format!("{} (destroy deposed)", change.address),
                    None => format!("{} (destroy)", change.address),
                };
                let step = steps.add(Some(name));
                // Terraform takes the dependencies of the current object for those of a deposed one, too.
                let dependencies = current.map_or(&[][..], |object| &object.dependencies);
                destroyed.push(Destruction { change, step, is_last, dependencies });
            }
        }
        self.connect_configuration(&mut steps, &made);
        connect_destructions(&mut steps, &made, &destroyed);
        self.destroy_after_dependents(&mut steps, &made, &destroyed);
        self.wait_for_dependencies(&mut steps, &made, &destroyed);
        for component in components(steps.needs.len(), |step| &steps.needs[step]) {
            let names: BTreeSet<&str> =
                component.iter().filter_map(|step| steps.names[*step].as_deref()).collect();
            if component.len() > 1 && !names.is_empty() {
                found.cycle(self.input.config.cycle_version(self.input.options.version), names);
            }
        }
        found
    }

    /// Connects steps by the references of the configuration.
    fn connect_configuration(&self, steps: &mut Steps, made: &[(&PlannedObject, usize)]) {
        for (index, node) in self.graph.nodes.iter().enumerate() {
            for need in node.needs.iter().copied() {
                let resource = self.resource_of_node(need);
                let made = resource.map(|resource| steps.group(Group::Made, resource, None));
                steps.needs[index].extend(made.into_iter().chain([need]));
            }
        }
        for (change, step) in made {
            let resource = &change.address.resource;
            let Some(node) = self.node_of(resource) else { continue };
            steps.needs[*step].push(node);
            for need in &self.graph.nodes[node].needs {
                let other = self.resource_of_node(*need);
                let made = other.map(|other| steps.others(resource, Group::Made, &other));
                steps.needs[*step].extend(made.into_iter().chain([*need]));
            }
        }
    }

    /// The address, without keys, of the managed resource that a node is.
    fn resource_of_node(&self, index: usize) -> Option<ResourceAddress> {
        super::dependencies::config_address(self.input.config, self.graph, index)
    }

    /// Objects that are destroyed last are destroyed after all that need their successors.
    fn destroy_after_dependents(
        &self,
        steps: &mut Steps,
        made: &[(&PlannedObject, usize)],
        destroyed: &[Destruction<'_>],
    ) {
        if !destroyed.iter().any(|destruction| destruction.is_last) {
            return;
        }
        // For each step another one after all steps that need it.
        let count = steps.needs.len();
        let after: Vec<usize> = (0..count).map(|_| steps.add(None)).collect();
        let made_steps: HashSet<usize> = made.iter().map(|(_, step)| *step).collect();
        let destroyed_steps: HashSet<usize> = destroyed.iter().map(|destruction| destruction.step).collect();
        for step in (0..count).filter(|step| !destroyed_steps.contains(step)) {
            for need in steps.needs[step].clone() {
                steps.needs[after[need]].push(after[step]);
                if made_steps.contains(&step) {
                    steps.needs[after[need]].push(step);
                }
            }
        }
        let own: HashMap<&InstanceAddress, usize> =
            made.iter().map(|(change, step)| (&change.address, *step)).collect();
        for destruction in destroyed.iter().filter(|destruction| destruction.is_last) {
            if let Some(own) = own.get(&destruction.change.address) {
                steps.needs[destruction.step].extend([*own, after[*own]]);
            }
        }
    }

    /// An object is made after those that it depended on are destroyed; the ones that are destroyed last wait for it.
    fn wait_for_dependencies(
        &self,
        steps: &mut Steps,
        made: &[(&PlannedObject, usize)],
        destroyed: &[Destruction<'_>],
    ) {
        // Asked of Terraform 1.11.4 with 60 states: the stored dependencies count here, not those of the configuration. One
        // that was stored with `create_before_destroy` does not count.
        for (change, step) in made {
            let Some(object) = self.current(&change.address) else { continue };
            let resource = &change.address.resource;
            for name in &object.dependencies {
                let first = steps.others(resource, Group::DestroyedFirst, name);
                steps.needs[*step].push(first);
                let module = (without_keys(resource).module == name.module).then(|| resource.module.clone());
                let dependents = steps.group(Group::DependentsMade, name.clone(), module);
                steps.needs[dependents].push(*step);
            }
        }
        for destruction in destroyed.iter().filter(|destruction| destruction.is_last) {
            wait_for_dependents(steps, destruction.change, destruction.step, Group::DependentsMade);
        }
    }

    /// The node of a resource, if it is declared.
    pub(crate) fn node_of(&self, resource: &ResourceAddress) -> Option<usize> {
        let module = self.input.config.module_of(&resource.module)?;
        self.graph.find(&NodeKey::Resource(module, resource_name(resource)))
    }
}

/// Connects the destruction of objects by what the objects depended on.
fn connect_destructions(steps: &mut Steps, made: &[(&PlannedObject, usize)], destroyed: &[Destruction<'_>]) {
    let own: HashMap<&InstanceAddress, usize> =
        made.iter().map(|(change, step)| (&change.address, *step)).collect();
    for Destruction { change, step, is_last, dependencies } in destroyed {
        for name in names(change) {
            if !is_last {
                steps.join(*step, Group::DestroyedFirst, &name);
            }
        }
        // The new object is created after that; one that is destroyed last waits for it in `destroy_after_dependents`.
        if let Some(own) = own.get(&change.address).filter(|_| !is_last) {
            steps.needs[*own].push(*step);
        }
        let resource = &change.address.resource;
        for name in *dependencies {
            let is_same_module = without_keys(resource).module == name.module;
            let module = is_same_module.then(|| resource.module.clone());
            let dependents = steps.group(Group::DependentsDestroyed, name.clone(), module.clone());
            steps.needs[dependents].push(*step);
            if *is_last {
                let made = steps.others(resource, Group::Made, name);
                steps.needs[*step].push(made);
            } else {
                let dependents = steps.group(Group::DependentsDestroyedFirst, name.clone(), module);
                steps.needs[dependents].push(*step);
            }
        }
    }
    let waiting = destroyed.iter().map(|destruction| (destruction.change, destruction.step));
    let waiting = waiting.map(|(change, step)| (change, step, Group::DependentsDestroyed));
    let made = made.iter().map(|(change, step)| (*change, *step, Group::DependentsDestroyedFirst));
    for (change, step, group) in waiting.chain(made).collect::<Vec<_>>() {
        wait_for_dependents(steps, change, step, group);
    }
}

/// A step about an object waits for those about the objects that depended on it.
fn wait_for_dependents(steps: &mut Steps, change: &PlannedObject, step: usize, group: Group) {
    for name in names(change) {
        for module in [Some(name.module.clone()), None] {
            let dependents = steps.group(group, without_keys(&name), module);
            steps.needs[step].push(dependents);
        }
    }
}

/// The resource of an object: by its name, and by the one that it had before a move.
fn names(change: &PlannedObject) -> BTreeSet<ResourceAddress> {
    let addresses = [Some(&change.address), change.previous_address.as_ref()];
    addresses.into_iter().flatten().map(|address| address.resource.clone()).collect()
}
