//! `-target`: which part of the configuration and of the state is planned.

use hashbrown::{HashMap, HashSet};
use objchange::address::{InstanceAddress, InstanceKey, ModuleAddress, ResourceAddress};
use objchange_hcl::ResourceName;
use smol_str::SmolStr;

use super::ModulePlan;
use super::graph::{Graph, NodeKind};
use super::input::PlanOptions;
use super::orphans::resource_name;
use crate::config::{Config, LoadedModule};
use crate::state::PriorState;
use crate::target::Target;
use objchange_document::PlanMode;

/// The targeted part of a module.
#[derive(Debug)]
pub(crate) enum Targets {
    /// Everything.
    All,
    /// A part.
    Some(TargetedPart),
}

#[derive(Debug)]
pub(crate) struct TargetedPart {
    targets: Vec<Target>,
    nodes: Vec<bool>,
    /// The resources that are planned with all their instances, because others need them and no target names them.
    needed: HashSet<(Vec<SmolStr>, ResourceName)>,
    /// Those that are planned as usual before a part is destroyed: what the targets need, and not what depends on them.
    needed_before_destroy: HashSet<(Vec<SmolStr>, ResourceName)>,
}

impl Targets {
    /// The part that the options target. A destroy plan includes the objects of the state, after its moves, that depend on a target.
    pub(crate) fn new(config: &Config, graph: &Graph<'_>, options: &PlanOptions, state: &PriorState) -> Self {
        // They change nothing of the plan of an action.
        if options.targets.is_empty() || options.invoke.is_some() {
            return Self::All;
        }
        let path = |index: usize| &config.modules[graph.nodes[index].module].path;
        let resource_key = |index: usize| match &graph.nodes[index].kind {
            NodeKind::Resource(resource) => Some((path(index).clone(), resource.name.clone())),
            _ => None,
        };
        let is_target = |index: usize| match &graph.nodes[index].kind {
            NodeKind::Resource(resource) => {
                options.targets.iter().any(|target| names_resource(target, path(index), resource.name))
            }
            _ => false,
        };
        let direct: Vec<usize> = (0..graph.nodes.len()).filter(|index| is_target(*index)).collect();
        let dependents = match options.mode {
            PlanMode::Destroy => dependents(options, state),
            _ => HashSet::new(),
        };
        let related: Vec<bool> = (0..graph.nodes.len())
            .map(|index| resource_key(index).is_some_and(|key| dependents.contains(&key)))
            .collect();
        let roots: Vec<usize> =
            (0..graph.nodes.len()).filter(|index| related[*index]).chain(direct.iter().copied()).collect();
        let mut nodes = graph.reachable_with_actions(roots.iter().copied());
        roots.into_iter().for_each(|index| nodes[index] = true);
        let mut whole = graph.reachable_with_actions(direct.iter().copied());
        let mut as_usual = whole.clone();
        // A target itself is planned only for the instances that it names, even if other targets need it.
        for index in direct {
            (whole[index], as_usual[index]) = (false, true);
        }
        let needed = (0..graph.nodes.len()).filter(|index| whole[*index]).filter_map(resource_key).collect();
        let (needed, needed_before_destroy) = match options.mode {
            PlanMode::Destroy => (dependents, needed),
            _ => (needed, HashSet::new()),
        };
        // Outputs of the root module whose resources are all planned as a whole. Terraform 1.11.4 leaves out constant outputs and
        // those that refer to anything outside the targets.
        let resources =
            (0..graph.nodes.len()).filter(|index| matches!(graph.nodes[*index].kind, NodeKind::Resource(_)));
        let (planned, others): (Vec<usize>, Vec<usize>) = resources.partition(|index| as_usual[*index]);
        // Asked once for all outputs: a search below each took a time of outputs × nodes.
        let (has_planned, has_others) = (graph.dependents(planned), graph.dependents(others));
        let outputs: Vec<usize> = (0..graph.nodes.len())
            .filter(|index| {
                let node = &graph.nodes[*index];
                let is_root_output = node.module == 0 && matches!(node.kind, NodeKind::Output(..));
                is_root_output && has_planned[*index] && !has_others[*index]
            })
            .collect();
        let below = graph.reachable(outputs.iter().copied());
        for index in 0..nodes.len() {
            nodes[index] |= below[index];
        }
        outputs.into_iter().for_each(|index| nodes[index] = true);
        let targets = options.targets.clone();
        Self::Some(TargetedPart { targets, nodes, needed, needed_before_destroy })
    }

    /// Whether a node is planned.
    pub(crate) fn includes(&self, node: usize) -> bool {
        match self {
            Self::All => true,
            Self::Some(part) => part.nodes[node],
        }
    }

    /// Whether an instance is planned.
    pub(crate) fn includes_instance(&self, address: &InstanceAddress) -> bool {
        let Self::Some(part) = self else { return true };
        part.needed.contains(&key(&address.resource)) || self.names_instance(address)
    }

