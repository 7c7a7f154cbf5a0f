//! The values of rules.

use std::collections::BTreeSet;

use super::collect::{Conflict, Entries};
use super::compare::{Truth, equal};
use super::limits::Size;
use super::{Flow, Frame, Machine, Members, Outcome, Run, Stop};
use crate::compile::program::{Definition, Expr, NodeId, RuleId, RuleKind, RuleSet, SourcePlace};
use crate::value::{OperationName, Unknown, Value};

impl<'p> Machine<'p> {
    /// The value of a rule, which is evaluated once.
    pub(super) fn rule_value(&mut self, rule: RuleId) -> Run<Option<Value>> {
        let outcome = self.rule(rule)?;
        Ok(self.used(outcome))
    }

    /// The value of a rule or a function where another one uses it.
    pub(super) fn used(&mut self, outcome: Outcome) -> Option<Value> {
        if let Some(doubt) = &outcome.doubt {
            self.add_doubt(doubt);
        }
        if let Some(unknown) = &outcome.may_fail {
            self.add_may_fail(unknown);
        }
        outcome.value
    }

    pub(crate) fn rule(&mut self, rule: RuleId) -> Run<Outcome> {
        // Rules have no side effects, so each is evaluated once for each set of `with` replacements.
        if let Some(known) = self.world.rules.get(&rule) {
            let known = known.clone();
            // A failure that was stored is as doubtful as the branch that asks for it now.
            return self.isolated(|_| known);
        }
        // OPA refuses recursive rules when it compiles, but a long chain of rules still needs stack.
        self.budget.descend()?;
        self.isolated(|machine| {
            let outcome = machine.with_may_fail(|machine| machine.rule_here(rule));
            let node = machine.program.rules[rule as usize].node;
            let outcome = outcome.map(|(outcome, may_fail)| Outcome { may_fail, ..outcome });
            let outcome = outcome.map(|outcome| machine.with_origin(outcome, node, &[]));
            machine.world.rules.insert(rule, outcome.clone());
            outcome
        })
    }

    /// The outcome of a rule or a function has its origin, unless `with` replaces something.
    pub(super) fn with_origin(&self, outcome: Outcome, node: NodeId, arguments: &[Value]) -> Outcome {
        match outcome.value {
            // Within `with` the rule may have another value than outside, and the origin would not tell them
            // apart.
            Some(Value::Unknown(unknown)) if unknown.origin().is_none() && !self.world.is_changed => {
                let value = Value::Unknown(unknown.made_by(OperationName::Rule(node), arguments));
                Outcome { value: Some(value), ..outcome }
            }
            _ => outcome,
        }
    }

    fn rule_here(&mut self, rule: RuleId) -> Run<Outcome> {
        let set = &self.program.rules[rule as usize];
        match set.kind {
            RuleKind::Set => {
                let mut members = Members::default();
                for definition in &set.definitions {
                    self.add_members(definition, &mut members)?;
                }
                Ok(Outcome::new(Some(members.into_set()), None))
            }
            RuleKind::Object => {
                let mut entries = Entries::default();
                for definition in &set.definitions {
                    self.add_entries(definition, &[], &mut entries)?;
                }
                let place = set.definitions.first().map_or(NOWHERE, |one| one.place);
                let value = self.made(entries, place)?;
                Ok(Outcome::new(Some(value), self.doubt.take()))
            }
            RuleKind::Complete => self.complete(set, set.default.as_deref()),
            // Functions are evaluated where they are called.
            RuleKind::Function(_) => Ok(Outcome::default()),
        }
    }

    /// The one value of a rule.
    pub(super) fn complete(&mut self, set: &'p RuleSet, default: Option<&'p Definition>) -> Run<Outcome> {
        let mut chains = Vec::new();
        for definition in set.definitions.iter().filter(|definition| !definition.is_copy) {
            chains.push(self.chain(definition, &mut vec![None; definition.slots as usize])?);
        }
        let default = match default {
            Some(default) => self.default_value(default, &[])?,
            None => None,
        };
        let place = set.definitions.first().map_or(NOWHERE, |one| one.place);
        self.combined(&chains, default, place)
    }

    /// The members of one definition of a rule, and the unknown values that decide whether evaluating the
    /// rule fails.
    pub(crate) fn definition(&mut self, rule: RuleId, index: usize) -> Run<(Members, Option<Unknown>)> {
        let set = &self.program.rules[rule as usize];
        self.with_may_fail(|machine| {
            if set.kind != RuleKind::Set && set.definitions.len() > 1 {
                // Two definitions of one value may contradict each other.
                let outcome = machine.rule(rule)?;
                if let Some(unknown) = &outcome.may_fail {
                    machine.add_may_fail(unknown);
                }
            }
            machine.members_of(rule, index)
        })
    }

