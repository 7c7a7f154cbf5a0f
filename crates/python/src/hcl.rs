//! The configuration language.

use objchange::value::Kind;
use objchange_hcl::{
    Diagnostic, Functions, LineIndex, Scope, Variables, evaluate as evaluated, parse_expression,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Failure;
use crate::value::{from_python, to_python};

/// The first of these errors, and how many there are besides.
fn failure(errors: &[Diagnostic], text: &str) -> Failure {
    let Some(first) = errors.first() else { return Failure::defect("an error without a reason") };
    let more = match errors.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let failure = Failure::new("ConfigurationError", first.kind(), format!("{first}{more}"));
    match first.subject {
        Some(subject) => {
            let position = LineIndex::new(text).position(subject.start);
            failure.at(position.line as usize, position.column as usize)
        }
        None => failure,
    }
}

/// The value of an expression, with the functions that depend only on their arguments. ``variables`` has
/// values by name. A result that needs an unknown value is unknown, and one that needs a sensitive value is
/// sensitive.
///
/// Raises `ConfigurationError` if the expression is invalid or has no value, `InvalidValueError` if a
/// variable is not a value.
///
/// >>> from objchange import hcl
/// >>> hcl.evaluate('[for port in ports : port + 1 if port > 80]', {"ports": [80, 443]})
/// [444]
/// >>> hcl.evaluate('"${name}-${id}"', {"name": "web", "id": UNKNOWN})
/// UNKNOWN
#[pyfunction]
#[pyo3(signature = (expression, /, variables=None))]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    expression: &str,
    variables: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = match variables {
        Some(variables) => from_python(variables.as_any())?,
        None => objchange::Value::object::<&str, objchange::Value>([]),
    };
    let value = py.detach(|| {
        let expr = parse_expression(expression).map_err(|errors| failure(&errors, expression))?;
        let variables: Variables = match given.kind() {
            Kind::Object(object) => {
                object.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
            }
            _ => Variables::default(),
        };
        // An expression in Python has no directory: `file` and its like fail, and `timestamp()` is unknown.
        let (value, errors) = evaluated(&expr, &Scope::new(&variables), Functions::pure());
        match errors.is_empty() {
            true => Ok(value),
            false => Err(failure(&errors, expression)),
        }
    })?;
    to_python(py, &value)
}
