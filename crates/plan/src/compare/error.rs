//! Why plans cannot be compared or hashed.

use std::fmt;

use objchange::schema::SchemaDocumentError;
use objchange_text::visible;
use thiserror::Error;

use objchange_document::DocumentError;

/// One of two plans that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComparedPlan {
    /// The first one, or the only one.
    A,
    /// The second one.
    B,
}

impl fmt::Display for ComparedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// Why plans cannot be compared, or a plan has no hash. It never holds a part of a document's values.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A change cannot be read.
    #[error("{error}")]
    Document {
        /// The plan.
        plan: ComparedPlan,
        /// The problem.
        error: DocumentError,
    },
    /// The schemas cannot be read.
    #[error("{0}")]
    Schemas(SchemaDocumentError),
    /// Planning ended with an error.
    #[error("planning ended with an error, so the plan lacks changes; fix the error and plan again")]
    Errored {
        /// Which plan.
        plan: ComparedPlan,
    },
    /// The actions of a resource or output are unknown.
    #[error("{}: its actions are unknown; a newer objchange may know them", visible(address))]
    UnknownActions {
        /// The plan.
        plan: ComparedPlan,
        /// The address of the resource, or the name of the output.
        address: String,
    },
    /// Two changes are of the same resource, output or action.
    #[error(
        "{}: the plan has two changes of it; pass the output of `terraform show -json PLANFILE` as it was written",
        visible(address)
    )]
    Twice {
        /// The plan.
        plan: ComparedPlan,
        /// The address.
        address: String,
    },
}

impl CompareError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Document { error, .. } => error.problem.kind(),
            Self::Schemas(error) => error.kind.kind(),
            Self::Errored { .. } => "errored",
            Self::UnknownActions { .. } => "unknown_actions",
            Self::Twice { .. } => "twice",
        }
    }

    /// The plan that is wrong; `None` if it is neither.
    pub fn plan(&self) -> Option<ComparedPlan> {
        match self {
            Self::Document { plan, .. }
            | Self::Errored { plan }
            | Self::UnknownActions { plan, .. }
            | Self::Twice { plan, .. } => Some(*plan),
            Self::Schemas(_) => None,
        }
    }
}
