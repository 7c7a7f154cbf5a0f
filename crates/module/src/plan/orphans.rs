//! Orphans: objects in the state that the configuration does not want.

use std::sync::Arc;

use hashbrown::HashSet;
use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ModuleStep, ResourceAddress};
use objchange::schema::{Schema, SchemaKind};
use objchange::{Type, Value};
use objchange_hcl::{ResourceConfig, ResourceName};
use smol_str::SmolStr;

use super::graph::{NodeKey, NodeKind, ResourceNode};
use super::input::PlanInput;
use super::instances::{Expanded, ModuleInstanceId, Repetition};
use super::references::header;
use super::targets::Targets;
use super::walk::Walk;
use super::{ActionReason, Identities, PlannedAction, PlannedObject, UndecidedReason, UndecidedResource};
use crate::config::{ModuleId, provider_config_missing};
use crate::state::{PriorState, StateInstance};
use crate::{Diagnostics, NOWHERE, ProviderConfigAddress, Severity};
use objchange_document::PlanMode;

impl<'c> Walk<'_, 'c> {
    /// Destroys the instances of a resource that its `count` or `for_each` does not give.
    pub(crate) fn orphans_of(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        resource: &ResourceNode<'c>,
        expansion: &Expanded<Repetition>,
    ) {
        let address = super::resource::resource_address(&self.world.instances[at].address, resource.name);
        let Some(known) = self.state.resources.get(&address) else { return };
        // An instance whose kind of key does not fit the repetition is never wanted: `a["x"]` of a `count`, `a` of a
        // `for_each`.
        let unwanted = |key: &Option<InstanceKey>| match (expansion, key) {
            (Expanded::Count(all), Some(InstanceKey::Number(n))) => *n >= all.len() as u64,
            (Expanded::ForEach(all), Some(InstanceKey::String(key))) => !all.contains_key(key),
            (Expanded::Single(_), None) | (Expanded::Undecided(_), _) => false,
            _ => true,
        };
        let keys: Vec<_> = known.instances.keys().filter(|key| unwanted(key)).cloned().collect();
        for key in keys {
            let reason = match (expansion, &key) {
                (Expanded::Count(_), Some(InstanceKey::Number(_))) => ActionReason::DeleteBecauseCountIndex,
                (Expanded::ForEach(_), Some(InstanceKey::String(_))) => ActionReason::DeleteBecauseEachKey,
                (Expanded::Count(_), None) if resource.config.lifecycle.enabled.is_some() => {
                    ActionReason::DeleteBecauseEnabledFalse
                }
                _ => ActionReason::DeleteBecauseWrongRepetition,
            };
            let instance = InstanceAddress { resource: address.clone(), key };
            self.keep_from_destroy(&instance);
            self.orphan(Some(index), &instance, reason);
        }
    }

    /// Reports an orphan whose resource is still declared with `prevent_destroy`, unless it is only forgotten.
    fn keep_from_destroy(&mut self, address: &InstanceAddress) {
        if self.input.options.mode == PlanMode::RefreshOnly
            || !self.targets.includes_instance(address)
            || self.current(address).is_none()
        {
            return;
        }
        // Where the block is gone, its `prevent_destroy` protects nothing any more.
        let Some(config) = self.config_of(&address.resource) else { return };
        let index = self.node_of(&address.resource);
        let at = self.world.addresses.get(&address.resource.module).copied();
        if index.is_some_and(|index| self.prevents_destroy(index, at, config)) && !config.lifecycle.forgets {
            if !self.plans_before_destroy() {
                self.prevented.extend(self.node_of(&address.resource));
            }
            let error = super::destroying::is_prevented(address, config);
            self.found.push(Severity::Error, error);
        }
    }

    /// The block of a resource, if it is still declared.
    fn config_of(&self, address: &ResourceAddress) -> Option<&'c ResourceConfig> {
        Some(self.config_node(address)?.config)
    }

    fn config_node(&self, address: &ResourceAddress) -> Option<&ResourceNode<'c>> {
        match &self.graph.nodes[self.node_of(address)?].kind {
            NodeKind::Resource(resource) => Some(resource),
            _ => None,
        }
    }

    /// Destroys or forgets what nothing in the configuration wants.
    pub(crate) fn orphans(&mut self) {
        let all: Vec<InstanceAddress> = self
            .state
            .resources
            .iter()
            .filter(|(address, _)| address.mode == Mode::Managed)
            .flat_map(|(address, resource)| {
                resource
                    .instances
                    .keys()
                    .map(|key| InstanceAddress { resource: address.clone(), key: key.clone() })
            })
            .filter(|address| !self.wanted.contains(address))
            .collect();
        for address in all {
            // Where the block is gone, nothing that the object depended on has a say (Terraform 1.11.4 and 1.15.5).
            if self.node_of(&address.resource).is_some_and(|node| self.unexpanded.contains(&node)) {
                self.wanted.insert(address);
                continue;
            }
            // If everything is destroyed, it does not matter what is declared.
            if self.input.options.mode != PlanMode::Destroy {
                if self.may_be_wanted(&address.resource) {
                    self.wanted.insert(address);
                    continue;
                }
                if let Some(call) = self.input.config.missing_module_of(&address.resource.module) {
                    self.in_missing_module(&address, call);
                    self.wanted.insert(address);
                    continue;
                }
            }
            // The block may still be declared: its module may have lost this instance.
            self.keep_from_destroy(&address);
            let reason = self.reason(&address.resource);
            let reason = match self.moved.contains_key(&address)
                && reason == ActionReason::DeleteBecauseNoResourceConfig
            {
                true => ActionReason::DeleteBecauseNoMoveTarget,
                false => reason,
            };
            self.orphan(None, &address, reason);
        }
        self.left_over_objects();
        // For an action, only those data sources are read that it needs.
        if !self.plans_before_destroy() || self.input.options.invoke.is_some() {
            return;
        }
        // Data sources that are no longer declared leave the state.
        let (wanted, targets) = (&self.wanted, self.targets);
        self.state.resources.retain(|address, resource| {
            if address.mode != Mode::Managed {
                resource.instances.retain(|key, _| {
                    let address = InstanceAddress { resource: address.clone(), key: key.clone() };
                    wanted.contains(&address) || !targets.includes_instance(&address)
                });
            }
            !resource.instances.is_empty()
        });
    }

    /// An object that a module declares, or not, which is not there.
    fn in_missing_module(&mut self, address: &InstanceAddress, call: (ModuleId, SmolStr)) {
        let Some(known) = self.state.resources.get(&address.resource) else { return };
        let is_listed =
            self.input.options.mode == PlanMode::Normal && self.targets.includes_instance(address);
        if !is_listed {
            return;
        }
        let provider = known.provider.clone();
        let schema = self.schema(&provider, &address.resource.resource_type);
        let ty = schema.as_ref().map_or(Type::Dynamic, |schema| schema.block.implied_type().clone());
        let node = self.graph.find(&NodeKey::Call(call.0, call.1));
        let span = node.and_then(|node| header(&self.graph.nodes[node])).unwrap_or(NOWHERE);
        let name =
            node.and_then(|node| self.missing.name_at(self.input.config, &self.graph.nodes[node], node));
        self.leave_undecided(UndecidedResource {
            reason: UndecidedReason::ActionUnknown,
            address: address.clone(),
            provider: provider.provider,
            span,
            because_of: name.into_iter().collect(),
            schema,
            before: Value::null(ty.clone()),
            after: Value::unknown(ty),
        });
    }

    /// Warns about `-replace` addresses that match no instance. Terraform looks for their resource in every module.
    pub(crate) fn unmatched_replacements(&mut self) {
        let without_key = self.input.options.replace.iter().filter(|address| address.key.is_none());
        let modules = &self.world.instances;
        let resources: Vec<(&InstanceAddress, ResourceAddress)> = without_key
            .flat_map(|address| modules.iter().map(move |module| (address, &module.address)))
            .map(|(address, module)| {
                (address, ResourceAddress { module: module.clone(), ..address.resource.clone() })
            })
            .collect();
        for (address, resource) in resources {
            // An instance without a key is destroyed anyway once its resource has `count` or `for_each`, so it is no
            // match.
            let Some(mut keys) = self.declared_keys(&resource) else { continue };
            keys.sort_unstable();
            let flag =
                |key: &InstanceKey| InstanceAddress { resource: resource.clone(), key: Some(key.clone()) };
            let flags: Vec<String> =
                keys.iter().map(|key| format!("\n  -replace={:?}", flag(key).to_string())).collect();
            let why = match flags.len() {
                0 => "this resource doesn't have any instances.",
                1 => {
                    "it lacks an instance key.\n\nTo force replacement of the single declared instance, use the following option \
                     instead:"
                }
                _ => {
                    "it lacks an instance key.\n\nTo force replacement of particular instances, use one or more of the following \
                     options instead:"
                }
            };
            let detail = format!(
                "Your force-replace request for {address} doesn't match any resource instances because {why}{}",
                flags.concat()
            );
            self.found.without_place(
                Severity::Warning,
                // An address without a key names no instance of a resource that repeats. Terraform says
                // nothing of a name that nothing has.
                "Incompletely-matched force-replace resource instance",
                detail,
            );
        }
    }

    /// The keys of the instances of a resource that has `count` or `for_each`, if these are known.
    fn declared_keys(&self, resource: &ResourceAddress) -> Option<Vec<InstanceKey>> {
        let at = *self.world.addresses.get(&resource.module)?;
        let name = resource_name(resource);
        let config = &self.input.config.modules[self.world.instances[at].module].config;
        let config = config.resources.get(&name)?;
        // A resource that an error kept from being planned has no instances.
        self.world.instances[at].resources.get(&name)?;
        if config.count.is_none() && config.for_each.is_none() {
            return None;
        }
        let declared = self.declared.iter().filter(|address| address.resource == *resource);
        Some(declared.filter_map(|address| address.key.clone()).collect())
    }

    /// Plans to destroy the deposed objects of resources that could not be planned: an error elsewhere is not about them
    /// (Terraform 1.11.4 and 1.15.5).
    fn left_over_objects(&mut self) {
        if self.input.options.mode != PlanMode::Normal || !self.failed.contains(&true) {
            return;
        }
        let planned = self.plan.changes.iter().filter(|change| change.deposed.is_some());
        let planned: HashSet<InstanceAddress> = planned.map(|change| change.address.clone()).collect();
        let stored = self.state.resources.iter().flat_map(|(resource, known)| {
            let instances = known.instances.iter().filter(|(_, instance)| !instance.deposed.is_empty());
            instances.map(|(key, _)| InstanceAddress { resource: resource.clone(), key: key.clone() })
        });
        let left: Vec<InstanceAddress> = stored.filter(|address| !planned.contains(address)).collect();
        let graph = self.graph;
        for address in left {
            let Some(index) = self.node_of(&address.resource).filter(|index| self.failed[*index]) else {
                continue;
            };
            let NodeKind::Resource(resource) = &graph.nodes[index].kind else { continue };
            let provider = &resource.provider_config;
            if !self.targets.includes_instance(&address) || !self.is_configured(provider) {
                continue;
            }
            if let Some(schema) = self.schema(provider, &address.resource.resource_type) {
                self.deposed(index, &address, &schema, resource);
            }
        }
    }

    /// Whether a resource is declared in a module whose instances only a provider knows: its own may be one of them.
    fn may_be_wanted(&self, address: &ResourceAddress) -> bool {
        let mut outer = ModuleAddress::default();
        for step in &address.module.0 {
            outer.0.push(ModuleStep { name: step.name.clone(), key: None });
            let at = self.world.addresses.get(&outer);
            if at.is_some_and(|at| self.world.instances[*at].is_undecided) {
                return self.is_declared(address);
            }
            outer.0.pop();
            outer.0.push(step.clone());
        }
        false
    }

    /// Whether the configuration declares a resource, in whichever instances of its module.
    fn is_declared(&self, address: &ResourceAddress) -> bool {
        let config = self.input.config;
        config.module_of(&address.module).is_some_and(|module| {
            config.modules[module].config.resources.contains_key(&resource_name(address))
        })
    }

    /// Why nothing in the configuration wants a resource.
    fn reason(&self, address: &ResourceAddress) -> ActionReason {
        // Terraform 1.11.4 blames the module only if its call is still there. Where the call is gone, it says
        // `delete_because_no_resource_config`.
        let exists = self.input.config.module_of(&address.module).is_some();
        match self.is_declared(address) {
            true if !self.has_module(&address.module) => ActionReason::DeleteBecauseNoModule,
            _ if exists && !self.has_module(&address.module) => ActionReason::DeleteBecauseNoModule,
            _ => ActionReason::DeleteBecauseNoResourceConfig,
        }
    }

    /// Whether an instance of a module is wanted.
    fn has_module(&self, address: &ModuleAddress) -> bool {
        self.world.addresses.contains_key(address)
    }

    fn orphan(&mut self, index: Option<usize>, address: &InstanceAddress, reason: ActionReason) {
        // An orphan of a resource must not be found again among all objects of the state.
        if !self.wanted.insert(address.clone()) || !self.targets.includes_instance(address) {
            return;
        }
        let Some(known) = self.state.resources.get(&address.resource) else { return };
        let stored = known.provider.clone();
        let Some(StateInstance { current, deposed }) = known.instances.get(&address.key).cloned() else {
            return;
        };
        // The block names the provider configuration that destroys the object. Where it is gone, the state does.
        let provider = match self.config_node(&address.resource) {
            Some(resource) => resource.provider_config.clone(),
            None => stored,
        };
        if !has_provider(self.input, &provider) {
            report_missing_provider(address, &provider, &mut self.found);
            return;
        }
        if !self.is_configured(&provider) {
            return;
        }
        let schema = self.schema(&provider, &address.resource.resource_type);
        let is_destroy = self.input.options.mode == PlanMode::Destroy;
        let keeps_object = self.config_of(&address.resource).is_some_and(|config| config.lifecycle.forgets);
        // A destroy plan takes no notice of `removed` blocks.
        let forget = keeps_object || !is_destroy && self.removals.forgets(address);
        let mut current = current;
        if let (Some(stored), Some(schema)) = (&current, &schema)
            // Terraform reads no object that it is about to forget.
            && (is_destroy || !forget)
            && !self.input.options.minimal_refresh
        {
            let stored = stored.clone();
            let (read, found) = self.refresh(address, &provider, schema, &stored);
            self.provider_diagnostics(found, None, None);
            match read {
                None => return,
                // Terraform plans an orphan with the refreshed object since 1.12; 1.11 shows the stored one.
                Some(read)
                    if crate::versions::since(self.input.options.version, "1.12") || read.is_none() =>
                {
                    current = read;
                }
                Some(_) => {}
            }
        }
        if self.input.options.mode == PlanMode::RefreshOnly {
            return;
        }
        let planned = current.as_ref().and_then(|object| match forget {
            true => Some((object, Identities::default())),
            false => Some((object, self.planned_destroy(address, &provider, schema.as_ref(), object)?)),
        });
        if let Some((object, identities)) = planned {
            let action = if forget { PlannedAction::Forget } else { PlannedAction::Delete };
            match forget {
                true => self.forgotten.push(address.clone()),
                false => self.note_orphan(index, address, &object.value),
            }
            self.add_change(
                index,
                PlannedObject {
                    address: address.clone(),
                    previous_address: self.moved.get(address).cloned(),
                    provider: provider.provider.clone(),
                    deposed: None,
                    action,
                    // A destroy plan gives no reasons: everything goes.
                    reason: (!is_destroy).then_some(reason),
                    before: object.value.clone(),
                    after: Value::null(Type::Dynamic),
                    schema: schema.clone(),
                    replace_paths: Vec::new(),
                    importing: None,
                    generated_config: None,
                    identities,
                },
            );
        }
        if forget {
            self.forget_deposed(index, address, &provider, schema.as_ref(), deposed);
        } else {
            self.delete_deposed(index, address, &provider, schema.as_ref(), deposed);
        }
    }

    /// Plans to forget deposed objects.
    pub(crate) fn forget_deposed(
        &mut self,
        index: Option<usize>,
        address: &InstanceAddress,
        provider: &ProviderConfigAddress,
        schema: Option<&Arc<Schema>>,
        deposed: std::collections::BTreeMap<SmolStr, crate::state::StateObject>,
    ) {
        for (key, object) in deposed {
            self.forgotten.push(address.clone());
            self.add_change(
                index,
                PlannedObject {
                    address: address.clone(),
                    previous_address: None,
                    provider: provider.provider.clone(),
                    deposed: Some(key),
                    action: PlannedAction::Forget,
                    reason: None,
                    generated_config: None,
                    identities: Identities::default(),
                    before: object.value,
                    after: Value::null(Type::Dynamic),
                    schema: schema.cloned(),
                    replace_paths: Vec::new(),
                    importing: None,
                },
            );
        }
    }

    /// The schema of a managed resource type.
    fn schema(&self, provider: &ProviderConfigAddress, resource_type: &str) -> Option<Arc<Schema>> {
        let schema = self.input.schemas.get(&provider.provider, SchemaKind::Resource, resource_type);
        schema.ok().flatten().map(|schema| Arc::new(schema.clone()))
    }
}

