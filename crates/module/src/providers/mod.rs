//! Answers for the providers of a module: simulations, mocks, real providers.

mod answers;
mod builtin;
mod contract;
mod imported_by;
pub(crate) mod legacy;
mod possible_blocks;
pub(crate) mod refusals;
mod remote_state;
mod rules;
mod simulated;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
    ProviderError,
};
use objchange::schema::{Schema, SchemaKind};
use objchange::value::Path;

pub use answers::{AnswerError, AnsweringProviders, Answers, Unanswered};
pub use builtin::TerraformData;
pub(crate) use builtin::with_attributes;
pub(crate) use contract::A_BUG;
pub use contract::BrokenContract;
pub use imported_by::ImportedBy;
pub use possible_blocks::with_possible_computed_blocks;
pub use rules::ProviderRules;
pub use simulated::SimulatedProviders;

use objchange_hcl::FunctionError;

use crate::{ProviderAddress, ProviderConfigAddress};

/// An object of a managed resource, with what its provider keeps beside it. The value carries no marks, so
/// [`Debug`](fmt::Debug) shows nothing of it.
#[derive(Clone)]
pub struct ProviderObject {
    /// The object; null if it does not exist.
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

/// A provider's answer with warnings; or its errors, perhaps with warnings.
pub type Answered<T> = Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>;

/// The answer for a data source or an ephemeral resource.
#[derive(Debug, Clone)]
pub enum DataAnswer {
    /// The object that was read, and warnings.
    Known(Value, Vec<Diagnostic>),
    /// Only the provider could tell.
    NotKnown,
    /// It could not be read.
    Failed(Vec<Diagnostic>),
}

/// The answer for an import.
#[derive(Debug, Clone)]
pub enum ImportAnswer {
    /// The object that exists already, and warnings.
    Known(ProviderObject, Vec<Diagnostic>),
    /// Only the provider could tell.
    NotKnown,
    /// It could not be imported.
    Failed(Vec<Diagnostic>),
}

/// An object of another type, perhaps of another provider, that is to become one of this type.
#[derive(Debug, Clone)]
pub struct MoveObject<'a> {
    /// The provider that it comes from.
    pub from: &'a ProviderConfigAddress,
    /// Its address there.
    pub from_address: &'a InstanceAddress,
    /// Its type there.
    pub from_type: &'a str,
    /// The version of the schema that it is of.
    pub from_version: i64,
    /// The version of the schema that its identity is of.
    pub from_identity_version: i64,
    /// The address that it gets.
    pub to_address: &'a InstanceAddress,
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
    /// The text is a map of texts by paths, as Terraform before 0.12 kept objects.
    pub(crate) is_flat: bool,
    /// The object without what a present schema does not have any more, where it is of that schema.
    pub(crate) value: Option<&'a Value>,
}

impl StoredObject<'_> {
    /// The texts by paths of an object that Terraform before 0.12 has kept. Its provider understands these, too.
    pub fn flat(&self) -> Option<BTreeMap<String, String>> {
        let texts =
            || serde_json::from_str::<BTreeMap<String, Option<String>>>(self.text).unwrap_or_default();
        let text = |(key, text): (String, Option<String>)| (key, text.unwrap_or_default());
        self.is_flat.then(|| texts().into_iter().map(text).collect())
    }

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

/// A function of a provider. Its arguments are known, and without marks.
pub type ProviderFunction = Arc<dyn Fn(&[Value]) -> Result<Value, FunctionError> + Send + Sync>;

/// Answers for the providers of a module: by simulation, from a file, or with real providers.
///
/// [`ProvidersExt`] has a method for each call. A wrapper forwards [`call`](Self::call) and [`others`](Self::others), and so
/// cannot forget a call or a question.
pub trait Providers {
    /// Whether the provider is simulated: a real one may know values that are unknown here.
    fn is_simulated(&self, provider: &ProviderConfigAddress) -> bool;

