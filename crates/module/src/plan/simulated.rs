//! Traces unknown values to simulated providers: a real provider may know them.
//!
//! Real providers say more of a planned object than its schema does: an `arn` that follows from a name, or an `id` that an
//! update leaves alone. A `count` that depends on such an attribute of a simulated provider is no error of the user's.

use hashbrown::HashSet;
use objchange::address::{InstanceKey, Mode};
use objchange::schema::AttributeType;
use objchange::value::{Path, PathStep};
use objchange_hcl::Expr;

use super::PlannedAction;
use super::graph::{NodeKind, ResourceNode};
use super::instances::ModuleInstanceId;
use super::references::{ObjectPart, in_body, key_of, subjects};
use super::resource::{instance_address, resource_address};
use super::walk::Walk;
use crate::subject::SubjectKind;

/// Expressions that something comes from, in an instance of a module.
struct Origin<'e> {
    expressions: Vec<&'e Expr>,
    at: ModuleInstanceId,
    /// The expressions of `count` and `each`, and the module instance that they are in.
    repeated: Option<(Vec<&'e Expr>, ModuleInstanceId)>,
}

/// A part of an object: its instance of a module, its node, and its key and path.
pub(crate) type InstancePart = (ModuleInstanceId, usize, String);

/// Where an unknown value comes from.
enum Unknown<'e> {
    /// A simulated provider computes it.
    ProviderDependent,
    /// Terraform does not know it either, unless it knows what these expressions are.
    From(Origin<'e>),
}

