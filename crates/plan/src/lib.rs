//! The plan and state documents of `terraform show -json`: what differs in them, and how people see it.
//!
//! ```text
//! text ──Plan::parse──▶ Plan ──▶ Diff ──▶ Report ──▶ what `terraform show` prints, JSON, a summary
//! ```
//!
//! - [`Plan`] and [`State`] are the documents, read as far as they are needed; a state is read from its file, too.
//!   [`State::object`] is an object of it as a value of the engine.
//! - [`Diff`] is what differs in one resource or output, as data.
//! - [`Report`] is what of it is shown, and where: the contract of every printer, in this process or another.
//! - [`Report::write_text`] prints what `terraform show` prints, byte for byte, with and without colour, of
//!   the [`Program`] that wrote the document or another. [`render_plan`] and [`render_state`] give that text.
//!
//! A value that is marked as sensitive, or that the schema calls sensitive, is in no [`Diff`], and so in no [`Report`]
//! and no text, unless [`Options::show_sensitive`] asks for it as OpenTofu can be asked.

#![forbid(unsafe_code)]

mod cases;
mod diff;
mod differ;
mod document;
mod json;
mod program;
mod render;
mod report;
mod text;
mod walk;

pub use cases::OPERATIONS;
pub use diff::{
    Block, BlockType, Diff, DiffAction, Entry, Kind, Line, NestedBlock, Part, Parts, Primitive, Scalar,
    Sensitivity,
};
pub use document::{
    ActionInvocation, ActionTrigger, ChangedResource, Deferred, Document, DocumentError, DocumentKind,
    DocumentText, Form, Importing, Index, NoInstance, ObjectError, ObjectErrorKind, OutputChange, Plan,
    Problem, RelevantAttribute, ResourceActions, Sensitive, State, StateOutput, StateResource, TriggerTime,
    Unfamiliar, UnfamiliarKind, ValueChange, is_errored_plan, read_object,
};
pub use json::{
    Elements, Json, JsonError, JsonErrorKind, MAX_DEPTH, Members, Raw, Reader, Shape, View, marks_or_all,
    serialize_number,
};
pub use program::{Program, ProgramError, Version};
pub use render::{
    Colour, GroupBy, render_entry, render_plan, render_planned_change, render_resource_change, render_state,
    render_value,
};
pub use report::{
    ActionHeader, Comment, Counts, Entries, Filter, Heading, Invocation, ModulePlace, Note, Options, Outcome,
    OutputHeader, PlanMode, Report, ReportAction, ReportEntry, ResourceHeader, Schemas, Section, ShowError,
    StateHeader, Summary, Warning,
};
pub use text::Text;
pub use walk::{LeafChange, ObjectChange, Reason, Sides, diff_values};
