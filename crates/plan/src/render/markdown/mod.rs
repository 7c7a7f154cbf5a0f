//! A report as a Markdown page for a comment: a headline, and sections whose entries have a line and a fenced `diff` each.
//!
//! A page that would be too long lacks diffs, and then lines, the least important first, and says so.

mod fence;
mod inert;
mod sections;

use std::io;

use self::sections::{Item, Section, sections};
use super::summary::total;
use crate::report::{Outcome, Report, Section as Part, ShowError, Warning};

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
pub(crate) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Room for what is said below of what was left out.
const FOOT: usize = 300;

/// The most characters of a title, of a link, of a marker, and of a name in the head; the most names there.
const TITLE: usize = 200;
const LINK: usize = 1_000;
const MARKER: usize = 100;
const NAME: usize = 80;
const NAMES: usize = 10;

fn head(report: &Report<'_>, items: &[Item<'_, '_>], options: &MarkdownOptions<'_>) -> String {
    let is_state = report.sections.iter().any(|section| matches!(section, Part::Resources(_)));
    let thing = if is_state { "state" } else { "plan" };
    let mut counts = total(&report.counts, is_state);
    if !is_state && !report.counts.is_change() {
        counts.insert(0, "nothing to change".to_owned());
    }
    let mut head = heading(options, &format!("{} {thing}", report.program.name()), &counts.join(", "));
    for sentence in sentences(report) {
        head += &format!("\n{sentence}\n");
    }
    head += &link(options);
    head += &table(report);
    let lost = losses(items);
    if length(&lost) < options.max_length / 4 {
        head += &lost;
    }
    if !items.is_empty() {
        head.push('\n');
    }
    head
}

/// The marker and the headline of a page: its title, and what is said behind that.
pub(crate) fn heading(options: &MarkdownOptions<'_>, title: &str, rest: &str) -> String {
    let mut head = String::new();
    if let Some(marker) = options.marker {
        head += &format!("<!-- objchange:{} -->\n", inert::marker(start(marker, MARKER)));
    }
    let title = options.title.map_or_else(|| title.to_owned(), |title| inert::prose(start(title, TITLE)));
    let colon = if rest.is_empty() { "" } else { ": " };
    head + &format!("## {title}{colon}{rest}\n")
}

/// The link to the full output, if there is one.
pub(crate) fn link(options: &MarkdownOptions<'_>) -> String {
    let link = options.link.and_then(inert::target).filter(|link| link.len() <= LINK);
    link.map_or_else(String::new, |link| format!("\n[Full output]({link})\n"))
}

/// What was left out of a page: so many of each thing, and the command that prints them.
pub(crate) fn left_out<const N: usize>(
    options: &MarkdownOptions<'_>,
    things: [(usize, &str, &str); N],
    command: &str,
) -> String {
    let left_out: Vec<_> = things
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, thing, things)| format!("{count} {}", if count == 1 { thing } else { things }))
        .collect();
    if left_out.is_empty() {
        return String::new();
    }
    let place = match options.link {
        Some(_) => "see the link above for the rest".to_owned(),
        None => format!("run `{command}` for the rest"),
    };
    format!(
        "**Left out, to stay within {} characters: {}**; {place}.\n",
        options.max_length,
        left_out.join(" and ")
    )
}

/// What pages of other crate modules are made of.
pub(crate) mod parts {
    pub(crate) use super::inert::{code, fenced, words};
    pub(crate) use super::{heading, left_out, length, link, start};
}

