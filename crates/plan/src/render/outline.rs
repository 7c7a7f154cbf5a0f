//! The content of a page for people and its order, shared by Markdown, HTML and screens.

mod natural;
mod tree;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use hashbrown::HashMap;
use objchange_text::{counted, visible};

use self::natural::natural;
pub use self::tree::OutlineNode;
use self::tree::tree;
use super::frame::MISSING_INPUT;
use super::overview::{default_title, headline, sentences};
use super::screen::{DiffLines, LineSink};
use super::summary::{identity, reasons, summary_group};
use super::tokens::{Tokens, resource_sign};
use super::{View, Writer};
use crate::report::{
    ActionHeader, Comment, Entries, Heading, IgnoredChanges, OutputHeader, Report, ResourceHeader,
    Section as Part, ShowError, StateHeader,
};
use objchange_document::Missing;
use objchange_document::Program;
use objchange_document::changes::{CheckStatus, ResourceActions, TriggerTime};

/// The content of a page for people: sections, items, and the text about each. Their diffs are made one at a
/// time, when they are looked at.
///
/// ```
/// use objchange_document::{Plan, Schemas};
/// use objchange_plan::{Filter, Options, Report};
/// use objchange_plan::render::DiffRole;
///
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","resource_changes":[{"address":"null_resource.a","mode":"managed",
///     "type":"null_resource","name":"a","change":{"actions":["create"],"before":null,"after":{"id":"x"}}}]}"#,
/// )?;
/// let schemas = Schemas::none();
/// let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default())?;
/// let outline = report.outline();
/// assert_eq!(outline.title, "Terraform plan: 1 to create");
/// let item = &outline.items[0];
/// assert_eq!((outline.sections[item.section].title, item.sign, &*item.name), ("Resources", "+", "null_resource.a"));
/// let diff = outline.diff(0)?;
/// let signs = diff.iter().flat_map(|line| line.pieces()).filter(|(role, _)| *role == DiffRole::Sign);
/// assert_eq!(signs.count(), 2);
/// assert_eq!(diff.iter().nth(1).map(|line| line.text), Some("      + id = \"x\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Outline<'r, 'p> {
    /// The program, what the document is, and what everything adds up to.
    pub title: String,
    /// Notes to read first.
    pub sentences: Vec<String>,
    /// The sections, in the order of the page.
    pub sections: Vec<OutlineSection>,
    /// The items of the sections and their groups, in the order of the page.
    pub items: Vec<OutlineItem<'r, 'p>>,
    report: &'r Report<'p>,
}

impl<'p> Report<'p> {
    /// The content of a page for people, such as a screen that shows one item at a time.
    pub fn outline(&self) -> Outline<'_, 'p> {
        let (sections, items) = sections(self);
        let sentences = sentences(self).into_iter();
        Outline {
            title: visible(&headline(self, &default_title(self))).into_owned(),
            sentences: sentences.map(|sentence| format!("{}{}", sentence.important, sentence.rest)).collect(),
            sections,
            items,
            report: self,
        }
    }
}

impl Outline<'_, '_> {
    /// Makes the lines of an item's diff; empty if it shows nothing.
    ///
    /// # Errors
    ///
    /// The change, or the schema of its type, cannot be read.
    pub fn diff(&self, item: usize) -> Result<DiffLines, ShowError> {
        let mut lines = LineSink::default();
        if let Some(item) = self.items.get(item) {
            let mut sink = |tokens: &Tokens| {
                lines.write(tokens);
                Ok(())
            };
            let mut writer = Writer::new(&mut sink, self.report.program);
            writer.folds = true;
            item.write(&mut writer)?;
            writer.flush()?;
        }
        Ok(lines.end())
    }

    /// The filters for items.
    pub fn filters(&self) -> Vec<OutlineFilter> {
        filters(&self.sections, &self.items)
    }

