//! Searching for the values that make all conditions of a body true.

use super::compare::Truth;
use super::data::Below;
use super::expr::{MOST_COUNTED, OWN_BYTES};
use super::{Flow, Frame, Machine, Many, Run, Stop};
use crate::compile::program::{Expr, Join, NodeId, Op, Pattern, ReferenceStep};
use crate::value::{Hint, Presence, Types, Unknown, Value};

/// Called for each solution.
pub(super) type OnSolution<'a, 'p> = &'a mut dyn FnMut(&mut Machine<'p>, &mut Frame) -> Run<Flow>;

/// Whether there is a solution.
#[derive(Debug)]
pub(super) enum Existence {
    No,
    Certain,
    /// It depends on these unknown values.
    Possible(Unknown),
}

/// The steps of a search, and the conditions after it.
#[derive(Clone, Copy)]
struct Scan<'p> {
    steps: &'p [ReferenceStep],
    out: &'p Pattern,
    join: Option<&'p Join>,
    rest: &'p [Op],
}

impl<'p> Scan<'p> {
    /// The first step, and the search behind it.
    fn first(self) -> Option<(&'p ReferenceStep, Self)> {
        let (first, steps) = self.steps.split_first()?;
        Some((first, Self { steps, ..self }))
    }

    fn has_keys_only(self) -> bool {
        self.steps.iter().all(|step| matches!(step, ReferenceStep::Key(_)))
    }
}

impl<'p> Machine<'p> {
    pub(super) fn body(&mut self, frame: &mut Frame, ops: &'p [Op], found: OnSolution<'_, 'p>) -> Run<Flow> {
        let before = self.assumed.len();
        let flow = self.conditions(frame, ops, found);
        self.assumed.forget(before);
        flow
    }

    fn conditions(&mut self, frame: &mut Frame, ops: &'p [Op], found: OnSolution<'_, 'p>) -> Run<Flow> {
        for (index, op) in ops.iter().enumerate() {
            self.budget.step()?;
            let rest = &ops[index + 1..];
            match op {
                Op::Test(condition, _) => match self.eval(frame, condition)? {
                    None | Some(Value::Bool(false)) => return Ok(Flow::Continue),
                    // All other values are true in a condition: in OPA 1.20 also `null`, 0 and "".
                    Some(Value::Unknown(unknown)) if unknown.may_be_false() => {
                        self.add_doubt(&unknown);
                        self.assumed.holds(&unknown, true);
                    }
                    Some(_) => {}
                },
                Op::Bind(slot, value) => match self.eval(frame, value)? {
                    None => return Ok(Flow::Continue),
                    value => frame[*slot as usize] = value,
                },
                Op::Match(pattern, value) => {
                    let Some(value) = self.eval(frame, value)? else { return Ok(Flow::Continue) };
                    if !self.matches(frame, pattern, &value)? {
                        return Ok(Flow::Continue);
                    }
                }
                Op::Scan { base, steps, out, join, .. } => {
                    let scan = Scan { steps, out, join: join.as_ref(), rest };
                    if let Expr::Data(node) = base {
                        return self.scan_data(frame, *node, scan, found);
                    }
                    let Some(value) = self.eval(frame, base)? else { return Ok(Flow::Continue) };
                    return self.scan(frame, &value, scan, found);
                }
                Op::Walk { value, out } => {
                    let Some(value) = self.eval(frame, value)? else { return Ok(Flow::Continue) };
                    return self.walk(frame, &mut Vec::new(), &value, out, rest, found);
                }
                Op::Not(ops) => match self.isolated(|machine| machine.exists(frame, ops))? {
                    Existence::Certain => return Ok(Flow::Continue),
                    Existence::Possible(unknown) => {
                        self.add_doubt(&unknown);
                        self.assume_not(frame, ops)?;
                    }
                    Existence::No => {}
                },
                Op::Every { domain, key, value, ops } => {
                    let Some(domain) = self.eval(frame, domain)? else { return Ok(Flow::Continue) };
                    match self
                        .isolated(|machine| machine.fails_for_some(frame, &domain, (*key, *value), ops))?
                    {
                        Existence::Certain => return Ok(Flow::Continue),
                        Existence::Possible(unknown) => self.add_doubt(&unknown),
                        Existence::No => {}
                    }
                }
                Op::With { changes, ops } => {
                    let Some(world) = self.changed(frame, changes)? else { return Ok(Flow::Continue) };
                    // The conditions after `with` see the world as it was, so both worlds change places
                    // around them.
                    let mut other = std::mem::replace(&mut self.world, world);
                    let flow = self.body(frame, ops, &mut |machine, frame| {
                        std::mem::swap(&mut machine.world, &mut other);
                        let flow = machine.body(frame, rest, found);
                        std::mem::swap(&mut machine.world, &mut other);
                        flow
                    });
                    self.world = other;
                    return flow;
                }
                Op::Mark(number) => {
                    self.pass(*number);
                    self.look(frame, *number)?;
                }
                Op::Print(parts, place) => {
                    let text = self.print(frame, parts)?;
                    if self.prints.len() < super::MOST_NOTES {
                        self.prints.push((*place, text));
                    }
                }
            }
        }
        found(self, frame)
    }

