//! Queries: expressions in CEL, the Common Expression Language, over the items of a plan, a state or a configuration.
//!
//! ```
//! use objchange_policy::query::{CollectionKind, Projection, Query, Subject};
//! use objchange_document::Document;
//!
//! let query = Query::parse(CollectionKind::ResourceChanges, r#"rc.type == "disk" && changed(rc, "tags.Owner")"#)?;
//! let owner = Projection::parse(CollectionKind::ResourceChanges, r#"new(rc, "tags.Owner")"#)?;
//!
//! let document = Document::parse(
//!     r#"{"format_version":"1.2","resource_changes":[{"address":"disk.a","type":"disk","name":"a","change":{
//!         "actions":["update"],"before":{"tags":{"Owner":"ann"}},"after":{"tags":{"Owner":"bob"}},
//!         "after_unknown":{},"before_sensitive":{},"after_sensitive":{}}}]}"#,
//! )?;
//! let subject = Subject::new(CollectionKind::ResourceChanges, &document)?;
//! let (mut query, mut owner) = (query.on(&subject), owner.on(&subject));
//! let (key, item) = subject.items().next().unwrap();
//! assert!(query.matches(item)?);
//! assert_eq!((key, owner.values(item)), ("disk.a", vec![Ok("bob".into())]));
//!
//! let error = Query::parse(CollectionKind::ResourceChanges, "rc.typ == 1").unwrap_err();
//! assert_eq!((error.place.clone(), error.to_string()), (3..6, "a resource change has no field `typ`; did you mean `type`?".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `rc` is the item and `plan` its plan. The fields are those of the collections for policies
//! ([`tfplan`](crate::tfplan), [`tfstate`](crate::tfstate), [`tfconfig`](crate::tfconfig)), read on demand.
//! JSON numbers that are written as integers are ints or uints if they fit in 64 bits; all others are
//! doubles.
//!
//! In addition to CEL's functions there are these, with paths such as `tags.Owner` or `ingress[0].cidr`:
//!
//! | Function | Answer |
//! |---|---|
//! | `unknown(rc, path)` | whether the value after apply is unknown |
//! | `changed(rc, path)` | whether the value may change: both sides differ, or a part is unknown |
//! | `old(rc, path)`, `new(rc, path)` | the value before and after; null if it is absent or unknown |
//! | `sensitive(rc, path)` | whether it is sensitive, before or after |
//! | `replaced(rc)` | whether the object is replaced by another one |
//! | `changes_only(rc, paths)` | whether the object is updated, and nothing changes but values at these paths, which are those that `--ignore` takes |
//! | `in_module(rc, address)` | whether the object is in this module or in a module inside it; a step without a key matches any instance |
//! | `semver(version, constraints)` | whether a version meets constraints such as `">= 1.5, < 2.0"` or `"~> 1.5"` |
//!
//! A [`Query`] can compare sensitive values. A [`Projection`] returns values to be shown: `(sensitive value)` is in place of
//! every sensitive value, and of all that is computed from one. No error contains a value of a document.

mod beside;
mod budget;
mod check;
mod compare;
mod compile;
mod error;
mod evaluate;
mod functions;
mod item;
mod kinds;
mod model;
mod node;
mod printer;
mod question;
mod result;
mod search;
mod subject;
mod tally;
mod tree;
mod undecided;
mod unknown;

use std::fmt;
use std::ops::Range;

use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use cel::common::types::CelBool;
use objchange::value::Path;
use objchange_plan::IgnoredPath;
use objchange_text::redact::SENSITIVE;
use serde_json::Value;

use self::compile::Compiled;
use self::error::refused;
pub use self::error::{QueryError, QueryErrorKind};
use self::evaluate::Evaluation;
pub use self::item::Item;
pub use self::kinds::Comparisons;
use self::kinds::WrittenPath;
pub use self::model::CollectionKind;
pub use self::printer::{Form, Printed, Printer};
pub use self::search::{Answer, FoundItem, Search};
pub use self::subject::{Subject, SubjectError};
pub use self::tally::{Tallies, Tally};
use self::tree::is_selection;
pub use self::undecided::UndecidedItems;

/// An expression that is true for the items that are looked for.
#[derive(Debug)]
pub struct Query(Compiled);

