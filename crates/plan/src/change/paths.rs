//! Paths into a value, followed step by step while the value is walked.

use crate::json::Json;

/// What remains of some paths at the place that the walk has come to.
#[derive(Debug, Clone)]
pub(crate) struct Paths<'v, 't> {
    /// Every place below is matched.
    everything: bool,
    /// A path that ends at a place matches everything below it too.
    covers_below: bool,
    /// The steps that each path still has to go.
    rest: Vec<&'v [Json<'t>]>,
}

impl<'v, 't> Paths<'v, 't> {
    /// No path.
    pub(crate) fn none() -> Self {
        Self { everything: false, covers_below: false, rest: Vec::new() }
    }

    /// Paths that match every place.
    pub(crate) fn everything() -> Self {
        Self { everything: true, covers_below: true, rest: Vec::new() }
    }

    /// Paths that match the place they name.
    pub(crate) fn places(paths: impl IntoIterator<Item = &'v [Json<'t>]>) -> Self {
        Self { rest: paths.into_iter().collect(), ..Self::none() }
    }

    /// Paths that match the place they name and everything below it.
    pub(crate) fn subtrees(paths: impl IntoIterator<Item = &'v [Json<'t>]>) -> Self {
        Self { covers_below: true, ..Self::places(paths) }
    }

    /// Whether a path ends at this place.
    pub(crate) fn is_match(&self) -> bool {
        self.everything || self.rest.iter().any(|path| path.is_empty())
    }

    /// Whether a path ends at this place or goes on below it.
    pub(crate) fn is_partial_match(&self) -> bool {
        self.everything || !self.rest.is_empty()
    }

    pub(crate) fn member(&self, key: &str) -> Self {
        self.step(|step| step.as_str() == Some(key))
    }

    /// An index may be written as a number or as a string.
    pub(crate) fn element(&self, index: usize) -> Self {
        self.step(|step| match step {
            Json::Number(text) => text.parse() == Ok(index),
            Json::String(text) => text.parse() == Ok(index),
            _ => false,
        })
    }

    fn step(&self, matches: impl Fn(&Json<'t>) -> bool) -> Self {
        if self.everything || self.rest.is_empty() {
            return Self { rest: Vec::new(), ..*self };
        }
        if self.covers_below && self.is_match() {
            return Self::everything();
        }
        let rest = self
            .rest
            .iter()
            .filter_map(|path| path.split_first().filter(|(step, _)| matches(step)).map(|(_, rest)| rest))
            .collect();
        Self { rest, ..*self }
    }
}
