//! Evaluates expressions, with unknown values and marks.
//!
//! Evaluation always returns a value. A failed part becomes unknown, with its type if that is clear, and evaluation
//! goes on around it: one run reports every error.

mod access;
mod call;
mod collection;
mod conditional;
mod decisive;
pub(crate) mod equality;
mod explain;
mod for_loop;
pub(crate) mod forms;
mod operator;
pub(crate) mod prefix;
mod scope;
mod size;
mod splat;
mod template;
mod type_expr;

use std::borrow::Cow;

use objchange::value::{Marks, PathStep, Refinements};
use objchange::{Type, Value};
use objchange_text::{Diagnostic, Span, Summary};

pub use access::no_element;
pub use decisive::{DecisiveElements, elements_that_decide};
pub use explain::DiagnosticExt;
pub(crate) use explain::explain;
pub(crate) use forms::in_one_sentence;
pub use scope::{Scope, Variables};
pub(crate) use type_expr::without_keys;
pub use type_expr::{TypeConstraint, constant, constant_value};

use crate::function::{CallContext, Capability, Functions};
use crate::suggestion::did_you_mean;
use crate::syntax::ast::{Expr, ExprKind, Variable};

/// An error costs this many steps.
const STEPS_PER_ERROR: u64 = 64;

/// Replaces the details of an error that may quote marked values.
const HIDDEN: &str =
    "This is not explained, because values here come from one that is sensitive or ephemeral.";

/// A step pays for this many bytes of new text.
const BYTES_PER_STEP: u64 = 8;

/// A step pays for reading this many parts of a value.
const PARTS_PER_STEP: u64 = 4;

/// Reading this many bytes of text costs as much as reading one part.
const BYTES_PER_PART: u64 = 16;

/// The steps that reading a text of this length costs.
pub(crate) fn steps_to_read(length: usize) -> u64 {
    length as u64 / (PARTS_PER_STEP * BYTES_PER_PART)
}

/// Evaluates an expression. Failed parts are unknown in the value; the errors say why.
///
/// ```
/// use objchange::Value;
/// use objchange_hcl::{Functions, Scope, Variables, evaluate, parse_expression};
///
/// let variables: Variables = [("port", Value::from(80))].into_iter().collect();
/// let expr = parse_expression("port < 1024 ? \"low ${port}\" : \"high\"").unwrap();
/// let (value, errors) = evaluate(&expr, &Scope::new(&variables), Functions::pure());
/// assert_eq!(value, Value::from("low 80"));
/// assert!(errors.is_empty());
/// ```
pub fn evaluate(expr: &Expr, scope: &Scope<'_>, functions: &Functions) -> (Value, Vec<Diagnostic>) {
    let mut evaluator = Evaluator::new(functions);
    let value = evaluator.explained(expr, scope);
    (value, evaluator.into_diagnostics())
}

/// Follows steps into a value, and returns the error of the first one that leads nowhere.
///
/// ```
/// use objchange::value::PathStep;
/// use objchange::{Type, Value};
/// use objchange_hcl::{Functions, Span, wrong_step};
///
/// let text = Value::unknown(Type::String);
/// let steps = [(PathStep::Index(Value::from(0)), Span::default())];
/// let error = wrong_step(text, &steps, Functions::pure()).unwrap();
/// assert_eq!(error.detail, "This value does not have any indices.");
/// ```
pub fn wrong_step(value: Value, steps: &[(PathStep, Span)], functions: &Functions) -> Option<Diagnostic> {
    let mut evaluator = Evaluator::new(functions);
    let end = steps.iter().try_fold(value, |value, (step, span)| match step {
        PathStep::Attribute(name) => evaluator.attribute(&value, name, *span),
        PathStep::Index(key) => evaluator.index(&value, key, *span),
    });
    end.is_err().then(|| evaluator.into_diagnostics().pop()).flatten()
}

/// Like [`evaluate`], for a template that is a text of its own: functions that read files are refused in it.
pub fn evaluate_template(
    template: &Expr,
    scope: &Scope<'_>,
    functions: &Functions,
) -> (Value, Vec<Diagnostic>) {
    let mut evaluator = Evaluator { reach: Capability::Arguments, ..Evaluator::new(functions) };
    let value = evaluator.explained(template, scope);
    (value, evaluator.into_diagnostics())
}

