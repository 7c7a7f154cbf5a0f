//! `ResourceChange` and `OutputChange`: references into a plan. Everything is read on demand.

use std::sync::Arc;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::PathStep;
use objchange_document::changes::{ChangedResource, ResourceActions};
use objchange_document::{DocumentError, Index, Plan};
use objchange_policy::columns::{RowKind, changes, of_resources, shown_path};
use objchange_policy::tfplan::Change;
use objchange_policy::{Marked, ObjectValueError};
use objchange_text::{counted, listed, visible};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::choice::Choice;
use crate::columns::{capsule, row_failure};
use crate::document::{HeldDocument, NamedList};
use crate::engine::coerce_failure;
use crate::error::Failure;
use crate::sequence::{positions, sequence};
use crate::value::to_python;

/// Which changes of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Planned,
    Drift,
    Deferred,
}

impl ChangeKind {
    fn list(self) -> NamedList {
        match self {
            Self::Planned => NamedList::Changes,
            Self::Drift => NamedList::Drift,
            Self::Deferred => NamedList::Deferred,
        }
    }

    fn count(self, plan: &Plan<'_>) -> usize {
        match self {
            Self::Planned => plan.changes.resources.len(),
            Self::Drift => plan.changes.drift.len(),
            Self::Deferred => plan.changes.deferred.len(),
        }
    }

    fn get<'p, 't>(self, plan: &'p Plan<'t>, index: usize) -> Option<&'p ChangedResource<'t>> {
        match self {
            Self::Planned => plan.changes.resources.get(index),
            Self::Drift => plan.changes.drift.get(index),
            Self::Deferred => plan.changes.deferred.get(index).map(|deferred| &deferred.resource),
        }
    }
}

/// One side of a change.
#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// The words for actions, in the order of `counts`.
const ACTIONS: [ResourceActions; 8] = [
    ResourceActions::NoOp,
    ResourceActions::Create,
    ResourceActions::Read,
    ResourceActions::Update,
    ResourceActions::Delete,
    ResourceActions::DeleteThenCreate,
    ResourceActions::Forget,
    ResourceActions::Unknown,
];

/// How many of these changes have each action, in the order of [`ACTIONS`].
fn counts<'p, 't: 'p>(changes: impl Iterator<Item = &'p ChangedResource<'t>>) -> [(&'static str, usize); 8] {
    let mut counts = ACTIONS.map(|actions| (actions.word(), 0));
    for resource in changes {
        let word = resource.change.actions.word();
        if let Some((_, count)) = counts.iter_mut().find(|(other, _)| *other == word) {
            *count += 1;
        }
    }
    counts
}

/// The number of changes and of each action, such as `3 changes: 2 create, 1 delete`.
pub(crate) fn change_counts<'p, 't: 'p>(
    changes: impl Iterator<Item = &'p ChangedResource<'t>>,
    thing: &str,
) -> String {
    let counts = counts(changes);
    let all = counted(counts.iter().map(|(_, count)| count).sum(), thing);
    let each = counts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| format!("{count} {word}"));
    match each.collect::<Vec<_>>().join(", ") {
        each if each.is_empty() => all,
        each => format!("{all}: {each}"),
    }
}

/// The name of a change in its list: the address, and of a deposed object `:` and its key.
fn name_of(resource: &ChangedResource<'_>) -> String {
    match &resource.deposed {
        Some(key) => format!("{}:{key}", resource.address),
        None => resource.address.to_string(),
    }
}

/// The changes of resources in a plan, found by position or by address. The name of a deposed object is its address, ``:`` and
/// its key.
#[pyclass(frozen, sequence, module = "objchange")]
#[derive(Debug)]
pub struct ChangeList {
    held: Arc<HeldDocument>,
    kind: ChangeKind,
    /// The positions in the plan, in order; `None` for all.
    chosen: Option<Arc<[usize]>>,
    count: usize,
}

impl ChangeList {
    pub(crate) fn new(held: &Arc<HeldDocument>, kind: ChangeKind) -> Self {
        let count = held.plan().map(|plan| kind.count(plan)).unwrap_or_default();
        Self { held: Arc::clone(held), kind, chosen: None, count }
    }

    fn length(&self) -> usize {
        self.count
    }

    /// The position in the plan.
    fn place(&self, index: usize) -> usize {
        match &self.chosen {
            Some(chosen) => chosen.get(index).copied().unwrap_or(index),
            None => index,
        }
    }

    fn item(&self, index: usize) -> ResourceChange {
        ResourceChange { held: Arc::clone(&self.held), kind: self.kind, index: self.place(index) }
    }

