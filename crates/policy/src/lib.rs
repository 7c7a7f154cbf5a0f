//! Queries and policies over the collections of a plan, its states and its configuration.
//!
//! - [`tfplan`], [`tfstate`] and [`tfconfig`] are the collections, as policies in Sentinel know them: items by key, each
//!   with its values and their marks.
//! - `query` finds items with expressions in CEL.
//! - `rego` evaluates Rego policies over plans.
//! - `columns` holds changes as rows of Arrow columns.
//! - `sentinel` supplies the imports of Sentinel policies, and makes mocks from them.
//!
//! A result that depends on values unknown until apply is undecided, and names them. Sensitive values are in
//! no finding and no text.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// The collections hold what any of the languages asks for.
#![cfg_attr(not(all(feature = "query", feature = "rego", feature = "sentinel")), allow(dead_code))]

mod address;
#[cfg(any(feature = "rego", feature = "sentinel"))]
mod blocks;
mod collection;
#[cfg(feature = "columns")]
pub mod columns;
#[cfg(any(feature = "rego", feature = "sentinel"))]
mod module_lists;
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

#[cfg(any(feature = "rego", feature = "sentinel"))]
pub use blocks::locate;
pub use collection::{
    Answer, Collected, Collection, Exact, Field, FieldKind, Full, Marked, ObjectValueError, Redacted, Secrets,
};
