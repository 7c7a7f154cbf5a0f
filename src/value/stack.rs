//! Values on their way into containers while a document is read.

use std::sync::Arc;

use super::build::sealed;
use super::{ConstructError, Flags, ObjectType, Repr, Type, Value};

/// The parts read so far of all containers that are still open in a document: those of an inner container
/// lie above those of the outer one. So a container takes one allocation, its own.
#[derive(Default)]
pub(super) struct Stack {
    values: Vec<Value>,
    /// For each attribute of the open objects, whether it was read.
    given: Vec<bool>,
}

/// Where the parts of a container begin.
#[derive(Clone, Copy)]
pub(super) struct Base {
    values: usize,
    given: usize,
}

impl Stack {
    pub(super) fn open(&self) -> Base {
        Base { values: self.values.len(), given: self.given.len() }
    }

    /// Opens an object none of whose attributes was read.
    pub(super) fn open_object(&mut self, ty: &ObjectType) -> Base {
        let base = self.open();
        let attributes = ty.attributes().len();
        self.values.resize(base.values + attributes, Value::null(Type::Dynamic));
        self.given.resize(base.given + attributes, false);
        base
    }

    pub(super) fn push(&mut self, value: Value) {
        self.values.push(value);
    }

    /// Whether the attribute at this position was read before.
    pub(super) fn is_given(&self, object: Base, position: usize) -> bool {
        self.given[object.given + position]
    }

    pub(super) fn set(&mut self, object: Base, position: usize, value: Value) {
        self.values[object.values + position] = value;
        self.given[object.given + position] = true;
    }

    /// How many attributes were not read.
    pub(super) fn missing(&self, object: Base) -> usize {
        self.given[object.given..].iter().filter(|given| !**given).count()
    }

    /// The list or set of what was pushed.
    pub(super) fn collection(&mut self, base: Base, ty: &Type) -> Result<Value, ConstructError> {
        match ty {
            Type::Set(_) => Value::checked_set(ty, self.values.drain(base.values..).collect()),
            _ => Value::list_of(ty, &mut self.values, base.values),
        }
    }

    /// The tuple of what was pushed, with this type where it fits.
    pub(super) fn tuple(&mut self, base: Base, ty: &Type) -> Value {
        let elements = &self.values[base.values..];
        let ty = match ty {
            Type::Tuple(tuple) if tuple.elements().iter().eq(elements.iter().map(Value::ty)) => ty.clone(),
            _ => Type::tuple(elements.iter().map(|element| element.ty().clone())),
        };
        Value(Repr::Tuple(sealed(ty, 'T', Flags::default(), self.values.drain(base.values..))))
    }

    /// The object of what was read, with nulls for the rest.
    pub(super) fn object(&mut self, base: Base, ty: &Arc<ObjectType>) -> Value {
        let slots = std::iter::zip(&mut self.values[base.values..], self.given.drain(base.given..));
        for ((slot, given), (_, ty)) in std::iter::zip(slots, ty.attributes()) {
            if !given {
                *slot = Value::null(ty.clone());
            }
        }
        Value::object_of(ty, self.values.drain(base.values..))
    }
}
