//! Why a provider gave no answer.

use std::fmt;
use std::time::Duration;

use objchange::value::Path;

use crate::log::Log;

/// The reason why a provider gave no answer: the kind of failure, the call, and the provider's log during
/// the call.
///
/// A provider's own message about a configuration or a change is not an error but a
/// [`Diagnostic`](objchange::change::Diagnostic) of its answer.
///
/// ```
/// use objchange_provider::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Unimplemented).during("GetFunctions");
/// assert_eq!(error.kind().kind(), "unimplemented");
/// assert_eq!(error.to_string(), "GetFunctions: the provider does not have this call");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    call: Option<&'static str>,
    log: Log,
}

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a provider did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The program could not be started.
    #[error("the provider could not be started: {reason}; is the path right, and may the file be executed?")]
    NotStarted {
        /// The message of the operating system.
        reason: String,
    },
    /// The program wrote no handshake in time.
    #[error("the provider wrote no handshake within {}; give it more time, or see what its log says", seconds(.0))]
    StartTimeout(Duration),
    /// The program ended before its handshake.
    #[error("the provider ended before its handshake ({status}): is this a provider for Terraform?")]
    EndedAtStart {
        /// How it ended.
        status: String,
    },
    /// The first line that the program wrote is not a handshake.
    #[error(
        "the first line on the provider's standard output is not a handshake, but {line:?}: is this a provider for Terraform?"
    )]
    NoHandshake {
        /// The beginning of the line.
        line: String,
    },
    /// The provider is one for Terraform 0.11 or older.
    #[error("the provider speaks net/rpc: it is made for Terraform 0.11 or older; get a newer version of it")]
    NetRpc,
    /// The provider speaks a version of the protocol that was not offered.
    #[error("the provider speaks version {version} of the protocol, and only {offered} were offered")]
    WrongProtocol {
        /// The version.
        version: u32,
        /// The offered versions.
        offered: String,
    },
    /// No connection to the address of the provider.
    #[error("no connection to the provider: {reason}")]
    NotConnected {
        /// The reason.
        reason: String,
    },
    /// The reattach value is malformed.
    #[error("the reattach value: {reason}")]
    Reattach {
        /// The problem with it.
        reason: String,
    },
    /// The provider's process ended during the call.
    #[error("the provider crashed ({status}); what it wrote last is in the log")]
    Crashed {
        /// How it ended.
        status: String,
    },
    /// The provider closed the connection.
    #[error("the provider closed the connection without an answer")]
    Disconnected,
    /// The answer did not come in time.
    #[error("the provider did not answer within {}; allow it more time if it has reason to take it", seconds(.0))]
    Timeout(Duration),
    /// The provider does not have the call.
    #[error("the provider does not have this call")]
    Unimplemented,
    /// The answer or the question is larger than the limit.
    #[error("the message is too large: {reason}")]
    TooLarge {
        /// How large it is, and how large it may be.
        reason: String,
    },
    /// The provider answers with an error of the transport instead of a diagnostic.
    #[error("the provider answers with an error of the transport ({code}): {message}")]
    Status {
        /// The name of the gRPC code.
        code: &'static str,
        /// The provider's message.
        message: String,
    },
    /// The provider sends a value that is not of its schema's type.
    #[error("{field}{}: {problem}", if path.is_root() { String::new() } else { format!(", {path}") })]
    WrongValue {
        /// The field of the message.
        field: &'static str,
        /// The place in the value, up to the first key, which may be secret.
        path: Path,
        /// The problem at this place.
        problem: String,
        /// How many parts are expected there, and how many are given, if their number is the problem.
        parts: Option<[usize; 2]>,
    },
    /// The answer does not have the form of the protocol.
    #[error("{field}: {reason}")]
    Malformed {
        /// The field of the message.
        field: &'static str,
        /// The problem with it.
        reason: String,
    },
    /// A value that is to be sent is not one of the schema's type, or has marks.
    #[error(
        "{field}: the value cannot be sent to the provider ({problem}): bring it into the schema's type, without marks"
    )]
    Unsendable {
        /// The field of the message.
        field: &'static str,
        /// The kind of problem.
        problem: &'static str,
    },
    /// The provider's schema has no such type or function.
    #[error("the provider has no {what} {name:?}")]
    UnknownName {
        /// The kind of thing that was looked for.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A pattern selects no type or function.
    #[error(
        "the provider has nothing called {glob:?}{}",
        if similar.is_empty() { String::new() } else { format!("; did you mean {}?", similar.join(" or ")) }
    )]
    NothingCalled {
        /// The pattern.
        glob: String,
        /// Similar names.
        similar: Vec<String>,
    },
    /// The selection has nothing of a wanted kind.
    #[error("nothing of the kind {kind} is chosen: {}", match is_there {
        true => "the names that are chosen leave all of them out",
        false => "the provider has none",
    })]
    NothingOfKind {
        /// The kind.
        kind: &'static str,
        /// The provider has things of this kind.
        is_there: bool,
    },
    /// The provider reports errors where an answer without them is needed.
    #[error("{}", .0.join("; "))]
    Refused(Vec<String>),
}

