//! What a value is.

mod ty;

pub use ty::{ObjectType, TupleType, Type};
