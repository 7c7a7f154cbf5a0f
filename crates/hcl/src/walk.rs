//! Finds the references in an expression.

use std::fmt;

use objchange::value::{Kind, PathStep};
use objchange::{Type, Value};
use objchange_text::{Span, similar, visible_json};
use smol_str::SmolStr;

use crate::function::{Form, Functions};
use crate::syntax::ast::{Access, Call, Expr, ExprKind, For, Item, StepKind, TraversalStep};

/// A variable that an expression needs, with the steps from it that are written out: `a.b[0]`.
#[derive(Debug, Clone)]
pub struct Reference<'e> {
    /// The variable.
    pub name: &'e SmolStr,
    /// Where its name stands.
    pub span: Span,
    steps: &'e [TraversalStep],
}

impl Reference<'_> {
    /// All of it as it is in the source.
    pub fn whole(&self) -> Span {
        self.steps.last().map_or(self.span, |step| self.span.to(step.span))
    }

    /// The names and keys that it is made of, each with the byte where it begins.
    pub fn path(&self) -> impl Iterator<Item = (PathStep, usize)> {
        let root = (PathStep::Attribute(self.name.clone()), self.span.start as usize);
        let steps = self.steps.iter().map(|step| match &step.kind {
            // The dot comes first.
            StepKind::Attribute(name) => (PathStep::Attribute(name.clone()), step.span.start as usize + 1),
            StepKind::Index(key) => (PathStep::Index(key.clone()), step.span.start as usize),
        });
        std::iter::once(root).chain(steps)
    }

    /// The steps behind the name, each with its place: `.name` with the dot, `[0]` with the brackets.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (PathStep, Span)> {
        self.steps.iter().map(|step| {
            let part = match &step.kind {
                StepKind::Attribute(name) => PathStep::Attribute(name.clone()),
                StepKind::Index(key) => PathStep::Index(key.clone()),
            };
            (part, step.span)
        })
    }

    /// The first names and keys of it, so many, as they would be written.
    pub fn prefix(&self, length: usize) -> String {
        let steps = length.saturating_sub(1).min(self.steps.len());
        Reference { steps: &self.steps[..steps], ..*self }.to_string()
    }

    /// The name behind the first dot, if that comes first.
    pub(crate) fn first_attribute(&self) -> Option<&SmolStr> {
        self.attribute(0)
    }

    /// The attribute that is the step at this position.
    pub(crate) fn attribute(&self, position: usize) -> Option<&SmolStr> {
        match &self.steps.get(position)?.kind {
            StepKind::Attribute(name) => Some(name),
            StepKind::Index(_) => None,
        }
    }

    /// Follows the steps as far as the variable's value has them. Returns the text of these steps, and the value there.
    pub(crate) fn found_in(&self, variable: &Value) -> (String, Value) {
        let mut value = variable.clone();
        for (i, step) in self.steps.iter().enumerate() {
            let next = match &step.kind {
                StepKind::Attribute(name) => value.attribute(name).or_else(|| value.element(name)),
                StepKind::Index(key) => match key.kind() {
                    Kind::Number(n) => n.as_u64().and_then(|n| value.index(usize::try_from(n).ok()?)),
                    // `object["name"]` and `object.name` are alike in HCL, and so they are for maps.
                    Kind::String(key) => value.element(key).or_else(|| value.attribute(key)),
                    _ => None,
                },
            };
            let next = next.cloned().or_else(|| part_of_unknown(&value, &step.kind));
            let Some(next) = next else {
                return (Reference { steps: &self.steps[..i], ..*self }.to_string(), value);
            };
            // A part of something sensitive is sensitive as well.
            value = next.with_marks(value.marks());
        }
        (self.to_string(), value)
    }
}

/// The unknown value that a step into an unknown value leads to; `None` if its type has no such part.
fn part_of_unknown(value: &Value, step: &StepKind) -> Option<Value> {
    if !matches!(value.kind(), Kind::Unknown(_)) {
        return None;
    }
    let name = match step {
        StepKind::Attribute(name) => Some(name.as_str()),
        StepKind::Index(key) if !matches!(key.kind(), Kind::Number(_) | Kind::String(_)) => return None,
        StepKind::Index(key) => key.as_str(),
    };
    let ty = match value.ty() {
        Type::Dynamic => Type::Dynamic,
        Type::List(element) if name.is_none() => (**element).clone(),
        Type::Map(element) if name.is_some() => (**element).clone(),
        Type::Object(object) => object.attribute(name?)?.clone(),
        Type::Tuple(tuple) => match step {
            StepKind::Index(key) => {
                let Kind::Number(n) = key.kind() else { return None };
                tuple.elements().get(usize::try_from(n.as_u64()?).ok()?)?.clone()
            }
            StepKind::Attribute(_) => return None,
        },
        _ => return None,
    };
    Some(Value::unknown(ty))
}

