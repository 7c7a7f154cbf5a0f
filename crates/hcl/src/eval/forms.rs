//! Calls that are no functions, because they look at expressions: `try`, `can`, `convert` and `templatestring`.

use objchange::value::Kind;
use objchange::{Type, Value};
use smol_str::SmolStr;

use super::call::{Argument, INVALID};
use super::{Evaluator, Failed, Scope, Variables, dynamic, unknown_not_null};
use crate::function::{CallContext, Capability, Functions, not_null};
use crate::syntax::ast::{Call, Expr, ExprKind};
use crate::syntax::parse_template;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Try,
    Can,
    Convert,
    TemplateString,
}

impl Form {
    pub(super) fn named(name: &str) -> Option<Form> {
        Some(match name.strip_prefix("core::").unwrap_or(name) {
            "try" => Self::Try,
            "can" => Self::Can,
            "convert" => Self::Convert,
            "templatestring" => Self::TemplateString,
            _ => return None,
        })
    }

    /// The names of its parameters, and how many arguments there may be.
    fn parameters(self) -> (&'static [&'static str], Option<usize>) {
        match self {
            Self::Try => (&[], None),
            Self::Can => (&["expression"], Some(1)),
            Self::Convert => (&["value", "type"], Some(2)),
            Self::TemplateString => (&["template", "vars"], Some(2)),
        }
    }
}

impl Evaluator<'_> {
    pub(super) fn form(&mut self, form: Form, call: &Call, scope: &Scope<'_>) -> Value {
        let Ok(Some(arguments)) = self.arguments(call, scope) else { return dynamic() };
        let (names, most) = form.parameters();
        if self.check_count(call, &arguments, names, most).is_err() {
            return dynamic();
        }
        let result = match (form, &arguments[..]) {
            (Form::Try, arguments) => self.try_each(call, arguments, scope),
            (Form::Can, [argument]) => Ok(self.can(argument, scope)),
            (Form::Convert, [value, Argument::Written(ty)]) => self.convert(value, ty, scope),
            (Form::TemplateString, [Argument::Written(template), variables]) => {
                self.template_string(call, template, variables, scope)
            }
            (_, arguments) => {
                let place = arguments.last().map(Argument::place);
                self.call_error(
                    call,
                    place.map(|place| ("value", place)),
                    "this argument cannot be part of an expanded list",
                );
                Err(Failed)
            }
        };
        result.unwrap_or_else(|Failed| dynamic())
    }

    /// The value of an argument, if nothing is wrong with it; what is wrong is forgotten.
    fn attempt(&mut self, argument: &Argument<'_>, scope: &Scope<'_>) -> Option<Value> {
        match argument {
            Argument::Written(expr) => {
                let errors = self.errors();
                let value = self.value(expr, scope);
                let has_failed = self.failed_since(errors);
                self.diagnostics.truncate(errors);
                (!has_failed).then_some(value)
            }
            Argument::Expanded(value, _) => Some(value.clone()),
        }
    }

    fn try_each(
        &mut self,
        call: &Call,
        arguments: &[Argument<'_>],
        scope: &Scope<'_>,
    ) -> Result<Value, Failed> {
        for argument in arguments {
            if let Some(value) = self.attempt(argument, scope) {
                // What is not known yet may turn out to be an error, and then the next one counts.
                return Ok(if value.is_wholly_known() { value } else { dynamic() });
            }
        }
        self.call_error(call, None, "no expression succeeded");
        Err(Failed)
    }

    fn can(&mut self, argument: &Argument<'_>, scope: &Scope<'_>) -> Value {
        match self.attempt(argument, scope) {
            Some(value) if value.is_wholly_known() => Value::from(true),
            Some(_) => Value::unknown(Type::Bool),
            None => Value::from(false),
        }
    }

    fn convert(&mut self, value: &Argument<'_>, ty: &Expr, scope: &Scope<'_>) -> Result<Value, Failed> {
        let place = value.place();
        let errors = self.errors();
        let value = match value {
            Argument::Written(expr) => self.value(expr, scope),
            Argument::Expanded(value, _) => value.clone(),
        };
        if !self.pay_read(&value, place) {
            return Err(Failed);
        }
        let wanted = self.type_of(ty, scope)?;
        if self.failed_since(errors) {
            return Err(Failed);
        }
        let (plain, marks) = value.unmark_deep();
        if !plain.is_known() {
            return Ok(Value::unknown(wanted.ty().without_optional()).with_marks(marks));
        }
        match wanted.with_defaults(&plain).convert(wanted.ty()) {
            Ok(value) => Ok(value.with_marks(marks)),
            Err(error) => {
                let kind = error.kind;
                self.failed(INVALID, place, format!("Invalid value for \"value\" parameter: {kind}."))
            }
        }
    }

    fn template_string(
        &mut self,
        call: &Call,
        template: &Expr,
        variables: &Argument<'_>,
        scope: &Scope<'_>,
    ) -> Result<Value, Failed> {
        let place = template.start();
        let errors = self.errors();
        let values = match variables {
            Argument::Written(expr) => self.value(expr, scope),
            Argument::Expanded(value, _) => value.clone(),
        };
        let has_failed = self.failed_since(errors);
        let refused = |this: &mut Self, why: &str| {
            this.call_error(call, Some(("template", place)), why);
            Err(Failed)
        };
        if self.reach < Capability::Templates {
            self.call_error(call, None, "this function cannot be called from a template");
            return Err(Failed);
        }
        if !is_reference(template) {
            return refused(self, "a reference to a string is required, not an expression");
        }
        let errors = self.errors();
        let text = self.value(template, scope);
        if self.failed_since(errors) {
            self.diagnostics.truncate(errors);
            return refused(self, "this reference is invalid");
        }
        let is_text = text.as_str().is_some() || !text.is_known() && text.convert(&Type::String).is_ok();
        if !is_text {
            return refused(self, "a template is required, which is a string and not null");
        }
        if has_failed {
            return Err(Failed);
        }
        let (values, marks) = values.unmark_deep();
        let marks = marks | text.marks();
        if values.is_null() {
            let message = "the variables must be a map or an object, and not null";
            self.call_error(call, Some(("vars", variables.place())), message);
            return Err(Failed);
        }
        if *values.ty() == Type::Dynamic {
            return Ok(dynamic().with_marks(marks));
        }
        let unknown = || unknown_not_null(Type::String).with_marks(marks);
        if !values.is_known() {
            return Ok(unknown());
        }
        let Some(source) = text.as_str() else { return Ok(unknown()) };
        if !self.spend_text(source, place) {
            return Err(Failed);
        }
        let Ok(parsed) = parse_template(source) else { return refused(self, "the template is not valid") };
        let rendered = render(&parsed, &values, self.functions, Capability::Arguments, &mut self.context);
        let rendered = rendered.and_then(|value| {
            let text = if value.is_null() { None } else { value.convert(&Type::String).ok() };
            text.ok_or_else(|| RenderError::Failed("the template does not come to a string".into()))
        });
        match rendered {
            Ok(text) => Ok(not_null(text).with_marks(marks)),
            Err(error) => {
                let place = matches!(error, RenderError::Variables(_)).then(|| ("vars", variables.place()));
                let message = if marks.is_empty() { error.message() } else { "it is sensitive why" };
                self.call_error(call, place, message);
                Err(Failed)
            }
        }
    }
}