    /// From here on a body does not hold. That says something only about a body of one condition.
    fn assume_not(&mut self, frame: &mut Frame, ops: &'p [Op]) -> Run<()> {
        let mut conditions = ops.iter().filter(|op| !matches!(op, Op::Mark(_)));
        let (Some(Op::Test(condition, _)), None) = (conditions.next(), conditions.next()) else {
            return Ok(());
        };
        let (value, doubt) =
            self.isolated(|machine| Ok((machine.eval(frame, condition)?, machine.doubt.take())))?;
        // A condition that may be undefined need not be false.
        if let (Some(Value::Unknown(unknown)), None) = (value, doubt) {
            self.assumed.holds(&unknown, false);
        }
        Ok(())
    }

    /// Whether a body has a solution.
    pub(super) fn exists(&mut self, frame: &mut Frame, ops: &'p [Op]) -> Run<Existence> {
        let mut existence = Existence::No;
        let searched = self.body(frame, ops, &mut |machine, _| {
            existence = match (&machine.doubt, &existence) {
                // One solution without doubt is enough; possible ones are all needed, because each adds to
                // the reasons.
                (None, _) => {
                    existence = Existence::Certain;
                    return Ok(Flow::Stop);
                }
                (Some(doubt), Existence::Possible(other)) => Existence::Possible(doubt.union(other)),
                (Some(doubt), _) => Existence::Possible(doubt.clone()),
            };
            Ok(Flow::Continue)
        });
        searched.map_err(|stop| in_doubt(stop, &existence))?;
        Ok(existence)
    }

    /// Whether there is an element for which a body has no solution.
    fn fails_for_some(
        &mut self,
        frame: &mut Frame,
        domain: &Value,
        (key, value): (Option<u32>, u32),
        ops: &'p [Op],
    ) -> Run<Existence> {
        let mut fails = Existence::No;
        let possibly = |fails: &mut Existence, unknown: &Unknown| {
            *fails = match &*fails {
                Existence::Possible(other) => Existence::Possible(other.union(unknown)),
                Existence::No => Existence::Possible(unknown.clone()),
                Existence::Certain => Existence::Certain,
            };
        };
        // OPA 1.20 calls `every x in 3 { … }` undefined, whatever its body.
        if !Types::COLLECTIONS.may_be(domain) {
            return Ok(Existence::Certain);
        }
        if let Value::Unknown(unknown) = domain
            && unknown.may_hold_anything()
        {
            possibly(&mut fails, unknown);
            // The members are unknown, but the body may fail for one.
            let anything = Some(Value::Unknown(unknown.clone()));
            for slot in key.iter().chain([&value]) {
                frame[*slot as usize].clone_from(&anything);
            }
            self.doubt = Some(unknown.clone());
            self.isolated(|machine| machine.exists(frame, ops))?;
            self.doubt = None;
            return Ok(fails);
        }
        let members = super::lookup::members(domain);
        for member in members {
            self.budget.step()?;
            if let Some(key) = key {
                frame[key as usize] = Some(member.key.to_value());
            }
            frame[value as usize] = Some(member.value);
            self.doubt = member.doubt;
            let doubt = self.doubt.clone();
            let holds = self.isolated(|machine| machine.exists(frame, ops));
            match (holds.map_err(|stop| in_doubt(stop, &fails))?, doubt) {
                (Existence::Certain, _) => {}
                (Existence::No, None) => return Ok(Existence::Certain),
                (Existence::No, Some(doubt)) => possibly(&mut fails, &doubt),
                (Existence::Possible(unknown), _) => possibly(&mut fails, &unknown),
            }
        }
        self.doubt = None;
        Ok(fails)
    }

