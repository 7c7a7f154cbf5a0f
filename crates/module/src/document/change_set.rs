//! A plan as changes for reports, without a detour over the document.

use std::borrow::Cow;

use objchange::Value;
use objchange::address::{InstanceAddress, InstanceKey};
use objchange_document::changes::{
    ChangeValues, ChangedIndex, ChangedResource, Deferred, DeferredInvocation, Importing, OutputChange,
    PlannedValues, RelevantAttribute, ResourceActions, ValueChange,
};
use objchange_document::{ChangeSet, Index, Text};
use smol_str::SmolStr;

use super::changes::{in_order, mode_name, undecided_actions};
use super::checks::not_passed;
use super::json::JsonWriter;
use crate::plan::{
    self, ActionReason, Deferrals, DeferredObject, Identities, ImportedBy, ModulePlan, PlannedAction,
    PlannedInvocation, PlannedObject, PlannedOutput, RelevantStep, UndecidedReason, UndecidedResource,
};

/// Makes the changes of a plan for reports. Their reports are those of the document that
/// [`write_plan`](super::write_plan) writes.
pub fn change_set(plan: &ModulePlan) -> ChangeSet<'_> {
    let mut set = ChangeSet::default();
    set.resources = in_order(&plan.changes).into_iter().map(changed).collect();
    set.drift = in_order(&plan.drift).into_iter().map(changed).collect();
    set.deferred = plan.undecided.iter().map(deferred).collect();
    set.invocations = plan.invocations.iter().map(PlannedInvocation::to_invocation).collect();
    set.outputs = plan.outputs.iter().map(|(name, output)| changed_output(name, output)).collect();
    set.checks = not_passed(&plan.checks);
    set.relevant_attributes = plan.relevant_attributes.iter().map(relevant).collect();
    set.applyable = Some(plan.applyable);
    set.complete = Some(plan.complete);
    set.lacks_input = !plan.missing.is_empty();
    set.errored = plan.errored;
    set
}

/// Like [`change_set`], for a plan that Terraform has made, and what it leaves to the next one.
pub fn saved_change_set<'p>(plan: &'p ModulePlan, deferrals: &'p Deferrals) -> ChangeSet<'p> {
    let mut set = change_set(plan);
    set.deferred = deferrals.in_order().into_iter().map(deferred_object).collect();
    let invocation = |deferred: &'p plan::DeferredInvocation| {
        DeferredInvocation::new(deferred.reason.as_str(), deferred.invocation.to_invocation())
    };
    set.deferred_invocations = deferrals.invocations.iter().map(invocation).collect();
    set
}

fn deferred_object(DeferredObject { reason, address, object }: &DeferredObject) -> Deferred<'_> {
    let module = address.module();
    let resource = ChangedResource {
        address: Text::from(address.to_string()),
        module_address: (!module.is_empty()).then(|| Text::from(module)),
        ..changed(object)
    };
    Deferred::new(reason.as_str(), resource)
}

/// The change of a resource with these values. `text` keeps the texts about it.
pub fn changed_resource<'o, 'p>(
    object: &'o PlannedObject,
    values: ChangeValues<'p>,
    text: &impl Fn(Cow<'o, str>) -> Text<'p>,
) -> ChangedResource<'p> {
    let mut change = ValueChange::default();
    change.actions = object.action.into();
    change.values = values;
    change.importing = object.importing.as_ref().map(|importing| imported(importing, text));
    change.has_generated_config = object.generated_config.is_some();
    let Identities { before, after } = &object.identities;
    change.changes_identity = before.is_some() && before != after;
    ChangedResource {
        previous_address: object.previous_address.as_ref().map(|address| text(address.to_string().into())),
        deposed: object.deposed.as_deref().map(|key| text(key.into())),
        change,
        action_reason: object.reason.map(|reason| Text::from(reason.as_str())),
        ..resource(&object.address, &object.provider, text)
    }
}

/// A resource about which nothing is said but its name.
fn resource<'o, 'p>(
    address: &'o InstanceAddress,
    provider: &crate::ProviderAddress,
    text: &impl Fn(Cow<'o, str>) -> Text<'p>,
) -> ChangedResource<'p> {
    let module = &address.resource.module;
    ChangedResource {
        address: text(address.to_string().into()),
        module_address: (!module.is_root()).then(|| text(module.to_string().into())),
        mode: Text::from(mode_name(address.resource.mode)),
        resource_type: text(address.resource.resource_type.as_str().into()),
        name: text(address.resource.name.as_str().into()),
        index: address.key.as_ref().map(|key| {
            ChangedIndex::Planned(match key {
                InstanceKey::Number(number) => Index::Number(text(number.to_string().into())),
                InstanceKey::String(key) => Index::Key(text(key.as_str().into())),
            })
        }),
        provider_name: text(provider.to_string().into()),
        ..ChangedResource::default()
    }
}

