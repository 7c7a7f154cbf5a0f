//! The values of variables, and what their validation rules say of them.

use objchange::address::ModuleAddress;
use objchange::value::{Marks, Refinements};
use objchange::{Type, Value};
use objchange_hcl::{Condition, Diagnostic, DiagnosticExt, Expr, ModuleCall, Scope, Span, VariableConfig};
use smol_str::SmolStr;

use super::CheckKind;
use super::CheckStatus;
use super::conditions::judge_validation;
use super::conditions::{Judged, VALIDATION};
use super::input::{GivenVariable, PlanInput};
use super::instances::ModuleInstanceId;
use super::inventions::is_invented;
use super::outputs::NOT_ALLOWED;
use super::walk::Walk;
use crate::config::{Config, ModuleId};
use crate::versions::since;
use crate::{ConditionOwner, Diagnostics, NOWHERE, Severity};
use objchange_document::PlanMode;

/// The marks that the declaration of a variable puts on its value.
pub(crate) fn marks(variable: &VariableConfig) -> Marks {
    let sensitive = if variable.sensitive { Marks::SENSITIVE } else { Marks::NONE };
    let ephemeral = if variable.ephemeral { Marks::EPHEMERAL } else { Marks::NONE };
    sensitive | ephemeral
}

fn is_secret(variable: &VariableConfig) -> bool {
    variable.sensitive || variable.ephemeral
}

/// The call that makes a module.
pub(crate) fn call_of(config: &Config, module: ModuleId) -> Option<&ModuleCall> {
    let loaded = config.modules.get(module)?;
    config.modules[loaded.parent?].config.calls.get(loaded.path.last()?)
}

/// A place in words: `m/main.tf:7,1-13`.
pub(crate) fn place_in_words(config: &Config, span: Span) -> String {
    config.sources.places().find(span).map(|place| place.to_string()).unwrap_or_default()
}

/// The detail of the error for an ephemeral value that is passed to a variable without `ephemeral = true`.
const EPHEMERAL_ARGUMENT: &str = "This input variable is not declared as accepting a ephemeral values, so it cannot be set to a \
                                  result derived from an ephemeral value.";

/// The value of an argument as one of the variable's type, without the marks of its declaration.
pub(crate) fn convert_argument(
    input: &PlanInput<'_>,
    module: &ModuleAddress,
    name: &SmolStr,
    variable: &VariableConfig,
    argument: &Expr,
    value: &Value,
) -> Result<Value, Box<Diagnostic>> {
    let error = |summary: &'static str, verb: &str, reason: &str| {
        unsuitable(
            input.config,
            &format!("{module}.var.{name}"),
            variable,
            argument.span,
            (summary, verb, reason),
        )
    };
    if !variable.ephemeral && value.marks_deep().contains(Marks::EPHEMERAL) {
        return Err(Box::new(Diagnostic::new(NOT_ALLOWED, argument.span, EPHEMERAL_ARGUMENT)));
    }
    let converted = match &variable.ty {
        None => value.clone(),
        Some(ty) => ty.convert_as(value, is_secret(variable)).map_err(|wrong| {
            error("Invalid value for input variable", "declared", &wrong.kind.to_string())
        })?,
    };
    or_default(variable, converted).ok_or_else(|| {
        // With `nullable = false` null becomes the default; without a default there is nothing that it could
        // become.
        error("Required variable not set", "defined", "required variable may not be set to null")
    })
}