    fn members_of(&mut self, rule: RuleId, index: usize) -> Run<Members> {
        let set = &self.program.rules[rule as usize];
        let mut members = Members::default();
        let Some(definition) = set.definitions.get(index).or(set.default.as_deref()) else {
            return Ok(members);
        };
        match set.kind {
            RuleKind::Set => self.isolated(|machine| machine.add_members(definition, &mut members))?,
            _ => {
                let outcome = self.isolated(|machine| match set.kind {
                    RuleKind::Object => {
                        let mut entries = Entries::default();
                        machine.add_entries(definition, &[], &mut entries)?;
                        let value = machine.made(entries, definition.place)?;
                        Ok(Outcome::new(Some(value), machine.doubt.take()))
                    }
                    _ if set.definitions.is_empty() => {
                        Ok(Outcome::new(machine.default_value(definition, &[])?, None))
                    }
                    _ => {
                        let chain = machine.chain(definition, &mut vec![None; definition.slots as usize])?;
                        machine.combined(&[chain], None, definition.place)
                    }
                })?;
                if let Some(value) = outcome.value {
                    members.add(value, outcome.doubt.as_ref());
                }
            }
        }
        members.tidy();
        Ok(members)
    }

    pub(super) fn default_value(
        &mut self,
        default: &'p Definition,
        arguments: &[Value],
    ) -> Run<Option<Value>> {
        let mut frame: Frame = vec![None; default.slots as usize];
        for (pattern, argument) in default.params.iter().zip(arguments) {
            self.matches(&mut frame, pattern, argument)?;
        }
        match default.branches.first() {
            // A default has no body, so its first branch has all of it.
            Some(branch) => self.eval(&mut frame, &branch.value),
            None => Ok(None),
        }
    }

    pub(super) fn add_members(&mut self, definition: &'p Definition, members: &mut Members) -> Run<()> {
        let mut frame: Frame = vec![None; definition.slots as usize];
        let mut size = Size::default();
        for branch in &definition.branches {
            self.doubt = None;
            self.body(&mut frame, &branch.ops, &mut |machine, frame| {
                if let Some(value) = machine.eval(frame, &branch.value)? {
                    machine.budget.add(&mut size, &[&value])?;
                    members.add(value, machine.doubt.as_ref());
                }
                Ok(Flow::Continue)
            })?;
            self.doubt = None;
        }
        Ok(())
    }

    /// The keys of the object that a rule makes, whether or not the conditions hold that follow the keys.
    pub(crate) fn object_keys(&mut self, rule: RuleId) -> Run<BTreeSet<Vec<Value>>> {
        let set = &self.program.rules[rule as usize];
        let mut found = BTreeSet::new();
        if set.kind != RuleKind::Object {
            return Ok(found);
        }
        let mut size = Size::default();
        for definition in &set.definitions {
            let mut frame: Frame = vec![None; definition.slots as usize];
            for branch in &definition.branches {
                let ops = branch.until_keys();
                self.isolated(|machine| {
                    machine.body(&mut frame, ops, &mut |machine, frame| {
                        let mut keys = Vec::with_capacity(branch.keys.len());
                        for key in &branch.keys {
                            let Some(key) = machine.eval(frame, key)? else { return Ok(Flow::Continue) };
                            keys.push(key);
                        }
                        machine.budget.add(&mut size, &keys.iter().collect::<Vec<_>>())?;
                        found.insert(keys);
                        Ok(Flow::Continue)
                    })
                })?;
            }
        }
        Ok(found)
    }

    /// Adds what a definition makes, below the keys that lead to its rule.
    pub(super) fn add_entries(
        &mut self,
        definition: &'p Definition,
        above: &[Value],
        entries: &mut Entries,
    ) -> Run<()> {
        let mut frame: Frame = vec![None; definition.slots as usize];
        let mut size = Size::default();
        for branch in &definition.branches {
            self.doubt = None;
            self.body(&mut frame, &branch.ops, &mut |machine, frame| {
                let mut keys = above.to_vec();
                for key in &branch.keys {
                    let Some(key) = machine.eval(frame, key)? else { return Ok(Flow::Continue) };
                    keys.push(key);
                }
                if let Some(value) = machine.eval(frame, &branch.value)? {
                    let parts: Vec<&Value> = keys.iter().chain([&value]).collect();
                    machine.budget.add(&mut size, &parts)?;
                    entries.add(keys, value, branch.is_member, machine.doubt.as_ref(), machine.many.values);
                }
                Ok(Flow::Continue)
            })?;
            self.doubt = None;
        }
        Ok(())
    }

