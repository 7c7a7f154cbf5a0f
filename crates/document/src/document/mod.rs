//! The documents of `terraform show -json`, plans and states, and the files in which states are kept.
//!
//! A document is read in one pass that finds its parts. The values of a resource are kept as text and read
//! when they are shown, so that a large document costs little more memory than its own size. Unknown members
//! are ignored.

mod config_marks;
mod detected_program;
mod error;
mod errored;
mod extract;
mod facts;
mod findings;
mod flat;
mod hidden_names;
mod inferred_mode;
mod instance;
mod kind;
mod missing;
mod missing_changes;
mod name_marks;
mod nodes;
mod object;
mod object_file;
mod origin;
mod place;
mod plan;
mod plan_file;
mod planned;
mod prior;
mod redacted;
mod schema_marks;
mod schemas;
mod sections;
mod state;
mod state_file;
mod stated_marks;
mod unknown_kinds;
mod warnings;
mod zeros;

pub use config_marks::ConfigMarks;
pub use error::{DocumentError, Problem};
pub use errored::is_errored_plan;
pub use extract::{Extracted, extract};
pub use facts::{Facts, NoState, ProviderDependent};
pub use findings::{Finding, FindingKind, findings};
pub use hidden_names::HiddenNames;
pub use instance::DocumentValue;
pub use instance::NoInstance;
pub use kind::DocumentKind;
pub use missing::{DirectoryProblem, Missing, MissingKind, MissingRange};
pub use missing_changes::MissingChange;
pub use object::{Form, ObjectError, ObjectErrorKind, read_object};
pub use object_file::ObjectFile;
pub use origin::{BlockPlace, PlanOrigin};
pub use plan::Plan;
pub use plan_file::{MadePlan, PlanFile, PlanFileError, PlanFileErrorKind, placed_document};
pub use planned::PlannedError;
pub use prior::{Candidates, Prior, PriorError};
pub use schemas::{SchemaOrigin, SchemaSource, Schemas};
pub use sections::PlanSection;
pub use state::{Sensitive, State, StateOutput, StateResource};
pub use stated_marks::{StatedMarks, says_sensitive};
pub use unknown_kinds::{UnfamiliarKind, UnknownKind};
pub use warnings::{document_warnings, incompleteness_warning};

use std::collections::BTreeSet;

use crate::json::{JsonError, Raw, Reader};
use crate::text::Text;

