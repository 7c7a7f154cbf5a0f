//! All changes of a plan, from a document or from a planner.

mod actions;
mod checks;
mod invocation;
mod masked;
mod planned_values;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use objchange::Type;
use objchange::address::{ProviderAddress, steps};
use objchange::change::{DeferredReason, PlannedChange, ReplaceReason};
use objchange::schema::Block;
use objchange::value::{Path, StatedTypes};
use serde::{Deserialize, Serialize};

pub use self::actions::ResourceActions;
pub(crate) use self::checks::not_passed;
pub use self::checks::{Check, CheckStatus};
pub use self::invocation::{
    ActionInvocation, ActionTrigger, DeferredInvocation, InvokedConfig, TriggerTime, WrittenConfig,
};
pub(crate) use self::invocation::{deferred_invocation, invocation};

pub use self::planned_values::{PlannedValues, as_written, attributes_of};
use crate::index::Index;
use crate::json::{Json, JsonError, Raw, write_string};
use crate::mask::MaskedNames;
use crate::text::Text;

/// All changes of a plan. They are alike wherever they come from.
///
/// ```
/// use objchange_document::changes::ResourceActions;
/// use objchange_document::{ChangeSet, Plan};
///
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","resource_changes":[{"address":"null_resource.a","mode":"managed",
///     "type":"null_resource","name":"a","provider_name":"registry.terraform.io/hashicorp/null",
///     "change":{"actions":["create"],"before":null,"after":{}}}]}"#,
/// )?;
/// let changes: &ChangeSet = &plan.changes;
/// assert_eq!(changes.resources[0].change.actions, ResourceActions::Create);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ChangeSet<'t> {
    /// The changes of resource instances.
    pub resources: Vec<ChangedResource<'t>>,
    /// The changes of resource instances made outside of Terraform.
    pub drift: Vec<ChangedResource<'t>>,
    /// The changes that are left to the next plan.
    pub deferred: Vec<Deferred<'t>>,
    /// The actions that are invoked, because of a change or by themselves.
    pub invocations: Vec<ActionInvocation<'t>>,
    /// The actions that are left to the next plan.
    pub deferred_invocations: Vec<DeferredInvocation<'t>>,
    /// The changes of the outputs of the root module, by name in byte order.
    pub outputs: Vec<OutputChange<'t>>,
    /// The checks that did not pass.
    pub checks: Vec<Check<'t>>,
    /// The attributes that may have contributed to the changes.
    pub relevant_attributes: Vec<RelevantAttribute<'t>>,
    /// Whether applying the plan would do anything; `None` in documents before 1.2.
    pub applyable: Option<bool>,
    /// Whether nothing was left out, by `-target` or for later; `None` in documents of Terraform before 1.8 and of
    /// OpenTofu.
    pub complete: Option<bool>,
    /// The plan was made without a part of its input: that nothing changes in it says nothing.
    pub lacks_input: bool,
    /// Planning ended with an error.
    pub errored: bool,
    /// Providers were not asked for it: it is a prediction.
    pub predicted: bool,
    /// The text that the values are in, if they come from a document.
    pub document: DocumentText<'t>,
}

impl<'t> ChangeSet<'t> {
    /// The change of one resource that the engine has planned. The address, such as
    /// `module.web["a"].aws_instance.this[0]`, names the resource and its type.
    pub fn planned(address: &'t str, schema: &Block, change: &PlannedChange) -> Self {
        let resource = ChangedResource::planned(address, schema, change);
        match change.deferred {
            Some(reason) => {
                let reason = Text::from(deferral(reason));
                Self { deferred: vec![Deferred { reason, resource }], ..Self::default() }
            }
            None => Self { resources: vec![resource], ..Self::default() },
        }
    }

