//! The dependency graph of a module tree.
//!
//! A node is an object of configuration in one module of the tree, for all instances of that module and of the object.
//! References go to whole resources, and to single outputs of modules.

use std::borrow::Cow;

use hashbrown::HashMap;
use objchange::address::{InstanceAddress, Mode, ModuleAddress, ModuleStep};
use objchange::schema::{Block, Schema, SchemaKind};
use objchange_hcl::{
    ActionConfig, ActionName, Attribute, Body, CheckConfig, Condition, ConfigBody, Expr, ImportConfig,
    ModuleCall, OutputConfig, ProviderConfig, Purpose, ResourceConfig, ResourceName, TriggerEvent,
    VariableConfig, references, variables,
};
use objchange_plan::Version;
use smol_str::SmolStr;

use crate::components::components;
use crate::config::{Config, ModuleId};
use crate::state::{PriorState, StateResource};
use crate::subject::{Subject, SubjectKind, parse};
use crate::versions::since;
use crate::{ProviderAddress, ProviderConfigAddress, Schemas};

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
    /// The graph of all modules, with the provider configurations that objects of the state need.
    pub(crate) fn new(
        config: &'c Config,
        schemas: &'c Schemas,
        state: &PriorState,
        actions: ActionRules,
    ) -> Self {
        let graph = Self { nodes: Vec::new(), index: HashMap::new(), actions };
        let mut builder = Builder { config, schemas, graph, imports: HashMap::new() };
        // The last import of an address counts, and the root module's counts most.
        let (root, others): (Vec<_>, Vec<_>) = imports(config).partition(|import| import.module == 0);
        for import in others.into_iter().chain(root) {
            builder.imports.entry(import.target()).or_default().push(import);
        }
        for module in 0..config.modules.len() {
            builder.module(module);
        }
        // Orphans are destroyed by the provider that the state names, even if no block uses it any more.
        for StateResource { provider, .. } in state.resources.values() {
            let is_there = provider.alias.is_none() || config.provider_block(provider).is_some();
            if is_there && !config.modules.is_empty() {
                builder.provider(provider.clone());
            }
        }
        builder.connect();
        builder.graph
    }

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
        // As Terraform 1.11.4 names its nodes: `(expand)` where a node stands for several instances, but for resources.
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

struct Builder<'c> {
    config: &'c Config,
    schemas: &'c Schemas,
    graph: Graph<'c>,
    /// The `import` blocks whose resources have no node yet.
    imports: HashMap<(Vec<SmolStr>, ResourceName), Vec<ImportBlock<'c>>>,
}

impl<'c> Builder<'c> {
    fn add(&mut self, key: NodeKey, node: Node<'c>) {
        self.graph.index.insert(key, self.graph.nodes.len());
        self.graph.nodes.push(node);
    }

    fn module(&mut self, module: ModuleId) {
        let loaded = &self.config.modules[module];
        let declared = &loaded.config;
        let plain = |kind, subjects| Node {
            module,
            scope: module,
            kind,
            subjects,
            depends_on: Vec::new(),
            imports: Vec::new(),
            triggered: Vec::new(),
            needs: Vec::new(),
            invoked: Vec::new(),
            after: Vec::new(),
        };
        for (name, variable) in &declared.variables {
            let mut node = plain(NodeKind::Variable(name, variable), Vec::new());
            if let (Some(parent), Some(call)) = (loaded.parent, self.call_of(module)) {
                // Arguments are evaluated in the calling module.
                node.scope = parent;
                let argument = call.arguments.iter().find(|argument| argument.name == *name);
                node.subjects = subjects(argument.map(|argument| &argument.expr));
            }
            self.add(NodeKey::Variable(module, name.clone()), node);
            if !variable.validations.is_empty() {
                let found = conditions(&variable.validations);
                let node = plain(NodeKind::Validation(name, variable), found);
                self.add(NodeKey::Validation(module, name.clone()), node);
            }
        }
        for (name, local) in &declared.locals {
            let node = plain(NodeKind::Local(name, local), subjects([&local.expr]));
            self.add(NodeKey::Local(module, name.clone()), node);
        }
        for (name, output) in &declared.outputs {
            let mut found = subjects([&output.value]);
            found.extend(conditions(&output.preconditions));
            let mut node = plain(NodeKind::Output(name, output), found);
            node.depends_on = subjects(&output.depends_on);
            self.add(NodeKey::Output(module, name.clone()), node);
        }
        for (name, call) in &declared.calls {
            let mut node = plain(
                NodeKind::Call(name, call),
                subjects(call.count.iter().chain(&call.for_each).chain(&call.enabled)),
            );
            node.depends_on = subjects(&call.depends_on);
            self.add(NodeKey::Call(module, name.clone()), node);
            self.add(NodeKey::CallClose(module, name.clone()), plain(NodeKind::CallClose(name), Vec::new()));
        }
        for (name, check) in &declared.checks {
            let node = plain(NodeKind::Check(name, check), conditions(&check.asserts));
            self.add(NodeKey::Check(module, name.clone()), node);
        }
        // Those of a module come before its resources, whose nodes look at them.
        if self.graph.actions != ActionRules::Unknown {
            for (name, config) in &declared.actions {
                self.action(module, name, config);
            }
        }
        for (name, config) in &declared.resources {
            self.resource(module, name, config);
        }
    }

