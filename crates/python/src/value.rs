//! The one conversion between values of the engine and Python's objects.
//!
//! | the engine's | Python's |
//! |---|---|
//! | null, bool, string | `None`, `bool`, `str` |
//! | number | `int` if it is whole, or else `decimal.Decimal` |
//! | list, tuple | `list` |
//! | set | [`Set`], in order |
//! | map, object | `dict`, by key in byte order |
//! | unknown | `UNKNOWN` |
//! | marked | [`Sensitive`] |
//!
//! Values nest at most [`MAX_DEPTH`] levels deep, so that recursion is safe.

use objchange::value::{Kind, Number};
use objchange::{Type, Value};
use objchange_document::json::MAX_DEPTH;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error::Failure;
use crate::sensitive::Sensitive;
use crate::set::Set;
use crate::unknown::{Unknown, singleton};

/// A value as Python's objects.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    if value.is_marked() {
        return Ok(Bound::new(py, Sensitive::new(value))?.into_any());
    }
    let parts = |parts: &[Value]| parts.iter().map(|part| to_python(py, part)).collect::<PyResult<Vec<_>>>();
    match value.kind() {
        Kind::Null => Ok(py.None().into_bound(py)),
        Kind::Unknown(_) => Ok(singleton(py)?.into_any()),
        Kind::Bool(value) => Ok(PyBool::new(py, value).to_owned().into_any()),
        Kind::Number(number) => number_to_python(py, number),
        Kind::String(text) => Ok(PyString::new(py, text).into_any()),
        Kind::List(elements) | Kind::Tuple(elements) => Ok(PyList::new(py, parts(elements)?)?.into_any()),
        Kind::Set(elements) => Ok(Bound::new(py, Set::new(PyTuple::new(py, parts(elements)?)?))?.into_any()),
        Kind::Map(map) => dict(py, map.iter()),
        Kind::Object(object) => dict(py, object.iter()),
    }
}

fn dict<'py, 'v, K: AsRef<str> + 'v>(
    py: Python<'py>,
    members: impl Iterator<Item = (&'v K, &'v Value)>,
) -> PyResult<Bound<'py, PyAny>> {
    let dict = PyDict::new(py);
    for (name, member) in members {
        dict.set_item(name.as_ref(), to_python(py, member)?)?;
    }
    Ok(dict.into_any())
}

fn decimal(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static DECIMAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class =
        DECIMAL.get_or_try_init(py, || Ok::<_, PyErr>(py.import("decimal")?.getattr("Decimal")?.unbind()))?;
    Ok(class.bind(py))
}

fn number_to_python<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    // Most numbers are small and whole, and need neither a text nor a `Decimal`.
    if let Some(int) = number.as_i64() {
        return Ok(int.into_pyobject(py)?.into_any());
    }
    let text = match (number.is_finite(), number.to_f64() > 0.0) {
        (true, _) => number.to_string(),
        (false, true) => "Infinity".to_owned(),
        (false, false) => "-Infinity".to_owned(),
    };
    let decimal = decimal(py)?.call1((text,))?;
    // Since Python 3.11 `int` refuses texts of more than 4,300 digits, and `Decimal` does not.
    if number.is_integer() { decimal.call_method0(intern!(py, "__int__")) } else { Ok(decimal) }
}

/// Why something is no value, and where in it.
struct Misfit {
    kind: &'static str,
    message: String,
    /// The steps to the place, the last one first.
    path: Vec<PathEntry>,
}

enum PathEntry {
    Key(String),
    Position(usize),
}

impl Misfit {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), path: Vec::new() }
    }

    fn below(mut self, step: PathEntry) -> Self {
        self.path.push(step);
        self
    }
}

impl From<PyErr> for Misfit {
    /// Python's message may show the object.
    fn from(_: PyErr) -> Self {
        Self::new("object", "this object cannot be read")
    }
}

/// Converts Python's objects to a value. The types come from the objects; a schema knows more.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> Result<Value, Failure> {
    convert(object, 0).map_err(|misfit| {
        let path: objchange::value::Path = misfit
            .path
            .iter()
            .rev()
            .map(|step| match step {
                PathEntry::Key(name) => objchange::value::PathStep::Attribute(name.as_str().into()),
                PathEntry::Position(position) => {
                    objchange::value::PathStep::Index(Value::from(*position as u64))
                }
            })
            .collect();
        Failure::new("InvalidValueError", misfit.kind, misfit.message).with_path(Some(path.to_string()))
    })
}

