//! Compares two values, as far as they are known before apply.

use objchange_document::json::{Shape, View};

use super::{Answer, Marked};

impl Answer<'_, '_> {
    /// Whether both are the same, secrets compared like all else: `None` where what is unknown decides it.
    ///
    /// Numbers are compared by their text, which Terraform writes alike on both sides of a change. An unknown may turn
    /// out to be anything, including nothing.
    pub fn same(self, other: Answer<'_, '_>) -> Option<bool> {
        match (self, other) {
            (Answer::Unknown { .. }, _) | (_, Answer::Unknown { .. }) => None,
            (Answer::Absent, Answer::Absent) => Some(true),
            (Answer::Known(a), Answer::Known(b)) => a.same(b),
            (Answer::Known(_), Answer::Absent) | (Answer::Absent, Answer::Known(_)) => Some(false),
        }
    }
}

impl Marked<'_, '_> {
    /// Like [`Answer::same`].
    pub fn same(self, other: Marked<'_, '_>) -> Option<bool> {
        if self.is_unknown() || other.is_unknown() {
            return None;
        }
        match (self.exact().map(View::shape), other.exact().map(View::shape)) {
            (Some(Shape::Array(_)), Some(Shape::Array(_))) => {
                let (a, b): (Vec<_>, Vec<_>) = (self.elements().collect(), other.elements().collect());
                match a.len() == b.len() {
                    true => all(std::iter::zip(a, b).map(|(a, b)| a.answer().same(b.answer()))),
                    false => Some(false),
                }
            }
            (Some(Shape::Object(_)), Some(Shape::Object(_))) => {
                let here = self.members().map(|(key, member)| member.answer().same(other.member(key)));
                let there = other.members().map(|(key, member)| member.answer().same(self.member(key)));
                all(here.chain(there))
            }
            (a, b) => Some(a == b),
        }
    }
}

/// Whether all hold: one that does not decides it, else one that is unknown leaves it open.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut answer = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => answer = None,
        }
    }
    answer
}