    /// All resources: changed ones, those that changed outside of Terraform, and deferred ones.
    pub fn all_resources(&self) -> impl Iterator<Item = &ChangedResource<'t>> {
        let deferred = self.deferred.iter().map(|deferred| &deferred.resource);
        self.resources.iter().chain(&self.drift).chain(deferred)
    }

    fn all_resources_mut(&mut self) -> impl Iterator<Item = &mut ChangedResource<'t>> {
        let deferred = self.deferred.iter_mut().map(|deferred| &mut deferred.resource);
        self.resources.iter_mut().chain(&mut self.drift).chain(deferred)
    }

    /// All actions: invoked and deferred ones.
    pub fn all_invocations(&self) -> impl Iterator<Item = &ActionInvocation<'t>> {
        self.invocations.iter().chain(self.deferred_invocations.iter().map(|deferred| &deferred.invocation))
    }

    /// The providers that it names, in byte order.
    pub fn providers(&self) -> BTreeSet<&str> {
        let resources = self.all_resources().map(|resource| &*resource.provider_name);
        let actions = self.all_invocations().map(|action| &*action.provider_name);
        resources.chain(actions).filter(|name| !name.is_empty()).collect()
    }
}

/// The reason as plan documents write it.
fn deferral(reason: DeferredReason) -> &'static str {
    match reason {
        DeferredReason::ResourceConfigUnknown => "resource_config_unknown",
        DeferredReason::ProviderConfigUnknown => "provider_config_unknown",
        DeferredReason::AbsentPrerequisite => "absent_prereq",
        _ => "",
    }
}

/// The change of one resource instance, or of a deposed object of it.
#[derive(Debug, Default)]
pub struct ChangedResource<'t> {
    /// The address of the instance.
    pub address: Text<'t>,
    /// The address it had before a move.
    pub previous_address: Option<Text<'t>>,
    /// The address of its module; `None` in the root module.
    pub module_address: Option<Text<'t>>,
    /// `managed` or `data`.
    pub mode: Text<'t>,
    /// The resource type.
    pub resource_type: Text<'t>,
    /// The name in its module.
    pub name: Text<'t>,
    /// The `count` index or `for_each` key.
    pub index: Option<ChangedIndex<'t>>,
    /// The provider's address; before Terraform 0.13 its name alone.
    pub provider_name: Text<'t>,
    /// The key of the deposed object.
    pub deposed: Option<Text<'t>>,
    /// The action.
    pub change: ValueChange<'t>,
    /// Why, such as `replace_because_tainted`.
    pub action_reason: Option<Text<'t>>,
}

impl<'t> ChangedResource<'t> {
    /// The members of a plan document around the values of a change that the engine planned.
    fn planned(address: &'t str, schema: &Block, change: &PlannedChange) -> Self {
        let (resource_type, name) = type_and_name(address);
        Self {
            address: Text::from(address),
            mode: Text::from("managed"),
            resource_type: Text::from(resource_type),
            name: Text::from(name),
            change: ValueChange {
                actions: change.action.into(),
                values: ChangeValues::Planned(Box::new(PlannedValues::of_change(schema, change))),
                ..ValueChange::default()
            },
            action_reason: change.replace_reason.as_ref().map(|reason| match reason {
                ReplaceReason::Tainted => Text::from("replace_because_tainted"),
                ReplaceReason::Requested(_) => Text::from("replace_by_request"),
                _ => Text::from("replace_because_cannot_update"),
            }),
            ..Self::default()
        }
    }
}

/// The key of an instance, wherever it comes from.
#[derive(Debug, Clone)]
pub enum ChangedIndex<'t> {
    /// As a document has it; perhaps it is not a key.
    Written(Raw<'t>),
    /// As it was planned.
    Planned(Index<'t>),
}

impl<'t> ChangedIndex<'t> {
    /// Reads the key; `None` for null.
    ///
    /// # Errors
    ///
    /// It is neither a number nor a string.
    pub fn read(&self) -> Result<Option<Index<'t>>, JsonError> {
        match self {
            Self::Written(raw) => Index::read(Some(*raw)),
            Self::Planned(index) => Ok(Some(index.clone())),
        }
    }

    /// As documents write it.
    pub fn to_json(&self) -> Text<'t> {
        match self {
            Self::Written(raw) => Text::from(raw.text()),
            Self::Planned(Index::Number(number)) => number.clone(),
            Self::Planned(Index::Key(key)) => {
                let mut json = String::with_capacity(key.len() + 2);
                write_string(key, &mut json);
                Text::from(json)
            }
        }
    }
}

