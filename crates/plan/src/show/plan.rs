//! Plans.

use std::io::Write;

use objchange::schema::Block;

use super::planned::render_resource;
use super::sides::{Relevant, diff_resource};
use super::{Filter, Options, PlanMode, Schemas, ShowError};
use crate::change::Sides;
use crate::diff::{Action, Diff};
use crate::differ;
use crate::document::{ChangedResource, OutputChange, Plan, ResourceActions};
use crate::render::{Counts, Header, Heading, Outcome, Writer, output_width};

/// The diffs of a plan, made one at a time as they are asked for.
#[derive(Debug, Clone, Copy)]
pub struct PlanDiff<'p, 't> {
    plan: &'p Plan<'t>,
    schemas: &'p Schemas,
    mode: PlanMode,
}

/// A resource with what differs in it.
#[derive(Debug)]
pub struct ResourceDiff<'p, 't> {
    /// The resource as the plan has it.
    pub resource: &'p ChangedResource<'t>,
    /// What differs.
    pub diff: Diff<'p>,
}

impl<'p, 't> PlanDiff<'p, 't> {
    /// The diffs of a plan, by these schemas.
    pub fn new(plan: &'p Plan<'t>, schemas: &'p Schemas) -> Self {
        Self { plan, schemas, mode: PlanMode::Normal }
    }

    /// The same for a plan of another mode: one that only refreshes shows all of the drift.
    #[must_use]
    pub fn in_mode(self, mode: PlanMode) -> Self {
        Self { mode, ..self }
    }

    /// The resources that are to be shown: those that change, move or are imported.
    pub fn shown(&self) -> impl Iterator<Item = &'p ChangedResource<'t>> + use<'p, 't> {
        self.plan.resource_changes.iter().filter(|resource| is_shown(resource))
    }

