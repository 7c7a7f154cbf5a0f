//! Exceptions, with their class and place.

use std::io;
use std::path::Path as FilePath;

use objchange::schema::SchemaDocumentError;
use objchange_document::{DocumentError, PlanFileError, PlanFileErrorKind};
use objchange_plan::compare::{CompareError, ComparedPlan};
use objchange_plan::report::{ShowError, TemplateError};
use objchange_project::PlanInputError;
use objchange_text::joined_path;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// An error: the content of an exception. It is made while the GIL is released, and never holds a value.
#[derive(Debug)]
pub(crate) struct Failure(Box<Details>);

#[derive(Debug, Default)]
struct Details {
    /// The class of the exception, in the module `objchange`.
    class: &'static str,
    /// The stable name of the kind of error.
    kind: String,
    /// The message without its place.
    message: String,
    /// The path in the value or document.
    path: Option<String>,
    /// The name of the file.
    file: Option<String>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column in bytes, from 1.
    column: Option<usize>,
}

impl Failure {
    pub(crate) fn new(class: &'static str, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Box::new(Details { class, kind: kind.into(), message: message.into(), ..Details::default() }))
    }

    pub(crate) fn document(error: &DocumentError, file: Option<&str>) -> Self {
        Self::new("DocumentError", error.problem.kind(), error.problem.to_string())
            .with_path(Some(error.location.clone()))
            .at(error.line, error.column)
            .in_file(file)
    }

    pub(crate) fn plan_file(error: &PlanFileError, file: Option<&str>) -> Self {
        match &error.kind {
            PlanFileErrorKind::Document(error) => Self::document(error, file),
            PlanFileErrorKind::Another(line) => {
                Self::new("DocumentError", error.kind(), error.kind.to_string()).at_line(*line).in_file(file)
            }
            kind => Self::new("DocumentError", error.kind(), kind.to_string()).in_file(file),
        }
    }

    pub(crate) fn plan_input(error: &PlanInputError, file: Option<&str>) -> Self {
        match error {
            PlanInputError::Document(error) => Self::plan_file(error, file),
            PlanInputError::Saved { error, .. } => {
                Self::new("DocumentError", error.kind(), error.to_string()).in_file(file)
            }
            other => Self::new("DocumentError", "plan_file", other.to_string()).in_file(file),
        }
    }

    pub(crate) fn schemas(error: &SchemaDocumentError, file: Option<&str>) -> Self {
        Self::new("SchemaError", error.kind.kind(), error.message.clone())
            .with_path(Some(error.location.clone()))
            .at(error.line, error.column)
            .in_file(file)
    }

    pub(crate) fn show(error: &ShowError, file: Option<&str>) -> Self {
        match error {
            ShowError::Document(error) => Self::document(error, file),
            // The schemas have a file of their own.
            ShowError::Schemas(error) => Self::schemas(error, None),
            ShowError::Template(error) => Self::template(error),
            other => Self::new("Error", other.kind(), other.to_string()),
        }
    }

    pub(crate) fn template(error: &TemplateError) -> Self {
        let failure = Self::new("OptionError", error.kind(), error.message.clone());
        match error.line {
            Some(line) => failure.at_line(line),
            None => failure,
        }
    }

    pub(crate) fn compare(error: &CompareError, files: [Option<&str>; 2]) -> Self {
        let file = error.plan().and_then(|plan| files[usize::from(plan == ComparedPlan::B)]);
        match error {
            CompareError::Document { error, .. } => Self::document(error, file),
            CompareError::Schemas(error) => Self::schemas(error, None),
            other => Self::new("DocumentError", other.kind(), other.to_string()).in_file(file),
        }
    }

    pub(crate) fn defect(what: &str) -> Self {
        Self::new("Error", "defect", format!("this shows a defect of objchange: {what}"))
    }

    /// Adds the path in the value or document; an empty path is dropped.
    pub(crate) fn with_path(mut self, path: Option<String>) -> Self {
        self.0.path = path.filter(|path| !path.is_empty());
        self
    }

    /// Puts a name in front of the path.
    pub(crate) fn within(mut self, name: &str) -> Self {
        self.0.path = Some(joined_path(name, self.0.path.as_deref().unwrap_or_default()));
        self
    }

    pub(crate) fn at(mut self, line: usize, column: usize) -> Self {
        (self.0.line, self.0.column) = (Some(line), Some(column));
        self
    }

    pub(crate) fn at_line(mut self, line: usize) -> Self {
        self.0.line = Some(line);
        self
    }

    pub(crate) fn in_file(mut self, file: Option<&str>) -> Self {
        self.0.file = file.map(str::to_owned);
        self
    }
}

/// The module that has the classes of exceptions.
fn classes(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Ok(MODULE.get_or_try_init(py, || py.import("objchange._errors").map(Bound::unbind))?.bind(py))
}

fn exception(py: Python<'_>, Failure(failure): Failure) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    details.set_item("kind", failure.kind)?;
    details.set_item("path", failure.path)?;
    details.set_item("file", failure.file)?;
    details.set_item("line", failure.line)?;
    details.set_item("column", failure.column)?;
    // In Python's stable ABI (abi3) no class of Rust can extend an exception, so these classes are written in Python.
    let class = classes(py)?.getattr(failure.class)?;
    Ok(PyErr::from_value(class.call((failure.message,), Some(&details))?))
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| exception(py, failure).unwrap_or_else(|error| error))
    }
}

/// Whether Python knows an error of reading a file: by the code of the system, or as a directory.
pub(crate) fn has_code(error: &io::Error) -> bool {
    error.raw_os_error().is_some() || error.kind() == io::ErrorKind::IsADirectory
}

/// The error that Python's own `open` raises for this file: `OSError` chooses the subclass by the code of the error.
pub(crate) fn unreadable(path: &FilePath, error: &io::Error) -> PyErr {
    let raised = |py: Python<'_>| {
        let code = match error.raw_os_error() {
            Some(code) => code,
            // Linux opens directories like files. The reader refuses them itself, without a code of the system.
            None if error.kind() == io::ErrorKind::IsADirectory => {
                py.import("errno")?.getattr("EISDIR")?.extract()?
            }
            None => return Ok(PyOSError::new_err(error.to_string())),
        };
        let text: String = py.import("os")?.call_method1("strerror", (code,))?.extract()?;
        Ok(PyOSError::new_err((code, text, path.as_os_str().to_owned())))
    };
    Python::attach(|py| raised(py).unwrap_or_else(|error| error))
}
