//! Reads one object, with everything that is stored with it, from the text of a state file, and puts it into
//! one.
//!
//! [`State`](crate::State) has what a state shows. Private data of providers is only here.

mod instance;
mod known;
mod members;
mod merge;

use std::collections::BTreeMap;
use std::fmt;

use data_encoding::BASE64;
use objchange::Value;
use objchange::address::{InstanceAddress, InstanceKey, ModuleAddress};
use objchange::change::PrivateData;
use objchange::schema::Block;
use objchange::value::{Path, PathStep, WriteError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use self::merge::{StateEdit, has_object};

/// An object of the engine, and what a state keeps with it.
#[derive(Debug, Clone)]
pub struct InstanceObject {
    /// The object; null if absent.
    pub object: Value,
    /// Whether it must be replaced.
    pub tainted: bool,
    /// The private data of the provider.
    pub private: PrivateData,
    /// Its identity, if it has one.
    pub identity: Option<Value>,
}

impl InstanceObject {
    /// No object.
    pub fn none(block: &Block) -> Self {
        let object = Value::null(block.implied_type().clone());
        Self { object, tainted: false, private: PrivateData::default(), identity: None }
    }
}

/// Why an object cannot be put into a state file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateEditError {
    /// It has no form in JSON.
    #[error("{0}")]
    Object(#[from] WriteError),
    /// The text is not a state file.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

impl StateEditError {
    /// A stable name of this sort of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Object(error) => error.kind(),
            Self::Json(_) => "malformed",
        }
    }
}

/// The version of a state file; none if the text is not one.
pub fn state_file_version(text: &str) -> Option<u64> {
    serde_json::from_str(text).ok().map(|file: File| file.version)
}

#[derive(Deserialize)]
struct File {
    version: u64,
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    module: String,
    mode: String,
    #[serde(rename = "type")]
    type_name: String,
    name: String,
    #[serde(default)]
    instances: Vec<Instance>,
}

#[derive(Deserialize)]
struct Instance {
    #[serde(default)]
    index_key: Option<serde_json::Value>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    deposed: Option<String>,
    #[serde(default)]
    schema_version: i64,
    #[serde(default)]
    attributes: Option<Box<RawValue>>,
    #[serde(default, skip_serializing)]
    attributes_flat: Option<BTreeMap<String, String>>,
    #[serde(default)]
    sensitive_attributes: Vec<Vec<StatePathStep>>,
    #[serde(default)]
    private: Option<String>,
    #[serde(default)]
    identity: Option<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
enum StatePathStep {
    GetAttr(String),
    Index(Key),
}

#[derive(Serialize, Deserialize)]
struct Key {
    value: serde_json::Value,
    #[serde(rename = "type")]
    ty: String,
}

/// An object as a state file has it: its attributes may be of an earlier version of the schema.
#[non_exhaustive]
pub struct StoredObject {
    /// The version of the schema that the attributes are of.
    pub schema_version: i64,
    /// The attributes, as they are written; null if they are flat.
    pub attributes: Box<RawValue>,
    /// The attributes as Terraform before 0.12 kept them: texts by paths.
    pub flat: Option<BTreeMap<String, String>>,
    /// Where the object is sensitive.
    pub sensitive: Vec<Path>,
    /// The private data of the provider.
    pub private: PrivateData,
    /// Its identity, as it is written.
    pub identity: Option<Box<RawValue>>,
    /// Whether it must be replaced.
    pub tainted: bool,
}

/// Omits the content: its sensitive parts are not known yet.
impl fmt::Debug for StoredObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredObject").field("schema_version", &self.schema_version).finish_non_exhaustive()
    }
}

impl StoredObject {
    /// The object of a managed resource, if the text is a state file of version 4 and has it.
    pub fn find(text: &str, address: &InstanceAddress) -> Option<Self> {
        let file: File = serde_json::from_str(text).ok().filter(|file: &File| file.version == 4)?;
        let InstanceAddress { resource: wanted, key } = address;
        let wanted_key = key.as_ref().map(index_key);
        let is_wanted = |resource: &Resource| {
            resource.mode == "managed"
                && resource.type_name == wanted.resource_type
                && resource.name == wanted.name
                && resource.module.parse::<ModuleAddress>().as_ref() == Ok(&wanted.module)
        };
        for resource in file.resources.into_iter().filter(is_wanted) {
            let mut instances = resource.instances.into_iter().filter(|instance| instance.deposed.is_none());
            if let Some(instance) = instances.find(|instance| instance.index_key == wanted_key) {
                return instance.stored();
            }
        }
        None
    }
}

/// A key as `index_key` of a state file has it.
fn index_key(key: &InstanceKey) -> serde_json::Value {
    match key {
        InstanceKey::Number(number) => (*number).into(),
        InstanceKey::String(key) => key.as_str().into(),
    }
}

impl Instance {
    fn stored(self) -> Option<StoredObject> {
        let path = |steps: &Vec<StatePathStep>| steps.iter().map(step).collect();
        Some(StoredObject {
            schema_version: self.schema_version,
            attributes: match (self.attributes, &self.attributes_flat) {
                (Some(attributes), _) => attributes,
                (None, flat) => flat.as_ref().map(|_| RawValue::NULL.to_owned())?,
            },
            flat: self.attributes_flat,
            sensitive: self.sensitive_attributes.iter().map(path).collect(),
            private: PrivateData(BASE64.decode(self.private.unwrap_or_default().as_bytes()).ok()?),
            identity: self.identity.filter(|identity| identity.get() != "null"),
            tainted: self.status.as_deref() == Some("tainted"),
        })
    }
}

fn step(step: &StatePathStep) -> PathStep {
    match step {
        StatePathStep::GetAttr(name) => PathStep::Attribute(name.as_str().into()),
        StatePathStep::Index(Key { value: serde_json::Value::String(key), .. }) => {
            PathStep::Index(Value::from(key.as_str()))
        }
        // No element has the index -1, so `mark` hides the whole list where an index cannot be read.
        StatePathStep::Index(Key { value, .. }) => PathStep::Index(Value::from(value.as_i64().unwrap_or(-1))),
    }
}
