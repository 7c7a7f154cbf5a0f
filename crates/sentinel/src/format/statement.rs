//! Statements.

use super::layout::{Gap, Layout};
use crate::syntax::ast::{Expr, Program, Stmt, StmtKind, Target};

impl Layout<'_> {
    pub(super) fn program(&mut self, program: &Program) {
        for _ in &program.imports {
            self.begin(Gap::line(0));
            self.put(self.space());
            if self.next() == "as" {
                self.put(self.space());
                self.put(self.space());
            }
        }
        for param in &program.params {
            self.begin(Gap::line(0));
            self.put(self.space());
            if let Some(default) = &param.default {
                self.put(self.space());
                self.expression(default, self.space());
            }
        }
        self.statements(&program.body, 0);
    }

    fn statements(&mut self, statements: &[Stmt], indent: usize) {
        for statement in statements {
            self.wrapped = indent + 1;
            self.statement(statement, Gap::line(indent));
        }
    }

    /// Writes the first word of a statement.
    fn begin(&mut self, gap: Gap) {
        self.wrapped = gap.base(self) + 1;
        self.put(gap);
    }

    /// Statements in braces, on lines of their own.
    pub(super) fn block(&mut self, statements: &[Stmt], base: usize) {
        self.put(self.space());
        let outer = self.wrapped;
        self.statements(statements, base + 1);
        let is_empty = statements.is_empty() && !self.has_comment();
        self.put(if is_empty { self.nothing() } else { Gap::close(base) });
        self.wrapped = outer;
    }

    pub(super) fn statement(&mut self, statement: &Stmt, gap: Gap) {
        match &statement.kind {
            StmtKind::Expr(expr) => self.expression(expr, gap),
            StmtKind::Assign { target, value, .. } => {
                match target {
                    Target::Name(_) => self.put(gap),
                    Target::Index { base, index } => self.element(base, index, gap),
                }
                self.put(self.space());
                self.expression(value, self.space());
            }
            StmtKind::If { arms, otherwise } => self.if_statement(arms, otherwise.as_deref(), gap),
            StmtKind::For(iteration) => {
                self.begin(gap);
                let base = self.line_indent();
                self.expression(&iteration.collection, self.space());
                self.names(&iteration.names);
                self.block(&iteration.body, base);
            }
            StmtKind::Case { subject, arms, otherwise } => {
                self.begin(gap);
                let base = self.line_indent();
                if let Some(subject) = subject {
                    self.expression(subject, self.space());
                }
                self.arms(arms, otherwise.as_deref(), base);
            }
            StmtKind::Func(_, function) => {
                self.begin(gap);
                self.put(self.space());
                self.function(function, statement.span.end);
            }
            StmtKind::Return(value) => {
                self.begin(gap);
                if let Some(value) = value {
                    self.expression(value, self.space());
                }
            }
            StmtKind::Break | StmtKind::Continue => self.begin(gap),
        }
    }

    fn element(&mut self, base: &Expr, index: &Expr, gap: Gap) {
        self.expression(base, gap);
        self.bounds(&[Some(index)]);
    }

    fn if_statement(&mut self, arms: &[(Expr, Vec<Stmt>)], otherwise: Option<&[Stmt]>, gap: Gap) {
        self.begin(gap);
        let base = self.line_indent();
        for (index, (condition, body)) in arms.iter().enumerate() {
            if index > 0 {
                self.put(self.space().all_at(base));
                self.put(self.space());
            }
            self.expression(condition, self.space());
            self.block(body, base);
        }
        if let Some(body) = otherwise {
            self.put(self.space().all_at(base));
            self.block(body, base);
        }
    }

    /// The clauses of a case, in braces; `else` may be anywhere among them.
    fn arms(&mut self, arms: &[(Vec<Expr>, Vec<Stmt>)], otherwise: Option<&[Stmt]>, base: usize) {
        let outer = self.wrapped;
        self.put(self.space());
        let clauses = arms.len() + usize::from(otherwise.is_some());
        let mut arms = arms.iter();
        for _ in 0..clauses {
            let is_else = self.next() == "else";
            self.begin(Gap::line(base + 1));
            let body = if is_else {
                otherwise.unwrap_or_default()
            } else {
                let (values, body) = arms.next().map_or((&[][..], &[][..]), |(values, body)| (values, body));
                self.values(values);
                body
            };
            self.put(self.nothing());
            self.open();
            self.statements(body, base + 2);
        }
        self.put(Gap::close(base));
        self.wrapped = outer;
    }

    fn values(&mut self, values: &[Expr]) {
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.pass_comma();
                self.comma();
            }
            self.expression(value, self.wrap());
        }
    }
}
