//! The entries of a page that fit, the most important first, and how they are written.
//!
//! Lines come before diffs, and those of destroyed and replaced objects before all others. Where even these do not fit, the
//! objects are listed by their addresses alone.

use std::io;

use super::super::Writer;
use objchange_text::listed;

use super::super::outline::{FoldedItems, OutlineItem, OutlineModule, OutlinePiece, OutlineSection};
use super::super::overview::{NAMES, start};
use super::super::tokens::Tokens;
use super::{LeftOut, NAME, escape, fence, length};
use crate::report::{Report, ShowError};

/// Stop after 20 diffs that do not fit: rendering thousands for one page is wasted.
const MAX_MISFITS: usize = 20;

/// The most lines of a folded section: the rest of it is counted by type.
const MAX_FOLDED: usize = 20;

/// The title of the section with addresses alone.
pub(super) const LISTED: &str = "Destroyed and replaced";

/// How the groups of a page look.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Form {
    /// Without HTML.
    pub(super) plain: bool,
    /// Groups are open at once.
    pub(super) is_open: bool,
}

/// The entries of a page that fit.
pub(super) struct FittingEntries<'s, 'r, 'p> {
    pub(super) sections: &'s [OutlineSection],
    pub(super) items: &'s [OutlineItem<'r, 'p>],
    /// The line of each.
    pub(super) lines: Vec<String>,
    /// How each is shown.
    pub(super) shown_as: Vec<ShownAs>,
    /// Whether each is only counted in the title of its section.
    is_counted: Vec<bool>,
    /// The items, the most important first.
    order: Vec<usize>,
    /// How many diffs are left out.
    no_diff: usize,
    form: Form,
}

/// How a page shows an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShownAs {
    LeftOut,
    /// The title of its section counts it.
    Counted,
    /// Its address is in a list.
    Listed,
    /// It has a line, and this diff, which may be empty.
    Entry(String),
}

/// The addresses that were listed so far.
#[derive(Clone, Copy, Default)]
struct Listed {
    /// The action of the last one.
    last: Option<Option<&'static str>>,
}

impl Listed {
    /// How long the list gets by an address more.
    fn add(&mut self, item: &OutlineItem<'_, '_>) -> usize {
        let title = if self.last.is_none() { length(&heading(LISTED)) } else { 0 };
        let action = if self.last == Some(item.action) { 0 } else { length(&list_start(item)) + 1 };
        self.last = Some(item.action);
        length(&address(item)) + length("- \n") + title + action
    }
}

/// For each item whether it is only counted in the title of its folded section, which has so many before it.
fn are_counted(sections: &[OutlineSection], items: &[OutlineItem<'_, '_>]) -> Vec<bool> {
    let mut before = vec![0; sections.len()];
    let is_counted = |item: &OutlineItem<'_, '_>| {
        before[item.section] += 1;
        sections[item.section].folded.is_some() && before[item.section] > MAX_FOLDED
    };
    items.iter().map(is_counted).collect()
}

/// The headings of sections and groups: how long each is, and whether it is there already.
struct Headings {
    lengths: Vec<Vec<usize>>,
    started: Vec<Vec<bool>>,
}

impl Headings {
    fn new(sections: &[OutlineSection], form: Form) -> Self {
        let lengths: Vec<_> = sections.iter().map(|section| lengths_around(section, form)).collect();
        let started = lengths.iter().map(|section| vec![false; section.len()]).collect();
        Self { lengths, started }
    }

    /// How long the headings are that an item needs and that are not there yet.
    fn missing(&self, item: &OutlineItem<'_, '_>) -> usize {
        let (lengths, started) = (&self.lengths[item.section], &self.started[item.section]);
        // The heading of the section is before that of its first group.
        let missing = |place: usize| if started[place] { 0 } else { lengths[place] };
        missing(0) + missing(item.group + 1)
    }

    fn start(&mut self, item: &OutlineItem<'_, '_>) {
        let started = &mut self.started[item.section];
        (started[0], started[item.group + 1]) = (true, true);
    }
}

impl<'s, 'r, 'p> FittingEntries<'s, 'r, 'p> {
    /// No entry yet.
    pub(super) fn new(sections: &'s [OutlineSection], items: &'s [OutlineItem<'r, 'p>], form: Form) -> Self {
        let mut order: Vec<_> = (0..items.len()).collect();
        order.sort_by_key(|index| items[*index].rank);
        Self {
            sections,
            items,
            lines: items.iter().map(line).collect(),
            shown_as: vec![ShownAs::LeftOut; items.len()],
            is_counted: are_counted(sections, items),
            order,
            no_diff: 0,
            form,
        }
    }

