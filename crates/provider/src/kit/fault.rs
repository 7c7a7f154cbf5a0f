//! What a provider can do wrong, one clause of the contract at a time.

use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, DeferredReason, PlanResourceChange, PlannedResource,
};
use objchange::value::Path;

use super::edit::{
    edit, longer, more_keys, null, other, rekeyed, replaced, reversed, set, shorter, unknown, without,
};
use crate::conform::Clause;
use crate::{Answer, ErrorKind, ImportAnswer, Result};

/// When a fault shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// When an object is to be created.
    Create,
    /// When an object is to be changed.
    Update,
    /// When an object is to be destroyed.
    Destroy,
    /// When the provider is asked again, with all of the configuration known, before the plan is applied.
    FinalPlan,
    /// When the plan is applied.
    Apply,
    /// When the plan to destroy an object is applied.
    ApplyDestroy,
    /// When an object is read.
    Read,
    /// When a stored object is brought under the present schema.
    Upgrade,
    /// When an object is imported.
    Import,
}

/// Each fault: its name, the clause of the contract that it breaks, when it shows, and a piece of what Terraform says then.
macro_rules! faults {
    ($($(#[doc = $doc:literal])* $fault:ident, $kind:literal, $clause:ident, $stage:ident, $said:expr;)*) => {
        /// A fault of a resource type with the schema of [`trial_block`](super::trial_block). Where the part is not there that
        /// a fault is about, the provider behaves well.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Fault {
            $($(#[doc = $doc])* $fault,)*
        }

        impl Fault {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$fault),*];

            /// Its stable name.
            pub const fn kind(self) -> &'static str {
                match self { $(Self::$fault => $kind,)* }
            }

            /// The clause that it breaks.
            pub const fn clause(self) -> Clause {
                match self { $(Self::$fault => Clause::$clause,)* }
            }

            /// When it shows.
            pub const fn stage(self) -> Stage {
                match self { $(Self::$fault => Stage::$stage,)* }
            }

            /// A piece of what Terraform says of it; `None` where Terraform does not notice.
            pub const fn terraform(self) -> Option<&'static str> {
                match self { $(Self::$fault => $said,)* }
            }
        }
    };
}

