//! A report as a part of a page: a headline and folded entries, in HTML without scripts, such as a notebook shows below a cell.
//!
//! A page that would be too long leaves out the least important parts first, and its last line says how much.

use std::io;

use maud::{Markup, PreEscaped, html};
use objchange_text::visible;

use super::Writer;
use super::outline::{Outline, OutlineItem, OutlineModule, OutlinePiece};
use super::screen::{DiffLine, DiffLines, DiffRole, LineSink};
use super::tokens::Tokens;
use crate::report::{Report, ShowError};

/// Signs tell what happens. Where a notebook drops the colours, nothing is lost.
const STYLE: &str = ".objchange pre{margin:0 0 .5em 1.5em;line-height:1.3}.objchange .objchange-entries{margin-left:1.5em}\
    .objchange .objchange-add{color:#1a7f37}.objchange .objchange-del{color:#cf222e}.objchange .objchange-mod{color:#9a6700}\
    .objchange .objchange-rep{color:#8250df}";

/// The most entries that are to be seen at once.
const OPEN: usize = 100;

/// Stop after 20 diffs that do not fit: rendering thousands for one page is wasted.
const MAX_MISFITS: usize = 20;

/// Room for the line about what is left out.
const FOOT: usize = 300;

impl Report<'_> {
    /// Writes the report as a part of a page, in about as many bytes: folded entries that need no script. No text of the
    /// document is markup in it.
    ///
    /// ```
    /// use objchange_document::{Plan, Schemas};
    /// use objchange_plan::{Filter, Options, Report};
    ///
    /// let plan = Plan::parse(
    ///     r#"{"format_version":"1.2","resource_changes":[{"address":"null_resource.a","mode":"managed",
    ///     "type":"null_resource","name":"a","change":{"actions":["create"],"before":null,"after":{"id":"<b>"}}}]}"#,
    /// )?;
    /// let schemas = Schemas::none();
    /// let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default())?;
    /// let mut part = Vec::new();
    /// report.write_html_part(&mut part, 100_000)?;
    /// let part = String::from_utf8(part)?;
    /// assert!(part.contains("Terraform plan: 1 to create") && part.contains("&lt;b&gt;"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the part cannot be written.
    pub fn write_html_part(&self, out: &mut dyn io::Write, max_length: usize) -> Result<(), ShowError> {
        let outline = self.outline();
        let head = html! {
            style { (PreEscaped(STYLE)) }
            p { b { (outline.title) } }
            @for sentence in &outline.sentences { p { (sentence) } }
        };
        let mut shown = Shown::new(&outline, max_length.saturating_sub(head.0.len() + FOOT));
        shown.lines();
        shown.diffs(self)?;
        let page = html! { div.objchange { (head) (shown.sections()) (shown.left_out()) } };
        Ok(out.write_all(page.0.as_bytes())?)
    }
}

/// The entries that fit.
struct Shown<'o, 'r, 'p> {
    outline: &'o Outline<'r, 'p>,
    /// The entries, the most important first.
    order: Vec<usize>,
    /// For each entry: `None` without a line; else its line and its diff, which may be empty.
    entries: Vec<Option<(String, String)>>,
    /// How many bytes are left.
    room: usize,
    /// How many diffs are left out.
    no_diff: usize,
}

impl<'o, 'r, 'p> Shown<'o, 'r, 'p> {
    fn new(outline: &'o Outline<'r, 'p>, room: usize) -> Self {
        let mut order: Vec<_> = (0..outline.items.len()).collect();
        order.sort_by_key(|index| outline.items[*index].rank);
        Self { outline, order, entries: vec![None; outline.items.len()], room, no_diff: 0 }
    }

