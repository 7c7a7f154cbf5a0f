//! Plans that nobody can carry out: an object that was left over from a replacement, or will be left over by one, must be
//! destroyed before the objects that it depends on are, and not before its successor is there.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use objchange::address::{InstanceAddress, ResourceAddress};

use super::dependencies::without_keys;
use super::graph::{NodeKey, NodeKind};
use super::orphans::resource_name;
use super::walk::Walk;
use super::{PlannedAction, PlannedObject};
use crate::subject::{SubjectKind, parse};
use crate::{Diagnostics, Severity};

impl Walk<'_, '_> {
    /// The cycles that deposed objects make.
    pub(crate) fn deposed_cycles(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        // One that is forgotten is not in anybody's way.
        let is_destroyed =
            |change: &&PlannedObject| change.deposed.is_some() && change.action == PlannedAction::Delete;
        let deposed: Vec<&PlannedObject> = self.plan.changes.iter().filter(is_destroyed).collect();
        let is_replaced = |change: &&PlannedObject| change.action == PlannedAction::CreateThenDelete;
        let replaced: Vec<&PlannedObject> = self.plan.changes.iter().filter(is_replaced).collect();
        if deposed.is_empty() && replaced.is_empty() {
            return found;
        }
        let mut destroyed: HashMap<ResourceAddress, Vec<&PlannedObject>> = HashMap::new();
        for change in self.plan.changes.iter().filter(|change| change.deposed.is_none()) {
            if matches!(change.action, PlannedAction::Delete | PlannedAction::DeleteThenCreate) {
                let addresses = [Some(&change.address), change.previous_address.as_ref()];
                let names: BTreeSet<_> =
                    addresses.into_iter().flatten().map(|address| without_keys(&address.resource)).collect();
                names.into_iter().for_each(|name| destroyed.entry(name).or_default().push(change));
            }
        }
        let mut changed: HashMap<ResourceAddress, Vec<&PlannedObject>> = HashMap::new();
        for change in self.plan.changes.iter().filter(|change| change.action == PlannedAction::Update) {
            changed.entry(without_keys(&change.address.resource)).or_default().push(change);
        }
        let of_deposed = deposed.into_iter().filter_map(|change| self.cycle_of(change, &destroyed));
        // One of the instances that are in a cycle, by the node of their resource.
        let mut in_cycles: BTreeMap<usize, &PlannedObject> = BTreeMap::new();
        let of_replaced: Vec<BTreeSet<String>> = replaced
            .into_iter()
            .filter_map(|change| {
                let cycle = self.cycle_of_replaced(change, &destroyed, &changed)?;
                in_cycles.extend(self.node_of(&change.address.resource).map(|node| (node, change)));
                Some(cycle)
            })
            .collect();
        let of_dependents = in_cycles.iter().map(|(node, replaced)| self.steps_after(*node, replaced));
        for cycle in joined(of_deposed.chain(of_replaced).chain(of_dependents)) {
            let names: Vec<String> = cycle.into_iter().collect();
            found.without_place(Severity::Error, ("cycle", format!("Cycle: {}", names.join(", "))), "");
        }
        found
    }

    /// The steps of the cycle that the destruction of a deposed object is in, if it is in one.
    fn cycle_of(
        &self,
        deposed: &PlannedObject,
        destroyed: &HashMap<ResourceAddress, Vec<&PlannedObject>>,
    ) -> Option<BTreeSet<String>> {
        let InstanceAddress { resource, key } = &deposed.address;
        let known = self.state.resources.get(resource)?.instances.get(key)?;
        let object = known.deposed.get(deposed.deposed.as_ref()?)?;
        let current = self.changes.get(resource).and_then(|changes| changes.get(key));
        let current = current.map(|position| self.plan.changes[*position].action);
        let is_changed = matches!(
            current,
            Some(
                PlannedAction::Create
                    | PlannedAction::Update
                    | PlannedAction::DeleteThenCreate
                    | PlannedAction::CreateThenDelete
            )
        );
        let mut cycle = BTreeSet::new();
        for other in object.dependencies.iter().filter_map(|name| destroyed.get(name)).flatten() {
            let is_replaced = other.action == PlannedAction::DeleteThenCreate;
            if is_replaced {
                cycle.insert(other.address.to_string());
            }
            if is_replaced || is_changed {
                cycle.insert(format!("{} (destroy)", other.address));
            }
            if is_replaced && is_changed && self.is_trigger_of(resource, &other.address.resource) {
                cycle.insert(format!("{} (expand)", without_keys(resource)));
            }
        }
        if cycle.is_empty() {
            return None;
        }
        if is_changed {
            cycle.insert(deposed.address.to_string());
        }
        cycle.insert(format!(
            "{} (destroy deposed {})",
            deposed.address,
            deposed.deposed.as_deref().unwrap_or_default()
        ));
        Some(cycle)
    }

