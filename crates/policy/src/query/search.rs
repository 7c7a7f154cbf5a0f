//! Finds items in one document.

use objchange_document::{Document, DocumentError, PlanSection};
use serde_json::Value;

use super::tally::{Tallies, Tally};
use super::{Comparisons, Item, Projection, Query, QueryErrorKind, Subject};

/// A search in each document.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The query that selects items.
    pub query: &'a Query,
    /// The projection of each item, if there is one.
    pub projection: Option<&'a Projection>,
    /// Items for which the answer is unknown until apply, instead of those that match.
    pub undecided: bool,
    /// Only how many there are.
    pub counts_only: bool,
    /// Also their fields.
    pub with_fields: bool,
}

/// The result of a search in one document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The number of items.
    pub found: u64,
    /// The keys of the items for which the answer is unknown until apply.
    pub undecided: Vec<String>,
    /// Statistics of the expression, and of the columns.
    pub comparisons: [Comparisons; 2],
    /// The items, if they are wanted.
    pub items: Vec<FoundItem>,
    /// How often the expressions had a value.
    pub tallies: Tallies,
}

/// An item that is found.
#[derive(Debug)]
#[non_exhaustive]
pub struct FoundItem {
    /// Its address, with the key where it is deposed.
    pub key: String,
    /// The actions, if it is a change.
    pub actions: Option<&'static [&'static str]>,
    /// The fields, where they are wanted.
    pub fields: Vec<(&'static str, Value)>,
    /// The values of the projection.
    pub values: Vec<Value>,
}

impl Search<'_> {
    /// Refuses a plan that lacks what the expressions look at beside its items: nothing would match.
    ///
    /// # Errors
    ///
    /// They look at the version of Terraform, and the plan does not say it.
    pub fn require(&self, document: &Document<'_>) -> Result<(), DocumentError> {
        let reads_version =
            self.query.reads_version() || self.projection.is_some_and(Projection::reads_version);
        match document {
            Document::Plan(plan) if reads_version => plan.require(PlanSection::TerraformVersion),
            _ => Ok(()),
        }
    }

    /// Searches all items of a document. Steps bound the work for one item. `is_over` is checked before each item; the
    /// answer is `None` once the time is up.
    pub fn answer(&self, subject: &Subject<'_>, is_over: impl Fn() -> bool) -> Option<Answer> {
        let mut matching = self.query.on(subject);
        let mut projecting = self.projection.map(|projection| projection.on(subject));
        let mut tallies = Tallies::default();
        tallies
            .columns
            .resize_with(self.projection.map_or(0, |projection| projection.names().len()), Default::default);
        let (mut found, mut items, mut undecided) = (0, Vec::new(), Vec::new());
        for (key, item) in subject.items() {
            if is_over() {
                return None;
            }
            let answer = matching.matches(item);
            let is_undecided = answer.as_ref().is_err_and(|error| error.kind == QueryErrorKind::Unknown);
            if is_undecided && !self.undecided {
                undecided.push(key.to_owned());
            }
            let is_matching = tallies.filter.note(answer).unwrap_or(false);
            let is_found = if self.undecided { is_undecided } else { is_matching };
            // The next item may take as long, so one that takes too much ends the search.
            if tallies.filter.is_limit() {
                break;
            }
            if !is_found {
                continue;
            }
            found += 1;
            // A number needs no values, which may take longer to make than the search.
            if self.counts_only {
                continue;
            }
            let values = projecting.as_mut().map(|projecting| projecting.values(item)).unwrap_or_default();
            let values = values.into_iter().zip(&mut tallies.columns);
            let values = values.map(|(value, tally)| tally.note(value).unwrap_or_default()).collect();
            items.push(self.found_item(key, item, values));
            if tallies.columns.iter().any(Tally::is_limit) {
                break;
            }
        }
        let of_columns = projecting.map(|projecting| projecting.comparisons()).unwrap_or_default();
        Some(Answer { found, items, undecided, comparisons: [matching.comparisons(), of_columns], tallies })
    }

    fn found_item(&self, key: &str, item: Item<'_, '_>, values: Vec<Value>) -> FoundItem {
        FoundItem {
            key: key.to_owned(),
            actions: item.actions(),
            fields: if self.with_fields { item.fields() } else { Vec::new() },
            values,
        }
    }
}
