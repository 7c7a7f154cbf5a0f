//! What a page for people lists, and in which order: shared by Markdown and HTML.

use hashbrown::HashMap;

use super::summary::{reasons, summary_group};
use super::{View, Writer};
use crate::document::{CheckStatus, ResourceActions, TriggerTime};
use crate::report::{
    ActionHeader, Entries, Heading, OutputHeader, Report, ResourceHeader, Section as Part, ShowError,
    StateHeader,
};

/// A section of the page.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// What its items are grouped by: modules, or nothing.
    pub(super) groups: Vec<Option<Module>>,
}

/// One thing on the page.
pub(super) struct Item<'r, 'p> {
    pub(super) section: usize,
    pub(super) group: usize,
    /// Which goes first where not all fit: the highest.
    pub(super) rank: u8,
    /// What happens to the resource, in a word, in the section of those that change.
    pub(super) action: Option<&'static str>,
    /// An object is lost.
    pub(super) is_loss: bool,
    /// The address or name, as it is.
    pub(super) name: String,
    /// The key of the deposed object that this is.
    pub(super) deposed: Option<String>,
    /// What is said of it.
    pub(super) line: Vec<Piece>,
    body: Body<'r, 'p>,
}

/// A piece of the line of an item.
pub(super) enum Piece {
    /// What happens.
    Verb(&'static str),
    /// Our words between the others.
    Words(&'static str),
    /// A name or a text of the document.
    Code(String),
    /// A reason, which may have names of the document in it.
    Reason(String),
}

/// What a diff is made of.
enum Body<'r, 'p> {
    None,
    Change(&'r Entries<'p, ResourceHeader<'p>>, usize),
    Action(&'r Entries<'p, ActionHeader<'p>>, usize),
    Output(&'r Entries<'p, OutputHeader<'p>>, usize),
    Resource(&'r Entries<'p, StateHeader<'p>>, usize),
}

impl Item<'_, '_> {
    /// An item of the first section, of which nothing is said yet.
    fn new(rank: u8, name: &str) -> Self {
        Self {
            section: 0,
            group: 0,
            rank,
            action: None,
            is_loss: false,
            name: name.to_owned(),
            deposed: None,
            line: Vec::new(),
            body: Body::None,
        }
    }

    pub(super) fn has_diff(&self) -> bool {
        !matches!(self.body, Body::None)
    }

    /// Writes the diff: nothing if there is nothing to see.
    pub(super) fn write(&self, writer: &mut Writer<'_>) -> Result<(), ShowError> {
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
        Ok(())
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
            Some(vec![code(previous), Piece::Words(" → "), code(&header.address)])
        });
        page.list("Imported", entries, |header| {
            let import = header.importing.as_ref()?;
            let mut line = vec![code(&header.address)];
            line.extend(import.id.iter().flat_map(|id| [Piece::Words(" from "), code(id)]));
            Some(line)
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
                    let mut line = vec![Piece::Verb("Invoke"), Piece::Words(" "), code(&header.address)];
                    let caller = header.called_from.iter();
                    line.extend(caller.flat_map(|caller| [Piece::Words(", called from "), code(caller)]));
                    line
                };
                page.section("Actions", entries, 5, line, |header| header.address.to_string(), Body::Action);
            }
            Part::OutputChanges { changed: entries, .. } | Part::Outputs(entries) => {
                page.section(
                    "Outputs",
                    entries,
                    8,
                    |header| vec![code(&header.name)],
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
        line: impl Fn(&H) -> Vec<Piece>,
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
            line: line(&header),
            body: body(entries, index),
            ..Item::new(rank, &name(&header))
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
            let mut line = vec![Piece::Verb(status), Piece::Words(" "), code(&check.address)];
            line.extend(check.problems.iter().flat_map(|problem| [Piece::Words(" — "), code(problem)]));
            Item { section, line, ..Item::new(rank, &check.address) }
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
        line: impl Fn(&ResourceHeader<'_>) -> Option<Vec<Piece>>,
    ) {
        let section = self.sections.len();
        self.items.extend(entries.headers().enumerate().filter_map(|(index, header)| {
            let forgotten = header.actions == ResourceActions::Forget;
            // All others are among the changes, or move and that is all.
            let has_diff = forgotten
                || header.heading == Heading::Imported && header.importing.is_some() && title == "Imported";
            Some(Item {
                section,
                deposed: header.deposed.as_ref().map(ToString::to_string),
                line: line(&header)?,
                body: if has_diff { Body::Change(entries, index) } else { Body::None },
                ..Item::new(if forgotten { 3 } else { 7 }, &header.address)
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
            let (rank, action) = summary_group(header.actions);
            let item = Item {
                section: self.sections.len(),
                group: modules.add(header.module_address.as_deref(), rank, PHRASES[usize::from(rank)]),
                action: Some(action),
                is_loss: rank <= 1,
                deposed: header.deposed.as_ref().map(ToString::to_string),
                line: change_line(&header),
                body: Body::Change(entries, index),
                ..Item::new(rank, &header.address)
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
            let mut line = vec![code(&header.address)];
            line.extend(deposed(header.deposed.as_deref()));
            line.extend(header.tainted.then_some(Piece::Words(" — tainted")));
            Item {
                section,
                group: modules.add(header.module_address.as_deref(), 0, "resources"),
                deposed: header.deposed.as_ref().map(ToString::to_string),
                line,
                body: Body::Resource(entries, index),
                ..Item::new(0, &header.address)
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
pub(super) struct Module {
    /// `None` is the root module.
    pub(super) address: Option<String>,
    counts: [(&'static str, usize); 8],
}

impl Module {
    /// What happens in it, such as `1 to destroy, 2 to update`.
    pub(super) fn counts(&self) -> String {
        let counts = self.counts.iter().filter(|(_, count)| *count > 0);
        counts.map(|(phrase, count)| format!("{count} {phrase}")).collect::<Vec<_>>().join(", ")
    }
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

    /// The place of each module by its number, and the modules in the order of these places.
    fn sorted(mut self) -> (Vec<usize>, Vec<Option<Module>>) {
        let mut order: Vec<_> = (0..self.list.len()).collect();
        order.sort_by_key(|index| self.list[*index].counts.iter().position(|(_, count)| *count > 0));
        let mut places = vec![0; order.len()];
        for (place, index) in order.iter().enumerate() {
            places[*index] = place;
        }
        let module = |index: usize| Some(std::mem::take(&mut self.list[index]));
        (places, order.into_iter().map(module).collect())
    }
}

/// What happens to a resource, and why.
fn change_line(header: &ResourceHeader<'_>) -> Vec<Piece> {
    let verb = match (header.heading, header.actions) {
        (Heading::HasChanged, _) => "Changed",
        (Heading::HasBeenDeleted, _) => "Deleted",
        (_, ResourceActions::CreateThenDelete) => "Replace, creating first",
        (_, ResourceActions::CreateThenForget | ResourceActions::ForgetThenCreate) => {
            "Replace, keeping the old object"
        }
        (_, actions) => summary_group(actions).1,
    };
    let mut line = vec![Piece::Verb(verb), Piece::Words(" "), code(&header.address)];
    line.extend(deposed(header.deposed.as_deref()));
    line.extend(reasons(header).into_iter().flat_map(|reason| [Piece::Words(" — "), Piece::Reason(reason)]));
    line
}

fn deposed(key: Option<&str>) -> impl Iterator<Item = Piece> {
    key.into_iter().flat_map(|key| [Piece::Words(" — deposed object "), code(key)])
}

fn code(text: &str) -> Piece {
    Piece::Code(text.to_owned())
}
