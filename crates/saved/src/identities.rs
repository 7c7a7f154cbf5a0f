//! Reads the identities of objects in the state. The general reader of states skips them.

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ResourceAddress};
use objchange::schema::SchemaKind;
use objchange::{Type, Value};
use objchange_module::state::PriorState;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::SavedPlanError;
use crate::values::SchemaCopies;

#[derive(Deserialize)]
struct State {
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    module: String,
    mode: String,
    #[serde(rename = "type")]
    resource_type: String,
    name: String,
    instances: Vec<Instance>,
}

#[derive(Deserialize)]
struct Instance {
    index_key: Option<serde_json::Value>,
    deposed: Option<String>,
    identity: Option<Box<RawValue>>,
}

/// Adds the identities in a state file to the state that was read from it.
pub(crate) fn add(
    text: &str,
    state: &mut PriorState,
    copies: &mut SchemaCopies<'_>,
) -> Result<(), SavedPlanError> {
    // A cheap test first: Terraform writes identities since 1.12.
    if !text.contains("\"identity\"") {
        return Ok(());
    }
    let broken = |problem: &str| SavedPlanError::StateOfResource(problem.to_owned());
    let file: State = serde_json::from_str(text).map_err(|_| broken("its identities cannot be read"))?;
    for resource in file.resources.into_iter().filter(|resource| resource.mode == "managed") {
        let module: ModuleAddress =
            resource.module.parse().map_err(|_| broken("the address of a module cannot be read"))?;
        let Resource { resource_type, name, .. } = resource;
        let address = ResourceAddress { module, mode: Mode::Managed, resource_type, name };
        let Some(known) = state.resources.get_mut(&address) else { continue };
        let schema = copies.get(&known.provider.provider, SchemaKind::Identity, &address.resource_type)?;
        for instance in resource.instances {
            let Some(identity) = instance.identity.filter(|identity| identity.get() != "null") else {
                continue;
            };
            let key = instance.index_key.as_ref().and_then(|key| match key {
                serde_json::Value::String(key) => Some(InstanceKey::String(key.clone())),
                key => key.as_u64().map(InstanceKey::Number),
            });
            let Some(found) = known.instances.get_mut(&key) else { continue };
            let object = match &instance.deposed {
                Some(deposed) => found.deposed.get_mut(deposed.as_str()),
                None => found.current.as_mut(),
            };
            let value = value(&identity, schema.as_deref().map(|schema| schema.block.implied_type()));
            let place = InstanceAddress { resource: address.clone(), key };
            let value = value.ok_or_else(|| broken(&format!("the identity of {place} cannot be read")))?;
            object.into_iter().for_each(|object| object.identity = Some(value.clone()));
        }
    }
    Ok(())
}

fn value(identity: &RawValue, ty: Option<&Type>) -> Option<Value> {
    match ty {
        Some(ty) => Value::from_json(identity.get(), ty).ok(),
        None => Value::try_from(serde_json::from_str::<serde_json::Value>(identity.get()).ok()?).ok(),
    }
}
