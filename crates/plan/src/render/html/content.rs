//! The content of a page: one report, or several after each other.

use std::io;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::super::outline::{OutlineItem, OutlineSection, sections};
use super::anchors::Anchors;
use super::contents::contents;
use super::output::Output;
use super::{entries, head};
use crate::report::{Report, ShowError};

/// The content of a page.
pub(super) struct Content<'r, 'p> {
    reports: Vec<ReportSpan<'r, 'p>>,
    pub(super) sections: Vec<OutlineSection>,
    pub(super) items: Vec<OutlineItem<'r, 'p>>,
    pub(super) anchors: Anchors,
}

/// A report, and where its sections and items end.
struct ReportSpan<'r, 'p> {
    report: &'r Report<'p>,
    sections: usize,
    items: usize,
}

/// The text above a report of several, and the name by which the contents have it.
pub(super) struct Heading<'r> {
    pub(super) name: &'r str,
    pub(super) text: Markup,
}

impl<'r, 'p> Content<'r, 'p> {
    pub(super) fn new(reports: &[&'r Report<'p>]) -> Self {
        let (mut all_sections, mut all_items) = (Vec::new(), Vec::new());
        let part = |report: &&'r Report<'p>| {
            let (sections, mut items) = sections(report);
            items.iter_mut().for_each(|item| item.section += all_sections.len());
            all_sections.extend(sections);
            all_items.extend(items);
            ReportSpan { report, sections: all_sections.len(), items: all_items.len() }
        };
        let reports: Vec<_> = reports.iter().map(part).collect();
        let anchors = Anchors::new(reports.len(), &all_sections, &all_items);
        Self { reports, sections: all_sections, items: all_items, anchors }
    }

    /// Writes the page. Reports have headings if there are several.
    pub(super) fn write(
        &self,
        out: &mut dyn io::Write,
        title: &str,
        header: &Markup,
        headings: &[Heading<'_>],
    ) -> Result<(), ShowError> {
        let kind = if self.is_large() { " class=\"f\"" } else { "" };
        let mut out = Output::new(out);
        out.markup(&html! {
            (DOCTYPE)
            (PreEscaped("<html lang=\"en\">"))
            (head::head(title))
            (PreEscaped("<body>"))
            a.skip href="#main" { "Skip to the entries" }
            (header)
            (head::tools(&self.sections, &self.items, &self.anchors))
            (PreEscaped("<div class=\"columns\">"))
            (contents(self, headings))
            (PreEscaped("<main id=\"main\" tabindex=\"-1\"")) (PreEscaped(kind)) (PreEscaped(">"))
        });
        let mut start = 0;
        for (index, part) in self.reports.iter().enumerate() {
            if let Some(heading) = headings.get(index) {
                out.markup(&heading.text);
            }
            entries::write(part.report, self, start..part.items, &mut out)?;
            start = part.items;
        }
        out.markup(&html! {
            (PreEscaped("</main></div>"))
            (head::keys())
            (head::script())
            (PreEscaped("</body></html>\n"))
        });
        Ok(out.flush()?)
    }

    /// Whether there are so many entries that they are folded at first.
    pub(super) fn is_large(&self) -> bool {
        self.items.len() > entries::MANY
    }

    /// The numbers of all sections; the first of each report also has the number of the report.
    pub(super) fn numbered_sections(&self) -> impl Iterator<Item = (Option<usize>, usize)> {
        let mut start = 0;
        self.reports.iter().enumerate().flat_map(move |(report, part)| {
            let first = std::mem::replace(&mut start, part.sections);
            (first..part.sections).map(move |index| ((index == first).then_some(report), index))
        })
    }
}
