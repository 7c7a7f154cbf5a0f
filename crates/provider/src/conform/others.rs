//! What is no managed resource: data sources and functions.

use objchange::Value;
use objchange::change::{PlanViolation, Severity, assert_plan_valid};
use objchange::value::Path;

use super::flow::no_answer;
use super::objects::unsound;
use super::{Clause, Finding, Judgement, Weight};
use crate::{Component, Error, ErrorKind, FunctionAnswer, Provider, Result};

/// Reads a data source with a configuration, all of which is known.
///
/// # Errors
///
/// The configuration does not fit the schema, or the provider has no such data source.
pub async fn judge_data(provider: &dyn Provider, type_name: &str, config: &Value) -> Result<Judgement> {
    let (schemas, mut judgement) = (provider.schemas().await?, Judgement::default());
    let name = || ErrorKind::UnknownName { what: Component::DataSource.noun(), name: type_name.to_owned() };
    let block = schemas.block(Component::DataSource, type_name).ok_or_else(name)?;
    let bad = |error| Error::from(ErrorKind::Malformed { field: "config", reason: format!("{error}") });
    let config = block.coerce_value(config).map_err(bad)?;
    let validated = provider.validate(Component::DataSource, type_name, &config).await;
    let answer = match validated {
        Ok(diagnostics) if diagnostics.iter().any(|d| d.severity == Severity::Error) => {
            judgement.refused = diagnostics;
            return Ok(judgement);
        }
        Ok(_) => provider.read_data(type_name, &config).await,
        Err(error) => Err(error),
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            judgement.findings.push(no_answer(&error, Clause::D1));
            return Ok(judgement);
        }
    };
    if answer.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        judgement.refused = answer.diagnostics;
        return Ok(judgement);
    }
    let Some(object) = answer.object.filter(|object| !object.is_null()) else {
        let message = "the data source answers with no object";
        judgement.findings.push(Finding::new(Clause::D2, "null_object", Path::root(), message));
        return Ok(judgement);
    };
    judgement.findings = unsound(block, &object, [Clause::D3, Clause::D1, Clause::D3]);
    if judgement.findings.is_empty() {
        // Terraform does not hold a data source to its configuration, and what it plans is held to it in this way.
        let nothing = Value::null(block.implied_type().clone());
        for invalid in assert_plan_valid(block, &nothing, &config, &object) {
            let mut finding = Finding::of_plan(&PlanViolation::Invalid(invalid), &config, &object, false);
            (finding.clause, finding.weight, finding.terraform) = (Clause::D4, Weight::Unnoticed, None);
            judgement.findings.push(finding);
        }
    }
    Ok(judgement)
}

/// Calls a function twice with the same arguments, all of them known.
///
/// # Errors
///
/// The provider has no such function.
pub async fn judge_function(provider: &dyn Provider, name: &str, arguments: &[Value]) -> Result<Judgement> {
    let (schemas, mut judgement) = (provider.schemas().await?, Judgement::default());
    let unknown = || ErrorKind::UnknownName { what: "function", name: name.to_owned() };
    let function = schemas.functions.get(name).ok_or_else(unknown)?;
    let mut results = Vec::new();
    for _ in 0..2 {
        let found = |clause, kind, message: &str| Finding::new(clause, kind, Path::root(), message);
        let finding = match provider.call_function(name, arguments).await {
            Err(error) => no_answer(&error, Clause::N1),
            // That it may not be called so is for it to say.
            Ok(FunctionAnswer::Error { .. }) => return Ok(judgement),
            Ok(FunctionAnswer::Result(None)) => {
                found(Clause::N2, "no_result", "the function returns neither a result nor an error")
            }
            Ok(FunctionAnswer::Result(Some(result))) if !result.ty().conforms_to(&function.returns) => {
                found(Clause::N1, "wrong_type", "the result is not of the type that the function returns")
            }
            Ok(FunctionAnswer::Result(Some(result))) => {
                results.push(result);
                continue;
            }
        };
        judgement.findings.push(finding);
        return Ok(judgement);
    }
    if results[0] != results[1] {
        let message = "the function returns something else for the same arguments";
        judgement.findings.push(Finding::new(Clause::N3, "impure", Path::root(), message));
    }
    Ok(judgement)
}
