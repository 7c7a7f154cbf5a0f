//! The prior object, and why there is none.

use std::fmt;

use objchange::Value;

use super::{DocumentError, ObjectError, State};

/// The object as it is before a change.
#[derive(Debug)]
pub struct Prior {
    /// The object.
    pub value: Value,
    /// Whether it must be replaced, because its creation failed.
    pub tainted: bool,
}

/// Why there is no prior object.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PriorError {
    /// The text is a document that cannot be read.
    #[error("{}", .0.problem)]
    Document(#[from] DocumentError),
    /// The document is a plan.
    #[error("this is a plan, not a state: pass the output of `terraform show -json` without a plan file")]
    Plan,
    /// An address names an object of a state, and the text is not a state.
    #[error("an address names an object of a state, and this is none")]
    NoState,
    /// The text is a state, and no address names an object of it.
    #[error("this is a state: an address must name an object of it{known}")]
    NoAddress {
        /// Addresses that may be meant.
        known: Candidates,
    },
    /// The state has no such object.
    #[error("the state has no resource instance {address}{known}")]
    Absent {
        /// The address that was asked for.
        address: String,
        /// Addresses that may be meant.
        known: Candidates,
    },
    /// The object is of another type.
    #[error("{address} is of type {found}, not of the type {wanted}")]
    OtherType {
        /// The address of the object.
        address: String,
        /// Its type.
        found: String,
        /// The type that was asked for.
        wanted: String,
    },
    /// The object is not of the schema.
    #[error("{}{error}", address.as_ref().map(|a| format!("{a}: ")).unwrap_or_default())]
    Object {
        /// Where it is in a state.
        address: Option<String>,
        /// The problem with it.
        error: ObjectError,
    },
}

/// Addresses of a state that may be meant; as text the end of a sentence, with the first few of them.
#[derive(Debug)]
pub struct Candidates(Vec<String>);

impl Candidates {
    /// Those of this type.
    pub(super) fn new(state: &State<'_>, resource_type: &str) -> Self {
        let of_type = state.instances().filter(|instance| &*instance.resource_type == resource_type);
        Self(of_type.map(|instance| instance.address.to_string()).collect())
    }
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        match &self.0[..self.0.len().min(MOST)] {
            [] => Ok(()),
            first => write!(f, "; it has {}", objchange_text::listed(first, self.0.len())),
        }
    }
}

impl PriorError {
    /// A stable name of this sort of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Document(error) => error.problem.kind(),
            Self::Plan => "plan",
            Self::NoState => "no_state",
            Self::NoAddress { .. } => "no_address",
            Self::Absent { .. } => "absent",
            Self::OtherType { .. } => "other_type",
            Self::Object { error, .. } => error.kind.kind(),
        }
    }

    /// The line and column, from 1, of what is wrong.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            Self::Document(DocumentError { line, column, .. })
            | Self::Object { error: ObjectError { line, column, .. }, .. } => Some((*line, *column)),
            _ => None,
        }
    }
}
