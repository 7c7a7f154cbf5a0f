//! Queries in CEL over a document.

use std::time::Duration;

use objchange::Value;
use objchange_policy::query::{
    Answer, CollectionKind, FoundItem, Projection, Query, QueryError, QueryErrorKind, Search, Subject,
    SubjectError,
};
use objchange_text::json::place;
use objchange_text::{TimeLimit, counted, visible};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::document::{Allowed, AnyDocument, HeldDocument};
use crate::error::Failure;
use crate::value::to_python;

/// The items that a query found.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct QueryResult {
    items: Vec<Py<QueryItem>>,
    undecided: Vec<String>,
}

/// An item that a query found.
#[pyclass(frozen, module = "objchange")]
#[derive(Debug)]
pub struct QueryItem {
    key: String,
    actions: Option<&'static [&'static str]>,
    columns: Vec<(Option<String>, Value)>,
}

#[pymethods]
impl QueryResult {
    /// The items that match, in the order of the document.
    #[getter]
    fn items(&self, py: Python<'_>) -> Vec<Py<QueryItem>> {
        self.items.iter().map(|item| item.clone_ref(py)).collect()
    }

    /// The keys of the items that match.
    #[getter]
    fn keys(&self) -> Vec<String> {
        self.items.iter().map(|item| item.get().key.clone()).collect()
    }

    /// The keys of the items for which the answer is not known until apply: they neither match nor do not.
    #[getter]
    fn undecided(&self) -> Vec<String> {
        self.undecided.clone()
    }

    fn __len__(&self) -> usize {
        self.items.len()
    }

    fn __repr__(&self) -> String {
        format!("<QueryResult: {}, {} undecided>", counted(self.items.len(), "item"), self.undecided.len())
    }
}

#[pymethods]
impl QueryItem {
    /// The address, with ``:`` and the key where it is deposed; of an output or a variable its name.
    #[getter]
    fn key(&self) -> &str {
        &self.key
    }

    /// Its actions; ``None`` if the item is not a change.
    #[getter]
    fn actions(&self) -> Option<Vec<&'static str>> {
        self.actions.map(<[_]>::to_vec)
    }

    /// The value of ``select``: a ``dict`` for a map, a ``list`` for a list. ``"(sensitive value)"`` stands
    /// in place of sensitive values.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.columns[..] {
            [] => Ok(py.None().into_bound(py)),
            [(None, value)] => to_python(py, value),
            columns if columns.iter().all(|(name, _)| name.is_some()) => {
                let dict = PyDict::new(py);
                for (name, value) in columns {
                    dict.set_item(name, to_python(py, value)?)?;
                }
                Ok(dict.into_any())
            }
            columns => {
                let values = columns.iter().map(|(_, value)| to_python(py, value));
                Ok(PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("<QueryItem {}>", visible(&self.key))
    }
}

fn collection(of: &str) -> Result<CollectionKind, Failure> {
    Ok(match of {
        "changes" => CollectionKind::ResourceChanges,
        "drift" => CollectionKind::ResourceDrift,
        "outputs" => CollectionKind::OutputChanges,
        "variables" => CollectionKind::Variables,
        "planned" => CollectionKind::PlannedValues,
        "state" => CollectionKind::State,
        "config" => CollectionKind::Config,
        "deferred" => CollectionKind::Deferred,
        "checks" => CollectionKind::Checks,
        "actions" => CollectionKind::Actions,
        _ => {
            let message = "of is one of changes, drift, outputs, variables, planned, state, config, deferred, checks and \
                           actions";
            return Err(Failure::new("OptionError", "of", message));
        }
    })
}

fn failure(error: &QueryError, text: &str) -> Failure {
    let (line, column) = place(text, error.place.start);
    let help = error.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    Failure::new("QueryError", error.kind.kind(), format!("{}{help}", error.message)).at(line, column)
}

