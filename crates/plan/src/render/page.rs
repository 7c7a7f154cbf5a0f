//! The page: a report as `terraform show` prints it.

use std::io;

use objchange::change::PlannedChange;
use objchange::schema::Block;

use super::tokens::Role;
use super::{View, Writer, escape, print};
use crate::diff::{Diff, Folding, fold};
use crate::options::Options;
use crate::report::{
    Entries, Filter, Outcome, Report, ReportEntry, ResourceHeader, Section, ShowError, entry,
};
use objchange_document::ChangeSet;
use objchange_document::changes::ChangedResource;
use objchange_document::changes::TriggerTime;
use objchange_document::{NoState, Plan, Schemas, State};

/// Renders a plan as `terraform show` prints it.
///
/// # Errors
///
/// A change, or the schema of its type, cannot be read.
///
/// ```
/// use objchange_document::{Plan, Schemas};
/// use objchange_plan::{Options, render_plan};
///
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","resource_changes":[{"address":"null_resource.a","mode":"managed",
///     "type":"null_resource","name":"a","provider_name":"registry.terraform.io/hashicorp/null",
///     "change":{"actions":["create"],"before":null,"after":{},"after_unknown":{"id":true},
///     "before_sensitive":false,"after_sensitive":{}}}]}"#,
/// )?;
/// let text = render_plan(&plan, &Schemas::none(), &Options::default())?;
/// assert!(text.contains("  + resource \"null_resource\" \"a\" {\n      + id = (known after apply)\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn render_plan(plan: &Plan<'_>, schemas: &Schemas, options: &Options) -> Result<String, ShowError> {
    Report::of_plan(plan, schemas, options, &Filter::default())?.text(options)
}

/// Renders a state as `terraform show` prints it.
///
/// # Errors
///
/// A value, or the schema of its type, cannot be read.
pub fn render_state(state: &State<'_>, schemas: &Schemas, options: &Options) -> Result<String, ShowError> {
    Report::of_state(state, schemas, options, &Filter::default()).text(options)
}

/// Renders one element of `resource_changes`: header, symbol and body.
///
/// Without a schema the body is rendered by the shape of its JSON. A resource to which nothing happens is
/// rendered as nothing.
///
/// # Errors
///
/// The change cannot be read.
pub fn render_resource_change(
    change: &str,
    schema: Option<&Block>,
    options: &Options,
) -> Result<String, ShowError> {
    let resource = ChangedResource::parse(change)?;
    Ok(render_entry(&entry(change, &resource, schema, options)?, options))
}

/// Renders the entry of a resource: header, symbol and body. A hidden one is rendered as nothing.
pub fn render_entry(entry: &ReportEntry<'_, ResourceHeader<'_>>, options: &Options) -> String {
    written(options, |writer| {
        if !entry.diff.hidden {
            writer.resource(entry);
        }
    })
}

/// Renders a change that the engine has planned as `terraform plan` prints it: the resource with what differs in it,
/// and how much that is. For the address see [`ChangeSet::planned`].
pub fn render_planned_change(
    address: &str,
    schema: &Block,
    change: &PlannedChange,
    options: &Options,
) -> String {
    let (changes, schemas) = (ChangeSet::planned(address, schema, change), Schemas::single(schema));
    // Nothing is read that could be wrong.
    let report = Report::of_changes(&changes, &schemas, options, &Filter::default()).unwrap_or_default();
    let shows_deferred = report.sections.iter().any(|section| match section {
        Section::DeferredChanges(entries) => entries.iter().flatten().any(|entry| !entry.diff.hidden),
        _ => false,
    });
    written(options, |writer| {
        for section in &report.sections {
            match section {
                Section::ResourceChanges(entries) | Section::DeferredChanges(entries) => {
                    for entry in entries.iter().flatten().filter(|entry| !entry.diff.hidden) {
                        writer.resource(&entry);
                        writer.push("\n");
                    }
                }
                Section::Outcome(outcome) if !shows_deferred => writer.outcome(*outcome),
                Section::Summary(summary) => writer.plan_line(summary),
                _ => {}
            }
        }
    })
}

/// Renders a value with a name and what differs in it, as `terraform show` prints an output of a plan.
pub fn render_value(name: &str, mut diff: Diff<'_>, options: &Options) -> String {
    fold(&mut diff, Folding { full: options.full, own_format: options.own_format });
    written(options, |writer| {
        writer.entry(name, escape::name_width(name), &diff, 0, View::default());
        writer.push("\n");
    })
}

