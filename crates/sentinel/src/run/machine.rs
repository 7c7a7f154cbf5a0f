//! The machine that runs the compact form. It has a stack of values, and a stack of frames for units, so
//! that calls in a policy do not use the stack of the program.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::Setup;
use super::blame::{Cause, Causes};
use super::call::check_arity;
use super::import::Imported;
use super::pattern::Pattern;
use super::walk::Walk;
use super::witness::Entry;
use crate::compile::{Blame, Unit, UnitKind};
use crate::policy::Policy;
use crate::value::{
    Budget, Closure, Done, Env, Fault, Registry, Rule, RuleState, RunErrorKind, SourcePlace, Taint, Text,
    Value, fault, fault_of,
};

pub(crate) struct Machine<'r> {
    pub(crate) setup: &'r Setup,
    pub(crate) budget: Budget,
    pub(super) files: Vec<File>,
    /// By the names that the host gives them.
    pub(super) imported: HashMap<String, Option<Imported>>,
    /// The globals that were read.
    pub(super) globals: HashMap<Arc<str>, Value>,
    pub(super) stack: Vec<Value>,
    /// The current frame; between units, an empty one.
    pub(super) frame: Frame,
    /// The waiting frames, the most recent one last.
    callers: Vec<Frame>,
    pub(super) walks: Vec<Walk>,
    /// The printed text.
    pub(crate) printed: Vec<u8>,
    /// The rules at the top of the policy whose evaluation has begun, and those being evaluated.
    pub(super) entries: Vec<Entry>,
    pub(super) running: Vec<u32>,
    pub(super) causes: Causes,
    /// The unknown values that decide whether the verdict is an error.
    pub(super) verdict_taint: Taint,
    /// The unknown values that may decide any rule that is not evaluated yet, where no closer bound is
    /// known.
    pub(super) havoc: Taint,
    /// Whether an unknown value without bounds was looked at.
    pub(super) has_any: bool,
    pub(super) counted_taints: usize,
    /// How many rules were searched for unknown values.
    pub(super) looked_into: usize,
    /// How many lists and maps were changed after a point where the run may end.
    pub(super) late_changes: u32,
    /// Whether the run ended with an error that may not occur after apply.
    pub(super) ended_early: bool,
    /// Whether the statements of all files have been run.
    pub(super) is_run: bool,
    /// Whether a list or map may hold a rule or function.
    pub(super) has_nested_code: bool,
    pub(super) harmless: HashMap<(usize, u32, u32), bool>,
    pub(crate) registry: Registry,
    pub(super) patterns: HashMap<Text, Rc<Pattern>>,
    /// How often a function of an import called one of the policy and waits for it.
    waiting: usize,
}

/// A source text of the run: the policy, or a module.
pub(super) struct File {
    pub(super) policy: Arc<Policy>,
    pub(super) env: Rc<Env>,
    pub(super) imports: Vec<Option<Imported>>,
    /// The literals that are shared, once they are made.
    pub(super) shared: Vec<Option<Value>>,
}

pub(super) struct Frame {
    pub(super) unit: Arc<Unit>,
    pub(super) file: u32,
    /// The instruction that comes next.
    pub(super) next: usize,
    pub(super) env: Rc<Env>,
    /// How much of the stack, of the walks and of the causes is of others.
    stack: usize,
    pub(super) walks: usize,
    pub(super) causes: usize,
    /// The causes of running a block, by its number.
    pub(super) guards: Vec<(u32, Rc<[Cause]>)>,
    /// The unknown values that decide which value it returns.
    pub(super) taint: Taint,
    then: Continuation,
}

impl Frame {
    fn new(unit: &Arc<Unit>, file: u32, env: Rc<Env>, then: Continuation) -> Self {
        Self {
            unit: Arc::clone(unit),
            file,
            next: 0,
            env,
            stack: 0,
            walks: 0,
            causes: 0,
            guards: Vec::new(),
            taint: Taint::NONE,
            then,
        }
    }
}

