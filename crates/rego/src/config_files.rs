//! Configuration files as policies see them. The host reads and parses them: this crate opens no file.

use std::fmt;

use crate::value::Value;

/// The host's implementation of conftest's `parse_config` and `parse_config_file`.
pub trait ConfigFiles: fmt::Debug + Send + Sync {
    /// Parses a text with the parser of this name, such as `hcl2`.
    ///
    /// # Errors
    ///
    /// There is no such parser, or the text is wrong.
    fn parse(&self, parser: &str, text: &str) -> Result<Value, ConfigFileError>;

    /// Reads the file at a path, which begins where the file of the policy is.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or policies may not read it.
    fn read(&self, policy: &str, path: &str) -> Result<Value, ConfigFileError>;
}

/// Why a policy gets no configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigFileError {
    /// The problem.
    pub message: String,
}

impl ConfigFileError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}
