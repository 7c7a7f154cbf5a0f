//! Planning the module in a directory, and the graph of it.

use std::path::{Path, PathBuf};

use objchange_document::MaskedNames;
use objchange_module::document::GraphReport;
use objchange_module::plan::plan_with_graph;
use objchange_module::{DiagnosticPrinter, PlanArguments};
use objchange_project::{
    PlanError, PlanSettings, PlannedDirectory, StateChoice, StateError, VariableSetting, plan_directory,
    plan_directory_with,
};
use objchange_text::Notice;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::choice::Texts;
use crate::document::{HeldDocument, new_object};
use crate::error::Failure;
use crate::load::{masked_names, warn};
use crate::schemas::SchemasArg;

/// A path, or several.
pub(crate) struct Paths(Vec<PathBuf>);

impl<'a, 'py> FromPyObject<'a, 'py> for Paths {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        // A `str` is a sequence of its characters, too.
        if object.is_instance_of::<PyString>() || object.hasattr("__fspath__")? {
            return Ok(Self(vec![object.extract::<PathBuf>().map(as_file)?]));
        }
        let paths = object.try_iter()?.map(|path| path?.extract::<PathBuf>().map(as_file));
        paths.collect::<PyResult<_>>().map(Self)
    }
}

/// A path that names a file: in the program `-` is standard input.
fn as_file(path: PathBuf) -> PathBuf {
    if path.as_os_str() == "-" { Path::new(".").join(path) } else { path }
}

/// Predicts the plan of the module in a directory without its providers, as ``objchange plan`` does.
///
/// ``schemas`` are files with the output of ``terraform providers schema -json``; by default they come from the cache of the
/// program. ``state`` is the prior state; without it, it is the state file of the directory. A module whose state is in a
/// remote backend needs ``state``, or ``no_state`` if nothing exists yet. ``variables`` has values by name. With ``strict``
/// computed attributes of updated objects are unknown, because their provider may change them: policies need it. ``mask`` is that
/// of `load`.
///
/// Raises `ConfigurationError` where the module cannot be planned: the message has all that is wrong. Warns with
/// `DocumentWarning` of inputs that may be mistaken.
///
/// >>> plan = plan_module("examples/module", schemas="examples/aws_instance/schemas.json", variables={"name": "api"})
/// >>> plan.simulated, len(plan.changes) > 0
/// (True, True)
#[pyfunction]
#[pyo3(signature = (
    directory=PathBuf::from("."),
    *,
    schemas=None,
    state=None,
    no_state=false,
    variables=None,
    var_files=None,
    targets=Texts::default(),
    replace=Texts::default(),
    destroy=false,
    strict=false,
    mask=Texts::default(),
))]
#[expect(
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    reason = "Python passes them by name, and owned"
)]
pub(crate) fn plan_module<'py>(
    py: Python<'py>,
    directory: PathBuf,
    schemas: Option<Paths>,
    state: Option<PathBuf>,
    no_state: bool,
    variables: Option<&Bound<'py, PyAny>>,
    var_files: Option<Paths>,
    targets: Texts,
    replace: Texts,
    destroy: bool,
    strict: bool,
    mask: Texts,
) -> PyResult<Bound<'py, PyAny>> {
    let name = directory.display().to_string();
    let masked = masked_names(mask)?;
    let inputs = ModuleInputs::new(py, schemas, state, no_state, variables, var_files)?;
    let (held, notices) = py.detach(|| {
        let settings = PlanSettings {
            arguments: PlanArguments {
                destroy,
                targets: targets.0,
                replace: replace.0,
                ..PlanSettings::default().arguments
            },
            is_strict: strict,
            must_be_whole: true,
            ..inputs.settings(StateChoice::OfDirectory)
        };
        let planned = plan_directory(&directory, &settings);
        let held = planned
            .answer
            .map_err(|error| refused(&error, &name))
            .and_then(|planned| hold(planned, &name, &masked));
        (held, planned.notices)
    });
    let held = held?;
    warn_of(py, &notices)?;
    new_object(py, held)
}

