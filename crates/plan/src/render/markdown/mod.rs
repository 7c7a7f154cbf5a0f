//! A report as a Markdown page for a comment: a headline, and sections whose entries have a line and a fenced `diff` each.
//!
//! A page that would be too long loses diffs, then lines, the least important first, and says so.

#[cfg(feature = "template")]
mod bounded;
pub(super) mod escape;
mod fence;
#[cfg(feature = "template")]
mod template;

use std::{fmt, io};

#[cfg(feature = "template")]
pub use template::MarkdownTemplate;

use super::Writer;
use super::outline::{OutlineItem, OutlineModule, OutlinePiece, OutlineSection, sections};
use super::overview::{
    LINK, NAMES, Sentence, TITLE, action_counts, counts, default_title, losses, sentences, start,
};
use super::tokens::Tokens;
use crate::report::{Report, ShowError};

/// Options for a Markdown page.
#[derive(Debug, Clone, Copy)]
pub struct MarkdownOptions<'a> {
    /// The headline, cut to 200 characters; by default the program and the kind of document.
    pub title: Option<&'a str>,
    /// The address of the whole plan, with `https://` or `http://`. Omitted if longer than 1,000 characters.
    pub link: Option<&'a str>,
    /// A name in a hidden comment, by which a program finds its page again. Characters other than ASCII letters and
    /// digits, `.`, `_` and `/` become `_`; it is cut to 100 characters.
    pub marker: Option<&'a str>,
    /// The most that the page may have, in UTF-16 units: no fewer than the characters that sites count.
    pub max_length: usize,
    /// Without HTML, as sites such as Bitbucket need it: nothing is folded, and the marker is a visible line.
    pub plain: bool,
}

impl Default for MarkdownOptions<'_> {
    fn default() -> Self {
        Self { title: None, link: None, marker: None, max_length: 65_536, plain: false }
    }
}

impl MarkdownOptions<'_> {
    /// The least length in which any page fits, with all entries left out.
    pub const MIN_LENGTH: usize = 4_000;
}

/// Stop after 20 diffs that do not fit: rendering thousands for one page is wasted.
const MAX_MISFITS: usize = 20;

impl Report<'_> {
    /// Writes a Markdown page, such as for a comment on a pull request. No text of the document is markup in it.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the page cannot be written.
    pub fn write_markdown(
        &self,
        out: &mut dyn io::Write,
        options: &MarkdownOptions<'_>,
    ) -> Result<(), ShowError> {
        let (sections, items) = sections(self);
        let head = Head::new(self, &items, options).to_string();
        let mut fit =
            PageBudget::new(&sections, &items, options.max_length.saturating_sub(length(&head) + FOOT));
        fit.lines();
        fit.diffs(self)?;
        out.write_all(head.as_bytes())?;
        fit.write(out)?;
        let foot = fit.foot(options);
        Ok(out.write_all(foot.as_bytes())?)
    }
}

/// How long a text is for a site.
pub(crate) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Room for what is said below of what was left out.
const FOOT: usize = 300;

/// The most characters of a marker, and of a name in the head.
const MARKER: usize = 100;
pub(super) const NAME: usize = 80;

/// Shared by the Markdown page of comparisons.
pub(crate) mod parts {
    pub(crate) use super::escape::{code, fenced, words};
    pub(crate) use super::{heading, left_out, length, link};
    pub(crate) use crate::render::overview::start;
}

/// The marker and the headline of a page: its title, and what is said behind that.
pub(crate) fn heading(options: &MarkdownOptions<'_>, default_title: &str, rest: &str) -> String {
    let marker = marker(options).map_or_else(String::new, |marker| match options.plain {
        true => format!("`objchange:{marker}`\n\n"),
        false => marker_line(&marker),
    });
    let colon = if rest.is_empty() { "" } else { ": " };
    format!("{marker}## {}{colon}{rest}\n", title(options, default_title))
}

/// The headline of the page of a report.
pub(super) fn default_heading(options: &MarkdownOptions<'_>, report: &Report<'_>) -> String {
    heading(options, &default_title(report), &counts(report))
}

/// The link to the full output, if there is one.
pub(crate) fn link(options: &MarkdownOptions<'_>) -> String {
    target(options).map_or_else(String::new, |target| link_line(&target))
}

