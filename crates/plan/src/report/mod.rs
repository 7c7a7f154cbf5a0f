//! Decides which parts of a document are shown, where, and in which order, as data. Printers (`render`) say
//! how.
//!
//! ```text
//! ChangeSet, State ──▶ Report ──▶ Section ──▶ ReportEntry ──▶ header: what happens, why, what else is said
//!                                                 └───▶ diff: what differs, its parts shown or hidden
//! ```
//!
//! | topic | module |
//! |---|---|
//! | the sections of a plan, their order, and notes | `plan` |
//! | counts | `counts` |
//! | the sections of a state | `state` |
//! | the text above each resource | `header` |
//! | which resources are selected | `filter` |
//! | what is left out because it is at ignored paths | `ignored` |
//!
//! Entries are made one at a time, on demand (`entries`), from what `sides` reads for the differ.

mod actions;
mod counts;
mod entries;
mod error;
mod filter;
mod gate;
mod header;
mod ignored;
mod plan;
mod selection;
mod sides;
mod state;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

pub use self::gate::{Gate, GateCondition, GateError, LeftOutBy, Verdict};
pub use self::selection::{SelectedAction, Selection, Unmatched, changed_places, places};
pub use actions::{ActionHeader, Invocation, ReportAction};
pub use counts::Counts;
pub use entries::{Entries, ReportEntry};
pub use error::{ShowError, TemplateError};
pub use filter::Filter;
pub use header::{Comment, HeaderActions, Heading, ResourceHeader};
pub(crate) use header::{is_shown, previous_address};
pub use ignored::IgnoredChanges;
pub use plan::Summary;
pub(crate) use plan::entry;
pub use state::{ModulePlace, StateHeader};

use crate::options::Options;
use crate::walk::{Dialect, PlaceKind};
use objchange_document::ChangeSet;
use objchange_document::PlanMode;
use objchange_document::Program;
use objchange_document::Text;
use objchange_document::changes::{Check, ResourceActions};
use objchange_document::{
    Document, Missing, NoState, Plan, PlanFile, SchemaOrigin, Schemas, State, StatedMarks,
};

/// The sentence about a plan for which providers were not asked, after its important words.
pub(crate) const PREDICTED: &str =
    ": the providers were not asked. Updates may be replacements, and other objects may have changed.";

/// The parts of a document that are shown: everything that a printer needs, without secrets.
///
/// In JSON (see the project's `schema/report.schema.json`) each section is a member, in the order of the page.
///
/// ```
/// use objchange_document::{Plan, Schemas};
/// use objchange_plan::{Filter, Options, Report};
/// use objchange_plan::report::Section;
///
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","resource_changes":[{"address":"null_resource.a","mode":"managed",
///     "type":"null_resource","name":"a","provider_name":"registry.terraform.io/hashicorp/null",
///     "change":{"actions":["create"],"before":null,"after":{}}}]}"#,
/// )?;
/// let schemas = Schemas::none();
/// let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default())?;
/// let summaries = report.sections.iter().filter_map(|section| match section {
///     Section::Summary(summary) => Some(summary.add),
///     _ => None,
/// });
/// assert_eq!(summaries.sum::<usize>(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Report<'p> {
    /// The program as which the document is shown.
    pub program: Program,
    /// The mode of the plan.
    pub mode: PlanMode,
    /// Planning ended with an error.
    pub errored: bool,
    /// Whether applying the plan would do anything; `None` if it does not say.
    pub applyable: Option<bool>,
    /// Whether nothing was left out of the plan; `None` if it does not say.
    pub complete: Option<bool>,
    /// Providers were not asked for the plan: it is a prediction.
    pub predicted: bool,
    /// The plan was made without a state, as headlines, summaries and JSON say. Documents do not show it, so the
    /// planner sets it.
    pub no_state: Option<NoState>,
    /// Counts of the selected changes.
    pub counts: Counts,
    /// Only a part of the document was chosen.
    pub of_selection: bool,
    /// All changes outside of Terraform. The page shows only those that matter to the plan.
    pub drift: Entries<'p, ResourceHeader<'p>>,
    /// Changes that are left out because they are at ignored paths alone; `None` if no path is ignored.
    pub ignored: Option<IgnoredChanges<'p>>,
    /// The actions that are invoked, in the order of the document, also those that the page does not show.
    pub invocations: Vec<Invocation<'p>>,
    /// The checks that did not pass, which the page does not show; none where only a part of the document was chosen.
    pub checks: Vec<Check<'p>>,
    /// The inputs that the plan was made without, which each format lists.
    pub missing: Vec<Missing>,
    /// Something is listed whose schema is not at hand, so that pages say what that costs. Not looked for where the report is made
    /// for Terraform's text.
    pub lacks_schemas: bool,
    /// The origins of schemas that were found automatically.
    pub schemas: &'p [SchemaOrigin],
    /// The sections, in the order of the page; one without entries is not to be seen.
    pub sections: Vec<Section<'p>>,
}

