//! Members of values with unknown parts.

use super::Machine;
use super::compare::{Truth, is_one_of};
use crate::value::{Hint, OperationName, Presence, Types, Unknown, Value};

/// The key of a member; that of an array is made on demand.
pub(super) enum Key {
    Index(usize),
    Value(Value),
}

impl Key {
    pub(super) fn contains_unknown(&self) -> bool {
        matches!(self, Self::Value(value) if value.contains_unknown())
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Index(index) => Value::int(i64::try_from(*index).unwrap_or(i64::MAX)),
            Self::Value(value) => value.clone(),
        }
    }
}

/// A member of a collection.
pub(super) struct Member {
    pub(super) key: Key,
    pub(super) value: Value,
    /// The unknown values that decide whether it exists.
    pub(super) doubt: Option<Unknown>,
    /// It represents any number of members.
    pub(super) is_many: bool,
}

impl Member {
    fn certain(key: Key, value: Value) -> Self {
        Self { key, value, doubt: None, is_many: false }
    }
}

/// The members of a collection.
pub(super) struct Members<'a> {
    value: &'a Value,
    at: usize,
    /// An element of an array that may be missing came before: indexes are not known from there on.
    is_after_possible: bool,
}

/// Everything that is in a value, each with its key.
pub(super) fn members(value: &Value) -> Members<'_> {
    Members { value, at: 0, is_after_possible: false }
}

impl Members<'_> {
    /// Moves on to a position.
    pub(super) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }
}

impl Iterator for Members<'_> {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        let at = self.at;
        self.at += 1;
        match self.value {
            Value::Array(array) => Some(Member::certain(Key::Index(at), array.items().get(at)?.clone())),
            Value::Object(object) => {
                let (key, value) = object.entries().get(at)?;
                Some(Member::certain(Key::Value(key.clone()), value.clone()))
            }
            Value::Set(set) => {
                let item = set.items().get(at)?;
                Some(Member::certain(Key::Value(item.clone()), item.clone()))
            }
            Value::Unknown(unknown) => of_unknown(unknown, at, &mut self.is_after_possible),
            _ => None,
        }
    }
}

fn of_unknown(unknown: &Unknown, at: usize, is_after_possible: &mut bool) -> Option<Member> {
    let plain = || Value::Unknown(unknown.plain());
    let in_doubt = || Some(unknown.plain());
    match unknown.hint() {
        // One member represents all that may be in it; `is_many` of the machine says so to its user.
        None | Some(Hint::Marker | Hint::Types(_))
            if at == 0 && Types::COLLECTIONS.may_be(&Value::Unknown(unknown.clone())) =>
        {
            Some(Member { key: Key::Value(plain()), value: plain(), doubt: in_doubt(), is_many: true })
        }
        None | Some(Hint::Marker | Hint::Types(_) | Hint::Bool | Hint::Text(_) | Hint::Count { .. }) => None,
        Some(Hint::Set { certain, possible }) => {
            let doubt = (at >= certain.len()).then(|| unknown.plain());
            let item = certain.get(at).or_else(|| possible.get(at.checked_sub(certain.len())?))?;
            // Members that look alike are kept once, and may turn out to be several unless they have one origin.
            let is_many = doubt.is_some() && !item.has_origin();
            Some(Member { key: Key::Value(item.clone()), value: item.clone(), doubt, is_many })
        }
        Some(Hint::Array(items)) => {
            let (item, times) = items.get(at)?;
            // If an earlier element is missing, this one has a smaller index.
            *is_after_possible |= *times != Presence::Once;
            let key = if *is_after_possible { Key::Value(plain()) } else { Key::Index(at) };
            let doubt = (*times != Presence::Once).then(|| unknown.plain());
            Some(Member { key, value: item.clone(), doubt, is_many: *times == Presence::AnyTimes })
        }
        Some(Hint::Object { certain, possible }) => {
            let doubt = (at >= certain.len()).then(|| unknown.plain());
            let (key, value) = certain.get(at).or_else(|| possible.get(at.checked_sub(certain.len())?))?;
            // A host may list one member for all instances that there may be of something.
            let is_many = doubt.is_some();
            Some(Member { key: Key::Value(key.clone()), value: value.clone(), doubt, is_many })
        }
    }
}

const MEMBER: OperationName = OperationName::Builtin("[]");

/// The value that an unknown one has under a key, if there is one.
pub(super) fn member_of(unknown: &Unknown, key: &Value) -> Unknown {
    unknown.plain().made_by(MEMBER, &[Value::Unknown(unknown.clone()), key.clone()])
}