    /// The changes with their positions in the plan.
    fn resources<'p, 't>(
        &self,
        plan: &'p Plan<'t>,
    ) -> impl Iterator<Item = (usize, &'p ChangedResource<'t>)> {
        let (kind, places) = (self.kind, (0..self.count).map(|index| self.place(index)));
        places.filter_map(move |place| Some((place, kind.get(plan, place)?)))
    }

    fn position(&self, name: &str) -> Option<usize> {
        let plan = self.held.plan().ok()?;
        let all = || (0..self.kind.count(plan)).filter_map(|place| self.kind.get(plan, place));
        let known = self.held.positions(self.kind.list(), || positions(all().map(name_of)));
        let place = *known.get(name)?;
        match &self.chosen {
            Some(chosen) => chosen.binary_search(&place).ok(),
            None => Some(place),
        }
    }

    fn names(&self) -> Vec<String> {
        let plan = self.held.plan();
        plan.map_or_else(
            |_| Vec::new(),
            |plan| self.resources(plan).map(|(_, resource)| name_of(resource)).collect(),
        )
    }
}

sequence!(ChangeList

    /// How many of the changes have each action.
    ///
    /// >>> {action: count for action, count in plan.changes.counts.items() if count}
    /// {'create': 1}
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (action, count) in counts(self.resources(self.held.plan()?).map(|(_, resource)| resource)) {
            dict.set_item(action, count)?;
        }
        Ok(dict)
    }

    /// Those of the changes that match: ``action``, ``type``, ``module``, ``only`` and ``exclude`` as for `Document.text`, each one
    /// text or several. An unknown action matches each ``action``, because it may be that.
    ///
    /// Raises `OptionError` where there is no such action.
    ///
    /// >>> [change.address for change in plan.changes.filter(action="create", type="disk")]
    /// ['disk.a']
    #[pyo3(signature = (**choice))]
    fn filter(&self, choice: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let filter = Choice::of_list(choice)?;
        let matches = |resource: &ChangedResource<'_>| {
            filter.matches(&resource.address, &resource.resource_type, resource.change.actions)
        };
        let found = self.resources(self.held.plan()?).filter(|(_, resource)| matches(resource));
        let chosen: Arc<[usize]> = found.map(|(place, _)| place).collect();
        let (held, count) = (Arc::clone(&self.held), chosen.len());
        Ok(Self { held, kind: self.kind, chosen: Some(chosen), count })
    }

    /// The changes as a ``pyarrow.Table``, with the columns of ``objchange.arrow``. It needs pyarrow 15 or later.
    ///
    /// Raises `DocumentError` and `SchemaError` where a value cannot be read, and ``ImportError`` without pyarrow.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// The changes as an Arrow stream, for libraries that know Arrow. Each call makes a new one.
    #[pyo3(signature = (requested_schema=None))]
    pub(crate) fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // By the Arrow PyCapsule interface this is a wish: callers convert to another schema themselves.
        let _ = requested_schema;
        let (held, of) = (&*self.held, if self.kind == ChangeKind::Drift { RowKind::Drift } else { RowKind::Changes });
        let rows = py.detach(|| {
            let plan = held.plan()?;
            let resources = self.resources(plan).map(|(_, resource)| resource);
            of_resources(held.plan_file().name(), plan, resources, &held.schemas)
                .map_err(|error| row_failure(&error, held.file.as_deref()))
        });
        capsule(py, of, &rows?)
    }

    fn __repr__(&self) -> PyResult<String> {
        let changes = self.resources(self.held.plan()?).map(|(_, resource)| resource);
        Ok(format!("<ChangeList: {}>", change_counts(changes, "change")))
    }
);

/// The change of a resource instance.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct ResourceChange {
    held: Arc<HeldDocument>,
    kind: ChangeKind,
    index: usize,
}

impl ResourceChange {
    fn look<R>(
        &self,
        look: impl for<'t> FnOnce(&Plan<'t>, &ChangedResource<'t>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let plan = self.held.plan()?;
        look(plan, self.of(plan)?)
    }

