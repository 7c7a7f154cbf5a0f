//! The top of the page: the head of the document, the headline, the tools and the keys.

use data_encoding::BASE64;
use maud::{Markup, PreEscaped, html};
use objchange_text::visible;
use sha2::{Digest, Sha256};

use super::super::markdown::escape;
use super::super::outline::{OutlineFilter, OutlineItem, OutlineSection, filters};
use super::super::overview::{LINK, NAMES, Sentence, action_counts, losses, sentences};
use super::HtmlOptions;
use super::anchors::Anchors;
use super::content::Content;
use super::entries::keyword;
use crate::report::Report;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The source of a policy that lets nothing run but this text.
fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text)))
}

/// The head of the document.
pub(super) fn head(title: &str) -> Markup {
    let (style, script) = (source(STYLE), source(SCRIPT));
    // An empty icon keeps browsers from requesting one.
    // If text of a document ever became markup, it could still run nothing and send nothing away.
    let policy = format!(
        "default-src 'none'; style-src {style}; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'"
    );
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            link rel="icon" href="data:,";
            title { (visible(title)) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// The script, after everything that it looks for.
pub(super) fn script() -> Markup {
    html! { script { (PreEscaped(SCRIPT)) } }
}

/// The headline, and notes to read first.
pub(super) fn header(
    report: &Report<'_>,
    title: &str,
    content: &Content<'_, '_>,
    options: &HtmlOptions<'_>,
) -> Markup {
    html! {
        header {
            h1 { (visible(title)) }
            @for Sentence { important, rest } in sentences(report) {
                p { @if !important.is_empty() { strong { (important) } } (rest) }
            }
            (notes(options))
            @if action_counts(report).next().is_some() {
                dl.counts {
                    @for (action, count) in action_counts(report) {
                        div data-a=(keyword(action)) { dt { (action) } dd { (count) } }
                    }
                }
            }
            (lost(content))
        }
    }
}

/// Lines to read first, and the link to the page that this one belongs to.
pub(super) fn notes(options: &HtmlOptions<'_>) -> Markup {
    html! {
        @for note in options.notes {
            p { (visible(note)) }
        }
        @if let Some(link) = options.link.and_then(escape::target).filter(|link| link.len() <= LINK) {
            p { a href=(link) rel="noreferrer" { (link) } }
        }
    }
}

/// Links to what is destroyed or replaced.
pub(super) fn lost(content: &Content<'_, '_>) -> Markup {
    let Content { items, anchors, .. } = content;
    let losses = losses(items);
    html! {
        @if !losses.is_empty() {
            p {
                "Destroyed or replaced: "
                @for (place, (index, item)) in losses.iter().take(NAMES).enumerate() {
                    @if place > 0 { ", " }
                    a href=(format!("#{}", anchors.items[*index])) { code { (visible(&item.name)) } }
                    @if let Some(key) = &item.deposed { " (deposed object " code { (visible(key)) } ")" }
                }
                @if losses.len() > NAMES { " and " (losses.len() - NAMES) " more" }
            }
        }
    }
}

/// The controls of the script, hidden until it runs.
pub(super) fn tools(sections: &[OutlineSection], items: &[OutlineItem<'_, '_>], anchors: &Anchors) -> Markup {
    let filters = filters(sections, items);
    html! {
        div.tools role="search" hidden {
            input id="search" type="search" aria-label="Search" autocomplete="off" spellcheck="false"
                placeholder="Search addresses, types and values" aria-keyshortcuts="/";
            @if filters.len() > 1 {
                details.menu {
                    summary { "Show only" }
                    fieldset aria-label="Show only" {
                        @for filter in &filters {
                            label {
                                input type="checkbox" value=(key(filter, anchors)); " " (filter.title) " "
                                small { (filter.count) }
                            }
                        }
                    }
                }
            }
            output id="status" for="search" {}
            @if items.iter().any(|item| item.is_loss) {
                button type="button" data-do="lost" aria-keyshortcuts="d" title="Next destroyed or replaced" {
                    "Next destroyed"
                }
            }
            button type="button" data-do="fold" { "Fold all" }
            button type="button" data-do="unfold" { "Unfold all" }
            button type="button" data-do="keys" aria-keyshortcuts="?" { "Keys" }
        }
    }
}

/// The name of a filter for the script.
fn key(filter: &OutlineFilter, anchors: &Anchors) -> String {
    filter.action.map_or_else(|| anchors.sections[filter.section].clone(), keyword)
}

/// The keys, which the script shows on request.
pub(super) fn keys() -> Markup {
    let keys = [
        ("/", "search"),
        ("j", "next entry"),
        ("k", "previous entry"),
        ("d", "next destroyed or replaced object"),
        ("c", "copy the address of the entry"),
        ("Enter", "fold or unfold the entry"),
        ("Escape", "clear the search, or close this"),
        ("?", "show these keys"),
    ];
    html! {
        dialog id="keys" aria-labelledby="keys-title" {
            h2 id="keys-title" { "Keys" }
            dl {
                @for (key, meaning) in keys {
                    div { dt { kbd { (key) } } dd { (meaning) } }
                }
            }
            button type="button" data-do="close" { "Close" }
        }
    }
}
