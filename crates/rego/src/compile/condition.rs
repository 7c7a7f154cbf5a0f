//! Conditions as steps.

use super::lower::{Lowerer, Meaning};
use super::order::{Condition, is_print};
use super::program::{
    Change, Comparison, Expr, NodeId, Op, Pattern, PrintPart, ReferenceStep, Replacement, RuleKind,
    SourcePlace,
};
use crate::syntax::ast::{Literal, LiteralKind, Operator, Span, TemplatePart, Term, TermKind, With};
use crate::value::Value;

impl Lowerer<'_, '_> {
    /// Adds the steps of a condition whose variables are all bound, or bound by it.
    pub(super) fn condition(&mut self, condition: Condition<'_>, is_left: bool) {
        match condition {
            Condition::Literal(Literal { kind: LiteralKind::Some(_), .. }) | Condition::Never => {}
            Condition::Literal(literal) => self.mark_literal(literal),
            Condition::Unify(left, right) => self.mark_equality(left, right),
        }
        match condition {
            Condition::Never => {
                // Nothing at this place can fail, so no error ever shows it.
                let place = self.place(Span::default());
                self.ops.push(Op::Test(Expr::Const(Value::Bool(false)), place));
            }
            Condition::Unify(left, right) => self.unify(left, right, is_left),
            Condition::Literal(literal) if literal.with.is_empty() => self.literal(literal, is_left),
            Condition::Literal(literal) => {
                let changes: Vec<Change> = literal.with.iter().filter_map(|with| self.change(with)).collect();
                // The conditions under `with` get a block of their own, because rules inside are evaluated
                // anew.
                let ops = self.block(|lowerer| lowerer.literal(literal, is_left));
                self.ops.push(Op::With { changes, ops });
            }
        }
    }

    /// The steps that `work` adds, by themselves.
    pub(super) fn block(&mut self, work: impl FnOnce(&mut Self)) -> Vec<Op> {
        let outer = std::mem::take(&mut self.ops);
        work(self);
        std::mem::replace(&mut self.ops, outer)
    }

    fn literal(&mut self, literal: &Literal, is_left: bool) {
        if literal.is_negated {
            // OPA evaluates operands of a negation before it, see `before_not`.
            let kind = self.before_not(&literal.kind);
            let ops = self.block(|lowerer| lowerer.positive(&kind, is_left));
            self.ops.push(Op::Not(ops));
        } else {
            self.positive(&literal.kind, is_left);
        }
    }

    /// As in OPA, the operand of a negated call is evaluated before `not`, so that `not f(x.y)` is
    /// undefined if `x.y` is. The operands of an equality are not, unless they are calls themselves.
    fn before_not(&mut self, kind: &LiteralKind) -> LiteralKind {
        match kind {
            LiteralKind::Expr(term) => LiteralKind::Expr(self.negated(term)),
            LiteralKind::Unify(left, right) => {
                LiteralKind::Unify(self.negated_operand(left), self.negated_operand(right))
            }
            other => other.clone(),
        }
    }

    fn negated(&mut self, term: &Term) -> Term {
        let kind = match &term.kind {
            TermKind::Ref(..) => return self.negated_operand(term),
            // In OPA 1.20 `not input.x.y == 3` holds if `input.x.y` is undefined, while `not input.x > 1` and
            // `not input.x in [1]` are undefined.
            TermKind::Binary(Operator::Equal, operands) => {
                let pair = (self.negated_operand(&operands.0), self.negated_operand(&operands.1));
                TermKind::Binary(Operator::Equal, Box::new(pair))
            }
            TermKind::Binary(operator, operands) => {
                TermKind::Binary(*operator, Box::new((self.operand(&operands.0), self.operand(&operands.1))))
            }
            // `print` accepts undefined operands, so they stay inside.
            TermKind::Call(function, arguments) if !is_print(function) => {
                let arguments = arguments.iter().map(|argument| self.operand(argument)).collect();
                TermKind::Call(function.clone(), arguments)
            }
            TermKind::In { key, member } => TermKind::In {
                key: key.as_ref().map(|key| Box::new(self.operand(key))),
                member: Box::new((self.operand(&member.0), self.operand(&member.1))),
            },
            // `not [input.x]` is undefined in OPA 1.20 if `input.x` is.
            TermKind::Array(_) | TermKind::Object(_) | TermKind::Set(_) => return self.evaluated(term),
            other => other.clone(),
        };
        Term::new(term.span, kind)
    }