fn seconds(duration: &Duration) -> String {
    format!("{:?}", Duration::from_millis(duration.as_millis().try_into().unwrap_or(u64::MAX)))
}

impl ErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotStarted { .. } => "not_started",
            Self::StartTimeout(_) => "start_timeout",
            Self::EndedAtStart { .. } => "ended_at_start",
            Self::NoHandshake { .. } => "no_handshake",
            Self::NetRpc => "net_rpc",
            Self::WrongProtocol { .. } => "wrong_protocol",
            Self::NotConnected { .. } => "not_connected",
            Self::Reattach { .. } => "reattach",
            Self::Crashed { .. } => "crashed",
            Self::Disconnected => "disconnected",
            Self::Timeout(_) => "timeout",
            Self::Unimplemented => "unimplemented",
            Self::TooLarge { .. } => "too_large",
            Self::Status { .. } => "status",
            Self::WrongValue { .. } => "wrong_value",
            Self::Malformed { .. } => "malformed",
            Self::Unsendable { .. } => "unsendable",
            Self::UnknownName { .. } => "unknown_name",
            Self::NothingCalled { .. } => "nothing_called",
            Self::NothingOfKind { .. } => "nothing_of_kind",
            Self::Refused(_) => "refused",
        }
    }

    /// Whether the caller's input is wrong, such as the program or a name, and not the provider.
    pub fn is_about_input(&self) -> bool {
        matches!(
            self,
            Self::NotStarted { .. }
                | Self::StartTimeout(_)
                | Self::EndedAtStart { .. }
                | Self::NoHandshake { .. }
                | Self::NetRpc
                | Self::WrongProtocol { .. }
                | Self::NotConnected { .. }
                | Self::Reattach { .. }
                | Self::UnknownName { .. }
                | Self::Unsendable { .. }
        )
    }
}

impl Error {
    /// An error of this kind, during no call in particular.
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, call: None, log: Log::default() }))
    }

    /// The kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The call of the protocol that failed, by its name in protocol 6.
    pub fn call(&self) -> Option<&'static str> {
        self.0.call
    }

    /// The provider's log since the call began.
    pub fn log(&self) -> &Log {
        &self.0.log
    }

    /// Adds the call that failed.
    #[must_use]
    pub fn during(mut self, call: &'static str) -> Self {
        self.0.call = Some(call);
        self
    }

    /// Adds the provider's log during the call.
    #[must_use]
    pub fn with_log(mut self, log: Log) -> Self {
        self.0.log = log;
        self
    }

    /// Whether the provider does not implement the call.
    pub fn is_unimplemented(&self) -> bool {
        self.0.kind == ErrorKind::Unimplemented
    }

    /// Whether no more calls are possible, because the process or the connection is gone.
    pub fn is_gone(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Crashed { .. } | ErrorKind::Disconnected)
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}

impl std::error::Error for Error {}

/// The sentence, and the first line of a crash.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(call) = self.0.call {
            write!(f, "{call}: ")?;
        }
        write!(f, "{}", self.0.kind)?;
        match self.0.log.crash().and_then(|crash| crash.lines().next()) {
            Some(line) => write!(f, ": {line}"),
            None => Ok(()),
        }
    }
}

/// Leaves out the log, which may be long; use [`Error::log`].
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("call", &self.0.call)
            .field("log", &format_args!("{} lines", self.0.log.lines().len()))
            .finish()
    }
}
