//! A provider that behaves as its schema says.

use super::{PlanResourceChange, PlannedResource, Provider, ProviderError};
use crate::change::access::NOTHING;
use crate::schema::{Attribute, AttributeType, Block, Member, Members, NestedBlock, NestingMode};
use crate::value::{Path, StepRef, Type, Value};

/// A provider without a service behind it: computed attributes are unknown until apply.
///
/// If the proposed object equals the prior one, nothing changes. Otherwise the plan is the proposed
/// object with unknown computed attributes where they have no value, and null write-only attributes.
/// Computed blocks that are not configured keep their prior value, and are unknown without one. Such a plan
/// always keeps the contract.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimulatedProvider {
    /// A change at one of these paths needs a new object.
    pub requires_replace: Vec<Path>,
}

impl Provider for SimulatedProvider {
    fn plan(&mut self, request: &PlanResourceChange) -> Result<PlannedResource, ProviderError> {
        let PlanResourceChange { schema, prior, proposed, private, identity, .. } = request;
        let planned = if Answer::Kept.object(schema, proposed, prior).identical(prior) {
            prior.clone()
        } else {
            Answer::Computed.object(schema, proposed, prior)
        };
        let mut answer = PlannedResource::new(planned);
        answer.requires_replace.clone_from(&self.requires_replace);
        answer.private.clone_from(private);
        answer.identity.clone_from(identity);
        Ok(answer)
    }
}

/// How the simulated provider answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The proposed object, as if nothing were computed.
    Kept,
    /// Computed attributes without a value become unknown.
    Computed,
}

impl Answer {
    fn object(self, schema: &Block, value: &Value, prior: &Value) -> Value {
        if self == Self::Kept && !schema.has_computed_blocks() && !schema.has_write_only() {
            return value.clone();
        }
        self.members(Members::Block(schema), value, prior)
    }

    /// Each member of an object; members that the schema lacks stay.
    fn members(self, schema: Members<'_>, value: &Value, prior: &Value) -> Value {
        let Some(object) = value.as_object() else { return value.clone() };
        let prior = prior.as_object();
        let mut values: Vec<Value> = Vec::new();
        for (position, (name, member)) in schema.iter().enumerate() {
            let Some(at) = object.position_at(position, name) else { continue };
            let part = &object.values()[at];
            let answer = match member {
                Member::Attribute(attribute) => self.attribute(attribute, part),
                Member::Blocks(nested) => {
                    let prior = prior.and_then(|prior| prior.get_at(position, name));
                    self.blocks(nested, part, prior.unwrap_or(&NOTHING))
                }
            };
            if !answer.same_place(part) {
                if values.is_empty() {
                    values.extend_from_slice(object.values());
                }
                values[at] = answer;
            }
        }
        match value.ty() {
            Type::Object(ty) if !values.is_empty() => {
                Value::object_like(ty, values).with_marks(value.marks())
            }
            _ => value.clone(),
        }
    }

    fn blocks(self, schema: &NestedBlock, value: &Value, prior: &Value) -> Value {
        match schema.nesting {
            // Not configured: null would mean that there are no blocks, which the plan cannot know.
            _ if schema.computed && value.is_null() => {
                if prior.is_null() {
                    Value::unknown(value.ty().clone())
                } else {
                    prior.clone()
                }
            }
            NestingMode::Single | NestingMode::Group => self.object(&schema.block, value, prior),
            _ => value.map_steps(|step, block| {
                let prior = match step {
                    StepRef::Position(i) => prior.index(i),
                    StepRef::Key(key) => prior.element(key),
                    StepRef::Attribute(name) | StepRef::Label(name) => prior.attribute(name),
                    StepRef::Element(_) => None,
                };
                self.object(&schema.block, block, prior.unwrap_or(&NOTHING))
            }),
        }
    }

    fn attribute(self, schema: &Attribute, value: &Value) -> Value {
        if schema.write_only {
            // A value of a dynamic attribute has another type than the schema says.
            return Value::null(schema.implied_type().clone());
        }
        if self == Self::Computed && schema.computed && value.is_null() {
            return Value::unknown(value.ty().clone());
        }
        match &schema.ty {
            AttributeType::Plain(_) => value.clone(),
            AttributeType::Nested(nested) => match nested.nesting() {
                NestingMode::Single | NestingMode::Group => {
                    self.members(Members::Nested(nested), value, &NOTHING)
                }
                _ => value.map_children(|element| self.members(Members::Nested(nested), element, &NOTHING)),
            },
        }
    }
}
