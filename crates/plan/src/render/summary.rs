//! The summary: the addresses of a report in groups, with the reasons in a few words, and what it all adds up to.

use std::io::Write;

use objchange_text::{counted, visible};

use super::tokens::{Role, resource_sign, sign};
use super::{Writer, print};
use crate::diff::DiffAction;
use crate::options::{Colour, Options};
use crate::report::PREDICTED;
use crate::report::{
    Comment, Counts, Heading, Invocation, Outcome, OutputHeader, Report, ResourceHeader, Section, ShowError,
    StateHeader,
};
use objchange_document::NoState;
use objchange_document::Text;
use objchange_document::changes::{Check, CheckStatus, Importing, ResourceActions, TriggerTime};

/// How the resources of a summary are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GroupBy {
    /// By what happens to them.
    #[default]
    Action,
    /// By the module that they are in.
    Module,
    /// By their type.
    Type,
}

/// The group of a resource: its rank in the summary, destructive ones first, and its heading.
pub(super) type SummaryGroup = (u8, &'static str);

pub(super) fn summary_group(actions: ResourceActions) -> SummaryGroup {
    match actions {
        ResourceActions::Delete => (0, "Destroy"),
        ResourceActions::DeleteThenCreate
        | ResourceActions::CreateThenDelete
        | ResourceActions::CreateThenForget
        | ResourceActions::ForgetThenCreate => (1, "Replace"),
        ResourceActions::Unknown => (2, "Unknown"),
        ResourceActions::Forget => (3, "Forget"),
        ResourceActions::Update => (4, "Update"),
        ResourceActions::Create => (5, "Create"),
        ResourceActions::Read => (6, "Read"),
        ResourceActions::NoOp => (7, "Move or import"),
    }
}

/// Lines below a heading.
struct Group {
    title: String,
    lines: Vec<Line>,
}

/// A thing, and what happens to it.
struct Line {
    /// The group of its action; `None` for everything but changes of resources.
    group: Option<SummaryGroup>,
    sign: &'static str,
    text: String,
}

/// The groups of resources, found by their titles.
#[derive(Default)]
struct Groups {
    list: Vec<Group>,
    by_title: hashbrown::HashMap<String, usize>,
}

impl Groups {
    fn add(&mut self, title: &str, line: Line) {
        let list = &mut self.list;
        let index = *self.by_title.entry_ref(title).or_insert_with(|| {
            list.push(Group { title: title.to_owned(), lines: Vec::new() });
            list.len() - 1
        });
        list[index].lines.push(line);
    }

    /// The groups and their lines, sorted by rank; equal ranks keep the document's order.
    fn sorted(mut self) -> Vec<Group> {
        for group in &mut self.list {
            group.lines.sort_by_key(|line| line.group);
        }
        // The first line of each group is now its gravest one.
        self.list.sort_by_key(|group| group.lines.first().map(|line| line.group));
        self.list
    }
}

impl GroupBy {
    /// The title of the group of a resource; what happens to it is not asked of those of a state.
    fn title<'h>(
        self,
        group: Option<SummaryGroup>,
        module: Option<&'h Text<'_>>,
        resource_type: &'h str,
    ) -> &'h str {
        match self {
            Self::Action => group.map_or("Resources", |(_, title)| title),
            Self::Module => module.map_or("(root module)", |module| module.as_str()),
            Self::Type => resource_type,
        }
    }
}

