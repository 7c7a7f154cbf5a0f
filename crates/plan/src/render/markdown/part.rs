//! The changes of one report on a page: a table, a caution, and the entries that fit.

use std::io;

use objchange_text::{counted, listed};

use super::super::outline::{OutlineItem, OutlineModule, OutlineSection};
use super::super::overview::{NAMES, action_counts, is_small, losses, start};
use super::fitting::{FittingEntries, Form};
use super::{LeftOut, NAME, escape, length};
use crate::report::{Report, ShowError};

/// The empty lines around a part of the head.
const AROUND: usize = 3;

/// The part of a page below its headline and its notes.
pub(in crate::render) struct ReportBody<'s, 'r, 'p> {
    /// The table of actions; of modules and their actions, if not all entries fit.
    pub(super) table: String,
    /// The names of some destroyed and replaced objects, visible before anything is unfolded, and the number of the others.
    pub(super) destroyed: Vec<String>,
    pub(super) more_destroyed: usize,
    pub(super) fitting: FittingEntries<'s, 'r, 'p>,
}

/// The most characters of a part, and of the table in it.
#[derive(Debug, Clone, Copy)]
pub(in crate::render) struct Room {
    pub(in crate::render) all: usize,
    pub(in crate::render) table: usize,
}

impl Room {
    /// The room of a part that has a page for itself: a quarter of it is for the table.
    pub(in crate::render) fn of_page(all: usize) -> Self {
        Self { all, table: all / 4 }
    }
}

/// The lengths of what a part is made of, the most important first.
#[derive(Debug, Clone, Copy)]
pub(in crate::render) struct Lengths {
    pub(in crate::render) table: usize,
    /// The addresses of destroyed and replaced objects, with the line that counts them.
    pub(in crate::render) losses: usize,
    /// The further room that their lines take.
    pub(in crate::render) loss_lines: usize,
    /// The lines of all other entries.
    pub(in crate::render) other_lines: usize,
}

impl<'s, 'r, 'p> ReportBody<'s, 'r, 'p> {
    /// The part in no more than so many characters, without what is said of what is left out.
    pub(in crate::render) fn new(
        report: &Report<'_>,
        sections: &'s [OutlineSection],
        items: &'s [OutlineItem<'r, 'p>],
        Room { all: room, table: table_room }: Room,
        plain: bool,
    ) -> Result<Self, ShowError> {
        let form = Form { plain, is_open: is_small(report) };
        let losses = losses(items);
        let names: Vec<_> = losses.iter().take(NAMES).map(|(_, item)| short_name(item)).collect();
        let mut part = Self {
            table: table(report),
            more_destroyed: losses.len() - names.len(),
            destroyed: names,
            fitting: FittingEntries::new(sections, items, form),
        };
        if length(&part.caution()) > room / 4 {
            part.count_destroyed();
        }
        if part.length_of_head() + part.fitting.length() > room {
            part.table = module_table(sections, table_room);
        }
        if part.length_of_head() + part.fitting.length_of_losses() > room {
            // All that fit are listed in the open.
            part.count_destroyed();
        }
        if part.length_of_head() > room {
            part.table.clear();
        }
        let room = room.saturating_sub(part.length_of_head());
        part.fitting.take(room, report)?;
        Ok(part)
    }

    /// The lengths of its parts, if it may have so long a table.
    pub(in crate::render) fn lengths(
        report: &Report<'_>,
        sections: &'s [OutlineSection],
        items: &'s [OutlineItem<'r, 'p>],
        table: usize,
        plain: bool,
    ) -> Lengths {
        let form = Form { plain, is_open: is_small(report) };
        let fitting = FittingEntries::new(sections, items, form);
        let count = items.iter().filter(|item| item.is_loss).count();
        let caution = if count > 0 { length(&caution(&[], count)) + AROUND } else { 0 };
        let table = module_table(sections, table).max(self::table(report));
        let table = if table.is_empty() { 0 } else { length(&table) + AROUND };
        let (list, lines) = (fitting.length_of_list(), fitting.length_of_losses());
        Lengths {
            table,
            losses: caution + list.min(lines),
            loss_lines: lines.saturating_sub(list),
            other_lines: fitting.length() - lines,
        }
    }

