//! What names mean in a module, of which one file is at hand: its variables with what is given for them, its local
//! values, and everything else unknown.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use objchange::value::Marks;
use objchange::{Type, Value};
use smol_str::SmolStr;

use crate::decode::find;
use crate::diagnostic::Diagnostic;
use crate::eval::{Scope, TypeExpr, Variables, evaluate, type_constraint};
use crate::function::Functions;
use crate::syntax::ast::{Block, Body, Expr};
use crate::syntax::parse_expression;
use crate::walk::{Reference, variables};

/// What is given for a variable.
#[derive(Debug, Clone)]
pub enum Input {
    /// A text, as on a command line: a string, a number or a bool stands as it is, everything else is an expression.
    Text(String),
    /// A value.
    Value(Value),
}

/// What names mean.
#[derive(Debug, Default)]
pub struct Environment {
    /// A variable for each name that a reference begins with.
    pub variables: Variables,
    /// The references to what nobody gives, which is unknown in the variables.
    pub missing: BTreeSet<String>,
    /// What is wrong with the variables and local values that are needed, in the source of the module.
    pub errors: Vec<Diagnostic>,
}

impl Environment {
    /// What the names of these references mean in a module. Those in `own` are for whoever asks to set.
    pub fn new<'r>(
        module: &Body,
        inputs: &BTreeMap<String, Input>,
        references: impl IntoIterator<Item = Reference<'r>>,
        own: &[&str],
        functions: &Functions,
    ) -> Self {
        let mut reading = Reading::of(module, own, functions);
        for reference in references {
            reading.refer(&reference);
        }
        reading.follow_locals();
        reading.environment(inputs)
    }
}

/// The declarations of a module by their names.
#[derive(Default)]
struct Module<'b> {
    variables: HashMap<&'b str, &'b Block>,
    locals: HashMap<&'b str, &'b Expr>,
}

impl<'b> Module<'b> {
    fn of(body: &'b Body) -> Self {
        let mut module = Self::default();
        for block in &body.blocks {
            match (&*block.kind, &block.labels[..]) {
                ("variable", [name]) => {
                    module.variables.insert(&name.text, block);
                }
                ("locals", []) => {
                    let locals = block.body.attributes.iter();
                    module.locals.extend(locals.map(|local| (&*local.name, &local.expr)));
                }
                _ => {}
            }
        }
        module
    }
}

struct Reading<'b, 'f> {
    module: Module<'b>,
    own: &'f [&'f str],
    functions: &'f Functions,
    /// The variables that are needed.
    variables: BTreeSet<SmolStr>,
    /// The local values that are needed, with those that each needs itself.
    locals: BTreeMap<SmolStr, Vec<SmolStr>>,
    /// Local values to look into.
    open: Vec<SmolStr>,
    /// Names that mean something unknown.
    unknown: BTreeSet<SmolStr>,
    missing: BTreeSet<String>,
}

