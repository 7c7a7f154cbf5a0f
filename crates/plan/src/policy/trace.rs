//! Policies that tell which unknown values they look at.
//!
//! Each reference is wrapped where it stands, so that `rc.change.after.ami == "x"` becomes
//! `objchange_get(rc, 7) == "x"`. The function has the same answer as the reference, and notes when one of the values on
//! the way, or what is compared with all of its parts, is unknown. A reference in the middle of which a variable stands
//! is wrapped from the inside: `objchange_get(objchange_get(rc, 8)[i], 9)`. Nothing else changes, so that statements
//! are scheduled, repeated, negated and given up as before, and lines stay where they are.

use std::collections::HashSet;

use regorus::Value;
use regorus::unstable::{
    AssignOp, BUILTINS, Expr, ExprRef, Literal, Module, Query, Rule, RuleAssign, RuleHead,
};

use super::names::{Beginning, Imports, Names, RuleKey, imports};
use super::syntax::{Reference, StepKind, bindings, name, package};

/// The function that stands around references.
pub(super) const GET: &str = "objchange_get";

/// The function that asks for all that `object.get` passes.
pub(super) const ALONG: &str = "objchange_along";

/// One place where a policy looks at something.
#[derive(Debug)]
pub(super) struct Look {
    /// The keys that lead there.
    pub(super) keys: Vec<Value>,
    /// Whether all parts of what is there count.
    pub(super) deep: bool,
    /// The rule in which this stands.
    pub(super) rule: RuleKey,
}

/// The text of a module with its references wrapped, and its `variables` if they are to be; `None` where it was not
/// understood.
pub(super) fn traced(
    module: &Module,
    names: &Names,
    variables: bool,
    looks: &mut Vec<Look>,
) -> Option<String> {
    let source = module.package.span.source.get_contents();
    let package = package(module);
    let mut tracer = Tracer {
        source,
        names,
        imports: imports(module),
        rule: (package, String::new()),
        bound: HashSet::new(),
        edits: Vec::new(),
        looks,
        failed: false,
    };
    for rule in &module.policy {
        tracer.rule.1 = name(rule).map_or_else(String::new, |(name, _)| name.to_owned());
        tracer.bound.clear();
        if variables {
            bindings(rule, &mut |name| _ = tracer.bound.insert(name.to_owned()));
        }
        tracer.rule(rule);
    }
    if tracer.failed { None } else { apply(source, tracer.edits) }
}

struct Edit {
    from: usize,
    to: usize,
    text: String,
}

/// Makes the changes, which must not overlap; insertions at one place come in the order in which they were made.
fn apply(source: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|edit| (edit.from, edit.to));
    let mut text = String::with_capacity(source.len() * 2);
    let mut at = 0;
    for edit in edits {
        text.push_str(source.get(at..edit.from)?);
        text.push_str(&edit.text);
        at = edit.to;
    }
    text.push_str(source.get(at..)?);
    Some(text)
}

struct Tracer<'a> {
    source: &'a str,
    names: &'a Names,
    imports: Imports,
    rule: RuleKey,
    /// The variables that have a value before any `=` of the rule is reached.
    bound: HashSet<String>,
    edits: Vec<Edit>,
    looks: &'a mut Vec<Look>,
    failed: bool,
}