/// As it would be written: `a.b[0]`, `a["key"]`.
impl fmt::Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        for step in self.steps {
            match &step.kind {
                StepKind::Attribute(name) => write!(f, ".{name}")?,
                StepKind::Index(key) => write!(f, "[{}]", written(key))?,
            }
        }
        Ok(())
    }
}

fn written(key: &Value) -> String {
    match key.kind() {
        Kind::Number(n) => n.to_string(),
        Kind::Bool(b) => b.to_string(),
        Kind::String(text) => visible_json(&format!("{text:?}")),
        _ => "null".to_owned(),
    }
}

/// The variables that an expression needs, in source order, with repetitions. Variables of `for` are left out.
pub fn variables(expr: &Expr) -> Vec<Reference<'_>> {
    let mut walk = Walk::default();
    walk.expr(expr);
    walk.found
}

impl Expr {
    /// Both sides of the operator that is applied last: `a` and `b + 1` in `a == b + 1`; `None` where none is.
    ///
    /// ```
    /// use objchange_hcl::parse_expression;
    ///
    /// let expr = parse_expression("a && b == 1 && c").unwrap();
    /// let (left, right) = expr.operands().unwrap();
    /// assert_eq!(("a && b == 1".len() as u32, 15), (left.span.end, right.span.start));
    /// assert!(parse_expression("!(a == b)").unwrap().operands().is_none());
    /// ```
    pub fn operands(&self) -> Option<(Expr, Expr)> {
        let ExprKind::Chain(chain) = &self.kind else { return None };
        let ((_, last), rest) = chain.rest.split_last()?;
        let left = match rest.last() {
            None => chain.first.clone(),
            Some((_, end)) => {
                let mut left = chain.clone();
                left.rest = rest.to_vec();
                Expr::new(chain.first.span.to(end.span), ExprKind::Chain(left))
            }
        };
        Some((left, last.clone()))
    }

    /// The key of the first index that is not written out: `count.index` in `a.b[count.index].c`.
    pub fn computed_key(&self) -> Option<&Expr> {
        let ExprKind::Relative(relative) = &self.kind else { return None };
        relative.accesses.iter().find_map(|access| match access {
            Access::Computed { key, .. } => Some(key),
            Access::Step(_) => None,
        })
    }
}

/// The calls in an expression.
pub(crate) fn calls(expr: &Expr) -> Vec<Span> {
    calls_and_paths(expr).0.into_iter().map(|(span, _)| span).collect()
}

/// The names of the functions that an expression calls.
///
/// ```
/// let expr = objchange_hcl::parse_expression("upper(provider::aws::arn_parse(var.arn).account)")?;
/// assert_eq!(objchange_hcl::called_functions(&expr), ["upper", "provider::aws::arn_parse"]);
/// # Ok::<(), Vec<objchange_hcl::Diagnostic>>(())
/// ```
pub fn called_functions(expr: &Expr) -> Vec<&str> {
    calls_and_paths(expr).0.into_iter().map(|(_, call)| call.name.as_str()).collect()
}

/// The calls in an expression with their places, and the templates that begin with `path.module` or another directory of the
/// configuration.
pub(crate) fn calls_and_paths(expr: &Expr) -> (Vec<(Span, &Call)>, Vec<&Expr>) {
    let mut walk = Walk::default();
    walk.expr(expr);
    (walk.calls, walk.paths)
}

/// The arguments of `sensitive` in an expression.
pub(crate) fn sensitive_arguments(expr: &Expr) -> Vec<&Expr> {
    let mut walk = Walk::default();
    walk.expr(expr);
    walk.sensitive
}

/// The parts of an expression that are written out: strings with all that is in them, numbers, the keys of objects, and names
/// of functions that are like none that there is.
pub(crate) fn literals(expr: &Expr) -> Vec<Span> {
    let mut walk = Walk { has_literals: true, ..Walk::default() };
    walk.expr(expr);
    walk.literals
}