/// Lists the numbers of omitted things, and the command that prints them.
pub(crate) fn left_out<const N: usize>(
    options: &MarkdownOptions<'_>,
    things: [(usize, &str, &str); N],
    command: &str,
) -> String {
    let left_out = amounts(things);
    if left_out.is_empty() {
        return left_out;
    }
    let place = match target(options) {
        Some(_) => "see the link above for the rest".to_owned(),
        None => format!("run `{command}` for the rest"),
    };
    format!("**Left out, to stay within {} characters: {left_out}**; {place}.\n", options.max_length)
}

/// How many there are of each thing, such as `1 entry and 2 diffs`.
fn amounts<const N: usize>(things: [(usize, &str, &str); N]) -> String {
    let things = things.into_iter().filter(|(count, ..)| *count > 0);
    let amount = |(count, one, many)| format!("{count} {}", if count == 1 { one } else { many });
    things.map(amount).collect::<Vec<_>>().join(" and ")
}

fn marker(options: &MarkdownOptions<'_>) -> Option<String> {
    options.marker.map(|marker| escape::marker(start(marker, MARKER)))
}

fn marker_line(marker: &str) -> String {
    format!("<!-- objchange:{marker} -->\n")
}

fn title(options: &MarkdownOptions<'_>, default: &str) -> String {
    options.title.map_or_else(|| default.to_owned(), |title| escape::prose(start(title, TITLE)))
}

fn target(options: &MarkdownOptions<'_>) -> Option<String> {
    options.link.and_then(escape::target).filter(|link| link.len() <= LINK)
}

fn link_line(target: &str) -> String {
    format!("\n[Full output]({target})\n")
}

/// The text above the entries, as Markdown.
struct Head {
    marker: Option<String>,
    title: String,
    link: Option<String>,
    /// The counts, and notes to read first.
    middle: [String; 2],
    /// The names of some destroyed objects, visible before anything is unfolded, and the number of the others.
    destroyed: Vec<String>,
    more_destroyed: usize,
    has_entries: bool,
}

impl Head {
    fn new(report: &Report<'_>, items: &[OutlineItem<'_, '_>], options: &MarkdownOptions<'_>) -> Self {
        let counts = counts(report);
        let colon = if counts.is_empty() { "" } else { ": " };
        let mut notes = String::new();
        for Sentence { important, rest } in sentences(report) {
            let important = if important.is_empty() { String::new() } else { format!("**{important}**") };
            notes += &format!("\n{important}{rest}\n");
        }
        let mut head = Self {
            marker: marker(options),
            title: title(options, &default_title(report)),
            link: target(options),
            middle: [format!("{colon}{counts}\n{notes}"), table(report)],
            destroyed: Vec::new(),
            more_destroyed: 0,
            has_entries: !items.is_empty(),
        };
        head.add_destroyed(items, options.max_length / 4);
        head
    }

    /// Adds the names of what is destroyed, if they are not too long.
    fn add_destroyed(&mut self, items: &[OutlineItem<'_, '_>], max_length: usize) {
        let losses = losses(items);
        self.destroyed = losses.iter().take(NAMES).map(|(_, item)| short_name(item)).collect();
        self.more_destroyed = losses.len().saturating_sub(NAMES);
        if length(&self.destroyed_line()) >= max_length {
            (self.destroyed, self.more_destroyed) = (Vec::new(), 0);
        }
    }

    fn destroyed_line(&self) -> String {
        if self.destroyed.is_empty() {
            return String::new();
        }
        let count = self.destroyed.len() + self.more_destroyed;
        format!("\nDestroyed or replaced: {}\n", objchange_text::listed(&self.destroyed, count))
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(marker) = &self.marker {
            f.write_str(&marker_line(marker))?;
        }
        let [counts, table] = &self.middle;
        write!(f, "## {}{counts}", self.title)?;
        if let Some(link) = &self.link {
            f.write_str(&link_line(link))?;
        }
        write!(f, "{table}{}{}", self.destroyed_line(), if self.has_entries { "\n" } else { "" })
    }
}