/// The type and the name in the address of a resource instance: the last two names.
fn type_and_name(address: &str) -> (&str, &str) {
    let mut names = ["", ""];
    for step in steps(address) {
        names = [names[1], step.name];
    }
    (if names[0].is_empty() { names[1] } else { names[0] }, names[1])
}

/// The change of a value: the action and both sides.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValueChange<'t> {
    /// The actions of Terraform.
    pub actions: ResourceActions,
    /// The words of the document, if the actions are unknown.
    pub unknown_actions: Vec<Text<'t>>,
    /// The two sides, with their marks.
    pub values: ChangeValues<'t>,
    /// The object is imported.
    pub importing: Option<Importing<'t>>,
    /// The import comes with generated configuration.
    pub has_generated_config: bool,
    /// The object had an identity and gets another one: it is another object.
    pub changes_identity: bool,
    /// The names whose values are hidden in its identities, which have no marks.
    pub masked_names: MaskedNames,
}

impl ChangedResource<'_> {
    /// Whether its provider is built into Terraform, so that no plugin is needed.
    pub fn is_builtin(&self) -> bool {
        is_builtin(&self.provider_name)
    }
}

/// Whether a provider is built into Terraform, so that no plugin is needed.
///
/// ```
/// use objchange_document::changes::is_builtin;
///
/// assert!(is_builtin("terraform.io/builtin/terraform"));
/// assert!(!is_builtin("registry.terraform.io/hashicorp/aws"));
/// ```
pub fn is_builtin(provider: &str) -> bool {
    ProviderAddress::normalized(provider) == "terraform.io/builtin/terraform"
}

impl<'t> ValueChange<'t> {
    /// The words that the document has for the actions, also for unknown ones.
    pub fn action_words(&self) -> Vec<&str> {
        match self.actions {
            ResourceActions::Unknown => self.unknown_actions.iter().map(Text::as_str).collect(),
            actions => actions.words().to_vec(),
        }
    }

    /// A change that was planned.
    pub fn planned(
        actions: ResourceActions,
        values: PlannedValues,
        importing: Option<Importing<'t>>,
    ) -> Self {
        Self {
            actions,
            unknown_actions: Vec::new(),
            values: ChangeValues::Planned(Box::new(values)),
            importing,
            has_generated_config: false,
            changes_identity: false,
            masked_names: MaskedNames::default(),
        }
    }
}

/// The two sides of a change, as they are kept.
#[derive(Debug, Clone)]
pub enum ChangeValues<'t> {
    /// As a document has them.
    Written(WrittenValues<'t>),
    /// As they were planned.
    Planned(Box<PlannedValues>),
    /// As a plan file has them, to be decoded when somebody looks at them: a large plan has thousands.
    Packed {
        /// Both sides, if nothing in them is sensitive or forces a replacement.
        plain: Option<PackedSides<'t>>,
        /// Decodes them, whatever they are.
        values: Arc<dyn PackedValues + 't>,
    },
}

/// The two sides of a change that are still to be decoded.
pub trait PackedValues: Send + Sync {
    /// The schema of both objects.
    fn schema(&self) -> Option<&Block>;

    /// The paths that force the replacement.
    fn replaced_paths(&self) -> &[Path];

    /// Decodes them.
    ///
    /// # Errors
    ///
    /// They cannot be decoded.
    fn unpack(&self) -> Result<PlannedValues, UnpackError>;
}

/// The sides of a change cannot be decoded. The sentence shows no value.
///
/// ```
/// use objchange_document::changes::UnpackError;
///
/// let error = UnpackError::new("the value is cut off");
/// assert_eq!((error.kind(), error.to_string().as_str()), ("packed", "the value is cut off"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnpackError(String);

impl UnpackError {
    /// An error for this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// The stable name of the kind of error: there is one.
    pub fn kind(&self) -> &'static str {
        "packed"
    }
}

