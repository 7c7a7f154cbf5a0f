//! The resources of a state file, `terraform.tfstate` in version 4.

use std::collections::BTreeMap;
use std::fmt::Write;

use objchange::Value;
use objchange::value::{Number, Path, PathStep};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::prior::{Instance, Sensitive, StateError};

#[derive(Deserialize)]
struct StateFile<'t> {
    #[serde(default)]
    version: u64,
    #[serde(borrow, default)]
    resources: Vec<Resource<'t>>,
}

#[derive(Deserialize)]
struct Resource<'t> {
    #[serde(default)]
    module: Option<String>,
    mode: String,
    #[serde(rename = "type")]
    resource_type: String,
    name: String,
    #[serde(borrow, default)]
    instances: Vec<BTreeMap<String, &'t RawValue>>,
}

/// What counts of an instance.
struct RawInstance<'t> {
    index_key: Option<IndexKey>,
    status: Option<String>,
    deposed: Option<String>,
    attributes: Option<&'t RawValue>,
    attributes_flat: Option<IgnoredAny>,
    sensitive_attributes: Option<Vec<Vec<Step>>>,
}

/// The key of an instance: of `count` or of `for_each`.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a number or a string is expected here")]
enum IndexKey {
    Position(u64),
    Name(String),
}

/// Reads the members of an instance; one that is null is as good as absent.
fn instance<'t>(text: &str, members: &BTreeMap<String, &'t RawValue>) -> Result<RawInstance<'t>, StateError> {
    fn member<T: DeserializeOwned>(
        text: &str,
        members: &BTreeMap<String, &RawValue>,
        name: &str,
    ) -> Result<Option<T>, StateError> {
        let Some(raw) = members.get(name).map(|raw| raw.get()) else { return Ok(None) };
        serde_json::from_str(raw).map_err(|error| StateError::in_part(text, raw, &error))
    }
    Ok(RawInstance {
        index_key: member(text, members, "index_key")?,
        status: member(text, members, "status")?,
        deposed: member(text, members, "deposed")?,
        attributes: members.get("attributes").copied().filter(|raw| raw.get() != "null"),
        attributes_flat: member(text, members, "attributes_flat")?,
        sensitive_attributes: member(text, members, "sensitive_attributes")?,
    })
}

/// A step of a path as state files write it.
#[derive(Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
enum Step {
    GetAttr(String),
    Index(Key),
}

#[derive(Deserialize)]
struct Key {
    value: Json,
}

/// The managed resource instances, without deposed objects.
pub(super) fn instances(text: &str) -> Result<Vec<Instance<'_>>, StateError> {
    let file: StateFile<'_> = serde_json::from_str(text).map_err(|e| StateError::json(&e))?;
    if file.version != 4 {
        return Err(StateError::Version { version: file.version });
    }
    let mut instances = Vec::new();
    for resource in file.resources.iter().filter(|resource| resource.mode == "managed") {
        for raw in &resource.instances {
            let raw = instance(text, raw)?;
            if raw.deposed.is_some() {
                continue;
            }
            instances.push(Instance {
                address: address(resource, raw.index_key.as_ref()),
                resource_type: resource.resource_type.clone(),
                values: raw.attributes.map_or("null", RawValue::get),
                sensitive: Sensitive::Paths(
                    raw.sensitive_attributes.iter().flatten().map(|steps| path(steps)).collect(),
                ),
                tainted: raw.status.as_deref() == Some("tainted"),
                is_flat: raw.attributes.is_none() && raw.attributes_flat.is_some(),
            });
        }
    }
    Ok(instances)
}

fn address(resource: &Resource<'_>, key: Option<&IndexKey>) -> String {
    let mut address = String::new();
    if let Some(module) = resource.module.as_deref().filter(|module| !module.is_empty()) {
        address.push_str(module);
        address.push('.');
    }
    address.push_str(&resource.resource_type);
    address.push('.');
    address.push_str(&resource.name);
    if let Some(key) = key {
        // Writing to a string does not fail.
        let _ = match key {
            IndexKey::Position(position) => write!(address, "[{position}]"),
            IndexKey::Name(name) => write!(address, "[{}]", Json::from(name.as_str())),
        };
    }
    address
}

fn path(steps: &[Step]) -> Path {
    steps
        .iter()
        .map(|step| match step {
            Step::GetAttr(name) => PathStep::Attribute(name.as_str().into()),
            Step::Index(Key { value: Json::String(key) }) => PathStep::Index(Value::from(key.as_str())),
            Step::Index(Key { value }) => {
                let number = Number::parse(&value.to_string()).ok();
                PathStep::Index(number.map_or_else(|| Value::null(objchange::Type::Dynamic), Value::from))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_have_their_addresses_and_what_is_sensitive() {
        let text = r#"{"version":4,"terraform_version":"1.9.0","serial":3,"lineage":"x","outputs":{},"resources":[
            {"mode":"data","type":"aws_ami","name":"x","provider":"p","instances":[{"attributes":{}}]},
            {"mode":"managed","type":"aws_instance","name":"web","provider":"p","instances":[
                {"index_key":0,"schema_version":1,"attributes":{"id":"i-1"},
                 "sensitive_attributes":[[{"type":"get_attr","value":"tags"},{"type":"index","value":{"value":"a","type":"string"}}],
                    [{"type":"get_attr","value":"disk"},{"type":"index","value":{"value":1,"type":"number"}}]]},
                {"index_key":1,"status":"tainted","attributes":{"id":"i-2"}},
                {"index_key":1,"deposed":"1234","attributes":{"id":"i-3"}}]},
            {"module":"module.m[\"a\"]","mode":"managed","type":"aws_instance","name":"db","provider":"p","instances":[
                {"index_key":"k\"","attributes":null}]}]}"#;
        let instances = instances(text).unwrap();
        let addresses: Vec<&str> = instances.iter().map(|instance| instance.address.as_str()).collect();
        assert_eq!(
            addresses,
            ["aws_instance.web[0]", "aws_instance.web[1]", r#"module.m["a"].aws_instance.db["k\""]"#]
        );
        let Sensitive::Paths(paths) = &instances[0].sensitive else { panic!("these are paths") };
        assert_eq!(paths.iter().map(Path::to_string).collect::<Vec<_>>(), [r#".tags["a"]"#, ".disk[1]"]);
        assert_eq!(instances.iter().map(|i| i.tainted).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(instances[0].values, r#"{"id":"i-1"}"#);
    }

    #[test]
    fn other_versions_are_refused() {
        assert_eq!(
            instances(r#"{"version":3,"modules":[]}"#).unwrap_err().to_string(),
            "the state file has version 3, and only version 4 is supported: write it again with Terraform 0.12 or later"
        );
    }
}