    /// An operand of a negation, which must not have several values.
    // OPA 1.20 refuses `not input.a[_] == 3`: "var _ is unsafe".
    fn operand(&mut self, term: &Term) -> Term {
        if let TermKind::Ref(_, keys) = &term.kind
            && keys.iter().any(|key| matches!(&key.kind, TermKind::Var(name) if name == "_"))
        {
            self.unsafe_variable("_", term.span);
        }
        self.evaluated(term)
    }

    /// A reference or a name stays, and everything else is evaluated.
    fn negated_operand(&mut self, term: &Term) -> Term {
        let (head, keys) = match &term.kind {
            TermKind::Ref(head, keys) => (head, keys),
            TermKind::Var(_) => return term.clone(),
            _ => return self.evaluated(term),
        };
        let head = match head.kind {
            TermKind::Var(_) => (**head).clone(),
            _ => self.evaluated(head),
        };
        let mut checked = Vec::with_capacity(keys.len());
        for key in keys {
            if matches!(&key.kind, TermKind::Var(name) if name == "_") {
                self.unsafe_variable("_", term.span);
            }
            checked.push(self.evaluated(key));
        }
        Term::new(term.span, TermKind::Ref(Box::new(head), checked))
    }

    /// A variable with the value of a term, unless it is a variable or a constant itself. The name of a rule, or `input`,
    /// is a reference.
    fn evaluated(&mut self, term: &Term) -> Term {
        let is_variable =
            |name: &str| !matches!(self.meaning(name), Some(Meaning::Input(_) | Meaning::Data(_)));
        match &term.kind {
            TermKind::Var(name) if is_variable(name) => term.clone(),
            TermKind::Null
            | TermKind::Bool(_)
            | TermKind::Number(_)
            | TermKind::String(_)
            | TermKind::ArrayComprehension(..)
            | TermKind::SetComprehension(..)
            | TermKind::ObjectComprehension(..) => term.clone(),
            _ => {
                let value = self.expr(term);
                let name = self.hidden_variable();
                if let Some(Meaning::Local(slot)) = self.meaning(&name) {
                    self.ops.push(Op::Bind(slot, value));
                }
                Term::new(term.span, TermKind::Var(name))
            }
        }
    }

    fn positive(&mut self, kind: &LiteralKind, is_left: bool) {
        match kind {
            LiteralKind::Some(_) => {}
            LiteralKind::Expr(term) => self.test(term),
            LiteralKind::Assign(left, right) => self.unify(left, right, true),
            LiteralKind::Unify(left, right) => self.unify(left, right, is_left),
            LiteralKind::SomeIn { key, value, domain } => {
                let place = self.place(domain.span);
                let base = self.expr(domain);
                let key = key.as_ref().map_or(Pattern::Any, |key| self.pattern(key));
                let out = self.pattern(value);
                self.ops.push(Op::Scan {
                    base,
                    steps: Box::new([ReferenceStep::Each(key)]),
                    out,
                    join: None,
                    place,
                });
            }
            LiteralKind::Every { key, value, domain, body } => {
                let names: Vec<&str> = [value.as_str()].into_iter().chain(key.as_deref()).collect();
                if key.as_deref().is_some_and(|key| key == value && key != "_") {
                    let message = format!("var {value} declared above");
                    self.error("rego_compile_error", domain.span, message);
                }
                let domain = self.expr(domain);
                let op = self.with_scope(&names, |lowerer, slots| {
                    // Variables of the body are new for each element, so it has a scope of its own.
                    let (ops, ()) = lowerer.body(body, &[], &names, |_| ());
                    Op::Every { domain, value: slots[0], key: slots.get(1).copied(), ops }
                });
                self.ops.push(op);
            }
        }
    }

    fn test(&mut self, term: &Term) {
        if let TermKind::Call(function, arguments) = &term.kind
            && is_print(function)
            // A rule or a variable may be called `print`.
            && matches!(self.meaning("print"), None | Some(Meaning::Wildcard))
        {
            let parts = arguments.iter().map(|argument| self.part(argument)).collect();
            let place = self.place(term.span);
            self.ops.push(Op::Print(parts, place));
            return;
        }
        // OPA allows the result as one more argument: `plus(1, 2, x)` binds `x`.
        if let Some((out, inputs)) = self.output(term).and_then(<[Term]>::split_last)
            && let TermKind::Call(function, _) = &term.kind
        {
            let call = Term::new(term.span, TermKind::Call(function.clone(), inputs.to_vec()));
            return self.unify(out, &call, true);
        }
        let value = self.expr(term);
        let place = self.place(term.span);
        self.ops.push(Op::Test(value, place));
    }

