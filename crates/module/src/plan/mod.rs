//! Plans a module: inputs, the walk and the plan.

mod actions;
pub(crate) mod answer_checks;
mod calls;
pub(crate) mod check;
pub(crate) mod checks;
mod condition_checks;
pub(crate) mod conditions;
mod configure;
mod data;
mod deferred;
mod dependencies;
mod deprecated;
mod destroying;
mod ephemeral;
pub(crate) mod evaluated;
mod expand;
mod finish;
pub(crate) mod graph;
mod imports;
pub(crate) mod input;
mod instance_conditions;
pub(crate) mod instances;
pub(crate) mod inventions;
pub(crate) mod managed;
pub(crate) mod missing;
mod objects;
pub(crate) mod orphans;
mod outputs;
mod pending;
mod possible_defaults;
pub(crate) mod references;
mod refreshing;
mod relevant_attributes;
mod replace_order;
pub(crate) mod resource;
mod resource_block;
pub(crate) mod run;
pub(crate) mod simulated;
mod step_cycles;
mod stored_data;
pub(crate) mod targets;
mod triggers;
mod validate;
pub(crate) mod variable;
pub(crate) mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use objchange::Value;
use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ResourceAddress, module_of};
use objchange::schema::Schema;
use objchange::value::Path;
use objchange_document::Missing;
use objchange_hcl::{ActionName, OnFailure, ResourceName, Span, TriggerEvent};
use smol_str::SmolStr;

pub use self::deferred::{DeferralReason, Deferrals, DeferredInvocation, DeferredObject, OpenAddress};
pub use self::finish::compare_changes;
pub use self::relevant_attributes::relevant_attributes;
pub use crate::diagnostics::CheckKind;
pub use crate::providers::ImportedBy;
pub use crate::target::Target;
pub use input::{AcceptsMissing, GivenVariable, OverriddenModule, PlanInput, PlanOptions};
pub use missing::RankedMissing;
pub use objchange_document::PlanMode;
pub use references::{
    ExplainError, Explanation, ExplanationStep, ReferenceGraph, ReferenceKind, ReferenceNode,
};
pub use run::{plan, plan_and_explain, plan_and_rank_missing, plan_with_graph};

use crate::config::Config;
use crate::state::{PriorState, StateResource};
use crate::{Diagnostics, ProviderAddress};

/// A plan of a module.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ModulePlan {
    /// The variables of the root module as they were given, not converted; defaults otherwise.
    pub variables: BTreeMap<SmolStr, Value>,
    /// The change of each object, in the order of `resource_changes`.
    pub changes: Vec<PlannedObject>,
    /// Changes made outside of Terraform, in the order of `resource_drift`.
    pub drift: Vec<PlannedObject>,
    /// Resources whose instances are not known, because their `count` or `for_each` depends on what a simulated provider
    /// does not know.
    pub undecided: Vec<UndecidedResource>,
    /// The actions that are invoked, in the order of their resources.
    pub invocations: Vec<PlannedInvocation>,
    /// Resources that may invoke other actions than those among the invocations, because only a simulated provider knows which
    /// instances the actions have, or whether a condition holds.
    pub uncertain_invocations: BTreeSet<String>,
    /// The changes of the root module's outputs.
    pub outputs: BTreeMap<SmolStr, PlannedOutput>,
    /// The objects in the state after apply, as far as they are known.
    pub planned_state: Vec<PlannedStateObject>,
    /// The state after refreshing, moves and imports, with what data sources were read.
    pub prior_state: PriorState,
    /// The objects with conditions, in the order of their addresses.
    pub checks: Vec<CheckResult>,
    /// The attributes that the changes may come from.
    pub relevant_attributes: Vec<RelevantAttribute>,
    /// There is something to do, and no error.
    pub applyable: bool,
    /// Nothing was left out.
    pub complete: bool,
    /// Expressions use `terraform.workspace`, which is unknown.
    pub lacks_workspace: bool,
    /// A data source or a function of a provider had no answer.
    pub lacks_answers: bool,
    /// Data sources that nobody read, and that are as the state has them.
    pub kept_data: BTreeSet<String>,
    /// The inputs that it was made without.
    pub missing: Vec<Missing>,
    /// Planning ended with errors.
    pub errored: bool,
    /// Planning has begun: nothing was wrong with the configuration before, so that there is a document, if only of a part.
    pub has_begun: bool,
    /// All errors and warnings.
    pub diagnostics: Diagnostics,
}

