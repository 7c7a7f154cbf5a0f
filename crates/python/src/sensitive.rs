//! `Sensitive`: a value that is only returned by `reveal`.

use objchange::Value;
use objchange::value::Kind;
use objchange_text::redact::SENSITIVE;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::value::{from_python, to_python};

/// A value that is not to be shown.
///
/// It can be compared with another one, and `reveal` hands its content out; nothing else does: it is not printed, iterated,
/// hashed or pickled, nor written as JSON.
///
/// Raises `InvalidValueError` if it is made of something that is no value.
///
/// >>> token = plan.changes[0].after["token"]
/// >>> token, token == Sensitive("x"), token.reveal()
/// ((sensitive value), True, 'x')
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct Sensitive(Value);

impl Sensitive {
    /// Removes the marks inside: the whole value is sensitive.
    pub(crate) fn new(value: &Value) -> Self {
        Self(value.unmark_deep().0)
    }

    pub(crate) fn value(&self) -> &Value {
        &self.0
    }
}

#[pymethods]
impl Sensitive {
    #[new]
    #[pyo3(signature = (value, /))]
    fn py_new(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        // The path of the problem has keys of the value, which may be secret.
        let converted = from_python(value).map_err(|failure| PyErr::from(failure.with_path(None)))?;
        Ok(Self::new(&converted))
    }

    /// The value itself. From here on it is yours to keep secret.
    fn reveal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __repr__(&self) -> &'static str {
        SENSITIVE
    }

    fn __str__(&self) -> &'static str {
        SENSITIVE
    }

    fn __format__(&self, _spec: &Bound<'_, PyAny>) -> &'static str {
        SENSITIVE
    }

    /// Equal to another one with equal content; never equal to anything that is no `Sensitive`.
    // A class with `__eq__` and without `__hash__` is unhashable in Python. So a secret gets into no `dict` or `set`,
    // and its hash does not help to guess it.
    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        // After `NotImplemented` from both sides Python compares by identity, which is false.
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented().into_bound(py)) };
        let (a, b) = (&self.0, &other.get().0);
        match op {
            CompareOp::Eq => Ok(py.detach(|| is_same(a, b)).into_pyobject(py)?.to_owned().into_any()),
            CompareOp::Ne => Ok(py.detach(|| !is_same(a, b)).into_pyobject(py)?.to_owned().into_any()),
            _ => Ok(py.NotImplemented().into_bound(py)),
        }
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("whether a sensitive value is empty is not told: ask `value.reveal()`"))
    }

    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err("a sensitive value cannot be pickled: pickle what `value.reveal()` gives"))
    }

    /// It never changes, so that a copy is itself.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }
}

/// Whether both have equal content, types aside: a list equals a tuple of equal elements. Their nesting
/// depth is limited.
fn is_same(a: &Value, b: &Value) -> bool {
    fn elements<'v>(kind: &Kind<'v>) -> Option<&'v [Value]> {
        match kind {
            Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => Some(elements),
            _ => None,
        }
    }
    fn members<'v>(kind: &Kind<'v>) -> Option<Vec<(&'v str, &'v Value)>> {
        match kind {
            Kind::Map(map) => Some(map.iter().map(|(key, value)| (key.as_str(), value)).collect()),
            Kind::Object(object) => Some(object.iter().map(|(key, value)| (key.as_str(), value)).collect()),
            _ => None,
        }
    }
    // `from_python` makes tuples and objects, and documents have lists and maps, too. By `==` of the engine, which
    // compares types, a secret from a plan would never equal one that a test writes.
    let (a, b) = (a.kind(), b.kind());
    if let (Some(a), Some(b)) = (elements(&a), elements(&b)) {
        return a.len() == b.len() && std::iter::zip(a, b).all(|(a, b)| is_same(a, b));
    }
    if let (Some(a), Some(b)) = (members(&a), members(&b)) {
        return a.len() == b.len()
            && std::iter::zip(a, b).all(|((name, a), (other, b))| name == other && is_same(a, b));
    }
    match (a, b) {
        (Kind::Null, Kind::Null) | (Kind::Unknown(_), Kind::Unknown(_)) => true,
        (Kind::Bool(a), Kind::Bool(b)) => a == b,
        (Kind::Number(a), Kind::Number(b)) => a == b,
        (Kind::String(a), Kind::String(b)) => a == b,
        _ => false,
    }
}
