//! What is found in one document.

use std::time::Instant;

use objchange_plan::Document as Read;
use objchange_policy::query::{
    CollectionKind, Comparisons, Item, Projection, Query, QueryErrorKind, Subject, SubjectError,
};
use serde_json::Value;

use super::tally::{Tallies, Tally};
use super::{Args, Form};
use crate::documents::Document;

/// What is asked about each document.
pub(super) struct Questions<'a> {
    pub(super) of: CollectionKind,
    pub(super) query: &'a Query,
    pub(super) projection: Option<&'a Projection>,
    pub(super) args: &'a Args,
}

/// What is found in a document.
pub(super) struct Answer {
    pub(super) found: u64,
    /// The keys of the items for which the answer is unknown until apply.
    pub(super) undecided: Vec<String>,
    /// Of the expression, and of the columns.
    pub(super) comparisons: [Comparisons; 2],
    /// Those that are printed, as far as they are.
    pub(super) items: Vec<Found>,
    pub(super) tallies: Tallies,
}

/// An item that is found.
pub(super) struct Found {
    pub(super) key: String,
    pub(super) actions: Option<&'static [&'static str]>,
    /// The fields, where they are printed.
    pub(super) fields: Vec<(&'static str, Value)>,
    /// What is selected, or the group.
    pub(super) values: Vec<Value>,
}

impl Questions<'_> {
    /// Looks at all items of a document.
    pub(super) fn answer(&self, document: &Document) -> Result<Answer, String> {
        let read = Read::parse(&document.text).map_err(|error| document.complaint(&error))?;
        let subject = Subject::new(self.of, read).map_err(|error| match error {
            SubjectError::Document(error) => document.complaint(&error),
            SubjectError::IsState => {
                format!("{}: {error}; --of state asks about its resources", document.name)
            }
        })?;
        let mut matching = self.query.on(&subject);
        let mut projecting = self.projection.map(|projection| projection.on(&subject));
        let mut tallies = Tallies::default();
        tallies.columns.resize_with(self.projection.map_or(0, |of| of.names().len()), Default::default);
        let (mut found, mut items, mut undecided) = (0, Vec::new(), Vec::new());
        let begun = Instant::now();
        for (key, item) in subject.items() {
            // What one item may take is bounded by its steps.
            if begun.elapsed().as_secs() >= self.args.timeout {
                let (name, timeout) = (&document.name, self.args.timeout);
                return Err(format!("{name}: evaluation exceeded {timeout} s; raise it with --timeout"));
            }
            let answer = matching.matches(item);
            let is_undecided = answer.as_ref().is_err_and(|error| error.kind == QueryErrorKind::Unknown);
            if is_undecided && !self.args.undecided {
                undecided.push(key.to_owned());
            }
            let is_found = match self.args.undecided {
                true => is_undecided,
                false => tallies.filter.note(answer).unwrap_or(false),
            };
            if tallies.filter.is_limit() {
                break;
            }
            if !is_found {
                continue;
            }
            found += 1;
            if self.args.count {
                continue;
            }
            let values = projecting.as_mut().map(|projecting| projecting.values(item)).unwrap_or_default();
            let values = values.into_iter().zip(&mut tallies.columns);
            let values = values.map(|(value, tally)| tally.note(value).unwrap_or_default()).collect();
            items.push(self.found(key, item, values));
            if tallies.columns.iter().any(Tally::is_limit) {
                break;
            }
        }
        let of_columns = projecting.map(|projecting| projecting.comparisons()).unwrap_or_default();
        Ok(Answer { found, items, undecided, comparisons: [matching.comparisons(), of_columns], tallies })
    }

    fn found(&self, key: &str, item: Item<'_, '_>, values: Vec<Value>) -> Found {
        let has_fields = self.args.form() == Form::Json && self.projection.is_none();
        Found {
            key: key.to_owned(),
            actions: item.actions(),
            fields: if has_fields { item.fields() } else { Vec::new() },
            values,
        }
    }
}
