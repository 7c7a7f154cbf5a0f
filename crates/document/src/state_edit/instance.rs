//! An object as a state file has it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use data_encoding::BASE64;
use objchange::schema::Schema;
use objchange::value::{Path, PathStep};
use objchange::{Type, Value};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::members::Members;
use super::{InstanceObject, Key, StateEditError, StatePathStep};

/// The members of an instance that an object decides about. Others, such as `dependencies`, stay as they are.
#[derive(Serialize)]
struct Instance {
    #[serde(skip_serializing_if = "Option::is_none")]
    index_key: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deposed: Option<String>,
    schema_version: i64,
    attributes: Box<RawValue>,
    sensitive_attributes: Vec<Vec<StatePathStep>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private: Option<String>,
}

/// Whether an object has its place, or has lost it to a new one and is still to be destroyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Current,
    Deposed,
}

/// An object as a state file has it, secrets and all.
pub(super) fn members(
    known: &InstanceObject,
    schema: &Schema,
    key: Option<&serde_json::Value>,
    role: Role,
) -> Result<Members, StateEditError> {
    let (object, marks) = schema.block.mark_hidden(&known.object).unmark_deep_with_paths();
    let raw = |value: &Value, ty: &Type| Ok::<_, StateEditError>(RawValue::from_string(value.to_json(ty)?)?);
    let identity = known.identity.as_ref().map(|identity| raw(identity, identity.ty()));
    let instance = Instance {
        index_key: key.cloned(),
        status: known.tainted.then_some("tainted"),
        deposed: (role == Role::Deposed).then(deposed_key),
        schema_version: schema.version,
        attributes: raw(&object, schema.block.implied_type())?,
        sensitive_attributes: marks.iter().map(|(path, _)| steps(path)).collect(),
        identity: identity.transpose()?,
        private: (!known.private.0.is_empty()).then(|| BASE64.encode(&known.private.0)),
    };
    Ok(serde_json::from_str(to_raw_value(&instance)?.get())?)
}

fn steps(path: &Path) -> Vec<StatePathStep> {
    let step = |step: &PathStep| match step {
        PathStep::Attribute(name) => StatePathStep::GetAttr(name.to_string()),
        PathStep::Index(key) => {
            let json = key.to_json(key.ty()).ok().and_then(|json| serde_json::from_str(&json).ok());
            let ty = if key.as_str().is_some() { "string" } else { "number" };
            StatePathStep::Index(Key { value: json.unwrap_or_default(), ty: ty.to_owned() })
        }
    };
    path.steps().iter().map(step).collect()
}

fn random() -> u64 {
    // The standard library has no random numbers, but each of these has keys of its own, and the first come from the
    // system.
    RandomState::new().build_hasher().finish()
}

/// A new key for a deposed object.
fn deposed_key() -> String {
    // Terraform's own keys are eight hexadecimal digits.
    format!("{:08x}", random() >> 32)
}

/// A new lineage, which identifies a state.
pub(super) fn lineage() -> String {
    // A lineage is a UUID; its 4 and its 8 say that it is a random one.
    let (a, b) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
}
