//! Builds a provider from schemas and closures: resource types, data sources, functions and everything else.
//!
//! A [`Kit`] keeps the contract by default, and a resource type needs only a schema. It is made for tests,
//! and can be faulty: a [`Fault`] violates one clause of the contract between a provider and Terraform.
//!
//! ```
//! use objchange::schema::{Attribute, Block};
//! use objchange::{Type, Value};
//! use objchange_conform::kit::{Kit, ResourceType};
//! use objchange_provider::{Answer, ProviderExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> objchange_provider::Result<()> {
//! let disk = Block::new(
//!     [("id", Attribute::computed(Type::String)), ("size", Attribute::required(Type::Number))],
//!     [],
//! );
//! let kit = Kit::default()
//!     .resource("kit_disk", ResourceType::new(disk.clone()))
//!     .data_source("kit_disk", disk, |config: &Value| Answer::new(config.clone()));
//! assert_eq!(kit.schemas().await?.resources.len(), 1);
//! # Ok(())
//! # }
//! ```

mod edit;
mod fault;
mod faulty_behavior;
mod leaky;
mod misdeclared;
mod resource;
mod service;
mod trial;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::{Block, Schema};
use objchange_provider::{
    ActionEvent, ActionPlan, Answer, Call, Capabilities, Component, ErrorKind, Function, FunctionAnswer,
    ListQuestion, Listed, Opened, Provider, Reply, Result, Schemas,
};
use smol_str::SmolStr;

pub use self::fault::{Fault, Stage};
pub use self::leaky::{Leaky, Planted};
pub use self::misdeclared::{Misdeclared, misdeclared};
pub use self::resource::ResourceType;
pub use self::service::service;
pub use self::trial::{faulty, trial_block, trial_config};

type Configure = Box<dyn Fn(&Value) -> Vec<Diagnostic> + Send + Sync>;
type Data = Box<dyn Fn(&Value) -> Answer + Send + Sync>;
type Calculate = Box<dyn Fn(&[Value]) -> FunctionAnswer + Send + Sync>;
type Open = Box<dyn Fn(&Value) -> Opened + Send + Sync>;
type List = Box<dyn Fn(&ListQuestion) -> Vec<Listed> + Send + Sync>;
type Invoke = Box<dyn Fn(&Value) -> Vec<ActionEvent> + Send + Sync>;

/// A provider made of schemas and closures.
pub struct Kit {
    schemas: Schemas,
    configure: Option<Configure>,
    resources: BTreeMap<SmolStr, ResourceType>,
    data_sources: BTreeMap<SmolStr, Data>,
    functions: BTreeMap<SmolStr, Calculate>,
    ephemeral_resources: BTreeMap<SmolStr, Open>,
    lists: BTreeMap<SmolStr, List>,
    actions: BTreeMap<SmolStr, Invoke>,
    /// The schemas in the form that answers share.
    shared: OnceLock<Arc<Schemas>>,
}

impl std::fmt::Debug for Kit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kit").field("resources", &self.resources.keys()).finish_non_exhaustive()
    }
}

/// A provider without a configuration of its own, without types and functions.
impl Default for Kit {
    fn default() -> Self {
        let mut schemas = Schemas::default();
        schemas.provider = Some(Schema::new(0, Block::new::<&str>([], [])));
        schemas.capabilities = Capabilities {
            plan_destroy: true,
            move_state: true,
            generate_config: true,
            ..Capabilities::default()
        };
        Self {
            schemas,
            configure: None,
            resources: BTreeMap::new(),
            data_sources: BTreeMap::new(),
            functions: BTreeMap::new(),
            ephemeral_resources: BTreeMap::new(),
            lists: BTreeMap::new(),
            actions: BTreeMap::new(),
            shared: OnceLock::new(),
        }
    }
}

impl Kit {
    /// Gives the provider a configuration of its own.
    #[must_use]
    pub fn configuration(mut self, block: Block) -> Self {
        self.schemas.provider = Some(Schema::new(0, block));
        self
    }

    /// Sets how the provider is configured.
    #[must_use]
    pub fn on_configure(mut self, f: impl Fn(&Value) -> Vec<Diagnostic> + Send + Sync + 'static) -> Self {
        self.configure = Some(Box::new(f));
        self
    }

    /// Adds a resource type.
    #[must_use]
    pub fn resource(mut self, name: impl Into<SmolStr>, resource: ResourceType) -> Self {
        let name = name.into();
        self.schemas.resources.insert(name.clone(), resource.schema.clone());
        if let Some(identity) = &resource.identity {
            self.schemas.identities.insert(name.clone(), identity.clone());
        }
        self.resources.insert(name, resource);
        self
    }

