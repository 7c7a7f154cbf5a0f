//! The values of expressions.

use super::collect::{Elements, Entries};
use super::compare::{Truth, compare, is_one_of};
use super::data::Below;
use super::limits::Size;
use super::{Flow, Frame, Machine, Members, Run};
use crate::compile::program::{Comprehension, ComprehensionKind, Expr, NodeId, PrintPart};
use crate::error::{Limit, MAX_TEXT};
use crate::value::{Edges, Hint, OperationName, Text, Unknown, Value};

/// A template's text for an undefined value.
// OPA 1.20 writes this word for `{input.z}` in a template string, and for undefined operands of `print`.
const UNDEFINED: &str = "<undefined>";
/// The approximate memory of a value in a collection.
pub(super) const VALUE_BYTES: usize = 48;
/// The memory of a value alone.
pub(super) const OWN_BYTES: usize = size_of::<Value>();
/// Longer paths are charged when they are made, shorter ones when they are kept.
pub(super) const MOST_COUNTED: usize = 64;

/// The memory of keeping a value. An array may have been made for it alone, like the paths of `walk`.
pub(super) fn kept(value: &Value) -> usize {
    match value {
        Value::Array(items) => VALUE_BYTES + items.len().min(MOST_COUNTED) * OWN_BYTES,
        _ => VALUE_BYTES,
    }
}

impl<'p> Machine<'p> {
    /// The value of an expression; `None` if it is undefined. An uncertain value becomes a doubt.
    pub(super) fn eval(&mut self, frame: &mut Frame, expr: &'p Expr) -> Run<Option<Value>> {
        let value = self.evaluated(frame, expr)?;
        Ok(value.map(|value| self.assumed_value(&value).unwrap_or(value)))
    }

    fn evaluated(&mut self, frame: &mut Frame, expr: &'p Expr) -> Run<Option<Value>> {
        match expr {
            Expr::Const(value) => Ok(Some(value.clone())),
            Expr::Local(slot) => Ok(frame[*slot as usize].clone()),
            Expr::Input => Ok(self.world.input.clone()),
            Expr::Data(node) => self.data(*node),
            Expr::Document(path) => Ok(self.document(path)),
            Expr::Get(base, keys, _) => self.get(frame, base, keys),
            Expr::Array(items) => {
                let Some(items) = self.all(frame, items)? else { return Ok(None) };
                self.budget.take(items.len() * OWN_BYTES)?;
                self.budget.fits(Value::array(items)).map(Some)
            }
            Expr::Set(items) => {
                let Some(items) = self.all(frame, items)? else { return Ok(None) };
                self.budget.take(items.len() * OWN_BYTES)?;
                self.budget.fits(Value::set(items)).map(Some)
            }
            Expr::Object(members) => self.object(frame, members),
            Expr::Comprehension(comprehension) => {
                let value = self.isolated(|machine| machine.comprehension(frame, comprehension))?;
                self.budget.fits(value).map(Some)
            }
            Expr::Builtin(builtin, arguments, place) => {
                let Some(arguments) = self.all(frame, arguments)? else { return Ok(None) };
                let before = self.doubt.clone();
                let result = self.call_builtin(builtin, &arguments, *place)?;
                // The call has been made on this branch before, so whether it fails is no further doubt.
                if result.as_ref().is_some_and(|result| self.is_assumed_call(builtin.name, result)) {
                    self.doubt = before;
                }
                Ok(result)
            }
            Expr::Function(node, arguments, place) => {
                let Some(arguments) = self.all(frame, arguments)? else { return Ok(None) };
                self.call(*node, arguments, *place)
            }
            Expr::Compare(comparison, operands) => {
                let Some(left) = self.eval(frame, &operands.0)? else { return Ok(None) };
                let Some(right) = self.eval(frame, &operands.1)? else { return Ok(None) };
                self.budget.compare(&left, &right)?;
                let answer = compare(*comparison, &left, &right).into_value();
                Ok(Some(made_by(answer, OperationName::Builtin(comparison.text()), &[left, right])))
            }
            Expr::Member(operands, key) => {
                let key = match key {
                    None => None,
                    Some(key) => match self.eval(frame, key)? {
                        None => return Ok(None),
                        key => key,
                    },
                };
                let Some(member) = self.eval(frame, &operands.0)? else { return Ok(None) };
                let Some(collection) = self.eval(frame, &operands.1)? else { return Ok(None) };
                // All of the collection may be looked at.
                self.budget.compare(&collection, &collection)?;
                let answer = is_member(key.as_ref(), &member, &collection).into_value();
                let operands: Vec<Value> = key.into_iter().chain([member, collection]).collect();
                Ok(Some(made_by(answer, OperationName::Builtin("in"), &operands)))
            }
            Expr::Template(parts) => self.template(frame, parts).map(Some),
        }
    }

