//! Violations in the object that a provider returns after apply.

use std::fmt;

use super::ChangeError;
use super::error::place;
use super::kinds::kinds;
use crate::value::{Path, Value};

/// An inconsistency between a provider's plan and its result.
///
/// The values are there only where nothing about them is sensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InconsistentResult {
    /// Where.
    pub path: Path,
    /// The problem at this place.
    pub kind: InconsistentResultKind,
    /// The planned value, if it may be shown.
    pub planned: Option<Value>,
    /// The actual value, if it may be shown.
    pub actual: Option<Value>,
    /// The way in which a value does not fit the schema, for [`InconsistentResultKind::Unfit`].
    pub unfit: Option<Box<ChangeError>>,
}

kinds! {
    /// The ways in which a result can be inconsistent with its plan.
    InconsistentResultKind {
        /// Planned as null, but there now.
        ObjectNowPresent = "object_now_present",
        /// Planned, but null now.
        ObjectNowAbsent = "object_now_absent",
        /// Something below a sensitive attribute differs from the plan.
        SensitiveInconsistent = "sensitive_inconsistent",
        /// Computed blocks are null after apply.
        NullBlockAfterApply = "null_block_after_apply",
        /// There are more or fewer blocks than planned.
        BlockCountChanged = "block_count_changed",
        /// A planned block label is gone.
        BlockKeyVanished = "block_key_vanished",
        /// There is a block label that was not planned.
        BlockKeyAppeared = "block_key_appeared",
        /// A set has more blocks than planned.
        BlockSetGrew = "block_set_grew",
        /// The value has another type than planned.
        WrongFinalType = "wrong_final_type",
        /// The value breaks a promise that the plan made about an unknown value.
        PlaceholderMismatch = "placeholder_mismatch",
        /// The plan knew the value, the result does not.
        KnownNowUnknown = "known_now_unknown",
        /// Planned as null, but it has a value now.
        NullNowValue = "null_now_value",
        /// Planned with a value, but null now.
        ValueNowNull = "value_now_null",
        /// The value is not the planned one.
        ValueChanged = "value_changed",
        /// A planned element is gone.
        ElementVanished = "element_vanished",
        /// There is an element that was not planned.
        ElementAppeared = "element_appeared",
        /// A set has more elements than planned.
        SetGrew = "set_grew",
        /// A planned element of the set has no actual partner.
        PlannedSetElementUnmatched = "planned_set_element_unmatched",
        /// An actual element of the set has no planned partner.
        ActualSetElementUnmatched = "actual_set_element_unmatched",
        /// A value does not fit the schema, so that nothing can be said about it.
        Unfit = "unfit",
    }
}

impl InconsistentResult {
    pub(super) fn new(kind: InconsistentResultKind, path: Path) -> Self {
        Self { path, kind, planned: None, actual: None, unfit: None }
    }

    pub(super) fn unfit(error: ChangeError) -> Self {
        let unfit = Self::new(InconsistentResultKind::Unfit, error.path().clone());
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

impl std::error::Error for InconsistentResult {}

/// One sentence for the developer of the provider.
impl fmt::Display for InconsistentResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use InconsistentResultKind as K;
        if let Some(unfit) = &self.unfit {
            return fmt::Display::fmt(unfit, f);
        }
        write!(f, "{}: ", place(&self.path))?;
        let value = |v: &Option<Value>| v.as_ref().map(|v| format!(" ({v})")).unwrap_or_default();
        let (planned, actual) = (value(&self.planned), value(&self.actual));
        match self.kind {
            K::ObjectNowPresent => f.write_str("planned as null, but there after apply"),
            K::ObjectNowAbsent => f.write_str("planned, but null after apply"),
            K::SensitiveInconsistent => f.write_str("the sensitive value is not the planned one"),
            K::NullBlockAfterApply => {
                f.write_str("blocks must not be null after apply; return an empty collection instead")
            }
            K::BlockCountChanged => f.write_str("there are not as many blocks as planned"),
            K::BlockKeyVanished => f.write_str("a planned block label is missing after apply"),
            K::BlockKeyAppeared => f.write_str("there is a block label that was not planned"),
            K::BlockSetGrew => f.write_str("there are more blocks than planned"),
            K::WrongFinalType => write!(f, "the value{actual} has another type than was planned{planned}"),
            K::PlaceholderMismatch => {
                write!(f, "the value{actual} breaks what the plan promised about the unknown value")
            }
            K::KnownNowUnknown => write!(f, "was planned as known{planned}, but is unknown after apply"),
            K::NullNowValue => write!(f, "was planned as null, but has a value{actual}"),
            K::ValueNowNull => write!(f, "was planned with a value{planned}, but is null"),
            K::ValueChanged if self.actual.is_none() => f.write_str("is not what was planned"),
            K::ValueChanged => write!(f, "was planned as{planned}, but is{actual}"),
            K::ElementVanished => write!(f, "a planned element{planned} has vanished"),
            K::ElementAppeared => write!(f, "there is an element{actual} that was not planned"),
            K::SetGrew => f.write_str("the set has more elements than planned"),
            K::PlannedSetElementUnmatched => {
                write!(f, "no element of the set is what the planned one{planned} may become")
            }
            K::ActualSetElementUnmatched => write!(f, "the set has an element{actual} that was not planned"),
            K::Unfit => f.write_str("the value does not fit the schema"),
        }
    }
}
