//! State files of version 4: one object is read from them, and written into them.

mod instance;
mod merge;
mod out;

use data_encoding::BASE64;
use objchange::Value;
use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress};
use objchange::value::{Path, PathStep};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(super) use self::out::{Objects, StateOut};

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
    #[serde(default)]
    sensitive_attributes: Vec<Vec<Step>>,
    #[serde(default)]
    private: Option<String>,
    #[serde(default)]
    identity: Option<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
enum Step {
    GetAttr(String),
    Index(Key),
}

#[derive(Serialize, Deserialize)]
struct Key {
    value: serde_json::Value,
    #[serde(rename = "type")]
    ty: String,
}

/// An object as a state file has it.
pub(super) struct Stored {
    pub(super) schema_version: i64,
    pub(super) attributes: Box<RawValue>,
    pub(super) sensitive: Vec<Path>,
    pub(super) private: Vec<u8>,
    pub(super) identity: Option<Box<RawValue>>,
    pub(super) tainted: bool,
}

impl Stored {
    /// The object of a type at an address, if the text is a state file and has it.
    pub(super) fn find(text: &str, type_name: &str, address: &str) -> Option<Self> {
        let file: File = serde_json::from_str(text).ok().filter(|file: &File| file.version == 4)?;
        let InstanceAddress { resource: wanted, key } = instance_address(address, type_name).ok()?;
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

/// Reads the address of a managed resource of this type.
pub(super) fn instance_address(address: &str, type_name: &str) -> Result<InstanceAddress, String> {
    let parsed: InstanceAddress = address.parse().map_err(|error| format!("{address}: {error}"))?;
    if parsed.resource.mode != Mode::Managed || parsed.resource.resource_type != type_name {
        return Err(format!("{address} is not an address of a {type_name}"));
    }
    Ok(parsed)
}

/// A key as `index_key` of a state file has it.
fn index_key(key: &InstanceKey) -> serde_json::Value {
    match key {
        InstanceKey::Number(number) => (*number).into(),
        InstanceKey::String(key) => key.as_str().into(),
    }
}

impl Instance {
    fn stored(self) -> Option<Stored> {
        let path = |steps: &Vec<Step>| steps.iter().map(step).collect();
        Some(Stored {
            schema_version: self.schema_version,
            attributes: self.attributes?,
            sensitive: self.sensitive_attributes.iter().map(path).collect(),
            private: BASE64.decode(self.private.unwrap_or_default().as_bytes()).ok()?,
            identity: self.identity.filter(|identity| identity.get() != "null"),
            tainted: self.status.as_deref() == Some("tainted"),
        })
    }
}

fn step(step: &Step) -> PathStep {
    match step {
        Step::GetAttr(name) => PathStep::Attribute(name.as_str().into()),
        Step::Index(Key { value: serde_json::Value::String(key), .. }) => {
            PathStep::Index(Value::from(key.as_str()))
        }
        Step::Index(Key { value, .. }) => PathStep::Index(Value::from(value.as_i64().unwrap_or(-1))),
    }
}
