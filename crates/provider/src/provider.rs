//! The calls of the protocol, over any transport.

use std::sync::Arc;

use async_trait::async_trait;
use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
};

use crate::call::{
    ActionEvent, ActionPlan, Answer, FunctionAnswer, ImportAnswer, ImportResource, ListQuestion, Listed,
    Locked, Metadata, MoveResource, Opened, ReadResource, StateIds, StoreConfigured, StoredState,
    UpgradeResource,
};
use crate::wire::{Method, Protocol};
use crate::{Component, Error, ErrorKind, Result, Schemas};

/// A provider: a process at the other end of a connection ([`Client`](crate::Client)), or something in this program that
/// behaves like one, such as `Kit` of `objchange-conform`.
///
/// [`ProviderExt`] has a method for each call. Wrappers of a provider forward this one function, and so
/// cannot forget a call.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Answers a call with the [`Reply`] of its kind. Values are of the types that the provider's schemas imply, and carry no
    /// marks.
    ///
    /// # Errors
    ///
    /// There is no answer: [`ErrorKind::Unimplemented`] if the provider does not have the call.
    async fn call(&self, call: Call<'_>) -> Result<Reply>;
}

/// The calls: the variant of [`Call`], the method of [`ProviderExt`], and the type of the reply.
macro_rules! calls {
    ($($(#[doc = $doc:literal])* $call:ident: $method:ident $(($($argument:ident: $ty:ty),+))? -> $answer:ty, $wire:ident;)*) => {
        /// A request to a provider.
        #[derive(Clone, Copy)]
        #[non_exhaustive]
        pub enum Call<'a> {
            $($(#[doc = $doc])* $call$(($($ty),+))?,)*
            /// Whether a configuration is valid: of a kind, by its name. It may have unknown parts.
            Validate(Component, &'a str, &'a Value),
        }

        impl Call<'_> {
            pub(crate) fn method(self) -> Method {
                match self {
                    $(Self::$call { .. } => Method::$wire,)*
                    Self::Validate(component, ..) => Method::validation(component),
                }
            }
        }

        /// The calls of a [`Provider`], each as a method that returns the content of its reply.
        ///
        /// # Errors
        ///
        /// As for [`Provider::call`].
        pub trait ProviderExt: Provider {
            $($(#[doc = $doc])*
            fn $method<'a>(&'a self $($(, $argument: $ty)+)?) -> impl Future<Output = Result<$answer>> + Send + 'a {
                ask(self, Call::$call$(($($argument),+))?)
            })*

            /// Whether a configuration is valid. It may have unknown parts.
            fn validate<'a>(
                &'a self,
                component: Component,
                name: &'a str,
                config: &'a Value,
            ) -> impl Future<Output = Result<Vec<Diagnostic>>> + Send + 'a {
                ask(self, Call::Validate(component, name, config))
            }
        }
    };
}

impl<P: Provider + ?Sized> ProviderExt for P {}

