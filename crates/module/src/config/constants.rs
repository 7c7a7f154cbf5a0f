//! Values that are known before modules are installed: constant variables, and local values that depend only on these.
//! Sources of modules may use them since Terraform 1.15.

use std::collections::{BTreeMap, HashMap};

use objchange::{Type, Value};
use objchange_document::Version;
use objchange_hcl::{Diagnostic, Expr, Functions, ModuleConfig, Scope, Variables, evaluate, variables};
use smol_str::SmolStr;

use crate::diagnostics::cycle_summary;
use crate::subject::{Subject, SubjectKind, parse};

/// The values of constant variables, by name.
pub(super) type Constants = BTreeMap<SmolStr, Value>;

/// The constant values of one module.
pub(super) struct ConstantScope<'m> {
    pub(super) config: &'m ModuleConfig,
    pub(super) constants: &'m Constants,
    /// `path.module` and `path.root`.
    pub(super) directories: [&'m str; 2],
    pub(super) functions: &'m Functions,
    /// The version of Terraform whose error messages are used.
    pub(super) version: Version,
}

impl ConstantScope<'_> {
    /// The value of an expression, unknown where it depends on what is not constant.
    ///
    /// # Errors
    ///
    /// Returns the errors in it, or in a local value that it depends on.
    pub(super) fn evaluate(&self, expr: &Expr) -> Result<Value, Vec<Diagnostic>> {
        let mut locals = HashMap::new();
        for name in locals_before(self.config, expr, |_| false).map_err(|names| vec![self.cycle(&names)])? {
            let value = match self.config.locals.get(&name) {
                Some(local) => self.value(&local.expr, &locals)?,
                None => Value::unknown(Type::Dynamic),
            };
            locals.insert(name, value);
        }
        self.value(expr, &locals)
    }

    fn cycle(&self, names: &[String]) -> Diagnostic {
        let summary = cycle_summary(self.version, names.iter().map(String::as_str));
        Diagnostic::new(("cycle", summary), None, "")
    }

    fn value(&self, expr: &Expr, locals: &HashMap<SmolStr, Value>) -> Result<Value, Vec<Diagnostic>> {
        let (mut known_variables, mut known_locals) = (BTreeMap::new(), BTreeMap::new());
        for subject in subjects(expr) {
            let unknown = || Value::unknown(Type::Dynamic);
            match subject.kind {
                SubjectKind::Variable(name) => {
                    let value = self.constants.get(&name).cloned().unwrap_or_else(unknown);
                    known_variables.insert(name, value);
                }
                SubjectKind::Local(name) => {
                    let value = locals.get(&name).cloned().unwrap_or_else(unknown);
                    known_locals.insert(name, value);
                }
                SubjectKind::Path(_) => {}
                _ => return Ok(unknown()),
            }
        }
        let [module, root] = self.directories;
        let mut names = Variables::default();
        names.insert("var", Value::object(known_variables));
        names.insert("local", Value::object(known_locals));
        names.insert("path", Value::object([("module", Value::from(module)), ("root", Value::from(root))]));
        let (value, errors) = evaluate(expr, &Scope::new(&names), self.functions);
        if errors.is_empty() { Ok(value) } else { Err(errors) }
    }
}

/// The local values that an expression depends on, each after those that it needs itself; without those that are known
/// already.
///
/// # Errors
///
/// Returns the names of those that need each other.
pub(super) fn locals_before(
    config: &ModuleConfig,
    expr: &Expr,
    is_known: impl Fn(&SmolStr) -> bool,
) -> Result<Vec<SmolStr>, Vec<String>> {
    let mut order = Vec::new();
    // Whether a local value has its place in the order, or waits for what it needs.
    let mut is_done: HashMap<SmolStr, bool> = HashMap::new();
    // A stack instead of recursion, because a file may chain any number of local values.
    let mut open: Vec<(SmolStr, Vec<SmolStr>)> = vec![(SmolStr::default(), locals_of(expr))];
    while let Some((_, needs)) = open.last_mut() {
        match needs.pop() {
            Some(name) if is_known(&name) => {}
            Some(name) => match is_done.get(&name) {
                Some(true) => {}
                Some(false) => return Err(cycle(&open, &name)),
                None => {
                    is_done.insert(name.clone(), false);
                    let local = config.locals.get(&name);
                    let needs = local.map(|local| locals_of(&local.expr)).unwrap_or_default();
                    open.push((name, needs));
                }
            },
            None => {
                let Some((name, _)) = open.pop() else { break };
                if !name.is_empty() {
                    is_done.insert(name.clone(), true);
                    order.push(name);
                }
            }
        }
    }
    Ok(order)
}

/// The references of an expression that can be parsed.
pub(super) fn subjects(expr: &Expr) -> Vec<Subject> {
    variables(expr).iter().filter_map(|reference| parse(reference).0).collect()
}

fn locals_of(expr: &Expr) -> Vec<SmolStr> {
    let names = subjects(expr).into_iter().filter_map(|subject| match subject.kind {
        SubjectKind::Local(name) => Some(name),
        _ => None,
    });
    names.collect()
}

fn cycle(open: &[(SmolStr, Vec<SmolStr>)], first: &SmolStr) -> Vec<String> {
    let names = open.iter().map(|(name, _)| name).skip_while(|name| *name != first);
    let mut names: Vec<String> = names.map(|name| format!("local.{name} (expand)")).collect();
    names.sort_unstable();
    names
}