/// The literals in operations and tests that a secret takes part in: `"abc"` in `var.token != "abc"`.
pub(crate) fn literals_beside(expr: &Expr, is_secret: &dyn Fn(&Reference<'_>) -> bool) -> Vec<Span> {
    // Collecting literals compares unknown functions with all known ones, which is slow. Most expressions have no secret.
    if !variables(expr).iter().any(is_secret) {
        return Vec::new();
    }
    let mut walk = Walk { is_secret: Some(is_secret), has_literals: true, ..Walk::default() };
    walk.expr(expr);
    walk.beside
}

/// The default values in a type: `"abc"` in `optional(string, "abc")`.
pub(crate) fn optional_defaults(expr: &Expr) -> Vec<&Expr> {
    let mut walk = Walk::default();
    walk.expr(expr);
    walk.defaults
}

/// The part of an expression that an error points to; if it is an argument of a call, where the argument begins is enough.
pub(crate) fn place_of(expr: &Expr, subject: Span, is_argument: bool) -> Option<Span> {
    let mut walk = Walk { sought: Some((subject, is_argument)), ..Walk::default() };
    walk.expr(expr);
    walk.place
}

/// The key of the member of an object whose value is at a place.
pub(crate) fn key_beside(expr: &Expr, value: Span) -> Option<Span> {
    let mut walk = Walk { value: Some(value), ..Walk::default() };
    walk.expr(expr);
    walk.place
}

/// The place of an expression that is not in the source.
const NOTHING: Span = Span { start: u32::MAX, end: u32::MAX };

/// Whether a function makes a secret of its argument.
pub(crate) fn makes_sensitive(function: &str) -> bool {
    function.strip_prefix("core::").unwrap_or(function) == "sensitive"
}

/// Whether a function makes a secret of its argument, or would if its name were not misspelt.
fn may_make_sensitive(function: &str) -> bool {
    let is_known = || Functions::pure().get(function).is_some();
    let is_like = || function.contains("sensitive") || !similar(function, ["sensitive"]).is_empty();
    makes_sensitive(function) || is_like() && !is_known()
}

/// Whether a name is a function's, or similar to one.
fn is_like_a_function(name: &str) -> bool {
    let functions = Functions::pure();
    let is_known = functions.get(name).is_some() || Form::named(name).is_some();
    is_known || name.starts_with("provider::") || !similar(name, functions.names()).is_empty()
}

/// Bare words that are types in the second argument of `convert`. Other words there refer to something, as in Terraform.
const PRIMITIVE_TYPES: [&str; 4] = ["any", "bool", "number", "string"];

/// Functions that say whether an argument is, or has, another one.
const TESTS: [&str; 8] =
    ["contains", "endswith", "index", "lookup", "regex", "regexall", "startswith", "strcontains"];

#[derive(Default)]
struct Walk<'e> {
    found: Vec<Reference<'e>>,
    calls: Vec<(Span, &'e Call)>,
    sensitive: Vec<&'e Expr>,
    /// Templates that begin with a directory of the configuration.
    paths: Vec<&'e Expr>,
    literals: Vec<Span>,
    /// Whether literals are collected: comparing an unknown function with all functions takes 1 ms.
    has_literals: bool,
    /// The second arguments of `optional(type, default)`.
    defaults: Vec<&'e Expr>,
    /// Tells which references are to secrets, if that is needed.
    is_secret: Option<&'e dyn Fn(&Reference<'_>) -> bool>,
    /// The literals in operations that a secret takes part in.
    beside: Vec<Span>,
    /// Names of `for` around the place.
    local: Vec<&'e str>,
    /// The place to look for, and whether it is the beginning of an argument.
    sought: Option<(Span, bool)>,
    /// The value of a member of an object, whose key is looked for.
    value: Option<Span>,
    /// The expression that was looked for.
    place: Option<Span>,
}

