//! Finds the elements of collections that made a condition true or false.

use objchange::value::Kind;
use objchange::{Type, Value};
use smol_str::{SmolStr, format_smolstr};

use super::for_loop::{each_element, names, names_of};
use super::{Scope, evaluate};
use crate::function::Functions;
use crate::syntax::ast::{BinaryOp, Chain, Expr, ExprKind, For, UnaryOp};

/// The maximum number of elements to keep; others are only counted.
const MAX_ELEMENTS: usize = 20;

/// Functions that only change the kind of their collection.
const CONVERSIONS: [&str; 7] = ["tolist", "toset", "values", "flatten", "compact", "distinct", "sort"];

/// The elements that have made a condition false.
#[derive(Debug, Clone, Default)]
pub struct DecisiveElements {
    /// The loop variables and their values for each element; nested loops have several.
    pub elements: Vec<Vec<(SmolStr, Value)>>,
    /// How many more there are.
    pub more: usize,
}

/// The elements that made a condition false: those that `alltrue` and `anytrue` test, and those that a loop with an `if` kept.
/// The condition must be false. Elements that a sensitive value decides about are left out.
///
/// ```
/// use objchange::Value;
/// use objchange_hcl::{Functions, Scope, Variables, elements_that_decide, parse_expression};
///
/// let variables: Variables = [("ports", Value::tuple([80, 8080]))].into_iter().collect();
/// let expr = parse_expression("alltrue([for port in ports : port < 1024])").unwrap();
/// let found = elements_that_decide(&expr, &Scope::new(&variables), Functions::pure());
/// assert_eq!(found.elements, [[("port".into(), Value::from(8080))]]);
/// ```
pub fn elements_that_decide(expr: &Expr, scope: &Scope<'_>, functions: &Functions) -> DecisiveElements {
    let mut search = Search { functions, around: Vec::new(), found: DecisiveElements::default() };
    search.condition(expr, false, scope);
    search.found
}

struct Search<'f> {
    functions: &'f Functions,
    /// The current variables of the enclosing loops.
    around: Vec<(SmolStr, Value)>,
    found: DecisiveElements,
}