    /// Adds a data source.
    #[must_use]
    pub fn data_source(
        mut self,
        name: impl Into<SmolStr>,
        block: Block,
        read: impl Fn(&Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.schemas.data_sources.insert(name.clone(), Schema::new(0, block));
        self.data_sources.insert(name, Box::new(read));
        self
    }

    /// Adds a function.
    #[must_use]
    pub fn function(
        mut self,
        name: impl Into<SmolStr>,
        function: Function,
        call: impl Fn(&[Value]) -> FunctionAnswer + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.schemas.functions.insert(name.clone(), function);
        self.functions.insert(name, Box::new(call));
        self
    }

    /// Sets the capabilities of the provider. By default a kit has all of them: every type can be moved to,
    /// and generates configuration for its objects.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Capabilities) -> Self {
        self.schemas.capabilities = capabilities;
        self
    }

    /// Adds an ephemeral resource type. Renewing changes nothing, and closing does nothing.
    #[must_use]
    pub fn ephemeral_resource(
        mut self,
        name: impl Into<SmolStr>,
        block: Block,
        open: impl Fn(&Value) -> Opened + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.schemas.ephemeral_resources.insert(name.clone(), Schema::new(0, block));
        self.ephemeral_resources.insert(name, Box::new(open));
        self
    }

    /// Adds a list resource for the resource type of this name.
    #[must_use]
    pub fn list_resource(
        mut self,
        name: impl Into<SmolStr>,
        block: Block,
        list: impl Fn(&ListQuestion) -> Vec<Listed> + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.schemas.list_resources.insert(name.clone(), Schema::new(0, block));
        self.lists.insert(name, Box::new(list));
        self
    }

    /// Adds an action.
    #[must_use]
    pub fn action(
        mut self,
        name: impl Into<SmolStr>,
        block: Block,
        invoke: impl Fn(&Value) -> Vec<ActionEvent> + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.schemas.actions.insert(name.clone(), Schema::new(0, block));
        self.actions.insert(name, Box::new(invoke));
        self
    }

    fn find(&self, name: &str) -> Result<&ResourceType> {
        found(&self.resources, Component::Resource, name)
    }
}

fn found<'k, T>(all: &'k BTreeMap<SmolStr, T>, what: Component, name: &str) -> Result<&'k T> {
    let unknown = || ErrorKind::UnknownName { what: what.noun(), name: name.to_owned() };
    Ok(all.get(name).ok_or_else(unknown)?)
}

#[async_trait]
impl Provider for Kit {
    async fn call(&self, call: Call<'_>) -> Result<Reply> {
        Ok(match call {
            Call::Schemas => self.shared.get_or_init(|| Arc::new(self.schemas.clone())).clone().into(),
            Call::Metadata => self.schemas.metadata().into(),
            Call::Validate(Component::Resource, name, config) => self.find(name)?.validated(config)?.into(),
            Call::Configure(config) => {
                self.configure.as_ref().map(|configure| configure(config)).unwrap_or_default().into()
            }
            Call::Validate(..) | Call::Close(..) => Vec::<Diagnostic>::new().into(),
            Call::Upgrade(request) => self.find(&request.type_name)?.upgraded(request)?.into(),
            Call::Read(request) => self.find(&request.type_name)?.read(request)?.into(),
            Call::Plan(name, request) => self.find(name)?.planned(request)?.into(),
            Call::Apply(name, request) => self.find(name)?.applied(request)?.into(),
            Call::Import(request) => self.find(&request.type_name)?.imported(request)?.into(),
            Call::Move(request) => self.find(&request.type_name)?.moved(request)?.into(),
            Call::GenerateConfig(name, state) => self.find(name)?.generated(state).into(),
            Call::ReadData(name, config) => {
                found(&self.data_sources, Component::DataSource, name)?(config).into()
            }
            Call::Open(name, config) => {
                found(&self.ephemeral_resources, Component::EphemeralResource, name)?(config).into()
            }
            Call::Renew(_, private) => {
                let mut renewed = Opened::default();
                renewed.private = private.cloned();
                renewed.into()
            }
            Call::List(request) => {
                found(&self.lists, Component::ListResource, &request.type_name)?(request).into()
            }
            Call::PlanAction(..) => ActionPlan::default().into(),
            Call::InvokeAction(name, config) => found(&self.actions, Component::Action, name)?(config).into(),
            Call::CallFunction(name, arguments) => {
                let unknown = || ErrorKind::UnknownName { what: "function", name: name.to_owned() };
                self.functions.get(name).ok_or_else(unknown)?(arguments).into()
            }
            // The answer is the text of an error, and empty without one.
            Call::Stop => String::new().into(),
            _ => return Err(ErrorKind::Unimplemented.into()),
        })
    }
}