fn changed(object: &PlannedObject) -> ChangedResource<'_> {
    let values = ChangeValues::Planned(Box::new(object.written_values()));
    changed_resource(object, values, &Text::from)
}

fn imported<'o, 'p>(imported_by: &'o ImportedBy, text: &impl Fn(Cow<'o, str>) -> Text<'p>) -> Importing<'p> {
    if let ImportedBy::Identity(identity) = imported_by
        && identity.is_wholly_known()
        && !imported_by.is_sensitive()
    {
        let mut json = JsonWriter::default();
        json.known(identity);
        return Importing::by_identity(json.into_string());
    }
    // Terraform prints it even if it is sensitive.
    let id = imported_by.id().filter(|id| !id.is_empty() && !imported_by.is_sensitive());
    Importing::by_id(id.map(|id| text(id.into())))
}

fn deferred(undecided: &UndecidedResource) -> Deferred<'_> {
    let importing = match &undecided.reason {
        UndecidedReason::ImportUnknown(imported_by) => Some(imported(imported_by, &Text::from)),
        _ => None,
    };
    let change = ValueChange::planned(undecided_actions(undecided), undecided.written_values(), importing);
    let resource = resource(&undecided.address, &undecided.provider, &Text::from);
    Deferred::new(undecided.reason.as_str(), ChangedResource { change, ..resource })
}

fn changed_output<'p>(name: &'p SmolStr, output: &PlannedOutput) -> OutputChange<'p> {
    let hidden = |value: &Value| match output.sensitive_change {
        true => value.clone().sensitive(),
        false => value.clone(),
    };
    let values = PlannedValues::new(None, &hidden(&output.before), &hidden(&output.after), Vec::new());
    OutputChange::new(name.as_str(), ValueChange::planned(output.action.into(), values, None))
}

fn relevant(attribute: &plan::RelevantAttribute) -> RelevantAttribute<'_> {
    let path: Vec<Index<'_>> = attribute.path.iter().map(RelevantStep::to_index).collect();
    RelevantAttribute::new(attribute.resource.as_str(), &path)
}

impl RelevantStep {
    fn to_index(&self) -> Index<'_> {
        match self {
            Self::Name(name) => Index::Key(Text::from(name.as_str())),
            Self::Index(position) => Index::Number(Text::from(position.to_string())),
        }
    }
}

impl From<PlannedAction> for ResourceActions {
    fn from(action: PlannedAction) -> Self {
        match action {
            PlannedAction::NoOp => Self::NoOp,
            PlannedAction::Create => Self::Create,
            PlannedAction::Read => Self::Read,
            PlannedAction::Update => Self::Update,
            PlannedAction::DeleteThenCreate => Self::DeleteThenCreate,
            PlannedAction::CreateThenDelete => Self::CreateThenDelete,
            PlannedAction::CreateThenForget => Self::CreateThenForget,
            PlannedAction::Delete => Self::Delete,
            PlannedAction::Forget => Self::Forget,
        }
    }
}

impl ActionReason {
    /// The word of plan documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReplaceBecauseTainted => "replace_because_tainted",
            Self::ReplaceBecauseCannotUpdate => "replace_because_cannot_update",
            Self::ReplaceByRequest => "replace_by_request",
            Self::ReplaceByTriggers => "replace_by_triggers",
            Self::DeleteBecauseNoResourceConfig => "delete_because_no_resource_config",
            Self::DeleteBecauseNoModule => "delete_because_no_module",
            Self::DeleteBecauseEnabledFalse => "delete_because_enabled_false",
            Self::DeleteBecauseWrongRepetition => "delete_because_wrong_repetition",
            Self::DeleteBecauseCountIndex => "delete_because_count_index",
            Self::DeleteBecauseEachKey => "delete_because_each_key",
            Self::DeleteBecauseNoMoveTarget => "delete_because_no_move_target",
            Self::ReadBecauseConfigUnknown => "read_because_config_unknown",
            Self::ReadBecauseDependencyPending => "read_because_dependency_pending",
            Self::ReadBecauseCheckNested => "read_because_check_nested",
            Self::ReadBecauseSimulated => "read_because_simulated",
        }
    }
}
