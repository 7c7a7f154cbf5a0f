//! A report as a Markdown page for a comment: a headline, and sections whose entries have a line and a fenced `diff` each.
//!
//! A page that would be too long lacks diffs, and then lines, the least important first, and says so.

mod fence;
pub(super) mod inert;

use std::io;

use super::Writer;
use super::outline::{Item, Module, Piece, Section, sections};
use super::overview::{
    LINK, NAMES, Sentence, TITLE, action_counts, counts, default_title, losses, sentences, start,
};
use super::tokens::Tokens;
use crate::report::{Report, ShowError};

/// What people choose of a Markdown page.
#[derive(Debug, Clone, Copy)]
pub struct MarkdownOptions<'a> {
    /// The headline, of which 200 characters are used; by default the program and what the document is.
    pub title: Option<&'a str>,
    /// Where all of the plan is to be seen: an address with `https://` or `http://`. It is left out if it is longer than
    /// 1,000 characters.
    pub link: Option<&'a str>,
    /// The name in a comment that nobody sees, by which a program finds its page again. Other characters than ASCII letters
    /// and digits, `.`, `_` and `/` become `_`, and 100 characters are used.
    pub marker: Option<&'a str>,
    /// The most that the page may have, in UTF-16 units: no fewer than the characters that sites count.
    pub max_length: usize,
}

impl Default for MarkdownOptions<'_> {
    fn default() -> Self {
        Self { title: None, link: None, marker: None, max_length: 65_536 }
    }
}

impl MarkdownOptions<'_> {
    /// The least length in which any page fits, with all entries left out.
    pub const MIN_LENGTH: usize = 4_000;
}

/// How many diffs may be too long before no more are tried: a plan of thousands need not be made for a page of a few.
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
        let head = head(self, &items, options);
        let mut fit = Fit::new(&sections, &items, options.max_length.saturating_sub(length(&head) + FOOT));
        fit.lines();
        fit.diffs(self)?;
        out.write_all(head.as_bytes())?;
        fit.write(out)?;
        let foot = fit.foot(options);
        Ok(out.write_all(foot.as_bytes())?)
    }
}

/// How long a text is for a site.
fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Room for what is said below of what was left out.
const FOOT: usize = 300;

/// The most characters of a marker, and of a name in the head.
const MARKER: usize = 100;
const NAME: usize = 80;

fn head(report: &Report<'_>, items: &[Item<'_, '_>], options: &MarkdownOptions<'_>) -> String {
    let mut head = String::new();
    if let Some(marker) = options.marker {
        head += &format!("<!-- objchange:{} -->\n", inert::marker(start(marker, MARKER)));
    }
    let title = options.title.map(|title| inert::prose(start(title, TITLE)));
    let title = title.unwrap_or_else(|| default_title(report));
    let counts = counts(report);
    let colon = if counts.is_empty() { "" } else { ": " };
    head += &format!("## {title}{colon}{counts}\n");
    for Sentence { important, rest } in sentences(report) {
        let important = if important.is_empty() { String::new() } else { format!("**{important}**") };
        head += &format!("\n{important}{rest}\n");
    }
    if let Some(link) = options.link.and_then(inert::target).filter(|link| link.len() <= LINK) {
        head += &format!("\n[Full output]({link})\n");
    }
    head += &table(report);
    let lost = lost(items);
    if length(&lost) < options.max_length / 4 {
        head += &lost;
    }
    if !items.is_empty() {
        head.push('\n');
    }
    head
}

/// The names of what is destroyed, which are to be seen before anything is opened.
fn lost(items: &[Item<'_, '_>]) -> String {
    let losses = losses(items);
    if losses.is_empty() {
        return String::new();
    }
    let name = |(_, item): &(usize, &Item<'_, '_>)| {
        let start = start(&item.name, NAME);
        inert::code(&format!("{start}{}", if start == item.name { "" } else { "…" }))
    };
    let names: Vec<_> = losses.iter().take(NAMES).map(name).collect();
    let more = match losses.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("\nDestroyed or replaced: {}{more}\n", names.join(", "))
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

/// The line of an item.
fn line(item: &Item<'_, '_>) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Verb(verb) => format!("**{verb}**"),
        Piece::Words(words) => (*words).to_owned(),
        Piece::Code(text) => inert::code(text),
        Piece::Reason(reason) => inert::words(reason).into_owned(),
    };
    item.line.iter().map(text).collect()
}

