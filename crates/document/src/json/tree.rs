//! Values as they are kept: nodes of eight bytes that say where in the document their text stands.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use objchange_text::json::StringAt;

use super::{Json, JsonError, Raw, Reader};

/// A value or key, or where its parts are.
///
/// Eight bytes: large documents are mostly these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) tag: Tag,
    len: [u8; 3],
    offset: u32,
}

const _: () = assert!(size_of::<Node>() == 8);

/// A length that does not fit into a node: it is stored elsewhere.
const LONG: usize = (1 << 24) - 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    False,
    True,
    /// A part of the document.
    Number,
    /// A number, a part of what had to be made.
    MadeNumber,
    /// A part of the document.
    Verbatim,
    /// A part of what had to be made.
    Unescaped,
    /// Borrowed from elsewhere.
    Borrowed,
    /// Nodes that stand together among all others.
    Array,
    /// As an array; keys and values by turns.
    Object,
    /// As an array whose nodes have a list of their own.
    LargeArray,
    /// As an object whose nodes have a list of their own.
    LargeObject,
}

impl Node {
    pub(super) const NULL: Self = Self::bare(Tag::Null);
    pub(super) const FALSE: Self = Self::bare(Tag::False);
    pub(super) const TRUE: Self = Self::bare(Tag::True);

    const fn bare(tag: Tag) -> Self {
        Self { tag, len: [0; 3], offset: 0 }
    }

    #[inline]
    fn new(tag: Tag, offset: u32, len: usize) -> Self {
        let [a, b, c, ..] = len.min(LONG).to_le_bytes();
        Self { tag, len: [a, b, c], offset }
    }

    #[inline]
    pub(super) fn is_empty_list(self) -> bool {
        matches!(self.tag, Tag::Array | Tag::Object) && self.len == [0; 3]
    }

    #[inline]
    fn len(self) -> usize {
        let [a, b, c] = self.len;
        u32::from_le_bytes([a, b, c, 0]) as usize
    }
}

/// The nodes of one or more values, and the texts that they are parts of.
pub(super) struct Tree<'t> {
    /// The part of the document that offsets count from.
    text: &'t str,
    nodes: Vec<Node>,
    large: Vec<Vec<Node>>,
    /// Where the texts are whose nodes have no room for their length, or for their place.
    long: Vec<Range<usize>>,
    /// The strings that do not be in the text as they are.
    pub(super) unescaped: String,
    /// The strings that are in no text of one piece.
    borrowed: Vec<&'t str>,
}

impl<'t> Tree<'t> {
    /// The parts of an array or object, keys and values by turns; none of every other value.
    #[inline]
    pub(super) fn parts(&self, node: &Node) -> &[Node] {
        let offset = node.offset as usize;
        match node.tag {
            Tag::Array | Tag::Object => &self.nodes[offset..offset + node.len()],
            Tag::LargeArray | Tag::LargeObject => &self.large[offset],
            _ => &[],
        }
    }

    #[inline(always)]
    fn range(&self, node: &Node) -> Range<usize> {
        let start = node.offset as usize;
        match node.len() {
            LONG => self.long[start].clone(),
            len => start..start + len,
        }
    }

    /// The text of a number, or of a string that is in the document.
    #[inline]
    pub(super) fn verbatim(&self, node: &Node) -> &'t str {
        &self.text[self.range(node)]
    }

    #[inline]
    pub(super) fn borrowed(&self, node: &Node) -> &'t str {
        self.borrowed[node.offset as usize]
    }

    /// The text of a number or string.
    #[inline]
    pub(super) fn str(&self, node: &Node) -> &str {
        match node.tag {
            Tag::Unescaped | Tag::MadeNumber => &self.unescaped[self.range(node)],
            Tag::Verbatim | Tag::Number => self.verbatim(node),
            Tag::Borrowed => self.borrowed(node),
            _ => "",
        }
    }

    /// The text of a number or string, to compare: that it begins and ends with whole characters needs no proof then.
    #[inline(always)]
    pub(super) fn bytes(&self, node: &Node) -> &[u8] {
        match node.tag {
            Tag::Unescaped | Tag::MadeNumber => &self.unescaped.as_bytes()[self.range(node)],
            Tag::Verbatim | Tag::Number => &self.text.as_bytes()[self.range(node)],
            Tag::Borrowed => self.borrowed(node).as_bytes(),
            _ => &[],
        }
    }
}

