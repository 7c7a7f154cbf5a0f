//! Who answers for the providers of a module.

mod answers;
mod builtin;
mod remote_state;
mod simulated;

use objchange::Value;
use objchange::change::{Diagnostic, PlanResourceChange, PlannedResource, ProviderError};
use objchange::schema::{Schema, SchemaKind};

pub use answers::{AnswerError, AnsweringProviders, Answers, Unanswered};
pub use builtin::TerraformData;
pub use simulated::SimulatedProviders;

use crate::ProviderConfigAddress;

/// What a data source is.
#[derive(Debug, Clone)]
pub enum DataAnswer {
    /// The object that was read.
    Known(Value),
    /// Nobody can say without the provider.
    NotKnown,
    /// It could not be read.
    Failed(Vec<Diagnostic>),
}

/// What an import gives.
#[derive(Debug, Clone)]
pub enum ImportAnswer {
    /// The object that exists already.
    Known(Value),
    /// Nobody can say without the provider.
    NotKnown,
    /// It could not be imported.
    Failed(Vec<Diagnostic>),
}

/// Who answers for the providers of a module: simulations, answers from a file, or real providers.
pub trait Providers {
    /// What is wrong with a configuration by the rules of the provider, beyond its schema.
    fn validate(
        &mut self,
        provider: &ProviderConfigAddress,
        kind: SchemaKind,
        type_name: &str,
        config: &Value,
    ) -> Vec<Diagnostic>;

    /// Configures a provider; what it says of that.
    fn configure(&mut self, provider: &ProviderConfigAddress, config: &Value) -> Vec<Diagnostic>;

    /// Plans a change of an object, whose address names the instance.
    ///
    /// # Errors
    ///
    /// The provider does not answer.
    fn plan(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        request: &PlanResourceChange,
    ) -> Result<PlannedResource, ProviderError>;

    /// The object as it is now; null if it is gone.
    ///
    /// # Errors
    ///
    /// The provider does not answer, or it cannot read the object.
    fn read(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        schema: &Schema,
        object: &Value,
    ) -> Result<Value, Vec<Diagnostic>>;

    /// Reads a data source, whose address names the instance.
    fn read_data(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer;

    /// Imports the object with this identifier.
    fn import(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        id: &str,
    ) -> ImportAnswer;

    /// The object of another resource type as one of this type.
    ///
    /// # Errors
    ///
    /// The provider does not support this move.
    fn move_object(
        &mut self,
        provider: &ProviderConfigAddress,
        from_type: &str,
        to_type: &str,
        schema: &Schema,
        object: &Value,
    ) -> Result<Value, Vec<Diagnostic>>;
}
