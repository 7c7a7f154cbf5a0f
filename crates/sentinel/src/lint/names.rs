//! Resolves names to variables.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use objchange_text::Span;

use super::{LintContext, LintItems, LintKind};
use crate::builtins;
use crate::imports;
use crate::syntax::ast::{
    Expr, ExprKind, Func, Link, Name, Names as ElementNames, PostfixPartKind, Program, Stmt, StmtKind, Target,
};

/// The declaration of a name.
#[derive(Debug)]
pub(super) struct Binding {
    pub(super) name: Arc<str>,
    /// The place of the first assignment.
    pub(super) span: Span,
    pub(super) kind: BindingKind,
    /// Declared at the top of the file.
    pub(super) is_top: bool,
    pub(super) assigned: usize,
    pub(super) read: usize,
    /// The bindings that are read while this one, a rule or function at the top, is evaluated.
    pub(super) needs: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BindingKind {
    Import(usize),
    Param,
    Variable,
    Function,
    Rule,
    /// A parameter of a function that has a name.
    Parameter,
    /// A parameter of an anonymous function, whose callee fixes the number of parameters; or the name of an
    /// element.
    Given,
}

/// The names of a program.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) bindings: Vec<Binding>,
    /// Bindings by the place of a name. A name without an entry is a builtin, a global, or unknown.
    pub(super) at: HashMap<u32, usize>,
    /// Bindings that are read outside of the rules and functions at the top.
    pub(super) needed: Vec<usize>,
}

impl Names {
    pub(super) fn binding(&self, name: &Name) -> Option<usize> {
        self.at.get(&name.span.start).copied()
    }
}

struct Resolver<'r> {
    names: Names,
    scopes: Vec<HashMap<Arc<str>, usize>>,
    context: &'r LintContext<'r>,
    /// The rule or function at the top that is read.
    owner: Option<usize>,
    /// Names that nothing has, each with its first place.
    unknown: Vec<(Arc<str>, Span)>,
    is_known: HashSet<Arc<str>>,
}

pub(super) fn resolve(program: &Program, context: &LintContext<'_>, found: &mut LintItems) -> Names {
    let mut resolver = Resolver {
        names: Names::default(),
        scopes: vec![HashMap::new()],
        context,
        owner: None,
        unknown: Vec::new(),
        is_known: HashSet::new(),
    };
    for (index, import) in program.imports.iter().enumerate() {
        resolver.declare(&import.name, BindingKind::Import(index));
    }
    for param in &program.params {
        resolver.declare(&param.name, BindingKind::Param);
    }
    resolver.declare_all(&program.body);
    resolver.statements(&program.body);
    resolver.report(found);
    resolver.names
}

impl Resolver<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    fn declare(&mut self, name: &Name, kind: BindingKind) -> usize {
        let id = self.names.bindings.len();
        self.names.bindings.push(Binding {
            name: Arc::clone(&name.text),
            span: name.span,
            kind,
            is_top: self.scopes.len() == 1,
            assigned: 0,
            read: 0,
            needs: Vec::new(),
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(Arc::clone(&name.text), id);
        }
        self.names.at.insert(name.span.start, id);
        id
    }