    /// The name of an item below the heading of its group, as it can be shown on a terminal.
    pub fn label(&self, item: &OutlineItem<'_, '_>) -> String {
        let module = self.sections[item.section].groups[item.group].as_ref();
        let module = module.and_then(|module| module.address.as_deref()).unwrap_or_default();
        let inside = item.name.strip_prefix(module).and_then(|rest| rest.strip_prefix('.'));
        let name = visible(inside.unwrap_or(&item.name));
        match &item.deposed {
            Some(key) => format!("{name} (deposed {})", visible(key)),
            None if name.is_empty() => "(empty)".to_owned(),
            None => name.into_owned(),
        }
    }
}

/// A section of the page.
#[derive(Debug)]
#[non_exhaustive]
pub struct OutlineSection {
    /// The title.
    pub title: &'static str,
    /// The groups of its items: modules, or none.
    pub groups: Vec<Option<OutlineModule>>,
    /// Its items in numbers, where they are of so little interest that they are folded and have no diffs in comments.
    pub(super) folded: Option<FoldedItems>,
}

impl OutlineSection {
    /// A section with one group, which is no module.
    fn new(title: &'static str) -> Self {
        Self { title, groups: vec![None], folded: None }
    }

    /// The modules that the items are grouped by, each with those inside of it; beside each other in the order of the page.
    pub fn modules(&self) -> Vec<OutlineNode<'_>> {
        let mut nodes = tree(&self.groups);
        tree::sort_by_group(&mut nodes);
        nodes
    }
}

/// The number of items of a section.
#[derive(Debug)]
pub(super) struct FoldedItems {
    pub(super) len: usize,
    /// The number in words, such as `3 updates`.
    pub(super) words: String,
    /// The number of each resource type, the most first.
    pub(super) types: Vec<(String, usize)>,
}

/// One thing on the page.
#[non_exhaustive]
pub struct OutlineItem<'r, 'p> {
    /// The number of its section.
    pub section: usize,
    /// The number of its group in the section.
    pub group: usize,
    /// Which goes first where not all fit: the highest.
    pub(super) rank: u8,
    /// The action in one word, for resources that change.
    pub action: Option<&'static str>,
    /// The sign of what happens to it, such as `-/+`; empty if nothing does.
    pub sign: &'static str,
    /// An object is lost.
    pub is_loss: bool,
    /// The address or name, as it is in the document: not yet for a terminal.
    pub name: String,
    /// The key of the deposed object that this is, as it is in the document.
    pub deposed: Option<String>,
    /// The text about it.
    pub line: Vec<OutlinePiece>,
    body: Body<'r, 'p>,
}

impl fmt::Debug for OutlineItem<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { section, group, name, deposed, line, .. } = self;
        let mut debug = f.debug_struct("OutlineItem");
        debug.field("section", section).field("group", group).field("name", name).field("deposed", deposed);
        debug.field("line", line).finish_non_exhaustive()
    }
}

/// A piece of the line of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutlinePiece {
    /// The action.
    Verb(&'static str),
    /// Our words between the others.
    Words(&'static str),
    /// A name or a text of the document.
    Code(String),
    /// A reason, which may have names of the document in it.
    Reason(String),
}

impl OutlinePiece {
    /// The text as it can be shown on a terminal.
    pub fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Verb(text) | Self::Words(text) => Cow::Borrowed(text),
            Self::Code(text) if text.is_empty() => Cow::Borrowed("(empty)"),
            Self::Code(text) | Self::Reason(text) => visible(text),
        }
    }
}

/// Something that items can be filtered by: an action, or a section of everything else.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutlineFilter {
    /// Its name.
    pub title: &'static str,
    /// The number of items that match.
    pub count: usize,
    pub(super) action: Option<&'static str>,
    pub(super) section: usize,
    rank: u8,
}

impl OutlineFilter {
    /// Whether it lets the item through.
    pub fn matches(&self, item: &OutlineItem<'_, '_>) -> bool {
        self.action == item.action && (self.action.is_some() || self.section == item.section)
    }
}

