//! Terraform projects on disk, for the program and for bindings to other languages.
//!
//! - [`plan_directory`] plans the module in a directory, with all that is beside it: variables, the state, a lock file.
//! - [`resource`] reads what one change of one resource is planned from, and reports its plan.
//! - [`Inputs`] finds plans and states by name, glob or folder, and asks about each, on all cores.
//! - [`root_modules`] finds root modules, and [`reasons_for`] says why changed files touch one.
//! - [`run_case_files`] runs conformance cases.
//! - [`Evaluation`] evaluates expressions with the variables of a configuration.
//! - [`SchemaCache`] keeps schemas of providers, and [`SchemaLookup`] chooses among them.
//! - [`InstalledProviders`] finds the programs that `terraform init` has installed.
//!
//! With the feature `provider`, providers are started: `provider_schemas` asks them for their schemas, a plan asks those that
//! `RealChoice` names, and a `session` asks one about one object.
//!
//! Nothing is printed: an answer comes with its [`Notice`](objchange_text::Notice)s, as [`Noted`](objchange_text::Noted).

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod affected;
mod cache_entry;
mod case_files;
mod configuration;
mod counted_read;
mod data_directory;
mod documents;
mod files;
mod given_objects;
mod glob;
mod inputs;
mod installed_providers;
mod lock_file;
mod memory;
mod operations;
mod plan;
mod plan_error;
mod plan_files;
mod plan_settings;
mod planned_directory;
pub mod pool;
mod program;
#[cfg(feature = "provider")]
mod real;
pub mod resource;
#[cfg(feature = "plan-file")]
mod saved_plan;
mod schema_cache;
mod schema_lookup;
mod schemas;
#[cfg(feature = "provider")]
pub mod session;
mod shared_reads;
#[cfg(feature = "provider")]
mod signals;
#[cfg(feature = "plan-file")]
mod staleness;
mod state;
mod upgrade;
#[cfg(feature = "provider")]
mod workplace;

pub use affected::{
    ChangedFiles, ChangedFilesError, ChangedFilesProblem, Reason, ReasonKind, RootsError, RootsProblem,
    is_glob, named_directories, reasons_for, repository_top, root_modules,
};
pub use cache_entry::CacheEntry;
pub use case_files::{BlessedCases, CaseEvent, CaseLine, UnusableCases, run_case_files};
pub use configuration::{
    Configuration, ConfigurationError, Evaluation, NOT_GIVEN, VariableInputs, errors_document, value_document,
};
pub use documents::{
    DocumentOutcome, Input, InputDocument, Inputs, InputsError, Origin, SkippedDocuments, WantedDocuments,
};
pub use files::DiskFiles;
pub use given_objects::DocumentObjects;
pub use inputs::{VariableSetting, functions, variables};
pub use installed_providers::{InstalledError, InstalledProgram, InstalledProviders};
pub use lock_file::{locked_versions, read_lock_file, read_locked_versions};
pub use memory::watch_memory;
pub use operations::OPERATIONS;
pub use plan::{is_module, plan_directory, plan_directory_with};
pub use plan_error::{PlanError, RefusedPlan};
pub use plan_files::{PlanFileReader, PlanInputError};
pub use plan_settings::{PlanSettings, RequiredInputs};
pub use planned_directory::PlannedDirectory;
pub use program::ProviderProgram;
#[cfg(feature = "provider")]
pub use real::{RealChoice, RunningRules};
pub use schema_cache::{CacheFile, CacheFileError, SchemaCache};
pub use schema_lookup::{CachedChoice, MissingSchemas, SchemaLookup, SchemaQuery};
#[cfg(feature = "provider")]
pub use schemas::{AskedSchemas, provider_schemas};
pub use schemas::{GivenSchemas, SchemaError, SchemaText, SchemaTextError, schema_files, schema_texts};
pub use shared_reads::SharedReads;
#[cfg(feature = "provider")]
pub use signals::{Signals, on_signals};
#[cfg(feature = "plan-file")]
pub use staleness::{Staleness, StalenessOutcome, staleness};
pub use state::{StateChoice, StateError};
pub use upgrade::{ConcernedResource, UpgradeError, UpgradeSide, UsedResources};
#[cfg(feature = "provider")]
pub use workplace::{Interrupt, Stopper, Workplace};