    /// Whether an instance is planned as usual, also if that is only done before others are destroyed.
    pub(crate) fn plans_instance(&self, address: &InstanceAddress, mode: PlanMode) -> bool {
        match self {
            Self::Some(part) if mode == PlanMode::Destroy => {
                part.needed_before_destroy.contains(&key(&address.resource)) || self.names_instance(address)
            }
            _ => self.includes_instance(address),
        }
    }

    /// Whether a target names an instance; one that others need is planned, too.
    pub(crate) fn names_instance(&self, address: &InstanceAddress) -> bool {
        let Self::Some(part) = self else { return true };
        part.targets.iter().any(|target| target.contains(address))
    }

    /// Whether everything is planned.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }
}

impl ModulePlan {
    /// Whether a target names anything: a resource of the configuration, or an instance that is planned or existed
    /// before. Whatever is asked of a plan for a target that names nothing is asked of an empty plan.
    pub fn is_target(&self, target: &Target, config: &Config) -> bool {
        let has_key = matches!(target, Target::Resource(InstanceAddress { key: Some(_), .. }));
        let is_configured = |module: &LoadedModule| match target {
            // A module may have no resources.
            Target::Module(address) => starts_with(&module.path, address),
            Target::Resource(_) => {
                module.config.resources.keys().any(|name| names_resource(target, &module.path, name))
            }
        };
        let is_undecided = || {
            self.undecided.iter().any(|undecided| {
                let resource = &undecided.address.resource;
                matches!(target, Target::Resource(wanted) if wanted.resource == *resource)
                    || target.contains(&undecided.address)
            })
        };
        let existed = || {
            self.prior_state.resources.iter().any(|(resource, stored)| {
                stored.instances.keys().any(|key| {
                    target.contains(&InstanceAddress { resource: resource.clone(), key: key.clone() })
                })
            })
        };
        let module = match target {
            Target::Module(module) => module,
            Target::Resource(address) => &address.resource.module,
        };
        // Nobody knows what is in a module that is not there.
        config.missing_module_of(module).is_some()
            || !has_key && config.modules.iter().any(is_configured)
            || self.changes.iter().any(|change| target.contains(&change.address))
            || is_undecided()
            || existed()
    }

    /// Whether an address whose replacement is asked for is an instance that is planned, or may be.
    pub fn can_replace(&self, address: &InstanceAddress) -> bool {
        self.changes.iter().any(|change| change.address == *address)
            || self.undecided.iter().any(|undecided| undecided.address.resource == address.resource)
    }
}

/// A resource, whatever the keys of its modules.
fn key(address: &ResourceAddress) -> (Vec<SmolStr>, ResourceName) {
    let path = address.module.0.iter().map(|step| step.name.as_str().into()).collect();
    (path, resource_name(address))
}

/// The resources that depend, directly or through others, on the objects that targets name, and that no target names. Objects
/// depend on what the state says; a target without an object has no dependents.
fn dependents(options: &PlanOptions, state: &PriorState) -> HashSet<(Vec<SmolStr>, ResourceName)> {
    let is_target = |resource: &ResourceAddress, instance: &Option<InstanceKey>| {
        let address = InstanceAddress { resource: resource.clone(), key: instance.clone() };
        options.targets.iter().any(|target| target.contains(&address))
    };
    let mut open = Vec::new();
    let mut needed_by: HashMap<(Vec<SmolStr>, ResourceName), Vec<&ResourceAddress>> = HashMap::new();
    let mut named = HashSet::new();
    for (address, resource) in &state.resources {
        if resource.instances.keys().any(|instance| is_target(address, instance)) {
            named.insert(key(address));
            open.push(key(address));
        }
        let objects = resource.instances.values();
        let objects = objects.flat_map(|instance| instance.current.iter().chain(instance.deposed.values()));
        let needs: HashSet<_> = objects.flat_map(|object| &object.dependencies).map(key).collect();
        needs.into_iter().for_each(|need| needed_by.entry(need).or_default().push(address));
    }
    let mut found = HashSet::new();
    while let Some(next) = open.pop() {
        for dependent in needed_by.get(&next).into_iter().flatten().copied().map(key) {
            if !named.contains(&dependent) && found.insert(dependent.clone()) {
                open.push(dependent);
            }
        }
    }
    found
}

/// Whether a target names a resource of the configuration, or an instance of it.
fn names_resource(target: &Target, path: &[SmolStr], name: &ResourceName) -> bool {
    match target {
        Target::Module(module) => starts_with(path, module),
        Target::Resource(address) => {
            address.resource.module.0.len() == path.len()
                && starts_with(path, &address.resource.module)
                && resource_name(&address.resource) == *name
        }
    }
}

/// Whether the path of a module leads into another module, whatever its keys, or is that of this one.
fn starts_with(path: &[SmolStr], module: &ModuleAddress) -> bool {
    module.0.len() <= path.len() && std::iter::zip(&module.0, path).all(|(step, name)| step.name == **name)
}
