//! `StateResource` and `OutputValue`: places in a state to look from.

use std::sync::Arc;

use objchange::Value;
use objchange_policy::tfstate::{Output, Resource};
use objchange_text::visible;
use pyo3::prelude::*;

use crate::change::{described, key_to_python, object_value};
use crate::document::{HeldDocument, NamedList};
use crate::error::Failure;
use crate::sequence::{positions, sequence};
use crate::value::to_python;

/// The resources of a state, found by position or by address. The name of a deposed object is its address, ``:`` and its key.
#[pyclass(frozen, sequence, module = "objchange")]
#[derive(Debug)]
pub struct ResourceList(pub(crate) Arc<HeldDocument>);

impl ResourceList {
    fn length(&self) -> usize {
        self.0.with_state(|state| state.resources.len())
    }

    fn item(&self, index: usize) -> StateResource {
        StateResource { held: Arc::clone(&self.0), index }
    }

    fn position(&self, name: &str) -> Option<usize> {
        let known = self.0.positions(NamedList::Resources, || positions(self.names().into_iter()));
        known.get(name).copied()
    }

    fn names(&self) -> Vec<String> {
        self.0.with_state(|state| {
            let resources = (0..state.resources.len()).filter_map(|index| state.resources.at(index));
            resources
                .map(|(_, resource)| match &*resource.deposed_key {
                    "" => address_of(resource),
                    key => format!("{}:{key}", address_of(resource)),
                })
                .collect()
        })
    }
}

sequence!(ResourceList

    fn __repr__(&self) -> String {
        described("ResourceList", "resource", &self.names())
    }
);

/// The address of a resource, as Terraform prints it.
fn address_of(resource: &Resource<'_>) -> String {
    match &*resource.mode {
        "data" => {
            // The collection for policies leaves `data.` out, and Terraform prints it.
            let module = &*resource.module_address;
            let rest = resource.address.strip_prefix(module).unwrap_or(&resource.address);
            match (module.is_empty(), rest.strip_prefix('.')) {
                (false, Some(rest)) => format!("{module}.data.{rest}"),
                _ => format!("data.{}", &*resource.address),
            }
        }
        _ => resource.address.to_string(),
    }
}

/// A resource instance of a state.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct StateResource {
    held: Arc<HeldDocument>,
    index: usize,
}

impl StateResource {
    fn look<R>(&self, look: impl for<'t> FnOnce(&Resource<'t>) -> PyResult<R>) -> PyResult<R> {
        self.held.with_state(|state| match state.resources.at(self.index) {
            Some((_, resource)) => look(resource),
            None => Err(Failure::defect("there is no such resource").into()),
        })
    }

    fn text(&self, text: impl Fn(&Resource<'_>) -> String) -> PyResult<String> {
        self.look(|resource| Ok(text(resource)))
    }

    fn file(&self) -> Option<&str> {
        self.held.file.as_deref()
    }
}

#[pymethods]
impl StateResource {
    /// The address, such as ``module.a.disk.b[0]``.
    #[getter]
    fn address(&self) -> PyResult<String> {
        self.text(address_of)
    }

    /// The address of its module; ``""`` is the root module.
    #[getter]
    fn module(&self) -> PyResult<String> {
        self.text(|resource| resource.module_address.to_string())
    }

    /// ``"managed"`` or ``"data"``.
    #[getter]
    fn mode(&self) -> PyResult<String> {
        self.text(|resource| resource.mode.to_string())
    }

    /// The resource type.
    #[getter]
    fn r#type(&self) -> PyResult<String> {
        self.text(|resource| resource.resource_type.to_string())
    }

    /// The name in its module.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.text(|resource| resource.name.to_string())
    }

    /// The provider's address.
    #[getter]
    fn provider(&self) -> PyResult<String> {
        self.text(|resource| resource.provider_name.to_string())
    }

    /// The key of a deposed object, and ``None`` for the current one.
    #[getter]
    fn deposed(&self) -> PyResult<Option<String>> {
        Ok(Some(self.text(|resource| resource.deposed_key.to_string())?).filter(|key| !key.is_empty()))
    }

    /// Whether the next plan replaces it.
    #[getter]
    fn tainted(&self) -> PyResult<bool> {
        self.look(|resource| Ok(resource.tainted))
    }

    /// The key from ``count`` or ``for_each``: an ``int`` or ``str``; ``None`` for a single instance.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.look(|resource| key_to_python(py, resource.index.clone()))
    }

    /// The addresses of its dependencies.
    #[getter]
    fn depends_on(&self) -> PyResult<Vec<String>> {
        self.look(|resource| {
            let addresses = resource.depends_on().map_err(|error| Failure::document(&error, self.file()))?;
            Ok(addresses.iter().map(ToString::to_string).collect())
        })
    }

    /// The attributes and blocks. Each look makes a new object.
    ///
    /// Raises `DocumentError` where they cannot be read, `SchemaError` where they do not fit their schema.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = py.detach(|| {
            self.look(|resource| {
                let schema = self.held.schemas.of_type(
                    &resource.provider_name,
                    &resource.mode,
                    &resource.resource_type,
                );
                let schema = schema.map_err(|error| Failure::schemas(&error, None))?;
                let values = resource.values().map_err(|error| Failure::document(&error, self.file()))?;
                Ok(object_value(values, &resource.address, schema, self.file())?)
            })
        })?;
        to_python(py, &value)
    }

    /// Whether both are one resource of one state.
    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.held, &other.held) && self.index == other.index
    }

    fn __hash__(&self) -> usize {
        self.index
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<StateResource {}>", visible(&self.address()?)))
    }
}

/// An output of a state.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct OutputValue {
    held: Arc<HeldDocument>,
    index: usize,
}

impl OutputValue {
    pub(crate) fn new(held: &Arc<HeldDocument>, index: usize) -> Self {
        Self { held: Arc::clone(held), index }
    }

    fn look<R>(&self, look: impl for<'t> FnOnce(&Output<'t>) -> PyResult<R>) -> PyResult<R> {
        self.held.with_state(|state| match state.outputs.at(self.index) {
            Some((_, output)) => look(output),
            None => Err(Failure::defect("there is no such output").into()),
        })
    }
}

#[pymethods]
impl OutputValue {
    /// The name of the output.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.look(|output| Ok(output.name.to_string()))
    }

    /// It must not be shown.
    #[getter]
    fn sensitive(&self) -> PyResult<bool> {
        self.look(|output| Ok(output.sensitive))
    }

    /// The value; `Sensitive` where it must not be shown.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let file = self.held.file.as_deref();
        let value = py.detach(|| {
            self.look(|output| match output.value().map_err(|error| Failure::document(&error, file))? {
                Some(value) => Ok(object_value(value, &output.name, None, file)?),
                None => Ok(Value::unknown(objchange::Type::Dynamic)),
            })
        })?;
        to_python(py, &value)
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<OutputValue {}>", visible(&self.name()?)))
    }
}
