//! Infers the kinds of values from literals and the host, and reports operations that can never work.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::names::{BindingKind, Names};
use super::shape::{Inside, Kinds, Shape};
use super::{LintContext, LintItems, LintKind, access, conditions};
use crate::syntax::ast::{
    Chain, Expr, ExprKind, Func, Link, Name, Names as ElementNames, Program, Quantifier, QuantifierKind,
    Rule, UnaryOp,
};

/// A walk over a program with the shapes of its names.
pub(super) struct Walk<'w> {
    pub(super) names: &'w Names,
    pub(super) found: &'w mut LintItems,
    /// Builtin names that this file uses for variables.
    hidden: &'w [Arc<str>],
    /// The shapes of variables that are assigned once.
    shapes: HashMap<usize, Shape>,
    /// Shapes narrowed by the enclosing conditions. The innermost one counts.
    narrowed: HashMap<usize, Vec<Shape>>,
    /// The variables that conditions narrowed, to undo this at the end.
    passed: Vec<usize>,
    /// The words in the conditions of the file. A policy that tests a value takes into account that it may be
    /// missing.
    pub(super) guarded: HashSet<Arc<str>>,
}

pub(super) fn check(program: &Program, names: &Names, context: &LintContext<'_>, found: &mut LintItems) {
    let mut walk = Walk {
        names,
        found,
        hidden: &program.hidden,
        shapes: HashMap::new(),
        narrowed: HashMap::new(),
        passed: Vec::new(),
        guarded: conditions::words(&program.body),
    };
    for (id, binding) in names.bindings.iter().enumerate() {
        if let BindingKind::Import(index) = binding.kind
            && binding.assigned == 0
            && let Some(import) = program.imports.get(index)
        {
            let given = context.imports.and_then(|imports| imports(&import.path));
            walk.shapes.insert(id, given.unwrap_or_else(|| access::standard(&import.path)));
        }
    }
    walk.statements(&program.body);
}

