//! Talks to Terraform providers.
//!
//! A provider is a program that speaks a protocol over gRPC, in version 5 or 6. This crate has both ends of it, on the values
//! and schemas of [`objchange`]:
//!
//! - [`Provider`]: answers a [`Call`] with a [`Reply`], over any transport; [`ProviderExt`] has a method
//!   for each.
//! - [`client`]: starts a provider's program or attaches to one that runs, and is the [`Provider`] there.
//! - [`server`]: serves any [`Provider`] as a program that Terraform runs.
//! - [`record`]: records questions and answers of a provider, to be judged again.
//! - [`message`]: reads single messages of the protocol from their bytes.
//!
//! The crate `objchange-conform` tests providers, and writes them from schemas and closures.

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod call;
mod cases;
pub mod client;
mod document;
mod drive;
mod error;
mod log;
mod mask;
pub mod message;
mod notes;
mod provider;
pub mod record;
mod schemas;
pub mod server;
mod tls;
mod verdict;
mod wire;

pub use call::{
    ActionEvent, ActionPlan, Answer, Capabilities, Component, FunctionAnswer, ImportAnswer, ImportResource,
    ImportTarget, Imported, ListQuestion, Listed, Locked, Metadata, MoveResource, Opened, RawState,
    ReadResource, StateIds, StoreConfigured, StoredState, UpgradeResource,
};
pub use cases::OPERATIONS;
#[doc(no_inline)]
pub use client::Client;
pub use document::schema_document;
pub use drive::{ChangeFault, apply_change, plan_change};
pub use error::{Error, ErrorKind, Result};
pub use mask::Masks;
pub use notes::{Description, FunctionNote, Note, Notes};
pub use provider::{Call, Provider, ProviderExt, Reply};
pub use schemas::{Function, Parameter, SchemaFault, SchemaFaultKind, Schemas};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
