//! The program and version whose text is printed: Terraform or OpenTofu.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use thiserror::Error;

/// How a plan was made without its providers. The build metadata of its version says so.
///
/// ```
/// use objchange_document::Prediction;
///
/// let prediction = Prediction { is_trusting: true, is_refreshed: false };
/// assert_eq!(prediction.version("1.16.0"), "1.16.0+simulated.trusting.unrefreshed");
/// assert_eq!(Prediction::of_version("1.16.0+simulated.trusting.unrefreshed"), Some(prediction));
/// assert_eq!(Prediction::of_version("1.16.0"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// It was not made strictly, and a strict plan would differ: providers are taken to leave values alone that they may
    /// change.
    pub is_trusting: bool,
    /// The objects count as read, and may have drifted. Otherwise the plan takes them as they are in the state.
    pub is_refreshed: bool,
}

impl Prediction {
    /// The prediction that this version in a document tells of; `None` if the plan is none.
    pub fn of_version(version: &str) -> Option<Self> {
        let mut words = version.split_once('+')?.1.split('.').skip_while(|word| *word != "simulated");
        words.next()?;
        let (mut is_trusting, mut is_refreshed) = (false, true);
        for word in words {
            is_trusting |= word == "trusting";
            is_refreshed &= word != "unrefreshed";
        }
        Some(Self { is_trusting, is_refreshed })
    }

    /// This version with what is said of the prediction.
    pub fn version(self, version: &str) -> String {
        let trusting = if self.is_trusting { ".trusting" } else { "" };
        let unrefreshed = if self.is_refreshed { "" } else { ".unrefreshed" };
        format!("{version}+simulated{trusting}{unrefreshed}")
    }
}

/// The program as which a document is shown.
///
/// ```
/// use objchange_document::Program;
///
/// let program: Program = "terraform@1.11.4".parse()?;
/// assert_eq!(program.to_string(), "terraform@1.11");
/// assert_ne!(program, Program::default());
/// // Versions whose text nobody has compared are refused.
/// assert!("terraform@2.0".parse::<Program>().is_err() && "opentofu@1.8".parse::<Program>().is_err());
/// # Ok::<(), objchange_document::ProgramError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    /// Terraform of a version.
    Terraform(Version),
    /// OpenTofu of a version: 1.12 and 1.13 are known.
    OpenTofu(Version),
}

/// A version of Terraform, as far as its text depends on it. Versions that are newer than what is known here count as
/// the newest one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    major: u32,
    minor: u32,
}

/// A text that names no supported program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "supported are `terraform`, `terraform@1.0` to `terraform@{newest}`, such as `terraform@1.11`, `opentofu` (the \
     same as `opentofu@{tofu}`) and `opentofu@{next}`",
    newest = Version::NEXT,
    tofu = Version::OPENTOFU,
    next = Version::OPENTOFU_NEXT
)]
#[non_exhaustive]
pub struct ProgramError;

impl ProgramError {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        "program"
    }
}

impl Version {
    /// The newest version, which is followed if nothing else is said.
    pub const NEWEST: Self = Self::new(1, 16);
    /// The version that is being developed, as far as it is known (August 2026).
    pub const NEXT: Self = Self::new(1, 17);
    /// The version of OpenTofu that is followed if nothing else is said.
    const OPENTOFU: Self = Self::new(1, 12);
    /// The version of OpenTofu that is being developed.
    pub const OPENTOFU_NEXT: Self = Self::new(1, 13);
    /// Older versions print another text.
    const OLDEST: Self = Self::new(1, 0);

    const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Its two numbers: `(1, 11)` of `1.11`.
    pub fn parts(self) -> (u32, u32) {
        (self.major, self.minor)
    }

