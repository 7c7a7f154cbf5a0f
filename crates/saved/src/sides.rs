//! The values before and after a change, decoded on demand.

use std::ops::Range;
use std::sync::PoisonError;

use objchange::schema::Schema;
use objchange::{Type, Value};
use objchange_module::ProviderAddress;
use objchange_module::plan::{ActionReason, PlannedAction};

use crate::error::SavedPlanError;
use crate::message::{Change, Content, DynamicValue};
use crate::plan::SavedPlan;
use crate::values::{all_hidden, decode, marked};

/// The sides of a change that are hidden, because the file does not say which of their parts are sensitive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) before: bool,
    pub(crate) after: bool,
}

impl SavedPlan {
    /// The range of an entry in the message.
    pub(crate) fn range(&self, content: Content<'_>) -> Option<Range<usize>> {
        let Content::Bytes(bytes) = content else { return None };
        let start = (bytes.as_ptr() as usize).checked_sub(self.message.as_ptr() as usize)?;
        (start + bytes.len() <= self.message.len()).then(|| start..start + bytes.len())
    }

    /// The sides of a change that must be hidden. Without a schema the marks in the file do not suffice: since Terraform 1.9.8
    /// `after` of a replacement lacks the schema's marks, and `before` of an object that moved to another type has the marks
    /// of the old type.
    pub(crate) fn hidden(
        &self,
        has_schema: bool,
        action: PlannedAction,
        reason: Option<ActionReason>,
        has_moved: bool,
    ) -> Hidden {
        if has_schema {
            return Hidden::default();
        }
        let is_replaced = matches!(
            action,
            PlannedAction::DeleteThenCreate
                | PlannedAction::CreateThenDelete
                | PlannedAction::CreateThenForget
        ) && reason != Some(ActionReason::ReplaceBecauseTainted);
        let hides_all = self.has_no_marks();
        Hidden { before: hides_all || has_moved, after: hides_all || is_replaced }
    }

    /// Both sides of the change of an object, with their marks.
    pub(crate) fn values(
        &self,
        change: &Change,
        action: PlannedAction,
        schema: Option<&Schema>,
        hidden: Hidden,
        place: &str,
        provider: &ProviderAddress,
    ) -> Result<(Value, Value), SavedPlanError> {
        let ty = schema.map(|schema| schema.block.implied_type());
        let (before, after) = self.sides(change, action, ty, place, Some(provider))?;
        let before = marked(&before, &change.before_sensitive_paths, place)?;
        let after = marked(&after, &change.after_sensitive_paths, place)?;
        let hide = |value: Value, hides: bool| if hides { all_hidden(&value) } else { value };
        Ok((hide(before, hidden.before), hide(after, hidden.after)))
    }

    /// Both sides of a change, without marks. Without `ty`, their type is inferred.
    pub(crate) fn sides(
        &self,
        change: &Change,
        action: PlannedAction,
        ty: Option<&Type>,
        place: &str,
        provider: Option<&ProviderAddress>,
    ) -> Result<(Value, Value), SavedPlanError> {
        // A third value is an error, so further ones need not be decoded.
        let values: Vec<Value> = change
            .values
            .iter()
            .take(3)
            .map(|value| self.value(value, ty, place, provider))
            .collect::<Result<_, _>>()?;
        both(values, action, ty.unwrap_or(&Type::Dynamic), place)
    }

    pub(crate) fn value(
        &self,
        value: &DynamicValue,
        ty: Option<&Type>,
        place: &str,
        provider: Option<&ProviderAddress>,
    ) -> Result<Value, SavedPlanError> {
        // The cached types are complete even after a panic of another thread.
        let mut types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        decode(value, ty, &mut types).map_err(|error| {
            let locked = provider.and_then(|provider| Some((provider, self.locked().get(provider)?)));
            let versions = locked.map(|(provider, version)| {
                format!(
                    "the plan was made with version {version} of {}; give the schemas of that version",
                    provider.for_display()
                )
            });
            SavedPlanError::Value { place: place.to_owned(), error, versions }
        })
    }
}

/// Both sides from the values that the file has for an action: one, or two.
fn both(
    values: Vec<Value>,
    action: PlannedAction,
    ty: &Type,
    place: &str,
) -> Result<(Value, Value), SavedPlanError> {
    let none = || Value::null(ty.clone());
    let mut values = values.into_iter();
    match (action, values.next(), values.next(), values.next()) {
        (PlannedAction::NoOp, Some(value), None, None) => Ok((value.clone(), value)),
        (PlannedAction::Create, Some(after), None, None) => Ok((none(), after)),
        (PlannedAction::Delete | PlannedAction::Forget, Some(before), None, None) => Ok((before, none())),
        (
            PlannedAction::Read
            | PlannedAction::Update
            | PlannedAction::DeleteThenCreate
            | PlannedAction::CreateThenDelete
            | PlannedAction::CreateThenForget,
            Some(before),
            Some(after),
            None,
        ) => Ok((before, after)),
        _ => Err(SavedPlanError::Message {
            place: place.to_owned(),
            problem: "the change has another number of values than its action".to_owned(),
        }),
    }
}
