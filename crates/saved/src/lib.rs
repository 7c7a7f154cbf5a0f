//! Reads plan files that `terraform plan -out=FILE` saves.
//!
//! ```text
//! bytes ──SavedPlan::read──▶ SavedPlan ──decode(schemas)──▶ DecodedPlan ──▶ the document of `terraform show -json FILE`
//! ```
//!
//! A plan file is an archive of the plan, the states before and after refreshing, the configuration and the lock file. It
//! may come from a pull request, and is not trusted: nothing is written to disk, unpacked sizes are limited, and a file
//! that two readers may read differently is refused. The backend's configuration and the private data of providers are
//! never read.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod archive;
mod checks;
mod configuration;
mod decoded;
mod enums;
mod error;
mod identities;
mod kind;
mod message;
mod packed;
mod plan;
mod reading;
mod sides;
mod values;

pub use decoded::DecodedPlan;
pub use error::{ArchiveProblem, EntryProblem, SavedPlanError};
pub use kind::{is_saved_plan, refusal};
pub use packed::PackedPlan;
pub use plan::{PlanSnapshot, SavedPlan};
