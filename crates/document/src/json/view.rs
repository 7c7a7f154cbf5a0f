//! Looking at values.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::Json;
use super::tree::{Node, Tag, Tree};
use crate::text::Text;

/// A JSON value or a part of one, to look at.
#[derive(Clone, Copy)]
pub struct View<'v, 't> {
    pub(super) tree: &'v Arc<Tree<'t>>,
    pub(super) node: &'v Node,
}

/// The type and content of a JSON value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape<'v, 't> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written.
    Number(&'v str),
    /// A string, its escapes resolved.
    String(&'v str),
    /// The elements in order.
    Array(Elements<'v, 't>),
    /// The members, sorted by key; of a repeated key the last one counts.
    Object(Members<'v, 't>),
}

/// The elements of an array.
#[derive(Clone, Copy)]
pub struct Elements<'v, 't> {
    pub(super) tree: &'v Arc<Tree<'t>>,
    pub(super) nodes: &'v [Node],
}

/// The members of an object, sorted by key.
#[derive(Clone, Copy)]
pub struct Members<'v, 't> {
    pub(super) tree: &'v Arc<Tree<'t>>,
    pub(super) nodes: &'v [[Node; 2]],
}

impl<'v, 't> View<'v, 't> {
    /// The type and content of the value.
    #[inline]
    pub fn shape(self) -> Shape<'v, 't> {
        match self.node.tag {
            Tag::Null => Shape::Null,
            Tag::False => Shape::Bool(false),
            Tag::True => Shape::Bool(true),
            Tag::Number | Tag::MadeNumber => Shape::Number(self.tree.str(self.node)),
            Tag::Verbatim | Tag::Unescaped | Tag::Borrowed => Shape::String(self.tree.str(self.node)),
            Tag::Array | Tag::LargeArray => Shape::Array(self.elements()),
            Tag::Object | Tag::LargeObject => Shape::Object(self.members()),
        }
    }

    /// The member of this name, if this is an object that has it.
    pub fn get(self, key: &str) -> Option<View<'v, 't>> {
        self.members().find(key).ok().map(|(_, value)| value)
    }

    /// Like [`View::get`], for names that are asked for in their order: `at` is where the next one is
    /// expected.
    #[inline]
    pub fn get_next(self, key: &str, at: &mut u32) -> Option<View<'v, 't>> {
        let members = self.members();
        if members.nodes.is_empty() {
            return None;
        }
        let index = *at as usize;
        let order = |member: &[Node; 2]| self.tree.bytes(&member[0]).cmp(key.as_bytes());
        let expected = members.nodes.get(index).map(|member| (member, order(member)));
        if let Some(([_, value], Ordering::Equal)) = expected {
            *at += 1;
            return Some(View { node: value, ..self });
        }
        let is_before_expected = expected.is_none_or(|(_, order)| order.is_gt());
        if is_before_expected && (index == 0 || order(&members.nodes[index - 1]).is_lt()) {
            return None;
        }
        match members.find(key) {
            Ok((found, value)) => {
                *at = found as u32 + 1;
                Some(value)
            }
            Err(place) => {
                *at = place as u32;
                None
            }
        }
    }

    /// The members of an object; none for every other value.
    #[inline]
    pub fn members(self) -> Members<'v, 't> {
        let nodes = match self.node.tag {
            Tag::Object | Tag::LargeObject => self.tree.parts(self.node).as_chunks().0,
            _ => &[],
        };
        Members { tree: self.tree, nodes }
    }

    /// The elements of an array; none for every other value.
    #[inline]
    pub fn elements(self) -> Elements<'v, 't> {
        let nodes = match self.node.tag {
            Tag::Array | Tag::LargeArray => self.tree.parts(self.node),
            _ => &[],
        };
        Elements { tree: self.tree, nodes }
    }

    /// The text of a string.
    #[inline]
    pub fn as_str(self) -> Option<&'v str> {
        match self.node.tag {
            Tag::Verbatim | Tag::Unescaped | Tag::Borrowed => Some(self.tree.str(self.node)),
            _ => None,
        }
    }

    /// The text of a string or number, borrowed from the document if it is there as it is.
    #[inline]
    pub fn text(self) -> Option<Text<'t>> {
        match self.node.tag {
            Tag::Verbatim | Tag::Number => Some(Text::from(self.tree.verbatim(self.node))),
            Tag::Borrowed => Some(Text::from(self.tree.borrowed(self.node))),
            Tag::Unescaped | Tag::MadeNumber => Some(Text::from(self.tree.str(self.node).to_owned())),
            _ => None,
        }
    }

    /// Whether this may be JSON or a string of several lines. A string that is stored verbatim has no control
    /// characters.
    #[inline]
    pub fn is_special_string(self) -> bool {
        let is_json = || matches!(self.tree.bytes(self.node).first(), Some(b'{' | b'['));
        match self.node.tag {
            Tag::Verbatim => is_json(),
            Tag::Unescaped | Tag::Borrowed => {
                is_json() || memchr::memchr(b'\n', self.tree.bytes(self.node)).is_some()
            }
            _ => false,
        }
    }

    /// Whether this is `""`.
    #[inline]
    pub fn is_empty_string(self) -> bool {
        matches!(self.node.tag, Tag::Verbatim | Tag::Unescaped | Tag::Borrowed)
            && self.tree.bytes(self.node).is_empty()
    }

    /// Whether this is `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        self.node.tag == Tag::Null
    }

    /// Whether this is `true`.
    #[inline]
    pub fn is_true(self) -> bool {
        self.node.tag == Tag::True
    }

    /// Whether this is `true` or `false`.
    #[inline]
    pub fn is_bool(self) -> bool {
        matches!(self.node.tag, Tag::True | Tag::False)
    }

    /// Whether this is an array or object without parts.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.node.is_empty_list()
    }

    /// Whether `true` stands anywhere inside.
    pub fn has_true(self) -> bool {
        let parts = self.tree.parts(self.node);
        self.is_true() || parts.iter().any(|node| View { node, ..self }.has_true())
    }

    /// `null`, whatever this is.
    #[inline]
    pub fn null(self) -> Self {
        View { node: &Node::NULL, ..self }
    }

    /// `true` or `false`, whatever this is.
    #[inline]
    pub fn bool(self, value: bool) -> Self {
        View { node: if value { &Node::TRUE } else { &Node::FALSE }, ..self }
    }

    /// Whether both are one value that was read once. Where they are not, they may be equal all the same.
    #[inline]
    pub fn is_same(self, other: Self) -> bool {
        Arc::ptr_eq(self.tree, other.tree) && self.node == other.node
    }

    /// A value of its own that shares the tree.
    #[inline]
    pub fn to_json(self) -> Json<'t> {
        Json { tree: Arc::clone(self.tree), root: *self.node }
    }

    /// Whether these marks fit a value: they have its shape, or mark nothing that it does not have. See [`marks_or_all`].
    ///
    /// [`marks_or_all`]: super::marks_or_all
    pub fn can_mark(self, value: View<'_, '_>) -> bool {
        match (self.shape(), value.shape()) {
            (Shape::Null | Shape::Bool(_), _) => true,
            (Shape::Number(_) | Shape::String(_), _) => false,
            (Shape::Object(marks), Shape::Object(_) | Shape::Null) => {
                marks.iter().all(|(key, marks)| marks.can_mark(value.get(key).unwrap_or(value.null())))
            }
            (Shape::Array(marks), Shape::Array(_) | Shape::Null) => marks
                .iter()
                .enumerate()
                .all(|(i, marks)| marks.can_mark(value.elements().get(i).unwrap_or(value.null()))),
            _ => !self.says_something(),
        }
    }

    /// Whether these marks mark anything, or hold a word or a number, which nobody can take for a mark.
    pub(crate) fn says_something(self) -> bool {
        self.has_true() || self.has_word()
    }

    pub(super) fn has_word(self) -> bool {
        match self.shape() {
            Shape::Number(_) | Shape::String(_) => true,
            Shape::Null | Shape::Bool(_) => false,
            Shape::Array(elements) => elements.iter().any(View::has_word),
            Shape::Object(members) => members.iter().any(|(_, member)| member.has_word()),
        }
    }
}

