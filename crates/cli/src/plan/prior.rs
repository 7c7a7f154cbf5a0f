//! The prior object: by itself, or taken out of a state.

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::schema::Block;
use objchange_plan::{
    Document, DocumentError, DocumentKind, Form, NoInstance, ObjectError, State, read_object,
};

/// The object as it is.
#[derive(Debug)]
pub(crate) struct Prior {
    pub(crate) value: Value,
    pub(crate) tainted: bool,
}

/// Why there is no prior object.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PriorError {
    #[error("{}", .0.problem)]
    Document(#[from] DocumentError),
    #[error("this is a plan, not a state: pass the output of `terraform show -json` without a plan file")]
    Plan,
    #[error(
        "--address takes an object out of a state, and this is none: leave it out if this is the object itself"
    )]
    NoState,
    #[error("this is a state: say with --address which object of it is meant{}", suggestions(.known))]
    NoAddress { known: Vec<String> },
    #[error("the state has no resource instance {address}{}", suggestions(.known))]
    Absent { address: String, known: Vec<String> },
    #[error("{address} is of type {found}, not of the type {wanted} that --type says")]
    OtherType { address: String, found: String, wanted: String },
    #[error("{}{error}", address.as_ref().map(|a| format!("{a}: ")).unwrap_or_default())]
    Object { address: Option<String>, error: ObjectError },
}

fn suggestions(known: &[String]) -> String {
    const MAX: usize = 8;
    let more = if known.len() > MAX { format!(" and {} more", known.len() - MAX) } else { String::new() };
    match known {
        [] => String::new(),
        known => format!("; it has {}{more}", known[..known.len().min(MAX)].join(", ")),
    }
}

impl PriorError {
    /// The line and column, from 1, of what is wrong.
    pub(crate) fn place(&self) -> Option<(usize, usize)> {
        match self {
            Self::Document(DocumentError { line, column, .. })
            | Self::Object { error: ObjectError { line, column, .. }, .. } => Some((*line, *column)),
            _ => None,
        }
    }
}

/// Reads the prior object of a resource type: the text itself, or what it has at an address.
pub(crate) fn read(
    text: &str,
    schema: &Block,
    resource_type: &str,
    address: Option<&str>,
) -> Result<Prior, PriorError> {
    let state = match (DocumentKind::of(text), address) {
        (Ok(DocumentKind::Plan), _) => return Err(PriorError::Plan),
        (Ok(DocumentKind::State | DocumentKind::StateFile | DocumentKind::Encrypted), _) => {
            match Document::parse(text)? {
                Document::State(state) => state,
                Document::Plan(_) => return Err(PriorError::Plan),
            }
        }
        (Ok(_), Some(_)) => return Err(PriorError::NoState),
        (Err(error), Some(_)) => return Err(error.into()),
        // What is no object at all is for the reader of objects to say.
        (Ok(_) | Err(_), None) => {
            let value = read_object(text, schema, Form::Markers)
                .map_err(|error| PriorError::Object { address: None, error })?;
            return Ok(Prior { value, tainted: false });
        }
    };
    let Some(address) = address else {
        return Err(PriorError::NoAddress { known: known(&state, resource_type) });
    };
    let same = state.instances().find(|instance| InstanceAddress::is_same(&instance.address, address));
    let in_state = same.map_or(address, |instance| &*instance.address);
    let instance = state.instance(in_state, resource_type).map_err(|error| match error {
        NoInstance::OtherType(found) => {
            PriorError::OtherType { address: address.to_owned(), found, wanted: resource_type.to_owned() }
        }
        _ => PriorError::Absent { address: address.to_owned(), known: known(&state, resource_type) },
    })?;
    let value = state
        .object(instance, schema)
        .map_err(|error| PriorError::Object { address: Some(address.to_owned()), error })?;
    Ok(Prior { value, tainted: instance.tainted })
}

/// The addresses of what might be meant.
fn known(state: &State<'_>, resource_type: &str) -> Vec<String> {
    let of_type = state.instances().filter(|instance| &*instance.resource_type == resource_type);
    of_type.map(|instance| instance.address.to_string()).collect()
}
