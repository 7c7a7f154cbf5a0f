//! Evaluating a checked expression for one item after the other.

use std::sync::Arc;

use cel::common::ast::{Expr, IdedExpr, operators};
use cel::common::value::Val;
use cel::{Context, ExecutionError, Value};

use super::budget::Budget;
use super::compile::Compiled;
use super::error::{QueryError, QueryErrorKind};
use super::functions::context;
use super::item::{Item, Thing};
use super::kinds::{Comparison, Comparisons, PathReads};
use super::node::Scope;
use super::subject::Subject;
use super::tree::{is_selection, parts};

/// An expression on its way over the items of a document.
pub(super) struct Evaluation<'q, 's> {
    compiled: &'q Compiled,
    context: Context<'s, 's>,
    pub(super) scope: Scope,
    comparisons: Arc<[Comparison]>,
}

impl<'q, 's> Evaluation<'q, 's> {
    pub(super) fn new<'t: 's>(compiled: &'q Compiled, subject: &'s Subject<'t>, is_masked: bool) -> Self {
        let paths = compiled.paths.iter().map(|(path, _)| PathReads::new(path)).collect();
        let scope = Scope { paths, ..Scope::new(is_masked) };
        let comparisons: Arc<[Comparison]> =
            compiled.comparisons.iter().map(|_| Comparison::default()).collect();
        let mut context = context(&scope, &compiled.patterns, &comparisons);
        context.add_variable_as_val("plan", Box::new(Thing::new(subject.plan(), &scope)));
        Self { compiled, context, scope, comparisons }
    }

    /// The comparisons and lookups made so far.
    pub(super) fn comparisons(&self) -> Comparisons {
        Comparisons::new(&self.comparisons, &self.scope.paths)
    }

    /// Goes on to an item.
    pub(super) fn see<'t: 's>(&mut self, item: Item<'s, 't>) {
        self.context.add_variable_as_val("rc", Box::new(Thing::new(item.0, &self.scope)));
    }

    /// Evaluates a part of the expression for the item, and makes something of the value.
    pub(super) fn evaluate<R>(
        &self,
        expr: &IdedExpr,
        make: impl FnOnce(&dyn Val) -> Result<R, ExecutionError>,
    ) -> Result<R, QueryError> {
        self.scope.renew();
        let evaluated = Value::resolve_val(expr, &self.context);
        // `||` may have ignored the error that the budget is exceeded.
        let evaluated = if self.scope.budget.is_exceeded() { Err(Budget::error()) } else { evaluated };
        let hides_errors = self.compiled.hides_errors;
        let unknown = &self.scope.unknown;
        // A displayed selection may show null for unknown elements. A computed result must not.
        let depends = unknown.has_passed() && !(self.scope.is_masked && is_selection(expr));
        let is_open =
            (depends || unknown.made(evaluated.is_err(), hides_errors)) && !self.scope.budget.is_exceeded();
        if is_open {
            let place = if evaluated.is_err() { self.culprit(expr) } else { expr };
            return Err(QueryError::undecided(self.compiled.places.all(place)));
        }
        match evaluated {
            Ok(value) => make(value.as_ref()).map_err(|error| self.error(&error, expr)),
            // Looking for the part that took too much would take as much again.
            Err(error) if self.scope.budget.is_exceeded() => Err(self.error(&error, expr)),
            Err(error) => {
                let place = self.culprit(expr);
                Err(self.error(&error, place))
            }
        }
    }

    fn error(&self, error: &ExecutionError, place: &IdedExpr) -> QueryError {
        let places = &self.compiled.places;
        let is_absent = matches!(error, ExecutionError::NoSuchKey(_) | ExecutionError::IndexOutOfBounds(_));
        match &place.expr {
            // Take the name from the expression, because that in the error may be a value of the document.
            Expr::Select(select) if is_absent => {
                let place = places.name(place, &select.field);
                let message = format!("there is no `{}`", select.field);
                QueryError::new(QueryErrorKind::Absent, place, message)
            }
            _ => QueryError::of_evaluation(error, places.all(place)),
        }
    }

    /// The innermost part of an expression that fails on its own.
    fn culprit<'e>(&'e self, expr: &'e IdedExpr) -> &'e IdedExpr {
        let fails = |part: &&IdedExpr| {
            self.scope.budget.renew();
            Value::resolve_val(part, &self.context).is_err()
        };
        // The other parts of a loop read its names, which are bound only while the loop runs.
        let of_loop =
            |comprehension: &'e cel::common::ast::ComprehensionExpr| vec![&comprehension.iter_range];
        let candidates = match &expr.expr {
            Expr::Comprehension(comprehension) => of_loop(comprehension),
            Expr::Call(call) if call.func_name == operators::CONDITIONAL => {
                // The branch that is not taken may fail on its own, and is not to blame.
                let chosen = |condition: &IdedExpr| {
                    let value = Value::resolve_val(condition, &self.context).ok()?;
                    value.downcast_ref::<cel::common::types::CelBool>().map(|value| *value.inner())
                };
                match (&call.args[..], call.args.first().map(chosen)) {
                    ([_, yes, _], Some(Some(true))) => vec![yes],
                    ([_, _, no], Some(Some(false))) => vec![no],
                    _ => call.args.iter().take(1).collect(),
                }
            }
            _ => parts(expr),
        };
        match candidates.into_iter().find(fails) {
            Some(part) => self.culprit(part),
            None => expr,
        }
    }
}
