//! Checks statements.

use super::LintKind;
use super::kinds::Walk;
use super::shape::{Kinds, Shape};
use crate::syntax::ast::{Expr, ExprKind, For, PostfixPartKind, Stmt, StmtKind, Target};

impl Walk<'_> {
    pub(super) fn statements(&mut self, statements: &[Stmt]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(value) | StmtKind::Return(Some(value)) => {
                self.expression(value);
            }
            StmtKind::Assign { target: Target::Name(name), op, value } => {
                let shape = self.expression(value);
                if op.is_none() {
                    self.assign(name, shape);
                }
            }
            StmtKind::Assign { target: Target::Index { base, index }, value, .. } => {
                let shape = self.expression(base);
                self.needs(Kinds::LIST.or(Kinds::MAP), &shape, base, "only a list or a map has elements");
                self.expression(index);
                self.expression(value);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    let shape = self.expression(condition);
                    self.needs(Kinds::BOOL, &shape, condition, "a condition is a bool");
                    self.where_holds(condition, |walk| walk.statements(block));
                }
                self.statements(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::For(iteration) => self.for_loop(iteration),
            StmtKind::Case { subject, arms, otherwise } => {
                subject.iter().for_each(|subject| {
                    self.expression(subject);
                });
                for (values, block) in arms {
                    values.iter().for_each(|value| {
                        self.expression(value);
                    });
                    self.statements(block);
                }
                self.statements(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::Func(name, function) => {
                self.function(function);
                self.assign(name, Shape::FUNCTION);
            }
            StmtKind::Return(None) | StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn for_loop(&mut self, iteration: &For) {
        let collection = self.expression(&iteration.collection);
        self.walked(&collection, &iteration.collection);
        // A policy that asks anywhere whether the value is there knows that it may be missing.
        if collection.may_be_missing
            && !last_word(&iteration.collection).is_some_and(|word| self.guarded.contains(word))
        {
            let message = "what this loop goes over may be undefined, which is an error";
            let help = Some("write `else []` behind it, or ask before whether it `is defined`".to_owned());
            self.found.add_with_help(LintKind::LoopOverUndefined, iteration.collection.span, message, help);
        }
        self.elements(&iteration.names, &collection);
        self.statements(&iteration.body);
    }
}

/// The last word of an expression: its last key, or the name of the variable.
fn last_word(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(&name.text),
        ExprKind::Paren(inner) => last_word(inner),
        ExprKind::Postfix(postfix) => {
            let words = postfix.parts.iter().rev().find_map(|part| match &part.kind {
                PostfixPartKind::Selector(name) => Some(&**name),
                PostfixPartKind::Index(Expr { kind: ExprKind::String(key), .. }) => {
                    std::str::from_utf8(key).ok()
                }
                _ => None,
            });
            words.or_else(|| last_word(&postfix.base))
        }
        _ => None,
    }
}