impl Machine<'_> {
    /// The member of this key. That there is one may be in doubt from here on.
    pub(super) fn lookup(&mut self, value: &Value, key: &Value) -> Option<Value> {
        match value {
            Value::Object(object) if !key.contains_unknown() => match object.get(key) {
                Some(member) => Some(member.clone()),
                None => self.under_unknown_key(object.contains_unknown(), object.keys(), key),
            },
            Value::Object(object) => self.by_unknown_key(value, key, object.is_empty()),
            // The number of elements is certain here, even if elements are unknown.
            Value::Array(array) if !key.contains_unknown() => array.get(key).cloned(),
            Value::Array(array) => self.by_unknown_key(value, key, array.is_empty()),
            Value::Set(set) if !key.contains_unknown() && !set.contains_unknown() => set.get(key).cloned(),
            Value::Set(set) => self.in_doubt(is_one_of(key, set.iter()), key),
            Value::Unknown(unknown) => self.lookup_unknown(unknown, key),
            _ => None,
        }
    }

    /// A key that is not there may be one that is not known yet.
    fn under_unknown_key<'a>(
        &mut self,
        contains_unknown: bool,
        keys: impl Iterator<Item = &'a Value>,
        key: &Value,
    ) -> Option<Value> {
        if !contains_unknown {
            return None;
        }
        let unknown_keys = keys.filter(|key| key.contains_unknown());
        match is_one_of(key, unknown_keys) {
            Truth::Maybe(unknown) => {
                self.add_doubt(&unknown);
                Some(Value::Unknown(unknown))
            }
            _ => None,
        }
    }

    fn by_unknown_key(&mut self, value: &Value, key: &Value, is_empty: bool) -> Option<Value> {
        if is_empty {
            return None;
        }
        let unknown = key.unknowns().unwrap_or_else(|| Unknown::from_ids([]));
        let unknown = match value.unknowns() {
            Some(other) => unknown.union(&other),
            None => unknown.plain(),
        };
        self.add_doubt(&unknown);
        Some(Value::Unknown(unknown.made_by(MEMBER, &[value.clone(), key.clone()])))
    }

    fn in_doubt(&mut self, truth: Truth, found: &Value) -> Option<Value> {
        match truth {
            Truth::True => Some(found.clone()),
            Truth::False => None,
            Truth::Maybe(unknown) => {
                self.add_doubt(&unknown);
                Some(found.clone())
            }
        }
    }

    fn lookup_unknown(&mut self, unknown: &Unknown, key: &Value) -> Option<Value> {
        match unknown.hint() {
            Some(Hint::Bool | Hint::Text(_) | Hint::Count { .. }) => None,
            Some(Hint::Types(types)) if types.and(Types::COLLECTIONS).is_empty() => None,
            // Policies test for unknown values by this member.
            Some(Hint::Marker) if key.as_str() == Some("$unknown") => Some(Value::object([])),
            Some(Hint::Set { certain, possible }) => match is_one_of(key, certain.iter()) {
                Truth::True => Some(key.clone()),
                others => match (others, is_one_of(key, possible.iter())) {
                    (Truth::False, Truth::False) => None,
                    _ => {
                        self.add_doubt(unknown);
                        Some(key.clone())
                    }
                },
            },
            Some(Hint::Object { certain, possible }) => {
                let certainly = certain.iter().find(|(other, _)| !key.contains_unknown() && other == key);
                let may_be_other =
                    !matches!(is_one_of(key, possible.iter().map(|(key, _)| key)), Truth::False);
                match certainly {
                    Some((_, value)) if !may_be_other => Some(value.clone()),
                    None if !may_be_other
                        && matches!(is_one_of(key, certain.iter().map(|(key, _)| key)), Truth::False) =>
                    {
                        None
                    }
                    _ => {
                        self.add_doubt(unknown);
                        // Several possible members of this key may have different values, and only one of
                        // them will exist.
                        let mut same = possible.iter().filter(|(other, _)| other == key);
                        match (certainly, same.next(), same.next()) {
                            (None, Some((key, value)), None) if !key.contains_unknown() => {
                                Some(value.clone())
                            }
                            _ => Some(Value::Unknown(unknown.plain())),
                        }
                    }
                }
            }
            Some(Hint::Array(items)) => {
                let at = key.as_number().and_then(crate::value::Number::as_index);
                let before = at.and_then(|at| items.get(..=at));
                match before {
                    Some(before) if before.iter().all(|(_, times)| *times == Presence::Once) => {
                        before.last().map(|(item, _)| item.clone())
                    }
                    _ if at.is_none() && !key.contains_unknown() => None,
                    _ if at.is_some_and(|at| at >= items.len())
                        && items.iter().all(|(_, times)| *times != Presence::AnyTimes) =>
                    {
                        None
                    }
                    _ => {
                        self.add_doubt(unknown);
                        Some(Value::Unknown(unknown.plain()))
                    }
                }
            }
            None | Some(Hint::Marker | Hint::Types(_)) => {
                self.add_doubt(unknown);
                Some(Value::Unknown(member_of(unknown, key)))
            }
        }
    }
}