/// Runs an expression. One that can never hold, or has no value for any item, is an error.
fn find(
    held: &HeldDocument,
    of: CollectionKind,
    [text, select]: [&str; 2],
    undecided: bool,
    timeout: Duration,
) -> Result<(Answer, Vec<Option<String>>), Failure> {
    let query = Query::parse(of, text).map_err(|error| failure(&error, text))?;
    let projection = match select {
        "" => None,
        select => Some(Projection::parse(of, select).map_err(|error| failure(&error, select))?),
    };
    let file = held.file.as_deref();
    let marked = held.marked()?;
    if marked.plan().is_some() {
        of.check(marked).map_err(|error| Failure::plan_file(&error, file))?;
    }
    let subject = Subject::new(of, marked.document()).map_err(|error| match error {
        SubjectError::Document(error) => Failure::document(&error, file),
        error => Failure::new("DocumentError", error.kind(), error.to_string()).in_file(file),
    })?;
    let search = Search {
        query: &query,
        projection: projection.as_ref(),
        undecided,
        counts_only: false,
        with_fields: false,
    };
    search.require(marked.document()).map_err(|error| Failure::document(&error, file))?;
    let time = TimeLimit::begin(timeout);
    let answer = search.answer(&subject, || time.is_over());
    let answer =
        answer.ok_or_else(|| Failure::new("QueryError", "timeout", format!("the evaluation {time}")))?;
    let of_columns = answer.tallies.columns.iter().map(|tally| (tally, select));
    for (tally, text) in [(&answer.tallies.filter, text)].into_iter().chain(of_columns) {
        match tally.reason() {
            // Absent fields are no error: resources of other types do not have them.
            Some(error) if error.kind != QueryErrorKind::Absent => return Err(failure(error, text)),
            _ => {}
        }
    }
    if let Some(error) = projection.iter().flat_map(|of| of.impossible(&answer.comparisons[1])).next() {
        return Err(failure(&error, select));
    }
    // If items were found, another part of the expression may decide, and unknown values may match.
    if answer.found == 0
        && answer.undecided.is_empty()
        && let Some(error) = query.impossible(&answer.comparisons[0]).first()
    {
        return Err(failure(error, text));
    }
    let names =
        projection.iter().flat_map(|of| of.names().map(|name| name.map(str::to_owned)).collect::<Vec<_>>());
    let names = names.collect();
    Ok((answer, names))
}

/// Finds items of a plan or state with an expression in CEL: ``rc`` is the item, with the fields of Sentinel's tfplan/v2.
///
/// ``of`` is the collection: ``"changes"``, ``"drift"``, ``"outputs"``, ``"variables"``, ``"planned"``,
/// ``"state"``, ``"config"``, ``"deferred"``, ``"checks"`` or ``"actions"``. ``select`` is an expression for the value of each item, and
/// ``undecided=True`` finds the items whose answer is not known until apply. ``timeout`` is in seconds.
///
/// Raises `QueryError` if the expression is invalid or takes too much, `DocumentError` if the document
/// cannot be read, has no such items, lacks changes or has unknown actions, or is a plan whose planning
/// ended with an error (``allow_errored=True`` accepts it) or that was planned without providers and without
/// ``strict`` (``allow_trusting=True``), `OptionError` for another ``of``.
///
/// >>> objchange.query(plan, 'rc.change.actions == ["create"] && rc.change.after.size > 5').keys
/// ['disk.a']
/// >>> objchange.query(plan, 'unknown(rc, "id")', select='{"size": rc.change.after.size}').items[0].value
/// {'size': 10}
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are the keyword arguments of Python")]
#[pyo3(signature = (document, expression, /, *, of="changes", select=None, undecided=false, timeout=60.0, allow_errored=false, allow_trusting=false))]
pub(crate) fn query(
    document: &Bound<'_, AnyDocument>,
    expression: &str,
    of: &str,
    select: Option<&str>,
    undecided: bool,
    timeout: f64,
    allow_errored: bool,
    allow_trusting: bool,
) -> PyResult<QueryResult> {
    let py = document.py();
    let of = collection(of)?;
    let timeout = seconds(timeout)?;
    let held = document.get().held();
    let allowed = Allowed { errored: allow_errored, trusting: allow_trusting };
    match of {
        // Drift, planned values and the others do not depend on the changes that an incomplete plan lacks.
        CollectionKind::ResourceChanges
        | CollectionKind::OutputChanges
        | CollectionKind::Deferred
        | CollectionKind::Actions => {
            held.refuse_partial(py, allowed)?;
        }
        _ => held.refuse_doubtful(allowed)?,
    }
    let (answer, names) = py.detach(|| {
        let texts = [expression, select.unwrap_or_default()];
        find(held, of, texts, undecided, timeout)
    })?;
    let item = |item: FoundItem| {
        let values = item.values.iter().map(Value::try_from).collect::<Result<Vec<_>, _>>();
        let values =
            values.map_err(|error| Failure::new("QueryError", error.kind.kind(), error.to_string()))?;
        let columns = names.iter().cloned().zip(values).collect();
        Py::new(py, QueryItem { key: item.key, actions: item.actions, columns })
    };
    let items = answer.items.into_iter().map(item).collect::<PyResult<_>>()?;
    Ok(QueryResult { items, undecided: answer.undecided })
}

/// A time limit.
pub(crate) fn seconds(seconds: f64) -> Result<Duration, Failure> {
    // `Duration::from_secs_f64` panics at a negative number, NaN and infinity.
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        Failure::new("OptionError", "timeout", "a timeout is a number of seconds, not below zero")
    })
}
