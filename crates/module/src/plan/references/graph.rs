//! The graph of references, with what of it is unknown.

use std::collections::{BTreeSet, HashMap, HashSet};

use objchange::Value;
use objchange::address::{Mode, ResourceAddress};
use objchange_hcl::{ResourceName, Span};
use smol_str::SmolStr;

use super::super::graph::{Graph, NodeKind};
use super::super::walk::Walk;
use super::super::{ActionReason, PlannedAction, PlannedObject};
use super::{Observer, address, header};
use crate::config::Config;
use crate::subject::WORKSPACE;

/// The references in a module tree.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReferenceGraph {
    /// The objects of configuration, sorted by address.
    pub nodes: Vec<ReferenceNode>,
}

/// An object of configuration, for all instances of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReferenceNode {
    /// Its address without keys: `module.net.aws_vpc.main`, `local.a`, `output.o`.
    pub address: String,
    /// The kind of object.
    pub kind: ReferenceKind,
    /// Where it is declared; none of a provider without a block.
    pub span: Option<Span>,
    /// The positions of what it refers to, in ascending order.
    pub needs: Vec<usize>,
    /// Why it is unknown, or a part of it; none if all of it is known.
    pub unknown: Option<String>,
}

/// The kind of object that a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceKind {
    /// A `variable` block.
    Variable,
    /// A local value.
    Local,
    /// An `output` block.
    Output,
    /// A `resource` block.
    Resource,
    /// A `data` block.
    Data,
    /// An `ephemeral` block.
    Ephemeral,
    /// A `module` block.
    Module,
    /// A configuration of a provider.
    Provider,
    /// A `check` block.
    Check,
    /// An `action` block.
    Action,
}

impl ReferenceKind {
    /// The word of configuration for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Variable => "variable",
            Self::Local => "local",
            Self::Output => "output",
            Self::Resource => "resource",
            Self::Data => "data",
            Self::Ephemeral => "ephemeral",
            Self::Module => "module",
            Self::Provider => "provider",
            Self::Check => "check",
            Self::Action => "action",
        }
    }
}

/// Makes the graph while a plan is made.
#[derive(Debug, Default)]
pub(in super::super) struct GraphObserver {
    pub(in super::super) graph: ReferenceGraph,
    /// For each node, its position in the graph of the plan.
    indexes: Vec<usize>,
}

impl Observer for GraphObserver {
    fn graph(&mut self, config: &Config, graph: &Graph<'_>) {
        let named = graph.nodes.iter().enumerate().filter_map(|(i, node)| Some((address(config, node)?, i)));
        let mut named: Vec<(String, usize)> = named.collect();
        named.sort();
        let mut positions = vec![None; graph.nodes.len()];
        named.iter().enumerate().for_each(|(position, (_, index))| positions[*index] = Some(position));
        self.indexes = named.iter().map(|(_, index)| *index).collect();
        self.graph.nodes = named
            .into_iter()
            .map(|(address, index)| {
                let node = &graph.nodes[index];
                let mut needs: Vec<usize> = node.after.iter().filter_map(|need| positions[*need]).collect();
                needs.sort_unstable();
                needs.dedup();
                ReferenceNode { address, kind: kind_of(&node.kind), span: header(node), needs, unknown: None }
            })
            .collect();
    }

    fn walked(&mut self, walk: &Walk<'_, '_>) {
        let planned = Planned::new(walk);
        let open: Vec<bool> = self.indexes.iter().map(|index| is_open(walk, *index)).collect();
        for position in 0..self.graph.nodes.len() {
            if !open[position] {
                continue;
            }
            let index = self.indexes[position];
            let node = &self.graph.nodes[position];
            let subjects = &walk.graph.nodes[index].subjects;
            let workspace = subjects.iter().any(|subject| walk.lacks_workspace(subject));
            let because_of: Vec<&str> = node
                .needs
                .iter()
                .filter(|need| {
                    let is_module = self.graph.nodes[**need].kind == ReferenceKind::Module;
                    open[**need] && (!is_module || walk.missing.module_at(self.indexes[**need]).is_some())
                })
                .map(|need| self.graph.nodes[*need].address.as_str())
                .chain(workspace.then_some(WORKSPACE))
                .collect();
            self.graph.nodes[position].unknown = Some(why(walk, index, &because_of, &planned));
        }
    }
}

