//! Moves: objects of the state get the addresses that configuration gives them, before anything is planned.

mod endpoint;
mod statement;
mod validate;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use objchange::address::{InstanceAddress, Mode, ModuleAddress, ResourceAddress};
use objchange::change::ProviderSecrets;
use objchange::schema::SchemaKind;

use self::statement::{Cycle, Statement};
use super::{PriorState, StateInstance, StateResource};
use crate::config::Config;
use crate::diagnostics::PROVIDER;
use crate::marking::mark_kept;
use crate::order::compare_instances;
use crate::providers::MoveObject;
use crate::target::Target;
use crate::{Diagnostics, ProviderConfigAddress, Providers, ProvidersExt, Schemas, Severity};

pub use validate::Instances;

/// The moves that were made, and those that were not.
#[derive(Debug, Default)]
pub struct Moves {
    statements: Vec<Statement>,
    cycles: Vec<Cycle>,
    /// The old address of each instance that has moved, by its new one.
    pub moved: BTreeMap<InstanceAddress, InstanceAddress>,
    /// The moved data sources, which move along with their modules.
    moved_data: BTreeMap<InstanceAddress, InstanceAddress>,
    /// Moves that are blocked because the target already has an object.
    pub blocked: BTreeSet<(String, String)>,
    /// The new addresses of the objects that became ones of another type.
    pub converted: BTreeSet<InstanceAddress>,
}

/// The types of moved objects.
pub struct MoveTypes<'a> {
    /// The schemas of the providers.
    pub schemas: &'a Schemas,
    /// Converts an object to another type.
    pub providers: &'a mut dyn Providers,
    /// The provider configuration of a resource that is declared.
    pub provider_of: &'a dyn Fn(&ResourceAddress) -> Option<ProviderConfigAddress>,
}

impl fmt::Debug for MoveTypes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MoveTypes").field("schemas", self.schemas).finish_non_exhaustive()
    }
}

impl Moves {
    /// Gives the objects of the state the addresses that `moved` blocks and changed repetition give them.
    ///
    /// Errors are of objects whose new type does not take them: these stay where they are.
    pub fn apply(
        config: &Config,
        state: &mut PriorState,
        types: &mut MoveTypes<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let statements = statement::declared(config);
        let implied = statement::implied(config, &statements, state);
        let mut moves = Self::default();
        match statement::order(&statements) {
            Ok(order) => {
                // Implied moves are found by the state's addresses, so they come before explicit ones change these.
                let mut moving = Moving { state, moves: &mut moves, types, diagnostics };
                let explicit = order.iter().filter_map(|&i| statements.get(i));
                implied.iter().chain(explicit).for_each(|statement| moving.make(statement));
            }
            Err(cycles) => moves.cycles = cycles,
        }
        moves.statements = statements;
        moves
    }

    /// Warns of objects that could not move.
    pub fn warn_of_blocked(&self, diagnostics: &mut Diagnostics) {
        if self.blocked.is_empty() {
            return;
        }
        let all: String =
            self.blocked.iter().map(|(from, to)| format!("\n  - {from} could not move to {to}")).collect();
        let detail = format!(
            "Terraform tried to adjust resource instance addresses in the prior state based on change information \
             recorded in the configuration, but some adjustments did not succeed due to existing objects already at the \
             intended addresses:{all}\n\nTerraform has planned to destroy these objects. If Terraform's proposed changes \
             aren't appropriate, you must first resolve the conflicts using the \"terraform state\" subcommands and then \
             create a new plan."
        );
        // Terraform does not move to an address that is taken: the object stays, and is destroyed with the
        // reason `delete_because_no_move_target`.
        diagnostics.without_place(Severity::Warning, "Unresolved resource instance address changes", detail);
    }

    /// Objects whose old or new addresses the targets leave out are an error.
    pub fn check_targets(&self, targets: &[Target], diagnostics: &mut Diagnostics) {
        if targets.is_empty() {
            return;
        }
        let ends = self.moved.iter().chain(&self.moved_data).flat_map(|(to, from)| [from, to]);
        let mut left_out: Vec<InstanceAddress> = ends
            .filter(|address| !targets.iter().any(|target| target.contains(address)))
            .map(|address| InstanceAddress { resource: address.resource.clone(), key: None })
            .collect();
        left_out.sort_by(compare_instances);
        left_out.dedup();
        if left_out.is_empty() {
            return;
        }
        let options: String =
            left_out.iter().map(|address| format!("\n  -target={:?}", address.to_string())).collect();
        let detail = format!(
            "Resource instances in your current state have moved to new addresses in the latest configuration. Terraform \
             must include those resource instances while planning in order to ensure a correct result, but your \
             -target=... options do not fully cover all of those resource instances.\n\nTo create a valid plan, either \
             remove your -target=... options altogether or add the following additional target options:{options}\n\nNote \
             that adding these options may include further additional resource instances in your plan, in order to respect \
             object dependencies."
        );
        diagnostics.without_place(Severity::Error, "Moved resource instances excluded by targeting", detail);
    }
}

