//! Indexes of collections by parts of their members.

use std::rc::Rc;

use hashbrown::HashMap;

use super::{Frame, Machine, Run};
use crate::compile::program::{Join, Wanted};
use crate::value::Value;

/// Smaller collections are searched.
const LEAST: usize = 64;
/// More indexes are not kept.
const MOST: usize = 256;
/// The approximate memory of one member in an index.
const MEMBER_BYTES: usize = 64;

/// The indexes of the collections of an evaluation, by address and keys.
#[derive(Default)]
pub(super) struct Joins<'p> {
    /// `None` after the first search: most collections are searched only once.
    indexes: HashMap<(usize, &'p [String]), Option<Rc<Index>>, foldhash::fast::RandomState>,
    bytes: usize,
}

struct Index {
    /// An address is of one collection only as long as that is kept.
    _collection: Value,
    /// The positions of members by their part.
    positions: HashMap<Value, Rc<[u32]>, foldhash::fast::RandomState>,
    /// The positions of members whose part is not known yet.
    unknown: Box<[u32]>,
}

impl<'p> Machine<'p> {
    /// The positions of the members that may have the wanted part; `None` if all have to be tried.
    pub(super) fn joined(&mut self, frame: &Frame, value: &Value, join: &'p Join) -> Run<Option<Rc<[u32]>>> {
        let (address, count) = match value {
            Value::Array(items) => (std::sync::Arc::as_ptr(items).addr(), items.len()),
            Value::Object(members) => (std::sync::Arc::as_ptr(members).addr(), members.len()),
            Value::Set(items) => (std::sync::Arc::as_ptr(items).addr(), items.len()),
            _ => return Ok(None),
        };
        if count < LEAST {
            return Ok(None);
        }
        let wanted = match &join.wanted {
            Wanted::Constant(value) => Some(value),
            Wanted::Local(slot) => frame[*slot as usize].as_ref(),
        };
        // An unknown value may equal any of the parts, so all members have to be tried.
        let Some(wanted) = wanted.filter(|wanted| !wanted.contains_unknown()) else { return Ok(None) };
        let key = (address, &join.keys[..]);
        let index = match self.joins.indexes.get(&key) {
            Some(Some(index)) => index.clone(),
            // The second search of this collection: groups search it once for each member, and an index then
            // takes each search from n steps to a few.
            Some(None) => {
                let bytes = count * MEMBER_BYTES;
                self.budget.take(bytes)?;
                self.joins.bytes += bytes;
                let index = Rc::new(Index::new(value, &join.keys));
                self.joins.indexes.insert(key, Some(index.clone()));
                index
            }
            None => {
                // Collections may be made in a loop, and each index keeps its collection in memory.
                if self.joins.indexes.len() >= MOST {
                    self.joins.indexes.clear();
                    self.budget.give_back(std::mem::take(&mut self.joins.bytes));
                }
                self.joins.indexes.insert(key, None);
                return Ok(None);
            }
        };
        Ok(Some(index.find(wanted)))
    }
}

impl Index {
    fn new(collection: &Value, keys: &[String]) -> Self {
        let (mut positions, mut unknown) =
            (HashMap::<Value, Vec<u32>, foldhash::fast::RandomState>::default(), Vec::new());
        let mut at = 0;
        let mut add = |member: &Value| {
            match part(member, keys) {
                MemberPart::Value(part) => match positions.get_mut(part) {
                    Some(positions) => positions.push(at),
                    None => _ = positions.insert(part.clone(), vec![at]),
                },
                MemberPart::Unknown => unknown.push(at),
                // A member without the part is undefined where it is compared, so it never matches.
                MemberPart::Missing => {}
            }
            at += 1;
        };
        match collection {
            Value::Array(items) => items.iter().for_each(&mut add),
            Value::Set(items) => items.iter().for_each(&mut add),
            Value::Object(members) => members.values().for_each(&mut add),
            _ => {}
        }
        let positions = positions.into_iter().map(|(part, positions)| (part, positions.into())).collect();
        Self { _collection: collection.clone(), positions, unknown: unknown.into() }
    }

    fn find(&self, wanted: &Value) -> Rc<[u32]> {
        let found = self.positions.get(wanted);
        match found {
            Some(found) if self.unknown.is_empty() => found.clone(),
            None if self.unknown.is_empty() => Rc::new([]),
            found => {
                let found = found.map_or(&[][..], |found| &found[..]);
                let mut all: Vec<u32> = found.iter().chain(&self.unknown).copied().collect();
                // Members are visited in their order, with or without an index.
                all.sort_unstable();
                all.into()
            }
        }
    }
}

enum MemberPart<'v> {
    Value(&'v Value),
    Unknown,
    Missing,
}

/// The value that keys lead to.
fn part<'v>(member: &'v Value, keys: &[String]) -> MemberPart<'v> {
    let mut at = member;
    for key in keys {
        at = match at {
            Value::Object(object) => match object.get_str(key) {
                Some(value) => value,
                // A key that is not known yet may be this one.
                None if object.contains_unknown() => return MemberPart::Unknown,
                None => return MemberPart::Missing,
            },
            Value::Unknown(_) => return MemberPart::Unknown,
            Value::Set(items) if items.contains_unknown() => return MemberPart::Unknown,
            Value::Set(items) => match items.get(&Value::from(key.as_str())) {
                Some(item) => item,
                None => return MemberPart::Missing,
            },
            _ => return MemberPart::Missing,
        };
    }
    if at.contains_unknown() { MemberPart::Unknown } else { MemberPart::Value(at) }
}