    /// How long all lines are, with what is around them.
    pub(super) fn length(&self) -> usize {
        self.length_of(|_| true)
    }

    /// How long the lines of destroyed and replaced objects are, with what is around them.
    pub(super) fn length_of_losses(&self) -> usize {
        self.length_of(|item| item.is_loss)
    }

    /// How long the list of the addresses of destroyed and replaced objects is.
    pub(super) fn length_of_list(&self) -> usize {
        let mut listed = Listed::default();
        let losses = self.order.iter().map(|index| &self.items[*index]).filter(|item| item.is_loss);
        losses.map(|item| listed.add(item)).sum()
    }

    fn length_of(&self, is_meant: impl Fn(&OutlineItem<'r, 'p>) -> bool) -> usize {
        let mut headings = Headings::new(self.sections, self.form);
        let mut length = 0;
        let lines = self.items.iter().zip(&self.lines).zip(&self.is_counted);
        let lines = lines.filter(|((item, _), is_counted)| !**is_counted && is_meant(item));
        for ((item, line), _) in lines {
            length += line_length(line) + headings.missing(item);
            headings.start(item);
        }
        length
    }

    /// Takes what fits.
    pub(super) fn take(&mut self, mut room: usize, report: &Report<'_>) -> Result<(), ShowError> {
        let all_fit = self.length_of(|item| !self.is_folded(item)) <= room;
        if self.length_of_losses() > room {
            self.list_losses(&mut room);
        }
        self.take_lines(&mut room, all_fit, false);
        self.take_diffs(&mut room, report)?;
        self.take_lines(&mut room, true, true);
        Ok(())
    }

    /// Whether an item is of so little interest that it comes after the diffs of others, without one.
    fn is_folded(&self, item: &OutlineItem<'_, '_>) -> bool {
        self.sections[item.section].folded.is_some()
    }

    /// Takes the addresses of destroyed and replaced objects that fit.
    fn list_losses(&mut self, room: &mut usize) {
        let mut listed = Listed::default();
        for index in &self.order {
            let item = &self.items[*index];
            if !item.is_loss {
                continue;
            }
            let with_it = listed;
            let cost = listed.add(item);
            if cost <= *room {
                *room -= cost;
                self.shown_as[*index] = ShownAs::Listed;
            } else {
                listed = with_it;
            }
        }
    }

    /// Takes the lines that fit, with what is around them: of folded items, or of the others.
    fn take_lines(&mut self, room: &mut usize, all_fit: bool, folded: bool) {
        let mut headings = Headings::new(self.sections, self.form);
        // Destroyed and replaced objects may take all of the room; of the rest, some is for the diffs of what matters most.
        let mut reserved = None;
        for index in &self.order {
            let item = &self.items[*index];
            if self.is_folded(item) != folded {
                continue;
            }
            if self.is_counted[*index] {
                // The title of the section counts it, if that is there.
                if headings.started[item.section][0] {
                    self.shown_as[*index] = ShownAs::Counted;
                }
                continue;
            }
            if !all_fit && reserved.is_none() && !item.is_loss {
                reserved = Some(*room / 4);
                *room -= *room / 4;
            }
            let cost = line_length(&self.lines[*index]) + headings.missing(item);
            if cost <= *room && self.shown_as[*index] == ShownAs::LeftOut {
                *room -= cost;
                headings.start(item);
                self.shown_as[*index] = ShownAs::Entry(String::new());
            }
        }
        *room += reserved.unwrap_or(0);
    }

