//! `Plan` and `State`: a text and the document that was read from it, held together.

use std::sync::{Arc, OnceLock};

use objchange_document::{Document, DocumentError, PlanFile, Problem, Program, Schemas, document_warnings};
use objchange_plan::compare::{HashKey, HashedPlan};
use objchange_plan::render::{GroupBy, HtmlOptions};
use objchange_plan::{Colour, Filter, Options, Report};
use objchange_policy::tfplan::RawPlan;
use objchange_policy::tfstate::TfState;
use objchange_text::counted;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};
use self_cell::self_cell;

use crate::change::{ChangeKind, ChangeList, OutputList, change_counts};
use crate::choice::{Choice, Texts, ignored};
use crate::comparison::Comparison;
use crate::error::Failure;
use crate::load::{Input, read_document, warn};
use crate::page;
use crate::query::seconds;
use crate::schemas::{LoadedSchemas, SchemasArg};
use crate::sequence::Positions;
use crate::state::{OutputValue, ResourceList};

self_cell! {
    struct Cell {
        owner: PlanFile,

        // `Parts` fills a `OnceLock` later, which makes its lifetime invariant.
        #[not_covariant]
        dependent: Parts,
    }

    impl {Debug}
}

/// Parts of a document that are read on demand.
#[derive(Debug)]
pub(crate) struct Parts<'t> {
    /// The resources and outputs of a state.
    state: TfState<'t>,
    /// All that the sections of a plan call sensitive.
    raw: OnceLock<Result<RawPlan<'t>, DocumentError>>,
}

/// A document, with the schemas for showing it.
#[derive(Debug)]
pub(crate) struct HeldDocument {
    /// The document, and of a state its resources and outputs.
    cell: Cell,
    pub(crate) schemas: Arc<Schemas>,
    has_schemas: bool,
    /// The document with the marks of the schemas, made for the first policy or query.
    marked: OnceLock<PlanFile>,
    /// For each of its lists the positions by name, made for the first look-up.
    positions: [OnceLock<Positions>; 5],
    /// The name of its file.
    pub(crate) file: Option<String>,
}

/// Which plans a judgement accepts although they may not say what happens.
#[derive(Clone, Copy)]
pub(crate) struct Allowed {
    pub(crate) errored: bool,
    pub(crate) trusting: bool,
}

impl HeldDocument {
    /// Holds a plan or state.
    pub(crate) fn new(
        read: PlanFile,
        schemas: &LoadedSchemas,
        file: Option<String>,
    ) -> Result<Self, Failure> {
        // `terraform show -json` always writes a `format_version`. A part without it would look like a plan with fewer
        // changes.
        if read.facts().is_part {
            let problem = Problem::NoFormatVersion;
            let failure = Failure::new("DocumentError", problem.kind(), problem.to_string());
            return Err(failure.at(1, 1).in_file(file.as_deref()));
        }
        let cell = Cell::try_new(read, |read| {
            let state = match read.document() {
                Document::Plan(_) => TfState::default(),
                Document::State(state) => TfState::new(state.clone())?,
            };
            Ok(Parts { state, raw: OnceLock::new() })
        });
        let cell = cell.map_err(|error| Failure::document(&error, file.as_deref()))?;
        let (shown, has_schemas) = (Arc::clone(&schemas.shown), !schemas.is_empty());
        let positions = Default::default();
        Ok(Self { cell, schemas: shown, has_schemas, marked: OnceLock::new(), positions, file })
    }

    /// The positions of the elements of a list by name.
    pub(crate) fn positions(&self, list: NamedList, make: impl FnOnce() -> Positions) -> &Positions {
        self.positions[list as usize].get_or_init(make)
    }

    /// The plan or state with all that its schemas call sensitive, for policies and queries: Terraform's documents lack some
    /// of these marks.
    pub(crate) fn marked(&self) -> Result<&PlanFile, Failure> {
        if !self.has_schemas {
            return Ok(self.plan_file());
        }
        if let Some(marked) = self.marked.get() {
            return Ok(marked);
        }
        let marked = self.plan_file().clone().with_schemas(&self.schemas);
        let marked = marked.map_err(|error| Failure::plan_file(&error, self.file.as_deref()))?;
        // `OnceLock::get_or_try_init` is not stable. If two threads come here at once, both use the first document.
        Ok(self.marked.get_or_init(|| marked))
    }