    /// The object of these entries, or an error about its keys.
    pub(super) fn made(&mut self, entries: Entries, place: SourcePlace) -> Run<Value> {
        match entries.into_object() {
            Ok(value) => Ok(value),
            Err(Conflict::Certain) => self.failure(place, "object keys must be unique"),
            Err(Conflict::Possible(unknown)) => {
                self.add_doubt(&unknown);
                self.add_may_fail(&unknown);
                Ok(Value::Unknown(unknown.plain()))
            }
        }
    }

    /// The values of a definition: those of its first branch that holds.
    pub(super) fn chain(&mut self, definition: &'p Definition, frame: &mut Frame) -> Run<Chain> {
        let mut chain = Chain::default();
        for branch in &definition.branches {
            self.doubt = None;
            let mut is_certain = false;
            let mut possible: Option<Unknown> = None;
            // `allow if …` has one value, so the first solution without doubt ends the search.
            let is_constant = matches!(branch.value, Expr::Const(_));
            let mut first: Option<(Value, bool)> = None;
            let searched = self.body(frame, &branch.ops, &mut |machine, frame| {
                let Some(value) = machine.eval(frame, &branch.value)? else { return Ok(Flow::Continue) };
                let doubt = machine.doubt.clone();
                is_certain |= doubt.is_none();
                possible = either(possible.take(), doubt.as_ref());
                if machine.many.values && value.contains_unknown() {
                    chain.conflict = either(chain.conflict.take(), doubt.as_ref());
                }
                let same = first.as_ref().map(|(other, _)| equal(other, &value));
                match same {
                    None => first = Some((value.clone(), doubt.is_none())),
                    // OPA 1.20 accepts several solutions with one value: `x if some x in [1, 1]`.
                    Some(Truth::True) => {}
                    Some(Truth::False)
                        if doubt.is_none() && first.as_ref().is_some_and(|(_, certain)| *certain) =>
                    {
                        return machine.failure(definition.place, TWO_VALUES);
                    }
                    Some(differ) => {
                        let parts = match differ {
                            Truth::Maybe(unknown) => unknown,
                            _ => Unknown::from_ids([]),
                        };
                        let unknown = either(possible.clone(), Some(&parts));
                        chain.conflict = either(chain.conflict.take(), unknown.as_ref());
                    }
                }
                let ends = is_constant && doubt.is_none();
                chain.add(value, doubt.as_ref());
                Ok(if ends { Flow::Stop } else { Flow::Continue })
            });
            let doubts = either(possible.clone(), chain.before.as_ref());
            // The branch that fails may not be reached at all.
            if let (Err(Stop::Failure(mut failure)), Some(unknown)) = (searched.clone(), &doubts) {
                failure.doubt = either(failure.doubt.take(), Some(unknown));
                return Err(Stop::Failure(failure));
            }
            searched?;
            // An `else` is evaluated only if no earlier branch holds; behind a certain one none ever is.
            if is_certain {
                chain.is_total = true;
                break;
            }
            chain.before = either(chain.before.take(), possible.as_ref());
        }
        self.doubt = None;
        Ok(chain)
    }

