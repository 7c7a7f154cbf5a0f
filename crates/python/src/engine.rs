//! The engine: the change of one object, by its schema.

use objchange::Value;
use objchange::change::{
    self, ChangeError, IgnoreChanges, InconsistentResult, InvalidPlan, Lifecycle, PlanChangeError,
    PlanRequest, PlanViolation, ReplaceReason, SimulatedProvider,
};
use objchange::schema::{Block, CoerceError};
use objchange::value::Path;
use objchange_document::changes::ResourceActions;
use objchange_plan::Options;
use objchange_plan::render::render_planned_change;
use pyo3::prelude::*;

use crate::choice::Texts;
use crate::error::Failure;
use crate::schema::Schema;
use crate::value::{from_python, to_python};

/// A way in which a provider breaks its contract with Terraform.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct Violation {
    kind: &'static str,
    path: String,
    message: String,
}

impl Violation {
    fn new(kind: &'static str, path: &Path, violation: &impl std::fmt::Display) -> Self {
        Self { kind, path: path.to_string(), message: violation.to_string() }
    }

    fn planned(violation: &PlanViolation) -> Self {
        Self::new(violation.kind(), violation.path(), violation)
    }
}

#[pymethods]
impl Violation {
    /// The stable name of the kind of violation. Sentences may change.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    /// The path, such as ``.disk[0].size``; ``""`` is the whole object.
    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    /// The message with its place. Sensitive values are left out.
    #[getter]
    fn message(&self) -> &str {
        &self.message
    }

    fn __str__(&self) -> &str {
        &self.message
    }

    fn __repr__(&self) -> String {
        format!("<Violation {}: {}>", self.kind, self.message)
    }
}

pub(crate) fn coerce_failure(error: &CoerceError) -> Failure {
    Failure::new("SchemaError", error.kind.kind(), error.to_string()).with_path(Some(error.path.to_string()))
}

fn change_failure(error: &ChangeError) -> Failure {
    Failure::new("SchemaError", error.kind(), error.to_string()).with_path(Some(error.path().to_string()))
}

/// An object of the schema.
pub(crate) fn object(schema: &Block, object: &Bound<'_, PyAny>) -> Result<Value, Failure> {
    let value = from_python(object)?;
    // This also takes prior and planned objects: in Python they leave out attributes, as configurations do.
    schema.coerce_config(&value).map_err(|error| coerce_failure(&error))
}

/// The object that the provider plans from: the configuration, with prior values where it leaves the value
/// to the provider.
///
/// Raises `SchemaError` if an object does not fit the schema, `InvalidValueError` if it is not a value.
///
/// >>> objchange.proposed_new(schema, {"id": "d-1", "size": 1}, {"size": 2})
/// {'id': 'd-1', 'ports': None, 'size': 2, 'token': (sensitive value)}
#[pyfunction]
pub(crate) fn proposed_new<'py>(
    schema: &Bound<'py, Schema>,
    prior: &Bound<'py, PyAny>,
    config: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, block) = (schema.py(), schema.get().block());
    let (prior, config) = (object(block, prior)?, object(block, config)?);
    let proposed =
        // Arguments need no marks, and the result is printed at Python's prompt.
        py.detach(|| change::proposed_new(block, &prior, &config).map(|value| block.mark_hidden(&value)));
    to_python(py, &proposed.map_err(|error| change_failure(&error))?)
}