faults! {
    /// Another string is planned than configured.
    PlannedString, "planned_string", P5, Create, Some("planned value cty.StringVal(\"a-other\") does not match config value cty.StringVal(\"a\")");
    /// Another number is planned than configured.
    PlannedNumber, "planned_number", P5, Create, Some("planned value cty.NumberIntVal(987) does not match config value cty.NumberIntVal(1)");
    /// A list is planned in another order.
    PlannedOrder, "planned_order", P5, Create, Some("does not match config value");
    /// Another secret is planned than configured.
    PlannedSecret, "planned_secret", P5, Create, Some("sensitive planned value does not match config value");
    /// Nothing is planned for what is configured.
    PlannedNull, "planned_null", P5, Create, Some("planned value cty.NullVal(cty.String) does not match config value");
    /// What is configured is planned as unknown.
    PlannedUnknown, "planned_unknown", P5, Create, Some("planned value cty.UnknownVal(cty.String) does not match config value");
    /// Something is planned that is neither configured nor computed.
    PlannedUnset, "planned_unset", P5, Create, Some("for a non-computed attribute");
    /// No object is planned.
    PlannedNothing, "planned_nothing", P5, Create, Some("planned for absence but config wants existence");
    /// A single block is planned that is not configured.
    PlannedBlockPresent, "planned_block_present", P5, Create, Some("planned for existence but config wants absence");
    /// More blocks are planned than configured.
    PlannedBlockCount, "planned_block_count", P5, Create, Some("block count in plan (3) disagrees with count in config (2)");
    /// A block is planned under a key that is not configured.
    PlannedBlockKey, "planned_block_key", P5, Create, Some("block key \"new\" from plan is not present in config");
    /// The blocks of a type are planned as unknown.
    PlannedBlocksUnknown, "planned_blocks_unknown", P5, Create, Some("attribute representing nested block must not be unknown itself");
    /// The blocks of a type are planned as null.
    PlannedBlocksNull, "planned_blocks_null", P5, Create, Some("must be empty to indicate no blocks, not null");
    /// One block of several is planned as unknown.
    PlannedBlockUnknown, "planned_block_unknown", P5, Create, Some("element representing nested block must not be unknown itself");
    /// A configured nested attribute is planned as unknown.
    PlannedNestedUnknown, "planned_nested_unknown", P5, Create, Some("planned unknown for configured value");
    /// More nested objects are planned than configured.
    PlannedNestedCount, "planned_nested_count", P5, Create, Some("count in plan (cty.NumberIntVal(3)) disagrees with count in config (cty.NumberIntVal(2))");
    /// A nested object is planned under another key than configured.
    PlannedNestedKey, "planned_nested_key", P5, Create, Some("map key \"new\" from plan is not present in config");
    /// Another nested set is planned than configured.
    PlannedNestedSet, "planned_nested_set", P5, Create, Some("count in plan (cty.NumberIntVal(2)) disagrees with count in config (cty.NumberIntVal(1))");
    /// A write-only attribute has a value in the plan.
    PlannedWriteOnly, "planned_write_only", P3, Create, Some("returned a value for the write-only attribute");
    /// A part of the plan has another type than the schema says.
    PlannedType, "planned_type", P4, Create, Some("number is required");
    /// An attribute is missing in the plan.
    PlannedMissing, "planned_missing", P4, Create, Some("attributes is required");
    /// The change is deferred though that was not allowed.
    PlannedDeferred, "planned_deferred", P2, Create, Some("Provider deferred changes when Terraform did not allow deferrals");
    /// The transport tells of an error, and no diagnostic does.
    PlanStatus, "plan_status", T1, Create, Some("rpc error: code = Internal desc = boom");
    /// What does not exist needs a replacement, where there was nothing before.
    ReplaceNowhereOnCreate, "replace_nowhere_on_create", P6, Create, None;
    /// What does not exist needs a replacement.
    ReplaceNowhere, "replace_nowhere", P6, Update, Some("for a non-existent attribute path");
    /// An object is planned where it is to be destroyed.
    PlannedSurvival, "planned_survival", P8, Destroy, Some("planned a non-null destroy value");
    /// The final plan has another value than the first.
    FinalValue, "final_value", F2, FinalPlan, Some("produced an invalid new value for .note");
    /// The final plan replaces what was to be updated.
    FinalAction, "final_action", F1, FinalPlan, Some("changed the planned action from Update to DeleteThenCreate");
    /// The final plan is deferred, the first was not.
    FinalDeferred, "final_deferred", F3, FinalPlan, Some("during apply, but not during plan");
    /// Another string comes of the plan.
    AppliedString, "applied_string", A5, Apply, Some(".name: was cty.StringVal(\"a\"), but now cty.StringVal(\"a-other\")");
    /// Another number comes of the plan.
    AppliedNumber, "applied_number", A5, Apply, Some(".size: was cty.NumberIntVal(1), but now cty.NumberIntVal(987)");
    /// Another secret comes of the plan.
    AppliedSecret, "applied_secret", A5, Apply, Some("inconsistent values for sensitive attribute");
    /// Nothing comes of what was planned.
    AppliedNull, "applied_null", A5, Apply, Some(".name: was cty.StringVal(\"a\"), but now null");
    /// Something comes of what was planned as null.
    AppliedUnset, "applied_unset", A5, Apply, Some(".comment: was null, but now");
    /// An element of a list is gone.
    AppliedElementGone, "applied_element_gone", A5, Apply, Some(".tags: element 1 has vanished");
    /// There is a new element of a list.
    AppliedElementNew, "applied_element_new", A5, Apply, Some(".tags: new element 2 has appeared");
    /// There is a new key of a map.
    AppliedKeyNew, "applied_key_new", A5, Apply, Some("new element \"new\" has appeared");
    /// A set has another element.
    AppliedSet, "applied_set", A5, Apply, Some("planned set element cty.StringVal(\"z\") does not correlate with any element in actual");
    /// A nested attribute has another value.
    AppliedNested, "applied_nested", A5, Apply, Some(".many[0].name: was cty.StringVal(\"a\"), but now cty.StringVal(\"a-other\")");
    /// A single block is gone.
    AppliedBlockGone, "applied_block_gone", A5, Apply, Some(".box: was present, but now absent");
    /// There is another number of blocks.
    AppliedBlockCount, "applied_block_count", A5, Apply, Some("block count changed from 2 to 3");
    /// There are more blocks of a set.
    AppliedBlockSet, "applied_block_set", A5, Apply, Some("block set length changed from 1 to 2");
    /// A block stands under another key.
    AppliedBlockKey, "applied_block_key", A5, Apply, None;
    /// The object is null.
    AppliedNothing, "applied_nothing", A6, Apply, Some("Root object was present, but now absent");
    /// There is neither an object nor an error.
    AppliedNoObject, "applied_no_object", A1, Apply, Some("Root object was present, but now absent");
    /// Something is unknown still.
    AppliedUnknown, "applied_unknown", A4, Apply, Some("Provider returned invalid result object after apply");
    /// A write-only attribute has a value.
    AppliedWriteOnly, "applied_write_only", A3, Apply, Some("returned a value for the write-only attribute");
    /// A part of the object has another type than the schema says.
    AppliedType, "applied_type", A2, Apply, Some("number is required");
    /// The object is there still after it was destroyed.
    Survived, "survived", A6, ApplyDestroy, Some("returned a non-null object");
    /// Something of the read object is unknown.
    ReadUnknown, "read_unknown", R1, Read, Some("Provider produced invalid object");
    /// A part of the read object has another type than the schema says.
    ReadType, "read_type", R2, Read, Some("number is required");
    /// A write-only attribute of the read object has a value.
    ReadWriteOnly, "read_write_only", R3, Read, Some("Provider produced invalid object");
    /// What is read differs from what was applied.
    ReadDrift, "read_drift", R5, Read, None;
    /// Something of the upgraded object is unknown.
    UpgradedUnknown, "upgraded_unknown", U1, Upgrade, Some("Invalid resource state upgrade");
    /// A part of the upgraded object has another type than the schema says.
    UpgradedType, "upgraded_type", U2, Upgrade, Some("number is required");
    /// A write-only attribute of the upgraded object has a value.
    UpgradedWriteOnly, "upgraded_write_only", U3, Upgrade, Some("Invalid resource state upgrade");
    /// The upgraded object differs, though the version of the schema is the same.
    UpgradedOther, "upgraded_other", U4, Upgrade, None;
    /// Nothing is imported.
    ImportedNothing, "imported_nothing", I1, Import, Some("Import returned no resources");
    /// Two objects are imported.
    ImportedTwo, "imported_two", I1, Import, Some("Multiple import states not supported");
    /// The imported object is of a type that the provider does not have.
    ImportedForeign, "imported_foreign", I2, Import, Some("does not support resource type");
    /// A write-only attribute of the imported object has a value.
    ImportedWriteOnly, "imported_write_only", I4, Import, Some("Import returned a non-null value for a write-only attribute");
    /// The imported object is null.
    ImportedNull, "imported_null", I5, Import, Some("Import returned null resource");
    /// The imported object cannot be read.
    ImportedGone, "imported_gone", I6, Import, Some("Cannot import non-existent remote object");
}