/// The actions, and the sections of everything else, in the order of the page.
pub(super) fn filters(sections: &[OutlineSection], items: &[OutlineItem<'_, '_>]) -> Vec<OutlineFilter> {
    let mut filters: Vec<OutlineFilter> = Vec::new();
    let mut by_title: HashMap<&str, usize> = HashMap::new();
    for item in items {
        let section = sections[item.section].title;
        let index = *by_title.entry(item.action.unwrap_or(section)).or_insert_with(|| {
            // A title explains itself behind a colon, for which filters have no room.
            let short = section.split(':').next().unwrap_or(section);
            filters.push(OutlineFilter {
                title: item.action.unwrap_or(short),
                count: 0,
                action: item.action,
                section: item.section,
                rank: if item.action.is_some() { item.rank } else { u8::MAX },
            });
            filters.len() - 1
        });
        filters[index].count += 1;
    }
    // Losses first, sections without actions last.
    filters.sort_by_key(|filter| filter.rank);
    filters
}

/// The source of an item's diff.
enum Body<'r, 'p> {
    None,
    Change(&'r Entries<'p, ResourceHeader<'p>>, usize),
    Action(&'r Entries<'p, ActionHeader<'p>>, usize),
    Output(&'r Entries<'p, OutputHeader<'p>>, usize),
    Resource(&'r Entries<'p, StateHeader<'p>>, usize),
}

impl OutlineItem<'_, '_> {
    /// An item of the first section, still without text.
    fn new(rank: u8, name: &str) -> Self {
        Self {
            section: 0,
            group: 0,
            rank,
            action: None,
            sign: "",
            is_loss: false,
            name: name.to_owned(),
            deposed: None,
            line: Vec::new(),
            body: Body::None,
        }
    }

    /// The words behind the number of things to which the same happens, such as `to destroy`; none where the title of its
    /// section says it.
    pub(super) fn counted_action(&self) -> Option<&'static str> {
        let words = PHRASES.get(usize::from(self.rank)).copied();
        words.filter(|_| self.action.is_some() || self.rank == FORGET)
    }

    /// Whether there may be a diff of it.
    pub fn has_diff(&self) -> bool {
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
pub(super) fn sections<'r, 'p>(report: &'r Report<'p>) -> (Vec<OutlineSection>, Vec<OutlineItem<'r, 'p>>) {
    let mut page = Page { program: report.program, sections: Vec::new(), items: Vec::new() };
    let program = report.program;
    let changes = || {
        report.sections.iter().filter_map(|part| match part {
            Part::ResourceChanges(entries) => Some(entries),
            _ => None,
        })
    };
    for entries in changes() {
        page.changes(entries);
        page.list("Forgotten: no longer managed, and not destroyed", entries, |header| {
            (header.actions.kind == ResourceActions::Forget).then(|| change_line(header))
        });
        page.list("Moved", entries, |header| {
            let previous = header.previous_address.as_ref()?;
            Some(vec![code(previous), OutlinePiece::Words(" → "), code(&header.address)])
        });
        page.list("Imported", entries, |header| {
            let import = header.importing.as_ref()?;
            let mut line = vec![code(&header.address)];
            line.extend(import.id.iter().flat_map(|id| [OutlinePiece::Words(" from "), code(id)]));
            let words = if import.id.is_some() { " with the identity " } else { " by the identity " };
            line.extend(identity(import).iter().flat_map(|id| [OutlinePiece::Words(words), code(id)]));
            if header.comments.contains(&Comment::ConfigGenerated) {
                line.push(OutlinePiece::Words(" — config will be generated"));
            }
            Some(line)
        });
    }
    page.checks(report);
    let change = |rank: u8| {
        move |header: &ResourceHeader<'_>| OutlineItem {
            sign: short_sign(header.actions.kind, program),
            line: change_line(header),
            ..OutlineItem::new(rank, &header.address)
        }
    };
    for part in &report.sections {
        match part {
            Part::DeferredChanges(entries) => {
                page.section("Left to the next plan", entries, change(8), Body::Change);
            }
            Part::InvokedActions(entries) => {
                let item = |header: &ActionHeader<'_>| {
                    let verb =
                        [OutlinePiece::Verb("Invoke"), OutlinePiece::Words(" "), code(&header.address)];
                    let caller = header.called_from.iter();
                    let caller =
                        caller.flat_map(|caller| [OutlinePiece::Words(", called from "), code(caller)]);
                    let line = verb.into_iter().chain(caller).collect();
                    OutlineItem { line, ..OutlineItem::new(5, &header.address) }
                };
                page.section("Actions", entries, item, Body::Action);
            }
            Part::OutputChanges { changed: entries, .. } | Part::Outputs(entries) => {
                let item = |header: &OutputHeader<'_>| OutlineItem {
                    sign: header.actions.map_or("", |actions| short_sign(actions, program)),
                    line: vec![code(&header.name)],
                    ..OutlineItem::new(8, &header.name)
                };
                page.section("Outputs", entries, item, Body::Output);
            }
            Part::Resources(entries) => page.state(entries),
            _ => {}
        }
    }
    page.section("Changed outside of Terraform", &report.drift, change(9), Body::Change);
    if let Some(ignored) = &report.ignored {
        page.ignored_paths(ignored);
        page.section(IGNORED, &ignored.updates, change(10), Body::Change);
        page.fold(&ignored.updates, "update");
        page.section("Ignored: changed outside", &ignored.drift, change(10), Body::Change);
        page.fold(&ignored.drift, "change");
    }
    page.missing(&report.missing);
    (page.sections, page.items)
}

/// The section of changes that are not counted.
const IGNORED: &str = "Ignored: updated at ignored paths only";

struct Page<'r, 'p> {
    program: Program,
    sections: Vec<OutlineSection>,
    items: Vec<OutlineItem<'r, 'p>>,
}

impl<'r, 'p> Page<'r, 'p> {
    /// Adds a section without closed groups.
    fn section<H: Clone>(
        &mut self,
        title: &'static str,
        entries: &'r Entries<'p, H>,
        item: impl Fn(&H) -> OutlineItem<'r, 'p>,
        body: fn(&'r Entries<'p, H>, usize) -> Body<'r, 'p>,
    ) {
        if entries.is_empty() {
            return;
        }
        let section = self.sections.len();
        self.sections.push(OutlineSection::new(title));
        self.items.extend(entries.headers().enumerate().map(|(index, header)| OutlineItem {
            section,
            body: body(entries, index),
            ..item(&header)
        }));
    }

    /// Folds the section of these that was just added, if there are any.
    fn fold(&mut self, entries: &Entries<'_, ResourceHeader<'_>>, thing: &str) {
        let Some(section) = self.sections.last_mut().filter(|_| !entries.is_empty()) else { return };
        let mut types: BTreeMap<String, usize> = BTreeMap::new();
        for header in entries.headers() {
            *types.entry(header.r#type.to_string()).or_default() += 1;
        }
        let mut types: Vec<_> = types.into_iter().collect();
        types.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let words = counted(entries.len(), thing);
        section.folded = Some(FoldedItems { len: entries.len(), words, types });
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
            let mut line = vec![OutlinePiece::Verb(status), OutlinePiece::Words(" "), code(&check.address)];
            line.extend(
                check.problems.iter().flat_map(|problem| [OutlinePiece::Words(" — "), code(problem)]),
            );
            OutlineItem { section, line, ..OutlineItem::new(rank, &check.address) }
        }));
        if !report.checks.is_empty() {
            self.sections.push(OutlineSection::new("Checks"));
        }
    }

