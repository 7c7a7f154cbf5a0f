//! Compiles statements.

use super::blame::falsifies;
use super::{Blame, Branch, Compiler, Leaves, LoopKind, Op};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name, Param, Stmt, StmtKind, Target};
use crate::value::Text;

impl Compiler {
    pub(super) fn param(&mut self, param: &Param) {
        let place = param.name.span.start;
        let name = self.text(Text::from(&*param.name.text));
        let given = self.emit(place, Op::Param { name, default: param.default.is_some(), to: 0 });
        if let Some(default) = &param.default {
            self.expression(default);
        }
        self.land(given);
        self.store(&param.name);
    }

    pub(super) fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let place = statement.span.start;
        match &statement.kind {
            StmtKind::Expr(expr) => {
                self.expression(expr);
                self.emit(place, Op::Pop);
            }
            StmtKind::Assign { target: Target::Name(name), op: None, value } => {
                match &value.kind {
                    // A rule is reported under its name at the top of the file.
                    ExprKind::Rule(rule) if self.around.is_empty() => {
                        self.rule(rule, value.span.start, Some(&name.text));
                    }
                    _ => self.explained(value),
                }
                self.falsify(value, place);
                self.store(name);
            }
            StmtKind::Assign { target: Target::Name(name), op: Some(op), value } => {
                self.augment(name, *op, value);
            }
            StmtKind::Assign { target: Target::Index { base, index }, op, value } => {
                self.expression(value);
                self.expression(base);
                self.expression(index);
                if let Some(op) = op {
                    self.emit(place, Op::CopyTwo);
                    self.emit(index.span.start, Op::Index);
                    self.emit(place, Op::AugmentIndex(*op));
                }
                let changed = self.variable(base);
                let at = self.emit(place, Op::StoreIndex);
                self.unit().changes.insert(at, changed);
            }
            StmtKind::If { arms, otherwise } => self.if_statement(arms, otherwise.as_deref(), place),
            StmtKind::For(statement) => {
                self.operand(&statement.collection, true);
                let begin = self.here();
                self.walk(LoopKind::For, &statement.names, place, |compiler, index| {
                    compiler.scopes.may_declare_all(&statement.body);
                    let end = compiler.scopes.slots();
                    compiler.unit().loops[index as usize].declared.1 = end;
                    compiler.open.loops.push(index);
                    compiler.statements(&statement.body);
                    compiler.open.loops.pop();
                });
                // `break` and `continue` end at this loop: they leave no enclosing block.
                let leaves = match leaves(&statement.body) {
                    Leaves::Function => Leaves::Function,
                    _ => Leaves::Nothing,
                };
                self.branch(&[begin], leaves);
            }
            StmtKind::Case { subject, arms, otherwise } => {
                match subject {
                    Some(subject) => self.expression(subject),
                    None => {
                        self.emit(place, Op::Bool(true));
                    }
                }
                self.case(arms, otherwise.as_deref(), place);
            }
            StmtKind::Func(name, function) => {
                let unit = self.function(function, place);
                self.emit(place, Op::Closure(unit));
                self.store(name);
            }
            StmtKind::Return(value) => {
                match value {
                    Some(value) => {
                        self.explained(value);
                        self.falsify(value, place);
                    }
                    None => {
                        self.emit(place, Op::Undefined);
                    }
                }
                self.emit(place, Op::Return);
            }
            StmtKind::Break => {
                let index = self.innermost_loop();
                self.emit(place, Op::Break(index));
            }
            StmtKind::Continue => {
                let index = self.innermost_loop() as usize;
                let next = self.unit().loops[index].next;
                self.emit(place, Op::Jump(next));
            }
        }
    }

    /// The loops of this function that enclose the current statement.
    pub(super) fn loops_here(&self) -> &[u32] {
        &self.open.loops
    }

    /// There always is one: the parser refuses `break` and `continue` outside of loops.
    fn innermost_loop(&self) -> u32 {
        self.loops_here().last().copied().unwrap_or_default()
    }

    fn store(&mut self, name: &Name) {
        let place = name.span.start;
        if self.import(name).is_some() {
            let message = format!("{} is an import, to which nothing can be assigned", name.text);
            let message = self.text(Text::from(&*message));
            self.emit(place, Op::Fail(message));
        } else {
            let access = self.access(name);
            self.emit(place, Op::Store(access));
        }
    }

    fn augment(&mut self, name: &Name, op: BinaryOp, value: &Expr) {
        let place = name.span.start;
        let access = self.access(name);
        self.emit(place, Op::Load(access));
        self.expression(value);
        self.emit(place, Op::Augment(access, op));
    }

    fn if_statement(&mut self, arms: &[(Expr, Vec<Stmt>)], otherwise: Option<&[Stmt]>, place: u32) {
        let mut ends = Vec::new();
        let mut conditions = Vec::new();
        let mut otherwise_guard = None;
        for (index, (condition, body)) in arms.iter().enumerate() {
            let is_last = index + 1 == arms.len();
            let blame = match otherwise {
                _ if falsifies(body) => Blame::True,
                Some(otherwise) if is_last && falsifies(otherwise) => Blame::False,
                _ => Blame::Nothing,
            };
            let guard = self.condition(condition, blame);
            let skip = self.emit(condition.span.start, Op::Unless(0));
            conditions.push(skip);
            let within = guard.filter(|_| blame == Blame::True);
            self.guarded_block(within, body);
            otherwise_guard = guard.filter(|_| blame == Blame::False);
            ends.push(self.emit(place, Op::Jump(0)));
            self.land(skip);
        }
        self.guarded_block(otherwise_guard, otherwise.unwrap_or_default());
        ends.into_iter().for_each(|end| self.land(end));
        let blocks = arms.iter().map(|(_, body)| &**body).chain(otherwise);
        self.branch(&conditions, blocks.map(leaves).max().unwrap_or(Leaves::Nothing));
    }

    fn case(&mut self, arms: &[(Vec<Expr>, Vec<Stmt>)], otherwise: Option<&[Stmt]>, place: u32) {
        let (mut jumps, mut conditions) = (Vec::new(), Vec::new());
        for (values, _) in arms {
            let mut hits = Vec::new();
            for value in values {
                self.expression(value);
                hits.push(self.emit(value.span.start, Op::When(0)));
            }
            conditions.extend(&hits);
            jumps.push(hits);
        }
        self.emit(place, Op::Pop);
        self.statements(otherwise.unwrap_or_default());
        let mut ends = vec![self.emit(place, Op::Jump(0))];
        for ((_, body), hits) in arms.iter().zip(jumps) {
            hits.into_iter().for_each(|hit| self.land(hit));
            self.statements(body);
            ends.push(self.emit(place, Op::Jump(0)));
        }
        ends.into_iter().for_each(|end| self.land(end));
        let blocks = arms.iter().map(|(_, body)| &**body).chain(otherwise);
        self.branch(&conditions, blocks.map(leaves).max().unwrap_or(Leaves::Nothing));
    }

    /// Records the instructions that the conditions of this statement choose.
    fn branch(&mut self, conditions: &[u32], leaves: Leaves) {
        let end = self.here();
        let branches = conditions.iter().map(|condition| (*condition, Branch { end, leaves }));
        self.unit().branches.extend(branches);
    }
}

/// The construct that a block may leave before its end.
fn leaves(block: &[Stmt]) -> Leaves {
    let mut found = Leaves::Nothing;
    // Each block, and whether it is in a loop inside `block`: a `break` there leaves only that loop.
    let mut blocks = vec![(block, false)];
    while let Some((block, in_loop)) = blocks.pop() {
        for statement in block {
            match &statement.kind {
                StmtKind::Return(_) => return Leaves::Function,
                StmtKind::Break | StmtKind::Continue if !in_loop => found = Leaves::Loop,
                StmtKind::If { arms, otherwise } => {
                    let arms = arms.iter().map(|(_, block)| &**block);
                    blocks.extend(arms.chain(otherwise.as_deref()).map(|block| (block, in_loop)));
                }
                StmtKind::Case { arms, otherwise, .. } => {
                    let arms = arms.iter().map(|(_, block)| &**block);
                    blocks.extend(arms.chain(otherwise.as_deref()).map(|block| (block, in_loop)));
                }
                StmtKind::For(inner) => blocks.push((&inner.body, true)),
                _ => {}
            }
        }
    }
    found
}
