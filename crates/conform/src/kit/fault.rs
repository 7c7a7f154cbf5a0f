//! The faults of the kit, each of which violates one clause of the contract.

use crate::Clause;

/// The step in which a fault shows.
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
    /// When a stored object is upgraded to the current schema.
    Upgrade,
    /// When an object is imported.
    Import,
    /// When a configuration is validated.
    Validate,
    /// When the plan to change an object is applied.
    ApplyUpdate,
    /// When an object is replaced.
    Replace,
    /// When an object is planned once more, with the configuration that it has.
    Again,
    /// When an object is moved here from another type.
    Move,
    /// When a configuration is written for an object.
    Generate,
}

/// Declares each fault: its name, the clause that it violates, the stage in which it shows, and a part of Terraform's message.
macro_rules! faults {
    ($($(#[doc = $doc:literal])* $fault:ident, $kind:literal, $clause:ident, $stage:ident, $said:expr;)*) => {
        /// A fault of a resource type with the schema of [`trial_block`](super::trial_block). Without the part that a fault
        /// concerns, the provider behaves well.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Fault {
            $($(#[doc = $doc])* $fault,)*
        }

        impl Fault {
            /// All faults.
            pub const ALL: &[Self] = &[$(Self::$fault),*];

            /// Its stable name.
            pub const fn kind(self) -> &'static str {
                match self { $(Self::$fault => $kind,)* }
            }

            /// The clause that it violates.
            pub const fn clause(self) -> Clause {
                match self { $(Self::$fault => Clause::$clause,)* }
            }

            /// The step in which it shows.
            pub const fn stage(self) -> Stage {
                match self { $(Self::$fault => Stage::$stage,)* }
            }

            /// The first version of Terraform that notices it, if older ones are in use.
            pub const fn since(self) -> Option<&'static str> {
                match self.clause() {
                    Clause::P7 | Clause::A7 | Clause::R4 | Clause::I3 | Clause::M4 => Some("1.12"),
                    Clause::G1 | Clause::G2 => Some("1.14"),
                    _ => None,
                }
            }

            /// A part of Terraform's message; `None` if Terraform does not notice.
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
    /// A configured value is planned as null.
    PlannedNull, "planned_null", P5, Create, Some("planned value cty.NullVal(cty.String) does not match config value");
    /// A configured value is planned as unknown.
    PlannedUnknown, "planned_unknown", P5, Create, Some("planned value cty.UnknownVal(cty.String) does not match config value");
    /// A value is planned that is neither configured nor computed.
    PlannedUnset, "planned_unset", P5, Create, Some("for a non-computed attribute");
    /// The blocks of a set are planned as null.
    PlannedSetBlocksNull, "planned_set_blocks_null", P5, Create, Some("attribute representing a set of nested blocks must be empty");
    /// The blocks of a map are planned as null.
    PlannedMapBlocksNull, "planned_map_blocks_null", P5, Create, Some("attribute representing a map of nested blocks must be empty");
    /// No object is planned.
    PlannedNothing, "planned_nothing", P5, Create, Some("planned for absence but config wants existence");
    /// A single block is planned that is not configured.
    PlannedBlockPresent, "planned_block_present", P5, Create, Some("planned for existence but config wants absence");
    /// More blocks are planned than configured.
    PlannedBlockCount, "planned_block_count", P5, Create, Some("block count in plan (3) disagrees with count in config (2)");
    /// A block is planned under a key that is not configured.
    PlannedBlockKey, "planned_block_key", P5, Create, Some("block key \"k\" from config is not present in plan");
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
    /// An object in the plan has no attributes.
    PlannedEmpty, "planned_empty", P4, Create, Some("missing required attribute");
    /// There is an attribute in the plan that the schema does not have.
    PlannedExtra, "planned_extra", P4, Create, Some("attributes is required");
    /// A map is planned with another value than configured.
    PlannedMapValue, "planned_map_value", P5, Create, Some("does not match config value");
    /// A set is planned with another element than configured.
    PlannedSetValue, "planned_set_value", P5, Create, Some("does not match config value");
    /// A block of several is planned with another value than configured.
    PlannedBlockValue, "planned_block_value", P5, Create, Some("planned value cty.StringVal(\"b-other\") does not match config value cty.StringVal(\"b\")");
    /// A block in a block is planned with another value than configured.
    PlannedDeepValue, "planned_deep_value", P5, Create, Some("planned value cty.StringVal(\"p-other\") does not match config value cty.StringVal(\"p\")");
    /// A single block is planned with another value than configured.
    PlannedSingleValue, "planned_single_value", P5, Create, Some("planned value cty.StringVal(\"a-other\") does not match config value cty.StringVal(\"a\")");
    /// A block with a label is planned with another value than configured.
    PlannedLabelledValue, "planned_labelled_value", P5, Create, Some("planned value cty.StringVal(\"a-other\") does not match config value cty.StringVal(\"a\")");
    /// A nested object is planned with another value than configured.
    PlannedNestedValue, "planned_nested_value", P5, Create, Some("planned value cty.StringVal(\"b-other\") does not match config value cty.StringVal(\"b\")");
    /// A nested object with a key is planned with another value than configured.
    PlannedNestedKeyed, "planned_nested_keyed", P5, Create, Some("planned value cty.StringVal(\"a-other\") does not match config value cty.StringVal(\"a\")");
    /// A nested object that is configured is planned as null.
    PlannedNestedGone, "planned_nested_gone", P5, Create, Some("planned for absence but config wants existence");
    /// A single block that is configured is planned as null.
    PlannedBlockGone, "planned_block_gone", P5, Create, Some("planned for absence but config wants existence");
    /// Fewer blocks are planned than configured.
    PlannedBlockFewer, "planned_block_fewer", P5, Create, Some("block count in plan (1) disagrees with count in config (2)");
    /// A block of a set is planned as unknown.
    PlannedSetBlockUnknown, "planned_set_block_unknown", P5, Create, Some("element representing nested block must not be unknown itself");
    /// Each plan has another value.
    PlannedByChance, "planned_by_chance", C1, Create, None;
    /// The change is deferred although that was not allowed.
    PlannedDeferred, "planned_deferred", P2, Create, Some("Provider deferred changes when Terraform did not allow deferrals");
    /// The call fails with a gRPC status instead of a diagnostic.
    PlanStatus, "plan_status", T1, Create, Some("rpc error: code = Internal desc = boom");
    /// A path that does not exist requires a replacement, on creation.
    ReplaceNowhereOnCreate, "replace_nowhere_on_create", P6, Create, None;
    /// A path that does not exist requires a replacement.
    ReplaceNowhere, "replace_nowhere", P6, Update, Some("for a non-existent attribute path");
    /// A string is planned that is neither the prior nor the configured one.
    UpdatedString, "updated_string", P5, Update, Some("planned value cty.StringVal(\"b-other\") does not match config value cty.StringVal(\"b\") nor prior value cty.StringVal(\"a\")");
    /// A secret is planned that is neither the prior nor the configured one.
    UpdatedSecret, "updated_secret", P5, Update, Some("sensitive planned value does not match config value nor prior value");
    /// The change of an object is deferred although that was not allowed.
    UpdatedDeferred, "updated_deferred", P2, Update, Some("Provider deferred changes when Terraform did not allow deferrals");
    /// The identity of an existing object is planned as unknown.
    UpdatedIdentityUnknown, "updated_identity_unknown", P7, Update, Some("Provider produced invalid identity");
    /// The planned identity has another type than its schema says.
    UpdatedIdentityType, "updated_identity_type", P7, Update, Some("Provider produced an identity that doesn't match the schema");
    /// An object is planned although it is to be destroyed.
    PlannedSurvival, "planned_survival", P8, Destroy, Some("planned a non-null destroy value");
    /// The plan to destroy an object is deferred although that was not allowed.
    DestroyDeferred, "destroy_deferred", P2, Destroy, Some("Provider deferred changes when Terraform did not allow deferrals");
    /// Planning to destroy an object fails.
    DestroyPlanError, "destroy_plan_error", A8, Destroy, Some("no such thing");
    /// Planning to destroy an object fails with a gRPC status.
    DestroyStatus, "destroy_status", T1, Destroy, Some("rpc error: code = Internal desc = boom");
    /// The final plan has another value than the first.
    FinalValue, "final_value", F2, FinalPlan, Some("produced an invalid new value for .note");
    /// The final plan replaces what was to be updated.
    FinalAction, "final_action", F1, FinalPlan, Some("changed the planned action from Update to DeleteThenCreate");
    /// The final plan is deferred, but the first was not.
    FinalDeferred, "final_deferred", F3, FinalPlan, Some("during apply, but not during plan");
    /// The final plan has another value than is configured.
    FinalInvalid, "final_invalid", P5, FinalPlan, Some("planned value cty.NumberIntVal(987) does not match config value cty.NumberIntVal(1)");
    /// A value that was known in the first plan is unknown in the final plan.
    FinalUnknown, "final_unknown", F2, FinalPlan, Some("produced an invalid new value for .note: was known, but now unknown");
    /// Applying the plan sets another string.
    AppliedString, "applied_string", A5, Apply, Some(".name: was cty.StringVal(\"a\"), but now cty.StringVal(\"a-other\")");
    /// Applying the plan sets another number.
    AppliedNumber, "applied_number", A5, Apply, Some(".size: was cty.NumberIntVal(1), but now cty.NumberIntVal(987)");
    /// Applying the plan sets another secret.
    AppliedSecret, "applied_secret", A5, Apply, Some("inconsistent values for sensitive attribute");
    /// Applying the plan sets a planned value to null.
    AppliedNull, "applied_null", A5, Apply, Some(".name: was cty.StringVal(\"a\"), but now null");
    /// Applying the plan sets a value that was planned as null.
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
    /// A block is under another key.
    AppliedBlockKey, "applied_block_key", A5, Apply, None;
    /// The object is null.
    AppliedNothing, "applied_nothing", A6, Apply, Some("Root object was present, but now absent");
    /// There is neither an object nor an error.
    AppliedNoObject, "applied_no_object", A1, Apply, Some("Root object was present, but now absent");
    /// A value is still unknown.
    AppliedUnknown, "applied_unknown", A4, Apply, Some("Provider returned invalid result object after apply");
    /// A write-only attribute has a value.
    AppliedWriteOnly, "applied_write_only", A3, Apply, Some("returned a value for the write-only attribute");
    /// A part of the object has another type than the schema says.
    AppliedType, "applied_type", A2, Apply, Some("number is required");
    /// An object in it has no attributes.
    AppliedEmpty, "applied_empty", A2, Apply, Some("missing required attribute");
    /// A map has another value.
    AppliedMapValue, "applied_map_value", A5, Apply, Some(".labels[\"k\"]: was cty.StringVal(\"v\"), but now cty.StringVal(\"v-other\")");
    /// A key of a map is gone.
    AppliedKeyGone, "applied_key_gone", A5, Apply, Some(".labels: element \"k\" has vanished");
    /// A block of several has another value.
    AppliedBlockValue, "applied_block_value", A5, Apply, Some(".disk[1].name: was cty.StringVal(\"b\"), but now cty.StringVal(\"b-other\")");
    /// A block in a block has another value.
    AppliedDeepValue, "applied_deep_value", A5, Apply, Some(".disk[0].part[0].name: was cty.StringVal(\"p\"), but now cty.StringVal(\"p-other\")");
    /// A block with a label has another value.
    AppliedLabelledValue, "applied_labelled_value", A5, Apply, Some(".entry[\"k\"].name: was cty.StringVal(\"a\"), but now cty.StringVal(\"a-other\")");
    /// A block of a set has another value.
    AppliedSetBlockValue, "applied_set_block_value", A5, Apply, Some("does not correlate with any element in actual");
    /// A nested object with a key has another value.
    AppliedNestedKeyed, "applied_nested_keyed", A5, Apply, Some(".keyed[\"k\"].name: was cty.StringVal(\"a\"), but now cty.StringVal(\"a-other\")");
    /// A nested object is gone.
    AppliedNestedGone, "applied_nested_gone", A5, Apply, Some("but now null");
    /// The applied value breaks the promise of the plan.
    AppliedPrefix, "applied_prefix", A5, Apply, Some("does not conform to planning placeholder");
    /// A value in a block is still unknown.
    AppliedDeepUnknown, "applied_deep_unknown", A4, Apply, Some("All values must be known after apply");
    /// Applying fails with a gRPC status.
    AppliedStatus, "applied_status", T1, Apply, Some("rpc error: code = Internal desc = boom");
    /// The identity is still unknown.
    AppliedIdentityUnknown, "applied_identity_unknown", A7, Apply, Some("Provider produced invalid identity");
    /// There is no identity.
    AppliedIdentityMissing, "applied_identity_missing", A7, Apply, None;
    /// The identity has another type than its schema says.
    AppliedIdentityType, "applied_identity_type", A7, Apply, Some("Provider produced an identity that doesn't match the schema");
    /// Applying the update sets another string.
    AppliedUpdate, "applied_update", A5, ApplyUpdate, Some(".name: was cty.StringVal(\"b\"), but now cty.StringVal(\"b-other\")");
    /// In a replacement, another number is planned than configured.
    ReplacedNumber, "replaced_number", P5, Replace, Some("planned value cty.NumberIntVal(987) does not match config value cty.NumberIntVal(1)");
    /// Applying the replacement sets another string.
    ReplacedString, "replaced_string", A5, Replace, Some(".name: was cty.StringVal(\"b\"), but now cty.StringVal(\"b-other\")");
    /// The replaced object still exists.
    ReplacedSurvived, "replaced_survived", A6, Replace, Some("returned a non-null object");
    /// Planning again with the unchanged configuration fails.
    AgainError, "again_error", P9, Again, Some("no such thing");
    /// Planning again with the unchanged configuration always finds a change.
    NotConverged, "not_converged", C2, Again, None;
    /// The object still exists after it was destroyed.
    Survived, "survived", A6, ApplyDestroy, Some("returned a non-null object");
    /// Destroying the object fails.
    DestroyError, "destroy_error", A8, ApplyDestroy, Some("no such thing");
    /// A part of the read object is unknown.
    ReadUnknown, "read_unknown", R1, Read, Some("Provider produced invalid object");
    /// A part of the read object has another type than the schema says.
    ReadType, "read_type", R2, Read, Some("number is required");
    /// An object in it has no attributes.
    ReadEmpty, "read_empty", R2, Read, Some("missing required attribute");
    /// A write-only attribute of the read object has a value.
    ReadWriteOnly, "read_write_only", R3, Read, Some("Provider produced invalid object");
    /// A destroyed object can still be read.
    ReadDestroyed, "read_destroyed", A9, ApplyDestroy, None;
    /// The object read differs from the one applied.
    ReadDrift, "read_drift", R5, Read, None;
    /// Null is read right after apply.
    ReadNothing, "read_nothing", R5, Read, None;
    /// The answer to a read has no object, not even null.
    ReadNoObject, "read_no_object", R5, Read, None;
    /// Each read returns something else.
    ReadByChance, "read_by_chance", R5, Read, None;
    /// Reading is deferred although that was not allowed.
    ReadDeferred, "read_deferred", P2, Read, Some("Provider deferred changes when Terraform did not allow deferrals");
    /// Reading the created object fails.
    ReadError, "read_error", R6, Read, Some("no such thing");
    /// Reading returns another identity.
    ReadIdentityOther, "read_identity_other", R4, Read, None;
    /// Reading fails with a gRPC status.
    ReadStatus, "read_status", T1, Read, Some("rpc error: code = Internal desc = boom");
    /// Reading returns an unknown identity.
    ReadIdentityUnknown, "read_identity_unknown", R4, Read, Some("Provider produced invalid identity");
    /// A part of the upgraded object is unknown.
    UpgradedUnknown, "upgraded_unknown", U1, Upgrade, Some("Invalid resource state upgrade");
    /// A part of the upgraded object has another type than the schema says.
    UpgradedType, "upgraded_type", U2, Upgrade, Some("number is required");
    /// A write-only attribute of the upgraded object has a value.
    UpgradedWriteOnly, "upgraded_write_only", U3, Upgrade, Some("Invalid resource state upgrade");
    /// The upgraded object differs, though the version of the schema is the same.
    UpgradedOther, "upgraded_other", U4, Upgrade, None;
    /// A stored object is upgraded to null.
    UpgradedNothing, "upgraded_nothing", U4, Upgrade, None;
    /// There is no upgraded object, not even null.
    UpgradedNoObject, "upgraded_no_object", U4, Upgrade, None;
    /// Upgrading a stored object fails.
    UpgradeError, "upgrade_error", U5, Upgrade, Some("no such thing");
    /// Upgrading fails with a gRPC status.
    UpgradeStatus, "upgrade_status", T1, Upgrade, Some("rpc error: code = Internal desc = boom");
    /// Nothing is imported.
    ImportedNothing, "imported_nothing", I1, Import, Some("Import returned no resources");
    /// The imported object has no type.
    ImportedWithoutType, "imported_without_type", I2, Import, Some("didn't set type");
    /// A part of the imported object is unknown until it is read.
    ImportedVague, "imported_vague", I8, Import, None;
    /// Two objects are imported.
    ImportedTwo, "imported_two", I1, Import, Some("Multiple import states not supported");
    /// The imported object is of a type that the provider does not have.
    ImportedForeign, "imported_foreign", I2, Import, Some("does not support resource type");
    /// The imported object is of another type of the provider.
    ImportedOtherType, "imported_other_type", I2, Import, None;
    /// A write-only attribute of the imported object has a value.
    ImportedWriteOnly, "imported_write_only", I4, Import, Some("Import returned a non-null value for a write-only attribute");
    /// The imported object is null.
    ImportedNull, "imported_null", I5, Import, Some("Import returned null resource");
    /// The imported object cannot be read.
    ImportedGone, "imported_gone", I6, Import, Some("Cannot import non-existent remote object");
    /// A part of the imported object is unknown.
    ImportedUnknown, "imported_unknown", R1, Import, Some("The returned state contains unknown values");
    /// A part of the imported object has another type than the schema says.
    ImportedType, "imported_type", I9, Import, Some("number is required");
    /// The import is deferred although that was not allowed.
    ImportedDeferred, "imported_deferred", P2, Import, Some("Provider deferred changes when Terraform did not allow deferrals");
    /// The imported object differs from the applied one.
    ImportedOther, "imported_other", I7, Import, None;
    /// The identity of the imported object is unknown.
    ImportedIdentityUnknown, "imported_identity_unknown", I3, Import, Some("Provider produced invalid identity");
    /// A part of the moved object is unknown.
    MovedUnknown, "moved_unknown", M1, Move, Some("Provider returned invalid value");
    /// The object is moved to null.
    MovedNothing, "moved_nothing", M1, Move, None;
    /// A part of the moved object has another type than the schema says.
    MovedType, "moved_type", M2, Move, Some("number is required");
    /// A write-only attribute of the moved object has a value.
    MovedWriteOnly, "moved_write_only", M3, Move, Some("write-only attribute");
    /// The identity of the moved object is unknown.
    MovedIdentityUnknown, "moved_identity_unknown", M4, Move, Some("Provider produced invalid identity");
    /// A part of the generated configuration has another type than the schema says.
    GeneratedType, "generated_type", G1, Generate, Some("number is required");
    /// The generated configuration sets a computed attribute.
    GeneratedComputed, "generated_computed", G1, Generate, None;
    /// The generated configuration differs from the object.
    GeneratedOther, "generated_other", G2, Generate, None;
    /// Validating fails with a gRPC status.
    ValidateStatus, "validate_status", T1, Validate, Some("rpc error: code = Internal desc = boom");
}
