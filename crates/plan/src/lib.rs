//! Finds the differences in Terraform's plan and state documents, and prints them.
//!
//! ```text
//! text ──Plan::parse──▶ Plan ──▶ ChangeSet ──▶ Report ──▶ what `terraform show` prints, JSON, a summary
//!                    planner ──▶ ChangeSet ──┘   each entry with its Diff
//! ```
//!
//! The documents are read by the crate `objchange-document`.
//!
//! - [`Diff`] has the differences in one resource or output, as data; [`diff`] has what it is made of.
//! - [`Report`] says which parts of the document are shown, and where. It is the input of every printer, in
//!   this process or another; [`report`] has its parts, counts and gates.
//! - [`Comparison`] has the differences between two plans, and [`PlanHash`] is equal for plans that do the
//!   same; both are in [`compare`].
//! - [`Report::write_text`] prints the same bytes as `terraform show`, with or without colour, as the program
//!   that wrote the document or another one. [`render_plan`] and [`render_state`] return that text.
//! - [`Outline`] is the content of a page for people. For screens, it makes the
//!   [`DiffLines`](render::DiffLines) of one entry at a time. [`render`] has all printers.
//!
//! Values that are marked as sensitive, or that the schema calls sensitive, are in no [`Diff`], and so in no
//! [`Report`] and no text, unless [`Options::show_sensitive`] asks for them, as in OpenTofu.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod address_glob;
mod canonical;
mod cases;
pub mod compare;
pub mod diff;
mod diff_action;
mod file_errors;
mod ignore;
mod ignored_update;
mod novelty;
mod options;
pub mod render;
pub mod report;
mod walk;

pub use cases::OPERATIONS;
pub use compare::{Comparison, PlanHash};
pub use diff::Diff;
pub use file_errors::{compare_complaint, placed};
pub use ignore::{IgnoredPath, IgnoredPathError};
pub use ignored_update::{
    DifferOnlyAt, PathRoot, differ_only_at, triggering_resources, updates_values_alone,
};
pub use options::{Colour, Options};
pub use render::{Outline, render_plan, render_state};
pub use report::{Filter, Report};
pub use walk::{Reason, Sides};
