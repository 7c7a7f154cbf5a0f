//! The plan and state documents of `terraform show -json`: what differs in them, and how people see it.
//!
//! ```text
//! text ──Plan::parse──▶ Plan ──PlanDiff──▶ Diff ──render_plan──▶ what `terraform show` prints
//! ```
//!
//! - [`Plan`] and [`State`] are the documents, read as far as they are needed; a state is read from its file, too.
//!   [`State::object`] is an object of it as a value of the engine.
//! - [`Diff`] is what differs in one resource or output, as data: the contract of every renderer.
//! - [`render_plan`] and [`render_state`] print what `terraform show` (v1.11) prints, byte for byte, with and
//!   without colour.
//!
//! A value that is marked as sensitive, or that the schema calls sensitive, is in no [`Diff`], and so in no
//! text.

#![forbid(unsafe_code)]

mod cases;
mod change;
mod diff;
mod differ;
mod document;
mod json;
mod render;
mod show;
mod text;

pub use cases::OPERATIONS;
pub use change::{LeafChange, ObjectChange, Reason, diff_values};
pub use diff::{
    Action, Block, BlockType, Diff, Entry, Kind, Line, NestedBlock, Part, Parts, Primitive, Scalar,
    Sensitivity, UnknownBlocks,
};
pub use document::{
    ChangedResource, Deferred, Document, DocumentError, DocumentKind, Form, Importing, NoInstance,
    ObjectError, ObjectErrorKind, OutputChange, Plan, Problem, RelevantAttribute, ResourceActions, Sensitive,
    State, StateOutput, StateResource, ValueChange, read_object,
};
pub use json::{Elements, Json, JsonError, JsonErrorKind, MAX_DEPTH, Members, Raw, Reader, Shape, View};
pub use render::Colour;
pub use show::{
    Filter, Options, PlanDiff, PlanMode, ResourceDiff, Schemas, ShowError, render_plan,
    render_planned_change, render_resource, render_resource_change, render_state, render_value,
    write_document, write_json, write_plan, write_state, write_summary,
};
pub use text::Text;
