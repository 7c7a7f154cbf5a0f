//! The summary: the addresses of a report, grouped by what happens to them, with the reasons in a few words.

use std::io::{self, Write};

use objchange::internal::visible;

use super::Colour;
use crate::document::ResourceActions;
use crate::report::{Heading, Outcome, OutputHeader, Report, ResourceHeader, Section, StateHeader};
use crate::text::Text;

/// The groups of changes in the order in which they are written.
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
            ResourceActions::ForgetThenCreate,
        ],
    ),
    ("Destroy", &[ResourceActions::Delete]),
    ("Forget", &[ResourceActions::Forget]),
    ("Move or import", &[ResourceActions::NoOp]),
];

impl Report<'_> {
    /// Writes the addresses, grouped by what happens to them, with the reasons.
    ///
    /// # Errors
    ///
    /// The text cannot be written.
    pub fn write_summary(&self, out: &mut dyn Write, colour: Colour) -> io::Result<()> {
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        let symbol = |actions| colour.resource_symbol(actions, self.program);
        let change = |header: &ResourceHeader<'_>| {
            line(symbol(header.actions), &header.address, header.deposed.as_deref(), &reasons(header))
        };
        let output = |header: &OutputHeader<'_>| {
            line(symbol(header.actions.unwrap_or(ResourceActions::NoOp)), &header.name, None, &[])
        };
        let resource = |header: &StateHeader<'_>| {
            let reasons = if header.tainted { &["tainted".to_owned()][..] } else { &[] };
            line(symbol(ResourceActions::NoOp), &header.address, header.deposed.as_deref(), reasons)
        };
        for section in &self.sections {
            match section {
                Section::DeferredChanges(entries) => {
                    groups.push(("Deferred", entries.headers().map(|header| change(&header)).collect()));
                }
                Section::ResourceChanges(entries) => {
                    let start = groups.len();
                    groups.extend(GROUPS.map(|(title, _)| (title, Vec::new())));
                    groups.push(("Unknown", Vec::new()));
                    for header in entries.headers() {
                        let is_of =
                            |(_, actions): &(_, &[ResourceActions])| actions.contains(&header.actions);
                        let group = GROUPS.iter().position(is_of).unwrap_or(GROUPS.len());
                        groups[start + group].1.push(change(&header));
                    }
                }
                Section::OutputChanges { changed, .. } => {
                    groups.push(("Outputs", changed.headers().map(|header| output(&header)).collect()));
                }
                Section::Resources(entries) => {
                    groups.push(("Resources", entries.headers().map(|header| resource(&header)).collect()));
                }
                _ => {}
            }
        }
        if self.errored {
            out.write_all(b"Planning failed: only what was planned until then is listed.\n")?;
        }
        if self.complete == Some(false) && !self.errored {
            out.write_all(b"The plan is incomplete: more may be left to change.\n")?;
        }
        groups.retain(|(_, lines)| !lines.is_empty());
        let (bold, reset) = (colour.bold(), colour.reset());
        for (title, lines) in &groups {
            write!(out, "{bold}{title}{reset} ({})\n{}", lines.len(), lines.concat())?;
        }
        if self.errored || !groups.is_empty() {
            return Ok(());
        }
        let nothing = self.sections.iter().find_map(|section| match section {
            Section::Outcome(Outcome::NoChangeMatches) => Some("\nNo resource with changes matches.\n"),
            Section::Outcome(Outcome::NoResourceMatches) => Some("\nNo resource matches.\n"),
            Section::Outcome(Outcome::EmptyState) => Some("There are no resources.\n"),
            _ => None,
        });
        out.write_all(nothing.unwrap_or("Nothing changes.\n").as_bytes())
    }
}

fn line(symbol: &str, name: &str, deposed: Option<&str>, reasons: &[String]) -> String {
    let deposed = deposed.map_or(String::new(), |key| format!(" (deposed object {})", visible(key)));
    let colon = if reasons.is_empty() { "" } else { ": " };
    format!("{symbol}{}{deposed}{colon}{}\n", visible(name), visible(&reasons.join(", ")))
}

/// Why something happens to a resource, in a few words each.
fn reasons(header: &ResourceHeader<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    if let ResourceActions::Unknown(words) = header.actions {
        reasons.push(words.join(", "));
    }
    if header.heading != Heading::Deferred {
        reasons.extend(header.previous_address.as_ref().map(|previous| format!("moved from {previous}")));
        reasons.extend(header.importing.as_ref().map(|import| match &import.id {
            Some(id) => format!("imported from {id:?}"),
            None => "imported".to_owned(),
        }));
    }
    if !header.replaced_by.is_empty() {
        let names: Vec<&str> = header.replaced_by.iter().map(Text::as_str).collect();
        reasons.push(format!("because of {}", names.join(", ")));
    }
    reasons.extend(header.reason.as_deref().and_then(|reason| {
        Some(match reason {
            "replace_because_cannot_update" => return None,
            "replace_because_tainted" => "tainted".to_owned(),
            "replace_by_request" => "as requested".to_owned(),
            "replace_by_triggers" => "replace_triggered_by".to_owned(),
            "delete_because_enabled_false" => "enabled is false".to_owned(),
            "forgot_because_lifecycle_destroy_in_state" | "forgot_because_lifecycle_destroy_in_config" => {
                "lifecycle.destroy is false".to_owned()
            }
            "delete_because_no_resource_config" => "not in configuration".to_owned(),
            "delete_because_no_module" => "its module is not in configuration".to_owned(),
            "delete_because_no_move_target" => "moved to what is not in configuration".to_owned(),
            "delete_because_wrong_repetition" => "count or for_each came or went".to_owned(),
            "delete_because_count_index" => "index out of range for count".to_owned(),
            "delete_because_each_key" => "key not in for_each map".to_owned(),
            "read_because_config_unknown" => "config refers to values not yet known".to_owned(),
            "read_because_dependency_pending" => "depends on changes pending".to_owned(),
            "read_because_check_nested" => "to verify a check block".to_owned(),
            other => other.replace('_', " "),
        })
    }));
    reasons
}