/// A part of the page.
#[derive(Debug)]
#[non_exhaustive]
pub enum Section<'p> {
    /// Warnings at the top of the page.
    Warnings(Vec<Warning>),
    /// Changes outside of Terraform that matter to the plan.
    ResourceDrift(Entries<'p, ResourceHeader<'p>>),
    /// Why there is nothing to do, or nothing to see.
    Outcome(Outcome),
    /// Changes that are left to the next plan.
    DeferredChanges(Entries<'p, ResourceHeader<'p>>),
    /// The actions of the changes below that a reader may not know, in this order.
    Legend(Vec<ResourceActions>),
    /// Changed, moved and imported resources.
    ResourceChanges(Entries<'p, ResourceHeader<'p>>),
    /// The totals of the changes above.
    Summary(Summary),
    /// The actions that were asked for.
    InvokedActions(Entries<'p, ActionHeader<'p>>),
    /// Changes of the root module's outputs.
    OutputChanges {
        /// Those that change.
        changed: Entries<'p, OutputHeader<'p>>,
        /// The names of the others.
        unchanged: Vec<Text<'p>>,
    },
    /// Notes.
    Notes(Vec<Note>),
    /// The resources of a state; nothing in them is hidden.
    Resources(Entries<'p, StateHeader<'p>>),
    /// The outputs of a state; nothing in them is hidden.
    Outputs(Entries<'p, OutputHeader<'p>>),
}

/// The text about an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputHeader<'p> {
    /// The name of the output.
    pub name: Text<'p>,
    /// The actions of Terraform, in a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<ResourceActions>,
}

/// A warning at the top of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// The plan is of a newer version, and may have things that are not shown.
    NewerFormat,
    /// The state is of a newer version, and may have things that are not shown.
    NewerStateFormat,
}

/// Why there is nothing to do, or nothing to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// None of the changes is among those asked for.
    NoChangeMatches,
    /// None of the resources is among those asked for.
    NoResourceMatches,
    /// The state has no resources.
    EmptyState,
    /// Planning ended with an error.
    PlanningFailed,
    /// Another plan must be applied first.
    NeedsAnotherPlan,
    /// No objects need to be destroyed.
    NothingToDestroy,
    /// Refresh-only: the objects match the state.
    StillMatches,
    /// The objects match the configuration.
    Matches,
    /// The objects match the configuration after drift, and applying the plan saves the drift in the state.
    MatchesDriftSaved,
    /// The objects match the configuration after drift, and only another plan would save the drift in the state.
    MatchesDriftUnsaved,
    /// Nothing changes but values at ignored paths.
    OnlyIgnored,
}

/// A note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// Applying the plan saves outputs, and changes nothing else.
    SavesOutputsOnly,
}

