//! `UNKNOWN`: a value known only after apply.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The type of ``UNKNOWN``: a value known only after apply. It is neither null nor absent.
///
/// There is only one object of this type: test ``value is UNKNOWN``. Testing its truth raises `TypeError`.
///
/// >>> plan.changes[0].after["id"] is UNKNOWN
/// True
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct Unknown(());

#[pymethods]
impl Unknown {
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "an unknown value has no truth value until apply: test `value is objchange.UNKNOWN` first",
        ))
    }

    fn __repr__(&self) -> &'static str {
        "UNKNOWN"
    }

    /// It is the same object after a copy, and in another process.
    // A text is the name of a global in the module of the class (pickle, `object.__reduce__`).
    fn __reduce__(&self) -> &'static str {
        "UNKNOWN"
    }
}

/// The only one.
pub(crate) fn singleton(py: Python<'_>) -> PyResult<Bound<'_, Unknown>> {
    static SINGLETON: PyOnceLock<Py<Unknown>> = PyOnceLock::new();
    Ok(SINGLETON.get_or_try_init(py, || Py::new(py, Unknown(())))?.bind(py).clone())
}
