//! Plan and state documents of `terraform show -json`, state files and schema documents, each read once.
//!
//! ```text
//! text ──Plan::parse──▶ Plan ──▶ ChangeSet
//!                    planner ──▶ ChangeSet
//! ```
//!
//! - [`PlanFile`] is a plan or state with its text, read once and cheap to clone. Everything that answers
//!   questions about plans takes one. [`Facts`] says what limits the answers.
//! - [`Plan`] and [`State`] are the documents, read on demand; a state can also be read from its file.
//!   [`State::object`] returns one of its objects as a value of the engine.
//! - [`ChangeSet`] has all changes of a plan, from a document ([`Plan::changes`]) or from the engine.
//! - [`StateEdit`](state_edit::StateEdit) puts an object into the text of a state file. [`StoredObject`](state_edit::StoredObject) is an object in a state
//!   file, with the private data of its provider.
//! - [`CachedSchemas`](schema_cache::CachedSchemas) is a file of the schema cache.
//! - [`MaskedNames`] are names of values that people hide.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod changes;
mod document;
mod index;
pub mod json;
mod mask;
mod mode;
mod program;
pub mod schema_cache;
pub mod state_edit;
mod text;

pub use changes::ChangeSet;
pub use document::{
    BlockPlace, Candidates, ConfigMarks, DirectoryProblem, Document, DocumentError, DocumentKind,
    DocumentValue, Extracted, Facts, Finding, FindingKind, Form, HiddenNames, MadePlan, Missing,
    MissingChange, MissingKind, MissingRange, NoInstance, NoState, ObjectError, ObjectErrorKind, ObjectFile,
    Plan, PlanFile, PlanFileError, PlanFileErrorKind, PlanOrigin, PlanSection, PlannedError, Prior,
    PriorError, Problem, ProviderDependent, SchemaOrigin, SchemaSource, Schemas, Sensitive, State,
    StateOutput, StateResource, StatedMarks, UnfamiliarKind, UnknownKind, document_warnings, extract,
    findings, incompleteness_warning, is_errored_plan, placed_document, read_object, says_sensitive,
};
pub use index::Index;
pub use mask::{MaskedName, MaskedNameError, MaskedNames};
pub use mode::PlanMode;
pub use program::{Prediction, Program, ProgramError, Version};
pub use text::Text;
