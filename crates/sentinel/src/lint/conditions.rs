//! The facts that a condition implies for the values in it.

use std::collections::HashSet;
use std::sync::Arc;

use super::flow::operands;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Link, Name, PostfixPartKind, Stmt, StmtKind, Target};

/// Facts that a condition implies: the value under a key of a variable is one of some strings.
pub(super) fn known(condition: &Expr) -> Vec<(&Name, &str, Vec<String>)> {
    let mut found = Vec::new();
    collect(condition, &mut found);
    found
}

/// Longer lists of values are ignored: they are not worth the work.
const MAX_VALUES: usize = 200;

fn collect<'e>(condition: &'e Expr, found: &mut Vec<(&'e Name, &'e str, Vec<String>)>) {
    match &condition.kind {
        ExprKind::Paren(inner) => collect(inner, found),
        ExprKind::Chain(chain) => match &chain.links[..] {
            [Link::Binary { op: BinaryOp::Equal, right, .. }] => {
                // Either side may be the string.
                let sides = [(&chain.first, right), (right, &chain.first)];
                found.extend(sides.into_iter().find_map(|(subject, value)| {
                    let (name, field) = subject_of(subject)?;
                    Some((name, field, vec![text(value)?]))
                }));
            }
            [Link::Binary { op: BinaryOp::In, right, .. }] => {
                if let Some((name, field)) = subject_of(&chain.first)
                    && let ExprKind::List(items) = &bare(right).kind
                    && items.len() <= MAX_VALUES
                    && let Some(values) = items.iter().map(text).collect()
                {
                    found.push((name, field, values));
                }
            }
            links if links.iter().all(Link::is_and) => {
                collect(&chain.first, found);
                links.iter().filter_map(right).for_each(|right| collect(right, found));
            }
            links if links.iter().all(|link| matches!(link, Link::Binary { op: BinaryOp::Or, .. })) => {
                found.extend(either(&chain.first, links));
            }
            _ => {}
        },
        _ => {}
    }
}

/// Facts from alternatives that are about the same key of the same variable.
fn either<'e>(first: &'e Expr, links: &'e [Link]) -> Option<(&'e Name, &'e str, Vec<String>)> {
    let mut all: Option<(&Name, &str, Vec<String>)> = None;
    for condition in std::iter::once(first).chain(links.iter().filter_map(right)) {
        let mut found = Vec::new();
        collect(condition, &mut found);
        all = match (all, found.into_iter().next()) {
            (_, None) => return None,
            (None, some) => some,
            (Some((name, field, mut values)), Some((other, key, more))) => {
                if other.text != name.text || key != field {
                    return None;
                }
                values.extend(more);
                if values.len() > MAX_VALUES {
                    return None;
                }
                Some((name, field, values))
            }
        };
    }
    all
}

fn right(link: &Link) -> Option<&Expr> {
    match link {
        Link::Binary { right, .. } => Some(right),
        Link::Test { .. } => None,
    }
}

fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner) => bare(inner),
        _ => expr,
    }
}

/// A variable and a key of it.
fn subject_of(expr: &Expr) -> Option<(&Name, &str)> {
    let ExprKind::Postfix(postfix) = &bare(expr).kind else { return None };
    let ExprKind::Name(name) = &postfix.base.kind else { return None };
    let [part] = &postfix.parts[..] else { return None };
    match &part.kind {
        PostfixPartKind::Selector(field) => Some((name, field)),
        PostfixPartKind::Index(Expr { kind: ExprKind::String(key), .. }) => {
            std::str::from_utf8(key).ok().map(|key| (name, key))
        }
        _ => None,
    }
}

fn text(expr: &Expr) -> Option<String> {
    match &bare(expr).kind {
        ExprKind::String(text) => String::from_utf8(text.to_vec()).ok(),
        _ => None,
    }
}

/// The names, keys and strings in the conditions of statements.
pub(super) fn words(statements: &[Stmt]) -> HashSet<Arc<str>> {
    let mut words = HashSet::new();
    let mut blocks = vec![statements];
    let mut values: Vec<(&Expr, bool)> = Vec::new();
    while let Some(block) = blocks.pop() {
        for statement in block {
            match &statement.kind {
                StmtKind::Expr(value) | StmtKind::Return(Some(value)) => values.push((value, false)),
                StmtKind::Assign { target, value, .. } => {
                    values.push((value, false));
                    if let Target::Index { base, index } = target {
                        values.extend([(base, false), (index, false)]);
                    }
                }
                StmtKind::If { arms, otherwise } => {
                    for (condition, block) in arms {
                        values.push((condition, true));
                        blocks.push(block);
                    }
                    blocks.extend(otherwise.as_deref());
                }
                StmtKind::For(iteration) => {
                    values.push((&iteration.collection, false));
                    blocks.push(&iteration.body);
                }
                StmtKind::Case { subject, arms, otherwise } => {
                    values.extend(subject.iter().map(|subject| (subject, true)));
                    for (conditions, block) in arms {
                        values.extend(conditions.iter().map(|condition| (condition, true)));
                        blocks.push(block);
                    }
                    blocks.extend(otherwise.as_deref());
                }
                StmtKind::Func(_, function) => blocks.push(&function.body),
                _ => {}
            }
        }
        while let Some((expr, is_condition)) = values.pop() {
            match &expr.kind {
                ExprKind::Name(name) if is_condition => {
                    words.insert(Arc::clone(&name.text));
                }
                ExprKind::String(text) if is_condition => {
                    words.insert(String::from_utf8_lossy(text).into());
                }
                ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => values.push((inner, is_condition)),
                ExprKind::List(items) => values.extend(items.iter().map(|item| (item, is_condition))),
                ExprKind::Map(entries) => {
                    let both = entries.iter().flat_map(|(key, value)| [key, value]);
                    values.extend(both.map(|expr| (expr, is_condition)));
                }
                ExprKind::Func(function) => blocks.push(&function.body),
                ExprKind::Rule(rule) => {
                    values.extend(rule.when.iter().map(|when| (when, true)));
                    values.push((&rule.body, is_condition));
                }
                ExprKind::Quantifier(iteration) => {
                    values.extend([(&iteration.collection, is_condition), (&iteration.body, is_condition)]);
                }
                ExprKind::Chain(chain) => {
                    values.push((&chain.first, is_condition));
                    values.extend(chain.links.iter().filter_map(right).map(|right| (right, is_condition)));
                }
                ExprKind::Postfix(postfix) => {
                    values.push((&postfix.base, is_condition));
                    for part in &postfix.parts {
                        if let (PostfixPartKind::Selector(name), true) = (&part.kind, is_condition) {
                            words.insert(Arc::clone(name));
                        }
                        values.extend(operands(part).into_iter().map(|operand| (operand, is_condition)));
                    }
                }
                _ => {}
            }
        }
    }
    words
}
