//! Collections of results, certain and possible ones.

use std::collections::BTreeMap;

use super::compare::{Truth, equal};
use crate::value::{Hint, Presence, Unknown, Value};

/// The results of a definition of a rule: the members of a set or an array, or its value unless that is
/// `false`, `null` or an empty object.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RuleResults {
    /// Results that hold whatever the unknown values will be. Parts of them may be unknown.
    pub certain: Vec<Value>,
    /// Results that may hold, each with the unknown values that it depends on.
    pub possible: Vec<(Value, Unknown)>,
    /// The unknown values that decide whether evaluating the rule fails; if it fails there are no results.
    pub may_fail: Option<Unknown>,
}

/// The members of a set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members {
    pub(crate) certain: Vec<Value>,
    /// Each with the unknown values that it depends on.
    pub(crate) possible: Vec<(Value, Unknown)>,
}

impl Members {
    pub(crate) fn add(&mut self, value: Value, doubt: Option<&Unknown>) {
        match doubt {
            None => self.certain.push(value),
            Some(doubt) => self.possible.push((value, doubt.clone())),
        }
    }

    /// The values as results: the members of collections; `false` and `null` are dropped.
    pub(crate) fn flattened(self) -> RuleResults {
        let mut found = Members::default();
        let certain = self.certain.into_iter().map(|value| (value, None));
        let possible = self.possible.into_iter().map(|(value, doubt)| (value, Some(doubt)));
        for (value, doubt) in certain.chain(possible) {
            match &value {
                // A rule such as `deny := false` reports nothing.
                Value::Null | Value::Bool(false) => {}
                Value::Object(object) if object.is_empty() => {}
                Value::Set(items) => items.iter().for_each(|item| found.add(item.clone(), doubt.as_ref())),
                Value::Array(items) => items.iter().for_each(|item| found.add(item.clone(), doubt.as_ref())),
                Value::Unknown(unknown) => found.add_unknown(unknown, doubt.as_ref()),
                _ => found.add(value, doubt.as_ref()),
            }
        }
        found.tidy();
        RuleResults { certain: found.certain, possible: found.possible, may_fail: None }
    }

    fn add_unknown(&mut self, unknown: &Unknown, doubt: Option<&Unknown>) {
        let whole = doubt.map_or_else(|| unknown.plain(), |doubt| unknown.union(doubt));
        match unknown.hint() {
            Some(Hint::Text(_)) => self.add(Value::Unknown(unknown.clone()), doubt),
            Some(Hint::Set { certain, possible }) => {
                certain.iter().for_each(|item| self.add(item.clone(), doubt));
                possible.iter().for_each(|item| self.add(item.clone(), Some(&whole)));
            }
            Some(Hint::Array(items)) => {
                for (item, times) in items {
                    self.add(item.clone(), if *times == Presence::Once { doubt } else { Some(&whole) });
                }
            }
            _ => self.add(Value::Unknown(unknown.plain()), Some(&whole)),
        }
    }

    /// Sorts the values, and removes repeated ones.
    pub(super) fn tidy(&mut self) {
        self.certain.sort();
        self.certain.dedup();
        let certain = &self.certain;
        // A certain member makes the possible one of this value redundant. An unknown value stays, because it
        // may turn out to be another one.
        self.possible.retain(|(value, _)| value.contains_unknown() || certain.binary_search(value).is_err());
        let mut merged: BTreeMap<Value, Unknown> = BTreeMap::new();
        for (value, doubt) in std::mem::take(&mut self.possible) {
            merged.entry(value).and_modify(|other| *other = other.union(&doubt)).or_insert(doubt);
        }
        self.possible = merged.into_iter().collect();
    }

    pub(super) fn into_set(mut self) -> Value {
        if self.possible.is_empty() {
            return Value::set(self.certain);
        }
        self.tidy();
        let unknown = Unknown::from_ids(
            self.possible.iter().flat_map(|(_, doubt)| doubt.ids()).copied().chain(ids(&self.certain)),
        );
        if self.possible.is_empty() {
            return Value::set(self.certain);
        }
        let possible = self.possible.into_iter().map(|(value, _)| value).collect();
        Value::Unknown(unknown.with_hint(Hint::Set { certain: self.certain, possible }))
    }
}

fn ids(values: &[Value]) -> Vec<u32> {
    values.iter().filter_map(Value::unknowns).flat_map(|unknown| unknown.ids().to_vec()).collect()
}

/// The elements of an array comprehension.
#[derive(Debug, Default)]
pub(super) struct Elements {
    items: Vec<(Value, Presence)>,
    doubt: Option<Unknown>,
}

impl Elements {
    /// With `is_many`, one element represents any number of elements.
    pub(super) fn add(&mut self, value: Value, doubt: Option<&Unknown>, is_many: bool) {
        if let Some(doubt) = doubt {
            self.doubt = Some(match self.doubt.take() {
                None => doubt.clone(),
                Some(other) => other.union(doubt),
            });
        }
        let times = match (doubt, is_many) {
            (None, _) => Presence::Once,
            (Some(_), false) => Presence::AtMostOnce,
            (Some(_), true) => Presence::AnyTimes,
        };
        self.items.push((value, times));
    }

    pub(super) fn into_array(self) -> Value {
        match self.doubt {
            None => Value::array(self.items.into_iter().map(|(item, _)| item).collect::<Vec<_>>()),
            Some(doubt) => Value::Unknown(doubt.with_hint(Hint::Array(self.items))),
        }
    }
}

