//! The addresses of a document, grouped by what happens to them.

use std::io::Write;

use super::{Filter, Options, ShowError};
use crate::document::{ChangedResource, Document, Plan, ResourceActions, State};
use crate::json::Json;
use crate::render::{SummaryLine, Writer};

/// The groups in the order in which they are written.
const GROUPS: [(&str, &[ResourceActions]); 7] = [
    ("Create", &[ResourceActions::Create]),
    ("Read", &[ResourceActions::Read]),
    ("Update", &[ResourceActions::Update]),
    (
        "Replace",
        &[
            ResourceActions::DeleteThenCreate,
            ResourceActions::CreateThenDelete,
            ResourceActions::CreateThenForget,
        ],
    ),
    ("Destroy", &[ResourceActions::Delete]),
    ("Forget", &[ResourceActions::Forget]),
    ("Move or import", &[ResourceActions::NoOp]),
];

/// Writes the addresses of a document, grouped by what happens to them, with the reasons.
///
/// It reads no values but the paths that force a replacement.
///
/// # Errors
///
/// The text cannot be written.
pub fn write_summary(
    out: &mut dyn Write,
    document: &Document<'_>,
    options: &Options,
    filter: &Filter,
) -> Result<(), ShowError> {
    let mut writer = Writer::new(out, options.colour);
    match document {
        Document::Plan(plan) => plan_summary(&mut writer, plan, filter),
        Document::State(state) => state_summary(&mut writer, state, filter),
    }
    Ok(writer.flush()?)
}

fn plan_summary(writer: &mut Writer<'_>, plan: &Plan<'_>, filter: &Filter) {
    let shown: Vec<_> = plan
        .resource_changes
        .iter()
        .filter(|r| super::plan::is_shown(r) && filter.matches(&r.address, r.change.actions))
        .collect();
    for (title, actions) in GROUPS {
        let group: Vec<_> = shown.iter().filter(|r| actions.contains(&r.change.actions)).collect();
        if !group.is_empty() {
            writer.summary_group(title, group.len());
        }
        for resource in group {
            let reasons = reasons(resource);
            writer.summary_line(&line(resource, &reasons));
        }
    }
    let deferred: Vec<_> =
        plan.deferred_changes.iter().filter(|d| filter.matches_address(&d.resource.address)).collect();
    if !deferred.is_empty() {
        writer.summary_group("Deferred", deferred.len());
    }
    for deferred in &deferred {
        writer.summary_line(&line(&deferred.resource, &[deferred.reason.replace('_', " ")]));
    }
    let outputs: Vec<_> = plan
        .output_changes
        .iter()
        .filter(|o| filter.is_all() && o.change.actions != ResourceActions::NoOp)
        .collect();
    if !outputs.is_empty() {
        writer.summary_group("Outputs", outputs.len());
    }
    for output in &outputs {
        let actions = output.change.actions;
        writer.summary_line(&SummaryLine { actions, address: &output.name, deposed: None, reasons: &[] });
    }
    match (shown.is_empty() && deferred.is_empty() && outputs.is_empty(), filter.is_all()) {
        (true, true) => writer.summary_empty(),
        (true, false) => writer.no_match("resource with changes"),
        (false, _) => {}
    }
}

fn state_summary(writer: &mut Writer<'_>, state: &State<'_>, filter: &Filter) {
    let shown: Vec<_> = state.resources.iter().filter(|r| filter.matches_address(&r.address)).collect();
    writer.summary_group("Resources", shown.len());
    for resource in shown {
        let reasons = if resource.tainted { vec!["tainted".to_owned()] } else { Vec::new() };
        writer.summary_line(&SummaryLine {
            actions: ResourceActions::NoOp,
            address: &resource.address,
            deposed: resource.deposed.as_deref(),
            reasons: &reasons,
        });
    }
}

fn line<'a>(resource: &'a ChangedResource<'_>, reasons: &'a [String]) -> SummaryLine<'a> {
    SummaryLine {
        actions: resource.change.actions,
        address: &resource.address,
        deposed: resource.deposed.as_deref(),
        reasons,
    }
}

/// Why something happens to a resource, in a few words each.
fn reasons(resource: &ChangedResource<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(previous) = &resource.previous_address {
        reasons.push(format!("moved from {previous}"));
    }
    if let Some(importing) = &resource.change.importing {
        reasons.push(match &importing.id {
            Some(id) => format!("imported from {id:?}"),
            None => "imported".to_owned(),
        });
    }
    match resource.action_reason.as_deref() {
        None | Some("replace_because_cannot_update") => {
            let attributes = replacing_attributes(resource);
            if !attributes.is_empty() {
                reasons.push(format!("because of {}", attributes.join(", ")));
            }
        }
        Some(reason) => reasons.push(
            match reason {
                "replace_because_tainted" => "tainted",
                "replace_by_request" => "as requested",
                "replace_by_triggers" => "replace_triggered_by",
                "delete_because_no_resource_config" => "not in configuration",
                "delete_because_no_module" => "its module is not in configuration",
                "delete_because_no_move_target" => "moved to what is not in configuration",
                "delete_because_wrong_repetition" => "count or for_each came or went",
                "delete_because_count_index" => "index out of range for count",
                "delete_because_each_key" => "key not in for_each map",
                "read_because_config_unknown" => "config refers to values not yet known",
                "read_because_dependency_pending" => "depends on changes pending",
                "read_because_check_nested" => "to verify a check block",
                other => return [reasons, vec![other.replace('_', " ")]].concat(),
            }
            .to_owned(),
        ),
    }
    reasons
}

/// The attributes that force the replacement; not the keys below them, which may be secret.
fn replacing_attributes(resource: &ChangedResource<'_>) -> Vec<String> {
    let Ok(paths) = Json::read(&resource.change.replace_paths) else { return Vec::new() };
    let mut names: Vec<String> = paths
        .view()
        .elements()
        .iter()
        .filter_map(|path| path.elements().get(0)?.as_str().map(str::to_owned))
        .collect();
    names.sort();
    names.dedup();
    names
}