    /// The steps of the cycle that a replacement is in whose object is created first, if it is in one. The object before it
    /// depends on others. One of these is destroyed, and was not to be replaced that way itself: its destruction waits for
    /// that of the object before, and the new object waits for it.
    fn cycle_of_replaced(
        &self,
        replaced: &PlannedObject,
        destroyed: &HashMap<ResourceAddress, Vec<&PlannedObject>>,
        changed: &HashMap<ResourceAddress, Vec<&PlannedObject>>,
    ) -> Option<BTreeSet<String>> {
        let object = self.current(&replaced.address)?;
        let mut cycle = BTreeSet::new();
        let mut names = BTreeSet::new();
        for name in &object.dependencies {
            for other in destroyed.get(name).into_iter().flatten() {
                if other.action == PlannedAction::DeleteThenCreate {
                    cycle.insert(other.address.to_string());
                } else if self.current(&other.address).is_none_or(|object| object.create_before_destroy) {
                    continue;
                }
                cycle.insert(format!("{} (destroy)", other.address));
                names.insert(name);
            }
        }
        if cycle.is_empty() {
            return None;
        }
        // Updates that the new object waits for, too.
        let between = object.dependencies.iter().filter_map(|name| changed.get(name)).flatten();
        for update in between {
            let needs = self.current(&update.address).map(|object| &object.dependencies);
            if needs.is_some_and(|needs| needs.iter().any(|name| names.contains(name))) {
                cycle.insert(update.address.to_string());
            }
        }
        cycle.insert(replaced.address.to_string());
        cycle.insert(format!("{} (destroy deposed)", replaced.address));
        Some(cycle)
    }

    /// The changes that need a resource, with one of its instances that is in a cycle: the object before is destroyed after
    /// them.
    fn steps_after(&self, node: usize, replaced: &PlannedObject) -> BTreeSet<String> {
        let mut steps = BTreeSet::from([replaced.address.to_string()]);
        let dependents = self.graph.dependents([node]);
        for change in self.plan.changes.iter().filter(|change| change.deposed.is_none()) {
            let resource = &change.address.resource;
            let is_made = change.action.is_replace()
                || matches!(change.action, PlannedAction::Create | PlannedAction::Update);
            if is_made && self.node_of(resource).is_some_and(|node| dependents[node]) {
                steps.insert(change.address.to_string());
                if self.is_trigger_of(resource, &replaced.address.resource) {
                    steps.insert(format!("{} (expand)", without_keys(resource)));
                }
            }
        }
        steps
    }

    /// The node of a resource, if it is declared.
    pub(crate) fn node_of(&self, resource: &ResourceAddress) -> Option<usize> {
        let module = self.input.config.module_of(&resource.module)?;
        self.graph.find(&NodeKey::Resource(module, resource_name(resource)))
    }

    /// Whether a resource names another one in `replace_triggered_by`.
    fn is_trigger_of(&self, resource: &ResourceAddress, trigger: &ResourceAddress) -> bool {
        let Some(index) = self.node_of(resource) else { return false };
        let NodeKind::Resource(node) = &self.graph.nodes[index].kind else { return false };
        let triggers = node.config.lifecycle.replace_triggered_by.iter();
        let mut subjects =
            triggers.flat_map(objchange_hcl::variables).filter_map(|reference| parse(&reference).0);
        let wanted = resource_name(trigger);
        subjects.any(|subject| matches!(subject.kind, SubjectKind::Resource { name, .. } if name == wanted))
    }
}

/// Joins cycles that share a step. The larger one takes the steps of the smaller.
fn joined(cycles: impl IntoIterator<Item = BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let mut all: Vec<BTreeSet<String>> = Vec::new();
    let mut position: HashMap<String, usize> = HashMap::new();
    for cycle in cycles {
        let met: BTreeSet<usize> = cycle.iter().filter_map(|step| position.get(step).copied()).collect();
        let largest = met.iter().copied().max_by_key(|at| all[*at].len());
        let at = largest.unwrap_or_else(|| {
            all.push(BTreeSet::new());
            all.len() - 1
        });
        let others = met.into_iter().filter(|other| *other != at);
        let taken: Vec<BTreeSet<String>> = others.map(|other| std::mem::take(&mut all[other])).collect();
        for step in taken.into_iter().flatten().chain(cycle) {
            position.insert(step.clone(), at);
            all[at].insert(step);
        }
    }
    all.retain(|cycle| !cycle.is_empty());
    all
}
