//! Builds the graph of a module tree from its configuration.

use std::borrow::Cow;

use hashbrown::HashMap;
use objchange::schema::{Block, SchemaKind};
use objchange_hcl::{
    ActionConfig, ActionName, Body, Condition, ConfigBody, Expr, ModuleCall, Purpose, ResourceConfig,
    ResourceName, TriggerEvent, references, variables,
};
use smol_str::SmolStr;

use super::imports::{ImportBlock, imports};
use super::{
    ActionNode, ActionRules, Graph, Node, NodeKey, NodeKind, ProviderNode, ResourceNode, schema_kind,
};
use crate::config::{Config, ModuleId};
use crate::state::{PriorState, StateResource};
use crate::subject::{Subject, SubjectKind, parse};
use crate::{ProviderConfigAddress, Schemas};

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
}

impl<'c> Node<'c> {
    /// A node with these references, which nothing is connected to yet.
    fn new(module: ModuleId, kind: NodeKind<'c>, subjects: Vec<Subject>) -> Self {
        Self {
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
        }
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
        let plain = |kind, subjects| Node::new(module, kind, subjects);
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
            node.subjects
                .extend(subjects(call.providers.iter().filter_map(|(_, outside)| outside.key.as_deref())));
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
        let found = subjects(config.count.iter().chain(&config.for_each));
        let node = Node::new(module, NodeKind::Action(Box::new(node)), found);
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
        found.extend(subjects(config.provider.iter().filter_map(|provider| provider.key.as_deref())));
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
        let kind = NodeKind::Resource(Box::new(ResourceNode {
            name,
            config,
            provider,
            schema,
            is_inferred,
            body,
            body_errors,
            provider_config: provider_config.clone(),
            provider_key: self.config.provider_key_of(module, name),
        }));
        let node = Node {
            depends_on: subjects(&config.depends_on),
            imports,
            triggered: self.triggered(module, config),
            ..Node::new(module, kind, found)
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
        let mut found = subjects(config.and_then(|config| config.for_each.as_ref()));
        found.extend(referenced.iter().filter_map(|reference| parse(reference).0));
        let kind = NodeKind::Provider(Box::new(ProviderNode { address, config, schema, body, body_errors }));
        self.add(key, Node::new(module, kind, found));
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

pub(super) fn subjects<'e>(expressions: impl IntoIterator<Item = &'e Expr>) -> Vec<Subject> {
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
