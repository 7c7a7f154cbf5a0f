//! The calls one by one: messages become questions, and answers become messages.

use objchange::Type;
use objchange::change::{ApplyResourceChange, PlanResourceChange, PrivateData};
use objchange::schema::Block;

use super::router::CallContext;
use crate::call::{
    Answer, ImportResource, ImportTarget, MoveResource, RawState, ReadResource, UpgradeResource,
};
use crate::wire::{
    deferral_allowed, read_identity, read_value_or_null, tfplugin5 as pb5, tfplugin6 as pb, write_answer,
    write_deferred, write_diagnostics, write_identities, write_identity, write_path, write_schemas,
    write_schemas_5,
};
use crate::{Component, ErrorKind, ProviderExt, Result};

impl CallContext {
    fn block(&self, component: Component, name: &str) -> Result<Block> {
        match self.schemas.block(component, name) {
            Some(block) => Ok(block.clone()),
            None if component == Component::Provider => Ok(Block::new::<&str>([], [])),
            None => Err(ErrorKind::UnknownName { what: component.noun(), name: name.to_owned() }.into()),
        }
    }

    pub(super) fn ty(&self, component: Component, name: &str) -> Result<Type> {
        Ok(self.block(component, name)?.implied_type().clone())
    }

    async fn validate(
        &self,
        component: Component,
        name: &str,
        config: Option<pb::DynamicValue>,
    ) -> Result<Vec<pb::Diagnostic>> {
        let config = read_value_or_null("config", config, &self.ty(component, name)?)?;
        Ok(write_diagnostics(&self.provider.validate(component, name, &config).await?))
    }
}

fn raw_state(message: Option<pb::RawState>) -> RawState {
    let message = message.unwrap_or_default();
    RawState { json: message.json, flatmap: message.flatmap }
}

pub(super) async fn schemas(
    asked: CallContext,
    _: pb::get_provider_schema::Request,
) -> Result<pb::get_provider_schema::Response> {
    Ok(write_schemas(&asked.schemas))
}

pub(super) async fn schemas_5(
    asked: CallContext,
    _: pb5::get_provider_schema::Request,
) -> Result<pb5::get_provider_schema::Response> {
    Ok(write_schemas_5(&asked.schemas))
}

pub(super) async fn identity_schemas(
    asked: CallContext,
    _: pb::get_resource_identity_schemas::Request,
) -> Result<pb::get_resource_identity_schemas::Response> {
    Ok(write_identities(&asked.schemas))
}

pub(super) async fn functions(
    asked: CallContext,
    _: pb::get_functions::Request,
) -> Result<pb::get_functions::Response> {
    let functions = write_schemas(&asked.schemas).functions;
    Ok(pb::get_functions::Response { functions, diagnostics: Vec::new() })
}

pub(super) async fn validate_provider(
    asked: CallContext,
    question: pb::validate_provider_config::Request,
) -> Result<pb::validate_provider_config::Response> {
    let diagnostics = asked.validate(Component::Provider, "", question.config).await?;
    Ok(pb::validate_provider_config::Response { diagnostics })
}

/// Validations that differ only in their names.
macro_rules! validations {
    ($($name:ident: $module:ident, $component:ident;)*) => {
        $(pub(super) async fn $name(asked: CallContext, question: pb::$module::Request) -> Result<pb::$module::Response> {
            let diagnostics =
                asked.validate(Component::$component, &question.type_name, question.config).await?;
            Ok(pb::$module::Response { diagnostics })
        })*
    };
}

validations! {
    validate_resource: validate_resource_config, Resource;
    validate_data: validate_data_resource_config, DataSource;
    validate_ephemeral: validate_ephemeral_resource_config, EphemeralResource;
    validate_list: validate_list_resource_config, ListResource;
    validate_action: validate_action_config, Action;
    validate_store: validate_state_store_config, StateStore;
}

pub(super) async fn configure(
    asked: CallContext,
    question: pb::configure_provider::Request,
) -> Result<pb::configure_provider::Response> {
    let config = read_value_or_null("config", question.config, &asked.ty(Component::Provider, "")?)?;
    let diagnostics = write_diagnostics(&asked.provider.configure(&config).await?);
    Ok(pb::configure_provider::Response { diagnostics })
}