impl<'e> Walk<'e> {
    fn expr(&mut self, expr: &'e Expr) {
        if self.sought == Some((expr.span, false)) {
            self.place = Some(expr.span);
        }
        match &expr.kind {
            ExprKind::Literal(value) if value.as_bool().is_some() || value.is_null() => {}
            ExprKind::Literal(_) | ExprKind::Text(_) | ExprKind::Template(_) | ExprKind::Join(_) => {
                self.literals.push(expr.span);
            }
            _ => {}
        }
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Text(_) | ExprKind::Element | ExprKind::Missing => {}
            ExprKind::Variable(variable) => {
                self.steps(&variable.steps);
                if !self.local.contains(&&*variable.name) {
                    let span = variable.name_span;
                    self.found.push(Reference { name: &variable.name, span, steps: &variable.steps });
                }
            }
            ExprKind::Template(parts) | ExprKind::Tuple(parts) => {
                let is_path = |part: &Expr| matches!(&part.kind, ExprKind::Variable(variable) if variable.name == "path");
                if matches!(expr.kind, ExprKind::Template(_)) && parts.first().is_some_and(is_path) {
                    self.paths.push(expr);
                }
                parts.iter().for_each(|part| self.expr(part));
            }
            ExprKind::Wrap(inner) | ExprKind::Parens(inner) | ExprKind::Unary(_, inner) => self.expr(inner),
            ExprKind::Join(parts) | ExprKind::For(parts) => self.for_loop(parts),
            ExprKind::Relative(relative) => {
                self.expr(&relative.source);
                for access in &relative.accesses {
                    match access {
                        Access::Computed { key, .. } => self.expr(key),
                        Access::Step(step) => self.steps(std::slice::from_ref(step)),
                    }
                }
            }
            ExprKind::Splat(splat) => {
                self.expr(&splat.source);
                self.expr(&splat.each);
            }
            ExprKind::Call(call) => self.call(expr, call),
            ExprKind::Object(items) | ExprKind::Properties(items) => {
                items.iter().for_each(|item| self.item(item));
            }
            ExprKind::Conditional(conditional) => {
                self.expr(&conditional.condition);
                self.expr(&conditional.yes);
                self.expr(&conditional.no);
            }
            ExprKind::Chain(chain) => {
                let before = (self.found.len(), self.literals.len());
                self.expr(&chain.first);
                for (_, operand) in &chain.rest {
                    self.expr(operand);
                    // Each operation is an expression of its own to HCL, with all that is left of it.
                    let operation = chain.first.span.to(operand.span);
                    if self.sought == Some((operation, false)) {
                        self.place = Some(operation);
                    }
                }
                self.beside_secrets(before);
            }
        }
    }

    /// Takes note of the literals since then, if there was a secret among the references. Keys in references to secrets say
    /// where these are.
    fn beside_secrets(&mut self, (references, literals): (usize, usize)) {
        let Some(is_secret) = self.is_secret else { return };
        let secrets = self.found[references..].iter().filter(|reference| is_secret(reference));
        let mut secrets: Vec<Span> = secrets.map(Reference::whole).collect();
        if secrets.is_empty() {
            return;
        }
        secrets.sort();
        let is_key = |literal: &&Span| {
            let before = secrets.partition_point(|secret| secret.start <= literal.start);
            before > 0 && literal.end <= secrets[before - 1].end
        };
        self.beside.extend(self.literals[literals..].iter().filter(|literal| !is_key(literal)));
    }

    fn call(&mut self, expr: &'e Expr, call: &'e Call) {
        self.calls.push((expr.span, call));
        let before = (self.found.len(), self.literals.len());
        if call.name == "optional" {
            self.defaults.extend(call.arguments.iter().skip(1));
        }
        if self.has_literals && !is_like_a_function(&call.name) {
            self.literals.push(call.name_span);
        }
        if may_make_sensitive(&call.name) {
            self.sensitive.extend(&call.arguments);
        }
        let first_type = if call.name.trim_start_matches("core::") == "convert" { 1 } else { usize::MAX };
        for (i, argument) in call.arguments.iter().enumerate() {
            let is_sought = |place: Span| self.sought == Some((place, true));
            let is_expanded = call.expands && i + 1 == call.arguments.len();
            if is_expanded && is_sought(argument.span) {
                // HCL puts values in the place of an expanded argument, which refer to nothing.
                self.place = Some(NOTHING);
            } else if is_sought(argument.start()) {
                self.place = Some(argument.span);
            }
            let variables = self.found.len();
            self.expr(argument);
            if i >= first_type {
                let is_type = |reference: &Reference<'_>| {
                    reference.steps.is_empty() && PRIMITIVE_TYPES.contains(&reference.name.as_str())
                };
                let in_type = self.found.split_off(variables);
                self.found.extend(in_type.into_iter().filter(|reference| !is_type(reference)));
            }
        }
        if TESTS.contains(&call.name.trim_start_matches("core::")) {
            self.beside_secrets(before);
        }
    }

    /// Takes note of keys that are written out.
    fn steps(&mut self, steps: &[TraversalStep]) {
        let keys = steps.iter().filter(|step| matches!(step.kind, StepKind::Index(_)));
        self.literals.extend(keys.map(|step| step.span));
    }

    /// A bare word for a key is a name.
    fn item(&mut self, item: &'e Item) {
        if self.value == Some(item.value.span) {
            self.place = Some(item.key.span);
        }
        if matches!(item.key.kind, ExprKind::Variable(_) | ExprKind::Text(_)) {
            self.literals.push(item.key.span);
        }
        if !matches!(&item.key.kind, ExprKind::Variable(variable) if variable.steps.is_empty()) {
            self.expr(&item.key);
        }
        self.expr(&item.value);
    }

    fn for_loop(&mut self, parts: &'e For) {
        self.expr(&parts.collection);
        let depth = self.local.len();
        self.local.extend(parts.key_name.as_deref());
        self.local.push(&parts.value_name);
        let inside = [parts.key.as_ref(), Some(&parts.value), parts.condition.as_ref()];
        inside.into_iter().flatten().for_each(|expr| self.expr(expr));
        self.local.truncate(depth);
    }
}
