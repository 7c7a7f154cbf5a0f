//! Plans a whole module: the plan that Terraform would make, from configuration, state and schemas alone.
//!
//! ```text
//! files ──load──▶ Config ─┐
//! state file ──▶ State ───┼─ plan ──▶ ModulePlan ──┬─▶ the document of `terraform show -json`
//! schemas, variables ─────┘                         └─▶ ChangeSet, for reports
//! ```
//!
//! - [`config`]: the tree of modules, and which provider configuration each resource uses.
//! - [`variables`]: the values of the root module's variables, from all their sources.
//! - [`state`]: the state before, typed by the schemas; moves. [`plan`]: the graph, the walk that validates, and the
//!   walk that plans and returns a [`ModulePlan`].
//! - [`document`]: that plan as JSON and as changes for reports.
//! - [`apply`]: the state after it.
//! - [`test`](mod@test): tests of modules, which plan and apply.
//!
//! The rules are those of Terraform 1.11 to 1.15, found by experiment. Plans are applied only in memory, no provider is
//! started here, and files are read only through [`config::Files`].

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod apply;
mod arguments;
mod components;
pub mod config;
mod diagnostics;
mod directory;
pub mod document;
mod files;
mod functions;
mod inferred;
mod marking;
mod order;
pub mod plan;
mod provider_address;
mod providers;
mod provisioners;
mod schemas;
pub mod state;
mod subject;
mod target;
pub mod test;
pub mod variables;
mod versions;

pub use arguments::PlanArguments;
pub use diagnostics::{
    Comparison, ConditionOwner, DiagnosticPrinter, Diagnostics, ModuleDiagnostic, NOWHERE, ShownLine,
};
pub use directory::{Module, ModuleTexts};
pub use objchange::address::ProviderAddress;
pub use objchange_hcl::{Severity, TriggerEvent};
pub use plan::ModulePlan;
pub use provider_address::{ProviderConfigAddress, ProviderConfigAddressError};
pub use providers::{
    AnswerError, Answered, AnsweringProviders, Answers, BrokenContract, DataAnswer, ImportAnswer, MoveObject,
    ProviderCall, ProviderFunction, ProviderObject, ProviderReply, ProviderRules, Providers, ProvidersExt,
    SimulatedProviders, StoredObject, TerraformData, Unanswered, not_applied, with_possible_computed_blocks,
};
pub use schemas::Schemas;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
