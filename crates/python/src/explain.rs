//! Explanations of Terraform's messages about providers.

use std::convert::Infallible;

use objchange_explain::{Evidence, ExplainDocument, ExplainedMessage, Objects};
use objchange_text::json::write_pretty;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::page;
use crate::schemas::SchemasArg;

/// Explains Terraform's messages about providers in a text: terminal output, a log or an issue, as ``objchange explain`` does.
///
/// The result has a ``dict`` for each message, as in ``schema/explain.schema.json``: the ``clauses`` of the contract, the ``kind``,
/// the ``address``, the ``path`` and ``advice``. Other messages are left out. ``address`` is that of a resource instance, for its
/// messages alone. With ``schemas`` values are hidden that they call sensitive.
///
/// Raises `SchemaError`, and what ``open`` raises for schemas.
///
/// >>> text = '''Error: Provider produced inconsistent result after apply
/// ...
/// ... When applying changes to disk.a, provider "registry.terraform.io/example/disks" produced an unexpected new value:
/// ... .size: was cty.NumberIntVal(1), but now cty.NumberIntVal(2).'''
/// >>> [(message["address"], message["path"], message["kind"]) for message in explain(text)]
/// [('disk.a', 'size', 'value_changed')]
#[pyfunction]
#[pyo3(signature = (text, /, *, address=None, schemas=None))]
#[expect(clippy::needless_pass_by_value, reason = "this is how arguments come from Python")]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    text: &str,
    address: Option<&str>,
    schemas: Option<SchemasArg>,
) -> PyResult<Bound<'py, PyAny>> {
    let json = py.detach(|| {
        let mut all = objchange_explain::explain(text);
        all.retain(|one| address.is_none_or(|address| one.address.as_deref() == Some(address)));
        let messages = all.into_iter().map(|explained| {
            let objects = |_: &_, _: &_, _: &_| Ok::<_, Infallible>(Objects::default());
            let evidence = schemas.as_ref().and_then(|schemas| {
                let Ok(evidence) = Evidence::from_schemas(&explained, &schemas.0.document, objects);
                evidence
            });
            ExplainedMessage { explained, evidence }
        });
        let mut json = Vec::new();
        write_pretty(&mut json, &ExplainDocument::new(&messages.collect::<Vec<_>>()))
            .map_err(|error| Failure::new("Error", "write", error.to_string()))?;
        page::text(json)
    })?;
    py.import("json")?.call_method1("loads", (json,))?.get_item("messages")
}
