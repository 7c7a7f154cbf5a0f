//! The errors of reports and pages.

use std::io;

use objchange::schema::SchemaDocumentError;
use thiserror::Error;

use objchange_document::DocumentError;

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
    /// The template of a page cannot be used.
    #[error("{0}")]
    Template(#[from] TemplateError),
}

impl ShowError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Document(error) => error.problem.kind(),
            Self::Schemas(error) => error.kind.kind(),
            Self::Write(_) => "write",
            Self::Template(error) => error.kind(),
        }
    }
}

/// A template for pages cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct TemplateError {
    /// The line of the template, if the error is at one.
    pub line: Option<usize>,
    /// The problem at this place.
    pub message: String,
}

impl TemplateError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        "template"
    }
}