    fn all(&mut self, frame: &mut Frame, exprs: &'p [Expr]) -> Run<Option<Vec<Value>>> {
        let mut values = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let Some(value) = self.eval(frame, expr)? else { return Ok(None) };
            values.push(value);
        }
        Ok(Some(values))
    }

    fn get(&mut self, frame: &mut Frame, base: &'p Expr, keys: &'p [Expr]) -> Run<Option<Value>> {
        let mut keys = keys.iter();
        let first = match base {
            Expr::Data(node) => self.data_along(frame, *node, &mut keys)?,
            base => self.eval(frame, base)?,
        };
        let Some(mut value) = first else { return Ok(None) };
        // Most keys are names in known objects, so only the result is cloned.
        let mut at = &value;
        let mut rest = None;
        for key in keys.by_ref() {
            match (at, key) {
                (Value::Object(object), Expr::Const(Value::String(name))) => match object.get_str(name) {
                    Some(member) => at = member,
                    None if !object.contains_unknown() => return Ok(None),
                    None => {
                        rest = Some(key);
                        break;
                    }
                },
                _ => {
                    rest = Some(key);
                    break;
                }
            }
        }
        value = at.clone();
        for key in rest.into_iter().chain(keys) {
            let Some(key) = self.eval(frame, key)? else { return Ok(None) };
            match self.lookup(&value, &key) {
                Some(member) => value = member,
                None => return Ok(None),
            }
        }
        Ok(Some(value))
    }

    /// The value that keys lead to from a position of `data`, as far as they lead to positions. Nothing beside it is
    /// evaluated.
    fn data_along(
        &mut self,
        frame: &mut Frame,
        mut node: NodeId,
        keys: &mut std::slice::Iter<'p, Expr>,
    ) -> Run<Option<Value>> {
        while self.is_open(node)
            && let Some(key) = keys.next()
        {
            let Some(key) = self.eval(frame, key)? else { return Ok(None) };
            match self.under(node, &key)? {
                None => return Ok(None),
                Some(Below::Node(child)) => node = child,
                // The remaining keys are looked up in this value by the caller.
                Some(Below::Value(value)) => return Ok(Some(value)),
            }
        }
        self.data(node)
    }

    fn object(&mut self, frame: &mut Frame, members: &'p [(Expr, Expr)]) -> Run<Option<Value>> {
        let mut entries = Vec::with_capacity(members.len());
        for (key, value) in members {
            let Some(key) = self.eval(frame, key)? else { return Ok(None) };
            let Some(value) = self.eval(frame, value)? else { return Ok(None) };
            entries.push((key, value));
        }
        self.budget.take(entries.len() * 2 * OWN_BYTES)?;
        let unknown = entries.iter().find_map(|(key, _)| key.unknowns());
        Ok(Some(match unknown {
            None => self.budget.fits(Value::object(entries))?,
            // The key may be that of another member.
            Some(unknown) => {
                Value::Unknown(unknown.with_hint(Hint::Object { certain: Vec::new(), possible: entries }))
            }
        }))
    }

    fn comprehension(&mut self, frame: &mut Frame, comprehension: &'p Comprehension) -> Run<Value> {
        let ops = &comprehension.ops;
        match &comprehension.kind {
            ComprehensionKind::Array(head) => {
                let (mut elements, mut size) = (Elements::default(), Size::default());
                self.body(frame, ops, &mut |machine, frame| {
                    if let Some(value) = machine.eval(frame, head)? {
                        machine.budget.add(&mut size, &[&value])?;
                        elements.add(value, machine.doubt.as_ref(), machine.many.times);
                    }
                    Ok(Flow::Continue)
                })?;
                Ok(elements.into_array())
            }
            ComprehensionKind::Set(head) => {
                let (mut members, mut size) = (Members::default(), Size::default());
                self.body(frame, ops, &mut |machine, frame| {
                    if let Some(value) = machine.eval(frame, head)? {
                        machine.budget.add(&mut size, &[&value])?;
                        members.add(value, machine.doubt.as_ref());
                    }
                    Ok(Flow::Continue)
                })?;
                Ok(members.into_set())
            }
            ComprehensionKind::Object(key, value) => {
                let (mut entries, mut size) = (Entries::default(), Size::default());
                self.body(frame, ops, &mut |machine, frame| {
                    let Some(key) = machine.eval(frame, key)? else { return Ok(Flow::Continue) };
                    let Some(value) = machine.eval(frame, value)? else { return Ok(Flow::Continue) };
                    machine.budget.add(&mut size, &[&key, &value])?;
                    entries.add(vec![key], value, false, machine.doubt.as_ref(), machine.many.values);
                    Ok(Flow::Continue)
                })?;
                self.made(entries, comprehension.place)
            }
        }
    }

    /// The printed text.
    pub(super) fn print(&mut self, frame: &mut Frame, parts: &'p [PrintPart]) -> Run<String> {
        let mut texts = Vec::new();
        for part in parts {
            // A part that is undefined or in doubt must not stop the condition that prints it.
            let text = self.isolated(|machine| machine.part(frame, part))?.0;
            self.budget.take(text.len())?;
            texts.push(text);
        }
        Ok(texts.join(" "))
    }

    fn template(&mut self, frame: &mut Frame, parts: &'p [PrintPart]) -> Run<Value> {
        let mut text = String::new();
        let mut edges = Edges::default();
        let mut unknown: Option<Unknown> = None;
        for part in parts {
            let (piece, more) = self.isolated(|machine| machine.part(frame, part))?;
            self.budget.take(piece.len())?;
            if text.len() + piece.len() > MAX_TEXT {
                return Err(Limit::Size.into());
            }
            text.push_str(&piece);
            match &more {
                None => edges.add(&piece),
                Some(more) => edges.add_unknown(&Value::Unknown(more.clone())),
            }
            unknown = match (unknown, more) {
                (Some(unknown), Some(more)) => Some(unknown.union(&more)),
                (unknown, more) => unknown.or(more),
            };
        }
        let text = Value::from(text);
        Ok(match unknown {
            None => text,
            Some(unknown) => Value::Unknown(unknown.with_hint(Hint::Text(Text::new(text, edges)))),
        })
    }

    /// The text of the first value, and the unknown values that it depends on.
    fn part(&mut self, frame: &mut Frame, part: &'p PrintPart) -> Run<(String, Option<Unknown>)> {
        let (ops, expr) = match part {
            PrintPart::Text(text) => return Ok((text.clone(), None)),
            PrintPart::Value(ops, expr) => (ops, expr),
        };
        let mut found = None;
        self.body(frame, ops, &mut |machine, frame| {
            let value = machine.eval(frame, expr)?;
            let is_found = value.is_some();
            if let Some(value) = value {
                let unknown = match (value.unknowns(), &machine.doubt) {
                    (Some(unknown), Some(doubt)) => Some(unknown.union(doubt)),
                    (unknown, doubt) => unknown.or_else(|| doubt.clone()),
                };
                // A value that may not be there is not shown as if it were.
                let text = match (&machine.doubt, value.contains_unknown()) {
                    (Some(doubt), false) => text_of(&Value::Unknown(doubt.clone())),
                    _ => text_of(&value),
                };
                found = Some((text, unknown));
            }
            Ok(if is_found { Flow::Stop } else { Flow::Continue })
        })?;
        Ok(found.unwrap_or_else(|| (UNDEFINED.to_owned(), None)))
    }
}