    /// Reports the parts of the left side of `:=` that are no variables.
    pub(super) fn refuse_assignment(&mut self, left: &Term) {
        let what = match &left.kind {
            TermKind::Var(_) => return,
            TermKind::Array(items) => return items.iter().for_each(|item| self.refuse_assignment(item)),
            TermKind::Object(members) => {
                return members.iter().for_each(|(_, value)| self.refuse_assignment(value));
            }
            kind => kind.name(),
        };
        self.error("rego_compile_error", left.span, format!("cannot assign to {what}"));
    }

    fn unify(&mut self, left: &Term, right: &Term, is_left: bool) {
        // Unification is compiled to a match of one side: the order of conditions has decided which side is
        // bound.
        let (pattern, value) = if is_left { (left, right) } else { (right, left) };
        match &value.kind {
            TermKind::Ref(head, keys) => match self.reference(head, keys, value.span) {
                (base, steps) if steps.is_empty() => self.match_value(pattern, base),
                (base, steps) => match only_keys(steps) {
                    Ok(keys) => self.match_value(pattern, get(base, keys, self.place(value.span))),
                    Err(steps) => {
                        let out = self.pattern(pattern);
                        let place = self.place(value.span);
                        self.ops.push(Op::Scan { base, steps: steps.into(), out, join: None, place });
                    }
                },
            },
            TermKind::Call(function, arguments) if self.is_walk(function) && arguments.len() == 1 => {
                let value = self.expr(&arguments[0]);
                let out = self.pattern(pattern);
                self.ops.push(Op::Walk { value, out });
            }
            _ => {
                let value = self.expr(value);
                self.match_value(pattern, value);
            }
        }
    }

    // A rule or a variable called `walk` comes before the built-in.
    pub(super) fn is_walk(&self, function: &Term) -> bool {
        matches!(&function.kind, TermKind::Var(name) if name == "walk") && self.meaning("walk").is_none()
    }

    fn match_value(&mut self, pattern: &Term, value: Expr) {
        let op = match self.pattern(pattern) {
            Pattern::Bind(slot) => Op::Bind(slot, value),
            Pattern::Equal(other) => {
                let condition = Expr::Compare(Comparison::Equal, Box::new((other, value)));
                Op::Test(condition, self.place(pattern.span))
            }
            pattern => Op::Match(pattern, value),
        };
        self.ops.push(op);
    }

    pub(super) fn pattern(&mut self, term: &Term) -> Pattern {
        match &term.kind {
            TermKind::Var(name) => match self.meaning(name) {
                Some(Meaning::Wildcard) => Pattern::Any,
                // The first occurrence binds the variable, and later ones compare with it.
                Some(Meaning::Local(slot)) if !self.is_bound[slot as usize] => {
                    self.bind(slot);
                    Pattern::Bind(slot)
                }
                _ => Pattern::Equal(self.expr(term)),
            },
            TermKind::Array(items) => {
                let items: Vec<Pattern> = items.iter().map(|item| self.pattern(item)).collect();
                match items.iter().all(|item| matches!(item, Pattern::Equal(Expr::Const(_)))) {
                    true => Pattern::Equal(self.expr(term)),
                    false => Pattern::Array(items.into()),
                }
            }
            TermKind::Object(members) => {
                let members: Vec<(Expr, Pattern)> =
                    members.iter().map(|(key, value)| (self.expr(key), self.pattern(value))).collect();
                match members.iter().all(|(_, value)| matches!(value, Pattern::Equal(Expr::Const(_)))) {
                    true => Pattern::Equal(self.expr(term)),
                    false => Pattern::Object(members.into()),
                }
            }
            _ => Pattern::Equal(self.expr(term)),
        }
    }

