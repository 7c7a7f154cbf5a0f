//! Looking at the syntax of policies: references, and what a rule refers to.

use regorus::Value;
use regorus::unstable::{Expr, ExprRef, Literal, Module, Query, Ref, Rule, RuleBody, RuleHead};

/// A reference: what stands at its beginning, and the steps from there.
pub(super) struct Reference<'a> {
    pub(super) root: &'a ExprRef,
    pub(super) steps: Vec<Step<'a>>,
}

pub(super) struct Step<'a> {
    /// Where the part before it ends, and where it ends itself.
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) kind: StepKind<'a>,
}

pub(super) enum StepKind<'a> {
    /// `.name` or `["name"]`
    Key(&'a Value),
    Index(&'a ExprRef),
}

impl<'a> Reference<'a> {
    /// The reference that an expression is, be it a name alone.
    pub(super) fn of(expr: &'a ExprRef) -> Option<Self> {
        let mut steps = Vec::new();
        let mut at = expr;
        loop {
            at = match at.as_ref() {
                Expr::RefDot { span, refr, field, .. } => {
                    let kind = StepKind::Key(&field.1);
                    steps.push(Step { from: refr.span().end, to: span.end, kind });
                    refr
                }
                Expr::RefBrack { span, refr, index, .. } => {
                    let kind = match index.as_ref() {
                        Expr::String { value, .. } | Expr::RawString { value, .. } => StepKind::Key(value),
                        _ => StepKind::Index(index),
                    };
                    steps.push(Step { from: refr.span().end, to: span.end, kind });
                    refr
                }
                Expr::Var { .. } => break,
                _ if steps.is_empty() => return None,
                _ => break,
            };
        }
        steps.reverse();
        Some(Self { root: at, steps })
    }

    /// The name at its beginning.
    pub(super) fn name(&self) -> Option<&'a str> {
        match self.root.as_ref() {
            Expr::Var { span, .. } => Some(span.text()),
            _ => None,
        }
    }

    /// The keys up to the first step that is none, as texts.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.steps.iter().map_while(|step| match step.kind {
            StepKind::Key(Value::String(key)) => Some(&**key),
            _ => None,
        })
    }
}

/// Calls `see` with each expression of a rule that is none of the parts of a reference; references come whole.
pub(super) fn for_each(rule: &Rule, see: &mut dyn FnMut(&ExprRef)) {
    match rule {
        Rule::Default { args, value, .. } => {
            args.iter().for_each(|arg| expression(arg, see));
            expression(value, see);
        }
        Rule::Spec { head, bodies, .. } => {
            match head {
                RuleHead::Compr { refr, assign, .. } => {
                    indices(refr, see);
                    assign.iter().for_each(|assign| expression(&assign.value, see));
                }
                RuleHead::Set { refr, key, .. } => {
                    indices(refr, see);
                    key.iter().for_each(|key| expression(key, see));
                }
                RuleHead::Func { args, assign, .. } => {
                    args.iter().for_each(|arg| expression(arg, see));
                    assign.iter().for_each(|assign| expression(&assign.value, see));
                }
            }
            for RuleBody { assign, query: body, .. } in bodies {
                assign.iter().for_each(|assign| expression(&assign.value, see));
                query(body, see);
            }
        }
    }
}

fn indices(head: &ExprRef, see: &mut dyn FnMut(&ExprRef)) {
    for step in Reference::of(head).into_iter().flat_map(|reference| reference.steps) {
        if let StepKind::Index(index) = step.kind {
            expression(index, see);
        }
    }
}

