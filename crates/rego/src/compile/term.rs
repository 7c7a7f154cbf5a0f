//! Terms as expressions.

use hashbrown::HashMap;

use super::NetworkAccess;
use super::condition::{comparison, get, only_keys};
use super::lower::{Callee, Lowerer, Meaning};
use super::program::{Comprehension, ComprehensionKind, Expr, Op, Pattern};
use crate::builtins::{self, Builtin};
use crate::error::NEEDS_NETWORK;
use crate::syntax::ast::{Literal, Operator, Span, Term, TermKind};
use crate::value::{Number, Value};

impl Lowerer<'_, '_> {
    /// The expression of a term. References that lead to several values become steps before it.
    pub(super) fn expr(&mut self, term: &Term) -> Expr {
        match &term.kind {
            TermKind::Null => Expr::Const(Value::Null),
            TermKind::Bool(value) => Expr::Const(Value::Bool(*value)),
            TermKind::Number(text) => match Number::parse(text) {
                Some(number) => Expr::Const(Value::Number(number)),
                None => {
                    self.error("rego_parse_error", term.span, "this number is too large");
                    Expr::Const(Value::Null)
                }
            },
            TermKind::String(text) => Expr::Const(Value::from(text.as_str())),
            TermKind::Var(name) => self.variable(name, term),
            TermKind::Ref(head, keys) => {
                let (base, steps) = self.reference(head, keys, term.span);
                match only_keys(steps) {
                    Ok(keys) => get(base, keys, self.place(term.span)),
                    // The steps so far may lead to several values, so they come before the expression that
                    // uses one of them.
                    Err(steps) => {
                        let slot = self.temporary();
                        let (out, place) = (Pattern::Bind(slot), self.place(term.span));
                        self.ops.push(Op::Scan { base, steps: steps.into(), out, join: None, place });
                        Expr::Local(slot)
                    }
                }
            }
            TermKind::Call(function, arguments) => self.call(function, arguments, term.span),
            TermKind::Array(items) => {
                let items: Vec<Expr> = items.iter().map(|item| self.expr(item)).collect();
                match constants(&items) {
                    Some(values) => Expr::Const(Value::array(values)),
                    None => Expr::Array(items.into()),
                }
            }
            TermKind::Set(items) => {
                let mut items: Vec<Expr> = items.iter().map(|item| self.expr(item)).collect();
                // OPA sorts the terms of a set, and the first of equal values stays: `{input.x, 1}` has `1` where
                // `input.x` is `1.0`.
                items.sort_by_key(|item| !matches!(item, Expr::Const(value) if value.depth() == 0));
                match constants(&items) {
                    Some(values) => Expr::Const(Value::set(values)),
                    None => Expr::Set(items.into()),
                }
            }
            TermKind::Object(members) => self.object(members),
            TermKind::ArrayComprehension(head, body) => {
                let (ops, head) = self.body(body, &[head], &[], |lowerer| lowerer.expr(head));
                self.comprehension(ComprehensionKind::Array(head), ops, term.span)
            }
            TermKind::SetComprehension(head, body) => {
                let (ops, head) = self.closure(&[head], body);
                let [head] = head;
                self.comprehension(ComprehensionKind::Set(head), ops, term.span)
            }
            TermKind::ObjectComprehension(head, body) => {
                let (ops, [key, value]) = self.closure(&[&head.0, &head.1], body);
                self.comprehension(ComprehensionKind::Object(key, value), ops, term.span)
            }
            TermKind::Binary(operator, operands) => self.binary(*operator, operands, term.span),
            TermKind::In { key, member } => {
                let key = key.as_ref().map(|key| Box::new(self.expr(key)));
                let pair = (self.expr(&member.0), self.expr(&member.1));
                Expr::Member(Box::new(pair), key)
            }
            TermKind::Template(parts) => self.template(parts),
        }
    }

    fn closure<const N: usize>(&mut self, heads: &[&Term; N], body: &[Literal]) -> (Vec<Op>, [Expr; N]) {
        self.body(body, heads, &[], |lowerer| heads.map(|head| lowerer.expr(head)))
    }

    fn comprehension(&self, kind: ComprehensionKind, ops: Vec<Op>, span: Span) -> Expr {
        Expr::Comprehension(Box::new(Comprehension { kind, ops, place: self.place(span) }))
    }

    fn variable(&mut self, name: &str, term: &Term) -> Expr {
        match self.meaning(name) {
            Some(Meaning::Local(slot)) if self.is_bound[slot as usize] => Expr::Local(slot),
            Some(Meaning::Input(_) | Meaning::Data(_)) => {
                let (base, steps) = self.reference(term, &[], term.span);
                match only_keys(steps) {
                    Ok(keys) => get(base, keys, self.place(term.span)),
                    Err(_) => base,
                }
            }
            _ => {
                self.unsafe_variable(name, term.span);
                Expr::Const(Value::Null)
            }
        }
    }