/// An expression that gives values of items, to be shown.
#[derive(Debug)]
pub struct Projection {
    compiled: Compiled,
    names: Vec<Option<String>>,
}

/// A query over the items of a document.
pub struct Matching<'q, 's>(&'q Query, Evaluation<'q, 's>);

/// A projection of the items of a document.
pub struct Projecting<'q, 's>(&'q Projection, Evaluation<'q, 's>);

impl Query {
    /// Reads and checks an expression.
    ///
    /// # Errors
    ///
    /// The text is not an expression, or names what is not there. The error says where.
    pub fn parse(collection: CollectionKind, text: &str) -> Result<Self, QueryError> {
        Compiled::parse(collection, text).map(Self)
    }

    /// The comparisons that never could hold, as what they compared was of kinds that never are equal: of a list and a
    /// string, say; and the paths that lead nowhere: none of the resources has an attribute of that name. Each error says
    /// where.
    pub fn impossible(&self, comparisons: &Comparisons) -> Vec<QueryError> {
        let error = |(index, [a, b]): (usize, [kinds::Kinds; 2])| {
            let place = self.0.comparisons.get(index).cloned().unwrap_or_default();
            let message = format!("this compares {a} with {b}, which never are equal");
            QueryError::new(QueryErrorKind::Type, place, message)
        };
        comparisons.impossible().map(error).chain(unfound_paths(&self.0, comparisons)).collect()
    }

    /// The paths of `changes_only` that no item has: they may be misspelt, or no item of this plan has such values.
    pub fn unmatched(&self, comparisons: &Comparisons) -> Vec<QueryError> {
        let paths = comparisons.unfound_paths().filter_map(|index| self.0.paths.get(index));
        let ignored = paths.filter_map(|(path, place)| match path {
            WrittenPath::Ignored(path) => Some((path, place)),
            WrittenPath::Read(_) => None,
        });
        let error = |(path, place): (&IgnoredPath, &Range<usize>)| {
            QueryError::new(QueryErrorKind::Name, place.clone(), format!("`{path}` matches nothing here"))
        };
        ignored.map(error).collect()
    }

    /// Whether it looks at the version of the plan, which a part of a document lacks.
    pub(super) fn reads_version(&self) -> bool {
        self.0.reads_version
    }

    /// The query for the items of a document.
    pub fn on<'q, 's, 't: 's>(&'q self, subject: &'s Subject<'t>) -> Matching<'q, 's> {
        Matching(self, Evaluation::new(&self.0, subject, false))
    }
}

impl<'s> Matching<'_, 's> {
    /// Whether the expression is true for an item.
    ///
    /// # Errors
    ///
    /// It has no value, as something is not there or of another type, or none that is true or false. Or the answer
    /// depends on values that are unknown until apply ([`QueryErrorKind::Unknown`]): every other answer is the same
    /// whatever these will be.
    pub fn matches<'t: 's>(&mut self, item: Item<'s, 't>) -> Result<bool, QueryError> {
        self.1.see(item);
        let expr = &self.0.0.expr;
        let answer = self.1.evaluate(expr, |value| match value.downcast_ref::<CelBool>() {
            Some(value) => Ok(*value.inner()),
            None => Err(refused(&format!("this must be true or false, and is {}", value.get_type().name()))),
        });
        match answer {
            // A match depends on whether there is such an item. That it does not match holds either way.
            Ok(true) if item.is_possible() => Err(QueryError::undecided(self.0.0.places.all(expr))),
            answer => answer,
        }
    }
}

impl Matching<'_, '_> {
    /// The comparisons and lookups made so far, for [`Query::impossible`].
    pub fn comparisons(&self) -> Comparisons {
        self.1.comparisons()
    }
}

impl Projection {
    /// Whether it looks at the version of the plan, which a part of a document lacks.
    pub(super) fn reads_version(&self) -> bool {
        self.compiled.reads_version
    }

    /// Reads and checks an expression. A map gives a column for each of its keys, a list one for each element, and
    /// everything else one.
    ///
    /// # Errors
    ///
    /// The text is not an expression, or names what is not there. The error says where.
    pub fn parse(collection: CollectionKind, text: &str) -> Result<Self, QueryError> {
        let compiled = Compiled::parse(collection, text)?;
        let names = columns(&compiled.expr).into_iter().map(|(name, _)| name.map(str::to_owned)).collect();
        Ok(Self { compiled, names })
    }

    /// The names of the columns, where they have names.
    pub fn names(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.names.iter().map(Option::as_deref)
    }

    /// The paths that lead nowhere, as [`Query::impossible`] has them.
    pub fn impossible(&self, comparisons: &Comparisons) -> Vec<QueryError> {
        unfound_paths(&self.compiled, comparisons).collect()
    }

    /// The projection for the items of a document.
    pub fn on<'q, 's, 't: 's>(&'q self, subject: &'s Subject<'t>) -> Projecting<'q, 's> {
        Projecting(self, Evaluation::new(&self.compiled, subject, true))
    }
}

impl<'s> Projecting<'_, 's> {
    /// The value of each column for an item, or why it has none.
    pub fn values<'t: 's>(&mut self, item: Item<'s, 't>) -> Vec<Result<Value, QueryError>> {
        self.1.see(item);
        // Each column is evaluated on its own, so that an error in one leaves the others.
        columns(&self.0.compiled.expr).into_iter().map(|(_, column)| self.value(column)).collect()
    }

    /// A value that is only selected is shown, with its sensitive parts replaced. One that is computed from a sensitive value is
    /// sensitive as a whole: computed from the text in its place it would be wrong, and computed from the value it would tell
    /// of it.
    fn value(&self, column: &IdedExpr) -> Result<Value, QueryError> {
        let scope = &self.1.scope;
        let mut is_of_secret = None;
        let shown = self.1.evaluate(column, |value| {
            is_of_secret = Some(scope.has_masked());
            result::json(value, &scope.budget)
        });
        let is_of_secret = is_of_secret.unwrap_or_else(|| scope.has_masked());
        match shown {
            Ok(_) if is_of_secret && !is_selection(column) => Ok(SENSITIVE.into()),
            // The text in place of the value has other parts and another type.
            Err(error)
                if is_of_secret && matches!(error.kind, QueryErrorKind::Absent | QueryErrorKind::Type) =>
            {
                Ok(SENSITIVE.into())
            }
            shown => shown,
        }
    }
}

