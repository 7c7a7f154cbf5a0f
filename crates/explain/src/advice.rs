//! How to fix a violation, for users and for authors of the provider.

use super::Clause;

/// Advice on fixing a violation of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The consequences for users of the provider.
    pub meaning: &'static str,
    /// Their workaround until the provider is fixed.
    pub workaround: &'static str,
    /// The most common cause.
    pub cause: &'static str,
    /// How it is fixed with terraform-plugin-framework.
    pub framework: &'static str,
    /// How it is fixed with terraform-plugin-sdk, version 2.
    pub sdk_v2: &'static str,
    /// How it is fixed in a provider without these two libraries.
    pub others: &'static str,
}

impl Advice {
    /// The advice as text, with a line for each kind of reader.
    pub fn text(&self) -> String {
        let lines = [
            ("Likely cause", self.cause),
            ("Until it is fixed", self.workaround),
            ("terraform-plugin-framework", self.framework),
            ("terraform-plugin-sdk/v2", self.sdk_v2),
            ("Others", self.others),
        ];
        lines.map(|(who, what)| format!("{who}: {what}\n")).concat()
    }
}

impl Clause {
    /// Advice for a violation of this clause, by the stable name of the kind of violation.
    pub fn advice(self, kind: Option<&str>) -> &'static Advice {
        let kind = kind.unwrap_or_default();
        match self {
            Self::P5 => match kind {
                "noncomputed_planned" | "sensitive_noncomputed_planned" => &PLANNED_DEFAULT,
                "planned_absent" | "planned_present" => &PLANNED_PRESENCE,
                "planned_unknown_for_configured" => &PLANNED_UNKNOWN,
                "null_blocks"
                | "changed_unknown_dynamic_block"
                | "unknown_noncomputed_block"
                | "unknown_configured_block"
                | "unknown_block_element"
                | "block_count_disagrees"
                | "block_key_not_in_config"
                | "block_key_not_in_plan"
                | "count_disagrees"
                | "map_key_not_in_config"
                | "map_key_not_in_plan" => &PLANNED_SHAPE,
                _ => &PLANNED_VALUE,
            },
            Self::A5 => match kind {
                "null_now_value" | "value_now_null" | "object_now_present" | "object_now_absent" => {
                    &APPLIED_NULL
                }
                "sensitive_inconsistent" => &APPLIED_SECRET,
                "placeholder_mismatch" | "wrong_final_type" => &APPLIED_PROMISE,
                "element_vanished"
                | "element_appeared"
                | "block_count_changed"
                | "block_key_vanished"
                | "block_key_appeared"
                | "block_label_changed"
                | "block_set_grew"
                | "set_grew"
                | "planned_set_element_unmatched"
                | "actual_set_element_unmatched" => &APPLIED_ELEMENTS,
                _ => &APPLIED_VALUE,
            },
            Self::A3 if kind == "write_only_not_checked" => &WRITE_ONLY_UNCHECKED,
            Self::P3 | Self::A3 | Self::R3 | Self::U3 | Self::I4 | Self::M3 => &WRITE_ONLY,
            Self::P4 | Self::A2 | Self::R2 | Self::U2 | Self::D1 | Self::I9 | Self::M2 | Self::G1 => {
                &WRONG_TYPE
            }
            Self::D3 => &UNKNOWN_DATA,
            Self::A4 | Self::R1 | Self::U1 | Self::M1 => &UNKNOWN_LEFT,
            Self::R4 if kind == "identity_changed" => &IDENTITY_CHANGED,
            Self::P7 | Self::A7 | Self::R4 | Self::I3 | Self::M4 | Self::L1 => &IDENTITY,
            Self::A1 | Self::A6 | Self::A9 => &OBJECT_LOST,
            Self::V1 => &UNKNOWN_REFUSED,
            Self::K1 | Self::K2 => &SECRET_TOLD,
            Self::U5 if kind == "no_state_upgrader" => &NO_UPGRADER,
            Self::U5 if kind == "state_not_read" => &STATE_NOT_READ,
            Self::P9 | Self::A8 | Self::R6 | Self::U5 | Self::E3 | Self::X2 => &FAILED,
            Self::P2 | Self::F3 => &DEFERRED,
            Self::F1 | Self::F2 => &FINAL_PLAN,
            Self::P6 => &REQUIRES_REPLACE,
            Self::P8 => &PLANNED_SURVIVAL,
            Self::R5 if kind == "no_object" => &OBJECT_GONE,
            Self::R5 | Self::C2 => &NOT_CONVERGED,
            Self::C1 => &NOT_DETERMINISTIC,
            Self::U4 => &UPGRADE_CHANGES,
            Self::I1 | Self::I2 | Self::I5 | Self::I6 | Self::I7 | Self::I8 => &IMPORT,
            Self::D2 | Self::D4 | Self::D5 => &DATA,
            Self::G2 => &GENERATED,
            Self::E1 | Self::E2 => &EPHEMERAL,
            Self::L2 if kind == "wrong_value" => &LISTED_VALUE,
            Self::L2 => &LISTED,
            Self::X1 => &ACTION,
            Self::N1 | Self::N2 | Self::N3 | Self::N4 => &FUNCTION,
            Self::S0 if kind == "default_not_computed" => &SCHEMA_DEFAULT,
            Self::S0
            | Self::S1
            | Self::S2
            | Self::S3
            | Self::S4
            | Self::S5
            | Self::S6
            | Self::S7
            | Self::S8 => &SCHEMA,
            Self::T1 if kind == "message_too_large" => &MESSAGE_TOO_LARGE,
            Self::T1 if kind == "invalid_utf8" => &INVALID_UTF8,
            Self::T1 | Self::T2 => &TRANSPORT,
            Self::T3 => &HANG,
        }
    }
}