/// The counts of the actions on resources.
fn table(report: &Report<'_>) -> String {
    let rows: String =
        action_counts(report).map(|(action, count)| format!("| {action} | {count} |\n")).collect();
    match rows.as_str() {
        "" => rows,
        rows => format!("\n| Action | Resources |\n| :-- | --: |\n{rows}"),
    }
}

/// The part of a report below its headline, in no more than so many characters of a page of this length: the counts, the names
/// of what is destroyed, and the entries that fit. The last line counts the others by action.
pub(super) fn section(
    report: &Report<'_>,
    room: usize,
    max_length: usize,
    form: Form,
) -> Result<String, ShowError> {
    let (sections, items) = sections(report);
    let mut head = table(report);
    let losses = losses(&items);
    let names: Vec<String> = losses.iter().take(NAMES).map(|(_, item)| short_name(item)).collect();
    if !names.is_empty() {
        head += &format!("\n⚠️ Destroyed or replaced: {}\n", objchange_text::listed(&names, losses.len()));
    }
    head += if items.is_empty() { "" } else { "\n" };
    let budget = |head: &str| {
        let room = room.saturating_sub(length(head) + FOOT);
        PageBudget { form, ..PageBudget::new(&sections, &items, room) }
    };
    let mut fit = budget(&head);
    if !fit.has_room_for_lines() {
        head = format!("{}\n", module_table(&sections, room / 4));
        fit = budget(&head);
    }
    if length(&head) + FOOT > room {
        head.clear();
        fit = budget("");
    }
    fit.lines();
    fit.diffs(report)?;
    let mut page = head.into_bytes();
    fit.write(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    let left_out = fit.left_out_by_action();
    if !left_out.is_empty() {
        page += &format!("**Left out, to stay within {max_length} characters: {left_out}**\n");
    }
    Ok(page)
}

/// A table of the modules with the number of each action in them, in about so many characters.
fn module_table(sections: &[OutlineSection], room: usize) -> String {
    let modules: Vec<&OutlineModule> =
        sections.iter().flat_map(|section| section.groups.iter().flatten()).collect();
    let total = |column: usize| modules.iter().map(|module| module.numbers()[column]).sum::<usize>();
    let columns: Vec<usize> = (0..COLUMNS.len()).filter(|column| total(*column) > 0).collect();
    let line = |name: &str, number: &dyn Fn(usize) -> usize| {
        let cells = columns.iter().map(|column| match number(*column) {
            0 => " |".to_owned(),
            count => format!(" {count} |"),
        });
        format!("| {name} |{}\n", cells.collect::<String>())
    };
    let titles: String = columns.iter().map(|column| format!(" {} |", COLUMNS[*column])).collect();
    let mut table = format!("\n| Module |{titles}\n| :-- |{}\n", " --: |".repeat(columns.len()));
    let mut rest = vec![0; COLUMNS.len()];
    let mut left_out = 0;
    for module in &modules {
        // A bar would end the cell, even in code.
        let name = module.address.as_deref().map_or_else(|| "Root module".to_owned(), escape::code);
        let row = line(&name.replace('|', "\\|"), &|column| module.numbers()[column]);
        if length(&table) + length(&row) > room {
            left_out += 1;
            rest.iter_mut().zip(module.numbers()).for_each(|(rest, count)| *rest += count);
        } else {
            table += &row;
        }
    }
    if left_out > 0 {
        table += &line(&objchange_text::counted(left_out, "more module"), &|column| rest[column]);
    }
    if modules.len() > 1 {
        table += &line("**All**", &total);
    }
    table
}

/// The titles of the columns of actions, in the order of the summary's groups.
const COLUMNS: [&str; 8] =
    ["Destroy", "Replace", "Unknown", "Forget", "Update", "Create", "Read", "Move or import"];

/// The name of an item, cut to a length.
fn short_name(item: &OutlineItem<'_, '_>) -> String {
    let start = start(&item.name, NAME);
    escape::code(&format!("{start}{}", if start == item.name { "" } else { "…" }))
}

/// The line of an item.
fn line(item: &OutlineItem<'_, '_>) -> String {
    let text = |piece: &OutlinePiece| match piece {
        OutlinePiece::Verb(verb) => format!("**{verb}**"),
        OutlinePiece::Words(words) => (*words).to_owned(),
        OutlinePiece::Code(text) => escape::code(text),
        OutlinePiece::Reason(reason) => escape::words(reason).into_owned(),
    };
    item.line.iter().map(text).collect()
}

/// The text of the diff of an item: empty if there is nothing to see, none if it is longer than so many bytes.
fn diff(item: &OutlineItem<'_, '_>, report: &Report<'_>, limit: usize) -> Result<Option<String>, ShowError> {
    let mut text = String::new();
    let mut sink = |tokens: &Tokens| fence::write(tokens, limit, &mut text);
    let mut writer = Writer::new(&mut sink, report.program);
    item.write(&mut writer)?;
    // It fails only where the limit is met.
    let fits = writer.flush().is_ok();
    Ok(fits.then_some(text))
}

fn section_start(section: &OutlineSection) -> String {
    format!("### {}\n\n", section.title)
}

fn module_name(module: &OutlineModule) -> String {
    module.address.as_deref().map_or_else(|| "Root module".to_owned(), escape::html_code)
}

fn group_start(section: &OutlineSection, index: usize, form: Form) -> String {
    let summary = |module: &OutlineModule| {
        if form.plain {
            let name = module.address.as_deref().map_or_else(|| "Root module".to_owned(), escape::code);
            return format!("**{name}**: {}\n\n", module.counts());
        }
        let open = if form.is_open { " open" } else { "" };
        format!("<details{open}><summary>{}: {}</summary>\n\n", module_name(module), module.counts())
    };
    section.groups[index].as_ref().map_or_else(String::new, summary)
}

fn group_end(section: &OutlineSection, index: usize, form: Form) -> &'static str {
    if section.groups[index].is_some() && !form.plain { "</details>\n\n" } else { "" }
}

