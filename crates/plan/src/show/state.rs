//! States.

use std::io::Write;

use objchange::Type;
use objchange::internal::json::from_str;

use super::{Filter, Options, Schemas, ShowError};
use crate::change::Change;
use crate::diff::Diff;
use crate::differ;
use crate::document::{DocumentError, State, StateOutput, StateResource};
use crate::json::{Json, Raw, View, closed};
use crate::render::{StateFrame, Writer};

/// Renders a state as `terraform show` prints it.
///
/// # Errors
///
/// A value, or the schema of its type, cannot be read.
pub fn render_state(state: &State<'_>, schemas: &Schemas, options: &Options) -> Result<String, ShowError> {
    let mut bytes = Vec::new();
    write_state(&mut bytes, state, schemas, options, &Filter::default())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a state as `terraform show` prints it, one resource at a time, and only the resources that the
/// filter lets through.
///
/// # Errors
///
/// As [`render_state`], or the text cannot be written.
pub fn write_state(
    out: &mut dyn Write,
    state: &State<'_>,
    schemas: &Schemas,
    options: &Options,
    filter: &Filter,
) -> Result<(), ShowError> {
    let mut writer = Writer::of_state(out, options.colour);
    if state.is_empty() {
        writer.empty_state();
    }
    let mut last_module = None;
    if !filter.is_all() && !state.resources.iter().any(|r| filter.matches_address(&r.address)) {
        writer.no_match("resource");
    }
    for resource in state.resources.iter().filter(|r| filter.matches_address(&r.address)) {
        if last_module.replace(resource.module) == Some(resource.module) {
            writer.line_break();
        } else if resource.follows_resources {
            writer.line_break();
            writer.line_break();
        }
        write_resource(&mut writer, state, resource, schemas)?;
        writer.flush()?;
    }
    if !state.outputs.is_empty() && filter.is_all() {
        writer.outputs_heading();
        for output in &state.outputs {
            write_output(&mut writer, state, output)?;
        }
    }
    Ok(writer.flush()?)
}

fn read<'t>(
    state: &State<'t>,
    raw: &Raw<'t>,
    location: impl Fn() -> String,
) -> Result<Json<'t>, DocumentError> {
    Json::read(raw).map_err(|error| DocumentError::from_json(&error, state.text(), &location()))
}

/// The value as a change that changes nothing.
fn unchanged<'v, 't>(value: View<'v, 't>, sensitive: View<'v, 't>) -> Change<'v, 't> {
    Change { before_sensitive: sensitive, after_sensitive: sensitive, ..Change::new(value, value) }
}

fn write_resource(
    writer: &mut Writer<'_>,
    state: &State<'_>,
    resource: &StateResource<'_>,
    schemas: &Schemas,
) -> Result<(), ShowError> {
    let frame = StateFrame {
        address: &resource.address,
        keyword: if &*resource.mode == "data" { "data" } else { "resource" },
        resource_type: &resource.resource_type,
        name: &resource.name,
        deposed: resource.deposed.as_deref(),
        tainted: resource.tainted,
    };
    with_resource_diff(state, resource, schemas, |diff| writer.state_resource(&frame, diff))
}

fn write_output(
    writer: &mut Writer<'_>,
    state: &State<'_>,
    output: &StateOutput<'_>,
) -> Result<(), ShowError> {
    with_output_diff(state, output, |diff| writer.state_output(&output.name, diff))
}

/// Does something with the diff of a resource to itself.
pub(super) fn with_resource_diff<T>(
    state: &State<'_>,
    resource: &StateResource<'_>,
    schemas: &Schemas,
    then: impl FnOnce(&Diff<'_>) -> T,
) -> Result<T, ShowError> {
    let schema = schemas.of_state(resource)?;
    let shown = resource.shown(state, schema)?;
    let [values, marks] = shown.parts();
    let values = read(state, &values, || format!("{}: values", resource.address))?;
    let marks = read(state, &marks, || format!("{}: sensitive_values", resource.address))?;
    let marks = closed(marks, &values);
    let change = unchanged(values.view(), marks.view());
    Ok(then(&match schema {
        Some(schema) => differ::block(change, schema),
        None => differ::block_by_shape(change),
    }))
}

/// Does something with the diff of an output to itself.
pub(super) fn with_output_diff<T>(
    state: &State<'_>,
    output: &StateOutput<'_>,
    then: impl FnOnce(&Diff<'_>) -> T,
) -> Result<T, ShowError> {
    let shown = output.shown(state);
    let value = shown.as_deref().map_or(output.value, Raw::of);
    let value = read(state, &value, || format!("outputs.{}", output.name))?;
    let value = value.view();
    let change = unchanged(value, value.bool(output.sensitive));
    // A type that cannot be read leaves the shape to decide.
    let ty = from_str::<Type>(output.value_type.text()).ok();
    Ok(then(&match &ty {
        Some(ty) => differ::typed(change, ty),
        None => differ::output(change),
    }))
}
