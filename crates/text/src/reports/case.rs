//! One thing that was looked at, for reports in JUnit's form.

use std::time::Duration;

/// A test case: one thing that was looked at in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JunitCase {
    /// Its name.
    pub name: String,
    /// The class that it belongs to.
    pub class: Option<String>,
    /// The file that it is defined in.
    pub file: Option<String>,
    /// The line there, from 1.
    pub line: Option<u64>,
    /// How long it took.
    pub time: Option<Duration>,
    /// The result of it.
    pub status: JunitStatus,
    /// Its output.
    pub output: Option<String>,
}

/// The result of a test case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JunitStatus {
    pub(super) kind: Kind,
    pub(super) sort: Option<String>,
    pub(super) message: Option<String>,
    pub(super) text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Passed,
    Skipped,
    Failure,
    Error,
}

impl JunitCase {
    /// A case with what came of it.
    pub fn new(name: impl Into<String>, status: JunitStatus) -> Self {
        let (class, file, line, time, output) = Default::default();
        Self { name: name.into(), class, file, line, time, status, output }
    }

    /// The same with what it belongs to, and the file and line where it is defined.
    #[must_use]
    pub fn at(mut self, class: impl Into<String>, file: impl Into<String>, line: impl Into<u64>) -> Self {
        (self.class, self.file, self.line) = (Some(class.into()), Some(file.into()), Some(line.into()));
        self
    }
}

impl JunitStatus {
    /// All is well.
    pub const PASSED: Self = Self::new(Kind::Passed);
    /// It was not looked at, or nobody knows.
    pub const SKIPPED: Self = Self::new(Kind::Skipped);
    /// It is not as it should be.
    pub const FAILURE: Self = Self::new(Kind::Failure);
    /// Something kept it from being looked at.
    pub const ERROR: Self = Self::new(Kind::Error);

    const fn new(kind: Kind) -> Self {
        Self { kind, sort: None, message: None, text: None }
    }

    /// The same for this sort, with a sentence.
    #[must_use]
    pub fn with(self, sort: impl Into<String>, message: impl Into<String>) -> Self {
        Self { sort: Some(sort.into()), ..self.with_message(message) }
    }

    /// The same with a sentence.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    /// The same with all that there is to say.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..self }
    }

    /// The same for this sort with all that there is to say, of which the first line is the message.
    #[must_use]
    pub fn with_lines(self, sort: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let first = text.lines().next().unwrap_or_default().to_owned();
        self.with(sort, first).with_text(text)
    }
}