impl Walk<'_> {
    /// The shape of a name at this place.
    pub(super) fn name(&self, name: &Name) -> Shape {
        let Some(id) = self.names.binding(name) else { return Shape::ANY };
        let narrowed = self.narrowed.get(&id).and_then(|shapes| shapes.last());
        // A name without a shape may be anything, which no lint reports.
        narrowed.or_else(|| self.shapes.get(&id)).cloned().unwrap_or(Shape::ANY)
    }

    /// The builtin function that an expression names.
    pub(super) fn builtin<'n>(&self, expr: &'n Expr) -> Option<&'n str> {
        match &expr.kind {
            ExprKind::Name(name)
                if self.names.binding(name).is_none() && !self.hidden.contains(&name.text) =>
            {
                Some(&name.text)
            }
            _ => None,
        }
    }

    /// Records the shape of a variable that is assigned once.
    pub(super) fn assign(&mut self, name: &Name, shape: Shape) {
        if let Some(id) = self.names.binding(name)
            // With two assignments, the order in which they run decides the shape.
            && self.names.bindings[id].assigned == 1
            && !matches!(
                self.names.bindings[id].kind,
                BindingKind::Parameter | BindingKind::Given | BindingKind::Param
            )
        {
            self.shapes.insert(id, shape);
        }
    }

    /// Records the shapes of the names of elements.
    pub(super) fn elements(&mut self, names: &ElementNames, collection: &Shape) {
        let is_list = collection.kinds.is_only(Kinds::LIST);
        let element = collection.element();
        let (first, second) = match &names.second {
            Some(_) if is_list => (Shape::NUMBER, element),
            Some(_) => (Shape::ANY, element),
            None if is_list => (element, Shape::ANY),
            None => (Shape::ANY, Shape::ANY),
        };
        for (name, shape) in
            std::iter::once(&names.first).zip([first]).chain(names.second.iter().zip([second]))
        {
            if let Some(id) = self.names.binding(name)
                && self.names.bindings[id].assigned == 0
            {
                self.shapes.insert(id, shape);
            }
        }
    }

    /// Walks a part that runs only if a condition holds.
    pub(super) fn where_holds<T>(&mut self, condition: &Expr, walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.passed.len();
        self.assume(condition);
        let result = walk(self);
        self.leave(before);
        result
    }

    /// Undoes the conditions since the first `before` ones.
    fn leave(&mut self, before: usize) {
        for id in self.passed.drain(before..) {
            if let Some(shapes) = self.narrowed.get_mut(&id) {
                shapes.pop();
            }
        }
    }

    /// Assumes a condition from here on.
    fn assume(&mut self, condition: &Expr) {
        for (name, field, values) in conditions::known(condition) {
            if let Some(id) = self.names.binding(name)
                && let Some(shape) = self.name(name).narrowed(field, &values)
            {
                self.narrowed.entry(id).or_default().push(shape);
                self.passed.push(id);
            }
        }
    }

    pub(super) fn expression(&mut self, expr: &Expr) -> Shape {
        match &expr.kind {
            ExprKind::Undefined => Shape::UNDEFINED,
            ExprKind::Null => Shape::NULL,
            ExprKind::Bool(_) => Shape::BOOL,
            ExprKind::Int(_) | ExprKind::Float(_) => Shape::NUMBER,
            ExprKind::String(_) => Shape::STRING,
            ExprKind::Name(name) => self.name(name),
            ExprKind::Paren(inner) => self.expression(inner),
            ExprKind::List(items) => {
                items.iter().for_each(|item| {
                    self.expression(item);
                });
                // The elements may change.
                Shape::new(Kinds::LIST)
            }
            ExprKind::Map(entries) => {
                for (key, value) in entries {
                    self.expression(key);
                    self.expression(value);
                }
                Shape::new(Kinds::MAP)
            }
            ExprKind::Func(function) => {
                self.function(function);
                Shape::FUNCTION
            }
            ExprKind::Rule(rule) => self.rule(rule),
            ExprKind::Quantifier(quantifier) => self.quantifier(quantifier),
            ExprKind::Unary(op, operand) => {
                let shape = self.expression(operand);
                let (allowed, what, result) = match op {
                    UnaryOp::Not => (Kinds::BOOL, "not needs a bool", Shape::MAYBE_BOOL),
                    UnaryOp::Minus => (Kinds::NUMBER, "- needs a number", Shape::MAYBE_NUMBER),
                    UnaryOp::Plus => (Kinds::NUMBER, "+ needs a number", Shape::MAYBE_NUMBER),
                };
                self.needs(allowed, &shape, operand, what);
                result
            }
            ExprKind::Chain(chain) => self.chain(chain),
            ExprKind::Postfix(postfix) => self.postfix(postfix),
        }
    }

    /// Reports a value that has none of the allowed kinds.
    pub(super) fn needs(&mut self, allowed: Kinds, shape: &Shape, expr: &Expr, what: &str) -> bool {
        let there = shape.kinds.without(Kinds::UNDEFINED);
        let is_wrong = !there.is_empty() && there.and(allowed).is_empty();
        if is_wrong {
            let collection = there.without(Kinds::LIST.or(Kinds::MAP)).is_empty();
            let help = (collection && allowed == Kinds::BOOL)
                .then(|| "write `is empty` or `is not empty`".to_owned());
            self.found.add_with_help(
                LintKind::WrongOperand,
                expr.span,
                format!("{what}, and this is {shape}"),
                help,
            );
        }
        !is_wrong
    }

    pub(super) fn function(&mut self, function: &Func) {
        // The function may be called where none of the enclosing conditions holds.
        let outer = (std::mem::take(&mut self.narrowed), std::mem::take(&mut self.passed));
        self.statements(&function.body);
        (self.narrowed, self.passed) = outer;
    }

    fn rule(&mut self, rule: &Rule) -> Shape {
        let Some(when) = &rule.when else { return self.expression(&rule.body).or_undefined() };
        let predicate = self.expression(when);
        self.needs(Kinds::BOOL, &predicate, when, "the predicate of a rule is a bool");
        self.where_holds(when, |walk| walk.expression(&rule.body)).or(&Shape::MAYBE_BOOL)
    }

    fn quantifier(&mut self, quantifier: &Quantifier) -> Shape {
        let collection = self.expression(&quantifier.collection);
        self.walked(&collection, &quantifier.collection);
        self.elements(&quantifier.names, &collection);
        let body = self.expression(&quantifier.body);
        if quantifier.kind != QuantifierKind::Map {
            let what = "the body of any, all and filter is a bool";
            self.needs(Kinds::BOOL, &body, &quantifier.body, what);
        }
        match quantifier.kind {
            QuantifierKind::Any | QuantifierKind::All => Shape::MAYBE_BOOL,
            QuantifierKind::Map => Shape::list(body).or_undefined(),
            QuantifierKind::Filter => {
                let names = &quantifier.names;
                let is_element = names.second.is_some() || collection.kinds.is_only(Kinds::LIST);
                let name = names.second.as_ref().unwrap_or(&names.first);
                let remains = self.where_holds(&quantifier.body, |walk| walk.name(name));
                let shape = if is_element { collection.with_elements(remains) } else { collection };
                let kinds = shape.kinds.and(Kinds::LIST.or(Kinds::MAP)).or(Kinds::UNDEFINED);
                Shape { kinds, may_be_missing: false, ..shape }
            }
        }
    }

    /// Reports a value that cannot be iterated.
    pub(super) fn walked(&mut self, shape: &Shape, expr: &Expr) {
        self.needs(Kinds::LIST.or(Kinds::MAP), shape, expr, "only a list or a map has elements");
    }

    fn chain(&mut self, chain: &Chain) -> Shape {
        let before = self.passed.len();
        let mut left = self.expression(&chain.first);
        let mut previous = &chain.first;
        for link in &chain.links {
            if link.is_and() {
                self.assume(previous);
            }
            let right = match link {
                Link::Binary { right, .. } => {
                    previous = right;
                    Some((self.expression(right), right))
                }
                Link::Test { .. } => None,
            };
            left = self.operator(left, &chain.first, link, right);
        }
        self.leave(before);
        left
    }

    /// The shape of the values in a collection whose values have one shape.
    pub(super) fn known_elements(shape: &Shape) -> Option<&Shape> {
        match shape.inside.as_deref() {
            Some(Inside::Elements(elements)) => Some(elements),
            _ => None,
        }
    }
}