/// Both sides of a change as a plan file has them. It may hold secrets.
#[derive(Clone, Copy)]
pub struct PackedSides<'t> {
    /// The value before, in MessagePack; `None` if it is null.
    pub before: Option<&'t [u8]>,
    /// The value after, in MessagePack; `None` if it is null.
    pub after: Option<&'t [u8]>,
    /// The type of both.
    pub ty: &'t Type,
    /// The types that values of the file have stated.
    pub types: &'t Mutex<StatedTypes>,
}

impl std::fmt::Debug for PackedSides<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PackedSides")
    }
}

impl std::fmt::Debug for dyn PackedValues + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PackedValues")
    }
}

impl Default for ChangeValues<'_> {
    fn default() -> Self {
        Self::Written(WrittenValues::default())
    }
}

impl<'t> ChangeValues<'t> {
    /// The values in a document; `None` for others.
    pub fn written(&self) -> Option<&WrittenValues<'t>> {
        match self {
            Self::Written(values) => Some(values),
            Self::Planned(_) | Self::Packed { .. } => None,
        }
    }

    /// The schema of both objects, if the change comes with one.
    pub(crate) fn schema(&self) -> Option<&Block> {
        match self {
            Self::Written(_) => None,
            Self::Planned(values) => values.schema(),
            Self::Packed { values, .. } => values.schema(),
        }
    }
}

/// The two sides of a change in a document, none of them read.
#[derive(Debug, Clone)]
pub struct WrittenValues<'t> {
    /// The value before.
    pub before: Raw<'t>,
    /// The value after, without what is unknown.
    pub after: Raw<'t>,
    /// The unknown parts of the value after.
    pub after_unknown: Raw<'t>,
    /// The sensitive parts of the value before.
    pub before_sensitive: Raw<'t>,
    /// The sensitive parts of the value after.
    pub after_sensitive: Raw<'t>,
    /// The paths that force the replacement.
    pub replace_paths: Raw<'t>,
    /// The identity before, by which the provider finds the object.
    pub before_identity: Raw<'t>,
    /// The identity after.
    pub after_identity: Raw<'t>,
}

impl Default for WrittenValues<'_> {
    fn default() -> Self {
        Self {
            before: Raw::NULL,
            after: Raw::NULL,
            after_unknown: Raw::NULL,
            before_sensitive: Raw::NULL,
            after_sensitive: Raw::NULL,
            replace_paths: Raw::NULL,
            before_identity: Raw::NULL,
            after_identity: Raw::NULL,
        }
    }
}

impl<'t> Importing<'t> {
    /// By this identifier; `None` if it is not known yet.
    pub fn by_id(id: Option<Text<'t>>) -> Self {
        Self { id, ..Self::default() }
    }

    /// By this identity, a JSON object.
    pub fn by_identity(identity: impl Into<Text<'t>>) -> Self {
        Self { identity: Some(identity.into()), ..Self::default() }
    }

    /// The identity with the values of masked names, to decide by it.
    pub fn whole_identity(&self) -> Option<&str> {
        self.whole.as_deref().or(self.identity.as_deref())
    }

    /// Hides the values of these names in the identity.
    fn mask(&mut self, names: &MaskedNames) {
        let Some(whole) = self.whole.take().or_else(|| self.identity.take()) else { return };
        match names.hiding(&whole) {
            Cow::Owned(shown) => (self.identity, self.whole) = (Some(shown.into()), Some(whole)),
            Cow::Borrowed(_) => self.identity = Some(whole),
        }
    }
}

/// An import.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Importing<'t> {
    /// The identifier; `None` if the import goes by identity, or it is not known yet.
    pub id: Option<Text<'t>>,
    /// The identity, as JSON, without the values of masked names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Text<'t>>,
    /// The whole identity, where values of masked names are left out above.
    #[serde(skip)]
    whole: Option<Text<'t>>,
}

impl fmt::Debug for Importing<'_> {
    /// Without the values of masked names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut import = f.debug_struct("Importing");
        import.field("id", &self.id).field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// A change that is left to the next plan.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Deferred<'t> {
    /// Why, such as `provider_config_unknown`.
    pub reason: Text<'t>,
    /// The change, as far as it is known.
    pub resource: ChangedResource<'t>,
}

