//! Telling a provider which computed blocks are not configured.

use super::ChangeError;
use crate::schema::{Block, NestedBlock, NestingMode};
use crate::value::{StepRef, Value};

/// Makes every empty *computed* block of mode list, set or map null: a provider sees by this form that it
/// was not configured.
///
/// Names are looked up without stopping at attributes, as Terraform does: a member of an object-typed
/// attribute that has the name of a computed block is treated as that block.
///
/// # Errors
///
/// The value is not an object, null or unknown.
#[doc(alias = "PrepareComputedBlocks")]
pub fn prepare_computed_blocks(schema: &Block, value: &Value) -> Result<Value, ChangeError> {
    if value.is_known() && !value.is_null() && value.as_object().is_none() {
        return Err(super::access::not_an_object(
            value,
            crate::schema::SecretParts::new(schema, &[value]).root(),
        ));
    }
    Ok(prepare(schema, value))
}

/// Everything below `value`, whose names are looked up in `scope`.
fn prepare(scope: &Block, value: &Value) -> Value {
    if !scope.has_computed_blocks() {
        return value.clone();
    }
    value.map_steps(|step, child| {
        let nested = match step {
            StepRef::Attribute(name) => scope.block_type(name),
            _ => None,
        };
        match nested {
            Some(nested) => not_configured(nested, prepare(&nested.block, child)),
            // Terraform 1.16 looks names up without stopping at attributes, so a member of an attribute
            // with the name of a computed block counts as that block.
            None => prepare(scope, child),
        }
    })
}

fn not_configured(nested: &NestedBlock, value: Value) -> Value {
    let collection = matches!(nested.nesting, NestingMode::List | NestingMode::Set | NestingMode::Map);
    if nested.computed && collection && value.is_empty() {
        Value::null(value.ty().clone()).with_marks(value.marks())
    } else {
        value
    }
}