const UNKNOWN_REFUSED: Advice = Advice {
    meaning: "The provider refuses a configuration because something in it is not known yet. It would take the value that comes later.",
    workaround: "Write the value into the configuration, or create what it depends on first with `-target`.",
    cause: "A check takes an unknown value for an empty or a missing one.",
    framework: "In validators, ValidateConfig and ModifyPlan return early for a value of which `IsUnknown()` is true.",
    sdk_v2: "In CustomizeDiff ask `NewValueKnown` before you check a value.",
    others: "Take an unknown value for one that may become any value of its type.",
};

const SECRET_TOLD: Advice = Advice {
    meaning: "The provider puts a secret where Terraform shows or stores it: in its output, in a plan or in the state.",
    workaround: "Do not share output or state of it, and change the secret after it was shown.",
    cause: "A message repeats the value that it is about, or a value is copied from one attribute to another.",
    framework: "Name the attribute in a diagnostic, and not its value. Store nothing of a write-only attribute; keep a hash in private state to see that it changed.",
    sdk_v2: "Name the attribute in an error, and not its value. Store nothing of a write-only attribute.",
    others: "Name the attribute in a diagnostic, and not its value. Store nothing of a write-only attribute.",
};

const PLANNED_VALUE: Advice = Advice {
    meaning: "The provider plans another value than the one that is configured. Terraform stops before anything is changed.",
    workaround: "Write the value in the form in which the message shows it as planned; or use the version of the provider before, and report the error to its authors.",
    cause: "The provider normalises configured values while it plans: letter case, JSON, order, a default in place of an empty value.",
    framework: "In plan modifiers and ModifyPlan leave alone what is configured: only an attribute with `Computed: true` that is null in configuration may get another value. Where two forms mean the same, give the attribute a custom type with semantic equality (`StringSemanticEquals` and its like); it keeps the written form.",
    sdk_v2: "Terraform only logs this for the SDK, and users see it later as other errors. Take `StateFunc` and rewriting in `CustomizeDiff` away, compare with `DiffSuppressFunc` instead, and bring the value into form only on its way to the service.",
    others: "Answer PlanResourceChange with the proposed new state, and replace in it only what is computed and null in configuration.",
};

pub(super) const PLANNED_FOR_UNKNOWN: Advice = Advice {
    meaning: "The configured value is known only after apply, and the provider already plans one. Terraform stops before anything is changed.",
    workaround: "Give the argument a value that is known while planning; or create the object that it comes from first (`-target`), and apply again.",
    cause: "The provider takes an unknown value for an empty one while it plans: a default is put in, or code reads the value without asking whether it is known.",
    framework: "In plan modifiers and ModifyPlan return early where `req.ConfigValue.IsUnknown()`. In Go structs use `types.String` and its like: a `string` makes an empty text of an unknown value.",
    sdk_v2: "In `CustomizeDiff` ask `d.NewValueKnown(key)` first: `d.Get` gives the empty value for an unknown one.",
    others: "An argument that is unknown in configuration is unknown in the plan.",
};

const PLANNED_DEFAULT: Advice = Advice {
    meaning: "The provider plans a value for an attribute that is not configured and that its schema does not call computed.",
    workaround: "Write the planned value into the configuration.",
    cause: "A default is put in for an attribute that is only optional.",
    framework: "Make the attribute `Optional: true, Computed: true`; a `Default` needs `Computed`. Set nothing else for it in ModifyPlan.",
    sdk_v2: "`Default` on an attribute that is not `Computed` does this always; Terraform tolerates it from the SDK. Where it does harm, take `Default` away and make the attribute `Optional` and `Computed`.",
    others: "Call the attribute computed as well as optional in the schema, or leave it null in the plan.",
};

