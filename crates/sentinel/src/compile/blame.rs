//! Emits the instructions that explain a false answer by the elements that made it so.

use super::{Blame, Compiler, Op, index_of};
use crate::syntax::ast::{BinaryOp, Chain, Expr, ExprKind, Link, PostfixPartKind, Stmt, StmtKind, Test};

impl Compiler {
    /// Compiles a value that is stored or returned, with the causes of a false value.
    pub(super) fn explained(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Paren(inner) => self.explained(inner),
            // Neither is a rule evaluated here.
            ExprKind::Chain(chain) if chain.level == BinaryOp::Else.describe().0 => self.expression(value),
            ExprKind::Name(name) if self.import(name).is_none() => {
                let access = self.access(name);
                self.emit(name.span.start, Op::Load(access));
                self.recall(name.span.start, access, Blame::False, false);
            }
            _ => self.judged(value, Blame::False),
        }
    }

    /// Compiles the end of a stored or returned value. If the value is a literal `false`, its causes are
    /// the loops and conditions around.
    pub(super) fn falsify(&mut self, value: &Expr, place: u32) {
        let is_led = !self.loops_here().is_empty() || self.open.guarded > 0;
        if is_led && matches!(value.kind, ExprKind::Bool(false)) {
            self.explaining += 1;
            self.emit(place, Op::Falsify);
        }
    }

    /// Compiles a condition; returns the guard of its block, if the condition can have causes.
    pub(super) fn condition(&mut self, condition: &Expr, blame: Blame) -> Option<u32> {
        let explaining = self.explaining;
        self.judged(condition, blame);
        if blame == Blame::Nothing || self.explaining == explaining {
            return None;
        }
        let unit = self.unit();
        unit.guards.push(0..0);
        let guard = index_of(unit.guards.len() - 1);
        self.emit(condition.span.start, Op::Guard(blame, guard));
        Some(guard)
    }

    pub(super) fn guarded_block(&mut self, guard: Option<u32>, block: &[Stmt]) {
        let start = self.here();
        let by = usize::from(guard.is_some());
        self.open.guarded += by;
        self.statements(block);
        self.open.guarded -= by;
        if let Some(guard) = guard {
            let end = self.here();
            self.unit().guards[guard as usize] = start..end;
        }
    }

    pub(super) fn recall(&mut self, place: u32, access: u32, blame: Blame, force: bool) {
        if blame != Blame::Nothing {
            self.explaining += 1;
            self.emit(place, Op::Recall { access, blame, force });
        }
    }

    /// A comparison whose answer its left side explains: with a bool, or of a collection with none; else false.
    pub(super) fn comparison(&mut self, chain: &Chain, link: &Link, blame: Blame) -> bool {
        if blame == Blame::Nothing {
            return false;
        }
        match link {
            Link::Binary { op: op @ (BinaryOp::Equal | BinaryOp::NotEqual), span, right } => {
                if let ExprKind::Bool(bool) = right.kind {
                    let is_same = bool == (*op == BinaryOp::Equal);
                    self.judged(&chain.first, if is_same { blame } else { blame.inverse() });
                    self.expression(right);
                    self.emit(span.start, Op::Binary(*op));
                    return true;
                }
            }
            Link::Binary { .. } => {}
            Link::Test { test: Test::Empty, negated, span } if *negated == (blame == Blame::True) => {
                self.expression(&chain.first);
                self.emit(span.start, Op::Hold);
                self.emit(span.start, Op::Test(Test::Empty, *negated));
                self.held_by(span.start, blame);
                return true;
            }
            Link::Test { .. } => return false,
        }
        let Link::Binary { op, span, right } = link else { return false };
        let counted = counted(&chain.first);
        let Some(says_empty) = says_empty(*op, right, counted.is_some()) else { return false };
        if says_empty != (blame == Blame::False) {
            return false;
        }
        match counted {
            Some((length, collection, call)) => {
                let access = self.access(length);
                self.emit(length.span.start, Op::Load(access));
                self.expression(collection);
                self.emit(call, Op::Hold);
                self.emit(call, Op::Call(1, false));
            }
            None => {
                self.expression(&chain.first);
                self.emit(span.start, Op::Hold);
            }
        }
        self.expression(right);
        self.emit(span.start, Op::Binary(*op));
        self.held_by(span.start, blame);
        true
    }

    fn held_by(&mut self, place: u32, blame: Blame) {
        self.explaining += 1;
        self.emit(place, Op::HeldBy(blame));
    }
}

/// Whether a block sets something to false, or returns it.
pub(super) fn falsifies(block: &[Stmt]) -> bool {
    let is_false = |expr: &Expr| matches!(expr.kind, ExprKind::Bool(false));
    let mut blocks = vec![block];
    while let Some(block) = blocks.pop() {
        for statement in block {
            match &statement.kind {
                StmtKind::Assign { op: None, value, .. } | StmtKind::Return(Some(value))
                    if is_false(value) =>
                {
                    return true;
                }
                StmtKind::If { arms, otherwise } => {
                    blocks.extend(arms.iter().map(|(_, block)| &**block).chain(otherwise.as_deref()));
                }
                StmtKind::Case { arms, otherwise, .. } => {
                    blocks.extend(arms.iter().map(|(_, block)| &**block).chain(otherwise.as_deref()));
                }
                StmtKind::For(of) => blocks.push(&of.body),
                _ => {}
            }
        }
    }
    false
}

/// The parts of a call of `length`: the word, the collection and the place of the call.
fn counted(expr: &Expr) -> Option<(&crate::syntax::ast::Name, &Expr, u32)> {
    let ExprKind::Postfix(postfix) = &expr.kind else { return None };
    let (ExprKind::Name(name), [call]) = (&postfix.base.kind, &postfix.parts[..]) else { return None };
    match &call.kind {
        PostfixPartKind::Call(arguments) if &*name.text == "length" => match &arguments[..] {
            [collection] => Some((name, collection, call.span.start)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a comparison of a collection, or of its length, is true if it is empty, or false there.
fn says_empty(op: BinaryOp, right: &Expr, is_length: bool) -> Option<bool> {
    use BinaryOp as Op;
    Some(match (&right.kind, op) {
        (ExprKind::Int(0), Op::Equal | Op::LessOrEqual) if is_length => true,
        (ExprKind::Int(0), Op::NotEqual | Op::Greater) if is_length => false,
        (ExprKind::Int(1), Op::Less) if is_length => true,
        (ExprKind::Int(1), Op::GreaterOrEqual) if is_length => false,
        (ExprKind::List(items), Op::Equal | Op::NotEqual) if items.is_empty() && !is_length => {
            op == Op::Equal
        }
        (ExprKind::Map(items), Op::Equal | Op::NotEqual) if items.is_empty() && !is_length => op == Op::Equal,
        _ => return None,
    })
}
