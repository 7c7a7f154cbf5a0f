//! A provider that behaves as its schema says.

use super::plan::{PlanResourceChange, PlannedResource, Provider};
use crate::schema::{Attribute, AttributeType, Block, NestedType, NestingMode};
use crate::value::{Path, StepRef, Value};

/// A provider without a service behind it: what it computes is unknown until apply.
///
/// Its plan is the proposed object in which every computed attribute without a value is unknown, and every
/// write-only attribute null. Such a plan always keeps the contract.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimulatedProvider {
    /// A change at one of these paths needs a new object.
    pub requires_replace: Vec<Path>,
}

impl Provider for SimulatedProvider {
    fn plan(&mut self, request: &PlanResourceChange<'_>) -> Result<PlannedResource, String> {
        Ok(PlannedResource {
            planned: object(request.schema, request.proposed),
            requires_replace: self.requires_replace.clone(),
            legacy_type_system: false,
        })
    }
}

fn object(schema: &Block, value: &Value) -> Value {
    value.map_steps(|step, child| {
        let StepRef::Attribute(name) = step else { return child.clone() };
        if let Some(schema) = schema.attribute(name) {
            return attribute(schema, child);
        }
        match schema.block_type(name) {
            Some(nested) if matches!(nested.nesting, NestingMode::Single | NestingMode::Group) => {
                object(&nested.block, child)
            }
            Some(nested) => child.map_children(|block| object(&nested.block, block)),
            None => child.clone(),
        }
    })
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
