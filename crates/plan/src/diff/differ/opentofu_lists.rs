//! Pairs the unequal elements of two lists that OpenTofu shows as changes.

use foldhash::fast::RandomState;
use hashbrown::HashSet;

use objchange_document::json::{Elements, View};

/// Tells which elements are shown as a change of one to the other.
///
/// Callers fix one index and vary the other; answers for the fixed one are cached.
pub(super) trait Pairing {
    /// Whether these belong together; the one after stays the same for several questions.
    fn are_alike_by_after(&mut self, before: usize, after: usize) -> bool;

    /// Whether these belong together; the one before stays the same for several questions.
    fn are_alike_by_before(&mut self, before: usize, after: usize) -> bool;
}

/// No elements belong together.
pub(super) struct Never;

impl Pairing for Never {
    fn are_alike_by_after(&mut self, _: usize, _: usize) -> bool {
        false
    }

    fn are_alike_by_before(&mut self, _: usize, _: usize) -> bool {
        false
    }
}

/// Objects belong together, and strings that have a line in common, if one of them has several.
pub(super) struct Alike<'v, 't, F> {
    before: Elements<'v, 't>,
    after: Elements<'v, 't>,
    is_object: F,
    lines_before: Lines<'v>,
    lines_after: Lines<'v>,
}

/// The lines of the string at a position.
#[derive(Default)]
struct Lines<'v> {
    position: Option<usize>,
    lines: HashSet<&'v str, RandomState>,
    are_several: bool,
}

impl<'v> Lines<'v> {
    /// Whether the string at this position has a line in common with another, and one of them has several.
    fn are_alike(&mut self, position: usize, text: &'v str, other: &str) -> bool {
        if self.position != Some(position) {
            self.position = Some(position);
            self.are_several = text.contains('\n');
            self.lines.clear();
            self.lines.extend(text.split('\n'));
        }
        (self.are_several || other.contains('\n')) && other.split('\n').any(|line| self.lines.contains(line))
    }
}

impl<'v, 't, F: Fn(View<'v, 't>) -> bool> Alike<'v, 't, F> {
    pub(super) fn new(before: Elements<'v, 't>, after: Elements<'v, 't>, is_object: F) -> Self {
        Self { before, after, is_object, lines_before: Lines::default(), lines_after: Lines::default() }
    }

    /// Whether these are objects; if both are strings, these.
    fn by_kind(&self, before: usize, after: usize) -> Result<bool, [&'v str; 2]> {
        let (old, new) = (self.before.at(before), self.after.at(after));
        match (old.as_str(), new.as_str()) {
            (Some(old), Some(new)) => Err([old, new]),
            _ => Ok((self.is_object)(old) && (self.is_object)(new)),
        }
    }
}

impl<'v, 't, F: Fn(View<'v, 't>) -> bool> Pairing for Alike<'v, 't, F> {
    fn are_alike_by_after(&mut self, before: usize, after: usize) -> bool {
        let kind = self.by_kind(before, after);
        kind.unwrap_or_else(|[old, new]| self.lines_after.are_alike(after, new, old))
    }

    fn are_alike_by_before(&mut self, before: usize, after: usize) -> bool {
        let kind = self.by_kind(before, after);
        kind.unwrap_or_else(|[old, new]| self.lines_before.are_alike(before, old, new))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use objchange_document::json::{Json, Shape};

    proptest! {
        /// Whatever was asked before, the answer is the rule's.
        #[test]
        fn what_is_kept_does_not_change_an_answer(
            sides in vec(vec(prop::sample::select(vec!["a", "a\nb", "b\nc", "c\nc", "\n", "", "{}", "1"]), 1..5), 2),
            questions in vec((0..5_usize, 0..5_usize, any::<bool>()), 0..24),
        ) {
            let texts = sides.iter().map(|side| {
                let texts = side.iter().map(|text| match *text {
                    "{}" | "1" => (*text).to_owned(),
                    text => serde_json::Value::from(text).to_string(),
                });
                format!("[{}]", texts.collect::<Vec<_>>().join(","))
            });
            let texts: Vec<String> = texts.collect();
            let parsed = texts.iter().map(|text| Json::parse(text).unwrap());
            let parsed: Vec<Json<'_>> = parsed.collect();
            let [before, after] = [&parsed[0], &parsed[1]].map(|side| side.view().elements());
            let mut alike = Alike::new(before, after, |view| matches!(view.shape(), Shape::Object(_)));
            for (i, j, by_after) in questions {
                let (i, j) = (i % before.len(), j % after.len());
                let (old, new) = (sides[0][i], sides[1][j]);
                let expected = match (old, new) {
                    ("{}", "{}") => true,
                    ("{}" | "1", _) | (_, "{}" | "1") => false,
                    _ => (old.contains('\n') || new.contains('\n'))
                        && old.split('\n').any(|line| new.split('\n').any(|other| line == other)),
                };
                let got = if by_after { alike.are_alike_by_after(i, j) } else { alike.are_alike_by_before(i, j) };
                prop_assert_eq!(got, expected);
            }
        }
    }
}