    /// What differs in a resource of `resource_changes` or `deferred_changes`.
    ///
    /// # Errors
    ///
    /// The change, or the schema of its type, cannot be read.
    pub fn resource(&self, resource: &'p ChangedResource<'t>) -> Result<Diff<'p>, ShowError> {
        let schema = self.schemas.of_change(resource)?;
        Ok(diff_resource(self.plan.text(), resource, schema, None)?)
    }

    /// The resources that have changed outside of Terraform, as far as that matters to this plan, made one at a
    /// time.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read.
    pub fn drift(
        &self,
    ) -> Result<impl Iterator<Item = Result<ResourceDiff<'p, 't>, ShowError>> + use<'p, 't>, ShowError> {
        let mut drifted = self.drifted().peekable();
        let matters = match drifted.peek() {
            Some(Ok(_)) => self.shows_all_drift() || self.has_difference()?,
            // What cannot be read is for the caller to meet.
            Some(Err(_)) => true,
            None => false,
        };
        Ok(matters.then_some(drifted).into_iter().flatten())
    }

    /// The resources that have changed outside of Terraform.
    fn drifted(self) -> impl Iterator<Item = Result<ResourceDiff<'p, 't>, ShowError>> + use<'p, 't> {
        let relevant = (!self.shows_all_drift()).then(|| Relevant::new(self.plan));
        let differs = move |entry: &Result<ResourceDiff<'_, '_>, _>| {
            self.shows_all_drift() || entry.as_ref().map_or(true, |entry| entry.diff.action != Action::NoOp)
        };
        let diff = move |resource: &'p ChangedResource<'t>| {
            let schema = self.schemas.of_change(resource)?;
            let relevant = relevant.as_ref().map(|relevant| relevant.of(&resource.address));
            let diff = diff_resource(self.plan.text(), resource, schema, relevant)?;
            Ok(ResourceDiff { resource, diff })
        };
        self.plan.resource_drift.iter().map(diff).filter(differs)
    }

    fn shows_all_drift(&self) -> bool {
        self.mode == PlanMode::RefreshOnly
    }

    /// What differs in an output.
    ///
    /// # Errors
    ///
    /// The change cannot be read.
    pub fn output(&self, output: &OutputChange<'t>) -> Result<Diff<'t>, ShowError> {
        let name = &output.name;
        let sides = Sides::read(self.plan.text(), &output.change, || format!("output_changes.{name}"))?;
        Ok(differ::output(sides.change(&sides.replaced())))
    }

    /// Whether anything moves, or differs by its values whatever its action says.
    fn has_difference(&self) -> Result<bool, ShowError> {
        for resource in &self.plan.resource_changes {
            if is_moved(resource) {
                return Ok(true);
            }
            let change = &resource.change;
            let same = change.before.text() == change.after.text()
                && change.before_sensitive.text() == change.after_sensitive.text()
                && !change.after_unknown.text().contains("true");
            if !same && self.resource(resource)?.action != Action::NoOp {
                return Ok(true);
            }
        }
        for output in &self.plan.output_changes {
            if self.output(output)?.action != Action::NoOp {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn is_moved(resource: &ChangedResource<'_>) -> bool {
    resource.previous_address.as_ref().is_some_and(|previous| *previous != resource.address)
}

pub(super) fn is_shown(resource: &ChangedResource<'_>) -> bool {
    match resource.change.actions {
        ResourceActions::NoOp => is_moved(resource) || resource.change.importing.is_some(),
        ResourceActions::Delete => &*resource.mode != "data",
        _ => true,
    }
}

/// Renders a plan as `terraform show` prints it.
///
/// # Errors
///
/// A change, or the schema of its type, cannot be read.
///
/// ```
/// use objchange_plan::{Options, Plan, Schemas, render_plan};
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
    let mut bytes = Vec::new();
    write_plan(&mut bytes, plan, schemas, options, &Filter::default())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a plan as `terraform show` prints it, one resource at a time, and only the resources that the
/// filter lets through.
///
/// # Errors
///
/// As [`render_plan`], or the text cannot be written.
pub fn write_plan(
    out: &mut dyn Write,
    plan: &Plan<'_>,
    schemas: &Schemas,
    options: &Options,
    filter: &Filter,
) -> Result<(), ShowError> {
    let wanted = |r: &ChangedResource<'_>| filter.matches(&r.address, r.change.actions);
    let diffs = PlanDiff::new(plan, schemas).in_mode(options.mode);
    let frame = options.frame();
    let mut writer = Writer::new(out, options.colour);
    if plan.format_version > (1, 2) {
        writer.version_warning(frame);
    }
    let mut has_drift = false;
    for drift in diffs.drift()? {
        let ResourceDiff { resource, diff } = drift?;
        if !wanted(resource) {
            continue;
        }
        if !has_drift {
            writer.drift_start(frame);
            has_drift = true;
        }
        write_resource(&mut writer, resource, Heading::Drift, &diff, options);
        writer.flush()?;
    }
    if has_drift {
        writer.drift_end(frame, options.notice());
    }
    let mut counts = Counts::default();
    let mut shown = 0;
    for resource in diffs.shown().filter(|r| wanted(r)) {
        shown += 1;
        counts.add(resource.change.actions);
        counts.import += usize::from(resource.change.importing.is_some());
    }
    let outputs = if filter.is_all() { &plan.output_changes[..] } else { &[] };
    let mut changed_outputs = Vec::new();
    for output in outputs {
        if diffs.output(output)?.action != Action::NoOp {
            changed_outputs.push(output);
        }
    }
    let outputs_change = !changed_outputs.is_empty();
    if shown == 0 && !filter.is_all() {
        writer.no_match("resource with changes");
    } else if shown == 0 && !outputs_change {
        let outcome = Outcome {
            errored: plan.errored,
            deferred: !plan.deferred_changes.is_empty(),
            drift: has_drift,
            applyable: plan.applyable.unwrap_or_default(),
            notice: options.notice(),
        };
        writer.nothing(frame, outcome);
    }
    if plan.deferred_changes.iter().any(|d| wanted(&d.resource)) {
        writer.deferred_start();
        for deferred in plan.deferred_changes.iter().filter(|d| wanted(&d.resource)) {
            let diff = diffs.resource(&deferred.resource)?;
            let heading = Heading::Deferred(&deferred.reason);
            write_resource(&mut writer, &deferred.resource, heading, &diff, options);
            writer.flush()?;
        }
        writer.deferred_end(frame);
    }
    if counts.any() {
        writer.legend(frame, &counts);
    }
    if shown > 0 {
        writer.actions_heading(plan.errored);
        for resource in diffs.shown().filter(|r| wanted(r)) {
            let diff = diffs.resource(resource)?;
            write_resource(&mut writer, resource, Heading::Change, &diff, options);
            writer.flush()?;
        }
        writer.plan_line(&counts);
        if !filter.is_all() {
            writer.of_selection();
        }
    }
    if outputs_change {
        writer.outputs_start();
        let width = outputs.iter().map(|output| output_width(&output.name)).max().unwrap_or_default();
        for output in changed_outputs {
            writer.output(&output.name, width, &diffs.output(output)?);
            writer.flush()?;
        }
        if !counts.any() {
            writer.outputs_only(frame);
        }
    }
    Ok(writer.flush()?)
}

fn write_resource(
    writer: &mut Writer<'_>,
    resource: &ChangedResource<'_>,
    heading: Heading<'_>,
    diff: &Diff<'_>,
    options: &Options,
) {
    // There is nothing to say of what neither changes nor moves.
    if has_nothing_to_say(resource) {
        return;
    }
    writer.line_break();
    writer.changed(resource, heading, diff, options);
    writer.line_break();
}

fn has_nothing_to_say(resource: &ChangedResource<'_>) -> bool {
    resource.change.actions == ResourceActions::NoOp && !is_shown(resource)
}

impl Writer<'_> {
    /// Writes a resource with what differs in it; nothing of what neither changes nor moves.
    pub(super) fn changed(
        &mut self,
        resource: &ChangedResource<'_>,
        heading: Heading<'_>,
        diff: &Diff<'_>,
        options: &Options,
    ) {
        if !has_nothing_to_say(resource) {
            let show_unchanged = options.full || resource.change.importing.is_some();
            self.resource(&header(resource, heading), diff, show_unchanged);
        }
    }
}

fn header<'a>(resource: &'a ChangedResource<'_>, heading: Heading<'a>) -> Header<'a> {
    Header {
        heading,
        address: &resource.address,
        previous_address: resource.previous_address.as_deref().filter(|_| is_moved(resource)),
        module_address: resource.module_address.as_deref().unwrap_or_default(),
        keyword: if &*resource.mode == "data" { "data" } else { "resource" },
        resource_type: &resource.resource_type,
        name: &resource.name,
        index: resource.index.map(|index| index.text()),
        deposed: resource.deposed.as_deref(),
        actions: resource.change.actions,
        reason: resource.action_reason.as_deref().unwrap_or_default(),
        importing: resource.change.importing.as_ref().map(|importing| importing.id.as_deref()),
        has_generated_config: resource.change.has_generated_config,
    }
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
    if has_nothing_to_say(&resource) {
        return Ok(String::new());
    }
    let diff = diff_resource(change, &resource, schema, None)?;
    Ok(render_resource(&resource, &diff, options))
}