    fn action(&mut self, module: ModuleId, name: &'c ActionName, config: &'c ActionConfig) {
        let provider_config = self.config.provider_config_of_action(module, name);
        let provider = &provider_config.provider;
        let schema = self.schemas.get(provider, SchemaKind::Action, &name.action_type).ok().flatten();
        let inferred = self.schemas.inferred_action(module, name).filter(|_| schema.is_none());
        let (schema, is_inferred) = (schema.or(inferred), inferred.is_some());
        let empty = Block::new::<SmolStr>([], []);
        let block = schema.map_or(&empty, |schema| &schema.block);
        let nothing = || Body { missing: config.header, ..Body::default() };
        let (body, body_errors) = match &config.config {
            Some((_, body)) => body.under(block),
            None => (Cow::Owned(nothing()), Vec::new()),
        };
        let referenced = references(&body, block, Purpose::Core);
        let node = ActionNode {
            name,
            config,
            provider_config: provider_config.clone(),
            schema,
            is_inferred,
            subjects: referenced.iter().filter_map(|reference| parse(reference).0).collect(),
            body,
            body_errors,
            config_needs: Vec::new(),
        };
        let node = Node {
            module,
            scope: module,
            kind: NodeKind::Action(Box::new(node)),
            subjects: subjects(config.count.iter().chain(&config.for_each)),
            depends_on: Vec::new(),
            imports: Vec::new(),
            triggered: Vec::new(),
            needs: Vec::new(),
            invoked: Vec::new(),
            after: Vec::new(),
        };
        self.add(NodeKey::Action(module, name.clone()), node);
        self.provider(provider_config);
    }

    /// The references of what a resource triggers.
    fn triggered(&self, module: ModuleId, config: &ResourceConfig) -> Vec<Subject> {
        let mut found = Vec::new();
        if self.graph.actions == ActionRules::Unknown {
            return found;
        }
        for trigger in &config.lifecycle.action_triggers {
            found.extend(subjects(&trigger.condition));
            for action in &trigger.actions {
                let key = NodeKey::Action(module, action.name.clone());
                let node = self.graph.find(&key).map(|node| &self.graph.nodes[node].kind);
                if let Some(NodeKind::Action(action)) = node {
                    found.extend(action.subjects.iter().cloned());
                }
            }
        }
        found
    }

