//! The state before the plan, typed by the schemas.

mod moves;
mod read;
mod removed;

use std::collections::{BTreeMap, BTreeSet};

use objchange::Value;
use objchange::address::{InstanceAddress, InstanceKey, ResourceAddress};
use objchange::change::PrivateData;
use objchange::schema::Schema;
use objchange::value::Path;
use smol_str::SmolStr;

pub use moves::{Instances, MoveTypes, Moves};
pub(crate) use read::outputs;
pub use read::{ReadStateError, StateProblem};
pub use removed::{Removals, warn_of_forgotten};

use crate::providers::ProviderObject;
use crate::{ProviderConfigAddress, Schemas};

/// The state before the plan.
#[derive(Debug, Clone, Default)]
pub struct PriorState {
    /// The resources in all instances of modules.
    pub resources: BTreeMap<ResourceAddress, StateResource>,
    /// The outputs of the root module.
    pub outputs: BTreeMap<SmolStr, StateOutput>,
    /// Instances whose objects no schema describes. They are not planned: an error says why.
    pub unreadable: BTreeSet<InstanceAddress>,
    /// Members of objects of the provider in Terraform that its schema lacks: another version has written them. They are not
    /// read.
    pub unread_members: BTreeMap<InstanceAddress, Vec<String>>,
    /// The parts of objects that were made up in place of providers.
    pub invented: BTreeMap<InstanceAddress, Vec<Path>>,
}

/// A resource in one instance of its module.
#[derive(Debug, Clone)]
pub struct StateResource {
    /// The provider configuration that made its objects.
    pub provider: ProviderConfigAddress,
    /// Its instances. Without a key: the only one.
    pub instances: BTreeMap<Option<InstanceKey>, StateInstance>,
}

impl StateResource {
    /// Whether it has no object, not even a deposed one.
    pub(crate) fn is_empty(&self) -> bool {
        self.instances.values().all(|instance| instance.current.is_none() && instance.deposed.is_empty())
    }
}

/// An instance of a resource.
#[derive(Debug, Clone, Default)]
pub struct StateInstance {
    /// Its object; none if there are only deposed ones.
    pub current: Option<StateObject>,
    /// Objects that wait to be destroyed, by their keys.
    pub deposed: BTreeMap<SmolStr, StateObject>,
}

/// An object of a resource instance.
#[derive(Debug, Clone)]
pub struct StateObject {
    /// The object, of the type that the schema implies; what the state or the schema calls sensitive is marked.
    pub value: Value,
    /// The version of the schema that it is of.
    pub schema_version: i64,
    /// The identity of the object, if its provider has given one.
    pub identity: Option<Value>,
    /// It has to be replaced.
    pub tainted: bool,
    /// The private data of the provider.
    pub private: PrivateData,
    /// The resources that it depended on, without instance keys.
    pub dependencies: Vec<ResourceAddress>,
    /// Its replacement is created first.
    pub create_before_destroy: bool,
    /// The state does not mark all that the schema calls sensitive, as older versions of Terraform wrote it.
    pub lacks_marks: bool,
}

impl StateObject {
    /// An object that was just read, with nothing beside its value.
    pub fn read(value: Value, schema: &Schema) -> Self {
        Self {
            value,
            schema_version: schema.version,
            identity: None,
            tainted: false,
            private: PrivateData::default(),
            dependencies: Vec::new(),
            create_before_destroy: false,
            lacks_marks: false,
        }
    }

    /// The object as its provider knows it.
    pub(crate) fn for_provider(&self) -> ProviderObject {
        ProviderObject {
            value: self.value.unmark_deep().0,
            private: self.private.clone(),
            identity: self.identity.clone(),
        }
    }
}

/// An output in the state.
#[derive(Debug, Clone)]
pub struct StateOutput {
    /// The value, without marks.
    pub value: Value,
    /// It is hidden.
    pub sensitive: bool,
}

impl PriorState {
    /// Hides the objects whose providers have no schemas: nothing says which of their values are secret.
    pub(crate) fn hide_without_schemas(&mut self, schemas: &Schemas) {
        for resource in self.resources.values_mut() {
            if schemas.has_provider(&resource.provider.provider) {
                continue;
            }
            let instances = resource.instances.values_mut();
            let objects = instances
                .flat_map(|instance| instance.current.iter_mut().chain(instance.deposed.values_mut()));
            for object in objects {
                object.value = match object.value.as_object() {
                    Some(attributes) => {
                        let hidden =
                            attributes.iter().map(|(name, value)| (name.clone(), value.clone().sensitive()));
                        Value::object(hidden.collect::<Vec<_>>())
                    }
                    None => object.value.clone().sensitive(),
                };
            }
        }
    }
}