impl Projecting<'_, '_> {
    /// The lookups made so far, for [`Projection::impossible`].
    pub fn comparisons(&self) -> Comparisons {
        self.1.comparisons()
    }
}

/// An error for each path that leads to an attribute of no resource in which it was looked for.
fn unfound_paths(compiled: &Compiled, comparisons: &Comparisons) -> impl Iterator<Item = QueryError> {
    let paths = comparisons.unfound_paths().filter_map(|index| compiled.paths.get(index));
    paths.filter_map(|(path, place)| {
        let WrittenPath::Read(path) = path else { return None };
        let attribute = path.steps().iter().take(1).cloned().collect::<Path>().to_string();
        let message = format!("no resource has an attribute `{attribute}`");
        Some(QueryError::new(QueryErrorKind::Name, place.clone(), message))
    })
}

/// The columns of an expression. Where a part of the whole cannot be a column, the whole is one.
fn columns(expr: &IdedExpr) -> Vec<(Option<&str>, &IdedExpr)> {
    // Only a key that is written in the expression can be the name of a column of all items.
    let named = |entry: &EntryExpr| matches!(entry, EntryExpr::MapEntry(entry) if !entry.optional && check::literal(&entry.key).is_some());
    match &expr.expr {
        Expr::Map(map) if !map.entries.is_empty() && map.entries.iter().all(|entry| named(&entry.expr)) => {
            map.entries
                .iter()
                .filter_map(|entry| match &entry.expr {
                    EntryExpr::MapEntry(entry) => Some((check::literal(&entry.key), &entry.value)),
                    EntryExpr::StructField(_) => None,
                })
                .collect()
        }
        Expr::List(list) if !list.elements.is_empty() && list.optional_indices.is_empty() => {
            list.elements.iter().map(|element| (None, element)).collect()
        }
        _ => vec![(None, expr)],
    }
}

impl fmt::Debug for Matching<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Projecting<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
