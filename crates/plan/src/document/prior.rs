//! The prior object, on its own or from a state.

use std::fmt;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::schema::Block;

use super::{Document, DocumentError, DocumentKind, Form, NoInstance, ObjectError, State, read_object};

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
    fn new(state: &State<'_>, resource_type: &str) -> Self {
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

/// Reads the prior object of a resource type: the text itself, or what it has at an address.
///
/// # Errors
///
/// The text is neither an object of this schema nor a state with one at the address.
pub fn read_prior(
    text: &str,
    schema: &Block,
    resource_type: &str,
    address: Option<&str>,
) -> Result<Prior, PriorError> {
    let state = match (DocumentKind::detect(text), address) {
        (Ok(DocumentKind::Plan), _) => return Err(PriorError::Plan),
        (Ok(DocumentKind::State | DocumentKind::StateFile | DocumentKind::Encrypted), _) => {
            match Document::parse(text)? {
                Document::State(state) => state,
                Document::Plan(_) => return Err(PriorError::Plan),
            }
        }
        (Ok(_), Some(_)) => return Err(PriorError::NoState),
        (Err(error), Some(_)) => return Err(error.into()),
        // The reader of objects explains why this is no object.
        (Ok(_) | Err(_), None) => {
            let value = read_object(text, schema, Form::Markers)
                .map_err(|error| PriorError::Object { address: None, error })?;
            return Ok(Prior { value, tainted: false });
        }
    };
    let Some(address) = address else {
        return Err(PriorError::NoAddress { known: Candidates::new(&state, resource_type) });
    };
    let same = state.instances().find(|instance| InstanceAddress::is_same(&instance.address, address));
    let in_state = same.map_or(address, |instance| &*instance.address);
    let instance = state.instance(in_state, resource_type).map_err(|error| match error {
        NoInstance::OtherType(found) => {
            PriorError::OtherType { address: address.to_owned(), found, wanted: resource_type.to_owned() }
        }
        _ => {
            PriorError::Absent { address: address.to_owned(), known: Candidates::new(&state, resource_type) }
        }
    })?;
    let value = state
        .object(instance, schema)
        .map_err(|error| PriorError::Object { address: Some(address.to_owned()), error })?;
    Ok(Prior { value, tainted: instance.tainted })
}