    fn count_destroyed(&mut self) {
        self.more_destroyed += self.destroyed.len();
        self.destroyed.clear();
    }

    /// The line about destroyed and replaced objects, if there are any.
    pub(super) fn caution(&self) -> String {
        caution(&self.destroyed, self.destroyed.len() + self.more_destroyed)
    }

    /// The text above the entries.
    fn head(&self) -> String {
        let mut head = String::new();
        for part in [&self.table, &self.caution()] {
            if !part.is_empty() {
                head += &format!("\n{part}\n");
            }
        }
        head += if self.fitting.items.is_empty() { "" } else { "\n" };
        head
    }

    fn length_of_head(&self) -> usize {
        length(&self.head())
    }

    pub(in crate::render) fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        out.write_all(self.head().as_bytes())?;
        self.fitting.write(out)
    }

    pub(in crate::render) fn left_out(&self) -> LeftOut {
        self.fitting.left_out()
    }
}

/// The line about so many destroyed and replaced objects, of which these are named.
fn caution(names: &[String], count: usize) -> String {
    match (count, names) {
        (0, _) => String::new(),
        (_, []) => format!("⚠️ Destroyed or replaced: {}", counted(count, "resource")),
        (_, names) => format!("⚠️ Destroyed or replaced: {}", listed(names, count)),
    }
}

/// The name of an item, cut to a length. The address of a deposed object is that of the object that stays.
fn short_name(item: &OutlineItem<'_, '_>) -> String {
    let short = |text: &str| {
        let start = start(text, NAME);
        escape::code(&format!("{start}{}", if start == text { "" } else { "…" }))
    };
    let deposed = item.deposed.as_deref();
    let deposed = deposed.map_or_else(String::new, |key| format!(" (deposed object {})", short(key)));
    short(&item.name) + &deposed
}

/// The counts of the actions on resources.
fn table(report: &Report<'_>) -> String {
    let rows: Vec<_> =
        action_counts(report).map(|(action, count)| format!("\n| {action} | {count} |")).collect();
    match &rows[..] {
        [] => String::new(),
        rows => format!("| Action | Resources |\n| :-- | --: |{}", rows.concat()),
    }
}

/// A table of the modules with the number of each action in them, in about so many characters.
fn module_table(sections: &[OutlineSection], room: usize) -> String {
    let modules: Vec<&OutlineModule> =
        sections.iter().flat_map(|section| section.groups.iter().flatten()).collect();
    if modules.is_empty() {
        return String::new();
    }
    let mut total = [0; OutlineModule::COLUMNS];
    modules.iter().for_each(|module| add(&mut total, &module.numbers()));
    let columns: Vec<usize> = (0..total.len()).filter(|column| total[*column] > 0).collect();
    let line = |name: &str, numbers: &[usize]| {
        let cells = columns.iter().map(|column| match numbers[*column] {
            0 => " |".to_owned(),
            count => format!(" {count} |"),
        });
        format!("\n| {name} |{}", cells.collect::<String>())
    };
    let titles: String = columns.iter().map(|column| format!(" {} |", modules[0].title(*column))).collect();
    let mut table = format!("| Module |{titles}\n| :-- |{}", " --: |".repeat(columns.len()));
    let mut table_length = length(&table);
    let mut rest = [0; OutlineModule::COLUMNS];
    let mut left_out = 0;
    for module in &modules {
        // A bar would end the cell, even in code.
        let name = module.address.as_deref().map_or_else(|| "Root module".to_owned(), escape::code);
        let row = line(&name.replace('|', "\\|"), &module.numbers());
        if table_length + length(&row) > room {
            left_out += 1;
            add(&mut rest, &module.numbers());
        } else {
            table_length += length(&row);
            table += &row;
        }
    }
    if left_out > 0 {
        table += &line(&counted(left_out, "more module"), &rest);
    }
    if modules.len() > 1 {
        table += &line("**All**", &total);
    }
    table
}

fn add(sum: &mut [usize], numbers: &[usize]) {
    sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}
