//! What a Markdown page lists, in which order, and what may go first.

use hashbrown::HashMap;

use super::super::summary::{reasons, summary_group};
use super::super::tokens::Tokens;
use super::super::{View, Writer};
use super::{fence, inert, length};
use crate::document::{CheckStatus, ResourceActions, TriggerTime};
use crate::report::{
    ActionHeader, Entries, Heading, OutputHeader, Report, ResourceHeader, Section as Part, ShowError,
    StateHeader,
};

/// A section of the page.
pub(super) struct Section {
    title: &'static str,
    /// What is to be read where a group is closed, as HTML; without it the group is always open.
    groups: Vec<Option<String>>,
}

/// One thing on the page.
pub(super) struct Item<'r, 'p> {
    pub(super) section: usize,
    pub(super) group: usize,
    /// Which goes first where not all fit: the highest.
    pub(super) rank: u8,
    /// An object is lost.
    pub(super) is_loss: bool,
    /// The address or name, as it is.
    pub(super) name: String,
    /// What is said of it, as Markdown.
    pub(super) line: String,
    body: Body<'r, 'p>,
}

/// What a diff is made of.
enum Body<'r, 'p> {
    None,
    Change(&'r Entries<'p, ResourceHeader<'p>>, usize),
    Action(&'r Entries<'p, ActionHeader<'p>>, usize),
    Output(&'r Entries<'p, OutputHeader<'p>>, usize),
    Resource(&'r Entries<'p, StateHeader<'p>>, usize),
}

impl Section {
    /// How long what is around the items is: the heading, and each group.
    pub(super) fn costs(&self) -> Vec<usize> {
        let group = |index| length(&self.start_group(index)) + length(self.end_group(index));
        std::iter::once(length(&self.start())).chain((0..self.groups.len()).map(group)).collect()
    }

    pub(super) fn start(&self) -> String {
        format!("### {}\n\n", self.title)
    }

    pub(super) fn start_group(&self, index: usize) -> String {
        let summary = self.groups[index].as_ref();
        summary.map_or_else(String::new, |summary| format!("<details><summary>{summary}</summary>\n\n"))
    }

    pub(super) fn end_group(&self, index: usize) -> &'static str {
        if self.groups[index].is_some() { "</details>\n\n" } else { "" }
    }
}

impl Item<'_, '_> {
    pub(super) fn has_diff(&self) -> bool {
        !matches!(self.body, Body::None)
    }

    /// The text of the diff: empty if there is nothing to see, none if it is longer than so many bytes.
    pub(super) fn diff(&self, report: &Report<'_>, limit: usize) -> Result<Option<String>, ShowError> {
        let mut text = String::new();
        let mut sink = |tokens: &Tokens| fence::write(tokens, limit, &mut text);
        let mut writer = Writer::new(&mut sink, report.program);
        match self.body {
            Body::None => {}
            Body::Change(entries, index) => {
                if let Some(entry) = entries.get(index).transpose()?
                    && !entry.diff.hidden
                {
                    writer.resource_body(&entry);
                    writer.triggered(TriggerTime::Before, &entry.actions_before);
                    writer.triggered(TriggerTime::After, &entry.actions_after);
                }
            }
            Body::Action(entries, index) => {
                if let Some(entry) = entries.get(index).transpose()? {
                    writer.action(&entry);
                }
            }
            Body::Output(entries, index) => {
                if let Some(entry) = entries.get(index).transpose()? {
                    writer.plain = entry.header.actions.is_none();
                    writer.entry(&entry.header.name, 0, &entry.diff, 0, View::default());
                }
            }
            Body::Resource(entries, index) => {
                if let Some(entry) = entries.get(index).transpose()? {
                    writer.plain = true;
                    writer.state_body(&entry);
                }
            }
        }
        // It fails only where the limit is met.
        let fits = writer.flush().is_ok();
        Ok(fits.then_some(text))
    }
}

/// The sections of a page, and all that is in them, in their order.
pub(super) fn sections<'r, 'p>(report: &'r Report<'p>) -> (Vec<Section>, Vec<Item<'r, 'p>>) {
    let mut page = Page { sections: Vec::new(), items: Vec::new() };
    let changes = || {
        report.sections.iter().filter_map(|part| match part {
            Part::ResourceChanges(entries) => Some(entries),
            _ => None,
        })
    };
    for entries in changes() {
        page.changes(entries);
        page.list("Forgotten: no longer managed, and not destroyed", entries, |header| {
            (header.actions == ResourceActions::Forget).then(|| change_line(header))
        });
        page.list("Moved", entries, |header| {
            let previous = header.previous_address.as_ref()?;
            Some(format!("{} → {}", inert::code(previous), inert::code(&header.address)))
        });
        page.list("Imported", entries, |header| {
            let import = header.importing.as_ref()?;
            let id = import.id.as_ref().map_or_else(String::new, |id| format!(" from {}", inert::code(id)));
            Some(inert::code(&header.address) + &id)
        });
    }
    page.checks(report);
    for part in &report.sections {
        match part {
            Part::DeferredChanges(entries) => {
                page.section(
                    "Left to the next plan",
                    entries,
                    8,
                    change_line,
                    |header| header.address.to_string(),
                    Body::Change,
                );
            }
            Part::InvokedActions(entries) => {
                let line = |header: &ActionHeader<'_>| {
                    let caller = header.called_from.as_ref();
                    let caller = caller
                        .map_or_else(String::new, |caller| format!(", called from {}", inert::code(caller)));
                    format!("**Invoke** {}{caller}", inert::code(&header.address))
                };
                page.section("Actions", entries, 5, line, |header| header.address.to_string(), Body::Action);
            }
            Part::OutputChanges { changed: entries, .. } | Part::Outputs(entries) => {
                page.section(
                    "Outputs",
                    entries,
                    8,
                    |header| inert::code(&header.name),
                    |header| header.name.to_string(),
                    Body::Output,
                );
            }
            Part::Resources(entries) => page.state(entries),
            _ => {}
        }
    }
    page.section(
        "Changed outside of Terraform",
        &report.drift,
        9,
        change_line,
        |header| header.address.to_string(),
        Body::Change,
    );
    (page.sections, page.items)
}

struct Page<'r, 'p> {
    sections: Vec<Section>,
    items: Vec<Item<'r, 'p>>,
}

impl<'r, 'p> Page<'r, 'p> {
    /// Adds a section without closed groups.
    fn section<H: Clone>(
        &mut self,
        title: &'static str,
        entries: &'r Entries<'p, H>,
        rank: u8,
        line: impl Fn(&H) -> String,
        name: impl Fn(&H) -> String,
        body: fn(&'r Entries<'p, H>, usize) -> Body<'r, 'p>,
    ) {
        if entries.is_empty() {
            return;
        }
        let section = self.sections.len();
        self.sections.push(Section { title, groups: vec![None] });
        self.items.extend(entries.headers().enumerate().map(|(index, header)| Item {
            section,
            group: 0,
            rank,
            is_loss: false,
            name: name(&header),
            line: line(&header),
            body: body(entries, index),
        }));
    }

    /// Adds the checks that did not pass.
    fn checks(&mut self, report: &Report<'_>) {
        let section = self.sections.len();
        self.items.extend(report.checks.iter().map(|check| {
            let (rank, status) = match check.status {
                CheckStatus::Fail => (2, "Failed"),
                CheckStatus::Error => (2, "Error"),
                CheckStatus::Unknown => (6, "Not known yet"),
            };
            let mut line = format!("**{status}** {}", inert::code(&check.address));
            for problem in &check.problems {
                line += &format!(" — {}", inert::code(problem));
            }
            let name = check.address.to_string();
            Item { section, group: 0, rank, is_loss: false, name, line, body: Body::None }
        }));
        if !report.checks.is_empty() {
            self.sections.push(Section { title: "Checks", groups: vec![None] });
        }
    }

    /// Adds a section of the changes that have a line in it.
    fn list(
        &mut self,
        title: &'static str,
        entries: &'r Entries<'p, ResourceHeader<'p>>,
        line: impl Fn(&ResourceHeader<'_>) -> Option<String>,
    ) {
        let section = self.sections.len();
        self.items.extend(entries.headers().enumerate().filter_map(|(index, header)| {
            let forgotten = header.actions == ResourceActions::Forget;
            // All others are among the changes, or move and that is all.
            let has_diff = forgotten
                || header.heading == Heading::Imported && header.importing.is_some() && title == "Imported";
            Some(Item {
                section,
                group: 0,
                rank: if forgotten { 3 } else { 7 },
                is_loss: false,
                name: header.address.to_string(),
                line: line(&header)?,
                body: if has_diff { Body::Change(entries, index) } else { Body::None },
            })
        }));
        if self.items.last().is_some_and(|item| item.section == section) {
            self.sections.push(Section { title, groups: vec![None] });
        }
    }

    /// Adds the resources that change, by module, those that are destroyed first.
    fn changes(&mut self, entries: &'r Entries<'p, ResourceHeader<'p>>) {
        let mut items = Vec::new();
        let mut modules = Modules::default();
        for (index, header) in entries.headers().enumerate() {
            if matches!(header.actions, ResourceActions::NoOp | ResourceActions::Forget) {
                continue;
            }
            let (rank, _) = summary_group(header.actions);
            let item = Item {
                section: self.sections.len(),
                group: modules.add(header.module_address.as_deref(), rank, PHRASES[usize::from(rank)]),
                rank,
                is_loss: rank <= 1,
                name: header.address.to_string(),
                line: change_line(&header),
                body: Body::Change(entries, index),
            };
            items.push(item);
        }
        self.grouped("Resources", items, modules);
    }

    /// Adds the resources of a state, by module.
    fn state(&mut self, entries: &'r Entries<'p, StateHeader<'p>>) {
        let mut modules = Modules::default();
        let section = self.sections.len();
        let item = |(index, header): (usize, std::borrow::Cow<'_, StateHeader<'_>>)| {
            let deposed =
                header.deposed.as_deref().map(|key| format!(" — deposed object {}", inert::code(key)));
            let tainted = if header.tainted { " — tainted" } else { "" };
            Item {
                section,
                group: modules.add(header.module_address.as_deref(), 0, "resources"),
                rank: 0,
                is_loss: false,
                name: header.address.to_string(),
                line: format!("{}{}{tainted}", inert::code(&header.address), deposed.unwrap_or_default()),
                body: Body::Resource(entries, index),
            }
        };
        let items = entries.headers().enumerate().map(item).collect();
        self.grouped("Resources", items, modules);
    }

    fn grouped(&mut self, title: &'static str, mut items: Vec<Item<'r, 'p>>, modules: Modules) {
        if items.is_empty() {
            return;
        }
        let (places, groups) = modules.sorted();
        for item in &mut items {
            item.group = places[item.group];
        }
        items.sort_by_key(|item| (item.group, item.rank));
        self.items.extend(items);
        self.sections.push(Section { title, groups });
    }
}

/// What is said of resources after their number, in the order of the groups of a summary.
const PHRASES: [&str; 8] = [
    "to destroy",
    "to replace",
    "with unknown actions",
    "to forget",
    "to update",
    "to create",
    "to read",
    "to move or import",
];

/// A module, and how many of its resources are in each group, with what is said of that.
#[derive(Default)]
struct Module {
    address: Option<String>,
    counts: [(&'static str, usize); 8],
}

/// Modules, and what happens in them.
#[derive(Default)]
struct Modules {
    list: Vec<Module>,
    by_address: HashMap<Option<String>, usize>,
}

impl Modules {
    /// Counts a resource of a module, and gives the number of that.
    fn add(&mut self, address: Option<&str>, rank: u8, phrase: &'static str) -> usize {
        let address = address.map(str::to_owned);
        let list = &mut self.list;
        let index = *self.by_address.entry(address).or_insert_with_key(|address| {
            list.push(Module { address: address.clone(), ..Module::default() });
            list.len() - 1
        });
        if let Some((said, count)) = list[index].counts.get_mut(usize::from(rank)) {
            (*said, *count) = (phrase, *count + 1);
        }
        index
    }

    /// The place of each module by its number, and what is said of the modules in the order of these places.
    fn sorted(self) -> (Vec<usize>, Vec<Option<String>>) {
        let mut order: Vec<_> = (0..self.list.len()).collect();
        order.sort_by_key(|index| self.list[*index].counts.iter().position(|(_, count)| *count > 0));
        let mut places = vec![0; order.len()];
        for (place, index) in order.iter().enumerate() {
            places[*index] = place;
        }
        let summary = |index: usize| {
            let Module { address, counts } = &self.list[index];
            let name = address.as_deref().map_or_else(|| "Root module".to_owned(), inert::html_code);
            let counts: Vec<_> = counts
                .iter()
                .filter(|(_, count)| *count > 0)
                .map(|(phrase, count)| format!("{count} {phrase}"))
                .collect();
            Some(format!("{name}: {}", counts.join(", ")))
        };
        (places, order.into_iter().map(summary).collect())
    }
}

/// What happens to a resource, and why.
fn change_line(header: &ResourceHeader<'_>) -> String {
    let verb = match (header.heading, header.actions) {
        (Heading::HasChanged, _) => "Changed",
        (Heading::HasBeenDeleted, _) => "Deleted",
        (_, ResourceActions::CreateThenDelete) => "Replace, creating first",
        (_, ResourceActions::CreateThenForget | ResourceActions::ForgetThenCreate) => {
            "Replace, keeping the old object"
        }
        (_, actions) => summary_group(actions).1,
    };
    let mut line = format!("**{verb}** {}", inert::code(&header.address));
    if let Some(key) = header.deposed.as_deref() {
        line += &format!(" — deposed object {}", inert::code(key));
    }
    for reason in reasons(header) {
        line += &format!(" — {}", inert::words(&reason));
    }
    line
}
