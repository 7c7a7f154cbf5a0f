//! Case files: what the engine is asked and what it must answer, one JSON object a line.
//!
//! The format is public (`schema/case.schema.json`): provider developers write their own conformance cases in it.
//!
//! ```
//! use objchange::case::{Case, Outcome};
//!
//! let line = r#"{"id":"grow","op":"action_for_change","type":"number","before":1,"after":2,
//!     "want":{"action":"update"}}"#;
//! assert_eq!(Case::parse(line)?.run(), Outcome::Passed);
//! # Ok::<(), objchange::case::CaseError>(())
//! ```

mod answer;
mod change;
mod compare;
mod difference;
mod format;
mod ops;

pub use answer::{Answer, AnsweredError};
pub use difference::Difference;
pub use format::{Case, CaseError};

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The engine gave the answer that the case wants.
    Passed,
    /// The engine gave another answer.
    Failed(Difference),
    /// The case cannot be run: what it says is not in the format.
    Unusable(CaseError),
    /// The engine does not know the operation.
    UnknownOperation,
}

impl Case<'_> {
    /// Asks the engine; `None` if it does not know the operation.
    ///
    /// # Errors
    ///
    /// What the case says is not in the format.
    pub fn answer(&self) -> Result<Option<Answer>, CaseError> {
        ops::answer(self)
    }

    /// Asks the engine and compares its answer with the wanted one.
    pub fn run(&self) -> Outcome {
        match ops::answer(self) {
            Ok(Some(answer)) => compare::compare(self, &answer),
            Ok(None) => Outcome::UnknownOperation,
            Err(error) => Outcome::Unusable(error),
        }
    }
}
