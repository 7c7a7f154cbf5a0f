//! The values of variables, and what their validation rules say of them.

use objchange::Value;
use objchange::address::ModuleAddress;
use objchange::value::Marks;
use objchange_hcl::{Condition, Diagnostic, DiagnosticExt, Expr, ModuleCall, Scope, Span, VariableConfig};
use smol_str::SmolStr;

use super::CheckStatus;
use super::conditions::{Judged, VALIDATION};
use super::input::{GivenVariable, PlanInput};
use crate::config::{Config, ModuleId};
use crate::{Diagnostics, NOWHERE, Severity};

/// The marks that the declaration of a variable puts on its value.
pub(crate) fn marks(variable: &VariableConfig) -> Marks {
    let sensitive = if variable.sensitive { Marks::SENSITIVE } else { Marks::NONE };
    let ephemeral = if variable.ephemeral { Marks::EPHEMERAL } else { Marks::NONE };
    sensitive | ephemeral
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
        let place = place_in_words(input.config, variable.header);
        let detail =
            format!("The given value is not suitable for {module}.var.{name} {verb} at {place}: {reason}.");
        Box::new(Diagnostic::new(summary, argument.span, detail))
    };
    let converted = match &variable.ty {
        None => value.clone(),
        Some(ty) => ty.convert(value).map_err(|wrong| {
            error("Invalid value for input variable", "declared", &wrong.kind.to_string())
        })?,
    };
    or_default(variable, converted).ok_or_else(|| {
        error("Required variable not set", "defined", "required variable may not be set to null")
    })
}

/// The value of a variable of the root module, without the marks of its declaration.
pub(crate) fn root_value(
    name: &SmolStr,
    variable: &VariableConfig,
    given: Option<&GivenVariable>,
) -> Result<Option<Value>, Box<Diagnostic>> {
    let Some(given) = given else { return Ok(variable.default.clone()) };
    let error = |summary: &'static str, reason: &str| {
        let detail = format!("Unsuitable value for var.{name} {}: {reason}.", given.origin);
        Box::new(Diagnostic::new(summary, variable.header, detail))
    };
    let converted = match &variable.ty {
        None => given.value.clone(),
        Some(ty) => ty
            .convert(&given.value)
            .map_err(|wrong| error("Invalid value for input variable", &wrong.kind.to_string()))?,
    };
    or_default(variable, converted)
        .map(Some)
        .ok_or_else(|| error("Required variable not set", "required variable may not be set to null"))
}

/// Where null is no value, the default; `None` where there is none.
fn or_default(variable: &VariableConfig, value: Value) -> Option<Value> {
    if variable.nullable {
        return Some(value);
    }
    match value.is_null() {
        true => variable.default.clone(),
        false => Some(objchange_hcl::not_null(value)),
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

/// What people read of a rule that was judged.
pub(crate) fn judged(
    config: &Config,
    rule: &Condition,
    scope: &Scope<'_>,
    judged: &Judged,
    reported: Option<Span>,
) -> Diagnostics {
    let mut found = Diagnostics::default();
    found.errors(judged.errors.iter().cloned());
    if judged.status == CheckStatus::Fail {
        let message = judged.message.as_deref().unwrap_or_default();
        let place = place_in_words(config, rule.header);
        let detail = format!("{message}\n\nThis was checked by the validation rule at {place}.");
        let diagnostic =
            Diagnostic::new(VALIDATION.failed, rule.condition.span, detail).explained(&rule.condition, scope);
        found.push(Severity::Error, Diagnostic { subject: reported.or(Some(NOWHERE)), ..diagnostic });
    }
    found
}
