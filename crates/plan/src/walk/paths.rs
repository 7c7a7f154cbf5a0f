//! Paths into a value, followed step by step while the value is walked.

use std::cmp::Ordering;
use std::rc::Rc;

use objchange_document::json::{Elements, Shape, View};

/// Paths in an order in which those that share their first steps stand together, the shortest first.
///
/// So what remains of them at a place is a few slices, found by binary search: a walk over a value costs
/// O(log n) a place, where looking at each path at each place would be quadratic.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathList<'v, 't>(Vec<Elements<'v, 't>>);

impl<'v, 't> FromIterator<Elements<'v, 't>> for PathList<'v, 't> {
    fn from_iter<I: IntoIterator<Item = Elements<'v, 't>>>(paths: I) -> Self {
        let mut paths: Vec<_> = paths.into_iter().collect();
        let by_steps = |a: &Elements<'_, '_>, b: &Elements<'_, '_>| a.iter().map(key).cmp(b.iter().map(key));
        // Documents mostly have them sorted already.
        if !paths.is_sorted_by(|a, b| by_steps(a, b).is_le()) {
            paths.sort_by(by_steps);
        }
        Self(paths)
    }
}

/// The sort key of a step: spellings of one position are adjacent.
fn key<'v>(step: View<'v, '_>) -> (Option<usize>, Option<&'v str>, bool) {
    let (text, is_name) = match step.shape() {
        Shape::Number(text) => (Some(text), false),
        Shape::String(text) => (Some(text), true),
        _ => (None, false),
    };
    // Terraform writes an index as `0` or `"0"`; both are one position.
    (text.and_then(|text| text.parse().ok()), text, is_name)
}

/// Parts of lists, at least one; none of them is empty.
type Rest<'v, 't> = Option<Rc<[&'v [Elements<'v, 't>]]>>;

fn rest<'v, 't>(parts: impl Iterator<Item = &'v [Elements<'v, 't>]>) -> Rest<'v, 't> {
    let mut parts = parts.peekable();
    parts.peek()?;
    Some(parts.collect())
}

/// The rest of some paths, from the current place on.
#[derive(Debug, Clone)]
pub(crate) struct Paths<'v, 't> {
    /// Every place below is matched.
    everything: bool,
    /// A path that ends at a place matches everything below it too.
    covers_below: bool,
    /// How many steps lie behind.
    depth: u32,
    /// The paths that led here. Each has the steps behind in one spelling.
    rest: Rest<'v, 't>,
}

impl<'v, 't> Paths<'v, 't> {
    /// No path.
    pub(crate) fn none() -> Self {
        Self { everything: false, covers_below: false, depth: 0, rest: None }
    }

    /// Paths that match every place.
    pub(crate) fn everything() -> Self {
        Self { everything: true, covers_below: true, ..Self::none() }
    }

    /// Paths that match the place they name.
    pub(crate) fn places(paths: &'v PathList<'_, 't>) -> Self {
        Self { rest: rest(non_empty(&paths.0)), ..Self::none() }
    }

    /// Paths that match the place they name and everything below it.
    pub(crate) fn subtrees(lists: impl IntoIterator<Item = &'v PathList<'v, 't>>) -> Self {
        let rest = rest(lists.into_iter().flat_map(|list| non_empty(&list.0)));
        Self { covers_below: true, rest, ..Self::none() }
    }

    /// Whether a path ends at this place.
    pub(crate) fn is_match(&self) -> bool {
        self.everything || self.rest().any(|paths| paths[0].len() == self.depth())
    }

    /// Whether a path ends at this place or goes on below it.
    pub(crate) fn is_partial_match(&self) -> bool {
        self.everything || self.rest.is_some()
    }

    /// Whether every place below is matched too.
    pub(crate) fn is_everything(&self) -> bool {
        self.everything
    }

    /// Whether no place below is matched.
    pub(crate) fn ends_here(&self) -> bool {
        let longest = |paths: &[Elements<'v, 't>]| paths.iter().map(|path| path.len()).max();
        let covers_all = self.everything || (self.covers_below && self.is_match());
        !covers_all && self.rest().all(|paths| longest(paths) == Some(self.depth()))
    }

    #[inline]
    pub(crate) fn member(&self, name: &str) -> Self {
        if self.rest.is_none() {
            return Self { rest: None, ..*self };
        }
        self.step(|paths| {
            let wanted = (name.parse().ok(), Some(name), true);
            non_empty(part(paths, |path| self.key(path).cmp(&Some(wanted))))
        })
    }

    /// An index may be written as a number or as a string.
    #[inline]
    pub(crate) fn element(&self, index: usize) -> Self {
        if self.rest.is_none() {
            return Self { rest: None, ..*self };
        }
        self.step(|paths| {
            let position = |path: &Elements<'v, 't>| self.key(path).map(|(position, ..)| position);
            let paths = part(paths, |path| position(path).cmp(&Some(Some(index))));
            // Spellings `0` and `"0"` of one position stay apart below, each with its own sorted rest.
            paths.chunk_by(|a, b| self.key(a) == self.key(b))
        })
    }

    fn rest(&self) -> impl Iterator<Item = &'v [Elements<'v, 't>]> {
        self.rest.as_deref().unwrap_or_default().iter().copied()
    }

    fn depth(&self) -> usize {
        self.depth as usize
    }

    /// The next step of a path; `None` if it ends here.
    fn key(&self, path: &Elements<'v, 't>) -> Option<(Option<usize>, Option<&'v str>, bool)> {
        path.get(self.depth()).map(key)
    }

    fn step<I: Iterator<Item = &'v [Elements<'v, 't>]>>(
        &self,
        led_on: impl Fn(&'v [Elements<'v, 't>]) -> I,
    ) -> Self {
        // A match covers everything below.
        if self.covers_below && self.is_match() {
            return Self::everything();
        }
        let rest = rest(self.rest().flat_map(led_on));
        Self { rest, depth: self.depth + 1, ..*self }
    }
}

