//! The variables of a module: their values and defaults, and the rules that check them.

use std::collections::BTreeMap;

use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_text::Diagnostic;
use smol_str::SmolStr;

use super::declarations::{Condition, ModuleConfig, VariableConfig};
use super::environment::Environment;
use crate::eval::{Scope, TypeConstraint, constant, evaluate, explain};
use crate::function::Functions;
use crate::sources::Sources;
use crate::syntax::parse_expression;
use crate::walk::variables;

const INVALID: &str = "Invalid value for input variable";

/// The input for a variable.
#[derive(Debug, Clone)]
pub enum Input {
    /// A text, as on a command line: a string, a number or a bool stands as it is, everything else is an expression.
    Text(String),
    /// A value.
    Value(Value),
}

/// The values of variables.
#[derive(Debug, Default)]
pub struct VariableValues {
    /// Each value, and whether it was set or has a default.
    values: BTreeMap<SmolStr, (Value, bool)>,
}

impl VariableValues {
    /// Sets the variables of a module from inputs and defaults, and checks types and `validation` blocks. An undeclared
    /// name keeps its input.
    pub fn new(
        module: &ModuleConfig,
        sources: &Sources,
        inputs: &BTreeMap<String, Input>,
        functions: &Functions,
    ) -> (Self, Vec<Diagnostic>) {
        let mut errors = Vec::new();
        let mut values = Self::default();
        for (name, input) in inputs {
            let value = match input {
                Input::Text(text) => Value::from(text.as_str()),
                Input::Value(value) => value.clone(),
            };
            values.values.insert(name.into(), (value, true));
        }
        for (name, variable) in &module.variables {
            let declaration = Declaration { name, variable, errors: &mut errors };
            let value = declaration.value(inputs.get(&**name));
            values.values.insert(name.clone(), value);
        }
        if errors.is_empty() {
            errors = module.validate(sources, &values, functions);
        }
        (values, errors)
    }

    /// The value of a variable, and whether it was set or has a default.
    pub(super) fn value_of(&self, name: &str) -> (Value, bool) {
        self.values.get(name).cloned().unwrap_or_else(|| (Value::unknown(Type::Dynamic), false))
    }
}

/// A variable that is declared.
struct Declaration<'d> {
    name: &'d str,
    variable: &'d VariableConfig,
    errors: &'d mut Vec<Diagnostic>,
}

impl Declaration<'_> {
    fn error(&mut self, summary: &'static str, detail: String) {
        self.errors.push(Diagnostic::new(summary, self.variable.header, detail));
    }

    /// The input, else the default, and whether there is either.
    fn value(mut self, given: Option<&Input>) -> (Value, bool) {
        let VariableConfig { ty, default, nullable, sensitive, ephemeral, .. } = self.variable;
        let marks = [(*sensitive, Marks::SENSITIVE), (*ephemeral, Marks::EPHEMERAL)];
        let marks = marks.into_iter().filter(|(is_set, _)| *is_set);
        let marks = marks.fold(Marks::NONE, |all, (_, mark)| all | mark);
        let default = || default.clone().map(|value| (value, true));
        let unknown = || Value::unknown(ty.as_ref().map_or(Type::Dynamic, |ty| ty.ty().without_optional()));
        let value = match given {
            None => default(),
            Some(input) => match self.given(input, ty.as_ref()) {
                Some(value) if value.is_null() && !nullable => {
                    if default().is_none() {
                        let name = self.name;
                        let detail =
                            format!("The variable var.{name} is required: it may not be set to null.");
                        self.error("Required variable not set", detail);
                    }
                    default()
                }
                value => value.map(|value| (value, true)),
            },
        };
        let (value, is_given) = value.unwrap_or_else(|| (unknown(), false));
        (value.with_marks(marks), is_given)
    }

    fn given(&mut self, input: &Input, ty: Option<&TypeConstraint>) -> Option<Value> {
        let value = match input {
            Input::Value(value) => value.clone(),
            Input::Text(text) => self.written(text, ty)?,
        };
        let is_secret = self.variable.sensitive || self.variable.ephemeral;
        match converted(&value, ty, is_secret) {
            Ok(value) => Some(value),
            Err(kind) => {
                // The error must not quote the value.
                let detail = format!(
                    "The value given for var.{} does not fit the type of the variable: {kind}.",
                    self.name
                );
                self.error(INVALID, detail);
                None
            }
        }
    }

    /// Reads the text of an input for a variable of this type: a plain string, or an expression for other types.
    fn written(&mut self, text: &str, ty: Option<&TypeConstraint>) -> Option<Value> {
        let is_plain = match ty {
            Some(ty) => matches!(ty.ty(), Type::String | Type::Number | Type::Bool),
            None => true,
        };
        if is_plain {
            return Some(Value::from(text));
        }
        // The error has no place in a file, and its text may be secret, so it is not shown.
        match parse_expression(text).and_then(|expr| constant(&expr)) {
            Ok(value) => Some(value),
            Err(_) => {
                let name = self.name;
                let detail = format!(
                    "The value of var.{name} must be an expression without references and calls, because its type is not a string."
                );
                self.error(INVALID, detail);
                None
            }
        }
    }
}

