//! Accesses parts of values: by index, by name, by bounds.

use std::rc::Rc;

use super::Machine;
use crate::compile::{Op, Unit};
use crate::syntax::ast::BinaryOp;
use crate::value::{
    Done, Key, List, Map, RunErrorKind, SourcePlace, Text, Unknown, Value, fault, fault_of, whole,
};

/// The maximum number of names in one step. Longer paths take several.
const MAX_PATH: usize = 8;

impl Machine<'_> {
    pub(super) fn index(&mut self) -> Done<()> {
        let (key, base) = (self.pop(), self.pop());
        let value = self.indexed(base, &key)?;
        self.stack.push(value);
        Ok(())
    }

    fn indexed(&mut self, base: Value, key: &Value) -> Done<Value> {
        let place = self.here();
        let nothing = || Value::Undefined(place);
        Ok(match (base, key) {
            (Value::Undefined(place), _) => Value::Undefined(place),
            (Value::Null, _) => nothing(),
            (Value::Map(_) | Value::List(_) | Value::String(_), Value::Undefined(place)) => {
                Value::Undefined(*place)
            }
            (Value::Map(map), key) => {
                let Some(key) = Key::from_value(key) else { return Ok(nothing()) };
                let found = map.find(&key);
                self.budget.touch_member(&map, &key, found.as_ref());
                found.unwrap_or_else(nothing)
            }
            (Value::List(list), key) => {
                // Documented: a negative index counts from the end, and an index out of range is undefined.
                let at = position(list_index(key)?, list.len());
                self.budget.touch_element(&list, at);
                at.and_then(|at| list.get(at)).unwrap_or_else(nothing)
            }
            (Value::String(text), key) => {
                let at = position(list_index(key)?, text.0.len());
                // Strings are bytes, so this may be a part of a character.
                at.map_or_else(nothing, |at| Value::String(Text::from(vec![text.0[at]])))
            }
            (other, _) => return fault(format!("{} has no index", other.type_name())),
        })
    }

    pub(super) fn member(&mut self, name: u32) -> Done<()> {
        let frame = &mut self.frame;
        if let Some(Value::Map(map)) = self.stack.last()
            && let Some(value) = reach(map, &frame.unit, name, &mut frame.next)
        {
            self.stack.pop();
            self.stack.push(value);
            return Ok(());
        }
        let base = self.pop();
        let name = &self.frame.unit.names[name as usize];
        let value = match &base {
            Value::Undefined(_) => Some(base),
            Value::Map(map) => {
                let found = map.member(name);
                self.budget.touch_member(map, &name.key, found.as_ref());
                found
            }
            Value::Object(object) => object.member(&name.text),
            _ => None,
        };
        let value = located(value, || self.here());
        self.stack.push(value);
        Ok(())
    }

    /// Loads a member of a variable, without loading the variable first if it is a map.
    pub(super) fn load_member(&mut self, access: u32, name: u32) -> Done<()> {
        let frame = &mut self.frame;
        if let [slot, ..] = &frame.unit.accesses[access as usize].candidates[..]
            && let Some(Value::Map(map)) = &frame.env.outward(slot.hops).slots.borrow()[slot.slot as usize]
        {
            // This includes the next instruction, which would load the member.
            frame.next += 1;
            if let Some(value) = reach(map, &frame.unit, name, &mut frame.next) {
                self.stack.push(value);
                return Ok(());
            }
            let name = &frame.unit.names[name as usize];
            let found = map.member(name);
            self.budget.touch_member(map, &name.key, found.as_ref());
            let value = located(found, || {
                let offset = frame.unit.places.get(frame.next - 1).copied().unwrap_or_default();
                SourcePlace { file: frame.file, offset }
            });
            self.stack.push(value);
            return Ok(());
        }
        let value = self.load(access)?;
        self.stack.push(value);
        Ok(())
    }

    pub(super) fn slice(&mut self, low: bool, high: bool) -> Done<()> {
        let high = if high { Some(self.pop()) } else { None };
        let low = if low { Some(self.pop()) } else { None };
        let base = self.pop();
        let value = self.sliced(&base, low.as_ref(), high.as_ref())?;
        self.stack.push(value);
        Ok(())
    }

    fn sliced(&mut self, base: &Value, low: Option<&Value>, high: Option<&Value>) -> Done<Value> {
        let length = match base {
            Value::Undefined(_) => return Ok(base.clone()),
            Value::Null => return Ok(Value::Undefined(self.here())),
            Value::List(list) => list.len(),
            Value::String(text) => text.0.len(),
            other => return fault(format!("{} cannot be sliced", other.type_name())),
        };
        self.budget.touch(base);
        let mut bounds = [0, length];
        for (bound, value) in bounds.iter_mut().zip([low, high]) {
            match value {
                None => {}
                Some(Value::Undefined(place)) => return Ok(Value::Undefined(*place)),
                Some(value) => match usize::try_from(list_index(value)?) {
                    Ok(index) => *bound = index,
                    // Unlike an index, a negative bound does not count from the end.
                    Err(_) => return Ok(Value::Undefined(self.here())),
                },
            }
        }
        let [low, high] = bounds;
        if low > high || high > length {
            return Ok(Value::Undefined(self.here()));
        }
        Ok(match base {
            Value::List(list) => {
                self.budget.make_list(high - low)?;
                Value::List(List::from(list.0.items.borrow()[low..high].to_vec()))
            }
            Value::String(text) => {
                self.budget.make(high - low)?;
                Value::String(Text::from(text.0[low..high].to_vec()))
            }
            _ => base.clone(),
        })
    }

    pub(super) fn store_index(&mut self) -> Done<()> {
        // The value was evaluated first, so it is lowest on the stack.
        let (key, base, value) = (self.pop(), self.pop(), self.pop());
        if let Value::Unknown(unknown) = &base {
            // The changed collection is unknown.
            let taint = self.taint_of(unknown);
            self.give_up(taint);
            self.may_fail(taint);
        }
        let base = base.seen().clone();
        let key = self.unwrap(key);
        self.note_code(std::slice::from_ref(&value));
        // The change makes that part of the collection known.
        self.budget.touch(&base);
        let taint = self.take_noted();
        if std::mem::take(&mut self.has_any) {
            self.may_fail(taint);
        }
        self.taint_changed(&base, taint);
        match &base {
            Value::Map(map) => {
                let Some(key) = Key::from_value(&key) else {
                    return fault(format!("{} cannot be a key of a map", key.type_name()));
                };
                self.budget.fits(map.len() + 1)?;
                self.budget.make_entry()?;
                self.budget.step(map.to_copy())?;
                self.registry.changed(&base, &value);
                map.insert(key, value);
            }
            Value::List(list) => {
                let Some(at) = position(list_index(&key)?, list.len()) else {
                    return fault_of(RunErrorKind::Range, "this index is out of the range of the list");
                };
                self.budget.step(list.to_copy() / 4)?;
                self.registry.changed(&base, &value);
                list.set(at, value);
            }
            other => return fault(format!("nothing can be put into {}", other.type_name())),
        }
        Ok(())
    }

    /// Leaves the new value, the collection and the key.
    pub(super) fn augment_index(&mut self, op: BinaryOp) -> Done<()> {
        let (old, key, base, value) = (self.pop(), self.pop(), self.pop(), self.pop());
        let (old, value) = (self.unwrap(old), self.unwrap(value));
        let value = self.binary(op, &old, &value)?;
        let taint = self.take_noted();
        if std::mem::take(&mut self.has_any) {
            self.may_fail(taint);
        }
        let value = self.wrap(value, taint, false);
        self.stack.extend([value, base, key]);
        Ok(())
    }
}