    /// The providers that a wrapper asks where it has no answer of its own. They answer the questions below for it.
    fn others(&self) -> Option<&dyn Providers> {
        None
    }

    /// A function of a provider, if somebody answers for it; its results are unknown otherwise. Functions need no
    /// configuration.
    fn function(&self, provider: &ProviderAddress, name: &str) -> Option<ProviderFunction> {
        self.others()?.function(provider, name)
    }

    /// Whether results of functions that nobody answers are made up.
    fn invents_functions(&self) -> bool {
        self.others().is_some_and(Providers::invents_functions)
    }

    /// The parts of an object that were made up, and that a real provider would choose otherwise.
    fn invented(&self, address: &str) -> Vec<Path> {
        self.others().map(|others| others.invented(address)).unwrap_or_default()
    }

    /// An object of a type as references see it: its parts may have other types than here, where its schema is assumed.
    fn as_seen(
        &self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        schema: &Schema,
        object: Value,
    ) -> Value {
        match self.others() {
            Some(others) => others.as_seen(provider, resource_type, schema, object),
            None => object,
        }
    }

    /// Why a change of a part replaces objects of a type, as far as that was learned: `engine_version forces replacement in 12
    /// of 12 probes of hashicorp/aws 5.100.0`.
    fn learned_replacement(
        &self,
        provider: &ProviderAddress,
        resource_type: &str,
        part: &str,
    ) -> Option<String> {
        self.others()?.learned_replacement(provider, resource_type, part)
    }

    /// Whether a resource type is planned with a model.
    fn is_learned(&self, provider: &ProviderAddress, resource_type: &str) -> bool {
        self.others().is_some_and(|others| others.is_learned(provider, resource_type))
    }

    /// Whether data sources that are configured as the state has them may be taken from there, in a plan without refreshing.
    fn keeps_data(&self, provider: &ProviderAddress) -> bool {
        self.others().is_some_and(|others| others.keeps_data(provider))
    }

    /// Answers a call with the [`ProviderReply`] of its kind.
    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply;
}

/// The calls: the variant of [`ProviderCall`] and [`ProviderReply`], the method of [`ProvidersExt`], and what is answered.
macro_rules! calls {
    ($($(#[doc = $doc:literal])* $call:ident: $method:ident($($argument:ident: $ty:ty),+) -> $answer:ty;)*) => {
        /// A call to a provider.
        #[derive(Clone, Copy)]
        pub enum ProviderCall<'a> {
            $($(#[doc = $doc])* $call($($ty),+),)*
        }

        /// A reply to the call of the same name.
        pub enum ProviderReply {
            $(#[doc = concat!("The reply to [`ProviderCall::", stringify!($call), "`].")] $call($answer),)*
        }

        impl fmt::Debug for ProviderCall<'_> {
            /// Its name alone: values may be secret.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$call(..) => stringify!($call),)*
                })
            }
        }

        impl fmt::Debug for ProviderReply {
            /// Its name alone: values may be secret.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$call(_) => stringify!($call),)*
                })
            }
        }

        /// The calls, each as a method that gives what its reply holds.
        pub trait ProvidersExt: Providers {
            $($(#[doc = $doc])*
            fn $method<'a>(&mut self, provider: &ProviderConfigAddress, $($argument: $ty),+) -> $answer {
                match self.call(provider, ProviderCall::$call($($argument),+)) {
                    ProviderReply::$call(answer) => answer,
                    _ => Failing::failed(mixed_up(provider)),
                }
            })*
        }
    };
}

impl<P: Providers + ?Sized> ProvidersExt for P {}

