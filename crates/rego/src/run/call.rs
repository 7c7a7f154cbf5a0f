//! Calls of functions.

use std::hash::{Hash, Hasher};

use hashbrown::HashMap;

use super::world::Mock;
use super::{Machine, Outcome, Run};
use crate::compile::program::{FunctionKey, NodeId, RuleKind, SourcePlace};
use crate::value::Value;

/// Results of functions by their arguments. Collections are compared by address: comparing their content
/// would cost more than to call most functions again.
pub(super) type Calls = HashMap<(NodeId, Vec<Argument>), Outcome, foldhash::fast::RandomState>;

/// The maximum number of remembered calls.
const MOST_CALLS: usize = 1 << 16;

#[derive(Debug, Clone)]
pub(super) struct Argument(Value);

impl Argument {
    fn address(&self) -> Option<usize> {
        match &self.0 {
            Value::Array(array) => Some(std::sync::Arc::as_ptr(array).addr()),
            Value::Object(object) => Some(std::sync::Arc::as_ptr(object).addr()),
            Value::Set(set) => Some(std::sync::Arc::as_ptr(set).addr()),
            _ => None,
        }
    }
}

impl PartialEq for Argument {
    fn eq(&self, other: &Self) -> bool {
        match (self.address(), other.address()) {
            (None, None) => self.0 == other.0,
            (one, other) => one == other,
        }
    }
}

impl Eq for Argument {}

impl Hash for Argument {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.address() {
            Some(address) => address.hash(state),
            None => self.0.hash(state),
        }
    }
}

impl Machine<'_> {
    pub(super) fn call(
        &mut self,
        node: NodeId,
        arguments: Vec<Value>,
        place: SourcePlace,
    ) -> Run<Option<Value>> {
        if !self.world.functions.is_empty() {
            match self.world.functions.get(&FunctionKey::Node(node)).cloned() {
                Some(Mock::Value(value)) => return Ok(Some(value)),
                Some(Mock::Function(FunctionKey::Builtin(name))) => {
                    return match crate::builtins::lookup(name) {
                        Some(builtin) => self.call_original(builtin, &arguments, place),
                        None => Ok(None),
                    };
                }
                Some(Mock::Function(FunctionKey::Node(other))) => {
                    return self.call_rule(other, arguments, place);
                }
                None => {}
            }
        }
        self.call_rule(node, arguments, place)
    }

    pub(super) fn call_rule(
        &mut self,
        node: NodeId,
        arguments: Vec<Value>,
        place: SourcePlace,
    ) -> Run<Option<Value>> {
        self.budget.step()?;
        // The key keeps the arguments alive, so no other collection can get their addresses.
        let key = (node, arguments.into_iter().map(Argument).collect::<Vec<_>>());
        let outcome = match self.world.calls.get(&key) {
            Some(known) => known.clone(),
            None => {
                self.budget.descend()?;
                let arguments: Vec<Value> = key.1.iter().map(|argument| argument.0.clone()).collect();
                let (outcome, may_fail) = self.with_may_fail(|machine| {
                    machine.isolated(|machine| machine.called(node, &arguments, place))
                })?;
                let outcome = Outcome { may_fail, ..outcome };
                let outcome = self.with_origin(outcome, node, &arguments);
                if self.world.calls.len() >= MOST_CALLS {
                    self.world.calls.clear();
                }
                self.budget.take((key.1.len() + 1) * super::expr::OWN_BYTES)?;
                self.world.calls.insert(key, outcome.clone());
                outcome
            }
        };
        Ok(self.used(outcome))
    }

    fn called(&mut self, node: NodeId, arguments: &[Value], place: SourcePlace) -> Run<Outcome> {
        let program = self.program;
        let Some(rule) = program.nodes[node as usize].rule else { return Ok(Outcome::default()) };
        let set = &program.rules[rule as usize];
        if set.kind != RuleKind::Function(arguments.len()) {
            // OPA 1.20 refuses such a policy ("arity mismatch"); the compiler here does not compare the parameters.
            return self.failure(place, "a function is replaced by one that takes other arguments");
        }
        let mut chains = Vec::new();
        // Two equal copies could give unknown values that are not known to be equal, as if they contradicted
        // each other.
        for definition in set.definitions.iter().filter(|definition| !definition.is_copy) {
            let mut frame = vec![None; definition.slots as usize];
            self.doubt = None;
            let mut is_match = true;
            for (pattern, argument) in definition.params.iter().zip(arguments) {
                is_match = is_match && self.matches(&mut frame, pattern, argument)?;
            }
            if !is_match {
                continue;
            }
            let doubt = self.doubt.take();
            let mut chain = self.isolated(|machine| {
                machine.doubt.clone_from(&doubt);
                machine.isolated(|machine| machine.chain(definition, &mut frame))
            })?;
            if let Some(doubt) = &doubt {
                chain.only_if(doubt);
            }
            chains.push(chain);
        }
        let default = match &set.default {
            Some(default) => self.default_value(default, arguments)?,
            None => None,
        };
        self.doubt = None;
        self.combined(&chains, default, place)
    }
}