const PLANNED_PRESENCE: Advice = Advice {
    meaning: "The provider plans nothing where something is configured, or an object or block that is not configured.",
    workaround: "Write the block or leave it out, to match the plan in the message.",
    cause: "The answer is built anew instead of from the proposed object, and null and empty are not told apart.",
    framework: "Use pointers or `types.Object` for single blocks and nested attributes, so that null stays null; do not remove the resource in ModifyPlan.",
    sdk_v2: "The SDK has no single blocks; look for a provider that is muxed or bridged, and for `CustomizeDiff` that clears values.",
    others: "Start from the proposed new state; the planned object is null if and only if the configuration is.",
};

const PLANNED_UNKNOWN: Advice = Advice {
    meaning: "The provider plans that it does not know yet what the configuration says already.",
    workaround: "Use another version of the provider, or leave the attribute out.",
    cause: "A plan modifier marks the whole of a nested attribute as unknown, because something in it is computed.",
    framework: "Mark only the computed attributes inside as unknown, not the object, list, set or map around them.",
    sdk_v2: "`SetNewComputed` on a key that is configured does this; set it on the computed keys inside only.",
    others: "Where configuration has a value, the plan has that value. Unknown are computed attributes inside that are null in configuration.",
};

const PLANNED_SHAPE: Advice = Advice {
    meaning: "The plan has other nested blocks or elements than the configuration: more, fewer, under other keys, null, or unknown as a whole.",
    workaround: "Write as many blocks or elements as the message says are planned; avoid `dynamic` blocks and values that are known only after apply there.",
    cause: "Blocks that the service adds by itself are put into the plan, or an unknown collection is planned as null or empty.",
    framework: "Blocks follow the configuration exactly; what the service adds belongs in a computed attribute beside them. Nested attributes must keep the number and the keys of elements.",
    sdk_v2: "Terraform only logs this for the SDK. `Computed` blocks and `CustomizeDiff` that writes whole lists cause it: set single keys, and use `SchemaConfigModeAttr` only where it was used always.",
    others: "For blocks: an empty collection where there are none, never null; unknown only if the configuration is; as many as configured. Unknown values belong inside of the blocks.",
};

const FAILED: Advice = Advice {
    meaning: "The provider made the object itself, and then reports an error for it. Terraform stops there, on each run.",
    workaround: "Read the provider's own message. Where the object is protected, take the protection away first; else use another version of the provider, or take the object out of the state (`terraform state rm`).",
    cause: "The code behind the call does not expect what the provider has stored itself: a missing case, a value that the service returns in another form, or a service that is not ready yet.",
    framework: "Do not add an error in Read where the object is not there (`resp.State.RemoveResource`) or not ready (wait in Create); let Delete succeed where the object is gone already.",
    sdk_v2: "In Read call `d.SetId(\"\")` where the object is gone instead of returning an error; wait in Create until it can be read; let Delete succeed where it is gone already.",
    others: "Answer with errors only where the service failed. Everything that ApplyResourceChange returned must be taken back by UpgradeResourceState, ReadResource and PlanResourceChange.",
};

const WRITE_ONLY: Advice = Advice {
    meaning: "The provider gives a value back for a write-only attribute. Such a value must never get into a plan or state; Terraform stops so that it does not.",
    workaround: "Leave the write-only attribute out, if there is another way to give the value.",
    cause: "The answer is built from the configuration, in which the write-only value stands.",
    framework: "Read the value from `req.Config`, never from `req.Plan`, and do not set it in the response; a current version of the framework sets it to null by itself.",
    sdk_v2: "Read it by `GetRawConfigAt`, and never `d.Set` it.",
    others: "Set write-only attributes to null in every planned, new, read, upgraded and imported state.",
};

const WRITE_ONLY_UNCHECKED: Advice = Advice {
    meaning: "Terraform could not check whether a write-only attribute has a value, because what is around it is null. That is most likely a fault of Terraform itself, and not of the provider.",
    workaround: "Use the newest patch release of Terraform: the first releases that know write-only attributes have the fault. Until then leave out the nested attribute that has write-only ones inside.",
    cause: "A write-only attribute is inside of a nested attribute or block, and that is null in what the provider answers.",
    ..WRITE_ONLY
};

pub(crate) const WRONG_TYPE: Advice = Advice {
    meaning: "The provider's answer does not have the type of its own schema. Terraform names neither the resource nor the call.",
    workaround: "Find the resource with `-target` or by the order of the log (`TF_LOG=trace`), and use another version of the provider.",
    cause: "The schema and the code were not changed together, or an attribute is missing in the answer.",
    framework: "This cannot happen with the framework's own state and plan; look where a `tfsdk.State` or raw value is made by hand, such as in state upgraders.",
    sdk_v2: "This cannot happen with the SDK's own state; look at what a bridge, a mux or a state upgrader makes by hand.",
    others: "Encode every answer with the type that the schema implies: all attributes present, none more, numbers as numbers.",
};

