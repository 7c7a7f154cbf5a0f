//! `Schema`: the schema of one type.

use objchange::schema::{Block, SchemaKind};
use objchange_text::did_you_mean;
use objchange_text::json::from_str;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::engine::object;
use crate::error::Failure;
use crate::load::Input;
use crate::schemas::SchemasArg;
use crate::value::to_python;

/// The schema of a resource type: its attributes and blocks.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct Schema {
    block: Block,
    version: i64,
}

impl Schema {
    pub(crate) fn block(&self) -> &Block {
        &self.block
    }
}

/// The schema of a type; without a name that of the only one.
pub(crate) fn find(
    schemas: &SchemasArg,
    name: Option<&str>,
    provider: Option<&str>,
    mode: &str,
) -> Result<Schema, Failure> {
    let document = &schemas.0.document;
    let kind = match mode {
        "managed" => SchemaKind::Resource,
        "data" => SchemaKind::DataSource,
        _ => return Err(Failure::new("OptionError", "mode", "mode is \"managed\" or \"data\"")),
    };
    let providers: Vec<&str> = match provider {
        Some(provider) => vec![provider],
        None => document.providers().collect(),
    };
    let names = || {
        providers
            .iter()
            .flat_map(|provider| document.names(provider, kind).map(move |name| (*provider, name)))
    };
    let mut wanted = names().filter(|(_, other)| name.is_none_or(|name| name == *other));
    let Some((provider, found)) = wanted.next() else {
        let all: Vec<&str> = names().map(|(_, name)| name).collect();
        let hint = name.map(|name| did_you_mean(name, all.iter().copied())).unwrap_or_default();
        return Err(Failure::new(
            "SchemaError",
            "no_such_type",
            format!("there is no schema of this type{hint}"),
        ));
    };
    // Two providers may have a type of one name, and the first is taken. Without a name there is nothing to go by.
    if name.is_none() && wanted.next().is_some() {
        let message = "there are several types: say which one with `type`";
        return Err(Failure::new("OptionError", "type", message));
    }
    match document.get(provider, kind, found) {
        Ok(Some(schema)) => Ok(Schema { block: schema.block.clone(), version: schema.version }),
        Ok(None) => Err(Failure::defect("a schema is gone")),
        Err(error) => Err(Failure::schemas(&error, None)),
    }
}

#[pymethods]
impl Schema {
    /// The schema of a type in the output of ``terraform providers schema -json``: `Schemas`, a path, bytes, or an open file.
    /// Without a ``type`` it is the only one that there is.
    ///
    /// Raises `SchemaError` if the document has no such type or cannot be read, `OptionError` if it has
    /// several and none is named, and the errors of ``open``.
    ///
    /// >>> Schema.from_providers("examples/aws_instance/schemas.json", "aws_instance").version
    /// 1
    #[staticmethod]
    #[pyo3(signature = (document, /, r#type=None, *, provider=None, mode="managed"))]
    #[expect(clippy::needless_pass_by_value, reason = "this is how arguments come from Python")]
    fn from_providers(
        document: SchemasArg,
        r#type: Option<&str>,
        provider: Option<&str>,
        mode: &str,
    ) -> PyResult<Self> {
        Ok(find(&document, r#type, provider, mode)?)
    }

    /// The schema in a text: a block as ``terraform providers schema -json`` has it, as JSON or as a ``dict``.
    ///
    /// Raises `SchemaError` if the text is not a schema.
    ///
    /// >>> Schema.parse({"attributes": {"size": {"type": "number", "optional": True}}}).coerce({"size": "2"})
    /// {'size': 2}
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = text.py();
        let json = match text.is_instance_of::<PyDict>() {
            true => Some(Input::Text(py.import("json")?.call_method1("dumps", (text,))?.extract()?)),
            false => Input::given(text),
        };
        let json = json
            .ok_or_else(|| pyo3::exceptions::PyTypeError::new_err("expected str, bytes or dict"))?
            .read(py)?;
        let block = from_str::<Block>(&json).map_err(|error| {
            let (line, column) = objchange_text::json::place(&json, error.offset());
            Failure::new("SchemaError", "malformed", error.to_string()).at(line, column)
        })?;
        // A block alone has no version. 0 is the first version of each schema in Terraform.
        Ok(Self { block, version: 0 })
    }

    /// The version of the schema.
    #[getter]
    fn version(&self) -> i64 {
        self.version
    }

    /// The names of the attributes and blocks, in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.block.object_type().attributes().iter().map(|(name, _)| name.to_string()).collect()
    }

    /// An object in the schema's form: absent attributes are ``None``, each value has its type, and
    /// sensitive values are `Sensitive`.
    ///
    /// Raises `SchemaError` if the object does not fit, `InvalidValueError` if it is not a value.
    ///
    /// >>> schema.coerce({"size": "2", "ports": [443, 80, 443], "token": "x"})
    /// {'id': None, 'ports': Set([80, 443]), 'size': 2, 'token': (sensitive value)}
    #[pyo3(signature = (value, /))]
    fn coerce<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let coerced = object(&self.block, value)?;
        to_python(value.py(), &self.block.mark_hidden(&coerced))
    }

    fn __repr__(&self) -> String {
        format!("<Schema: {} attributes and blocks>", self.block.object_type().attributes().len())
    }
}
