//! The canonical form of one side of a change: its value, its unknown and its sensitive parts, as one tree,
//! and the bytes of that tree. Two sides have the same bytes if and only if they are the same.
//!
//! Nothing is in it that does not change what is done: the order of keys and of the elements of sets, how a number is
//! written, and attributes of the object that are null. Comparisons and hashes both go by these bytes, so that they
//! cannot disagree.

mod number;
mod schema_part;

use std::ops::Range;

pub(crate) use schema_part::SchemaPart;

use self::number::CanonicalNumber;
use crate::ignore::{IgnoredPaths, Matching};
use crate::walk::Sides;
use objchange_document::Text;
use objchange_document::json::{Members, Shape, View};

/// One side of a change in its canonical form.
pub(crate) struct Canonical<'v, 't> {
    root: Node<'v, 't>,
    bytes: Vec<u8>,
}

/// A part of a side.
pub(crate) struct Node<'v, 't> {
    pub(crate) kind: NodeKind<'v, 't>,
    /// Where its bytes are, from the beginning of those of the part around it.
    start: usize,
    len: usize,
}

/// The kind of a node.
pub(crate) enum NodeKind<'v, 't> {
    Null,
    Unknown,
    /// A bool, a number or a string.
    Scalar(View<'v, 't>),
    /// A list, a tuple, or an array that no schema calls a set.
    List(Vec<Node<'v, 't>>),
    /// A set: its elements in the order of their bytes.
    Set(Vec<Node<'v, 't>>),
    /// An object or a map: its members in the order of their keys.
    Object(Vec<(Text<'t>, Node<'v, 't>)>),
    /// Something that must not be shown.
    Sensitive(Box<Node<'v, 't>>),
}

impl Node<'_, '_> {
    /// Whether it or anything in it must not be shown.
    pub(crate) fn has_secret(&self) -> bool {
        match &self.kind {
            NodeKind::Sensitive(_) => true,
            NodeKind::List(parts) | NodeKind::Set(parts) => parts.iter().any(Node::has_secret),
            NodeKind::Object(members) => members.iter().any(|(_, part)| part.has_secret()),
            NodeKind::Null | NodeKind::Unknown | NodeKind::Scalar(_) => false,
        }
    }
}

/// A part, and where its bytes are.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'n, 'v, 't> {
    pub(crate) node: &'n Node<'v, 't>,
    start: usize,
    bytes: &'n [u8],
}

impl<'v, 't> Canonical<'v, 't> {
    /// The whole side.
    pub(crate) fn root(&self) -> Placed<'_, 'v, 't> {
        Placed { node: &self.root, start: 0, bytes: &self.bytes }
    }

    /// The bytes of the whole side.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl<'n, 'v, 't> Placed<'n, 'v, 't> {
    /// A part of this one.
    pub(crate) fn part(self, node: &'n Node<'v, 't>) -> Self {
        Self { node, start: self.start + node.start, bytes: self.bytes }
    }

    /// Its bytes.
    pub(crate) fn own_bytes(self) -> &'n [u8] {
        &self.bytes[self.start..self.start + self.node.len]
    }

    /// Whether both are the same.
    pub(crate) fn is_same(self, other: Placed<'_, '_, '_>) -> bool {
        self.own_bytes() == other.own_bytes()
    }
}

/// Whether secrets are in the canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// They are, as everything else.
    Included,
    /// In their place it says that there is one, and whether it is unknown.
    LeftOut,
}

/// One side of a change, to be made canonical.
#[derive(Clone, Copy)]
pub(crate) struct Side<'v, 't> {
    pub(crate) value: View<'v, 't>,
    /// The marks of unknown parts.
    pub(crate) unknown: View<'v, 't>,
    /// The marks of sensitive parts.
    pub(crate) sensitive: View<'v, 't>,
}

impl<'v, 't> Side<'v, 't> {
    /// The side before a change.
    pub(crate) fn before(sides: &'v Sides<'t>) -> Self {
        let value = sides.before.view();
        Self { value, unknown: value.bool(false), sensitive: sides.before_sensitive.view() }
    }

    /// The side after a change.
    pub(crate) fn after(sides: &'v Sides<'t>) -> Self {
        Self {
            value: sides.after.view(),
            unknown: sides.unknown.view(),
            sensitive: sides.after_sensitive.view(),
        }
    }
}

/// Facts collected during the walk.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Notes {
    /// There is a set of several elements: without its schema it would be a list.
    pub(crate) has_sets: bool,
    /// The number of sensitive values.
    pub(crate) secrets: usize,
}

/// Writes sides in their canonical form.
pub(crate) struct CanonicalWriter<'i> {
    secrets: Secrets,
    ignored: &'i IgnoredPaths,
    pub(crate) notes: Notes,
    /// The bytes of the side that is being made.
    bytes: Vec<u8>,
}

impl<'i> CanonicalWriter<'i> {
    pub(crate) fn new(secrets: Secrets, ignored: &'i IgnoredPaths) -> Self {
        Self { secrets, ignored, notes: Notes::default(), bytes: Vec::new() }
    }

