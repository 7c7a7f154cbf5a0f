//! Providers that are not there: what can be said from schemas alone.

use objchange::Value;
use objchange::change::{
    Diagnostic, PlanResourceChange, PlannedResource, Provider, ProviderError, SimulatedProvider,
};
use objchange::schema::{Schema, SchemaKind};

use super::{DataAnswer, ImportAnswer, Providers, builtin};
use crate::ProviderConfigAddress;

/// Answers for all providers from their schemas: computed attributes without a value are unknown, objects are as the
/// state has them, and data sources are not known. The provider in Terraform itself is planned as it plans.
#[derive(Debug, Clone, Copy, Default)]
pub struct SimulatedProviders;

impl Providers for SimulatedProviders {
    fn validate(
        &mut self,
        provider: &ProviderConfigAddress,
        kind: SchemaKind,
        type_name: &str,
        config: &Value,
    ) -> Vec<Diagnostic> {
        match provider.provider.is_builtin() {
            true => builtin::validate(kind, type_name, config),
            false => Vec::new(),
        }
    }

    fn configure(&mut self, _provider: &ProviderConfigAddress, _config: &Value) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn plan(
        &mut self,
        provider: &ProviderConfigAddress,
        _resource_type: &str,
        request: &PlanResourceChange,
    ) -> Result<PlannedResource, ProviderError> {
        match provider.provider.is_builtin() {
            true => builtin::TerraformData(SimulatedProvider::default()).plan(request),
            false => SimulatedProvider::default().plan(request),
        }
    }

    fn read(
        &mut self,
        _provider: &ProviderConfigAddress,
        _resource_type: &str,
        _schema: &Schema,
        object: &Value,
    ) -> Result<Value, Vec<Diagnostic>> {
        Ok(object.clone())
    }

    fn read_data(
        &mut self,
        _provider: &ProviderConfigAddress,
        _address: &str,
        _schema: &Schema,
        _config: &Value,
    ) -> DataAnswer {
        DataAnswer::NotKnown
    }

    fn import(
        &mut self,
        provider: &ProviderConfigAddress,
        _address: &str,
        schema: &Schema,
        id: &str,
    ) -> ImportAnswer {
        match provider.provider.is_builtin() {
            true => ImportAnswer::Known(builtin::imported(schema, id)),
            false => ImportAnswer::NotKnown,
        }
    }

    fn move_object(
        &mut self,
        provider: &ProviderConfigAddress,
        from_type: &str,
        to_type: &str,
        schema: &Schema,
        object: &Value,
    ) -> Result<Value, Vec<Diagnostic>> {
        match (provider.provider.is_builtin(), from_type) {
            (true, "null_resource") => Ok(builtin::from_null_resource(schema, object)),
            _ => {
                let mut error = Diagnostic::error("Unsupported resource move");
                error.detail = format!("A {from_type} cannot become a {to_type} without its provider.");
                Err(vec![error])
            }
        }
    }
}