    fn module(&self, item: &OutlineItem<'_, '_>) -> Option<&'o OutlineModule> {
        self.outline.sections[item.section].groups[item.group].as_ref()
    }

    /// Takes the lines that fit. Some room is kept for the diffs of what matters most.
    fn lines(&mut self) {
        let kept = self.room / 4;
        let mut started = Vec::new();
        for section in &self.outline.sections {
            started.push((false, vec![false; section.groups.len()]));
        }
        for index in &self.order {
            let item = &self.outline.items[*index];
            let line = html! { @for piece in &item.line { (self::piece(piece)) } }.0;
            let mut cost = entry(&line, "").0.len();
            let (has_section, has_group) = &mut started[item.section];
            if !*has_section {
                cost += heading(self.outline.sections[item.section].title).0.len();
            }
            if let (Some(module), false) = (self.module(item), has_group[item.group]) {
                cost += group(module, true, &PreEscaped(String::new())).0.len();
            }
            let room = if item.is_loss { self.room } else { self.room.saturating_sub(kept) };
            if cost <= room {
                self.room -= cost;
                (*has_section, has_group[item.group]) = (true, true);
                self.entries[*index] = Some((line, String::new()));
            }
        }
    }

    /// Takes the diffs that fit.
    fn diffs(&mut self, report: &Report<'_>) -> Result<(), ShowError> {
        let mut misfits = 0;
        for index in &self.order {
            let (item, Some((line, shown))) = (&self.outline.items[*index], &mut self.entries[*index]) else {
                continue;
            };
            if !item.has_diff() {
                continue;
            }
            let lines = if misfits < MAX_MISFITS { diff(item, report, self.room)? } else { None };
            let diff = lines.map(|lines| html! { @for line in lines.iter() { (self::line(line)) } }.0);
            let cost = |diff: &str| entry(line, diff).0.len() - entry(line, "").0.len();
            match diff {
                Some(diff) if diff.is_empty() || cost(&diff) <= self.room => {
                    self.room -= if diff.is_empty() { 0 } else { cost(&diff) };
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

    /// The entries, in the order of the page.
    fn sections(&self) -> Markup {
        let is_open = self.entries.iter().flatten().count() <= OPEN;
        let (mut page, mut place) = (String::new(), None);
        let mut entries = self.outline.items.iter().zip(&self.entries).peekable();
        while let Some((item, shown)) = entries.next() {
            let Some(first) = shown else { continue };
            if place != Some(item.section) {
                page += &heading(self.outline.sections[item.section].title).0;
                place = Some(item.section);
            }
            let mut inside = entry(&first.0, &first.1).0;
            let is_same =
                |other: &OutlineItem<'_, '_>| (other.section, other.group) == (item.section, item.group);
            while let Some((_, shown)) = entries.next_if(|(other, _)| is_same(other)) {
                inside += &shown.as_ref().map_or_else(String::new, |(line, diff)| entry(line, diff).0);
            }
            page += &match self.module(item) {
                Some(module) => group(module, is_open, &PreEscaped(inside)).0,
                None => inside,
            };
        }
        PreEscaped(page)
    }

    /// The number of what is left out.
    fn left_out(&self) -> Markup {
        let (all, lines) = (self.entries.len(), self.entries.iter().flatten().count());
        let entries = (lines < all).then(|| format!("{} of {all} entries", all - lines));
        let diffs = (self.no_diff > 0).then(|| format!("the diffs of {} entries", self.no_diff));
        let parts: Vec<String> = entries.into_iter().chain(diffs).collect();
        html! {
            @if !parts.is_empty() {
                p { b { "Left out, to keep this short: " (parts.join(" and ")) } }
            }
        }
    }
}

fn heading(title: &str) -> Markup {
    html! { p { b { (title) } } }
}

/// A module with its entries.
fn group(module: &OutlineModule, is_open: bool, entries: &Markup) -> Markup {
    html! {
        details open[is_open] {
            summary {
                @match &module.address {
                    Some(address) => code { (visible(address)) },
                    None => "Root module",
                }
                ": " (module.counts())
            }
            div.objchange-entries { (entries) }
        }
    }
}

/// An entry with its line and its diff, both as HTML.
fn entry(line: &str, diff: &str) -> Markup {
    html! {
        @if diff.is_empty() {
            div { (PreEscaped(line)) }
        } @else {
            details { summary { (PreEscaped(line)) } pre { (PreEscaped(diff)) } }
        }
    }
}

fn piece(piece: &OutlinePiece) -> Markup {
    match piece {
        OutlinePiece::Verb(verb) => html! { b { (verb) } },
        OutlinePiece::Code(_) => html! { code { (piece.shown()) } },
        _ => html! { (piece.shown()) },
    }
}

/// The diff of an item; none if its text is longer than so many bytes.
fn diff(
    item: &OutlineItem<'_, '_>,
    report: &Report<'_>,
    limit: usize,
) -> Result<Option<DiffLines>, ShowError> {
    let (mut lines, mut length) = (LineSink::default(), 0);
    let mut sink = |tokens: &Tokens| {
        length += tokens.text.len();
        if length > limit {
            return Err(io::Error::other("the diff is too long"));
        }
        lines.write(tokens);
        Ok(())
    };
    let mut writer = Writer::new(&mut sink, report.program);
    item.write(&mut writer)?;
    // It fails only where the limit is met.
    let fits = writer.flush().is_ok();
    drop(writer);
    Ok(fits.then(|| lines.end()))
}

/// A line of a diff.
fn line(line: DiffLine<'_>) -> Markup {
    let sign = line.pieces().find(|(role, _)| *role == DiffRole::Sign).map_or("", |(_, sign)| sign.trim());
    let class = match sign {
        "+" => "objchange-add",
        "-" => "objchange-del",
        "~" => "objchange-mod",
        sign if sign.contains('/') => "objchange-rep",
        _ => return html! { (line.text) "\n" },
    };
    html! { span class=(class) { (line.text) } "\n" }
}
