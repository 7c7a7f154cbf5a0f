//! Terraform projects on disk, for the program and for bindings to other languages.
//!
//! - [`plan_directory`] plans the module in a directory, with all that is beside it: variables, the state, a lock file.
//! - [`resource`] reads what one change of one resource is planned from, and reports its plan.
//! - [`SchemaCache`] keeps schemas of providers, and [`SchemaLookup`] chooses among them.
//! - [`InstalledProviders`] finds the programs that `terraform init` has installed.
//! - [`input`] reads files and standard input, [`write_file`] writes files, [`Walk`] finds them.
//!
//! With the feature `provider`, providers are started: [`provider_schemas`] asks them for their schemas, a plan asks those that
//! [`RealChoice`] names, and a [`session`] asks one about one object.
//!
//! Nothing is printed: what is to be said beside an answer is a [`Remark`].

#![forbid(unsafe_code)]

mod configuration;
mod files;
pub mod input;
mod inputs;
mod installed_providers;
mod lock_file;
mod plan;
mod program;
#[cfg(feature = "provider")]
mod real;
mod remark;
pub mod resource;
mod schema_cache;
mod schema_lookup;
mod schemas;
#[cfg(feature = "provider")]
pub mod session;
mod walk;
#[cfg(feature = "provider")]
mod workplace;
pub mod write_file;

pub use configuration::{Configuration, ConfigurationError, Given, covers};
pub use files::DiskFiles;
pub use inputs::{VariableSetting, functions, variables};
pub use installed_providers::{InstalledError, InstalledProgram, InstalledProviders};
pub use lock_file::{locked_versions, read_lock_file, read_locked_versions};
pub use plan::{
    PlanError, PlanSettings, PlannedDirectory, Refused, is_module, plan_directory, plan_directory_by,
};
pub use program::ProviderProgram;
#[cfg(feature = "provider")]
pub use real::RealChoice;
pub use remark::{Remark, Remarks};
pub use schema_cache::{CacheFile, CacheFileError, SchemaCache};
pub use schema_lookup::{CachedChoice, SchemaLookup, Wanted};
#[cfg(feature = "provider")]
pub use schemas::provider_schemas;
pub use schemas::{GivenSchemas, SchemaError, SchemaText, SchemaTextError, schema_files, schema_texts};
pub use walk::{FoundFiles, Walk};
#[cfg(feature = "provider")]
pub use workplace::{Interrupt, Stopper, Workplace};
