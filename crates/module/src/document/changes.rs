//! The sections of what happens: resources, drift, what is left to the next plan, and outputs.

use objchange::address::{InstanceAddress, InstanceKey, Mode};
use objchange_document::changes::{Deferred, PlannedValues, ResourceActions};
use objchange_document::json::{Shape, View};
use objchange_plan::Sides;

use super::json::JsonWriter;
use crate::plan::compare_changes;
use crate::plan::{
    Deferrals, DeferredObject, Identities, ImportedBy, ModulePlan, OpenAddress, PlannedObject, PlannedOutput,
    UndecidedReason, UndecidedResource,
};

/// The objects in the order of the document.
pub(super) fn in_order(objects: &[PlannedObject]) -> Vec<&PlannedObject> {
    let mut objects: Vec<&PlannedObject> = objects.iter().collect();
    objects.sort_by(|a, b| compare_changes(a, b));
    objects
}

/// The actions for a resource with unknown instances: those of one new instance. An object that exists may be updated.
pub(super) fn undecided_actions(undecided: &UndecidedResource) -> ResourceActions {
    match undecided.address.resource.mode {
        Mode::Managed if undecided.reason.is_about_object() => ResourceActions::Update,
        Mode::Managed => ResourceActions::Create,
        Mode::Data | Mode::Ephemeral => ResourceActions::Read,
    }
}

/// `managed` or `data`.
pub(super) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Managed => "managed",
        Mode::Data => "data",
        Mode::Ephemeral => "ephemeral",
    }
}

impl PlannedObject {
    /// Both sides as documents have them.
    pub(super) fn written_values(&self) -> PlannedValues {
        let schema = self.schema.as_ref().map(|schema| &schema.block);
        PlannedValues::new(schema, &self.before, &self.after, self.replace_paths.clone())
    }
}

impl UndecidedReason {
    /// Whether the object exists, and what happens to it is not known.
    pub(crate) fn is_about_object(&self) -> bool {
        matches!(self, Self::ActionUnknown | Self::ReplacementUnknown)
    }

    /// As documents write it. Terraform has no such reasons: it never plans without the provider.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::InstancesUnknown => Deferred::INSTANCES_UNKNOWN,
            Self::WorkspaceUnknown => Deferred::WORKSPACE_UNKNOWN,
            Self::InputMissing => Deferred::INPUT_MISSING,
            Self::ActionUnknown => Deferred::ACTION_UNKNOWN,
            Self::ReplacementUnknown => Deferred::REPLACEMENT_UNKNOWN,
            Self::ImportUnknown(_) => Deferred::IMPORT_UNKNOWN,
        }
    }
}

impl UndecidedResource {
    /// Both sides as documents have them.
    pub(super) fn written_values(&self) -> PlannedValues {
        let schema = self.schema.as_ref().map(|schema| &schema.block);
        PlannedValues::new(schema, &self.before, &self.after, Vec::new())
    }
}

impl PlannedOutput {
    /// Whether the value is known in every part.
    pub(super) fn is_known(&self) -> bool {
        self.after.is_wholly_known()
    }
}

impl JsonWriter {
    pub(super) fn resource_changes(&mut self, objects: &[PlannedObject]) {
        self.array(|json| {
            for object in in_order(objects) {
                json.object(|json| json.resource_change(object));
            }
        });
    }

    fn resource_change(&mut self, object: &PlannedObject) {
        self.string_member("address", &object.address.to_string());
        self.previous_address(object);
        let module = &object.address.resource.module;
        if !module.is_root() {
            self.string_member("module_address", &module.to_string());
        }
        self.instance(&object.address);
        self.changed_object(object);
    }

    fn previous_address(&mut self, object: &PlannedObject) {
        if let Some(previous) = &object.previous_address {
            self.string_member("previous_address", &previous.to_string());
        }
    }

    /// The members after the names.
    fn changed_object(&mut self, object: &PlannedObject) {
        self.string_member("provider_name", &object.provider.to_string());
        self.optional_member("deposed", object.deposed.as_deref());
        self.member("change", |json| {
            json.object(|json| {
                json.sides(object.action.into(), &object.written_values());
                if let Some(imported_by) = &object.importing {
                    json.importing(imported_by);
                }
                json.optional_member("generated_config", object.generated_config.as_deref());
                let Identities { before, after } = &object.identities;
                for (name, identity) in [("before_identity", before), ("after_identity", after)] {
                    if let Some(identity) = identity
                        && json.has_identities()
                    {
                        json.member(name, |json| json.known(identity));
                    }
                }
            });
        });
        // Terraform 1.11.4 writes `action_reason` as the last member, and leaves it out if there is none.
        if let Some(reason) = object.reason {
            self.string_member("action_reason", reason.as_str());
        }
    }