impl Report<'_> {
    /// Writes the addresses in groups, with the reasons, and what they add up to.
    ///
    /// # Errors
    ///
    /// The text cannot be written.
    pub fn write_summary(
        &self,
        out: &mut dyn Write,
        colour: Colour,
        group_by: GroupBy,
    ) -> Result<(), ShowError> {
        let options = Options { colour, ..Options::default() };
        print(out, &options, self.program, |writer| {
            writer.summary(self, group_by);
            if !self.missing.is_empty() {
                writer.missing(&self.missing);
            }
            Ok(())
        })
    }

    fn groups(&self, group_by: GroupBy) -> Vec<Group> {
        let sign_of = |actions| resource_sign(actions, self.program);
        let change = |header: &ResourceHeader<'_>| {
            line(sign_of(header.actions.kind), &header.address, header.deposed.as_deref(), &reasons(header))
        };
        let output = |header: &OutputHeader<'_>| {
            line(sign_of(header.actions.unwrap_or(ResourceActions::NoOp)), &header.name, None, &[])
        };
        let resource = |header: &StateHeader<'_>| {
            let reasons = if header.tainted { &["tainted".to_owned()][..] } else { &[] };
            line(sign(DiffAction::NoOp), &header.address, header.deposed.as_deref(), reasons)
        };
        let (mut resources, mut others) = (Groups::default(), Vec::new());
        let mut other = |title: &str, lines| others.push(Group { title: title.to_owned(), lines });
        for section in &self.sections {
            match section {
                Section::DeferredChanges(entries) => {
                    other("Deferred", entries.headers().map(|header| change(&header)).collect());
                }
                Section::ResourceChanges(entries) => {
                    for header in entries.headers() {
                        let group = Some(summary_group(header.actions.kind));
                        let title = group_by.title(group, header.module_address.as_ref(), &header.r#type);
                        resources.add(title, Line { group, ..change(&header) });
                    }
                }
                Section::Resources(entries) => {
                    for header in entries.headers() {
                        let title = group_by.title(None, header.module_address.as_ref(), &header.r#type);
                        resources.add(title, resource(&header));
                    }
                }
                Section::OutputChanges { changed: entries, .. } | Section::Outputs(entries) => {
                    other("Outputs", entries.headers().map(|header| output(&header)).collect());
                }
                _ => {}
            }
        }
        other("Actions", self.invocations.iter().map(invoked).collect());
        other("Changed outside", self.drift.headers().map(|header| change(&header)).collect());
        other("Checks", self.checks.iter().map(checked).collect());
        if let Some(ignored) = &self.ignored {
            let headers = ignored.updates.headers().chain(ignored.drift.headers());
            let lines = headers.map(|header| change(&header)).collect::<Vec<_>>();
            let outputs = ignored
                .outputs
                .iter()
                .map(|name| line(sign_of(ResourceActions::Update), &format!("output.{name}"), None, &[]));
            let title = format!("Only ignored paths: {}", ignored.paths.join(", "));
            other(&title, lines.into_iter().chain(outputs).collect());
        }
        let mut groups = resources.sorted();
        groups.extend(others);
        groups.retain(|group| !group.lines.is_empty());
        groups
    }
}

impl Writer<'_> {
    fn summary(&mut self, report: &Report<'_>, group_by: GroupBy) {
        if report.predicted {
            self.push(&format!("Predicted plan{PREDICTED}\n"));
        }
        if report.errored {
            self.push("Planning failed: only what was planned until then is listed.\n");
        }
        if report.complete == Some(false) && !report.errored {
            self.push("The plan is incomplete: more may be left to change.\n");
        }
        if let Some(no_state) = report.no_state {
            let words = no_state.as_str();
            let rest = match no_state {
                NoState::Unread => "this is the configuration alone, and objects may exist",
                NoState::Missing | NoState::LeftOut => "nothing exists yet",
            };
            self.push(&format!("{}{}: {rest}.\n", words[..1].to_uppercase(), &words[1..]));
        }
        let groups = report.groups(group_by);
        for group in &groups {
            self.text(Role::Heading, &visible(&group.title));
            self.push(&format!(" ({})\n", group.lines.len()));
            for Line { sign, text, .. } in &group.lines {
                self.text(Role::Sign, sign);
                self.push(text);
            }
        }
        if !groups.is_empty() {
            return self.total(report);
        }
        let nothing = report.sections.iter().find_map(|section| match section {
            Section::Outcome(Outcome::NoChangeMatches) => Some("\nNo resource with changes matches.\n"),
            Section::Outcome(Outcome::NoResourceMatches) => Some("\nNo resource matches.\n"),
            Section::Outcome(Outcome::EmptyState) => Some("There are no resources.\n"),
            Section::Outcome(Outcome::PlanningFailed) => Some(""),
            Section::Outcome(Outcome::OnlyIgnored) => Some(""),
            _ => None,
        });
        self.push(nothing.unwrap_or("Nothing changes.\n"));
    }

    /// Writes what all groups add up to.
    fn total(&mut self, report: &Report<'_>) {
        self.text(Role::Heading, "Total:");
        self.push(&format!(" {}.\n", report.total()));
        if report.of_selection {
            self.push("Only what was chosen is counted.\n");
        }
    }
}

impl Report<'_> {
    /// All that the plan does in a few words: `1 to destroy, 2 to create`, or `nothing to change`.
    ///
    /// ```
    /// use objchange_document::{Plan, Schemas};
    /// use objchange_plan::{Filter, Options, Report};
    ///
    /// let plan = Plan::parse(
    ///     r#"{"format_version":"1.2","resource_changes":[{"address":"a.b","mode":"managed","type":"a","name":"b",
    ///     "change":{"actions":["delete"],"before":{},"after":null,"after_unknown":{}}}]}"#,
    /// )?;
    /// let schemas = Schemas::none();
    /// let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default())?;
    /// assert_eq!(report.total(), "1 to destroy");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn total(&self) -> String {
        let is_state = self.sections.iter().any(|section| matches!(section, Section::Resources(_)));
        let mut total = total(&self.counts, is_state);
        configured(&mut total, self);
        if !self.counts.is_change() && !is_state {
            total.insert(0, "nothing to change".to_owned());
        }
        total.join(", ")
    }
}

/// Says "to create or update" of objects that may exist.
pub(super) fn configured(total: &mut [String], report: &Report<'_>) {
    if report.no_state == Some(NoState::Unread) {
        total
            .iter_mut()
            .filter(|words| words.ends_with(" to create"))
            .for_each(|words| words.push_str(" or update"));
    }
}

