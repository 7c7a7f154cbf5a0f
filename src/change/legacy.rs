//! Normalizes objects of providers with the legacy SDK.

use super::ChangeError;
use super::access::not_an_object;
use crate::schema::{Block, NestedBlock, NestingMode, SecretParts};
use crate::value::{Kind, ObjectType, Type, Value};

/// Gives blocks the form that the schema implies, where the legacy SDK leaves them null or unknown,
/// as Terraform Core does: a list or set is never null, and an unknown block becomes one of unknown attributes.
///
/// # Errors
///
/// The value is not an object, null or unknown.
#[doc(alias = "NormalizeObjectFromLegacySDK")]
pub fn normalize_from_legacy_sdk(value: &Value, schema: &Block) -> Result<Value, ChangeError> {
    if value.is_known() && !value.is_null() && value.as_object().is_none() {
        return Err(not_an_object(value, SecretParts::new(schema, &[value]).root()));
    }
    // The shape changes only where blocks are null or unknown, so marks can be put back by path.
    let (plain, marks) = value.unmark_deep_with_paths();
    Ok(object(schema, &plain).mark_where_present(&marks))
}

fn object(schema: &Block, value: &Value) -> Value {
    let implied = schema.object_type();
    match value.kind() {
        Kind::Object(o) => {
            let names = o.object_type();
            let Type::Object(ty) = value.ty() else { return value.clone() };
            let mut values = o.values().to_vec();
            for (position, name, nested) in schema.positioned_blocks() {
                let at = match names.attributes().get(position) {
                    Some((n, _)) if n == name => Some(position),
                    _ => names.position(name),
                };
                if let Some(slot) = at.and_then(|i| values.get_mut(i)) {
                    *slot = blocks(nested, slot);
                }
            }
            Value::object_like(ty, values)
        }
        Kind::Unknown(_) => {
            let ty = match value.ty() {
                Type::Object(ty) => ty,
                _ => implied,
            };
            members(schema, ty, |nested, ty| blocks(nested, &Value::unknown(ty.clone())))
        }
        _ => value.clone(),
    }
}

/// An object with unknown attributes, and with blocks made by `block`.
fn members(
    schema: &Block,
    ty: &std::sync::Arc<ObjectType>,
    block: impl Fn(&NestedBlock, &Type) -> Value,
) -> Value {
    let values = ty
        .attributes()
        .iter()
        .map(|(name, ty)| match schema.block_type(name) {
            Some(nested) if schema.attribute(name).is_none() => block(nested, ty),
            _ => Value::unknown(ty.clone()),
        })
        .collect();
    Value::object_like(ty, values)
}

fn blocks(schema: &NestedBlock, value: &Value) -> Value {
    let implied = schema.block.implied_type();
    // Blocks with a dynamic part stay as they are: the legacy SDK has no dynamic types.
    if implied.has_dynamic() {
        return value.clone();
    }
    match (schema.nesting, value.kind()) {
        // The legacy SDK has no map blocks, and represents a missing single block by null as well.
        (NestingMode::Map, _) | (NestingMode::Single, Kind::Null) => value.clone(),
        (NestingMode::Group, Kind::Null) => schema.block.empty_value().clone(),
        (NestingMode::Single | NestingMode::Group, Kind::Unknown(_)) => stub(&schema.block),
        (NestingMode::Single | NestingMode::Group, _) => object(&schema.block, value),
        (NestingMode::List, kind) => Value::list_like(&Type::list(implied.clone()), elements(schema, kind)),
        (NestingMode::Set, kind) => Value::set_like(&Type::set(implied.clone()), elements(schema, kind)),
    }
}

fn elements(schema: &NestedBlock, kind: Kind<'_>) -> Vec<Value> {
    match kind {
        // The SDK writes unknown blocks as one block of unknown attributes, because it cannot express an
        // unknown collection.
        Kind::Unknown(_) => vec![stub(&schema.block)],
        Kind::List(s) | Kind::Set(s) | Kind::Tuple(s) => s.iter().map(|e| object(&schema.block, e)).collect(),
        _ => Vec::new(),
    }
}

/// A block with nothing known but its presence.
fn stub(schema: &Block) -> Value {
    members(schema, schema.object_type(), |nested, ty| match nested.nesting {
        NestingMode::Single | NestingMode::Group => stub(&nested.block),
        NestingMode::List => Value::list_like(ty, vec![stub(&nested.block)]),
        NestingMode::Set => Value::set_like(ty, vec![stub(&nested.block)]),
        NestingMode::Map => nested.empty_value(),
    })
}
