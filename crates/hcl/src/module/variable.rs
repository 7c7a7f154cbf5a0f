//! The variables of a module: what is given for them, what else they are, and whether they may be so.

use std::collections::BTreeMap;

use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_text::Diagnostic;
use smol_str::SmolStr;

use super::environment::Environment;
use super::{Module, Variable};
use crate::decode::find;
use crate::eval::{Evaluator, Failed, Scope, TypeConstraint, constant, evaluate, explain};
use crate::function::Functions;
use crate::syntax::ast::Expr;
use crate::syntax::parse_expression;
use crate::walk::variables;

const INVALID: &str = "Invalid value for input variable";

/// What is given for a variable.
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
    /// With whether somebody says what it is.
    values: BTreeMap<SmolStr, (Value, bool)>,
}

impl VariableValues {
    /// The values that the variables of a module have, and what is wrong with them: their declarations, what is given,
    /// and what their `validation` blocks say of it. A name that is not declared stands for what is given for it.
    pub fn new(
        module: &Module<'_>,
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
        // One for all of them; no call is allowed in what they say.
        let mut evaluator = Evaluator::new(Functions::pure());
        for (name, variable) in &module.variables {
            let declaration = Declaration { name, variable, evaluator: &mut evaluator, errors: &mut errors };
            let value = declaration.value(inputs.get(&**name));
            values.values.insert(name.clone(), value);
        }
        errors.append(&mut evaluator.into_diagnostics());
        if errors.is_empty() {
            errors = module.validate(&values, functions);
        }
        (values, errors)
    }

    /// What a variable is, and whether anybody says it.
    pub(super) fn of(&self, name: &str) -> (Value, bool) {
        self.values.get(name).cloned().unwrap_or_else(|| (Value::unknown(Type::Dynamic), false))
    }
}

/// A variable that is declared.
struct Declaration<'d> {
    name: &'d str,
    variable: &'d Variable,
    evaluator: &'d mut Evaluator<'static>,
    errors: &'d mut Vec<Diagnostic>,
}

impl<'d> Declaration<'d> {
    fn attribute(&self, name: &str) -> Option<&'d Expr> {
        find(&self.variable.body.attributes, name).map(|attribute| &attribute.expr)
    }

    fn error(&mut self, summary: &'static str, expr: Option<&Expr>, detail: String) {
        let place = expr.map_or(self.variable.header, |expr| expr.span);
        self.errors.push(Diagnostic::new(summary, place, detail));
    }

    /// What a result has; its errors are told.
    fn told<T>(&mut self, result: Result<T, Failed>) -> Option<T> {
        self.errors.append(&mut self.evaluator.diagnostics);
        result.ok()
    }

    fn constant(&mut self, name: &str) -> Option<Value> {
        let expr = self.attribute(name)?;
        let value = self.evaluator.constant(expr);
        self.told(value)
    }

    fn is_set(&mut self, name: &str, otherwise: bool) -> bool {
        let Some(value) = self.constant(name) else { return otherwise };
        value.convert(&Type::Bool).ok().and_then(|value| value.as_bool()).unwrap_or_else(|| {
            let detail = "Unsuitable value: a bool is required.".to_owned();
            self.error("Unsuitable value type", self.attribute(name), detail);
            otherwise
        })
    }

    /// What is given, else its default, and whether there was one of them.
    fn value(mut self, given: Option<&Input>) -> (Value, bool) {
        let ty = self.attribute("type").map(|ty| self.evaluator.type_constraint(ty));
        let ty = ty.and_then(|ty| self.told(ty));
        let is_nullable = self.is_set("nullable", true);
        let marks = [("sensitive", Marks::SENSITIVE), ("ephemeral", Marks::EPHEMERAL)];
        let marks = marks.into_iter().filter(|(name, _)| self.is_set(name, false));
        let marks = marks.fold(Marks::NONE, |all, (_, mark)| all | mark);
        let default = self.default(ty.as_ref(), is_nullable);
        let unknown = || Value::unknown(ty.as_ref().map_or(Type::Dynamic, |ty| ty.ty().without_optional()));
        let value = match given {
            None => default.map(|value| (value, true)),
            Some(input) => match self.given(input, ty.as_ref()) {
                Some(value) if value.is_null() && !is_nullable => {
                    if default.is_none() {
                        let name = self.name;
                        let detail =
                            format!("The variable var.{name} is required: it may not be set to null.");
                        self.error("Required variable not set", None, detail);
                    }
                    default.map(|value| (value, true))
                }
                value => value.map(|value| (value, true)),
            },
        };
        let (value, is_given) = value.unwrap_or_else(|| (unknown(), false));
        (value.with_marks(marks), is_given)
    }

    fn default(&mut self, ty: Option<&TypeConstraint>, is_nullable: bool) -> Option<Value> {
        const SUMMARY: &str = "Invalid default value for variable";
        let expr = self.attribute("default")?;
        let value = self.constant("default")?;
        if value.is_null() && !is_nullable {
            let detail = "A null default value is not valid when nullable=false.".to_owned();
            self.error(SUMMARY, Some(expr), detail);
            return None;
        }
        match converted(&value, ty) {
            Ok(value) => Some(value),
            Err(kind) => {
                let detail = format!(
                    "This default value is not compatible with the variable's type constraint: {kind}."
                );
                self.error(SUMMARY, Some(expr), detail);
                None
            }
        }
    }

    fn given(&mut self, input: &Input, ty: Option<&TypeConstraint>) -> Option<Value> {
        let value = match input {
            Input::Value(value) => value.clone(),
            Input::Text(text) => self.written(text, ty)?,
        };
        match converted(&value, ty) {
            Ok(value) => Some(value),
            Err(kind) => {
                // What stands in the value is not told.
                let detail = format!(
                    "The value given for var.{} does not fit the type of the variable: {kind}.",
                    self.name
                );
                self.error(INVALID, None, detail);
                None
            }
        }
    }

    /// What a text says for a variable of this type.
    fn written(&mut self, text: &str, ty: Option<&TypeConstraint>) -> Option<Value> {
        let is_plain = match ty {
            Some(ty) => matches!(ty.ty(), Type::String | Type::Number | Type::Bool),
            None => self.attribute("type").is_none(),
        };
        if is_plain {
            return Some(Value::from(text));
        }
        // Where it is wrong is a place in no file, and what stands there may be secret.
        match parse_expression(text).and_then(|expr| constant(&expr)) {
            Ok(value) => Some(value),
            Err(_) => {
                let name = self.name;
                let detail = format!(
                    "The value of var.{name} must be an expression without references and calls, because its type is not a string."
                );
                self.error(INVALID, None, detail);
                None
            }
        }
    }
}