impl<'c> Walk<'_, 'c> {
    /// An attribute of a simulated object that an expression is unknown because of; none if it is unknown to Terraform, too.
    ///
    /// The attribute is noted as unanswered, so that dependents do not search again.
    pub(crate) fn unasked(&mut self, expr: &Expr, at: ModuleInstanceId) -> Option<String> {
        let mut seen = HashSet::new();
        for subject in subjects(&[expr]) {
            for found in self.targets(&subject, at) {
                if let Some(attribute) = self.unasked_part(found.clone(), &mut seen) {
                    self.unanswered[found.node].insert(attribute.clone());
                    return Some(attribute);
                }
            }
        }
        // Nothing that was searched leads to a simulated provider. Later searches end at these parts, so that a chain is
        // walked once, and not again from each of its links.
        self.asked.extend(seen);
        None
    }

    fn unasked_part(&self, start: ObjectPart, seen: &mut HashSet<InstancePart>) -> Option<String> {
        let mut open = vec![start];
        while let Some(found) = open.pop() {
            let is_call = matches!(self.graph.nodes[found.node].kind, NodeKind::Call(..));
            if is_call || self.value_of(&found).is_some_and(|value| value.is_wholly_known()) {
                continue;
            }
            let part = (found.at, found.node, path_of(&found).to_string());
            if self.asked.contains(&part) || !seen.insert(part) {
                continue;
            }
            match self.origin(&found) {
                Unknown::ProviderDependent => return Some(self.name_of(&found)),
                Unknown::From(origin) => self.open_targets(&origin, &mut open),
            }
        }
        None
    }

    /// Whether the value of an argument is unknown because a provider was not asked: about a data source, about an object that stays,
    /// or about one that no model plans. What a model leaves unknown in a new object is unknown to Terraform, too.
    pub(crate) fn may_be_known(
        &self,
        resource: &ResourceNode<'c>,
        argument: &Path,
        at: ModuleInstanceId,
    ) -> bool {
        let Some(PathStep::Attribute(name)) = argument.steps().first() else { return true };
        let written = resource.body.attributes.iter().find(|written| written.name == *name);
        let mut expressions = Vec::new();
        match written {
            Some(written) => expressions.push(&written.expr),
            None => in_body(&resource.body, &mut expressions),
        }
        let repeated = resource.config.count.iter().chain(&resource.config.for_each).collect();
        let mut open = Vec::new();
        self.open_targets(&Origin { expressions, at, repeated: Some((repeated, at)) }, &mut open);
        let mut seen = HashSet::new();
        while let Some(found) = open.pop() {
            if self.value_of(&found).is_some_and(|value| value.is_wholly_known()) {
                continue;
            }
            if !seen.insert((found.at, found.node, path_of(&found).to_string())) {
                continue;
            }
            let is_data = matches!(
                &self.graph.nodes[found.node].kind,
                NodeKind::Resource(resource) if resource.name.mode == Mode::Data
            );
            match self.origin(&found) {
                _ if is_data && !self.unanswered[found.node].is_empty() => return true,
                Unknown::ProviderDependent if self.is_new_by_model(&found) => {}
                Unknown::ProviderDependent => return true,
                Unknown::From(origin) => self.open_targets(&origin, &mut open),
            }
        }
        false
    }

    /// Whether an object is certainly created or replaced, and was planned with a model.
    fn is_new_by_model(&self, found: &ObjectPart) -> bool {
        let NodeKind::Resource(resource) = &self.graph.nodes[found.node].kind else { return false };
        if !self.providers.is_learned(&resource.provider, &resource.name.resource_type) {
            return false;
        }
        let module = &self.world.instances[found.at].address;
        let Some(changes) = self.changes.get(&resource_address(module, resource.name)) else { return false };
        let key = found.key.as_ref().map(key_of);
        let is_wanted = |known: &Option<InstanceKey>| key.as_ref().is_none_or(|key| key == known);
        let mut wanted = changes.iter().filter(|(known, _)| is_wanted(known)).peekable();
        let is_new = |at: usize| {
            let change = &self.plan.changes[at];
            let is_new = change.action == PlannedAction::Create || change.action.is_replace();
            is_new && !self.unsure.contains(&change.address)
        };
        wanted.peek().is_some() && wanted.all(|(_, at)| is_new(*at))
    }

    fn open_targets(&self, origin: &Origin<'_>, open: &mut Vec<ObjectPart>) {
        for subject in subjects(&origin.expressions) {
            match (&subject.kind, &origin.repeated) {
                (SubjectKind::Each(_) | SubjectKind::Count(_), Some((repeated, at))) => {
                    let subjects = subjects(repeated);
                    open.extend(subjects.iter().flat_map(|subject| self.targets(subject, *at)));
                }
                _ => open.extend(self.targets(&subject, origin.at)),
            }
        }
    }

    /// Traces an unknown value, or a part of one.
    fn origin<'s>(&'s self, found: &ObjectPart) -> Unknown<'s> {
        let node = &self.graph.nodes[found.node];
        let plain = |expressions| Unknown::From(Origin { expressions, at: found.at, repeated: None });
        match &node.kind {
            NodeKind::Variable(name, _) => {
                let config = self.input.config;
                let call = super::variable::call_of(config, node.module);
                let argument =
                    call.and_then(|call| call.arguments.iter().find(|argument| argument.name == **name));
                match (call, argument, self.world.instances[found.at].parent) {
                    (Some(call), Some(argument), Some(parent)) => Unknown::From(Origin {
                        expressions: vec![&argument.expr],
                        at: parent,
                        repeated: Some((call.count.iter().chain(&call.for_each).collect(), parent)),
                    }),
                    _ => plain(Vec::new()),
                }
            }
            NodeKind::Local(_, local) => plain(vec![&local.expr]),
            NodeKind::Output(_, output) => plain(vec![&output.value]),
            NodeKind::Resource(resource) => match resource.name.mode {
                Mode::Managed => self.managed_origin(found, resource),
                Mode::Data => self.data_origin(found, resource),
                Mode::Ephemeral => plain(Vec::new()),
            },
            _ => plain(Vec::new()),
        }
    }

    fn managed_origin<'s>(&'s self, found: &ObjectPart, resource: &'s ResourceNode<'c>) -> Unknown<'s> {
        let attribute = match found.path.first() {
            Some(PathStep::Attribute(name)) => Some(name.as_str()),
            _ => None,
        };
        let is_builtin = resource.provider.is_builtin();
        if self.providers.is_simulated(&resource.provider_config) {
            // A block or a nested object may have computed attributes beside what is written.
            let schema = resource.schema.zip(attribute);
            let known = schema.and_then(|(schema, name)| schema.block.attribute(name));
            let written =
                resource.body.attributes.iter().find(|written| Some(written.name.as_str()) == attribute);
            return match (written, known) {
                (Some(written), Some(known))
                    if matches!(known.ty, AttributeType::Plain(_))
                        && self.is_open(&written.expr, found, resource) =>
                {
                    self.origin_in(found, resource, vec![&written.expr])
                }
                _ => Unknown::ProviderDependent,
            };
        }
        let module = &self.world.instances[found.at].address;
        let is_new = match found.key.as_ref().map(key_of) {
            None if is_repeated(resource) => {
                !self.state.resources.contains_key(&resource_address(module, resource.name))
            }
            key => self.current(&instance_address(module, resource.name, key.flatten())).is_none(),
        };
        let mut expressions = Vec::new();
        match attribute {
            // Terraform itself does not know the `id` of a new `terraform_data`, and its `output` is unknown because of
            // `input` alone.
            Some("id") if is_builtin && is_new => {}
            Some("input" | "output") if is_builtin && is_new => {
                let written = resource.body.attributes.iter().find(|written| written.name == "input");
                expressions.extend(written.map(|written| &written.expr));
            }
            _ => {
                in_body(&resource.body, &mut expressions);
                expressions.extend(&resource.config.lifecycle.replace_triggered_by);
            }
        }
        self.origin_in(found, resource, expressions)
    }

    fn data_origin<'s>(&'s self, found: &ObjectPart, resource: &'s ResourceNode<'c>) -> Unknown<'s> {
        let mut expressions = Vec::new();
        in_body(&resource.body, &mut expressions);
        // A managed resource that it waits for may turn out to have no changes.
        match self.awaited(found.node, &self.world.instances[found.at].address) {
            Some(false) => Unknown::ProviderDependent,
            None | Some(true) => self.origin_in(found, resource, expressions),
        }
    }

    fn origin_in<'s>(
        &self,
        found: &ObjectPart,
        resource: &'s ResourceNode<'c>,
        expressions: Vec<&'s Expr>,
    ) -> Unknown<'s> {
        let config = resource.config;
        let repeated = config.count.iter().chain(&config.for_each).collect();
        Unknown::From(Origin { expressions, at: found.at, repeated: Some((repeated, found.at)) })
    }

    /// Whether an argument of a resource refers to something that is not known.
    fn is_open(&self, expr: &Expr, found: &ObjectPart, resource: &ResourceNode<'c>) -> bool {
        let mut open = Vec::new();
        if let Unknown::From(origin) = self.origin_in(found, resource, vec![expr]) {
            self.open_targets(&origin, &mut open);
        }
        open.iter().any(|found| !self.value_of(found).is_some_and(|value| value.is_wholly_known()))
    }
}

/// The path of a part, from all instances of its node.
fn path_of(found: &ObjectPart) -> Path {
    found.key.iter().cloned().map(PathStep::Index).chain(found.path.clone()).collect()
}

fn is_repeated(resource: &ResourceNode<'_>) -> bool {
    resource.config.count.is_some() || resource.config.for_each.is_some()
}
