//! Calls and replies that the engine has no types for.

use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use objchange::Value;
use objchange::change::{DeferredReason, Diagnostic, PrivateData};
use smol_str::SmolStr;

/// A kind of component that a provider has configurations for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Component {
    /// The provider itself; it has no name.
    Provider,
    /// A managed resource type.
    Resource,
    /// A data source.
    DataSource,
    /// An ephemeral resource type.
    EphemeralResource,
    /// A list resource type.
    ListResource,
    /// An action type.
    Action,
    /// A state store.
    StateStore,
}

impl Component {
    /// The kinds of components that have names. A provider may have many of each.
    pub const NAMED: [Self; 6] = [
        Self::Resource,
        Self::DataSource,
        Self::EphemeralResource,
        Self::ListResource,
        Self::Action,
        Self::StateStore,
    ];

    /// Its stable name.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Resource => "resource",
            Self::DataSource => "data_source",
            Self::EphemeralResource => "ephemeral_resource",
            Self::ListResource => "list_resource",
            Self::Action => "action",
            Self::StateStore => "state_store",
        }
    }

    /// Its name in sentences.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Provider => "provider configuration",
            Self::Resource => "resource type",
            Self::DataSource => "data source",
            Self::EphemeralResource => "ephemeral resource type",
            Self::ListResource => "list resource type",
            Self::Action => "action type",
            Self::StateStore => "state store",
        }
    }
}

/// An object or identity in its stored form, possibly of an older schema.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct RawState {
    /// As JSON.
    pub json: Vec<u8>,
    /// The flat map of Terraform 0.11, which only the provider can read.
    pub flatmap: BTreeMap<String, String>,
}

impl RawState {
    /// An object stored as JSON.
    pub fn json(json: impl Into<Vec<u8>>) -> Self {
        Self { json: json.into(), flatmap: BTreeMap::new() }
    }
}

/// A request to upgrade a stored object to the current schema.
#[derive(Clone)]
pub struct UpgradeResource {
    /// The resource type.
    pub type_name: SmolStr,
    /// The version of the stored object's schema.
    pub version: i64,
    /// The object, or its identity.
    pub stored: RawState,
}

/// A request to read an object.
#[derive(Clone)]
pub struct ReadResource {
    /// The resource type.
    pub type_name: SmolStr,
    /// The known object.
    pub state: Value,
    /// The provider's private data for the object.
    pub private: PrivateData,
    /// The identity of the object at the provider.
    pub identity: Option<Value>,
    /// The provider may defer its answer.
    pub deferral_allowed: bool,
}

/// A request to import an object.
#[derive(Clone)]
pub struct ImportResource {
    /// The resource type.
    pub type_name: SmolStr,
    /// The object to import.
    pub target: ImportTarget,
    /// The provider may defer its answer.
    pub deferral_allowed: bool,
}

/// The object to import, by ID or identity.
#[derive(Clone)]
pub enum ImportTarget {
    /// By its import identifier.
    Id(String),
    /// By its identity.
    Identity(Value),
}

/// A request to move an object to this type from another type, possibly of another provider.
#[derive(Clone)]
pub struct MoveResource {
    /// The address of the source provider.
    pub source_provider: String,
    /// Its type there.
    pub source_type: String,
    /// The version of the stored object's schema.
    pub source_version: i64,
    /// The object.
    pub source: RawState,
    /// The source provider's private data for the object.
    pub source_private: PrivateData,
    /// Its identity, with the version of the schema that this was stored under.
    pub source_identity: Option<(i64, RawState)>,
    /// The target type.
    pub type_name: SmolStr,
}

/// An object in a provider's answer. The type has no schema to tell which parts are sensitive, so
/// [`Debug`](fmt::Debug) shows none of its content.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Answer {
    /// The object; `None` if the provider sent none.
    pub object: Option<Value>,
    /// The provider's private data to store with the object.
    pub private: PrivateData,
    /// The identity of the object at the provider.
    pub identity: Option<Value>,
    /// Why the provider cannot answer yet, if it cannot.
    pub deferred: Option<DeferredReason>,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

impl Answer {
    /// An answer with this object, and nothing else.
    pub fn new(object: Value) -> Self {
        Self { object: Some(object), ..Self::default() }
    }

    /// An answer with this error, and no object.
    pub fn failed(error: Diagnostic) -> Self {
        Self { diagnostics: vec![error], ..Self::default() }
    }
}

/// The result of an import.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ImportAnswer {
    /// The imported objects. Terraform expects exactly one.
    pub resources: Vec<Imported>,
    /// Why the provider cannot answer yet, if it cannot.
    pub deferred: Option<DeferredReason>,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// An imported object.