impl<'p> Report<'p> {
    /// Makes the report of a document with these schemas, for the resources that match the filter.
    ///
    /// # Errors
    ///
    /// An output, or what decides whether drift matters, cannot be read.
    pub fn new(
        document: &'p Document<'_>,
        schemas: &'p Schemas,
        options: &Options,
        filter: &Filter,
    ) -> Result<Self, ShowError> {
        match document {
            Document::Plan(plan) => Self::of_plan(plan, schemas, options, filter),
            Document::State(state) => Ok(Self::of_state(state, schemas, options, filter)),
        }
    }

    /// Makes the report of a plan or state, like [`Report::new`]. Terraform's text of a plan that was made is made of its changes;
    /// our own formats look through its whole document for what is sensitive.
    ///
    /// # Errors
    ///
    /// As [`Report::new`].
    pub fn of_file(
        file: &'p PlanFile,
        schemas: &'p Schemas,
        options: &Options,
        filter: &Filter,
    ) -> Result<Self, ShowError> {
        let options = Options {
            mode: options.mode.or(file.mode()),
            program: Some(options.program.unwrap_or_else(|| Program::of_file(file))),
            ..*options
        };
        let mut report = match file.made_changes().filter(|_| !options.joins_marks()) {
            Some(changes) => {
                let missing = file.facts().missing.clone();
                Self { missing, ..Self::of_changes(changes, schemas, &options, filter)? }
            }
            None => Self::new(file.document(), schemas, &options, filter)?,
        };
        report.no_state = file.no_state();
        Ok(report)
    }

    /// Makes the report of changes with these schemas, for the resources that match the filter.
    ///
    /// # Errors
    ///
    /// As [`Report::new`].
    pub fn of_changes(
        changes: &'p ChangeSet<'_>,
        schemas: &'p Schemas,
        options: &Options,
        filter: &Filter,
    ) -> Result<Self, ShowError> {
        Self::of_changes_beside(changes, None, schemas, options, filter)
    }

    fn of_changes_beside<'t: 'p>(
        changes: &'p ChangeSet<'t>,
        stated: Option<StatedMarks<'t>>,
        schemas: &'p Schemas,
        options: &Options,
        filter: &Filter,
    ) -> Result<Self, ShowError> {
        let program = options.program.unwrap_or_default();
        let dialect = dialect_of(program, options);
        let differ = plan::Differ { changes, schemas, program, dialect, full: options.full };
        plan::report(differ, stated, options.mode.unwrap_or_default(), filter)
    }

    /// The sentence for people that the providers were not asked, if they were not. Pages, summaries and
    /// [`Report::write_headed_text`] begin with it.
    pub fn prediction(&self) -> Option<String> {
        self.predicted.then(|| format!("Predicted plan{PREDICTED}"))
    }

    /// Makes the report of a plan, like [`Report::new`].
    ///
    /// # Errors
    ///
    /// As [`Report::new`].
    pub fn of_plan(
        plan: &'p Plan<'_>,
        schemas: &'p Schemas,
        options: &Options,
        filter: &Filter,
    ) -> Result<Self, ShowError> {
        let program = options.program.unwrap_or_else(|| Program::of_plan(plan));
        let mode = options.mode.unwrap_or_else(|| PlanMode::detect(plan));
        let options = Options { program: Some(program), mode: Some(mode), ..*options };
        let stated = options.joins_marks().then(|| StatedMarks::new(plan)).transpose()?;
        let mut report = Self::of_changes_beside(&plan.changes, stated, schemas, &options, filter)?;
        report.missing = plan.missing().to_vec();
        // Terraform 1.11 knows the format 1.2 and warns of newer ones.
        if plan.format_version > Some((1, 2)) {
            report.sections.insert(0, Section::Warnings(vec![Warning::NewerFormat]));
        }
        Ok(report)
    }

    /// Makes the report of a state, like [`Report::new`].
    pub fn of_state(state: &'p State<'_>, schemas: &'p Schemas, options: &Options, filter: &Filter) -> Self {
        let program = options.program.unwrap_or_else(|| Program::of_state(state));
        state::report(state, schemas, program, dialect_of(program, options), filter)
    }