    /// The plan or state.
    pub(crate) fn plan_file(&self) -> &PlanFile {
        self.cell.borrow_owner()
    }

    /// Looks at the resources and outputs of a state.
    pub(crate) fn with_state<R>(&self, look: impl for<'t> FnOnce(&TfState<'t>) -> R) -> R {
        self.cell.with_dependent(|_, parts| look(&parts.state))
    }

    /// The plan.
    pub(crate) fn plan(&self) -> Result<&objchange_document::Plan<'_>, Failure> {
        let not_a_plan = || Failure::new("DocumentError", "state", "this is a state, and no plan");
        self.plan_file().plan().ok_or_else(not_a_plan)
    }

    /// The plan, for gates and policies.
    pub(crate) fn judged(&self) -> Result<&objchange_document::Plan<'_>, Failure> {
        self.plan_file().judged().map_err(|error| Failure::plan_file(&error, self.file.as_deref()))
    }

    /// Looks at a plan together with all that its sections call sensitive.
    pub(crate) fn with_raw<R>(
        &self,
        look: impl for<'t> FnOnce(&objchange_document::Plan<'t>, &RawPlan<'t>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        self.cell.with_dependent(|file, parts| match file.document() {
            Document::Plan(plan) => match parts.raw.get_or_init(|| RawPlan::new(plan)) {
                Ok(raw) => look(plan, raw),
                Err(error) => Err(Failure::document(error, self.file.as_deref())),
            },
            Document::State(_) => Err(Failure::new("DocumentError", "state", "this is a state, and no plan")),
        })
    }

    /// Refuses a plan whose planning ended with an error, because it lacks changes, and one that takes values for known which its
    /// providers may change.
    pub(crate) fn refuse_doubtful(&self, allowed: Allowed) -> Result<(), Failure> {
        let facts = self.plan_file().facts();
        let (kind, message) = if facts.errored && !allowed.errored {
            (
                "errored",
                "planning ended with an error, so the plan lacks changes: fix the error and plan again, or accept such \
                 plans with allow_errored",
            )
        } else if facts.unasked.is_trusting && !allowed.trusting {
            (
                "trusting",
                "planned without its providers and not strictly, so values that they may change would decide as if they \
                 were known: plan with strict=True, or accept such plans with allow_trusting",
            )
        } else {
            return Ok(());
        };
        Err(Failure::new("DocumentError", kind, message).in_file(self.file.as_deref()))
    }

    /// Refuses a plan that lacks changes: a policy about the changes would pass without them. An incomplete
    /// plan says so itself, so there is only a warning.
    pub(crate) fn refuse_partial(&self, py: Python<'_>, allowed: Allowed) -> PyResult<()> {
        self.refuse_doubtful(allowed)?;
        if !self.is_plan() {
            return Ok(());
        }
        self.judged()?;
        let facts = self.plan_file().facts();
        if !facts.incomplete || facts.simulated {
            return Ok(());
        }
        document_warnings(facts).iter().try_for_each(|warning| warn(py, self.file.as_deref(), warning))
    }

    fn is_plan(&self) -> bool {
        self.plan_file().is_plan()
    }

    /// Writes a report of the document.
    fn page(
        &self,
        options: &Options,
        filter: &Filter,
        write: impl FnOnce(&Report<'_>, &mut Vec<u8>) -> Result<(), objchange_plan::report::ShowError>,
    ) -> Result<String, Failure> {
        let mut page = Vec::new();
        Report::of_file(self.plan_file(), &self.schemas, options, filter)
            .and_then(|report| write(&report, &mut page))
            .map_err(|error| Failure::show(&error, self.file.as_deref()))?;
        page::text(page)
    }

    /// Writes a page in a format of our own.
    fn own_page(
        &self,
        py: Python<'_>,
        choice: &Choice,
        write: impl Send + FnOnce(&Report<'_>, &mut Vec<u8>) -> Result<(), objchange_plan::report::ShowError>,
    ) -> PyResult<String> {
        choice.check(py, self)?;
        let options = Options { own_format: true, ..choice.options() };
        Ok(py.detach(|| self.page(&options, &choice.filter(), write))?)
    }

    /// The `repr` of an object of this class, with the name of its file and what is counted in it.
    fn described(&self, class: &str, counts: &str) -> String {
        match &self.file {
            Some(file) => format!("<{class} {file:?}: {counts}>"),
            None => format!("<{class}: {counts}>"),
        }
    }
}

/// A list of a document whose elements have names.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NamedList {
    Changes,
    Drift,
    Deferred,
    Outputs,
    Resources,
}

