//! Errors in policies, with their positions.

use std::fmt;

use objchange_document::{DocumentError, PlanFileError, PlanFileErrorKind};
use objchange_rego::{CompileError, CompileErrors, Limit, Location, NEEDS_NETWORK};
use objchange_text::{TimeLimit, counted};

/// A place in a policy file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct PolicyLocation {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for PolicyLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl From<Location> for PolicyLocation {
    fn from(location: Location) -> Self {
        Self { file: location.file, line: location.line }
    }
}

/// Why policies cannot be read, or cannot be evaluated over a document.
#[derive(Debug, Clone)]
pub struct PolicyError {
    kind: PolicyErrorKind,
    place: Option<PolicyLocation>,
    message: String,
    /// The problems that the message joins, if they are several.
    problems: Vec<(Option<PolicyLocation>, String)>,
    document: Option<Box<DocumentError>>,
}

/// The kind of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyErrorKind {
    /// A policy is not Rego, or the policies contradict each other.
    Policy,
    /// A policy needs the network, and policies may not use it.
    Network,
    /// A policy reads a field that no plan has.
    MissingField,
    /// A policy reads data of the run, and none is given.
    NeedsRun,
    /// A policy reads the collections as if they were the document.
    NeedsWrapped,
    /// There is no rule to evaluate.
    NoRules,
    /// Evaluating a rule fails.
    Evaluation,
    /// Evaluating takes longer than is allowed.
    Time,
    /// The values that policies make take more memory than is allowed.
    Memory,
    /// A single value is larger than the limit.
    Size,
    /// The document is of a wrong kind.
    Document,
}

impl PolicyErrorKind {
    /// A name for programs, which does not change.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Policy => "bad_policy",
            Self::Network => "needs_network",
            Self::MissingField => "missing_field",
            Self::NeedsRun => "needs_run",
            Self::NeedsWrapped => "needs_wrapped",
            Self::NoRules => "no_rules",
            Self::Evaluation => "evaluation_failed",
            Self::Time => "time_limit",
            Self::Memory => "memory_limit",
            Self::Size => "size_limit",
            Self::Document => "bad_document",
        }
    }
}

/// So many errors are named behind the first in a message; all are among its problems.
const MOST_JOINED: usize = 9;

impl PolicyError {
    pub(super) fn new(
        kind: PolicyErrorKind,
        place: Option<PolicyLocation>,
        message: impl Into<String>,
    ) -> Self {
        Self { kind, place, message: message.into(), problems: Vec::new(), document: None }
    }

    pub(super) fn of_document(error: DocumentError) -> Self {
        let message = error.to_string();
        Self { document: Some(Box::new(error)), ..Self::new(PolicyErrorKind::Document, None, message) }
    }

    pub(super) fn of_plan_file(error: PlanFileError) -> Self {
        match error.kind {
            PlanFileErrorKind::Document(error) => Self::of_document(*error),
            kind => Self::new(PolicyErrorKind::Document, None, kind.to_string()),
        }
    }

    /// Joins all compile errors into one.
    pub(super) fn of_policies(errors: &CompileErrors, time: &TimeLimit) -> Self {
        let Some((first, rest)) = errors.0.split_first() else {
            return Self::new(PolicyErrorKind::Policy, None, "the policies cannot be compiled");
        };
        // Compiling ends at this error, and that there was too little time is no fault of the policies' text.
        if first.code == Limit::Time.name() {
            return Self::of_time(None, time, "compiling the policies");
        }
        let kind = match first.code {
            NEEDS_NETWORK => PolicyErrorKind::Network,
            _ => PolicyErrorKind::Policy,
        };
        let place_of = |error: &CompileError| error.location.clone().map(PolicyLocation::from);
        let problem = |error: &CompileError| Self::new(kind, place_of(error), &error.message);
        Self::joined(problem(first), rest.iter().map(problem))
    }

    /// Joins several errors into one of the kind of the first.
    pub(super) fn joined(first: Self, rest: impl Iterator<Item = Self>) -> Self {
        let mut errors = vec![first];
        for error in rest {
            if !errors.iter().any(|other| other.place == error.place && other.message == error.message) {
                errors.push(error);
            }
        }
        let mut message = errors[0].message.clone();
        for error in errors.iter().skip(1).take(MOST_JOINED) {
            message.push_str(&format!("; {error}"));
        }
        if let Some(more) = errors.len().checked_sub(1 + MOST_JOINED).filter(|more| *more > 0) {
            message.push_str(&format!("; and {}", counted(more, "more error")));
        }
        let (kind, place) = (errors[0].kind, errors[0].place.clone());
        let problems = errors.into_iter().map(|error| (error.place, error.message)).collect();
        Self { problems, ..Self::new(kind, place, message) }
    }

    /// The error for a limit, which ends the evaluation of all rules.
    pub(super) fn of_limit(
        limit: Limit,
        place: Option<PolicyLocation>,
        memory: u64,
        time: &TimeLimit,
    ) -> Self {
        match limit {
            Limit::Time => Self::of_time(place, time, "evaluating the policies"),
            Limit::Memory => {
                let message = format!("the policies make values of more than {} MiB", memory >> 20);
                Self::new(PolicyErrorKind::Memory, place, message)
            }
            // More memory does not help.
            Limit::Size => Self::new(PolicyErrorKind::Size, place, limit.to_string()),
            Limit::Depth => Self::new(PolicyErrorKind::Evaluation, place, limit.to_string()),
        }
    }

    fn of_time(place: Option<PolicyLocation>, time: &TimeLimit, what: &str) -> Self {
        Self::new(PolicyErrorKind::Time, place, format!("{what} {time}"))
    }

    /// The kind of the error.
    pub fn kind(&self) -> PolicyErrorKind {
        self.kind
    }

    /// The error in the document, if it is one.
    pub fn document(&self) -> Option<&DocumentError> {
        self.document.as_deref()
    }

    /// Where in which policy.
    pub fn place(&self) -> Option<&PolicyLocation> {
        self.place.as_ref()
    }

    /// Each problem with its place: a compiler reports several at once.
    pub fn problems(&self) -> impl Iterator<Item = (Option<&PolicyLocation>, &str)> {
        let own = self.problems.is_empty().then(|| (self.place(), self.message()));
        own.into_iter().chain(self.problems.iter().map(|(place, message)| (place.as_ref(), message.as_str())))
    }

    /// The problem, without its position.
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