impl ModulePlan {
    /// The managed resources that exist, if the plan lists no changes, so that it is about these alone.
    pub fn refreshed_alone(&self) -> impl Iterator<Item = (&ResourceAddress, &StateResource)> {
        let lists_changes = !self.changes.is_empty() || !self.undecided.is_empty();
        let resources = self.prior_state.resources.iter().filter(move |_| !lists_changes);
        resources.filter(|(address, resource)| address.mode == Mode::Managed && !resource.is_empty())
    }

    /// A resource of which only a provider that was not asked knows which actions it invokes: it may be replaced or not be updated
    /// after all, or nobody knows its instances. Objects that are created or destroyed invoke the actions of that.
    pub fn uncertain_invocation(&self, config: &Config, asked: &BTreeSet<ProviderAddress>) -> Option<String> {
        let invokes = |resource: &ResourceAddress| {
            let calls = resource.module.0.iter().map(|step| step.name.as_str());
            let module = config.module_at(calls).and_then(|id| config.modules.get(id));
            let name = ResourceName {
                mode: resource.mode,
                resource_type: resource.resource_type.as_str().into(),
                name: resource.name.as_str().into(),
            };
            let declared = module.and_then(|module| module.config.resources.get(&name));
            declared.is_some_and(|declared| !declared.lifecycle.action_triggers.is_empty())
        };
        let is_simulated = |provider: &ProviderAddress| !provider.is_builtin() && !asked.contains(provider);
        let updated = self.changes.iter().filter(|change| {
            let is_certain = matches!(change.action, PlannedAction::Create | PlannedAction::Delete);
            !is_certain && !change.before.is_null() && is_simulated(&change.provider)
        });
        let undecided = self.undecided.iter().map(|resource| &resource.address);
        let mut uncertain = updated.map(|change| &change.address).chain(undecided);
        let found = uncertain.find(|address| invokes(&address.resource)).map(ToString::to_string);
        self.uncertain_invocations.first().cloned().or(found)
    }

    /// The providers that a part of it was planned without, where only these were asked.
    pub fn simulated_providers(&self, asked: &BTreeSet<ProviderAddress>) -> BTreeSet<&ProviderAddress> {
        let changes = self.changes.iter().map(|change| &change.provider);
        let all = changes.chain(self.undecided.iter().map(|resource| &resource.provider));
        // A plan that only refreshes lists no changes: it is about what has drifted.
        let refreshed = self.refreshed_alone().map(|(_, resource)| &resource.provider.provider);
        let all = all.chain(refreshed);
        all.filter(|provider| !provider.is_builtin() && !asked.contains(provider)).collect()
    }
}

/// An action that is invoked.
#[derive(Debug, Clone)]
pub struct PlannedInvocation {
    /// The instance of the action.
    pub address: ActionAddress,
    /// The provider.
    pub provider: ProviderAddress,
    /// The schema of its configuration; `None` in a saved plan without the schemas of the provider.
    pub schema: Option<Arc<Schema>>,
    /// The configuration, with write-only values; null where there is no `config` block.
    pub config: Value,
    /// Why it is invoked.
    pub trigger: InvocationTrigger,
}

/// The address of an instance of an action: `module.m.action.aws_lambda_invoke.warm_up[0]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionAddress {
    /// The instance of the module.
    pub module: ModuleAddress,
    /// The name in the module.
    pub name: ActionName,
    /// The key; without one all instances.
    pub key: Option<InstanceKey>,
}

impl ActionAddress {
    /// Reads the address of an instance; `None` if it is none.
    ///
    /// ```
    /// use objchange_module::plan::ActionAddress;
    ///
    /// let text = r#"module.m["a"].action.aws_lambda_invoke.warm_up[0]"#;
    /// assert_eq!(ActionAddress::parse(text).unwrap().to_string(), text);
    /// assert!(ActionAddress::parse("aws_lambda_invoke.warm_up").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let module = module_of(text);
        let own = if module.is_empty() { text } else { text[module.len()..].strip_prefix('.')? };
        let InstanceAddress { resource, key } = own.strip_prefix("action.")?.parse().ok()?;
        let is_name = resource.module.is_root() && resource.mode == Mode::Managed;
        let name = ActionName { action_type: resource.resource_type.into(), name: resource.name.into() };
        is_name.then_some(Self { module: module.parse().ok()?, name, key })
    }
}

impl fmt::Display for ActionAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { module, name, key } = self;
        if !module.is_root() {
            write!(f, "{module}.")?;
        }
        write!(f, "{name}")?;
        match key {
            Some(key) => write!(f, "{key}"),
            None => Ok(()),
        }
    }
}