    /// Takes the diffs that fit.
    fn take_diffs(&mut self, room: &mut usize, report: &Report<'_>) -> Result<(), ShowError> {
        let mut misfits = 0;
        for index in &self.order {
            let item = &self.items[*index];
            if !item.has_diff() || self.is_folded(item) {
                continue;
            }
            let shown = match &mut self.shown_as[*index] {
                ShownAs::LeftOut | ShownAs::Counted => continue,
                ShownAs::Listed => {
                    self.no_diff += 1;
                    continue;
                }
                ShownAs::Entry(diff) => diff,
            };
            let diff = match misfits < MAX_MISFITS {
                // A unit is at most three bytes.
                true => diff(item, report, room.saturating_mul(3))?,
                false => None,
            };
            match diff.map(|diff| if diff.is_empty() { diff } else { escape::fenced(&diff) + "\n\n" }) {
                Some(diff) if length(&diff) <= *room => {
                    *room -= length(&diff);
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

    /// The items whose addresses are listed, by action.
    pub(super) fn listed(&self) -> Vec<usize> {
        self.order.iter().copied().filter(|index| self.shown_as[*index] == ShownAs::Listed).collect()
    }

    fn write_lists(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let listed = self.listed();
        if listed.is_empty() {
            return Ok(());
        }
        write!(out, "{}", heading(LISTED))?;
        for list in listed.chunk_by(|a, b| self.items[*a].action == self.items[*b].action) {
            write!(out, "{}", list_start(&self.items[list[0]]))?;
            list.iter().try_for_each(|index| writeln!(out, "- {}", address(&self.items[*index])))?;
            writeln!(out)?;
        }
        Ok(())
    }

    pub(super) fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        self.write_lists(out)?;
        let (mut section, mut group) = (None, None);
        for ((item, line), place) in self.items.iter().zip(&self.lines).zip(&self.shown_as) {
            let ShownAs::Entry(diff) = place else { continue };
            let place = (item.section, item.group);
            if group.is_some_and(|group| group != place) {
                self.end_group(group, out)?;
            }
            if section != Some(item.section) {
                write!(out, "{}", heading(self.sections[item.section].title))?;
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

    /// How much is left out.
    pub(super) fn left_out(&self) -> LeftOut {
        let mut left_out = LeftOut::default();
        let items = self.items.iter().zip(&self.shown_as);
        items
            .filter(|(_, place)| **place == ShownAs::LeftOut)
            .for_each(|(item, _)| left_out.add_entry(self.sections, item));
        left_out.add_diffs(self.no_diff);
        left_out
    }
}

/// How long a line is with the empty one behind it.
fn line_length(line: &str) -> usize {
    length(line) + 2
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

/// The address of an item, and the key of the deposed object that it is.
pub(super) fn address(item: &OutlineItem<'_, '_>) -> String {
    let deposed = item.deposed.as_ref();
    let deposed = deposed.map_or_else(String::new, |key| format!(" — deposed object {}", escape::code(key)));
    escape::code(&item.name) + &deposed
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

/// The first lines of a list of addresses.
fn list_start(item: &OutlineItem<'_, '_>) -> String {
    format!("**{}**\n\n", item.action.unwrap_or_default())
}

fn heading(title: &str) -> String {
    format!("### {title}\n\n")
}

pub(super) fn module_name(module: &OutlineModule) -> String {
    module.address.as_deref().map_or_else(|| "Root module".to_owned(), escape::html_code)
}

fn group_start(section: &OutlineSection, index: usize, form: Form) -> String {
    if let Some(folded) = &section.folded {
        let folded = folded_title(folded, form.plain);
        return match form.plain {
            true => format!("**{folded}**\n\n"),
            false => format!("<details><summary>{folded}</summary>\n\n"),
        };
    }
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

/// The title of a folded section: how many things are in it, and of which types, if it does not list them all.
pub(super) fn folded_title(folded: &FoldedItems, plain: bool) -> String {
    if folded.len <= MAX_FOLDED {
        return folded.words.clone();
    }
    let code = |text: &str| match plain {
        true => escape::code(start(text, NAME)),
        false => escape::html_code(start(text, NAME)),
    };
    let types: Vec<_> =
        folded.types.iter().take(NAMES).map(|(name, count)| format!("{count} of {}", code(name))).collect();
    format!("{}, {MAX_FOLDED} of them listed: {}", folded.words, listed(&types, folded.types.len()))
}

fn group_end(section: &OutlineSection, index: usize, form: Form) -> &'static str {
    let has_start = section.groups[index].is_some() || section.folded.is_some();
    if has_start && !form.plain { "</details>\n\n" } else { "" }
}

/// How long what is around the items is: the heading, and each group.
fn lengths_around(section: &OutlineSection, form: Form) -> Vec<usize> {
    let group = |index| length(&group_start(section, index, form)) + length(group_end(section, index, form));
    std::iter::once(length(&heading(section.title))).chain((0..section.groups.len()).map(group)).collect()
}