/// The advice for a wrong type if the message names the resource.
pub(crate) const WRONG_TYPE_AT: Advice = Advice {
    meaning: "The provider's answer for this resource does not have the type of its own schema.",
    workaround: "Use another version of the provider, and report the error to its authors.",
    ..WRONG_TYPE
};

const NO_UPGRADER: Advice = Advice {
    meaning: "The state holds an object of an older version of the schema, and the provider cannot bring it to the present one.",
    workaround: "Use the version of the provider that wrote the state. A version in between may upgrade it; otherwise remove the object from the state (`terraform state rm`) and import it again.",
    cause: "The schema's version was raised, without an upgrade from the version in the message; often that is version 0, the first one of every type.",
    framework: "Implement `ResourceWithUpgradeState`: `UpgradeState` returns a `StateUpgrader` for each earlier version, the one in the message included, with its `PriorSchema`. Each leads to the present version in one step.",
    sdk_v2: "Add a `StateUpgrader` for the version that the message names, and for each other one before `SchemaVersion`.",
    others: "Answer UpgradeResourceState with an object of the present schema, whatever version is stored.",
};

const STATE_NOT_READ: Advice = Advice {
    meaning: "The object in the state does not have the types of the schema of its version: an attribute or block got another type there.",
    workaround: "Use the version of the provider that wrote the state; otherwise remove the object from the state (`terraform state rm`) and import it again.",
    cause: "A type was changed without raising the version of the schema, or the `PriorSchema` of an upgrade is not the schema that this version had.",
    framework: "Raise `Version` of the schema with each change of a type, and give `UpgradeState` for the one before the `PriorSchema` that it really had, or none and read `RawState` instead.",
    sdk_v2: "Raise `SchemaVersion` with each change of a type, and give the `StateUpgrader` for the one before the `Type` that it really had.",
    others: "Read the stored JSON by the schema that its version had, and raise the version with each change of a type.",
};

const UNKNOWN_LEFT: Advice = Advice {
    meaning: "Something is unknown where all must be known: after apply, in what is read, upgraded, or given by a data source.",
    workaround: "After apply, the object is there and in the state; run `terraform apply` again. Until it is fixed, do not refer to the attribute that the message names.",
    cause: "A computed attribute was planned as unknown, and nothing sets it when the object was made.",
    framework: "At the end of Create and Update each attribute of the model needs a value or null: set computed ones that the service did not give to null. `UseStateForUnknown` keeps those that do not change.",
    sdk_v2: "The SDK makes them null by itself; look at what a bridge or mux adds.",
    others: "Replace every unknown value of the planned state before you answer ApplyResourceChange.",
};

const UNKNOWN_DATA: Advice = Advice {
    meaning: "A data source answers with something that is not known, where all of it must be.",
    workaround: "Use another version of the provider: the error comes on each read. If the answer depends on arguments, try others.",
    cause: "A computed attribute is never set, or is copied from what the data source was asked with.",
    framework: "In Read of the data source each attribute of the model needs a value or null: start from the configuration, and set every computed attribute, to null where the service gave nothing.",
    sdk_v2: "The SDK makes them null by itself; look at what a bridge or mux adds.",
    others: "Answer ReadDataSource with no unknown value; a client that allows it may be told to defer the read instead.",
};

const OBJECT_GONE: Advice = Advice {
    meaning: "When the state was refreshed, the provider did not find the object any more. Terraform continues and plans to create it again.",
    workaround: "See whether the object is there. If it was deleted outside of Terraform, nothing is wrong. If it is there, the credentials, the region or the ID with which the provider looks for it are wrong: do not apply, or there will be two.",
    cause: "Somebody deleted it, or the provider takes an answer such as \"not found\" or \"forbidden\" for a deleted object, or looks in the wrong place.",
    framework: "In Read call `resp.State.RemoveResource` only where the service says that this object does not exist; all else is an error.",
    sdk_v2: "In Read call `d.SetId(\"\")` only where the service says that this object does not exist; return all other errors.",
    others: "Answer ReadResource with null only where the object does not exist.",
};

const OBJECT_LOST: Advice = Advice {
    meaning: "After apply the provider says that the object is not there, or, after a destroy, that it still is.",
    workaround: "See whether the object exists, and import it or remove it from the state (`terraform import`, `terraform state rm`) before the next run.",
    cause: "After creating, the provider reads the object at once, the service does not show it yet, and the reader takes it as gone; or an error is swallowed.",
    framework: "Do not call `resp.State.RemoveResource` in Create or Update; return a diagnostic, or wait for the object to appear. In Delete leave the state to the framework.",
    sdk_v2: "Reading at the end of Create with `d.SetId(\"\")` on 404 does this: wait (`retry.StateChangeConf`), and clear the ID only where `!d.IsNewResource()`.",
    others: "Answer a create or update with the object or an error, and a destroy with null.",
};

