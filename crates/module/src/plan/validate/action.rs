//! Actions and what triggers them: whether they fit.

use objchange::Value;
use objchange::value::{Kind, Path};
use objchange_hcl::{ActionRef, Body, Diagnostic, ResourceName, constant, variables};

use super::super::check::{ReferenceContext, SelfObject};
use super::super::graph::{ActionNode, ActionRules, NodeKey, NodeKind, ResourceNode};
use super::super::instances::ModuleInstanceId;
use super::Validator;
use super::resource::{own_key, self_reference};
use crate::config::ModuleId;
use crate::providers::ProvidersExt;
use crate::subject::parse;

impl<'c> Validator<'_, 'c> {
    /// The `action_trigger` blocks of a resource.
    pub(super) fn action_triggers(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        resource: &ResourceNode<'_>,
    ) {
        let rules = self.graph.actions;
        if rules == ActionRules::Unknown {
            return;
        }
        let is_new = rules == ActionRules::WithCaller;
        // Older versions refuse `self` while planning.
        let place = match is_new {
            true => ReferenceContext { caller: place.self_object, ..place },
            false => place,
        };
        for trigger in &resource.config.lifecycle.action_triggers {
            if let Some(condition) = &trigger.condition {
                let references = variables(condition);
                let subjects = references.iter().filter_map(|reference| parse(reference).0);
                let own = subjects.filter(|subject| is_new && own_key(resource.name, subject).is_some());
                let own: Vec<_> = own.collect();
                for subject in &own {
                    self.found.error("Self-referential block", subject.span, self_reference(subject));
                }
                if own.is_empty() {
                    self.evaluate(at, place, condition);
                }
            }
            for action in &trigger.actions {
                let errors = self.found.error_count();
                if is_new {
                    self.action_key(place.module, action);
                }
                if let Some(key) = action.key.as_ref().filter(|_| self.found.error_count() == errors) {
                    self.evaluate(at, place, key);
                }
            }
        }
    }

    /// Whether a reference to an action has a key where it must have one, and only there.
    fn action_key(&mut self, module: ModuleId, reference: &ActionRef) {
        let config = self.input.config;
        let Some(action) = config.modules[module].config.actions.get(&reference.name) else { return };
        let expected = match (&action.count, &action.for_each) {
            (Some(_), _) => "An action with count must be referenced via an integer key",
            (_, Some(_)) => "An action with for_each must be referenced via a string key",
            (None, None) => {
                if let Some(key) = &reference.key {
                    let key = constant(key).ok();
                    let shown = key.as_ref().map(|key| match key.kind() {
                        Kind::Number(number) => number.to_string(),
                        Kind::String(text) => format!("{text:?}"),
                        _ => String::new(),
                    });
                    let detail = match shown {
                        Some(shown) => format!("Unexpanded action referenced with instance key {shown}"),
                        None => "Unexpanded action referenced with instance key".to_owned(),
                    };
                    self.found.error("Invalid index", reference.span, detail);
                }
                return;
            }
        };
        if reference.key.is_none() {
            self.found.error("Missing index", reference.span, expected);
        }
    }

    /// An action: its instances, and its configuration for each resource that triggers it.
    pub(super) fn action(&mut self, module: ModuleId, action: &ActionNode<'_>) {
        let at = self.world.by_module[module][0];
        let config = action.config;
        let before = self.found.error_count();
        self.expand_action(at, module, action);
        if self.found.error_count() > before {
            return;
        }
        self.found.errors(action.body_errors.iter().cloned());
        let place = ReferenceContext {
            module,
            has_count: config.count.is_some(),
            has_each: config.for_each.is_some(),
            ..ReferenceContext::default()
        };
        let graph = self.graph;
        let declared = &self.input.config.modules[module].config;
        let triggers = |name: &ResourceName| {
            let lifecycle = declared.resources.get(name).map(|resource| &resource.lifecycle);
            let actions = lifecycle.into_iter().flat_map(|lifecycle| &lifecycle.action_triggers);
            actions.flat_map(|trigger| &trigger.actions).any(|reference| reference.name == *action.name)
        };
        let callers: Vec<&ResourceNode<'c>> = match graph.actions {
            ActionRules::WithCaller => {
                let names = declared.resources.keys().filter(|name| triggers(name));
                let nodes = names.filter_map(|name| graph.find(&NodeKey::Resource(module, name.clone())));
                let resources = nodes.filter_map(|node| match &graph.nodes[node].kind {
                    NodeKind::Resource(resource) => Some(&**resource),
                    _ => None,
                });
                resources.collect()
            }
            ActionRules::First | ActionRules::Unknown => Vec::new(),
        };
        let path: String =
            self.input.config.modules[module].path.iter().map(|name| format!("module.{name}.")).collect();
        let own = format!("{path}{}", action.name);
        if callers.is_empty() {
            self.action_config(at, place, action, &own);
        }
        for caller in callers {
            let object = match caller.schema {
                Some(_) if caller.is_inferred => SelfObject::Anything,
                Some(schema) => SelfObject::OfSchema(&schema.block),
                // That type was refused.
                None => SelfObject::Anything,
            };
            let place = ReferenceContext { self_object: object, caller: object, ..place };
            for subject in action.subjects.iter().filter(|subject| own_key(caller.name, subject).is_some()) {
                let detail = "The triggering resource object can be accessed via the \"caller\" symbol to avoid unexpected \
                              graph cycles.";
                self.found.warning("Reference to triggering resource", subject.whole(), detail);
            }
            let key = if caller.config.count.is_some() { "[0]" } else { "" };
            let resource = super::super::graph::resource_text(caller.name);
            let address = format!("{own}, called from {path}{resource}{key}");
            self.action_config(at, place, action, &address);
        }
    }

    fn expand_action(&mut self, at: ModuleInstanceId, module: ModuleId, action: &ActionNode<'_>) {
        let outer = std::mem::take(&mut self.found);
        self.expand(at, module, action.config.count.as_ref(), action.config.for_each.as_ref());
        let inner = std::mem::replace(&mut self.found, outer);
        for found in inner.iter() {
            let mut all = [found.diagnostic.clone()];
            super::expand::in_words_of_actions(&mut all);
            let [diagnostic] = all;
            self.found.push(diagnostic.severity, diagnostic);
        }
    }

    /// The configuration of an action, as one caller has it.
    fn action_config(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        action: &ActionNode<'_>,
        address: &str,
    ) {
        let Some(schema) = action.schema else { return };
        if self.graph.actions == ActionRules::WithCaller && self.has_dynamic(&action.body) {
            return;
        }
        let before = std::mem::take(&mut self.found);
        let decoded = self.decode(at, place, &action.body, &schema.block);
        let found = std::mem::replace(&mut self.found, before);
        for found in found.iter() {
            let diagnostic = match action.config.config {
                Some(_) => found.diagnostic.clone(),
                None => without_block(found.diagnostic.clone()),
            };
            self.found.push(diagnostic.severity, diagnostic);
        }
        let Some(decoded) = decoded else { return };
        let value_place = |path: &Path| crate::plan::resource::value_place(&action.body, &decoded, path);
        let value: &Value = &decoded.value;
        let refused = crate::plan::resource::ephemeral_refusals(address, &schema.block, value, value_place);
        if !action.is_inferred {
            self.found.append(refused);
        }
        self.secrets.learn(&schema.block, value);
        let kind = objchange::schema::SchemaKind::Action;
        let action_type = &action.name.action_type;
        let found =
            self.providers.validate(&action.provider_config, kind, action_type, &value.unmark_deep().0);
        self.provider_diagnostics(found, Some(address), &value_place);
    }

    /// Whether blocks are generated, which is reported: configurations of actions have no such blocks since 1.16.
    fn has_dynamic(&mut self, body: &Body) -> bool {
        let mut found = false;
        for block in &body.blocks {
            if block.kind == "dynamic" {
                let detail = "Blocks of type \"dynamic\" are not expected here.";
                self.found.error("Unsupported block type", block.kind_span, detail);
                found = true;
            }
            found |= self.has_dynamic(&block.body);
        }
        found
    }
}

/// An error about something that is missing, where there is no block that could have it.
pub(crate) fn without_block(error: Diagnostic) -> Diagnostic {
    let detail = error.detail.replace("but no definition was found", "but was not set");
    Diagnostic { subject: None, context: None, detail: detail.into(), ..error }
}
