//! The fixed order of set elements, the one in which Terraform writes them.
//!
//! Elements that are not strings, numbers or bools are ordered by a text made of them. The text is written
//! once for each element, all of them into one buffer.

use std::cmp::Ordering;
use std::ops::Range;

use super::{Kind, Value};
use objchange_text::quote_into;

/// Known elements come first, then unknown ones, then null.
fn rank(element: &Value) -> u8 {
    match element.kind() {
        Kind::Unknown(_) => 1,
        Kind::Null => 2,
        _ => 0,
    }
}

/// The positions of the elements in set order, and whether two of them tie.
pub(super) fn sorted_positions(elements: &[Value]) -> (Vec<u32>, bool) {
    let mut positions: Vec<u32> = (0..elements.len() as u32).collect();
    let at = |i: u32| &elements[i as usize];
    // The order is go-cty's: strings by bytes, numbers by value, `false` before `true`. It is fixed,
    // because the first matching element of a set decides in `ProposedNew`.
    if elements.iter().all(|e| !is_compound(e)) {
        let order = |a: &u32, b: &u32| compare_simple(at(*a), at(*b));
        positions.sort_by(order);
        let tied = positions.windows(2).any(|w| order(&w[0], &w[1]) == Ordering::Equal);
        return (positions, tied);
    }
    // go-cty 1.18 orders other elements by the bytes of a text that it makes of each.
    let keys = Keys::new(elements);
    let order = |a: &u32, b: &u32| keys.compare(*a as usize, *b as usize);
    // States are written in this order, so most sets are sorted already.
    if positions.is_sorted_by(|a, b| order(a, b) == Ordering::Less) {
        return (positions, false);
    }
    positions.sort_by(order);
    let tied = positions.windows(2).any(|w| order(&w[0], &w[1]) == Ordering::Equal);
    (positions, tied)
}

/// The order of two elements in a set.
pub(super) fn compare(a: &Value, b: &Value, scratch: &mut (String, String)) -> Ordering {
    if !is_compound(a) && !is_compound(b) {
        return compare_simple(a, b);
    }
    rank(a).cmp(&rank(b)).then_with(|| {
        scratch.0.clear();
        scratch.1.clear();
        write_key(a, &mut scratch.0);
        write_key(b, &mut scratch.1);
        scratch.0.as_bytes().cmp(scratch.1.as_bytes())
    })
}

fn is_compound(element: &Value) -> bool {
    element.head().is_some()
}

fn compare_simple(a: &Value, b: &Value) -> Ordering {
    match (a.kind(), b.kind()) {
        (Kind::String(a), Kind::String(b)) => a.cmp(b),
        (Kind::Number(a), Kind::Number(b)) => a.cmp(b),
        (Kind::Bool(a), Kind::Bool(b)) => a.cmp(&b),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// The order keys of many elements, in one buffer.
struct Keys {
    text: String,
    /// For each element its rank, the first bytes of its key as a number, and where the key is.
    entries: Vec<(u8, u64, Range<usize>)>,
}

impl Keys {
    fn new(elements: &[Value]) -> Self {
        let mut text = String::with_capacity(elements.len() * 32);
        let entries = elements
            .iter()
            .map(|element| {
                let start = text.len();
                write_key(element, &mut text);
                (rank(element), prefix(&text.as_bytes()[start..]), start..text.len())
            })
            .collect();
        Self { text, entries }
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (&self.entries[a], &self.entries[b]);
        (a.0, a.1)
            .cmp(&(b.0, b.1))
            .then_with(|| self.text.as_bytes()[a.2.clone()].cmp(&self.text.as_bytes()[b.2.clone()]))
    }
}

/// The bytes that decide most comparisons, in an integer of the same order. The first two bytes only encode
/// the kind of value, so they are skipped if possible.
fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in std::iter::zip(&mut bytes, key) {
        *to = *from;
    }
    u64::from_be_bytes(bytes)
}

/// Writes the text that an element is ordered by.
fn write_key(value: &Value, out: &mut String) {
    match value.kind() {
        Kind::Null => out.push('~'),
        Kind::Unknown(_) => out.push('?'),
        Kind::Bool(b) => out.push(if b { 'T' } else { 'F' }),
        // Ten digits, as C's `%.10g`: numbers that differ only beyond them tie, and keep their order of
        // insertion. For example, 9999999999.5 ties with 1e10.
        Kind::Number(n) => n.write_ten_digits(out),
        Kind::String(s) => quote_into(s, out),
        Kind::List(elements) | Kind::Set(elements) => {
            out.push('[');
            for element in elements {
                write_key(element, out);
                out.push(';');
            }
            out.push(']');
        }
        Kind::Map(map) => {
            out.push('{');
            for (key, element) in map.iter() {
                quote_into(key, out);
                out.push(':');
                write_key(element, out);
                out.push(';');
            }
            out.push('}');
        }
        // Names of attributes are not a part of the text: equal types have equal names in one order.
        Kind::Tuple(elements) => write_structure(elements, out),
        Kind::Object(object) => write_structure(object.values(), out),
    }
}

fn write_structure(values: &[Value], out: &mut String) {
    out.push('<');
    for value in values {
        write_key(value, out);
        out.push(';');
    }
    out.push('>');
}
