//! Calls other than those about managed resources.

use objchange::change::PrivateData;
use objchange::{Type, Value};
use prost_types::Timestamp;

use super::router::CallContext;
use crate::call::{ActionEvent, FunctionAnswer, ListQuestion, Opened};
use crate::wire::{
    read_value_or_null, tfplugin6 as pb, write_answer, write_deferred, write_diagnostics, write_identity,
};
use crate::{Component, ErrorKind, ProviderExt, Result};

pub(super) async fn open(
    asked: CallContext,
    question: pb::open_ephemeral_resource::Request,
) -> Result<pb::open_ephemeral_resource::Response> {
    let ty = asked.ty(Component::EphemeralResource, &question.type_name)?;
    let config = read_value_or_null("config", question.config, &ty)?;
    let answer = asked.provider.open(&question.type_name, &config).await?;
    Ok(pb::open_ephemeral_resource::Response {
        diagnostics: write_diagnostics(&answer.diagnostics),
        renew_at: answer.renew_at.map(Timestamp::from),
        result: write_answer("result", answer.object.as_ref(), &ty)?,
        private: answer.private.map(|private| private.0),
        deferred: write_deferred(answer.deferred),
    })
}

pub(super) async fn renew(
    asked: CallContext,
    question: pb::renew_ephemeral_resource::Request,
) -> Result<pb::renew_ephemeral_resource::Response> {
    let private = question.private.map(PrivateData);
    let answer: Opened = asked.provider.renew(&question.type_name, private.as_ref()).await?;
    Ok(pb::renew_ephemeral_resource::Response {
        diagnostics: write_diagnostics(&answer.diagnostics),
        renew_at: answer.renew_at.map(Timestamp::from),
        private: answer.private.map(|private| private.0),
    })
}

pub(super) async fn close(
    asked: CallContext,
    question: pb::close_ephemeral_resource::Request,
) -> Result<pb::close_ephemeral_resource::Response> {
    let private = question.private.map(PrivateData);
    let diagnostics = asked.provider.close(&question.type_name, private.as_ref()).await?;
    Ok(pb::close_ephemeral_resource::Response { diagnostics: write_diagnostics(&diagnostics) })
}

pub(super) async fn list(
    asked: CallContext,
    question: pb::list_resource::Request,
) -> Result<Vec<pb::list_resource::Event>> {
    let ty = asked.ty(Component::ListResource, &question.type_name)?;
    let request = ListQuestion {
        config: read_value_or_null("config", question.config, &ty)?,
        include_objects: question.include_resource_object,
        limit: question.limit,
        type_name: question.type_name.into(),
    };
    let object = asked.ty(Component::Resource, &request.type_name).unwrap_or(Type::Dynamic);
    let identity = asked.schemas.identity(&request.type_name);
    let mut events = Vec::new();
    for listed in asked.provider.list(&request).await? {
        events.push(pb::list_resource::Event {
            identity: write_identity("identity", listed.identity.as_ref(), identity)?,
            display_name: listed.display_name,
            resource_object: write_answer("resource_object", listed.object.as_ref(), &object)?,
            diagnostic: write_diagnostics(&listed.diagnostics),
        });
    }
    Ok(events)
}

pub(super) async fn call_function(
    asked: CallContext,
    question: pb::call_function::Request,
) -> Result<pb::call_function::Response> {
    let unknown = || ErrorKind::UnknownName { what: "function", name: question.name.clone() };
    let function = asked.schemas.functions.get(question.name.as_str()).ok_or_else(unknown)?;
    let argument = |(position, message): (usize, pb::DynamicValue)| {
        let ty = function.parameter(position).map_or(&Type::Dynamic, |parameter| &parameter.ty);
        read_value_or_null("arguments", Some(message), ty)
    };
    let arguments: Result<Vec<Value>> = question.arguments.into_iter().enumerate().map(argument).collect();
    Ok(match asked.provider.call_function(&question.name, &arguments?).await? {
        FunctionAnswer::Result(value) => pb::call_function::Response {
            result: write_answer("result", value.as_ref(), &function.returns)?,
            error: None,
        },
        FunctionAnswer::Error { text, argument } => pb::call_function::Response {
            result: None,
            error: Some(pb::FunctionError { text, function_argument: argument }),
        },
    })
}

pub(super) async fn plan_action(
    asked: CallContext,
    question: pb::plan_action::Request,
) -> Result<pb::plan_action::Response> {
    let ty = asked.ty(Component::Action, &question.action_type)?;
    let config = read_value_or_null("config", question.config, &ty)?;
    let answer = asked.provider.plan_action(&question.action_type, &config).await?;
    Ok(pb::plan_action::Response {
        diagnostics: write_diagnostics(&answer.diagnostics),
        deferred: write_deferred(answer.deferred),
    })
}

pub(super) async fn invoke_action(
    asked: CallContext,
    question: pb::invoke_action::Request,
) -> Result<Vec<pb::invoke_action::Event>> {
    use pb::invoke_action::event::{Completed, Progress, Type as Event};
    let ty = asked.ty(Component::Action, &question.action_type)?;
    let config = read_value_or_null("config", question.config, &ty)?;
    let event = |event| {
        let event = match event {
            ActionEvent::Progress(message) => Event::Progress(Progress { message }),
            ActionEvent::Completed(diagnostics) => {
                Event::Completed(Completed { diagnostics: write_diagnostics(&diagnostics) })
            }
        };
        pb::invoke_action::Event { r#type: Some(event) }
    };
    let events = asked.provider.invoke_action(&question.action_type, &config).await?;
    Ok(events.into_iter().map(event).collect())
}

pub(super) async fn stop(
    asked: CallContext,
    _: pb::stop_provider::Request,
) -> Result<pb::stop_provider::Response> {
    Ok(pb::stop_provider::Response { error: asked.provider.stop().await? })
}
