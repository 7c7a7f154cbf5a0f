//! The inputs of a plan.

use std::collections::{BTreeMap, BTreeSet};

use objchange::Value;
use objchange::address::{InstanceAddress, ModuleAddress};
use objchange_document::{PlanMode, Version};
use objchange_hcl::{Functions, Span};
use smol_str::SmolStr;

use super::ActionAddress;
use crate::config::{Config, SourceDirectory};
use crate::state::PriorState;
use crate::target::Target;
use crate::{ProviderConfigAddress, Schemas};

/// The inputs of a plan.
#[derive(Debug)]
pub struct PlanInput<'a> {
    /// The modules.
    pub config: &'a Config,
    /// The schemas of the providers.
    pub schemas: &'a Schemas,
    /// The state before.
    pub state: &'a PriorState,
    /// The values given for the variables of the root module, one for each name, whatever sources there were.
    pub variables: &'a BTreeMap<SmolStr, GivenVariable>,
    /// The functions of expressions, with the files that they may read.
    pub functions: &'a Functions,
    /// How to plan.
    pub options: &'a PlanOptions,
}

/// A value given for a variable of the root module.
#[derive(Debug, Clone)]
pub struct GivenVariable {
    /// The value as it was given: not converted to the variable's type.
    pub value: Value,
    /// Where it comes from, as messages say it: `set using -var="n=..."`, `set using the TF_VAR_n environment variable`.
    pub origin: String,
    /// Its span in a file of values. Errors about the value point there, unless the variable is sensitive.
    pub span: Option<Span>,
}

/// How to plan.
#[derive(Debug, Clone)]
pub struct PlanOptions {
    /// The mode.
    pub mode: PlanMode,
    /// Whether managed resources are read first.
    pub refresh: bool,
    /// Whether only objects that would change otherwise are read.
    pub minimal_refresh: bool,
    /// The `-target` options; empty for the whole module.
    pub targets: Vec<Target>,
    /// The `-replace` options.
    pub replace: Vec<InstanceAddress>,
    /// The action that is invoked, or all of its instances: the plan is about that alone.
    pub invoke: Option<ActionAddress>,
    /// The name of the workspace. Without it `terraform.workspace` is unknown.
    pub workspace: Option<String>,
    /// The working directory, for `path.cwd`.
    pub working_directory: String,
    /// The version of Terraform whose rules apply.
    pub version: Version,
    /// The most instances that a plan may have.
    pub max_instances: usize,
    /// The plan is saved, as with `terraform plan -out`.
    pub is_saved: bool,
    /// The inputs that may be missing.
    pub accepts: AcceptsMissing,
    /// The state is elsewhere and was not read: any object may exist, with other values where changes of these are ignored.
    pub lacks_state: bool,
    /// Directories in which modules lie that nobody has installed.
    pub module_sources: Vec<SourceDirectory>,
    /// Overridden modules, of which only the outputs exist. The first match for an instance wins.
    pub overridden_modules: Vec<OverriddenModule>,
    /// Configurations of providers that the root module gets without a block, as from a test.
    pub given_providers: BTreeSet<ProviderConfigAddress>,
}

/// The inputs that a plan may be made without: what depends on them is unknown. Without any other
/// input there is no plan, as in Terraform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AcceptsMissing {
    /// Variables of the root module may have no value.
    pub variables: bool,
    /// Modules may be not installed.
    pub modules: bool,
    /// Providers may have no schemas.
    pub schemas: bool,
    /// Functions may read files that are not at hand, as in a plan file. The functions of the plan must answer with unknown
    /// values: [`Functions::without_files`](objchange_hcl::Functions::without_files).
    pub files: bool,
}

/// A module whose resources are not planned, as by `override_module` of a test.
#[derive(Debug, Clone)]
pub struct OverriddenModule {
    /// The module. Without a key at its end it names all instances.
    pub target: ModuleAddress,
    /// The outputs, by name; what is not there is null.
    pub outputs: Value,
}

impl PlanOptions {
    /// The outputs of an instance of an overridden module.
    pub(crate) fn overridden(&self, address: &ModuleAddress) -> Option<&Value> {
        let all = &self.overridden_modules;
        let own = all.iter().find(|overridden| overridden.target == *address);
        let of_all = || {
            let mut address = address.clone();
            address.0.last_mut()?.key = None;
            all.iter().find(|overridden| overridden.target == address)
        };
        own.or_else(of_all).map(|overridden| &overridden.outputs)
    }
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            mode: PlanMode::Normal,
            refresh: true,
            minimal_refresh: false,
            targets: Vec::new(),
            replace: Vec::new(),
            invoke: None,
            workspace: Some("default".to_owned()),
            working_directory: String::new(),
            version: Version::NEWEST,
            max_instances: 1 << 20,
            is_saved: false,
            accepts: AcceptsMissing::default(),
            lacks_state: false,
            module_sources: Vec::new(),
            overridden_modules: Vec::new(),
            given_providers: BTreeSet::new(),
        }
    }
}