struct Moving<'m, 't> {
    state: &'m mut PriorState,
    moves: &'m mut Moves,
    types: &'m mut MoveTypes<'t>,
    diagnostics: &'m mut Diagnostics,
}

impl Moving<'_, '_> {
    fn make(&mut self, Statement { from, to, .. }: &Statement) {
        let around = from.fixed();
        let start = first_in(&from.first_module());
        // The state is sorted by address, and a move looks only at its own part of it. Otherwise n moves of n objects took
        // quadratic time.
        let near = self.state.resources.range(start.clone()..);
        let next = start.module.0.get(around.0.len()).map(|step| step.name.as_str());
        let is_near = |address: &&ResourceAddress| {
            let step = address.module.0.get(around.0.len()).map(|step| step.name.as_str());
            is_in(&address.module, &around) && (next.is_none() || step == next)
        };
        let near = near.map(|(address, _)| address).take_while(is_near);
        if from.resource.is_none() {
            let modules: BTreeSet<ModuleAddress> = near
                .map(|address| &address.module)
                .filter(|module| from.is_start_of(module))
                .cloned()
                .collect();
            for module in modules {
                self.module(&module, &to.module_from(from, &module));
            }
            return;
        }
        let resources: Vec<ResourceAddress> = match from.exact_resource() {
            Some(exact) => self.state.resources.get_key_value(&exact).map(|_| exact).into_iter().collect(),
            None => near.filter(|address| from.is_resource(address)).cloned().collect(),
        };
        for resource in resources {
            let Some(new) = to.resource_in(to.module_from(from, &resource.module)) else { continue };
            match (&from.resource, &to.resource) {
                (Some((.., endpoint::Keys::One(old_key))), Some((.., endpoint::Keys::One(new_key)))) => {
                    let old = InstanceAddress { resource, key: old_key.clone() };
                    self.instance(&old, &InstanceAddress { resource: new, key: new_key.clone() });
                }
                _ => self.resource(&resource, &new),
            }
        }
    }

    fn module(&mut self, old: &ModuleAddress, new: &ModuleAddress) {
        let resources_in = |state: &PriorState, module: &ModuleAddress| -> Vec<ResourceAddress> {
            let all = state.resources.range(first_in(module)..).map(|(address, _)| address);
            all.take_while(|address| address.module == *module).cloned().collect()
        };
        if old == new {
            return;
        }
        // Terraform does not overwrite an object. It stays, is destroyed as an orphan, and a warning says why.
        if !resources_in(self.state, new).is_empty() {
            self.moves.blocked.insert((old.to_string(), new.to_string()));
            return;
        }
        for resource in resources_in(self.state, old) {
            let moved = ResourceAddress { module: new.clone(), ..resource.clone() };
            self.resource(&resource, &moved);
        }
    }

    fn resource(&mut self, old: &ResourceAddress, new: &ResourceAddress) {
        if old == new {
            return;
        }
        if self.state.resources.contains_key(new) {
            self.moves.blocked.insert((old.to_string(), new.to_string()));
            return;
        }
        let keys: Vec<_> = self
            .state
            .resources
            .get(old)
            .into_iter()
            .flat_map(|resource| resource.instances.keys())
            .cloned()
            .collect();
        for key in keys {
            let old = InstanceAddress { resource: old.clone(), key: key.clone() };
            self.instance(&old, &InstanceAddress { resource: new.clone(), key });
        }
    }

