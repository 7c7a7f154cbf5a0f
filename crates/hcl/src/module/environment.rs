//! Resolves the names in a module: its variables and local values. Other names are unknown.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use objchange::{Type, Value};
use objchange_text::Diagnostic;
use smol_str::SmolStr;

use super::declarations::ModuleConfig;
use super::variable::VariableValues;
use crate::eval::{Evaluator, Scope, Variables};
use crate::function::Functions;
use crate::syntax::ast::Attribute;
use crate::walk::{Reference, variables};

/// The values of the names that expressions of a module refer to.
#[derive(Debug, Default)]
pub struct Environment {
    /// The value of each root name of the references, such as `var` and `local`.
    pub variables: Variables,
    /// References to variables without a value; they are unknown in `variables`.
    pub missing: BTreeSet<String>,
    /// The problems with the variables and local values that are needed, in the source of the module.
    pub errors: Vec<Diagnostic>,
}

impl Environment {
    /// Evaluates the names of these references with these values of variables. The caller sets the names in `own`.
    pub fn new<'r>(
        module: &ModuleConfig,
        variables: &VariableValues,
        references: impl IntoIterator<Item = Reference<'r>>,
        own: &[&str],
        functions: &Functions,
    ) -> Self {
        let mut reading = Reading {
            module,
            given: variables,
            own,
            functions,
            variables: BTreeMap::new(),
            locals: BTreeMap::new(),
            open: Vec::new(),
            unknown: BTreeSet::new(),
            missing: BTreeSet::new(),
        };
        for reference in references {
            reading.refer(&reference);
        }
        reading.follow_locals();
        reading.environment()
    }
}

struct Reading<'m, 'f> {
    module: &'m ModuleConfig,
    given: &'m VariableValues,
    own: &'f [&'f str],
    functions: &'f Functions,
    /// The variables that are needed.
    variables: BTreeMap<SmolStr, Value>,
    /// The local values that are needed, with those that each needs itself.
    locals: BTreeMap<SmolStr, Vec<SmolStr>>,
    /// The local values whose references are still to be followed.
    open: Vec<SmolStr>,
    /// Root names whose values are unknown.
    unknown: BTreeSet<SmolStr>,
    missing: BTreeSet<String>,
}

impl Reading<'_, '_> {
    /// Records the value that a reference needs. Returns its name if it is a local value.
    fn refer(&mut self, reference: &Reference<'_>) -> Option<SmolStr> {
        let name = &**reference.name;
        match (name, reference.first_attribute()) {
            ("var", Some(variable)) => {
                if !self.variables.contains_key(variable) {
                    let (value, is_given) = self.given.value_of(variable);
                    self.variables.insert(variable.clone(), value);
                    if !is_given {
                        self.missing.insert(format!("var.{variable}"));
                    }
                }
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
            let Some(local) = self.module.locals.get(&name) else {
                self.missing.insert(format!("local.{name}"));
                continue;
            };
            let needed: BTreeSet<SmolStr> =
                variables(&local.expr).iter().filter_map(|reference| self.refer(reference)).collect();
            self.locals.insert(name, needed.into_iter().collect());
        }
    }

    fn environment(mut self) -> Environment {
        let mut found = Environment::default();
        found.variables.insert("var", Value::object(std::mem::take(&mut self.variables)));
        for name in self.unknown.iter().filter(|name| *name != "var" && *name != "local") {
            found.variables.insert(name.clone(), Value::unknown(Type::Dynamic));
        }
        let locals = self.evaluated_locals(&found.variables, &mut found.errors);
        found.variables.insert("local", Value::object(locals));
        found.missing = self.missing;
        found
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
        // One evaluator, so that its limits apply to all of them together.
        let mut evaluator = Evaluator::new(self.functions);
        while let Some(name) = ready.pop() {
            let needed = self.locals[name].iter().map(|name| (name.clone(), values[name].clone()));
            let value = match self.module.locals.get(name) {
                Some(Attribute { expr, .. }) => {
                    let names = [("local", Value::object(needed))];
                    evaluator.named(expr, &scope.with(&names))
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
        errors.append(&mut evaluator.into_diagnostics());
        for name in self.locals.keys().filter(|name| !values.contains_key(*name)).cloned().collect::<Vec<_>>()
        {
            if let Some(Attribute { expr, .. }) = self.module.locals.get(&name) {
                let detail =
                    format!("local.{name} needs its own value, directly or through other local values.");
                errors.push(Diagnostic::new("Cycle of local values", expr.span, detail));
            }
            values.insert(name, Value::unknown(Type::Dynamic));
        }
        values.into_iter().collect()
    }
}
