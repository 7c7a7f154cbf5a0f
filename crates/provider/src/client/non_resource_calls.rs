//! Calls other than those about managed resources.

use std::time::SystemTime;

use objchange::change::{Diagnostic, PrivateData};
use objchange::{Type, Value};

use super::Client;
use crate::call::{ActionEvent, ActionPlan, Answer, FunctionAnswer, ListQuestion, Listed, Metadata, Opened};
use crate::wire::{
    Method, Protocol, client_capabilities, read_deferred, read_diagnostics, read_identity, read_metadata,
    read_metadata_5, read_value, tfplugin5 as pb5, tfplugin6 as pb, write_value,
};
use crate::{Component, ErrorKind, Result};

fn bytes(private: Option<&PrivateData>) -> Option<Vec<u8>> {
    private.map(|private| private.0.clone())
}

pub(super) async fn metadata(client: &Client) -> Result<Metadata> {
    match client.protocol {
        Protocol::V5 => {
            Ok(read_metadata_5(client.unary(Method::METADATA, pb5::get_metadata::Request {}).await?))
        }
        Protocol::V6 => {
            Ok(read_metadata(client.unary(Method::METADATA, pb::get_metadata::Request {}).await?))
        }
    }
}

pub(super) async fn configure(client: &Client, config: &Value) -> Result<Vec<Diagnostic>> {
    let ty = client.ty(Component::Provider, "").await?;
    let question = pb::configure_provider::Request {
        terraform_version: client.version.clone(),
        config: write_value("config", config, &ty)?,
        client_capabilities: client_capabilities(client.protocol, false),
    };
    let answer: pb::configure_provider::Response = client.unary(Method::CONFIGURE, question).await?;
    Ok(read_diagnostics(answer.diagnostics))
}

pub(super) async fn read_data(client: &Client, type_name: &str, config: &Value) -> Result<Answer> {
    let ty = client.ty(Component::DataSource, type_name).await?;
    let question = pb::read_data_source::Request {
        type_name: type_name.to_owned(),
        config: write_value("config", config, &ty)?,
        provider_meta: client.meta().await?,
        client_capabilities: client_capabilities(client.protocol, false),
    };
    let answer: pb::read_data_source::Response = client.unary(Method::READ_DATA, question).await?;
    Ok(Answer {
        object: read_value("state", answer.state, &ty)?,
        deferred: read_deferred(answer.deferred),
        diagnostics: read_diagnostics(answer.diagnostics),
        ..Answer::default()
    })
}

pub(super) async fn open(client: &Client, type_name: &str, config: &Value) -> Result<Opened> {
    let ty = client.ty(Component::EphemeralResource, type_name).await?;
    let question = pb::open_ephemeral_resource::Request {
        type_name: type_name.to_owned(),
        config: write_value("config", config, &ty)?,
        client_capabilities: client_capabilities(client.protocol, false),
    };
    let answer: pb::open_ephemeral_resource::Response = client.unary(Method::OPEN, question).await?;
    Ok(Opened {
        object: read_value("result", answer.result, &ty)?,
        renew_at: time(answer.renew_at)?,
        private: answer.private.map(PrivateData),
        deferred: read_deferred(answer.deferred),
        diagnostics: read_diagnostics(answer.diagnostics),
    })
}

pub(super) async fn renew(client: &Client, type_name: &str, private: Option<&PrivateData>) -> Result<Opened> {
    let question =
        pb::renew_ephemeral_resource::Request { type_name: type_name.to_owned(), private: bytes(private) };
    let answer: pb::renew_ephemeral_resource::Response = client.unary(Method::RENEW, question).await?;
    Ok(Opened {
        renew_at: time(answer.renew_at)?,
        private: answer.private.map(PrivateData),
        diagnostics: read_diagnostics(answer.diagnostics),
        ..Opened::default()
    })
}

pub(super) async fn close(
    client: &Client,
    type_name: &str,
    private: Option<&PrivateData>,
) -> Result<Vec<Diagnostic>> {
    let question =
        pb::close_ephemeral_resource::Request { type_name: type_name.to_owned(), private: bytes(private) };
    let answer: pb::close_ephemeral_resource::Response = client.unary(Method::CLOSE, question).await?;
    Ok(read_diagnostics(answer.diagnostics))
}

