//! The tree of sections, modules and items. The open ones are shown as rows beside the details.

use objchange_plan::Outline;
use objchange_plan::render::OutlineNode;

/// The kind of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Notes to read first.
    Overview,
    /// A section, by its number.
    Section(usize),
    /// A module: the numbers of its section and its group.
    Module(usize, usize),
    /// An item, by its number.
    Item(usize),
}

/// A node of the tree.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Its label, safe to show.
    pub(crate) label: String,
    pub(crate) depth: usize,
    pub(crate) parent: Option<usize>,
    /// The end of the range of nodes below it.
    end: usize,
    pub(crate) is_open: bool,
    /// The number of items below it that pass, and of lost ones among them.
    pub(crate) items: usize,
    pub(crate) losses: usize,
}

/// The nodes, each before those below it, and the rows of the visible ones.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// The visible nodes, from the top.
    pub(crate) rows: Vec<usize>,
    /// The selected node, which always has a row.
    pub(crate) selected: usize,
    /// The first row on the screen.
    pub(crate) top: usize,
}

impl Tree {
    pub(crate) fn new(outline: &Outline<'_, '_>) -> Self {
        let mut nodes = Vec::with_capacity(outline.items.len() + 16);
        push(&mut nodes, Kind::Overview, "Overview".to_owned(), 0, None);
        for (number, section) in outline.sections.iter().enumerate() {
            let parent = push(&mut nodes, Kind::Section(number), section.title.to_owned(), 0, None);
            let modules = section.modules();
            match &modules[..] {
                // There is nothing to tell apart.
                [] => push_items(&mut nodes, outline, (number, 0), 1, parent),
                [only] if only.module.address.is_none() => {
                    push_items(&mut nodes, outline, (number, only.group), 1, parent);
                }
                modules => modules.iter().for_each(|module| {
                    push_module(&mut nodes, outline, module, number, 1, parent);
                }),
            }
            nodes[parent].end = nodes.len();
        }
        Self { nodes, rows: Vec::new(), selected: 0, top: 0 }
    }