/// The value at the end of a path of names, if the host provides it directly. The instructions of these names are skipped then.
fn reach(map: &Map, unit: &Unit, first: u32, next: &mut usize) -> Option<Value> {
    let (Some(Op::Member(_)), true) = (unit.ops.get(*next), map.is_lazy()) else { return None };
    let mut path = [&*unit.names[first as usize].text; MAX_PATH];
    let mut length = 1;
    while let (Some(step), Some(Op::Member(name))) = (path.get_mut(length), unit.ops.get(*next + length - 1))
    {
        *step = &unit.names[*name as usize].text;
        length += 1;
    }
    let value = map.reach(&path[..length])?;
    *next += length - 1;
    Some(value)
}

fn list_index(key: &Value) -> Done<i64> {
    match key {
        Value::Int(int) => Ok(*int),
        Value::Float(float) => match whole(*float) {
            Some(int) => Ok(int),
            None => fault("an index must be a whole number"),
        },
        other => fault(format!("an index must be an int, found {}", other.type_name())),
    }
}

/// The position of an index; a negative one counts from the end.
fn position(index: i64, length: usize) -> Option<usize> {
    let at = if index < 0 {
        length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?
    } else {
        usize::try_from(index).ok()?
    };
    (at < length).then_some(at)
}

/// The found member. A missing one, or an undefined one without a place, gets the place of the access.
fn located(found: Option<Value>, here: impl FnOnce() -> SourcePlace) -> Value {
    let is_nowhere =
        |value: &Value| matches!(value, Value::Undefined(place) if *place == SourcePlace::default());
    match found {
        None => Value::Undefined(here()),
        Some(value) if is_nowhere(&value) => Value::Undefined(here()),
        Some(Value::Unknown(unknown)) if is_nowhere(&unknown.seen) => {
            let Unknown { taint, is_answer, ref name, .. } = *unknown;
            Value::Unknown(Rc::new(Unknown {
                seen: Value::Undefined(here()),
                taint,
                name: name.clone(),
                is_answer,
            }))
        }
        Some(value) => value,
    }
}