/// By this an imported object is known that nobody can read.
const GONE: &[u8] = b"gone";

impl Fault {
    pub(super) fn planned(self, request: &PlanResourceChange, answer: &mut PlannedResource) -> Result<()> {
        if request.proposed.is_null() {
            if self == Self::PlannedSurvival {
                answer.planned = request.prior.clone();
            }
            return Ok(());
        }
        let name_is_known = request.config.attribute("name").is_some_and(Value::is_known);
        let nowhere = || vec![Path::root().attribute("name").attribute("no_such")];
        answer.planned = self.planned_value(&answer.planned, name_is_known);
        match self {
            Self::PlannedDeferred => answer.deferred = Some(DeferredReason::AbsentPrerequisite),
            Self::PlanStatus => {
                return Err(ErrorKind::Status { code: "Internal", message: "boom".into() }.into());
            }
            Self::ReplaceNowhereOnCreate if request.prior.is_null() => answer.requires_replace = nowhere(),
            Self::ReplaceNowhere if !request.prior.is_null() => answer.requires_replace = nowhere(),
            Self::FinalAction if name_is_known => {
                answer.requires_replace = vec![Path::root().attribute("name")];
            }
            Self::FinalDeferred if name_is_known => {
                answer.deferred = Some(DeferredReason::AbsentPrerequisite);
            }
            _ => {}
        }
        Ok(())
    }

