//! Objects as their providers know them now, and objects that are imported.

use std::sync::Arc;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::schema::Schema;
use objchange::value::Path;
use objchange_hcl::{Scope, Variables, decode};

use super::ImportedBy;
use super::graph::ResourceNode;
use super::managed::Instance;
use super::resource::value_place;
use super::walk::Walk;
use crate::ProviderConfigAddress;
use crate::marking::mark_kept;
use crate::providers::{ImportAnswer, ProvidersExt};
use crate::state::StateObject;
use objchange_document::PlanMode;

impl<'c> Walk<'_, 'c> {
    /// Refreshes an object: returns the provider's current object, if it can be read, and its diagnostics. Differences
    /// from the state are drift.
    pub(crate) fn refresh(
        &mut self,
        address: &InstanceAddress,
        provider: &ProviderConfigAddress,
        schema: &Arc<Schema>,
        stored: &StateObject,
    ) -> (Option<Option<StateObject>>, Vec<objchange::change::Diagnostic>) {
        if !self.input.options.refresh {
            return (Some(Some(stored.clone())), Vec::new());
        }
        self.secrets.learn(&schema.block, &stored.value);
        let text = address.to_string();
        let resource_type = &address.resource.resource_type;
        match self.providers.read(provider, resource_type, &text, schema, &stored.for_provider()) {
            Err(errors) => (None, errors),
            // Null: the object is gone.
            Ok((read, warnings)) if read.value.is_null() => {
                self.set_current(address, provider, None);
                (Some(None), warnings)
            }
            Ok((read, warnings)) => {
                let value = remarked(&read.value, &stored.value, schema);
                // A provider that returns no identity, as all before Terraform 1.12, does not take the stored one away.
                let (private, identity) = (read.private, read.identity.or_else(|| stored.identity.clone()));
                let schema_version = schema.version;
                let object = StateObject {
                    value,
                    schema_version,
                    identity,
                    private,
                    lacks_marks: false,
                    ..stored.clone()
                };
                self.set_current(address, provider, Some(object.clone()));
                (Some(Some(object)), warnings)
            }
        }
    }

    /// Reports what a provider says while it reads an object, at the part of the configuration that it is about.
    pub(crate) fn told_at_refresh(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
        found: Vec<objchange::change::Diagnostic>,
    ) {
        if found.is_empty() {
            return;
        }
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        let decoded = decode(&resource.body, &instance.schema.block, &scope, self.functions);
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        let address = instance.address.to_string();
        self.provider_diagnostics(found, Some(&address), Some(&place));
    }

    /// Whether the state has an instance, with a current object or only with deposed ones.
    fn has_instance(&self, address: &InstanceAddress) -> bool {
        let known = self.state.resources.get(&address.resource);
        known.is_some_and(|known| known.instances.contains_key(&address.key))
    }

    /// Imports the object of an instance that is not in the state yet; what it was found by, if it was.
    pub(crate) fn import(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
    ) -> Result<Option<ImportedBy>, ()> {
        // Only an ordinary plan imports anything.
        if self.input.options.mode != PlanMode::Normal || self.current(&instance.address).is_some() {
            return Ok(None);
        }
        // Where only deposed objects are left, Terraform 1.11.4 and 1.15.5 mostly create one: it is a race there.
        if self.has_instance(&instance.address) {
            return Ok(None);
        }
        let Some(import) = self.imports.remove(&instance.address) else {
            return Ok(self.may_be_imported(instance.index, &instance.address));
        };
        self.secrets.learn_marked(import.by.value());
        let address = instance.address.to_string();
        let provider = instance.provider;
        // Without a schema no answer can be read.
        let is_asked = import.by.value().is_wholly_known() && !resource.is_inferred;
        let answer = match is_asked {
            true => self.providers.import(provider, &address, instance.schema, &import.by),
            false => ImportAnswer::NotKnown,
        };
        match answer {
            ImportAnswer::Known(found, warnings) => {
                self.provider_diagnostics(warnings, None, None);
                let object = StateObject {
                    private: found.private,
                    identity: found.identity,
                    ..StateObject::read(mark_kept(&instance.schema.block, &found.value), instance.schema)
                };
                self.set_current(&instance.address, &resource.provider_config, Some(object));
            }
            ImportAnswer::NotKnown => {
                self.unanswered[instance.index].insert(address);
            }
            ImportAnswer::Failed(found) => {
                self.provider_diagnostics(found, None, None);
                return Err(());
            }
        }
        Ok(Some(import.by))
    }
}

/// An object that was read, with the marks that the state has for it and those of the schema.
pub(crate) fn remarked(value: &Value, stored: &Value, schema: &Schema) -> Value {
    let (_, marks) = stored.unmark_deep_with_paths();
    mark_kept(&schema.block, &value.mark_where_present(&marks))
}
