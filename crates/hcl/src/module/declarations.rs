//! The declarations of one module, as data: one type for each kind of block.

use std::collections::BTreeMap;
use std::fmt;

use objchange::Value;
use objchange::address::{InstanceAddress, Mode, ModuleAddress};
use objchange::change::IgnoreChanges;
use objchange_text::Span;
use smol_str::SmolStr;

use crate::decode::body::ConfigBody;
use crate::eval::TypeConstraint;
use crate::syntax::ast::{Attribute, Expr};

/// The declarations of one module, with override files applied.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ModuleConfig {
    /// `variable` blocks by name.
    pub variables: BTreeMap<SmolStr, VariableConfig>,
    /// Local values by name.
    pub locals: BTreeMap<SmolStr, Attribute>,
    /// `output` blocks by name.
    pub outputs: BTreeMap<SmolStr, OutputConfig>,
    /// `resource`, `data` and `ephemeral` blocks, those within `check` blocks included.
    pub resources: BTreeMap<ResourceName, ResourceConfig>,
    /// `module` blocks by name.
    pub calls: BTreeMap<SmolStr, ModuleCall>,
    /// `provider` blocks, in source order.
    pub providers: Vec<ProviderConfig>,
    /// The entries of `required_providers` by local name.
    pub required_providers: BTreeMap<SmolStr, RequiredProvider>,
    /// The constraints of `required_version`, with their place.
    pub required_versions: Vec<(String, Span)>,
    /// The state's location from a `backend` or `cloud` block. Only the root module's is used.
    pub state_storage: Option<StateStorage>,
    /// `check` blocks by name.
    pub checks: BTreeMap<SmolStr, CheckConfig>,
    /// `moved` blocks, in source order.
    pub moved: Vec<MovedConfig>,
    /// `removed` blocks, in source order.
    pub removed: Vec<RemovedConfig>,
    /// `import` blocks, in source order.
    pub imports: Vec<ImportConfig>,
    /// `action` blocks.
    pub actions: BTreeMap<ActionName, ActionConfig>,
}

impl ModuleConfig {
    /// The managed resources, in source order.
    pub fn managed(&self) -> Vec<(&ResourceName, &ResourceConfig)> {
        let is_managed = |(name, _): &(&ResourceName, &ResourceConfig)| name.mode == Mode::Managed;
        let mut all: Vec<_> = self.resources.iter().filter(is_managed).collect();
        // Those of one array of JSON have one place.
        all.sort_by_key(|(_, resource)| resource.header.start);
        all
    }

    /// The managed resource of this type and name.
    pub fn managed_resource(&self, resource_type: &str, name: &str) -> Option<&ResourceConfig> {
        let (resource_type, name) = (resource_type.into(), name.into());
        self.resources.get(&ResourceName { mode: Mode::Managed, resource_type, name })
    }
}

/// Where a module keeps its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateStorage {
    /// In files: `backend "local"`.
    Local {
        /// The file of the workspace `default`.
        path: ConstantText,
        /// The directory with the files of other workspaces.
        workspace_dir: ConstantText,
        /// An argument or block that this backend does not have, such as a misspelt `path`.
        unknown: Option<String>,
    },
    /// In HCP Terraform or Terraform Enterprise: a `cloud` block.
    Cloud {
        /// The name of the workspace.
        workspace: ConstantText,
    },
    /// In a backend of another type, such as `s3`.
    Remote(SmolStr),
}

/// An argument that has its value before any variable has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConstantText {
    /// It is left out, or null.
    Unset,
    /// This text.
    Text(String),
    /// An expression that is not constant, or no text.
    NotConstant,
}

/// The name of a resource in its module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceName {
    /// The kind of block.
    pub mode: Mode,
    /// The type: `aws_instance`.
    pub resource_type: SmolStr,
    /// The name: `web`.
    pub name: SmolStr,
}

/// A condition with its message: `validation`, `precondition`, `postcondition`, `assert`.
#[derive(Debug, Clone)]
pub struct Condition {
    /// The header of the block.
    pub header: Span,
    /// The condition that must be true.
    pub condition: Expr,
    /// The message if it is false.
    pub error_message: Expr,
}