calls! {
    /// Validates a configuration by the provider's own rules, by kind and name of its type.
    Validate: validate(kind: SchemaKind, type_name: &'a str, config: &'a Value) -> Vec<Diagnostic>;
    /// Configures a provider; what it says of that.
    Configure: configure(config: &'a Value) -> Vec<Diagnostic>;
    /// Upgrades a stored object to the current schema; `None` if only the provider could, so that the object is read by
    /// the current schema.
    Upgrade: upgrade(stored: StoredObject<'a>) -> Option<Answered<Value>>;
    /// Upgrades the stored identity of an object of a type, by the version of its schema and as JSON; `None` if only the provider
    /// could.
    UpgradeIdentity: upgrade_identity(resource_type: &'a str, version: i64, json: &'a str) -> Option<Answered<Value>>;
    /// Plans a change of an object of a type, whose address names the instance. An error is that the provider does not answer.
    Plan: plan(resource_type: &'a str, address: &'a str, request: &'a PlanResourceChange) -> Result<PlannedResource, ProviderError>;
    /// Plans to destroy an object, by its type and address; returns the identity that the provider plans, if any.
    PlanDestroy: plan_destroy(resource_type: &'a str, address: &'a str, schema: &'a Schema, object: &'a ProviderObject) -> Answered<Option<Value>>;
    /// The object of this type and address as it is now; null if it is gone.
    Read: read(resource_type: &'a str, address: &'a str, schema: &'a Schema, object: &'a ProviderObject) -> Answered<ProviderObject>;
    /// Reads a data source, whose address names the instance, with a configuration.
    ReadData: read_data(address: &'a str, schema: &'a Schema, config: &'a Value) -> DataAnswer;
    /// Opens an ephemeral resource, whose address names the instance, with a configuration.
    Open: open(address: &'a str, schema: &'a Schema, config: &'a Value) -> DataAnswer;
    /// Imports the object with this identifier or identity, parts of which may be unknown, to an address.
    Import: import(address: &'a str, schema: &'a Schema, by: &'a ImportedBy) -> ImportAnswer;
    /// Plans to invoke an action of a type, with a configuration parts of which may be unknown; what its provider says of that.
    PlanAction: plan_action(action_type: &'a str, config: &'a Value) -> Vec<Diagnostic>;
    /// Makes a planned change of an object of a type, whose address names the instance. An error is that the provider does not
    /// answer.
    Apply: apply(resource_type: &'a str, address: &'a str, request: &'a ApplyResourceChange) -> Result<AppliedResource, ProviderError>;
    /// The object of another resource type as one of this type.
    Move: move_object(request: &'a MoveObject<'a>) -> Answered<ProviderObject>;
}

/// The reply of providers that apply nothing.
pub fn not_applied(address: &str) -> ProviderReply {
    let mut error = Diagnostic::error("Nothing is applied here");
    error.detail = format!("Nobody makes the change of {address}.");
    ProviderReply::Apply(Ok(AppliedResource::failed(error)))
}

/// The error for a reply to another call.
fn mixed_up(provider: &ProviderConfigAddress) -> Diagnostic {
    let mut error = Diagnostic::error("Reply to another call");
    error.detail = format!("{provider} answers a call with the reply to another one.");
    error
}

/// Replies that can carry an error.
trait Failing {
    fn failed(error: Diagnostic) -> Self;
}

impl Failing for Vec<Diagnostic> {
    fn failed(error: Diagnostic) -> Self {
        vec![error]
    }
}

impl<T> Failing for Answered<T> {
    fn failed(error: Diagnostic) -> Self {
        Err(vec![error])
    }
}

impl<T: Failing> Failing for Option<T> {
    fn failed(error: Diagnostic) -> Self {
        Some(T::failed(error))
    }
}

impl Failing for DataAnswer {
    fn failed(error: Diagnostic) -> Self {
        Self::Failed(vec![error])
    }
}

impl Failing for ImportAnswer {
    fn failed(error: Diagnostic) -> Self {
        Self::Failed(vec![error])
    }
}

impl<T> Failing for Result<T, ProviderError> {
    fn failed(error: Diagnostic) -> Self {
        Err(format!("{}: {}", error.summary, error.detail).into())
    }
}
