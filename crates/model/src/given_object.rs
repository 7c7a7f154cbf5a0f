//! Objects that users give, to learn with.

use objchange::Value;
use smol_str::SmolStr;

/// An object from a state or a plan, to learn its type with. The values have no marks, so [`Debug`](std::fmt::Debug) shows
/// nothing of them. A model holds none of its values.
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
    /// The object as it is, if it exists.
    pub prior: Option<Value>,
    /// The object as it is planned, with unknown parts, if it is in a plan that does not destroy it.
    pub planned: Option<Value>,
}

impl std::fmt::Debug for GivenObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GivenObject").field("type_name", &self.type_name).finish_non_exhaustive()
    }
}
