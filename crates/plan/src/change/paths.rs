//! Paths into a value, followed step by step while the value is walked.

use std::cmp::Ordering;

use crate::json::Json;

/// Paths in an order in which those that share their first steps stand together, the shortest first.
///
/// So what remains of them at a place is a few slices, found by binary search: a walk over a value costs
/// O(log n) a place, where looking at each path at each place would be quadratic.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathList<'v, 't>(Vec<&'v [Json<'t>]>);

impl<'v, 't> FromIterator<&'v [Json<'t>]> for PathList<'v, 't> {
    fn from_iter<I: IntoIterator<Item = &'v [Json<'t>]>>(paths: I) -> Self {
        let mut paths: Vec<_> = paths.into_iter().collect();
        let by_steps = |a: &&[Json<'_>], b: &&[Json<'_>]| a.iter().map(key).cmp(b.iter().map(key));
        if !paths.is_sorted_by(|a, b| by_steps(a, b).is_le()) {
            paths.sort_by(by_steps);
        }
        Self(paths)
    }
}

/// What a step is sorted by: the steps to one position stand together, however they are written.
fn key<'j>(step: &'j Json<'_>) -> (Option<usize>, Option<&'j str>, bool) {
    let (text, is_name) = match step {
        Json::Number(text) => (Some(*text), false),
        Json::String(text) => (Some(text.as_str()), true),
        _ => (None, false),
    };
    (text.and_then(|text| text.parse().ok()), text, is_name)
}

/// What remains of some paths at the place that the walk has come to.
#[derive(Debug, Clone)]
pub(crate) struct Paths<'v, 't> {
    /// Every place below is matched.
    everything: bool,
    /// A path that ends at a place matches everything below it too.
    covers_below: bool,
    /// How many steps lie behind.
    depth: usize,
    /// The paths that led here: parts of lists, none of them empty. Each has the steps behind in one spelling.
    rest: Vec<&'v [&'v [Json<'t>]]>,
}

impl<'v, 't> Paths<'v, 't> {
    /// No path.
    pub(crate) fn none() -> Self {
        Self { everything: false, covers_below: false, depth: 0, rest: Vec::new() }
    }

    /// Paths that match every place.
    pub(crate) fn everything() -> Self {
        Self { everything: true, covers_below: true, ..Self::none() }
    }

    /// Paths that match the place they name.
    pub(crate) fn places(paths: &'v PathList<'_, 't>) -> Self {
        Self { rest: non_empty(&paths.0).collect(), ..Self::none() }
    }

    /// Paths that match the place they name and everything below it.
    pub(crate) fn subtrees(lists: impl IntoIterator<Item = &'v PathList<'v, 't>>) -> Self {
        let rest = lists.into_iter().flat_map(|list| non_empty(&list.0)).collect();
        Self { covers_below: true, rest, ..Self::none() }
    }

    /// Whether a path ends at this place.
    pub(crate) fn is_match(&self) -> bool {
        self.everything || self.rest.iter().any(|paths| paths[0].len() == self.depth)
    }

    /// Whether a path ends at this place or goes on below it.
    pub(crate) fn is_partial_match(&self) -> bool {
        self.everything || !self.rest.is_empty()
    }

    /// Whether every place below is matched too.
    pub(crate) fn is_everything(&self) -> bool {
        self.everything
    }

    /// Whether no place below is matched.
    pub(crate) fn ends_here(&self) -> bool {
        let longest = |paths: &&[&'v [Json<'t>]]| paths.iter().map(|path| path.len()).max();
        let covers_all = self.everything || (self.covers_below && self.is_match());
        !covers_all && self.rest.iter().all(|paths| longest(paths) == Some(self.depth))
    }

    #[inline]
    pub(crate) fn member(&self, name: &str) -> Self {
        if self.rest.is_empty() {
            return Self { rest: Vec::new(), ..*self };
        }
        self.step(|paths| {
            let wanted = (name.parse().ok(), Some(name), true);
            non_empty(part(paths, |path| self.key(path).cmp(&Some(wanted))))
        })
    }

    /// An index may be written as a number or as a string.
    #[inline]
    pub(crate) fn element(&self, index: usize) -> Self {
        if self.rest.is_empty() {
            return Self { rest: Vec::new(), ..*self };
        }
        self.step(|paths| {
            let position = |path: &&[Json<'t>]| self.key(path).map(|(position, ..)| position);
            let paths = part(paths, |path| position(path).cmp(&Some(Some(index))));
            paths.chunk_by(|a, b| self.key(a) == self.key(b))
        })
    }

    /// The next step of a path; `None` if it ends here.
    fn key<'j>(&self, path: &'j [Json<'_>]) -> Option<(Option<usize>, Option<&'j str>, bool)> {
        path.get(self.depth).map(key)
    }

    fn step<I: Iterator<Item = &'v [&'v [Json<'t>]]>>(
        &self,
        led_on: impl Fn(&'v [&'v [Json<'t>]]) -> I,
    ) -> Self {
        if self.covers_below && self.is_match() {
            return Self::everything();
        }
        let rest = self.rest.iter().copied().flat_map(led_on).collect();
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

    /// One step further by the rule itself: each path by each place.
    fn step<'v, 't>(rest: &[&'v [Json<'t>]], matches: impl Fn(&Json<'t>) -> bool) -> Vec<&'v [Json<'t>]> {
        let led_on =
            |path: &&'v [Json<'t>]| path.split_first().filter(|(step, _)| matches(step)).map(|(_, r)| r);
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
            let list: PathList<'_, '_> = json.elements().iter().map(Json::elements).collect();
            let mut fast = if covers_below { Paths::subtrees([&list]) } else { Paths::places(&list) };
            let mut plain: Vec<_> = json.elements().iter().map(Json::elements).collect();
            let mut covered = false;
            for name in walk {
                covered |= covers_below && plain.iter().any(|p| p.is_empty());
                (fast, plain) = match name {
                    Some(name) => (fast.member(name), step(&plain, |step| step.as_str() == Some(name))),
                    None => (fast.element(1), step(&plain, |step| match step {
                        Json::Number(text) => *text == "1",
                        Json::String(text) => matches!(text.as_str(), "1" | "01"),
                        _ => false,
                    })),
                };
                prop_assert_eq!(fast.is_match(), covered || plain.iter().any(|p| p.is_empty()));
                prop_assert_eq!(fast.is_partial_match(), covered || !plain.is_empty());
            }
        }
    }
}