fn kind_of(kind: &NodeKind<'_>) -> ReferenceKind {
    match kind {
        NodeKind::Variable(..) | NodeKind::Validation(..) => ReferenceKind::Variable,
        NodeKind::Local(..) => ReferenceKind::Local,
        NodeKind::Output(..) => ReferenceKind::Output,
        NodeKind::Resource(resource) => match resource.name.mode {
            Mode::Managed => ReferenceKind::Resource,
            Mode::Data => ReferenceKind::Data,
            Mode::Ephemeral => ReferenceKind::Ephemeral,
        },
        NodeKind::Call(..) | NodeKind::CallClose(_) => ReferenceKind::Module,
        NodeKind::Provider(_) => ReferenceKind::Provider,
        NodeKind::Check(..) => ReferenceKind::Check,
        NodeKind::Action(_) => ReferenceKind::Action,
    }
}

/// The values of a node, in all instances of its module.
fn values<'w>(walk: &'w Walk<'_, '_>, index: usize) -> Vec<&'w Value> {
    let node = &walk.graph.nodes[index];
    let instances = walk.world.by_module[node.module].iter().map(|at| &walk.world.instances[*at]);
    let value = |instance: &'w super::super::instances::ModuleInstance| match &node.kind {
        NodeKind::Variable(name, _) => instance.variables.get(*name),
        NodeKind::Local(name, _) => instance.locals.get(*name),
        NodeKind::Output(name, _) => instance.outputs.get(*name),
        NodeKind::Resource(resource) => instance.resources.get(resource.name),
        _ => None,
    };
    instances.filter_map(value).collect()
}

fn is_open(walk: &Walk<'_, '_>, index: usize) -> bool {
    let node = &walk.graph.nodes[index];
    let modules = &walk.world.by_module[node.module];
    match &node.kind {
        NodeKind::Call(..) if walk.missing.module_at(index).is_some() => true,
        NodeKind::Call(name, _) => modules.iter().any(|at| {
            let calls = walk.world.instances[*at].calls.get(*name);
            calls.is_some_and(|calls| matches!(calls, super::super::instances::Expanded::Undecided(_)))
        }),
        _ => values(walk, index).iter().any(|value| !value.is_wholly_known()),
    }
}

/// The path of a module without keys, and the name of a resource in it.
type Key = (Vec<SmolStr>, ResourceName);

/// The plan of each resource.
struct Planned<'w> {
    undecided: HashSet<Key>,
    changes: HashMap<Key, Vec<&'w PlannedObject>>,
}

impl<'w> Planned<'w> {
    fn new(walk: &'w Walk<'_, '_>) -> Self {
        let key = |address: &ResourceAddress| -> Key {
            let path = address.module.0.iter().map(|step| step.name.as_str().into());
            (path.collect(), super::super::orphans::resource_name(address))
        };
        let mut changes: HashMap<Key, Vec<_>> = HashMap::new();
        for change in &walk.plan.changes {
            changes.entry(key(&change.address.resource)).or_default().push(change);
        }
        let undecided = walk.plan.undecided.iter();
        let undecided = undecided.filter(|one| !one.reason.is_about_object());
        let undecided = undecided.map(|undecided| key(&undecided.address.resource));
        Self { undecided: undecided.collect(), changes }
    }
}

/// Why a node is unknown, or a part of it.
fn why(walk: &Walk<'_, '_>, index: usize, because_of: &[&str], planned: &Planned<'_>) -> String {
    let depends = || match because_of {
        [] => "depends on what is known after apply".to_owned(),
        names => format!("depends on {}", names.join(", ")),
    };
    let node = &walk.graph.nodes[index];
    if let Some(missing) = walk.missing.at(index) {
        return missing.to_string();
    }
    let NodeKind::Resource(resource) = &node.kind else { return depends() };
    let key = (walk.input.config.modules[node.module].path.clone(), resource.name.clone());
    if planned.undecided.contains(&key) {
        return format!("its instances are not known: {}", depends());
    }
    let mut changes = planned.changes.get(&key).into_iter().flatten();
    if resource.name.mode == Mode::Data {
        let reason =
            changes.find(|change| change.action == PlannedAction::Read).and_then(|change| change.reason);
        return data_reason(reason).to_owned();
    }
    let mut names = BTreeSet::new();
    for change in changes {
        let Some(after) = change.after.as_object() else { continue };
        names.extend(
            after.iter().filter(|(_, value)| !value.is_wholly_known()).map(|(name, _)| name.to_string()),
        );
    }
    match names.is_empty() {
        true => depends(),
        false => format!("known after apply: {}", names.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

/// Why a data source is not read while planning.
pub(super) fn data_reason(reason: Option<ActionReason>) -> &'static str {
    match reason {
        Some(ActionReason::ReadBecauseConfigUnknown) => "read during apply: its configuration is not known",
        Some(ActionReason::ReadBecauseDependencyPending) => "read during apply: what it depends on changes",
        Some(ActionReason::ReadBecauseCheckNested) => "read during apply, for its check",
        Some(ActionReason::ReadBecauseSimulated) => "its provider was not asked",
        _ => "read during apply",
    }
}