    fn text(&self, text: impl Fn(&ChangedResource<'_>) -> Option<String>) -> PyResult<Option<String>> {
        Ok(self.look(|_, resource| Ok(text(resource)))?)
    }

    fn failure(&self, error: &DocumentError) -> Failure {
        Failure::document(error, self.held.file.as_deref())
    }

    /// The change in its plan.
    fn of<'p, 't>(&self, plan: &'p Plan<'t>) -> Result<&'p ChangedResource<'t>, Failure> {
        self.kind.get(plan, self.index).ok_or_else(|| Failure::defect("there is no such change"))
    }

    fn value(&self, side: Side) -> Result<Value, Failure> {
        self.held.with_raw(|plan, raw| {
            let resource = self.of(plan)?;
            // `terraform show -json` writes sets as lists. Only the schema tells them apart.
            let schema = self.held.schemas.of_change(resource);
            let schema = schema.map_err(|error| Failure::schemas(&error, None))?;
            let change = raw.change_of(resource);
            side_value(&change, &resource.address, side, schema, self.held.file.as_deref())
        })
    }

    fn side<'py>(&self, py: Python<'py>, side: Side) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &py.detach(|| self.value(side))?)
    }
}

/// One side of a change as a value: by the schema, if there is one.
fn side_value(
    change: &Change<'_>,
    name: &str,
    side: Side,
    schema: Option<&Block>,
    file: Option<&str>,
) -> Result<Value, Failure> {
    let marked = match side {
        Side::Before => change.before(),
        Side::After => change.after(),
    };
    object_value(marked.map_err(|error| Failure::document(&error, file))?, name, schema, file)
}

/// A value of a document, by the schema of its resource if there is one.
pub(crate) fn object_value(
    marked: Marked<'_, '_>,
    name: &str,
    schema: Option<&Block>,
    file: Option<&str>,
) -> Result<Value, Failure> {
    marked.to_object(schema).map_err(|error| {
        let failure = match &error {
            ObjectValueError::Schema(error) => coerce_failure(error),
            error => Failure::new("DocumentError", error.kind(), error.to_string()),
        };
        failure.within(name).in_file(file)
    })
}

pub(crate) fn key_to_python<'py>(py: Python<'py>, key: Option<Index<'_>>) -> PyResult<Bound<'py, PyAny>> {
    match key {
        None => Ok(py.None().into_bound(py)),
        Some(Index::Key(key)) => Ok(key.as_str().into_pyobject(py)?.into_any()),
        Some(Index::Number(number)) => match objchange::value::Number::parse(&number) {
            Ok(number) => to_python(py, &Value::from(number)),
            Err(error) => Err(Failure::new("DocumentError", error.kind(), error.to_string()).into()),
        },
    }
}

#[pymethods]
impl ResourceChange {
    /// The address, such as ``module.a.disk.b[0]``.
    #[getter]
    fn address(&self) -> PyResult<Option<String>> {
        self.text(|resource| Some(resource.address.to_string()))
    }

    /// The address before a move; ``None`` if it has not moved.
    #[getter]
    fn previous_address(&self) -> PyResult<Option<String>> {
        self.text(|resource| resource.previous_address.as_ref().map(ToString::to_string))
    }

    /// The address of its module; `""` is the root module.
    #[getter]
    fn module(&self) -> PyResult<Option<String>> {
        self.text(|resource| {
            Some(resource.module_address.as_ref().map(ToString::to_string).unwrap_or_default())
        })
    }

    /// ``"managed"`` or ``"data"``.
    #[getter]
    fn mode(&self) -> PyResult<Option<String>> {
        self.text(|resource| Some(resource.mode.to_string()))
    }

