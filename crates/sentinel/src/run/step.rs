//! One instruction.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::Machine;
use crate::compile::{Op, Slot};
use crate::syntax::ast::{BinaryOp, Test};
use crate::value::{
    CODE_BYTES, Closure, Code, Done, Env, Function, Key, List, Map, Rule, RuleState, RuleValue, RunErrorKind,
    Text, Value, equal, fault, fault_of,
};

impl Machine<'_> {
    pub(super) fn step(&mut self) -> Done<()> {
        self.budget.step(1)?;
        let frame = &mut self.frame;
        let op = frame.unit.ops[frame.next];
        frame.next += 1;
        self.execute(op)?;
        if self.budget.has_noted { self.wrap_result(op) } else { Ok(()) }
    }

    fn execute(&mut self, op: Op) -> Done<()> {
        match op {
            Op::Undefined => self.stack.push(Value::Undefined(self.here())),
            Op::Null => self.stack.push(Value::Null),
            Op::Bool(bool) => self.stack.push(Value::Bool(bool)),
            Op::Int(int) => self.stack.push(Value::Int(int)),
            Op::Float(float) => self.stack.push(Value::Float(float)),
            Op::Text(text) => {
                let text = self.text(text);
                self.stack.push(Value::String(text));
            }
            Op::Constant(index) => {
                let (constant, size) = &self.frame.unit.constants[index as usize];
                self.budget.make(*size)?;
                self.stack.push(constant.value());
            }
            Op::Shared(index) => self.shared(index as usize)?,
            Op::IsText(text, negated) => return self.forced(1, |machine| machine.is_text(text, negated)),
            Op::LoadMember(access, name) => return self.load_member(access, name),
            Op::Load(access) => {
                // The innermost scope that may declare the name does mostly.
                let frame = &mut self.frame;
                if let [slot, ..] = &frame.unit.accesses[access as usize].candidates[..]
                    && let Some(value) = frame.env.outward(slot.hops).get(slot.slot)
                {
                    self.stack.push(value);
                    return Ok(());
                }
                let value = self.load(access)?;
                self.stack.push(value);
            }
            Op::Store(access) => {
                let value = self.pop();
                self.store(access, value);
            }
            Op::Augment(access, op) => return self.augment(access, op),
            Op::CopyTwo => self.stack.extend_from_within(self.stack.len() - 2..),
            Op::Index => return self.forced(2, Self::index),
            Op::StoreIndex => {
                if self.force_rules(2)? {
                    return self.store_index();
                }
            }
            Op::AugmentIndex(op) => {
                if self.force_rules(4)? {
                    return self.augment_index(op);
                }
            }
            Op::Member(text) => return self.forced(1, |machine| machine.member(text)),
            Op::ImportMember(import, text) => return self.import_member(import, text),
            Op::Slice { low, high } => {
                let count = 1 + usize::from(low) + usize::from(high);
                return self.forced(count, |machine| machine.slice(low, high));
            }
            Op::Call(count, is_explained) => {
                if !self.call(count as usize, is_explained)? {
                    // A rule has a frame now; the call is repeated after it.
                    self.again();
                }
            }
            Op::List(count) => {
                self.budget.make_list(count as usize)?;
                let items = self.stack.split_off(self.stack.len() - count as usize);
                self.note_code(&items);
                self.stack.push(Value::List(List::from(items)));
            }
            Op::Map(count) => return self.make_map(count as usize),
            Op::Closure(unit) => {
                self.budget.make(CODE_BYTES)?;
                let frame = &mut self.frame;
                let closure = Closure {
                    unit: frame.unit.units[unit as usize].clone(),
                    env: Rc::clone(&frame.env),
                    file: frame.file,
                };
                self.stack.push(Value::Function(Function(Code::Closure(Rc::new(closure)))));
            }
            Op::Rule(unit) => {
                self.budget.make(CODE_BYTES)?;
                let frame = &mut self.frame;
                let rule = Rule {
                    unit: frame.unit.units[unit as usize].clone(),
                    env: Rc::clone(&frame.env),
                    file: frame.file,
                    entry: Cell::new(None),
                    taint: Cell::default(),
                    state: RefCell::new(RuleState::New),
                };
                self.stack.push(Value::Rule(RuleValue(Rc::new(rule))));
            }
            Op::Unary(op) => {
                return self.forced(1, |machine| {
                    let value = machine.pop();
                    machine.stack.push(super::operate::unary(op, value)?);
                    Ok(())
                });
            }
            Op::Binary(op) => {
                if let [.., left, Value::Int(right)] = &mut self.stack[..]
                    && let Value::Int(int) = left
                    && let Some(answer) = super::operate::compared(op, *int, *right)
                {
                    *left = Value::Bool(answer);
                    self.stack.pop();
                    return Ok(());
                }
                return self.forced(2, |machine| {
                    machine.force_deep(2)?;
                    let (right, left) = (machine.pop(), machine.pop());
                    let result = machine.binary(op, &left, &right)?;
                    machine.stack.push(result);
                    Ok(())
                });
            }
            Op::InKeys(negated) => return self.forced(2, |machine| machine.in_keys(negated)),
            Op::Test(test, negated) => return self.forced(1, |machine| machine.test(test, negated)),
            Op::And(to) => {
                return self.forced(1, |machine| {
                    let settles = machine.logical()? != Some(true);
                    machine.choose_right(to, settles, true)
                });
            }
            Op::Or(to) => {
                return self.forced(1, |machine| {
                    let settles = machine.logical()? == Some(true);
                    machine.choose_right(to, settles, true)
                });
            }
            Op::AndEnd => {
                return self.forced(1, |machine| {
                    machine.logical()?;
                    let (right, left) = (machine.pop(), machine.pop());
                    machine.unwrap(left);
                    machine.stack.push(right);
                    Ok(())
                });
            }
            Op::OrEnd => {
                return self.forced(1, |machine| {
                    let result = machine.logical()?;
                    let (right, left) = (machine.pop(), machine.pop());
                    let is_certain = result == Some(true) && !machine.budget.has_noted;
                    // If the right side is true, the result does not depend on the left.
                    let left = if is_certain { left.seen().clone() } else { machine.unwrap(left) };
                    let is_left = result != Some(true) && left.is_undefined();
                    machine.stack.push(if is_left { left } else { right });
                    Ok(())
                });
            }
            Op::Else(to) => {
                return self.forced(1, |machine| {
                    let settles = !matches!(machine.stack.last(), Some(Value::Undefined(_)));
                    machine.choose_right(to, settles, false)
                });
            }
            Op::ElseEnd => {
                let (right, left) = (self.pop(), self.pop());
                let right = self.both(&left, right);
                self.stack.push(right);
            }
            Op::Jump(to) => self.jump(to),
            Op::Unless(to) => {
                return self.forced(1, |machine| {
                    // Documented: an undefined condition skips the block. The documentation does not say
                    // whether `else` runs; here it does.
                    let is_true = machine.condition()? == Some(true);
                    machine.choose_block()?;
                    if !is_true {
                        machine.jump(to);
                    }
                    Ok(())
                });
            }
            Op::When(to) => {
                if !self.force_rules(2)? {
                    return Ok(());
                }
                self.force_deep(2)?;
                let value = self.pop();
                let subject = self.stack.last().cloned().unwrap_or_else(Value::undefined);
                // An undefined comparison is not equal, so the next value is tried.
                let is_equal = equal(&subject, &value, &mut self.budget)? == Ok(true);
                self.has_any = false;
                self.choose_block()?;
                if is_equal {
                    self.pop();
                    self.jump(to);
                }
            }
            // Documented: with a false predicate the rule is true, and its body is not evaluated. The
            // documentation is silent about an undefined one, which makes the rule undefined here.
            Op::Predicate => {
                return self.forced(1, |machine| {
                    let predicate = machine.stack.last().cloned();
                    machine.choose_rule()?;
                    match machine.condition()? {
                        Some(true) => {
                            let mark = machine.frame.causes;
                            machine.causes.forget(mark);
                            Ok(())
                        }
                        Some(false) => {
                            machine.stack.push(Value::Bool(true));
                            machine.leave()
                        }
                        None => {
                            machine.stack.extend(predicate);
                            machine.leave()
                        }
                    }
                });
            }
            Op::Begin(index) => return self.forced(1, |machine| machine.begin(index)),
            Op::Next(index) => return self.next_element(index),
            Op::Collect(index) => return self.forced(1, |machine| machine.collect(index)),
            Op::Break(index) => self.end_walk(index),
            Op::Pop => drop(self.pop()),
            Op::Return => return self.leave(),
            Op::Hold | Op::HeldBy(_) | Op::Settle(..) | Op::Guard(..) | Op::Recall { .. } | Op::Falsify => {
                return self.explain_step(op);
            }
            Op::Import(index) => return self.import(index),
            Op::Param { name, default, to } => return self.param(name, default, to),
            Op::Fail(text) => {
                let text = self.text(text);
                return fault(text.as_str().unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Runs `act` once the top values contain no unevaluated rule.
    fn forced(&mut self, count: usize, act: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        if self.force(count)? { act(self) } else { Ok(()) }
    }

    pub(super) fn jump(&mut self, to: u32) {
        self.frame.next = to as usize;
    }

    pub(super) fn text(&mut self, text: u32) -> Text {
        self.frame.unit.texts[text as usize].clone()
    }

    fn shared(&mut self, index: usize) -> Done<()> {
        let file = &mut self.files[self.frame.file as usize];
        let value = match &file.shared[index] {
            Some(value) => value.clone(),
            None => {
                let constant = &file.policy.compiled.shared[index];
                self.budget.make(constant.size())?;
                file.shared[index].insert(constant.value()).clone()
            }
        };
        self.stack.push(value);
        Ok(())
    }

    /// The truth of the value on top, which stays there; none if it is undefined.
    fn logical(&mut self) -> Done<Option<bool>> {
        match self.stack.last() {
            Some(Value::Bool(bool)) => Ok(Some(*bool)),
            Some(Value::Undefined(_)) | None => Ok(None),
            Some(other) => fault(format!("expected a bool, found {}", other.type_name())),
        }
    }

    /// The truth of the value on top.
    fn condition(&mut self) -> Done<Option<bool>> {
        let result = self.logical();
        self.pop();
        result
    }

    fn test(&mut self, test: Test, negated: bool) -> Done<()> {
        let value = self.pop();
        if test == Test::Empty {
            self.budget.touch(&value);
        }
        let result = match (test, &value) {
            (Test::Defined, value) => Value::Bool(value.is_undefined() == negated),
            (Test::Empty, Value::String(text)) => Value::Bool(text.0.is_empty() != negated),
            (Test::Empty, Value::List(list)) => Value::Bool(list.is_empty() != negated),
            (Test::Empty, Value::Map(map)) => Value::Bool(map.is_empty() != negated),
            (Test::Empty, Value::Undefined(_)) => value,
            // Not documented. Null is not a collection, so it is neither empty nor not empty.
            (Test::Empty, Value::Null) => Value::Undefined(self.here()),
            (Test::Empty, other) => return fault(format!("{} is neither empty nor not", other.type_name())),
        };
        self.stack.push(result);
        Ok(())
    }

    /// The target of an assignment: the scope that declares the name, or else the innermost one that may
    /// declare it.
    pub(super) fn target(&mut self, access: u32) -> Option<(Rc<Env>, u32)> {
        let setup = self.setup;
        let frame = &mut self.frame;
        let access = &frame.unit.accesses[access as usize];
        let candidates = &access.candidates;
        let is_declared = |slot: &&Slot| frame.env.outward(slot.hops).has(slot.slot);
        let slot = candidates.iter().find(is_declared).or_else(|| {
            // A global of the host is hidden by a variable of the file.
            let is_global = setup.globals.contains_key(&*access.name);
            if is_global { candidates.last() } else { candidates.first() }
        })?;
        Some((Rc::clone(frame.env.outward(slot.hops)), slot.slot))
    }

    pub(super) fn load(&mut self, index: u32) -> Done<Value> {
        let frame = &self.frame;
        let access = &frame.unit.accesses[index as usize];
        for slot in &access.candidates {
            if let Some(value) = frame.env.outward(slot.hops).get(slot.slot) {
                return Ok(value);
            }
        }
        if let Some(native) = access.builtin {
            return Ok(Value::Function(Function(Code::Native(native))));
        }
        if let Some(value) = self.globals.get(&access.name) {
            return Ok(value.clone());
        }
        let Some(json) = self.setup.globals.get(&*access.name) else {
            // Only when it is reached: the name may be in code that no run executes.
            return fault_of(RunErrorKind::Name, format!("unknown identifier {}", access.name));
        };
        let value = Value::from_json(json);
        self.globals.insert(Arc::clone(&access.name), value.clone());
        Ok(value)
    }

    fn store(&mut self, access: u32, value: Value) {
        if let Some((env, slot)) = self.target(access) {
            let value = self.wrap_for(&env, slot, value);
            let mark = self.causes_mark();
            self.causes.store(&env, slot, mark);
            env.set(slot, Some(value));
        }
    }

    /// `x += y`: a list with a single owner is extended in place, so that building one is linear.
    fn augment(&mut self, access: u32, op: BinaryOp) -> Done<()> {
        self.forced(2, |machine| {
            let (right, left) = (machine.pop(), machine.pop());
            let Some((env, slot)) = machine.target(access) else {
                return fault("nothing can be assigned to this name");
            };
            machine.budget.touch(&left);
            machine.budget.touch(&right);
            if let (BinaryOp::Add, Value::List(list), Value::List(more)) = (op, &left, &right)
                && !machine.budget.has_noted
                && let Some(Value::List(held)) = env.get(slot)
                && Rc::ptr_eq(&held.0, &list.0)
                && !Rc::ptr_eq(&more.0, &list.0)
                // In the slot, here twice.
                && Rc::strong_count(&list.0) == 3
            {
                let items = more.items();
                machine.budget.fits(list.len() + items.len())?;
                machine.budget.make_list(items.len())?;
                for item in items.iter() {
                    machine.registry.changed(&left, item);
                }
                Rc::make_mut(&mut list.0.items.borrow_mut()).extend_from_slice(&items);
                return Ok(());
            }
            let result = machine.binary(op, &left, &right)?;
            let taint = machine.take_noted();
            if std::mem::take(&mut machine.has_any) {
                machine.may_fail(taint);
            }
            let result = machine.wrap(result, taint, false);
            let result = machine.wrap_for(&env, slot, result);
            env.set(slot, Some(result));
            Ok(())
        })
    }

    fn make_map(&mut self, count: usize) -> Done<()> {
        self.budget.make_map(count)?;
        let values = self.stack.split_off(self.stack.len() - 2 * count);
        self.note_code(&values);
        let mut values = values.into_iter();
        let mut entries = BTreeMap::new();
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            let key = self.unwrap(key);
            let Some(key) = Key::from_value(&key) else {
                return fault(format!("{} cannot be a key of a map", key.type_name()));
            };
            entries.insert(key, value);
        }
        self.stack.push(Value::Map(entries.into_iter().collect::<Map>()));
        Ok(())
    }

    fn param(&mut self, name: u32, has_default: bool, to: u32) -> Done<()> {
        let name = self.text(name);
        let name = name.as_str().unwrap_or_default();
        if self.frame.file != 0 {
            return fault_of(RunErrorKind::Parameter, format!("a module has no parameters: {name}"));
        }
        // A given value comes before the default, which is not evaluated then.
        if let Some(json) = self.setup.params.get(name) {
            self.stack.push(Value::from_json(json));
            self.jump(to);
        } else if !has_default {
            return fault_of(RunErrorKind::Parameter, format!("the parameter {name} has no value"));
        }
        Ok(())
    }
}