/// A `variable` block.
#[derive(Debug, Clone)]
pub struct VariableConfig {
    /// The header of the block.
    pub header: Span,
    /// The type; `None` takes any value as it is.
    pub ty: Option<TypeConstraint>,
    /// The default value, of the variable's type.
    pub default: Option<Value>,
    /// The description.
    pub description: Option<String>,
    /// Null is a value, and not the absence of one.
    pub nullable: bool,
    /// The value is marked as sensitive.
    pub sensitive: bool,
    /// The value is marked as ephemeral.
    pub ephemeral: bool,
    /// `const`: its value is known before any module is installed.
    pub constant: bool,
    /// The `validation` blocks.
    pub validations: Vec<Condition>,
    /// `deprecated`, with its place: its use is discouraged, and this says why.
    pub deprecated: Option<(String, Span)>,
}

/// An `output` block.
#[derive(Debug, Clone)]
pub struct OutputConfig {
    /// The header of the block.
    pub header: Span,
    /// The value.
    pub value: Expr,
    /// The type that the value is converted to, and where `type` is written.
    pub ty: Option<(TypeConstraint, Span)>,
    /// The description.
    pub description: Option<String>,
    /// The value is hidden.
    pub sensitive: bool,
    /// The value is not kept.
    pub ephemeral: bool,
    /// `deprecated`, with the place of its value: its use is discouraged, and this says why.
    pub deprecated: Option<(String, Span)>,
    /// The references in `depends_on`.
    pub depends_on: Vec<Expr>,
    /// The `precondition` blocks.
    pub preconditions: Vec<Condition>,
}

/// A `resource`, `data` or `ephemeral` block.
#[derive(Debug, Clone)]
pub struct ResourceConfig {
    /// The header of the block.
    pub header: Span,
    /// Where the type is written.
    pub type_span: Span,
    /// The part of the block for the provider.
    pub body: ConfigBody,
    /// `count`.
    pub count: Option<Expr>,
    /// `for_each`.
    pub for_each: Option<Expr>,
    /// `provider`.
    pub provider: Option<ProviderRef>,
    /// The references in `depends_on`.
    pub depends_on: Vec<Expr>,
    /// The `lifecycle` block.
    pub lifecycle: LifecycleConfig,
    /// The `provisioner` blocks, in source order.
    pub provisioners: Vec<ProvisionerConfig>,
    /// The `connection` block.
    pub connection: Option<ConfigBody>,
    /// The `check` block that a data source is in.
    pub check: Option<SmolStr>,
}

/// A `lifecycle` block.
#[derive(Debug, Clone, Default)]
pub struct LifecycleConfig {
    /// Replacements create the new object first; `None` if it is not set.
    pub create_before_destroy: Option<bool>,
    /// Plans that destroy the object are errors.
    pub prevent_destroy: bool,
    /// `prevent_destroy` as an expression, which OpenTofu evaluates while planning.
    pub prevents_destroy: Option<Expr>,
    /// `enabled` of OpenTofu: whether there is an instance.
    pub enabled: Option<Expr>,
    /// `destroy = false`: an object that is no longer configured is forgotten instead of destroyed.
    pub forgets: bool,
    /// The parts of the configuration that are ignored while the object exists.
    pub ignore_changes: IgnoreChanges,
    /// Where each path of `ignore_changes` is written.
    pub ignore_changes_spans: Vec<Span>,
    /// The references of `replace_triggered_by`.
    pub replace_triggered_by: Vec<Expr>,
    /// The `precondition` blocks.
    pub preconditions: Vec<Condition>,
    /// The `postcondition` blocks.
    pub postconditions: Vec<Condition>,
    /// The `action_trigger` blocks, in source order.
    pub action_triggers: Vec<ActionTriggerConfig>,
}

/// The name of an action in its module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionName {
    /// The type: `aws_lambda_invoke`.
    pub action_type: SmolStr,
    /// The name: `warm_up`.
    pub name: SmolStr,
}