/// The error for a value that is not one of its variable. One of a sensitive variable does not show where the value is.
fn unsuitable(
    config: &Config,
    name: &str,
    variable: &VariableConfig,
    value: Span,
    (summary, verb, reason): (&'static str, &str, &str),
) -> Box<Diagnostic> {
    let (range, detail) = if variable.sensitive {
        let place = place_in_words(config, value);
        let detail = format!(
            "The given value is not suitable for {name}, which is sensitive: {reason}. Invalid value defined at {place}."
        );
        (variable.header, detail)
    } else {
        let place = place_in_words(config, variable.header);
        (value, format!("The given value is not suitable for {name} {verb} at {place}: {reason}."))
    };
    Box::new(Diagnostic::new(summary, range, detail))
}

/// The value of a variable of the root module, without the marks of its declaration.
pub(crate) fn root_value(
    config: &Config,
    name: &SmolStr,
    variable: &VariableConfig,
    given: Option<&GivenVariable>,
) -> Result<Option<Value>, Box<Diagnostic>> {
    let Some(given) = given else { return Ok(variable.default.clone()) };
    if !variable.ephemeral && given.value.marks_deep().contains(Marks::EPHEMERAL) {
        return Err(Box::new(Diagnostic::new(NOT_ALLOWED, given.span, EPHEMERAL_ARGUMENT)));
    }
    let error = |summary: &'static str, verb: &str, reason: &str| match given.span {
        Some(span) if given.origin.is_empty() => {
            unsuitable(config, &format!("var.{name}"), variable, span, (summary, verb, reason))
        }
        _ => {
            let detail = format!("Unsuitable value for var.{name} {}: {reason}.", given.origin);
            Box::new(Diagnostic::new(summary, variable.header, detail))
        }
    };
    let converted = match &variable.ty {
        None => given.value.clone(),
        Some(ty) => ty.convert_as(&given.value, is_secret(variable)).map_err(|wrong| {
            error("Invalid value for input variable", "declared", &wrong.kind.to_string())
        })?,
    };
    or_default(variable, converted).map(Some).ok_or_else(|| {
        error("Required variable not set", "defined", "required variable may not be set to null")
    })
}

/// Replaces null by the default if the variable is not nullable; `None` without a default.
fn or_default(variable: &VariableConfig, value: Value) -> Option<Value> {
    // Null is a value that the caller chose: the default does not replace it.
    if variable.nullable {
        return Some(value);
    }
    match value.is_null() {
        true => variable.default.clone(),
        // An unknown value may still be null.
        false => Some(value),
    }
}

/// Where it is reported that the value of a variable is wrong: its declaration in the root module, the argument in others;
/// `None` where the default of a child is wrong.
pub(crate) fn reported_at(
    config: &Config,
    module: ModuleId,
    name: &SmolStr,
    variable: &VariableConfig,
) -> Option<Span> {
    match call_of(config, module) {
        None => Some(variable.header),
        Some(call) => {
            call.arguments.iter().find(|argument| argument.name == *name).map(|argument| argument.expr.span)
        }
    }
}

/// The diagnostics of an evaluated rule.
pub(crate) fn judged(
    config: &Config,
    rule: &Condition,
    scope: &Scope<'_>,
    judged: &Judged,
    reported: Option<Span>,
    owner: &ConditionOwner,
) -> Diagnostics {
    let mut found = Diagnostics::default();
    found.errors(judged.errors.iter().cloned());
    if judged.status == CheckStatus::Fail {
        let message = judged.message.as_deref().unwrap_or_default();
        let place = place_in_words(config, rule.header);
        let detail = format!("{message}\n\nThis was checked by the validation rule at {place}.");
        let diagnostic =
            Diagnostic::new(VALIDATION.failed, rule.condition.span, detail).explained(&rule.condition, scope);
        // A default that breaks a rule has no argument to point to: Terraform 1.11.4 prints `on line 0:` then.
        let diagnostic = Diagnostic { subject: reported.or(Some(NOWHERE)), ..diagnostic };
        found.push_condition(Severity::Error, diagnostic, owner);
    }
    found
}

/// A value of the variable's type, of which nothing else is known.
fn without_value(variable: &VariableConfig) -> Value {
    let ty = variable.ty.as_ref().map_or(Type::Dynamic, |ty| ty.ty().without_optional());
    let unknown = Value::unknown(ty.clone());
    match variable.nullable || ty == Type::Dynamic {
        true => unknown,
        false => Value::refined_unknown(ty, Refinements::not_null()).unwrap_or(unknown),
    }
}

/// A made-up value of a variable that no other value can be made of.
fn invented_value(variable: &VariableConfig) -> Value {
    let ty = variable.ty.as_ref().map_or(Type::Dynamic, |ty| ty.ty().without_optional());
    Value::unknown(ty).with_marks(Marks::INVENTED)
}

