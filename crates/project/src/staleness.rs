//! Whether a saved plan can still be applied: Terraform refuses it once the state has changed, and says so only then.

use objchange_document::{PlanFile, State};
use objchange_files::input::{Contents, Size, Source};
use objchange_plan::compare::{ChangedObject, StateVersion, changed_objects};
use objchange_saved::{SavedPlan, SavedPlanError};
use objchange_text::Noted;

use crate::plan_files::PlanInputError;

/// A saved plan beside the state of now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Staleness {
    /// The version of the state that the plan was made from.
    pub planned: StateVersion,
    /// The version of the state of now.
    pub now: StateVersion,
    /// The objects that were changed since, by address.
    pub changed: Vec<ChangedObject>,
}

/// Whether a saved plan can still be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StalenessOutcome {
    /// The state is the one that the plan was made from.
    Current,
    /// The state has changed since: Terraform says "Saved plan is stale".
    Stale,
    /// It is another state: Terraform says "Saved plan does not match the given state".
    OtherLineage,
}

impl StalenessOutcome {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Stale => "stale",
            Self::OtherLineage => "other_lineage",
        }
    }
}

impl Staleness {
    /// Whether Terraform would apply the plan. As in Terraform 1.11, a plan that was made where there was no state fits any
    /// lineage, and the serial decides.
    pub fn outcome(&self) -> StalenessOutcome {
        if !self.planned.lineage.is_empty() && self.planned.lineage != self.now.lineage {
            return StalenessOutcome::OtherLineage;
        }
        match self.planned.serial == self.now.serial {
            true => StalenessOutcome::Current,
            false => StalenessOutcome::Stale,
        }
    }
}

/// Compares the state that a plan file was made from with the state of now.
///
/// # Errors
///
/// The plan file or the state cannot be read.
pub fn staleness(plan: &Source, state: &Source, limit: Size) -> Noted<Result<Staleness, PlanInputError>> {
    Noted::by(|notices| {
        let Contents::PlanFile(bytes) = plan.read_contents(limit.0)? else {
            return Err(PlanInputError::NotPlanFile(plan.to_string()));
        };
        let now = PlanFile::parse(state.to_string(), state.read_as_allowed(limit.0)?)?;
        notices.extend_from_slice(now.notices());
        between(&plan.to_string(), &bytes, &now)
    })
}

/// Compares the state that this plan file was made from with the state of now.
fn between(plan: &str, bytes: &[u8], now: &PlanFile) -> Result<Staleness, PlanInputError> {
    let saved =
        |error: SavedPlanError| PlanInputError::Saved { name: plan.to_owned(), error: Box::new(error) };
    let read = SavedPlan::read(bytes).map_err(saved)?;
    let stored = SavedPlan::stored_state(bytes).map_err(saved)?;
    // Refreshing changes objects, too, so the state is compared as it was stored.
    let before = stored.as_deref().unwrap_or(read.state());
    let before = State::parse_file(before)
        .map_err(|error| PlanInputError::State { name: plan.to_owned(), error: Box::new(error) })?;
    Ok(Staleness {
        planned: StateVersion::of_file(read.state()),
        now: StateVersion::of_file(now.text()),
        changed: changed_objects(&before, now.state_file()?),
    })
}
