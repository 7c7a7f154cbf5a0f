//! What is wrong with a configuration, and where.

use std::borrow::Cow;
use std::fmt;

use crate::source::Span;

/// One error: what is wrong in a word, in a sentence, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A few words that are the same for every error of this sort; programs may match on them.
    pub summary: Cow<'static, str>,
    /// What is wrong and what to do about it. Never holds a value that is sensitive.
    pub detail: Cow<'static, str>,
    /// The part of the source that is wrong.
    pub subject: Span,
    /// Of an error in an expression, the innermost operation, call, access or template that is more than the subject.
    pub context: Option<Span>,
    /// The values that led to the error: what stands in the source, and what it is. What is sensitive or unknown is
    /// named so.
    pub values: Vec<(String, String)>,
    /// The function in whose call the error is.
    pub called: Option<Box<Called>>,
}

/// A function that was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The name by which it was called.
    pub name: String,
    /// The names and types of its parameters, each type as JSON.
    pub parameters: Vec<(String, String)>,
    /// The parameter for all further arguments.
    pub variadic: Option<(String, String)>,
    /// The type of what it answers, as JSON; `"dynamic"` where it depends on the arguments.
    pub result: String,
}

impl Diagnostic {
    /// An error at this place.
    pub fn new(
        summary: impl Into<Cow<'static, str>>,
        subject: Span,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { summary: summary.into(), detail: detail.into(), subject, context: None, values: Vec::new(), called: None }
    }

    /// The same in a text that begins so many bytes further on.
    pub fn moved(self, by: u32) -> Self {
        let context = self.context.map(|context| context.moved(by));
        Self { subject: self.subject.moved(by), context, ..self }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.summary, self.detail)
    }
}

impl std::error::Error for Diagnostic {}

/// As messages have it: `concat(seqs...)`.
impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.parameters.iter().map(|(name, _)| name.clone());
        let rest = self.variadic.iter().map(|(name, _)| format!("{name}..."));
        let names: Vec<String> = names.chain(rest).collect();
        write!(f, "{}({})", self.name, names.join(", "))
    }
}
