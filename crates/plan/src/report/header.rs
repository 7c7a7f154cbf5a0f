//! The text above a resource of a plan: its action, and why.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::walk::Dialect;
use objchange_document::Index;
use objchange_document::Text;
use objchange_document::changes::ResourceActions;
use objchange_document::changes::{ChangeValues, ChangedIndex, ChangedResource, Importing, attributes_of};
use objchange_document::json::{Json, Raw};

/// The text about a resource of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceHeader<'p> {
    /// The address of the instance.
    pub address: Text<'p>,
    /// The address of its module; `None` in the root module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module_address: Option<Text<'p>>,
    /// The address it had before a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_address: Option<Text<'p>>,
    /// The key of the deposed object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposed: Option<Text<'p>>,
    /// `managed` or `data`.
    pub mode: Text<'p>,
    /// The resource type.
    pub r#type: Text<'p>,
    /// The name in its module.
    pub name: Text<'p>,
    /// The `count` index or `for_each` key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Index<'p>>,
    /// The provider's address, or what the document has in its place; `None` if it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_name: Option<Text<'p>>,
    /// The actions of Terraform.
    pub actions: HeaderActions<'p>,
    /// Why, in the word of the document, such as `replace_because_tainted`; of what is deferred, why that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text<'p>>,
    /// The provider was not asked, and may replace the object instead of updating it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_be_replaced: bool,
    /// The attributes that force the replacement, where no other reason is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced_by: Vec<Text<'p>>,
    /// The object is imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importing: Option<Importing<'p>>,
    /// The action in one word.
    pub heading: Heading,
    /// Further comments, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment<'p>>,
}

/// The actions on a resource. As JSON they are a list of words, also unknown ones.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderActions<'p> {
    /// Which they are.
    pub kind: ResourceActions,
    /// Their words, if they are unknown.
    pub unknown: Vec<Text<'p>>,
}

impl Serialize for HeaderActions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind {
            ResourceActions::Unknown => self.unknown.serialize(serializer),
            kind => kind.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for HeaderActions<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = <Vec<Text<'_>>>::deserialize(deserializer)?;
        let kind = ResourceActions::of_words(&words.iter().map(Text::as_str).collect::<Vec<_>>());
        let words = if kind == ResourceActions::Unknown { words } else { Vec::new() };
        Ok(Self { kind, unknown: words.into_iter().map(|word| Text::from(word.to_string())).collect() })
    }
}

/// The action on a resource, as a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Heading {
    /// It will be created.
    Created,
    /// It will be read during apply.
    Read,
    /// It will be updated in-place.
    Updated,
    /// It will be destroyed.
    Destroyed,
    /// It must be replaced.
    Replaced,
    /// It is tainted, so must be replaced.
    ReplacedAsTainted,
    /// It will be replaced, as requested.
    ReplacedAsRequested,
    /// It will be replaced due to changes in `replace_triggered_by`.
    ReplacedAsTriggered,
    /// It will no longer be managed, but will not be destroyed.
    Forgotten,
    /// It must be replaced, but the existing object will not be destroyed.
    ReplacedButKept,
    /// It has moved, and nothing else happens.
    Moved,
    /// It will be imported, and nothing else happens.
    Imported,
    /// It has changed outside of Terraform.
    HasChanged,
    /// It has been deleted outside of Terraform.
    HasBeenDeleted,
    /// Its change is left to the next plan.
    Deferred,
    /// It neither changes nor moves nor is imported: it is hidden.
    Unchanged,
    /// Unknown actions, shown in the document's words.
    Unknown,
}

/// A comment on a resource, below its heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Comment<'p> {
    /// The configuration refers to values not yet known.
    ConfigUnknown,
    /// It depends on a resource or a module with changes pending.
    DependencyPending,
    /// Configuration will be reloaded to verify a check block.
    CheckNested,
    /// The resource is not in configuration.
    NotInConfiguration,
    /// It was moved to an address that is not in configuration.
    MoveTargetNotInConfiguration,
    /// Its module, with this address, is not in configuration.
    ModuleNotInConfiguration(Text<'p>),
    /// The resource uses `count` or `for_each`, and the instance has no index.
    UsesRepetition,
    /// The resource does not use `count`, and the index of the instance is a number.
    UsesNoCount,
    /// The resource does not use `for_each`, and the index of the instance is a key.
    UsesNoForEach,
    /// This index, as JSON, is out of range for `count`.
    IndexOutOfRange(Text<'p>),
    /// This key, as JSON, is not in the `for_each` map.
    KeyNotInMap(Text<'p>),
    /// The resource is not enabled.
    NotEnabled,
    /// Its last configuration said that the object is not to be destroyed.
    ForgottenByState,
    /// Its configuration says that the object is not to be destroyed.
    ForgottenByConfiguration,
    /// The object is left over from a partially-failed replacement.
    LeftOver,
    /// The configuration says that the object is not to be destroyed.
    NotToBeDestroyed,
    /// The resource has had another address.
    MovedFrom,
    /// It is imported.
    ImportedFrom,
    /// It is imported, and has an identity.
    ImportedByIdentity,
    /// The configuration of what is imported is generated.
    ConfigGenerated,
    /// An imported object is destroyed.
    DestroysImported,
}

/// On which occasion something is said of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChangeContext<'p> {
    /// Terraform will change it.
    Change,
    /// It has changed outside of Terraform.
    Drift,
    /// Its change is left to the next plan, for this reason.
    Deferral(Text<'p>),
}

/// The text about a resource that Terraform will change, in a plan that is a prediction or not.
pub(super) fn planned<'p>(
    resource: &ChangedResource<'p>,
    predicted: bool,
    dialect: Dialect,
) -> ResourceHeader<'p> {
    let is_update = resource.change.actions == ResourceActions::Update;
    let may_be_replaced = predicted && is_update && !resource.is_builtin();
    ResourceHeader { may_be_replaced, ..header(resource, &ChangeContext::Change, dialect) }
}

