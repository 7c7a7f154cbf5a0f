//! Building sets: distinct elements, in their fixed order, without marks of their own.

use std::cmp::Ordering;

use hashbrown::HashTable;

use super::order::{compare, sorted_positions};
use super::{Marks, Value};

/// Elements on their way into a set.
pub(super) struct SetElements {
    /// Distinct and in set order.
    pub(super) elements: Vec<Value>,
    /// Two elements have the same order key.
    pub(super) tied: bool,
    /// The marks that were on the elements.
    pub(super) marks: Marks,
}

impl SetElements {
    /// Takes marks off, drops elements that equal an earlier one, and sorts: O(n log n), each order key
    /// written at most once.
    pub(super) fn new(elements: Vec<Value>) -> Self {
        let (elements, marks) = without_marks(elements);
        let elements = distinct(elements);
        let (positions, tied) = sorted_positions(&elements);
        let sorted = positions.iter().enumerate().all(|(i, p)| i == *p as usize);
        let elements =
            if sorted { elements } else { positions.iter().map(|p| elements[*p as usize].clone()).collect() };
        Self { elements, tied, marks }
    }
}

/// The position of the element with this content in a set.
pub(super) fn position(elements: &[Value], content: &Value) -> Option<usize> {
    let mut scratch = (String::new(), String::new());
    let first = elements.partition_point(|e| compare(e, content, &mut scratch) == Ordering::Less);
    let mut ties =
        elements[first..].iter().take_while(|e| compare(e, content, &mut scratch) == Ordering::Equal);
    ties.position(|e| e.same_content(content)).map(|i| first + i)
}

fn without_marks(elements: Vec<Value>) -> (Vec<Value>, Marks) {
    if !elements.iter().any(Value::contains_marked) {
        return (elements, Marks::NONE);
    }
    let mut marks = Marks::NONE;
    let plain = elements
        .iter()
        .map(|element| {
            let (plain, found) = element.unmark_deep();
            marks |= found;
            plain
        })
        .collect();
    (plain, marks)
}

/// Drops every element that definitely equals an earlier one.
fn distinct(mut elements: Vec<Value>) -> Vec<Value> {
    if elements.len() < 2 {
        return elements;
    }
    let mut seen: HashTable<(u64, u32)> = HashTable::with_capacity(elements.len());
    let mut repeated = Vec::new();
    for (i, element) in elements.iter().enumerate() {
        // An element that is not wholly known equals nothing, not even itself.
        if !element.is_wholly_known() {
            continue;
        }
        let hash = element.content_hash();
        let entry = seen.entry(
            hash,
            |(h, other)| *h == hash && elements[*other as usize].same_content(element),
            |(h, _)| *h,
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(_) => repeated.push(i),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                vacant.insert((hash, i as u32));
            }
        }
    }
    if !repeated.is_empty() {
        let mut next = repeated.iter().peekable();
        let mut i = 0;
        elements.retain(|_| {
            let drop = next.next_if_eq(&&i).is_some();
            i += 1;
            !drop
        });
    }
    elements
}

/// A set made of elements of an earlier set and some new ones, sorted without writing the keys of the old.
pub(crate) struct SetMerge<'v> {
    earlier: &'v Value,
    /// Each element with its position in the earlier set, if it is there.
    elements: Vec<(Option<u32>, Value)>,
    fresh: usize,
    /// Elements are of another type or marked, or order is that of insertion: sorting begins anew.
    irregular: bool,
}

impl<'v> SetMerge<'v> {
    pub(crate) fn new(earlier: &'v Value, capacity: usize) -> Self {
        let irregular = earlier.is_tied();
        Self { earlier, elements: Vec::with_capacity(capacity), fresh: 0, irregular }
    }

    /// Adds an element, and says where it is in the earlier set. No position is given twice.
    pub(crate) fn push(&mut self, element: Value, position: Option<usize>) {
        if position.is_none() {
            self.fresh += 1;
            self.irregular |= element.contains_marked() || self.earlier.ty().element() != Some(element.ty());
        }
        self.elements.push((position.map(|p| p as u32), element));
    }

    /// The set of all elements.
    pub(crate) fn finish(self) -> Value {
        let set_type = self.earlier.ty();
        // With many new elements, sorting everything again is not slower.
        let regular = !self.irregular && self.fresh * 4 <= self.elements.len();
        match regular.then(|| merge(&self.elements)).flatten() {
            Some(elements) => Value::sorted_set(set_type, elements),
            None => Value::set_like(set_type, self.elements.into_iter().map(|(_, e)| e).collect()),
        }
    }
}

/// Sorts by position and finds the place of each new element; `None` if one ties with another element.
fn merge(elements: &[(Option<u32>, Value)]) -> Option<Vec<Value>> {
    let mut known: Vec<(u32, &Value)> = elements.iter().filter_map(|(p, e)| p.map(|p| (p, e))).collect();
    if !known.is_sorted_by_key(|(p, _)| *p) {
        known.sort_unstable_by_key(|(p, _)| *p);
    }
    let mut scratch = (String::new(), String::new());
    let mut fresh: Vec<&Value> = elements.iter().filter(|(p, _)| p.is_none()).map(|(_, e)| e).collect();
    fresh.sort_by(|a, b| compare(a, b, &mut scratch));
    let mut merged = Vec::with_capacity(elements.len());
    let mut rest = known.as_slice();
    let mut previous: Option<&Value> = None;
    for element in fresh {
        if let Some(p) = previous
            && compare(p, element, &mut scratch) == Ordering::Equal
        {
            if p.definitely_equals(element) {
                continue;
            }
            return None;
        }
        let at = rest.partition_point(|(_, e)| compare(e, element, &mut scratch) == Ordering::Less);
        if let Some((_, e)) = rest.get(at)
            && compare(e, element, &mut scratch) == Ordering::Equal
        {
            if e.definitely_equals(element) {
                continue;
            }
            return None;
        }
        merged.extend(rest[..at].iter().map(|(_, e)| (*e).clone()));
        merged.push(element.clone());
        rest = &rest[at..];
        previous = Some(element);
    }
    merged.extend(rest.iter().map(|(_, e)| (*e).clone()));
    Some(merged)
}
