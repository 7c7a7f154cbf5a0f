//! Providers that are not there: what can be said from schemas alone.

use std::fmt;

use objchange::Value;
use objchange::change::{
    Diagnostic, PlanResourceChange, PlannedResource, Provider, ProviderError, SimulatedProvider,
};
use objchange::schema::{Schema, SchemaKind};

use super::{DataAnswer, ImportAnswer, Providers, builtin, remote_state};
use crate::ProviderConfigAddress;
use crate::config::Files;

/// Answers for all providers from their schemas: computed attributes without a value are unknown, objects are as the
/// state has them, and data sources are not known. The provider in Terraform itself is planned as it plans.
#[derive(Clone, Copy, Default)]
pub struct SimulatedProviders<'f> {
    /// Where `terraform_remote_state` reads the states of the backend `local`; without it, they are not known.
    pub files: Option<&'f dyn Files>,
}

impl fmt::Debug for SimulatedProviders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedProviders").finish_non_exhaustive()
    }
}

impl Providers for SimulatedProviders<'_> {
    fn validate(
        &mut self,
        provider: &ProviderConfigAddress,
        kind: SchemaKind,
        type_name: &str,
        config: &Value,
    ) -> Vec<Diagnostic> {
        match provider.provider.is_builtin() {
            true => remote_state::validate(kind, type_name, config),
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
        _address: &str,
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
        provider: &ProviderConfigAddress,
        _address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer {
        match self.files {
            Some(files) if provider.provider.is_builtin() => remote_state::read(files, schema, config),
            _ => DataAnswer::NotKnown,
        }
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
