//! Answers for the providers of a module: simulations, mocks, real providers.

mod answers;
mod builtin;
mod contract;
mod remote_state;
mod simulated;

use std::fmt;

use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
    ProviderError,
};
use objchange::schema::{Schema, SchemaKind};

pub use answers::{AnswerError, AnsweringProviders, Answers, Unanswered};
pub use builtin::TerraformData;
pub(crate) use contract::A_BUG;
pub use contract::BrokenContract;
pub use simulated::SimulatedProviders;

use crate::ProviderConfigAddress;
use crate::plan::ImportedBy;

/// An object of a managed resource, with what its provider keeps beside it. The value carries no marks, so
/// [`Debug`](fmt::Debug) shows nothing of it.
#[derive(Clone)]
pub struct ProviderObject {
    /// The object; null if there is none.
    pub value: Value,
    /// The private data of the provider.
    pub private: PrivateData,
    /// The identity of the object, if the provider has given one.
    pub identity: Option<Value>,
}

impl ProviderObject {
    /// An object with nothing beside it.
    pub fn new(value: Value) -> Self {
        Self { value, private: PrivateData::default(), identity: None }
    }
}

impl fmt::Debug for ProviderObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderObject").field("private", &self.private).finish_non_exhaustive()
    }
}

/// What a provider answers, with its warnings; or its errors, among which there may be warnings.
pub type Answered<T> = Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>;

/// The answer for a data source or an ephemeral resource.
#[derive(Debug, Clone)]
pub enum DataAnswer {
    /// The object that was read, and warnings.
    Known(Value, Vec<Diagnostic>),
    /// Nobody can say without the provider.
    NotKnown,
    /// It could not be read.
    Failed(Vec<Diagnostic>),
}

/// The answer for an import.
#[derive(Debug, Clone)]
pub enum ImportAnswer {
    /// The object that exists already, and warnings.
    Known(ProviderObject, Vec<Diagnostic>),
    /// Nobody can say without the provider.
    NotKnown,
    /// It could not be imported.
    Failed(Vec<Diagnostic>),
}

/// An object of another type, perhaps of another provider, that is to become one of this type.
#[derive(Debug, Clone)]
pub struct MoveObject<'a> {
    /// The provider that it comes from.
    pub from: &'a ProviderConfigAddress,
    /// Its type there.
    pub from_type: &'a str,
    /// The version of the schema that it is of.
    pub from_version: i64,
    /// The type that it gets.
    pub to_type: &'a str,
    /// The schema of that type.
    pub schema: &'a Schema,
    /// The object.
    pub object: ProviderObject,
}

/// An object as the state has it, under a schema that may be an older one. [`Debug`](fmt::Debug) shows nothing of it.
#[derive(Clone, Copy)]
pub struct StoredObject<'a> {
    /// The address of its instance.
    pub address: &'a str,
    /// Its type.
    pub resource_type: &'a str,
    /// The present schema of that type.
    pub schema: &'a Schema,
    /// The version of the schema that it was stored under.
    pub version: i64,
    /// The object as the state has it, in JSON.
    pub(crate) text: &'a str,
    /// The object without what a present schema does not have any more, where it is of that schema.
    pub(crate) value: Option<&'a Value>,
}

impl StoredObject<'_> {
    /// The object as JSON, as its provider may see it.
    pub fn json(&self) -> String {
        let ty = self.schema.block.implied_type();
        let json = self.value.and_then(|value| value.unmark_deep().0.to_json(ty).ok());
        json.unwrap_or_else(|| self.text.to_owned())
    }
}

impl fmt::Debug for StoredObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredObject")
            .field("resource_type", &self.resource_type)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

/// Who answers for the providers of a module: simulations, answers from a file, or real providers.
pub trait Providers {
    /// Whether nobody asks this provider, so that it may know what is left unknown here of a planned object.
    fn is_simulated(&self, _provider: &ProviderConfigAddress) -> bool {
        false
    }

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

    /// Brings a stored object under the present schema; `None` where nobody but the provider can do more than to read it by
    /// that schema.
    fn upgrade(
        &mut self,
        provider: &ProviderConfigAddress,
        stored: StoredObject<'_>,
    ) -> Option<Answered<Value>>;

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

    /// What the provider says of a plan to destroy an object.
    fn plan_destroy(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        schema: &Schema,
        object: &ProviderObject,
    ) -> Vec<Diagnostic>;

    /// The object as it is now; null if it is gone.
    ///
    /// # Errors
    ///
    /// The provider does not answer, or it cannot read the object.
    fn read(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        schema: &Schema,
        object: &ProviderObject,
    ) -> Answered<ProviderObject>;

    /// Reads a data source, whose address names the instance.
    fn read_data(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer;

    /// Opens an ephemeral resource, whose address names the instance.
    fn open(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer;

    /// Imports the object with this identifier or identity, parts of which may be unknown.
    fn import(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        by: &ImportedBy,
    ) -> ImportAnswer;

    /// Makes a planned change of an object, whose address names the instance. Nobody does, unless this is overridden.
    ///
    /// # Errors
    ///
    /// The provider does not answer.
    fn apply(
        &mut self,
        _provider: &ProviderConfigAddress,
        _resource_type: &str,
        address: &str,
        _request: &ApplyResourceChange,
    ) -> Result<AppliedResource, ProviderError> {
        let mut error = Diagnostic::error("Nothing is applied here");
        error.detail = format!("Nobody makes the change of {address}.");
        Ok(AppliedResource::failed(error))
    }

    /// The object of another resource type as one of this type.
    ///
    /// # Errors
    ///
    /// The provider does not support this move.
    fn move_object(
        &mut self,
        provider: &ProviderConfigAddress,
        request: &MoveObject<'_>,
    ) -> Answered<ProviderObject>;
}
