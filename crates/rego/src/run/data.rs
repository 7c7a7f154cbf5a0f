//! The tree of `data`: rules, packages and documents.

use super::collect::Entries;
use super::world::replaced;
use super::{Machine, Members, Outcome, Run};
use crate::compile::Compiled;
use crate::compile::program::{NodeId, RuleKind};
use crate::value::{Hint, Unknown, Value};

/// A part of `data` below a position.
pub(super) enum Below {
    Node(NodeId),
    Value(Value),
}

impl Machine<'_> {
    /// Everything at a position of `data`.
    pub(super) fn data(&mut self, node: NodeId) -> Run<Option<Value>> {
        if self.world.data.is_empty() {
            return self.made_by_rules(node);
        }
        let path = &self.program.nodes[node as usize].path;
        let replacements: Vec<(Vec<String>, Value)> = self.world.data.clone();
        // The last replacement of all of it hides those before; later ones of parts of it are applied to its
        // value below.
        let replacement = replacements.iter().rposition(|(other, _)| path.starts_with(other));
        let mut value = match replacement {
            Some(at) => inside(&replacements[at].1, &path[replacements[at].0.len()..]),
            None => self.made_by_rules(node)?,
        };
        for (other, new) in &replacements[replacement.map_or(0, |at| at + 1)..] {
            if other.len() > path.len() && other.starts_with(path) {
                value = Some(replaced(value.as_ref(), &other[path.len()..], new.clone()));
            }
        }
        Ok(value)
    }

    /// A document, where no rules are.
    pub(super) fn document(&mut self, path: &[String]) -> Option<Value> {
        let mut value = inside(&self.documents, path);
        for (other, new) in &self.world.data {
            if path.starts_with(other) {
                value = inside(new, &path[other.len()..]);
            } else if other.starts_with(path) {
                value = Some(replaced(value.as_ref(), &other[path.len()..], new.clone()));
            }
        }
        value
    }

    /// Whether a position has others below it that can be looked at one by one: it is no rule, and `with` does not replace
    /// all of it.
    pub(super) fn is_open(&self, node: NodeId) -> bool {
        let here = &self.program.nodes[node as usize];
        let is_replaced = || self.world.data.iter().any(|(path, _)| here.path.starts_with(path));
        here.rule.is_none() && !here.children.is_empty() && !is_replaced()
    }

    /// The part with this key below an open position.
    pub(super) fn under(&mut self, node: NodeId, key: &Value) -> Run<Option<Below>> {
        let here = &self.program.nodes[node as usize];
        // Any of the positions may be meant, so all of them are evaluated.
        if key.contains_unknown() {
            let Some(all) = self.data(node)? else { return Ok(None) };
            return Ok(self.lookup(&all, key).map(Below::Value));
        }
        let Some(name) = key.as_str() else { return Ok(None) };
        if let Some(child) = here.children.get(name) {
            return Ok(Some(Below::Node(*child)));
        }
        let path: Vec<String> = here.path.iter().cloned().chain([name.to_owned()]).collect();
        Ok(self.document(&path).map(Below::Value))
    }

    /// Everything below an open position, by its name.
    pub(super) fn all_under(&mut self, node: NodeId) -> Vec<(Value, Below)> {
        let here = &self.program.nodes[node as usize];
        let mut all: Vec<(Value, Below)> = match self.document(&here.path) {
            Some(Value::Object(document)) => document
                .iter()
                // A package or rule of this name is a position; the document is then found below it.
                .filter(|(key, _)| key.as_str().is_none_or(|name| !here.children.contains_key(name)))
                .map(|(key, value)| (key.clone(), Below::Value(value.clone())))
                .collect(),
            _ => Vec::new(),
        };
        let of_node =
            |name: &String| Some((Value::from(name.as_str()), Below::Node(*here.children.get(name)?)));
        all.extend(here.names.iter().filter_map(of_node));
        // Elements of array comprehensions follow this order, so it must not depend on where a value comes from.
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }

    fn made_by_rules(&mut self, node: NodeId) -> Run<Option<Value>> {
        let program = self.program;
        let here = &program.nodes[node as usize];
        if let Some(above) = here.above {
            return self.shared_object(node, above);
        }
        let own = match here.rule {
            // Functions have no value: OPA leaves them out of `data`.
            Some(rule) if matches!(program.rules[rule as usize].kind, RuleKind::Function(_)) => {
                return Ok(None);
            }
            Some(rule) if here.children.is_empty() => return self.rule_value(rule),
            Some(_) => return self.shared_object(node, node),
            None => inside(&self.documents, &here.path),
        };
        let mut certain = match own {
            Some(Value::Object(object)) => object.entries().to_vec(),
            Some(other) if here.children.is_empty() => return Ok(Some(other)),
            _ => Vec::new(),
        };
        let mut possible = Vec::new();
        let mut unknown: Option<Unknown> = None;
        for name in &here.names {
            let Some(child) = here.children.get(name) else { continue };
            let (value, doubt) = self.isolated(|machine| {
                let value = machine.data(*child)?;
                Ok((value, machine.doubt.take()))
            })?;
            let Some(value) = value else { continue };
            let entry = (Value::from(name.as_str()), value);
            certain.retain(|(key, _)| *key != entry.0);
            match doubt {
                None => certain.push(entry),
                Some(doubt) => {
                    possible.push(entry);
                    unknown = Some(unknown.map_or_else(|| doubt.clone(), |unknown| unknown.union(&doubt)));
                }
            }
        }
        Ok(Some(match unknown {
            None => Value::object(certain),
            Some(unknown) => Value::Unknown(unknown.with_hint(Hint::Object { certain, possible })),
        }))
    }
}

