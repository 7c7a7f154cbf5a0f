//! The entries of the page, section by section.
//!
//! A browser lays out a chunk when it comes into view. Chunks have about the same number of lines, so that the style sheet can
//! say how high they are.
//!
//! To make elements of the entries of a large plan takes a browser many seconds. The chunks of a large page are therefore in
//! `noscript`: a browser that runs the script takes their markup for text, from which the script makes the entries that are
//! looked at; any other browser takes it for the entries themselves. No text of a document can end that element, because `<`
//! is always escaped.

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

/// The number of entries above which a page is large: they are folded at first.
pub(super) const MANY: usize = 100;

/// The number of folded entries in a chunk, and of lines in their diffs. The style sheet knows the first, too.
const FOLDED_CHUNK: (usize, usize) = (40, 4_000);

/// Writes all entries of a report.
pub(super) fn write(
    report: &Report<'_>,
    content: &Content<'_, '_>,
    items: Range<usize>,
    out: &mut Output<'_>,
) -> Result<(), ShowError> {
    let Content { sections, anchors, .. } = content;
    let is_large = content.is_large();
    let (start, end) = match is_large {
        true => ("<div class=\"c\"><noscript>", "</noscript></div>"),
        false => ("<div class=\"c\">", "</div>"),
    };
    let mut place = None;
    let mut entries = 0;
    for (item, anchor) in content.items[items.clone()].iter().zip(&anchors.items[items]) {
        let is_new_section = place.is_none_or(|(section, _)| section != item.section);
        let is_full = match is_large {
            true => entries >= FOLDED_CHUNK.0 || out.lines >= FOLDED_CHUNK.1,
            false => out.lines >= CHUNK,
        };
        let is_new_group = place != Some((item.section, item.group));
        if place.is_some() && (is_new_group || is_full) {
            out.tag(end);
        }
        if is_new_section {
            let name = &anchors.sections[item.section];
            let kind = Some(&anchors.kinds[item.section]).filter(|kind| *kind != name);
            out.markup(&html! {
                (PreEscaped(if place.is_some() { "</section>" } else { "" }))
                (PreEscaped("<section aria-labelledby=\"")) (name) (PreEscaped("\">"))
                h2 id=(name) data-k=[kind] { (sections[item.section].title) }
            });
        }
        let group = section_group(sections, item);
        if is_new_group && let Some(module) = group {
            out.markup(&html! {
                h3 id=(anchors.groups[item.section][item.group]) { (module_name(module)) ": " (module.counts()) }
            });
        }
        if is_new_group || is_full {
            out.tag(start);
            (out.lines, entries) = (0, 0);
        }
        place = Some((item.section, item.group));
        entry(report, item, anchor, is_large, group.is_some(), out)?;
        out.lines += AROUND;
        entries += 1;
    }
    if place.is_some() {
        out.tag(end);
        out.tag("</section>");
    }
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
    is_folded: bool,
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
    let open = if is_folded { "" } else { " open" };
    let start = format!("<details{open}><summary>{}</summary><div class=\"d\">", heading.0);
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
        OutlinePiece::Words(words) => html! { (PreEscaped(ascii(words))) },
        OutlinePiece::Code(text) if text.is_empty() => html! { "(empty)" },
        OutlinePiece::Code(text) => html! { code { (visible(text)) } },
        OutlinePiece::Reason(reason) => html! { (visible(reason)) },
    }
}

/// Our own words in ASCII. Browsers keep texts of one byte a character in half of the memory, and read them in half of the time.
fn ascii(words: &str) -> String {
    words.chars().fold(String::new(), |words, c| match c {
        c if c.is_ascii() => words + c.encode_utf8(&mut [0; 4]),
        c => words + &format!("&#{};", u32::from(c)),
    })
}
