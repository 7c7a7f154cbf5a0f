//! Objects that users supply for learning.

use objchange::Value;
use smol_str::SmolStr;

/// An object from a state or a plan, for learning its type. Its values carry no marks, so [`Debug`](std::fmt::Debug) shows
/// none of them. The learned model contains none of them either.
///
/// ```
/// use objchange::Value;
/// use objchange_model::GivenObject;
///
/// let queue = Value::object([("name", "orders"), ("password", "s3cret")]);
/// let given = GivenObject { type_name: "aws_sqs_queue".into(), prior: Some(queue), planned: None };
/// assert!(!format!("{given:?}").contains("s3cret"));
/// ```
#[derive(Clone)]
pub struct GivenObject {
    /// The resource type.
    pub type_name: SmolStr,
    /// The current object, if it exists.
    pub prior: Option<Value>,
    /// The planned object, which may have unknown parts; `None` without a plan, or if it is destroyed.
    pub planned: Option<Value>,
}

impl std::fmt::Debug for GivenObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GivenObject").field("type_name", &self.type_name).finish_non_exhaustive()
    }
}