#[derive(Clone, PartialEq)]
pub struct Imported {
    /// Its type.
    pub type_name: SmolStr,
    /// The object, often with only the attributes that are needed to read it; `None` if the answer has none.
    pub object: Option<Value>,
    /// The provider's private data to store with the object.
    pub private: PrivateData,
    /// The identity of the object at the provider.
    pub identity: Option<Value>,
}

/// The result of opening or renewing an ephemeral resource.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Opened {
    /// The object; `None` if the answer has none, and always after renewing.
    pub object: Option<Value>,
    /// When it has to be renewed.
    pub renew_at: Option<SystemTime>,
    /// Private data that the provider gets back.
    pub private: Option<PrivateData>,
    /// Why the provider cannot open the resource yet, if it cannot.
    pub deferred: Option<DeferredReason>,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// A request to list objects.
#[derive(Clone)]
pub struct ListQuestion {
    /// The list resource type.
    pub type_name: SmolStr,
    /// The configuration, which selects the objects.
    pub config: Value,
    /// Whether the answer should have the objects, not only their identities.
    pub include_objects: bool,
    /// The maximum number of objects.
    pub limit: i64,
}

/// A listed object.
#[derive(Clone, PartialEq)]
pub struct Listed {
    /// The identity of the object at the provider.
    pub identity: Option<Value>,
    /// Its name for people.
    pub display_name: String,
    /// The object, if it was requested.
    pub object: Option<Value>,
    /// The provider's diagnostics about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// The result of a provider's function.
#[derive(Clone, PartialEq)]
pub enum FunctionAnswer {
    /// Its result; `None` if the answer has none.
    Result(Option<Value>),
    /// The call failed.
    Error {
        /// The error message.
        text: String,
        /// The position of the wrong argument, from 0.
        argument: Option<i64>,
    },
}

/// An event while an action runs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ActionEvent {
    /// A progress message.
    Progress(String),
    /// The end of the action.
    Completed(Vec<Diagnostic>),
}

/// The plan of an action.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActionPlan {
    /// Why the provider cannot invoke the action yet, if it cannot.
    pub deferred: Option<DeferredReason>,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// Optional capabilities of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// The provider also plans the destruction of an object.
    pub plan_destroy: bool,
    /// Other calls may come before any request for the schemas.
    pub schema_optional: bool,
    /// The provider can move objects from other types.
    pub move_state: bool,
    /// The provider can generate the configuration of an object.
    pub generate_config: bool,
}

/// The names of a provider's components, without their schemas.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Metadata {
    /// The names of each kind, sorted.
    pub names: BTreeMap<Component, Vec<SmolStr>>,
    /// The names of the functions, sorted.
    pub functions: Vec<SmolStr>,
    /// Its capabilities.
    pub capabilities: Capabilities,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// The result of configuring a state store.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoreConfigured {
    /// The number of bytes of a state in one message.
    pub chunk_size: i64,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// A state in a state store. It may hold secrets.
#[derive(Clone, PartialEq, Default)]
pub struct StoredState {
    /// Its bytes.
    pub state: Vec<u8>,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// The result of locking a state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Locked {
    /// The identifier for unlocking the state.
    pub lock: String,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// The states that a state store has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateIds {
    /// The identifiers of the states.
    pub ids: Vec<String>,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// Implements `Debug` with these fields only. The others hold values, and without a schema it is unknown which
/// parts are secret.
macro_rules! opaque {
    ($($ty:ident { $($field:ident),* })*) => {
        $(impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($ty))$(.field(stringify!($field), &self.$field))*.finish_non_exhaustive()
            }
        })*
    };
}

opaque! {
    RawState {}
    UpgradeResource { type_name, version }
    ReadResource { type_name, private, deferral_allowed }
    ImportResource { type_name, deferral_allowed }
    MoveResource { source_provider, source_type, source_version, type_name }
    Answer { private, deferred }
    ImportAnswer { resources, deferred }
    Imported { type_name, private }
    Opened { renew_at, private, deferred }
    ListQuestion { type_name, include_objects, limit }
    Listed {}
    StoredState {}
}

impl fmt::Debug for ImportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id(_) => "Id(…)",
            Self::Identity(_) => "Identity(…)",
        })
    }
}

impl fmt::Debug for FunctionAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result(_) => f.write_str("Result(…)"),
            Self::Error { argument, .. } => {
                f.debug_struct("Error").field("argument", argument).finish_non_exhaustive()
            }
        }
    }
}