impl<'c> Walk<'_, 'c> {
    pub(crate) fn variable(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        name: &SmolStr,
        variable: &objchange_hcl::VariableConfig,
    ) {
        let marks = super::variable::marks(variable);
        let module = self.graph.nodes[index].module;
        let call = super::variable::call_of(self.input.config, module);
        let parent = self.world.instances[at].parent;
        let value = match (call, parent) {
            (Some(call), Some(parent)) => {
                match call.arguments.iter().find(|argument| argument.name == *name) {
                    None => variable.default.clone(),
                    Some(argument) => {
                        let names = self.world.instances[at].repetition.names();
                        let Some(value) = self.evaluate(index, parent, &argument.expr, &names) else {
                            return;
                        };
                        let address = self.world.instances[at].address.clone();
                        let is_given = !value.is_null();
                        match super::variable::convert_argument(
                            self.input,
                            &address,
                            name,
                            variable,
                            &argument.expr,
                            &value,
                        ) {
                            Ok(value) => {
                                // Once for all instances of the module.
                                let is_first = self.world.by_module[module].first() == Some(&at);
                                if is_first && is_given {
                                    self.warn_of_deprecated(
                                        variable,
                                        argument.name_span.to(argument.expr.span),
                                    );
                                }
                                Some(value)
                            }
                            // A real provider would choose a value that suits.
                            Err(_) if is_invented(&value) => {
                                self.push_undecided_value(argument.expr.span, &[]);
                                Some(invented_value(variable))
                            }
                            Err(error) => {
                                self.found.push(Severity::Error, *error);
                                return;
                            }
                        }
                    }
                }
            }
            _ => {
                let given = self.input.variables.get(name);
                if given.is_some()
                    && let Some((_, span)) = &variable.deprecated
                {
                    self.warn_of_deprecated(variable, *span);
                }
                match super::variable::root_value(self.input.config, name, variable, given) {
                    Ok(value) => value,
                    Err(_) if given.is_some_and(|given| is_invented(&given.value)) => {
                        let place = given.and_then(|given| given.span).unwrap_or(variable.header);
                        self.push_undecided_value(place, &[]);
                        Some(invented_value(variable))
                    }
                    Err(error) => {
                        self.found.push(Severity::Error, *error);
                        return;
                    }
                }
            }
        };
        let value = value.unwrap_or_else(|| without_value(variable)).with_marks(marks);
        self.world.instances[at].variables.insert(name.clone(), value);
    }

    /// Says at a place that the value of a variable is not wanted any more.
    pub(crate) fn warn_of_deprecated(&mut self, variable: &objchange_hcl::VariableConfig, place: Span) {
        let Some((why, declared)) = &variable.deprecated else { return };
        let warning = Diagnostic::warning("Deprecated variable got a value", place, why.clone());
        let context = (place == *declared).then(|| variable.header.to(place));
        self.found.push(Severity::Warning, Diagnostic { context, ..warning });
    }

    pub(crate) fn validation(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        name: &SmolStr,
        variable: &objchange_hcl::VariableConfig,
    ) {
        let module = self.graph.nodes[index].module;
        // A rule that fails is reported where a file gives the value, else at the declaration or the argument.
        let given = self.input.variables.get(name).filter(|_| module == 0);
        let in_file = given.filter(|given| given.origin.is_empty()).and_then(|given| given.span);
        let reported =
            in_file.or_else(|| super::variable::reported_at(self.input.config, module, name, variable));
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        let is_shown = variable.sensitive && module == 0 && !since(self.input.options.version, "1.15");
        let subjects = &self.graph.nodes[index].subjects;
        let unmarked = is_shown.then(|| self.world.variables_with_unmarked(self.graph, at, subjects, name));
        let unmarked = unmarked.as_ref().map(Scope::new);
        let owner = ConditionOwner {
            kind: CheckKind::InputVariable,
            module: self.world.instances[at].address.clone(),
            name: name.to_string(),
            key: None,
        };
        let mut statuses = Vec::new();
        let mut problems = Vec::new();
        for rule in &variable.validations {
            let judged = judge_validation(rule, &scope, unmarked.as_ref(), self.functions);
            let found = super::variable::judged(self.input.config, rule, &scope, &judged, reported, &owner);
            self.found.append(found);
            if judged.is_undecided {
                self.push_undecided(rule, &scope, Some(&owner));
            }
            statuses.push(judged.status);
            problems.extend(judged.problem);
        }
        // A destroy plan has no results of rules, although failing rules are errors.
        if self.input.options.mode != PlanMode::Destroy {
            self.checks.instance(CheckKind::InputVariable, &owner.module, name, None, &statuses, problems);
        }
    }
}
