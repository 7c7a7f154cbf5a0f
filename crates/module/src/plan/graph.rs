//! The dependency graph of a module tree.
//!
//! A node is an object of configuration in one module of the tree, for all instances of that module and of the object.
//! References go to whole resources, and to single outputs of modules.

mod build;
mod imports;

use std::borrow::Cow;

use hashbrown::HashMap;
use objchange::address::Mode;
use objchange::schema::{Schema, SchemaKind};
use objchange_document::Version;
use objchange_hcl::{
    ActionConfig, ActionName, Attribute, Body, CheckConfig, ModuleCall, OutputConfig, ProviderConfig,
    ResourceConfig, ResourceName, VariableConfig,
};
use smol_str::SmolStr;

pub(crate) use self::imports::{ImportBlock, imports, resource_of, within};
use crate::components::components;
use crate::config::{Config, ModuleId, ProviderKey};
use crate::subject::Subject;
use crate::versions::since;
use crate::{ProviderAddress, ProviderConfigAddress};

/// The graph of a module tree.
#[derive(Debug)]
pub(crate) struct Graph<'c> {
    pub(crate) nodes: Vec<Node<'c>>,
    index: HashMap<NodeKey, usize>,
    pub(crate) actions: ActionRules,
}

/// How versions plan actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ActionRules {
    /// Terraform before 1.14, and OpenTofu: actions are not planned. 1.13 reads the blocks.
    Unknown,
    /// Terraform 1.14 and 1.15: actions are planned when everything else is.
    First,
    /// Since 1.16 they are planned with the resource that triggers them, which their configurations see.
    WithCaller,
}

impl ActionRules {
    pub(crate) fn of_version(version: Version) -> Self {
        match version {
            version if since(version, "1.16") => Self::WithCaller,
            version if since(version, "1.14") => Self::First,
            _ => Self::Unknown,
        }
    }
}

/// An object of configuration.
#[derive(Debug)]
pub(crate) struct Node<'c> {
    /// The module that it is in.
    pub(crate) module: ModuleId,
    /// The module in whose scope its expressions are: the caller's, for arguments of a module.
    pub(crate) scope: ModuleId,
    pub(crate) kind: NodeKind<'c>,
    /// The references of its expressions that can be parsed.
    pub(crate) subjects: Vec<Subject>,
    /// The references in `depends_on`.
    pub(crate) depends_on: Vec<Subject>,
    /// The `import` blocks of all modules for a resource.
    pub(crate) imports: Vec<ImportBlock<'c>>,
    /// The references of the conditions of its `action_trigger` blocks, and of the configurations of the actions there.
    pub(crate) triggered: Vec<Subject>,
    /// The nodes that it depends on.
    pub(crate) needs: Vec<usize>,
    /// The nodes that the actions need which it triggers.
    pub(crate) invoked: Vec<usize>,
    /// The nodes that come first: those that it depends on, and those that its actions depend on which are planned with it.
    pub(crate) after: Vec<usize>,
}

#[derive(Debug)]
pub(crate) enum NodeKind<'c> {
    Variable(&'c SmolStr, &'c VariableConfig),
    /// The `validation` blocks of a variable.
    Validation(&'c SmolStr, &'c VariableConfig),
    Local(&'c SmolStr, &'c Attribute),
    Output(&'c SmolStr, &'c OutputConfig),
    Resource(Box<ResourceNode<'c>>),
    /// The instances of a module.
    Call(&'c SmolStr, &'c ModuleCall),
    /// Everything in a module has been evaluated.
    CallClose(&'c SmolStr),
    Provider(Box<ProviderNode<'c>>),
    Check(&'c SmolStr, &'c CheckConfig),
    /// The instances of an action. Its configuration is evaluated where it is invoked.
    Action(Box<ActionNode<'c>>),
}

/// An action with what its provider says of it.
#[derive(Debug)]
pub(crate) struct ActionNode<'c> {
    pub(crate) name: &'c ActionName,
    pub(crate) config: &'c ActionConfig,
    pub(crate) provider_config: ProviderConfigAddress,
    /// `None` where the provider does not have the type.
    pub(crate) schema: Option<&'c Schema>,
    /// Nobody has the schemas of the provider: this one has what is written in the block.
    pub(crate) is_inferred: bool,
    /// The content of `config`.
    pub(crate) body: Cow<'c, Body>,
    /// Errors of the body under its schema, in JSON syntax.
    pub(crate) body_errors: Vec<objchange_hcl::Diagnostic>,
    /// The references of the body.
    pub(crate) subjects: Vec<Subject>,
    /// The nodes that its configuration needs, which may come after it.
    pub(crate) config_needs: Vec<usize>,
}

/// A resource with what its provider says of it.
#[derive(Debug)]
pub(crate) struct ResourceNode<'c> {
    pub(crate) name: &'c ResourceName,
    pub(crate) config: &'c ResourceConfig,
    pub(crate) provider: ProviderAddress,
    pub(crate) provider_config: ProviderConfigAddress,
    /// The key of the instance of that configuration.
    pub(crate) provider_key: Option<ProviderKey<'c>>,
    /// `None` where the provider does not have the type.
    pub(crate) schema: Option<&'c Schema>,
    /// Nobody has the schemas of the provider: this one has what is written in the block.
    pub(crate) is_inferred: bool,
    pub(crate) body: Cow<'c, Body>,
    /// Errors of the body under its schema, in JSON syntax.
    pub(crate) body_errors: Vec<objchange_hcl::Diagnostic>,
}

/// A provider configuration.
#[derive(Debug)]
pub(crate) struct ProviderNode<'c> {
    pub(crate) address: ProviderConfigAddress,
    /// `None` where there is no block.
    pub(crate) config: Option<&'c ProviderConfig>,
    pub(crate) schema: Option<&'c Schema>,
    pub(crate) body: Cow<'c, Body>,
    pub(crate) body_errors: Vec<objchange_hcl::Diagnostic>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum NodeKey {
    Variable(ModuleId, SmolStr),
    Validation(ModuleId, SmolStr),
    Local(ModuleId, SmolStr),
    Output(ModuleId, SmolStr),
    Resource(ModuleId, ResourceName),
    Call(ModuleId, SmolStr),
    CallClose(ModuleId, SmolStr),
    Provider(ProviderConfigAddress),
    Check(ModuleId, SmolStr),
    Action(ModuleId, ActionName),
}

impl<'c> Graph<'c> {
    /// The node of this name.
    pub(crate) fn find(&self, key: &NodeKey) -> Option<usize> {
        self.index.get(key).copied()
    }

    /// The nodes, each after those that it needs; or the cycles that make this impossible.
    pub(crate) fn order(&self) -> Result<Vec<usize>, Vec<Vec<usize>>> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut cycles = Vec::new();
        for component in components(self.nodes.len(), |node| &self.nodes[node].after) {
            match component[..] {
                [node] if !self.nodes[node].after.contains(&node) => order.push(node),
                _ => cycles.push(component),
            }
        }
        if cycles.is_empty() { Ok(order) } else { Err(cycles) }
    }

    /// All that a node needs, directly or through others.
    pub(crate) fn reachable(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        self.reachable_by(from, |node| node.needs.iter())
    }

    /// All that a node and the actions that it triggers need, directly or through others.
    pub(crate) fn reachable_with_actions(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        self.reachable_by(from, |node| node.needs.iter().chain(&node.invoked))
    }

    fn reachable_by<'s, I: Iterator<Item = &'s usize>>(
        &'s self,
        from: impl IntoIterator<Item = usize>,
        next: impl Fn(&'s Node<'c>) -> I,
    ) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = from.into_iter().collect();
        while let Some(node) = open.pop() {
            for need in next(&self.nodes[node]) {
                if !std::mem::replace(&mut seen[*need], true) {
                    open.push(*need);
                }
            }
        }
        seen
    }
}

