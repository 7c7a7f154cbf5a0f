//! Functions and rules, and the variables that they see.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Arc;

use super::{Done, Taint, Value};
use crate::compile::Unit;
use crate::run::Machine;

/// The variables of a scope, and the scope around it.
pub(crate) struct Env {
    /// None if a name is not yet declared.
    pub(crate) slots: RefCell<Vec<Option<Value>>>,
    pub(crate) outer: Option<Rc<Env>>,
    /// Variables that depend on unknown values, whatever is assigned to them.
    pub(crate) tainted: RefCell<Vec<(u32, Taint)>>,
}

impl Env {
    pub(crate) fn new(slots: u32, outer: Option<Rc<Env>>) -> Rc<Env> {
        let slots = RefCell::new(vec![None; slots as usize]);
        Rc::new(Env { slots, outer, tainted: RefCell::default() })
    }

    /// The scope `hops` levels further out.
    pub(crate) fn outward(self: &Rc<Env>, hops: u32) -> &Rc<Env> {
        let mut env = self;
        for _ in 0..hops {
            match &env.outer {
                Some(outer) => env = outer,
                None => break,
            }
        }
        env
    }

    pub(crate) fn has(&self, slot: u32) -> bool {
        self.slots.borrow()[slot as usize].is_some()
    }

    pub(crate) fn get(&self, slot: u32) -> Option<Value> {
        self.slots.borrow()[slot as usize].clone()
    }

    pub(crate) fn set(&self, slot: u32, value: Option<Value>) {
        let old = std::mem::replace(&mut self.slots.borrow_mut()[slot as usize], value);
        // Here, where nothing is borrowed: to drop it may be to drop much.
        drop(old);
    }
}

/// A function.
#[derive(Clone)]
pub struct Function(pub(crate) Code);

impl Function {
    /// A function of the host. It gets its arguments with rules evaluated, and returns a value or an error.
    #[must_use]
    pub fn host(
        name: &'static str,
        arity: RangeInclusive<usize>,
        call: impl Fn(&[Value]) -> Result<Value, HostError> + 'static,
    ) -> Function {
        Function(Code::Host(Rc::new(Host { name, arity, call: Box::new(call) })))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("func")
    }
}

#[derive(Clone)]
pub(crate) enum Code {
    Closure(Rc<Closure>),
    Native(&'static Native),
    /// A native one with its first argument.
    Method(&'static Native, Rc<Value>),
    Host(Rc<Host>),
}

/// A function that a host gave.
pub(crate) struct Host {
    pub(crate) name: &'static str,
    pub(crate) arity: RangeInclusive<usize>,
    pub(crate) call: HostCall,
}

type HostCall = Box<dyn Fn(&[Value]) -> Result<Value, HostError>>;

/// Why a function of the host has no result. Its sentence becomes the error of the policy.
///
/// ```
/// use objchange_sentinel::HostError;
///
/// let error = HostError::from("expected an int");
/// assert_eq!((error.kind(), error.to_string().as_str()), ("host", "expected an int"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError(Cow<'static, str>);

impl HostError {
    /// The stable name of the kind of error: there is one.
    pub fn kind(&self) -> &'static str {
        "host"
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HostError {}

impl<T: Into<Cow<'static, str>>> From<T> for HostError {
    fn from(reason: T) -> Self {
        Self(reason.into())
    }
}

pub(crate) struct Closure {
    pub(crate) unit: Arc<Unit>,
    pub(crate) env: Rc<Env>,
    pub(crate) file: u32,
}

/// A function that is part of the language or of a standard import.
#[derive(Debug)]
pub(crate) struct Native {
    pub(crate) name: &'static str,
    pub(crate) arity: RangeInclusive<usize>,
    /// Whether it is undefined for any undefined argument.
    pub(crate) strict: bool,
    pub(crate) call: fn(&mut Machine<'_>, &[Value]) -> Done<Value>,
}

/// A rule.
#[derive(Clone)]
pub struct RuleValue(pub(crate) Rc<Rule>);

impl fmt::Debug for RuleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rule")
    }
}

pub(crate) struct Rule {
    pub(crate) unit: Arc<Unit>,
    pub(crate) env: Rc<Env>,
    pub(crate) file: u32,
    /// Its index among the rules that a run reports.
    pub(crate) entry: Cell<Option<u32>>,
    /// The unknown values that decide when it is evaluated.
    pub(crate) taint: Cell<Taint>,
    pub(crate) state: RefCell<RuleState>,
}

pub(crate) enum RuleState {
    New,
    /// Being evaluated; a rule that needs itself is an error.
    Running,
    Done(Value),
}