    fn instance(&mut self, old: &InstanceAddress, new: &InstanceAddress) {
        let Some(resource) = self.state.resources.get_mut(&old.resource) else { return };
        if old == new || !resource.instances.contains_key(&old.key) {
            return;
        }
        let provider = resource.provider.clone();
        let target = self.state.resources.get(&new.resource);
        if target.is_some_and(|target| target.instances.contains_key(&new.key)) {
            self.moves.blocked.insert((old.to_string(), new.to_string()));
            return;
        }
        let Some(resource) = self.state.resources.get_mut(&old.resource) else { return };
        let Some(mut instance) = resource.instances.remove(&old.key) else { return };
        let is_empty = resource.instances.is_empty();
        let other_type = old.resource.resource_type != new.resource.resource_type;
        let new_provider = if other_type { (self.types.provider_of)(&new.resource) } else { None };
        if let Some(new_provider) = &new_provider
            && !self.convert(&mut instance, old, new, (&provider, new_provider))
        {
            // It stays, and the error says why.
            if let Some(resource) = self.state.resources.get_mut(&old.resource) {
                resource.instances.insert(old.key.clone(), instance);
            }
            return;
        }
        if is_empty {
            self.state.resources.remove(&old.resource);
        }
        let provider = new_provider.unwrap_or(provider);
        let empty = || StateResource { provider, instances: BTreeMap::new() };
        let target = self.state.resources.entry(new.resource.clone()).or_insert_with(empty);
        target.instances.insert(new.key.clone(), instance);
        if self.state.unreadable.remove(old) {
            self.state.unreadable.insert(new.clone());
        }
        if self.moves.converted.remove(old) {
            self.moves.converted.insert(new.clone());
        }
        let moved = match old.resource.mode {
            Mode::Managed => &mut self.moves.moved,
            _ => &mut self.moves.moved_data,
        };
        // A chain of moves has the first address as `previous_address`.
        let origin = moved.remove(old).unwrap_or_else(|| old.clone());
        moved.insert(new.clone(), origin);
    }

    /// Makes the objects of an instance ones of another type; whether that worked.
    fn convert(
        &mut self,
        instance: &mut StateInstance,
        old: &InstanceAddress,
        new: &InstanceAddress,
        (from, provider): (&ProviderConfigAddress, &ProviderConfigAddress),
    ) -> bool {
        let (from_type, to_type) = (&old.resource.resource_type, &new.resource.resource_type);
        // A type that is not there is an error of the resource block.
        let Ok(Some(schema)) = self.types.schemas.get(&provider.provider, SchemaKind::Resource, to_type)
        else {
            return true;
        };
        let identities = self.types.schemas.get(&from.provider, SchemaKind::Identity, from_type);
        let from_identity_version = identities.ok().flatten().map_or(0, |schema| schema.version);
        let mut converted = instance.clone();
        for object in converted.current.iter_mut().chain(converted.deposed.values_mut()) {
            let request = MoveObject {
                from,
                from_address: old,
                from_type,
                from_version: object.schema_version,
                from_identity_version,
                to_address: new,
                to_type,
                schema,
                object: object.for_provider(),
            };
            let (value, diagnostics) = match self.types.providers.move_object(provider, &request) {
                Ok((moved, warnings)) => (Some(moved), warnings),
                Err(errors) => (None, errors),
            };
            let mut secrets = ProviderSecrets::default();
            secrets.learn(&schema.block, &object.value);
            if let Ok(Some(old)) = self.types.schemas.get(&from.provider, SchemaKind::Resource, from_type) {
                secrets.learn(&old.block, &object.value);
            }
            for diagnostic in secrets.hide_all(diagnostics) {
                let severity = match diagnostic.severity {
                    objchange::change::Severity::Error => Severity::Error,
                    _ => Severity::Warning,
                };
                self.diagnostics.without_place(severity, (PROVIDER, diagnostic.summary), diagnostic.detail);
            }
            match value {
                Some(moved) => {
                    object.value = mark_kept(&schema.block, &moved.value);
                    object.schema_version = schema.version;
                    object.private = moved.private;
                    object.identity = moved.identity;
                }
                None => {
                    return false;
                }
            }
        }
        // Null: there is nothing of the new type yet.
        converted.current = converted.current.filter(|object| !object.value.is_null());
        converted.deposed.retain(|_, object| !object.value.is_null());
        if converted.current.is_some() {
            self.moves.converted.insert(old.clone());
        }
        *instance = converted;
        true
    }
}

/// Where the resources of a module begin in a state.
fn first_in(module: &ModuleAddress) -> ResourceAddress {
    ResourceAddress {
        module: module.clone(),
        mode: Mode::Managed,
        resource_type: String::new(),
        name: String::new(),
    }
}

fn is_in(module: &ModuleAddress, around: &ModuleAddress) -> bool {
    module.0.starts_with(&around.0)
}
