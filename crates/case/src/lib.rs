//! Case files: questions to the engine and the expected answers, one JSON object a line.
//!
//! The format is public (`schema/case.schema.json`): provider developers write their own conformance cases in it.
//!
//! ```
//! use objchange_case::{Case, Outcome};
//!
//! let line = r#"{"id":"grow","op":"action_for_change","type":"number","before":1,"after":2,
//!     "want":{"action":"update"}}"#;
//! assert_eq!(Case::parse(line)?.run(), Outcome::Passed);
//! # Ok::<(), objchange_case::CaseError>(())
//! ```

mod answer;
mod change;
mod compare;
mod difference;
mod format;
mod ops;
mod spelling;
mod verdict;

pub use answer::{Answer, AnsweredError, ErrorPlace};
pub use difference::Difference;
pub use format::{Case, CaseError, CaseErrorKind};
pub use ops::OPERATIONS;
pub use verdict::{CaseFailure, CaseVerdict, FailureEntry, MalformedCase, blessing};

/// The result of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The engine gave the answer that the case wants.
    Passed,
    /// The engine gave another answer.
    Failed(Difference),
    /// The case cannot be run, because it is not in the format.
    Unusable(CaseError),
    /// The engine does not know the operation.
    UnknownOperation,
}

/// Something that a case can ask for.
///
/// The engine's operations are [`OPERATIONS`]. Programs with further operations run cases with a table of
/// their own beside it.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// Its name: the `op` of a case.
    pub name: &'static str,
    /// The fields that it reads, besides `op` and `want`.
    pub fields: &'static [&'static str],
    /// The kinds of errors that it reports.
    pub kinds: fn() -> Vec<&'static str>,
    /// Answers a case.
    pub answer: fn(&Case<'_>) -> Result<Answer, CaseError>,
}

impl Case<'_> {
    /// Asks the engine; `None` if it does not know the operation.
    ///
    /// # Errors
    ///
    /// The case is not in the format.
    pub fn answer(&self) -> Result<Option<Answer>, CaseError> {
        self.answer_by(OPERATIONS)
    }

    /// Like [`Case::answer`], with these operations.
    ///
    /// # Errors
    ///
    /// The case is not in the format.
    pub fn answer_by(&self, operations: &[Operation]) -> Result<Option<Answer>, CaseError> {
        let operation = operations.iter().find(|operation| operation.name == self.op());
        operation.map(|operation| (operation.answer)(self)).transpose()
    }

    /// Asks the engine and compares its answer with the wanted one.
    pub fn run(&self) -> Outcome {
        self.run_by(OPERATIONS)
    }

    /// Like [`Case::run`], with these operations.
    ///
    /// ```
    /// use objchange_case::{Answer, Case, OPERATIONS, Operation, Outcome};
    ///
    /// let greet = Operation::new("greet", &["whom"], |case| {
    ///     Ok(Answer::Texts(vec![("text", Ok(format!("Hello, {}!", case.parsed::<String>("whom")?)))]))
    /// });
    /// let operations = [OPERATIONS, &[greet]].concat();
    /// let case = Case::parse(r#"{"op":"greet","whom":"world","want":{"text":"Hello, world!"}}"#)?;
    /// assert_eq!(case.run_by(&operations), Outcome::Passed);
    /// assert_eq!(case.run(), Outcome::UnknownOperation);
    /// # Ok::<(), objchange_case::CaseError>(())
    /// ```
    pub fn run_by(&self, operations: &[Operation]) -> Outcome {
        match self.answer_by(operations) {
            Ok(Some(answer)) => compare::compare(self, &answer),
            Ok(None) => Outcome::UnknownOperation,
            Err(error) => Outcome::Unusable(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_line_by_line() {
        const TELL: Operation = Operation::new("tell", &["text"], |case| {
            let text = case.parsed::<String>("text").map_err(|error| error.message);
            Ok(Answer::Texts(vec![("text", text.clone()), ("color", text.map(|text| format!("*{text}*")))]))
        });
        let run = |text: &str, want: &str| {
            let case = format!(r#"{{"op":"tell","text":{text},"want":{want}}}"#);
            match Case::parse(&case).unwrap().run_by(&[TELL]) {
                Outcome::Failed(Difference { got, want, note, .. }) => {
                    format!("{got} | {want} | {}", note.unwrap_or_default())
                }
                Outcome::Unusable(error) => error.to_string(),
                outcome => format!("{outcome:?}"),
            }
        };
        assert_eq!(run(r#""a\nb""#, r#"{"text":"a\nb","color":"*a\nb*"}"#), "Passed");
        assert_eq!(run(r#""a\nb""#, r#"{"color":"*a\nb*"}"#), "Passed");
        assert_eq!(run(r#""a\nb""#, r#"{"text":"a\nc"}"#), r#""b" | "c" | `text`, line 2"#);
        assert_eq!(
            run(r#""a""#, r#"{"text":"a","color":"*a*\n"}"#),
            r#"(end of the text) | "" | `color`, line 2"#
        );
        assert_eq!(run(r#""a""#, r#"{"panic":true}"#), "Passed");
        // The operation must return some text even if the reference crashes.
        assert!(run("5", r#"{"panic":true}"#).starts_with("refused: "));
        assert!(run("5", r#"{"text":"a"}"#).starts_with("refused: "));
        assert!(run(r#""a""#, "{}").starts_with("`want`: it needs one of "));
        assert_eq!(
            run(r#""a""#, r#"{"action":"create"}"#),
            r#"a text: text, color | {"action":"create"} | "#
        );
    }
}