impl<'b, 'f> Reading<'b, 'f> {
    fn of(module: &'b Body, own: &'f [&'f str], functions: &'f Functions) -> Self {
        Self {
            module: Module::of(module),
            own,
            functions,
            variables: BTreeSet::new(),
            locals: BTreeMap::new(),
            open: Vec::new(),
            unknown: BTreeSet::new(),
            missing: BTreeSet::new(),
        }
    }

    /// Takes note of what a reference needs; the local value, if it is one.
    fn refer(&mut self, reference: &Reference<'_>) -> Option<SmolStr> {
        let name = &**reference.name;
        match (name, reference.first_attribute()) {
            ("var", Some(variable)) => {
                self.variables.insert(variable.clone());
            }
            ("local", Some(local)) => {
                if !self.locals.contains_key(local) {
                    self.locals.insert(local.clone(), Vec::new());
                    self.open.push(local.clone());
                }
                return Some(local.clone());
            }
            _ if self.own.contains(&name) => {}
            _ => {
                self.unknown.insert(reference.name.clone());
                self.missing.insert(reference.to_string());
            }
        }
        None
    }

    fn follow_locals(&mut self) {
        while let Some(name) = self.open.pop() {
            let Some(expr) = self.module.locals.get(&*name).copied() else {
                self.missing.insert(format!("local.{name}"));
                continue;
            };
            let needed: BTreeSet<SmolStr> =
                variables(expr).iter().filter_map(|reference| self.refer(reference)).collect();
            self.locals.insert(name, needed.into_iter().collect());
        }
    }

    fn environment(mut self, inputs: &BTreeMap<String, Input>) -> Environment {
        let mut found = Environment::default();
        let mut given: Vec<(SmolStr, Value)> = Vec::new();
        for name in std::mem::take(&mut self.variables) {
            let value = self.variable(&name, inputs.get(&*name), &mut found.errors);
            given.push((name, value));
        }
        found.variables.insert("var", Value::object(given));
        for name in self.unknown.iter().filter(|name| *name != "var" && *name != "local") {
            found.variables.insert(name.clone(), Value::unknown(Type::Dynamic));
        }
        let locals = self.evaluated_locals(&found.variables, &mut found.errors);
        found.variables.insert("local", Value::object(locals));
        found.missing = self.missing;
        found
    }

    /// The value of a variable: what is given, else its default.
    fn variable(&mut self, name: &str, given: Option<&Input>, errors: &mut Vec<Diagnostic>) -> Value {
        let declaration = self.module.variables.get(name).copied();
        let attribute = |name: &str| Some(&find(&declaration?.body.attributes, name)?.expr);
        let ty = attribute("type").and_then(|ty| match type_constraint(ty, self.functions) {
            Ok(ty) => Some(ty),
            Err(mut found) => {
                errors.append(&mut found);
                None
            }
        });
        let is_set =
            |name: &str| attribute(name).is_some_and(|expr| self.constant(expr) == Ok(Value::from(true)));
        let mut marks = Marks::NONE;
        if is_set("sensitive") {
            marks |= Marks::SENSITIVE;
        }
        if is_set("ephemeral") {
            marks |= Marks::EPHEMERAL;
        }
        let value = match (given, attribute("default")) {
            (Some(Input::Value(value)), _) => Ok(value.clone()),
            (Some(Input::Text(text)), _) => {
                self.written(name, text.as_str(), ty.as_ref(), attribute("type").is_some())
            }
            (None, Some(default)) => self.constant(default),
            (None, None) => {
                self.missing.insert(format!("var.{name}"));
                Ok(Value::unknown(ty.as_ref().map_or(Type::Dynamic, |ty| ty.ty().without_optional())))
            }
        };
        let place = declaration.map(|block| block.header).unwrap_or_default();
        let converted = value.and_then(|value| match &ty {
            Some(ty) => ty.with_defaults(&value).convert(ty.ty()).map_err(|error| {
                // What stands in the value is not told.
                let detail = format!(
                    "The value given for var.{name} does not fit the type of the variable: {}.",
                    error.kind
                );
                vec![Diagnostic::new("Invalid value for input variable", place, detail)]
            }),
            None => Ok(value),
        });
        match converted {
            Ok(value) => value.with_marks(marks),
            Err(mut found) => {
                errors.append(&mut found);
                Value::unknown(Type::Dynamic).with_marks(marks)
            }
        }
    }

    /// What a text says for a variable of this type.
    fn written(
        &self,
        name: &str,
        text: &str,
        ty: Option<&TypeExpr>,
        is_typed: bool,
    ) -> Result<Value, Vec<Diagnostic>> {
        let is_plain = match ty {
            Some(ty) => matches!(ty.ty(), Type::String | Type::Number | Type::Bool),
            None => !is_typed,
        };
        if is_plain {
            return Ok(Value::from(text));
        }
        let place = self.module.variables.get(name).map(|block| block.header).unwrap_or_default();
        let wrong = |_| {
            let detail = format!(
                "What is given for var.{name} is no expression without references, as its type needs."
            );
            vec![Diagnostic::new("Invalid value for input variable", place, detail)]
        };
        let expr = parse_expression(text).map_err(wrong)?;
        self.constant(&expr).map_err(wrong)
    }

    /// The value of an expression that refers to nothing.
    fn constant(&self, expr: &Expr) -> Result<Value, Vec<Diagnostic>> {
        let (value, errors) = evaluate(expr, &Scope::new(&Variables::default()), self.functions);
        if errors.is_empty() { Ok(value) } else { Err(errors) }
    }

    /// The local values that are needed, each evaluated after those that it needs.
    fn evaluated_locals(&self, around: &Variables, errors: &mut Vec<Diagnostic>) -> Vec<(SmolStr, Value)> {
        let mut waiting: HashMap<&str, usize> = HashMap::new();
        let mut dependents: HashMap<&str, Vec<&SmolStr>> = HashMap::new();
        let mut ready: Vec<&SmolStr> = Vec::new();
        for (name, needs) in &self.locals {
            waiting.insert(name, needs.len());
            if needs.is_empty() {
                ready.push(name);
            }
            for needed in needs {
                dependents.entry(needed).or_default().push(name);
            }
        }
        let mut values: HashMap<SmolStr, Value> = HashMap::new();
        let scope = Scope::new(around);
        while let Some(name) = ready.pop() {
            let needed = self.locals[name].iter().map(|name| (name.clone(), values[name].clone()));
            let value = match self.module.locals.get(&**name) {
                Some(expr) => {
                    let names = [("local", Value::object(needed))];
                    let (value, mut found) = evaluate(expr, &scope.with(&names), self.functions);
                    errors.append(&mut found);
                    value
                }
                None => Value::unknown(Type::Dynamic),
            };
            values.insert(name.clone(), value);
            for dependent in dependents.get(&**name).into_iter().flatten() {
                if let Some(left) = waiting.get_mut(&***dependent) {
                    *left -= 1;
                    if *left == 0 {
                        ready.push(dependent);
                    }
                }
            }
        }
        for name in self.locals.keys().filter(|name| !values.contains_key(*name)).cloned().collect::<Vec<_>>()
        {
            if let Some(expr) = self.module.locals.get(&*name) {
                let detail =
                    format!("local.{name} needs its own value, directly or through other local values.");
                errors.push(Diagnostic::new("Cycle of local values", expr.span, detail));
            }
            values.insert(name, Value::unknown(Type::Dynamic));
        }
        values.into_iter().collect()
    }
}