fn colour(color: bool) -> Colour {
    if color { Colour::Always } else { Colour::Never }
}

fn group_by(name: &str) -> Result<GroupBy, Failure> {
    match name {
        "action" => Ok(GroupBy::Action),
        "module" => Ok(GroupBy::Module),
        "type" => Ok(GroupBy::Type),
        _ => Err(Failure::new("OptionError", "group_by", "group_by is one of action, module and type")),
    }
}

/// A plan or a state, with the methods of both.
#[pyclass(frozen, subclass, name = "Document", module = "objchange")]
#[derive(Debug)]
pub struct AnyDocument(Arc<HeldDocument>);

impl AnyDocument {
    pub(crate) fn held(&self) -> &HeldDocument {
        &self.0
    }
}

#[pymethods]
impl AnyDocument {
    /// The name of its file.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The version of the program that wrote it.
    #[getter]
    fn terraform_version(&self) -> Option<String> {
        self.0.plan_file().terraform_version().map(str::to_owned)
    }

    /// The addresses of its providers, in order.
    #[getter]
    fn providers(&self) -> Vec<String> {
        self.0.plan_file().providers().into_iter().map(str::to_owned).collect()
    }

    /// The text that Terraform prints for it.
    ///
    /// ``width`` is the width of the terminal, in columns; ``show_sensitive`` shows sensitive values, which OpenTofu can and
    /// Terraform cannot.
    ///
    /// All pages have the arguments of ``objchange show``. ``only``, ``exclude``, ``type``, ``module`` and ``action`` choose
    /// resources, each by one text or several. ``drift`` shows changes made outside of Terraform alone, and ``no_drift`` none.
    /// ``ignore`` has paths of values to ignore. ``program`` chooses the style, such as ``"terraform@1.11"`` or ``"opentofu"``;
    /// by default it is that of the program that wrote the document. ``mode`` is needed only if the document does not say it.
    /// ``match_sets`` and ``match_lists`` show changed elements as updates, and ``full`` unchanged parts as well.
    ///
    /// Raises `OptionError` where an argument has no such value or does not fit the document, and `DocumentError` where the
    /// document cannot be read. Warns with `DocumentWarning` of a choice that matches nothing.
    ///
    /// >>> print(plan.text().splitlines()[-1])
    /// Plan: 1 to add, 0 to change, 0 to destroy.
    #[pyo3(signature = (*, color=false, width=None, show_sensitive=false, **choice))]
    fn text(
        &self,
        py: Python<'_>,
        color: bool,
        width: Option<usize>,
        show_sensitive: bool,
        choice: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let choice = Choice::of_page(choice, true)?;
        choice.check(py, &self.0)?;
        let program = choice.program_of(self.0.plan_file());
        if show_sensitive && !matches!(program, Program::OpenTofu(_)) {
            let message = format!(
                "show_sensitive is an option of OpenTofu, and this is shown as {program} shows it: pass program=\"opentofu\""
            );
            return Err(Failure::new("OptionError", "show_sensitive", message).into());
        }
        let options = Options {
            colour: colour(color),
            width: width.unwrap_or(Options::default().width),
            show_sensitive,
            ..choice.options()
        };
        let write = |report: &Report<'_>, page: &mut Vec<u8>| report.write_text(page, &options);
        Ok(py.detach(|| self.0.page(&options, &choice.filter(), write))?)
    }

