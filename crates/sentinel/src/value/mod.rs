//! The values of the language, and their limits, equality and text forms.

mod budget;
mod callable;
mod collection;
mod document;
mod equality;
mod fault;
mod json;
mod key;
mod lazy;
mod reclaim;
mod show;
mod taint;
mod unknown;

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

pub(crate) use budget::{Budget, CODE_BYTES};
pub use budget::{Interrupt, Limits};
pub(crate) use callable::{Closure, Code, Env, Host, Native, Rule, RuleState};
pub use callable::{Function, HostError, RuleValue};
pub(crate) use collection::Content;
pub use collection::{List, Map};
pub(crate) use document::of_document;
pub(crate) use equality::{compare_numbers, equal};
pub(crate) use fault::{Done, Fault, fault, fault_of, no_import};
pub use fault::{Location, RunError, RunErrorKind};
pub(crate) use json::{from_json, to_json, to_json_text};
pub(crate) use key::{Key, MemberName, whole};
pub(crate) use lazy::Lazy;
pub use lazy::Members;
pub(crate) use reclaim::Registry;
pub(crate) use show::{show, show_float};
pub(crate) use taint::{Access, Taint, Taints};
pub use unknown::Unknown;

use crate::imports::Object;

/// A place in one of the source texts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    /// The number of the text; the policy is 0.
    pub(crate) file: u32,
    pub(crate) offset: u32,
}

/// A value of the language.
///
/// Lists and maps are shared: a clone refers to the same list, and a change is visible through both.
#[derive(Clone)]
pub enum Value {
    /// Undefined, with the place where it arose.
    // Undefined can be stored, passed and returned, so this place is often far from the rule that it decides.
    Undefined(SourcePlace),
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number of double precision.
    Float(f64),
    /// Bytes, mostly text.
    String(Text),
    /// Values in order.
    List(List),
    /// Values by key.
    Map(Map),
    /// A function.
    Function(Function),
    /// A rule, evaluated when it is needed.
    Rule(RuleValue),
    /// A value of an import: a decimal number, a moment, a version.
    Object(Object),
    /// A value that is unknown until apply, or is made from unknown values.
    Unknown(Rc<Unknown>),
}

impl Value {
    /// Undefined without a place.
    #[must_use]
    pub fn undefined() -> Value {
        Value::Undefined(SourcePlace::default())
    }

    /// Whether the value is undefined.
    #[must_use]
    pub fn is_undefined(&self) -> bool {
        matches!(self.seen(), Value::Undefined(_))
    }

    /// The text, if the value is a string in UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self.seen() {
            Value::String(text) => text.as_str(),
            _ => None,
        }
    }

    /// The value as a policy sees it now: unknown values are mostly undefined.
    #[must_use]
    pub fn seen(&self) -> &Value {
        match self {
            Value::Unknown(unknown) => &unknown.seen,
            value => value,
        }
    }

    /// The name of this kind of value in errors.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Undefined(_) => "undefined",
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::String(_) => "string",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Function(_) => "func",
            Value::Rule(_) => "rule",
            Value::Object(object) => object.type_name(),
            Value::Unknown(unknown) => unknown.seen.type_name(),
        }
    }

    /// The value as JSON. `None` for values without a JSON form, such as undefined and functions, and above
    /// about 256 MB: a small value may contain another one many times.
    #[must_use]
    pub fn to_json(&self) -> Option<serde_json::Value> {
        self.to_json_within(1 << 28)
    }

    /// Like [`Value::to_json`], with this limit in bytes.
    #[must_use]
    pub fn to_json_within(&self, bytes: u64) -> Option<serde_json::Value> {
        let limits = crate::Limits { memory: bytes, ..Default::default() };
        to_json(self, &mut Budget::new(&limits)).ok().flatten()
    }

    /// Converts a JSON value.
    #[must_use]
    pub fn from_json(json: &serde_json::Value) -> Value {
        from_json(json)
    }
}

/// Shows the value as `print` does, cut at 10,000 bytes.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        let mut budget = Budget::new(&Limits { size: 10_000, ..Default::default() });
        let is_whole = show(self, true, &mut text, &mut budget).is_ok();
        write!(f, "{}{}", String::from_utf8_lossy(&text), if is_whole { "" } else { "…" })
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::String(Text::from(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::String(Text::from(text.into_bytes()))
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Value {
        Value::Bool(bool)
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Value {
        Value::Int(int)
    }
}

impl From<f64> for Value {
    fn from(float: f64) -> Value {
        Value::Float(float)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Value {
        Value::List(List::from(items))
    }
}

/// A string: bytes, usually UTF-8.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
// An `Arc`, because literals belong to the compiled policy, which many threads run at once.
pub struct Text(pub(crate) Arc<[u8]>);

impl Text {
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(Arc::from(text.as_bytes()))
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Text {
        Text(Arc::from(bytes))
    }
}
