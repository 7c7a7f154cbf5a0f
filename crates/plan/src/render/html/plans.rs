//! Several plans on one page: a table of them, and what is said of each above its entries.

use std::io;

use maud::{Markup, html};
use objchange_text::visible;

use super::super::overview::{Sentence, TITLE, counts, sentences, start};
use super::HtmlOptions;
use super::content::{Content, Heading};
use super::head::{lost, notes};
use crate::report::{Report, ShowError};

/// A plan of several on a page, and what is said of it.
pub(in crate::render) struct PlanOfPage<'r, 'p> {
    pub(in crate::render) name: &'r str,
    pub(in crate::render) report: &'r Report<'p>,
    /// Its row in the table, after the name and before the hash.
    pub(in crate::render) verdict: &'static str,
    pub(in crate::render) changes: String,
    pub(in crate::render) policies: String,
    pub(in crate::render) hash: &'r str,
    /// Lines to read before its entries.
    pub(in crate::render) notes: Vec<String>,
}

/// Writes one page of all plans. Behind the title is what `rest` says.
pub(in crate::render) fn write_plans(
    out: &mut dyn io::Write,
    options: &HtmlOptions<'_>,
    rest: &str,
    plans: &[PlanOfPage<'_, '_>],
) -> Result<(), ShowError> {
    let title = format!("{}: {rest}", start(options.title.unwrap_or("Terraform plans"), TITLE));
    let reports: Vec<_> = plans.iter().map(|plan| plan.report).collect();
    let content = Content::new(&reports);
    let header = html! {
        header {
            h1 { (visible(&title)) }
            (notes(options))
            (table(plans, &content))
            (lost(&content))
        }
    };
    let heading =
        |(index, plan): (usize, &PlanOfPage<'_, '_>)| heading(plan, content.anchors.reports.get(index));
    let names = plans.iter().map(|plan| plan.name);
    let texts = plans.iter().enumerate().map(heading);
    let headings: Vec<_> = names.zip(texts).map(|(name, text)| Heading { name, text }).collect();
    content.write(out, &title, &header, &headings)
}

fn table(plans: &[PlanOfPage<'_, '_>], content: &Content<'_, '_>) -> Markup {
    html! {
        @if !plans.is_empty() {
            table.plans {
                thead { tr { @for title in ["Plan", "Verdict", "Changes", "Policies", "Approval hash"] { th { (title) } } } }
                tbody {
                    @for (plan, anchor) in plans.iter().zip(&content.anchors.reports) {
                        tr {
                            td { a href=(format!("#{anchor}")) { code { (visible(plan.name)) } } }
                            td { (plan.verdict) }
                            td { (plan.changes) }
                            td { (plan.policies) }
                            td { code { (plan.hash) } }
                        }
                    }
                }
            }
        }
    }
}

/// The text about a plan above its entries.
fn heading(plan: &PlanOfPage<'_, '_>, anchor: Option<&String>) -> Markup {
    html! {
        h2.plan id=[anchor] { code { (visible(plan.name)) } ": " (counts(plan.report)) }
        @for Sentence { important, rest } in sentences(plan.report) {
            p { @if !important.is_empty() { strong { (important) } } (rest) }
        }
        @for note in &plan.notes {
            p { (visible(note)) }
        }
    }
}
