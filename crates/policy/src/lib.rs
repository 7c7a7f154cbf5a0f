//! What people ask of plans: queries and policies, over the collections of a plan, its states and its configuration.
//!
//! - [`tfplan`], [`tfstate`] and [`tfconfig`] are the collections, as policies in Sentinel know them: items by key, each
//!   with its values and their marks.
//! - `query` finds items with expressions in CEL.
//! - `rego` evaluates Rego policies over plans.
//! - `columns` has changes as rows of Arrow columns.
//! - `sentinel` gives policies in Sentinel what they import, and makes mocks of it.
//!
//! What depends on a value that is unknown until apply is undecided, and says on what. What is sensitive is in no
//! finding and in no text.

#![forbid(unsafe_code)]

mod collection;
#[cfg(feature = "columns")]
pub mod columns;
#[cfg(feature = "query")]
pub mod query;
#[cfg(feature = "rego")]
pub mod rego;
#[cfg(feature = "sentinel")]
pub mod sentinel;
mod simulated;
pub mod tfconfig;
pub mod tfplan;
pub mod tfstate;

pub use collection::{
    Answer, Collected, Collection, Exact, Field, FieldKind, Full, Marked, ObjectValueError, Redacted, Secrets,
};