    fn scan(
        &mut self,
        frame: &mut Frame,
        value: &Value,
        scan: Scan<'p>,
        found: OnSolution<'_, 'p>,
    ) -> Run<Flow> {
        let Some((step, following)) = scan.first() else {
            if !self.matches(frame, scan.out, value)? {
                return Ok(Flow::Continue);
            }
            return self.body(frame, scan.rest, found);
        };
        let pattern = match step {
            ReferenceStep::Key(key) => {
                let Some(key) = self.eval(frame, key)? else { return Ok(Flow::Continue) };
                return match self.lookup(value, &key) {
                    Some(value) => self.scan(frame, &value, following, found),
                    None => Ok(Flow::Continue),
                };
            }
            ReferenceStep::Each(pattern) => pattern,
        };
        self.budget.descend()?;
        let wanted = match scan.join {
            Some(join) if following.has_keys_only() => self.joined(frame, value, join)?,
            _ => None,
        };
        let before = self.doubt.clone();
        let many_before = self.many;
        let mut members = super::lookup::members(value);
        let mut positions = wanted.iter().flat_map(|wanted| wanted.iter());
        loop {
            if wanted.is_some() {
                let Some(at) = positions.next() else { break };
                members.skip_to(*at as usize);
            }
            let Some(member) = members.next() else { break };
            self.budget.step()?;
            self.doubt.clone_from(&before);
            self.many = many_before.with(&member);
            if let Some(doubt) = &member.doubt {
                self.add_doubt(doubt);
            }
            let is_match = match pattern {
                Pattern::Any => true,
                pattern => self.matches(frame, pattern, &member.key.to_value())?,
            };
            if is_match && self.scan(frame, &member.value, following, found)? == Flow::Stop {
                self.doubt = before;
                self.many = many_before;
                return Ok(Flow::Stop);
            }
        }
        self.doubt = before;
        self.many = many_before;
        Ok(Flow::Continue)
    }

    /// Like `scan`, from a position of `data` on. Only the rules that the steps lead to are evaluated.
    fn scan_data(
        &mut self,
        frame: &mut Frame,
        node: NodeId,
        scan: Scan<'p>,
        found: OnSolution<'_, 'p>,
    ) -> Run<Flow> {
        let before = self.doubt.clone();
        let flow = match scan.first() {
            Some((step, following)) if self.is_open(node) => match step {
                ReferenceStep::Key(key) => {
                    let Some(key) = self.eval(frame, key)? else { return Ok(Flow::Continue) };
                    match self.under(node, &key)? {
                        None => Flow::Continue,
                        Some(Below::Node(child)) => self.scan_data(frame, child, following, found)?,
                        Some(Below::Value(value)) => self.scan(frame, &value, following, found)?,
                    }
                }
                ReferenceStep::Each(pattern) => {
                    self.budget.descend()?;
                    let mut flow = Flow::Continue;
                    for (name, below) in self.all_under(node) {
                        self.budget.step()?;
                        self.doubt.clone_from(&before);
                        if !self.matches(frame, pattern, &name)? {
                            continue;
                        }
                        flow = match below {
                            Below::Node(child) => self.scan_data(frame, child, following, found)?,
                            Below::Value(value) => self.scan(frame, &value, following, found)?,
                        };
                        if flow == Flow::Stop {
                            break;
                        }
                    }
                    flow
                }
            },
            _ => {
                let Some(value) = self.data(node)? else { return Ok(Flow::Continue) };
                self.scan(frame, &value, scan, found)?
            }
        };
        self.doubt = before;
        Ok(flow)
    }

