//! What is wrong with policies, and where.

use std::fmt;

use crate::document::DocumentError;

/// A place in a policy file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Why policies cannot be read, or cannot be evaluated over a document.
#[derive(Debug, Clone)]
pub struct PolicyError {
    kind: PolicyErrorKind,
    place: Option<Place>,
    message: String,
    document: Option<Box<DocumentError>>,
}

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyErrorKind {
    /// A policy is not Rego, or the policies contradict each other.
    Policy,
    /// There is no rule to evaluate.
    NoRules,
    /// Evaluating a rule fails.
    Evaluation,
    /// Evaluating takes longer than is allowed.
    Time,
    /// The document is not what it is to be.
    Document,
}

impl PolicyErrorKind {
    /// A name for programs, which does not change.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Policy => "bad_policy",
            Self::NoRules => "no_rules",
            Self::Evaluation => "evaluation_failed",
            Self::Time => "time_limit",
            Self::Document => "bad_document",
        }
    }
}

impl PolicyError {
    pub(super) fn new(kind: PolicyErrorKind, place: Option<Place>, message: impl Into<String>) -> Self {
        Self { kind, place, message: message.into(), document: None }
    }

    pub(super) fn of_document(error: DocumentError) -> Self {
        let message = error.to_string();
        Self { document: Some(Box::new(error)), ..Self::new(PolicyErrorKind::Document, None, message) }
    }

    /// An error of `regorus`: its text begins with the place where there is one, and shows the line.
    pub(super) fn of(kind: PolicyErrorKind, error: &dyn fmt::Display, fallback: Option<&Place>) -> Self {
        let text = error.to_string();
        if text.starts_with("execution exceeded time limit") {
            return Self::new(PolicyErrorKind::Time, fallback.cloned(), "this takes longer than is allowed");
        }
        let place = text.lines().find_map(|line| line.trim_start().strip_prefix("--> "));
        let place = place.and_then(|place| {
            let mut parts = place.rsplitn(3, ':');
            let line = parts.nth(1)?.parse().ok()?;
            Some(Place { file: parts.next()?.to_owned(), line })
        });
        // What calls the rules is not of the user.
        let place = place.filter(|place| place.file != super::compile::CALLER);
        let message = text.lines().find_map(|line| line.strip_prefix("error: "));
        let message =
            message.or_else(|| text.lines().find(|line| !line.trim().is_empty())).unwrap_or_default();
        // What follows tells the state of the program, values included.
        let message = message.split(" (path [").next().unwrap_or_default();
        Self::new(kind, place.or_else(|| fallback.cloned()), message)
    }

    /// The same without its message, which holds something sensitive.
    pub(super) fn hidden(self) -> Self {
        Self { message: "evaluating this fails (why is hidden: it holds a sensitive value)".into(), ..self }
    }

    pub(super) fn or_at(mut self, place: &Place) -> Self {
        self.place.get_or_insert_with(|| place.clone());
        self
    }

    /// What kind of error it is.
    pub fn kind(&self) -> PolicyErrorKind {
        self.kind
    }

    /// What is wrong with the document, if it is that.
    pub fn document(&self) -> Option<&DocumentError> {
        self.document.as_deref()
    }

    /// Where in which policy.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for PolicyError {}