    /// The canonical form of a side of an object with these addresses, which the names lead to in paths to be ignored.
    pub(crate) fn side<'v, 't>(
        &mut self,
        side: Side<'v, 't>,
        schema: SchemaPart<'_>,
        addresses: &[&str],
        prefix: &[&str],
    ) -> Canonical<'v, 't> {
        self.bytes = Vec::with_capacity(256);
        let matching = prefix.iter().try_fold(self.ignored.start(addresses), |at, name| at.member(name));
        let root = match matching {
            Some(matching) => self.node(side, schema, &matching, 0, true),
            None => self.leaf(b'n', NodeKind::Null, 0),
        };
        Canonical { root, bytes: std::mem::take(&mut self.bytes) }
    }

    fn leaf<'v, 't>(&mut self, tag: u8, kind: NodeKind<'v, 't>, around: usize) -> Node<'v, 't> {
        let start = self.bytes.len();
        self.bytes.push(tag);
        Node { kind, start: start - around, len: 1 }
    }

    /// A part, of another whose bytes begin at `around`.
    fn node<'v, 't>(
        &mut self,
        side: Side<'v, 't>,
        schema: SchemaPart<'_>,
        matching: &Matching<'_>,
        around: usize,
        is_root: bool,
    ) -> Node<'v, 't> {
        let is_unknown = side.unknown.is_true();
        if side.value.is_null() && !is_unknown && !side.unknown.has_true() {
            return self.leaf(b'n', NodeKind::Null, around);
        }
        if side.sensitive.is_true() {
            return self.secret(side, schema, matching, around);
        }
        let start = self.bytes.len();
        let kind = if is_unknown {
            self.bytes.push(b'u');
            NodeKind::Unknown
        } else {
            self.known(side, schema, matching, is_root)
        };
        Node { kind, start: start - around, len: self.bytes.len() - start }
    }

    /// Writes a sensitive value. The tree keeps its parts for comparisons; the bytes include them only with
    /// `Secrets::Included`.
    fn secret<'v, 't>(
        &mut self,
        side: Side<'v, 't>,
        schema: SchemaPart<'_>,
        matching: &Matching<'_>,
        around: usize,
    ) -> Node<'v, 't> {
        self.notes.secrets += 1;
        let start = self.bytes.len();
        self.bytes.push(b'x');
        let secrets = self.notes.secrets;
        let bare = Side { sensitive: side.sensitive.bool(false), ..side };
        let inner = match self.secrets {
            Secrets::Included => self.node(bare, schema, matching, start, false),
            Secrets::LeftOut if side.unknown.is_true() => self.leaf(b'u', NodeKind::Unknown, start),
            Secrets::LeftOut => self.leaf(b'.', NodeKind::Null, start),
        };
        // Sensitive parts within it belong to this secret and are not counted again.
        self.notes.secrets = secrets;
        let kind = NodeKind::Sensitive(Box::new(inner));
        Node { kind, start: start - around, len: self.bytes.len() - start }
    }

    fn known<'v, 't>(
        &mut self,
        side: Side<'v, 't>,
        schema: SchemaPart<'_>,
        matching: &Matching<'_>,
        is_root: bool,
    ) -> NodeKind<'v, 't> {
        match (side.value.shape(), side.unknown.shape()) {
            (Shape::Bool(value), _) => {
                self.bytes.push(if value { b't' } else { b'f' });
                NodeKind::Scalar(side.value)
            }
            (Shape::Number(text), _) => {
                let number = CanonicalNumber::new(text);
                self.bytes.push(b'#');
                number.write(&mut self.bytes);
                NodeKind::Scalar(side.value)
            }
            (Shape::String(text), _) => {
                self.bytes.push(b's');
                write_text(text, &mut self.bytes);
                NodeKind::Scalar(side.value)
            }
            (Shape::Array(_), _) | (Shape::Null, Shape::Array(_)) => self.array(side, schema, matching),
            (Shape::Object(_), _) | (Shape::Null, _) => self.object(side, schema, matching, is_root),
        }
    }

    /// Writes an array. Unknown marks may reach beyond the value: Terraform leaves unknown elements at the end out of
    /// it.
    fn array<'v, 't>(
        &mut self,
        side: Side<'v, 't>,
        schema: SchemaPart<'_>,
        matching: &Matching<'_>,
    ) -> NodeKind<'v, 't> {
        let start = self.bytes.len();
        let (values, unknown) = (side.value.elements(), side.unknown.elements());
        // Marks behind the last element count as elements only as far as one of them says something.
        let beyond = (values.len()..unknown.len()).rfind(|index| unknown.at(*index).has_true());
        let len = beyond.map_or(values.len(), |last| last + 1);
        let is_set = schema.is_set();
        self.bytes.push(if is_set { b'{' } else { b'[' });
        write_len(len, &mut self.bytes);
        let parts = self.bytes.len();
        let mut nodes = Vec::with_capacity(len);
        for index in 0..len {
            let element = Side {
                value: values.get(index).unwrap_or(side.value.null()),
                unknown: unknown.get(index).unwrap_or(side.unknown.bool(false)),
                sensitive: mark_of_element(side.sensitive, index),
            };
            nodes.push(match matching.element(index, is_set) {
                Some(matching) => self.node(element, schema.element(index), &matching, start, false),
                // An ignored element is null on both sides. It keeps its place, because paths name the others by
                // position.
                None => self.leaf(b'n', NodeKind::Null, start),
            });
        }
        if !is_set {
            return NodeKind::List(nodes);
        }
        if len > 1 {
            self.notes.has_sets = true;
            self.sort(&mut nodes, start, parts);
        }
        NodeKind::Set(nodes)
    }

