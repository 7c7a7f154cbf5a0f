//! Which resources have changes that are still to be made: data sources that depend on them are read later.

use std::collections::BTreeMap;

use objchange::address::{Mode, ModuleAddress};

use super::condition_checks::conditions_of;
use super::graph::{Graph, NodeKey, NodeKind};
use super::walk::Walk;
use crate::config::{Config, ModuleId};
use crate::subject::SubjectKind;

/// Whether an object has a pending change: `None` for no, `Some(true)` for a certain one, `Some(false)` for one that
/// only a simulated provider predicts.
pub(crate) type Awaited = Option<bool>;

/// The changes that are still to be made.
#[derive(Debug)]
pub(crate) struct Pending {
    /// For each node: whether it has changes, by module instance.
    nodes: Vec<BTreeMap<ModuleAddress, bool>>,
    /// For each node: the changes of all managed resources that it depends on, directly or not.
    above: Vec<Awaited>,
    /// For each module: the changes in it and in the modules that it calls.
    modules: Vec<Awaited>,
}

impl Pending {
    pub(crate) fn new(nodes: usize, modules: usize) -> Self {
        Self { nodes: vec![BTreeMap::new(); nodes], above: vec![None; nodes], modules: vec![None; modules] }
    }

    /// Notes a change of a resource in an instance of its module.
    pub(crate) fn add(
        &mut self,
        config: &Config,
        graph: &Graph<'_>,
        node: usize,
        instance: &ModuleAddress,
        is_sure: bool,
    ) {
        match self.nodes[node].get_mut(instance) {
            Some(known) => *known |= is_sure,
            None => drop(self.nodes[node].insert(instance.clone(), is_sure)),
        }
        // A module around has at least the changes of the ones in it, so the way up ends where nothing new is said. `None`
        // is less than `Some(false)`, and that less than `Some(true)`.
        let mut module = Some(graph.nodes[node].module);
        while let Some(inner) = module.filter(|module| self.modules[*module] < Some(is_sure)) {
            self.modules[inner] = Some(is_sure);
            module = config.modules[inner].parent;
        }
    }

    /// Collects the pending changes of everything that a node depends on; all of it is planned already.
    pub(crate) fn enter(&mut self, graph: &Graph<'_>, node: usize) {
        let needs = graph.nodes[node].needs.iter();
        let awaited = needs.map(|need| self.above[*need].max(self.managed(graph, *need, None)));
        self.above[node] = awaited.max().flatten();
    }

    /// Whether a node is a managed resource with a change, in this instance of its module or in any.
    fn managed(&self, graph: &Graph<'_>, node: usize, instance: Option<&ModuleAddress>) -> Awaited {
        match &graph.nodes[node].kind {
            NodeKind::Resource(resource) if resource.name.mode == Mode::Managed => match instance {
                Some(instance) => self.nodes[node].get(instance).copied(),
                None => self.nodes[node].values().copied().max(),
            },
            _ => None,
        }
    }
}

impl Walk<'_, '_> {
    /// Whether a data source in an instance of a module has to wait: for what `depends_on` names, of its own and of the
    /// calls around it, and for the managed resources that it refers to itself. One with conditions waits for all that it
    /// depends on, however far.
    pub(crate) fn awaited(&self, index: usize, instance: &ModuleAddress) -> Awaited {
        let node = &self.graph.nodes[index];
        let mut awaited = match conditions_of(&node.kind).is_some() {
            true => self.awaited_above(index, instance),
            false => None,
        };
        let mut await_subject = |module: ModuleId, subject: &SubjectKind| {
            // Terraform 1.11.4 waits for whole resources: a change of another instance counts, too. In the data source's
            // own module, only that module instance counts.
            let beside = (module == node.module).then_some(instance);
            awaited = awaited.max(self.awaited_subject(module, subject, beside));
        };
        // References through locals, variables and outputs do not defer a data source in Terraform 1.11.4.
        for subject in &node.subjects {
            // Other modules count by the outputs that it refers to.
            if matches!(subject.kind, SubjectKind::Resource { .. }) {
                await_subject(node.module, &subject.kind);
            }
        }
        node.depends_on.iter().for_each(|subject| await_subject(node.module, &subject.kind));
        // Resources inherit the `depends_on` of every call around their module.
        let mut module = node.module;
        while let Some(parent) = self.input.config.modules[module].parent {
            let name = self.input.config.modules[module].path.last().cloned().unwrap_or_default();
            if let Some(call) = self.graph.find(&NodeKey::Call(parent, name)) {
                let named = &self.graph.nodes[call].depends_on;
                named.iter().for_each(|subject| await_subject(parent, &subject.kind));
            }
            module = parent;
        }
        awaited
    }

    /// Whether anything that a node depends on, directly or not, has changes.
    fn awaited_above(&self, index: usize, instance: &ModuleAddress) -> Awaited {
        let module = self.graph.nodes[index].module;
        let any = self.pending.above[index];
        if any.is_none() || self.world.by_module[module].len() == 1 {
            return any;
        }
        let above = self.graph.reachable([index]);
        let above = (0..above.len()).filter(|node| above[*node]);
        let awaited = above.map(|node| {
            let beside = (self.graph.nodes[node].module == module).then_some(instance);
            self.pending.managed(self.graph, node, beside)
        });
        awaited.max().flatten()
    }

    fn awaited_subject(
        &self,
        module: ModuleId,
        subject: &SubjectKind,
        beside: Option<&ModuleAddress>,
    ) -> Awaited {
        match subject {
            SubjectKind::Resource { name, .. } => {
                let node = self.graph.find(&NodeKey::Resource(module, name.clone()))?;
                self.pending.managed(self.graph, node, beside)
            }
            // Whatever is in it may have changes.
            SubjectKind::Module { call, .. }
                if self.input.config.missing_modules.contains_key(&(module, call.clone())) =>
            {
                Some(false)
            }
            SubjectKind::Module { call, .. } => {
                self.pending.modules[*self.input.config.modules[module].children.get(call)?]
            }
            _ => None,
        }
    }
}