pub(super) async fn list(client: &Client, request: &ListQuestion) -> Result<Vec<Listed>> {
    let ty = client.ty(Component::ListResource, &request.type_name).await?;
    let question = pb::list_resource::Request {
        type_name: request.type_name.to_string(),
        config: write_value("config", &request.config, &ty)?,
        include_resource_object: request.include_objects,
        limit: request.limit,
    };
    // A list resource has the name of the resource type whose objects it lists.
    let object = client.ty(Component::Resource, &request.type_name).await.unwrap_or(Type::Dynamic);
    let identity = client.identity_type(&request.type_name).await?;
    let events: Vec<pb::list_resource::Event> = client.events(Method::LIST, question).await?;
    let listed = |event: pb::list_resource::Event| {
        Ok(Listed {
            identity: read_identity("identity", event.identity, identity)?,
            display_name: event.display_name,
            object: read_value("resource_object", event.resource_object, &object)?,
            diagnostics: read_diagnostics(event.diagnostic),
        })
    };
    events.into_iter().map(listed).collect()
}

pub(super) async fn call_function(
    client: &Client,
    name: &str,
    arguments: &[Value],
) -> Result<FunctionAnswer> {
    let unknown = || ErrorKind::UnknownName { what: "function", name: name.to_owned() };
    let function = client.known().await?.functions.get(name).ok_or_else(unknown)?;
    let argument = |(position, value): (usize, &Value)| match function.parameter(position) {
        Some(parameter) => write_value("arguments", value, &parameter.ty),
        // Additional arguments are sent too: the provider refuses them.
        None => write_value("arguments", value, value.ty()),
    };
    let written: Result<Vec<_>> = arguments.iter().enumerate().map(argument).collect();
    let question = pb::call_function::Request {
        name: name.to_owned(),
        arguments: written?.into_iter().flatten().collect(),
    };
    let answer: pb::call_function::Response = client.unary(Method::CALL_FUNCTION, question).await?;
    Ok(match answer.error {
        Some(error) => FunctionAnswer::Error { text: error.text, argument: error.function_argument },
        None => FunctionAnswer::Result(read_value("result", answer.result, &function.returns)?),
    })
}

pub(super) async fn plan_action(client: &Client, type_name: &str, config: &Value) -> Result<ActionPlan> {
    let ty = client.ty(Component::Action, type_name).await?;
    let question = pb::plan_action::Request {
        action_type: type_name.to_owned(),
        config: write_value("config", config, &ty)?,
        client_capabilities: client_capabilities(client.protocol, false),
    };
    let answer: pb::plan_action::Response = client.unary(Method::PLAN_ACTION, question).await?;
    let deferred = read_deferred(answer.deferred);
    Ok(ActionPlan { deferred, diagnostics: read_diagnostics(answer.diagnostics) })
}

pub(super) async fn invoke_action(
    client: &Client,
    type_name: &str,
    config: &Value,
) -> Result<Vec<ActionEvent>> {
    use pb::invoke_action::event::Type as Event;
    let ty = client.ty(Component::Action, type_name).await?;
    let question = pb::invoke_action::Request {
        action_type: type_name.to_owned(),
        config: write_value("config", config, &ty)?,
        client_capabilities: client_capabilities(client.protocol, false),
    };
    let events: Vec<pb::invoke_action::Event> = client.events(Method::INVOKE_ACTION, question).await?;
    let event = |event: pb::invoke_action::Event| match event.r#type? {
        Event::Progress(progress) => Some(ActionEvent::Progress(progress.message)),
        Event::Completed(done) => Some(ActionEvent::Completed(read_diagnostics(done.diagnostics))),
    };
    Ok(events.into_iter().filter_map(event).collect())
}

pub(super) async fn stop(client: &Client) -> Result<String> {
    let answer: pb::stop_provider::Response =
        client.unary(Method::STOP, pb::stop_provider::Request {}).await?;
    Ok(answer.error)
}

fn time(message: Option<prost_types::Timestamp>) -> Result<Option<SystemTime>> {
    let malformed =
        |_| ErrorKind::Malformed { field: "renew_at", reason: "this is not a time".into() }.into();
    message.map(|time| SystemTime::try_from(time).map_err(malformed)).transpose()
}