/// A document of `terraform show -json`, or a state file.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one in a file, and it is borrowed")]
pub enum Document<'t> {
    /// A plan: it has changes.
    Plan(Plan<'t>),
    /// A state: it has values alone.
    State(State<'t>),
}

impl<'t> Document<'t> {
    /// Reads a document and finds out which one it is.
    ///
    /// # Errors
    ///
    /// The text is not JSON, is cut off, is neither a plan nor a state, or has a format that is not
    /// supported. The error says where, and what to do.
    ///
    /// ```
    /// use objchange_document::Document;
    ///
    /// let document = Document::parse(r#"{"format_version":"1.2","resource_changes":[]}"#)?;
    /// assert!(matches!(document, Document::Plan(_)));
    ///
    /// let document = Document::parse(r#"{"version":4,"serial":1,"lineage":"x"}"#)?;
    /// assert!(matches!(document, Document::State(_)));
    ///
    /// let error = Document::parse(r#"{"version":3,"serial":1,"lineage":"x"}"#).unwrap_err();
    /// assert!(error.to_string().contains("Terraform 0.12"));
    /// # Ok::<(), objchange_document::DocumentError>(())
    /// ```
    pub fn parse(text: &'t str) -> Result<Self, DocumentError> {
        let document = Self::parse_part(text)?;
        match document.has_format_version() {
            true => Ok(document),
            false => Err(DocumentError::at(text, 0, "", Problem::NoFormatVersion)),
        }
    }

    /// Like [`Document::parse`], but accepts a part of a document without its format version. Members may be missing
    /// from a part, so nothing must be decided by their absence.
    ///
    /// # Errors
    ///
    /// As [`Document::parse`].
    pub fn parse_part(text: &'t str) -> Result<Self, DocumentError> {
        let kind = DocumentKind::detect(text)?;
        if let Some(problem) = kind.problem() {
            return Err(DocumentError::at(text, 0, "", problem));
        }
        Ok(match kind {
            DocumentKind::Plan => Self::Plan(Plan::parse_part(text)?),
            DocumentKind::StateFile => Self::State(State::parse_file(text)?),
            DocumentKind::State => Self::State(State::parse_part(text)?),
            _ => {
                // Its errors tell more of what it is.
                State::parse(text)?;
                return Err(DocumentError::at(text, 0, "", Problem::Neither));
            }
        })
    }

    /// The providers that it names, in byte order.
    pub fn providers(&self) -> BTreeSet<&str> {
        match self {
            Self::Plan(plan) => plan.changes.providers(),
            Self::State(state) => {
                let names = state.resources.iter().map(|resource| &*resource.provider_name);
                names.filter(|name| !name.is_empty()).collect()
            }
        }
    }

    /// Whether it has a format version, or is a state file, which needs none.
    pub fn has_format_version(&self) -> bool {
        match self {
            Self::Plan(plan) => plan.format_version.is_some(),
            Self::State(state) => state.is_file || state.format_version.is_some(),
        }
    }
}

/// A reader over a text that looks like a document.
fn open(text: &str) -> Result<Reader<'_>, DocumentError> {
    let mut reader = Reader::new(text);
    match reader.peek() {
        Some(b'{') => Ok(reader),
        None => Err(DocumentError::at(text, 0, "", Problem::Empty)),
        Some(b'[' | b'"' | b'n' | b't' | b'f' | b'0'..=b'9' | b'-') if reader.clone().skip().is_ok() => {
            Err(DocumentError::at(text, reader.offset(), "", Problem::NotAnObject))
        }
        Some(_) => {
            let rest = text[reader.offset()..].trim_start_matches(['\'', '"', '`']);
            let is_quoted = rest.starts_with('{') && !text[reader.offset()..].starts_with('{');
            let problem = if is_quoted { Problem::Quoted } else { Problem::NotJson };
            Err(DocumentError::at(text, reader.offset(), "", problem))
        }
    }
}

/// All members of a document with their texts, in its order.
type Members<'t> = Vec<(Text<'t>, Raw<'t>)>;

/// Reads a document. Checks and returns the format version, and passes every other member to `member`.
///
/// `member` receives the key, and keeps the location in the document up to date for errors.
fn read_members<'t>(
    document: &'t str,
    mut member: impl FnMut(&str, &mut Reader<'t>, &mut String) -> Result<(), JsonError>,
) -> Result<(Option<(u64, u64)>, Members<'t>), DocumentError> {
    let mut version = None;
    let mut location = String::new();
    let mut members = Vec::new();
    let mut reader = open(document)?;
    let read = reader.members(|key, reader| {
        location.clear();
        location.push_str(&key);
        reader.peek();
        let start = reader.offset();
        if &*key == "format_version" {
            version = crate::json::field::text(reader)?.map(|version| (version, start));
        } else {
            member(&key, reader, &mut location)?;
        }
        members.push((Text::from(key), reader.raw_from(start)));
        Ok(())
    });
    read.map_err(|error| DocumentError::from_json(&error, document, &location))?;
    reader.end().map_err(|error| DocumentError::from_json(&error, document, ""))?;
    let version = version.map(|version| supported_version(document, version)).transpose()?;
    Ok((version, members))
}

/// Checks a document's format version, such as `1.2`: 0.1 and later before 1.0, and every minor one of 1.
///
/// Gives the major and minor version.
fn supported_version(text: &str, (version, offset): (Text<'_>, usize)) -> Result<(u64, u64), DocumentError> {
    let mut parts = version.split('.').map(|part| part.parse::<u64>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        // Terraform 0.12 to 1.0 wrote versions 0.1 and 0.2, and all later ones write 1.x.
        (Some(major @ 0..=1), Some(minor)) => Ok((major, minor)),
        _ => {
            let problem = Problem::UnsupportedVersion(version.chars().take(20).collect());
            Err(DocumentError::at(text, offset, "format_version", problem))
        }
    }
}
