//! The object after a change, out of a plan.

use std::collections::BTreeSet;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::schema::Block;

use super::{Form, ObjectError, Plan, read_object};
use crate::changes::ChangedResource;
use crate::json::{Json, JsonError, Raw, Shape, View};

/// A plan does not have the object that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlannedError {
    /// The plan has no resource instance at this address.
    #[error("the plan has no resource instance {0}")]
    NoInstance(String),
    /// The change was made by a planner, and has no text.
    #[error("the plan has no values")]
    NoValues,
    /// The values cannot be read.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The object does not fit the schema.
    #[error("{}", .0.message)]
    Object(ObjectError),
}

impl PlannedError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoInstance(_) => "no_instance",
            Self::NoValues => "no_values",
            Self::Json(error) => error.kind().kind(),
            Self::Object(error) => error.kind.kind(),
        }
    }
}

impl Plan<'_> {
    /// The object at an address after the change.
    ///
    /// # Errors
    ///
    /// The plan has no such object, or it is not of the schema.
    pub fn planned_object(&self, address: &str, block: &Block) -> Result<Value, PlannedError> {
        let is_it = |change: &&ChangedResource<'_>| {
            change.deposed.is_none() && InstanceAddress::is_same(&change.address, address)
        };
        let changed = self.changes.resources.iter().find(is_it);
        changed.ok_or_else(|| PlannedError::NoInstance(address.to_owned()))?.planned_object(block)
    }
}

impl ChangedResource<'_> {
    /// The object after the change, which may have unknown parts.
    ///
    /// # Errors
    ///
    /// The change was made by a planner, or the object is not of the schema.
    pub fn planned_object(&self, block: &Block) -> Result<Value, PlannedError> {
        let values = self.change.values.written().ok_or(PlannedError::NoValues)?;
        marked(&values.after, Some(&values.after_unknown), &values.after_sensitive, block)
    }

    /// The object before the change; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The change was made by a planner, or the object is not of the schema.
    pub fn prior_object(&self, block: &Block) -> Result<Option<Value>, PlannedError> {
        let values = self.change.values.written().ok_or(PlannedError::NoValues)?;
        match values.before.text() {
            "null" => Ok(None),
            _ => marked(&values.before, None, &values.before_sensitive, block).map(Some),
        }
    }
}

/// An object with the marks that a document has beside it.
fn marked(
    object: &Raw<'_>,
    unknown: Option<&Raw<'_>>,
    sensitive: &Raw<'_>,
    block: &Block,
) -> Result<Value, PlannedError> {
    let (object, sensitive) = (Json::read(object)?, Json::read(sensitive)?);
    let unknown = unknown.map(Json::read).transpose()?;
    let unknown = unknown.as_ref().map(Json::view);
    let mut markers = String::new();
    write_markers(Some(object.view()), unknown, Some(sensitive.view()), &mut markers);
    read_object(&markers, block, Form::Markers).map_err(PlannedError::Object)
}

/// The value with what the other two say of it, in the form of case files. Documents nest no deeper than their reader allows.
fn write_markers(
    value: Option<View<'_, '_>>,
    unknown: Option<View<'_, '_>>,
    sensitive: Option<View<'_, '_>>,
    out: &mut String,
) {
    if sensitive.is_some_and(View::is_true) {
        out.push_str(r#"{"$sensitive":"#);
        write_markers(value, unknown, None, out);
        return out.push('}');
    }
    if unknown.is_some_and(View::is_true) {
        return out.push_str(r#"{"$unknown":{}}"#);
    }
    let quote = |text: &str, out: &mut String| out.push_str(&serde_json::Value::from(text).to_string());
    match value.map(View::shape) {
        None | Some(Shape::Null) if !unknown.is_some_and(View::has_true) => out.push_str("null"),
        Some(Shape::Bool(truth)) => out.push_str(if truth { "true" } else { "false" }),
        Some(Shape::Number(number)) => out.push_str(number),
        Some(Shape::String(text)) => quote(text, out),
        Some(Shape::Array(elements)) => {
            out.push('[');
            for (i, element) in elements.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { "," });
                write_markers(Some(element), element_of(unknown, i), element_of(sensitive, i), out);
            }
            out.push(']');
        }
        _ => {
            // Unknown attributes are left out of the value.
            let mut names: BTreeSet<&str> = BTreeSet::new();
            for side in [value, unknown] {
                if let Some(Shape::Object(members)) = side.map(View::shape) {
                    names.extend(members.iter().map(|(name, _)| name));
                }
            }
            // An object such as `{"$unknown": {}}` in a plan is plain data, and would be read back as a marker.
            let is_like_marker = names.len() == 1 && names.iter().any(|name| name.starts_with('$'));
            out.push_str(if is_like_marker { r#"{"$literal":{"# } else { "{" });
            for (i, name) in names.into_iter().enumerate() {
                out.push_str(if i == 0 { "" } else { "," });
                quote(name, out);
                out.push(':');
                write_markers(
                    member_of(value, name),
                    member_of(unknown, name),
                    member_of(sensitive, name),
                    out,
                );
            }
            out.push_str(if is_like_marker { "}}" } else { "}" });
        }
    }
}

fn element_of<'v, 't>(side: Option<View<'v, 't>>, position: usize) -> Option<View<'v, 't>> {
    match side.map(View::shape) {
        Some(Shape::Array(elements)) => elements.get(position),
        _ => None,
    }
}

fn member_of<'v, 't>(side: Option<View<'v, 't>>, name: &str) -> Option<View<'v, 't>> {
    side.and_then(|side| side.get(name))
}
