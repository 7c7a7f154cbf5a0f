//! Values from JSON and as JSON.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use serde::ser::{self, Serialize, Serializer};
use serde_json::Value as Json;

use super::{Budget, Done, Fault, Key, Map, Value, fault, show_float};

/// The value that a document holds: a number is an int where it is written as one and fits.
pub(crate) fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(bool) => Value::Bool(*bool),
        // Comparisons of numbers do not see whether one is an int or a float.
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

/// A value as JSON; `None` for undefined and functions, which are left out of collections.
pub(crate) fn to_json(value: &Value, budget: &mut Budget) -> Done<Option<Json>> {
    write(value, budget, |written| serde_json::to_value(written))
}

/// The text of a value in JSON, written without another form in between; none as in [`to_json`].
pub(crate) fn to_json_text(value: &Value, budget: &mut Budget) -> Done<Option<Vec<u8>>> {
    write(value, budget, |written| {
        let mut out = TextWriter { text: Vec::new(), counting: written.counting };
        serde_json::to_writer(&mut out, written).map(|()| out.text)
    })
}

/// The budget of a writer, and the error that ended it.
struct Counting<'b> {
    budget: &'b mut Budget,
    fault: Option<Box<Fault>>,
}

fn write<T>(
    value: &Value,
    budget: &mut Budget,
    write: impl FnOnce(&SerializedValue<'_, '_, '_>) -> Result<T, serde_json::Error>,
) -> Done<Option<T>> {
    if is_left_out(budget.look(value)) {
        return Ok(None);
    }
    let counting = RefCell::new(Counting { budget, fault: None });
    let written = write(&SerializedValue { value, counting: &counting });
    match (written, counting.into_inner().fault) {
        (_, Some(fault)) => Err(fault),
        (Ok(written), None) => Ok(Some(written)),
        (Err(error), None) => fault(format!("this has no form in JSON: {error}")),
    }
}

fn is_left_out(value: &Value) -> bool {
    matches!(
        value,
        Value::Undefined(_) | Value::Function(_) | Value::Rule(_) | Value::Object(_) | Value::Unknown(_)
    )
}

/// The memory of a value in a JSON tree, and of a map's entry.
const VALUE_BYTES: usize = 64;
const ENTRY_BYTES: usize = 128;

/// A value to write.
struct SerializedValue<'v, 'c, 'b> {
    value: &'v Value,
    counting: &'c RefCell<Counting<'b>>,
}

impl SerializedValue<'_, '_, '_> {
    /// Whether a part is written.
    fn has(&self, part: &Value) -> bool {
        !is_left_out(self.counting.borrow_mut().budget.look(part))
    }

    /// Does something with the budget. Why that cannot be done is kept: the error alone does not hold it.
    fn count<T, E: ser::Error>(&self, work: impl FnOnce(&mut Budget) -> Done<T>) -> Result<T, E> {
        let mut counting = self.counting.borrow_mut();
        work(counting.budget).map_err(|fault| {
            let error = E::custom(&fault.message);
            counting.fault.get_or_insert(fault);
            error
        })
    }
}

impl Serialize for SerializedValue<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.count(|budget| {
            let value = budget.look(self.value);
            budget.touch(value);
            budget.make(VALUE_BYTES)?;
            Ok(value)
        })?;
        let below = |value| SerializedValue { value, counting: self.counting };
        match value {
            Value::Bool(bool) => serializer.serialize_bool(*bool),
            Value::Int(int) => serializer.serialize_i64(*int),
            // JSON (RFC 8259) has no infinities and no NaN.
            Value::Float(float) if float.is_finite() => serializer.serialize_f64(*float),
            Value::Float(float) => {
                self.count(|_| fault(format!("{} has no form in JSON", show_float(*float))))
            }
            Value::String(text) => {
                self.count(|budget| budget.make(text.0.len()))?;
                serializer.serialize_str(&String::from_utf8_lossy(&text.0))
            }
            Value::List(list) => {
                self.count(Budget::enter)?;
                let items = list.items();
                let items = items.iter().filter(|item| self.has(item));
                let written = serializer.collect_seq(items.map(below));
                self.counting.borrow_mut().budget.leave();
                written
            }
            Value::Map(map) => {
                self.count(Budget::enter)?;
                let entries = map.entries();
                // Keys such as 1 and "1" have one name in JSON, and the last one remains.
                let mut members = BTreeMap::new();
                for (key, value) in entries.iter().filter(|(_, value)| self.has(value)) {
                    let name = match key {
                        Key::String(text) => String::from_utf8_lossy(&text.0).into_owned(),
                        other => format!("{:?}", other.to_value()),
                    };
                    self.count(|budget| budget.make(ENTRY_BYTES + name.len()))?;
                    members.insert(name, value);
                }
                let written =
                    serializer.collect_map(members.iter().map(|(name, value)| (name, below(value))));
                self.counting.borrow_mut().budget.leave();
                written
            }
            // Values that JSON cannot have become null here.
            _ => serializer.serialize_unit(),
        }
    }
}

/// Collects JSON text in a buffer that doubles when it is full.
struct TextWriter<'c, 'b> {
    text: Vec<u8>,
    counting: &'c RefCell<Counting<'b>>,
}

impl io::Write for TextWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut counting = self.counting.borrow_mut();
        let room = counting.budget.make(2 * bytes.len());
        let room = room.and_then(|()| counting.budget.fits(self.text.len() + bytes.len()));
        if let Err(fault) = room {
            counting.fault.get_or_insert(fault);
            return Err(io::Error::other("there is no room"));
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
