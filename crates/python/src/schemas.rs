//! `Schemas`: the schemas of providers' types.

use std::sync::Arc;

use objchange::schema::ProviderSchemas;
use objchange_document::Schemas as ShownSchemas;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::change::described;
use crate::error::Failure;
use crate::load::Input;
use crate::schema::{Schema, find};

/// The schemas of providers.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct Schemas(pub(crate) Arc<LoadedSchemas>);

/// Schemas for documents, and by name.
#[derive(Debug)]
pub(crate) struct LoadedSchemas {
    pub(crate) shown: Arc<ShownSchemas>,
    pub(crate) document: ProviderSchemas,
}

impl LoadedSchemas {
    /// Whether there are schemas of any provider.
    pub(crate) fn is_empty(&self) -> bool {
        self.document.providers().next().is_none()
    }

    fn new(document: ProviderSchemas) -> Self {
        Self { shown: Arc::new(ShownSchemas::new(document.clone())), document }
    }
}

/// Schemas as functions take them: the object, or something to read them from.
pub(crate) struct SchemasArg(pub(crate) Arc<LoadedSchemas>);

impl Default for SchemasArg {
    /// None.
    fn default() -> Self {
        Self(Arc::new(LoadedSchemas {
            shown: Arc::new(ShownSchemas::none()),
            document: ProviderSchemas::default(),
        }))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for SchemasArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        // `Schemas` are shared, so that a loop over plans reads them once.
        match object.cast::<Schemas>() {
            Ok(schemas) => Ok(Self(Arc::clone(&schemas.get().0))),
            Err(_) => Schemas::load(&object.to_owned()).map(|schemas| Self(schemas.0)),
        }
    }
}

fn parse(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<ProviderSchemas> {
    let input = Input::new(source)?;
    let file = input.name();
    let text = input.read(py)?;
    Ok(py
        .detach(|| ProviderSchemas::parse(text).map_err(|error| Failure::schemas(&error, file.as_deref())))?)
}

#[pymethods]
impl Schemas {
    /// Reads the output of ``terraform providers schema -json``, or a list of such documents: paths, bytes or open files.
    ///
    /// Raises `SchemaError`, and the errors of ``open``.
    ///
    /// >>> Schemas.load(b'{"format_version":"1.0"}').providers
    /// []
    #[staticmethod]
    #[pyo3(signature = (source, /))]
    pub(crate) fn load(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = source.py();
        if !(source.is_instance_of::<PyList>() || source.is_instance_of::<PyTuple>()) {
            return Ok(Self(Arc::new(LoadedSchemas::new(parse(py, source)?))));
        }
        let mut all = ProviderSchemas::default();
        for source in source.try_iter()? {
            all.append(parse(py, &source?)?);
        }
        Ok(Self(Arc::new(LoadedSchemas::new(all))))
    }

    /// The addresses of the providers, in order.
    #[getter]
    fn providers(&self) -> Vec<String> {
        self.0.document.providers().map(str::to_owned).collect()
    }

    /// The schema of a type.
    ///
    /// Raises `SchemaError` if there is no such type.
    #[pyo3(signature = (r#type, /, *, provider=None, mode="managed"))]
    fn schema(&self, r#type: &str, provider: Option<&str>, mode: &str) -> PyResult<Schema> {
        Ok(find(&SchemasArg(Arc::clone(&self.0)), Some(r#type), provider, mode)?)
    }

    fn __repr__(&self) -> String {
        let providers: Vec<String> = self.0.document.providers().map(str::to_owned).collect();
        described("Schemas", "provider", &providers)
    }
}