impl<'p> Machine<'p> {
    /// The value of a position in the object that a rule such as `p[x] := y` makes together with rules below it, such as
    /// `p.a := 1`. It is made once.
    fn shared_object(&mut self, asked: NodeId, top: NodeId) -> Run<Option<Value>> {
        let outcome = match self.world.objects.get(&asked).cloned() {
            // A failure that was stored is as doubtful as the branch that asks for it now.
            Some(known) => self.isolated(|_| known)?,
            None => {
                self.budget.descend()?;
                self.isolated(|machine| {
                    let made = machine.with_may_fail(|machine| machine.joined_object(asked, top));
                    let made = made.map(|(outcome, may_fail)| Outcome { may_fail, ..outcome });
                    machine.world.objects.insert(asked, made.clone());
                    made
                })?
            }
        };
        Ok(self.used(outcome))
    }

    fn joined_object(&mut self, asked: NodeId, top: NodeId) -> Run<Outcome> {
        let program: &'p Compiled = self.program;
        let nodes = &program.nodes;
        let path = &nodes[asked as usize].path[nodes[top as usize].path.len()..];
        let definitions = nodes[top as usize].rule.map(|rule| &program.rules[rule as usize].definitions);
        let place = definitions.and_then(|all| all.first()).map_or(super::rules::NOWHERE, |one| one.place);
        let mut entries = Entries::default();
        self.add_below(top, path, &mut Vec::new(), &mut entries)?;
        self.doubt = None;
        let mut value = self.made(entries, place)?;
        for name in path {
            match self.lookup(&value, &Value::from(name.as_str())) {
                Some(member) => value = member,
                None => return Ok(Outcome::new(None, self.doubt.take())),
            }
        }
        Ok(Outcome::new(Some(value), self.doubt.take()))
    }

    /// Adds what the rule of a position makes, and the rules below it, of those only the ones on a path.
    fn add_below(
        &mut self,
        node: NodeId,
        path: &[String],
        keys: &mut Vec<Value>,
        entries: &mut Entries,
    ) -> Run<()> {
        let program: &'p Compiled = self.program;
        let here = &program.nodes[node as usize];
        if let Some(rule) = here.rule {
            let set = &program.rules[rule as usize];
            match set.kind {
                RuleKind::Function(_) => {}
                RuleKind::Object => {
                    for definition in &set.definitions {
                        self.add_entries(definition, keys, entries)?;
                    }
                }
                RuleKind::Set => {
                    for definition in &set.definitions {
                        let mut members = Members::default();
                        self.add_members(definition, &mut members)?;
                        for value in members.certain {
                            entries.add(keys.clone(), value, true, None, false);
                        }
                        for (value, doubt) in members.possible {
                            entries.add(keys.clone(), value, true, Some(&doubt), false);
                        }
                    }
                }
                RuleKind::Complete => {
                    // OPA 1.20 does not look at the default of such a rule.
                    let outcome = self.isolated(|machine| machine.complete(set, None))?;
                    if let Some(value) = outcome.value {
                        entries.add(keys.clone(), value, false, outcome.doubt.as_ref(), false);
                    }
                }
            }
        }
        let names = match path {
            [] => &here.names[..],
            [first, ..] => std::slice::from_ref(first),
        };
        for name in names {
            let Some(child) = here.children.get(name) else { continue };
            keys.push(Value::from(name.as_str()));
            self.add_below(*child, path.get(1..).unwrap_or_default(), keys, entries)?;
            keys.pop();
        }
        Ok(())
    }
}

/// The value at a path in a document.
fn inside(value: &Value, path: &[String]) -> Option<Value> {
    let mut at = value;
    for key in path {
        at = match at {
            Value::Object(object) => object.get_str(key)?,
            Value::Unknown(unknown) => return Some(Value::Unknown(unknown.plain())),
            _ => return None,
        };
    }
    Some(at.clone())
}
