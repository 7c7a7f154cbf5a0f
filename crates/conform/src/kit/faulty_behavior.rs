//! Applies each fault to the right answer of a resource type.

use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, DeferredReason, Diagnostic, PlanResourceChange, PlannedResource,
};
use objchange::value::{Path, Refinements};
use objchange_provider::{Answer, Error, ErrorKind, ImportAnswer, Result};

use super::edit::{
    added, edit, fewer_keys, known, longer, more_keys, null, other, other_secret, rekeyed, replaced,
    reversed, set, shorter, unknown, without,
};
use super::{Fault, Stage};

/// The private data of an imported object that cannot be read.
const GONE: &[u8] = b"gone";

/// The deferral in answers that may not be deferred.
const LATER: Option<DeferredReason> = Some(DeferredReason::AbsentPrerequisite);

fn boom() -> Error {
    ErrorKind::Status { code: "Internal", message: "boom".into() }.into()
}

/// An object without attributes. In the protocol it equals an empty map.
fn empty() -> Value {
    Value::object::<&str, Value>([])
}

fn failure() -> Diagnostic {
    Diagnostic::error("no such thing")
}

/// The object with a status, if that was unknown.
fn filled(object: &Value) -> Value {
    edit(object, "status", |status| if status.is_known() { status.clone() } else { known(status) })
}

fn is_made_up(object: &Value) -> bool {
    object.attribute("id").and_then(Value::as_str).is_some_and(|id| id.ends_with("-none"))
}

fn name(object: &Value) -> Option<&str> {
    object.attribute("name").and_then(Value::as_str)
}

/// The number of earlier calls to the resource type.
pub(super) type Calls = u64;

impl Fault {
    /// Whether a changed name replaces the object.
    pub(super) const fn is_replaced(self) -> bool {
        matches!(self.stage(), Stage::Replace)
    }

    pub(super) fn validated(self) -> Result<()> {
        if self == Self::ValidateStatus { Err(boom()) } else { Ok(()) }
    }

    pub(super) fn planned(
        self,
        request: &PlanResourceChange,
        answer: &mut PlannedResource,
        calls: Calls,
    ) -> Result<()> {
        if request.proposed.is_null() {
            match self {
                Self::PlannedSurvival => answer.planned = request.prior.clone(),
                Self::DestroyDeferred => answer.deferred = LATER,
                Self::DestroyStatus => return Err(boom()),
                Self::DestroyPlanError => answer.diagnostics.push(failure()),
                _ => {}
            }
            return Ok(());
        }
        // Trials of these faults begin with an unknown name, so a plan with a known name is the final one.
        let name_is_known = request.config.attribute("name").is_some_and(Value::is_known);
        let is_update = !request.prior.is_null();
        let nowhere = || vec![Path::root().attribute("name").attribute("no_such")];
        answer.planned = self.planned_value(&answer.planned, name_is_known);
        match self {
            Self::PlannedDeferred => answer.deferred = LATER,
            Self::PlanStatus => return Err(boom()),
            Self::PlannedByChance => answer.planned = set(&answer.planned, "note", calls.to_string()),
            Self::ReplaceNowhereOnCreate if !is_update => answer.requires_replace = nowhere(),
            Self::ReplaceNowhere if is_update => answer.requires_replace = nowhere(),
            Self::FinalAction if name_is_known => {
                answer.requires_replace = vec![Path::root().attribute("name")];
            }
            Self::FinalDeferred if name_is_known => answer.deferred = LATER,
            Self::ReplacedNumber if !is_update && name(&request.config) == Some("b") => {
                answer.planned = edit(&answer.planned, "size", other);
            }
            Self::AgainError if is_update && name(&request.config) == name(&request.prior) => {
                answer.diagnostics.push(failure());
            }
            Self::NotConverged
                if is_update && request.config.attribute("note").is_some_and(Value::is_null) =>
            {
                answer.planned = edit(&answer.planned, "note", unknown);
            }
            // These faults show only if the name changes.
            _ if is_update && name(&request.config) != name(&request.prior) => self.updated(answer),
            _ => {}
        }
        Ok(())
    }