/// How long what is around the items is: the heading, and each group.
fn lengths_around(section: &OutlineSection, form: Form) -> Vec<usize> {
    let group = |index| length(&group_start(section, index, form)) + length(group_end(section, index, form));
    std::iter::once(length(&section_start(section))).chain((0..section.groups.len()).map(group)).collect()
}

/// The parts of a page that fit.
struct PageBudget<'s, 'r, 'p> {
    sections: &'s [OutlineSection],
    items: &'s [OutlineItem<'r, 'p>],
    /// The line of each.
    lines: Vec<String>,
    /// The items, the most important first.
    order: Vec<usize>,
    /// For each item: `None` without a line; else its diff, which may be empty.
    shown: Vec<Option<String>>,
    room: usize,
    /// How many diffs were left out.
    no_diff: usize,
    form: Form,
}

/// How the groups of a page look.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Form {
    /// Without HTML.
    pub(super) plain: bool,
    /// Groups are open at once.
    pub(super) is_open: bool,
}

impl<'s, 'r, 'p> PageBudget<'s, 'r, 'p> {
    fn new(sections: &'s [OutlineSection], items: &'s [OutlineItem<'r, 'p>], room: usize) -> Self {
        let mut order: Vec<_> = (0..items.len()).collect();
        order.sort_by_key(|index| items[*index].rank);
        let lines = items.iter().map(line).collect();
        Self {
            sections,
            items,
            lines,
            order,
            shown: vec![None; items.len()],
            room,
            no_diff: 0,
            form: Form::default(),
        }
    }

    /// Whether all lines fit.
    fn has_room_for_lines(&self) -> bool {
        let lines = self.lines.iter().map(|line| length(line) + 2).sum::<usize>();
        let around = self.sections.iter().flat_map(|section| lengths_around(section, self.form));
        lines + around.sum::<usize>() <= self.room
    }

    /// The numbers of entries that are left out, by action or section, and of diffs.
    fn left_out_by_action(&self) -> String {
        let mut parts: Vec<(String, usize)> = Vec::new();
        for index in &self.order {
            let item = &self.items[*index];
            if self.shown[*index].is_some() {
                continue;
            }
            let words = match item.action {
                Some(_) => item.phrase().to_owned(),
                None => format!("of “{}”", self.sections[item.section].title),
            };
            match parts.iter_mut().find(|(other, _)| *other == words) {
                Some((_, count)) => *count += 1,
                None => parts.push((words, 1)),
            }
        }
        let mut parts: Vec<String> = parts.iter().map(|(words, count)| format!("{count} {words}")).collect();
        parts.extend((self.no_diff > 0).then(|| objchange_text::counted(self.no_diff, "diff")));
        parts.join(", ")
    }

