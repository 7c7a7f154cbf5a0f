//! A file with one object: the object alone, or a plan or state that has it.

use std::fmt;

use objchange::address::InstanceAddress;
use objchange::schema::Block;
use objchange_text::Notice;

use super::plan_file::{PlanFile, PlanFileError, PlanFileErrorKind};
use super::prior::{Candidates, Prior, PriorError};
use super::{Document, DocumentKind, Form, NoInstance, State, extract, read_object};

/// A file with an object of a resource: the object as JSON, or a plan or state that has it. Documents are read as
/// everywhere, with log lines around them.
///
/// ```
/// use objchange::Type;
/// use objchange::schema::{Attribute, Block};
/// use objchange_document::ObjectFile;
///
/// let schema = Block::new([("size", Attribute::optional(Type::Number))], []);
/// let file = ObjectFile::parse("disk.json", r#"{"size":10}"#.into())?;
/// assert_eq!(file.prior(&schema, "disk", None)?.value.to_string(), "{size = 10}");
///
/// let state = "Reading...\n{\"version\":4,\"lineage\":\"x\",\"resources\":[{\"mode\":\"managed\",\"type\":\"disk\",
///     \"name\":\"a\",\"instances\":[{\"attributes\":{\"size\":10}}]}]}";
/// let file = ObjectFile::parse("state.txt", state.into())?;
/// assert_eq!(file.notices().len(), 1);
/// assert_eq!(file.prior(&schema, "disk", Some("disk.a"))?.value.to_string(), "{size = 10}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum ObjectFile {
    /// The object alone.
    Object(String),
    /// A plan or state.
    Document(PlanFile),
}

/// Without the object, which may be secret.
impl fmt::Debug for ObjectFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object(_) => "Object(…)",
            Self::Document(_) => "Document(…)",
        })
    }
}

impl ObjectFile {
    /// Reads a text. An object is read later, with its schema.
    ///
    /// # Errors
    ///
    /// The text has a plan or state that cannot be read, or that is a part of one.
    pub fn parse(name: impl Into<String>, text: String) -> Result<Self, PlanFileError> {
        match has_document(&text) {
            true => Self::from_document(PlanFile::parse(name, text)?),
            false => Ok(Self::Object(text)),
        }
    }

    /// Takes a plan or state that was read.
    ///
    /// # Errors
    ///
    /// It is a part of a document, which may lack the object.
    pub fn from_document(file: PlanFile) -> Result<Self, PlanFileError> {
        match file.document().has_format_version() {
            true => Ok(Self::Document(file)),
            false => Err(PlanFileError { name: file.name().to_owned(), kind: PlanFileErrorKind::Part }),
        }
    }

    /// The plan or state; `None` if the file has the object alone.
    pub fn document(&self) -> Option<&PlanFile> {
        match self {
            Self::Object(_) => None,
            Self::Document(file) => Some(file),
        }
    }

    /// The text that was read. It may hold secrets.
    pub fn text(&self) -> &str {
        match self {
            Self::Object(text) => text,
            Self::Document(file) => file.text(),
        }
    }

    /// Notices about the text, such as log lines around the document.
    pub fn notices(&self) -> &[Notice] {
        self.document().map_or(&[], PlanFile::notices)
    }

    /// The prior object of a resource type: the object of the file, or the one that the state has at an address.
    ///
    /// # Errors
    ///
    /// The file has neither an object of this schema nor a state with one at the address.
    pub fn prior(
        &self,
        schema: &Block,
        resource_type: &str,
        address: Option<&str>,
    ) -> Result<Prior, PriorError> {
        match (self, address) {
            (Self::Document(file), _) => match file.document() {
                Document::State(state) => prior_in(state, schema, resource_type, address),
                Document::Plan(_) => Err(PriorError::Plan),
            },
            (Self::Object(text), Some(_)) => {
                DocumentKind::detect(text)?;
                Err(PriorError::NoState)
            }
            // The reader of objects explains why this is no object.
            (Self::Object(text), None) => {
                let value = read_object(text, schema, Form::Markers)
                    .map_err(|error| PriorError::Object { address: None, error })?;
                Ok(Prior { value, tainted: false })
            }
        }
    }
}

/// Whether a text is a plan or state, or has some document among other text.
fn has_document(text: &str) -> bool {
    match DocumentKind::detect(text) {
        Ok(DocumentKind::Plan | DocumentKind::State | DocumentKind::StateFile | DocumentKind::Encrypted) => {
            true
        }
        _ => extract(text).is_some(),
    }
}

fn prior_in(
    state: &State<'_>,
    schema: &Block,
    resource_type: &str,
    address: Option<&str>,
) -> Result<Prior, PriorError> {
    let known = || Candidates::new(state, resource_type);
    let Some(address) = address else { return Err(PriorError::NoAddress { known: known() }) };
    let same = state.instances().find(|instance| InstanceAddress::is_same(&instance.address, address));
    let in_state = same.map_or(address, |instance| &*instance.address);
    let instance = state.instance(in_state, resource_type).map_err(|error| match error {
        NoInstance::OtherType(found) => {
            PriorError::OtherType { address: address.to_owned(), found, wanted: resource_type.to_owned() }
        }
        _ => PriorError::Absent { address: address.to_owned(), known: known() },
    })?;
    let value = state
        .object(instance, schema)
        .map_err(|error| PriorError::Object { address: Some(address.to_owned()), error })?;
    Ok(Prior { value, tainted: instance.tainted })
}