/// Reports objects whose resource is not declared any more, and whose provider configuration is gone too: before anything
/// is planned.
pub(crate) fn check_providers(
    input: &PlanInput<'_>,
    state: &PriorState,
    targets: &Targets,
    found: &mut Diagnostics,
) {
    let is_declared = |address: &ResourceAddress| {
        let module = input.config.module_of(&address.module).map(|module| &input.config.modules[module]);
        module.is_some_and(|module| module.config.resources.contains_key(&resource_name(address)))
    };
    let managed = state.resources.iter().filter(|(address, _)| address.mode == Mode::Managed);
    for (address, resource) in managed {
        // A module that is not there may configure it.
        let is_in_missing_module = input.config.missing_module_of(&address.module).is_some();
        if has_provider(input, &resource.provider) || is_declared(address) || is_in_missing_module {
            continue;
        }
        for key in resource.instances.keys() {
            let address = InstanceAddress { resource: address.clone(), key: key.clone() };
            if targets.includes_instance(&address) {
                report_missing_provider(&address, &resource.provider, found);
            }
        }
    }
}

/// Whether a provider configuration is there: one that is written, or the default one.
fn has_provider(input: &PlanInput<'_>, address: &ProviderConfigAddress) -> bool {
    // A default configuration always exists: Terraform makes an empty one.
    address.alias.is_none()
        || input.config.provider_block(address).is_some()
        || input.options.given_providers.contains(address)
}

fn report_missing_provider(
    address: &InstanceAddress,
    provider: &ProviderConfigAddress,
    found: &mut Diagnostics,
) {
    let (summary, detail) = provider_config_missing(&format!("{address} (orphan)"), provider);
    found.without_place(Severity::Error, summary, detail);
}

/// The name of a resource in its module.
pub(crate) fn resource_name(address: &ResourceAddress) -> ResourceName {
    ResourceName {
        mode: address.mode,
        resource_type: address.resource_type.as_str().into(),
        name: address.name.as_str().into(),
    }
}