    /// Everything within a value, each with its path.
    fn walk(
        &mut self,
        frame: &mut Frame,
        path: &mut Vec<Value>,
        value: &Value,
        out: &'p Pattern,
        rest: &'p [Op],
        found: OnSolution<'_, 'p>,
    ) -> Run<Flow> {
        self.budget.step()?;
        self.budget.descend()?;
        let before = self.doubt.clone();
        let needs_path = match out {
            // `walk(x, [_, value])` needs no paths, each of which would take as much memory as the value is deep.
            Pattern::Array(items) => !matches!(items.first(), Some(Pattern::Any)),
            _ => true,
        };
        if needs_path {
            self.budget.take(path.len().saturating_sub(MOST_COUNTED) * OWN_BYTES)?;
        }
        let here = if needs_path { Value::array(path.clone()) } else { Value::Null };
        if self.matches(frame, out, &Value::array([here, value.clone()]))?
            && self.body(frame, rest, found)? == Flow::Stop
        {
            self.doubt = before;
            return Ok(Flow::Stop);
        }
        self.doubt.clone_from(&before);
        if !may_lead_on(out, path) {
            return Ok(Flow::Continue);
        }
        if let Value::Unknown(unknown) = value
            && unknown.may_hold_anything()
        {
            // Anything may be in it, at any path below.
            self.add_doubt(unknown);
            let many_before = std::mem::replace(&mut self.many, Many { values: true, times: true });
            let anything = Value::Unknown(unknown.plain());
            let below = match needs_path {
                true => path_below(path, out, unknown),
                false => anything.clone(),
            };
            let pair = Value::array([below, anything]);
            let flow = match self.matches(frame, out, &pair)? {
                true => self.body(frame, rest, found)?,
                false => Flow::Continue,
            };
            self.doubt = before;
            self.many = many_before;
            return Ok(flow);
        }
        let many_before = self.many;
        for member in super::lookup::members(value) {
            self.doubt.clone_from(&before);
            self.many = many_before.with(&member);
            if let Some(doubt) = &member.doubt {
                self.add_doubt(doubt);
            }
            path.push(member.key.to_value());
            let flow = self.walk(frame, path, &member.value, out, rest, found);
            path.pop();
            if flow? == Flow::Stop {
                self.doubt = before;
                self.many = many_before;
                return Ok(Flow::Stop);
            }
        }
        self.doubt = before;
        self.many = many_before;
        Ok(Flow::Continue)
    }