impl<'v, 't> Elements<'v, 't> {
    /// How many there are.
    #[inline]
    pub fn len(self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(self) -> bool {
        self.nodes.is_empty()
    }

    /// The element at a position.
    #[inline]
    pub fn get(self, index: usize) -> Option<View<'v, 't>> {
        self.nodes.get(index).map(|node| View { tree: self.tree, node })
    }

    /// The element at a position.
    ///
    /// # Panics
    ///
    /// The position is out of range.
    #[inline]
    pub fn at(self, index: usize) -> View<'v, 't> {
        View { tree: self.tree, node: &self.nodes[index] }
    }

    /// All, in their order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = View<'v, 't>> + DoubleEndedIterator {
        self.nodes.iter().map(move |node| View { tree: self.tree, node })
    }

    /// Whether both are the elements of one and the same array.
    pub fn are_same(self, other: Self) -> bool {
        std::ptr::eq(self.nodes, other.nodes)
    }
}

impl<'v, 't> Members<'v, 't> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no members.
    pub fn is_empty(self) -> bool {
        self.nodes.is_empty()
    }

    /// The keys and values.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (&'v str, View<'v, 't>)> {
        self.nodes.iter().map(move |[key, value]| (self.tree.str(key), View { tree: self.tree, node: value }))
    }

    /// The key and value at a position.
    #[inline]
    pub fn at_position(self, position: usize) -> Option<(&'v str, View<'v, 't>)> {
        let [key, value] = self.nodes.get(position)?;
        Some((self.tree.str(key), View { tree: self.tree, node: value }))
    }

    /// The value at a position.
    #[inline]
    pub fn value_at(self, position: usize) -> Option<View<'v, 't>> {
        self.nodes.get(position).map(|[_, value]| View { tree: self.tree, node: value })
    }

    /// Where a key is.
    pub fn position(self, key: &str) -> Option<usize> {
        self.find(key).ok().map(|(position, _)| position)
    }

    /// Like [`Members::position`], for one that is likely to be near: objects of one kind have their keys in
    /// one order.
    pub fn position_near(self, key: &str, guess: usize) -> Option<usize> {
        let is_there = self.nodes.get(guess).is_some_and(|[k, _]| self.tree.bytes(k) == key.as_bytes());
        if is_there { Some(guess) } else { self.position(key) }
    }

    /// The keys, in the order of their bytes.
    pub fn keys(self) -> impl Iterator<Item = Text<'t>> {
        (0..self.len()).map(move |index| self.key(index))
    }

    /// The key at a position.
    pub fn key(self, index: usize) -> Text<'t> {
        View { tree: self.tree, node: &self.nodes[index][0] }.text().unwrap_or_default()
    }

    /// Whether each key of `other` is one of these, too.
    pub fn has_keys_of(self, other: Self) -> bool {
        let mut keys = self.nodes.iter().map(|[key, _]| self.tree.bytes(key));
        let mut wanted = other.nodes.iter().map(|[key, _]| other.tree.bytes(key));
        std::ptr::eq(self.nodes, other.nodes)
            || (other.len() <= self.len() && wanted.all(|wanted| keys.any(|key| key == wanted)))
    }

    fn find(self, key: &str) -> Result<(usize, View<'v, 't>), usize> {
        // The order of UTF-8 is that of its bytes, which need no check where characters begin.
        let found = self.nodes.binary_search_by(|[k, _]| self.tree.bytes(k).cmp(key.as_bytes()))?;
        Ok((found, View { tree: self.tree, node: &self.nodes[found][1] }))
    }
}

/// Shows the shape alone: a value may be secret.
impl fmt::Debug for View<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape().fmt(f)
    }
}

/// Shows the shape alone: a value may be secret.
impl fmt::Debug for Shape<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Null => f.write_str("null"),
            Shape::Bool(_) => f.write_str("bool"),
            Shape::Number(_) => f.write_str("number"),
            Shape::String(_) => f.write_str("string"),
            Shape::Array(elements) => elements.fmt(f),
            Shape::Object(members) => members.fmt(f),
        }
    }
}

impl fmt::Debug for Elements<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "array of {}", self.len())
    }
}

impl fmt::Debug for Members<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object of {}", self.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_in_any_order_are_found_where_they_are(
            names in proptest::collection::btree_set("[a-d]{1,2}", 0..6),
            asked in proptest::collection::vec("[a-d]{1,2}", 0..12),
        ) {
            let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":\"{name}\"")).collect();
            let text = format!("{{{}}}", members.join(","));
            let object = Json::parse(&text).unwrap();
            let mut at = 0;
            for name in &asked {
                let found = object.view().get_next(name, &mut at);
                prop_assert_eq!(found, object.view().get(name));
                prop_assert_eq!(found.is_some(), names.contains(name));
            }
        }
    }
}