fn query(query: &Query, see: &mut dyn FnMut(&ExprRef)) {
    for statement in &query.stmts {
        match &statement.literal {
            Literal::SomeVars { .. } => {}
            Literal::SomeIn { key, value, collection, .. } => {
                key.iter().for_each(|key| expression(key, see));
                expression(value, see);
                expression(collection, see);
            }
            Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => expression(expr, see),
            Literal::Every { domain, query: body, .. } => {
                expression(domain, see);
                self::query(body, see);
            }
        }
        for with in &statement.with_mods {
            expression(&with.r#as, see);
        }
    }
}

fn expression(expr: &ExprRef, see: &mut dyn FnMut(&ExprRef)) {
    see(expr);
    match expr.as_ref() {
        Expr::RefDot { .. } | Expr::RefBrack { .. } => {
            let Some(reference) = Reference::of(expr) else { return };
            if reference.name().is_none() {
                expression(reference.root, see);
            }
            indices(expr, see);
        }
        Expr::Array { items, .. } | Expr::Set { items, .. } => {
            items.iter().for_each(|item| expression(item, see));
        }
        Expr::Object { fields, .. } => fields.iter().for_each(|(_, key, value)| {
            expression(key, see);
            expression(value, see);
        }),
        Expr::ArrayCompr { term, query: body, .. } | Expr::SetCompr { term, query: body, .. } => {
            expression(term, see);
            query(body, see);
        }
        Expr::ObjectCompr { key, value, query: body, .. } => {
            expression(key, see);
            expression(value, see);
            query(body, see);
        }
        Expr::Call { fcn, params, .. } => {
            see(fcn);
            params.iter().for_each(|param| expression(param, see));
        }
        Expr::UnaryExpr { expr, .. } => expression(expr, see),
        Expr::BinExpr { lhs, rhs, .. }
        | Expr::BoolExpr { lhs, rhs, .. }
        | Expr::ArithExpr { lhs, rhs, .. }
        | Expr::AssignExpr { lhs, rhs, .. } => {
            expression(lhs, see);
            expression(rhs, see);
        }
        Expr::Membership { key, value, collection, .. } => {
            key.iter().for_each(|key| expression(key, see));
            expression(value, see);
            expression(collection, see);
        }
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Var { .. } => {}
    }
}

/// The variables that get their values where they are declared: those of `some … in`, `every` and parameters, and what
/// `walk` gives.
pub(super) fn bindings(rule: &Rule, see: &mut dyn FnMut(&str)) {
    if let Rule::Spec { head: RuleHead::Func { args, .. }, .. } = rule {
        args.iter().for_each(|arg| variables(arg, see));
    }
    for_each_query(rule, &mut |query| {
        for statement in &query.stmts {
            match &statement.literal {
                Literal::SomeIn { key, value, .. } => {
                    key.iter().chain([value]).for_each(|pattern| variables(pattern, see));
                }
                Literal::Every { key, value, .. } => {
                    key.iter().chain([value]).for_each(|span| see(span.text()));
                }
                Literal::Expr { expr, .. } => {
                    if let Expr::Call { fcn, params, .. } = expr.as_ref()
                        && fcn.span().text() == "walk"
                    {
                        params.iter().skip(1).for_each(|output| variables(output, see));
                    }
                }
                _ => {}
            }
        }
    });
}

fn variables(pattern: &ExprRef, see: &mut dyn FnMut(&str)) {
    expression(pattern, &mut |expr| {
        if let Expr::Var { span, .. } = expr.as_ref() {
            see(span.text());
        }
    });
}

/// Calls `see` with each body of a rule and of what is in it.
fn for_each_query(rule: &Rule, see: &mut dyn FnMut(&Query)) {
    fn nested(query: &Query, see: &mut dyn FnMut(&Query)) {
        see(query);
        for statement in &query.stmts {
            if let Literal::Every { query, .. } = &statement.literal {
                nested(query, see);
            }
        }
    }
    if let Rule::Spec { bodies, .. } = rule {
        bodies.iter().for_each(|body| nested(&body.query, see));
    }
    for_each(rule, &mut |expr| match expr.as_ref() {
        Expr::ArrayCompr { query, .. } | Expr::SetCompr { query, .. } | Expr::ObjectCompr { query, .. } => {
            nested(query, see);
        }
        _ => {}
    });
}

/// The names of a package, from the outermost.
pub(super) fn package(module: &Module) -> Vec<String> {
    let Some(reference) = Reference::of(&module.package.refr) else { return Vec::new() };
    let names = reference.name().into_iter().chain(reference.keys());
    names.map(str::to_owned).collect()
}

/// The reference in the head of a rule.
pub(super) fn head(rule: &Rule) -> &ExprRef {
    match rule {
        Rule::Default { refr, .. } => refr,
        Rule::Spec { head, .. } => match head {
            RuleHead::Compr { refr, .. } | RuleHead::Set { refr, .. } | RuleHead::Func { refr, .. } => refr,
        },
    }
}

/// The name of a rule, and whether it has more than that and an index: `a.b`.
pub(super) fn name(rule: &Rule) -> Option<(&str, bool)> {
    let reference = Reference::of(head(rule))?;
    Some((reference.name()?, reference.keys().next().is_some()))
}

/// The rules of a module that have a name.
pub(super) fn rules(module: &Module) -> impl Iterator<Item = (&Ref<Rule>, &str)> {
    module.policy.iter().filter_map(|rule| Some((rule, name(rule)?.0)))
}