    /// Whether a value matches a pattern. An uncertain match becomes a doubt.
    pub(super) fn matches(&mut self, frame: &mut Frame, pattern: &'p Pattern, value: &Value) -> Run<bool> {
        match pattern {
            Pattern::Any => Ok(true),
            Pattern::Bind(slot) => {
                frame[*slot as usize] = Some(value.clone());
                Ok(true)
            }
            Pattern::Equal(other) => self.equals(frame, other, value),
            Pattern::Array(patterns) => {
                let anything;
                let items = match value {
                    Value::Array(array) if array.len() == patterns.len() => array.items(),
                    Value::Unknown(unknown) if unknown.may_be_array() => {
                        self.add_doubt(unknown);
                        let items = (0..patterns.len()).map(|at| {
                            let at = Value::int(i64::try_from(at).unwrap_or(i64::MAX));
                            Value::Unknown(super::lookup::member_of(unknown, &at))
                        });
                        anything = items.collect::<Vec<_>>();
                        &anything[..]
                    }
                    _ => return Ok(false),
                };
                for (pattern, item) in patterns.iter().zip(items) {
                    if !self.matches(frame, pattern, item)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Pattern::Object(patterns) => {
                match value {
                    // OPA 1.20 matches whole objects only: `{"a": x}` does not match `{"a": 1, "b": 2}`.
                    Value::Object(object) if object.len() == patterns.len() => {}
                    value @ Value::Unknown(unknown) if Types::OBJECT.may_be(value) => self.add_doubt(unknown),
                    _ => return Ok(false),
                }
                for (key, pattern) in patterns {
                    let Some(key) = self.eval(frame, key)? else { return Ok(false) };
                    let Some(member) = self.lookup(value, &key) else { return Ok(false) };
                    if !self.matches(frame, pattern, &member)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn equals(&mut self, frame: &mut Frame, expr: &'p Expr, value: &Value) -> Run<bool> {
        let Some(other) = self.eval(frame, expr)? else { return Ok(false) };
        Ok(match super::compare::equal(&other, value) {
            super::compare::Truth::True => true,
            super::compare::Truth::False => false,
            super::compare::Truth::Maybe(unknown) => {
                self.add_doubt(&unknown);
                self.assumed.equals(&other, value);
                true
            }
        })
    }
}

/// A search that may have ended before it fails only possibly fails.
fn in_doubt(stop: Stop, existence: &Existence) -> Stop {
    match (stop, existence) {
        (Stop::Failure(mut failure), Existence::Possible(unknown)) => {
            failure.doubt = Some(match failure.doubt.take() {
                None => unknown.clone(),
                Some(doubt) => doubt.union(unknown),
            });
            Stop::Failure(failure)
        }
        (stop, _) => stop,
    }
}

/// The pattern of each key of a path, where that of `walk` has one for each: `walk(x, [["a", k], v])`.
fn keys_of_path(out: &Pattern) -> Option<&[Pattern]> {
    match out {
        Pattern::Array(pair) => match pair.first() {
            Some(Pattern::Array(keys)) => Some(keys),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a path longer than this one may match. The keys before its last have been looked at on the way to it.
fn may_lead_on(out: &Pattern, path: &[Value]) -> bool {
    let whole = match out {
        Pattern::Array(pair) => match pair.first() {
            // A path of constants alone is one constant.
            Some(Pattern::Equal(Expr::Const(Value::Array(keys)))) => {
                return path.len() < keys.len()
                    && path.iter().zip(keys.iter()).all(|(key, wanted)| may_equal(key, wanted));
            }
            _ => keys_of_path(out),
        },
        _ => None,
    };
    let Some(keys) = whole else { return true };
    let last = path.len().checked_sub(1).and_then(|last| keys.get(last).zip(path.get(last)));
    path.len() < keys.len()
        && last.is_none_or(|(pattern, key)| match pattern {
            Pattern::Equal(Expr::Const(wanted)) => may_equal(key, wanted),
            // A variable may get its value from the path itself.
            _ => true,
        })
}

fn may_equal(key: &Value, wanted: &Value) -> bool {
    !matches!(super::compare::equal(key, wanted), Truth::False)
}

/// The path of anything within an unknown value at this path: it begins with these keys, and has one more at least.
fn path_below(path: &[Value], out: &Pattern, unknown: &Unknown) -> Value {
    let anything = || Value::Unknown(unknown.plain());
    let known = path.iter().cloned();
    if let Some(keys) = keys_of_path(out) {
        let more = keys.len().saturating_sub(path.len());
        return Value::array(known.chain((0..more).map(|_| anything())).collect::<Vec<_>>());
    }
    let keys = known.chain([anything()]).map(|key| (key, Presence::Once));
    let keys = keys.chain([(anything(), Presence::AnyTimes)]);
    Value::Unknown(unknown.with_hint(Hint::Array(keys.collect())))
}
