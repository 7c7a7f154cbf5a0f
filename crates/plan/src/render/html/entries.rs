//! The entries of the page, section by section.
//!
//! A browser lays out a chunk when it comes into view. Chunks have about the same number of lines, so that the style sheet can
//! say how high they are.

use std::ops::Range;

use maud::{Markup, PreEscaped, html};
use objchange_text::visible;

use super::super::Writer;
use super::super::outline::{OutlineItem, OutlineModule, OutlinePiece, OutlineSection};
use super::super::tokens::Tokens;
use super::content::Content;
use super::diff::DiffSink;
use super::output::Output;
use crate::report::{Report, ShowError};

/// The number of lines in a chunk. The style sheet derives the height of a chunk from it.
const CHUNK: usize = 200;

/// The lines that an entry takes besides those of its diff.
const AROUND: usize = 2;

/// Writes all entries of a report.
pub(super) fn write(
    report: &Report<'_>,
    content: &Content<'_, '_>,
    items: Range<usize>,
    out: &mut Output<'_>,
) -> Result<(), ShowError> {
    let Content { sections, anchors, .. } = content;
    let mut place = None;
    for (item, anchor) in content.items[items.clone()].iter().zip(&anchors.items[items]) {
        let (section, group) = (&sections[item.section], &section_group(sections, item));
        if place.is_none_or(|(section, _)| section != item.section) {
            let name = &anchors.sections[item.section];
            let kind = Some(&anchors.kinds[item.section]).filter(|kind| *kind != name);
            let end = if place.is_some() { "</div></section>" } else { "" };
            out.markup(&html! {
                (PreEscaped(end))
                (PreEscaped("<section aria-labelledby=\"")) (name) (PreEscaped("\">"))
                h2 id=(name) data-k=[kind] { (section.title) }
                (PreEscaped("<div class=\"c\">"))
            });
            out.lines = 0;
        } else if out.lines >= CHUNK {
            out.tag("</div><div class=\"c\">");
            out.lines = 0;
        }
        if place != Some((item.section, item.group))
            && let Some(module) = group
        {
            out.markup(&html! {
                h3 id=(anchors.groups[item.section][item.group]) { (module_name(module)) ": " (module.counts()) }
            });
            out.lines += AROUND;
        }
        place = Some((item.section, item.group));
        entry(report, item, anchor, group.is_some(), out)?;
        out.lines += AROUND;
    }
    out.tag(if place.is_some() { "</div></section>" } else { "" });
    Ok(())
}

fn section_group<'s>(
    sections: &'s [OutlineSection],
    item: &OutlineItem<'_, '_>,
) -> Option<&'s OutlineModule> {
    sections[item.section].groups[item.group].as_ref()
}

/// The address of a module, as code.
pub(super) fn module_name(module: &OutlineModule) -> Markup {
    match &module.address {
        Some(address) => html! { code { (visible(address)) } },
        None => html! { "Root module" },
    }
}

/// The name of an action or a section for the script and the style sheet.
pub(super) fn keyword(title: &str) -> String {
    title.to_ascii_lowercase().replace(' ', "-")
}

fn entry(
    report: &Report<'_>,
    item: &OutlineItem<'_, '_>,
    anchor: &str,
    in_module: bool,
    out: &mut Output<'_>,
) -> Result<(), ShowError> {
    let line = html! { @for piece in &item.line { (self::piece(piece)) } };
    let heading = match in_module {
        true => html! { h4 { (line) } },
        false => html! { h3 { (line) } },
    };
    out.markup(&html! {
        (PreEscaped("<article id=\"")) (anchor) (PreEscaped("\""))
        @if let Some(action) = item.action {
            (PreEscaped(" data-a=\"")) (keyword(action)) (PreEscaped("\""))
        }
        (PreEscaped(">"))
    });
    let start = format!("<details open><summary>{}</summary><div class=\"d\">", heading.0);
    let mut sink = DiffSink::new(out, &start);
    let mut write = |tokens: &Tokens| sink.write(tokens);
    let mut writer = Writer::new(&mut write, report.program);
    writer.folds = true;
    item.write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    match sink.end() {
        true => out.tag("</div></details>"),
        false => out.markup(&heading),
    }
    out.markup(&html! {
        a.l href=(format!("#{anchor}")) aria-label=(format!("Link to {}", visible(&item.name))) { "#" }
    });
    out.tag("</article>\n");
    Ok(())
}

fn piece(piece: &OutlinePiece) -> Markup {
    match piece {
        OutlinePiece::Verb(verb) => html! { b { (verb) } },
        OutlinePiece::Words(words) => html! { (words) },
        OutlinePiece::Code(text) if text.is_empty() => html! { "(empty)" },
        OutlinePiece::Code(text) => html! { code { (visible(text)) } },
        OutlinePiece::Reason(reason) => html! { (visible(reason)) },
    }
}
