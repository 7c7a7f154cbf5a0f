//! Violations in a provider's plan.

use std::fmt;

use super::ChangeError;
use super::error::place;
use super::kinds::kinds;
use crate::value::{Path, Value};

/// A violation of the contract in a provider's plan.
///
/// The values are there only where nothing about them is sensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidPlan {
    /// Where.
    pub path: Path,
    /// The problem at this place.
    pub kind: InvalidPlanKind,
    /// The prior value, if it may be shown.
    pub prior: Option<Value>,
    /// The configured value, if it may be shown.
    pub config: Option<Value>,
    /// The planned value, if it may be shown.
    pub planned: Option<Value>,
    /// The way in which a value does not fit the schema, for [`InvalidPlanKind::Unfit`].
    pub unfit: Option<Box<ChangeError>>,
}

kinds! {
    /// The ways in which a plan can be wrong.
    InvalidPlanKind {
        /// Planned as null, but configured.
        PlannedAbsent = "planned_absent",
        /// Planned, but null in configuration.
        PlannedPresent = "planned_present",
        /// A collection of blocks, or a group, is planned as null.
        NullBlocks = "null_blocks",
        /// Configuration does not know the blocks yet, and the plan changes that.
        ChangedUnknownDynamicBlock = "changed_unknown_dynamic_block",
        /// Blocks that are not computed are planned as unknown.
        UnknownNoncomputedBlock = "unknown_noncomputed_block",
        /// Computed blocks are planned as unknown although they are configured.
        UnknownConfiguredBlock = "unknown_configured_block",
        /// More or fewer blocks are planned than configured.
        BlockCountDisagrees = "block_count_disagrees",
        /// A single block among others is planned as unknown.
        UnknownBlockElement = "unknown_block_element",
        /// A block is planned under a label that configuration does not have.
        BlockKeyNotInConfig = "block_key_not_in_config",
        /// A configured label is missing from the plan.
        BlockKeyNotInPlan = "block_key_not_in_plan",
        /// A write-only attribute is planned with a value.
        WriteOnlyNotNull = "write_only_not_null",
        /// A value is planned for an attribute that is neither configured nor computed.
        NoncomputedPlanned = "noncomputed_planned",
        /// Like [`NoncomputedPlanned`](Self::NoncomputedPlanned), for a sensitive attribute.
        SensitiveNoncomputedPlanned = "sensitive_noncomputed_planned",
        /// The planned value is not the configured one, and there is no prior value.
        NotConfig = "not_config",
        /// Like [`NotConfig`](Self::NotConfig), for a sensitive attribute.
        SensitiveNotConfig = "sensitive_not_config",
        /// The planned value is neither the configured nor the prior one.
        NotConfigNorPrior = "not_config_nor_prior",
        /// Like [`NotConfigNorPrior`](Self::NotConfigNorPrior), for a sensitive attribute.
        SensitiveNotConfigNorPrior = "sensitive_not_config_nor_prior",
        /// An attribute with a nested type is planned as unknown although it is configured.
        PlannedUnknownForConfigured = "planned_unknown_for_configured",
        /// More or fewer elements are planned than configured.
        CountDisagrees = "count_disagrees",
        /// An element is planned under a key that configuration does not have.
        MapKeyNotInConfig = "map_key_not_in_config",
        /// A configured key is missing from the plan.
        MapKeyNotInPlan = "map_key_not_in_plan",
        /// A value does not fit the schema, so that nothing can be said about it.
        Unfit = "unfit",
    }
}

impl InvalidPlan {
    pub(super) fn new(kind: InvalidPlanKind, path: Path) -> Self {
        Self { path, kind, prior: None, config: None, planned: None, unfit: None }
    }

    pub(super) fn unfit(error: ChangeError) -> Self {
        let unfit = Self::new(InvalidPlanKind::Unfit, error.path().clone());
        Self { unfit: Some(Box::new(error)), ..unfit }
    }

    /// The stable name of the kind of violation, as every violation has one.
    pub fn kind(&self) -> &'static str {
        self.kind.kind()
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl std::error::Error for InvalidPlan {}

/// One sentence for the developer of the provider.
impl fmt::Display for InvalidPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use InvalidPlanKind as K;
        if let Some(unfit) = &self.unfit {
            return fmt::Display::fmt(unfit, f);
        }
        write!(f, "{}: ", place(&self.path))?;
        let value = |v: &Option<Value>| v.as_ref().map(|v| format!(" ({v})")).unwrap_or_default();
        let (planned, config, prior) = (value(&self.planned), value(&self.config), value(&self.prior));
        match self.kind {
            K::PlannedAbsent => f.write_str("planned as null, although configuration sets it"),
            K::PlannedPresent => f.write_str("planned, although configuration leaves it null"),
            K::NullBlocks => {
                f.write_str("blocks must not be planned as null; plan an empty collection instead")
            }
            K::ChangedUnknownDynamicBlock => f.write_str(
                "configuration does not know these blocks yet, so the plan must leave them unknown",
            ),
            K::UnknownNoncomputedBlock => {
                f.write_str("blocks that are not computed must not be planned as unknown")
            }
            K::UnknownConfiguredBlock => {
                f.write_str("configured blocks must not be planned as unknown, even where they are computed")
            }
            K::BlockCountDisagrees => f.write_str("the plan has not as many blocks as configuration"),
            K::UnknownBlockElement => {
                f.write_str("a block must not be planned as unknown; only its attributes may be")
            }
            K::BlockKeyNotInConfig => {
                f.write_str("the plan has a block label that configuration does not have")
            }
            K::BlockKeyNotInPlan => f.write_str("the plan lacks a block label that configuration has"),
            K::WriteOnlyNotNull => f.write_str("a write-only attribute must be planned as null"),
            K::NoncomputedPlanned | K::SensitiveNoncomputedPlanned => write!(
                f,
                "a value{planned} is planned for an attribute that is not configured; \
                 only computed attributes may get one"
            ),
            K::NotConfig | K::SensitiveNotConfig => {
                write!(f, "the planned value{planned} is not the configured one{config}")
            }
            K::NotConfigNorPrior | K::SensitiveNotConfigNorPrior => write!(
                f,
                "the planned value{planned} is neither the configured one{config} nor the prior one{prior}"
            ),
            K::PlannedUnknownForConfigured => f.write_str(
                "planned as unknown, although configuration sets it; only its attributes may be unknown",
            ),
            K::CountDisagrees => f.write_str("the plan has not as many elements as configuration"),
            K::MapKeyNotInConfig => f.write_str("the plan has a key that configuration does not have"),
            K::MapKeyNotInPlan => f.write_str("the plan lacks a key that configuration has"),
            K::Unfit => f.write_str("the value does not fit the schema"),
        }
    }
}
