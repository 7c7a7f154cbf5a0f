//! Conformance cases: questions to the engine and the expected answers, as data.

use objchange_case::{Case, Outcome};
use objchange_project::OPERATIONS;
use pyo3::prelude::*;

/// The outcome of a case.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct CaseResult {
    outcome: &'static str,
    id: Option<String>,
    message: Option<String>,
}

#[pymethods]
impl CaseResult {
    /// ``"passed"``, ``"failed"``, ``"unusable"`` or ``"unknown_operation"``.
    #[getter]
    fn outcome(&self) -> &'static str {
        self.outcome
    }

    /// The answer is the wanted one.
    #[getter]
    fn passed(&self) -> bool {
        self.outcome == "passed"
    }

    /// The name of the case; ``None`` if it has none.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The difference, or why the case cannot be run; ``None`` if it passed.
    #[getter]
    fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("<CaseResult: {}>", self.outcome)
    }
}

/// Runs one conformance case, as ``objchange check`` does: one line of a case file.
///
/// >>> objchange.run_case('''{"op": "action_for_change", "type": "number", "before": 1, "after": 2,
/// ...     "want": {"action": "update"}}''').passed
/// True
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn run_case(py: Python<'_>, text: &str) -> CaseResult {
    py.detach(|| {
        let case = match Case::parse(text) {
            Ok(case) => case,
            Err(error) => {
                return CaseResult { outcome: "unusable", id: None, message: Some(error.to_string()) };
            }
        };
        let (outcome, message) = match case.run_by(&OPERATIONS) {
            Outcome::Passed => ("passed", None),
            Outcome::Failed(difference) => {
                let path = difference.path.to_string();
                ("failed", Some(format!("{path}: got {}, want {}", difference.got, difference.want)))
            }
            Outcome::Unusable(error) => ("unusable", Some(error.to_string())),
            Outcome::UnknownOperation => {
                ("unknown_operation", Some(format!("there is no operation {:?}", case.op())))
            }
            // `Outcome` is non-exhaustive. A kind that is not known here must not pass.
            _ => ("failed", None),
        };
        CaseResult { outcome, id: case.id().map(str::to_owned), message }
    })
}
