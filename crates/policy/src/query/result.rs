//! Results of expressions as JSON.

use cel::ExecutionError;
use cel::common::types::{
    CelBool, CelBytes, CelDouble, CelDuration, CelInt, CelList, CelMap, CelNull, CelOptional, CelString,
    CelTimestamp, CelType, CelUInt, Kind,
};
use cel::common::value::Val;
use serde_json::{Map, Number, Value};

use super::budget::Budget;
use super::error::refused;
use super::node::absent;
use super::unknown::UNKNOWN_MEMBER;

/// A value without parts; a double that JSON has no number for is null.
pub(super) fn scalar(value: &dyn Val) -> Option<Value> {
    if let Some(value) = value.downcast_ref::<CelString>() {
        return Some(Value::String(value.inner().to_owned()));
    }
    if let Some(value) = value.downcast_ref::<CelBool>() {
        return Some(Value::Bool(*value.inner()));
    }
    if let Some(value) = value.downcast_ref::<CelInt>() {
        return Some((*value.inner()).into());
    }
    if let Some(value) = value.downcast_ref::<CelUInt>() {
        return Some((*value.inner()).into());
    }
    if let Some(value) = value.downcast_ref::<CelDouble>() {
        return Some(Number::from_f64(*value.inner()).map_or(Value::Null, Value::Number));
    }
    if let Some(value) = value.downcast_ref::<CelBytes>() {
        return Some(Value::String(String::from_utf8_lossy(value.inner()).into_owned()));
    }
    // As `string` writes them.
    if let Some(value) = value.downcast_ref::<CelTimestamp>() {
        return Some(Value::String(value.inner().to_utc().to_rfc3339().replace("+00:00", "Z")));
    }
    if let Some(value) = value.downcast_ref::<CelDuration>() {
        let (seconds, nanos) = (value.inner().num_seconds(), value.inner().subsec_nanos());
        let sign = if seconds < 0 || nanos < 0 { "-" } else { "" };
        let fraction = format!(".{:09}", nanos.unsigned_abs());
        let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
        return Some(Value::String(format!("{sign}{}{fraction}s", seconds.unsigned_abs())));
    }
    if let Some(value) = value.downcast_ref::<CelType>() {
        return Some(Value::String(value.name().to_owned()));
    }
    value.downcast_ref::<CelNull>().map(|_| Value::Null)
}

/// Any value. An optional one that is not there is null.
pub(super) fn json(value: &dyn Val, budget: &Budget) -> Result<Value, ExecutionError> {
    budget.pay_value(value)?;
    tree(value)
}

fn tree(value: &dyn Val) -> Result<Value, ExecutionError> {
    if let Some(scalar) = scalar(value) {
        return Ok(scalar);
    }
    if let Some(list) = value.downcast_ref::<CelList>() {
        return list.inner().iter().map(|element| tree(element.as_ref())).collect();
    }
    if let Some(optional) = value.downcast_ref::<CelOptional>() {
        return optional.option().map_or(Ok(Value::Null), tree);
    }
    if let Some(map) = value.downcast_ref::<CelMap>() {
        let key = |key: &dyn Val| match scalar(key) {
            Some(Value::String(text)) => text,
            other => other.unwrap_or_default().to_string(),
        };
        return map
            .inner()
            .iter()
            .map(|(name, value)| Ok((key(name.inner()), tree(value.as_ref())?)))
            .collect();
    }
    if value.get_type().kind() != Kind::Map {
        return Err(refused("this is no value that can be shown"));
    }
    let (Some(members), Some(keys)) = (value.as_indexer(), value.as_iterable()) else { return Err(absent()) };
    let mut keys = keys.iter();
    let mut object = Map::new();
    while let Some(key) = keys.next() {
        let Some(Value::String(name)) = scalar(key) else { continue };
        match members.get(key) {
            Ok(member) => drop(object.insert(name, tree(member.as_ref())?)),
            // An output that is unknown has no value after.
            Err(ExecutionError::NoSuchKey(_)) => {}
            // The document lacks what is unknown.
            Err(ExecutionError::FunctionError { function, .. }) if function == UNKNOWN_MEMBER => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Value::Object(object))
}
