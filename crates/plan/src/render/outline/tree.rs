//! The modules of a section, each with those inside of it.

use objchange::address::steps;

use super::OutlineModule;

/// The maximum depth of nested modules. Deeper ones are listed beside those at this depth.
const MAX_DEPTH: usize = 16;

/// A module with those inside of it that have something on the page.
#[derive(Debug)]
pub struct OutlineNode<'s> {
    /// The address relative to the module around it, as written in the document; `Root module` for the root
    /// module.
    pub label: &'s str,
    /// The module.
    pub module: &'s OutlineModule,
    /// Its number among the groups of the section.
    pub group: usize,
    /// The modules inside of it.
    pub inside: Vec<OutlineNode<'s>>,
}

/// A step of an address: the name, and the key as a number or a text.
type Step<'s> = (&'s str, Option<u64>, &'s str);

/// The modules, a module before those inside of it, those beside each other by address.
pub(super) fn tree(groups: &[Option<OutlineModule>]) -> Vec<OutlineNode<'_>> {
    let mut modules: Vec<(Vec<Step<'_>>, &OutlineModule, usize)> = groups
        .iter()
        .enumerate()
        .filter_map(|(group, module)| {
            let module = module.as_ref()?;
            let address = module.address.as_deref().unwrap_or_default();
            let number = |key: &str| key.trim_matches(['[', ']']).parse().ok();
            let steps = steps(address).map(|step| (step.name, number(step.key), step.key));
            let steps = if address.is_empty() { Vec::new() } else { steps.collect() };
            Some((steps, module, group))
        })
        .collect();
    modules.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    let mut top = Vec::new();
    // The modules around the next one, the outermost first, each with its steps.
    let mut around: Vec<(Vec<Step<'_>>, OutlineNode<'_>)> = Vec::new();
    for (steps, module, group) in modules {
        let is_around =
            |(outer, _): &(Vec<Step<'_>>, OutlineNode<'_>)| !outer.is_empty() && steps.starts_with(outer);
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
        around.push((steps, OutlineNode { label, module, group, inside: Vec::new() }));
    }
    while !around.is_empty() {
        close(&mut around, &mut top);
    }
    top
}

/// Puts the innermost module into the one around it.
fn close<'s>(around: &mut Vec<(Vec<Step<'s>>, OutlineNode<'s>)>, top: &mut Vec<OutlineNode<'s>>) {
    if let Some((_, node)) = around.pop() {
        around.last_mut().map_or(top, |(_, outer)| &mut outer.inside).push(node);
    }
}

/// Sorts modules beside each other in the order of the page: by what happens in them, or in one inside of them.
pub(super) fn sort_by_group(nodes: &mut [OutlineNode<'_>]) {
    nodes.sort_by_cached_key(first_group);
    nodes.iter_mut().for_each(|node| sort_by_group(&mut node.inside));
}

/// No module is deeper than `MAX_DEPTH`, so this visits each a few times at most.
fn first_group(node: &OutlineNode<'_>) -> usize {
    node.inside.iter().map(first_group).fold(node.group, usize::min)
}
