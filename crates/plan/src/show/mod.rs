//! From documents to diffs, and from diffs to text.

mod filter;
mod json;
mod plan;
mod planned;
mod schemas;
mod sides;
mod state;
mod summary;

use std::io;

use objchange::schema::SchemaDocumentError;
use thiserror::Error;

pub use filter::Filter;
pub use json::write_json;
pub use plan::{PlanDiff, ResourceDiff, render_plan, render_resource_change, write_plan};
pub use planned::{render_planned_change, render_resource, render_value};
pub use schemas::Schemas;
pub use state::{render_state, write_state};
pub use summary::write_summary;

use crate::document::{Document, DocumentError};
use crate::render::{Colour, Frame, Notice};

/// What a plan was made for, which only changes what is said when there is nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PlanMode {
    /// To reach what the configuration says.
    #[default]
    Normal,
    /// To destroy everything.
    Destroy,
    /// To update the state to what is there.
    RefreshOnly,
}

/// How a document is rendered.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether the text has colour sequences.
    pub colour: Colour,
    /// What the plan was made for.
    pub mode: PlanMode,
    /// The columns of the terminal; prose is wrapped one column earlier. 78 where the output is no terminal.
    pub width: usize,
    /// Nothing is hidden: unchanged parts are shown too.
    pub full: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { colour: Colour::Never, mode: PlanMode::Normal, width: 78, full: false }
    }
}

impl Options {
    fn frame(&self) -> Frame {
        Frame { width: self.width.saturating_sub(1).max(1) }
    }

    fn notice(&self) -> Notice {
        match self.mode {
            PlanMode::Normal => Notice::Normal,
            PlanMode::Destroy => Notice::Destroy,
            PlanMode::RefreshOnly => Notice::RefreshOnly,
        }
    }
}

/// Writes a plan or a state as `terraform show` prints it, one resource at a time, and only the resources
/// that the filter lets through.
///
/// # Errors
///
/// A value, or the schema of its type, cannot be read, or the text cannot be written.
pub fn write_document(
    out: &mut dyn io::Write,
    document: &Document<'_>,
    schemas: &Schemas,
    options: &Options,
    filter: &Filter,
) -> Result<(), ShowError> {
    match document {
        Document::Plan(plan) => write_plan(out, plan, schemas, options, filter),
        Document::State(state) => write_state(out, state, schemas, options, filter),
    }
}

/// Why a document cannot be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShowError {
    /// The plan or state cannot be read.
    #[error("{0}")]
    Document(#[from] DocumentError),
    /// The schemas cannot be read.
    #[error("{0}")]
    Schemas(#[from] SchemaDocumentError),
    /// The text cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}
