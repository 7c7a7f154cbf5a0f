//! References where an expression may be nothing else.

use crate::syntax::ast::{Access, Expr, ExprKind, StepKind, TraversalStep};
use crate::syntax::parse_expression_at;

use super::Reader;

const INVALID: &str = "Invalid expression";
pub(crate) const NO_REFERENCE: &str = "A single static variable reference is required: only attribute access and indexing with \
                            constant keys. No calculations, function calls, template expressions, etc are allowed here.";

impl Reader<'_> {
    /// The expressions of a list that is written out.
    pub(super) fn list<'e>(&mut self, expr: &'e Expr) -> &'e [Expr] {
        match &expr.kind {
            ExprKind::Tuple(items) => items,
            ExprKind::Missing => &[],
            _ => {
                let place = self.start_of(expr);
                self.problems.error(INVALID, place, "A static list expression is required.");
                &[]
            }
        }
    }

    /// Reads a list of references; some may be quoted.
    pub(super) fn reference_list(&mut self, expr: &Expr) -> Vec<Expr> {
        self.list(expr).iter().filter_map(|item| self.reference(item)).collect()
    }

    /// A reference, which may be in quotes.
    pub(super) fn reference(&mut self, expr: &Expr) -> Option<Expr> {
        let expr = self.unquoted(expr)?;
        if is_reference(&expr) {
            return Some(expr);
        }
        if !matches!(expr.kind, ExprKind::Missing) {
            self.problems.error(INVALID, expr.span, NO_REFERENCE);
        }
        None
    }

    /// Parses a quoted reference as an expression, with a warning; returns other expressions unchanged.
    pub(super) fn unquoted(&mut self, expr: &Expr) -> Option<Expr> {
        let ExprKind::Text(text) = &expr.kind else { return Some(expr.clone()) };
        let text = text.as_str().unwrap_or_default();
        // Between the quotes.
        match parse_expression_at(text, expr.span.start + 1) {
            Ok(mut inner) => {
                let detail = "In this context, references are expected literally rather than in quotes. Terraform 0.11 \
                              and earlier required quotes, but quoted references are now deprecated and will be removed \
                              in a future version of Terraform. Remove the quotes surrounding this reference to silence \
                              this warning.";
                // As Terraform 0.11 wrote them. They still work.
                self.problems.warning("Quoted references are deprecated", expr.span, detail);
                inner.span = expr.span;
                Some(inner)
            }
            Err(found) => {
                self.problems.errors.extend(found);
                None
            }
        }
    }
}

/// Whether an expression is a name, with attributes and literal indexes.
pub(super) fn is_reference(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Variable(_))
}

/// The only name that an expression is.
pub(super) fn keyword(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Variable(variable) if variable.steps.is_empty() => Some(&variable.name),
        _ => None,
    }
}

/// The name that a literal value is written as.
fn literal_name(expr: &Expr) -> Option<&'static str> {
    let ExprKind::Literal(value) = &expr.kind else { return None };
    match value.as_bool() {
        Some(true) => Some("true"),
        Some(false) => Some("false"),
        None => value.is_null().then_some("null"),
    }
}

/// An expression that ends in an index, without that, and the index.
pub(super) fn without_key(expr: &Expr) -> (Option<Expr>, Option<Expr>) {
    match &expr.kind {
        ExprKind::Variable(variable) => {
            let Some(TraversalStep { kind: StepKind::Index(key), span }) = variable.steps.last() else {
                return (None, None);
            };
            let mut named = variable.clone();
            named.steps.pop();
            let named = Expr::new(expr.span, ExprKind::Variable(named));
            (Some(named), Some(Expr::new(*span, ExprKind::Literal(key.clone()))))
        }
        // `null.by["eu"]` is one, too, because the name of that provider is a literal value.
        ExprKind::Relative(relative) => {
            let key = match relative.accesses.last() {
                Some(Access::Computed { key, .. }) => key.clone(),
                Some(Access::Step(TraversalStep { kind: StepKind::Index(key), span })) => {
                    Expr::new(*span, ExprKind::Literal(key.clone()))
                }
                _ => return (None, None),
            };
            let mut named = relative.clone();
            named.accesses.pop();
            let named = match named.accesses.is_empty() {
                true => named.source,
                false => Expr::new(expr.span, ExprKind::Relative(named)),
            };
            (Some(named), Some(key))
        }
        _ => (None, None),
    }
}

/// The names that an expression is made of: a root and attributes.
pub(super) fn names(expr: &Expr) -> Option<Vec<&str>> {
    let variable = match &expr.kind {
        ExprKind::Variable(variable) => variable,
        // The names of providers may be those of literal values.
        ExprKind::Literal(_) => return Some(vec![literal_name(expr)?]),
        ExprKind::Relative(relative) => {
            let mut names = vec![literal_name(&relative.source)?];
            for access in &relative.accesses {
                let Access::Step(TraversalStep { kind: StepKind::Attribute(name), .. }) = access else {
                    return None;
                };
                names.push(name);
            }
            return Some(names);
        }
        _ => return None,
    };
    let attributes = variable.steps.iter().map(|step| match &step.kind {
        StepKind::Attribute(name) => Some(name.as_str()),
        StepKind::Index(_) => None,
    });
    std::iter::once(Some(variable.name.as_str())).chain(attributes).collect()
}
