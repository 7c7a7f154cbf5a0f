//! What becomes of items for which an expression has no value.
//!
//! Such an item is not found: a plan has resources of many types, and an attribute of one is missing in another. But
//! an expression that has a value for no item at all is told: as an error where something is done with a value that is
//! not for its type, which no other document will change; as a warning where something is missing, which other documents
//! may have.

use std::io;

use objchange_policy::query::{QueryError, QueryErrorKind};

use super::QueryText;

/// How often an expression had a value.
#[derive(Debug, Default)]
pub(super) struct Tally {
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

    /// Why there is no value for any item.
    fn reason(&self) -> Option<&QueryError> {
        self.first.as_ref().filter(|_| self.failed == self.evaluated || self.is_limit())
    }
}

/// The tallies of a document: of the expression, and of each column.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    pub(super) filter: Tally,
    pub(super) columns: Vec<Tally>,
}

/// The tallies of all documents.
#[derive(Debug, Default)]
pub(super) struct Verdict(Tallies);

impl Verdict {
    /// Takes note of those of a document; whether the work ends here, as an item took too much.
    pub(super) fn note(&mut self, tallies: Tallies) -> bool {
        self.0.filter.add(tallies.filter);
        self.0.columns.resize_with(self.0.columns.len().max(tallies.columns.len()), Tally::default);
        for (all, tally) in self.0.columns.iter_mut().zip(tallies.columns) {
            all.add(tally);
        }
        self.is_limit()
    }

    pub(super) fn is_limit(&self) -> bool {
        self.0.filter.is_limit() || self.0.columns.iter().any(Tally::is_limit)
    }

    /// Says what has a value for no item; whether that is an error.
    pub(super) fn tell(&self, filter: &QueryText, other: Option<&QueryText>) -> io::Result<bool> {
        let mut is_error = false;
        let of_columns = self.0.columns.iter().filter_map(|tally| Some((other?, tally)));
        for (written, tally) in [(filter, &self.0.filter)].into_iter().chain(of_columns) {
            match tally.reason() {
                None => {}
                Some(error) if error.kind == QueryErrorKind::Absent => written.warn(error, " in any item"),
                Some(error) => {
                    written.complain(error)?;
                    is_error = true;
                }
            }
        }
        Ok(is_error)
    }
}
