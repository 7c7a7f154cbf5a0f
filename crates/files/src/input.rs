//! Reads documents from files and standard input.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use objchange_text::{read_at_most, utf8_reader};

use crate::packed::unpacked;

/// The error for a terminal as input.
pub const NOTHING_PIPED_IN: &str = "nothing is piped in; name a file, or pipe one in";

/// The maximum size of a plan, a state or another document in bytes, unless an option changes it.
pub const MAX_DOCUMENT: u64 = 1 << 30;

/// The maximum size of other texts in bytes: policies, values of variables, configurations, logs.
pub const MAX_TEXT: u64 = 256 << 20;

/// A file, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// The file at this path.
    File(PathBuf),
}

impl Source {
    /// A path from the command line, where `-` means standard input.
    pub fn new(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::File(path.to_owned()) }
    }

    /// The size in bytes, if it is known in advance.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin => None,
            Self::File(path) => path.metadata().ok().filter(std::fs::Metadata::is_file).map(|m| m.len()),
        }
    }

    /// Opens the input for reading bytes.
    ///
    /// # Errors
    ///
    /// The input cannot be opened, is a directory, or is standard input for the second time, when nothing is left of it.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        static IS_STDIN_OPEN: AtomicBool = AtomicBool::new(false);
        match self {
            // The second of two options, as in `sentinel --state - --run -`, would read nothing.
            Self::Stdin if IS_STDIN_OPEN.swap(true, Ordering::Relaxed) => {
                Err(io::Error::other("standard input (-) can be read only once"))
            }
            Self::Stdin => Ok(Box::new(io::stdin())),
            Self::File(path) => {
                let file = File::open(path)?;
                // Otherwise reading a directory would fail, with a less helpful message.
                if file.metadata()?.is_dir() {
                    return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a directory"));
                }
                Ok(Box::new(file))
            }
        }
    }

    /// Reads all of it as text, in UTF-8 or UTF-16.
    ///
    /// # Errors
    ///
    /// It cannot be read, is not text, or is longer than [`MAX_TEXT`].
    pub fn read(&self) -> Result<String, InputError> {
        self.read_at_most(MAX_TEXT)
    }

    /// Reads its bytes unchanged, if there are at most `limit`.
    ///
    /// # Errors
    ///
    /// It cannot be read, or has more bytes.
    pub fn bytes_at_most(&self, limit: u64) -> Result<Vec<u8>, InputError> {
        self.all(self.open_text()?, limit)
    }

    /// The bytes of a document, unpacked from gzip if necessary. The user sets the limit: see
    /// [`InputError::is_over_limit`].
    ///
    /// # Errors
    ///
    /// It cannot be read, or has more bytes.
    pub fn bytes_as_allowed(&self, limit: u64) -> Result<Vec<u8>, InputError> {
        self.all_as_allowed(self.open_document()?, limit)
    }

    /// Reads the bytes of a text, and decodes them.
    ///
    /// # Errors
    ///
    /// It cannot be read, is not text, or is longer than [`MAX_TEXT`].
    pub fn read_with_bytes(&self) -> Result<(Vec<u8>, String), InputError> {
        let bytes = self.bytes_at_most(MAX_TEXT)?;
        let reader = utf8_reader(&bytes[..]).map_err(|error| self.unreadable(error))?;
        // UTF-16 may become half as long again in UTF-8.
        let text = self.all(reader, 2 * MAX_TEXT)?;
        Ok((bytes, self.text(text, 1)?))
    }

    /// Reads the rest of the input, if it has at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// It cannot be read, or has more bytes.
    pub fn all(&self, reader: impl Read, limit: u64) -> Result<Vec<u8>, InputError> {
        // One byte more than the limit shows that the input is too large. Without a limit, /dev/zero filled the memory.
        let read = read_at_most(reader, limit.saturating_add(1));
        let bytes = read.map_err(|error| self.unreadable(error))?;
        match bytes.len() as u64 > limit {
            true => Err(self.error(Fault::TooLarge { limit })),
            false => Ok(bytes),
        }
    }

    /// Like [`Source::all`], where the user sets the limit: see [`InputError::is_over_limit`].
    ///
    /// # Errors
    ///
    /// It cannot be read, or has more bytes.
    pub fn all_as_allowed(&self, reader: impl Read, limit: u64) -> Result<Vec<u8>, InputError> {
        self.all(reader, limit).map_err(|error| self.as_allowed(error))
    }

    /// Reads all of it as text, if it has at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// It cannot be read, is not text, or has more bytes.
    pub fn read_at_most(&self, limit: u64) -> Result<String, InputError> {
        let reader = utf8_reader(self.open_text()?).map_err(|error| self.unreadable(error))?;
        self.text(self.all(reader, limit)?, 1)
    }

    /// Reads a plan or a state, unpacked from gzip if necessary: a document, or the bytes of a plan file. The user sets the limit.
    ///
    /// # Errors
    ///
    /// It cannot be read, is neither text nor a plan file, or has more bytes.
    pub fn read_contents(&self, limit: u64) -> Result<Contents, InputError> {
        let reader = utf8_reader(self.open_document()?).map_err(|error| self.unreadable(error))?;
        let bytes = self.all_as_allowed(reader, limit)?;
        match Contents::is_plan_file(&bytes) {
            true => Ok(Contents::PlanFile(bytes)),
            false => self.text(bytes, 1).map(Contents::Text),
        }
    }

    /// The text of a document, unpacked from gzip if necessary. The user sets the limit: see [`InputError::is_over_limit`].
    ///
    /// # Errors
    ///
    /// It cannot be read, is not text, or has more bytes.
    pub fn read_as_allowed(&self, limit: u64) -> Result<String, InputError> {
        let reader = utf8_reader(self.open_document()?).map_err(|error| self.unreadable(error))?;
        self.text(self.all_as_allowed(reader, limit)?, 1)
    }

    /// Opens a document, and unpacks it from gzip if necessary. Limits count unpacked bytes.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or is a terminal.
    fn open_document(&self) -> Result<Box<dyn Read + Send>, InputError> {
        unpacked(self.open_text()?).map_err(|error| self.unreadable(error))
    }

    /// The error if the user can set the limit.
    fn as_allowed(&self, error: InputError) -> InputError {
        match error.fault {
            Fault::TooLarge { limit } => self.error(Fault::MoreThanAllowed(Size(limit))),
            _ => error,
        }
    }

    /// Whether it is standard input, and that is a terminal.
    pub fn is_terminal(&self) -> bool {
        *self == Self::Stdin && io::stdin().is_terminal()
    }

    /// Opens the input for a document. A terminal is refused, because nobody types a document.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or is a terminal.
    pub fn open_text(&self) -> Result<Box<dyn Read + Send>, InputError> {
        if self.is_terminal() {
            return Err(self.error(Fault::Terminal));
        }
        self.open().map_err(|error| self.unreadable(error))
    }

    /// Decodes bytes of the input that start at this line.
    ///
    /// # Errors
    ///
    /// It is neither UTF-8 nor UTF-16, or a plan file.
    pub fn text(&self, bytes: Vec<u8>, first_line: u64) -> Result<String, InputError> {
        if Contents::is_plan_file(&bytes) {
            return Err(self.error(Fault::PlanFile));
        }
        String::from_utf8(bytes).map_err(|e| {
            let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line_start = valid.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            self.error(Fault::Encoding {
                line: first_line + valid.iter().filter(|b| **b == b'\n').count() as u64,
                column: valid.len() - line_start + 1,
            })
        })
    }

    /// The error of reading a document that may not exceed the limit.
    pub fn unreadable_within(&self, error: io::Error, limit: u64) -> InputError {
        match error.kind() {
            io::ErrorKind::FileTooLarge => self.error(Fault::MoreThanAllowed(Size(limit))),
            _ => self.unreadable(error),
        }
    }

    /// The error of reading this input.
    pub fn unreadable(&self, error: io::Error) -> InputError {
        self.error(Fault::Read(error))
    }

    fn error(&self, fault: Fault) -> InputError {
        InputError { input: self.clone(), fault }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("(stdin)"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The content of a plan or a state.
#[derive(Clone)]
pub enum Contents {
    /// The text of a JSON document.
    Text(String),
    /// The bytes of a plan file, as `terraform plan -out` saves it.
    PlanFile(Vec<u8>),
}

impl Contents {
    /// Whether bytes begin like a plan file: an archive, or a file of Terraform 0.11 or older.
    pub fn is_plan_file(bytes: &[u8]) -> bool {
        bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"tfplan")
    }
}

impl fmt::Debug for Contents {
    /// Without the content, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(_) => "Text(…)",
            Self::PlanFile(_) => "PlanFile(…)",
        })
    }
}

