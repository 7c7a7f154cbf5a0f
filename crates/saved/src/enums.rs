//! The enumerations of the plan message. A value that is not known is an error, because a change of a new kind must not be missed.

use objchange_document::PlanMode;
use objchange_module::TriggerEvent;
use objchange_module::plan::{ActionReason, DeferralReason, PlannedAction};

use crate::checks::unknown;
use crate::error::SavedPlanError;
use crate::message;

pub(crate) fn mode(mode: u64) -> Result<PlanMode, SavedPlanError> {
    Ok(match mode {
        0 => PlanMode::Normal,
        1 => PlanMode::Destroy,
        2 => PlanMode::RefreshOnly,
        value => {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            return Err(SavedPlanError::UnknownEnum { place: "the plan".to_owned(), field: "mode", value });
        }
    })
}

pub(crate) fn action(action: i32, place: &str) -> Result<PlannedAction, SavedPlanError> {
    Ok(match action {
        0 => PlannedAction::NoOp,
        1 => PlannedAction::Create,
        2 => PlannedAction::Read,
        3 => PlannedAction::Update,
        5 => PlannedAction::Delete,
        6 => PlannedAction::DeleteThenCreate,
        7 => PlannedAction::CreateThenDelete,
        8 => PlannedAction::Forget,
        9 => PlannedAction::CreateThenForget,
        value => return Err(unknown(place, "action", value)),
    })
}

pub(crate) fn reason(reason: i32, place: &str) -> Result<Option<ActionReason>, SavedPlanError> {
    Ok(Some(match reason {
        0 => return Ok(None),
        1 => ActionReason::ReplaceBecauseTainted,
        2 => ActionReason::ReplaceByRequest,
        3 => ActionReason::ReplaceBecauseCannotUpdate,
        4 => ActionReason::DeleteBecauseNoResourceConfig,
        5 => ActionReason::DeleteBecauseWrongRepetition,
        6 => ActionReason::DeleteBecauseCountIndex,
        7 => ActionReason::DeleteBecauseEachKey,
        8 => ActionReason::DeleteBecauseNoModule,
        9 => ActionReason::ReplaceByTriggers,
        10 => ActionReason::ReadBecauseConfigUnknown,
        11 => ActionReason::ReadBecauseDependencyPending,
        12 => ActionReason::DeleteBecauseNoMoveTarget,
        13 => ActionReason::ReadBecauseCheckNested,
        value => return Err(unknown(place, "action reason", value)),
    }))
}

pub(crate) fn deferral_reason(
    deferral: Option<message::Deferral>,
    place: &dyn std::fmt::Display,
) -> Result<DeferralReason, SavedPlanError> {
    Ok(match deferral.unwrap_or_default().reason {
        1 => DeferralReason::InstanceCountUnknown,
        2 => DeferralReason::ResourceConfigUnknown,
        3 => DeferralReason::ProviderConfigUnknown,
        4 => DeferralReason::AbsentPrerequisite,
        5 => DeferralReason::DeferredPrerequisite,
        value => return Err(unknown(&place.to_string(), "reason of a deferral", value)),
    })
}

pub(crate) fn trigger_event(event: i32, place: &str) -> Result<TriggerEvent, SavedPlanError> {
    Ok(match event {
        1 => TriggerEvent::BeforeCreate,
        2 => TriggerEvent::AfterCreate,
        3 => TriggerEvent::BeforeUpdate,
        4 => TriggerEvent::AfterUpdate,
        5 => TriggerEvent::BeforeDestroy,
        6 => TriggerEvent::AfterDestroy,
        value => return Err(unknown(place, "trigger event", value)),
    })
}
