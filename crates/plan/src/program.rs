//! Whose text it is: Terraform's, of some version, or OpenTofu's.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::document::{Plan, State};

/// The program as which a document is shown.
///
/// ```
/// use objchange_plan::Program;
///
/// let program: Program = "terraform@1.11.4".parse()?;
/// assert_eq!(program.to_string(), "terraform@1.11");
/// assert_ne!(program, Program::default());
/// assert!("terraform@new".parse::<Program>().is_err());
/// # Ok::<(), objchange_plan::ProgramError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    /// Terraform of a version.
    Terraform(Version),
}

/// A version of Terraform, as far as its text depends on it. Versions that are newer than what is known here count as
/// the newest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    major: u32,
    minor: u32,
}

/// Why a text names no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a program is `terraform`, or one version of it, such as `terraform@1.11`")]
pub struct ProgramError;

impl ProgramError {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        "program"
    }
}

/// Something that Terraform has not always shown as it does now.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Novelty {
    /// Actions that a plan invokes are shown and counted.
    ActionInvocations,
    /// Of the line that counts the changes only its first word is a unit of colour.
    CountsWithoutColour,
    /// An object that is replaced and not destroyed is counted among those that are added.
    CreateThenForgetAdds,
    /// An invocation of an action says its address, and who called it.
    InvocationAddress,
}

impl Novelty {
    /// The version that brought it.
    const fn since(self) -> Version {
        match self {
            Self::ActionInvocations | Self::CountsWithoutColour => Version::new(1, 14),
            Self::CreateThenForgetAdds | Self::InvocationAddress => Version::new(1, 16),
        }
    }
}

impl Version {
    /// The newest version whose text is known.
    pub const NEWEST: Self = Self::new(1, 16);

    const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// The version that this is the text of, such as `1.11.4` or `1.16.0-rc2`.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, rest) = text.split_once('.')?;
        let minor = rest.split(['.', '-', '+']).next()?;
        Some(Self::new(major.parse().ok()?, minor.parse().ok()?).min(Self::NEWEST))
    }
}

impl Default for Program {
    /// The newest version of Terraform.
    fn default() -> Self {
        Self::Terraform(Version::NEWEST)
    }
}

impl Program {
    /// The program that wrote a plan, as far as that can be told.
    pub(crate) fn of_plan(plan: &Plan<'_>) -> Self {
        Self::of_version(plan.terraform_version.as_deref())
    }

    /// The program that wrote a state, as far as that can be told.
    pub(crate) fn of_state(state: &State<'_>) -> Self {
        Self::of_version(state.terraform_version.as_deref())
    }

    fn of_version(version: Option<&str>) -> Self {
        version.and_then(Version::parse).map_or_else(Self::default, Self::Terraform)
    }

    pub(crate) fn has(self, novelty: Novelty) -> bool {
        match self {
            Self::Terraform(version) => version >= novelty.since(),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terraform(version) => write!(f, "terraform@{version}"),
        }
    }
}

impl Serialize for Program {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Program {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let (name, version) =
            text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
        match (name, version) {
            ("terraform", None) => Ok(Self::default()),
            ("terraform", Some(version)) => Version::parse(version).map(Self::Terraform).ok_or(ProgramError),
            _ => Err(ProgramError),
        }
    }
}