fn written(options: &Options, write: impl FnOnce(&mut Writer<'_>)) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    _ = print(&mut bytes, options, options.program.unwrap_or_default(), |writer| {
        write(writer);
        Ok(())
    });
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Report<'_> {
    /// Writes the report as `terraform show` prints it, one resource at a time.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the text cannot be written.
    pub fn write_text(&self, out: &mut dyn io::Write, options: &Options) -> Result<(), ShowError> {
        print(out, options, self.program, |writer| writer.page(self))
    }

    /// Writes the report like [`Report::write_text`], below a line of its own if the plan is a [prediction](Self::prediction):
    /// Terraform has no words for that, and its text stays as it is.
    ///
    /// ```
    /// use objchange_document::{Plan, Schemas};
    /// use objchange_plan::{Filter, Options, Report};
    ///
    /// let plan = Plan::parse(
    ///     r#"{"format_version":"1.2","terraform_version":"1.16.0+simulated","resource_changes":[{"address":"disk.a",
    ///     "mode":"managed","type":"disk","name":"a","provider_name":"registry.terraform.io/acme/disk",
    ///     "change":{"actions":["create"],"before":null,"after":{}}}]}"#,
    /// )?;
    /// let (schemas, options) = (Schemas::none(), Options::default());
    /// let report = Report::of_plan(&plan, &schemas, &options, &Filter::default())?;
    /// let (mut headed, mut exact) = (Vec::new(), Vec::new());
    /// report.write_headed_text(&mut headed, &options)?;
    /// report.write_text(&mut exact, &options)?;
    /// assert!(headed.starts_with(b"Predicted plan: ") && headed.ends_with(&exact));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Report::write_text`].
    pub fn write_headed_text(&self, out: &mut dyn io::Write, options: &Options) -> Result<(), ShowError> {
        if let Some(sentence) = self.prediction() {
            writeln!(out, "{sentence}\n").map_err(ShowError::Write)?;
        }
        self.write_text(out, options)
    }

    fn text(&self, options: &Options) -> Result<String, ShowError> {
        let mut bytes = Vec::new();
        self.write_text(&mut bytes, options)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Whether a section says that something is done, or why not.
fn is_verdict(section: &Section<'_>) -> bool {
    match section {
        Section::OutputChanges { changed, .. } => !changed.is_empty(),
        Section::Outcome(_) | Section::Summary(_) => true,
        _ => false,
    }
}

impl Writer<'_> {
    pub(super) fn page(&mut self, report: &Report<'_>) -> Result<(), ShowError> {
        self.may_exist = report.no_state == Some(NoState::Unread);
        if self.may_exist {
            self.state_unread();
        }
        for section in &report.sections {
            self.section(section, report)?;
        }
        if let Some(ignored) = report.ignored.as_ref().filter(|ignored| !ignored.is_empty()) {
            self.ignored(ignored);
        }
        if !report.missing.is_empty() {
            self.push("\n");
            self.missing(&report.missing);
        }
        Ok(())
    }

    fn section(&mut self, section: &Section<'_>, report: &Report<'_>) -> Result<(), ShowError> {
        match section {
            Section::Warnings(warnings) => warnings.iter().for_each(|warning| self.warning(*warning)),
            Section::ResourceDrift(entries) if !entries.is_empty() => {
                self.drift_start();
                self.resources(entries)?;
                // After a refresh alone, or of drift alone, there may be nothing more to say.
                let is_all = !report.sections.iter().any(is_verdict);
                self.drift_end(report.mode, is_all);
            }
            Section::Outcome(outcome) => {
                self.outcome(*outcome);
                let is_drift = |section: &Section<'_>| matches!(section, Section::ResourceDrift(drift) if !drift.is_empty());
                let is_closed = matches!(
                    outcome,
                    Outcome::PlanningFailed | Outcome::NeedsAnotherPlan | Outcome::NothingToDestroy
                );
                if is_closed && report.sections.iter().any(is_drift) {
                    self.end(Role::Rule);
                }
            }
            Section::DeferredChanges(entries) if !entries.is_empty() => {
                self.deferred_start();
                self.resources(entries)?;
                self.end(Role::Rule);
            }
            Section::Legend(actions) => self.legend(actions),
            Section::ResourceChanges(entries) => {
                // It is above invoked actions too.
                if report.sections.iter().any(|section| matches!(section, Section::Summary(_))) {
                    self.actions_heading(report.errored);
                }
                self.resources(entries)?;
            }
            Section::Summary(summary) => self.plan_line(summary),
            Section::InvokedActions(entries) if !entries.is_empty() => self.invoked(entries)?,
            Section::OutputChanges { changed, unchanged } if !changed.is_empty() => {
                self.push("\nChanges to Outputs:\n");
                // Terraform aligns with outputs that do not change and are not shown, too.
                let headers = changed.headers().map(|header| escape::name_width(&header.name));
                let width = headers.chain(unchanged.iter().map(|name| escape::name_width(name))).max();
                for entry in changed.iter() {
                    let entry = entry?;
                    let name = &entry.header.name;
                    self.start_entry(name);
                    self.entry(name, width.unwrap_or_default(), &entry.diff, 0, View::default());
                    self.push("\n");
                    self.end_entry()?;
                }
            }
            Section::Notes(notes) => notes.iter().for_each(|note| self.note_below(*note)),
            Section::Resources(entries) => {
                self.plain = true;
                for entry in entries.iter() {
                    self.state_resource(&*entry?);
                    self.end_entry()?;
                }
            }
            Section::Outputs(entries) if !entries.is_empty() => {
                self.plain = true;
                self.push("\n\nOutputs:\n\n");
                for entry in entries.iter() {
                    self.state_output(&*entry?);
                    self.end_entry()?;
                }
            }
            Section::ResourceDrift(_)
            | Section::DeferredChanges(_)
            | Section::InvokedActions(_)
            | Section::OutputChanges { .. }
            | Section::Outputs(_) => {}
        }
        Ok(())
    }

    fn resources(&mut self, entries: &Entries<'_, ResourceHeader<'_>>) -> Result<(), ShowError> {
        for entry in entries.iter() {
            let entry = entry?;
            if !entry.diff.hidden {
                self.push("\n");
                self.start_entry(&entry.header.address);
                self.resource(&entry);
                self.triggered(TriggerTime::Before, &entry.actions_before);
                self.triggered(TriggerTime::After, &entry.actions_after);
                self.push("\n");
                self.end_entry()?;
            }
        }
        Ok(())
    }
}