    /// Combines the values of the definitions of a rule or function.
    pub(super) fn combined(
        &mut self,
        chains: &[Chain],
        default: Option<Value>,
        place: SourcePlace,
    ) -> Run<Outcome> {
        let mut with_values = chains.iter().filter(|chain| !chain.values.is_empty());
        let Some(first) = with_values.next() else { return Ok(Outcome::new(default, None)) };
        let rest: Vec<&Chain> = with_values.collect();
        let all = || std::iter::once(first).chain(rest.iter().copied());
        let one = &first.values[0];
        let is_total = all().any(|chain| chain.is_total);
        let conflict = all().fold(None, |found, chain| either(found, chain.conflict.as_ref()));
        let is_single = rest.is_empty() && first.values.len() == 1;
        let are_equal = |value: &Value| {
            let mut others = all().flat_map(|chain| &chain.values);
            is_single || others.all(|other| matches!(equal(value, other), Truth::True))
        };
        let default_differs =
            default.as_ref().is_some_and(|default| !matches!(equal(default, one), Truth::True));
        let mut doubt = all().fold(None, |found, chain| either(found, chain.doubt.as_ref()));
        if conflict.is_none() && are_equal(one) {
            return Ok(match (is_total, default, doubt) {
                // All possible values are equal, so only whether there is one may be open.
                (true, ..) | (_, _, None) => Outcome::new(Some(one.clone()), None),
                (false, None, doubt) => Outcome::new(Some(one.clone()), doubt),
                (false, Some(default), _) if !default_differs => Outcome::new(Some(default), None),
                (false, Some(default), Some(doubt)) => {
                    Outcome::new(Some(either_of(one, &default, &doubt)), None)
                }
            });
        }
        // Two definitions with certain and different values contradict each other whatever the unknown values
        // will be.
        let sure = |chain: &&Chain| chain.is_total && chain.conflict.is_none() && chain.values.len() == 1;
        if let Some(certain) = all().find(sure)
            && all()
                .filter(sure)
                .any(|chain| matches!(equal(&chain.values[0], &certain.values[0]), Truth::False))
        {
            return self.failure(place, TWO_VALUES);
        }
        // The branches of one definition exclude each other, but two definitions may hold at once, and then
        // the rule fails.
        let is_exclusive = rest.is_empty() && conflict.is_none();
        for unknown in all().flat_map(|chain| &chain.values).filter_map(Value::unknowns) {
            doubt = either(doubt, Some(&unknown));
        }
        let doubt = either(doubt, conflict.as_ref()).unwrap_or_else(|| Unknown::from_ids([]));
        if !is_exclusive {
            self.add_may_fail(&doubt);
        }
        let is_defined = is_exclusive && (is_total || default.is_some());
        let are_booleans = all().flat_map(|chain| &chain.values).chain(&default);
        let value = match are_booleans.into_iter().all(|value| matches!(value, Value::Bool(_))) {
            true => doubt.with_hint(crate::value::Hint::Bool),
            false => doubt.plain(),
        };
        Ok(Outcome::new(Some(Value::Unknown(value)), (!is_defined).then_some(doubt)))
    }
}

const TWO_VALUES: &str = "complete rules and functions must not produce multiple outputs";

/// The values of one definition.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    /// Values that are not known to be equal.
    values: Vec<Value>,
    /// One of the values is certain to exist, whatever the unknown values will be.
    is_total: bool,
    /// The unknown values that decide which one.
    doubt: Option<Unknown>,
    /// The unknown values that decide whether there are two values at once.
    conflict: Option<Unknown>,
    /// The unknown values that decide whether an earlier branch holds.
    before: Option<Unknown>,
}

impl Chain {
    /// Makes the existence of any value depend on this as well.
    pub(super) fn only_if(&mut self, doubt: &Unknown) {
        self.is_total = false;
        self.doubt = either(self.doubt.take(), Some(doubt));
    }

    fn add(&mut self, value: Value, doubt: Option<&Unknown>) {
        self.doubt = either(either(self.doubt.take(), doubt), self.before.as_ref());
        let is_known = self.values.iter().any(|other| matches!(equal(other, &value), Truth::True));
        if is_known {
            return;
        }
        self.values.push(value);
        if self.values.len() > MOST_VALUES {
            // There are too many to tell them apart.
            let unknown = self
                .values
                .iter()
                .filter_map(Value::unknowns)
                .fold(self.doubt.clone(), |all, unknown| either(all, Some(&unknown)));
            let unknown = unknown.unwrap_or_else(|| Unknown::from_ids([]));
            self.values = vec![Value::Unknown(unknown.plain())];
        }
    }
}

pub(crate) fn either(one: Option<Unknown>, other: Option<&Unknown>) -> Option<Unknown> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.union(other)),
        (one, other) => one.or_else(|| other.map(Unknown::plain)),
    }
}

/// A value that is one of two.
fn either_of(one: &Value, other: &Value, doubt: &Unknown) -> Value {
    let doubt = either(Some(doubt.plain()), one.unknowns().as_ref()).unwrap_or_else(|| doubt.plain());
    Value::Unknown(match (one, other) {
        (Value::Bool(_), Value::Bool(_)) => doubt.with_hint(crate::value::Hint::Bool),
        _ => doubt,
    })
}

pub(super) const NOWHERE: SourcePlace =
    SourcePlace { file: 0, span: crate::syntax::ast::Span { start: 0, end: 0, line: 0, column: 0 } };

/// More possible values of a rule are not told apart.
// Each new value is compared with all others.
const MOST_VALUES: usize = 16;
