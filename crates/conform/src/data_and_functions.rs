//! Checks data sources and functions.

use objchange::Value;
use objchange::change::{PlanViolation, assert_plan_valid};
use objchange::value::Path;
use objchange_provider::{Component, ErrorKind, Function, FunctionAnswer, Provider, ProviderExt, Result};

use super::flow::{Flow, no_answer};
use super::objects::{first_difference, unsound};
use super::secrets::Provenance;
use super::{Clause, Finding, FindingSeverity, Judgement};
use objchange_explain::sentences::NULL_OBJECT;

/// Reads a data source with a wholly known configuration.
///
/// # Errors
///
/// The configuration does not fit the schema, or the provider has no such data source.
pub async fn judge_data(provider: &dyn Provider, type_name: &str, config: &Value) -> Result<Judgement> {
    data(provider, type_name, (config, Provenance::default())).await
}

/// Like [`judge_data`], for a configuration of this origin.
pub(super) async fn data(
    provider: &dyn Provider,
    type_name: &str,
    config: (&Value, Provenance),
) -> Result<Judgement> {
    let schemas = provider.schemas().await?;
    let subject = (Component::DataSource, type_name);
    let (mut flow, config) = match Flow::begin(provider, &schemas, subject, config).await? {
        Ok(begun) => begun,
        Err(judgement) => return Ok(judgement),
    };
    // Terraform reads no data source while a part of its configuration is unknown.
    if config.is_wholly_known() {
        flow.read_data(&config).await;
    }
    Ok(flow.judgement)
}

impl Flow<'_> {
    async fn read_data(&mut self, config: &Value) -> Option<()> {
        let mut objects = Vec::new();
        for _ in 0..2 {
            let answer = self.provider.read_data(self.type_name, config).await;
            let answer = self.answer_or_finding(answer, Clause::D1)?;
            if self.refuses(&answer.diagnostics) || !self.is_decided(answer.deferred.is_some()) {
                return None;
            }
            let Some(object) = answer.object.filter(|object| !object.is_null()) else {
                let message = "the data source answers with no object";
                let finding = Finding::new(Clause::D2, "null_object", Path::root(), message);
                self.add_finding(finding.with_terraform_text(NULL_OBJECT));
                return None;
            };
            self.learn(&object);
            let found = unsound(self.block, &object, [Clause::D3, Clause::D1, Clause::D3]);
            if !found.is_empty() {
                for finding in found {
                    let is_unknown = finding.kind == "unknown";
                    // Terraform says of an unknown part that the provider `produced a value … that is not wholly
                    // known`.
                    let words = finding.terraform.clone().filter(|_| !is_unknown);
                    let words = words.or_else(|| is_unknown.then(|| "that is not wholly known".into()));
                    self.add_finding(Finding { terraform: words, ..finding });
                }
                return None;
            }
            objects.push(object);
        }
        if !objects[0].identical(&objects[1]) {
            let [was, is] = [0, 1].map(|i| self.block.mark_hidden(&objects[i]));
            let path = first_difference(&was, &is).unwrap_or_default();
            let message = "asked the same once more, the data source answers something else";
            self.add_finding(Finding::new(Clause::D5, "not_the_same", path, message));
        }
        // Terraform 1.11.4 does not compare a data source with its configuration. It compares planned objects like this.
        let (object, marked) = (self.block.mark_hidden(&objects[0]), self.block.mark_hidden(config));
        let nothing = Value::null(self.block.implied_type().clone());
        for invalid in assert_plan_valid(self.block, &nothing, config, &objects[0]) {
            let mut finding =
                Finding::from_plan(self.block, &PlanViolation::Invalid(invalid), &marked, &object, false);
            (finding.clause, finding.severity, finding.terraform) =
                (Clause::D4, FindingSeverity::Unnoticed, None);
            self.add_finding(finding);
        }
        Some(())
    }
}

/// Calls a function twice with the same known arguments, then with null and unknown arguments if its parameters allow
/// them.
///
/// # Errors
///
/// The provider has no such function.
pub async fn judge_function(provider: &dyn Provider, name: &str, arguments: &[Value]) -> Result<Judgement> {
    let schemas = provider.schemas().await?;
    let mut judgement = Judgement::default();
    let unknown = || ErrorKind::UnknownName { what: "function", name: name.to_owned() };
    let function = schemas.functions.get(name).ok_or_else(unknown)?;
    let called = async |arguments: &[Value]| match provider.call_function(name, arguments).await {
        Ok(answer) => result(function, answer, arguments),
        Err(error) => Err(Box::new(no_answer(&error, Clause::N1, &function.returns))),
    };
    let mut results = Vec::new();
    for _ in 0..2 {
        match called(arguments).await {
            Ok(Some(result)) => results.push(result),
            // A function may refuse arguments. That is an answer, not a fault.
            Ok(None) => return Ok(judgement),
            Err(finding) => {
                judgement.findings.push(*finding);
                return Ok(judgement);
            }
        }
    }
    if !results[0].identical(&results[1]) {
        let message = "the function returns something else for the same arguments";
        judgement.findings.push(Finding::new(Clause::N3, "impure", Path::root(), message));
    }
    for (position, argument) in arguments.iter().enumerate() {
        let Some(parameter) = function.parameter(position) else { continue };
        // Terraform calls a function with null or unknown arguments only where the parameter has `allow_null_value` or
        // `allow_unknown_values`.
        let null = parameter.allow_null.then(|| Value::null(argument.ty().clone()));
        let unknown = parameter.allow_unknown.then(|| Value::unknown(argument.ty().clone()));
        for other in [null, unknown].into_iter().flatten() {
            let mut arguments = arguments.to_vec();
            arguments[position] = other;
            if let Err(finding) = called(&arguments).await {
                judgement.findings.push(*finding);
                return Ok(judgement);
            }
        }
    }
    Ok(judgement)
}

/// The function's result; `None` if the function refuses the arguments.
fn result(
    function: &Function,
    answer: FunctionAnswer,
    arguments: &[Value],
) -> Result<Option<Value>, Box<Finding>> {
    let found =
        |clause, kind, message: &str| Err(Box::new(Finding::new(clause, kind, Path::root(), message)));
    match answer {
        FunctionAnswer::Error { argument: Some(position), .. }
            if usize::try_from(position).is_ok_and(|position| position < arguments.len()) =>
        {
            Ok(None)
        }
        FunctionAnswer::Error { argument: Some(position), .. } => {
            let message = format!("the function blames argument {position}, and has {}", arguments.len());
            Err(Box::new(Finding::new(Clause::N2, "no_such_argument", Path::root(), message)))
        }
        FunctionAnswer::Error { .. } => Ok(None),
        // Terraform 1.11.4 treats this as null, without an error.
        FunctionAnswer::Result(None) => {
            found(Clause::N2, "no_result", "the function returns neither a result nor an error")
        }
        FunctionAnswer::Result(Some(result)) if !result.ty().conforms_to(&function.returns) => {
            found(Clause::N1, "wrong_type", "the result is not of the type that the function returns")
        }
        FunctionAnswer::Result(Some(result))
            if !result.is_wholly_known() && arguments.iter().all(Value::is_wholly_known) =>
        {
            found(Clause::N4, "unknown", "all arguments are known, and the result is not")
        }
        FunctionAnswer::Result(Some(result)) => Ok(Some(result)),
    }
}
