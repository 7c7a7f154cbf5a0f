//! The actions of a configuration, and those that a plan invokes.

use objchange::Value;
use objchange_document::Text;
use objchange_document::changes::{ActionInvocation, ActionTrigger, InvokedConfig, PlannedValues};
use objchange_hcl::{ActionConfig, ActionName, OnFailure, TriggerEvent};

use super::json::JsonWriter;
use crate::plan::{DeferredInvocation, InvocationTrigger, PlannedInvocation};

/// The word of documents for an event.
fn event_word(event: TriggerEvent) -> &'static str {
    match event {
        TriggerEvent::BeforeCreate => "BeforeCreate",
        TriggerEvent::AfterCreate => "AfterCreate",
        TriggerEvent::BeforeUpdate => "BeforeUpdate",
        TriggerEvent::AfterUpdate => "AfterUpdate",
        TriggerEvent::BeforeDestroy => "BeforeDestroy",
        TriggerEvent::AfterDestroy => "AfterDestroy",
    }
}

fn failure_word(on_failure: OnFailure) -> &'static str {
    match on_failure {
        OnFailure::Halt => "ActionOnFailureHalt",
        OnFailure::Taint => "ActionOnFailureTaint",
        OnFailure::Continue => "ActionOnFailureContinue",
    }
}

impl PlannedInvocation {
    /// The invocation for reports.
    pub(super) fn to_invocation(&self) -> ActionInvocation<'_> {
        let name = &self.address.name;
        let (address, provider) = (self.address.to_string(), self.provider.to_string());
        let (action_type, own_name) = (name.action_type.as_str(), name.name.as_str());
        let mut invocation = ActionInvocation::new(address, action_type, own_name, provider);
        let before = Value::null(self.config.ty().clone());
        let values = PlannedValues::new(
            self.schema.as_ref().map(|schema| &schema.block),
            &before,
            &self.config,
            Vec::new(),
        );
        invocation.config = InvokedConfig::Planned(Box::new(values));
        match &self.trigger {
            InvocationTrigger::Change { resource, event, block, index, .. } => {
                let resource = Text::from(resource.to_string());
                let (block, index) = (*block as u64, *index as u64);
                invocation.trigger = Some(ActionTrigger::new(resource, event_word(*event), block, index));
            }
            InvocationTrigger::Asked => invocation.invoked = Some(None),
        }
        invocation
    }
}

impl JsonWriter {
    pub(super) fn action_invocations(&mut self, invocations: &[PlannedInvocation]) {
        self.array(|json| {
            for invocation in invocations {
                json.object(|json| json.action_invocation(invocation));
            }
        });
    }

    pub(super) fn deferred_action_invocations(&mut self, deferred: &[DeferredInvocation]) {
        self.array(|json| {
            for DeferredInvocation { reason, invocation } in deferred {
                json.object(|json| {
                    json.string_member("reason", reason.as_str());
                    json.member("action_invocation", |json| {
                        json.object(|json| json.action_invocation(invocation));
                    });
                });
            }
        });
    }

    fn action_invocation(&mut self, invocation: &PlannedInvocation) {
        // Write-only values are there, unlike in objects: they are given to the action.
        let config = &invocation.config;
        self.string_member("address", &invocation.address.to_string());
        self.string_member("type", &invocation.address.name.action_type);
        self.string_member("name", &invocation.address.name.name);
        self.member("config_values", |json| json.known(config));
        self.member("config_sensitive", |json| json.sensitive_parts(config));
        self.member("config_unknown", |json| json.unknown_parts(config));
        self.string_member("provider_name", &invocation.provider.to_string());
        match &invocation.trigger {
            InvocationTrigger::Change { resource, event, block, index, on_failure } => {
                self.member("lifecycle_action_trigger", |json| {
                    json.object(|json| {
                        json.string_member("triggering_resource_address", &resource.to_string());
                        json.string_member("action_trigger_event", event_word(*event));
                        json.member("action_trigger_block_index", |json| json.plain(block));
                        json.member("actions_list_index", |json| json.plain(index));
                        // Terraform writes it since 1.16.
                        if let Some(on_failure) = on_failure.filter(|_| json.language() >= (1, 16)) {
                            json.string_member("on_failure", failure_word(on_failure));
                        }
                    });
                });
            }
            InvocationTrigger::Asked => self.member("invoke_action_trigger", |json| json.object(|_| {})),
        }
    }

    /// An action of the configuration, of a provider with this key.
    pub(super) fn configured_action(&mut self, name: &ActionName, action: &ActionConfig, provider_key: &str) {
        self.string_member("address", &name.to_string());
        self.string_member("type", &name.action_type);
        self.string_member("name", &name.name);
        self.string_member("provider_config_key", provider_key);
        self.repetition("count_expression", action.count.as_ref());
        self.repetition("for_each_expression", action.for_each.as_ref());
    }
}