fn convert(object: &Bound<'_, PyAny>, depth: usize) -> Result<Value, Misfit> {
    if depth > MAX_DEPTH {
        return Err(Misfit::new("depth", format!("a value nests at most {MAX_DEPTH} levels deep")));
    }
    if object.is_none() {
        return Ok(Value::null(Type::Dynamic));
    }
    // `bool` is a subclass of `int`, and so comes before it.
    if let Ok(value) = object.cast::<PyBool>() {
        return Ok(Value::from(value.is_true()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::from(text_of(text)?.as_str()));
    }
    if object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance(decimal(object.py())?)?
    {
        return Ok(Value::from(number_of(object)?));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        // A copy, so that other threads cannot change it meanwhile.
        return members(&dict.copy()?, depth);
    }
    // A tuple of its elements, for the reason above.
    if let Ok(list) = object.cast::<PyList>() {
        return elements(&list.to_tuple(), depth);
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return elements(tuple, depth);
    }
    if object.is_instance_of::<Unknown>() {
        return Ok(Value::unknown(Type::Dynamic));
    }
    if let Ok(sensitive) = object.cast::<Sensitive>() {
        return Ok(sensitive.get().value().clone().sensitive());
    }
    if let Ok(set) = object.cast::<Set>() {
        return elements(set.get().elements(object.py()), depth);
    }
    let name = object.get_type().name().map_or_else(|_| "such an object".to_owned(), |name| name.to_string());
    Err(Misfit::new("type", format!("{name} is no value: use None, bool, int, Decimal, str, list or dict")))
}

fn elements(tuple: &Bound<'_, PyTuple>, depth: usize) -> Result<Value, Misfit> {
    let elements = tuple.iter().enumerate().map(|(position, element)| {
        convert(&element, depth + 1).map_err(|misfit| misfit.below(PathEntry::Position(position)))
    });
    Ok(Value::tuple(elements.collect::<Result<Vec<_>, _>>()?))
}

fn members(dict: &Bound<'_, PyDict>, depth: usize) -> Result<Value, Misfit> {
    let members = dict.iter().map(|(key, member)| {
        let Ok(key) = key.cast::<PyString>() else {
            return Err(Misfit::new("key", "the keys of a dict must be str"));
        };
        let name = text_of(key)?;
        match convert(&member, depth + 1) {
            Ok(value) => Ok((name, value)),
            Err(misfit) => Err(misfit.below(PathEntry::Key(name))),
        }
    });
    Ok(Value::object(members.collect::<Result<Vec<_>, _>>()?))
}

fn text_of(text: &Bound<'_, PyString>) -> Result<String, Misfit> {
    match text.to_cow() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(Misfit::new("text", "a str with half of a surrogate pair is no text")),
    }
}

/// The number that an `int`, `float` or `Decimal` is exactly.
fn number_of(object: &Bound<'_, PyAny>) -> Result<Number, Misfit> {
    let py = object.py();
    if let Ok(float) = object.cast::<PyFloat>() {
        let number = Number::from_f64(float.value()).filter(Number::is_finite);
        return number.ok_or_else(|| Misfit::new("number", "a number must be finite"));
    }
    // This takes whatever has `__index__`, and `Decimal` has none.
    if let Ok(int) = object.extract::<i64>() {
        return Ok(Number::from(int));
    }
    // The decimal of an int is exact, however long it is.
    let exact = decimal(py)?.call1((object,))?;
    if !exact.call_method0(intern!(py, "is_finite"))?.is_truthy()? {
        return Err(Misfit::new("number", "a number must be finite"));
    }
    let number = Number::parse(&exact.str()?.to_string())
        .map_err(|error| Misfit::new(error.kind(), error.to_string()))?;
    // cty's numbers have 512 bits. A number that is rounded to them would come back as another one, and is refused.
    let back = number_to_python(py, &number)?;
    match back.eq(&exact)? {
        true => Ok(number),
        false => Err(Misfit::new(
            "number",
            "the number has more digits than Terraform's numbers, which have 512 bits",
        )),
    }
}
