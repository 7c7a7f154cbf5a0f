//! The tree of packages and rules.

use super::program::{Node, NodeId};

#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

impl Tree {
    pub(super) fn new() -> Self {
        Self { nodes: vec![Node::default()] }
    }

    pub(super) fn insert(&mut self, path: &[String]) -> NodeId {
        let mut at = 0;
        for (index, name) in path.iter().enumerate() {
            at = match self.node(at).children.get(name) {
                Some(child) => *child,
                None => {
                    let child = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
                    self.nodes.push(Node { path: path[..=index].to_vec(), ..Node::default() });
                    self.nodes[at as usize].children.insert(name.clone(), child);
                    child
                }
            };
        }
        at
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// How far a path leads, and how many of its names that takes.
    pub(super) fn follow<'a>(&self, path: impl Iterator<Item = &'a str>) -> (NodeId, usize) {
        let mut at = 0;
        let mut taken = 0;
        for name in path {
            let Some(child) = self.node(at).children.get(name) else { break };
            at = *child;
            taken += 1;
        }
        (at, taken)
    }

    /// Completes the nodes, when all are there.
    pub(super) fn finish(&mut self) {
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            let Node { above, rule, children, .. } = self.node(node);
            let above = above.or(rule.map(|_| node));
            let children: Vec<NodeId> = children.values().copied().collect();
            for child in children {
                self.nodes[child as usize].above = above;
                pending.push(child);
            }
        }
        for node in &mut self.nodes {
            // The order of a hash map differs from run to run, and results must not.
            node.names = node.children.keys().cloned().collect();
            node.names.sort();
        }
    }
}