    fn change(&mut self, with: &With) -> Option<Change> {
        let span = with.target.span;
        // A function comes first: its name would also be read as a path in `data`.
        if let Ok(callee) = self.find_callee(&with.target) {
            let replacement = match self.find_callee(&with.value) {
                Ok(other) => {
                    match other {
                        super::lower::Callee::Function(node, _) => self.shared.edges.push(node),
                        super::lower::Callee::Builtin(builtin) => {
                            self.refuse_unsupported(builtin, with.value.span);
                        }
                    }
                    Replacement::Function(other.key())
                }
                // The name of a function replaces by that function, everything else by its value.
                Err(_) => Replacement::Value(self.expr(&with.value)),
            };
            if let super::lower::Callee::Function(node, _) = callee {
                self.shared.edges.push(node);
            }
            return Some(Change::Function(callee.key(), replacement));
        }
        let value = self.expr(&with.value);
        let (head, keys): (&Term, &[Term]) = match &with.target.kind {
            TermKind::Ref(head, keys) => (head, keys),
            _ => (&with.target, &[]),
        };
        let meaning = match &head.kind {
            TermKind::Var(name) => self.meaning(name),
            _ => None,
        };
        let mut path = match &meaning {
            Some(Meaning::Input(path) | Meaning::Data(path)) => path.clone(),
            _ => {
                let message = "with keyword target must reference existing input, data, or a function";
                self.error("rego_type_error", span, message);
                return None;
            }
        };
        for key in keys {
            match &key.kind {
                TermKind::String(key) => path.push(key.clone()),
                _ => {
                    self.error("rego_type_error", key.span, "the target of `with` has constant keys");
                    return None;
                }
            }
        }
        match meaning {
            Some(Meaning::Input(_)) => Some(Change::Input(path, value)),
            _ if self.shared.is_in_rule(&path) => {
                let message = "with keyword cannot partially replace virtual document(s)";
                self.error("rego_compile_error", span, message);
                None
            }
            _ => {
                // OPA 1.20 takes what is replaced for something that is read.
                let (node, taken) = self.shared.tree.follow(path.iter().map(String::as_str));
                if taken == path.len() {
                    self.shared.edges.push(node);
                }
                // A test that mocks a document may mention it although no file has it.
                self.mocks(&path);
                Some(Change::Data(path, value))
            }
        }
    }

    fn mocks(&mut self, path: &[String]) {
        self.shared.mocked.push(path.to_vec());
    }

    pub(super) fn part(&mut self, term: &Term) -> PrintPart {
        let mut value = None;
        let ops = self.block(|lowerer| value = Some(lowerer.expr(term)));
        PrintPart::Value(ops, value.unwrap_or(Expr::Const(Value::Null)))
    }

    pub(super) fn template(&mut self, parts: &[TemplatePart]) -> Expr {
        let parts = parts.iter().map(|part| match part {
            TemplatePart::Text(text) => PrintPart::Text(text.clone()),
            TemplatePart::Term(term) => self.part(term),
        });
        Expr::Template(parts.collect())
    }

    /// `input`, a position of `data` or a value, and the keys that follow.
    pub(super) fn reference(&mut self, head: &Term, keys: &[Term], span: Span) -> (Expr, Vec<ReferenceStep>) {
        let meaning = match &head.kind {
            TermKind::Var(name) => self.meaning(name),
            _ => None,
        };
        match meaning {
            Some(Meaning::Input(path)) => {
                self.note_input(&path, keys, span);
                let mut steps = constant_steps(&path);
                let base = self.steps(Expr::Input, keys, &mut steps);
                (base, steps)
            }
            Some(Meaning::Data(path)) => self.data(path, keys, span),
            _ => {
                let base = self.expr(head);
                let mut steps = Vec::new();
                let base = self.steps(base, keys, &mut steps);
                (base, steps)
            }
        }
    }

    fn data(&mut self, mut path: Vec<String>, keys: &[Term], span: Span) -> (Expr, Vec<ReferenceStep>) {
        let prefix = path.len();
        let constants = keys.iter().map_while(|key| match &key.kind {
            TermKind::String(key) => Some(key.clone()),
            _ => None,
        });
        path.extend(constants);
        let (mut node, mut taken) = self.shared.tree.follow(path.iter().map(String::as_str));
        if taken < path.len() {
            // The rule that makes the rest, if it is not a document.
            // `data.p.x.y` may lead into the value of the rule `data.p.x`, which has no node for `y`.
            let (mut at, mut length) = (node, taken);
            while self.shared.tree.node(at).rule.is_none() && length > 0 {
                length -= 1;
                at = self.shared.tree.follow(path[..length].iter().map(String::as_str)).0;
            }
            match self.shared.tree.node(at).rule {
                Some(_) => (node, taken) = (at, length),
                None => {
                    let place = self.place(span);
                    // The host refuses policies that read a document which is not there; OPA calls it
                    // undefined.
                    self.shared.data_references.push(super::DataReference { path: path.clone(), place });
                    let rest = &keys[path.len() - prefix..];
                    let mut steps = Vec::new();
                    let base = self.steps(Expr::Document(path.into()), rest, &mut steps);
                    return (base, steps);
                }
            }
        }
        if let Some(rule) = self.shared.tree.node(node).rule
            && matches!(self.shared.shapes[rule as usize].kind, RuleKind::Function(_))
        {
            let name = path.join(".");
            let message = format!("function data.{name} used as reference, not called");
            self.error("rego_type_error", span, message);
        }
        let rest = &keys[path.len() - prefix..];
        self.mention(node, rest);
        let mut steps = constant_steps(&path[taken..]);
        let base = self.steps(Expr::Data(node), rest, &mut steps);
        (base, steps)
    }