/// The text of the diff of an item: empty if there is nothing to see, none if it is longer than so many bytes.
fn diff(item: &Item<'_, '_>, report: &Report<'_>, limit: usize) -> Result<Option<String>, ShowError> {
    let mut text = String::new();
    let mut sink = |tokens: &Tokens| fence::write(tokens, limit, &mut text);
    let mut writer = Writer::new(&mut sink, report.program);
    item.write(&mut writer)?;
    // It fails only where the limit is met.
    let fits = writer.flush().is_ok();
    Ok(fits.then_some(text))
}

fn section_start(section: &Section) -> String {
    format!("### {}\n\n", section.title)
}

fn group_start(section: &Section, index: usize) -> String {
    let summary = |module: &Module| {
        let name = module.address.as_deref().map_or_else(|| "Root module".to_owned(), inert::html_code);
        format!("<details><summary>{name}: {}</summary>\n\n", module.counts())
    };
    section.groups[index].as_ref().map_or_else(String::new, summary)
}

fn group_end(section: &Section, index: usize) -> &'static str {
    if section.groups[index].is_some() { "</details>\n\n" } else { "" }
}

/// How long what is around the items is: the heading, and each group.
fn lengths_around(section: &Section) -> Vec<usize> {
    let group = |index| length(&group_start(section, index)) + length(group_end(section, index));
    std::iter::once(length(&section_start(section))).chain((0..section.groups.len()).map(group)).collect()
}

/// What of a page fits.
struct Fit<'s, 'r, 'p> {
    sections: &'s [Section],
    items: &'s [Item<'r, 'p>],
    /// The line of each.
    lines: Vec<String>,
    /// The items, the most important first.
    order: Vec<usize>,
    /// Of each whether its line is there, and its diff.
    shown: Vec<Option<String>>,
    room: usize,
    /// How many diffs were left out.
    no_diff: usize,
}

impl<'s, 'r, 'p> Fit<'s, 'r, 'p> {
    fn new(sections: &'s [Section], items: &'s [Item<'r, 'p>], room: usize) -> Self {
        let mut order: Vec<_> = (0..items.len()).collect();
        order.sort_by_key(|index| items[*index].rank);
        let lines = items.iter().map(line).collect();
        Self { sections, items, lines, order, shown: vec![None; items.len()], room, no_diff: 0 }
    }

    /// Takes the lines that fit, with what stands around them.
    fn lines(&mut self) {
        let costs: Vec<_> = self.lines.iter().map(|line| length(line) + 2).collect();
        let around: Vec<Vec<_>> = self.sections.iter().map(lengths_around).collect();
        let all = costs.iter().sum::<usize>() + around.iter().flatten().sum::<usize>();
        // Some of the room is for the diffs of what matters most.
        let mut room = if all <= self.room { self.room } else { self.room / 4 * 3 };
        self.room -= room;
        let mut started: Vec<Vec<_>> = around.iter().map(|costs| vec![false; costs.len()]).collect();
        for index in &self.order {
            let item = &self.items[*index];
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
        self.room += room;
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
            match diff.map(|diff| if diff.is_empty() { diff } else { inert::fenced(&diff) + "\n\n" }) {
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
                write!(out, "{}", group_start(&self.sections[item.section], item.group))?;
            }
            (section, group) = (Some(item.section), Some(place));
            write!(out, "{line}\n\n{diff}")?;
        }
        self.end_group(group, out)
    }

    fn end_group(&self, group: Option<(usize, usize)>, out: &mut dyn io::Write) -> io::Result<()> {
        match group {
            Some((section, group)) => out.write_all(group_end(&self.sections[section], group).as_bytes()),
            None => Ok(()),
        }
    }

    /// What was left out.
    fn foot(&self, options: &MarkdownOptions<'_>) -> String {
        let lines = self.shown.iter().filter(|shown| shown.is_none()).count();
        let things = |count: usize, thing: &str, things: &str| match count {
            0 => None,
            1 => Some(format!("1 {thing}")),
            count => Some(format!("{count} {things}")),
        };
        let left_out: Vec<_> = [things(lines, "entry", "entries"), things(self.no_diff, "diff", "diffs")]
            .into_iter()
            .flatten()
            .collect();
        if left_out.is_empty() {
            return String::new();
        }
        let place = match options.link {
            Some(_) => "see the link above for the rest",
            None => "run `objchange show` for the rest",
        };
        format!(
            "**Left out, to stay within {} characters: {}**; {place}.\n",
            options.max_length,
            left_out.join(" and ")
        )
    }
}
