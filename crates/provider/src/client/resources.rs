//! The calls about managed resources: questions become messages, and messages become answers.

use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, PlanResourceChange, PlannedResource, PrivateData,
};

use super::Client;
use crate::call::{
    Answer, ImportAnswer, ImportResource, ImportTarget, Imported, MoveResource, RawState, ReadResource,
    UpgradeResource,
};
use crate::wire::{
    Method, Protocol, client_capabilities, read_deferred, read_diagnostics, read_identity, read_path,
    read_value, read_value_or_null, tfplugin6 as pb, write_identity, write_value,
};
use crate::{Component, Result};

fn raw_state(stored: &RawState) -> Option<pb::RawState> {
    Some(pb::RawState { json: stored.json.clone(), flatmap: stored.flatmap.clone() })
}

pub(super) async fn upgrade(client: &Client, request: &UpgradeResource) -> Result<Answer> {
    let ty = client.ty(Component::Resource, &request.type_name).await?;
    let question = pb::upgrade_resource_state::Request {
        type_name: request.type_name.to_string(),
        version: request.version,
        raw_state: raw_state(&request.stored),
    };
    let answer: pb::upgrade_resource_state::Response = client.unary(Method::UPGRADE, question).await?;
    Ok(Answer {
        object: read_value("upgraded_state", answer.upgraded_state, &ty)?,
        diagnostics: read_diagnostics(answer.diagnostics),
        ..Answer::default()
    })
}

pub(super) async fn upgrade_identity(client: &Client, request: &UpgradeResource) -> Result<Answer> {
    let ty = client.identity_type(&request.type_name).await?;
    let question = pb::upgrade_resource_identity::Request {
        type_name: request.type_name.to_string(),
        version: request.version,
        raw_identity: raw_state(&request.stored),
    };
    let answer: pb::upgrade_resource_identity::Response =
        client.unary(Method::UPGRADE_IDENTITY, question).await?;
    Ok(Answer {
        identity: read_identity("upgraded_identity", answer.upgraded_identity, ty)?,
        diagnostics: read_diagnostics(answer.diagnostics),
        ..Answer::default()
    })
}

pub(super) async fn read(client: &Client, request: &ReadResource) -> Result<Answer> {
    let ty = client.ty(Component::Resource, &request.type_name).await?;
    let identity = client.identity_type(&request.type_name).await?;
    let question = pb::read_resource::Request {
        type_name: request.type_name.to_string(),
        current_state: write_value("current_state", &request.state, &ty)?,
        private: request.private.0.clone(),
        provider_meta: client.meta().await?,
        client_capabilities: client_capabilities(client.protocol, request.deferral_allowed),
        current_identity: write_identity("current_identity", request.identity.as_ref(), identity)?,
    };
    let answer: pb::read_resource::Response = client.unary(Method::READ, question).await?;
    Ok(Answer {
        object: read_value("new_state", answer.new_state, &ty)?,
        private: PrivateData(answer.private),
        identity: read_identity("new_identity", answer.new_identity, identity)?,
        deferred: read_deferred(answer.deferred),
        diagnostics: read_diagnostics(answer.diagnostics),
    })
}

pub(super) async fn plan(
    client: &Client,
    type_name: &str,
    request: &PlanResourceChange,
) -> Result<PlannedResource> {
    let ty = client.ty(Component::Resource, type_name).await?;
    let identity = client.identity_type(type_name).await?;
    let question = pb::plan_resource_change::Request {
        type_name: type_name.to_owned(),
        prior_state: write_value("prior_state", &request.prior, &ty)?,
        proposed_new_state: write_value("proposed_new_state", &request.proposed, &ty)?,
        config: write_value("config", &request.config, &ty)?,
        prior_private: request.private.0.clone(),
        provider_meta: client.meta().await?,
        client_capabilities: client_capabilities(client.protocol, request.deferral_allowed),
        prior_identity: write_identity("prior_identity", request.identity.as_ref(), identity)?,
        planned_private: planned_private(client, request),
    };
    let answer: pb::plan_resource_change::Response = client.unary(Method::PLAN, question).await?;
    let mut planned = PlannedResource::new(read_value_or_null("planned_state", answer.planned_state, &ty)?);
    planned.requires_replace = answer.requires_replace.into_iter().map(read_path).collect();
    // Only terraform-plugin-sdk, version 2, sets the flag; the framework leaves it false.
    planned.legacy_type_system = answer.legacy_type_system;
    planned.private = PrivateData(answer.planned_private);
    planned.identity = read_identity("planned_identity", answer.planned_identity, identity)?;
    planned.deferred = read_deferred(answer.deferred);
    planned.diagnostics = read_diagnostics(answer.diagnostics);
    Ok(planned)
}