/// The use of the value that a frame returns.
pub(super) enum Continuation {
    /// Push it on the stack, with the causes of a false value if they are kept.
    Push(bool),
    /// Store it as the value of a rule, and replace the rule on the stack; the taint is that of choosing
    /// this rule.
    Memo(Rc<Rule>, usize, Taint),
    /// Finish a module.
    Module(String),
}

/// The maximum depth of functions of imports that call functions of the policy that call functions of
/// imports …
// These calls use the stack of the program, unlike calls within a policy.
const MAX_WAITING: usize = 40;

/// How many used rules are listed for one rule.
// `uses` is searched for each use, and a report shows only a few.
const MAX_USES: usize = 100;

impl<'r> Machine<'r> {
    pub(super) fn new(policy: &Arc<Policy>, setup: &'r Setup) -> Machine<'r> {
        let unit = &policy.compiled.unit;
        let mut machine = Machine {
            setup,
            budget: Budget::interruptible(&setup.limits, setup.interrupt.clone()),
            files: Vec::new(),
            imported: HashMap::new(),
            globals: HashMap::new(),
            stack: Vec::new(),
            frame: Frame::new(unit, 0, Env::new(0, None), Continuation::Push(false)),
            callers: Vec::new(),
            walks: Vec::new(),
            printed: Vec::new(),
            entries: Vec::new(),
            running: Vec::new(),
            causes: Causes::default(),
            verdict_taint: Taint::NONE,
            havoc: Taint::NONE,
            has_any: false,
            counted_taints: 0,
            looked_into: 0,
            late_changes: 0,
            ended_early: false,
            is_run: false,
            has_nested_code: false,
            harmless: HashMap::new(),
            registry: Registry::default(),
            patterns: HashMap::new(),
            waiting: 0,
        };
        machine.add_file(policy);
        machine
    }

    pub(super) fn add_file(&mut self, policy: &Arc<Policy>) -> u32 {
        let env = Env::new(policy.compiled.unit.slots, None);
        self.registry.env(&env);
        let imports = vec![None; policy.compiled.imports.len()];
        let shared = vec![None; policy.compiled.shared.len()];
        self.files.push(File { policy: Arc::clone(policy), env, imports, shared });
        // Fits, because each file was read from a text of its own.
        (self.files.len() - 1) as u32
    }

    /// The policy that is run.
    pub(super) fn main(&self) -> &Policy {
        &self.files[0].policy
    }

    pub(super) fn policy(&self, file: u32) -> &Policy {
        self.files.get(file as usize).map_or(self.main(), |file| &file.policy)
    }

    /// The value of a name at the top of the policy.
    pub(super) fn top(&self, name: &str) -> Option<Value> {
        let file = &self.files[0];
        file.policy.compiled.names.get(name).and_then(|slot| file.env.get(*slot))
    }

    /// The value, evaluated if it is a rule. For use between calls.
    pub(super) fn evaluated(&mut self, value: Value) -> Done<Value> {
        self.stack.push(value);
        self.settle()
    }

    /// The place of the current instruction.
    pub(crate) fn here(&self) -> SourcePlace {
        let frame = &self.frame;
        // `next` already points behind the instruction that is executed.
        let place = frame.next.checked_sub(1).and_then(|at| frame.unit.places.get(at));
        place.map_or_else(SourcePlace::default, |offset| SourcePlace { file: frame.file, offset: *offset })
    }

    pub(super) fn enter(
        &mut self,
        unit: &Arc<Unit>,
        file: u32,
        env: Rc<Env>,
        then: Continuation,
    ) -> Done<()> {
        if self.callers.len() >= self.setup.limits.depth {
            return fault_of(
                RunErrorKind::Limit,
                format!("calls nest deeper than {} levels", self.setup.limits.depth),
            );
        }
        let frame = Frame {
            stack: self.stack.len(),
            walks: self.walks.len(),
            causes: self.causes.len(),
            ..Frame::new(unit, file, env, then)
        };
        self.callers.push(std::mem::replace(&mut self.frame, frame));
        Ok(())
    }

    /// Runs a file that has no frame yet.
    pub(super) fn enter_file(&mut self, file: u32, then: Continuation) -> Done<()> {
        let loaded = &self.files[file as usize];
        let (policy, env) = (Arc::clone(&loaded.policy), Rc::clone(&loaded.env));
        self.enter(&policy.compiled.unit, file, env, then)
    }

    /// How many frames are being run or wait.
    pub(super) fn depth(&self) -> usize {
        self.callers.len()
    }

    /// The instruction before which a frame was entered is to be executed again after that.
    pub(super) fn again(&mut self) {
        if let Some(caller) = self.callers.last_mut() {
            caller.next -= 1;
        }
    }

    /// Runs until `depth` frames are left; the result is on the stack.
    pub(super) fn run(&mut self, depth: usize) -> Done<()> {
        while self.depth() > depth {
            if let Err(fault) = self.step() {
                let taint = self.take_noted();
                self.may_fail(taint);
                // With other values of the unknown ones the run may go on here, and change lists and maps
                // that rules show.
                self.ended_early |= self.verdict_taint.is_some();
                let place = fault.place.or_else(|| Some(self.here()));
                return Err(Box::new(Fault { place, ..*fault }));
            }
        }
        Ok(())
    }

    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_else(Value::undefined)
    }