    fn importing(&mut self, imported_by: &ImportedBy) {
        self.member("importing", |json| {
            json.object(|json| match imported_by {
                ImportedBy::Id(id) if id.is_known() => json.member("id", |json| json.known(id)),
                ImportedBy::Identity(identity) if identity.is_wholly_known() => {
                    json.member("identity", |json| json.known(identity));
                }
                _ => json.bool_member("unknown", true),
            });
        });
    }

    /// The members of what names an instance in its module.
    pub(super) fn instance(&mut self, address: &InstanceAddress) {
        self.string_member("mode", mode_name(address.resource.mode));
        self.string_member("type", &address.resource.resource_type);
        self.string_member("name", &address.resource.name);
        match &address.key {
            None => {}
            Some(InstanceKey::Number(number)) => self.member("index", |json| json.plain(number)),
            Some(InstanceKey::String(key)) => self.string_member("index", key),
        }
    }

    fn actions(&mut self, actions: ResourceActions) {
        self.member("actions", |json| {
            json.array(|json| actions.words().iter().for_each(|word| json.string(word)));
        });
    }

    fn sides(&mut self, actions: ResourceActions, values: &PlannedValues) {
        self.actions(actions);
        self.member("before", |json| json.known(values.before()));
        self.member("after", |json| json.known(values.after()));
        // Terraform writes `{}` for a resource that is wholly known, and `false` for an output.
        self.member("after_unknown", |json| match values.after().is_wholly_known() {
            true => json.object(|_| {}),
            false => json.unknown_parts(values.after()),
        });
        self.member("before_sensitive", |json| json.sensitive_parts(values.before()));
        self.member("after_sensitive", |json| json.sensitive_parts(values.after()));
        if !values.replaced_paths().is_empty() {
            let sides = Sides::from_values(values.before(), values.after(), values.replaced_paths());
            self.member("replace_paths", |json| paths(json, sides.replace.view()));
        }
    }

    /// The resources whose actions are unknown, and the changes that Terraform has deferred.
    pub(super) fn deferred_changes(&mut self, undecided: &[UndecidedResource], deferred: &Deferrals) {
        self.array(|json| {
            for DeferredObject { reason, address, object } in deferred.in_order() {
                json.object(|json| {
                    json.string_member("reason", reason.as_str());
                    json.member("resource_change", |json| {
                        json.object(|json| json.deferred_change(address, object));
                    });
                });
            }
            for resource in undecided {
                json.object(|json| {
                    json.string_member("reason", resource.reason.as_str());
                    json.member("resource_change", |json| json.object(|json| json.undecided(resource)));
                });
            }
        });
    }

    fn deferred_change(&mut self, address: &OpenAddress, object: &PlannedObject) {
        self.string_member("address", &address.to_string());
        self.previous_address(object);
        self.optional_member("module_address", Some(&address.module()));
        self.instance(address.known());
        if address.is_key_unknown() {
            self.bool_member("index_unknown", true);
        }
        self.changed_object(object);
    }

    fn undecided(&mut self, resource: &UndecidedResource) {
        self.string_member("address", &resource.address.to_string());
        let module = &resource.address.resource.module;
        if !module.is_root() {
            self.string_member("module_address", &module.to_string());
        }
        self.instance(&resource.address);
        self.string_member("provider_name", &resource.provider.to_string());
        self.member("change", |json| {
            json.object(|json| {
                json.sides(undecided_actions(resource), &resource.written_values());
                if let UndecidedReason::ImportUnknown(imported_by) = &resource.reason {
                    json.importing(imported_by);
                }
            });
        });
    }

    pub(super) fn output_changes(&mut self, plan: &ModulePlan) {
        self.object(|json| {
            for (name, output) in &plan.outputs {
                json.member(name, |json| json.object(|json| json.output_change(output)));
            }
        });
    }

    fn output_change(&mut self, output: &PlannedOutput) {
        self.actions(output.action.into());
        self.member("before", |json| json.known(&output.before));
        // Partly unknown outputs have an `after` with null in place of unknown elements; wholly unknown ones have none.
        if output.after.is_known() {
            self.member("after", |json| json.known(&output.after));
        }
        self.member("after_unknown", |json| match output.is_known() {
            true => json.bool(false),
            false => json.unknown_parts(&output.after),
        });
        // Both members say whether the output is sensitive now or was before: Terraform does not tell them apart.
        self.bool_member("before_sensitive", output.sensitive_change);
        self.bool_member("after_sensitive", output.sensitive_change);
    }
}

/// Names, keys and positions.
fn paths(json: &mut JsonWriter, paths: View<'_, '_>) {
    json.array(|json| {
        for path in paths.elements().iter() {
            json.array(|json| {
                for step in path.elements().iter() {
                    match step.shape() {
                        Shape::Number(number) => json.plain(number),
                        _ => json.string(&step.text().unwrap_or_default()),
                    }
                }
            });
        }
    });
}