pub(super) async fn apply(
    client: &Client,
    type_name: &str,
    request: &ApplyResourceChange,
) -> Result<AppliedResource> {
    let ty = client.ty(Component::Resource, type_name).await?;
    let identity = client.identity_type(type_name).await?;
    let question = pb::apply_resource_change::Request {
        type_name: type_name.to_owned(),
        prior_state: write_value("prior_state", &request.prior, &ty)?,
        planned_state: write_value("planned_state", &request.planned, &ty)?,
        config: write_value("config", &request.config, &ty)?,
        planned_private: request.private.0.clone(),
        provider_meta: client.meta().await?,
        planned_identity: write_identity("planned_identity", request.identity.as_ref(), identity)?,
    };
    let answer: pb::apply_resource_change::Response = client.unary(Method::APPLY, question).await?;
    let mut applied = AppliedResource::new(Value::null(ty.clone()));
    applied.new_state = read_value("new_state", answer.new_state, &ty)?;
    applied.legacy_type_system = answer.legacy_type_system;
    applied.private = PrivateData(answer.private);
    applied.identity = read_identity("new_identity", answer.new_identity, identity)?;
    applied.diagnostics = read_diagnostics(answer.diagnostics);
    Ok(applied)
}

pub(super) async fn import(client: &Client, request: &ImportResource) -> Result<ImportAnswer> {
    let ty = client.identity_type(&request.type_name).await?;
    let (id, identity) = match &request.target {
        ImportTarget::Id(id) => (id.clone(), None),
        ImportTarget::Identity(identity) => (String::new(), write_identity("identity", Some(identity), ty)?),
    };
    let question = pb::import_resource_state::Request {
        type_name: request.type_name.to_string(),
        id,
        client_capabilities: client_capabilities(client.protocol, request.deferral_allowed),
        identity,
    };
    let answer: pb::import_resource_state::Response = client.unary(Method::IMPORT, question).await?;
    let mut resources = Vec::new();
    for imported in answer.imported_resources {
        // The caller finds out about an unknown type.
        let object = match client.ty(Component::Resource, &imported.type_name).await {
            Ok(ty) => read_value("imported_resources.state", imported.state, &ty)?,
            Err(_) => None,
        };
        let ty = client.identity_type(&imported.type_name).await?;
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

pub(super) async fn move_state(client: &Client, request: &MoveResource) -> Result<Answer> {
    let ty = client.ty(Component::Resource, &request.type_name).await?;
    let identity = client.identity_type(&request.type_name).await?;
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
    let answer: pb::move_resource_state::Response = client.unary(Method::MOVE, question).await?;
    Ok(Answer {
        object: read_value("target_state", answer.target_state, &ty)?,
        private: PrivateData(answer.target_private),
        identity: read_identity("target_identity", answer.target_identity, identity)?,
        deferred: None,
        diagnostics: read_diagnostics(answer.diagnostics),
    })
}

pub(super) async fn generate_config(client: &Client, type_name: &str, state: &Value) -> Result<Answer> {
    let ty = client.ty(Component::Resource, type_name).await?;
    let state = write_value("state", state, &ty)?;
    let question = pb::generate_resource_config::Request { type_name: type_name.to_owned(), state };
    let answer: pb::generate_resource_config::Response = client.unary(Method::GENERATE, question).await?;
    Ok(Answer {
        object: read_value("config", answer.config, &ty)?,
        diagnostics: read_diagnostics(answer.diagnostics),
        ..Answer::default()
    })
}

/// The private data of the first plan, which the provider gets back with the final one.
fn planned_private(client: &Client, request: &PlanResourceChange) -> Vec<u8> {
    match client.protocol {
        // Protocol 5 has no field for it.
        Protocol::V5 => Vec::new(),
        Protocol::V6 => request.planned_private.0.clone(),
    }
}