/// An answer with its origin, if it is not known yet.
pub(super) fn made_by(answer: Value, name: OperationName, operands: &[Value]) -> Value {
    match answer {
        Value::Unknown(unknown) => Value::Unknown(unknown.made_by(name, operands)),
        answer => answer,
    }
}

/// A value as it is printed: a string without quotes.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Unknown(unknown) => match unknown.hint() {
            Some(Hint::Text(text)) => text_of(&text.shown),
            _ => value.to_string(),
        },
        _ => value.to_string(),
    }
}

/// Whether a value is in a collection, under this key if there is one.
fn is_member(key: Option<&Value>, member: &Value, collection: &Value) -> Truth {
    let Some(key) = key else {
        return match collection {
            Value::Array(array) => is_one_of(member, array.iter()),
            Value::Object(object) => is_one_of(member, object.values()),
            Value::Set(set) if !set.contains_unknown() && !member.contains_unknown() => {
                Truth::from(set.contains(member))
            }
            Value::Set(set) => is_one_of(member, set.iter()),
            Value::Unknown(_) => among_unknown(None, member, collection),
            _ => Truth::False,
        };
    };
    match collection {
        Value::Unknown(_) => among_unknown(Some(key), member, collection),
        _ if !key.contains_unknown() && !collection.contains_unknown() => {
            let found = match collection {
                Value::Array(array) => array.get(key),
                Value::Object(object) => object.get(key),
                Value::Set(set) => set.get(key),
                _ => None,
            };
            found.map_or(Truth::False, |found| super::compare::equal(found, member))
        }
        _ => among_unknown(Some(key), member, collection),
    }
}

fn among_unknown(key: Option<&Value>, member: &Value, collection: &Value) -> Truth {
    let mut may_be = None;
    for other in super::lookup::members(collection) {
        let is_key = key.map_or(Truth::True, |key| super::compare::equal(&other.key.to_value(), key));
        match (is_key, super::compare::equal(&other.value, member), other.doubt) {
            (Truth::False, ..) | (_, Truth::False, _) => {}
            (Truth::True, Truth::True, None) => return Truth::True,
            _ => may_be = Some(super::compare::maybe(collection, member)),
        }
    }
    may_be.unwrap_or(Truth::False)
}