/// How a provider's plan breaks its contract with Terraform: no violations if it keeps it.
///
/// Raises `SchemaError` if an object does not fit the schema, `InvalidValueError` if it is not a value.
///
/// >>> config = {"size": 2}
/// >>> planned = {"id": UNKNOWN, "size": 3}
/// >>> [violation.path for violation in objchange.assert_plan_valid(schema, None, config, planned)]
/// ['size']
#[pyfunction]
pub(crate) fn assert_plan_valid(
    schema: &Bound<'_, Schema>,
    prior: &Bound<'_, PyAny>,
    config: &Bound<'_, PyAny>,
    planned: &Bound<'_, PyAny>,
) -> PyResult<Vec<Violation>> {
    let (py, block) = (schema.py(), schema.get().block());
    let (prior, config, planned) = (object(block, prior)?, object(block, config)?, object(block, planned)?);
    let violation =
        |violation: &InvalidPlan| Violation::new(violation.kind.kind(), &violation.path, violation);
    Ok(py.detach(|| {
        change::assert_plan_valid(block, &prior, &config, &planned).iter().map(violation).collect()
    }))
}

/// The differences between the object after apply and the plan; empty if it equals the plan.
///
/// Raises `SchemaError` if an object does not fit the schema, `InvalidValueError` if it is not a value.
///
/// >>> for violation in objchange.assert_object_compatible(schema, {"size": 20}, {"size": 16}):
/// ...     print(violation)
/// size: was planned as (20), but is (16)
#[pyfunction]
pub(crate) fn assert_object_compatible(
    schema: &Bound<'_, Schema>,
    planned: &Bound<'_, PyAny>,
    actual: &Bound<'_, PyAny>,
) -> PyResult<Vec<Violation>> {
    let (py, block) = (schema.py(), schema.get().block());
    let (planned, actual) = (object(block, planned)?, object(block, actual)?);
    let violation =
        |violation: &InconsistentResult| Violation::new(violation.kind.kind(), &violation.path, violation);
    Ok(py.detach(|| {
        change::assert_object_compatible(block, &planned, &actual).iter().map(violation).collect()
    }))
}

/// A planned change of one object.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct PlannedChange {
    schema: Block,
    change: change::PlannedChange,
}

fn paths(text: &[String]) -> Result<Vec<Path>, Failure> {
    let paths = text.iter().map(|text| text.parse::<Path>());
    paths.collect::<Result<_, _>>().map_err(|error| Failure::new("OptionError", "path", error.to_string()))
}

/// The parts of the configuration that are ignored.
#[derive(FromPyObject)]
pub(crate) enum Ignored {
    /// `"all"`; other words are errors.
    Word(String),
    Paths(Vec<String>),
}

fn failure(error: &PlanChangeError) -> Failure {
    let path = match error {
        PlanChangeError::Config(error) | PlanChangeError::Prior(error) => Some(error.path.to_string()),
        PlanChangeError::Change(error) => Some(error.path().to_string()),
        _ => None,
    };
    Failure::new("SchemaError", error.kind(), error.to_string()).with_path(path)
}

