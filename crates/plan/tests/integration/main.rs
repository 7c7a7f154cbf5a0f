//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod collections;
mod corners;
mod depth;
mod golden;
mod large;
mod leaves;
mod modes;
mod mutated;
#[cfg(feature = "policy")]
mod policy;
#[cfg(feature = "policy")]
mod policy_law;
mod properties;
#[cfg(feature = "query")]
mod query;
mod report;
mod state_file;
mod summary;
mod values;