    fn updated(self, answer: &mut PlannedResource) {
        match self {
            Self::UpdatedString => answer.planned = edit(&answer.planned, "name", other),
            Self::UpdatedSecret => answer.planned = edit(&answer.planned, "secret", other_secret),
            Self::UpdatedDeferred => answer.deferred = LATER,
            Self::UpdatedIdentityUnknown => answer.identity = answer.identity.as_ref().map(vague),
            Self::UpdatedIdentityType => answer.identity = answer.identity.as_ref().map(mistyped),
            _ => {}
        }
    }

    fn planned_value(self, planned: &Value, name_is_known: bool) -> Value {
        match self {
            Self::PlannedString => edit(planned, "name", other),
            Self::PlannedNumber => edit(planned, "size", other),
            Self::PlannedOrder => edit(planned, "tags", reversed),
            Self::PlannedSecret => edit(planned, "secret", other_secret),
            Self::PlannedNull => edit(planned, "name", null),
            Self::PlannedUnknown => edit(planned, "name", unknown),
            Self::PlannedUnset => set(planned, "comment", "chosen"),
            Self::PlannedNothing => null(planned),
            Self::PlannedBlockPresent => set(planned, "lid", Value::object([("name", "a")])),
            Self::PlannedBlockCount => edit(planned, "disk", longer),
            Self::PlannedBlockFewer => edit(planned, "disk", shorter),
            Self::PlannedBlockKey => edit(planned, "entry", rekeyed),
            Self::PlannedBlocksUnknown => edit(planned, "disk", unknown),
            Self::PlannedSetBlocksNull => edit(planned, "rule", null),
            Self::PlannedMapBlocksNull => edit(planned, "entry", null),
            Self::PlannedBlocksNull => edit(planned, "disk", null),
            Self::PlannedBlockUnknown => edit(planned, "disk[0]", unknown),
            Self::PlannedBlockGone => edit(planned, "box", null),
            Self::PlannedSetBlockUnknown => edit(planned, "rule", |rule| edit_elements(rule, unknown)),
            Self::PlannedBlockValue => edit(planned, "disk[1].name", other),
            Self::PlannedDeepValue => edit(planned, "disk[0].part[0].name", other),
            Self::PlannedSingleValue => edit(planned, "box.name", other),
            Self::PlannedLabelledValue => edit(planned, "entry[\"k\"].name", other),
            Self::PlannedMapValue => edit(planned, "labels[\"k\"]", other),
            Self::PlannedSetValue => edit(planned, "zones", replaced),
            Self::PlannedNestedUnknown => edit(planned, "many", unknown),
            Self::PlannedNestedCount => edit(planned, "many", longer),
            Self::PlannedNestedKey => edit(planned, "keyed", rekeyed),
            Self::PlannedNestedSet => edit(planned, "unique", longer),
            Self::PlannedNestedValue => edit(planned, "many[1].name", other),
            Self::PlannedNestedKeyed => edit(planned, "keyed[\"k\"].name", other),
            Self::PlannedNestedGone => edit(planned, "one", null),
            Self::PlannedWriteOnly => set(planned, "token", "echoed"),
            Self::PlannedType => set(planned, "size", "large"),
            Self::PlannedMissing => without(planned, "size"),
            Self::PlannedEmpty => set(planned, "one", empty()),
            Self::PlannedExtra => added(planned, "surplus"),
            Self::FinalValue => set(planned, "note", if name_is_known { "late" } else { "early" }),
            Self::FinalUnknown if name_is_known => edit(planned, "note", unknown),
            Self::FinalUnknown => set(planned, "note", "early"),
            Self::FinalInvalid if name_is_known => edit(planned, "size", other),
            Self::AppliedPrefix => edit(planned, "note", promised),
            _ => planned.clone(),
        }
    }