    /// Declares the names that statements assign, unless a scope around has them.
    fn declare_all(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match &statement.kind {
                StmtKind::Assign { target: Target::Name(name), value, .. } => {
                    let kind = match &value.kind {
                        ExprKind::Rule(_) => BindingKind::Rule,
                        ExprKind::Func(_) => BindingKind::Function,
                        _ => BindingKind::Variable,
                    };
                    self.assign(name, kind);
                }
                StmtKind::Func(name, _) => self.assign(name, BindingKind::Function),
                StmtKind::If { arms, otherwise } => {
                    arms.iter().for_each(|(_, block)| self.declare_all(block));
                    self.declare_all(otherwise.as_deref().unwrap_or_default());
                }
                StmtKind::Case { arms, otherwise, .. } => {
                    arms.iter().for_each(|(_, block)| self.declare_all(block));
                    self.declare_all(otherwise.as_deref().unwrap_or_default());
                }
                _ => {}
            }
        }
    }

    fn assign(&mut self, name: &Name, kind: BindingKind) {
        // A name of the language is hidden for the whole file.
        let id = match self.find(&name.text) {
            Some(id) => id,
            None => self.declare(name, kind),
        };
        let binding = &mut self.names.bindings[id];
        binding.assigned += 1;
        if binding.kind != kind && binding.assigned > 1 {
            binding.kind = match binding.kind {
                BindingKind::Rule | BindingKind::Function => BindingKind::Variable,
                kind => kind,
            };
        }
        self.names.at.insert(name.span.start, id);
    }

    fn read(&mut self, name: &Name) {
        let Some(id) = self.find(&name.text) else {
            let is_global = self.context.globals.iter().any(|global| **global == *name.text);
            if !is_global && !builtins::is_name(&name.text) && self.is_known.insert(Arc::clone(&name.text)) {
                self.unknown.push((Arc::clone(&name.text), name.span));
            }
            return;
        };
        self.names.bindings[id].read += 1;
        self.names.at.insert(name.span.start, id);
        match self.owner {
            Some(owner) => self.names.bindings[owner].needs.push(id),
            None => self.names.needed.push(id),
        }
    }

    fn statements(&mut self, statements: &[Stmt]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(value) | StmtKind::Return(Some(value)) => self.expression(value),
            StmtKind::Assign { target: Target::Name(name), value, .. } => match &value.kind {
                ExprKind::Func(function) => self.owned(name, |resolver| {
                    resolver.function(function, BindingKind::Parameter);
                }),
                ExprKind::Rule(_) => self.owned(name, |resolver| resolver.expression(value)),
                _ => self.expression(value),
            },
            StmtKind::Assign { target: Target::Index { base, index }, value, .. } => {
                self.expression(base);
                self.expression(index);
                self.expression(value);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    self.expression(condition);
                    self.statements(block);
                }
                self.statements(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::For(iteration) => {
                self.expression(&iteration.collection);
                self.elements(&iteration.names, |resolver| {
                    resolver.declare_all(&iteration.body);
                    resolver.statements(&iteration.body);
                });
            }
            StmtKind::Case { subject, arms, otherwise } => {
                subject.iter().for_each(|subject| self.expression(subject));
                for (values, block) in arms {
                    values.iter().for_each(|value| self.expression(value));
                    self.statements(block);
                }
                self.statements(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::Func(name, function) => {
                self.owned(name, |resolver| resolver.function(function, BindingKind::Parameter));
            }
            StmtKind::Return(None) | StmtKind::Break | StmtKind::Continue => {}
        }
    }

    /// Reads the value of a name at the top of the file, which is evaluated only if it is needed.
    fn owned(&mut self, name: &Name, read: impl FnOnce(&mut Self)) {
        let outer = self.owner;
        let id = self.names.binding(name).filter(|id| self.names.bindings[*id].is_top);
        self.owner = outer.or(id);
        read(self);
        self.owner = outer;
    }

    fn elements(&mut self, names: &ElementNames, read: impl FnOnce(&mut Self)) {
        self.scopes.push(HashMap::new());
        for name in std::iter::once(&names.first).chain(&names.second) {
            self.declare(name, BindingKind::Given);
        }
        read(self);
        self.scopes.pop();
    }

    fn function(&mut self, function: &Func, kind: BindingKind) {
        self.scopes.push(HashMap::new());
        function.params.iter().for_each(|name| {
            self.declare(name, kind);
        });
        self.declare_all(&function.body);
        self.statements(&function.body);
        self.scopes.pop();
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.read(name),
            ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => self.expression(inner),
            ExprKind::List(items) => items.iter().for_each(|item| self.expression(item)),
            ExprKind::Map(entries) => {
                for (key, value) in entries {
                    self.expression(key);
                    self.expression(value);
                }
            }
            ExprKind::Func(function) => self.function(function, BindingKind::Given),
            ExprKind::Rule(rule) => {
                rule.when.iter().for_each(|when| self.expression(when));
                self.expression(&rule.body);
            }
            ExprKind::Quantifier(iteration) => {
                self.expression(&iteration.collection);
                self.elements(&iteration.names, |resolver| resolver.expression(&iteration.body));
            }
            ExprKind::Chain(chain) => {
                self.expression(&chain.first);
                for link in &chain.links {
                    if let Link::Binary { right, .. } = link {
                        self.expression(right);
                    }
                }
            }
            ExprKind::Postfix(postfix) => {
                self.expression(&postfix.base);
                for part in &postfix.parts {
                    match &part.kind {
                        PostfixPartKind::Selector(_) => {}
                        PostfixPartKind::Index(index) => self.expression(index),
                        PostfixPartKind::Slice(low, high) => {
                            low.iter().chain(high).for_each(|bound| self.expression(bound));
                        }
                        PostfixPartKind::Call(arguments) => {
                            arguments.iter().for_each(|argument| self.expression(argument));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Reports unknown names, with suggestions.
    fn report(&self, found: &mut LintItems) {
        let bound: HashSet<&str> = self.names.bindings.iter().map(|binding| &*binding.name).collect();
        let mut known: Vec<&str> = builtins::names().collect();
        known.extend(
            self.names.bindings.iter().filter(|binding| binding.is_top).map(|binding| &*binding.name),
        );
        known.extend(self.context.globals.iter().map(String::as_str));
        for (name, span) in &self.unknown {
            let message = format!("there is nothing called {name}");
            let help = if bound.contains(&**name) {
                Some("it is known only in the function or loop that gives it a value".to_owned())
            } else if imports::standard(name).is_some() {
                Some(format!("write import \"{name}\" at the top of the file"))
            } else {
                found.suggest(name, known.iter().copied())
            };
            found.add_with_help(LintKind::UndefinedName, *span, message, help);
        }
    }
}