/// The value as one of a type, with its defaults.
fn converted(value: &Value, ty: Option<&TypeConstraint>, is_secret: bool) -> Result<Value, String> {
    let Some(ty) = ty else { return Ok(value.clone()) };
    ty.convert_as(value, is_secret).map_err(|error| error.kind.to_string())
}

impl ModuleConfig {
    /// Checks the values against the `validation` blocks of their variables.
    fn validate(&self, sources: &Sources, values: &VariableValues, functions: &Functions) -> Vec<Diagnostic> {
        let rules = self.variables.iter().flat_map(|(name, variable)| {
            variable.validations.iter().map(move |rule| Rule { name, rule, sources })
        });
        let rules: Vec<Rule<'_>> = rules.collect();
        let parts = rules.iter().flat_map(|rule| [&rule.rule.condition, &rule.rule.error_message]);
        let needed: Vec<_> = parts.flat_map(variables).collect();
        // One environment for all rules, so that shared references are evaluated once.
        let mut environment = Environment::new(self, values, needed, &[], functions);
        let mut errors = std::mem::take(&mut environment.errors);
        let scope = Scope::new(&environment.variables);
        errors.extend(rules.iter().flat_map(|rule| rule.check(&scope, functions)));
        errors
    }
}

/// A `validation` block.
struct Rule<'r> {
    /// The variable's name.
    name: &'r str,
    rule: &'r Condition,
    sources: &'r Sources,
}

impl Rule<'_> {
    fn check(&self, scope: &Scope<'_>, functions: &Functions) -> Vec<Diagnostic> {
        const RESULT: &str = "Invalid variable validation result";
        let (result, errors) = evaluate(&self.rule.condition, scope, functions);
        if !errors.is_empty() {
            return errors;
        }
        let result = match result.convert(&Type::Bool) {
            Ok(result) if result.is_null() => {
                let detail = "Validation condition expression must return either true or false, not null.";
                return self.explained(RESULT, detail.to_owned(), scope);
            }
            Ok(result) => result.as_bool(),
            Err(error) => {
                let detail = format!("Invalid validation condition result value: {}.", error.kind);
                return self.explained(RESULT, detail, scope);
            }
        };
        if result != Some(false) {
            return Vec::new();
        }
        let (message, mut errors) = evaluate(&self.rule.error_message, scope, functions);
        let text = match message.convert(&Type::String) {
            Ok(text) => text,
            Err(_) => {
                let detail = "Unsuitable value for error message: string required.";
                errors.push(Diagnostic::new("Invalid error message", self.rule.error_message.span, detail));
                Value::null(Type::String)
            }
        };
        let text = if text.contains_marked() {
            "The error message included a sensitive value, so it will not be displayed."
        } else {
            text.as_str().unwrap_or("Failed to evaluate condition error message.").trim()
        };
        let detail = format!(
            "var.{} is not valid: {text}\n\nThis was checked by the validation rule at {}.",
            self.name,
            self.sources.places().describe(self.rule.header)
        );
        let mut found = self.explained("Invalid value for variable", detail, scope);
        found.append(&mut errors);
        found
    }

    /// An error at the condition, with the values in it.
    fn explained(&self, summary: &'static str, detail: String, scope: &Scope<'_>) -> Vec<Diagnostic> {
        let mut errors = vec![Diagnostic::new(summary, self.rule.condition.span, detail)];
        explain(&mut errors, &self.rule.condition, scope);
        errors
    }
}