const APPLIED_VALUE: Advice = Advice {
    meaning: "After apply an attribute has another value than was planned. The change was made, and the state has the new value; the next plan may want to change it back.",
    workaround: "Write the value as the service has it, which the message shows behind `but now`; or `ignore_changes` for the attribute.",
    cause: "The service normalises the value, and the provider returns that instead of the planned value.",
    framework: "Where the attribute is configured, keep the planned value in Create and Update; use a custom type with semantic equality where the forms mean the same. Values that the service may change by itself must be planned as unknown: `Computed`, and no `UseStateForUnknown`.",
    sdk_v2: "Terraform only logs this for the SDK; others fail because of it (\"inconsistent final plan\" of what refers to it). Keep the configured form with `DiffSuppressFunc`, or call the attribute `Computed` and use `SetNewComputed`.",
    others: "Known values of the planned state come back as they are. Plan as unknown what you cannot promise.",
};

const APPLIED_NULL: Advice = Advice {
    meaning: "A value that was planned as null is set after apply, or the other way round.",
    workaround: "If the service gives a default, write it into the configuration; if it drops an empty value, leave the attribute out.",
    cause: "Null, empty and zero are taken for the same: an absent field comes back as \"\", 0, false or [], or an empty one is stored as null.",
    framework: "Compare with the plan before writing: where it is null and the service says empty, keep null, and the reverse. An attribute with a default from the service is `Optional: true, Computed: true`.",
    sdk_v2: "The SDK knows no null; Terraform tolerates it. With a bridge, compare raw values (`GetRawConfig`, `GetRawPlan`).",
    others: "Tell null and empty apart on the whole way, and call computed what the service may fill in.",
};

const APPLIED_ELEMENTS: Advice = Advice {
    meaning: "After apply a collection has other elements or blocks than were planned.",
    workaround: "Write the elements that the service adds; leave out those that it drops; mind duplicates and order.",
    cause: "The service adds elements of its own (tags, rules, defaults), drops duplicates, or gives a list in another order.",
    framework: "Keep only the elements that are configured, and give those of the service in a computed attribute beside them (such as `tags_all`). Use a set where the order means nothing.",
    sdk_v2: "Set only what was configured, or make the block `Optional` and `Computed`; use `TypeSet` where the order means nothing.",
    others: "A known collection comes back with the planned keys and as many elements. In sets each planned element needs one that it may become.",
};

const APPLIED_SECRET: Advice = Advice {
    meaning: "A sensitive attribute, or something below it, has another value after apply than planned; Terraform shows neither value.",
    workaround: "Compare by hand what is configured with what the service has; often it is null against empty, a hash, or a trailing line break.",
    cause: "The service hides, hashes or trims secrets, and the provider writes back what the service gave.",
    framework: "Keep the planned value for secrets: do not read them back from the service. Better, make them write-only.",
    sdk_v2: "Do not `d.Set` secrets from what the service answers; keep what is configured.",
    others: "Give planned secrets back as they were planned.",
};

const APPLIED_PROMISE: Advice = Advice {
    meaning: "The plan promised something about an unknown value, such as its prefix, length or that it is not null, and the result breaks the promise.",
    workaround: "Use another version of the provider.",
    cause: "A refinement was given in the plan that does not always hold.",
    framework: "Look at what plan modifiers promise of unknown values (not null, a prefix, bounds), and give only what always holds.",
    sdk_v2: "The SDK gives no promises; look at what a bridge or mux adds.",
    others: "Refine unknown values only by what holds in every case.",
};

const FINAL_PLAN: Advice = Advice {
    meaning: "When all values were known, during apply, the provider planned something else than it had planned before. Terraform stops before this object is changed; others may be changed already.",
    workaround: "Run `terraform apply` again: now the values are known from the start. Or apply in two steps with `-target`.",
    cause: "With unknown values the provider planned something as known that depends on them. For blocks in a set, Terraform's own matching of elements can cause it.",
    framework: "In ModifyPlan, what depends on a value that `IsUnknown()` must itself be unknown; a default may not replace an unknown value.",
    sdk_v2: "In `CustomizeDiff` look at `d.NewValueKnown(key)`, and use `SetNewComputed` where it is not known. Zero values of unknown attributes are mistaken for empty ones.",
    others: "A plan from less knowledge may know less, and never something else.",
};

const DEFERRED: Advice = Advice {
    meaning: "The provider puts a change off, which Terraform did not allow, or did not expect any more.",
    workaround: "Give the provider's configuration values that are known when the plan is made.",
    cause: "The provider defers without looking at the capabilities that the client sends, or at apply.",
    framework: "Set `resp.Deferred` only where `req.ClientCapabilities.DeferralAllowed`, and decide the same in both plans.",
    sdk_v2: "Set `resp.Deferred` in `ConfigureProvider` only where `req.DeferralAllowed`.",
    others: "Look at `client_capabilities.deferral_allowed`; at apply never defer what was not deferred before.",
};

