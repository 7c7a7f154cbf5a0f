//! The `tfconfig/v2` collections: the configuration that a plan was made from.
//!
//! Addresses of modules have no instance keys here ([`strip_keys`](objchange::address::strip_keys)). Expressions are
//! passed through as the plan has them: `{"constant_value": …}`, `{"references": […]}`, and blocks as lists of maps of
//! these.
//!
//! ```
//! use objchange::address::strip_keys;
//! use objchange_policy::tfconfig::TfConfig;
//! use objchange_document::Plan;
//! use objchange_policy::Redacted;
//!
//! let plan = Plan::parse(
//!     r#"{"format_version":"1.2","configuration":{"root_module":{"module_calls":{"web":{"source":"./web","module":{
//!         "resources":[{"address":"disk.a","mode":"managed","type":"disk","name":"a","provider_config_key":"disk",
//!             "expressions":{"size":{"constant_value":10}}}]}}}}}}"#,
//! )?;
//! let tfconfig = TfConfig::new(&plan)?;
//! let disk = tfconfig.resources.get(&strip_keys("module.web[1].disk.a[0]")).unwrap();
//! assert_eq!(serde_json::to_string(&Redacted(&disk.config))?, r#"{"size":{"constant_value":10}}"#);
//! assert_eq!(&*disk.provider_config_key, "module.web:disk");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod written;

use objchange_document::Text;
use objchange_document::json::Json;

use crate::collection::{Collection, Marked};
pub use crate::collection::{Expressions, Provisioner};

/// The collections of a configuration.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct TfConfig<'t> {
    /// The configurations of providers, by module, `:` and name with alias.
    pub providers: Collection<'t, Provider<'t>>,
    /// The resources and data sources of all modules, by address.
    pub resources: Collection<'t, Resource<'t>>,
    /// The provisioners of all resources, by the address of the resource, `:` and their position.
    pub provisioners: Collection<'t, Provisioner<'t>>,
    /// The variables of all modules, by module, `:` and name.
    pub variables: Collection<'t, Variable<'t>>,
    /// The outputs of all modules, by module, `:` and name.
    pub outputs: Collection<'t, Output<'t>>,
    /// The calls of modules, by the calling module, `:` and name.
    pub module_calls: Collection<'t, ModuleCall<'t>>,
}

/// The configuration of a provider.
#[derive(Debug)]
#[non_exhaustive]
pub struct Provider<'t> {
    /// Its key: in a module after the address of that and `:`; the name, and after a dot the alias.
    pub provider_config_key: Text<'t>,
    /// Its name.
    pub name: Text<'t>,
    /// Its source address; may be empty.
    pub full_name: Text<'t>,
    /// The alias; may be empty.
    pub alias: Text<'t>,
    /// The address of its module; empty in the root module.
    pub module_address: Text<'t>,
    /// The expressions in it.
    pub config: Expressions<'t>,
    /// The constraint on its version; may be empty.
    pub version_constraint: Text<'t>,
    /// Nobody has its schema, which says what is a block: its expressions are unknown.
    is_schemaless: bool,
}

/// A resource or data source of the configuration, for all of its instances.
#[derive(Debug)]
#[non_exhaustive]
pub struct Resource<'t> {
    /// Its address, without instance keys.
    pub address: Text<'t>,
    /// The address of its module; empty in the root module.
    pub module_address: Text<'t>,
    /// `managed` or `data`.
    pub mode: Text<'t>,
    /// The resource type.
    pub resource_type: Text<'t>,
    /// The name in its module.
    pub name: Text<'t>,
    /// The key of the configuration of its provider, as its own module has it.
    pub provider_config_key: Text<'t>,
    /// Its provisioners in their order.
    pub provisioners: Vec<Provisioner<'t>>,
    /// The expressions in it.
    pub config: Expressions<'t>,
    /// The expression of `count`; may be empty.
    pub count: Expressions<'t>,
    /// The expression of `for_each`; may be empty.
    pub for_each: Expressions<'t>,
    /// The references in `depends_on`.
    pub depends_on: Vec<Text<'t>>,
    /// Nobody has its schema, which says what is a block: its expressions are unknown.
    is_schemaless: bool,
}

/// A variable of a module.
#[derive(Debug)]
#[non_exhaustive]
pub struct Variable<'t> {
    /// The address of its module; empty in the root module.
    pub module_address: Text<'t>,
    /// Its name.
    pub name: Text<'t>,
    /// The description; may be empty.
    pub description: Text<'t>,
    /// Its value must not be shown.
    pub sensitive: bool,
    default: Json<'t>,
}

/// An output of a module.
#[derive(Debug)]
#[non_exhaustive]
pub struct Output<'t> {
    /// The address of its module; empty in the root module.
    pub module_address: Text<'t>,
    /// Its name.
    pub name: Text<'t>,
    /// Its value must not be shown.
    pub sensitive: bool,
    /// The expression.
    pub value: Expressions<'t>,
    /// The description; may be empty.
    pub description: Text<'t>,
    /// The references in `depends_on`.
    pub depends_on: Vec<Text<'t>>,
}

/// A call of a module.
#[derive(Debug)]
#[non_exhaustive]
pub struct ModuleCall<'t> {
    /// The address of the module that calls; empty for the root module.
    pub module_address: Text<'t>,
    /// The name of the call.
    pub name: Text<'t>,
    /// Where the module is from.
    pub source: Text<'t>,
    /// The arguments of the call.
    pub config: Expressions<'t>,
    /// The expression of `count`; may be empty.
    pub count: Expressions<'t>,
    /// The expression of `for_each`; may be empty.
    pub for_each: Expressions<'t>,
    /// The references in `depends_on`.
    pub depends_on: Vec<Text<'t>>,
    /// The constraint on its version; may be empty.
    pub version_constraint: Text<'t>,
}

impl<'t> Variable<'t> {
    /// The default; null without one.
    pub fn default(&self) -> Marked<'_, 't> {
        let value = self.default.view();
        Marked::known(value, [value.bool(self.sensitive && !value.is_null()); 2])
    }
}
