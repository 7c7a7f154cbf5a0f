//! The sections of the page and the tree of modules, as links.

use maud::{Markup, html};
use objchange_text::visible;

use super::super::outline::{OutlineNode, OutlineSection, tree};
use super::anchors::Anchors;

/// The contents of the page.
pub(super) fn contents(sections: &[OutlineSection], anchors: &Anchors) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for (index, section) in sections.iter().enumerate() {
                    li {
                        a href=(format!("#{}", anchors.sections[index])) { (section.title) }
                        (list(&tree(&section.groups), &anchors.groups[index]))
                    }
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