impl Tracer<'_> {
    fn rule(&mut self, rule: &Rule) {
        let Rule::Spec { head, bodies, .. } = rule else { return };
        match head {
            RuleHead::Compr { assign, .. } | RuleHead::Func { assign, .. } => self.assigned(assign.as_ref()),
            RuleHead::Set { key, .. } => key.iter().for_each(|key| self.operand(key, false)),
        }
        for body in bodies {
            self.assigned(body.assign.as_ref());
            self.query(&body.query);
        }
    }

    fn assigned(&mut self, assign: Option<&RuleAssign>) {
        assign.into_iter().for_each(|assign| self.value(&assign.value));
    }

    fn query(&mut self, query: &Query) {
        for statement in &query.stmts {
            match &statement.literal {
                Literal::SomeVars { .. } => {}
                // A pattern looks into what it is to match.
                Literal::SomeIn { value, collection, .. } => match value.as_ref() {
                    Expr::Var { .. } => self.value(collection),
                    _ => self.operand(collection, true),
                },
                Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => self.operand(expr, false),
                Literal::Every { domain, query, .. } => {
                    self.value(domain);
                    self.query(query);
                }
            }
            for with in &statement.with_mods {
                self.value(&with.r#as);
            }
        }
    }

    fn call(&mut self, function: &ExprRef, params: &[ExprRef]) {
        let name = function.span().text();
        if let ("object.get", [object, key, default]) = (name, params) {
            for param in [object, key, default] {
                self.value(param);
            }
            return self.along(object, key);
        }
        let given = match BUILTINS.get(name) {
            _ if name == "print" => return,
            Some((_, arity)) => params.get(..usize::from(*arity)).unwrap_or(params),
            None => params,
        };
        let deep = takes_parts(name) && !self.is_own(function);
        for param in given {
            self.operand(param, deep);
        }
    }

    /// What `object.get` passes on its way; where that is unknown it gives the default.
    fn along(&mut self, object: &ExprRef, key: &ExprRef) {
        let span = object.span();
        let key = match key.as_ref() {
            // The span of a text is without its quotes.
            Expr::String { value, .. } | Expr::RawString { value, .. } => value.to_string(),
            _ => key.span().text().replace('\n', " "),
        };
        let look = self.look(Vec::new(), false);
        self.edits.insert(
            0,
            Edit { from: span.start as usize, to: span.start as usize, text: format!("{ALONG}(") },
        );
        self.edits.push(Edit {
            from: span.end as usize,
            to: span.end as usize,
            text: format!(", {key}, {look})"),
        });
    }

    /// Whether a function is one of the policies.
    fn is_own(&self, function: &ExprRef) -> bool {
        Reference::of(function).is_some_and(|reference| {
            matches!(self.names.beginning(&reference, &self.rule.0, &self.imports), Beginning::Rule(..))
        })
    }

    /// An expression of which the value alone counts.
    fn value(&mut self, expr: &ExprRef) {
        match expr.as_ref() {
            Expr::RefDot { .. } | Expr::RefBrack { .. } => self.reference(expr, false),
            Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().for_each(|i| self.value(i)),
            Expr::Object { fields, .. } => fields.iter().for_each(|(_, key, value)| {
                self.value(key);
                self.value(value);
            }),
            Expr::ArrayCompr { term, query, .. } => {
                self.value(term);
                self.query(query);
            }
            // What is the same comes once.
            Expr::SetCompr { term, query, .. } => {
                self.operand(term, true);
                self.query(query);
            }
            Expr::ObjectCompr { key, value, query, .. } => {
                self.operand(key, true);
                self.value(value);
                self.query(query);
            }
            Expr::Call { fcn, params, .. } => self.call(fcn, params),
            Expr::UnaryExpr { expr, .. } => self.operand(expr, true),
            Expr::ArithExpr { lhs, rhs, .. } | Expr::BinExpr { lhs, rhs, .. } => {
                self.operand(lhs, true);
                self.operand(rhs, true);
            }
            Expr::BoolExpr { lhs, rhs, .. } => {
                // A collection is no text, number or bool, whatever its parts will be.
                let deep = !is_scalar(lhs) && !is_scalar(rhs);
                self.operand(lhs, deep);
                self.operand(rhs, deep);
            }
            Expr::AssignExpr { op, lhs, rhs, .. } => {
                let may_bind = *op == AssignOp::ColEq || self.may_bind(lhs) || self.may_bind(rhs);
                for (side, other) in [(lhs, rhs), (rhs, lhs)] {
                    match may_bind {
                        // A pattern looks into what it is to match.
                        true if is_pattern(other) && is_reference(side) => self.operand(side, true),
                        true => self.value(side),
                        false => self.operand(side, !is_scalar(lhs) && !is_scalar(rhs)),
                    }
                }
            }
            Expr::Membership { key, value, collection, .. } => {
                for part in key.iter().chain([value, collection]) {
                    self.operand(part, true);
                }
            }
            Expr::String { .. }
            | Expr::RawString { .. }
            | Expr::Number { .. }
            | Expr::Bool { .. }
            | Expr::Null { .. }
            | Expr::Var { .. } => {}
        }
    }

    /// Whether a name may stand for a value of the document.
    fn is_value(&self, name: &str) -> bool {
        !matches!(name, "_" | "data") && !self.imports.contains_key(name)
    }

    /// Whether a side of `x = y` may take a value instead of being one.
    fn may_bind(&self, expr: &ExprRef) -> bool {
        match expr.as_ref() {
            Expr::Var { span, .. } => !self.bound.contains(span.text()),
            Expr::Array { .. } | Expr::Object { .. } => true,
            _ => false,
        }
    }

    /// An expression that something is done with, all of whose parts count where that is `deep`.
    fn operand(&mut self, expr: &ExprRef, deep: bool) {
        match expr.as_ref() {
            Expr::RefDot { .. } | Expr::RefBrack { .. } => self.reference(expr, deep),
            // What any other variable has was a reference somewhere, which was asked there.
            Expr::Var { span, .. }
                if self.bound.contains(span.text()) || (deep && self.is_value(span.text())) =>
            {
                let (from, to) = (span.start as usize, span.end as usize);
                let look = self.look(Vec::new(), deep);
                self.insert(from, format!("{GET}("));
                self.insert(to, format!(", {look})"));
            }
            Expr::Array { items, .. } | Expr::Set { items, .. } => {
                items.iter().for_each(|item| self.operand(item, deep));
            }
            Expr::Object { fields, .. } => fields.iter().for_each(|(_, key, value)| {
                self.operand(key, deep);
                self.operand(value, deep);
            }),
            _ => self.value(expr),
        }
    }

    fn reference(&mut self, expr: &ExprRef, deep: bool) {
        let Some(reference) = Reference::of(expr) else { return };
        let beginning = match reference.name() {
            Some(_) => self.names.beginning(&reference, &self.rule.0, &self.imports),
            None => {
                self.value(reference.root);
                Beginning::Local
            }
        };
        let keys = reference.keys().count();
        // So many steps stay as they are, because they say which rule is meant.
        let kept = match beginning {
            Beginning::Rule(key, _) if self.names.is_nested(&key) => keys,
            Beginning::Rule(_, known) => known.min(keys),
            Beginning::Data => keys,
            Beginning::Input(_) | Beginning::Local => 0,
        };
        let start = reference.root.span().start as usize;
        let mut opened = 0;
        let mut steps = reference.steps.iter().enumerate().skip(kept).peekable();
        while let Some((_, step)) = steps.peek() {
            match step.kind {
                StepKind::Index(index) => {
                    self.operand(index, false);
                    let end = step.to;
                    steps.next();
                    // Whether the last one is the unknown value is still to be asked.
                    if steps.peek().is_none() {
                        let look = self.look(Vec::new(), deep);
                        self.insert(end as usize, format!(", {look})"));
                        opened += 1;
                    }
                }
                StepKind::Key(_) => {
                    let from = step.from;
                    let (mut to, mut path) = (from, Vec::new());
                    while let Some((_, step)) = steps.peek()
                        && let StepKind::Key(key) = step.kind
                    {
                        path.push(key.clone());
                        to = step.to;
                        steps.next();
                    }
                    let look = self.look(path, deep && steps.peek().is_none());
                    self.replace(from as usize, to as usize, format!(", {look})"));
                    opened += 1;
                }
            }
        }
        if reference.steps.len() == kept {
            let look = self.look(Vec::new(), deep);
            self.insert(expr.span().end as usize, format!(", {look})"));
            opened += 1;
        }
        self.edits.insert(0, Edit { from: start, to: start, text: format!("{GET}(").repeat(opened) });
    }

    fn look(&mut self, keys: Vec<Value>, deep: bool) -> usize {
        self.looks.push(Look { keys, deep, rule: self.rule.clone() });
        self.looks.len() - 1
    }

    fn insert(&mut self, at: usize, text: String) {
        self.edits.push(Edit { from: at, to: at, text });
    }

    fn replace(&mut self, from: usize, to: usize, mut text: String) {
        match self.source.get(from..to) {
            Some(replaced) if replaced.starts_with(['.', '[']) => {
                text.extend(replaced.chars().filter(|c| *c == '\n'));
                self.edits.push(Edit { from, to, text });
            }
            _ => self.failed = true,
        }
    }
}