/// Plans the change of one object from end to end, as Terraform does around a provider. The provider is
/// simulated: computed values are unknown until apply, and a change at one of the paths
/// ``requires_replace`` needs a new object.
///
/// ``prior`` is ``None`` for a new object, and ``config`` is ``None`` to destroy it. ``ignore_changes`` has paths, or is
/// ``"all"``.
///
/// Raises `SchemaError` if an object does not fit the schema, `InvalidValueError` if it is not a value,
/// `OptionError` for an invalid path.
///
/// >>> change = objchange.plan_change(schema, {"id": "d-1", "size": 1}, {"size": 2})
/// >>> change.action, change.after["size"]
/// ('update', 2)
/// >>> objchange.plan_change(schema, {"id": "d-1", "size": 1}, {"size": 2}, requires_replace=["size"]).action
/// 'replace'
#[pyfunction]
#[pyo3(signature = (schema, prior, config, *, tainted=false, create_before_destroy=false, force_replace=false, ignore_changes=None, requires_replace=Texts::default()))]
#[pyo3(
    // pyo3 writes a default that is no literal, such as `vec![]`, as `...`.
    text_signature = "(schema, prior, config, *, tainted=False, create_before_destroy=False, force_replace=False, ignore_changes=None, requires_replace=())"
)]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
#[expect(clippy::needless_pass_by_value, reason = "this is how arguments come from Python")]
pub(crate) fn plan_change(
    schema: &Bound<'_, Schema>,
    prior: &Bound<'_, PyAny>,
    config: &Bound<'_, PyAny>,
    tainted: bool,
    create_before_destroy: bool,
    force_replace: bool,
    ignore_changes: Option<Ignored>,
    requires_replace: Texts,
) -> PyResult<PlannedChange> {
    let (py, block) = (schema.py(), schema.get().block().clone());
    // Unlike the functions above, `plan_change` coerces the configuration and the prior object itself, and names which
    // one does not fit.
    let (prior, config) = (from_python(prior)?, from_python(config)?);
    let ignore_changes = match &ignore_changes {
        None => IgnoreChanges::None,
        Some(Ignored::Word(word)) if word == "all" => IgnoreChanges::All,
        Some(Ignored::Word(_)) => {
            let message = "ignore_changes is a list of paths, or \"all\"";
            return Err(Failure::new("OptionError", "ignore_changes", message).into());
        }
        Some(Ignored::Paths(texts)) => IgnoreChanges::Paths(paths(texts)?),
    };
    let mut provider = SimulatedProvider { requires_replace: paths(&requires_replace.0)? };
    let lifecycle = Lifecycle { ignore_changes, create_before_destroy, force_replace, tainted };
    let planned = py.detach(|| {
        let mut request = PlanRequest::new(&block, &prior, &config);
        request.lifecycle = lifecycle;
        change::plan_change(&request, &mut provider)
    });
    Ok(PlannedChange { schema: block, change: planned.map_err(|error| failure(&error))? })
}

#[pymethods]
impl PlannedChange {
    /// The action in one word: ``"no-op"``, ``"create"``, ``"update"``, ``"delete"`` or ``"replace"``.
    #[getter]
    fn action(&self) -> &'static str {
        ResourceActions::from(self.change.action).word()
    }

    /// Terraform's actions, in order: such as ``["delete", "create"]``.
    #[getter]
    fn actions(&self) -> Vec<&'static str> {
        ResourceActions::from(self.change.action).words().to_vec()
    }

    /// Why the object is replaced: ``"tainted"``, ``"requested"`` or ``"cannot_update"``; ``None`` if it is not.
    #[getter]
    fn replace_reason(&self) -> Option<&'static str> {
        self.change.replace_reason.as_ref().map(ReplaceReason::kind)
    }

    /// The paths of the parts that force the replacement.
    #[getter]
    fn replace_paths(&self) -> Vec<String> {
        match &self.change.replace_reason {
            Some(ReplaceReason::Requested(paths) | ReplaceReason::CannotUpdate(paths)) => {
                paths.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The object before; ``None`` if there is none.
    #[getter]
    fn before<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.change.before)
    }

    /// The object after, with ``UNKNOWN`` for values known only after apply; ``None`` if there is none.
    #[getter]
    fn after<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.change.after)
    }

    /// The proposed object, which the provider plans from.
    #[getter]
    fn proposed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.change.proposed)
    }

    /// How the provider's answer breaks its contract.
    #[getter]
    fn violations(&self) -> Vec<Violation> {
        self.change.violations.iter().map(Violation::planned).collect()
    }

    /// The violations by the new object of a replacement, which Terraform finds when it applies the plan.
    #[getter]
    fn at_apply(&self) -> Vec<Violation> {
        self.change.at_apply.iter().map(Violation::planned).collect()
    }

    /// The text that Terraform prints for the change of a resource at this address.
    #[pyo3(signature = (address, /))]
    fn text(&self, py: Python<'_>, address: &str) -> String {
        py.detach(|| render_planned_change(address, &self.schema, &self.change, &Options::default()))
    }

    fn __repr__(&self) -> String {
        format!("<PlannedChange: {}>", self.action())
    }
}
