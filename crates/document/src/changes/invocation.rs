//! Actions that a plan invokes.

use super::PlannedValues;
use crate::json::field::{keep, text};
use crate::json::{JsonError, Raw, Reader};
use crate::text::Text;

/// An action that a plan invokes: because a resource changes, or because it was asked for.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ActionInvocation<'t> {
    /// The address of the action.
    pub address: Text<'t>,
    /// The action type.
    pub action_type: Text<'t>,
    /// The name in its module.
    pub name: Text<'t>,
    /// The provider's address.
    pub provider_name: Text<'t>,
    /// The configuration.
    pub config: InvokedConfig<'t>,
    /// The change that triggers it.
    pub trigger: Option<ActionTrigger<'t>>,
    /// It was invoked explicitly. The text is the address of the calling resource, if any.
    pub invoked: Option<Option<Text<'t>>>,
}

/// An action that is left to the next plan.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct DeferredInvocation<'t> {
    /// Why, such as `resource_config_unknown`.
    pub reason: Text<'t>,
    /// The action.
    pub invocation: ActionInvocation<'t>,
}

/// The configuration with which an action is invoked.
#[derive(Debug)]
pub enum InvokedConfig<'t> {
    /// As a document has it.
    Written(WrittenConfig<'t>),
    /// As it was planned, after the change; there is nothing before it.
    Planned(Box<PlannedValues>),
}

impl Default for InvokedConfig<'_> {
    fn default() -> Self {
        Self::Written(WrittenConfig::default())
    }
}

impl<'t> InvokedConfig<'t> {
    /// The configuration in a document; `None` of a planned one.
    pub fn written(&self) -> Option<&WrittenConfig<'t>> {
        match self {
            Self::Written(written) => Some(written),
            Self::Planned(_) => None,
        }
    }
}

/// The configuration of an action in a document, not read yet.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct WrittenConfig<'t> {
    /// The configuration, without what is unknown; `None` if the document says nothing of it.
    pub values: Option<Raw<'t>>,
    /// The sensitive parts of the configuration.
    pub sensitive: Option<Raw<'t>>,
    /// The unknown parts of the configuration.
    pub unknown: Option<Raw<'t>>,
}

/// The change that triggers an action.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ActionTrigger<'t> {
    /// The address of the resource that changes.
    pub resource_address: Text<'t>,
    /// On which event, such as `AfterCreate`.
    pub event: Text<'t>,
    /// The position of the trigger among those of the resource.
    pub block_index: u64,
    /// The position of the action in the list of the trigger.
    pub list_index: u64,
}

/// Whether an action is invoked before or after the change that triggers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TriggerTime {
    Before,
    After,
}

impl<'t> ActionInvocation<'t> {
    /// One of these names, with nothing else said of it.
    pub fn new(
        address: impl Into<Text<'t>>,
        action_type: impl Into<Text<'t>>,
        name: impl Into<Text<'t>>,
        provider_name: impl Into<Text<'t>>,
    ) -> Self {
        Self {
            address: address.into(),
            action_type: action_type.into(),
            name: name.into(),
            provider_name: provider_name.into(),
            ..Self::default()
        }
    }
}

impl<'t> DeferredInvocation<'t> {
    /// An action that is left to the next plan for this reason.
    pub fn new(reason: impl Into<Text<'t>>, invocation: ActionInvocation<'t>) -> Self {
        Self { reason: reason.into(), invocation }
    }
}

impl<'t> ActionTrigger<'t> {
    /// By the change of the resource with this address, on this event.
    pub fn new(
        resource_address: impl Into<Text<'t>>,
        event: &'static str,
        block_index: u64,
        list_index: u64,
    ) -> Self {
        Self { resource_address: resource_address.into(), event: Text::from(event), block_index, list_index }
    }

    /// When the action is invoked; `None` for an unknown event.
    pub fn time(&self) -> Option<TriggerTime> {
        match &*self.event {
            "BeforeCreate" | "BeforeUpdate" | "BeforeDestroy" => Some(TriggerTime::Before),
            "AfterCreate" | "AfterUpdate" | "AfterDestroy" => Some(TriggerTime::After),
            // `terraform show` 1.16 crashes at another event of a change that it shows.
            _ => None,
        }
    }
}

pub(crate) fn invocation<'t>(reader: &mut Reader<'t>) -> Result<ActionInvocation<'t>, JsonError> {
    let mut invocation = ActionInvocation::default();
    let mut config = WrittenConfig::default();
    reader.members(|key, reader| {
        let place = match &*key {
            "address" => &mut invocation.address,
            "type" => &mut invocation.action_type,
            "name" => &mut invocation.name,
            "provider_name" => &mut invocation.provider_name,
            "config_values" => return keep(&mut config.values, reader.raw().map(Some)),
            "config_sensitive" => return keep(&mut config.sensitive, reader.raw().map(Some)),
            "config_unknown" => return keep(&mut config.unknown, reader.raw().map(Some)),
            "lifecycle_action_trigger" => return keep(&mut invocation.trigger, trigger(reader)),
            "invoke_action_trigger" => return keep(&mut invocation.invoked, caller(reader)),
            _ => return reader.raw().map(|_| ()),
        };
        keep(place, text(reader).map(Option::unwrap_or_default))
    })?;
    invocation.config = InvokedConfig::Written(config);
    Ok(invocation)
}

pub(crate) fn deferred_invocation<'t>(reader: &mut Reader<'t>) -> Result<DeferredInvocation<'t>, JsonError> {
    let mut deferred = DeferredInvocation::default();
    reader.members(|key, reader| match &*key {
        "reason" => keep(&mut deferred.reason, text(reader).map(Option::unwrap_or_default)),
        "action_invocation" => keep(&mut deferred.invocation, invocation(reader)),
        _ => reader.raw().map(|_| ()),
    })?;
    Ok(deferred)
}

fn trigger<'t>(reader: &mut Reader<'t>) -> Result<Option<ActionTrigger<'t>>, JsonError> {
    if crate::json::field::is_null(reader)? {
        return Ok(None);
    }
    let mut trigger = ActionTrigger::default();
    reader.members(|key, reader| match &*key {
        "triggering_resource_address" => {
            keep(&mut trigger.resource_address, text(reader).map(Option::unwrap_or_default))
        }
        "action_trigger_event" => keep(&mut trigger.event, text(reader).map(Option::unwrap_or_default)),
        "action_trigger_block_index" => keep(&mut trigger.block_index, position(reader)),
        "actions_list_index" => keep(&mut trigger.list_index, position(reader)),
        _ => reader.raw().map(|_| ()),
    })?;
    Ok(Some(trigger))
}

fn position(reader: &mut Reader<'_>) -> Result<u64, JsonError> {
    let start = reader.clone();
    let text = reader.raw()?.text();
    if text == "null" {
        return Ok(0);
    }
    text.parse().map_err(|_| start.error("expected a position"))
}

/// The caller of an action that was invoked explicitly.
fn caller<'t>(reader: &mut Reader<'t>) -> Result<Option<Option<Text<'t>>>, JsonError> {
    if crate::json::field::is_null(reader)? {
        return Ok(None);
    }
    let mut caller = None;
    reader.members(|key, reader| match &*key {
        "calling_resource_address" => keep(&mut caller, text(reader)),
        _ => reader.raw().map(|_| ()),
    })?;
    Ok(Some(caller.filter(|address| !address.is_empty())))
}