fn is_pattern(expr: &ExprRef) -> bool {
    matches!(expr.as_ref(), Expr::Array { .. } | Expr::Object { .. })
}

fn is_reference(expr: &ExprRef) -> bool {
    matches!(expr.as_ref(), Expr::RefDot { .. } | Expr::RefBrack { .. })
}

fn is_scalar(expr: &ExprRef) -> bool {
    matches!(
        expr.as_ref(),
        Expr::String { .. }
            | Expr::RawString { .. }
            | Expr::Number { .. }
            | Expr::Bool { .. }
            | Expr::Null { .. }
            | Expr::ArithExpr { .. }
    )
}

/// Whether the answer of a function of Rego may depend on the parts of what it is given. The others ask for its kind or
/// its size, hand on its parts, or take texts and numbers alone.
fn takes_parts(function: &str) -> bool {
    const NOT: [&str; 16] = [
        "abs",
        "ceil",
        "contains",
        "count",
        "endswith",
        "floor",
        "format_int",
        "indexof",
        "lower",
        "object.keys",
        "replace",
        "round",
        "split",
        "startswith",
        "upper",
        "walk",
    ];
    const FAMILIES: [&str; 11] =
        ["base64", "bits.", "hex.", "is_", "numbers.", "regex.", "semver.", "time.", "to_", "trim", "units."];
    !NOT.contains(&function) && !FAMILIES.iter().any(|family| function.starts_with(family))
}