    /// The call that makes a module.
    fn call_of(&self, module: ModuleId) -> Option<&'c ModuleCall> {
        let loaded = &self.config.modules[module];
        self.config.modules[loaded.parent?].config.calls.get(loaded.path.last()?)
    }

    fn resource(&mut self, module: ModuleId, name: &'c ResourceName, config: &'c ResourceConfig) {
        let provider_config = self.config.provider_config_of(module, name);
        let provider = provider_config.provider.clone();
        let schema = self.schemas.get(&provider, schema_kind(name.mode), &name.resource_type).ok().flatten();
        let inferred = self.schemas.inferred(module, name).filter(|_| schema.is_none());
        let (schema, is_inferred) = (schema.or(inferred), inferred.is_some());
        let empty = Block::new::<SmolStr>([], []);
        let block = schema.map_or(&empty, |schema| &schema.block);
        let (body, body_errors) = config.body.under(block);
        let mut found =
            subjects(config.count.iter().chain(&config.for_each).chain(&config.lifecycle.enabled));
        found.extend(subjects(&config.lifecycle.prevents_destroy));
        let referenced = references(&body, block, Purpose::Core);
        found.extend(referenced.iter().filter_map(|reference| parse(reference).0));
        // Provisioners run at apply, but their references are edges of the graph of `terraform plan`, too.
        found.extend(generic_bodies(config).iter().flat_map(body_subjects));
        let path = self.config.modules[module].path.clone();
        let imports = self.imports.remove(&(path, name.clone())).unwrap_or_default();
        let lifecycle = &config.lifecycle;
        found.extend(conditions(&lifecycle.preconditions));
        found.extend(conditions(&lifecycle.postconditions));
        found.extend(subjects(&lifecycle.replace_triggered_by));
        let node = Node {
            module,
            scope: module,
            subjects: found,
            depends_on: subjects(&config.depends_on),
            imports,
            triggered: self.triggered(module, config),
            needs: Vec::new(),
            invoked: Vec::new(),
            after: Vec::new(),
            kind: NodeKind::Resource(Box::new(ResourceNode {
                name,
                config,
                provider,
                schema,
                is_inferred,
                body,
                body_errors,
                provider_config: provider_config.clone(),
            })),
        };
        self.add(NodeKey::Resource(module, name.clone()), node);
        self.provider(provider_config);
    }

    fn provider(&mut self, address: ProviderConfigAddress) {
        let key = NodeKey::Provider(address.clone());
        if self.graph.index.contains_key(&key) {
            return;
        }
        let (module, config) = match self.config.provider_block(&address) {
            Some((module, config)) => (module, Some(config)),
            // Terraform makes an empty configuration in the root module where no block is written.
            None => (0, None),
        };
        let schema = self.schemas.get(&address.provider, SchemaKind::Provider, "").ok().flatten();
        let empty = Block::new::<SmolStr>([], []);
        let block = schema.map_or(&empty, |schema| &schema.block);
        let (body, body_errors) = config.map_or_else(Default::default, |config| config.body.under(block));
        let referenced = references(&body, block, Purpose::Core);
        let found = referenced.iter().filter_map(|reference| parse(reference).0).collect();
        let node = Node {
            module,
            scope: module,
            subjects: found,
            depends_on: Vec::new(),
            imports: Vec::new(),
            triggered: Vec::new(),
            needs: Vec::new(),
            invoked: Vec::new(),
            after: Vec::new(),
            kind: NodeKind::Provider(Box::new(ProviderNode { address, config, schema, body, body_errors })),
        };
        self.add(key, node);
    }

    fn connect(&mut self) {
        let mut within_checks: HashMap<(ModuleId, &SmolStr), Vec<usize>> = HashMap::new();
        for (index, node) in self.graph.nodes.iter().enumerate() {
            if let NodeKind::Resource(resource) = &node.kind
                && let Some(check) = &resource.config.check
            {
                within_checks.entry((node.module, check)).or_default().push(index);
            }
        }
        for index in 0..self.graph.nodes.len() {
            let node = &self.graph.nodes[index];
            let mut needs = Vec::new();
            for subject in node.subjects.iter().chain(&node.depends_on) {
                self.subject(node.scope, subject, &mut needs);
            }
            // Every node in a module depends on the call, which makes the instances.
            if let Some((parent, call)) = self.place(node.module) {
                needs.extend(self.graph.find(&NodeKey::Call(parent, call)));
            }
            for import in &node.imports {
                import.subjects().iter().for_each(|subject| self.subject(import.module, subject, &mut needs));
            }
            match &node.kind {
                NodeKind::Validation(name, _) => {
                    needs.extend(self.graph.find(&NodeKey::Variable(node.module, (*name).clone())));
                    // The rules read the variable, and not what they let pass: that would be a cycle.
                    let own = self.graph.find(&NodeKey::Validation(node.module, (*name).clone()));
                    needs.retain(|need| Some(*need) != own);
                }
                NodeKind::Resource(resource) => {
                    needs.extend(self.graph.find(&NodeKey::Provider(resource.provider_config.clone())));
                }
                NodeKind::Action(action) => {
                    needs.extend(self.graph.find(&NodeKey::Provider(action.provider_config.clone())));
                }
                NodeKind::Check(name, _) => {
                    needs.extend(within_checks.get(&(node.module, *name)).into_iter().flatten());
                }
                NodeKind::CallClose(name) => {
                    needs.extend(self.graph.find(&NodeKey::Call(node.module, (*name).clone())));
                    if let Some(child) = self.config.modules[node.module].children.get(*name) {
                        self.everything_in(*child, &mut needs);
                    }
                }
                _ => {}
            }
            // Terraform reports self-references where it checks references, not as cycles.
            needs.retain(|need| *need != index);
            needs.sort_unstable();
            needs.dedup();
            let invoked = self.needs_of_actions(index, |_| true);
            let mut after = needs.clone();
            match self.graph.actions {
                // An action that looks at the resource itself sees what is planned.
                ActionRules::WithCaller => after.extend(invoked.iter().filter(|need| **need != index)),
                ActionRules::First => after.extend(self.needs_of_actions(index, TriggerEvent::is_before)),
                ActionRules::Unknown => {}
            }
            after.sort_unstable();
            after.dedup();
            let mut config_needs = Vec::new();
            if let NodeKind::Action(action) = &self.graph.nodes[index].kind {
                let scope = self.graph.nodes[index].scope;
                action.subjects.iter().for_each(|subject| self.subject(scope, subject, &mut config_needs));
            }
            let node = &mut self.graph.nodes[index];
            (node.needs, node.invoked, node.after) = (needs, invoked, after);
            if let NodeKind::Action(action) = &mut node.kind {
                action.config_needs = config_needs;
            }
        }
    }

    /// The needs of the actions that a resource triggers, with the resource itself if they look at it: those of triggers with
    /// such an event.
    fn needs_of_actions(&self, index: usize, is_meant: impl Fn(TriggerEvent) -> bool) -> Vec<usize> {
        let node = &self.graph.nodes[index];
        let NodeKind::Resource(resource) = &node.kind else { return Vec::new() };
        let mut needs = Vec::new();
        if self.graph.actions == ActionRules::Unknown {
            return needs;
        }
        let triggers = resource.config.lifecycle.action_triggers.iter();
        for trigger in triggers.filter(|trigger| trigger.events.iter().any(|event| is_meant(*event))) {
            let condition = subjects(&trigger.condition);
            condition.iter().for_each(|subject| self.subject(node.scope, subject, &mut needs));
            for reference in &trigger.actions {
                let key = NodeKey::Action(node.module, reference.name.clone());
                let Some(found) = self.graph.find(&key) else { continue };
                needs.push(found);
                if let NodeKind::Action(action) = &self.graph.nodes[found].kind {
                    action.subjects.iter().for_each(|subject| self.subject(node.scope, subject, &mut needs));
                }
            }
        }
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    /// The module around a module, and the call that makes it.
    fn place(&self, module: ModuleId) -> Option<(ModuleId, SmolStr)> {
        let loaded = &self.config.modules[module];
        Some((loaded.parent?, loaded.path.last()?.clone()))
    }

    fn subject(&self, module: ModuleId, subject: &Subject, needs: &mut Vec<usize>) {
        let mut add = |key| needs.extend(self.graph.find(&key));
        match &subject.kind {
            SubjectKind::Variable(name) => {
                // Nothing sees a value that the rules refuse. Two variables whose rules refer to each other are therefore a
                // cycle: `var.w (validation), var.v (validation)` in Terraform 1.11.4.
                add(NodeKey::Variable(module, name.clone()));
                add(NodeKey::Validation(module, name.clone()));
            }
            SubjectKind::Local(name) => add(NodeKey::Local(module, name.clone())),
            SubjectKind::Resource { name, .. } => add(NodeKey::Resource(module, name.clone())),
            SubjectKind::Module { call, output, .. } => {
                add(NodeKey::Call(module, call.clone()));
                let Some(child) = self.config.modules[module].children.get(call) else { return };
                let outputs = &self.config.modules[*child].config.outputs;
                match output.as_ref().filter(|output| outputs.contains_key(*output)) {
                    // The single output: a call may need values that another of its outputs feeds.
                    Some(output) => add(NodeKey::Output(*child, output.clone())),
                    // The module as a whole is there once everything in it is.
                    None => add(NodeKey::CallClose(module, call.clone())),
                }
            }
            // `path`, `terraform`, `count`, `each` and `self` have values without a node.
            _ => {}
        }
    }

    /// All nodes of a module and of those that it calls.
    fn everything_in(&self, module: ModuleId, needs: &mut Vec<usize>) {
        let loaded = &self.config.modules[module];
        let declared = &loaded.config;
        let mut add = |key| needs.extend(self.graph.find(&key));
        declared.variables.keys().for_each(|name| {
            add(NodeKey::Variable(module, name.clone()));
            add(NodeKey::Validation(module, name.clone()));
        });
        declared.locals.keys().for_each(|name| add(NodeKey::Local(module, name.clone())));
        declared.outputs.keys().for_each(|name| add(NodeKey::Output(module, name.clone())));
        declared.resources.keys().for_each(|name| add(NodeKey::Resource(module, name.clone())));
        declared.checks.keys().for_each(|name| add(NodeKey::Check(module, name.clone())));
        declared.actions.keys().for_each(|name| add(NodeKey::Action(module, name.clone())));
        declared.calls.keys().for_each(|name| add(NodeKey::CallClose(module, name.clone())));
    }
}

