//! The form of what policies see as `input`: the fields of the collections and of the document, by Terraform and
//! OpenTofu.
//!
//! Names of variables, outputs, calls and providers are free, and so is all that is below values, marks and expressions.

use objchange_rego::{Format, InputFormat, ObjectFormat, Value};

use super::InputMode;
use crate::collection::{Field, FieldKind};
use crate::{tfconfig, tfplan, tfstate};

use Format::{Any, List, Map, Object, Scalar, Words};

/// The form of the input.
pub(super) fn of_input(mode: InputMode, is_chosen: bool, run: Option<&Value>) -> InputFormat {
    let names = |fields: &[(&'static str, Format)]| fields.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let (fields, name_of_run, others) = match mode {
        InputMode::Raw => (DOCUMENT.fields.to_vec(), None, names(COLLECTIONS)),
        InputMode::Collections | InputMode::Auto => {
            (COLLECTIONS.to_vec(), Some("run"), names(DOCUMENT.fields))
        }
        InputMode::Wrapped => {
            let mut others = names(DOCUMENT.fields);
            others.extend(names(COLLECTIONS).into_iter().filter(|name| *name != "tfplan"));
            (vec![("tfplan", Object(&DOCUMENT))], Some("tfrun"), others)
        }
    };
    let documents = name_of_run.zip(run.cloned()).into_iter().collect();
    // Under automatic detection all policies use one form, so no other one is suggested.
    InputFormat { fields, documents, other_forms: if is_chosen { others } else { Vec::new() } }
}

/// A name of `input`, in one form or another, that is similar to this one.
pub(super) fn similar(field: &str) -> String {
    let names = COLLECTIONS.iter().chain(DOCUMENT.fields).map(|(name, _)| *name);
    objchange_text::did_you_mean(field, names.chain(["run"]))
}

/// The form of a document, and of an `input.tfplan` that is one.
pub(super) fn is_field_of_document(name: &str) -> bool {
    DOCUMENT.fields.iter().any(|(field, _)| *field == name)
}

/// Whether a part of the document has a field that the corresponding part of the collections lacks.
pub(super) fn document_has(collected: &ObjectFormat, field: &str) -> bool {
    let pairs = [
        (&TFPLAN, &DOCUMENT),
        (&PLANNED, &VALUES),
        (&RESOURCE_CHANGE, &CHANGED_RESOURCE),
        (&COLLECTED_CHANGE_WITH_FULL, &CHANGE),
        (&OUTPUT_CHANGE, &CHANGE),
        (&RESOURCE, &STATE_RESOURCE),
        (&OUTPUT, &STATE_OUTPUT),
    ];
    let pair = pairs.into_iter().find(|(part, _)| *part == collected);
    pair.is_some_and(|(_, part)| part.fields.iter().any(|(name, _)| *name == field))
}

pub(super) static COLLECTIONS: &[(&str, Format)] = &[
    ("tfplan", Object(&TFPLAN)),
    ("tfstate", Object(&TFSTATE)),
    ("tfconfig", Object(&TFCONFIG)),
    ("plan", Object(&DOCUMENT)),
];

/// Declares an item of a collection, with the fields of its table.
macro_rules! items {
    ($($name:ident = $title:literal, $item:ty;)*) => {$(
        static $name: ObjectFormat =
            ObjectFormat { title: $title, fields: &formats::<{ <$item>::FIELDS.len() }>(<$item>::FIELDS) };
    )*};
}

items! {
    COLLECTED_CHANGE = "a change in the collections", tfplan::Change;
    RESOURCE_CHANGE = "the change of a resource", tfplan::ResourceChange;
    OUTPUT_CHANGE = "the change of an output", tfplan::OutputChange;
    VARIABLE = "a variable", tfplan::Variable;
    RESOURCE = "a resource", tfstate::Resource;
    OUTPUT = "an output", tfstate::Output;
    CONFIGURED_PROVIDER = "a provider of the configuration", tfconfig::Provider;
    CONFIGURED_RESOURCE = "a resource of the configuration", tfconfig::Resource;
    CONFIGURED_PROVISIONER = "a provisioner", tfconfig::Provisioner;
    CONFIGURED_VARIABLE = "a variable of the configuration", tfconfig::Variable;
    CONFIGURED_OUTPUT = "an output of the configuration", tfconfig::Output;
    CONFIGURED_CALL = "a call of a module", tfconfig::ModuleCall;
}

static COLLECTED_CHANGE_WITH_FULL: ObjectFormat = ObjectFormat {
    title: COLLECTED_CHANGE.title,
    fields: &with_full::<{ tfplan::Change::FIELDS.len() + 1 }>(COLLECTED_CHANGE.fields),
};

const fn formats<const N: usize>(fields: &[Field]) -> [(&'static str, Format); N] {
    let mut formats = [("", Any); N];
    let mut index = 0;
    while index < N {
        let (name, kind) = fields[index];
        formats[index] = (name, format(kind));
        index += 1;
    }
    formats
}

/// Policies see `after_full`, too.
const fn with_full<const N: usize>(fields: &[(&'static str, Format)]) -> [(&'static str, Format); N] {
    let mut formats = [("after_full", Any); N];
    let mut index = 0;
    while index < fields.len() {
        formats[index] = fields[index];
        index += 1;
    }
    formats
}

/// A word of the actions of a change. Terraform writes a replacement as two of them.
static ACTION: Format = Words(&["no-op", "create", "read", "update", "delete", "forget"]);

const MODE: Format = Words(&["managed", "data", "ephemeral", "list"]);

static PROVISIONER: Format = Object(&CONFIGURED_PROVISIONER);

const fn format(kind: FieldKind) -> Format {
    match kind {
        FieldKind::Text | FieldKind::Status | FieldKind::Bool | FieldKind::Index => Scalar,
        FieldKind::Mode => MODE,
        FieldKind::Texts => List(&Scalar),
        FieldKind::Actions => List(&ACTION),
        FieldKind::Value | FieldKind::Marks | FieldKind::Expressions => Any,
        FieldKind::Provisioners => List(&PROVISIONER),
        FieldKind::Change => Object(&COLLECTED_CHANGE_WITH_FULL),
    }
}

/// Declares objects with fixed fields.
macro_rules! objects {
    ($($name:ident = $title:literal { $($field:literal: $format:expr,)* })*) => {$(
        static $name: ObjectFormat = ObjectFormat { title: $title, fields: &[$(($field, $format)),*] };
    )*};
}

objects! {
    TFPLAN = "input.tfplan" {
        "terraform_version": Scalar,
        "variables": Map(&Object(&VARIABLE)),
        "planned_values": Object(&PLANNED),
        "resource_changes": Map(&Object(&RESOURCE_CHANGE)),
        "resource_drift": Map(&Object(&RESOURCE_CHANGE)),
        "output_changes": Map(&Object(&OUTPUT_CHANGE)),
        "raw": Object(&DOCUMENT),
    }
    PLANNED = "planned_values in the collections" {
        "outputs": Map(&Object(&OUTPUT)),
        "resources": Map(&Object(&RESOURCE)),
    }
    TFSTATE = "input.tfstate" {
        "terraform_version": Scalar,
        "outputs": Map(&Object(&OUTPUT)),
        "resources": Map(&Object(&RESOURCE)),
    }
    TFCONFIG = "input.tfconfig" {
        "providers": Map(&Object(&CONFIGURED_PROVIDER)),
        "resources": Map(&Object(&CONFIGURED_RESOURCE)),
        "provisioners": Map(&Object(&CONFIGURED_PROVISIONER)),
        "variables": Map(&Object(&CONFIGURED_VARIABLE)),
        "outputs": Map(&Object(&CONFIGURED_OUTPUT)),
        "module_calls": Map(&Object(&CONFIGURED_CALL)),
    }

    DOCUMENT = "a plan" {
        // Terraform writes invocations since 1.14, and `applyable` and `complete` since 1.8.
        "action_invocations": List(&Object(&INVOCATION)),
        "applyable": Scalar,
        "checks": List(&Object(&CHECK)),
        "complete": Scalar,
        "configuration": Object(&CONFIGURATION),
        "deferred_action_invocations": List(&Object(&DEFERRED_INVOCATION)),
        "deferred_changes": List(&Object(&DEFERRED_CHANGE)),
        "errored": Scalar,
        "format_version": Scalar,
        "output_changes": Map(&Object(&CHANGE)),
        "planned_values": Object(&VALUES),
        "prior_state": Object(&STATE),
        "provider_format_version": Scalar,
        "proposed_unknown": Object(&VALUES),
        "relevant_attributes": List(&Object(&RELEVANT)),
        "resource_changes": List(&Object(&CHANGED_RESOURCE)),
        "resource_drift": List(&Object(&CHANGED_RESOURCE)),
        "terraform_version": Scalar,
        "timestamp": Scalar,
        // Fields of states, for policies that are used for both.
        "values": Object(&VALUES),
        "variables": Map(&Object(&SET_VARIABLE)),
    }
    SET_VARIABLE = "a variable" {
        "deprecated": Any,
        "value": Any,
    }
    CHANGED_RESOURCE = "the change of a resource" {
        "action_reason": Scalar,
        "address": Scalar,
        "change": Object(&CHANGE),
        "deposed": Scalar,
        "index": Scalar,
        "index_unknown": Scalar,
        "mode": MODE,
        "module_address": Scalar,
        "name": Scalar,
        "previous_address": Scalar,
        "provider_name": Scalar,
        "type": Scalar,
    }
    CHANGE = "a change" {
        "actions": List(&ACTION),
        "after": Any,
        "after_full": Any,
        "after_identity": Any,
        "after_sensitive": Any,
        "after_unknown": Any,
        "before": Any,
        "before_identity": Any,
        "before_sensitive": Any,
        "generated_config": Scalar,
        // Both since 1.5, which has import blocks.
        "importing": Object(&IMPORTING),
        "replace_paths": List(&List(&Scalar)),
    }
    IMPORTING = "importing" {
        "id": Scalar,
        "identity": Any,
        "unknown": Scalar,
    }
    DEFERRED_CHANGE = "a deferred change" {
        "reason": Scalar,
        "resource_change": Object(&CHANGED_RESOURCE),
    }
    STATE = "prior_state" {
        "checks": List(&Object(&CHECK)),
        "format_version": Scalar,
        "terraform_version": Scalar,
        "values": Object(&VALUES),
    }
    VALUES = "the values of a state" {
        "outputs": Map(&Object(&STATE_OUTPUT)),
        "root_module": Object(&MODULE),
    }
    STATE_OUTPUT = "an output" {
        "deprecated": Any,
        "sensitive": Scalar,
        "type": Any,
        "value": Any,
    }
    MODULE = "a module of a state" {
        "address": Scalar,
        "child_modules": List(&Object(&MODULE)),
        "resources": List(&Object(&STATE_RESOURCE)),
    }
    STATE_RESOURCE = "a resource of a state" {
        "address": Scalar,
        "depends_on": List(&Scalar),
        "deposed_key": Scalar,
        "identity": Any,
        "identity_schema_version": Scalar,
        "index": Scalar,
        "mode": MODE,
        "name": Scalar,
        "provider_name": Scalar,
        "schema_version": Scalar,
        "sensitive_values": Any,
        "tainted": Scalar,
        "type": Scalar,
        "values": Any,
    }
    RELEVANT = "a relevant attribute" {
        "attribute": List(&Scalar),
        "resource": Scalar,
    }
    CHECK = "a check" {
        "address": Object(&CHECK_ADDRESS),
        "instances": List(&Object(&CHECK_INSTANCE)),
        "status": Scalar,
    }
    CHECK_ADDRESS = "the address of a check" {
        "kind": Scalar,
        "mode": MODE,
        "module": Scalar,
        "name": Scalar,
        "to_display": Scalar,
        "type": Scalar,
    }
    CHECK_INSTANCE = "an instance of a check" {
        "address": Object(&CHECK_INSTANCE_ADDRESS),
        "problems": List(&Object(&PROBLEM)),
        "status": Scalar,
    }
    CHECK_INSTANCE_ADDRESS = "the address of an instance of a check" {
        "instance_key": Scalar,
        "module": Scalar,
        "to_display": Scalar,
    }
    PROBLEM = "a problem" {
        "message": Scalar,
    }
    INVOCATION = "an invocation of an action" {
        "address": Scalar,
        "config_sensitive": Any,
        "config_unknown": Any,
        "config_values": Any,
        "invoke_action_trigger": Object(&INVOKED),
        "lifecycle_action_trigger": Object(&TRIGGERED),
        "name": Scalar,
        "provider_name": Scalar,
        "type": Scalar,
    }
    INVOKED = "invoke_action_trigger" {
        "calling_resource_address": Scalar,
    }
    TRIGGERED = "lifecycle_action_trigger" {
        "action_trigger_block_index": Scalar,
        "action_trigger_event": Scalar,
        "actions_list_index": Scalar,
        "on_failure": Scalar,
        "triggering_resource_address": Scalar,
    }
    DEFERRED_INVOCATION = "a deferred invocation" {
        "action_invocation": Object(&INVOCATION),
        "reason": Scalar,
    }
    CONFIGURATION = "the configuration" {
        "provider_config": Map(&Object(&PROVIDER_CONFIG)),
        "root_module": Object(&CONFIG_MODULE),
    }
    PROVIDER_CONFIG = "the configuration of a provider" {
        "alias": Scalar,
        "expressions": Any,
        "full_name": Scalar,
        "module_address": Scalar,
        "name": Scalar,
        "version_constraint": Scalar,
    }
    CONFIG_MODULE = "a module of the configuration" {
        "actions": List(&Object(&CONFIG_ACTION)),
        "module_calls": Map(&Object(&CONFIG_CALL)),
        "outputs": Map(&Object(&CONFIG_OUTPUT)),
        "resources": List(&Object(&CONFIG_RESOURCE)),
        "variables": Map(&Object(&CONFIG_VARIABLE)),
    }
    CONFIG_ACTION = "an action of the configuration" {
        "address": Scalar,
        "count_expression": Any,
        "expressions": Any,
        "for_each_expression": Any,
        "name": Scalar,
        "provider_config_key": Scalar,
        "schema_version": Scalar,
        "type": Scalar,
    }
    CONFIG_CALL = "a call of a module" {
        "count_expression": Any,
        "depends_on": List(&Scalar),
        "expressions": Any,
        "for_each_expression": Any,
        "module": Object(&CONFIG_MODULE),
        "source": Scalar,
        "version_constraint": Scalar,
    }
    CONFIG_OUTPUT = "an output of the configuration" {
        "depends_on": List(&Scalar),
        "deprecated": Any,
        "description": Scalar,
        "ephemeral": Scalar,
        "expression": Any,
        "sensitive": Scalar,
        "type": Any,
    }
    CONFIG_RESOURCE = "a resource of the configuration" {
        "address": Scalar,
        "count_expression": Any,
        "depends_on": List(&Scalar),
        "expressions": Any,
        "for_each_expression": Any,
        "mode": MODE,
        "name": Scalar,
        "provider_config_key": Scalar,
        "provisioners": List(&Object(&CONFIG_PROVISIONER)),
        "schema_version": Scalar,
        "type": Scalar,
    }
    CONFIG_PROVISIONER = "a provisioner" {
        "expressions": Any,
        "type": Scalar,
    }
    CONFIG_VARIABLE = "a variable of the configuration" {
        // `const` and `deprecated` are from Terraform 1.15, and so is the `type` of outputs.
        "const": Any,
        "default": Any,
        "deprecated": Any,
        "description": Scalar,
        "ephemeral": Scalar,
        "required": Any,
        "sensitive": Scalar,
        "type": Any,
    }
}
