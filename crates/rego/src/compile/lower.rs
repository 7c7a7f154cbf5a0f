//! Compiles the syntax tree of a rule to steps, and resolves names.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use objchange_text::did_you_mean;

use super::closures::{told_apart, written};
use super::join::find_joins;
use super::marks::PendingTerm;
use super::names::{Earlier, declared, mentioned_in_body, names, pattern_names, redeclared, terms};
use super::program::{
    Branch, DataReference, Expr, FunctionKey, Mark, NodeId, Op, RuleId, RuleKind, Slot, SourcePlace,
};
use super::tree::Tree;
use super::{InputReference, RuleShape};
use crate::builtins::{self, Builtin};
use crate::error::CompileError;
use crate::syntax::ast::{Literal, LiteralKind, Span, Term, TermKind};
use crate::value::Value;

/// More errors are not collected.
const MOST_ERRORS: usize = 1000;

/// A module and its imports.
pub(super) struct Unit {
    pub(super) file: u32,
    pub(super) package: Vec<String>,
    /// The imported paths, from `input` or `data` on, by their names in the module.
    pub(super) imports: HashMap<String, Vec<String>>,
}

impl Unit {
    /// Whether names mean the same in both modules.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.package == other.package && self.imports == other.imports
    }
}

/// The state that is shared while the rules of all modules are compiled.
pub(super) struct Shared<'a> {
    pub(super) tree: &'a Tree,
    pub(super) shapes: &'a [RuleShape],
    pub(super) files: &'a [String],
    pub(super) network: super::NetworkAccess,
    pub(super) errors: Vec<CompileError>,
    pub(super) data_references: Vec<DataReference>,
    pub(super) input_references: Vec<InputReference>,
    /// The paths in `data` that `with` replaces.
    pub(super) mocked: Vec<Vec<String>>,
    /// The rules and functions that the current rule uses.
    pub(super) edges: Vec<NodeId>,
    /// The marks so far, where evaluation is to count them.
    pub(super) marks: Option<Vec<Mark>>,
    /// The first mark of the current branch.
    pub(super) first_mark: u32,
    /// The current rule, and which of its definitions is compiled.
    pub(super) current: (RuleId, u32),
    /// Metadata of the current rule: its own, and the chain from the package on.
    pub(super) metadata: (Value, Value),
}

pub(super) struct Lowerer<'a, 's> {
    pub(super) unit: &'a Unit,
    pub(super) shared: &'s mut Shared<'a>,
    /// Names and their variables. A name without one is declared by `some`, and only comprehensions within the body
    /// mention it: each of them has its own variable of this name.
    pub(super) scopes: Vec<HashMap<String, Option<Slot>>>,
    pub(super) is_bound: Vec<bool>,
    pub(super) slot_names: Vec<String>,
    pub(super) ops: Vec<Op>,
    /// The terms of marks of the current branch.
    pub(super) pending_terms: Vec<PendingTerm>,
}

/// The value of a name.
pub(super) enum Meaning {
    /// A new variable each time.
    Wildcard,
    Local(Slot),
    /// `input` and keys.
    Input(Vec<String>),
    /// `data` and keys.
    Data(Vec<String>),
}

/// The callee of a call.
pub(super) enum Callee {
    Builtin(&'static Builtin),
    Function(NodeId, usize),
}

impl Callee {
    pub(super) fn arity(&self) -> usize {
        match self {
            Self::Builtin(builtin) => builtin.arity(),
            Self::Function(_, arity) => *arity,
        }
    }

    pub(super) fn key(&self) -> FunctionKey {
        match self {
            Self::Builtin(builtin) => FunctionKey::Builtin(builtin.name),
            Self::Function(node, _) => FunctionKey::Node(*node),
        }
    }
}

impl<'a, 's> Lowerer<'a, 's> {
    pub(super) fn new(unit: &'a Unit, shared: &'s mut Shared<'a>) -> Self {
        Self {
            unit,
            shared,
            scopes: Vec::new(),
            is_bound: Vec::new(),
            slot_names: Vec::new(),
            ops: Vec::new(),
            pending_terms: Vec::new(),
        }
    }

    pub(super) fn place(&self, span: Span) -> SourcePlace {
        SourcePlace { file: self.unit.file, span }
    }