    /// Takes the lines that fit, with what is around them.
    fn lines(&mut self) {
        // An empty line stands behind each of them.
        let costs: Vec<_> = self.lines.iter().map(|line| length(line) + 2).collect();
        let around: Vec<Vec<_>> =
            self.sections.iter().map(|section| lengths_around(section, self.form)).collect();
        let all = costs.iter().sum::<usize>() + around.iter().flatten().sum::<usize>();
        // Destroyed and replaced objects may take all of the room; of the rest, some is for the diffs of what matters most.
        let mut room = self.room;
        let (whole, mut reserved) = (self.room, None);
        self.room = 0;
        let mut started: Vec<Vec<_>> = around.iter().map(|costs| vec![false; costs.len()]).collect();
        for index in &self.order {
            let item = &self.items[*index];
            if all > whole && reserved.is_none() && !item.is_loss {
                reserved = Some(room / 4);
                room -= room / 4;
            }
            let started = &mut started[item.section];
            // The heading of the section is before its first group.
            let around = &around[item.section];
            let mut cost = costs[*index];
            cost += if started[0] { 0 } else { around[0] };
            cost += if started[item.group + 1] { 0 } else { around[item.group + 1] };
            if cost <= room {
                room -= cost;
                (started[0], started[item.group + 1]) = (true, true);
                self.shown[*index] = Some(String::new());
            }
        }
        self.room += room + reserved.unwrap_or(0);
    }

    /// Takes the diffs that fit.
    fn diffs(&mut self, report: &Report<'_>) -> Result<(), ShowError> {
        let mut misfits = 0;
        for index in &self.order {
            let (item, Some(shown)) = (&self.items[*index], &mut self.shown[*index]) else { continue };
            if !item.has_diff() {
                continue;
            }
            let diff = match misfits < MAX_MISFITS {
                // A unit is at most three bytes.
                true => diff(item, report, self.room.saturating_mul(3))?,
                false => None,
            };
            match diff.map(|diff| if diff.is_empty() { diff } else { escape::fenced(&diff) + "\n\n" }) {
                Some(diff) if length(&diff) <= self.room => {
                    self.room -= length(&diff);
                    *shown = diff;
                }
                _ => {
                    misfits += 1;
                    self.no_diff += 1;
                }
            }
        }
        Ok(())
    }

    fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let (mut section, mut group) = (None, None);
        for ((item, line), shown) in self.items.iter().zip(&self.lines).zip(&self.shown) {
            let Some(diff) = shown else { continue };
            let place = (item.section, item.group);
            if group.is_some_and(|group| group != place) {
                self.end_group(group, out)?;
            }
            if section != Some(item.section) {
                write!(out, "{}", section_start(&self.sections[item.section]))?;
            }
            if group != Some(place) {
                write!(out, "{}", group_start(&self.sections[item.section], item.group, self.form))?;
            }
            (section, group) = (Some(item.section), Some(place));
            write!(out, "{line}\n\n{diff}")?;
        }
        self.end_group(group, out)
    }

    fn end_group(&self, group: Option<(usize, usize)>, out: &mut dyn io::Write) -> io::Result<()> {
        match group {
            Some((section, group)) => {
                out.write_all(group_end(&self.sections[section], group, self.form).as_bytes())
            }
            None => Ok(()),
        }
    }

    /// How much was left out; nothing if all is there.
    #[cfg(feature = "template")]
    fn left_out(&self) -> String {
        amounts(self.things_left_out())
    }

    /// Says how much was left out, and where to find it.
    fn foot(&self, options: &MarkdownOptions<'_>) -> String {
        left_out(options, self.things_left_out(), "objchange show")
    }

    fn things_left_out(&self) -> [(usize, &'static str, &'static str); 2] {
        let lines = self.shown.iter().filter(|shown| shown.is_none()).count();
        [(lines, "entry", "entries"), (self.no_diff, "diff", "diffs")]
    }
}
