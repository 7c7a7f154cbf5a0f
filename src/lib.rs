//! What a Terraform or OpenTofu change to a resource will be.

pub mod case;
pub mod change;
pub mod schema;
pub mod value;

pub use value::{Type, Value};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
