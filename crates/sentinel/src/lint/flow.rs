//! Statements that are never run, conditions that are always the same, keys that are there twice.

use std::collections::BTreeSet;

use super::{LintItems, LintKind};
use crate::syntax::ast::{
    Expr, ExprKind, Func, Link, PostfixPart, PostfixPartKind, Program, Stmt, StmtKind, Target,
};
use crate::value::Key;

pub(super) fn check(program: &Program, found: &mut LintItems) {
    statements(&program.body, found);
}

fn statements(list: &[Stmt], found: &mut LintItems) {
    for pair in list.windows(2) {
        let word = match &pair[0].kind {
            StmtKind::Return(_) => "return",
            StmtKind::Break => "break",
            StmtKind::Continue => "continue",
            _ => continue,
        };
        found.add(LintKind::Unreachable, pair[1].span, format!("this is never run: {word} stands before it"));
        // The statements behind it are unreachable as well, and one finding is enough.
        break;
    }
    list.iter().for_each(|item| statement(item, found));
}

fn statement(item: &Stmt, found: &mut LintItems) {
    match &item.kind {
        StmtKind::Expr(value) | StmtKind::Return(Some(value)) => expression(value, found),
        StmtKind::Assign { target, value, .. } => {
            if let Target::Index { base, index } = target {
                expression(base, found);
                expression(index, found);
            }
            expression(value, found);
        }
        StmtKind::If { arms, otherwise } => {
            for (test, block) in arms {
                condition(test, found);
                statements(block, found);
            }
            statements(otherwise.as_deref().unwrap_or_default(), found);
        }
        StmtKind::For(iteration) => {
            expression(&iteration.collection, found);
            statements(&iteration.body, found);
        }
        StmtKind::Case { subject, arms, otherwise } => {
            subject.iter().for_each(|subject| expression(subject, found));
            for (values, block) in arms {
                values.iter().for_each(|value| expression(value, found));
                statements(block, found);
            }
            statements(otherwise.as_deref().unwrap_or_default(), found);
        }
        StmtKind::Func(_, function) => self::function(function, found),
        StmtKind::Return(None) | StmtKind::Break | StmtKind::Continue => {}
    }
}

fn function(function: &Func, found: &mut LintItems) {
    statements(&function.body, found);
}

/// Checks an expression that is used as a condition.
fn condition(expr: &Expr, found: &mut LintItems) {
    if is_constant(expr) {
        found.add(LintKind::ConstantCondition, expr.span, "this condition is always the same");
    }
    expression(expr, found);
}

fn expression(expr: &Expr, found: &mut LintItems) {
    match &expr.kind {
        ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => expression(inner, found),
        ExprKind::List(items) => items.iter().for_each(|item| expression(item, found)),
        ExprKind::Map(entries) => {
            keys(entries, found);
            for (key, value) in entries {
                expression(key, found);
                expression(value, found);
            }
        }
        ExprKind::Func(func) => function(func, found),
        ExprKind::Rule(rule) => {
            rule.when.iter().for_each(|when| condition(when, found));
            expression(&rule.body, found);
        }
        ExprKind::Quantifier(iteration) => {
            expression(&iteration.collection, found);
            expression(&iteration.body, found);
        }
        ExprKind::Chain(chain) => {
            expression(&chain.first, found);
            chain.links.iter().filter_map(right).for_each(|right| expression(right, found));
        }
        ExprKind::Postfix(postfix) => {
            expression(&postfix.base, found);
            postfix.parts.iter().flat_map(operands).for_each(|operand| expression(operand, found));
        }
        _ => {}
    }
}

fn right(link: &Link) -> Option<&Expr> {
    match link {
        Link::Binary { right, .. } => Some(right),
        Link::Test { .. } => None,
    }
}

/// The expressions in a part of a postfix expression.
pub(super) fn operands(part: &PostfixPart) -> Vec<&Expr> {
    match &part.kind {
        PostfixPartKind::Selector(_) => Vec::new(),
        PostfixPartKind::Index(index) => vec![index],
        PostfixPartKind::Slice(low, high) => low.iter().chain(high).collect(),
        PostfixPartKind::Call(arguments) => arguments.iter().collect(),
    }
}

/// Whether an expression is made of literals only.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Undefined | ExprKind::Null | ExprKind::Bool(_) => true,
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) => true,
        ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => is_constant(inner),
        ExprKind::List(items) => items.iter().all(is_constant),
        ExprKind::Map(entries) => entries.iter().all(|(key, value)| is_constant(key) && is_constant(value)),
        ExprKind::Chain(chain) => {
            is_constant(&chain.first) && chain.links.iter().filter_map(right).all(is_constant)
        }
        _ => false,
    }
}

fn keys(entries: &[(Expr, Expr)], found: &mut LintItems) {
    let mut seen = BTreeSet::new();
    for (key, _) in entries {
        let known = match &key.kind {
            ExprKind::String(text) => Key::String(text.to_vec().into()),
            ExprKind::Bool(bool) => Key::Bool(*bool),
            ExprKind::Int(int) => Key::Int(*int),
            _ => continue,
        };
        if !seen.insert(known) {
            let help = Some("only the last value counts: remove the others".to_owned());
            found.add_with_help(LintKind::DuplicateKey, key.span, "this key is in the map already", help);
        }
    }
}