    pub(super) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        let location = super::location(self.shared.files, self.place(span));
        let error = CompileError { code, location: Some(location), message: message.into() };
        // A pattern of constants is compiled a second time as an expression; its errors are reported once.
        if self.shared.errors.len() < MOST_ERRORS && !self.shared.errors.contains(&error) {
            self.shared.errors.push(error);
        }
    }

    pub(super) fn unsafe_variable(&mut self, name: &str, span: Span) {
        self.error("rego_unsafe_var_error", span, format!("var {} is unsafe", written(name)));
    }

    pub(super) fn new_slot(&mut self, name: &str) -> Slot {
        self.is_bound.push(false);
        self.slot_names.push(name.to_owned());
        Slot::try_from(self.is_bound.len() - 1).unwrap_or(Slot::MAX)
    }

    pub(super) fn bind(&mut self, slot: Slot) {
        self.is_bound[slot as usize] = true;
    }

    pub(super) fn temporary(&mut self) -> Slot {
        let slot = self.new_slot("");
        self.bind(slot);
        slot
    }

    /// A variable with a name that no policy can write.
    pub(super) fn hidden_variable(&mut self) -> String {
        let slot = self.temporary();
        // `#` begins a comment, so the lexer never makes such a name.
        let name = format!("#{slot}");
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone(), Some(slot));
        }
        name
    }

    /// A scope with these variables, which have values.
    pub(super) fn with_scope<T>(&mut self, names: &[&str], work: impl FnOnce(&mut Self, &[Slot]) -> T) -> T {
        let slots: Vec<Slot> = names.iter().map(|name| self.new_slot(name)).collect();
        slots.iter().for_each(|slot| self.bind(*slot));
        let named = names.iter().zip(&slots).map(|(name, slot)| ((*name).to_owned(), Some(*slot))).collect();
        self.scopes.push(named);
        let result = work(self, &slots);
        self.scopes.pop();
        result
    }

    /// A scope for the parameters of a function.
    pub(super) fn open_parameters(&mut self, params: &[Term]) {
        let mut scope = HashMap::new();
        for param in params {
            pattern_names(param, &mut |name| {
                if matches!(name, "input" | "data") {
                    let message = format!("args must not shadow {name} (use a different variable name)");
                    self.error("rego_compile_error", param.span, message);
                }
            });
            pattern_names(param, &mut |name| {
                if !scope.contains_key(name) {
                    let slot = self.new_slot(name);
                    scope.insert(name.to_owned(), Some(slot));
                }
            });
        }
        self.scopes.push(scope);
    }

    /// Compiles a body in a scope of its own, then runs `finish` with the variables that it binds. `of_every` are the
    /// names of the `every` that it belongs to.
    pub(super) fn body<T>(
        &mut self,
        body: &[Literal],
        heads: &[&Term],
        of_every: &[&str],
        finish: impl FnOnce(&mut Self) -> T,
    ) -> (Vec<Op>, T) {
        let outer = std::mem::take(&mut self.ops);
        for literal in body {
            if let LiteralKind::Assign(left, _) = &literal.kind {
                self.refuse_assignment(left);
                if literal.is_negated {
                    let message = "cannot assign vars inside negated expression";
                    self.error("rego_compile_error", literal.span, message);
                }
            }
        }
        self.refuse_double_declarations(body, of_every);
        self.refuse_unused(body, heads, of_every);
        let told_apart = told_apart(body, &|name| self.is_in_scope(name));
        let body = &told_apart[..];
        let mut mentioned = Vec::new();
        for term in body.iter().flat_map(terms).chain(heads.iter().copied()) {
            names(term, &mut |name, _| mentioned.push(name), &mut |_| {});
        }
        let is_mentioned: hashbrown::HashSet<&str> = mentioned.iter().copied().collect();
        let mut scope = HashMap::new();
        for name in declared(body) {
            // The IBM library declares variables with `some` that only comprehensions mention. One variable
            // for all of them was never bound, and the whole library was refused.
            let slot = is_mentioned.contains(name).then(|| self.new_slot(name));
            scope.insert(name.to_owned(), slot);
        }
        self.scopes.push(scope);
        for name in mentioned {
            if self.meaning(name).is_none() {
                let slot = self.new_slot(name);
                let scope = self.scopes.last_mut();
                scope.into_iter().for_each(|scope| _ = scope.insert(name.to_owned(), Some(slot)));
            }
        }
        self.literals(body);
        let finished = finish(self);
        self.scopes.pop();
        // Only now are the steps in their final order.
        find_joins(&mut self.ops);
        (std::mem::replace(&mut self.ops, outer), finished)
    }

    /// Reports the names that a body declares although they are declared or read before. `of_every` are the
    /// names of the `every` that the body belongs to.
    fn refuse_double_declarations(&mut self, body: &[Literal], of_every: &[&str]) {
        let params = match &self.scopes[..] {
            // A comprehension may use the name of a parameter for a variable of its own.
            [params] => params.keys().map(|name| (name.as_str(), Earlier::Parameter)).collect(),
            _ => HashMap::new(),
        };
        let declared = of_every.iter().map(|name| (*name, Earlier::Declared));
        let earlier = params.into_iter().chain(declared).collect();
        let is_outer = |name: &str| self.is_in_scope(name);
        let found: Vec<(String, Span, Earlier)> = redeclared(body, earlier, &is_outer)
            .into_iter()
            .map(|(name, span, earlier)| (name.to_owned(), span, earlier))
            .collect();
        for (name, span, earlier) in found {
            let message = match earlier {
                Earlier::Parameter => format!("arg {name} redeclared"),
                Earlier::Assigned => format!("var {name} assigned above"),
                Earlier::Declared => format!("var {name} declared above"),
                Earlier::Read => format!("var {name} referenced above"),
            };
            self.error("rego_compile_error", span, message);
        }
    }

    fn is_in_scope(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains_key(name))
    }

    /// Reports the variables of `some` and of `every` that nothing mentions.
    fn refuse_unused(&mut self, body: &[Literal], heads: &[&Term], of_every: &[&str]) {
        let place = body.first().map_or(Span::default(), |literal| literal.span);
        let of_every = of_every.iter().filter(|name| **name != "_").map(|name| ((*name).to_owned(), place));
        let declared = body.iter().flat_map(|literal| match &literal.kind {
            LiteralKind::Some(names) => &names[..],
            _ => &[],
        });
        let declared: Vec<(String, Span)> = declared.cloned().chain(of_every).collect();
        if declared.is_empty() {
            return;
        }
        let mut mentioned = HashSet::new();
        mentioned_in_body(heads, body, &mut mentioned);
        let unused: Vec<(String, Span)> =
            declared.into_iter().filter(|(name, _)| !mentioned.contains(name.as_str())).collect();
        for (name, span) in unused {
            self.error("rego_compile_error", span, format!("declared var {name} unused"));
        }
    }

    /// The meaning of a name; `None` for an undeclared variable.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        if name == "_" {
            return Some(Meaning::Wildcard);
        }
        // Variables come first: the Azure library has one called `contains`, like the built-in.
        if let Some(slot) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return slot.map(Meaning::Local);
        }
        match name {
            "input" => return Some(Meaning::Input(Vec::new())),
            "data" => return Some(Meaning::Data(Vec::new())),
            _ => {}
        }
        if let Some(path) = self.unit.imports.get(name) {
            let rest = path[1..].to_vec();
            return Some(if path[0] == "input" { Meaning::Input(rest) } else { Meaning::Data(rest) });
        }
        let path = || self.unit.package.iter().map(String::as_str);
        let (node, taken) = self.shared.tree.follow(path().chain([name]));
        // A package within this one is not a rule.
        let is_rule = taken == self.unit.package.len() + 1 && self.shared.has_rules(node, self.unit);
        is_rule.then(|| Meaning::Data(path().chain([name]).map(str::to_owned).collect()))
    }

    /// The function of a name; reports an error if there is none.
    pub(super) fn callee(&mut self, function: &Term) -> Option<Callee> {
        match self.find_callee(function) {
            Ok(callee) => Some(callee),
            // The search for similar names takes longer than everything else, and no more errors are kept.
            Err(_) if self.shared.errors.len() >= MOST_ERRORS => None,
            Err(name) => {
                let similar = did_you_mean(&name, builtins::names());
                let message = format!("undefined function {name}{similar}");
                self.error("rego_type_error", function.span, message);
                None
            }
        }
    }

    pub(super) fn find_callee(&self, function: &Term) -> Result<Callee, String> {
        let (head, keys): (&str, &[Term]) = match &function.kind {
            TermKind::Var(name) => (name, &[]),
            TermKind::Ref(head, keys) => match &head.kind {
                TermKind::Var(name) => (name, keys),
                _ => return Err("of this name".to_owned()),
            },
            _ => return Err("of this name".to_owned()),
        };
        let mut path = vec![head];
        for key in keys {
            match &key.kind {
                TermKind::String(key) => path.push(key),
                _ => return Err(format!("{}[…]", path.join("."))),
            }
        }
        let name = path.join(".");
        // Functions of the policies come before built-ins of that name.
        if let Some(Meaning::Data(base)) = self.meaning(head) {
            let whole = base.iter().map(String::as_str).chain(path[1..].iter().copied());
            let (node, taken) = self.shared.tree.follow(whole);
            if taken == base.len() + path.len() - 1
                && let Some(rule) = self.shared.tree.node(node).rule
                && let RuleKind::Function(arity) = self.shared.shapes[rule as usize].kind
            {
                return Ok(Callee::Function(node, arity));
            }
        }
        builtins::lookup(&name).map(Callee::Builtin).ok_or(name)
    }

    /// One branch of a rule, whose head is at `span`.
    pub(super) fn branch(
        &mut self,
        span: Span,
        body: &[Literal],
        keys: &[Term],
        value: Option<&Term>,
        is_member: bool,
    ) -> Branch {
        let mut heads: Vec<Term> = keys.iter().chain(value).cloned().collect();
        let mut body: Cow<'_, [Literal]> = body.into();
        self.bind_in_heads(&mut heads, &mut body);
        self.begin_marks();
        let (of_keys, of_value) = heads.split_at(keys.len());
        let (ops, (keys, value)) = self.body(&body, &heads.iter().collect::<Vec<_>>(), &[], |lowerer| {
            lowerer.mark_head(span);
            let keys = of_keys.iter().map(|key| lowerer.expr(key)).collect();
            let value = match of_value {
                [value, ..] => lowerer.expr(value),
                [] => Expr::Const(Value::Bool(true)),
            };
            (keys, value)
        });
        Branch { ops, keys, value, is_member }
    }

    /// Moves the terms of a head that bind variables into its body.
    // In OPA 1.20 `names[k] := input.x[k].name` and `p contains input.x[k] if k > 1` bind `k`: all that a head computes is a
    // condition with a name for its value.
    fn bind_in_heads(&self, heads: &mut [Term], body: &mut Cow<'_, [Literal]>) {
        let declared: HashSet<String> = declared(body).into_iter().map(str::to_owned).collect();
        let binds = |key: &Term| match &key.kind {
            TermKind::Var(name) => self.meaning(name).is_none() && !declared.contains(name),
            _ => false,
        };
        for (number, head) in heads.iter_mut().enumerate() {
            if !any_key(head, &binds) {
                continue;
            }
            // `#` begins a comment, so that no policy has this name.
            let name = Term::new(head.span, TermKind::Var(format!("#head{number}")));
            let value = std::mem::replace(head, name.clone());
            let kind = LiteralKind::Unify(name, value);
            body.to_mut().push(Literal { span: head.span, is_negated: false, kind, with: Vec::new() });
        }
    }
}

