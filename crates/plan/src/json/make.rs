//! Values that are made part by part, where there is no text to read them from.

use std::fmt::{Display, Write};

use super::Json;
use super::tree::{Builder, Built, Node, Open, Tag};
use crate::document::Index;

impl Builder<'_> {
    /// A builder of values that are in no document.
    pub(crate) fn of_made() -> Self {
        Self::new("", 0)
    }

    pub(crate) fn make_string(&mut self, text: &str) -> Built {
        self.make(Tag::Unescaped, |unescaped| unescaped.push_str(text))
    }

    /// A number that is written as JSON writes numbers.
    pub(crate) fn make_number(&mut self, number: &impl Display) -> Built {
        // Writing to a string does not fail.
        self.make(Tag::MadeNumber, |unescaped| _ = write!(unescaped, "{number}"))
    }

    fn make(&mut self, tag: Tag, write: impl FnOnce(&mut String)) -> Built {
        let start = self.tree.unescaped.len();
        write(&mut self.tree.unescaped);
        Built(self.text(tag, start..self.tree.unescaped.len()))
    }

    /// An array of these parts, each made when it is its turn.
    pub(crate) fn make_array<P>(
        &mut self,
        parts: impl IntoIterator<Item = P>,
        mut make: impl FnMut(&mut Self, P) -> Built,
    ) -> Built {
        let mut open = self.open();
        for part in parts {
            let Built(node) = make(self, part);
            self.push(node, &mut open);
        }
        Built(self.close(open, Tag::Array, Tag::LargeArray))
    }

    /// An object of these members, each made when it is its turn.
    pub(crate) fn make_object<'k, P>(
        &mut self,
        members: impl IntoIterator<Item = (&'k str, P)>,
        mut make: impl FnMut(&mut Self, P) -> Built,
    ) -> Built {
        let mut open: Open = self.open();
        for (key, part) in members {
            let Built(key) = self.make_string(key);
            self.unfinished.push(key);
            let Built(node) = make(self, part);
            self.push(node, &mut open);
        }
        Built(self.object(open))
    }
}

impl Json<'_> {
    /// An array of names, keys and positions.
    pub(crate) fn of_path(path: &[Index<'_>]) -> Self {
        let mut builder = Builder::of_made();
        let built = builder.make_array(path, |builder, step| match step {
            Index::Number(number) => builder.make_number(number),
            Index::Key(key) => builder.make_string(key),
        });
        builder.finish()(built)
    }
}

impl Built {
    pub(crate) const fn bool(value: bool) -> Self {
        Self(if value { Node::TRUE } else { Node::FALSE })
    }
}
