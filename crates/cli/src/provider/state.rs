//! State files of one object, as Terraform keeps them.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::Path as FilePath;

use data_encoding::BASE64;
use objchange::Value;
use objchange::schema::Schema;
use objchange::value::{Path, PathStep, WriteError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::prior::Known;
use super::session::Failure;
use crate::address::{InstanceAddress, Key as InstanceKey};

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
        let (module, name, wanted) = split(address, type_name)?;
        let any_in =
            |module: &str| if module.is_empty() { "t.x".to_owned() } else { format!("{module}.t.x") };
        let of_type = file.resources.into_iter().filter(|r| r.mode == "managed" && r.type_name == type_name);
        for resource in of_type {
            if resource.name != name || !InstanceAddress::is_same(&any_in(&resource.module), &any_in(&module))
            {
                continue;
            }
            let mut instances = resource.instances.into_iter().filter(|instance| instance.deposed.is_none());
            if let Some(instance) = instances.find(|instance| instance.index_key == wanted) {
                return instance.stored();
            }
        }
        None
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

fn written(path: &Path) -> Vec<Step> {
    let step = |step: &PathStep| match step {
        PathStep::Attribute(name) => Step::GetAttr(name.to_string()),
        PathStep::Index(key) => {
            let json = key.to_json(key.ty()).ok().and_then(|json| serde_json::from_str(&json).ok());
            let ty = if key.as_str().is_some() { "string" } else { "number" };
            Step::Index(Key { value: json.unwrap_or_default(), ty: ty.to_owned() })
        }
    };
    path.steps().iter().map(step).collect()
}

#[derive(Serialize)]
struct FileOut<'a> {
    version: u64,
    terraform_version: &'static str,
    serial: u64,
    lineage: String,
    outputs: BTreeMap<String, ()>,
    resources: Vec<ResourceOut<'a>>,
    check_results: Option<()>,
}

#[derive(Serialize)]
struct ResourceOut<'a> {
    #[serde(skip_serializing_if = "String::is_empty")]
    module: String,
    mode: &'static str,
    #[serde(rename = "type")]
    type_name: &'a str,
    name: String,
    provider: String,
    instances: [InstanceOut; 1],
}

#[derive(Serialize)]
struct InstanceOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    index_key: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    schema_version: i64,
    attributes: Box<RawValue>,
    sensitive_attributes: Vec<Vec<Step>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private: Option<String>,
}

/// Writes a state file with one object, or none where it is null. It holds secrets, as Terraform's does, and only its owner
/// may read it.
pub(super) fn write(
    path: &FilePath,
    address: &str,
    provider: &str,
    type_name: &str,
    schema: &Schema,
    known: &Known,
) -> Result<(), Failure> {
    let unusable = |reason: &dyn Display| Failure::Unusable(format!("{}: {reason}", path.display()));
    let mut resources = Vec::new();
    if !known.object.is_null() {
        let no_address = || unusable(&format!("{address} is no address of a {type_name}"));
        let (module, name, index_key) = split(address, type_name).ok_or_else(no_address)?;
        let (object, marks) = schema.block.mark_hidden(&known.object).unmark_deep_with_paths();
        let raw = |json: Result<String, WriteError>| {
            let json = json.map_err(|error| unusable(&error))?;
            RawValue::from_string(json).map_err(|error| unusable(&error))
        };
        let instance = InstanceOut {
            index_key,
            status: known.tainted.then_some("tainted"),
            schema_version: schema.version,
            attributes: raw(object.to_json(schema.block.implied_type()))?,
            sensitive_attributes: marks.iter().map(|(path, _)| written(path)).collect(),
            identity: known
                .identity
                .as_ref()
                .map(|identity| raw(identity.to_json(identity.ty())))
                .transpose()?,
            private: (!known.private.0.is_empty()).then(|| BASE64.encode(&known.private.0)),
        };
        let (provider, instances) = (format!("provider[\"{provider}\"]"), [instance]);
        resources.push(ResourceOut { module, mode: "managed", type_name, name, provider, instances });
    }
    let file = FileOut {
        version: 4,
        terraform_version: TERRAFORM_VERSION,
        serial: 1,
        lineage: lineage(),
        outputs: BTreeMap::new(),
        resources,
        check_results: None,
    };
    let text = serde_json::to_string_pretty(&file).map_err(|error| unusable(&error))?;
    save(path, &text).map_err(|error| unusable(&error))
}

/// The version that state files are said to be of.
const TERRAFORM_VERSION: &str = "1.11.0";

/// The module, the name and the key in an address of a resource of this type.
fn split(address: &str, type_name: &str) -> Option<(String, String, Option<serde_json::Value>)> {
    let address = InstanceAddress::parse(address).filter(|address| address.resource_type == type_name)?;
    let key = address.key.map(|key| match key {
        InstanceKey::Number(number) => number.into(),
        InstanceKey::Text(text) => text.into(),
    });
    Some((address.module, address.name, key))
}

/// By which one state is told from another.
fn lineage() -> String {
    let part = || RandomState::new().build_hasher().finish();
    let (a, b) = (part(), part());
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
}

fn save(path: &FilePath, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let place = |address| split(address, "kit_disk");
        let found = |module: &str, name: &str, key| Some((module.to_owned(), name.to_owned(), key));
        assert_eq!(place("kit_disk.a"), found("", "a", None));
        assert_eq!(place("kit_disk.a[0]"), found("", "a", Some(0.into())));
        assert_eq!(
            place(r#"module.m["a.b"].kit_disk.a["x$${y}"]"#),
            found(r#"module.m["a.b"]"#, "a", Some("x${y}".into()))
        );
        assert_eq!(place("other_disk.a"), None);
        assert_eq!(place("my_kit_disk.a"), None);
        assert_eq!(place("kit_disk"), None);
    }
}