    /// Lists the inputs that the plan was made without.
    fn missing(&mut self, missing: &[Missing]) {
        if missing.is_empty() {
            return;
        }
        let section = self.sections.len();
        self.items.extend(missing.iter().map(|missing| {
            let words = [" (", missing.about(), ")"].map(OutlinePiece::Words);
            let line = std::iter::once(code(&missing.address)).chain(words).collect();
            OutlineItem { section, line, ..OutlineItem::new(9, &missing.address) }
        }));
        self.sections.push(OutlineSection::new(MISSING_INPUT));
    }

    /// Names the ignored paths, and the outputs that change there alone.
    fn ignored_paths(&mut self, ignored: &IgnoredChanges<'_>) {
        if ignored.is_empty() {
            return;
        }
        let section = self.sections.len();
        let outputs =
            ignored.outputs.iter().map(|name| (name.to_string(), "an output that changes there alone"));
        let paths = ignored.paths.iter().map(|path| (path.clone(), "an ignored path"));
        self.items.extend(paths.chain(outputs).map(|(name, what)| OutlineItem {
            section,
            line: vec![code(&name), OutlinePiece::Words(" — "), OutlinePiece::Words(what)],
            ..OutlineItem::new(10, &name)
        }));
        self.sections.push(OutlineSection::new("Ignored paths"));
    }

