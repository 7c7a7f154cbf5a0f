//! The sections of the page, and the modules with the number of each action in them, as a table in the order of the page.

use hashbrown::HashMap;
use maud::{Markup, html};
use objchange_text::visible;

use super::super::outline::{OutlineItem, OutlineModule, OutlineSection};
use super::content::{Content, Heading};

/// A kind of action in a section: where it is among the counts of a module, its name, and its sign.
struct Column {
    place: usize,
    title: &'static str,
    sign: &'static str,
}

/// The contents of the page. A number leads to the first entry that it counts.
pub(super) fn contents(content: &Content<'_, '_>, headings: &[Heading<'_>]) -> Markup {
    let Content { sections, items, anchors, .. } = content;
    let mut first: HashMap<(usize, usize, usize), usize> = HashMap::new();
    let mut counts = vec![0_usize; sections.len()];
    for (index, item) in items.iter().enumerate() {
        counts[item.section] += 1;
        first.entry((item.section, item.group, usize::from(item.rank))).or_insert(index);
    }
    let cell = |section: usize, group: usize, module: &OutlineModule, column: &Column| {
        let item = first.get(&(section, group, column.place));
        html! {
            td {
                @if let (Some(item), count @ 1..) = (item, module.numbers()[column.place]) {
                    a href=(format!("#{}", anchors.items[*item])) { (count) }
                }
            }
        }
    };
    let all: Vec<_> = (0..sections.len()).map(|index| columns(sections, items, index)).collect();
    let width = all.iter().map(Vec::len).max().unwrap_or_default().max(1);
    html! {
        nav aria-label="Contents" {
            table {
                @for (report, index) in content.numbered_sections() {
                    @let section = &sections[index];
                    @if let (Some(report), Some(heading)) = (report, report.and_then(|report| headings.get(report))) {
                        tbody {
                            tr {
                                th scope="rowgroup" colspan=(width + 1) {
                                    a href=(format!("#{}", anchors.reports[report])) { (visible(heading.name)) }
                                }
                            }
                        }
                    }
                    tbody {
                        tr {
                            th scope=(if all[index].is_empty() { "row" } else { "col" }) {
                                a href=(format!("#{}", anchors.sections[index])) { (section.title) }
                            }
                            @for column in &all[index] {
                                th scope="col" { abbr title=(column.title) { (column.sign) } }
                            }
                            @if all[index].is_empty() { td colspan=(width) { (counts[index]) } }
                        }
                        @for (group, module) in section.groups.iter().enumerate() {
                            @if let Some(module) = module {
                                tr {
                                    th scope="row" {
                                        a href=(format!("#{}", anchors.groups[index][group])) { (name(module)) }
                                    }
                                    @for column in &all[index] { (cell(index, group, module, column)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn name(module: &OutlineModule) -> String {
    module
        .address
        .as_deref()
        .map_or_else(|| "Root module".to_owned(), |address| visible(address).into_owned())
}

/// The actions of the modules of a section, the gravest first.
fn columns(sections: &[OutlineSection], items: &[OutlineItem<'_, '_>], section: usize) -> Vec<Column> {
    let modules = || sections[section].groups.iter().flatten();
    let is_used = |place: &usize| modules().any(|module| module.numbers()[*place] > 0);
    let places = (0..OutlineModule::default().numbers().len()).filter(is_used);
    let column = |place: usize| {
        let item = items.iter().find(|item| item.section == section && usize::from(item.rank) == place);
        let action = item.and_then(|item| Some((item.action?, item.sign)));
        // A state has no actions.
        let (title, sign) = action.unwrap_or(("Resources", "#"));
        Column { place, title, sign }
    };
    places.map(column).collect()
}
