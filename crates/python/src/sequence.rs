//! Sequences whose elements are made on demand, and found by position or by name.

use std::collections::HashMap;

use objchange_text::{bounded, did_you_mean, visible};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString, PyType};

use crate::error::Failure;

/// The positions of elements by their names. To look at each element for each name would be quadratic.
pub(crate) type Positions = HashMap<String, usize>;

/// The positions of these names; of a repeated one the first.
pub(crate) fn positions(names: impl Iterator<Item = String>) -> Positions {
    let mut positions = Positions::new();
    for (position, name) in names.enumerate() {
        positions.entry(name).or_insert(position);
    }
    positions
}

/// The elements of a sequence, as `items` needs them.
pub(crate) struct Elements<'e, T> {
    pub(crate) count: usize,
    pub(crate) item: &'e dyn Fn(usize) -> T,
    pub(crate) position: &'e dyn Fn(&str) -> Option<usize>,
    pub(crate) names: &'e dyn Fn() -> Vec<String>,
}

/// The element that a position or a name of Python means, or those of a slice.
pub(crate) fn items<'py, T>(
    index: &Bound<'py, PyAny>,
    Elements { count, item, position, names }: Elements<'_, T>,
) -> PyResult<Bound<'py, PyAny>>
where
    T: pyo3::PyClass + Into<PyClassInitializer<T>>,
{
    let py = index.py();
    if index.is_instance_of::<PyString>() {
        let name = text(index).unwrap_or_default();
        let element = position(&name).map(item).ok_or_else(|| {
            let names = names();
            let meant = did_you_mean(&name, names.iter().map(String::as_str));
            let message = format!("there is no {}{}", visible(&bounded(&name)), visible(&meant));
            Failure::new("NotFoundError", "not_found", message)
        });
        return Ok(Bound::new(py, element?)?.into_any());
    }
    if let Ok(slice) = index.cast::<PySlice>() {
        let range = slice.indices(count as isize)?;
        let positions = (0..range.slicelength as isize).map(|step| range.start + step * range.step);
        let items: Vec<Bound<'py, T>> =
            positions.map(|position| Bound::new(py, item(position as usize))).collect::<PyResult<_>>()?;
        return Ok(PyList::new(py, items)?.into_any());
    }
    // As a `list` does (PEP 357): NumPy's integers are positions, and floats are not.
    if !index.hasattr(intern!(py, "__index__"))? {
        let message = format!("indices are integers, slices and names, not {}", index.get_type().name()?);
        return Err(PyTypeError::new_err(message));
    }
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

/// A `str` as text; `None` for other objects, and for half of a surrogate pair, which is in no name.
pub(crate) fn text(object: &Bound<'_, PyAny>) -> Option<String> {
    object.cast::<PyString>().ok()?.to_cow().ok().map(std::borrow::Cow::into_owned)
}

/// Python's base class of sequences, which derives everything from length and elements.
pub(crate) fn abstract_sequence(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    Ok(py.import("collections.abc")?.getattr("Sequence")?.cast_into()?)
}

/// Makes a sequence of a class that has the functions `length`, `item`, `position` and `names`. Behind the class may stand
/// more methods.
macro_rules! sequence {
    ($class:ident $($more:tt)*) => {
        #[pymethods]
        impl $class {
            fn __len__(&self) -> usize {
                self.length()
            }

            fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                let elements = $crate::sequence::Elements {
                    count: self.length(),
                    item: &|index| self.item(index),
                    position: &|name| self.position(name),
                    names: &|| self.names(),
                };
                $crate::sequence::items(index, elements)
            }

            fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $crate::sequence::abstract_sequence(slf.py())?.call_method1("__iter__", (slf,))
            }

            // `Sequence.register` adds no methods. These call Python's own ones, whose rules about bounds and equality
            // are known.
            fn __contains__(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
                if let Some(name) = $crate::sequence::text(value) {
                    return Ok(slf.get().position(&name).is_some());
                }
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

            $($more)*
        }
    };
}

pub(crate) use sequence;