/// An `import` block, with the module that it is in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImportBlock<'c> {
    pub(crate) module: ModuleId,
    /// The calls to the module.
    path: &'c [SmolStr],
    pub(crate) config: &'c ImportConfig,
}

impl ImportBlock<'_> {
    /// Completes an address that is written in the module, without the keys of instances of the module.
    pub(crate) fn absolute(&self, address: &InstanceAddress) -> InstanceAddress {
        let around = self.path.iter().map(|name| ModuleStep { name: name.to_string(), key: None });
        within(address.clone(), &ModuleAddress(around.collect()))
    }

    /// The resource that gets the object.
    pub(crate) fn target(&self) -> (Vec<SmolStr>, ResourceName) {
        resource_of(&self.absolute(&self.config.to.address))
    }

    /// The references of the block.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let ImportConfig { id, identity, for_each, .. } = self.config;
        subjects([id, identity, for_each].into_iter().flatten())
    }
}

/// The `import` blocks of all modules, those of the root module first.
pub(crate) fn imports(config: &Config) -> impl Iterator<Item = ImportBlock<'_>> {
    config.modules.iter().enumerate().flat_map(|(module, loaded)| {
        loaded.config.imports.iter().map(move |config| ImportBlock { module, path: &loaded.path, config })
    })
}

