//! `Set`: the elements of a set in Terraform's order.

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet, PyTuple};

/// A set as Terraform has it: each element once, in Terraform's order, which never changes.
///
/// The elements may be dicts, which a ``frozenset`` cannot have. One of elements that can be hashed is equal to the ``set``
/// or ``frozenset`` of these.
#[pyclass(frozen, sequence, module = "objchange")]
#[derive(Debug)]
pub struct Set(Py<PyTuple>);

impl Set {
    pub(crate) fn new(elements: Bound<'_, PyTuple>) -> Self {
        Self(elements.unbind())
    }

    pub(crate) fn elements<'py>(&self, py: Python<'py>) -> &Bound<'py, PyTuple> {
        self.0.bind(py)
    }
}

#[pymethods]
impl Set {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.elements(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.elements(py).try_iter()?.into_any())
    }

    fn __contains__(&self, element: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.elements(element.py()).contains(element)
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.elements(index.py()).as_any().get_item(index)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let elements: Vec<String> = self
            .elements(py)
            .iter()
            .map(|element| Ok(element.repr()?.to_string()))
            .collect::<PyResult<_>>()?;
        Ok(format!("Set([{}])", elements.join(", ")))
    }

    /// Another one is equal if its elements are; a `set` or `frozenset` if it has the same ones.
    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let not_implemented = || Ok(py.NotImplemented().into_bound(py));
        if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return not_implemented();
        }
        let mine = self.elements(py);
        let is_equal = if let Ok(other) = other.cast::<Self>() {
            mine.as_any().eq(other.get().elements(py))?
        } else if other.is_instance_of::<PySet>() || other.is_instance_of::<PyFrozenSet>() {
            // `in` raises `TypeError` for an element without a hash, which no `set` of Python can have.
            mine.len() == other.len()? && mine.iter().all(|element| other.contains(element).unwrap_or(false))
        } else {
            return not_implemented();
        };
        Ok((is_equal == matches!(op, CompareOp::Eq)).into_pyobject(py)?.to_owned().into_any())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        // The hash of a frozenset, because equal objects must have equal hashes.
        PyFrozenSet::new(py, self.elements(py).iter())?.hash()
    }

    /// Pickles as a frozenset or a list would, by its elements.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyTuple>,))> {
        // Python cannot construct a `Set`, so pickle gets a static method to call.
        let make = py.import("objchange._objchange")?.getattr("Set")?.getattr("_from_elements")?;
        Ok((make, (self.elements(py).clone(),)))
    }

    /// A set of these elements, which are sorted and distinct.
    #[staticmethod]
    fn _from_elements(elements: Bound<'_, PyTuple>) -> Self {
        Self::new(elements)
    }
}
