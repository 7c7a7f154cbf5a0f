//! Values from JSON and as JSON.

use serde_json::Value as Json;

use super::{Key, Map, Value, show_float};
use crate::run::{Budget, Done, fault};

/// The value that a document holds: a number is an int where it is written as one and fits.
pub(crate) fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(bool) => Value::Bool(*bool),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::Float(number.as_f64().unwrap_or(f64::INFINITY)), Value::Int)
        }
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::from(items.iter().map(from_json).collect::<Vec<_>>()),
        Json::Object(members) => {
            Value::Map(members.iter().map(|(key, value)| (key.as_str(), from_json(value))).collect::<Map>())
        }
    }
}

/// A value as JSON; none for undefined and functions, which are left out of what holds them.
pub(crate) fn to_json(value: &Value, budget: &mut Budget) -> Done<Option<Json>> {
    budget.step(1)?;
    let value = budget.look(value);
    budget.touch(value);
    Ok(Some(match value {
        Value::Undefined(_) | Value::Function(_) | Value::Rule(_) | Value::Object(_) | Value::Unknown(_) => {
            return Ok(None);
        }
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        Value::Int(int) => Json::from(*int),
        Value::Float(float) => match serde_json::Number::from_f64(*float) {
            Some(number) => Json::Number(number),
            None => return fault(format!("{} has no form in JSON", show_float(*float))),
        },
        Value::String(text) => {
            budget.make(text.0.len())?;
            Json::String(String::from_utf8_lossy(&text.0).into_owned())
        }
        Value::List(list) => {
            let items = list.items();
            budget.make(64 * items.len())?;
            let of = |budget: &mut Budget| {
                items.iter().map(|item| to_json(item, budget)).collect::<Done<Vec<_>>>()
            };
            Json::Array(budget.deeper(of)?.into_iter().flatten().collect())
        }
        Value::Map(map) => {
            let entries = map.entries();
            budget.make(128 * entries.len())?;
            budget.deeper(|budget| {
                let mut members = serde_json::Map::new();
                for (key, value) in entries {
                    let name = match &key {
                        Key::String(text) => String::from_utf8_lossy(&text.0).into_owned(),
                        other => format!("{:?}", other.to_value()),
                    };
                    if let Some(value) = to_json(&value, budget)? {
                        members.insert(name, value);
                    }
                }
                Ok(Json::Object(members))
            })?
        }
    }))
}
