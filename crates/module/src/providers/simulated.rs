//! Providers that are not there: what can be said from schemas alone.

use std::fmt;

use objchange::Value;
use objchange::change::{
    Diagnostic, PlanResourceChange, PlannedResource, Provider, ProviderError, SimulatedProvider, proposed_new,
};
use objchange::schema::{Schema, SchemaKind};

use super::{
    Answered, DataAnswer, ImportAnswer, MoveObject, ProviderObject, Providers, StoredObject, builtin,
    remote_state,
};
use crate::ProviderConfigAddress;
use crate::config::Files;
use crate::plan::ImportedBy;

/// Answers for all providers from their schemas: computed attributes without a value are unknown, objects are as the
/// state has them, and data sources are not known. The provider in Terraform itself is planned as it plans.
#[derive(Clone, Copy, Default)]
pub struct SimulatedProviders<'f> {
    /// Where `terraform_remote_state` reads the states of the backend `local`; without it, they are not known.
    pub files: Option<&'f dyn Files>,
    /// The computed attributes of an object that is updated are unknown, because its provider may change them, and may
    /// replace the object. Otherwise they keep their values, which most updates leave alone.
    pub is_strict: bool,
}

impl fmt::Debug for SimulatedProviders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedProviders").finish_non_exhaustive()
    }
}

impl Providers for SimulatedProviders<'_> {
    fn is_simulated(&self, provider: &ProviderConfigAddress) -> bool {
        !provider.provider.is_builtin()
    }

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

    fn upgrade(
        &mut self,
        _provider: &ProviderConfigAddress,
        _stored: StoredObject<'_>,
    ) -> Option<Answered<Value>> {
        None
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
            false if self.is_strict => plan_strictly(request),
            false => SimulatedProvider::default().plan(request),
        }
    }

    fn plan_destroy(
        &mut self,
        _provider: &ProviderConfigAddress,
        _resource_type: &str,
        _address: &str,
        _schema: &Schema,
        _object: &ProviderObject,
    ) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn read(
        &mut self,
        _provider: &ProviderConfigAddress,
        _resource_type: &str,
        _address: &str,
        _schema: &Schema,
        object: &ProviderObject,
    ) -> Answered<ProviderObject> {
        Ok((object.clone(), Vec::new()))
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

    fn open(
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
        by: &ImportedBy,
    ) -> ImportAnswer {
        match by.id() {
            Some(id) if provider.provider.is_builtin() => {
                ImportAnswer::Known(ProviderObject::new(builtin::imported(schema, id)), Vec::new())
            }
            _ => ImportAnswer::NotKnown,
        }
    }

    fn move_object(
        &mut self,
        provider: &ProviderConfigAddress,
        request: &MoveObject<'_>,
    ) -> Answered<ProviderObject> {
        let MoveObject { from_type, to_type, schema, object, .. } = request;
        match (provider.provider.is_builtin(), *from_type) {
            (true, "null_resource") => {
                let value = builtin::from_null_resource(schema, &object.value);
                Ok((ProviderObject::new(value), Vec::new()))
            }
            _ => {
                let mut error = Diagnostic::error("Unsupported resource move");
                error.detail = format!("A {from_type} cannot become a {to_type} without its provider.");
                Err(vec![error])
            }
        }
    }
}

/// Plans an update as if the object were new: every computed attribute that configuration does not set is unknown.
fn plan_strictly(request: &PlanResourceChange) -> Result<PlannedResource, ProviderError> {
    let planned = SimulatedProvider::default().plan(request)?;
    let PlanResourceChange { schema, prior, config, .. } = request;
    if prior.is_null() || planned.planned.identical(prior) {
        return Ok(planned);
    }
    let nothing = Value::null(prior.ty().clone());
    let mut request = request.clone();
    request.proposed = proposed_new(schema, &nothing, config).map_err(ProviderError::from)?;
    request.prior = nothing;
    SimulatedProvider::default().plan(&request)
}
