//! Expressions.

use std::sync::Arc;

use super::{Compiler, Loop, LoopKind, Op, UnitKind, index_of};
use crate::syntax::ast::{
    BinaryOp, Chain, Expr, ExprKind, Func, Link, Name, Names, Part, PartKind, Postfix, Quantifier,
    QuantifierKind, Rule,
};

impl Compiler {
    pub(super) fn expression(&mut self, expr: &Expr) {
        let place = expr.span.start;
        match &expr.kind {
            ExprKind::Undefined => {
                self.emit(place, Op::Undefined);
            }
            ExprKind::Null => {
                self.emit(place, Op::Null);
            }
            ExprKind::Bool(bool) => {
                self.emit(place, Op::Bool(*bool));
            }
            ExprKind::Int(int) => {
                self.emit(place, Op::Int(*int));
            }
            ExprKind::Float(float) => {
                self.emit(place, Op::Float(*float));
            }
            ExprKind::String(bytes) => {
                let text = self.text(bytes);
                self.emit(place, Op::Text(text));
            }
            ExprKind::Name(name) => self.name(name),
            ExprKind::Paren(inner) => self.expression(inner),
            ExprKind::List(items) => {
                items.iter().for_each(|item| self.expression(item));
                self.emit(place, Op::List(index_of(items.len())));
            }
            ExprKind::Map(entries) => {
                for (key, value) in entries {
                    self.expression(key);
                    self.expression(value);
                }
                self.emit(place, Op::Map(index_of(entries.len())));
            }
            ExprKind::Func(function) => {
                let unit = self.function(function, place);
                self.emit(place, Op::Closure(unit));
            }
            ExprKind::Rule(rule) => self.rule(rule, place, None),
            ExprKind::Quantifier(quantifier) => self.quantifier(quantifier, place),
            ExprKind::Unary(op, operand) => {
                self.expression(operand);
                self.emit(place, Op::Unary(*op));
            }
            ExprKind::Chain(chain) => self.chain(chain),
            ExprKind::Postfix(postfix) => self.postfix(postfix),
        }
    }

    fn name(&mut self, name: &Name) {
        let place = name.span.start;
        if self.import(name).is_some() {
            let message = format!("{} is an import: only its members are values", name.text);
            let message = self.text(message.as_bytes());
            self.emit(place, Op::Fail(message));
        } else {
            let access = self.access(name);
            self.emit(place, Op::Load(access));
        }
    }

    /// Operators of one level: the result of each is the left side of the next.
    fn chain(&mut self, chain: &Chain) {
        self.expression(&chain.first);
        for link in &chain.links {
            match link {
                Link::Test { test, negated, span } => {
                    self.emit(span.start, Op::Test(*test, *negated));
                }
                Link::Binary { op: BinaryOp::And, span, right } => {
                    let jump = self.emit(span.start, Op::And(0));
                    self.expression(right);
                    self.emit(right.span.start, Op::Logical);
                    self.land(jump);
                }
                Link::Binary { op: BinaryOp::Or, span, right } => {
                    let jump = self.emit(span.start, Op::Or(0));
                    self.expression(right);
                    self.emit(right.span.start, Op::OrEnd);
                    self.land(jump);
                }
                Link::Binary { op: BinaryOp::Else, span, right } => {
                    let jump = self.emit(span.start, Op::Else(0));
                    self.expression(right);
                    self.land(jump);
                }
                Link::Binary { op, span, right } => {
                    self.expression(right);
                    self.emit(span.start, Op::Binary(*op));
                }
            }
        }
    }

    fn postfix(&mut self, postfix: &Postfix) {
        let mut parts = &postfix.parts[..];
        if let ExprKind::Name(name) = &postfix.base.kind
            && let Some(import) = self.import(name)
            && let [Part { span, kind: PartKind::Selector(member) }, rest @ ..] = parts
        {
            let member = self.text(member.as_bytes());
            self.emit(span.start, Op::ImportMember(import, member));
            parts = rest;
        } else {
            self.expression(&postfix.base);
        }
        for Part { span, kind } in parts {
            let op = match kind {
                PartKind::Selector(member) => Op::Member(self.text(member.as_bytes())),
                PartKind::Index(index) => {
                    self.expression(index);
                    Op::Index
                }
                PartKind::Slice(low, high) => {
                    low.iter().chain(high).for_each(|bound| self.expression(bound));
                    Op::Slice { low: low.is_some(), high: high.is_some() }
                }
                PartKind::Call(arguments) => {
                    arguments.iter().for_each(|argument| self.expression(argument));
                    Op::Call(index_of(arguments.len()))
                }
            };
            self.emit(span.start, op);
        }
    }

    pub(super) fn function(&mut self, function: &Func, place: u32) -> u32 {
        self.open_unit(UnitKind::Function, place);
        self.scopes.open();
        for param in &function.params {
            self.scopes.declare(param);
        }
        self.unit().params = index_of(function.params.len());
        self.scopes.may_declare_all(&function.body);
        self.statements(&function.body);
        self.emit(place, Op::Undefined);
        self.emit(place, Op::Return);
        self.scopes.close();
        self.close_inner()
    }

    pub(super) fn rule(&mut self, rule: &Rule, place: u32, name: Option<&Arc<str>>) {
        self.open_unit(UnitKind::Rule, place);
        self.unit().name = name.cloned();
        if let Some(when) = &rule.when {
            self.expression(when);
            self.emit(when.span.start, Op::Predicate);
        }
        self.expression(&rule.body);
        self.emit(place, Op::Return);
        let unit = self.close_inner();
        self.emit(place, Op::Rule(unit));
    }

    fn quantifier(&mut self, quantifier: &Quantifier, place: u32) {
        let kind = match quantifier.kind {
            QuantifierKind::Any => LoopKind::Any,
            QuantifierKind::All => LoopKind::All,
            QuantifierKind::Filter => LoopKind::Filter,
            QuantifierKind::Map => LoopKind::Map,
        };
        self.expression(&quantifier.collection);
        self.walk(kind, &quantifier.names, place, |compiler, index| {
            compiler.expression(&quantifier.body);
            compiler.emit(quantifier.body.span.start, Op::Collect(index));
        });
    }

    /// A loop or quantifier over the collection on the stack.
    pub(super) fn walk(
        &mut self,
        kind: LoopKind,
        names: &Names,
        place: u32,
        body: impl FnOnce(&mut Compiler, u32),
    ) {
        let index = index_of(self.unit().loops.len());
        self.unit().loops.push(Loop {
            kind,
            first: 0,
            second: None,
            slots: (0, 0),
            own_scope: None,
            next: 0,
            done: 0,
        });
        self.emit(place, Op::Begin(index));
        let next = self.emit(place, Op::Next(index));
        if names.captured {
            self.scopes.open_frame();
        }
        self.scopes.open();
        let start = self.scopes.slots();
        let first = self.scopes.declare(&names.first);
        let second = names.second.as_ref().map(|name| self.scopes.declare(name));
        // A loop adds to this what its body declares.
        let end = self.scopes.slots();
        let compiled = &mut self.unit().loops[index as usize];
        (compiled.slots, compiled.next) = ((start, end), next);
        body(self, index);
        self.scopes.close();
        let own_scope = names.captured.then(|| self.scopes.close_frame());
        if kind == LoopKind::For {
            self.emit(place, Op::Jump(next));
        }
        let done = self.here();
        let compiled = &mut self.unit().loops[index as usize];
        (compiled.first, compiled.second) = (first, second);
        (compiled.own_scope, compiled.done) = (own_scope, done);
    }
}
