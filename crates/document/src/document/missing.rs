//! The inputs that a plan was made without, so that it says less than it could.

use std::fmt;

use objchange_text::visible;
use serde::{Deserialize, Serialize};

use super::Plan;

/// An input that a plan was made without: everything that depends on it is unknown.
///
/// ```
/// use objchange_document::{Missing, MissingKind};
///
/// let missing = Missing::new(MissingKind::Variable, "var.region");
/// assert_eq!(missing.to_string(), "var.region has no value");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Missing {
    /// The kind of input.
    pub kind: MissingKind,
    /// Its name: `var.region`, `module.net`, the address of a provider, a path.
    pub address: String,
    /// Where it would come from: the source of a module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The versions of a module that may be used, as its call says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why the directory of a module cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<DirectoryProblem>,
    /// The place of its declaration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<MissingRange>,
}

/// The place in the configuration where a missing input is declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingRange {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// The kind of a [`Missing`] input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MissingKind {
    /// A variable of the root module without a value.
    Variable,
    /// A module that is not installed.
    Module,
    /// The schemas of a provider.
    Schema,
    /// The state, which is elsewhere.
    State,
    /// A file that a function reads, and that is not in the plan file.
    File,
    /// A kind that a newer program knows: anything may depend on it.
    #[serde(other)]
    Other,
}

/// Why a directory cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DirectoryProblem {
    /// There is no such directory.
    Absent,
    /// It is outside of the directories that may be read.
    Outside,
}

impl MissingKind {
    /// Whether nothing but values depends on it: which objects a module or a provider has is known.
    pub const fn is_value(self) -> bool {
        matches!(self, Self::Variable | Self::File)
    }

    /// Its name, as documents write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Variable => "variable",
            Self::Module => "module",
            Self::Schema => "schema",
            Self::State => "state",
            Self::File => "file",
            Self::Other => "other",
        }
    }
}

impl Missing {
    /// One without a source and a place.
    pub fn new(kind: MissingKind, address: impl Into<String>) -> Self {
        Self { kind, address: address.into(), source: None, version: None, problem: None, range: None }
    }

    /// The problem with it in a few words, for lists.
    ///
    /// ```
    /// use objchange_document::{Missing, MissingKind};
    ///
    /// assert_eq!(Missing::new(MissingKind::Module, "module.net").about(), "not installed");
    /// ```
    pub fn about(&self) -> &'static str {
        match (self.kind, self.problem) {
            (MissingKind::Variable, _) => "no value",
            (MissingKind::Module, None) => "not installed",
            (MissingKind::Module, Some(DirectoryProblem::Absent)) => "its directory does not exist",
            (MissingKind::Module, Some(DirectoryProblem::Outside)) => {
                "its directory is outside of what may be read"
            }
            (MissingKind::Schema, _) => "no schemas",
            (MissingKind::State, _) => "not read",
            (MissingKind::File, _) => "not in the plan file",
            (MissingKind::Other, _) => "missing",
        }
    }

    /// One that nobody can read: anything may depend on it.
    fn unreadable() -> Self {
        Self::new(MissingKind::Other, "missing")
    }
}

impl fmt::Display for Missing {
    /// In words, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = visible(&self.address);
        match self.kind {
            MissingKind::Variable => write!(f, "{address} has no value"),
            MissingKind::Module => {
                let words = match self.problem {
                    None => "is not installed",
                    Some(DirectoryProblem::Absent) => "is in a directory that does not exist",
                    Some(DirectoryProblem::Outside) => "is in a directory outside of what may be read",
                };
                write!(f, "{address} {words}")?;
                match (&self.source, &self.version) {
                    (None, _) => Ok(()),
                    (Some(source), None) => write!(f, " ({})", visible(source)),
                    (Some(source), Some(version)) => write!(f, " ({} {})", visible(source), visible(version)),
                }
            }
            MissingKind::Schema => write!(f, "there are no schemas of {address}"),
            MissingKind::State => f.write_str("the state was not read"),
            // Only the beginning of the path is known.
            MissingKind::File if address.ends_with('*') => {
                write!(f, "the files {address} are not in the plan file")
            }
            MissingKind::File => write!(f, "the file {address} is not in the plan file"),
            MissingKind::Other => write!(f, "{address} is missing"),
        }
    }
}

impl Plan<'_> {
    /// The inputs that the plan was made without. Terraform writes no such list.
    ///
    /// ```
    /// use objchange_document::{MissingKind, Plan};
    ///
    /// let plan = Plan::parse(
    ///     r#"{"format_version":"1.2","missing":[{"kind":"variable","address":"var.region"}]}"#,
    /// )?;
    /// assert_eq!(plan.missing()[0].kind, MissingKind::Variable);
    /// # Ok::<(), objchange_document::DocumentError>(())
    /// ```
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    pub(super) fn read_missing(&self) -> Vec<Missing> {
        let Some(list) = self.member("missing") else { return Vec::new() };
        // A list that cannot be read is no empty one: then anything may be missing.
        serde_json::from_str(list.text()).unwrap_or_else(|_| vec![Missing::unreadable()])
    }
}
