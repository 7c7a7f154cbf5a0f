//! The calls, one by one: a question into a message, a message into an answer.

use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
};
use objchange::{Type, Value};

use super::Client;
use crate::call::{
    ActionEvent, ActionPlan, Answer, FunctionAnswer, ImportAnswer, ImportResource, ImportTarget, Imported,
    ListQuestion, Listed, MoveResource, Opened, RawState, ReadResource, UpgradeResource,
};
use crate::wire::{
    Method, client_capabilities, read_deferred, read_diagnostics, read_identity, read_path, read_value,
    read_value_or_null, tfplugin6 as pb, write_identity, write_value,
};
use crate::{Component, ErrorKind, Provider, Result, Schemas};

fn raw_state(stored: &RawState) -> Option<pb::RawState> {
    Some(pb::RawState { json: stored.json.clone(), flatmap: stored.flatmap.clone() })
}

fn bytes(private: Option<&PrivateData>) -> Option<Vec<u8>> {
    private.map(|private| private.0.clone())
}

impl Client {
    /// What a module says to the provider of itself: nothing, which is null of the type that the provider wants.
    async fn meta(&self) -> Result<Option<pb::DynamicValue>> {
        match &self.known().await?.meta {
            Some(_) => write_value("provider_meta", &Value::null(Type::Dynamic), &Type::Dynamic),
            None => Ok(None),
        }
    }

    async fn identity_type(&self, name: &str) -> Result<Option<&Type>> {
        Ok(self.known().await?.identity(name))
    }
}

#[async_trait]
impl Provider for Client {
    async fn schemas(&self) -> Result<Arc<Schemas>> {
        self.known().await.cloned()
    }

    async fn validate(&self, component: Component, name: &str, config: &Value) -> Result<Vec<Diagnostic>> {
        self.validated(component, name, config).await
    }

    async fn configure(&self, config: &Value) -> Result<Vec<Diagnostic>> {
        let ty = self.ty(Component::Provider, "").await?;
        let question = pb::configure_provider::Request {
            terraform_version: self.version.clone(),
            config: write_value("config", config, &ty)?,
            client_capabilities: client_capabilities(self.protocol, false),
        };
        let answer: pb::configure_provider::Response = self.call(Method::CONFIGURE, question).await?;
        Ok(read_diagnostics(answer.diagnostics))
    }

    async fn upgrade(&self, request: &UpgradeResource) -> Result<Answer> {
        let ty = self.ty(Component::Resource, &request.type_name).await?;
        let question = pb::upgrade_resource_state::Request {
            type_name: request.type_name.to_string(),
            version: request.version,
            raw_state: raw_state(&request.stored),
        };
        let answer: pb::upgrade_resource_state::Response = self.call(Method::UPGRADE, question).await?;
        Ok(Answer {
            object: read_value("upgraded_state", answer.upgraded_state, &ty)?,
            diagnostics: read_diagnostics(answer.diagnostics),
            ..Answer::default()
        })
    }

    async fn upgrade_identity(&self, request: &UpgradeResource) -> Result<Answer> {
        let ty = self.identity_type(&request.type_name).await?;
        let question = pb::upgrade_resource_identity::Request {
            type_name: request.type_name.to_string(),
            version: request.version,
            raw_identity: raw_state(&request.stored),
        };
        let answer: pb::upgrade_resource_identity::Response =
            self.call(Method::UPGRADE_IDENTITY, question).await?;
        Ok(Answer {
            identity: read_identity("upgraded_identity", answer.upgraded_identity, ty)?,
            diagnostics: read_diagnostics(answer.diagnostics),
            ..Answer::default()
        })
    }

