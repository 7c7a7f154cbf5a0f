//! Errors and warnings about a text, with their positions.

use std::borrow::Cow;
use std::fmt;

use crate::{LineIndex, Severity, Span};

/// An error or a warning, with its place.
///
/// ```
/// use objchange_text::{Diagnostic, Severity, Span};
///
/// let error = Diagnostic::new("Unknown variable", Span::new(4, 9), "There is no variable named \"prots\" here.");
/// assert_eq!((error.severity, &*error.kind), (Severity::Error, "unknown_variable"));
/// assert_eq!(error.to_string(), "Unknown variable: There is no variable named \"prots\" here.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name of this sort of diagnostic, on which programs match.
    pub kind: Cow<'static, str>,
    /// A summary of the problem.
    pub summary: Cow<'static, str>,
    /// The problem and how to fix it, or nothing. Never holds a value that is sensitive.
    pub detail: Cow<'static, str>,
    /// The part of the source that is wrong. None where something is missing that belongs to no part of it.
    pub subject: Option<Span>,
    /// For an error in an expression, the innermost operation, call, access or template around the subject.
    pub context: Option<Span>,
    /// The values that led to the error: an expression of the source, and its value. Sensitive and unknown values are
    /// described, not shown.
    pub values: Vec<(String, String)>,
    /// The function that failed, if it is about one.
    pub called: Option<Box<FunctionSignature>>,
    /// Hints.
    pub hints: Vec<String>,
}

/// A function that was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSignature {
    /// The name by which it was called.
    pub name: String,
    /// The names and types of its parameters, each type as JSON.
    pub parameters: Vec<(String, String)>,
    /// The parameter for all further arguments.
    pub variadic: Option<(String, String)>,
    /// The type of its result, as JSON; `"dynamic"` if it depends on the arguments.
    pub result: String,
}

/// As messages have it: `concat(seqs...)`.
impl fmt::Display for FunctionSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.parameters.iter().map(|(name, _)| name.clone());
        let rest = self.variadic.iter().map(|(name, _)| format!("{name}..."));
        let names: Vec<String> = names.chain(rest).collect();
        write!(f, "{}({})", self.name, names.join(", "))
    }
}

impl Diagnostic {
    /// An error at a place, or at none.
    pub fn new(
        summary: impl Into<Summary>,
        subject: impl Into<Option<Span>>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        let Summary { kind, text } = summary.into();
        Self {
            severity: Severity::Error,
            kind,
            summary: text,
            detail: detail.into(),
            subject: subject.into(),
            context: None,
            values: Vec::new(),
            called: None,
            hints: Vec::new(),
        }
    }

    /// A warning at a place, or at none.
    pub fn warning(
        summary: impl Into<Summary>,
        subject: impl Into<Option<Span>>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::new(summary, subject, detail) }
    }

    /// The diagnostic with the place where it begins, as `2:5: …`, with a column in characters of Unicode.
    ///
    /// ```
    /// use objchange_text::{Diagnostic, LineIndex, Span};
    ///
    /// let error = Diagnostic::new(("unexpected", "expected an expression, found )"), Span::at(4), "");
    /// assert_eq!(error.with_position(&LineIndex::new("a = )")), "1:5: expected an expression, found )");
    /// ```
    pub fn with_position(&self, lines: &LineIndex<'_>) -> String {
        match self.subject {
            Some(subject) => format!("{}: {self}", lines.char_position(subject.start)),
            None => self.to_string(),
        }
    }

    /// Its kind, as of every error.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Moves the diagnostic to a text that begins `by` bytes earlier.
    #[must_use]
    pub fn moved(self, by: u32) -> Self {
        let moved = |span: Option<Span>| span.map(|span| span.moved(by));
        Self { subject: moved(self.subject), context: moved(self.context), ..self }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.detail {
            "" => f.write_str(&self.summary),
            detail => write!(f, "{}: {detail}", self.summary),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// Errors and warnings about a text as one error, so that `?` takes a list of them.
///
/// ```
/// use objchange_text::{Diagnostic, DiagnosticsError, Span};
///
/// fn read(text: &str) -> Result<(), Vec<Diagnostic>> {
///     Err(vec![Diagnostic::new("Missing name", Span::at(0), text.to_owned()), Diagnostic::new("Missing type", Span::at(0), "")])
/// }
///
/// fn run() -> Result<(), DiagnosticsError> {
///     read("It is empty.")?;
///     Ok(())
/// }
///
/// let error = run().unwrap_err();
/// assert_eq!((error.kind(), error.to_string()), ("missing_name", "Missing name: It is empty.\nMissing type".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticsError(pub Vec<Diagnostic>);

impl DiagnosticsError {
    /// The kind of the first of them; `no_diagnostic` if there is none.
    pub fn kind(&self) -> &str {
        self.0.first().map_or("no_diagnostic", Diagnostic::kind)
    }
}

impl From<Vec<Diagnostic>> for DiagnosticsError {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self(diagnostics)
    }
}

/// A line for each.
impl fmt::Display for DiagnosticsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            write!(f, "{}{diagnostic}", if index > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for DiagnosticsError {}

/// The summary of a diagnostic, and its kind.
///
/// A fixed summary gives its kind: that of "Unknown variable" is `unknown_variable`. A summary that holds names, or whose
/// words have changed, comes with its kind:
///
/// ```
/// use objchange_text::{Diagnostic, Span};
///
/// let name = "disk";
/// let error = Diagnostic::new(("missing_block", format!("Missing {name} block")), Span::at(0), "");
/// assert_eq!((error.kind(), error.to_string()), ("missing_block", "Missing disk block".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    kind: Cow<'static, str>,
    text: Cow<'static, str>,
}

impl From<&'static str> for Summary {
    fn from(text: &'static str) -> Self {
        Self { kind: kind_of(text).into(), text: text.into() }
    }
}

impl<T: Into<Cow<'static, str>>> From<(&'static str, T)> for Summary {
    fn from((kind, text): (&'static str, T)) -> Self {
        Self { kind: kind.into(), text: text.into() }
    }
}

/// The words in lower case, joined by `_`.
fn kind_of(summary: &str) -> String {
    let words = summary.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(|word| word.replace('\'', "").to_lowercase()).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Severity, kind_of};
    use crate::Span;

    #[test]
    fn a_fixed_summary_gives_the_kind() {
        for (summary, kind) in [
            ("Unknown variable", "unknown_variable"),
            ("Can't override validation blocks", "cant_override_validation_blocks"),
            ("Invalid JSON number", "invalid_json_number"),
            ("Value is null, or not known", "value_is_null_or_not_known"),
        ] {
            assert_eq!(kind_of(summary), kind);
        }
    }

    #[test]
    fn what_has_no_place_is_not_moved() {
        let warning = Diagnostic::warning("Missing provider", None, "").moved(5);
        assert_eq!((warning.severity, warning.subject), (Severity::Warning, None));
        assert_eq!(warning.to_string(), "Missing provider");
        assert_eq!(Diagnostic::new("Cycle", Span::new(1, 2), "").moved(5).subject, Some(Span::new(6, 7)));
    }
}