impl Graph<'_> {
    /// All whose values may follow from that of one of these nodes. The configuration of a provider is no such value.
    pub(crate) fn dependents_by_value(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        reached(&self.needed_by_value(), from)
    }

    /// All that need one of these nodes, directly or through others.
    pub(crate) fn dependents(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut needed_by = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            node.needs.iter().for_each(|need| needed_by[*need].push(index));
        }
        reached(&needed_by, from)
    }

    /// For each node those whose values may follow from its value.
    pub(crate) fn needed_by_value(&self) -> Vec<Vec<usize>> {
        let mut needed_by = vec![Vec::new(); self.nodes.len()];
        let nodes = self.nodes.iter().enumerate();
        for (index, node) in nodes.filter(|(_, node)| !matches!(node.kind, NodeKind::Provider(_))) {
            node.needs.iter().for_each(|need| needed_by[*need].push(index));
        }
        needed_by
    }
}

/// The nodes that edges lead to from these.
fn reached(edges: &[Vec<usize>], from: impl IntoIterator<Item = usize>) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut open: Vec<usize> = from.into_iter().collect();
    while let Some(node) = open.pop() {
        for next in &edges[node] {
            if !std::mem::replace(&mut seen[*next], true) {
                open.push(*next);
            }
        }
    }
    seen
}

impl Node<'_> {
    /// The name of the node as cycles have it.
    pub(crate) fn cycle_name(&self, config: &Config) -> String {
        let mut prefix = String::new();
        for name in &config.modules[self.module].path {
            prefix.push_str(&format!("module.{name}."));
        }
        // As Terraform 1.11.4 names its nodes: `(expand)` where a node may have several instances, except for resources.
        match &self.kind {
            NodeKind::Variable(name, _) if prefix.is_empty() => format!("var.{name}"),
            NodeKind::Variable(name, _) => format!("{prefix}var.{name} (expand)"),
            NodeKind::Validation(name, _) => format!("{prefix}var.{name} (validation)"),
            NodeKind::Local(name, _) => format!("{prefix}local.{name} (expand)"),
            NodeKind::Output(name, _) => format!("{prefix}output.{name} (expand)"),
            NodeKind::Resource(resource) => format!("{prefix}{}", resource_text(resource.name)),
            NodeKind::Call(name, _) => format!("{prefix}module.{name} (expand)"),
            NodeKind::CallClose(name) => format!("{prefix}module.{name} (close)"),
            NodeKind::Provider(provider) => provider.address.to_string(),
            NodeKind::Check(name, _) => format!("{prefix}check.{name} (expand)"),
            NodeKind::Action(action) => format!("{prefix}{} (expand)", action.name),
        }
    }
}

/// A resource as references write it: `aws_instance.web`, `data.aws_ami.x`.
pub(crate) fn resource_text(name: &ResourceName) -> String {
    let prefix = match name.mode {
        Mode::Managed => "",
        Mode::Data => "data.",
        Mode::Ephemeral => "ephemeral.",
    };
    format!("{prefix}{}.{}", name.resource_type, name.name)
}

/// The kind of schema that a resource has.
pub(crate) fn schema_kind(mode: Mode) -> SchemaKind {
    match mode {
        Mode::Managed => SchemaKind::Resource,
        Mode::Data => SchemaKind::DataSource,
        Mode::Ephemeral => SchemaKind::EphemeralResource,
    }
}
