//! Evaluates calls: collects the arguments and converts them to the types of the parameters.

use objchange::value::Kind;
use objchange::{Type, Value};
use objchange_text::Span;

use super::{Evaluator, Failed, Scope, dynamic};
use crate::function::{Capability, Form, Function};
use crate::suggestion::did_you_mean;
use crate::syntax::ast::{Call, Expr};
use crate::walk::makes_sensitive;

pub(super) const INVALID: &str = "Invalid function argument";
pub(super) const FAILED: &str = "Error in function call";
const TOO_FEW: &str = "Not enough function arguments";
pub(super) const TOO_MANY: &str = "Too many function arguments";
const EXPANDING: &str = "Invalid expanding argument value";

/// An argument, with the place for its errors.
pub(super) enum Argument<'c> {
    Written(&'c Expr),
    /// An element of the expanded last argument.
    Expanded(Value, Span),
}

impl Argument<'_> {
    pub(super) fn place(&self) -> Span {
        match self {
            Self::Written(expr) => expr.start(),
            Self::Expanded(_, span) => *span,
        }
    }
}

/// The error for a template function that a template calls.
pub(super) fn recursive(name: &str) -> String {
    format!("cannot recursively call {name} from inside another template function")
}

impl Evaluator<'_> {
    pub(super) fn call(&mut self, call: &Call, scope: &Scope<'_>) -> Value {
        if let Some(form) = Form::named(&call.name)
            && !self.functions.is_bare()
            && !(form == Form::Convert && self.functions.lacks_convert())
        {
            let errors = self.errors();
            let value = self.form(form, call, scope);
            self.name_call(errors, || form.called(&call.name));
            return value;
        }
        let Some(function) = self.functions.get(&call.name) else {
            let (summary, detail) = self.unknown_function(&call.name);
            // Terraform does not evaluate the arguments of an unknown function, so only this error is reported.
            self.report(summary, call.name_span, detail);
            return dynamic();
        };
        let errors = self.errors();
        let value = self.call_function(function, call, scope);
        self.name_call(errors, || function.called(&call.name));
        value
    }

    /// Adds the signature to the errors that are about this call.
    fn name_call(&mut self, errors: usize, called: impl Fn() -> objchange_text::FunctionSignature) {
        if self.failed_since(errors) {
            let own = [INVALID, FAILED, TOO_FEW, TOO_MANY, EXPANDING];
            // Errors inside of an argument may come from inner calls, which have their signatures already.
            let found = self.diagnostics[errors..].iter_mut();
            let found = found.filter(|error| error.called.is_none() && own.contains(&&*error.summary));
            found.for_each(|error| error.called = Some(Box::new(called())));
        }
    }

    /// The summary and detail for an unknown function.
    fn unknown_function(&self, name: &str) -> (&'static str, String) {
        let of_provider = |detail| ("Unknown provider function", detail);
        match name.split_once("::").filter(|_| self.functions.has_providers()) {
            // Test files have no provider requirements of a module, so that a namespace is looked up as it is written.
            None if name.contains("::") => {
                let (namespace, own) = name.rsplit_once("::").unwrap_or(("", name));
                let prefix = format!("{namespace}::");
                let has_functions =
                    namespace == "core" || self.functions.names().any(|name| name.starts_with(&prefix));
                let detail = match has_functions {
                    true => format!("There is no function named {own:?} in namespace {prefix}."),
                    false => format!("There are no functions in namespace \"{prefix}\"."),
                };
                ("Call to unknown function", detail)
            }
            None => {
                // Sorted, so that equally similar names give one suggestion.
                let mut names: Vec<&str> = self.functions.names().collect();
                names.sort_unstable();
                let hint = did_you_mean(name, names);
                ("Call to unknown function", format!("There is no function named {name:?}.{hint}"))
            }
            Some(("provider", rest)) => match rest.split_once("::") {
                None => of_provider(
                    "The function call must include the provider name after the \"provider::\" prefix."
                        .to_owned(),
                ),
                Some((provider, function)) => {
                    let namespace = format!("provider::{provider}::");
                    of_provider(match self.functions.names().any(|name| name.starts_with(&namespace)) {
                        true => {
                            format!(
                                "The function {function:?} is not available from the provider {provider:?}."
                            )
                        }
                        false => format!(
                            "There is no function named {name:?}. Ensure that provider name {provider:?} is declared in this \
                             module's required_providers block, and that this provider offers a function named {function:?}."
                        ),
                    })
                }
            },
            Some((namespace, _)) => of_provider(format!(
                "The function namespace {namespace:?} is not valid. Provider function calls must use the \"provider::\" namespace \
                 prefix."
            )),
        }
    }

    fn call_function(&mut self, function: &Function, call: &Call, scope: &Scope<'_>) -> Value {
        if function.reach() > self.reach {
            let name = &call.name;
            let message = match function.reach() {
                Capability::Templates => recursive(name),
                _ => format!(
                    "cannot use filesystem access functions like {name} in templatestring templates; consider passing \
                     the function result as a template variable instead"
                ),
            };
            self.call_error(call, None, &message);
            return dynamic();
        }
        let Ok(Some(arguments)) = self.arguments(call, scope) else { return dynamic() };
        let most = function.variadic_parameter().map_or(Some(function.parameters().len()), |_| None);
        let names: Vec<&str> = function.parameters().iter().map(|parameter| &*parameter.name).collect();
        if self.check_count(call, &arguments, &names, most).is_err() {
            return dynamic();
        }
        let errors = self.errors();
        // An error in what is to become a secret may quote it.
        let around = self.hides;
        self.hides |= makes_sensitive(&call.name);
        let values: Vec<Value> = arguments
            .iter()
            .enumerate()
            .filter_map(|(i, argument)| self.argument(function, i, argument, scope).ok())
            .collect();
        self.hides = around;
        // Once the budget is used up, nothing more is reported.
        if self.failed_since(errors) || values.len() < arguments.len() {
            return dynamic();
        }
        match function.call_with(values, &mut self.context) {
            Ok(value) => {
                // A text may be much longer than the arguments that it was made of, as with `format("%1000s", "")`.
                let is_paid = value.as_str().is_none_or(|text| self.spend_text(text, call.name_span));
                if is_paid { self.paid(value, call.name_span) } else { dynamic() }
            }
            Err(error) => {
                let argument = error.argument.and_then(|i| Some((i, arguments.get(i)?)));
                let named = argument.map(|(i, argument)| {
                    (function.parameter(i).map_or("", |parameter| parameter.name.as_str()), argument.place())
                });
                let errors = self.errors();
                self.call_error(call, named, &error.message);
                if let Some(kind) = error.refused {
                    self.diagnostics[errors..].iter_mut().for_each(|found| found.kind = kind.into());
                }
                dynamic()
            }
        }
    }

    /// Reports that a call fails, with the name of the argument that is to blame, if any.
    pub(super) fn call_error(&mut self, call: &Call, argument: Option<(&str, Span)>, message: &str) {
        match argument {
            Some((name, span)) => {
                self.error(INVALID, span, format!("Invalid value for {name:?} parameter: {message}."));
            }
            None => {
                let span = call.name_span.to(call.open);
                self.error(FAILED, span, format!("Call to function {:?} failed: {message}.", call.name));
            }
        }
    }

    fn argument(
        &mut self,
        function: &Function,
        position: usize,
        argument: &Argument<'_>,
        scope: &Scope<'_>,
    ) -> Result<Value, Failed> {
        let value = match argument {
            Argument::Written(expr) => self.value(expr, scope),
            Argument::Expanded(value, _) => value.clone(),
        };
        if function.reads(position, &value) && !self.pay_read(&value, argument.place()) {
            return Err(Failed);
        }
        // Converted first: an unknown of any type then has the parameter's type, and no call becomes dynamic for it.
        function.convert(position, &value).map_err(|error| {
            let name =
                function.parameter(position).map(|parameter| parameter.name.clone()).unwrap_or_default();
            let kind = error.kind;
            self.error(INVALID, argument.place(), format!("Invalid value for {name:?} parameter: {kind}."));
            Failed
        })
    }

    /// The arguments, with those of an expanded list one by one; `None` if it is unknown how many there are.
    pub(super) fn arguments<'c>(
        &mut self,
        call: &'c Call,
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<Argument<'c>>>, Failed> {
        let Some((last, others)) = call.arguments.split_last().filter(|_| call.expands) else {
            return Ok(Some(call.arguments.iter().map(Argument::Written).collect()));
        };
        let errors = self.errors();
        let list = self.value(last, scope);
        // `try(nope...)` fails, too: the list itself is evaluated before and outside of `try`.
        if self.failed_since(errors) {
            return Err(Failed);
        }
        if list.is_null() {
            let detail = "The expanding argument (indicated by ...) must not be null.";
            return self.failed(EXPANDING, last.span, detail);
        }
        let elements = match (list.ty(), list.kind()) {
            (Type::Dynamic, _) => return Ok(None),
            // HCL then answers with an unknown of unknown type, without marks and without a check of the count.
            (Type::List(_) | Type::Set(_) | Type::Tuple(_), Kind::Unknown(_)) => return Ok(None),
            (_, Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements)) => elements,
            _ => {
                let detail =
                    "The expanding argument (indicated by ...) must be of a tuple, list, or set type.";
                return self.failed(EXPANDING, last.span, detail);
            }
        };
        // HCL moves the marks of the list to each element.
        let marks = list.marks();
        let expanded = elements.iter().map(|element| super::marked(element, marks));
        let expanded = expanded.map(|element| Argument::Expanded(element, last.span));
        Ok(Some(others.iter().map(Argument::Written).chain(expanded).collect()))
    }

    pub(super) fn check_count(
        &mut self,
        call: &Call,
        arguments: &[Argument<'_>],
        names: &[&str],
        most: Option<usize>,
    ) -> Result<(), Failed> {
        let count = names.len();
        // Too few points to the closing parenthesis, too many to the first surplus argument.
        if let Some(missing) = names.get(arguments.len()) {
            let at_least = if most.is_none() { "at least " } else { "" };
            let detail = format!(
                "Function {:?} expects {at_least}{count} argument(s). Missing value for {missing:?}.",
                call.name
            );
            return self.failed(TOO_FEW, call.close, detail);
        }
        match most.and_then(|most| arguments.get(most)) {
            Some(extra) => {
                let detail = format!("Function {:?} expects only {count} argument(s).", call.name);
                self.failed(TOO_MANY, extra.place(), detail)
            }
            None => Ok(()),
        }
    }
}
