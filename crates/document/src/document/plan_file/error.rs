//! Why a file cannot be used as a plan or state.

use std::fmt;

use objchange::schema::SchemaDocumentError;
use objchange_text::visible;

use crate::document::{DocumentError, MissingChange, Problem, UnfamiliarKind, UnknownKind};

/// Why a file cannot be used as a plan or state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanFileError {
    /// The name of the file.
    pub name: String,
    /// The reason.
    pub kind: PlanFileErrorKind,
}

/// The reason why a file cannot be used as a plan or state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanFileErrorKind {
    /// It cannot be read.
    Document(Box<DocumentError>),
    /// The schema of one of its types cannot be read.
    Schemas(Box<SchemaDocumentError>),
    /// A second document starts in this line.
    Another(usize),
    /// A plan is needed, and it is a state.
    IsState,
    /// A state file is needed, and it is something else.
    NoStateFile,
    /// It is a part of a document, without its format version.
    Part,
    /// Sensitive values were taken out of it.
    Redacted,
    /// A list has this object twice, so its action is ambiguous.
    RepeatedObject(String),
    /// It has this member more than once.
    RepeatedMember(String),
    /// A change was removed.
    MissingChange(MissingChange),
    /// The plan has an unknown action, which may create or destroy something.
    UnknownAction(UnknownKind),
    /// A change has an unknown mode, or lacks a member that every program writes.
    Unreadable(UnknownKind),
}

impl PlanFileError {
    /// Adds the file name to an error. `line` is the first line of the document in its file.
    pub(super) fn in_document(name: &str, line: Option<usize>, mut error: DocumentError) -> Self {
        if let Some(first) = line {
            error.line += first - 1;
        }
        Self { name: name.to_owned(), kind: PlanFileErrorKind::Document(Box::new(error)) }
    }

    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match &self.kind {
            PlanFileErrorKind::Document(error) => error.problem.kind(),
            PlanFileErrorKind::Schemas(error) => error.kind.kind(),
            PlanFileErrorKind::Another(_) => "another_document",
            PlanFileErrorKind::IsState => "state",
            PlanFileErrorKind::NoStateFile => "no_state_file",
            PlanFileErrorKind::Part => "no_format_version",
            PlanFileErrorKind::Redacted => "redacted",
            PlanFileErrorKind::RepeatedObject(_) => "repeated_object",
            PlanFileErrorKind::RepeatedMember(_) => "repeated_member",
            PlanFileErrorKind::MissingChange(_) => "lacks_changes",
            PlanFileErrorKind::UnknownAction(_) => "unknown_action",
            PlanFileErrorKind::Unreadable(_) => "unreadable_change",
        }
    }
}

impl std::error::Error for PlanFileError {}

impl fmt::Display for PlanFileError {
    /// The name of the file and the position come first, as compilers print them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.kind {
            PlanFileErrorKind::Document(error) => f.write_str(&placed_document(error)),
            PlanFileErrorKind::Another(line) => write!(f, ":{line}: {}", self.kind),
            kind => write!(f, ": {kind}"),
        }
    }
}

impl fmt::Display for PlanFileErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WHOLE: &str = "pass the whole output of `terraform show -json PLANFILE`";
        match self {
            Self::Document(error) => write!(f, "{error}"),
            Self::Schemas(error) => write!(f, "the schemas for it cannot be read: {error}"),
            Self::Another(_) => f.write_str("a second document starts here; split the file"),
            Self::IsState => {
                f.write_str("this is a state, not a plan; pass the output of `terraform show -json PLANFILE`")
            }
            Self::NoStateFile => f.write_str(
                "this is no state file; pass the state as it is stored, such as the output of `terraform state pull`",
            ),
            Self::Part => write!(f, "this is a part of a document, without `format_version`; {WHOLE}"),
            Self::Redacted => {
                write!(f, "sensitive values were taken out of this plan, so nobody can judge it; {WHOLE}")
            }
            Self::RepeatedObject(address) => {
                write!(f, "{}: this object is in the list twice; {WHOLE}", visible(address))
            }
            Self::RepeatedMember(name) => {
                write!(f, "the member `{}` is in this plan more than once; {WHOLE}", visible(name))
            }
            Self::MissingChange(missing) => write!(f, "{missing}; {WHOLE}"),
            Self::UnknownAction(unknown) | Self::Unreadable(unknown)
                if unknown.kind != UnfamiliarKind::LeftOut =>
            {
                write!(f, "{unknown}, so nobody can judge this plan; a newer objchange may know it")
            }
            Self::UnknownAction(unknown) | Self::Unreadable(unknown) => write!(f, "{unknown}; {WHOLE}"),
        }
    }
}

/// A document's error after the name of its file: with line and column first, as compilers print it.
pub fn placed_document(error: &DocumentError) -> String {
    let DocumentError { line, column, location, problem } = error;
    let location = if location.is_empty() { String::new() } else { format!("{location}: ") };
    let advice = match problem {
        // The others say it themselves.
        Problem::Malformed(_) | Problem::Value(_) => {
            "; pass the output of `terraform show -json`, or a state file, as it was written"
        }
        _ => "",
    };
    // A value of a plan file has no place in a text.
    let place = if *line > 0 { format!(":{line}:{column}") } else { String::new() };
    format!("{place}: {location}{problem}{advice}")
}
