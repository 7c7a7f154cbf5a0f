//! Why a file cannot be read as a saved plan.

use objchange::schema::SchemaDocumentError;
use objchange::value::MsgpackError;
use objchange_module::state::ReadStateError;
use objchange_text::visible;

/// Why a saved plan cannot be read. Never shows a value.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SavedPlanError {
    /// The archive itself is wrong.
    #[error("this is not a plan file as Terraform writes it: {0}")]
    Archive(#[from] ArchiveProblem),
    /// An entry of the archive is wrong.
    #[error("entry {}: {problem}", visible(.name))]
    Entry {
        /// Its name.
        name: String,
        /// The problem.
        problem: EntryProblem,
    },
    /// It is from Terraform 0.11 or older.
    #[error("this plan file is from Terraform 0.11 or older; plan files of Terraform 1.6 and later are read")]
    Ancient,
    /// A version wrote it whose files are not read.
    #[error("this plan file is from Terraform {}; plan files of Terraform 1.6 and later are read", visible(.0))]
    OldVersion(String),
    /// OpenTofu has encrypted it.
    #[error(
        "this plan file is encrypted, and only OpenTofu with its key can read it; pass the output of `tofu show -json`"
    )]
    Encrypted,
    /// HCP Terraform has the plan.
    #[error("this is no plan but a bookmark of run {} on {}, which has the plan; download its JSON there", visible(.run), visible(.host))]
    Bookmark {
        /// The run.
        run: String,
        /// The host.
        host: String,
    },
    /// The plan is in another format.
    #[error("the plan has format version {0}, and version 3 is read; a newer objchange may know it")]
    FormatVersion(u64),
    /// The plan message is broken.
    #[error("the plan in it is broken: {}: {problem}", visible(.place))]
    Message {
        /// The part.
        place: String,
        /// The problem.
        problem: String,
    },
    /// An enumeration has a value that is not known.
    #[error("{}: unknown {field} {value}; a newer objchange may know it", visible(.place))]
    UnknownEnum {
        /// The part.
        place: String,
        /// The field.
        field: &'static str,
        /// Its value.
        value: i64,
    },
    /// The configuration cannot be read, and something decides by the plan.
    #[error("the configuration in it cannot be read ({}), so nothing can be decided by it; pass the output of `terraform show -json`", visible(.0))]
    Configuration(String),
    /// A list is too long.
    #[error("the plan has more than {limit} {list}")]
    TooMany {
        /// The list.
        list: &'static str,
        /// The most that are read.
        limit: usize,
    },
    /// A value does not fit.
    #[error("{}: {error}{}", visible(.place), versions.as_ref().map(|versions| format!(" ({})", visible(versions))).unwrap_or_default())]
    Value {
        /// The part, such as the address of a resource.
        place: String,
        /// The problem.
        error: MsgpackError,
        /// The versions of the provider and of the schema.
        versions: Option<String>,
    },
    /// The state cannot be read.
    #[error("the state in it: {0}")]
    State(#[from] ReadStateError),
    /// The state does not fit the schemas.
    #[error("the state in it: {}", visible(.0))]
    StateOfResource(String),
    /// A schema cannot be read.
    #[error(transparent)]
    Schema(#[from] SchemaDocumentError),
}

/// A problem with an archive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveProblem {
    /// It cannot be read.
    #[error("the archive is broken: {0}")]
    Broken(String),
    /// It has too many entries.
    #[error("the archive has more than 65,536 entries")]
    TooManyEntries,
    /// It has bytes after its end, or a comment.
    #[error("the archive has a comment, or more bytes after its end")]
    MoreBytes,
    /// Entries overlap.
    #[error("entries of the archive overlap, or do not begin at its start")]
    Overlap,
    /// It has no plan.
    #[error("the archive has no entry `tfplan`")]
    NoPlan,
    /// It has no state.
    #[error("the archive has no entry `tfstate`")]
    NoState,
}

/// A problem with an entry of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryProblem {
    /// The archive has it twice.
    #[error(
        "the archive has two entries of this name; Terraform applies the first, others may read the last"
    )]
    Repeated,
    /// It is encrypted.
    #[error("it is encrypted, and no Terraform writes such entries")]
    Encrypted,
    /// Its name is too long.
    #[error("its name is longer than 4,096 bytes")]
    LongName,
    /// Its name is not UTF-8.
    #[error("its name is not UTF-8")]
    Name,
    /// It is not text.
    #[error("it is not text in UTF-8")]
    Text,
    /// It is cut off.
    #[error("it is cut off")]
    Truncated,
    /// The directory says something else than the entry.
    #[error("the directory of the archive says something else about it than the entry itself")]
    Disagrees,
    /// It is compressed in another way.
    #[error("it is compressed with method {0}, and only methods 0 and 8 are read")]
    Method(u16),
    /// Its checksum, its length or its compressed data is wrong.
    #[error("its data is damaged, or has another length or checksum than the archive says")]
    Damaged,
    /// It is too large.
    #[error("it is larger than {0} bytes when it is unpacked, which is too large")]
    TooLarge(u64),
}

impl SavedPlanError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Archive(_) => "archive",
            Self::Entry { problem: EntryProblem::Repeated, .. } => "repeated_entry",
            Self::Entry { .. } => "archive_entry",
            Self::Ancient | Self::OldVersion(_) => "old_plan_file",
            Self::Encrypted => "encrypted_plan_file",
            Self::Bookmark { .. } => "bookmark",
            Self::FormatVersion(_) => "format_version",
            Self::Message { .. } => "plan_message",
            Self::UnknownEnum { .. } => "unknown_enum",
            Self::Configuration(_) => "configuration",
            Self::TooMany { .. } => "too_many",
            Self::Value { error, .. } => error.problem.kind(),
            Self::State(error) => error.kind(),
            Self::StateOfResource(_) => "state_of_resource",
            Self::Schema(error) => error.kind.kind(),
        }
    }
}