/// A container of this many nodes gets a list of its own, so that closing it does not copy them.
const LARGE: usize = 4096;

/// Reads values of one document into one tree.
pub struct Builder<'t> {
    pub(super) tree: Tree<'t>,
    document: &'t str,
    /// Where in the document the text of the tree begins.
    origin: usize,
    /// The parts of arrays and objects that are being read, the outer ones first.
    pub(super) unfinished: Vec<Node>,
}

/// A value that a builder has read or made.
#[derive(Debug, Clone, Copy)]
pub struct Built(pub(super) Node);

impl Built {
    /// `null`.
    pub const NULL: Self = Self(Node::NULL);
}

/// An array or object under way: where its parts begin, and those that have a list of their own.
#[derive(Debug)]
pub struct Open {
    start: usize,
    own: Vec<Node>,
}

/// Without what was read, which may be a secret.
impl fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").finish_non_exhaustive()
    }
}

impl<'t> Builder<'t> {
    /// A builder of values that begin at `origin` or later.
    pub(super) fn new(document: &'t str, origin: usize) -> Self {
        let text = document.get(origin..).unwrap_or_default();
        let (large, long) = (Vec::new(), Vec::new());
        let (nodes, unescaped, borrowed) = (Vec::new(), String::new(), Vec::new());
        let tree = Tree { text, nodes, large, long, unescaped, borrowed };
        Self { tree, document, origin, unfinished: Vec::new() }
    }

    /// A builder for these values, which must be of one document if they are not null.
    pub fn for_values(raws: &[&Raw<'t>]) -> Self {
        let longest = raws.iter().map(|raw| raw.document()).max_by_key(|text| text.len()).unwrap_or_default();
        // Where Terraform wrote nothing, the value is a `null` that is in no document and has no offset there.
        let same = raws.iter().filter(|raw| std::ptr::eq(raw.document().as_ptr(), longest.as_ptr()));
        let mut builder = Self::new(longest, same.map(|raw| raw.offset()).min().unwrap_or_default());
        // Most values are small, and take about a node for so many bytes.
        let nodes = builder.tree.text.len().min(1 << 16) / 16;
        builder.tree.nodes.reserve(nodes);
        builder.unfinished.reserve(nodes);
        builder
    }

    /// A builder of values that take so many bytes in MessagePack.
    pub fn for_packed(length: usize) -> Self {
        let mut builder = Self::new("", 0);
        // Most texts have some ten bytes.
        let texts = length.min(1 << 16) / 16;
        builder.tree.borrowed.reserve(texts);
        builder.tree.nodes.reserve(texts);
        builder.unfinished.reserve(texts);
        builder
    }

    /// A string of which nothing is copied.
    pub fn make_borrowed(&mut self, text: &'t str) -> Built {
        let offset = self.tree.borrowed.len() as u32;
        self.tree.borrowed.push(text);
        Built(Node::new(Tag::Borrowed, offset, 0))
    }

    /// Adds a part to an array.
    pub fn push_element(&mut self, Built(value): Built, open: &mut Open) {
        self.push(value, open);
    }

    /// Adds a part to an object.
    pub fn push_member(&mut self, Built(key): Built, Built(value): Built, open: &mut Open) {
        self.unfinished.push(key);
        self.push(value, open);
    }

    /// The array with all parts that were added.
    pub fn close_array(&mut self, open: Open) -> Built {
        Built(self.close(open, Tag::Array, Tag::LargeArray))
    }

    /// The object with all parts that were added.
    pub fn close_object(&mut self, open: Open) -> Built {
        Built(self.object(open))
    }

    /// All that has been read.
    pub fn finish(self) -> impl Fn(Built) -> Json<'t> {
        let tree = Arc::new(self.tree);
        move |built| Json { tree: Arc::clone(&tree), root: built.0 }
    }

    /// Reads a value.
    pub fn read(&mut self, raw: &Raw<'t>) -> Result<Built, JsonError> {
        let mut reader = self.reader(raw)?;
        let value = self.value(&mut reader)?;
        reader.end()?;
        self.check_size(&reader)?;
        Ok(Built(value))
    }