/// Why a template could not be rendered.
#[derive(Debug)]
pub(crate) enum RenderError {
    /// The variables are none, or lack one.
    Variables(String),
    /// What the template says is wrong.
    Failed(String),
}

impl RenderError {
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Variables(message) | Self::Failed(message) => message,
        }
    }
}

/// The value of a template with the elements of a map or the attributes of an object for its variables. It is paid for
/// with the steps of whoever asks.
pub(crate) fn render(
    template: &Expr,
    values: &Value,
    functions: &Functions,
    reach: Capability,
    context: &mut CallContext,
) -> Result<Value, RenderError> {
    let entries: Vec<(SmolStr, Value)> = match values.kind() {
        Kind::Map(map) => map.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        Kind::Object(object) => object.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        Kind::Unknown(_) if matches!(values.ty(), Type::Map(_) | Type::Object(_)) => {
            return Ok(unknown_not_null(Type::String));
        }
        _ => return Err(RenderError::Variables("the variables must be a map or an object".into())),
    };
    let wrong = |name: &SmolStr| {
        format!(
            "the name {name:?} is not valid: a letter must come first, then letters, digits and underscores"
        )
    };
    if let Some((name, _)) = entries.iter().find(|(name, _)| !is_name(name)) {
        return Err(RenderError::Variables(wrong(name)));
    }
    let variables: Variables = entries.into_iter().collect();
    let needed = crate::walk::variables(template);
    if let Some(missing) = needed.iter().find(|needed| variables.get(needed.name).is_none()) {
        return Err(RenderError::Variables(format!(
            "the template needs a variable named {:?}",
            missing.name
        )));
    }
    let context_of_template = std::mem::take(context);
    let mut evaluator = Evaluator { reach, context: context_of_template, ..Evaluator::new(functions) };
    let value = evaluator.value(template, &Scope::new(&variables));
    *context = std::mem::take(&mut evaluator.context);
    if evaluator.exhausted_at.is_some() {
        context.steps_left = 0;
    }
    match evaluator.into_diagnostics().first() {
        Some(error) => Err(RenderError::Failed(error.to_string())),
        None => Ok(value),
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| unicode_ident::is_xid_start(c) || c == '_')
        && chars.all(|c| unicode_ident::is_xid_continue(c) || c == '-')
}

/// Whether this is a variable, or an index on one.
fn is_reference(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Variable(_) => true,
        ExprKind::Relative(relative) => is_reference(&relative.source),
        _ => false,
    }
}