/// So many characters of a text.
pub(crate) fn start(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// The names of what is destroyed, which are to be seen before anything is opened.
fn losses(items: &[Item<'_, '_>]) -> String {
    let mut lost: Vec<_> = items.iter().filter(|item| item.is_loss).collect();
    lost.sort_by_key(|item| item.rank);
    if lost.is_empty() {
        return String::new();
    }
    let name = |item: &&Item<'_, '_>| {
        let start = start(&item.name, NAME);
        inert::code(&format!("{start}{}", if start == item.name { "" } else { "…" }))
    };
    let names: Vec<_> = lost.iter().take(NAMES).map(name).collect();
    let more = match lost.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("\nDestroyed or replaced: {}{more}\n", names.join(", "))
}

/// What is to be known before the rest is read.
fn sentences(report: &Report<'_>) -> Vec<&'static str> {
    let mut sentences = Vec::new();
    if report.errored {
        sentences.push("**Planning failed**: only what was planned until then is listed.");
    } else if report.complete == Some(false) {
        sentences.push("The plan is incomplete: more may be left to change.");
    }
    if report.of_selection {
        sentences.push("Only what was chosen is listed and counted.");
    }
    for section in &report.sections {
        match section {
            Part::Warnings(warnings) => sentences.extend(warnings.iter().map(|warning| match warning {
                Warning::NewerFormat => "The plan has a newer format: what is new in it may be missing here.",
                Warning::NewerStateFormat => "The state has a newer format: what is new in it may be missing here.",
            })),
            Part::Outcome(outcome) => sentences.push(match outcome {
                Outcome::NoChangeMatches => "No resource with changes matches.",
                Outcome::NoResourceMatches => "No resource matches.",
                Outcome::EmptyState => "There are no resources.",
                Outcome::PlanningFailed => continue,
                Outcome::NeedsAnotherPlan => "This plan requires another plan to be applied first.",
                Outcome::NothingToDestroy => "No objects need to be destroyed.",
                Outcome::StillMatches => "The infrastructure still matches the configuration.",
                Outcome::Matches => "The infrastructure matches the configuration.",
                Outcome::MatchesDriftSaved => {
                    "The configuration matches what changed outside: applying the plan only updates the state."
                }
                Outcome::MatchesDriftUnsaved => {
                    "The configuration matches what changed outside: a refresh-only plan updates the state."
                }
            }),
            _ => {}
        }
    }
    sentences
}

/// The counts of the actions on resources.
fn table(report: &Report<'_>) -> String {
    let counts = &report.counts;
    let rows = [
        ("Destroy", counts.delete),
        ("Replace", counts.replace),
        ("Unknown", counts.unknown),
        ("Forget", counts.forget),
        ("Update", counts.update),
        ("Create", counts.create),
        ("Read", counts.read),
        ("Move", counts.r#move),
        ("Import", counts.import),
    ];
    let rows: String = rows
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(action, count)| format!("| {action} | {count} |\n"))
        .collect();
    match rows.as_str() {
        "" => rows,
        rows => format!("\n| Action | Resources |\n| :-- | --: |\n{rows}"),
    }
}

/// What of a page fits.
struct Fit<'s, 'r, 'p> {
    sections: &'s [Section],
    items: &'s [Item<'r, 'p>],
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
        Self { sections, items, order, shown: vec![None; items.len()], room, no_diff: 0 }
    }

    /// Takes the lines that fit, with what stands around them.
    fn lines(&mut self) {
        let costs: Vec<_> = self.items.iter().map(|item| length(&item.line) + 2).collect();
        let around: Vec<Vec<_>> = self.sections.iter().map(Section::costs).collect();
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
                true => item.diff(report, self.room.saturating_mul(3))?,
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
        for (item, shown) in self.items.iter().zip(&self.shown) {
            let Some(diff) = shown else { continue };
            let place = (item.section, item.group);
            if group.is_some_and(|group| group != place) {
                self.end_group(group, out)?;
            }
            if section != Some(item.section) {
                write!(out, "{}", self.sections[item.section].start())?;
            }
            if group != Some(place) {
                write!(out, "{}", self.sections[item.section].start_group(item.group))?;
            }
            (section, group) = (Some(item.section), Some(place));
            write!(out, "{}\n\n{diff}", item.line)?;
        }
        self.end_group(group, out)
    }

    fn end_group(&self, group: Option<(usize, usize)>, out: &mut dyn io::Write) -> io::Result<()> {
        match group {
            Some((section, group)) => out.write_all(self.sections[section].end_group(group).as_bytes()),
            None => Ok(()),
        }
    }

    /// What was left out.
    fn foot(&self, options: &MarkdownOptions<'_>) -> String {
        let lines = self.shown.iter().filter(|shown| shown.is_none()).count();
        let things = [(lines, "entry", "entries"), (self.no_diff, "diff", "diffs")];
        left_out(options, things, "objchange show")
    }
}
