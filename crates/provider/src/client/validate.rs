//! Validation. Each kind of configuration has a call of its own.

use objchange::change::Diagnostic;
use objchange::{Type, Value};

use super::Client;
use crate::wire::{Method, client_capabilities, read_diagnostics, tfplugin6 as pb, write_value};
use crate::{Component, Result};

pub(super) async fn validate(
    client: &Client,
    component: Component,
    name: &str,
    config: &Value,
) -> Result<Vec<Diagnostic>> {
    let ty = client.ty(component, name).await?;
    let method = Method::validation(component);
    let (type_name, config) = (name.to_owned(), write_value("config", config, &ty)?);
    Ok(read_diagnostics(match component {
        Component::Provider => {
            let question = pb::validate_provider_config::Request { config };
            let answer: pb::validate_provider_config::Response = client.unary(method, question).await?;
            answer.diagnostics
        }
        Component::Resource => {
            let client_capabilities = client_capabilities(client.protocol, false);
            let question = pb::validate_resource_config::Request { type_name, config, client_capabilities };
            let answer: pb::validate_resource_config::Response = client.unary(method, question).await?;
            answer.diagnostics
        }
        Component::DataSource => {
            let question = pb::validate_data_resource_config::Request { type_name, config };
            let answer: pb::validate_data_resource_config::Response = client.unary(method, question).await?;
            answer.diagnostics
        }
        Component::EphemeralResource => {
            let question = pb::validate_ephemeral_resource_config::Request { type_name, config };
            let answer: pb::validate_ephemeral_resource_config::Response =
                client.unary(method, question).await?;
            answer.diagnostics
        }
        Component::ListResource => {
            let nothing = Value::null(Type::Dynamic);
            let question = pb::validate_list_resource_config::Request {
                type_name,
                config,
                include_resource_object: write_value("include_resource_object", &nothing, &Type::Bool)?,
                limit: write_value("limit", &nothing, &Type::Number)?,
            };
            let answer: pb::validate_list_resource_config::Response = client.unary(method, question).await?;
            answer.diagnostics
        }
        Component::StateStore => {
            let question = pb::validate_state_store_config::Request { type_name, config };
            let answer: pb::validate_state_store_config::Response = client.unary(method, question).await?;
            answer.diagnostics
        }
        Component::Action => {
            let question = pb::validate_action_config::Request { type_name, config };
            let answer: pb::validate_action_config::Response = client.unary(method, question).await?;
            answer.diagnostics
        }
    }))
}