/// As references write it: `action.aws_lambda_invoke.warm_up`.
impl fmt::Display for ActionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "action.{}.{}", self.action_type, self.name)
    }
}

/// An `action` block.
#[derive(Debug, Clone)]
pub struct ActionConfig {
    /// The header of the block.
    pub header: Span,
    /// `count`.
    pub count: Option<Expr>,
    /// `for_each`.
    pub for_each: Option<Expr>,
    /// `provider`.
    pub provider: Option<ProviderRef>,
    /// The header and the content of the `config` block.
    pub config: Option<(Span, ConfigBody)>,
}

/// An `action_trigger` block of a resource.
#[derive(Debug, Clone)]
pub struct ActionTriggerConfig {
    /// The header of the block.
    pub header: Span,
    /// The events, in the order of the text.
    pub events: Vec<TriggerEvent>,
    /// `condition`.
    pub condition: Option<Expr>,
    /// The actions, in the order of the text.
    pub actions: Vec<ActionRef>,
    /// `on_failure`.
    pub on_failure: OnFailure,
}

/// A reference to an action, or to an instance of one.
#[derive(Debug, Clone)]
pub struct ActionRef {
    /// The action.
    pub name: ActionName,
    /// The key of the instance: a literal, `count.index` or `each.key`.
    pub key: Option<Expr>,
    /// Where it is written.
    pub span: Span,
    /// Its position in the list.
    pub index: usize,
}

/// The change of a resource that invokes an action, before or after the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TriggerEvent {
    BeforeCreate,
    AfterCreate,
    BeforeUpdate,
    AfterUpdate,
    BeforeDestroy,
    AfterDestroy,
}

impl TriggerEvent {
    /// All of them, those first that older versions know.
    pub(crate) const ALL: [(Self, &'static str); 6] = [
        (Self::BeforeCreate, "before_create"),
        (Self::AfterCreate, "after_create"),
        (Self::BeforeUpdate, "before_update"),
        (Self::AfterUpdate, "after_update"),
        (Self::BeforeDestroy, "before_destroy"),
        (Self::AfterDestroy, "after_destroy"),
    ];

    /// Whether the object is destroyed.
    pub fn is_of_destroy(self) -> bool {
        matches!(self, Self::BeforeDestroy | Self::AfterDestroy)
    }

    /// Whether the action is invoked before the change.
    pub fn is_before(self) -> bool {
        matches!(self, Self::BeforeCreate | Self::BeforeUpdate | Self::BeforeDestroy)
    }
}

/// The meaning of the failure of an action for its resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// Nothing else is done.
    #[default]
    Halt,
    /// As `Halt`, and the object is to be replaced.
    Taint,
    /// Nothing.
    Continue,
}

/// A `provisioner` block.
#[derive(Debug, Clone)]
pub struct ProvisionerConfig {
    /// The type: `local-exec`.
    pub kind: SmolStr,
    /// Where the type is written.
    pub kind_span: Span,
    /// The part of the block for the provisioner.
    pub body: ConfigBody,
    /// The `connection` block.
    pub connection: Option<ConfigBody>,
    /// It runs before the object is destroyed, and not after it is created.
    pub is_at_destroy: bool,
}

/// A `module` block.
#[derive(Debug, Clone)]
pub struct ModuleCall {
    /// The header of the block.
    pub header: Span,
    /// `source`, with its place, where it is a literal.
    pub source: Option<(String, Span)>,
    /// `source`, where it has to be evaluated.
    pub computed_source: Option<Expr>,
    /// `version`, with its place.
    pub version: Option<(String, Span)>,
    /// The values of the module's variables.
    pub arguments: Vec<Attribute>,
    /// Where a missing argument is reported.
    pub missing: Span,
    /// `count`.
    pub count: Option<Expr>,
    /// `for_each`.
    pub for_each: Option<Expr>,
    /// `providers`: the configuration in the module, and the one that is passed.
    pub providers: Vec<(ProviderRef, ProviderRef)>,
    /// The references in `depends_on`.
    pub depends_on: Vec<Expr>,
    /// `ignore_nested_deprecations`: nothing is said of deprecated values that are used in the module.
    pub ignores_deprecations: bool,
    /// `enabled` of the `lifecycle` block of OpenTofu: whether there is an instance.
    pub enabled: Option<Expr>,
}