    async fn read(&self, request: &ReadResource) -> Result<Answer> {
        let ty = self.ty(Component::Resource, &request.type_name).await?;
        let identity = self.identity_type(&request.type_name).await?;
        let question = pb::read_resource::Request {
            type_name: request.type_name.to_string(),
            current_state: write_value("current_state", &request.state, &ty)?,
            private: request.private.0.clone(),
            provider_meta: self.meta().await?,
            client_capabilities: client_capabilities(self.protocol, request.deferral_allowed),
            current_identity: write_identity("current_identity", request.identity.as_ref(), identity)?,
        };
        let answer: pb::read_resource::Response = self.call(Method::READ, question).await?;
        Ok(Answer {
            object: read_value("new_state", answer.new_state, &ty)?,
            private: PrivateData(answer.private),
            identity: read_identity("new_identity", answer.new_identity, identity)?,
            deferred: read_deferred(answer.deferred),
            diagnostics: read_diagnostics(answer.diagnostics),
        })
    }

    async fn plan(&self, type_name: &str, request: &PlanResourceChange) -> Result<PlannedResource> {
        let ty = self.ty(Component::Resource, type_name).await?;
        let identity = self.identity_type(type_name).await?;
        let question = pb::plan_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: write_value("prior_state", &request.prior, &ty)?,
            proposed_new_state: write_value("proposed_new_state", &request.proposed, &ty)?,
            config: write_value("config", &request.config, &ty)?,
            prior_private: request.private.0.clone(),
            provider_meta: self.meta().await?,
            client_capabilities: client_capabilities(self.protocol, request.deferral_allowed),
            prior_identity: write_identity("prior_identity", request.identity.as_ref(), identity)?,
            planned_private: request.planned_private.0.clone(),
        };
        let answer: pb::plan_resource_change::Response = self.call(Method::PLAN, question).await?;
        let mut planned =
            PlannedResource::new(read_value_or_null("planned_state", answer.planned_state, &ty)?);
        planned.requires_replace = answer.requires_replace.into_iter().map(read_path).collect();
        planned.legacy_type_system = answer.legacy_type_system;
        planned.private = PrivateData(answer.planned_private);
        planned.identity = read_identity("planned_identity", answer.planned_identity, identity)?;
        planned.deferred = read_deferred(answer.deferred);
        planned.diagnostics = read_diagnostics(answer.diagnostics);
        Ok(planned)
    }

    async fn apply(&self, type_name: &str, request: &ApplyResourceChange) -> Result<AppliedResource> {
        let ty = self.ty(Component::Resource, type_name).await?;
        let identity = self.identity_type(type_name).await?;
        let question = pb::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: write_value("prior_state", &request.prior, &ty)?,
            planned_state: write_value("planned_state", &request.planned, &ty)?,
            config: write_value("config", &request.config, &ty)?,
            planned_private: request.private.0.clone(),
            provider_meta: self.meta().await?,
            planned_identity: write_identity("planned_identity", request.identity.as_ref(), identity)?,
        };
        let answer: pb::apply_resource_change::Response = self.call(Method::APPLY, question).await?;
        let mut applied = AppliedResource::new(Value::null(ty.clone()));
        applied.new_state = read_value("new_state", answer.new_state, &ty)?;
        applied.legacy_type_system = answer.legacy_type_system;
        applied.private = PrivateData(answer.private);
        applied.identity = read_identity("new_identity", answer.new_identity, identity)?;
        applied.diagnostics = read_diagnostics(answer.diagnostics);
        Ok(applied)
    }

    async fn import(&self, request: &ImportResource) -> Result<ImportAnswer> {
        let ty = self.identity_type(&request.type_name).await?;
        let (id, identity) = match &request.target {
            ImportTarget::Id(id) => (id.clone(), None),
            ImportTarget::Identity(identity) => {
                (String::new(), write_identity("identity", Some(identity), ty)?)
            }
        };
        let question = pb::import_resource_state::Request {
            type_name: request.type_name.to_string(),
            id,
            client_capabilities: client_capabilities(self.protocol, request.deferral_allowed),
            identity,
        };
        let answer: pb::import_resource_state::Response = self.call(Method::IMPORT, question).await?;
        let mut resources = Vec::new();
        for imported in answer.imported_resources {
            // A type that the provider does not have is for whoever asked to find out about.
            let object = match self.ty(Component::Resource, &imported.type_name).await {
                Ok(ty) => read_value("imported_resources.state", imported.state, &ty)?,
                Err(_) => None,
            };
            let ty = self.identity_type(&imported.type_name).await?;
            resources.push(Imported {
                object,
                private: PrivateData(imported.private),
                identity: read_identity("imported_resources.identity", imported.identity, ty)?,
                type_name: imported.type_name.into(),
            });
        }
        let deferred = read_deferred(answer.deferred);
        Ok(ImportAnswer { resources, deferred, diagnostics: read_diagnostics(answer.diagnostics) })
    }

    async fn move_state(&self, request: &MoveResource) -> Result<Answer> {
        let ty = self.ty(Component::Resource, &request.type_name).await?;
        let identity = self.identity_type(&request.type_name).await?;
        let (version, source_identity) =
            request.source_identity.as_ref().map_or((0, None), |(version, raw)| (*version, raw_state(raw)));
        let question = pb::move_resource_state::Request {
            source_provider_address: request.source_provider.clone(),
            source_type_name: request.source_type.clone(),
            source_schema_version: request.source_version,
            source_state: raw_state(&request.source),
            target_type_name: request.type_name.to_string(),
            source_private: request.source_private.0.clone(),
            source_identity,
            source_identity_schema_version: version,
        };
        let answer: pb::move_resource_state::Response = self.call(Method::MOVE, question).await?;
        Ok(Answer {
            object: read_value("target_state", answer.target_state, &ty)?,
            private: PrivateData(answer.target_private),
            identity: read_identity("target_identity", answer.target_identity, identity)?,
            deferred: None,
            diagnostics: read_diagnostics(answer.diagnostics),
        })
    }

    async fn generate_config(&self, type_name: &str, state: &Value) -> Result<Answer> {
        let ty = self.ty(Component::Resource, type_name).await?;
        let state = write_value("state", state, &ty)?;
        let question = pb::generate_resource_config::Request { type_name: type_name.to_owned(), state };
        let answer: pb::generate_resource_config::Response = self.call(Method::GENERATE, question).await?;
        Ok(Answer {
            object: read_value("config", answer.config, &ty)?,
            diagnostics: read_diagnostics(answer.diagnostics),
            ..Answer::default()
        })
    }

    async fn read_data(&self, type_name: &str, config: &Value) -> Result<Answer> {
        let ty = self.ty(Component::DataSource, type_name).await?;
        let question = pb::read_data_source::Request {
            type_name: type_name.to_owned(),
            config: write_value("config", config, &ty)?,
            provider_meta: self.meta().await?,
            client_capabilities: client_capabilities(self.protocol, false),
        };
        let answer: pb::read_data_source::Response = self.call(Method::READ_DATA, question).await?;
        Ok(Answer {
            object: read_value("state", answer.state, &ty)?,
            deferred: read_deferred(answer.deferred),
            diagnostics: read_diagnostics(answer.diagnostics),
            ..Answer::default()
        })
    }

    async fn open(&self, type_name: &str, config: &Value) -> Result<Opened> {
        let ty = self.ty(Component::EphemeralResource, type_name).await?;
        let question = pb::open_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            config: write_value("config", config, &ty)?,
            client_capabilities: client_capabilities(self.protocol, false),
        };
        let answer: pb::open_ephemeral_resource::Response = self.call(Method::OPEN, question).await?;
        Ok(Opened {
            object: read_value("result", answer.result, &ty)?,
            renew_at: time(answer.renew_at)?,
            private: answer.private.map(PrivateData),
            deferred: read_deferred(answer.deferred),
            diagnostics: read_diagnostics(answer.diagnostics),
        })
    }

    async fn renew(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Opened> {
        let question = pb::renew_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            private: bytes(private),
        };
        let answer: pb::renew_ephemeral_resource::Response = self.call(Method::RENEW, question).await?;
        Ok(Opened {
            renew_at: time(answer.renew_at)?,
            private: answer.private.map(PrivateData),
            diagnostics: read_diagnostics(answer.diagnostics),
            ..Opened::default()
        })
    }

    async fn close(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Vec<Diagnostic>> {
        let question = pb::close_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            private: bytes(private),
        };
        let answer: pb::close_ephemeral_resource::Response = self.call(Method::CLOSE, question).await?;
        Ok(read_diagnostics(answer.diagnostics))
    }

    async fn list(&self, request: &ListQuestion) -> Result<Vec<Listed>> {
        let ty = self.ty(Component::ListResource, &request.type_name).await?;
        let question = pb::list_resource::Request {
            type_name: request.type_name.to_string(),
            config: write_value("config", &request.config, &ty)?,
            include_resource_object: request.include_objects,
            limit: request.limit,
        };
        let object = self.ty(Component::Resource, &request.type_name).await.unwrap_or(Type::Dynamic);
        let identity = self.identity_type(&request.type_name).await?;
        let events: Vec<pb::list_resource::Event> = self.events(Method::LIST, question).await?;
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

    async fn call_function(&self, name: &str, arguments: &[Value]) -> Result<FunctionAnswer> {
        let unknown = || ErrorKind::UnknownName { what: "function", name: name.to_owned() };
        let function = self.known().await?.functions.get(name).ok_or_else(unknown)?;
        let argument = |(position, value): (usize, &Value)| match function.parameter(position) {
            Some(parameter) => write_value("arguments", value, &parameter.ty),
            None => write_value("arguments", value, value.ty()),
        };
        let written: Result<Vec<_>> = arguments.iter().enumerate().map(argument).collect();
        let question = pb::call_function::Request {
            name: name.to_owned(),
            arguments: written?.into_iter().flatten().collect(),
        };
        let answer: pb::call_function::Response = self.call(Method::CALL_FUNCTION, question).await?;
        Ok(match answer.error {
            Some(error) => FunctionAnswer::Error { text: error.text, argument: error.function_argument },
            None => FunctionAnswer::Result(read_value("result", answer.result, &function.returns)?),
        })
    }

    async fn plan_action(&self, type_name: &str, config: &Value) -> Result<ActionPlan> {
        let ty = self.ty(Component::Action, type_name).await?;
        let question = pb::plan_action::Request {
            action_type: type_name.to_owned(),
            config: write_value("config", config, &ty)?,
            client_capabilities: client_capabilities(self.protocol, false),
        };
        let answer: pb::plan_action::Response = self.call(Method::PLAN_ACTION, question).await?;
        let deferred = read_deferred(answer.deferred);
        Ok(ActionPlan { deferred, diagnostics: read_diagnostics(answer.diagnostics) })
    }

    async fn invoke_action(&self, type_name: &str, config: &Value) -> Result<Vec<ActionEvent>> {
        use pb::invoke_action::event::Type as Event;
        let ty = self.ty(Component::Action, type_name).await?;
        let question = pb::invoke_action::Request {
            action_type: type_name.to_owned(),
            config: write_value("config", config, &ty)?,
            client_capabilities: client_capabilities(self.protocol, false),
        };
        let events: Vec<pb::invoke_action::Event> = self.events(Method::INVOKE_ACTION, question).await?;
        let event = |event: pb::invoke_action::Event| match event.r#type? {
            Event::Progress(progress) => Some(ActionEvent::Progress(progress.message)),
            Event::Completed(done) => Some(ActionEvent::Completed(read_diagnostics(done.diagnostics))),
        };
        Ok(events.into_iter().filter_map(event).collect())
    }

    async fn stop(&self) -> Result<String> {
        let answer: pb::stop_provider::Response =
            self.call(Method::STOP, pb::stop_provider::Request {}).await?;
        Ok(answer.error)
    }
}

fn time(message: Option<prost_types::Timestamp>) -> Result<Option<SystemTime>> {
    let malformed = |_| ErrorKind::Malformed { field: "renew_at", reason: "this is no time".into() }.into();
    message.map(|time| SystemTime::try_from(time).map_err(malformed)).transpose()
}