    /// The first entry that cannot be made.
    pub(crate) fn first_error(&self) -> Option<ShowError> {
        self.sections
            .iter()
            .find_map(|section| match section {
                Section::ResourceDrift(entries)
                | Section::DeferredChanges(entries)
                | Section::ResourceChanges(entries) => entries.iter().find_map(Result::err),
                Section::OutputChanges { changed: entries, .. } | Section::Outputs(entries) => {
                    entries.iter().find_map(Result::err)
                }
                Section::InvokedActions(entries) => entries.iter().find_map(Result::err),
                Section::Resources(entries) => entries.iter().find_map(Result::err),
                _ => None,
            })
            .or_else(|| {
                let ignored = self.ignored.as_ref()?;
                [&ignored.updates, &ignored.drift]
                    .into_iter()
                    .find_map(|entries| entries.iter().find_map(Result::err))
            })
    }
}

impl Serialize for Report<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format_version", "1.3")?;
        map.serialize_entry("program", &self.program)?;
        if self.mode != PlanMode::Normal {
            map.serialize_entry("mode", &self.mode)?;
        }
        if self.errored {
            map.serialize_entry("errored", &true)?;
        }
        for (name, said) in [("applyable", self.applyable), ("complete", self.complete)] {
            if let Some(said) = said {
                map.serialize_entry(name, &said)?;
            }
        }
        if !self.schemas.is_empty() {
            map.serialize_entry("schemas", self.schemas)?;
        }
        if self.predicted {
            map.serialize_entry("predicted", &true)?;
        }
        if self.lacks_schemas {
            map.serialize_entry("lacks_schemas", &true)?;
        }
        if let Some(no_state) = self.no_state {
            map.serialize_entry("no_state", &no_state)?;
        }
        map.serialize_entry("counts", &self.counts)?;
        for section in &self.sections {
            match section {
                Section::Warnings(warnings) => map.serialize_entry("warnings", warnings)?,
                Section::ResourceDrift(entries) => map.serialize_entry("resource_drift", entries)?,
                Section::Outcome(outcome) => map.serialize_entry("outcome", outcome)?,
                Section::DeferredChanges(entries) => map.serialize_entry("deferred_changes", entries)?,
                Section::Legend(actions) => map.serialize_entry("legend", actions)?,
                Section::ResourceChanges(entries) => map.serialize_entry("resource_changes", entries)?,
                Section::Summary(summary) => map.serialize_entry("summary", summary)?,
                Section::InvokedActions(entries) if entries.is_empty() => {}
                Section::InvokedActions(entries) => map.serialize_entry("invoked_actions", entries)?,
                Section::OutputChanges { changed, unchanged } => {
                    map.serialize_entry("output_changes", changed)?;
                    map.serialize_entry("unchanged_outputs", unchanged)?;
                }
                Section::Notes(notes) => map.serialize_entry("notes", notes)?,
                Section::Resources(entries) => map.serialize_entry("resources", entries)?,
                Section::Outputs(entries) => map.serialize_entry("outputs", entries)?,
            }
        }
        if let Some(ignored) = &self.ignored {
            map.serialize_entry("ignored", ignored)?;
        }
        if !self.checks.is_empty() {
            map.serialize_entry("checks", &self.checks)?;
        }
        if !self.missing.is_empty() {
            map.serialize_entry("missing", &self.missing)?;
        }
        map.end()
    }
}

/// The rules by which a program compares what is in no block. Only OpenTofu can be asked to show what is sensitive.
fn dialect_of(program: Program, options: &Options) -> Dialect {
    let dialect = match program {
        Program::Terraform(_) => Dialect::LEGACY,
        Program::OpenTofu(_) => Dialect::opentofu(PlaceKind::Inside, options.show_sensitive)
            .reading_unknown_blocks(program.is_opentofu_next()),
    };
    dialect
        .matching_sets(options.match_sets)
        .matching_lists(options.match_lists)
        .with_own_format(options.own_format)
}
