//! The results of the lines of case files.

use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};

use objchange_text::json::Reader;
use serde::Serialize;

use super::{Case, CaseError, Difference, Operation, Outcome, spelling};
use objchange::value::Path;

/// The result of a line that should be a case.
#[derive(Debug, Default)]
pub struct CaseVerdict {
    /// The id of the case.
    pub id: Option<String>,
    /// The operation.
    pub op: Option<String>,
    /// Why it failed.
    pub failure: Option<CaseFailure>,
    /// The case is not among the requested ones, and was not run.
    pub left_out: bool,
}

/// Why a case failed.
#[derive(Debug)]
pub enum CaseFailure {
    /// The engine gives another answer.
    Different(Box<Difference>),
    /// The line is not a case.
    Malformed(MalformedCase),
    /// There is no such operation.
    UnknownOperation,
    /// A defect in the program; details are on standard error.
    Panicked,
}

/// A problem with a line that is not a case.
#[derive(Debug, Clone)]
pub struct MalformedCase {
    /// The column in bytes, from 1.
    pub column: usize,
    /// The problem.
    pub message: String,
    /// Whether the line is a JSON object at least.
    pub is_object: bool,
}

impl From<MalformedCase> for CaseVerdict {
    fn from(malformed: MalformedCase) -> Self {
        Self { failure: Some(CaseFailure::Malformed(malformed)), ..Self::default() }
    }
}

impl CaseVerdict {
    /// Runs the case on a line by these operations, if its id is wanted. Names in it that are misspelt are errors.
    pub fn of_line(text: &str, operations: &[Operation], wants: impl Fn(Option<&str>) -> bool) -> Self {
        let case = match Case::parse(text) {
            Ok(case) => case,
            Err(error) => {
                let mut reader = Reader::strict(text);
                let is_object =
                    reader.peek() == Some(b'{') && reader.skip().and_then(|()| reader.end()).is_ok();
                return malformed(&error, is_object).into();
            }
        };
        let left_out = !wants(case.id());
        // The other cases are run even where one of them finds a defect.
        let outcome = (!left_out).then(|| panic::catch_unwind(AssertUnwindSafe(|| run(&case, operations))));
        let failure = match outcome {
            None | Some(Ok(Outcome::Passed)) => None,
            Some(Ok(Outcome::Failed(difference))) => Some(CaseFailure::Different(Box::new(difference))),
            Some(Ok(Outcome::Unusable(error))) => Some(CaseFailure::Malformed(malformed(&error, true))),
            Some(Ok(Outcome::UnknownOperation)) => Some(CaseFailure::UnknownOperation),
            Some(Err(_)) => Some(CaseFailure::Panicked),
        };
        Self { id: case.id().map(str::to_owned), op: Some(case.op().to_owned()), failure, left_out }
    }

    /// A hint at a similar operation, as the end of a sentence.
    pub fn operation_hint(&self, operations: &[Operation]) -> String {
        let op = self.op.as_deref().unwrap_or_default();
        spelling::hint(op, operations.iter().map(|operation| operation.name))
    }
}

fn run(case: &Case<'_>, operations: &[Operation]) -> Outcome {
    match spelling::check(case, operations) {
        Ok(()) => case.run_by(operations),
        Err(error) => Outcome::Unusable(error),
    }
}

fn malformed(error: &CaseError, is_object: bool) -> MalformedCase {
    MalformedCase { column: error.column, message: error.to_string(), is_object }
}

/// The place of a line's `want`, and the text that would make the case pass; `None` if the line is not a
/// case, or would not pass with that text.
pub fn blessing(line: &str, operations: &[Operation]) -> Option<(Range<usize>, String)> {
    let (start, text) = match line.strip_prefix('\u{feff}') {
        Some(text) => (line.len() - text.len(), text),
        None => (0, line),
    };
    let case = Case::parse(text).ok()?;
    let old = case.field("want").ok()?;
    // A panic gives no answer.
    let answer = || case.answer_by(operations).ok()??.want();
    let want = panic::catch_unwind(AssertUnwindSafe(answer)).ok()??;
    let from = start + (old.as_ptr() as usize - text.as_ptr() as usize);
    let range = from..from + old.len();
    let blessed = format!("{}{want}{}", &line[start..range.start], &line[range.end..]);
    let passes = matches!(run(&Case::parse(&blessed).ok()?, operations), Outcome::Passed);
    passes.then_some((range, want))
}

/// A failure in reports (`schema/check-report.schema.json`).
#[derive(Debug, Serialize)]
pub struct FailureEntry<'a> {
    file: &'a str,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<&'a str>,
    #[serde(flatten)]
    reason: Reason<'a>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Reason<'a> {
    Different {
        path: &'a Path,
        got: &'a str,
        want: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<&'a str>,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        explained: &'a [String],
    },
    Malformed {
        column: usize,
        message: &'a str,
    },
    UnknownOperation,
    Crashed,
}

impl<'a> FailureEntry<'a> {
    /// Why the case on a line of a file failed.
    pub fn new(file: &'a str, line: u64, verdict: &'a CaseVerdict, failure: &'a CaseFailure) -> Self {
        let reason = match failure {
            CaseFailure::Different(difference) => Reason::Different {
                path: &difference.path,
                got: &difference.got,
                want: &difference.want,
                note: difference.note.as_deref(),
                explained: &difference.explained,
            },
            CaseFailure::Malformed(malformed) => {
                Reason::Malformed { column: malformed.column, message: &malformed.message }
            }
            CaseFailure::UnknownOperation => Reason::UnknownOperation,
            CaseFailure::Panicked => Reason::Crashed,
        };
        Self { file, line, id: verdict.id.as_deref(), op: verdict.op.as_deref(), reason }
    }
}
