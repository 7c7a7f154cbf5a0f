//! Sequences whose elements are made on demand.

use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyType};

/// The positions that an index or a slice of Python means.
pub(crate) fn items<'py, T>(
    index: &Bound<'py, PyAny>,
    count: usize,
    item: impl Fn(usize) -> T,
) -> PyResult<Bound<'py, PyAny>>
where
    T: pyo3::PyClass + Into<PyClassInitializer<T>>,
{
    let py = index.py();
    if let Ok(slice) = index.cast::<PySlice>() {
        let range = slice.indices(count as isize)?;
        let positions = (0..range.slicelength as isize).map(|step| range.start + step * range.step);
        let items: Vec<Bound<'py, T>> =
            positions.map(|position| Bound::new(py, item(position as usize))).collect::<PyResult<_>>()?;
        return Ok(PyList::new(py, items)?.into_any());
    }
    // As a `list` does (PEP 357): NumPy's integers are positions, and floats are not.
    let index = index.call_method0(intern!(py, "__index__"))?;
    // An index beyond 64 bits is too large for any list.
    let position = index.extract::<i64>().ok().and_then(|index| match index < 0 {
        true => count.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
        false => usize::try_from(index).ok(),
    });
    match position {
        Some(position) if position < count => Ok(Bound::new(py, item(position))?.into_any()),
        _ => Err(PyIndexError::new_err("the index is out of range")),
    }
}

/// Python's base class of sequences, which derives everything from length and elements.
pub(crate) fn abstract_sequence(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    Ok(py.import("collections.abc")?.getattr("Sequence")?.cast_into()?)
}

/// Makes a sequence of a class that has the functions `length` and `item`.
macro_rules! sequence {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            fn __len__(&self) -> usize {
                self.length()
            }

            fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                $crate::sequence::items(index, self.length(), |index| self.item(index))
            }

            fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $crate::sequence::abstract_sequence(slf.py())?.call_method1("__iter__", (slf,))
            }

            // `Sequence.register` adds no methods. These call Python's own ones, whose rules about bounds and equality
            // are known.
            fn __contains__(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
                $crate::sequence::abstract_sequence(slf.py())?
                    .call_method1("__contains__", (slf, value))?
                    .extract()
            }

            fn __reversed__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $crate::sequence::abstract_sequence(slf.py())?.call_method1("__reversed__", (slf,))
            }

            /// The position of an element. Raises `ValueError` if there is none.
            #[pyo3(signature = (value, start=0, stop=isize::MAX, /))]
            #[pyo3(text_signature = "($self, value, start=0, stop=9223372036854775807, /)")]
            fn index<'py>(
                slf: &Bound<'py, Self>,
                value: &Bound<'py, PyAny>,
                start: isize,
                stop: isize,
            ) -> PyResult<Bound<'py, PyAny>> {
                $crate::sequence::abstract_sequence(slf.py())?
                    .call_method1("index", (slf, value, start, stop))
            }

            /// How often an element is there.
            #[pyo3(signature = (value, /))]
            fn count<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                $crate::sequence::abstract_sequence(slf.py())?.call_method1("count", (slf, value))
            }
        }
    };
}

pub(crate) use sequence;
