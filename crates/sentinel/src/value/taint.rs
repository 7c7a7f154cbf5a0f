//! Sets of reads of unknown values, on which other values depend.

use std::collections::{HashMap, HashSet};

use super::SourcePlace;

/// A set of reads of unknown values, by its index in [`Taints`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Taint(u32);

impl Taint {
    pub(crate) const NONE: Taint = Taint(0);

    pub(crate) fn is_some(self) -> bool {
        self != Taint::NONE
    }
}

/// A read of an unknown value: its name, and the place of the read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    pub(crate) what: String,
    pub(crate) place: SourcePlace,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Access(u32),
    Both(Taint, Taint),
}

/// The sets of reads in a run. Each is one read, or the union of two others.
#[derive(Debug, Default)]
pub(crate) struct Taints {
    nodes: Vec<Node>,
    looks: Vec<Access>,
    known: HashMap<Access, Taint>,
    joined: HashMap<(Taint, Taint), Taint>,
}

impl Taints {
    fn push(&mut self, node: Node) -> Taint {
        self.nodes.push(node);
        // A run reaches its memory limit long before it has 4 Gi of them.
        Taint(self.nodes.len() as u32)
    }

    pub(crate) fn look(&mut self, what: String, place: SourcePlace) -> Taint {
        let look = Access { what, place };
        // A loop may read one value at one place thousands of times.
        if let Some(taint) = self.known.get(&look) {
            return *taint;
        }
        self.looks.push(look.clone());
        let taint = self.push(Node::Access((self.looks.len() - 1) as u32));
        self.known.insert(look, taint);
        taint
    }

    pub(crate) fn join(&mut self, a: Taint, b: Taint) -> Taint {
        let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        if a == Taint::NONE || a == b {
            return b;
        }
        // The common case of a chain of unions with one set.
        if let Some(Node::Both(left, right)) = self.nodes.get(b.0 as usize - 1)
            && (*left == a || *right == a)
        {
            return b;
        }
        if let Some(taint) = self.joined.get(&(a, b)) {
            return *taint;
        }
        let taint = self.push(Node::Both(a, b));
        self.joined.insert((a, b), taint);
        taint
    }

    /// The approximate memory that the sets take.
    pub(crate) fn bytes(&self) -> usize {
        // Includes the table of unions.
        40 * self.nodes.len() + 128 * self.looks.len()
    }

    /// The reads of a set, in the order of their creation.
    pub(crate) fn looks(&self, taint: Taint) -> Vec<&Access> {
        let mut seen = HashSet::new();
        let mut waiting = vec![taint];
        let mut found = Vec::new();
        while let Some(taint) = waiting.pop() {
            let Some(index) = (taint.0 as usize).checked_sub(1) else { continue };
            if !seen.insert(index) {
                continue;
            }
            match self.nodes[index] {
                Node::Access(look) => found.push(look),
                Node::Both(a, b) => waiting.extend([a, b]),
            }
        }
        found.sort_unstable();
        found.into_iter().map(|look| &self.looks[look as usize]).collect()
    }
}
