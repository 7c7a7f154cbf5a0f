//! Calls that are not functions, because they look at expressions: `try`, `can`, `convert` and
//! `templatestring`.

use objchange::value::{ConvertError, Kind, Marks};
use objchange::{Type, Value};
use objchange_text::{Diagnostic, FunctionSignature, LineIndex, Span};
use smol_str::SmolStr;

use super::call::{Argument, INVALID, recursive};
use super::{Evaluator, Failed, Scope, Variables, dynamic, unknown_not_null};
use crate::function::{CallContext, Capability, Form, Functions, not_null};
use crate::syntax::ast::{Call, Expr, ExprKind};
use crate::syntax::is_name;
use crate::syntax::parse_template;
use crate::walk::variables;

/// The maximum length of the list of failed attempts of `try`, in bytes. Later attempts are left out.
const MAX_TRIED: usize = 1 << 12;

impl Form {
    /// The names of its parameters, and how many arguments there may be.
    fn parameters(self) -> (&'static [&'static str], Option<usize>) {
        match self {
            Self::Try => (&[], None),
            Self::Can => (&["expression"], Some(1)),
            Self::Convert => (&["value", "type"], Some(2)),
            Self::TemplateString => (&["template", "vars"], Some(2)),
        }
    }

    /// The signature for errors about a call, with the types that Terraform states.
    pub(super) fn called(self, name: &str) -> FunctionSignature {
        const ANY: &str = "\"dynamic\"";
        let parameter = |name: &str| (name.to_owned(), ANY.to_owned());
        FunctionSignature {
            name: name.to_owned(),
            parameters: self.parameters().0.iter().copied().map(parameter).collect(),
            variadic: (self == Self::Try).then(|| parameter("expressions")),
            result: if self == Self::Can { "\"bool\"" } else { ANY }.to_owned(),
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
            (Form::TemplateString, [template, _]) => {
                let place = Some(("template", template.place()));
                self.call_error(call, place, &format!("invalid template expression: {NOT_A_REFERENCE}"));
                Err(Failed)
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

    /// The value of an argument, or its errors.
    fn attempt(&mut self, argument: &Argument<'_>, scope: &Scope<'_>) -> Result<Value, Vec<Diagnostic>> {
        match argument {
            Argument::Written(expr) => {
                let errors = self.errors();
                let value = self.value(expr, scope);
                let has_failed = self.failed_since(errors);
                let found = self.diagnostics.split_off(errors.min(self.diagnostics.len()));
                if has_failed { Err(found) } else { Ok(value) }
            }
            Argument::Expanded(value, _) => Ok(value.clone()),
        }
    }

    fn try_each(
        &mut self,
        call: &Call,
        arguments: &[Argument<'_>],
        scope: &Scope<'_>,
    ) -> Result<Value, Failed> {
        let mut message = "no expression succeeded:\n".to_owned();
        let mut marks = Marks::NONE;
        for argument in arguments {
            let tried = self.attempt(argument, scope);
            marks |= self.invented(argument, scope);
            match tried {
                // An unknown may turn into an error at apply, and then the next argument is the result.
                Ok(value) => {
                    let value = if value.is_wholly_known() { value } else { dynamic() };
                    return Ok(value.with_marks(marks));
                }
                // Each attempt may list many errors, so the message would grow without bound.
                Err(errors) if message.len() < MAX_TRIED => {
                    for Diagnostic { summary, detail, subject, .. } in errors {
                        let place = subject.and_then(|subject| self.place(subject));
                        let place = place.map_or_else(String::new, |place| format!(" (at {place})"));
                        message.push_str(&format!("- {summary}{place}\n  {detail}\n"));
                    }
                }
                Err(_) => {}
            }
        }
        message.push_str("\nAt least one expression must produce a successful result");
        let message = if arguments.is_empty() { "at least one argument is required" } else { &message };
        self.call_error(call, None, message);
        Err(Failed)
    }

    fn can(&mut self, argument: &Argument<'_>, scope: &Scope<'_>) -> Value {
        let result = match self.attempt(argument, scope) {
            Ok(value) if value.is_wholly_known() => Value::from(true),
            // HCL does not refine this to "not null".
            Ok(_) => Value::unknown(Type::Bool),
            Err(_) => Value::from(false),
        };
        result.with_marks(self.invented(argument, scope))
    }

    /// The mark of values that were made up, if an argument refers to any. Whether it fails depends on them.
    fn invented(&self, argument: &Argument<'_>, scope: &Scope<'_>) -> Marks {
        let is_invented =
            |value: &Value| value.contains_marked() && value.marks_deep().contains(Marks::INVENTED);
        let is_invented = match argument {
            Argument::Written(expr) => variables(expr)
                .iter()
                .any(|reference| reference.value_in(scope).is_some_and(|value| is_invented(&value))),
            Argument::Expanded(value, _) => is_invented(value),
        };
        if is_invented { Marks::INVENTED } else { Marks::NONE }
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
        // Terraform puts marks at any depth on the whole result.
        let (plain, marks) = value.unmark_deep();
        // Unlike `tonumber` and its siblings, `convert` does not check whether an unknown value could be converted, and
        // keeps no refinements, not even if the type is the same.
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
            self.call_error(call, None, &recursive(&call.name));
            return Err(Failed);
        }
        let (values, marks) = values.unmark_deep();
        // Terraform does not read the template either while its variables are unknown.
        if !has_failed && values.is_null() {
            self.call_error(call, Some(("vars", variables.place())), "argument must not be null");
            return Err(Failed);
        }
        if !has_failed && !values.is_known() {
            let unknown =
                if *values.ty() == Type::Dynamic { dynamic() } else { unknown_not_null(Type::String) };
            return Ok(unknown.with_marks(marks));
        }
        if !is_reference(template) {
            return refused(self, &format!("invalid template expression: {}", not_a_reference(template)));
        }
        let errors = self.errors();
        let text = self.value(template, scope);
        if self.failed_since(errors) {
            let found = self.diagnostics.split_off(errors.min(self.diagnostics.len()));
            let why = found.first().map(|error| format!("{}; {}", error.summary, error.detail));
            return refused(self, &format!("invalid template expression: {}", why.unwrap_or_default()));
        }
        // The template argument is not converted: Terraform refuses numbers and bools, too.
        if text.as_str().is_none() && text.is_known() {
            return refused(self, "invalid template value: a string is required");
        }
        if has_failed {
            return Err(Failed);
        }
        let marks = marks | text.marks();
        let Some(source) = text.as_str() else {
            return Ok(unknown_not_null(Type::String).with_marks(marks));
        };
        if !self.spend_text(source, place) {
            return Err(Failed);
        }
        let parsed = match Template::parse("<templatestring argument>", source) {
            Ok(parsed) => parsed,
            // The message would quote the template.
            Err(_) if !marks.is_empty() => return refused(self, "invalid template, and it is sensitive why"),
            Err(why) => return refused(self, &format!("invalid template: {why}")),
        };
        let rendered = parsed.render(&values, self.functions, Capability::Arguments, &mut self.context);
        let rendered = rendered.and_then(|value| {
            let wrong =
                |error: ConvertError| RenderError::Failed(format!("invalid template result: {}", error.kind));
            value.convert(&Type::String).map_err(wrong)
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
    /// The variables are not a map or object, or lack one that the template uses.
    Variables(String),
    /// An error in the template.
    Failed(String),
}

impl RenderError {
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Variables(message) | Self::Failed(message) => message,
        }
    }
}

/// A template that is read while expressions are evaluated.
pub(crate) struct Template<'t> {
    /// The name of its file.
    name: &'t str,
    text: &'t str,
    expr: Expr,
}

impl<'t> Template<'t> {
    /// Parses a template.
    pub(crate) fn parse(name: &'t str, text: &'t str) -> Result<Self, String> {
        match parse_template(text) {
            Ok(expr) => Ok(Self { name, text, expr }),
            Err(errors) => Err(in_one_sentence(name, text, &errors)),
        }
    }

    /// Renders the template with the elements of a map or the attributes of an object as variables. The caller's budget
    /// pays.
    pub(crate) fn render(
        &self,
        values: &Value,
        functions: &Functions,
        reach: Capability,
        context: &mut CallContext,
    ) -> Result<Value, RenderError> {
        let entries: Vec<(SmolStr, Value)> = match values.kind() {
            Kind::Map(map) => map.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
            Kind::Object(object) => {
                object.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
            }
            Kind::Unknown(_) if matches!(values.ty(), Type::Map(_) | Type::Object(_)) => {
                return Ok(unknown_not_null(Type::String));
            }
            _ => return Err(RenderError::Variables("invalid vars value: must be a map".into())),
        };
        if let Some((name, _)) = entries.iter().find(|(name, _)| !is_name(name)) {
            return Err(RenderError::Variables(format!(
                "invalid template variable name {name:?}: must start with a letter, followed by zero or more letters, \
                 digits, and underscores"
            )));
        }
        let variables: Variables = entries.into_iter().collect();
        let needed = crate::walk::variables(&self.expr);
        // Terraform looks for all variables before it renders: one that is missing is an error of `vars`, even in a
        // branch that is never taken (Terraform 1.11.4).
        if let Some(missing) = needed.iter().find(|needed| variables.get(needed.name).is_none()) {
            return Err(RenderError::Variables(format!(
                "vars map does not contain key {:?}, referenced at {}",
                missing.name,
                place(self.name, self.text, missing.whole())
            )));
        }
        let context_of_template = std::mem::take(context);
        let template = Some((self.name, self.text));
        let mut evaluator =
            Evaluator { reach, template, context: context_of_template, ..Evaluator::new(functions) };
        let value = evaluator.value(&self.expr, &Scope::new(&variables));
        *context = std::mem::take(&mut evaluator.context);
        if evaluator.exhausted_at.is_some() {
            context.steps_left = 0;
        }
        let mut errors = evaluator.into_diagnostics();
        if errors.is_empty() && value.is_null() {
            let detail =
                "The result of the template is null, which is not a valid result for a templatestring call.";
            errors.push(Diagnostic::new("Template result is null", self.expr.span, detail));
        }
        match &errors[..] {
            [] => Ok(value),
            errors => Err(RenderError::Failed(in_one_sentence(self.name, self.text, errors))),
        }
    }
}

/// Joins the errors of a text of this name into one sentence, as Go's `hcl.Diagnostics.Error` does.
pub(crate) fn in_one_sentence(name: &str, text: &str, errors: &[Diagnostic]) -> String {
    let Some(first) = errors.first() else { return String::new() };
    let place = first.subject.map(|span| place(name, text, span)).unwrap_or_default();
    let first = format!("{place}: {}; {}", first.summary, first.detail);
    match errors.len() - 1 {
        0 => first,
        others => format!("{first}, and {others} other diagnostic(s)"),
    }
}

/// `main.tf:2,7-19`
pub(crate) fn place(name: &str, text: &str, span: Span) -> String {
    let lines = LineIndex::new(text);
    let [start, end] = [span.start, span.end].map(|at| lines.position(at));
    let end_line = if start.line == end.line { String::new() } else { format!("{},", end.line) };
    format!("{name}:{},{}-{end_line}{}", start.line, start.column, end.column)
}

const NOT_A_REFERENCE: &str = "must be a direct reference to a single string from elsewhere, containing valid Terraform template syntax";

/// The error for a `templatestring` argument that is not a reference.
fn not_a_reference(expr: &Expr) -> String {
    let advice = match &expr.kind {
        ExprKind::Text(_) => {
            ", and so does not support providing a literal template; consider using a template string expression instead"
        }
        ExprKind::Wrap(_) => {
            "; to treat the inner expression as template syntax, write the reference expression directly without any \
             template interpolation syntax"
        }
        ExprKind::Template(_) => {
            "; to render an inline template, consider using a plain template string expression"
        }
        _ => return NOT_A_REFERENCE.to_owned(),
    };
    format!("templatestring is only for rendering templates retrieved dynamically from elsewhere{advice}")
}

/// Whether this is a variable, or an index on one.
fn is_reference(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Variable(_) => true,
        ExprKind::Relative(relative) => is_reference(&relative.source),
        _ => false,
    }
}
