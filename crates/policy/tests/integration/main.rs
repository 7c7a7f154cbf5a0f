//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod collections;
#[cfg(feature = "columns")]
mod columns;
#[cfg(feature = "query")]
mod query;
#[cfg(feature = "rego")]
mod rego;
#[cfg(feature = "rego")]
mod rego_fields;
#[cfg(feature = "rego")]
mod rego_law;
#[cfg(feature = "rego")]
mod rego_secrets;
mod simulated;
