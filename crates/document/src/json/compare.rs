//! When values are equal.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::tree::{Node, Tag, Tree};
use super::{Elements, Members, View};

impl PartialEq for View<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same_shape(other)
    }
}

impl View<'_, '_> {
    fn is_same_shape(&self, other: &View<'_, '_>) -> bool {
        if Arc::ptr_eq(self.tree, other.tree) && self.node == other.node {
            return true;
        }
        use Tag::{
            Array, Borrowed, LargeArray, LargeObject, MadeNumber, Number, Object, Unescaped, Verbatim,
        };
        match (self.node.tag, other.node.tag) {
            (Number | MadeNumber, Number | MadeNumber)
            | (Verbatim | Unescaped | Borrowed, Verbatim | Unescaped | Borrowed) => {
                self.tree.bytes(self.node) == other.tree.bytes(other.node)
            }
            (Array | LargeArray, Array | LargeArray) | (Object | LargeObject, Object | LargeObject) => {
                let (a, b) = (self.tree.parts(self.node), other.tree.parts(other.node));
                parts_equal((self.tree, a), (other.tree, b))
            }
            (a, b) => a == b,
        }
    }
}

/// Shared nodes are equal without a look inside.
fn parts_equal<'t>(a: (&Arc<Tree<'t>>, &[Node]), b: (&Arc<Tree<'_>>, &[Node])) -> bool {
    let views = || std::iter::zip(a.1, b.1);
    std::ptr::eq(a.1, b.1)
        || a.1.len() == b.1.len()
            && views().all(|(x, y)| View { tree: a.0, node: x }.is_same_shape(&View { tree: b.0, node: y }))
}

impl Eq for View<'_, '_> {}

impl PartialEq for Elements<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        parts_equal((self.tree, self.nodes), (other.tree, other.nodes))
    }
}

impl Eq for Elements<'_, '_> {}

impl PartialEq for Members<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        parts_equal((self.tree, self.nodes.as_flattened()), (other.tree, other.nodes.as_flattened()))
    }
}

impl Eq for Members<'_, '_> {}

impl Hash for View<'_, '_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        use Tag::{
            Array, Borrowed, False, LargeArray, LargeObject, MadeNumber, Null, Number, Object, True,
            Unescaped, Verbatim,
        };
        match self.node.tag {
            Null => 0u8.hash(state),
            False | True => (1u8, self.is_true()).hash(state),
            Number | MadeNumber => (2u8, self.tree.bytes(self.node)).hash(state),
            Verbatim | Unescaped | Borrowed => (3u8, self.tree.bytes(self.node)).hash(state),
            Array | LargeArray | Object | LargeObject => {
                let parts = self.tree.parts(self.node);
                let is_array = matches!(self.node.tag, Array | LargeArray);
                (if is_array { 4u8 } else { 5u8 }, parts.len()).hash(state);
                parts.iter().for_each(|node| View { tree: self.tree, node }.hash(state));
            }
        }
    }
}