/// A number of bytes, written like `500M`, `4G` or `1048576`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

const UNITS: [(&str, u64); 3] = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let upper = text.to_ascii_uppercase();
        let text = upper.trim_end_matches('B').trim_end_matches('I');
        let (number, unit) = UNITS
            .iter()
            .find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))
            .unwrap_or((text, 1));
        let size = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
        size.map(Self).ok_or("a size is a number of bytes, or of K, M or G, such as 500M")
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, unit)| self.0 > 0 && self.0.is_multiple_of(*unit));
        match unit {
            Some((name, unit)) => write!(f, "{} {name}iB", self.0 / unit),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// Why a document cannot be read as text.
#[derive(Debug, thiserror::Error)]
#[error("{input}{fault}")]
pub struct InputError {
    input: Source,
    fault: Fault,
}

impl InputError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self.fault {
            Fault::Read(_) => "unreadable",
            Fault::Terminal => "terminal",
            Fault::PlanFile => "plan_file",
            Fault::TooLarge { .. } | Fault::MoreThanAllowed(_) => "too_large",
            Fault::Encoding { .. } => "encoding",
        }
    }

    /// Whether it has more bytes than [`Source::read_as_allowed`] allows.
    pub fn is_over_limit(&self) -> bool {
        matches!(self.fault, Fault::MoreThanAllowed(_))
    }

    /// The error of the system, if reading failed.
    pub fn system(&self) -> Option<&io::Error> {
        match &self.fault {
            Fault::Read(error) => Some(error),
            _ => None,
        }
    }

    /// Why, without the name of the input.
    pub fn reason(&self) -> String {
        let reason = self.fault.to_string();
        reason.trim_start_matches([':', ' ']).to_owned()
    }
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(": cannot be read: {0}")]
    Read(io::Error),
    #[error(": {NOTHING_PIPED_IN}")]
    Terminal,
    #[error(": this is a plan file, and a text is needed here; pass the output of `terraform show -json`")]
    PlanFile,
    #[error(": more than {}, which is too large", Size(*limit))]
    TooLarge { limit: u64 },
    #[error(": this is more than {0}")]
    MoreThanAllowed(Size),
    #[error(":{line}:{column}: the text is neither UTF-8 nor UTF-16")]
    Encoding { line: u64, column: usize },
}
