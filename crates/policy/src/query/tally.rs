//! Counts items for which an expression has no value, and decides whether that is an error.
//!
//! Such an item does not match: a plan has resources of many types, and an attribute of one is missing in another. But
//! an expression without a value for any item is reported: as an error if an operation does not fit the type of a
//! value, which no other document changes; as a warning if something is missing, which other documents may have.

use super::{QueryError, QueryErrorKind};

/// How often an expression had a value.
#[derive(Debug, Default)]
pub struct Tally {
    evaluated: u64,
    failed: u64,
    first: Option<QueryError>,
}

impl Tally {
    /// Takes note of an outcome; the value, if there is one.
    pub(super) fn note<T>(&mut self, outcome: Result<T, QueryError>) -> Option<T> {
        self.evaluated += 1;
        outcome.map_err(|error| self.fail(error)).ok()
    }

    fn fail(&mut self, error: QueryError) {
        if error.kind == QueryErrorKind::Unknown {
            // It has a value after apply.
            return;
        }
        self.failed += 1;
        let is_limit = |error: &QueryError| error.kind == QueryErrorKind::Limit;
        if self.first.as_ref().is_none_or(|first| is_limit(&error) && !is_limit(first)) {
            self.first = Some(error);
        }
    }

    /// Whether an item took too much.
    pub(super) fn is_limit(&self) -> bool {
        self.first.as_ref().is_some_and(|first| first.kind == QueryErrorKind::Limit)
    }

    fn add(&mut self, other: Self) {
        self.evaluated += other.evaluated;
        let failed = self.failed + other.failed;
        if let Some(error) = other.first {
            self.fail(error);
        }
        self.failed = failed;
    }

    /// Why there is no value for any item, or that an item took too much.
    pub fn reason(&self) -> Option<&QueryError> {
        self.first.as_ref().filter(|_| self.failed == self.evaluated || self.is_limit())
    }
}

/// The tallies of an expression and of each column, over the items of one document or of several.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Tallies {
    /// For the expression.
    pub filter: Tally,
    /// For each column.
    pub columns: Vec<Tally>,
}

impl Tallies {
    /// Adds those of a document; whether the work ends here, as an item took too much.
    pub fn add(&mut self, tallies: Self) -> bool {
        self.filter.add(tallies.filter);
        self.columns.resize_with(self.columns.len().max(tallies.columns.len()), Tally::default);
        for (all, tally) in self.columns.iter_mut().zip(tallies.columns) {
            all.add(tally);
        }
        self.is_limit()
    }

    /// Whether an item took too much.
    pub fn is_limit(&self) -> bool {
        self.filter.is_limit() || self.columns.iter().any(Tally::is_limit)
    }
}