    pub(super) fn applied(self, request: &ApplyResourceChange, answer: &mut AppliedResource) -> Result<()> {
        if request.planned.is_null() {
            let is_renamed = name(&request.prior) == Some("a");
            if self == Self::Survived || (self == Self::ReplacedSurvived && is_renamed) {
                answer.new_state = Some(request.prior.clone());
            }
            if self == Self::DestroyError {
                answer.diagnostics.push(failure());
            }
            return Ok(());
        }
        let is_update = !request.prior.is_null();
        match self {
            Self::AppliedNoObject => answer.new_state = None,
            Self::AppliedStatus => return Err(boom()),
            Self::AppliedIdentityUnknown => answer.identity = answer.identity.as_ref().map(vague),
            Self::AppliedIdentityType => answer.identity = answer.identity.as_ref().map(mistyped),
            Self::AppliedIdentityMissing => answer.identity = None,
            _ => {}
        }
        let is_renamed = name(&request.planned) == Some("b");
        answer.new_state = answer.new_state.as_ref().map(|state| match self {
            Self::AppliedUpdate if is_update => edit(state, "name", other),
            Self::ReplacedString if is_renamed => edit(state, "name", other),
            _ => self.applied_value(state),
        });
        Ok(())
    }

    fn applied_value(self, state: &Value) -> Value {
        match self {
            Self::AppliedString => edit(state, "name", other),
            Self::AppliedNumber => edit(state, "size", other),
            Self::AppliedSecret => edit(state, "secret", other_secret),
            Self::AppliedNull => edit(state, "name", null),
            Self::AppliedUnset => set(state, "comment", "chosen"),
            Self::AppliedElementGone => edit(state, "tags", shorter),
            Self::AppliedElementNew => edit(state, "tags", longer),
            Self::AppliedKeyNew => edit(state, "labels", more_keys),
            Self::AppliedKeyGone => edit(state, "labels", fewer_keys),
            Self::AppliedMapValue => edit(state, "labels[\"k\"]", other),
            Self::AppliedSet => edit(state, "zones", replaced),
            Self::AppliedNested => edit(state, "many[0].name", other),
            Self::AppliedNestedKeyed => edit(state, "keyed[\"k\"].name", other),
            Self::AppliedNestedGone => edit(state, "one", null),
            Self::AppliedBlockGone => edit(state, "box", null),
            Self::AppliedBlockCount => edit(state, "disk", longer),
            Self::AppliedBlockValue => edit(state, "disk[1].name", other),
            Self::AppliedDeepValue => edit(state, "disk[0].part[0].name", other),
            Self::AppliedBlockSet => edit(state, "rule", longer),
            Self::AppliedSetBlockValue => edit(state, "rule", replaced),
            Self::AppliedBlockKey => edit(state, "entry", rekeyed),
            Self::AppliedLabelledValue => edit(state, "entry[\"k\"].name", other),
            Self::AppliedPrefix => set(state, "note", "another"),
            Self::AppliedNothing => null(state),
            Self::AppliedUnknown => edit(state, "id", unknown),
            Self::AppliedDeepUnknown => edit(state, "disk[0].state", unknown),
            Self::AppliedWriteOnly => set(state, "token", "echoed"),
            Self::AppliedEmpty => set(state, "one", empty()),
            Self::AppliedType => set(state, "size", "large"),
            _ => state.clone(),
        }
    }

    pub(super) fn read(self, answer: &mut Answer, calls: Calls) -> Result<()> {
        match self {
            Self::ReadDeferred => answer.deferred = LATER,
            Self::ReadStatus => return Err(boom()),
            Self::ReadIdentityUnknown => answer.identity = answer.identity.as_ref().map(vague),
            Self::ReadNoObject => answer.object = None,
            Self::ReadError => answer.diagnostics.push(failure()),
            Self::ReadIdentityOther => {
                answer.identity = answer.identity.as_ref().map(|id| set(id, "id", "other"));
            }
            Self::ImportedVague => answer.object = answer.object.as_ref().map(filled),
            // An object with a made-up identifier does not exist, so the answer is null.
            Self::ReadDestroyed if answer.object.as_ref().is_some_and(is_made_up) => answer.object = None,
            _ => {}
        }
        answer.object = answer.object.take().map(|object| match self {
            Self::ReadUnknown => edit(&object, "id", unknown),
            Self::ReadEmpty => set(&object, "one", empty()),
            Self::ReadType => set(&object, "size", "large"),
            Self::ReadWriteOnly => set(&object, "token", "echoed"),
            Self::ReadDrift => edit(&object, "name", other),
            Self::ReadByChance => set(&object, "note", calls.to_string()),
            Self::ReadNothing => null(&object),
            Self::ImportedGone if answer.private.0 == GONE => null(&object),
            _ => object,
        });
        Ok(())
    }

