//! Calls.

use std::ops::RangeInclusive;
use std::rc::Rc;

use objchange_text::counted;

use super::Machine;
use crate::value::{Code, Done, Host, Native, RunErrorKind, Taint, Value, fault, fault_of};

impl Machine<'_> {
    /// Calls the value below `count` arguments on the stack. Returns whether the call was made or begun;
    /// false means that a rule must be evaluated first.
    pub(super) fn call(&mut self, count: usize, is_explained: bool) -> Done<bool> {
        let callee = self.stack.len() - 1 - count;
        if !self.force_at(callee)? {
            return Ok(false);
        }
        // Which function it is may be unknown.
        let taint = match &self.stack[callee] {
            Value::Unknown(unknown) => {
                let unknown = Rc::clone(unknown);
                self.taint_of(&unknown)
            }
            _ => Taint::NONE,
        };
        let function = match self.stack[callee].seen() {
            Value::Function(function) => function.0.clone(),
            // To call undefined is undefined, like most operations on it. The arguments have been evaluated.
            Value::Undefined(place) => {
                let place = *place;
                self.stack.truncate(callee);
                self.stack.push(Value::Undefined(place));
                self.choose_function(taint);
                self.budget.note_taint(taint);
                return Ok(true);
            }
            other => return fault(format!("{} cannot be called", other.type_name())),
        };
        let native = match function {
            Code::Closure(closure) => {
                self.enter_closure(&closure, count, is_explained)?;
                self.choose_function(taint);
                self.frame.taint = taint;
                return Ok(true);
            }
            Code::Native(native) => NativeCallee::Native(native, None),
            Code::Method(native, this) => NativeCallee::Native(native, Some(this)),
            Code::Host(host) => NativeCallee::Host(host),
        };
        // Functions that are not of a policy see values only.
        for index in callee + 1..self.stack.len() {
            if !self.force_at(index)? {
                return Ok(false);
            }
        }
        if matches!(&native, NativeCallee::Native(native, _) if LOOKS_WITHIN.contains(&native.name)) {
            self.force_deep(count)?;
        }
        self.choose_function(taint);
        self.budget.note_taint(taint);
        let arguments = self.stack.split_off(callee + 1);
        let result = match native {
            NativeCallee::Native(native, this) => self.call_native(native, this.as_deref(), arguments)?,
            NativeCallee::Host(host) => {
                check_arity(host.name, &host.arity, count)?;
                let arguments: Vec<Value> = arguments.into_iter().map(|value| self.unwrap(value)).collect();
                (host.call)(&arguments)
                    .or_else(|message| fault_of(RunErrorKind::Host, format!("{}: {message}", host.name)))?
            }
        };
        self.stack.truncate(callee);
        self.stack.push(result);
        Ok(true)
    }

    fn call_native(&mut self, native: &Native, this: Option<&Value>, arguments: Vec<Value>) -> Done<Value> {
        check_arity(native.name, &native.arity, arguments.len())?;
        // These two change their first argument.
        let arguments: Vec<Value> = match native.name {
            name @ ("append" | "delete") => self.arguments_of_change(name, arguments),
            _ => arguments.into_iter().map(|value| self.unwrap(value)).collect(),
        };
        // Most functions read their texts whole.
        for argument in this.into_iter().chain(&arguments) {
            // Other functions report their reads themselves.
            if native.strict {
                self.budget.touch(argument);
            }
            if let Value::String(text) = argument {
                self.budget.step(text.as_bytes().len() / 64)?;
            }
        }
        if native.strict
            && let Some(undefined) = arguments.iter().find(|value| value.is_undefined())
        {
            return Ok(undefined.clone());
        }
        let arguments: Vec<Value> = this.cloned().into_iter().chain(arguments).collect();
        (native.call)(self, &arguments)
    }
}

/// Functions that read the elements of their lists and maps; the others pass them on.
// A rule in a list is evaluated only when its value is needed. Functions such as `append` move it on as it
// is.
const LOOKS_WITHIN: [&str; 13] = [
    "difference",
    "error",
    "get",
    "has",
    "intersection",
    "join",
    "marshal",
    "matches",
    "omit",
    "pick",
    "print",
    "sum",
    "union",
];

/// A callee that is not a function of a policy.
enum NativeCallee {
    Native(&'static Native, Option<Rc<Value>>),
    Host(Rc<Host>),
}

pub(super) fn check_arity(name: &str, arity: &RangeInclusive<usize>, count: usize) -> Done<()> {
    if arity.contains(&count) {
        return Ok(());
    }
    let (least, most) = (*arity.start(), *arity.end());
    let expected = match most {
        _ if least == most => counted(least, "argument"),
        usize::MAX => format!("at least {}", counted(least, "argument")),
        _ => format!("{least} to {most} arguments"),
    };
    fault_of(RunErrorKind::Arguments, format!("{name} takes {expected}, not {count}"))
}