/// The totals of each kind, in the order of the groups.
pub(super) fn total(counts: &Counts, is_state: bool) -> Vec<String> {
    let outputs = counted(counts.outputs, "output");
    [
        (counts.resources, counted(counts.resources, "resource")),
        (counts.delete, format!("{} to destroy", counts.delete)),
        (counts.replace, format!("{} to replace", counts.replace)),
        (counts.unknown, format!("{} with unknown actions", counts.unknown)),
        (counts.forget, format!("{} to forget", counts.forget)),
        (counts.update, format!("{} to update", counts.update)),
        (counts.create, format!("{} to create", counts.create)),
        (counts.read, format!("{} to read", counts.read)),
        (counts.r#move, format!("{} to move", counts.r#move)),
        (counts.import, format!("{} to import", counts.import)),
        (counts.defer, format!("{} left to the next plan", counts.defer)),
        (counts.outputs, if is_state { outputs } else { format!("{outputs} to change") }),
        (counts.invoke, format!("{} to invoke", counted(counts.invoke, "action"))),
        (counts.drift, format!("{} changed outside", counts.drift)),
    ]
    .into_iter()
    .filter_map(|(count, words)| (count > 0).then_some(words))
    .collect()
}

fn line(sign: &'static str, name: &str, deposed: Option<&str>, reasons: &[String]) -> Line {
    let deposed = deposed.map_or(String::new(), |key| format!(" (deposed object {})", visible(key)));
    let colon = if reasons.is_empty() { "" } else { ": " };
    let text = format!("{}{deposed}{colon}{}\n", visible(name), visible(&reasons.join(", ")));
    Line { group: None, sign, text }
}

/// The line of a check that did not pass.
fn checked(check: &Check<'_>) -> Line {
    let status = match check.status {
        CheckStatus::Fail => "failed",
        CheckStatus::Error => "error",
        CheckStatus::Unknown => "not known yet",
    };
    let problems = check.problems.iter().map(|problem| problem.replace(['\r', '\n'], " "));
    let reasons: Vec<String> = std::iter::once(status.to_owned()).chain(problems).collect();
    line(sign(DiffAction::NoOp), &check.address, None, &reasons)
}

/// The line of an action.
fn invoked(invocation: &Invocation<'_>) -> Line {
    let mut reasons = Vec::new();
    if let Some((time, resource)) = &invocation.trigger {
        let time = match time {
            Some(TriggerTime::Before) => "before",
            Some(TriggerTime::After) => "after",
            None => "because of",
        };
        reasons.push(format!("{time} {resource}"));
    }
    if invocation.is_asked_for {
        reasons.push("as requested".to_owned());
    }
    line(sign(DiffAction::NoOp), &invocation.address, None, &reasons)
}

/// The identity by which an object is imported, in one line.
pub(super) fn identity(import: &Importing<'_>) -> Option<String> {
    let identity: serde_json::Value = serde_json::from_str(import.identity.as_deref()?).ok()?;
    let text = identity.to_string();
    Some(objchange_text::bounded_to(&text, IDENTITY).into_owned())
}

/// The longest identity that is shown, in bytes.
const IDENTITY: usize = 200;

/// Why something happens to a resource, in a few words each.
pub(super) fn reasons(header: &ResourceHeader<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    if !header.actions.unknown.is_empty() {
        reasons.push(header.actions.unknown.join(", "));
    }
    if header.may_be_replaced {
        reasons.push("may be replaced".to_owned());
    }
    if header.heading != Heading::Deferred {
        reasons.extend(header.previous_address.as_ref().map(|previous| format!("moved from {previous}")));
        reasons.extend(header.importing.as_ref().map(|import| match (&import.id, identity(import)) {
            (Some(id), Some(identity)) => format!("imported from {id:?} with the identity {identity}"),
            (Some(id), None) => format!("imported from {id:?}"),
            (None, Some(identity)) => format!("imported by the identity {identity}"),
            (None, None) => "imported".to_owned(),
        }));
    }
    reasons.extend(header.comments.iter().filter_map(|comment| {
        Some(match comment {
            Comment::LeftOver => "left over from a partially-failed replacement".to_owned(),
            Comment::ConfigGenerated => "config will be generated".to_owned(),
            Comment::DestroysImported => "this will destroy the imported resource".to_owned(),
            _ => return None,
        })
    }));
    if !header.replaced_by.is_empty() {
        let names: Vec<&str> = header.replaced_by.iter().map(Text::as_str).collect();
        reasons.push(format!("because of {}", names.join(", ")));
    }
    reasons.extend(header.reason.as_deref().and_then(|reason| {
        Some(match reason {
            // The attributes that cannot be updated are named already.
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
            // All reasons so far are words with `_` between them, so those of newer versions can be read this way, too.
            other => other.replace('_', " "),
        })
    }));
    reasons
}