    /// Adds a section of the changes that have a line in it.
    fn list(
        &mut self,
        title: &'static str,
        entries: &'r Entries<'p, ResourceHeader<'p>>,
        line: impl Fn(&ResourceHeader<'_>) -> Option<Vec<OutlinePiece>>,
    ) {
        let (section, program) = (self.sections.len(), self.program);
        self.items.extend(entries.headers().enumerate().filter_map(|(index, header)| {
            let forgotten = header.actions.kind == ResourceActions::Forget;
            // All others are among the changes, or move and that is all.
            let has_diff = forgotten
                || header.heading == Heading::Imported && header.importing.is_some() && title == "Imported";
            Some(OutlineItem {
                section,
                sign: if forgotten { short_sign(header.actions.kind, program) } else { "" },
                deposed: header.deposed.as_ref().map(ToString::to_string),
                line: line(&header)?,
                body: if has_diff { Body::Change(entries, index) } else { Body::None },
                ..OutlineItem::new(if forgotten { FORGET } else { 7 }, &header.address)
            })
        }));
        if self.items.last().is_some_and(|item| item.section == section) {
            self.sections.push(OutlineSection::new(title));
        }
    }

    /// Adds the changed resources, by module, destroyed ones first.
    fn changes(&mut self, entries: &'r Entries<'p, ResourceHeader<'p>>) {
        let mut items = Vec::new();
        let mut modules = Modules::default();
        for (index, header) in entries.headers().enumerate() {
            if matches!(header.actions.kind, ResourceActions::NoOp | ResourceActions::Forget) {
                continue;
            }
            let (rank, action) = summary_group(header.actions.kind);
            let item = OutlineItem {
                section: self.sections.len(),
                group: modules.add(header.module_address.as_deref(), rank, PHRASES[usize::from(rank)]),
                action: Some(action),
                sign: short_sign(header.actions.kind, self.program),
                is_loss: rank <= 1,
                deposed: header.deposed.as_ref().map(ToString::to_string),
                line: change_line(&header),
                body: Body::Change(entries, index),
                ..OutlineItem::new(rank, &header.address)
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
            line.extend(header.tainted.then_some(OutlinePiece::Words(" — tainted")));
            OutlineItem {
                section,
                group: modules.add(header.module_address.as_deref(), 0, IN_STATE),
                deposed: header.deposed.as_ref().map(ToString::to_string),
                line,
                body: Body::Resource(entries, index),
                ..OutlineItem::new(0, &header.address)
            }
        };
        let items = entries.headers().enumerate().map(item).collect();
        self.grouped("Resources", items, modules);
    }

    fn grouped(&mut self, title: &'static str, mut items: Vec<OutlineItem<'r, 'p>>, modules: Modules) {
        if items.is_empty() {
            return;
        }
        let (places, groups) = modules.sorted();
        for item in &mut items {
            item.group = places[item.group];
        }
        // The sort is stable: several objects of one address keep the order of the plan.
        items.sort_by(|a, b| {
            (a.group, a.rank).cmp(&(b.group, b.rank)).then_with(|| natural(&a.name, &b.name))
        });
        self.items.extend(items);
        self.sections.push(OutlineSection { groups, ..OutlineSection::new(title) });
    }
}

/// The words after a number of resources, in the order of the summary's groups.
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

/// The titles of columns with these numbers.
const TITLES: [&str; 8] =
    ["Destroy", "Replace", "Unknown", "Forget", "Update", "Create", "Read", "Move or import"];

/// The rank of forgotten objects, which have a section of their own.
const FORGET: u8 = 3;

/// The words about the resources of a state.
const IN_STATE: &str = "resources";

/// A module, and how many of its resources are in each group, with what is said of that.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct OutlineModule {
    /// The address, as it is in the document; `None` is the root module.
    pub address: Option<String>,
    counts: [(&'static str, usize); 8],
}

impl OutlineModule {
    /// How many numbers it has.
    pub(super) const COLUMNS: usize = TITLES.len();

    /// The numbers of its actions, in the order of the summary's groups.
    pub(super) fn numbers(&self) -> [usize; Self::COLUMNS] {
        self.counts.map(|(_, count)| count)
    }

    /// The title of a column with one of these numbers.
    pub(super) fn title(&self, column: usize) -> &'static str {
        if self.counts[column].0 == IN_STATE { "Resources" } else { TITLES[column] }
    }

    /// Counts of its actions, such as `1 to destroy, 2 to update`.
    pub fn counts(&self) -> String {
        let counts = self.counts.iter().filter(|(_, count)| *count > 0);
        let words = |(phrase, count): &(&'static str, usize)| match (*phrase, *count) {
            (IN_STATE, 1) => "1 resource".to_owned(),
            (phrase, count) => format!("{count} {phrase}"),
        };
        counts.map(words).collect::<Vec<_>>().join(", ")
    }
}

/// Modules, and what happens in them.
#[derive(Default)]
struct Modules {
    list: Vec<OutlineModule>,
    by_address: HashMap<Option<String>, usize>,
}

impl Modules {
    /// Counts a resource of a module, and gives the number of that.
    fn add(&mut self, address: Option<&str>, rank: u8, phrase: &'static str) -> usize {
        let address = address.map(str::to_owned);
        let list = &mut self.list;
        let index = *self.by_address.entry(address).or_insert_with_key(|address| {
            list.push(OutlineModule { address: address.clone(), ..OutlineModule::default() });
            list.len() - 1
        });
        if let Some((said, count)) = list[index].counts.get_mut(usize::from(rank)) {
            (*said, *count) = (phrase, *count + 1);
        }
        index
    }

    /// The place of each module by its number, and the modules in the order of these places.
    fn sorted(mut self) -> (Vec<usize>, Vec<Option<OutlineModule>>) {
        let mut order: Vec<_> = (0..self.list.len()).collect();
        // The module with the gravest action comes first; ranks begin with destruction.
        order.sort_by(|a, b| {
            let [a, b] = [a, b].map(|index| &self.list[*index]);
            let gravest = |module: &OutlineModule| module.counts.iter().position(|(_, count)| *count > 0);
            let [x, y] = [a, b].map(|module| module.address.as_deref().unwrap_or_default());
            gravest(a).cmp(&gravest(b)).then_with(|| natural(x, y))
        });
        let mut places = vec![0; order.len()];
        for (place, index) in order.iter().enumerate() {
            places[*index] = place;
        }
        let module = |index: usize| Some(std::mem::take(&mut self.list[index]));
        (places, order.into_iter().map(module).collect())
    }
}

/// Describes the action on a resource, and why.
fn change_line(header: &ResourceHeader<'_>) -> Vec<OutlinePiece> {
    let verb = match (header.heading, header.actions.kind) {
        (Heading::HasChanged, _) => "Changed",
        (Heading::HasBeenDeleted, _) => "Deleted",
        (_, ResourceActions::CreateThenDelete) => "Replace, creating first",
        (_, ResourceActions::CreateThenForget | ResourceActions::ForgetThenCreate) => {
            "Replace, keeping the old object"
        }
        (_, actions) => summary_group(actions).1,
    };
    let mut line = vec![OutlinePiece::Verb(verb), OutlinePiece::Words(" "), code(&header.address)];
    line.extend(deposed(header.deposed.as_deref()));
    line.extend(
        reasons(header)
            .into_iter()
            .flat_map(|reason| [OutlinePiece::Words(" — "), OutlinePiece::Reason(reason)]),
    );
    line
}

/// The sign without the columns around it.
fn short_sign(actions: ResourceActions, program: Program) -> &'static str {
    resource_sign(actions, program).trim()
}

fn deposed(key: Option<&str>) -> impl Iterator<Item = OutlinePiece> {
    key.into_iter().flat_map(|key| [OutlinePiece::Words(" — deposed object "), code(key)])
}

fn code(text: &str) -> OutlinePiece {
    OutlinePiece::Code(text.to_owned())
}