/// The value as one of a type, with its defaults.
fn converted(value: &Value, ty: Option<&TypeConstraint>) -> Result<Value, String> {
    let Some(ty) = ty else { return Ok(value.clone()) };
    ty.with_defaults(value).convert(ty.ty()).map_err(|error| error.kind.to_string())
}

impl Module<'_> {
    /// What the validation blocks say of the values of their variables.
    fn validate(&self, values: &VariableValues, functions: &Functions) -> Vec<Diagnostic> {
        let rules = self.variables.iter().flat_map(|(name, variable)| {
            let rules = variable.body.blocks.iter().filter(|block| block.kind == "validation");
            std::iter::zip(rules, &variable.rules).map(move |(rule, place)| (name, rule, place))
        });
        let mut errors = Vec::new();
        let mut checks = Vec::new();
        let mut needed = Vec::new();
        for (name, rule, place) in rules {
            let attribute = |name: &str| find(&rule.body.attributes, name).map(|attribute| &attribute.expr);
            let (Some(condition), Some(message)) = (attribute("condition"), attribute("error_message"))
            else {
                continue;
            };
            let references = variables(condition);
            let is_itself = |attribute: Option<&SmolStr>| attribute == Some(name);
            if !references.iter().any(|r| r.name == "var" && is_itself(r.first_attribute())) {
                let detail = format!(
                    "The condition for variable {name:?} must refer to var.{name} in order to test incoming values."
                );
                errors.push(Diagnostic::new("Invalid variable validation condition", condition.span, detail));
                continue;
            }
            needed.extend(references.into_iter().chain(variables(message)));
            checks.push(Rule { name, condition, message, place });
        }
        // What several rules refer to is evaluated once.
        let mut environment = Environment::new(self, values, needed, &[], functions);
        errors.append(&mut environment.errors);
        let scope = Scope::new(&environment.variables);
        errors.extend(checks.iter().flat_map(|rule| rule.check(&scope, functions)));
        errors
    }
}

/// A `validation` block.
struct Rule<'r> {
    /// Of the variable.
    name: &'r str,
    condition: &'r Expr,
    message: &'r Expr,
    /// Where it stands, in words.
    place: &'r str,
}

impl Rule<'_> {
    fn check(&self, scope: &Scope<'_>, functions: &Functions) -> Vec<Diagnostic> {
        const RESULT: &str = "Invalid variable validation result";
        let (result, errors) = evaluate(self.condition, scope, functions);
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
        let (message, mut errors) = evaluate(self.message, scope, functions);
        let text = match message.convert(&Type::String) {
            Ok(text) => text,
            Err(_) => {
                let detail = "Unsuitable value for error message: string required.";
                errors.push(Diagnostic::new("Invalid error message", self.message.span, detail));
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
            self.name, self.place
        );
        let mut found = self.explained("Invalid value for variable", detail, scope);
        found.append(&mut errors);
        found
    }

    /// An error at the condition, with the values in it.
    fn explained(&self, summary: &'static str, detail: String, scope: &Scope<'_>) -> Vec<Diagnostic> {
        let mut errors = vec![Diagnostic::new(summary, self.condition.span, detail)];
        explain(&mut errors, self.condition, scope);
        errors
    }
}
