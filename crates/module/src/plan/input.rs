//! What a plan is made of.

use std::collections::BTreeMap;

use objchange::Value;
use objchange::address::{InstanceAddress, ModuleAddress};
use objchange_hcl::{Functions, Span};
use objchange_plan::Version;
use smol_str::SmolStr;

use crate::Schemas;
use crate::config::Config;
use crate::state::PriorState;

/// What a plan is made of.
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
    /// Where it stands in a file of values. What is wrong with the value is reported there, unless the variable is
    /// sensitive.
    pub span: Option<Span>,
}

/// How to plan.
#[derive(Debug, Clone)]
pub struct PlanOptions {
    /// The mode.
    pub mode: PlanMode,
    /// Whether managed resources are read first.
    pub refresh: bool,
    /// What `-target` names; all of the module where it names nothing.
    pub targets: Vec<Target>,
    /// What `-replace` names.
    pub replace: Vec<InstanceAddress>,
    /// The name of the workspace.
    pub workspace: String,
    /// The working directory, for `path.cwd`.
    pub working_directory: String,
    /// By the rules of which version of Terraform.
    pub version: Version,
    /// The most instances that a plan may have.
    pub max_instances: usize,
}

/// The mode of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlanMode {
    /// Makes the objects what the configuration says.
    #[default]
    Normal,
    /// Destroys all objects.
    Destroy,
    /// Changes the state alone.
    RefreshOnly,
}

/// What `-target` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// All of a module, or of all instances of one where keys are left out.
    Module(ModuleAddress),
    /// A resource, or an instance of it.
    Resource(InstanceAddress),
}

/// Whether a version is this one or a newer one.
pub(crate) fn since(version: Version, first: &str) -> bool {
    Version::parse(first).is_some_and(|first| version >= first)
}

impl Target {
    /// Whether it names this instance of a resource. Without a key it names all instances of a module or resource.
    pub fn contains(&self, address: &InstanceAddress) -> bool {
        let (module, resource) = match self {
            Self::Module(module) => (module, None),
            Self::Resource(target) => (&target.resource.module, Some(target)),
        };
        let steps = &address.resource.module.0;
        let is_inside = module.0.len() <= steps.len()
            && std::iter::zip(&module.0, steps)
                .all(|(a, b)| a.name == b.name && (a.key.is_none() || a.key == b.key));
        let Some(target) = resource else { return is_inside };
        let (a, b) = (&target.resource, &address.resource);
        is_inside
            && module.0.len() == steps.len()
            && (a.mode, &a.resource_type, &a.name) == (b.mode, &b.resource_type, &b.name)
            && (target.key.is_none() || target.key == address.key)
    }
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            mode: PlanMode::Normal,
            refresh: true,
            targets: Vec::new(),
            replace: Vec::new(),
            workspace: "default".to_owned(),
            working_directory: String::new(),
            version: Version::NEWEST,
            max_instances: 1 << 20,
        }
    }
}