    /// Reads the values of both sides of a change. Members whose text is the same on both are read once and shared.
    pub fn read_sides(
        &mut self,
        before: &Raw<'t>,
        after: &Raw<'t>,
    ) -> (Result<Built, JsonError>, Result<Built, JsonError>) {
        // Most members are equal on both sides: text that repeats is not parsed again.
        if !(before.text().starts_with('{') && after.text().starts_with('{')) {
            return (self.read(before), self.read(after));
        }
        let mut seen = Vec::with_capacity(32);
        let mut ends = Vec::new();
        let first = self.read_members(before, |builder, reader| {
            let (start, first_end) = (reader.offset(), ends.len());
            let key = builder.key(reader)?;
            let value_start = reader.offset();
            // Values of more than 4 GiB are refused in the end.
            let value = builder.value_of(reader, |_, _| None, |end| ends.push((end - value_start) as u32))?;
            let text = &reader.text()[start..reader.offset()];
            seen.push(MemberBefore {
                key,
                value,
                text,
                value_start: value_start - start,
                ends: first_end..ends.len(),
            });
            Ok([key, value])
        });
        let mut seen = seen.iter().peekable();
        let second = self.read_members(after, |builder, reader| {
            if let Some(same) = seen.next_if(|same| begins_with(rest_of(reader), same.text)) {
                reader.pass(same.text.len());
                return Ok([same.key, same.value]);
            }
            let key = builder.key(reader)?;
            let name = builder.tree.bytes(&key);
            // Documents of Terraform have sorted keys. Where they are not sorted, members are missed here and read
            // again.
            while seen.next_if(|earlier| builder.tree.bytes(&earlier.key) < name).is_some() {}
            let Some(same) = seen.next_if(|same| builder.tree.bytes(&same.key) == name) else {
                return Ok([key, builder.value(reader)?]);
            };
            if begins_with(rest_of(reader), same.value_text()) {
                reader.pass(same.value_text().len());
                return Ok([key, same.value]);
            }
            let mut elements =
                ElementsBefore { of: same, ends: &ends[same.ends.clone()], next: 0, missed: 0 };
            Ok([key, builder.value_of(reader, |tree, rest| elements.find(tree, rest), |_| {})?])
        });
        (first, second)
    }