async fn ask<T>(provider: &(impl Provider + ?Sized), call: Call<'_>) -> Result<T>
where
    T: TryFrom<Reply, Error = Error>,
{
    provider.call(call).await?.try_into()
}

calls! {
    /// Returns all schemas. The answer never changes.
    Schemas: schemas -> Arc<Schemas>, SCHEMA;
    /// Lists the names of everything that the provider has. The schemas contain the names as well.
    Metadata: metadata -> Metadata, METADATA;
    /// Gives the provider its own configuration. It may have unknown parts.
    Configure: configure(config: &'a Value) -> Vec<Diagnostic>, CONFIGURE;
    /// Upgrades a stored object to the present schema.
    Upgrade: upgrade(request: &'a UpgradeResource) -> Answer, UPGRADE;
    /// Upgrades a stored identity to its present schema; the answer has no object.
    UpgradeIdentity: upgrade_identity(request: &'a UpgradeResource) -> Answer, UPGRADE_IDENTITY;
    /// Reads an object.
    Read: read(request: &'a ReadResource) -> Answer, READ;
    /// Plans a change of an object of a type.
    Plan: plan(type_name: &'a str, request: &'a PlanResourceChange) -> PlannedResource, PLAN;
    /// Applies a planned change of an object of a type.
    Apply: apply(type_name: &'a str, request: &'a ApplyResourceChange) -> AppliedResource, APPLY;
    /// Finds an object that Terraform does not know yet.
    Import: import(request: &'a ImportResource) -> ImportAnswer, IMPORT;
    /// Takes over an object of another type.
    Move: move_state(request: &'a MoveResource) -> Answer, MOVE;
    /// Writes a configuration for an object of a type.
    GenerateConfig: generate_config(type_name: &'a str, state: &'a Value) -> Answer, GENERATE;
    /// Reads a data source, by its name and configuration.
    ReadData: read_data(type_name: &'a str, config: &'a Value) -> Answer, READ_DATA;
    /// Opens an ephemeral resource, by its type and configuration.
    Open: open(type_name: &'a str, config: &'a Value) -> Opened, OPEN;
    /// Renews an ephemeral resource; the answer has no object.
    Renew: renew(type_name: &'a str, private: Option<&'a PrivateData>) -> Opened, RENEW;
    /// Closes an ephemeral resource.
    Close: close(type_name: &'a str, private: Option<&'a PrivateData>) -> Vec<Diagnostic>, CLOSE;
    /// Lists objects.
    List: list(request: &'a ListQuestion) -> Vec<Listed>, LIST;
    /// Calls a function, by its name.
    CallFunction: call_function(name: &'a str, arguments: &'a [Value]) -> FunctionAnswer, CALL_FUNCTION;
    /// Plans an action of a type with a configuration.
    PlanAction: plan_action(type_name: &'a str, config: &'a Value) -> ActionPlan, PLAN_ACTION;
    /// Carries an action out, by its type and configuration.
    InvokeAction: invoke_action(type_name: &'a str, config: &'a Value) -> Vec<ActionEvent>, INVOKE_ACTION;
    /// Configures a state store, and offers the size of a state's chunks in bytes.
    ConfigureStore: configure_store(type_name: &'a str, config: &'a Value, chunk_size: i64) -> StoreConfigured, CONFIGURE_STORE;
    /// Reads the state of this identifier out of a state store.
    ReadState: read_state(type_name: &'a str, id: &'a str) -> StoredState, READ_STATE;
    /// Writes a state into a state store, in chunks of this many bytes.
    WriteState: write_state(type_name: &'a str, id: &'a str, state: &'a [u8], chunk_size: i64) -> Vec<Diagnostic>, WRITE_STATE;
    /// Locks a state for an operation, so that others cannot change it.
    LockState: lock_state(type_name: &'a str, id: &'a str, operation: &'a str) -> Locked, LOCK_STATE;
    /// Releases the lock of a state.
    UnlockState: unlock_state(type_name: &'a str, id: &'a str, lock: &'a str) -> Vec<Diagnostic>, UNLOCK_STATE;
    /// Lists the states of a state store.
    States: states(type_name: &'a str) -> StateIds, STATES;
    /// Removes a state from a state store.
    DeleteState: delete_state(type_name: &'a str, id: &'a str) -> Vec<Diagnostic>, DELETE_STATE;
    /// Asks the provider to stop its current work. The answer is an error, or empty.
    Stop: stop -> String, STOP;
}

impl Call<'_> {
    /// Its name in version 6 of the protocol.
    pub fn name(self) -> &'static str {
        self.method().name(Protocol::V6)
    }

    /// The type or function that is called; empty for the provider itself.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Schemas | Self::Metadata | Self::Configure(_) | Self::Stop => "",
            Self::Upgrade(request) | Self::UpgradeIdentity(request) => &request.type_name,
            Self::Read(request) => &request.type_name,
            Self::Import(request) => &request.type_name,
            Self::Move(request) => &request.type_name,
            Self::List(request) => &request.type_name,
            Self::Validate(_, name, _)
            | Self::Plan(name, _)
            | Self::Apply(name, _)
            | Self::GenerateConfig(name, _)
            | Self::ReadData(name, _)
            | Self::Open(name, _)
            | Self::Renew(name, _)
            | Self::Close(name, _)
            | Self::CallFunction(name, _)
            | Self::PlanAction(name, _)
            | Self::InvokeAction(name, _)
            | Self::ConfigureStore(name, ..)
            | Self::ReadState(name, _)
            | Self::WriteState(name, ..)
            | Self::LockState(name, ..)
            | Self::UnlockState(name, ..)
            | Self::States(name)
            | Self::DeleteState(name, _) => name,
        }
    }
}

/// The arguments may hold secrets.
impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(self.name()).field("type_name", &self.type_name()).finish_non_exhaustive()
    }
}

/// The replies to calls.
macro_rules! replies {
    ($($(#[doc = $doc:literal])* $reply:ident($ty:ty);)*) => {
        /// A provider's reply to a [`Call`].
        #[derive(Clone)]
        #[non_exhaustive]
        pub enum Reply {
            $($(#[doc = $doc])* $reply($ty),)*
        }

        $(impl From<$ty> for Reply {
            fn from(answer: $ty) -> Self {
                Self::$reply(answer)
            }
        }

        impl TryFrom<Reply> for $ty {
            type Error = Error;

            fn try_from(reply: Reply) -> Result<Self> {
                match reply {
                    Reply::$reply(answer) => Ok(answer),
                    other => Err(mismatch(&other)),
                }
            }
        })*

        /// The answers may hold secrets.
        impl std::fmt::Debug for Reply {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Self::$reply(_) => stringify!($reply),)*
                })
            }
        }
    };
}

replies! {
    /// The schemas.
    Schemas(Arc<Schemas>);
    /// The names of everything that the provider has.
    Metadata(Metadata);
    /// Diagnostics alone.
    Diagnostics(Vec<Diagnostic>);
    /// An object.
    Answer(Answer);
    /// A planned change.
    Planned(PlannedResource);
    /// An applied change.
    Applied(AppliedResource);
    /// Imported objects.
    Imported(ImportAnswer);
    /// An ephemeral resource.
    Opened(Opened);
    /// The objects that a list resource found.
    Listed(Vec<Listed>);
    /// The result of a function.
    Function(FunctionAnswer);
    /// The plan of an action.
    ActionPlan(ActionPlan);
    /// The events while an action ran.
    ActionEvents(Vec<ActionEvent>);
    /// A state store that is configured.
    StoreConfigured(StoreConfigured);
    /// A state.
    State(StoredState);
    /// The lock of a state.
    Locked(Locked);
    /// The states of a state store.
    StateIds(StateIds);
    /// The error of stopping, or empty.
    Stopped(String);
}

/// The error about a provider in this program that replies to another call than the one it got.
fn mismatch(reply: &Reply) -> Error {
    ErrorKind::Malformed { field: "reply", reason: format!("{reply:?} is the reply to another call") }.into()
}

impl Reply {
    /// The diagnostics about the call as a whole.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Metadata(answer) => &answer.diagnostics,
            Self::Diagnostics(diagnostics) => diagnostics,
            Self::Answer(answer) => &answer.diagnostics,
            Self::Planned(answer) => &answer.diagnostics,
            Self::Applied(answer) => &answer.diagnostics,
            Self::Imported(answer) => &answer.diagnostics,
            Self::Opened(answer) => &answer.diagnostics,
            Self::ActionPlan(answer) => &answer.diagnostics,
            Self::StoreConfigured(answer) => &answer.diagnostics,
            Self::State(answer) => &answer.diagnostics,
            Self::Locked(answer) => &answer.diagnostics,
            Self::StateIds(answer) => &answer.diagnostics,
            Self::Schemas(_)
            | Self::Listed(_)
            | Self::Function(_)
            | Self::ActionEvents(_)
            | Self::Stopped(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_named_as_in_the_protocol() {
        let config = Value::from("secret");
        let calls = [
            (Call::Schemas, "GetProviderSchema", ""),
            (Call::Validate(Component::DataSource, "t", &config), "ValidateDataResourceConfig", "t"),
            (Call::Configure(&config), "ConfigureProvider", ""),
            (Call::ReadData("t", &config), "ReadDataSource", "t"),
            (Call::DeleteState("t", "id"), "DeleteState", "t"),
        ];
        for (call, name, type_name) in calls {
            assert_eq!((call.name(), call.type_name()), (name, type_name));
            assert!(!format!("{call:?}").contains("secret"));
        }
    }

    #[test]
    fn a_reply_is_of_its_kind() {
        let said = vec![Diagnostic::warning("secret")];
        let reply = Reply::from(said.clone());
        assert_eq!(reply.diagnostics(), said);
        assert_eq!(format!("{reply:?}"), "Diagnostics");
        assert_eq!(Vec::<Diagnostic>::try_from(reply.clone()).unwrap(), said);
        let error = String::try_from(reply).unwrap_err();
        assert!(error.to_string().contains("Diagnostics is the reply to another call"), "{error}");
        assert!(!error.to_string().contains("secret"));
    }
}