    /// The resource type.
    #[getter]
    fn r#type(&self) -> PyResult<Option<String>> {
        self.text(|resource| Some(resource.resource_type.to_string()))
    }

    /// The name in its module.
    #[getter]
    fn name(&self) -> PyResult<Option<String>> {
        self.text(|resource| Some(resource.name.to_string()))
    }

    /// The key from ``count`` or ``for_each``: an ``int`` or ``str``; ``None`` for a single instance.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let key = self.look(|plan, resource| {
            let key =
                resource.index.as_ref().map_or(Ok(None), objchange_document::changes::ChangedIndex::read);
            let key = key.map_err(|error| {
                self.failure(&DocumentError::from_json(
                    &error,
                    plan.text(),
                    &format!("{}: index", resource.address),
                ))
            })?;
            Ok(key.map(|key| match key {
                Index::Number(number) => Index::Number(number.into_owned()),
                Index::Key(key) => Index::Key(key.into_owned()),
            }))
        })?;
        key_to_python(py, key)
    }

    /// The provider's address.
    #[getter]
    fn provider(&self) -> PyResult<Option<String>> {
        self.text(|resource| Some(resource.provider_name.to_string()))
    }

    /// The key of a deposed object, and ``None`` for the current one.
    #[getter]
    fn deposed(&self) -> PyResult<Option<String>> {
        self.text(|resource| resource.deposed.as_ref().map(ToString::to_string))
    }

    /// Terraform's actions, in order: such as ``["delete", "create"]``.
    #[getter]
    fn actions(&self) -> PyResult<Vec<String>> {
        Ok(self.look(|_, resource| {
            Ok(resource.change.action_words().into_iter().map(str::to_owned).collect())
        })?)
    }

    /// The action in one word: ``"replace"`` for each way to replace an object, ``"unknown"`` if the plan has words that are not
    /// known here.
    ///
    /// >>> plan.changes[0].action
    /// 'create'
    #[getter]
    fn action(&self) -> PyResult<&'static str> {
        Ok(self.look(|_, resource| Ok(resource.change.actions.word()))?)
    }

    /// The reason, such as ``"replace_because_tainted"``; ``None`` if the plan has none.
    #[getter]
    fn reason(&self) -> PyResult<Option<String>> {
        self.text(|resource| resource.action_reason.as_ref().map(ToString::to_string))
    }

    /// Why the change is left to the next plan.
    #[getter]
    fn deferred_reason(&self) -> PyResult<Option<String>> {
        if self.kind != ChangeKind::Deferred {
            return Ok(None);
        }
        let deferred = self.held.plan()?.changes.deferred.get(self.index);
        Ok(deferred.map(|deferred| deferred.reason.to_string()))
    }

    /// The identifier by which it is imported.
    #[getter]
    fn import_id(&self) -> PyResult<Option<String>> {
        self.text(|resource| resource.change.importing.as_ref()?.id.as_ref().map(ToString::to_string))
    }

    /// The paths that force a replacement, each of names, keys and positions. A path ends at the first part that is sensitive: keys
    /// in it may be secrets.
    ///
    /// Raises as `before`.
    #[getter]
    fn replace_paths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let paths = py.detach(|| {
            self.held.with_raw(|plan, raw| {
                let (change, [before, after]) =
                    (raw.change_of(self.of(plan)?), [self.value(Side::Before)?, self.value(Side::After)?]);
                let paths = change.replace_paths().map_err(|error| self.failure(&error))?;
                let paths = paths.elements();
                Ok(paths.iter().map(|path| shown_path(path, [&before, &after])).collect::<Vec<_>>())
            })
        })?;
        let paths = paths.iter().map(|path| {
            let steps = path.steps().iter().map(|step| match step {
                PathStep::Attribute(name) => Ok(name.as_str().into_pyobject(py)?.into_any()),
                PathStep::Index(key) => to_python(py, key),
            });
            PyList::new(py, steps.collect::<PyResult<Vec<_>>>()?)
        });
        Ok(PyList::new(py, paths.collect::<PyResult<Vec<_>>>()?)?.into_any())
    }

    /// The value before; ``None`` if there is none. Each access makes a new object.
    ///
    /// Raises `DocumentError` where the value cannot be read, `SchemaError` where it does not fit its schema.
    #[getter]
    fn before<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.side(py, Side::Before)
    }

    /// The value after, with ``UNKNOWN`` for values known only after apply; ``None`` if there is none.
    ///
    /// Raises `DocumentError` where the value cannot be read, `SchemaError` where it does not fit its schema.
    ///
    /// >>> plan.changes[0].after
    /// {'id': UNKNOWN, 'size': 10, 'token': (sensitive value)}
    #[getter]
    fn after<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.side(py, Side::After)
    }

    /// All of it by the names of the attributes, with the same values.
    ///
    /// >>> plan.changes[0].to_dict()["after"]
    /// {'id': UNKNOWN, 'size': 10, 'token': (sensitive value)}
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        attributes(
            slf,
            &[
                "address",
                "previous_address",
                "module",
                "mode",
                "type",
                "name",
                "key",
                "deposed",
                "provider",
                "action",
                "actions",
                "reason",
                "deferred_reason",
                "import_id",
                "replace_paths",
                "before",
                "after",
            ],
        )
    }

    /// Whether both are one change of one plan.
    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.held, &other.held) && self.kind == other.kind && self.index == other.index
    }

    // Equal objects have one hash, as Python demands. The hash may well be that of another plan's change: `__eq__`
    // decides.
    fn __hash__(&self) -> usize {
        self.index
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(self.look(|_, resource| {
            let actions = resource.change.action_words().join(", ");
            Ok(format!("<ResourceChange {}: {}>", visible(&name_of(resource)), visible(&actions)))
        })?)
    }
}