    /// Reads an object, each of its members with `member`, which begins at its key.
    fn read_members(
        &mut self,
        raw: &Raw<'t>,
        mut member: impl FnMut(&mut Self, &mut Reader<'t>) -> Result<[Node; 2], JsonError>,
    ) -> Result<Built, JsonError> {
        let mut reader = self.reader(raw)?;
        let mut members = Vec::with_capacity(64);
        reader.deepen(b'{')?;
        let mut is_first = true;
        while reader.next_key(&mut is_first)? {
            members.extend(member(self, &mut reader)?);
        }
        reader.end()?;
        self.check_size(&reader)?;
        self.unfinished.clear();
        self.unfinished.append(&mut members);
        Ok(Built(self.object(Open { start: 0, own: Vec::new() })))
    }

    /// Reads a key, up to where its value begins.
    fn key(&mut self, reader: &mut Reader<'t>) -> Result<Node, JsonError> {
        let key = self.string(reader)?;
        reader.colon()?;
        reader.peek();
        Ok(key)
    }

    /// Reads the value that comes next. If it is an array, `known` returns elements that are built already, by the text from
    /// them on, with their length, and `ended` receives where each element ends.
    fn value_of(
        &mut self,
        reader: &mut Reader<'t>,
        mut known: impl FnMut(&Tree<'t>, &str) -> Option<(usize, Node)>,
        mut ended: impl FnMut(usize),
    ) -> Result<Node, JsonError> {
        if reader.peek() != Some(b'[') {
            return self.value(reader);
        }
        let mut open = self.open();
        let mut is_first = true;
        reader.deepen(b'[')?;
        while reader.next_element(&mut is_first)? {
            reader.peek();
            let element = match known(&self.tree, rest_of(reader)) {
                Some((length, element)) => {
                    reader.pass(length);
                    element
                }
                None => self.value(reader)?,
            };
            ended(reader.offset());
            self.push(element, &mut open);
        }
        reader.leave();
        Ok(self.close(open, Tag::Array, Tag::LargeArray))
    }

    fn reader(&mut self, raw: &Raw<'t>) -> Result<Reader<'t>, JsonError> {
        self.unfinished.clear();
        let reader = raw.reader();
        if std::ptr::eq(raw.document().as_ptr(), self.document.as_ptr()) || raw.text() == "null" {
            Ok(reader)
        } else {
            Err(reader.error("these values are of different documents"))
        }
    }

    pub(super) fn whole(&mut self, reader: &mut Reader<'t>) -> Result<Built, JsonError> {
        let value = self.value(reader)?;
        self.check_size(reader)?;
        Ok(Built(value))
    }

    /// Makes sure that every place has a number: there are no more nodes than bytes.
    fn check_size(&self, reader: &Reader<'t>) -> Result<(), JsonError> {
        // Nodes hold offsets of 32 bits, from the origin of their tree.
        match u32::try_from(reader.offset().saturating_sub(self.origin)) {
            Ok(_) => Ok(()),
            Err(_) => Err(reader.error("a value has more than 4 GiB of text")),
        }
    }

    fn value(&mut self, reader: &mut Reader<'t>) -> Result<Node, JsonError> {
        match reader.peek() {
            Some(b'"') => self.string(reader),
            Some(b'{') => {
                let mut open = self.open();
                let mut is_first = true;
                reader.deepen(b'{')?;
                while reader.next_key(&mut is_first)? {
                    let key = self.string(reader)?;
                    reader.colon()?;
                    self.unfinished.push(key);
                    let value = self.value(reader)?;
                    self.push(value, &mut open);
                }
                reader.leave();
                Ok(self.object(open))
            }
            Some(b'[') => {
                let mut open = self.open();
                let mut is_first = true;
                reader.deepen(b'[')?;
                while reader.next_element(&mut is_first)? {
                    let value = self.value(reader)?;
                    self.push(value, &mut open);
                }
                reader.leave();
                Ok(self.close(open, Tag::Array, Tag::LargeArray))
            }
            Some(b'n') => reader.word("null").map(|()| Node::NULL),
            Some(b't') => reader.word("true").map(|()| Node::TRUE),
            Some(b'f') => reader.word("false").map(|()| Node::FALSE),
            Some(b'-' | b'0'..=b'9') => {
                let start = reader.offset();
                reader.number()?;
                Ok(self.verbatim(Tag::Number, start, reader.offset()))
            }
            _ => Err(reader.no_value()),
        }
    }

    fn string(&mut self, reader: &mut Reader<'t>) -> Result<Node, JsonError> {
        let offset = self.tree.unescaped.len();
        Ok(match reader.string_at(&mut self.tree.unescaped)? {
            StringAt::Verbatim(start, end) => self.verbatim(Tag::Verbatim, start, end),
            StringAt::Unescaped => self.text(Tag::Unescaped, offset..self.tree.unescaped.len()),
        })
    }

    #[inline]
    fn verbatim(&mut self, tag: Tag, start: usize, end: usize) -> Node {
        self.text(tag, start - self.origin..end - self.origin)
    }

    #[inline]
    pub(super) fn text(&mut self, tag: Tag, at: Range<usize>) -> Node {
        match u32::try_from(at.start) {
            Ok(offset) if at.len() < LONG => Node::new(tag, offset, at.len()),
            _ => {
                self.tree.long.push(at);
                Node::new(tag, (self.tree.long.len() - 1) as u32, LONG)
            }
        }
    }

    /// Begins an array or object.
    pub fn open(&self) -> Open {
        Open { start: self.unfinished.len(), own: Vec::new() }
    }

    pub(super) fn push(&mut self, value: Node, open: &mut Open) {
        self.unfinished.push(value);
        if self.unfinished.len() - open.start >= LARGE {
            open.own.extend(self.unfinished.drain(open.start..));
        }
    }

    /// The object whose members wait, sorted by key; of a repeated key the last member counts, as in Go.
    pub(super) fn object(&mut self, open: Open) -> Node {
        let Open { start, mut own } = open;
        if !own.is_empty() {
            own.extend(self.unfinished.drain(start..));
        }
        let waiting = if own.is_empty() { &self.unfinished[start..] } else { &own };
        let (members, _) = waiting.as_chunks::<2>();
        let key = |member: &[Node; 2]| self.tree.bytes(&member[0]);
        if !members.is_sorted_by(|a, b| key(a) < key(b)) {
            let mut members = members.to_vec();
            members.sort_by(|a, b| key(a).cmp(key(b)));
            // The sort is stable, so the last of repeated keys is kept.
            members.dedup_by(|later, earlier| {
                let same = key(later) == key(earlier);
                if same {
                    *earlier = *later;
                }
                same
            });
            let members = members.into_flattened();
            match own.is_empty() {
                true => self.unfinished.splice(start.., members).for_each(drop),
                false => own = members,
            }
        }
        self.close(Open { start, own }, Tag::Object, Tag::LargeObject)
    }

    pub(super) fn close(&mut self, open: Open, small: Tag, large: Tag) -> Node {
        let Open { start, mut own } = open;
        let count = self.unfinished.len() - start;
        if own.is_empty() && count < LARGE {
            let offset = self.tree.nodes.len() as u32;
            self.tree.nodes.extend_from_slice(&self.unfinished[start..]);
            self.unfinished.truncate(start);
            return Node::new(small, offset, count);
        }
        own.extend(self.unfinished.drain(start..));
        self.tree.large.push(own);
        Node::new(large, (self.tree.large.len() - 1) as u32, 0)
    }
}

/// A member of the side before, by which one of the side after is recognised.
struct MemberBefore<'t> {
    key: Node,
    value: Node,
    /// From its key on.
    text: &'t str,
    /// Where in that its value begins.
    value_start: usize,
    /// Which of the ends of elements are those of its own, if it is an array.
    ends: Range<usize>,
}

impl<'t> MemberBefore<'t> {
    fn value_text(&self) -> &'t str {
        &self.text[self.value_start..]
    }
}

/// The elements of an array before, by which those of the array after are recognised.
struct ElementsBefore<'s, 't> {
    of: &'s MemberBefore<'t>,
    /// Where they end in the text of the array.
    ends: &'s [u32],
    /// The one behind the last that was recognised.
    next: usize,
    /// How many have not been recognised since.
    missed: usize,
}

impl<'t> ElementsBefore<'_, 't> {
    /// The element with which a text begins, and the length of its text.
    fn find(&mut self, tree: &Tree<'t>, rest: &str) -> Option<(usize, Node)> {
        // The next one where elements are new, the one that far behind where they have changed, and the one after the next where
        // one is gone.
        let places = [self.next, self.next + self.missed, self.next + 1];
        let found = places.into_iter().find_map(|place| {
            let text = self.text(place)?;
            begins_with(rest, text).then_some((place, text.len()))
        });
        let Some((place, length)) = found else {
            self.missed += 1;
            return None;
        };
        (self.next, self.missed) = (place + 1, 0);
        Some((length, *tree.parts(&self.of.value).get(place)?))
    }