    fn planned_value(self, planned: &Value, name_is_known: bool) -> Value {
        match self {
            Self::PlannedString => edit(planned, "name", other),
            Self::PlannedNumber => edit(planned, "size", other),
            Self::PlannedOrder => edit(planned, "tags", reversed),
            Self::PlannedSecret => edit(planned, "secret", other),
            Self::PlannedNull => edit(planned, "name", null),
            Self::PlannedUnknown => edit(planned, "name", unknown),
            Self::PlannedUnset => set(planned, "comment", "chosen"),
            Self::PlannedNothing => null(planned),
            Self::PlannedBlockPresent => set(planned, "lid", Value::object([("name", "a")])),
            Self::PlannedBlockCount => edit(planned, "disk", longer),
            Self::PlannedBlockKey => edit(planned, "entry", rekeyed),
            Self::PlannedBlocksUnknown => edit(planned, "disk", unknown),
            Self::PlannedBlocksNull => edit(planned, "disk", null),
            Self::PlannedBlockUnknown => edit(planned, "disk[0]", unknown),
            Self::PlannedNestedUnknown => edit(planned, "many", unknown),
            Self::PlannedNestedCount => edit(planned, "many", longer),
            Self::PlannedNestedKey => edit(planned, "keyed", rekeyed),
            Self::PlannedNestedSet => edit(planned, "unique", longer),
            Self::PlannedWriteOnly => set(planned, "token", "echoed"),
            Self::PlannedType => set(planned, "size", "large"),
            Self::PlannedMissing => without(planned, "size"),
            Self::FinalValue => set(planned, "note", if name_is_known { "late" } else { "early" }),
            _ => planned.clone(),
        }
    }

    pub(super) fn applied(self, request: &ApplyResourceChange, answer: &mut AppliedResource) -> Result<()> {
        if request.planned.is_null() {
            if self == Self::Survived {
                answer.new_state = Some(request.prior.clone());
            }
            return Ok(());
        }
        if self == Self::AppliedNoObject {
            answer.new_state = None;
        }
        answer.new_state = answer.new_state.as_ref().map(|state| self.applied_value(state));
        Ok(())
    }

    fn applied_value(self, state: &Value) -> Value {
        match self {
            Self::AppliedString => edit(state, "name", other),
            Self::AppliedNumber => edit(state, "size", other),
            Self::AppliedSecret => edit(state, "secret", other),
            Self::AppliedNull => edit(state, "name", null),
            Self::AppliedUnset => set(state, "comment", "chosen"),
            Self::AppliedElementGone => edit(state, "tags", shorter),
            Self::AppliedElementNew => edit(state, "tags", longer),
            Self::AppliedKeyNew => edit(state, "labels", more_keys),
            Self::AppliedSet => edit(state, "zones", replaced),
            Self::AppliedNested => edit(state, "many[0].name", other),
            Self::AppliedBlockGone => edit(state, "box", null),
            Self::AppliedBlockCount => edit(state, "disk", longer),
            Self::AppliedBlockSet => edit(state, "rule", longer),
            Self::AppliedBlockKey => edit(state, "entry", rekeyed),
            Self::AppliedNothing => null(state),
            Self::AppliedUnknown => edit(state, "id", unknown),
            Self::AppliedWriteOnly => set(state, "token", "echoed"),
            Self::AppliedType => set(state, "size", "large"),
            _ => state.clone(),
        }
    }

    pub(super) fn read(self, answer: &mut Answer) {
        let Some(object) = answer.object.take() else { return };
        answer.object = Some(match self {
            Self::ReadUnknown => edit(&object, "id", unknown),
            Self::ReadType => set(&object, "size", "large"),
            Self::ReadWriteOnly => set(&object, "token", "echoed"),
            Self::ReadDrift => edit(&object, "name", other),
            Self::ImportedGone if answer.private.0 == GONE => null(&object),
            _ => object,
        });
    }

    pub(super) fn upgraded(self, answer: &mut Answer) {
        let Some(object) = answer.object.take() else { return };
        answer.object = Some(match self {
            Self::UpgradedUnknown => edit(&object, "id", unknown),
            Self::UpgradedType => set(&object, "size", "large"),
            Self::UpgradedWriteOnly => set(&object, "token", "echoed"),
            Self::UpgradedOther => edit(&object, "name", other),
            _ => object,
        });
    }

    pub(super) fn imported(self, answer: &mut ImportAnswer) {
        let Some(first) = answer.resources.first_mut() else { return };
        match self {
            Self::ImportedNothing => answer.resources.clear(),
            Self::ImportedTwo => {
                let again = first.clone();
                answer.resources.push(again);
            }
            Self::ImportedForeign => first.type_name = "kit_no_such_type".into(),
            Self::ImportedWriteOnly => {
                first.object = first.object.as_ref().map(|object| set(object, "token", "echoed"));
            }
            Self::ImportedGone => first.private.0 = GONE.to_vec(),
            Self::ImportedNull => first.object = first.object.as_ref().map(null),
            _ => {}
        }
    }
}