const REQUIRES_REPLACE: Advice = Advice {
    meaning: "The provider says that a change of something needs a new object, and there is no such thing in the object.",
    workaround: "Use another version of the provider.",
    cause: "The path goes into a null block or attribute, has a wrong name, or an index that does not exist any more.",
    framework: "Set `RequiresReplace` by plan modifiers on the attribute; where a path is made by hand, it must exist in the state or in the plan.",
    sdk_v2: "`ForceNew` makes right paths; look at `d.ForceNew(key)` in `CustomizeDiff`.",
    others: "Each path must lead to something in the prior or the planned object. Terraform looks only where there is a prior object: on create it goes unnoticed.",
};

const PLANNED_SURVIVAL: Advice = Advice {
    meaning: "The object is to be destroyed, and the provider plans that it will be there.",
    workaround: "Take the object away by hand, and `terraform state rm` it.",
    cause: "ModifyPlan does not look whether this is a destroy.",
    framework: "Begin ModifyPlan with `if req.Plan.Raw.IsNull() { return }`.",
    sdk_v2: "The SDK answers null by itself; look at what a bridge or mux adds.",
    others: "Where the proposed new state is null, plan null; or do not announce `plan_destroy`.",
};

const NOT_CONVERGED: Advice = Advice {
    meaning: "Right after apply, reading or planning the same again finds something to do: users see a change in each plan that never goes away.",
    workaround: "Write the value as the provider reads it, or `ignore_changes` for the attribute.",
    cause: "The read object differs from the applied one: form, order, defaults of the service, attributes that are not read.",
    framework: "Keep the prior value in Read where it means the same; use `UseStateForUnknown` for what does not change; call `Computed` what the service sets.",
    sdk_v2: "Use `DiffSuppressFunc` for forms that mean the same, `Computed` for what the service sets, and `TypeSet` where the order means nothing.",
    others: "Reading an unchanged object returns the stored object.",
};

const NOT_DETERMINISTIC: Advice = Advice {
    meaning: "Asked twice for the same plan, the provider answers differently. Terraform plans twice for every apply, and may then say \"inconsistent final plan\".",
    workaround: "Run `terraform apply` again.",
    cause: "Random names, the time, or the order of a map get into the plan.",
    framework: "Make random and time-dependent attributes computed: plan them as unknown, and choose them in Create.",
    sdk_v2: "Choose such values in Create, not in `CustomizeDiff` or `DefaultFunc`.",
    others: "A plan depends on what was asked, and on nothing else.",
};

const UPGRADE_CHANGES: Advice = Advice {
    meaning: "A stored object whose schema version is the present one is changed when it is loaded: drift without a cause.",
    workaround: "None is needed, as a rule; a plan shows the change as one outside of Terraform.",
    cause: "An upgrader runs without looking at the version, or the state is normalised while it is loaded.",
    framework: "UpgradeState is called for older versions only; look at custom types that change values while they are read.",
    sdk_v2: "Look at `StateUpgraders` and `MigrateState`, and at defaults that are put in.",
    others: "Terraform calls UpgradeResourceState each time. Where the version is the present one, give the object back as it is.",
};

const IMPORT: Advice = Advice {
    meaning: "An import gives no object, several, one of another type or null, or one that reading does not find or fills otherwise than apply did.",
    workaround: "See whether the ID has the form that the documentation of the type says; after an import that lacks something, `terraform apply` once.",
    cause: "The ID is only passed on and not looked up, or reading relies on values that only creating sets.",
    framework: "`resource.ImportStatePassthroughID` with the attribute that Read needs; Read must fill in all the rest.",
    sdk_v2: "`Importer` with `schema.ImportStatePassthroughContext`, or a function that sets all that Read needs; return exactly one `ResourceData`.",
    others: "Answer with exactly one object of the requested type; an unknown ID is an error, not an empty answer.",
};

const DATA: Advice = Advice {
    meaning: "A data source answers with nothing, or with something else than what is configured.",
    workaround: "Use another version of the provider, or look the value up by other arguments.",
    cause: "A missing object is answered with null instead of an error, or arguments are overwritten with the service's values.",
    framework: "Add an error to the diagnostics where nothing is found; set only computed attributes.",
    sdk_v2: "Return an error where nothing is found, instead of clearing the ID; `d.Set` only computed attributes.",
    others: "Give the configuration back with its computed attributes filled in.",
};

const FUNCTION: Advice = Advice {
    meaning: "A function of the provider returns nothing, something of another type than it says, or something else each time.",
    workaround: "Do not call the function where its result must stay the same.",
    cause: "The result depends on the time, on randomness, or on the environment.",
    framework: "Set `resp.Result` on every way that has no error, and let it depend on the arguments alone.",
    sdk_v2: "The SDK has no functions; look at what a mux adds.",
    others: "A function is pure: the same arguments, the same result, of the type that it announces.",
};