/// Why an action is invoked.
#[derive(Debug, Clone)]
pub enum InvocationTrigger {
    /// A resource changes.
    Change {
        /// The instance.
        resource: InstanceAddress,
        /// Which change, and when.
        event: TriggerEvent,
        /// The position of the block among the `action_trigger` blocks of the resource.
        block: usize,
        /// The position in the list of actions of the block.
        index: usize,
        /// The meaning of its failure; `None` in a saved plan, whose numbers for it are not known.
        on_failure: Option<OnFailure>,
    },
    /// It was asked for.
    Asked,
}

/// The change of one object.
#[derive(Debug, Clone)]
pub struct PlannedObject {
    /// The instance.
    pub address: InstanceAddress,
    /// Its address before a move.
    pub previous_address: Option<InstanceAddress>,
    /// The provider.
    pub provider: ProviderAddress,
    /// The key of the deposed object that this is about.
    pub deposed: Option<SmolStr>,
    /// The action.
    pub action: PlannedAction,
    /// Why.
    pub reason: Option<ActionReason>,
    /// The object before; null if it did not exist.
    pub before: Value,
    /// The object after; null if there will be none.
    pub after: Value,
    /// The schema of both; `None` where the provider does not have the type any more.
    pub schema: Option<Arc<Schema>>,
    /// The paths that force the replacement.
    pub replace_paths: Vec<Path>,
    /// The identifier or identity of an imported object.
    pub importing: Option<ImportedBy>,
    /// The configuration that was generated for an imported object.
    pub generated_config: Option<String>,
    /// The identities that the provider has given it.
    pub identities: Identities,
}

/// The identities of an object before and after its change; `None` if missing or unknown. Terraform 1.15.5 writes none where an
/// object is forgotten, and none for drift.
#[derive(Debug, Clone, Default)]
pub struct Identities {
    /// Before.
    pub before: Option<Value>,
    /// After.
    pub after: Option<Value>,
}

/// The action for an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlannedAction {
    /// Nothing.
    NoOp,
    /// Creates it.
    Create,
    /// Reads it during apply.
    Read,
    /// Changes it in place.
    Update,
    /// Destroys it, and creates another one.
    DeleteThenCreate,
    /// Creates another one, and destroys it.
    CreateThenDelete,
    /// Creates another one, and forgets it.
    CreateThenForget,
    /// Destroys it.
    Delete,
    /// Forgets it.
    Forget,
}

impl PlannedAction {
    /// Whether another object takes its place.
    pub fn is_replace(self) -> bool {
        matches!(self, Self::DeleteThenCreate | Self::CreateThenDelete | Self::CreateThenForget)
    }
}

/// Why Terraform does it: the `action_reason` of a plan document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActionReason {
    /// `replace_because_tainted`
    ReplaceBecauseTainted,
    /// `replace_because_cannot_update`
    ReplaceBecauseCannotUpdate,
    /// `replace_by_request`
    ReplaceByRequest,
    /// `replace_by_triggers`
    ReplaceByTriggers,
    /// `delete_because_no_resource_config`
    DeleteBecauseNoResourceConfig,
    /// `delete_because_no_module`
    DeleteBecauseNoModule,
    /// `delete_because_wrong_repetition`
    DeleteBecauseWrongRepetition,
    /// `delete_because_count_index`
    DeleteBecauseCountIndex,
    /// `delete_because_each_key`
    DeleteBecauseEachKey,
    /// `delete_because_enabled_false`, of OpenTofu
    DeleteBecauseEnabledFalse,
    /// `delete_because_no_move_target`
    DeleteBecauseNoMoveTarget,
    /// `read_because_config_unknown`
    ReadBecauseConfigUnknown,
    /// `read_because_dependency_pending`
    ReadBecauseDependencyPending,
    /// `read_because_check_nested`
    ReadBecauseCheckNested,
    /// `read_because_simulated`: the provider is simulated.
    ReadBecauseSimulated,
}

/// A resource whose actions only a provider can tell.
#[derive(Debug, Clone)]
pub struct UndecidedResource {
    /// Why.
    pub reason: UndecidedReason,
    /// The instance that is imported; else the resource without a key, in an instance of its module or in all of them.
    pub address: InstanceAddress,
    /// The provider.
    pub provider: ProviderAddress,
    /// Its `count` or `for_each`, or itself.
    pub span: Span,
    /// The data sources and attributes that make it unknown.
    pub because_of: Vec<String>,
    /// The schema.
    pub schema: Option<Arc<Schema>>,
    /// The object before; null if there is none, or nobody knows which one there is.
    pub before: Value,
    /// The value of it, or of every instance, as far as it is known.
    pub after: Value,
}

