//! Sentences about schemas that are not well-formed.

use crate::Clause;

/// The words behind the name of the attribute or block, the clause, and the engine's name for it. Longer
/// words come before those that they begin with.
pub(crate) const SCHEMA_SENTENCES: &[(&str, Clause, &str)] = {
    use Clause::{S0, S1, S2, S4, S5, S6, S8};
    &[
        // Terraform's.
        ("must set Optional, Required or Computed", S1, "neither_required_optional_nor_computed"),
        ("cannot set both Optional and Required", S1, "required_and_optional"),
        ("cannot set both Computed and Required", S1, "required_and_computed"),
        ("either Type or NestedType must be defined", S2, "no_type"),
        ("Type and NestedType cannot both be set", S2, "type_and_nested_type"),
        ("name defined as both attribute and child block type", S4, "attribute_and_block"),
        ("name may contain only lowercase letters, digits and underscores", S4, "block_name"),
        ("MinItems and MaxItems must both be greater than zero", S5, "negative_limit"),
        ("MinItems and MaxItems must match in NestingSingle mode", S5, "single_limits"),
        ("MinItems and MaxItems must be set to either 0 or 1 in NestingSingle mode", S5, "single_limits"),
        ("MinItems and MaxItems cannot be used in NestingGroup mode", S5, "group_limits"),
        ("MinItems and MaxItems must both be 0 in NestingMap mode", S5, "map_limits"),
        ("MinItems must be less than or equal to MaxItems in {mode} mode", S5, "min_above_max"),
        ("NestingSet blocks may not contain attributes of cty.DynamicPseudoType", S6, "dynamic_in_set"),
        ("NestingSet objects may not contain attributes of cty.DynamicPseudoType", S6, "dynamic_in_set"),
        ("NestingSet blocks may not contain WriteOnly attributes", S6, "write_only_in_set"),
        ("NestingSet objects may not contain WriteOnly attributes", S6, "write_only_in_set"),
        ("invalid nesting mode", S8, "invalid_nesting"),
        ("attribute schema is nil", S0, "no_block"),
        ("block schema is nil", S0, "no_block"),
        // The SDK's.
        ("One of optional, required, or computed must be set", S1, "neither_required_optional_nor_computed"),
        ("Optional or Required must be set, not both", S1, "required_and_optional"),
        ("Cannot be both Required and Computed", S1, "required_and_computed"),
        ("Field name may only contain lowercase alphanumeric characters & underscores", S4, "attribute_name"),
        ("MaxItems and MinItems are only supported", S5, "single_limits"),
        // The framework's, and one of the SDK's.
        ("must be computed when using default", S0, "default_not_computed"),
        ("is a reserved root attribute/block name", S4, "reserved_name"),
        ("is a reserved field name", S4, "reserved_name"),
        ("is an invalid attribute/block name", S4, "attribute_name"),
    ]
};
