//! The sections of the page and the tree of modules, as links.

use maud::{Markup, html};
use objchange::address::steps;
use objchange_text::visible;

use super::super::outline::{Module, Section};
use super::anchors::Anchors;

/// How deep lists are in each other. Modules further down are listed beside those at this depth.
const MAX_DEPTH: usize = 16;

/// The contents of the page.
pub(super) fn contents(sections: &[Section], anchors: &Anchors) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for (index, section) in sections.iter().enumerate() {
                    li {
                        a href=(format!("#{}", anchors.sections[index])) { (section.title) }
                        (list(&tree(&section.groups, &anchors.groups[index])))
                    }
                }
            }
        }
    }
}

/// A module with those inside of it that are on the page.
struct Node<'s> {
    /// What of the address is not that of the module around it.
    label: &'s str,
    module: &'s Module,
    anchor: &'s str,
    inside: Vec<Node<'s>>,
}

fn list(nodes: &[Node<'_>]) -> Markup {
    html! {
        @if !nodes.is_empty() {
            ul {
                @for node in nodes {
                    li {
                        a href=(format!("#{}", node.anchor)) { (visible(node.label)) }
                        " "
                        small { (node.module.counts()) }
                        (list(&node.inside))
                    }
                }
            }
        }
    }
}

/// A step of an address: the name, and the key as a number or a text.
type Step<'s> = (&'s str, Option<u64>, &'s str);

fn tree<'s>(groups: &'s [Option<Module>], anchors: &'s [String]) -> Vec<Node<'s>> {
    let mut modules: Vec<(Vec<Step<'_>>, &Module, &str)> = groups
        .iter()
        .zip(anchors)
        .filter_map(|(module, anchor)| {
            let module = module.as_ref()?;
            let address = module.address.as_deref().unwrap_or_default();
            let number = |key: &str| key.trim_matches(['[', ']']).parse().ok();
            let steps = steps(address).map(|step| (step.name, number(step.key), step.key));
            let steps = if address.is_empty() { Vec::new() } else { steps.collect() };
            Some((steps, module, anchor.as_str()))
        })
        .collect();
    // A module comes before those inside of it.
    modules.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    let mut top = Vec::new();
    // The modules around the next one, the outermost first, each with its steps.
    let mut around: Vec<(Vec<Step<'_>>, Node<'_>)> = Vec::new();
    for (steps, module, anchor) in modules {
        let is_around =
            |(outer, _): &(Vec<Step<'_>>, Node<'_>)| !outer.is_empty() && steps.starts_with(outer);
        while around.last().is_some_and(|last| around.len() == MAX_DEPTH || !is_around(last)) {
            close(&mut around, &mut top);
        }
        let outer = around.last().and_then(|(_, node)| node.module.address.as_deref());
        let address = module.address.as_deref();
        let label = match (address, outer) {
            (Some(address), Some(outer)) => address.get(outer.len() + 1..).unwrap_or(address),
            (Some(address), None) => address,
            (None, _) => "Root module",
        };
        around.push((steps, Node { label, module, anchor, inside: Vec::new() }));
    }
    while !around.is_empty() {
        close(&mut around, &mut top);
    }
    top
}

/// Puts the innermost module into the one around it.
fn close<'s>(around: &mut Vec<(Vec<Step<'s>>, Node<'s>)>, top: &mut Vec<Node<'s>>) {
    if let Some((_, node)) = around.pop() {
        around.last_mut().map_or(top, |(_, outer)| &mut outer.inside).push(node);
    }
}