/// Completes an address that is written in an instance of a module.
pub(crate) fn within(mut address: InstanceAddress, module: &ModuleAddress) -> InstanceAddress {
    address.resource.module.0.splice(0..0, module.0.iter().cloned());
    address
}

/// The resource that an address is of: the calls to its module, and its name there.
pub(crate) fn resource_of(address: &InstanceAddress) -> (Vec<SmolStr>, ResourceName) {
    let path = address.resource.module.0.iter().map(|step| SmolStr::from(step.name.as_str())).collect();
    (path, super::orphans::resource_name(&address.resource))
}

fn subjects<'e>(expressions: impl IntoIterator<Item = &'e Expr>) -> Vec<Subject> {
    let references = expressions.into_iter().flat_map(variables);
    references.filter_map(|reference| parse(&reference).0).collect()
}

fn conditions(conditions: &[Condition]) -> Vec<Subject> {
    subjects(conditions.iter().flat_map(|condition| [&condition.condition, &condition.error_message]))
}

/// The bodies of `provisioner` and `connection` blocks.
fn generic_bodies(config: &ResourceConfig) -> Vec<Body> {
    let provisioners = config
        .provisioners
        .iter()
        .flat_map(|provisioner| std::iter::once(&provisioner.body).chain(&provisioner.connection));
    provisioners.chain(&config.connection).map(ConfigBody::generic).collect()
}

/// The references of a body without a schema.
fn body_subjects(body: &Body) -> Vec<Subject> {
    let mut found = subjects(body.attributes.iter().map(|attribute| &attribute.expr));
    found.extend(body.blocks.iter().flat_map(|block| body_subjects(&block.body)));
    found
}
