//! A provider that behaves as its schema says.

use super::plan::{PlanResourceChange, PlannedResource, Provider};
use crate::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode};
use crate::value::{Path, StepRef, Type, Value};

/// What stands for a prior object that is not there. Its type does not matter: a null is a null.
static NOTHING: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::null(Type::Dynamic));

/// A provider without a service behind it: what it computes is unknown until apply.
///
/// Its plan is the proposed object in which every computed attribute without a value is unknown, and every
/// write-only attribute null. Computed blocks that are not configured stay as they were, and are unknown where
/// there were none. Such a plan always keeps the contract.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimulatedProvider {
    /// A change at one of these paths needs a new object.
    pub requires_replace: Vec<Path>,
}

impl Provider for SimulatedProvider {
    fn plan(&mut self, request: &PlanResourceChange<'_>) -> Result<PlannedResource, String> {
        Ok(PlannedResource {
            planned: object(request.schema, request.proposed, request.prior),
            requires_replace: self.requires_replace.clone(),
            legacy_type_system: false,
        })
    }
}

fn object(schema: &Block, value: &Value, prior: &Value) -> Value {
    value.map_steps(|step, child| {
        let StepRef::Attribute(name) = step else { return child.clone() };
        if let Some(schema) = schema.attribute(name) {
            return attribute(schema, child);
        }
        let Some(nested) = schema.block_type(name) else { return child.clone() };
        blocks(nested, child, prior.attribute(name).unwrap_or(&NOTHING))
    })
}

fn blocks(schema: &NestedBlock, value: &Value, prior: &Value) -> Value {
    match schema.nesting {
        NestingMode::Single | NestingMode::Group => object(&schema.block, value, prior),
        // Not configured: null here would say that there are none, which is not for a plan to say.
        _ if schema.computed && value.is_null() => {
            if prior.is_null() {
                Value::unknown(value.ty().clone())
            } else {
                prior.clone()
            }
        }
        _ => value.map_steps(|step, block| {
            let prior = match step {
                StepRef::Position(i) => prior.index(i),
                StepRef::Key(key) => prior.element(key),
                StepRef::Attribute(name) => prior.attribute(name),
                StepRef::Element(_) => None,
            };
            object(&schema.block, block, prior.unwrap_or(&NOTHING))
        }),
    }
}

fn attribute(schema: &Attribute, value: &Value) -> Value {
    if schema.write_only {
        return Value::null(value.ty().clone());
    }
    if schema.computed && value.is_null() {
        return Value::unknown(value.ty().clone());
    }
    match &schema.ty {
        AttributeType::Plain(_) => value.clone(),
        AttributeType::Nested(nested) => match nested.nesting() {
            NestingMode::Single | NestingMode::Group => nested_object(nested, value),
            _ => value.map_children(|element| nested_object(nested, element)),
        },
    }
}

fn nested_object(schema: &NestedType, value: &Value) -> Value {
    value.map_steps(|step, child| match step {
        StepRef::Attribute(name) => {
            schema.attribute(name).map_or_else(|| child.clone(), |schema| attribute(schema, child))
        }
        _ => child.clone(),
    })
}