    /// A Markdown page, such as for a comment on a pull request. No text of the document is markup in it.
    ///
    /// ``marker`` is an invisible name in the page, by which a program finds its comment again;
    /// ``max_length`` is the maximum length of the page, in UTF-16 units: 4,000 at least, and 65,536 by
    /// default. ``template`` is the file of a Jinja template that writes the page instead, in ``timeout`` seconds at most. The
    /// other arguments are those of `text`.
    ///
    /// Raises as `text`, and `OptionError` where ``max_length`` is too small or the template cannot be used.
    ///
    /// >>> print(plan.markdown(title="Production").splitlines()[0])
    /// ## Production: 1 to create
    #[pyo3(signature = (*, title=None, link=None, marker=None, max_length=None, template=None, timeout=60.0, **choice))]
    #[expect(clippy::too_many_arguments, reason = "they are the keyword arguments of Python")]
    fn markdown(
        &self,
        py: Python<'_>,
        title: Option<&str>,
        link: Option<&str>,
        marker: Option<&str>,
        max_length: Option<usize>,
        template: Option<&Bound<'_, PyAny>>,
        timeout: f64,
        choice: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let page_options = page::markdown_options(title, link, marker, max_length)?;
        let timeout = seconds(timeout)?;
        let template = template.map(page::template).transpose()?;
        self.0.own_page(py, &Choice::of_page(choice, true)?, |report, page| match &template {
            Some(template) => report.write_markdown_template(page, &page_options, template, timeout),
            None => report.write_markdown(page, &page_options),
        })
    }

    /// A page for a browser, with search and filters: one file that requests nothing. The other arguments are those of
    /// `text`.
    ///
    /// Raises as `text`.
    ///
    /// >>> plan.html(title="Production").startswith("<!DOCTYPE html>")
    /// True
    #[pyo3(signature = (*, title=None, link=None, **choice))]
    fn html(
        &self,
        py: Python<'_>,
        title: Option<&str>,
        link: Option<&str>,
        choice: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let page_options = HtmlOptions { title, link, notes: &[] };
        let choice = Choice::of_page(choice, true)?;
        self.0.own_page(py, &choice, |report, page| report.write_html(page, &page_options))
    }

    /// Addresses in groups, reasons and totals, and no values. ``group_by`` is one of ``"action"``, ``"module"`` and ``"type"``.
    /// The other arguments are those of `text`.
    ///
    /// Raises as `text`.
    ///
    /// >>> print(plan.summary())
    /// Create (1)
    ///   + disk.a
    /// Total: 1 to create.
    /// <BLANKLINE>
    #[pyo3(signature = (*, group_by="action", color=false, **choice))]
    fn summary(
        &self,
        py: Python<'_>,
        group_by: &str,
        color: bool,
        choice: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let group_by = self::group_by(group_by)?;
        let choice = Choice::of_page(choice, false)?;
        choice.check(py, &self.0)?;
        let (options, colour) = (Options { own_format: true, ..choice.options() }, colour(color));
        let write = |report: &Report<'_>, page: &mut Vec<u8>| report.write_summary(page, colour, group_by);
        Ok(py.detach(|| self.0.page(&options, &choice.filter(), write))?)
    }

    /// The report as JSON, in the form of ``schema/report.schema.json``: its content as data, without
    /// sensitive values. The arguments are those of `text`.
    ///
    /// Raises as `text`.
    ///
    /// >>> import json
    /// >>> json.loads(plan.json())["counts"]["create"]
    /// 1
    #[pyo3(signature = (**choice))]
    fn json(&self, py: Python<'_>, choice: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let choice = Choice::of_page(choice, false)?;
        self.0.own_page(py, &choice, |report, page| report.write_json(page))
    }

    /// The report of `json` as a ``dict``.
    ///
    /// Raises as `text`.
    ///
    /// >>> plan.to_dict(type="disk")["counts"]["create"]
    /// 1
    #[pyo3(signature = (**choice))]
    fn to_dict<'py>(
        &self,
        py: Python<'py>,
        choice: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.json(py, choice)?,))
    }

    /// The page for notebooks: folded, and cut to about 100 kB.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let write = |report: &Report<'_>, page: &mut Vec<u8>| report.write_html_part(page, page::NOTEBOOK);
        self.0.own_page(py, &Choice::default(), write)
    }
}

/// A plan.
#[pyclass(frozen, extends = AnyDocument, module = "objchange")]
#[derive(Debug)]
pub struct Plan(pub(crate) Arc<HeldDocument>);

