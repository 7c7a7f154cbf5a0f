//! The action of a change.

use crate::value::Value;

/// The action on an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Nothing changes.
    NoOp,
    /// The object is created.
    Create,
    /// The object is changed in place.
    Update,
    /// The object is destroyed.
    Delete,
    /// The object is destroyed, and then a new one is created in its place.
    DeleteThenCreate,
    /// A new object is created, and then the old one is destroyed.
    CreateThenDelete,
}

impl Action {
    /// The stable name of the action, as case files and reports write it.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NoOp => "noop",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::DeleteThenCreate => "delete_then_create",
            Self::CreateThenDelete => "create_then_delete",
        }
    }

    /// Whether one object takes the place of another.
    pub const fn is_replace(self) -> bool {
        matches!(self, Self::DeleteThenCreate | Self::CreateThenDelete)
    }
}

/// The action that turns `before` into `after`.
///
/// Never a replacement, because only the provider's answer decides that: see
/// [`plan_change`](super::plan_change).
///
/// ```
/// use objchange::change::{Action, action_for_change};
/// use objchange::{Type, Value};
///
/// let null = Value::null(Type::String);
/// assert_eq!(action_for_change(&null, &Value::from("a")), Action::Create);
/// assert_eq!(action_for_change(&Value::from("a"), &Value::from("b")), Action::Update);
/// ```
#[doc(alias = "ActionForChange")]
pub fn action_for_change(before: &Value, after: &Value) -> Action {
    match (before.is_null(), after.is_null()) {
        (true, true) => Action::NoOp,
        (_, true) => Action::Delete,
        (true, _) => Action::Create,
        _ if !after.is_known() => Action::Update,
        _ if before.identical(after) => Action::NoOp,
        _ => Action::Update,
    }
}