    fn object(&mut self, members: &[(Term, Term)]) -> Expr {
        // OPA 1.20 keeps the first form of a constant key, as in `{1: "a", 1.0: "b"}`, and the last value, also where another
        // one is undefined.
        let mut places = HashMap::new();
        let mut last: Vec<(&Term, &Term)> = Vec::with_capacity(members.len());
        for (key, value) in members {
            match constant(key).map(|constant| places.entry(constant).or_insert(last.len())) {
                Some(place) if *place < last.len() => last[*place].1 = value,
                _ => last.push((key, value)),
            }
        }
        // OPA sorts the terms of an object, so that a computed key wins over an equal constant wherever they stand.
        last.sort_by_key(|(key, _)| constant(key).is_none());
        let members: Vec<(Expr, Expr)> =
            last.into_iter().map(|(key, value)| (self.expr(key), self.expr(value))).collect();
        let mut entries = Vec::new();
        for (key, value) in &members {
            match (key, value) {
                (Expr::Const(key), Expr::Const(value)) => entries.push((key.clone(), value.clone())),
                _ => return Expr::Object(members.into()),
            }
        }
        // A key that is there twice has the last value, as in OPA 1.20.
        Expr::Const(Value::object(entries))
    }

    fn binary(&mut self, operator: Operator, operands: &(Term, Term), span: Span) -> Expr {
        let pair = (self.expr(&operands.0), self.expr(&operands.1));
        if let Some(comparison) = comparison(operator) {
            return Expr::Compare(comparison, Box::new(pair));
        }
        match builtins::lookup(operator.function()) {
            Some(builtin) => Expr::Builtin(builtin, Box::new([pair.0, pair.1]), self.place(span)),
            None => {
                self.error("rego_type_error", span, "this operator is not supported");
                Expr::Const(Value::Null)
            }
        }
    }

    fn call(&mut self, function: &Term, arguments: &[Term], span: Span) -> Expr {
        // `walk` gives its pairs one by one. A list of all pairs of a plan would take much more memory than
        // the plan.
        if self.is_walk(function) && arguments.len() == 1 {
            let slot = self.temporary();
            let value = self.expr(&arguments[0]);
            self.ops.push(Op::Walk { value, out: Pattern::Bind(slot) });
            return Expr::Local(slot);
        }
        if let Some(metadata) = self.metadata(function) {
            return Expr::Const(metadata);
        }
        let lowered: Vec<Expr> = arguments.iter().map(|argument| self.expr(argument)).collect();
        // The arguments are compiled first, so that their errors are reported even if the function does not
        // exist.
        let Some(callee) = self.callee(function) else { return Expr::Const(Value::Null) };
        if arguments.len() != callee.arity() {
            let name = match callee {
                Callee::Builtin(builtin) => builtin.name.to_owned(),
                Callee::Function(node, _) => format!("data.{}", self.shared.tree.node(node).path.join(".")),
            };
            let (arity, given) = (callee.arity(), count(arguments.len()));
            let message = format!("function {name} has arity {arity}, got {given}");
            self.error("rego_type_error", span, message);
            return Expr::Const(Value::Null);
        }
        let place = self.place(span);
        match callee {
            Callee::Builtin(builtin) => {
                self.refuse_unsupported(builtin, span);
                Expr::Builtin(builtin, lowered.into(), place)
            }
            Callee::Function(node, _) => {
                self.shared.edges.push(node);
                Expr::Function(node, lowered.into(), place)
            }
        }
    }

    pub(super) fn refuse_unsupported(&mut self, builtin: &Builtin, span: Span) {
        let name = builtin.name;
        match (builtin.unsupported_because(), self.shared.network) {
            (Some(why), _) => self.error("rego_type_error", span, format!("{name} is not supported: {why}")),
            (None, NetworkAccess::Refused) if builtin.needs_network => {
                let message = format!("{name} needs the network, which policies may not use");
                self.error(NEEDS_NETWORK, span, message);
            }
            (None, _) => {}
        }
    }

    fn metadata(&self, function: &Term) -> Option<Value> {
        match &*super::text_of(function) {
            "rego.metadata.rule" => Some(self.shared.metadata.0.clone()),
            "rego.metadata.chain" => Some(self.shared.metadata.1.clone()),
            _ => None,
        }
    }
}

/// The value of a term without parts.
fn constant(term: &Term) -> Option<Value> {
    match &term.kind {
        TermKind::Null => Some(Value::Null),
        TermKind::Bool(value) => Some(Value::Bool(*value)),
        TermKind::Number(text) => Number::parse(text).map(Value::Number),
        TermKind::String(text) => Some(Value::from(text.as_str())),
        _ => None,
    }
}

fn constants(items: &[Expr]) -> Option<Vec<Value>> {
    items
        .iter()
        .map(|item| match item {
            Expr::Const(value) => Some(value.clone()),
            _ => None,
        })
        .collect()
}

fn count(arity: usize) -> String {
    match arity {
        0 => "0 arguments".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{arity} arguments"),
    }
}