fn non_empty<T>(slice: &[T]) -> impl Iterator<Item = &[T]> {
    Some(slice).filter(|slice| !slice.is_empty()).into_iter()
}

/// The part of a sorted slice in which `order` is equal.
fn part<T>(sorted: &[T], order: impl Fn(&T) -> Ordering) -> &[T] {
    let from = sorted.partition_point(|x| order(x).is_lt());
    let rest = &sorted[from..];
    &rest[..rest.partition_point(|x| order(x).is_eq())]
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use objchange_document::json::Json;

    /// One step further by the rule itself: each path by each place.
    fn step<'v, 't>(
        rest: &[Vec<View<'v, 't>>],
        matches: impl Fn(View<'v, 't>) -> bool,
    ) -> Vec<Vec<View<'v, 't>>> {
        let led_on = |path: &Vec<View<'v, 't>>| {
            path.split_first().filter(|(step, _)| matches(**step)).map(|(_, r)| r.to_vec())
        };
        rest.iter().filter_map(led_on).collect()
    }

    proptest! {
        #[test]
        fn slices_agree_with_looking_at_each_path(
            paths in vec(vec(prop::sample::select(vec!["1", "\"1\"", "\"01\"", "\"a\"", "true", "2"]), 0..4), 0..8),
            walk in vec(prop::sample::select(vec![None, Some("1"), Some("01"), Some("a")]), 0..5),
            covers_below: bool,
        ) {
            let text = format!("[{}]", paths.iter().map(|p| format!("[{}]", p.join(","))).collect::<Vec<_>>().join(","));
            let json = Json::parse(&text).unwrap();
            let list: PathList<'_, '_> = json.view().elements().iter().map(View::elements).collect();
            let mut fast = if covers_below { Paths::subtrees([&list]) } else { Paths::places(&list) };
            let mut plain: Vec<Vec<_>> =
                json.view().elements().iter().map(|path| path.elements().iter().collect()).collect();
            let mut covered = false;
            for name in walk {
                covered |= covers_below && plain.iter().any(Vec::is_empty);
                (fast, plain) = match name {
                    Some(name) => (fast.member(name), step(&plain, |step| step.as_str() == Some(name))),
                    None => (fast.element(1), step(&plain, |step| match step.shape() {
                        Shape::Number(text) => text == "1",
                        Shape::String(text) => matches!(text, "1" | "01"),
                        _ => false,
                    })),
                };
                prop_assert_eq!(fast.is_match(), covered || plain.iter().any(Vec::is_empty));
                prop_assert_eq!(fast.is_partial_match(), covered || !plain.is_empty());
            }
        }
    }
}