/// Evaluates expressions, and collects their errors.
pub(crate) struct Evaluator<'f> {
    functions: &'f Functions,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// With the steps that are left.
    context: CallContext,
    /// Where there was nothing left to pay with.
    exhausted_at: Option<Span>,
    /// How far functions may reach here.
    reach: Capability,
    /// The name and the text of the template that is rendered, which is a source of its own.
    template: Option<(&'f str, &'f str)>,
    /// Something in scope comes from a value that must not be shown, and does not say so itself.
    pub(crate) hides: bool,
}

impl<'f> Evaluator<'f> {
    pub(crate) fn new(functions: &'f Functions) -> Self {
        Self {
            functions,
            diagnostics: Vec::new(),
            context: CallContext::default(),
            exhausted_at: None,
            reach: Capability::Templates,
            template: None,
            hides: false,
        }
    }

    /// A place in words, as `main.tf:3,1-14`; `None` if nothing says in which file it is.
    fn place(&self, span: Span) -> Option<String> {
        match (self.template, self.functions.sources()) {
            (Some((name, text)), _) => Some(forms::place(name, text, span)),
            (None, Some(sources)) => Some(sources.places().describe(span)),
            (None, None) => None,
        }
    }

    /// Does something with the parts of a value that has these marks, but whose parts do not.
    ///
    /// A loop passes the elements of a sensitive collection without marks, and marks only its result. Errors inside could
    /// show the elements, so they quote no values.
    pub(crate) fn hiding<T>(&mut self, marks: Marks, f: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.hide(marks);
        let result = f(self);
        self.hides = around;
        result
    }

    /// From here on, values may come from one with these marks. Gives what to set [`hides`](Self::hides) back to.
    pub(crate) fn hide(&mut self, marks: Marks) -> bool {
        let hides = self.hides || !marks.is_empty();
        std::mem::replace(&mut self.hides, hides)
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, expr: &Expr, scope: &Scope<'_>) -> Value {
        if !self.spend(1, expr.span) {
            return dynamic();
        }
        let errors = self.errors();
        let value = self.plain_value(expr, scope);
        if self.failed_since(errors) && shows_errors(&expr.kind) {
            // Inner expressions have set theirs already: the innermost operation stays.
            let unplaced = self.diagnostics[errors..].iter_mut().filter(|error| error.context.is_none());
            unplaced
                .filter(|error| error.subject != Some(expr.span))
                .for_each(|error| error.context = Some(expr.span));
        }
        value
    }