/// These attributes of an object, by name.
fn attributes<'py, T>(object: &Bound<'py, T>, names: &[&str]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(object.py());
    names.iter().try_for_each(|name| dict.set_item(name, object.as_any().getattr(*name)?))?;
    Ok(dict)
}

/// The changes of outputs in a plan, found by position or by name.
#[pyclass(frozen, sequence, module = "objchange")]
#[derive(Debug)]
pub struct OutputList(pub(crate) Arc<HeldDocument>);

impl OutputList {
    fn length(&self) -> usize {
        self.0.plan().map(|plan| plan.changes.outputs.len()).unwrap_or_default()
    }

    fn item(&self, index: usize) -> OutputChange {
        OutputChange { held: Arc::clone(&self.0), index }
    }

    fn position(&self, name: &str) -> Option<usize> {
        let known = self.0.positions(NamedList::Outputs, || positions(self.names().into_iter()));
        known.get(name).copied()
    }

    fn names(&self) -> Vec<String> {
        let outputs = self.0.plan().map(|plan| &plan.changes.outputs[..]).unwrap_or_default();
        outputs.iter().map(|output| output.name.to_string()).collect()
    }
}

sequence!(OutputList

    /// The changes as a ``pyarrow.Table``, with the columns of ``objchange.arrow``. It needs pyarrow 15 or later.
    ///
    /// Raises as `ChangeList.to_arrow`.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// The changes as an Arrow stream, for libraries that know Arrow. Each call makes a new one.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let held = &*self.0;
        let rows = py.detach(|| {
            changes(held.plan_file().name(), held.plan()?, RowKind::Outputs, &held.schemas, |_| true)
                .map_err(|error| row_failure(&error, held.file.as_deref()))
        });
        capsule(py, RowKind::Outputs, &rows?)
    }

    fn __repr__(&self) -> String {
        described("OutputList", "output", &self.names())
    }
);

/// The `repr` of a list: how many there are, and the names of the first.
pub(crate) fn described(class: &str, thing: &str, names: &[String]) -> String {
    let count = counted(names.len(), thing);
    match &names[..names.len().min(3)] {
        [] => format!("<{class}: {count}>"),
        first => format!("<{class}: {count}: {}>", visible(&listed(first, names.len()))),
    }
}

/// The change of an output of the root module.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct OutputChange {
    held: Arc<HeldDocument>,
    index: usize,
}

impl OutputChange {
    fn look<R>(
        &self,
        look: impl for<'t> FnOnce(&Plan<'t>, &objchange_document::changes::OutputChange<'t>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let plan = self.held.plan()?;
        match plan.changes.outputs.get(self.index) {
            Some(output) => look(plan, output),
            None => Err(Failure::defect("there is no such output")),
        }
    }

    fn side<'py>(&self, py: Python<'py>, side: Side) -> PyResult<Bound<'py, PyAny>> {
        let file = self.held.file.as_deref();
        let value = py.detach(|| {
            self.held.with_raw(|plan, raw| match plan.changes.outputs.get(self.index) {
                Some(output) => side_value(&raw.change_of_output(output), &output.name, side, None, file),
                None => Err(Failure::defect("there is no such output")),
            })
        })?;
        to_python(py, &value)
    }
}

#[pymethods]
impl OutputChange {
    /// The name of the output.
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.look(|_, output| Ok(output.name.to_string()))?)
    }

    /// Terraform's actions, in order: such as ``["delete", "create"]``.
    #[getter]
    fn actions(&self) -> PyResult<Vec<String>> {
        Ok(self.look(|_, output| Ok(output.change.action_words().into_iter().map(str::to_owned).collect()))?)
    }

    /// The action in one word.
    #[getter]
    fn action(&self) -> PyResult<&'static str> {
        Ok(self.look(|_, output| Ok(output.change.actions.word()))?)
    }

    /// The value before; ``None`` if there is none.
    #[getter]
    fn before<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.side(py, Side::Before)
    }

    /// The value after; ``UNKNOWN`` where it is known only after apply.
    #[getter]
    fn after<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.side(py, Side::After)
    }

    /// All of it by the names of the attributes, with the same values.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        attributes(slf, &["name", "action", "actions", "before", "after"])
    }

    /// Whether both are one change of one plan.
    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.held, &other.held) && self.index == other.index
    }

    fn __hash__(&self) -> usize {
        self.index
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(self.look(|_, output| {
            let actions = output.change.action_words().join(", ");
            Ok(format!("<OutputChange {}: {}>", visible(&output.name), visible(&actions)))
        })?)
    }
}