    /// Makes sure that none of the top `count` values is an unevaluated rule.
    ///
    /// If one is, begins its evaluation and returns false; the instruction is executed again afterwards.
    ///
    /// Unwraps unknown values, and notes their taints.
    #[inline(always)]
    pub(super) fn force(&mut self, count: usize) -> Done<bool> {
        let from = self.stack.len().saturating_sub(count);
        if self.stack[from..].iter().any(|value| matches!(value, Value::Rule(_) | Value::Unknown(_))) {
            self.force_from(from)
        } else {
            Ok(true)
        }
    }

    /// Most values are neither.
    #[cold]
    fn force_from(&mut self, from: usize) -> Done<bool> {
        if !self.force_rules(self.stack.len() - from)? {
            return Ok(false);
        }
        for index in from..self.stack.len() {
            let value = std::mem::replace(&mut self.stack[index], Value::Null);
            self.stack[index] = self.unwrap(value);
        }
        Ok(true)
    }

    /// Evaluates the rules that are in a list or map, however deep, and puts their values in their places.
    pub(super) fn force_within(&mut self, value: &Value) -> Done<()> {
        if !self.has_nested_code {
            return Ok(());
        }
        let mut seen = HashSet::new();
        let mut waiting = vec![value.seen().clone()];
        while let Some(value) = waiting.pop() {
            self.budget.step(1)?;
            match &value {
                Value::List(list) if seen.insert(Rc::as_ptr(&list.0).cast::<()>()) => {
                    for index in 0..list.len() {
                        let Some(item) = list.get(index) else { break };
                        if let Value::Rule(_) = item.seen() {
                            let item = self.evaluated_within(item)?;
                            self.registry.changed(&value, &item);
                            list.set(index, item);
                        }
                        waiting.extend(list.get(index).map(|item| item.seen().clone()));
                    }
                }
                // Nothing is in a map of the host that is not evaluated.
                Value::Map(map) if !map.is_lazy() && seen.insert(Rc::as_ptr(&map.0).cast::<()>()) => {
                    for (key, item) in map.entries() {
                        let item = match item.seen() {
                            Value::Rule(_) => {
                                let item = self.evaluated_within(item)?;
                                self.registry.changed(&value, &item);
                                map.insert(key, item.clone());
                                item
                            }
                            _ => item,
                        };
                        waiting.push(item.seen().clone());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn evaluated_within(&mut self, rule: Value) -> Done<Value> {
        if self.waiting == MAX_WAITING {
            return fault_of(
                RunErrorKind::Limit,
                format!("rules in lists and maps nest deeper than {MAX_WAITING} levels"),
            );
        }
        self.waiting += 1;
        let noted = self.take_noted();
        let value = self.evaluated(rule);
        self.waiting -= 1;
        self.goes_on(value, noted)
    }

    /// Evaluates the rules inside the top values.
    pub(super) fn force_deep(&mut self, count: usize) -> Done<()> {
        if self.has_nested_code {
            for index in self.stack.len().saturating_sub(count)..self.stack.len() {
                let value = self.stack[index].clone();
                self.force_within(&value)?;
            }
        }
        Ok(())
    }

    /// Like [`Machine::force`], but unknown values stay in their wrappers.
    pub(super) fn force_rules(&mut self, count: usize) -> Done<bool> {
        for index in self.stack.len().saturating_sub(count)..self.stack.len() {
            if let Value::Rule(_) = self.stack[index].seen()
                && !self.force_at(index)?
            {
                self.again();
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts the value of the rule at a place on the stack there, if it is known, or begins to evaluate it.
    pub(super) fn force_at(&mut self, index: usize) -> Done<bool> {
        let (rule, taint) = match &self.stack[index] {
            Value::Rule(rule) => (Rc::clone(&rule.0), Taint::NONE),
            Value::Unknown(unknown) => match &unknown.seen {
                Value::Rule(rule) => (Rc::clone(&rule.0), unknown.taint),
                _ => return Ok(true),
            },
            _ => return Ok(true),
        };
        match &*rule.state.borrow() {
            RuleState::Done(value) => {
                self.stack[index] = self.wrap(value.clone(), taint, false);
                if let Some(entry) = rule.entry.get() {
                    self.used(entry);
                }
                return Ok(true);
            }
            RuleState::Running => {
                return fault_of(RunErrorKind::Circle, "the evaluation of this rule needs the rule itself");
            }
            RuleState::New => {}
        }
        // A rule that is reached again before it has a value needs itself, which would never end.
        *rule.state.borrow_mut() = RuleState::Running;
        // Rules of modules, and rules without a name, are not reported.
        if rule.file == 0 && rule.unit.name.is_some() {
            let entry = self.entries.len() as u32;
            self.used(entry);
            rule.entry.set(Some(entry));
            let (unit, needed_by) = (Arc::clone(&rule.unit), self.running.last().copied());
            let (causes, uses, taint, late_changes) = Default::default();
            self.entries.push(Entry { unit, value: None, causes, uses, needed_by, taint, late_changes });
            self.running.push(entry);
        }
        let (unit, file) = (Arc::clone(&rule.unit), rule.file);
        let env = self.new_env(&unit, Rc::clone(&rule.env))?;
        self.enter(&unit, file, env, Continuation::Memo(rule, index, taint))?;
        Ok(false)
    }

    /// The rule that is being evaluated needs another one.
    fn used(&mut self, entry: u32) {
        if let Some(by) = self.running.last()
            && let uses = &mut self.entries[*by as usize].uses
            && uses.last() != Some(&entry)
            && uses.len() < MAX_USES
            && !uses.contains(&entry)
        {
            uses.push(entry);
        }
    }

    pub(super) fn new_env(&mut self, unit: &Unit, outer: Rc<Env>) -> Done<Rc<Env>> {
        let env = Env::new(unit.slots, Some(outer));
        self.budget.step(unit.slots as usize / 4)?;
        // Scopes that no function or rule captures end with their calls.
        if unit.captured {
            self.budget.make(128 + 24 * unit.slots as usize)?;
            self.registry.env(&env);
        }
        Ok(env)
    }

    /// Ends the frame with the value on top.
    pub(super) fn leave(&mut self) -> Done<()> {
        let is_rule = self.frame.unit.kind == UnitKind::Rule;
        if is_rule {
            if !self.force_rules(1)? {
                return Ok(());
            }
            self.force_deep(1)?;
        }
        let value = self.pop();
        // Documented: a rule is a bool, string, number, list, map or undefined; here it may also be null.
        if is_rule && matches!(value.seen(), Value::Function(_) | Value::Object(_)) {
            return fault(format!("a rule cannot be {}", value.type_name()));
        }
        if let (true, Value::Unknown(unknown)) = (is_rule, &value)
            && !unknown.is_answer
        {
            // A rule cannot be a function or an object.
            let taint = unknown.taint;
            self.may_fail(taint);
        }
        let Some(caller) = self.callers.pop() else { return Ok(()) };
        let frame = std::mem::replace(&mut self.frame, caller);
        let mut value = self.wrap(value, frame.taint, false);
        self.stack.truncate(frame.stack);
        self.walks.truncate(frame.walks);
        // The causes of a value that is not to be explained are dropped.
        if !matches!(frame.then, Continuation::Push(true) | Continuation::Memo(..))
            || !Blame::False.is_on(&value)
        {
            self.causes.forget(frame.causes);
        }
        match frame.then {
            Continuation::Push(_) => {
                self.stack.push(value);
                if self.depth() > 0 {
                    self.causes.relabel(frame.causes, self.frame.next.saturating_sub(1) as u32);
                }
            }
            Continuation::Memo(rule, index, taint) => {
                value = self.wrap(value, rule.taint.get(), false);
                if let Some(entry) = rule.entry.get() {
                    self.running.pop();
                    let own = match &value {
                        Value::Unknown(unknown) => self.taint_of(unknown),
                        _ => Taint::NONE,
                    };
                    self.entries[entry as usize].taint = self.join(own, self.havoc);
                    self.entries[entry as usize].late_changes = self.late_changes;
                    self.entries[entry as usize].value = Some(value.clone());
                    self.entries[entry as usize].causes = self.causes.take(frame.causes);
                } else {
                    self.causes.forget(frame.causes);
                }
                self.registry.rule(&rule, &value);
                *rule.state.borrow_mut() = RuleState::Done(value.clone());
                self.stack[index] = self.wrap(value, taint, false);
            }
            Continuation::Module(name) => {
                self.imported.insert(name, Some(Imported::File(frame.file)));
            }
        }
        Ok(())
    }

    /// Calls a function of the policy from one of an import.
    pub(crate) fn call_back(&mut self, function: &Value, arguments: Vec<Value>) -> Done<Value> {
        if self.waiting == MAX_WAITING {
            return fault_of(
                RunErrorKind::Limit,
                format!("functions of imports nest deeper than {MAX_WAITING} levels"),
            );
        }
        self.waiting += 1;
        let noted = self.take_noted();
        let depth = self.depth();
        let count = arguments.len();
        self.stack.push(function.clone());
        self.stack.extend(arguments);
        let called = self.call(count, false).and_then(|_| self.run(depth)).and_then(|()| self.settle());
        self.waiting -= 1;
        let value = self.goes_on(called, noted)?;
        // The result may decide the next calls of the import's function.
        if let Value::Unknown(unknown) = &value {
            let taint = self.taint_of(unknown);
            self.choose_calls(function, taint)?;
        }
        Ok(self.unwrap(value))
    }

    /// Continues an instruction after an evaluation in its middle: values that the instruction looked at
    /// before decided whether this was evaluated.
    fn goes_on(&mut self, evaluated: Done<Value>, noted: Taint) -> Done<Value> {
        match evaluated {
            Ok(_) => self.budget.note_taint(noted),
            Err(_) => self.may_fail(noted),
        }
        evaluated
    }

    /// The value on top, evaluated, where no instruction can be executed again for it.
    pub(super) fn settle(&mut self) -> Done<Value> {
        let depth = self.depth();
        let top = self.stack.len() - 1;
        while let Value::Rule(_) = self.stack[top].seen() {
            if !self.force_at(top)? {
                self.run(depth)?;
            }
        }
        Ok(self.pop())
    }

    pub(super) fn enter_closure(&mut self, closure: &Closure, count: usize, is_explained: bool) -> Done<()> {
        let unit = &closure.unit;
        let params = unit.params as usize;
        check_arity("this function", &(params..=params), count)?;
        let env = self.new_env(unit, Rc::clone(&closure.env))?;
        let from = self.stack.len() - count;
        for (slot, value) in env.slots.borrow_mut().iter_mut().zip(self.stack.drain(from..)) {
            *slot = Some(value);
        }
        self.stack.pop();
        self.enter(unit, closure.file, env, Continuation::Push(is_explained))
    }
}