/// A state.
#[pyclass(frozen, extends = AnyDocument, module = "objchange")]
#[derive(Debug)]
pub struct State(pub(crate) Arc<HeldDocument>);

/// The object for a document: a `Plan` or a `State`.
pub(crate) fn new_object(py: Python<'_>, held: HeldDocument) -> PyResult<Bound<'_, PyAny>> {
    let held = Arc::new(held);
    // In pyo3 each class of a hierarchy has its own data: both hold the one document.
    let base = PyClassInitializer::from(AnyDocument(Arc::clone(&held)));
    match held.is_plan() {
        true => Ok(Bound::new(py, base.add_subclass(Plan(held)))?.into_any()),
        false => Ok(Bound::new(py, base.add_subclass(State(held)))?.into_any()),
    }
}

#[pymethods]
impl Plan {
    /// The change of each resource instance, in the order of the document. Each is read on demand.
    ///
    /// >>> [change.address for change in plan.changes if "create" in change.actions]
    /// ['disk.a']
    #[getter]
    fn changes(&self) -> ChangeList {
        ChangeList::new(&self.0, ChangeKind::Planned)
    }

    /// Changes of resource instances outside of Terraform.
    #[getter]
    fn drift(&self) -> ChangeList {
        ChangeList::new(&self.0, ChangeKind::Drift)
    }

    /// The changes that are left to the next plan.
    #[getter]
    fn deferred(&self) -> ChangeList {
        ChangeList::new(&self.0, ChangeKind::Deferred)
    }

    /// The changes of the outputs of the root module, by name in byte order.
    #[getter]
    fn outputs(&self) -> OutputList {
        OutputList(Arc::clone(&self.0))
    }

    /// Planning ended with an error: the plan lacks changes.
    #[getter]
    fn errored(&self) -> PyResult<bool> {
        Ok(self.0.plan()?.changes.errored)
    }

    /// When it was made, in RFC 3339; ``None`` where it does not say.
    #[getter]
    fn time(&self) -> PyResult<Option<String>> {
        let time = self.0.plan()?.member("timestamp");
        Ok(time.and_then(|time| serde_json::from_str(time.text()).ok()))
    }

    /// Whether applying the plan would do anything; ``None`` where it does not say.
    #[getter]
    fn applyable(&self) -> PyResult<Option<bool>> {
        Ok(self.0.plan()?.changes.applyable)
    }

    /// Whether nothing was left out; ``None`` where it does not say.
    #[getter]
    fn complete(&self) -> PyResult<Option<bool>> {
        Ok(self.0.plan()?.changes.complete)
    }

    /// It was made without asking its providers.
    #[getter]
    fn simulated(&self) -> PyResult<bool> {
        Ok(self.0.plan()?.is_simulated())
    }

    /// Reads a plan, and nothing else.
    ///
    /// Raises `DocumentError`, also for a state, `SchemaError`, and what ``open`` raises.
    ///
    /// >>> Plan.load(plan_path).changes[0].type
    /// 'disk'
    #[staticmethod]
    #[pyo3(signature = (source, /, schemas=None, *, mask=Texts::default()))]
    #[pyo3(text_signature = "(source, /, schemas=None, *, mask=())")]
    fn load<'py>(
        source: &Bound<'py, PyAny>,
        schemas: Option<SchemasArg>,
        mask: Texts,
    ) -> PyResult<Bound<'py, Plan>> {
        let file = Input::new(source)?;
        let document = read_document(source.py(), file, schemas, mask)?;
        document.cast_into().map_err(|_| {
            Failure::new("DocumentError", "state", "this is a state, and no plan: read it with `State.load`")
                .into()
        })
    }

    /// Compares the changes of two plans: this one is the first.
    ///
    /// ``map`` has modules or resources with another address in the other plan, as ``"module.a=module.b"``,
    /// and ``ignore`` paths of values that are not compared, as ``"tags.Owner"``. By default the schemas
    /// are those of this plan.
    ///
    /// Raises `DocumentError` if a plan lacks changes or cannot be read, `OptionError` for an invalid
    /// address or path.
    ///
    /// >>> plan.diff(plan).is_same
    /// True
    #[pyo3(signature = (other, *, schemas=None, map=Texts::default(), ignore=Texts::default()))]
    #[pyo3(text_signature = "($self, other, *, schemas=None, map=(), ignore=())")]
    fn diff(
        &self,
        py: Python<'_>,
        other: &Bound<'_, Plan>,
        schemas: Option<SchemasArg>,
        map: Texts,
        ignore: Texts,
    ) -> PyResult<Comparison> {
        let schemas =
            schemas.map_or_else(|| Arc::clone(&self.0.schemas), |schemas| Arc::clone(&schemas.0.shown));
        Comparison::new(py, [Arc::clone(&self.0), Arc::clone(&other.get().0)], schemas, map.0, ignore.0)
    }

    /// One hash of the plan's changes: equal for plans without a difference in `diff`.
    ///
    /// Sensitive values are in it only by a ``key``, of at least 16 bytes that are not all equal. Values at the paths in
    /// ``ignore`` are left out, and the hash covers these paths.
    ///
    /// Raises `DocumentError` where the plan lacks changes or cannot be read, `OptionError` for a key that is too short or repeats
    /// one byte, and for an invalid path.
    ///
    /// >>> plan.hash().partition(":")[0], plan.hash(key=b"0123456789abcdef").partition(":")[0]
    /// ('v2', 'v2+key')
    #[pyo3(signature = (*, key=None, ignore=Texts::default()))]
    #[pyo3(text_signature = "($self, *, key=None, ignore=())")]
    fn hash(&self, py: Python<'_>, key: Option<&Bound<'_, PyBytes>>, ignore: Texts) -> PyResult<String> {
        let ignored = ignored(ignore.0)?;
        let key = key.map(|key| HashKey::new(key.as_bytes())).transpose();
        let key = key.map_err(|error| Failure::new("OptionError", error.kind(), error.to_string()))?;
        let hash = py.detach(|| {
            HashedPlan::new(&self.0.judged()?.changes, &self.0.schemas, key.as_ref(), &ignored)
                .map(|hashed| hashed.hash.to_string())
                .map_err(|error| Failure::compare(&error, [self.0.file.as_deref(); 2]))
        });
        Ok(hash?)
    }

    /// Its changes as an Arrow stream: see `ChangeList.to_arrow`.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.changes().__arrow_c_stream__(py, requested_schema)
    }

    fn __repr__(&self) -> PyResult<String> {
        let changes = &self.0.plan()?.changes.resources;
        Ok(self.0.described("Plan", &change_counts(changes.iter(), "resource change")))
    }
}