/// Whether a reference in a term, outside of comprehensions, has such a key.
fn any_key(term: &Term, is_wanted: &dyn Fn(&Term) -> bool) -> bool {
    let below = |term: &Term| any_key(term, is_wanted);
    match &term.kind {
        TermKind::Ref(head, keys) => keys.iter().any(is_wanted) || below(head) || keys.iter().any(below),
        TermKind::Call(_, items) | TermKind::Array(items) | TermKind::Set(items) => items.iter().any(below),
        TermKind::Object(members) => members.iter().any(|(key, value)| below(key) || below(value)),
        TermKind::Binary(_, operands) => below(&operands.0) || below(&operands.1),
        TermKind::In { key, member } => {
            key.iter().any(|key| below(key)) || below(&member.0) || below(&member.1)
        }
        _ => false,
    }
}

impl Shared<'_> {
    /// Whether a path of `data` leads into the value of a rule.
    pub(super) fn is_in_rule(&self, path: &[String]) -> bool {
        (0..path.len()).any(|length| {
            let (node, taken) = self.tree.follow(path[..length].iter().map(String::as_str));
            taken == length && self.tree.node(node).rule.is_some()
        })
    }

    /// Whether there are rules at a position or, by rules such as `a.b := 1`, below it.
    fn has_rules(&self, node: NodeId, unit: &Unit) -> bool {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            let node = self.tree.node(node);
            match node.rule {
                Some(rule) if self.shapes[rule as usize].package == unit.package => return true,
                _ => pending.extend(node.children.values()),
            }
        }
        false
    }
}