/// The header of a resource.
pub(super) fn header<'p>(
    resource: &ChangedResource<'p>,
    occasion: &ChangeContext<'p>,
    dialect: Dialect,
) -> ResourceHeader<'p> {
    let reason = match occasion {
        ChangeContext::Deferral(reason) => Some(reason.clone()),
        _ => resource.action_reason.clone(),
    };
    let heading = heading(resource, occasion, dialect);
    let replaced_by = match (heading, reason.as_deref()) {
        // Other reasons say themselves why the object is replaced.
        (Heading::Replaced | Heading::ReplacedButKept, None | Some("replace_because_cannot_update")) => {
            replacing_attributes(resource)
        }
        _ => Vec::new(),
    };
    ResourceHeader {
        address: resource.address.clone(),
        module_address: resource.module_address.clone(),
        previous_address: previous_address(resource).cloned(),
        deposed: resource.deposed.clone(),
        mode: resource.mode.clone(),
        r#type: resource.resource_type.clone(),
        name: resource.name.clone(),
        index: resource.index.as_ref().and_then(|index| index.read().ok().flatten()),
        provider_name: Some(resource.provider_name.clone()).filter(|name| !name.is_empty()),
        actions: HeaderActions {
            kind: resource.change.actions,
            unknown: resource.change.unknown_actions.clone(),
        },
        reason,
        may_be_replaced: false,
        replaced_by,
        importing: resource.change.importing.clone(),
        heading,
        comments: comments(resource, heading, dialect),
    }
}

/// The key of an instance; none where what is there is no key.
pub(super) fn index(index: Option<Raw<'_>>) -> Option<Index<'_>> {
    Index::read(index).ok().flatten()
}

/// The address before a move.
pub(crate) fn previous_address<'p, 't>(resource: &'p ChangedResource<'t>) -> Option<&'p Text<'t>> {
    resource.previous_address.as_ref().filter(|previous| **previous != resource.address)
}

/// Whether a change is shown: not if nothing happens to the resource, if it is a data source that goes away, or if it is
/// nothing that stays.
pub(crate) fn is_shown(resource: &ChangedResource<'_>) -> bool {
    // A data source that is no longer declared leaves the state without a message.
    let is_dropped_data = *resource.mode == *"data" && resource.change.actions == ResourceActions::Delete;
    // OpenTofu 1.11 writes entries of mode `ephemeral`, and never prints them.
    !is_dropped_data && *resource.mode != *"ephemeral" && !is_unchanged(resource)
}

/// Whether the resource neither changes nor moves nor is imported.
pub(super) fn is_unchanged(resource: &ChangedResource<'_>) -> bool {
    resource.change.actions == ResourceActions::NoOp
        && previous_address(resource).is_none()
        && resource.change.importing.is_none()
}

fn heading(resource: &ChangedResource<'_>, occasion: &ChangeContext<'_>, dialect: Dialect) -> Heading {
    let drift = *occasion == ChangeContext::Drift;
    match resource.change.actions {
        // Refresh-only plans keep no-op entries in drift, which print nothing.
        _ if is_unchanged(resource) => Heading::Unchanged,
        _ if matches!(occasion, ChangeContext::Deferral(_)) => Heading::Deferred,
        ResourceActions::NoOp if previous_address(resource).is_some() => Heading::Moved,
        ResourceActions::NoOp => Heading::Imported,
        ResourceActions::Create => Heading::Created,
        ResourceActions::Read => Heading::Read,
        ResourceActions::Update if drift => Heading::HasChanged,
        ResourceActions::Update => Heading::Updated,
        ResourceActions::Delete if drift => Heading::HasBeenDeleted,
        ResourceActions::Delete => Heading::Destroyed,
        // Only OpenTofu writes this action.
        ResourceActions::ForgetThenCreate if !dialect.is_opentofu() => Heading::ReplacedButKept,
        ResourceActions::DeleteThenCreate
        | ResourceActions::CreateThenDelete
        | ResourceActions::ForgetThenCreate => match resource.action_reason.as_deref() {
            Some("replace_because_tainted") => Heading::ReplacedAsTainted,
            Some("replace_by_request") => Heading::ReplacedAsRequested,
            Some("replace_by_triggers") => Heading::ReplacedAsTriggered,
            _ => Heading::Replaced,
        },
        ResourceActions::Forget => Heading::Forgotten,
        ResourceActions::CreateThenForget => Heading::ReplacedButKept,
        ResourceActions::Unknown => Heading::Unknown,
    }
}

fn comments<'p>(resource: &ChangedResource<'p>, heading: Heading, dialect: Dialect) -> Vec<Comment<'p>> {
    if matches!(heading, Heading::Deferred | Heading::Unchanged) {
        return Vec::new();
    }
    // In Terraform's order: reason, left over, destroy = false, moved from, imported from, warning.
    let mut comments = Vec::new();
    let actions = resource.change.actions;
    let is_opentofu = dialect.is_opentofu();
    comments.extend(reason(resource, is_opentofu));
    let goes = matches!(
        actions,
        ResourceActions::Delete | ResourceActions::Forget | ResourceActions::ForgetThenCreate
    );
    if resource.deposed.is_some() && goes {
        comments.push(Comment::LeftOver);
    }
    if matches!(heading, Heading::Forgotten | Heading::ReplacedButKept) && !is_opentofu {
        comments.push(Comment::NotToBeDestroyed);
    }
    if heading != Heading::Moved && previous_address(resource).is_some() {
        comments.push(Comment::MovedFrom);
    }
    if let Some(importing) = &resource.change.importing {
        let is_alone = heading == Heading::Imported;
        let is_own_format = dialect.is_own_format();
        // Terraform does not say it beside another change.
        if (is_alone || is_own_format) && resource.change.has_generated_config {
            comments.push(Comment::ConfigGenerated);
        }
        // Terraform prints the origin of an import only beside another change, and no identity; OpenTofu 1.12 prints one of
        // them always.
        let tells_origin = !is_alone || is_opentofu;
        let tells_identity =
            importing.identity.is_some() && (is_own_format || is_opentofu && importing.id.is_none());
        if tells_origin && (importing.id.is_some() || !tells_identity) {
            comments.push(Comment::ImportedFrom);
        }
        if tells_identity {
            comments.push(Comment::ImportedByIdentity);
        }
        if matches!(actions, ResourceActions::DeleteThenCreate | ResourceActions::CreateThenDelete) {
            comments.push(Comment::DestroysImported);
        }
    }
    comments
}