const SCHEMA: Advice = Advice {
    meaning: "The schema is not well-formed: Terraform does not load the provider at all, or may one day stop to.",
    workaround: "Use another version of the provider.",
    cause: "Flags that exclude each other, a wrong nesting, a reserved or malformed name.",
    framework: "Run `providerserver`'s schema validation in a unit test (`resp.Schema.ValidateImplementation`).",
    sdk_v2: "Run `provider.InternalValidate()` in a unit test.",
    others: "Each attribute is required, or optional, or computed, or optional and computed, and has one type; a set has neither dynamic nor write-only parts.",
};

const SCHEMA_DEFAULT: Advice = Advice {
    meaning: "An attribute has a default and is not computed: only for a computed one may a provider plan a value that is not configured. Terraform does not load the provider at all.",
    workaround: "Use another version of the provider.",
    cause: "`Default` was added to an attribute that is only optional.",
    framework: "Set `Computed: true` beside `Optional: true` on the attribute that the message names, or take its `Default` away.",
    sdk_v2: "The message is the framework's: look at the part of the provider that is written with it.",
    others: "Call an attribute computed as well as optional, where the plan may fill it in.",
};

const IDENTITY: Advice = Advice {
    meaning: "The identity of an object, by which it is found in the service, is missing, not known, or not as its schema says.",
    workaround: "Use a version of Terraform before 1.12, which knows no identities, or another version of the provider.",
    cause: "The identity is not set on every way through the code, or from attributes that are not known yet.",
    framework: "Set `resp.Identity` in Create, Read and Update, each attribute with a known value; in ModifyPlan only for objects that exist.",
    sdk_v2: "Set all attributes of `d.Identity()` in Create and Read; mind `MutableIdentity` where they may change.",
    others: "Only a plan to create may leave the identity unknown. Everywhere else all of its attributes have values.",
};

const IDENTITY_CHANGED: Advice = Advice {
    meaning: "When the object was read, the provider gave it another identity than the one in the state.",
    workaround: "Where the stored identity is null or empty, a version of the provider without identities, or with a bug, wrote it: use a newer version of the provider, or remove the object from the state and import it again (`terraform state rm`, `terraform import`). Where both have values, check that the account and region are those that made the object.",
    cause: "The identity was stored incomplete, by a failed create or an older version, and is filled in when it is read; or reading leaves a part of it empty.",
    framework: "Set every attribute of `resp.Identity` in Create, Update and Read from the same source. Raise the identity schema's version, and upgrade what older versions stored.",
    sdk_v2: "Set all attributes of `d.Identity()` in Create and Read; set `MutableIdentity` in `ResourceBehavior` where they may change.",
    others: "The identity of an object stays the same, unless the stored one is null as a whole.",
};

const GENERATED: Advice = Advice {
    meaning: "With the configuration that the provider writes for an object, a plan would change the object.",
    workaround: "Correct the generated configuration by hand until a plan shows no changes.",
    cause: "Attributes that are only computed are written, or configured ones left out.",
    framework: "Write what the schema lets people configure and the state has, and leave out what is only computed.",
    sdk_v2: "Mind attributes that are optional and computed: write them only where they differ from what the service chooses.",
    others: "Write what can be configured and is not null, and plan it against the object before you answer.",
};

const EPHEMERAL: Advice = Advice {
    meaning: "The opened ephemeral resource is missing, not known, or differs from its configuration.",
    workaround: "Use another version of the provider.",
    cause: "The result is built anew instead of from the configuration, or computed attributes are left unknown.",
    framework: "In Open begin with `req.Config`, fill in what is computed, and set `resp.Result` on every way that has no error.",
    sdk_v2: "The SDK has no ephemeral resources; look at what a mux adds.",
    others: "Give the configuration back with its computed attributes filled in and known.",
};

const LISTED: Advice = Advice {
    meaning: "A list has more objects than were asked for, objects that were not asked for, of another type or not wholly known.",
    workaround: "Ask for fewer, and leave out the objects.",
    cause: "`limit` and `include_resource` are not looked at, or an object is filled in only in part.",
    framework: "Look at `req.Limit` and `req.IncludeResource` in List.",
    sdk_v2: "Look at the limit and at whether objects are wanted.",
    others: "Stop after `limit` results, and send objects only if they are requested, and wholly known.",
};

const LISTED_VALUE: Advice = Advice {
    meaning: "An object in a list is not as its schema says: something in it is unknown, or of another type.",
    workaround: "Leave `include_resource` out, so that objects are not sent; or use another version of the provider.",
    cause: "The object is filled in only in part: attributes that listing does not give are left unknown.",
    framework: "Before a result is sent, give each attribute of its resource a value or null.",
    sdk_v2: "Set what the service gave, and leave nothing marked as computed later.",
    others: "Send objects with nothing unknown in them.",
};

