//! Reads the plan and state documents of `terraform show -json`, finds their differences, and prints them.
//!
//! ```text
//! text ──Plan::parse──▶ Plan ──▶ ChangeSet ──▶ Report ──▶ what `terraform show` prints, JSON, a summary
//!                    planner ──▶ ChangeSet ──┘   each entry with its Diff
//! ```
//!
//! - [`Plan`] and [`State`] are the documents, read on demand; a state can also be read from its file.
//!   [`State::object`] returns one of its objects as a value of the engine.
//! - [`StateEdit`] puts an object into the text of a state file. [`StoredObject`] is an object in a state
//!   file, with the private data of its provider.
//! - [`ChangeSet`] has all changes of a plan, from a document ([`Plan::changes`]) or from the engine.
//! - [`Diff`] has the differences in one resource or output, as data.
//! - [`Report`] says which parts of the document are shown, and where. It is the input of every printer, in
//!   this process or another.
//! - [`Comparison`] has the differences between two plans, and [`PlanHash`] is equal for plans that do the
//!   same.
//! - [`Report::write_text`] prints the same bytes as `terraform show`, with or without colour, as the
//!   [`Program`] that wrote the document or another one. [`render_plan`] and [`render_state`] return that
//!   text.
//! - [`Outline`] is the content of a page for people. For screens, it makes the [`DiffLines`] of one entry at
//!   a time.
//!
//! Values that are marked as sensitive, or that the schema calls sensitive, are in no [`Diff`], and so in no
//! [`Report`] and no text, unless [`Options::show_sensitive`] asks for them, as in OpenTofu.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod address_glob;
mod canonical;
mod cases;
mod changes;
mod compare;
mod diff;
mod diff_action;
mod document;
mod file_errors;
mod ignore;
mod ignored_update;
mod index;
mod json;
mod mask;
mod mode;
mod options;
mod program;
mod render;
mod report;
mod schema_cache;
mod state_edit;
mod text;
mod walk;

pub use cases::OPERATIONS;
pub use changes::{
    ActionInvocation, ActionTrigger, ChangeSet, ChangeValues, ChangedIndex, ChangedResource, Check,
    CheckStatus, Deferred, DeferredInvocation, DocumentText, Importing, InvokedConfig, OutputChange,
    PackedSides, PackedValues, PlannedValues, RelevantAttribute, ResourceActions, TriggerTime, UnpackError,
    ValueChange, WrittenConfig, WrittenValues, as_written, is_builtin,
};
pub use compare::{
    AddressMap, AddressMapError, ChangedObject, CompareError, CompareOptions, ComparedPlan, ComparedSide,
    Comparison, ComparisonCounts, Difference, DifferenceKind, HashForm, HashKey, HashKeyError, HashReport,
    HashedPlan, OriginDifferences, ParseHashError, PlanHash, PlannedStep, ProviderDifference, ShownValue,
    SourceDifference, SourceDifferenceKind, StateDifference, StateVersion, StepActions, ValueDifference,
    ValueStep, changed_objects, unmatched_paths,
};
pub use diff::{
    Block, BlockType, CollectionPart, Diff, DiffAction, Entry, Kind, LeafChange, Line, NestedBlock,
    ObjectChange, Parts, Primitive, Scalar, Sensitivity, diff_values,
};
pub use document::{
    BlockPlace, Candidates, ConfigMarks, DirectoryProblem, Document, DocumentError, DocumentKind, Extracted,
    Facts, Finding, FindingKind, Form, HiddenNames, MadePlan, Missing, MissingChange, MissingKind,
    MissingRange, NoInstance, NoState, ObjectError, ObjectErrorKind, ObjectFile, Plan, PlanFile,
    PlanFileError, PlanFileErrorKind, PlanOrigin, PlanSection, PlannedError, Prior, PriorError, Problem,
    ProviderDependent, SchemaOrigin, SchemaSource, Schemas, Sensitive, State, StateOutput, StateResource,
    StatedMarks, UnfamiliarKind, UnknownKind, document_warnings, extract, findings, incompleteness_warning,
    is_errored_plan, read_object, says_sensitive,
};
pub use file_errors::{compare_complaint, placed};
pub use ignore::{IgnoredPath, IgnoredPathError};
pub use ignored_update::{
    ChangedThing, DifferOnlyAt, differ_only_at, triggering_resources, updates_values_alone,
};
pub use index::Index;
pub use json::{
    Elements, Json, JsonError, JsonErrorKind, MAX_DEPTH, Members, Raw, Reader, Shape, View, doubtful_marks,
    marks_or_all, serialize_number, union_marks,
};
pub use mask::{MaskedName, MaskedNameError, MaskedNames};
pub use mode::PlanMode;
pub use options::{Colour, Options};
pub use program::{Program, ProgramError, SIMULATED, SIMULATED_UNREFRESHED, Version};
#[cfg(feature = "template")]
pub use render::MarkdownTemplate;
pub use render::{
    DiffLine, DiffLines, DiffRole, GroupBy, HtmlOptions, MarkdownOptions, Outline, OutlineFilter,
    OutlineItem, OutlineModule, OutlineNode, OutlinePiece, OutlineSection, PolicyOutcome, PolicyResult,
    Review, ReviewedPlan, render_entry, render_plan, render_planned_change, render_resource_change,
    render_state, render_value,
};
pub use report::{
    ActionHeader, Comment, Counts, Entries, Filter, Gate, GateCondition, GateError, HeaderActions, Heading,
    IgnoredChanges, Invocation, LeftOutBy, ModulePlace, Note, Outcome, OutputHeader, Report, ReportAction,
    ReportEntry, ResourceHeader, Section, SelectedAction, Selection, ShowError, StateHeader, Summary,
    TemplateError, Unmatched, Verdict, Warning, changed_places, places,
};
pub use schema_cache::{CachedModel, CachedSchemas, ModelTexts, SchemaCacheError};
pub use state_edit::{
    InstanceObject, StateEdit, StateEditError, StoredObject, has_object, state_file_version,
};
pub use text::Text;
pub use walk::{Reason, Sides};