    /// Notes the positions of `data` that a reference leads to: `data.checks[name].deny` needs only the rule `deny` of
    /// each package, which may be in another one that has this reference.
    fn mention(&mut self, node: NodeId, keys: &[Term]) {
        let mut at = vec![node];
        let mut is_many = false;
        for key in keys {
            let child = match &key.kind {
                TermKind::String(name) => Some(name),
                TermKind::Var(_) => None,
                // The reference up to here becomes a variable.
                _ if is_many => break,
                _ => None,
            };
            is_many |= child.is_none();
            let mut next = Vec::new();
            for node in at {
                let here = self.shared.tree.node(node);
                if here.rule.is_some() {
                    self.shared.edges.push(node);
                } else if let Some(name) = child {
                    next.extend(here.children.get(name));
                } else {
                    next.extend(here.children.values());
                }
            }
            at = next;
        }
        self.shared.edges.append(&mut at);
    }

    /// Adds keys to steps. If a key needs steps of its own, the reference so far becomes a variable.
    fn steps(&mut self, mut base: Expr, keys: &[Term], steps: &mut Vec<ReferenceStep>) -> Expr {
        for key in keys {
            let is_simple = matches!(
                key.kind,
                TermKind::Var(_)
                    | TermKind::String(_)
                    | TermKind::Number(_)
                    | TermKind::Bool(_)
                    | TermKind::Null
            );
            // Evaluating such a key may search as well, and its steps have to come after those that bind its
            // variables.
            if !is_simple && steps.iter().any(|step| matches!(step, ReferenceStep::Each(_))) {
                let slot = self.temporary();
                let so_far = std::mem::take(steps).into();
                let place = self.place(key.span);
                self.ops.push(Op::Scan { base, steps: so_far, out: Pattern::Bind(slot), join: None, place });
                base = Expr::Local(slot);
            }
            steps.push(match self.pattern(key) {
                Pattern::Equal(key) => ReferenceStep::Key(key),
                pattern => ReferenceStep::Each(pattern),
            });
        }
        base
    }

    fn note_input(&mut self, path: &[String], keys: &[Term], span: Span) {
        let constants = keys.iter().map_while(|key| match &key.kind {
            TermKind::String(key) => Some(key.clone()),
            _ => None,
        });
        let path: Vec<String> = path.iter().cloned().chain(constants).collect();
        let place = self.place(span);
        self.shared.input_references.push(super::InputReference { path, place });
    }
}

fn constant_steps(path: &[String]) -> Vec<ReferenceStep> {
    path.iter().map(|key| ReferenceStep::Key(Expr::Const(Value::from(key.as_str())))).collect()
}

pub(super) fn only_keys(steps: Vec<ReferenceStep>) -> Result<Vec<Expr>, Vec<ReferenceStep>> {
    if steps.iter().any(|step| matches!(step, ReferenceStep::Each(_))) {
        return Err(steps);
    }
    Ok(steps
        .into_iter()
        .filter_map(|step| match step {
            ReferenceStep::Key(key) => Some(key),
            ReferenceStep::Each(_) => None,
        })
        .collect())
}

pub(super) fn get(base: Expr, keys: Vec<Expr>, place: SourcePlace) -> Expr {
    if keys.is_empty() { base } else { Expr::Get(Box::new(base), keys.into(), place) }
}

pub(super) fn comparison(operator: Operator) -> Option<Comparison> {
    Some(match operator {
        Operator::Equal => Comparison::Equal,
        Operator::NotEqual => Comparison::NotEqual,
        Operator::Less => Comparison::Less,
        Operator::LessOrEqual => Comparison::LessOrEqual,
        Operator::Greater => Comparison::Greater,
        Operator::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}