pub(super) async fn upgrade(
    asked: CallContext,
    question: pb::upgrade_resource_state::Request,
) -> Result<pb::upgrade_resource_state::Response> {
    let ty = asked.ty(Component::Resource, &question.type_name)?;
    let request = UpgradeResource {
        type_name: question.type_name.into(),
        version: question.version,
        stored: raw_state(question.raw_state),
    };
    let Answer { object, diagnostics, .. } = asked.provider.upgrade(&request).await?;
    Ok(pb::upgrade_resource_state::Response {
        upgraded_state: write_answer("upgraded_state", object.as_ref(), &ty)?,
        diagnostics: write_diagnostics(&diagnostics),
    })
}

pub(super) async fn upgrade_identity(
    asked: CallContext,
    question: pb::upgrade_resource_identity::Request,
) -> Result<pb::upgrade_resource_identity::Response> {
    let request = UpgradeResource {
        type_name: question.type_name.into(),
        version: question.version,
        stored: raw_state(question.raw_identity),
    };
    let Answer { identity, diagnostics, .. } = asked.provider.upgrade_identity(&request).await?;
    let ty = asked.schemas.identity(&request.type_name);
    Ok(pb::upgrade_resource_identity::Response {
        upgraded_identity: write_identity("upgraded_identity", identity.as_ref(), ty)?,
        diagnostics: write_diagnostics(&diagnostics),
    })
}

pub(super) async fn read(
    asked: CallContext,
    question: pb::read_resource::Request,
) -> Result<pb::read_resource::Response> {
    let ty = asked.ty(Component::Resource, &question.type_name)?;
    let identity = asked.schemas.identity(&question.type_name);
    let request = ReadResource {
        state: read_value_or_null("current_state", question.current_state, &ty)?,
        private: PrivateData(question.private),
        identity: read_identity("current_identity", question.current_identity, identity)?,
        deferral_allowed: deferral_allowed(question.client_capabilities.as_ref()),
        type_name: question.type_name.into(),
    };
    let answer = asked.provider.read(&request).await?;
    Ok(pb::read_resource::Response {
        new_state: write_answer("new_state", answer.object.as_ref(), &ty)?,
        diagnostics: write_diagnostics(&answer.diagnostics),
        private: answer.private.0,
        deferred: write_deferred(answer.deferred),
        new_identity: write_identity("new_identity", answer.identity.as_ref(), identity)?,
    })
}

pub(super) async fn plan(
    asked: CallContext,
    question: pb::plan_resource_change::Request,
) -> Result<pb::plan_resource_change::Response> {
    let block = asked.block(Component::Resource, &question.type_name)?;
    let (ty, identity) = (block.implied_type(), asked.schemas.identity(&question.type_name));
    let prior = read_value_or_null("prior_state", question.prior_state, ty)?;
    let proposed = read_value_or_null("proposed_new_state", question.proposed_new_state, ty)?;
    let config = read_value_or_null("config", question.config, ty)?;
    let mut request = PlanResourceChange::new(&block, &prior, &proposed, &config);
    request.private = PrivateData(question.prior_private);
    request.planned_private = PrivateData(question.planned_private);
    request.identity = read_identity("prior_identity", question.prior_identity, identity)?;
    request.deferral_allowed = deferral_allowed(question.client_capabilities.as_ref());
    let answer = asked.provider.plan(&question.type_name, &request).await?;
    Ok(pb::plan_resource_change::Response {
        planned_state: write_answer("planned_state", Some(&answer.planned), ty)?,
        requires_replace: answer.requires_replace.iter().map(write_path).collect(),
        planned_private: answer.private.0,
        diagnostics: write_diagnostics(&answer.diagnostics),
        legacy_type_system: answer.legacy_type_system,
        deferred: write_deferred(answer.deferred),
        planned_identity: write_identity("planned_identity", answer.identity.as_ref(), identity)?,
    })
}