const ACTION: Advice = Advice {
    meaning: "An action does not say that it is over, or says something after that: who invoked it waits, or does not learn how it went.",
    workaround: "Look at what the action was to do in the service itself.",
    cause: "The stream of events ends without its last event on some way, such as after an error.",
    framework: "Return from Invoke when all is done; send progress only before that.",
    sdk_v2: "The SDK has no actions; look at what a mux adds.",
    others: "The last event is `completed`, with the errors if there are some, and there is one of it.",
};

const TRANSPORT: Advice = Advice {
    meaning: "The provider crashes, hangs, or answers with an error of the transport. Changes that were under way may be lost from the state.",
    workaround: "Look at the crash in the log (`TF_LOG=trace`), and whether objects were made that the state does not have.",
    cause: "A null or unknown value where the code expects a value; an error that is returned and not told as a diagnostic.",
    framework: "Look at `IsNull()` and `IsUnknown()` before `Value…()`; recover nothing, and add errors to `resp.Diagnostics`.",
    sdk_v2: "Check type assertions and lists of blocks with a null element (`v.([]interface{})[0]` can be nil); return `diag.FromErr`.",
    others: "Tell errors in the diagnostics of the answer; gRPC codes are for the connection.",
};

const MESSAGE_TOO_LARGE: Advice = Advice {
    meaning: "An object is larger than a message between Terraform and the provider may be. The message names both sizes; most often the limit is 4 MiB on the side of the provider.",
    workaround: "Make the object smaller: keep large files and texts out of attributes, name a path or an address in their place, or split the object into several.",
    cause: "An attribute holds a large text, file or list, and every call sends the whole object, often more than once.",
    framework: "A current version of terraform-plugin-go takes messages of 256 MiB. Store a hash or a path in the state, and not the content.",
    sdk_v2: "Move to the current terraform-plugin-sdk/v2, which takes messages of 256 MiB. Store a hash or a path in the state, and not the content.",
    others: "Raise the limit of the gRPC server (`grpc.MaxRecvMsgSize`); Terraform's own is 256 MiB.",
};

const INVALID_UTF8: Advice = Advice {
    meaning: "The provider wanted to send a text that is not valid UTF-8, and the message could not be written. Its content is lost.",
    workaround: "Look in the log (`TF_LOG=trace`) for what the service said. Bring the data into UTF-8 where it comes from; another language of the service or of the system may help.",
    cause: "A message of the service or of the system in another encoding, or binary data, is put into a diagnostic or an attribute as it is; or a text is cut in the middle of a letter.",
    framework: "Pass what comes from outside through `strings.ToValidUTF8`, encode binary data as base64, and cut texts by runes.",
    sdk_v2: "Pass what comes from outside through `strings.ToValidUTF8`, encode binary data as base64, and cut texts by runes.",
    others: "All texts of the protocol are UTF-8.",
};

/// The advice for Terraform's built-in provider, which only passes on its input.
pub(crate) const BUILT_IN: Advice = Advice {
    meaning: "The provider is built into Terraform, and passes on its input. The input changed between the plan and the apply.",
    workaround: "Run `terraform apply` again: now the values are known from the start. Then look at what the attribute refers to, and report the error to the provider of that resource.",
    cause: "The attribute refers to another resource, whose provider planned a value and applied another. Where it refers to none, it is a bug of Terraform or OpenTofu.",
    framework: "Look at the provider of the resource that is referred to: its plan must leave unknown what it does not know.",
    sdk_v2: "Look at the provider of the resource that is referred to: Terraform tolerates this of the SDK, and it shows only here.",
    others: "Look at the provider of the resource that is referred to.",
};

const HANG: Advice = Advice {
    meaning: "The provider does not answer, and Terraform waits for it without end. Changes that were under way may be lost from the state.",
    workaround: "Interrupt Terraform once, and look in the log (`TF_LOG=trace`) for the request that has no answer.",
    cause: "A request without a time limit, a loop that waits for a state that never comes, or a lock that is never released.",
    framework: "Pass the `ctx` of the method to each request, and limit it with `context.WithTimeout` or the `timeouts` block.",
    sdk_v2: "Set `Timeouts` in the schema, pass `ctx` to each request, and wait with `retry.StateChangeConf`, which ends.",
    others: "Give each request a time limit, and answer `StopProvider` by ending what is under way.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_for_a_hang_is_about_time() {
        assert_ne!(Clause::T3.advice(None), Clause::T2.advice(None));
        assert!(Clause::T3.advice(None).cause.contains("time limit"));
    }

    #[test]
    fn each_clause_has_advice_for_everybody() {
        for clause in Clause::ALL {
            let Advice { meaning, workaround, cause, framework, sdk_v2, others } = clause.advice(None);
            for text in [meaning, workaround, cause, framework, sdk_v2, others] {
                assert!(text.ends_with(['.', ')']), "{clause}: {text}");
            }
        }
    }
}