    fn plain_value(&mut self, expr: &Expr, scope: &Scope<'_>) -> Value {
        match &expr.kind {
            ExprKind::Literal(value) | ExprKind::Text(value) => value.clone(),
            ExprKind::Variable(variable) => self.variable(variable, scope),
            ExprKind::Wrap(inner) | ExprKind::Parens(inner) => self.value(inner, scope),
            ExprKind::Template(parts) => self.template(parts, scope),
            ExprKind::Join(parts) => self.join(parts, expr.span, scope),
            ExprKind::Relative(relative) => {
                let source = self.value(&relative.source, scope);
                self.accesses(source, &relative.accesses, scope)
            }
            ExprKind::Splat(splat) => self.splat(splat, expr.span, scope),
            ExprKind::Element => scope.element().cloned().unwrap_or_else(dynamic),
            ExprKind::Call(call) => self.call(call, scope),
            ExprKind::Tuple(items) => {
                let items: Vec<Value> = items.iter().map(|item| self.value(item, scope)).collect();
                self.paid(Value::tuple(items), expr.span)
            }
            ExprKind::Object(items) => {
                let object = self.object(items, scope);
                self.paid(object, expr.span)
            }
            ExprKind::Properties(items) => {
                let object = self.properties(items, scope);
                self.paid(object, expr.span)
            }
            ExprKind::For(parts) => self.for_loop(parts, expr.span, scope),
            ExprKind::Conditional(conditional) => self.conditional(conditional, expr.span, scope),
            ExprKind::Chain(chain) => self.chain(chain, scope),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr.span, scope),
            ExprKind::Missing => dynamic(),
        }
    }

    fn variable(&mut self, variable: &Variable, scope: &Scope<'_>) -> Value {
        let Some(value) = scope.get(&variable.name) else {
            let hint = did_you_mean(&variable.name, scope.names());
            let detail = format!("There is no variable named {:?}.{hint}", variable.name);
            self.report("Unknown variable", variable.name_span, detail);
            return dynamic();
        };
        if variable.steps.is_empty() {
            return value.clone();
        }
        self.steps(value.clone(), &variable.steps)
    }

    /// Reports an error whose detail may quote values. Where one of these must not be shown, a fixed sentence stands
    /// instead of a detail that was made here.
    pub(crate) fn error(
        &mut self,
        summary: impl Into<Summary>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        match detail.into() {
            Cow::Owned(_) if self.hides => self.report(summary, span, HIDDEN),
            detail => self.report(summary, span, detail),
        }
    }

    /// Reports an error as [`error`](Self::error) does, to be seen in the whole of an expression.
    fn error_in(
        &mut self,
        whole: Span,
        summary: impl Into<Summary>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        let errors = self.errors();
        self.error(summary, span, detail);
        self.diagnostics[errors..].iter_mut().for_each(|error| error.context = Some(whole));
    }

    /// Reports an error whose detail quotes nothing but the source and a schema.
    pub(crate) fn report(
        &mut self,
        summary: impl Into<Summary>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        // Errors cost steps, because an expression may have a million of them and each is as large as many values.
        if self.spend(STEPS_PER_ERROR, span) {
            self.diagnostics.push(Diagnostic::new(summary, span, detail));
        }
    }

    /// Pays for something; once nothing is left, everything else is unknown.
    fn spend(&mut self, steps: u64, span: Span) -> bool {
        match self.context.steps_left.checked_sub(steps) {
            Some(left) if self.exhausted_at.is_none() => {
                self.context.steps_left = left;
                true
            }
            _ => {
                self.exhausted_at.get_or_insert(span);
                false
            }
        }
    }

    /// All that was found to be wrong.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        // Reported last and apart, because errors of dropped branches are removed from the list.
        if let Some(span) = self.exhausted_at {
            let detail =
                "This makes more values, or longer or deeper ones, than are supported in one evaluation.";
            self.diagnostics.push(Diagnostic::new("Evaluation too large", span, detail));
        }
        self.diagnostics
    }

    /// Pays for a walk through the whole value; returns an unknown if the budget is too small.
    pub(crate) fn paid(&mut self, value: Value, span: Span) -> Value {
        if self.pay_walk(&value, span) { value } else { dynamic() }
    }

    /// Pays for a walk through a value.
    fn pay_walk(&mut self, value: &Value, span: Span) -> bool {
        // After exhaustion the walk stops at once.
        let most = if self.exhausted_at.is_none() { self.context.steps_left } else { 0 };
        self.spend(size::within(value, most).unwrap_or(u64::MAX), span)
    }

    /// Pays for a call, or something like one, that reads all of a value.
    fn pay_read(&mut self, value: &Value, span: Span) -> bool {
        let most = if self.exhausted_at.is_none() { self.context.steps_left } else { 0 };
        let parts = size::with_texts(value, most.saturating_mul(PARTS_PER_STEP), BYTES_PER_PART);
        self.spend(parts.map_or(u64::MAX, |parts| parts.div_ceil(PARTS_PER_STEP)), span)
    }

    /// Pays for a text.
    fn spend_text(&mut self, text: &str, span: Span) -> bool {
        self.spend(text.len() as u64 / BYTES_PER_STEP, span)
    }

    /// How many errors there are, to ask [`failed_since`](Self::failed_since) later.
    fn errors(&self) -> usize {
        self.diagnostics.len()
    }

    fn failed_since(&self, errors: usize) -> bool {
        self.diagnostics.len() > errors
    }
}

/// Whether an error is shown with this kind of expression: operations are shown, mere containers are not.
fn shows_errors(kind: &ExprKind) -> bool {
    use ExprKind::*;
    matches!(kind, Template(_) | Variable(_) | Relative(_) | Splat(_) | Call(_) | Chain(_) | Unary(..))
}

/// There is no value. The error was reported already.
pub(crate) struct Failed;

/// The value about which nothing is known.
pub(crate) fn dynamic() -> Value {
    Value::unknown(Type::Dynamic)
}

/// An unknown value of a type that will not be null.
pub(crate) fn unknown_not_null(ty: Type) -> Value {
    Value::refined_unknown(ty.clone(), Refinements::not_null()).unwrap_or_else(|_| Value::unknown(ty))
}

/// The value with its own marks, and those in addition.
fn marked(value: &Value, marks: Marks) -> Value {
    value.clone().with_marks(marks)
}

/// Whether this is the literal null, or one as untyped.
fn is_untyped_null(value: &Value) -> bool {
    value.is_null() && *value.ty() == Type::Dynamic
}