    /// The text of an element.
    fn text(&self, place: usize) -> Option<&'t str> {
        let end = *self.ends.get(place)?;
        let before = place.checked_sub(1).map_or(0, |earlier| self.ends[earlier]);
        // A bracket or a comma is in front of it.
        self.of.value_text().get(before as usize + 1..end as usize).map(str::trim_ascii_start)
    }
}

/// The text from the place of a reader on.
fn rest_of<'t>(reader: &Reader<'t>) -> &'t str {
    &reader.text()[reader.offset()..]
}

/// Whether a text begins with this value.
fn begins_with(rest: &str, value: &str) -> bool {
    // A number is the same only up to its end: `1` also begins `12`.
    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
    rest.starts_with(value) && rest.as_bytes().get(value.len()).is_some_and(ends)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn object() -> impl Strategy<Value = String> {
        let scalar = prop::sample::select(vec![
            "1", "12", " 1 ", "1.5", "[1,2]", "[1, 2]", "\"a\"", "\"\\n\"", "null", "{}", "x",
        ]);
        let element = prop::sample::select(vec!["1", "12", " 1 ", "\"\\n\"", "[1,2]", "{}"]);
        let array = (prop::collection::vec(element, 0..8), prop::sample::select(vec![",", ", ", " ,"]))
            .prop_map(|(elements, comma)| format!("[{}]", elements.join(comma)));
        let value = prop_oneof![scalar.prop_map(str::to_owned), array];
        let key = prop::sample::select(vec!["a", "b", "c", "\\u0062"]);
        prop::collection::vec((key, value), 0..5).prop_map(|members| {
            let members: Vec<_> = members.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
            format!("{{{}}}", members.join(","))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn sides_read_together_are_what_they_are_alone(before in object(), after in object()) {
            let document = format!("[ {before},{after}]");
            let end = 2 + before.len();
            let before = Reader::new(&document).starting_at(2).raw().unwrap();
            let after = Reader::new(&document).starting_at(end + 1).raw().unwrap();
            let mut builder = Builder::for_values(&[&before, &after]);
            let (first, second) = builder.read_sides(&before, &after);
            let built = builder.finish();
            prop_assert_eq!(first.map(&built), Json::read(&before));
            prop_assert_eq!(second.map(&built), Json::read(&after));
        }
    }
}