impl Search<'_> {
    fn value_of(&self, expr: &Expr, scope: &Scope<'_>) -> Option<Value> {
        let (value, errors) = evaluate(expr, scope, self.functions);
        errors.is_empty().then_some(value)
    }

    fn bool_of(&self, expr: &Expr, scope: &Scope<'_>) -> Option<bool> {
        bool_in(&self.value_of(expr, scope)?)
    }

    /// Looks for the parts that made a condition `result`.
    fn condition(&mut self, expr: &Expr, result: bool, scope: &Scope<'_>) {
        match &expr.kind {
            ExprKind::Parens(inner) | ExprKind::Wrap(inner) => self.condition(inner, result, scope),
            ExprKind::Unary(UnaryOp::Not, inner) => self.condition(inner, !result, scope),
            ExprKind::Chain(chain) => self.chain(chain, result, scope),
            ExprKind::Call(call) if matches!(&*call.name, "alltrue" | "anytrue") => {
                if let [argument] = &*call.arguments {
                    self.results(argument, result, scope);
                }
            }
            _ => {}
        }
    }

    fn chain(&mut self, chain: &Chain, result: bool, scope: &Scope<'_>) {
        let operators = || chain.rest.iter().map(|(operator, _)| *operator);
        let operands = || std::iter::once(&chain.first).chain(chain.rest.iter().map(|(_, operand)| operand));
        if operators().all(|operator| matches!(operator, BinaryOp::And | BinaryOp::Or)) {
            for operand in operands() {
                if self.bool_of(operand, scope) == Some(result) {
                    self.condition(operand, result, scope);
                }
            }
        } else if operators().count() == 1 {
            operands().for_each(|operand| self.kept(operand, scope));
        }
    }

    /// Looks for the parts of a collection of conditions that are `result`.
    fn results(&mut self, expr: &Expr, result: bool, scope: &Scope<'_>) {
        let expr = unconverted(expr);
        if let ExprKind::For(parts) = &expr.kind {
            return self.each(parts, scope, &mut |search, scope| match &unconverted(&parts.value).kind {
                ExprKind::For(_) => search.results(&parts.value, result, scope),
                _ if search.bool_of(&parts.value, scope) == Some(result) => {
                    let before = search.count();
                    search.condition(&parts.value, result, scope);
                    // An `alltrue` or a filtered loop in the body has named its own elements, which say more than the
                    // outer one.
                    if search.count() == before {
                        search.add(None);
                    }
                }
                _ => {}
            });
        }
        let source = match &expr.kind {
            ExprKind::Splat(splat) => self.value_of(&splat.source, scope),
            _ => None,
        };
        let Some(values) = self.value_of(expr, scope).filter(|values| values.marks().is_empty()) else {
            return;
        };
        let shown = source.filter(|source| source.marks().is_empty());
        let shown = shown.map(|source| elements(&source)).unwrap_or_default();
        for (i, (key, value)) in elements(&values).into_iter().enumerate() {
            if bool_in(&value) == Some(result) {
                let shown = shown.get(i).map_or(value, |(_, element)| element.clone());
                self.add(Some((element_name(&key), shown)));
            }
        }
    }

    /// Adds the elements that a loop with an `if` keeps, if the comparison is about its result or its length.
    fn kept(&mut self, expr: &Expr, scope: &Scope<'_>) {
        let expr = unconverted(expr);
        let loop_in = match &expr.kind {
            ExprKind::Call(call) if &*call.name == "length" => call.arguments.first().map(unconverted),
            _ => Some(expr),
        };
        if let Some(ExprKind::For(parts)) = loop_in.map(|expr| &expr.kind)
            && parts.condition.is_some()
        {
            self.each(parts, scope, &mut |search, _| search.add(None));
        }
    }

    /// Calls `f` for each element that a loop keeps, unless the collection is marked.
    fn each(&mut self, parts: &For, scope: &Scope<'_>, f: &mut dyn FnMut(&mut Self, &Scope<'_>)) {
        let collection = self.value_of(&parts.collection, scope);
        let Some(collection) = collection.filter(|collection| collection.marks().is_empty()) else { return };
        for (key, value) in elements(&collection) {
            let names = names(parts, key, value);
            let own = names_of(&names);
            let scope = &scope.with(own);
            let is_kept = parts.condition.as_ref().is_none_or(|if_| self.bool_of(if_, scope) == Some(true));
            if is_kept {
                let outside = self.around.len();
                // The key first, as in the source.
                self.around.extend(own.iter().rev().map(|(name, value)| (SmolStr::new(name), value.clone())));
                f(self, scope);
                self.around.truncate(outside);
            }
        }
    }

    fn count(&self) -> usize {
        self.found.elements.len() + self.found.more
    }

    fn add(&mut self, element: Option<(SmolStr, Value)>) {
        if self.found.elements.len() < MAX_ELEMENTS {
            self.found.elements.push(self.around.iter().cloned().chain(element).collect());
        } else {
            self.found.more += 1;
        }
    }
}

/// The value as a bool. A marked value gives `None`, because naming an element would reveal it.
fn bool_in(value: &Value) -> Option<bool> {
    if value.is_marked() { None } else { value.convert(&Type::Bool).ok()?.as_bool() }
}

fn elements(collection: &Value) -> Vec<(Value, Value)> {
    let mut all = Vec::new();
    each_element(collection, &mut |key, value| all.push((key, value)));
    all
}

/// Unwraps parentheses and conversions between kinds of collections.
fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Parens(inner) => unconverted(inner),
        ExprKind::Call(call) if CONVERSIONS.contains(&&*call.name) && call.arguments.len() == 1 => {
            unconverted(&call.arguments[0])
        }
        _ => expr,
    }
}

/// The name for an element without one.
fn element_name(key: &Value) -> SmolStr {
    match key.kind() {
        Kind::String(text) => format_smolstr!("[{text:?}]"),
        Kind::Number(number) => format_smolstr!("[{number}]"),
        _ => SmolStr::new_static("element"),
    }
}
