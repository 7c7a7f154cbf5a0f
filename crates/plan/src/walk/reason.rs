//! Why a planned change is what it is.

use std::fmt;

use objchange::change::{Action, PlannedChange, ReplaceReason};
use objchange::value::Path;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The reason of a planned change. Its `Display` is a sentence; in JSON it has its kind, that sentence and its paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason<'p> {
    /// The planned object is the prior one.
    NoDifference,
    /// There is no prior object.
    NoPriorObject,
    /// There is no configuration.
    NoConfiguration,
    /// The objects differ, and nothing requires a new one.
    Differences,
    /// Only which parts are sensitive differs.
    SensitivityDiffers,
    /// These parts differ and cannot be changed in place.
    CannotUpdate(&'p [Path]),
    /// Replacement is asked for.
    Requested,
    /// The prior object is tainted.
    Tainted,
}

impl<'p> Reason<'p> {
    /// Why this change is what it is.
    pub fn new(change: &'p PlannedChange) -> Self {
        match (&change.replace_reason, change.action) {
            (Some(ReplaceReason::Tainted), _) => Self::Tainted,
            (Some(ReplaceReason::Requested(_)), _) => Self::Requested,
            (Some(ReplaceReason::CannotUpdate(paths)), _) => Self::CannotUpdate(paths),
            (Some(_), _) => Self::CannotUpdate(&[]),
            (None, Action::NoOp) => Self::NoDifference,
            (None, Action::Create) => Self::NoPriorObject,
            (None, Action::Delete) => Self::NoConfiguration,
            (None, _) if change.before.unmark_deep().0 == change.after.unmark_deep().0 => {
                Self::SensitivityDiffers
            }
            (None, _) => Self::Differences,
        }
    }

    /// The stable name of the reason.
    pub fn kind(self) -> &'static str {
        match self {
            Self::NoDifference => "no_difference",
            Self::NoPriorObject => "no_prior_object",
            Self::NoConfiguration => "no_configuration",
            Self::Differences => "differences",
            Self::SensitivityDiffers => "sensitivity_differs",
            Self::CannotUpdate(_) => "cannot_update",
            Self::Requested => "requested",
            Self::Tainted => "tainted",
        }
    }

    /// The parts that cannot be changed in place.
    pub fn paths(self) -> &'p [Path] {
        if let Self::CannotUpdate(paths) = self { paths } else { &[] }
    }
}

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoDifference => "the planned object is the prior one",
            Self::NoPriorObject => "there is no prior object",
            Self::NoConfiguration => "there is no configuration",
            Self::Differences => {
                "the planned object differs from the prior one, and nothing requires a new object"
            }
            Self::SensitivityDiffers => "only which parts are sensitive differs",
            Self::CannotUpdate([]) => "the change cannot be made in place",
            Self::CannotUpdate(paths) => {
                let paths: Vec<_> = paths.iter().map(Path::to_string).collect();
                return write!(f, "{} cannot be changed in place", paths.join(", "));
            }
            Self::Requested => "replacement is asked for",
            Self::Tainted => "the prior object is tainted",
        })
    }
}

impl Serialize for Reason<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reason = serializer.serialize_struct("Reason", 3)?;
        reason.serialize_field("kind", self.kind())?;
        reason.serialize_field("message", &self.to_string())?;
        reason.serialize_field("paths", self.paths())?;
        reason.end()
    }
}
