//! Functions of a provider.

use objchange::{Type, Value};
use objchange_provider::{FunctionAnswer, ProviderExt};

use super::{Session, SessionError};
use crate::resource::most_similar;

/// The result of a function.
#[derive(Debug)]
pub enum FunctionResult {
    /// Its value as JSON, without secrets.
    Json(String),
    /// Why it has none, without secrets.
    Error(String),
}

/// Calls a function with arguments in JSON.
///
/// # Errors
///
/// There is no such function, it does not take these arguments, or the provider does not answer.
pub async fn call_function(
    session: &Session<'_>,
    name: &str,
    texts: &[String],
) -> Result<FunctionResult, SessionError> {
    let hidden = session.hidden;
    let schemas = session.schemas.clone();
    let functions = &schemas.functions;
    let function = functions.get(name).ok_or_else(|| {
        let similar = most_similar(name, functions.keys().map(AsRef::as_ref));
        let hint = if similar.is_empty() {
            String::new()
        } else {
            format!("; did you mean {}?", similar.join(" or "))
        };
        SessionError::request(format!("the provider has no function {name:?}{hint}"))
    })?;
    let (fewest, has_more) = (function.parameters.len(), function.variadic.is_some());
    if texts.len() < fewest || texts.len() > fewest && !has_more {
        let count = if has_more { format!("{fewest} or more") } else { fewest.to_string() };
        let given = texts.len();
        return Err(SessionError::request(format!(
            "the function takes {count} arguments, and {given} are given"
        )));
    }
    let mut arguments = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let parameter = function.parameter(i);
        let place =
            |problem: &dyn std::fmt::Display| SessionError::request(format!("argument {}: {problem}", i + 1));
        let ty = parameter.map_or(Type::Dynamic, |parameter| parameter.ty.clone());
        let value = Value::from_marker_json(text, &ty).map_err(|error| place(&error))?;
        hidden.learn_marked(&value);
        let plain = value.unmark_deep().0;
        // Terraform does not even ask then.
        if plain.is_null() && !parameter.is_some_and(|parameter| parameter.allow_null) {
            return Err(place(&"it must not be null"));
        }
        if !plain.is_wholly_known() && !parameter.is_some_and(|parameter| parameter.allow_unknown) {
            return Err(place(&"it must not be unknown"));
        }
        arguments.push(value);
    }
    let is_secret = arguments.iter().any(Value::contains_marked);
    let plain: Vec<Value> = arguments.iter().map(|value| value.unmark_deep().0).collect();
    let answer = session.ask().call_function(name, &plain).await?;
    Ok(match answer {
        FunctionAnswer::Result(Some(result)) => {
            // A result computed from a secret is a secret.
            let result = if is_secret { result.sensitive() } else { result };
            let json =
                result.to_redacted_json(&function.returns).or_else(|_| result.to_redacted_json(result.ty()));
            FunctionResult::Json(json.map_err(SessionError::no_json)?)
        }
        FunctionAnswer::Result(None) => {
            FunctionResult::Error("the function returns neither a result nor an error".to_owned())
        }
        FunctionAnswer::Error { text, argument } => {
            let place = argument.map(|i| format!("argument {}: ", i + 1)).unwrap_or_default();
            FunctionResult::Error(hidden.relay(&format!("{place}{text}")))
        }
    })
}