/// A `provider` block.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// The header of the block.
    pub header: Span,
    /// The local name of the provider.
    pub name: SmolStr,
    /// `alias`.
    pub alias: Option<SmolStr>,
    /// `for_each` of OpenTofu: an instance of the configuration for each key.
    pub for_each: Option<Expr>,
    /// `version`, deprecated, with its place.
    pub version: Option<(String, Span)>,
    /// The part of the block for the provider.
    pub body: ConfigBody,
    /// The block has no arguments at all.
    pub is_empty: bool,
}

/// A reference to a provider configuration: `aws`, `aws.east`, and in OpenTofu `aws.by_region["eu"]`.
#[derive(Debug, Clone)]
pub struct ProviderRef {
    /// The local name of the provider.
    pub name: SmolStr,
    /// The alias.
    pub alias: Option<SmolStr>,
    /// The key of an instance of the configuration, in OpenTofu.
    pub key: Option<Box<Expr>>,
    /// Where it is written.
    pub span: Span,
}

/// An entry of `required_providers`.
#[derive(Debug, Clone)]
pub struct RequiredProvider {
    /// `source`, as written, with its place.
    pub source: Option<(String, Span)>,
    /// `version`, as written.
    pub version: Option<String>,
    /// `configuration_aliases`.
    pub aliases: Vec<ProviderRef>,
    /// Where the entry is written.
    pub span: Span,
    /// The place of its value.
    pub value_span: Span,
}

/// A `check` block.
#[derive(Debug, Clone)]
pub struct CheckConfig {
    /// The header of the block.
    pub header: Span,
    /// The data source within it.
    pub data: Option<ResourceName>,
    /// The `assert` blocks.
    pub asserts: Vec<Condition>,
}

/// The target of a `moved` or `removed` block, relative to its module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveTarget {
    /// A module call or an instance of it.
    Module(ModuleAddress),
    /// A resource or an instance of it. Without a key: the resource, or its only instance.
    Resource(InstanceAddress),
}

/// An address in a `moved` or `removed` block.
#[derive(Debug, Clone)]
pub struct MoveEndpoint {
    /// The target that it names.
    pub target: MoveTarget,
    /// Where it is written.
    pub span: Span,
}

/// A `moved` block.
#[derive(Debug, Clone)]
pub struct MovedConfig {
    /// The header of the block.
    pub header: Span,
    /// The old address.
    pub from: MoveEndpoint,
    /// The new address.
    pub to: MoveEndpoint,
}

/// A `removed` block.
#[derive(Debug, Clone)]
pub struct RemovedConfig {
    /// The header of the block.
    pub header: Span,
    /// The objects that are no longer managed.
    pub from: MoveEndpoint,
    /// The objects are destroyed, and not only forgotten.
    pub destroy: bool,
}

/// An `import` block.
#[derive(Debug, Clone)]
pub struct ImportConfig {
    /// The header of the block.
    pub header: Span,
    /// The resource instance that the object is imported to.
    pub to: ImportTarget,
    /// `id`.
    pub id: Option<Expr>,
    /// `identity`.
    pub identity: Option<Expr>,
    /// `for_each`.
    pub for_each: Option<Expr>,
    /// `provider`.
    pub provider: Option<ProviderRef>,
}

/// The resource instance that an object is imported to.
#[derive(Debug, Clone)]
pub struct ImportTarget {
    /// Where it is written.
    pub span: Span,
    /// Its address, without computed keys.
    pub address: InstanceAddress,
    /// Computed keys, such as `each.key`, each with the index of its module in the address. The resource's own key has
    /// the number of modules as its index.
    pub computed_keys: Vec<(usize, Expr)>,
}