#[pymethods]
impl State {
    /// Reads a state, and nothing else: of ``terraform show -json``, or its file.
    ///
    /// Raises `DocumentError`, also for a plan, `SchemaError`, and what ``open`` raises.
    ///
    /// >>> State.load(b'{"version":4,"serial":1,"lineage":"x"}').resources[:]
    /// []
    #[staticmethod]
    #[pyo3(signature = (source, /, schemas=None, *, mask=Texts::default()))]
    #[pyo3(text_signature = "(source, /, schemas=None, *, mask=())")]
    fn load<'py>(
        source: &Bound<'py, PyAny>,
        schemas: Option<SchemasArg>,
        mask: Texts,
    ) -> PyResult<Bound<'py, State>> {
        let file = Input::new(source)?;
        let document = read_document(source.py(), file, schemas, mask)?;
        document.cast_into().map_err(|_| {
            Failure::new("DocumentError", "plan", "this is a plan, and no state: read it with `Plan.load`")
                .into()
        })
    }

    /// The resource instances of all modules.
    #[getter]
    fn resources(&self) -> ResourceList {
        ResourceList(Arc::clone(&self.0))
    }

    /// The outputs by name.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let outputs = pyo3::types::PyDict::new(py);
        let names: Vec<String> = self.0.with_state(|state| state.outputs.keys().map(str::to_owned).collect());
        for (index, name) in names.into_iter().enumerate() {
            outputs.set_item(name, OutputValue::new(&self.0, index))?;
        }
        Ok(outputs)
    }

    fn __repr__(&self) -> String {
        let resources = self.0.with_state(|state| state.resources.len());
        self.0.described("State", &counted(resources, "resource"))
    }
}
