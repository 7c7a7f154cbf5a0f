//! Expressions.

use std::sync::Arc;

use super::{Blame, Compiler, Loop, LoopKind, Op, UnitKind, index_of};
use crate::syntax::ast::{
    BinaryOp, Chain, Expr, ExprKind, Func, Link, Name, Names, Postfix, PostfixPart, PostfixPartKind,
    Quantifier, QuantifierKind, Rule, UnaryOp,
};
use crate::value::Text;

impl Compiler {
    pub(super) fn expression(&mut self, expr: &Expr) {
        self.judged(expr, Blame::Nothing);
    }

    /// Compiles an expression with answers to explain.
    pub(super) fn judged(&mut self, expr: &Expr, blame: Blame) {
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
                let text = self.text(Text(Arc::clone(bytes)));
                self.emit(place, Op::Text(text));
            }
            ExprKind::Name(name) => self.name(name, blame),
            ExprKind::Paren(inner) => self.judged(inner, blame),
            // As a constant it would be lazy, and the first entry that is put into it would convert it.
            ExprKind::Map(entries) if entries.is_empty() => {
                self.emit(place, Op::Map(0));
            }
            ExprKind::List(_) | ExprKind::Map(_) if self.constant(expr) => {}
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
            ExprKind::Quantifier(quantifier) => self.quantifier(quantifier, place, blame),
            ExprKind::Unary(op, operand) => {
                self.judged(operand, if *op == UnaryOp::Not { blame.inverse() } else { Blame::Nothing });
                self.emit(place, Op::Unary(*op));
            }
            ExprKind::Chain(chain) => self.chain(chain, blame),
            ExprKind::Postfix(postfix) => self.postfix(postfix, blame),
        }
    }

    fn name(&mut self, name: &Name, blame: Blame) {
        let place = name.span.start;
        if self.import(name).is_some() {
            let message = format!("{} is an import: only its members are values", name.text);
            let message = self.text(Text::from(&*message));
            self.emit(place, Op::Fail(message));
        } else {
            let access = self.access(name);
            self.emit(place, Op::Load(access));
            self.recall(place, access, blame, true);
        }
    }

    /// Operators of one level: the result of each is the left side of the next.
    fn chain(&mut self, chain: &Chain, blame: Blame) {
        if let [link] = &chain.links[..]
            && self.comparison(chain, link, blame)
        {
            return;
        }
        let (start, explaining) = (self.here(), self.explaining);
        // The operands of the others are not of the same kind as their results.
        let is_logical = |link: &Link| {
            matches!(link, Link::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Else, .. })
        };
        let blame = if chain.links.iter().all(is_logical) { blame } else { Blame::Nothing };
        match chain.links.first() {
            // A literal list on the left, as in `["a", "b"] contains x`, is then made only once in a run.
            Some(Link::Binary { op, .. }) if looks(*op) => self.operand(&chain.first, false),
            _ => self.judged(&chain.first, blame),
        }
        for link in &chain.links {
            match link {
                Link::Test { test, negated, span } => {
                    self.emit(span.start, Op::Test(*test, *negated));
                }
                Link::Binary { op: BinaryOp::And, span, right } => {
                    let jump = self.emit(span.start, Op::And(0));
                    self.judged(right, blame);
                    self.emit(right.span.start, Op::AndEnd);
                    self.land(jump);
                }
                Link::Binary { op: BinaryOp::Or, span, right } => {
                    let jump = self.emit(span.start, Op::Or(0));
                    self.judged(right, blame);
                    self.emit(right.span.start, Op::OrEnd);
                    self.land(jump);
                }
                Link::Binary { op: BinaryOp::Else, span, right } => {
                    let jump = self.emit(span.start, Op::Else(0));
                    self.judged(right, blame);
                    self.emit(right.span.start, Op::ElseEnd);
                    self.land(jump);
                }
                Link::Binary { op, span, right } => match (op, &right.kind) {
                    (BinaryOp::Equal | BinaryOp::NotEqual, ExprKind::String(bytes)) => {
                        let text = self.text(Text(Arc::clone(bytes)));
                        self.emit(span.start, Op::IsText(text, *op == BinaryOp::NotEqual));
                    }
                    _ => {
                        if let (BinaryOp::In | BinaryOp::NotIn, Some(map)) = (op, self.keys_of(right)) {
                            // A policy that asks for one key does not look at the others.
                            self.expression(map);
                            self.emit(span.start, Op::InKeys(*op == BinaryOp::NotIn));
                            continue;
                        }
                        if looks(*op) {
                            self.operand(right, false);
                        } else {
                            self.expression(right);
                        }
                        self.emit(span.start, Op::Binary(*op));
                    }
                },
            }
        }
        if blame != Blame::Nothing && self.explaining > explaining {
            self.emit(chain.first.span.start, Op::Settle(blame, start));
        }
    }

    /// The map in a call of `keys`, if that is the function of the language.
    fn keys_of<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let ExprKind::Postfix(postfix) = &expr.kind else { return None };
        match (&postfix.base.kind, &postfix.parts[..]) {
            (ExprKind::Name(name), [PostfixPart { kind: PostfixPartKind::Call(arguments), .. }])
                if &*name.text == "keys"
                    && arguments.len() == 1
                    // The file may have a variable called `keys`.
                    && self.scopes.find(&name.text).candidates.is_empty()
                    && !self.imports.contains_key(&name.text) =>
            {
                arguments.first()
            }
            _ => None,
        }
    }

    fn postfix(&mut self, postfix: &Postfix, blame: Blame) {
        let mut parts = &postfix.parts[..];
        if let ExprKind::Name(name) = &postfix.base.kind
            && let Some(import) = self.import(name)
            && let [PostfixPart { span, kind: PostfixPartKind::Selector(member) }, rest @ ..] = parts
        {
            let member = self.member_name(member);
            self.emit(span.start, Op::ImportMember(import, member));
            parts = rest;
        } else if let (
            ExprKind::Name(name),
            Some(PostfixPart { kind: PostfixPartKind::Selector(member), .. }),
        ) = (&postfix.base.kind, parts.first())
            && self.import(name).is_none()
        {
            let (access, member) = (self.access(name), self.member_name(member));
            self.emit(name.span.start, Op::LoadMember(access, member));
        } else {
            let base = self.here();
            self.expression(&postfix.base);
            self.change(&postfix.base, parts.first(), base);
        }
        for (index, PostfixPart { span, kind }) in parts.iter().enumerate() {
            let op = match kind {
                PostfixPartKind::Selector(member) => Op::Member(self.member_name(member)),
                PostfixPartKind::Index(index) => {
                    self.expression(index);
                    Op::Index
                }
                PostfixPartKind::Slice(low, high) => {
                    low.iter().chain(high).for_each(|bound| self.expression(bound));
                    Op::Slice { low: low.is_some(), high: high.is_some() }
                }
                PostfixPartKind::Call(arguments) => {
                    arguments.iter().for_each(|argument| self.expression(argument));
                    // A function's own causes explain its false answer.
                    let is_explained = blame == Blame::False && index + 1 == parts.len();
                    self.explaining += usize::from(is_explained);
                    Op::Call(index_of(arguments.len()), is_explained)
                }
            };
            self.emit(span.start, op);
        }
    }

    /// Records a call of `append` or `delete`: the loading instruction, and the changed variable.
    fn change(&mut self, base: &Expr, part: Option<&PostfixPart>, load: u32) {
        if let (ExprKind::Name(name), Some(PostfixPartKind::Call(arguments))) =
            (&base.kind, part.map(|part| &part.kind))
            && matches!(&*name.text, "append" | "delete")
        {
            let changed = arguments.first().and_then(|changed| self.variable(changed));
            self.unit().changes.insert(load, changed);
        }
    }

    /// The variable that an expression is.
    pub(super) fn variable(&mut self, expr: &Expr) -> Option<u32> {
        match &expr.kind {
            ExprKind::Name(name) if self.import(name).is_none() => Some(self.access(name)),
            ExprKind::Paren(inner) => self.variable(inner),
            _ => None,
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
            self.judged(when, Blame::False);
            self.emit(when.span.start, Op::Predicate);
        }
        self.judged(&rule.body, Blame::False);
        self.emit(place, Op::Return);
        let unit = self.close_inner();
        self.emit(place, Op::Rule(unit));
    }

    fn quantifier(&mut self, quantifier: &Quantifier, place: u32, blame: Blame) {
        let kind = match quantifier.kind {
            QuantifierKind::Any => LoopKind::Any,
            QuantifierKind::All => LoopKind::All,
            QuantifierKind::Filter => LoopKind::Filter,
            QuantifierKind::Map => LoopKind::Map,
        };
        // If one element settles the quantifier, the causes of its body are the causes of the whole.
        let (blame, within) = match (kind, blame) {
            (LoopKind::All, Blame::False) | (LoopKind::Any, Blame::True) => (blame, blame),
            (LoopKind::All | LoopKind::Any, blame) => (blame, Blame::Nothing),
            _ => (Blame::Nothing, Blame::Nothing),
        };
        self.operand(&quantifier.collection, true);
        self.walk(kind, &quantifier.names, place, |compiler, index| {
            compiler.unit().loops[index as usize].blame = blame;
            compiler.judged(&quantifier.body, within);
            compiler.emit(quantifier.body.span.start, Op::Collect(index));
        });
        self.explaining += usize::from(blame != Blame::Nothing);
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
            blame: Blame::Nothing,
            first: None,
            second: None,
            two: names.second.is_some(),
            declared: (0, 0),
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
        self.scopes.declare(&names.first);
        names.second.iter().for_each(|name| {
            self.scopes.declare(name);
        });
        // A loop adds the variables that its body declares.
        let end = self.scopes.slots();
        let compiled = &mut self.unit().loops[index as usize];
        (compiled.declared, compiled.next) = ((end, end), next);
        body(self, index);
        let first = self.scopes.read(&names.first);
        let second = names.second.as_ref().and_then(|name| self.scopes.read(name));
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

/// Whether an operator only looks at its sides: its answer holds nothing of them.
fn looks(op: BinaryOp) -> bool {
    use BinaryOp as Op;
    matches!(op, Op::Equal | Op::NotEqual | Op::In | Op::NotIn | Op::Contains | Op::NotContains)
}
