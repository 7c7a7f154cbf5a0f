//! What a value is.

mod number;
mod ty;

pub use number::{Number, ParseNumberError};
pub use ty::{ObjectType, TupleType, Type};
