//! A comparison as a Markdown page for a comment. A page that would be too long first loses values, then lines,
//! expected ones first, and says so.

use std::io::{self, Write};

use super::comparison::{Comparison, Difference, DifferenceKind};
use super::words::{
    OriginLine, describe, name, origin_sections, sections, sign, totals, value_lines, verdict,
};
use crate::render::MarkdownOptions;
use crate::render::shared::markdown as page;

/// Room for what is said below of what was left out.
const FOOT: usize = 300;

/// The most characters of the name of a plan.
const NAME: usize = 200;

impl Comparison<'_> {
    /// Writes what differs as a Markdown page, such as for a comment on a pull request. No text of the documents is markup
    /// in it. `names` are those of the plans.
    ///
    /// # Errors
    ///
    /// The page cannot be written.
    pub fn write_markdown(
        &self,
        out: &mut dyn Write,
        options: &MarkdownOptions<'_>,
        names: [&str; 2],
    ) -> io::Result<()> {
        let (verdict, totals) = (verdict(&self.counts), totals(&self.counts));
        let mut head = match options.title {
            None => page::heading(options, verdict, &totals),
            Some(_) => page::heading(options, "", &format!("{verdict}: {totals}")),
        };
        head += &page::link(options);
        let mut body = Body::new(self);
        if !body.items.is_empty() {
            let [a, b] = names.map(|name| page::code(page::start(name, NAME)));
            head += &format!("\nA is {a}, B is {b}. `!` is a surprise, `~` was unknown in A.\n");
        }
        let mut room = options.max_length.saturating_sub(page::length(&head) + FOOT);
        body.lines(&mut room);
        body.values(room);
        out.write_all(head.as_bytes())?;
        body.write(out)?;
        out.write_all(body.foot(options).as_bytes())
    }
}

fn line(sign: char, name: &str, description: &str) -> String {
    format!("\n{} {}: {}\n", page::code(&sign.to_string()), page::code(name), page::words(description))
}

/// The differences of a page, and which of them are on it.
struct Body<'c, 't> {
    /// The titles of the sections.
    titles: Vec<String>,
    items: Vec<Item<'c, 't>>,
    /// The items, what matters most first.
    order: Vec<usize>,
}

struct Item<'c, 't> {
    section: usize,
    /// The difference; `None` of a source or the version of a provider.
    difference: Option<&'c Difference<'t>>,
    line: String,
    is_shown: bool,
    /// The values in a block, if there are any and they are shown.
    values: Option<String>,
}

impl<'c, 't> Body<'c, 't> {
    fn new(comparison: &'c Comparison<'t>) -> Self {
        let (mut titles, mut items) = (Vec::new(), Vec::new());
        for (title, differences) in sections(comparison) {
            items.extend(differences.iter().map(|difference| Item {
                section: titles.len(),
                difference: Some(*difference),
                line: line(sign(difference.kind), &name(difference), &describe(difference)),
                is_shown: false,
                values: None,
            }));
            titles.push(format!("\n### {title} ({})\n", differences.len()));
        }
        for (title, lines) in origin_sections(comparison) {
            items.extend(lines.iter().map(|OriginLine { sign, name, description }| Item {
                section: titles.len(),
                difference: None,
                line: line(*sign, name, description),
                is_shown: false,
                values: None,
            }));
            titles.push(format!("\n### {title} ({})\n", lines.len()));
        }
        let mut order: Vec<_> = (0..items.len()).collect();
        order.sort_by_key(|index| {
            items[*index]
                .difference
                .map(|difference| difference.kind)
                .map_or(2, |kind| usize::from(kind == DifferenceKind::Expected))
        });
        Self { titles, items, order }
    }

    /// Takes the lines that fit, with the titles of their sections.
    fn lines(&mut self, room: &mut usize) {
        let titles: usize = self.titles.iter().map(|title| page::length(title)).sum();
        *room = room.saturating_sub(titles);
        let all: usize = self.items.iter().map(|item| page::length(&item.line)).sum();
        // Some of the room is for the values of what matters most.
        let reserved = if all <= *room { 0 } else { *room / 4 };
        *room -= reserved;
        for index in &self.order {
            let item = &mut self.items[*index];
            let length = page::length(&item.line);
            if length <= *room {
                *room -= length;
                item.is_shown = true;
            }
        }
        *room += reserved;
    }

    /// Takes the values that fit.
    fn values(&mut self, mut room: usize) {
        for index in &self.order {
            let item = &mut self.items[*index];
            let Some(difference) = item.difference.filter(|difference| !difference.values.is_empty()) else {
                continue;
            };
            if !item.is_shown {
                continue;
            }
            let mut lines = String::new();
            for (sign, line) in value_lines(difference) {
                lines += &format!("{sign} {line}\n");
                // A unit is at most three bytes.
                if lines.len() > room.saturating_mul(3) {
                    break;
                }
            }
            let block = format!("\n{}\n", page::fenced(&lines));
            let length = page::length(&block);
            if length <= room {
                room -= length;
                item.values = Some(block);
            }
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut section = None;
        for item in self.items.iter().filter(|item| item.is_shown) {
            if section.replace(item.section) != Some(item.section) {
                out.write_all(self.titles[item.section].as_bytes())?;
            }
            write!(out, "{}{}", item.line, item.values.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    /// Says how much was left out.
    fn foot(&self, options: &MarkdownOptions<'_>) -> String {
        let lines = self.items.iter().filter(|item| !item.is_shown).count();
        let has_no_values = |item: &&Item<'_, '_>| {
            item.is_shown
                && item.values.is_none()
                && item.difference.is_some_and(|difference| !difference.values.is_empty())
        };
        let values = self.items.iter().filter(has_no_values).count();
        let things = [(lines, "difference", "differences"), (values, "list of values", "lists of values")];
        match page::left_out(options, &page::amounts(things), "objchange diff") {
            foot if foot.is_empty() => foot,
            foot => format!("\n{foot}"),
        }
    }
}