    /// Updates the rows: items that pass and the nodes around them. The selected node is kept, if it has a
    /// row.
    pub(crate) fn refresh(&mut self, passes: impl Fn(usize) -> bool, is_loss: impl Fn(usize) -> bool) {
        for node in &mut self.nodes {
            (node.items, node.losses) = (0, 0);
        }
        // Each node comes before those below it. From the end, its counts are complete when they go to its parent.
        for index in (0..self.nodes.len()).rev() {
            if let Kind::Item(item) = self.nodes[index].kind
                && passes(item)
            {
                (self.nodes[index].items, self.nodes[index].losses) = (1, usize::from(is_loss(item)));
            }
            let Node { items, losses, parent, .. } = self.nodes[index];
            if let Some(parent) = parent {
                self.nodes[parent].items += items;
                self.nodes[parent].losses += losses;
            }
        }
        self.rows.clear();
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            let is_shown = node.items > 0 || node.kind == Kind::Overview;
            if is_shown {
                self.rows.push(index);
            }
            index = if is_shown && node.is_open { index + 1 } else { node.end };
        }
        // Rows are in ascending order of their nodes, because they were made from the start to the end.
        if self.rows.binary_search(&self.selected).is_err() {
            self.selected = self.nearest();
        }
    }

    /// The nearest node with a row: the one around the selected node, or the one before it.
    fn nearest(&self) -> usize {
        let mut around = self.nodes[self.selected].parent;
        while let Some(node) = around {
            if self.rows.binary_search(&node).is_ok() {
                return node;
            }
            around = self.nodes[node].parent;
        }
        let after = self.rows.partition_point(|row| *row < self.selected);
        // The overview always has a row, so there is one even when nothing passes.
        self.rows[after.saturating_sub(1)]
    }

    /// The row of the selected node.
    pub(crate) fn row(&self) -> usize {
        self.rows.binary_search(&self.selected).unwrap_or_default()
    }

    /// Selects the node this many rows further down, or up.
    pub(crate) fn step(&mut self, rows: isize) {
        self.select_row(self.row().saturating_add_signed(rows));
    }

    /// Selects the node of a row, or of the last one.
    pub(crate) fn select_row(&mut self, row: usize) {
        if let Some(node) = self.rows.get(row).or(self.rows.last()) {
            self.selected = *node;
        }
    }

    /// Selects a node that passes, and opens everything around it.
    pub(crate) fn reveal(&mut self, node: usize) {
        let mut around = self.nodes[node].parent;
        while let Some(index) = around {
            self.nodes[index].is_open = true;
            around = self.nodes[index].parent;
        }
        self.selected = node;
    }

    /// The next passing item after or before the selected node, even in closed modules. After the last one comes the first.
    pub(crate) fn next_item(&self, forward: bool, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let count = self.nodes.len();
        (1..=count)
            .map(|step| (self.selected + if forward { step } else { count - step }) % count)
            .find(|index| matches!(self.nodes[*index].kind, Kind::Item(item) if self.nodes[*index].items > 0 && wanted(item)))
    }

    /// The selected node.
    pub(crate) fn node(&self) -> &Node {
        &self.nodes[self.selected]
    }

    /// The number of items that pass.
    pub(crate) fn found(&self) -> usize {
        self.nodes.iter().filter(|node| node.parent.is_none()).map(|node| node.items).sum()
    }

    /// Whether there are nodes below this one.
    pub(crate) fn has_inside(&self, node: usize) -> bool {
        self.nodes[node].end > node + 1
    }

    /// Opens or closes all nodes.
    pub(crate) fn set_all_open(&mut self, is_open: bool) {
        self.nodes.iter_mut().for_each(|node| node.is_open = is_open);
    }

    /// Moves the rows on the screen so that the selected one is among them.
    pub(crate) fn scroll_to_selected(&mut self, height: usize) {
        let row = self.row();
        self.top = self.top.clamp((row + 1).saturating_sub(height.max(1)), row);
    }

    /// Moves the rows on the screen.
    pub(crate) fn scroll(&mut self, rows: isize, height: usize) {
        let last = self.rows.len().saturating_sub(height.max(1));
        self.top = self.top.saturating_add_signed(rows).min(last);
    }
}

/// Adds a node, and returns its position.
fn push(nodes: &mut Vec<Node>, kind: Kind, label: String, depth: usize, parent: Option<usize>) -> usize {
    let end = nodes.len() + 1;
    nodes.push(Node { kind, label, depth, parent, end, is_open: true, items: 0, losses: 0 });
    nodes.len() - 1
}

/// Adds a module: its items, then its inner modules. The outline limits the depth.
fn push_module(
    nodes: &mut Vec<Node>,
    outline: &Outline<'_, '_>,
    module: &OutlineNode<'_>,
    section: usize,
    depth: usize,
    parent: usize,
) {
    let label = objchange_text::visible(module.label).into_owned();
    let node = push(nodes, Kind::Module(section, module.group), label, depth, Some(parent));
    push_items(nodes, outline, (section, module.group), depth + 1, node);
    for inside in &module.inside {
        push_module(nodes, outline, inside, section, depth + 1, node);
    }
    nodes[node].end = nodes.len();
}

/// Adds the items of a group.
fn push_items(
    nodes: &mut Vec<Node>,
    outline: &Outline<'_, '_>,
    group: (usize, usize),
    depth: usize,
    parent: usize,
) {
    let start = outline.items.partition_point(|item| (item.section, item.group) < group);
    let of_group = outline.items[start..].iter().take_while(|item| (item.section, item.group) == group);
    for (index, item) in of_group.enumerate() {
        push(nodes, Kind::Item(start + index), outline.label(item), depth, Some(parent));
    }
}