    pub(super) fn upgraded(self, answer: &mut Answer) -> Result<()> {
        match self {
            Self::UpgradedNoObject => answer.object = None,
            Self::UpgradeError => answer.diagnostics.push(failure()),
            Self::UpgradeStatus => return Err(boom()),
            _ => {}
        }
        answer.object = answer.object.take().map(|object| match self {
            Self::UpgradedUnknown => edit(&object, "id", unknown),
            Self::UpgradedType => set(&object, "size", "large"),
            Self::UpgradedWriteOnly => set(&object, "token", "echoed"),
            Self::UpgradedOther => edit(&object, "name", other),
            Self::UpgradedNothing => null(&object),
            _ => object,
        });
        Ok(())
    }

    pub(super) fn imported(self, answer: &mut ImportAnswer) {
        let Some(first) = answer.resources.first_mut() else { return };
        match self {
            Self::ImportedNothing => answer.resources.clear(),
            Self::ImportedTwo => {
                let again = first.clone();
                answer.resources.push(again);
            }
            Self::ImportedWithoutType => first.type_name = "".into(),
            Self::ImportedForeign => first.type_name = "kit_no_such_type".into(),
            Self::ImportedOtherType => first.type_name = "kit_thing".into(),
            Self::ImportedGone => first.private.0 = GONE.to_vec(),
            Self::ImportedDeferred => answer.deferred = LATER,
            Self::ImportedIdentityUnknown => first.identity = first.identity.as_ref().map(vague),
            _ => {
                first.object = first.object.as_ref().map(|object| match self {
                    Self::ImportedWriteOnly => set(object, "token", "echoed"),
                    Self::ImportedNull => null(object),
                    Self::ImportedUnknown | Self::ImportedVague => edit(object, "status", unknown),
                    Self::ImportedType => set(object, "size", "large"),
                    Self::ImportedOther => set(object, "comment", "another"),
                    _ => object.clone(),
                });
            }
        }
    }

    pub(super) fn moved(self, answer: &mut Answer) {
        if self == Self::MovedIdentityUnknown {
            answer.identity = answer.identity.as_ref().map(vague);
        }
        answer.object = answer.object.take().map(|object| match self {
            Self::MovedUnknown => edit(&object, "id", unknown),
            Self::MovedNothing => null(&object),
            Self::MovedType => set(&object, "size", "large"),
            Self::MovedWriteOnly => set(&object, "token", "echoed"),
            _ => object,
        });
    }

    pub(super) fn generated(self, answer: &mut Answer) {
        answer.object = answer.object.take().map(|object| match self {
            Self::GeneratedType => set(&object, "size", "large"),
            Self::GeneratedComputed => set(&object, "id", "chosen"),
            Self::GeneratedOther => set(&object, "comment", "another"),
            _ => object,
        });
    }
}

/// The identity with all of its attributes unknown.
fn vague(identity: &Value) -> Value {
    edit(identity, "id", unknown)
}

fn mistyped(identity: &Value) -> Value {
    set(identity, "id", Value::tuple([1]))
}

fn edit_elements(set: &Value, change: impl Fn(&Value) -> Value) -> Value {
    let elements = set.as_elements().unwrap_or_default().iter().map(change);
    let element = set.ty().element().cloned().unwrap_or(objchange::Type::Dynamic);
    Value::set(element, elements).unwrap_or_else(|_| set.clone())
}

/// An unknown text with a known prefix.
fn promised(value: &Value) -> Value {
    let prefix = Refinements { string_prefix: Some("n-".into()), not_null: true, ..Refinements::default() };
    Value::refined_unknown(value.ty().clone(), prefix).unwrap_or_else(|_| value.clone())
}
