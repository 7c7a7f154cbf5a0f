//! The diff of a document as JSON, for programs: see `schema/diff.schema.json`.

use std::io::{self, Write};

use objchange::internal::visible_json;
use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use super::plan::{PlanDiff, ResourceDiff};
use super::{Filter, Schemas, ShowError, state};
use crate::diff::{Action, Diff};
use crate::document::{ChangedResource, Document, Plan, ResourceActions, State};
use crate::text::Text;

/// A resource with its diff.
#[derive(Serialize)]
struct Resource<'a> {
    address: &'a Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_address: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deposed: Option<&'a Text<'a>>,
    mode: &'a Text<'a>,
    r#type: &'a Text<'a>,
    name: &'a Text<'a>,
    actions: ResourceActions,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a Text<'a>>,
    diff: &'a Diff<'a>,
}

#[derive(Serialize)]
struct StateResource<'a> {
    address: &'a Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deposed: Option<&'a Text<'a>>,
    mode: &'a Text<'a>,
    r#type: &'a Text<'a>,
    name: &'a Text<'a>,
    diff: &'a Diff<'a>,
}

#[derive(Serialize)]
struct Output<'a> {
    name: &'a Text<'a>,
    diff: &'a Diff<'a>,
}

/// Writes the diffs of a document as JSON, one resource a line; unchanged resources are left out.
///
/// # Errors
///
/// A change, or the schema of its type, cannot be read, or the text cannot be written.
pub fn write_json(
    out: &mut dyn Write,
    document: &Document<'_>,
    schemas: &Schemas,
    filter: &Filter,
) -> Result<(), ShowError> {
    match document {
        Document::Plan(plan) => write_plan(out, plan, schemas, filter),
        Document::State(state) => write_state(out, state, schemas, filter),
    }
}

fn write_plan(
    out: &mut dyn Write,
    plan: &Plan<'_>,
    schemas: &Schemas,
    filter: &Filter,
) -> Result<(), ShowError> {
    let diffs = PlanDiff::new(plan, schemas);
    let wanted = |r: &ChangedResource<'_>| filter.matches(&r.address, r.change.actions);
    out.write_all(b"{\"format_version\":\"1.0\"")?;
    let mut list = List::open(out, "resource_drift")?;
    for drift in diffs.drift()? {
        let ResourceDiff { resource, diff } = &drift?;
        if !wanted(resource) {
            continue;
        }
        list.push(out, &entry(resource, diff, None))?;
    }
    list.close(out)?;
    let mut list = List::open(out, "deferred_changes")?;
    for deferred in plan.deferred_changes.iter().filter(|d| wanted(&d.resource)) {
        let diff = diffs.resource(&deferred.resource)?;
        list.push(out, &entry(&deferred.resource, &diff, Some(&deferred.reason)))?;
    }
    list.close(out)?;
    let mut list = List::open(out, "resource_changes")?;
    for resource in diffs.shown().filter(|r| wanted(r)) {
        let diff = diffs.resource(resource)?;
        list.push(out, &entry(resource, &diff, resource.action_reason.as_ref()))?;
    }
    list.close(out)?;
    let mut list = List::open(out, "output_changes")?;
    for output in plan.output_changes.iter().filter(|_| filter.is_all()) {
        let diff = diffs.output(output)?;
        if diff.action != Action::NoOp {
            list.push(out, &Output { name: &output.name, diff: &diff })?;
        }
    }
    list.close(out)?;
    out.write_all(b"}\n")?;
    Ok(())
}

fn entry<'a>(
    resource: &'a ChangedResource<'a>,
    diff: &'a Diff<'a>,
    reason: Option<&'a Text<'a>>,
) -> Resource<'a> {
    Resource {
        address: &resource.address,
        previous_address: resource.previous_address.as_ref(),
        deposed: resource.deposed.as_ref(),
        mode: &resource.mode,
        r#type: &resource.resource_type,
        name: &resource.name,
        actions: resource.change.actions,
        reason,
        diff,
    }
}

fn write_state(
    out: &mut dyn Write,
    state: &State<'_>,
    schemas: &Schemas,
    filter: &Filter,
) -> Result<(), ShowError> {
    out.write_all(b"{\"format_version\":\"1.0\"")?;
    let mut list = List::open(out, "resources")?;
    for resource in state.resources.iter().filter(|r| filter.matches_address(&r.address)) {
        state::with_resource_diff(state, resource, schemas, |diff| {
            let entry = StateResource {
                address: &resource.address,
                deposed: resource.deposed.as_ref(),
                mode: &resource.mode,
                r#type: &resource.resource_type,
                name: &resource.name,
                diff,
            };
            list.push(out, &entry)
        })??;
    }
    list.close(out)?;
    let mut list = List::open(out, "outputs")?;
    for output in state.outputs.iter().filter(|_| filter.is_all()) {
        state::with_output_diff(state, output, |diff| list.push(out, &Output { name: &output.name, diff }))??;
    }
    list.close(out)?;
    out.write_all(b"}\n")?;
    Ok(())
}

/// A list that is written while it is found.
struct List {
    is_empty: bool,
}

impl List {
    fn open(out: &mut dyn Write, name: &str) -> io::Result<Self> {
        write!(out, ",\n\"{name}\":[")?;
        Ok(Self { is_empty: true })
    }

    fn push(&mut self, out: &mut dyn Write, entry: &impl Serialize) -> io::Result<()> {
        out.write_all(if self.is_empty { b"\n" } else { b",\n" })?;
        self.is_empty = false;
        entry.serialize(&mut serde_json::Serializer::with_formatter(out, Visible))?;
        Ok(())
    }

    fn close(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"]")
    }
}

/// Compact JSON in which everything is escaped that is not to be seen, also what JSON allows.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return writer.write_all(fragment.as_bytes());
        }
        writer.write_all(visible_json(fragment).as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        CompactFormatter.write_char_escape(writer, escape)
    }
}