pub(super) async fn apply(
    asked: CallContext,
    question: pb::apply_resource_change::Request,
) -> Result<pb::apply_resource_change::Response> {
    let block = asked.block(Component::Resource, &question.type_name)?;
    let (ty, identity) = (block.implied_type(), asked.schemas.identity(&question.type_name));
    let prior = read_value_or_null("prior_state", question.prior_state, ty)?;
    let planned = read_value_or_null("planned_state", question.planned_state, ty)?;
    let config = read_value_or_null("config", question.config, ty)?;
    let mut request = ApplyResourceChange::new(&block, &prior, &planned, &config);
    request.private = PrivateData(question.planned_private);
    request.identity = read_identity("planned_identity", question.planned_identity, identity)?;
    let answer = asked.provider.apply(&question.type_name, &request).await?;
    Ok(pb::apply_resource_change::Response {
        new_state: write_answer("new_state", answer.new_state.as_ref(), ty)?,
        private: answer.private.0,
        diagnostics: write_diagnostics(&answer.diagnostics),
        legacy_type_system: answer.legacy_type_system,
        new_identity: write_identity("new_identity", answer.identity.as_ref(), identity)?,
    })
}

pub(super) async fn import(
    asked: CallContext,
    question: pb::import_resource_state::Request,
) -> Result<pb::import_resource_state::Response> {
    let identity = asked.schemas.identity(&question.type_name);
    let target = match read_identity("identity", question.identity, identity)? {
        Some(identity) => ImportTarget::Identity(identity),
        None => ImportTarget::Id(question.id),
    };
    let deferral_allowed = deferral_allowed(question.client_capabilities.as_ref());
    let request = ImportResource { type_name: question.type_name.into(), target, deferral_allowed };
    let answer = asked.provider.import(&request).await?;
    let mut imported_resources = Vec::new();
    for imported in answer.resources {
        // The schemas may lack the imported type; then the object's own type is used.
        let own = || imported.object.as_ref().map_or(Type::Dynamic, |object| object.ty().clone());
        let ty = asked.ty(Component::Resource, &imported.type_name).unwrap_or_else(|_| own());
        let identity = asked.schemas.identity(&imported.type_name);
        imported_resources.push(pb::import_resource_state::ImportedResource {
            type_name: imported.type_name.to_string(),
            state: write_answer("imported_resources.state", imported.object.as_ref(), &ty)?,
            private: imported.private.0,
            identity: write_identity("imported_resources.identity", imported.identity.as_ref(), identity)?,
        });
    }
    Ok(pb::import_resource_state::Response {
        imported_resources,
        diagnostics: write_diagnostics(&answer.diagnostics),
        deferred: write_deferred(answer.deferred),
    })
}

pub(super) async fn move_state(
    asked: CallContext,
    question: pb::move_resource_state::Request,
) -> Result<pb::move_resource_state::Response> {
    let ty = asked.ty(Component::Resource, &question.target_type_name)?;
    let version = question.source_identity_schema_version;
    let request = MoveResource {
        source_provider: question.source_provider_address,
        source_type: question.source_type_name,
        source_version: question.source_schema_version,
        source: raw_state(question.source_state),
        source_private: PrivateData(question.source_private),
        source_identity: question.source_identity.map(|raw| (version, raw_state(Some(raw)))),
        type_name: question.target_type_name.into(),
    };
    let answer = asked.provider.move_state(&request).await?;
    let identity = asked.schemas.identity(&request.type_name);
    Ok(pb::move_resource_state::Response {
        target_state: write_answer("target_state", answer.object.as_ref(), &ty)?,
        diagnostics: write_diagnostics(&answer.diagnostics),
        target_private: answer.private.0,
        target_identity: write_identity("target_identity", answer.identity.as_ref(), identity)?,
    })
}

pub(super) async fn generate_config(
    asked: CallContext,
    question: pb::generate_resource_config::Request,
) -> Result<pb::generate_resource_config::Response> {
    let ty = asked.ty(Component::Resource, &question.type_name)?;
    let state = read_value_or_null("state", question.state, &ty)?;
    let answer = asked.provider.generate_config(&question.type_name, &state).await?;
    Ok(pb::generate_resource_config::Response {
        config: write_answer("config", answer.object.as_ref(), &ty)?,
        diagnostics: write_diagnostics(&answer.diagnostics),
    })
}

pub(super) async fn read_data(
    asked: CallContext,
    question: pb::read_data_source::Request,
) -> Result<pb::read_data_source::Response> {
    let ty = asked.ty(Component::DataSource, &question.type_name)?;
    let config = read_value_or_null("config", question.config, &ty)?;
    let answer = asked.provider.read_data(&question.type_name, &config).await?;
    Ok(pb::read_data_source::Response {
        state: write_answer("state", answer.object.as_ref(), &ty)?,
        diagnostics: write_diagnostics(&answer.diagnostics),
        deferred: write_deferred(answer.deferred),
    })
}