impl<'t> Deferred<'t> {
    /// The reason of a resource whose instances only a provider knows that was not asked. Terraform writes no such reason.
    pub const INSTANCES_UNKNOWN: &'static str = "instances_unknown";
    /// The reason of an import whose object only a provider knows that was not asked. Terraform writes no such reason.
    pub const IMPORT_UNKNOWN: &'static str = "import_unknown";
    /// The reason of a resource whose instances depend on the workspace, where nothing says which one is selected. Terraform
    /// writes no such reason.
    pub const WORKSPACE_UNKNOWN: &'static str = "workspace_unknown";

    /// The reason of a resource whose instances depend on an input that the plan was made without. Terraform writes no such
    /// reason.
    pub const INPUT_MISSING: &'static str = "input_missing";
    /// The reason of an object that exists, and of which nobody knows what happens to it, because the plan was made without
    /// an input that it depends on. Terraform writes no such reason.
    pub const ACTION_UNKNOWN: &'static str = "action_unknown";
    /// The reason of an object that is updated or replaced, where only its provider knows which. Terraform writes no such
    /// reason.
    pub const REPLACEMENT_UNKNOWN: &'static str = "replacement_unknown";

    /// Whether it was planned without what would have decided: the answer of a provider, the workspace, or another input.
    pub fn is_undecided(&self) -> bool {
        Self::is_undecided_reason(&self.reason)
    }

    /// Whether a change with this reason is undecided only because its providers or the workspace are missing.
    pub fn is_undecided_reason(reason: &str) -> bool {
        [
            Self::INSTANCES_UNKNOWN,
            Self::IMPORT_UNKNOWN,
            Self::WORKSPACE_UNKNOWN,
            Self::INPUT_MISSING,
            Self::ACTION_UNKNOWN,
            Self::REPLACEMENT_UNKNOWN,
        ]
        .contains(&reason)
    }

    /// A change that is left to the next plan for this reason.
    pub fn new(reason: impl Into<Text<'t>>, resource: ChangedResource<'t>) -> Self {
        Self { reason: reason.into(), resource }
    }
}

/// The change of an output.
#[derive(Debug)]
#[non_exhaustive]
pub struct OutputChange<'t> {
    /// The name of the output.
    pub name: Text<'t>,
    /// The action.
    pub change: ValueChange<'t>,
}

impl<'t> OutputChange<'t> {
    /// The change of the output with this name.
    pub fn new(name: impl Into<Text<'t>>, change: ValueChange<'t>) -> Self {
        Self { name: name.into(), change }
    }
}

/// An attribute that may have contributed to the changes.
#[derive(Debug)]
#[non_exhaustive]
pub struct RelevantAttribute<'t> {
    /// The address of the resource.
    pub resource: Text<'t>,
    /// The path of the attribute: names, keys and indices.
    pub path: Json<'t>,
}

impl<'t> RelevantAttribute<'t> {
    /// An attribute of this resource, by names, keys and positions.
    pub fn new(resource: impl Into<Text<'t>>, path: &[Index<'t>]) -> Self {
        Self { resource: resource.into(), path: Json::of_path(path) }
    }
}

/// The text of a document, which may hold secrets: `Debug` shows only how long it is.
#[derive(Default, Clone, Copy)]
pub struct DocumentText<'t>(pub &'t str);

impl std::fmt::Debug for DocumentText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::type_and_name;

    #[test]
    fn addresses_name_a_type_and_a_resource() {
        for (address, resource_type, name) in [
            ("a.b", "a", "b"),
            ("a.b[0]", "a", "b"),
            (r#"module.m["x.y[\"]."].module.n.aws_vpc.this["a.b[0]\\"]"#, "aws_vpc", "this"),
            ("data.aws_ami.x", "aws_ami", "x"),
            ("alone", "alone", "alone"),
            ("", "", ""),
        ] {
            assert_eq!(type_and_name(address), (resource_type, name), "{address}");
        }
    }
}
