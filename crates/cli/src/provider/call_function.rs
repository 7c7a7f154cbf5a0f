//! `objchange provider call-function`.

use std::io::Write;
use std::process::ExitCode;

use objchange::{Type, Value};
use objchange_project::resource::most_similar;
use objchange_provider::client::Children;
use objchange_provider::{FunctionAnswer, ProviderExt};
use objchange_text::visible_json;

use super::hidden::Hidden;
use super::session::{Failure, Session, Target};
use crate::exit;

/// Call a provider function; prints the result as JSON
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    target: Target,

    /// The function
    function: String,

    /// Its arguments, each a value in JSON
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    arguments: Vec<String>,
}

pub(super) async fn run(args: &Args, children: &Children, hidden: &Hidden) -> Result<ExitCode, Failure> {
    let session = Session::start(&args.target, children, hidden).await?;
    let schemas = session.schemas.clone();
    let functions = &schemas.functions;
    let function = functions.get(args.function.as_str()).ok_or_else(|| {
        let similar = most_similar(&args.function, functions.keys().map(AsRef::as_ref));
        let hint = if similar.is_empty() {
            String::new()
        } else {
            format!("; did you mean {}?", similar.join(" or "))
        };
        Failure::Unusable(format!("the provider has no function {:?}{hint}", args.function))
    })?;
    let (fewest, has_more) = (function.parameters.len(), function.variadic.is_some());
    if args.arguments.len() < fewest || args.arguments.len() > fewest && !has_more {
        let count = if has_more { format!("{fewest} or more") } else { fewest.to_string() };
        let given = args.arguments.len();
        return Err(Failure::Unusable(format!(
            "the function takes {count} arguments, and {given} are given"
        )));
    }
    let mut arguments = Vec::new();
    for (i, text) in args.arguments.iter().enumerate() {
        let parameter = function.parameter(i);
        let place =
            |problem: &dyn std::fmt::Display| Failure::Unusable(format!("argument {}: {problem}", i + 1));
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
    let answer = session.ask().call_function(&args.function, &plain).await?;
    session.end().await?;
    match answer {
        FunctionAnswer::Result(Some(result)) => {
            // What comes of a secret is one.
            let result = if is_secret { result.sensitive() } else { result };
            let json =
                result.to_redacted_json(&function.returns).or_else(|_| result.to_redacted_json(result.ty()));
            let json = json.map_err(|error| Failure::Unusable(error.to_string()))?;
            writeln!(std::io::stdout().lock(), "{}", visible_json(&json))?;
            Ok(ExitCode::SUCCESS)
        }
        FunctionAnswer::Result(None) => {
            exit::complain("the function returns neither a result nor an error")?;
            Ok(ExitCode::from(exit::FAILED))
        }
        FunctionAnswer::Error { text, argument } => {
            let place = argument.map(|i| format!("argument {}: ", i + 1)).unwrap_or_default();
            exit::complain(&hidden.relay(&format!("{place}{text}")))?;
            Ok(ExitCode::from(exit::FAILED))
        }
    }
}
