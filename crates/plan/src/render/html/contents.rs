//! The sections of the page and the tree of modules, as links.

use maud::{Markup, html};
use objchange_text::visible;

use std::ops::Range;

use super::super::outline::{OutlineNode, tree};
use super::content::{Content, Heading};

/// The contents of the page.
pub(super) fn contents(content: &Content<'_, '_>, headings: &[Heading<'_>]) -> Markup {
    html! {
        nav aria-label="Contents" {
            @if headings.is_empty() {
                (sections(content, 0..content.sections.len()))
            } @else {
                ul {
                    @for (index, of_report) in content.sections_of_reports().enumerate() {
                        li {
                            a href=(format!("#{}", content.anchors.reports[index])) { (visible(headings[index].name)) }
                            (sections(content, of_report))
                        }
                    }
                }
            }
        }
    }
}

fn sections(content: &Content<'_, '_>, range: Range<usize>) -> Markup {
    html! {
        ul {
            @for index in range {
                li {
                    a href=(format!("#{}", content.anchors.sections[index])) { (content.sections[index].title) }
                    (list(&tree(&content.sections[index].groups), &content.anchors.groups[index]))
                }
            }
        }
    }
}

fn list(nodes: &[OutlineNode<'_>], anchors: &[String]) -> Markup {
    html! {
        @if !nodes.is_empty() {
            ul {
                @for node in nodes {
                    li {
                        a href=(format!("#{}", anchors[node.group])) { (visible(node.label)) }
                        " "
                        small { (node.module.counts()) }
                        (list(&node.inside, anchors))
                    }
                }
            }
        }
    }
}