/// The members of an object, which may be objects and sets within each other.
#[derive(Debug, Default)]
pub(super) struct Entries {
    certain: Vec<Entry>,
    possible: Vec<Entry>,
    doubt: Option<Unknown>,
    /// There may be several values for one key.
    may_conflict: bool,
}

/// The keys on the way to a value, or to a set that contains it.
#[derive(Debug)]
struct Entry {
    keys: Vec<Value>,
    value: Value,
    is_member: bool,
}

#[derive(Debug)]
enum Tree {
    Value(Value),
    Set(Vec<Value>),
    Object(BTreeMap<Value, Tree>),
}

/// Why there is no such object.
#[derive(Debug)]
pub(super) enum Conflict {
    /// Two values for one key.
    Certain,
    /// Perhaps two values for one key.
    Possible(Unknown),
}

impl Entries {
    /// With `is_many`, one entry represents any number of entries.
    pub(super) fn add(
        &mut self,
        keys: Vec<Value>,
        value: Value,
        is_member: bool,
        doubt: Option<&Unknown>,
        is_many: bool,
    ) {
        let unknown_key = keys.iter().find_map(Value::unknowns);
        // One entry for any number of members has one key, but each member may have another value.
        self.may_conflict |= is_many && value.contains_unknown();
        let entry = Entry { keys, value, is_member };
        if doubt.is_none() && unknown_key.is_none() {
            return self.certain.push(entry);
        }
        self.possible.push(entry);
        for doubt in doubt.into_iter().chain(&unknown_key) {
            self.doubt = Some(match self.doubt.take() {
                None => doubt.plain(),
                Some(other) => other.union(doubt),
            });
        }
    }

    /// The object. A possible conflict leaves an unknown object.
    pub(super) fn into_object(self) -> Result<Value, Conflict> {
        let mut tree = BTreeMap::new();
        for entry in self.certain {
            insert(&mut tree, &entry.keys, entry.value, entry.is_member)?;
        }
        let Some(doubt) = self.doubt else { return Ok(value(Tree::Object(tree))) };
        let is_flat = self.possible.iter().all(|entry| entry.keys.len() == 1 && !entry.is_member);
        // The hint of an unknown object has no place for possible members of inner objects.
        if !is_flat || self.may_conflict {
            return Err(Conflict::Possible(doubt));
        }
        let possible: Vec<(Value, Value)> = self
            .possible
            .into_iter()
            .filter_map(|entry| Some((entry.keys.into_iter().next()?, entry.value)))
            .collect();
        let certain: Vec<(Value, Value)> = tree.into_iter().map(|(key, tree)| (key, value(tree))).collect();
        let mut known: BTreeMap<&Value, &Value> = certain.iter().map(|(key, value)| (key, value)).collect();
        for (key, value) in &possible {
            let other = known.insert(key, value);
            // Two values of one key make the rule fail, so only equal ones may stay known.
            let conflicts = other.is_some_and(|other| !matches!(equal(other, value), Truth::True));
            if key.contains_unknown() || conflicts {
                return Err(Conflict::Possible(doubt));
            }
        }
        Ok(Value::Unknown(doubt.with_hint(Hint::Object { certain, possible })))
    }
}

fn insert(
    tree: &mut BTreeMap<Value, Tree>,
    keys: &[Value],
    new: Value,
    is_member: bool,
) -> Result<(), Conflict> {
    let Some((key, rest)) = keys.split_first() else { return Err(Conflict::Certain) };
    let Some(old) = tree.get_mut(key) else {
        let child = match (rest, is_member) {
            ([], false) => Tree::Value(new),
            ([], true) => Tree::Set(vec![new]),
            _ => {
                let mut child = BTreeMap::new();
                insert(&mut child, rest, new, is_member)?;
                Tree::Object(child)
            }
        };
        tree.insert(key.clone(), child);
        return Ok(());
    };
    match (old, rest, is_member) {
        (Tree::Value(old), [], false) => match equal(old, &new) {
            Truth::True => Ok(()),
            Truth::False => Err(Conflict::Certain),
            Truth::Maybe(unknown) => Err(Conflict::Possible(unknown)),
        },
        (Tree::Set(members), [], true) => {
            members.push(new);
            Ok(())
        }
        (Tree::Object(child), [_, ..], _) => insert(child, rest, new, is_member),
        // One definition makes a value here, another one a set or an object. OPA 1.20 accepts that if both are
        // equal.
        (old, _, _) => Err(match old.unknowns().or_else(|| new.unknowns()) {
            Some(unknown) => Conflict::Possible(unknown),
            None => Conflict::Certain,
        }),
    }
}

impl Tree {
    fn unknowns(&self) -> Option<Unknown> {
        match self {
            Self::Value(value) => value.unknowns(),
            Self::Set(members) => members.iter().find_map(Value::unknowns),
            Self::Object(members) => members.values().find_map(Self::unknowns),
        }
    }
}

fn value(tree: Tree) -> Value {
    match tree {
        Tree::Value(value) => value,
        Tree::Set(members) => Value::set(members),
        Tree::Object(members) => {
            Value::object(members.into_iter().map(|(key, tree)| (key, value(tree))).collect::<Vec<_>>())
        }
    }
}
