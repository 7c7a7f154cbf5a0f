//! The empty value of a block, for configuration that leaves it out.

use super::attribute::NestingMode;
use super::block::{Block, NestedBlock};
use crate::value::{Type, Value};

/// The object whose attributes are all null, and which has no blocks.
pub(super) fn empty_object(block: &Block) -> Value {
    let mut values: Vec<Value> =
        block.object_type().attributes().iter().map(|(_, ty)| Value::null(ty.clone())).collect();
    for (position, name, nested) in block.positioned_blocks() {
        // A name that is also an attribute is the attribute's, as in the implied type.
        if block.attribute(name).is_none() {
            values[position] = nested.empty_value();
        }
    }
    Value::object_like(block.object_type(), values)
}

impl NestedBlock {
    /// The value of this block type where no block of it is configured: null for a single block, the empty
    /// value of a group, otherwise an empty collection.
    #[doc(alias = "EmptyValue")]
    pub fn empty_value(&self) -> Value {
        let implied = self.implied_type();
        match self.nesting {
            NestingMode::Single => Value::null(implied),
            NestingMode::Group => self.block.empty_value().clone(),
            // Blocks with dynamic parts are held in tuples and objects, because their types may differ.
            NestingMode::List if implied == Type::Dynamic => Value::tuple::<Value>([]),
            NestingMode::Map if implied == Type::Dynamic => Value::object::<&str, Value>([]),
            NestingMode::List => Value::list_like(&implied, Vec::new()),
            NestingMode::Set => Value::set_like(&implied, Vec::new()),
            NestingMode::Map => Value::map_like(&implied, Vec::new()),
        }
    }
}