    /// Puts the elements of the set that begins at `start`, and their bytes from `parts` on, into the order of these bytes.
    fn sort(&mut self, nodes: &mut [Node<'_, '_>], start: usize, parts: usize) {
        let range = |node: &Node<'_, '_>| -> Range<usize> {
            let from = start + node.start - parts;
            from..from + node.len
        };
        let bytes = self.bytes.split_off(parts);
        nodes.sort_by(|a, b| bytes[range(a)].cmp(&bytes[range(b)]));
        for node in nodes {
            let from = self.bytes.len();
            self.bytes.extend_from_slice(&bytes[range(node)]);
            node.start = from - start;
        }
    }

    fn object<'v, 't>(
        &mut self,
        side: Side<'v, 't>,
        schema: SchemaPart<'_>,
        matching: &Matching<'_>,
        is_root: bool,
    ) -> NodeKind<'v, 't> {
        let start = self.bytes.len();
        let (values, unknown) = (side.value.members(), side.unknown.members());
        self.bytes.push(b'o');
        let mut nodes = Vec::with_capacity(values.len().max(unknown.len()));
        let mut keys = Keys { values, unknown, at: (0, 0) };
        while let Some((key, value, unknown)) = keys.next() {
            let Some(matching) = matching.member(&key) else { continue };
            let unknown = unknown.unwrap_or(side.unknown.bool(false));
            if value.is_none() && !unknown.has_true() {
                continue;
            }
            let (schema, is_sensitive) = schema.member(&key);
            let value = value.unwrap_or(side.value.null());
            // An object has all of its attributes: null is as good as absent. A map may well hold a null.
            if is_root && value.is_null() && !unknown.has_true() {
                continue;
            }
            let marks = mark_of_member(side.sensitive, &key);
            let sensitive = if is_sensitive { marks.bool(true) } else { marks };
            write_text(&key, &mut self.bytes);
            let node = self.node(Side { value, unknown, sensitive }, schema, &matching, start, false);
            nodes.push((key, node));
        }
        // No key is this long, so that the end of an object is not one of its keys.
        write_len(usize::MAX, &mut self.bytes);
        NodeKind::Object(nodes)
    }
}

/// The mark of a member: `true` holds for everything below it.
pub(crate) fn mark_of_member<'v, 't>(marks: View<'v, 't>, key: &str) -> View<'v, 't> {
    if marks.is_true() { marks } else { marks.get(key).unwrap_or(marks.bool(false)) }
}

/// The mark of an element: `true` holds for everything below it.
pub(crate) fn mark_of_element<'v, 't>(marks: View<'v, 't>, index: usize) -> View<'v, 't> {
    if marks.is_true() { marks } else { marks.elements().get(index).unwrap_or(marks.bool(false)) }
}

/// The keys of an object, including those of unknown members, in their order.
struct Keys<'v, 't> {
    values: Members<'v, 't>,
    unknown: Members<'v, 't>,
    at: (usize, usize),
}

/// A key with its value and what of it is unknown.
type KeyParts<'v, 't> = (Text<'t>, Option<View<'v, 't>>, Option<View<'v, 't>>);

impl<'v, 't> Keys<'v, 't> {
    fn next(&mut self) -> Option<KeyParts<'v, 't>> {
        let (value, unknown) = (self.values.at_position(self.at.0), self.unknown.at_position(self.at.1));
        let (is_value, is_unknown) = match (value, unknown) {
            (None, None) => return None,
            (Some((a, _)), Some((b, _))) => (a <= b, b <= a),
            (value, unknown) => (value.is_some(), unknown.is_some()),
        };
        let key = if is_value { self.values.key(self.at.0) } else { self.unknown.key(self.at.1) };
        self.at = (self.at.0 + usize::from(is_value), self.at.1 + usize::from(is_unknown));
        Some((
            key,
            value.filter(|_| is_value).map(|(_, value)| value),
            unknown.filter(|_| is_unknown).map(|(_, value)| value),
        ))
    }
}

/// Writes a length, in as many bytes whatever it is.
pub(crate) fn write_len(len: usize, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(len as u64).to_be_bytes());
}

/// Writes a text so that nothing behind it can be taken for a part of it.
pub(crate) fn write_text(text: &str, bytes: &mut Vec<u8>) {
    write_len(text.len(), bytes);
    bytes.extend_from_slice(text.as_bytes());
}