/// The references in a module, and what is unknown in it and why, as ``objchange graph`` prints them.
///
/// ``format`` is ``"dict"`` (``schema/graph.schema.json``), ``"dot"`` for Graphviz or ``"mermaid"``; ``only_unknown`` leaves out
/// what is known. The other arguments are those of `plan_module`, but without ``state`` no state is read.
///
/// Raises `ConfigurationError` where the module cannot be planned, and `OptionError` for another ``format``.
///
/// >>> found = graph("examples/module", schemas="examples/aws_instance/schemas.json", variables={"name": "api"})
/// >>> [node["address"] for node in found["nodes"] if node["kind"] == "variable"]
/// ['module.web.var.name', 'var.name']
#[pyfunction]
#[pyo3(signature = (
    directory=PathBuf::from("."),
    *,
    schemas=None,
    state=None,
    variables=None,
    var_files=None,
    only_unknown=false,
    format="dict",
))]
#[expect(
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    reason = "Python passes them by name, and owned"
)]
pub(crate) fn graph<'py>(
    py: Python<'py>,
    directory: PathBuf,
    schemas: Option<Paths>,
    state: Option<PathBuf>,
    variables: Option<&Bound<'py, PyAny>>,
    var_files: Option<Paths>,
    only_unknown: bool,
    format: &str,
) -> PyResult<Bound<'py, PyAny>> {
    if !["dict", "dot", "mermaid"].contains(&format) {
        let message = "format is one of dict, dot and mermaid";
        return Err(Failure::new("OptionError", "format", message).into());
    }
    let name = directory.display().to_string();
    let inputs = ModuleInputs::new(py, schemas, state, false, variables, var_files)?;
    let (text, notices) = py.detach(|| {
        let settings = inputs.settings(StateChoice::Nothing);
        let planned =
            plan_directory_with(&directory, &settings, |input, providers| plan_with_graph(input, providers));
        let text = planned.answer.map_err(|error| refused(&error, &name)).and_then(|(planned, graph)| {
            if planned.plan.diagnostics.has_errors() {
                return Err(failure("configuration", &planned.messages(), &name));
            }
            let shown = DiagnosticPrinter::new(&planned.config, &planned.schemas);
            let report = GraphReport::new(&graph, &shown, only_unknown);
            Ok(match format {
                "dot" => report.dot(),
                "mermaid" => report.mermaid(),
                _ => report.json(),
            })
        });
        (text, planned.notices)
    });
    let text = text?;
    warn_of(py, &notices)?;
    match format {
        "dict" => py.import("json")?.call_method1("loads", (text,)),
        _ => Ok(text.into_pyobject(py)?.into_any()),
    }
}

/// The inputs of the plan of a module.
struct ModuleInputs {
    schemas: Vec<PathBuf>,
    state: Option<PathBuf>,
    no_state: bool,
    variables: Vec<VariableSetting>,
}

impl ModuleInputs {
    fn new(
        py: Python<'_>,
        schemas: Option<Paths>,
        state: Option<PathBuf>,
        no_state: bool,
        variables: Option<&Bound<'_, PyAny>>,
        var_files: Option<Paths>,
    ) -> PyResult<Self> {
        if state.is_some() && no_state {
            return Err(Failure::new("OptionError", "state", "pass one of state and no_state").into());
        }
        let files = var_files.into_iter().flat_map(|Paths(files)| files).map(VariableSetting::File);
        let mut settings: Vec<VariableSetting> = files.collect();
        if let Some(variables) = variables {
            let text = py.import("json")?.call_method1("dumps", (variables,))?.extract()?;
            settings.push(VariableSetting::FileText { name: "variables.json".into(), text });
        }
        let schemas = schemas.map(|Paths(schemas)| schemas).unwrap_or_default();
        Ok(Self { schemas, state: state.map(as_file), no_state, variables: settings })
    }

    /// The settings, with this state unless another one is given.
    fn settings<'i>(&'i self, state: StateChoice<'i>) -> PlanSettings<'i> {
        let state = match &self.state {
            Some(path) => StateChoice::File(path),
            None if self.no_state => StateChoice::Nothing,
            None => state,
        };
        PlanSettings { variables: &self.variables, schemas: &self.schemas, state, ..PlanSettings::default() }
    }
}

fn warn_of(py: Python<'_>, notices: &[Notice]) -> PyResult<()> {
    notices.iter().try_for_each(|notice| match notice {
        Notice::Warning(warning) => warn(py, None, warning),
        _ => Ok(()),
    })
}

/// The plan, unless it has errors.
fn hold(planned: PlannedDirectory, name: &str, masked: &MaskedNames) -> Result<HeldDocument, Failure> {
    if planned.plan.errored {
        return Err(failure("configuration", &planned.messages(), name));
    }
    let file = planned.into_plan_file(name).and_then(|file| file.with_masked_names(masked));
    let file = file.map_err(|error| Failure::plan_file(&error, Some(name)))?;
    // The plan has its schemas.
    HeldDocument::new(file, &SchemasArg::default().0, Some(name.to_owned()))
}

fn refused(error: &PlanError, name: &str) -> Failure {
    let message = match error {
        PlanError::Refused(refused) => refused.messages(),
        PlanError::State { error: state, .. } => match **state {
            StateError::Elsewhere { .. } | StateError::Terragrunt => {
                format!("{state}, then pass it as state; or pass no_state=True if nothing exists yet")
            }
            _ => state.to_string(),
        },
        error => error.to_string(),
    };
    failure(error.kind(), &message, name)
}

fn failure(kind: &str, message: &str, name: &str) -> Failure {
    Failure::new("ConfigurationError", kind, message.trim_end()).in_file(Some(name))
}