/// Why it is not known what happens to a resource.
#[derive(Debug, Clone)]
pub enum UndecidedReason {
    /// It is not known which instances there are.
    InstancesUnknown,
    /// It is not known which instances there are, because nothing says which workspace is selected.
    WorkspaceUnknown,
    /// It is not known which instances there are, because an input is missing that they depend on.
    InputMissing,
    /// The object exists, and what happens to it depends on an input that is missing.
    ActionUnknown,
    /// The object exists, and only its provider knows whether it is updated or replaced.
    ReplacementUnknown,
    /// It is not known what the object that is imported looks like, and whether it is there.
    ImportUnknown(ImportedBy),
}

/// The change of an output.
#[derive(Debug, Clone)]
pub struct PlannedOutput {
    /// The action: create, update, delete or no-op.
    pub action: PlannedAction,
    /// The value before, without marks; null if there was none.
    pub before: Value,
    /// The value after, without marks; null if there will be none.
    pub after: Value,
    /// It is hidden now.
    pub sensitive: bool,
    /// It is hidden now, or was before.
    pub sensitive_change: bool,
    /// It is declared; a deleted one is not.
    pub declared: bool,
}

/// An object that will be in the state.
#[derive(Debug, Clone)]
pub struct PlannedStateObject {
    /// The instance.
    pub address: InstanceAddress,
    /// The provider.
    pub provider: ProviderAddress,
    /// The object; `None` of one that is forgotten.
    pub value: Option<Value>,
    /// Its schema.
    pub schema: Option<Arc<Schema>>,
    /// Its identity, if its provider has given it one.
    pub identity: Option<Value>,
    /// `planned_values` marks what the schema calls sensitive. Terraform forgets it for objects that it planned a second
    /// time, as new ones, after the first plan had shown that they must be replaced.
    pub has_marks_of_schema: bool,
    /// The object has to be replaced, still.
    pub tainted: bool,
}

impl PlannedStateObject {
    /// The object after a change; `None` if there will be none, and of a deposed one.
    pub fn after(change: &PlannedObject) -> Option<Self> {
        let is_kept = change.deposed.is_none() && change.action != PlannedAction::Delete;
        is_kept.then(|| Self {
            address: change.address.clone(),
            provider: change.provider.clone(),
            value: (change.action != PlannedAction::Forget).then(|| change.after.clone()),
            schema: change.schema.clone(),
            identity: change.identities.after.clone(),
            has_marks_of_schema: !finish::is_planned_again(change),
            tainted: false,
        })
    }
}

/// How a check has come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckStatus {
    /// All conditions hold.
    Pass,
    /// A condition does not hold.
    Fail,
    /// A condition depends on what is not known yet.
    Unknown,
    /// A condition could not be evaluated.
    Error,
}

/// The conditions of one object of configuration.
#[derive(Debug, Clone)]
pub struct CheckResult {
    /// The kind of the object with the conditions.
    pub kind: CheckKind,
    /// The names of the calls to its module.
    pub module: Vec<SmolStr>,
    /// The object in its module: `aws_instance.web`, `data.aws_ami.x`, or a name.
    pub name: String,
    /// All instances together.
    pub status: CheckStatus,
    /// Each instance, in the order of their addresses; `None` where the expansion is not known.
    pub instances: Option<Vec<CheckInstance>>,
}

impl CheckResult {
    /// The address of the object without instance keys: `module.m.output.o`.
    pub fn to_display(&self) -> String {
        let modules: String = self.module.iter().map(|name| format!("module.{name}.")).collect();
        modules + &self.name_in_module()
    }

    /// The address of the object in its module: `output.o`.
    pub(crate) fn name_in_module(&self) -> String {
        let kind = match self.kind {
            CheckKind::Resource => "",
            CheckKind::OutputValue => "output.",
            CheckKind::Check => "check.",
            CheckKind::InputVariable => "var.",
        };
        format!("{kind}{}", self.name)
    }
}

/// The conditions of one instance.
#[derive(Debug, Clone)]
pub struct CheckInstance {
    /// The instance of the module and, of a resource, its key. Names and types as in [`CheckResult::name`].
    pub address: InstanceAddress,
    /// How it has come out.
    pub status: CheckStatus,
    /// The messages of the conditions that do not hold.
    pub problems: Vec<String>,
}

/// An attribute that changes may come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelevantAttribute {
    /// The resource, or an instance of it, in Terraform's written form.
    pub resource: String,
    /// Names, keys and positions.
    pub path: Vec<RelevantStep>,
}

/// A step of the path of a [`RelevantAttribute`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelevantStep {
    /// An attribute or the key of a map.
    Name(SmolStr),
    /// A position.
    Index(u64),
}