/// The reason, as far as it is one for what happens.
fn reason<'p>(resource: &ChangedResource<'p>, is_opentofu: bool) -> Option<Comment<'p>> {
    let index = || resource.index.as_ref().map_or(Text::default(), ChangedIndex::to_json);
    let reason = resource.action_reason.as_deref()?;
    match resource.change.actions {
        ResourceActions::Read => match reason {
            "read_because_config_unknown" => Some(Comment::ConfigUnknown),
            "read_because_dependency_pending" => Some(Comment::DependencyPending),
            "read_because_check_nested" => Some(Comment::CheckNested),
            _ => None,
        },
        ResourceActions::Delete => match reason {
            "delete_because_no_resource_config" => Some(Comment::NotInConfiguration),
            "delete_because_enabled_false" if is_opentofu => Some(Comment::NotEnabled),
            "delete_because_no_move_target" => Some(Comment::MoveTargetNotInConfiguration),
            "delete_because_no_module" => {
                let module = resource.module_address.clone().unwrap_or_default();
                Some(Comment::ModuleNotInConfiguration(module))
            }
            // By the kind of key: none, a string or a number.
            "delete_because_wrong_repetition" => Some(match index().bytes().next() {
                None => Comment::UsesRepetition,
                Some(b'"') => Comment::UsesNoForEach,
                Some(_) => Comment::UsesNoCount,
            }),
            "delete_because_count_index" => Some(Comment::IndexOutOfRange(index())),
            "delete_because_each_key" => Some(Comment::KeyNotInMap(index())),
            _ => None,
        },
        ResourceActions::Forget if is_opentofu => match reason {
            "forgot_because_lifecycle_destroy_in_state" => Some(Comment::ForgottenByState),
            "forgot_because_lifecycle_destroy_in_config" => Some(Comment::ForgottenByConfiguration),
            _ => None,
        },
        _ => None,
    }
}

/// The attributes that force the replacement; not the keys below them, which may be secret.
fn replacing_attributes(resource: &ChangedResource<'_>) -> Vec<Text<'static>> {
    let sorted = |mut names: Vec<&str>| {
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| Text::from(name.to_owned())).collect()
    };
    match &resource.change.values {
        ChangeValues::Written(values) => {
            let Ok(paths) = Json::read(&values.replace_paths) else { return Vec::new() };
            let elements = paths.view().elements();
            sorted(elements.iter().filter_map(|path| path.elements().get(0)?.as_str()).collect())
        }
        ChangeValues::Planned(values) => sorted(attributes_of(values.replaced_paths()).collect()),
        ChangeValues::Packed { values, .. } => sorted(attributes_of(values.replaced_paths()).collect()),
    }
}
