//! Why a document cannot be read.

use std::borrow::Cow;
use std::fmt;

use objchange_text::{json::place, visible};

use crate::json::JsonError;

/// Why a document cannot be read, and where.
///
/// It never holds a part of the document's values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentError {
    /// The line, from 1; 0 where what cannot be read is in no text, but in a plan file.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The path of the part that was being read, such as `resource_changes[3].change`; empty if that is not
    /// known.
    pub location: String,
    /// The problem.
    pub problem: Problem,
}

/// A problem with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// There is no text.
    Empty,
    /// The text does not begin as JSON does.
    NotJson,
    /// A quotation mark stands before the document.
    Quoted,
    /// The text ends before the document does.
    Truncated,
    /// The text is not well-formed JSON, or not of the form expected there.
    Malformed(Cow<'static, str>),
    /// A value is not one of the type that it states, or has a part twice.
    Value(String),
    /// A value in a plan file cannot be decoded.
    Packed(String),
    /// A state file of another version than 4.
    StateFileVersion(u64),
    /// OpenTofu has encrypted it.
    Encrypted,
    /// It holds the schemas of providers.
    Schemas,
    /// It is the redacted plan of HCP Terraform.
    RedactedPlan,
    /// It is JSON, but no object.
    NotAnObject,
    /// The messages of `terraform plan -json`, one a line.
    Messages,
    /// There is no `format_version`.
    NoFormatVersion,
    /// This section is not in it, and every whole plan has it.
    NoSection(&'static str),
    /// There is one, and the members of neither a plan nor a state.
    Neither,
    /// The major version of the format is not supported.
    UnsupportedVersion(String),
}

impl Problem {
    /// The stable name of the kind of problem.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoSection(_) => "no_section",
            Self::NotJson => "not_json",
            Self::Quoted => "quoted",
            Self::Truncated => "truncated",
            Self::Malformed(_) => "malformed",
            Self::Value(_) | Self::Packed(_) => "value",
            Self::StateFileVersion(_) => "state_file_version",
            Self::Encrypted => "encrypted",
            Self::Schemas => "schemas",
            Self::RedactedPlan => "redacted_plan",
            Self::NotAnObject => "not_an_object",
            Self::Messages => "messages",
            Self::NoFormatVersion => "no_format_version",
            Self::Neither => "neither",
            Self::UnsupportedVersion(_) => "unsupported_version",
        }
    }
}

impl DocumentError {
    /// A value in a plan file cannot be decoded, for this reason.
    pub fn in_no_text(reason: String) -> Self {
        Self { line: 0, column: 0, location: String::new(), problem: Problem::Packed(reason) }
    }

    pub(crate) fn at(text: &str, offset: usize, location: &str, problem: Problem) -> Self {
        let (line, column) = place(text, offset);
        Self { line, column, location: visible(location).into_owned(), problem }
    }

    /// The error about invalid JSON in a document, or in a part of it that was read later, at this location.
    pub fn from_json(error: &JsonError, text: &str, location: &str) -> Self {
        let offset = error.offset();
        let problem = match error.is_truncated() {
            true => Problem::Truncated,
            false => Problem::Malformed(error.clone().into_message()),
        };
        Self::at(text, offset, location, problem)
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}, column {}: ", self.line, self.column)?;
        }
        if !self.location.is_empty() {
            write!(f, "{}: ", self.location)?;
        }
        write!(f, "{}", self.problem)
    }
}

impl std::error::Error for DocumentError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Empty => f.write_str(
                "there is nothing here: pass the output of `terraform show -json`",
            ),
            Problem::Quoted => f.write_str("a quotation mark stands before the document: take the quotation marks away"),
            Problem::NotJson => f.write_str(
                "this is not JSON: pass the output of `terraform show -json PLANFILE`, not the plan file itself",
            ),
            Problem::Truncated => f.write_str(
                "the document ends too early: it was cut off, write it again with `terraform show -json`",
            ),
            Problem::Malformed(message) => f.write_str(message),
            Problem::Value(message) | Problem::Packed(message) => f.write_str(message),
            Problem::StateFileVersion(version) => write!(
                f,
                "the state file has version {version}, and only version 4 is supported: {}",
                if *version < 4 { "write it again with Terraform 0.12 or later" } else { "use a newer objchange" }
            ),
            Problem::Encrypted => f.write_str(
                "the state file is encrypted: pass the output of `tofu show -json` instead",
            ),
            Problem::NotAnObject => f.write_str(
                "this is no JSON object: pass the output of `terraform show -json`",
            ),
            Problem::Messages => f.write_str(
                "these are the messages of a command with `-json`: write a plan file with `-out=PLANFILE` and pass \
                 the output of `terraform show -json PLANFILE`",
            ),
            Problem::Schemas => f.write_str(
                "these are the schemas of providers, not a plan or state",
            ),
            Problem::RedactedPlan => f.write_str(
                "this is the redacted plan of HCP Terraform, which has no values: pass its `json-output`, or the output \
                 of `terraform show -json PLANFILE`",
            ),
            Problem::NoSection(name) => write!(
                f,
                "there is no `{name}` in this plan, and something that is asked reads it; pass the whole output of \
                 `terraform show -json PLANFILE`"
            ),
            Problem::NoFormatVersion => f.write_str(
                "there is no `format_version`: this is neither a plan nor a state as `terraform show -json` \
                 prints them",
            ),
            Problem::Neither => f.write_str(
                "this is neither a plan nor a state: pass the output of `terraform show -json`",
            ),
            Problem::UnsupportedVersion(version) => write!(
                f,
                "the format version {version:?} is not supported, only 0.1 and later and all of 1.x: \
                 use a newer objchange"
            ),
        }
    }
}