    /// The version that this is the text of, such as `1.11.4` or `1.16.0-rc2`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_exactly(text).map(|version| version.min(Self::NEXT))
    }

    /// Like [`Version::parse`], but a version newer than [`Version::NEXT`] stays as it is.
    ///
    /// ```
    /// use objchange_document::Version;
    ///
    /// assert_eq!(Version::parse_exactly("1.99.0").map(Version::parts), Some((1, 99)));
    /// assert_eq!(Version::parse("1.99.0"), Some(Version::NEXT));
    /// assert_eq!(Version::parse_exactly("latest"), None);
    /// ```
    pub fn parse_exactly(text: &str) -> Option<Self> {
        let (major, rest) = text.split_once('.')?;
        let minor = rest.split(['.', '-', '+']).next()?;
        Some(Self::new(major.parse().ok()?, minor.parse().ok()?))
    }
}

impl Default for Program {
    /// The newest version of Terraform.
    fn default() -> Self {
        Self::Terraform(Version::NEWEST)
    }
}

impl Program {
    /// The warning that a document is of a version whose text is not known: that of the oldest known one is printed.
    ///
    /// ```
    /// use objchange_document::Program;
    ///
    /// assert_eq!(Program::OPENTOFU.version_warning("1.12.6"), None);
    /// let warning = Program::OPENTOFU.version_warning("1.9.0").unwrap();
    /// assert_eq!(warning, "the document is of OpenTofu 1.9; its text is that of OpenTofu 1.12");
    /// assert!(Program::default().version_warning("1.3.9").is_some());
    /// ```
    pub fn version_warning(self, written_by: &str) -> Option<String> {
        // Texts of documents of Terraform 1.4 to 1.17 and OpenTofu 1.12 and 1.13 were compared with theirs.
        let first = if self.is_opentofu() { Version::OPENTOFU } else { Version::new(1, 4) };
        let version = Version::parse_exactly(written_by).filter(|version| *version < first)?;
        let name = self.name();
        Some(format!("the document is of {name} {version}; its text is that of {name} {first}"))
    }

    /// Terraform of this version; the newest one if none is named or it cannot be read.
    pub fn of_version(version: Option<&str>) -> Self {
        version.and_then(Version::parse).map_or_else(Self::default, Self::Terraform)
    }

    /// Whether it is a version of OpenTofu.
    pub fn is_opentofu(self) -> bool {
        matches!(self, Self::OpenTofu(_))
    }

    /// OpenTofu, as it is released.
    pub const OPENTOFU: Self = Self::OpenTofu(Version::OPENTOFU);

    /// Whether it is OpenTofu 1.13, which prints less where nothing changes, and reads unknown blocks by their own schema.
    pub fn is_opentofu_next(self) -> bool {
        matches!(self, Self::OpenTofu(version) if version >= Version::OPENTOFU_NEXT)
    }

    /// The name by which it calls itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terraform(_) => "Terraform",
            Self::OpenTofu(_) => "OpenTofu",
        }
    }

    /// The name of its executable.
    pub fn command(self) -> &'static str {
        match self {
            Self::Terraform(_) => "terraform",
            Self::OpenTofu(_) => "tofu",
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
            Self::OpenTofu(Version::OPENTOFU) => f.write_str("opentofu"),
            Self::OpenTofu(version) => write!(f, "opentofu@{version}"),
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
        let version =
            // `Version::parse` would take each newer version for the newest one, whose text it may not have.
            version.map(|version| Version::parse_exactly(version).ok_or(ProgramError)).transpose()?;
        match (name, version) {
            ("terraform", None) => Ok(Self::default()),
            ("terraform", Some(version)) if (Version::OLDEST..=Version::NEXT).contains(&version) => {
                Ok(Self::Terraform(version))
            }
            ("opentofu", None) => Ok(Self::OPENTOFU),
            ("opentofu", Some(version @ (Version::OPENTOFU | Version::OPENTOFU_NEXT))) => {
                Ok(Self::OpenTofu(version))
            }
            _ => Err(ProgramError),
        }
    }
}
